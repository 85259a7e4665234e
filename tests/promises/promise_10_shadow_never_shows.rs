//! **Shadow never shows.** It cannot change a reply, a memory or a latency budget, and stores no personal content.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::Engine;
use engine::shadow::{CandidatePolicy, Clock, Lane, built_in};
use engine::turn::Turn;
use ledger::resolve::Selection;
use ledger::shadow::{Breaker, Comparison, Day, Event, PolicyName, Rollup, SLOW_MICROS, Sampling, Tally};
use ledger::store::{StoreError, StoreErrorKind};
use ledger::telemetry::{ReferenceTelemetry, Telemetry};
use ledger::turn::{Budget, Candidate, Selected, Why};
use proofs::search;
use proofs::{World, engine_on, on_every_store};
use serde_json::Value as Json;
use store_sqlite::SqliteTelemetry;

use crate::speak::{claim, told};

/// More turns than this are not tried to see one drawn; at one in ten, that none of so many is drawn does not happen.
const TURNS_MAX: usize = 3_000;

const MESSAGES: [&str; 6] = [
    "which tea do I prefer in Zagreb?",
    "book a meeting with Karthik",
    "what did we decide about the observatory?",
    "chamomile or peppermint?",
    "where does Eliza live?",
    "thanks!",
];

fn fill(world: &World) {
    for (number, herb) in
        ["chamomile", "peppermint", "rooibos", "lapsang", "verbena", "nettle"].iter().enumerate()
    {
        let text = format!("I prefer {herb} tea after supper.");
        let value = format!("{herb} tea");
        let at = format!("2026-03-01 10:{number:02}");
        let _ = world.said(&at, &text, &[claim("self", "prefers", &value, &text)]);
    }
    let text = "No meetings before 9:30. I live in Zagreb. My name is Philippa Tremaine.";
    let _ = world.said(
        "2026-03-02",
        text,
        &[
            claim("self", "no_meetings_before", "9:30", "No meetings before 9:30"),
            claim("self", "home_city", "Zagreb", "I live in Zagreb"),
            claim("self", "name", "Philippa Tremaine", "My name is Philippa Tremaine"),
        ],
    );
    for (name, city) in [("first", "Ljubljana"), ("second", "Trieste")] {
        let text = format!("The observatory is based in {city}.");
        let _ = world.document(name, "2026-03-03", &text, &[claim("observatory", "based_in", city, &text)]);
    }
}

/// A clock that stands still until somebody moves it.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn clock(&self) -> Clock {
        let hand = self.0.clone();
        Arc::new(move || hand.load(Ordering::SeqCst))
    }

    fn forward(&self, micros: u64) {
        self.0.fetch_add(micros, Ordering::SeqCst);
    }
}

/// What a lane tries, where it records, what must be counted, and how often.
type Case = (Arc<dyn CandidatePolicy>, Arc<dyn Telemetry>, Event, u64);

/// A candidate policy that does as it is told.
struct Told<Choose>(Choose);

impl<Choose> CandidatePolicy for Told<Choose>
where
    Choose: Fn(&[Candidate]) -> Selection + Send + Sync,
{
    fn name(&self) -> PolicyName {
        PolicyName(900)
    }

    fn select(&self, considered: &[Candidate], _: Budget, _: u32) -> Selection {
        self.0(considered)
    }
}

fn chosen(versions: impl Iterator<Item = Candidate>) -> Selection {
    let selected = versions.map(|one| Selected { version: one.version, why: Why::Matches }).collect();
    Selection { selected, dropped: Vec::new() }
}

/// Telemetry on a disk that is full, and one that panics.
struct Broken {
    panics: bool,
}

impl Broken {
    fn full<T>(&self) -> Result<T, StoreError> {
        assert!(!self.panics, "telemetry panics");
        Err(StoreError::new(StoreErrorKind::Full, "the disk is full"))
    }
}

