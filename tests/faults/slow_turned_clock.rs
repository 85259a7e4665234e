//! The program itself while somebody turns the clock: a server all along, and beside it a command at every stop, in the zone of a
//! machine there. `libfaketime` tells both what a file says, and the file is changed under them.
//!
//! What is said carries no time of its own, so all of it is dated by that clock.
#![allow(clippy::disallowed_methods, reason = "the file of the clock is laid out")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use engine::answer::SpanText;
use ledger::store::Store;
use ledger::time::{Instant, Moment, Zone};
use proofs::ordeal::{Door, End, Serving};
use proofs::world::scope;
use proofs::{at, engine_on};
use serde_json::{Value as Json, json};
use store_sqlite::{Options, SqliteStore};

use crate::clock::assert_log_is_in_order;
use crate::programs::testimony;

const ZAGREB: &str = "Europe/Zagreb";
const NEW_YORK: &str = "America/New_York";

/// What the clock says, in order, and where the machine stands.
const STOPS: [(&str, &str); 19] = [
    // Into summer time, in New York and in Zagreb: an hour of the wall clock is left out.
    ("2026-03-08T06:59:59Z", NEW_YORK),
    ("2026-03-08T07:00:00Z", NEW_YORK),
    ("2026-03-29T00:59:59Z", ZAGREB),
    ("2026-03-29T01:00:00Z", ZAGREB),
    ("2026-05-01T12:00:00Z", ZAGREB),
    // Back a day, and back a year.
    ("2026-04-30T12:00:00Z", NEW_YORK),
    ("2025-05-01T12:00:00Z", ZAGREB),
    // Out of summer time: an hour of the wall clock comes twice. Then somebody sets the clock back by it.
    ("2026-10-25T00:30:00Z", ZAGREB),
    ("2026-10-25T01:30:00Z", ZAGREB),
    ("2026-10-25T00:31:00Z", ZAGREB),
    ("2026-11-01T05:30:00Z", NEW_YORK),
    ("2026-11-01T06:30:00Z", NEW_YORK),
    // A leap day.
    ("2028-02-28T23:59:59Z", ZAGREB),
    ("2028-02-29T00:00:00Z", ZAGREB),
    ("2028-02-29T23:59:59Z", NEW_YORK),
    ("2028-03-01T00:00:00Z", NEW_YORK),
    // Forward ten years, and back again.
    ("2038-03-01T00:00:00Z", ZAGREB),
    ("2026-12-01T00:00:00Z", NEW_YORK),
    ("2026-12-01T00:00:01Z", ZAGREB),
];

/// When what is said first holds: it begins before most stops and ends before others.
const FROM: &str = "2026-03-01";
const TO: &str = "2027-06-01";

/// The clock that the program is told.
struct Clock {
    library: String,
    file: PathBuf,
}

impl Clock {
    /// A clock of a file in `directory`; `None` where no `faketime` is on this machine.
    fn in_directory(directory: &Path) -> Option<Self> {
        let asked =
            Command::new("faketime").args(["-m", "2026-01-01", "printenv", "LD_PRELOAD"]).output().ok()?;
        assert!(asked.status.success(), "{asked:?}");
        let library = String::from_utf8(asked.stdout).expect("a path").trim().to_owned();
        Some(Self { library, file: directory.join("clock") })
    }

    /// Whoever goes by the clock sees this instant from now on, until it is set again.
    fn set(&self, now: &str) {
        let seconds = at(now).micros().div_euclid(1_000_000);
        let new = self.file.with_extension("new");
        fs::write(&new, format!("{seconds}\n")).and_then(|()| fs::rename(&new, &self.file)).expect("set");
    }

