//! Several engines over one store, as several processes have one data directory: none takes another's act for its own.

use std::sync::Arc;

use engine::forget::Forget;
use engine::observe::{Message, Observing};
use engine::remember::Remember;
use engine::tokens::Tokens;
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use serde_json::json;

fn now() -> Instant {
    "2026-03-01T10:00:00Z".parse().expect("a time")
}

fn engines(count: usize) -> Vec<Engine> {
    let store = Arc::new(ReferenceStore::new());
    let engine = |_| Engine::new(store.clone(), Policies::shipped(), Arc::new(Tokens));
    (0..count).map(engine).collect()
}

#[test]
fn the_first_words_of_many_processes_are_all_kept() {
    for round in 0..20 {
        let engines = engines(6);
        let scope = Scope::of(Subject::parse("me").expect("a name"));
        let start = std::sync::Barrier::new(engines.len());
        std::thread::scope(|threads| {
            for (number, engine) in engines.iter().enumerate() {
                let (scope, start) = (&scope, &start);
                threads.spawn(move || {
                    start.wait();
                    let remember =
                        Remember { text: format!("I prefer tea number {number}."), ..Remember::default() };
                    let kept = engine.remember(Call { scope, now: now() }, remember);
                    assert!(kept.is_ok(), "round {round}, engine {number}: {kept:?}");
                });
            }
        });
        let verified = engines[0].verify(Call { scope: &scope, now: now() }).expect("verified");
        assert_eq!((verified.appends, verified.ok), (6, true));
    }
}

#[test]
fn each_of_two_who_forget_at_once_forgets_its_own() {
    for round in 0..20 {
        let engines = engines(2);
        let scope = Scope::of(Subject::parse("me").expect("a name"));
        let call = Call { scope: &scope, now: now() };
        let said = |text: &str| -> Message {
            let source = json!({"kind": "conversation", "ref": "c1"});
            serde_json::from_value(json!({"source": source, "author": "owner", "text": text}))
                .expect("a message")
        };
        let messages = vec![said("I live in Zagreb."), said("My name is Ana.")];
        let kept = engines[0].observe(call, messages, Observing::default()).expect("observed");
        let ids: Vec<String> = kept.into_iter().filter_map(|one| one.evidence).collect();
        let start = std::sync::Barrier::new(2);
        std::thread::scope(|threads| {
            for (engine, id) in engines.iter().zip(&ids) {
                let start = &start;
                threads.spawn(move || {
                    start.wait();
                    engine.forget(call, &Forget::Ids(vec![id.clone()]), false).expect("forgotten");
                });
            }
        });
        for id in &ids {
            assert!(engines[0].why(call, id).is_err(), "round {round}: `{id}` was said to be forgotten");
        }
    }
}

#[test]
fn the_same_question_at_the_same_time_over_another_memory_is_another_turn() {
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: now() };
    let store = Arc::new(ReferenceStore::new());
    let engine = || Engine::new(store.clone(), Policies::shipped(), Arc::new(Tokens));
    let ask = || engine().turn(call, &Turn::of("Where do I live?")).expect("a turn");
    let before = ask();
    engine()
        .remember(call, Remember { text: "I live in Zagreb.".to_owned(), ..Remember::default() })
        .expect("kept");
    let after = ask();
    assert_ne!(before.turn, after.turn);
    for turn in [before, after] {
        let replayed = engine().replay(call, &turn.turn).expect("replayed");
        assert!(replayed.identical, "{replayed:?}");
    }
}
