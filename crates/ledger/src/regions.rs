//! Whose words are these? The parts of an owner's message that somebody else wrote.
//!
//! A person pastes mail, documents, chats and code into a conversation, and an agent may echo what memory told it.
//! None of that is the owner's testimony, so the gate must know where it stands before it looks at any quote.
//! [`foreign_regions`] finds it from the text alone, by the marks that pasting leaves:
//!
//! - **Block quotes**: lines that begin with `>` at any depth, also after a list marker, also full width (`＞`) or
//!   behind invisible characters, or escaped as `&gt;`. As in Markdown a quoted paragraph *continues lazily*: the
//!   lines below it belong to it until a blank line, a list item, a heading or a fence. An owner who answers
//!   right under a quote without a blank line is therefore taken for the quoted person; that refuses a claim,
//!   whereas the other choice would let a badly wrapped mail speak for the owner.
//! - **Forwarded mail**: from a separator, an "On …, X wrote:" line or a block of mail headers (six languages) to
//!   the end of the `>` block below it, or to an end mark, or else to the end of the text.
//! - **Code**: fences, an unclosed one to the end of the text, and inline code of three or more words. Shorter inline
//!   code (`` `vim` ``) is how an owner writes a name, and stays the owner's.
//! - **Recalled memory**: a packet between its markers (an unclosed one to the end), and any line that carries a
//!   packet handle such as `[M3]`.
//! - **Pasted blocks**: triple quotes, document-like tags, transcripts, text announced as somebody's ("Here is the
//!   email I got:"), and speech of four or more words in quotation marks with a speaker who is not "I".
//!
//! - **Text handed over**: "Translate: …", "Prevedi: …", "Lyrics:", "Repeat after me: …" to the end of the paragraph, or of
//!   the text when the words begin on the next line; a tool's answer (`[tool result]`, "Tool output:") to the end; and
//!   what stands under the header of a chat line (`Bob, 10:01`).
//!
//! Regions err on the side of the owner's silence, and every rule has its limit there: a quoted word, an own list, a
//! colon, a list of key and value stay the owner's. Work is linear in the text.

use std::ops::Range;

use crate::quote::Span;

mod code;
mod handed;
mod line;
mod mail;
mod pasted;
mod speech;

use line::Lines;

/// A stretch of a message that is not the owner's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Where it stands; character boundaries of the text.
    pub span: Span,
    /// What gave it away.
    pub kind: RegionKind,
}

/// What kind of foreign words a region holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegionKind {
    /// Lines quoted with `>`.
    BlockQuote,
    /// A forwarded or answered mail, headers included.
    ForwardedMail,
    /// A code fence or a longer piece of inline code.
    CodeFence,
    /// An echo of a packet: what memory said, coming back.
    RecalledMemory,
    /// A document, transcript or speech of another.
    PastedBlock,
}

/// The foreign regions of `text`, ascending and disjoint.
///
/// Where two overlap they are merged under the kind of the one that began first, except that recalled memory keeps
/// its own bounds and kind, since the gate names it separately.
#[must_use]
pub fn foreign_regions(text: &str) -> Vec<Region> {
    if plainly_own(text) {
        return Vec::new();
    }
    let lines = Lines::of(text);
    let mut found = Vec::new();
    code::fences(&lines, &mut found);
    code::inline(&lines, &mut found);
    block_quotes(&lines, &mut found);
    mail::forwarded(&lines, &mut found);
    pasted::pasted(&lines, &mut found);
    handed::handed_over(&lines, &mut found);
    speech::attributed(text, &mut found);
    let mut recalled = Vec::new();
    recalled_memory(&lines, &mut recalled);
    settle(found, recalled)
}

/// Whether `span` touches somebody else's words (recalled memory has [`recalled`]). `regions` as answered by
/// [`foreign_regions`] for the same text.
#[must_use]
pub fn third_party(regions: &[Region], span: Span) -> bool {
    touched(regions, span).any(|region| region.kind != RegionKind::RecalledMemory)
}

/// Whether `span` touches an echo of a packet. `regions` as answered by [`foreign_regions`] for the same text.
#[must_use]
pub fn recalled(regions: &[Region], span: Span) -> bool {
    touched(regions, span).any(|region| region.kind == RegionKind::RecalledMemory)
}

fn touched(regions: &[Region], span: Span) -> impl Iterator<Item = &Region> {
    let first = regions.partition_point(|region| region.span.end <= span.start);
    regions
        .iter()
        .skip(first)
        .take_while(move |region| region.span.start < span.end)
        .filter(move |region| region.span.touches(&span))
}

