//! What a token is made of: is it random, or a word, a name, a number?

use crate::quote::Span;

/// Longer runs are data (an image, a file), not a credential anyone remembers.
const TOKEN_BYTES_MAX: usize = 600;
/// Shorter runs need a name beside them to mean anything.
const LONG_BYTES_MIN: usize = 20;

/// Characters counted by class.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Classes {
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digits: usize,
    pub(super) marks: usize,
    /// Changes between classes from one character to the next.
    pub(super) changes: usize,
    /// All letters and digits are hexadecimal.
    pub(super) hex: bool,
}

impl Classes {
    pub(super) fn of(token: &str) -> Self {
        let mut classes = Self { hex: true, ..Self::default() };
        let mut last = 0_u8;
        for byte in token.bytes() {
            let class = match byte {
                b'a'..=b'z' => 1,
                b'A'..=b'Z' => 2,
                b'0'..=b'9' => 3,
                _ => 4,
            };
            match class {
                1 => classes.lower += 1,
                2 => classes.upper += 1,
                3 => classes.digits += 1,
                _ => classes.marks += 1,
            }
            classes.changes += usize::from(last != 0 && last != class);
            classes.hex &= byte.is_ascii_hexdigit() || byte == b'-';
            last = class;
        }
        classes
    }

    pub(super) const fn letters(&self) -> usize {
        self.lower + self.upper
    }

    pub(super) const fn alphanumeric(&self) -> usize {
        self.lower + self.upper + self.digits
    }
}

/// What one pass over the bytes of a text finds.
#[derive(Default)]
pub(super) struct Words {
    /// Runs of token characters of at least [`LONG_BYTES_MIN`] bytes.
    pub(super) long: Vec<Span>,
    /// Runs of three or more short pieces that are no ordinary words.
    pub(super) piecewise: Vec<Span>,
    /// Digits in the whole text.
    pub(super) digits: usize,
    /// The longest row of words in lower case.
    pub(super) lower_row_max: usize,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        let mut words = Self::default();
        let bytes = text.as_bytes();
        let mut start = None;
        for (at, byte) in bytes.iter().enumerate() {
            words.digits += usize::from(byte.is_ascii_digit());
            let inside = byte.is_ascii_alphanumeric()
                || matches!(byte, b'+' | b'/' | b'_' | b'=' | b'.' | b'-' | b'~' | b'%');
            match (inside, start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => {
                    words.note_long(from, at);
                    start = None;
                }
                _ => {}
            }
        }
        if let Some(from) = start {
            words.note_long(from, bytes.len());
        }
        words.note_rows(text);
        words
    }

    fn note_long(&mut self, from: usize, to: usize) {
        if to - from >= LONG_BYTES_MIN {
            self.long.push(Span::new(from, to));
        }
    }

    fn note_rows(&mut self, text: &str) {
        let mut pieces = 0;
        let mut pieces_start = 0;
        let mut pieces_end = 0;
        let mut lower_row = 0;
        let mut offset = 0;
        for raw in text.split(|character: char| character.is_whitespace()) {
            let start = offset;
            offset += raw.len();
            // Step over the white space that ended this piece.
            offset += text[offset..].chars().next().map_or(0, char::len_utf8);
            if raw.is_empty() {
                continue;
            }
            let lower = raw.bytes().all(|byte| byte.is_ascii_lowercase());
            lower_row = if lower { lower_row + 1 } else { 0 };
            self.lower_row_max = self.lower_row_max.max(lower_row);
            if is_piece(raw) {
                if pieces == 0 {
                    pieces_start = start;
                }
                pieces += 1;
                pieces_end = start + raw.len();
            } else {
                self.note_pieces(pieces, pieces_start, pieces_end);
                pieces = 0;
            }
        }
        self.note_pieces(pieces, pieces_start, pieces_end);
    }

    fn note_pieces(&mut self, pieces: usize, start: usize, end: usize) {
        if pieces >= 3 {
            self.piecewise.push(Span::new(start, end));
        }
    }
}

/// The pieces of a row, without the white space between them.
pub(super) fn pieces(text: &str, row: Span) -> Vec<Span> {
    let mut offset = row.start;
    let mut pieces = Vec::new();
    for raw in row.slice(text).unwrap_or_default().split_inclusive(char::is_whitespace) {
        let piece = raw.trim_end();
        if !piece.is_empty() {
            pieces.push(Span::new(offset, offset + piece.len()));
        }
        offset += raw.len();
    }
    pieces
}

/// A short piece that is no ordinary word: one or two characters, or with a digit or a capital inside it.
fn is_piece(raw: &str) -> bool {
    let token = raw
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'='));
    let odd = raw.len() <= 2
        || raw.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_')
        || raw.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        || raw.ends_with('-');
    token && raw.len() <= 16 && odd
}

/// Whether a token needs no name to look like a key: long, of mixed case with digits, changing class often.
pub(super) fn random_alone(token: &str) -> bool {
    let token = token.trim_matches(['=', '.', '-', '_', '/', '+', '%', '~']);
    if token.len() < 28 || token.len() > TOKEN_BYTES_MAX {
        return false;
    }
    let classes = Classes::of(token);
    let mixed = classes.lower >= 5 && classes.upper >= 5 && classes.digits >= 3;
    let restless = classes.changes * 3 >= token.len();
    mixed && restless && wordy_share(token) < 0.4 && classes.marks * 5 <= token.len()
}

