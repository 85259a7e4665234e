// Generated from docs/reference/openapi.json by tools/generate_clients.py; do not edit.

import type { CallOptions, Place } from "./call.js";

/** A proposal that became a claim. */
export interface AdmittedClaim {
  /** The claim. */
  claim: string;
  /** Whom or what it is about. */
  entity: string;
  /** The fact it bears on. */
  fact: string;
  /** The predicate. */
  predicate: string;
  /** Who proposed it. */
  proposer: string;
  /** What it did. */
  transition: string;
  /** The value. */
  value: unknown;
  /** The version it supports; `null` for a retraction of something never held. */
  version: string | null;
}

/** What a read looked at. */
export interface AsOfText {
  /** The instant of belief; `null` for the latest. */
  believed_at: string | null;
  /** The instant in the world. */
  valid_at: string;
}

/** Something that came with a message. */
export interface AttachmentInput {
  /** Its media type. */
  media_type?: string;
  /** Its file name. */
  name: string;
  /** Its size in bytes. */
  size?: number;
}

/** Something that came with a message. */
export interface AttachmentText {
  /** Its media type. */
  media_type: string;
  /** Its file name. */
  name: string;
  /** Its size in bytes. */
  size: number;
}

/** What a turn has room for. */
export interface BudgetText {
  /** Memories, at most. */
  slots: number;
  /** Tokens of the packet, at most. */
  tokens: number;
}

/** Who the caller is. */
export interface CallerTold {
  /** What it is called on receipts and decisions. */
  name: string;
  /** What it may do. */
  scopes: Array<Right>;
  /** Whose memory is meant by this request. */
  subject: string;
}

/** A memory that a turn considered. */
export interface CandidateText {
  /** Its handle in the packet, where it was chosen. */
  handle: string | null;
  /** The version. */
  id: string;
  /** Whether it matters in general. */
  important: boolean;
  /** The memory as the turn saw it, its score how well it matches the message; `null` once it was forgotten. */
  item: Item | null;
  /** Why it was not. */
  reason: string | null;
  /** How well it matches the message, 0 to 1. */
  relevance: number;
  /** How many lineages backed it. */
  support: number;
  /** What it costs in the packet, in tokens. */
  tokens: number;
  /** Whether somebody said that it was used. */
  used: boolean;
  /** Why it was chosen. */
  why: string | null;
}

/** A claim with its words. */
export interface ClaimText {
  /** Its id. */
  claim: string;
  /** How sure the proposer was. */
  confidence: number;
  /** Where they end. */
  end: number;
  /** The evidence that said it. */
  evidence: string;
  /** Whether it was drawn from several quotes. */
  inferred: boolean;
  /** `assert` or `retract`. */
  op: string;
  /** The policy that admitted it. */
  policy: string;
  /** Who proposed it. */
  proposer: string;
  /** The words that say it. */
  quote: string;
  /** All quotes, when it rests on several. */
  quotes?: Array<QuoteText>;
  /** Where they begin in the evidence, in bytes. */
  start: number;
}

/** An entry that was corrected. */
export interface Corrected {
  /** Proposals that became claims. */
  admitted: Array<AdmittedClaim>;
  /** The version that was corrected. */
  corrected: string;
  /** `received = admitted + refused + duplicate + failed`. */
  counts: Counts;
  /** Whether the message was known already. */
  duplicate: boolean;
  /** The evidence; `null` when nothing was kept. */
  evidence: string | null;
  /** Proposals that could not be read at all. */
  failed: Array<Failed>;
  /** What else the caller should know. */
  notices?: Array<string>;
  /** Proposals the gate refused. */
  refused: Array<Refused>;
  /** The last append a reader must have seen to see this. */
  watermark: number;
}

/** Balanced counts: `received = admitted + refused + duplicate + failed`. */
export interface Counts {
  /** Became claims. */
  admitted: number;
  /** Said the same as a claim of the same message. */
  duplicate: number;
  /** Could not be read. */
  failed: number;
  /** Proposals handed in. */
  received: number;
  /** Refused by the gate. */
  refused: number;
}

/** One thing wrong. */
export interface DamageText {
  /** Where. */
  place: string;
  /** What. */
  what: string;
}

/** A recall that also walked. */
export interface Deep {
  /** What the read looked at. */
  as_of: AsOfText;
  /** What the answer had to do without; empty when nothing. */
  degraded: Array<string>;
  /** What kind of thing the items are. */
  grain: string;
  /** What was found, best first; a dispute stands together. */
  items: Array<Item>;
  /** The kind of "no", when there are no items: `unknown_entity`, `known_empty` or `boundary`. */
  negative: string | null;
  /** What else the reader should know. */
  notices?: Array<string>;
  /** The ways found, best first, each to another answer. */
  paths: Array<PathText>;
  /** Whether more was found than the limit let through. */
  truncated: boolean;
  /** The last append it saw. */
  watermark: number;
}

/** One dispute. */
export interface Dispute {
  /** The fact. */
  fact: FactText;
  /** The versions that contradict each other. */
  versions: Array<VersionText>;
}

/** A page of disputes. */
export interface DisputesPage {
  /** Each dispute whole. */
  disputes: Array<Dispute>;
  /** Where the next page begins; absent on the last. */
  next?: string | null;
  /** The last append this saw. */
  watermark: number;
}

/** One memory not selected. */
export interface DroppedItem {
  /** The version. */
  id: string;
  /** Why not. */
  reason: string;
}

/** A page of entries. */
export interface EntriesPage {
  /** What the read looked at. */
  as_of: AsOfText;
  /** What the answer had to do without; empty when nothing. */
  degraded: Array<string>;
  /** What kind of thing the items are. */
  grain: string;
  /** What was found, best first; a dispute stands together. */
  items: Array<Item>;
  /** The kind of "no", when there are no items: `unknown_entity`, `known_empty` or `boundary`. */
  negative: string | null;
  /** Where the next page begins; absent on the last. */
  next?: string | null;
  /** What else the reader should know. */
  notices?: Array<string>;
  /** Whether more was found than the limit let through. */
  truncated: boolean;
  /** The last append it saw. */
  watermark: number;
}

/** The kind of an entry. */
export type EntryKind = "fact" | "preference";

/** What goes, by kind, with the ids that no longer answer. */
export interface ErasedCounts {
  /** Claims. */
  claims: number;
  /** Messages erased whole. */
  evidence: number;
  /** Facts nothing supports any more. */
  facts: number;
  /** The ids that go. */
  ids: Array<string>;
  /** Messages of which only other quotes remain. */
  reduced: number;
  /** Sources, with their keys. */
  sources: number;
  /** Versions nothing supports any more. */
  versions: number;
}

