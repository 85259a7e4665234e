//! Time, in its one home: instants, half-open spans, and what "as of" means.
//!
//! Two clocks run through the ledger. *Validity* is when something held in the world; *belief* is when this
//! system held it. Both are half-open spans `[from, to)`, and every rule about them lives here, because such
//! rules go wrong in every place that writes them again. A third thing, the offset inside a recording, is not
//! time in this sense and has its own name (`media_offset`) where it is needed.

use std::fmt;
use std::str::FromStr;

use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ZonedDateTime};
use serde::{Deserialize, Serialize};

/// A point in time, in microseconds since 1970-01-01T00:00:00Z. Years 1 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Instant(i64);

impl Default for Instant {
    /// The start of the Unix era.
    fn default() -> Self {
        Self(0)
    }
}

impl Instant {
    /// The first instant that can be written: the start of year 1 in UTC.
    pub const MIN: Self = Self(-62_135_596_800_000_000);
    /// The last instant that can be written; 9999-12-30T22:00:00Z, the end of the time-zone library's range.
    pub const MAX: Self = Self(253_402_207_200_000_000);

    /// The instant `micros` microseconds after 1970-01-01T00:00:00Z, held to `MIN..=MAX`.
    #[must_use]
    pub fn from_micros(micros: i64) -> Self {
        Self(micros.clamp(Self::MIN.0, Self::MAX.0))
    }

    /// Microseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.0
    }

    /// The next instant that can be told apart from this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self::from_micros(self.0.saturating_add(1))
    }

    /// The instant as the time library's own type, for calendar arithmetic.
    #[must_use]
    pub fn timestamp(self) -> Timestamp {
        // `MIN..=MAX` lies inside the library's range, so the fallback is never taken.
        Timestamp::from_microsecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

impl From<Timestamp> for Instant {
    fn from(timestamp: Timestamp) -> Self {
        Self::from_micros(timestamp.as_microsecond())
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.timestamp())
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for Instant {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        Moment::from_str(text).map(|moment| moment.instant)
    }
}

/// An instant together with the zone of the person who spoke of it.
///
/// The zone is kept because "next Friday" and "at nine" mean what they mean where they were said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Moment {
    /// When, on the one line every zone shares.
    pub instant: Instant,
    /// Where the speaker's clock stood: an IANA name (`Europe/Zagreb`) or an offset (`+02:00`).
    pub zone: Zone,
}

impl Moment {
    /// `instant` told in UTC.
    #[must_use]
    pub fn utc(instant: Instant) -> Self {
        Self { instant, zone: Zone::utc() }
    }

    /// The moment as the time library's zoned type, for calendar arithmetic in the speaker's zone.
    #[must_use]
    pub fn zoned(&self) -> ZonedDateTime {
        self.instant.timestamp().to_zoned_datetime(self.zone.time_zone())
    }

    /// Reads an instant, or a bare date, which then means the start of that day in `zone`.
    ///
    /// # Errors
    /// As [`Moment::from_str`].
    pub fn parse_in(text: &str, zone: &Zone) -> Result<Self, TimeError> {
        let text = text.trim();
        let looks_like_date = text.len() <= 10 && !text.contains(':');
        if !looks_like_date {
            return text.parse();
        }
        let padded = match text.len() {
            4 => format!("{text}-01-01"),
            7 => format!("{text}-01"),
            _ => text.to_owned(),
        };
        let unreadable = || TimeError::Unreadable { text: text.to_owned() };
        let date: jiff::civil::Date = padded.parse().map_err(|_| unreadable())?;
        if date.year() < 1 {
            return Err(TimeError::YearOutOfRange { text: text.to_owned() });
        }
        let midnight = zone
            .time_zone()
            .to_ambiguous_timestamp(date.at(0, 0, 0, 0))
            .compatible()
            .map_err(|_| unreadable())?;
        in_range(midnight, text).map(|instant| Self { instant, zone: zone.clone() })
    }
}

impl FromStr for Moment {
    type Err = TimeError;

