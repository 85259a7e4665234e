//! When: instants and spans as people read them, in their language and with the zone said.

use ledger::time::{Instant, Moment, Zone};
use maud::{Markup, html};

use engine::answer::SpanText;

use super::desk::Reader;
use super::language::Language;
use super::phrases::Phrase;
use crate::refusal::Refusal;

const MONTHS_ENGLISH: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// In the genitive, as dates have them.
const MONTHS_CROATIAN: [&str; 12] = [
    "siječnja",
    "veljače",
    "ožujka",
    "travnja",
    "svibnja",
    "lipnja",
    "srpnja",
    "kolovoza",
    "rujna",
    "listopada",
    "studenoga",
    "prosinca",
];

/// An instant as an answer told it.
pub(super) fn moment(reader: &Reader, written: &str) -> Markup {
    match written.parse::<Instant>() {
        Ok(instant) => html! { time datetime=(instant.to_string()) { (in_words(reader, instant)) } },
        // What is no instant is shown as it was told.
        Err(_) => super::words::said(written),
    }
}

/// A half-open span.
pub(super) fn span(reader: &Reader, span: &SpanText) -> Markup {
    html! {
        (reader.say(Phrase::From)) " " (moment(reader, &span.from))
        @match &span.to {
            Some(to) => { " " (reader.say(Phrase::Until)) " " (moment(reader, to)) },
            None => { ", " (reader.say(Phrase::OpenEnd)) },
        }
    }
}

/// The same without markup.
pub(super) fn flat_span(reader: &Reader, span: &SpanText) -> String {
    let told = |written: &str| written.parse().map_or(String::new(), |instant| in_words(reader, instant));
    let from = format!("{} {}", reader.say(Phrase::From), told(&span.from));
    match &span.to {
        Some(to) => format!("{from} {} {}", reader.say(Phrase::Until), told(to)),
        None => format!("{from}, {}", reader.say(Phrase::OpenEnd)),
    }
}

/// An instant in words: the day, the time, the zone.
pub(super) fn in_words(reader: &Reader, instant: Instant) -> String {
    if instant == Instant::MIN {
        return reader.say(Phrase::TheBeginning).to_owned();
    }
    let there = Moment { instant, zone: reader.zone.clone() }.zoned();
    let (year, month, day) = (there.year(), usize::try_from(there.month()).unwrap_or(1), there.day());
    let second = match there.second() {
        0 => String::new(),
        second => format!(":{second:02}"),
    };
    let time = format!("{:02}:{:02}{second}", there.hour(), there.minute());
    let zone = there.strftime("%Z");
    match reader.language {
        Language::English => {
            let month = MONTHS_ENGLISH[(month - 1).min(11)];
            format!("{day} {month} {year}, {time} {zone}")
        }
        Language::Croatian => {
            let month = MONTHS_CROATIAN[(month - 1).min(11)];
            format!("{day}. {month} {year}. u {time} ({zone})")
        }
    }
}

/// A day, short, for an axis; its time, where the instant before it on the axis was of the same day.
pub(super) fn tick(reader: &Reader, instant: Instant, before: Option<Instant>) -> String {
    let zoned = |instant| Moment { instant, zone: reader.zone.clone() }.zoned();
    let there = zoned(instant);
    if before.is_some_and(|before| zoned(before).date() == there.date()) {
        return format!("{:02}:{:02}", there.hour(), there.minute());
    }
    let (year, month, day) = (there.year(), usize::try_from(there.month()).unwrap_or(1), there.day());
    match reader.language {
        Language::English => format!("{day} {} {year}", &MONTHS_ENGLISH[(month - 1).min(11)][..3]),
        Language::Croatian => format!("{day}.\u{a0}{month}.\u{a0}{year}."),
    }
}

/// An instant as a field for a date and a time has it, in the reader's zone.
pub(super) fn field(reader: &Reader, instant: Instant) -> String {
    let there = Moment { instant, zone: reader.zone.clone() }.zoned();
    there.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

/// Reads such a field; it may also hold an instant with an offset or a zone of its own.
///
/// # Errors
/// [`Refusal`] that names the field.
pub(super) fn read_field(
    reader: &Reader,
    name: &str,
    written: Option<&str>,
) -> Result<Option<Instant>, Refusal> {
    let Some(written) = written else { return Ok(None) };
    let zone = reader.zone.as_str();
    let placed = match zone.starts_with(['+', '-', 'Z']) {
        true => format!("{written}{zone}"),
        false => format!("{written}[{zone}]"),
    };
    let read = written.parse::<Instant>().or_else(|_| placed.parse::<Instant>());
    let read = read.or_else(|error| {
        Moment::parse_in(written, &reader.zone).map(|moment| moment.instant).map_err(|_| error)
    });
    read.map(Some).map_err(|_| Refusal::bad_input(format!("`{name}`: no date and time")))
}

/// What a zone is called: UTC under its usual name.
pub(super) fn zone_name(zone: &Zone) -> &str {
    match zone.as_str() {
        "Z" | "z" => "UTC",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(language: Language, zone: &str) -> Reader {
        Reader { language, zone: Zone::parse(zone).expect("a zone") }
    }

    fn at(text: &str) -> Instant {
        text.parse().expect("an instant")
    }

    #[test]
    fn dates_are_told_in_the_readers_language_with_the_zone() {
        let instant = at("2026-03-02T08:00:00Z");
        for (language, zone, said) in [
            (Language::English, "Z", "2 March 2026, 08:00 UTC"),
            (Language::English, "Europe/Zagreb", "2 March 2026, 09:00 CET"),
            (Language::Croatian, "Europe/Zagreb", "2. ožujka 2026. u 09:00 (CET)"),
            (Language::Croatian, "Z", "2. ožujka 2026. u 08:00 (UTC)"),
        ] {
            assert_eq!(in_words(&reader(language, zone), instant), said);
        }
        let english = reader(Language::English, "Europe/Zagreb");
        assert_eq!(in_words(&english, at("2026-07-01T00:00:05Z")), "1 July 2026, 02:00:05 CEST");
        assert_eq!(in_words(&english, Instant::MIN), "the beginning");
        assert_eq!(tick(&english, instant, None), "2 Mar 2026");
        assert_eq!(tick(&english, instant, Some(at("2026-03-02T07:00:00Z"))), "09:00");
    }

    #[test]
    fn a_field_is_read_as_it_is_shown() {
        for zone in ["Z", "Europe/Zagreb", "+05:30", "UTC"] {
            let reader = reader(Language::English, zone);
            let instant = at("2026-07-01T10:20:30Z");
            let shown = field(&reader, instant);
            assert_eq!(read_field(&reader, "valid_at", Some(&shown)).expect("read"), Some(instant), "{zone}");
        }
        let zagreb = reader(Language::English, "Europe/Zagreb");
        let read = |written: &str| read_field(&zagreb, "valid_at", Some(written));
        assert_eq!(read("2026-03-10T12:00").expect("read"), Some(at("2026-03-10T11:00:00Z")));
        assert_eq!(read("2026-03-10T12:00:00Z").expect("read"), Some(at("2026-03-10T12:00:00Z")));
        assert_eq!(read("2026-03-10").expect("read"), Some(at("2026-03-09T23:00:00Z")));
        assert_eq!(read("tomorrow").map_err(|refusal| refusal.status), Err(422));
        assert_eq!(read_field(&zagreb, "valid_at", None).expect("read"), None);
    }
}
