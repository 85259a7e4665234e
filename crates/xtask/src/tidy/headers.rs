//! Every source file says first what it is for.

use crate::finding::Finding;
use crate::tree::Tree;

/// Finds files under `crates/*/src` that do not begin with a module doc.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.rust().filter(|(path, _)| path.starts_with("crates/") && path.contains("/src/"));
    sources
        .filter(|(_, text)| {
            let doc = text.lines().next().and_then(|line| line.strip_prefix("//!"));
            doc.is_none_or(|doc| doc.trim().is_empty())
        })
        .map(|(path, _)| {
            Finding::new(
                path,
                1,
                "the file does not say what it is for",
                "begin it with a `//!` doc: what, and why",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn the_first_line_tells() {
        let files = [
            ("crates/a/src/lib.rs", "//! What it is.\n"),
            ("crates/a/src/b.rs", "use c;\n//! Late.\n"),
            ("crates/a/src/d.rs", "//!\n"),
            ("crates/a/tests/e.rs", "use c;\n"),
        ];
        let wrong = "the file does not say what it is for";
        let expected = [format!("crates/a/src/b.rs:1 {wrong}"), format!("crates/a/src/d.rs:1 {wrong}")];
        assert_eq!(found(check, &files), expected);
    }
}
