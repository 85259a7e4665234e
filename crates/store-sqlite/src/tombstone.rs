//! Tombstones: keyed marks by which forgotten words are kept out. They hang on the mark of a subject, which outlives it.

use ledger::keys::Fingerprint;
use ledger::log::{Lift, Tombstone};
use ledger::store::StoreError;
use rusqlite::{Connection, params};

use crate::error;

/// The first version in which a tombstone knows its source.
const SOURCE_SINCE_VERSION: u32 = 3;

/// Whether anything of this subject is kept out.
pub(crate) fn any(connection: &Connection, subject: &[u8; 16]) -> Result<bool, StoreError> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM tombstone WHERE subject_mark = ?)")
        .and_then(|mut select| select.query_row([subject], |row| row.get(0)))
        .map_err(|error| error::sqlite(error, "read tombstones"))
}

/// Whether this is kept out.
pub(crate) fn is_laid(
    connection: &Connection,
    subject: &[u8; 16],
    mark: &Fingerprint,
) -> Result<bool, StoreError> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM tombstone WHERE subject_mark = ? AND mark = ?)")
        .and_then(|mut select| select.query_row(params![subject, mark.0], |row| row.get(0)))
        .map_err(|error| error::sqlite(error, "read tombstones"))
}

/// Lays tombstones; one that lies already learns its source.
pub(crate) fn lay(
    connection: &Connection,
    subject: &[u8; 16],
    tombstones: &[Tombstone],
) -> Result<(), StoreError> {
    let failed = |error| error::sqlite(error, "erase");
    let mut insert = connection
        .prepare_cached(
            "INSERT INTO tombstone (subject_mark, mark, source) VALUES (?, ?, ?)
             ON CONFLICT (subject_mark, mark) DO UPDATE SET source = excluded.source",
        )
        .map_err(failed)?;
    tombstones.iter().try_for_each(|one| {
        insert.execute(params![subject, one.mark.0, one.source.0]).map(drop).map_err(failed)
    })
}

/// The marks a lift takes away.
pub(crate) fn matching(
    connection: &Connection,
    subject: &[u8; 16],
    lift: &Lift,
) -> rusqlite::Result<Vec<Fingerprint>> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let sql = match version < SOURCE_SINCE_VERSION {
        true => "SELECT mark, NULL FROM tombstone WHERE subject_mark = ?",
        false => "SELECT mark, source FROM tombstone WHERE subject_mark = ?",
    };
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query([subject])?;
    let mut marks = Vec::new();
    while let Some(row) = rows.next()? {
        let (mark, source) = (Fingerprint(row.get(0)?), row.get::<_, Option<[u8; 16]>>(1)?.map(Fingerprint));
        if lift.lifts(&mark, source.as_ref()) {
            marks.push(mark);
        }
    }
    Ok(marks)
}

/// Lifts tombstones. Within the transaction that appends the act.
pub(crate) fn lift(connection: &Connection, subject: &[u8; 16], lift: &Lift) -> Result<(), StoreError> {
    let failed = |error| error::sqlite(error, "lift tombstones");
    let marks = matching(connection, subject, lift).map_err(failed)?;
    let mut delete = connection
        .prepare_cached("DELETE FROM tombstone WHERE subject_mark = ? AND mark = ?")
        .map_err(failed)?;
    marks.iter().try_for_each(|mark| delete.execute(params![subject, mark.0]).map(drop).map_err(failed))
}
