//! One pattern of `rules/1`, and how the value is taken from the words after it.

use std::sync::{LazyLock, OnceLock};

use jiff::ZonedDateTime;
use regex::{Captures, Regex};

use super::Op;
use super::clause::pattern;
use super::fold::{Folded, fold};
use super::name::{self, Case};
use super::when::{self, TimeWritten};

/// A pattern and what its match means.
pub(super) struct Rule {
    pub(super) predicate: &'static str,
    pub(super) op: Op,
    /// As it is written; matched at the start of a clause.
    pub(super) written: String,
    /// Made when the clause first looks like it: most patterns are never needed in a process.
    pattern: OnceLock<Regex>,
    pub(super) take: Take,
    pub(super) confidence: f32,
    /// A later rule may speak about the same clause too.
    pub(super) also: bool,
    /// Only with "anymore" in the clause where the pattern itself does not say "no longer".
    pub(super) ended: bool,
}

/// How a value is taken: from the words after the match, unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// The group `v`.
    Group,
    /// The group `v` up to where an aside begins.
    Clause,
    /// The whole match up to where an aside begins.
    Whole,
    /// Free words up to where an aside begins.
    Text,
    /// One or more things, joined by "and".
    List,
    /// The group `v`, a place.
    GroupCity,
    /// What is liked: free words, but not "the idea you gave me".
    Liking,
    /// What is used: a name, or one word.
    Tool,
    /// What is worked on: free words that tell more than "a project".
    Work,
    /// What must not be done: free words that begin with a verb.
    Order,
    /// A food not eaten: `no` and the words.
    NoFood,
    /// A way of eating we know.
    Diet,
    /// An occupation we know, at the end of up to four words.
    Role,
    /// Up to four words, in a place where only an occupation stands.
    RoleFree,
    /// An organisation, where the match itself names an occupation we know.
    RoleOrganisation,
    /// A capitalised name of an organisation.
    Organisation(Case),
    /// The same without an article: "I joined the Writers" names no employer.
    Employer(Case),
    /// A place: capitalised, or known.
    City(Case),
    /// A person's name.
    Person(Case),
    /// A capitalised name of a person, where nothing between says that one follows.
    Named,
    /// The author's own first name after "I'm": only one we know, and nothing after it.
    OwnName,
    /// The group `v`, a person's name.
    GroupPerson,
    /// A capitalised thing.
    Thing,
    /// A capitalised thing in a case.
    ThingIn(Case),
    /// One language.
    Language,
    /// One or more languages.
    Languages,
    /// A time of day; a bare hour of one to seven is read as the evening's where that is meant.
    Time { evening: bool },
    /// A calendar date.
    Date { year_needed: bool },
    /// An amount with its currency.
    Money,
    /// A time zone by name or offset.
    Zone,
    /// A folder, drawer or other place for things.
    Folder,
}

/// What a match says.
pub(super) struct Taken {
    /// None for the author.
    pub(super) entity: Option<String>,
    pub(super) values: Vec<String>,
    /// Where the words end, in folded bytes of the clause.
    pub(super) end: usize,
}

pub(super) fn assert(predicate: &'static str, regex: &str, take: Take) -> Rule {
    Rule {
        predicate,
        op: Op::Assert,
        written: regex.to_owned(),
        pattern: OnceLock::new(),
        take,
        confidence: 0.8,
        also: false,
        ended: false,
    }
}

pub(super) fn retract(predicate: &'static str, regex: &str, take: Take) -> Rule {
    Rule { op: Op::Retract, confidence: 0.9, ..assert(predicate, regex, take) }
}

/// Predicates whose statements are meant to last.
const STANDING: [&str; 5] =
    ["language", "communication_style", "no_meetings_before", "no_meetings_after", "never_do"];

static EXPERIENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:lived|worked)\b"));

