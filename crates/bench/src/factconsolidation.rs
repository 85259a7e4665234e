//! FactConsolidation: a numbered list of short statements, a later one overriding an earlier one about the same thing,
//! and questions that need one fact or a chain of them. No model takes part.
//!
//! The list is observed as one document that goes on: statement by statement, each at its own minute, so that what
//! comes later supersedes what came before by the ledger's own rule. The sentences follow 37 templates; the instrument
//! reads entity and value off them, proposes both with the sentence as quote, and everything else is the product: the
//! gate admits, supersession decides, and the questions are answered by `recall`, by `recall --deep`, and by what
//! `facts_about` holds. Questions are handed over as they are; nothing of them is parsed here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use engine::observe::{Message, Observing};
use engine::recall::Recall;
use engine::tokens::Tokens;
use engine::{Call, Engine};
use inference::embed::Embed;
use ledger::entity::EntityRef;
use ledger::scope::Scope;
use ledger::time::Instant;
use serde::Deserialize;
use serde_json::json;

use crate::data::folder;
use crate::machine::Limits;
use crate::measure::{Samples, digits, time};
use crate::report::{Report, Table};
use crate::stores::{StoreKind, embed_all, found_by, policies_of, scope, with_model};

/// The relations of the templates.
const REGISTRY: &str = include_str!("../policies/factconsolidation.toml");

/// When the first statement was made; each further one a minute later.
const BEGIN_MICROS: i64 = 1_700_000_000_000_000;
const MINUTE_MICROS: i64 = 60_000_000;

/// Statements observed with one append.
const PER_APPEND: usize = 64;

/// A template: what stands before the entity, between it and the value, and the predicate. A sentence ends with `.`.
const TEMPLATES: [(&str, &str, &str); 37] = [
    ("", " was born in the city of ", "born_in"),
    ("", " died in the city of ", "died_in"),
    ("", " worked in the city of ", "worked_in"),
    ("", " was founded in the city of ", "founded_in"),
    ("", " was created in the country of ", "created_in"),
    ("", " is located in the continent of ", "continent"),
    ("The headquarters of ", " is located in the city of ", "headquartered_in"),
    ("The univeristy where ", " was educated is ", "educated_at"),
    ("", " is associated with the sport of ", "sport"),
    ("", " plays the position of ", "plays_position"),
    ("", " is a citizen of ", "citizen_of"),
    ("", " is affiliated with the religion of ", "religion"),
    ("", " works in the field of ", "field_of_work"),
    ("", " speaks the language of ", "speaks_language"),
    ("", " was written in the language of ", "written_in"),
    ("The official language of ", " is ", "official_language"),
    ("The original language of ", " is ", "original_language"),
    ("The type of music that ", " plays is ", "music"),
    ("The origianl broadcaster of ", " is ", "broadcaster"),
    ("The company that produced ", " is ", "producer"),
    ("The name of the current head of state in ", " is ", "head_of_state"),
    ("The name of the current head of the ", " government is ", "head_of_government"),
    ("The chief executive officer of ", " is ", "chief_executive"),
    ("The chairperson of ", " is ", "chairperson"),
    ("The head coach of ", " is ", "head_coach"),
    ("The director of ", " is ", "director"),
    ("The capital of ", " is ", "capital"),
    ("The author of ", " is ", "author"),
    ("", " was developed by ", "developer"),
    ("", " was created by ", "creator"),
    ("", " was founded by ", "founder"),
    ("", " was performed by ", "performer"),
    ("", " is employed by ", "employed_by"),
    ("", " is married to ", "married_to"),
    ("", " is famous for ", "famous_for"),
    ("", "'s child is ", "child"),
    // Whoever holds an office: `The Prime Minister of Sweden is …`.
    ("The ", " is ", "office_held_by"),
];

/// The three sizes, by the number of their tokens.
pub const SIZES: [&str; 3] = ["6k", "32k", "64k"];

