//! Appending: the caller seals, the writer checks the basis and inserts, one commit makes it last.

use std::cell::RefCell;
use std::sync::Arc;

use ledger::id::{Position, Watermark};
use ledger::keys::Fingerprint;
use ledger::log::Keyed;
use ledger::proof::{ChainHash, Commitment, link};
use ledger::scope::Scope;
use ledger::store::{Appended, Head, StoreError, StoreErrorKind};
use ledger::time::Instant;
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::chance::Chance;
use crate::error::{self, contract};
use crate::keyring::OWN;
use crate::row::{self, Owner, Ready, Seals, Unready, signed};
use crate::seal::Seal;
use crate::subject::{Founding, Known, StoredSeals, add_key, find};
use crate::writer::{Failure, Hand};
use crate::{Shared, SqliteStore, tombstone};

/// The end of a log, as the next append needs it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tip {
    pub(crate) watermark: Watermark,
    pub(crate) recorded_at: Instant,
    pub(crate) hash: ChainHash,
}

/// One batch made ready.
struct ReadyBatch {
    key: Fingerprint,
    recorded_at: Instant,
    commitments: Vec<Commitment>,
    rows: Vec<Ready>,
}

/// Whose log the batches were made ready for.
enum Target {
    There(Known),
    New(Founding),
}

/// What became of one attempt.
enum Attempt {
    Appended(Appended, Known),
    /// The subject was founded or forgotten in between: make ready again.
    SubjectMoved,
}

/// Seals of sources that are in the batch itself, before those in the store.
struct Fresh<'append> {
    shared: &'append Shared,
    known: Option<Known>,
    made: RefCell<FxHashMap<Position, Arc<Seal>>>,
}

impl Seals for Fresh<'_> {
    fn seal_of(&self, source: Position) -> Result<Option<Arc<Seal>>, StoreError> {
        if let Some(seal) = self.made.borrow().get(&source) {
            return Ok(Some(seal.clone()));
        }
        let Some(known) = self.known else { return Ok(None) };
        if let Some(seal) = self.shared.cache.seal(known.number, source) {
            return Ok(Some(seal));
        }
        let seal = self
            .shared
            .readers
            .read(|connection| StoredSeals { shared: self.shared, connection, known }.seal_of(source))?;
        if let Some(seal) = &seal {
            self.made.borrow_mut().insert(source, seal.clone());
        }
        Ok(seal)
    }
}

impl SqliteStore {
    pub(crate) fn append_group(
        &self,
        scope: &Scope,
        basis: &Head,
        group: &[Keyed],
    ) -> Result<Appended, StoreError> {
        let basis = *basis;
        let distinct: FxHashSet<Fingerprint> = group.iter().map(|keyed| keyed.key).collect();
        if distinct.len() < group.len() {
            return Err(contract("two batches of one group have the same idempotency key"));
        }
        let writer = self.writer()?;
        let mark = self.shared.keyring.mark(scope.subject());
        for _ in 0..8 {
            let there = match self.shared.cache.hint(&mark) {
                Some(known) => Some(known),
                None => self.shared.readers.read(|connection| find(connection, &mark))?,
            };
            let target = match there {
                Some(known) => Target::There(known),
                None if basis.watermark > 0 => return Ok(Appended::BasisMoved(0)),
                None => Target::New(Founding::draw(&self.shared, scope.subject())?),
            };
            let batches = match self.make_ready(&target, basis.watermark, group) {
                Ok(batches) => batches,
                Err(Unready::NoSource(source)) => {
                    self.shared.cache.forget_hint(&mark);
                    match self.explain(&mark, &target, basis, group, source)? {
                        Some(appended) => return Ok(appended),
                        None => continue,
                    }
                }
                Err(Unready::Failed(error)) => return Err(error),
            };
            let made: Vec<(Position, Arc<Seal>)> = sources_made(basis.watermark, &batches);
            let bytes = batches.iter().flat_map(|batch| &batch.rows).map(row::weight).sum();
            let attempt =
                writer.shared(bytes, move |hand| insert_group(hand, &mark, &target, basis, &batches));
            match attempt {
                Ok(Attempt::SubjectMoved) => self.shared.cache.forget_hint(&mark),
                Ok(Attempt::Appended(appended, known)) => {
                    self.shared.cache.remember(mark, known);
                    if matches!(appended, Appended::Done(_)) {
                        for (source, seal) in made {
                            self.shared.cache.keep_seal(known.number, source, seal);
                        }
                    }
                    return Ok(appended);
                }
                Err(Failure { unknown: true, .. }) => return Ok(Appended::Unknown),
                Err(failure) => return Err(failure.error),
            }
        }
        Err(StoreError::new(
            StoreErrorKind::Busy,
            "the subject is being forgotten by somebody else; try again",
        ))
    }

