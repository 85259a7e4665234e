//! The main story on the reference store: remember, ask, correct, travel, forget.

use std::sync::Arc;

use engine::forget::Forget;
use engine::observe::{Message, Observing};
use engine::recall::Recall;
use engine::remember::Remember;
use engine::tokens::Tokens;
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use serde_json::json;

fn engine() -> Engine {
    Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens))
}

fn at(text: &str) -> Instant {
    text.parse().expect(text)
}

fn message(json: serde_json::Value) -> Message {
    serde_json::from_value(json).expect("a message")
}

#[test]
fn a_life_of_one_memory() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = |now: &str| Call { scope: &scope, now: at(now) };
    let said = |text: &str, time: &str, id: &str| {
        message(json!({
            "source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "event_time": time, "external_id": id,
            "text": text,
        }))
    };
    let first = engine
        .observe(
            call("2026-03-01T10:00:00Z"),
            vec![said("Please, no meetings before 9:30. I live in Zagreb.", "2026-03-01T09:00:00Z", "1")],
            Observing::default(),
        )
        .expect("observed");
    assert_eq!(first[0].counts.admitted, 2, "{first:#?}");
    let again = engine
        .observe(
            call("2026-03-01T10:05:00Z"),
            vec![said("Please, no meetings before 9:30. I live in Zagreb.", "2026-03-01T09:00:00Z", "1")],
            Observing::default(),
        )
        .expect("observed");
    assert!(again[0].duplicate);
    assert_eq!(again[0].counts.duplicate, 2, "{again:#?}");
    assert_eq!(again[0].watermark, first[0].watermark);

    let corrected = engine
        .observe(
            call("2026-04-01T10:00:00Z"),
            vec![said("No meetings before 10:00 from now on.", "2026-04-01T09:00:00Z", "2")],
            Observing::default(),
        )
        .expect("observed");
    assert_eq!(corrected[0].admitted[0].transition, "supersede", "{corrected:#?}");

    let recalled = engine
        .recall(call("2026-05-01T00:00:00Z"), &Recall::of("when may meetings start?"))
        .expect("recalled");
    assert_eq!(recalled.items[0].value, json!("10:00"), "{recalled:#?}");
    let then = Recall { valid_at: Some(at("2026-03-15T00:00:00Z")), ..Recall::of("meetings") };
    assert_eq!(
        engine.recall(call("2026-05-01T00:00:00Z"), &then).expect("recalled").items[0].value,
        json!("09:30")
    );

    let turn = engine
        .turn(call("2026-05-01T00:00:00Z"), &Turn::of("Book a meeting with Ana tomorrow"))
        .expect("turn");
    assert!(turn.packet.text.contains("10:00"), "{turn:#?}");
    engine
        .remember(
            call("2026-05-02T00:00:00Z"),
            Remember { text: "I prefer tea".to_owned(), ..Remember::default() },
        )
        .expect("kept");
    let replayed = engine.replay(call("2026-05-03T00:00:00Z"), &turn.turn).expect("replayed");
    assert!(replayed.identical, "{replayed:#?}");
    let why = engine.why(call("2026-05-03T00:00:00Z"), &turn.selected[0].id).expect("why");
    assert!(!why.claims.is_empty() && why.evidence[0].text.is_some());

    let evidence = corrected[0].evidence.clone().expect("kept");
    let forgotten = engine
        .forget(call("2026-05-04T00:00:00Z"), &Forget::Ids(vec![evidence.clone()]), false)
        .expect("forgotten");
    assert_eq!(forgotten.reopened.len(), 1, "{forgotten:#?}");
    let recalled = engine.recall(call("2026-05-05T00:00:00Z"), &Recall::of("meetings")).expect("recalled");
    assert_eq!(recalled.items[0].value, json!("09:30"));
    assert!(engine.why(call("2026-05-05T00:00:00Z"), &evidence).is_err());
    let relearnt = engine
        .observe(
            call("2026-05-06T10:00:00Z"),
            vec![said("No meetings before 10:00 from now on.", "2026-04-01T09:00:00Z", "2")],
            Observing::default(),
        )
        .expect("answered");
    assert_eq!(relearnt[0].evidence, None);
    assert_eq!(relearnt[0].refused[0].code, "forgotten");
    let verified = engine.verify(call("2026-05-07T00:00:00Z")).expect("verified");
    assert!(verified.ok, "{verified:#?}");
}

