//! Grok: the CLI's `updates.jsonl`, streamed in chunks, and the web export (`conversations`, each with `responses`).
//!
//! Chunks of one prompt by one side, following each other, are one message. Its id is made of the prompt's and not of
//! the words, so that a reply that was still arriving at one import is not another message at the next.

use std::collections::HashMap;

use serde_json::Value;

use super::{Layout, Probe, Role, Session, Turn, content, store};
use crate::{Fidelity, Reason, collect::Collector, decode::File, json};

/// Chunks of one message, gathered.
struct Stream<'v> {
    role: Role,
    prompt: Option<String>,
    place: String,
    texts: Vec<&'v str>,
    time: Option<&'v Value>,
}

pub(super) fn recognises(probe: &Probe<'_>) -> bool {
    probe.any(Layout::Lines, |value| value.pointer("/params/update/sessionUpdate").is_some())
        || probe.any(Layout::Value, |value| {
            json::list(value, "conversations").first().is_some_and(|found| found.get("responses").is_some())
        })
}

pub(super) fn read(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    match session.pieces.first() {
        Some(piece) if piece.value.get("conversations").is_some() => export(session.file, &piece.value, out),
        _ => updates(session, out),
    }
}

fn updates(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    let file = session.file;
    // The folder is named after the session.
    let reference =
        file.folder().filter(|_| file.stem() == "updates").unwrap_or_else(|| file.stem()).to_owned();
    let source = out.conversation("grok-cli", reference.clone(), None, Fidelity::HybridRecord);
    let mut stream: Option<Stream<'_>> = None;
    let mut streams_of: HashMap<(String, Role), u64> = HashMap::new();
    let mut finish = |stream: &mut Option<Stream<'_>>, out: &mut Collector<'_>| {
        if let Some(stream) = stream.take() {
            let turn = Turn {
                role: stream.role,
                text: stream.texts.concat(),
                blocks_cut: 0,
                time: stream.time,
                id: stream.prompt.map(|prompt| {
                    let side = if stream.role == Role::Model { "agent" } else { "user" };
                    let number = streams_of.entry((prompt.clone(), stream.role)).or_insert(0);
                    *number += 1;
                    format!("{prompt}/{side}/{number}")
                }),
                session: Some(reference.clone()),
                model: None,
            };
            store(file, source, &stream.place, turn, out);
            out.join(stream.texts.len() as u64 - 1);
        }
    };
    for piece in &session.pieces {
        let (place, line) = (&piece.place, &piece.value);
        let update = line.pointer("/params/update").unwrap_or(&Value::Null);
        let kind = json::text(update, "sessionUpdate").unwrap_or("");
        let role = match kind {
            "user_message_chunk" => Role::Person,
            "agent_message_chunk" => Role::Model,
            _ => {
                finish(&mut stream, out);
                out.refuse(file, place, Reason::ControlPlane, &format!("update `{kind}`"));
                continue;
            }
        };
        let Some(text) = update.pointer("/content/text").and_then(Value::as_str) else {
            out.refuse(file, place, Reason::NoText, "a chunk without text");
            continue;
        };
        // The prompt is named within the update for one side and beside it for the other.
        let meta = update.get("_meta").or_else(|| line.pointer("/params/_meta")).unwrap_or(&Value::Null);
        let prompt = json::id(meta, "promptId").or_else(|| json::id(meta, "promptIndex"));
        if stream.as_ref().is_some_and(|stream| stream.role != role || stream.prompt != prompt) {
            finish(&mut stream, out);
        }
        let open = stream.get_or_insert_with(|| Stream {
            role,
            prompt,
            place: place.clone(),
            texts: Vec::new(),
            time: line.get("timestamp"),
        });
        open.texts.push(text);
    }
    finish(&mut stream, out);
}

fn export(file: &File<'_>, value: &Value, out: &mut Collector<'_>) {
    for (number, entry) in json::list(value, "conversations").iter().enumerate() {
        let conversation = entry.get("conversation").unwrap_or(&Value::Null);
        let title = json::text(conversation, "title");
        let created = conversation.get("create_time").map(Value::to_string).unwrap_or_default();
        // Without an id, the moment it began tells a conversation from others of the same title.
        let named = json::id(conversation, "id").or_else(|| json::id(conversation, "conversation_id"));
        let reference =
            named.unwrap_or_else(|| format!("{} {}", title.unwrap_or(""), created.trim_matches('"')));
        let source = out.conversation("grok", reference.clone(), title, Fidelity::TranscriptSnapshot);
        for (index, response) in json::list(entry, "responses").iter().enumerate() {
            let place = format!("conversations[{number}].responses[{index}]");
            let response = response.get("response").unwrap_or(response);
            let word = json::text(response, "sender").unwrap_or("").to_lowercase();
            let Some(role) = Role::from_word(&word, false) else {
                out.refuse(file, &place, Reason::ControlPlane, &format!("sender `{word}`"));
                continue;
            };
            let (text, blocks_cut) = content(response.get("message"), &["text"]);
            let turn = Turn {
                role,
                text,
                blocks_cut,
                time: response.get("create_time"),
                id: json::id(response, "_id").or_else(|| json::id(response, "id")),
                session: Some(reference.clone()),
                model: json::text(response, "model"),
            };
            store(file, source, &place, turn, out);
        }
    }
}
