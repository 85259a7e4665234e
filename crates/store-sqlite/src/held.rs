//! Descriptors of database files that are not closed again.
//!
//! SQLite tells other processes that a database is in use by locks of the operating system on its file, and those go, all of
//! them, when the process closes *any* descriptor of that file. Another process then takes itself for the only one, and
//! removes the write-ahead log of a store that goes on writing into it. So whoever reads a database as bytes does it
//! through a descriptor from here. There is one for each file of this process, and it is closed once the file has no name left.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::process::{Flock, FlockType, fcntl_getlk};

static HELD: Mutex<Vec<Arc<File>>> = Mutex::new(Vec::new());

/// The database file at `path`, for reading and syncing.
pub(crate) fn open(path: &Path) -> io::Result<Arc<File>> {
    let mut held = HELD.lock();
    held.retain(|file| file.metadata().is_ok_and(|found| found.nlink() > 0));
    let wanted = path.metadata()?;
    let same = |file: &&Arc<File>| {
        file.metadata().is_ok_and(|found| (found.dev(), found.ino()) == (wanted.dev(), wanted.ino()))
    };
    if let Some(file) = held.iter().find(same) {
        return Ok(file.clone());
    }
    let file = Arc::new(File::open(path)?);
    held.push(file.clone());
    Ok(file)
}

/// Whether another process has the database open to which `shared`, SQLite's file of shared memory, belongs. Whoever has
/// it open holds a lock on one byte of that file.
pub(crate) fn is_in_use(shared: &Path) -> bool {
    const IN_USE: u64 = 128;
    let lock = Flock { start: IN_USE, length: 1, ..Flock::from(FlockType::WriteLock) };
    open(shared).is_ok_and(|file| matches!(fcntl_getlk(&*file, &lock), Ok(Some(_))))
}

/// A database file read from its beginning.
pub(crate) struct Reading {
    file: Arc<File>,
    place: u64,
}

impl Reading {
    /// The file at `path`.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { file: open(path)?, place: 0 })
    }
}

impl Read for Reading {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(into, self.place)?;
        self.place += count as u64;
        Ok(count)
    }
}
