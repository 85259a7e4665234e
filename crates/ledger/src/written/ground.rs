//! Whether a value stands in the quotes a claim cites: the check behind `value_not_grounded`.

use std::cell::OnceCell;

use jiff::{SignedDuration, ZonedDateTime};

use crate::entity::{self, EntityRef};
use crate::value::{
    NUMBER_DIGITS_MAX, PartialDate, Quantity, RawValue, Stated, TEXT_BYTES_MAX, TimeOfDay, Value, ValueType,
};

use super::address;
use super::clock::{self, TimeMention};
use super::date::{self, DateMention, Meant};
use super::number::{self, NumberMention};
use super::token::{Kind, Token, Tokens, plain_text};
use super::{language, name};

/// What kind of piece of a value is missing from the quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Piece {
    /// A number, or its unit.
    Number,
    /// A date, whole or partial.
    Date,
    /// A time of day.
    Time,
    /// A proper name, or a word of an entity's name.
    Name,
    /// An address of mail, a page or a host.
    Address,
    /// The name of a language.
    Language,
    /// Enough of the ordinary words.
    Words,
}

/// The first piece of a value that stands in no quote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} `{text}` does not stand in the quote", match .piece {
    Piece::Number => "number",
    Piece::Date => "date",
    Piece::Time => "time",
    Piece::Name => "name",
    Piece::Address => "address",
    Piece::Language => "language",
    Piece::Words => "wording",
})]
pub struct Ungrounded {
    /// Its kind.
    pub piece: Piece,
    /// The piece as the value has it.
    pub text: String,
}

/// Whether a value stands in the quotes in any written form: nothing when it does, else what is missing.
///
/// - *Number*: the same number in some quote, in digits or words. A known unit (currency, `%`, a measure) must
///   stand too and must not be another one beside that number; other units are words and may be paraphrased.
/// - *Time of day*: the same minute in any form.
/// - *Date*: a date that says at least as much: `12 June 2026` grounds `2026-06`, not the other way round. A date
///   without a year grounds one with a year that stands elsewhere, or that is within a year of the anchor.
///   Relative dates are counted from the anchor.
/// - *Instant*: its date and its time, in its own zone or the anchor's; or the same instant in full.
/// - *Entity*: each word of its name, but for company suffixes (`inc`, `d.o.o.`). The owner always stands.
/// - *Boolean*: always; a quote does not contain one.
/// - *Text*: every address, whole; every number, date, time and proper name; and of all its content words at least one, and at least a
///   third, in any inflected form. A single word must stand. A value that is only the name or tag of a language
///   stands when the quote names that language.
///
/// Work is linear in the quotes and at most the product of them with the pieces of the value, of which its bound
/// allows a few hundred. `anchor` is the moment and zone at which the words were said.
pub fn ungrounded(value: &Stated, quotes: &[&str], anchor: Option<&ZonedDateTime>) -> Option<Ungrounded> {
    // A quote that is nothing but the value needs no search: `9` is an hour when a whole value says so.
    let value_type = value.value.value_type();
    let reads_alike = |quote: &&&str| {
        Value::read(value_type, &RawValue::from(**quote)).is_ok_and(|read| read.value == value.value)
    };
    if quotes.iter().filter(|quote| quote.len() <= TEXT_BYTES_MAX).any(|quote| reads_alike(&quote)) {
        return None;
    }
    let quotes: Quotes<'_> = Quotes { list: quotes.iter().map(|quote| Quote::of(quote)).collect(), anchor };
    let missing =
        |stands: bool, piece: Piece| (!stands).then(|| Ungrounded { piece, text: value.value.to_string() });
    match &value.value {
        Value::Text(text) => text_missing(text, &quotes),
        Value::Number(quantity) => missing(quotes.has_number(quantity), Piece::Number),
        Value::TimeOfDay(time) => missing(quotes.has_time(*time), Piece::Time),
        Value::Date(date) => missing(quotes.has_date(*date), Piece::Date),
        Value::Instant(instant) => instant_missing(instant, &quotes),
        Value::Entity(entity) => entity_missing(entity, &quotes),
        Value::Boolean(_) => None,
    }
}

