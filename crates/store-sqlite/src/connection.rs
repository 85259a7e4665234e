//! Connections: how every one of them is set up, and the pool of those that read.

use std::cell::Cell;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ledger::store::{StoreError, StoreErrorKind};
use parking_lot::{Condvar, Mutex};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::{Synchronous, error};

/// The oldest SQLite without the race that damages a write-ahead log two connections reset at once.
const OLDEST_SQLITE: i32 = 3_051_003;

/// The longest a read may hold its snapshot. A stale reader keeps forgotten bytes in the write-ahead log.
pub(crate) const READ_MS_MAX: u64 = 2_000;

/// How often a read that did not end in time is begun anew, each time with twice the time: on a machine that is starved, the
/// smallest piece may take longer.
const PROLONGED_MAX: u32 = 3;

/// How long a connection waits for another process's lock before it says so.
const BUSY_MS_MAX: u64 = 30_000;

/// How the database file is opened.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) path: PathBuf,
    /// The directory cannot be written.
    pub(crate) read_only: bool,
    pub(crate) synchronous: Synchronous,
}

/// Milliseconds since the first call; a clock for deadlines only.
#[allow(clippy::disallowed_methods, reason = "deadlines of locks and reads; no stored value depends on it")]
pub(crate) fn clock_ms() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_millis() as u64
}

/// Refuses to run on a SQLite that is too old.
pub(crate) fn assert_version() -> Result<(), StoreError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        let message = format!("SQLite `{}` is too old; 3.51.3 or newer is needed", rusqlite::version());
        return Err(StoreError::new(StoreErrorKind::Io, message));
    }
    Ok(())
}

thread_local! {
    /// How long this thread's statements wait for a lock.
    static PATIENCE_MS: Cell<u64> = const { Cell::new(BUSY_MS_MAX) };
}

/// Runs `work` with statements that give up on a lock after `patience_ms`.
pub(crate) fn with_patience<T>(patience_ms: u64, work: impl FnOnce() -> T) -> T {
    let before = PATIENCE_MS.replace(patience_ms);
    let done = work();
    PATIENCE_MS.set(before);
    done
}

/// Waits for a lock in short steps, so that many processes take turns, and gives up when patience is over.
fn wait_for_lock() -> impl FnMut(i32) -> bool + Send + 'static {
    let mut since = 0;
    move |tries| {
        let now = clock_ms();
        if tries == 0 {
            since = now;
        }
        std::thread::sleep(Duration::from_micros(500 + 250 * tries.clamp(0, 20) as u64));
        now.saturating_sub(since) < PATIENCE_MS.get()
    }
}

/// Opens one connection, with every setting the store relies on.
pub(crate) fn open(access: &Access, writes: bool) -> Result<Connection, StoreError> {
    let doing = "open the store";
    let failed = |error| error::with_reason(error::sqlite(error, doing), &access.path);
    let mut connection = connect(access).map_err(failed)?;
    let set_up = |connection: &mut Connection| -> rusqlite::Result<()> {
        connection.busy_handler(Some(wait_for_lock()))?;
        connection.set_prepared_statement_cache_capacity(96);
        // A plan made once serves every value; otherwise looking a message up by a partial index prepares anew each time.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.execute_batch(
            "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;
             PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON;",
        )?;
        match access.synchronous {
            Synchronous::Full => connection.execute_batch("PRAGMA synchronous = FULL;"),
            Synchronous::Normal => connection.execute_batch("PRAGMA synchronous = NORMAL;"),
            Synchronous::Off => connection.execute_batch("PRAGMA synchronous = OFF;"),
        }?;
        match writes {
            // Up to nine connections hold on to theirs; pages beyond that are read again, mostly from the system's cache.
            true => connection.execute_batch("PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 2000;"),
            false => connection.execute_batch("PRAGMA cache_size = -4096; PRAGMA query_only = ON;"),
        }
    };
    set_up(&mut connection).map_err(failed)?;
    Ok(connection)
}

/// How the file is written, as the file itself says.
pub(crate) fn journal_mode(connection: &Connection) -> rusqlite::Result<String> {
    // Only a read looks at the file.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    connection.pragma_query_value(None, "journal_mode", |row| row.get(0))
}

fn connect(access: &Access) -> rusqlite::Result<Connection> {
    let shared = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
    if !access.read_only {
        return Connection::open_with_flags(&access.path, shared | OpenFlags::SQLITE_OPEN_READ_WRITE);
    }
    // Without a log beside it the file is whole, and saying that it cannot change spares SQLite the files it may not
    // create.
    let log = sibling(&access.path, "-wal");
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        return Connection::open_with_flags(&access.path, shared | OpenFlags::SQLITE_OPEN_READ_ONLY);
    }
    let mut uri = String::from("file:");
    for byte in access.path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte))
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = shared | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(uri, flags)
}

/// The file SQLite keeps beside `path` under this ending.
pub(crate) fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    PathBuf::from(name)
}

/// The pool of connections that read. Each read is one short transaction on one snapshot.
pub(crate) struct Readers {
    access: Access,
    pool: Mutex<Pool>,
    returned: Condvar,
    connections_max: usize,
}

struct Pool {
    idle: Vec<Reader>,
    open: usize,
}

struct Reader {
    connection: Connection,
    /// What the files looked like before it was opened, where it was told that they cannot change: somebody who may write
    /// them can change them all the same.
    seen: Option<Looks>,
    /// When the running read must be over, on [`clock_ms`].
    until: Arc<AtomicU64>,
}

