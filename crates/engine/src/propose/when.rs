//! Dates, times and intervals as people write them in English and Croatian, read against the day of the message.

use std::sync::LazyLock;

use jiff::civil::{Date, Weekday};
use jiff::{ToSpan, ZonedDateTime};
use regex::{Captures, Regex};

use super::clause::pattern;

const MONTH: &str = concat!(
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december|",
    r"jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec|",
    r"sijecnja|sijecanj|veljac[ae]|ozujka|ozujak|travnja|travanj|svibnja|svibanj|lipnja|lipanj|srpnja|srpanj|kolovoza|kolovoz|",
    r"rujna|rujan|listopada|listopad|studenoga?|studeni|prosinca|prosinac)\b"
);

/// A time of day at the start of a text: its normal form `HH:MM` and its length in bytes.
pub(super) fn time_of_day(text: &str) -> Option<(String, usize, TimeWritten)> {
    static DIGITS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?P<h>\d{1,2})(?:[:.](?P<m>\d{2}))?\s?(?P<half>a\.?m\b\.?|p\.?m\b\.?)?(?:\s?(?:h\b|sati\b|o'clock|ujutro|navecer|popodne))?",
        )
    });
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"^(?P<lead>half past|quarter past|quarter to|pola|cetvrt do)?\s?(?P<n>one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|",
            r"jedan|dva|tri|cetiri|pet|sest|sedam|osam|devet|deset|jedanaest|dvanaest|podne)\b(?:\s?(?P<half>am|pm)\b)?(?:\s(?:sati|ujutro|navecer|popodne|in the morning))?"
        ))
    });
    if let Some(found) = DIGITS.captures(text) {
        let mut hour: i8 = found.name("h")?.as_str().parse().ok()?;
        let minute: i8 = found.name("m").map_or(Some(0), |m| m.as_str().parse().ok())?;
        let half = found.name("half").map(|half| half.as_str().starts_with('p'));
        match half {
            Some(true) if hour < 12 => hour += 12,
            Some(false) if hour == 12 => hour = 0,
            _ => {}
        }
        if hour > 23 || minute > 59 {
            return None;
        }
        let exact = half.is_some() || found.name("m").is_some();
        let end = found.get(0)?.end();
        // 10%, 10k, 10 EUR are no times.
        let next = text.get(end..).unwrap_or_default().trim_start().chars().next();
        if next.is_some_and(|c| matches!(c, '%' | '€' | '$' | '/' | ':')) {
            return None;
        }
        let written = if exact { TimeWritten::Exact } else { TimeWritten::BareHour };
        return Some((format!("{hour:02}:{minute:02}"), end, written));
    }
    let found = WORDS.captures(text)?;
    let number: i8 = match found.name("n")?.as_str() {
        "one" | "jedan" => 1,
        "two" | "dva" => 2,
        "three" | "tri" => 3,
        "four" | "cetiri" => 4,
        "five" | "pet" => 5,
        "six" | "sest" => 6,
        "seven" | "sedam" => 7,
        "eight" | "osam" => 8,
        "nine" | "devet" => 9,
        "ten" | "deset" => 10,
        "eleven" | "jedanaest" => 11,
        _ => 12,
    };
    let (mut hour, minute) = match found.name("lead").map(|lead| lead.as_str()) {
        Some("half past") => (number, 30),
        Some("quarter past") => (number, 15),
        Some("quarter to" | "cetvrt do") => (number - 1, 45),
        Some(_) => (number - 1, 30), // pola deset is half past nine
        None => (number, 0),
    };
    if found.name("half").is_some_and(|half| half.as_str() == "pm") && hour < 12 {
        hour += 12;
    }
    Some((format!("{hour:02}:{minute:02}"), found.get(0)?.end(), TimeWritten::BareHour))
}

/// Whether a written time leaves the half of the day open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeWritten {
    /// `9:30`, `4 pm`.
    Exact,
    /// `9`, `half past eight`.
    BareHour,
}

