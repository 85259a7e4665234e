//! What went wrong, told to people and to programs, and the one table from kinds of error to exit codes.

use std::error::Error as _;
use std::io::{self, Write};

use clap::error::{ContextKind, ErrorKind as UsageKind};
use engine::{EngineError, ErrorKind};
use inference::{InferenceError, InferenceErrorKind};
use ledger::limits::OverLimit;
use ledger::store::{StoreError, StoreErrorKind};
use serde_json::json;
use testimony::OpenError;
use testimony::backup::BackupError;
use testimony::drill::DrillError;

use crate::hits;

/// How the process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    Done,
    /// Refused, or nothing found.
    Refused,
    Usage,
    Input,
    Conflict,
    Damaged,
    NotPermitted,
    Fault,
    Interrupted,
}

impl Exit {
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::Conflict => 4,
            Self::Damaged => 5,
            Self::NotPermitted => 6,
            Self::Fault => 70,
            Self::Interrupted => 130,
        }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Input => Self::Input,
            ErrorKind::NotFound => Self::Refused,
            ErrorKind::Conflict => Self::Conflict,
            ErrorKind::Damaged => Self::Damaged,
            // A disk without room permits no writing; a store that is held is tried again and ends as `Conflict` below.
            ErrorKind::Permission | ErrorKind::Unavailable => Self::NotPermitted,
            ErrorKind::Internal => Self::Fault,
        }
    }
}

/// Why a verb ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    Failed(Failure),
    /// Whoever read the answer has gone; nothing to say.
    PipeClosed,
}

/// An error as it is told.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub exit: Exit,
    /// A stable word for programs.
    pub code: &'static str,
    /// A short fragment, values in backticks.
    pub message: String,
    /// What to do.
    pub hint: Option<&'static str>,
}

impl Failure {
    /// Bad input, told by the caller.
    pub fn input(message: impl Into<String>) -> Self {
        Self { exit: Exit::Input, code: "bad_input", message: message.into(), hint: None }
    }

    /// An order that makes no sense, found after the command line was read.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, code: "usage", message: message.into(), hint: Some("see `--help`") }
    }

    /// Something over a limit; it is counted.
    pub fn over(over: &OverLimit) -> Self {
        hits::note(over.limit, 1);
        Self {
            exit: Exit::Input,
            code: over.limit.code,
            message: over.to_string(),
            hint: Some(over.limit.fix),
        }
    }

    /// The same with a hint.
    pub fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// A file that could not be read or written.
    pub fn file(doing: &str, path: &std::path::Path, error: &io::Error) -> Self {
        let message = format!("cannot {doing} `{}`: {}", path.display(), without_number(error));
        let (exit, code) = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => {
                (Exit::Input, "no_such_file")
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                (Exit::NotPermitted, "not_permitted")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (Exit::NotPermitted, "full"),
            io::ErrorKind::InvalidData => (Exit::Input, "bad_input"),
            _ => (Exit::Fault, "file"),
        };
        Self { exit, code, message, hint: None }
    }

    /// `{"code","message","hint"}`.
    pub fn to_json(&self) -> serde_json::Value {
        json!({"code": self.code, "message": self.message, "hint": self.hint})
    }

    /// Tells it: to people on standard error, to programs on standard output too.
    pub fn tell(&self, as_json: bool) {
        if as_json {
            // Nobody is left to tell when this fails.
            _ = writeln!(io::stdout(), "{}", json!({"error": self.to_json()}));
        }
        _ = writeln!(io::stderr(), "error: {}", self.message);
        if let Some(hint) = self.hint {
            _ = writeln!(io::stderr(), "hint: {hint}");
        }
    }
}

/// `Permission denied (os error 13)` without the number.
fn without_number(error: &io::Error) -> String {
    let told = error.to_string();
    told.split(" (os error").next().unwrap_or(&told).to_lowercase()
}

