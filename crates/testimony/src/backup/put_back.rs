//! Putting back: into an empty directory only, checked against the list first, the database last.
//!
//! The database comes last and under its name only when it is whole, so that a directory in which this was cut off is
//! refused when it is opened: there are keys in it, and nothing they belong to.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::check::compare;
use super::manifest::{LogEnd, Manifest, Part};
use super::place::{self, Place, failed};
use super::{BackupError, Progress, Watch, apart};
use crate::DATABASE;

/// The name of the database until it is whole.
const RESTORING: &str = "ledger.db.restoring";

/// What is to be put back, and where.
#[derive(Clone, Debug)]
pub struct Restore {
    /// A finished copy.
    pub from: PathBuf,
    /// Where its keys are, if they were kept apart.
    pub keys: Option<PathBuf>,
    /// An empty or new data directory.
    pub data: PathBuf,
}

/// What was put back.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Restored {
    /// Where to.
    pub directory: PathBuf,
    /// Files, keys included.
    pub files: usize,
    /// Their bytes together.
    pub bytes: u64,
    /// When the copy was taken.
    pub taken_at: String,
    /// How far each subject's log goes in the copy.
    pub subjects: Vec<LogEnd>,
    /// Subjects whose keys were destroyed after the data was copied; the store takes them out when it is opened for it
    /// ([`store_sqlite::SqliteStore::forget_keyless`]).
    pub subjects_forgotten: u64,
    /// Sources of other subjects whose keys were destroyed since: what these subjects remember cannot be read.
    pub sources_without_key: u64,
}

/// Puts a copy back into an empty or new data directory.
///
/// # Errors
/// [`BackupError`]; nothing is left in the directory then.
pub fn put_back(restore: &Restore, watch: Watch<'_>) -> Result<Restored, BackupError> {
    let Restore { from, keys, data } = restore;
    let manifest = Manifest::read(from)?;
    let apart = match (manifest.part, keys) {
        (Part::Whole, None) => None,
        (Part::Data, Some(keys)) => Some((keys, Manifest::read(keys)?)),
        (Part::Data, None) => return Err(BackupError::KeysApart(from.clone())),
        (Part::Whole, Some(_)) => return Err(other_part(from, Part::Whole, Part::Data)),
        (Part::Keys, _) => return Err(other_part(from, Part::Keys, Part::Data)),
    };
    if let Some((keys, list)) = &apart {
        if list.part != Part::Keys {
            return Err(other_part(keys, list.part, Part::Keys));
        }
        if list.store != manifest.store {
            return Err(BackupError::OtherStore((*keys).clone()));
        }
        if apart::are_older(&manifest, list) {
            return Err(BackupError::KeysOlder((*keys).clone()));
        }
    }
    for place in [Some(from), keys.as_ref()].into_iter().flatten() {
        if place::is_inside(data, place) {
            return Err(BackupError::NotEmpty(place.clone()));
        }
    }
    let parts = [Some((from, &manifest)), apart.as_ref().map(|(keys, list)| (*keys, list))];
    for (directory, list) in parts.into_iter().flatten() {
        let checked = compare(directory, list)?;
        // A file more, such as one a file manager left, harms nothing: it is not put back.
        let mut wrong = checked
            .differences
            .into_iter()
            .filter(|difference| list.files.iter().any(|file| file.path == difference.path));
        if let Some(first) = wrong.next() {
            return Err(BackupError::Differs { directory: directory.clone(), first, more: wrong.count() });
        }
    }
    let mut place = Place::take(data)?;
    let total = parts.into_iter().flatten().flat_map(|(_, list)| &list.files).map(|file| file.bytes).sum();
    let mut restored = Restored {
        directory: data.clone(),
        files: 0,
        bytes: 0,
        taken_at: manifest.taken_at.clone(),
        subjects: manifest.subjects.clone(),
        subjects_forgotten: 0,
        sources_without_key: 0,
    };
    for (directory, list) in parts.into_iter().flatten() {
        for file in list.files.iter().filter(|file| file.path != apart::DATA_KEYS) {
            let name = if file.path == DATABASE { RESTORING } else { &file.path };
            let watch = &mut |bytes: u64| {
                restored.bytes += bytes;
                watch(Progress { done: restored.bytes, total })
            };
            copy(&directory.join(&file.path), &data.join(name), watch)?;
            restored.files += 1;
        }
    }
    let ledger = data.join(RESTORING);
    if let Some((keys, _)) = &apart {
        let Some(joined) = apart::join(&ledger, keys)? else {
            return Err(BackupError::KeysOlder((*keys).clone()));
        };
        restored.subjects_forgotten = joined.subjects;
        restored.sources_without_key = joined.sources;
    }
    for folder in ["keys/groups", "keys", ""] {
        let folder = data.join(folder);
        if folder.is_dir() {
            place::sync(&folder)?;
        }
    }
    let whole = data.join(DATABASE);
    std::fs::rename(&ledger, &whole).map_err(failed("write", &whole))?;
    place.finish()?;
    Ok(restored)
}

fn other_part(directory: &Path, holds: Part, wanted: Part) -> BackupError {
    BackupError::OtherPart { directory: directory.to_owned(), holds: holds.told(), wanted: wanted.told() }
}

fn copy(from: &Path, to: &Path, watch: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Result<(), BackupError> {
    let mut target = place::create(to)?;
    place::read_through(from, |piece| {
        target.write_all(piece).map_err(failed("write", to))?;
        match watch(piece.len() as u64) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(BackupError::Interrupted),
        }
    })?;
    target.sync_all().map_err(failed("flush", to))
}
