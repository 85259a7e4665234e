//! Pasted documents, messages and transcripts.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::line::{Lines, bare};
use super::{Region, RegionKind};
use crate::quote::Span;

/// A pattern looks at no more than this much of one line.
const LINE_BYTES_MAX: usize = 2_000;

/// Elements that only dress a word; everything else in matched tags is somebody's document.
const DRESSING: &[&str] = &[
    "a", "b", "i", "u", "s", "em", "strong", "code", "kbd", "br", "span", "sub", "sup", "del", "ins",
    "small", "mark", "br/", "hr", "img", "input", "t",
];

/// Elements that hold a document even when nobody closed them.
const DOCUMENTS: &[&str] = &[
    "document",
    "documents",
    "doc",
    "email",
    "e-mail",
    "mail",
    "message",
    "article",
    "context",
    "content",
    "quote",
    "blockquote",
    "system",
    "assistant",
    "tool_result",
    "tool_response",
    "tool_output",
    "function_results",
    "result",
    "results",
    "search_results",
    "search_result",
    "page",
    "webpage",
    "html",
    "body",
    "attachment",
    "attached_file",
    "transcript",
    "memory",
    "memories",
    "recalled_memory",
    "instructions",
    "untrusted",
    "external",
    "source",
    "snippet",
    "passage",
    "file",
    "pasted",
    "clipboard",
    "post",
    "comment",
    "ticket",
    "letter",
    "poruka",
    "dokument",
    "citat",
];

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"<(?P<close>/?)(?P<name>\p{L}[\p{L}\p{N}_:.-]{0,40})(?:\s[^<>]{0,400})?(?P<empty>/?)>|\[(?P<close2>/?)(?P<name2>quote|citat|zitat|cita)(?:[ =][^\]\[]{0,200})?\]",
    )
});

/// The announcement of somebody else's text, up to its colon.
static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    constant(concat!(
        r"(?i)(?:^|[.!?;,(]\s*|\b(?:and|so|ok|okay|hi|hey|hello)\s+|\b(?:pa|evo)\s+)",
        r"(?:here(?:'s| is| are)|this is|below is|below are|the following is|see below|i(?:'m| am)? (?:just )?past(?:ing|ed)|i(?:'ve| have)? (?:just )?(?:got|received|copied|found|pasted)|(?:he|she|they|my \p{L}+|\p{L}+) (?:just )?(?:sent|forwarded|emailed|texted|messaged)(?: me| us)?|(?:i'm |i am )?forwarding(?: you)?|check out|look at|read|summari[sz]e|translate|proofread|reply to|respond to|answer|analy[sz]e",
        r"|evo|ovo je|ovdje je|u nastavku(?: je)?|ispod(?: je)?|slijedi|prosljeđujem(?: ti| vam)?|dobi(?:o|la) sam|primi(?:o|la) sam|stiga(?:o|la) mi je|stigao je|kopiram(?: ti)?|zalijepi(?:o|la) sam|(?:\p{L}+) mi je posla(?:o|la)|posla(?:o|la) mi je|pogledaj|pročitaj|sažmi|prevedi|odgovori na)",
        r"\b(?P<between>[^.!?:;]{0,80}?)",
        r"\b(?P<noun>e-?mails?|mail\w*|e-mail\w*|messages?|text|documents?|article|letter|note from|post|transcript|thread|conversation|chat|log|logs|report|web ?page|page|paragraph|excerpt|passage|snippet|review|newsletter|notice|contract|memo|response|reply|output|story|poruk\w*|dokument\w*|tekst\w*|član(?:ak|ka|ku)|pism\w*|objav\w*|razgovor\w*|transkript\w*|zapisnik\w*|izvješ\w*|izvještaj\w*|odlom\w*|ugovor\w*|dopis\w*|odgovor\w*)",
        r"\b(?P<after>[^.!?:;]{0,80}):",
    ))
});

/// "my email", "naš tekst": the owner's own writing, which needs no guard.
static OWN_WRITING: LazyLock<Regex> =
    LazyLock::new(|| constant(r"(?i)\b(?:my|our|moj\p{L}*|mog|moga|mom|mome|naš\p{L}*)\s*(?:\p{L}+\s+)?$"));

