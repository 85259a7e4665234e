//! Observing: a message comes in, and with it what somebody proposes it says.
//!
//! Everything that depends on the message alone (reading the proposals, finding other people's words, the gate) is
//! done before the subject is touched; what depends on the memory (is it known, which fact, what changes) is done in
//! the subject's turn to be written.

use std::sync::Arc;

use ledger::adjudicate::{Place, adjudicate};
use ledger::claim::{Claim, ClaimWords, Op};
use ledger::evidence::{Attachment, Author, ContentHash, Evidence, EvidenceWords, Marks};
use ledger::fact::{Act, ActKind, ActWords, FactRow, TransitionKind};
use ledger::gate::{Admitted, Testimony, judge};
use ledger::id::{ClaimId, EvidenceId, FactId, Kind, SourceId, VersionId};
use ledger::keys::{Fingerprint, Purpose, SubjectKeys};
use ledger::limits::{Limit, OverLimit};
use ledger::log::{Lift, Row};
use ledger::memory::{Memory, fact_key};
use ledger::proposal::Proposal;
use ledger::regions::foreign_regions;
use ledger::source::{Authority, Fidelity, Mode, NAME_BYTES_MAX, Retention, Source, SourceError, SourceKind};
use ledger::store::Recognised;
use ledger::time::{Instant, Moment};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::answer::{self, AdmittedClaim, Counts, Failed, Observed, Refused, ValueForeseen, value_json};
use crate::error::EngineError;
use crate::propose;
use crate::subject::Draft;
use crate::{Call, Engine};

/// One message, in the shape of the interface.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Where it comes from.
    pub source: SourceInput,
    /// The session it was said in.
    #[serde(default)]
    pub session: Option<String>,
    /// Who spoke.
    #[schemars(with = "String", extend("enum" = ["owner", "assistant", "service", "external"]))]
    pub author: Author,
    /// The speaker's name.
    #[serde(default)]
    pub author_name: Option<String>,
    /// When it was said; now, when left out.
    #[serde(default)]
    pub event_time: Option<String>,
    /// The source's own id of the message.
    #[serde(default)]
    pub external_id: Option<String>,
    /// The exact text.
    pub text: String,
    /// What came with it.
    #[serde(default)]
    pub attachments: Vec<AttachmentInput>,
    /// What somebody proposes it says. Left out, the configured proposer is asked about an owner's message.
    #[serde(default)]
    pub proposals: Option<Vec<Json>>,
    /// Who proposes; `agent` when left out.
    #[serde(default)]
    pub proposer: Option<String>,
    /// The caller's key: the same key twice is the same call.
    #[serde(default)]
    pub idempotency_key: Option<String>,
    /// Whether the owner asked for exactly these words to be kept, as an export says of what was remembered: a note among
    /// its proposals may then be a question or a wish. Unlike [`Observing::kept_on_purpose`] this lifts nothing.
    #[serde(default)]
    pub kept_on_purpose: bool,
}

/// A source as a caller names it. What is left out is as for a conversation; a known source keeps what it has.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceInput {
    /// The sort of place.
    #[schemars(regex(pattern = "^[a-z0-9_.-]{1,40}$"))]
    pub kind: String,
    /// Its name within the sort.
    #[serde(rename = "ref")]
    #[schemars(length(min = 1))]
    pub reference: String,
    /// What is shown to people.
    #[serde(default)]
    pub title: Option<String>,
    /// How much its word weighs.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("enum" = words(Authority::ALL)))]
    pub authority: Option<Authority>,
    /// How true to the words it is.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("enum" = words(Fidelity::ALL)))]
    pub fidelity: Option<Fidelity>,
    /// Which editions are its word.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("enum" = words(Mode::ALL)))]
    pub mode: Option<Mode>,
    /// How much of the words is kept.
    #[serde(default)]
    #[schemars(with = "Option<String>", extend("enum" = words(Retention::ALL)))]
    pub retention: Option<Retention>,
    /// The source it was copied, exported or summarised from: an id, or `kind:ref`.
    #[serde(default)]
    pub lineage: Option<String>,
}

/// The words of a choice that may be left out, for the schema.
fn words<T: std::fmt::Display>(all: &[T]) -> Vec<Option<String>> {
    all.iter().map(|word| Some(word.to_string())).chain([None]).collect()
}

/// Something that came with a message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachmentInput {
    /// Its file name.
    pub name: String,
    /// Its media type.
    #[serde(default)]
    pub media_type: String,
    /// Its size in bytes.
    #[serde(default)]
    pub size: u64,
}

