//! A data directory on a disk that fails.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use faults::{Disk, Event, Operation, Over};
use ledger::shadow::{Comparison, Day, PolicyName, Tally};
use ledger::store::StoreError;
use ledger::telemetry::Telemetry;
use store_sqlite::failpoint::{FileStep, Watch, watch};
use store_sqlite::{Options, SqliteStore, SqliteTelemetry};
use tempfile::TempDir;

/// Where memory serves as a disk; syncing costs nothing there.
const IN_MEMORY: &str = "/dev/shm";

/// As long as the store's own; one without content is laid down at once.
const BALLAST_BYTES: u64 = 16 << 20;

/// A data directory on a disk that fails when it is told to.
pub struct Place {
    disk: Over,
    directory: TempDir,
}

impl Place {
    /// An empty one.
    ///
    /// # Panics
    /// When no directory can be made.
    #[must_use]
    pub fn new() -> Self {
        watch(Arc::new(Reporter));
        let parent = Path::new(IN_MEMORY);
        let made = if parent.is_dir() { tempfile::tempdir_in(parent) } else { tempfile::tempdir() };
        let directory = made.expect("a temporary directory");
        lay_ballast(directory.path());
        Self { disk: Disk::over(directory.path()), directory }
    }

    /// A copy of what lies in `directory`.
    ///
    /// # Panics
    /// When it cannot be copied.
    #[must_use]
    pub fn copy_of(directory: &Path) -> Self {
        let place = Self::new();
        copy(directory, place.directory());
        place
    }

    /// The data directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The disk it lies on.
    #[must_use]
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Opens the store that lies there.
    ///
    /// # Errors
    /// As the store's own.
    pub fn open(&self, options: &Options) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(self.directory(), options.clone())
    }
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

/// Copies a data directory, but for shared memory, which whoever opens it makes anew, and the ballast.
///
/// # Panics
/// When it cannot be copied.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for item in fs::read_dir(from).expect("a directory") {
        let path = item.expect("an entry").path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else if name != "ballast" && !name.to_string_lossy().ends_with("-shm") {
            fs::copy(&path, to.join(name)).expect("copied");
        }
    }
}

/// Lays down a ballast without content.
///
/// # Panics
/// When it cannot be laid down.
pub(super) fn lay_ballast(directory: &Path) {
    let made =
        fs::OpenOptions::new().write(true).create(true).truncate(false).open(directory.join("ballast"));
    made.and_then(|file| file.set_len(BALLAST_BYTES)).expect("a ballast");
}

/// Has the shadow lane record a comparison in `directory`.
///
/// # Errors
/// As telemetry's own.
pub fn record_comparison(directory: &Path) -> Result<(), StoreError> {
    let comparison = Comparison {
        standing: PolicyName(2),
        candidate: PolicyName(3),
        considered: 20,
        selected_standing: 8,
        selected_candidate: 9,
        overlap: 7,
        added: 2,
        removed: 1,
        tokens_difference: 100,
        disputes_added: 0,
        disputes_removed: 0,
        duration_micros: 900,
    };
    SqliteTelemetry::at(directory).record_shadow(Day(1), &comparison, &Tally::default())
}

/// Tells a file's disk what the store does outside SQLite.
struct Reporter;

impl Watch for Reporter {
    fn file(&self, step: FileStep<'_>) -> io::Result<()> {
        let own = |path: &Path| path.to_owned();
        let (operation, path, events) = match step {
            FileStep::MakeDirectory(path) => (Operation::Open, path, Vec::new()),
            FileStep::Create(path) => (Operation::Open, path, vec![Event::Make(own(path))]),
            FileStep::Write(path, bytes) => {
                let written = Event::Write { path: own(path), offset: 0, bytes: bytes.to_vec() };
                (Operation::Write, path, vec![Event::Truncate(own(path), 0), written])
            }
            FileStep::WriteAt(path, offset, bytes) => {
                let written = Event::Write { path: own(path), offset, bytes: bytes.to_vec() };
                (Operation::Write, path, vec![written])
            }
            FileStep::Overwrite(path, bytes) => {
                let zeros = Event::Write { path: own(path), offset: 0, bytes: vec![0; bytes as usize] };
                (Operation::Write, path, vec![zeros])
            }
            FileStep::Truncate(path, bytes) => {
                (Operation::Truncate, path, vec![Event::Truncate(own(path), bytes)])
            }
            FileStep::Sync(path) => (Operation::Sync, path, vec![Event::Sync(own(path))]),
            FileStep::SyncDirectory(path) => (Operation::Sync, path, vec![Event::SyncDirectory(own(path))]),
            FileStep::Rename(from, to) => {
                (Operation::Name, from, vec![Event::Rename { from: own(from), to: own(to) }])
            }
            FileStep::Link(from, to) => {
                (Operation::Name, from, vec![Event::Link { from: own(from), to: own(to) }])
            }
            FileStep::Remove(path) => (Operation::Name, path, vec![Event::Remove(own(path))]),
            FileStep::Read(path) => (Operation::Read, path, Vec::new()),
        };
        match Disk::of(path) {
            Some(disk) => disk.step(operation, path, events),
            None => Ok(()),
        }
    }
}
