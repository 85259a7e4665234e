//! Copies of a whole data directory: taken while others write, checked file by file wherever they are carried, and put
//! back only where nothing is.
//!
//! A copy holds the database as one consistent state, the settings beside it, and, unless they are kept apart, the keys
//! it is read with. It remembers what is forgotten in the original afterwards; where its keys are kept apart, what was
//! forgotten whole cannot be read in it any more (decision 0019).
//!
//! In reading order: [`manifest`] says what a copy is; [`take`](mod@take) makes one, [`check`] compares one with its
//! manifest, [`put_back`] restores one, joining keys that were kept apart ([`apart`]).

mod apart;
mod check;
pub mod manifest;
mod place;
mod put_back;
mod take;

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

pub use check::{Checked, Difference, check};
pub use put_back::{Restore, Restored, put_back};
pub use take::{Backup, Keys, Taken, take};

/// How far a copy has come, in bytes of the database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Bytes that are over there.
    pub done: u64,
    /// Bytes there are.
    pub total: u64,
}

/// Told how far a copy has come, many times a second; answers whether to go on.
pub type Watch<'watch> = &'watch mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Why a copy could not be taken, checked or put back.
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
    /// The keys would lie inside the copy they are to be kept apart from.
    #[error("`{}` and `{}` lie in one another; keys kept apart need a place of their own", data.display(), keys.display())]
    NotApart {
        /// Where the copy goes.
        data: PathBuf,
        /// Where its keys were to go.
        keys: PathBuf,
    },
    /// Things were forgotten or keys changed again and again while the copy was taken.
    #[error(
        "something was forgotten or keys were changed {} times while the copy was taken; try again",
        take::ATTEMPTS_MAX
    )]
    Moving,
    /// The caller asked to stop; what had been copied is removed.
    #[error("interrupted; what had been copied is removed")]
    Interrupted,
    /// The copy was cut off while it was taken.
    #[error("`{}` is a backup that was never finished; it cannot be restored", .0.display())]
    Unfinished(PathBuf),
    /// The directory holds no copy.
    #[error("`{}` is no backup: it holds no `{}`", .0.display(), manifest::NAME)]
    NoBackup(PathBuf),
    /// The copy's list cannot be read.
    #[error("`{}` cannot be read: {what}", path.display())]
    Manifest {
        /// The list.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The copy was taken by a newer program.
    #[error("`{}` has format `{format}`, this program knows up to `{}`", path.display(), manifest::FORMAT)]
    Newer {
        /// The list.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// A file of the copy is not as it was written.
    #[error("`{}` is not as it was written: `{}` {}{}", directory.display(), first.path, first.what, others(*more))]
    Differs {
        /// The copy.
        directory: PathBuf,
        /// The first file that differs.
        first: Difference,
        /// How many more there are.
        more: usize,
    },
    /// The copy's keys are elsewhere and were not named.
    #[error("`{}` holds no keys; they were kept apart", .0.display())]
    KeysApart(PathBuf),
    /// What was named as keys, or as a copy, is the other, or is whole.
    #[error("`{}` holds {holds}, not {wanted}", directory.display())]
    OtherPart {
        /// The copy.
        directory: PathBuf,
        /// What it holds.
        holds: &'static str,
        /// What was asked for.
        wanted: &'static str,
    },
    /// Keys and data were taken of different stores.
    #[error("the keys in `{}` are of another store", .0.display())]
    OtherStore(PathBuf),
    /// The keys were copied before the data: they know less than it holds.
    #[error("the keys in `{}` are older than the data", .0.display())]
    KeysOlder(PathBuf),
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

fn others(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(", and {more} more"),
    }
}
