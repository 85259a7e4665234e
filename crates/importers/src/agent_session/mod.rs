//! Session files of coding agents, each tool's own on-disk form.
//!
//! A log of an agent at work is mostly not dialogue: prompts the tool wrote, calls, results, reasoning, usage. What a
//! person or the model said to the other is kept, as `hybrid_record`; the rest is refused as `control_plane`, one
//! record at a time, or cut from a message that also holds words. The role `user` is the owner, with one exception
//! that matters: what a tool hands to a *subagent* also has the role `user`, and was written by a model. The tool is
//! recognised by the shape of its records; a file's name only helps where shapes are the same.

mod antigravity;
mod claude_code;
mod cline;
mod codex;
mod control;
mod gemini;
mod goose;
mod grok;
mod hermes;
mod kimi;
mod pi;
mod sqlite_dump;

use serde_json::Value;

use crate::{
    Author, Reason,
    collect::{Collector, Id, SourceIndex, Words},
    decode::File,
    json::{self, Piece},
};

/// How a file's records are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// A JSON value a line.
    Lines,
    /// One JSON value.
    Value,
    /// One JSON array, each element a record.
    Array,
}

/// What a tool is recognised by.
struct Probe<'a> {
    /// Up to twenty of its first records.
    values: &'a [&'a Value],
    layout: Layout,
}

/// One file, parsed.
struct Session<'a, 'f> {
    file: &'a File<'f>,
    pieces: Vec<Piece>,
}

/// One tool's files.
struct Family {
    recognises: fn(&Probe<'_>) -> bool,
    read: fn(&Session<'_, '_>, &mut Collector<'_>),
}

/// In this order: the more particular shape first.
const FAMILIES: &[Family] = &[
    Family { recognises: is_index, read: refuse_index },
    Family { recognises: is_tracker, read: refuse_tracker },
    Family { recognises: hermes::recognises, read: hermes::read },
    Family { recognises: gemini::recognises, read: gemini::read },
    Family { recognises: kimi::recognises, read: kimi::read },
    Family { recognises: grok::recognises, read: grok::read },
    Family { recognises: antigravity::recognises, read: antigravity::read },
    Family { recognises: pi::recognises, read: pi::read },
    Family { recognises: codex::recognises, read: codex::read },
    Family { recognises: claude_code::recognises, read: claude_code::read },
    Family { recognises: goose::recognises, read: goose::read },
    Family { recognises: cline::recognises, read: cline::read },
];

pub(crate) fn recognises_lines(values: &[Value]) -> bool {
    let values: Vec<&Value> = values.iter().collect();
    family(&Probe { values: &values, layout: Layout::Lines }).is_some()
}

pub(crate) fn recognises_value(value: &Value, in_array: bool) -> bool {
    let layout = if in_array { Layout::Array } else { Layout::Value };
    family(&Probe { values: &[value], layout }).is_some()
}

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    for file in files {
        let lower = file.name.to_lowercase();
        if lower.ends_with(".sql") {
            sqlite_dump::read(file, out);
            continue;
        }
        let (layout, pieces) = parse(file, &lower, out);
        let values: Vec<&Value> = pieces.iter().take(20).map(|piece| &piece.value).collect();
        match family(&Probe { values: &values, layout }) {
            Some(family) => (family.read)(&Session { file, pieces }, out),
            None => {
                for piece in pieces {
                    out.refuse(file, &piece.place, Reason::NotThisFormat, "not a record of a known agent");
                }
            }
        }
    }
}

fn family(probe: &Probe<'_>) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| (family.recognises)(probe))
}

fn parse(file: &File<'_>, lower: &str, out: &mut Collector<'_>) -> (Layout, Vec<Piece>) {
    let text = file.text.trim_start();
    if text.starts_with('[') {
        return (Layout::Array, json::pieces(file, out));
    }
    let by_name = lower.ends_with(".jsonl") || lower.ends_with(".ndjson");
    if !by_name && (lower.ends_with(".json") || json::first(text).is_some()) {
        return (Layout::Value, json::pieces(file, out));
    }
    let mut pieces = Vec::new();
    for (number, line) in file.lines() {
        pieces.extend(json::parse(file, format!("line {number}"), line, out));
    }
    (Layout::Lines, pieces)
}

impl Probe<'_> {
    fn any(&self, layout: Layout, test: impl Fn(&Value) -> bool) -> bool {
        self.layout == layout && self.values.iter().any(|value| test(value))
    }
}

