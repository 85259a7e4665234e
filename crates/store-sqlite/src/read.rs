//! Reading a log: what came since, what is known, and evidence whole. Long reads go in pieces, each on a young snapshot.

use std::collections::BTreeMap;

use ledger::evidence::{Evidence, Marks};
use ledger::id::{EvidenceId, Position, Watermark};
use ledger::keys::Fingerprint;
use ledger::log::{Entry, Lift, Row};
use ledger::proof::ChainHash;
use ledger::scope::Scope;
use ledger::store::{Head, Read, Recognised, Rows, StoreError};
use ledger::time::Instant;
use rusqlite::{Connection, OptionalExtension, params};

use crate::append::tip;
use crate::error;
use crate::row::{Messages, Owner, Reading, Stretch, Table, signed};
use crate::subject::{Known, StoredSeals, find};
use crate::{Shared, SqliteStore, tombstone};

/// Appends and bytes of their commitments read in one piece; an append of a thousand rows is a piece by itself.
const PIECE_APPENDS: i64 = 2_000;
const PIECE_BYTES: usize = 20_000 * 32;
/// Evidence read whole in one piece.
const PIECE_EVIDENCE: usize = 500;
/// Marks looked up in one piece.
const PIECE_MARKS: usize = 5_000;

impl Shared {
    /// What rows of `known` are read with.
    pub(crate) fn reading<'read>(&self, seals: &'read StoredSeals<'read>) -> Reading<'read> {
        Reading {
            connection: seals.connection,
            subject: seals.known.number,
            owner: Owner { store: self.keyring.store(), uid: seals.known.uid },
            seals,
        }
    }
}

/// One piece of a log.
struct Piece {
    known: Known,
    head: Watermark,
    entries: Vec<Entry>,
}

/// How many rows an append was written with, and whether it erased others.
struct Expected {
    rows: i64,
    erases: bool,
}

/// Compares the rows that were read with those the chain commits to: a page that went bad can lose rows without SQLite
/// noticing, and an answer made of the rest would be wrong in silence.
///
/// An append that erased has rows that stand elsewhere; those are left to `verify`.
fn check_complete(
    connection: &Connection,
    known: Known,
    stretch: Stretch,
    read: &[Table],
    entries: &[Entry],
    expected: &[Expected],
) -> Result<(), StoreError> {
    let mut counted: BTreeMap<Watermark, i64> = BTreeMap::new();
    for (table, sql) in COUNTS {
        if table == Table::Evidence || !read.contains(&table) {
            count_by_append(connection, known, stretch, sql, &mut counted)?;
        }
    }
    let erased = if known.rewritten > 0 { erased_by_append(connection, known)? } else { BTreeMap::new() };
    for (entry, expected) in entries.iter().zip(expected).filter(|(_, expected)| !expected.erases) {
        let is_message = |(_, row): &&(Position, Row)| matches!(row, Row::Evidence(_));
        let rows = entry.rows.iter().filter(|row| !is_message(row)).count() as i64;
        let found = rows + counted.get(&entry.seq).copied().unwrap_or_default();
        if found != expected.rows - erased.get(&entry.seq).copied().unwrap_or_default() {
            return Err(error::damaged(format!("append {}", entry.seq), "lacks rows it was written with"));
        }
    }
    Ok(())
}

/// The rows that stand as they were written, by table and append: counted where not all of them are read.
const COUNTS: [(Table, &str); 6] = [
    (
        Table::Source,
        "SELECT seq, count(*) FROM source WHERE subject = ? AND seq BETWEEN ? AND ? GROUP BY seq",
    ),
    (
        Table::Evidence,
        "SELECT seq, count(*) FROM evidence
         WHERE subject = ? AND seq BETWEEN ? AND ? AND committed_seq = seq GROUP BY seq",
    ),
    (Table::Fact, "SELECT seq, count(*) FROM fact WHERE subject = ? AND seq BETWEEN ? AND ? GROUP BY seq"),
    (Table::Claim, "SELECT seq, count(*) FROM claim WHERE subject = ? AND seq BETWEEN ? AND ? GROUP BY seq"),
    (Table::Act, "SELECT seq, count(*) FROM act WHERE subject = ? AND seq BETWEEN ? AND ? GROUP BY seq"),
    (
        Table::Transition,
        "SELECT seq, count(*) FROM transition WHERE subject = ? AND seq BETWEEN ? AND ? GROUP BY seq",
    ),
];