/// How a list of messages is observed.
#[derive(Clone, Copy, Debug)]
pub struct Observing {
    /// Messages per append: 1 gives each its own watermark, more is faster.
    pub per_append: usize,
    /// Whether an owner's message without proposals is looked through by `rules/1`.
    pub rules: bool,
    /// Whether the owner asked for exactly these words to be kept, which also lifts what keeps them out.
    pub kept_on_purpose: bool,
}

impl Default for Observing {
    fn default() -> Self {
        Self { per_append: 1, rules: true, kept_on_purpose: false }
    }
}

/// A message that was read, checked and judged, and waits to be written.
struct Judged {
    source: Source,
    lineage: Option<String>,
    author: Author,
    event_time: Moment,
    text: String,
    session: Option<String>,
    author_name: Option<String>,
    external_id: Option<String>,
    attachments: Vec<Attachment>,
    hash: ContentHash,
    marks: Marks,
    source_mark: Fingerprint,
    copy_mark: Fingerprint,
    key: Option<Fingerprint>,
    admitted: Vec<(usize, Admitted)>,
    refused: Vec<Refused>,
    failed: Vec<Failed>,
    received: u64,
    proposer: String,
    /// Whether what it says hangs on a time nobody gave: the rules read it, and it is placed at the time of observing.
    placed_by_clock: bool,
    /// Whether it is about a message that must be there already: where it is gone, nothing is written.
    stored: bool,
    notices: Vec<String>,
}

/// What the gate would say of a message's proposals.
pub(crate) struct Judgement {
    pub admitted: Vec<ValueForeseen>,
    pub refused: Vec<Refused>,
    pub failed: Vec<Failed>,
}

/// What the gate made of proposals.
#[derive(Default)]
struct Verdict {
    admitted: Vec<(usize, Admitted)>,
    refused: Vec<Refused>,
    failed: Vec<Failed>,
}

impl Engine {
    /// Takes in messages. The answers are in the order of the messages; all are durable when this returns.
    ///
    /// # Errors
    /// [`EngineError::Input`] for a message that cannot be taken as it is; then none of the list is. Faces that want the
    /// rest to go on check each with [`Engine::check`] first.
    pub fn observe(
        &self,
        call: Call<'_>,
        messages: Vec<Message>,
        observing: Observing,
    ) -> Result<Vec<Observed>, EngineError> {
        let keys = self.store().found(call.scope)?;
        let judged = messages
            .into_iter()
            .map(|message| self.judge_message(&keys, call.now, message, observing))
            .collect::<Result<Vec<Judged>, EngineError>>()?;
        if observing.kept_on_purpose {
            let marks: Vec<Fingerprint> =
                judged.iter().flat_map(|one| all_marks(&one.marks).chain([one.source_mark])).collect();
            let barred = self.store().forgotten(call.scope, &marks)?;
            let barred: Vec<Fingerprint> =
                marks.into_iter().zip(barred).filter(|(_, barred)| *barred).map(|(mark, _)| mark).collect();
            if !barred.is_empty() {
                self.record_lift(call, Lift::Marks(barred))?;
            }
        }
        self.write_judged(call, judged, observing.per_append)
    }

