//! What a claim says of its entity: one value, read once by the predicate's type.
//!
//! A proposal brings a JSON scalar ([`RawValue`]); [`Value::read`] turns it into a [`Stated`] value, the
//! normalised form beside the words it was written in, or says why it cannot be read. Nothing is guessed:
//! a form with two meanings is refused with both of them named. Reading is pure: no clock, no zone of
//! the machine, no zone files (the bundled zone database is used).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use jiff::fmt::temporal::{DateTimeParser, Pieces};
use jiff::tz::{OffsetConflict, TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ZonedDateTime, civil};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization;

use crate::entity::{EntityRef, MalformedEntity};
use crate::written;

/// The longest text value, in bytes of its normalised form.
pub const TEXT_BYTES_MAX: usize = 2_000;
/// The longest written form of a value that is not text, in bytes.
pub const WRITTEN_BYTES_MAX: usize = 200;
/// The most digits a number has, both sides of the point together.
pub const NUMBER_DIGITS_MAX: usize = 64;
/// The longest unit of a number, in bytes.
pub const UNIT_BYTES_MAX: usize = 40;

/// How the values of a predicate are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Words.
    Text,
    /// An exact number, perhaps with a unit.
    Number,
    /// A time of day, to the minute.
    TimeOfDay,
    /// A calendar date, perhaps partial.
    Date,
    /// A moment, with its offset or zone.
    Instant,
    /// Another entity.
    Entity,
    /// True or false.
    Boolean,
}

impl ValueType {
    /// Every type, in the order the documentation names them.
    pub const ALL: [ValueType; 7] = [
        ValueType::Text,
        ValueType::Number,
        ValueType::TimeOfDay,
        ValueType::Date,
        ValueType::Instant,
        ValueType::Entity,
        ValueType::Boolean,
    ];

    /// The name used in policy files, databases and answers: `time_of_day`.
    pub const fn as_str(self) -> &'static str {
        match self {
            ValueType::Text => "text",
            ValueType::Number => "number",
            ValueType::TimeOfDay => "time_of_day",
            ValueType::Date => "date",
            ValueType::Instant => "instant",
            ValueType::Entity => "entity",
            ValueType::Boolean => "boolean",
        }
    }
}

/// A word that names no [`ValueType`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("value type `{0}` is not one of text, number, time_of_day, date, instant, entity, boolean")]
pub struct UnknownValueType(pub String);

impl FromStr for ValueType {
    type Err = UnknownValueType;