/// Words that bound a statement to one occasion.
static ONCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:today|tonight|tomorrow|this (?:week|month|time|once|one)|next week|for now|just once|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)$|",
        r"danas|veceras|sutra|ovaj (?:put|tjedan|mjesec)|iduci tjedan|sljedeci tjedan|zasad|za sada|samo sad)\b"
    ))
});

impl Rule {
    pub(super) fn sure(self, confidence: f32) -> Self {
        Self { confidence, ..self }
    }

    pub(super) fn also(self) -> Self {
        Self { also: true, ..self }
    }

    pub(super) fn ended(self) -> Self {
        Self { ended: true, ..self }
    }

    fn regex(&self) -> &Regex {
        self.pattern.get_or_init(|| pattern(&self.written))
    }

    /// Whether a clause begins as this rule's statements do.
    #[cfg(test)]
    pub(super) fn begins(&self, clause: &str) -> bool {
        self.regex().is_match(clause)
    }

    /// Tries the rule at a place of a clause. `limit` is where an interval said behind it begins, else the clause's end.
    pub(super) fn take(
        &self,
        clause: &Folded<'_>,
        start: usize,
        limit: usize,
        appositive: bool,
        anchor: &ZonedDateTime,
    ) -> Option<Taken> {
        static ANYMORE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:any ?more|any longer)\b"));
        let text = clause.text.get(start..)?;
        let found = self.regex().captures(text)?;
        let matched = start + found.get(0)?.end();
        let long_said = found.get(0)?.as_str().contains("no longer");
        let anymore = ANYMORE.find(text);
        if self.ended && !long_said && anymore.is_none() {
            return None;
        }
        let rest = clause.text.get(matched..).unwrap_or_default();
        // "I've lived in Dublin since May" is where someone lives; "I've lived in Rome" is where they have been.
        let experience = EXPERIENCE.is_match(found.get(0)?.as_str());
        if experience && !rest.contains(" since ") && !rest.contains(" for ") {
            return None;
        }
        // "No meetings before 9 tomorrow" is for tomorrow only.
        if STANDING.contains(&self.predicate) && ONCE.is_match(rest) {
            return None;
        }
        let entity = entity(clause, start, &found)?;
        let at = Words { clause, start, matched, limit: limit.max(matched), appositive, anchor };
        let (values, mut end) = at.values(self.take, &found)?;
        // "I don't work at Acme anymore" is only whole with its last word.
        if let (Op::Retract, Some(word)) = (self.op, anymore) {
            let word_end = start + word.end();
            if word_end > end && word_end - end < 16 {
                end = word_end;
            }
        }
        Some(Taken { entity, values, end })
    }
}

/// The entity a match names: a project by group `p` or `q`, a thing by group `e`; else the author. None: not a name.
#[allow(clippy::option_option)] // refused, the author, another entity
fn entity(clause: &Folded<'_>, start: usize, found: &Captures<'_>) -> Option<Option<String>> {
    const NO_PROJECT: &str = "the this that my our a an whole new old is was manager management plan work current next first last same other his her their each every ovaj taj moj nas";
    for (group, capital_needed) in [("p", false), ("q", true)] {
        let Some(word) = found.name(group) else { continue };
        let written = clause.words(start + word.start(), start + word.end());
        let capital = written.chars().next().is_some_and(char::is_uppercase);
        if NO_PROJECT.split(' ').any(|other| other == word.as_str()) || capital_needed && !capital {
            return None;
        }
        return Some(Some(format!("project:{}", slug(written))));
    }
    if let Some(thing) = found.name("e") {
        let first = thing.as_str().split(' ').next().unwrap_or_default();
        if is_vague(first) {
            return None;
        }
        return Some(Some(slug(clause.words(start + thing.start(), start + thing.end()))));
    }
    Some(None)
}

/// A name as an entity's slug: lower case, words joined by `-`.
pub(super) fn slug(name: &str) -> String {
    let parts: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_lowercase)
        .collect();
    parts.join("-")
}