    /// Writes what was judged, each message in its turn, and tells what became of it.
    fn write_judged(
        &self,
        call: Call<'_>,
        judged: Vec<Judged>,
        per_append: usize,
    ) -> Result<Vec<Observed>, EngineError> {
        let held = self.held(call.scope);
        let marks = judged.iter().map(|one| one.marks).collect();
        let answers: Arc<Mutex<Vec<Observed>>> = Arc::default();
        let answers_of_last_run = answers.clone();
        let now = call.now;
        let room = self.room;
        let prepare = move |draft: &mut Draft<'_>, recognised: &[Recognised]| {
            let mut answers = Vec::with_capacity(judged.len());
            let barred = barred_sources(draft, &judged)?;
            for (place, one) in judged.iter().enumerate() {
                let known = match barred.contains(&one.source_mark) {
                    true => Recognised::Forgotten,
                    false => recognised.get(place).copied().unwrap_or(Recognised::New),
                };
                room.check(&draft.snapshot.memory, one)?;
                answers.push(write_message(draft, now, one, known)?);
                let appended = draft.next().ordinal > 0;
                if appended && ((place + 1) % per_append.max(1) == 0 || one.key.is_some()) {
                    draft.close(one.key);
                }
            }
            *answers_of_last_run.lock() = answers;
            Ok(())
        };
        held.write(self.store(), call.scope, self.policies(), call.now, marks, Box::new(prepare))?;
        let answers = std::mem::take(&mut *answers.lock());
        Ok(answers)
    }

    /// Whether a message could be taken as it is; nothing is written.
    ///
    /// # Errors
    /// [`EngineError::Input`] that names what is wrong.
    pub fn check(&self, call: Call<'_>, message: &Message) -> Result<(), EngineError> {
        read_source(&message.source)?;
        read_event_time(message, call.now)?;
        check_lengths(message)
    }

    fn judge_message(
        &self,
        keys: &SubjectKeys,
        now: Instant,
        message: Message,
        observing: Observing,
    ) -> Result<Judged, EngineError> {
        let source = read_source(&message.source)?;
        let event_time = read_event_time(&message, now)?;
        check_lengths(&message)?;
        let hash = ContentHash::of(message.text.as_bytes());
        let named = source_mark(keys, &source);
        let instant = event_time.instant.micros().to_le_bytes();
        let external = message.external_id.as_ref();
        // A message without a time of its own is known by its id alone: the clock of today tells no two messages apart.
        let named_only = external.filter(|_| message.event_time.is_none());
        // One that comes a second time under its caller's key does so at another time of the clock, and is the same.
        let keyed = message.idempotency_key.as_ref().filter(|_| message.event_time.is_none());
        let moment = match (named_only, keyed) {
            (Some(id), _) => keys.fingerprint(Purpose::Moment, &[&named.0, b"id", id.as_bytes()]),
            (None, Some(key)) => {
                keys.fingerprint(Purpose::Moment, &[&named.0, b"key", key.as_bytes(), &hash.0])
            }
            (None, None) => keys.fingerprint(Purpose::Moment, &[&named.0, &instant, &hash.0]),
        };
        let marks = Marks {
            external_id: external.map(|id| keys.fingerprint(Purpose::ExternalId, &[&named.0, id.as_bytes()])),
            moment,
            // A text that comes again with other white space is the same words.
            text: keys.fingerprint(
                Purpose::Text,
                &[&named.0, ledger::quote::fold(&message.text).trim().as_bytes()],
            ),
        };
        let foreign = match message.author {
            Author::Assistant => Vec::new(),
            _ => foreign_regions(&message.text),
        };
        let testimony = Testimony {
            author: message.author,
            text: &message.text,
            event_time: &event_time,
            foreign: &foreign,
            kept_on_purpose: observing.kept_on_purpose || message.kept_on_purpose,
        };
        let placed_by_clock = message.event_time.is_none() && message.proposals.is_none();
        let (proposals, proposer) = match message.proposals {
            Some(given) => (given, message.proposer.unwrap_or_else(|| "agent".to_owned())),
            None if message.author == Author::Owner && observing.rules => {
                let drafts = propose::propose(&message.text, &event_time.zoned(), self.registry());
                (drafts.iter().map(propose::Draft::to_json).collect(), propose::PROPOSER.to_owned())
            }
            None => (Vec::new(), propose::PROPOSER.to_owned()),
        };
        let received = proposals.len() as u64;
        let Verdict { admitted, refused, failed } = self.verdict(&testimony, &proposals);
        let copy_mark = keys.fingerprint(Purpose::Copy, &[&hash.0]);
        let key = message.idempotency_key.as_ref();
        Ok(Judged {
            source,
            lineage: message.source.lineage,
            author: message.author,
            event_time,
            key: key.map(|key| keys.fingerprint(Purpose::Request, &[b"caller", key.as_bytes()])),
            text: message.text,
            session: message.session,
            author_name: message.author_name,
            external_id: message.external_id,
            attachments: message.attachments.into_iter().map(AttachmentInput::read).collect(),
            hash,
            marks,
            source_mark: named,
            copy_mark,
            admitted,
            refused,
            failed,
            received,
            proposer,
            placed_by_clock,
            stored: false,
            notices: Vec::new(),
        })
    }

    /// What would become of the proposals of a message; nothing is written.
    ///
    /// # Errors
    /// As [`Engine::check`].
    pub(crate) fn judge_only(
        &self,
        call: Call<'_>,
        message: Message,
        observing: Observing,
    ) -> Result<Judgement, EngineError> {
        let keys = self.store().found(call.scope)?;
        let judged = self.judge_message(&keys, call.now, message, observing)?;
        let admitted = judged.admitted.iter().map(|(_, admitted)| ValueForeseen {
            op: admitted.op.to_string(),
            value: value_json(admitted.value.as_ref().map(|stated| &stated.value)),
        });
        Ok(Judgement { admitted: admitted.collect(), refused: judged.refused, failed: judged.failed })
    }

    fn verdict(&self, testimony: &Testimony<'_>, proposals: &[Json]) -> Verdict {
        let mut verdict = Verdict::default();
        for (index, json) in proposals.iter().enumerate() {
            match Proposal::read(json) {
                Err(error) => verdict.failed.push(Failed { index, detail: error.to_string() }),
                Ok(proposal) => match judge(testimony, index, &proposal, self.policies()) {
                    Ok(passed) => verdict.admitted.push((index, passed)),
                    Err(refusal) => verdict.refused.push(Refused {
                        index,
                        code: refusal.code.as_str().to_owned(),
                        detail: refusal.detail,
                    }),
                },
            }
        }
        verdict
    }

    /// Has the gate judge proposals on messages that are stored, on the words as they stand there. A message that is gone by
    /// then, or whose words are not kept, is answered like one that was forgotten.
    ///
    /// # Errors
    /// The store's. Answers are in the order of the messages.
    pub(crate) fn judge_stored(
        &self,
        call: Call<'_>,
        proposer: &str,
        proposals: Vec<(EvidenceId, Vec<Json>)>,
    ) -> Result<Vec<Observed>, EngineError> {
        // A subject that was forgotten meanwhile is not founded anew for this.
        let Some(keys) = self.store().keys(call.scope)? else {
            return Ok(proposals.iter().map(|(_, own)| gone(own, 0)).collect());
        };
        let ids: Vec<EvidenceId> = proposals.iter().map(|(id, _)| *id).collect();
        let found = self.store().evidence(call.scope, &ids)?;
        let mut judged = Vec::new();
        let mut places = Vec::new();
        let mut answers: Vec<Option<Observed>> = vec![None; ids.len()];
        let (sources, watermark) = self.read(call.scope, |snapshot| {
            let source = |evidence: &Option<Evidence>| {
                evidence.as_ref().and_then(|evidence| snapshot.memory.source(evidence.source).cloned())
            };
            Ok((found.iter().map(source).collect::<Vec<Option<Source>>>(), snapshot.durable))
        })?;
        for (place, (evidence, source)) in found.into_iter().zip(sources).enumerate() {
            let own = &proposals[place].1;
            match evidence
                .zip(source)
                .and_then(|(evidence, source)| self.judge_kept(&keys, evidence, source, own, proposer))
            {
                Some(one) => {
                    judged.push(one);
                    places.push(place);
                }
                None => answers[place] = Some(gone(own, watermark)),
            }
        }
        for (place, answer) in places.into_iter().zip(self.write_judged(call, judged, 1)?) {
            answers[place] = Some(answer);
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// Judges proposals on a stored message; `None` where its words are not kept.
    fn judge_kept(
        &self,
        keys: &SubjectKeys,
        evidence: Evidence,
        source: Source,
        proposals: &[Json],
        proposer: &str,
    ) -> Option<Judged> {
        let text = evidence.words.text?;
        let foreign = match evidence.author {
            Author::Assistant => Vec::new(),
            _ => foreign_regions(&text),
        };
        let testimony = Testimony {
            author: evidence.author,
            text: &text,
            event_time: &evidence.event_time,
            foreign: &foreign,
            kept_on_purpose: false,
        };
        let Verdict { admitted, refused, failed } = self.verdict(&testimony, proposals);
        let hash = evidence.words.hash;
        Some(Judged {
            source_mark: source_mark(keys, &source),
            source,
            lineage: None,
            author: evidence.author,
            event_time: evidence.event_time,
            session: evidence.words.session,
            author_name: evidence.words.author_name,
            external_id: evidence.words.external_id,
            attachments: evidence.words.attachments,
            hash,
            marks: evidence.marks,
            copy_mark: keys.fingerprint(Purpose::Copy, &[&hash.0]),
            key: None,
            admitted,
            refused,
            failed,
            received: proposals.len() as u64,
            proposer: proposer.to_owned(),
            placed_by_clock: false,
            stored: true,
            notices: Vec::new(),
            text,
        })
    }
}

fn source_mark(keys: &SubjectKeys, source: &Source) -> Fingerprint {
    keys.blind.source(source.kind.as_str(), &source.reference)
}

/// What became of proposals on a message that is not there.
fn gone(proposals: &[Json], watermark: u64) -> Observed {
    let detail = "the message is no longer there, or its words are not kept";
    let refused: Vec<Refused> = (0..proposals.len())
        .map(|index| Refused { index, code: "forgotten".to_owned(), detail: detail.to_owned() })
        .collect();
    let counts =
        Counts { received: proposals.len() as u64, refused: refused.len() as u64, ..Counts::default() };
    Observed {
        evidence: None,
        duplicate: false,
        admitted: Vec::new(),
        refused,
        failed: Vec::new(),
        counts,
        watermark,
        notices: vec![detail.to_owned()],
    }
}

impl AttachmentInput {
    fn read(self) -> Attachment {
        Attachment { name: self.name, media_type: self.media_type, bytes: self.size, hash: None }
    }
}

fn all_marks(marks: &Marks) -> impl Iterator<Item = Fingerprint> {
    marks.external_id.into_iter().chain([marks.moment, marks.text])
}

fn read_source(input: &SourceInput) -> Result<Source, EngineError> {
    let problem = |error: SourceError| EngineError::Input(error.to_string());
    let kind = SourceKind::parse(&input.kind).map_err(problem)?;
    for (name, text) in [("source ref", Some(&input.reference)), ("source title", input.title.as_ref())] {
        let Some(text) = text else { continue };
        if text.is_empty() || text.len() > NAME_BYTES_MAX {
            return Err(problem(SourceError::Name { name, bytes: text.len() }));
        }
    }
    let is_document = matches!(kind.as_str(), "document" | "note" | "mail" | "page");
    Ok(Source {
        kind,
        reference: input.reference.clone(),
        title: input.title.clone(),
        authority: input.authority.unwrap_or(Authority::Normal),
        fidelity: input.fidelity.unwrap_or(match is_document {
            true => Fidelity::TranscriptSnapshot,
            false => Fidelity::VisibleTranscript,
        }),
        mode: input.mode.unwrap_or(Mode::Snapshot),
        retention: input.retention.unwrap_or(Retention::Full),
        copy_of: None,
    })
}

fn read_event_time(message: &Message, now: Instant) -> Result<Moment, EngineError> {
    match &message.event_time {
        None => Ok(Moment::utc(now)),
        Some(text) => text.parse().map_err(|error| EngineError::Input(format!("event_time: {error}"))),
    }
}

fn check_lengths(message: &Message) -> Result<(), EngineError> {
    Limit::TEXT_BYTES.check("text", message.text.len())?;
    if message.text.trim().is_empty() && message.attachments.is_empty() {
        return Err(EngineError::Input("text is empty; there is nothing to remember".to_owned()));
    }
    let names = [
        ("session", message.session.as_deref()),
        ("author_name", message.author_name.as_deref()),
        ("external_id", message.external_id.as_deref()),
        ("proposer", message.proposer.as_deref()),
        ("idempotency_key", message.idempotency_key.as_deref()),
        ("source lineage", message.source.lineage.as_deref()),
    ];
    for (name, text) in names {
        Limit::NAME_BYTES.check(name, text.map_or(0, str::len))?;
    }
    Limit::ATTACHMENTS.check("the message", message.attachments.len())?;
    // Far more than the gate looks at, so that all are counted.
    Ok(Limit::PROPOSALS.check("the message", message.proposals.as_ref().map_or(0, Vec::len))?)
}

/// How much one subject may grow to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Sources.
    pub sources: u64,
    /// Facts.
    pub facts: u64,
}