/// Most sentences hold none of the characters any rule needs; they cost one pass over their bytes.
fn plainly_own(text: &str) -> bool {
    let bytes = text.as_bytes();
    let marked =
        |byte: &u8| matches!(byte, b'>' | b'`' | b'~' | b'<' | b'[' | b':' | b'"' | b'\'' | 0xc2 | 0xe1..);
    !bytes.iter().any(marked) && !text.contains("---") && !text.contains("___") && !text.contains("&gt;")
}

fn block_quotes(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let mut at = 0;
    while at < lines.len() {
        if !lines.is_quoted(at) {
            at += 1;
            continue;
        }
        let end = quoted_until(lines, at);
        found.push(lines.region(at..end, RegionKind::BlockQuote));
        at = end;
    }
}

/// The number of the first line after the block quote that begins at line `first`, lazy lines included.
fn quoted_until(lines: &Lines<'_>, first: usize) -> usize {
    let mut paragraph_open = false;
    let mut at = first;
    while at < lines.len() {
        if lines.is_quoted(at) {
            paragraph_open = lines.quoted_words(at);
        } else if !(paragraph_open && lines.continues_paragraph(at)) {
            break;
        }
        at += 1;
    }
    at
}

fn recalled_memory(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let mut open: Option<usize> = None;
    let mut at = 0;
    while at < lines.len() {
        // Only a line with a bracket or a guillemet-like mark can matter.
        let bare = lines.bare(at);
        let marked = bare.contains("<<");
        let lower = if marked { bare.to_lowercase() } else { String::new() };
        let closes = marked && squeezed(&lower).contains("<<endofpacket>>");
        if marked && open.is_none() && squeezed(&lower).contains("<<testimonypacket") {
            open = Some(at);
        }
        if closes {
            // An end without a beginning: the paste was cut, and all above it may be packet.
            found.push(lines.region(open.take().unwrap_or(0)..at + 1, RegionKind::RecalledMemory));
        } else if open.is_none() && carries_handle(&bare) {
            let end = indented_until(lines, at + 1);
            found.push(lines.region(at..end, RegionKind::RecalledMemory));
            at = end;
            continue;
        }
        at += 1;
    }
    if let Some(first) = open {
        found.push(lines.region(first..lines.len(), RegionKind::RecalledMemory));
    }
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Lines of a wrapped packet item are indented under its handle.
fn indented_until(lines: &Lines<'_>, first: usize) -> usize {
    let mut at = first;
    while at < lines.len() && !lines.is_blank(at) && lines.text(at).starts_with([' ', '\t']) {
        at += 1;
    }
    at
}

/// Whether a line holds `[M1]` … `[M9999]`, not as an index (`matrix[M1]`).
fn carries_handle(line: &str) -> bool {
    line.match_indices('[').any(|(start, _)| {
        let indexes = line[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        let inside = line[start + 1..].trim_start();
        let number = inside.strip_prefix(['M', 'm']).map(str::trim_start).unwrap_or_default();
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let closed = number.get(digits..).is_some_and(|rest| rest.trim_start().starts_with(']'));
        !indexes && (1..=4).contains(&digits) && !number.starts_with('0') && closed
    })
}

/// Merge what overlaps, cut recalled memory out of the rest, sort.
fn settle(mut found: Vec<Region>, mut recalled: Vec<Region>) -> Vec<Region> {
    merge(&mut recalled);
    if found.is_empty() {
        return recalled;
    }
    merge(&mut found);
    let mut settled = Vec::with_capacity(found.len() + recalled.len());
    let mut echoes = recalled.iter().peekable();
    for region in found {
        let mut start = region.span.start;
        while let Some(echo) = echoes.peek() {
            if echo.span.start >= region.span.end {
                break;
            }
            if start < echo.span.start {
                settled.push(Region { span: Span::new(start, echo.span.start), ..region });
            }
            start = start.max(echo.span.end);
            if echo.span.end > region.span.end {
                break;
            }
            echoes.next();
        }
        if start < region.span.end {
            settled.push(Region { span: Span::new(start, region.span.end), ..region });
        }
    }
    settled.extend(recalled.iter().copied());
    settled.sort_by_key(|region| region.span);
    settled
}

fn merge(regions: &mut Vec<Region>) {
    regions.retain(|region| !region.span.is_empty());
    // At one start the longer comes first and gives its kind.
    regions.sort_by_key(|region| (region.span.start, std::cmp::Reverse(region.span.end)));
    regions.dedup_by(|next, kept| {
        let overlaps = next.span.start < kept.span.end;
        if overlaps {
            kept.span.end = kept.span.end.max(next.span.end);
        }
        overlaps
    });
}

impl Lines<'_> {
    fn region(&self, lines: Range<usize>, kind: RegionKind) -> Region {
        let start = self.span(lines.start).start;
        let end = lines.end.checked_sub(1).map_or(start, |last| self.span(last).end);
        Region { span: Span::new(start, end.max(start)), kind }
    }
}
