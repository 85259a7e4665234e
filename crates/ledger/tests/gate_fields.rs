//! What the gate makes of the shapes words come in.

use ledger::admission::Policies;
use ledger::evidence::Author;
use ledger::gate::{Testimony, judge};
use ledger::proposal::Proposal;
use ledger::time::Moment;
use serde_json::json;

/// The code of the refusal; `None` when the proposal is admitted.
fn refusal(author: Author, text: &str, quote: &str, value: &str) -> Option<String> {
    let event_time: Moment = "2026-03-02T10:00:00Z".parse().expect("an instant");
    let testimony = Testimony { author, text, event_time: &event_time, foreign: &[], kept_on_purpose: false };
    let entity = "pep:645";
    let proposal = Proposal::read(&json!({
        "entity": entity, "predicate": "title", "value": value, "confidence": 1.0, "quote": quote,
    }))
    .expect("readable");
    judge(&testimony, 0, &proposal, &Policies::shipped()).err().map(|refusal| refusal.code.to_string())
}

#[test]
fn a_field_of_a_document_states_its_value_whatever_marks_it_holds() {
    let title = "Title: What is a widget?";
    let table = [
        (Author::External, format!("PEP: 645\n{title}\nStatus: Draft"), title, "What is a widget?", None),
        (Author::External, title.to_owned(), title, "What is a widget?", None),
        // The value must be the whole of the field, and the quote the whole of the line.
        (Author::External, title.to_owned(), title, "a widget", Some("not_asserted")),
        (Author::External, format!("He asked. {title}"), title, "What is a widget?", Some("not_asserted")),
        // An owner's message has no fields.
        (Author::Owner, title.to_owned(), title, "What is a widget?", Some("not_asserted")),
    ];
    for (author, text, quote, value, expected) in table {
        assert_eq!(refusal(author, &text, quote, value).as_deref(), expected, "{author} {text:?} {value:?}");
    }
}