/// Words that point instead of naming: a value that begins with one says nothing by itself.
pub(super) fn is_vague(word: &str) -> bool {
    const VAGUE: &str = "it it's this that these those them him her you me us there here such something anything nothing everything everyone one ones what when where how why who which to \
        being having just not no so very too better best second first third former latter latest last other others another same all both many much enough your his their its \
        think say know see working \
        to ta taj tu te ti ove ovo ova ovaj ovu toga tome tom tim njega nju njih ga je ih ju mu joj nesto nista sve svi svaki drugu drugi drugo drugu prvu prvi prvo trecu tebe vas kad kada kako sto da gdje \
        ono onaj onu puno dovoljno malo rano tvoj tvoje tvoju vase zivce";
    VAGUE.split_whitespace().any(|other| other == word.trim_end_matches(['.', ',', '!']))
}

/// Whether free words only point: "it", "the second one".
fn points(value: &str) -> bool {
    let folded = fold(value);
    let mut words = folded.split(' ').filter(|word| !matches!(*word, "the" | "a" | "an"));
    // "men like him" says nothing to a reader who does not know him.
    let last = folded.rsplit(' ').next().unwrap_or_default();
    let hanging = matches!(
        last,
        "it" | "this"
            | "that"
            | "him"
            | "her"
            | "them"
            | "these"
            | "those"
            | "of"
            | "having"
            | "being"
            | "njega"
            | "nje"
            | "njih"
            | "toga"
            | "tome"
            | "ovo"
    );
    hanging || words.next().is_none_or(is_vague)
}

/// The words around a match.
struct Words<'a, 'b> {
    clause: &'a Folded<'b>,
    start: usize,
    matched: usize,
    limit: usize,
    appositive: bool,
    anchor: &'a ZonedDateTime,
}

