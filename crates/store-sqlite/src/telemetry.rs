//! Telemetry on a file of its own: `<data>/telemetry.db`, and the kill switch beside it, `<data>/shadow.off`.
//!
//! The ledger's file is never touched from here. A file that is damaged is made anew, because nothing in it is worth a
//! repair; a full disk, a lock, a file that may not be written are errors the caller counts and forgets. The file is made
//! by the first comparison, not by opening.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ledger::shadow::{Comparison, DURATION_BUCKETS, Day, Event, PolicyName, Rollup, Tally, duration_bucket};
use ledger::store::{StoreError, StoreErrorKind};
use ledger::telemetry::{ROLLUP_DAYS, ROW_DAYS, ROWS_MAX, Telemetry};
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, Row, params};

use crate::connection::{self, Access, sibling, with_patience};
use crate::failpoint::{self, Failpoint};
use crate::{Synchronous, error, files};

/// The tables, as numbered steps: step `n` leads from version `n` to `n + 1`.
const STEPS: [&str; 2] = [include_str!("telemetry.sql"), include_str!("telemetry-2.sql")];

/// The version this program writes.
const VERSION: u32 = STEPS.len() as u32;

/// `TesT`, so that a file of another program, the ledger among them, is told apart.
const APPLICATION: i32 = 0x5465_7354;

/// How long a statement waits for another process, in milliseconds.
const PATIENCE_MS: u64 = 250;

/// Telemetry in a data directory. Several processes may have the same one open.
pub struct SqliteTelemetry {
    directory: PathBuf,
    path: PathBuf,
    switch: PathBuf,
    opened: Mutex<Option<Opened>>,
}

struct Opened {
    connection: Connection,
    /// Which file it is: another may have been put in its place since.
    file: (u64, u64),
}

impl SqliteTelemetry {
    /// The name of the database inside a data directory.
    pub const DATABASE: &str = "telemetry.db";

    /// The name of the kill switch: while a file of this name is there, nothing is tried.
    pub const SWITCH: &str = "shadow.off";

    /// The telemetry of the data directory `directory`. Nothing is opened or made yet.
    #[must_use]
    pub fn at(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            path: directory.join(Self::DATABASE),
            switch: directory.join(Self::SWITCH),
            opened: Mutex::new(None),
        }
    }

    /// Runs `work` on the database, which is made when it is not there, and made anew when it is damaged.
    fn write<T>(
        &self,
        doing: &str,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let mut opened = self.opened.lock();
        let once = |opened: &mut Option<Opened>,
                    work: &mut dyn FnMut(&mut Connection) -> rusqlite::Result<T>| {
            if !self.path.exists() {
                files::create_empty(&self.path)?;
            }
            self.attempt(opened, doing, work)
        };
        with_patience(PATIENCE_MS, || match once(&mut opened, &mut work) {
            Err(damaged) if damaged.kind() == StoreErrorKind::Damaged => {
                self.remove()?;
                once(&mut opened, &mut work)
            }
            answer => answer,
        })
    }

    /// Runs `work` on the database; `None` where there is none.
    fn read<T>(&self, work: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<Option<T>, StoreError> {
        if !self.path.exists() {
            return Ok(None);
        }
        let mut opened = self.opened.lock();
        with_patience(PATIENCE_MS, || self.attempt(&mut opened, "read", &mut |connection| work(connection)))
            .map(Some)
    }

    fn attempt<T>(
        &self,
        opened: &mut Option<Opened>,
        doing: &str,
        work: &mut dyn FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let file = identity(&self.path).map_err(|error| error::file(error, &self.path, "open"))?;
        if opened.as_ref().is_some_and(|opened| opened.file != file) {
            *opened = None;
        }
        if opened.is_none() {
            *opened = Some(Opened { connection: self.open()?, file });
        }
        let Some(Opened { connection, .. }) = opened else { return Err(told(StoreErrorKind::Io, doing)) };
        work(connection).map_err(|failed| {
            let kind = kind_of(&failed);
            // Whatever state the connection is in, the next call begins with a fresh one.
            *opened = None;
            told(kind, doing).caused_by(failed)
        })
    }

    fn open(&self) -> Result<Connection, StoreError> {
        let doing = "open";
        let failed = |failed: rusqlite::Error| told(kind_of(&failed), doing).caused_by(failed);
        let access = Access { path: self.path.clone(), read_only: false, synchronous: Synchronous::Full };
        let mut connection = connection::open(&access, true)?;
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -512;",
            )
            .map_err(failed)?;
        let number = |name: &str| {
            connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(failed)
        };
        let (version, application) = (number("user_version")?, number("application_id")?);
        if version > i64::from(VERSION) {
            return Err(told(StoreErrorKind::Newer, doing));
        }
        if application != 0 && application != i64::from(APPLICATION) {
            // Somebody else's file is not ours to make anew.
            return Err(told(StoreErrorKind::Permission, doing));
        }
        if version < i64::from(VERSION) {
            let made = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate);
            let make = |transaction: rusqlite::Transaction<'_>| {
                // Another process may have made the tables meanwhile.
                let version: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
                for step in STEPS.iter().skip(version as usize) {
                    transaction.execute_batch(step)?;
                }
                if version < VERSION {
                    transaction.pragma_update(None, "user_version", VERSION)?;
                    transaction.pragma_update(None, "application_id", APPLICATION)?;
                }
                transaction.commit()
            };
            made.and_then(make).map_err(failed)?;
        }
        for ending in ["", "-wal", "-shm"] {
            files::own_file(&sibling(&self.path, ending))?;
        }
        Ok(connection)
    }

    /// Removes the database, its log first, so that no old log is taken for the new file's.
    fn remove(&self) -> Result<(), StoreError> {
        for ending in ["-wal", "-shm", "-journal", ""] {
            let path = sibling(&self.path, ending);
            match files::remove(&path) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                other => other.map_err(|error| error::file(error, &path, "remove"))?,
            }
        }
        Ok(())
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}

