//! **A turn can be replayed.** "Same watermark, same policy, same request: the same selection, byte for byte, later writes
//! notwithstanding."

use engine::answer::Turned;
use engine::forget::Forget;
use engine::history::Resolve;
use engine::turn::Turn;
use ledger::id::{Kind, TurnId};
use ledger::keys::Purpose;
use proofs::{World, on_every_store};
use serde_json::json;

use crate::speak::{claim, with};

fn fill(world: &World) {
    let _ = world.said(
        "2026-03-01",
        "No meetings before 9:30. I live in Zagreb. I prefer tea.",
        &[
            claim("self", "no_meetings_before", "9:30", "No meetings before 9:30"),
            claim("self", "home_city", "Zagreb", "I live in Zagreb"),
            claim("self", "prefers", "tea", "I prefer tea"),
        ],
    );
    for (name, people) in [("handbook", "250"), ("brochure", "300")] {
        let text = format!("From the {name}: Acme has {people} employees.");
        let _ = world.document(
            name,
            "2026-03-02",
            &text,
            &[claim("acme", "headcount", people, &format!("Acme has {people} employees"))],
        );
    }
}

const REQUESTS: &[(&str, &str, u32)] = &[
    ("Book a meeting in Zagreb", "turn/2", 1_200),
    ("Book a meeting in Zagreb", "turn/1", 1_200),
    ("How many employees has Acme?", "turn/2", 1_200),
    ("How many employees has Acme?", "turn/1", 160),
    ("tea", "turn/2", 160),
    ("Book a meeting in Zagreb", "turn/3", 1_200),
    ("How many employees has Acme?", "turn/3", 160),
    ("tea", "turn/3", 1_200),
    ("thanks!", "turn/2", 1_200),
    ("When is it due?", "turn/2", 1_200),
];

fn turns(world: &World, now: &str) -> Vec<Turned> {
    REQUESTS
        .iter()
        .map(|(message, policy, budget)| {
            let turn = Turn {
                policy: Some((*policy).to_owned()),
                budget_tokens: Some(*budget),
                ..Turn::of(message)
            };
            world.engine.turn(world.call(now), &turn).expect("turn")
        })
        .collect()
}

/// Everything that could move a memory: corrections, late letters, confirmations, disputes and their end, retractions,
/// copies, new words for the same thing, forgetting something else.
fn live_on(world: &World) {
    let _ = world.said(
        "2026-04-01",
        "No meetings before 10:00. I no longer prefer tea.",
        &[
            claim("self", "no_meetings_before", "10:00", "No meetings before 10:00"),
            with(claim("self", "prefers", "tea", "I no longer prefer tea"), json!({"op": "retract"})),
        ],
    );
    let _ = world.observe("2026-04-02", json!({
        "source": {"kind": "conversation", "ref": "old"}, "author": "owner", "event_time": "2020-01-01", "text": "I live in Split.",
        "proposals": [claim("self", "home_city", "Split", "I live in Split")]}));
    let _ = world.said(
        "2026-04-03",
        "As ever, I live in Zagreb.",
        &[claim("self", "home_city", "Zagreb", "I live in Zagreb")],
    );
    for (name, people) in [("register", "250"), ("newspaper", "400")] {
        let text = format!("By the {name}, Acme has {people} employees.");
        let _ = world.document(
            name,
            "2026-04-04",
            &text,
            &[claim("acme", "headcount", people, &format!("Acme has {people} employees"))],
        );
    }
    let dispute =
        world.engine.disputes(world.call("2026-04-05"), None, None).expect("disputes").disputes.remove(0);
    let resolve = Resolve {
        fact: dispute.fact.id,
        keep: dispute.versions[0].id.clone(),
        reason: "counted".to_owned(),
        by: "Ana".to_owned(),
    };
    world.engine.resolve_dispute(world.call("2026-04-05"), &resolve).expect("resolved");
    for number in 0..30 {
        let text = format!("I prefer meetings in room {number} of Zagreb.");
        let value = format!("meetings in room {number} of Zagreb");
        let _ = world.said(
            &format!("2026-04-06 10:{number:02}"),
            &text,
            &[claim("self", "prefers", &value, &text)],
        );
    }
    let extra = world.said("2026-04-07", "I like chess.", &[claim("self", "likes", "chess", "I like chess")]);
    let forget = Forget::Ids(vec![extra.evidence.expect("kept")]);
    world.engine.forget(world.call("2026-04-08"), &forget, false).expect("forgotten");
}

on_every_store! {
    /// After everything that came later, also in a program that was started anew.
    fn later_writes_do_not_change_a_replay(world) {
        fill(world);
        let before = turns(world, "2026-03-10");
        assert!(before.iter().filter(|turned| !turned.selected.is_empty()).count() >= 4, "{before:#?}");
        live_on(world);
        let again = world.reopened();
        for turned in &before {
            for engine in [&world.engine, &again] {
                let replayed = engine.replay(world.call("2026-05-01"), &turned.turn).expect("replayed");
                assert!(replayed.identical && replayed.differences.is_empty(), "{replayed:#?} {turned:#?}");
            }
        }
        let now = turns(world, "2026-05-01");
        let moved = now.iter().zip(&before).filter(|(now, then)| now.packet.text != then.packet.text).count();
        assert!(moved >= 4, "the later writes did change what a turn sees now: {moved}");
    }

    /// The record holds a keyed mark of the packet's bytes, and it is the mark of exactly what was handed out.
    fn the_record_marks_the_packet_to_the_byte(world) {
        fill(world);
        let keys = world.store.keys(&world.me).expect("read").expect("founded");
        for turned in turns(world, "2026-03-10") {
            let (kind, position) = keys.ids.open(&turned.turn).expect("a turn's id");
            assert_eq!(kind, Kind::Turn);
            let (record, _) = world.store.turn(&world.me, TurnId(position)).expect("read").expect("recorded");
            let mark = |text: &str| keys.fingerprint(Purpose::Packet, &[text.as_bytes()]);
            assert_eq!(record.packet_mark, mark(&turned.packet.text));
            assert_ne!(record.packet_mark, mark(&format!("{} ", turned.packet.text)));
            assert_eq!(record.as_of.watermark, turned.watermark);
        }
    }

    /// The same request at the same watermark is answered the same, and recording a turn does not move the watermark.
    fn the_same_request_is_answered_the_same(world) {
        fill(world);
        let plain = |turned: Turned| Turned { turn: String::new(), ..turned };
        let first: Vec<Turned> = turns(world, "2026-03-10").into_iter().map(plain).collect();
        let second: Vec<Turned> = turns(world, "2026-03-10").into_iter().map(plain).collect();
        assert_eq!(first, second);
    }

    /// What cannot be made again because its words were forgotten is said to differ, not passed off as the same.
    fn a_replay_of_forgotten_words_says_so(world) {
        fill(world);
        let turned = world.turn("2026-03-10", "Book a meeting in Zagreb");
        assert!(turned.packet.text.contains("Zagreb"));
        let place = turned.selected.iter().find(|item| item.text.contains("Zagreb")).expect("selected");
        world.engine.forget(world.call("2026-03-11"), &Forget::Ids(vec![place.id.clone()]), false).expect("forgotten");
        let replayed = world.engine.replay(world.call("2026-03-12"), &turned.turn).expect("answered");
        assert!(!replayed.identical && !replayed.differences.is_empty(), "{replayed:#?}");
        assert!(!serde_json::to_string(&replayed).expect("JSON").contains("Zagreb"));
    }
}
