//! Repeating and summarising, so that noise shows.

use std::time::{Duration, Instant};

/// Several measurements of one thing.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Adds a measurement.
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// Adds those of another.
    pub fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// Adds a duration in microseconds.
    pub fn push_micros(&mut self, duration: Duration) {
        self.0.push(duration.as_secs_f64() * 1e6);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The value below which `share` (0 to 1) of the measurements lie; 0 when there are none.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let place = (share * sorted.len().saturating_sub(1) as f64).round() as usize;
        sorted.get(place).copied().unwrap_or(0.0)
    }

    /// The mean; 0 when there are none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// The middle one.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// `median (min–max)`, in the digits people read.
    #[must_use]
    pub fn spread(&self) -> String {
        format!("{} ({}–{})", digits(self.median()), digits(self.quantile(0.0)), digits(self.quantile(1.0)))
    }
}

/// Takes the time of `work`.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = work();
    (done, begun.elapsed())
}

/// Runs `work` `runs` times and keeps what it measures.
///
/// # Errors
/// As `work`.
pub fn repeat<E>(runs: usize, mut work: impl FnMut() -> Result<f64, E>) -> Result<Samples, E> {
    let mut samples = Samples::default();
    for _ in 0..runs {
        samples.push(work()?);
    }
    Ok(samples)
}

/// A number in three or four digits, thousands apart.
#[must_use]
pub fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 1_000.0 => thousands(value.round() as i64),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        0.0 => "0".to_owned(),
        _ => format!("{value:.3}"),
    }
}

/// A whole number with its thousands apart.
#[must_use]
pub fn thousands(value: i64) -> String {
    let plain = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in plain.chars().enumerate() {
        if place > 0 && (plain.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}

/// A small generator of numbers for choosing queries: the same seed gives the same run.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number, below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % (bound.max(1) as u64)) as usize
    }
}
