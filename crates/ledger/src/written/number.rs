//! Numbers as people write them: grouped digits, scales, percentages, money, and number words.

use crate::value::{Decimal, Quantity, UNIT_BYTES_MAX, ValueError, ValueType};

use super::token::{Kind, Token, Tokens};

/// The longest chain of digit groups looked at as one number; longer ones are no number.
const GROUPS_MAX: usize = 24;

/// One number in a text, over the tokens `from..to`.
#[derive(Debug, Clone)]
pub(crate) struct NumberMention {
    /// What it may mean, likeliest first. Empty for digits that are a code, not a number: `3.12.1`.
    pub(crate) readings: Vec<Quantity>,
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Where the number itself ends, before its unit.
    number_to: usize,
    pub(crate) in_words: bool,
}

/// Every number outside the hidden token ranges, which are sorted and hold dates and times.
pub(crate) fn scan(tokens: &Tokens<'_>, hidden: &[(usize, usize)]) -> Vec<NumberMention> {
    let mut found = Vec::new();
    let mut hidden = hidden.iter().peekable();
    let mut index = 0;
    while index < tokens.len() {
        while hidden.peek().is_some_and(|range| range.1 <= index) {
            hidden.next();
        }
        if let Some(range) = hidden.peek().filter(|range| range.0 <= index) {
            index = range.1;
            continue;
        }
        index = at(tokens, index, &mut found).unwrap_or(index + 1);
    }
    found
}

/// Reads the number that starts at a token and answers where the next one may start.
fn at(tokens: &Tokens<'_>, index: usize, found: &mut Vec<NumberMention>) -> Option<usize> {
    if tokens.digits(index).is_some() {
        let (pieces, next) = digits(tokens, index);
        for (from, to, readings) in pieces {
            found.push(with_unit(tokens, from, to, readings, false));
        }
        return Some(next);
    }
    let (number, next) = words(tokens, index)?;
    found.push(with_unit(tokens, index, next, vec![Decimal::from(number)], true));
    Some(next)
}

/// The number word or words at a token, in whichever language the text may be in: value and next token.
pub(crate) fn words(tokens: &Tokens<'_>, index: usize) -> Option<(u64, usize)> {
    let english = if tokens.english { in_words(tokens, index, &ENGLISH) } else { None };
    let croatian = if tokens.croatian { in_words(tokens, index, &CROATIAN) } else { None };
    match (english, croatian) {
        (Some(english), Some(croatian)) => Some(if croatian.1 > english.1 { croatian } else { english }),
        (english, croatian) => english.or(croatian),
    }
}

/// Whether the plain form of a number has the shape in which some write thousands: `1.250`.
pub(crate) fn is_ambiguous(written: &str) -> bool {
    let unsigned = written.strip_prefix('-').unwrap_or(written);
    unsigned.split_once('.').is_some_and(|(whole, fraction)| {
        fraction.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0')
    })
}

/// Reads a whole string as one number with an optional unit.
pub(crate) fn read(written: &str) -> Result<Quantity, ValueError> {
    let unreadable = || ValueError::Unreadable { value_type: ValueType::Number, written: written.to_owned() };
    let tokens = Tokens::of(written);
    let found = scan(&tokens, &[]);
    // A chain joined by plain spaces is listed joined first, so the first mention is the longest.
    let mention = found.first().filter(|mention| mention.from == 0).ok_or_else(unreadable)?;
    let first = mention.readings.first().ok_or_else(unreadable)?;
    if let Some(second) = mention.readings.get(1) {
        let dotted = written[..tokens.span(0, mention.number_to).1].contains('.');
        if dotted {
            return Err(ValueError::Ambiguous {
                written: written.to_owned(),
                first: first.to_string(),
                second: second.to_string(),
            });
        }
    }
    let rest = &written[tokens.span(0, mention.to).1..];
    if rest.chars().any(|c| c.is_numeric()) || found.iter().any(|other| other.from >= mention.to) {
        return Err(unreadable());
    }
    let rest = rest.trim_end_matches(|c: char| c.is_whitespace() || c == '.').to_lowercase();
    let rest = rest.split_whitespace().fold(String::new(), |joined, word| {
        if joined.is_empty() && !rest.starts_with(char::is_whitespace) {
            word.to_owned()
        } else {
            joined + " " + word
        }
    });
    let unit = match &first.unit {
        Some(unit) => format!("{unit}{rest}"),
        None => rest.trim().to_owned(),
    };
    let sound = |c: char| {
        c.is_alphabetic() || matches!(c, ' ' | '/' | '.' | '-' | '%' | '°' | '²' | '³' | '\'' | '’')
    };
    let starts_well = unit.starts_with(|c: char| c.is_alphabetic() || matches!(c, '%' | '°'));
    if unit.len() > UNIT_BYTES_MAX || !unit.chars().all(sound) || !(unit.is_empty() || starts_well) {
        return Err(unreadable());
    }
    Ok(Quantity { number: first.number.clone(), unit: Some(unit).filter(|unit| !unit.is_empty()) })
}

