//! **Late is not fresh.** "Evidence observed today about last year is placed last year."

use proofs::{World, at, on_every_store};
use serde_json::json;

use crate::speak::{claim, with};

/// What is held, of the world at one moment, by somebody who believes what was believed at another.
fn held(world: &World, valid_at: &str, believed_at: Option<&str>) -> Vec<String> {
    let state =
        world.engine.state(world.call("2026-12-01"), Some(at(valid_at)), believed_at.map(at)).expect("state");
    let mut values: Vec<String> =
        state.items.iter().map(|item| item.value.to_string().replace('"', "")).collect();
    values.sort();
    values
}

on_every_store! {
    /// An old letter found today neither becomes current nor looks new; and what was believed meanwhile stays readable.
    fn an_old_letter_found_today_is_placed_in_its_year(world) {
        let current = world.said("2026-01-10", "I live in Zagreb.", &[claim("self", "home_city", "Zagreb", "I live in Zagreb")]);
        let late = world.observe("2026-06-01", json!({
            "source": {"kind": "conversation", "ref": "old letters"}, "author": "owner", "event_time": "2024-05-01",
            "text": "I live in Rijeka.", "proposals": [claim("self", "home_city", "Rijeka", "I live in Rijeka")],
        }));
        assert_eq!(late.admitted[0].transition, "history", "{late:#?}");
        assert_eq!(late.admitted[0].fact, current.admitted[0].fact);
        assert_eq!(held(world, "2026-12-01", None), ["Zagreb"]);
        assert_eq!(held(world, "2026-06-01", None), ["Zagreb"], "on the day it came, too");
        assert_eq!(held(world, "2025-01-01", None), ["Rijeka"]);
        assert_eq!(held(world, "2026-01-09", None), ["Rijeka"]);
        assert_eq!(held(world, "2026-01-10", None), ["Zagreb"]);
        assert_eq!(held(world, "2024-04-30", None), Vec::<String>::new());
        assert_eq!(held(world, "2025-01-01", Some("2026-05-31")), Vec::<String>::new(), "nobody knew before it came");
        assert_eq!(held(world, "2025-01-01", Some("2026-06-01")), ["Rijeka"]);

        let recalled = world.recall("2026-12-01", "where do I live, Rijeka or Zagreb?");
        let values: Vec<&str> = recalled.items.iter().filter_map(|item| item.value.as_str()).collect();
        assert_eq!(values, ["Zagreb"], "what is past is no answer about now");
        let turn = world.turn("2026-12-01", "Rijeka");
        assert!(!turn.packet.text.contains("Rijeka"), "{}", turn.packet.text);
        let history = world.engine.history(world.call("2026-12-01"), &late.admitted[0].fact).expect("history");
        let old = history.versions.iter().find(|version| version.value == json!("Rijeka")).expect("it is kept");
        assert!(old.validity.from.starts_with("2024-05-01"), "{old:#?}");
        assert!(old.validity.to.as_deref().is_some_and(|to| to.starts_with("2026-01-10")), "{old:#?}");
        assert!(old.belief.from.starts_with("2026-06-01"), "{old:#?}");
        assert!(old.last_confirmed_at.as_deref().is_some_and(|said| said.starts_with("2024-05-01")), "not the day it was read");
    }

    /// The order in which letters are found does not decide what is current, nor what held when.
    fn the_order_of_finding_does_not_matter(world) {
        let letters = [("2022-03-01", "Split"), ("2023-03-01", "Rijeka"), ("2024-03-01", "Osijek"), ("2025-03-01", "Zagreb")];
        let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]];
        let mut answers = Vec::new();
        for (number, order) in orders.iter().enumerate() {
            let scope = proofs::world::scope(&format!("reader {number}"));
            for (minute, letter) in order.iter().enumerate() {
                let (said, city) = letters[*letter];
                let _ = world.observe_for(&scope, &format!("2026-06-01 10:{minute:02}"), json!({
                    "source": {"kind": "mail", "ref": city}, "author": "owner", "event_time": said,
                    "text": format!("I live in {city}."),
                    "proposals": [claim("self", "home_city", city, &format!("I live in {city}"))],
                }));
            }
            let call = engine::Call { scope: &scope, now: at("2026-07-01") };
            let of = |when: &str| {
                let state = world.engine.state(call, Some(at(when)), None).expect("state");
                state.items.iter().map(|item| item.value.to_string()).collect::<Vec<_>>()
            };
            answers.push(["2021-01-01", "2022-06-01", "2023-06-01", "2024-06-01", "2026-06-30"].map(of));
        }
        assert_eq!(answers[0][0], Vec::<String>::new());
        assert_eq!(answers[0][4], ["\"Zagreb\""]);
        assert_eq!(answers[0][2], ["\"Rijeka\""]);
        for answer in &answers[1..] {
            assert_eq!(*answer, answers[0]);
        }
    }

    /// A document that comes today and speaks of a past year says nothing about now.
    fn a_document_about_a_past_year_is_placed_there(world) {
        let now = world.document("register", "2026-02-01", "Acme is based in Berlin.", &[claim("acme", "based_in", "Berlin", "Acme is based in Berlin")]);
        assert_eq!(now.counts.admitted, 1, "{now:#?}");
        let late = world.document("register", "2026-06-01", "From 2019-01-01 to 2021-01-01 Acme was based in Munich.", &[with(
            claim("acme", "based_in", "Munich", "From 2019-01-01 to 2021-01-01 Acme was based in Munich"),
            json!({"valid_from": "2019-01-01", "valid_to": "2021-01-01"}))]);
        assert_eq!(late.counts.admitted, 1, "{late:#?}");
        assert_eq!(held(world, "2026-12-01", None), ["Berlin"]);
        assert_eq!(held(world, "2020-01-01", None), ["Munich"]);
        assert_eq!(held(world, "2021-01-01", None), Vec::<String>::new());
        assert_eq!(held(world, "2020-01-01", Some("2026-05-01")), Vec::<String>::new());
    }

    /// Saying late what is current anyway does not make it look as if it were said today.
    fn a_late_repetition_does_not_freshen(world) {
        let first = world.said("2025-01-10", "I live in Zagreb.", &[claim("self", "home_city", "Zagreb", "I live in Zagreb")]);
        let _ = world.observe("2026-06-01", json!({
            "source": {"kind": "conversation", "ref": "old letters"}, "author": "owner", "event_time": "2024-05-01",
            "text": "I live in Zagreb, as you know.", "proposals": [claim("self", "home_city", "Zagreb", "I live in Zagreb")],
        }));
        let state = world.state("2026-12-01");
        assert_eq!(state.items.len(), 1);
        assert!(state.items[0].event_time.starts_with("2025-01-10"), "{state:#?}");
        assert_eq!(state.items[0].fact, Some(first.admitted[0].fact.clone()));
        assert_eq!(held(world, "2024-06-01", None), ["Zagreb"], "but it holds for longer");
    }
}
