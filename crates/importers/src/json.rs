//! JSON in pieces, so that one bad record costs one record.
//!
//! A top-level array is cut into its elements first and each is parsed alone: a damaged or cut-off export gives up
//! its whole conversations, and memory follows the largest element rather than the file.

use serde_json::Value;

use crate::{Reason, collect::Collector, decode::File};

/// One JSON value with its place in the file.
pub(crate) struct Piece {
    pub place: String,
    pub value: Value,
}

/// The elements of a top-level array, or the one value of any other file. What does not parse is refused.
pub(crate) fn pieces(file: &File<'_>, out: &mut Collector<'_>) -> Vec<Piece> {
    let text = file.text.trim_start();
    if !text.starts_with('[') {
        return parse(file, "file".to_owned(), text, out).into_iter().collect();
    }
    let (elements, closed) = elements(text);
    let mut found = Vec::with_capacity(elements.len());
    let last = elements.len();
    for (index, element) in elements.into_iter().enumerate() {
        let place = format!("[{index}]");
        if index + 1 == last && !closed && serde_json::from_str::<Value>(element).is_err() {
            out.refuse(file, &place, Reason::Truncated, "the file ends within this record");
        } else {
            found.extend(parse(file, place, element, out));
        }
    }
    if !closed {
        out.notice(format!("`{}` ends before its list does: the export is cut off", file.name));
    }
    found
}

/// Parses one record, refusing it in its place when it is not JSON.
pub(crate) fn parse(file: &File<'_>, place: String, text: &str, out: &mut Collector<'_>) -> Option<Piece> {
    match serde_json::from_str(text) {
        Ok(value) => Some(Piece { place, value }),
        Err(error) => {
            let damaged = file.marker.is_some_and(|marker| text.contains(marker));
            let reason = if error.to_string().starts_with("recursion limit") {
                Reason::JsonTooDeep
            } else if damaged {
                Reason::InvalidUtf8
            } else if error.is_eof() {
                Reason::Truncated
            } else {
                Reason::BadJson
            };
            // The parser's message names a position and never the text, so it can be shown and logged.
            out.refuse(file, &place, reason, &error.to_string());
            None
        }
    }
}

/// The first record of a file, for recognising it: the first element of an array, or the whole value.
pub(crate) fn first(text: &str) -> Option<Value> {
    let text = text.trim_start();
    let (element, _) = match text.strip_prefix('[') {
        Some(inside) => next_element(inside)?,
        None => (text, text.len()),
    };
    serde_json::from_str(element).ok()
}

/// `text` begins with `[`. The spans of its elements, and whether the closing bracket was there.
fn elements(text: &str) -> (Vec<&str>, bool) {
    let mut rest = &text[1..];
    let mut found = Vec::new();
    loop {
        let Some((element, end)) = next_element(rest) else { return (found, false) };
        if !element.trim().is_empty() {
            found.push(element.trim());
        }
        match rest.as_bytes().get(end) {
            Some(b',') => rest = &rest[end + 1..],
            Some(b']') => return (found, true),
            _ => return (found, false),
        }
    }
}

/// The text up to the comma or bracket that ends an element, and that position. `None` at the end of the text.
fn next_element(text: &str) -> Option<(&str, usize)> {
    if text.is_empty() {
        return None;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (position, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            // Only ASCII bytes are matched, so `position` is a character boundary.
            b',' | b']' | b'}' if depth == 0 => return Some((&text[..position], position)),
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    Some((text, text.len()))
}

/// A string field that is not empty.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|found| !found.is_empty())
}

/// A field that names something, written as a string or a number.
pub(crate) fn id(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::String(found) if !found.is_empty() => Some(found.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// An array field; empty when absent or of another type.
pub(crate) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