/// The token ranges whose digits are no numbers: whole dates, and times with a colon.
pub(crate) fn hidden(
    tokens: &Tokens<'_>,
    dates: &[DateMention],
    times: &[TimeMention],
) -> Vec<(usize, usize)> {
    let dates = dates.iter().filter(|date| date.hard && matches!(date.meant, Meant::Fixed(_)));
    let colon = |time: &&TimeMention| {
        (time.from..time.to).any(|index| tokens.mark(index, ':') && tokens.digits(index + 1).is_some())
    };
    let times = times.iter().filter(colon).map(|time| (time.from, time.to));
    let mut ranges: Vec<(usize, usize)> = dates.map(|date| (date.from, date.to)).chain(times).collect();
    ranges.sort_unstable();
    ranges
}

/// A distinct word of a quote.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Word<'q> {
    plain: &'q str,
    capital: bool,
    acronym: bool,
}

/// A quote and what was found in it, each looked for when first asked.
struct Quote<'a> {
    tokens: Tokens<'a>,
    dates: OnceCell<Vec<DateMention>>,
    times: OnceCell<Vec<TimeMention>>,
    numbers: OnceCell<Vec<NumberMention>>,
}

impl<'a> Quote<'a> {
    fn of(text: &'a str) -> Quote<'a> {
        Quote {
            tokens: Tokens::of(text),
            dates: OnceCell::new(),
            times: OnceCell::new(),
            numbers: OnceCell::new(),
        }
    }

    fn dates(&self) -> &[DateMention] {
        self.dates.get_or_init(|| date::scan(&self.tokens))
    }

    fn times(&self) -> &[TimeMention] {
        self.times.get_or_init(|| clock::scan(&self.tokens))
    }

    fn numbers(&self) -> &[NumberMention] {
        self.numbers.get_or_init(|| {
            let hidden = hidden(&self.tokens, self.dates(), self.times());
            number::scan(&self.tokens, &hidden)
        })
    }

    /// Every distinct word, sorted, so that the words with one beginning lie together.
    fn words(&self) -> Vec<Word<'_>> {
        let words = self.tokens.iter().filter(|token| token.kind == Kind::Word);
        let mut words: Vec<Word<'_>> = words
            .map(|token| Word {
                plain: &token.plain,
                capital: token.is_capitalised(),
                acronym: token.is_acronym(),
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Whether these tokens stand in the quote one after another, in any case.
    fn has_run(&self, run: &[&Token<'_>]) -> bool {
        let Some(first) = run.first() else { return false };
        (0..self.tokens.len()).any(|start| {
            self.tokens.get(start).is_some_and(|token| token.plain == first.plain)
                && run.iter().enumerate().all(|(offset, token)| {
                    self.tokens.get(start + offset).is_some_and(|other| other.plain == token.plain)
                })
        })
    }
}

impl Quote<'_> {
    /// How many words and numbers of the quote carry content.
    fn content_words(&self) -> usize {
        let carries = |token: &&Token<'_>| match token.kind {
            Kind::Word => !name::is_function_word(&token.plain),
            _ => token.has_digit(),
        };
        self.tokens.iter().filter(carries).count()
    }

    /// Whether number words stand in the quote where they count nothing: the animal in `I have a pet`.
    fn has_uncounted(&self, run: &[&Token<'_>]) -> bool {
        let Some(first) = run.first().filter(|_| self.has_run(run)) else { return false };
        let mut counted = vec![false; self.tokens.len()];
        for mention in self.numbers() {
            counted[mention.from..mention.to].iter_mut().for_each(|counted| *counted = true);
        }
        self.tokens.iter().zip(counted).any(|(token, counted)| !counted && token.plain == first.plain)
    }
}

struct Quotes<'a> {
    list: Vec<Quote<'a>>,
    anchor: Option<&'a ZonedDateTime>,
}

impl Quotes<'_> {
    fn has_number(&self, quantity: &Quantity) -> bool {
        let known = quantity.unit.as_deref().and_then(number::known_unit);
        let mentions =
            || self.list.iter().flat_map(|quote| quote.numbers()).flat_map(|mention| &mention.readings);
        mentions().filter(|reading| reading.number == quantity.number).any(|reading| {
            match (known, reading.unit.as_deref().and_then(number::known_unit)) {
                (Some(known), Some(other)) => known == other,
                (Some(known), None) => self.has_unit(known),
                (None, Some(_)) => quantity.unit.is_none(),
                (None, None) => true,
            }
        })
    }

    fn has_unit(&self, unit: &str) -> bool {
        self.list.iter().any(|quote| {
            (0..quote.tokens.len()).any(|index| number::unit_at(&quote.tokens, index) == Some(unit))
        })
    }

    fn has_time(&self, time: TimeOfDay) -> bool {
        self.list.iter().flat_map(|quote| quote.times()).any(|mention| mention.time == time)
    }

    fn has_date(&self, date: PartialDate) -> bool {
        let mentions = || self.list.iter().flat_map(|quote| quote.dates());
        let said = |wanted: PartialDate| {
            mentions().any(|mention| {
                date::resolve(mention.meant, self.anchor).iter().any(|said| said.implies(&wanted))
            })
        };
        if said(date) || self.list.iter().any(|quote| has_signed_date(quote.tokens.text, date)) {
            return true;
        }
        // `on 12 June` here and `2026` there.
        let (Some(year), Some(month)) = (date.year(), date.month()) else { return false };
        let yearless = PartialDate::new(None, Some(month.into()), date.day().map(u32::from));
        let year = PartialDate::new(Some(year.into()), None, None);
        let apart = |wanted: PartialDate| {
            mentions().any(|mention| match mention.meant {
                Meant::Fixed(said) => said.year().is_none() && said.implies(&wanted),
                _ => false,
            })
        };
        let year_alone =
            |wanted: PartialDate| mentions().any(|mention| mention.meant == Meant::Fixed(wanted));
        yearless.is_ok_and(apart) && year.is_ok_and(year_alone)
    }

    fn has_meant(&self, meant: Meant) -> bool {
        let same = |mention: &DateMention| match (meant, mention.meant) {
            (Meant::Weekday(wanted, None), Meant::Weekday(said, _)) => wanted == said,
            (wanted, said) => wanted == said,
        };
        self.list.iter().flat_map(|quote| quote.dates()).any(same)
            || date::resolve(meant, self.anchor).into_iter().any(|date| self.has_date(date))
    }

    /// Whether some quote holds the digits of a code as they stand: `3.12.1`.
    fn has_code(&self, code: &str) -> bool {
        self.list.iter().any(|quote| {
            quote.numbers().iter().filter(|mention| mention.readings.is_empty()).any(|mention| {
                let (start, end) = quote.tokens.span(mention.from, mention.to);
                &quote.tokens.text[start..end] == code
            })
        })
    }

    fn has_run(&self, run: &[&Token<'_>]) -> bool {
        self.list.iter().any(|quote| quote.has_run(run))
    }

    fn has_language(&self, language: &str, value_is_tag: bool) -> bool {
        self.list.iter().any(|quote| language::stands(&quote.tokens, language, value_is_tag))
    }
}

/// The words of all quotes, with which endings each may carry.
struct Vocabulary<'q> {
    quotes: Vec<(Vec<Word<'q>>, bool)>,
}

impl<'q> Vocabulary<'q> {
    fn of(quotes: &'q Quotes<'_>) -> Vocabulary<'q> {
        Vocabulary {
            quotes: quotes.list.iter().map(|quote| (quote.words(), quote.tokens.croatian)).collect(),
        }
    }

    /// The words that begin with the first `letters` letters of a word, and whether they may be Croatian.
    fn near<'w>(&'w self, word: &'w str, letters: usize) -> impl Iterator<Item = (&'w Word<'q>, bool)> {
        let end = word.char_indices().nth(letters).map_or(word.len(), |(at, _)| at);
        let prefix = &word[..end];
        self.quotes.iter().flat_map(move |(words, croatian)| {
            let from = words.partition_point(|word| word.plain < prefix);
            let near = words[from..].iter().take_while(move |word| word.plain.starts_with(prefix));
            near.map(|word| (word, *croatian))
        })
    }