/// The known unit a token is, apart from any number.
pub(crate) fn unit_at(tokens: &Tokens<'_>, index: usize) -> Option<&'static str> {
    unit(tokens, index).map(|(unit, _)| unit).or_else(|| tokens.get(index).and_then(currency_before))
}

/// Whether a unit is one whose meaning is known, so that another known unit is another quantity.
pub(crate) fn known_unit(unit: &str) -> Option<&str> {
    let end = unit.find(|c: char| !c.is_alphabetic()).unwrap_or(unit.len());
    let first = if unit.starts_with('%') { "%" } else { &unit[..end] };
    (is_currency(first) || MEASURES.contains(&first)).then_some(first)
}

type Piece = (usize, usize, Vec<Decimal>);

/// The chain of digit groups that starts at a token: the numbers it may be, and the token after it.
fn digits(tokens: &Tokens<'_>, index: usize) -> (Vec<Piece>, usize) {
    let mut groups: Vec<(usize, &str)> = vec![(index, tokens.digits(index).unwrap_or_default())];
    let mut marks: Vec<char> = Vec::new();
    let mut hard_space = false;
    let mut at = index + 1;
    loop {
        let mark = tokens.get(at).filter(|token| token.kind == Kind::Mark && tokens.is_glued(at));
        let mark =
            mark.and_then(|token| token.text.chars().next()).filter(|c| matches!(c, '.' | ',' | '\'' | '’'));
        if let (Some(mark), Some(group)) = (mark, tokens.digits(at + 1).filter(|_| tokens.is_glued(at + 1))) {
            groups.push((at + 1, group));
            marks.push(if mark == '’' { '\'' } else { mark });
            at += 2;
            continue;
        }
        let gap = tokens
            .before(at)
            .zip(tokens.get(at))
            .map(|(before, token)| &tokens.text[before.end()..token.start]);
        let space = gap
            .filter(|gap| gap.chars().count() == 1 && gap.chars().all(char::is_whitespace) && *gap != "\n");
        let group = tokens.digits(at).filter(|group| group.len() == 3);
        let thousands =
            groups[0].1.len() <= 3 && marks.iter().all(|&mark| mark == ' ') && !groups[0].1.starts_with('0');
        match (space, group) {
            (Some(space), Some(group)) if thousands => {
                hard_space |= space != " ";
                groups.push((at, group));
                marks.push(' ');
                at += 1;
            }
            _ => break,
        }
    }
    let mut pieces = Vec::new();
    if groups.len() > GROUPS_MAX {
        return (vec![(index, at, Vec::new())], at);
    }
    interpret(&groups, &marks, &mut pieces);
    if marks.first() == Some(&' ') && !hard_space {
        // `5 200` may also be two numbers; a quote then shows all three.
        let split = marks.iter().take_while(|&&mark| mark == ' ').count();
        for start in 0..=split {
            let end = if start == split { groups.len() } else { start + 1 };
            interpret(&groups[start..end], &marks[start..end - 1], &mut pieces);
        }
    }
    (pieces, at)
}

/// What a chain of digit groups and the marks between them may mean.
fn interpret(groups: &[(usize, &str)], marks: &[char], pieces: &mut Vec<Piece>) {
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else { return };
    let (from, to) = (first.0, last.0 + 1);
    let decimal = |whole: &str, fraction: &str| Decimal::from_parts(false, whole, fraction, 0).ok();
    let joined = |groups: &[(usize, &str)]| groups.iter().map(|group| group.1).collect::<String>();
    let leads = (1..=3).contains(&first.1.len()) && !first.1.starts_with('0');
    let grouped = |groups: &[(usize, &str)]| leads && groups.iter().skip(1).all(|group| group.1.len() == 3);
    let readings: Vec<Decimal> = match marks {
        [] => decimal(first.1, "").into_iter().collect(),
        ['.' | ','] if grouped(groups) => {
            decimal(&joined(groups), "").into_iter().chain(decimal(first.1, last.1)).collect()
        }
        ['.' | ','] => decimal(first.1, last.1).into_iter().collect(),
        [mark, rest @ ..] if rest.iter().all(|other| other == mark) && grouped(groups) => {
            decimal(&joined(groups), "").into_iter().collect()
        }
        [mark, middle @ .., point @ ('.' | ',')]
            if point != mark
                && middle.iter().all(|other| other == mark)
                && grouped(&groups[..groups.len() - 1]) =>
        {
            decimal(&joined(&groups[..groups.len() - 1]), last.1).into_iter().collect()
        }
        _ => Vec::new(),
    };
    // `1,2,3` and `1.5,2.5` are lists.
    if readings.is_empty() && marks.iter().all(|&mark| mark == ',') {
        pieces.extend(groups.iter().filter_map(|&(at, group)| Some((at, at + 1, vec![decimal(group, "")?]))));
        return;
    }
    if let (true, Some(comma)) =
        (readings.is_empty(), marks.iter().position(|&mark| matches!(mark, ',' | '\'')))
    {
        interpret(&groups[..=comma], &marks[..comma], pieces);
        interpret(&groups[comma + 1..], &marks[comma + 1..], pieces);
        return;
    }
    pieces.push((from, to, readings));
}

/// Adds sign, scale and unit to the number over `from..to`.
fn with_unit(
    tokens: &Tokens<'_>,
    from: usize,
    to: usize,
    readings: Vec<Decimal>,
    in_words: bool,
) -> NumberMention {
    let mut start = from;
    let mut end = to;
    let mut numbers = readings;
    if !in_words && is_minus(tokens, from) {
        numbers = numbers.iter().map(Decimal::negated).collect();
        start -= 1;
    } else if !in_words && start > 0 && tokens.mark(start - 1, '+') && tokens.is_glued(start) {
        start -= 1;
    }
    if let Some((places, next)) = scale(tokens, end, start) {
        numbers = numbers.iter().filter_map(|number| number.shifted(places).ok()).collect();
        end = next;
    }
    let number_to = end;
    let mut unit = unit(tokens, end).map(|(unit, next)| {
        end = next;
        unit
    });
    if unit.is_none()
        && let Some(currency) = tokens.before(start).and_then(currency_before)
    {
        unit = Some(currency);
        start -= 1;
    }
    let money = unit.is_some_and(is_currency);
    let keep = if money { 1 } else { numbers.len() };
    let readings = numbers
        .into_iter()
        .take(keep)
        .map(|number| Quantity { number, unit: unit.map(str::to_owned) })
        .collect();
    NumberMention { readings, from: start, to: end, number_to, in_words }
}

/// A minus directly before digits, and not a hyphen or a range: nothing clings to its other side.
fn is_minus(tokens: &Tokens<'_>, index: usize) -> bool {
    let Some(minus) = index.checked_sub(1) else { return false };
    if !tokens.is_glued(index) || !(tokens.mark(minus, '-') || tokens.mark(minus, '−')) {
        return false;
    }
    let clings = |token: &Token<'_>| {
        token.kind != Kind::Mark || matches!(token.text, ")" | "]" | "-" | "%" | "." | ",")
    };
    !(tokens.is_glued(minus) && tokens.before(minus).is_some_and(clings))
}

