//! Erasing: rows go, others take their place, keys are shredded; then the files are cleaned, and searched.
//!
//! The order is what makes it true. One transaction takes the rows out (`secure_delete` overwrites their bytes) and
//! wraps surviving keys under new group keys. After its commit the old group keys are destroyed; after that the
//! write-ahead log, which still holds the erased pages, is written back and cut to nothing. Only then are the files
//! searched for what was taken out, and only then is the caller answered. `store.scrub` remembers an erasure whose
//! cleaning a crash cut off.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ledger::evidence::Evidence;
use ledger::id::{Position, Watermark};
use ledger::keys::Fingerprint;
use ledger::log::{Erasure, Removed, Row, SubjectErasure};
use ledger::proof::{Salt, commit, link};
use ledger::receipt::RowCounts;
use ledger::scope::Scope;
use ledger::store::{Erased, Head, StoreError, StoreErrorKind};
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashSet;

use crate::append::{Entry, append_of, tip};
use crate::chance::Chance;
use crate::connection::{Access, READ_MS_MAX, clock_ms, sibling, with_patience};
use crate::error::{self, contract};
use crate::failpoint::{self, Failpoint};
use crate::residue::Needles;
use crate::row::{self, Owner, Ready, Seals, Unready, signed};
use crate::subject::{Founding, Known, StoredSeals, find, new_group, unwrap};
use crate::writer::{Failure, Hand};
use crate::{Shared, SqliteStore, destruction, files, schema, tombstone};

/// How long cleaning waits for readers before it says what is left.
const CLEAN_MS_MAX: u64 = 3 * READ_MS_MAX;

/// The tables whose rows an erasure takes out by position, with the columns that are searched for afterwards.
const TABLES: [(&str, &str, &str); 6] = [
    (
        "SELECT words, NULL, seq, ordinal FROM source WHERE subject = ? AND seq = ? AND ordinal = ?",
        "DELETE FROM source WHERE subject = ? AND seq = ? AND ordinal = ?",
        "source",
    ),
    (
        "SELECT words, text, committed_seq, committed_ordinal FROM evidence
         WHERE subject = ? AND seq = ? AND ordinal = ?",
        "DELETE FROM evidence WHERE subject = ? AND seq = ? AND ordinal = ?",
        "evidence",
    ),
    (
        "SELECT NULL, NULL, seq, ordinal FROM fact WHERE subject = ? AND seq = ? AND ordinal = ?",
        "DELETE FROM fact WHERE subject = ? AND seq = ? AND ordinal = ?",
        "fact",
    ),
    (
        "SELECT words, NULL, seq, ordinal FROM claim WHERE subject = ? AND seq = ? AND ordinal = ?",
        "DELETE FROM claim WHERE subject = ? AND seq = ? AND ordinal = ?",
        "claim",
    ),
    (
        "SELECT words, NULL, seq, ordinal FROM act WHERE subject = ? AND seq = ? AND ordinal = ?",
        "DELETE FROM act WHERE subject = ? AND seq = ? AND ordinal = ?",
        "act",
    ),
    (
        "SELECT NULL, NULL, seq, ordinal FROM transition WHERE subject = ? AND seq = ? AND ordinal = ?",
        "DELETE FROM transition WHERE subject = ? AND seq = ? AND ordinal = ?",
        "transition",
    ),
];

/// Where rows refer to rows that an erasure may take out: what would be left, the places that are taken out, and the query that tells
/// where the subject's rows after a place refer to. A row refers only to rows before it.
type Referring = (&'static str, fn(&Removed) -> &Vec<Position>, &'static str);