impl Telemetry for Broken {
    fn record_shadow(&self, _: Day, _: &Comparison, _: &Tally) -> Result<(), StoreError> {
        self.full()
    }
    fn expire_shadow(&self, _: Day) -> Result<u64, StoreError> {
        self.full()
    }
    fn shadow_rows(&self, _: usize) -> Result<Vec<(Day, Comparison)>, StoreError> {
        self.full()
    }
    fn shadow_row_count(&self) -> Result<u64, StoreError> {
        self.full()
    }
    fn shadow_rollups(&self) -> Result<Vec<Rollup>, StoreError> {
        self.full()
    }
    fn shadow_tallies(&self) -> Result<Vec<(Day, Tally)>, StoreError> {
        self.full()
    }
    fn record_limits(&self, _: Day, _: &[(u32, u64)]) -> Result<(), StoreError> {
        self.full()
    }
    fn limit_hits(&self) -> Result<Vec<(Day, u32, u64)>, StoreError> {
        self.full()
    }
    fn shadow_is_off(&self) -> bool {
        false
    }
    fn switch_shadow(&self, _: bool) -> Result<(), StoreError> {
        self.full()
    }
}

fn lane(candidate: Arc<dyn CandidatePolicy>, telemetry: Arc<dyn Telemetry>, hand: &Hand) -> Lane {
    Lane::start(candidate, Sampling::per_mille(Sampling::PER_MILLE_MAX), telemetry, hand.clock())
}

fn shipped() -> Arc<dyn CandidatePolicy> {
    built_in(None).expect("a policy beside the usual one")
}

fn of(engine: &Engine, event: Event) -> u64 {
    engine.shadow().map_or(0, |lane| lane.counted().of(event))
}