/** One thing that happened. */
export interface Event {
  /** From when this system held it so. */
  at: string;
  /** By whom the act was done. */
  by?: string | null;
  /** The claim that caused it; `null` for an act. */
  claim: string | null;
  /** To which fact. */
  fact: FactText;
  /** The act's reason. */
  reason?: string | null;
  /** What. */
  transition: string;
  /** When the value held from then on. */
  validity: SpanText;
  /** The value of the version concerned. */
  value: unknown;
  /** The version. */
  version: string;
  /** The append that brought it. */
  watermark: number;
}

/** A piece of evidence. */
export interface EvidenceText {
  /** Who spoke. */
  author: string;
  /** When it was said. */
  event_time: string;
  /** Its id. */
  evidence: string;
  /** The hash of the text; `null` once part of it was forgotten. */
  hash: string | null;
  /** When this system first saw it. */
  observed_at: string;
  /** Its source. */
  source: SourceText;
  /** The text, where it is kept. */
  text?: string | null;
}

/** A message or a decision, as observing takes it. */
export type Exported = unknown;

/** A fact's identity. */
export interface FactText {
  /** Whom or what it is about. */
  entity: string;
  /** Its id. */
  id: string;
  /** The predicate. */
  predicate: string;
  /** Whose word it rests on. */
  realm: string;
}

/** A proposal that could not be read. */
export interface Failed {
  /** What is missing or wrong. */
  detail: string;
  /** Its number among the proposals of the message, from 0. */
  index: number;
}

/** One thing that forgetting would concern. */
export interface Foreseen {
  /** `goes`; `reduced`: of a message only what others quote stays; `stays` on other words; `reopens`: stands again. */
  fate: string;
  /** Its id. */
  id: string;
  /** `source`, `message` or `version`. */
  kind: string;
  /** What it says, in a line. */
  text: string;
}

/** What forgetting did, or would do. */
export interface Forgotten {
  /** Whether this only tells what would happen. */
  dry_run: boolean;
  /** What goes, by kind. */
  erased: ErasedCounts;
  /** Versions that stand on other words. */
  kept: Array<string>;
  /** Of a dry run: everything concerned, thing by thing. What was really forgotten is not told again. */
  list?: Array<Foreseen>;
  /** What can be shown afterwards; `None` for a dry run. */
  receipt?: Receipt | null;
  /** Versions that stand again because what ended them is gone. */
  reopened: Array<string>;
  /** Places in the store's files where erased bytes were still found; 0 is the promise. */
  residue: number;
  /** The append that records the erasure; of a subject forgotten whole, 0. */
  watermark: number;
}

/** A fact with all its versions and what happened to them. */
export interface History {
  /** The fact. */
  fact: FactText;
  /** What happened, in order. */
  transitions: Array<TransitionText>;
  /** Its versions, in the order they were opened. */
  versions: Array<VersionText>;
  /** The last append this saw. */
  watermark: number;
}

/** How far an import is; the last piece says that it is done. */
export interface ImportTold {
  /** Messages answered for so far. */
  done: number;
  /** Messages handed in. */
  messages: number;
  /** What became of them all; only in the last piece. */
  taken?: Taken | null;
}

/** One memory in an answer. */
export interface Item {
  /** When this system held it. */
  belief: SpanText | null;
  /** The versions it contradicts; `null` when it stands alone. */
  dispute: Array<string> | null;
  /** Whom or what it is about. */
  entity: string | null;
  /** When it was last said. */
  event_time: string;
  /** The fact it belongs to. */
  fact: string | null;
  /** How true to the words it is. */
  fidelity: string;
  /** The version, or the evidence. */
  id: string;
  /** The predicate. */
  predicate: string | null;
  /** Whose word it rests on. */
  realm: string | null;
  /** How well it matches, 0 to 1; only comparable within one answer. */
  score: number;
  /** What the score is made of. */
  signals: Record<string, unknown>;
  /** How many lineages back it. */
  support: number;
  /** The memory in one line. */
  text: string;
  /** When it holds in the world. */
  validity: SpanText | null;
  /** The value. */
  value: unknown;
}

/** A new key. */
export interface KeyMade {
  /** Whether it is for every subject; the names of others can only be read with the key. */
  all_subjects: boolean;
  /** Since when it is valid. */
  created: string;
  /** The first instant at which it is not; for ever, when left out. */
  expires?: string | null;
  /** How the key begins. */
  hint: string;
  /** Its id, by which it is revoked. */
  id: string;
  /** The key itself. It is shown this once. */
  key: string;
  /** What its holder is called on receipts and decisions. */
  name: string;
  /** What it allows. */
  scopes: Array<Right>;
}

/** A key that was taken away. */
export interface KeyRevoked {
  /** Its id. */
  revoked: string;
}

/** A key as it is told: nothing by which it could be used. */
export interface KeyTold {
  /** Whether it is for every subject; the names of others can only be read with the key. */
  all_subjects: boolean;
  /** Since when it is valid. */
  created: string;
  /** The first instant at which it is not; for ever, when left out. */
  expires?: string | null;
  /** How the key begins. */
  hint: string;
  /** Its id, by which it is revoked. */
  id: string;
  /** What its holder is called on receipts and decisions. */
  name: string;
  /** What it allows. */
  scopes: Array<Right>;
}

/** The keys. */
export interface KeysTold {
  /** In the order they were made. */
  keys: Array<KeyTold>;
}

/** What may be learnt again. */
export interface Lifted {
  /** Marks that kept words out until now. */
  lifted: number;
  /** The append that records it; the last one where there was nothing to lift. */
  watermark: number;
}

/** A limit. */
export interface LimitTold {
  /** The code of the refusal. */
  code: string;
  /** What to do instead. */
  fix: string;
  /** The most that is allowed. */
  max: number;
  /** For what. */
  per: string;
  /** Of what. */
  unit: string;
}

/** One message, in the shape of the interface. */
export interface Message {
  /** What came with it. */
  attachments?: Array<AttachmentInput>;
  /** Who spoke. */
  author: "owner" | "assistant" | "service" | "external";
  /** The speaker's name. */
  author_name?: string | null;
  /** When it was said; now, when left out. */
  event_time?: string | null;
  /** The source's own id of the message. */
  external_id?: string | null;
  /** The caller's key: the same key twice is the same call. */
  idempotency_key?: string | null;
  /** Whether the owner asked for exactly these words to be kept, as an export says of what was remembered: a note among its proposals may then be a question or a wish. Unlike [`Observing::kept_on_purpose`] this lifts nothing. */
  kept_on_purpose?: boolean;
  /** What somebody proposes it says. Left out, the configured proposer is asked about an owner's message. */
  proposals?: Array<unknown> | null;
  /** Who proposes; `agent` when left out. */
  proposer?: string | null;
  /** The session it was said in. */
  session?: string | null;
  /** Where it comes from. */
  source: SourceInput;
  /** The exact text. */
  text: string;
}

