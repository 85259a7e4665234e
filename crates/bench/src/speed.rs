//! How long things take, beside what we aim at and what the machine can do.
//!
//! Facts are sentences of the BEAM chats, said by the owner about a few hundred projects, with the handful of identity,
//! constraint and preference facts a person has. Queries hit common words, rare words, and several words of one sentence.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use engine::observe::{Message, Observing};
use engine::propose::propose;
use engine::recall::Recall;
use engine::remember::Remember;
use engine::turn::Turn;
use engine::{Call, Engine};
use inference::embed::Embed;
use ledger::adjudicate::{Place, adjudicate};
use ledger::admission::Policies;
use ledger::evidence::Author;
use ledger::gate::{Testimony, judge};
use ledger::id::Position;
use ledger::log::Changes;
use ledger::memory::Memory;
use ledger::proposal::Proposal;
use ledger::regions::foreign_regions;
use ledger::scope::Scope;
use ledger::store::Store;
use ledger::time::Moment;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::data::{sentences, statements};
use crate::machine::{Limits, processor_time, resident_bytes};
use crate::measure::{Chance, Samples, digits, thousands, time};
use crate::report::{Report, Table};
use crate::speed_hybrid;
use crate::stores::{StoreKind, clock, engine, scope};

/// How much is measured.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The sizes of a subject, in facts.
    pub facts: Vec<usize>,
    /// Queries of each kind.
    pub queries: usize,
    /// Durable writes of one caller.
    pub writes: usize,
    /// Messages of the bulk append.
    pub bulk: usize,
    /// Subjects of 1,000 facts each, held by one store.
    pub subjects: usize,
    /// How often what is quick is repeated.
    pub runs: usize,
}

impl Extent {
    /// Enough to see that the instrument works, in well under a minute.
    #[must_use]
    pub fn quick() -> Self {
        Self { facts: vec![1_000], queries: 60, writes: 100, bulk: 4_000, subjects: 10, runs: 2 }
    }

    /// What section 8 of the design asks for.
    #[must_use]
    pub fn full(runs: usize, subjects: usize) -> Self {
        Self {
            facts: vec![1_000, 10_000, 100_000],
            queries: 400,
            writes: 1_000,
            bulk: 50_000,
            subjects,
            runs,
        }
    }
}

/// Words and sentences to make facts and queries of.
pub struct Corpus {
    sentences: Vec<String>,
    common: Vec<String>,
    rare: Vec<String>,
}

impl Corpus {
    /// Reads the sentences and counts their words.
    ///
    /// # Errors
    /// When the chats are missing.
    pub fn read() -> Result<Self> {
        let sentences = sentences()?;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for sentence in &sentences {
            for word in words(sentence) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let rare = counts.iter().filter(|(_, count)| **count == 2).map(|(word, _)| word.clone()).collect();
        let mut by_count: Vec<(usize, String)> =
            counts.into_iter().map(|(word, count)| (count, word)).collect();
        by_count.sort_unstable_by(|left, right| right.cmp(left));
        // The very first are `that` and `with`; content begins a little below.
        let common = by_count.into_iter().skip(20).take(80).map(|(_, word)| word).collect();
        Ok(Self { sentences, common, rare })
    }

    fn sentence(&self, number: usize) -> &str {
        self.sentences.get(number % self.sentences.len().max(1)).map(String::as_str).unwrap_or_default()
    }

    /// The message that states fact `number`.
    fn message(&self, number: usize) -> Result<Message> {
        let sentence = self.sentence(number);
        let round = number / self.sentences.len().max(1);
        let about = words(sentence).into_iter().next().unwrap_or_else(|| "project".to_owned());
        let value: String = sentence.chars().take(200).collect();
        let (entity, predicate) = match number {
            0..100 => ("self".to_owned(), ["likes", "prefers", "routine", "communication_style"][number % 4]),
            _ => (
                format!(
                    "project:{}-{round}",
                    about.chars().filter(char::is_ascii_alphanumeric).collect::<String>()
                ),
                ["note", "decision", "works_on", "note", "stance"][number % 5],
            ),
        };
        let quote: String = sentence.chars().take(600).collect();
        Ok(serde_json::from_value(json!({
            "source": {"kind": "conversation", "ref": format!("c{}", number / 200)},
            "author": "owner",
            "external_id": number.to_string(),
            "text": sentence,
            "proposals": [{
                "entity": entity, "predicate": predicate, "value": value, "confidence": 0.9, "quote": quote,
            }],
        }))?)
    }

    pub(crate) fn query(&self, kind: QueryKind, chance: &mut Chance) -> String {
        let pick = |words: &[String], chance: &mut Chance| {
            words.get(chance.below(words.len())).cloned().unwrap_or_else(|| "plan".to_owned())
        };
        match kind {
            QueryKind::Common => format!("{} {}", pick(&self.common, chance), pick(&self.common, chance)),
            QueryKind::Rare => pick(&self.rare, chance),
            QueryKind::Sentence => {
                let sentence = self.sentence(chance.below(self.sentences.len()));
                let some: Vec<&str> = sentence.split_whitespace().skip(2).take(5).collect();
                format!("what did I say about {}?", some.join(" "))
            }
        }
    }
}

/// The longer words of a sentence, in lower case.
fn words(sentence: &str) -> Vec<String> {
    sentence
        .split(|one: char| !one.is_alphanumeric())
        .filter(|word| word.chars().count() >= 4)
        .map(str::to_lowercase)
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum QueryKind {
    Common,
    Rare,
    Sentence,
}

impl QueryKind {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Common, "two common words"),
        (Self::Rare, "a rare word"),
        (Self::Sentence, "five words of a sentence"),
    ];
}

