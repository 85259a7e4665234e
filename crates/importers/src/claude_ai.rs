//! claude.ai's data export: `conversations.json`, a list of conversations, or one of them.
//!
//! Newer exports hold a list of content blocks beside the plain `text`, which then only stands in for blocks an old
//! reader cannot show: the `text` blocks are the words, the others (thinking, tool use, tool results) are cut and
//! counted. Text extracted from an attached file is the file's and not the person's; only its name is kept. The
//! sender `human` is the owner.

use serde_json::Value;

use crate::{
    Attachment, Author, Fidelity, Reason,
    collect::{Collector, Id, Words},
    decode::File,
    json::{self, Piece},
};

pub(crate) fn recognises(value: &Value) -> bool {
    value.get("chat_messages").is_some_and(Value::is_array)
}

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        for Piece { place, value } in json::pieces(file, out) {
            if recognises(&value) {
                conversation(file, &place, &value, out);
            } else {
                out.refuse(file, &place, Reason::NotThisFormat, "no `chat_messages`");
            }
        }
    }
}

fn conversation(file: &File<'_>, place: &str, value: &Value, out: &mut Collector<'_>) {
    let reference = json::id(value, "uuid").unwrap_or_else(|| file.conversation_name());
    let title = json::text(value, "name").or_else(|| json::text(value, "title"));
    let source = out.conversation("claude-ai", reference.clone(), title, Fidelity::TranscriptSnapshot);
    for (index, message) in json::list(value, "chat_messages").iter().enumerate() {
        let place = format!("{place}.chat_messages[{index}]");
        let sender = json::text(message, "sender").unwrap_or("");
        let author = match sender {
            "human" => Author::Owner,
            "assistant" => Author::Assistant,
            _ => {
                out.refuse(file, &place, Reason::WrongShape, &format!("sender `{sender}` is not known"));
                continue;
            }
        };
        let (text, parts_cut) = text_of(message);
        let time = out.time(message.get("created_at"));
        let written = json::text(message, "created_at").unwrap_or("");
        let id = Id::given_or(json::id(message, "uuid"), &[sender, written, &text]);
        let mut words = Words::new(author, time, text, id);
        words.session = Some(reference.clone());
        words.attachments =
            ["attachments", "files", "files_v2"].iter().flat_map(|key| files_of(message, key)).collect();
        words.attachments.dedup();
        words.parts_cut = parts_cut;
        out.store(file, source, &place, words);
    }
}

fn text_of(message: &Value) -> (String, u64) {
    let blocks = json::list(message, "content");
    let texts: Vec<&str> = blocks
        .iter()
        .filter(|block| json::text(block, "type") == Some("text"))
        .filter_map(|block| json::text(block, "text"))
        .collect();
    // A block of a kind unknown here is not taken for speech; the message's own text stands where no block is.
    let others = blocks.iter().filter(|block| json::text(block, "type") != Some("text")).count() as u64;
    let plain = json::text(message, "text");
    match (texts.is_empty(), plain) {
        (false, _) => (texts.join("\n\n"), others),
        (true, Some(plain))
            if !(others > 0 && plain.contains("block is not supported on your current device")) =>
        {
            (plain.to_owned(), others)
        }
        (true, _) => (String::new(), others),
    }
}

fn files_of<'v>(message: &'v Value, key: &str) -> impl Iterator<Item = Attachment> + use<'v> {
    json::list(message, key).iter().filter_map(|file| {
        Some(Attachment {
            name: json::text(file, "file_name")?.to_owned(),
            media_type: json::text(file, "file_type").map(str::to_owned),
            size: file.get("file_size").and_then(Value::as_u64),
        })
    })
}
