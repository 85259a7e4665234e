//! The plain hybrid: BM25 and vectors, joined by their places.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use inference::embed::Embed;

use crate::retrieval::{Ask, Hit, Passage, Searcher, Sort};

use super::{Dense, PlainBm25, best};

/// Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009) with the usual constant of 60 over the first
/// [`PlainRrf::DEPTH`] of each side. What shares no word with the question has no place on the lexical side.
pub struct PlainRrf {
    lexical: PlainBm25,
    dense: Dense,
}

impl PlainRrf {
    /// The places of each side that count.
    pub const DEPTH: usize = 1_000;
    const CONSTANT: f64 = 60.0;

    /// With the vectors of `embedder`.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embed>) -> Self {
        Self { lexical: PlainBm25::over_passages(), dense: Dense::new(embedder) }
    }
}

impl Searcher for PlainRrf {
    fn name(&self) -> &'static str {
        "rrf"
    }

    fn begin(&mut self, timeline: &str, sort: Sort) -> Result<()> {
        self.lexical.begin(timeline, sort)?;
        self.dense.begin(timeline, sort)
    }

    fn observe(&mut self, passages: &[Passage]) -> Result<()> {
        self.lexical.observe(passages)?;
        self.dense.observe(passages)
    }

    fn search(&self, ask: Ask<'_>) -> Result<Vec<Hit>> {
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for side in [self.lexical.scored(ask.text), self.dense.scored(ask.text)?] {
            for (rank, hit) in best(side, Self::DEPTH).into_iter().enumerate() {
                *scores.entry(hit.place).or_default() += 1.0 / (Self::CONSTANT + rank as f64 + 1.0);
            }
        }
        Ok(best(scores.into_iter().collect(), ask.limit))
    }
}
