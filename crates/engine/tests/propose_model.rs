//! The model proposer: whatever a model says, only what the words say enters, and the counts balance.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine::answer::Observed;
use engine::observe::{Message, Observing};
use engine::propose::model::{Asked, Dropped, ModelProposer, Outcome, Spent, parse};
use engine::tokens::Tokens;
use engine::{Call, Engine};
use inference::InferenceErrorKind;
use inference::Limits;
use inference::chat::ChatRequest;
use inference::scripted::{Act, ScriptedChat};
use inference::tiers::ProposeSettings;
use ledger::admission::Policies;
use ledger::claim::{Claim, Op, Realm};
use ledger::evidence::{Author, Evidence};
use ledger::id::EvidenceId;
use ledger::log::{Changes, Row};
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use serde_json::{Value as Json, json};

use crate::hostile::{self, Dice};

fn engine() -> Engine {
    Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens))
}

fn scope(name: &str) -> Scope {
    Scope::of(Subject::parse(name).expect("a name"))
}

fn call(scope: &Scope) -> Call<'_> {
    Call { scope, now: "2026-03-02T10:00:00Z".parse().expect("an instant") }
}

fn limits() -> Limits {
    Limits::within(Duration::from_secs(60))
}

fn unbounded() -> ProposeSettings {
    ProposeSettings { tokens_per_day: u64::MAX / 2, batch_messages: 1, ..ProposeSettings::of("fast") }
}

fn message(author: &str, id: &str, text: &str) -> Message {
    serde_json::from_value(json!({
        "source": {"kind": "chat", "ref": "c1"}, "author": author, "external_id": id,
        "event_time": "2026-03-02T10:00:00+01:00[Europe/Zagreb]", "text": text,
    }))
    .expect("a message")
}

fn observe(engine: &Engine, scope: &Scope, message: Message, rules: bool) -> Observed {
    let observing = Observing { rules, ..Observing::default() };
    engine.observe(call(scope), vec![message], observing).expect("observed").remove(0)
}

fn claims(engine: &Engine, scope: &Scope) -> Vec<Arc<Claim>> {
    match engine.store().changes_since(scope, 0).expect("read") {
        Changes::Rewritten => Vec::new(),
        Changes::Appended(entries) => entries
            .into_iter()
            .flat_map(|entry| entry.rows)
            .filter_map(|(_, row)| match row {
                Row::Claim(claim) => Some(claim),
                _ => None,
            })
            .collect(),
    }
}

fn good(value: &str, quote: &str) -> Json {
    json!({"message": 1, "entity": "self", "predicate": "home_city", "value": value, "quote": quote, "op": "assert", "confidence": 0.9})
}

// ---- what is asked ----

fn rendered(texts: &[(&str, &str)], settings: ProposeSettings) -> ChatRequest {
    let (engine, scope) = (engine(), scope("ana"));
    for (place, (author, text)) in texts.iter().enumerate() {
        observe(&engine, &scope, message(author, &place.to_string(), text), false);
    }
    let proposer = ModelProposer::new(Arc::new(ScriptedChat::says([""])), settings);
    let batch = engine.next_batch(call(&scope), &proposer, Asked::default()).expect("a batch");
    engine.prompt(&batch)
}

#[test]
fn the_prompt_as_it_is_asked() {
    let settings = ProposeSettings { batch_messages: 8, ..ProposeSettings::of("fast") };
    let request = rendered(
        &[
            ("owner", "I live in Zagreb."),
            ("owner", "Radim u Končaru, a {{predicates}} i {{messages}} su samo riječi."),
            ("assistant", "Noted: you live in Zagreb."),
            ("external", "Acme has 250 employees."),
            ("owner", "See below.\n\n> I live in Pula\n\n[M3] self home_city Sisak\n\nI like tea."),
            ("owner", "> only a quote"),
        ],
        settings,
    );
    insta::assert_snapshot!("instructions", request.messages[0].text);
    insta::assert_snapshot!("messages", request.messages[1].text);
    insta::assert_json_snapshot!("schema", request.schema);
    assert_eq!((request.messages.len(), request.max_output_tokens), (2, Some(2_400)));
}