/// Whose turn it is after `failed`; a table that is missing is damage here.
fn kind_of(failed: &rusqlite::Error) -> StoreErrorKind {
    match failed.sqlite_error_code() {
        Some(ErrorCode::Unknown) => StoreErrorKind::Damaged,
        _ => error::kind_of(failed),
    }
}

fn told(kind: StoreErrorKind, doing: &str) -> StoreError {
    let what = match kind {
        StoreErrorKind::Busy => "is held by another process; try again",
        StoreErrorKind::Full => "has no room on the disk; make room",
        StoreErrorKind::Newer => "was written by a newer version; upgrade this program",
        StoreErrorKind::Damaged => "is damaged; the next comparison makes it anew",
        StoreErrorKind::Permission => "may not be used; look at its mode and whose it is",
        _ => "cannot be used",
    };
    StoreError::new(kind, format!("cannot {doing} telemetry: `{}` {what}", SqliteTelemetry::DATABASE))
}

impl Telemetry for SqliteTelemetry {
    fn record_shadow(&self, day: Day, comparison: &Comparison, tally: &Tally) -> Result<(), StoreError> {
        self.write("record", |connection| {
            let transaction =
                connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            insert(&transaction, day, comparison)?;
            let mut count = transaction.prepare_cached(
                "INSERT INTO shadow_tally VALUES (?, ?, ?)
                 ON CONFLICT DO UPDATE SET times = times + excluded.times",
            )?;
            for (place, event) in Event::ALL.iter().enumerate().filter(|(_, event)| tally.of(**event) > 0) {
                count.execute(params![day.0, place as i64, signed(tally.of(*event))])?;
            }
            drop(count);
            failpoint::pass(Failpoint::Telemetry);
            transaction.commit()
        })
    }

    fn expire_shadow(&self, today: Day) -> Result<u64, StoreError> {
        if !self.path.exists() {
            return Ok(0);
        }
        self.write("expire", |connection| {
            let transaction =
                connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let gone =
                transaction.execute("DELETE FROM shadow_row WHERE day < ?", [today.before(ROW_DAYS).0])?;
            for statement in [
                "DELETE FROM shadow_rollup WHERE day < ?",
                "DELETE FROM shadow_duration WHERE day < ?",
                "DELETE FROM shadow_tally WHERE day < ?",
            ] {
                transaction.execute(statement, [today.before(ROLLUP_DAYS).0])?;
            }
            transaction.commit()?;
            Ok(gone as u64)
        })
    }

