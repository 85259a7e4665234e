//! A command that a page tells people to type exists.

use crate::finding::Finding;
use crate::markdown;
use crate::tree::Tree;

/// Finds `make` and `xtask` commands on pages that nothing answers to.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let targets = targets(tree.get("Makefile").unwrap_or_default());
    let mut findings = Vec::new();
    for (path, text) in tree.pages() {
        for code in markdown::code(text) {
            let typed = code.text.trim_start().trim_start_matches("$ ");
            let words: Vec<&str> =
                typed.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
            match words.as_slice() {
                ["make", rest @ ..] => {
                    let goals = rest.iter().take_while(|word| !["&&", "||", ";", "|"].contains(*word));
                    for goal in goals.filter(|word| !word.starts_with('-') && !word.contains('=')) {
                        if !targets.contains(goal) {
                            let what = format!("`make {goal}` is no target of the Makefile");
                            let fix = format!("name one of `{}`", targets.join("`, `"));
                            findings.push(Finding::new(path, code.line, what, fix));
                        }
                    }
                }
                ["cargo", "run", "-p", "xtask", "--", command, ..] if !crate::COMMANDS.contains(command) => {
                    let what = format!("xtask has no command `{command}`");
                    let fix = format!("name one of `{}`", crate::COMMANDS.join("`, `"));
                    findings.push(Finding::new(path, code.line, what, fix));
                }
                _ => {}
            }
        }
    }
    findings
}

/// The targets of a Makefile a person may type.
fn targets(makefile: &str) -> Vec<&str> {
    makefile
        .lines()
        .filter(|line| !line.starts_with(['\t', '#', '.', ' ']))
        .filter_map(|line| line.split_once(':'))
        .filter(|(_, rest)| !rest.starts_with('='))
        .flat_map(|(names, _)| names.split_whitespace())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn commands_on_pages_exist() {
        let makefile = ".PHONY: test\nA := b\ntest: fmt\n\tx: y\nfmt:\n";
        let page = "`make test` `make fmt -j2 A=b && ls` `make`\n```\n$ make bench\n$ cargo run -p xtask -- dance # now\n```\n`makes it`";
        let files = [("Makefile", makefile), ("README.md", page)];
        let expected = [
            "README.md:3 `make bench` is no target of the Makefile",
            "README.md:4 xtask has no command `dance`",
        ];
        assert_eq!(found(check, &files), expected);
    }
}
