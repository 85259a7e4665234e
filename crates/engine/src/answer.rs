//! The shapes of answers: what every face prints, serves or hands over, field by field.

use ledger::id::{Kind, Position};
use ledger::keys::SubjectKeys;
use ledger::receipt::RowCounts;
use ledger::time::Instant;
use ledger::value::Value;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// What became of one message.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Observed {
    /// The evidence; `null` when nothing was kept.
    pub evidence: Option<String>,
    /// Whether the message was known already.
    pub duplicate: bool,
    /// Proposals that became claims.
    pub admitted: Vec<AdmittedClaim>,
    /// Proposals the gate refused.
    pub refused: Vec<Refused>,
    /// Proposals that could not be read at all.
    pub failed: Vec<Failed>,
    /// `received = admitted + refused + duplicate + failed`.
    pub counts: Counts,
    /// The last append a reader must have seen to see this.
    pub watermark: u64,
    /// What else the caller should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A proposal that became a claim.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct AdmittedClaim {
    /// The claim.
    pub claim: String,
    /// The fact it bears on.
    pub fact: String,
    /// The version it supports; `null` for a retraction of something never held.
    pub version: Option<String>,
    /// What it did.
    pub transition: String,
    /// Who proposed it.
    pub proposer: String,
    /// Whom or what it is about.
    pub entity: String,
    /// The predicate.
    pub predicate: String,
    /// The value.
    pub value: Json,
}

/// A proposal the gate refused.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Refused {
    /// Its number among the proposals of the message, from 0.
    pub index: usize,
    /// A stable code.
    pub code: String,
    /// What exactly was wrong.
    pub detail: String,
}

/// A proposal that could not be read.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Failed {
    /// Its number among the proposals of the message, from 0.
    pub index: usize,
    /// What is missing or wrong.
    pub detail: String,
}

/// Balanced counts: `received = admitted + refused + duplicate + failed`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct Counts {
    /// Proposals handed in.
    pub received: u64,
    /// Became claims.
    pub admitted: u64,
    /// Refused by the gate.
    pub refused: u64,
    /// Said the same as a claim of the same message.
    pub duplicate: u64,
    /// Could not be read.
    pub failed: u64,
}

impl Counts {
    /// Adds the counts of another message.
    pub fn add(&mut self, other: &Self) {
        self.received += other.received;
        self.admitted += other.admitted;
        self.refused += other.refused;
        self.duplicate += other.duplicate;
        self.failed += other.failed;
    }
}

/// A stretch of time, half-open; no `to` while it has no end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SpanText {
    /// The first instant inside.
    pub from: String,
    /// The first instant outside.
    pub to: Option<String>,
}

impl SpanText {
    /// The span from `from` to `to`.
    #[must_use]
    pub fn new(from: Instant, to: Option<Instant>) -> Self {
        Self { from: from.to_string(), to: to.map(|to| to.to_string()) }
    }
}

/// What a read looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct AsOfText {
    /// The instant in the world.
    pub valid_at: String,
    /// The instant of belief; `null` for the latest.
    pub believed_at: Option<String>,
}

/// The answer of a recall, and the envelope of every list of memories.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Recalled {
    /// What kind of thing the items are.
    pub grain: String,
    /// What was found, best first; a dispute stands together.
    pub items: Vec<Item>,
    /// What the read looked at.
    pub as_of: AsOfText,
    /// The last append it saw.
    pub watermark: u64,
    /// The kind of "no", when there are no items: `unknown_entity`, `known_empty` or `boundary`.
    pub negative: Option<String>,
    /// What the answer had to do without; empty when nothing.
    pub degraded: Vec<String>,
    /// Whether more was found than the limit let through.
    pub truncated: bool,
    /// What else the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// One memory in an answer.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// The version, or the evidence.
    pub id: String,
    /// The fact it belongs to.
    pub fact: Option<String>,
    /// Whom or what it is about.
    pub entity: Option<String>,
    /// The predicate.
    pub predicate: Option<String>,
    /// The value.
    pub value: Json,
    /// The memory in one line.
    pub text: String,
    /// How well it matches, 0 to 1; only comparable within one answer.
    pub score: f64,
    /// What the score is made of.
    pub signals: serde_json::Map<String, Json>,
    /// When it holds in the world.
    pub validity: Option<SpanText>,
    /// When this system held it.
    pub belief: Option<SpanText>,
    /// How many lineages back it.
    pub support: usize,
    /// The versions it contradicts; `null` when it stands alone.
    pub dispute: Option<Vec<String>>,
    /// How true to the words it is.
    pub fidelity: String,
    /// When it was last said.
    pub event_time: String,
    /// Whose word it rests on.
    pub realm: Option<String>,
}

