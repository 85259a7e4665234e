//! The drill: a backup is only known to work once it was put back. This puts one back beside the store, checks all of it,
//! compares it with the store at the moment it was taken, takes it away again, and writes down how far it is proved.
//!
//! The place of a drill holds keys. They are overwritten before it is removed; a process that is killed leaves it behind.

use std::fs::{self, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ::engine::recall::Recall;
use ::engine::{Call, Engine, EngineError};
use ::ledger::id::Kind;
use ::ledger::marked;
use ::ledger::scope::Scope;
use ::ledger::store::{Head, Read, Rows, StoreError, StoreErrorKind};
use ::ledger::time::Instant;
use serde::{Deserialize, Serialize};

use crate::backup::manifest::{LogEnd, Manifest};
use crate::backup::{Backup, BackupError, Keys, Progress, Restore, Watch, put_back, take};
use crate::{Config, OpenError, open, open_existing};

/// The name of the file inside a data directory that says how far its backups are proved. It holds no words.
pub const RECORD: &str = "drill.json";

/// The memory that the subjects of one of the two stores may take together, in bytes: no more than one is looked at at once, which
/// stays however large it is.
const MEMORY_BYTES_MAX: usize = 16 << 20;

/// Recalls compared for one subject.
const RECALLS_PER_SUBJECT: usize = 5;

/// The most differences told; beyond it, a count.
const DIFFERENCES_MAX: usize = 100;

/// What is to be proved, and where.
#[derive(Clone)]
pub struct Drill {
    /// The store, with its keys.
    pub config: Config,
    /// A backup that is there; without one, one is taken for the drill.
    pub backup: Option<PathBuf>,
    /// Where that backup's keys are, if they were kept apart.
    pub keys: Option<PathBuf>,
    /// Where the drill makes its place; the directory for temporary files when left out.
    pub place: Option<PathBuf>,
    /// The newest turns of each subject that are resolved again.
    pub turns: usize,
    /// When.
    pub now: Instant,
}

/// What a drill found.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Drilled {
    /// Whether everything was as it should be.
    pub ok: bool,
    /// The backup, when one was given.
    pub backup: Option<PathBuf>,
    /// When it was taken.
    pub taken_at: String,
    /// Bytes put back.
    pub bytes: u64,
    /// Subjects looked at.
    pub subjects: u64,
    /// Appends whose place in the chain was checked.
    pub appends: u64,
    /// Quotes that stand where they say.
    pub quotes: u64,
    /// Facts whose history follows from their claims.
    pub facts: u64,
    /// Turns resolved again to the same selection and packet.
    pub turns: u64,
    /// Subjects whose state was compared with the store's at that moment.
    pub compared: u64,
    /// Recalls that answered as the store's.
    pub recalls: u64,
    /// What differs or is damaged, by ids and places; empty when all is well.
    pub differences: Vec<String>,
    /// How many more there are.
    pub more: u64,
    /// What could not be compared, and why.
    pub notices: Vec<String>,
}

/// How far backups of a store are proved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// When the drill was.
    pub at: String,
    /// When the backup was taken.
    pub taken_at: String,
    /// The program that drilled, with its version.
    pub program: String,
    /// How far each subject's log was verified.
    pub subjects: Vec<LogEnd>,
    /// Facts verified.
    pub facts: u64,
    /// Turns resolved again.
    pub turns: u64,
}

