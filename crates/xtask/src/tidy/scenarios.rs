//! Scenarios are found by looking into their folder. A list of them in code is a list somebody forgets.

use crate::finding::{Finding, line_of};
use crate::rust::Parts;
use crate::tree::Tree;

/// Finds Rust sources and manifests that name a single scenario.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let scenarios: Vec<&str> =
        tree.files().map(|(path, _)| path).filter(|path| path.starts_with("scenarios/")).collect();
    let mut findings = Vec::new();
    for (path, text) in tree.files() {
        let told = match path.rsplit('.').next() {
            Some("rs") => Parts::of(text).strings,
            Some("toml") => text.to_owned(),
            _ => continue,
        };
        for scenario in &scenarios {
            if let Some(at) = told.find(scenario) {
                let what = format!("`{scenario}` is named one by one");
                let fix = "read the folder `scenarios/`; every file in it is played";
                findings.push(Finding::new(path, line_of(text, at), what, fix));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn no_list_of_scenarios() {
        let files = [
            ("scenarios/first.txt", ""),
            ("tests/a.rs", "//! As scenarios/first.txt.\nconst A: &str = \"scenarios\";\n"),
            ("tests/b.rs", "\nplay(\"../scenarios/first.txt\")"),
            ("docs/a.md", "scenarios/first.txt"),
        ];
        assert_eq!(found(check, &files), ["tests/b.rs:2 `scenarios/first.txt` is named one by one"]);
    }
}