    /// Reads RFC 3339 with an offset (`2026-03-01T09:30:00+01:00`) or a zone (`…[Europe/Zagreb]`).
    fn from_str(text: &str) -> Result<Self, TimeError> {
        let text = text.trim();
        if text.len() > 100 {
            return Err(TimeError::Unreadable { text: text.chars().take(40).collect() });
        }
        if text.starts_with("0000-") || text.starts_with('-') {
            return Err(TimeError::YearOutOfRange { text: text.to_owned() });
        }
        if text.contains('[') {
            // The bundled database, not the machine's: the same words must mean the same everywhere.
            let zoned = DateTimeParser::new()
                .parse_zoned_datetime_with(&TimeZoneDatabase::bundled(), text)
                .map_err(|_| unreadable(text))?;
            let name = zoned.time_zone().iana_name().map(str::to_owned);
            let name = name.unwrap_or_else(|| zoned.offset().to_string());
            let zone = Zone::parse(&name).map_err(|_| unreadable(text))?;
            return in_range(zoned.timestamp(), text).map(|instant| Self { instant, zone });
        }
        let timestamp: Timestamp = text.parse().map_err(|_| match text.parse::<jiff::civil::DateTime>() {
            Ok(_) if text.len() > 10 && !text.ends_with(['z', 'Z']) && !has_offset(text) => {
                TimeError::NoOffset { text: text.to_owned() }
            }
            _ => unreadable(text),
        })?;
        let zone = Zone::parse(&offset_of(text)).map_err(|_| unreadable(text))?;
        in_range(timestamp, text).map(|instant| Self { instant, zone })
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.zone.is_utc() {
            return self.instant.fmt(formatter);
        }
        let zoned = self.zoned();
        write!(formatter, "{}", zoned.timestamp().display_with_offset(zoned.offset()))?;
        match self.zone.0.starts_with(['+', '-']) {
            true => Ok(()),
            false => write!(formatter, "[{}]", self.zone.0),
        }
    }
}

/// What is wrong with a time that the library does not read: its form, or that it lies behind the last instant.
fn unreadable(text: &str) -> TimeError {
    let text = text.to_owned();
    match text.starts_with("9999-12-30") || text.starts_with("9999-12-31") {
        true => TimeError::YearOutOfRange { text },
        false => TimeError::Unreadable { text },
    }
}

fn has_offset(text: &str) -> bool {
    text.get(10..).is_some_and(|rest| rest.contains(['+', '-']))
}

/// The offset at the end of an RFC 3339 text, `+00:00` written as `Z`.
fn offset_of(text: &str) -> String {
    let clock = text.rfind(['T', 't', ' ']).map_or(text, |at| &text[at..]);
    match clock.rfind(['+', '-']).map(|at| &clock[at..]) {
        Some("+00:00" | "-00:00") | None => "Z".to_owned(),
        Some(offset) => offset.to_owned(),
    }
}

fn in_range(timestamp: Timestamp, text: &str) -> Result<Instant, TimeError> {
    let micros = timestamp.as_microsecond();
    match (Instant::MIN.0..=Instant::MAX.0).contains(&micros) {
        true => Ok(Instant(micros)),
        false => Err(TimeError::YearOutOfRange { text: text.to_owned() }),
    }
}

/// A zone: an IANA name in the spelling of the bundled database, an offset as it was written, or `Z`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Zone(Box<str>);

impl Zone {
    /// Coordinated universal time.
    #[must_use]
    pub fn utc() -> Self {
        Self("Z".into())
    }

    /// The zone of a known IANA name, in capitals or not, or of an offset such as `+02:00`.
    ///
    /// # Errors
    /// [`TimeError::UnknownZone`] when the name is in no edition of the bundled database.
    pub fn parse(name: &str) -> Result<Self, TimeError> {
        let zone = Self(name.into());
        if zone.is_utc() {
            return Ok(zone);
        }
        match zone.lookup() {
            Some(found) => Ok(found.iana_name().map_or(zone, |name| Self(name.into()))),
            None => Err(TimeError::UnknownZone { text: name.chars().take(60).collect() }),
        }
    }

    /// The zone as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The rules of this zone; UTC when the bundled database no longer knows the name.
    #[must_use]
    pub fn time_zone(&self) -> TimeZone {
        self.lookup().unwrap_or(TimeZone::UTC)
    }

    fn is_utc(&self) -> bool {
        matches!(&*self.0, "Z" | "z" | "UTC")
            || (self.0.starts_with(['+', '-']) && offset_seconds(&self.0) == Some(0))
    }

    fn lookup(&self) -> Option<TimeZone> {
        if self.is_utc() {
            return Some(TimeZone::UTC);
        }
        if self.0.starts_with(['+', '-']) {
            return offset_seconds(&self.0)
                .and_then(|seconds| jiff::tz::Offset::from_seconds(seconds).ok())
                .map(TimeZone::fixed);
        }
        TimeZoneDatabase::bundled().get(&self.0).ok()
    }
}

