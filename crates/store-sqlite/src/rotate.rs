//! Rotation: keys wrapped anew while others read and write, in steps that a crash may cut off anywhere.
//!
//! **The master key.** `keys/rotation` is written first: it holds the old and the new key, each sealed under the other,
//! so that every process that has one opens what either wraps. Then the groups' files are wrapped anew, a few at a time
//! under the write lock, which keeps out erasures (they destroy files) and new groups. The store's secret is sealed
//! under the new key in one transaction: from its commit on, whoever makes a group's key uses the new one, because the
//! key in force is by definition the one that opens the secret. Last the old key is overwritten and `keys/rotation`
//! removed. Begun again after a crash, it goes on where it was.
//!
//! **A subject's keys.** Its data keys move to new groups with those that share their groups, as a shredding moves
//! survivors; the words are not sealed anew.
//!
//! Either way the copies of the database that earlier versions left beside it are destroyed: no key is left for them.

use std::ops::ControlFlow;
use std::sync::Arc;

use ledger::scope::Scope;
use ledger::store::{StoreError, StoreErrorKind};
use rusqlite::params;
use zeroize::Zeroizing;

use crate::chance::Chance;
use crate::keyring::Rotation;
use crate::seal::Seal;
use crate::subject::find;
use crate::writer::{Failure, Hand};
use crate::{Shared, SqliteStore, erase, error, files};

/// Groups wrapped anew while the write lock is held once: two waits for the disk each.
const GROUPS_AT_ONCE: usize = 16;

/// A step of a rotation that is on the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RotationStep {
    /// It is written down which keys lead from and to.
    Begun,
    /// So many groups of so many are wrapped under the new key.
    Wrapped {
        /// Groups done.
        done: usize,
        /// Groups there were when it began.
        total: usize,
    },
    /// What is made from here on is wrapped under the new key.
    Switched,
    /// The new key stands where the old one stood; the old one is still beside it.
    Placed,
    /// The old key is overwritten and gone.
    Destroyed,
    /// Nothing tells of the rotation any more.
    Finished,
}

/// What a rotation did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rotated {
    /// Groups of data keys wrapped anew.
    pub groups: u64,
    /// Data keys in them.
    pub keys: u64,
    /// Groups that could not be, because their keys are lost.
    pub lost: u64,
    /// Whether all steps were taken; `false` when the caller asked to stop.
    pub finished: bool,
    /// Whether a rotation that had been cut off was gone on with.
    pub resumed: bool,
}

impl SqliteStore {
    /// Whether a change of the master key was begun and not finished.
    #[must_use]
    pub fn rotation_is_unfinished(&self) -> bool {
        self.shared.keyring.files().rotation.exists()
    }

    /// Whether the master key is handed in at every opening, rather than read from `keys/master.key`.
    #[must_use]
    pub fn master_key_is_given(&self) -> bool {
        self.shared.keyring.is_given()
    }

    /// Changes the master key: to `new`, which is then handed in at every opening and is in no file, or to one that is
    /// drawn and stands in `keys/master.key`. After each step `told` hears of it and may stop there; called again, it
    /// goes on.
    ///
    /// # Errors
    /// [`StoreErrorKind::Key`] when another change is under way, to another key; the store's as they come. What was
    /// done before stays, and calling again goes on.
    pub fn rotate_master(
        &self,
        new: Option<&[u8; 32]>,
        mut told: impl FnMut(RotationStep) -> ControlFlow<()>,
    ) -> Result<Rotated, StoreError> {
        let wanted = new.map(|new| Zeroizing::new(*new));
        let shared = self.shared.clone();
        let (rotation, resumed) = self.locked(move |hand| begin(hand, &shared, wanted.as_deref()))?;
        let rotation = Arc::new(rotation);
        let mut rotated = Rotated { resumed, ..Rotated::default() };
        if told(RotationStep::Begun).is_break() {
            return Ok(rotated);
        }
        let all = self.locked(|hand| known_groups(hand))?;
        let total = all.len();
        for (number, piece) in all.chunks(GROUPS_AT_ONCE).enumerate() {
            let (piece, shared, of_piece) = (piece.to_vec(), self.shared.clone(), rotation.clone());
            self.locked(move |hand| {
                let there = known_groups(hand)?;
                let mut there = piece.iter().filter(|group| there.binary_search(group).is_ok());
                there.try_for_each(|group| shared.keyring.rewrap_group(*group, &of_piece).map(drop))
            })?;
            let done = (number * GROUPS_AT_ONCE + GROUPS_AT_ONCE).min(total);
            if told(RotationStep::Wrapped { done, total }).is_break() {
                return Ok(rotated);
            }
        }
        let (shared, of_switch) = (self.shared.clone(), rotation.clone());
        let counted = self.committed(move |hand| switch(hand, &shared, &of_switch))?;
        rotated = Rotated { resumed, ..counted };
        if told(RotationStep::Switched).is_break() {
            return Ok(rotated);
        }
        for step in [place, destroy, end] {
            let (shared, of_step) = (self.shared.clone(), rotation.clone());
            let done = self.locked(move |_| step(&shared, &of_step))?;
            if told(done).is_break() && done != RotationStep::Finished {
                return Ok(rotated);
            }
        }
        self.clean_up()?;
        rotated.finished = true;
        Ok(rotated)
    }

