//! Understanding a query without a model: how it leans, and the time it speaks of, in English and Croatian.
//!
//! What is read here only leans the ranking; nothing is left out for it. A form that is missed costs a little order and no answer.

mod lean;
mod when;

use ledger::time::{Moment, Span};

use crate::fusion::Lean;
use crate::lexical::Query;

pub use when::{Event, Relation, When};

/// A query, read once.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its words.
    pub words: Query,
    /// How it leans.
    pub lean: Lean,
    /// The time it speaks of.
    pub when: Option<When>,
    /// Where it lies among the vectors of the index's model; `None` when there is no model or it did not answer.
    pub vector: Option<Vec<f32>>,
}

impl Question {
    /// Reads `text` as asked at `now`.
    #[must_use]
    pub fn read(text: &str, now: &Moment) -> Self {
        let folded = crate::propose::fold(text);
        Self {
            words: Query::new(text),
            lean: lean::of(&folded),
            when: when::of(text, &folded, now),
            vector: None,
        }
    }

    /// The same question with its vector.
    #[must_use]
    pub fn with_vector(mut self, vector: Option<Vec<f32>>) -> Self {
        self.vector = vector;
        self
    }

    /// The time it speaks of, when the words alone say which.
    #[must_use]
    pub fn period(&self) -> Option<Span> {
        match &self.when {
            Some(When::Period(span)) => Some(*span),
            _ => None,
        }
    }
}

/// Whether a message of the owner says what they like, avoid or would rather have.
#[must_use]
pub fn states_liking(text: &str) -> bool {
    lean::states_liking(text)
}