/// What to do after the store failed; what the system said decides, where it said something.
fn hint_of(store: &StoreError) -> &'static str {
    match store.kind() {
        StoreErrorKind::Busy => "another process is at work here; try again",
        StoreErrorKind::Full => "make room on the disk; reading and `testimony forget` still work",
        StoreErrorKind::Permission => match system_error(store).map(io::Error::kind) {
            Some(io::ErrorKind::ReadOnlyFilesystem) => {
                "mount the file system for writing; reading still works"
            }
            _ => "`testimony doctor` shows who may do what in the data directory",
        },
        StoreErrorKind::Newer => "upgrade this program to the version that wrote the data directory",
        StoreErrorKind::Key => "bring `keys/master.key` back from a backup, or set `TESTIMONY_MASTER_KEY`",
        StoreErrorKind::Damaged => {
            "`testimony verify` names what is wrong; `testimony restore` brings a backup back"
        }
        StoreErrorKind::Io => match system_error(store) {
            Some(error) if error.kind() == io::ErrorKind::NotFound => {
                "the data directory, or a part of it, is gone: bring it back, or name another with `--data`"
            }
            Some(error) if TOO_MANY_FILES.contains(&error.raw_os_error()) => {
                "let the program open more files (`ulimit -n`), or close others"
            }
            _ => {
                "the system's log says what is wrong with the disk; try again once it is well, nothing is kept twice"
            }
        },
        StoreErrorKind::Contract => "please report this with the output of `testimony doctor --json`",
    }
}

/// `EMFILE` and `ENFILE`: of this process, and of all together.
const TOO_MANY_FILES: [Option<i32>; 2] = [Some(24), Some(23)];

/// What the operating system said, where it was asked.
fn system_error(store: &StoreError) -> Option<&io::Error> {
    store.source()?.downcast_ref()
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let hint = match &error {
            EngineError::Limit(over) => return Self::over(over),
            EngineError::Input(_) | EngineError::Conflict(_) | EngineError::Forgotten => None,
            EngineError::NotFound(_) => {
                Some("`recall`, `state` and `sources` list ids; a forgotten id answers like a foreign one")
            }
            EngineError::Model(_) => {
                Some("memories are found by their words meanwhile; `testimony reembed` goes on later")
            }
            EngineError::Store(store) => Some(hint_of(store)),
        };
        let code = error.code();
        let exit = match code {
            "busy" => Exit::Conflict,
            _ => Exit::from(error.kind()),
        };
        Self { exit, code, message: error.to_string(), hint }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Engine(error) => error.into(),
            OpenError::Policy(error) => Self::input(error.to_string()),
            OpenError::PolicyFile { path, source } => Self::file("read policy", &path, &source),
            OpenError::Models(error) => Self::input(error.to_string()),
            OpenError::ModelsFile { path, source } => Self::file("read models", &path, &source),
        }
    }
}

impl From<InferenceErrorKind> for Exit {
    fn from(kind: InferenceErrorKind) -> Self {
        match kind {
            // Another time it may work.
            InferenceErrorKind::Unreachable | InferenceErrorKind::Busy | InferenceErrorKind::Deadline => {
                Self::Conflict
            }
            InferenceErrorKind::NotAllowed => Self::NotPermitted,
            InferenceErrorKind::Cancelled => Self::Interrupted,
            InferenceErrorKind::Configuration
            | InferenceErrorKind::Unsupported
            | InferenceErrorKind::ModelFile
            | InferenceErrorKind::BadReply => Self::Input,
        }
    }
}

impl From<InferenceError> for Failure {
    fn from(error: InferenceError) -> Self {
        let kind = error.kind();
        Self { exit: Exit::from(kind), code: kind.as_str(), message: error.to_string(), hint: None }
    }
}

