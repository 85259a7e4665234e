//! What SQLite and the operating system say, turned into whose turn it is. No message carries a stored value.

use std::io;
use std::path::Path;

use ledger::store::{StoreError, StoreErrorKind};
use rusqlite::ErrorCode;

/// The store's error for a failed statement; `doing` says what was being done, as in `append`.
pub(crate) fn sqlite(error: rusqlite::Error, doing: &str) -> StoreError {
    let kind = kind_of(&error);
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
        _ => format!("cannot {doing}"),
    };
    StoreError::new(kind, message).caused_by(error)
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
