//! A program that writes until it is killed: what promise 19 kills.
//!
//! `killed-writer DIR ROUND THREADS` says things for ever and prints each once it was acknowledged.
//! `killed-writer DIR live ROUND THREADS` says and forgets things for ever, and prints `begin …` and `done …` around each.
//! `killed-writer DIR say COUNT` says so many things, and ends.
//! `killed-writer DIR compare _` records a comparison of the shadow lane, and ends.
//! `killed-writer DIR migrate _` opens a directory whose master key is all sevens, and ends.
//! `killed-writer DIR read SUBJECT` prints the messages that are there, and ends.
//! `killed-writer DIR forget EVIDENCE` prints `begin`, forgets, and prints `forgotten`.
//! `killed-writer DIR embed MODEL` embeds what has no vector, slowly, and prints how many texts it has taken up so far.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engine::embed::EmbedBudget;
use engine::forget::Forget;
use engine::observe::Observing;
use engine::turn::Turn;
use engine::{Call, Engine};
use inference::Limits;
use proofs::ordeal::{record_comparison, saying};
use proofs::world::scope;
use proofs::{WordHash, at, engine_on, message};
use serde_json::json;
use store_sqlite::{Options, SqliteStore};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (directory, what, how) = match arguments.as_slice() {
        [directory, what, how] | [directory, what, how, _] => (directory, what, how),
        _ => panic!("DIR ROUND THREADS, or DIR WHAT HOW"),
    };
    let directory = PathBuf::from(directory);
    if what == "compare" {
        record_comparison(&directory).expect("recorded");
        return;
    }
    let master_key = (what == "migrate").then(|| [7; 32].into());
    let store = SqliteStore::open(&directory, Options { master_key, ..Options::default() });
    let store = store.expect("the store opens");
    if what == "migrate" {
        return;
    }
    let engine = engine_on(Arc::new(store));
    let me = scope("me");
    if let ("live", Some(threads)) = (what.as_str(), arguments.get(3)) {
        let (round, threads): (u64, u64) = (how.parse().expect("a round"), threads.parse().expect("threads"));
        std::thread::scope(|all| {
            for thread in 0..threads {
                let engine = &engine;
                all.spawn(move || live(engine, round, thread));
            }
        });
        return;
    }
    if what == "say" {
        let call = Call { scope: &me, now: at("2026-05-01") };
        for number in 0..how.parse().expect("a number") {
            engine.observe(call, vec![saying("c1", number)], Observing::default()).expect("taken");
        }
        return;
    }
    if what == "read" {
        for (_, evidence) in engine.store().evidence_after(&scope(how), None, 100_000).expect("read") {
            tell(&evidence.words.text.unwrap_or_default());
        }
        return;
    }
    if what == "forget" {
        tell("begin");
        let call = Call { scope: &me, now: at("2026-05-01") };
        engine.forget(call, &Forget::Ids(vec![how.clone()]), false).expect("forgotten");
        tell("forgotten");
        return;
    }
    if what == "embed" {
        embed(engine, &me, how);
        return;
    }
    let threads: usize = how.parse().expect("a number of threads");
    std::thread::scope(|all| {
        for thread in 0..threads {
            let (engine, me) = (&engine, &me);
            all.spawn(move || write(engine, me, &format!("{what} {thread}")));
        }
    });
}

/// Embeds all there is, a little at a time.
fn embed(engine: Engine, me: &ledger::scope::Scope, model: &str) {
    let mut taken = 0;
    let slow = WordHash::named(model).meanwhile(move |texts| {
        taken += texts;
        tell(&taken.to_string());
        std::thread::sleep(Duration::from_millis(20));
        Ok(())
    });
    let engine = engine.with_embedder(Arc::new(slow));
    let call = Call { scope: me, now: at("2026-05-01") };
    let budget = EmbedBudget { texts: 8, limits: Limits::within(Duration::from_secs(60)) };
    while engine.embed_some(call, &budget).expect("embedded").missing > 0 {}
}

/// Says something new, again and again, until somebody ends the process.
fn write(engine: &Engine, me: &ledger::scope::Scope, name: &str) {
    for number in 0_usize.. {
        let words = format!("I like puzzle {name} {number}");
        let said = message(json!({
            "source": {"kind": "conversation", "ref": name}, "author": "owner", "event_time": "2026-03-01",
            "text": format!("{words}."),
            "proposals": [{"entity": "self", "predicate": "likes", "value": format!("puzzle {name} {number}"),
                           "quote": words, "confidence": 1.0}],
        }));
        let call = Call { scope: me, now: at("2026-03-01") };
        let observed = engine.observe(call, vec![said], Observing::default()).expect("taken");
        assert_eq!(observed[0].counts.admitted, 1, "{observed:#?}");
        tell(&words);
    }
}

/// Says something, forgets every fourth of it again, asks now and then, until somebody ends the process.
fn live(engine: &Engine, round: u64, thread: u64) {
    let subject = thread % 3;
    let scope = scope(&format!("person{subject}"));
    let call = Call { scope: &scope, now: at("2026-05-01") };
    for step in 0.. {
        let number = (round * 100 + thread) * 10_000 + step;
        tell(&format!("begin say {subject} {number}"));
        // What is forgotten has a source of its own, whose key is destroyed with it.
        let source = format!("talk {round} {thread} {}", if step % 4 == 3 { step } else { 0 });
        let message = saying(&source, number);
        let observed = engine.observe(call, vec![message], Observing::default()).expect("taken").remove(0);
        assert_eq!(observed.counts.admitted, 1, "{observed:#?}");
        tell(&format!("done say {subject} {number}"));
        if step % 4 == 3 {
            tell(&format!("begin forget {number}"));
            let forget = Forget::Source(format!("conversation:{source}"));
            engine.forget(call, &forget, false).expect("forgotten");
            tell(&format!("done forget {number}"));
        }
        if step % 6 == 5 {
            engine.turn(call, &Turn::of("which puzzle do I like?")).expect("a turn");
        }
    }
}

/// Prints one line, whole, at once.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).expect("somebody listens");
}
