//! Forgetting at the command line: what goes is told before, a receipt is given after, and a lift is an act.

use crate::support::{Memory, lines, owner, run};
use serde_json::{Value as Json, json};

/// Four messages in two sessions of one conversation, each with something the rules read.
fn said(memory: &Memory) {
    let say = |session: &str, time: &str, text: &str| {
        let mut message = owner(text, time);
        message["session"] = json!(session);
        message
    };
    let messages = [
        say("morning", "2026-03-01T09:00:00Z", "I live in Zagreb."),
        say("evening", "2026-03-08T20:00:00Z", "I live in Split."),
        say("evening", "2026-03-08T21:00:00Z", "No meetings before 9:30."),
        say("morning", "2026-03-16T00:00:00Z", "I like chess."),
    ];
    memory.observe(&lines(&messages), &[]).ended(0);
}

fn count(memory: &Memory) -> usize {
    let state = run(memory.command(&["--json", "state"]), b"").json();
    state["items"].as_array().map_or(0, Vec::len)
}

#[test]
fn the_dry_run_tells_everything_for_people_and_for_programs() {
    let memory = Memory::new();
    said(&memory);
    let told = memory.run(&["forget", "--session", "evening", "--dry-run"]).ended(0).out;
    for line in
        ["would be forgotten: 0 sources, 2 messages", "goes: message: 2026-03-08", "stands again: version:"]
    {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains("receipt"), "{told}");
    let dry = memory.json(0, &["forget", "--session", "evening", "--dry-run"]);
    let fates: Vec<String> = dry["list"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|thing| format!("{} {}", thing["fate"], thing["kind"]).replace('"', ""))
        .collect();
    assert_eq!(fates, ["goes message", "goes message", "goes version", "goes version", "reopens version"]);
    assert_eq!(count(&memory), 3, "nothing was forgotten");
    let real = memory.json(0, &["forget", "--session", "evening", "--yes"]);
    assert_eq!((&real["erased"], &real["reopened"]), (&dry["erased"], &dry["reopened"]));
    assert!(real.get("list").is_none(), "what was forgotten is not told again: {real}");
    assert_eq!(count(&memory), 2);
    memory.verify();
}

#[test]
fn a_time_range_is_half_open_and_may_be_of_one_source() {
    let memory = Memory::new();
    said(&memory);
    let range = ["forget", "--from", "2026-03-08T20:00:00Z", "--to", "2026-03-16"];
    let elsewhere = [&range[..], &["--source", "conversation:c2", "--dry-run"]].concat();
    memory.run(&elsewhere).ended(1);
    let forgotten = memory.json(0, &[&range[..], &["--source", "conversation:c1", "--yes"]].concat());
    assert_eq!(forgotten["erased"]["evidence"], 2, "{forgotten}");
    assert_eq!(forgotten["receipt"]["asked"], "messages");
    // Nothing is left in that span; an empty span and no span at all are the caller's mistakes.
    memory.run(&range).ended(3);
    memory.run(&["forget", "--from", "2026-03-08", "--to", "2026-03-08"]).ended(3);
    memory.run(&["forget"]).ended(2);
    memory.run(&["forget", "ev_x", "--session", "morning"]).ended(2);
    assert_eq!(count(&memory), 2);
}

