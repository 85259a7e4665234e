//! What can go wrong in a verb, and whose turn it is then.

use inference::{InferenceError, InferenceErrorKind};
use ledger::limits::OverLimit;
use ledger::store::{StoreError, StoreErrorKind};

/// Why a verb could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The caller's input breaks a rule; the message names the input, the place and the fix.
    #[error("{0}")]
    Input(String),
    /// The caller's input is over a limit.
    #[error(transparent)]
    Limit(#[from] OverLimit),
    /// Nothing here has that id. A foreign id, a malformed one and one that never existed are this one answer.
    #[error("nothing with id `{0}` is known here")]
    NotFound(String),
    /// The log moved again and again while the change was prepared, or an idempotency key was used for other content.
    #[error("{0}")]
    Conflict(String),
    /// The message was forgotten on request and is kept out.
    #[error(
        "these words were forgotten on request and are not learnt again; lift that with `lift` or `remember`"
    )]
    Forgotten,
    /// The embedding model failed.
    #[error("the embedding model failed: {0}")]
    Model(InferenceError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whose turn it is after an error: the one table that every face translates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The caller's: mend the input.
    Input,
    /// The caller's: there is no such thing.
    NotFound,
    /// The caller's: try again, or with another key.
    Conflict,
    /// The operator's: bytes, keys or versions are not what they should be.
    Damaged,
    /// The operator's: a permission is missing.
    Permission,
    /// The operator's: the disk is full or the store is busy.
    Unavailable,
    /// Ours.
    Internal,
}

impl EngineError {
    /// A stable word for programs, the same on every face; the code of the limit, where one was met.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Input(_) => "bad_input",
            Self::Limit(over) => over.limit.code,
            Self::NotFound(_) => "not_found",
            Self::Conflict(_) => "conflict",
            Self::Forgotten => "forgotten",
            Self::Model(_) => "model",
            Self::Store(error) => match error.kind() {
                StoreErrorKind::Busy => "busy",
                StoreErrorKind::Full => "full",
                // Not the caller's permission, which is `not_permitted`.
                StoreErrorKind::Permission => "data_permission",
                StoreErrorKind::Newer => "newer",
                StoreErrorKind::Key => "key",
                StoreErrorKind::Damaged => "damaged",
                StoreErrorKind::Io => "disk",
                StoreErrorKind::Contract => "internal",
            },
        }
    }

    /// Whose turn it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Input(_) | Self::Limit(_) => ErrorKind::Input,
            Self::NotFound(_) => ErrorKind::NotFound,
            Self::Conflict(_) | Self::Forgotten => ErrorKind::Conflict,
            Self::Model(error) => match error.kind() {
                InferenceErrorKind::Unreachable
                | InferenceErrorKind::Busy
                | InferenceErrorKind::Deadline
                | InferenceErrorKind::Cancelled => ErrorKind::Unavailable,
                InferenceErrorKind::NotAllowed => ErrorKind::Permission,
                InferenceErrorKind::Configuration | InferenceErrorKind::Unsupported => ErrorKind::Input,
                InferenceErrorKind::ModelFile => ErrorKind::Damaged,
                InferenceErrorKind::BadReply => ErrorKind::Internal,
            },
            Self::Store(error) => match error.kind() {
                StoreErrorKind::Damaged | StoreErrorKind::Key | StoreErrorKind::Newer => ErrorKind::Damaged,
                StoreErrorKind::Permission => ErrorKind::Permission,
                StoreErrorKind::Busy | StoreErrorKind::Full => ErrorKind::Unavailable,
                StoreErrorKind::Contract | StoreErrorKind::Io => ErrorKind::Internal,
            },
        }
    }
}