/// A resolved turn.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Turned {
    /// The turn's id.
    pub turn: String,
    /// RETRIEVE, ASK or SKIP.
    pub triage: String,
    /// With ASK: what to ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The policy that chose.
    pub policy: String,
    /// The last append the turn saw.
    pub watermark: u64,
    /// What was considered, in order of relevance.
    pub candidates: Vec<String>,
    /// What was chosen.
    pub selected: Vec<SelectedItem>,
    /// What was not, and why.
    pub dropped: Vec<DroppedItem>,
    /// The selected memories that contradict each other.
    pub disputes: Vec<Vec<String>>,
    /// What the model is handed.
    pub packet: Packet,
    /// What the answer had to do without.
    pub degraded: Vec<String>,
    /// Whether candidates were cut.
    pub truncated: bool,
    /// What else the caller should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// One selected memory.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SelectedItem {
    /// Its handle in the packet.
    pub handle: String,
    /// The version.
    pub id: String,
    /// The memory in one line.
    pub text: String,
    /// Why it was chosen.
    pub why: String,
}

/// One memory not selected.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DroppedItem {
    /// The version.
    pub id: String,
    /// Why not.
    pub reason: String,
}

/// What a model is handed for one turn.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Packet {
    /// The text.
    pub text: String,
    /// Its length in tokens.
    pub tokens: u32,
}

/// A replayed turn.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Replayed {
    /// The turn's id.
    pub turn: String,
    /// Whether selection and packet came out the same, byte for byte.
    pub identical: bool,
    /// What did not.
    pub differences: Vec<String>,
}

/// What was recorded as used.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Used {
    /// The turn's id.
    pub turn: String,
    /// All handles recorded so far.
    pub used: Vec<String>,
}

/// What a reply used of a turn.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct UsedInReply {
    /// The turn's id.
    pub turn: String,
    /// The handles of the turn that the reply cites.
    pub cited: Vec<String>,
    /// Handles the reply cites that the turn does not have; nothing was recorded for them.
    pub unknown: Vec<String>,
    /// All handles recorded so far.
    pub used: Vec<String>,
}

/// A recall that also walked.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Deep {
    /// What a recall answers; the best path's steps come first, the answer before all.
    #[serde(flatten)]
    pub recalled: Recalled,
    /// The ways found, best first, each to another answer.
    pub paths: Vec<PathText>,
}

/// A way from a name in the question to an answer.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PathText {
    /// The value of the last step.
    pub answer: Json,
    /// The share of the question it explains, 0 to 1; only comparable within one answer.
    pub score: f64,
    /// The steps, first to last.
    pub steps: Vec<StepText>,
    /// Words of the question that no step explains.
    pub unexplained: Vec<String>,
}

/// One step of a path.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct StepText {
    /// Its number, from 1.
    pub hop: usize,
    /// The question's words that chose it.
    pub words: Vec<String>,
    /// The memory it stands on; its id leads to the receipt.
    pub item: Item,
    /// What the fact held before, the latest last; the newest few.
    pub before: Vec<VersionText>,
    /// How many more it held before those.
    pub older: usize,
}

