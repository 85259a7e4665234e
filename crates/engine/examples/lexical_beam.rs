//! Ranks the messages of the BEAM chats for their own questions by words alone.
//!
//! `cargo run --release -p engine --example lexical_beam -- DIRECTORY` prints recall, nDCG and MRR over the questions
//! that cite messages, without the kinds that ask for a manner, an order or a summary. Every chat is its own index.
//! Optional further arguments: `k1=0.9`, `phrase=0.3`, `prior=50` set a parameter; `kinds` adds a line for each kind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, bail};
use engine::lexical::index::Parameters;
use engine::lexical::{Field, LexicalIndex, Query};
use serde_json::Value;

const LEFT_OUT: [&str; 3] = ["instruction_following", "event_ordering", "summarization"];

#[derive(Default)]
struct Figures {
    questions: f64,
    recall_5: f64,
    recall_10: f64,
    gain_10: f64,
    reciprocal: f64,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(directory) = arguments.next() else {
        bail!("usage: lexical_beam DIRECTORY [k1=X] [phrase=X] [prior=X] [kinds]");
    };
    let mut parameters = Parameters::default();
    let mut kinds = false;
    for argument in arguments {
        match argument.split_once('=') {
            Some(("k1", value)) => parameters.k1 = value.parse()?,
            Some(("b", value)) => parameters.b = value.parse()?,
            Some(("phrase", value)) => parameters.phrase_bonus = value.parse()?,
            Some(("prior", value)) => parameters.documents_prior = value.parse()?,
            None if argument == "kinds" => kinds = true,
            _ => bail!("unknown argument `{argument}`"),
        }
    }
    let mut chats: Vec<_> = std::fs::read_dir(&directory)?.collect::<Result<Vec<_>, _>>()?;
    chats.sort_by_key(std::fs::DirEntry::path);
    let mut by_kind: BTreeMap<String, Figures> = BTreeMap::new();
    for chat in chats.iter().filter(|chat| chat.path().is_dir()) {
        measure(&chat.path(), parameters, &mut by_kind)?;
    }
    let mut all = Figures::default();
    for (kind, figures) in &by_kind {
        if kinds {
            print(kind, figures);
        }
        all.questions += figures.questions;
        all.recall_5 += figures.recall_5;
        all.recall_10 += figures.recall_10;
        all.gain_10 += figures.gain_10;
        all.reciprocal += figures.reciprocal;
    }
    print("all", &all);
    Ok(())
}

fn print(name: &str, figures: &Figures) {
    let count = figures.questions.max(1.0);
    println!(
        "{name:28} {:4} questions  R@5 {:.3}  R@10 {:.3}  nDCG@10 {:.3}  MRR {:.3}",
        figures.questions,
        figures.recall_5 / count,
        figures.recall_10 / count,
        figures.gain_10 / count,
        figures.reciprocal / count
    );
}

fn measure(
    chat: &Path,
    parameters: Parameters,
    by_kind: &mut BTreeMap<String, Figures>,
) -> anyhow::Result<()> {
    let mut index = LexicalIndex::new(parameters);
    let mut ids: Vec<u64> = Vec::new();
    for batch in read(&chat.join("chat.json"))?.as_array().context("no batches")? {
        for message in
            batch["turns"].as_array().into_iter().flatten().flat_map(|turn| turn.as_array()).flatten()
        {
            let id = message["id"].as_u64().context("message without id")?;
            let text = message["content"].as_str().unwrap_or_default();
            index.add(u32::try_from(ids.len())?, &[(Field::Passage, text)])?;
            ids.push(id);
        }
    }
    let questions = read(&chat.join("probing_questions.json"))?;
    for (kind, asked) in questions.as_object().context("no kinds")? {
        if LEFT_OUT.contains(&kind.as_str()) {
            continue;
        }
        for question in asked.as_array().into_iter().flatten() {
            let mut evidence = BTreeSet::new();
            collect(&question["source_chat_ids"], &mut evidence);
            if evidence.is_empty() {
                continue;
            }
            let text = question["question"].as_str().context("question without text")?;
            let hits = index.search(&Query::new(text), |_| true, 100);
            let found: Vec<bool> = hits.iter().map(|hit| evidence.contains(&ids[hit.id as usize])).collect();
            let figures = by_kind.entry(kind.clone()).or_default();
            let within = |limit: usize| found.iter().take(limit).filter(|hit| **hit).count() as f64;
            let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
            let ideal: f64 = (0..evidence.len().min(10)).map(gain).sum();
            let gained: f64 = found
                .iter()
                .take(10)
                .enumerate()
                .filter(|(_, hit)| **hit)
                .map(|(place, _)| gain(place))
                .sum();
            figures.questions += 1.0;
            figures.recall_5 += within(5) / evidence.len() as f64;
            figures.recall_10 += within(10) / evidence.len() as f64;
            figures.gain_10 += gained / ideal;
            figures.reciprocal +=
                found.iter().position(|hit| *hit).map_or(0.0, |place| 1.0 / (place as f64 + 1.0));
        }
    }
    Ok(())
}

fn collect(value: &Value, evidence: &mut BTreeSet<u64>) {
    match value {
        Value::Number(number) => evidence.extend(number.as_u64()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, evidence)),
        Value::Object(values) => values.values().for_each(|value| collect(value, evidence)),
        _ => {}
    }
}

fn read(path: &Path) -> anyhow::Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}
