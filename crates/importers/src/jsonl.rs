//! JSON Lines: the format of `observe`, one message a line.
//!
//! `{source:{kind,ref}, session?, author, event_time?, external_id?, text, proposals?}`. A source may also carry a
//! `title` and a `fidelity`, so that memories brought from another system arrive with an honest label; it is
//! `visible_transcript` otherwise, since whoever writes these lines observed the words. Proposals are not read here.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    Attachment, Author, Fidelity, Reason, Shape,
    collect::{Collector, Id, Opening, Words},
    decode::File,
    instant, json,
};

const FIELDS: &[&str] = &[
    "source",
    "session",
    "author",
    "author_name",
    "event_time",
    "external_id",
    "text",
    "proposals",
    "attachments",
];

pub(crate) fn recognises(value: &Value) -> bool {
    value.get("source").is_some_and(Value::is_object)
        && value.get("text").is_some()
        && value.get("author").is_some()
}

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        let mut unknown = BTreeSet::new();
        read_lines(file, 0, &mut unknown, out);
        say_unknown(&file.name, &unknown, out);
    }
}

/// Reads the lines of a file, or of a piece of it that `before` lines stand before.
pub(crate) fn read_lines(
    file: &File<'_>,
    before: usize,
    unknown: &mut BTreeSet<String>,
    out: &mut Collector<'_>,
) {
    for (number, line) in file.lines() {
        let place = format!("line {}", before + number);
        if file.marker.is_some_and(|marker| line.contains(marker)) {
            out.refuse(file, &place, Reason::InvalidUtf8, "the line holds bytes that are not UTF-8");
            continue;
        }
        let Some(piece) = json::parse(file, place.clone(), line, out) else { continue };
        match message(&piece.value, unknown) {
            Ok((opening, words)) => {
                let source = out.open(opening);
                out.store(file, source, &place, words);
            }
            Err((reason, detail)) => out.refuse(file, &place, reason, &detail),
        }
    }
}

/// Names the fields that were not read.
pub(crate) fn say_unknown(name: &str, unknown: &BTreeSet<String>, out: &mut Collector<'_>) {
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
        out.notice(format!("`{name}` has fields that were not read: {}", names.join(", ")));
    }
}

type Failure = (Reason, String);

fn message<'v>(value: &'v Value, unknown: &mut BTreeSet<String>) -> Result<(Opening<'v>, Words), Failure> {
    let Value::Object(line) = value else { return Err(wrong("the line", "an object")) };
    unknown.extend(line.keys().filter(|key| !FIELDS.contains(&key.as_str())).take(20).cloned());
    let source = match line.get("source") {
        Some(Value::Object(source)) => source,
        _ => return Err(wrong("source", "an object with `kind` and `ref`")),
    };
    let kind = required(source, "kind", "source.kind")?;
    let reference = required(source, "ref", "source.ref")?.to_owned();
    let fidelity = match optional(source, "fidelity", "source.fidelity")? {
        None => Fidelity::VisibleTranscript,
        Some(word) => Fidelity::from_word(word)
            .ok_or_else(|| (Reason::WrongShape, format!("`source.fidelity` is `{word}`, not a fidelity")))?,
    };
    let title = optional(source, "title", "source.title")?.map(str::to_owned);
    let author = required(line, "author", "author")?;
    let author = Author::from_word(author).ok_or_else(|| {
        let detail = format!("`author` is `{author}`, not owner, assistant, service or external");
        (Reason::UnknownAuthor, detail)
    })?;
    let written_time = optional(line, "event_time", "event_time")?;
    let event_time = match written_time {
        None => None,
        Some(text) => Some(instant::strict(text).ok_or_else(|| {
            (Reason::BadTime, format!("`event_time` is `{text}`, not RFC 3339 with an offset or a `[Zone]`"))
        })?),
    };
    let session = optional(line, "session", "session")?.map(str::to_owned);
    let text = match line.get("text") {
        Some(Value::String(text)) => text.clone(),
        _ => return Err(wrong("text", "a string")),
    };
    let proposals = match line.get("proposals") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(proposals)) => proposals.clone(),
        Some(_) => return Err(wrong("proposals", "a list")),
    };
    let given = optional(line, "external_id", "external_id")?.map(str::to_owned);
    let fields = [session.as_deref().unwrap_or(""), author.as_str(), written_time.unwrap_or(""), &text];
    let id = Id::given_or(given, &fields);
    let mut words = Words::new(author, event_time, text, id);
    words.author_name = optional(line, "author_name", "author_name")?.map(str::to_owned);
    words.attachments = attachments(line)?;
    words.session = session;
    words.proposals = proposals;
    Ok((Opening { kind, reference, title, fidelity, shape: Shape::Conversation }, words))
}

fn attachments(line: &Map<String, Value>) -> Result<Vec<Attachment>, Failure> {
    let entries = match line.get("attachments") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(wrong("attachments", "a list")),
    };
    entries
        .iter()
        .map(|entry| {
            Ok(Attachment {
                name: json::text(entry, "name")
                    .ok_or_else(|| wrong("attachments[].name", "a string"))?
                    .to_owned(),
                media_type: json::text(entry, "media_type").map(str::to_owned),
                size: entry.get("size").and_then(Value::as_u64),
            })
        })
        .collect()
}

fn required<'v>(object: &'v Map<String, Value>, key: &str, shown: &str) -> Result<&'v str, Failure> {
    match object.get(key) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text),
        _ => Err(wrong(shown, "a string that is not empty")),
    }
}

/// Absent and `null` mean the same; an empty string is an error, as it is never what was meant.
fn optional<'v>(object: &'v Map<String, Value>, key: &str, shown: &str) -> Result<Option<&'v str>, Failure> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text)),
        Some(_) => Err(wrong(shown, "a string that is not empty")),
    }
}

fn wrong(field: &str, expected: &str) -> Failure {
    (Reason::WrongShape, format!("`{field}` must be {expected}"))
}
