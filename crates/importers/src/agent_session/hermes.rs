//! Hermes: the archival export, one session a file. Its SQLite form is read from a dump, see `sqlite_dump`.
//!
//! A compacted message was said and is kept; a rewound one the tool no longer stands by and is refused.

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, store};
use crate::{Fidelity, Reason, collect::Collector, json};

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    probe.any(Layout::Value, |value| {
        let message = |message: &Value| message.get("message_id").is_some() && message.get("role").is_some();
        value.get("session_id").is_some() && json::list(value, "messages").iter().take(5).any(message)
    })
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    for piece in &session.pieces {
        let reference = json::id(&piece.value, "session_id").unwrap_or_else(|| file.conversation_name());
        let source = out.conversation("hermes", reference.clone(), None, Fidelity::HybridRecord);
        for (index, message) in json::list(&piece.value, "messages").iter().enumerate() {
            let place = format!("messages[{index}]");
            if json::text(message, "state") == Some("rewound") {
                out.refuse(file, &place, Reason::Rewound, "rewound");
                continue;
            }
            let word = json::text(message, "role").unwrap_or("");
            let Some(role) = Role::from_word(word, false) else {
                out.refuse(file, &place, Reason::ControlPlane, &format!("role `{word}`"));
                continue;
            };
            let lists =
                ["tool_calls", "tool_results"].iter().map(|key| json::list(message, key).len() as u64);
            let turn = Turn {
                role,
                text: json::text(message, "text").unwrap_or("").to_owned(),
                blocks_cut: lists.sum::<u64>() + u64::from(json::text(message, "reasoning").is_some()),
                time: message.get("timestamp"),
                id: json::id(message, "message_id"),
                session: Some(reference.clone()),
                model: None,
            };
            store(file, source, &place, turn, out);
        }
    }
}
