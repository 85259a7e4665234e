//! **Candidate, selected, used** are three sets, each stored.

use std::collections::BTreeSet;

use engine::turn::Turn;
use ledger::id::{Kind, TurnId, VersionId};
use ledger::turn::TurnRecord;
use proofs::{World, on_every_store};

use crate::speak::claim;

fn stored(world: &World, turn: &str) -> (TurnRecord, Vec<u32>) {
    let keys = world.store.keys(&world.me).expect("read").expect("founded");
    let (kind, position) = keys.ids.open(turn).expect("a turn's id");
    assert_eq!(kind, Kind::Turn);
    world.store.turn(&world.me, TurnId(position)).expect("read").expect("recorded")
}

fn fill(world: &World) {
    for number in 0..20 {
        let text = format!("I prefer tea number {number}.");
        let value = format!("tea number {number}");
        let _ = world.said(
            &format!("2026-03-01 10:{number:02}"),
            &text,
            &[claim("self", "prefers", &value, &text)],
        );
    }
    let _ = world.said(
        "2026-03-02",
        "No meetings before 9:30. I like chess.",
        &[
            claim("self", "no_meetings_before", "9:30", "No meetings before 9:30"),
            claim("self", "likes", "chess", "I like chess"),
        ],
    );
}

on_every_store! {
    /// What was told is what is stored: the selected are among the candidates, the rest is dropped for a reason.
    fn the_three_sets_are_stored_apart(world) {
        fill(world);
        for policy in ["turn/1", "turn/2", "turn/3"] {
            let turn = Turn { policy: Some(policy.to_owned()), ..Turn::of("which tea do I prefer?") };
            let turned = world.engine.turn(world.call("2026-04-01"), &turn).expect("turn");
            let keys = world.store.keys(&world.me).expect("read").expect("founded");
            let (record, used) = stored(world, &turned.turn);
            let id = |version: VersionId| keys.ids.seal(Kind::Version, version.0);
            let candidates: Vec<String> = record.candidates.iter().map(|one| id(one.version)).collect();
            let selected: Vec<String> = record.selected.iter().map(|one| id(one.version)).collect();
            let dropped: Vec<String> = record.dropped.iter().map(|one| id(one.version)).collect();
            assert_eq!(candidates, turned.candidates);
            assert_eq!(selected, turned.selected.iter().map(|one| one.id.clone()).collect::<Vec<_>>());
            assert_eq!(dropped, turned.dropped.iter().map(|one| one.id.clone()).collect::<Vec<_>>());
            let all: BTreeSet<&String> = candidates.iter().collect();
            let parts: BTreeSet<&String> = selected.iter().chain(&dropped).collect();
            assert_eq!(all, parts, "every candidate was selected or dropped");
            assert_eq!(all.len(), selected.len() + dropped.len(), "none was both");
            assert!(!selected.is_empty() && !dropped.is_empty() && selected.len() <= 12);
            assert!(used.is_empty(), "being selected is not being used");
        }
    }

    /// Use is recorded by handle, once each, survives a new start, and stays a set of its own.
    fn use_is_recorded_apart(world) {
        fill(world);
        let turned = world.turn("2026-04-01", "which tea do I prefer?");
        let before = stored(world, &turned.turn).0;
        let mark = |handles: &[&str]| {
            let handles: Vec<String> = handles.iter().map(|handle| (*handle).to_owned()).collect();
            world.engine.used(world.call("2026-04-02"), &turned.turn, &handles)
        };
        assert_eq!(mark(&["M2"]).expect("recorded").used, ["M2"]);
        assert_eq!(mark(&["[M1]", "M2", "M2"]).expect("recorded").used, ["M1", "M2"]);
        let (after, used) = stored(world, &turned.turn);
        assert_eq!(used, [0, 1]);
        assert_eq!(after, before, "recording use changes neither candidates nor selection");
        let count = turned.selected.len();
        for wrong in [format!("M{}", count + 1), "M0".to_owned(), "M".to_owned(), "tea".to_owned(), "M-1".to_owned(), "M99999999999999999999".to_owned()] {
            assert!(mark(&[&wrong]).is_err(), "`{wrong}` was not selected");
            assert!(mark(&["M3", &wrong]).is_err(), "and nothing of such a call is recorded");
        }
        assert_eq!(stored(world, &turned.turn).1, [0, 1]);
        let again = world.reopened();
        let none: Vec<String> = Vec::new();
        assert_eq!(again.used(world.call("2026-04-03"), &turned.turn, &none).expect("read").used, ["M1", "M2"]);
    }

    /// A turn that needed nothing still tells what it considered.
    fn a_skipped_turn_has_its_sets_too(world) {
        fill(world);
        let turned = world.turn("2026-04-01", "thanks!");
        assert_eq!(turned.triage, "SKIP");
        let (record, used) = stored(world, &turned.turn);
        assert!(record.selected.is_empty() && used.is_empty());
        assert_eq!(record.dropped.len(), record.candidates.len());
        assert!(!record.candidates.is_empty());
    }
}
