//! Turns: the recorded computation that chose what one turn may see.
//!
//! A turn record holds ids, features and reasons, never words: the selection replays from the features, the packet from
//! the versions as they stood at the watermark, and the packet's keyed mark tells whether it is the same to the byte.
//!
//! Records are kept for as long as their subject lives, so how they are written down has a version of its own
//! ([`TurnRecord::encode`]): what an earlier program wrote is read and replayed by a later one.

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
    /// What policies from turn/3 on look at besides; empty in records of before.
    pub features: Features,
}

/// What policies from turn/3 on look at besides. Numbers and places only: nothing here says a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Features {
    /// The share of the request's content words that it answers, in thousandths.
    pub coverage: u16,
    /// Whether the request names what it is about: every word of the entity's name, or of an alias, stands in it.
    pub named: bool,
    /// How well it matches what the caller said the turn is about, in millionths; 0 without such a hint.
    pub hinted: u32,
    /// The number of its entity and predicate: candidates of one number answer the same question.
    pub about: u32,
    /// The place of an earlier candidate that says nearly the same in nearly the same words.
    pub repeats: Option<u32>,
    /// How many whole days before the turn it was last said.
    pub age_days: u32,
    /// How many relations away from the request it was found; `None` when it was not found by walking.
    pub hop: Option<u8>,
    /// The place of the earlier candidate, a relation, that led to it.
    pub led_from: Option<u32>,
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
        /// The caller said the turn is about it.
        Hinted = "hinted",
        /// It is about what a selected relation leads to.
        Related = "related",
        /// It is a step of the way that a deep turn walked.
        Hop = "hop",
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
        /// It matches, but too little to be shown for that.
        BelowFloor = "below_floor",
        /// Another that was selected says nearly the same.
        Repeats = "repeats",
        /// Enough notes and preferences were selected.
        EntryCap = "entry_cap",
    }
}

/// Turn records that cannot be read: written by a later program, or damaged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the record of a turn cannot be read; it is damaged, or a newer program wrote it")]
pub struct UnreadableTurn;

/// What a record begins with from version 2 on, before the number of its version: a first number written longer than it
/// need be, which version 1, whose records begin with a number as short as can be, never wrote.
const VERSIONED: [u8; 2] = [0x80, 0x00];

/// The version of the encoding that this program writes.
const ENCODING: u8 = 2;

impl TurnRecord {
    /// The record as it is stored. [`TurnRecord::decode`] reads it back whole.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSIONED[0], VERSIONED[1], ENCODING];
        // Encoding a record to a growing vector cannot fail.
        bytes.extend(postcard::to_allocvec(self).unwrap_or_default());
        bytes
    }

    /// Reads a record of any version.
    ///
    /// # Errors
    /// [`UnreadableTurn`] for bytes that no version wrote, or a later one did.
    pub fn decode(bytes: &[u8]) -> Result<Self, UnreadableTurn> {
        match bytes.strip_prefix(&VERSIONED) {
            None => version_1::read(bytes),
            Some([ENCODING, rest @ ..]) => postcard::from_bytes(rest).map_err(|_| UnreadableTurn),
            Some(_) => Err(UnreadableTurn),
        }
    }
}

/// Records as they were written before candidates had [`Features`].
mod version_1 {
    use serde::Deserialize;

    use super::{Budget, Class, Dropped, Features, Fingerprint, Instant, Selected, Triage, UnreadableTurn};
    use crate::id::VersionId;
    use crate::time::AsOf;

    #[derive(Deserialize)]
    struct TurnRecord {
        recorded_at: Instant,
        as_of: AsOf,
        policy: String,
        triage: Triage,
        budget: Budget,
        candidates: Vec<Candidate>,
        candidates_cut: u32,
        selected: Vec<Selected>,
        dropped: Vec<Dropped>,
        disputes: Vec<Vec<VersionId>>,
        packet_mark: Fingerprint,
        packet_tokens: u32,
        request_mark: Fingerprint,
    }

    #[derive(Deserialize)]
    struct Candidate {
        version: VersionId,
        class: Class,
        important: bool,
        relevance: u32,
        tokens: u32,
        support: u32,
        dispute: Option<u32>,
        confirmed_at: Instant,
    }