    fn has_name(&self, name: &str) -> bool {
        self.near(name, 2).any(|(word, croatian)| name::is_form(name, word.plain, croatian, word.capital))
    }

    /// `IT` and `US` stand only where they are written as such; `AI` also as `ai`.
    fn has_acronym(&self, acronym: &str) -> bool {
        let word_too = name::is_function_word(acronym);
        self.near(acronym, 2).any(|(word, croatian)| {
            (word.acronym || !word_too) && name::is_form(acronym, word.plain, croatian, word.capital)
        })
    }

    fn has_word(&self, wanted: &str) -> bool {
        self.near(wanted, 3).any(|(word, _)| name::is_same_word(wanted, word.plain))
    }
}

fn instant_missing(instant: &ZonedDateTime, quotes: &Quotes<'_>) -> Option<Ungrounded> {
    let missing = |piece: Piece| Some(Ungrounded { piece, text: instant.to_string() });
    if quotes.list.iter().any(|quote| has_instant(quote.tokens.text, instant)) || is_counted(instant, quotes)
    {
        return None;
    }
    let there = quotes.anchor.map(|anchor| instant.with_time_zone(anchor.time_zone().clone()));
    let no_time = quotes.list.iter().all(|quote| quote.times().is_empty());
    let mut date_stands = false;
    for local in [Some(instant), there.as_ref()].into_iter().flatten() {
        let date = PartialDate::from_civil(local.date());
        if !date.is_some_and(|date| quotes.has_date(date)) {
            continue;
        }
        date_stands = true;
        let time = TimeOfDay::new(local.hour().unsigned_abs().into(), local.minute().unsigned_abs().into());
        let midnight = local.hour() == 0 && local.minute() == 0;
        let whole_minute = local.second() == 0 && local.subsec_nanosecond() == 0;
        if whole_minute && ((midnight && no_time) || time.is_some_and(|time| quotes.has_time(time))) {
            return None;
        }
    }
    missing(if date_stands { Piece::Time } else { Piece::Date })
}

