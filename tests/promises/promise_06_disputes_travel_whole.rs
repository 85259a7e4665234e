//! **Disputes travel whole.** "No read returns one side alone. Resolution is an explicit, recorded act with a reason."

use std::collections::BTreeSet;

use engine::history::Resolve;
use engine::recall::Recall;
use engine::turn::Turn;
use proofs::{World, on_every_store};
use serde_json::json;

use crate::speak::claim;

const NOW: &str = "2026-06-01";

/// Documents that disagree about Acme: each says it in words of its own, so that a query can match one side only.
fn disagree(world: &World, sides: usize) -> (String, BTreeSet<String>) {
    let words = ["payroll counts", "the brochure boasts", "reporters estimate", "the register lists"];
    let mut versions = BTreeSet::new();
    let mut fact = String::new();
    for (place, said) in words.iter().enumerate().take(sides) {
        let people = 250 + place * 50;
        let observed = world.document(
            said,
            &format!("2026-0{}-01", place + 1),
            &format!("Of Acme {said} {people} employees."),
            &[claim("acme", "headcount", &people.to_string(), &format!("{said} {people} employees"))],
        );
        assert_eq!(observed.counts.admitted, 1, "{observed:#?}");
        fact = observed.admitted[0].fact.clone();
        versions.insert(observed.admitted[0].version.clone().expect("a version"));
    }
    (fact, versions)
}

/// Noise that competes for slots: facts that match the same words as the dispute.
fn noise(world: &World, count: usize) {
    for number in 0..count {
        let text = format!("Acme payroll and Acme employees were mentioned, number {number}.");
        let _ = world.document(
            "noise",
            &format!("2026-05-01T00:{:02}:{:02}Z", number / 60, number % 60),
            &text,
            &[claim("acme", "mentions", &format!("payroll employees number {number}"), &text)],
        );
    }
}

/// Every set of ids an answer could be read as holds all sides or none.
fn whole(ids: impl IntoIterator<Item = String>, sides: &BTreeSet<String>, what: &str) -> bool {
    let held: BTreeSet<String> = ids.into_iter().filter(|id| sides.contains(id)).collect();
    assert!(held.is_empty() || held == *sides, "{what}: {} of {} sides", held.len(), sides.len());
    !held.is_empty()
}