/// What a model can know before any search: who the owner is and what must always be kept to.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Profile {
    /// Identity before constraints; a dispute stands together.
    pub items: Vec<Item>,
    /// The same as a block of lines, without handles.
    pub text: String,
    /// The block's length in tokens.
    pub tokens: u32,
    /// The last append this saw.
    pub watermark: u64,
    /// Whether more belongs to it than fits.
    pub truncated: bool,
    /// What else the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// An entry that was corrected.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Corrected {
    /// The version that was corrected.
    pub corrected: String,
    /// What became of the new words.
    #[serde(flatten)]
    pub observed: Observed,
}

/// Recorded turns.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct TurnsListed {
    /// The newest first.
    pub turns: Vec<TurnListed>,
    /// The last append this saw.
    pub watermark: u64,
    /// Whether there are older ones.
    pub truncated: bool,
}

/// A recorded turn in a list.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct TurnListed {
    /// The turn's id.
    pub turn: String,
    /// When it was resolved.
    pub at: String,
    /// The policy that chose.
    pub policy: String,
    /// RETRIEVE, ASK or SKIP.
    pub triage: String,
    /// Memories considered.
    pub candidates: usize,
    /// Memories chosen.
    pub selected: usize,
    /// Memories used, as far as somebody said so.
    pub used: usize,
}

/// A recorded turn: what was considered, chosen and used, and every reason.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct TurnTold {
    /// The turn's id.
    pub turn: String,
    /// When it was resolved.
    pub at: String,
    /// The policy that chose.
    pub policy: String,
    /// RETRIEVE, ASK or SKIP.
    pub triage: String,
    /// What it looked at.
    pub as_of: AsOfText,
    /// The last append it saw.
    pub watermark: u64,
    /// What it had room for.
    pub budget: BudgetText,
    /// The packet's length in tokens.
    pub packet_tokens: u32,
    /// What was considered, in order of relevance.
    pub candidates: Vec<CandidateText>,
    /// How many more were found than could be considered.
    pub cut: u32,
    /// The chosen memories that contradict each other.
    pub disputes: Vec<Vec<String>>,
    /// The handles of what was used, as far as somebody said so.
    pub used: Vec<String>,
}

/// What a turn has room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct BudgetText {
    /// Memories, at most.
    pub slots: u32,
    /// Tokens of the packet, at most.
    pub tokens: u32,
}

/// A memory that a turn considered.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CandidateText {
    /// The version.
    pub id: String,
    /// The memory as the turn saw it, its score how well it matches the message; `null` once it was forgotten.
    pub item: Option<Item>,
    /// How well it matches the message, 0 to 1.
    pub relevance: f64,
    /// Whether it matters in general.
    pub important: bool,
    /// What it costs in the packet, in tokens.
    pub tokens: u32,
    /// How many lineages backed it.
    pub support: u32,
    /// Its handle in the packet, where it was chosen.
    pub handle: Option<String>,
    /// Why it was chosen.
    pub why: Option<String>,
    /// Why it was not.
    pub reason: Option<String>,
    /// Whether somebody said that it was used.
    pub used: bool,
}

/// What a correction would do.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CorrectionForeseen {
    /// The fact.
    pub fact: FactText,
    /// The version that would be corrected, as it stands.
    pub version: VersionText,
    /// The message that would be kept.
    pub text: String,
    /// What of it would become memory.
    pub admitted: Vec<ValueForeseen>,
    /// What the gate would refuse.
    pub refused: Vec<Refused>,
    /// What could not be read at all.
    pub failed: Vec<Failed>,
}

/// A value that would be stated or taken back.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ValueForeseen {
    /// `assert` or `retract`.
    pub op: String,
    /// The value.
    pub value: Json,
}

/// The policies of this build and the one in force.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PoliciesText {
    /// The policy that a turn uses unless it names one.
    pub in_force: String,
    /// Every policy.
    pub policies: Vec<PolicyText>,
    /// What was done, the oldest first.
    pub acts: Vec<PolicyActText>,
}