/// Waits until the lane has done what it was handed.
fn settle(engine: &Engine) {
    for _ in 0..10_000 {
        if engine.shadow().is_none_or(Lane::is_idle) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the lane does not come to rest");
}

/// The turn with number `number` of a story, as it was answered, without its id.
fn answer(world: &World, engine: &Engine, number: usize) -> Json {
    let call = world.call("2026-04-01");
    let turned = engine.turn(call, &Turn::of(MESSAGES[number % MESSAGES.len()])).expect("a turn");
    assert!(engine.replay(call, &turned.turn).expect("replayed").identical);
    let mut json = told(&turned);
    json.as_object_mut().expect("an object").remove("turn").expect("an id");
    json
}

/// Takes turns until `event` was counted so many times, and holds every answer against the one without a lane.
fn same_until(world: &World, engine: &Engine, plain: &[Json], event: Event, times: u64, settles: bool) {
    for number in 0..TURNS_MAX {
        assert_eq!(answer(world, engine, number), plain[number % plain.len()], "turn {number}");
        if settles {
            settle(engine);
        }
        if of(engine, event) >= times {
            return;
        }
    }
    panic!("{event} was not seen in {TURNS_MAX} turns: {:?}", engine.shadow().map(Lane::counted));
}

on_every_store! {
    /// Whatever the candidate policy and the telemetry do, the answers are those without a lane, byte for byte; and so
    /// is the memory.
    fn replies_and_memory_are_the_same(world) {
        fill(world);
        let bare = engine_on(world.store.clone());
        let plain: Vec<Json> = (0..MESSAGES.len()).map(|number| answer(world, &bare, number)).collect();
        let before = world.printed("2026-04-01");
        let hand = Hand::default();
        let slow = { let hand = hand.clone(); move |_: &[Candidate]| { hand.forward(SLOW_MICROS + 1); Selection::default() } };
        let fine = || -> Arc<dyn Telemetry> { Arc::new(ReferenceTelemetry::new()) };
        let cases: Vec<Case> = vec![
            (shipped(), fine(), Event::Compared, 5),
            (Arc::new(Told(|_: &[Candidate]| -> Selection { panic!("the candidate policy panics") })), fine(), Event::FailedPanic, 2),
            (Arc::new(Told(|all: &[Candidate]| chosen(all.iter().chain(all).cloned()))), fine(), Event::FailedIncomparable, 2),
            (Arc::new(Told(slow)), fine(), Event::BreakerOpened, 1),
            (shipped(), Arc::new(Broken { panics: false }), Event::DroppedRows, 2),
            (shipped(), Arc::new(Broken { panics: true }), Event::DroppedRows, 2),
        ];
        for (candidate, telemetry, event, times) in cases {
            let shadowed = engine_on(world.store.clone()).with_shadow(lane(candidate, telemetry, &hand));
            same_until(world, &shadowed, &plain, event, times, true);
            let counted = shadowed.shadow().expect("a lane").counted();
            let ended = counted.of(Event::Compared) + counted.of(Event::FailedPanic) + counted.of(Event::FailedIncomparable);
            assert_eq!(counted.of(Event::Sampled), counted.skipped() + ended, "{counted:?}");
        }
        assert_eq!(world.printed("2026-04-01"), before);
    }

    /// A candidate policy that never returns holds up nobody: turns go on, are counted as skipped, and the engine goes
    /// without waiting for it. Had anything waited, this test would not end.
    fn a_stall_holds_up_nobody(world) {
        fill(world);
        let bare = engine_on(world.store.clone());
        let plain: Vec<Json> = (0..MESSAGES.len()).map(|number| answer(world, &bare, number)).collect();
        let (release, stalled): (Sender<()>, Receiver<()>) = channel();
        let stalled = Mutex::new(stalled);
        let stall = move |_: &[Candidate]| {
            let _ = stalled.lock().expect("one thread").recv();
            Selection::default()
        };
        let telemetry = Arc::new(ReferenceTelemetry::new());
        let shadowed = engine_on(world.store.clone())
            .with_shadow(lane(Arc::new(Told(stall)), telemetry.clone(), &Hand::default()));
        same_until(world, &shadowed, &plain, Event::SkippedBusy, 5, false);
        assert_eq!(of(&shadowed, Event::Compared), 0);
        assert!(shadowed.shadow().is_some_and(|lane| lane.status().busy));
        drop(shadowed);
        assert_eq!(telemetry.shadow_rollups().expect("read"), [], "it is stalled still, and nobody waited for it");
        drop(release);
    }

    /// The kill switch works in a running process from its next turn on, both ways.
    fn the_switch_works_at_the_next_turn(world) {
        fill(world);
        let place = tempfile::tempdir().expect("a directory");
        let kept: Vec<(Arc<dyn Telemetry>, Arc<dyn Telemetry>)> = vec![
            { let one = Arc::new(ReferenceTelemetry::new()); (one.clone(), one) },
            // Two openings of one place, as two processes have them.
            (Arc::new(SqliteTelemetry::at(place.path())), Arc::new(SqliteTelemetry::at(place.path()))),
        ];
        for (own, other) in kept {
            let engine = engine_on(world.store.clone()).with_shadow(lane(shipped(), own, &Hand::default()));
            let turns_until = |event: Event, times: u64| {
                for number in 0..TURNS_MAX {
                    if of(&engine, event) >= times {
                        return;
                    }
                    let _ = answer(world, &engine, number % 5);
                    settle(&engine);
                }
                panic!("{event} was not seen");
            };
            turns_until(Event::Compared, 1);
            other.switch_shadow(false).expect("switched");
            let compared = of(&engine, Event::Compared);
            turns_until(Event::SkippedSwitchedOff, 3);
            assert_eq!(of(&engine, Event::Compared), compared, "compared after it was switched off");
            other.switch_shadow(true).expect("switched");
            let skipped = of(&engine, Event::SkippedSwitchedOff);
            turns_until(Event::Compared, compared + 1);
            assert_eq!(of(&engine, Event::SkippedSwitchedOff), skipped, "skipped after it was switched on");
        }
    }

    /// Three slow comparisons shut the lane for five minutes; then one is let through, and a fast one opens it again.
    fn a_slow_candidate_is_shut_out_for_five_minutes(world) {
        fill(world);
        let hand = Hand::default();
        let takes = Arc::new(AtomicU64::new(SLOW_MICROS + 1));
        let runs = Arc::new(AtomicU64::new(0));
        let slow = {
            let (hand, takes, runs) = (hand.clone(), takes.clone(), runs.clone());
            move |_: &[Candidate]| {
                runs.fetch_add(1, Ordering::SeqCst);
                hand.forward(takes.load(Ordering::SeqCst));
                Selection::default()
            }
        };
        let engine = engine_on(world.store.clone())
            .with_shadow(lane(Arc::new(Told(slow)), Arc::new(ReferenceTelemetry::new()), &hand));
        let turns_until = |done: &dyn Fn() -> bool| {
            for number in 0..TURNS_MAX {
                if done() {
                    return;
                }
                let _ = answer(world, &engine, number % 5);
                settle(&engine);
            }
            panic!("not seen: {:?}", engine.shadow().map(Lane::counted));
        };
        turns_until(&|| of(&engine, Event::BreakerOpened) == 1);
        assert_eq!(runs.load(Ordering::SeqCst), 3);
        hand.forward(Breaker::OPEN_MICROS - 1);
        turns_until(&|| of(&engine, Event::SkippedBreakerOpen) == 3);
        assert_eq!(runs.load(Ordering::SeqCst), 3, "nothing runs while it is open");
        hand.forward(1);
        turns_until(&|| of(&engine, Event::BreakerOpened) == 2);
        assert_eq!(runs.load(Ordering::SeqCst), 4, "one was let through, and was slow");
        hand.forward(Breaker::OPEN_MICROS);
        takes.store(10, Ordering::SeqCst);
        turns_until(&|| runs.load(Ordering::SeqCst) == 8);
        assert_eq!(of(&engine, Event::BreakerOpened), 2, "a fast one opened the lane again");
    }

    /// Nothing of the person is in the file: no word of the story, no name, no id, in no disguise. Every cell is a number.
    fn nothing_personal_is_kept(world) {
        fill(world);
        let place = tempfile::tempdir().expect("a directory");
        let engine = engine_on(world.store.clone())
            .with_shadow(lane(shipped(), Arc::new(SqliteTelemetry::at(place.path())), &Hand::default()));
        let mut ids = Vec::new();
        for number in 0..TURNS_MAX {
            let turn = Turn::of(MESSAGES[number % MESSAGES.len()]);
            let turned = engine.turn(world.call("2026-04-01"), &turn).expect("a turn");
            settle(&engine);
            ids = [vec![turned.turn], turned.candidates].concat();
            if of(&engine, Event::Compared) >= 10 {
                break;
            }
        }
        let path = place.path().join(SqliteTelemetry::DATABASE);
        let database = rusqlite::Connection::open(&path).expect("opened");
        let tables = ["shadow_row", "shadow_rollup", "shadow_duration", "shadow_tally"];
        for table in tables {
            let mut select = database.prepare(&format!("SELECT * FROM {table}")).expect("a table");
            let width = select.column_count();
            let mut rows = select.query([]).expect("read");
            let mut count = 0;
            while let Some(row) = rows.next().expect("a row") {
                count += 1;
                for column in 0..width {
                    let cell = row.get_ref(column).expect("a cell");
                    assert_eq!(cell.data_type(), rusqlite::types::Type::Integer, "{table} {column}");
                }
            }
            assert!(count > 0, "{table} is empty");
        }
        let listed: Vec<String> = database
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
            .expect("listed");
        // How often limits were met is counted beside; no limit was met here.
        assert_eq!(listed, [&tables[..], &["limit_hit"]].concat(), "no other table");
        drop(engine);
        let printed = world.printed("2026-04-01");
        let story: String = [MESSAGES.join(" "), printed].concat();
        let mut words: Vec<String> = story
            .split(|one: char| !one.is_alphanumeric())
            .filter(|word| word.chars().count() >= 5 && !word.chars().all(|one| one.is_ascii_digit()))
            .map(str::to_owned)
            .chain(ids)
            .collect();
        words.sort();
        words.dedup();
        // The tables' own names and columns are the program's words, in every file alike.
        let program = include_str!("../../crates/store-sqlite/src/telemetry.sql").to_lowercase();
        words.retain(|word| !program.contains(&word.to_lowercase()));
        assert!(words.len() > 40 && words.iter().any(|word| word == "chamomile"), "{words:?}");
        for word in &words {
            assert_eq!(search::find(place.path(), word), Vec::<String>::new(), "`{word}`");
        }
    }
}
