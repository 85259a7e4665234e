//! The laws. Each makes its own stores and panics when one does not do what the contract says.

use std::sync::Arc;

use super::{
    Make, MakePlace, Upon, as_read, at, claim, evidence, fact, first_story, full_turn, keyed, leaving,
    lifting, mark, opening, policy_act, record_turn, scope, source, story, tombstones, turn,
};
use crate::claim::{Op, Quote, Quotes, Realm};
use crate::entity::EntityRef;
use crate::evidence::{Attachment, Author, ContentHash, Evidence, EvidenceWords, Marks};
use crate::fact::{Act, ActKind, ActWords, Standing, Transition, TransitionKind};
use crate::id::{ClaimId, EvidenceId, FactId, Kind, Position, SourceId, TurnId, VersionId, Watermark};
use crate::keys::{Fingerprint, Purpose, SubjectKeys};
use crate::log::{Batch, Changes, Entry, Erasure, Lift, Removed, Row, Tombstone};
use crate::proof::ChainHash;
use crate::receipt::{Asked, RowCounts, first_broken};
use crate::scope::Scope;
use crate::source::{Authority, Fidelity, Mode, Retention};
use crate::store::{Appended, Erased, Head, Read, Recognised, RecordedTurn, Rows, Store, StoreErrorKind};
use crate::time::{Instant, Moment, Span, Zone};
use crate::value::{Stated, Value};
use crate::vectors::{ModelIdentity, Placed, Quantised, VectorMark, VectorRow};

fn append(store: &dyn Store, scope: &Scope, basis: Watermark, number: u64, batch: Batch) {
    let appended = store.append(scope, &store.upon(scope, basis), &[keyed(number, batch)]).expect("appended");
    assert_eq!(appended, Appended::Done(basis + 1));
}

/// The appends after `after`.
fn entries(store: &dyn Store, scope: &Scope, after: Watermark) -> Vec<Entry> {
    match store.changes_since(scope, after).expect("changes") {
        Changes::Appended(entries) => entries,
        Changes::Rewritten => panic!("the log was not erased after {after}"),
    }
}

fn watermark(store: &dyn Store, scope: &Scope) -> Watermark {
    store.head(scope).expect("head").watermark
}

fn assert_clean(store: &dyn Store, scope: &Scope) {
    let verified = store.verify(scope).expect("verified");
    assert_eq!(verified.damage, []);
    assert_eq!(verified.appends, watermark(store, scope));
}

/// A log of three appends: a source with a message, then two more messages of it.
fn three_messages(store: &dyn Store, scope: &Scope) -> Vec<Batch> {
    let source = SourceId(Position::new(1, 0));
    let batches = vec![first_story(1, 1), story(2, source, 2), story(3, source, 3)];
    for (basis, batch) in (0..).zip(&batches) {
        append(store, scope, basis, basis + 1, batch.clone());
    }
    batches
}

/// What erases the message of append 2 of [`three_messages`].
fn erasing_the_second() -> Erasure {
    Erasure {
        recorded_at: at(50),
        remove: Removed {
            evidence: vec![Position::new(2, 0)],
            facts: vec![Position::new(2, 1)],
            claims: vec![Position::new(2, 2)],
            transitions: vec![Position::new(2, 3)],
            ..Removed::default()
        },
        tombstones: tombstones(&[mark("moment", 2), mark("text", 2)]),
        ..Erasure::default()
    }
}

/// Appends the act that lifts tombstones.
fn lift(store: &dyn Store, scope: &Scope, basis: Watermark, number: u64, lift: Lift) {
    append(store, scope, basis, number, lifting(number, lift));
}

fn erase(store: &dyn Store, scope: &Scope, basis: Watermark, number: u64, erasure: &Erasure) -> u64 {
    match store.erase(scope, &store.upon(scope, basis), mark("erasure", number), erasure).expect("erased") {
        Erased::Done { watermark, rows, residue } => {
            assert_eq!((watermark, residue), (basis + 1, 0));
            rows
        }
        Erased::BasisMoved(watermark) => panic!("the basis {basis} moved to {watermark}"),
    }
}

fn same_keys(left: &SubjectKeys, right: &SubjectKeys) -> bool {
    let place = Position::new(1, 2);
    left.ids.seal(Kind::Fact, place) == right.ids.seal(Kind::Fact, place)
        && left.fingerprint(Purpose::Text, &[b"a"]) == right.fingerprint(Purpose::Text, &[b"a"])
}

/// Reads of a subject that was never written find nothing, and found nothing.
pub fn a_subject_never_heard_of_is_empty(make: Make<'_>) {
    let store = make();
    let nobody = scope("nobody");
    let one = EvidenceId(Position::new(1, 0));
    let marks = evidence(SourceId(Position::new(1, 0)), "words", 1).marks;
    assert!(store.keys(&nobody).expect("keys").is_none());
    assert_eq!(store.head(&nobody).expect("head"), Head::default());
    assert_eq!(store.changes_since(&nobody, 0).expect("changes"), Changes::Appended(Vec::new()));
    assert_eq!(store.changes_since(&nobody, 7).expect("changes"), Changes::Appended(Vec::new()));
    assert_eq!(store.recognise(&nobody, &[marks, marks]).expect("recognised"), [Recognised::New; 2]);
    assert_eq!(store.forgotten(&nobody, &[marks.moment]).expect("forgotten"), [false]);
    assert_eq!(store.evidence(&nobody, &[one, one]).expect("evidence"), [None, None]);
    assert_eq!(store.evidence_after(&nobody, None, 10).expect("evidence"), []);
    assert_eq!(store.turn(&nobody, TurnId(Position::new(1, 0))).expect("turn"), None);
    assert!(!store.record_use(&nobody, TurnId(Position::new(1, 0)), &[0], at(1)).expect("use"));
    assert_eq!(
        store.append(&nobody, &store.upon(&nobody, 3), &[keyed(1, first_story(4, 1))]).expect("answer"),
        Appended::BasisMoved(0)
    );
    assert_clean(&*store, &nobody);
    assert_eq!(store.subjects().expect("subjects"), []);
    assert!(store.keys(&nobody).expect("keys").is_none());
}

/// A subject's keys are its own and stay the same.
pub fn founding_a_subject_twice_gives_the_same_keys(make: Make<'_>) {
    let store = make();
    let (ana, ben) = (scope("ana"), scope("ben"));
    let first = store.found(&ana).expect("keys");
    let second = store.found(&ana).expect("keys");
    assert!(same_keys(&first, &second));
    assert!(store.keys(&ana).expect("keys").is_some_and(|keys| same_keys(&keys, &first)));
    let other = store.found(&ben).expect("keys");
    assert_eq!(other.ids.open(&first.ids.seal(Kind::Claim, Position::new(1, 1))), None);
    assert_ne!(first.fingerprint(Purpose::Text, &[b"a"]), other.fingerprint(Purpose::Text, &[b"a"]));
    assert_eq!(store.subjects().expect("subjects"), [ana.subject().clone(), ben.subject().clone()]);
    assert_eq!(watermark(&*store, &ana), 0);
}

/// An append comes back as it was, in order, and makes the subject known.
pub fn what_is_appended_is_read_back(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let batches = three_messages(&*store, &ana);
    let expected: Vec<Entry> = (1..).zip(&batches).map(|(seq, batch)| as_read(seq, batch)).collect();
    assert_eq!(entries(&*store, &ana, 0), expected);
    let head = store.head(&ana).expect("head");
    assert_eq!((head.watermark, head.recorded_at), (3, at(3)));
    let ids: Vec<EvidenceId> =
        [(2, 0), (1, 1), (9, 9), (1, 0)].map(|(seq, row)| EvidenceId(Position::new(seq, row))).into();
    let found = store.evidence(&ana, &ids).expect("evidence");
    let whole = |batch: &Batch, row: usize| match &batch.rows[row] {
        Row::Evidence(evidence) => Some(evidence.clone()),
        _ => None,
    };
    assert_eq!(found, [whole(&batches[1], 0), whole(&batches[0], 1), None, None]);
    assert!(store.keys(&ana).expect("keys").is_some());
    assert_eq!(store.subjects().expect("subjects"), [ana.subject().clone()]);
    assert_clean(&*store, &ana);
}

