//! REALTALK, from files the caller has: which messages of real people's chats answer a question.
//!
//! Reads the chats as their authors publish them (danny911kr/REALTALK; not in this repository): one JSON object a chat;
//! `name` has `speaker_1` and `speaker_2`, `session_N` is a list of messages with `clean_text`, `speaker`, `date_time` and `dia_id`,
//! `qa` has questions with `evidence` and `category`. The path is one such file or a folder of them.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use ledger::time::Instant;
use serde_json::Value as Json;

use crate::compare::{Level, Setting, USUAL, View, compare, report};
use crate::data::files;
use crate::locomo::{Place, Read, Shape, dialogue, json};
use crate::report::Report;
use crate::retrieval::Half;

/// The chats at `path`.
///
/// # Errors
/// When a file cannot be read or is not as described above.
pub fn read(path: &Path) -> Result<Read> {
    let mut paths = if path.is_dir() { files(path)? } else { vec![path.to_owned()] };
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    ensure!(!paths.is_empty(), "no `.json` file at `{}`", path.display());
    let mut read = Read::default();
    for (number, path) in paths.iter().enumerate() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let chat = json(path)?;
        let owner = chat["name"]["speaker_1"].as_str().with_context(|| format!("{name}: no `speaker_1`"))?;
        let told = |message: &Json| {
            let text = message["clean_text"].as_str().or_else(|| message["text"].as_str());
            text.unwrap_or_default().trim().to_owned()
        };
        let place = Place { name: &name, half: Half::of(number) };
        let timeline = dialogue(&chat, &chat["qa"], owner, place, &Shape { told: &told, moment }, &mut read)?;
        read.timelines.push(timeline);
    }
    Ok(read)
}

/// `29.12.2023, 00:51:12`, in UTC.
fn moment(text: &str) -> Result<Instant> {
    let time = jiff::civil::DateTime::strptime("%d.%m.%Y, %H:%M:%S", text);
    let time = time.with_context(|| format!("date `{text}`"))?;
    Ok(time.to_zoned_datetime(jiff::tz::TimeZone::UTC)?.timestamp().into())
}

/// Runs the instrument on the chats at `path`.
///
/// # Errors
/// When a file cannot be read, or as the systems.
pub fn run(setting: &Setting, path: &Path) -> Result<Report> {
    let read = read(path)?;
    let runs = compare(setting, &read.timelines, Vec::new())?;
    let view = View { name: "message", level: Level::Passage, metrics: USUAL };
    let mut report = report(
        "REALTALK: which messages answer a question",
        "bench realtalk --path PATH",
        setting,
        &runs,
        &[view],
    )?;
    report.notes.push(format!(
        "{} chats. {} labels name no message with words and are left out; {} messages have no words. Categories as the files number \
         them: 1 several messages, 2 time, 3 common sense.",
        read.timelines.len(),
        read.labels_unknown,
        read.turns_empty
    ));
    Ok(report)
}
