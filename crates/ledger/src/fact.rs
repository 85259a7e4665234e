//! Facts and their versions: identities the ledger holds opinions about, and how those opinions changed.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::claim::Realm;
use crate::entity::EntityRef;
use crate::id::{ClaimId, EvidenceId, FactId, Position, SourceId, VersionId};
use crate::keys::Fingerprint;
use crate::log::Lift;
use crate::receipt::{Asked, RowCounts};
use crate::source::words;
use crate::time::{Instant, Span};

/// What makes a fact the same fact: (realm, entity, predicate), within one subject, and what tells apart the
/// facts of a predicate that may hold many values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FactKey {
    /// Whose word it rests on.
    pub realm: Realm,
    /// Whom or what it is about.
    pub entity: EntityRef,
    /// A predicate of the registry.
    pub predicate: Arc<str>,
    /// What else belongs to the identity.
    pub apart: Apart,
}

/// What tells facts of the same realm, entity and predicate apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Apart {
    /// Nothing: the predicate holds one value at a time.
    Nothing,
    /// The canonical value: the predicate holds many values side by side.
    Value(Arc<str>),
    /// The period measured: values of one period contradict each other, values of two periods do not.
    Period(Option<Instant>, Option<Instant>),
}

/// The stored row of a fact. It holds no words: entity and value are read from the claims that support it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FactRow {
    /// Whose word it rests on.
    pub realm: Realm,
    /// A predicate of the registry.
    pub predicate: String,
    /// The keyed mark of the whole [`FactKey`]; one fact a mark.
    pub identity: Fingerprint,
}

impl FactRow {
    /// A row for a memory that only tells one fact's history again and never looks it up by its mark.
    pub(crate) fn placeholder() -> Self {
        Self { realm: Realm::World, predicate: String::new(), identity: Fingerprint([0; 16]) }
    }
}

/// Why one version's state changed: the append-only history of a fact.
///
/// Folding a fact's transitions in the order of their causes gives its state at any watermark and at any belief instant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Transition {
    /// The fact.
    pub fact: FactId,
    /// The version whose state changed.
    pub version: VersionId,
    /// What happened to it.
    pub kind: TransitionKind,
    /// The claim or act that caused it. Stays the same when an erasure rewrites the history around it.
    pub cause: Position,
    /// From when this system held the new state: the instant the cause was recorded.
    pub at: Instant,
    /// When the value holds in the world, from now on as far as this system knows.
    pub validity: Span,
    /// Whether this system holds it at all.
    pub standing: Standing,
    /// Claims that support the version from now on.
    pub attach: Vec<ClaimId>,
    /// Claims that no longer do, because they support another version now.
    pub detach: Vec<ClaimId>,
}

words! {
    /// What happened to a version.
    TransitionKind {
        /// It became a value of the fact.
        Open = "open",
        /// It was said again.
        Confirm = "confirm",
        /// Another value took its place.
        Supersede = "supersede",
        /// It was placed in the past, behind what is current.
        History = "history",
        /// It contradicts another value that stands.
        Dispute = "dispute",
        /// It ended: retracted, withdrawn, or dropped from a living source.
        Close = "close",
        /// It stands again after it had ended.
        Reopen = "reopen",
        /// A recorded act ended its dispute.
        Resolve = "resolve",
    }
}

words! {
    /// Whether the system holds a version.
    Standing {
        /// Held, for its span of validity.
        Held = "held",
        /// No longer held for any time: overruled by a later statement about the whole span, or by an act.
        Retired = "retired",
    }
}

/// A deliberate, recorded step that is not testimony.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Act {
    /// When the act takes effect in the world.
    pub at: Instant,
    /// What was done.
    pub kind: ActKind,
    /// Why, and by whom; sealed on disk.
    pub words: ActWords,
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ActKind {
    /// A dispute was resolved: the values these claims do not state end where they began to contradict the value kept.
    ResolveDispute {
        /// The fact in dispute.
        fact: FactId,
        /// The claims that supported the value kept.
        keep: Vec<ClaimId>,
    },
    /// A new edition of a living source stands: earlier claims of the source whose words it no longer holds end,
    /// and those whose words it holds again stand again.
    NewEdition {
        /// The source.
        source: SourceId,
        /// The edition.
        edition: EvidenceId,
        /// Claims whose words the edition dropped.
        dropped: Vec<ClaimId>,
        /// Claims whose words the edition holds again.
        restored: Vec<ClaimId>,
    },
    /// A source was withdrawn: what it alone supported ends.
    Withdraw {
        /// The source.
        source: SourceId,
    },
    /// A withdrawn source stands again.
    Reinstate {
        /// The source.
        source: SourceId,
    },
    /// Words were forgotten, in the append this stands in. Bears on no fact and names nothing that went.
    Forget {
        /// What was asked for.
        asked: Asked,
        /// What went.
        rows: RowCounts,
    },
    /// What was forgotten may be learnt again. The store lifts the tombstones as it appends the act.
    Lift(Lift),
}

/// The part of an act that is sealed on disk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ActWords {
    /// Why.
    pub reason: String,
    /// By whom.
    pub by: String,
}
