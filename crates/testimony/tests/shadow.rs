//! The shadow lane from the command line, beside a process that is running.
#![allow(clippy::disallowed_methods, reason = "settings and results are written by people, not by the store")]

use std::fs;
use std::time::Duration;

use crate::support::{self, Memory};
use engine::shadow::Lane;
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::scope::{Scope, Subject};
use ledger::shadow::Event;
use serde_json::{Value as Json, json};
use testimony::Config;

/// At one turn in ten, that none of so many is drawn does not happen.
const TURNS_MAX: usize = 3_000;

/// A running process: an engine as any program embeds it.
fn running(memory: &Memory) -> Engine {
    memory.run(&["remember", "I live in Zagreb. I like chamomile tea. No meetings before 9:30."]).ended(0);
    fs::write(memory.data().join("shadow.toml"), "sample_per_mille = 900\n").expect("written");
    testimony::open(Config::at(memory.data())).expect("opened")
}

fn of(engine: &Engine, event: Event) -> u64 {
    engine.shadow().expect("a lane").counted().of(event)
}

/// Takes turns until `event` was counted so many times.
fn turns_until(engine: &Engine, event: Event, times: u64) {
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    for _ in 0..TURNS_MAX {
        if of(engine, event) >= times {
            return;
        }
        let call = Call { scope: &scope, now: testimony::now() };
        engine.turn(call, &Turn::of("where do I live, and which tea?")).expect("a turn");
        while !engine.shadow().is_some_and(Lane::is_idle) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    panic!("{event} was not seen in {TURNS_MAX} turns");
}

#[test]
fn looking_makes_nothing() {
    let memory = Memory::new();
    let status = memory.json(0, &["shadow", "status"]);
    assert_eq!(
        (&status["runs"], &status["switch"], &status["rows"]),
        (&json!(true), &json!("on"), &json!(0))
    );
    assert_eq!((&status["sample_per_mille"], &status["standing"]), (&json!(50), &json!("turn/2")));
    assert!(
        status["candidate"].as_str().is_some_and(|name| name.starts_with("turn/") && name != "turn/2"),
        "{status}"
    );
    let report = memory.json(1, &["shadow", "report"]);
    assert_eq!(report["pairs"], json!([]));
    assert!(!memory.data().exists());
}

#[test]
fn the_switch_reaches_a_running_process_and_back() {
    let memory = Memory::new();
    let engine = running(&memory);
    turns_until(&engine, Event::Compared, 1);
    assert_eq!(memory.json(0, &["shadow", "off"]), json!({"switch": "off"}));
    let compared = of(&engine, Event::Compared);
    turns_until(&engine, Event::SkippedSwitchedOff, 3);
    assert_eq!(of(&engine, Event::Compared), compared);
    assert_eq!(memory.json(0, &["shadow", "status"])["runs"], json!(false));
    memory.run(&["shadow", "on"]).ended(0);
    turns_until(&engine, Event::Compared, compared + 1);
    memory.verify();
}

#[test]
fn a_report_has_charts_tables_and_the_regression_lane_beside_it() {
    let memory = Memory::new();
    let engine = running(&memory);
    turns_until(&engine, Event::Compared, 5);
    let status = memory.json(0, &["shadow", "status"]);
    let rows = status["rows"].as_u64().expect("a number");
    assert!(rows >= 5, "{status}");
    assert_eq!((&status["sample_per_mille"], &status["asked_per_mille"]), (&json!(100), &json!(900)));
    assert!(status["counted"]["sampled"].as_u64() >= Some(5) && status["first_day"].is_string(), "{status}");
    let lanes = memory.outside().join("lanes.json");
    fs::write(
        &lanes,
        r#"{"regression": {"passed": 118, "cases": 120}, "challenge": {"passed": 3, "failed": 9}}"#,
    )
    .expect("written");
    let (svg, html) = (memory.outside().join("charts"), memory.outside().join("shadow.html"));
    let path = |path: &std::path::Path| path.to_str().expect("a path").to_owned();
    let (lanes, svg_path, html_path) = (path(&lanes), path(&svg), path(&html));
    let report =
        memory.json(0, &["shadow", "report", "--svg", &svg_path, "--html", &html_path, "--lanes", &lanes]);
    assert_eq!(report["pairs"][0]["compared"], json!(rows), "{report}");
    assert_eq!(report["lanes"]["regression"], json!({"passed": 118, "cases": 120}));
    assert_eq!(report["lanes"]["challenge"], json!({"passed": 3, "cases": 12}));
    assert_eq!(report["written"].as_array().map(Vec::len), Some(4), "{report}");
    let charts: Vec<String> = fs::read_dir(&svg)
        .expect("a directory")
        .map(|item| fs::read_to_string(item.expect("a file").path()).expect("read"))
        .collect();
    assert_eq!(charts.len(), 3);
    let page = fs::read_to_string(&html).expect("a page");
    assert!(charts.iter().all(|chart| page.contains(chart)), "the page holds the charts");
    assert!(page.contains("118") && page.contains("<table>") && !page.contains("<script"));
    for text in charts.iter().chain([&page]) {
        assert!(!text.contains("Zagreb") && !text.contains("chamomile"));
    }
    let told = memory.run(&["shadow", "report", "--lanes", &lanes]).ended(0).out;
    assert!(told.contains("regression lane: 118 of 120 cases pass"), "{told}");
    fs::write(memory.outside().join("lanes.json"), "[]").expect("written");
    let refused: Json = memory.json(3, &["shadow", "report", "--lanes", &lanes]);
    assert_eq!(refused["error"]["code"], json!("bad_input"));
}

#[test]
fn settings_that_cannot_be_followed_stop_the_lane_and_nothing_else() {
    let memory = Memory::new();
    drop(running(&memory));
    for wrong in ["candidate = \"turn/65000\"", "sample = 3", "candidate = \"\u{7}\"", "["] {
        fs::write(memory.data().join("shadow.toml"), wrong).expect("written");
        let status = memory.json(3, &["shadow", "status"]);
        assert_eq!(status["runs"], json!(false), "{wrong}");
        assert!(status["fault"].as_str().is_some_and(|fault| fault.contains("shadow.toml")), "{status}");
        assert!(testimony::open(Config::at(memory.data())).expect("opened").shadow().is_none(), "{wrong}");
        memory.json(0, &["turn", "where do I live?"]);
    }
}

#[test]
fn the_environment_keeps_the_lane_from_starting() {
    let memory = Memory::new();
    drop(running(&memory));
    let ran = |value: &str| {
        let mut command = memory.command(&["--json", "shadow", "status"]);
        command.env("TESTIMONY_SHADOW", value);
        support::run(command, b"")
    };
    let status = ran("off").ended(0).json();
    assert_eq!((&status["runs"], &status["environment"]), (&json!(false), &json!("off")));
    assert_eq!(ran("on").ended(0).json()["runs"], json!(true));
    assert_eq!(ran("perhaps").ended(3).json()["error"]["code"], json!("bad_input"));
    let config = Config { shadow: false, ..Config::at(memory.data()) };
    assert!(testimony::open(config).expect("opened").shadow().is_none());
}
