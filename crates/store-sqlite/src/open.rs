//! Opening a store: who may read it, which version it is, whether the keys fit; then the tables and the writer.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ledger::store::{StoreError, StoreErrorKind};
use rusqlite::Connection;
use rusqlite::backup::Backup;
use rusqlite::config::DbConfig;

use crate::chance::Chance;
use crate::connection::{self, Access, Readers, clock_ms, sibling};
use crate::erase;
use crate::failpoint::{self, Failpoint, FileStep};
use crate::held::{self, Reading};
use crate::keyring::{KeyFiles, Keyring};
use crate::seal::Seal;
use crate::subject::Cache;
use crate::vectors::VectorFile;
use crate::writer::Writer;
use crate::{Options, Shared, SqliteStore, error, files, schema, write_ahead};

impl SqliteStore {
    /// Opens the store in `dir`, which is made when it is not there. Where the directory cannot be written, the store
    /// is opened for reading and every write is refused with [`StoreErrorKind::Permission`].
    ///
    /// # Errors
    /// [`StoreErrorKind::Newer`], [`StoreErrorKind::Key`], [`StoreErrorKind::Damaged`] and
    /// [`StoreErrorKind::Permission`], each before anything in the directory is changed; [`StoreErrorKind::Busy`],
    /// [`StoreErrorKind::Full`] and [`StoreErrorKind::Io`] as they come.
    pub fn open(dir: &Path, options: Options) -> Result<Self, StoreError> {
        connection::assert_version()?;
        let path = dir.join("ledger.db");
        Self::open_database(dir, path.clone(), options).map_err(|error| error::with_reason(error, &path))
    }

    fn open_database(dir: &Path, path: PathBuf, options: Options) -> Result<Self, StoreError> {
        let there = look_at_header(&path)?;
        let unwritable = if there { unwritable(dir, &path)? } else { None };
        let read_only = unwritable.is_some();
        let access = Access { path, read_only, synchronous: options.synchronous };
        let key_files = KeyFiles::of(dir);
        let given = options.master_key.as_deref();
        let (keyring, writer) = match unwritable {
            Some(unwritable) => {
                let master = key_files.master(given, false)?;
                let connection = connection::open(&access, false)?;
                schema::check(schema::version(&connection)?)?;
                (Arc::new(unlock(&connection, key_files, given, master)?), Err(unwritable))
            }
            None => {
                prepare_files(dir, &access, &key_files, there)?;
                let master = key_files.master(given, !there)?;
                let others = held::is_in_use(&sibling(&access.path, "-shm"));
                let connection = connection::open(&access, true)?;
                let keyring =
                    Arc::new(set_up(&connection, &access, key_files, given, master, (there, others))?);
                for ending in ["", "-wal", "-shm"] {
                    files::own_file(&sibling(&access.path, ending))?;
                }
                let writer = Writer::start(access.clone(), connection, keyring.clone())?;
                (keyring, Ok(writer))
            }
        };
        let readers = Readers::new(access.clone(), options.readers_max);
        let vectors = VectorFile::new(dir, read_only, keyring.store());
        let shared =
            Shared { data: dir.to_owned(), access, keyring, readers, cache: Cache::default(), vectors };
        if writer.is_ok() {
            files::lay_ballast(&shared.ballast());
        }
        let store = Self { writer, shared: Arc::new(shared) };
        if store.writer.is_ok() {
            store.finish_scrubbing()?;
        }
        Ok(store)
    }

    /// Finishes an erasure that a crash cut off between its commit and the end of its cleaning.
    fn finish_scrubbing(&self) -> Result<(), StoreError> {
        let pending = self.shared.readers.read(|connection| {
            let scrub = connection.query_row("SELECT scrub FROM store", [], |row| row.get::<_, bool>(0));
            scrub.map_err(|error| error::sqlite(error, "open the store"))
        })?;
        if pending {
            let shared = self.shared.clone();
            self.writer()?.alone(move |hand| erase::finish_cut_off(&hand.connection, &shared))?;
        }
        Ok(())
    }
}