    /// Moves the data keys of a subject, and those that share groups with them, to groups with new keys, and destroys
    /// the keys of the old groups; of all subjects, when none is named. A subject that is not there has none.
    ///
    /// # Errors
    /// [`StoreErrorKind::Key`] when one of the groups is lost; the store's as they come. Groups done before stay done.
    pub fn rotate_groups(&self, scope: Option<&Scope>) -> Result<Rotated, StoreError> {
        let mark = scope.map(|scope| self.shared.keyring.mark(scope.subject()));
        let groups: Vec<i64> = self.shared.readers.read(|connection| {
            let subject = match mark.map(|mark| find(connection, &mark)).transpose()? {
                None => None,
                Some(Some(known)) => Some(known.number),
                Some(None) => return Ok(Vec::new()),
            };
            let mut select = connection
                .prepare_cached(
                    "SELECT DISTINCT key_group FROM data_key WHERE ?1 IS NULL OR subject = ?1 ORDER BY key_group",
                )
                .map_err(failed)?;
            let rows = select.query_map([subject], |row| row.get(0));
            rows.and_then(Iterator::collect).map_err(failed)
        })?;
        let mut rotated = Rotated::default();
        for group in groups {
            let shared = self.shared.clone();
            let keys = self.committed(move |hand| {
                // Another process may have shredded in it meanwhile, and moved the rest.
                if known_groups(hand)?.binary_search(&group).is_err() {
                    return Ok(0);
                }
                let keys = count_keys(hand, Some(group))?;
                erase::rewrap(hand, &shared, group)?;
                Ok(keys)
            })?;
            rotated.groups += u64::from(keys > 0);
            rotated.keys += keys;
            // Only now is what it wrapped readable without it, whatever happens to the machine.
            self.shared.keyring.destroy_group(group)?;
        }
        self.clean_up()?;
        rotated.finished = true;
        Ok(rotated)
    }

    /// What is wrapped under keys that are gone is in the log until it is written back, and in the databases that earlier
    /// versions left, which nothing opens any more.
    fn clean_up(&self) -> Result<(), StoreError> {
        let shared = self.shared.clone();
        let cleaned = self.writer()?.alone(move |hand| {
            erase::destroy_copies(&shared.access)?;
            erase::empty_the_log(&hand.connection, &shared.access)
        });
        cleaned.map(drop).map_err(StoreError::from)
    }

    /// Runs `work` with the write lock and leaves the database as it was.
    fn locked<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Hand) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let done = self.writer()?.alone(move |hand| {
            hand.begin()?;
            let done = work(hand);
            hand.roll_back();
            done
        });
        Ok(done?)
    }

    /// Runs `work` in a transaction of its own.
    fn committed<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Hand) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let done = self.writer()?.alone(move |hand| {
            hand.begin()?;
            let done = work(hand)?;
            hand.commit().map_err(|Failure { error, .. }| error)?;
            Ok(done)
        });
        Ok(done?)
    }
}

fn failed(error: rusqlite::Error) -> StoreError {
    error::sqlite(error, "rotate keys")
}

