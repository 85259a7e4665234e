//! Claude Code: JSON Lines under `projects/`, or the `loglines` of a web session.

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, content, is_subagent_name, store};
use crate::{Fidelity, Reason, collect::Collector, decode::File, json};

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    let line = |value: &Value| {
        let known = matches!(json::text(value, "type"), Some("user" | "assistant" | "summary" | "system"));
        let wrapped = value.get("message").is_some_and(Value::is_object) || value.get("leafUuid").is_some();
        known && wrapped && value.get("payload").is_none()
    };
    probe.any(Layout::Lines, line)
        || probe.any(Layout::Value, |value| value.get("loglines").is_some_and(Value::is_array) || line(value))
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let subagent = is_subagent_name(session.file);
    for piece in &session.pieces {
        match piece.value.get("loglines").and_then(Value::as_array) {
            Some(lines) => {
                for (index, line) in lines.iter().enumerate() {
                    record(session.file, &format!("loglines[{index}]"), line, subagent, out);
                }
            }
            None => record(session.file, &piece.place, &piece.value, subagent, out),
        }
    }
}

fn record(file: &File<'_>, place: &str, line: &Value, subagent_file: bool, out: &mut Collector<'_>) {
    let kind = json::text(line, "type").unwrap_or("");
    let flag = |name: &str| line.get(name) == Some(&Value::Bool(true));
    let origin = line.pointer("/origin/kind").and_then(Value::as_str);
    let refusal = match kind {
        "summary" => Some((Reason::ModelSummary, "a summary of the session")),
        "custom-title" | "ai-title" | "tag" | "agent-name" | "pr-link" => {
            Some((Reason::Metadata, "names the session"))
        }
        "user" | "assistant" if flag("isCompactSummary") => {
            Some((Reason::ModelSummary, "written at compaction"))
        }
        "user" | "assistant" if flag("isMeta") => Some((Reason::ControlPlane, "context the tool added")),
        "user" if origin.is_some_and(|origin| origin != "human") => {
            Some((Reason::ControlPlane, "not from the person"))
        }
        "user" | "assistant" if flag("isApiErrorMessage") => {
            Some((Reason::ControlPlane, "an error of the service"))
        }
        "user" | "assistant" => None,
        _ => Some((Reason::ControlPlane, "a record of the tool")),
    };
    if let Some((reason, detail)) = refusal {
        return out.refuse(file, place, reason, detail);
    }
    let Some(message) = line.get("message").filter(|message| message.is_object()) else {
        return out.refuse(file, place, Reason::WrongShape, "no `message`");
    };
    let agent = json::id(line, "agentId");
    let subagent = subagent_file || flag("isSidechain") || agent.is_some();
    let Some(role) = Role::from_word(json::text(message, "role").unwrap_or(kind), subagent) else {
        return out.refuse(file, place, Reason::ControlPlane, "a role of the tool");
    };
    let reference = json::id(line, "sessionId").unwrap_or_else(|| file.conversation_name());
    let source = out.conversation("claude-code", reference.clone(), None, Fidelity::HybridRecord);
    let (text, blocks_cut) = content(message.get("content"), &["text"]);
    let turn = Turn {
        role,
        text,
        blocks_cut,
        time: line.get("timestamp"),
        id: json::id(line, "uuid"),
        session: Some(agent.unwrap_or(reference)),
        model: json::text(message, "model"),
    };
    store(file, source, place, turn, out);
}