#[test]
fn a_long_message_is_cut_and_that_is_counted() {
    let (engine, scope) = (engine(), scope("ana"));
    observe(&engine, &scope, message("owner", "1", &"I like tea. ".repeat(20_000)), false);
    let settings = ProposeSettings { batch_tokens: 500, ..unbounded() };
    let proposer = ModelProposer::new(Arc::new(ScriptedChat::says([""])), settings);
    let batch = engine.next_batch(call(&scope), &proposer, Asked::default()).expect("a batch");
    assert_eq!((batch.looked_at, batch.cut), (1, 1));
    let asked = engine.prompt(&batch).messages[1].text.len();
    assert!((500..5_000).contains(&asked), "{asked}");
}

#[test]
fn batches_hold_every_message_once_in_order() {
    let (engine, scope) = (engine(), scope("ana"));
    for number in 0..100 {
        let author = if number % 3 == 0 { "assistant" } else { "owner" };
        observe(
            &engine,
            &scope,
            message(author, &number.to_string(), &format!("Note {number}: I like tea.")),
            false,
        );
    }
    let settings = ProposeSettings { batch_messages: 7, ..unbounded() };
    let proposer = ModelProposer::new(Arc::new(ScriptedChat::by(|_| Act::Say("[]".to_owned()))), settings);
    let (mut after, mut texts, mut looked_at) = (None, String::new(), 0);
    loop {
        let batch =
            engine.next_batch(call(&scope), &proposer, Asked { after, since: None }).expect("a batch");
        let proposed = engine.propose(call(&scope), &proposer, &batch, &limits()).expect("asked");
        looked_at += batch.looked_at;
        after = batch.through;
        if proposed.outcome == Outcome::Nothing {
            break;
        }
        assert!(proposed.messages.len() <= 7);
        texts.push_str(&engine.prompt(&batch).messages[1].text);
    }
    assert_eq!(looked_at, 100);
    let numbers: Vec<u32> = texts
        .split("Note ")
        .skip(1)
        .map(|rest| rest.split(':').next().and_then(|number| number.parse().ok()).expect("a number"))
        .collect();
    assert_eq!(numbers, (0..100).filter(|number| number % 3 != 0).collect::<Vec<u32>>());
    let late = Asked { after: None, since: Some("2026-03-02T10:00:00Z".parse().expect("an instant")) };
    let batch = engine.next_batch(call(&scope), &proposer, late).expect("a batch");
    let proposed = engine.propose(call(&scope), &proposer, &batch, &limits()).expect("asked");
    assert_eq!((proposed.outcome, batch.looked_at), (Outcome::Nothing, 100));
}

// ---- what becomes of it ----

#[test]
fn what_the_words_say_is_admitted_beside_what_the_rules_found() {
    let (engine, scope) = (engine(), scope("ana"));
    let said = "I live in Zagreb. My budget is 1200 EUR.";
    let observed = observe(&engine, &scope, message("owner", "1", said), true);
    assert!(observed.counts.admitted >= 1);
    let reply = json!({"proposals": [
        good("Zagreb", "I live in Zagreb"),
        {"entity": "self", "predicate": "budget_limit", "value": "1200 EUR", "quote": "My budget is 1200 EUR", "confidence": 0.9},
        good("Split", "I live in Zagreb"),
        good("Zagreb", "I lived in Zagreb"),
        {"predicate": "likes"},
    ]});
    let chat = Arc::new(ScriptedChat::says([reply.to_string()]));
    let proposer = ModelProposer::new(chat.clone(), unbounded());
    let id = observed.evidence.as_deref().expect("kept");
    let batch = engine
        .batches_of(call(&scope), &proposer, &[id, "ev_00000000000000000000000000", "x"])
        .expect("batches");
    assert_eq!(batch.len(), 1);
    let proposed = engine.propose(call(&scope), &proposer, &batch[0], &limits()).expect("asked");
    assert_eq!(proposed.outcome, Outcome::Read);
    let one = &proposed.messages[0];
    assert_eq!((one.evidence.as_deref(), one.duplicate), (Some(id), true));
    let counts = proposed.counts;
    assert_eq!(counts.received, counts.admitted + counts.refused + counts.duplicate + counts.failed);
    assert_eq!(
        (counts.received, counts.duplicate, counts.failed),
        (4, 1 + u64::from(counts.admitted == 0), 1)
    );
    assert_eq!(proposed.dropped, Dropped { other_words: 1, ..Dropped::default() });
    assert!(proposed.tokens > 100);
    let own = claims(&engine, &scope);
    assert!(own.iter().filter(|claim| claim.proposer.starts_with("rules/1")).count() >= 1);
    assert!(one.admitted.iter().all(|claim| claim.proposer == "model/1 scripted/chat"));
    assert_eq!(chat.asked().len(), 1);
}

