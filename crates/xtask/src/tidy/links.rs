//! A link from one page to another file of the project leads somewhere.

use crate::finding::Finding;
use crate::markdown;
use crate::tree::Tree;

/// Finds relative links to what does not exist.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.pages() {
        for (line, target) in markdown::links(text) {
            let target = target.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let resolved = resolve(path, target);
            if !resolved.as_deref().is_some_and(|resolved| tree.exists(resolved)) {
                let what = format!("the link to `{target}` leads nowhere");
                findings.push(Finding::new(
                    path,
                    line,
                    what,
                    "link to a file that exists, relative to this page",
                ));
            }
        }
    }
    findings
}

/// The path from the root that a link on `page` means; `None` when it leaves the checkout.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut steps: Vec<&str> = page.split('/').collect();
    steps.pop();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()?),
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn links_lead_somewhere() {
        let page =
            "[a](../README.md#top) [b](b.md) [c](https://example.org)\n[d](../../x.md) [e](decisions/)";
        let files = [("docs/a.md", page), ("README.md", ""), ("docs/decisions/0001-a.md", "")];
        let expected = [
            "docs/a.md:1 the link to `b.md` leads nowhere",
            "docs/a.md:2 the link to `../../x.md` leads nowhere",
        ];
        assert_eq!(found(check, &files), expected);
    }
}
