//! The time a query speaks of: "last spring", "prošli tjedan", "before March", "prije nego što sam se preselio".
//!
//! A question looks back, so of the several years a month may mean the last one that has begun is taken. A whole date in
//! digits is not taken for a time of saying: what happens on 12 June is mostly spoken of on other days, and the digits are found as
//! words.

use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{ToSpan, ZonedDateTime};
use ledger::time::{Instant, Moment, Span};
use ledger::written::days_in;
use regex::Regex;

use crate::propose::pattern;

/// How much of a query is looked at, in bytes.
const LOOKED_AT: usize = 4_096;

/// The time a query speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum When {
    /// A stretch of the calendar.
    Period(Span),
    /// Something that happened, which the memory may know the time of.
    Event(Event),
}

/// A time told by what happened then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// On which side of it.
    pub relation: Relation,
    /// The words that say what happened.
    pub words: String,
}

/// Where a time lies to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Until it began.
    Before,
    /// From its beginning on.
    Since,
    /// From its end on.
    After,
    /// While it was.
    During,
}

impl Relation {
    /// The stretch that lies so to the days from `first` to `last`.
    fn span(self, first: Date, last: Date, zone: &TimeZone) -> Option<Span> {
        let begin = start_of(first, zone)?;
        let end = start_of(last.checked_add(1.day()).ok()?, zone)?;
        match self {
            Self::Before => Span::new(Instant::MIN, Some(begin)).ok(),
            Self::Since => Some(Span::since(begin)),
            Self::After => Some(Span::since(end)),
            Self::During => Span::new(begin, Some(end)).ok(),
        }
    }

    /// The stretch that lies so to an instant.
    #[must_use]
    pub fn of(self, instant: Instant) -> Option<Span> {
        match self {
            Self::Before => Span::new(Instant::MIN, Some(instant)).ok(),
            Self::Since | Self::After | Self::During => Some(Span::since(instant)),
        }
    }
}

static EVENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:(?P<before>before|prije nego (?:sto|sta)?|prije no sto)|(?P<after>after|nakon (?:sto|sta))|(?P<since>since|ever since|otkako|otkad|od kad|od kada)) ",
        r"(?P<words>(?:i|we|my|our|he|she|they|sam|smo|je|su|se|moj\w*|nas\w*|\w+ sam|\w+ smo|[\w-]+)\b[^?.!,;]*)"
    ))
});

/// What stands before a time and says where the asked time lies to it.
static EDGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?:(?P<before>before|until|till|up to|prior to|prije|do|sve do)|(?P<since>since|from|starting|od|otkad|jos od)|(?P<after>after|nakon|poslije|iza))",
        r"(?: the| end of| beginning of| kraja| pocetka)?\s*$"
    ))
});

static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:and|to|until|through|till|i|do|-|–)\s*$"));

static SEASON: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:(?P<last>last|previous|past|prosl\w+|minul\w+)|(?P<this>this|ov\w{1,3})|in the|in|during|over the|u|tijekom|preko)?\s*",
        r"(?P<season>spring|summer|autumn|fall|winter|proljec\w+|ljet[aou]|jesen\w{0,2}|zim[aeiou]|ljetos|zimus|proljetos|jesenas)(?: (?P<year>(?:19|20)\d{2}))?\b"
    ))
});

/// The time `text` speaks of, as asked at `now`.
pub(super) fn of(text: &str, folded: &str, now: &Moment) -> Option<When> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let folded = &folded[..folded.floor_char_boundary(LOOKED_AT)];
    let zone = now.zone.time_zone();
    let today = now.zoned();
    season(folded, today.date(), &zone)
        .or_else(|| calendar(text, &today, &zone))
        .map(When::Period)
        .or_else(|| event(folded).map(When::Event))
}

/// A stretch named by the calendar.
fn calendar(text: &str, now: &ZonedDateTime, zone: &TimeZone) -> Option<Span> {
    let today = now.date();
    let mut named: Vec<(usize, usize, Date, Date)> = Vec::new();
    for found in days_in(text, now) {
        let (first, last) = found.value;
        let written = &text[found.start..found.end];
        let whole_date = first == last && written.contains(|c: char| c.is_ascii_digit());
        // `in two weeks` and `next month` are not looked back on.
        if (whole_date && !counted(written)) || first > today {
            continue;
        }
        match named.iter_mut().find(|known| known.0 == found.start) {
            // The last that has begun.
            Some(known) if first > known.2 => *known = (found.start, found.end, first, last),
            Some(_) => {}
            None => named.push((found.start, found.end, first, last)),
        }
    }
    match *named.as_slice() {
        [(start, _, first, last)] => {
            let before = crate::propose::fold(&text[..start]);
            relation_before(&before).span(first, last, zone)
        }
        [(_, end, first, _), (next, _, later, last)]
            if RANGE.is_match(&text[end..next]) && first <= later =>
        {
            Relation::During.span(first, last, zone)
        }
        _ => None,
    }
}

