//! LongMemEval, the pieces of it that can be had: which session, and which turn, holds the answer.
//!
//! One complete instance, one with its evidence sessions only, and twenty whose sessions are cut to the user's first 500
//! characters. Twenty-two questions prove nothing: this instrument shows that the protocol runs and catches what breaks.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context as _, Result, bail};
use ledger::evidence::Author;
use ledger::time::Instant;
use serde::Deserialize;

use crate::compare::{Level, Setting, View, compare, report};
use crate::data::folder;
use crate::report::Report;
use crate::retrieval::{Half, Passage, Question, Sort, Step, Timeline};
use crate::score::Metric;
use crate::searcher::PlainBm25;

#[derive(Deserialize)]
struct Instance {
    question_id: String,
    question_type: String,
    question: String,
    question_date: String,
    answer_session_ids: Vec<String>,
    haystack_dates: Vec<String>,
    haystack_session_ids: Vec<String>,
    haystack_sessions: Vec<Vec<Turn>>,
}

#[derive(Deserialize)]
struct Turn {
    role: String,
    content: String,
    #[serde(default)]
    has_answer: bool,
}

#[derive(Deserialize)]
struct Ranked {
    question_id: String,
    question_type: String,
    question: String,
    retrieval_results: Results,
}

#[derive(Deserialize)]
struct Results {
    ranked_items: Vec<RankedItem>,
}

#[derive(Deserialize)]
struct RankedItem {
    corpus_id: String,
    text: String,
    timestamp: String,
}

/// The vendored instances, each a memory of its own.
///
/// # Errors
/// When a file is missing or not as described in `SOURCE.md`.
pub fn timelines() -> Result<Vec<Timeline>> {
    let read = |name: &str| {
        let path = folder().join("longmemeval-mini").join(name);
        fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))
    };
    let mut timelines = Vec::new();
    for name in ["s_full_e47becba.json", "oracle_gpt4_2655b836.json"] {
        let text = read(name)?;
        let instances: Vec<Instance> = match text.trim_start().starts_with('[') {
            true => serde_json::from_str(&text),
            false => serde_json::from_str(&text).map(|one| vec![one]),
        }
        .with_context(|| name.to_owned())?;
        for instance in instances {
            timelines.push(whole(instance)?);
        }
    }
    for (number, line) in read("mempalace_20q_sessions_cut500.jsonl")?.lines().enumerate() {
        let ranked: Ranked = serde_json::from_str(line).with_context(|| format!("line {}", number + 1))?;
        timelines.push(cut(ranked, number)?);
    }
    Ok(timelines)
}

fn whole(instance: Instance) -> Result<Timeline> {
    let mut sessions = Vec::new();
    let mut evidence = BTreeSet::new();
    let haystack = instance.haystack_session_ids.into_iter().zip(instance.haystack_dates);
    for ((session, date), turns) in haystack.zip(instance.haystack_sessions) {
        let said = Some(moment(&date)?);
        let mut passages = Vec::with_capacity(turns.len());
        for (place, turn) in turns.into_iter().enumerate().filter(|(_, turn)| !turn.content.trim().is_empty())
        {
            let author = match turn.role.as_str() {
                "user" => Author::Owner,
                "assistant" => Author::Assistant,
                role => bail!("session `{session}`: role `{role}`"),
            };
            let id = format!("{session}#{place}");
            if turn.has_answer {
                evidence.insert(id.clone());
            }
            passages.push(Passage {
                id,
                session: session.clone(),
                author,
                speaker: None,
                said,
                text: turn.content,
            });
        }
        sessions.push(((said, session), passages));
    }
    sessions.sort_by(|left, right| left.0.cmp(&right.0));
    let mut steps: Vec<Step> = sessions.into_iter().map(|(_, passages)| Step::Say(passages)).collect();
    steps.push(Step::Ask(Question {
        id: instance.question_id.clone(),
        kind: instance.question_type,
        text: instance.question,
        asked_at: Some(moment(&instance.question_date)?),
        evidence,
        sessions: instance.answer_session_ids.into_iter().collect(),
        ..Question::default()
    }));
    Ok(Timeline { name: format!("longmemeval {}", instance.question_id), sort: Sort::Conversation, steps })
}

fn cut(ranked: Ranked, number: usize) -> Result<Timeline> {
    let mut items = ranked.retrieval_results.ranked_items;
    // The order given is another system's ranking.
    items
        .sort_by(|left, right| (&left.timestamp, &left.corpus_id).cmp(&(&right.timestamp, &right.corpus_id)));
    let mut steps = Vec::with_capacity(items.len() + 1);
    let mut sessions = BTreeSet::new();
    for item in items.into_iter().filter(|item| !item.text.trim().is_empty()) {
        if item.corpus_id.starts_with("answer_") {
            sessions.insert(item.corpus_id.clone());
        }
        steps.push(Step::Say(vec![Passage {
            id: item.corpus_id.clone(),
            session: item.corpus_id,
            author: Author::Owner,
            speaker: None,
            said: Some(moment(&item.timestamp)?),
            text: item.text,
        }]));
    }
    let id = format!("{} (cut)", ranked.question_id);
    steps.push(Step::Ask(Question {
        id: id.clone(),
        kind: ranked.question_type,
        text: ranked.question,
        sessions,
        half: Half::of(number),
        ..Question::default()
    }));
    Ok(Timeline { name: format!("longmemeval {id}"), sort: Sort::Conversation, steps })
}

/// `2023/05/20 (Sat) 02:21`, in UTC.
fn moment(text: &str) -> Result<Instant> {
    let time = jiff::civil::DateTime::strptime("%Y/%m/%d (%a) %H:%M", text)
        .with_context(|| format!("date `{text}`"))?;
    Ok(time.to_zoned_datetime(jiff::tz::TimeZone::UTC)?.timestamp().into())
}

/// Runs the instrument.
///
/// # Errors
/// When the data cannot be read, or as the systems.
pub fn run(setting: &Setting) -> Result<Report> {
    let runs = compare(setting, &timelines()?, vec![Box::new(PlainBm25::over_sessions())])?;
    let any = [Metric::Any5, Metric::Any10, Metric::Recall10, Metric::Gain10, Metric::Reciprocal];
    let session = View { name: "session", level: Level::Session, metrics: &any };
    let turn = View {
        name: "turn",
        level: Level::Passage,
        metrics: &[Metric::Recall10, Metric::Gain10, Metric::Reciprocal],
    };
    let title = "LongMemEval, 22 questions: which session and which turn hold the answer";
    let mut report = report(title, "bench longmemeval", setting, &runs, &[session, turn])?;
    report.notes.insert(
        0,
        "**Too small to publish a number on**: 22 questions, 20 of them of the easiest kind with sessions cut at 500 characters \
         of the user's words; turn level has two questions. Any@k over 50 sessions is easy for plain lexical search as well."
            .to_owned(),
    );
    Ok(report)
}
