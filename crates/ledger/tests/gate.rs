//! The gate: one row for each way in and out, and the laws it keeps on any input.

use ledger::admission::Policies;
use ledger::claim::{Quote, Realm};
use ledger::evidence::Author;
use ledger::gate::{RefusalCode, Testimony, judge};
use ledger::proposal::Proposal;
use ledger::regions::foreign_regions;
use ledger::time::Moment;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn said_at() -> Moment {
    "2026-03-02T10:00:00+01:00[Europe/Zagreb]".parse().expect("a moment")
}

/// The answer for the first proposal of a message: the realm it was admitted into, or the code it was refused with.
fn answer(author: Author, text: &str, proposal: Json) -> Result<Realm, String> {
    let policies = Policies::shipped();
    let foreign = foreign_regions(text);
    let event_time = said_at();
    let testimony =
        Testimony { author, text, event_time: &event_time, foreign: &foreign, kept_on_purpose: false };
    let proposal = Proposal::read(&proposal).map_err(|error| format!("failed: {error}"))?;
    judge(&testimony, 0, &proposal, &policies)
        .map(|admitted| admitted.realm)
        .map_err(|refusal| refusal.code.as_str().to_owned())
}

fn claim(predicate: &str, value: &str, quote: &str) -> Json {
    json!({"entity": "self", "predicate": predicate, "value": value, "confidence": 0.95, "quote": quote})
}

fn with(mut proposal: Json, field: &str, value: Json) -> Json {
    proposal[field] = value;
    proposal
}

/// A story, who says it, the message, the proposal, and what becomes of it.
type Case = (&'static str, Author, &'static str, Json, Result<Realm, String>);