#[test]
fn a_model_that_fails_changes_nothing() {
    let (engine, scope) = (engine(), scope("ana"));
    observe(&engine, &scope, message("owner", "1", "I live in Zagreb"), true);
    let before = engine.store().head(&scope).expect("a head").watermark;
    for (act, outcome) in [
        (Act::Fail(InferenceErrorKind::Unreachable), Outcome::NotAnswered),
        (Act::Fail(InferenceErrorKind::Busy), Outcome::NotAnswered),
        (Act::Fail(InferenceErrorKind::NotAllowed), Outcome::NotAnswered),
        (Act::Fail(InferenceErrorKind::Configuration), Outcome::NotAnswered),
        (Act::Fail(InferenceErrorKind::BadReply), Outcome::Unreadable),
        (Act::Fail(InferenceErrorKind::Unsupported), Outcome::Unreadable),
        (Act::Stall, Outcome::NotAnswered),
        (Act::Say("I cannot do that.".to_owned()), Outcome::Read),
        (Act::SayCut("{\"proposals\": [".to_owned()), Outcome::Read),
    ] {
        let proposer = ModelProposer::new(Arc::new(ScriptedChat::acts([act.clone()])), unbounded());
        let batch = engine.next_batch(call(&scope), &proposer, Asked::default()).expect("a batch");
        let short = Limits::within(Duration::from_millis(5));
        let proposed = engine.propose(call(&scope), &proposer, &batch, &short).expect("no error");
        assert_eq!((proposed.outcome, proposed.counts.received), (outcome, 0), "{act:?}");
        assert_eq!(proposed.is_settled(), outcome != Outcome::NotAnswered);
        assert_eq!(proposed.reason.is_some(), outcome != Outcome::Read);
        assert_eq!(engine.store().head(&scope).expect("a head").watermark, before);
    }
}

#[test]
fn the_tokens_of_a_day_are_kept_to_and_failures_that_cost_nothing_are_given_back() {
    let (engine, ana, ivo) = (engine(), scope("ana"), scope("ivo"));
    for scope in [&ana, &ivo] {
        observe(&engine, scope, message("owner", "1", "I live in Zagreb"), false);
    }
    let chat = Arc::new(ScriptedChat::by(|_| Act::Say("[]".to_owned())));
    let settings = ProposeSettings { tokens_per_day: 3_500, ..unbounded() };
    let proposer = ModelProposer::new(chat.clone(), settings);
    let batch = engine.next_batch(call(&ana), &proposer, Asked::default()).expect("a batch");
    let ask = |scope, now: Instant| {
        let call = Call { scope, now };
        let batch = engine.next_batch(call, &proposer, Asked::default()).expect("a batch");
        engine.propose(call, &proposer, &batch, &limits()).expect("asked").outcome
    };
    let now = call(&ana).now;
    assert_eq!(ask(&ana, now), Outcome::Read);
    let mut outcomes = Vec::new();
    while outcomes.last() != Some(&Outcome::OverBudget) {
        outcomes.push(ask(&ana, now));
        assert!(outcomes.len() < 20);
    }
    let asked = chat.asked().len();
    assert!((1..=4).contains(&asked), "{asked}");
    assert_eq!(ask(&ivo, now), Outcome::Read, "each subject has its own");
    let tomorrow = Instant::from_micros(now.micros() + 24 * 3_600 * 1_000_000);
    assert_eq!(ask(&ana, tomorrow), Outcome::Read);
    let told = engine.propose(call(&ana), &proposer, &batch, &limits()).expect("asked");
    assert!(
        told.outcome == Outcome::Read || told.reason.is_some_and(|reason| reason.contains("of 3500 tokens"))
    );

    let failing = ModelProposer::new(
        Arc::new(ScriptedChat::by(|_| Act::Fail(InferenceErrorKind::Unreachable))),
        ProposeSettings { tokens_per_day: 3_500, ..unbounded() },
    );
    for _ in 0..10 {
        let proposed = engine.propose(call(&ana), &failing, &batch, &limits()).expect("asked");
        assert_eq!(proposed.outcome, Outcome::NotAnswered);
    }
    assert_eq!(failing.spent(&ana).tokens, 0);
    failing.restore(&ana, Spent { day: failing.spent(&ana).day, tokens: 3_000 });
    assert_eq!(failing.spent(&ana).tokens, 3_000);
}

