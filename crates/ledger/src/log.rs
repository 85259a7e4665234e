//! The log: what an append holds, row by row, and how an erasure rewrites it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::claim::Claim;
use crate::evidence::{Evidence, EvidenceWords};
use crate::fact::{Act, FactRow, Transition};
use crate::id::{EvidenceId, Position, SourceId, Watermark};
use crate::keys::Fingerprint;
use crate::source::Source;
use crate::time::Instant;

/// One row of a subject's log. Its position is its identity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Row {
    /// A source seen for the first time.
    Source(Source),
    /// What a source said.
    Evidence(Evidence),
    /// A fact's identity, before the first claim on it.
    Fact(FactRow),
    /// What one piece of evidence said of a fact. Shared, so that handing rows on does not copy words.
    Claim(Arc<Claim>),
    /// A recorded step that is not testimony.
    Act(Act),
    /// What the claims and acts before it, in this append, changed.
    Transition(Transition),
}

impl Row {
    /// The canonical bytes of the row: what its commitment is made of.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        // Encoding to a growing vector cannot fail: every field is a plain value.
        postcard::to_allocvec(self).unwrap_or_default()
    }
}

/// The rows of one append, in order: a row stands before those that refer to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    /// When the system took it in; never earlier than the append before.
    pub recorded_at: Instant,
    /// The rows; row `n` gets the ordinal `n`.
    pub rows: Vec<Row>,
}

/// A batch with the key that makes sending it twice the same as sending it once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keyed {
    /// The keyed hash of the caller's idempotency key.
    pub key: Fingerprint,
    /// What to append.
    pub batch: Batch,
}

/// One append as read back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its number.
    pub seq: Watermark,
    /// When the system took it in.
    pub recorded_at: Instant,
    /// Its rows that still stand, by ordinal.
    pub rows: Vec<(Position, Row)>,
}

/// What a subject's log gained since a watermark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Changes {
    /// These appends, in order.
    Appended(Vec<Entry>),
    /// Something was erased since: what was derived before must be dropped and read anew from watermark 0.
    Rewritten,
}

/// What an erasure takes out, and what it writes in its place. Planned by [`crate::erase`], carried out whole or not at all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Erasure {
    /// When it was asked for.
    pub recorded_at: Instant,
    /// Rows whose words, salts and bodies go.
    pub remove: Removed,
    /// Evidence of which only other claims' quotes remain: its words without the rest.
    pub reduce: Vec<(EvidenceId, EvidenceWords)>,
    /// The transitions that stand in place of the removed ones: what the history would be, had the words never been seen.
    pub rewrite: Vec<Transition>,
    /// Marks that must not be learnt again.
    pub tombstones: Vec<Fingerprint>,
    /// Sources whose data keys are destroyed.
    pub shred: Vec<SourceId>,
}

/// The positions an erasure removes, by kind of row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Removed {
    /// Sources.
    pub sources: Vec<Position>,
    /// Evidence.
    pub evidence: Vec<Position>,
    /// Facts.
    pub facts: Vec<Position>,
    /// Claims.
    pub claims: Vec<Position>,
    /// Acts.
    pub acts: Vec<Position>,
    /// Transitions.
    pub transitions: Vec<Position>,
}

impl Removed {
    /// Every position, of whatever kind.
    pub fn all(&self) -> impl Iterator<Item = Position> + '_ {
        [&self.sources, &self.evidence, &self.facts, &self.claims, &self.acts, &self.transitions]
            .into_iter()
            .flatten()
            .copied()
    }

    /// Whether nothing is removed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }
}
