//! RealMem: a person's sessions with an assistant over months; each query needs sessions before it.
//!
//! The memory grows as it would in life: a query is asked when its session begins, with everything before that session
//! observed and nothing of it. Found is judged by session (`memory_session_uuids`) and by turn: each `memory_used` stands
//! word for word among the extracted memories of its session, which name the turn they come from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, Result, bail};
use ledger::evidence::Author;
use ledger::time::Instant;
use serde::Deserialize;

use crate::compare::{Level, Setting, USUAL, View, compare, report};
use crate::data::{files, folder};
use crate::report::Report;
use crate::retrieval::{Half, Passage, Question, Sort, Step, Timeline};
use crate::searcher::PlainBm25;

#[derive(Deserialize)]
struct Persona {
    dialogues: Vec<Session>,
}

#[derive(Deserialize)]
struct Session {
    session_uuid: String,
    current_time: String,
    dialogue_turns: Vec<Turn>,
    #[serde(default)]
    extracted_memory: Vec<Memory>,
}

#[derive(Deserialize)]
struct Turn {
    speaker: String,
    content: String,
    #[serde(default)]
    is_query: bool,
    #[serde(default)]
    query_id: Option<String>,
    #[serde(default)]
    category_name: Option<String>,
    #[serde(default)]
    memory_used: Vec<MemoryUsed>,
    #[serde(default)]
    memory_session_uuids: Vec<String>,
}

#[derive(Deserialize)]
struct Memory {
    content: String,
    /// The turn it was drawn from, from 1; -1 where nobody knows.
    #[serde(default)]
    source_turn: Option<i64>,
}

#[derive(Deserialize)]
struct MemoryUsed {
    session_uuid: String,
    content: String,
}

/// A persona as a timeline, with what could not be used.
pub struct Read {
    /// The timeline.
    pub timeline: Timeline,
    /// Labels that name the query's own session, a later one, or none that exists.
    pub labels_left_out: usize,
    /// Memories used whose turn is not told.
    pub turns_unknown: usize,
}

/// The vendored personas.
///
/// # Errors
/// When a file is missing or not as described in `SOURCE.md`.
pub fn timelines() -> Result<Vec<Read>> {
    let mut all = Vec::new();
    for path in files(&folder().join("realmem"))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
        let name = name.split("_dialogues").next().unwrap_or(&name);
        all.push(read(&text, name).with_context(|| format!("`{}`", path.display()))?);
    }
    Ok(all)
}

/// A persona from its file's text.
///
/// # Errors
/// When it is not as described in `SOURCE.md`.
pub fn read(text: &str, name: &str) -> Result<Read> {
    let persona: Persona = serde_json::from_str(text)?;
    let queries: usize = persona
        .dialogues
        .iter()
        .flat_map(|session| &session.dialogue_turns)
        .filter(|turn| turn.is_query)
        .count();
    // The turn of every extracted memory, session by session, of the sessions gone by.
    let mut memories: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let (mut steps, mut asked) = (Vec::new(), 0);
    let (mut labels_left_out, mut turns_unknown) = (0, 0);
    for session in persona.dialogues {
        let said = day(&session.current_time)?;
        for (place, turn) in session.dialogue_turns.iter().enumerate().filter(|(_, turn)| turn.is_query) {
            let Some(labels) = session.dialogue_turns.get(place + 1) else { continue };
            let known = |uuid: &&String| memories.contains_key(*uuid);
            let sessions: BTreeSet<String> =
                labels.memory_session_uuids.iter().filter(known).cloned().collect();
            labels_left_out += labels.memory_session_uuids.iter().filter(|uuid| !known(uuid)).count();
            let mut evidence = BTreeSet::new();
            for used in labels.memory_used.iter().filter(|used| memories.contains_key(&used.session_uuid)) {
                match memories.get(&used.session_uuid).and_then(|known| known.get(used.content.trim())) {
                    Some(turn) => _ = evidence.insert(id(&used.session_uuid, *turn)),
                    None => turns_unknown += 1,
                }
            }
            steps.push(Step::Ask(Question {
                id: turn.query_id.clone().unwrap_or_else(|| format!("query {asked}")),
                kind: turn.category_name.clone().unwrap_or_else(|| "unnamed".to_owned()),
                text: turn.content.clone(),
                asked_at: Some(said),
                evidence,
                sessions,
                half: if asked * 2 < queries { Half::A } else { Half::B },
                ..Question::default()
            }));
            asked += 1;
        }
        let mut passages = Vec::with_capacity(session.dialogue_turns.len());
        for (place, turn) in session.dialogue_turns.into_iter().enumerate() {
            let author = match turn.speaker.as_str() {
                "User" => Author::Owner,
                "Assistant" => Author::Assistant,
                speaker => bail!("session `{}`: speaker `{speaker}`", session.session_uuid),
            };
            passages.push(Passage {
                id: id(&session.session_uuid, place + 1),
                session: session.session_uuid.clone(),
                author,
                speaker: None,
                said: Some(said),
                text: turn.content,
            });
        }
        let turns = passages.len();
        passages.retain(|passage| !passage.text.trim().is_empty());
        let places = session.extracted_memory.into_iter().filter_map(|memory| {
            let turn = usize::try_from(memory.source_turn?).ok().filter(|turn| (1..=turns).contains(turn))?;
            Some((memory.content.trim().to_owned(), turn))
        });
        memories.insert(session.session_uuid, places.collect());
        steps.push(Step::Say(passages));
    }
    let timeline = Timeline { name: format!("realmem {name}"), sort: Sort::Conversation, steps };
    Ok(Read { timeline, labels_left_out, turns_unknown })
}

/// A turn of a session, counted from 1.
fn id(session: &str, turn: usize) -> String {
    format!("{session}#{turn}")
}

/// `2025-12-27 (Saturday)`, the start of that day.
fn day(text: &str) -> Result<Instant> {
    let date: jiff::civil::Date =
        text.split(' ').next().unwrap_or(text).parse().with_context(|| format!("date `{text}`"))?;
    Ok(date.to_zoned_datetime(jiff::tz::TimeZone::UTC)?.timestamp().into())
}

/// Runs the instrument.
///
/// # Errors
/// When the data cannot be read, or as the systems.
pub fn run(setting: &Setting) -> Result<Report> {
    let read = timelines()?;
    let labels: usize = read.iter().map(|read| read.labels_left_out).sum();
    let turns: usize = read.iter().map(|read| read.turns_unknown).sum();
    let timelines: Vec<Timeline> = read.into_iter().map(|read| read.timeline).collect();
    let runs = compare(setting, &timelines, vec![Box::new(PlainBm25::over_sessions())])?;
    let session = View { name: "session", level: Level::Session, metrics: USUAL };
    let turn = View { name: "turn", level: Level::Passage, metrics: USUAL };
    let mut report = report(
        "RealMem: which earlier sessions a query needs",
        "bench realmem",
        setting,
        &runs,
        &[session, turn],
    )?;
    report.notes.push(format!(
        "One persona, so the intervals say nothing about other people. {labels} labels name no earlier session and are left out; \
         {turns} memories used have no known turn. Halves are the earlier and the later queries."
    ));
    report.notes.push(
        "Sessions stand where their best turn stands among the first hundred turns; `bm25 over sessions` ranks whole sessions, and \
         by turn it can only name a session's first."
            .to_owned(),
    );
    Ok(report)
}
