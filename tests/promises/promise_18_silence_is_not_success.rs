//! **Silence is not success.** "Degraded, partial, truncated, stale and empty answers say so, in the answer."

use engine::forget::Forget;
use engine::recall::{Grain, Recall};
use engine::turn::Turn;
use proofs::{World, at, on_every_store};
use serde_json::json;

use crate::speak::claim;

const NOW: &str = "2026-06-01";

fn likes(world: &World, count: usize) {
    for number in 0..count {
        let text = format!("I like puzzle number {number}.");
        let value = format!("puzzle number {number}");
        let _ = world.said(
            &format!("2026-03-01T{:02}:{:02}:{:02}Z", number / 3600, number / 60 % 60, number % 60),
            &text,
            &[claim("self", "likes", &value, &text[..text.len() - 1])],
        );
    }
}

on_every_store! {
    /// An empty answer is one of three kinds of "no", and a full one is none.
    fn an_empty_answer_says_which_kind_of_no_it_is(world) {
        let ask = |query: &str, valid_at: Option<&str>, believed_at: Option<&str>, grain: Grain| {
            let recall = Recall { grain, valid_at: valid_at.map(at), believed_at: believed_at.map(at), ..Recall::of(query) };
            let answer = world.engine.recall(world.call(NOW), &recall).expect("recall");
            assert_eq!(answer.items.is_empty(), answer.negative.is_some(), "empty if and only if it says so: {answer:#?}");
            answer.negative
        };
        for grain in [Grain::Fact, Grain::Evidence] {
            assert_eq!(ask("anything", None, None, grain).as_deref(), Some("unknown_entity"), "a new subject");
        }
        let _ = world.said("2026-03-01", "I live in Zagreb.", &[claim("self", "home_city", "Zagreb", "I live in Zagreb")]);
        let _ = world.said("2026-04-01", "I live in Split.", &[claim("self", "home_city", "Split", "I live in Split")]);
        assert_eq!(ask("Split", None, None, Grain::Fact), None);
        assert_eq!(ask("Zagreb", None, None, Grain::Fact).as_deref(), Some("known_empty"), "it was so, and is no longer");
        assert_eq!(ask("Split", Some("2026-03-15"), None, Grain::Fact).as_deref(), Some("known_empty"));
        assert_eq!(ask("quantum chromodynamics", None, None, Grain::Fact).as_deref(), Some("unknown_entity"));
        assert_eq!(ask("Split", None, Some("2026-01-01"), Grain::Fact).as_deref(), Some("boundary"), "before anything was known");
        for (valid_at, believed_at, wanted) in [
            (None, None, None), (Some("2020-01-01"), None, Some("known_empty")), (None, Some("2026-01-01"), Some("boundary")),
        ] {
            let state = world.engine.state(world.call(NOW), valid_at.map(at), believed_at.map(at)).expect("state");
            assert_eq!(state.negative.as_deref(), wanted);
            assert_eq!(state.items.is_empty(), wanted.is_some());
        }
        let compiled = world.engine.recall(world.call(NOW), &Recall { grain: Grain::Compiled, ..Recall::of("Split") }).expect("recall");
        assert!(compiled.items.is_empty() && compiled.negative.is_some() && !compiled.notices.is_empty(), "{compiled:#?}");
    }

    /// A list cut short says that it is, exactly when it is.
    fn a_cut_list_says_so(world) {
        likes(world, 30);
        for grain in [Grain::Fact, Grain::Evidence] {
            for (limit, cut) in [(1, true), (10, true), (29, true), (30, false), (31, false), (1_000, false)] {
                let answer = world.engine.recall(world.call(NOW), &Recall { grain, limit, ..Recall::of("puzzle") }).expect("recall");
                assert_eq!(answer.items.len(), limit.min(30));
                assert_eq!(answer.truncated, cut, "{grain:?} limit {limit}");
            }
        }
    }

    /// A turn that considered too little, found nothing, or had no room says so; so does its packet, to the model.
    fn a_turn_that_falls_short_says_so(world) {
        let empty = world.turn(NOW, "where is the spare key?");
        assert_eq!(empty.triage, "RETRIEVE");
        assert!(empty.selected.is_empty());
        assert!(!empty.notices.is_empty(), "nothing was found, and nothing says so: {empty:#?}");
        likes(world, 230);
        let whole = world.turn(NOW, "number 7");
        let cut = world.turn(NOW, "puzzle");
        assert!(cut.truncated && cut.notices.iter().any(|notice| notice.contains("not considered")), "{:?}", cut.notices);
        assert!(cut.packet.text.contains("notice:"), "the model is told, too: {}", cut.packet.text);
        assert_eq!(cut.candidates.len(), 200);
        assert!(!whole.selected.is_empty());
        assert_eq!(cut.selected.len() + cut.dropped.len(), cut.candidates.len());
        let tight = world.engine.turn(world.call(NOW), &Turn { budget_tokens: Some(1), ..Turn::of("puzzle") }).expect("turn");
        assert!(tight.selected.is_empty());
        assert!(tight.dropped.iter().any(|dropped| dropped.reason == "token_budget"), "no room is a reason");
        let hinted = Turn { hints: vec![("topic".to_owned(), "zeppelins".to_owned())], ..Turn::of("puzzle number 7") };
        let hinted = world.engine.turn(world.call(NOW), &hinted).expect("turn");
        assert!(hinted.notices.iter().any(|notice| notice.contains("hint")), "an unknown hint warns: {:?}", hinted.notices);
        assert!(!hinted.selected.is_empty(), "and the turn goes on");
        for (message, triage) in [("thanks!", "SKIP"), ("When is it due, and where?", "ASK")] {
            let turned = world.turn(NOW, message);
            assert_eq!(turned.triage, triage);
            assert!(turned.selected.is_empty() && turned.packet.text.is_empty());
            assert_eq!(turned.question.is_some(), triage == "ASK");
        }
    }

    /// A message too long to be searched whole is not passed off as searched.
    fn a_message_searched_in_part_says_so(world) {
        let text = format!("The beginning is here.{} The end holds zyxneedle.", " Filler words follow each other.".repeat(12_000));
        let _ = world.said("2026-03-01", &text, &[]);
        let ask = |query: &str| world.engine.recall(world.call(NOW), &Recall { grain: Grain::Evidence, ..Recall::of(query) }).expect("recall");
        let found = ask("zyxneedle");
        let says_so = found.degraded.iter().any(|notice| notice.contains("only in their first"));
        assert!(!found.items.is_empty() || says_so, "nothing found, and nothing says that part was not searched: {found:#?}");
        assert!(found.degraded.iter().any(|notice| notice == engine::embed::NO_MODEL), "{:?}", found.degraded);
        let beginning = ask("beginning");
        assert_eq!(beginning.items.len(), 1);
        assert!(beginning.items[0].text.len() < 4_000, "an excerpt, not the message");
    }

    /// Writing: what was not kept, kept in part, or known already is told.
    fn writing_tells_what_was_not_done(world) {
        let mut nothing = world.said("2026-03-01", "Do I live in Zagreb?", &[claim("self", "home_city", "Zagreb", "I live in Zagreb")]);
        let refused = nothing.refused.pop().expect("told");
        assert_eq!(refused.code, "not_asserted");
        assert!(!refused.detail.is_empty());
        let again = world.said("2026-03-01", "Do I live in Zagreb?", &[]);
        assert!(again.duplicate, "known already");
        let long = "a long story about nothing ".repeat(100);
        let kept = world.engine.remember(world.call("2026-03-02"), engine::remember::Remember { text: long, ..engine::remember::Remember::default() }).expect("kept");
        assert!(!kept.notices.is_empty(), "a note cut short says so: {kept:#?}");
        let evidence = kept.evidence.expect("kept");
        let dry = world.engine.forget(world.call("2026-03-03"), &Forget::Ids(vec![evidence.clone()]), true).expect("told");
        assert!(dry.dry_run && dry.erased.evidence == 1, "{dry:#?}");
        assert!(world.engine.why(world.call("2026-03-03"), &evidence).is_ok(), "and nothing was forgotten");
    }

    /// Input that cannot be taken is an error that names it, never an answer that looks like one.
    fn bad_input_is_no_empty_answer(world) {
        let errors = [
            world.engine.recall(world.call(NOW), &Recall { limit: 0, ..Recall::of("x") }).err(),
            world.engine.recall(world.call(NOW), &Recall { limit: 1_000_000, ..Recall::of("x") }).err(),
            world.engine.recall(world.call(NOW), &Recall { threshold: -0.1, ..Recall::of("x") }).err(),
            world.engine.recall(world.call(NOW), &Recall { threshold: f64::NAN, ..Recall::of("x") }).err(),
            world.engine.recall(world.call(NOW), &Recall::of(&"x".repeat(100_000))).err(),
            world.engine.turn(world.call(NOW), &Turn { policy: Some("turn/9".to_owned()), ..Turn::of("x") }).err(),
            world.engine.turn(world.call(NOW), &Turn { budget_tokens: Some(0), ..Turn::of("x") }).err(),
            world.engine.forget(world.call(NOW), &Forget::Ids(Vec::new()), false).err(),
            world.engine.forget(world.call(NOW), &Forget::Source("nowhere".to_owned()), false).err(),
            world.engine.why(world.call(NOW), "ev_nothing").err(),
            world.engine.observe(world.call(NOW), vec![proofs::message(json!({
                "source": {"kind": "conversation", "ref": "c"}, "author": "owner", "text": "  "}))], engine::observe::Observing::default()).err(),
        ];
        for (number, error) in errors.into_iter().enumerate() {
            let error = error.unwrap_or_else(|| panic!("case {number} was answered"));
            assert!(error.to_string().len() > 10, "case {number}: {error}");
        }
    }
}
