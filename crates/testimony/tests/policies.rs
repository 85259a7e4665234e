//! Policies on the command line: a directory of before, promotion, comparison, what a reply used, and the entries.
#![allow(clippy::disallowed_methods, reason = "a test lays out a directory")]

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::support::{Ran, command, run};
use serde_json::Value as Json;

/// The turns of the directory that version 1 wrote; see the fixture's page.
const TURNS: [&str; 4] = [
    "tu_67fw79r4cffyjq975jh3sm53h6",
    "tu_3mtcga1z9wyd5ftpb0zyvckars",
    "tu_4zg52z4n6wgv446xnxh8hrsspb",
    "tu_78m3m257zsv4b68bx80f3vb1w6",
];

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    /// A copy of what version 1 wrote.
    fn of_version_1() -> Self {
        let place = Self::new();
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store-sqlite/tests/fixtures/version-1");
        let groups = place.0.path().join("keys/groups");
        fs::create_dir_all(&groups).expect("a directory");
        fs::copy(fixture.join("groups/1.key"), groups.join("1.key")).expect("a key");
        let compressed = fs::read(fixture.join("ledger.db.gz")).expect("the fixture");
        let mut database = Vec::new();
        flate2::read::GzDecoder::new(&*compressed).read_to_end(&mut database).expect("whole");
        fs::write(place.0.path().join("ledger.db"), database).expect("written");
        place
    }

    fn run_with(&self, input: &str, now: &str, arguments: &[&str]) -> Ran {
        let mut command = command();
        command.env("TESTIMONY_MASTER_KEY", "07".repeat(32));
        command.arg("--data").arg(self.0.path()).args(["--json", "--now", now]).args(arguments);
        run(command, input.as_bytes())
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with("", "2026-04-01T09:00:00Z", arguments)
    }

    fn json(&self, arguments: &[&str]) -> Json {
        self.run(arguments).ended(0).json()
    }
}

#[test]
fn turns_of_before_come_out_the_same_to_the_byte() {
    let place = Place::of_version_1();
    for turn in TURNS {
        let replayed = place.json(&["replay", turn]);
        assert_eq!(replayed["identical"], true, "{turn}: {replayed}");
    }
    let diff = place.json(&["policy", "diff", "turn/1", "turn/2"]);
    assert_eq!((&diff["turns"], &diff["passed_over"]), (&3.into(), &1.into()), "{diff}");
    assert_eq!(diff["without_features"], 3, "{diff}");
    assert_eq!(
        (&diff["turns_with_use"], &diff["used"], &diff["from_kept"]),
        (&1.into(), &2.into(), &2.into()),
        "{diff}"
    );
}

#[test]
fn a_policy_is_promoted_and_rolled_back_by_recorded_acts() {
    let place = Place::new();
    let _ = place.json(&["remember", "My name is Ana."]);
    assert_eq!(place.json(&["policy", "list"])["in_force"], "turn/2");
    assert_eq!(place.json(&["turn", "Ana"])["policy"], "turn/2");
    let refused = place.run(&["policy", "promote", "turn/3", "--reason", " "]);
    assert_eq!(refused.exit, 3, "{refused:?}");
    let act = place.json(&["policy", "promote", "turn/3", "--reason", "measured", "--by", "Iva"]);
    assert_eq!((&act["from"], &act["to"], &act["by"]), (&"turn/2".into(), &"turn/3".into(), &"Iva".into()));
    let turned = place.json(&["turn", "Ana"]);
    assert_eq!(turned["policy"], "turn/3");
    assert_eq!(place.json(&["replay", turned["turn"].as_str().expect("an id")])["identical"], true);
    assert_eq!(place.run(&["policy", "promote", "turn/3", "--reason", "again"]).exit, 3);
    let other = place.json(&["--subject", "somebody else", "turn", "Ana"]);
    assert_eq!(other["policy"], "turn/3", "it is the deployment's");
    let act = place.json(&["policy", "rollback", "--reason", "worse"]);
    assert_eq!((&act["act"], &act["to"]), (&"rollback".into(), &"turn/2".into()));
    assert_eq!(place.json(&["turn", "Ana"])["policy"], "turn/2");
    assert_eq!(place.run(&["policy", "rollback", "--reason", "worse"]).exit, 3);
    let shown = place.json(&["policy", "show", "turn/3"]);
    assert_eq!(shown["numbers"]["entries_max"], 5);
    assert_eq!(shown["acts"].as_array().map(Vec::len), Some(2));
    assert_eq!(place.run(&["policy", "show", "turn/9"]).exit, 3);
}

