//! Does a text hold a credential?
//!
//! Memory is read back into prompts and answers, so a password or key that gets in will get out. The gate therefore
//! refuses a value or quote in which [`secret_like`] sees one of:
//!
//! - a **known shape**: provider prefixes (a table of facts), JSON web tokens, private key blocks, password hashes,
//!   credentials in an address, payment card numbers that pass Luhn, recovery phrases of 12 to 24 words;
//! - a **named value**: a word such as `password`, `lozinka`, `api key`, `PIN` and, after it, something that can be
//!   its value: for passwords anything that is no ordinary word or placeholder, for keys something random;
//! - a **random token** with no name beside it, if it is long and mixes cases and digits;
//! - any of these behind **base64**, split by zero-width characters, or split by spaces.
//!
//! Deliberately not flagged: identifiers that are random but open (UUIDs, commit and content hashes, ISBNs, version
//! numbers, links, paths) unless something names them a key; and **IBANs**: an account number is given to everyone
//! who should pay, people ask an assistant to keep it, and it opens nothing by itself. A deployment that thinks
//! otherwise says so in its policy, not here.
//!
//! A text without any trigger costs one automaton pass and one pass over its tokens. All work is linear: every
//! candidate looks at a bounded window.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use crate::quote::Span;

mod context;
mod prefixes;
mod shape;
mod structure;
mod triggers;

use triggers::Trigger;

/// A part of a text that looks like a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SecretLike {
    /// What it looks like: `provider_token`, `jwt`, `private_key`, `password_hash`, `url_credentials`, `card_number`,
    /// `seed_phrase`, `password`, `pin`, `api_key`, `random_token` or `base64_secret`. Stable: tests and counters use it.
    pub kind: &'static str,
    /// Where it stands, in bytes of the text, on character boundaries.
    pub span: Span,
}

/// The first thing in `text` that looks like a credential, or `None`.
#[must_use]
pub fn secret_like(text: &str) -> Option<SecretLike> {
    let visible = Visible::of(text);
    let found = search(&visible.text, 0)?;
    Some(SecretLike { span: visible.original(found.span), ..found })
}

/// How many wrappings of base64 are opened.
const UNWRAP_MAX: usize = 2;

fn search(text: &str, depth: usize) -> Option<SecretLike> {
    for (trigger, at) in triggers::all(text) {
        let found = match trigger {
            Trigger::Prefix(index) => prefixes::token_at(text, at, index),
            Trigger::Structure(structure) => structure::at(text, at, structure),
            Trigger::Name(name) => context::named_value(text, at, name),
        };
        if found.is_some() {
            return found;
        }
    }
    let words = shape::Words::of(text);
    structure::card_number(text, &words)
        .or_else(|| structure::seed_phrase(text, &words))
        .or_else(|| long_token(text, &words, depth))
        .or_else(|| split_token(text, &words))
}

/// A random token, or base64 around something secret.
fn long_token(text: &str, words: &shape::Words, depth: usize) -> Option<SecretLike> {
    words.long.iter().find_map(|span| {
        let token = span.slice(text)?;
        if depth < UNWRAP_MAX
            && let Some(inside) = shape::base64_text(token)
        {
            return search(&inside, depth + 1).map(|_| SecretLike { kind: "base64_secret", span: *span });
        }
        if is_bot_token(text, *span) {
            return Some(SecretLike { kind: "provider_token", span: *span });
        }
        let named_as_code = shape::is_open_identifier(text, *span);
        let random = !named_as_code && shape::random_alone(token);
        random.then_some(SecretLike { kind: "random_token", span: *span })
    })
}

/// `123456789:AAF…`: an account's number, a colon and 35 characters, as chat bots have them.
fn is_bot_token(text: &str, span: Span) -> bool {
    let before = text.get(..span.start).and_then(|before| before.strip_suffix(':')).unwrap_or_default();
    let digits = before.bytes().rev().take(12).take_while(u8::is_ascii_digit).count();
    (8..=11).contains(&digits) && (33..=37).contains(&span.len())
}

