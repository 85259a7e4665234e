//! Who may name whom: stores, importers and engine are siblings, `ledger` stands below everything, and what joins them
//! stands on top. Dependencies for tests count too: a rule that holds only for shipped code is soon a rule of nobody.

use crate::finding::Finding;
use crate::manifest::{self, Manifest};
use crate::tree::Tree;

/// A layer of the workspace: its crates, the crates they may name, and whether a test of the whole may live there.
struct Layer {
    crates: &'static [&'static str],
    below: &'static [&'static str],
    joins: bool,
}

const LAYERS: [Layer; 11] = [
    Layer { crates: &["ledger"], below: &[], joins: false },
    Layer { crates: &["store-sqlite", "store-postgres"], below: &["ledger"], joins: false },
    Layer { crates: &["importers"], below: &["ledger"], joins: false },
    Layer { crates: &["inference"], below: &["ledger"], joins: false },
    Layer { crates: &["engine"], below: &["ledger", "inference"], joins: false },
    Layer { crates: &["server"], below: &["ledger", "inference", "engine"], joins: false },
    Layer { crates: &["testimony"], below: &JOINED, joins: true },
    Layer { crates: &["faults"], below: &[], joins: false },
    Layer { crates: &["proofs"], below: &EVERYTHING, joins: true },
    Layer { crates: &["bench"], below: &WITH_PROOFS, joins: true },
    Layer { crates: &["xtask"], below: &[], joins: false },
];

const JOINED: [&str; 7] =
    ["ledger", "store-sqlite", "store-postgres", "importers", "inference", "engine", "server"];

const EVERYTHING: [&str; 9] = [
    "ledger",
    "store-sqlite",
    "store-postgres",
    "importers",
    "inference",
    "engine",
    "server",
    "testimony",
    "faults",
];

/// The instruments also play what the proofs hold.
const WITH_PROOFS: [&str; 9] = [
    "ledger",
    "store-sqlite",
    "store-postgres",
    "importers",
    "inference",
    "engine",
    "server",
    "testimony",
    "proofs",
];

/// Crates from outside that one of ours may not name, and why. A name that ends in `*` stands for all that begin so.
const BARRED: [(&str, &str, &str); 12] = [
    ("ledger", "rusqlite", "the ledger does no input or output"),
    ("ledger", "getrandom", "randomness is an argument of the ledger"),
    ("ledger", "rand", "randomness is an argument of the ledger"),
    ("ledger", "tokio", "the ledger does no input or output"),
    ("engine", "rusqlite", "only stores write SQL"),
    ("engine", "tokio-postgres", "only stores write SQL"),
    ("engine", "getrandom", "the engine draws no randomness"),
    ("importers", "rusqlite", "importers only parse"),
    ("server", "rusqlite", "only stores write SQL"),
    ("store-*", "reqwest", "a store cannot call a model"),
    ("store-*", "hyper", "a store cannot call a model"),
    ("store-*", "ureq", "a store cannot call a model"),
];

/// Finds dependencies against the direction of the layers.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let (manifests, mut findings) = manifest::read(tree);
    let own: Vec<&str> = manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    for one in &manifests {
        let Some(layer) = LAYERS.iter().find(|layer| layer.crates.contains(&one.name.as_str())) else {
            let what = format!("crate `{}` stands in no layer", one.name);
            findings.push(Finding::new(one.path, 1, what, "give it a layer in `xtask/src/tidy/layers.rs`"));
            continue;
        };
        findings.extend(check_crate(one, layer, &own));
    }
    findings
}

