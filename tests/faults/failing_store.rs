//! The n-th call of the store fails, for every n and in every way: the engine answers with an error somebody can act on, or
//! rightly; and whoever asks again ends where he would have ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::error::{EngineError, ErrorKind};
use engine::forget::Forget;
use engine::observe::{Message, Observing};
use engine::recall::Recall;
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::store::StoreErrorKind;
use proofs::failing_store::{FailingStore, Way};
use proofs::{Keeper, World, at, engine_on, message};
use serde_json::json;

/// What a person says in the story, with a key of the caller's where there is one.
fn sayings() -> Vec<Message> {
    let said = |text: &str, day: u32, key: Option<&str>, predicate: &str, value: &str| {
        message(json!({
            "source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "text": text,
            "event_time": format!("2026-03-{day:02}"), "idempotency_key": key,
            "proposals": [{"entity": "self", "predicate": predicate, "value": value, "quote": text, "confidence": 1.0}],
        }))
    };
    vec![
        said("I live in Zagreb", 1, None, "home_city", "Zagreb"),
        said("I prefer tea", 2, Some("one"), "prefers", "tea"),
        said("I live in Split", 3, Some("two"), "home_city", "Split"),
        said("I prefer coffee", 4, None, "prefers", "coffee"),
    ]
}

/// Asks until there is an answer; the first may be an error of the kinds a failing store excuses.
fn insist<T>(what: &str, mut ask: impl FnMut() -> Result<T, EngineError>) -> Result<T, EngineError> {
    match ask() {
        Err(error) => {
            let excused = matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Internal);
            assert!(excused, "{what}: {:?} {error}", error.kind());
            ask()
        }
        answer => answer,
    }
}

/// Lives the story, and tells how it ended: values in force with how often each was confirmed, and the messages.
fn live(engine: &Engine, world: &World) -> (BTreeMap<String, usize>, Vec<String>) {
    let call = world.call("2026-05-01");
    let mut ids = Vec::new();
    for saying in sayings() {
        let observe = || engine.observe(call, vec![saying.clone()], Observing::default());
        let observed = insist("observe", observe).expect("observed").remove(0);
        assert!(observed.duplicate || observed.counts.admitted == 1, "{observed:#?}");
        ids.push(observed.evidence.expect("an id"));
    }
    let turned = insist("turn", || engine.turn(call, &Turn::of("where do I live?"))).expect("turned");
    let replayed = insist("replay", || engine.replay(call, &turned.turn)).expect("replayed");
    assert!(replayed.identical, "{replayed:#?}");
    let why = insist("why", || engine.why(call, &ids[2])).expect("told why");
    assert_eq!(why.evidence.len(), 1);
    let forget = Forget::Ids(vec![ids[3].clone()]);
    match insist("forget", || engine.forget(call, &forget, false)) {
        Ok(forgotten) => assert_eq!(forgotten.residue, 0),
        // The first time had forgotten it and could not say so.
        Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{error}"),
    }
    let recalled = insist("recall", || engine.recall(call, &Recall::of("prefer"))).expect("recalled");
    assert!(recalled.items.iter().all(|item| !format!("{item:?}").contains("coffee")));
    assert!(insist("verify", || engine.verify(call)).expect("verified").ok);
    let state = insist("state", || engine.state(call, None, None)).expect("told");
    let values = state.items.iter().map(|item| (format!("{:?} {:?}", item.predicate, item.value), 1));
    let mut values: BTreeMap<String, usize> = values.collect();
    for (_, claim) in proofs::fold(&*world.store, &world.me, u64::MAX).claims() {
        *values.entry(claim.words.quotes.first().text().to_owned()).or_default() += 1;
    }
    let kept = world.store.evidence_after(&world.me, None, 100).expect("read");
    let texts = kept.into_iter().filter_map(|(_, evidence)| evidence.words.text).collect();
    (values, texts)
}

fn every_call_may_fail(keeper: Keeper) {
    let world = World::new(keeper);
    let counting = Arc::new(FailingStore::over(world.store.clone(), 0, 0, Way::UnknownDone));
    let expected = live(&engine_on(counting.clone()), &world);
    let calls = counting.calls();
    assert!(calls > 30, "{calls}");
    let fail_each = |way| {
        for nth in 1..=calls {
            let world = World::new(keeper);
            let failing = Arc::new(FailingStore::over(world.store.clone(), nth, 1, way));
            assert_eq!(live(&engine_on(failing), &world), expected, "call {nth} of {calls}, {way:?}");
        }
    };
    // They wait for the disk most of the time.
    std::thread::scope(|scope| {
        for way in Way::ALL {
            scope.spawn(move || fail_each(way));
        }
    });
}

#[test]
fn every_call_may_fail_once_on_reference() {
    every_call_may_fail(Keeper::Reference);
}

#[test]
fn slow_every_call_may_fail_once_on_sqlite() {
    every_call_may_fail(Keeper::Sqlite);
}

/// A store that does not know for good: the caller is told that nobody knows, and finds out later.
#[test]
fn an_outcome_that_stays_unknown_is_an_error_that_says_so() {
    for way in [Way::UnknownDone, Way::UnknownNotDone] {
        let world = World::new(Keeper::Reference);
        let call = world.call("2026-05-01");
        let first = sayings().remove(0);
        let observe = |engine: &Engine| engine.observe(call, vec![first.clone()], Observing::default());
        // The calls before the append are those of the first failure-free run up to it.
        let counting = Arc::new(FailingStore::over(World::new(Keeper::Reference).store, 0, 0, way));
        let engine = engine_on(counting.clone());
        engine
            .observe(
                Call { scope: &world.me, now: at("2026-05-01") },
                vec![first.clone()],
                Observing::default(),
            )
            .expect("observed");
        let append = counting.calls();
        let failing = Arc::new(FailingStore::over(world.store.clone(), append, 100, way));
        let error = observe(&engine_on(failing)).expect_err("nobody knows");
        let EngineError::Store(store_error) = &error else { panic!("{error:?}") };
        assert_eq!(store_error.kind(), StoreErrorKind::Io);
        assert!(error.to_string().contains("not kept twice"), "{error}");
        let observed = observe(&engine_on(world.store.clone())).expect("observed").remove(0);
        assert_eq!(observed.duplicate, way == Way::UnknownDone);
        assert_eq!(world.store.head(&world.me).expect("read").watermark, 1);
    }
}
