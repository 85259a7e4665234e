//! Instagram's and Messenger's JSON: `message_1.json` with `messages`, newest first.
//!
//! Meta writes each UTF-8 byte as a character of its own (`Ã©` for `é`). A text of which every character is such a byte
//! and which reads as UTF-8 is put right, since that is what the person typed. Messages carry no id. Nobody is the
//! owner until named.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    Attachment, Author, Fidelity, Reason,
    collect::{Collector, Id, Words},
    decode::File,
    json::{self, Piece},
};

pub(crate) fn recognises(value: &Value) -> bool {
    let of_meta =
        |message: &Value| message.get("sender_name").is_some() && message.get("timestamp_ms").is_some();
    json::list(value, "messages").iter().take(5).any(of_meta)
}

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        for Piece { place, value } in json::pieces(file, out) {
            if value.get("messages").is_some_and(Value::is_array) {
                thread(file, &value, out);
            } else {
                out.refuse(file, &place, Reason::NotThisFormat, "no `messages`");
            }
        }
    }
}

fn thread(file: &File<'_>, value: &Value, out: &mut Collector<'_>) {
    let title = json::text(value, "title").map(mended);
    let reference =
        json::text(value, "thread_path").map(str::to_owned).unwrap_or_else(|| file.conversation_name());
    let source = out.conversation("instagram", reference, title.as_deref(), Fidelity::TranscriptSnapshot);
    let (mut names, mut owner_found) = (BTreeSet::new(), false);
    let mut messages: Vec<(usize, &Value)> = json::list(value, "messages").iter().enumerate().collect();
    messages
        .sort_by_key(|(_, message)| message.get("timestamp_ms").and_then(Value::as_i64).unwrap_or(i64::MAX));
    for (index, message) in messages {
        let place = format!("messages[{index}]");
        let Some(name) = json::text(message, "sender_name").map(mended) else {
            out.refuse(file, &place, Reason::WrongShape, "no `sender_name`");
            continue;
        };
        let author = out.member(&name, None);
        owner_found |= author == Author::Owner;
        names.insert(name.clone());
        if message.get("is_unsent") == Some(&Value::Bool(true)) {
            out.refuse(file, &place, Reason::Deleted, "unsent");
            continue;
        }
        let text = json::text(message, "content").map(mended).unwrap_or_default();
        let time = out.time(message.get("timestamp_ms"));
        let written = message.get("timestamp_ms").map(Value::to_string).unwrap_or_default();
        let mut words = Words::new(author, time, text.clone(), Id::given_or(None, &[&written, &name, &text]));
        words.author_name = Some(name);
        words.attachments = ["photos", "videos", "audio_files", "files"]
            .iter()
            .flat_map(|key| json::list(message, key))
            .filter_map(|file| json::text(file, "uri"))
            .map(|uri| Attachment { name: uri.to_owned(), media_type: None, size: None })
            .collect();
        out.store(file, source, &place, words);
    }
    out.members_seen(&format!("chat `{}`", file.name), &names, owner_found);
}

fn mended(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let bytes: Option<Vec<u8>> =
        text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
}
