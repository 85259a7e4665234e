//! The systems that are compared: Testimony, and the plain ones it has to beat.

mod bm25;
mod dense;
mod fusion;
mod recency;
mod testimony;

use std::sync::Arc;

use anyhow::{Result, bail};
use inference::embed::Embed;

use crate::retrieval::{Hit, Searcher};

pub use bm25::{PlainBm25, words};
pub use dense::Dense;
pub use fusion::PlainRrf;
pub use recency::Recency;
pub use testimony::Testimony;

/// The names of all systems. `testimony hybrid`, `dense` and `rrf` run where there is an embedder, `bm25 over sessions` where there are sessions.
pub const NAMES: &[&str] =
    &["testimony", "testimony hybrid", "bm25", "bm25 over sessions", "dense", "rrf", "recency"];

/// The systems that can run: without an embedder those that need none.
#[must_use]
pub fn all(embedder: Option<&Arc<dyn Embed>>) -> Vec<Box<dyn Searcher>> {
    let mut systems: Vec<Box<dyn Searcher>> = vec![Box::new(Testimony::words())];
    systems.push(Box::new(PlainBm25::over_passages()));
    if let Some(embedder) = embedder {
        systems.insert(0, Box::new(Testimony::hybrid(embedder.clone())));
        systems.push(Box::new(Dense::new(embedder.clone())));
        systems.push(Box::new(PlainRrf::new(embedder.clone())));
    }
    systems.push(Box::new(Recency::default()));
    systems
}

/// Only the systems named; all of them without names.
///
/// # Errors
/// When a name is none of [`NAMES`].
pub fn only(systems: Vec<Box<dyn Searcher>>, names: &[String]) -> Result<Vec<Box<dyn Searcher>>> {
    if let Some(unknown) = names.iter().find(|name| !NAMES.contains(&name.as_str())) {
        bail!("system `{unknown}` is none of `{}`", NAMES.join("`, `"));
    }
    let wanted = |system: &dyn Searcher| names.is_empty() || names.iter().any(|name| name == system.name());
    Ok(systems.into_iter().filter(|system| wanted(&**system)).collect())
}

/// The best of scored places, best first, of equals the one said first.
fn best(mut scored: Vec<(usize, f64)>, limit: usize) -> Vec<Hit> {
    scored.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    scored.truncate(limit);
    scored.into_iter().map(|(place, score)| Hit { place, score, told: None }).collect()
}