/// Whether a text holds this instant in full: `2026-06-12T09:30:00+02:00`.
fn has_instant(text: &str, instant: &ZonedDateTime) -> bool {
    let is_long =
        |word: &&str| (16..=80).contains(&word.len()) && word.bytes().any(|b| matches!(b, b'T' | b't'));
    let words = text
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'', '(', ')', ',', ';', '.', '`', '<', '>']));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).filter(is_long).any(|word| {
        let read = Value::read(ValueType::Instant, &RawValue::Text(word.to_owned()));
        read.is_ok_and(|read| matches!(&read.value, Value::Instant(other) if other == instant))
    })
}

/// Whether a text holds this date in an ISO form that begins with a hyphen: `-0044-03-15`, `--06-12`.
fn has_signed_date(text: &str, date: PartialDate) -> bool {
    let words = text.split_whitespace().map(|word| word.trim_matches(['"', '(', ')', ',', ';', '.']));
    let mut signed = words.filter(|word| word.starts_with('-') && word.len() <= 12);
    signed.any(|word| word.parse::<PartialDate>().is_ok_and(|said| said.implies(&date)))
}

/// Whether the quotes count hours or minutes from the anchor to this instant: `in two hours`, `prije 20 minuta`.
fn is_counted(instant: &ZonedDateTime, quotes: &Quotes<'_>) -> bool {
    let Some(anchor) = quotes.anchor else { return false };
    let is_near = |seconds: i64| {
        let apart =
            instant.timestamp().duration_since(anchor.timestamp()) - SignedDuration::from_secs(seconds);
        apart.abs() < SignedDuration::from_secs(60)
    };
    quotes.list.iter().any(|quote| {
        let tokens = &quote.tokens;
        if (0..tokens.len()).any(|index| matches!(tokens.word(index), Some("now" | "sada"))) && is_near(0) {
            return true;
        }
        quote.numbers().iter().any(|mention| {
            let before = tokens.before(mention.from).map(|token| &*token.plain);
            let sign = match (before, tokens.word(mention.to)) {
                (Some("in" | "za"), _) => 1,
                (Some("prije"), _) | (_, Some("ago")) => -1,
                _ => return false,
            };
            mention.readings.iter().any(|reading| {
                let unit = match reading.unit.as_deref() {
                    Some("hours") => 3_600,
                    Some("minutes") => 60,
                    _ => return false,
                };
                let count: Option<i64> =
                    reading.number.as_str().parse().ok().filter(|count| (0..=100_000).contains(count));
                count.is_some_and(|count| is_near(sign * count * unit))
            })
        })
    })
}

