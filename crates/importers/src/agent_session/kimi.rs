//! Kimi Code: `wire.jsonl`, an event a line.
//!
//! A reply arrives in parts; the text parts of one step are one message, under the step's id.

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, content, store};
use crate::{Fidelity, Reason, collect::Collector, decode::File, json};

/// Text parts of one step, gathered.
struct Step<'v> {
    id: Option<String>,
    place: String,
    texts: Vec<&'v str>,
    time: Option<&'v Value>,
}

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    probe.any(Layout::Lines, |value| {
        let kind = json::text(value, "type").unwrap_or("");
        kind.starts_with("context.append_") || (kind == "metadata" && value.get("protocol_version").is_some())
    })
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    let (reference, subagent) = identity(file);
    let source = out.conversation("kimi", reference.clone(), None, Fidelity::HybridRecord);
    let mut step: Option<Step<'_>> = None;
    let finish = |step: &mut Option<Step<'_>>, out: &mut Collector<'_>| {
        if let Some(step) = step.take() {
            let turn = Turn {
                role: Role::Model,
                text: step.texts.concat(),
                blocks_cut: 0,
                time: step.time,
                id: step.id,
                session: Some(reference.clone()),
                model: None,
            };
            store(file, source, &step.place, turn, out);
            out.join(step.texts.len() as u64 - 1);
        }
    };
    for piece in &session.pieces {
        let (place, line) = (&piece.place, &piece.value);
        let kind = json::text(line, "type").unwrap_or("");
        let part = line.pointer("/event/part").filter(|part| json::text(part, "type") == Some("text"));
        match (kind, part.and_then(|part| json::text(part, "text"))) {
            ("context.append_message", _) => {
                finish(&mut step, out);
                let message = line.get("message").unwrap_or(&Value::Null);
                let word = json::text(message, "role").unwrap_or("");
                let Some(role) = Role::from_word(word, subagent) else {
                    out.refuse(file, place, Reason::ControlPlane, &format!("role `{word}`"));
                    continue;
                };
                let (text, blocks_cut) = content(message.get("content"), &["text"]);
                let turn = Turn {
                    role,
                    text,
                    blocks_cut,
                    time: line.get("time"),
                    id: None,
                    session: Some(identity(file).0),
                    model: None,
                };
                store(file, source, place, turn, out);
            }
            ("context.append_loop_event", Some(text)) => {
                let id = line.get("event").and_then(|event| json::id(event, "stepUuid"));
                if step.as_ref().is_some_and(|step| id.is_none() || step.id != id) {
                    finish(&mut step, out);
                }
                let open = step.get_or_insert_with(|| Step {
                    id,
                    place: place.clone(),
                    texts: Vec::new(),
                    time: line.get("time"),
                });
                open.texts.push(text);
            }
            ("metadata", _) => out.refuse(file, place, Reason::Metadata, "describes the session"),
            _ => out.refuse(file, place, Reason::ControlPlane, &format!("event `{kind}`")),
        }
    }
    finish(&mut step, out);
}

/// `…/SESSION/agents/AGENT/wire.jsonl`: the session's id, and whether the agent is a subagent.
fn identity(file: &File<'_>) -> (String, bool) {
    let parts: Vec<&str> = file.name.split('/').collect();
    match parts.as_slice() {
        [.., session, "agents", "main", _] => ((*session).to_owned(), false),
        [.., session, "agents", agent, _] => (format!("{session}/{agent}"), true),
        _ => (file.conversation_name(), false),
    }
}