/** One message. */
export interface MessageSaid {
  /** Who spoke. */
  author: string;
  /** Claims that quote it. */
  claims: number;
  /** When it was said. */
  event_time: string;
  /** Its id. */
  evidence: string;
  /** The hash of the text; `null` once part of it was forgotten. */
  hash: string | null;
  /** When this system first saw it. */
  observed_at: string;
  /** Its source. */
  source: SourceText;
  /** The text, where it is kept. */
  text?: string | null;
}

/** A message, as it was taken in. */
export interface MessageText {
  /** What came with it. */
  attachments?: Array<AttachmentText>;
  /** Who spoke. */
  author: string;
  /** The speaker's name. */
  author_name?: string | null;
  /** When it was said. */
  event_time: string;
  /** Its id. */
  evidence: string;
  /** The source's own id of it. */
  external_id?: string | null;
  /** The hash of the text; `null` once part of it was forgotten. */
  hash: string | null;
  /** When this system first saw it. */
  observed_at: string;
  /** The session it was said in. */
  session?: string | null;
  /** Its source. */
  source: SourceText;
  /** The text, where it is kept. */
  text?: string | null;
}

/** A page of messages. */
export interface MessagesPage {
  /** The messages. */
  messages: Array<MessageText>;
  /** Where the next page begins; absent on the last. */
  next?: string | null;
  /** Whether there are older ones. */
  truncated: boolean;
  /** The last append this saw. */
  watermark: number;
}

/** A message that was not taken in. */
export interface NotTaken {
  /** What exactly was wrong. */
  detail: string;
  /** The source's own id of the message. */
  external_id: string | null;
  /** A stable code: `forgotten`, `bad_message` or `conflict`. */
  reason: string;
  /** The source, as `kind:ref`. */
  source: string;
}

/** What became of one message. */
export interface Observed {
  /** Proposals that became claims. */
  admitted: Array<AdmittedClaim>;
  /** `received = admitted + refused + duplicate + failed`. */
  counts: Counts;
  /** Whether the message was known already. */
  duplicate: boolean;
  /** The evidence; `null` when nothing was kept. */
  evidence: string | null;
  /** Proposals that could not be read at all. */
  failed: Array<Failed>;
  /** What else the caller should know. */
  notices?: Array<string>;
  /** Proposals the gate refused. */
  refused: Array<Refused>;
  /** The last append a reader must have seen to see this. */
  watermark: number;
}

/** What became of each message. */
export interface ObservedAll {
  /** In the order of the messages. */
  observed: Array<Observed>;
  /** The last append a reader must have seen to see all of it. */
  watermark: number;
}

/** What a model is handed for one turn. */
export interface Packet {
  /** The text. */
  text: string;
  /** Its length in tokens. */
  tokens: number;
}

/** A way from a name in the question to an answer. */
export interface PathText {
  /** The value of the last step. */
  answer: unknown;
  /** The share of the question it explains, 0 to 1; only comparable within one answer. */
  score: number;
  /** The steps, first to last. */
  steps: Array<StepText>;
  /** Words of the question that no step explains. */
  unexplained: Array<string>;
}

/** The policies of this build and the one in force. */
export interface PoliciesText {
  /** What was done, the oldest first. */
  acts: Array<PolicyActText>;
  /** The policy that a turn uses unless it names one. */
  in_force: string;
  /** Every policy. */
  policies: Array<PolicyText>;
}

/** A policy promoted or rolled back. */
export interface PolicyActText {
  /** `promote` or `rollback`. */
  act: string;
  /** When. */
  at: string;
  /** By whom. */
  by: string;
  /** The policy before. */
  from: string;
  /** Why. */
  reason: string;
  /** The policy since. */
  to: string;
}

/** What another policy would have made of turns that were recorded. */
export interface PolicyDiff {
  /** Memories only the second selects, over all turns. */
  added: number;
  /** Turns that show a dispute with one of the two and not with the other. */
  disputes_changed: number;
  /** The policy compared with. */
  from: string;
  /** Memories the first selects. */
  from_items: number;
  /** Of them, how many the first selects. */
  from_kept: number;
  /** Tokens of what the first selects. */
  from_tokens: number;
  /** Turns in which both select the same, in the same order. */
  identical: number;
  /** Turns recorded but not looked at, because they asked or skipped. */
  passed_over: number;
  /** Memories only the first selects. */
  removed: number;
  /** The policy compared. */
  to: string;
  /** Memories the second selects. */
  to_items: number;
  /** Of them, how many the second selects. */
  to_kept: number;
  /** Tokens of what the second selects. */
  to_tokens: number;
  /** Whether there are more turns than were looked at. */
  truncated: boolean;
  /** Turns looked at: those that looked into memory. */
  turns: number;
  /** Turns of which somebody said what was used. */
  turns_with_use: number;
  /** Memories used in those. */
  used: number;
  /** Turns whose candidates were recorded before there were the features turn/3 decides by. */
  without_features: number;
}

/** One policy. */
export interface PolicyText {
  /** The acts that concern it. */
  acts?: Array<PolicyActText>;
  /** Whether it is in force. */
  in_force: boolean;
  /** Its name. */
  name: string;
  /** Its numbers, by name; none where it has none of its own. */
  numbers?: Record<string, unknown>;
  /** What it does. */
  summary: string;
}

/** A predicate. */
export interface PredicateTold {
  /** `one` or `many`. */
  cardinality: string;
  /** Its class, such as `identity`. */
  class: string;
  /** Its name. */
  name: string;
  /** The type of its values. */
  value: string;
}

/** A refusal, as RFC 9457 has it. */
export interface Problem {
  /** A stable word for programs. */
  code: string;
  detail: string;
  /** What to do. */
  hint?: string;
  status: number;
  title: string;
  type: string;
}

/** What a model can know before any search: who the owner is and what must always be kept to. */
export interface Profile {
  /** Identity before constraints; a dispute stands together. */
  items: Array<Item>;
  /** What else the reader should know. */
  notices?: Array<string>;
  /** The same as a block of lines, without handles. */
  text: string;
  /** The block's length in tokens. */
  tokens: number;
  /** Whether more belongs to it than fits. */
  truncated: boolean;
  /** The last append this saw. */
  watermark: number;
}

/** One of several quotes. */
export interface QuoteText {
  /** Where they end. */
  end: number;
  /** The words. */
  quote: string;
  /** Where they begin, in bytes. */
  start: number;
}