impl Default for Room {
    fn default() -> Self {
        Self { sources: Limit::SUBJECT_SOURCES.max, facts: Limit::SUBJECT_FACTS.max }
    }
}

impl Room {
    /// Whether a message can be taken in; one from a known source that opens no fact always can.
    fn check(&self, memory: &Memory, one: &Judged) -> Result<(), EngineError> {
        let (sources, facts) = (memory.source_count() as u64, memory.facts().len() as u64);
        let is_known = || memory.source_named(one.source.kind.as_str(), &one.source.reference).is_some();
        if sources >= self.sources && !is_known() {
            let over = Limit::SUBJECT_SOURCES.over("the subject", sources + 1);
            return Err(OverLimit { max: self.sources, ..over }.into());
        }
        if facts >= self.facts && !one.admitted.is_empty() {
            let over = Limit::SUBJECT_FACTS.over("the subject", facts + 1);
            return Err(OverLimit { max: self.facts, ..over }.into());
        }
        Ok(())
    }
}

/// Everything the gate let pass, refused for a reason that only the memory knows.
fn refuse_all<'judged>(
    one: &'judged Judged,
    code: &'judged str,
    detail: &'judged str,
) -> impl Iterator<Item = Refused> + 'judged {
    one.admitted.iter().map(move |(index, _)| Refused {
        index: *index,
        code: code.to_owned(),
        detail: detail.to_owned(),
    })
}

