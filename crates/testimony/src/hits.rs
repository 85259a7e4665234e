//! How often this run met a limit, added to the telemetry of the data directory when the run ends. Numbers only.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ledger::limits::Limit;
use ledger::shadow::Day;
use ledger::time::Instant;
use testimony::shadow::telemetry;

/// Times by the number of the limit.
static HITS: Mutex<BTreeMap<u32, u64>> = Mutex::new(BTreeMap::new());

/// Counts something that was over `limit`.
pub(crate) fn note(limit: &Limit, times: u64) {
    if times > 0 {
        *HITS.lock().unwrap_or_else(PoisonError::into_inner).entry(limit.number).or_insert(0) += times;
    }
}

/// Hands what was counted to the telemetry, where there is a data directory. What cannot be written is lost.
pub(crate) fn keep(data: &Path, now: Instant) {
    let hits = std::mem::take(&mut *HITS.lock().unwrap_or_else(PoisonError::into_inner));
    if !hits.is_empty() && data.join(testimony::DATABASE).is_file() {
        let hits: Vec<(u32, u64)> = hits.into_iter().collect();
        _ = telemetry(data).record_limits(Day::of(now), &hits);
    }
}
