//! A name that ends in manager, helper or util has not found its verb.

use crate::finding::{Finding, line_of};
use crate::rust::Parts;
use crate::tree::Tree;

const VAGUE: [&str; 6] = ["manager", "managers", "helper", "helpers", "util", "utils"];

const KEYWORDS: [&str; 6] = ["mod ", "struct ", "enum ", "trait ", "type ", "union "];

const FIX: &str = "name what it is or does";

/// Finds files, modules and types with such names.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.rust() {
        for step in path.trim_end_matches(".rs").split('/') {
            if is_vague(step) {
                findings.push(Finding::new(path, 1, format!("`{step}` in the path names no thing"), FIX));
            }
        }
        let code = Parts::of(text).code;
        for keyword in KEYWORDS {
            for (at, _) in code.match_indices(keyword) {
                if code[..at].ends_with(is_word) {
                    continue;
                }
                let rest = &code[at + keyword.len()..];
                let name = &rest[..rest.find(|next: char| !is_word(next)).unwrap_or(rest.len())];
                if is_vague(name) {
                    let what = format!("`{}{name}` names no thing", keyword);
                    findings.push(Finding::new(path, line_of(text, at), what, FIX));
                }
            }
        }
    }
    findings
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether the last word of a name in either case says nothing.
fn is_vague(name: &str) -> bool {
    let last = name.rsplit(['_', '-']).next().unwrap_or(name);
    let last = match last.rfind(char::is_uppercase) {
        Some(capital) => &last[capital..],
        None => last,
    };
    VAGUE.contains(&last.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn vague_names_are_found() {
        let cases = [
            (
                "crates/a/src/test_utils.rs",
                "",
                Some("crates/a/src/test_utils.rs:1 `test_utils` in the path names no thing"),
            ),
            ("crates/util/src/a.rs", "", Some("crates/util/src/a.rs:1 `util` in the path names no thing")),
            ("a.rs", "pub struct StoreManager;", Some("a.rs:1 `struct StoreManager` names no thing")),
            ("a.rs", "\nmod helpers;", Some("a.rs:2 `mod helpers` names no thing")),
            ("a.rs", "trait Manageable {} struct Futile; // struct Helper", None),
            ("a.rs", "const A: &str = \"struct Manager\"; enum Manages {}", None),
        ];
        for (path, text, wrong) in cases {
            assert_eq!(found(check, &[(path, text)]), wrong.into_iter().collect::<Vec<_>>(), "{path} {text}");
        }
    }
}