const REFERRING: [Referring; 5] = [
    (
        "evidence of a source that goes",
        |remove| &remove.sources,
        "SELECT source_seq, source_ordinal FROM evidence WHERE subject = ? AND seq >= ?",
    ),
    (
        "a claim on evidence that goes",
        |remove| &remove.evidence,
        "SELECT evidence_seq, evidence_ordinal FROM claim WHERE subject = ? AND seq >= ?",
    ),
    (
        "a claim on a fact that goes",
        |remove| &remove.facts,
        "SELECT fact_seq, fact_ordinal FROM claim WHERE subject = ? AND seq >= ?",
    ),
    (
        "a transition of a fact that goes",
        |remove| &remove.facts,
        "SELECT fact_seq, fact_ordinal FROM transition WHERE subject = ? AND seq >= ?",
    ),
    (
        "support by a claim that goes",
        |remove| &remove.claims,
        "SELECT claim_seq, claim_ordinal FROM support WHERE subject = ? AND seq >= ?",
    ),
];

/// A transition among the rows of an append whose fact is not there. What supports it is watched by a trigger.
const OF_NO_FACT: &str = "SELECT 1 FROM transition AS child WHERE subject = ? AND seq = ? AND NOT EXISTS (
    SELECT 1 FROM fact AS parent WHERE parent.subject = child.subject AND parent.seq = child.fact_seq
        AND parent.ordinal = child.fact_ordinal) LIMIT 1";

/// What an erasure's transaction leaves to be done after its commit.
#[derive(Default)]
struct Aftermath {
    needles: Needles,
    /// Groups whose keys must be destroyed.
    dead_groups: Vec<i64>,
    watermark: Watermark,
    rows: u64,
    subject: Option<i64>,
    shredded: Vec<Position>,
}

impl SqliteStore {
    pub(crate) fn erase_rows(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        erasure: &Erasure,
    ) -> Result<Erased, StoreError> {
        let basis = *basis;
        let shared = self.shared.clone();
        let mark = shared.keyring.mark(scope.subject());
        let founding = Founding::draw(&shared, scope.subject())?;
        let erasure = erasure.clone();
        let erased = self.writer()?.alone(move |hand| {
            let answer = transact(hand, &shared, |hand| {
                let known = match find(&hand.connection, &mark)? {
                    Some(known) => known,
                    None if basis.watermark > 0 => return Ok(Err(Erased::BasisMoved(0))),
                    None => founding.insert(hand)?,
                };
                erase_from(hand, &shared, known, basis, key, &erasure)
            })?;
            match answer {
                Ok(aftermath) => clean(hand, &shared, aftermath),
                Err(Erased::Done { watermark, .. }) => {
                    // Done before; perhaps its cleaning was not.
                    let residue = u64::from(!finish_cut_off(&hand.connection, &shared)?);
                    Ok(Erased::Done { watermark, rows: 0, residue })
                }
                Err(answer) => Ok(answer),
            }
        });
        Ok(erased?)
    }

    pub(crate) fn erase_everything(
        &self,
        scope: &Scope,
        erasure: &SubjectErasure,
    ) -> Result<Erased, StoreError> {
        let shared = self.shared.clone();
        let mark = shared.keyring.mark(scope.subject());
        let erasure = erasure.clone();
        let erased = self.writer()?.alone(move |hand| {
            let aftermath = transact(hand, &shared, |hand| {
                tombstone::lay(&hand.connection, &mark, &erasure.tombstones)?;
                let Some(known) = find(&hand.connection, &mark)? else { return Ok(Aftermath::default()) };
                forget_everything(hand, &shared, known, Some(&erasure))
            })?;
            let subject = aftermath.subject;
            let erased = clean(hand, &shared, aftermath);
            if let Some(subject) = subject {
                shared.cache.forget_subject(&mark, subject);
            }
            erased
        });
        Ok(erased?)
    }
}