/// What stands for the form of a company and is left out when people talk of it.
const COMPANY_SUFFIXES: &[&str] = &[
    "inc",
    "ltd",
    "llc",
    "corp",
    "corporation",
    "co",
    "company",
    "gmbh",
    "plc",
    "ag",
    "sa",
    "doo",
    "dd",
    "jdoo",
];

fn entity_missing(entity: &EntityRef, quotes: &Quotes<'_>) -> Option<Ungrounded> {
    if entity.is_owner() {
        return None;
    }
    let vocabulary = Vocabulary::of(quotes);
    let all: Vec<String> =
        entity.name().split(['-', '_', '.']).filter(|word| !word.is_empty()).map(plain_text).collect();
    let is_needed =
        |word: &&String| !name::is_function_word(word) && !COMPANY_SUFFIXES.contains(&word.as_str());
    let needed: Vec<&String> = all.iter().filter(is_needed).collect();
    let needed = if needed.is_empty() { all.iter().collect() } else { needed };
    let person = entity.kind() == Some("person");
    let stands = |word: &str| {
        if word.bytes().all(|b| b.is_ascii_digit()) {
            return quotes.list.iter().any(|quote| quote.tokens.iter().any(|token| token.text == word));
        }
        vocabulary.has_name(word)
            || (!person
                && vocabulary.near(word, 2).any(|(other, _)| other.plain.strip_suffix('s') == Some(word)))
            || language::of_word(word).is_some_and(|language| quotes.has_language(language, false))
    };
    let missing = needed.iter().find(|word| !stands(word))?;
    // `openai` where the quote has `Open AI`, `open-ai` where it has `OpenAI`.
    let joined: String = all.concat();
    if quotes
        .list
        .iter()
        .any(|quote| has_slug(quote.tokens.text, entity.name()) || has_joined(&quote.tokens, &joined))
    {
        return None;
    }
    Some(Ungrounded { piece: Piece::Name, text: (*missing).clone() })
}

/// Whether a text made a slug of holds this slug between separators.
fn has_slug(text: &str, slug: &str) -> bool {
    let text = entity::slug(text);
    let separate = |c: Option<char>| c.is_none_or(|c| matches!(c, '-' | '_' | '.'));
    text.match_indices(slug).any(|(at, found)| {
        separate(text[..at].chars().next_back()) && separate(text[at + found.len()..].chars().next())
    })
}

/// Whether up to six words or numbers side by side make this one word, or a form of it.
fn has_joined(tokens: &Tokens<'_>, wanted: &str) -> bool {
    let pieces: Vec<&Token<'_>> = tokens
        .iter()
        .filter(|token| {
            token.kind != Kind::Mark || !matches!(token.text, "-" | "_" | "." | "'" | "’" | "&" | "/")
        })
        .collect();
    (0..pieces.len()).any(|start| {
        let mut joined = String::new();
        pieces[start..].iter().take(6).take_while(|piece| piece.kind != Kind::Mark).any(|piece| {
            joined.push_str(&piece.plain);
            // Nothing longer than the name and the longest ending can be a form of it.
            joined.len() <= wanted.len() + 6
                && name::is_form(wanted, &joined, tokens.croatian, piece.is_capitalised())
        })
    })
}