/** What is told of an erasure for ever: no word of it. It can be checked against the store with `verify --receipt`. */
export interface Receipt {
  /** What was asked for: `ids`, `source`, `messages` or `subject`. */
  asked: string;
  /** When. */
  at: string;
  /** Who asked. */
  by: string;
  /** The hash of that append, or of that record, and of everything before it. */
  chain: string;
  /** The shape of this receipt: `erasure/1`. */
  receipt: string;
  /** Of a subject forgotten whole: the number of the store's record. */
  record?: number | null;
  /** How many rows of each kind went. */
  rows: Record<string, unknown>;
  /** The append that records it; of a subject forgotten whole, the last it had. */
  watermark: number;
}

/** Whether a receipt is borne out by the store. */
export interface ReceiptChecked {
  /** Whether it is. */
  ok: boolean;
  /** What is not as the receipt says. */
  problems: Array<string>;
  /** The receipt. */
  receipt: Receipt;
}

/** A proposal the gate refused. */
export interface Refused {
  /** A stable code. */
  code: string;
  /** What exactly was wrong. */
  detail: string;
  /** Its number among the proposals of the message, from 0. */
  index: number;
}

/** A replayed turn. */
export interface Replayed {
  /** What did not. */
  differences: Array<string>;
  /** Whether selection and packet came out the same, byte for byte. */
  identical: boolean;
  /** The turn's id. */
  turn: string;
}

/** A dispute that was resolved. */
export interface Resolved {
  /** The fact. */
  fact: string;
  /** The version kept. */
  kept: string;
  /** The versions overruled. */
  overruled: Array<string>;
  /** The append that recorded the act. */
  watermark: number;
}

/** One right. */
export type Right = "memory:read" | "memory:write" | "memory:forget" | "memory:admin" | "memory:service";

/** What can be proposed, and what a call may cost. */
export interface Rules {
  /** The limits. */
  limits: Array<LimitTold>;
  /** The predicates of the registry. */
  predicates: Array<PredicateTold>;
}

/** A source and some of what it said. */
export interface Said {
  /** What it said, in the order it came to be known. */
  messages: Array<MessageSaid>;
  /** The message after which to go on; absent when nothing is left. */
  next?: string | null;
  /** The source. */
  source: SourceListed;
  /** The last append this saw. */
  watermark: number;
}

/** One selected memory. */
export interface SelectedItem {
  /** Its handle in the packet. */
  handle: string;
  /** The version. */
  id: string;
  /** The memory in one line. */
  text: string;
  /** Why it was chosen. */
  why: string;
}

/** A source as a caller names it. What is left out is as for a conversation; a known source keeps what it has. */
export interface SourceInput {
  /** How much its word weighs. */
  authority?: "low" | "normal" | "high" | null;
  /** How true to the words it is. */
  fidelity?: "visible_transcript" | "transcript_snapshot" | "hybrid_record" | "structured_summary" | "derived_projection" | null;
  /** The sort of place. */
  kind: string;
  /** The source it was copied, exported or summarised from: an id, or `kind:ref`. */
  lineage?: string | null;
  /** Which editions are its word. */
  mode?: "snapshot" | "living" | null;
  /** Its name within the sort. */
  ref: string;
  /** How much of the words is kept. */
  retention?: "full" | "quotes" | null;
  /** What is shown to people. */
  title?: string | null;
}

/** A source, and how much it said. */
export interface SourceListed {
  /** How much its word weighs. */
  authority: string;
  /** Claims it made that stand. */
  claims: number;
  /** How true to the words it is. */
  fidelity: string;
  /** Its id. */
  id: string;
  /** The sort of place. */
  kind: string;
  /** The source it was copied from. */
  lineage: string | null;
  /** Which editions are its word. */
  mode: string;
  /** Its name within the sort. */
  ref: string;
  /** How much of the words is kept. */
  retention: string;
  /** What people call it. */
  title: string | null;
}

/** A source. */
export interface SourceText {
  /** How true to the words it is. */
  fidelity: string;
  /** Its id. */
  id: string;
  /** The sort of place. */
  kind: string;
  /** `snapshot` or `living`. */
  mode: string;
  /** Its name within the sort. */
  ref: string;
}

/** A page of sources. */
export interface SourcesPage {
  /** Where the next page begins; absent on the last. */
  next?: string | null;
  /** In the order they were first seen. */
  sources: Array<SourceListed>;
  /** The last append this saw. */
  watermark: number;
}

/** A stretch of time, half-open; no `to` while it has no end. */
export interface SpanText {
  /** The first instant inside. */
  from: string;
  /** The first instant outside. */
  to: string | null;
}

/** A page of what holds. */
export interface StatePage {
  /** What the read looked at. */
  as_of: AsOfText;
  /** What the answer had to do without; empty when nothing. */
  degraded: Array<string>;
  /** What kind of thing the items are. */
  grain: string;
  /** What was found, best first; a dispute stands together. */
  items: Array<Item>;
  /** The kind of "no", when there are no items: `unknown_entity`, `known_empty` or `boundary`. */
  negative: string | null;
  /** Where the next page begins; absent on the last. */
  next?: string | null;
  /** What else the reader should know. */
  notices?: Array<string>;
  /** Whether more was found than the limit let through. */
  truncated: boolean;
  /** The last append it saw. */
  watermark: number;
}

/** One step of a path. */
export interface StepText {
  /** What the fact held before, the latest last; the newest few. */
  before: Array<VersionText>;
  /** Its number, from 1. */
  hop: number;
  /** The memory it stands on; its id leads to the receipt. */
  item: Item;
  /** How many more it held before those. */
  older: number;
  /** The question's words that chose it. */
  words: Array<string>;
}

/** What became of the messages of an import. */
export interface Taken {
  /** Messages known already. */
  duplicate: number;
  /** Whether the caller asked to stop before the end. */
  interrupted: boolean;
  /** Messages handed in: `messages = stored + duplicate + refused`, unless it was interrupted. */
  messages: number;
  /** What became of the proposals of all messages together. */
  proposals: Counts;
  /** Messages that were not taken in. */
  refused: Array<NotTaken>;
  /** Messages that became evidence. */
  stored: number;
  /** The last append a reader must have seen to see all of it. */
  watermark: number;
}

/** A page of what happened. */
export interface TimelinePage {
  /** In the order of the log. */
  events: Array<Event>;
  /** Where the next page begins; absent on the last. */
  next?: string | null;
  /** The last append this saw. */
  watermark: number;
}

/** Something that happened to a version. */
export interface TransitionText {
  /** From when this system held it so. */
  at: string;
  /** By whom the act was done. */
  by?: string | null;
  /** The claim that caused it; `null` for an act. */
  claim: string | null;
  /** The act's reason. */
  reason?: string | null;
  /** What. */
  transition: string;
  /** When the value held from then on. */
  validity: SpanText;
  /** The version. */
  version: string;
  /** The append that brought it. */
  watermark: number;
}