/// Runs an erasure's work in a transaction of its own; on a full disk it makes room and runs it once more.
///
/// References are checked by [`left_dangling`], once over the subject, instead of row by row: for every row taken out the
/// database would look through all rows that could refer to it.
fn transact<T>(
    hand: &mut Hand,
    shared: &Shared,
    mut work: impl FnMut(&mut Hand) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut once = |hand: &mut Hand| -> Result<T, StoreError> {
        hand.connection
            .execute_batch("PRAGMA foreign_keys = OFF")
            .map_err(|error| error::sqlite(error, "erase"))?;
        let done = hand.begin().and_then(|()| work(hand)).and_then(|done| match hand.commit() {
            Ok(()) => Ok(done),
            Err(Failure { error, .. }) => Err(error),
        });
        if done.is_err() {
            hand.roll_back();
        }
        let restored = hand.connection.execute_batch("PRAGMA foreign_keys = ON");
        restored.map_err(|error| error::sqlite(error, "erase"))?;
        done
    };
    let is_full =
        |done: &Result<T, StoreError>| done.as_ref().is_err_and(|error| error.kind() == StoreErrorKind::Full);
    let mut done = once(hand);
    if is_full(&done) && empty_the_log(&hand.connection, &shared.access).unwrap_or(false) {
        done = once(hand);
    }
    // A log that had nothing in it made no room.
    if is_full(&done) && files::release_ballast(&shared.ballast()) {
        done = once(hand);
    }
    done
}

fn failed(error: rusqlite::Error) -> StoreError {
    error::sqlite(error, "erase")
}

fn open_tables(connection: &Connection, subject: i64) -> Result<(), StoreError> {
    connection.execute("INSERT INTO erasing (subject) VALUES (?)", [subject]).map(drop).map_err(failed)
}

fn close_tables(connection: &Connection, subject: i64) -> Result<(), StoreError> {
    connection.execute("DELETE FROM erasing WHERE subject = ?", [subject]).map_err(failed)?;
    connection.execute("UPDATE store SET scrub = 1", []).map(drop).map_err(failed)
}

