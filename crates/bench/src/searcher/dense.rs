//! Vectors alone, compared one by one.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use inference::embed::{Embed, Role};
use inference::limits::Limits;

use crate::retrieval::{Ask, Hit, Passage, Searcher, Sort};

use super::best;

/// How long one call to the embedder may take.
const WITHIN: Duration = Duration::from_secs(600);

/// How many texts one call embeds.
const TEXTS: usize = 32;

/// Every passage is one vector of its bare text, as far as the model reads; the question's is compared with all of them.
pub struct Dense {
    embedder: Arc<dyn Embed>,
    vectors: Vec<Vec<f32>>,
}

impl Dense {
    /// With the vectors of `embedder`.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embed>) -> Self {
        Self { embedder, vectors: Vec::new() }
    }

    /// The cosine of every passage with the question.
    pub(super) fn scored(&self, question: &str) -> Result<Vec<(usize, f64)>> {
        let asked = self.embedder.embed(Role::Query, &[question], &Limits::within(WITHIN))?;
        let Some(asked) = asked.first() else { return Ok(Vec::new()) };
        let cosine =
            |vector: &Vec<f32>| vector.iter().zip(asked).map(|(one, other)| one * other).sum::<f32>();
        Ok(self.vectors.iter().map(cosine).map(f64::from).enumerate().collect())
    }
}

impl Searcher for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn begin(&mut self, _timeline: &str, _sort: Sort) -> Result<()> {
        self.vectors.clear();
        Ok(())
    }

    fn observe(&mut self, passages: &[Passage]) -> Result<()> {
        for some in passages.chunks(TEXTS) {
            let texts: Vec<&str> = some.iter().map(|passage| passage.text.as_str()).collect();
            self.vectors.extend(self.embedder.embed(Role::Passage, &texts, &Limits::within(WITHIN))?);
        }
        Ok(())
    }

    fn search(&self, ask: Ask<'_>) -> Result<Vec<Hit>> {
        Ok(best(self.scored(ask.text)?, ask.limit))
    }
}
