//! The file layer: owner-only modes whatever the umask, and writes and deletions that are on the disk when they return.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ledger::store::{StoreError, StoreErrorKind};

use crate::error;
use crate::failpoint::{self, Failpoint, FileStep};
use crate::held::{self, Reading};

/// Makes `path` a directory only its owner may enter, with its parents.
pub(crate) fn own_directory(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => close_to_others(path, found.permissions().mode(), 0o700),
        Ok(_) => Err(StoreError::new(StoreErrorKind::Io, format!("`{}` is no directory", path.display()))),
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            if let Some(parent) = parent {
                fs::create_dir_all(parent).map_err(|error| error::file(error, parent, "create"))?;
            }
            let make = || {
                failpoint::file(FileStep::MakeDirectory(path))?;
                DirBuilder::new().mode(0o700).create(path)
            };
            match make() {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(error::file(error, path, "create"));
                }
                _ => {}
            }
            if let Some(parent) = parent {
                sync_directory(parent)?;
            }
            close_to_others(path, 0o777, 0o700)
        }
        Err(other) => Err(error::file(other, path, "read")),
    }
}

/// Sees to it that a file, when it is there, is readable by its owner only.
pub(crate) fn own_file(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Ok(found) => close_to_others(path, found.permissions().mode(), 0o600),
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(other) => Err(error::file(other, path, "read")),
    }
}

fn close_to_others(path: &Path, mode: u32, wanted: u32) -> Result<(), StoreError> {
    if mode & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(wanted)).map_err(|error| {
        let path = path.display();
        StoreError::new(
            StoreErrorKind::Permission,
            format!("`{path}` is open to other users and cannot be closed; run `chmod {wanted:o} '{path}'`"),
        )
        .caused_by(error)
    })
}

/// Creates `path`, owner-only and empty; `false` when it is already there.
pub(crate) fn create_empty(path: &Path) -> Result<bool, StoreError> {
    let create = || {
        failpoint::file(FileStep::Create(path))?;
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
    };
    match create() {
        Ok(_) => own_file(path).map(|()| true),
        Err(there) if there.kind() == io::ErrorKind::AlreadyExists => own_file(path).map(|()| false),
        Err(other) => Err(error::file(other, path, "create")),
    }
}

/// Empties a database that begins with zeros, as a power cut leaves one whose first bytes never came to the disk. Of several who
/// open the store at once only those wait for one another that find it so, and the second finds it empty, or begun.
pub(crate) fn empty_zeros(directory: &Path, path: &Path) -> Result<(), StoreError> {
    let begins_with_zeros = || {
        let mut first = Vec::with_capacity(16);
        Reading::of(path)?.take(16).read_to_end(&mut first)?;
        Ok::<bool, io::Error>(!first.is_empty() && first.iter().all(|byte| *byte == 0))
    };
    let empty = || {
        if !begins_with_zeros()? {
            return Ok(());
        }
        let directory = File::open(directory)?;
        rustix::fs::flock(&directory, rustix::fs::FlockOperation::LockExclusive)?;
        if begins_with_zeros()? {
            failpoint::file(FileStep::Write(path, &[]))?;
            OpenOptions::new().write(true).truncate(true).open(path)?;
        }
        Ok(())
    };
    empty().map_err(|error: io::Error| error::file(error, path, "empty"))
}

/// Writes a whole file, owner-only, so that after a crash it is there whole or as it was before.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let new = beside(path);
    write_new(&new, bytes)?;
    rename(&new, path).map_err(|error| error::file(error, path, "write"))?;
    sync_parent(path)
}

/// Writes a whole file unless it is there already; of several who try at once, one wins and the others find its file.
pub(crate) fn write_once(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let new = beside(path);
    write_new(&new, bytes)?;
    let linked = failpoint::file(FileStep::Link(&new, path)).and_then(|()| fs::hard_link(&new, path));
    let removed = remove(&new);
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(error::file(error, path, "write"));
        }
        _ => removed.map_err(|error| error::file(error, &new, "remove"))?,
    }
    sync_parent(path)
}

/// A name for the unfinished file, so that two processes never write the same one.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let write = || {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        failpoint::file(FileStep::Write(path, bytes))?;
        file.write_all(bytes)?;
        failpoint::pass(Failpoint::FileWritten);
        failpoint::file(FileStep::Sync(path))?;
        file.sync_all()
    };
    write().map_err(|error| error::file(error, path, "write"))?;
    failpoint::pass(Failpoint::FileSynced);
    Ok(())
}

/// Overwrites a file with zeros and removes it; a file that is not there is well removed.
pub(crate) fn destroy(path: &Path) -> Result<(), StoreError> {
    let wipe = || {
        let mut file = OpenOptions::new().write(true).open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(0))?;
        failpoint::file(FileStep::Overwrite(path, length))?;
        io::copy(&mut io::repeat(0).take(length), &mut file)?;
        failpoint::file(FileStep::Sync(path))?;
        file.sync_all()?;
        failpoint::pass(Failpoint::FileOverwritten);
        remove(path)
    };
    match wipe() {
        Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(other) => Err(error::file(other, path, "destroy")),
        Ok(()) => sync_parent(path),
    }
}

