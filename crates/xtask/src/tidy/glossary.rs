//! Every word of the glossary leads to the file that defines it, and that file uses the word.

use crate::finding::Finding;
use crate::tree::Tree;

const PAGE: &str = "docs/GLOSSARY.md";

/// Finds rows of the glossary that lead nowhere.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.get(PAGE) else { return Vec::new() };
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(row) = line.strip_prefix("| **") else { continue };
        let line = number + 1;
        let word = row.split("**").next().unwrap_or_default();
        let file = row.trim_end().trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let Some(file) = file.split('`').nth(1) else {
            let what = format!("`{word}` names no file");
            findings.push(Finding::new(PAGE, line, what, "end the row with the file that defines the word"));
            continue;
        };
        match tree.get(file) {
            None => {
                let what = format!("`{word}` leads to `{file}`, which does not exist");
                findings.push(Finding::new(PAGE, line, what, "name the file that defines the word now"));
            }
            Some(defines) if !defines.to_lowercase().contains(&word.to_lowercase()) => {
                let what = format!("`{file}` does not use the word `{word}`");
                findings.push(Finding::new(PAGE, line, what, "name the file that defines the word"));
            }
            Some(_) => {}
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn words_lead_to_files_that_use_them() {
        let page = "| word | means | file |\n|---|---|---|\n| **claim** | a | `claim.rs` |\n| **fact** | b | `gone.rs` |\n| **turn** | c | `claim.rs` |\n| **gate** | d | |\n";
        let files = [(PAGE, page), ("claim.rs", "//! A Claim.")];
        let expected = [
            format!("{PAGE}:4 `fact` leads to `gone.rs`, which does not exist"),
            format!("{PAGE}:5 `claim.rs` does not use the word `turn`"),
            format!("{PAGE}:6 `gate` names no file"),
        ];
        assert_eq!(found(check, &files), expected);
    }
}