#[derive(Deserialize)]
struct File {
    context: String,
    questions: Vec<String>,
    answers: Vec<Vec<String>>,
}

/// A statement with what its template says.
struct Statement {
    text: String,
    entity: String,
    value: String,
    predicate: &'static str,
}

/// What came of one size.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Statements of the list.
    pub statements: usize,
    /// Statements the gate admitted.
    pub admitted: usize,
    /// Versions that a later statement superseded.
    pub superseded: usize,
    /// Single-hop questions.
    pub single: usize,
    /// Answered by the first item of `recall`.
    pub single_recall: usize,
    /// Answered by the first path of `recall --deep`.
    pub single_deep: usize,
    /// Of those that `recall` did not answer as the key has it: the key names a statement that a later one overrides.
    pub key_overridden: usize,
    /// Single-hop questions `recall` got wrong, with what it said; and statements the gate refused.
    pub wrong: Vec<String>,
    /// Questions over several hops.
    pub multi: usize,
    /// Answered by the first path.
    pub multi_first: usize,
    /// The answer ends one of the three paths told.
    pub multi_three: usize,
    /// The same questions by the first item of a plain `recall`.
    pub multi_recall: usize,
    /// Why the others were not, by kind.
    pub limits: Limitations,
    /// How long a deep recall took, in microseconds.
    pub deep_micros: Samples,
    /// How long a recall took, in microseconds.
    pub recall_micros: Samples,
    /// Every question over several hops that was not answered, with what was said.
    pub missed: Vec<String>,
}

/// Why a question over several hops was not answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limitations {
    /// The question names nothing that is known, in its own spelling.
    pub nothing_named: usize,
    /// No relation of what is named fits its words.
    pub no_relation: usize,
    /// A way was found that leaves out or adds a step, or takes another relation.
    pub another_way: usize,
}

/// An engine with the relations of the templates.
///
/// # Errors
/// When the registry is not valid.
pub fn engine_for(kind: StoreKind, directory: &Path, model: Option<&Arc<dyn Embed>>) -> Result<Engine> {
    let policies = policies_of(REGISTRY)?;
    Ok(with_model(Engine::new(kind.open(directory)?, policies, Arc::new(Tokens)), model))
}

