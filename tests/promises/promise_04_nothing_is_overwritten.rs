//! **Nothing is overwritten.** "Corrections append. State at any watermark, and belief at any instant, can be read again;
//! replaying the log gives the same state."

use ledger::admission::Policies;
use ledger::print::print;
use ledger::time::AsOf;
use proofs::{World, at, fold, on_every_store};
use serde_json::{Value as Json, json};

use crate::speak::{Dice, claim, told, with};

/// One day of a life: something is said anew, corrected, repeated, told late, taken back, or disputed by documents.
fn live(world: &World, dice: &mut Dice, day: usize) {
    let now = format!("2026-{:02}-{:02}", 3 + day / 28, 1 + day % 28);
    let past = format!("20{:02}-{:02}-01", 22 + dice.below(5), 1 + dice.below(12));
    let city = *dice.pick(&["Zagreb", "Split", "Rijeka"]);
    let hour = *dice.pick(&["08:00", "09:30", "10:00"]);
    let people = *dice.pick(&[100, 250, 300]);
    match dice.below(8) {
        0 | 1 => {
            _ = world.said(
                &now,
                &format!("I live in {city}."),
                &[claim("self", "home_city", city, &format!("I live in {city}"))],
            )
        }
        2 => {
            _ = world.said(
                &now,
                &format!("No meetings before {hour}."),
                &[claim("self", "no_meetings_before", hour, &format!("No meetings before {hour}"))],
            )
        }
        3 => {
            _ = world.said(
                &now,
                &format!("I have lived in {city} since {past}."),
                &[with(
                    claim("self", "home_city", city, &format!("I have lived in {city} since {past}")),
                    json!({"valid_from": past}),
                )],
            )
        }
        4 => {
            _ = world.said(
                &now,
                &format!("I no longer live in {city}."),
                &[with(
                    claim("self", "home_city", city, &format!("I no longer live in {city}")),
                    json!({"op": "retract"}),
                )],
            )
        }
        5 => {
            _ = world.observe(
                &now,
                json!({
            "source": {"kind": "conversation", "ref": "old letters"}, "author": "owner", "event_time": past,
            "text": format!("I live in {city}, on day {day}."),
            "proposals": [claim("self", "home_city", city, &format!("I live in {city}"))]}),
            )
        }
        _ => {
            let name = *dice.pick(&["handbook", "registry", "newspaper"]);
            _ = world.document(
                name,
                &now,
                &format!("Acme has {people} employees."),
                &[claim("acme", "headcount", &people.to_string(), &format!("Acme has {people} employees"))],
            );
        }
    }
}

const LOOKS: &[&str] = &["2022-06-01", "2024-02-15", "2026-03-10", "2026-04-20", "2026-12-01"];

/// What is held of the world at each of some moments.
fn states(engine: &engine::Engine, world: &World, now: &str, believed_at: Option<&str>) -> Vec<Json> {
    LOOKS
        .iter()
        .map(|valid_at| {
            let state =
                engine.state(world.call(now), Some(at(valid_at)), believed_at.map(at)).expect("state");
            told(&state)["items"].clone()
        })
        .collect()
}

/// The moment a day's appends were believed: the end of that day.
fn evening(day: usize) -> String {
    format!("2026-{:02}-{:02} 23:59", 3 + day / 28, 1 + day % 28)
}

on_every_store! {
    /// The plain story: a correction leaves what it corrects readable on both clocks.
    fn a_correction_appends(world) {
        let first = world.said("2026-03-01", "No meetings before 9:30.", &[claim("self", "no_meetings_before", "9:30", "No meetings before 9:30")]);
        let second = world.said("2026-04-01", "No meetings before 10:00.", &[claim("self", "no_meetings_before", "10:00", "No meetings before 10:00")]);
        assert_eq!(second.admitted[0].transition, "supersede");
        assert_eq!(first.admitted[0].fact, second.admitted[0].fact);
        let value = |valid_at: &str, believed_at: Option<&str>| {
            let state = world.engine.state(world.call("2026-06-01"), Some(at(valid_at)), believed_at.map(at)).expect("state");
            state.items.iter().map(|item| item.value.as_str().expect("a time").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(value("2026-05-01", None), ["10:00"]);
        assert_eq!(value("2026-03-15", None), ["09:30"]);
        assert_eq!(value("2026-04-01", None), ["10:00"], "half-open: at the instant itself the new holds");
        assert_eq!(value("2026-03-31T23:59:59.999999Z", None), ["09:30"]);
        assert_eq!(value("2026-02-28", None), Vec::<String>::new());
        assert_eq!(value("2026-05-01", Some("2026-03-15")), ["09:30"], "in March nobody knew of April");
        assert_eq!(value("2026-05-01", Some("2026-02-01")), Vec::<String>::new());
        let history = world.engine.history(world.call("2026-06-01"), &first.admitted[0].fact).expect("history");
        assert_eq!(history.versions.len(), 2);
        for observed in [&first, &second] {
            let why = world.engine.why(world.call("2026-06-01"), &observed.admitted[0].claim).expect("a receipt");
            assert_eq!(why.claims.len(), 1, "the old testimony still answers for itself");
        }
    }

    /// A whole life: what was held on each day is held, looked at from any later day, as of that day; word for word,
    /// support and all.
    fn what_was_believed_can_be_read_again(world) {
        let mut dice = Dice::new(11);
        let mut remembered = Vec::new();
        for day in 0..50 {
            live(world, &mut dice, day);
            remembered.push(states(&world.engine, world, &evening(day), None));
        }
        for (day, then) in remembered.iter().enumerate() {
            let again = states(&world.engine, world, "2026-12-01", Some(&evening(day)));
            for (place, look) in LOOKS.iter().enumerate() {
                let pretty = |json: &Json| serde_json::to_string_pretty(json).expect("JSON");
                assert_eq!(pretty(&then[place]), pretty(&again[place]), "day {day}, of the world at {look}");
            }
        }
        let changes = remembered.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes > 20, "the life was eventful: {changes}");
    }

    /// The log, read from the beginning, gives the ledger; and its beginning gives the ledger as it was then.
    fn replaying_the_log_gives_the_ledger(world) {
        let mut dice = Dice::new(12);
        let registry = Policies::shipped().registry;
        let view = |memory: &ledger::memory::Memory| print(memory, &registry, &memory.now(at("2026-12-01")));
        let mut then = Vec::new();
        for day in 0..50 {
            live(world, &mut dice, day);
            let memory = world.memory();
            then.push((memory.watermark(), view(&memory)));
        }
        let whole = world.memory();
        for (watermark, printed) in &then {
            assert_eq!(view(&fold(&*world.store, &world.me, *watermark)), *printed, "the log up to {watermark}");
            let seen = AsOf { valid_at: at("2026-12-01"), believed_at: ledger::time::Instant::MAX, watermark: *watermark };
            assert_eq!(print(&whole, &registry, &seen), *printed, "the whole memory as of {watermark}");
        }
        let again = world.reopened();
        let now = "2026-12-01";
        assert_eq!(states(&again, world, now, None), states(&world.engine, world, now, None));
        let verified = world.engine.verify(world.call(now)).expect("verified");
        assert!(verified.ok, "every history follows from its claims: {verified:#?}");
        assert!(verified.facts >= 3 && verified.quotes > 20, "{verified:#?}");
    }
}
