//! Code fences and inline code.

use super::line::{Lines, list_item};
use super::{Region, RegionKind};
use crate::quote::Span;
use std::collections::BTreeMap;

/// Fewer words than this in backticks are a name the owner writes.
const INLINE_WORDS_MIN: usize = 3;

/// Runs between fences of three or more backticks or tildes; one left open reaches the end of the text.
pub(super) fn fences(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let mut open: Option<(usize, char, usize)> = None;
    for at in 0..lines.len() {
        let text = lines.text(at);
        if !text.contains(['`', '~', '\u{ff40}', '\u{ff5e}']) {
            continue;
        }
        let bare = lines.bare(at);
        match open {
            Some((first, mark, length)) => {
                let trimmed = bare.trim();
                let closes = trimmed.chars().all(|character| character == mark) && trimmed.len() >= length;
                if closes {
                    found.push(lines.region(first..at + 1, RegionKind::CodeFence));
                    open = None;
                }
            }
            // A fence opened inside a block quote ends with it, and the quote is a region already.
            None if lines.is_quoted(at) => {}
            None => open = opening(&bare).map(|(mark, length)| (at, mark, length)),
        }
    }
    if let Some((first, _, _)) = open {
        found.push(lines.region(first..lines.len(), RegionKind::CodeFence));
    }
}

fn opening(bare: &str) -> Option<(char, usize)> {
    let mut rest = bare.trim_start();
    while let Some(inside) = list_item(rest) {
        rest = inside.trim_start();
    }
    let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = rest.chars().take_while(|character| *character == mark).count();
    let info = &rest[length..];
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

/// Inline code of [`INLINE_WORDS_MIN`] words or more: a run of backticks up to the next run of the same length in the
/// same paragraph.
pub(super) fn inline(lines: &Lines<'_>, found: &mut Vec<Region>) {
    let runs = backtick_runs(lines);
    // From the right, the nearest later run of each length.
    let mut nearest: BTreeMap<usize, usize> = BTreeMap::new();
    let mut partner = vec![None; runs.len()];
    for (index, run) in runs.iter().enumerate().rev() {
        partner[index] = nearest.insert(run.length, index);
    }
    let mut index = 0;
    while let Some(run) = runs.get(index) {
        let closing = partner[index].filter(|other| runs[*other].paragraph == run.paragraph);
        let Some(closing) = closing else {
            index += 1;
            continue;
        };
        let span = Span::new(run.start, runs[closing].start + run.length);
        let words =
            span.slice(lines.all()).unwrap_or_default().split_whitespace().take(INLINE_WORDS_MIN).count();
        if words >= INLINE_WORDS_MIN {
            found.push(Region { span, kind: RegionKind::CodeFence });
        }
        index = closing + 1;
    }
}

struct Run {
    start: usize,
    length: usize,
    paragraph: usize,
}

fn backtick_runs(lines: &Lines<'_>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    if !lines.all().contains('`') {
        return runs;
    }
    let mut paragraph = 0;
    for at in 0..lines.len() {
        if lines.is_blank(at) {
            paragraph += 1;
        }
        let from = lines.span(at).start;
        for (offset, _) in lines.text(at).match_indices('`') {
            match runs.last_mut() {
                Some(run) if run.start + run.length == from + offset => run.length += 1,
                _ => runs.push(Run { start: from + offset, length: 1, paragraph }),
            }
        }
    }
    runs
}