fn read(name: &str) -> Result<File> {
    let path = folder().join("factconsolidation").join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// The statements of a list: the lines that begin with a number.
fn statements(context: &str) -> Result<Vec<Statement>> {
    let numbered = context.lines().filter_map(|line| {
        let (number, text) = line.split_once(". ")?;
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
    });
    numbered.map(|text| statement(text).with_context(|| format!("`{text}` follows no template"))).collect()
}

fn statement(text: &str) -> Option<Statement> {
    let bare = text.strip_suffix('.')?;
    TEMPLATES.iter().find_map(|(before, between, predicate)| {
        let (entity, value) = bare.strip_prefix(before)?.split_once(between)?;
        (!entity.is_empty() && !value.is_empty()).then(|| Statement {
            text: text.to_owned(),
            entity: entity.to_owned(),
            value: value.to_owned(),
            predicate,
        })
    })
}

/// Observes the list of one size and asks its questions; only the first `questions` of each kind.
///
/// # Errors
/// As the engine's verbs.
pub fn play(engine: &Engine, scope: &Scope, size: &str, questions: usize) -> Result<Outcome> {
    let single = read(&format!("sh_{size}.json"))?;
    let multi = read(&format!("mh_{size}.questions.json"))?;
    let mut outcome = Outcome::default();
    let now = observe(engine, scope, &single.context, &mut outcome)?;
    embed_all(engine, scope)?;
    // What the list says of each thing, in order: only to tell what is wrong with an answer from what is with the key.
    let mut said_of: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for statement in statements(&single.context)? {
        let entity = EntityRef::from_words(&statement.entity)?;
        let about = (entity.as_str().to_owned(), statement.predicate.to_owned());
        said_of.entry(about).or_default().push(statement.value);
    }
    let call = Call { scope, now };
    for (question, accepted) in single.questions.iter().zip(&single.answers).take(questions) {
        outcome.single += 1;
        let (recalled, took) = time(|| engine.recall(call, &Recall { limit: 3, ..Recall::of(question) }));
        outcome.recall_micros.push_micros(took);
        let first = recalled?.items.into_iter().next();
        let said = first.as_ref().and_then(|item| item.value.as_str()).unwrap_or_default().to_owned();
        if is_accepted(&said, accepted) {
            outcome.single_recall += 1;
        } else {
            let fact = first.and_then(|item| Some((item.entity?, item.predicate?)));
            let told = fact.and_then(|fact| said_of.get(&fact)).map(Vec::as_slice).unwrap_or_default();
            let is_last = told.last() == Some(&said);
            let was_said = told.iter().any(|value| is_accepted(value, accepted));
            outcome.key_overridden += usize::from(is_last && was_said);
            let why = if is_last && was_said {
                " (the key names a statement that a later one overrides)"
            } else {
                ""
            };
            outcome.wrong.push(format!("{question} {said:?}, the key has {accepted:?}{why}"));
        }
        let deep = engine.recall_deep(call, &Recall::of(question))?;
        let said = deep.paths.first().and_then(|path| path.answer.as_str()).unwrap_or_default();
        outcome.single_deep += usize::from(is_accepted(said, accepted));
    }
    for (question, accepted) in multi.questions.iter().zip(&multi.answers).take(questions) {
        outcome.multi += 1;
        let (deep, took) = time(|| engine.recall_deep(call, &Recall::of(question)));
        outcome.deep_micros.push_micros(took);
        let deep = deep?;
        let answers: Vec<&str> = deep.paths.iter().filter_map(|path| path.answer.as_str()).collect();
        let place = answers.iter().position(|said| is_accepted(said, accepted));
        outcome.multi_first += usize::from(place == Some(0));
        outcome.multi_three += usize::from(place.is_some());
        if place != Some(0) {
            let kind = match () {
                () if !answers.is_empty() => &mut outcome.limits.another_way,
                () if deep.recalled.notices.iter().any(|notice| notice.contains("nowhere to walk")) => {
                    &mut outcome.limits.nothing_named
                }
                () => &mut outcome.limits.no_relation,
            };
            *kind += 1;
            let way: Vec<String> = deep.paths.first().map_or_else(Vec::new, |path| {
                let steps = path.steps.iter();
                steps
                    .map(|step| {
                        let item = &step.item;
                        let (entity, predicate) = (item.entity.as_deref(), item.predicate.as_deref());
                        format!("{} {} {}", entity.unwrap_or("?"), predicate.unwrap_or("?"), item.value)
                    })
                    .collect()
            });
            outcome.missed.push(format!("{question} went {way:?}, must be {accepted:?}"));
        }
        let plain = engine.recall(call, &Recall { limit: 1, ..Recall::of(question) })?;
        let said = plain.items.first().and_then(|item| item.value.as_str()).unwrap_or_default();
        outcome.multi_recall += usize::from(is_accepted(said, accepted));
    }
    Ok(outcome)
}

/// Observes the list; answers the time after the last statement.
fn observe(engine: &Engine, scope: &Scope, context: &str, outcome: &mut Outcome) -> Result<Instant> {
    let mut messages: Vec<Message> = Vec::new();
    for (number, statement) in statements(context)?.into_iter().enumerate() {
        let at = Instant::from_micros(BEGIN_MICROS + number as i64 * MINUTE_MICROS);
        let entity = EntityRef::from_words(&statement.entity)?;
        messages.push(serde_json::from_value(json!({
            "source": {"kind": "document", "ref": "the list of facts"},
            "author": "external",
            "event_time": at.to_string(),
            "external_id": number.to_string(),
            "text": statement.text,
            "proposals": [{
                "entity": entity.as_str(), "predicate": statement.predicate, "value": statement.value,
                "confidence": 1.0, "quote": statement.text,
            }],
            "proposer": "template",
        }))?);
    }
    outcome.statements = messages.len();
    let now = Instant::from_micros(BEGIN_MICROS + messages.len() as i64 * MINUTE_MICROS);
    let observing = Observing { per_append: PER_APPEND, ..Observing::default() };
    for answer in engine.observe(Call { scope, now }, messages, observing)? {
        outcome.admitted += answer.admitted.len();
        outcome.superseded += answer.admitted.iter().filter(|claim| claim.transition == "supersede").count();
        outcome
            .wrong
            .extend(answer.refused.into_iter().map(|no| format!("refused {}: {}", no.code, no.detail)));
    }
    Ok(now)
}

fn is_accepted(said: &str, accepted: &[String]) -> bool {
    accepted.iter().any(|answer| answer == said)
}

/// The instrument.
///
/// # Errors
/// As the engine's verbs.
pub fn run(
    kinds: &[StoreKind],
    directory: &Path,
    model: Option<&Arc<dyn Embed>>,
    show_misses: bool,
) -> Result<Report> {
    let mut report = Report::new("FactConsolidation", "bench factconsolidation", Limits::measure(directory)?);
    let mut single = Table::new(
        "One fact: the later statement is the answer",
        &[
            "store",
            "size",
            "statements",
            "admitted",
            "superseded",
            "questions",
            "recall, first item",
            "of the rest, key overridden",
            "deep, first path",
            "recall µs p50",
        ],
    );
    let mut multi = Table::new(
        "A chain of facts, walked without a model",
        &[
            "store",
            "size",
            "questions",
            "first path",
            "one of three paths",
            "plain recall",
            "nothing named",
            "no relation fits",
            "another way taken",
            "deep µs p50",
            "p99",
        ],
    );
    report.notes.push(found_by(model));
    for kind in kinds {
        for size in SIZES {
            let place = tempfile::tempdir_in(directory)?;
            let engine = engine_for(*kind, place.path(), model)?;
            let outcome = play(&engine, &scope("factconsolidation")?, size, usize::MAX)?;
            single.row([
                kind.as_str().to_owned(),
                size.to_owned(),
                outcome.statements.to_string(),
                outcome.admitted.to_string(),
                outcome.superseded.to_string(),
                outcome.single.to_string(),
                outcome.single_recall.to_string(),
                outcome.key_overridden.to_string(),
                outcome.single_deep.to_string(),
                digits(outcome.recall_micros.median()),
            ]);
            multi.row([
                kind.as_str().to_owned(),
                size.to_owned(),
                outcome.multi.to_string(),
                outcome.multi_first.to_string(),
                outcome.multi_three.to_string(),
                outcome.multi_recall.to_string(),
                outcome.limits.nothing_named.to_string(),
                outcome.limits.no_relation.to_string(),
                outcome.limits.another_way.to_string(),
                digits(outcome.deep_micros.median()),
                digits(outcome.deep_micros.quantile(0.99)),
            ]);
            report.must(outcome.admitted * 1_000 >= outcome.statements * 995, || {
                format!("{size}: {} statements were not admitted", outcome.statements - outcome.admitted)
            });
            let by_the_rule = outcome.single_recall + outcome.key_overridden;
            report.must(by_the_rule * 100 >= outcome.single * 99, || {
                format!("{size}: fewer than 99 % of the single-hop questions were answered")
            });
            report.notes.extend(outcome.wrong.iter().map(|wrong| format!("{size}, one fact: {wrong}")));
            if show_misses {
                report.notes.extend(outcome.missed.iter().map(|missed| format!("{size}, a chain: {missed}")));
            }
        }
    }
    report.tables.extend([single, multi]);
    report.notes.push(
        "Answers are compared letter by letter with the accepted strings. The words of the relations were gathered while looking at the questions."
            .to_owned(),
    );
    Ok(report)
}
