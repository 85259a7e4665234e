//! Importing: every message is answered for, and a second import changes nothing, whatever the clock says.

use std::ops::ControlFlow;
use std::sync::Arc;

use engine::observe::Message;
use engine::tokens::Tokens;
use engine::{Call, Engine};
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use serde_json::json;

fn messages() -> Vec<Message> {
    let one = |id: &str, text: &str, time: Option<&str>| -> Message {
        let mut message = json!({
            "source": {"kind": "whatsapp", "ref": "chat"}, "author": "owner", "external_id": id, "text": text,
        });
        if let Some(time) = time {
            message["event_time"] = json!(time);
        }
        serde_json::from_value(message).expect("a message")
    };
    vec![
        one("1", "I live in Zagreb.", Some("2026-01-01T00:00:00Z")),
        // Two records without a time and with the same words are two records.
        one("2", "The deadline of Alpha is tomorrow. I live in Split since yesterday.", None),
        one("3", "ok", None),
        one("4", "ok", None),
        // The same id again is the same message.
        one("1", "I live in Zagreb.", Some("2026-01-01T00:00:00Z")),
        one("5", " ", None),
    ]
}

#[test]
fn a_second_import_changes_nothing() {
    let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let import = |now: &str| {
        let call = Call { scope: &scope, now: now.parse().expect(now) };
        engine.import(call, messages(), |_| ControlFlow::Continue(())).expect("imported")
    };
    let first = import("2026-02-01T00:00:00Z");
    assert_eq!((first.messages, first.stored, first.duplicate), (6, 4, 1), "{first:#?}");
    assert_eq!(first.refused[0].reason, "bad_message");
    assert!(first.proposals.admitted >= 1);
    let again = import("2026-03-05T00:00:00Z");
    assert_eq!((again.stored, again.duplicate, again.refused.len()), (0, 5, 1), "{again:#?}");
    assert_eq!(again.watermark, first.watermark);
    assert_eq!(again.proposals.admitted, 0);
}

#[test]
fn an_import_stops_where_it_is_asked_to_and_says_so() {
    let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: "2026-02-01T00:00:00Z".parse().expect("a time") };
    let many = (0..600).map(|number| -> Message {
        serde_json::from_value(json!({
            "source": {"kind": "log", "ref": "l"}, "author": "external", "external_id": number.to_string(),
            "text": format!("line {number}"),
        }))
        .expect("a message")
    });
    let taken = engine.import(call, many, |_| ControlFlow::Break(())).expect("imported");
    assert!(taken.interrupted);
    assert_eq!((taken.messages, taken.stored, taken.watermark), (256, 256, 1));
}
