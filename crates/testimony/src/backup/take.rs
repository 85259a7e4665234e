//! Taking: one consistent state of the database, read while others write, with the keys that open exactly that state.
//!
//! The database is copied within one reading transaction, so that writers neither wait nor make the copy begin again.
//! An erasure does: what is forgotten while a copy is taken is not in the copy, and the erasure does not wait for it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ledger::time::Instant;
use rusqlite::backup::{Backup as Copying, StepResult};
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use store_sqlite::SqliteTelemetry;

use super::manifest::{FORMAT, FileMark, LogEnd, Manifest, Part, hexadecimal};
use super::place::{self, Place, failed};
use super::{BackupError, Progress, Watch, apart};
use crate::{ACCESS, DATABASE, MODELS, drill, shadow};

/// How often a copy is begun anew because something was forgotten or keys changed meanwhile.
pub(super) const ATTEMPTS_MAX: usize = 20;

/// Pages copied between two looks at the caller and at erasures.
const PAGES_PER_STEP: i32 = 500;

/// How long a lock of somebody else is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long an erasure that began meanwhile may take to clean up before the copy is begun anew all the same.
const ERASURE_MS_MAX: u64 = 20_000;

/// The settings and records of a data directory that are copied as they are, where they are there.
const PLAIN: [&str; 5] = [shadow::SETTINGS, SqliteTelemetry::SWITCH, MODELS, drill::RECORD, ACCESS];

/// What is to be copied, and where to.
#[derive(Clone, Debug)]
pub struct Backup {
    /// The data directory.
    pub data: PathBuf,
    /// An empty or new directory.
    pub target: PathBuf,
    /// Where the keys go.
    pub keys: Keys,
    /// When it is taken.
    pub now: Instant,
}

/// Where the keys of a copy go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Keys {
    /// Into the copy.
    Within,
    /// Into another empty or new directory.
    Apart(PathBuf),
    /// Only they are copied, into the target.
    Alone,
}

/// What was copied.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Taken {
    /// Where to.
    pub directory: PathBuf,
    /// Where the keys are, if they are kept apart.
    pub keys: Option<PathBuf>,
    /// Files, keys included.
    pub files: usize,
    /// Their bytes together.
    pub bytes: u64,
    /// How far each subject's log goes.
    pub subjects: Vec<LogEnd>,
    /// What of the data directory was left out, by name.
    pub left_out: Vec<String>,
}

/// One consistent state: the keys, and what of the database says which state it is.
struct State {
    keys: BTreeMap<String, Vec<u8>>,
    store: String,
    schema: u32,
    subjects: Vec<LogEnd>,
}

/// Copies the memory in a data directory while others go on writing.
///
/// # Errors
/// [`BackupError`]; nothing is left of the copy then. A process that is killed leaves one that says it is unfinished.
pub fn take(backup: &Backup, watch: Watch<'_>) -> Result<Taken, BackupError> {
    let Backup { data, target, keys, now } = backup;
    if !data.join(DATABASE).is_file() {
        return Err(BackupError::Nothing(data.clone()));
    }
    let apart_place = match keys {
        Keys::Apart(place) => Some(place),
        Keys::Within | Keys::Alone => None,
    };
    for place in [Some(target), apart_place].into_iter().flatten() {
        if place::is_inside(place, data) {
            return Err(BackupError::Inside(place.clone()));
        }
    }
    if let Some(place) = apart_place
        && (place::is_inside(place, target) || place::is_inside(target, place))
    {
        return Err(BackupError::NotApart { data: target.clone(), keys: place.clone() });
    }
    let mut main = Place::take(target)?;
    main.mark_unfinished()?;
    let mut beside = apart_place.map(|place| Place::take(place)).transpose()?;
    beside.as_mut().map_or(Ok(()), Place::mark_unfinished)?;

    let state = copy_consistently(backup, &main, beside.as_ref(), watch)?;
    let mut files = Vec::new();
    let mut left_out = Vec::new();
    if *keys != Keys::Alone {
        files.push(place::mark(target, DATABASE)?);
        files.extend(copy_telemetry(data, target, &mut left_out)?);
        for name in PLAIN {
            files.extend(copy_plain(data, target, name)?);
        }
        left_out.extend(what_is_left(data)?);
        left_out.sort_unstable();
        left_out.dedup();
    }
    let manifest = |part, files: Vec<FileMark>, left_out: &[String]| {
        let mut files = files;
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Manifest {
            format: FORMAT,
            part,
            program: format!("testimony {}", env!("CARGO_PKG_VERSION")),
            taken_at: now.to_string(),
            store: state.store.clone(),
            schema: state.schema,
            subjects: state.subjects.clone(),
            files,
            left_out: left_out.to_vec(),
        }
    };
    let key_place = beside.as_ref().unwrap_or(&main).directory.clone();
    let mut key_files = Vec::new();
    for (name, bytes) in &state.keys {
        key_files.push(place::write(&key_place, &format!("keys/{name}"), bytes)?);
    }
    if *keys != Keys::Within {
        key_files.push(place::mark(&key_place, apart::DATA_KEYS)?);
    }
    let taken = Taken {
        directory: target.clone(),
        keys: apart_place.cloned(),
        files: files.len() + key_files.len(),
        bytes: files.iter().chain(&key_files).map(|file| file.bytes).sum(),
        subjects: state.subjects.clone(),
        left_out: left_out.clone(),
    };
    // The keys first: data whose keys are not safe yet is not a copy yet.
    match (beside, keys) {
        (Some(beside), _) => {
            beside.seal(&manifest(Part::Keys, key_files, &[]))?;
            main.seal(&manifest(Part::Data, files, &left_out))?;
        }
        (None, Keys::Alone) => main.seal(&manifest(Part::Keys, key_files, &[]))?,
        (None, _) => {
            files.extend(key_files);
            main.seal(&manifest(Part::Whole, files, &left_out))?;
        }
    }
    Ok(taken)
}

