//! **Pure core.** "Same inputs, same output: no clock, no randomness, no I/O in `ledger`."

use std::path::{Path, PathBuf};

use ledger::evidence::Author;
use ledger::gate::{Testimony, judge};
use ledger::proposal::Proposal;
use ledger::regions::foreign_regions;
use ledger::time::Moment;
use proofs::{Keeper, World, at};
use serde_json::Value as Json;

use crate::speak::{Dice, claim, told};

/// The same life, told to a world.
fn live(world: &World) -> Vec<Json> {
    let mut dice = Dice::new(20);
    let mut answers = Vec::new();
    for day in 1..29 {
        let now = format!("2026-03-{day:02}");
        let city = *dice.pick(&["Zagreb", "Split", "Rijeka"]);
        let people = *dice.pick(&["250", "300"]);
        let name = *dice.pick(&["handbook", "brochure"]);
        answers.push(told(&world.said(
            &now,
            &format!("I live in {city}. I like puzzle {day}."),
            &[
                claim("self", "home_city", city, &format!("I live in {city}")),
                claim("self", "likes", &format!("puzzle {day}"), &format!("I like puzzle {day}")),
            ],
        )));
        answers.push(told(&world.document(
            name,
            &now,
            &format!("On day {day} Acme has {people} employees."),
            &[claim("acme", "headcount", people, &format!("Acme has {people} employees"))],
        )));
    }
    for message in ["where do I live?", "Acme employees", "puzzle", "thanks"] {
        answers.push(told(&world.turn("2026-04-01", message)));
        answers.push(told(&world.recall("2026-04-01", message)));
    }
    answers.push(told(&world.state("2026-04-01")));
    answers.push(Json::String(world.printed("2026-04-01")));
    answers
}

/// Ids are sealed under keys of their own in each world; they are numbered in the order of appearance instead.
fn without_ids(answers: &[Json]) -> String {
    let text = serde_json::to_string_pretty(answers).expect("JSON");
    let mut known: Vec<String> = Vec::new();
    let mut plain = String::new();
    for part in text.split_inclusive('"') {
        let word = part.trim_end_matches('"');
        let is_id = word.len() == 29
            && ["ev_", "cl_", "fa_", "ve_", "so_", "tu_"].iter().any(|prefix| word.starts_with(prefix));
        if !is_id {
            plain.push_str(part);
            continue;
        }
        let number = known.iter().position(|id| id == word).unwrap_or_else(|| {
            known.push(word.to_owned());
            known.len() - 1
        });
        plain.push_str(&format!("{}{number}\"", &word[..3]));
    }
    plain
}

#[test]
fn the_same_life_gives_the_same_ledger_and_the_same_answers_everywhere() {
    let mut all = Keeper::ALL.iter().flat_map(|keeper| [*keeper, *keeper]).map(|keeper| {
        let world = World::new(keeper);
        without_ids(&live(&world))
    });
    let first = all.next().expect("a world");
    assert!(first.contains("Zagreb") && first.contains("dispute") && first.len() > 10_000);
    for other in all {
        assert_eq!(first, other);
    }
}

#[test]
fn the_gate_answers_alike_each_time() {
    let policies = ledger::admission::Policies::shipped();
    let text = "I live in Zagreb. > I live in Split\nMaybe I prefer tea. My key is AKIAIOSFODNN7EXAMPLE.";
    let moment = Moment::utc(at("2026-03-01"));
    let foreign = foreign_regions(text);
    let testimony = Testimony {
        author: Author::Owner,
        text,
        event_time: &moment,
        foreign: &foreign,
        kept_on_purpose: false,
    };
    let proposals = [
        claim("self", "home_city", "Zagreb", "I live in Zagreb"),
        claim("self", "home_city", "Split", "I live in Split"),
        claim("self", "prefers", "tea", "I prefer tea"),
        claim("self", "note", "AKIAIOSFODNN7EXAMPLE", "My key is AKIAIOSFODNN7EXAMPLE"),
    ];
    let judged = || -> Vec<String> {
        proposals
            .iter()
            .map(|json: &Json| {
                let proposal = Proposal::read(json).expect("readable");
                format!("{:?}", judge(&testimony, 0, &proposal, &policies))
            })
            .collect()
    };
    let first = judged();
    assert!(first[0].starts_with("Ok") && first[3].starts_with("Err"), "{first:#?}");
    for _ in 0..50 {
        assert_eq!(judged(), first);
    }
    let threads: Vec<Vec<String>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(judged)).collect();
        all.into_iter().map(|thread| thread.join().expect("judged")).collect()
    });
    assert!(threads.iter().all(|judged| *judged == first));
}

/// What the core may not reach for, as it would stand in its sources.
const BANNED: &[&str] = &[
    "SystemTime",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "ZonedDateTime::now",
    "UNIX_EPOCH.elapsed",
    "TimeZone::system",
    "tz::db()",
    "from_env",
    "std::env",
    "env::var",
    "std::fs",
    "File::",
    "std::io",
    "std::net",
    "std::process",
    "std::thread",
    "thread::spawn",
    "thread::sleep",
    "rand::",
    "getrandom",
    "RandomState",
    "thread_rng",
    "static mut",
    "thread_local!",
    "println!",
    "eprintln!",
    "dbg!",
    "unsafe ",
    "std::collections::HashMap",
    "std::collections::HashSet",
    "include_bytes!(\"/",
    "tokio",
    "async fn",
    "rusqlite",
    "reqwest",
];

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("the sources are read") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|name| name == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The code of a file that is compiled into the core: without comments and without its tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_core_reaches_for_no_clock_no_chance_no_file() {
    assert_eq!(code("let a = 1; // std::fs\n/// std::env\n#[cfg(test)]\nstd::io").trim(), "let a = 1;");
    let ledger = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ledger");
    let mut all = Vec::new();
    sources(&ledger.join("src"), &mut all);
    assert!(all.len() > 30, "the core was found");
    let mut hits = Vec::new();
    for file in &all {
        let text = code(&std::fs::read_to_string(file).expect("read"));
        for banned in BANNED.iter().filter(|banned| text.contains(*banned)) {
            hits.push(format!("{}: `{banned}`", file.display()));
        }
    }
    // The suite that stores are tested with plays several callers at once; it is a feature only tests switch on.
    hits.retain(|hit| {
        !(hit.contains("conformance") && (hit.contains("std::thread") || hit.contains("thread::")))
    });
    assert!(hits.is_empty(), "{hits:#?}");
    let manifest = std::fs::read_to_string(ledger.join("Cargo.toml")).expect("read");
    let needed = manifest.split("[dev-dependencies]").next().unwrap_or_default();
    for banned in ["rand", "getrandom", "tokio", "rusqlite", "chrono", "uuid", "reqwest", "fastrand", "dirs"]
    {
        let named = needed.lines().any(|line| line.trim_start().starts_with(banned));
        assert!(!named, "the core depends on `{banned}`");
    }
    let root = std::fs::read_to_string(ledger.join("../../Cargo.toml")).expect("read");
    let jiff = root.lines().find(|line| line.starts_with("jiff")).expect("the time library");
    assert!(
        jiff.contains("tzdb-bundle-always") && jiff.contains("default-features = false"),
        "zones come from the program: {jiff}"
    );
}