fn check_crate(one: &Manifest<'_>, layer: &Layer, own: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for need in &one.needs {
        let line = one.line(&need.written);
        let is_ours = own.contains(&need.name.as_str()) && need.name != one.name;
        if is_ours && !layer.below.contains(&need.name.as_str()) {
            let what = format!("`{}` names `{}` in `{}`", one.name, need.name, need.table);
            let fix = match layer.below {
                [] => "name no crate of the workspace here; hand the thing in as an argument".to_owned(),
                below => {
                    format!("name only `{}`, or move the code to a crate that joins them", below.join("`, `"))
                }
            };
            findings.push(Finding::new(one.path, line, what, fix));
        }
        let barred = BARRED.iter().find(|(of, outside, _)| covers(of, &one.name) && *outside == need.name);
        if let Some((_, outside, why)) = barred {
            let what = format!("`{}` names `{outside}` in `{}`: {why}", one.name, need.table);
            findings.push(Finding::new(one.path, line, what, "take what it gives as an argument instead"));
        }
    }
    for target in &one.targets_outside {
        if !layer.joins {
            let what = format!("target `{target}` of `{}` stands outside its crate", one.name);
            let fix = "tests of the whole belong to `testimony`, `proofs` or `bench`";
            findings.push(Finding::new(one.path, one.line(target), what, fix));
        }
    }
    findings
}

fn covers(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;
    use super::*;

    fn crates<'text>(manifests: &[(&'text str, &'text str)]) -> Vec<String> {
        let files: Vec<(String, String)> = ["ledger", "engine", "importers", "store-sqlite", "testimony"]
            .iter()
            .map(|name| {
                let path = format!("crates/{name}/Cargo.toml");
                let extra = manifests.iter().find(|(of, _)| of == name).map_or("", |(_, extra)| extra);
                (path, format!("[package]\nname = \"{name}\"\n{extra}"))
            })
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        found(check, &files)
    }

    #[test]
    fn the_direction_is_kept() {
        let fine = [
            ("engine", "[dependencies]\nledger.workspace = true\n"),
            (
                "testimony",
                "[dependencies]\nengine.workspace = true\nstore-sqlite.workspace = true\n[[test]]\nname = \"p\"\npath = \"../../tests/p.rs\"\n",
            ),
            ("store-sqlite", "[dependencies]\nledger.workspace = true\nrusqlite = \"1\"\n"),
        ];
        assert_eq!(crates(&fine), Vec::<String>::new());
    }

    #[test]
    fn siblings_do_not_name_each_other() {
        let cases = [
            (
                "engine",
                "[dependencies]\nstore-sqlite.workspace = true\n",
                "crates/engine/Cargo.toml:4 `engine` names `store-sqlite` in `dependencies`",
            ),
            (
                "engine",
                "[dev-dependencies]\nimporters = { path = \"../importers\" }\n",
                "crates/engine/Cargo.toml:4 `engine` names `importers` in `dev-dependencies`",
            ),
            (
                "importers",
                "[dependencies.lines]\npackage = \"engine\"\n",
                "crates/importers/Cargo.toml:3 `importers` names `engine` in `dependencies`",
            ),
            (
                "ledger",
                "[target.'cfg(unix)'.dependencies]\nengine.workspace = true\n",
                "crates/ledger/Cargo.toml:4 `ledger` names `engine` in `target.cfg(unix).dependencies`",
            ),
            (
                "engine",
                "[dependencies]\nrusqlite = \"1\"\n",
                "crates/engine/Cargo.toml:4 `engine` names `rusqlite` in `dependencies`: only stores write SQL",
            ),
            (
                "store-sqlite",
                "[dependencies]\nureq = \"1\"\n",
                "crates/store-sqlite/Cargo.toml:4 `store-sqlite` names `ureq` in `dependencies`: a store cannot call a model",
            ),
            (
                "engine",
                "[[test]]\nname = \"p\"\npath = \"../../tests/p.rs\"\n",
                "crates/engine/Cargo.toml:5 target `../../tests/p.rs` of `engine` stands outside its crate",
            ),
        ];
        for (name, extra, wrong) in cases {
            assert_eq!(crates(&[(name, extra)]), [wrong]);
        }
    }

    #[test]
    fn every_crate_has_a_layer_and_a_manifest_that_reads() {
        let files = [
            ("crates/new/Cargo.toml", "[package]\nname = \"new\"\n"),
            ("crates/x/Cargo.toml", "[a]\nb = \n"),
        ];
        let found = found(check, &files);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/x/Cargo.toml:2 "), "{found:?}");
        assert_eq!(found[1], "crates/new/Cargo.toml:1 crate `new` stands in no layer");
    }
}
