//! What stays of subjects that were forgotten whole: a record each, numbered from 1 and chained. Keyed marks and numbers.

use ledger::id::Watermark;
use ledger::keys::Fingerprint;
use ledger::log::SubjectErasure;
use ledger::proof::ChainHash;
use ledger::receipt::{Destruction, RowCounts};
use ledger::store::StoreError;
use ledger::time::Instant;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::append::Tip;
use crate::row::signed;
use crate::{SqliteStore, error, schema};

/// The first version with a table for the records.
const SINCE_VERSION: u32 = 3;

impl SqliteStore {
    pub(crate) fn read_destructions(&self) -> Result<Vec<Destruction>, StoreError> {
        self.shared.readers.read(|connection| {
            // A store of before, opened where it cannot be written, has no such table, and so no records.
            if schema::version(connection)? < SINCE_VERSION {
                return Ok(Vec::new());
            }
            let mut select = connection
                .prepare_cached(
                    "SELECT number, subject_mark, by_mark, at, watermark, tip, sources, evidence, facts, claims, acts,
                     transitions, hash FROM destruction ORDER BY number",
                )
                .map_err(failed)?;
            let rows = select.query_map([], read);
            rows.and_then(Iterator::collect).map_err(failed)
        })
    }
}

fn failed(error: rusqlite::Error) -> StoreError {
    error::sqlite(error, "read the records of destroyed subjects")
}

fn read(row: &Row<'_>) -> rusqlite::Result<Destruction> {
    let count = |column: usize| row.get::<_, i64>(column).map(|count| count.max(0) as u64);
    Ok(Destruction {
        number: count(0)?,
        subject: Fingerprint(row.get(1)?),
        by: Fingerprint(row.get(2)?),
        at: Instant::from_micros(row.get(3)?),
        watermark: count(4)? as Watermark,
        tip: ChainHash(row.get(5)?),
        rows: RowCounts {
            sources: count(6)?,
            evidence: count(7)?,
            // A message that was cut down earlier is one of the messages here.
            reduced: 0,
            facts: count(8)?,
            claims: count(9)?,
            acts: count(10)?,
            transitions: count(11)?,
        },
        hash: ChainHash(row.get(12)?),
    })
}

/// Records that a subject is destroyed. Within the transaction that destroys it.
pub(crate) fn record(
    connection: &Connection,
    erasure: &SubjectErasure,
    tip: Tip,
    rows: RowCounts,
) -> Result<(), StoreError> {
    let failed = |error| error::sqlite(error, "record a destroyed subject");
    let last: Option<(i64, [u8; 32])> = connection
        .query_row("SELECT number, hash FROM destruction ORDER BY number DESC LIMIT 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
        .map_err(failed)?;
    let (number, before) = last.map_or((0, ChainHash::default()), |(number, hash)| (number, ChainHash(hash)));
    let record = Destruction {
        number: number.max(0) as u64 + 1,
        subject: erasure.subject,
        by: erasure.by,
        at: erasure.recorded_at,
        watermark: tip.watermark,
        tip: tip.hash,
        rows,
        hash: ChainHash::default(),
    };
    let hash = record.link(&before);
    connection
        .execute(
            "INSERT INTO destruction VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                signed(record.number),
                record.subject.0,
                record.by.0,
                record.at.micros(),
                signed(record.watermark),
                record.tip.0,
                signed(rows.sources),
                signed(rows.evidence),
                signed(rows.facts),
                signed(rows.claims),
                signed(rows.acts),
                signed(rows.transitions),
                hash.0,
            ],
        )
        .map(drop)
        .map_err(failed)
}
