//! A clock that goes back a year, forward ten, and through a change to summer time, in the middle of a run.

use engine::turn::Turn;
use ledger::log::{Changes, Row};
use ledger::scope::Scope;
use ledger::store::Store;
use proofs::ordeal::saying;
use proofs::{World, on_every_store};

on_every_store! {
    /// The order of the log is that of the watermarks; belief never runs backwards, spans never invert, turns replay.
    fn a_clock_that_jumps_moves_nothing_in_the_log(world) {
        let clock = [
            "2026-05-01", "2025-05-01", "2025-05-02", "2036-05-01", "2026-05-03", "2026-03-29T00:59:59Z",
            "2026-03-29T01:00:00Z", "2026-10-25T01:30:00Z", "2026-10-25T00:30:00Z", "1970-01-01", "2026-05-04",
        ];
        let mut turns = Vec::new();
        for (number, now) in (0..).zip(clock) {
            let message = saying("c1", number);
            let observed = world.engine.observe(world.call(now), vec![message], Default::default()).expect("taken");
            assert_eq!(observed[0].watermark, 2 * number + 1);
            let moved = format!("I live in {}", if number % 2 == 0 { "Zagreb" } else { "Split" });
            let city = proofs::message(serde_json::json!({
                "source": {"kind": "conversation", "ref": "c2"}, "author": "owner", "text": moved,
                "external_id": format!("city{number}"), "event_time": format!("2026-04-{:02}", number + 1),
                "proposals": [{"entity": "self", "predicate": "home_city", "confidence": 1.0, "quote": moved,
                               "value": moved.rsplit(' ').next()}],
            }));
            let observed = world.engine.observe(world.call(now), vec![city], Default::default()).expect("taken");
            assert_eq!(observed[0].counts.admitted, 1, "{observed:#?}");
            turns.push(world.engine.turn(world.call(now), &Turn::of("where do I live?")).expect("answers").turn);
        }
        check(world, &turns);
    }
}

/// Appends follow on each other, belief never runs backwards, and no span ends before it begins.
pub(crate) fn assert_log_is_in_order(store: &dyn Store, scope: &Scope) {
    let Changes::Appended(entries) = store.changes_since(scope, 0).expect("read") else {
        panic!("nothing was erased");
    };
    assert!(entries.iter().map(|entry| entry.seq).eq(1..=entries.len() as u64));
    assert!(entries.is_sorted_by_key(|entry| entry.recorded_at), "belief ran backwards");
    for (position, row) in entries.iter().flat_map(|entry| &entry.rows) {
        if let Row::Transition(transition) = row {
            let span = transition.validity;
            assert!(span.to().is_none_or(|to| span.from() <= to), "{position}: {span:?}");
        }
    }
}

fn check(world: &World, turns: &[String]) {
    assert_log_is_in_order(&*world.store, &world.me);
    for turn in turns {
        let replayed = world.engine.replay(world.call("2026-05-05"), turn).expect("replayed");
        assert!(replayed.identical, "{replayed:#?}");
    }
    let engine = world.reopened();
    let printed = |engine: &engine::Engine| {
        let state = engine.state(world.call("2026-05-05"), None, None).expect("answers");
        let mut values: Vec<String> =
            state.items.iter().map(|item| format!("{:?} {:?}", item.value, item.validity)).collect();
        values.sort();
        values
    };
    assert_eq!(printed(&engine), printed(&world.engine), "replay is identical");
    assert!(engine.verify(world.call("2026-05-05")).expect("verified").ok);
}
