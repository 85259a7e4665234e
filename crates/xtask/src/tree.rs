//! The files of a checkout, read once, so that every check is a function of text.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The longest file whose text is looked at, in bytes; only data sets are longer.
const TEXT_BYTES_MAX: u64 = 2 << 20;

/// Paths from the root, with `/`, and the text of each file; empty for what is not text.
#[derive(Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads the checkout at `root`, but for what its `.gitignore` names. Symbolic links are not followed.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let ignored = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
        let ignored = Ignored::read(&ignored);
        let mut tree = Self::default();
        let mut directories = vec![String::new()];
        while let Some(directory) = directories.pop() {
            let listing = root.join(&directory);
            let listing =
                fs::read_dir(&listing).with_context(|| format!("cannot list `{}`", listing.display()))?;
            for item in listing {
                let item = item?;
                let name = item.file_name().to_string_lossy().into_owned();
                let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
                let kind = item.file_type()?;
                if path == ".git" || ignored.covers(&path) {
                    continue;
                }
                if kind.is_dir() {
                    directories.push(path);
                } else if kind.is_file() {
                    let text = read_text(&item.path(), item.metadata()?.len())?;
                    tree.files.insert(path, text);
                }
            }
        }
        Ok(tree)
    }

    /// A tree of these files, for tests.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self { files: files.collect() }
    }

    /// How many files there are.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// The text of a file.
    pub(crate) fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether a file or a directory stands there.
    pub(crate) fn exists(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.contains_key(path) || self.files.keys().any(|file| within(file, path))
    }

    /// Every file with its text, by path.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Every Rust file of the workspace.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| path.ends_with(".rs") && !path.starts_with("data/"))
    }

    /// Every page of the project's own: Markdown outside `data/`.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| path.ends_with(".md") && !path.starts_with("data/"))
    }
}

fn within(file: &str, directory: &str) -> bool {
    file.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

fn read_text(path: &Path, bytes: u64) -> Result<String> {
    if bytes > TEXT_BYTES_MAX {
        return Ok(String::new());
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

/// The two sorts of line our `.gitignore` has: `/path` and `*ending`.
struct Ignored {
    paths: Vec<String>,
    endings: Vec<String>,
}

impl Ignored {
    fn read(text: &str) -> Self {
        let lines = || text.lines().map(str::trim);
        let paths = lines().filter_map(|line| line.strip_prefix('/')).map(|path| path.trim_end_matches('/'));
        let endings = lines().filter_map(|line| line.strip_prefix('*'));
        Self { paths: paths.map(str::to_owned).collect(), endings: endings.map(str::to_owned).collect() }
    }

    fn covers(&self, path: &str) -> bool {
        self.paths.iter().any(|ignored| ignored == path)
            || self.endings.iter().any(|ending| path.ends_with(ending.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_ignores_is_not_looked_at() {
        let ignored = Ignored::read("/target\n*.snap.new\n/demo-data/\n");
        for (path, covered) in [
            ("target", true),
            ("crates/target", false),
            ("demo-data", true),
            ("a/b.snap.new", true),
            ("a/b.snap", false),
        ] {
            assert_eq!(ignored.covers(path), covered, "{path}");
        }
    }

    #[test]
    fn directories_exist_by_their_files() {
        let tree = Tree::of(&[("docs/a/b.md", "")]);
        for (path, exists) in [("docs", true), ("docs/a/", true), ("docs/a/b.md", true), ("doc", false)] {
            assert_eq!(tree.exists(path), exists, "{path}");
        }
    }
}
