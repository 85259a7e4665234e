//! The readers of written forms: what they find stands there, what they read they print so that it reads the same, and a value that is
//! grounded in some words is grounded in more.

use std::sync::LazyLock;

use jiff::ZonedDateTime;
use ledger::entity::EntityRef;
use ledger::time::{Moment, Zone};
use ledger::value::{PartialDate, RawValue, Stated, Value, ValueType};
use ledger::written::{Found, dates_in, days_in, names_in, numbers_in, times_in, ungrounded};

use super::{choices, text, texts};
use crate::at;

/// When the words were said, for those that count from there: a winter's evening in a zone with summer time.
static ANCHOR: LazyLock<ZonedDateTime> = LazyLock::new(|| {
    let zone = Zone::parse("Europe/Zagreb").expect("a zone of the bundled database");
    Moment { instant: at("2026-03-01T20:30"), zone }.zoned()
});

/// Everything found stands in the text, in order.
fn assert_places<T>(text: &str, found: &[Found<T>]) {
    for one in found {
        let words = text.get(one.start..one.end).expect("a place on character boundaries");
        assert!(!words.trim().is_empty(), "found in nothing");
    }
    assert!(found.is_sorted_by_key(|one| one.start), "in the order they stand");
}

/// What is printed is read as the same value again.
fn assert_reads_back(value: &Value) {
    let printed = value.to_string();
    let read = Value::read(value.value_type(), &RawValue::from(printed.as_str()));
    let read = read.unwrap_or_else(|error| panic!("`{printed}` is printed and not read: {error}"));
    assert_eq!(read.value, *value, "`{printed}` is printed and read as something else");
    assert_eq!(read.value.key(), value.key());
}

pub(super) fn dates(bytes: &[u8]) {
    let text = text(bytes);
    let found = dates_in(&text, Some(&ANCHOR));
    assert_places(&text, &found);
    for date in &found {
        assert!(date.value.implies(&date.value));
        assert_reads_back(&Value::Date(date.value));
        if let Some(civil) = date.value.to_civil() {
            assert_eq!(PartialDate::from_civil(civil), Some(date.value));
            assert_eq!(date.value.span(), Some((civil, civil)));
        }
    }
    assert_places(&text, &dates_in(&text, None));
    let days = days_in(&text, &ANCHOR);
    assert_places(&text, &days);
    assert!(days.iter().all(|days| days.value.0 <= days.value.1), "days that end before they begin");
}

pub(super) fn times(bytes: &[u8]) {
    let text = text(bytes);
    let found = times_in(&text);
    assert_places(&text, &found);
    found.iter().for_each(|time| assert_reads_back(&Value::TimeOfDay(time.value)));
}

pub(super) fn numbers(bytes: &[u8]) {
    let text = text(bytes);
    let found = numbers_in(&text);
    assert_places(&text, &found);
    for number in found {
        assert_reads_back(&Value::Number(number.value));
    }
}

pub(super) fn names(bytes: &[u8]) {
    let text = text(bytes);
    let found = names_in(&text);
    assert_places(&text, &found);
    for name in &found {
        assert_eq!(text.get(name.start..name.end), Some(name.value.as_str()), "a name is as it is written");
    }
    if let Ok(entity) = EntityRef::from_words(&text) {
        assert_eq!(EntityRef::parse(entity.as_str()).as_ref(), Ok(&entity), "a slug is read as itself");
    }
    if let Ok(entity) = EntityRef::parse(&text) {
        assert_eq!(EntityRef::parse(entity.as_str()).as_ref(), Ok(&entity), "a slug is read as itself");
    }
}

/// One choice: the type. Texts: the value, two quotes.
pub(super) fn values(bytes: &[u8]) {
    let ([value_type], rest) = choices(bytes);
    let mut texts = texts(rest);
    let raw = RawValue::Text(texts.next().unwrap_or_default());
    let value_type = ValueType::ALL[value_type as usize % ValueType::ALL.len()];
    let Ok(stated) = Value::read(value_type, &raw) else { return };
    assert_eq!(stated.value.value_type(), value_type);
    assert_reads_back(&stated.value);
    let key = stated.value.key();
    let read = Value::read(value_type, &RawValue::from(key.as_str())).expect("a key is a value");
    assert_eq!(read.value.key(), key, "a key is read as a value with that key");
    let json = serde_json::to_string(&stated).expect("a value is written as JSON");
    let read: Stated = serde_json::from_str(&json).expect("what was written as JSON is read");
    assert_eq!(read.value.key(), key);
    assert_eq!(ungrounded(&stated, &[&stated.written], Some(&ANCHOR)), None, "a value stands in itself");
    let (first, second) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
    if ungrounded(&stated, &[&first], Some(&ANCHOR)).is_none() {
        let both = ungrounded(&stated, &[&first, &second], Some(&ANCHOR));
        assert_eq!(both, None, "what stands in one quote stands in two");
    }
}