fn erase_from(
    hand: &mut Hand,
    shared: &Shared,
    known: Known,
    basis: Head,
    key: Fingerprint,
    erasure: &Erasure,
) -> Result<Result<Aftermath, Erased>, StoreError> {
    if let Some(watermark) = append_of(&hand.connection, known.number, &key)? {
        return Ok(Err(Erased::Done { watermark, rows: 0, residue: 0 }));
    }
    let tip = tip(&hand.connection, known.number)?;
    if !basis.holds(tip.watermark, known.number.unsigned_abs()) {
        return Ok(Err(Erased::BasisMoved(tip.watermark)));
    }
    let seq = basis.watermark + 1;
    let mut aftermath = Aftermath { watermark: seq, subject: Some(known.number), ..Aftermath::default() };
    open_tables(&hand.connection, known.number)?;
    let mut orphaned = Vec::new();
    let lists = [
        &erasure.remove.sources,
        &erasure.remove.evidence,
        &erasure.remove.facts,
        &erasure.remove.claims,
        &erasure.remove.acts,
        &erasure.remove.transitions,
    ];
    for ((select, delete, what), positions) in TABLES.into_iter().zip(lists) {
        for position in positions {
            let removed =
                remove(&hand.connection, known.number, *position, (select, delete), &mut aftermath.needles)?;
            orphaned.extend(removed);
            aftermath.rows += u64::from(removed.is_some());
            if what == "transition" && removed.is_some() {
                let place = params![known.number, signed(position.seq), position.ordinal];
                hand.connection
                    .prepare_cached("DELETE FROM support WHERE subject = ? AND seq = ? AND ordinal = ?")
                    .and_then(|mut delete| delete.execute(place))
                    .map_err(failed)?;
            }
        }
    }
    failpoint::pass(Failpoint::ErasedRows);
    let mut commitments = Vec::new();
    {
        let connection = &hand.connection;
        let seals = StoredSeals { shared, connection, known };
        let owner = Owner { store: shared.keyring.store(), uid: known.uid };
        let reading = shared.reading(&seals);
        let mut chance = Chance::draw()?;
        for (id, words) in &erasure.reduce {
            let Some((evidence, was_committed)) = reading.evidence(*id)? else { continue };
            keep_needles(connection, known.number, id.0, &mut aftermath.needles)?;
            orphaned.push(was_committed);
            let committed = Position::new(seq, commitments.len() as u32);
            let reduced = Evidence { words: words.clone(), ..evidence };
            let salt = Salt(chance.bytes());
            commitments.push(commit(&salt, id.0, &Row::Evidence(reduced.clone())));
            let seal = seals
                .seal_of(reduced.source.0)?
                .ok_or_else(|| error::damaged(format!("source {}", reduced.source.0), "has no key"))?;
            let ready = row::ready_evidence(owner, &seal, &mut chance, id.0, salt, &reduced);
            row::reduce(connection, known.number, id.0, committed, &ready).map_err(failed)?;
            aftermath.rows += 1;
        }
        for row in erasure.written() {
            let position = Position::new(seq, commitments.len() as u32);
            let ready = row::prepare(owner, &seals, &mut chance, position, &row);
            let (commitment, ready): (_, Ready) = ready.map_err(|unready| match unready {
                Unready::NoSource(source) => contract(format!("source {source} is not there")),
                Unready::Failed(error) => error,
            })?;
            commitments.push(commitment);
            row::insert(connection, known.number, position, &ready).map_err(failed)?;
        }
    }
    orphaned.sort_unstable();
    let hash = link(&tip.hash, seq, erasure.recorded_at, &commitments, &orphaned);
    let entry = Entry {
        seq,
        recorded_at: erasure.recorded_at,
        hash,
        request: key,
        commitments: &commitments,
        orphaned: &orphaned,
    };
    entry.insert(&hand.connection, known.number)?;
    let mark: [u8; 16] = hand
        .connection
        .prepare_cached("SELECT mark FROM subject WHERE subject = ?")
        .and_then(|mut select| select.query_row([known.number], |row| row.get(0)))
        .map_err(failed)?;
    tombstone::lay(&hand.connection, &mark, &erasure.tombstones)?;
    hand.connection
        .execute("UPDATE subject SET rewritten = ? WHERE subject = ?", params![signed(seq), known.number])
        .map_err(failed)?;
    let shred: FxHashSet<Position> =
        erasure.shred.iter().map(|source| source.0).chain(erasure.remove.sources.iter().copied()).collect();
    aftermath.shredded = shred.iter().copied().collect();
    shred_keys(hand, shared, known, Shred::These(&shred), &mut aftermath)?;
    failpoint::pass(Failpoint::ErasedWrapped);
    let placed = erasure.remove.evidence.iter().chain(&erasure.remove.claims).copied();
    let placed: Vec<Position> = placed.chain(erasure.reduce.iter().map(|(id, _)| id.0)).collect();
    shared.vectors.erase(known.number, Some(&placed), &mut aftermath.needles)?;
    if let Some(what) = left_dangling(&hand.connection, known.number, seq, &erasure.remove, &shred)? {
        return Err(contract(format!("the erasure leaves {what}")));
    }
    close_tables(&hand.connection, known.number)?;
    Ok(Ok(aftermath))
}

/// What an erasure leaves that refers to nothing, if anything. It was all in order before, so only what refers to rows that go, and what
/// is written as append `seq`, is looked at: looking each reference of a large subject up would take longer than erasing does.
fn left_dangling(
    connection: &Connection,
    subject: i64,
    seq: Watermark,
    remove: &Removed,
    shred: &FxHashSet<Position>,
) -> Result<Option<&'static str>, StoreError> {
    for (what, removed, sql) in REFERRING {
        let removed: FxHashSet<Position> = removed(remove).iter().copied().collect();
        let Some(first) = removed.iter().min() else { continue };
        let mut select = connection.prepare_cached(sql).map_err(failed)?;
        let mut rows = select.query(params![subject, signed(first.seq)]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let (seq, ordinal): (i64, u32) = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            if removed.contains(&Position::new(seq.max(0) as u64, ordinal)) {
                return Ok(Some(what));
            }
        }
    }
    let place = params![subject, signed(seq)];
    let of_no_fact = connection
        .prepare_cached(OF_NO_FACT)
        .and_then(|mut select| select.query_row(place, |_| Ok(())).optional());
    if of_no_fact.map_err(failed)?.is_some() {
        return Ok(Some("a transition of no fact"));
    }
    for source in shred {
        let found = connection
            .prepare_cached("SELECT 1 FROM source WHERE subject = ? AND seq = ? AND ordinal = ?")
            .and_then(|mut select| {
                let place = params![subject, signed(source.seq), source.ordinal];
                select.query_row(place, |_| Ok(())).optional()
            });
        if found.map_err(failed)?.is_some() {
            return Ok(Some("a source whose key goes"));
        }
    }
    Ok(None)
}