#[test]
fn a_receipt_holds_whatever_is_written_later_and_none_other_does() {
    let memory = Memory::new();
    said(&memory);
    let check = |receipt: &Json, exit: i32| {
        let ran =
            run(memory.command(&["--json", "verify", "--receipt", "-"]), receipt.to_string().as_bytes());
        ran.ended(exit).json()
    };
    let answer = memory.json(0, &["forget", "--session", "evening", "--by", "the clerk", "--yes"]);
    let receipt = &answer["receipt"];
    assert_eq!((&receipt["by"], &receipt["rows"]["evidence"]), (&json!("the clerk"), &json!(2)), "{receipt}");
    assert!(!receipt.to_string().contains("evening"), "{receipt}");
    assert_eq!(check(receipt, 0)["ok"], true);
    assert_eq!(check(&answer, 0)["ok"], true, "the whole answer will do");

    memory.run(&["remember", "I like tea."]).ended(0);
    let second = memory.json(0, &["forget", "--session", "morning", "--yes"]);
    assert_eq!(check(receipt, 0)["ok"], true, "after later writes and erasures");
    assert_eq!(check(&second["receipt"], 0)["ok"], true);
    let changes: [(&str, Json); 6] = [
        ("rows", second["receipt"]["rows"].clone()),
        ("by", json!("the owner")),
        ("at", json!("2026-01-01T00:00:00Z")),
        ("asked", json!("ids")),
        ("watermark", second["receipt"]["watermark"].clone()),
        ("chain", second["receipt"]["chain"].clone()),
    ];
    for (field, value) in changes {
        let mut changed = receipt.clone();
        assert_ne!(changed[field], value, "{field}");
        changed[field] = value;
        let checked = check(&changed, 1);
        assert_eq!(checked["ok"], false, "{field}");
        assert!(
            checked["problems"].to_string().contains(field) || field == "watermark",
            "{field}: {checked}"
        );
    }
    assert!(
        run(memory.command(&["verify", "--receipt", "-"]), b"no receipt")
            .ended(3)
            .err
            .contains("is no receipt")
    );
    memory.run(&["verify", "--receipt", "/nowhere/receipt.json"]).ended(3);
    // Another's memory does not bear it out.
    let other = run(
        memory.command(&["--subject", "bo", "--json", "verify", "--receipt", "-"]),
        receipt.to_string().as_bytes(),
    );
    assert_eq!(other.ended(1).json()["ok"], false);
}

#[test]
fn a_subject_that_is_gone_leaves_a_receipt_that_can_be_checked() {
    let memory = Memory::new();
    said(&memory);
    let first = memory.json(0, &["forget", "--session", "evening", "--yes"]);
    let whole = memory.json(0, &["forget", "--subject", "--by", "the clerk", "--yes"]);
    let receipt = &whole["receipt"];
    assert_eq!((&receipt["asked"], &receipt["record"]), (&json!("subject"), &json!(1)), "{receipt}");
    let check = |subject: &str, receipt: &Json| {
        let command = memory.command(&["--subject", subject, "--json", "verify", "--receipt", "-"]);
        run(command, receipt.to_string().as_bytes()).json()
    };
    assert_eq!(check("me", receipt)["ok"], true);
    assert_eq!(check("somebody", receipt)["ok"], false);
    let gone = check("me", &first["receipt"]);
    assert!(gone["problems"].to_string().contains("forgotten whole"), "{gone}");
    // A next life, and its end.
    memory.run(&["remember", "I like tea."]).ended(0);
    assert_eq!(check("me", receipt)["ok"], true);
    let again = memory.json(0, &["forget", "--subject", "--yes"]);
    assert_eq!(again["receipt"]["record"], 2);
    for (receipt, ok) in [(receipt, true), (&again["receipt"], true)] {
        assert_eq!(check("me", receipt)["ok"], ok, "{receipt}");
    }
    let mut changed = receipt.clone();
    changed["by"] = json!("the owner");
    assert_eq!(check("me", &changed)["ok"], false);
    memory.verify();
}

#[test]
fn a_lift_lets_a_source_be_learnt_again() {
    let memory = Memory::new();
    said(&memory);
    memory.run(&["forget", "--source", "conversation:c1", "--yes"]).ended(0);
    said(&memory);
    assert_eq!(count(&memory), 0, "what was forgotten does not come back by itself");
    assert_eq!(memory.json(0, &["lift", "conversation:c2"])["lifted"], 0);
    memory.run(&["lift", "c1"]).ended(3);
    memory.run(&["lift"]).ended(2);
    let lifted = memory.json(0, &["lift", "conversation:c1"]);
    assert!(lifted["lifted"].as_u64().is_some_and(|marks| marks > 4), "{lifted}");
    let again = memory.json(0, &["lift", "conversation:c1"]);
    assert_eq!((&again["lifted"], &again["watermark"]), (&json!(0), &lifted["watermark"]), "once is enough");
    said(&memory);
    assert_eq!(count(&memory), 3);
    memory.run(&["forget", "--session", "evening", "--yes"]).ended(0);
    said(&memory);
    assert_eq!(count(&memory), 2);
    assert!(memory.json(0, &["lift", "--all"])["lifted"].as_u64().is_some_and(|marks| marks > 0));
    said(&memory);
    assert_eq!(count(&memory), 3);
    memory.verify();
}
