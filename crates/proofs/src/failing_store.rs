//! A store that fails on its n-th call, over any store.
//!
//! The n-th call fails in one of the ways a store may: with an error before anything was done, with an error after it was
//! done, or, where it is an append, with the answer that nobody knows, after it was done or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ledger::store::{Appended, Store, StoreError, StoreErrorKind};

use crate::passage::{Behind, Passage};

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
pub type FailingStore = Behind<Failing>;

/// Which calls fail, and how.
pub struct Failing {
    calls: AtomicU64,
    first: u64,
    times: u64,
    way: Way,
}

impl FailingStore {
    /// Over `inner`, with the calls `first`, counted from 1, to `first + times - 1` failing in this way.
    #[must_use]
    pub fn over(inner: Arc<dyn Store>, first: u64, times: u64, way: Way) -> Self {
        Self::new(inner, Failing { calls: AtomicU64::new(0), first, times, way })
    }
}

impl Failing {
    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Whether the call that now comes is to fail, and how.
    fn now(&self) -> Option<Way> {
        let call = 1 + self.calls.fetch_add(1, Ordering::Relaxed);
        (self.first..self.first + self.times).contains(&call).then_some(self.way)
    }
}

fn told(kind: StoreErrorKind) -> StoreError {
    StoreError::new(kind, "this call was to fail")
}

impl Passage for Failing {
    fn read<T>(&self, call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self.now() {
            None => call(),
            Some(Way::Before(kind)) => Err(told(kind)),
            Some(Way::UnknownNotDone) => Err(told(StoreErrorKind::Io)),
            Some(Way::After(kind)) => call().and(Err(told(kind))),
            Some(Way::UnknownDone) => call().and(Err(told(StoreErrorKind::Io))),
        }
    }

    fn write<T>(&self, call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.read(call)
    }

    fn append(&self, call: impl FnOnce() -> Result<Appended, StoreError>) -> Result<Appended, StoreError> {
        match self.now() {
            None => call(),
            Some(Way::Before(kind)) => Err(told(kind)),
            Some(Way::After(kind)) => call().and(Err(told(kind))),
            Some(Way::UnknownDone) => call().and(Ok(Appended::Unknown)),
            Some(Way::UnknownNotDone) => Ok(Appended::Unknown),
        }
    }
}
