//! Turns: resolutions as they were recorded. They hold ids, features and reasons, so nothing in them is sealed.

use ledger::id::{Position, TurnId};
use ledger::keys::Fingerprint;
use ledger::scope::Scope;
use ledger::store::{Head, RecordedTurn, StoreError};
use ledger::time::Instant;
use ledger::turn::TurnRecord;
use rusqlite::{Connection, OptionalExtension, params};

use crate::SqliteStore;
use crate::error::{self, damaged};
use crate::row::signed;
use crate::subject::find;

impl SqliteStore {
    pub(crate) fn write_turn(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        turn: &TurnRecord,
    ) -> Result<Option<TurnId>, StoreError> {
        let mark = self.shared.keyring.mark(scope.subject());
        let (basis, record) = (*basis, turn.encode());
        let written = self.writer()?.shared(record.len(), move |hand| {
            let failed = |error| error::sqlite(error, "record a turn");
            let connection = &hand.connection;
            let Some(known) = find(connection, &mark)? else { return Ok(None) };
            let recorded: Option<i64> = connection
                .prepare_cached("SELECT turn FROM turn WHERE subject = ? AND request = ?")
                .and_then(|mut select| {
                    select.query_row(params![known.number, key.0], |row| row.get(0)).optional()
                })
                .map_err(failed)?;
            let number = match recorded {
                Some(number) => number,
                None if !basis.still_stands(known.number.unsigned_abs(), known.rewritten) => return Ok(None),
                None => {
                    let last: Option<i64> = connection
                        .prepare_cached("SELECT max(turn) FROM turn WHERE subject = ?")
                        .and_then(|mut select| select.query_row([known.number], |row| row.get(0)))
                        .map_err(failed)?;
                    let next = last.unwrap_or(0) + 1;
                    connection
                        .prepare_cached("INSERT INTO turn VALUES (?, ?, ?, ?)")
                        .and_then(|mut insert| insert.execute(params![known.number, next, key.0, record]))
                        .map_err(failed)?;
                    next
                }
            };
            Ok(Some(TurnId(Position::new(number.max(0) as u64, 0))))
        });
        Ok(written?)
    }

    pub(crate) fn write_use(
        &self,
        scope: &Scope,
        turn: TurnId,
        used: &[u32],
        at: Instant,
    ) -> Result<bool, StoreError> {
        if turn.0.ordinal != 0 {
            return Ok(false);
        }
        let mark = self.shared.keyring.mark(scope.subject());
        let used = used.to_vec();
        let written = self.writer()?.shared(used.len() * 30, move |hand| {
            let failed = |error| error::sqlite(error, "record use");
            let connection = &hand.connection;
            let Some(known) = find(connection, &mark)? else { return Ok(false) };
            let number = signed(turn.0.seq);
            let there: bool = connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM turn WHERE subject = ? AND turn = ?)")
                .and_then(|mut select| select.query_row(params![known.number, number], |row| row.get(0)))
                .map_err(failed)?;
            if there {
                let mut insert = connection
                    .prepare_cached("INSERT INTO turn_use VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
                    .map_err(failed)?;
                for place in &used {
                    insert.execute(params![known.number, number, place, at.micros()]).map_err(failed)?;
                }
            }
            Ok(there)
        });
        Ok(written?)
    }

    pub(crate) fn read_turn(
        &self,
        scope: &Scope,
        turn: TurnId,
    ) -> Result<Option<(TurnRecord, Vec<u32>)>, StoreError> {
        if turn.0.ordinal != 0 {
            return Ok(None);
        }
        let found = self.read_subject(scope, |connection, known| {
            let number = signed(turn.0.seq);
            let record: Option<Vec<u8>> = connection
                .prepare_cached("SELECT record FROM turn WHERE subject = ? AND turn = ?")
                .and_then(|mut select| {
                    select.query_row(params![known.number, number], |row| row.get(0)).optional()
                })
                .map_err(unread)?;
            let Some(record) = record else { return Ok(None) };
            Ok(Some((read_record(number, &record)?, used(connection, known.number, number)?)))
        })?;
        Ok(found.flatten())
    }

    pub(crate) fn read_recent_turns(
        &self,
        scope: &Scope,
        limit: usize,
    ) -> Result<Vec<RecordedTurn>, StoreError> {
        let mut turns: Vec<RecordedTurn> = Vec::new();
        let mut before = i64::MAX;
        // In pieces, so that no snapshot grows old.
        while turns.len() < limit {
            let wanted = (limit - turns.len()).min(PIECE_TURNS);
            let piece = self.read_subject(scope, |connection, known| {
                let mut select = connection
                    .prepare_cached(
                        "SELECT turn, record FROM turn WHERE subject = ? AND turn < ? ORDER BY turn DESC LIMIT ?",
                    )
                    .map_err(unread)?;
                let mut rows = select.query(params![known.number, before, wanted as i64]).map_err(unread)?;
                let mut piece = Vec::with_capacity(wanted);
                while let Some(row) = rows.next().map_err(unread)? {
                    let (number, record): (i64, Vec<u8>) =
                        row.get(0).and_then(|number| Ok((number, row.get(1)?))).map_err(unread)?;
                    piece.push(RecordedTurn {
                        id: TurnId(Position::new(number.max(0) as u64, 0)),
                        record: read_record(number, &record)?,
                        used: used(connection, known.number, number)?,
                    });
                }
                Ok(piece)
            })?;
            let piece = piece.unwrap_or_default();
            let is_last = piece.len() < wanted;
            if let Some(oldest) = piece.last() {
                before = signed(oldest.id.0.seq);
            }
            turns.extend(piece);
            if is_last {
                break;
            }
        }
        Ok(turns)
    }
}

/// Turns read in one piece.
const PIECE_TURNS: usize = 500;

fn unread(error: rusqlite::Error) -> StoreError {
    error::sqlite(error, "read a turn")
}

fn read_record(number: i64, record: &[u8]) -> Result<TurnRecord, StoreError> {
    TurnRecord::decode(record).map_err(|_| damaged(format!("turn {number}"), "cannot be read"))
}

/// The places of a turn that were used, in order.
fn used(connection: &Connection, subject: i64, turn: i64) -> Result<Vec<u32>, StoreError> {
    let mut select = connection
        .prepare_cached("SELECT place FROM turn_use WHERE subject = ? AND turn = ? ORDER BY place")
        .map_err(unread)?;
    let used = select.query_map(params![subject, turn], |row| row.get(0)).map_err(unread)?;
    used.collect::<rusqlite::Result<Vec<u32>>>().map_err(unread)
}
