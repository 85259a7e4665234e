//! What nominates: the patterns of `rules/1`, and the reader of a model's reply. Both hand their proposals to the gate.

use std::sync::LazyLock;

use engine::propose::model::{PROPOSALS_MAX, parse};
use engine::propose::{DRAFTS_MAX, propose};
use ledger::proposal::Proposal;
use ledger::registry::Registry;
use ledger::time::Moment;
use serde_json::{Value as Json, json};

use super::{choices, text};
use crate::at;

static REGISTRY: LazyLock<&Registry> = LazyLock::new(Registry::shipped);

/// A draft cites words that stand in the message byte for byte, and has the shape of the interface.
pub(super) fn rules(bytes: &[u8]) {
    let text = text(bytes);
    let anchor = Moment::utc(at("2026-03-01T20:30")).zoned();
    let drafts = propose(&text, &anchor, &REGISTRY);
    assert!(drafts.len() <= DRAFTS_MAX);
    for draft in &drafts {
        assert!(text.contains(&draft.quote), "{draft:?} cites what stands nowhere");
        assert!(REGISTRY.get(&draft.predicate).is_some());
        let proposal = Proposal::read(&draft.to_json());
        assert!(proposal.is_ok_and(|read| read.predicate == draft.predicate), "{draft:?} is no proposal");
    }
    assert_eq!(drafts, propose(&text, &anchor, &REGISTRY), "the rules changed their mind");
}

/// One choice: how many messages were asked about. Text: the reply.
pub(super) fn model_reply(bytes: &[u8]) {
    let ([asked], rest) = choices(bytes);
    let asked = 1 + asked as usize % 8;
    let parsed = parse(&text(rest), asked);
    let mut of_message = vec![0; asked];
    for (message, proposal) in &parsed.proposals {
        of_message[*message] += 1;
        assert!(proposal.is_object());
        // Whatever it holds, the gate's reader answers.
        _ = Proposal::read(proposal);
    }
    assert!(of_message.iter().all(|count| *count <= PROPOSALS_MAX));
    // What was mended needs no mending. How sure a model is may differ in its last digit once it was written down.
    let again: Vec<Json> = parsed
        .proposals
        .iter()
        .map(|(message, proposal)| {
            let mut proposal = proposal.clone();
            proposal["message"] = json!(message + 1);
            proposal
        })
        .collect();
    let again = parse(&json!(again).to_string(), asked);
    assert_eq!(without_confidence(again.proposals), without_confidence(parsed.proposals));
}

fn without_confidence(proposals: Vec<(usize, Json)>) -> Vec<(usize, Json)> {
    let mut proposals = proposals;
    for (_, proposal) in &mut proposals {
        proposal.as_object_mut().map(|fields| fields.remove("confidence"));
    }
    proposals
}