/// One policy.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PolicyText {
    /// Its name.
    pub name: String,
    /// Whether it is in force.
    pub in_force: bool,
    /// What it does.
    pub summary: String,
    /// Its numbers, by name; none where it has none of its own.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub numbers: serde_json::Map<String, Json>,
    /// The acts that concern it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<PolicyActText>,
}

/// A policy promoted or rolled back.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PolicyActText {
    /// `promote` or `rollback`.
    pub act: String,
    /// The policy before.
    pub from: String,
    /// The policy since.
    pub to: String,
    /// Why.
    pub reason: String,
    /// By whom.
    pub by: String,
    /// When.
    pub at: String,
}

/// What another policy would have made of turns that were recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct PolicyDiff {
    /// The policy compared with.
    pub from: String,
    /// The policy compared.
    pub to: String,
    /// Turns looked at: those that looked into memory.
    pub turns: usize,
    /// Turns in which both select the same, in the same order.
    pub identical: usize,
    /// Memories only the second selects, over all turns.
    pub added: usize,
    /// Memories only the first selects.
    pub removed: usize,
    /// Memories the first selects.
    pub from_items: usize,
    /// Memories the second selects.
    pub to_items: usize,
    /// Tokens of what the first selects.
    pub from_tokens: u64,
    /// Tokens of what the second selects.
    pub to_tokens: u64,
    /// Turns that show a dispute with one of the two and not with the other.
    pub disputes_changed: usize,
    /// Turns of which somebody said what was used.
    pub turns_with_use: usize,
    /// Memories used in those.
    pub used: usize,
    /// Of them, how many the first selects.
    pub from_kept: usize,
    /// Of them, how many the second selects.
    pub to_kept: usize,
    /// Turns whose candidates were recorded before there were the features turn/3 decides by.
    pub without_features: usize,
    /// Turns recorded but not looked at, because they asked or skipped.
    pub passed_over: usize,
    /// Whether there are more turns than were looked at.
    pub truncated: bool,
}

/// A receipt: the way from a memory to the words behind it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Why {
    /// What was asked about.
    pub item: String,
    /// The fact, with its identity.
    pub fact: Option<FactText>,
    /// The versions concerned.
    pub versions: Vec<VersionText>,
    /// The claims behind them.
    pub claims: Vec<ClaimText>,
    /// The evidence behind those.
    pub evidence: Vec<EvidenceText>,
    /// What happened, in order.
    pub transitions: Vec<TransitionText>,
    /// The last append this saw.
    pub watermark: u64,
}

/// A fact's identity.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct FactText {
    /// Its id.
    pub id: String,
    /// Whose word it rests on.
    pub realm: String,
    /// Whom or what it is about.
    pub entity: String,
    /// The predicate.
    pub predicate: String,
}

/// A version with both its spans.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct VersionText {
    /// Its id.
    pub id: String,
    /// Its value.
    pub value: Json,
    /// When it holds in the world.
    pub validity: SpanText,
    /// When this system held it.
    pub belief: SpanText,
    /// `held` or `retired`.
    pub standing: String,
    /// Whether it holds at the instant asked about.
    pub current: bool,
    /// How many lineages back it.
    pub support: usize,
    /// The versions it contradicts.
    pub dispute: Option<Vec<String>>,
    /// How true to the words it is.
    pub fidelity: String,
    /// When it was last said.
    pub last_confirmed_at: Option<String>,
}

/// A claim with its words.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ClaimText {
    /// Its id.
    pub claim: String,
    /// The evidence that said it.
    pub evidence: String,
    /// The words that say it.
    pub quote: String,
    /// Where they begin in the evidence, in bytes.
    pub start: u64,
    /// Where they end.
    pub end: u64,
    /// All quotes, when it rests on several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<QuoteText>,
    /// `assert` or `retract`.
    pub op: String,
    /// How sure the proposer was.
    pub confidence: f64,
    /// The policy that admitted it.
    pub policy: String,
    /// Who proposed it.
    pub proposer: String,
    /// Whether it was drawn from several quotes.
    pub inferred: bool,
}