/// Every field of every kind of row survives, whatever stands in it.
pub fn every_kind_of_row_comes_back_as_it_was(make: Make<'_>) {
    let store = make();
    let ana = scope("ana \u{1F33B} Žana");
    let batch = Batch { recorded_at: Instant::MIN, rows: rows_of_every_kind() };
    append(&*store, &ana, 0, 1, batch.clone());
    assert_eq!(entries(&*store, &ana, 0), [as_read(1, &batch)]);
    for (ordinal, row) in (0..).zip(&batch.rows) {
        let id = EvidenceId(Position::new(1, ordinal));
        let expected = match row {
            Row::Evidence(evidence) => Some(evidence.clone()),
            _ => None,
        };
        assert_eq!(store.evidence(&ana, &[id]).expect("evidence"), [expected]);
    }
    assert_eq!(store.subjects().expect("subjects"), [ana.subject().clone()]);
    assert_clean(&*store, &ana);
}

/// One row for every word of every closed list, with every optional field both there and not.
fn rows_of_every_kind() -> Vec<Row> {
    let mut rows = vec![Row::Source(source("origin"))];
    let origin = SourceId(Position::new(1, 0));
    for fidelity in Fidelity::ALL {
        for authority in Authority::ALL {
            rows.push(Row::Source(crate::source::Source {
                title: Some("Nàslov \u{0}\u{10FFFF}'\"--;".to_owned()),
                authority: *authority,
                fidelity: *fidelity,
                mode: Mode::Living,
                retention: Retention::Quotes,
                copy_of: Some(origin),
                ..source(&format!("{authority} {fidelity}"))
            }));
        }
    }
    let mut number = 0;
    for author in Author::ALL {
        for full in [false, true] {
            number += 1;
            let text = "x".repeat(if full { 100_000 } else { 3 });
            let mut said = Evidence { author: *author, ..evidence(origin, &text, number) };
            if full {
                let zone = Zone::parse("Europe/Zagreb").expect("a known zone");
                said.event_time = Moment { instant: Instant::MAX, zone };
                said.marks.external_id = Some(mark("external", number));
                said.words.external_id = Some("m/1".to_owned());
                said.words.session = Some("session".to_owned());
                said.words.author_name = Some("Ana Anić".to_owned());
                let hash = Some(ContentHash::of(b"picture"));
                let picture = |hash| Attachment {
                    name: "cat.png".to_owned(),
                    media_type: "image/png".to_owned(),
                    bytes: u64::from(u32::MAX) + 1,
                    hash,
                };
                said.words.attachments = vec![picture(hash), picture(None)];
            } else {
                said.words.text = None;
            }
            rows.push(Row::Evidence(said));
        }
    }
    let said = evidence(origin, "Možda ću doći; I like tea and cake", 90);
    let text = said.words.text.clone().unwrap_or_default();
    let evidence_id = EvidenceId(Position::new(1, rows.len() as u32));
    rows.push(Row::Evidence(said.clone()));
    let fact_id = FactId(Position::new(1, rows.len() as u32));
    rows.push(Row::Fact(fact(1)));
    rows.push(Row::Fact(crate::fact::FactRow { realm: Realm::World, ..fact(2) }));
    let mut claims = Vec::new();
    for op in Op::ALL {
        for count in 1..=3 {
            let quotes = [(0, 6), (7, 10), (0, text.len())].into_iter().take(count);
            let quotes = quotes.map(|(start, end)| Quote::cut(&text, start, end).expect("whole characters"));
            let mut testimony = claim(fact_id, evidence_id, &said);
            testimony.op = *op;
            testimony.words.quotes = Quotes::new(quotes.collect()).expect("one to three");
            testimony.inferred = count > 1;
            testimony.words.entity = EntityRef::parse("project:alpha").expect("an entity");
            testimony.words.value = (count < 3)
                .then(|| Stated { value: Value::Boolean(count == 1), written: "yes \u{202E}".to_owned() });
            testimony.valid_from = (count == 2).then_some(Instant::MIN);
            testimony.valid_to = (count == 2).then_some(Instant::MAX);
            testimony.confidence_permille = if count == 1 { 0 } else { 1_000 };
            claims.push(ClaimId(Position::new(1, rows.len() as u32)));
            rows.push(Row::Claim(testimony.into()));
        }
    }
    let source = origin;
    let acts = [
        ActKind::ResolveDispute { fact: fact_id, keep: claims.clone() },
        ActKind::NewEdition { source, edition: evidence_id, dropped: Vec::new(), restored: claims.clone() },
        ActKind::Withdraw { source },
        ActKind::Reinstate { source },
        ActKind::Forget {
            asked: Asked::Messages,
            rows: RowCounts { sources: 1, claims: 300, ..RowCounts::default() },
        },
        ActKind::Lift(Lift::Marks(vec![mark("never laid", 1)])),
        ActKind::Lift(Lift::Source(mark("never laid", 2))),
    ];
    for kind in acts {
        let words = ActWords { reason: "jer je tako".to_owned(), by: "ana".to_owned() };
        rows.push(Row::Act(Act { at: at(5), kind, words }));
    }
    for kind in TransitionKind::ALL {
        for standing in Standing::ALL {
            let to = (*standing == Standing::Retired).then_some(Instant::MAX);
            rows.push(Row::Transition(Transition {
                kind: *kind,
                standing: *standing,
                validity: Span::new(Instant::MIN, to).expect("in order"),
                version: VersionId(Position::new(7, 7)),
                attach: claims.iter().rev().copied().take(2).collect(),
                detach: claims.iter().copied().take(3).collect(),
                ..opening(fact_id, claims[0], at(6))
            }));
        }
    }
    rows.push(Row::Transition(Transition { attach: Vec::new(), ..opening(fact_id, claims[0], at(6)) }));
    rows
}

/// Who read too early is told so, and nothing changes.
pub fn an_append_at_another_basis_is_refused(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let before = entries(&*store, &ana, 0);
    for basis in [0, 1, 2, 4, 99] {
        let late = keyed(10 + basis, first_story(basis + 1, 10));
        assert_eq!(
            store.append(&ana, &store.upon(&ana, basis), &[late]).expect("answer"),
            Appended::BasisMoved(3)
        );
    }
    assert_eq!(entries(&*store, &ana, 0), before);
    append(&*store, &ana, 3, 10, first_story(4, 10));
    assert_clean(&*store, &ana);
}

/// A request that came before is answered with its append, at whatever basis.
pub fn a_known_key_is_answered_and_not_appended(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    for basis in [0, 3, 99] {
        let again = keyed(2, story(basis + 1, SourceId(Position::new(1, 0)), 2));
        assert_eq!(
            store.append(&ana, &store.upon(&ana, basis), &[again]).expect("answer"),
            Appended::Known(vec![Some(2)])
        );
    }
    let source = SourceId(Position::new(1, 0));
    let group = [keyed(9, story(4, source, 9)), keyed(3, story(5, source, 3))];
    assert_eq!(
        store.append(&ana, &store.upon(&ana, 3), &group).expect("answer"),
        Appended::Known(vec![None, Some(3)])
    );
    assert_eq!(watermark(&*store, &ana), 3);
    // A key belongs to its subject.
    append(&*store, &scope("ben"), 0, 2, first_story(1, 2));
}

/// The batches of a group follow one another, and none is there without the others.
pub fn a_group_is_taken_whole_or_not_at_all(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let source = SourceId(Position::new(1, 0));
    let group = [keyed(1, first_story(1, 1)), keyed(2, story(2, source, 2)), keyed(3, story(3, source, 3))];
    assert_eq!(store.append(&ana, &Head::default(), &group).expect("appended"), Appended::Done(3));
    let expected: Vec<Entry> = (1..).zip(&group).map(|(seq, keyed)| as_read(seq, &keyed.batch)).collect();
    assert_eq!(entries(&*store, &ana, 0), expected);
    let more = [keyed(4, story(4, source, 4)), keyed(2, story(5, source, 5))];
    assert_eq!(
        store.append(&ana, &store.upon(&ana, 3), &more).expect("answer"),
        Appended::Known(vec![None, Some(2)])
    );
    assert_eq!(
        store.append(&ana, &store.upon(&ana, 2), &more[..1]).expect("answer"),
        Appended::BasisMoved(3)
    );
    assert_eq!(watermark(&*store, &ana), 3);
    assert_clean(&*store, &ana);
}

/// A group that would record two appends under one key is refused.
pub fn two_batches_of_a_group_have_two_keys(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let source = SourceId(Position::new(1, 0));
    let group = [keyed(1, first_story(1, 1)), keyed(1, story(2, source, 2))];
    let refused = store.append(&ana, &Head::default(), &group).expect_err("refused");
    assert_eq!(refused.kind(), StoreErrorKind::Contract);
    assert_eq!(watermark(&*store, &ana), 0);
}

