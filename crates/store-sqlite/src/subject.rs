//! Subjects: found by a keyed mark of their name, founded with a random id, a seed and a data key of their own.

use std::sync::Arc;

use ledger::id::{Position, Watermark};
use ledger::keys::SubjectKeys;
use ledger::scope::{Scope, Subject};
use ledger::store::{StoreError, StoreErrorKind};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;
use zeroize::Zeroizing;

use crate::chance::Chance;
use crate::error::{self, damaged};
use crate::failpoint::{self, Failpoint};
use crate::keyring::{GROUP_KEYS_MAX, OWN};
use crate::row::{Owner, Seals, signed};
use crate::seal::{Column, Seal};
use crate::writer::Hand;
use crate::{Shared, SqliteStore, lost};

/// The most opened keys kept in memory; beyond it they are opened again.
const CACHE_MAX: usize = 20_000;

/// The row of a subject.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) number: i64,
    pub(crate) uid: [u8; 16],
    /// The last append that erased something.
    pub(crate) rewritten: Watermark,
}

/// Keys that were opened before. Numbers of subjects and places in a log are never given twice, so nothing here can
/// become wrong; what was erased is only never asked for again, and is dropped all the same.
#[derive(Default)]
pub(crate) struct Cache {
    numbers: Mutex<FxHashMap<[u8; 16], Known>>,
    seals: Mutex<FxHashMap<(i64, Position), Arc<Seal>>>,
    keys: Mutex<FxHashMap<i64, SubjectKeys>>,
}

impl Cache {
    /// Where a subject was last seen; only a hint, to be checked by whoever writes.
    pub(crate) fn hint(&self, mark: &[u8; 16]) -> Option<Known> {
        self.numbers.lock().get(mark).copied()
    }

    pub(crate) fn remember(&self, mark: [u8; 16], known: Known) {
        insert_bounded(&mut self.numbers.lock(), mark, known);
    }

    pub(crate) fn forget_hint(&self, mark: &[u8; 16]) {
        self.numbers.lock().remove(mark);
    }

    pub(crate) fn seal(&self, subject: i64, source: Position) -> Option<Arc<Seal>> {
        self.seals.lock().get(&(subject, source)).cloned()
    }

    pub(crate) fn keep_seal(&self, subject: i64, source: Position, seal: Arc<Seal>) {
        insert_bounded(&mut self.seals.lock(), (subject, source), seal);
    }

    pub(crate) fn forget_seals(&self, subject: i64, sources: impl Iterator<Item = Position>) {
        let mut seals = self.seals.lock();
        for source in sources {
            seals.remove(&(subject, source));
        }
    }

    pub(crate) fn forget_subject(&self, mark: &[u8; 16], subject: i64) {
        self.forget_hint(mark);
        self.keys.lock().remove(&subject);
        self.seals.lock().retain(|(number, _), _| *number != subject);
    }
}

fn insert_bounded<K: std::hash::Hash + Eq, V>(map: &mut FxHashMap<K, V>, key: K, value: V) {
    if map.len() >= CACHE_MAX {
        map.clear();
    }
    map.insert(key, value);
}

/// The subject with this mark.
pub(crate) fn find(connection: &Connection, mark: &[u8; 16]) -> Result<Option<Known>, StoreError> {
    let failed = |error| error::sqlite(error, "read");
    connection
        .prepare_cached("SELECT subject, uid, rewritten FROM subject WHERE mark = ?")
        .map_err(failed)?
        .query_row([mark], |row| {
            let rewritten: i64 = row.get(2)?;
            Ok(Known { number: row.get(0)?, uid: row.get(1)?, rewritten: rewritten.max(0) as u64 })
        })
        .optional()
        .map_err(failed)
}

/// The seals of one subject as the database has them.
pub(crate) struct StoredSeals<'read> {
    pub(crate) shared: &'read Shared,
    pub(crate) connection: &'read Connection,
    pub(crate) known: Known,
}

impl Seals for StoredSeals<'_> {
    fn seal_of(&self, source: Position) -> Result<Option<Arc<Seal>>, StoreError> {
        let Self { shared, connection, known } = self;
        if let Some(seal) = shared.cache.seal(known.number, source) {
            return Ok(Some(seal));
        }
        let failed = |error| error::sqlite(error, "read a key");
        let stored: Option<(i64, Vec<u8>)> = connection
            .prepare_cached(
                "SELECT key_group, wrapped FROM data_key
                 WHERE subject = ? AND source_seq = ? AND source_ordinal = ?",
            )
            .map_err(failed)?
            .query_row(params![known.number, signed(source.seq), source.ordinal], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(failed)?;
        let Some((group, wrapped)) = stored else { return Ok(None) };
        let seal = Arc::new(Seal::new(unwrap(shared, connection, known.uid, source, group, &wrapped)?));
        shared.cache.keep_seal(known.number, source, seal.clone());
        Ok(Some(seal))
    }
}

