"""Generated from docs/reference/openapi.json by tools/generate_clients.py; do not edit."""

# ruff: noqa
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from ._call import Call


EntryKind = Literal["fact"] | Literal["preference"]
"""The kind of an entry."""


Exported = Any
"""A message or a decision, as observing takes it."""


Right = Literal["memory:read"] | Literal["memory:write"] | Literal["memory:forget"] | Literal["memory:admin"] | Literal["memory:service"]
"""One right."""


WantedGrain = Literal["fact"] | Literal["evidence"] | Literal["compiled"]
"""What kind of thing is wanted."""


class AdmittedClaim(TypedDict):
    """A proposal that became a claim."""

    claim: str
    """The claim."""
    entity: str
    """Whom or what it is about."""
    fact: str
    """The fact it bears on."""
    predicate: str
    """The predicate."""
    proposer: str
    """Who proposed it."""
    transition: str
    """What it did."""
    value: Any
    """The value."""
    version: str | None
    """The version it supports; `null` for a retraction of something never held."""


class AsOfText(TypedDict):
    """What a read looked at."""

    believed_at: str | None
    """The instant of belief; `null` for the latest."""
    valid_at: str
    """The instant in the world."""


class AttachmentInput(TypedDict):
    """Something that came with a message."""

    media_type: NotRequired[str]
    """Its media type."""
    name: str
    """Its file name."""
    size: NotRequired[int]
    """Its size in bytes."""


class AttachmentText(TypedDict):
    """Something that came with a message."""

    media_type: str
    """Its media type."""
    name: str
    """Its file name."""
    size: int
    """Its size in bytes."""


class BudgetText(TypedDict):
    """What a turn has room for."""

    slots: int
    """Memories, at most."""
    tokens: int
    """Tokens of the packet, at most."""


class CallerTold(TypedDict):
    """Who the caller is."""

    name: str
    """What it is called on receipts and decisions."""
    scopes: list[Right]
    """What it may do."""
    subject: str
    """Whose memory is meant by this request."""


class CandidateText(TypedDict):
    """A memory that a turn considered."""

    handle: str | None
    """Its handle in the packet, where it was chosen."""
    id: str
    """The version."""
    important: bool
    """Whether it matters in general."""
    item: Item | None
    """The memory as the turn saw it, its score how well it matches the message; `null` once it was forgotten."""
    reason: str | None
    """Why it was not."""
    relevance: float
    """How well it matches the message, 0 to 1."""
    support: int
    """How many lineages backed it."""
    tokens: int
    """What it costs in the packet, in tokens."""
    used: bool
    """Whether somebody said that it was used."""
    why: str | None
    """Why it was chosen."""


class ClaimText(TypedDict):
    """A claim with its words."""

    claim: str
    """Its id."""
    confidence: float
    """How sure the proposer was."""
    end: int
    """Where they end."""
    evidence: str
    """The evidence that said it."""
    inferred: bool
    """Whether it was drawn from several quotes."""
    op: str
    """`assert` or `retract`."""
    policy: str
    """The policy that admitted it."""
    proposer: str
    """Who proposed it."""
    quote: str
    """The words that say it."""
    quotes: NotRequired[list[QuoteText]]
    """All quotes, when it rests on several."""
    start: int
    """Where they begin in the evidence, in bytes."""


class Corrected(TypedDict):
    """An entry that was corrected."""

    admitted: list[AdmittedClaim]
    """Proposals that became claims."""
    corrected: str
    """The version that was corrected."""
    counts: Counts
    """`received = admitted + refused + duplicate + failed`."""
    duplicate: bool
    """Whether the message was known already."""
    evidence: str | None
    """The evidence; `null` when nothing was kept."""
    failed: list[Failed]
    """Proposals that could not be read at all."""
    notices: NotRequired[list[str]]
    """What else the caller should know."""
    refused: list[Refused]
    """Proposals the gate refused."""
    watermark: int
    """The last append a reader must have seen to see this."""


class Counts(TypedDict):
    """Balanced counts: `received = admitted + refused + duplicate + failed`."""

    admitted: int
    """Became claims."""
    duplicate: int
    """Said the same as a claim of the same message."""
    failed: int
    """Could not be read."""
    received: int
    """Proposals handed in."""
    refused: int
    """Refused by the gate."""


class DamageText(TypedDict):
    """One thing wrong."""

    place: str
    """Where."""
    what: str
    """What."""


class Deep(TypedDict):
    """A recall that also walked."""

    as_of: AsOfText
    """What the read looked at."""
    degraded: list[str]
    """What the answer had to do without; empty when nothing."""
    grain: str
    """What kind of thing the items are."""
    items: list[Item]
    """What was found, best first; a dispute stands together."""
    negative: str | None
    """The kind of "no", when there are no items: `unknown_entity`, `known_empty` or `boundary`."""
    notices: NotRequired[list[str]]
    """What else the reader should know."""
    paths: list[PathText]
    """The ways found, best first, each to another answer."""
    truncated: bool
    """Whether more was found than the limit let through."""
    watermark: int
    """The last append it saw."""


class Dispute(TypedDict):
    """One dispute."""

    fact: FactText
    """The fact."""
    versions: list[VersionText]
    """The versions that contradict each other."""


class DisputesPage(TypedDict):
    """A page of disputes."""

    disputes: list[Dispute]
    """Each dispute whole."""
    next: NotRequired[str | None]
    """Where the next page begins; absent on the last."""
    watermark: int
    """The last append this saw."""


class DroppedItem(TypedDict):
    """One memory not selected."""

    id: str
    """The version."""
    reason: str
    """Why not."""


class EntriesPage(TypedDict):
    """A page of entries."""

    as_of: AsOfText
    """What the read looked at."""
    degraded: list[str]
    """What the answer had to do without; empty when nothing."""
    grain: str
    """What kind of thing the items are."""
    items: list[Item]
    """What was found, best first; a dispute stands together."""
    negative: str | None
    """The kind of "no", when there are no items: `unknown_entity`, `known_empty` or `boundary`."""
    next: NotRequired[str | None]
    """Where the next page begins; absent on the last."""
    notices: NotRequired[list[str]]
    """What else the reader should know."""
    truncated: bool
    """Whether more was found than the limit let through."""
    watermark: int
    """The last append it saw."""


class ErasedCounts(TypedDict):
    """What goes, by kind, with the ids that no longer answer."""

    claims: int
    """Claims."""
    evidence: int
    """Messages erased whole."""
    facts: int
    """Facts nothing supports any more."""
    ids: list[str]
    """The ids that go."""
    reduced: int
    """Messages of which only other quotes remain."""
    sources: int
    """Sources, with their keys."""
    versions: int
    """Versions nothing supports any more."""


class Event(TypedDict):
    """One thing that happened."""

    at: str
    """From when this system held it so."""
    by: NotRequired[str | None]
    """By whom the act was done."""
    claim: str | None
    """The claim that caused it; `null` for an act."""
    fact: FactText
    """To which fact."""
    reason: NotRequired[str | None]
    """The act's reason."""
    transition: str
    """What."""
    validity: SpanText
    """When the value held from then on."""
    value: Any
    """The value of the version concerned."""
    version: str
    """The version."""
    watermark: int
    """The append that brought it."""


class EvidenceText(TypedDict):
    """A piece of evidence."""

    author: str
    """Who spoke."""
    event_time: str
    """When it was said."""
    evidence: str
    """Its id."""
    hash: str | None
    """The hash of the text; `null` once part of it was forgotten."""
    observed_at: str
    """When this system first saw it."""
    source: SourceText
    """Its source."""
    text: NotRequired[str | None]
    """The text, where it is kept."""


class FactText(TypedDict):
    """A fact's identity."""

    entity: str
    """Whom or what it is about."""
    id: str
    """Its id."""
    predicate: str
    """The predicate."""
    realm: str
    """Whose word it rests on."""


class Failed(TypedDict):
    """A proposal that could not be read."""

    detail: str
    """What is missing or wrong."""
    index: int
    """Its number among the proposals of the message, from 0."""


class Foreseen(TypedDict):
    """One thing that forgetting would concern."""

    fate: str
    """`goes`; `reduced`: of a message only what others quote stays; `stays` on other words; `reopens`: stands again."""
    id: str
    """Its id."""
    kind: str
    """`source`, `message` or `version`."""
    text: str
    """What it says, in a line."""