/// `3 weeks ago` has digits and is no date in digits.
fn counted(written: &str) -> bool {
    written.ends_with("ago") || written.to_lowercase().starts_with("prije")
}

fn relation_before(folded: &str) -> Relation {
    match EDGE.captures(folded.trim_end()) {
        Some(edge) if edge.name("before").is_some() && !ends_word_inside(folded, &edge) => Relation::Before,
        Some(edge) if edge.name("since").is_some() && !ends_word_inside(folded, &edge) => Relation::Since,
        Some(edge) if edge.name("after").is_some() && !ends_word_inside(folded, &edge) => Relation::After,
        _ => Relation::During,
    }
}

/// Whether the edge is only the tail of a longer word: `kodo`, `iznad`.
fn ends_word_inside(folded: &str, edge: &regex::Captures<'_>) -> bool {
    let start = edge.get(0).map_or(0, |whole| whole.start());
    folded[..start].ends_with(char::is_alphanumeric)
}

/// A season: the last that has begun, or the one of a year.
fn season(folded: &str, today: Date, zone: &TimeZone) -> Option<Span> {
    let found = SEASON.captures(folded)?;
    let word = found.name("season")?.as_str();
    // `fall` and `spring` are also what apples and cats do; `u` alone is no season.
    let told = found.name("last").is_some() || found.name("this").is_some() || found.name("year").is_some();
    let led = found.get(0)?.as_str().starts_with(['i', 'd', 'o', 'u', 't', 'p', 'l']);
    let adverb = word.ends_with("os") || word == "zimus" || word == "jesenas";
    if !(told || adverb || (led && found.get(0)?.as_str() != word)) {
        return None;
    }
    let month = match word {
        _ if word.starts_with("spring") || word.starts_with("prolj") => 3,
        _ if word.starts_with("summer") || word.starts_with("ljet") => 6,
        _ if word.starts_with("winter") || word.starts_with("zim") => 12,
        _ => 9,
    };
    let begin = |year: i16| Date::new(year, month, 1).ok();
    let first = match found.name("year") {
        Some(year) => begin(year.as_str().parse().ok()?)?,
        None => {
            let this = begin(today.year())?;
            let begun = if this <= today { this } else { begin(today.year() - 1)? };
            // Within a season `last` is the one a year before.
            let ends = begun.checked_add(3.months()).ok()?;
            if found.name("last").is_some() && today < ends { begin(begun.year() - 1)? } else { begun }
        }
    };
    let last = first.checked_add(3.months()).ok()?.yesterday().ok()?;
    let before = &folded[..found.get(0)?.start()];
    relation_before(before).span(first, last, zone)
}

fn event(folded: &str) -> Option<Event> {
    let found = EVENT.captures(folded)?;
    let words = found.name("words")?.as_str().trim();
    let relation = match () {
        () if found.name("before").is_some() => Relation::Before,
        () if found.name("since").is_some() => Relation::Since,
        () => Relation::After,
    };
    // A single small word names nothing.
    let names = words.split_whitespace().nth(1).is_some() || words.chars().count() > 3;
    names.then(|| Event { relation, words: words.to_owned() })
}

/// The first instant of a day in a zone.
fn start_of(date: Date, zone: &TimeZone) -> Option<Instant> {
    let ambiguous = zone.to_ambiguous_timestamp(date.at(0, 0, 0, 0));
    ambiguous.compatible().ok().map(Instant::from)
}

#[cfg(test)]
mod tests {
    use ledger::time::{Moment, Span, Zone};

    use super::{Relation, When};
    use crate::ask::Question;

    fn asked(text: &str) -> Option<When> {
        let now =
            Moment::parse_in("2026-11-30", &Zone::parse("Europe/Zagreb").expect("a zone")).expect("a day");
        Question::read(text, &now).when
    }

