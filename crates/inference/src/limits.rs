//! How long a call to a model may take, and how to stop one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What bounds one call, its retries included.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long it may take in all.
    pub within: Duration,
    /// What stops it before that.
    pub cancel: Cancel,
}

impl Limits {
    /// A call that may take this long and that nobody stops.
    #[must_use]
    pub fn within(within: Duration) -> Self {
        Self { within, cancel: Cancel::default() }
    }
}

/// A switch that stops the calls that hold it. Clones are the same switch.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops them.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether they are to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
