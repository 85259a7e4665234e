//! Instants at which a proof ends the program, and the file operations it can make fail.
//!
//! All of it is empty unless the feature `failpoints` is on: then the calls are constants and compile to nothing. No crate
//! that ships turns it on.

use std::io;
use std::path::Path;

/// An instant between two steps that must not be taken apart by a crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failpoint {
    /// The writer has run a group and is about to commit it.
    BeforeCommit,
    /// The writer has committed a group and has answered nobody yet.
    AfterCommit,
    /// A subject's row is in, its key is not.
    Founding,
    /// The file of a group key is made, the transaction that needs it goes on.
    GroupMade,
    /// An erasure has taken its rows out and not yet touched a key.
    ErasedRows,
    /// An erasure has wrapped the surviving keys anew.
    ErasedWrapped,
    /// An erasure has committed; the old group keys are still there.
    ErasedCommitted,
    /// The old group keys are destroyed; the write-ahead log still holds the erased pages.
    ErasedKeys,
    /// Copies of earlier versions are gone, too.
    ErasedCopies,
    /// The write-ahead log is cut.
    ErasedLogCut,
    /// The files were searched; the mark that an erasure is under way still stands.
    ErasedSearched,
    /// The mark is gone, nobody has been answered.
    ErasedCleaned,
    /// A file was written beside its place and not made to last.
    FileWritten,
    /// It lasts, and has not been put in its place.
    FileSynced,
    /// It is in its place; its directory has not been made to last.
    FilePlaced,
    /// A file to be destroyed was overwritten and is still there.
    FileOverwritten,
    /// The file of vectors is new and has no tables.
    VectorsMade,
    /// Vectors are committed, the ledger's own commit is still to come.
    VectorsWritten,
    /// A comparison of the shadow lane is about to be committed.
    Telemetry,
    /// The copy of the earlier version stands beside the database, no step is taken.
    MigrationCopied,
    /// All steps are taken and not committed.
    MigrationStepped,
    /// The new version is committed.
    Migrated,
}

impl Failpoint {
    /// Every one, in the order above.
    pub const ALL: [Self; 22] = [
        Self::BeforeCommit,
        Self::AfterCommit,
        Self::Founding,
        Self::GroupMade,
        Self::ErasedRows,
        Self::ErasedWrapped,
        Self::ErasedCommitted,
        Self::ErasedKeys,
        Self::ErasedCopies,
        Self::ErasedLogCut,
        Self::ErasedSearched,
        Self::ErasedCleaned,
        Self::FileWritten,
        Self::FileSynced,
        Self::FilePlaced,
        Self::FileOverwritten,
        Self::VectorsMade,
        Self::VectorsWritten,
        Self::Telemetry,
        Self::MigrationCopied,
        Self::MigrationStepped,
        Self::Migrated,
    ];
}

/// A file operation outside SQLite, named before it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileStep<'step> {
    /// A directory is made.
    MakeDirectory(&'step Path),
    /// An empty file is made.
    Create(&'step Path),
    /// A file gets these bytes as its whole content.
    Write(&'step Path, &'step [u8]),
    /// Bytes at a place of a file are written.
    WriteAt(&'step Path, u64, &'step [u8]),
    /// So many first bytes of a file become zeros.
    Overwrite(&'step Path, u64),
    /// A file is cut to so many bytes.
    Truncate(&'step Path, u64),
    /// A file's content is made to last.
    Sync(&'step Path),
    /// The names in a directory are made to last.
    SyncDirectory(&'step Path),
    /// A file gets another name.
    Rename(&'step Path, &'step Path),
    /// A file gets a second name.
    Link(&'step Path, &'step Path),
    /// A name is removed.
    Remove(&'step Path),
    /// A file is read.
    Read(&'step Path),
}

#[cfg(not(feature = "failpoints"))]
mod off {
    use super::{Failpoint, FileStep, io};

    /// The program has come to `point`.
    #[inline(always)]
    pub(crate) fn pass(_: Failpoint) {}

    /// The program is about to do `step`.
    #[inline(always)]
    pub(crate) fn file(_: FileStep<'_>) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(feature = "failpoints")]
mod on {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, OnceLock};

    use super::{Failpoint, FileStep, io};

    /// `NAME` or `NAME:N` ends the program when it comes to that instant for the first or the N-th time.
    pub const VARIABLE: &str = "TESTIMONY_FAILPOINT";

    /// Is told of every file operation before it is done; its error takes the operation's place.
    pub trait Watch: Send + Sync {
        /// The program is about to do `step`.
        ///
        /// # Errors
        /// What the operating system shall have said instead.
        fn file(&self, step: FileStep<'_>) -> io::Result<()>;
    }

    static WATCH: OnceLock<Arc<dyn Watch>> = OnceLock::new();

    /// Has `watch` told from now on. The first one of a process stays.
    pub fn watch(watch: Arc<dyn Watch>) {
        let _ = WATCH.set(watch);
    }

    /// The instant at which this process is to end, and how often it is passed before.
    fn end() -> Option<&'static (String, AtomicU64)> {
        static END: OnceLock<Option<(String, AtomicU64)>> = OnceLock::new();
        #[allow(clippy::disallowed_methods, reason = "a proof starts the program with the instant's name")]
        let read = || {
            let wanted = std::env::var(VARIABLE).ok()?;
            let (name, times) = wanted.split_once(':').unwrap_or((&wanted, "1"));
            Some((name.to_owned(), AtomicU64::new(times.parse().unwrap_or(1))))
        };
        END.get_or_init(read).as_ref()
    }

    /// The program has come to `point`.
    pub(crate) fn pass(point: Failpoint) {
        let Some((name, left)) = end() else { return };
        if format!("{point:?}") == *name && left.fetch_sub(1, Ordering::Relaxed) == 1 {
            // As sudden as a kill: no destructor runs, no buffer is emptied.
            std::process::abort();
        }
    }

    /// The program is about to do `step`.
    pub(crate) fn file(step: FileStep<'_>) -> io::Result<()> {
        WATCH.get().map_or(Ok(()), |watch| watch.file(step))
    }
}

#[cfg(not(feature = "failpoints"))]
pub(crate) use off::{file, pass};
#[cfg(feature = "failpoints")]
pub use on::{VARIABLE, Watch, watch};
#[cfg(feature = "failpoints")]
pub(crate) use on::{file, pass};
