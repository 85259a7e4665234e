//! What asking a model may cost a subject in a day, in tokens. Held in memory: a process that begins anew begins at nothing,
//! unless it is told what was spent before.

use ledger::scope::Subject;
use ledger::time::Instant;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// Microseconds in a day of UTC.
const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

/// Tokens spent by subject and day.
#[derive(Debug)]
pub(super) struct Budget {
    a_day: u64,
    spent: Mutex<FxHashMap<Subject, Spent>>,
}

/// What a subject spent on one day of UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// The day, counted from 1970-01-01.
    pub day: i64,
    /// Tokens, both ways.
    pub tokens: u64,
}

impl Spent {
    fn on(self, day: i64) -> u64 {
        if self.day == day { self.tokens } else { 0 }
    }
}

fn day(now: Instant) -> i64 {
    now.micros().div_euclid(DAY_MICROS)
}

impl Budget {
    pub fn of(a_day: u64) -> Self {
        Self { a_day, spent: Mutex::default() }
    }

    /// Sets tokens aside for a call that may cost as many; `false` when the day's are spent.
    pub fn reserve(&self, subject: &Subject, now: Instant, tokens: u64) -> bool {
        let today = day(now);
        let mut spent = self.spent.lock();
        // What was spent on other days no longer counts, and subjects that are gone take no room.
        spent.retain(|_, spent| spent.day == today);
        let own = spent.entry(subject.clone()).or_default();
        let so_far = own.on(today);
        if so_far.saturating_add(tokens) > self.a_day {
            return false;
        }
        *own = Spent { day: today, tokens: so_far + tokens };
        true
    }

    /// Replaces what was set aside by what it came to.
    pub fn settle(&self, subject: &Subject, now: Instant, reserved: u64, cost: u64) {
        let mut spent = self.spent.lock();
        if let Some(own) = spent.get_mut(subject).filter(|own| own.day == day(now)) {
            own.tokens = own.tokens.saturating_sub(reserved).saturating_add(cost);
        }
    }

    pub fn spent(&self, subject: &Subject) -> Spent {
        self.spent.lock().get(subject).copied().unwrap_or_default()
    }

    /// Counts what was spent before this process began.
    pub fn restore(&self, subject: &Subject, before: Spent) {
        self.spent.lock().insert(subject.clone(), before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_spent_once_and_begins_anew() {
        let budget = Budget::of(100);
        let subject = |name| Subject::parse(name).expect("a name");
        let (ana, ivo) = (subject("ana"), subject("ivo"));
        let day = |number: i64| Instant::from_micros(number * DAY_MICROS + 5);
        assert!(budget.reserve(&ana, day(1), 60));
        assert!(!budget.reserve(&ana, day(1), 60), "what runs counts");
        budget.settle(&ana, day(1), 60, 30);
        assert!(budget.reserve(&ana, day(1), 70));
        assert!(!budget.reserve(&ana, day(1), 1));
        assert!(budget.reserve(&ivo, day(1), 100), "each subject has its own");
        assert!(budget.reserve(&ana, day(2), 100));
        assert_eq!(budget.spent(&ivo), Spent::default(), "yesterday's are dropped");
        budget.restore(&ivo, Spent { day: 2, tokens: 99 });
        assert!(!budget.reserve(&ivo, day(2), 2));
        assert!(budget.reserve(&ivo, day(2), 1));
        assert!(!Budget::of(0).reserve(&ana, day(1), 1));
    }
}
