//! A store with a gate before the record of turns, so that a story can let something happen between a turn's resolution
//! and its record.

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
    Appended, Capabilities, Erased, Head, Read, Recognised, RecordedTurn, Rows, Store, StoreError, Verified,
};
use ledger::time::Instant;
use ledger::turn::TurnRecord;
use ledger::vectors::VectorStore;
use parking_lot::{Condvar, Mutex};

pub struct Gate {
    store: Arc<dyn Store>,
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    closed: bool,
    waiting: usize,
}

impl Gate {
    pub fn before(store: Arc<dyn Store>) -> Self {
        Self { store, state: Mutex::default(), moved: Condvar::new() }
    }

    /// From now on turns wait before they are recorded.
    pub fn close(&self) {
        self.state.lock().closed = true;
    }

    /// Those that wait go on, as do those that come.
    pub fn open(&self) {
        *self.state.lock() = State::default();
        self.moved.notify_all();
    }

    /// Returns when so many turns wait.
    pub fn wait_for(&self, count: usize) {
        let mut state = self.state.lock();
        while state.waiting < count {
            self.moved.wait(&mut state);
        }
    }

    fn pass(&self) {
        let mut state = self.state.lock();
        if state.closed {
            state.waiting += 1;
            self.moved.notify_all();
            while state.closed {
                self.moved.wait(&mut state);
            }
        }
    }
}

impl Store for Gate {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    fn vector_store(&self) -> &dyn VectorStore {
        self.store.vector_store()
    }

    fn keys(&self, scope: &Scope) -> Result<Option<SubjectKeys>, StoreError> {
        self.store.keys(scope)
    }

    fn found(&self, scope: &Scope) -> Result<SubjectKeys, StoreError> {
        self.store.found(scope)
    }

    fn blind(&self, scope: &Scope) -> Result<BlindKey, StoreError> {
        self.store.blind(scope)
    }

    fn head(&self, scope: &Scope) -> Result<Head, StoreError> {
        self.store.head(scope)
    }

    fn append(&self, scope: &Scope, basis: Watermark, group: &[Keyed]) -> Result<Appended, StoreError> {
        self.store.append(scope, basis, group)
    }

    fn read_changes(
        &self,
        scope: &Scope,
        after: Watermark,
        rows: Rows,
        take: &mut dyn FnMut(Entry),
    ) -> Result<Read, StoreError> {
        self.store.read_changes(scope, after, rows, take)
    }

    fn recognise(&self, scope: &Scope, marks: &[Marks]) -> Result<Vec<Recognised>, StoreError> {
        self.store.recognise(scope, marks)
    }

    fn forgotten(&self, scope: &Scope, marks: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        self.store.forgotten(scope, marks)
    }

    fn tombstones(&self, scope: &Scope, lift: &Lift) -> Result<u64, StoreError> {
        self.store.tombstones(scope, lift)
    }

    fn chain(&self, scope: &Scope, seq: Watermark) -> Result<Option<ChainHash>, StoreError> {
        self.store.chain(scope, seq)
    }

    fn evidence(&self, scope: &Scope, ids: &[EvidenceId]) -> Result<Vec<Option<Evidence>>, StoreError> {
        self.store.evidence(scope, ids)
    }

    fn evidence_after(
        &self,
        scope: &Scope,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError> {
        self.store.evidence_after(scope, after, limit)
    }

    fn erase(
        &self,
        scope: &Scope,
        basis: Watermark,
        key: Fingerprint,
        erasure: &Erasure,
    ) -> Result<Erased, StoreError> {
        self.store.erase(scope, basis, key, erasure)
    }

    fn erase_subject(&self, scope: &Scope, erasure: &SubjectErasure) -> Result<Erased, StoreError> {
        self.store.erase_subject(scope, erasure)
    }

    fn destructions(&self) -> Result<Vec<Destruction>, StoreError> {
        self.store.destructions()
    }

    fn record_turn(&self, scope: &Scope, key: Fingerprint, turn: &TurnRecord) -> Result<TurnId, StoreError> {
        self.pass();
        self.store.record_turn(scope, key, turn)
    }

    fn record_use(&self, scope: &Scope, turn: TurnId, used: &[u32], at: Instant) -> Result<bool, StoreError> {
        self.store.record_use(scope, turn, used, at)
    }

    fn turn(&self, scope: &Scope, turn: TurnId) -> Result<Option<(TurnRecord, Vec<u32>)>, StoreError> {
        self.store.turn(scope, turn)
    }

    fn recent_turns(&self, scope: &Scope, limit: usize) -> Result<Vec<RecordedTurn>, StoreError> {
        self.store.recent_turns(scope, limit)
    }

    fn policy_acts(&self) -> Result<Vec<PolicyAct>, StoreError> {
        self.store.policy_acts()
    }

    fn record_policy_act(&self, after: usize, act: &PolicyAct) -> Result<bool, StoreError> {
        self.store.record_policy_act(after, act)
    }

    fn verify(&self, scope: &Scope) -> Result<Verified, StoreError> {
        self.store.verify(scope)
    }

    fn subjects(&self) -> Result<Vec<Subject>, StoreError> {
        self.store.subjects()
    }
}
