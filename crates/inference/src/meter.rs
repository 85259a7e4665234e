//! What the calls of one tier came to since the process began. Numbers only: no text, no name of anybody, no key.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use crate::error::InferenceErrorKind;
use crate::usage::Usage;

/// Counts calls. Shared by everything that calls the same tier.
#[derive(Debug, Default)]
pub struct Meter {
    calls: AtomicU64,
    requests: AtomicU64,
    retries: AtomicU64,
    input_tokens: AtomicU64,
    output_tokens: AtomicU64,
    failures: [AtomicU64; InferenceErrorKind::ALL.len()],
}

/// What a [`Meter`] showed at one moment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Metered {
    /// Calls asked for.
    pub calls: u64,
    /// Requests sent for them.
    pub requests: u64,
    /// Of those, sent again after one had failed.
    pub retries: u64,
    /// Tokens read, as far as the provider said.
    pub input_tokens: u64,
    /// Tokens written, as far as the provider said.
    pub output_tokens: u64,
    /// Calls that ended in an error, by its kind; kinds that never came are left out.
    pub failures: Vec<(&'static str, u64)>,
}

impl Meter {
    pub(crate) fn call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn request(&self, is_retry: bool) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.retries.fetch_add(u64::from(is_retry), Ordering::Relaxed);
    }

    pub(crate) fn spend(&self, usage: &Usage) {
        self.input_tokens.fetch_add(usage.input_tokens, Ordering::Relaxed);
        self.output_tokens.fetch_add(usage.output_tokens, Ordering::Relaxed);
    }

    pub(crate) fn fail(&self, kind: InferenceErrorKind) {
        if let Some(count) = self.failures.get(kind as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What it shows now. Calls that are running may be counted in part.
    #[must_use]
    pub fn read(&self) -> Metered {
        let failures = InferenceErrorKind::ALL
            .iter()
            .zip(&self.failures)
            .map(|(kind, count)| (kind.as_str(), count.load(Ordering::Relaxed)))
            .filter(|(_, count)| *count > 0)
            .collect();
        Metered {
            calls: self.calls.load(Ordering::Relaxed),
            requests: self.requests.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            input_tokens: self.input_tokens.load(Ordering::Relaxed),
            output_tokens: self.output_tokens.load(Ordering::Relaxed),
            failures,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_count() {
        let meter = Meter::default();
        for (place, kind) in InferenceErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            (0..=place).for_each(|_| meter.fail(kind));
        }
        let failures = meter.read().failures;
        assert_eq!(failures.len(), InferenceErrorKind::ALL.len());
        assert!(failures.iter().enumerate().all(|(place, (_, count))| *count == place as u64 + 1));
    }
}
