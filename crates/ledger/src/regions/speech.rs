//! Somebody's speech in quotation marks.

use std::sync::LazyLock;

use regex::Regex;

use super::pasted::constant;
use super::{Region, RegionKind};
use crate::quote::Span;

/// Fewer words in quotation marks are a name, a title or a word held up for inspection.
const WORDS_MIN: usize = 4;
/// A quotation is not looked for beyond this many bytes.
const SPEECH_BYTES_MAX: usize = 2_000;
/// How much before and after a quotation is searched for who said it.
const CONTEXT_BYTES: usize = 90;

static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(?:said|says|say|saying|wrote|writes|written|told (?:me|us|him|her|them|everyone)|replied|replies|responded|responds|answered|texted|emailed|posted|tweeted|asked|asks|claimed|claims|insists|insisted|announced|stated|states|reads|goes|quote|according to\b[^.!?]{0,50}|rek(?:ao|la|li|le)|kaž[eu]|kaza(?:o|la|li)|napisa(?:o|la|li)|pišu|piše|glasi|tvrdi|odgovori(?:o|la|li)|poruči(?:o|la|li)|pita(?:o|la|li)|izjavi(?:o|la)|sagte|sagt|schrieb|schreibt|a dit|a écrit|dijo|escribió|dice|ha detto|ha scritto)\b[^.!?]{0,40}$",
    )
});

static BEFORE_OWN: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(?:i|we)(?:'ve|'d|'ll| have| had| will| always| just| usually| often| then)?\s+(?:said|say|wrote|write|told|tell|replied|answered|asked|texted|emailed|posted|tweeted|stated|claimed)\b|\b(?:rek(?:ao|la)|kaza(?:o|la)|napisa(?:o|la)|odgovori(?:o|la)|pita(?:o|la)) (?:sam|smo)\b|\b(?:sam|smo)\s+(?:\p{L}+\s+){0,2}(?:rek|kaza|napisa|odgovori|pita)|\bich\b|\bj'ai\b",
    )
});

static AFTER: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)^[,.!?…]?\s*[-–—]?\s*(?:(?:he|she|they|it|my \p{L}+|\p{L}+) (?:said|says|wrote|writes|told me|replied|asked|claimed|je rek(?:ao|la)|je napisa(?:o|la)|kaže|tvrdi)|(?:said|says|wrote|writes|replied|asked|claimed) \p{L}+|(?:rek(?:ao|la)|kaže|napisa(?:o|la)|tvrdi|odgovori(?:o|la)) (?:je|mi|nam)?)\b",
    )
});

static AFTER_OWN: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)^[,.!?…]?\s*(?:(?:i|we)\b|(?:said|says|wrote|asked) i\b|(?:rek(?:ao|la)|napisa(?:o|la)) (?:sam|smo)\b)",
    )
});

/// Quotations of [`WORDS_MIN`] words or more next to a verb of saying whose subject is not the owner.
pub(super) fn attributed(text: &str, found: &mut Vec<Region>) {
    let mut from = 0;
    while let Some((start, mark)) = next_opening(text, from) {
        let inside = start + mark.len_utf8();
        let Some((close, end)) = closing(text, inside, mark) else {
            from = inside;
            continue;
        };
        let words = text.get(inside..close).unwrap_or_default().split_whitespace().take(WORDS_MIN).count();
        if words >= WORDS_MIN && is_attributed(text, start, end) {
            found.push(Region { span: Span::new(start, end), kind: RegionKind::PastedBlock });
        }
        from = end;
    }
}

fn next_opening(text: &str, from: usize) -> Option<(usize, char)> {
    let rest = text.get(from..)?;
    rest.match_indices(['"', '“', '„', '«', '»', '＂']).find_map(|(offset, mark)| {
        let mark = mark.chars().next()?;
        let before = text[..from + offset].chars().next_back();
        let after = rest[offset + mark.len_utf8()..].chars().next();
        // A mark after a letter closes something; an inch sign follows a digit.
        let opens = before.is_none_or(|character| {
            !character.is_alphanumeric() && !matches!(character, '.' | ',' | '!' | '?')
        }) && after.is_some_and(|character| !character.is_whitespace());
        opens.then_some((from + offset, mark))
    })
}

/// Offset of the closing mark, and of what follows it.
fn closing(text: &str, inside: usize, mark: char) -> Option<(usize, usize)> {
    let closers: &[char] = match mark {
        '“' => &['”'],
        '„' => &['”', '“', '"'],
        '«' => &['»'],
        '»' => &['«'],
        '＂' => &['＂'],
        _ => &['"'],
    };
    let mut limit = (inside + SPEECH_BYTES_MAX).min(text.len());
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let offset = text.get(inside..limit)?.find(closers)?;
    let close = inside + offset;
    let width = text[close..].chars().next().map_or(0, char::len_utf8);
    Some((close, close + width))
}

fn is_attributed(text: &str, start: usize, end: usize) -> bool {
    let mut from = start.saturating_sub(CONTEXT_BYTES);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let mut to = (end + CONTEXT_BYTES).min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let before = text.get(from..start).unwrap_or_default().replace('’', "'");
    let before = before.rsplit(['\n', '.', '!', '?']).next().unwrap_or_default();
    let after = text.get(end..to).unwrap_or_default();
    let after = after.split('\n').next().unwrap_or_default();
    (BEFORE.is_match(before) && !BEFORE_OWN.is_match(before))
        || (AFTER.is_match(after) && !AFTER_OWN.is_match(after))
}