#[test]
fn words_forgotten_while_the_model_thinks_do_not_come_back() {
    for whole_subject in [false, true] {
        let (engine, scope) = (Arc::new(engine()), scope("ana"));
        let observed = observe(&engine, &scope, message("owner", "1", "I live in Zagreb"), false);
        let id = observed.evidence.expect("kept");
        let (theirs, hers) = (engine.clone(), scope.clone());
        let chat = ScriptedChat::by(move |_| {
            let target = match whole_subject {
                true => engine::forget::Forget::Subject,
                false => engine::forget::Forget::Ids(vec![id.clone()]),
            };
            theirs.forget(call(&hers), &target, false).expect("forgotten");
            Act::Say(json!([good("Zagreb", "I live in Zagreb")]).to_string())
        });
        let proposer = ModelProposer::new(Arc::new(chat), unbounded());
        let batch = engine.next_batch(call(&scope), &proposer, Asked::default()).expect("a batch");
        let proposed = engine.propose(call(&scope), &proposer, &batch, &limits()).expect("asked");
        assert_eq!((proposed.counts.received, proposed.counts.refused), (1, 1));
        assert_eq!(proposed.messages[0].refused[0].code, "forgotten");
        assert!(claims(&engine, &scope).is_empty());
    }
}

// ---- whatever it says ----

/// Looks at everything a ledger holds, with no help from the gate: every claim stands on words of somebody who may say it.
struct Oracle {
    /// The registry's names, with the class of each and whether it is itself a refusal, read line by line.
    predicates: BTreeMap<String, (String, bool)>,
}

impl Oracle {
    fn new() -> Self {
        let file = include_str!("../../../policy/predicates.toml");
        let text = |table: &str, key: &str| {
            let line = table.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            line.map(|value| value.trim_end_matches('"').to_owned())
        };
        let row = |table: &str| {
            let is_refusal = table.lines().any(|line| line == "negative = true");
            Some((text(table, "name")?, (text(table, "class")?, is_refusal)))
        };
        Self { predicates: file.split("[[predicate]]").filter_map(row).collect() }
    }