/// Adds how many rows of a table stand in each append.
fn count_by_append(
    connection: &Connection,
    known: Known,
    stretch: Stretch,
    sql: &str,
    counted: &mut BTreeMap<Watermark, i64>,
) -> Result<(), StoreError> {
    let failed = |error| error::sqlite(error, "read the log");
    let mut select = connection.prepare_cached(sql).map_err(failed)?;
    let mut rows =
        select.query(params![known.number, signed(stretch.first), signed(stretch.last)]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let seq: i64 = row.get(0).map_err(failed)?;
        *counted.entry(seq.max(0) as u64).or_default() += row.get::<_, i64>(1).map_err(failed)?;
    }
    Ok(())
}

/// How many rows erasures took out of each append.
fn erased_by_append(connection: &Connection, known: Known) -> Result<BTreeMap<Watermark, i64>, StoreError> {
    let failed = |error| error::sqlite(error, "read the log");
    let mut select = connection
        .prepare_cached("SELECT orphaned FROM entry WHERE subject = ? AND length(orphaned) > 0")
        .map_err(failed)?;
    let mut rows = select.query([known.number]).map_err(failed)?;
    let mut erased: BTreeMap<Watermark, i64> = BTreeMap::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let listed: Vec<u8> = row.get(0).map_err(failed)?;
        let listed: Vec<Position> = postcard::from_bytes(&listed)
            .map_err(|_| error::damaged("a list of erased rows", "cannot be read"))?;
        for position in listed {
            *erased.entry(position.seq).or_default() += 1;
        }
    }
    Ok(erased)
}

impl SqliteStore {
    pub(crate) fn read_head(&self, scope: &Scope) -> Result<Head, StoreError> {
        let head = self.read_subject(scope, |connection, known| {
            let tip = tip(connection, known.number)?;
            // Numbers of subjects are never given twice, so a subject founded again has a greater one.
            Ok(Head {
                watermark: tip.watermark,
                recorded_at: tip.recorded_at,
                incarnation: known.number.unsigned_abs(),
            })
        })?;
        Ok(head.unwrap_or_default())
    }

    /// Hands over the appends after `after`, piece by piece: one snapshot of the file carries only so many.
    pub(crate) fn read_log(
        &self,
        scope: &Scope,
        after: Watermark,
        rows: Rows,
        take: &mut dyn FnMut(Entry),
    ) -> Result<Read, StoreError> {
        let mut from = after;
        let mut begun: Option<(Known, Watermark)> = None;
        loop {
            let until = begun.map(|(_, head)| head);
            let piece = self
                .read_subject(scope, |connection, known| self.piece(connection, known, from, until, rows))?;
            let Some(piece) = piece else {
                // Forgotten whole: before, and there is nothing; between two pieces, and what was read is no more.
                return Ok(if begun.is_none() { Read::Whole } else { Read::Rewritten });
            };
            match begun {
                None if after > 0 && after < piece.known.rewritten => return Ok(Read::Rewritten),
                None => begun = Some((piece.known, piece.head)),
                Some((known, _)) if known != piece.known => return Ok(Read::Rewritten),
                Some(_) => {}
            }
            let head = begun.map_or(0, |(_, head)| head);
            for entry in piece.entries {
                from = entry.seq;
                take(entry);
            }
            if from >= head {
                return Ok(Read::Whole);
            }
        }
    }

