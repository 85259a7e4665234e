//! Forgetting beside everything else that may be at work: messages handed in again, a model that proposes and one that
//! embeds, recalls and turns, a reader that does not let go, a copy of the database as an earlier program left it.
//!
//! A case's number is its seed; `TESTIMONY_INTERLEAVINGS=200` runs that many.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::embed::EmbedBudget;
use engine::forget::{Forget, Which};
use engine::propose::model::{Asked, ModelProposer};
use engine::recall::{Grain, Recall};
use engine::turn::Turn;
use engine::{Call, Engine};
use inference::Limits;
use inference::scripted::{Act, ScriptedChat};
use inference::tiers::ProposeSettings;
use proofs::search::Search;
use proofs::{Keeper, WordHash, World, at, engine_on};
use serde_json::{Value as Json, json};

use super::{NEEDLES, NOW, REQUEST_NEEDLES, SOURCE_NEEDLES, everything_kept, needle_message, sealed_cells};
use crate::speak::{Dice, claim};

/// Cases in an everyday run.
const CASES: u64 = 8;

/// What a model would make of the message, if it could.
const PROPOSED: &str = "zyxmodel";

/// The message, with words that only a model picks up.
fn message() -> Json {
    let mut message = needle_message();
    let text = format!("{} I am fond of {PROPOSED}.", message["text"].as_str().expect("a text"));
    message["text"] = json!(text);
    message
}

/// A model that proposes whatever was ever said, whether it was just shown it or not, and takes its time.
fn proposer(pause: Duration) -> ModelProposer {
    let chat = ScriptedChat::by(move |_| {
        std::thread::sleep(pause);
        let proposals = json!([
            {"message": 1, "entity": "self", "predicate": "likes", "value": PROPOSED, "op": "assert",
             "quote": format!("I am fond of {PROPOSED}"), "confidence": 0.9},
            {"message": 1, "entity": "project:zyxentity", "predicate": "project_status", "value": "on hold",
             "quote": "Zyxentity is on hold", "op": "assert", "confidence": 0.9},
        ]);
        Act::Say(json!({"proposals": proposals}).to_string())
    });
    let settings =
        ProposeSettings { tokens_per_day: u64::MAX / 2, batch_messages: 1, ..ProposeSettings::of("fast") };
    ModelProposer::new(Arc::new(chat), settings)
}

fn embedding(store: Arc<dyn ledger::store::Store>, pause: Duration) -> Engine {
    let model = WordHash::named("words").meanwhile(move |_| {
        std::thread::sleep(pause);
        Ok(())
    });
    engine_on(store).with_embedder(Arc::new(model))
}

/// One of the jobs that may run beside an erasure.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Job {
    Observe,
    Propose,
    Embed,
    Recall,
    Neighbour,
}

const JOBS: &[Job] = &[Job::Observe, Job::Propose, Job::Embed, Job::Recall, Job::Neighbour];

/// Does a job once. Whatever it is answered, nothing may come of it.
fn work(job: Job, engine: &Engine, proposer: &ModelProposer, call: Call<'_>, round: u64) {
    match job {
        Job::Observe => {
            let mut again = message();
            again["idempotency_key"] = json!(format!("key zyxkey {round}"));
            let observing = engine::observe::Observing::default();
            _ = engine.observe(call, vec![proofs::message(again)], observing);
        }
        Job::Propose => {
            if let Ok(batch) = engine.next_batch(call, proposer, Asked::default())
                && !batch.is_empty()
            {
                _ = engine.propose(call, proposer, &batch, &Limits::within(Duration::from_secs(30)));
            }
        }
        Job::Embed => {
            let limits = Limits::within(Duration::from_secs(30));
            _ = engine.embed_some(call, &EmbedBudget { texts: 50, limits });
        }
        Job::Recall => {
            for grain in [Grain::Fact, Grain::Evidence] {
                _ = engine.recall(call, &Recall { grain, ..Recall::of("zyxquery zyxvalue") });
            }
            let hints = vec![("topic".to_owned(), "zyxhint".to_owned())];
            if let Ok(turned) = engine.turn(call, &Turn { hints, ..Turn::of("zyxturn zyxvalue") }) {
                _ = engine.used(call, &turned.turn, &["M1".to_owned()]);
            }
        }
        Job::Neighbour => {
            let text = format!("I like chess number {round}");
            let message = json!({"source": {"kind": "note", "ref": "others"}, "author": "owner", "text": text,
                "event_time": "2026-04-01", "proposals": [claim("self", "likes", &text[7..], &text)]});
            let observing = engine::observe::Observing::default();
            _ = engine.observe(call, vec![proofs::message(message)], observing);
        }
    }
}

/// The database as an earlier program would have left it beside, erased words and all.
fn old_copy(directory: &Path) {
    let copy = directory.join("ledger.db.version-2");
    let database = rusqlite::Connection::open(directory.join("ledger.db")).expect("opened");
    database.execute("VACUUM INTO ?", [copy.to_string_lossy()]).expect("copied");
}