/// Nothing to append is appended without complaint.
pub fn empty_groups_and_batches_are_taken(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    assert_eq!(store.append(&ana, &Head::default(), &[]).expect("appended"), Appended::Done(0));
    let nothing = Batch { recorded_at: at(1), rows: Vec::new() };
    append(&*store, &ana, 0, 1, nothing.clone());
    assert_eq!(entries(&*store, &ana, 0), [as_read(1, &nothing)]);
    assert_eq!(store.append(&ana, &Head::default(), &[]).expect("answer"), Appended::BasisMoved(1));
    assert_clean(&*store, &ana);
}

/// From each watermark on, exactly what came after it.
pub fn changes_are_those_after_the_watermark(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let batches = three_messages(&*store, &ana);
    let all: Vec<Entry> = (1..).zip(&batches).map(|(seq, batch)| as_read(seq, batch)).collect();
    for after in 0..5 {
        let expected = all.get(after..).unwrap_or_default();
        assert_eq!(entries(&*store, &ana, after as Watermark), expected);
    }
}

/// Who asks for messages, or for those of a source, is handed all of them, in the order of the log, and perhaps more.
pub fn messages_are_read_without_the_rest(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    append(&*store, &ana, 3, 4, first_story(4, 4));
    let read = |rows: Rows, of: Option<SourceId>| {
        let mut found = Vec::new();
        let read = store.read_changes(&ana, 0, rows, &mut |entry| {
            found.extend(entry.rows.into_iter().filter(|(_, row)| match row {
                Row::Evidence(evidence) => of.is_none_or(|of| evidence.source == of),
                _ => false,
            }));
        });
        assert_eq!(read.expect("read"), Read::Whole);
        found
    };
    let all = read(Rows::All, None);
    assert_eq!(all.len(), 4);
    assert_eq!(read(Rows::Messages, None), all);
    for (seq, messages) in [(1, 3), (4, 1)] {
        let source = SourceId(Position::new(seq, 0));
        let of_source = read(Rows::MessagesOf(source), Some(source));
        assert_eq!((of_source.len(), &of_source), (messages, &read(Rows::All, Some(source))));
    }
}

/// Whatever is asked of one subject, another's memory does not show, and is not touched.
pub fn subjects_do_not_see_each_other(make: Make<'_>) {
    let store = make();
    let (ana, ben) = (scope("ana"), scope("ben"));
    three_messages(&*store, &ana);
    let recorded = record_turn(&*store, &ana, mark("turn", 1), &turn(1)).expect("recorded");
    let before = entries(&*store, &ana, 0);
    for founded in [false, true] {
        if founded {
            append(&*store, &ben, 0, 1, Batch { recorded_at: at(1), rows: Vec::new() });
        }
        let ids = [EvidenceId(Position::new(1, 1)), EvidenceId(Position::new(2, 0))];
        let marks = evidence(SourceId(Position::new(1, 0)), "", 2).marks;
        assert_eq!(store.evidence(&ben, &ids).expect("evidence"), [None, None]);
        assert_eq!(store.evidence_after(&ben, None, 10).expect("evidence"), []);
        assert_eq!(store.recognise(&ben, &[marks]).expect("recognised"), [Recognised::New]);
        assert_eq!(store.turn(&ben, recorded).expect("turn"), None);
        assert!(!store.record_use(&ben, recorded, &[0], at(1)).expect("use"));
        assert_eq!(watermark(&*store, &ben), u64::from(founded));
        assert_eq!(entries(&*store, &ben, 0).iter().map(|entry| entry.rows.len()).sum::<usize>(), 0);
        assert_clean(&*store, &ben);
    }
    // The same places of another subject: nothing is there to erase.
    assert_eq!(erase(&*store, &ben, 1, 1, &erasing_the_second()), 0);
    let marks = [mark("moment", 2), mark("text", 2)];
    assert_eq!(store.forgotten(&ben, &marks).expect("forgotten"), [true, true]);
    assert_eq!(store.forgotten(&ana, &marks).expect("forgotten"), [false, false]);
    assert_eq!(store.tombstones(&ben, &Lift::Everything).expect("counted"), 2);
    assert_eq!(store.tombstones(&ana, &Lift::Everything).expect("counted"), 0);
    assert_eq!(entries(&*store, &ana, 0), before);
    let basis = watermark(&*store, &ana);
    lift(&*store, &ana, basis, 900, Lift::Everything);
    assert_eq!(store.forgotten(&ben, &marks).expect("forgotten"), [true, true]);
    store.erase_subject(&ben, &leaving(&ben, &[mark("moment", 3)])).expect("erased");
    assert_eq!(store.forgotten(&ana, &[mark("moment", 3)]).expect("forgotten"), [false]);
    assert_eq!(entries(&*store, &ana, 0)[..before.len()], before);
    assert_eq!(store.turn(&ana, recorded).expect("turn"), Some((turn(1), Vec::new())));
    assert_eq!(store.subjects().expect("subjects"), [ana.subject().clone()]);
    assert_clean(&*store, &ana);
}

/// A message is known by its moment or by its source's id for it, and not by its text alone.
pub fn a_message_is_recognised_by_its_marks(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let source_id = SourceId(Position::new(1, 0));
    let mut with_id = evidence(source_id, "one", 1);
    with_id.marks.external_id = Some(mark("external", 1));
    let rows = vec![
        Row::Source(source("talk")),
        Row::Evidence(with_id.clone()),
        Row::Evidence(evidence(source_id, "two", 2)),
    ];
    append(&*store, &ana, 0, 1, Batch { recorded_at: at(1), rows });
    let new = |number| evidence(source_id, "", number).marks;
    let known = |ordinal| Recognised::Known(EvidenceId(Position::new(1, ordinal)));
    let table: [(Marks, Recognised); 7] = [
        (with_id.marks, known(1)),
        (Marks { moment: mark("moment", 99), ..with_id.marks }, known(1)),
        (Marks { external_id: None, ..with_id.marks }, known(1)),
        (Marks { external_id: Some(mark("external", 9)), ..new(2) }, known(2)),
        (Marks { text: mark("text", 2), ..new(7) }, Recognised::New),
        (Marks { external_id: Some(mark("external", 9)), ..new(7) }, Recognised::New),
        (new(7), Recognised::New),
    ];
    let (marks, expected): (Vec<Marks>, Vec<Recognised>) = table.into_iter().unzip();
    assert_eq!(store.recognise(&ana, &marks).expect("recognised"), expected);
    assert_eq!(store.recognise(&ana, &[]).expect("recognised"), []);
}

/// When two messages match, the one that came first is meant.
pub fn the_first_of_two_matches_is_recognised(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let source_id = SourceId(Position::new(1, 0));
    let said = |number, external| {
        let mut said = evidence(source_id, "words", number);
        said.marks.external_id = Some(mark("external", external));
        Row::Evidence(said)
    };
    let rows = vec![Row::Source(source("talk")), said(1, 1), said(2, 2), said(1, 3)];
    append(&*store, &ana, 0, 1, Batch { recorded_at: at(1), rows });
    let asked = |moment, external| Marks {
        external_id: Some(mark("external", external)),
        moment: mark("moment", moment),
        text: mark("text", 0),
    };
    let marks = [asked(1, 3), asked(2, 1), asked(1, 2), asked(9, 3)];
    let known = |ordinal| Recognised::Known(EvidenceId(Position::new(1, ordinal)));
    assert_eq!(store.recognise(&ana, &marks).expect("recognised"), [known(1), known(1), known(1), known(3)]);
}

/// What was forgotten is not learnt again until its tombstones are lifted.
pub fn tombstones_bar_and_can_be_lifted(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    erase(&*store, &ana, 3, 1, &erasing_the_second());
    let second = evidence(SourceId(Position::new(1, 0)), "", 2).marks;
    let by_text_alone = Marks { moment: mark("moment", 77), ..second };
    let first = evidence(SourceId(Position::new(1, 0)), "", 1).marks;
    let asked = [second, by_text_alone, first];
    let known = Recognised::Known(EvidenceId(Position::new(1, 1)));
    let barred = [Recognised::Forgotten, Recognised::Forgotten, known];
    assert_eq!(store.recognise(&ana, &asked).expect("recognised"), barred);
    let marks = [second.moment, second.text, first.moment];
    assert_eq!(store.forgotten(&ana, &marks).expect("forgotten"), [true, true, false]);
    let some = Lift::Marks(vec![second.text, mark("never", 1)]);
    assert_eq!(store.tombstones(&ana, &some).expect("counted"), 1);
    lift(&*store, &ana, 4, 5, some.clone());
    assert_eq!(store.forgotten(&ana, &marks).expect("forgotten"), [true, false, false]);
    assert_eq!(store.tombstones(&ana, &some).expect("counted"), 0);
    lift(&*store, &ana, 5, 6, Lift::Marks(vec![second.moment]));
    assert_eq!(store.recognise(&ana, &asked).expect("recognised"), [Recognised::New, Recognised::New, known]);
    assert_eq!(store.tombstones(&scope("nobody"), &Lift::Everything).expect("counted"), 0);
    assert_clean(&*store, &ana);
}

