//! The lines of a message, and what a line looks like once its disguise is off.

use std::borrow::Cow;

use crate::quote::Span;

/// A text by its lines. Only their starts are kept, so a text of line breaks costs a word a line.
pub(super) struct Lines<'t> {
    all: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Lines end with `\n`, `\r\n`, a lone `\r`, a vertical tab, a form feed, or one of Unicode's separators.
    pub(super) fn of(all: &'t str) -> Self {
        let mut starts = vec![0];
        let bytes = all.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            at += 1;
            let ends = match byte {
                b'\n' | 0x0b | 0x0c | 0x1c..=0x1e => true,
                b'\r' => bytes.get(at) != Some(&b'\n'),
                // U+0085, and U+2028 or U+2029: `at` is moved past the whole character.
                0xc2 if bytes.get(at) == Some(&0x85) => {
                    at += 1;
                    true
                }
                0xe2 if bytes.get(at) == Some(&0x80) && matches!(bytes.get(at + 1), Some(0xa8 | 0xa9)) => {
                    at += 2;
                    true
                }
                _ => false,
            };
            if ends {
                starts.push(at);
            }
        }
        Self { all, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn all(&self) -> &'t str {
        self.all
    }

    /// The bytes of a line with its line break; empty past the last line.
    pub(super) fn span(&self, line: usize) -> Span {
        let start = self.starts.get(line).copied().unwrap_or(self.all.len());
        Span::new(start, self.starts.get(line + 1).copied().unwrap_or(self.all.len()))
    }

    /// The words of a line without its line break.
    pub(super) fn text(&self, line: usize) -> &'t str {
        let words = self.span(line).slice(self.all).unwrap_or_default();
        words.trim_end_matches([
            '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}',
        ])
    }

    /// A line without invisible characters, with full-width forms as ASCII and every space a plain one.
    pub(super) fn bare(&self, line: usize) -> Cow<'t, str> {
        bare(self.text(line))
    }

    pub(super) fn is_blank(&self, line: usize) -> bool {
        let text = self.text(line);
        text.chars().all(|character| character.is_whitespace() || is_invisible(character))
    }

    pub(super) fn is_quoted(&self, line: usize) -> bool {
        // Nearly every line is refused by its first letter, before anything is copied.
        let text = self.text(line);
        let may_begin = |character: char| !character.is_alphabetic();
        text.chars().next().is_some_and(may_begin) && quote_depth_end(&bare(text)).is_some()
    }

    /// Whether a quoted line holds words a lazy line could go on with.
    pub(super) fn quoted_words(&self, line: usize) -> bool {
        let bare = self.bare(line);
        let inside = quote_depth_end(&bare).and_then(|start| bare.get(start..)).unwrap_or_default();
        !inside.trim().is_empty() && !begins_block(inside.trim_start())
            || inside.trim_start().starts_with(['-', '*', '+'])
    }

    /// Whether a line, by itself not quoted, goes on with the paragraph above it.
    pub(super) fn continues_paragraph(&self, line: usize) -> bool {
        !self.is_blank(line)
            && !begins_block(self.bare(line).trim_start())
            && list_item(&self.bare(line)).is_none()
    }
}

/// See [`Lines::bare`].
pub(super) fn bare(line: &str) -> Cow<'_, str> {
    if line.is_ascii() && !line.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
        return Cow::Borrowed(line);
    }
    Cow::Owned(line.chars().filter(|character| !is_invisible(*character)).map(plain_form).collect())
}

/// Characters that print nothing: zero-width, joiners, soft hyphen, bidirectional controls, variation selectors, tags.
pub(super) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn plain_form(character: char) -> char {
    match character {
        // The full-width block repeats ASCII from `!` on, 0xfee0 higher.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
        '\u{fe65}' => '>',
        '\u{fe64}' => '<',
        '\u{2019}' => '\'',
        other if other.is_whitespace() => ' ',
        other => other,
    }
}

/// Where the words begin in a quoted line (already bare), or `None` if it is not one.
fn quote_depth_end(bare: &str) -> Option<usize> {
    let mut rest = bare.trim_start();
    while let Some(inside) = list_item(rest) {
        rest = inside.trim_start();
    }
    const FACES: [&str; 8] = [">_<", ">.<", ">:(", ">:)", ">:D", ">.>", ">;(", ">:-"];
    if FACES.iter().any(|face| rest.starts_with(face)) {
        return None;
    }
    let mut quoted = false;
    while let Some(inside) = rest.strip_prefix('>').or_else(|| rest.strip_prefix("&gt;")) {
        quoted = true;
        rest = inside.trim_start();
    }
    quoted.then_some(bare.len() - rest.len())
}

/// What follows a list marker (`-`, `*`, `+`, `1.`, `1)`), or `None`.
pub(super) fn list_item(bare: &str) -> Option<&str> {
    let rest = bare.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = if digits > 0 && digits <= 9 {
        rest[digits..].strip_prefix(['.', ')'])?
    } else {
        rest.strip_prefix(['-', '*', '+', '•'])?
    };
    after.starts_with([' ', '\t']).then_some(after)
}

fn begins_block(trimmed: &str) -> bool {
    let heading = trimmed.starts_with('#') && trimmed.trim_start_matches('#').starts_with([' ', '\t']);
    heading || trimmed.starts_with("```") || trimmed.starts_with("~~~") || is_rule(trimmed)
}

fn is_rule(trimmed: &str) -> bool {
    let mark = trimmed.chars().next().unwrap_or(' ');
    let marks = trimmed.chars().filter(|character| *character == mark).count();
    matches!(mark, '-' | '*' | '_' | '=')
        && marks >= 3
        && trimmed.chars().all(|character| character == mark || character == ' ')
}
