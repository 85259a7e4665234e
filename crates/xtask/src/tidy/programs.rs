//! The tests of a crate are one program, as each folder of `tests/` is: what its first file does not name is never run, and nothing else
//! would say so.

use crate::finding::Finding;
use crate::tree::Tree;

/// Finds files of tests that no program takes in.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_program = |path: &str| {
        path.ends_with("/tests/all.rs") || path.starts_with("tests/") && path.ends_with("/main.rs")
    };
    for (program, text) in tree.files().filter(|(path, _)| is_program(path)) {
        let (folder, name) = program.rsplit_once('/').unwrap_or(("", program));
        let is_named = |module: &str| {
            text.lines().any(|line| line.trim() == format!("mod {module};")) || name == format!("{module}.rs")
        };
        for (path, _) in tree.files() {
            let within = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            let module = within.and_then(|rest| rest.strip_suffix(".rs"));
            // Of a folder, its own `mod.rs` names the rest.
            let module = module.map(|module| module.strip_suffix("/mod").unwrap_or(module));
            let Some(module) = module.filter(|module| !module.contains('/') && !is_named(module)) else {
                continue;
            };
            let what = format!("`{module}` is in no test program");
            findings.push(Finding::new(path, 1, what, "name it in the program beside it: `mod …;`"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn a_file_of_tests_is_named() {
        let files = [
            ("crates/a/tests/all.rs", "mod one;\n#[path = \"../x.rs\"]\nmod server;\nmod folder;\n"),
            ("crates/a/tests/one.rs", ""),
            ("crates/a/tests/two.rs", ""),
            ("crates/a/tests/folder/mod.rs", "mod inner;"),
            ("crates/a/tests/folder/inner.rs", ""),
            ("crates/a/tests/other/mod.rs", ""),
            ("crates/b/tests/alone.rs", ""),
            ("tests/faults/main.rs", "mod disk;"),
            ("tests/faults/disk.rs", ""),
            ("tests/faults/clock.rs", ""),
        ];
        let expected = [
            "crates/a/tests/other/mod.rs:1 `other` is in no test program",
            "crates/a/tests/two.rs:1 `two` is in no test program",
            "tests/faults/clock.rs:1 `clock` is in no test program",
        ];
        assert_eq!(found(check, &files), expected);
    }
}