/// Tombstones are lifted by their source, or all of a subject; a lift that was not appended lifts nothing.
pub fn tombstones_are_lifted_by_their_source(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let (other, whole) = (mark("source", 2), mark("source", 3));
    let mut erasure = erasing_the_second();
    erasure.tombstones.push(Tombstone { source: other, mark: mark("moment", 70) });
    erasure.tombstones.push(Tombstone { source: whole, mark: whole });
    erase(&*store, &ana, 3, 1, &erasure);
    let marks = [mark("moment", 2), mark("text", 2), mark("moment", 70), whole];
    let barred = || store.forgotten(&ana, &marks).expect("forgotten");
    assert_eq!(barred(), [true; 4]);
    let late = keyed(5, lifting(5, Lift::Everything));
    assert_eq!(store.append(&ana, &store.upon(&ana, 3), &[late]).expect("answered"), Appended::BasisMoved(4));
    assert_eq!(barred(), [true; 4]);
    assert_eq!(store.tombstones(&ana, &Lift::Source(mark("source", 1))).expect("counted"), 2);
    lift(&*store, &ana, 4, 6, Lift::Source(mark("source", 1)));
    assert_eq!(barred(), [false, false, true, true]);
    lift(&*store, &ana, 5, 7, Lift::Source(whole));
    assert_eq!(barred(), [false, false, true, false]);
    // What a subject that is gone left behind is lifted in its next life.
    store.erase_subject(&ana, &leaving(&ana, &[mark("moment", 3)])).expect("erased");
    assert_eq!(store.tombstones(&ana, &Lift::Everything).expect("counted"), 2);
    lift(&*store, &ana, 0, 8, Lift::Everything);
    assert_eq!(store.tombstones(&ana, &Lift::Everything).expect("counted"), 0);
    assert_clean(&*store, &ana);
}

/// An erasure's act stands in its append, and the chain's hash of an append never changes.
pub fn an_erasure_is_told_of_by_its_act(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let hashes = |seqs: std::ops::RangeInclusive<u64>| -> Vec<Option<ChainHash>> {
        seqs.map(|seq| store.chain(&ana, seq).expect("a hash")).collect()
    };
    let before = hashes(1..=3);
    assert!(before.iter().all(Option::is_some));
    let mut erasure = erasing_the_second();
    let rows = erasure.rows();
    assert_eq!((rows.evidence, rows.claims, rows.total()), (1, 1, 4));
    let act = Act {
        at: at(50),
        kind: ActKind::Forget { asked: Asked::Ids, rows },
        words: ActWords { reason: String::new(), by: "owner".to_owned() },
    };
    erasure.record = Some(act.clone());
    assert_eq!(erase(&*store, &ana, 3, 1, &erasure), rows.total());
    assert_eq!(entries(&*store, &ana, 0)[3].rows, [(Position::new(4, 0), Row::Act(act))]);
    let erased = store.chain(&ana, 4).expect("a hash");
    append(&*store, &ana, 4, 9, story(5, SourceId(Position::new(1, 0)), 9));
    erase(&*store, &ana, 5, 2, &Erasure { recorded_at: at(51), ..Erasure::default() });
    assert_eq!(hashes(1..=3), before);
    assert_eq!(hashes(4..=4), [erased]);
    assert_eq!(hashes(0..=0), [None]);
    assert_eq!(hashes(7..=7), [None]);
    assert_eq!(store.chain(&scope("nobody"), 1).expect("a hash"), None);
    assert_clean(&*store, &ana);
}

/// Of each subject that was destroyed a record stays, chained to those before it.
pub fn destroyed_subjects_leave_a_record_each(make: Make<'_>) {
    let store = make();
    let (ana, ben) = (scope("ana"), scope("ben"));
    three_messages(&*store, &ana);
    append(&*store, &ben, 0, 1, first_story(1, 1));
    let tips = [store.chain(&ana, 3).expect("a hash"), store.chain(&ben, 1).expect("a hash")];
    assert_eq!(store.destructions().expect("records"), []);
    for scope in [&ana, &ben] {
        store.erase_subject(scope, &leaving(scope, &[])).expect("erased");
    }
    // Nobody who never was is recorded, nor anybody twice.
    for scope in [&ana, &scope("nobody")] {
        store.erase_subject(scope, &leaving(scope, &[])).expect("erased");
    }
    let records = store.destructions().expect("records");
    assert_eq!(first_broken(&records), None);
    let told: Vec<(u64, Fingerprint, u64, Option<ChainHash>, u64)> = records
        .iter()
        .map(|one| (one.number, one.subject, one.watermark, Some(one.tip), one.rows.total()))
        .collect();
    assert_eq!(told, [(1, mark("ana", 0), 3, tips[0], 13), (2, mark("ben", 0), 1, tips[1], 5)]);
    assert_eq!((records[0].by, records[0].at, records[0].rows.claims), (mark("by", 1), at(60), 3));
    // The next life of the same name ends in a record of its own.
    append(&*store, &ana, 0, 1, first_story(1, 1));
    store.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    let again = store.destructions().expect("records");
    assert_eq!(again[..2], records);
    assert_eq!((again.len(), again[2].subject, first_broken(&again)), (3, mark("ana", 0), None));
}

/// The key of marks is there before the subject and after it, and is its keys' own.
pub fn marks_outlive_their_subject(make: Make<'_>) {
    let store = make();
    let (ana, ben) = (scope("ana"), scope("ben"));
    let marked = |scope: &Scope| store.blind(scope).expect("a key").source("note", "x");
    let before = marked(&ana);
    let keys = store.found(&ana).expect("keys");
    assert_eq!(keys.fingerprint(Purpose::Source, &[b"note", b"x"]), before);
    store.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    assert_eq!(marked(&ana), before);
    assert_ne!(marked(&ben), before);
}

/// Evidence comes in pages, in the order of the log, whole.
pub fn evidence_is_read_by_page(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let source_id = SourceId(Position::new(1, 0));
    let mut expected = Vec::new();
    for seq in 1..=4 {
        let mut rows = vec![Row::Source(source(&format!("talk {seq}")))];
        for ordinal in 1..=300 {
            let said =
                evidence(source_id, &format!("message {seq} {ordinal}"), seq * 1_000 + u64::from(ordinal));
            expected.push((EvidenceId(Position::new(seq, ordinal)), said.clone()));
            rows.push(Row::Evidence(said));
        }
        append(&*store, &ana, seq - 1, seq, Batch { recorded_at: at(seq), rows });
    }
    for limit in [0, 1, 7, 299, 300, 301, 1_199, 1_200, 5_000] {
        let page = store.evidence_after(&ana, None, limit).expect("evidence");
        assert_eq!(page, expected[..limit.min(expected.len())]);
    }
    let mut read = Vec::new();
    let mut after = None;
    loop {
        let page = store.evidence_after(&ana, after, 77).expect("evidence");
        let Some((last, _)) = page.last() else { break };
        after = Some(last.0);
        read.extend(page);
    }
    assert_eq!(read, expected);
    assert_eq!(
        store.evidence_after(&ana, Some(Position::new(2, u32::MAX)), 1).expect("evidence"),
        expected[600..601]
    );
}

/// A row taken out is in no answer, the others stand, and the chain accounts for what is missing.
pub fn an_erased_row_is_gone(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let batches = three_messages(&*store, &ana);
    assert_eq!(erase(&*store, &ana, 3, 1, &erasing_the_second()), 4);
    let empty = Batch { recorded_at: at(2), rows: Vec::new() };
    let erasure = Batch { recorded_at: at(50), rows: Vec::new() };
    let expected =
        [as_read(1, &batches[0]), as_read(2, &empty), as_read(3, &batches[2]), as_read(4, &erasure)];
    assert_eq!(entries(&*store, &ana, 0), expected);
    let ids = [EvidenceId(Position::new(2, 0)), EvidenceId(Position::new(3, 0))];
    let found = store.evidence(&ana, &ids).expect("evidence");
    assert!(found[0].is_none() && found[1].is_some());
    assert_eq!(store.evidence_after(&ana, None, 10).expect("evidence").len(), 2);
    let head = store.head(&ana).expect("head");
    assert_eq!((head.watermark, head.recorded_at), (4, at(50)));
    let verified = store.verify(&ana).expect("verified");
    assert_eq!((verified.appends, verified.rows, verified.erased, verified.damage.len()), (4, 9, 4, 0));
    // What is not there cannot be erased, and says so.
    assert_eq!(erase(&*store, &ana, 4, 2, &Erasure { tombstones: Vec::new(), ..erasing_the_second() }), 0);
    append(&*store, &ana, 5, 9, story(6, SourceId(Position::new(1, 0)), 9));
    assert_clean(&*store, &ana);
}

