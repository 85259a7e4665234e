//! Codex: rollouts and event streams, old (bare items) and new (`payload` in an envelope).
//!
//! A rollout says each message twice, as an item and as an event for the screen; the events are taken only in a file
//! without items.

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, content, store};
use crate::{Fidelity, Reason, collect::Collector, json};

const TEXT: &[&str] = &["input_text", "output_text", "text"];

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    probe.any(Layout::Lines, |value| {
        let kind = json::text(value, "type").unwrap_or("");
        let enveloped = value.get("payload").is_some_and(Value::is_object)
            && matches!(kind, "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted");
        enveloped || (kind == "message" && value.get("role").is_some() && is_message(value))
    })
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    let meta = session.pieces.iter().find(|piece| json::text(&piece.value, "type") == Some("session_meta"));
    let meta = meta.and_then(|piece| piece.value.get("payload"));
    // Old rollouts begin with a bare object that has the id.
    let bare = session.pieces.first().map(|piece| &piece.value).filter(|value| value.get("type").is_none());
    let reference = meta.and_then(|meta| json::id(meta, "id").or_else(|| json::id(meta, "session_id")));
    let reference = reference
        .or_else(|| bare.and_then(|bare| json::id(bare, "id")))
        .unwrap_or_else(|| file.conversation_name());
    // A session that another agent started has that agent for its user.
    let subagent =
        meta.and_then(|meta| meta.get("source")).is_some_and(|source| source.get("subagent").is_some());
    let has_items = session.pieces.iter().any(|piece| is_message(item(&piece.value)));
    let source = out.conversation("codex", reference.clone(), None, Fidelity::HybridRecord);
    for piece in &session.pieces {
        let (place, line) = (&piece.place, &piece.value);
        let payload = item(line);
        let kind = json::text(line, "type").unwrap_or("");
        let event = json::text(payload, "type").unwrap_or("");
        let (role, (text, blocks_cut)) = match kind {
            "session_meta" | "" => {
                out.refuse(file, place, Reason::Metadata, "describes the session");
                continue;
            }
            "compacted" => {
                out.refuse(file, place, Reason::ModelSummary, "written at compaction");
                continue;
            }
            "event_msg" if !has_items && event == "user_message" => {
                ("user", content(payload.get("message"), TEXT))
            }
            "event_msg" if !has_items && event == "agent_message" => {
                ("assistant", content(payload.get("message"), TEXT))
            }
            _ if is_message(payload) => {
                (json::text(payload, "role").unwrap_or(""), content(payload.get("content"), TEXT))
            }
            _ => {
                let named = if event.is_empty() { kind } else { event };
                out.refuse(file, place, Reason::ControlPlane, &format!("record `{named}`"));
                continue;
            }
        };
        let Some(role) = Role::from_word(role, subagent) else {
            out.refuse(file, place, Reason::ControlPlane, &format!("role `{role}`"));
            continue;
        };
        let turn = Turn {
            role,
            text,
            blocks_cut,
            time: payload.get("timestamp").or_else(|| line.get("timestamp")),
            id: json::id(payload, "id"),
            session: Some(reference.clone()),
            model: None,
        };
        store(file, source, place, turn, out);
    }
}

fn item(line: &Value) -> &Value {
    line.get("payload").unwrap_or(line)
}

fn is_message(payload: &Value) -> bool {
    let kind = json::text(payload, "type");
    matches!(kind, None | Some("message"))
        && payload.get("role").is_some()
        && payload.get("content").is_some()
}