/// Fills a subject up to `facts` facts, 1,000 messages an append; answers how many messages that took.
///
/// # Errors
/// As [`Engine::observe`].
pub fn fill(engine: &Engine, scope: &Scope, corpus: &Corpus, facts: usize) -> Result<usize> {
    let (mut admitted, mut number) = (0, 0);
    while admitted < facts {
        let batch = (facts - admitted).min(1_000);
        let messages =
            (number..number + batch).map(|number| corpus.message(number)).collect::<Result<Vec<_>>>()?;
        let observing = Observing { per_append: 1_000, rules: false, ..Observing::default() };
        let answers = engine.observe(Call { scope, now: clock() }, messages, observing)?;
        admitted += answers
            .iter()
            .flat_map(|answer| &answer.admitted)
            .filter(|claim| claim.transition == "open")
            .count();
        number += batch;
        if number > facts * 20 {
            bail!("{number} messages gave only {admitted} facts");
        }
    }
    Ok(number)
}

pub(crate) struct Row<'report> {
    table: &'report mut Table,
}

impl Row<'_> {
    pub(crate) fn add(&mut self, work: &str, store: &str, figure: String, limit: &str, aim: &str) {
        self.table.row([work, store, &figure, limit, aim]);
    }
}

/// The instrument. `program` is this binary, which opens stores in processes of their own; with a `model`, recall and turns are
/// measured by meaning, too.
///
/// # Errors
/// As the engine's verbs.
pub fn run(
    kinds: &[StoreKind],
    directory: &Path,
    extent: &Extent,
    model: Option<&Arc<dyn Embed>>,
    program: &Path,
) -> Result<Report> {
    let limits = Limits::measure(directory)?;
    let syncs = limits.syncs_per_second[0];
    let mut report = Report::new("Speed", "bench speed", limits);
    let corpus = Corpus::read()?;
    let mut table = Table::new("Figures beside their aims", &["work", "store", "figure", "beside", "aim"]);
    let mut rows = Row { table: &mut table };
    pure(&mut rows, &corpus, extent)?;
    for kind in kinds {
        writes(&mut rows, *kind, directory, &corpus, extent, syncs)?;
        for facts in &extent.facts {
            reads(&mut rows, *kind, directory, &corpus, extent, *facts, model, program)?;
        }
    }
    if kinds.contains(&StoreKind::Sqlite) {
        many_subjects(&mut rows, directory, &corpus, extent)?;
    }
    report.notes.push(format!(
        "{} sentences, {} common and {} rare words",
        thousands(corpus.sentences.len() as i64),
        corpus.common.len(),
        corpus.rare.len()
    ));
    report.tables.push(table);
    Ok(report)
}