#[test]
fn what_a_reply_used_is_read_from_its_citations() {
    let place = Place::new();
    let _ = place.json(&["remember", "My name is Ana Horvat. I live in Zagreb. No meetings before 9:30."]);
    let turned = place.json(&["turn", "Where do I live?"]);
    let turn = turned["turn"].as_str().expect("an id");
    let count = turned["selected"].as_array().expect("a list").len();
    assert!(count >= 2, "{turned}");
    let reply = "You live in Zagreb [M1], Ana (M2). `[M3]`\n\n```\n[M3]\n```\nAlso [M12].";
    let ran = place.run_with(reply, "2026-04-01T09:00:00Z", &["used", turn, "--reply", "-"]).ended(1);
    let answer = ran.json();
    assert_eq!(answer["used"], serde_json::json!(["M1", "M2"]), "{answer}");
    assert_eq!(answer["unknown"], serde_json::json!(["M12"]), "{answer}");
    let diff = place.json(&["policy", "diff", "turn/2", "turn/3"]);
    assert_eq!(
        (&diff["used"], &diff["to_kept"], &diff["without_features"]),
        (&2.into(), &2.into(), &0.into()),
        "{diff}"
    );
}

#[test]
fn an_entry_is_listed_corrected_and_forgotten() {
    let place = Place::new();
    let kept = place.json(&["remember", "--kind", "preference", "Mornings are for tea"]);
    let id = kept["admitted"][0]["version"].as_str().expect("an id").to_owned();
    let listed = place.json(&["list", "--kind", "preference"]);
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{listed}");
    let later = "2026-05-01T09:00:00Z";
    let corrected = place.run_with("", later, &["correct", &id, "Mornings are for coffee"]).ended(0).json();
    assert_eq!(corrected["counts"]["admitted"], 2, "{corrected}");
    let now = place.run_with("", later, &["list"]).ended(0).json();
    let texts = now["items"].to_string();
    assert!(texts.contains("coffee") && !texts.contains("tea"), "{now}");
    let history = place.run_with("", later, &["history", &id]).ended(0).json();
    assert!(history.to_string().contains("close"), "the old one ended with a receipt: {history}");
    let before =
        place.run_with("", later, &["recall", "--valid-at", "2026-04-15", "mornings"]).ended(0).json();
    assert!(before.to_string().contains("tea"), "and is still told of its time: {before}");
    assert_eq!(place.run_with("", later, &["correct", &id, "again"]).exit, 3);
    let new = now["items"][0]["id"].as_str().expect("an id");
    let _ = place.run_with("", later, &["forget", new]).ended(0);
    assert_eq!(place.run_with("", later, &["list"]).exit, 1);

    let one = place.json(&[
        "remember",
        "--entity",
        "self",
        "--predicate",
        "home_city",
        "--value",
        "Zagreb",
        "I live in Zagreb",
    ]);
    let id = one["admitted"][0]["version"].as_str().expect("an id");
    let corrected = place.run_with("", later, &["correct", id, "Split"]).ended(0).json();
    assert_eq!(corrected["admitted"][0]["transition"], "supersede", "{corrected}");
    let profile = place.run_with("", later, &["profile"]).ended(0).json();
    assert_eq!(profile["items"][0]["value"], "Split", "{profile}");
}

#[test]
fn a_deep_recall_walks_and_says_how() {
    let place = Place::new();
    for (entity, predicate, value, text) in [
        ("self", "spouse", "iva", "My wife is Iva"),
        ("iva", "manager", "petra", "Iva's manager is Petra"),
        ("petra", "birthday", "1980-02-03", "Petra was born on 3 February 1980"),
        ("petra", "birthday", "1981-02-03", "Petra was born on 3 February 1981"),
    ] {
        let _ = place
            .run_with(
                "",
                if value.starts_with("1981") { "2026-04-02T09:00:00Z" } else { "2026-04-01T09:00:00Z" },
                &["remember", "--entity", entity, "--predicate", predicate, "--value", value, text],
            )
            .ended(0);
    }
    let later = "2026-04-03T09:00:00Z";
    let answer =
        place.run_with("", later, &["recall", "--deep", "When was the manager of Iva born?"]).ended(0).json();
    let best = &answer["paths"][0];
    assert_eq!(best["answer"], "1981-02-03", "{answer}");
    assert_eq!(best["steps"].as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!(best["steps"][0]["words"], serde_json::json!(["manager"]), "{answer}");
    assert_eq!(best["steps"][1]["before"][0]["value"], "1980-02-03", "{answer}");
    assert_eq!(answer["items"][0]["value"], "1981-02-03", "{answer}");
    let turned =
        place.run_with("", later, &["turn", "--deep", "When was the manager of Iva born?"]).ended(0).json();
    let hops: Vec<&Json> =
        turned["selected"].as_array().expect("a list").iter().filter(|one| one["why"] == "hop").collect();
    assert_eq!(hops.len(), 2, "{turned}");
    assert_eq!(place.json(&["replay", turned["turn"].as_str().expect("an id")])["identical"], true);
    let nowhere =
        place.run_with("", later, &["recall", "--deep", "When was the manager of Marko born?"]).json();
    assert!(nowhere["paths"].as_array().is_some_and(Vec::is_empty), "{nowhere}");
    assert!(nowhere["notices"].to_string().contains("nowhere to walk"), "{nowhere}");
}