#[test]
fn each_code_has_its_case() {
    let lives = "I live in Zagreb.";
    let city = || claim("home_city", "Zagreb", "I live in Zagreb");
    let fails = |code: RefusalCode| Err(code.as_str().to_owned());
    let owner = Author::Owner;
    let table: Vec<Case> = vec![
        ("the plain case", owner, lives, city(), Ok(Realm::Owner)),
        ("white space and composition fold", owner, "I live\n  in  Zagreb.", city(), Ok(Realm::Owner)),
        (
            "about the owner, by a document",
            Author::External,
            lives,
            city(),
            fails(RefusalCode::NotOwnerAuthored),
        ),
        (
            "the owner by another name",
            Author::External,
            lives,
            with(city(), "entity", json!("User")),
            fails(RefusalCode::NotOwnerAuthored),
        ),
        (
            "a reply of a model about the world",
            Author::Assistant,
            "Acme is based in Zagreb.",
            json!({"entity": "acme", "predicate": "based_in", "value": "Zagreb", "confidence": 1, "quote": "Acme is based in Zagreb"}),
            fails(RefusalCode::NotOwnerAuthored),
        ),
        (
            "a document about the world",
            Author::External,
            "Acme is based in Zagreb.",
            json!({"entity": "acme", "predicate": "based_in", "value": "Zagreb", "confidence": 1, "quote": "Acme is based in Zagreb"}),
            Ok(Realm::World),
        ),
        ("quoted mail", owner, "Look:\n> I live in Zagreb.\n", city(), fails(RefusalCode::ThirdPartyWords)),
        (
            "said by the owner as well as quoted",
            owner,
            "> I live in Zagreb.\n\nMe too: I live in Zagreb.",
            city(),
            Ok(Realm::Owner),
        ),
        (
            "words that only introduce a paste",
            owner,
            "Got this file:\n\n```\nGot a question?\n```\nPlease check it.",
            claim("note", "Got a question?", "Got this file:"),
            fails(RefusalCode::ThirdPartyWords),
        ),
        (
            "a statement before a paste",
            owner,
            "I live in Zagreb.\n```\nGot a question?\n```\n",
            city(),
            Ok(Realm::Owner),
        ),
        ("an echo of a packet", owner, "[M1] I live in Zagreb.", city(), fails(RefusalCode::RecalledMemory)),
        (
            "an entity with spaces",
            owner,
            lives,
            with(city(), "entity", json!("the whole team")),
            fails(RefusalCode::MalformedEntity),
        ),
        (
            "no such predicate",
            owner,
            lives,
            with(city(), "predicate", json!("home_town")),
            fails(RefusalCode::UnknownPredicate),
        ),
        (
            "no time of day",
            owner,
            "No meetings before noonish.",
            claim("no_meetings_before", "noonish", "No meetings before noonish"),
            fails(RefusalCode::ValueTypeMismatch),
        ),
        (
            "not sure enough",
            owner,
            lives,
            with(city(), "confidence", json!(0.1)),
            fails(RefusalCode::LowConfidence),
        ),
        (
            "words that do not stand there",
            owner,
            "I live in Split.",
            city(),
            fails(RefusalCode::QuoteNotFound),
        ),
        (
            "no quote",
            owner,
            lives,
            json!({"entity": "self", "predicate": "home_city", "value": "Zagreb", "confidence": 0.9}),
            fails(RefusalCode::QuoteNotFound),
        ),
        (
            "too short a quote",
            owner,
            lives,
            claim("home_city", "Zagreb", "Za"),
            fails(RefusalCode::QuoteOutOfBounds),
        ),
        (
            "a value the quote does not hold",
            owner,
            lives,
            claim("home_city", "Split", "I live in Zagreb"),
            fails(RefusalCode::ValueNotGrounded),
        ),
        (
            "a question",
            owner,
            "Do I live in Zagreb?",
            claim("home_city", "Zagreb", "I live in Zagreb"),
            fails(RefusalCode::NotAsserted),
        ),
        (
            "a condition",
            owner,
            "If I live in Zagreb next year, call me.",
            city(),
            fails(RefusalCode::NotAsserted),
        ),
        (
            "a denial",
            owner,
            "I don't think so: I do not live in Zagreb.",
            claim("home_city", "Zagreb", "live in Zagreb"),
            fails(RefusalCode::NotAsserted),
        ),
        (
            "reversed interval",
            owner,
            lives,
            with(with(city(), "valid_from", json!("2026-02-01")), "valid_to", json!("2026-01-01")),
            fails(RefusalCode::InvalidInterval),
        ),
        (
            "year 0",
            owner,
            lives,
            with(city(), "valid_from", json!("0000-01-01")),
            fails(RefusalCode::InvalidInterval),
        ),
        (
            "year 9999 as an end",
            owner,
            lives,
            with(city(), "valid_to", json!("9999-12-30")),
            Ok(Realm::Owner),
        ),
        (
            "a secret",
            owner,
            "Remember my key AKIAIOSFODNN7EXAMPLQ for later.",
            claim("note", "my key AKIAIOSFODNN7EXAMPLQ", "my key AKIAIOSFODNN7EXAMPLQ"),
            fails(RefusalCode::SecretLike),
        ),
        (
            "no value",
            owner,
            lives,
            json!({"entity": "self", "predicate": "home_city", "confidence": 0.9, "quote": "I live in Zagreb"}),
            fails(RefusalCode::ValueTypeMismatch),
        ),
        (
            "a retraction that leaves open which of many values",
            owner,
            "I no longer like it.",
            json!({"entity": "self", "predicate": "likes", "confidence": 0.9, "quote": "I no longer like it", "op": "retract"}),
            fails(RefusalCode::ValueTypeMismatch),
        ),
    ];
    for (story, author, text, proposal, wanted) in table {
        assert_eq!(answer(author, text, proposal), wanted, "{story}");
    }
}

#[test]
fn proposals_beyond_the_first_five_are_refused_whatever_they_say() {
    let policies = Policies::shipped();
    let event_time = said_at();
    let testimony = Testimony {
        author: Author::Owner,
        text: "I live in Zagreb.",
        event_time: &event_time,
        foreign: &[],
        kept_on_purpose: false,
    };
    let proposal = Proposal::read(&claim("home_city", "Zagreb", "I live in Zagreb")).expect("readable");
    assert!(judge(&testimony, 4, &proposal, &policies).is_ok());
    let refusal = judge(&testimony, 5, &proposal, &policies).expect_err("one too many");
    assert_eq!(refusal.code, RefusalCode::TooManyProposals);
}