/// The gate and adjudication alone: no store, no index.
fn pure(rows: &mut Row<'_>, corpus: &Corpus, extent: &Extent) -> Result<()> {
    let policies = Policies::shipped();
    let event_time: Moment = "2026-03-02T10:00:00+01:00[Europe/Zagreb]".parse()?;
    let mut cases = Vec::new();
    for statement in statements()? {
        let json = json!({
            "entity": statement.entity, "predicate": statement.predicate, "value": statement.value,
            "op": statement.op, "confidence": 0.9, "quote": statement.quote,
        });
        cases.push((statement.text, Proposal::read(&json)?));
    }
    for number in 100..1_100 {
        let message = corpus.message(number)?;
        for json in message.proposals.iter().flatten() {
            cases.push((message.text.clone(), Proposal::read(json)?));
        }
    }
    let mut gate = Samples::default();
    let mut each = Samples::default();
    for _ in 0..extent.runs.max(3) {
        let begun = processor_time();
        for (text, proposal) in &cases {
            let one = Instant::now();
            let foreign = foreign_regions(text);
            let testimony = Testimony {
                author: Author::Owner,
                text,
                event_time: &event_time,
                foreign: &foreign,
                kept_on_purpose: false,
            };
            _ = std::hint::black_box(judge(&testimony, 0, proposal, &policies));
            each.push_micros(one.elapsed());
        }
        gate.push((processor_time() - begun).as_secs_f64() * 1e6 / cases.len() as f64);
    }
    let beside = format!("by the clock p50 {}, p99 {}", digits(each.median()), digits(each.quantile(0.99)));
    rows.add("gate of one proposal, regions included, µs of processor", "none", gate.spread(), &beside, "");

    let mut rules = Samples::default();
    for _ in 0..extent.runs.max(3) {
        let begun = processor_time();
        for (text, _) in &cases {
            std::hint::black_box(propose(text, &event_time.zoned(), &policies.registry));
        }
        rules.push((processor_time() - begun).as_secs_f64() * 1e6 / cases.len() as f64);
    }
    rows.add("rules/1 on one message, µs of processor", "none", rules.spread(), "the first run warms up", "");

    let store: Arc<dyn Store> = StoreKind::Reference.open(Path::new("."))?;
    let engine = engine(store.clone());
    let scope = scope("pure")?;
    fill(&engine, &scope, corpus, 2_000)?;
    let Changes::Appended(entries) = store.changes_since(&scope, 0)? else { bail!("no log") };
    let mut memory = Memory::default();
    entries.iter().for_each(|entry| memory.apply(entry, engine.registry()));
    let place = Place { next: Position::new(memory.watermark() + 1, 0), at: memory.recorded_at() };
    let mut settled = Samples::default();
    for _ in 0..extent.runs.max(3) {
        let begun = processor_time();
        for fact in memory.facts() {
            let Some(cause) = fact.causes.last() else { continue };
            std::hint::black_box(adjudicate(&memory, fact.id, *cause, place));
        }
        settled.push((processor_time() - begun).as_secs_f64() * 1e6 / memory.facts().len().max(1) as f64);
    }
    rows.add("adjudication of one claim, µs of processor", "none", settled.spread(), "", "");
    let sum = gate.median() + settled.median();
    rows.add(
        "gate + adjudication of one proposal, µs of processor",
        "none",
        digits(sum),
        "sum of medians",
        "50",
    );
    Ok(())
}