class Forgotten(TypedDict):
    """What forgetting did, or would do."""

    dry_run: bool
    """Whether this only tells what would happen."""
    erased: ErasedCounts
    """What goes, by kind."""
    kept: list[str]
    """Versions that stand on other words."""
    list: NotRequired[list[Foreseen]]
    """Of a dry run: everything concerned, thing by thing. What was really forgotten is not told again."""
    receipt: NotRequired[Receipt | None]
    """What can be shown afterwards; `None` for a dry run."""
    reopened: list[str]
    """Versions that stand again because what ended them is gone."""
    residue: int
    """Places in the store's files where erased bytes were still found; 0 is the promise."""
    watermark: int
    """The append that records the erasure; of a subject forgotten whole, 0."""


class History(TypedDict):
    """A fact with all its versions and what happened to them."""

    fact: FactText
    """The fact."""
    transitions: list[TransitionText]
    """What happened, in order."""
    versions: list[VersionText]
    """Its versions, in the order they were opened."""
    watermark: int
    """The last append this saw."""


class ImportTold(TypedDict):
    """How far an import is; the last piece says that it is done."""

    done: int
    """Messages answered for so far."""
    messages: int
    """Messages handed in."""
    taken: NotRequired[Taken | None]
    """What became of them all; only in the last piece."""


class Item(TypedDict):
    """One memory in an answer."""

    belief: SpanText | None
    """When this system held it."""
    dispute: list[str] | None
    """The versions it contradicts; `null` when it stands alone."""
    entity: str | None
    """Whom or what it is about."""
    event_time: str
    """When it was last said."""
    fact: str | None
    """The fact it belongs to."""
    fidelity: str
    """How true to the words it is."""
    id: str
    """The version, or the evidence."""
    predicate: str | None
    """The predicate."""
    realm: str | None
    """Whose word it rests on."""
    score: float
    """How well it matches, 0 to 1; only comparable within one answer."""
    signals: dict[str, Any]
    """What the score is made of."""
    support: int
    """How many lineages back it."""
    text: str
    """The memory in one line."""
    validity: SpanText | None
    """When it holds in the world."""
    value: Any
    """The value."""


class KeyMade(TypedDict):
    """A new key."""

    all_subjects: bool
    """Whether it is for every subject; the names of others can only be read with the key."""
    created: str
    """Since when it is valid."""
    expires: NotRequired[str | None]
    """The first instant at which it is not; for ever, when left out."""
    hint: str
    """How the key begins."""
    id: str
    """Its id, by which it is revoked."""
    key: str
    """The key itself. It is shown this once."""
    name: str
    """What its holder is called on receipts and decisions."""
    scopes: list[Right]
    """What it allows."""


class KeyRevoked(TypedDict):
    """A key that was taken away."""

    revoked: str
    """Its id."""


class KeyTold(TypedDict):
    """A key as it is told: nothing by which it could be used."""

    all_subjects: bool
    """Whether it is for every subject; the names of others can only be read with the key."""
    created: str
    """Since when it is valid."""
    expires: NotRequired[str | None]
    """The first instant at which it is not; for ever, when left out."""
    hint: str
    """How the key begins."""
    id: str
    """Its id, by which it is revoked."""
    name: str
    """What its holder is called on receipts and decisions."""
    scopes: list[Right]
    """What it allows."""


class KeysTold(TypedDict):
    """The keys."""

    keys: list[KeyTold]
    """In the order they were made."""


class Lifted(TypedDict):
    """What may be learnt again."""

    lifted: int
    """Marks that kept words out until now."""
    watermark: int
    """The append that records it; the last one where there was nothing to lift."""


class LimitTold(TypedDict):
    """A limit."""

    code: str
    """The code of the refusal."""
    fix: str
    """What to do instead."""
    max: int
    """The most that is allowed."""
    per: str
    """For what."""
    unit: str
    """Of what."""


class Message(TypedDict):
    """One message, in the shape of the interface."""

    attachments: NotRequired[list[AttachmentInput]]
    """What came with it."""
    author: Literal["owner", "assistant", "service", "external"]
    """Who spoke."""
    author_name: NotRequired[str | None]
    """The speaker's name."""
    event_time: NotRequired[str | None]
    """When it was said; now, when left out."""
    external_id: NotRequired[str | None]
    """The source's own id of the message."""
    idempotency_key: NotRequired[str | None]
    """The caller's key: the same key twice is the same call."""
    kept_on_purpose: NotRequired[bool]
    """Whether the owner asked for exactly these words to be kept, as an export says of what was remembered: a note among its proposals may then be a question or a wish. Unlike [`Observing::kept_on_purpose`] this lifts nothing."""
    proposals: NotRequired[list[Any] | None]
    """What somebody proposes it says. Left out, the configured proposer is asked about an owner's message."""
    proposer: NotRequired[str | None]
    """Who proposes; `agent` when left out."""
    session: NotRequired[str | None]
    """The session it was said in."""
    source: SourceInput
    """Where it comes from."""
    text: str
    """The exact text."""


class MessageSaid(TypedDict):
    """One message."""

    author: str
    """Who spoke."""
    claims: int
    """Claims that quote it."""
    event_time: str
    """When it was said."""
    evidence: str
    """Its id."""
    hash: str | None
    """The hash of the text; `null` once part of it was forgotten."""
    observed_at: str
    """When this system first saw it."""
    source: SourceText
    """Its source."""
    text: NotRequired[str | None]
    """The text, where it is kept."""


class MessageText(TypedDict):
    """A message, as it was taken in."""

    attachments: NotRequired[list[AttachmentText]]
    """What came with it."""
    author: str
    """Who spoke."""
    author_name: NotRequired[str | None]
    """The speaker's name."""
    event_time: str
    """When it was said."""
    evidence: str
    """Its id."""
    external_id: NotRequired[str | None]
    """The source's own id of it."""
    hash: str | None
    """The hash of the text; `null` once part of it was forgotten."""
    observed_at: str
    """When this system first saw it."""
    session: NotRequired[str | None]
    """The session it was said in."""
    source: SourceText
    """Its source."""
    text: NotRequired[str | None]
    """The text, where it is kept."""


class MessagesPage(TypedDict):
    """A page of messages."""

    messages: list[MessageText]
    """The messages."""
    next: NotRequired[str | None]
    """Where the next page begins; absent on the last."""
    truncated: bool
    """Whether there are older ones."""
    watermark: int
    """The last append this saw."""


class NotTaken(TypedDict):
    """A message that was not taken in."""

    detail: str
    """What exactly was wrong."""
    external_id: str | None
    """The source's own id of the message."""
    reason: str
    """A stable code: `forgotten`, `bad_message` or `conflict`."""
    source: str
    """The source, as `kind:ref`."""


class Observed(TypedDict):
    """What became of one message."""

    admitted: list[AdmittedClaim]
    """Proposals that became claims."""
    counts: Counts
    """`received = admitted + refused + duplicate + failed`."""
    duplicate: bool
    """Whether the message was known already."""
    evidence: str | None
    """The evidence; `null` when nothing was kept."""
    failed: list[Failed]
    """Proposals that could not be read at all."""
    notices: NotRequired[list[str]]
    """What else the caller should know."""
    refused: list[Refused]
    """Proposals the gate refused."""
    watermark: int
    """The last append a reader must have seen to see this."""


class ObservedAll(TypedDict):
    """What became of each message."""

    observed: list[Observed]
    """In the order of the messages."""
    watermark: int
    """The last append a reader must have seen to see all of it."""


class Packet(TypedDict):
    """What a model is handed for one turn."""

    text: str
    """The text."""
    tokens: int
    """Its length in tokens."""


class PathText(TypedDict):
    """A way from a name in the question to an answer."""

    answer: Any
    """The value of the last step."""
    score: float
    """The share of the question it explains, 0 to 1; only comparable within one answer."""
    steps: list[StepText]
    """The steps, first to last."""
    unexplained: list[str]
    """Words of the question that no step explains."""


class PoliciesText(TypedDict):
    """The policies of this build and the one in force."""

    acts: list[PolicyActText]
    """What was done, the oldest first."""
    in_force: str
    """The policy that a turn uses unless it names one."""
    policies: list[PolicyText]
    """Every policy."""


PolicyActText = TypedDict("PolicyActText", {"act": "str", "at": "str", "by": "str", "from": "str", "reason": "str", "to": "str"})
"""A policy promoted or rolled back."""


PolicyDiff = TypedDict("PolicyDiff", {"added": "int", "disputes_changed": "int", "from": "str", "from_items": "int", "from_kept": "int", "from_tokens": "int", "identical": "int", "passed_over": "int", "removed": "int", "to": "str", "to_items": "int", "to_kept": "int", "to_tokens": "int", "truncated": "bool", "turns": "int", "turns_with_use": "int", "used": "int", "without_features": "int"})
"""What another policy would have made of turns that were recorded."""


