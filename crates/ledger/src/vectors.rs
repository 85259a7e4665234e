//! Vectors: where a text lies among others, by an embedding model. Derived, so any of them may be missing or dropped.
//!
//! A vector names its model. Those of two models are never compared: an index is of one model, and another model makes
//! another index beside it.

use crate::id::Position;
use crate::scope::Scope;
use crate::store::{Head, StoreError, StoreErrorKind};

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

/// What kind of row a vector places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Placed {
    /// A message, by its text.
    Evidence,
    /// What a version holds, by the claim whose words tell it. A version may outlive that claim, and its vector does not.
    Claim,
}

/// A stored vector: of which row, and of which piece of its text.
#[derive(Clone, PartialEq, Debug)]
pub struct VectorRow {
    /// The row whose text it places.
    pub of: Position,
    /// Which piece of a long text, from 0.
    pub piece: u32,
    /// Where it lies.
    pub vector: Quantised,
}

/// How far somebody has read the vectors of a subject. They are kept in any order, so a position in the log does not say.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct VectorMark {
    /// Which keeping of vectors was read: one that was lost and begun anew is another.
    pub keeping: u64,
    /// The last vector read.
    pub number: u64,
}

/// Where vectors are kept. Losing them costs time and nothing else.
///
/// Implementations erase the vectors of erased and of reduced rows within [`crate::store::Store::erase`].
pub trait VectorStore: Send + Sync {
    /// Hands over the vectors of one model and kind that were kept since `after`, and says how far that is. A mark of
    /// another keeping, such as the default, reads from the beginning; a vector may come more than once.
    ///
    /// # Errors
    /// As all methods: [`StoreError`]. Vectors that cannot be read back are not there, which is no error.
    fn vectors(
        &self,
        scope: &Scope,
        model: &ModelIdentity,
        kind: Placed,
        after: VectorMark,
        take: &mut dyn FnMut(VectorRow),
    ) -> Result<VectorMark, StoreError>;

    /// Keeps vectors, replacing those of the same row and piece; answers how many were kept. All or none of one call are
    /// there for a reader, so that whoever hands in the pieces of a text together finds them together.
    ///
    /// They were made of what the log said at `basis`. None is kept when something was erased since, or the subject is not
    /// the one of then, and none for a row that is not in the log: work in flight cannot bring words back.
    ///
    /// # Errors
    /// [`crate::store::StoreErrorKind::Contract`] when a vector has another number of dimensions than `model`, or the
    /// model was known with another.
    fn keep_vectors(
        &self,
        scope: &Scope,
        basis: &Head,
        model: &ModelIdentity,
        kind: Placed,
        vectors: &[VectorRow],
    ) -> Result<usize, StoreError>;

    /// The models that have vectors of this subject, with how many each has, in the order of their marks.
    fn vector_models(&self, scope: &Scope) -> Result<Vec<(ModelIdentity, u64)>, StoreError>;

    /// Drops the vectors of a model, those of all models when left out; how many there were.
    fn drop_vectors(&self, scope: &Scope, model: Option<&ModelIdentity>) -> Result<u64, StoreError>;

    /// What became of kept vectors since this was last asked, for people: that they were lost and are made anew, and why.
    fn vector_notices(&self) -> Vec<String>;
}

/// Refuses vectors that are not of the model they are handed in for.
///
/// # Errors
/// [`StoreErrorKind::Contract`], naming both numbers of dimensions.
pub fn check_dims(model: &ModelIdentity, vectors: &[VectorRow]) -> Result<(), StoreError> {
    match vectors.iter().find(|row| row.vector.steps.len() != model.dims as usize) {
        None => Ok(()),
        Some(other) => {
            let (name, dims, found) = (&model.name, model.dims, other.vector.steps.len());
            let message = format!("model `{name}` makes vectors of {dims} numbers, this one has {found}");
            Err(StoreError::new(StoreErrorKind::Contract, message))
        }
    }
}

/// The error for a model whose vectors are known with `known` dimensions.
#[must_use]
pub fn other_dims(model: &ModelIdentity, known: u32) -> StoreError {
    let (name, dims) = (&model.name, model.dims);
    let message = format!(
        "model `{name}` has {dims} dimensions, the vectors kept under its mark have {known}; run `testimony reembed`"
    );
    StoreError::new(StoreErrorKind::Contract, message)
}
