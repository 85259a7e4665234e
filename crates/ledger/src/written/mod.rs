//! Written forms: how people put numbers, times, dates and names into words, in English and Croatian, and
//! whether a value stands in a quote in any of them.
//!
//! A claim's value is normalised (`09:30`) and its quote is not (`pola deset`). [`ungrounded`] decides that
//! the second says the first; the readers it uses are public for whoever else needs them. Everything here
//! is pure and linear in the text: each reader passes once over the tokens and looks at a bounded number of
//! neighbours. What has two meanings is reported with both, and a value stands if either is its own; only
//! reading a *value* ([`crate::value::Value::read`]) insists on one.
//!
//! The forms of other languages are not read as dates, times or number words; their digits, names and words
//! are compared as they stand.

mod address;
mod clock;
mod date;
mod ground;
mod language;
mod name;
mod number;
mod token;

use jiff::ZonedDateTime;
use jiff::civil::Date;

use crate::value::{PartialDate, Quantity, TimeOfDay, ValueError};

pub use ground::{Piece, Ungrounded, ungrounded};
use token::Tokens;

/// Something found in a text, and where: bytes `start..end`, on character boundaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// What was found.
    pub value: T,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// Every date of a text, whole or partial, in the order it stands; several at one place when it has several
/// meanings (`03/04/2026`).
///
/// Relative dates (`next Friday`, `za dva tjedna`) and the years of dates without one need the moment and zone
/// at which the words were said; without it the first are left out and the second stay without a year.
pub fn dates_in(text: &str, anchor: Option<&ZonedDateTime>) -> Vec<Found<PartialDate>> {
    let tokens = Tokens::of(text);
    let found = date::scan(&tokens).into_iter().flat_map(|mention| {
        let (start, end) = tokens.span(mention.from, mention.to);
        date::resolve(mention.meant, anchor).into_iter().map(move |value| Found { value, start, end })
    });
    found.collect()
}

/// Every stretch of days that a text names, by its first and its last day, in the order it stands: a day, a week, a month or a year,
/// written or counted from `anchor` (`12 June`, `last week`, `lani`). Several at one place when it has several meanings.
pub fn days_in(text: &str, anchor: &ZonedDateTime) -> Vec<Found<(Date, Date)>> {
    let tokens = Tokens::of(text);
    let found = date::scan(&tokens).into_iter().flat_map(|mention| {
        let (start, end) = tokens.span(mention.from, mention.to);
        date::days(mention.meant, anchor).into_iter().map(move |value| Found { value, start, end })
    });
    found.collect()
}

/// Every time of day, in the order it stands. Bare hours count where a word makes them one: `after 10`, `u 9`.
pub fn times_in(text: &str) -> Vec<Found<TimeOfDay>> {
    let tokens = Tokens::of(text);
    let found = clock::scan(&tokens).into_iter().map(|mention| {
        let (start, end) = tokens.span(mention.from, mention.to);
        Found { value: mention.time, start, end }
    });
    found.collect()
}

/// Every number with its unit, in the order it stands; several at one place when it has several meanings
/// (`1.250`). The digits of dates and of times with a colon are no numbers; a year standing alone is.
pub fn numbers_in(text: &str) -> Vec<Found<Quantity>> {
    let tokens = Tokens::of(text);
    let hidden = ground::hidden(&tokens, &date::scan(&tokens), &clock::scan(&tokens));
    let found = number::scan(&tokens, &hidden).into_iter().flat_map(|mention| {
        let (start, end) = tokens.span(mention.from, mention.to);
        mention.readings.into_iter().map(move |value| Found { value, start, end })
    });
    let mut found: Vec<Found<Quantity>> = found.collect();
    // A row of digits is cut in one way after another: `8 068,14.9` may be two numbers or three.
    found.sort_by_key(|one| one.start);
    found
}

/// Every name as it is written: capitalised words side by side, and words with inner capitals or digits. The
/// first word of a sentence counts unless it is one that often opens sentences.
pub fn names_in(text: &str) -> Vec<Found<String>> {
    let tokens = Tokens::of(text);
    let found = name::scan(&tokens).into_iter().map(|mention| {
        let (start, end) = tokens.span(mention.from, mention.to);
        Found { value: text[start..end].to_owned(), start, end }
    });
    found.collect()
}

/// Reads a whole string as one date.
pub(crate) fn read_date(written: &str) -> Result<PartialDate, ValueError> {
    date::read(written)
}

/// Reads a whole string as one time of day.
pub(crate) fn read_time(written: &str) -> Option<TimeOfDay> {
    clock::read(written)
}

/// Reads a whole string as one number with an optional unit.
pub(crate) fn read_quantity(written: &str) -> Result<Quantity, ValueError> {
    number::read(written)
}

/// Whether the plain form of a number is also how some write thousands.
pub(crate) fn is_ambiguous_number(written: &str) -> bool {
    number::is_ambiguous(written)
}
