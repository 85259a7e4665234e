//! Vectors: where a text lies among others, by an embedding model. Derived, so any of them may be missing or dropped.
//!
//! A vector names its model. Those of two models are never compared: an index is of one model, and another model makes
//! another index beside it.

use crate::id::Position;
use crate::scope::Scope;
use crate::store::StoreError;

/// Which embedding model made a vector.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModelIdentity {
    /// What people call it.
    pub name: String,
    /// Numbers in a vector.
    pub dims: u32,
    /// What tells it from any other, a repackaging or another layout of the texts included: a hash.
    pub mark: [u8; 32],
}

/// A unit vector in one byte a number.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantised {
    /// What one step of a number is worth.
    pub scale: f32,
    /// The numbers, in steps, −127 to 127.
    pub steps: Vec<i8>,
}

impl Quantised {
    /// The nearest vector in bytes.
    #[must_use]
    pub fn of(vector: &[f32]) -> Self {
        let greatest = vector.iter().fold(0.0_f32, |greatest, number| greatest.max(number.abs()));
        if greatest == 0.0 {
            return Self { scale: 0.0, steps: vec![0; vector.len()] };
        }
        let scale = greatest / 127.0;
        Self { scale, steps: vector.iter().map(|number| (number / scale).round() as i8).collect() }
    }
}

/// A stored vector: of which row, and of which piece of its text.
#[derive(Clone, PartialEq, Debug)]
pub struct VectorRow {
    /// The row whose text it places: a message, or the row that opened a version.
    pub of: Position,
    /// Which piece of a long text, from 0.
    pub piece: u32,
    /// Where it lies.
    pub vector: Quantised,
}

/// Where vectors are kept. Losing them costs time and nothing else.
///
/// Implementations erase the vectors of erased rows within [`crate::store::Store::erase`], and refuse to keep one for a row
/// that is not, or no longer, in the log: a job in flight cannot bring words back.
pub trait VectorStore: Send + Sync {
    /// Hands over the vectors of one model whose rows stand after `after`, in the order of the log.
    fn vectors(
        &self,
        scope: &Scope,
        model: &ModelIdentity,
        after: Option<Position>,
        take: &mut dyn FnMut(VectorRow),
    ) -> Result<(), StoreError>;

    /// Keeps vectors, replacing those of the same row and piece; answers how many rows were still there to have one.
    fn keep_vectors(
        &self,
        scope: &Scope,
        model: &ModelIdentity,
        vectors: &[VectorRow],
    ) -> Result<usize, StoreError>;

    /// The models that have vectors of this subject, with how many each has.
    fn vector_models(&self, scope: &Scope) -> Result<Vec<(ModelIdentity, u64)>, StoreError>;

    /// Drops the vectors of a model, those of all models when left out.
    fn drop_vectors(&self, scope: &Scope, model: Option<&ModelIdentity>) -> Result<(), StoreError>;
}
