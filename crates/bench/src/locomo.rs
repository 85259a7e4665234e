//! LoCoMo, from a file the caller has: which turns of two people's conversations answer a question.
//!
//! Reads `locomo10.json` as its authors publish it (snap-research/locomo, CC BY-NC 4.0, so it is not in this repository): a list
//! of samples; in `conversation`, `session_N` is a list of turns with `speaker`, `dia_id` and `text`, and
//! `session_N_date_time` says when; `qa` has questions with `evidence`, a list of `dia_id`, and a `category`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use ledger::evidence::Author;
use ledger::time::Instant;
use serde_json::Value as Json;

use crate::compare::{Level, Setting, USUAL, View, compare, report};
use crate::report::Report;
use crate::retrieval::{Half, Passage, Question, Sort, Step, Timeline};

/// The largest file read, in bytes.
pub const FILE_BYTES_MAX: u64 = 256 << 20;

/// Timelines with how many labels name no turn.
#[derive(Default)]
pub struct Read {
    /// The conversations.
    pub timelines: Vec<Timeline>,
    /// Labels that name no turn.
    pub labels_unknown: usize,
    /// Turns without words.
    pub turns_empty: usize,
}

/// Reads a file, not longer than [`FILE_BYTES_MAX`].
///
/// # Errors
/// When it cannot be read or is no JSON.
pub(crate) fn json(path: &Path) -> Result<Json> {
    let name = || format!("`{}`", path.display());
    let bytes = fs::metadata(path).with_context(name)?.len();
    ensure!(bytes <= FILE_BYTES_MAX, "{} has {bytes} bytes; {FILE_BYTES_MAX} are read", name());
    serde_json::from_str(&fs::read_to_string(path).with_context(name)?).with_context(name)
}

/// The conversations of the file at `path`.
///
/// # Errors
/// When it cannot be read or is not as described above.
pub fn read_file(path: &Path) -> Result<Read> {
    read(&json(path)?)
}

/// The conversations of the file's JSON.
///
/// # Errors
/// When it is not as described above.
pub fn read(samples: &Json) -> Result<Read> {
    let mut read = Read::default();
    let samples = samples.as_array().context("not a list of samples")?;
    for (number, sample) in samples.iter().enumerate() {
        let name = sample["sample_id"].as_str().map_or_else(|| format!("sample {number}"), str::to_owned);
        let conversation = &sample["conversation"];
        let owner = conversation["speaker_a"].as_str().with_context(|| format!("{name}: no `speaker_a`"))?;
        let told = |turn: &Json| {
            let text = turn["text"].as_str().unwrap_or_default().trim();
            // What a shared picture shows is part of what was said.
            match turn["blip_caption"].as_str() {
                Some(caption) if text.is_empty() => format!("(shares a picture: {caption})"),
                Some(caption) => format!("{text} (shares a picture: {caption})"),
                None => text.to_owned(),
            }
        };
        let place = Place { name: &name, half: Half::of(number) };
        let timeline =
            dialogue(conversation, &sample["qa"], owner, place, &Shape { told: &told, moment }, &mut read)?;
        read.timelines.push(timeline);
    }
    Ok(read)
}

/// Which conversation of a data set.
#[derive(Clone, Copy)]
pub(crate) struct Place<'name> {
    pub(crate) name: &'name str,
    pub(crate) half: Half,
}

/// Where the two data sets of this shape differ.
pub(crate) struct Shape<'shape> {
    /// The words of a turn.
    pub(crate) told: &'shape dyn Fn(&Json) -> String,
    /// A moment as it is written.
    pub(crate) moment: fn(&str) -> Result<Instant>,
}

