//! Data from elsewhere says where it is from and under which licence; our own says that it is ours.

use std::collections::BTreeSet;

use crate::finding::Finding;
use crate::tree::Tree;

/// Licences that ask for their text to go along with every copy.
const TEXT_NEEDED: [&str; 6] = ["MIT", "Apache", "BSD", "ISC", "MPL", "GPL"];

/// Finds data folders that do not account for themselves.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let folders: BTreeSet<&str> = tree
        .files()
        .filter_map(|(path, _)| path.strip_prefix("data/"))
        .filter_map(|path| path.split_once('/').map(|(folder, _)| folder))
        .collect();
    folders.into_iter().flat_map(|folder| check_folder(tree, folder)).collect()
}

fn check_folder(tree: &Tree, folder: &str) -> Vec<Finding> {
    let path = format!("data/{folder}/SOURCE.md");
    let Some(source) = tree.get(&path) else {
        let own = tree.get(&format!("data/{folder}/README.md"));
        if own.is_some_and(|page| page.to_lowercase().contains("licence")) {
            return Vec::new();
        }
        let what = format!("`data/{folder}` does not say where it is from");
        let fix =
            "add `SOURCE.md` (Origin, Licence), or for our own data a `README.md` that names the licence";
        return vec![Finding::new(&path, 1, what, fix)];
    };
    let mut findings = Vec::new();
    for heading in ["Origin:", "Licence:"] {
        if !source.lines().any(|line| line.starts_with(heading)) {
            let what = format!("`{heading}` is missing");
            findings.push(Finding::new(&path, 1, what, format!("write a line that begins `{heading}`")));
        }
    }
    let paragraph = source.split("Licence:").nth(1).unwrap_or_default();
    let licence = paragraph.split("\n\n").next().unwrap_or_default();
    let has_text = tree.files().any(|(file, _)| {
        let name = file.rsplit('/').next().unwrap_or(file);
        file.starts_with(&format!("data/{folder}/")) && name.starts_with("LICENSE")
    });
    if TEXT_NEEDED.iter().any(|name| licence.contains(name)) && !has_text {
        let what = format!("`data/{folder}` holds no licence text");
        findings.push(Finding::new(&path, 1, what, "add the origin's `LICENSE` file beside its data"));
    }
    if licence.contains("CC BY") && !licence.contains("https://") {
        let what = "the licence has no address".to_owned();
        findings.push(Finding::new(
            &path,
            1,
            what,
            "write the licence's address beside its name, as it asks",
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn data_accounts_for_itself() {
        let files = [
            ("data/own/README.md", "Ours. Licence as the project."),
            ("data/bare/a.json", ""),
            ("data/half/SOURCE.md", "Origin:\n- x\n"),
            ("data/half/b/LICENSE", ""),
            ("data/whole/SOURCE.md", "Origin:\n\nLicence: MIT.\n"),
            ("data/whole/LICENSE.x", ""),
            ("data/naked/SOURCE.md", "Origin:\n\nLicence: MIT.\n"),
            ("data/free/SOURCE.md", "Origin:\n\nLicence: public domain.\n\nNot MIT.\n"),
            (
                "data/shared/SOURCE.md",
                "Origin:\n\nLicence: CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/)\n",
            ),
            ("data/vague/SOURCE.md", "Origin:\n\nLicence: CC BY 4.0\n"),
        ];
        let expected = [
            "data/bare/SOURCE.md:1 `data/bare` does not say where it is from",
            "data/half/SOURCE.md:1 `Licence:` is missing",
            "data/naked/SOURCE.md:1 `data/naked` holds no licence text",
            "data/vague/SOURCE.md:1 the licence has no address",
        ];
        assert_eq!(found(check, &files), expected);
    }
}