/// A reader that holds its snapshot for a while: shorter than an erasure waits.
fn stale_reader(directory: &Path, hold: Duration) {
    let database = rusqlite::Connection::open(directory.join("ledger.db")).expect("opened");
    let begun = database.execute_batch("BEGIN; SELECT count(*) FROM evidence;");
    std::thread::sleep(hold);
    if begun.is_ok() {
        database.execute_batch("COMMIT").expect("over");
    }
}

fn run(case: u64) {
    let mut dice = Dice::new(case.wrapping_mul(0x0001_0000_01b3).wrapping_add(7));
    let world = World::new(Keeper::Sqlite);
    let pause = |dice: &mut Dice, most: usize| Duration::from_micros(dice.below(most) as u64);
    let directory = world.directory();
    let observed = world.observe("2026-03-01", message());
    assert_eq!(observed.counts.admitted, 3, "{observed:#?}");
    for round in 0..10 {
        work(Job::Neighbour, &world.engine, &proposer(Duration::ZERO), world.call(NOW), 1_000 + round);
    }
    // Everything once, so that there is something to find everywhere.
    let first = embedding(world.store.clone(), Duration::ZERO);
    for job in JOBS {
        work(*job, &first, &proposer(Duration::ZERO), world.call(NOW), 0);
    }
    assert!(everything_kept(&world, &world.me).contains(PROPOSED), "case {case}: the model proposed");
    let with_copy = dice.below(2) == 0;
    if with_copy {
        old_copy(&directory);
    }
    let before = sealed_cells(&directory);
    let (what, forget) = match dice.below(5) {
        0 => ("message", Forget::Ids(vec![observed.evidence.clone().expect("kept")])),
        1 => ("source", Forget::Source("conversation:chat zyxref".to_owned())),
        2 => {
            let session = Some("session zyxsession".to_owned());
            ("session", Forget::Messages(Which { session, ..Which::default() }))
        }
        3 => {
            let (from, to) = (Some(at("2026-03-01")), Some(at("2026-03-02")));
            ("time", Forget::Messages(Which { from, to, ..Which::default() }))
        }
        _ => ("subject", Forget::Subject),
    };
    let jobs: Vec<(Job, Duration, Duration)> = (0..2 + dice.below(4))
        .map(|_| (*dice.pick(JOBS), pause(&mut dice, 3_000), pause(&mut dice, 20_000)))
        .collect();
    let hold = (dice.below(3) == 0).then(|| pause(&mut dice, 400_000));
    let wait = pause(&mut dice, 30_000);
    let (done, rounds) = (AtomicBool::new(false), AtomicU64::new(1));
    let forgotten = std::thread::scope(|threads| {
        for (job, thinks, rests) in &jobs {
            let (done, rounds, world) = (&done, &rounds, &world);
            threads.spawn(move || {
                // Some share the engine that forgets; others have one of their own, as another process does.
                let own = embedding(world.store.clone(), *thinks);
                let proposer = proposer(*thinks);
                while !done.load(Ordering::Acquire) {
                    let round = rounds.fetch_add(1, Ordering::Relaxed);
                    let engine =
                        if *job == Job::Embed || round.is_multiple_of(2) { &own } else { &world.engine };
                    work(*job, engine, &proposer, world.call(NOW), round);
                    std::thread::sleep(*rests);
                }
            });
        }
        if let Some(hold) = hold {
            let directory = &directory;
            threads.spawn(move || stale_reader(directory, hold));
        }
        std::thread::sleep(wait);
        let forgotten = world.engine.forget(world.call(NOW), &forget, false);
        // Work that was in flight ends after the words are gone.
        std::thread::sleep(wait);
        done.store(true, Ordering::Release);
        forgotten
    });
    let told = format!("case {case}, {what}, {jobs:?}, old copy {with_copy}, reader {hold:?}");
    let forgotten = forgotten.unwrap_or_else(|error| panic!("{told}: {error}"));
    assert_eq!(forgotten.residue, 0, "{told}");
    // And once more, when all is quiet.
    for job in JOBS {
        work(*job, &first, &proposer(Duration::ZERO), world.call(NOW), 0);
    }
    assert!(!directory.join("ledger.db.version-2").exists(), "{told}");
    let mut needles: Vec<&str> = NEEDLES.iter().chain(REQUEST_NEEDLES).copied().collect();
    needles.push(PROPOSED);
    if matches!(what, "source" | "subject") {
        needles.extend(SOURCE_NEEDLES);
    }
    let kept = everything_kept(&world, &world.me).to_lowercase();
    for needle in &needles {
        assert!(!kept.contains(needle), "{told}: the store still keeps `{needle}`");
    }
    let hits = Search::of(&needles).in_files(&directory);
    assert!(hits.is_empty(), "{told}: {hits:?}");
    super::gone_for_good(&directory, &before, &told);
    let verified = world.reopened().verify_all(at(NOW)).expect("verified");
    assert!(verified.ok, "{told}: {verified:#?}");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the number of cases may be chosen from outside")]
fn nothing_at_work_beside_an_erasure_brings_the_words_back_slow() {
    let cases = std::env::var("TESTIMONY_INTERLEAVINGS").ok().and_then(|text| text.parse().ok());
    (0..cases.unwrap_or(CASES)).for_each(run);
}
