//! How many requests of a tier are on their way at once: the others wait their turn.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::clock::{Clock, LOOK_UP_EVERY};
use crate::limits::Cancel;

/// Turns to be had, a fixed number at a time.
pub(super) struct Turns {
    free: Mutex<usize>,
    returned: Condvar,
}

/// A turn; it is free again when this is dropped.
pub(super) struct Turn<'turns>(&'turns Turns);

impl Turns {
    /// `count` turns, at least one.
    pub fn of(count: usize) -> Self {
        Self { free: Mutex::new(count.max(1)), returned: Condvar::new() }
    }

    /// Waits for a turn; `None` when none was free in time, or the caller stopped.
    pub fn take(&self, clock: &dyn Clock, within: Duration, cancel: &Cancel) -> Option<Turn<'_>> {
        let until = clock.elapsed() + within;
        let mut free = self.free.lock();
        while *free == 0 {
            let left = until.saturating_sub(clock.elapsed());
            if left.is_zero() || cancel.is_cancelled() {
                return None;
            }
            self.returned.wait_for(&mut free, left.min(LOOK_UP_EVERY));
        }
        *free -= 1;
        Some(Turn(self))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock() += 1;
        self.0.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::clock::MachineClock;

    #[test]
    fn no_more_than_the_turns_there_are() {
        let turns = Turns::of(3);
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    let clock = MachineClock::default();
                    let turn = turns.take(&clock, Duration::from_secs(60), &Cancel::default());
                    assert!(turn.is_some());
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
        assert_eq!(*turns.free.lock(), 3);
    }

    #[test]
    fn who_is_stopped_gets_no_turn() {
        let turns = Turns::of(1);
        let clock = MachineClock::default();
        let held = turns.take(&clock, Duration::from_secs(1), &Cancel::default());
        assert!(held.is_some());
        let stopped = Cancel::default();
        stopped.cancel();
        assert!(turns.take(&clock, Duration::from_secs(60), &stopped).is_none());
        assert!(turns.take(&clock, Duration::ZERO, &Cancel::default()).is_none());
        drop(held);
        assert!(turns.take(&clock, Duration::ZERO, &Cancel::default()).is_some());
    }
}