fn any_author() -> impl Strategy<Value = Author> {
    proptest::sample::select(Author::ALL.to_vec())
}

/// Text with the pieces that decide: quotes, questions, fences, times, names.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("I live in Zagreb. ".to_owned()),
        Just("> ".to_owned()),
        Just("\n".to_owned()),
        Just("```\n".to_owned()),
        Just("[M1] ".to_owned()),
        Just("No meetings before 9:30. ".to_owned()),
        Just("if ".to_owned()),
        Just("? ".to_owned()),
        Just("živim u Zagrebu, ".to_owned()),
        "\\PC{0,12}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn any_proposal() -> impl Strategy<Value = Json> {
    let word = prop_oneof![
        Just("self".to_owned()),
        Just("acme".to_owned()),
        Just("project:alpha".to_owned()),
        "\\PC{0,10}"
    ];
    let predicate = prop_oneof![
        Just("home_city".to_owned()),
        Just("no_meetings_before".to_owned()),
        Just("likes".to_owned()),
        Just("note".to_owned()),
        "[a-z_]{0,12}"
    ];
    let value = prop_oneof![
        Just(json!("Zagreb")),
        Just(json!("9:30")),
        any::<i64>().prop_map(|number| json!(number)),
        any::<bool>().prop_map(|truth| json!(truth)),
        "\\PC{0,20}".prop_map(|text| json!(text)),
        Just(Json::Null),
    ];
    let quote = prop_oneof![
        Just("I live in Zagreb".to_owned()),
        Just("No meetings before 9:30".to_owned()),
        Just("živim u Zagrebu".to_owned()),
        "\\PC{0,20}"
    ];
    let time = proptest::option::of(prop_oneof![
        Just("2026-01-01".to_owned()),
        Just("0000-01-01".to_owned()),
        Just("9999-12-31T23:59:59Z".to_owned()),
        "\\PC{0,12}"
    ]);
    (word, predicate, value, 0.0..=1.0_f64, quote, time.clone(), time, any::<bool>()).prop_map(
        |(entity, predicate, value, confidence, quote, from, to, retract)| {
            json!({
                "entity": entity, "predicate": predicate, "value": value, "confidence": confidence, "quote": quote,
                "valid_from": from, "valid_to": to, "op": if retract { "retract" } else { "assert" },
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_gate_is_total_and_admits_only_what_stands_in_the_words(
        author in any_author(), text in any_text(), json in any_proposal(), index in 0..8_usize,
    ) {
        let policies = Policies::shipped();
        let foreign = foreign_regions(&text);
        let event_time = said_at();
        let testimony =
            Testimony { author, text: &text, event_time: &event_time, foreign: &foreign, kept_on_purpose: false };
        let Ok(proposal) = Proposal::read(&json) else { return Ok(()) };
        let answer = judge(&testimony, index, &proposal, &policies);
        prop_assert_eq!(&answer, &judge(&testimony, index, &proposal, &policies));
        let Ok(admitted) = answer else { return Ok(()) };
        prop_assert!(admitted.quotes.iter().all(|quote: &Quote| quote.stands_in(&text)));
        prop_assert_eq!(admitted.realm == Realm::Owner, author == Author::Owner);
        prop_assert!(author != Author::Assistant && index < 5);
        prop_assert!(admitted.realm == Realm::Owner || !admitted.entity.is_owner());
        for quote in admitted.quotes.iter() {
            let span = ledger::quote::Span { start: quote.span().start as usize, end: quote.span().end as usize };
            prop_assert!(!ledger::regions::recalled(&foreign, span));
            prop_assert!(author != Author::Owner || !ledger::regions::third_party(&foreign, span));
        }
        if let (Some(from), Some(to)) = (admitted.valid_from, admitted.valid_to) {
            prop_assert!(from < to);
        }
    }

    #[test]
    fn any_json_is_a_proposal_or_says_why_not(text in "\\PC{0,60}") {
        let json: Json = serde_json::from_str(&text).unwrap_or(Json::String(text));
        if let Err(error) = Proposal::read(&json) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