/// Why a drill could not be held.
#[derive(Debug, thiserror::Error)]
pub enum DrillError {
    /// The backup could not be taken or put back.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// A store could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A store could not be read.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Holds a drill.
///
/// # Errors
/// [`DrillError`]; damage and differences are no errors, they are told in the answer.
pub fn drill(drill: &Drill, watch: Watch<'_>) -> Result<Drilled, DrillError> {
    let stage = Stage::set(drill.place.as_deref())?;
    let from = match &drill.backup {
        Some(backup) => backup.clone(),
        None => {
            let (data, target) = (drill.config.data.clone(), stage.path("backup"));
            take(&Backup { data, target: target.clone(), keys: Keys::Within, now: drill.now }, watch)?;
            target
        }
    };
    let manifest = Manifest::read(&from)?;
    let data = stage.path("restored");
    let restored =
        put_back(&Restore { from: from.clone(), keys: drill.keys.clone(), data: data.clone() }, watch)?;
    let mut found = Drilled {
        backup: drill.backup.clone(),
        taken_at: manifest.taken_at.clone(),
        bytes: restored.bytes,
        ..Drilled::default()
    };
    // No lane and no model: what is compared must not hang on them.
    let quiet = |data: PathBuf| Config {
        data,
        shadow: false,
        embedder: None,
        memory_bytes_max: MEMORY_BYTES_MAX,
        ..drill.config.clone()
    };
    if restored.subjects_forgotten > 0 {
        let store = crate::open_store(&quiet(data.clone()))?;
        store.forget_keyless().map_err(EngineError::from)?;
    }
    let copy = open(quiet(data))?;
    let live = open_existing(quiet(drill.config.data.clone()))?;
    let store = copy.store();
    let keys = store.unreadable().map_err(EngineError::from)?;
    let shared = store.verify_shared().map_err(EngineError::from)?;
    let told = keys.into_iter().chain(shared).map(|damage| format!("{} {}", damage.place, damage.what));
    found.differences.extend(told);
    let subjects = copy.store().subjects().map_err(EngineError::from)?;
    let total = subjects.len() as u64;
    for (done, subject) in (0..).zip(subjects) {
        if watch(Progress { done, total }).is_break() {
            return Err(BackupError::Interrupted.into());
        }
        let scope = Scope::of(subject);
        let call = Call { scope: &scope, now: drill.now };
        found.subjects += 1;
        verify(&copy, call, &mut found)?;
        replay(&copy, call, drill.turns, &mut found)?;
        if let Some(live) = &live {
            compare(live, &copy, call, &mut found)?;
        }
    }
    found.more = found.differences.len().saturating_sub(DIFFERENCES_MAX) as u64;
    found.differences.truncate(DIFFERENCES_MAX);
    found.ok = found.differences.is_empty();
    if found.ok && live.is_some() {
        let record = Record {
            at: drill.now.to_string(),
            taken_at: manifest.taken_at,
            program: format!("testimony {}", env!("CARGO_PKG_VERSION")),
            subjects: manifest.subjects,
            facts: found.facts,
            turns: found.turns,
        };
        record.write(&drill.config.data)?;
    }
    Ok(found)
}

/// Checks chain, quotes and histories of one subject of the copy.
fn verify(copy: &Engine, call: Call<'_>, found: &mut Drilled) -> Result<(), EngineError> {
    let verified = match copy.verify_subject(call) {
        // Which keys are lost is said already.
        Err(EngineError::Store(error)) if error.kind() == StoreErrorKind::Key => return Ok(()),
        other => other?,
    };
    found.appends += verified.appends;
    found.quotes += verified.quotes;
    found.facts += verified.facts;
    found.differences.extend(verified.damage.into_iter().map(|one| format!("{}: {}", one.place, one.what)));
    Ok(())
}

/// Resolves the newest turns of the copy again.
fn replay(copy: &Engine, call: Call<'_>, turns: usize, found: &mut Drilled) -> Result<(), EngineError> {
    let store = copy.store();
    let Some(keys) = store.keys(call.scope)? else { return Ok(()) };
    for turn in store.recent_turns(call.scope, turns)? {
        let id = keys.ids.seal(Kind::Turn, turn.id.0);
        let replayed = copy.replay(call, &id)?;
        // What was forgotten since a turn is missing from it in the original just so.
        let differs = |difference: &&String| !difference.contains("forgotten");
        match replayed.differences.iter().find(differs) {
            None => found.turns += 1,
            Some(first) => found.differences.push(format!("turn {id}: {first}")),
        }
    }
    Ok(())
}

/// Compares what the copy holds of one subject with what the store held at that moment.
fn compare(live: &Engine, copy: &Engine, call: Call<'_>, found: &mut Drilled) -> Result<(), EngineError> {
    let (then, now) = (copy.store().head(call.scope)?, live.store().head(call.scope)?);
    let same_log = now.incarnation == then.incarnation && now.watermark >= then.watermark;
    let at = match same_log {
        true => moment_of(live, call, &then)?,
        false => Err("something of a subject was forgotten since the backup; it is verified, not compared"),
    };
    let at = match at {
        Ok(at) => at,
        Err(why) => {
            if !found.notices.iter().any(|notice| notice == why) {
                found.notices.push(why.to_owned());
            }
            return Ok(());
        }
    };
    let state = |engine: &Engine| engine.state(call, Some(call.now), Some(at));
    let (copied, original) = (state(copy)?, state(live)?);
    found.compared += 1;
    if copied.items != original.items {
        let differing = copied.items.iter().zip(&original.items).find(|(left, right)| left != right);
        let first = differing.map_or("one holds more than the other", |(left, _)| left.id.as_str());
        found.differences.push(format!("state at watermark {}: {first}", then.watermark));
    }
    if now.watermark > then.watermark {
        // How well a memory matches hangs on all memories there are, so an answer of today is no measure.
        return Ok(());
    }
    let step = copied.items.len().div_ceil(RECALLS_PER_SUBJECT).max(1);
    for item in copied.items.iter().step_by(step) {
        // A memory may be longer than a question.
        let query: String = item.text.chars().take(1_000).collect();
        let recall = Recall { valid_at: Some(call.now), believed_at: Some(at), ..Recall::of(&query) };
        match copy.recall(call, &recall)?.items == live.recall(call, &recall)?.items {
            true => found.recalls += 1,
            false => found.differences.push(format!("recall of {}", item.id)),
        }
    }
    Ok(())
}

/// The instant at which the store held what the copy holds; otherwise why there is none.
fn moment_of(
    live: &Engine,
    call: Call<'_>,
    then: &Head,
) -> Result<Result<Instant, &'static str>, StoreError> {
    let mut next = None;
    let read = live.store().read_changes(call.scope, then.watermark, Rows::Folded, &mut |entry| {
        next.get_or_insert(entry.recorded_at);
    })?;
    Ok(match (read, next) {
        (Read::Rewritten, _) => {
            Err("something of a subject was forgotten since the backup; it is verified, not compared")
        }
        (Read::Whole, Some(next)) if next <= then.recorded_at => {
            Err("a subject was written to in the same instant; it is verified, not compared")
        }
        (Read::Whole, _) => Ok(then.recorded_at),
    })
}