/// Whoever derived something from what was before learns that it must be derived anew.
pub fn an_erasure_is_told_to_those_who_read_before(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    erase(&*store, &ana, 3, 1, &erasing_the_second());
    for after in 1..=3 {
        assert_eq!(store.changes_since(&ana, after).expect("changes"), Changes::Rewritten);
    }
    assert_eq!(entries(&*store, &ana, 0).len(), 4);
    assert_eq!(entries(&*store, &ana, 4), []);
    append(&*store, &ana, 4, 9, story(5, SourceId(Position::new(1, 0)), 9));
    assert_eq!(store.changes_since(&ana, 3).expect("changes"), Changes::Rewritten);
    assert_eq!(entries(&*store, &ana, 4).len(), 1);
}

/// An erasure planned on an older log is not carried out.
pub fn an_erasure_at_another_basis_changes_nothing(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let before = entries(&*store, &ana, 0);
    for basis in [0, 2, 4] {
        let erased = store
            .erase(&ana, &store.upon(&ana, basis), mark("erasure", 1), &erasing_the_second())
            .expect("answer");
        assert_eq!(erased, Erased::BasisMoved(3));
    }
    assert_eq!(entries(&*store, &ana, 0), before);
    assert_eq!(store.forgotten(&ana, &[mark("moment", 2)]).expect("forgotten"), [false]);
}

/// The same erasure sent twice is one erasure.
pub fn an_erasure_is_carried_out_once(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    erase(&*store, &ana, 3, 1, &erasing_the_second());
    append(&*store, &ana, 4, 9, story(5, SourceId(Position::new(1, 0)), 9));
    let again =
        store.erase(&ana, &store.upon(&ana, 3), mark("erasure", 1), &erasing_the_second()).expect("answer");
    assert_eq!(again, Erased::Done { watermark: 4, rows: 0, residue: 0 });
    assert_eq!(watermark(&*store, &ana), 5);
}

/// Evidence can be cut down to some of its words, and the chain still verifies.
pub fn reduced_evidence_keeps_what_it_is_told_to(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let id = EvidenceId(Position::new(2, 0));
    let whole = store.evidence(&ana, &[id]).expect("evidence").remove(0).expect("there");
    let words = EvidenceWords { text: None, hash: ContentHash([0; 32]), ..whole.words.clone() };
    let missing = EvidenceId(Position::new(8, 8));
    let erasure = Erasure {
        recorded_at: at(50),
        reduce: vec![(id, words.clone()), (missing, words.clone())],
        ..Erasure::default()
    };
    assert_eq!(erase(&*store, &ana, 3, 1, &erasure), 1);
    let reduced = Evidence { words, ..whole };
    assert_eq!(store.evidence(&ana, &[id]).expect("evidence"), [Some(reduced.clone())]);
    assert_eq!(entries(&*store, &ana, 0)[1].rows[0], (id.0, Row::Evidence(reduced.clone())));
    assert_clean(&*store, &ana);
    // Once more, with words again: what was committed to by the first erasure is orphaned by the second.
    let words = EvidenceWords { session: Some("kept".to_owned()), ..reduced.words.clone() };
    let erasure = Erasure { recorded_at: at(51), reduce: vec![(id, words.clone())], ..Erasure::default() };
    assert_eq!(erase(&*store, &ana, 4, 2, &erasure), 1);
    assert_eq!(store.evidence(&ana, &[id]).expect("evidence"), [Some(Evidence { words, ..reduced })]);
    let verified = store.verify(&ana).expect("verified");
    assert_eq!((verified.erased, verified.damage.len()), (2, 0));
    // And then altogether.
    assert_eq!(erase(&*store, &ana, 5, 3, &erasing_the_second()), 4);
    assert_clean(&*store, &ana);
}

/// The history an erasure tells anew stands in the erasure's append, behind what it reduced.
pub fn rewritten_transitions_stand_in_the_erasure(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let id = EvidenceId(Position::new(2, 0));
    let whole = store.evidence(&ana, &[id]).expect("evidence").remove(0).expect("there");
    let words = EvidenceWords { text: None, ..whole.words };
    let fact = FactId(Position::new(3, 1));
    let told =
        Transition { kind: TransitionKind::Reopen, ..opening(fact, ClaimId(Position::new(3, 2)), at(3)) };
    let erasure = Erasure {
        recorded_at: at(50),
        remove: Removed { transitions: vec![Position::new(3, 3)], ..Removed::default() },
        reduce: vec![(id, words)],
        rewrite: vec![told.clone(), Transition { kind: TransitionKind::Confirm, ..told.clone() }],
        ..Erasure::default()
    };
    assert_eq!(erase(&*store, &ana, 3, 1, &erasure), 2);
    let rows = entries(&*store, &ana, 0).remove(3).rows;
    let again = Transition { kind: TransitionKind::Confirm, ..told.clone() };
    let expected =
        [(Position::new(4, 1), Row::Transition(told)), (Position::new(4, 2), Row::Transition(again))];
    assert_eq!(rows, expected);
    assert_clean(&*store, &ana);
}

/// A source goes with its key, the other sources stay readable, and its name may be used again.
pub fn an_erased_source_can_come_again(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    append(&*store, &ana, 0, 1, first_story(1, 1));
    append(&*store, &ana, 1, 2, first_story(2, 2));
    let erasure = Erasure {
        recorded_at: at(50),
        remove: Removed {
            sources: vec![Position::new(1, 0)],
            evidence: vec![Position::new(1, 1)],
            facts: vec![Position::new(1, 2)],
            claims: vec![Position::new(1, 3)],
            transitions: vec![Position::new(1, 4)],
            ..Removed::default()
        },
        shred: vec![SourceId(Position::new(1, 0))],
        ..Erasure::default()
    };
    assert_eq!(erase(&*store, &ana, 2, 1, &erasure), 5);
    assert_eq!(entries(&*store, &ana, 0)[1], as_read(2, &first_story(2, 2)));
    assert!(store.evidence(&ana, &[EvidenceId(Position::new(2, 1))]).expect("evidence")[0].is_some());
    append(&*store, &ana, 3, 3, first_story(4, 1));
    assert_eq!(entries(&*store, &ana, 3), [as_read(4, &first_story(4, 1))]);
    assert_clean(&*store, &ana);
}

/// Of a forgotten subject nothing can be read, and what must not be learnt again is still known.
pub fn a_forgotten_subject_leaves_only_tombstones(make: Make<'_>) {
    let store = make();
    let (ana, ben) = (scope("ana"), scope("ben"));
    three_messages(&*store, &ana);
    three_messages(&*store, &ben);
    erase(&*store, &ana, 3, 1, &erasing_the_second());
    let keys = store.keys(&ana).expect("keys").expect("there");
    let recorded = record_turn(&*store, &ana, mark("turn", 1), &turn(1)).expect("recorded");
    let erased = store.erase_subject(&ana, &leaving(&ana, &[mark("moment", 1)])).expect("erased");
    assert_eq!(erased, Erased::Done { watermark: 0, rows: 9, residue: 0 });
    assert!(store.keys(&ana).expect("keys").is_none());
    assert_eq!(store.head(&ana).expect("head"), Head::default());
    assert_eq!(entries(&*store, &ana, 0), []);
    assert_eq!(store.evidence_after(&ana, None, 10).expect("evidence"), []);
    assert_eq!(store.turn(&ana, recorded).expect("turn"), None);
    assert_eq!(store.subjects().expect("subjects"), [ben.subject().clone()]);
    let marks = [mark("moment", 1), mark("moment", 2), mark("text", 2), mark("moment", 3)];
    assert_eq!(store.forgotten(&ana, &marks).expect("forgotten"), [true, true, true, false]);
    assert_eq!(
        store.erase_subject(&ana, &leaving(&ana, &[mark("moment", 3)])).expect("erased"),
        Erased::Done { watermark: 0, rows: 0, residue: 0 }
    );
    assert_eq!(store.forgotten(&ana, &marks).expect("forgotten"), [true; 4]);
    // The tombstones were made with keys of the name, so they fit the subject's next keys.
    let next = store.found(&ana).expect("keys");
    assert_eq!(keys.fingerprint(Purpose::Moment, &[b"a"]), next.fingerprint(Purpose::Moment, &[b"a"]));
    assert_eq!(entries(&*store, &ben, 0).len(), 3);
    assert_clean(&*store, &ben);
    let never = scope("never heard of");
    assert_eq!(
        store.erase_subject(&never, &leaving(&never, &[mark("moment", 1)])).expect("erased"),
        Erased::Done { watermark: 0, rows: 0, residue: 0 }
    );
    assert_eq!(store.forgotten(&never, &[mark("moment", 1)]).expect("forgotten"), [true]);
    assert!(store.keys(&never).expect("keys").is_none());
}

