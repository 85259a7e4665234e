//! Embedding: a model that places a text among others, so that what means alike lies close.

pub use ledger::vectors::ModelIdentity;

use crate::error::InferenceError;
use crate::limits::Limits;

/// A model that places texts as unit vectors.
///
/// A vector depends on the text, the role and the model only: not on the texts beside it in a call, and not on threads.
pub trait Embed: Send + Sync {
    /// Which model this is. Vectors of different identities are never compared.
    fn identity(&self) -> &ModelIdentity;

    /// The vectors of `texts`, in their order, each of `identity().dims` numbers and length 1.
    ///
    /// # Errors
    /// [`InferenceError`]; all texts or none.
    fn embed(&self, role: Role, texts: &[&str], limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError>;
}

/// What a text is to the search; some models place the two differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// What is asked.
    Query,
    /// What may answer.
    Passage,
}
