//! BEAM: what long chats with an assistant hold of the answer to a question about them, message by message.
//!
//! Each chat is a memory of its own. Its messages are observed in order, dated by the time anchors carried forward, a
//! batch a session; then its probing questions are asked. Evidence are the messages of `source_chat_ids`. Three kinds are
//! left out, because they ask for a manner (`instruction_following`), an order of everything (`event_ordering`) or a
//! summary, and no ten messages answer those. `abstention` has no evidence and is only looked at for silence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use ledger::evidence::Author;
use ledger::time::Instant;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::compare::{Level, Setting, USUAL, View, compare, report};
use crate::data::{QUESTIONS, folder};
use crate::report::Report;
use crate::retrieval::{Half, Passage, Question, Sort, Step, Timeline};

/// The kinds that are not asked.
pub const LEFT_OUT: &[&str] = &["instruction_following", "event_ordering", "summarization"];

#[derive(Deserialize)]
struct Batch {
    batch_number: u64,
    turns: Vec<Vec<Message>>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    id: u64,
    content: String,
    #[serde(default)]
    time_anchor: Option<String>,
}

/// The vendored chats with their questions.
///
/// # Errors
/// When a file is missing or not as described in `SOURCE.md`.
pub fn timelines() -> Result<Vec<Timeline>> {
    let root = folder().join("beam-100k");
    let mut chats: Vec<String> = Vec::new();
    for entry in fs::read_dir(&root).with_context(|| format!("`{}`", root.display()))? {
        let entry = entry?;
        if entry.path().is_dir() {
            chats.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    chats.sort();
    chats.iter().enumerate().map(|(place, chat)| read(&root.join(chat), chat, Half::of(place))).collect()
}

/// The chat in `folder`.
///
/// # Errors
/// As [`timelines`].
pub fn read(folder: &Path, chat: &str, half: Half) -> Result<Timeline> {
    let text = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))
    };
    let batches: Vec<Batch> =
        serde_json::from_str(&text("chat.json")?).with_context(|| format!("chat {chat}"))?;
    let mut steps = Vec::new();
    let mut said: Option<Instant> = None;
    for batch in batches {
        let mut passages = Vec::new();
        for message in batch.turns.into_iter().flatten() {
            if let Some(anchor) = &message.time_anchor {
                said = Some(day(anchor).with_context(|| format!("chat {chat}, message {}", message.id))?);
            }
            let author = match message.role.as_str() {
                "user" => Author::Owner,
                "assistant" => Author::Assistant,
                role => bail!("chat {chat}, message {}: role `{role}`", message.id),
            };
            passages.push(Passage {
                id: message.id.to_string(),
                session: batch.batch_number.to_string(),
                author,
                speaker: None,
                said,
                text: message.content,
            });
        }
        steps.push(Step::Say(passages));
    }
    let questions: BTreeMap<String, Vec<Json>> = serde_json::from_str(&text(QUESTIONS)?)?;
    for (kind, asked) in questions {
        if LEFT_OUT.contains(&kind.as_str()) {
            continue;
        }
        for (number, question) in asked.iter().enumerate() {
            let words = question["question"].as_str();
            let words = words.with_context(|| format!("chat {chat}, {kind} {number}: no question"))?;
            let mut evidence = BTreeSet::new();
            numbers(&question["source_chat_ids"], &mut evidence);
            steps.push(Step::Ask(Question {
                id: format!("{chat}/{kind}/{number}"),
                kind: kind.clone(),
                text: words.to_owned(),
                unanswerable: kind == "abstention",
                evidence,
                half,
                ..Question::default()
            }));
        }
    }
    Ok(Timeline { name: format!("beam {chat}"), sort: Sort::Conversation, steps })
}

/// `March-15-2024`, the start of that day.
fn day(anchor: &str) -> Result<Instant> {
    let date = jiff::civil::Date::strptime("%B-%d-%Y", anchor)?;
    Ok(date.to_zoned_datetime(jiff::tz::TimeZone::UTC)?.timestamp().into())
}

/// Every number inside a value: the ids stand in a list, or in an object of lists.
fn numbers(value: &Json, found: &mut BTreeSet<String>) {
    match value {
        Json::Number(number) => {
            found.insert(number.to_string());
        }
        Json::Array(items) => items.iter().for_each(|item| numbers(item, found)),
        Json::Object(fields) => fields.values().for_each(|field| numbers(field, found)),
        Json::Null | Json::Bool(_) | Json::String(_) => {}
    }
}

/// Runs the instrument.
///
/// # Errors
/// When the data cannot be read, or as the systems.
pub fn run(setting: &Setting) -> Result<Report> {
    let timelines = timelines()?;
    let runs = compare(setting, &timelines, Vec::new())?;
    let view = View { name: "message", level: Level::Passage, metrics: USUAL };
    let mut report = report(
        "BEAM: which messages answer a question about a long chat",
        "bench beam",
        setting,
        &runs,
        &[view],
    )?;
    report.notes.push(
        "13 chats of the 128K tier, each a memory of its own. MRR looks at the first hundred places, the rest at ten. A question \
         with more than ten pieces of evidence cannot reach recall 1."
            .to_owned(),
    );
    Ok(report)
}