    /// The appends after `from`, as many as one snapshot should carry.
    fn piece(
        &self,
        connection: &Connection,
        known: Known,
        from: Watermark,
        until: Option<Watermark>,
        rows: Rows,
    ) -> Result<Piece, StoreError> {
        let failed = |error| error::sqlite(error, "read the log");
        let head = match until {
            Some(head) => head,
            None => tip(connection, known.number)?.watermark,
        };
        let mut entries: Vec<Entry> = Vec::new();
        let mut expected: Vec<Expected> = Vec::new();
        if from < head {
            let mut select = connection
                .prepare_cached(
                    "SELECT seq, recorded_at, length(commitments), length(orphaned) > 0 FROM entry
                     WHERE subject = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                )
                .map_err(failed)?;
            let range = params![known.number, signed(from), signed(head), PIECE_APPENDS];
            let mut rows = select.query(range).map_err(failed)?;
            let mut bytes = 0;
            while bytes < PIECE_BYTES
                && let Some(row) = rows.next().map_err(failed)?
            {
                let read = || -> rusqlite::Result<(i64, i64, i64, bool)> {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                };
                let (seq, recorded_at, committed, erases) = read().map_err(failed)?;
                if signed(from) + 1 + entries.len() as i64 != seq {
                    return Err(error::damaged(
                        format!("append {}", from + 1 + entries.len() as u64),
                        "is missing",
                    ));
                }
                bytes += committed.max(0) as usize;
                expected.push(Expected { rows: committed / 32, erases });
                let recorded_at = Instant::from_micros(recorded_at);
                entries.push(Entry { seq: seq.max(0) as u64, recorded_at, rows: Vec::new() });
            }
        }
        let piece = match (entries.first(), entries.last()) {
            (Some(first), Some(last)) => Stretch { first: first.seq, last: last.seq },
            _ => {
                if from < head {
                    return Err(error::damaged(format!("append {}", from + 1), "is missing"));
                }
                return Ok(Piece { known, head, entries });
            }
        };
        let seals = StoredSeals { shared: &self.shared, connection, known };
        let reading = self.shared.reading(&seals);
        let (messages, tables): (Messages, &[Table]) = match rows {
            Rows::All => (Messages::WithoutText, &Table::ALL),
            Rows::Folded => (Messages::OfLivingSources, &Table::ALL),
            Rows::Messages => (Messages::WithoutText, &[Table::Evidence]),
            Rows::MessagesOf(source) => (Messages::Of(source.0), &[Table::Evidence]),
        };
        for table in tables.iter().copied() {
            // Appends are numbered without gaps, so a row's entry is found by counting.
            reading.rows(table, piece, messages, &mut |position, found| {
                let place = position.seq.checked_sub(piece.first).map(|place| place as usize);
                let entry =
                    place.and_then(|place| entries.get_mut(place)).filter(|entry| entry.seq == position.seq);
                if let Some(entry) = entry {
                    entry.rows.push((position, found?.row));
                }
                Ok(())
            })?;
        }
        for entry in &mut entries {
            entry.rows.sort_unstable_by_key(|(position, _)| *position);
        }
        check_complete(connection, known, piece, tables, &entries, &expected)?;
        Ok(Piece { known, head, entries })
    }

    pub(crate) fn read_recognised(
        &self,
        scope: &Scope,
        marks: &[Marks],
    ) -> Result<Vec<Recognised>, StoreError> {
        let subject = self.shared.keyring.mark(scope.subject());
        let mut recognised = Vec::with_capacity(marks.len());
        for piece in marks.chunks(PIECE_MARKS) {
            recognised.extend(self.shared.readers.read(|connection| {
                let known = find(connection, &subject)?;
                let any = tombstone::any(connection, &subject)?;
                let one = |marks: &Marks| -> Result<Recognised, StoreError> {
                    let all = marks.external_id.into_iter().chain([marks.moment, marks.text]);
                    if any {
                        for mark in all {
                            if tombstone::is_laid(connection, &subject, &mark)? {
                                return Ok(Recognised::Forgotten);
                            }
                        }
                    }
                    let same = match known {
                        Some(known) => same_message(connection, known.number, marks)?,
                        None => None,
                    };
                    Ok(same.map_or(Recognised::New, Recognised::Known))
                };
                piece.iter().map(one).collect::<Result<Vec<_>, _>>()
            })?);
        }
        Ok(recognised)
    }

