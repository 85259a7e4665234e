//! Decisions are one page each, numbered without gaps, and all tell the same four things.

use crate::finding::Finding;
use crate::tree::Tree;

const FOLDER: &str = "docs/decisions/";

/// The headings of a decision, in order.
const HEADINGS: [&str; 4] = ["## Question", "## Decision", "## Reasons", "## Costs"];

/// A page: more lines than this are two decisions.
const LINES_MAX: usize = 80;

/// Finds gaps in the numbers and pages that leave something out.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut expected = 1;
    for (path, text) in tree.files().filter(|(path, _)| path.starts_with(FOLDER) && path.ends_with(".md")) {
        let name = &path[FOLDER.len()..];
        let number = name.get(..5).and_then(|start| start.strip_suffix('-'));
        let Some(number) = number.and_then(|digits| digits.parse::<usize>().ok()) else {
            let what = format!("`{name}` does not begin with its number");
            findings.push(Finding::new(path, 1, what, "name it `NNNN-words.md`"));
            continue;
        };
        if number != expected {
            let what = format!("decision {number:04} stands where {expected:04} is due");
            findings.push(Finding::new(
                path,
                1,
                what,
                format!("number it {expected:04}; numbers leave no gap and none is used twice"),
            ));
        }
        expected = number + 1;
        findings.extend(check_page(path, text, number));
    }
    findings
}

fn check_page(path: &str, text: &str, number: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    let title = format!("# {number:04}: ");
    if !text.starts_with(&title) {
        findings.push(Finding::new(
            path,
            1,
            "the title does not carry the number",
            format!("begin with `{title}…`"),
        ));
    }
    let headings: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.starts_with("## "))
        .map(|(number, line)| (number + 1, line.trim_end()))
        .collect();
    if !headings.iter().map(|(_, heading)| *heading).eq(HEADINGS) {
        let line = headings
            .iter()
            .zip(HEADINGS)
            .find(|((_, heading), wanted)| heading != wanted)
            .map_or(1, |((line, _), _)| *line);
        let wanted = HEADINGS.map(|heading| heading.trim_start_matches("## ")).join(", ");
        findings.push(Finding::new(
            path,
            line,
            "the headings are not those of a decision",
            format!("have {wanted}, in this order"),
        ));
    }
    let lines = text.lines().count();
    if lines > LINES_MAX {
        findings.push(Finding::new(
            path,
            lines,
            format!("the page has {lines} lines"),
            format!("say it in {LINES_MAX}"),
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    const BODY: &str = "\n## Question\na\n## Decision\nb\n## Reasons\nc\n## Costs\nd\n";

    #[test]
    fn numbers_and_headings_are_checked() {
        let first = format!("# 0001: One{BODY}");
        let second = format!("# 0002: Two{BODY}");
        let path = |number: &str| format!("docs/decisions/{number}");
        assert!(found(check, &[(&path("0001-one.md"), &first), (&path("0002-two.md"), &second)]).is_empty());
        let cases = [
            (
                "0003-two.md",
                format!("# 0003: Two{BODY}"),
                "docs/decisions/0003-two.md:1 decision 0003 stands where 0002 is due",
            ),
            (
                "0001-two.md",
                first.clone(),
                "docs/decisions/0001-two.md:1 decision 0001 stands where 0002 is due",
            ),
            ("two.md", second.clone(), "docs/decisions/two.md:1 `two.md` does not begin with its number"),
            (
                "0002-two.md",
                format!("# Two{BODY}"),
                "docs/decisions/0002-two.md:1 the title does not carry the number",
            ),
            (
                "0002-two.md",
                second.replace("Reasons", "Why"),
                "docs/decisions/0002-two.md:6 the headings are not those of a decision",
            ),
            (
                "0002-two.md",
                second.replace("## Costs", ""),
                "docs/decisions/0002-two.md:1 the headings are not those of a decision",
            ),
        ];
        for (name, text, wrong) in cases {
            let found = found(check, &[(&path("0001-one.md"), &first), (&path(name), &text)]);
            assert_eq!(found, [wrong], "{name}");
        }
    }
}