/// Takes one row out; the place in the chain that committed to it, when it was there.
fn remove(
    connection: &Connection,
    subject: i64,
    position: Position,
    (select, delete): (&str, &str),
    needles: &mut Needles,
) -> Result<Option<Position>, StoreError> {
    let place = params![subject, signed(position.seq), position.ordinal];
    let found = connection
        .prepare_cached(select)
        .and_then(|mut select| {
            select
                .query_row(place, |row| {
                    for column in 0..2 {
                        if let Some(sealed) = row.get_ref(column)?.as_blob_or_null().unwrap_or_default() {
                            needles.keep(sealed);
                        }
                    }
                    Ok(Position::new(row.get::<_, i64>(2)?.max(0) as u64, row.get(3)?))
                })
                .optional()
        })
        .map_err(failed)?;
    if found.is_some() {
        connection.prepare_cached(delete).and_then(|mut delete| delete.execute(place)).map_err(failed)?;
    }
    Ok(found)
}

fn keep_needles(
    connection: &Connection,
    subject: i64,
    position: Position,
    needles: &mut Needles,
) -> Result<(), StoreError> {
    connection
        .prepare_cached("SELECT words, text FROM evidence WHERE subject = ? AND seq = ? AND ordinal = ?")
        .and_then(|mut select| {
            select.query_row(params![subject, signed(position.seq), position.ordinal], |row| {
                for column in 0..2 {
                    if let Some(sealed) = row.get_ref(column)?.as_blob_or_null().unwrap_or_default() {
                        needles.keep(sealed);
                    }
                }
                Ok(())
            })
        })
        .map_err(failed)
}

/// Takes out a subject and its keys. `asked` is recorded; without it nobody asked here, and the record stands where it was asked.
fn forget_everything(
    hand: &mut Hand,
    shared: &Shared,
    known: Known,
    asked: Option<&SubjectErasure>,
) -> Result<Aftermath, StoreError> {
    let tip = tip(&hand.connection, known.number)?;
    let mut rows = RowCounts::default();
    let mut aftermath = Aftermath { subject: Some(known.number), ..Aftermath::default() };
    open_tables(&hand.connection, known.number)?;
    let sealed = [
        "SELECT name, seed FROM subject WHERE subject = ?",
        "SELECT words, NULL FROM source WHERE subject = ?",
        "SELECT words, text FROM evidence WHERE subject = ?",
        "SELECT words, NULL FROM claim WHERE subject = ?",
        "SELECT words, NULL FROM act WHERE subject = ?",
    ];
    for sql in sealed {
        let mut select = hand.connection.prepare_cached(sql).map_err(failed)?;
        let mut rows = select.query([known.number]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            for column in 0..2 {
                if let Some(sealed) =
                    row.get_ref(column).map_err(failed)?.as_blob_or_null().unwrap_or_default()
                {
                    aftermath.needles.keep(sealed);
                }
            }
        }
    }
    let owned: [(&str, Option<&mut u64>); 10] = [
        ("DELETE FROM turn_use WHERE subject = ?", None),
        ("DELETE FROM turn WHERE subject = ?", None),
        ("DELETE FROM support WHERE subject = ?", None),
        ("DELETE FROM transition WHERE subject = ?", Some(&mut rows.transitions)),
        ("DELETE FROM act WHERE subject = ?", Some(&mut rows.acts)),
        ("DELETE FROM claim WHERE subject = ?", Some(&mut rows.claims)),
        ("DELETE FROM fact WHERE subject = ?", Some(&mut rows.facts)),
        ("DELETE FROM evidence WHERE subject = ?", Some(&mut rows.evidence)),
        ("DELETE FROM source WHERE subject = ?", Some(&mut rows.sources)),
        ("DELETE FROM entry WHERE subject = ?", None),
    ];
    for (sql, count) in owned {
        let deleted = hand.connection.execute(sql, [known.number]).map_err(failed)?;
        if let Some(count) = count {
            *count = deleted as u64;
        }
    }
    aftermath.rows = rows.total();
    if let Some(asked) = asked {
        destruction::record(&hand.connection, asked, tip, rows)?;
    }
    shred_keys(hand, shared, known, Shred::All, &mut aftermath)?;
    shared.vectors.erase(known.number, None, &mut aftermath.needles)?;
    hand.connection.execute("DELETE FROM subject WHERE subject = ?", [known.number]).map_err(failed)?;
    close_tables(&hand.connection, known.number)?;
    Ok(aftermath)
}

