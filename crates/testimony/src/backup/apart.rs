//! Keys kept apart: the wrapped data keys as a file of their own, and how they are joined with a copy of the data again.
//!
//! A key that is destroyed after the data was copied is missing from every later copy of the keys. Joining brings the two
//! to the state of the keys: what was forgotten whole since stays sealed for good, and is counted; the others are read by
//! the keys as they were wrapped last.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::manifest::Manifest;
use super::{BackupError, place};

/// The file of the wrapped data keys, in a copy of keys.
pub(super) const DATA_KEYS: &str = "data-keys.db";

const TABLES: &str = "
    PRAGMA synchronous = FULL;
    CREATE TABLE store (id BLOB NOT NULL, secret BLOB NOT NULL, last_subject INTEGER NOT NULL) STRICT;
    CREATE TABLE key_group (key_group INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE data_key (
        uid BLOB NOT NULL,
        source_seq INTEGER NOT NULL,
        source_ordinal INTEGER NOT NULL,
        key_group INTEGER NOT NULL,
        wrapped BLOB NOT NULL,
        PRIMARY KEY (uid, source_seq, source_ordinal)
    ) STRICT, WITHOUT ROWID;";

/// What of the data has no key any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Joined {
    /// Subjects without a key of their own: they were forgotten whole after the data was copied.
    pub subjects: u64,
    /// Sources of other subjects whose keys were destroyed since. Those subjects cannot be read from this data.
    pub sources: u64,
}

/// Writes the wrapped data keys that `source`, a reading transaction, sees.
pub(super) fn write(source: &Connection, directory: &Path) -> Result<(), BackupError> {
    let path = directory.join(DATA_KEYS);
    drop(place::create(&path)?);
    let mut target = Connection::open(&path)?;
    target.execute_batch(TABLES)?;
    let transaction = target.transaction()?;
    let about = source.query_row(
        "SELECT id, secret, (SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'subject') FROM store",
        [],
        |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, i64>(2)?)),
    )?;
    transaction.execute("INSERT INTO store VALUES (?, ?, ?)", about)?;
    {
        let mut groups = source.prepare("SELECT key_group FROM key_group")?;
        let mut rows = groups.query([])?;
        while let Some(row) = rows.next()? {
            transaction.execute("INSERT INTO key_group VALUES (?)", [row.get::<_, i64>(0)?])?;
        }
        let mut keys = source.prepare(
            "SELECT uid, source_seq, source_ordinal, key_group, wrapped FROM data_key
             JOIN subject ON subject.subject = data_key.subject",
        )?;
        let mut insert = transaction.prepare("INSERT INTO data_key VALUES (?, ?, ?, ?, ?)")?;
        let mut rows = keys.query([])?;
        while let Some(row) = rows.next()? {
            insert.execute(params![
                row.get::<_, Vec<u8>>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, i64>(3)?,
                row.get::<_, Vec<u8>>(4)?,
            ])?;
        }
    }
    transaction.commit()?;
    target.close().map_err(|(_, error)| error)?;
    place::sync(&path)
}

/// Whether `keys` were copied before `data`, so that what is younger would be taken for forgotten.
pub(super) fn are_older(data: &Manifest, keys: &Manifest) -> bool {
    let known: BTreeMap<&str, u64> =
        keys.subjects.iter().map(|end| (end.subject.as_str(), end.watermark)).collect();
    data.subjects.iter().any(|end| known.get(end.subject.as_str()).is_some_and(|then| *then < end.watermark))
}

/// Gives the restored database at `ledger` the keys of the copy in `keys`. `None` when those know less than the data.
pub(super) fn join(ledger: &Path, keys: &Path) -> Result<Option<Joined>, BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(ledger, flags)?;
    // The keys are taken out before others take their place.
    connection.execute_batch("PRAGMA foreign_keys = OFF")?;
    connection.execute("ATTACH ? AS apart", [keys.join(DATA_KEYS).to_string_lossy()])?;
    let transaction = connection.transaction()?;
    let is_same: bool = transaction.query_row(
        "SELECT (SELECT id FROM main.store) IS (SELECT id FROM apart.store)",
        [],
        |row| row.get(0),
    )?;
    if !is_same {
        return Err(BackupError::OtherStore(keys.to_owned()));
    }
    let younger: i64 = transaction.query_row(
        "SELECT count(*) FROM subject WHERE subject > (SELECT last_subject FROM apart.store) AND NOT EXISTS
            (SELECT 1 FROM apart.data_key AS kept WHERE kept.uid = subject.uid AND source_seq = 0 AND source_ordinal = 0)",
        [],
        |row| row.get(0),
    )?;
    if younger > 0 {
        return Ok(None);
    }
    transaction.execute_batch(
        "UPDATE store SET secret = (SELECT secret FROM apart.store);
         DELETE FROM data_key;
         DELETE FROM key_group;
         INSERT INTO key_group (key_group, keys) SELECT key_group, 0 FROM apart.key_group;
         INSERT INTO data_key (subject, source_seq, source_ordinal, key_group, wrapped)
            SELECT subject, source_seq, source_ordinal, key_group, wrapped FROM apart.data_key AS kept
            JOIN subject ON subject.uid = kept.uid
            WHERE (source_seq = 0 AND source_ordinal = 0) OR EXISTS (SELECT 1 FROM source
                WHERE source.subject = subject.subject AND seq = source_seq AND ordinal = source_ordinal);
         UPDATE key_group SET keys =
            (SELECT count(*) FROM data_key WHERE data_key.key_group = key_group.key_group);",
    )?;
    let joined = transaction.query_row(
        "WITH keyless (subject) AS (SELECT subject FROM subject WHERE NOT EXISTS (SELECT 1 FROM data_key
            WHERE data_key.subject = subject.subject AND source_seq = 0 AND source_ordinal = 0))
         SELECT (SELECT count(*) FROM keyless),
            (SELECT count(*) FROM source WHERE subject NOT IN (SELECT subject FROM keyless) AND NOT EXISTS
                (SELECT 1 FROM data_key WHERE data_key.subject = source.subject
                    AND source_seq = seq AND source_ordinal = ordinal))",
        [],
        |row| Ok(Joined { subjects: counted(row, 0)?, sources: counted(row, 1)? }),
    )?;
    transaction.commit()?;
    connection.execute_batch("DETACH apart")?;
    connection.close().map_err(|(_, error)| error)?;
    place::sync(ledger)?;
    Ok(Some(joined))
}

fn counted(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}