/// Durable writes and bulk appends.
fn writes(
    rows: &mut Row<'_>,
    kind: StoreKind,
    directory: &Path,
    corpus: &Corpus,
    extent: &Extent,
    syncs: f64,
) -> Result<()> {
    let store = kind.as_str();
    for (callers, subjects, aim) in
        [(1, 1, "half the syncs a second"), (16, 1, "20,000"), (16, 16, "20,000"), (64, 1, "")]
    {
        let mut rates = Samples::default();
        let mut each = Samples::default();
        for _ in 0..extent.runs {
            let place = tempfile::tempdir_in(directory)?;
            let engine = engine(kind.open(place.path())?);
            let scopes =
                (0..subjects).map(|number| scope(&format!("writer-{number}"))).collect::<Result<Vec<_>>>()?;
            // A subject is founded, and its keys written, before the clock runs.
            for scope in &scopes {
                remember(&engine, scope, "I like the sea.")?;
            }
            let share = extent.writes * if callers == 1 { 1 } else { 4 } / callers;
            let (taken, took) = time(|| -> Result<Vec<Duration>> {
                std::thread::scope(|threads| {
                    let running: Vec<_> = (0..callers)
                        .map(|caller| {
                            let (engine, scope) = (&engine, &scopes[caller % scopes.len()]);
                            threads.spawn(move || -> Result<Vec<Duration>> {
                                (0..share)
                                    .map(|number| {
                                        let text = corpus.sentence(caller * share + number);
                                        let (done, took) = time(|| remember(engine, scope, text));
                                        done.map(|()| took)
                                    })
                                    .collect()
                            })
                        })
                        .collect();
                    let mut all = Vec::new();
                    for thread in running {
                        all.extend(thread.join().map_err(|_| anyhow::anyhow!("a caller panicked"))??);
                    }
                    Ok(all)
                })
            });
            let taken = taken?;
            rates.push(taken.len() as f64 / took.as_secs_f64());
            taken.iter().for_each(|one| each.push_micros(*one));
        }
        let work = format!("durable remember a second, {callers} callers, {subjects} subjects");
        let beside = format!(
            "{} of the disk's {} syncs; p50 {} ms, p99 {} ms",
            digits(rates.median() / syncs),
            digits(syncs),
            digits(each.median() / 1e3),
            digits(each.quantile(0.99) / 1e3)
        );
        rows.add(&work, store, rates.spread(), &beside, aim);
    }
    let mut rates = Samples::default();
    for _ in 0..extent.runs {
        let place = tempfile::tempdir_in(directory)?;
        let engine = engine(kind.open(place.path())?);
        let scope = scope("bulk")?;
        let mut batches = Vec::new();
        for first in (0..extent.bulk).step_by(1_000) {
            let messages = (first..(first + 1_000).min(extent.bulk)).map(|number| {
                let mut message = corpus.message(number)?;
                message.proposals = Some(Vec::new());
                Ok(message)
            });
            batches.push(messages.collect::<Result<Vec<Message>>>()?);
        }
        let (done, took) = time(|| -> Result<()> {
            for batch in batches {
                let observing = Observing { per_append: 1_000, rules: false, ..Observing::default() };
                engine.observe(Call { scope: &scope, now: clock() }, batch, observing)?;
            }
            Ok(())
        });
        done?;
        rates.push(extent.bulk as f64 / took.as_secs_f64());
    }
    let beside = format!("{} messages, 1,000 an append", thousands(extent.bulk as i64));
    rows.add("bulk evidence append, messages a second", store, rates.spread(), &beside, "100,000");
    Ok(())
}

fn remember(engine: &Engine, scope: &Scope, text: &str) -> Result<()> {
    engine
        .remember(Call { scope, now: clock() }, Remember { text: text.to_owned(), ..Remember::default() })?;
    Ok(())
}

pub(crate) fn percentiles(samples: &Samples) -> String {
    format!("{} / {}", digits(samples.median() / 1e3), digits(samples.quantile(0.99) / 1e3))
}

fn ask(
    engine: &Engine,
    scope: &Scope,
    corpus: &Corpus,
    kind: QueryKind,
    count: usize,
    past: Option<ledger::time::Instant>,
) -> Result<Samples> {
    let mut chance = Chance::new(7);
    let mut samples = Samples::default();
    for _ in 0..count {
        let recall =
            Recall { valid_at: past, believed_at: past, ..Recall::of(&corpus.query(kind, &mut chance)) };
        let (answer, took) = time(|| engine.recall(Call { scope, now: clock() }, &recall));
        std::hint::black_box(answer?);
        samples.push_micros(took);
    }
    Ok(samples)
}