/// Opens a wrapped data key.
pub(crate) fn unwrap(
    shared: &Shared,
    connection: &Connection,
    uid: [u8; 16],
    source: Position,
    group: i64,
    wrapped: &[u8],
) -> Result<Zeroizing<[u8; 32]>, StoreError> {
    // A group's number may be given again after a transaction that did not commit; then memory has the older key.
    for _ in 0..2 {
        let Some(key) = shared.keyring.group(group, connection)? else {
            return Err(lost::missing(connection, group));
        };
        if let Some(opened) = shared.keyring.unwrap((group, &key), uid, source, wrapped) {
            return Ok(opened);
        }
        shared.keyring.forget_group(group);
    }
    Err(damaged(format!("data key of source {source}"), "does not open"))
}

/// A subject that is to be.
pub(crate) struct Founding {
    mark: [u8; 16],
    pub(crate) uid: [u8; 16],
    pub(crate) seal: Arc<Seal>,
    name: Vec<u8>,
    seed: Vec<u8>,
}

impl Founding {
    /// Draws the secrets of a new subject.
    pub(crate) fn draw(shared: &Shared, subject: &Subject) -> Result<Self, StoreError> {
        let mut chance = Chance::draw()?;
        let uid = chance.bytes();
        let owner = Owner { store: shared.keyring.store(), uid };
        let seal = Arc::new(Seal::new(chance.secret()));
        let name = owner.place(Column::SubjectName, OWN, OWN);
        let name = seal.seal(&mut chance, &name, subject.as_str().as_bytes());
        let seed = chance.secret();
        let seed = seal.seal(&mut chance, &owner.place(Column::SubjectSeed, OWN, OWN), seed.as_slice());
        Ok(Self { mark: shared.keyring.mark(subject), uid, seal, name, seed })
    }

    /// Writes the subject down; its number.
    pub(crate) fn insert(&self, hand: &mut Hand) -> Result<Known, StoreError> {
        let failed = |error| error::sqlite(error, "found a subject");
        hand.connection
            .prepare_cached("INSERT INTO subject (mark, uid, name, seed) VALUES (?, ?, ?, ?)")
            .and_then(|mut insert| insert.execute(params![self.mark, self.uid, self.name, self.seed]))
            .map_err(failed)?;
        let number = hand.connection.last_insert_rowid();
        failpoint::pass(Failpoint::Founding);
        add_key(hand, number, self.uid, OWN, &self.seal)?;
        Ok(Known { number, uid: self.uid, rewritten: 0 })
    }
}

/// Wraps a data key under a group with room and writes it down.
pub(crate) fn add_key(
    hand: &mut Hand,
    subject: i64,
    uid: [u8; 16],
    source: Position,
    seal: &Seal,
) -> Result<(), StoreError> {
    let failed = |error| error::sqlite(error, "write a key");
    let mut chance = Chance::draw()?;
    let with_room: Option<i64> = hand
        .connection
        .prepare_cached("SELECT key_group FROM key_group WHERE keys < ? ORDER BY key_group DESC LIMIT 1")
        .and_then(|mut select| select.query_row([GROUP_KEYS_MAX], |row| row.get(0)).optional())
        .map_err(failed)?;
    let there = match with_room {
        Some(group) => hand.keyring.group(group, &hand.connection)?.map(|key| (group, key)),
        None => None,
    };
    // A group whose key is lost takes in no more.
    let (group, key) = match there {
        Some(there) => there,
        None => new_group(hand, &mut chance)?,
    };
    let wrapped = hand.keyring.wrap(&mut chance, (group, &key), uid, source, seal.bytes());
    hand.connection
        .prepare_cached("INSERT INTO data_key VALUES (?, ?, ?, ?, ?)")
        .and_then(|mut insert| {
            insert.execute(params![subject, signed(source.seq), source.ordinal, group, wrapped])
        })
        .and_then(|_| {
            hand.connection.prepare_cached("UPDATE key_group SET keys = keys + 1 WHERE key_group = ?")
        })
        .and_then(|mut count| count.execute([group]))
        .map(drop)
        .map_err(failed)
}

/// A new group with its key file.
///
/// Its number is one that no file has, also where the database knows none of it: the file may be of a commit whose outcome could not
/// be learnt, and that may come to count when the machine starts again.
pub(crate) fn new_group(hand: &mut Hand, chance: &mut Chance) -> Result<(i64, Arc<Seal>), StoreError> {
    let failed = |error| error::sqlite(error, "write a key");
    let next = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'key_group'), 0) + 1";
    let next = hand.connection.query_row(next, [], |row| row.get(0)).map_err(failed)?;
    let group = hand.keyring.free_number(next)?;
    hand.connection
        .execute("INSERT INTO key_group (key_group, keys) VALUES (?, 0)", [group])
        .map_err(failed)?;
    hand.created_groups.push(group);
    let key = hand.keyring.create_group(group, chance, &hand.connection)?;
    failpoint::pass(Failpoint::GroupMade);
    Ok((group, key))
}

impl SqliteStore {
    /// Runs `read` on one snapshot with the subject's row; `None` when there is no such subject.
    pub(crate) fn read_subject<T>(
        &self,
        scope: &Scope,
        mut read: impl FnMut(&Connection, Known) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mark = self.shared.keyring.mark(scope.subject());
        self.shared.readers.read(|connection| match find(connection, &mark)? {
            Some(known) => read(connection, known).map(Some),
            None => Ok(None),
        })
    }