/// Copies the database, and reads the keys that belong to it, until both are of one state.
fn copy_consistently(
    backup: &Backup,
    main: &Place,
    beside: Option<&Place>,
    watch: Watch<'_>,
) -> Result<State, BackupError> {
    let live = connect(&backup.data.join(DATABASE))?;
    let key_place = beside.map_or(&main.directory, |place| &place.directory);
    for _ in 0..ATTEMPTS_MAX {
        let before = read_keys(&backup.data)?;
        let source = connect(&backup.data.join(DATABASE))?;
        source.execute_batch("BEGIN")?;
        let state = describe(&source, before)?;
        if backup.keys != Keys::Alone {
            let copy = main.directory.join(DATABASE);
            if !copy_database(&source, &live, &copy, watch)? {
                remove(&copy)?;
                drop(source);
                wait_for_erasure(&live, watch)?;
                continue;
            }
        }
        if backup.keys != Keys::Within {
            apart::write(&source, key_place)?;
        }
        let as_copied = erasures(&source)?;
        drop(source);
        // Wrapping keys anew replaces their files; a database from before with keys from after could not be read.
        if read_keys(&backup.data)? == state.keys && !was_erased(&as_copied, &erasures(&live)?) {
            return Ok(state);
        }
        for path in [main.directory.join(DATABASE), key_place.join(apart::DATA_KEYS)] {
            remove(&path)?;
        }
    }
    Err(BackupError::Moving)
}

fn connect(path: &Path) -> Result<Connection, BackupError> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

fn remove(path: &Path) -> Result<(), BackupError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(failed("remove", path)),
    }
}

fn describe(source: &Connection, keys: BTreeMap<String, Vec<u8>>) -> Result<State, BackupError> {
    let store: Vec<u8> = source.query_row("SELECT id FROM store", [], |row| row.get(0))?;
    let schema = source.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let mut ends = source.prepare(
        "SELECT uid, ifnull(seq, 0), hash FROM subject LEFT JOIN entry ON entry.subject = subject.subject
            AND seq = (SELECT max(seq) FROM entry AS last WHERE last.subject = subject.subject)
         ORDER BY subject.subject",
    )?;
    let ends = ends.query_map([], |row| {
        let chain: Option<Vec<u8>> = row.get(2)?;
        Ok(LogEnd {
            subject: hexadecimal(&row.get::<_, Vec<u8>>(0)?),
            watermark: row.get::<_, i64>(1)?.unsigned_abs(),
            chain: hexadecimal(&chain.unwrap_or_default()),
        })
    })?;
    let subjects = ends.collect::<rusqlite::Result<_>>()?;
    Ok(State { keys, store: hexadecimal(&store), schema, subjects })
}

