//! Tidy: what the project said twice in review, said by a machine.
//!
//! Each rule is a function from the files of the checkout to findings, in a file of its own with its tests.

mod commands;
mod data;
mod decisions;
mod fresh;
mod glossary;
mod headers;
mod layers;
mod links;
mod machine;
mod names;
mod programs;
mod refusals;
mod scenarios;
mod sql;
mod unfinished;

use crate::finding::Finding;
use crate::tree::Tree;

/// A rule: what it finds in a tree.
type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: [Rule; 15] = [
    layers::check,
    sql::check,
    unfinished::check,
    headers::check,
    names::check,
    decisions::check,
    glossary::check,
    links::check,
    commands::check,
    refusals::check,
    fresh::check,
    scenarios::check,
    programs::check,
    data::check,
    machine::check,
];

/// Everything the rules find, file by file.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.into_iter().flat_map(|rule| rule(tree)).collect();
    findings.sort();
    findings
}

#[cfg(test)]
mod testing {
    //! How the rules' tests look at a small made-up tree.

    use super::Rule;
    use crate::tree::Tree;

    /// What `rule` finds in `files`, as `path:line` and the beginning of what is wrong.
    pub(super) fn found(rule: Rule, files: &[(&str, &str)]) -> Vec<String> {
        let findings = rule(&Tree::of(files));
        assert!(findings.iter().all(|finding| !finding.fix.is_empty()), "{findings:?}");
        findings.iter().map(|finding| format!("{}:{} {}", finding.path, finding.line, finding.what)).collect()
    }
}
