//! What SQLite and the operating system say, turned into whose turn it is. No message carries a stored value.

use std::error::Error as _;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use ledger::store::{StoreError, StoreErrorKind};
use rusqlite::{ErrorCode, ffi};
use rustix::fs::Access;

use crate::connection::sibling;
use crate::failpoint::{self, FileStep};
use crate::held;

/// The store's error for a failed statement; `doing` says what was being done, as in `append`.
pub(crate) fn sqlite(error: rusqlite::Error, doing: &str) -> StoreError {
    // A file that cannot be opened is rarely one that may not be: who opened it asks for the reason.
    let kind = if cannot_open(&error) { StoreErrorKind::Io } else { kind_of(&error) };
    let interrupted = error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted);
    let message = match kind {
        StoreErrorKind::Busy if interrupted => {
            format!("the machine is too slow at the moment, cannot {doing} in time; try again")
        }
        StoreErrorKind::Busy => format!("another process holds the store, cannot {doing}; try again"),
        StoreErrorKind::Full => format!("the disk is full, cannot {doing}; make room"),
        StoreErrorKind::Permission => format!("the data directory may not be written, cannot {doing}"),
        StoreErrorKind::Damaged => format!("`ledger.db` is damaged, cannot {doing}; restore a backup"),
        StoreErrorKind::Contract => format!("the ledger refuses to {doing}: {}", refusal(&error)),
        _ if cannot_open(&error) => format!("a file of the store cannot be opened, cannot {doing}"),
        _ => match error.sqlite_error() {
            Some(failed) if failed.code == ErrorCode::SystemIoFailure => {
                format!("the disk fails while {}, cannot {doing}", operation(failed.extended_code))
            }
            _ => format!("cannot {doing}"),
        },
    };
    StoreError::new(kind, message).caused_by(error)
}

fn cannot_open(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
}

/// What the operating system was asked for when it failed.
fn operation(extended_code: i32) -> &'static str {
    match extended_code {
        ffi::SQLITE_IOERR_READ | ffi::SQLITE_IOERR_SHORT_READ => "it is read",
        ffi::SQLITE_IOERR_WRITE => "it is written",
        ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC => "it is to make sure of what was written",
        ffi::SQLITE_IOERR_TRUNCATE => "a file is cut",
        ffi::SQLITE_IOERR_SHMOPEN
        | ffi::SQLITE_IOERR_SHMSIZE
        | ffi::SQLITE_IOERR_SHMMAP
        | ffi::SQLITE_IOERR_SHMLOCK => "memory is shared",
        ffi::SQLITE_IOERR_LOCK | ffi::SQLITE_IOERR_UNLOCK | ffi::SQLITE_IOERR_RDLOCK => "a file is locked",
        _ => "it is asked",
    }
}

/// The same error with its reason, where SQLite could not open `database` or a file beside it. SQLite keeps the reason to
/// itself, so the system is asked for each of the files.
pub(crate) fn with_reason(error: StoreError, database: &Path) -> StoreError {
    let told = error.source().and_then(|source| source.downcast_ref::<rusqlite::Error>());
    if !told.is_some_and(cannot_open) {
        return error;
    }
    match reason(database) {
        Some((path, reason)) => file(reason, &path, "open"),
        None => {
            let database = database.display();
            let message = format!("cannot open `{database}`, and the system gives no reason; try again");
            StoreError::new(StoreErrorKind::Io, message).caused_by(error)
        }
    }
}

/// Which file cannot be opened, and why.
fn reason(database: &Path) -> Option<(PathBuf, io::Error)> {
    let may = |path: &Path, rights| rustix::fs::access(path, rights).map_err(io::Error::from);
    let directory = database.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if let Err(error) = File::open(directory) {
        return Some((directory.to_owned(), error));
    }
    ["", "-wal", "-shm"].map(|ending| sibling(database, ending)).into_iter().find_map(|path| {
        let looked = failpoint::file(FileStep::Read(&path))
            .and_then(|()| held::open(&path))
            .and_then(|_| may(&path, Access::READ_OK | Access::WRITE_OK));
        match looked {
            // The files beside it are made when they are needed.
            Err(missing) if missing.kind() == io::ErrorKind::NotFound && path != database => {
                may(directory, Access::WRITE_OK).err().map(|error| (directory.to_owned(), error))
            }
            Err(error) => Some((path, error)),
            Ok(()) => None,
        }
    })
}

/// Whose turn it is after `error`.
pub(crate) fn kind_of(error: &rusqlite::Error) -> StoreErrorKind {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::OperationInterrupted) => {
            StoreErrorKind::Busy
        }
        Some(ErrorCode::DiskFull) => StoreErrorKind::Full,
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            StoreErrorKind::Permission
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreErrorKind::Damaged,
        Some(ErrorCode::ConstraintViolation) => StoreErrorKind::Contract,
        Some(_) => StoreErrorKind::Io,
        // A column that does not read as the type it was written with.
        None => match error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..) => StoreErrorKind::Damaged,
            _ => StoreErrorKind::Io,
        },
    }
}

/// The rule a constraint names: the words of our own triggers, or the constraint's kind.
fn refusal(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        _ => "a constraint failed".to_owned(),
    }
}

/// The store's error for a failed file operation on `path`.
pub(crate) fn file(error: io::Error, path: &Path, doing: &str) -> StoreError {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreErrorKind::Permission,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreErrorKind::Full,
        _ => StoreErrorKind::Io,
    };
    StoreError::new(kind, format!("cannot {doing} `{}`: {error}", path.display())).caused_by(error)
}

/// Stored bytes at `place` that are not what was written.
pub(crate) fn damaged(place: impl std::fmt::Display, what: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Damaged, format!("{place} {what}; restore a backup"))
}

/// What was handed in breaks a rule.
pub(crate) fn contract(message: impl Into<String>) -> StoreError {
    StoreError::new(StoreErrorKind::Contract, message)
}