/** A recorded turn in a list. */
export interface TurnListed {
  /** When it was resolved. */
  at: string;
  /** Memories considered. */
  candidates: number;
  /** The policy that chose. */
  policy: string;
  /** Memories chosen. */
  selected: number;
  /** RETRIEVE, ASK or SKIP. */
  triage: string;
  /** The turn's id. */
  turn: string;
  /** Memories used, as far as somebody said so. */
  used: number;
}

/** A recorded turn: what was considered, chosen and used, and every reason. */
export interface TurnTold {
  /** What it looked at. */
  as_of: AsOfText;
  /** When it was resolved. */
  at: string;
  /** What it had room for. */
  budget: BudgetText;
  /** What was considered, in order of relevance. */
  candidates: Array<CandidateText>;
  /** How many more were found than could be considered. */
  cut: number;
  /** The chosen memories that contradict each other. */
  disputes: Array<Array<string>>;
  /** The packet's length in tokens. */
  packet_tokens: number;
  /** The policy that chose. */
  policy: string;
  /** RETRIEVE, ASK or SKIP. */
  triage: string;
  /** The turn's id. */
  turn: string;
  /** The handles of what was used, as far as somebody said so. */
  used: Array<string>;
  /** The last append it saw. */
  watermark: number;
}

/** A resolved turn. */
export interface Turned {
  /** What was considered, in order of relevance. */
  candidates: Array<string>;
  /** What the answer had to do without. */
  degraded: Array<string>;
  /** The selected memories that contradict each other. */
  disputes: Array<Array<string>>;
  /** What was not, and why. */
  dropped: Array<DroppedItem>;
  /** What else the caller should know. */
  notices?: Array<string>;
  /** What the model is handed. */
  packet: Packet;
  /** The policy that chose. */
  policy: string;
  /** With ASK: what to ask. */
  question?: string | null;
  /** What was chosen. */
  selected: Array<SelectedItem>;
  /** RETRIEVE, ASK or SKIP. */
  triage: string;
  /** Whether candidates were cut. */
  truncated: boolean;
  /** The turn's id. */
  turn: string;
  /** The last append the turn saw. */
  watermark: number;
}

/** A page of recorded turns. */
export interface TurnsPage {
  /** Where the next page begins; absent on the last. */
  next?: string | null;
  /** Whether there are older ones. */
  truncated: boolean;
  /** The newest first. */
  turns: Array<TurnListed>;
  /** The last append this saw. */
  watermark: number;
}

/** What a reply used of a turn. */
export interface UsedInReply {
  /** The handles of the turn that the reply cites. */
  cited: Array<string>;
  /** The turn's id. */
  turn: string;
  /** Handles the reply cites that the turn does not have; nothing was recorded for them. */
  unknown: Array<string>;
  /** All handles recorded so far. */
  used: Array<string>;
}

/** What a check found. */
export interface Verified {
  /** Appends read. */
  appends: number;
  /** What is wrong. */
  damage: Array<DamageText>;
  /** Rows erased and accounted for. */
  erased: number;
  /** Facts whose history was worked out again from the claims. */
  facts: number;
  /** Whether all is well. */
  ok: boolean;
  /** Claims whose quotes were compared with their evidence. */
  quotes: number;
  /** Rows read. */
  rows: number;
  /** Subjects checked. */
  subjects: number;
}

/** A version with both its spans. */
export interface VersionText {
  /** When this system held it. */
  belief: SpanText;
  /** Whether it holds at the instant asked about. */
  current: boolean;
  /** The versions it contradicts. */
  dispute: Array<string> | null;
  /** How true to the words it is. */
  fidelity: string;
  /** Its id. */
  id: string;
  /** When it was last said. */
  last_confirmed_at: string | null;
  /** `held` or `retired`. */
  standing: string;
  /** How many lineages back it. */
  support: number;
  /** When it holds in the world. */
  validity: SpanText;
  /** Its value. */
  value: unknown;
}

/** What kind of thing is wanted. */
export type WantedGrain = "fact" | "evidence" | "compiled";

/** A receipt: the way from a memory to the words behind it. */
export interface Why {
  /** The claims behind them. */
  claims: Array<ClaimText>;
  /** The evidence behind those. */
  evidence: Array<EvidenceText>;
  /** The fact, with its identity. */
  fact: FactText | null;
  /** What was asked about. */
  item: string;
  /** What happened, in order. */
  transitions: Array<TransitionText>;
  /** The versions concerned. */
  versions: Array<VersionText>;
  /** The last append this saw. */
  watermark: number;
}

/** What `disputes` takes. */
export interface DisputesAsked {
  /** What this system held at this instant; the latest, when left out. */
  believed_at?: string;
  /** Where the page before ended, as it said; from the beginning, when left out. */
  cursor?: string;
  /** Items, at most; 100 when left out. */
  limit?: number;
  /** What held in the world at this instant, RFC 3339; now, when left out. */
  valid_at?: string;
}

/** What `resolveDispute` takes. */
export interface ResolveDisputeAsked {
  /** The fact in dispute. */
  id: string;
  /** The version that is kept. */
  keep: string;
  /** Why. */
  reason: string;
}

/** What `list` takes. */
export interface ListAsked {
  /** The id of the last item of the page before; from the newest, when left out. */
  cursor?: string;
  /** `entry` (notes and preferences), `fact` (all others), `all`, or a class such as `preference` or `constraint`. */
  kind?: string;
  /** Items, at most; 50 when left out. */
  limit?: number;
  /** Whether what documents and others said is listed, too. */
  world?: boolean;
}

/** What `remember` takes. */
export interface RememberAsked {
  /** The owner's words, as they were said. */
  text: string;
  /** With `predicate` and `value`, what exactly the words say: `self`, or a slug such as `acme` or `person:karthik`. */
  entity?: string | null;
  /** When it was said, RFC 3339; now, when left out. */
  event_time?: string | null;
  /** `preference` where they say how the owner wants to be answered or served. */
  kind?: EntryKind;
  /** A predicate of the registry. */
  predicate?: string | null;
  /** The value; the text itself when left out. */
  value?: string | null;
}

/** What `correct` takes. */
export interface CorrectAsked {
  /** The version that is wrong. */
  id: string;
  /** What is right, in the owner's words; at most 600 characters. */
  text: string;
}