/// The rotation under way, or a new one that is written down now.
fn begin(
    hand: &mut Hand,
    shared: &Shared,
    wanted: Option<&[u8; 32]>,
) -> Result<(Rotation, bool), StoreError> {
    let keyring = &shared.keyring;
    if keyring.files().rotation.exists() {
        let other = || {
            let message =
                "another change of the master key is under way; finish it with the keys it was begun with";
            StoreError::new(StoreErrorKind::Key, message)
        };
        let rotation = keyring.rotation()?.ok_or_else(other)?;
        let is_same = match wanted {
            Some(wanted) => rotation.new.bytes() == wanted,
            // Whoever names no key goes on with whatever was begun.
            None => true,
        };
        return if is_same { Ok((rotation, true)) } else { Err(other()) };
    }
    let old = keyring.current_master(&hand.connection)?;
    let new = match wanted {
        Some(wanted) => Zeroizing::new(*wanted),
        None => Chance::draw()?.secret(),
    };
    if old.bytes() == &*new {
        let message = "the new master key is the one in force; give another";
        return Err(StoreError::new(StoreErrorKind::Key, message));
    }
    let rotation = Rotation { old, new: Arc::new(Seal::new(new)), given: wanted.is_some() };
    keyring.begin_rotation(&rotation)?;
    Ok((rotation, false))
}

/// The groups the database knows, in order.
fn known_groups(hand: &Hand) -> Result<Vec<i64>, StoreError> {
    let mut select = hand
        .connection
        .prepare_cached("SELECT key_group FROM key_group ORDER BY key_group")
        .map_err(failed)?;
    let rows = select.query_map([], |row| row.get(0));
    rows.and_then(Iterator::collect).map_err(failed)
}

/// Data keys, of one group or of all.
fn count_keys(hand: &Hand, group: Option<i64>) -> Result<u64, StoreError> {
    let count = hand.connection.query_row(
        "SELECT count(*) FROM data_key WHERE ?1 IS NULL OR key_group = ?1",
        [group],
        |row| row.get::<_, i64>(0),
    );
    count.map(|count| count.max(0) as u64).map_err(failed)
}

/// Wraps what was made meanwhile, and seals the store's secret under the new key.
fn switch(hand: &mut Hand, shared: &Shared, rotation: &Rotation) -> Result<Rotated, StoreError> {
    let mut rotated = Rotated::default();
    for group in known_groups(hand)? {
        match shared.keyring.rewrap_group(group, rotation)? {
            true => rotated.groups += 1,
            false => rotated.lost += 1,
        }
    }
    rotated.keys = count_keys(hand, None)?;
    let sealed = shared.keyring.sealed_secret(&rotation.new)?;
    hand.connection.execute("UPDATE store SET secret = ?", params![sealed]).map_err(failed)?;
    Ok(rotated)
}

/// Puts the new key where keys of its kind stand, the old one beside it.
fn place(shared: &Shared, rotation: &Rotation) -> Result<RotationStep, StoreError> {
    let files = shared.keyring.files();
    let stands = std::fs::read(&files.master).map(Zeroizing::new);
    let is_new = stands.as_ref().is_ok_and(|stands| stands.as_slice() == rotation.new.bytes());
    if stands.is_ok() && !is_new {
        files::link(&files.master, &files.retired)?;
    }
    match rotation.given {
        true => files::remove_link(&files.master)?,
        false if is_new => {}
        false => files::write_whole(&files.master, rotation.new.bytes())?,
    }
    Ok(RotationStep::Placed)
}

fn destroy(shared: &Shared, _: &Rotation) -> Result<RotationStep, StoreError> {
    files::destroy(&shared.keyring.files().retired)?;
    Ok(RotationStep::Destroyed)
}

fn end(shared: &Shared, rotation: &Rotation) -> Result<RotationStep, StoreError> {
    // Out of the way at once, and only then overwritten: a note of which half stands would bar every later change.
    let files = shared.keyring.files();
    files::rename_whole(&files.rotation, &files.retired)?;
    for file in [&files.rotation, &files.master] {
        files.destroy_half_written(file)?;
    }
    files::destroy(&files.retired)?;
    shared.keyring.end_rotation(rotation);
    Ok(RotationStep::Finished)
}