    fn shadow_rows(&self, limit: usize) -> Result<Vec<(Day, Comparison)>, StoreError> {
        let rows = self.read(|connection| {
            let mut select =
                connection.prepare_cached("SELECT * FROM shadow_row ORDER BY row DESC LIMIT ?")?;
            let rows = select.query_map([limit.min(ROWS_MAX) as i64], comparison)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.unwrap_or_default())
    }

    fn shadow_row_count(&self) -> Result<u64, StoreError> {
        let count = self.read(|connection| {
            connection.query_row("SELECT count(*) FROM shadow_row", [], |row| row.get::<_, i64>(0))
        })?;
        Ok(unsigned(count.unwrap_or(0)))
    }

    fn shadow_rollups(&self) -> Result<Vec<Rollup>, StoreError> {
        let rollups = self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT * FROM shadow_rollup ORDER BY day, standing, candidate")?;
            let mut all = select.query_map([], rollup)?.collect::<rusqlite::Result<Vec<_>>>()?;
            let mut select = connection.prepare_cached(
                "SELECT bucket, compared FROM shadow_duration WHERE standing = ? AND candidate = ? AND day = ?",
            )?;
            for one in &mut all {
                let key = params![one.standing.0, one.candidate.0, one.day.0];
                let buckets = select.query_map(key, |row| Ok((row.get::<_, u32>(0)?, row.get(1).map(unsigned)?)))?;
                for bucket in buckets {
                    let (bucket, compared) = bucket?;
                    one.durations[(bucket as usize).min(DURATION_BUCKETS - 1)] += compared;
                }
            }
            Ok(all)
        })?;
        Ok(rollups.unwrap_or_default())
    }

    fn shadow_tallies(&self) -> Result<Vec<(Day, Tally)>, StoreError> {
        let tallies = self.read(|connection| {
            let mut select = connection
                .prepare_cached("SELECT day, event, times FROM shadow_tally ORDER BY day, event")?;
            let mut tallies: Vec<(Day, Tally)> = Vec::new();
            let rows = select.query_map([], |row| {
                Ok((Day(row.get(0)?), row.get::<_, u32>(1)? as usize, row.get(2).map(unsigned)?))
            })?;
            for row in rows {
                let (day, place, times) = row?;
                if tallies.last().is_none_or(|(last, _)| *last != day) {
                    tallies.push((day, Tally::default()));
                }
                // A newer program's event has no name here.
                if let (Some((_, tally)), Some(event)) = (tallies.last_mut(), Event::ALL.get(place)) {
                    tally.add(*event, times);
                }
            }
            Ok(tallies)
        })?;
        Ok(tallies.unwrap_or_default())
    }

    fn record_limits(&self, day: Day, hits: &[(u32, u64)]) -> Result<(), StoreError> {
        self.write("record", |connection| {
            let transaction = connection.transaction()?;
            {
                let mut add = transaction.prepare_cached(
                    "INSERT INTO limit_hit VALUES (?, ?, ?)
                     ON CONFLICT DO UPDATE SET times = times + excluded.times",
                )?;
                for (limit, times) in hits {
                    add.execute(params![day.0, limit, signed(*times)])?;
                }
            }
            transaction.execute("DELETE FROM limit_hit WHERE day < ?", [day.before(ROLLUP_DAYS).0])?;
            transaction.commit()
        })
    }

    fn limit_hits(&self) -> Result<Vec<(Day, u32, u64)>, StoreError> {
        let hits = self.read(|connection| {
            let mut select =
                connection.prepare_cached("SELECT day, number, times FROM limit_hit ORDER BY day, number")?;
            let rows =
                select.query_map([], |row| Ok((Day(row.get(0)?), row.get(1)?, row.get(2).map(unsigned)?)))?;
            rows.collect()
        })?;
        Ok(hits.unwrap_or_default())
    }

    fn shadow_is_off(&self) -> bool {
        // One look at a directory entry; whatever else is wrong with it, off is the safe answer.
        !matches!(fs::symlink_metadata(&self.switch), Err(missing) if missing.kind() == io::ErrorKind::NotFound)
    }

    fn switch_shadow(&self, on: bool) -> Result<(), StoreError> {
        if on {
            match files::remove(&self.switch) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => return Ok(()),
                other => other.map_err(|error| error::file(error, &self.switch, "remove"))?,
            }
        } else {
            if !self.directory.is_dir() {
                files::own_directory(&self.directory)?;
            }
            files::create_empty(&self.switch)?;
        }
        files::sync_directory(&self.directory)
    }
}

