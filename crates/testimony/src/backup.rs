//! Copies of a whole data directory: taken while others write, and put back only where nothing is.
//!
//! A copy holds the database as one consistent state, and the keys it is read with. It therefore remembers what is
//! forgotten in the original afterwards: keep copies as long as that is right, and no longer.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, backup::Backup};

use crate::DATABASE;

/// Pages copied between two looks at other writers.
const PAGES_PER_STEP: i32 = 1_000;

/// How often a copy is begun anew because keys were changed meanwhile.
const ATTEMPTS_MAX: usize = 20;

/// What was copied.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Copied {
    /// Where to.
    pub directory: PathBuf,
    /// Files, keys included.
    pub files: usize,
    /// Their bytes together.
    pub bytes: u64,
}

/// Why a copy could not be taken or put back.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// There is no memory to copy.
    #[error("`{}` holds no memory", .0.display())]
    Nothing(PathBuf),
    /// The target has something in it.
    #[error("`{}` is not empty; a copy is put into an empty directory only", .0.display())]
    NotEmpty(PathBuf),
    /// The target lies inside the directory that is copied.
    #[error("`{}` is inside the data directory; what is forgotten there would live on in it", .0.display())]
    Inside(PathBuf),
    /// Keys kept changing while the copy was taken.
    #[error("keys were changed {ATTEMPTS_MAX} times while the copy was taken; try again")]
    Moving,
    /// The database could not be read or written.
    #[error("cannot copy the database: {0}")]
    Database(#[from] rusqlite::Error),
    /// A file could not be read or written.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// Copies the memory in `data` into `target`, an empty or new directory, while others go on writing.
///
/// # Errors
/// [`BackupError`]; `target` may then hold a part and should be removed.
pub fn copy(data: &Path, target: &Path) -> Result<Copied, BackupError> {
    if !data.join(DATABASE).is_file() {
        return Err(BackupError::Nothing(data.to_owned()));
    }
    if is_inside(target, data) {
        return Err(BackupError::Inside(target.to_owned()));
    }
    make_empty(target)?;
    for _ in 0..ATTEMPTS_MAX {
        let before = read_keys(data)?;
        copy_database(&data.join(DATABASE), &target.join(DATABASE))?;
        // Erasing wraps keys anew; a database from before with keys from after could not be read.
        if read_keys(data)? == before {
            return write_keys(target, before);
        }
    }
    Err(BackupError::Moving)
}

/// Puts a copy back into `data`, an empty or new directory.
///
/// # Errors
/// As [`copy`].
pub fn put_back(from: &Path, data: &Path) -> Result<Copied, BackupError> {
    copy(from, data)
}

/// Whether `target`, which need not exist yet, lies in `data`, whatever links lead there.
fn is_inside(target: &Path, data: &Path) -> bool {
    let Ok(data) = data.canonicalize() else { return false };
    let absolute = std::path::absolute(target).unwrap_or_else(|_| target.to_owned());
    absolute
        .ancestors()
        .find_map(|existing| existing.canonicalize().ok())
        .is_some_and(|existing| existing.starts_with(&data))
}

/// Makes `directory` for its owner alone, and sees to it that nothing is in it.
fn make_empty(directory: &Path) -> Result<(), BackupError> {
    let failed = |doing| move |source| BackupError::File { doing, path: directory.to_owned(), source };
    match fs::read_dir(directory) {
        Ok(mut listing) => match listing.next() {
            None => fs::set_permissions(directory, std::os::unix::fs::PermissionsExt::from_mode(0o700))
                .map_err(failed("close to others")),
            Some(_) => Err(BackupError::NotEmpty(directory.to_owned())),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed("create"))
        }
        Err(error) => Err(failed("read")(error)),
    }
}

fn copy_database(from: &Path, to: &Path) -> Result<(), BackupError> {
    if let Err(source) = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(to) {
        return Err(BackupError::File { doing: "create", path: to.to_owned(), source });
    }
    let source = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    source.busy_timeout(Duration::from_secs(30))?;
    let mut target = Connection::open(to)?;
    {
        let backup = Backup::new(&source, &mut target)?;
        backup.run_to_completion(PAGES_PER_STEP, Duration::from_millis(1), None)?;
    }
    // Everything into the one file, so that the copy can be moved as such.
    target.pragma_update(None, "journal_mode", "delete")?;
    target.close().map_err(|(_, error)| error)?;
    sync(to)
}

/// Every file below `keys/`, by its path there.
fn read_keys(data: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, BackupError> {
    let root = data.join("keys");
    let mut found = BTreeMap::new();
    let mut open = vec![root.clone()];
    while let Some(directory) = open.pop() {
        let failed = |source| BackupError::File { doing: "read", path: directory.clone(), source };
        let listing = match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(failed)?,
        };
        for item in listing {
            let path = item.map_err(failed)?.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let Ok(name) = path.strip_prefix(&root) else { continue };
            match fs::read(&path) {
                Ok(bytes) => drop(found.insert(name.to_owned(), bytes)),
                // Replaced between listing and reading; the second look finds the difference.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(BackupError::File { doing: "read", path, source }),
            }
        }
    }
    Ok(found)
}

fn write_keys(target: &Path, keys: BTreeMap<PathBuf, Vec<u8>>) -> Result<Copied, BackupError> {
    let database = target.join(DATABASE);
    let measured = fs::metadata(&database).map(|found| found.len());
    let mut copied = Copied {
        directory: target.to_owned(),
        files: 1,
        bytes: measured.map_err(|source| BackupError::File { doing: "read", path: database, source })?,
    };
    for (name, bytes) in keys {
        let path = target.join("keys").join(name);
        let write = || {
            if let Some(parent) = path.parent() {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
            }
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            file.write_all(&bytes)?;
            file.sync_all()
        };
        write().map_err(|source| BackupError::File { doing: "write", path: path.clone(), source })?;
        copied.files += 1;
        copied.bytes += bytes.len() as u64;
    }
    sync(target)?;
    Ok(copied)
}

fn sync(path: &Path) -> Result<(), BackupError> {
    let synced = fs::File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|source| BackupError::File { doing: "flush", path: path.to_owned(), source })
}