/// `+02:00`, `-0330` or `+02` in seconds; `None` for anything but hours and minutes in pairs of digits, with a colon between them or
/// none. Seconds are refused, since no time with an offset that has them can be written in RFC 3339.
fn offset_seconds(text: &str) -> Option<i32> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("-", rest) => (-1, rest),
        (_, rest) => (1, rest),
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None if rest.len() == 2 => (rest, "00"),
        None => rest.split_at_checked(2)?,
    };
    let pair = |digits: &str| match digits.as_bytes() {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
            Some(i32::from(tens - b'0') * 10 + i32::from(ones - b'0'))
        }
        _ => None,
    };
    let minutes = pair(minutes).filter(|minutes| *minutes < 60)?;
    Some(sign * (pair(hours)? * 3_600 + minutes * 60))
}

/// A half-open stretch of time `[from, to)`; without `to` it has no end yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub struct Span {
    from: Instant,
    to: Option<Instant>,
}

impl Span {
    /// The span `[from, to)`.
    ///
    /// # Errors
    /// [`TimeError::Reversed`] unless `from` lies before `to`.
    pub fn new(from: Instant, to: Option<Instant>) -> Result<Self, TimeError> {
        match to {
            Some(to) if to <= from => Err(TimeError::Reversed { from, to }),
            _ => Ok(Self { from, to }),
        }
    }

    /// The span that begins at `from` and has no end yet.
    #[must_use]
    pub fn since(from: Instant) -> Self {
        Self { from, to: None }
    }

    /// The first instant inside.
    #[must_use]
    pub fn from(&self) -> Instant {
        self.from
    }

    /// The first instant no longer inside; `None` while there is no end.
    #[must_use]
    pub fn to(&self) -> Option<Instant> {
        self.to
    }

    /// Whether `instant` lies inside.
    #[must_use]
    pub fn contains(&self, instant: Instant) -> bool {
        self.from <= instant && self.to.is_none_or(|to| instant < to)
    }

    /// Whether some instant lies in both.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.to.is_none_or(|to| other.from < to) && other.to.is_none_or(|to| self.from < to)
    }

    /// Whether the two overlap or one begins where the other ends.
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        self.to.is_none_or(|to| other.from <= to) && other.to.is_none_or(|to| self.from <= to)
    }

    /// The part before `end`; `None` when nothing is left.
    #[must_use]
    pub fn before(&self, end: Instant) -> Option<Self> {
        let to = self.to.map_or(end, |to| to.min(end));
        Self::new(self.from, Some(to)).ok()
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn cover(&self, other: &Self) -> Self {
        let to = self.to.zip(other.to).map(|(left, right)| left.max(right));
        Self { from: self.from.min(other.from), to }
    }
}

/// The instants at which a read looks at the world: both clocks, and how much of the log counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AsOf {
    /// What held in the world at this instant.
    pub valid_at: Instant,
    /// What this system held at this instant.
    pub believed_at: Instant,
    /// Only appends up to this one count.
    pub watermark: u64,
}