/// Whether there is a database with anything in it, judged by its first bytes alone, so that nothing is touched.
fn look_at_header(path: &Path) -> Result<bool, StoreError> {
    let mut header = Vec::with_capacity(PAGE_BYTES + 1);
    let opened = failpoint::file(FileStep::Read(path)).and_then(|()| Reading::of(path));
    match opened.and_then(|file| file.take(PAGE_BYTES as u64 + 1).read_to_end(&mut header)) {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other.map_err(|error| error::file(error, path, "read"))?,
    };
    if header.is_empty() {
        return Ok(false);
    }
    let number =
        |at: usize| header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    let damaged =
        || error::damaged(format!("`{}`", path.display()), "is no ledger, or its beginning is damaged");
    // The power was cut while the very first page was written; SQLite takes it back when it opens the file. Once there is a
    // ledger, what waits is never a journal of this kind.
    let is_undone = sibling(path, "-journal").metadata().is_ok_and(|journal| journal.len() > 0);
    if is_undone && !header.starts_with(b"SQLite format 3\0") {
        return Ok(false);
    }
    let log_waits = sibling(path, "-wal").metadata().is_ok_and(|log| log.len() > 0);
    // The journal that would take it back was not to last either.
    if !log_waits && is_first_page_torn(&header) {
        return Ok(false);
    }
    let (Some(version), Some(application)) = (number(60), number(68)) else { return Err(damaged()) };
    if !header.starts_with(b"SQLite format 3\0") || ![0, schema::APPLICATION as u32].contains(&application) {
        return Err(damaged());
    }
    schema::check(version)?;
    // Where no log waits beside it the file is whole pages; a piece of one at the end may be a table nobody reads today.
    let page_bytes = u64::from(u16::from_be_bytes([header[16], header[17]]));
    let bytes = fs::metadata(path).map_err(|error| error::file(error, path, "read"))?.len();
    if page_bytes > 1 && bytes % page_bytes != 0 && !log_waits {
        return Err(error::damaged(format!("`{}`", path.display()), "is cut short"));
    }
    Ok(true)
}

/// The page that a new database gets, in bytes.
const PAGE_BYTES: usize = 4096;

/// Whether these are pieces of the page that SQLite begins a database with, before there is a table: all or none of its first
/// bytes, zeros behind them, and no second page. A ledger's first page says what tables it has.
fn is_first_page_torn(bytes: &[u8]) -> bool {
    /// The database's head, and the head of a page with nothing on it.
    const HEAD_BYTES: usize = 108;
    let (head, rest) = bytes.split_at(bytes.len().min(HEAD_BYTES));
    let application = head.get(68..72);
    let begins = head.iter().all(|byte| *byte == 0)
        || head.starts_with(b"SQLite format 3\0") && application.is_some_and(|id| id == [0; 4]);
    bytes.len() <= PAGE_BYTES && begins && rest.iter().all(|byte| *byte == 0)
}

/// Why the database and its directory cannot be written, if they cannot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unwritable {
    /// This user may not.
    Permission,
    /// The file system is mounted for reading.
    Mount,
}

impl Unwritable {
    fn of(error: &io::Error) -> Option<Self> {
        match error.kind() {
            io::ErrorKind::PermissionDenied => Some(Self::Permission),
            io::ErrorKind::ReadOnlyFilesystem => Some(Self::Mount),
            _ => None,
        }
    }

    /// What a write is refused with.
    pub(crate) fn refusal(self, data: &Path) -> StoreError {
        let data = data.display();
        let (kind, message) = match self {
            Self::Permission => (
                io::ErrorKind::PermissionDenied,
                format!(
                    "`{data}` cannot be written by this user, so it can only be read; run `chmod u+rwX -R '{data}'`"
                ),
            ),
            Self::Mount => (
                io::ErrorKind::ReadOnlyFilesystem,
                format!(
                    "`{data}` is mounted for reading, so it can only be read; mount it for writing and open it again"
                ),
            ),
        };
        StoreError::new(StoreErrorKind::Permission, message).caused_by(io::Error::from(kind))
    }
}