    pub(crate) fn read_keys(&self, scope: &Scope) -> Result<Option<SubjectKeys>, StoreError> {
        self.read_subject(scope, |connection, known| self.keys_of(scope, connection, known))
    }

    fn keys_of(
        &self,
        scope: &Scope,
        connection: &Connection,
        known: Known,
    ) -> Result<SubjectKeys, StoreError> {
        let shared = &self.shared;
        if let Some(keys) = shared.cache.keys.lock().get(&known.number) {
            return Ok(keys.clone());
        }
        let sealed: Vec<u8> = connection
            .prepare_cached("SELECT seed FROM subject WHERE subject = ?")
            .and_then(|mut select| select.query_row([known.number], |row| row.get(0)))
            .map_err(|error| error::sqlite(error, "read a key"))?;
        let owner = Owner { store: shared.keyring.store(), uid: known.uid };
        let seal = StoredSeals { shared, connection, known }.seal_of(OWN)?;
        let seed = seal.and_then(|seal| seal.open_key(&owner.place(Column::SubjectSeed, OWN, OWN), &sealed));
        let seed =
            seed.ok_or_else(|| damaged(format!("seed of subject number {}", known.number), "does not open"))?;
        let keys = shared.keyring.subject_keys(scope.subject(), &seed);
        insert_bounded(&mut shared.cache.keys.lock(), known.number, keys.clone());
        Ok(keys)
    }

    pub(crate) fn found_subject(&self, scope: &Scope) -> Result<SubjectKeys, StoreError> {
        // Between founding and reading, another process may forget the subject; then it is founded again.
        for _ in 0..8 {
            if let Some(keys) = self.read_keys(scope)? {
                return Ok(keys);
            }
            let founding = Founding::draw(&self.shared, scope.subject())?;
            self.writer()?.shared(500, move |hand| match find(&hand.connection, &founding.mark)? {
                Some(_) => Ok(()),
                None => founding.insert(hand).map(drop),
            })?;
        }
        Err(StoreError::new(
            StoreErrorKind::Busy,
            "the subject is being forgotten by somebody else; try again",
        ))
    }

    /// Every subject whose name can be read; [`crate::SqliteStore::unreadable`] names the others.
    pub(crate) fn read_subjects(&self) -> Result<Vec<Subject>, StoreError> {
        let failed = |error| error::sqlite(error, "list subjects");
        let shared = &self.shared;
        let mut subjects = Vec::new();
        let mut after = 0;
        loop {
            // In pieces, so that no snapshot grows old.
            let (piece, keyless) = shared.readers.read(|connection| {
                let mut select = connection
                    .prepare_cached(
                        "SELECT subject FROM subject WHERE subject > ? ORDER BY subject LIMIT 1000",
                    )
                    .map_err(failed)?;
                let numbers = select.query_map([after], |row| row.get::<_, i64>(0)).map_err(failed)?;
                let mut piece = Vec::new();
                let mut keyless = Vec::new();
                for number in numbers {
                    let number = number.map_err(failed)?;
                    match name_of(shared, connection, number) {
                        Err(error) if error.kind() == StoreErrorKind::Key => keyless.push(number),
                        name => piece.push((number, name?)),
                    }
                }
                Ok((piece, keyless))
            })?;
            let last = piece.iter().map(|(number, _)| *number).chain(keyless.iter().copied()).max();
            for number in keyless {
                // Perhaps its key was only being wrapped anew; a read by itself looks again.
                match shared.readers.read(|connection| name_of(shared, connection, number)) {
                    Err(error) if error.kind() == StoreErrorKind::Key => {}
                    name => subjects.extend(name?),
                }
            }
            let Some(last) = last else { break };
            after = last;
            subjects.extend(piece.into_iter().filter_map(|(_, name)| name));
        }
        subjects.sort_unstable();
        Ok(subjects)
    }
}

/// The name of a subject; `None` when it is not there any more.
fn name_of(shared: &Shared, connection: &Connection, number: i64) -> Result<Option<Subject>, StoreError> {
    let stored: Option<([u8; 16], Vec<u8>)> = connection
        .prepare_cached("SELECT uid, name FROM subject WHERE subject = ?")
        .and_then(|mut select| select.query_row([number], |row| Ok((row.get(0)?, row.get(1)?))).optional())
        .map_err(|error| error::sqlite(error, "list subjects"))?;
    let Some((uid, sealed)) = stored else { return Ok(None) };
    let known = Known { number, uid, rewritten: 0 };
    let owner = Owner { store: shared.keyring.store(), uid };
    let seal = StoredSeals { shared, connection, known }.seal_of(OWN)?;
    seal.and_then(|seal| seal.open(&owner.place(Column::SubjectName, OWN, OWN), &sealed))
        .and_then(|name| String::from_utf8(name).ok())
        .and_then(|name| Subject::parse(&name).ok())
        .map(Some)
        .ok_or_else(|| damaged(format!("name of subject number {number}"), "does not open"))
}