/// A scale after a number: how many places it moves the point, and the token after it.
fn scale(tokens: &Tokens<'_>, index: usize, from: usize) -> Option<(i32, usize)> {
    let token = tokens.get(index).filter(|token| token.kind == Kind::Word)?;
    let glued = tokens.is_glued(index);
    let money = tokens.before(from).and_then(currency_before).is_some();
    let places = match (&*token.plain, token.text) {
        ("k", _) if glued => 3,
        (_, "M") => 6,
        ("m", _) if glued && money => 6,
        (_, "B") if glued => 9,
        ("thousand" | "tis" | "tisuca" | "tisuce" | "tisucu" | "hiljada" | "hiljade" | "hiljadu", _) => 3,
        (
            "million" | "millions" | "mil" | "mio" | "mln" | "mn" | "milijun" | "milijuna" | "milijuni"
            | "milion" | "miliona",
            _,
        ) => 6,
        (
            "billion" | "billions" | "bn" | "milijarda" | "milijarde" | "milijardi" | "milijardu" | "mlrd",
            _,
        ) => 9,
        _ => return None,
    };
    // An abbreviation's full stop belongs to it when more follows: `5 mil. eura`.
    let abbreviated = matches!(&*token.plain, "tis" | "mil" | "mio" | "mln" | "mlrd");
    let stop = abbreviated && tokens.mark(index + 1, '.') && tokens.is_glued(index + 1);
    Some((places, if stop && tokens.word(index + 2).is_some() { index + 2 } else { index + 1 }))
}

