//! Checking: a copy, wherever it was carried, compared file by file with its list.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::manifest::{LogEnd, Manifest, NAME, Part};
use super::{BackupError, place};

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Checked {
    /// Whether every file is as it was written, and no other is there.
    pub ok: bool,
    /// The copy.
    pub directory: PathBuf,
    /// What it holds.
    pub part: Part,
    /// When it was taken.
    pub taken_at: String,
    /// The program that took it.
    pub program: String,
    /// Files that were compared.
    pub files: usize,
    /// Their bytes together, as listed.
    pub bytes: u64,
    /// How far each subject's log goes.
    pub subjects: Vec<LogEnd>,
    /// What differs, in the order of the files.
    pub differences: Vec<Difference>,
    /// Files that others than the owner may read; where a copy was carried, modes may be lost.
    pub open_to_others: Vec<String>,
}

/// One file that is not as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// Its path within the copy.
    pub path: String,
    /// How it differs.
    pub what: String,
}

/// Compares the copy in `directory` with its list. Nothing is written.
///
/// # Errors
/// [`BackupError`] when there is no finished copy or a file cannot be read; what merely differs is told in the answer.
pub fn check(directory: &Path) -> Result<Checked, BackupError> {
    compare(directory, &Manifest::read(directory)?)
}

pub(super) fn compare(directory: &Path, manifest: &Manifest) -> Result<Checked, BackupError> {
    let mut differences = Vec::new();
    let mut open_to_others = Vec::new();
    let mut differs = |path: &str, what: String| differences.push(Difference { path: path.to_owned(), what });
    let present = place::list(directory)?;
    for listed in &manifest.files {
        let path = directory.join(&listed.path);
        let about = match std::fs::symlink_metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                differs(&listed.path, "is missing".to_owned());
                continue;
            }
            other => other.map_err(place::failed("read", &path))?,
        };
        if !about.is_file() {
            differs(&listed.path, "is no file".to_owned());
            continue;
        }
        if about.permissions().mode() & 0o077 != 0 {
            open_to_others.push(listed.path.clone());
        }
        // A size that differs needs no reading.
        if about.len() != listed.bytes {
            differs(&listed.path, format!("has {} bytes instead of {}", about.len(), listed.bytes));
        } else if place::mark(directory, &listed.path)?.blake3 != listed.blake3 {
            differs(&listed.path, "has other bytes".to_owned());
        }
    }
    let listed = |name: &String| manifest.files.iter().any(|file| file.path == *name);
    for name in present.iter().filter(|name| *name != NAME && !listed(name)) {
        differs(name, "is not listed".to_owned());
    }
    Ok(Checked {
        ok: differences.is_empty(),
        directory: directory.to_owned(),
        part: manifest.part,
        taken_at: manifest.taken_at.clone(),
        program: manifest.program.clone(),
        files: manifest.files.len(),
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        subjects: manifest.subjects.clone(),
        differences,
        open_to_others,
    })
}