class PolicyText(TypedDict):
    """One policy."""

    acts: NotRequired[list[PolicyActText]]
    """The acts that concern it."""
    in_force: bool
    """Whether it is in force."""
    name: str
    """Its name."""
    numbers: NotRequired[dict[str, Any]]
    """Its numbers, by name; none where it has none of its own."""
    summary: str
    """What it does."""


PredicateTold = TypedDict("PredicateTold", {"cardinality": "str", "class": "str", "name": "str", "value": "str"})
"""A predicate."""


class Problem(TypedDict):
    """A refusal, as RFC 9457 has it."""

    code: str
    """A stable word for programs."""
    detail: str
    hint: NotRequired[str]
    """What to do."""
    status: int
    title: str
    type: str


class Profile(TypedDict):
    """What a model can know before any search: who the owner is and what must always be kept to."""

    items: list[Item]
    """Identity before constraints; a dispute stands together."""
    notices: NotRequired[list[str]]
    """What else the reader should know."""
    text: str
    """The same as a block of lines, without handles."""
    tokens: int
    """The block's length in tokens."""
    truncated: bool
    """Whether more belongs to it than fits."""
    watermark: int
    """The last append this saw."""


class QuoteText(TypedDict):
    """One of several quotes."""

    end: int
    """Where they end."""
    quote: str
    """The words."""
    start: int
    """Where they begin, in bytes."""


class Receipt(TypedDict):
    """What is told of an erasure for ever: no word of it. It can be checked against the store with `verify --receipt`."""

    asked: str
    """What was asked for: `ids`, `source`, `messages` or `subject`."""
    at: str
    """When."""
    by: str
    """Who asked."""
    chain: str
    """The hash of that append, or of that record, and of everything before it."""
    receipt: str
    """The shape of this receipt: `erasure/1`."""
    record: NotRequired[int | None]
    """Of a subject forgotten whole: the number of the store's record."""
    rows: dict[str, Any]
    """How many rows of each kind went."""
    watermark: int
    """The append that records it; of a subject forgotten whole, the last it had."""


class ReceiptChecked(TypedDict):
    """Whether a receipt is borne out by the store."""

    ok: bool
    """Whether it is."""
    problems: list[str]
    """What is not as the receipt says."""
    receipt: Receipt
    """The receipt."""


class Refused(TypedDict):
    """A proposal the gate refused."""

    code: str
    """A stable code."""
    detail: str
    """What exactly was wrong."""
    index: int
    """Its number among the proposals of the message, from 0."""


class Replayed(TypedDict):
    """A replayed turn."""

    differences: list[str]
    """What did not."""
    identical: bool
    """Whether selection and packet came out the same, byte for byte."""
    turn: str
    """The turn's id."""


class Resolved(TypedDict):
    """A dispute that was resolved."""

    fact: str
    """The fact."""
    kept: str
    """The version kept."""
    overruled: list[str]
    """The versions overruled."""
    watermark: int
    """The append that recorded the act."""


class Rules(TypedDict):
    """What can be proposed, and what a call may cost."""

    limits: list[LimitTold]
    """The limits."""
    predicates: list[PredicateTold]
    """The predicates of the registry."""


class Said(TypedDict):
    """A source and some of what it said."""

    messages: list[MessageSaid]
    """What it said, in the order it came to be known."""
    next: NotRequired[str | None]
    """The message after which to go on; absent when nothing is left."""
    source: SourceListed
    """The source."""
    watermark: int
    """The last append this saw."""


class SelectedItem(TypedDict):
    """One selected memory."""

    handle: str
    """Its handle in the packet."""
    id: str
    """The version."""
    text: str
    """The memory in one line."""
    why: str
    """Why it was chosen."""


class SourceInput(TypedDict):
    """A source as a caller names it. What is left out is as for a conversation; a known source keeps what it has."""

    authority: NotRequired[Literal["low", "normal", "high"] | None]
    """How much its word weighs."""
    fidelity: NotRequired[Literal["visible_transcript", "transcript_snapshot", "hybrid_record", "structured_summary", "derived_projection"] | None]
    """How true to the words it is."""
    kind: str
    """The sort of place."""
    lineage: NotRequired[str | None]
    """The source it was copied, exported or summarised from: an id, or `kind:ref`."""
    mode: NotRequired[Literal["snapshot", "living"] | None]
    """Which editions are its word."""
    ref: str
    """Its name within the sort."""
    retention: NotRequired[Literal["full", "quotes"] | None]
    """How much of the words is kept."""
    title: NotRequired[str | None]
    """What is shown to people."""


class SourceListed(TypedDict):
    """A source, and how much it said."""

    authority: str
    """How much its word weighs."""
    claims: int
    """Claims it made that stand."""
    fidelity: str
    """How true to the words it is."""
    id: str
    """Its id."""
    kind: str
    """The sort of place."""
    lineage: str | None
    """The source it was copied from."""
    mode: str
    """Which editions are its word."""
    ref: str
    """Its name within the sort."""
    retention: str
    """How much of the words is kept."""
    title: str | None
    """What people call it."""


class SourceText(TypedDict):
    """A source."""

    fidelity: str
    """How true to the words it is."""
    id: str
    """Its id."""
    kind: str
    """The sort of place."""
    mode: str
    """`snapshot` or `living`."""
    ref: str
    """Its name within the sort."""


class SourcesPage(TypedDict):
    """A page of sources."""

    next: NotRequired[str | None]
    """Where the next page begins; absent on the last."""
    sources: list[SourceListed]
    """In the order they were first seen."""
    watermark: int
    """The last append this saw."""


SpanText = TypedDict("SpanText", {"from": "str", "to": "str | None"})
"""A stretch of time, half-open; no `to` while it has no end."""


class StatePage(TypedDict):
    """A page of what holds."""

    as_of: AsOfText
    """What the read looked at."""
    degraded: list[str]
    """What the answer had to do without; empty when nothing."""
    grain: str
    """What kind of thing the items are."""
    items: list[Item]
    """What was found, best first; a dispute stands together."""
    negative: str | None
    """The kind of "no", when there are no items: `unknown_entity`, `known_empty` or `boundary`."""
    next: NotRequired[str | None]
    """Where the next page begins; absent on the last."""
    notices: NotRequired[list[str]]
    """What else the reader should know."""
    truncated: bool
    """Whether more was found than the limit let through."""
    watermark: int
    """The last append it saw."""


class StepText(TypedDict):
    """One step of a path."""

    before: list[VersionText]
    """What the fact held before, the latest last; the newest few."""
    hop: int
    """Its number, from 1."""
    item: Item
    """The memory it stands on; its id leads to the receipt."""
    older: int
    """How many more it held before those."""
    words: list[str]
    """The question's words that chose it."""


class Taken(TypedDict):
    """What became of the messages of an import."""

    duplicate: int
    """Messages known already."""
    interrupted: bool
    """Whether the caller asked to stop before the end."""
    messages: int
    """Messages handed in: `messages = stored + duplicate + refused`, unless it was interrupted."""
    proposals: Counts
    """What became of the proposals of all messages together."""
    refused: list[NotTaken]
    """Messages that were not taken in."""
    stored: int
    """Messages that became evidence."""
    watermark: int
    """The last append a reader must have seen to see all of it."""


class TimelinePage(TypedDict):
    """A page of what happened."""

    events: list[Event]
    """In the order of the log."""
    next: NotRequired[str | None]
    """Where the next page begins; absent on the last."""
    watermark: int
    """The last append this saw."""


class TransitionText(TypedDict):
    """Something that happened to a version."""

    at: str
    """From when this system held it so."""
    by: NotRequired[str | None]
    """By whom the act was done."""
    claim: str | None
    """The claim that caused it; `null` for an act."""
    reason: NotRequired[str | None]
    """The act's reason."""
    transition: str
    """What."""
    validity: SpanText
    """When the value held from then on."""
    version: str
    """The version."""
    watermark: int
    """The append that brought it."""


class TurnListed(TypedDict):
    """A recorded turn in a list."""

    at: str
    """When it was resolved."""
    candidates: int
    """Memories considered."""
    policy: str
    """The policy that chose."""
    selected: int
    """Memories chosen."""
    triage: str
    """RETRIEVE, ASK or SKIP."""
    turn: str
    """The turn's id."""
    used: int
    """Memories used, as far as somebody said so."""