/// Whether this user may write the database and its directory, and if not, why.
fn unwritable(dir: &Path, path: &Path) -> Result<Option<Unwritable>, StoreError> {
    // Not by opening it: see `held`.
    if let Err(error) = rustix::fs::access(path, rustix::fs::Access::WRITE_OK).map_err(io::Error::from) {
        return match Unwritable::of(&error) {
            Some(unwritable) => Ok(Some(unwritable)),
            None => Err(error::file(error, path, "open")),
        };
    }
    let probe = dir.join(format!(".probe.{}.{:?}", std::process::id(), std::thread::current().id()));
    match OpenOptions::new().write(true).create(true).truncate(true).open(&probe) {
        // A full disk is no reason to refuse: there may be something to forget.
        Err(refused) => Ok(Unwritable::of(&refused)),
        Ok(_) => fs::remove_file(&probe).map(|()| None).map_err(|error| error::file(error, &probe, "remove")),
    }
}

fn prepare_files(dir: &Path, access: &Access, key_files: &KeyFiles, there: bool) -> Result<(), StoreError> {
    if !there && key_files.any_group()? {
        let path = access.path.display();
        return Err(error::damaged(
            format!("`{path}`"),
            "is missing or empty, yet keys of its sources are there",
        ));
    }
    let foreign = !there
        && !access.path.exists()
        && fs::read_dir(dir).is_ok_and(|mut listing| {
            listing.any(|item| {
                item.is_ok_and(|item| item.file_name() != "keys" && item.file_name() != "ballast")
            })
        });
    if foreign {
        // Somebody else's directory, such as a home: its mode is not ours to change.
        refuse_open_directory(dir)?;
    } else {
        files::own_directory(dir)?;
    }
    key_files.create()?;
    files::create_empty(&access.path)?;
    if !there {
        files::empty_zeros(dir, &access.path)?;
        // Also where the file is there already: whoever made it may have ended before its name was sure to last.
        files::sync_directory(dir)?;
    }
    for ending in ["-wal", "-shm"] {
        files::own_file(&sibling(&access.path, ending))?;
    }
    Ok(())
}

fn refuse_open_directory(dir: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(dir).map_err(|error| error::file(error, dir, "read"))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let dir = dir.display();
    let message = format!(
        "`{dir}` holds other files and is open to other users; choose an empty directory or run `chmod 700 '{dir}'`"
    );
    Err(StoreError::new(StoreErrorKind::Permission, message))
}

/// Makes or brings up to date the tables, and checks the keys, all or nothing.
fn set_up(
    connection: &Connection,
    access: &Access,
    key_files: KeyFiles,
    given: Option<&[u8; 32]>,
    master: Seal,
    (there, others): (bool, bool),
) -> Result<Keyring, StoreError> {
    let failed = |error| error::sqlite(error, "open the store");
    if there {
        schema::check(schema::version(connection)?)?;
    }
    use_write_ahead_log(connection)?;
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    let set_up = || -> Result<Keyring, StoreError> {
        // Others that have it open have made sure of it.
        if !others {
            make_sure_of_log(connection, access)?;
        }
        let version = schema::version(connection)?;
        schema::check(version)?;
        if (1..schema::VERSION).contains(&version) {
            keep_copy(access, version)?;
            failpoint::pass(Failpoint::MigrationCopied);
        }
        if schema::migrate(connection, version).map_err(failed)? && version == 0 {
            let mut chance = Chance::draw()?;
            let store: [u8; 16] = chance.bytes();
            let secret = chance.secret();
            let sealed = master.seal(&mut chance, &Keyring::store_place(store), secret.as_slice());
            connection
                .execute("INSERT INTO store (one, id, secret) VALUES (1, ?, ?)", (store, sealed))
                .map_err(failed)?;
        }
        let keyring = unlock(connection, key_files, given, master)?;
        let mut groups = connection.prepare("SELECT key_group FROM key_group").map_err(failed)?;
        let known = groups.query_map([], |row| row.get(0)).map_err(failed)?;
        let known: Vec<i64> = known.collect::<rusqlite::Result<_>>().map_err(failed)?;
        keyring.reconcile(&known)?;
        failpoint::pass(Failpoint::MigrationStepped);
        Ok(keyring)
    };
    match set_up() {
        Ok(keyring) => {
            connection.execute_batch("COMMIT").map_err(failed)?;
            failpoint::pass(Failpoint::Migrated);
            Ok(keyring)
        }
        Err(error) => {
            let _ = connection.execute_batch("ROLLBACK");
            Err(error)
        }
    }
}