/// A calendar date at the start of a text, with its year written or understood as the next such day: `2026-06-12` and length.
///
/// `year_needed` refuses a date without its year: for a birthday the next one would be wrong.
pub(super) fn date(text: &str, anchor: &ZonedDateTime, year_needed: bool) -> Option<(String, usize)> {
    static ISO: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})\b"));
    static DOTTED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.(?:\s?(?P<y>\d{4})\b\.?)?"));
    static DAY_FIRST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"^(?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? {MONTH}(?:,? (?P<y>\d{{4}})\b\.?)?"
        ))
    });
    static MONTH_FIRST: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(r"^{MONTH}\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{{4}})\b)?"))
    });
    static RELATIVE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"^(?:(?P<day>tomorrow|today|sutra|danas|prekosutra)|(?:(?P<next>next|sljedec\w+)|this|ov\w+)?\s?",
            r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday|ponedjeljak|utorak|srijedu|srijeda|cetvrtak|petak|subotu|subota|nedjelju|nedjelja))\b"
        ))
    });
    for form in [&*ISO, &*DOTTED, &*DAY_FIRST, &*MONTH_FIRST] {
        let Some(found) = form.captures(text) else { continue };
        let end = found.get(0)?.end();
        let day: i8 = found.name("d")?.as_str().parse().ok()?;
        let month = match found.name("m") {
            Some(number) => number.as_str().parse().ok()?,
            None => month_number(found.name("month")?.as_str())?,
        };
        return match year(&found) {
            Some(year) => Some((Date::new(year, month, day).ok()?.to_string(), end)),
            None if year_needed => None,
            None => {
                let today = anchor.date();
                let this = Date::new(today.year(), month, day).ok()?;
                let next = if this < today { Date::new(today.year() + 1, month, day).ok()? } else { this };
                Some((next.to_string(), end))
            }
        };
    }
    let found = RELATIVE.captures(text)?;
    let end = found.get(0)?.end();
    let today = anchor.date();
    let day = match found.name("day").map(|day| day.as_str()) {
        Some("today" | "danas") => today,
        Some("tomorrow" | "sutra") => today.checked_add(1.day()).ok()?,
        Some(_) => today.checked_add(2.days()).ok()?,
        None => {
            let weekday = match found.name("weekday")?.as_str() {
                "monday" | "ponedjeljak" => Weekday::Monday,
                "tuesday" | "utorak" => Weekday::Tuesday,
                "wednesday" | "srijedu" | "srijeda" => Weekday::Wednesday,
                "thursday" | "cetvrtak" => Weekday::Thursday,
                "friday" | "petak" => Weekday::Friday,
                "saturday" | "subotu" | "subota" => Weekday::Saturday,
                _ => Weekday::Sunday,
            };
            if found.name("next").is_some() {
                return None; // "next Friday" is this week's to some and next week's to others
            }
            today.nth_weekday(1, weekday).ok()?
        }
    };
    if year_needed { None } else { Some((day.to_string(), end)) }
}

/// An interval said anywhere in a clause: where it stands and what it bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interval {
    /// Byte range in the text it was found in.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) valid_from: Option<String>,
    pub(super) valid_to: Option<String>,
}

/// "since May", "od svibnja 2025.", "until June": with the nearest such month where the year is not said.
pub(super) fn interval(text: &str, anchor: &ZonedDateTime) -> Option<Interval> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r"\b(?P<edge>since|starting(?: in)?|until|till|through|od|do|sve do) (?:(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)? )?(?:{MONTH}(?:,? (?P<y>\d{{4}})\b\.?)?|(?P<only>(?:19|20)\d{{2}})\b\.?)"
        ))
    });
    let found = FORM.captures(text)?;
    let whole = found.get(0)?;
    let opens = matches!(found.name("edge")?.as_str(), "since" | "od" | "starting" | "starting in");
    let today = anchor.date();
    let edge = match found.name("only") {
        Some(only) => only.as_str().to_owned(),
        None => {
            let month = month_number(found.name("month")?.as_str())?;
            let year = year(&found).unwrap_or_else(|| {
                // Since May: the last May that has begun. Until May: the next one to come.
                let begun = month <= today.month();
                match (opens, begun) {
                    (true, false) => today.year() - 1,
                    (false, true) => today.year() + 1,
                    _ => today.year(),
                }
            });
            match found.name("d") {
                Some(day) => Date::new(year, month, day.as_str().parse().ok()?).ok()?.to_string(),
                None if year < 1 => return None,
                None => format!("{year:04}-{month:02}"),
            }
        }
    };
    let (valid_from, valid_to) = if opens { (Some(edge), None) } else { (None, Some(edge)) };
    Some(Interval { start: whole.start(), end: whole.end(), valid_from, valid_to })
}

fn year(found: &Captures<'_>) -> Option<i16> {
    found.name("y").and_then(|year| year.as_str().parse().ok()).filter(|year| *year > 0)
}

fn month_number(word: &str) -> Option<i8> {
    const MONTHS: [&[&str]; 12] = [
        &["jan", "sijec"],
        &["feb", "velj"],
        &["mar", "ozuj"],
        &["apr", "trav"],
        &["may", "svib"],
        &["jun", "lip"],
        &["jul", "srp"],
        &["aug", "kolov"],
        &["sep", "ruj"],
        &["oct", "listop"],
        &["nov", "stud"],
        &["dec", "prosin"],
    ];
    let index = MONTHS.iter().position(|stems| stems.iter().any(|stem| word.starts_with(stem)))?;
    i8::try_from(index + 1).ok()
}
