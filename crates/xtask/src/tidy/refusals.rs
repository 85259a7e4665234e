//! The guide for agents tells what to do about every way a proposal can be refused.

use crate::finding::Finding;
use crate::reference;
use crate::tree::Tree;

const GUIDE: &str = "docs/guides/agents.md";

/// Finds codes of the gate the guide does not name.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(guide) = tree.get(GUIDE) else { return Vec::new() };
    let Ok(codes) = reference::gate_codes(tree) else { return Vec::new() };
    codes
        .into_iter()
        .filter(|code| !guide.contains(&format!("`{}`", code.name)))
        .map(|code| {
            let what = format!("the guide does not name `{}`", code.name);
            Finding::new(GUIDE, 1, what, "say there what an agent does about it")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    #[test]
    fn every_code_is_in_the_guide() {
        let gate = "words! {\n    RefusalCode {\n        /// A.\n        A = \"low_confidence\",\n        /// B.\n        B = \"secret_like\",\n    }\n}\n";
        let files = [(reference::GATE, gate), (GUIDE, "`low_confidence`: be surer")];
        assert_eq!(found(check, &files), [format!("{GUIDE}:1 the guide does not name `secret_like`")]);
    }
}