/// Refuses a write-ahead log that is damaged in the middle, since SQLite would pass over all that comes after, and makes the
/// rest last. Called with the write lock held, so that nobody writes to it.
fn make_sure_of_log(connection: &Connection, access: &Access) -> Result<(), StoreError> {
    let log = sibling(&access.path, "-wal");
    let page_bytes: i64 = connection
        .pragma_query_value(None, "page_size", |row| row.get(0))
        .map_err(|error| error::sqlite(error, "open the store"))?;
    let damaged = failpoint::file(FileStep::Read(&log))
        .and_then(|()| write_ahead::first_damaged(&log, page_bytes.unsigned_abs() as usize));
    match damaged.map_err(|error| error::file(error, &log, "read"))? {
        None => write_ahead::write_again(&log).map_err(|error| error::file(error, &log, "write")),
        Some(frame) => {
            // Closing would write back what comes before the damage, and remove the rest.
            connection
                .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
                .map_err(|error| error::sqlite(error, "open the store"))?;
            let place = format!("`{}`", log.display());
            Err(error::damaged(
                place,
                &format!("is damaged in frame {frame}, and appends after it would be lost"),
            ))
        }
    }
}

/// Keeps the database as it is beside it, before steps are taken: whoever wants the earlier program back can have it.
///
/// Called with the write lock held, so that no append comes between the copy and the steps. The first erasure removes
/// the copy: forgotten words must be in no file.
fn keep_copy(access: &Access, version: u32) -> Result<(), StoreError> {
    let kept = files::copy_of_version(&access.path, version);
    let new = sibling(&kept, ".new");
    let failed = |error| error::sqlite(error, "copy the store before its version changes");
    files::destroy(&new)?;
    files::create_empty(&new)?;
    {
        let source = connection::open(access, false)?;
        let mut target = Connection::open(&new).map_err(failed)?;
        let pages_per_step = 4_096;
        Backup::new(&source, &mut target)
            .and_then(|copy| copy.run_to_completion(pages_per_step, Duration::ZERO, None))
            .map_err(failed)?;
        // Everything into the one file. Where that fails SQLite says so in its answer alone.
        let mode = target
            .pragma_update_and_check(None, "journal_mode", "delete", |row| row.get::<_, String>(0))
            .map_err(failed)?;
        if mode != "delete" {
            let message = "cannot copy the store before its version changes: the disk fails";
            return Err(StoreError::new(StoreErrorKind::Io, message));
        }
        target.close().map_err(|(_, error)| failed(error))?;
    }
    files::rename_whole(&new, &kept)
}

/// Several processes that make the same store wait for one another here; SQLite itself does not wait.
fn use_write_ahead_log(connection: &Connection) -> Result<(), StoreError> {
    let since = clock_ms();
    loop {
        let mode = connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
            // The answer comes before the change is on the disk; what the file then says is what counts.
            .and_then(|mode| match mode.as_str() {
                "wal" => connection::journal_mode(connection),
                _ => Ok(mode),
            });
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(_) => {
                let message = "the write-ahead log cannot be used: the disk fails, or it is no local one; choose a local directory";
                return Err(StoreError::new(StoreErrorKind::Io, message));
            }
            Err(busy) if error::kind_of(&busy) == StoreErrorKind::Busy && clock_ms() - since < 30_000 => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(other) => return Err(error::sqlite(other, "open the store")),
        }
    }
}

/// Opens the store's secret.
fn unlock(
    connection: &Connection,
    key_files: KeyFiles,
    given: Option<&[u8; 32]>,
    master: Seal,
) -> Result<Keyring, StoreError> {
    let (store, sealed): ([u8; 16], Vec<u8>) = connection
        .query_row("SELECT id, secret FROM store", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(|error| match error {
            rusqlite::Error::QueryReturnedNoRows => error::damaged("`ledger.db`", "has lost its first row"),
            other => error::sqlite(other, "open the store"),
        })?;
    Keyring::open(key_files, given, master, store, &sealed)
}