/// A turn of a conversation with a machine, by its role.
static ROLE: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)^\s*(?:[-*#]+\s*)?(?:\*\*|__)?(?P<role>assistant|system(?: prompt| message)?|user|human|ai|bot|chatgpt|gpt(?:-?\d[\w.]*)?|claude|gemini|copilot|tool|function|developer|asistent|sustav|korisnik)(?:\*\*|__)?\s*(?:\([^)]{0,40}\)|\[[^\]]{0,40}\])?\s*:(?:\*\*|__)?\s*(?P<words>.*)$",
    )
});

/// A line of a chat log: a time in brackets or behind a date, then a name.
static STAMPED: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"(?i)^\s*(?:\[[^\]]{0,30}\d{1,2}[:.]\d{2}[^\]]{0,12}\]|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\.?,?\s+(?:u\s+)?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?)\s*[-–—]?\s*(?:<[^>\n]{1,40}>|[\p{L}+~@][^:\n]{0,40}:)\s*\S",
    )
});

/// `<Bob> text`, as in the logs of older chats.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    constant(
        r"^\s*(?:\*\*)?(?P<name>\p{Lu}[\p{L}.'-]{0,20}(?: \p{Lu}[\p{L}.'-]{0,20})?)(?:\*\*)?:(?:\*\*)?\s+\S",
    )
});