fn text_missing(text: &str, quotes: &Quotes<'_>) -> Option<Ungrounded> {
    let whole = |address: &&str| quotes.list.iter().any(|quote| address::stands(address, quote.tokens.text));
    if let Some(missing) = address::addresses_in(text).find(|address| !whole(address)) {
        return Some(Ungrounded { piece: Piece::Address, text: missing.to_owned() });
    }
    let value = Quote::of(text);
    let tokens = &value.tokens;
    if let Some(languages) = language::of_value(tokens) {
        let is_tag = language::tag(tokens).is_some();
        // A word that is also a code (`da`, `it`) may still be meant as the word: the general rule decides then.
        let missing = languages.into_iter().find(|language| !quotes.has_language(language, is_tag))?;
        if !is_tag {
            return Some(Ungrounded { piece: Piece::Language, text: missing.to_owned() });
        }
    }
    let part = |from: usize, to: usize| {
        let (start, end) = tokens.span(from, to);
        text[start..end].to_owned()
    };
    let run = |from: usize, to: usize| (from..to).filter_map(|index| tokens.get(index)).collect::<Vec<_>>();
    let no_digits = |from: usize, to: usize| run(from, to).iter().all(|token| !token.has_digit());
    // Words that a date, time or number is made of; the rest are names and content.
    let mut used = vec![false; tokens.len()];
    let mark = |used: &mut Vec<bool>, from: usize, to: usize| {
        used[from..to].iter_mut().for_each(|used| *used = true)
    };
    let mut standing = 0_usize;
    // Whether a date, time, number, name or language stands, which no common word does by chance.
    let mut firm = false;

    let dates = value.dates();
    for mention in dates {
        let mut readings = dates.iter().filter(|other| other.from == mention.from && other.to == mention.to);
        let year = tokens
            .digits(mention.from)
            .filter(|_| mention.to == mention.from + 1)
            .and_then(|year| year.parse().ok());
        let as_number = year.is_some_and(|year| quotes.has_number(&Quantity::plain(year)));
        let as_words = no_digits(mention.from, mention.to) && quotes.has_run(&run(mention.from, mention.to));
        if !(as_number || as_words || readings.any(|reading| quotes.has_meant(reading.meant))) {
            return Some(Ungrounded { piece: Piece::Date, text: part(mention.from, mention.to) });
        }
        mark(&mut used, mention.from, mention.to);
        standing += 1;
    }
    for mention in value.times().iter().filter(|mention| !mention.weak) {
        if used[mention.from..mention.to].contains(&true) {
            continue;
        }
        let as_words = no_digits(mention.from, mention.to) && quotes.has_run(&run(mention.from, mention.to));
        if !(as_words || quotes.has_time(mention.time)) {
            return Some(Ungrounded { piece: Piece::Time, text: part(mention.from, mention.to) });
        }
        mark(&mut used, mention.from, mention.to);
        standing += 1;
    }
    let hidden: Vec<(usize, usize)> =
        used.iter().enumerate().filter(|(_, used)| **used).map(|(index, _)| (index, index + 1)).collect();
    let numbers = number::scan(tokens, &hidden);
    for mention in &numbers {
        let said = part(mention.from, mention.to);
        // `5 200` is listed joined and apart; what stands in either way stands.
        let overlaps = |other: &&NumberMention| other.from <= mention.from && other.to >= mention.to;
        let stands = numbers.iter().filter(overlaps).any(|other| {
            other.readings.iter().any(|reading| quotes.has_number(reading))
                || (other.readings.is_empty() && quotes.has_code(&part(other.from, other.to)))
        });
        let weak_time =
            value.times().iter().filter(|time| time.from <= mention.from && mention.from < time.to);
        // `one` is an article as often as a number, and `pet` is an animal: such words may stand as words.
        let as_words = || {
            let run = run(mention.from, mention.to);
            let one = matches!(run[..], [token] if matches!(&*token.plain, "one" | "jedan" | "jedna" | "jedno" | "jednu"));
            mention.in_words && (one || quotes.list.iter().any(|quote| quote.has_uncounted(&run)))
        };
        // The joined reading may fail when its parts, which come after it, stand.
        let within = |other: &NumberMention| other.from >= mention.from && other.to <= mention.to;
        let apart =
            numbers.iter().any(|other| within(other) && other.to - other.from < mention.to - mention.from);
        if !(stands || as_words() || apart || weak_time.into_iter().any(|time| quotes.has_time(time.time))) {
            return Some(Ungrounded { piece: Piece::Number, text: said });
        }
        mark(&mut used, mention.from, mention.to);
        standing += 1;
    }

    // A number too long to be read is in no list; it stands as it is written, or not at all.
    let too_long = |token: &&Token<'_>| token.kind == Kind::Digits && token.text.len() > NUMBER_DIGITS_MAX;
    if let Some(number) = tokens.iter().find(too_long).filter(|number| !quotes.has_run(&[number])) {
        return Some(Ungrounded { piece: Piece::Number, text: number.text.to_owned() });
    }

    firm |= standing > 0;

    let vocabulary = Vocabulary::of(quotes);
    let mut absent = 0_usize;
    let names: Vec<bool> = name::scan(tokens).iter().fold(vec![false; tokens.len()], |mut names, mention| {
        names[mention.from..mention.to].iter_mut().for_each(|name| *name = true);
        names
    });
    let mut first_absent = None;
    let mut words = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        if token.kind != Kind::Word || used[index] {
            continue;
        }
        words += 1;
        let spoken =
            || language::of_word(&token.plain).is_some_and(|language| quotes.has_language(language, false));
        if names[index] && (token.is_acronym() || !name::is_function_word(&token.plain)) {
            let stands = if token.is_acronym() {
                vocabulary.has_acronym(&token.plain)
            } else {
                vocabulary.has_name(&token.plain)
            };
            let joined = || quotes.list.iter().any(|quote| has_joined(&quote.tokens, &token.plain));
            if !(stands || (!name::is_function_word(&token.plain) && joined())) {
                return Some(Ungrounded { piece: Piece::Name, text: token.text.to_owned() });
            }
            standing += 1;
            firm = true;
            continue;
        }
        if let Some(language) = language::of_word(&token.plain).filter(|_| token.is_capitalised())
            && !quotes.has_language(language, false)
        {
            return Some(Ungrounded { piece: Piece::Language, text: token.text.to_owned() });
        }
        let clings = tokens.is_glued(index) && tokens.before(index).is_some_and(name::is_apostrophe);
        if name::is_function_word(&token.plain) || (clings && token.plain.len() <= 2) {
            continue;
        }
        if vocabulary.has_word(&token.plain) {
            standing += 1;
        } else if spoken() {
            standing += 1;
            firm = true;
        } else {
            absent += 1;
            first_absent = first_absent.or(Some(token));
        }
    }
    if standing == 0 && absent == 0 {
        // Only function words (`he/him`) or only marks: nothing to paraphrase, so all of it must stand.
        let spoken = |token: &Token<'_>| {
            vocabulary.near(&token.plain, usize::MAX).any(|(word, _)| word.plain == token.plain)
        };
        let all = match words {
            0 => quotes.has_run(&run(0, tokens.len())),
            _ => tokens.iter().filter(|token| token.kind == Kind::Word).all(spoken),
        };
        return (!all).then(|| Ungrounded { piece: Piece::Words, text: text.to_owned() });
    }
    // Of everything that carries content a third must stand; numbers, dates and names that stand count as such. And a
    // value retells its quote: one of which not even most stands, and that has as much to say as the whole quote, took
    // its words from elsewhere.
    let offered = || quotes.list.iter().map(Quote::content_words).sum::<usize>();
    let retells = absent == 0 || absent < standing || standing + absent < offered() + usize::from(firm);
    (standing == 0 || standing * 2 < absent || !retells).then(|| Ungrounded {
        piece: Piece::Words,
        text: first_absent.map_or(text, |token| token.text).to_owned(),
    })
}