/** What `forget` takes. */
export interface ForgetAsked {
  /** Only tell exactly what would go, stay and stand again. */
  dry_run?: boolean;
  /** Everything of the subject, with its keys. */
  everything?: boolean;
  /** What was said at this instant or later, RFC 3339. */
  from?: string | null;
  /** Entries, facts, versions, claims, messages or sources, by id. */
  ids?: Array<string>;
  /** What was said in this session. */
  session?: string | null;
  /** A source, by id or as `kind:ref`. Alone it means the source with everything it ever said, now and when it comes again. */
  source?: string | null;
  /** What was said before this instant. */
  to?: string | null;
}

/** What `checkReceipt` takes. */
export interface CheckReceiptAsked {
  /** The receipt. */
  receipt: Receipt;
}

/** What `lift` takes. */
export interface LiftAsked {
  /** Everything that was ever forgotten. */
  everything?: boolean;
  /** What a source said: its id while it is there, else `kind:ref`. */
  source?: string | null;
}

/** What `messages` takes. */
export interface MessagesAsked {
  /** The id of the last message of the page before; from the newest, when left out. */
  cursor?: string;
  /** Of any source of this kind. */
  kind?: string;
  /** Messages, at most; 100 when left out. */
  limit?: number;
  /** Of this session. */
  session?: string;
  /** Of this source: an id, or `kind:ref`. */
  source?: string;
}

/** What `observe` takes. */
export interface ObserveAsked {
  /** 1 to 256; none is taken in when one cannot be. */
  messages: Array<Message>;
}

/** What `state` takes. */
export interface StateAsked {
  /** What this system held at this instant; the latest, when left out. */
  believed_at?: string;
  /** Where the page before ended, as it said; from the beginning, when left out. */
  cursor?: string;
  /** Items, at most; 100 when left out. */
  limit?: number;
  /** What held in the world at this instant, RFC 3339; now, when left out. */
  valid_at?: string;
}

/** What `history` takes. */
export interface HistoryAsked {
  /** Its id, as an answer told it. */
  id: string;
}

/** What `import` takes. */
export interface ImportAsked {
  /** As many as a request may carry. One that cannot be taken is counted and told; the rest goes on. */
  messages: Array<Message>;
}

/** What `createKey` takes. */
export interface CreateKeyAsked {
  /** What its holder is called on receipts and decisions. */
  name: string;
  /** What it allows; at most what the caller's own allows. */
  scopes: Array<Right>;
  /** Whether it is for every subject. */
  all_subjects?: boolean;
  /** The first instant at which it is not valid, RFC 3339; for ever, when left out. */
  expires?: string | null;
  /** Whose memory it is for. */
  subjects?: Array<string>;
}

/** What `revokeKey` takes. */
export interface RevokeKeyAsked {
  /** Its id, as an answer told it. */
  id: string;
}

/** What `comparePolicies` takes. */
export interface ComparePoliciesAsked {
  /** The policy compared with. */
  from: string;
  /** The policy compared. */
  to: string;
  /** Turns looked at, the newest; 1000 when left out. */
  turns?: number | null;
}

/** What `promotePolicy` takes. */
export interface PromotePolicyAsked {
  /** Why. */
  reason: string;
  /** Its name; left out, the last promotion that stands is taken back. */
  policy?: string | null;
}

/** What `recall` takes. */
export interface RecallAsked {
  /** The words. */
  query: string;
  /** What this system held at this instant; the latest, when left out. */
  believed_at?: string | null;
  /** Whether the question is worth walking for, from entity to entity, beyond what its words match. */
  deep?: boolean;
  /** What kind of thing is wanted. */
  grain?: WantedGrain;
  /** Items, at most; 10 when left out. */
  limit?: number | null;
  /** The least score, 0 to 1; 0 when left out. */
  threshold?: number | null;
  /** What held in the world at this instant, RFC 3339; now, when left out. */
  valid_at?: string | null;
  /** The asker's time zone, for "yesterday": an IANA name or an offset; UTC when left out. */
  zone?: string | null;
}

/** What `why` takes. */
export interface WhyAsked {
  /** Its id, as an answer told it. */
  id: string;
}

/** What `sources` takes. */
export interface SourcesAsked {
  /** Where the page before ended, as it said; from the beginning, when left out. */
  cursor?: string;
  /** Items, at most; 100 when left out. */
  limit?: number;
}

/** What `source` takes. */
export interface SourceAsked {
  /** Its id, as an answer told it. */
  id: string;
  /** Where the page before ended, as it said; from the first message, when left out. */
  cursor?: string;
  /** Messages, at most; 50 when left out. */
  limit?: number;
}

/** What `timeline` takes. */
export interface TimelineAsked {
  /** Where the page before ended, as it said; from the beginning, when left out. */
  cursor?: string;
  /** Items, at most; 100 when left out. */
  limit?: number;
}

/** What `turns` takes. */
export interface TurnsAsked {
  /** The id of the last turn of the page before; from the newest, when left out. */
  cursor?: string;
  /** Turns, at most; 50 when left out. */
  limit?: number;
}

/** What `turn` takes. */
export interface TurnAsked {
  /** The message. */
  message: string;
  /** Tokens of the packet, at most. */
  budget_tokens?: number | null;
  /** Whether the message is worth walking for. */
  deep?: boolean;
  /** What the caller knows the turn is about: words under `topic` or `entity`. Others warn and are passed over. */
  hints?: Record<string, string>;
  /** The policy, by name; the promoted one, when left out. */
  policy?: string | null;
  /** Memories, at most; 12 when left out. */
  slots?: number | null;
}

/** What `recordedTurn` takes. */
export interface RecordedTurnAsked {
  /** Its id, as an answer told it. */
  id: string;
}

/** What `replay` takes. */
export interface ReplayAsked {
  /** Its id, as an answer told it. */
  id: string;
}

/** What `used` takes. */
export interface UsedAsked {
  /** The turn. */
  id: string;
  /** Handles of the packet, such as `M1`. */
  handles?: Array<string>;
  /** The reply; the handles it cites in brackets were used. It is read and not kept. */
  reply?: string | null;
}

/** Every operation of the interface. */
export abstract class Operations {
  /** Sends a call and reads its answer. */
  protected abstract ask<Answer>(place: Place, input: object, options: CallOptions): Promise<Answer>;

  /** Sends a call and reads its answer piece by piece. */
  protected abstract pieces<Piece>(
    place: Place, input: object, options: CallOptions,
  ): AsyncGenerator<Piece, void, undefined>;

