//! Entries: what people and agents keep on purpose, list, and correct.

use engine::answer::{Corrected, Observed, Profile, Recalled};
use engine::list::List;
use engine::remember::Remember as Remembering;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Nothing;
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Keeps words on purpose.
pub struct Remember;

/// What is to be remembered.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// The owner's words, as they were said.
    #[schemars(length(min = 1))]
    pub text: String,
    /// `preference` where they say how the owner wants to be answered or served.
    #[serde(default)]
    pub kind: EntryKind,
    /// With `predicate` and `value`, what exactly the words say: `self`, or a slug such as `acme` or `person:karthik`.
    #[serde(default)]
    pub entity: Option<String>,
    /// A predicate of the registry.
    #[serde(default)]
    pub predicate: Option<String>,
    /// The value; the text itself when left out.
    #[serde(default)]
    pub value: Option<String>,
    /// When it was said, RFC 3339; now, when left out.
    #[serde(default)]
    pub event_time: Option<String>,
}

/// The kind of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A fact or a note.
    #[default]
    Fact,
    /// How the owner wants to be answered or served.
    Preference,
}

impl Verb for Remember {
    const NAME: &'static str = "remember";
    const RIGHT: Right = Right::Write;
    const KEYED: bool = true;
    const SUMMARY: &'static str = "Keep words of the owner on purpose";
    type Input = Words;
    type Answer = Observed;

    fn run(asked: &Asked<'_>, words: Words) -> Result<Observed, Refusal> {
        let remember = Remembering {
            text: words.text,
            is_preference: words.kind == EntryKind::Preference,
            entity: words.entity,
            predicate: words.predicate,
            value: words.value,
            event_time: words.event_time,
            idempotency_key: asked.idempotency_key.map(str::to_owned),
        };
        Ok(asked.engine.remember(asked.call(), remember)?)
    }
}

/// Lists what holds now.
pub struct ListEntries;

/// Which entries are listed.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// `entry` (notes and preferences), `fact` (all others), `all`, or a class such as `preference` or `constraint`.
    #[serde(default = "entry")]
    pub kind: String,
    /// Items, at most; 50 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// The id of the last item of the page before; from the newest, when left out.
    #[serde(default)]
    pub cursor: Option<String>,
    /// Whether what documents and others said is listed, too.
    #[serde(default)]
    pub world: bool,
}

fn entry() -> String {
    List::default().kind
}

/// A page of entries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EntriesPage {
    /// The entries, in the envelope of every list of memories.
    #[serde(flatten)]
    pub listed: Recalled,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Verb for ListEntries {
    const NAME: &'static str = "list";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "What holds now, the newest first";
    type Input = Listing;
    type Answer = EntriesPage;

    fn run(asked: &Asked<'_>, listing: Listing) -> Result<EntriesPage, Refusal> {
        let limit = listing.limit.unwrap_or(List::default().limit);
        let list = List { kind: listing.kind, limit, after: listing.cursor, world: listing.world };
        let listed = asked.engine.list(asked.call(), &list)?;
        let next = listed.items.last().filter(|_| listed.truncated).map(|item| item.id.clone());
        Ok(EntriesPage { listed, next })
    }
}

/// Corrects an entry.
pub struct Correct;

/// New words for an entry.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Correction {
    /// The version that is wrong.
    pub id: String,
    /// What is right, in the owner's words; at most 600 characters.
    #[schemars(length(min = 1, max = 600))]
    pub text: String,
}

impl Verb for Correct {
    const NAME: &'static str = "correct";
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str = "Put new words in the place of an entry; the old ones stay in its history";
    type Input = Correction;
    type Answer = Corrected;

    fn run(asked: &Asked<'_>, correction: Correction) -> Result<Corrected, Refusal> {
        Ok(asked.engine.correct(asked.call(), &correction.id, &correction.text)?)
    }
}

/// Tells who the owner is.
pub struct ShowProfile;

impl Verb for ShowProfile {
    const NAME: &'static str = "profile";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Who the owner is and what must always be kept to";
    type Input = Nothing;
    type Answer = Profile;

    fn run(asked: &Asked<'_>, _: Nothing) -> Result<Profile, Refusal> {
        Ok(asked.engine.profile(asked.call())?)
    }
}