/// Gives a file a second name, durably; one of that name left over from a crash goes first.
pub(crate) fn link(path: &Path, second: &Path) -> Result<(), StoreError> {
    remove_link(second)?;
    fs::hard_link(path, second).map_err(|error| error::file(error, second, "write"))?;
    sync_parent(second)
}

/// Takes one of a file's names away, durably; what it holds lives on under the other.
pub(crate) fn remove_link(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(other) => Err(error::file(other, path, "remove")),
        Ok(()) => sync_parent(path),
    }
}

/// Puts a finished file in its place, and makes both last.
pub(crate) fn rename_whole(new: &Path, path: &Path) -> Result<(), StoreError> {
    own_file(new)?;
    sync_file(new).and_then(|()| rename(new, path)).map_err(|error| error::file(error, path, "write"))?;
    sync_parent(path)
}

/// Where the database of an earlier version is kept when its tables are brought up to date.
pub(crate) fn copy_of_version(database: &Path, version: u32) -> PathBuf {
    let mut name = database.as_os_str().to_os_string();
    name.push(format!(".version-{version}"));
    PathBuf::from(name)
}

fn rename(new: &Path, path: &Path) -> io::Result<()> {
    failpoint::file(FileStep::Rename(new, path))?;
    fs::rename(new, path)?;
    failpoint::pass(Failpoint::FilePlaced);
    Ok(())
}

/// Removes a name, which lasts once its directory is synced.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    failpoint::file(FileStep::Remove(path))?;
    fs::remove_file(path)
}

/// Makes what is written to a file last; it may be a database that is open.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    let file = held::open(path)?;
    failpoint::file(FileStep::Sync(path))?;
    file.sync_all()
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    failpoint::file(FileStep::Read(path))?;
    fs::read(path)
}

/// Makes the name of a file last.
pub(crate) fn sync_parent(path: &Path) -> Result<(), StoreError> {
    path.parent().map_or(Ok(()), sync_directory)
}

/// Makes creations and removals in a directory last.
pub(crate) fn sync_directory(path: &Path) -> Result<(), StoreError> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    failpoint::file(FileStep::SyncDirectory(path))
        .and_then(|()| File::open(path))
        .and_then(|directory| directory.sync_all())
        .map_err(|error| error::file(error, path, "sync"))
}

/// Bytes kept aside so that there is room to forget when the disk is full: twice what the write-ahead log grows to
/// before it is written back, because writing it back may need that much again.
pub(crate) const BALLAST_BYTES: usize = 16 << 20;

/// Bytes of the ballast that are written at once.
const BALLAST_PIECE: usize = 64 << 10;

/// Lays the ballast down, whole or not at all. One that gave its room back, or some of it, takes back what there is: on a full
/// disk somebody else would, and the next erasure had none. A disk without room is not an error.
pub(crate) fn lay_ballast(path: &Path) {
    match fs::metadata(path).map(|found| found.len()) {
        // Nothing can be read from it, so a mode that cannot be changed is no reason to stop.
        Ok(bytes) if bytes == BALLAST_BYTES as u64 => drop(own_file(path)),
        Ok(bytes) if bytes < BALLAST_BYTES as u64 => lengthen_ballast(path, bytes as usize),
        _ => lay_whole_ballast(path),
    }
}

/// Not zeros: a file system may keep those without taking room.
fn filling() -> Vec<u8> {
    (0..BALLAST_BYTES).map(|place| (place as u32).wrapping_mul(2_654_435_761) as u8 | 1).collect()
}

// It need not outlast a crash, so nobody waits for the disk.
fn lay_whole_ballast(path: &Path) {
    let (new, filling) = (beside(path), filling());
    let laid = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)
        .and_then(|mut file| {
            failpoint::file(FileStep::Write(&new, &filling))?;
            file.write_all(&filling)
        })
        .and_then(|()| rename(&new, path));
    if laid.is_err() {
        let _ = remove(&new);
    }
}

/// Lays down what is missing behind the first `bytes`, as far as it fits.
fn lengthen_ballast(path: &Path, bytes: usize) {
    let _ = own_file(path);
    let lengthen = || -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(path)?;
        for (number, piece) in filling().chunks(BALLAST_PIECE).enumerate().skip(bytes / BALLAST_PIECE) {
            let at = (number * BALLAST_PIECE) as u64;
            failpoint::file(FileStep::WriteAt(path, at, piece))?;
            file.write_all_at(piece, at)?;
        }
        Ok(())
    };
    // What fits is there; the rest has to wait for room.
    let _ = lengthen();
}

/// Gives the room of the ballast back; whether there was any. The file stays, so that it is known to have had some.
pub(crate) fn release_ballast(path: &Path) -> bool {
    let cut = || {
        failpoint::file(FileStep::Truncate(path, 0))?;
        OpenOptions::new().write(true).open(path)?.set_len(0)
    };
    fs::metadata(path).is_ok_and(|found| found.len() > 0) && cut().is_ok()
}
