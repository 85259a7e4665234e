//! Gemini: the CLI's sessions (one JSON value, or JSON Lines with `$set` snapshots) and AI Studio's chunked prompts.
//!
//! A snapshot repeats what earlier lines said, under the same ids; the repetitions are refused as duplicates.

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, content, store};
use crate::{
    Fidelity, Reason,
    collect::{Collector, SourceIndex},
    decode::File,
    json,
};

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    let message = |value: &Value| matches!(json::text(value, "type"), Some("user" | "gemini"));
    let header = |value: &Value| value.get("sessionId").is_some() && value.get("startTime").is_some();
    probe.any(Layout::Value, |value| {
        value.pointer("/chunkedPrompt/chunks").is_some_and(Value::is_array)
            || (header(value) && value.get("messages").is_some())
            || (value.get("sessionId").is_some() && json::list(value, "messages").iter().any(message))
    }) || probe.any(Layout::Lines, |value| {
        header(value)
            || value.get("$set").is_some()
            || (json::text(value, "type") == Some("gemini") && value.get("content").is_some())
    })
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    let named = session.pieces.iter().find_map(|piece| json::id(&piece.value, "sessionId"));
    let reference = named.unwrap_or_else(|| file.conversation_name());
    for piece in &session.pieces {
        let (place, value) = (piece.place.as_str(), &piece.value);
        if let Some(chunks) = value.pointer("/chunkedPrompt/chunks").and_then(Value::as_array) {
            chunked(file, value, chunks, out);
            continue;
        }
        let title = json::text(value, "summary");
        let source = out.conversation("gemini-cli", reference.clone(), title, Fidelity::HybridRecord);
        let snapshot = value.get("$set").unwrap_or(value);
        if let Some(messages) = snapshot.get("messages").and_then(Value::as_array) {
            for (index, entry) in messages.iter().enumerate() {
                message(file, source, &format!("{place}.messages[{index}]"), entry, &reference, out);
            }
        } else if value.get("content").is_some() {
            message(file, source, place, value, &reference, out);
        } else {
            out.refuse(file, place, Reason::Metadata, "describes the session");
        }
    }
}

fn message(
    file: &File<'_>,
    source: SourceIndex,
    place: &str,
    entry: &Value,
    reference: &str,
    out: &mut Collector<'_>,
) {
    let word = json::text(entry, "type").or_else(|| json::text(entry, "role")).unwrap_or("");
    let Some(role) = Role::from_word(word, false) else {
        return out.refuse(file, place, Reason::ControlPlane, &format!("type `{word}`"));
    };
    let (text, blocks_cut) = content(entry.get("content"), &["text"]);
    let beside = ["thoughts", "toolCalls"].iter().map(|key| json::list(entry, key).len() as u64).sum::<u64>();
    let turn = Turn {
        role,
        text,
        blocks_cut: blocks_cut + beside,
        time: entry.get("timestamp"),
        id: json::id(entry, "id"),
        session: Some(reference.to_owned()),
        model: json::text(entry, "model"),
    };
    store(file, source, place, turn, out);
}

fn chunked(file: &File<'_>, value: &Value, chunks: &[Value], out: &mut Collector<'_>) {
    let reference = json::id(value, "id").unwrap_or_else(|| file.conversation_name());
    let title = json::text(value, "displayName");
    let source = out.conversation("gemini-prompt", reference.clone(), title, Fidelity::HybridRecord);
    for (index, chunk) in chunks.iter().enumerate() {
        let place = format!("chunkedPrompt.chunks[{index}]");
        let word = json::text(chunk, "role").unwrap_or("");
        let thought = chunk.get("isThought") == Some(&Value::Bool(true));
        let Some(role) = Role::from_word(word, false).filter(|_| !thought) else {
            let detail = if thought { "reasoning".to_owned() } else { format!("role `{word}`") };
            out.refuse(file, &place, Reason::ControlPlane, &detail);
            continue;
        };
        let (text, blocks_cut) = match json::text(chunk, "text") {
            Some(text) => (text.to_owned(), 0),
            None => content(chunk.get("parts"), &["text"]),
        };
        let beside = ["executableCode", "codeExecutionResult", "functionCall", "functionResponse"];
        let beside = beside.iter().filter(|key| chunk.get(**key).is_some()).count() as u64;
        let turn = Turn {
            role,
            text,
            blocks_cut: blocks_cut + beside,
            time: chunk.get("createTime"),
            id: json::id(chunk, "id"),
            session: Some(reference.clone()),
            model: None,
        };
        store(file, source, &place, turn, out);
    }
}
