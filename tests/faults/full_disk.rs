//! A disk that fills up at every step: reads go on, forgetting works from the ballast, and room that is made helps at once.

use engine::error::ErrorKind;
use engine::forget::Forget;
use engine::recall::{Grain, Recall};
use engine::{Call, Engine};
use proofs::ordeal::{Place, saying};
use proofs::world::scope;
use proofs::{at, engine_on};
use std::sync::Arc;
use store_sqlite::Options;

fn say(engine: &Engine, number: u64) -> Result<String, engine::error::EngineError> {
    let me = scope("me");
    let call = Call { scope: &me, now: at("2026-05-01") };
    let mut observed = engine.observe(call, vec![saying("c1", number)], Default::default())?;
    Ok(observed.remove(0).evidence.expect("an id"))
}

fn texts(engine: &Engine) -> Vec<String> {
    let me = scope("me");
    let recall = Recall { grain: Grain::Evidence, limit: 1_000, ..Recall::of("puzzle") };
    let recalled = engine.recall(Call { scope: &me, now: at("2026-05-01") }, &recall).expect("reads go on");
    let mut texts: Vec<String> = recalled.items.into_iter().map(|item| item.text).collect();
    texts.sort();
    texts
}

#[test]
fn forgetting_works_on_a_disk_that_is_full() {
    for room in [0, 1, 4_096, 20_000, 70_000, 300_000, 1_000_000] {
        let place = Place::new();
        let engine = engine_on(Arc::new(place.open(&Options::default()).expect("opened")));
        let me = scope("me");
        let call = Call { scope: &me, now: at("2026-05-01") };
        let mut ids: Vec<String> = (0..6).map(|number| say(&engine, number).expect("kept")).collect();
        place.disk().limit(Some(0));
        let full = place.disk().used() + room;
        place.disk().limit(Some(full));
        let refused = (6..600).find_map(|number| match say(&engine, number) {
            Ok(id) => {
                ids.push(id);
                None
            }
            Err(error) => Some((number, error)),
        });
        let (number, error) = refused.expect("it fills up");
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(error.to_string().contains("the disk is full"), "{error}");
        let before = texts(&engine);
        assert_eq!(before.len(), ids.len(), "nothing refused is there by half, nothing acknowledged is lost");
        let mut next = number + 1_000;
        // More than once: what is written between gets none of the room that is kept to forget.
        for _ in 0..3 {
            let gone = ids.remove(2);
            let forgotten =
                engine.forget(call, &Forget::Ids(vec![gone]), false).expect("forgotten from the ballast");
            assert_eq!(forgotten.residue, 0, "with {room} bytes left");
            assert_eq!(texts(&engine).len(), ids.len());
            while let Ok(id) = say(&engine, next) {
                ids.push(id);
                next += 1;
            }
        }
        assert!(place.disk().used() <= full, "it was never fuller than full");
        place.disk().limit(None);
        say(&engine, number).expect("room helps at once");
        assert!(engine.verify(call).expect("verified").ok);
        drop(engine);
        let again = engine_on(Arc::new(place.open(&Options::default()).expect("opened")));
        assert_eq!(texts(&again).len(), ids.len() + 1);
        assert!(again.verify(call).expect("verified").ok);
    }
}

/// A directory that was full when the store was opened can be read and forgotten in.
#[test]
fn a_store_opens_on_a_full_disk() {
    let place = Place::new();
    let engine = engine_on(Arc::new(place.open(&Options::default()).expect("opened")));
    let ids: Vec<String> = (0..6).map(|number| say(&engine, number).expect("kept")).collect();
    drop(engine);
    place.disk().limit(Some(0));
    place.disk().limit(Some(place.disk().used()));
    let engine = engine_on(Arc::new(place.open(&Options::default()).expect("opens on a full disk")));
    assert_eq!(texts(&engine).len(), 6);
    let me = scope("me");
    let call = Call { scope: &me, now: at("2026-05-01") };
    let forgotten = engine.forget(call, &Forget::Ids(vec![ids[0].clone()]), false).expect("forgotten");
    assert_eq!(forgotten.residue, 0);
    assert_eq!(texts(&engine).len(), 5);
}