    fn make_ready(
        &self,
        target: &Target,
        basis: Watermark,
        group: &[Keyed],
    ) -> Result<Vec<ReadyBatch>, Unready> {
        let (uid, known, own) = match target {
            Target::There(known) => (known.uid, Some(*known), None),
            Target::New(founding) => (founding.uid, None, Some((OWN, founding.seal.clone()))),
        };
        let owner = Owner { store: self.shared.keyring.store(), uid };
        let fresh = Fresh { shared: &self.shared, known, made: RefCell::new(own.into_iter().collect()) };
        let mut chance = Chance::draw()?;
        let mut batches = Vec::with_capacity(group.len());
        for (seq, keyed) in (basis + 1..).zip(group) {
            let mut batch = ReadyBatch {
                key: keyed.key,
                recorded_at: keyed.batch.recorded_at,
                commitments: Vec::with_capacity(keyed.batch.rows.len()),
                rows: Vec::with_capacity(keyed.batch.rows.len()),
            };
            for (ordinal, one) in (0..).zip(&keyed.batch.rows) {
                let position = Position::new(seq, ordinal);
                let (commitment, ready) = row::prepare(owner, &fresh, &mut chance, position, one)?;
                if let Ready::Source { key, .. } = &ready {
                    fresh.made.borrow_mut().insert(position, key.clone());
                }
                batch.commitments.push(commitment);
                batch.rows.push(ready);
            }
            batches.push(batch);
        }
        Ok(batches)
    }

    /// Says why a group that refers to a source that is not there cannot be appended; `None` where it was made ready for a life of
    /// the subject that is over, and the caller knows of the next.
    fn explain(
        &self,
        mark: &[u8; 16],
        target: &Target,
        basis: Head,
        group: &[Keyed],
        source: Position,
    ) -> Result<Option<Appended>, StoreError> {
        let keys: Vec<Fingerprint> = group.iter().map(|keyed| keyed.key).collect();
        self.shared.readers.read(|connection| {
            let found = find(connection, mark)?;
            let tip = found.map(|known| tip(connection, known.number)).transpose()?.unwrap_or_default();
            // Perhaps the source was erased, or the whole subject; then the log has moved.
            let answer = match found {
                Some(known) => answer_without_writing(connection, known.number, tip.watermark, basis, &keys)?,
                None => (basis.watermark > 0).then_some(Appended::BasisMoved(0)),
            };
            let same_life = match (found, target) {
                (Some(found), Target::There(expected)) => found.number == expected.number,
                (found, target) => found.is_none() && matches!(target, Target::New(_)),
            };
            match answer {
                None if same_life => Err(contract(format!("source {source} is not there"))),
                answer => Ok(answer),
            }
        })
    }
}

fn sources_made(basis: Watermark, batches: &[ReadyBatch]) -> Vec<(Position, Arc<Seal>)> {
    let mut made = Vec::new();
    for (seq, batch) in (basis + 1..).zip(batches) {
        for (ordinal, ready) in (0..).zip(&batch.rows) {
            if let Ready::Source { key, .. } = ready {
                made.push((Position::new(seq, ordinal), key.clone()));
            }
        }
    }
    made
}

/// The end of a subject's log.
pub(crate) fn tip(connection: &Connection, subject: i64) -> Result<Tip, StoreError> {
    let failed = |error| error::sqlite(error, "read the log's end");
    let found = connection
        .prepare_cached(
            "SELECT seq, recorded_at, hash FROM entry WHERE subject = ? ORDER BY seq DESC LIMIT 1",
        )
        .map_err(failed)?
        .query_row([subject], |row| {
            Ok(Tip {
                watermark: row.get::<_, i64>(0)?.max(0) as u64,
                recorded_at: Instant::from_micros(row.get(1)?),
                hash: ChainHash(row.get(2)?),
            })
        })
        .optional();
    found.map(Option::unwrap_or_default).map_err(failed)
}

