//! Telemetry: what a service keeps about its own working, apart from any memory. Numbers only; rows expire.
//!
//! Nothing here takes a [`Scope`](crate::scope::Scope), because nothing in it belongs to anybody: what is recorded cannot
//! say whose turn it came from. Losing all of it harms nobody, so a caller counts what could not be written and goes on.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::shadow::{Comparison, Day, PolicyName, Rollup, Tally};
use crate::store::StoreError;

/// How many days a single comparison is kept.
pub const ROW_DAYS: i32 = 30;

/// How many days a rollup or a tally is kept: ten years.
pub const ROLLUP_DAYS: i32 = 3_660;

/// The most single comparisons kept; the oldest go first.
pub const ROWS_MAX: usize = 100_000;

/// Where telemetry is kept.
pub trait Telemetry: Send + Sync {
    /// Records one comparison, adds it to the rollup of its day, and adds `tally` to the tally of that day; whole or not
    /// at all.
    ///
    /// # Errors
    /// As all methods: [`StoreError`]. The row is then lost and the caller counts it.
    fn record_shadow(&self, day: Day, comparison: &Comparison, tally: &Tally) -> Result<(), StoreError>;

    /// Removes comparisons of more than [`ROW_DAYS`] and rollups and tallies of more than [`ROLLUP_DAYS`] before `today`.
    /// How many comparisons went.
    fn expire_shadow(&self, today: Day) -> Result<u64, StoreError>;

    /// The comparisons recorded last, newest first, at most `limit`.
    fn shadow_rows(&self, limit: usize) -> Result<Vec<(Day, Comparison)>, StoreError>;

    /// How many comparisons are kept.
    fn shadow_row_count(&self) -> Result<u64, StoreError>;

    /// Every rollup, by policies and day.
    fn shadow_rollups(&self) -> Result<Vec<Rollup>, StoreError>;

    /// What the lanes counted, day by day.
    fn shadow_tallies(&self) -> Result<Vec<(Day, Tally)>, StoreError>;

    /// Adds to how often limits were met on a day, by their numbers ([`crate::limits::Limit::number`]).
    fn record_limits(&self, day: Day, hits: &[(u32, u64)]) -> Result<(), StoreError>;

    /// How often limits were met, by day and number; days of more than [`ROLLUP_DAYS`] before the last recorded are gone.
    fn limit_hits(&self) -> Result<Vec<(Day, u32, u64)>, StoreError>;

    /// Whether the kill switch is off. Asked on the way of a reply: it must be quick, and where it cannot be learnt the
    /// answer is `true`.
    fn shadow_is_off(&self) -> bool;

    /// Turns the kill switch, for every process that has this place open, from its next turn on.
    fn switch_shadow(&self, on: bool) -> Result<(), StoreError>;
}

/// Telemetry in memory, lost with the process: what the contract means.
#[derive(Debug, Default)]
pub struct ReferenceTelemetry(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    rows: VecDeque<(Day, Comparison)>,
    rollups: BTreeMap<(PolicyName, PolicyName, Day), Rollup>,
    tallies: BTreeMap<Day, Tally>,
    limits: BTreeMap<(Day, u32), u64>,
    off: bool,
}

impl ReferenceTelemetry {
    /// Nothing recorded yet, the switch on.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Telemetry for ReferenceTelemetry {
    fn record_shadow(&self, day: Day, comparison: &Comparison, tally: &Tally) -> Result<(), StoreError> {
        let mut kept = self.kept();
        kept.rows.push_back((day, *comparison));
        if kept.rows.len() > ROWS_MAX {
            kept.rows.pop_front();
        }
        let Comparison { standing, candidate, .. } = *comparison;
        let rollup = kept.rollups.entry((standing, candidate, day));
        rollup.or_insert_with(|| Rollup::new(standing, candidate, day)).add(comparison);
        kept.tallies.entry(day).or_default().add_all(tally);
        Ok(())
    }

    fn expire_shadow(&self, today: Day) -> Result<u64, StoreError> {
        let mut kept = self.kept();
        let before = kept.rows.len();
        kept.rows.retain(|(day, _)| *day >= today.before(ROW_DAYS));
        kept.rollups.retain(|(_, _, day), _| *day >= today.before(ROLLUP_DAYS));
        kept.tallies.retain(|day, _| *day >= today.before(ROLLUP_DAYS));
        Ok((before - kept.rows.len()) as u64)
    }

    fn shadow_rows(&self, limit: usize) -> Result<Vec<(Day, Comparison)>, StoreError> {
        Ok(self.kept().rows.iter().rev().take(limit).copied().collect())
    }

    fn shadow_row_count(&self) -> Result<u64, StoreError> {
        Ok(self.kept().rows.len() as u64)
    }

    fn shadow_rollups(&self) -> Result<Vec<Rollup>, StoreError> {
        Ok(self.kept().rollups.values().copied().collect())
    }

    fn shadow_tallies(&self) -> Result<Vec<(Day, Tally)>, StoreError> {
        Ok(self.kept().tallies.iter().map(|(day, tally)| (*day, *tally)).collect())
    }

    fn record_limits(&self, day: Day, hits: &[(u32, u64)]) -> Result<(), StoreError> {
        let mut kept = self.kept();
        for (limit, times) in hits {
            *kept.limits.entry((day, *limit)).or_insert(0) += times;
        }
        kept.limits.retain(|(known, _), _| *known >= day.before(ROLLUP_DAYS));
        Ok(())
    }

    fn limit_hits(&self) -> Result<Vec<(Day, u32, u64)>, StoreError> {
        Ok(self.kept().limits.iter().map(|((day, limit), times)| (*day, *limit, *times)).collect())
    }

    fn shadow_is_off(&self) -> bool {
        self.kept().off
    }

    fn switch_shadow(&self, on: bool) -> Result<(), StoreError> {
        self.kept().off = !on;
        Ok(())
    }
}