/// After a subject was forgotten, the same requests are new, and numbers begin at 1.
pub fn a_forgotten_subject_begins_anew(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let batches = three_messages(&*store, &ana);
    record_turn(&*store, &ana, mark("turn", 1), &turn(1)).expect("recorded");
    let first_life = store.head(&ana).expect("head").incarnation;
    store.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    let again = three_messages(&*store, &ana);
    assert_eq!(batches, again);
    let recorded = record_turn(&*store, &ana, mark("turn", 1), &turn(2)).expect("recorded");
    assert_eq!(recorded, TurnId(Position::new(1, 0)));
    assert_eq!(store.turn(&ana, recorded).expect("turn"), Some((turn(2), Vec::new())));
    assert_eq!(
        store.changes_since(&ana, 2).expect("changes"),
        Changes::Appended(vec![as_read(3, &again[2])])
    );
    assert_clean(&*store, &ana);
    // Whoever still holds the first life can tell, however long the second has become.
    assert_ne!(store.head(&ana).expect("head").incarnation, first_life);
}

/// What was decided upon the log of a subject that was forgotten meanwhile is not appended to the log it has now, and erases
/// nothing there, even where that has become as long: a position in one names another row in the other.
pub fn a_basis_is_of_one_life(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let first_life = store.head(&ana).expect("head");
    store.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    three_messages(&*store, &ana);
    let before = entries(&*store, &ana, 0);
    let late = [keyed(9, story(4, SourceId(Position::new(1, 0)), 9))];
    assert_eq!(store.append(&ana, &first_life, &late).expect("answer"), Appended::BasisMoved(3));
    let erased = store.erase(&ana, &first_life, mark("erasure", 1), &erasing_the_second()).expect("answer");
    assert_eq!(erased, Erased::BasisMoved(3));
    assert_eq!(entries(&*store, &ana, 0), before);
    assert_eq!(store.append(&ana, &store.upon(&ana, 3), &late).expect("appended"), Appended::Done(4));
    assert_clean(&*store, &ana);
}

/// Turns count from 1, a known key is answered, and the log does not move.
pub fn turns_are_recorded_once_and_numbered(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    for number in 1..=3 {
        let recorded = record_turn(&*store, &ana, mark("turn", number), &turn(number)).expect("recorded");
        assert_eq!(recorded, TurnId(Position::new(number, 0)));
    }
    let again = record_turn(&*store, &ana, mark("turn", 2), &turn(9)).expect("answer");
    assert_eq!(again, TurnId(Position::new(2, 0)));
    assert_eq!(store.turn(&ana, again).expect("turn"), Some((turn(2), Vec::new())));
    for seq in [0, 4, u64::MAX] {
        assert_eq!(store.turn(&ana, TurnId(Position::new(seq, 0))).expect("turn"), None);
    }
    assert_eq!(watermark(&*store, &ana), 0);
    assert!(store.keys(&ana).expect("keys").is_some());
    let elsewhere = record_turn(&*store, &scope("ben"), mark("turn", 2), &turn(5)).expect("recorded");
    assert_eq!(elsewhere, TurnId(Position::new(1, 0)));
}

/// A turn that was resolved before something was erased is not written down afterwards, and brings no forgotten subject back.
pub fn a_turn_of_what_was_erased_is_not_recorded(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let record = |number: u64, basis: &Head| {
        store.record_turn(&ana, basis, mark("turn", number), &turn(number)).expect("an answer")
    };
    assert_eq!(record(1, &Head::default()), None, "nobody was founded");
    assert!(store.keys(&ana).expect("keys").is_none());

    three_messages(&*store, &ana);
    let before = store.head(&ana).expect("head");
    append(&*store, &ana, 3, 4, story(4, SourceId(Position::new(1, 0)), 4));
    assert_eq!(record(1, &before), Some(TurnId(Position::new(1, 0))), "an append takes nothing away");
    assert!(erase(&*store, &ana, 4, 1, &erasing_the_second()) > 0);
    assert_eq!(record(2, &before), None);
    assert_eq!(record(1, &before), Some(TurnId(Position::new(1, 0))), "a known key is answered");
    let first_life = store.head(&ana).expect("head");
    assert_eq!(record(2, &first_life), Some(TurnId(Position::new(2, 0))));

    store.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    assert_eq!(record(3, &first_life), None, "the subject is gone");
    assert!(store.keys(&ana).expect("keys").is_none(), "and stays gone");
    store.found(&ana).expect("keys");
    assert_eq!(record(3, &first_life), None, "this is another life");
    assert_eq!(record(3, &store.head(&ana).expect("head")), Some(TurnId(Position::new(1, 0))));
    assert_clean(&*store, &ana);
}

/// Places used are kept once each, in order, over several reports.
pub fn what_a_turn_used_is_added_up(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let recorded = record_turn(&*store, &ana, mark("turn", 1), &turn(1)).expect("recorded");
    for used in [[5, 1].as_slice(), &[], &[1, 3, 3], &[u32::MAX]] {
        assert!(store.record_use(&ana, recorded, used, at(9)).expect("used"));
    }
    assert_eq!(store.turn(&ana, recorded).expect("turn"), Some((turn(1), vec![1, 3, 5, u32::MAX])));
    assert!(!store.record_use(&ana, TurnId(Position::new(2, 0)), &[1], at(9)).expect("answer"));
}

/// The newest turns come first, no more than asked for, each with its use; other subjects' turns are not among them.
pub fn recent_turns_are_read_newest_first(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    assert_eq!(store.recent_turns(&ana, 10).expect("turns"), Vec::new());
    for number in 1..=5 {
        record_turn(&*store, &ana, mark("turn", number), &turn(number)).expect("recorded");
    }
    record_turn(&*store, &scope("ben"), mark("turn", 1), &turn(9)).expect("recorded");
    store.record_use(&ana, TurnId(Position::new(4, 0)), &[2, 0], at(9)).expect("used");
    let expected = |number, used: &[u32]| RecordedTurn {
        id: TurnId(Position::new(number, 0)),
        record: turn(number),
        used: used.to_vec(),
    };
    let newest = vec![expected(5, &[]), expected(4, &[0, 2])];
    assert_eq!(store.recent_turns(&ana, 2).expect("turns"), newest);
    assert_eq!(store.recent_turns(&ana, 0).expect("turns"), Vec::new());
    assert_eq!(store.recent_turns(&ana, usize::MAX).expect("turns").len(), 5);
}

/// No field of a turn is lost on the way.
pub fn a_turn_comes_back_with_every_feature(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let id = record_turn(&*store, &ana, mark("turn", 1), &full_turn(1)).expect("recorded");
    assert_eq!(store.turn(&ana, id).expect("turn"), Some((full_turn(1), Vec::new())));
}

/// Acts on the policy come back in order, whole, and one that comes too late is not recorded.
pub fn policy_acts_are_recorded_in_order(make: Make<'_>) {
    let store = make();
    assert_eq!(store.policy_acts().expect("acts"), Vec::new());
    let first = policy_act("turn/2", "turn/3", 1);
    let second = policy_act("turn/3", "turn/1", 2);
    assert!(store.record_policy_act(0, &first).expect("an answer"));
    assert!(!store.record_policy_act(0, &second).expect("an answer"), "somebody else acted meanwhile");
    assert!(!store.record_policy_act(2, &second).expect("an answer"));
    assert_eq!(store.policy_acts().expect("acts"), std::slice::from_ref(&first));
    assert!(store.record_policy_act(1, &second).expect("an answer"));
    assert_eq!(store.policy_acts().expect("acts"), [first, second]);
    // They are nobody's memory: forgetting a subject leaves them.
    let ana = scope("ana");
    append(&*store, &ana, 0, 1, first_story(1, 1));
    store.erase_subject(&ana, &leaving(&ana, &[])).expect("forgotten");
    assert_eq!(store.policy_acts().expect("acts").len(), 2);
}

/// Acts on the policy outlive the process.
pub fn policy_acts_are_there_after_reopening(make: MakePlace<'_>) {
    let open = make();
    let act = policy_act("turn/2", "turn/3", 1);
    assert!(open().record_policy_act(0, &act).expect("an answer"));
    assert_eq!(open().policy_acts().expect("acts"), [act]);
}

