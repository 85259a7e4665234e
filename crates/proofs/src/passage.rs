//! A store that is reached through a passage: every call goes on to the store beneath, when and as the passage lets it.

use std::ops::Deref;
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
    Appended, Capabilities, Damage, Erased, Head, Read, Recognised, RecordedTurn, Rows, Store, StoreError,
    Verified,
};
use ledger::time::Instant;
use ledger::turn::TurnRecord;
use ledger::vectors::VectorStore;

/// What becomes of calls on their way to a store. Unless it says otherwise they are all made, at once.
pub trait Passage: Send + Sync {
    /// A call that changes nothing.
    ///
    /// # Errors
    /// The store's, or the passage's own.
    fn read<T>(&self, call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        call()
    }

    /// A call that changes something.
    ///
    /// # Errors
    /// As [`Passage::read`].
    fn write<T>(&self, call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        call()
    }

    /// An append, whose outcome may be unknown.
    ///
    /// # Errors
    /// As [`Passage::read`].
    fn append(&self, call: impl FnOnce() -> Result<Appended, StoreError>) -> Result<Appended, StoreError> {
        self.write(call)
    }

    /// The record of a turn.
    ///
    /// # Errors
    /// As [`Passage::read`].
    fn record_turn(
        &self,
        call: impl FnOnce() -> Result<Option<TurnId>, StoreError>,
    ) -> Result<Option<TurnId>, StoreError> {
        self.write(call)
    }
}

/// A store behind a passage.
pub struct Behind<P> {
    store: Arc<dyn Store>,
    passage: P,
}

impl<P> Behind<P> {
    /// `store`, behind `passage`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, passage: P) -> Self {
        Self { store, passage }
    }
}

impl<P> Deref for Behind<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.passage
    }
}

impl<P: Passage> Store for Behind<P> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    fn vector_store(&self) -> &dyn VectorStore {
        self.store.vector_store()
    }

    fn keys(&self, scope: &Scope) -> Result<Option<SubjectKeys>, StoreError> {
        self.passage.read(|| self.store.keys(scope))
    }

    fn found(&self, scope: &Scope) -> Result<SubjectKeys, StoreError> {
        self.passage.write(|| self.store.found(scope))
    }

    fn blind(&self, scope: &Scope) -> Result<BlindKey, StoreError> {
        self.passage.read(|| self.store.blind(scope))
    }

    fn head(&self, scope: &Scope) -> Result<Head, StoreError> {
        self.passage.read(|| self.store.head(scope))
    }

    fn append(&self, scope: &Scope, basis: &Head, group: &[Keyed]) -> Result<Appended, StoreError> {
        self.passage.append(|| self.store.append(scope, basis, group))
    }

    fn read_changes(
        &self,
        scope: &Scope,
        after: Watermark,
        rows: Rows,
        take: &mut dyn FnMut(Entry),
    ) -> Result<Read, StoreError> {
        self.passage.read(|| self.store.read_changes(scope, after, rows, take))
    }

    fn recognise(&self, scope: &Scope, marks: &[Marks]) -> Result<Vec<Recognised>, StoreError> {
        self.passage.read(|| self.store.recognise(scope, marks))
    }

    fn forgotten(&self, scope: &Scope, marks: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        self.passage.read(|| self.store.forgotten(scope, marks))
    }

    fn tombstones(&self, scope: &Scope, lift: &Lift) -> Result<u64, StoreError> {
        self.passage.read(|| self.store.tombstones(scope, lift))
    }

    fn chain(&self, scope: &Scope, seq: Watermark) -> Result<Option<ChainHash>, StoreError> {
        self.passage.read(|| self.store.chain(scope, seq))
    }

    fn evidence(&self, scope: &Scope, ids: &[EvidenceId]) -> Result<Vec<Option<Evidence>>, StoreError> {
        self.passage.read(|| self.store.evidence(scope, ids))
    }

    fn evidence_after(
        &self,
        scope: &Scope,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError> {
        self.passage.read(|| self.store.evidence_after(scope, after, limit))
    }

    fn erase(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        erasure: &Erasure,
    ) -> Result<Erased, StoreError> {
        self.passage.write(|| self.store.erase(scope, basis, key, erasure))
    }

    fn erase_subject(&self, scope: &Scope, erasure: &SubjectErasure) -> Result<Erased, StoreError> {
        self.passage.write(|| self.store.erase_subject(scope, erasure))
    }

    fn destructions(&self) -> Result<Vec<Destruction>, StoreError> {
        self.passage.read(|| self.store.destructions())
    }

    fn record_turn(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        turn: &TurnRecord,
    ) -> Result<Option<TurnId>, StoreError> {
        self.passage.record_turn(|| self.store.record_turn(scope, basis, key, turn))
    }

    fn record_use(&self, scope: &Scope, turn: TurnId, used: &[u32], at: Instant) -> Result<bool, StoreError> {
        self.passage.write(|| self.store.record_use(scope, turn, used, at))
    }

    fn turn(&self, scope: &Scope, turn: TurnId) -> Result<Option<(TurnRecord, Vec<u32>)>, StoreError> {
        self.passage.read(|| self.store.turn(scope, turn))
    }

    fn recent_turns(&self, scope: &Scope, limit: usize) -> Result<Vec<RecordedTurn>, StoreError> {
        self.passage.read(|| self.store.recent_turns(scope, limit))
    }

    fn policy_acts(&self) -> Result<Vec<PolicyAct>, StoreError> {
        self.passage.read(|| self.store.policy_acts())
    }

    fn record_policy_act(&self, after: usize, act: &PolicyAct) -> Result<bool, StoreError> {
        self.passage.write(|| self.store.record_policy_act(after, act))
    }

    fn verify(&self, scope: &Scope) -> Result<Verified, StoreError> {
        self.passage.read(|| self.store.verify(scope))
    }

    fn verify_shared(&self) -> Result<Vec<Damage>, StoreError> {
        self.passage.read(|| self.store.verify_shared())
    }

    fn subjects(&self) -> Result<Vec<Subject>, StoreError> {
        self.passage.read(|| self.store.subjects())
    }

    fn unreadable(&self) -> Result<Vec<Damage>, StoreError> {
        self.passage.read(|| self.store.unreadable())
    }
}