    fn days(from: &str, to: &str) -> Option<When> {
        let zone = Zone::parse("Europe/Zagreb").expect("a zone");
        let at = |day: &str| Moment::parse_in(day, &zone).expect("a day").instant;
        Span::new(at(from), Some(at(to))).ok().map(When::Period)
    }

    #[test]
    fn relative_times_are_stretches_of_the_calendar() {
        for (text, from, to) in [
            ("what did I say yesterday?", "2026-11-29", "2026-11-30"),
            ("što sam jučer rekao o stanu?", "2026-11-29", "2026-11-30"),
            ("what did we discuss last week?", "2026-11-23", "2026-11-30"),
            ("o čemu smo pričali prošli tjedan?", "2026-11-23", "2026-11-30"),
            ("what did I plan last month?", "2026-10-01", "2026-11-01"),
            ("što sam planirao prošlog mjeseca?", "2026-10-01", "2026-11-01"),
            ("where did I work last year?", "2025-01-01", "2026-01-01"),
            ("gdje sam radila lani?", "2025-01-01", "2026-01-01"),
            ("where was I in March?", "2026-03-01", "2026-04-01"),
            ("gdje sam bio u ožujku?", "2026-03-01", "2026-04-01"),
            ("where was I in December?", "2025-12-01", "2026-01-01"),
            ("what did I do in 2024?", "2024-01-01", "2025-01-01"),
            ("what did I run between March and May?", "2026-03-01", "2026-06-01"),
        ] {
            assert_eq!(asked(text), days(from, to), "{text}");
        }
    }

    #[test]
    fn seasons_are_the_last_that_has_begun() {
        for (text, from, to) in [
            ("where did we go last spring?", "2026-03-01", "2026-06-01"),
            ("kamo smo išli prošlog proljeća?", "2026-03-01", "2026-06-01"),
            ("what did I read in the summer?", "2026-06-01", "2026-09-01"),
            ("što sam čitao ljetos?", "2026-06-01", "2026-09-01"),
            ("what did I start last autumn?", "2025-09-01", "2025-12-01"),
            ("what did I start this autumn?", "2026-09-01", "2026-12-01"),
            ("where did we ski in the winter?", "2025-12-01", "2026-03-01"),
            ("gdje smo skijali prošle zime?", "2025-12-01", "2026-03-01"),
            ("where did we swim in summer 2024?", "2024-06-01", "2024-09-01"),
        ] {
            assert_eq!(asked(text), days(from, to), "{text}");
        }
    }

    #[test]
    fn edges_open_the_stretch() {
        let zone = Zone::parse("Europe/Zagreb").expect("a zone");
        let at = |day: &str| Moment::parse_in(day, &zone).expect("a day").instant;
        assert_eq!(asked("what did I prefer since May?"), Some(When::Period(Span::since(at("2026-05-01")))));
        assert_eq!(asked("što volim od svibnja?"), Some(When::Period(Span::since(at("2026-05-01")))));
        let Some(When::Period(before)) = asked("where did I live before 2020?") else { panic!("no stretch") };
        assert_eq!(before.to(), Some(at("2020-01-01")));
        let Some(When::Period(before)) = asked("gdje sam živio prije 2020?") else { panic!("no stretch") };
        assert_eq!(before.to(), Some(at("2020-01-01")));
    }

    #[test]
    fn events_are_left_to_the_memory() {
        let event = |text: &str| match asked(text) {
            Some(When::Event(event)) => Some((event.relation, event.words)),
            _ => None,
        };
        assert_eq!(
            event("Where did I work before I moved to Split?"),
            Some((Relation::Before, "i moved to split".to_owned()))
        );
        assert_eq!(
            event("Gdje sam radio prije nego što sam se preselio u Split?"),
            Some((Relation::Before, "sam se preselio u split".to_owned()))
        );
        assert_eq!(
            event("What changed after we got the dog?"),
            Some((Relation::After, "we got the dog".to_owned()))
        );
        assert_eq!(event("Što jedem otkako treniram?"), Some((Relation::Since, "treniram".to_owned())));
        assert_eq!(event("Have I done it before?"), None);
    }

    #[test]
    fn what_names_no_time_and_what_lies_ahead_is_left_alone() {
        for text in [
            "where does Ana live?",
            "gdje živi Ana?",
            "what happens on 12 June 2026?",
            "what do I do next month?",
            "may I fall asleep?",
            "how does a spring work?",
            "",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
    }
}