    pub(crate) fn read_forgotten(
        &self,
        scope: &Scope,
        marks: &[Fingerprint],
    ) -> Result<Vec<bool>, StoreError> {
        let subject = self.shared.keyring.mark(scope.subject());
        let mut forgotten = Vec::with_capacity(marks.len());
        for piece in marks.chunks(PIECE_MARKS) {
            forgotten.extend(self.shared.readers.read(|connection| {
                let one = |mark: &Fingerprint| tombstone::is_laid(connection, &subject, mark);
                piece.iter().map(one).collect::<Result<Vec<_>, _>>()
            })?);
        }
        Ok(forgotten)
    }

    pub(crate) fn count_tombstones(&self, scope: &Scope, lift: &Lift) -> Result<u64, StoreError> {
        let subject = self.shared.keyring.mark(scope.subject());
        self.shared.readers.read(|connection| {
            tombstone::matching(connection, &subject, lift)
                .map(|marks| marks.len() as u64)
                .map_err(|error| error::sqlite(error, "read tombstones"))
        })
    }

    pub(crate) fn read_chain(&self, scope: &Scope, seq: Watermark) -> Result<Option<ChainHash>, StoreError> {
        let hash = self.read_subject(scope, |connection, known| {
            connection
                .prepare_cached("SELECT hash FROM entry WHERE subject = ? AND seq = ?")
                .and_then(|mut select| {
                    select.query_row(params![known.number, signed(seq)], |row| row.get(0)).optional()
                })
                .map_err(|error| error::sqlite(error, "read the log"))
        })?;
        Ok(hash.flatten().map(ChainHash))
    }

    pub(crate) fn read_evidence(
        &self,
        scope: &Scope,
        ids: &[EvidenceId],
    ) -> Result<Vec<Option<Evidence>>, StoreError> {
        let mut found = Vec::with_capacity(ids.len());
        for piece in ids.chunks(PIECE_EVIDENCE) {
            let read = self.read_subject(scope, |connection, known| {
                let seals = StoredSeals { shared: &self.shared, connection, known };
                let reading = self.shared.reading(&seals);
                let one = |id: &EvidenceId| Ok(reading.evidence(*id)?.map(|(evidence, _)| evidence));
                piece.iter().map(one).collect::<Result<Vec<_>, StoreError>>()
            })?;
            found.extend(read.unwrap_or_else(|| vec![None; piece.len()]));
        }
        Ok(found)
    }

    pub(crate) fn read_evidence_after(
        &self,
        scope: &Scope,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError> {
        let mut found: Vec<(EvidenceId, Evidence)> = Vec::new();
        let mut after = after.unwrap_or(Position::new(0, 0));
        while found.len() < limit {
            let wanted = (limit - found.len()).min(PIECE_EVIDENCE);
            let piece = self.read_subject(scope, |connection, known| {
                let seals = StoredSeals { shared: &self.shared, connection, known };
                self.shared.reading(&seals).evidence_after(after, wanted)
            })?;
            let piece = piece.unwrap_or_default();
            let full = piece.len() == wanted;
            if let Some((last, _)) = piece.last() {
                after = last.0;
            }
            found.extend(piece);
            if !full {
                break;
            }
        }
        Ok(found)
    }
}

/// The first evidence in the log that is the same message.
fn same_message(
    connection: &Connection,
    subject: i64,
    marks: &Marks,
) -> Result<Option<EvidenceId>, StoreError> {
    let first = |sql: &str, mark: &Fingerprint| -> Result<Option<EvidenceId>, StoreError> {
        connection
            .prepare_cached(sql)
            .and_then(|mut select| {
                select
                    .query_row(params![subject, mark.0], |row| {
                        let seq: i64 = row.get(0)?;
                        Ok(EvidenceId(Position::new(seq.max(0) as u64, row.get(1)?)))
                    })
                    .optional()
            })
            .map_err(|error| error::sqlite(error, "recognise evidence"))
    };
    let by_moment = first(
        "SELECT seq, ordinal FROM evidence WHERE subject = ? AND moment = ? ORDER BY seq, ordinal LIMIT 1",
        &marks.moment,
    )?;
    let by_external = match &marks.external_id {
        None => None,
        Some(mark) => first(
            "SELECT seq, ordinal FROM evidence WHERE subject = ? AND external = ? ORDER BY seq, ordinal LIMIT 1",
            mark,
        )?,
    };
    Ok([by_moment, by_external].into_iter().flatten().min())
}