    fn from_str(name: &str) -> Result<ValueType, UnknownValueType> {
        let found = ValueType::ALL.into_iter().find(|value_type| value_type.as_str() == name);
        found.ok_or_else(|| UnknownValueType(name.to_owned()))
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A value as a proposal brings it: one JSON scalar, not yet read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum RawValue {
    /// A string: words, or the written form of anything else.
    Text(String),
    /// A JSON number, with the digits it was written in as far as JSON keeps them.
    Number(serde_json::Number),
    /// `true` or `false`.
    Boolean(bool),
}

/// A JSON value that is no string, number or boolean.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("value is {0}, not a string, a number or a boolean")]
pub struct NotScalar(pub &'static str);

impl TryFrom<&serde_json::Value> for RawValue {
    type Error = NotScalar;

    fn try_from(json: &serde_json::Value) -> Result<RawValue, NotScalar> {
        match json {
            serde_json::Value::String(text) => Ok(RawValue::Text(text.clone())),
            serde_json::Value::Number(number) => Ok(RawValue::Number(number.clone())),
            serde_json::Value::Bool(truth) => Ok(RawValue::Boolean(*truth)),
            serde_json::Value::Null => Err(NotScalar("null")),
            serde_json::Value::Array(_) => Err(NotScalar("an array")),
            serde_json::Value::Object(_) => Err(NotScalar("an object")),
        }
    }
}

impl From<&str> for RawValue {
    fn from(text: &str) -> RawValue {
        RawValue::Text(text.to_owned())
    }
}

impl From<bool> for RawValue {
    fn from(truth: bool) -> RawValue {
        RawValue::Boolean(truth)
    }
}

impl From<i64> for RawValue {
    fn from(number: i64) -> RawValue {
        RawValue::Number(number.into())
    }
}

impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RawValue::Text(text) => f.write_str(text),
            RawValue::Number(number) => number.fmt(f),
            RawValue::Boolean(truth) => truth.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for RawValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawValue, D::Error> {
        struct Scalar;
        impl<'de> Visitor<'de> for Scalar {
            type Value = RawValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, a number or a boolean")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawValue, E> {
                Ok(RawValue::Text(text.to_owned()))
            }
            fn visit_string<E: de::Error>(self, text: String) -> Result<RawValue, E> {
                Ok(RawValue::Text(text))
            }
            fn visit_bool<E: de::Error>(self, truth: bool) -> Result<RawValue, E> {
                Ok(RawValue::Boolean(truth))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<RawValue, E> {
                Ok(RawValue::Number(number.into()))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<RawValue, E> {
                Ok(RawValue::Number(number.into()))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<RawValue, E> {
                serde_json::Number::from_f64(number)
                    .map(RawValue::Number)
                    .ok_or_else(|| E::custom("number is not finite"))
            }
            fn visit_unit<E: de::Error>(self) -> Result<RawValue, E> {
                Err(E::custom(NotScalar("null")))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<RawValue, A::Error> {
                Err(de::Error::custom(NotScalar("an array")))
            }
            fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<RawValue, A::Error> {
                Err(de::Error::custom(NotScalar("an object")))
            }
        }
        deserializer.deserialize_any(Scalar)
    }
}

/// A value in its normalised form. Two values of one type are equal when they mean the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// Words: NFC, trimmed, 1 to [`TEXT_BYTES_MAX`] bytes, no control characters but line breaks and tabs.
    Text(String),
    /// A number with its unit.
    Number(Quantity),
    /// A time of day.
    TimeOfDay(TimeOfDay),
    /// A date, perhaps partial.
    Date(PartialDate),
    /// A moment. Equality is of the moment; the zone is kept for display.
    Instant(ZonedDateTime),
    /// Another entity.
    Entity(EntityRef),
    /// True or false.
    Boolean(bool),
}

/// A value beside the words it was written in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stated {
    /// The normalised value.
    pub value: Value,
    /// What the proposal said, trimmed.
    pub written: String,
}

/// Why a value cannot be read as its predicate's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// Nothing but white space.
    #[error("value is empty")]
    Empty,
    /// A text longer than [`TEXT_BYTES_MAX`], or another written form longer than [`WRITTEN_BYTES_MAX`].
    #[error("{value_type} value of {bytes} bytes is longer than {bytes_max}")]
    TooLong {
        /// What was to be read.
        value_type: ValueType,
        /// The length met, in bytes.
        bytes: usize,
        /// The bound, in bytes.
        bytes_max: usize,
    },
    /// A control character other than a line break or a tab.
    #[error("text value holds the control character `{}`", .0.escape_unicode())]
    ControlCharacter(char),
    /// Not a form of that type that is known.
    #[error("`{written}` cannot be read as {value_type}")]
    Unreadable {
        /// What was to be read.
        value_type: ValueType,
        /// What was written.
        written: String,
    },
    /// A form with more than one meaning.
    #[error("`{written}` is ambiguous: `{first}` or `{second}`")]
    Ambiguous {
        /// What was written.
        written: String,
        /// One reading, in the form that would be unambiguous.
        first: String,
        /// Another reading.
        second: String,
    },
    /// A relative date: which day it is depends on when it was said.
    #[error("`{0}` depends on the day it was said; write the date")]
    RelativeDate(String),
    /// A date that no calendar has.
    #[error(transparent)]
    InvalidDate(#[from] InvalidDate),
    /// A number with more digits than [`NUMBER_DIGITS_MAX`].
    #[error("number has more than {NUMBER_DIGITS_MAX} digits")]
    TooManyDigits,
    /// An instant without an offset or zone, with two that differ, or outside the calendar.
    #[error("`{written}` is not an instant: {reason}")]
    NotAnInstant {
        /// What was written.
        written: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// An entity that cannot be referred to.
    #[error(transparent)]
    Entity(#[from] MalformedEntity),
}

impl Value {
    /// Reads a value as its predicate's type.
    ///
    /// Written forms are read as in a quote (English and Croatian), with these rules where people differ:
    /// - `1,250` is one thousand two hundred and fifty; `1.250` is refused, unless a currency follows it
    ///   (money is not written with three decimals). `1.250,00`, `1,250.00` and `1 250` have one reading.
    /// - `12.6.2026.` is day first; `03/04/2026` and `03-04-2026` are refused unless one part is above 12.
    /// - An hour without `am`, `pm` or a part of the day is the hour of the 24-hour clock.
    ///
    /// # Errors
    /// [`ValueError`], naming what was written and the bound or form that was missed.
    pub fn read(value_type: ValueType, raw: &RawValue) -> Result<Stated, ValueError> {
        let written = match raw {
            RawValue::Text(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        if written.is_empty() {
            return Err(ValueError::Empty);
        }
        // Composition shortens a text to no less than a fourth, so a longer one is refused before any work.
        let bytes_max = if value_type == ValueType::Text { TEXT_BYTES_MAX } else { WRITTEN_BYTES_MAX };
        if written.len() > 4 * bytes_max || (value_type != ValueType::Text && written.len() > bytes_max) {
            return Err(ValueError::TooLong { value_type, bytes: written.len(), bytes_max });
        }
        let unreadable = || ValueError::Unreadable { value_type, written: written.clone() };
        let value = match (value_type, raw) {
            (ValueType::Text, _) => Value::Text(read_text(&written)?),
            (ValueType::Number, RawValue::Number(_)) => Value::Number(Quantity::plain(written.parse()?)),
            (ValueType::Number, RawValue::Text(_)) => Value::Number(read_quantity(&written)?),
            (ValueType::TimeOfDay, RawValue::Text(_) | RawValue::Number(_)) => {
                Value::TimeOfDay(written::read_time(&written).ok_or_else(unreadable)?)
            }
            (ValueType::Date, RawValue::Text(_) | RawValue::Number(_)) => Value::Date(read_date(&written)?),
            (ValueType::Instant, RawValue::Text(_)) => Value::Instant(read_instant(&written)?),
            (ValueType::Entity, RawValue::Text(_)) => {
                Value::Entity(EntityRef::parse(&written).or_else(|_| EntityRef::from_words(&written))?)
            }
            (ValueType::Boolean, RawValue::Boolean(truth)) => Value::Boolean(*truth),
            (ValueType::Boolean, RawValue::Text(_)) => match written.to_lowercase().as_str() {
                "true" | "yes" | "da" | "istina" => Value::Boolean(true),
                "false" | "no" | "ne" | "neistina" => Value::Boolean(false),
                _ => return Err(unreadable()),
            },
            _ => return Err(unreadable()),
        };
        Ok(Stated { value, written })
    }

    /// The type this value is of.
    pub fn value_type(&self) -> ValueType {
        match self {
            Value::Text(_) => ValueType::Text,
            Value::Number(_) => ValueType::Number,
            Value::TimeOfDay(_) => ValueType::TimeOfDay,
            Value::Date(_) => ValueType::Date,
            Value::Instant(_) => ValueType::Instant,
            Value::Entity(_) => ValueType::Entity,
            Value::Boolean(_) => ValueType::Boolean,
        }
    }

    /// The canonical form two values of one type share exactly when they are the same value to a ledger.
    ///
    /// Text is compared without case, runs of white space, quotation marks around it and sentence
    /// punctuation at its end; a number by its digits and unit; an instant by the moment in UTC.
    /// Reading a key as the same type gives a value with that key.
    pub fn key(&self) -> String {
        match self {
            Value::Text(text) => text_key(text),
            Value::Number(quantity) => quantity.to_string().to_lowercase(),
            Value::Instant(instant) => instant.timestamp().to_string(),
            other => other.to_string(),
        }
    }
}

/// The form people read, which [`Value::read`] reads back to the same value.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Number(quantity) => quantity.fmt(f),
            Value::TimeOfDay(time) => time.fmt(f),
            Value::Date(date) => date.fmt(f),
            Value::Instant(instant) => instant.fmt(f),
            Value::Entity(entity) => entity.fmt(f),
            Value::Boolean(truth) => truth.fmt(f),
        }
    }
}

/// A map of one entry, the type and the display form: `{"number":"1250 EUR"}`.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.value_type().as_str(), &self.to_string())?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        struct Entry;
        impl<'de> Visitor<'de> for Entry {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of one value type to its written form")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                let Some((value_type, written)) = map.next_entry::<ValueType, String>()? else {
                    return Err(de::Error::custom("value has no type"));
                };
                if map.next_key::<ValueType>()?.is_some() {
                    return Err(de::Error::custom("value has more than one type"));
                }
                Value::read(value_type, &RawValue::Text(written))
                    .map(|stated| stated.value)
                    .map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_map(Entry)
    }
}

/// An exact decimal number of at most [`NUMBER_DIGITS_MAX`] digits, never a float.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal(Box<str>);

impl Decimal {
    /// Joins the digits before and after the point and moves the point `exponent` places to the right.
    ///
    /// # Errors
    /// [`ValueError::TooManyDigits`]; [`ValueError::Unreadable`] when a part is not ASCII digits.
    pub fn from_parts(
        negative: bool,
        whole: &str,
        fraction: &str,
        exponent: i32,
    ) -> Result<Decimal, ValueError> {
        if !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
            let written = format!("{whole}.{fraction}");
            return Err(ValueError::Unreadable { value_type: ValueType::Number, written });
        }
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        if whole.is_empty() && fraction.is_empty() {
            return Ok(Decimal(Box::from("0")));
        }
        if whole.len() + fraction.len() > 2 * NUMBER_DIGITS_MAX
            || exponent.abs() > 2 * NUMBER_DIGITS_MAX as i32
        {
            return Err(ValueError::TooManyDigits);
        }
        let mut digits = format!("{whole}{fraction}");
        let mut point = whole.len() as i32 + exponent;
        while point < 0 {
            digits.insert(0, '0');
            point += 1;
        }
        while (digits.len() as i32) < point {
            digits.push('0');
        }
        // `point` is now within 0..=digits.len(), and digits are ASCII.
        let (whole, fraction) = digits.split_at(point as usize);
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        if whole.len() + fraction.len() > NUMBER_DIGITS_MAX {
            return Err(ValueError::TooManyDigits);
        }
        let sign = if negative { "-" } else { "" };
        let whole = if whole.is_empty() { "0" } else { whole };
        let point = if fraction.is_empty() { "" } else { "." };
        Ok(Decimal(format!("{sign}{whole}{point}{fraction}").into()))
    }

    /// The shortest plain form: `-1250.5`, no exponent, no superfluous zero.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same number with the point moved to the right.
    ///
    /// # Errors
    /// [`ValueError::TooManyDigits`].
    pub fn shifted(&self, places: i32) -> Result<Decimal, ValueError> {
        let (negative, whole, fraction) = self.parts();
        Decimal::from_parts(negative, whole, fraction, places)
    }

    /// The same number with the other sign.
    pub fn negated(&self) -> Decimal {
        match self.0.strip_prefix('-') {
            Some(rest) => Decimal(rest.into()),
            None if &*self.0 == "0" => self.clone(),
            None => Decimal(format!("-{}", self.0).into()),
        }
    }

    fn parts(&self) -> (bool, &str, &str) {
        let unsigned = self.0.strip_prefix('-');
        let (whole, fraction) =
            unsigned.unwrap_or(&self.0).split_once('.').unwrap_or((unsigned.unwrap_or(&self.0), ""));
        (unsigned.is_some(), whole, fraction)
    }
}

impl From<u64> for Decimal {
    fn from(number: u64) -> Decimal {
        Decimal(number.to_string().into())
    }
}

/// Reads the plain form, as JSON writes numbers: `-1250.5`, `1e3`. Written forms are for [`Value::read`].
impl FromStr for Decimal {
    type Err = ValueError;