/// Recall, turn, as-of reads, opening and size, at one size of a subject.
#[allow(clippy::too_many_arguments, reason = "an instrument's own")]
fn reads(
    rows: &mut Row<'_>,
    kind: StoreKind,
    directory: &Path,
    corpus: &Corpus,
    extent: &Extent,
    facts: usize,
    model: Option<&Arc<dyn Embed>>,
    program: &Path,
) -> Result<()> {
    let place = tempfile::tempdir_in(directory)?;
    let store = kind.open(place.path())?;
    let name = kind.as_str();
    let scope = scope("reader")?;
    let size = thousands(facts as i64);
    let aim = |at_10k: &'static str, at_100k: &'static str| match facts {
        10_000 => at_10k,
        100_000 => at_100k,
        _ => "",
    };
    {
        let engine = engine(store.clone());
        let begun = processor_time();
        let (messages, took) = time(|| fill(&engine, &scope, corpus, facts));
        let messages = messages? as f64;
        let per_proposal = took.as_secs_f64() * 1e6 / messages;
        let processor = (processor_time() - begun).as_secs_f64() * 1e6 / messages;
        let work = format!("whole observe of one proposal up to {size} facts, 1,000 an append, µs");
        rows.add(
            &work,
            name,
            digits(per_proposal),
            &format!("{} of processor in the caller", digits(processor)),
            "",
        );
        let mut sentence = Samples::default();
        for (query, words) in QueryKind::ALL {
            ask(&engine, &scope, corpus, query, extent.queries / 10 + 1, None)?;
            let begun = processor_time();
            let samples = ask(&engine, &scope, corpus, query, extent.queries, None)?;
            let work = format!("recall of {words}, {size} facts, ms p50 / p99");
            let processor = (processor_time() - begun).as_secs_f64() * 1e3 / extent.queries as f64;
            rows.add(
                &work,
                name,
                percentiles(&samples),
                &format!("mean {} of processor", digits(processor)),
                aim("0.5 / 2 (hybrid)", "5 (hybrid)"),
            );
            sentence = samples;
        }
        let past = Some(clock());
        let then = ask(&engine, &scope, corpus, QueryKind::Sentence, extent.queries, past)?;
        let beside = format!("{}x of the current read", digits(then.median() / sentence.median().max(1e-9)));
        let work = format!("as-of recall, {size} facts, ms p50 / p99");
        rows.add(&work, name, percentiles(&then), &beside, "2x");
        let mut chance = Chance::new(11);
        let mut samples = Samples::default();
        for _ in 0..extent.queries / 2 {
            let turn = Turn::of(&corpus.query(QueryKind::Sentence, &mut chance));
            let (turned, took) = time(|| engine.turn(Call { scope: &scope, now: clock() }, &turn));
            std::hint::black_box(turned?);
            samples.push_micros(took);
        }
        let work = format!("turn, recorded, {size} facts, ms p50 / p99");
        rows.add(&work, name, percentiles(&samples), "", aim("2 + one sync", ""));
    }
    if let Some(model) = model {
        speed_hybrid::rows(rows, &store, &scope, corpus, extent, facts, model)?;
    }
    let (mut cold, mut processor) = (Samples::default(), Samples::default());
    for _ in 0..extent.runs {
        let fresh = engine(store.clone());
        let begun = processor_time();
        let (answer, took) =
            time(|| fresh.recall(Call { scope: &scope, now: clock() }, &Recall::of("what is planned?")));
        std::hint::black_box(answer?);
        cold.push(took.as_secs_f64() * 1e3);
        processor.push((processor_time() - begun).as_secs_f64() * 1e3);
    }
    let work = format!("cold open and first recall, {size} facts, ms");
    let beside = format!("{} of processor", digits(processor.median()));
    rows.add(&work, name, cold.spread(), &beside, aim("40", ""));
    if kind == StoreKind::Sqlite {
        drop(store);
        let (mut first, mut bytes) = (Samples::default(), Samples::default());
        for _ in 0..extent.runs {
            let opened = open_elsewhere(program, place.path())?;
            first.push(opened.first_answer_ms);
            bytes.push(opened.grown_bytes as f64 / facts as f64);
        }
        rows.add(
            &format!("process start to first answer, {size} facts, ms"),
            name,
            first.spread(),
            "",
            if facts == 1_000 { "100" } else { "" },
        );
        rows.add(
            &format!("resident bytes a fact, {size} facts"),
            name,
            bytes.spread(),
            "growth of the process by open and first recall",
            "1,024 with its vector",
        );
    }
    Ok(())
}

/// What a process of its own found when it opened a store.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Opened {
    /// Memory it took to open the subject and answer once.
    pub grown_bytes: u64,
    /// From the start of the process to the answer; filled in by the parent.
    #[serde(default)]
    pub first_answer_ms: f64,
}

fn open_elsewhere(program: &Path, data: &Path) -> Result<Opened> {
    let begun = Instant::now();
    let mut child = Command::new(program)
        .args(["open-once".as_ref(), "--data".as_ref(), data.as_os_str()])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    let output = child.stdout.take().context("no output")?;
    BufReader::new(output).read_line(&mut line)?;
    let took = begun.elapsed();
    child.wait()?;
    let opened: Opened = serde_json::from_str(&line).context("a process that opens a store")?;
    Ok(Opened { first_answer_ms: took.as_secs_f64() * 1e3, ..opened })
}