/// The sources among these messages that were forgotten whole. Asked while the draft is written, so that an erasure
/// in between moves the basis and the draft is written anew.
fn barred_sources(draft: &Draft<'_>, judged: &[Judged]) -> Result<Vec<Fingerprint>, EngineError> {
    let mut marks: Vec<Fingerprint> = judged.iter().map(|one| one.source_mark).collect();
    marks.sort_unstable();
    marks.dedup();
    let barred = draft.store.forgotten(draft.scope, &marks)?;
    Ok(marks.into_iter().zip(barred).filter(|(_, barred)| *barred).map(|(mark, _)| mark).collect())
}

/// Writes one judged message into the draft, and tells what became of it.
fn write_message(
    draft: &mut Draft<'_>,
    now: Instant,
    one: &Judged,
    known: Recognised,
) -> Result<Observed, EngineError> {
    let known = match (draft.fresh(&one.marks), known) {
        (Some(fresh), _) => Recognised::Known(fresh),
        (None, known) => known,
    };
    let mut counts = Counts {
        received: one.received,
        refused: one.refused.len() as u64,
        failed: one.failed.len() as u64,
        ..Counts::default()
    };
    let mut refused = one.refused.clone();
    let mut admitted = Vec::new();
    let mut written = Vec::new();
    let mut notices = one.notices.clone();
    let memory = &draft.snapshot.memory;
    let source =
        memory.source_named(one.source.kind.as_str(), &one.source.reference).and_then(|id| memory.source(id));
    if one.lineage.is_some() && source.is_some_and(|source| source.copy_of.is_none()) {
        notices.push("the source was known before as an origin of its own, and stays one".to_owned());
    }
    let known = match known {
        // It was erased while it was judged, and no mark was left.
        Recognised::New if one.stored => Recognised::Forgotten,
        known => known,
    };
    let (evidence, duplicate) = match known {
        Recognised::Forgotten => {
            let detail = "these words were forgotten on request and are not learnt again";
            refused.extend(refuse_all(one, "forgotten", detail));
            counts.refused = refused.len() as u64;
            notices.push("forgotten on request: not kept".to_owned());
            return Ok(Observed {
                evidence: None,
                duplicate: false,
                admitted,
                refused,
                failed: one.failed.clone(),
                counts,
                watermark: draft.watermark(),
                notices,
            });
        }
        Recognised::Known(evidence) => (evidence, true),
        Recognised::New => (write_evidence(draft, now, one)?, false),
    };
    // A new message that nothing is said of needs no second look.
    let stored = if duplicate || !one.admitted.is_empty() { draft.evidence(evidence)? } else { None };
    let is_same = |stored: &&Evidence| stored.author == one.author && stored.words.hash == one.hash;
    match stored.as_ref().filter(is_same) {
        None if stored.is_none() && !duplicate => {}
        Some(stored) => {
            for (_, passed) in &one.admitted {
                // The rules read it when it first came; read against today's clock it would say something else.
                if duplicate && one.placed_by_clock {
                    counts.duplicate += 1;
                    continue;
                }
                match write_claim(draft, one, stored, evidence, passed) {
                    Some((id, claim)) => {
                        written.push(id);
                        admitted.push(claim);
                    }
                    None => counts.duplicate += 1,
                }
            }
            let source = stored.source;
            write_late_edition(draft, one, source, evidence, &written)?;
        }
        // Judged on other words than those kept: nothing of it can rest on them.
        None => {
            let detail = "this message is known with other words or another author; the first is kept";
            refused.extend(refuse_all(one, "quote_not_found", detail));
            notices.push(detail.to_owned());
        }
    }
    counts.refused = refused.len() as u64;
    counts.admitted = admitted.len() as u64;
    Ok(Observed {
        evidence: Some(answer::id(draft.keys, Kind::Evidence, evidence)),
        duplicate,
        admitted,
        refused,
        failed: one.failed.clone(),
        counts,
        watermark: draft.watermark(),
        notices,
    })
}

