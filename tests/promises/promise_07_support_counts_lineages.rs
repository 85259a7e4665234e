//! **Support counts lineages.** "Repeating, re-importing, re-extracting or summarising never raises it."

use proofs::{World, on_every_store};
use serde_json::{Value as Json, json};

use crate::speak::claim;

/// A document says that Acme has 250 employees.
fn says(world: &World, minute: usize, source: Json, text: &str, more: Json) {
    let mut message = json!({
        "source": source, "author": "external", "event_time": format!("2026-03-01 10:{minute:02}"), "text": text,
        "proposals": [claim("acme", "headcount", "250", "250 employees")],
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        message[name] = value.clone();
    }
    let observed = world.observe(&format!("2026-03-02 10:{minute:02}"), message);
    assert_eq!(observed.counts.refused + observed.counts.failed, 0, "{observed:#?}");
}

fn support(world: &World) -> usize {
    let state = world.state("2026-06-01");
    assert_eq!(state.items.len(), 1, "{state:#?}");
    let told = state.items[0].support;
    let line = &state.items[0].text;
    match told {
        1 => assert!(!line.contains("sources"), "{line}"),
        more => assert!(line.contains(&format!("{more} sources")), "{line}"),
    }
    told
}

fn document(name: &str) -> Json {
    json!({"kind": "document", "ref": name})
}

const TEXT: &str = "In all, Acme has 250 employees.";

on_every_store! {
    /// All the ways one voice can be made to sound like many.
    fn one_voice_is_one_however_often_it_is_heard(world) {
        says(world, 0, document("handbook"), TEXT, json!({}));
        assert_eq!(support(world), 1);
        for minute in 1..5 {
            says(world, minute, document("handbook"), TEXT, json!({}));
            assert_eq!(support(world), 1, "repeated by the same source");
        }
        for minute in 5..15 {
            says(world, minute, document("handbook"), &format!("Edition {minute}: Acme has 250 employees, as ever."), json!({}));
            assert_eq!(support(world), 1, "edition {minute}");
        }
        says(world, 20, document("copy of the handbook.pdf"), TEXT, json!({}));
        assert_eq!(support(world), 1, "the same text to the letter under another name");
        says(world, 21, json!({"kind": "mail", "ref": "m-77"}), TEXT, json!({"external_id": "77"}));
        assert_eq!(support(world), 1, "the same text in another kind of source");
        says(world, 22, json!({"kind": "document", "ref": "export", "lineage": "document:handbook"}),
            "Exported: Acme has 250 employees (in total).", json!({}));
        assert_eq!(support(world), 1, "a declared copy in other words");
        says(world, 23, json!({"kind": "document", "ref": "summary", "lineage": "document:export", "fidelity": "structured_summary"}),
            "In short: 250 employees.", json!({}));
        assert_eq!(support(world), 1, "a summary of the copy");
        says(world, 24, document("handbook"), TEXT, json!({"proposer": "another model"}));
        assert_eq!(support(world), 1, "extracted again by another model");

        says(world, 30, document("newspaper"), "A reporter counted: Acme has 250 employees.", json!({}));
        assert_eq!(support(world), 2, "somebody else counts");
        says(world, 31, json!({"kind": "document", "ref": "clipping", "lineage": "document:newspaper"}),
            "Clipping: Acme has 250 employees.", json!({}));
        assert_eq!(support(world), 2, "and his copy does not");
    }

    /// A copy may be seen before its origin.
    fn a_copy_before_its_origin_is_one_lineage(world) {
        for number in 1..4 {
            says(world, number, json!({"kind": "document", "ref": format!("copy {number}"), "lineage": "document:original"}),
                &format!("Copy {number}: Acme has 250 employees."), json!({}));
        }
        assert_eq!(support(world), 1);
        says(world, 9, document("original"), "The original: Acme has 250 employees.", json!({}));
        assert_eq!(support(world), 1);
    }

    /// Copies of copies, in a long line.
    fn a_line_of_copies_is_one_lineage(world) {
        says(world, 0, document("copy 0"), "The original: Acme has 250 employees.", json!({}));
        for generation in 1..8 {
            let before = generation - 1;
            says(world, generation, json!({"kind": "document", "ref": format!("copy {generation}"), "lineage": format!("document:copy {before}")}),
                &format!("Copy {generation}: Acme has 250 employees."), json!({}));
        }
        assert_eq!(support(world), 1);
    }

    /// A source that was known before as an origin of its own cannot be made a copy in silence.
    fn a_lineage_declared_too_late_is_told(world) {
        says(world, 0, document("handbook"), "In all, Acme has 250 employees.", json!({}));
        says(world, 1, document("export"), "Exported: Acme has 250 employees.", json!({}));
        assert_eq!(support(world), 2);
        let late = world.observe("2026-03-03", json!({
            "source": {"kind": "document", "ref": "export", "lineage": "document:handbook"}, "author": "external",
            "event_time": "2026-03-03", "text": "Exported again."}));
        assert!(!late.notices.is_empty(), "{late:#?}");
    }

    /// Proposing the same thing many times of one message is one claim.
    fn one_message_proposed_many_times_is_one_claim(world) {
        let proposals: Vec<Json> = (0..5).map(|_| claim("acme", "headcount", "250", "250 employees")).collect();
        let observed = world.document("handbook", "2026-03-01", TEXT, &proposals);
        assert_eq!((observed.counts.admitted, observed.counts.duplicate), (1, 4), "{observed:#?}");
        let again = world.document("handbook", "2026-03-01", TEXT, &proposals);
        assert_eq!((again.counts.admitted, again.counts.duplicate), (0, 5), "{again:#?}");
        assert_eq!(support(world), 1);
        assert_eq!(world.memory().claims().count(), 1);
    }

    /// In the owner's realm there is one voice, the owner's, and no number of conversations makes it two.
    fn the_owner_repeats_and_stays_one_voice_a_source(world) {
        for (minute, text) in ["I live in Zagreb.", "As I said, I live in Zagreb.", "I live in Zagreb, you know."].iter().enumerate() {
            let _ = world.said(&format!("2026-03-01 10:{minute:02}"), text, &[claim("self", "home_city", "Zagreb", "I live in Zagreb")]);
        }
        assert_eq!(support(world), 1);
    }

    /// A voice that takes its word back no longer supports it.
    fn only_current_testimony_counts(world) {
        says(world, 0, document("handbook"), TEXT, json!({}));
        says(world, 1, document("newspaper"), "A reporter counted: Acme has 250 employees.", json!({}));
        assert_eq!(support(world), 2);
        let _ = world.document("newspaper", "2026-05-01", "We were wrong: Acme has 300 employees.", &[
            claim("acme", "headcount", "300", "300 employees")]);
        let state = world.state("2026-06-01");
        let told: Vec<(String, usize)> = state.items.iter().map(|item| (item.value.to_string(), item.support)).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().all(|(_, support)| *support == 1), "{told:?}");
    }
}
