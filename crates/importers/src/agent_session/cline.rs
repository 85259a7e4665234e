//! Cline and its kin (Roo, Kilo): `*.messages.json`, or the older `api_conversation_history.json` in a task's folder.

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, content, store};
use crate::{
    Fidelity, Reason,
    collect::{Collector, SourceIndex},
    decode::File,
    json,
};

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    let message = |value: &Value| value.get("role").is_some() && value.get("content").is_some();
    probe.any(Layout::Array, message)
        || probe.any(Layout::Value, |value| {
            value.get("sessionId").is_some() && value.get("messages").is_some_and(Value::is_array)
        })
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    // The older form keeps the task's id in the folder's name only.
    let folder = file.folder().filter(|_| file.stem() == "api_conversation_history").map(str::to_owned);
    let named = session.pieces.iter().find_map(|piece| json::id(&piece.value, "sessionId"));
    // A bare list of roles and words is what many programs write; only the two names above are Cline's.
    let kind = if named.is_some() || folder.is_some() { "cline" } else { "chat-messages" };
    let reference = named.or(folder).unwrap_or_else(|| file.conversation_name());
    let source = out.conversation(kind, reference.clone(), None, Fidelity::HybridRecord);
    for piece in &session.pieces {
        match piece.value.get("messages").and_then(Value::as_array) {
            Some(messages) => {
                for (index, entry) in messages.iter().enumerate() {
                    message(file, source, &format!("messages[{index}]"), entry, &reference, out);
                }
            }
            None => message(file, source, &piece.place, &piece.value, &reference, out),
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
    let word = json::text(entry, "role").unwrap_or("");
    let Some(role) = Role::from_word(word, false) else {
        return out.refuse(file, place, Reason::ControlPlane, &format!("role `{word}`"));
    };
    let (text, blocks_cut) = content(entry.get("content"), &["text"]);
    let turn = Turn {
        role,
        text,
        blocks_cut,
        time: entry.get("ts"),
        id: json::id(entry, "id"),
        session: Some(reference.to_owned()),
        model: None,
    };
    store(file, source, place, turn, out);
}
