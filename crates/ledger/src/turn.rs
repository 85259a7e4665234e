//! Turns: the recorded computation that chose what one turn may see.
//!
//! A turn record holds ids, features and reasons, never words: the selection replays from the features, the packet from
//! the versions as they stood at the watermark, and the packet's keyed mark tells whether it is the same to the byte.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::VersionId;
use crate::keys::Fingerprint;
use crate::registry::Class;
use crate::source::words;
use crate::time::{AsOf, Instant};

/// Everything needed to make one turn's selection again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnRecord {
    /// When the turn was resolved.
    pub recorded_at: Instant,
    /// What it looked at.
    pub as_of: AsOf,
    /// Which policy chose, such as `turn/2`.
    pub policy: String,
    /// What was decided before looking.
    pub triage: Triage,
    /// What it had room for.
    pub budget: Budget,
    /// What was considered, in the order of relevance; ties by id.
    pub candidates: Vec<Candidate>,
    /// How many more were found than could be considered.
    pub candidates_cut: u32,
    /// What was chosen, in the order of the packet; the handle of the n-th is `M<n+1>`.
    pub selected: Vec<Selected>,
    /// What was not, and why.
    pub dropped: Vec<Dropped>,
    /// The selected versions that contradict each other, together.
    pub disputes: Vec<Vec<VersionId>>,
    /// The keyed mark of the packet's text.
    pub packet_mark: Fingerprint,
    /// The packet's length in tokens.
    pub packet_tokens: u32,
    /// The keyed mark of the request.
    pub request_mark: Fingerprint,
}

words! {
    /// What a turn needs from memory, decided before looking.
    Triage {
        /// Look, and hand over what is found.
        Retrieve = "RETRIEVE",
        /// Nothing to hold on to: ask one question first.
        Ask = "ASK",
        /// The conversation at hand suffices.
        Skip = "SKIP",
    }
}

/// What a turn has room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Budget {
    /// Memories, at most.
    pub slots: u32,
    /// Tokens of the packet, at most.
    pub tokens: u32,
}

impl Budget {
    /// The most memories a turn may carry.
    pub const SLOTS_MAX: u32 = 12;
    /// The tokens a packet may take unless the caller says otherwise.
    pub const TOKENS_DEFAULT: u32 = 1_200;
}

impl Default for Budget {
    fn default() -> Self {
        Self { slots: Self::SLOTS_MAX, tokens: Self::TOKENS_DEFAULT }
    }
}

/// The most candidates a policy is given; the rest are counted as cut.
pub const CANDIDATES_MAX: usize = 200;

/// A version a turn considered, with the features the policy decides by.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Which version.
    pub version: VersionId,
    /// The class of its predicate.
    pub class: Class,
    /// Whether its predicate is generally important.
    pub important: bool,
    /// How well it matches the request, in millionths; 0 when it does not.
    pub relevance: u32,
    /// What it costs in the packet, in tokens.
    pub tokens: u32,
    /// How many lineages back it.
    pub support: u32,
    /// The candidates it contradicts, by the number of their group; they enter together or not at all.
    pub dispute: Option<u32>,
    /// When it was last said.
    pub confirmed_at: Instant,
}

/// A version a turn selected.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Selected {
    /// Which version.
    pub version: VersionId,
    /// Why.
    pub why: Why,
}

words! {
    /// Why a version was selected.
    Why {
        /// It matches the request.
        Matches = "matches",
        /// It does not, but matters in general.
        Important = "generally_important",
        /// Its class was given a bonus.
        Bonus = "class_bonus",
        /// It contradicts one that was selected.
        Dispute = "dispute",
        /// There was room.
        Room = "room",
    }
}

/// A version a turn did not select.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Dropped {
    /// Which version.
    pub version: VersionId,
    /// Why not.
    pub reason: DropReason,
}

words! {
    /// Why a version was not selected.
    DropReason {
        /// It neither matches the request nor matters in general.
        NotRelevant = "not_relevant",
        /// More relevant ones took the slots.
        SlotBudget = "slot_budget",
        /// More important ones took the slots kept for what matters in general.
        ImportantBudget = "important_budget",
        /// The packet had no room for its words.
        TokenBudget = "token_budget",
        /// Its dispute could not enter whole.
        DisputeNotWhole = "dispute_not_whole",
        /// The turn needed nothing from memory.
        Skipped = "skipped",
    }
}
