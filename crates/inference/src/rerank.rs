//! Reranking: a model that reads a question together with each passage and says how well it answers.

use crate::error::InferenceError;
use crate::limits::Limits;

/// A model that scores passages for a question.
pub trait Rerank: Send + Sync {
    /// What it is called in records and reports.
    fn name(&self) -> &str;

    /// One score a passage, in their order; greater is better, comparable within one call only.
    ///
    /// # Errors
    /// [`InferenceError`]; all passages or none.
    fn rerank(&self, query: &str, passages: &[&str], limits: &Limits) -> Result<Vec<f32>, InferenceError>;
}