/// Sessions `session_1`, `session_2`… and the questions about them.
pub(crate) fn dialogue(
    sessions: &Json,
    questions: &Json,
    owner: &str,
    place: Place<'_>,
    shape: &Shape<'_>,
    read: &mut Read,
) -> Result<Timeline> {
    let name = place.name;
    let mut steps = Vec::new();
    let mut known = BTreeSet::new();
    let mut numbers: Vec<u32> = sessions
        .as_object()
        .with_context(|| format!("{name}: no sessions"))?
        .keys()
        .filter_map(|key| key.strip_prefix("session_")?.parse().ok())
        .collect();
    numbers.sort_unstable();
    ensure!(!numbers.is_empty(), "{name}: no `session_N`");
    for number in numbers {
        let date = sessions[format!("session_{number}_date_time")].as_str();
        let began =
            date.map(shape.moment).transpose().with_context(|| format!("{name}, session {number}"))?;
        let turns = sessions[format!("session_{number}")].as_array();
        let mut passages = Vec::new();
        for turn in turns.with_context(|| format!("{name}: session {number} is no list"))? {
            let id =
                turn["dia_id"].as_str().with_context(|| format!("{name}, session {number}: no `dia_id`"))?;
            let speaker = turn["speaker"].as_str().unwrap_or_default();
            let text = (shape.told)(turn);
            if text.is_empty() {
                read.turns_empty += 1;
                continue;
            }
            let own = turn["date_time"].as_str().and_then(|text| (shape.moment)(text).ok());
            known.insert(id.to_owned());
            passages.push(Passage {
                id: id.to_owned(),
                session: number.to_string(),
                author: if speaker == owner { Author::Owner } else { Author::External },
                speaker: Some(speaker.to_owned()),
                said: own.or(began),
                text,
            });
        }
        steps.push(Step::Say(passages));
    }
    for (number, asked) in questions.as_array().into_iter().flatten().enumerate() {
        let Some(text) = asked["question"].as_str() else { continue };
        let category = &asked["category"];
        let category = category.as_str().map_or_else(|| category.to_string(), str::to_owned);
        let mut evidence = BTreeSet::new();
        for label in asked["evidence"].as_array().into_iter().flatten().filter_map(Json::as_str) {
            // Some lists stand in one string, and some numbers have a leading zero.
            for id in label.split([' ', ',', ';']).filter(|id| !id.is_empty()) {
                match turn(id).filter(|id| known.contains(id)) {
                    Some(id) => _ = evidence.insert(id),
                    None => read.labels_unknown += 1,
                }
            }
        }
        let sessions = evidence
            .iter()
            .filter_map(|id| Some(id.strip_prefix('D')?.split(':').next()?.to_owned()))
            .collect();
        steps.push(Step::Ask(Question {
            id: format!("{name}/{number}"),
            kind: format!("category {category}"),
            text: text.to_owned(),
            unanswerable: category == "5" && asked["adversarial_answer"].is_string(),
            // An adversarial question's label is where its wrong answer comes from.
            evidence: if category == "5" { BTreeSet::new() } else { evidence },
            sessions: if category == "5" { BTreeSet::new() } else { sessions },
            half: place.half,
            ..Question::default()
        }));
    }
    Ok(Timeline { name: name.to_owned(), sort: Sort::Conversation, steps })
}

/// `D3:7` in its plain form.
fn turn(label: &str) -> Option<String> {
    let (session, turn) = label.strip_prefix('D')?.split_once(':')?;
    Some(format!("D{}:{}", session.parse::<u32>().ok()?, turn.parse::<u32>().ok()?))
}

/// `1:56 pm on 8 May, 2023`, in UTC.
fn moment(text: &str) -> Result<Instant> {
    let time = jiff::civil::DateTime::strptime("%I:%M %p on %d %B, %Y", text);
    let time = time.with_context(|| format!("date `{text}`"))?;
    Ok(time.to_zoned_datetime(jiff::tz::TimeZone::UTC)?.timestamp().into())
}

/// Runs the instrument on the file at `path`.
///
/// # Errors
/// When the file cannot be read, or as the systems.
pub fn run(setting: &Setting, path: &Path) -> Result<Report> {
    let read = read_file(path)?;
    let runs = compare(setting, &read.timelines, Vec::new())?;
    let view = View { name: "turn", level: Level::Passage, metrics: USUAL };
    let mut report =
        report("LoCoMo: which turns answer a question", "bench locomo --path FILE", setting, &runs, &[view])?;
    report.notes.push(format!(
        "{} conversations. {} labels name no turn and are left out; {} turns have no words. Categories as the file numbers them: \
         1 several turns, 2 time, 3 open, 4 single turn, 5 adversarial (has no evidence; counted as unanswerable).",
        read.timelines.len(),
        read.labels_unknown,
        read.turns_empty
    ));
    Ok(report)
}