/// These patterns are constants of this file, and every one is compiled by the tests.
pub(super) fn constant(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// Everything this file knows.
pub(super) fn pasted(lines: &Lines<'_>, found: &mut Vec<Region>) {
    triple_quotes(lines, found);
    tags(lines, found);
    announced(lines, found);
    turns(lines, found);
    speakers(lines, found);
}

/// `"""` or `'''` up to the same again; one left open reaches the end.
fn triple_quotes(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let all = lines.all();
    for mark in ["\"\"\"", "'''", "“““", "„„„"] {
        let mut from = 0;
        while let Some(start) = all.get(from..).and_then(|rest| rest.find(mark)).map(|offset| from + offset) {
            let inside = start + mark.len();
            let close = if mark == "„„„" || mark == "“““" { "”””" } else { mark };
            let end = all[inside..].find(close).map_or(all.len(), |offset| inside + offset + close.len());
            found.push(Region { span: Span::new(start, end), kind: RegionKind::PastedBlock });
            from = end;
        }
    }
}

/// From an opening tag to the end of its element.
fn tags(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let all = lines.all();
    if !all.contains('<') && !all.contains('[') {
        return;
    }
    // For each name: how deep it is open, and where its outermost opening stands.
    let mut open: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for tag in TAG.captures_iter(all) {
        let Some(whole) = tag.get(0) else { continue };
        let name = tag
            .name("name")
            .or(tag.name("name2"))
            .map(|name| name.as_str().to_lowercase())
            .unwrap_or_default();
        let is = |group| tag.name(group).is_some_and(|part| !part.as_str().is_empty());
        if DRESSING.contains(&name.as_str()) || is("empty") {
            continue;
        }
        if is("close") || is("close2") {
            if let Some((depth, start)) = open.get_mut(&name) {
                *depth -= 1;
                if *depth == 0 {
                    found
                        .push(Region { span: Span::new(*start, whole.end()), kind: RegionKind::PastedBlock });
                    open.remove(&name);
                }
            }
        } else {
            open.entry(name).or_insert((0, whole.start())).0 += 1;
        }
    }
    for (name, (_, start)) in open {
        if DOCUMENTS.contains(&name.as_str()) {
            found.push(Region { span: Span::new(start, all.len()), kind: RegionKind::PastedBlock });
        }
    }
}

/// What follows "Here is the email I got:", to its closing quotation mark if it stands in one on the same line, else
/// to the end of the text. A fence or a `>` inside does not end it sooner: whoever wrote the pasted text may have put
/// it there.
fn announced(lines: &Lines<'_>, found: &mut Vec<Region>) {
    for at in 0..lines.len() {
        let text = lines.text(at);
        let Some(last_colon) = text.rfind([':', '：']) else { continue };
        let head = text.get(..last_colon).unwrap_or_default();
        if head.len() > LINE_BYTES_MAX {
            continue;
        }
        // The part up to a colon is compared bare; the colon itself is found again in the original.
        let from = lines.span(at).start;
        for (colon, mark) in text.match_indices([':', '：']).take(8) {
            let announcement = bare(&text[..colon]) + ":";
            let Some(found_here) = ANNOUNCED.captures(&announcement) else { continue };
            let whole_end = found_here.get(0).map_or(0, |whole| whole.end());
            let between = found_here.name("between").map_or("", |part| part.as_str());
            // `Begin forwarded message:` is a mail program's, with bounds of its own.
            let program = announcement.trim_start().to_lowercase().starts_with("begin forwarded");
            if program || whole_end != announcement.len() || OWN_WRITING.is_match(between) {
                continue;
            }
            if let Some(region) = announced_block(lines.all(), from + colon + mark.len()) {
                found.push(region);
                return;
            }
        }
    }
}

fn announced_block(all: &str, from: usize) -> Option<Region> {
    let rest = all.get(from..)?;
    let block = rest.trim_start();
    let gap = rest.len() - block.len();
    let start = from + gap;
    let first = block.chars().next()?;
    let same_line = !rest[..gap].contains(['\n', '\r']);
    let closing: &[char] = match first {
        '"' if same_line => &['"'],
        '“' | '„' if same_line => &['”', '“'],
        '«' if same_line => &['»'],
        '»' if same_line => &['«'],
        _ => &[],
    };
    let end = block.rfind(closing).filter(|offset| *offset > 0).map_or(all.len(), |offset| {
        let width = block[offset..].chars().next().map_or(1, char::len_utf8);
        start + offset + width
    });
    Some(Region { span: Span::new(start, end), kind: RegionKind::PastedBlock })
}

/// Turns of a conversation, each to the next blank line.
fn turns(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let mut at = 0;
    while at < lines.len() {
        if !is_turn(lines, at) {
            at += 1;
            continue;
        }
        let first = at;
        while at < lines.len() && !lines.is_blank(at) {
            at += 1;
        }
        // `User:` alone on its line is followed by what the user said, blank line or not.
        if at == first + 1 && lines.bare(first).trim_end().trim_end_matches('*').ends_with(':') {
            while at < lines.len() && lines.is_blank(at) {
                at += 1;
            }
            while at < lines.len() && !lines.is_blank(at) {
                at += 1;
            }
        }
        found.push(lines.region(first..at, RegionKind::PastedBlock));
    }
}

fn is_turn(lines: &Lines<'_>, at: usize) -> bool {
    let text = lines.text(at);
    let may = text.contains([':', '：', '|', '[', '<', '＜']);
    if !may {
        return false;
    }
    let line = lines.bare(at);
    let line = line.get(..LINE_BYTES_MAX).unwrap_or(&line);
    let token = ["<|", "[INST]", "<<SYS>>", "<s>["].iter().any(|mark| line.contains(mark));
    if token || STAMPED.is_match(line) {
        return true;
    }
    ROLE.captures(line).is_some_and(|turn| {
        let role = turn.name("role").map(|role| role.as_str().to_lowercase()).unwrap_or_default();
        let words = turn.name("words").map_or(0, |words| words.as_str().split_whitespace().count());
        // `System: Windows 11` and `user: admin` are facts of a list, not turns.
        let listed = matches!(
            role.as_str(),
            "system" | "user" | "tool" | "function" | "developer" | "sustav" | "korisnik"
        );
        words == 0 || words >= if listed { 4 } else { 2 }
    })
}

/// `Bob: …`, `Ana: …`, `Bob: …`: three or more named lines in which one name comes back after another. A list of keys
/// and values names each key once.
fn speakers(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    let mut spoken: Vec<usize> = Vec::new();
    let mut returned = false;
    for at in 0..lines.len() {
        if !lines.text(at).contains([':', '：']) {
            continue;
        }
        let line = lines.bare(at);
        let line = line.get(..LINE_BYTES_MAX).unwrap_or(&line);
        let Some(name) = NAMED.captures(line).and_then(|named| named.name("name")) else { continue };
        let turn = spoken.len();
        spoken.push(at);
        if let Some(before) = last.insert(name.as_str().to_owned(), turn) {
            returned |= turn - before > 1;
        }
    }
    if returned && spoken.len() >= 3 {
        for first in spoken {
            let mut end = first;
            while end < lines.len() && !lines.is_blank(end) && end - first < 50 {
                end += 1;
                if spoken_line(lines, end) {
                    break;
                }
            }
            found.push(lines.region(first..end, RegionKind::PastedBlock));
        }
    }
}

fn spoken_line(lines: &Lines<'_>, at: usize) -> bool {
    at < lines.len() && lines.text(at).contains(':') && NAMED.is_match(&lines.bare(at))
}
