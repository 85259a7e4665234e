//! The log: what an append holds, row by row, and how an erasure rewrites it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::claim::Claim;
use crate::evidence::{Evidence, EvidenceWords};
use crate::fact::{Act, FactRow, Transition};
use crate::id::{EvidenceId, Position, SourceId, Watermark};
use crate::keys::Fingerprint;
use crate::receipt::RowCounts;
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
    /// Acts that stand in place of removed ones, behind what was reduced.
    pub acts: Vec<Act>,
    /// The transitions that stand in place of the removed ones: what the history would be, had the words never been seen.
    pub rewrite: Vec<Transition>,
    /// Marks that must not be learnt again.
    pub tombstones: Vec<Tombstone>,
    /// Sources whose data keys are destroyed.
    pub shred: Vec<SourceId>,
    /// The act that tells of the erasure. It stands behind the transitions, and stays as long as the subject does.
    pub record: Option<Act>,
}

impl Erasure {
    /// The rows it writes behind what it reduces, in order.
    pub fn written(&self) -> impl Iterator<Item = Row> + '_ {
        let acts = self.acts.iter().cloned().map(Row::Act);
        let told = self.rewrite.iter().cloned().map(Row::Transition);
        acts.chain(told).chain(self.record.iter().cloned().map(Row::Act))
    }

    /// How many rows of each kind go or are cut down.
    #[must_use]
    pub fn rows(&self) -> RowCounts {
        let remove = &self.remove;
        RowCounts {
            sources: remove.sources.len() as u64,
            evidence: remove.evidence.len() as u64,
            reduced: self.reduce.len() as u64,
            facts: remove.facts.len() as u64,
            claims: remove.claims.len() as u64,
            acts: remove.acts.len() as u64,
            transitions: remove.transitions.len() as u64,
        }
    }
}

/// A mark by which forgotten words are kept out, and the mark of the source that said them: so those of one source can be
/// lifted together by its name, and nothing else tells what they are about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tombstone {
    /// Of the source.
    pub source: Fingerprint,
    /// Of the words; the source's own mark for a source that is kept out whole.
    pub mark: Fingerprint,
}

/// Which tombstones are lifted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Lift {
    /// These.
    Marks(Vec<Fingerprint>),
    /// All of one source, by its mark.
    Source(Fingerprint),
    /// All of the subject.
    Everything,
}

impl Lift {
    /// Whether it lifts this one. `source` is `None` for a tombstone laid before tombstones knew their source.
    #[must_use]
    pub fn lifts(&self, mark: &Fingerprint, source: Option<&Fingerprint>) -> bool {
        match self {
            Self::Marks(marks) => marks.contains(mark),
            Self::Source(of) => source == Some(of) || mark == of,
            Self::Everything => true,
        }
    }
}

/// What is asked of a store that is to destroy a subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubjectErasure {
    /// When it was asked for.
    pub recorded_at: Instant,
    /// The keyed mark of the subject's name, for the record that stays.
    pub subject: Fingerprint,
    /// The keyed mark of who asked.
    pub by: Fingerprint,
    /// Marks that must not be learnt again.
    pub tombstones: Vec<Tombstone>,
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
