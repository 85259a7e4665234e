//! Bytes to text, with the damage marked rather than hidden.
//!
//! A conversation of a thousand messages must not be lost for one bad byte in one of them. Invalid bytes become one
//! marker character that stands nowhere else in the file; the collector refuses each record that contains it and
//! keeps the others.

use std::borrow::Cow;

/// One file, unpacked and decoded.
pub(crate) struct File<'a> {
    pub name: Cow<'a, str>,
    pub text: String,
    /// The character that stands for invalid bytes in `text`, when there were any.
    pub marker: Option<char>,
}

/// What [`decode`] found.
pub(crate) struct Decoded {
    pub text: String,
    pub marker: Option<char>,
}

impl<'a> File<'a> {
    pub fn new(name: Cow<'a, str>, bytes: Cow<'a, [u8]>) -> Self {
        let Decoded { text, marker } = decode(&bytes);
        Self { name, text, marker }
    }

    /// The part of the name after the last `/`.
    pub fn base_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The base name without its last extension.
    pub fn stem(&self) -> &str {
        let base = self.base_name();
        match base.rsplit_once('.') {
            Some((stem, _)) if !stem.is_empty() => stem,
            _ => base,
        }
    }

    /// The folder the file lies in, by its own name.
    pub fn folder(&self) -> Option<&str> {
        self.name.rsplit('/').nth(1).filter(|folder| !folder.is_empty())
    }

    /// A name for a conversation whose export carries no id: the stem, with the folder in front where the program
    /// gives every export the same file name.
    pub fn conversation_name(&self) -> String {
        const GENERIC: &[&str] = &[
            "_chat",
            "chat",
            "messages",
            "message_1",
            "result",
            "conversations",
            "session",
            "transcript",
            "updates",
        ];
        match self.folder() {
            Some(folder) if GENERIC.contains(&self.stem()) => format!("{folder}/{}", self.stem()),
            _ => self.stem().to_owned(),
        }
    }

    /// Lines that are not blank, with their numbers from 1. A carriage return at the end is not part of a line.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .split('\n')
            .enumerate()
            .map(|(index, line)| (index + 1, line.strip_suffix('\r').unwrap_or(line)))
            .filter(|(_, line)| !line.trim().is_empty())
    }
}

/// UTF-8, or UTF-16 where a byte order mark says so. Linear.
pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        return decode_utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFE, 0xFF]) {
        return decode_utf16(rest, u16::from_be_bytes);
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded { text: text.to_owned(), marker: None },
        Err(_) => {
            let marker = free_marker(&String::from_utf8_lossy(bytes));
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text.push_str(chunk.valid());
                if !chunk.invalid().is_empty() {
                    text.push(marker);
                }
            }
            Decoded { text, marker: Some(marker) }
        }
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    // An odd last byte is half a unit: damage like any other.
    let units = bytes.chunks(2).map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0xD800,
    });
    let characters: Vec<Result<char, ()>> =
        char::decode_utf16(units).map(|found| found.map_err(drop)).collect();
    if characters.iter().all(Result::is_ok) {
        return Decoded { text: characters.into_iter().flatten().collect(), marker: None };
    }
    let marker = free_marker(&characters.iter().flatten().collect::<String>());
    Decoded {
        text: characters.into_iter().map(|found| found.unwrap_or(marker)).collect(),
        marker: Some(marker),
    }
}

/// A noncharacter the text contains neither as itself nor as a JSON escape.
fn free_marker(text: &str) -> char {
    ('\u{FDD0}'..='\u{FDEF}')
        .find(|candidate| {
            let code = u32::from(*candidate);
            !text.contains(*candidate)
                && !text.contains(&format!("\\u{code:04x}"))
                && !text.contains(&format!("\\u{code:04X}"))
        })
        // Thirty-two noncharacters in one damaged file is a made-up case; a record that holds the last is refused.
        .unwrap_or('\u{FDEF}')
}
