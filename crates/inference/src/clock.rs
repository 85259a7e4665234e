//! Time as a call to a model needs it: how much has passed, and waiting. A test hands in a clock that does not wait.

use std::time::Duration;

use crate::limits::Cancel;

/// A clock that only goes forward, and can be waited on.
pub trait Clock: Send + Sync {
    /// What has passed since a moment that stays the same for this clock.
    fn elapsed(&self) -> Duration;

    /// Waits, no longer than until `cancel` is thrown.
    fn wait(&self, duration: Duration, cancel: &Cancel);
}

/// How long something waits before it looks whether it was stopped.
pub(crate) const LOOK_UP_EVERY: Duration = Duration::from_millis(50);

/// The machine's own clock.
#[derive(Clone, Copy, Debug)]
pub struct MachineClock(std::time::Instant);

impl Default for MachineClock {
    #[allow(
        clippy::disallowed_methods,
        reason = "a deadline on the network is measured where the network is"
    )]
    fn default() -> Self {
        Self(std::time::Instant::now())
    }
}

impl Clock for MachineClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn wait(&self, duration: Duration, cancel: &Cancel) {
        let until = self.elapsed() + duration;
        while !cancel.is_cancelled() {
            let left = until.saturating_sub(self.elapsed());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(LOOK_UP_EVERY));
        }
    }
}
