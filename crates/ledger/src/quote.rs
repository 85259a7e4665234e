//! Where a quote stands in a text.
//!
//! A claim must cite words that are really there. Models and agents give those words back with line breaks
//! turned into spaces, or composed letters where the source had decomposed ones, so both sides are compared
//! *folded*: Unicode NFC, and every run of white space (spaces, tabs, line breaks of any kind, no-break spaces)
//! counts as one space. Nothing else is forgiven. Letter case, punctuation and the shape of quotation marks
//! are the source's own: a curly quote is not a straight one, because a proposer that rewrites marks may have
//! rewritten more. Zero-width characters are not white space and must match as well.
//!
//! The answer is a span in bytes of the *original* text. It lies on character boundaries and never cuts a
//! letter from the marks that combine with it: `c` is not found in `č`, however `č` is spelt.
//!
//! Work is linear in the text plus the quote, whatever they hold.

use memchr::memmem;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical, is_combining_mark};
use unicode_normalization::{IsNormalized, is_nfc_quick};

/// A half-open range of byte offsets, `start..end`, of one text.
///
/// Nothing in the type ties it to its text: [`Span::slice`] answers `None` where it does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just past the last byte; never before `start` in a span this crate returns.
    pub end: usize,
}

impl Span {
    /// The span `start..end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The words themselves, or `None` where the span is reversed, past the end, or cuts a character.
    #[must_use]
    pub fn slice<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.start..self.end)
    }

    /// Whether the two share at least one byte. An empty span touches nothing.
    #[must_use]
    pub const fn touches(&self, other: &Self) -> bool {
        let start = if self.start > other.start { self.start } else { other.start };
        let end = if self.end < other.end { self.end } else { other.end };
        start < end
    }

    /// Bytes covered; 0 for a reversed span.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether no byte is covered.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The first place where `quote` stands in `text`, or `None`. A quote of nothing but white space is nowhere.
#[must_use]
pub fn find(text: &str, quote: &str) -> Option<Span> {
    let needle = fold_quote(quote)?;
    let folded = Folded::of(text);
    folded.occurrences(&needle, 1).pop()
}

/// Every place where `quote` stands in `text`, from left to right, without overlaps.
#[must_use]
pub fn find_all(text: &str, quote: &str) -> Vec<Span> {
    let Some(needle) = fold_quote(quote) else { return Vec::new() };
    Folded::of(text).occurrences(&needle, usize::MAX)
}

/// As [`find`], but where the quote stands more than once, prefer the place a proposer pointed at: exactly
/// `hint` if the quote stands there (white space at its ends aside), else the occurrence that begins nearest to
/// it, the earlier of two equally near. A hint that makes no sense is only ignored.
#[must_use]
pub fn find_near(text: &str, quote: &str, hint: Option<Span>) -> Option<Span> {
    let Some(hint) = hint else { return find(text, quote) };
    let needle = fold_quote(quote)?;
    if let Some(exact) = standing_at(text, &needle, hint) {
        return Some(exact);
    }
    let occurrences = Folded::of(text).occurrences(&needle, usize::MAX);
    occurrences.into_iter().min_by_key(|span| span.start.abs_diff(hint.start))
}

/// `text` as it is compared: NFC, runs of white space as one space, none at the ends.
#[must_use]
pub fn fold(text: &str) -> String {
    let folded = Folded::of(text).text;
    folded.strip_prefix(' ').map_or(folded.as_str(), |rest| rest).trim_end_matches(' ').to_owned()
}

fn fold_quote(quote: &str) -> Option<String> {
    let folded = fold(quote);
    (!folded.is_empty()).then_some(folded)
}

fn standing_at(text: &str, needle: &str, hint: Span) -> Option<Span> {
    let words = hint.slice(text)?;
    let from_left = words.trim_start();
    let start = hint.start + (words.len() - from_left.len());
    let span = Span::new(start, start + from_left.trim_end().len());
    let whole = |offset: usize| text[offset..].chars().next().is_none_or(starts_unit);
    // `start` and `end` come from trimming a slice, so they are character boundaries of `text`.
    let stands = whole(span.start) && whole(span.end) && fold(span.slice(text)?) == needle;
    stands.then_some(span)
}

/// A text folded, and the way back to its bytes.
///
/// The text is a row of *units*: a run of white space, or a character with all that composes with it or hangs
/// on it. Inside most stretches folded and original bytes are the same, so only the places where their distance
/// changes are kept.
struct Folded {
    text: String,
    /// `(folded offset, original offset)` of units at which the distance between the two changes, ascending.
    shifts: Vec<(usize, usize)>,
    original_len: usize,
}

