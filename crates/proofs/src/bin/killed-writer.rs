//! A program that writes until it is killed: what promise 19 kills.
//!
//! `killed-writer DIR ROUND THREADS` says things for ever and prints each once it was acknowledged.
//! `killed-writer DIR forget EVIDENCE` prints `begin`, forgets, and prints `forgotten`.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use engine::forget::Forget;
use engine::observe::Observing;
use engine::{Call, Engine};
use proofs::world::scope;
use proofs::{at, engine_on, message};
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
    let threads: usize = how.parse().expect("a number of threads");
    std::thread::scope(|all| {
        for thread in 0..threads {
            let (engine, me) = (&engine, &me);
            all.spawn(move || write(engine, me, &format!("{what} {thread}")));
        }
    });
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
