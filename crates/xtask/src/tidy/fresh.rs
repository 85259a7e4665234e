//! The generated pages are what the files they describe would give now.

use crate::finding::Finding;
use crate::reference;
use crate::tree::Tree;

const FIX: &str = "run `cargo run -p xtask -- reference` and commit what it writes";

/// What a test of the crate it is made from keeps fresh, since this program depends on none.
const KEPT_BY_TESTS: &[&str] = &["docs/reference/openapi.json"];

/// Finds stale pages in `docs/reference/`, and pages there that nothing generates.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let pages = match reference::pages(tree) {
        Ok(pages) => pages,
        Err(error) => {
            let fix = "mend the file it is made from, or `xtask/src/reference.rs`";
            return vec![Finding::new("docs/reference", 1, format!("cannot be made: {error:#}"), fix)];
        }
    };
    let mut findings = Vec::new();
    for page in &pages {
        let stands = tree.get(page.path).unwrap_or_default();
        if stands != page.text {
            let same =
                stands.lines().zip(page.text.lines()).take_while(|(left, right)| left == right).count();
            findings.push(Finding::new(page.path, same + 1, "the page is stale", FIX));
        }
    }
    let strays = tree
        .files()
        .map(|(path, _)| path)
        .filter(|path| path.starts_with("docs/reference/") && !KEPT_BY_TESTS.contains(path))
        .filter(|path| !pages.iter().any(|page| page.path == *path));
    findings.extend(strays.map(|path| {
        let fix = "move it to `docs/guides/`, or generate it in `xtask/src/reference.rs`";
        Finding::new(path, 1, "nothing generates this page", fix)
    }));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::testing::found;

    #[test]
    fn stale_pages_are_found() {
        let sources = reference::SAMPLE;
        let pages = reference::pages(&Tree::of(&sources)).expect("pages");
        let mut files = sources.to_vec();
        files.extend(pages.iter().map(|page| (page.path, page.text.as_str())));
        assert!(found(check, &files).is_empty());
        let stale = format!("{}\nmore", pages[0].text);
        let last = files.len() - pages.len();
        files[last].1 = &stale;
        files.push(("docs/reference/openapi.json", "{}"));
        files.push(("docs/reference/own.md", "x"));
        let found = found(check, &files);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with(pages[0].path) && found[0].ends_with("the page is stale"), "{found:?}");
        assert_eq!(found[1], "docs/reference/own.md:1 nothing generates this page");
    }
}