    fn from_str(written: &str) -> Result<Decimal, ValueError> {
        let unreadable =
            || ValueError::Unreadable { value_type: ValueType::Number, written: written.to_owned() };
        let unsigned = written.strip_prefix('-');
        let rest = unsigned.unwrap_or(written);
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let exponent: i32 =
            exponent.strip_prefix('+').unwrap_or(exponent).parse().map_err(|_| unreadable())?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        if whole.is_empty() || fraction.is_empty() {
            return Err(unreadable());
        }
        // The sum would overflow only beyond the bound that refuses it anyway.
        Decimal::from_parts(unsigned.is_some(), whole, fraction, exponent.clamp(-1_000, 1_000))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let ((negative, whole, fraction), (other_negative, other_whole, other_fraction)) =
            (self.parts(), other.parts());
        let magnitude = (whole.len(), whole, fraction).cmp(&(other_whole.len(), other_whole, other_fraction));
        match (negative, other_negative) {
            (false, false) => magnitude,
            (true, true) => magnitude.reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The plain form, except that a number which could be taken for grouped thousands (`1.125`) shows one
/// more zero (`1.1250`), so that reading it again is not ambiguous.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)?;
        let (_, whole, fraction) = self.parts();
        if fraction.len() == 3 && whole.len() <= 3 && whole != "0" { f.write_str("0") } else { Ok(()) }
    }
}

/// A number and what it counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Quantity {
    /// The number, a scale word (`k`, `million`) already multiplied in.
    pub number: Decimal,
    /// An ISO 4217 code in capitals, `%`, a known measure (`kg`, `hours`), or the words written after the
    /// number in lower case; at most [`UNIT_BYTES_MAX`] bytes.
    pub unit: Option<String>,
}

impl Quantity {
    /// A number without a unit.
    pub fn plain(number: Decimal) -> Quantity {
        Quantity { number, unit: None }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(f)?;
        self.unit.iter().try_for_each(|unit| write!(f, " {unit}"))
    }
}

/// A time of day in minutes after midnight, 0 to 1439; the zone is the fact's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay(u16);

impl TimeOfDay {
    /// An hour (0 to 24, where 24:00 is midnight) and a minute (0 to 59), or nothing.
    pub fn new(hour: u32, minute: u32) -> Option<TimeOfDay> {
        match (hour, minute) {
            (24, 0) => Some(TimeOfDay(0)),
            (0..=23, 0..=59) => Some(TimeOfDay((hour * 60 + minute) as u16)),
            _ => None,
        }
    }