  /** Who the caller is, what it may do, and whose memory is meant. Needs the scope `memory:read`. */
  whoami(options: CallOptions = {}): Promise<CallerTold> {
    return this.ask({
      method: "GET",
      path: "/v1/caller",
      inPath: [],
      inQuery: [],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, {}, options);
  }

  /** What contradicts itself, each dispute whole. Needs the scope `memory:read`. */
  disputes(input: DisputesAsked = {}, options: CallOptions = {}): Promise<DisputesPage> {
    return this.ask({
      method: "GET",
      path: "/v1/disputes",
      inPath: [],
      inQuery: ["believed_at", "cursor", "limit", "valid_at"],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Every item of `disputes`, page after page; `limit` is that of one page. */
  async *everyDisputes(
    input: Omit<DisputesAsked, "cursor"> = {}, options: CallOptions = {},
  ): AsyncGenerator<Dispute, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: DisputesPage = await this.disputes(cursor == null ? input : { ...input, cursor }, options);
      yield* page.disputes;
      cursor = page.next;
    } while (cursor != null);
  }

  /** Decide a dispute, with a reason that is recorded. Needs the scope `memory:write`. */
  resolveDispute(input: ResolveDisputeAsked, options: CallOptions = {}): Promise<Resolved> {
    return this.ask({
      method: "POST",
      path: "/v1/disputes/{id}/resolution",
      inPath: ["id"],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** What holds now, the newest first. Needs the scope `memory:read`. */
  list(input: ListAsked = {}, options: CallOptions = {}): Promise<EntriesPage> {
    return this.ask({
      method: "GET",
      path: "/v1/entries",
      inPath: [],
      inQuery: ["cursor", "kind", "limit", "world"],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Every item of `list`, page after page; `limit` is that of one page. */
  async *everyList(
    input: Omit<ListAsked, "cursor"> = {}, options: CallOptions = {},
  ): AsyncGenerator<Item, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: EntriesPage = await this.list(cursor == null ? input : { ...input, cursor }, options);
      yield* page.items;
      cursor = page.next;
    } while (cursor != null);
  }

  /** Keep words of the owner on purpose. Needs the scope `memory:write`. */
  remember(input: RememberAsked, options: CallOptions = {}): Promise<Observed> {
    return this.ask({
      method: "POST",
      path: "/v1/entries",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: true,
    }, input, options);
  }

  /** Put new words in the place of an entry; the old ones stay in its history. Needs the scope `memory:write`. */
  correct(input: CorrectAsked, options: CallOptions = {}): Promise<Corrected> {
    return this.ask({
      method: "POST",
      path: "/v1/entries/{id}/corrections",
      inPath: ["id"],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Forget: the words are in no file afterwards, and what they had changed is undone. Needs the scope `memory:forget`. */
  forget(input: ForgetAsked = {}, options: CallOptions = {}): Promise<Forgotten> {
    return this.ask({
      method: "POST",
      path: "/v1/erasures",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Whether the chain bears out the receipt of an erasure. Needs the scope `memory:read`. */
  checkReceipt(input: CheckReceiptAsked, options: CallOptions = {}): Promise<ReceiptChecked> {
    return this.ask({
      method: "POST",
      path: "/v1/erasures/check",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Let what was forgotten be learnt again. Needs the scope `memory:forget`. */
  lift(input: LiftAsked = {}, options: CallOptions = {}): Promise<Lifted> {
    return this.ask({
      method: "POST",
      path: "/v1/erasures/lift",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** What was said, as it was taken in, the newest first. Needs the scope `memory:read`. */
  messages(input: MessagesAsked = {}, options: CallOptions = {}): Promise<MessagesPage> {
    return this.ask({
      method: "GET",
      path: "/v1/evidence",
      inPath: [],
      inQuery: ["cursor", "kind", "limit", "session", "source"],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Every item of `messages`, page after page; `limit` is that of one page. */
  async *everyMessages(
    input: Omit<MessagesAsked, "cursor"> = {}, options: CallOptions = {},
  ): AsyncGenerator<MessageText, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: MessagesPage = await this.messages(cursor == null ? input : { ...input, cursor }, options);
      yield* page.messages;
      cursor = page.next;
    } while (cursor != null);
  }

  /** Take in what was said; everything that becomes memory passes the gate. Needs the scope `memory:write`. */
  observe(input: ObserveAsked, options: CallOptions = {}): Promise<ObservedAll> {
    return this.ask({
      method: "POST",
      path: "/v1/evidence",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: true,
    }, input, options);
  }

  /** Everything of the subject, in a form that can be taken in again. Needs the scope `memory:read`. */
  export(options: CallOptions = {}): AsyncGenerator<Exported, void, undefined> {
    return this.pieces({
      method: "GET",
      path: "/v1/export",
      inPath: [],
      inQuery: [],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, {}, options);
  }

  /** Everything that holds at a moment on both clocks. Needs the scope `memory:read`. */
  state(input: StateAsked = {}, options: CallOptions = {}): Promise<StatePage> {
    return this.ask({
      method: "GET",
      path: "/v1/facts",
      inPath: [],
      inQuery: ["believed_at", "cursor", "limit", "valid_at"],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Every item of `state`, page after page; `limit` is that of one page. */
  async *everyState(
    input: Omit<StateAsked, "cursor"> = {}, options: CallOptions = {},
  ): AsyncGenerator<Item, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: StatePage = await this.state(cursor == null ? input : { ...input, cursor }, options);
      yield* page.items;
      cursor = page.next;
    } while (cursor != null);
  }

  /** A fact with all its versions and everything that happened to them. Needs the scope `memory:read`. */
  history(input: HistoryAsked, options: CallOptions = {}): Promise<History> {
    return this.ask({
      method: "GET",
      path: "/v1/facts/{id}",
      inPath: ["id"],
      inQuery: [],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Take in many messages at once, told how far it is. Needs the scope `memory:write`. */
  import(input: ImportAsked, options: CallOptions = {}): AsyncGenerator<ImportTold, void, undefined> {
    return this.pieces({
      method: "POST",
      path: "/v1/imports",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** The keys there are; nothing by which one could be used. Needs the scope `memory:admin`. */
  listKeys(options: CallOptions = {}): Promise<KeysTold> {
    return this.ask({
      method: "GET",
      path: "/v1/keys",
      inPath: [],
      inQuery: [],
      hasBody: false,
      ofSubject: false,
      takesKey: false,
    }, {}, options);
  }

  /** Make a key; it is shown once. Needs the scope `memory:admin`. */
  createKey(input: CreateKeyAsked, options: CallOptions = {}): Promise<KeyMade> {
    return this.ask({
      method: "POST",
      path: "/v1/keys",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: false,
      takesKey: false,
    }, input, options);
  }

  /** Take a key away, from now on. Needs the scope `memory:admin`. */
  revokeKey(input: RevokeKeyAsked, options: CallOptions = {}): Promise<KeyRevoked> {
    return this.ask({
      method: "DELETE",
      path: "/v1/keys/{id}",
      inPath: ["id"],
      inQuery: [],
      hasBody: false,
      ofSubject: false,
      takesKey: false,
    }, input, options);
  }

  /** The policies that choose for a turn, and which is in force. Needs the scope `memory:read`. */
  policies(options: CallOptions = {}): Promise<PoliciesText> {
    return this.ask({
      method: "GET",
      path: "/v1/policies",
      inPath: [],
      inQuery: [],
      hasBody: false,
      ofSubject: false,
      takesKey: false,
    }, {}, options);
  }

  /** What another policy would have made of the subject's recorded turns. Needs the scope `memory:read`. */
  comparePolicies(input: ComparePoliciesAsked, options: CallOptions = {}): Promise<PolicyDiff> {
    return this.ask({
      method: "POST",
      path: "/v1/policies/comparisons",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Put a policy in force for the whole deployment, or take the last promotion back. Needs the scope `memory:admin`. */
  promotePolicy(input: PromotePolicyAsked, options: CallOptions = {}): Promise<PolicyActText> {
    return this.ask({
      method: "POST",
      path: "/v1/policies/promotions",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: false,
      takesKey: false,
    }, input, options);
  }

  /** Who the owner is and what must always be kept to. Needs the scope `memory:read`. */
  profile(options: CallOptions = {}): Promise<Profile> {
    return this.ask({
      method: "GET",
      path: "/v1/profile",
      inPath: [],
      inQuery: [],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, {}, options);
  }

  /** What is remembered, best first; a dispute stands together. Needs the scope `memory:read`. */
  recall(input: RecallAsked, options: CallOptions = {}): Promise<Deep> {
    return this.ask({
      method: "POST",
      path: "/v1/recall",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** The way from a memory to the words behind it. Needs the scope `memory:read`. */
  why(input: WhyAsked, options: CallOptions = {}): Promise<Why> {
    return this.ask({
      method: "GET",
      path: "/v1/receipts/{id}",
      inPath: ["id"],
      inQuery: [],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** The predicates that can be proposed, and the limits of a call. Needs the scope `memory:read`. */
  rules(options: CallOptions = {}): Promise<Rules> {
    return this.ask({
      method: "GET",
      path: "/v1/rules",
      inPath: [],
      inQuery: [],
      hasBody: false,
      ofSubject: false,
      takesKey: false,
    }, {}, options);
  }

  /** Where words come from. Needs the scope `memory:read`. */
  sources(input: SourcesAsked = {}, options: CallOptions = {}): Promise<SourcesPage> {
    return this.ask({
      method: "GET",
      path: "/v1/sources",
      inPath: [],
      inQuery: ["cursor", "limit"],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Every item of `sources`, page after page; `limit` is that of one page. */
  async *everySources(
    input: Omit<SourcesAsked, "cursor"> = {}, options: CallOptions = {},
  ): AsyncGenerator<SourceListed, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: SourcesPage = await this.sources(cursor == null ? input : { ...input, cursor }, options);
      yield* page.sources;
      cursor = page.next;
    } while (cursor != null);
  }

  /** What a source said, message by message. Needs the scope `memory:read`. */
  source(input: SourceAsked, options: CallOptions = {}): Promise<Said> {
    return this.ask({
      method: "GET",
      path: "/v1/sources/{id}",
      inPath: ["id"],
      inQuery: ["cursor", "limit"],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Every item of `source`, page after page; `limit` is that of one page. */
  async *everySource(
    input: Omit<SourceAsked, "cursor">, options: CallOptions = {},
  ): AsyncGenerator<MessageSaid, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: Said = await this.source(cursor == null ? input : { ...input, cursor }, options);
      yield* page.messages;
      cursor = page.next;
    } while (cursor != null);
  }

  /** Everything that happened to facts, in the order this system came to hold it. Needs the scope `memory:read`. */
  timeline(input: TimelineAsked = {}, options: CallOptions = {}): Promise<TimelinePage> {
    return this.ask({
      method: "GET",
      path: "/v1/timeline",
      inPath: [],
      inQuery: ["cursor", "limit"],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Every item of `timeline`, page after page; `limit` is that of one page. */
  async *everyTimeline(
    input: Omit<TimelineAsked, "cursor"> = {}, options: CallOptions = {},
  ): AsyncGenerator<Event, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: TimelinePage = await this.timeline(cursor == null ? input : { ...input, cursor }, options);
      yield* page.events;
      cursor = page.next;
    } while (cursor != null);
  }

  /** The turns that were resolved, the newest first. Needs the scope `memory:read`. */
  turns(input: TurnsAsked = {}, options: CallOptions = {}): Promise<TurnsPage> {
    return this.ask({
      method: "GET",
      path: "/v1/turns",
      inPath: [],
      inQuery: ["cursor", "limit"],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Every item of `turns`, page after page; `limit` is that of one page. */
  async *everyTurns(
    input: Omit<TurnsAsked, "cursor"> = {}, options: CallOptions = {},
  ): AsyncGenerator<TurnListed, void, undefined> {
    let cursor: string | null | undefined;
    do {
      const page: TurnsPage = await this.turns(cursor == null ? input : { ...input, cursor }, options);
      yield* page.turns;
      cursor = page.next;
    } while (cursor != null);
  }

  /** Choose what one turn may see, and record how. Needs the scope `memory:read`. */
  turn(input: TurnAsked, options: CallOptions = {}): Promise<Turned> {
    return this.ask({
      method: "POST",
      path: "/v1/turns",
      inPath: [],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** What a turn considered, chose and used, with every reason. Needs the scope `memory:read`. */
  recordedTurn(input: RecordedTurnAsked, options: CallOptions = {}): Promise<TurnTold> {
    return this.ask({
      method: "GET",
      path: "/v1/turns/{id}",
      inPath: ["id"],
      inQuery: [],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Make a turn again and compare, byte for byte. Needs the scope `memory:read`. */
  replay(input: ReplayAsked, options: CallOptions = {}): Promise<Replayed> {
    return this.ask({
      method: "GET",
      path: "/v1/turns/{id}/replay",
      inPath: ["id"],
      inQuery: [],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Record which selected memories a reply really used. Needs the scope `memory:write`. */
  used(input: UsedAsked, options: CallOptions = {}): Promise<UsedInReply> {
    return this.ask({
      method: "POST",
      path: "/v1/turns/{id}/uses",
      inPath: ["id"],
      inQuery: [],
      hasBody: true,
      ofSubject: true,
      takesKey: false,
    }, input, options);
  }

  /** Read everything of the subject back and check every quote, every fact and the chain. Needs the scope `memory:admin`. */
  verify(options: CallOptions = {}): Promise<Verified> {
    return this.ask({
      method: "GET",
      path: "/v1/verification",
      inPath: [],
      inQuery: [],
      hasBody: false,
      ofSubject: true,
      takesKey: false,
    }, {}, options);
  }

}