/// Verification reads everything and counts it.
pub fn verification_counts_and_finds_nothing(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    for seq in 1..=20 {
        append(&*store, &ana, seq - 1, seq, first_story(seq, seq));
    }
    let verified = store.verify(&ana).expect("verified");
    assert_eq!((verified.appends, verified.rows, verified.erased, verified.damage.len()), (20, 100, 0, 0));
}

/// Of several who append at one basis, one is done and the others are told; nothing acknowledged is missing.
pub fn one_of_many_writers_wins_each_basis(make: Make<'_>) {
    const WRITERS: u64 = 8;
    const EACH: u64 = 25;
    let store: Arc<dyn Store> = make().into();
    let ana = scope("ana");
    append(&*store, &ana, 0, 0, first_story(1, 0));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, ana) = (store.clone(), ana.clone());
            std::thread::spawn(move || -> Vec<(Watermark, Fingerprint)> {
                let mut acknowledged = Vec::new();
                for one in 0..EACH {
                    let number = 1 + writer * EACH + one;
                    let mut basis = watermark(&*store, &ana);
                    loop {
                        let batch = story(basis + 1, SourceId(Position::new(1, 0)), number);
                        match store
                            .append(&ana, &store.upon(&ana, basis), &[keyed(number, batch)])
                            .expect("an answer")
                        {
                            Appended::Done(done) => {
                                assert_eq!(done, basis + 1);
                                acknowledged.push((done, mark("moment", number)));
                                break;
                            }
                            Appended::BasisMoved(moved) => basis = moved,
                            other => panic!("{other:?}"),
                        }
                    }
                }
                acknowledged
            })
        })
        .collect();
    let mut acknowledged: Vec<(Watermark, Fingerprint)> =
        writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect();
    acknowledged.sort_unstable();
    let seen: Vec<(Watermark, Fingerprint)> = entries(&*store, &ana, 1)
        .iter()
        .map(|entry| match &entry.rows[0].1 {
            Row::Evidence(evidence) => (entry.seq, evidence.marks.moment),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(seen, acknowledged);
    assert_eq!(watermark(&*store, &ana), 1 + WRITERS * EACH);
    assert_clean(&*store, &ana);
}

/// Appends, turns and erasures of different subjects at the same time do not disturb each other.
pub fn subjects_are_written_side_by_side(make: Make<'_>) {
    let store: Arc<dyn Store> = make().into();
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let store = store.clone();
            std::thread::spawn(move || {
                let own = scope(&format!("subject {number}"));
                three_messages(&*store, &own);
                record_turn(&*store, &own, mark("turn", 1), &turn(number)).expect("recorded");
                if number % 2 == 0 {
                    erase(&*store, &own, 3, 1, &erasing_the_second());
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("a thread"));
    assert_eq!(store.subjects().expect("subjects").len(), 8);
    for number in 0..8 {
        let own = scope(&format!("subject {number}"));
        let erased = number % 2 == 0;
        assert_eq!(watermark(&*store, &own), if erased { 4 } else { 3 });
        assert_eq!(store.evidence_after(&own, None, 9).expect("evidence").len(), if erased { 2 } else { 3 });
        let recorded = store.turn(&own, TurnId(Position::new(1, 0))).expect("turn");
        assert_eq!(recorded.map(|(turn, _)| turn), Some(turn(number)));
        assert_clean(&*store, &own);
    }
}

/// A model of four dimensions, told from others by `number`.
fn model(number: u8) -> ModelIdentity {
    ModelIdentity { name: format!("model {number}"), dims: 4, mark: [number; 32] }
}

/// The vector of a piece of a row, told from others by `number`.
fn vector(of: Position, piece: u32, number: i8) -> VectorRow {
    VectorRow { of, piece, vector: Quantised { scale: 0.25, steps: vec![number, 1, -127, 127] } }
}

fn vectors(store: &dyn Store, scope: &Scope, model: &ModelIdentity, kind: Placed) -> Vec<VectorRow> {
    vectors_after(store, scope, model, kind, VectorMark::default()).0
}

fn vectors_after(
    store: &dyn Store,
    scope: &Scope,
    model: &ModelIdentity,
    kind: Placed,
    after: VectorMark,
) -> (Vec<VectorRow>, VectorMark) {
    let mut rows = Vec::new();
    let mark = store.vector_store().vectors(scope, model, kind, after, &mut |row| rows.push(row));
    rows.sort_by_key(|row| (row.of, row.piece));
    (rows, mark.expect("vectors are read"))
}

fn keep(store: &dyn Store, scope: &Scope, basis: &Head, kind: Placed, rows: &[VectorRow]) -> usize {
    store.vector_store().keep_vectors(scope, basis, &model(1), kind, rows).expect("an answer")
}

/// Where the messages of [`three_messages`] stand, and their claims.
const MESSAGES: [Position; 3] = [Position::new(1, 1), Position::new(2, 0), Position::new(3, 0)];
const CLAIMS: [Position; 3] = [Position::new(1, 3), Position::new(2, 2), Position::new(3, 2)];

/// Vectors come back as they were kept: by model, by kind, the newest of a piece, to their own subject only.
pub fn vectors_are_kept_and_read_back(make: Make<'_>) {
    let store = make();
    let (ana, ben) = (scope("ana"), scope("ben"));
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Claim), []);
    three_messages(&*store, &ana);
    three_messages(&*store, &ben);
    let basis = store.head(&ana).expect("head");
    let rows = [vector(MESSAGES[0], 0, 1), vector(MESSAGES[0], 1, 2), vector(MESSAGES[2], 0, 3)];
    assert_eq!(keep(&*store, &ana, &basis, Placed::Evidence, &rows), 3);
    assert_eq!(keep(&*store, &ana, &basis, Placed::Claim, &[vector(CLAIMS[1], 0, 4)]), 1);
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Evidence), rows);
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Claim), [vector(CLAIMS[1], 0, 4)]);
    assert_eq!(vectors(&*store, &ana, &model(2), Placed::Evidence), []);
    assert_eq!(vectors(&*store, &ben, &model(1), Placed::Evidence), []);
    let (all, mark) = vectors_after(&*store, &ana, &model(1), Placed::Evidence, VectorMark::default());
    assert_eq!(all.len(), 3);
    assert_eq!(vectors_after(&*store, &ana, &model(1), Placed::Evidence, mark).0, []);
    assert_eq!(keep(&*store, &ana, &basis, Placed::Evidence, &[vector(MESSAGES[0], 1, 9)]), 1);
    assert_eq!(
        vectors_after(&*store, &ana, &model(1), Placed::Evidence, mark).0,
        [vector(MESSAGES[0], 1, 9)]
    );
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Evidence).len(), 3);
    let kept = store.vector_store();
    assert_eq!(kept.vector_models(&ana).expect("models"), [(model(1), 4)]);
    assert_eq!(kept.vector_models(&ben).expect("models"), []);
    kept.keep_vectors(&ana, &basis, &model(2), Placed::Claim, &[vector(CLAIMS[0], 0, 5)]).expect("kept");
    assert_eq!(kept.vector_models(&ana).expect("models"), [(model(1), 4), (model(2), 1)]);
    assert_eq!(kept.drop_vectors(&ana, Some(&model(1))).expect("dropped"), 4);
    assert_eq!(kept.vector_models(&ana).expect("models"), [(model(2), 1)]);
    assert_eq!(kept.drop_vectors(&ana, None).expect("dropped"), 1);
    assert_eq!(kept.vector_models(&ana).expect("models"), []);
    assert_eq!(watermark(&*store, &ana), 3);
    assert_clean(&*store, &ana);
}

/// A vector of other dimensions than its model's is told, never mixed in.
pub fn vectors_of_other_dimensions_are_refused(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let basis = store.head(&ana).expect("head");
    let kept = store.vector_store();
    let mut longer = vector(CLAIMS[0], 0, 1);
    longer.vector.steps.push(0);
    let refused = kept.keep_vectors(&ana, &basis, &model(1), Placed::Claim, &[longer.clone()]);
    assert_eq!(refused.expect_err("refused").kind(), StoreErrorKind::Contract);
    assert_eq!(keep(&*store, &ana, &basis, Placed::Claim, &[vector(CLAIMS[0], 0, 1)]), 1);
    let changed = ModelIdentity { dims: 5, ..model(1) };
    let refused = kept.keep_vectors(&ana, &basis, &changed, Placed::Claim, &[longer]);
    assert_eq!(refused.expect_err("refused").kind(), StoreErrorKind::Contract);
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Claim), [vector(CLAIMS[0], 0, 1)]);
}