/// Files that list or describe sessions kept elsewhere.
fn is_index(probe: &Probe<'_>) -> bool {
    let has = |value: &Value, keys: &[&str]| keys.iter().all(|key| value.get(*key).is_some());
    let sessions = |value: &Value| {
        value.as_object().is_some_and(|entries| {
            !entries.is_empty() && entries.values().all(|entry| has(entry, &["sessionId", "sessionFile"]))
        })
    };
    probe.any(Layout::Value, |value| {
        has(value, &["info", "session_summary"])
            || has(value, &["workDir", "agents"])
            || has(value, &["session_id", "messages_path"])
            || sessions(value)
    }) || probe.any(Layout::Array, |value| has(value, &["id", "ts", "task"]))
}

fn refuse_index(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    for piece in &session.pieces {
        out.refuse(session.file, &piece.place, Reason::Metadata, "describes sessions, holds no message");
    }
}

fn is_tracker(probe: &Probe<'_>) -> bool {
    probe.any(Layout::Lines, |value| value.get("issue_id").is_some() && value.get("actor").is_some())
}

fn refuse_tracker(session: &Session<'_, '_>, out: &mut Collector<'_>) {
    for piece in &session.pieces {
        out.refuse(session.file, &piece.place, Reason::NotDialogue, "an issue tracker's record");
    }
}

/// One message of any tool, once its fields are found.
struct Turn<'v> {
    role: Role,
    /// Text as written, before control text is cut.
    text: String,
    /// Blocks beside the text that are no dialogue.
    blocks_cut: u64,
    time: Option<&'v Value>,
    id: Option<String>,
    session: Option<String>,
    model: Option<&'v str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Person,
    Model,
    /// A model speaking as the user of a subagent.
    ModelAsPerson,
}

impl Role {
    /// Reads `user`, `human`, `assistant`, `model` and their like; a role of the machinery is `None`.
    fn from_word(word: &str, subagent: bool) -> Option<Self> {
        match word {
            "user" | "human" if subagent => Some(Self::ModelAsPerson),
            "user" | "human" => Some(Self::Person),
            "assistant" | "model" | "gemini" | "agent" => Some(Self::Model),
            _ => None,
        }
    }
}

/// Cuts control text and stores what is left, or refuses the record where nothing is.
fn store(file: &File<'_>, source: SourceIndex, place: &str, turn: Turn<'_>, out: &mut Collector<'_>) {
    let (text, tags_cut) = match turn.role {
        Role::Model => (turn.text, 0),
        Role::Person | Role::ModelAsPerson => control::dialogue(&turn.text),
    };
    let author = match turn.role {
        Role::Person => Author::Owner,
        Role::Model | Role::ModelAsPerson => Author::Assistant,
    };
    let written = turn.time.map(Value::to_string).unwrap_or_default();
    let id =
        Id::given_or(turn.id, &[turn.session.as_deref().unwrap_or(""), &written, author.as_str(), &text]);
    let mut words = Words::new(author, out.time(turn.time), text, id);
    words.author_name = turn.model.map(str::to_owned);
    words.session = turn.session;
    words.parts_cut = turn.blocks_cut + tags_cut;
    out.store(file, source, place, words);
}

/// The words of a `content` field: a string, or blocks of which those of the given types (or of none) hold text.
/// Answers the text and the number of blocks without words.
fn content(value: Option<&Value>, text_types: &[&str]) -> (String, u64) {
    match value {
        Some(Value::String(text)) => (text.clone(), 0),
        Some(Value::Array(blocks)) => {
            let words = |block: &Value| match block {
                Value::String(text) => Some(text.clone()),
                _ => {
                    let kind = block.get("type").and_then(Value::as_str);
                    let thought = block.get("thought") == Some(&Value::Bool(true));
                    let speaks = !thought && kind.is_none_or(|kind| text_types.contains(&kind));
                    json::text(block, "text").filter(|_| speaks).map(str::to_owned)
                }
            };
            let texts: Vec<String> = blocks.iter().filter_map(words).collect();
            (texts.join("\n\n"), (blocks.len() - texts.len()) as u64)
        }
        _ => (String::new(), 0),
    }
}

/// A file a tool wrote for a subagent, by the convention of its name (`agent-1f3c.jsonl`). A wrong guess here keeps
/// words out of the owner's realm, never lets them in.
fn is_subagent_name(file: &File<'_>) -> bool {
    file.stem().split(['-', '_', '.']).any(|part| matches!(part, "agent" | "subagent" | "sidechain"))
}