    pub(super) fn read(bytes: &[u8]) -> Result<super::TurnRecord, UnreadableTurn> {
        let read: TurnRecord = postcard::from_bytes(bytes).map_err(|_| UnreadableTurn)?;
        let candidates = read.candidates.into_iter().map(|candidate| super::Candidate {
            version: candidate.version,
            class: candidate.class,
            important: candidate.important,
            relevance: candidate.relevance,
            tokens: candidate.tokens,
            support: candidate.support,
            dispute: candidate.dispute,
            confirmed_at: candidate.confirmed_at,
            features: Features::default(),
        });
        Ok(super::TurnRecord {
            recorded_at: read.recorded_at,
            as_of: read.as_of,
            policy: read.policy,
            triage: read.triage,
            budget: read.budget,
            candidates: candidates.collect(),
            candidates_cut: read.candidates_cut,
            selected: read.selected,
            dropped: read.dropped,
            disputes: read.disputes,
            packet_mark: read.packet_mark,
            packet_tokens: read.packet_tokens,
            request_mark: read.request_mark,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::Position;
    use crate::resolve::{Policy, select};

    /// A turn as the program of version 1 of the encoding stored it: three candidates, two of them in dispute.
    const STORED: &str = "809097dadd86a606809097dadd86a60680e0a597e0fda1840703067475726e2f32000cb0090502040500bbfb2923010100\
        8090dcfcd981a60603030500bbfb29230101008090dcfcd981a60601040001001a01008090a19fd6fca50601070101001d01008090a19fd6fc\
        a506010a0200001801008090a19fd6fca506000402040003030301040101070101010a00010202040303d8517fe091782e5f4cbc4916db2ae4\
        549301ba7b0ed57093f072c8d68352e7299761";

    fn stored() -> Vec<u8> {
        let digits: Vec<u8> = STORED.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pairs = digits.chunks(2).map(|pair| std::str::from_utf8(pair).expect("ASCII"));
        pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")).collect()
    }

    #[test]
    fn a_record_of_before_is_read_and_selects_the_same() {
        let record = TurnRecord::decode(&stored()).expect("read");
        assert_eq!(record.policy, "turn/2");
        assert_eq!((record.candidates.len(), record.selected.len(), record.dropped.len()), (5, 4, 1));
        assert_eq!(record.disputes.len(), 1);
        assert!(record.candidates.iter().all(|one| one.features == Features::default()));
        let policy = Policy::named(&record.policy).expect("known");
        let again = select(policy, &record.candidates, record.budget, 40);
        assert_eq!(again.selected, record.selected);
        assert_eq!(again.dropped, record.dropped);
        // Written by this program it is the same record, in the encoding of now.
        let rewritten = record.encode();
        assert_eq!(rewritten[..3], [0x80, 0x00, ENCODING]);
        assert_eq!(TurnRecord::decode(&rewritten), Ok(record));
    }

    #[test]
    fn what_a_later_program_wrote_and_what_is_damaged_is_refused() {
        let record = TurnRecord::decode(&stored()).expect("read");
        let mut later = record.encode();
        later[2] += 1;
        assert_eq!(TurnRecord::decode(&later), Err(UnreadableTurn));
        assert_eq!(TurnRecord::decode(&later[..2]), Err(UnreadableTurn));
        assert_eq!(TurnRecord::decode(&[]), Err(UnreadableTurn));
        let half = record.encode();
        assert_eq!(TurnRecord::decode(&half[..half.len() / 2]), Err(UnreadableTurn));
    }

    proptest! {
        #[test]
        fn no_record_of_before_begins_like_one_of_now(micros: i64) {
            let bytes = postcard::to_allocvec(&Instant::from_micros(micros)).expect("encoded");
            prop_assert_ne!(bytes.get(..2), Some(VERSIONED.as_slice()));
        }

        #[test]
        fn any_features_come_back(coverage: u16, named: bool, hinted: u32, about: u32, repeats: Option<u32>, hop: Option<u8>) {
            let mut record = TurnRecord::decode(&stored()).expect("read");
            let features =
                Features { coverage, named, hinted, about, repeats, age_days: about, hop, led_from: repeats };
            record.candidates[0].version = VersionId(Position::new(u64::from(about), 1));
            record.candidates[0].features = features;
            prop_assert_eq!(TurnRecord::decode(&record.encode()), Ok(record));
        }
    }
}