fn find_or_write_source(draft: &mut Draft<'_>, one: &Judged) -> Result<SourceId, EngineError> {
    if let Some(known) = draft.snapshot.memory.source_named(one.source.kind.as_str(), &one.source.reference) {
        return Ok(known);
    }
    let copy_of = match &one.lineage {
        None => None,
        Some(lineage) => Some(find_lineage(draft, lineage)?),
    };
    Ok(SourceId(draft.push(Row::Source(Source { copy_of, ..one.source.clone() }))))
}

/// The source a lineage names: by id, or by `kind:ref`. A name not seen before becomes a source of its own, so that
/// copies can be declared in any order.
fn find_lineage(draft: &mut Draft<'_>, lineage: &str) -> Result<SourceId, EngineError> {
    if let Some((Kind::Source, position)) = draft.keys.ids.open(lineage) {
        let id = SourceId(position);
        return match draft.snapshot.memory.source(id) {
            Some(_) => Ok(id),
            None => Err(EngineError::NotFound(lineage.to_owned())),
        };
    }
    if lineage.len() == 29 && lineage.starts_with(Kind::Source.prefix()) {
        // An id of somebody else's source must not pass for a name.
        return Err(EngineError::NotFound(lineage.to_owned()));
    }
    let (kind, reference) = lineage.split_once(':').unwrap_or(("origin", lineage));
    let (kind, reference) = match SourceKind::parse(kind) {
        Ok(kind) if !reference.is_empty() => (kind, reference),
        _ => (SourceKind::parse("origin").map_err(|error| EngineError::Input(error.to_string()))?, lineage),
    };
    if let Some(known) = draft.snapshot.memory.source_named(kind.as_str(), reference) {
        return Ok(known);
    }
    Ok(SourceId(draft.push(Row::Source(Source {
        kind,
        reference: reference.to_owned(),
        title: None,
        authority: Authority::Normal,
        fidelity: Fidelity::TranscriptSnapshot,
        mode: Mode::Snapshot,
        retention: Retention::Full,
        copy_of: None,
    }))))
}