/// How much a name beside a token asks of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// Behind `secret =` or `token:`.
    Assigned,
    /// Near a strong name.
    Near,
    /// Near a word such as `key` or `access`.
    Weak,
}

/// Whether a token beside a name looks like its value.
pub(super) fn random_named(token: &str, demand: Demand) -> bool {
    let token = token.trim_matches(['=', '.', '-', '_', '/', '+', '%', '~', '\\', '*', '!', '?']);
    if token.len() < 8 || is_dotted_number(token) {
        return false;
    }
    // A long value shows what it is in its beginning. Tokens are ASCII where they matter.
    let token = token.get(..256).unwrap_or(token);
    let classes = Classes::of(token);
    let length = classes.alphanumeric();
    let wordy = wordy_share(token);
    if wordy > 0.75 || wordy > 0.5 && classes.digits < 4 || classes.marks * 3 > token.len() {
        return false;
    }
    let mixed = classes.letters() >= 2 && classes.digits >= 2;
    let three = classes.lower >= 2 && classes.upper >= 2 && classes.digits >= 1;
    let letters_only =
        classes.digits == 0 && length >= 20 && (classes.changes >= 6 || classes.hex && token.len() >= 24);
    match demand {
        Demand::Assigned => {
            (length >= 14 && mixed)
                || (length >= 10 && three && classes.changes >= 4)
                || (length >= 11 && classes.digits >= 3 && classes.letters() >= 3 && classes.changes >= 4)
                || letters_only
                || (length >= 20 && classes.marks == 0 && wordy < 0.3)
                || (length >= 16 && classes.letters() == 0 && classes.marks == 0)
                || (length >= 24 && classes.digits >= 1 && wordy < 0.5)
        }
        Demand::Near => {
            (length >= 16 && mixed && classes.digits >= 3)
                || (length >= 24 && letters_only && classes.changes >= 8)
        }
        Demand::Weak => length >= 20 && mixed && classes.digits >= 3 && classes.letters() >= 3,
    }
}

/// `1.2.3`, `192.168.0.1`, `2026-03-01`, `+385 91 …`: numbers with marks.
fn is_dotted_number(token: &str) -> bool {
    let marks = token.bytes().filter(|byte| !byte.is_ascii_alphanumeric()).count();
    marks >= 2
        && token
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'/' | b':' | b'+' | b'v'))
}

/// The share of a token's bytes that lie in runs of four or more letters which could be a word: with vowels in
/// ordinary number, no long row of consonants, and one case throughout (a first capital aside).
pub(super) fn wordy_share(token: &str) -> f64 {
    let bytes = token.as_bytes();
    let mut wordy = 0;
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        // A capital behind a small letter begins the next word, as in `clientSecret`.
        while at < bytes.len()
            && bytes[at].is_ascii_alphabetic()
            && !(bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase())
        {
            at += 1;
        }
        if is_wordlike(&bytes[start..at]) {
            wordy += at - start;
        }
    }
    if bytes.is_empty() {
        0.0
    } else {
        f64::from(u32::try_from(wordy).unwrap_or(u32::MAX))
            / f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX))
    }
}

fn is_wordlike(run: &[u8]) -> bool {
    if run.len() < 4 || run.len() > 20 {
        return false;
    }
    let inner_upper = run.iter().skip(1).filter(|byte| byte.is_ascii_uppercase()).count();
    if inner_upper != 0 && inner_upper != run.len() - 1 {
        return false;
    }
    let mut vowels = 0;
    let mut row = 0;
    let mut row_max = 0;
    for byte in run {
        if matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y') {
            vowels += 1;
            row = 0;
        } else {
            row += 1;
            row_max = row_max.max(row);
        }
    }
    let ordinary = vowels * 5 >= run.len() && vowels * 4 <= run.len() * 3 && row_max <= 4;
    // `abcdef` and its repetitions are keyboard order or hexadecimal, not a word.
    let ordered = run.windows(4).any(|four| four.windows(2).all(|pair| pair[1] == pair[0].wrapping_add(1)));
    ordinary && !ordered
}

/// Whether a random-looking token is an open identifier by its form or its neighbours: a UUID, a hash, part of a link or path.
pub(super) fn is_open_identifier(text: &str, span: Span) -> bool {
    let token = span.slice(text).unwrap_or_default();
    let classes = Classes::of(token);
    let mut from = span.start.saturating_sub(200);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let before = text.get(from..span.start).unwrap_or_default();
    let glued = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let path = token.matches('/').count() >= 3 && wordy_share(token) > 0.2
        || token.starts_with('/')
        || token.starts_with("./");
    classes.hex
        || glued.contains("://")
        || glued.ends_with("base64,")
        || ["sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "sha512:", "www."]
            .iter()
            .any(|mark| token.starts_with(mark) || glued.ends_with(mark))
        || path
        || token.contains("://")
}

/// What a base64 token says, if that is text. Bounded by [`TOKEN_BYTES_MAX`] times four.
pub(super) fn base64_text(token: &str) -> Option<String> {
    let body = token.trim_end_matches('=');
    if body.len() < LONG_BYTES_MIN - 2 || body.len() > TOKEN_BYTES_MAX * 4 || body.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(body.len() * 3 / 4);
    let mut buffer = 0_u32;
    let mut bits = 0;
    for byte in body.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        buffer = (buffer << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).unwrap_or(0));
            buffer &= (1 << bits) - 1;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let printable =
        text.chars().all(|character| !character.is_control() || matches!(character, '\n' | '\r' | '\t'));
    printable.then_some(text)
}