fn insert(connection: &Connection, day: Day, one: &Comparison) -> rusqlite::Result<()> {
    let values = params![
        day.0,
        one.standing.0,
        one.candidate.0,
        one.considered,
        one.selected_standing,
        one.selected_candidate,
        one.overlap,
        one.added,
        one.removed,
        one.tokens_difference,
        one.disputes_added,
        one.disputes_removed,
        one.duration_micros,
    ];
    connection
        .prepare_cached("INSERT INTO shadow_row VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
        .execute(values)?;
    connection
        .prepare_cached("DELETE FROM shadow_row WHERE row <= (SELECT max(row) FROM shadow_row) - ?")?
        .execute([ROWS_MAX as i64])?;
    connection
        .prepare_cached(
            "INSERT INTO shadow_rollup
                 (day, standing, candidate, considered, selected_standing, selected_candidate, overlap, added, removed,
                  tokens_difference, disputes_added, disputes_removed, duration_micros, compared, changed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 1, ?8 > 0 OR ?9 > 0)
             ON CONFLICT DO UPDATE SET
                 compared = compared + 1, changed = changed + excluded.changed,
                 considered = considered + excluded.considered,
                 selected_standing = selected_standing + excluded.selected_standing,
                 selected_candidate = selected_candidate + excluded.selected_candidate,
                 overlap = overlap + excluded.overlap, added = added + excluded.added,
                 removed = removed + excluded.removed,
                 tokens_difference = tokens_difference + excluded.tokens_difference,
                 disputes_added = disputes_added + excluded.disputes_added,
                 disputes_removed = disputes_removed + excluded.disputes_removed,
                 duration_micros = duration_micros + excluded.duration_micros",
        )?
        .execute(values)?;
    let bucket = duration_bucket(one.duration_micros) as i64;
    connection
        .prepare_cached(
            "INSERT INTO shadow_duration VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET compared = compared + 1",
        )?
        .execute(params![one.standing.0, one.candidate.0, day.0, bucket])?;
    Ok(())
}

fn comparison(row: &Row<'_>) -> rusqlite::Result<(Day, Comparison)> {
    let comparison = Comparison {
        standing: PolicyName(row.get("standing")?),
        candidate: PolicyName(row.get("candidate")?),
        considered: row.get("considered")?,
        selected_standing: row.get("selected_standing")?,
        selected_candidate: row.get("selected_candidate")?,
        overlap: row.get("overlap")?,
        added: row.get("added")?,
        removed: row.get("removed")?,
        tokens_difference: row.get("tokens_difference")?,
        disputes_added: row.get("disputes_added")?,
        disputes_removed: row.get("disputes_removed")?,
        duration_micros: row.get("duration_micros")?,
    };
    Ok((Day(row.get("day")?), comparison))
}

fn rollup(row: &Row<'_>) -> rusqlite::Result<Rollup> {
    let (standing, candidate) = (PolicyName(row.get("standing")?), PolicyName(row.get("candidate")?));
    let number = |name: &str| row.get(name).map(unsigned);
    Ok(Rollup {
        compared: number("compared")?,
        changed: number("changed")?,
        considered: number("considered")?,
        selected_standing: number("selected_standing")?,
        selected_candidate: number("selected_candidate")?,
        overlap: number("overlap")?,
        added: number("added")?,
        removed: number("removed")?,
        tokens_difference: row.get("tokens_difference")?,
        disputes_added: number("disputes_added")?,
        disputes_removed: number("disputes_removed")?,
        duration_micros: number("duration_micros")?,
        ..Rollup::new(standing, candidate, Day(row.get("day")?))
    })
}

/// A count as SQLite holds it.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count as it is held in memory; none is negative.
fn unsigned(count: i64) -> u64 {
    count.max(0) as u64
}