impl Words<'_, '_> {
    fn values(&self, take: Take, found: &Captures<'_>) -> Option<(Vec<String>, usize)> {
        let one = |(value, end): (String, usize)| (vec![value], end);
        match take {
            Take::Group => {
                let group = found.name("v")?;
                let end = self.start + group.end();
                Some(one((self.written(self.start + group.start(), end)?, self.matched.max(end))))
            }
            Take::Clause => {
                let group = found.name("v")?;
                let from = self.start + group.start();
                let (value, end) = self.free(from)?;
                let topic = value.starts_with("learn about") || value.starts_with("learn more");
                let vague_object =
                    group.as_str().split(' ').nth(1).is_some_and(|word| is_vague(word) && word != "to");
                let third = value.split(' ').nth(2).map(fold);
                let vague_third = third
                    .is_some_and(|word| word == "zivce" || value.split(' ').count() == 3 && is_vague(&word));
                (!topic && !vague_object && !vague_third && value.contains(' ')).then(|| one((value, end)))
            }
            Take::Whole => self.free(self.start).map(one),
            Take::Text => {
                let (value, end) = self.free(self.matched)?;
                (!points(&value)).then(|| one((value, end)))
            }
            Take::List => {
                let (value, end) = self.free(self.matched)?;
                if points(&value) {
                    return None;
                }
                let parts: Vec<String> =
                    value.replace(" i ", " and ").split(" and ").map(str::to_owned).collect();
                let short = parts.iter().all(|part| !part.is_empty() && part.split(' ').count() <= 3);
                Some((if short && parts.len() <= 4 { parts } else { vec![value] }, end))
            }
            Take::GroupCity => {
                let group = found.name("v")?;
                let written = self.clause.words(self.start + group.start(), self.start + group.end());
                let capital = name::proper_noun(written, 2) == Some(written.len());
                (capital || name::place(written).is_some())
                    .then(|| one((name::capitalised(written), self.matched)))
            }
            Take::Liking => {
                let (value, end) = self.free(self.matched)?;
                let named =
                    value.strip_prefix("the ").is_none_or(|rest| rest.starts_with(char::is_uppercase));
                let offered = fold(&value).split(' ').any(|word| {
                    matches!(
                        word,
                        "idea"
                            | "ideas"
                            | "option"
                            | "options"
                            | "suggestion"
                            | "suggestions"
                            | "ideju"
                            | "ideja"
                            | "prijedlog"
                    )
                });
                (named && !offered && !points(&value)).then(|| one((value, end)))
            }
            Take::Tool => {
                let (value, end) = self.free(self.matched)?;
                let mut words = value.split(' ').filter(|word| !matches!(*word, "a" | "an" | "the"));
                let first = words.next()?;
                let named =
                    first.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()) || !value.contains(' ');
                (named && first != "I" && !points(&value)).then(|| one((value, end)))
            }
            Take::Work => {
                let (value, end) = self.free(self.matched)?;
                let folded = fold(&value);
                let bare = [
                    "a project",
                    "a new project",
                    "a task",
                    "an issue",
                    "a problem",
                    "a bug",
                    "projektu koji",
                    "nekom projektu",
                    "zadatku",
                ]
                .iter()
                .any(|start| {
                    folded.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
                });
                (!bare && !points(&value)).then(|| one((value, end)))
            }
            Take::Order => self.order().map(one),
            Take::NoFood => {
                let (value, end) = self.free(self.matched)?;
                let first = fold(value.split(' ').next().unwrap_or_default());
                let idle = matches!(
                    first.as_str(),
                    "out"
                        | "breakfast"
                        | "lunch"
                        | "dinner"
                        | "before"
                        | "after"
                        | "at"
                        | "in"
                        | "on"
                        | "until"
                        | "well"
                        | "a"
                        | "as"
                );
                let short = value.split(' ').count() <= 4;
                (!idle && !is_vague(&first) && short).then(|| one((format!("no {value}"), end)))
            }
            Take::Diet => {
                static DIET: LazyLock<Regex> = LazyLock::new(|| {
                    pattern(
                        r"^(?:vegan|vegetarian|pescatarian|gluten[ -]free|dairy[ -]free|lactose[ -]intolerant|coeliac|celiac|kosher|halal|keto)(?:$| (?:since|now|for|and)\b)",
                    )
                });
                let text = self.rest();
                let word = DIET.find(text)?.as_str();
                let word = word
                    .split_once(" since")
                    .or(word.split_once(" now"))
                    .or(word.split_once(" for"))
                    .or(word.split_once(" and"))
                    .map_or(word, |(diet, _)| diet);
                let end = self.matched + word.trim_end().len();
                Some(one((self.written(self.matched, end)?, end)))
            }
            Take::Role => self.role(self.matched, true).map(one),
            Take::RoleFree => self.role(self.matched, false).map(one),
            Take::RoleOrganisation => {
                let said = self.clause.text.get(self.start..self.matched)?;
                let title = said.trim_end().rsplit_once(' ').map_or(said, |(title, _)| title);
                let last = title.rsplit(' ').next().unwrap_or_default();
                if !is_occupation(last) {
                    return None;
                }
                self.organisation(Case::Base).map(one)
            }
            Take::Organisation(case) => self.organisation(case).map(one),
            Take::Employer(case) => {
                let article = self.original(self.matched).starts_with("the ");
                if article { None } else { self.organisation(case).map(one) }
            }
            Take::City(case) => self.city(case).map(one),
            Take::Person(case) => {
                let text = self.original(self.matched);
                let length = name::person(text)?;
                let end = self.name_end(text, length);
                let value = name::capitalised(&name::base_form(text.get(..length)?, case));
                Some(one((value, end)))
            }
            Take::Named => {
                let text = self.original(self.matched);
                let length = name::proper_noun(text, 2)?;
                let end = self.name_end(text, length);
                Some(one((text.get(..length)?.to_owned(), end)))
            }
            Take::OwnName => {
                let text = self.original(self.matched);
                let length = name::proper_noun(text, 2)?;
                let mut words = text.get(..length)?.split(' ');
                let (first, second) = (words.next()?, words.next());
                let alone = text.get(length..)?.trim().is_empty();
                // "I'm Craig, a developer" and "I'm Crystal Wilson" are names; "I'm Buddhist" is not.
                let likely = (self.appositive || second.is_some_and(name::may_be_name))
                    && !first.chars().all(char::is_uppercase);
                ((name::is_first_name(first) || likely) && alone).then(|| {
                    one((text.get(..length).unwrap_or_default().to_owned(), self.after(self.matched, length)))
                })
            }
            Take::GroupPerson => {
                let group = found.name("v")?;
                let written = self.clause.words(self.start + group.start(), self.start + group.end());
                (name::person(written)? == written.len()).then(|| one((written.to_owned(), self.matched)))
            }
            Take::Thing => self.thing(Case::Base).map(one),
            Take::ThingIn(case) => self.thing(case).map(one),
            Take::Language => {
                let (value, end) = self.language(self.matched)?;
                Some(one((value, end)))
            }
            Take::Languages => {
                let mut values = Vec::new();
                let mut end = self.matched;
                let mut at = self.matched;
                while let Some((value, after)) = self.language(at) {
                    values.push(value);
                    end = after;
                    let rest = self.clause.text.get(after..)?;
                    let Some(joint) = [", ", " and ", " i ", " & ", ", and "]
                        .iter()
                        .find(|joint| rest.starts_with(**joint))
                    else {
                        break;
                    };
                    at = after + joint.len();
                    if values.len() >= 5 {
                        break;
                    }
                }
                (!values.is_empty()).then_some((values, end))
            }
            Take::Time { evening } => {
                let (mut value, length, written) = when::time_of_day(self.rest())?;
                if written == TimeWritten::BareHour {
                    let hour: u8 = value.get(..2)?.parse().ok()?;
                    match (evening, hour) {
                        (true, 1..=7) => value = format!("{:02}{}", hour + 12, value.get(2..)?),
                        (false, 0..=4) => return None,
                        _ => {}
                    }
                }
                Some(one((value, self.matched + length)))
            }
            Take::Date { year_needed } => {
                let (value, length) = when::date(self.rest(), self.anchor, year_needed)?;
                Some(one((value, self.matched + length)))
            }
            Take::Money => {
                static MONEY: LazyLock<Regex> = LazyLock::new(|| {
                    pattern(
                        r"^(?:[€$£]\s?\d[\d.,]*k?\b|\d[\d.,]*k?\s?(?:[€$£]|(?:eur|euros?|eura|usd|dollars?|gbp|pounds?|kuna|chf|francs)\b))",
                    )
                });
                let amount = MONEY.find(self.rest())?;
                let end = self.matched + amount.as_str().trim_end_matches(['.', ',']).len();
                Some(one((self.written(self.matched, end)?, end)))
            }
            Take::Zone => {
                static ZONE: LazyLock<Regex> = LazyLock::new(|| {
                    pattern(
                        r"^(?:[a-z]+/[a-z_]+(?:/[a-z_]+)?|(?:utc|gmt)\s?[+-]\s?\d{1,2}(?::\d{2})?|utc|gmt|cet|cest|est|edt|cst|pst|pdt|mst|bst|ist|jst|aest)\b",
                    )
                });
                let end = self.matched + ZONE.find(self.rest())?.end();
                Some(one((self.written(self.matched, end)?, end)))
            }
            Take::Folder => {
                let (value, end) = self.free(self.matched)?;
                let place = [
                    "folder",
                    "drawer",
                    "directory",
                    "repo",
                    "repository",
                    "box",
                    "shelf",
                    "channel",
                    "cupboard",
                    "section",
                ];
                let last = fold(value.rsplit(' ').next().unwrap_or_default());
                place.contains(&last.as_str()).then(|| one((value, end)))
            }
        }
    }

    /// The folded words after the match, up to an interval.
    fn rest(&self) -> &str {
        self.clause.text.get(self.matched..self.limit).unwrap_or_default()
    }

    /// The original words from a folded offset to the clause's end.
    fn original(&self, from: usize) -> &str {
        self.clause.words(from, self.limit)
    }

    /// The folded offset that lies so many original bytes behind another.
    fn after(&self, from: usize, length: usize) -> usize {
        self.clause.folded_offset(self.clause.origin(from) + length)
    }

    /// Where the words about a name end: "I attended my friend Rachel's wedding" must not stop at Rachel.
    fn name_end(&self, text: &str, length: usize) -> usize {
        let owns = text.get(length..).is_some_and(|rest| rest.starts_with("'s") || rest.starts_with('’'));
        if owns { self.limit } else { self.after(self.matched, length) }
    }

    fn written(&self, start: usize, end: usize) -> Option<String> {
        let text = self.clause.words(start, end).trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '.' | ',' | '!' | '?' | ';' | ':' | '*' | '_')
        });
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Free words from a folded offset up to where an aside begins; at most 100 characters.
    fn free(&self, from: usize) -> Option<(String, usize)> {
        static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
            pattern(concat!(
                r"\s(?:since|because|when|while|although|though|any ?more|any longer|these days|nowadays|btw|lol|haha|please|pls|so much|a lot|very much|a bit|",
                r"from now on|at the moment|which|for this|for it|and (?:want|need|would|have|has|had|am|is|was|do|can|will|i)|right now|at all|by the way|either|as well|too|hehe|molim|hvala|dok|kad|kada|jer|inace|trenutno|",
                r"(?:last|this) (?:week|month|year|friday|monday)|in (?:january|february|march|april|may|june|july|august|september|october|november|december))\b",
                r"|\s(?::|;)[-']?[)(dp]|\s<3"
            ))
        });
        let rest = self.clause.text.get(from..self.limit)?;
        let cut = ASIDE.find(rest).map_or(rest.len(), |aside| aside.start());
        let value = self.written(from, from + cut)?;
        let end = from
            + rest
                .get(..cut)?
                .trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '%' | ')'))
                .len();
        (value.chars().count() <= 100 && value.chars().any(char::is_alphanumeric) && end > from)
            .then_some((value, end))
    }

    fn order(&self) -> Option<(String, usize)> {
        const NO_ORDER: &str = "mind heard said been seen thought knew was were had got went did again a an the in on at of happened works worked liked had ever before really got understood know \
            gets goes has is i we he she they fails stops ends seems";
        let (value, end) = self.free(self.matched)?;
        let verb = fold(value.split(' ').next()?);
        let croatian = self.clause.text.get(self.start..self.matched)?.contains("nikad");
        let fits = if croatian {
            verb.ends_with("ti") || verb.ends_with("ci")
        } else {
            {
                let past = verb.ends_with("ed") && verb != "embed";
                !past && !NO_ORDER.split_whitespace().any(|other| other == verb)
            }
        };
        (fits && verb.len() >= 2 && value.contains(' ')).then_some((value, end))
    }

    fn role(&self, from: usize, known: bool) -> Option<(String, usize)> {
        static END: LazyLock<Regex> = LazyLock::new(|| {
            pattern(
                r"\s(?:in|at|for|with|from|on|by|who|working|specialising|specializing|and|now|u|na|za|iz|od|i|kod|pri)\b",
            )
        });
        static AGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d{1,3}[ -]years?[ -]old "));
        let from = from + AGE.find(self.clause.text.get(from..)?).map_or(0, |age| age.end());
        let (value, end) = self.free(from)?;
        let folded = fold(&value);
        let cut = END.find(&folded).map_or(folded.len(), |found| found.start());
        let words: Vec<&str> = folded.get(..cut)?.split(' ').collect();
        let last = words.last()?;
        // "a doctor for lost socks" is no occupation; "a developer for Acme" is.
        let whose = folded.get(cut..)?.trim_start();
        if known && (whose.starts_with("for ") || whose.starts_with("za ")) {
            let at = from + cut + 1 + whose.find(' ').unwrap_or(0) + 1;
            name::proper_noun(self.original(at), 1)?;
        }
        let vague = words.first().is_none_or(|first| is_vague(first));
        // Croatian names what one is first ("vozač autobusa"), English last ("bus driver").
        let named =
            !known || is_occupation(last) || words.first().is_some_and(|first| is_croatian_occupation(first));
        if vague || !named || words.len() > 4 {
            return None;
        }
        let end = if cut == folded.len() { end } else { from + cut };
        Some((self.written(from, end)?, end))
    }

    fn organisation(&self, case: Case) -> Option<(String, usize)> {
        let text = self.original(self.matched);
        let article = if text.starts_with("the ") { 4 } else { 0 };
        let length = article + name::proper_noun(text.get(article..)?, 4)?;
        let written = text.get(article..length)?;
        if name::place(written).is_some() {
            return None; // "radim u Zagrebu" names no employer
        }
        Some((name::base_form(written, case), self.after(self.matched, length)))
    }

    fn city(&self, case: Case) -> Option<(String, usize)> {
        let text = self.original(self.matched);
        // Two words before one: Velika Gorica, New York.
        let mut ends = text.match_indices(' ').map(|(at, _)| at).take(2).collect::<Vec<_>>();
        ends.push(text.len());
        for end in ends.iter().take(2).rev() {
            let written = text.get(..*end)?.trim_end_matches(|c: char| !c.is_alphanumeric());
            if let Some(place) = name::place(written) {
                // English names stand as they are written: "Munich", not "München", and not an inflected form.
                if case != Case::Base || fold(&place) == fold(written) {
                    return Some((place, self.after(self.matched, written.len())));
                }
            }
        }
        let length = name::proper_noun(text, 3)?;
        let value = name::base_form(text.get(..length)?, case);
        Some((value, self.after(self.matched, length)))
    }

    fn thing(&self, case: Case) -> Option<(String, usize)> {
        let text = self.original(self.matched);
        let length = name::proper_noun(text, 4)?;
        Some((name::base_form(text.get(..length)?, case), self.after(self.matched, length)))
    }

    /// A language by name at a folded offset: English names as written, Croatian ones as `hrvatski`.
    fn language(&self, from: usize) -> Option<(String, usize)> {
        const ENGLISH: &str = "croatian english german french italian spanish portuguese serbian bosnian slovenian slovene hungarian polish czech slovak russian ukrainian dutch swedish norwegian danish \
            finnish greek turkish arabic hebrew japanese chinese mandarin cantonese korean hindi urdu bengali tamil thai vietnamese indonesian romanian bulgarian albanian macedonian catalan irish welsh latin";
        const CROATIAN: &str = "hrvatsk engl njemack francusk talijansk spanjolsk portugalsk srpsk slovensk madarsk poljsk cesk slovack rusk ukrajinsk nizozemsk svedsk norvesk dansk finsk grck tursk arapsk \
            japansk kinesk korejsk rumunjsk bugarsk albansk makedonsk latinsk";
        let text = self.clause.text.get(from..self.limit)?;
        let length = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
        let word = text.get(..length)?;
        let end = from + length;
        if ENGLISH.split_whitespace().any(|language| language == word) {
            return Some((name::capitalised(&self.written(from, end)?), end));
        }
        let stem = ["ome", "om", "i"].iter().find_map(|ending| word.strip_suffix(*ending))?;
        let known = CROATIAN.split_whitespace().any(|language| language == stem) || stem == "englesk";
        if !known {
            return None;
        }
        let written = self.clause.words(from, from + stem.len());
        Some((format!("{}i", written.to_lowercase()), end))
    }
}

fn is_occupation(word: &str) -> bool {
    let learned = word.len() > 8 && word.ends_with("ologist");
    learned
        || super::english::OCCUPATIONS.split_whitespace().any(|occupation| occupation == word)
        || is_croatian_occupation(word)
}

fn is_croatian_occupation(word: &str) -> bool {
    super::croatian::OCCUPATIONS.split_whitespace().any(|occupation| occupation == word)
}