fn unit(tokens: &Tokens<'_>, index: usize) -> Option<(&'static str, usize)> {
    // `a 90-minute walk`: the hyphen joins the number to its measure.
    let at =
        index + usize::from(tokens.mark(index, '-') && tokens.is_glued(index) && tokens.is_glued(index + 1));
    let token = tokens.get(at)?;
    if token.kind == Kind::Mark {
        let unit = match token.text {
            "%" => "%",
            _ => currency_sign(token.text)?,
        };
        return Some((unit, at + 1));
    }
    if token.plain == "per" && tokens.word(at + 1) == Some("cent") {
        return Some(("%", at + 2));
    }
    if let Some(currency) = currency_code(token.text) {
        return Some((currency, at + 1));
    }
    let unit = match &*token.plain {
        "eur" | "euro" | "euros" | "eura" | "euri" | "eurima" | "euru" => "EUR",
        "usd" | "dollar" | "dollars" | "dolar" | "dolara" | "dolari" | "bucks" => "USD",
        "gbp" | "quid" => "GBP",
        "hrk" | "kn" | "kuna" | "kune" | "kunu" => "HRK",
        "chf" | "franak" | "franka" | "franaka" | "francs" => "CHF",
        "jpy" | "yen" | "jena" => "JPY",
        "percent" | "posto" | "pct" => "%",
        "kg" | "kilogram" | "kilograms" | "kilograma" | "kila" | "kilo" | "kilos" => "kg",
        "g" | "gram" | "grams" | "grama" => "g",
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" | "kilometar" | "kilometra"
        | "kilometara" => "km",
        "m" | "meter" | "meters" | "metre" | "metres" | "metar" | "metra" | "metara" => "m",
        "cm" | "centimeters" | "centimetres" | "centimetar" | "centimetra" | "centimetara" => "cm",
        "mm" => "mm",
        "l" | "liter" | "liters" | "litre" | "litres" | "litra" | "litara" | "litru" => "l",
        "h" | "hr" | "hrs" | "hour" | "hours" | "sat" | "sata" | "sati" => "hours",
        "min" | "mins" | "minute" | "minutes" | "minuta" | "minuti" | "minutu" => "minutes",
        "sec" | "second" | "seconds" | "sekunda" | "sekunde" | "sekundi" | "sekundu" => "seconds",
        "day" | "days" | "dan" | "dana" | "dani" => "days",
        "week" | "weeks" | "tjedan" | "tjedna" | "tjedana" | "tjedni" => "weeks",
        "month" | "months" | "mjesec" | "mjeseca" | "mjeseci" => "months",
        "year" | "years" | "godina" | "godine" | "godinu" => "years",
        "mb" => "MB",
        "gb" => "GB",
        "tb" => "TB",
        _ => return None,
    };
    Some((unit, at + 1))
}

/// A currency that stands before its number, as a sign or a code.
fn currency_before(token: &Token<'_>) -> Option<&'static str> {
    if token.kind == Kind::Mark { currency_sign(token.text) } else { currency_code(token.text) }
}

fn currency_sign(text: &str) -> Option<&'static str> {
    match text {
        "€" => Some("EUR"),
        "$" => Some("USD"),
        "£" => Some("GBP"),
        "¥" => Some("JPY"),
        "₹" => Some("INR"),
        _ => None,
    }
}

/// A code in capitals only: `try` and `all` are words.
fn currency_code(text: &str) -> Option<&'static str> {
    CURRENCIES.iter().copied().find(|&code| code == text)
}

fn is_currency(unit: &str) -> bool {
    CURRENCIES.contains(&unit)
}

const CURRENCIES: &[&str] = &[
    "EUR", "USD", "GBP", "HRK", "CHF", "JPY", "AUD", "CAD", "NZD", "CNY", "INR", "SEK", "NOK", "DKK", "PLN",
    "CZK", "HUF", "RON", "BGN", "BAM", "RSD", "MKD", "TRY", "RUB", "UAH", "BRL", "MXN", "ZAR", "SGD", "HKD",
    "KRW", "ILS", "AED", "SAR", "THB", "ISK",
];

