//! ChatGPT's data export: `conversations.json`, a list of conversation trees, or one conversation.
//!
//! Editing a prompt or regenerating an answer makes a branch. What stands is the branch that ends in `current_node`;
//! the other branches are what the person replaced, so they are refused as `inactive_branch`, each message counted in
//! its place. Messages to tools, hidden context, reasoning and tool output are control plane. The role `user` is the
//! owner. A node without a message holds the tree together and is no record.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::{
    Attachment, Author, Fidelity, Reason,
    collect::{Collector, Id, SourceIndex, Words},
    decode::File,
    json::{self, Piece},
};

/// Content that no person saw as a message.
const CONTROL_CONTENT: &[&str] = &[
    "user_editable_context",
    "model_editable_context",
    "thoughts",
    "reasoning_recap",
    "execution_output",
    "code",
    "computer_output",
    "tether_browsing_display",
    "tether_browsing_code",
    "tether_quote",
    "system_error",
    "app_pairing_content",
];

pub(crate) fn recognises(value: &Value) -> bool {
    value.get("mapping").is_some_and(Value::is_object)
}

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        for Piece { place, value } in json::pieces(file, out) {
            if recognises(&value) {
                conversation(file, &place, &value, out);
            } else {
                out.refuse(file, &place, Reason::NotThisFormat, "no `mapping` of messages");
            }
        }
    }
}

fn conversation(file: &File<'_>, place: &str, value: &Value, out: &mut Collector<'_>) {
    let Some(mapping) = value.get("mapping").and_then(Value::as_object) else { return };
    // `id` first: `conversation_id` repeats it in real exports.
    let id = json::id(value, "id").or_else(|| json::id(value, "conversation_id"));
    let reference = id.unwrap_or_else(|| file.conversation_name());
    let title = json::text(value, "title");
    let source = out.conversation("chatgpt", reference.clone(), title, Fidelity::TranscriptSnapshot);

    let parents: HashMap<&str, &str> = mapping
        .iter()
        .filter_map(|(node, entry)| Some((node.as_str(), json::text(entry, "parent")?)))
        .collect();
    let current = json::text(value, "current_node").filter(|node| mapping.contains_key(*node));
    let end = match current {
        Some(node) => Some(node.to_owned()),
        None => {
            let end = latest_leaf(mapping);
            if end.is_some() && mapping.len() > 1 {
                out.notice(format!(
                    "conversation `{reference}` names no current branch; its latest message was taken"
                ));
            }
            end
        }
    };
    let mut branch = Vec::new();
    let mut seen = HashSet::new();
    let mut next = end.as_deref();
    // `seen` ends the walk in a tree whose parents form a circle.
    while let Some(node) = next.filter(|node| mapping.contains_key(*node) && seen.insert(node.to_string())) {
        branch.push(node);
        next = parents.get(node).copied();
    }
    branch.reverse();
    for node in branch {
        message(file, place, node, &mapping[node], source, &reference, out);
    }
    for (node, entry) in mapping.iter().filter(|(node, _)| !seen.contains(node.as_str())) {
        if entry.get("message").is_some_and(|message| !message.is_null()) {
            let place = format!("{place}.mapping.{node}");
            out.refuse(file, &place, Reason::InactiveBranch, "edited away or regenerated");
        }
    }
}

fn latest_leaf(mapping: &serde_json::Map<String, Value>) -> Option<String> {
    let time =
        |entry: &Value| entry.pointer("/message/create_time").and_then(Value::as_f64).unwrap_or(f64::MIN);
    let leaves = mapping.iter().filter(|(_, entry)| json::list(entry, "children").is_empty());
    leaves.max_by(|(_, a), (_, b)| time(a).total_cmp(&time(b))).map(|(node, _)| node.clone())
}

fn message(
    file: &File<'_>,
    place: &str,
    node: &str,
    entry: &Value,
    source: SourceIndex,
    session: &str,
    out: &mut Collector<'_>,
) {
    let Some(message) = entry.get("message").filter(|message| !message.is_null()) else { return };
    let place = format!("{place}.mapping.{node}");
    let role = message.pointer("/author/role").and_then(Value::as_str).unwrap_or("");
    let author = match role {
        "user" => Author::Owner,
        "assistant" => Author::Assistant,
        "system" | "tool" | "developer" | "critic" | "discovery" => {
            return out.refuse(file, &place, Reason::ControlPlane, &format!("role `{role}`"));
        }
        _ => return out.refuse(file, &place, Reason::WrongShape, &format!("role `{role}` is not known")),
    };
    let empty = Value::Null;
    let content = message.get("content").unwrap_or(&empty);
    let metadata = message.get("metadata").unwrap_or(&empty);
    let content_type = json::text(content, "content_type").unwrap_or("");
    if CONTROL_CONTENT.contains(&content_type) {
        return out.refuse(file, &place, Reason::ControlPlane, &format!("content `{content_type}`"));
    }
    let hidden = ["is_visually_hidden_from_conversation", "is_user_system_message"];
    if hidden.iter().any(|flag| metadata.get(*flag) == Some(&Value::Bool(true))) {
        return out.refuse(file, &place, Reason::ControlPlane, "hidden from the conversation");
    }
    let recipient = json::text(message, "recipient").unwrap_or("all");
    if author == Author::Assistant && recipient != "all" {
        return out.refuse(file, &place, Reason::ControlPlane, "addressed to a tool");
    }
    if !matches!(content_type, "text" | "multimodal_text" | "") && content.get("parts").is_some() {
        out.notice(format!(
            "`{}` has content of a kind this version does not know; its text parts were taken",
            file.name
        ));
    }
    let (text, mut attachments) = parts(content);
    for listed in json::list(metadata, "attachments") {
        attachments.extend(json::text(listed, "name").map(|name| Attachment {
            name: name.to_owned(),
            media_type: json::text(listed, "mime_type").map(str::to_owned),
            size: listed.get("size").and_then(Value::as_u64),
        }));
    }
    let id = json::id(message, "id").unwrap_or_else(|| node.to_owned());
    let time = out.time(message.get("create_time"));
    let mut words = Words::new(author, time, text, Id::Given(id));
    words.author_name =
        json::text(metadata, "model_slug").map(str::to_owned).filter(|_| author == Author::Assistant);
    words.session = Some(session.to_owned());
    words.attachments = attachments;
    out.store(file, source, &place, words);
}

/// The text parts, a line apart, and what stands beside them.
fn parts(content: &Value) -> (String, Vec<Attachment>) {
    let (mut texts, mut attachments) = (Vec::new(), Vec::new());
    for part in json::list(content, "parts") {
        match part {
            Value::String(text) if !text.is_empty() => texts.push(text.as_str()),
            Value::String(_) => {}
            // A voice message: what was said stands in the transcription.
            _ if json::text(part, "content_type") == Some("audio_transcription") => {
                texts.extend(json::text(part, "text"))
            }
            _ => attachments.extend(json::text(part, "asset_pointer").map(|pointer| Attachment {
                name: pointer.to_owned(),
                media_type: None,
                size: part.get("size_bytes").and_then(Value::as_u64),
            })),
        }
    }
    (texts.join("\n"), attachments)
}