/// A vector of a row that is not there, or is of another kind, is not kept.
pub fn vectors_stand_on_rows_of_the_log(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    let nobody = Head::default();
    assert_eq!(keep(&*store, &ana, &nobody, Placed::Claim, &[vector(CLAIMS[0], 0, 1)]), 0);
    three_messages(&*store, &ana);
    let basis = store.head(&ana).expect("head");
    let rows = [vector(CLAIMS[0], 0, 1), vector(MESSAGES[0], 0, 2), vector(Position::new(9, 0), 0, 3)];
    assert_eq!(keep(&*store, &ana, &basis, Placed::Claim, &rows), 1);
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Claim), [vector(CLAIMS[0], 0, 1)]);
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Evidence), []);
}

/// An erasure takes the vectors of its rows, and work that read the words before brings none back.
pub fn vectors_go_with_their_rows_and_do_not_come_back(make: Make<'_>) {
    let store = make();
    let ana = scope("ana");
    three_messages(&*store, &ana);
    let before = store.head(&ana).expect("head");
    let messages = MESSAGES.map(|of| vector(of, 0, 7));
    let claims = CLAIMS.map(|of| vector(of, 0, 8));
    assert_eq!(keep(&*store, &ana, &before, Placed::Evidence, &messages), 3);
    assert_eq!(keep(&*store, &ana, &before, Placed::Claim, &claims), 3);
    erase(&*store, &ana, 3, 1, &erasing_the_second());
    let left = |rows: [VectorRow; 3]| [rows[0].clone(), rows[2].clone()];
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Evidence), left(messages.clone()));
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Claim), left(claims.clone()));
    assert_eq!(keep(&*store, &ana, &before, Placed::Evidence, &messages), 0);
    assert_eq!(keep(&*store, &ana, &before, Placed::Claim, &claims), 0);
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Evidence).len(), 2);
    // A reduced message has lost words, so its vector goes; the row stays, and can be placed anew by who reads it now.
    let id = EvidenceId(MESSAGES[0]);
    let whole = store.evidence(&ana, &[id]).expect("evidence").remove(0).expect("there");
    let words = EvidenceWords { text: None, ..whole.words };
    let reduce = Erasure { recorded_at: at(60), reduce: vec![(id, words)], ..Erasure::default() };
    let between = store.head(&ana).expect("head");
    erase(&*store, &ana, 4, 2, &reduce);
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Evidence), [vector(MESSAGES[2], 0, 7)]);
    assert_eq!(keep(&*store, &ana, &between, Placed::Evidence, &messages), 0);
    let after = store.head(&ana).expect("head");
    assert_eq!(keep(&*store, &ana, &after, Placed::Evidence, &messages), 2);
    // A subject that begins anew has none, and whoever worked for the one before is told so.
    store.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Evidence), []);
    assert_eq!(keep(&*store, &ana, &after, Placed::Evidence, &messages), 0);
    three_messages(&*store, &ana);
    assert_eq!(keep(&*store, &ana, &after, Placed::Evidence, &messages), 0);
    assert_eq!(vectors(&*store, &ana, &model(1), Placed::Evidence), []);
    assert_clean(&*store, &ana);
}

/// Keeping vectors while others append and erase leaves none of an erased row.
pub fn vectors_are_kept_beside_erasures(make: Make<'_>) {
    const MESSAGES: u64 = 24;
    let store: Arc<dyn Store> = make().into();
    let ana = scope("ana");
    append(&*store, &ana, 0, 0, first_story(1, 0));
    for seq in 2..=MESSAGES {
        append(&*store, &ana, seq - 1, seq, story(seq, SourceId(Position::new(1, 0)), seq));
    }
    let job = {
        let (store, ana) = (store.clone(), ana.clone());
        std::thread::spawn(move || {
            for round in 0..200 {
                let basis = store.head(&ana).expect("head");
                let page = store.evidence_after(&ana, None, 1_000).expect("evidence");
                let rows: Vec<VectorRow> =
                    page.iter().map(|(id, _)| vector(id.0, 0, (round % 100) as i8)).collect();
                keep(&*store, &ana, &basis, Placed::Evidence, &rows);
                if page.len() <= 1 {
                    return;
                }
            }
        })
    };
    for seq in 2..=MESSAGES {
        let place = |ordinal| vec![Position::new(seq, ordinal)];
        let erasure = Erasure {
            recorded_at: at(100 + seq),
            remove: Removed {
                evidence: place(0),
                facts: place(1),
                claims: place(2),
                transitions: place(3),
                ..Removed::default()
            },
            ..Erasure::default()
        };
        let basis = watermark(&*store, &ana);
        erase(&*store, &ana, basis, seq, &erasure);
        let gone = |rows: Vec<VectorRow>| rows.iter().all(|row| row.of.seq == 1 || row.of.seq > seq);
        assert!(gone(vectors(&*store, &ana, &model(1), Placed::Evidence)), "after erasing {seq}");
    }
    job.join().expect("the job");
    let rows = vectors(&*store, &ana, &model(1), Placed::Evidence);
    assert!(rows.iter().all(|row| row.of.seq == 1), "{rows:?}");
}

/// A store that outlives its process gives the same answers afterwards.
pub fn everything_is_there_after_reopening(place: MakePlace<'_>) {
    let open = place();
    let ana = scope("ana");
    let (before, keys, recorded) = {
        let store = open();
        three_messages(&*store, &ana);
        erase(&*store, &ana, 3, 1, &erasing_the_second());
        let recorded = record_turn(&*store, &ana, mark("turn", 1), &turn(1)).expect("recorded");
        assert!(store.record_use(&ana, recorded, &[2], at(9)).expect("used"));
        (entries(&*store, &ana, 0), store.found(&ana).expect("keys"), recorded)
    };
    let store = open();
    assert_eq!(entries(&*store, &ana, 0), before);
    assert!(same_keys(&store.found(&ana).expect("keys"), &keys));
    assert_eq!(store.turn(&ana, recorded).expect("turn"), Some((turn(1), vec![2])));
    assert_eq!(store.forgotten(&ana, &[mark("moment", 2)]).expect("forgotten"), [true]);
    let again = keyed(3, story(5, SourceId(Position::new(1, 0)), 3));
    assert_eq!(
        store.append(&ana, &store.upon(&ana, 4), &[again]).expect("answer"),
        Appended::Known(vec![Some(3)])
    );
    append(&*store, &ana, 4, 9, story(5, SourceId(Position::new(1, 0)), 9));
    assert_clean(&*store, &ana);
}

/// Two stores opened on one place are one store.
pub fn two_openings_of_one_place_agree(place: MakePlace<'_>) {
    let open = place();
    let ana = scope("ana");
    let (left, right) = (open(), open());
    let keys = left.found(&ana).expect("keys");
    assert!(same_keys(&right.found(&ana).expect("keys"), &keys));
    three_messages(&*left, &ana);
    let source = SourceId(Position::new(1, 0));
    assert_eq!(
        right.append(&ana, &right.upon(&ana, 1), &[keyed(8, story(2, source, 8))]).expect("answer"),
        Appended::BasisMoved(3)
    );
    append(&*right, &ana, 3, 8, story(4, source, 8));
    assert_eq!(entries(&*left, &ana, 0), entries(&*right, &ana, 0));
    erase(&*left, &ana, 4, 1, &erasing_the_second());
    assert_eq!(right.changes_since(&ana, 4).expect("changes"), Changes::Rewritten);
    assert_eq!(entries(&*left, &ana, 0), entries(&*right, &ana, 0));
    let basis = right.head(&ana).expect("head");
    assert_eq!(keep(&*right, &ana, &basis, Placed::Evidence, &[vector(MESSAGES[2], 0, 1)]), 1);
    assert_eq!(vectors(&*left, &ana, &model(1), Placed::Evidence), [vector(MESSAGES[2], 0, 1)]);
    left.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    assert!(right.keys(&ana).expect("keys").is_none());
    three_messages(&*right, &ana);
    assert_eq!(entries(&*left, &ana, 0), entries(&*right, &ana, 0));
    assert!(same_keys(&left.found(&ana).expect("keys"), &right.found(&ana).expect("keys")));
    // The next life has its source elsewhere, and whoever wrote to the last one finds it.
    right.erase_subject(&ana, &leaving(&ana, &[])).expect("erased");
    append(&*right, &ana, 0, 20, Batch { recorded_at: at(60), rows: Vec::new() });
    append(&*right, &ana, 1, 21, first_story(2, 21));
    let source = SourceId(Position::new(2, 0));
    append(&*left, &ana, 2, 22, story(3, source, 22));
    assert_clean(&*left, &ana);
}