/// Takes out everything of subjects that have no key of their own; how many.
pub(crate) fn take_out_keyless(hand: &mut Hand, shared: &Arc<Shared>) -> Result<u64, StoreError> {
    let keyless: Vec<([u8; 16], Known)> = {
        let mut select = hand
            .connection
            .prepare_cached(
                "SELECT mark, subject, uid, rewritten FROM subject WHERE NOT EXISTS (SELECT 1 FROM data_key
                 WHERE data_key.subject = subject.subject AND source_seq = 0 AND source_ordinal = 0)",
            )
            .map_err(failed)?;
        let rows = select.query_map([], |row| {
            let rewritten: i64 = row.get(3)?;
            let known = Known { number: row.get(1)?, uid: row.get(2)?, rewritten: rewritten.max(0) as u64 };
            Ok((row.get(0)?, known))
        });
        rows.and_then(Iterator::collect).map_err(failed)?
    };
    for (mark, known) in &keyless {
        let aftermath = transact(hand, shared, |hand| forget_everything(hand, shared, *known, None))?;
        clean(hand, shared, aftermath)?;
        shared.cache.forget_subject(mark, known.number);
    }
    Ok(keyless.len() as u64)
}

/// Which keys of a subject are shredded.
enum Shred<'shred> {
    These(&'shred FxHashSet<Position>),
    All,
}