class TurnTold(TypedDict):
    """A recorded turn: what was considered, chosen and used, and every reason."""

    as_of: AsOfText
    """What it looked at."""
    at: str
    """When it was resolved."""
    budget: BudgetText
    """What it had room for."""
    candidates: list[CandidateText]
    """What was considered, in order of relevance."""
    cut: int
    """How many more were found than could be considered."""
    disputes: list[list[str]]
    """The chosen memories that contradict each other."""
    packet_tokens: int
    """The packet's length in tokens."""
    policy: str
    """The policy that chose."""
    triage: str
    """RETRIEVE, ASK or SKIP."""
    turn: str
    """The turn's id."""
    used: list[str]
    """The handles of what was used, as far as somebody said so."""
    watermark: int
    """The last append it saw."""


class Turned(TypedDict):
    """A resolved turn."""

    candidates: list[str]
    """What was considered, in order of relevance."""
    degraded: list[str]
    """What the answer had to do without."""
    disputes: list[list[str]]
    """The selected memories that contradict each other."""
    dropped: list[DroppedItem]
    """What was not, and why."""
    notices: NotRequired[list[str]]
    """What else the caller should know."""
    packet: Packet
    """What the model is handed."""
    policy: str
    """The policy that chose."""
    question: NotRequired[str | None]
    """With ASK: what to ask."""
    selected: list[SelectedItem]
    """What was chosen."""
    triage: str
    """RETRIEVE, ASK or SKIP."""
    truncated: bool
    """Whether candidates were cut."""
    turn: str
    """The turn's id."""
    watermark: int
    """The last append the turn saw."""


class TurnsPage(TypedDict):
    """A page of recorded turns."""

    next: NotRequired[str | None]
    """Where the next page begins; absent on the last."""
    truncated: bool
    """Whether there are older ones."""
    turns: list[TurnListed]
    """The newest first."""
    watermark: int
    """The last append this saw."""


class UsedInReply(TypedDict):
    """What a reply used of a turn."""

    cited: list[str]
    """The handles of the turn that the reply cites."""
    turn: str
    """The turn's id."""
    unknown: list[str]
    """Handles the reply cites that the turn does not have; nothing was recorded for them."""
    used: list[str]
    """All handles recorded so far."""


class Verified(TypedDict):
    """What a check found."""

    appends: int
    """Appends read."""
    damage: list[DamageText]
    """What is wrong."""
    erased: int
    """Rows erased and accounted for."""
    facts: int
    """Facts whose history was worked out again from the claims."""
    ok: bool
    """Whether all is well."""
    quotes: int
    """Claims whose quotes were compared with their evidence."""
    rows: int
    """Rows read."""
    subjects: int
    """Subjects checked."""


class VersionText(TypedDict):
    """A version with both its spans."""

    belief: SpanText
    """When this system held it."""
    current: bool
    """Whether it holds at the instant asked about."""
    dispute: list[str] | None
    """The versions it contradicts."""
    fidelity: str
    """How true to the words it is."""
    id: str
    """Its id."""
    last_confirmed_at: str | None
    """When it was last said."""
    standing: str
    """`held` or `retired`."""
    support: int
    """How many lineages back it."""
    validity: SpanText
    """When it holds in the world."""
    value: Any
    """Its value."""


class Why(TypedDict):
    """A receipt: the way from a memory to the words behind it."""

    claims: list[ClaimText]
    """The claims behind them."""
    evidence: list[EvidenceText]
    """The evidence behind those."""
    fact: FactText | None
    """The fact, with its identity."""
    item: str
    """What was asked about."""
    transitions: list[TransitionText]
    """What happened, in order."""
    versions: list[VersionText]
    """The versions concerned."""
    watermark: int
    """The last append this saw."""


