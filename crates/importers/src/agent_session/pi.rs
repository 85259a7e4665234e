//! Pi, and the agents that write its session files: OMP and OpenClaw.
//!
//! The three write the same lines, so one kind of source serves them, known by the session's id. OpenClaw also keeps
//! checkpoints, copies of a session at some moment; they are refused.

use super::{Layout, Probe, Role, Session, Turn, content, store};
use crate::{Fidelity, Reason, collect::Collector, json};

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    probe.any(Layout::Lines, |value| {
        let kind = json::text(value, "type");
        (kind == Some("session") && value.get("version").is_some())
            || (kind == Some("message") && value.pointer("/message/role").is_some())
    })
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    let header = session.pieces.iter().find(|piece| json::text(&piece.value, "type") == Some("session"));
    let header = header.map(|piece| &piece.value);
    let reference =
        header.and_then(|header| json::id(header, "id")).unwrap_or_else(|| file.conversation_name());
    let title = header.and_then(|header| json::text(header, "title"));
    let source = out.conversation("pi", reference.clone(), title, Fidelity::HybridRecord);
    let checkpoint = file.base_name().contains(".checkpoint.");
    for piece in &session.pieces {
        let (place, line) = (&piece.place, &piece.value);
        let kind = json::text(line, "type").unwrap_or("");
        let refusal = match kind {
            _ if checkpoint => Some((Reason::CheckpointCopy, "a copy of a session kept beside it")),
            "session" | "session_info" | "label" => Some((Reason::Metadata, "describes the session")),
            "compaction" | "branch_summary" => Some((Reason::ModelSummary, "a summary of the session")),
            "message" => None,
            _ => Some((Reason::ControlPlane, "a record of the tool")),
        };
        if let Some((reason, detail)) = refusal {
            out.refuse(file, place, reason, detail);
            continue;
        }
        let Some(message) = line.get("message") else {
            out.refuse(file, place, Reason::WrongShape, "no `message`");
            continue;
        };
        let word = json::text(message, "role").unwrap_or("");
        let Some(role) = Role::from_word(word, false) else {
            out.refuse(file, place, Reason::ControlPlane, &format!("role `{word}`"));
            continue;
        };
        let (text, blocks_cut) = content(message.get("content"), &["text"]);
        let turn = Turn {
            role,
            text,
            blocks_cut,
            time: line.get("timestamp").or_else(|| message.get("timestamp")),
            id: json::id(line, "id"),
            session: Some(reference.clone()),
            model: json::text(message, "model"),
        };
        store(file, source, place, turn, out);
    }
}
