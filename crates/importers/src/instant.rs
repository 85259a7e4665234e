//! Written times to instants with a zone.
//!
//! Exports write time as RFC 3339, as seconds or milliseconds since 1970 (whole, broken, or as a string), or as a
//! local time without a zone. Each is read here and nowhere else. What names no instant gives `None`.

use jiff::{Timestamp, ZonedDateTime, civil, fmt::temporal::Pieces, tz::TimeZone};
use serde_json::Value;

/// RFC 3339, with `[Zone]` or without; a time without an offset is read in `zone`. Seconds written as a string are
/// read too.
pub(crate) fn from_text(text: &str, zone: &TimeZone) -> Option<ZonedDateTime> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return from_seconds(seconds);
    }
    match (strict(text), civil::DateTime::strptime("%Y-%m-%d %H:%M:%S", text)) {
        (Some(zoned), _) => Some(zoned),
        (None, Ok(local)) => local.to_zoned_datetime(zone.clone()).ok(),
        (None, Err(_)) => {
            let local: civil::DateTime = text.parse().ok()?;
            local.to_zoned_datetime(zone.clone()).ok()
        }
    }
}

/// RFC 3339 with an offset, a `[Zone]`, or both.
pub(crate) fn strict(text: &str) -> Option<ZonedDateTime> {
    let pieces = Pieces::parse(text).ok()?;
    pieces.time()?;
    if pieces.time_zone_annotation().is_some() {
        return text.parse::<ZonedDateTime>().ok();
    }
    let offset = pieces.to_numeric_offset()?;
    let instant: Timestamp = text.parse().ok()?;
    Some(instant.to_zoned_datetime(offset.to_time_zone()))
}

/// Seconds since 1970, to the microsecond.
pub(crate) fn from_seconds(seconds: f64) -> Option<ZonedDateTime> {
    // Beyond this no calendar time exists, and the cast below stays exact.
    if !seconds.is_finite() || seconds.abs() > 400_000_000_000.0 {
        return None;
    }
    let instant = Timestamp::from_microsecond((seconds * 1e6).round() as i64).ok()?;
    Some(instant.to_zoned_datetime(TimeZone::UTC))
}

/// Milliseconds since 1970.
pub(crate) fn from_milliseconds(milliseconds: i64) -> Option<ZonedDateTime> {
    Some(Timestamp::from_millisecond(milliseconds).ok()?.to_zoned_datetime(TimeZone::UTC))
}

/// Whatever a JSON field holds: text, seconds, or milliseconds. A number past the year 5138 as seconds is read as
/// milliseconds, as no export holds such a year and many hold milliseconds.
pub(crate) fn from_json(value: &Value, zone: &TimeZone) -> Option<ZonedDateTime> {
    const MILLISECONDS_FROM: f64 = 100_000_000_000.0;
    match value {
        Value::String(text) => from_text(text, zone),
        Value::Number(number) => {
            let amount = number.as_f64()?;
            let milliseconds = number.as_i64().filter(|_| amount.abs() >= MILLISECONDS_FROM);
            match milliseconds {
                Some(milliseconds) => from_milliseconds(milliseconds),
                None if amount.abs() >= MILLISECONDS_FROM => from_seconds(amount / 1000.0),
                None => from_seconds(amount),
            }
        }
        // MongoDB's extended JSON, as in Grok's export.
        Value::Object(object) => match object.get("$date")? {
            Value::Object(inner) => from_milliseconds(inner.get("$numberLong")?.as_str()?.parse().ok()?),
            other => from_json(other, zone),
        },
        _ => None,
    }
}