/// More pieces than this are not one token.
const PIECES_MAX: usize = 24;

/// `AKIA IOSF ODNN 7EXA MPLE`: pieces that only together have a known prefix and length.
fn split_token(text: &str, words: &shape::Words) -> Option<SecretLike> {
    words.piecewise.iter().find_map(|row| {
        let pieces = shape::pieces(text, *row);
        (0..pieces.len()).find_map(|first| joined_token(text, &pieces[first..]))
    })
}

/// The longest token that begins with the first of `pieces`.
fn joined_token(text: &str, pieces: &[Span]) -> Option<SecretLike> {
    let mut joined = String::new();
    let mut ends = Vec::new();
    for piece in pieces.iter().take(PIECES_MAX) {
        joined.push_str(piece.slice(text)?);
        ends.push((joined.len(), piece.end));
    }
    triggers::all(&joined).find_map(|(trigger, at)| {
        let Trigger::Prefix(index) = trigger else { return None };
        let fits = |(length, end): &(usize, usize)| {
            let token = prefixes::token_at(joined.get(..*length)?, 0, index)?;
            // A token that ends before its last piece left that piece out.
            (token.span.len() == *length)
                .then(|| SecretLike { kind: token.kind, span: Span::new(pieces[0].start, *end) })
        };
        (at == 0).then(|| ends.iter().rev().find_map(fits)).flatten()
    })
}

/// A text without the characters that print nothing and with full-width and other styled letters as plain ones, and
/// the way back.
struct Visible<'t> {
    text: Cow<'t, str>,
    /// `(offset in the visible text, offset in the original)` behind each character that was hidden or replaced,
    /// ascending.
    shifts: Vec<(usize, usize)>,
    original: &'t str,
}

impl<'t> Visible<'t> {
    fn of(original: &'t str) -> Self {
        let hidden = |character: char| matches!(character, '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        let changes = |character: char| hidden(character) || plain(character) != character;
        if original.is_ascii() || !original.contains(changes) {
            return Self { text: Cow::Borrowed(original), shifts: Vec::new(), original };
        }
        let mut text = String::with_capacity(original.len());
        let mut shifts = Vec::new();
        for (offset, character) in original.char_indices() {
            let shown = plain(character);
            if !hidden(character) {
                text.push(shown);
            }
            if hidden(character) || shown != character {
                shifts.push((text.len(), offset + character.len_utf8()));
            }
        }
        Self { text: Cow::Owned(text), shifts, original }
    }

    fn original(&self, span: Span) -> Span {
        let start = self.offset(span.start);
        let last = self.text.get(span.start..span.end).and_then(|found| found.char_indices().next_back());
        let end = last.map_or(start, |(offset, _)| {
            // The last character's start, moved, plus its length there: hidden ones behind it stay outside.
            let at = self.offset(span.start + offset);
            at + self.original.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
        });
        Span::new(start, end)
    }

    fn offset(&self, visible: usize) -> usize {
        let known = self.shifts.partition_point(|(offset, _)| *offset <= visible);
        match known.checked_sub(1).and_then(|index| self.shifts.get(index)) {
            Some((offset, original)) => original + (visible - offset),
            None => visible,
        }
    }
}

/// A styled form (full width, mathematical, circled) of an ASCII character as that character; others as they are.
fn plain(character: char) -> char {
    if character < '\u{2070}' {
        return character;
    }
    let mut form = std::iter::once(character).nfkc();
    match (form.next(), form.next()) {
        (Some(single), None) if single.is_ascii() && !single.is_ascii_control() => single,
        _ => character,
    }
}

/// The part of `text` from `start`, at most about `bytes` long, cut on a character.
fn window(text: &str, start: usize, bytes: usize) -> &str {
    let mut end = start.saturating_add(bytes).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(start..end).unwrap_or_default()
}

/// The part of `text` before `end`, at most `bytes` long, cut on a character. `end` lies on a character.
fn behind(text: &str, end: usize, bytes: usize) -> &str {
    let mut start = end.saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..end).unwrap_or_default()
}