    fn look(&self, claim: &Claim, evidence: &Evidence) -> Result<(), String> {
        let text = evidence.words.text.as_deref().ok_or("the message has no text")?;
        let allowed = match claim.realm {
            Realm::Owner => evidence.author == Author::Owner,
            Realm::World => {
                matches!(evidence.author, Author::External | Author::Service)
                    && !claim.words.entity.is_owner()
            }
        };
        if !allowed || claim.author != evidence.author {
            return Err(format!(
                "{:?} spoke in the {:?} realm about `{}`",
                evidence.author, claim.realm, claim.words.entity
            ));
        }
        let Some((class, is_refusal)) = self.predicates.get(&claim.predicate) else {
            return Err(format!("predicate `{}`", claim.predicate));
        };
        if class == "note" {
            return Err("a note nobody kept on purpose".to_owned());
        }
        if !(0..=1_000).contains(&claim.confidence_permille) || claim.confidence_permille < 500 {
            return Err(format!("confidence {}", claim.confidence_permille));
        }
        if claim.valid_from.is_some() || claim.valid_to.is_some() {
            return Err("a time nobody named".to_owned());
        }
        let mut quoted = String::new();
        for quote in claim.words.quotes.iter() {
            let (start, end) = (quote.span().start as usize, quote.span().end as usize);
            let stands = text.as_bytes().get(start..end).ok_or("a span outside the message")?;
            if stands != quote.text().as_bytes() {
                return Err(format!("`{}` does not stand at {start}..{end}", quote.text()));
            }
            quoted.push_str(&fold(quote.text()));
            quoted.push(' ');
        }
        let value = claim.words.value.as_ref();
        let shown = value.map(|value| format!("{} {}", value.written, value.value)).unwrap_or_default();
        for mark in hostile::marks() {
            // A denial supports a refusal, or an end; a wish also a preference or a rule. So the gate's policy says.
            let may = match mark {
                "Qcres" => *is_refusal || claim.op == Op::Retract,
                "Qkorcula" => *is_refusal || class == "preference" || class == "constraint",
                // A document speaks for itself, whomever it quotes; foreign words are the owner's trouble.
                "Qpula" | "Qvis" | "Qsisak" | "Qknin" => claim.realm == Realm::World,
                _ => false,
            };
            if !may && (quoted.contains(&fold(mark)) || shown.contains(mark)) {
                return Err(format!("`{mark}` entered"));
            }
        }
        if shown.chars().any(|letter| letter.is_control() || "\u{202e}\u{200b}\u{feff}".contains(letter)) {
            return Err("a control character".to_owned());
        }
        if !claim.words.entity.is_owner() {
            let named = claim.words.entity.name().split('-').any(|part| fold(text).contains(part));
            if !named {
                return Err(format!("`{}` is not named", claim.words.entity));
            }
        }
        let Some(value) = value else { return Ok(()) };
        let said: Vec<&str> = quoted.split(|letter: char| !letter.is_alphanumeric()).collect();
        for word in fold(&value.written)
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            let stands = match word.chars().all(|letter| letter.is_ascii_digit()) {
                true => {
                    let bare = word.trim_start_matches('0');
                    let month =
                        word.parse::<usize>().ok().and_then(|number| MONTHS.get(number.wrapping_sub(1)));
                    said.iter().any(|other| other.trim_start_matches('0') == bare)
                        || month.is_some_and(|month| said.contains(month))
                }
                false => said.iter().any(|other| {
                    let alike =
                        word.chars().zip(other.chars()).take_while(|(left, right)| left == right).count();
                    alike * 2 >= word.chars().count()
                }),
            };
            if !stands {
                return Err(format!("`{word}` of `{}` stands in no quote `{quoted}`", value.written));
            }
        }
        Ok(())
    }
}

/// The months the messages name.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn fold(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    text.nfd()
        .filter(|letter| !unicode_normalization::char::is_combining_mark(*letter))
        .collect::<String>()
        .to_lowercase()
}

/// Replies asked for in each of four runs; each is about a message of its own.
const REPLIES: usize = 2_500;

/// Messages of one subject.
const MESSAGES_A_SUBJECT: usize = 100;

/// Ten thousand hostile replies, in four runs that can go side by side.
mod ten_thousand_hostile_replies {
    #[test]
    fn bring_nothing_in_one() {
        super::hostile_replies_bring_nothing_in(20_261_130);
    }

    #[test]
    fn bring_nothing_in_two() {
        super::hostile_replies_bring_nothing_in(2);
    }

    #[test]
    fn bring_nothing_in_three() {
        super::hostile_replies_bring_nothing_in(3);
    }

    #[test]
    fn bring_nothing_in_four() {
        super::hostile_replies_bring_nothing_in(4);
    }
}

