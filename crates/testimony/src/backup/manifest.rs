//! The list of a copy: which store, as of when, and every file with its size and hash.
//!
//! It is written last, under its own name only when all the rest is on the disk: a directory without it is no backup.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{BackupError, place};

/// The name of the list in a copy.
pub const NAME: &str = "backup.json";

/// The name it has while the copy is being taken.
pub(super) const UNFINISHED: &str = "backup.json.unfinished";

/// The format this program writes, and the newest it reads.
pub const FORMAT: u32 = 1;

/// The longest list that is read, in bytes: a million files, and as many subjects.
const BYTES_MAX: u64 = 512 << 20;

/// What a copy holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this list.
    pub format: u32,
    /// Whether keys are in it.
    pub part: Part,
    /// The program that took it, with its version.
    pub program: String,
    /// When it was begun.
    pub taken_at: String,
    /// The store's random id, in hexadecimal digits.
    pub store: String,
    /// The version of the store's tables.
    pub schema: u32,
    /// How far each subject's log goes, in the order of their numbers.
    pub subjects: Vec<LogEnd>,
    /// Every file, in the order of their names.
    pub files: Vec<FileMark>,
    /// What of the data directory was left out, by name.
    pub left_out: Vec<String>,
}

/// Which part of a store a copy is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Data and keys.
    Whole,
    /// The data; its keys are kept apart.
    Data,
    /// The keys.
    Keys,
}

impl Part {
    /// As it is told to people.
    pub(super) const fn told(self) -> &'static str {
        match self {
            Self::Whole => "data and keys",
            Self::Data => "data without keys",
            Self::Keys => "keys alone",
        }
    }
}

/// The end of one subject's log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LogEnd {
    /// The subject's random id, in hexadecimal digits; its name is sealed.
    pub subject: String,
    /// The number of the last append.
    pub watermark: u64,
    /// The hash of the chain there, in hexadecimal digits.
    pub chain: String,
}

/// One file of a copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileMark {
    /// Its path within the copy, with `/` between folders.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The BLAKE3 hash of its bytes, in hexadecimal digits.
    pub blake3: String,
}

impl Manifest {
    /// The list of the copy in `directory`.
    ///
    /// # Errors
    /// [`BackupError::Unfinished`], [`BackupError::NoBackup`], [`BackupError::Newer`], [`BackupError::Manifest`] and
    /// [`BackupError::File`].
    pub fn read(directory: &Path) -> Result<Self, BackupError> {
        let path = directory.join(NAME);
        let unreadable = |what: String| BackupError::Manifest { path: path.clone(), what };
        let file = match std::fs::File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(match directory.join(UNFINISHED).exists() {
                    true => BackupError::Unfinished(directory.to_owned()),
                    false => BackupError::NoBackup(directory.to_owned()),
                });
            }
            other => other.map_err(place::failed("read", &path))?,
        };
        let bounded = io::BufReader::new(io::Read::take(file, BYTES_MAX));
        let json: serde_json::Value =
            serde_json::from_reader(bounded).map_err(|error| unreadable(error.to_string()))?;
        // The format first: of a later one nothing else may be understood.
        match json.get("format").and_then(serde_json::Value::as_u64).map(u32::try_from) {
            Some(Ok(1..=FORMAT)) => {}
            Some(Ok(format)) => return Err(BackupError::Newer { path, format }),
            _ => return Err(unreadable("it has no format".to_owned())),
        }
        let manifest: Self = serde_json::from_value(json).map_err(|error| unreadable(error.to_string()))?;
        match manifest.files.iter().find(|file| !is_plain(&file.path)) {
            Some(_) => Err(unreadable("it names a file outside the backup".to_owned())),
            None => Ok(manifest),
        }
    }
}

/// Whether a path stays within its directory.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

/// Bytes as hexadecimal digits, as the list writes ids and hashes.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_within_the_copy_are_taken() {
        for plain in ["ledger.db", "keys/groups/1.key"] {
            assert!(is_plain(plain), "{plain}");
        }
        for other in ["", "/etc/passwd", "../ledger.db", "keys/../../x", "keys//1", "./ledger.db", "a\0b"] {
            assert!(!is_plain(other), "{other:?}");
        }
    }
}
