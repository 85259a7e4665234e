//! Antigravity: the transcript it logs (JSON Lines), and a session rendered to Markdown by its language server.
//!
//! The rendering marks turns by headings, and a reply may contain the same heading. So it cannot prove who said what:
//! it is a `derived_projection`, and its `User Input` is taken for the owner's only when the owner is named `user`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, store};
use crate::{
    Author, Fidelity, Reason,
    collect::{Collector, Id, Words},
    decode::File,
    json,
};

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    let sources = ["USER_EXPLICIT", "USER_IMPLICIT", "MODEL", "SYSTEM"];
    probe.any(Layout::Lines, |value| {
        value.get("created_at").is_some()
            && json::text(value, "source").is_some_and(|source| sources.contains(&source))
    }) || probe
        .any(Layout::Value, |value| value.get("cascadeId").is_some() && value.get("markdown").is_some())
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    if let Some(piece) = session.pieces.first().filter(|piece| piece.value.get("markdown").is_some()) {
        return rendering(file, &piece.value, out);
    }
    // `…/brain/SESSION/.system_generated/logs/transcript.jsonl`
    let parts: Vec<&str> = file.name.split('/').collect();
    let brain = parts.iter().position(|part| *part == "brain").and_then(|index| parts.get(index + 1));
    let reference = brain.map_or_else(|| file.conversation_name(), |session| (*session).to_owned());
    let source = out.conversation("antigravity", reference.clone(), None, Fidelity::HybridRecord);
    for piece in &session.pieces {
        let (place, line) = (&piece.place, &piece.value);
        let role = match json::text(line, "source") {
            Some("USER_EXPLICIT") => Role::Person,
            Some("MODEL") => Role::Model,
            other => {
                out.refuse(file, place, Reason::ControlPlane, &format!("source `{}`", other.unwrap_or("")));
                continue;
            }
        };
        let beside = ["thinking", "tool_calls"]
            .iter()
            .filter(|key| line.get(**key).is_some_and(|found| !found.is_null()));
        let turn = Turn {
            role,
            text: json::text(line, "content").unwrap_or("").to_owned(),
            blocks_cut: beside.count() as u64,
            time: line.get("created_at"),
            id: json::id(line, "id"),
            session: Some(reference.clone()),
            model: None,
        };
        store(file, source, place, turn, out);
    }
}

fn rendering(file: &File<'_>, value: &Value, out: &mut Collector<'_>) {
    let reference = json::id(value, "cascadeId").unwrap_or_else(|| file.conversation_name());
    let title = json::text(value, "title");
    let source = out.conversation("antigravity", reference.clone(), title, Fidelity::DerivedProjection);
    let markdown = json::text(value, "markdown").unwrap_or("");
    let mut sections: Vec<(&str, String)> = Vec::new();
    for line in markdown.split_inclusive('\n') {
        match (line.trim_end(), sections.last_mut()) {
            ("### User Input", _) => sections.push(("user", String::new())),
            ("### Planner Response", _) => sections.push(("model", String::new())),
            (_, Some((_, text))) => text.push_str(line),
            (text, None) if text.trim().is_empty() => {}
            (_, None) => sections.push(("", line.to_owned())),
        }
    }
    if sections.is_empty() {
        out.refuse(file, "markdown", Reason::NoText, "no turns");
    }
    let mut owner_found = false;
    for (index, (side, text)) in sections.into_iter().enumerate() {
        let place = format!("markdown, section {}", index + 1);
        let author = match side {
            "user" => out.member("user", None),
            "model" => Author::Assistant,
            _ => {
                out.refuse(file, &place, Reason::ControlPlane, "text before the first turn");
                continue;
            }
        };
        owner_found |= author == Author::Owner;
        let text = text.trim().to_owned();
        // The moment of the whole is not the moment of a turn, so a turn has none.
        let mut words = Words::new(author, None, text.clone(), Id::given_or(None, &[side, &text]));
        words.author_name = Some(side.to_owned());
        words.session = Some(reference.clone());
        out.store(file, source, &place, words);
    }
    let names = BTreeSet::from(["user".to_owned()]);
    out.members_seen(&format!("rendered session `{}`", file.name), &names, owner_found);
}