class Operations:
    """Every operation of the interface."""

    def _ask(self, call: Call) -> Any:
        raise NotImplementedError

    def _pieces(self, call: Call) -> Iterator[Any]:
        raise NotImplementedError

    def whoami(self, *, subject: str | None = None, timeout: float | None = None) -> CallerTold:
        """Who the caller is, what it may do, and whose memory is meant.

        Needs the scope `memory:read`.

        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: CallerTold = self._ask(Call(
            "GET", "/v1/caller", path_fields={}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def disputes(self, *, believed_at: str | None = None, cursor: str | None = None, limit: int | None = None, valid_at: str | None = None, subject: str | None = None, timeout: float | None = None) -> DisputesPage:
        """What contradicts itself, each dispute whole.

        Needs the scope `memory:read`.

        believed_at: What this system held at this instant; the latest, when left out.
        cursor: Where the page before ended, as it said; from the beginning, when left out.
        limit: Items, at most; 100 when left out.
        valid_at: What held in the world at this instant, RFC 3339; now, when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: DisputesPage = self._ask(Call(
            "GET", "/v1/disputes", path_fields={}, query={"believed_at": believed_at, "cursor": cursor, "limit": limit, "valid_at": valid_at},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def every_disputes(self, *, believed_at: str | None = None, limit: int | None = None, valid_at: str | None = None, subject: str | None = None) -> Iterator[Dispute]:
        """Every item of `disputes`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = self.disputes(believed_at=believed_at, limit=limit, valid_at=valid_at, cursor=cursor, subject=subject)
            for item in page["disputes"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def resolve_dispute(self, id: str, keep: str, reason: str, *, subject: str | None = None, timeout: float | None = None) -> Resolved:
        """Decide a dispute, with a reason that is recorded.

        Needs the scope `memory:write`.

        id: The fact in dispute.
        keep: The version that is kept.
        reason: Why.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Resolved = self._ask(Call(
            "POST", "/v1/disputes/{id}/resolution", path_fields={"id": id}, query={},
            body={"keep": keep, "reason": reason},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def list(self, *, cursor: str | None = None, kind: str | None = None, limit: int | None = None, world: bool | None = None, subject: str | None = None, timeout: float | None = None) -> EntriesPage:
        """What holds now, the newest first.

        Needs the scope `memory:read`.

        cursor: The id of the last item of the page before; from the newest, when left out.
        kind: `entry` (notes and preferences), `fact` (all others), `all`, or a class such as `preference`
            or `constraint`.
        limit: Items, at most; 50 when left out.
        world: Whether what documents and others said is listed, too.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: EntriesPage = self._ask(Call(
            "GET", "/v1/entries", path_fields={}, query={"cursor": cursor, "kind": kind, "limit": limit, "world": world},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def every_list(self, *, kind: str | None = None, limit: int | None = None, world: bool | None = None, subject: str | None = None) -> Iterator[Item]:
        """Every item of `list`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = self.list(kind=kind, limit=limit, world=world, cursor=cursor, subject=subject)
            for item in page["items"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def remember(self, text: str, *, entity: str | None = None, event_time: str | None = None, kind: EntryKind | None = None, predicate: str | None = None, value: str | None = None, subject: str | None = None, idempotency_key: str | None = None, timeout: float | None = None) -> Observed:
        """Keep words of the owner on purpose.

        Needs the scope `memory:write`.

        text: The owner's words, as they were said.
        entity: With `predicate` and `value`, what exactly the words say: `self`, or a slug such as `acme`
            or `person:karthik`.
        event_time: When it was said, RFC 3339; now, when left out.
        kind: `preference` where they say how the owner wants to be answered or served.
        predicate: A predicate of the registry.
        value: The value; the text itself when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        idempotency_key: The key of this call; one is made, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Observed = self._ask(Call(
            "POST", "/v1/entries", path_fields={}, query={},
            body={"text": text, "entity": entity, "event_time": event_time, "kind": kind, "predicate": predicate, "value": value},
            subject=subject, of_subject=True, key=idempotency_key, takes_key=True, timeout=timeout,
        ))
        return answer

    def correct(self, id: str, text: str, *, subject: str | None = None, timeout: float | None = None) -> Corrected:
        """Put new words in the place of an entry; the old ones stay in its history.

        Needs the scope `memory:write`.

        id: The version that is wrong.
        text: What is right, in the owner's words; at most 600 characters.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Corrected = self._ask(Call(
            "POST", "/v1/entries/{id}/corrections", path_fields={"id": id}, query={},
            body={"text": text},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def forget(self, *, dry_run: bool | None = None, everything: bool | None = None, from_: str | None = None, ids: Sequence[str] | None = None, session: str | None = None, source: str | None = None, to: str | None = None, subject: str | None = None, timeout: float | None = None) -> Forgotten:
        """Forget: the words are in no file afterwards, and what they had changed is undone.

        Needs the scope `memory:forget`.

        dry_run: Only tell exactly what would go, stay and stand again.
        everything: Everything of the subject, with its keys.
        from_: What was said at this instant or later, RFC 3339.
        ids: Entries, facts, versions, claims, messages or sources, by id.
        session: What was said in this session.
        source: A source, by id or as `kind:ref`. Alone it means the source with everything it ever said,
            now and when it comes again.
        to: What was said before this instant.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Forgotten = self._ask(Call(
            "POST", "/v1/erasures", path_fields={}, query={},
            body={"dry_run": dry_run, "everything": everything, "from": from_, "ids": ids, "session": session, "source": source, "to": to},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def check_receipt(self, receipt: Receipt, *, subject: str | None = None, timeout: float | None = None) -> ReceiptChecked:
        """Whether the chain bears out the receipt of an erasure.

        Needs the scope `memory:read`.

        receipt: The receipt.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: ReceiptChecked = self._ask(Call(
            "POST", "/v1/erasures/check", path_fields={}, query={},
            body={"receipt": receipt},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def lift(self, *, everything: bool | None = None, source: str | None = None, subject: str | None = None, timeout: float | None = None) -> Lifted:
        """Let what was forgotten be learnt again.

        Needs the scope `memory:forget`.

        everything: Everything that was ever forgotten.
        source: What a source said: its id while it is there, else `kind:ref`.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Lifted = self._ask(Call(
            "POST", "/v1/erasures/lift", path_fields={}, query={},
            body={"everything": everything, "source": source},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def messages(self, *, cursor: str | None = None, kind: str | None = None, limit: int | None = None, session: str | None = None, source: str | None = None, subject: str | None = None, timeout: float | None = None) -> MessagesPage:
        """What was said, as it was taken in, the newest first.

        Needs the scope `memory:read`.

        cursor: The id of the last message of the page before; from the newest, when left out.
        kind: Of any source of this kind.
        limit: Messages, at most; 100 when left out.
        session: Of this session.
        source: Of this source: an id, or `kind:ref`.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: MessagesPage = self._ask(Call(
            "GET", "/v1/evidence", path_fields={}, query={"cursor": cursor, "kind": kind, "limit": limit, "session": session, "source": source},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def every_messages(self, *, kind: str | None = None, limit: int | None = None, session: str | None = None, source: str | None = None, subject: str | None = None) -> Iterator[MessageText]:
        """Every item of `messages`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = self.messages(kind=kind, limit=limit, session=session, source=source, cursor=cursor, subject=subject)
            for item in page["messages"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def observe(self, messages: Sequence[Message], *, subject: str | None = None, idempotency_key: str | None = None, timeout: float | None = None) -> ObservedAll:
        """Take in what was said; everything that becomes memory passes the gate.

        Needs the scope `memory:write`.

        messages: 1 to 256; none is taken in when one cannot be.
        subject: Whose memory is meant; what the client was made for, when left out.
        idempotency_key: The key of this call; one is made, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: ObservedAll = self._ask(Call(
            "POST", "/v1/evidence", path_fields={}, query={},
            body={"messages": messages},
            subject=subject, of_subject=True, key=idempotency_key, takes_key=True, timeout=timeout,
        ))
        return answer

    def export(self, *, subject: str | None = None, timeout: float | None = None) -> Iterator[Exported]:
        """Everything of the subject, in a form that can be taken in again.

        Needs the scope `memory:read`.

        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds until the next piece comes; the client's own, when left out.
        """
        return self._pieces(Call(
            "GET", "/v1/export", path_fields={}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))

    def state(self, *, believed_at: str | None = None, cursor: str | None = None, limit: int | None = None, valid_at: str | None = None, subject: str | None = None, timeout: float | None = None) -> StatePage:
        """Everything that holds at a moment on both clocks.

        Needs the scope `memory:read`.

        believed_at: What this system held at this instant; the latest, when left out.
        cursor: Where the page before ended, as it said; from the beginning, when left out.
        limit: Items, at most; 100 when left out.
        valid_at: What held in the world at this instant, RFC 3339; now, when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: StatePage = self._ask(Call(
            "GET", "/v1/facts", path_fields={}, query={"believed_at": believed_at, "cursor": cursor, "limit": limit, "valid_at": valid_at},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def every_state(self, *, believed_at: str | None = None, limit: int | None = None, valid_at: str | None = None, subject: str | None = None) -> Iterator[Item]:
        """Every item of `state`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = self.state(believed_at=believed_at, limit=limit, valid_at=valid_at, cursor=cursor, subject=subject)
            for item in page["items"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def history(self, id: str, *, subject: str | None = None, timeout: float | None = None) -> History:
        """A fact with all its versions and everything that happened to them.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: History = self._ask(Call(
            "GET", "/v1/facts/{id}", path_fields={"id": id}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def import_(self, messages: Sequence[Message], *, subject: str | None = None, timeout: float | None = None) -> Iterator[ImportTold]:
        """Take in many messages at once, told how far it is.

        Needs the scope `memory:write`.

        messages: As many as a request may carry. One that cannot be taken is counted and told; the rest
            goes on.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds until the next piece comes; the client's own, when left out.
        """
        return self._pieces(Call(
            "POST", "/v1/imports", path_fields={}, query={},
            body={"messages": messages},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))

    def list_keys(self, *, timeout: float | None = None) -> KeysTold:
        """The keys there are; nothing by which one could be used.

        Needs the scope `memory:admin`.

        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: KeysTold = self._ask(Call(
            "GET", "/v1/keys", path_fields={}, query={},
            body=None,
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def create_key(self, name: str, scopes: Sequence[Right], *, all_subjects: bool | None = None, expires: str | None = None, subjects: Sequence[str] | None = None, timeout: float | None = None) -> KeyMade:
        """Make a key; it is shown once.

        Needs the scope `memory:admin`.

        name: What its holder is called on receipts and decisions.
        scopes: What it allows; at most what the caller's own allows.
        all_subjects: Whether it is for every subject.
        expires: The first instant at which it is not valid, RFC 3339; for ever, when left out.
        subjects: Whose memory it is for.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: KeyMade = self._ask(Call(
            "POST", "/v1/keys", path_fields={}, query={},
            body={"name": name, "scopes": scopes, "all_subjects": all_subjects, "expires": expires, "subjects": subjects},
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def revoke_key(self, id: str, *, timeout: float | None = None) -> KeyRevoked:
        """Take a key away, from now on.

        Needs the scope `memory:admin`.

        id: Its id, as an answer told it.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: KeyRevoked = self._ask(Call(
            "DELETE", "/v1/keys/{id}", path_fields={"id": id}, query={},
            body=None,
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def policies(self, *, timeout: float | None = None) -> PoliciesText:
        """The policies that choose for a turn, and which is in force.

        Needs the scope `memory:read`.

        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: PoliciesText = self._ask(Call(
            "GET", "/v1/policies", path_fields={}, query={},
            body=None,
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def compare_policies(self, from_: str, to: str, *, turns: int | None = None, subject: str | None = None, timeout: float | None = None) -> PolicyDiff:
        """What another policy would have made of the subject's recorded turns.

        Needs the scope `memory:read`.

        from_: The policy compared with.
        to: The policy compared.
        turns: Turns looked at, the newest; 1000 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: PolicyDiff = self._ask(Call(
            "POST", "/v1/policies/comparisons", path_fields={}, query={},
            body={"from": from_, "to": to, "turns": turns},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def promote_policy(self, reason: str, *, policy: str | None = None, timeout: float | None = None) -> PolicyActText:
        """Put a policy in force for the whole deployment, or take the last promotion back.

        Needs the scope `memory:admin`.

        reason: Why.
        policy: Its name; left out, the last promotion that stands is taken back.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: PolicyActText = self._ask(Call(
            "POST", "/v1/policies/promotions", path_fields={}, query={},
            body={"reason": reason, "policy": policy},
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def profile(self, *, subject: str | None = None, timeout: float | None = None) -> Profile:
        """Who the owner is and what must always be kept to.

        Needs the scope `memory:read`.

        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Profile = self._ask(Call(
            "GET", "/v1/profile", path_fields={}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def recall(self, query: str, *, believed_at: str | None = None, deep: bool | None = None, grain: WantedGrain | None = None, limit: int | None = None, threshold: float | None = None, valid_at: str | None = None, zone: str | None = None, subject: str | None = None, timeout: float | None = None) -> Deep:
        """What is remembered, best first; a dispute stands together.

        Needs the scope `memory:read`.

        query: The words.
        believed_at: What this system held at this instant; the latest, when left out.
        deep: Whether the question is worth walking for, from entity to entity, beyond what its words
            match.
        grain: What kind of thing is wanted.
        limit: Items, at most; 10 when left out.
        threshold: The least score, 0 to 1; 0 when left out.
        valid_at: What held in the world at this instant, RFC 3339; now, when left out.
        zone: The asker's time zone, for "yesterday": an IANA name or an offset; UTC when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Deep = self._ask(Call(
            "POST", "/v1/recall", path_fields={}, query={},
            body={"query": query, "believed_at": believed_at, "deep": deep, "grain": grain, "limit": limit, "threshold": threshold, "valid_at": valid_at, "zone": zone},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def why(self, id: str, *, subject: str | None = None, timeout: float | None = None) -> Why:
        """The way from a memory to the words behind it.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Why = self._ask(Call(
            "GET", "/v1/receipts/{id}", path_fields={"id": id}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def rules(self, *, timeout: float | None = None) -> Rules:
        """The predicates that can be proposed, and the limits of a call.

        Needs the scope `memory:read`.

        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Rules = self._ask(Call(
            "GET", "/v1/rules", path_fields={}, query={},
            body=None,
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def sources(self, *, cursor: str | None = None, limit: int | None = None, subject: str | None = None, timeout: float | None = None) -> SourcesPage:
        """Where words come from.

        Needs the scope `memory:read`.

        cursor: Where the page before ended, as it said; from the beginning, when left out.
        limit: Items, at most; 100 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: SourcesPage = self._ask(Call(
            "GET", "/v1/sources", path_fields={}, query={"cursor": cursor, "limit": limit},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def every_sources(self, *, limit: int | None = None, subject: str | None = None) -> Iterator[SourceListed]:
        """Every item of `sources`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = self.sources(limit=limit, cursor=cursor, subject=subject)
            for item in page["sources"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def source(self, id: str, *, cursor: str | None = None, limit: int | None = None, subject: str | None = None, timeout: float | None = None) -> Said:
        """What a source said, message by message.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        cursor: Where the page before ended, as it said; from the first message, when left out.
        limit: Messages, at most; 50 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Said = self._ask(Call(
            "GET", "/v1/sources/{id}", path_fields={"id": id}, query={"cursor": cursor, "limit": limit},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def every_source(self, id: str, *, limit: int | None = None, subject: str | None = None) -> Iterator[MessageSaid]:
        """Every item of `source`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = self.source(id=id, limit=limit, cursor=cursor, subject=subject)
            for item in page["messages"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def timeline(self, *, cursor: str | None = None, limit: int | None = None, subject: str | None = None, timeout: float | None = None) -> TimelinePage:
        """Everything that happened to facts, in the order this system came to hold it.

        Needs the scope `memory:read`.

        cursor: Where the page before ended, as it said; from the beginning, when left out.
        limit: Items, at most; 100 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: TimelinePage = self._ask(Call(
            "GET", "/v1/timeline", path_fields={}, query={"cursor": cursor, "limit": limit},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def every_timeline(self, *, limit: int | None = None, subject: str | None = None) -> Iterator[Event]:
        """Every item of `timeline`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = self.timeline(limit=limit, cursor=cursor, subject=subject)
            for item in page["events"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def turns(self, *, cursor: str | None = None, limit: int | None = None, subject: str | None = None, timeout: float | None = None) -> TurnsPage:
        """The turns that were resolved, the newest first.

        Needs the scope `memory:read`.

        cursor: The id of the last turn of the page before; from the newest, when left out.
        limit: Turns, at most; 50 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: TurnsPage = self._ask(Call(
            "GET", "/v1/turns", path_fields={}, query={"cursor": cursor, "limit": limit},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def every_turns(self, *, limit: int | None = None, subject: str | None = None) -> Iterator[TurnListed]:
        """Every item of `turns`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = self.turns(limit=limit, cursor=cursor, subject=subject)
            for item in page["turns"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    def turn(self, message: str, *, budget_tokens: int | None = None, deep: bool | None = None, hints: dict[str, str] | None = None, policy: str | None = None, slots: int | None = None, subject: str | None = None, timeout: float | None = None) -> Turned:
        """Choose what one turn may see, and record how.

        Needs the scope `memory:read`.

        message: The message.
        budget_tokens: Tokens of the packet, at most.
        deep: Whether the message is worth walking for.
        hints: What the caller knows the turn is about: words under `topic` or `entity`. Others warn and
            are passed over.
        policy: The policy, by name; the promoted one, when left out.
        slots: Memories, at most; 12 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Turned = self._ask(Call(
            "POST", "/v1/turns", path_fields={}, query={},
            body={"message": message, "budget_tokens": budget_tokens, "deep": deep, "hints": hints, "policy": policy, "slots": slots},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def recorded_turn(self, id: str, *, subject: str | None = None, timeout: float | None = None) -> TurnTold:
        """What a turn considered, chose and used, with every reason.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: TurnTold = self._ask(Call(
            "GET", "/v1/turns/{id}", path_fields={"id": id}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def replay(self, id: str, *, subject: str | None = None, timeout: float | None = None) -> Replayed:
        """Make a turn again and compare, byte for byte.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Replayed = self._ask(Call(
            "GET", "/v1/turns/{id}/replay", path_fields={"id": id}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def used(self, id: str, *, handles: Sequence[str] | None = None, reply: str | None = None, subject: str | None = None, timeout: float | None = None) -> UsedInReply:
        """Record which selected memories a reply really used.

        Needs the scope `memory:write`.

        id: The turn.
        handles: Handles of the packet, such as `M1`.
        reply: The reply; the handles it cites in brackets were used. It is read and not kept.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: UsedInReply = self._ask(Call(
            "POST", "/v1/turns/{id}/uses", path_fields={"id": id}, query={},
            body={"handles": handles, "reply": reply},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def verify(self, *, subject: str | None = None, timeout: float | None = None) -> Verified:
        """Read everything of the subject back and check every quote, every fact and the chain.

        Needs the scope `memory:admin`.

        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Verified = self._ask(Call(
            "GET", "/v1/verification", path_fields={}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer


class AsyncOperations:
    """Every operation of the interface, without blocking."""

    async def _ask(self, call: Call) -> Any:
        raise NotImplementedError

    def _pieces(self, call: Call) -> AsyncIterator[Any]:
        raise NotImplementedError

    async def whoami(self, *, subject: str | None = None, timeout: float | None = None) -> CallerTold:
        """Who the caller is, what it may do, and whose memory is meant.

        Needs the scope `memory:read`.

        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: CallerTold = await self._ask(Call(
            "GET", "/v1/caller", path_fields={}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def disputes(self, *, believed_at: str | None = None, cursor: str | None = None, limit: int | None = None, valid_at: str | None = None, subject: str | None = None, timeout: float | None = None) -> DisputesPage:
        """What contradicts itself, each dispute whole.

        Needs the scope `memory:read`.

        believed_at: What this system held at this instant; the latest, when left out.
        cursor: Where the page before ended, as it said; from the beginning, when left out.
        limit: Items, at most; 100 when left out.
        valid_at: What held in the world at this instant, RFC 3339; now, when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: DisputesPage = await self._ask(Call(
            "GET", "/v1/disputes", path_fields={}, query={"believed_at": believed_at, "cursor": cursor, "limit": limit, "valid_at": valid_at},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def every_disputes(self, *, believed_at: str | None = None, limit: int | None = None, valid_at: str | None = None, subject: str | None = None) -> AsyncIterator[Dispute]:
        """Every item of `disputes`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = await self.disputes(believed_at=believed_at, limit=limit, valid_at=valid_at, cursor=cursor, subject=subject)
            for item in page["disputes"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    async def resolve_dispute(self, id: str, keep: str, reason: str, *, subject: str | None = None, timeout: float | None = None) -> Resolved:
        """Decide a dispute, with a reason that is recorded.

        Needs the scope `memory:write`.

        id: The fact in dispute.
        keep: The version that is kept.
        reason: Why.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Resolved = await self._ask(Call(
            "POST", "/v1/disputes/{id}/resolution", path_fields={"id": id}, query={},
            body={"keep": keep, "reason": reason},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def list(self, *, cursor: str | None = None, kind: str | None = None, limit: int | None = None, world: bool | None = None, subject: str | None = None, timeout: float | None = None) -> EntriesPage:
        """What holds now, the newest first.

        Needs the scope `memory:read`.

        cursor: The id of the last item of the page before; from the newest, when left out.
        kind: `entry` (notes and preferences), `fact` (all others), `all`, or a class such as `preference`
            or `constraint`.
        limit: Items, at most; 50 when left out.
        world: Whether what documents and others said is listed, too.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: EntriesPage = await self._ask(Call(
            "GET", "/v1/entries", path_fields={}, query={"cursor": cursor, "kind": kind, "limit": limit, "world": world},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def every_list(self, *, kind: str | None = None, limit: int | None = None, world: bool | None = None, subject: str | None = None) -> AsyncIterator[Item]:
        """Every item of `list`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = await self.list(kind=kind, limit=limit, world=world, cursor=cursor, subject=subject)
            for item in page["items"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    async def remember(self, text: str, *, entity: str | None = None, event_time: str | None = None, kind: EntryKind | None = None, predicate: str | None = None, value: str | None = None, subject: str | None = None, idempotency_key: str | None = None, timeout: float | None = None) -> Observed:
        """Keep words of the owner on purpose.

        Needs the scope `memory:write`.

        text: The owner's words, as they were said.
        entity: With `predicate` and `value`, what exactly the words say: `self`, or a slug such as `acme`
            or `person:karthik`.
        event_time: When it was said, RFC 3339; now, when left out.
        kind: `preference` where they say how the owner wants to be answered or served.
        predicate: A predicate of the registry.
        value: The value; the text itself when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        idempotency_key: The key of this call; one is made, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Observed = await self._ask(Call(
            "POST", "/v1/entries", path_fields={}, query={},
            body={"text": text, "entity": entity, "event_time": event_time, "kind": kind, "predicate": predicate, "value": value},
            subject=subject, of_subject=True, key=idempotency_key, takes_key=True, timeout=timeout,
        ))
        return answer

    async def correct(self, id: str, text: str, *, subject: str | None = None, timeout: float | None = None) -> Corrected:
        """Put new words in the place of an entry; the old ones stay in its history.

        Needs the scope `memory:write`.

        id: The version that is wrong.
        text: What is right, in the owner's words; at most 600 characters.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Corrected = await self._ask(Call(
            "POST", "/v1/entries/{id}/corrections", path_fields={"id": id}, query={},
            body={"text": text},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def forget(self, *, dry_run: bool | None = None, everything: bool | None = None, from_: str | None = None, ids: Sequence[str] | None = None, session: str | None = None, source: str | None = None, to: str | None = None, subject: str | None = None, timeout: float | None = None) -> Forgotten:
        """Forget: the words are in no file afterwards, and what they had changed is undone.

        Needs the scope `memory:forget`.

        dry_run: Only tell exactly what would go, stay and stand again.
        everything: Everything of the subject, with its keys.
        from_: What was said at this instant or later, RFC 3339.
        ids: Entries, facts, versions, claims, messages or sources, by id.
        session: What was said in this session.
        source: A source, by id or as `kind:ref`. Alone it means the source with everything it ever said,
            now and when it comes again.
        to: What was said before this instant.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Forgotten = await self._ask(Call(
            "POST", "/v1/erasures", path_fields={}, query={},
            body={"dry_run": dry_run, "everything": everything, "from": from_, "ids": ids, "session": session, "source": source, "to": to},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def check_receipt(self, receipt: Receipt, *, subject: str | None = None, timeout: float | None = None) -> ReceiptChecked:
        """Whether the chain bears out the receipt of an erasure.

        Needs the scope `memory:read`.

        receipt: The receipt.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: ReceiptChecked = await self._ask(Call(
            "POST", "/v1/erasures/check", path_fields={}, query={},
            body={"receipt": receipt},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def lift(self, *, everything: bool | None = None, source: str | None = None, subject: str | None = None, timeout: float | None = None) -> Lifted:
        """Let what was forgotten be learnt again.

        Needs the scope `memory:forget`.

        everything: Everything that was ever forgotten.
        source: What a source said: its id while it is there, else `kind:ref`.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Lifted = await self._ask(Call(
            "POST", "/v1/erasures/lift", path_fields={}, query={},
            body={"everything": everything, "source": source},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def messages(self, *, cursor: str | None = None, kind: str | None = None, limit: int | None = None, session: str | None = None, source: str | None = None, subject: str | None = None, timeout: float | None = None) -> MessagesPage:
        """What was said, as it was taken in, the newest first.

        Needs the scope `memory:read`.

        cursor: The id of the last message of the page before; from the newest, when left out.
        kind: Of any source of this kind.
        limit: Messages, at most; 100 when left out.
        session: Of this session.
        source: Of this source: an id, or `kind:ref`.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: MessagesPage = await self._ask(Call(
            "GET", "/v1/evidence", path_fields={}, query={"cursor": cursor, "kind": kind, "limit": limit, "session": session, "source": source},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def every_messages(self, *, kind: str | None = None, limit: int | None = None, session: str | None = None, source: str | None = None, subject: str | None = None) -> AsyncIterator[MessageText]:
        """Every item of `messages`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = await self.messages(kind=kind, limit=limit, session=session, source=source, cursor=cursor, subject=subject)
            for item in page["messages"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    async def observe(self, messages: Sequence[Message], *, subject: str | None = None, idempotency_key: str | None = None, timeout: float | None = None) -> ObservedAll:
        """Take in what was said; everything that becomes memory passes the gate.

        Needs the scope `memory:write`.

        messages: 1 to 256; none is taken in when one cannot be.
        subject: Whose memory is meant; what the client was made for, when left out.
        idempotency_key: The key of this call; one is made, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: ObservedAll = await self._ask(Call(
            "POST", "/v1/evidence", path_fields={}, query={},
            body={"messages": messages},
            subject=subject, of_subject=True, key=idempotency_key, takes_key=True, timeout=timeout,
        ))
        return answer

    def export(self, *, subject: str | None = None, timeout: float | None = None) -> AsyncIterator[Exported]:
        """Everything of the subject, in a form that can be taken in again.

        Needs the scope `memory:read`.

        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds until the next piece comes; the client's own, when left out.
        """
        return self._pieces(Call(
            "GET", "/v1/export", path_fields={}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))

    async def state(self, *, believed_at: str | None = None, cursor: str | None = None, limit: int | None = None, valid_at: str | None = None, subject: str | None = None, timeout: float | None = None) -> StatePage:
        """Everything that holds at a moment on both clocks.

        Needs the scope `memory:read`.

        believed_at: What this system held at this instant; the latest, when left out.
        cursor: Where the page before ended, as it said; from the beginning, when left out.
        limit: Items, at most; 100 when left out.
        valid_at: What held in the world at this instant, RFC 3339; now, when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: StatePage = await self._ask(Call(
            "GET", "/v1/facts", path_fields={}, query={"believed_at": believed_at, "cursor": cursor, "limit": limit, "valid_at": valid_at},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def every_state(self, *, believed_at: str | None = None, limit: int | None = None, valid_at: str | None = None, subject: str | None = None) -> AsyncIterator[Item]:
        """Every item of `state`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = await self.state(believed_at=believed_at, limit=limit, valid_at=valid_at, cursor=cursor, subject=subject)
            for item in page["items"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    async def history(self, id: str, *, subject: str | None = None, timeout: float | None = None) -> History:
        """A fact with all its versions and everything that happened to them.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: History = await self._ask(Call(
            "GET", "/v1/facts/{id}", path_fields={"id": id}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    def import_(self, messages: Sequence[Message], *, subject: str | None = None, timeout: float | None = None) -> AsyncIterator[ImportTold]:
        """Take in many messages at once, told how far it is.

        Needs the scope `memory:write`.

        messages: As many as a request may carry. One that cannot be taken is counted and told; the rest
            goes on.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds until the next piece comes; the client's own, when left out.
        """
        return self._pieces(Call(
            "POST", "/v1/imports", path_fields={}, query={},
            body={"messages": messages},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))

    async def list_keys(self, *, timeout: float | None = None) -> KeysTold:
        """The keys there are; nothing by which one could be used.

        Needs the scope `memory:admin`.

        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: KeysTold = await self._ask(Call(
            "GET", "/v1/keys", path_fields={}, query={},
            body=None,
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def create_key(self, name: str, scopes: Sequence[Right], *, all_subjects: bool | None = None, expires: str | None = None, subjects: Sequence[str] | None = None, timeout: float | None = None) -> KeyMade:
        """Make a key; it is shown once.

        Needs the scope `memory:admin`.

        name: What its holder is called on receipts and decisions.
        scopes: What it allows; at most what the caller's own allows.
        all_subjects: Whether it is for every subject.
        expires: The first instant at which it is not valid, RFC 3339; for ever, when left out.
        subjects: Whose memory it is for.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: KeyMade = await self._ask(Call(
            "POST", "/v1/keys", path_fields={}, query={},
            body={"name": name, "scopes": scopes, "all_subjects": all_subjects, "expires": expires, "subjects": subjects},
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def revoke_key(self, id: str, *, timeout: float | None = None) -> KeyRevoked:
        """Take a key away, from now on.

        Needs the scope `memory:admin`.

        id: Its id, as an answer told it.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: KeyRevoked = await self._ask(Call(
            "DELETE", "/v1/keys/{id}", path_fields={"id": id}, query={},
            body=None,
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def policies(self, *, timeout: float | None = None) -> PoliciesText:
        """The policies that choose for a turn, and which is in force.

        Needs the scope `memory:read`.

        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: PoliciesText = await self._ask(Call(
            "GET", "/v1/policies", path_fields={}, query={},
            body=None,
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def compare_policies(self, from_: str, to: str, *, turns: int | None = None, subject: str | None = None, timeout: float | None = None) -> PolicyDiff:
        """What another policy would have made of the subject's recorded turns.

        Needs the scope `memory:read`.

        from_: The policy compared with.
        to: The policy compared.
        turns: Turns looked at, the newest; 1000 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: PolicyDiff = await self._ask(Call(
            "POST", "/v1/policies/comparisons", path_fields={}, query={},
            body={"from": from_, "to": to, "turns": turns},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def promote_policy(self, reason: str, *, policy: str | None = None, timeout: float | None = None) -> PolicyActText:
        """Put a policy in force for the whole deployment, or take the last promotion back.

        Needs the scope `memory:admin`.

        reason: Why.
        policy: Its name; left out, the last promotion that stands is taken back.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: PolicyActText = await self._ask(Call(
            "POST", "/v1/policies/promotions", path_fields={}, query={},
            body={"reason": reason, "policy": policy},
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def profile(self, *, subject: str | None = None, timeout: float | None = None) -> Profile:
        """Who the owner is and what must always be kept to.

        Needs the scope `memory:read`.

        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Profile = await self._ask(Call(
            "GET", "/v1/profile", path_fields={}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def recall(self, query: str, *, believed_at: str | None = None, deep: bool | None = None, grain: WantedGrain | None = None, limit: int | None = None, threshold: float | None = None, valid_at: str | None = None, zone: str | None = None, subject: str | None = None, timeout: float | None = None) -> Deep:
        """What is remembered, best first; a dispute stands together.

        Needs the scope `memory:read`.

        query: The words.
        believed_at: What this system held at this instant; the latest, when left out.
        deep: Whether the question is worth walking for, from entity to entity, beyond what its words
            match.
        grain: What kind of thing is wanted.
        limit: Items, at most; 10 when left out.
        threshold: The least score, 0 to 1; 0 when left out.
        valid_at: What held in the world at this instant, RFC 3339; now, when left out.
        zone: The asker's time zone, for "yesterday": an IANA name or an offset; UTC when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Deep = await self._ask(Call(
            "POST", "/v1/recall", path_fields={}, query={},
            body={"query": query, "believed_at": believed_at, "deep": deep, "grain": grain, "limit": limit, "threshold": threshold, "valid_at": valid_at, "zone": zone},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def why(self, id: str, *, subject: str | None = None, timeout: float | None = None) -> Why:
        """The way from a memory to the words behind it.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Why = await self._ask(Call(
            "GET", "/v1/receipts/{id}", path_fields={"id": id}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def rules(self, *, timeout: float | None = None) -> Rules:
        """The predicates that can be proposed, and the limits of a call.

        Needs the scope `memory:read`.

        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Rules = await self._ask(Call(
            "GET", "/v1/rules", path_fields={}, query={},
            body=None,
            subject=None, of_subject=False, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def sources(self, *, cursor: str | None = None, limit: int | None = None, subject: str | None = None, timeout: float | None = None) -> SourcesPage:
        """Where words come from.

        Needs the scope `memory:read`.

        cursor: Where the page before ended, as it said; from the beginning, when left out.
        limit: Items, at most; 100 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: SourcesPage = await self._ask(Call(
            "GET", "/v1/sources", path_fields={}, query={"cursor": cursor, "limit": limit},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def every_sources(self, *, limit: int | None = None, subject: str | None = None) -> AsyncIterator[SourceListed]:
        """Every item of `sources`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = await self.sources(limit=limit, cursor=cursor, subject=subject)
            for item in page["sources"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    async def source(self, id: str, *, cursor: str | None = None, limit: int | None = None, subject: str | None = None, timeout: float | None = None) -> Said:
        """What a source said, message by message.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        cursor: Where the page before ended, as it said; from the first message, when left out.
        limit: Messages, at most; 50 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Said = await self._ask(Call(
            "GET", "/v1/sources/{id}", path_fields={"id": id}, query={"cursor": cursor, "limit": limit},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def every_source(self, id: str, *, limit: int | None = None, subject: str | None = None) -> AsyncIterator[MessageSaid]:
        """Every item of `source`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = await self.source(id=id, limit=limit, cursor=cursor, subject=subject)
            for item in page["messages"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    async def timeline(self, *, cursor: str | None = None, limit: int | None = None, subject: str | None = None, timeout: float | None = None) -> TimelinePage:
        """Everything that happened to facts, in the order this system came to hold it.

        Needs the scope `memory:read`.

        cursor: Where the page before ended, as it said; from the beginning, when left out.
        limit: Items, at most; 100 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: TimelinePage = await self._ask(Call(
            "GET", "/v1/timeline", path_fields={}, query={"cursor": cursor, "limit": limit},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def every_timeline(self, *, limit: int | None = None, subject: str | None = None) -> AsyncIterator[Event]:
        """Every item of `timeline`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = await self.timeline(limit=limit, cursor=cursor, subject=subject)
            for item in page["events"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    async def turns(self, *, cursor: str | None = None, limit: int | None = None, subject: str | None = None, timeout: float | None = None) -> TurnsPage:
        """The turns that were resolved, the newest first.

        Needs the scope `memory:read`.

        cursor: The id of the last turn of the page before; from the newest, when left out.
        limit: Turns, at most; 50 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: TurnsPage = await self._ask(Call(
            "GET", "/v1/turns", path_fields={}, query={"cursor": cursor, "limit": limit},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def every_turns(self, *, limit: int | None = None, subject: str | None = None) -> AsyncIterator[TurnListed]:
        """Every item of `turns`, page after page; `limit` is that of one page."""
        cursor: str | None = None
        while True:
            page = await self.turns(limit=limit, cursor=cursor, subject=subject)
            for item in page["turns"]:
                yield item
            cursor = page.get("next")
            if cursor is None:
                return

    async def turn(self, message: str, *, budget_tokens: int | None = None, deep: bool | None = None, hints: dict[str, str] | None = None, policy: str | None = None, slots: int | None = None, subject: str | None = None, timeout: float | None = None) -> Turned:
        """Choose what one turn may see, and record how.

        Needs the scope `memory:read`.

        message: The message.
        budget_tokens: Tokens of the packet, at most.
        deep: Whether the message is worth walking for.
        hints: What the caller knows the turn is about: words under `topic` or `entity`. Others warn and
            are passed over.
        policy: The policy, by name; the promoted one, when left out.
        slots: Memories, at most; 12 when left out.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Turned = await self._ask(Call(
            "POST", "/v1/turns", path_fields={}, query={},
            body={"message": message, "budget_tokens": budget_tokens, "deep": deep, "hints": hints, "policy": policy, "slots": slots},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def recorded_turn(self, id: str, *, subject: str | None = None, timeout: float | None = None) -> TurnTold:
        """What a turn considered, chose and used, with every reason.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: TurnTold = await self._ask(Call(
            "GET", "/v1/turns/{id}", path_fields={"id": id}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def replay(self, id: str, *, subject: str | None = None, timeout: float | None = None) -> Replayed:
        """Make a turn again and compare, byte for byte.

        Needs the scope `memory:read`.

        id: Its id, as an answer told it.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Replayed = await self._ask(Call(
            "GET", "/v1/turns/{id}/replay", path_fields={"id": id}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def used(self, id: str, *, handles: Sequence[str] | None = None, reply: str | None = None, subject: str | None = None, timeout: float | None = None) -> UsedInReply:
        """Record which selected memories a reply really used.

        Needs the scope `memory:write`.

        id: The turn.
        handles: Handles of the packet, such as `M1`.
        reply: The reply; the handles it cites in brackets were used. It is read and not kept.
        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: UsedInReply = await self._ask(Call(
            "POST", "/v1/turns/{id}/uses", path_fields={"id": id}, query={},
            body={"handles": handles, "reply": reply},
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer

    async def verify(self, *, subject: str | None = None, timeout: float | None = None) -> Verified:
        """Read everything of the subject back and check every quote, every fact and the chain.

        Needs the scope `memory:admin`.

        subject: Whose memory is meant; what the client was made for, when left out.
        timeout: Seconds the call may take, repetitions apart; the client's own, when left out.
        """
        answer: Verified = await self._ask(Call(
            "GET", "/v1/verification", path_fields={}, query={},
            body=None,
            subject=subject, of_subject=True, key=None, takes_key=False, timeout=timeout,
        ))
        return answer
