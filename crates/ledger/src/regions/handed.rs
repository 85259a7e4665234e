//! Text that the owner hands over to be worked on, and what tools and chats print: nobody's statement.

use std::sync::LazyLock;

use regex::Regex;

use super::line::{Lines, bare, list_item};
use super::pasted::constant;
use super::{Region, RegionKind};
use crate::quote::Span;

/// A pattern looks at no more than this much of one line.
const LINE_BYTES_MAX: usize = 2_000;

/// The order to work on a text, up to its colon.
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    constant(concat!(
        r"(?i)(?:^|[.!?;,]\s+|^[-*\d.)]+\s+)(?:(?:please|pls|now|ok|okay|hey|and|can you|could you|would you|will you|molim te|molim|možeš li|možete li|hajde|sad|sada),?\s+)*",
        r"(?:(?:translate|rewrite|rephrase|reword|proofread|summari[sz]e|paraphrase|polish|shorten|spell-?check|transcribe|transliterate|continue the|complete the|classify the|analy[sz]e the|",
        r"repeat after me|say after me|repeat the|repeat this|how do (?:you|i|we) say|how would (?:you|i) say|kako se kaže|",
        r"prevedi|prevedite|lektoriraj|lektorirajte|sažmi|sažmite|preformuliraj|prepravi|prepiši|skrati|ponovi|ponavljaj za mnom|ponovi za mnom)\b[^.!?:;\n]{0,80}",
        r"|(?:write|compose|draft|generate|create|make up|napiši|napišite|sastavi|smisli)\b[^.!?:;\n]{0,60}\b(?:poem|song|story|haiku|limerick|rap|verse|lyrics|joke|sketch|dialog(?:ue)?|scene|novel|essay|script|sonnet|ballad|tweet|caption|letter|e-?mail|pjesm\p{L}*|prič\p{L}*|vic|dijalog|scen\p{L}*|sonet|esej|sastav|pismo)\b[^.!?:;\n]{0,60}",
        r"|(?:correct|fix|check|improve|edit|review|ispravi|provjeri)\b[^.!?:;\n]{0,40}\b(?:grammar|spelling|typos?|punctuation|wording|sentences?|paragraph|text|gramatik\p{L}*|pravopis\p{L}*|rečenic\p{L}*|tekst\p{L}*)\b[^.!?:;\n]{0,40}):$"
    ))
});

/// An order whose last words before the colon speak to memory after all: "… and remember:".
static FOR_MEMORY: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)\b(?:remember|note|notes|save|store|memory|keep in mind|know|fyi|btw|me about me|down|zapamti|upamti|zabilježi|zapiši|napomena)\s*:$",
    )
});

/// A heading over words that are somebody's work.
static WORK: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)^\s*(?:[#*_]+\s*)?(?:(?:the |song )?lyrics|stihovi|tekst pjesme|riječi pjesme)(?: (?:of|to|from|by|for)\b[^:]{0,60})?[*_]*\s*:",
    )
});

/// As [`WORK`], for names that also head a list: they count only alone on their line.
static WORK_ALONE: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)^\s*(?:[#*_]+\s*)?(?:(?:the |a )?(?:poem|song|story|verse(?: \d+)?|chorus|quote|script|excerpt|source text|original text|text)|pjesma|refren|strofa|citat|priča|tekst|izvorni tekst)[*_]*\s*:\s*[*_]*\s*$",
    )
});

/// What a tool printed.
static TOOL: LazyLock<Regex> = LazyLock::new(|| {
    constant(concat!(
        r"(?i)^\s*(?:[#*_>-]+\s*)?(?:\[\s*(?:tool|function|search|web|browser|api|command|shell|mcp|plugin)(?:[ _-]?(?:call|use))?[ _-]?(?:results?|outputs?|responses?|returns?|content)?\b[^\]\n]{0,60}\]",
        r"|<\s*(?:tool|function)[ _-](?:results?|outputs?|responses?)\b",
        r"|(?:tool|function|search|command|shell|api)[ _-](?:results?|outputs?|responses?|returned)\b[^:\n]{0,40}[*_]*\s*:",
        r"|(?:rezultat|izlaz|odgovor) alata\s*:|rezultati pretrage\s*:)"
    ))
});