/// Takes data keys out, and wraps those that shared a group with them under a new group key.
fn shred_keys(
    hand: &mut Hand,
    shared: &Shared,
    known: Known,
    shred: Shred<'_>,
    aftermath: &mut Aftermath,
) -> Result<(), StoreError> {
    let mut doomed: Vec<(Position, i64)> = Vec::new();
    {
        let mut take = |row: &rusqlite::Row<'_>| -> rusqlite::Result<()> {
            let source = Position::new(row.get::<_, i64>(0)?.max(0) as u64, row.get(1)?);
            doomed.push((source, row.get(2)?));
            if let Some(wrapped) = row.get_ref(3)?.as_blob_or_null().unwrap_or_default() {
                aftermath.needles.keep(wrapped);
            }
            Ok(())
        };
        match shred {
            Shred::All => {
                let mut select = hand
                    .connection
                    .prepare_cached(
                        "SELECT source_seq, source_ordinal, key_group, wrapped FROM data_key WHERE subject = ?",
                    )
                    .map_err(failed)?;
                let mut rows = select.query([known.number]).map_err(failed)?;
                while let Some(row) = rows.next().map_err(failed)? {
                    take(row).map_err(failed)?;
                }
            }
            Shred::These(sources) => {
                let mut select = hand
                    .connection
                    .prepare_cached(
                        "SELECT source_seq, source_ordinal, key_group, wrapped FROM data_key
                         WHERE subject = ? AND source_seq = ? AND source_ordinal = ?",
                    )
                    .map_err(failed)?;
                for source in sources {
                    let place = params![known.number, signed(source.seq), source.ordinal];
                    select.query_row(place, &mut take).optional().map_err(failed)?;
                }
            }
        }
    }
    let mut groups: Vec<i64> = doomed.iter().map(|(_, group)| *group).collect();
    groups.sort_unstable();
    groups.dedup();
    for (source, _) in &doomed {
        hand.connection
            .prepare_cached(
                "DELETE FROM data_key WHERE subject = ? AND source_seq = ? AND source_ordinal = ?",
            )
            .and_then(|mut delete| delete.execute(params![known.number, signed(source.seq), source.ordinal]))
            .map_err(failed)?;
    }
    for group in &groups {
        rewrap(hand, shared, *group)?;
    }
    aftermath.dead_groups = groups;
    Ok(())
}

/// Moves the surviving keys of a group to a new one.
pub(crate) fn rewrap(hand: &mut Hand, shared: &Shared, group: i64) -> Result<(), StoreError> {
    type Survivor = (i64, [u8; 16], Position, Vec<u8>);
    let survivors: Vec<Survivor> = {
        let mut select = hand
            .connection
            .prepare_cached(
                "SELECT data_key.subject, uid, source_seq, source_ordinal, wrapped FROM data_key
                 JOIN subject ON subject.subject = data_key.subject WHERE key_group = ?",
            )
            .map_err(failed)?;
        let rows = select.query_map([group], |row| {
            let source = Position::new(row.get::<_, i64>(2)?.max(0) as u64, row.get(3)?);
            Ok((row.get(0)?, row.get(1)?, source, row.get(4)?))
        });
        rows.and_then(Iterator::collect).map_err(failed)?
    };
    if !survivors.is_empty() {
        let mut chance = Chance::draw()?;
        let (fresh, key) = new_group(hand, &mut chance)?;
        for (subject, uid, source, wrapped) in &survivors {
            let opened = unwrap(shared, &hand.connection, *uid, *source, group, wrapped)?;
            let wrapped = shared.keyring.wrap(&mut chance, (fresh, &key), *uid, *source, &opened);
            hand.connection
                .prepare_cached(
                    "UPDATE data_key SET key_group = ?, wrapped = ?
                     WHERE subject = ? AND source_seq = ? AND source_ordinal = ?",
                )
                .and_then(|mut update| {
                    update.execute(params![fresh, wrapped, subject, signed(source.seq), source.ordinal])
                })
                .map_err(failed)?;
        }
        hand.connection
            .execute(
                "UPDATE key_group SET keys = ? WHERE key_group = ?",
                params![survivors.len() as i64, fresh],
            )
            .map_err(failed)?;
    }
    hand.connection.execute("DELETE FROM key_group WHERE key_group = ?", [group]).map(drop).map_err(failed)
}

/// Makes room on a full disk: the write-ahead log is written back and cut, which needs as much room as it brought new
/// pages, and that the ballast has.
fn make_room(connection: &Connection, shared: &Shared) -> bool {
    let emptied = || empty_the_log(connection, &shared.access).unwrap_or(false);
    emptied() || (files::release_ballast(&shared.ballast()) && emptied())
}