on_every_store! {
    /// Recall, at every limit and threshold, for words of one side, of the other, of both.
    fn recall_returns_all_sides_or_none(world) {
        let (_, sides) = disagree(world, 3);
        noise(world, 12);
        let mut met = 0;
        for query in ["payroll counts", "the brochure boasts", "reporters estimate", "acme headcount", "employees 300", "Acme"] {
            for limit in [1, 2, 3, 4, 10, 1_000] {
                for threshold in [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0] {
                    let recall = Recall { limit, threshold, ..Recall::of(query) };
                    let answer = world.engine.recall(world.call(NOW), &recall).expect("recall");
                    let what = format!("`{query}` limit {limit} threshold {threshold}");
                    if whole(answer.items.iter().map(|item| item.id.clone()), &sides, &what) {
                        met += 1;
                        for item in answer.items.iter().filter(|item| sides.contains(&item.id)) {
                            let others: BTreeSet<String> = item.dispute.clone().expect("says so").into_iter().collect();
                            assert_eq!(others, sides, "{what}: each side names all");
                        }
                        let places: Vec<usize> = answer.items.iter().enumerate()
                            .filter(|(_, item)| sides.contains(&item.id)).map(|(place, _)| place).collect();
                        assert_eq!(places[2] - places[0], 2, "{what}: the sides stand together");
                    }
                }
            }
        }
        assert!(met > 50, "the dispute was met {met} times");
        for query in ["payroll counts", "the brochure boasts", "reporters estimate"] {
            let recall = Recall { limit: 1, ..Recall::of(query) };
            let answer = world.engine.recall(world.call(NOW), &recall).expect("recall");
            assert_eq!(answer.items.len(), 3, "a limit of one does not cut a dispute that leads: `{query}`");
        }
    }

    /// Turns, under each policy, at every budget, with the dispute fighting for room.
    fn a_turn_takes_all_sides_or_none(world) {
        let (_, sides) = disagree(world, 3);
        noise(world, 20);
        let (mut in_packet, mut dropped) = (0, 0);
        for policy in ["turn/1", "turn/2"] {
            for message in ["payroll counts", "the brochure boasts", "employees", "Acme payroll employees", "tell me of Acme"] {
                for budget in [1, 40, 60, 80, 100, 120, 140, 160, 200, 260, 400, 1_200] {
                    let turn = Turn { policy: Some(policy.to_owned()), budget_tokens: Some(budget), ..Turn::of(message) };
                    let turned = world.engine.turn(world.call(NOW), &turn).expect("turn");
                    let what = format!("{policy} `{message}` {budget} tokens");
                    assert!(turned.packet.tokens <= budget || turned.packet.text.is_empty(), "{what}: {} tokens", turned.packet.tokens);
                    whole(turned.candidates.iter().cloned(), &sides, &what);
                    if whole(turned.selected.iter().map(|item| item.id.clone()), &sides, &what) {
                        in_packet += 1;
                        assert_eq!(turned.disputes.len(), 1, "{what}");
                        assert_eq!(turned.disputes[0].iter().cloned().collect::<BTreeSet<_>>(), sides, "{what}");
                        for people in ["250", "300", "350"] {
                            assert!(turned.packet.text.contains(people), "{what}: {}", turned.packet.text);
                        }
                        assert!(turned.packet.text.contains("contradict each other"), "{what}: {}", turned.packet.text);
                    } else if !turned.selected.is_empty() || !turned.dropped.is_empty() {
                        dropped += usize::from(turned.dropped.iter().any(|item| sides.contains(&item.id)));
                        assert!(turned.disputes.is_empty());
                    }
                    assert!(turned.selected.len() <= 12, "{what}");
                }
            }
        }
        assert!(in_packet > 5 && dropped > 5, "both ways were met: {in_packet} in, {dropped} out");
    }

    /// State, disputes, history and receipts.
    fn every_other_read_names_all_sides(world) {
        let (fact, sides) = disagree(world, 2);
        let state = world.state(NOW);
        assert!(whole(state.items.iter().map(|item| item.id.clone()), &sides, "state"));
        let disputes = world.engine.disputes(world.call(NOW), None, None).expect("disputes");
        assert_eq!(disputes.disputes.len(), 1);
        assert_eq!(disputes.disputes[0].versions.iter().map(|version| version.id.clone()).collect::<BTreeSet<_>>(), sides);
        let history = world.engine.history(world.call(NOW), &fact).expect("history");
        assert!(whole(history.versions.iter().map(|version| version.id.clone()), &sides, "history"));
        assert_eq!(history.transitions.iter().filter(|made| made.transition == "dispute").count(), 2,
            "both sides say in their history that they came into dispute: {history:#?}");
        for side in &sides {
            let why = world.engine.why(world.call(NOW), side).expect("a receipt");
            let told = why.versions.iter().find(|version| version.id == *side).expect("the version itself");
            let others: BTreeSet<String> = told.dispute.clone().expect("says so").into_iter().collect();
            assert_eq!(others, sides, "a receipt of one side names the other");
        }
    }

    /// Nothing settles a dispute in silence: not repetition, not recency, not authority, not confidence.
    fn nothing_but_an_act_ends_a_dispute(world) {
        let (_, sides) = disagree(world, 2);
        for minute in 0..10 {
            let _ = world.observe(&format!("2026-05-01 10:{minute:02}"), json!({
                "source": {"kind": "document", "ref": format!("ally {minute}"), "authority": "high"}, "author": "external",
                "event_time": format!("2026-05-01 10:{minute:02}"), "text": format!("Acme has 300 employees, says ally {minute}."),
                "proposals": [{"entity": "acme", "predicate": "headcount", "value": "300", "confidence": 1.0,
                               "quote": "Acme has 300 employees"}],
            }));
        }
        let state = world.state(NOW);
        assert!(whole(state.items.iter().map(|item| item.id.clone()), &sides, "after ten allies"));
        assert_eq!(state.items.len(), 2);
    }

    /// The act: it needs a reason and a side of the dispute, it is recorded, and the past still shows the dispute.
    fn a_resolution_is_an_act_with_a_reason(world) {
        let (fact, sides) = disagree(world, 2);
        let keep = sides.iter().next().expect("two sides").clone();
        let resolve = |fact: &str, keep: &str, reason: &str| world.engine.resolve_dispute(world.call("2026-06-02"), &Resolve {
            fact: fact.to_owned(), keep: keep.to_owned(), reason: reason.to_owned(), by: "Ana".to_owned(),
        });
        for reason in ["", "   ", "\n\t"] {
            assert!(resolve(&fact, &keep, reason).is_err(), "no reason, no act");
        }
        let unrelated = world.said("2026-05-30", "I live in Zagreb.", &[claim("self", "home_city", "Zagreb", "I live in Zagreb")]);
        let stranger = unrelated.admitted[0].version.clone().expect("a version");
        assert!(resolve(&fact, &stranger, "because").is_err(), "not a side");
        assert!(resolve(&unrelated.admitted[0].fact, &stranger, "because").is_err(), "not in dispute");
        let disputes = |valid: Option<&str>, believed: Option<&str>| world.engine
            .disputes(world.call("2026-07-01"), valid.map(proofs::at), believed.map(proofs::at)).expect("disputes").disputes.len();
        assert_eq!(disputes(None, None), 1, "nothing was settled by the failed attempts");

        let resolved = resolve(&fact, &keep, "payroll is counted, not guessed").expect("resolved");
        assert_eq!(resolved.overruled.len(), 1);
        assert_eq!(disputes(None, None), 0);
        let state = world.state("2026-07-01");
        let about_acme: Vec<&str> = state.items.iter().filter(|item| item.entity.as_deref() == Some("acme"))
            .map(|item| item.id.as_str()).collect();
        assert_eq!(about_acme, [keep.as_str()]);
        let history = world.engine.history(world.call("2026-07-01"), &fact).expect("history");
        let acts: Vec<_> = history.transitions.iter().filter(|made| made.transition == "resolve").collect();
        assert!(!acts.is_empty());
        for act in acts {
            assert_eq!(act.reason.as_deref(), Some("payroll is counted, not guessed"));
            assert_eq!(act.by.as_deref(), Some("Ana"));
        }
        assert_eq!(history.versions.len(), 2, "the overruled side is still there to read");
        assert_eq!(disputes(None, Some("2026-06-01")), 1, "who looks back sees the dispute as it was");
        assert!(resolve(&fact, &keep, "again").is_err(), "there is nothing left to settle");
    }
}