    /// Minutes after midnight, 0 to 1439.
    pub fn minutes(self) -> u16 {
        self.0
    }

    /// The hour, 0 to 23.
    pub fn hour(self) -> u16 {
        self.0 / 60
    }

    /// The minute of the hour, 0 to 59.
    pub fn minute(self) -> u16 {
        self.0 % 60
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour(), self.minute())
    }
}

/// A calendar date of which some parts may be unknown: `2026`, `2026-03`, `2026-03-14`, and without a year
/// `--03` and `--03-14` (a birthday is mostly told so). Proleptic Gregorian, years -9999 to 9999 but 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartialDate {
    year: Option<i16>,
    month: Option<u8>,
    day: Option<u8>,
}

/// Why there is no such date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDate {
    /// The year before 1 is -1.
    #[error("there is no year 0")]
    YearZero,
    /// Outside -9999 to 9999.
    #[error("year `{0}` is not within -9999 and 9999")]
    Year(i64),
    /// Not 1 to 12.
    #[error("there is no month `{0}`")]
    Month(u32),
    /// Not a day of that month in that year.
    #[error("month `{month}` has no day `{day}`{}", match .year { Some(year) => format!(" in {year}"), None => String::new() })]
    Day {
        /// The year, when known.
        year: Option<i16>,
        /// The month.
        month: u8,
        /// The day refused.
        day: u32,
    },
    /// Neither a year nor a month, or a day without its month.
    #[error("a date needs a year or a month")]
    Nothing,
}

