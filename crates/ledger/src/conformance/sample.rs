//! Rows to try a store with: small, valid, and each told from the others by a number.

use crate::claim::{Claim, ClaimWords, Op, Quote, Quotes, Realm};
use crate::entity::EntityRef;
use crate::evidence::{Author, ContentHash, Evidence, EvidenceWords, Marks};
use crate::fact::{Act, ActKind, ActWords, FactRow, Standing, Transition, TransitionKind};
use crate::id::{ClaimId, EvidenceId, FactId, Position, SourceId, TurnId, VersionId, Watermark};
use crate::keys::Fingerprint;
use crate::log::{Batch, Entry, Keyed, Lift, Row, SubjectErasure, Tombstone};
use crate::policy::{PolicyAct, PolicyDeed};
use crate::registry::Class;
use crate::scope::{Scope, Subject};
use crate::source::{Authority, Fidelity, Mode, Retention, Source, SourceKind};
use crate::store::{Head, Store, StoreError};
use crate::time::{AsOf, Instant, Moment, Span};
use crate::turn::{Budget, Candidate, DropReason, Dropped, Features, Selected, Triage, TurnRecord, Why};
use crate::value::{Stated, Value};

/// A basis of a test's choice, for any store.
pub trait Upon {
    /// The end of the subject's log, in the life it has now, had it `watermark` appends.
    fn upon(&self, scope: &Scope, watermark: Watermark) -> Head;
}

impl<S: Store + ?Sized> Upon for S {
    fn upon(&self, scope: &Scope, watermark: Watermark) -> Head {
        Head { watermark, ..self.head(scope).expect("head") }
    }
}

/// Founds the subject where it is new, and records a turn of its log as it is now.
///
/// # Errors
/// As [`Store::record_turn`].
///
/// # Panics
/// When something is erased at the same time.
pub fn record_turn<S: Store + ?Sized>(
    store: &S,
    scope: &Scope,
    key: Fingerprint,
    turn: &TurnRecord,
) -> Result<TurnId, StoreError> {
    store.found(scope)?;
    let recorded = store.record_turn(scope, &store.head(scope)?, key, turn)?;
    Ok(recorded.expect("nothing is erased meanwhile"))
}

/// The scope of the subject called `name`.
#[must_use]
pub fn scope(name: &str) -> Scope {
    Scope::of(Subject::parse(name).expect("a plain name"))
}

/// A mark of `purpose` and `number`; equal for equal arguments.
#[must_use]
pub fn mark(purpose: &str, number: u64) -> Fingerprint {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(format!("{purpose} {number}").as_bytes()).as_bytes()[..16]);
    Fingerprint(short)
}

/// Tombstones of the source that [`mark`] calls `source` 1.
#[must_use]
pub fn tombstones(marks: &[Fingerprint]) -> Vec<Tombstone> {
    marks.iter().map(|mark| Tombstone { source: self::mark("source", 1), mark: *mark }).collect()
}

/// The act that lifts tombstones, in a batch of its own.
#[must_use]
pub fn lifting(number: u64, lift: Lift) -> Batch {
    let words = ActWords { reason: String::new(), by: String::new() };
    let act = Act { at: at(number), kind: ActKind::Lift(lift), words };
    Batch { recorded_at: at(number), rows: vec![Row::Act(act)] }
}

/// What destroys a subject and leaves these tombstones.
#[must_use]
pub fn leaving(scope: &Scope, marks: &[Fingerprint]) -> SubjectErasure {
    SubjectErasure {
        recorded_at: at(60),
        subject: mark(scope.subject().as_str(), 0),
        by: mark("by", 1),
        tombstones: tombstones(marks),
    }
}

/// The instant `seconds` after the beginning of 2026.
#[must_use]
pub fn at(seconds: u64) -> Instant {
    Instant::from_micros(1_767_225_600_000_000 + seconds as i64 * 1_000_000)
}

/// A conversation called `reference`.
#[must_use]
pub fn source(reference: &str) -> Source {
    Source {
        kind: SourceKind::parse("conversation").expect("a plain kind"),
        reference: reference.to_owned(),
        title: None,
        authority: Authority::Normal,
        fidelity: Fidelity::VisibleTranscript,
        mode: Mode::Snapshot,
        retention: Retention::Full,
        copy_of: None,
    }
}

/// What the owner said in `source`; the marks are made of `number`.
#[must_use]
pub fn evidence(source: SourceId, text: &str, number: u64) -> Evidence {
    Evidence {
        source,
        author: Author::Owner,
        event_time: Moment::utc(at(number)),
        observed_at: at(number + 1),
        text_bytes: text.len() as u64,
        marks: Marks { external_id: None, moment: mark("moment", number), text: mark("text", number) },
        words: EvidenceWords {
            text: Some(text.to_owned()),
            hash: ContentHash::of(text.as_bytes()),
            external_id: None,
            session: None,
            author_name: None,
            attachments: Vec::new(),
        },
    }
}

/// A fact of the owner's realm on the predicate `likes`, told from others by `number`.
#[must_use]
pub fn fact(number: u64) -> FactRow {
    FactRow { realm: Realm::Owner, predicate: "likes".to_owned(), identity: mark("identity", number) }
}