impl Folded {
    fn of(original: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(original.len()),
            shifts: Vec::new(),
            original_len: original.len(),
        };
        let bytes = original.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            folded.note(at);
            let plain = plain_stretch(&bytes[at..]);
            if plain > 0 {
                folded.text.push_str(&original[at..at + plain]);
                at += plain;
                continue;
            }
            at += folded.push_unit(&original[at..]);
        }
        folded
    }

    /// Remember that the unit about to be pushed begins at `original`.
    fn note(&mut self, original: usize) {
        let here = self.text.len();
        let expected = self.shifts.last().map_or(here, |(folded, start)| start + (here - folded));
        if expected != original {
            self.shifts.push((here, original));
        }
    }

    /// Fold the first unit of `rest` (which is not empty) and answer how many bytes it took.
    fn push_unit(&mut self, rest: &str) -> usize {
        let mut end = rest.len();
        let mut in_space = rest.starts_with(char::is_whitespace);
        if in_space {
            self.text.push(' ');
        }
        let spaces = in_space;
        let mut space_end = 0;
        for (offset, character) in rest.char_indices() {
            if in_space && character.is_whitespace() {
                space_end = offset + character.len_utf8();
                continue;
            }
            in_space = false;
            if offset > 0 && starts_unit(character) {
                end = offset;
                break;
            }
        }
        let marked = if spaces { &rest[space_end..end] } else { &rest[..end] };
        self.text.extend(marked.nfc());
        end
    }

    /// At most `limit` spans, left to right, no two overlapping.
    fn occurrences(&self, needle: &str, limit: usize) -> Vec<Span> {
        let mut spans = Vec::new();
        for start in memmem::find_iter(self.text.as_bytes(), needle.as_bytes()) {
            if !self.whole(start, start + needle.len()) {
                // The search skipped whatever overlapped this false start: look again the thorough way.
                return self.overlapping_occurrences(needle, limit);
            }
            spans.push(self.span(start, start + needle.len()));
            if spans.len() >= limit {
                break;
            }
        }
        spans
    }

    /// Knuth, Morris and Pratt's search: also linear, but it sees occurrences that overlap a rejected one.
    fn overlapping_occurrences(&self, needle: &str, limit: usize) -> Vec<Span> {
        let needle = needle.as_bytes();
        let mut borders = vec![0_usize; needle.len()];
        let mut matched = 0;
        for at in 1..needle.len() {
            while matched > 0 && needle[at] != needle[matched] {
                matched = borders[matched - 1];
            }
            matched += usize::from(needle[at] == needle[matched]);
            borders[at] = matched;
        }
        let mut spans = Vec::new();
        matched = 0;
        let mut free_from = 0;
        for (at, byte) in self.text.bytes().enumerate() {
            while matched > 0 && byte != needle[matched] {
                matched = borders[matched - 1];
            }
            matched += usize::from(byte == needle[matched]);
            if matched == needle.len() {
                let start = at + 1 - needle.len();
                if start >= free_from && self.whole(start, at + 1) {
                    spans.push(self.span(start, at + 1));
                    free_from = at + 1;
                    if spans.len() >= limit {
                        break;
                    }
                }
                matched = borders[matched - 1];
            }
        }
        spans
    }

    /// Whether folded offsets `start` and `end` both lie between units.
    fn whole(&self, start: usize, end: usize) -> bool {
        let between = |offset: usize| {
            offset == 0
                || self.text.get(offset..).is_some_and(|rest| rest.chars().next().is_none_or(starts_unit))
        };
        between(start) && between(end)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.original(start), self.original(end))
    }

    /// The original offset of the unit that begins at the folded `offset`. Units tile the text, so where one ends
    /// the next begins.
    fn original(&self, offset: usize) -> usize {
        if offset >= self.text.len() {
            return self.original_len;
        }
        let after = self.shifts.partition_point(|(folded, _)| *folded <= offset);
        match after.checked_sub(1).and_then(|index| self.shifts.get(index)) {
            Some((folded, original)) => original + (offset - folded),
            None => offset,
        }
    }
}

/// How many leading bytes are printable ASCII that folds to itself: single spaces are in, and the last character
/// is left out unless ASCII follows, since a combining mark might.
fn plain_stretch(bytes: &[u8]) -> usize {
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let next_is_space =
            bytes.get(end + 1).is_some_and(|next| next.is_ascii_whitespace() || *next == 0x0b);
        let plain = byte.is_ascii_graphic() || (*byte == b' ' && !next_is_space);
        if !plain || bytes.get(end + 1).is_some_and(|next| !next.is_ascii()) {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a unit begins at `character`, whatever stands before it: it neither combines nor composes backwards.
fn starts_unit(character: char) -> bool {
    if character < '\u{300}' {
        return true;
    }
    // Judged on what it decomposes into: a few characters are starters that decompose into combining marks.
    let mut first = None;
    decompose_canonical(character, |part| {
        first.get_or_insert(part);
    });
    let first = first.unwrap_or(character);
    // The vowel signs of many scripts hang on their letter though their class is 0.
    !is_combining_mark(first)
        && canonical_combining_class(first) == 0
        && is_nfc_quick(std::iter::once(first)) != IsNormalized::Maybe
}