fn write_evidence(draft: &mut Draft<'_>, now: Instant, one: &Judged) -> Result<EvidenceId, EngineError> {
    let source = find_or_write_source(draft, one)?;
    let stored = draft.snapshot.memory.source(source).cloned();
    let (mode, retention) =
        stored.map_or((Mode::Snapshot, Retention::Full), |known| (known.mode, known.retention));
    let evidence = Evidence {
        source,
        author: one.author,
        event_time: one.event_time.clone(),
        observed_at: now,
        text_bytes: one.text.len() as u64,
        marks: one.marks,
        words: EvidenceWords {
            text: (retention == Retention::Full).then(|| one.text.clone()),
            hash: one.hash,
            external_id: one.external_id.clone(),
            session: one.session.clone(),
            author_name: one.author_name.clone(),
            attachments: one.attachments.clone(),
        },
    };
    let id = EvidenceId(draft.push(Row::Evidence(evidence)));
    if mode == Mode::Living {
        write_edition(draft, one, source, id);
    }
    Ok(id)
}

/// A new edition of a living source stands for the source: what it no longer says ends, what it says again goes on.
/// An edition that arrives late stands for nothing but its own time; [`write_late_edition`] sees to that.
fn write_edition(draft: &mut Draft<'_>, one: &Judged, source: SourceId, edition: EvidenceId) {
    let memory = &draft.snapshot.memory;
    if memory.editions(source).last().is_none_or(|(_, newest)| *newest != edition) {
        return;
    }
    let (mut dropped, mut restored) = (Vec::new(), Vec::new());
    for id in memory.claims_of(source) {
        let Some(claim) = memory.claim(id).filter(|claim| claim.op == Op::Assert) else { continue };
        match (stands_in(claim, &one.text), memory.is_lapsed(id)) {
            (false, false) => dropped.push(id),
            (true, true) => restored.push(id),
            _ => {}
        }
    }
    write_edition_act(draft, one.event_time.instant, source, edition, (dropped, restored));
}

/// What a late edition says ends where the next edition that does not hold the words begins.
fn write_late_edition(
    draft: &mut Draft<'_>,
    one: &Judged,
    source: SourceId,
    edition: EvidenceId,
    claims: &[ClaimId],
) -> Result<(), EngineError> {
    let mut standing: Vec<ClaimId> = claims.to_vec();
    let said = (one.event_time.instant, edition);
    let later: Vec<(Instant, EvidenceId)> =
        draft.snapshot.memory.editions(source).iter().copied().filter(|known| *known > said).collect();
    for (at, next) in later {
        // Where only quotes are kept, nobody can say what an edition held.
        let Some(text) = draft.evidence(next)?.and_then(|evidence| evidence.words.text) else { continue };
        let memory = &draft.snapshot.memory;
        let (kept, dropped): (Vec<ClaimId>, Vec<ClaimId>) = standing
            .into_iter()
            .filter(|id| memory.claim(*id).is_some_and(|claim| claim.op == Op::Assert))
            .partition(|id| memory.claim(*id).is_some_and(|claim| stands_in(claim, &text)));
        write_edition_act(draft, at, source, next, (dropped, Vec::new()));
        standing = kept;
    }
    Ok(())
}

fn stands_in(claim: &Claim, text: &str) -> bool {
    claim.words.quotes.iter().all(|quote| ledger::quote::find(text, quote.text()).is_some())
}

fn write_edition_act(
    draft: &mut Draft<'_>,
    at: Instant,
    source: SourceId,
    edition: EvidenceId,
    (dropped, restored): (Vec<ClaimId>, Vec<ClaimId>),
) {
    if dropped.is_empty() && restored.is_empty() {
        return;
    }
    let act = Act {
        at,
        kind: ActKind::NewEdition { source, edition, dropped, restored },
        words: ActWords { reason: "new edition".to_owned(), by: "observe".to_owned() },
    };
    write_act(draft, act);
}

/// Writes an act and what it changes, fact by fact.
pub(crate) fn write_act(draft: &mut Draft<'_>, act: Act) -> Vec<(FactId, ledger::adjudicate::Adjudicated)> {
    let facts = draft.snapshot.memory.facts_touched(&act);
    let cause = draft.push(Row::Act(act));
    let mut effects = Vec::with_capacity(facts.len());
    for fact in facts {
        if let Some(adjudicated) = settle(draft, fact, cause) {
            effects.push((fact, adjudicated));
        }
    }
    effects
}

