//! Telegram Desktop's JSON: one chat (`messages` at the top) or a whole account (`chats.list`).
//!
//! Text may come in pieces (bold, link, mention); they are put together as they stand, since spaces between pieces are
//! pieces themselves. A whole export says whose account it is, and that is the owner; in a single chat nobody is until
//! named. A forwarded message holds somebody else's words whoever forwarded it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    Attachment, Author, Fidelity, Reason,
    collect::{Collector, Id, Words},
    decode::File,
    json::{self, Piece},
};

pub(crate) fn recognises(value: &Value) -> bool {
    let of_telegram = |message: &Value| {
        message.get("date_unixtime").is_some()
            || (message.get("type").is_some()
                && message.get("date").is_some()
                && message.get("from_id").is_some())
    };
    let chats = value.pointer("/chats/list").is_some_and(Value::is_array);
    chats || json::list(value, "messages").iter().take(5).any(of_telegram)
}

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        for Piece { place, value } in json::pieces(file, out) {
            let account = value.pointer("/personal_information/user_id").and_then(Value::as_u64);
            let account = account.map(|id| format!("user{id}"));
            if value.get("messages").is_some_and(Value::is_array) {
                chat(file, "messages", &value, account.as_deref(), out);
            } else if value.get("chats").or_else(|| value.get("left_chats")).is_some() {
                for list in ["chats", "left_chats"] {
                    let chats = value.get(list).map(|found| json::list(found, "list")).unwrap_or_default();
                    for (index, entry) in chats.iter().enumerate() {
                        let place = format!("{list}.list[{index}].messages");
                        chat(file, &place, entry, account.as_deref(), out);
                    }
                }
            } else {
                out.refuse(file, &place, Reason::NotThisFormat, "neither `messages` nor `chats`");
            }
        }
    }
}

fn chat(file: &File<'_>, place: &str, chat: &Value, account: Option<&str>, out: &mut Collector<'_>) {
    let name = json::text(chat, "name");
    let reference =
        json::id(chat, "id").or(name.map(str::to_owned)).unwrap_or_else(|| file.conversation_name());
    let source = out.conversation("telegram", reference.clone(), name, Fidelity::TranscriptSnapshot);
    let (mut names, mut owner_found) = (BTreeSet::new(), false);
    let what = format!("Telegram chat `{}`", name.unwrap_or(&reference));
    // A name is free to choose: two accounts of the owner's name are told apart by id or not at all.
    let messages = json::list(chat, "messages");
    let called = messages.iter().filter(|message| {
        json::text(message, "from").is_some_and(|from| out.member(from, None) == Author::Owner)
    });
    let bearers: BTreeSet<String> = called.filter_map(|message| json::id(message, "from_id")).collect();
    let shared = bearers.len() > 1;
    if shared {
        out.name_is_shared(&what, &bearers);
    }
    for (index, message) in messages.iter().enumerate() {
        let place = format!("{place}[{index}]");
        match json::text(message, "type") {
            Some("message") => {}
            Some("service") => {
                out.refuse(
                    file,
                    &place,
                    Reason::ServiceNotice,
                    json::text(message, "action").unwrap_or("a service line"),
                );
                continue;
            }
            other => {
                let detail = format!("type `{}` is not known", other.unwrap_or(""));
                out.refuse(file, &place, Reason::WrongShape, &detail);
                continue;
            }
        }
        let from = json::text(message, "from").unwrap_or("");
        let from_id = json::id(message, "from_id");
        let owner = match account {
            Some(account) if out.options().owner.is_none() => from_id.as_deref() == Some(account),
            _ => out.member(if shared { "" } else { from }, from_id.as_deref()) == Author::Owner,
        };
        owner_found |= owner;
        if !from.is_empty() {
            names.insert(from.to_owned());
        }
        let forwarded = json::text(message, "forwarded_from").or_else(|| json::text(message, "saved_from"));
        let text = text_of(message.get("text"));
        let stamp = message.get("date_unixtime").or_else(|| message.get("date"));
        let time = out.time(stamp);
        let written = stamp.map(Value::to_string).unwrap_or_default();
        let id = Id::given_or(json::id(message, "id"), &[&written, from, &text]);
        let author = if owner && forwarded.is_none() { Author::Owner } else { Author::External };
        let mut words = Words::new(author, time, text, id);
        words.author_name = forwarded.or(Some(from)).map(str::to_owned);
        words.attachments = attachments(message);
        out.store(file, source, &place, words);
    }
    out.members_seen(&what, &names, owner_found);
}

fn text_of(text: Option<&Value>) -> String {
    match text {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(pieces)) => {
            pieces.iter().filter_map(|piece| piece.as_str().or_else(|| json::text(piece, "text"))).collect()
        }
        _ => String::new(),
    }
}

fn attachments(message: &Value) -> Vec<Attachment> {
    let named = ["file", "photo"].iter().filter_map(|key| json::text(message, key));
    let size = |key| message.get(key).and_then(Value::as_u64);
    named
        .map(|name| Attachment {
            name: name.to_owned(),
            media_type: json::text(message, "mime_type").map(str::to_owned),
            size: size("file_size").or_else(|| size("photo_file_size")),
        })
        .collect()
}
