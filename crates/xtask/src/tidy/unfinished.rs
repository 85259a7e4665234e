//! Nothing unfinished is committed: what is to be done later is an issue, and a test that does not run tests nothing.

use crate::finding::{Finding, line_of};
use crate::rust::Parts;
use crate::tree::Tree;

/// What has no place in code, and what to do instead.
const CODE: [(&str, &str); 4] = [
    ("todo!", "write it, or leave out what needs it"),
    ("unimplemented!", "write it, or leave out what needs it"),
    ("dbg!", "take it out"),
    ("#[ignore", "make the test run, or delete it"),
];

/// Words that promise work.
const MARKS: [&str; 3] = ["TODO", "FIXME", "XXX"];

const FIX: &str = "open an issue, and say here how things are";

/// Finds what is unfinished.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust() {
        let parts = Parts::of(text);
        for (word, fix) in CODE {
            for (at, _) in parts.code.match_indices(word).filter(|(at, _)| begins_word(&parts.code, *at)) {
                findings.push(Finding::new(path, line_of(text, at), format!("`{word}` stands in code"), fix));
            }
        }
        findings.extend(marks(path, &parts.comments));
    }
    let others = [".toml", ".sh", ".sql", ".yml", "Makefile", ".ci/run"];
    for (path, text) in tree.files() {
        if !path.starts_with("data/") && others.iter().any(|ending| path.ends_with(ending)) {
            findings.extend(marks(path, text));
        }
    }
    findings
}

fn marks(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for mark in MARKS {
        let alone = |at: usize| {
            begins_word(text, at) && !text[at + mark.len()..].starts_with(|next: char| next.is_alphanumeric())
        };
        for (at, _) in text.match_indices(mark).filter(|(at, _)| alone(*at)) {
            findings.push(Finding::new(path, line_of(text, at), format!("`{mark}` promises work"), FIX));
        }
    }
    findings
}

fn begins_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn promises_are_found_where_they_count() {
        let cases = [
            ("a.rs", "fn a() {\n    todo!()\n}", Some("a.rs:2 `todo!` stands in code")),
            ("a.rs", "let a = dbg!(b);", Some("a.rs:1 `dbg!` stands in code")),
            ("a.rs", "#[ignore = \"slow\"]\n#[test]", Some("a.rs:1 `#[ignore` stands in code")),
            ("a.rs", "// TODO: more", Some("a.rs:1 `TODO` promises work")),
            ("a.rs", "let a = \"TODO todo!()\"; // XXXX and mastodo!", None),
            ("Makefile", "# FIXME", Some("Makefile:1 `FIXME` promises work")),
            ("data/a/Makefile", "# FIXME", None),
            ("README.md", "TODO lists are data", None),
        ];
        for (path, text, wrong) in cases {
            assert_eq!(found(check, &[(path, text)]), wrong.into_iter().collect::<Vec<_>>(), "{text}");
        }
    }
}