impl PartialDate {
    /// A date of the parts that are known: a year, a year and month, all three, a month, or month and day.
    ///
    /// # Errors
    /// [`InvalidDate`], naming the part that no calendar has.
    pub fn new(year: Option<i64>, month: Option<u32>, day: Option<u32>) -> Result<PartialDate, InvalidDate> {
        let year = match year {
            Some(0) => return Err(InvalidDate::YearZero),
            Some(year @ -9999..=9999) => Some(year as i16),
            Some(year) => return Err(InvalidDate::Year(year)),
            None => None,
        };
        let month = match month {
            Some(month @ 1..=12) => Some(month as u8),
            Some(month) => return Err(InvalidDate::Month(month)),
            None if year.is_none() || day.is_some() => return Err(InvalidDate::Nothing),
            None => None,
        };
        let day = match (month, day) {
            (Some(month), Some(day)) => {
                // A leap year stands in for an unknown one: 29 February is somebody's birthday.
                let first = civil::Date::new(year.unwrap_or(2000), month as i8, 1);
                let days = first.map_or(0, |first| first.days_in_month() as u32);
                if day == 0 || day > days {
                    return Err(InvalidDate::Day { year, month, day });
                }
                Some(day as u8)
            }
            _ => None,
        };
        Ok(PartialDate { year, month, day })
    }