/// Destroys dead keys, cleans the files and searches them.
fn clean(hand: &mut Hand, shared: &Arc<Shared>, aftermath: Aftermath) -> Result<Erased, StoreError> {
    if let Some(subject) = aftermath.subject {
        shared.cache.forget_seals(subject, aftermath.shredded.iter().copied());
    }
    failpoint::pass(Failpoint::ErasedCommitted);
    for group in &aftermath.dead_groups {
        shared.keyring.destroy_group(*group)?;
    }
    failpoint::pass(Failpoint::ErasedKeys);
    destroy_copies(&shared.access)?;
    failpoint::pass(Failpoint::ErasedCopies);
    let log_is_empty = match empty_the_log(&hand.connection, &shared.access) {
        Err(full) if full.kind() == StoreErrorKind::Full => make_room(&hand.connection, shared),
        other => other?,
    };
    failpoint::pass(Failpoint::ErasedLogCut);
    shared.vectors.empty_log()?;
    let mut residue = aftermath.needles.search(&shared.data, &shared.ballast())?;
    if residue > 0 && log_is_empty {
        // Pages that were split keep copies in their unused parts, which no deletion overwrites. Rewriting the file
        // does.
        residue = match hand.connection.execute_batch("VACUUM") {
            Ok(()) => {
                empty_the_log(&hand.connection, &shared.access)?;
                shared.vectors.rewrite()?;
                aftermath.needles.search(&shared.data, &shared.ballast())?
            }
            Err(_) => residue,
        };
    }
    failpoint::pass(Failpoint::ErasedSearched);
    if log_is_empty && residue == 0 {
        hand.connection.execute("UPDATE store SET scrub = 0 WHERE scrub = 1", []).map_err(failed)?;
    }
    failpoint::pass(Failpoint::ErasedCleaned);
    files::lay_ballast(&shared.ballast());
    // What could not be searched for, because the log could not be emptied, is not reported as gone.
    let residue = if log_is_empty { residue } else { residue.max(1) };
    Ok(Erased::Done { watermark: aftermath.watermark, rows: aftermath.rows, residue })
}

/// Destroys what is kept of the database as earlier versions had it.
pub(crate) fn destroy_copies(access: &Access) -> Result<(), StoreError> {
    for version in 1..schema::VERSION {
        let copy = files::copy_of_version(&access.path, version);
        // Opening may have been cut off while it made one.
        for path in [sibling(&copy, ".new"), copy] {
            for ending in ["-journal", ""] {
                files::destroy(&sibling(&path, ending))?;
            }
        }
    }
    Ok(())
}

/// Finishes a cleaning that was cut off; whether it is finished now.
pub(crate) fn finish_cut_off(connection: &Connection, shared: &Shared) -> Result<bool, StoreError> {
    let access = &shared.access;
    let pending: bool =
        connection.query_row("SELECT scrub FROM store", [], |row| row.get(0)).map_err(failed)?;
    if !pending {
        return Ok(true);
    }
    destroy_copies(access)?;
    // What to search for died with the process that erased it, so the file is rewritten to be sure.
    let clean = empty_the_log(connection, access)?
        && connection.execute_batch("VACUUM").is_ok()
        && empty_the_log(connection, access)?;
    shared.vectors.rewrite()?;
    if clean {
        connection.execute("UPDATE store SET scrub = 0", []).map_err(failed)?;
    }
    Ok(clean)
}

/// Writes the log back into the file and cuts it to nothing; waits for readers, and says `false` when they outlast it.
pub(crate) fn empty_the_log(connection: &Connection, access: &Access) -> Result<bool, StoreError> {
    let since = clock_ms();
    let log = sibling(&access.path, "-wal");
    loop {
        // While it waits for readers it keeps writers out, so it waits little at a time.
        let checkpoint = with_patience(200, || {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        });
        let busy = match checkpoint {
            Ok(busy) => busy != 0,
            Err(error) if error::kind_of(&error) == StoreErrorKind::Busy => true,
            Err(other) => return Err(error::sqlite(other, "empty the write-ahead log")),
        };
        if !busy && is_empty(&log) {
            return Ok(true);
        }
        if clock_ms() - since > CLEAN_MS_MAX {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_empty(path: &Path) -> bool {
    path.metadata().map_or(true, |found| found.len() == 0)
}