/// The append a key stands for.
pub(crate) fn append_of(
    connection: &Connection,
    subject: i64,
    key: &Fingerprint,
) -> Result<Option<Watermark>, StoreError> {
    let failed = |error| error::sqlite(error, "read a key");
    connection
        .prepare_cached("SELECT seq FROM entry WHERE subject = ? AND request = ?")
        .map_err(failed)?
        .query_row(params![subject, key.0], |row| row.get::<_, i64>(0))
        .optional()
        .map(|seq| seq.map(|seq| seq.max(0) as u64))
        .map_err(failed)
}

/// The answer to a group that is known or comes too late; `None` when it may be appended.
fn answer_without_writing(
    connection: &Connection,
    subject: i64,
    watermark: Watermark,
    basis: Head,
    keys: &[Fingerprint],
) -> Result<Option<Appended>, StoreError> {
    let known: Vec<Option<Watermark>> =
        keys.iter().map(|key| append_of(connection, subject, key)).collect::<Result<_, _>>()?;
    if known.iter().any(Option::is_some) {
        return Ok(Some(Appended::Known(known)));
    }
    Ok((!basis.holds(watermark, subject.unsigned_abs())).then_some(Appended::BasisMoved(watermark)))
}

fn insert_group(
    hand: &mut Hand,
    mark: &[u8; 16],
    target: &Target,
    basis: Head,
    batches: &[ReadyBatch],
) -> Result<Attempt, StoreError> {
    let found = find(&hand.connection, mark)?;
    let known = match (found, target) {
        (Some(found), Target::There(expected)) if found.number == expected.number => found,
        (None, Target::New(founding)) => founding.insert(hand)?,
        _ => return Ok(Attempt::SubjectMoved),
    };
    let tip = tip(&hand.connection, known.number)?;
    let keys: Vec<Fingerprint> = batches.iter().map(|batch| batch.key).collect();
    if let Some(answer) = answer_without_writing(&hand.connection, known.number, tip.watermark, basis, &keys)?
    {
        return Ok(Attempt::Appended(answer, known));
    }
    let mut hash = tip.hash;
    for (seq, batch) in (basis.watermark + 1..).zip(batches) {
        hash = link(&hash, seq, batch.recorded_at, &batch.commitments, &[]);
        let entry = Entry {
            seq,
            recorded_at: batch.recorded_at,
            hash,
            request: batch.key,
            commitments: &batch.commitments,
            orphaned: &[],
        };
        entry.insert(&hand.connection, known.number)?;
        for (ordinal, ready) in (0..).zip(&batch.rows) {
            let position = Position::new(seq, ordinal);
            row::insert(&hand.connection, known.number, position, ready)
                .map_err(|error| error::sqlite(error, &format!("append row {position}")))?;
            match ready {
                Ready::Source { key, .. } => add_key(hand, known.number, known.uid, position, key)?,
                Ready::Act { lift: Some(lift), .. } => tombstone::lift(&hand.connection, mark, lift)?,
                _ => {}
            }
        }
    }
    Ok(Attempt::Appended(Appended::Done(basis.watermark + batches.len() as u64), known))
}

/// What the chain keeps of one append.
pub(crate) struct Entry<'entry> {
    pub(crate) seq: Watermark,
    pub(crate) recorded_at: Instant,
    pub(crate) hash: ChainHash,
    pub(crate) request: Fingerprint,
    pub(crate) commitments: &'entry [Commitment],
    pub(crate) orphaned: &'entry [Position],
}

impl Entry<'_> {
    pub(crate) fn insert(&self, connection: &Connection, subject: i64) -> Result<(), StoreError> {
        let commitments: Vec<u8> = self.commitments.iter().flat_map(|commitment| commitment.0).collect();
        let orphaned = match self.orphaned {
            [] => Vec::new(),
            // Encoding numbers to a growing vector cannot fail.
            some => postcard::to_allocvec(some).unwrap_or_default(),
        };
        connection
            .prepare_cached("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)")
            .and_then(|mut insert| {
                insert.execute(params![
                    subject,
                    signed(self.seq),
                    self.recorded_at.micros(),
                    self.hash.0,
                    self.request.0,
                    commitments,
                    orphaned,
                ])
            })
            .map(drop)
            .map_err(|error| error::sqlite(error, "append"))
    }
}
