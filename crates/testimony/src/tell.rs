//! Answers in words: one place, so that every verb tells a thing alike.

use std::fmt::Write;

use engine::answer::{
    Deep, EvidenceText, FactText, Item, Observed, Recalled, SpanText, TransitionText, VersionText,
};
use serde_json::Value as Json;

use crate::proposing::Tally;

/// A value without the quotation marks of JSON.
pub(crate) fn value(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => "(nothing)".to_owned(),
        other => other.to_string(),
    }
}

/// `from … to …`, or `since …`.
pub(crate) fn span(span: &SpanText) -> String {
    match &span.to {
        Some(to) => format!("from {} to {to}", span.from),
        None => format!("since {}", span.from),
    }
}

/// `1 claim`, `2 claims`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// What became of one message.
pub(crate) fn observed(answer: &Observed) -> String {
    let mut told = String::new();
    let what = match (&answer.evidence, answer.duplicate) {
        (None, _) => "not kept".to_owned(),
        (Some(id), true) => format!("{id} known already"),
        (Some(id), false) => format!("{id} kept"),
    };
    _ = writeln!(told, "{what}");
    for claim in &answer.admitted {
        let version = claim.version.as_deref().unwrap_or("-");
        _ = writeln!(
            told,
            "  {version} {}: {} {} = {}",
            claim.transition,
            claim.entity,
            claim.predicate,
            value(&claim.value)
        );
    }
    for refused in &answer.refused {
        _ = writeln!(told, "  refused proposal {}: {} ({})", refused.index, refused.code, refused.detail);
    }
    for failed in &answer.failed {
        _ = writeln!(told, "  unreadable proposal {}: {}", failed.index, failed.detail);
    }
    told
}

/// A recall that also walked: the best way step by step, then the list.
pub(crate) fn deep(answer: &Deep) -> String {
    let mut told = String::new();
    if let Some(best) = answer.paths.first() {
        _ = writeln!(told, "{}", value(&best.answer));
        for step in &best.steps {
            let (words, text) = (step.words.join(" "), &step.item.text);
            _ = writeln!(told, "  {}. {text} [{words}] {}", step.hop, step.item.id);
            for before in &step.before {
                _ = writeln!(told, "     before: {} {}", value(&before.value), span(&before.validity));
            }
        }
    }
    told.push_str(&recalled(&answer.recalled));
    told
}

/// What a model added to messages.
pub(crate) fn proposed(tally: &Tally) -> String {
    let mut told = String::new();
    for claim in &tally.admitted {
        let version = claim.version.as_deref().unwrap_or("-");
        _ = writeln!(
            told,
            "  {version} {}: {} {} = {} (proposed by {})",
            claim.transition,
            claim.entity,
            claim.predicate,
            value(&claim.value),
            claim.proposer
        );
    }
    told
}

/// A list of memories.
pub(crate) fn recalled(answer: &Recalled) -> String {
    let mut told = String::new();
    answer.items.iter().for_each(|one| item(&mut told, one));
    if let Some(negative) = &answer.negative {
        _ = writeln!(
            told,
            "{}",
            match negative.as_str() {
                "unknown_entity" => "nothing is known about that",
                "boundary" => "that is before anything was known",
                _ => "nothing is remembered that holds at that time",
            }
        );
    }
    if answer.truncated {
        _ = writeln!(told, "… and more; raise `--limit`");
    }
    told
}

/// One memory with what tells its standing.
fn item(told: &mut String, item: &Item) {
    _ = writeln!(told, "{}", item.text);
    let mut standing = vec![item.id.clone()];
    if let Some(validity) = &item.validity {
        standing.push(span(validity));
    }
    if item.support != 1 {
        standing.push(count(item.support as u64, "origin", "origins"));
    }
    if let Some(dispute) = &item.dispute {
        standing.push(format!("disputed, {} versions", dispute.len()));
    }
    if item.realm.as_deref() == Some("world") {
        standing.push("not the owner's words".to_owned());
    }
    _ = writeln!(told, "  {}", standing.join(" · "));
}

/// A fact's identity.
pub(crate) fn fact(fact: &FactText) -> String {
    format!("{} {} ({} realm) {}", fact.entity, fact.predicate, fact.realm, fact.id)
}

/// A version with both its spans.
pub(crate) fn version(version: &VersionText) -> String {
    let mut told = format!(
        "{} {} {} · held {} · {}",
        if version.current { "*" } else { " " },
        value(&version.value),
        span(&version.validity),
        span(&version.belief),
        count(version.support as u64, "origin", "origins"),
    );
    if version.dispute.is_some() {
        told.push_str(" · disputed");
    }
    if version.standing != "held" {
        _ = write!(told, " · {}", version.standing);
    }
    _ = write!(told, " · {}", version.id);
    told
}

/// Something that happened.
pub(crate) fn transition(transition: &TransitionText) -> String {
    let mut told = format!("{} {} {}", transition.at, transition.transition, transition.version);
    if let Some(reason) = &transition.reason {
        _ = write!(told, " because: {reason}");
    }
    if let Some(by) = &transition.by {
        _ = write!(told, " (by {by})");
    }
    told
}

/// Words somebody said: between quotation marks only where the source holds them exactly.
pub(crate) fn quote(words: &str, evidence: Option<&EvidenceText>) -> String {
    let verbatim = evidence.is_some_and(|evidence| {
        matches!(evidence.source.fidelity.as_str(), "visible_transcript" | "transcript_snapshot")
    });
    if verbatim { format!("\u{201c}{words}\u{201d}") } else { format!("{words} (not verbatim)") }
}