impl Record {
    /// What was last proved of the store in `data`; `None` when nothing was.
    ///
    /// # Errors
    /// Where the record cannot be read, or is not what was written.
    pub fn read(data: &Path) -> io::Result<Option<Self>> {
        match fs::read(data.join(RECORD)) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(None),
            written => marked::read(&written?).map(Some).map_err(io::Error::other),
        }
    }

    /// Writes it whole, beside the store.
    fn write(&self, data: &Path) -> Result<(), BackupError> {
        let (path, new) = (data.join(RECORD), data.join(format!("{RECORD}.new")));
        let write = || {
            let mut file =
                OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
            file.write_all(&marked::write(self).map_err(io::Error::other)?)?;
            file.sync_all()?;
            fs::rename(&new, &path)?;
            fs::File::open(data)?.sync_all()
        };
        write().map_err(|source: io::Error| BackupError::File { doing: "write", path: path.clone(), source })
    }
}

/// The place of one drill.
struct Stage(tempfile::TempDir);

impl Stage {
    fn set(place: Option<&Path>) -> Result<Self, BackupError> {
        let place = place.map_or_else(std::env::temp_dir, Path::to_owned);
        let made = tempfile::Builder::new().prefix("testimony-drill-").tempdir_in(&place);
        made.map(Self).map_err(|source| BackupError::File {
            doing: "make a directory in",
            path: place,
            source,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Keys of what is forgotten later must not be found on the medium.
        let mut open = vec![self.0.path().to_owned()];
        while let Some(directory) = open.pop() {
            for item in fs::read_dir(directory).into_iter().flatten().flatten() {
                let path = item.path();
                match item.file_type() {
                    Ok(kind) if kind.is_dir() => open.push(path),
                    Ok(_) if path.components().any(|part| part.as_os_str() == "keys") => _ = overwrite(&path),
                    _ => {}
                }
            }
        }
    }
}

fn overwrite(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    let length = file.metadata()?.len();
    file.rewind()?;
    io::copy(&mut io::Read::take(io::repeat(0), length), &mut file)?;
    file.sync_all()
}