/// Copies what the transaction of `source` sees; `false` when it was given up for an erasure that began meanwhile.
fn copy_database(
    source: &Connection,
    live: &Connection,
    to: &Path,
    watch: Watch<'_>,
) -> Result<bool, BackupError> {
    drop(place::create(to)?);
    let was_scrubbing = is_scrubbing(source)?;
    let mut target = Connection::open(to)?;
    // Made durable once, below.
    target.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;")?;
    let page_bytes: u32 = source.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let page_bytes = u64::from(page_bytes);
    {
        let copying = Copying::new(source, &mut target)?;
        loop {
            let step = copying.step(PAGES_PER_STEP)?;
            let pages = copying.progress();
            let (total, left) = (pages.pagecount.max(0) as u64, pages.remaining.max(0) as u64);
            let done = Progress { done: total.saturating_sub(left) * page_bytes, total: total * page_bytes };
            if watch(done).is_break() {
                return Err(BackupError::Interrupted);
            }
            match step {
                StepResult::Done => break,
                // Its cleaning waits until nobody reads what was forgotten.
                _ if !was_scrubbing && is_scrubbing(live)? => return Ok(false),
                StepResult::More => {}
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
    close_as_one_file(target, to)?;
    Ok(true)
}

/// Puts everything into the one file, durably, so that the copy can be moved as such.
fn close_as_one_file(copy: Connection, to: &Path) -> Result<(), BackupError> {
    // Where that fails SQLite says so in its answer alone.
    let mode = copy.pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0))?;
    copy.close().map_err(|(_, error)| error)?;
    let is_one_file = ["-wal", "-journal"].iter().all(|ending| {
        let mut beside = to.as_os_str().to_owned();
        beside.push(ending);
        !Path::new(&beside).exists()
    });
    if mode != "delete" || !is_one_file {
        let error = std::io::Error::other("its write-ahead log cannot be put into it");
        return Err(failed("write", to)(error));
    }
    place::sync(to)
}

fn is_scrubbing(connection: &Connection) -> Result<bool, BackupError> {
    Ok(connection.query_row("SELECT scrub FROM store", [], |row| row.get(0))?)
}

/// Waits until an erasure has cleaned up behind itself.
fn wait_for_erasure(live: &Connection, watch: Watch<'_>) -> Result<(), BackupError> {
    const STEP_MS: u64 = 20;
    for _ in 0..ERASURE_MS_MAX / STEP_MS {
        if !is_scrubbing(live)? {
            break;
        }
        if watch(Progress { done: 0, total: 0 }) == ControlFlow::Break(()) {
            return Err(BackupError::Interrupted);
        }
        std::thread::sleep(Duration::from_millis(STEP_MS));
    }
    Ok(())
}

/// The last erasure of each subject.
fn erasures(connection: &Connection) -> Result<BTreeMap<Vec<u8>, i64>, BackupError> {
    let mut select = connection.prepare("SELECT uid, rewritten FROM subject")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Whether anything of what was copied was forgotten since.
fn was_erased(copied: &BTreeMap<Vec<u8>, i64>, now: &BTreeMap<Vec<u8>, i64>) -> bool {
    copied.iter().any(|(subject, rewritten)| now.get(subject) != Some(rewritten))
}

/// Every file below `keys/`, by its path there.
fn read_keys(data: &Path) -> Result<BTreeMap<String, Vec<u8>>, BackupError> {
    let root = data.join("keys");
    let mut found = BTreeMap::new();
    for name in place::list(&root)? {
        let path = root.join(&name);
        match std::fs::read(&path) {
            Ok(bytes) => drop(found.insert(name, bytes)),
            // Replaced between listing and reading; the second look finds the difference.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("read", &path)(error)),
        }
    }
    Ok(found)
}

fn copy_plain(data: &Path, target: &Path, name: &str) -> Result<Option<FileMark>, BackupError> {
    let path = data.join(name);
    match std::fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        other => place::write(target, name, &other.map_err(failed("read", &path))?).map(Some),
    }
}

/// Copies the telemetry. One that is damaged is made anew by whoever uses it next, so it stops no copy; nor does one that a process
/// ended in the middle of, which is taken back first, as by whoever uses it next, and left out where the directory may not be written.
fn copy_telemetry(
    data: &Path,
    target: &Path,
    left_out: &mut Vec<String>,
) -> Result<Option<FileMark>, BackupError> {
    let name = SqliteTelemetry::DATABASE;
    if !data.join(name).is_file() {
        return Ok(None);
    }
    let to = target.join(name);
    let copy = || -> Result<(), BackupError> {
        let source = Connection::open_with_flags(data.join(name), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        source.busy_timeout(PATIENCE)?;
        drop(place::create(&to)?);
        let mut copy = Connection::open(&to)?;
        Copying::new(&source, &mut copy)?.run_to_completion(1_000, Duration::from_millis(1), None)?;
        close_as_one_file(copy, &to)
    };
    match copy() {
        Ok(()) => place::mark(target, name).map(Some),
        Err(BackupError::Database(error))
            if matches!(
                error.sqlite_error_code(),
                Some(
                    rusqlite::ErrorCode::DatabaseCorrupt
                        | rusqlite::ErrorCode::NotADatabase
                        | rusqlite::ErrorCode::ReadOnly
                )
            ) =>
        {
            remove(&to)?;
            left_out.push(name.to_owned());
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The names in the data directory that are not copied: what is derived, what an upgrade kept, what is not ours.
fn what_is_left(data: &Path) -> Result<Vec<String>, BackupError> {
    let copied = |name: &str| {
        let database =
            |file: &str| name.strip_prefix(file).is_some_and(|ending| matches!(ending, "" | "-wal" | "-shm"));
        name == "keys" || PLAIN.contains(&name) || database(DATABASE) || database(SqliteTelemetry::DATABASE)
    };
    let listing = std::fs::read_dir(data).map_err(failed("read", data))?;
    let mut names = Vec::new();
    for item in listing {
        let name = item.map_err(failed("read", data))?.file_name().to_string_lossy().into_owned();
        if !copied(&name) && !name.starts_with(".probe.") {
            names.push(name);
        }
    }
    Ok(names)
}
