//! Goose: JSON Lines, a header and then a message a line. Its SQLite form is read from a dump, see `sqlite_dump`.

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, content, store};
use crate::{Fidelity, Reason, collect::Collector, json};

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    probe.any(Layout::Lines, |value| {
        (value.get("role").is_some() && value.get("created").is_some() && value.get("content").is_some())
            || (value.get("working_dir").is_some() && value.get("message_count").is_some())
    })
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    let header = session.pieces.iter().map(|piece| &piece.value).find(|value| value.get("role").is_none());
    // Older headers carry no id; the file is then named after the session.
    let reference =
        header.and_then(|header| json::id(header, "id")).unwrap_or_else(|| file.stem().to_owned());
    let title = header.and_then(|header| json::text(header, "description"));
    let source = out.conversation("goose", reference.clone(), title, Fidelity::HybridRecord);
    for piece in &session.pieces {
        let (place, line) = (&piece.place, &piece.value);
        let Some(word) = json::text(line, "role") else {
            out.refuse(file, place, Reason::Metadata, "describes the session");
            continue;
        };
        let hidden = line.pointer("/metadata/userVisible") == Some(&Value::Bool(false));
        let Some(role) = Role::from_word(word, false).filter(|_| !hidden) else {
            out.refuse(file, place, Reason::ControlPlane, "not shown to the person");
            continue;
        };
        let (text, blocks_cut) = content(line.get("content"), &["text"]);
        let turn = Turn {
            role,
            text,
            blocks_cut,
            time: line.get("created"),
            id: json::id(line, "id"),
            session: Some(reference.clone()),
            model: None,
        };
        store(file, source, place, turn, out);
    }
}
