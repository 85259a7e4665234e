//! The crates of the workspace and what their manifests name.

use toml::{Table, Value};

use crate::finding::Finding;
use crate::tree::Tree;

/// One crate of the workspace.
pub(crate) struct Manifest<'tree> {
    /// Its name, as others write it.
    pub(crate) name: String,
    /// The manifest's path.
    pub(crate) path: &'tree str,
    text: &'tree str,
    /// Crates it names in any table of dependencies, with the table.
    pub(crate) needs: Vec<Need>,
    /// Paths of targets (`[[test]]` and others) that leave the crate's directory.
    pub(crate) targets_outside: Vec<String>,
}

/// A dependency.
pub(crate) struct Need {
    /// The real name of the crate.
    pub(crate) name: String,
    /// As the manifest writes it.
    pub(crate) written: String,
    /// The table it stands in.
    pub(crate) table: String,
}

impl Manifest<'_> {
    /// The line in which the manifest first begins with `word`, else the first.
    pub(crate) fn line(&self, word: &str) -> usize {
        let names = |line: &str| {
            line.strip_prefix(word).is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
                || line.contains(&format!("\"{word}\""))
                || line.starts_with('[') && line.ends_with(&format!(".{word}]"))
        };
        self.text.lines().position(|line| names(line.trim_start())).map_or(1, |line| line + 1)
    }
}

/// Reads the manifest of every crate; one that cannot be read is a finding.
pub(crate) fn read(tree: &Tree) -> (Vec<Manifest<'_>>, Vec<Finding>) {
    let (mut manifests, mut findings) = (Vec::new(), Vec::new());
    for (path, text) in tree.files() {
        let Some(directory) = path.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/Cargo.toml"))
        else {
            continue;
        };
        match text.parse::<Table>() {
            Ok(table) => manifests.push(manifest(path, text, directory, &table)),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let line = crate::finding::line_of(text, at);
                findings.push(Finding::new(path, line, error.message(), "mend the TOML"));
            }
        }
    }
    (manifests, findings)
}

fn manifest<'tree>(path: &'tree str, text: &'tree str, directory: &str, table: &Table) -> Manifest<'tree> {
    let name = table
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(Value::as_str)
        .unwrap_or(directory)
        .to_owned();
    let mut needs = Vec::new();
    dependencies(table, "", &mut needs);
    for (target, inner) in table.get("target").and_then(Value::as_table).into_iter().flatten() {
        if let Some(inner) = inner.as_table() {
            dependencies(inner, &format!("target.{target}."), &mut needs);
        }
    }
    let targets_outside = ["test", "bench", "example", "bin"]
        .into_iter()
        .filter_map(|kind| table.get(kind).and_then(Value::as_array))
        .flatten()
        .filter_map(|target| target.get("path").and_then(Value::as_str))
        .filter(|path| path.starts_with(".."))
        .map(str::to_owned)
        .collect();
    Manifest { name, path, text, needs, targets_outside }
}

fn dependencies(table: &Table, prefix: &str, needs: &mut Vec<Need>) {
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for (written, how) in table.get(kind).and_then(Value::as_table).into_iter().flatten() {
            let renamed = how.get("package").and_then(Value::as_str);
            needs.push(Need {
                name: renamed.unwrap_or(written).to_owned(),
                written: written.clone(),
                table: format!("{prefix}{kind}"),
            });
        }
    }
}