impl Readers {
    pub(crate) fn new(access: Access, connections_max: usize) -> Self {
        let pool = Mutex::new(Pool { idle: Vec::new(), open: 0 });
        Self { access, pool, returned: Condvar::new(), connections_max: connections_max.max(1) }
    }

    /// Runs `work` on one snapshot. Its statements are interrupted once it is older than [`READ_MS_MAX`], and then it is run
    /// anew on a fresh one with more time.
    pub(crate) fn read<T>(
        &self,
        mut work: impl FnMut(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut reader = self.take()?;
        // A key's file may be replaced between the look at the database and the look at the file: look again.
        let (mut attempts, mut prolonged) = (0, 0);
        let answer = loop {
            attempts += 1;
            let begun = clock_ms();
            let within = READ_MS_MAX << prolonged;
            let answer = reader.one(within, &mut work);
            if attempts < 4 && reader.is_outdated(&self.access) {
                self.close(reader);
                reader = self.take()?;
                continue;
            }
            match answer {
                Err(error) if error.kind() == StoreErrorKind::Key && attempts < 4 => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error)
                    if error.kind() == StoreErrorKind::Busy
                        && clock_ms() - begun > within
                        && prolonged < PROLONGED_MAX =>
                {
                    prolonged += 1;
                }
                answer => break answer,
            }
        };
        self.give_back(reader);
        answer
    }

    fn take(&self) -> Result<Reader, StoreError> {
        let mut pool = self.pool.lock();
        loop {
            match pool.idle.pop() {
                Some(outdated) if outdated.is_outdated(&self.access) => {
                    pool.open -= 1;
                    continue;
                }
                Some(reader) => return Ok(reader),
                None => {}
            }
            if pool.open < self.connections_max {
                pool.open += 1;
                break;
            }
            self.returned.wait(&mut pool);
        }
        drop(pool);
        let opened = Reader::open(&self.access);
        if opened.is_err() {
            self.pool.lock().open -= 1;
            self.returned.notify_one();
        }
        opened
    }

    fn close(&self, reader: Reader) {
        drop(reader);
        self.pool.lock().open -= 1;
        self.returned.notify_one();
    }

    fn give_back(&self, reader: Reader) {
        let mut pool = self.pool.lock();
        // One that could not end its transaction would hold its snapshot for good.
        match reader.connection.is_autocommit() {
            true => pool.idle.push(reader),
            false => pool.open -= 1,
        }
        drop(pool);
        self.returned.notify_one();
    }
}

/// Which files these are and how they were last written: the database, and how long its log is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Looks {
    inode: u64,
    bytes: u64,
    written: (i64, i64),
    log_bytes: u64,
}

impl Looks {
    fn of(access: &Access) -> Option<Self> {
        let database = access.path.metadata().ok()?;
        let log_bytes = sibling(&access.path, "-wal").metadata().map_or(0, |log| log.len());
        let written = (database.mtime(), database.mtime_nsec());
        Some(Self { inode: database.ino(), bytes: database.len(), written, log_bytes })
    }
}

impl Reader {
    /// Whether it may read something else than what is in the files.
    fn is_outdated(&self, access: &Access) -> bool {
        self.seen.is_some() && self.seen != Looks::of(access)
    }

    fn open(access: &Access) -> Result<Self, StoreError> {
        let seen = Looks::of(access).filter(|looks| access.read_only && looks.log_bytes == 0);
        let mut connection = open(access, false)?;
        // The files beside the database are opened by the first read.
        journal_mode(&connection)
            .map_err(|error| error::with_reason(error::sqlite(error, "open the store"), &access.path))?;
        let until = Arc::new(AtomicU64::new(u64::MAX));
        let deadline = until.clone();
        connection
            .progress_handler(20_000, Some(move || clock_ms() > deadline.load(Ordering::Relaxed)))
            .map_err(|error| error::sqlite(error, "open the store"))?;
        Ok(Self { connection, seen, until })
    }

    fn one<T>(
        &self,
        within: u64,
        work: &mut impl FnMut(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.until.store(clock_ms() + within, Ordering::Relaxed);
        let begun = self.connection.prepare_cached("BEGIN").and_then(|mut begin| begin.execute([]));
        begun.map_err(|error| error::sqlite(error, "read"))?;
        let answer = work(&self.connection);
        self.until.store(u64::MAX, Ordering::Relaxed);
        let ended = self.connection.prepare_cached("COMMIT").and_then(|mut end| end.execute([]));
        if ended.is_err() && !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SQLite says of all of these that it cannot open the file.
    #[test]
    fn what_cannot_be_opened_is_told_with_the_systems_reason() {
        let place = tempfile::tempdir().expect("a directory");
        let told = |path: PathBuf| {
            let access = Access { path, read_only: false, synchronous: Synchronous::Full };
            let error = open(&access, true).map(drop).expect_err("there is nothing to open");
            assert_eq!(error.kind(), StoreErrorKind::Io, "{error}");
            error.to_string()
        };
        let missing = "No such file or directory (os error 2)";
        let gone = place.path().join("gone");
        assert_eq!(told(gone.join("ledger.db")), format!("cannot open `{}`: {missing}", gone.display()));
        let database = place.path().join("ledger.db");
        assert_eq!(told(database.clone()), format!("cannot open `{}`: {missing}", database.display()));
        std::os::unix::fs::symlink(&database, &database).expect("a link to itself");
        assert!(told(database).contains("symbolic links"));
    }
}