fn settle(
    draft: &mut Draft<'_>,
    fact: FactId,
    cause: ledger::id::Position,
) -> Option<ledger::adjudicate::Adjudicated> {
    let place = Place { next: draft.next(), at: draft.recorded_at() };
    let adjudicated = adjudicate(&draft.snapshot.memory, fact, cause, place)?;
    for transition in &adjudicated.transitions {
        draft.push(Row::Transition(transition.clone()));
    }
    Some(adjudicated)
}

/// Writes one admitted proposal as a claim and adjudicates it. `None` when the same message says the same already.
fn write_claim(
    draft: &mut Draft<'_>,
    one: &Judged,
    stored: &Evidence,
    evidence: EvidenceId,
    passed: &Admitted,
) -> Option<(ClaimId, AdmittedClaim)> {
    let words = ClaimWords {
        entity: passed.entity.clone(),
        value: passed.value.clone(),
        quotes: passed.quotes.clone(),
    };
    let claim = Claim {
        fact: FactId(draft.next()),
        evidence,
        source: stored.source,
        author: stored.author,
        realm: passed.realm,
        predicate: passed.predicate.clone(),
        op: passed.op,
        confidence_permille: passed.confidence_permille,
        event_time: stored.event_time.instant,
        valid_from: passed.valid_from,
        valid_to: passed.valid_to,
        inferred: passed.inferred,
        policy: draft.policies.admission.version.clone(),
        proposer: one.proposer.clone(),
        copy_mark: one.copy_mark,
        words,
    };
    let key = fact_key(&claim, &draft.policies.registry);
    let known = draft.snapshot.memory.fact_with(&key);
    if known.is_some_and(|fact| is_repeated(draft, fact, &claim)) {
        return None;
    }
    let fact = known.unwrap_or_else(|| {
        let identity = identity(draft.keys, &key);
        let row = FactRow { realm: claim.realm, predicate: claim.predicate.clone(), identity };
        FactId(draft.push(Row::Fact(row)))
    });
    let claim = Claim { fact, ..claim };
    let value = value_json(claim.words.value());
    let cause = draft.push(Row::Claim(Arc::new(claim)));
    let reopened = reopened_in(draft, fact);
    let adjudicated = settle(draft, fact, cause)?;
    let effect = match adjudicated.effect {
        // The edition brought the value back; the claim that says so in the same breath did.
        TransitionKind::Confirm if reopened.is_some() && reopened == adjudicated.version => {
            TransitionKind::Reopen
        }
        effect => effect,
    };
    let told = AdmittedClaim {
        claim: answer::id(draft.keys, Kind::Claim, cause),
        fact: answer::id(draft.keys, Kind::Fact, fact),
        version: adjudicated.version.map(|version| answer::id(draft.keys, Kind::Version, version)),
        transition: effect.as_str().to_owned(),
        proposer: one.proposer.clone(),
        entity: passed.entity.to_string(),
        predicate: passed.predicate.clone(),
        value,
    };
    Some((ClaimId(cause), told))
}

/// The version of the fact that this append has brought back already.
fn reopened_in(draft: &Draft<'_>, fact: FactId) -> Option<VersionId> {
    let fact = draft.snapshot.memory.fact(fact)?;
    let reopened = |version: &&ledger::memory::Version| {
        version
            .latest()
            .is_some_and(|state| state.kind == TransitionKind::Reopen && state.cause.seq == draft.next().seq)
    };
    fact.versions.iter().find(reopened).map(|version| version.id)
}

/// Whether the fact already has a claim of the same message that says the same.
fn is_repeated(draft: &Draft<'_>, fact: FactId, claim: &Claim) -> bool {
    let Some(fact) = draft.snapshot.memory.fact(fact) else { return false };
    fact.causes.iter().filter_map(|cause| draft.snapshot.memory.claim(ClaimId(*cause))).any(|known| {
        known.evidence == claim.evidence
            && known.op == claim.op
            && known.valid_from == claim.valid_from
            && known.valid_to == claim.valid_to
            && known.words.value_key() == claim.words.value_key()
    })
}

/// The keyed mark of a fact's identity.
fn identity(keys: &SubjectKeys, key: &ledger::fact::FactKey) -> Fingerprint {
    use ledger::fact::Apart;
    let apart = match &key.apart {
        Apart::Nothing => String::new(),
        Apart::Value(value) => format!("value {value}"),
        Apart::Period(from, to) => format!("period {from:?} {to:?}"),
    };
    let entity = key.entity.to_string();
    keys.fingerprint(
        Purpose::Identity,
        &[key.realm.as_str().as_bytes(), entity.as_bytes(), key.predicate.as_bytes(), apart.as_bytes()],
    )
}