    /// The whole date of a calendar day, unless it lies in year 0.
    pub fn from_civil(date: civil::Date) -> Option<PartialDate> {
        PartialDate::new(Some(date.year().into()), Some(date.month() as u32), Some(date.day() as u32)).ok()
    }

    /// The year, if known: -9999 to 9999, never 0.
    pub fn year(&self) -> Option<i16> {
        self.year
    }

    /// The month, if known: 1 to 12.
    pub fn month(&self) -> Option<u8> {
        self.month
    }

    /// The day of the month, if known.
    pub fn day(&self) -> Option<u8> {
        self.day
    }

    /// The calendar day, when year, month and day are all known.
    pub fn to_civil(&self) -> Option<civil::Date> {
        civil::Date::new(self.year?, self.month? as i8, self.day? as i8).ok()
    }

    /// The first and the last day this date may mean; nothing without a year.
    pub fn span(&self) -> Option<(civil::Date, civil::Date)> {
        let first =
            civil::Date::new(self.year?, self.month.unwrap_or(1) as i8, self.day.unwrap_or(1) as i8).ok()?;
        let last = match (self.month, self.day) {
            (_, Some(_)) => first,
            (Some(_), None) => first.last_of_month(),
            (None, None) => civil::Date::new(self.year?, 12, 31).ok()?,
        };
        Some((first, last))
    }

    /// Whether whoever knows `self` knows `other`: every part of `other` is the same in `self`.
    pub fn implies(&self, other: &PartialDate) -> bool {
        (other.year.is_none() || other.year == self.year)
            && (other.month.is_none() || other.month == self.month)
            && (other.day.is_none() || other.day == self.day)
    }
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            Some(year) if year < 0 => write!(f, "-{:04}", year.unsigned_abs())?,
            Some(year) => write!(f, "{year:04}")?,
            None => f.write_str("-")?,
        }
        self.month.iter().chain(&self.day).try_for_each(|part| write!(f, "-{part:02}"))
    }
}

/// Reads the ISO forms only, the year in four digits: `2026`, `2026-03`, `2026-03-14`, `-0044`, `--03-14`.
impl FromStr for PartialDate {
    type Err = ValueError;

    fn from_str(written: &str) -> Result<PartialDate, ValueError> {
        iso_date(written).ok_or_else(|| ValueError::Unreadable {
            value_type: ValueType::Date,
            written: written.to_owned(),
        })?
    }
}

/// `None` when the shape is not ISO's; an error when the shape is right and the date is not.
fn iso_date(written: &str) -> Option<Result<PartialDate, ValueError>> {
    let digits = |part: &str, length: usize| -> Option<u32> {
        let right = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
        right.then(|| part.parse().ok()).flatten()
    };
    let (year, rest) = if let Some(rest) = written.strip_prefix("--") {
        (None, rest)
    } else {
        let unsigned = written.strip_prefix('-');
        let (year, rest) =
            unsigned.unwrap_or(written).split_once('-').unwrap_or((unsigned.unwrap_or(written), ""));
        if rest.is_empty() && written.ends_with('-') {
            return None;
        }
        let length = year.len().max(4);
        let year = i64::from(digits(year, length).filter(|_| length <= 9)?);
        if unsigned.is_some() && year == 0 {
            return Some(Err(InvalidDate::YearZero.into()));
        }
        (Some(if unsigned.is_some() { -year } else { year }), rest)
    };
    let (month, day) = match rest.split_once('-') {
        None if rest.is_empty() => (None, None),
        None => (Some(digits(rest, 2)?), None),
        Some((month, day)) => (Some(digits(month, 2)?), Some(digits(day, 2)?)),
    };
    Some(PartialDate::new(year, month, day).map_err(ValueError::from))
}

