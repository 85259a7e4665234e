//! A fixed story with a fixed clock, in the JSON that scripts rely on.

use std::fmt::Write;

use crate::support::{self, Memory, lines, owner, without_ids};
use serde_json::{Value as Json, json};

/// Every step's answer, pretty, in one text, so that an id has one name throughout.
struct Told(String);

impl Told {
    fn add(&mut self, title: &str, answer: &Json) {
        _ = writeln!(self.0, "== {title}\n{answer:#}");
    }
}

#[test]
fn a_story_in_json() {
    let memory = Memory::new();
    let at = |now: &str, exit: i32, arguments: &[&str]| -> Json {
        memory.json(exit, &[&["--now", now], arguments].concat())
    };
    let mut told = Told(String::new());
    let messages = [
        owner("Please, no meetings before 9:30. I live in Zagreb.", "2026-03-01T09:00:00+01:00"),
        owner("Where do I live?", "2026-03-01T09:01:00+01:00"),
    ];
    let observed = memory.observe(&lines(&messages), &["--now", "2026-03-01T10:00:00Z"]).ended(0).lines();
    assert_eq!(observed.len(), 2);
    observed.iter().for_each(|answer| told.add("observe", answer));
    let again = memory.observe(&lines(&messages), &["--now", "2026-03-02T10:00:00Z"]).ended(0).lines();
    assert_eq!(again[0]["duplicate"], json!(true));
    assert_eq!(again[0]["watermark"], observed[1]["watermark"]);

    told.add("recall", &at("2026-03-03T00:00:00Z", 0, &["recall", "when may meetings start?"]));
    told.add("recall nothing", &at("2026-03-03T00:00:00Z", 1, &["recall", "zeppelin"]));
    let corrected = at(
        "2026-04-01T00:00:00Z",
        0,
        &["remember", "No meetings before 10:00.", "--predicate", "no_meetings_before", "--value", "10:00"],
    );
    told.add("remember", &corrected);
    told.add("then", &at("2026-05-01T00:00:00Z", 0, &["recall", "meetings", "--valid-at", "2026-03-15"]));
    let turn = at("2026-05-01T00:00:00Z", 0, &["turn", "Book a meeting with Ana tomorrow"]);
    told.add("turn", &turn);
    let id = turn["turn"].as_str().expect("a turn");
    told.add("used", &at("2026-05-01T00:01:00Z", 0, &["used", id, "M1"]));
    told.add("replay", &at("2026-06-01T00:00:00Z", 0, &["replay", id]));
    let version = corrected["admitted"][0]["version"].as_str().expect("a version");
    told.add("why", &at("2026-05-02T00:00:00Z", 0, &["why", version]));
    told.add("history", &at("2026-05-02T00:00:00Z", 0, &["history", version]));
    told.add("timeline", &at("2026-05-02T00:00:00Z", 0, &["timeline"]));
    told.add("state", &at("2026-05-02T00:00:00Z", 0, &["state", "--believed-at", "2026-03-10"]));
    told.add("sources", &at("2026-05-02T00:00:00Z", 0, &["sources"]));
    let evidence = corrected["evidence"].as_str().expect("evidence");
    told.add("dry run", &at("2026-05-03T00:00:00Z", 0, &["forget", evidence, "--dry-run"]));
    told.add("forget", &at("2026-05-03T00:00:00Z", 0, &["forget", evidence]));
    told.add("forgotten", &at("2026-05-03T00:01:00Z", 1, &["why", evidence]));
    told.add("stands again", &at("2026-05-03T00:02:00Z", 0, &["recall", "meetings"]));
    told.add("verify", &at("2026-05-03T00:03:00Z", 0, &["verify"]));
    // The chain is made of salts, so no two memories have the same.
    let chain = regex::Regex::new(r#""chain": "blake3:[0-9a-f]{64}""#).expect("a pattern");
    insta::assert_snapshot!(chain.replace_all(&without_ids(&told.0), "\"chain\": \"blake3:\u{2026}\""));
}

#[test]
fn a_dispute_is_shown_whole_and_decided_with_a_reason() {
    let memory = Memory::new();
    let said = |reference: &str, number: &str| {
        json!({
            "source": {"kind": "document", "ref": reference}, "author": "external",
            "event_time": "2026-05-04T12:00:00Z", "text": format!("Acme has {number} employees."),
            "proposals": [{
                "entity": "acme", "predicate": "headcount", "value": number, "confidence": 0.9,
                "quote": format!("Acme has {number} employees"),
            }],
        })
    };
    memory.observe(&lines(&[said("a", "120"), said("b", "150")]), &[]).ended(0);
    let recalled = memory.json(0, &["recall", "employees of acme", "--limit", "1"]);
    assert_eq!(recalled["items"].as_array().map(Vec::len), Some(2), "a dispute travels whole: {recalled}");
    let disputes = memory.json(0, &["disputes"]);
    let dispute = &disputes["disputes"][0];
    let fact = dispute["fact"]["id"].as_str().expect("a fact");
    let keep = dispute["versions"][1]["id"].as_str().expect("a version");
    // Half an order is no order, and nothing is decided without a reason.
    memory.run(&["disputes", "--resolve", fact]).ended(2);
    memory.run(&["disputes", "--resolve", fact, "--keep", keep, "--reason", " "]).ended(3);
    let resolved = memory.json(0, &["disputes", "--resolve", fact, "--keep", keep, "--reason", "audited"]);
    assert_eq!(resolved["kept"], json!(keep));
    assert_eq!(memory.json(0, &["disputes"])["disputes"], json!([]));
    let timeline = memory.json(0, &["timeline"]);
    assert!(timeline.to_string().contains("audited"), "{timeline}");
    memory.verify();
}

#[test]
fn the_demo_shows_every_step() {
    let shown = support::run(
        {
            let mut command = support::command();
            command.arg("demo");
            command
        },
        b"",
    )
    .ended(0);
    insta::assert_snapshot!(without_ids(&shown.out));
}

#[test]
fn reading_makes_nothing_and_init_says_where() {
    let memory = Memory::new();
    for (exit, arguments) in [
        (1, &["recall", "anything"] as &[&str]),
        (1, &["state"]),
        (0, &["disputes"]),
        (0, &["timeline"]),
        (0, &["sources"]),
        (0, &["verify"]),
        (0, &["doctor"]),
        (0, &["export"]),
        (1, &["why", "ve_1"]),
        (1, &["forget", "ve_1"]),
        (1, &["backup", "/nonexistent/place"]),
    ] {
        let ran = memory.run(arguments);
        assert_eq!(ran.exit, exit, "{arguments:?}: {ran:#?}");
        assert!(!memory.data().exists(), "{arguments:?} made the data directory");
    }
    let made = memory.json(0, &["init"]);
    assert_eq!(made["created"], json!(true));
    assert_eq!(memory.json(0, &["init"])["created"], json!(false));
    assert!(memory.data().join("ledger.db").exists());
    let findings = memory.json(0, &["doctor"]);
    assert_eq!(findings["ok"], json!(true), "{findings}");
}

#[test]
fn options_stand_before_and_after_the_verb_and_subjects_are_apart() {
    let memory = Memory::new();
    memory.run(&["--subject", "ana", "remember", "I live in Zagreb."]).ended(0);
    memory.run(&["remember", "I live in Split.", "--subject", "ivo"]).ended(0);
    let found = memory.json(0, &["recall", "where do I live?", "--subject", "ana"]);
    assert!(found.to_string().contains("Zagreb") && !found.to_string().contains("Split"), "{found}");
    // A foreign id answers exactly like one that never was.
    let id = found["items"][0]["id"].as_str().expect("an id");
    let foreign = memory.json(1, &["--subject", "ivo", "why", id]);
    let unknown = memory.json(1, &["--subject", "ivo", "why", &format!("ve_{}", "0".repeat(26))]);
    assert_eq!(foreign["error"]["code"], unknown["error"]["code"]);

    let dry = memory.json(0, &["--subject", "ana", "forget", "--subject", "--dry-run"]);
    assert_eq!(dry["erased"]["evidence"], json!(1), "{dry}");
    let gone = memory.json(0, &["--subject", "ana", "forget", "--subject"]);
    assert_eq!(gone["residue"], json!(0), "{gone}");
    memory.run(&["recall", "where do I live?", "--subject", "ana"]).ended(1);
    memory.run(&["recall", "where do I live?", "--subject", "ivo"]).ended(0);
    memory.verify();
}

#[test]
fn a_copy_can_be_put_back_and_an_export_observed() {
    let memory = Memory::new();
    memory.observe(&lines(&[owner("I live in Zagreb.", "2026-01-01T00:00:00Z")]), &[]).ended(0);
    memory.run(&["remember", "I prefer tea."]).ended(0);
    let state = |memory: &Memory| {
        let items = memory.json(0, &["--now", "2027-01-01T00:00:00Z", "state"]);
        let items = items["items"].as_array().expect("items").clone();
        items.iter().map(|item| item["text"].to_string()).collect::<Vec<_>>()
    };
    let copy = memory.outside().join("copy");
    let copy = copy.to_str().expect("a path");
    memory.json(0, &["backup", copy]);
    memory.run(&["backup", copy]).ended(3);
    // A copy inside would keep what is forgotten here.
    let inside = memory.data().join("copies");
    memory.run(&["backup", inside.to_str().expect("a path")]).ended(3);
    let restored = Memory::new();
    restored.json(0, &["restore", copy]);
    assert_eq!(state(&restored), state(&memory));
    restored.run(&["restore", copy]).ended(3);
    restored.verify();
    assert_eq!(restored.json(0, &["doctor"])["ok"], json!(true));
    assert_eq!(restored.json(0, &["rebuild"])["ok"], json!(true));

    let exported = memory.run(&["export"]).ended(0).out;
    let other = Memory::new();
    let observed = other.observe(exported.as_bytes(), &[]).ended(0).lines();
    assert!(observed.iter().all(|answer| answer["counts"]["failed"] == json!(0)), "{observed:#?}");
    assert!(state(&other).iter().any(|text| text.contains("Zagreb")));
    let page = memory.run(&["export", "--format", "markdown"]).ended(0).out;
    assert!(page.contains("home city: Zagreb") && page.contains("\u{201c}I live in Zagreb"), "{page}");
}