/// One of several quotes.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct QuoteText {
    /// The words.
    pub quote: String,
    /// Where they begin, in bytes.
    pub start: u64,
    /// Where they end.
    pub end: u64,
}

/// A piece of evidence.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct EvidenceText {
    /// Its id.
    pub evidence: String,
    /// Its source.
    pub source: SourceText,
    /// Who spoke.
    pub author: String,
    /// When it was said.
    pub event_time: String,
    /// When this system first saw it.
    pub observed_at: String,
    /// The hash of the text; `null` once part of it was forgotten.
    pub hash: Option<String>,
    /// The text, where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A message, as it was taken in.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MessageText {
    /// What a receipt tells of it, too.
    #[serde(flatten)]
    pub kept: EvidenceText,
    /// The session it was said in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The speaker's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_name: Option<String>,
    /// The source's own id of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// What came with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentText>,
}

/// Something that came with a message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct AttachmentText {
    /// Its file name.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its size in bytes.
    pub size: u64,
}

/// Messages, the newest first.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MessagesListed {
    /// The messages.
    pub messages: Vec<MessageText>,
    /// The last append this saw.
    pub watermark: u64,
    /// Whether there are older ones.
    pub truncated: bool,
}

/// A source.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SourceText {
    /// Its id.
    pub id: String,
    /// The sort of place.
    pub kind: String,
    /// Its name within the sort.
    #[serde(rename = "ref")]
    pub reference: String,
    /// How true to the words it is.
    pub fidelity: String,
    /// `snapshot` or `living`.
    pub mode: String,
}

/// Something that happened to a version.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct TransitionText {
    /// What.
    pub transition: String,
    /// The version.
    pub version: String,
    /// From when this system held it so.
    pub at: String,
    /// The append that brought it.
    pub watermark: u64,
    /// The claim that caused it; `null` for an act.
    pub claim: Option<String>,
    /// The act's reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// By whom the act was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When the value held from then on.
    pub validity: SpanText,
}

/// A fact with all its versions and what happened to them.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct History {
    /// The fact.
    pub fact: FactText,
    /// Its versions, in the order they were opened.
    pub versions: Vec<VersionText>,
    /// What happened, in order.
    pub transitions: Vec<TransitionText>,
    /// The last append this saw.
    pub watermark: u64,
}

/// The facts in dispute.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Disputes {
    /// Each dispute whole.
    pub disputes: Vec<Dispute>,
    /// The last append this saw.
    pub watermark: u64,
}

/// One dispute.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Dispute {
    /// The fact.
    pub fact: FactText,
    /// The versions that contradict each other.
    pub versions: Vec<VersionText>,
}

/// A dispute that was resolved.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Resolved {
    /// The fact.
    pub fact: String,
    /// The version kept.
    pub kept: String,
    /// The versions overruled.
    pub overruled: Vec<String>,
    /// The append that recorded the act.
    pub watermark: u64,
}

/// What forgetting did, or would do.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub struct Forgotten {
    /// What goes, by kind.
    pub erased: ErasedCounts,
    /// Versions that stand on other words.
    pub kept: Vec<String>,
    /// Versions that stand again because what ended them is gone.
    pub reopened: Vec<String>,
    /// Places in the store's files where erased bytes were still found; 0 is the promise.
    pub residue: u64,
    /// Whether this only tells what would happen.
    pub dry_run: bool,
    /// The append that records the erasure; of a subject forgotten whole, 0.
    pub watermark: u64,
    /// Of a dry run: everything concerned, thing by thing. What was really forgotten is not told again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<Foreseen>,
    /// What can be shown afterwards; `None` for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
}

