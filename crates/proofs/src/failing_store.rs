//! A store that fails on its n-th call, over any store.
//!
//! The n-th call fails in one of the ways a store may: with an error before anything was done, with an error after it was
//! done, or, where it is an append, with the answer that nobody knows, after it was done or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// How the call fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// With an error, and nothing was done.
    Before(StoreErrorKind),
    /// With an error, and all of it was done.
    After(StoreErrorKind),
    /// An append is done, and its outcome said to be unknown; any other call as [`Way::After`].
    UnknownDone,
    /// An append is not done, and its outcome said to be unknown; any other call as [`Way::Before`].
    UnknownNotDone,
}

impl Way {
    /// Every way, with the errors somebody who waits or makes room could mend.
    pub const ALL: [Self; 6] = [
        Self::Before(StoreErrorKind::Busy),
        Self::Before(StoreErrorKind::Full),
        Self::Before(StoreErrorKind::Io),
        Self::After(StoreErrorKind::Io),
        Self::UnknownDone,
        Self::UnknownNotDone,
    ];
}

/// A store whose calls fail from one on, so many times.
pub struct FailingStore {
    inner: Arc<dyn Store>,
    calls: AtomicU64,
    first: u64,
    times: u64,
    way: Way,
}

impl FailingStore {
    /// Over `inner`, with the calls `first`, counted from 1, to `first + times - 1` failing in this way.
    #[must_use]
    pub fn over(inner: Arc<dyn Store>, first: u64, times: u64, way: Way) -> Self {
        Self { inner, calls: AtomicU64::new(0), first, times, way }
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Whether the call that now comes is to fail, and how.
    fn now(&self) -> Option<Way> {
        let call = 1 + self.calls.fetch_add(1, Ordering::Relaxed);
        (self.first..self.first + self.times).contains(&call).then_some(self.way)
    }

    fn call<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self.now() {
            None => work(),
            Some(Way::Before(kind)) => Err(told(kind)),
            Some(Way::UnknownNotDone) => Err(told(StoreErrorKind::Io)),
            Some(Way::After(kind)) => work().and(Err(told(kind))),
            Some(Way::UnknownDone) => work().and(Err(told(StoreErrorKind::Io))),
        }
    }
}

fn told(kind: StoreErrorKind) -> StoreError {
    StoreError::new(kind, "this call was to fail")
}

impl Store for FailingStore {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn keys(&self, scope: &Scope) -> Result<Option<SubjectKeys>, StoreError> {
        self.call(|| self.inner.keys(scope))
    }

    fn found(&self, scope: &Scope) -> Result<SubjectKeys, StoreError> {
        self.call(|| self.inner.found(scope))
    }

    fn head(&self, scope: &Scope) -> Result<Head, StoreError> {
        self.call(|| self.inner.head(scope))
    }

    fn append(&self, scope: &Scope, basis: Watermark, group: &[Keyed]) -> Result<Appended, StoreError> {
        match self.now() {
            None => self.inner.append(scope, basis, group),
            Some(Way::Before(kind)) => Err(told(kind)),
            Some(Way::After(kind)) => self.inner.append(scope, basis, group).and(Err(told(kind))),
            Some(Way::UnknownDone) => self.inner.append(scope, basis, group).and(Ok(Appended::Unknown)),
            Some(Way::UnknownNotDone) => Ok(Appended::Unknown),
        }
    }

    fn read_changes(
        &self,
        scope: &Scope,
        after: Watermark,
        rows: Rows,
        take: &mut dyn FnMut(Entry),
    ) -> Result<Read, StoreError> {
        self.call(|| self.inner.read_changes(scope, after, rows, take))
    }

    fn recognise(&self, scope: &Scope, marks: &[Marks]) -> Result<Vec<Recognised>, StoreError> {
        self.call(|| self.inner.recognise(scope, marks))
    }

    fn forgotten(&self, scope: &Scope, marks: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        self.call(|| self.inner.forgotten(scope, marks))
    }

    fn blind(&self, scope: &Scope) -> Result<BlindKey, StoreError> {
        self.call(|| self.inner.blind(scope))
    }

    fn tombstones(&self, scope: &Scope, lift: &Lift) -> Result<u64, StoreError> {
        self.call(|| self.inner.tombstones(scope, lift))
    }

    fn chain(&self, scope: &Scope, at: Watermark) -> Result<Option<ChainHash>, StoreError> {
        self.call(|| self.inner.chain(scope, at))
    }

    fn destructions(&self) -> Result<Vec<Destruction>, StoreError> {
        self.call(|| self.inner.destructions())
    }

    fn evidence(&self, scope: &Scope, ids: &[EvidenceId]) -> Result<Vec<Option<Evidence>>, StoreError> {
        self.call(|| self.inner.evidence(scope, ids))
    }

    fn evidence_after(
        &self,
        scope: &Scope,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError> {
        self.call(|| self.inner.evidence_after(scope, after, limit))
    }

    fn erase(
        &self,
        scope: &Scope,
        basis: Watermark,
        key: Fingerprint,
        erasure: &Erasure,
    ) -> Result<Erased, StoreError> {
        self.call(|| self.inner.erase(scope, basis, key, erasure))
    }

    fn erase_subject(&self, scope: &Scope, erasure: &SubjectErasure) -> Result<Erased, StoreError> {
        self.call(|| self.inner.erase_subject(scope, erasure))
    }

    fn record_turn(&self, scope: &Scope, key: Fingerprint, turn: &TurnRecord) -> Result<TurnId, StoreError> {
        self.call(|| self.inner.record_turn(scope, key, turn))
    }

    fn record_use(&self, scope: &Scope, turn: TurnId, used: &[u32], at: Instant) -> Result<bool, StoreError> {
        self.call(|| self.inner.record_use(scope, turn, used, at))
    }

    fn turn(&self, scope: &Scope, turn: TurnId) -> Result<Option<(TurnRecord, Vec<u32>)>, StoreError> {
        self.call(|| self.inner.turn(scope, turn))
    }

    fn recent_turns(&self, scope: &Scope, limit: usize) -> Result<Vec<RecordedTurn>, StoreError> {
        self.call(|| self.inner.recent_turns(scope, limit))
    }

    fn policy_acts(&self) -> Result<Vec<PolicyAct>, StoreError> {
        self.call(|| self.inner.policy_acts())
    }

    fn record_policy_act(&self, after: usize, act: &PolicyAct) -> Result<bool, StoreError> {
        self.call(|| self.inner.record_policy_act(after, act))
    }

    fn verify(&self, scope: &Scope) -> Result<Verified, StoreError> {
        self.call(|| self.inner.verify(scope))
    }

    fn subjects(&self) -> Result<Vec<Subject>, StoreError> {
        self.call(|| self.inner.subjects())
    }

    fn vector_store(&self) -> &dyn VectorStore {
        self.inner.vector_store()
    }
}