fn read_text(written: &str) -> Result<String, ValueError> {
    let text: String = written.nfc().collect();
    let text = text.trim().to_owned();
    if text.len() > TEXT_BYTES_MAX {
        return Err(ValueError::TooLong {
            value_type: ValueType::Text,
            bytes: text.len(),
            bytes_max: TEXT_BYTES_MAX,
        });
    }
    match text.chars().find(|&c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        Some(control) => Err(ValueError::ControlCharacter(control)),
        None => Ok(text),
    }
}

fn text_key(text: &str) -> String {
    // Plain ASCII is composed already, and most values are.
    let folded: String = match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.nfc().flat_map(char::to_lowercase).nfc().collect(),
    };
    let mut key = String::with_capacity(folded.len());
    for word in folded.split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(word);
    }
    // Only what closes or wraps a sentence goes: `C++`, `C#` and `.NET` are not `c` and `net`.
    let quotes = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '`');
    let opens = |c: char| c.is_whitespace() || quotes(c) || matches!(c, '¿' | '¡');
    let closes =
        |c: char| c.is_whitespace() || quotes(c) || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '…');
    let stripped = key.trim_start_matches(opens).trim_end_matches(closes);
    if stripped.is_empty() { key } else { stripped.to_owned() }
}

fn read_quantity(written: &str) -> Result<Quantity, ValueError> {
    let quantity = match written.parse::<Decimal>() {
        // The plain form of JSON, unless it is the one that people group thousands in.
        Ok(number) if !written::is_ambiguous_number(written) => Quantity::plain(number),
        Err(ValueError::TooManyDigits) => return Err(ValueError::TooManyDigits),
        _ => written::read_quantity(written)?,
    };
    // A unit that would itself be read as a scale or another number would not survive being displayed.
    let shown = quantity.to_string();
    if shown != written && written::read_quantity(&shown).as_ref() != Ok(&quantity) {
        return Err(ValueError::Unreadable { value_type: ValueType::Number, written: written.to_owned() });
    }
    Ok(quantity)
}

fn read_date(written: &str) -> Result<PartialDate, ValueError> {
    match iso_date(written) {
        Some(date) => date,
        None => written::read_date(written),
    }
}

fn read_instant(written: &str) -> Result<ZonedDateTime, ValueError> {
    static PARSER: DateTimeParser = DateTimeParser::new();
    let refused = |reason: String| ValueError::NotAnInstant { written: written.to_owned(), reason };
    let pieces: Pieces<'_> = PARSER.parse_pieces(written).map_err(|error| refused(error.to_string()))?;
    let time = pieces.time().ok_or_else(|| refused("it has no time of day".to_owned()))?;
    let database = TimeZoneDatabase::bundled();
    let zone = pieces.to_time_zone_with(&database).map_err(|error| refused(error.to_string()))?;
    let at = pieces.date().to_datetime(time);
    let instant = match (pieces.to_numeric_offset(), zone) {
        (None, None) => return Err(refused("it has neither an offset nor a zone".to_owned())),
        (Some(offset), None) if offset.is_zero() => at.to_zoned_datetime(TimeZone::UTC),
        (Some(offset), None) => at.to_zoned_datetime(TimeZone::fixed(offset)),
        (None, Some(zone)) => zone.to_ambiguous_zoned_datetime(at).unambiguous(),
        (Some(offset), Some(zone)) => {
            OffsetConflict::Reject.resolve(at, offset, zone).and_then(|ambiguous| ambiguous.unambiguous())
        }
    };
    let instant = instant.map_err(|error| refused(error.to_string()))?;
    // The moment in UTC is the key; near the ends of the calendar, and in year 0, it has none.
    if instant.year() == 0 || Timestamp::from(&instant).to_zoned_datetime(TimeZone::UTC).year() == 0 {
        return Err(InvalidDate::YearZero.into());
    }
    Ok(instant)
}