/// The header over a message copied from a chat: a name and a time, and nothing else.
static CHAT_HEADER: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)^\s*(?:\*\*)?(?-i:\p{Lu}[\p{L}.'-]{0,20}(?: \p{Lu}[\p{L}.'-]{0,20}){0,2})(?:\*\*)?(?:,| -| \u{2014}| \u{2013}| \[|\s)\s*(?:(?:today|yesterday|danas|jučer)?,?\s*(?:at|u)?\s*|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?,?\s+)\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?\]?\s*:?\s*$",
    )
});

/// Everything this file knows. One pass over the lines, a bounded look at each.
pub(super) fn handed_over(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let mut at = 0;
    while at < lines.len() {
        let text = lines.text(at);
        if !text.contains([':', '：', '[', '<', '［', '＜', '.']) {
            at += 1;
            continue;
        }
        let line = bare(text);
        let line = head(&line);
        if TOOL.is_match(line) || WORK_ALONE.is_match(line) {
            found.push(lines.region(at..lines.len(), RegionKind::PastedBlock));
            return;
        }
        if CHAT_HEADER.is_match(line) && speaks_below(lines, at) {
            let mut end = at + 1;
            while end < lines.len() && !lines.is_blank(end) {
                end += 1;
            }
            found.push(lines.region(at..end, RegionKind::PastedBlock));
            at = end;
            continue;
        }
        if let Some(start) = handed_at(lines, at) {
            let (region, end) = handed_text(lines, at, start);
            found.push(region);
            at = end;
            continue;
        }
        at += 1;
    }
}

fn head(line: &str) -> &str {
    let mut end = line.len().min(LINE_BYTES_MAX);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.get(..end).unwrap_or_default()
}

/// Words that are no header and no item stand on the next line: a list of appointments is the owner's.
fn speaks_below(lines: &Lines<'_>, at: usize) -> bool {
    let next = at + 1;
    let below = lines.bare(next);
    next < lines.len()
        && !lines.is_blank(next)
        && !CHAT_HEADER.is_match(head(&below))
        && list_item(&below).is_none()
}

/// Where the words begin that an order or a heading in this line hands over, in bytes of the text.
fn handed_at(lines: &Lines<'_>, at: usize) -> Option<usize> {
    let text = lines.text(at);
    let from = lines.span(at).start;
    text.match_indices([':', '：']).take(4).find_map(|(colon, mark)| {
        let before = text.get(..colon).filter(|before| before.len() <= LINE_BYTES_MAX)?;
        let announcement = bare(before) + ":";
        let order = ORDER.is_match(&announcement) && !FOR_MEMORY.is_match(&announcement);
        let work = WORK.find(&announcement).is_some_and(|found| found.end() == announcement.len());
        (order || work).then_some(from + colon + mark.len())
    })
}

/// The region from `start` in line `at`, and the number of the first line after it.
fn handed_text(lines: &Lines<'_>, at: usize, start: usize) -> (Region, usize) {
    let all = lines.all();
    let kind = RegionKind::PastedBlock;
    let line_end = lines.span(at).end;
    let same_line = all.get(start..line_end).unwrap_or_default();
    if same_line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_')).is_empty() {
        return (Region { span: Span::new(start, all.len()), kind }, lines.len());
    }
    let gap = same_line.len() - same_line.trim_start().len();
    let closers: &[char] = match same_line.trim_start().chars().next() {
        Some('"') => &['"'],
        Some('“' | '„') => &['”', '“'],
        Some('«') => &['»'],
        Some('»') => &['«'],
        _ => &[],
    };
    let words = same_line.trim_start();
    if let Some(close) = words.rfind(closers).filter(|close| *close > 0) {
        let width = words[close..].chars().next().map_or(1, char::len_utf8);
        return (Region { span: Span::new(start, start + gap + close + width), kind }, at + 1);
    }
    let mut end = at + 1;
    while end < lines.len() && !lines.is_blank(end) {
        end += 1;
    }
    let until = lines.span(end - 1).end;
    (Region { span: Span::new(start, until), kind }, end)
}
