//! A store whose process dies at a chosen write: before it reaches the store beneath, or after, when nobody hears the answer any more.

use std::sync::Arc;

use ledger::evidence::{Evidence, Marks};
use ledger::id::{EvidenceId, Position, TurnId, Watermark};
use ledger::keys::{BlindKey, Fingerprint, SubjectKeys};
use ledger::log::{Entry, Erasure, Keyed, Lift, SubjectErasure};
use ledger::policy::PolicyAct;
use ledger::proof::ChainHash;
use ledger::receipt::Destruction;
use ledger::scope::{Scope, Subject};
use ledger::store::{
    Appended, Capabilities, Erased, Head, Read, Recognised, RecordedTurn, Rows, Store, StoreError,
    StoreErrorKind, Verified,
};
use ledger::time::Instant;
use ledger::turn::TurnRecord;
use ledger::vectors::VectorStore;
use parking_lot::Mutex;

/// When a process dies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Death {
    /// Writes it still lives through.
    pub writes: usize,
    /// Whether the write it dies at reaches the store.
    pub is_written: bool,
}

/// What a process still has before it.
enum Life {
    Alive,
    Doomed(Death),
    Dead,
}

/// One process's way to a store that others use as well.
pub(super) struct Mortal {
    beneath: Arc<dyn Store>,
    life: Mutex<Life>,
}

impl Mortal {
    pub fn over(beneath: Arc<dyn Store>) -> Self {
        Self { beneath, life: Mutex::new(Life::Alive) }
    }

    /// Has the process die at one of its next writes.
    pub fn doom(&self, death: Death) {
        *self.life.lock() = Life::Doomed(death);
    }

    /// Lets it live on, if it still does; `false` when it is dead.
    pub fn spare(&self) -> bool {
        let mut life = self.life.lock();
        let is_alive = !matches!(*life, Life::Dead);
        if is_alive {
            *life = Life::Alive;
        }
        is_alive
    }

    fn read<T>(&self, read: impl FnOnce(&dyn Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match *self.life.lock() {
            Life::Dead => Err(gone()),
            Life::Alive | Life::Doomed(_) => read(&*self.beneath),
        }
    }

    fn write<T>(&self, write: impl FnOnce(&dyn Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut life = self.life.lock();
        match &mut *life {
            Life::Dead => Err(gone()),
            Life::Alive => write(&*self.beneath),
            Life::Doomed(death) if death.writes > 0 => {
                death.writes -= 1;
                write(&*self.beneath)
            }
            Life::Doomed(death) => {
                let is_written = death.is_written;
                *life = Life::Dead;
                if is_written {
                    write(&*self.beneath)?;
                }
                Err(gone())
            }
        }
    }
}

fn gone() -> StoreError {
    StoreError::new(StoreErrorKind::Io, "the process is gone")
}

impl Store for Mortal {
    fn capabilities(&self) -> Capabilities {
        self.beneath.capabilities()
    }

    fn keys(&self, scope: &Scope) -> Result<Option<SubjectKeys>, StoreError> {
        self.read(|store| store.keys(scope))
    }

    fn found(&self, scope: &Scope) -> Result<SubjectKeys, StoreError> {
        self.write(|store| store.found(scope))
    }

    fn head(&self, scope: &Scope) -> Result<Head, StoreError> {
        self.read(|store| store.head(scope))
    }

    fn append(&self, scope: &Scope, basis: Watermark, group: &[Keyed]) -> Result<Appended, StoreError> {
        self.write(|store| store.append(scope, basis, group))
    }

    fn read_changes(
        &self,
        scope: &Scope,
        after: Watermark,
        rows: Rows,
        take: &mut dyn FnMut(Entry),
    ) -> Result<Read, StoreError> {
        self.read(|store| store.read_changes(scope, after, rows, take))
    }

    fn recognise(&self, scope: &Scope, marks: &[Marks]) -> Result<Vec<Recognised>, StoreError> {
        self.read(|store| store.recognise(scope, marks))
    }

    fn forgotten(&self, scope: &Scope, marks: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        self.read(|store| store.forgotten(scope, marks))
    }

    fn blind(&self, scope: &Scope) -> Result<BlindKey, StoreError> {
        self.read(|store| store.blind(scope))
    }

    fn tombstones(&self, scope: &Scope, lift: &Lift) -> Result<u64, StoreError> {
        self.read(|store| store.tombstones(scope, lift))
    }

    fn chain(&self, scope: &Scope, at: Watermark) -> Result<Option<ChainHash>, StoreError> {
        self.read(|store| store.chain(scope, at))
    }

    fn destructions(&self) -> Result<Vec<Destruction>, StoreError> {
        self.read(|store| store.destructions())
    }

    fn evidence(&self, scope: &Scope, ids: &[EvidenceId]) -> Result<Vec<Option<Evidence>>, StoreError> {
        self.read(|store| store.evidence(scope, ids))
    }

    fn evidence_after(
        &self,
        scope: &Scope,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError> {
        self.read(|store| store.evidence_after(scope, after, limit))
    }

    fn erase(
        &self,
        scope: &Scope,
        basis: Watermark,
        key: Fingerprint,
        erasure: &Erasure,
    ) -> Result<Erased, StoreError> {
        self.write(|store| store.erase(scope, basis, key, erasure))
    }

    fn erase_subject(&self, scope: &Scope, erasure: &SubjectErasure) -> Result<Erased, StoreError> {
        self.write(|store| store.erase_subject(scope, erasure))
    }

    fn record_turn(&self, scope: &Scope, key: Fingerprint, turn: &TurnRecord) -> Result<TurnId, StoreError> {
        self.write(|store| store.record_turn(scope, key, turn))
    }

    fn record_use(&self, scope: &Scope, turn: TurnId, used: &[u32], at: Instant) -> Result<bool, StoreError> {
        self.write(|store| store.record_use(scope, turn, used, at))
    }

    fn turn(&self, scope: &Scope, turn: TurnId) -> Result<Option<(TurnRecord, Vec<u32>)>, StoreError> {
        self.read(|store| store.turn(scope, turn))
    }

    fn recent_turns(&self, scope: &Scope, limit: usize) -> Result<Vec<RecordedTurn>, StoreError> {
        self.read(|store| store.recent_turns(scope, limit))
    }

    fn policy_acts(&self) -> Result<Vec<PolicyAct>, StoreError> {
        self.read(|store| store.policy_acts())
    }

    fn record_policy_act(&self, after: usize, act: &PolicyAct) -> Result<bool, StoreError> {
        self.write(|store| store.record_policy_act(after, act))
    }

    fn verify(&self, scope: &Scope) -> Result<Verified, StoreError> {
        self.read(|store| store.verify(scope))
    }

    fn subjects(&self) -> Result<Vec<Subject>, StoreError> {
        self.read(|store| store.subjects())
    }

    fn vector_store(&self) -> &dyn VectorStore {
        self.beneath.vector_store()
    }
}