/// What `open-once` does: opens the store, answers one recall, says what that took.
///
/// # Errors
/// As the store's opening.
pub fn open_once(data: &Path) -> Result<()> {
    let store = StoreKind::Sqlite.open(data)?;
    let engine = engine(store);
    let scope = scope("reader")?;
    let before = resident_bytes();
    let answer = engine.recall(Call { scope: &scope, now: clock() }, &Recall::of("what is planned?"))?;
    let opened = Opened {
        grown_bytes: resident_bytes().saturating_sub(before),
        first_answer_ms: answer.items.len() as f64,
    };
    println!("{}", serde_json::to_string(&opened)?);
    Ok(())
}

/// Many subjects of 1,000 facts in one store.
fn many_subjects(rows: &mut Row<'_>, directory: &Path, corpus: &Corpus, extent: &Extent) -> Result<()> {
    const FACTS: usize = 1_000;
    let place = tempfile::tempdir_in(directory)?;
    let store = StoreKind::Sqlite.open(place.path())?;
    let scopes =
        (0..extent.subjects).map(|number| scope(&format!("s{number}"))).collect::<Result<Vec<_>>>()?;
    let size = format!(
        "{} facts in {} subjects",
        thousands((FACTS * scopes.len()) as i64),
        thousands(scopes.len() as i64)
    );
    let alone = {
        let engine = engine(store.clone());
        let first = &scopes[..1];
        fill(&engine, &first[0], corpus, FACTS)?;
        ask(&engine, &first[0], corpus, QueryKind::Sentence, extent.queries, None)?;
        ask(&engine, &first[0], corpus, QueryKind::Sentence, extent.queries, None)?
    };
    let ((), took) = {
        let (done, took) = time(|| -> Result<()> {
            let engine = engine(store.clone()).with_memory_limit(64 << 20);
            for scope in &scopes[1..] {
                fill(&engine, scope, corpus, FACTS)?;
            }
            Ok(())
        });
        (done?, took)
    };
    let rate = (FACTS * (scopes.len() - 1)) as f64 / took.as_secs_f64();
    rows.add(
        &format!("filling {size}, facts a second"),
        "sqlite",
        digits(rate),
        &format!("{} s", digits(took.as_secs_f64())),
        "",
    );

    // Subjects that are held.
    let everyday = engine(store.clone());
    let held = &scopes[..scopes.len().min(100)];
    for scope in held {
        ask(&everyday, scope, corpus, QueryKind::Sentence, 1, None)?;
    }
    let (mut warm, mut chance) = (Samples::default(), Chance::new(3));
    for _ in 0..extent.queries {
        let scope = &held[chance.below(held.len())];
        let recall = Recall::of(&corpus.query(QueryKind::Sentence, &mut chance));
        let (answer, took) = time(|| everyday.recall(Call { scope, now: clock() }, &recall));
        std::hint::black_box(answer?);
        warm.push_micros(took);
    }
    let beside = format!(
        "{}x of one subject alone ({} ms)",
        digits(warm.median() / alone.median()),
        percentiles(&alone)
    );
    rows.add(
        &format!("recall, {size}, any of 100 held, ms p50 / p99"),
        "sqlite",
        percentiles(&warm),
        &beside,
        "1.2x",
    );
    drop(everyday);

    // All of them, one after another, in little memory.
    const LIMIT: usize = 128 << 20;
    let frugal = engine(store).with_memory_limit(LIMIT);
    let before = resident_bytes();
    let (mut cold, mut most) = (Samples::default(), 0);
    for scope in &scopes {
        let recall = Recall::of(&corpus.query(QueryKind::Sentence, &mut chance));
        let (answer, took) = time(|| frugal.recall(Call { scope, now: clock() }, &recall));
        std::hint::black_box(answer?);
        cold.push_micros(took);
        most = most.max(resident_bytes().saturating_sub(before));
    }
    rows.add(
        &format!("first recall of each subject, {size}, ms p50 / p99"),
        "sqlite",
        percentiles(&cold),
        "",
        "",
    );
    rows.add(
        &format!("memory grown by visiting all, {size}, MiB"),
        "sqlite",
        digits(most as f64 / f64::from(1 << 20)),
        "snapshots limited to 128 MiB",
        "about the limit",
    );
    Ok(())
}