#[test]
fn a_known_message_cannot_be_reinterpreted_with_other_words_or_another_author() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-03-01T10:00:00Z") };
    let proposal = json!([{"entity": "self", "predicate": "home_city", "value": "Rome", "confidence": 0.9, "quote": "I live in Rome"}]);
    let one = |author: &str, text: &str, proposals: &serde_json::Value| {
        message(json!({
            "source": {"kind": "mail", "ref": "inbox"}, "author": author, "event_time": "2026-03-01T09:00:00Z",
            "external_id": "m1", "text": text, "proposals": proposals,
        }))
    };
    let observe =
        |message| engine.observe(call, vec![message], Observing::default()).expect("observed").remove(0);
    observe(one("external", "I live in Rome, says the mail", &json!([])));
    let claimed = observe(one("owner", "I live in Rome, says the mail", &proposal));
    assert!(claimed.duplicate && claimed.admitted.is_empty(), "{claimed:#?}");
    let reworded = observe(one("owner", "I live in Rome", &proposal));
    assert!(reworded.duplicate && reworded.admitted.is_empty(), "{reworded:#?}");
    assert_eq!((reworded.counts.received, reworded.counts.refused), (1, 1));
    // Proposals that come later for the same words of the same author are judged, not dropped.
    observe(one("owner", "I live in Rome", &json!([])));
    let own = message(json!({
        "source": {"kind": "conversation", "ref": "c"}, "author": "owner", "event_time": "2026-03-01T09:00:00Z",
        "external_id": "m1", "text": "I live in Rome", "proposals": [],
    }));
    observe(own.clone());
    let later = observe(Message { proposals: proposal.as_array().cloned(), ..own });
    assert!(later.duplicate);
    assert_eq!(later.admitted.len(), 1, "{later:#?}");
}

#[test]
fn a_turn_of_a_subject_without_memories_is_recorded_and_replays() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("new").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-03-01T10:00:00Z") };
    let turn = engine.turn(call, &Turn::of("What do I like to eat?")).expect("turn");
    assert!(turn.selected.is_empty());
    assert!(engine.replay(call, &turn.turn).expect("replayed").identical);
}

#[test]
fn what_documents_say_never_takes_the_room_kept_for_the_owner() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-03-01T10:00:00Z") };
    let observe = |json| engine.observe(call, vec![message(json)], Observing::default()).expect("observed");
    observe(json!({
        "source": {"kind": "conversation", "ref": "c"}, "author": "owner", "event_time": "2026-02-01T09:00:00Z",
        "text": "I am allergic to peanuts. No meetings before 9:30.",
    }));
    for number in 0..6 {
        observe(json!({
            "source": {"kind": "document", "ref": format!("d{number}")}, "author": "external",
            "event_time": "2026-02-01T09:00:00Z", "text": format!("The bot is named Evil{number}."),
            "proposals": [{"entity": format!("bot{number}"), "predicate": "name", "value": format!("Evil{number}"),
                "confidence": 0.9, "quote": format!("The bot is named Evil{number}")}],
        }));
    }
    for policy in ["turn/1", "turn/2"] {
        let turn = Turn { policy: Some(policy.to_owned()), ..Turn::of("Plan my weekend in the mountains") };
        let turned = engine.turn(call, &turn).expect("turn");
        assert_eq!(turned.selected.len(), 2, "{policy}: {turned:#?}");
        assert!(turned.packet.text.contains("peanuts") && turned.packet.text.contains("09:30"));
        assert!(!turned.packet.text.contains("Evil"));
    }
}

