//! **A summary is never a quote.** "Fidelity travels with every item; quotation marks need verbatim evidence."

use engine::recall::{Grain, Recall};
use ledger::source::Fidelity;
use proofs::{World, on_every_store};
use serde_json::{Value as Json, json};

use crate::speak::{claim, told};

const NOW: &str = "2026-06-01";

/// Every sign people put around other people's words.
const MARKS: &[char] = &[
    '"', '\u{201c}', '\u{201d}', '\u{201e}', '\u{ab}', '\u{bb}', '\u{2039}', '\u{203a}', '\u{300c}',
    '\u{300d}',
];

/// A source of this fidelity says of Acme what the newspaper said.
fn says(world: &World, name: &str, fidelity: &str, said: &str, value: &str, quote: &str, more: Json) {
    let mut proposal = claim("acme", "said", value, quote);
    for (name, value) in more.as_object().into_iter().flatten() {
        proposal[name] = value.clone();
    }
    let observed = world.observe(
        "2026-03-02",
        json!({
            "source": {"kind": "document", "ref": name, "fidelity": fidelity}, "author": "external",
            "event_time": "2026-03-01", "text": said, "proposals": [proposal],
        }),
    );
    assert_eq!(observed.counts.admitted, 1, "{observed:#?}");
}

/// The lines in which a memory is told: by recall, by state, to the model.
fn lines(world: &World) -> Vec<String> {
    let mut lines: Vec<String> =
        world.recall(NOW, "what did Acme say?").items.into_iter().map(|item| item.text).collect();
    lines.extend(world.state(NOW).items.into_iter().map(|item| item.text));
    let turned = world.turn(NOW, "what did Acme say?");
    lines.extend(turned.selected.iter().map(|item| item.text.clone()));
    lines.extend(turned.packet.text.lines().filter(|line| line.starts_with("[M")).map(str::to_owned));
    assert!(lines.len() >= 4, "{lines:?}");
    lines
}

fn has_marks(line: &str) -> bool {
    line.contains(MARKS)
}

on_every_store! {
    /// Each fidelity: only the words themselves stand between quotation marks, and the fidelity is told beside them.
    fn only_verbatim_words_stand_between_marks(world) {
        for fidelity in Fidelity::ALL {
            let world = World::new(world.keeper());
            let words = "growth will go on";
            says(&world, "report", fidelity.as_str(), &format!("On growth: {words}."), words, words, json!({}));
            for line in lines(&world) {
                assert_eq!(has_marks(&line), fidelity.is_verbatim(), "{fidelity}: {line}");
                assert!(line.contains(fidelity.as_str()), "{fidelity} travels along: {line}");
            }
            let state = world.state(NOW);
            assert_eq!(state.items[0].fidelity, fidelity.as_str());
            let why = world.engine.why(world.call(NOW), &state.items[0].id).expect("a receipt");
            assert_eq!(why.evidence[0].source.fidelity, fidelity.as_str());
            assert_eq!(why.versions[0].fidelity, fidelity.as_str());
            let recall = Recall { grain: Grain::Evidence, ..Recall::of("growth") };
            let messages = world.engine.recall(world.call(NOW), &recall).expect("recall");
            assert_eq!(messages.items[0].fidelity, fidelity.as_str());
        }
    }

    /// Drawn from several places, a value is nobody's words, be the source as faithful as it may.
    fn an_inferred_value_is_no_quote(world) {
        says(world, "interview", "visible_transcript", "On the plan: it will grow. On people: it will hire.", "it will grow and hire",
            "", json!({"quote": null, "quotes": ["it will grow", "it will hire"]}));
        for line in lines(world) {
            assert!(!has_marks(&line), "{line}");
            assert!(line.contains("inferred"), "{line}");
        }
        let state = world.state(NOW);
        assert_eq!(state.items[0].fidelity, "inferred");
        let why = world.engine.why(world.call(NOW), &state.items[0].id).expect("a receipt");
        assert!(why.claims[0].inferred && why.claims[0].quotes.len() == 2, "{why:#?}");
    }

    /// One quote, called inferred by whoever proposed it, is inferred.
    fn one_quote_called_inferred_is_no_quote(world) {
        says(world, "interview", "visible_transcript", "On the plan: growth will go on.", "growth will go on", "growth will go on",
            json!({"inferred": true}));
        for line in lines(world) {
            assert!(!has_marks(&line), "{line}");
        }
    }

    /// A value that is not the quote, but a reading of it, is no quote.
    fn a_value_in_other_words_is_no_quote(world) {
        says(world, "interview", "visible_transcript", "On the plan: growth will go on.", "growth goes on", "growth will go on", json!({}));
        for line in lines(world) {
            assert!(!has_marks(&line), "{line}");
        }
    }

    /// Marks inside a summary's own words do not come through as if somebody had been heard.
    fn a_summary_cannot_bring_its_own_marks(world) {
        for (number, (open, close)) in [('"', '"'), ('\u{201c}', '\u{201d}'), ('\u{201e}', '\u{201c}'), ('\u{ab}', '\u{bb}')].into_iter().enumerate() {
            let words = format!("{open}growth number {number} will go on{close}");
            says(world, &format!("summary {number}"), "structured_summary", &format!("On growth: {words} at noon."), &words, &words, json!({}));
        }
        for line in lines(world) {
            assert!(!has_marks(&line), "{line}");
        }
    }

    /// A summary that was heard first does not become a quote by being confirmed, nor the other way round.
    fn each_keeps_its_fidelity_when_several_say_it(world) {
        let words = "growth will go on";
        says(world, "summary", "structured_summary", &format!("In short, {words}."), words, words, json!({}));
        assert!(lines(world).iter().all(|line| !has_marks(line)));
        says(world, "interview", "visible_transcript", &format!("At noon: {words}."), words, words, json!({}));
        let state = world.state(NOW);
        let why = told(&world.engine.why(world.call(NOW), &state.items[0].id).expect("a receipt"));
        let mut fidelities: Vec<&str> = why["evidence"].as_array().expect("evidence").iter()
            .map(|evidence| evidence["source"]["fidelity"].as_str().expect("a word")).collect();
        fidelities.sort_unstable();
        assert_eq!(fidelities, ["structured_summary", "visible_transcript"]);
        let interview = world.state(NOW).items[0].id.clone();
        let evidence = why["evidence"].as_array().expect("evidence").iter()
            .find(|evidence| evidence["source"]["fidelity"] == "visible_transcript").expect("the interview")["evidence"].as_str().expect("an id").to_owned();
        world.engine.forget(world.call(NOW), &engine::forget::Forget::Ids(vec![evidence]), false).expect("forgotten");
        assert_eq!(world.state(NOW).items[0].id, interview);
        assert!(lines(world).iter().all(|line| !has_marks(line) && line.contains("structured_summary")), "{:?}", lines(world));
    }
}
