//! The lane itself: one thread, one place, nothing waiting.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ledger::shadow::{
    Breaker, CONSIDERED_MAX, Comparison, Day, Event, Frozen, Passage, PolicyName, SLOW_MICROS, Sampling,
    Tally, compare,
};
use ledger::telemetry::Telemetry;
use parking_lot::{Condvar, Mutex};
use serde::Serialize;

use super::CandidatePolicy;

/// Microseconds that do not go back, from any beginning: the engine has no clock of its own.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// A shadow lane. Dropping it ends its thread after the turn at hand, and does not wait for that.
pub struct Lane {
    shared: Arc<Shared>,
}

/// How a lane stands.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LaneStatus {
    /// The policy on trial.
    pub candidate: PolicyName,
    /// The share of turns that are tried, in thousandths.
    pub sample_per_mille: u32,
    /// Whether the kill switch is off.
    pub switched_off: bool,
    /// What the breaker lets through.
    pub breaker: Passage,
    /// Whether a comparison is running.
    pub busy: bool,
    /// What was counted since the lane began.
    pub counted: Tally,
}

struct Shared {
    candidate: Arc<dyn CandidatePolicy>,
    name: PolicyName,
    sampling: Sampling,
    telemetry: Arc<dyn Telemetry>,
    clock: Clock,
    breaker: Mutex<Breaker>,
    counted: [AtomicU64; Event::ALL.len()],
    place: Mutex<Place>,
    /// Told when the place is filled, and when the lane ends.
    changed: Condvar,
}

/// The one place a turn can be in.
#[derive(Default)]
struct Place {
    turn: Option<Frozen>,
    at_work: bool,
    closed: bool,
}

impl Lane {
    /// Starts a lane that tries `candidate` on the turns that `sampling` takes and records in `telemetry`. Where no thread
    /// can be had, every turn finds the lane busy.
    #[must_use]
    pub fn start(
        candidate: Arc<dyn CandidatePolicy>,
        sampling: Sampling,
        telemetry: Arc<dyn Telemetry>,
        clock: Clock,
    ) -> Self {
        let shared = Arc::new(Shared {
            name: candidate.name(),
            candidate,
            sampling,
            telemetry,
            clock,
            breaker: Mutex::default(),
            counted: Default::default(),
            place: Mutex::default(),
            changed: Condvar::new(),
        });
        let own = shared.clone();
        if std::thread::Builder::new().name("shadow".to_owned()).spawn(move || own.work()).is_err() {
            shared.place.lock().closed = true;
        }
        Self { shared }
    }

    /// Offers a turn: counts it and, if `draw` takes it and nothing stands against it, hands what `freeze` returns to the
    /// lane's thread. Never waits and never fails; `freeze` is called only for a turn that is drawn.
    pub fn offer(&self, draw: u64, freeze: impl FnOnce() -> Result<Frozen, Event>) {
        let shared = &*self.shared;
        shared.count(Event::Turns);
        if !shared.sampling.takes(draw) {
            return;
        }
        shared.count(Event::Sampled);
        match catch_unwind(AssertUnwindSafe(|| shared.hand_over(freeze))) {
            Ok(Ok(())) => {}
            Ok(Err(skipped)) => shared.count(skipped),
            Err(payload) => {
                // Dropping what a panic carries may panic again.
                std::mem::forget(payload);
                shared.count(Event::FailedPanic);
            }
        }
    }

    /// Whether no comparison is running and none is about to.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.shared.place.lock().is_empty()
    }

    /// What was counted since the lane began.
    #[must_use]
    pub fn counted(&self) -> Tally {
        self.shared.tally()
    }

    /// How the lane stands.
    #[must_use]
    pub fn status(&self) -> LaneStatus {
        LaneStatus {
            candidate: self.shared.name,
            sample_per_mille: self.shared.sampling.share(),
            switched_off: self.shared.telemetry.shadow_is_off(),
            breaker: self.shared.breaker.lock().passage((self.shared.clock)()),
            busy: !self.is_idle(),
            counted: self.counted(),
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.shared.place.lock().closed = true;
        self.shared.changed.notify_one();
    }
}

impl Place {
    fn is_empty(&self) -> bool {
        self.turn.is_none() && !self.at_work
    }
}