const MEASURES: &[&str] = &[
    "%", "kg", "g", "km", "m", "cm", "mm", "l", "hours", "minutes", "seconds", "days", "weeks", "months",
    "years", "MB", "GB", "TB",
];

/// The number words of one language, by plain form.
struct Language {
    /// 0 to 19.
    small: fn(&Token<'_>) -> Option<u64>,
    /// 20, 30 … 90.
    tens: fn(&str) -> Option<u64>,
    /// One word for hundreds: `dvjesto`, `stotinu`.
    hundreds: fn(&Token<'_>) -> Option<u64>,
    /// The word that multiplies by a hundred.
    hundred: fn(&str) -> bool,
    thousand: fn(&str) -> bool,
    /// A lone `tisuću` is a thousand; a lone `thousand` is only `a thousand`.
    article: Option<&'static str>,
    and: &'static str,
}

static ENGLISH: Language = Language {
    small: |token| {
        Some(match &*token.plain {
            "zero" => 0,
            "one" => 1,
            "two" => 2,
            "three" => 3,
            "four" => 4,
            "five" => 5,
            "six" => 6,
            "seven" => 7,
            "eight" => 8,
            "nine" => 9,
            "ten" => 10,
            "eleven" => 11,
            "twelve" => 12,
            "thirteen" => 13,
            "fourteen" => 14,
            "fifteen" => 15,
            "sixteen" => 16,
            "seventeen" => 17,
            "eighteen" => 18,
            "nineteen" => 19,
            _ => return None,
        })
    },
    tens: |word| {
        Some(match word {
            "twenty" => 20,
            "thirty" => 30,
            "forty" | "fourty" => 40,
            "fifty" => 50,
            "sixty" => 60,
            "seventy" => 70,
            "eighty" => 80,
            "ninety" => 90,
            _ => return None,
        })
    },
    hundreds: |_| None,
    hundred: |word| word == "hundred",
    thousand: |word| word == "thousand",
    article: Some("a"),
    and: "and",
};

static CROATIAN: Language = Language {
    small: |token| {
        Some(match &*token.plain {
            "nula" | "nulu" => 0,
            "jedan" | "jedna" | "jedno" | "jednu" | "jednog" | "jednoga" | "jednom" | "jednoj" | "jedne"
            | "jednim" => 1,
            "dva" | "dvije" | "dviju" | "dvaju" | "dvama" | "dvjema" | "dvoje" | "dvojica" | "dvojice" => 2,
            "tri" | "triju" | "trima" | "troje" | "trojica" | "trojice" => 3,
            "cetiri" | "cetiriju" | "cetirima" | "cetvero" => 4,
            "pet" | "petero" => 5,
            "sest" | "sestero" => 6,
            "sedam" | "sedmero" => 7,
            "osam" | "osmero" => 8,
            "devet" | "devetero" => 9,
            "deset" | "desetero" => 10,
            "jedanaest" => 11,
            "dvanaest" => 12,
            "trinaest" => 13,
            "cetrnaest" => 14,
            "petnaest" => 15,
            "sesnaest" => 16,
            "sedamnaest" => 17,
            "osamnaest" => 18,
            "devetnaest" => 19,
            _ => return None,
        })
    },
    tens: |word| {
        Some(match word {
            "dvadeset" => 20,
            "trideset" => 30,
            "cetrdeset" => 40,
            "pedeset" => 50,
            "sezdeset" => 60,
            "sedamdeset" => 70,
            "osamdeset" => 80,
            "devedeset" => 90,
            _ => return None,
        })
    },
    hundreds: |token| {
        // `što` (what) is not `sto` (a hundred), although it is so without its mark.
        if !token.text.is_ascii() && token.plain == "sto" {
            return None;
        }
        Some(match &*token.plain {
            "sto" | "stotinu" | "stotina" => 100,
            "dvjesto" | "dvjesta" | "dvesto" => 200,
            "tristo" | "trista" => 300,
            "cetiristo" | "cetristo" => 400,
            "petsto" => 500,
            "seststo" | "sesto" => 600,
            "sedamsto" => 700,
            "osamsto" => 800,
            "devetsto" => 900,
            _ => return None,
        })
    },
    hundred: |word| matches!(word, "stotine" | "stotina" | "stotinu" | "sto"),
    thousand: |word| {
        matches!(
            word,
            "tisucu" | "tisuca" | "tisuce" | "tisuci" | "hiljadu" | "hiljada" | "hiljade" | "hiljadi"
        )
    },
    article: None,
    and: "i",
};

fn in_words(tokens: &Tokens<'_>, index: usize, language: &Language) -> Option<(u64, usize)> {
    let word = tokens.word(index)?;
    // `a hundred`, `a thousand`; the article alone is no number.
    if Some(word) == language.article {
        let next = tokens.word(index + 1)?;
        return match ((language.hundred)(next), (language.thousand)(next)) {
            (true, _) => {
                let (rest, next) =
                    after_and(tokens, index + 2, language, below_hundred).unwrap_or((0, index + 2));
                Some(thousands(tokens, 100 + rest, next, language))
            }
            (_, true) => Some(thousands(tokens, 1, index + 1, language)),
            _ => None,
        };
    }
    if language.article.is_none() && (language.thousand)(word) {
        return Some(thousands(tokens, 1, index, language));
    }
    let (group, next) = below_thousand(tokens, index, language)?;
    Some(thousands(tokens, group, next, language))
}

/// A group, times a thousand with the rest added when the word for it follows.
fn thousands(tokens: &Tokens<'_>, group: u64, next: usize, language: &Language) -> (u64, usize) {
    if group == 0 || !tokens.word(next).is_some_and(language.thousand) {
        return (group, next);
    }
    match after_and(tokens, next + 1, language, below_thousand) {
        Some((rest, next)) => (group * 1_000 + rest, next),
        None => (group * 1_000, next + 1),
    }
}

type Group = fn(&Tokens<'_>, usize, &Language) -> Option<(u64, usize)>;

fn after_and(tokens: &Tokens<'_>, index: usize, language: &Language, group: Group) -> Option<(u64, usize)> {
    let and = usize::from(tokens.word(index) == Some(language.and));
    group(tokens, index + and, language).filter(|&(number, _)| number > 0)
}

fn below_thousand(tokens: &Tokens<'_>, index: usize, language: &Language) -> Option<(u64, usize)> {
    if let Some(hundreds) =
        tokens.get(index).filter(|token| token.kind == Kind::Word).and_then(language.hundreds)
    {
        let rest = after_and(tokens, index + 1, language, below_hundred);
        return Some(rest.map_or((hundreds, index + 1), |(rest, next)| (hundreds + rest, next)));
    }
    let (number, next) = below_hundred(tokens, index, language)?;
    if !(1..=9).contains(&number) || !tokens.word(next).is_some_and(language.hundred) {
        return Some((number, next));
    }
    let rest = after_and(tokens, next + 1, language, below_hundred);
    Some(rest.map_or((number * 100, next + 1), |(rest, next)| (number * 100 + rest, next)))
}

fn below_hundred(tokens: &Tokens<'_>, index: usize, language: &Language) -> Option<(u64, usize)> {
    let token = tokens.get(index).filter(|token| token.kind == Kind::Word)?;
    if let Some(small) = (language.small)(token) {
        return Some((small, index + 1));
    }
    let unit_at = |index: usize| {
        let token = tokens.get(index).filter(|token| token.kind == Kind::Word)?;
        (language.small)(token).filter(|unit| (1..=9).contains(unit))
    };
    if let Some(tens) = (language.tens)(&token.plain) {
        let hyphen = tokens.mark(index + 1, '-') && tokens.is_glued(index + 1) && tokens.is_glued(index + 2);
        let joined = hyphen || (language.article.is_none() && tokens.word(index + 1) == Some(language.and));
        let at = index + 1 + usize::from(joined);
        return Some(unit_at(at).map_or((tens, index + 1), |unit| (tens + unit, at + 1)));
    }
    // Written as one word: `dvadesetpet`, `twentyfive`.
    let end =
        token.plain.find("deset").map(|at| at + 5).or_else(|| token.plain.find("ty").map(|at| at + 2))?;
    let tens = (language.tens)(token.plain.get(..end)?)?;
    let unit = Token {
        text: token.text,
        start: token.start,
        kind: Kind::Word,
        plain: token.plain.get(end..)?.into(),
    };
    let unit = (language.small)(&unit).filter(|unit| (1..=9).contains(unit))?;
    Some((tens + unit, index + 1))
}