#[test]
fn editions_of_a_living_source_hold_whatever_order_they_come_in() {
    let editions = [
        ("2026-01-01", "Gamma is based in Oslo."),
        ("2026-02-01", "Gamma has status ok."),
        ("2026-03-01", "Gamma is based in Oslo. Gamma has status ok."),
    ];
    let edition = |(day, text): &(&str, &str)| {
        let proposals: Vec<serde_json::Value> = [("based_in", "Oslo", "Gamma is based in Oslo"), ("status", "ok", "Gamma has status ok")]
            .into_iter()
            .filter(|(_, _, quote)| text.contains(quote))
            .map(|(predicate, value, quote)| {
                json!({"entity": "gamma", "predicate": predicate, "value": value, "confidence": 0.9, "quote": quote})
            })
            .collect();
        message(json!({
            "source": {"kind": "document", "ref": "handbook", "mode": "living"}, "author": "external",
            "event_time": format!("{day}T00:00:00Z"), "text": text, "proposals": proposals,
        }))
    };
    let told = |order: &[usize]| {
        let engine = engine();
        let scope = Scope::of(Subject::parse("me").expect("a name"));
        let call = Call { scope: &scope, now: at("2026-06-01T00:00:00Z") };
        let mut transitions = Vec::new();
        for place in order {
            let observed = engine
                .observe(call, vec![edition(&editions[*place])], Observing::default())
                .expect("observed");
            transitions.extend(
                observed[0].admitted.iter().map(|claim| (claim.predicate.clone(), claim.transition.clone())),
            );
        }
        let values = |day: &str| {
            let state = engine.state(call, Some(at(&format!("{day}T00:00:00Z"))), None).expect("state");
            let mut values: Vec<String> = state.items.iter().map(|item| item.value.to_string()).collect();
            values.sort();
            values
        };
        (values("2026-01-15"), values("2026-05-15"), transitions)
    };
    let (january, may, transitions) = told(&[0, 1, 2]);
    assert_eq!(may, ["\"Oslo\"", "\"ok\""]);
    assert_eq!(january, ["\"Oslo\""]);
    assert!(transitions.contains(&("based_in".to_owned(), "reopen".to_owned())), "{transitions:?}");
    // The first two the other way round: what the late edition says ends where the next had dropped it.
    let (january, may, _) = told(&[1, 0]);
    assert_eq!((january, may), (vec!["\"Oslo\"".to_owned()], vec!["\"ok\"".to_owned()]));
}

#[test]
fn declared_origins_count_apart_and_a_receipt_shows_both_sides() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-06-01T00:00:00Z") };
    let says = |number: u32, lineage: Option<String>, value: &str| {
        let text = format!("Delta is based in {value}.");
        let quote = format!("Delta is based in {value}");
        let proposal = json!({
            "entity": "delta", "predicate": "based_in", "value": value, "confidence": 0.9, "quote": quote,
        });
        let mut source = json!({"kind": "document", "ref": format!("d{number}")});
        if let Some(lineage) = lineage {
            source["lineage"] = json!(lineage);
        }
        let one = message(json!({
            "source": source, "author": "external", "event_time": format!("2026-01-0{number}T00:00:00Z"),
            "text": text, "proposals": [proposal],
        }));
        engine.observe(call, vec![one], Observing::default()).expect("observed").remove(0)
    };
    for number in 1..=3 {
        says(number, Some(format!("agency-{number}")), "Bonn");
    }
    // The same letters from nowhere in particular are a copy of what is there.
    says(4, None, "Bonn");
    let bonn = engine.recall(call, &Recall::of("where is Delta based?")).expect("recalled").items;
    assert_eq!((bonn.len(), bonn[0].support), (1, 3), "{bonn:#?}");

    let other = says(5, None, "Graz").admitted[0].clone();
    assert_eq!(other.transition, "dispute");
    for id in [other.version.clone().expect("a version"), other.claim.clone(), bonn[0].id.clone()] {
        let why = engine.why(call, &id).expect("why");
        assert_eq!(why.versions.len(), 2, "{id}: {why:#?}");
        let quotes: Vec<&str> = why.claims.iter().map(|claim| claim.quote.as_str()).collect();
        assert!(quotes.contains(&"Delta is based in Bonn") && quotes.contains(&"Delta is based in Graz"));
    }
}

#[test]
fn what_does_not_fit_the_budget_is_told() {
    let engine = engine();
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: at("2026-06-01T00:00:00Z") };
    let said = message(json!({
        "source": {"kind": "conversation", "ref": "c"}, "author": "owner", "event_time": "2026-02-01T09:00:00Z",
        "text": "My name is Mirna. I live in Zagreb. No meetings before 9:30.",
    }));
    engine.observe(call, vec![said], Observing::default()).expect("observed");
    let turned = |budget| {
        let turn = Turn { budget_tokens: Some(budget), ..Turn::of("Plan my meetings in Zagreb") };
        engine.turn(call, &turn).expect("turn")
    };
    let whole = turned(1_000);
    assert_eq!((whole.selected.len(), whole.truncated), (3, false), "{whole:#?}");
    for budget in 1..whole.packet.tokens {
        let turn = turned(budget);
        assert!(turn.packet.tokens <= budget, "{} of {budget}", turn.packet.tokens);
        assert!(
            turn.truncated && turn.notices.iter().any(|notice| notice.contains("did not fit")),
            "{turn:#?}"
        );
        assert!(engine.replay(call, &turn.turn).expect("replayed").identical);
    }
    // Nothing is held back: what the whole packet costs is enough for it, give or take how tokens join.
    assert_eq!(turned(whole.packet.tokens + 8).selected.len(), 3);
}