    /// The program on a machine that goes by it. Time that passes is still measured rightly, as by a machine whose clock is
    /// set while it runs.
    fn program(&self, zone: &str) -> Command {
        let mut command = Command::new(testimony());
        command
            .env("LD_PRELOAD", &self.library)
            .env("FAKETIME_TIMESTAMP_FILE", &self.file)
            .envs([("FAKETIME_NO_CACHE", "1"), ("FAKETIME_FMT", "%s"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")])
            .envs([("TZ", zone), ("TESTIMONY_MODELS_DIR", "no models here")]);
        command
    }

    /// What a command answers.
    fn command(&self, zone: &str, data: &Path, arguments: &[&str], input: &str) -> Json {
        let mut command = self.program(zone);
        command.arg("--data").arg(data).arg("--json").args(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }
}

/// What a list tells that a later word may not change.
fn told(answer: &Json) -> Vec<String> {
    let items = answer["items"].as_array().expect("items");
    let mut told: Vec<String> = items
        .iter()
        .map(|item| {
            format!(
                "{} {} from {} to {}",
                item["predicate"], item["value"], item["validity"]["from"], item["validity"]["to"]
            )
        })
        .collect();
    told.sort();
    told
}

fn cities(answer: &Json) -> Vec<String> {
    let items = answer["items"].as_array().expect("items").iter();
    items
        .filter(|item| item["predicate"] == "home_city")
        .map(|item| item["value"].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn ask(door: &Door, path: &str) -> Json {
    let (status, answer) = door.get(path, "me").expect("it answers");
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

fn send(door: &Door, path: &str, body: &Json) -> Json {
    let (status, answer) = door.post(path, "me", body).expect("it answers");
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

fn message(number: usize, text: &str, predicate: &str, value: &str) -> Json {
    json!({
        "source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "external_id": format!("{predicate}{number}"),
        "text": format!("{text}."),
        "proposals": [{"entity": "self", "predicate": predicate, "value": value, "quote": text, "confidence": 1.0}],
    })
}

/// Words that say themselves until when they hold.
fn stay() -> Json {
    let words = format!("From {FROM} to {TO} Acme is based in Munich");
    json!({
        "source": {"kind": "document", "ref": "register"}, "author": "external", "external_id": "stay", "text": format!("{words}."),
        "proposals": [{"entity": "acme", "predicate": "based_in", "value": "Munich", "quote": words, "confidence": 1.0,
                       "valid_from": FROM, "valid_to": TO}],
    })
}

/// What was told at the last stop before the clock came further than ever, by the instant of belief.
struct Seen {
    now: &'static str,
    told: Vec<String>,
}

#[test]
fn a_clock_that_is_turned_under_the_program_moves_nothing() {
    let place = tempfile::tempdir().expect("a directory");
    let data = place.path().join("data");
    let Some(clock) = Clock::in_directory(place.path()) else {
        println!("skipped: no `faketime` is here, so no clock was turned under the program");
        return;
    };
    clock.set(STOPS[0].0);
    let server = Serving::begin(clock.program(ZAGREB), &data).expect("it serves");
    let door = server.door();
    let mut said: Vec<(Instant, &str)> = Vec::new();
    let mut turns = Vec::new();
    let mut seen: BTreeMap<Instant, Seen> = BTreeMap::new();
    let (mut watermark, mut first_said) = (0, None);
    let mut follows = |answer: &Json| {
        let next = answer["watermark"].as_u64().expect("a watermark");
        assert_eq!(next, watermark + 1, "{answer}");
        watermark = next;
    };
    for (number, (now, zone)) in STOPS.into_iter().enumerate() {
        clock.set(now);
        // The server, while it runs.
        let city = ["Zagreb", "Split", "Rijeka"][number % 3];
        let moved = message(number, &format!("I live in {city}"), "home_city", city);
        let observed = send(&door, "/v1/evidence", &json!({"messages": [moved]}));
        assert_eq!(observed["observed"][0]["counts"]["admitted"], 1, "{now}: {observed}");
        follows(&observed);
        if number == 0 {
            follows(&send(&door, "/v1/evidence", &json!({"messages": [stay()]})));
        }
        said.push((at(now), city));
        // A command that comes and goes.
        let liked = format!("I like puzzle {number}");
        let liked = message(number, &liked, "likes", &format!("puzzle {number}"));
        let observed = clock.command(zone, &data, &["observe", "-"], &liked.to_string());
        assert_eq!(observed["counts"]["admitted"], 1, "{now}: {observed}");
        follows(&observed);
        // Said again at another time it is what was said.
        let first = message(0, "I live in Zagreb", "home_city", "Zagreb");
        let again = send(&door, "/v1/evidence", &json!({"messages": [first]}));
        let again = &again["observed"][0];
        assert_eq!(again["duplicate"], true, "{now}: {again}");
        assert_eq!(&again["evidence"], first_said.get_or_insert_with(|| again["evidence"].clone()), "{now}");

        let newest = ask(&door, "/v1/evidence?limit=1");
        assert_eq!(
            newest["messages"][0]["event_time"],
            json!(at(now).to_string()),
            "the clock was not turned"
        );

        let state = ask(&door, "/v1/facts?limit=1000");
        let of_command = clock.command(zone, &data, &["state"], "");
        assert_eq!(told(&of_command), told(&state), "{now}: both faces tell the same");
        // Where somebody lives is what was last said up to then, whatever was said before or after it.
        let last = said.iter().filter(|(then, _)| *then <= at(now)).max_by_key(|(then, _)| *then);
        assert_eq!(
            cities(&state),
            last.map(|(_, city)| (*city).to_owned()).into_iter().collect::<Vec<_>>(),
            "{now}"
        );
        // What has ended is not told, and nothing is taken away by that.
        let holds = at(FROM) <= at(now) && at(now) < at(TO);
        assert_eq!(told(&state).iter().any(|told| told.contains("Munich")), holds, "{now}: {state}");
        let then = ask(&door, "/v1/facts?limit=1000&valid_at=2026-06-01T00:00:00Z");
        assert!(told(&then).iter().any(|told| told.contains("Munich")), "{now}: {then}");

        let timeline = ask(&door, "/v1/timeline?limit=1000");
        let events = timeline["events"].as_array().expect("events");
        assert!(events.is_sorted_by_key(|event| event["watermark"].as_u64()), "{now}");
        assert!(
            events.is_sorted_by_key(|event| at(event["at"].as_str().unwrap_or_default())),
            "{now}: belief ran backwards"
        );
        let sources = ask(&door, "/v1/sources");
        assert_eq!(sources["sources"].as_array().map(Vec::len), Some(2), "{now}: {sources}");

        let asked = json!({"message": "where do I live, and which puzzle do I like?"});
        turns.push(send(&door, "/v1/turns", &asked)["turn"].as_str().expect("an id").to_owned());
        let asked = clock.command(zone, &data, &["turn", "where is Acme based?"], "");
        turns.push(asked["turn"].as_str().expect("an id").to_owned());
        for turn in &turns {
            let replayed = ask(&door, &format!("/v1/turns/{turn}/replay"));
            assert_eq!(replayed["identical"], true, "{now}: {replayed}");
        }
        let furthest = said.iter().map(|(then, _)| *then).max().expect("something was said");
        seen.insert(furthest, Seen { now, told: told(&state) });
    }

    // What was held at an instant is what was told then, as long as the clock came no further.
    for (position, (held, seen_then)) in seen.iter().enumerate() {
        let next = seen.keys().nth(position + 1);
        let until = next.map_or(*held, |next| Instant::from_micros(next.micros() - 1));
        for believed_at in [*held, until] {
            let path = format!("/v1/facts?limit=1000&valid_at={}&believed_at={believed_at}", seen_then.now);
            assert_eq!(told(&ask(&door, &path)), seen_then.told, "{path}");
        }
    }
    let before =
        format!("/v1/facts?limit=1000&believed_at={}", Instant::from_micros(at(STOPS[0].0).micros() - 1));
    assert_eq!(told(&ask(&door, &before)), Vec::<String>::new());

    for turn in &turns {
        let replayed = clock.command(NEW_YORK, &data, &["replay", turn], "");
        assert_eq!(replayed["identical"], true, "{replayed}");
    }
    let verified = clock.command(ZAGREB, &data, &["verify"], "");
    assert_eq!(verified["ok"], true, "{verified}");
    assert!(server.end(End::Asked).expect("it ends").success());
    look_at_what_is_left(&data);
}

/// What lies in the directory, without any clock.
fn look_at_what_is_left(data: &Path) {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(data, Options::default()).expect("opened"));
    let me = scope("me");
    assert_log_is_in_order(&*store, &me);
    let engine = engine_on(store);
    let call = engine::Call { scope: &me, now: at("2040-01-01") };
    assert!(engine.verify(call).expect("verified").ok);
    let facts: std::collections::BTreeSet<String> =
        engine.timeline(call).expect("answers").events.into_iter().map(|event| event.fact.id).collect();
    assert_eq!(facts.len(), STOPS.len() + 2, "every puzzle, a city, a seat: nothing was taken away");
    for fact in facts {
        let versions = engine.history(call, &fact).expect("answers").versions;
        for (place, one) in versions.iter().enumerate() {
            for span in [&one.validity, &one.belief] {
                assert!(span.to.is_none() || ends(span).0 < ends(span).1, "{fact}: {one:?}");
            }
            for other in &versions[place + 1..] {
                let both = overlap(&one.validity, &other.validity) && overlap(&one.belief, &other.belief);
                assert!(!both, "{fact}: two versions are held of one time: {one:?} {other:?}");
            }
        }
    }
}

/// The ends of a span; one that is open ends after everything.
fn ends(span: &SpanText) -> (Instant, Instant) {
    let read = |text: &str| Moment::parse_in(text, &Zone::utc()).expect("an instant").instant;
    (read(&span.from), span.to.as_deref().map_or(Instant::from_micros(i64::MAX), read))
}

fn overlap(one: &SpanText, other: &SpanText) -> bool {
    let ((from, to), (other_from, other_to)) = (ends(one), ends(other));
    from < other_to && other_from < to
}