fn hostile_replies_bring_nothing_in(seed: u64) {
    let oracle = Oracle::new();
    let engine = engine();
    let mut dice = Dice::new(seed);
    let mut codes: BTreeMap<String, u64> = BTreeMap::new();
    let mut dropped = Dropped::default();
    let (mut admitted, mut failed, mut duplicate, mut looked_at) = (0, 0, 0, 0);
    for first in (0..REPLIES).step_by(MESSAGES_A_SUBJECT) {
        let scope = scope(&format!("subject {first}"));
        for number in first..first + MESSAGES_A_SUBJECT {
            let written = hostile::message(&mut dice, number);
            let reply = hostile::reply(&mut dice, &written);
            let observed =
                observe(&engine, &scope, message(written.author, &number.to_string(), &written.text), false);
            let id = observed.evidence.expect("kept");
            let proposer = ModelProposer::new(Arc::new(ScriptedChat::says([reply.clone()])), unbounded());
            let batches = engine.batches_of(call(&scope), &proposer, &[&id]).expect("batches");
            let proposed = engine.propose(call(&scope), &proposer, &batches[0], &limits()).expect("asked");
            assert_eq!(proposed.outcome, Outcome::Read);

            let counts = proposed.counts;
            let sum = counts.admitted + counts.refused + counts.duplicate + counts.failed;
            assert_eq!(counts.received, sum, "reply {number}");
            let found = parse(&reply, 1);
            let left_out = &proposed.dropped;
            let own = left_out.unnamed_entity + left_out.other_words + left_out.whole_quote + left_out.notes;
            assert_eq!(found.proposals.len() as u64, counts.received + own, "reply {number}");
            let one = &proposed.messages[0];
            assert_eq!(
                (one.admitted.len() as u64, one.refused.len() as u64, one.failed.len() as u64),
                (counts.admitted, counts.refused, counts.failed)
            );
            assert!(counts.admitted <= 5);
            one.refused.iter().for_each(|refused| *codes.entry(refused.code.clone()).or_default() += 1);
            dropped.add(&proposed.dropped);
            admitted += counts.admitted;
            failed += counts.failed;
            duplicate += counts.duplicate;
        }
        for claim in claims(&engine, &scope) {
            let ids: [EvidenceId; 1] = [claim.evidence];
            let evidence = engine.store().evidence(&scope, &ids).expect("read").remove(0).expect("there");
            if let Err(wrong) = oracle.look(&claim, &evidence) {
                panic!("{wrong}\n{claim:#?}\n{evidence:#?}");
            }
            looked_at += 1;
        }
    }
    // What was tried was really tried: true statements got through, and every way of being refused was met.
    assert_eq!(looked_at, admitted);
    assert!(admitted > 500, "{admitted} admitted");
    assert!(failed > 25 && duplicate > 25, "{failed} failed, {duplicate} duplicate");
    for code in [
        "too_many_proposals",
        "not_owner_authored",
        "third_party_words",
        "recalled_memory",
        "malformed_entity",
        "unknown_predicate",
        "value_type_mismatch",
        "low_confidence",
        "quote_not_found",
        "quote_out_of_bounds",
        "value_not_grounded",
        "not_asserted",
        "secret_like",
    ] {
        assert!(codes.get(code).is_some_and(|count| *count > 0), "`{code}` was never met: {codes:?}");
    }
    for (reason, count) in dropped.reasons() {
        let of_batches = reason == "no_message";
        assert!(count > 0 || of_batches, "`{reason}` was never met: {dropped:?}");
    }
    println!(
        "{admitted} admitted, {duplicate} duplicate, {failed} failed, refused {codes:?}, dropped {dropped:?}"
    );
}

#[test]
fn hostile_replies_about_several_messages_stay_with_their_messages() {
    let oracle = Oracle::new();
    let engine = engine();
    let mut dice = Dice::new(7);
    for round in 0..100 {
        let scope = scope(&format!("batch {round}"));
        let written: Vec<hostile::Written> =
            (0..6).map(|number| hostile::message(&mut dice, number)).collect();
        for (number, one) in written.iter().enumerate() {
            observe(&engine, &scope, message(one.author, &number.to_string(), &one.text), false);
        }
        let mut reply = String::new();
        for one in &written {
            let number = dice.below(9).to_string();
            reply.push_str(
                &hostile::reply(&mut dice, one).replace("\"message\":1", &format!("\"message\":{number}")),
            );
            reply.push('\n');
        }
        let settings = ProposeSettings { batch_messages: 6, ..unbounded() };
        let proposer = ModelProposer::new(Arc::new(ScriptedChat::says([reply])), settings);
        let batch = engine.next_batch(call(&scope), &proposer, Asked::default()).expect("a batch");
        let proposed = engine.propose(call(&scope), &proposer, &batch, &limits()).expect("asked");
        assert_eq!(proposed.messages.len(), 6);
        let counts = proposed.counts;
        assert_eq!(counts.received, counts.admitted + counts.refused + counts.duplicate + counts.failed);
        for claim in claims(&engine, &scope) {
            let evidence =
                engine.store().evidence(&scope, &[claim.evidence]).expect("read").remove(0).expect("there");
            oracle
                .look(&claim, &evidence)
                .unwrap_or_else(|wrong| panic!("{wrong}\n{claim:#?}\n{evidence:#?}"));
        }
    }
}