impl From<InferenceError> for Stop {
    fn from(error: InferenceError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        let message = error.to_string();
        let (exit, code, hint) = match error {
            BackupError::Nothing(_) => (Exit::Refused, "not_found", None),
            BackupError::NotEmpty(_) => (Exit::Input, "not_empty", None),
            BackupError::Inside(_) => (Exit::Input, "inside_data", None),
            BackupError::NotApart { .. } => (Exit::Input, "not_apart", None),
            BackupError::Moving => (Exit::Conflict, "conflict", None),
            BackupError::Interrupted => (Exit::Interrupted, "interrupted", None),
            BackupError::Unfinished(_) => {
                (Exit::Damaged, "unfinished", Some("take an older one; this one may be removed"))
            }
            BackupError::NoBackup(_) => (Exit::Input, "no_backup", Some("give a directory made by `backup`")),
            BackupError::Manifest { .. } => {
                (Exit::Damaged, "damaged", Some("the list of files is damaged; try another copy"))
            }
            BackupError::Newer { .. } => {
                (Exit::Damaged, "newer", Some("upgrade this program to the version that took the backup"))
            }
            BackupError::Differs { .. } => (
                Exit::Damaged,
                "damaged",
                Some(
                    "`testimony backup --check DIR` names every file; copy it again, or try an older backup",
                ),
            ),
            BackupError::KeysApart(_) => {
                (Exit::Input, "keys_apart", Some("name where they are with `--keys DIR`"))
            }
            BackupError::OtherPart { .. } => {
                (Exit::Input, "other_part", Some("`restore DATA --keys KEYS` takes data and keys kept apart"))
            }
            BackupError::OtherStore(_) => (Exit::Input, "other_store", None),
            BackupError::KeysOlder(_) => {
                (Exit::Input, "keys_older", Some("give the keys that were copied with the data, or after it"))
            }
            BackupError::Database(source) => {
                let (exit, code) = of_database(&source);
                (exit, code, None)
            }
            BackupError::File { path, source, doing } => return Self::file(doing, &path, &source),
        };
        Self { exit, code, message, hint }
    }
}

fn of_database(error: &rusqlite::Error) -> (Exit, &'static str) {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => (Exit::NotPermitted, "full"),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => (Exit::Damaged, "damaged"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (Exit::Conflict, "busy"),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => (Exit::NotPermitted, "not_permitted"),
        _ => (Exit::Fault, "internal"),
    }
}

impl From<DrillError> for Failure {
    fn from(error: DrillError) -> Self {
        match error {
            DrillError::Backup(error) => error.into(),
            DrillError::Open(error) => error.into(),
            DrillError::Engine(error) => error.into(),
        }
    }
}

impl From<DrillError> for Stop {
    fn from(error: DrillError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<OpenError> for Stop {
    fn from(error: OpenError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<BackupError> for Stop {
    fn from(error: BackupError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What writing an answer to standard output can end in.
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::PipeClosed,
            _ => Self::Failed(Failure::file("write", std::path::Path::new("standard output"), &error)),
        }
    }
}

/// Tells what was wrong with the command line. Help and version are no errors.
pub(crate) fn usage(refused: &clap::Error, as_json: bool) -> Exit {
    if !refused.use_stderr() {
        _ = refused.print();
        return Exit::Done;
    }
    if as_json {
        let message = match (refused.kind(), refused.get(ContextKind::InvalidSubcommand)) {
            (UsageKind::InvalidSubcommand, Some(word)) => format!("unknown command `{word}`"),
            _ => {
                let told = refused.to_string();
                // The first paragraph, on one line, without the list of everything that could have been written.
                let lines = told.lines().take_while(|line| !line.is_empty()).map(str::trim);
                let first: Vec<&str> = lines.filter(|line| !line.starts_with('[')).collect();
                first.join(" ").trim_start_matches("error: ").replace('\'', "`")
            }
        };
        let failure = Failure::usage(message);
        _ = writeln!(io::stdout(), "{}", json!({"error": failure.to_json()}));
    }
    _ = refused.print();
    Exit::Usage
}
