//! Rust source told apart into code, comments and literals, byte for byte, so that a check for a word in code does not
//! stumble over the same word in a string. Not a parser: enough of the lexer to know what a byte belongs to.

/// A source in which everything but one part is blanked. All have the length and the lines of the original.
pub(crate) struct Parts {
    /// Code, without the content of comments and literals.
    pub(crate) code: String,
    /// Comments only.
    pub(crate) comments: String,
    /// The content of string literals only.
    pub(crate) strings: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Code,
    Comment,
    Literal,
}

impl Parts {
    /// Tells `source` apart.
    pub(crate) fn of(source: &str) -> Self {
        let bytes = source.as_bytes();
        let mut parts = vec![Part::Code; bytes.len()];
        let mut at = 0;
        while at < bytes.len() {
            let (end, part) = piece(source, at);
            parts[at..end].fill(part);
            at = end;
        }
        let only = |wanted: Part| {
            let kept = bytes.iter().zip(&parts).map(|(byte, part)| match *part == wanted || *byte == b'\n' {
                true => *byte,
                false => b' ',
            });
            // Pieces begin and end at characters, so what is kept is whole.
            String::from_utf8(kept.collect()).unwrap_or_default()
        };
        Self { code: only(Part::Code), comments: only(Part::Comment), strings: only(Part::Literal) }
    }
}

/// Where the piece that begins at `at` ends, and what it is.
fn piece(source: &str, at: usize) -> (usize, Part) {
    let rest = &source[at..];
    if rest.starts_with("//") {
        return (at + rest.find('\n').unwrap_or(rest.len()), Part::Comment);
    }
    if rest.starts_with("/*") {
        return (at + block_comment(rest), Part::Comment);
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let after_word = at > 0 && is_word(source.as_bytes()[at - 1]);
    if !after_word && let Some(length) = raw_string(rest) {
        return (at + length, Part::Literal);
    }
    if rest.starts_with('"') {
        return (at + quoted(rest, b'"'), Part::Literal);
    }
    if rest.starts_with('\'') && is_character(rest) {
        return (at + quoted(rest, b'\''), Part::Literal);
    }
    (at + rest.chars().next().map_or(1, char::len_utf8), Part::Code)
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = rest.as_bytes();
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth.saturating_sub(1), at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of the raw string that begins here, prefix and all.
fn raw_string(rest: &str) -> Option<usize> {
    let after = ["br", "cr", "r"].into_iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let hashes = after.bytes().take_while(|byte| *byte == b'#').count();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let prefix = rest.len() - body.len();
    Some(body.find(&end).map_or(rest.len(), |found| prefix + found + end.len()))
}

fn quoted(rest: &str, mark: u8) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == mark => return at + 1,
            _ => at += 1,
        }
    }
    // An escape may have stepped into or past the last character.
    rest.len()
}

/// Whether an apostrophe begins a character rather than a lifetime.
fn is_character(rest: &str) -> bool {
    let mut after = rest.chars().skip(1);
    match after.next() {
        Some('\\') => true,
        Some(_) => after.next() == Some('\''),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_strings_and_comments() {
        let cases = [
            ("let a = \"todo!()\"; dbg!(a) // TODO", "dbg!", "TODO", "todo!"),
            ("r#\"one \" two\"# + three /* four /* five */ six */", "three", "five", "two"),
            ("let c = '\"'; let d: &'a str = \"x\"; // it's", "&'a str", "it's", "x"),
            ("'\\'' code /* c */ b\"s\\\"t\"", "code", "c", "s\\\"t"),
            ("forr\"x\" /*č*/ \"ž\"", "forr", "č", "ž"),
        ];
        for (source, code, comment, string) in cases {
            let parts = Parts::of(source);
            assert!(parts.code.contains(code), "{source}: {}", parts.code);
            assert!(parts.comments.contains(comment), "{source}: {}", parts.comments);
            assert!(parts.strings.contains(string), "{source}: {}", parts.strings);
            assert!(!parts.code.contains(string), "{source}: {}", parts.code);
            for part in [&parts.code, &parts.comments, &parts.strings] {
                assert_eq!(part.len(), source.len());
            }
        }
    }

    #[test]
    fn nothing_makes_it_fall() {
        for source in ["'", "\"", "\"\\", "r#\"", "/*", "'\\", "b'", "/", "r", "č'č"] {
            assert_eq!(Parts::of(source).code.len(), source.len());
        }
    }
}