/// What is wrong with a time somebody wrote.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeError {
    /// Not in a form that is read here.
    #[error("unreadable time `{text}`; write RFC 3339 such as `2026-03-01T09:30:00+01:00`")]
    Unreadable {
        /// What was written, cut to a readable length.
        text: String,
    },
    /// A local time, which means nothing without its zone.
    #[error("time `{text}` has no offset; add `Z`, `+01:00` or `[Europe/Zagreb]`")]
    NoOffset {
        /// What was written.
        text: String,
    },
    /// Outside the years that can be kept.
    #[error(
        "time `{text}` is outside the years 1 to 9999 (to 9999-12-30T22:00Z); leave an open end out instead"
    )]
    YearOutOfRange {
        /// What was written.
        text: String,
    },
    /// No such zone.
    #[error("unknown time zone `{text}`; use an IANA name such as `Europe/Zagreb` or an offset")]
    UnknownZone {
        /// What was written.
        text: String,
    },
    /// A span that ends before it begins, or at once.
    #[error("interval ends (`{to}`) before it begins (`{from}`)")]
    Reversed {
        /// The first instant.
        from: Instant,
        /// The end, which is not later.
        to: Instant,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_read_back_what_they_print() {
        for text in ["2026-03-01T08:30:00Z", "0001-01-01T00:00:00Z", "9999-12-30T21:59:59.999999Z"] {
            let instant: Instant = text.parse().expect(text);
            assert_eq!(instant.to_string(), text);
        }
    }

    #[test]
    fn moments_keep_the_speakers_zone() {
        let zoned: Moment = "2026-07-01T09:30:00+02:00[Europe/Zagreb]".parse().expect("zoned");
        assert_eq!(zoned.zone.as_str(), "Europe/Zagreb");
        assert_eq!(zoned.to_string(), "2026-07-01T09:30:00+02:00[Europe/Zagreb]");
        let offset: Moment = "2026-07-01T09:30:00-03:30".parse().expect("offset");
        assert_eq!(offset.to_string(), "2026-07-01T09:30:00-03:30");
        assert_eq!(offset.instant.to_string(), "2026-07-01T13:00:00Z");
    }

    #[test]
    fn bad_times_say_what_is_wrong() {
        let kinds = [
            ("yesterday", "unreadable"),
            ("2026-03-01T09:30:00", "no offset"),
            ("0000-01-01T00:00:00Z", "outside the years"),
            ("9999-12-31T23:59:59Z", "outside the years"),
            ("9999-12-31T23:59:59+01:00[Europe/Zagreb]", "outside the years"),
            ("2026-13-01T00:00:00Z", "unreadable"),
            ("2026-03-01T00:00:00[Mars/Olympus]", "unreadable"),
            ("", "unreadable"),
        ];
        for (text, wanted) in kinds {
            let error = text.parse::<Instant>().expect_err(text).to_string();
            assert!(error.contains(wanted), "`{text}` gave `{error}`");
        }
    }

    #[test]
    fn a_name_is_spelt_as_the_database_does() {
        for name in ["Europe/Zagreb", "EUrope/Zagreb", "europe/zagreb"] {
            assert_eq!(Zone::parse(name).expect("known").as_str(), "Europe/Zagreb");
        }
        // Another name of the same zone stays the name that was said.
        assert_eq!(Zone::parse("asia/calcutta").expect("known").as_str(), "Asia/Calcutta");
    }

    #[test]
    fn an_offset_is_digits_in_pairs() {
        for (name, seconds) in [("+02:00", 7_200), ("-0330", -12_600), ("+02", 7_200), ("-00:45", -2_700)] {
            let zone = Zone::parse(name).unwrap_or_else(|error| panic!("{error}"));
            let moment = Moment { instant: Instant::default(), zone };
            assert_eq!(moment.zoned().offset().seconds(), seconds, "`{name}`");
        }
        for name in ["+00:00", "-00:00", "-00", "+0000"] {
            let zone = Zone::parse(name).unwrap_or_else(|error| panic!("{error}"));
            let moment = Moment { instant: Instant::default(), zone };
            assert_eq!(moment.to_string(), Instant::default().to_string(), "`{name}`");
        }
        for name in [
            "+",
            "++1",
            "--036-2",
            "+1\u{e9}9",
            "+2:00",
            "+020",
            "+02:0000",
            "+02:",
            "+02:00:00:00",
            "-00:00:00",
            "-03:30:15",
            "-033015",
            "+02:60",
            "-110470",
            "+99:00",
        ] {
            assert!(Zone::parse(name).is_err(), "`{name}`");
        }
        let expanded: Moment = "+002026-06-12T00:00:00Z".parse().expect("a year of six digits");
        assert_eq!(expanded.to_string(), "2026-06-12T00:00:00Z");
        // The same of a time, whichever way it has its offset.
        for text in ["2026-06-12T00:00:00-03:30:15", "2026-06-12T00:00:00-03:30:15[-03:30:15]"] {
            assert!(text.parse::<Moment>().is_err(), "`{text}`");
        }
    }

    #[test]
    fn bare_dates_mean_the_start_of_the_speakers_day() {
        let zone = Zone::parse("Europe/Zagreb").expect("known zone");
        for (text, wanted) in [
            ("2026-03-01", "2026-02-28T23:00:00Z"),
            ("2026-07", "2026-06-30T22:00:00Z"),
            ("2026", "2025-12-31T23:00:00Z"),
        ] {
            let moment = Moment::parse_in(text, &zone).expect(text);
            assert_eq!(moment.instant.to_string(), wanted);
        }
        assert!(Moment::parse_in("0000-01-01", &zone).is_err());
    }

    #[test]
    fn spans_are_half_open() {
        let at = |seconds: i64| Instant::from_micros(seconds * 1_000_000);
        let span = Span::new(at(1), Some(at(3))).expect("ordered");
        assert!(span.contains(at(1)) && !span.contains(at(3)));
        assert!(!span.overlaps(&Span::since(at(3))) && span.touches(&Span::since(at(3))));
        assert!(Span::new(at(3), Some(at(3))).is_err());
        assert_eq!(span.before(at(1)), None);
    }
}