impl Shared {
    fn count(&self, event: Event) {
        self.counted[event as usize].fetch_add(1, Ordering::Relaxed);
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for event in Event::ALL {
            tally.add(*event, self.counted[*event as usize].load(Ordering::Relaxed));
        }
        tally
    }

    /// The part of the lane on the way of a reply, for the few turns that are drawn.
    fn hand_over(&self, freeze: impl FnOnce() -> Result<Frozen, Event>) -> Result<(), Event> {
        if self.telemetry.shadow_is_off() {
            return Err(Event::SkippedSwitchedOff);
        }
        // The lock is held for an instant at the end of a comparison; who meets that finds the lane busy.
        let passage = self.breaker.try_lock().map(|breaker| breaker.passage((self.clock)()));
        match passage {
            None => return Err(Event::SkippedBusy),
            Some(Passage::Open) => return Err(Event::SkippedBreakerOpen),
            // One place lets one through at a time, which is all that half open means.
            Some(Passage::HalfOpen | Passage::Closed) => {}
        }
        let frozen = freeze()?;
        if frozen.standing == self.name {
            return Err(Event::SkippedSamePolicy);
        }
        if frozen.considered.len() > CONSIDERED_MAX {
            return Err(Event::SkippedTooMany);
        }
        let mut place = self.place.try_lock().ok_or(Event::SkippedBusy)?;
        if place.closed || !place.is_empty() {
            return Err(Event::SkippedBusy);
        }
        place.turn = Some(frozen);
        drop(place);
        self.changed.notify_one();
        Ok(())
    }

    /// The lane's thread.
    fn work(&self) {
        let mut written = Tally::default();
        let mut expired = None;
        while let Some(frozen) = self.take() {
            let day = frozen.day;
            if let Some(comparison) = self.compare(&frozen) {
                drop(frozen);
                self.record(day, &comparison, &mut written, &mut expired);
            }
            self.place.lock().at_work = false;
        }
    }

    /// Waits for a turn; `None` when the lane is dropped.
    fn take(&self) -> Option<Frozen> {
        let mut place = self.place.lock();
        loop {
            if let Some(frozen) = place.turn.take() {
                place.at_work = true;
                return Some(frozen);
            }
            if place.closed {
                return None;
            }
            self.changed.wait(&mut place);
        }
    }

    /// Runs the candidate policy and compares; nothing it does gets out.
    fn compare(&self, frozen: &Frozen) -> Option<Comparison> {
        let begun = (self.clock)();
        let chose = catch_unwind(AssertUnwindSafe(|| {
            self.candidate.select(&frozen.considered, frozen.budget, frozen.overhead)
        }));
        let ended = (self.clock)();
        let took = ended.saturating_sub(begun);
        let slow = took > SLOW_MICROS;
        if self.breaker.lock().ended(ended, slow || chose.is_err()) {
            self.count(Event::BreakerOpened);
        }
        let chose = match chose {
            Ok(chose) => chose,
            Err(payload) => {
                std::mem::forget(payload);
                self.count(Event::FailedPanic);
                return None;
            }
        };
        let Ok(comparison) = compare(frozen, self.name, &chose, took) else {
            self.count(Event::FailedIncomparable);
            return None;
        };
        self.count(Event::Compared);
        if slow {
            self.count(Event::Slow);
        }
        Some(comparison)
    }

    /// Writes a comparison down, with what was counted since the last one that was.
    fn record(&self, day: Day, comparison: &Comparison, written: &mut Tally, expired: &mut Option<Day>) {
        let now = self.tally();
        let gained = now.since(written);
        let recorded =
            catch_unwind(AssertUnwindSafe(|| self.telemetry.record_shadow(day, comparison, &gained)));
        match recorded {
            Ok(Ok(())) => *written = now,
            Ok(Err(_)) => self.count(Event::DroppedRows),
            Err(payload) => {
                std::mem::forget(payload);
                self.count(Event::DroppedRows);
            }
        }
        if *expired != Some(day) {
            // What cannot be removed today is removed with the first comparison of another day, or by a command.
            *expired = Some(day);
            let removed = catch_unwind(AssertUnwindSafe(|| self.telemetry.expire_shadow(day)));
            if let Err(payload) = removed {
                std::mem::forget(payload);
            }
        }
    }
}
