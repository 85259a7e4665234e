//! The few things checks want from a Markdown page: its code and its links.

/// A piece of code shown on a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Code<'page> {
    /// The line it stands in, from 1.
    pub(crate) line: usize,
    /// The word after the fence, such as `console`; empty for code inside a sentence.
    pub(crate) language: &'page str,
    /// One line of it.
    pub(crate) text: &'page str,
}

/// Every line of fenced code and every code span, in order.
pub(crate) fn code(page: &str) -> Vec<Code<'_>> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, text) in page.lines().enumerate() {
        let line = number + 1;
        if let Some(language) = text.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language.trim()) };
        } else if let Some(language) = fence {
            found.push(Code { line, language, text });
        } else {
            let spans = text.split('`').skip(1).step_by(2);
            found.extend(spans.map(|text| Code { line, language: "", text }));
        }
    }
    found
}

/// The target of every link outside code, with its line.
pub(crate) fn links(page: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, text) in page.lines().enumerate() {
        fenced ^= text.trim_start().starts_with("```");
        let outside = text.split('`').step_by(2).filter(|_| !fenced);
        // A link's target never holds a backtick here, but its label may, and then the target begins the next piece.
        for piece in outside {
            let mut rest = piece;
            while let Some(begin) = rest.find("](") {
                rest = &rest[begin + 2..];
                let end = rest.find(')').unwrap_or(rest.len());
                found.push((number + 1, &rest[..end]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_in_fences_and_sentences() {
        let page = "Run `make test` or `x`.\n```console\n$ make demo\n```\nno code\n";
        let found: Vec<(usize, &str, &str)> =
            code(page).into_iter().map(|code| (code.line, code.language, code.text)).collect();
        assert_eq!(found, [(1, "", "make test"), (1, "", "x"), (3, "console", "$ make demo")]);
    }

    #[test]
    fn links_are_found_outside_code() {
        let page = "[a](b.md) and [`c`](d.md#e)\n```\n[x](y)\n```\n`[p](q)`\n";
        assert_eq!(links(page), [(1, "b.md"), (1, "d.md#e")]);
    }
}
