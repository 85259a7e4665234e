//! A program that writes until it is killed: what promise 19 kills.
//!
//! `killed-writer DIR ROUND THREADS` says things for ever and prints each once it was acknowledged.
//! `killed-writer DIR forget EVIDENCE` prints `begin`, forgets, and prints `forgotten`.
//! `killed-writer DIR embed MODEL` embeds what has no vector, slowly, and prints how many texts it has taken up so far.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engine::embed::EmbedBudget;
use engine::forget::Forget;
use engine::observe::Observing;
use engine::{Call, Engine};
use inference::Limits;
use proofs::world::scope;
use proofs::{WordHash, at, engine_on, message};
use serde_json::json;
use store_sqlite::{Options, SqliteStore};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, what, how] = arguments.as_slice() else {
        panic!("DIR ROUND THREADS, or DIR forget EVIDENCE")
    };
    let store = SqliteStore::open(&PathBuf::from(directory), Options::default()).expect("the store opens");
    let engine = engine_on(Arc::new(store));
    let me = scope("me");
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

/// Prints one line, whole, at once.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).expect("somebody listens");
}
