//! Citations: which handles of a packet a reply names.
//!
//! A packet asks to be cited by handle, and a model writes `[M3]`, `[M1, M4]` or `(M2)`. What stands in code is not a
//! citation: a program may well index a matrix `[M1]`.

use crate::limits::Limit;

/// The most of a reply that is read, in bytes; what lies behind is not looked at.
pub const REPLY_BYTES_MAX: usize = Limit::REPLY_BYTES.size();

/// The most handles taken from one reply.
pub const HANDLES_MAX: usize = 1_000;

/// The handles a reply cites, each once, in the order they first stand.
///
/// Read are lists of handles in brackets or parentheses: `[M3]`, `[M1, M4]`, `(M2; M3)`, `[M1 and M2]`. Passed over are
/// fenced blocks, lines indented by four or more after an empty line, and spans between backticks.
#[must_use]
pub fn cited(reply: &str) -> Vec<String> {
    let reply = &reply[..reply.floor_char_boundary(REPLY_BYTES_MAX)];
    let prose = without_code(reply);
    let mut handles: Vec<String> = Vec::new();
    let mut rest = prose.as_str();
    while let Some(open) = rest.find(['[', '(']) {
        let closing = if rest[open..].starts_with('[') { ']' } else { ')' };
        let inside = &rest[open + 1..];
        rest = inside;
        let Some(close) = inside.find(closing) else { continue };
        let Some(named) = list(&inside[..close]) else { continue };
        rest = &inside[close + 1..];
        for handle in named {
            if handles.len() == HANDLES_MAX {
                return handles;
            }
            if !handles.contains(&handle) {
                handles.push(handle);
            }
        }
    }
    handles
}

/// The handles of a list that holds nothing else.
fn list(text: &str) -> Option<Vec<String>> {
    // A long stretch between brackets is prose.
    if text.len() > 400 {
        return None;
    }
    let words = text.split([',', ';', ' ', '\u{a0}', '&', '+']).filter(|word| !word.is_empty());
    let mut handles = Vec::new();
    for word in words {
        match handle(word) {
            Some(handle) => handles.push(handle),
            None if !handles.is_empty() && matches!(word, "and" | "i" | "te") => {}
            None => return None,
        }
    }
    (!handles.is_empty()).then_some(handles)
}

/// `M` and a number without leading zeros, at most four digits.
fn handle(word: &str) -> Option<String> {
    let digits = word.strip_prefix(['M', 'm'])?;
    let is_number = (1..=4).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    is_number.then(|| format!("M{digits}"))
}

/// The reply with its code taken out, line by line and span by span.
fn without_code(reply: &str) -> String {
    let mut prose = String::with_capacity(reply.len());
    let mut fence: Option<(char, usize)> = None;
    let mut after_empty = true;
    for line in reply.lines() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        let mark = bare.chars().next().filter(|first| matches!(first, '`' | '~'));
        let run = mark.map_or(0, |mark| bare.chars().take_while(|one| *one == mark).count());
        match (fence, mark) {
            (Some((open, length)), Some(mark)) if mark == open && run >= length && bare.len() == run => {
                fence = None;
            }
            (Some(_), _) => {}
            (None, Some(mark)) if run >= 3 && indent < 4 => fence = Some((mark, run)),
            (None, _) => {
                let is_block = (line.starts_with("    ") || line.starts_with('\t')) && after_empty;
                if !is_block {
                    prose.push_str(line);
                    prose.push('\n');
                }
                after_empty = bare.is_empty() || is_block;
            }
        }
    }
    without_spans(&prose)
}

/// A text without what stands between runs of backticks of one length; a run that is never closed opens nothing.
fn without_spans(prose: &str) -> String {
    let mut text = String::with_capacity(prose.len());
    let mut rest = prose;
    // Runs are paired as they come, so each is looked at once for each length that is open.
    let mut unclosed = [false; 64];
    while let Some(start) = rest.find('`') {
        text.push_str(&rest[..start]);
        let run = rest[start..].bytes().take_while(|byte| *byte == b'`').count();
        let inside = &rest[start + run..];
        match (run < unclosed.len() && !unclosed[run]).then(|| closing(inside, run)).flatten() {
            Some(end) => {
                text.push(' ');
                rest = &inside[end + run..];
            }
            None => {
                if let Some(known) = unclosed.get_mut(run) {
                    *known = true;
                }
                rest = inside;
            }
        }
    }
    text.push_str(rest);
    text
}

/// Where a run of exactly `length` backticks begins.
fn closing(text: &str, length: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'`' {
            at += 1;
            continue;
        }
        let run = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        if run == length {
            return Some(at);
        }
        at += run;
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn handles_are_read_where_they_are_cited() {
        let table: [(&str, &[&str]); 18] = [
            ("You live in Zagreb [M3].", &["M3"]),
            ("Two things [M1, M4] and one (M2).", &["M1", "M4", "M2"]),
            ("[M1][M2], again [M1]", &["M1", "M2"]),
            ("both [M1 and M2], oba (M3 i M4)", &["M1", "M2", "M3", "M4"]),
            ("[M12;M9]", &["M12", "M9"]),
            ("lower case [m7]", &["M7"]),
            ("nothing M1 without brackets", &[]),
            ("[see M1]", &[]),
            ("(M1 was first) [M2]", &["M2"]),
            ("[M0] [M01] [M] [M12345] [MM1]", &[]),
            ("an open [M1", &[]),
            ("nested ([M1])", &["M1"]),
            ("`matrix[M1]` but [M2]", &["M2"]),
            ("``a ` [M1]`` [M2]", &["M2"]),
            ("a lone ` [M1]", &["M1"]),
            ("```\nrow[M1]\n```\nsaid [M2]", &["M2"]),
            ("~~~python\nx = [M1]\n~~~\n[M2]\n\n    indented [M3]\n", &["M2"]),
            ("- point\n    that goes on [M1]", &["M1"]),
        ];
        for (reply, wanted) in table {
            assert_eq!(cited(reply), wanted, "{reply:?}");
        }
    }

    #[test]
    fn a_fence_never_closed_hides_the_rest() {
        assert!(cited("```\n[M1]\n[M2]").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_read(reply in r"[\[\]()`~M0-9, \nand]{0,200}") {
            let handles = cited(&reply);
            prop_assert!(handles.iter().all(|one| handle(one).as_ref() == Some(one)));
        }
    }
}