/// A claim on `fact` that quotes all of `evidence`'s text.
#[must_use]
pub fn claim(fact: FactId, id: EvidenceId, evidence: &Evidence) -> Claim {
    let text = evidence.words.text.as_deref().unwrap_or("nothing");
    let quote = Quote::cut(text, 0, text.len()).expect("a text that is not empty");
    Claim {
        fact,
        evidence: id,
        source: evidence.source,
        author: evidence.author,
        realm: Realm::Owner,
        predicate: "likes".to_owned(),
        op: Op::Assert,
        confidence_permille: 900,
        event_time: evidence.event_time.instant,
        valid_from: None,
        valid_to: None,
        inferred: false,
        policy: "admission/1".to_owned(),
        proposer: "rules/1".to_owned(),
        copy_mark: evidence.marks.text,
        words: ClaimWords {
            entity: EntityRef::owner(),
            value: Some(Stated { value: Value::Text(text.to_owned()), written: text.to_owned() }),
            quotes: Quotes::new(vec![quote]).expect("one quote"),
        },
    }
}

/// The transition that opens a version of `fact` on `claim`.
#[must_use]
pub fn opening(fact: FactId, claim: ClaimId, recorded_at: Instant) -> Transition {
    Transition {
        fact,
        version: VersionId(claim.0),
        kind: TransitionKind::Open,
        cause: claim.0,
        at: recorded_at,
        validity: Span::since(recorded_at),
        standing: Standing::Held,
        attach: vec![claim],
        detach: Vec::new(),
    }
}

/// Append `seq`: a source, and one message of it that opens a fact. The rows stand at the ordinals 0 (source), 1
/// (evidence), 2 (fact), 3 (claim) and 4 (transition); `number` tells the message from others.
#[must_use]
pub fn first_story(seq: Watermark, number: u64) -> Batch {
    let mut rows = vec![Row::Source(source(&format!("conversation {number}")))];
    rows.extend(message(seq, 1, SourceId(Position::new(seq, 0)), number));
    Batch { recorded_at: at(seq), rows }
}

/// Append `seq`: one message of a source that is there, which opens a fact. The rows stand at the ordinals 0 (evidence),
/// 1 (fact), 2 (claim) and 3 (transition).
#[must_use]
pub fn story(seq: Watermark, source: SourceId, number: u64) -> Batch {
    Batch { recorded_at: at(seq), rows: message(seq, 0, source, number) }
}

/// The four rows of a message that opens a fact, the first at `ordinal`.
#[must_use]
pub fn message(seq: Watermark, ordinal: u32, source: SourceId, number: u64) -> Vec<Row> {
    let said = evidence(source, &format!("I like number {number}"), number);
    let place = |more: u32| Position::new(seq, ordinal + more);
    let testimony = claim(FactId(place(1)), EvidenceId(place(0)), &said);
    let opened = opening(FactId(place(1)), ClaimId(place(2)), at(seq));
    vec![Row::Evidence(said), Row::Fact(fact(number)), Row::Claim(testimony.into()), Row::Transition(opened)]
}

/// `batch` under the idempotency key `number`.
#[must_use]
pub fn keyed(number: u64, batch: Batch) -> Keyed {
    Keyed { key: mark("request", number), batch }
}

/// `batch` as append `seq` is read back: positions beside the rows, evidence without its text.
#[must_use]
pub fn as_read(seq: Watermark, batch: &Batch) -> Entry {
    let rows = (0..).zip(&batch.rows).map(|(ordinal, row)| {
        let mut row = row.clone();
        if let Row::Evidence(evidence) = &mut row {
            evidence.words.text = None;
        }
        (Position::new(seq, ordinal), row)
    });
    Entry { seq, recorded_at: batch.recorded_at, rows: rows.collect() }
}

/// A turn with nothing in it but `number`.
#[must_use]
pub fn turn(number: u64) -> TurnRecord {
    TurnRecord {
        recorded_at: at(number),
        as_of: AsOf { valid_at: at(number), believed_at: at(number), watermark: number },
        policy: "turn/2".to_owned(),
        triage: Triage::Retrieve,
        budget: Budget::default(),
        candidates: Vec::new(),
        candidates_cut: 0,
        selected: Vec::new(),
        dropped: Vec::new(),
        disputes: Vec::new(),
        packet_mark: mark("packet", number),
        packet_tokens: 0,
        request_mark: mark("request", number),
    }
}

/// A turn with something in every field; `number` tells it from others.
#[must_use]
pub fn full_turn(number: u64) -> TurnRecord {
    let version = |ordinal| VersionId(Position::new(number, ordinal));
    let features = Features {
        coverage: 667,
        named: true,
        hinted: 1,
        about: u32::MAX,
        repeats: Some(3),
        age_days: 4_000,
        hop: Some(4),
        led_from: Some(2),
    };
    let candidate = |ordinal, dispute| Candidate {
        version: version(ordinal),
        class: Class::Constraint,
        important: true,
        relevance: 999_999,
        tokens: 31,
        support: 2,
        dispute,
        confirmed_at: at(number),
        features,
    };
    TurnRecord {
        policy: "turn/3".to_owned(),
        budget: Budget { slots: 2, tokens: 99 },
        candidates: vec![candidate(1, Some(0)), candidate(2, Some(0)), candidate(3, None)],
        candidates_cut: 7,
        selected: vec![
            Selected { version: version(1), why: Why::Related },
            Selected { version: version(2), why: Why::Dispute },
        ],
        dropped: vec![Dropped { version: version(3), reason: DropReason::EntryCap }],
        disputes: vec![vec![version(1), version(2)]],
        packet_tokens: 98,
        ..turn(number)
    }
}

/// Promotes `to` after `from`; `number` is the instant.
#[must_use]
pub fn policy_act(from: &str, to: &str, number: u64) -> PolicyAct {
    PolicyAct {
        deed: PolicyDeed::Promote,
        from: from.to_owned(),
        to: to.to_owned(),
        reason: format!("measured, number {number}"),
        by: "Ana".to_owned(),
        at: at(number),
    }
}