/// One thing that forgetting would concern.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Foreseen {
    /// `goes`; `reduced`: of a message only what others quote stays; `stays` on other words; `reopens`: stands again.
    pub fate: String,
    /// `source`, `message` or `version`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What it says, in a line.
    pub text: String,
}

/// What is told of an erasure for ever: no word of it. It can be checked against the store with `verify --receipt`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The shape of this receipt: `erasure/1`.
    pub receipt: String,
    /// What was asked for: `ids`, `source`, `messages` or `subject`.
    pub asked: String,
    /// How many rows of each kind went.
    #[schemars(schema_with = "rows_schema")]
    pub rows: RowCounts,
    /// When.
    pub at: String,
    /// Who asked.
    pub by: String,
    /// The append that records it; of a subject forgotten whole, the last it had.
    pub watermark: u64,
    /// Of a subject forgotten whole: the number of the store's record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// The hash of that append, or of that record, and of everything before it.
    pub chain: String,
}

/// The shape of [`RowCounts`], which the ledger keeps without knowing of schemas.
fn rows_schema(generator: &mut SchemaGenerator) -> Schema {
    /// How many rows of each kind went.
    #[derive(JsonSchema)]
    #[schemars(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its shape is used")]
    struct Rows {
        sources: u64,
        evidence: u64,
        reduced: u64,
        facts: u64,
        claims: u64,
        acts: u64,
        transitions: u64,
    }
    Rows::json_schema(generator)
}

/// Whether a receipt is borne out by the store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ReceiptChecked {
    /// Whether it is.
    pub ok: bool,
    /// What is not as the receipt says.
    pub problems: Vec<String>,
    /// The receipt.
    pub receipt: Receipt,
}

/// What may be learnt again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Lifted {
    /// Marks that kept words out until now.
    pub lifted: u64,
    /// The append that records it; the last one where there was nothing to lift.
    pub watermark: u64,
}

/// What goes, by kind, with the ids that no longer answer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct ErasedCounts {
    /// Messages erased whole.
    pub evidence: usize,
    /// Messages of which only other quotes remain.
    pub reduced: usize,
    /// Claims.
    pub claims: usize,
    /// Facts nothing supports any more.
    pub facts: usize,
    /// Versions nothing supports any more.
    pub versions: usize,
    /// Sources, with their keys.
    pub sources: usize,
    /// The ids that go.
    pub ids: Vec<String>,
}

/// What a check found.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Verified {
    /// Whether all is well.
    pub ok: bool,
    /// Subjects checked.
    pub subjects: u64,
    /// Appends read.
    pub appends: u64,
    /// Rows read.
    pub rows: u64,
    /// Rows erased and accounted for.
    pub erased: u64,
    /// Claims whose quotes were compared with their evidence.
    pub quotes: u64,
    /// Facts whose history was worked out again from the claims.
    pub facts: u64,
    /// What is wrong.
    pub damage: Vec<DamageText>,
}

/// One thing wrong.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DamageText {
    /// Where.
    pub place: String,
    /// What.
    pub what: String,
}

/// The id people see.
pub(crate) fn id(keys: &SubjectKeys, kind: Kind, position: impl Into<Position>) -> String {
    keys.ids.seal(kind, position.into())
}

/// A value as JSON: booleans and plain numbers as themselves, everything else as text.
#[must_use]
pub fn value_json(value: Option<&Value>) -> Json {
    match value {
        None => Json::Null,
        Some(Value::Boolean(truth)) => Json::Bool(*truth),
        Some(value @ Value::Number(_)) => {
            let text = value.to_string();
            let number = serde_json::from_str::<serde_json::Number>(&text).ok();
            // Only a number that JSON writes the same way keeps its digits.
            match number.filter(|number| number.to_string() == text) {
                Some(number) => Json::Number(number),
                None => Json::String(text),
            }
        }
        Some(value) => Json::String(value.to_string()),
    }
}
