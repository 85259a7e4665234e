//! How long forgetting takes, and what it leaves in the files.
//!
//! One subject holds facts in sources of a thousand each, another subject lies between. Forgotten are, one after another: one
//! message, one session, one source, the subject. Every time is from the call to the answer, and the answer comes after the
//! files were cleaned and searched; so the size of the data directory is part of it.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use engine::answer::Forgotten;
use engine::forget::{Forget, Which};
use engine::observe::{Message, Observing};
use engine::{Call, Engine};
use ledger::scope::Scope;
use serde_json::json;

use crate::machine::Limits;
use crate::measure::{Samples, digits, thousands, time};
use crate::report::{Report, Table};
use crate::stores::{StoreKind, clock, engine, scope};

/// Facts of one source.
const FACTS_PER_SOURCE: usize = 1_000;

/// Messages of one session.
const SESSION_MESSAGES: usize = 100;

/// What was forgotten, how long it took each time, and what the last answer said.
struct Measured {
    what: &'static str,
    times: Samples,
    rows: u64,
    residue: u64,
}

/// Measures every size in `facts`, each `runs` times on stores of their own.
///
/// # Errors
/// When a store or the engine fails.
pub fn run(kinds: &[StoreKind], directory: &Path, facts: &[usize], runs: usize) -> Result<Report> {
    let limits = Limits::measure(directory)?;
    let mut report = Report::new("Forgetting", "bench forget", limits);
    for kind in kinds {
        for facts in facts {
            let mut all: Vec<Measured> = Vec::new();
            let mut bytes = 0;
            for run in 0..runs.max(1) {
                let data = tempfile::tempdir_in(directory)?;
                let engine = engine(kind.open(data.path())?);
                let (mine, other) = (scope("mine")?, scope("somebody else")?);
                fill(&engine, &mine, *facts)?;
                fill(&engine, &other, FACTS_PER_SOURCE)?;
                bytes = size(data.path())?;
                let once = forget(&engine, &mine)?;
                let left = engine.verify(Call { scope: &other, now: clock() })?;
                report.must(left.ok && left.facts == FACTS_PER_SOURCE as u64, || {
                    format!("run {run}: the neighbour's memory is not what it was: {:?}", left.damage)
                });
                if all.is_empty() {
                    all = once;
                } else {
                    for (known, now) in all.iter_mut().zip(once) {
                        known.times.push(now.times.median());
                        known.residue = known.residue.max(now.residue);
                    }
                }
            }
            let title = format!(
                "{}, {} facts in sources of {}, {} MB on disk",
                kind.as_str(),
                thousands(*facts as i64),
                thousands(FACTS_PER_SOURCE as i64),
                digits(bytes as f64 / 1e6),
            );
            let mut table =
                Table::new(&title, &["forgotten", "rows", "seconds, median (least\u{2013}most)", "residue"]);
            for one in &all {
                table.row([
                    one.what.to_owned(),
                    thousands(one.rows as i64),
                    one.times.spread(),
                    one.residue.to_string(),
                ]);
                report.must(one.residue == 0, || {
                    format!("{}: bytes were found in {} places", one.what, one.residue)
                });
            }
            report.tables.push(table);
        }
    }
    Ok(report)
}

/// Forgets one thing after another, the largest last.
fn forget(engine: &Engine, scope: &Scope) -> Result<Vec<Measured>> {
    let call = || Call { scope, now: clock() };
    // What is measured is forgetting, not the first look at a memory.
    let warm = engine.recall(call(), &engine::recall::Recall::of("chess"))?;
    ensure!(!warm.items.is_empty(), "the memory is empty");
    let of_source = |number: usize| format!("conversation:c{number}");
    let message = engine.state(call(), None, None)?.items.swap_remove(0);
    let evidence = engine.why(call(), &message.id)?.evidence.swap_remove(0).evidence;
    let session = Which { session: Some("s2".to_owned()), ..Which::default() };
    let all: [(&'static str, Forget); 4] = [
        ("one message", Forget::Ids(vec![evidence])),
        ("a session of 100 messages", Forget::Messages(session)),
        ("a source with 1,000 facts", Forget::Source(of_source(1))),
        ("the subject", Forget::Subject),
    ];
    let mut measured = Vec::new();
    for (what, forget) in all {
        // Each begins with the memory in hand, as a service that has been asked things does.
        engine.recall(call(), &engine::recall::Recall::of("chess"))?;
        let (answer, took): (_, Duration) = time(|| engine.forget(call(), &forget, false));
        let Forgotten { residue, receipt, .. } = answer?;
        let mut times = Samples::default();
        times.push(took.as_secs_f64());
        let rows = receipt.map_or(0, |receipt| receipt.rows.total());
        measured.push(Measured { what, times, rows, residue });
    }
    Ok(measured)
}

fn fill(engine: &Engine, scope: &Scope, facts: usize) -> Result<()> {
    let numbers: Vec<usize> = (0..facts).collect();
    for batch in numbers.chunks(FACTS_PER_SOURCE) {
        let messages = batch.iter().map(|number| message(*number)).collect::<Result<Vec<Message>>>()?;
        let observing = Observing { per_append: FACTS_PER_SOURCE, rules: false, ..Observing::default() };
        let answers = engine.observe(Call { scope, now: clock() }, messages, observing)?;
        let admitted: u64 = answers.iter().map(|answer| answer.counts.admitted).sum();
        ensure!(admitted as usize == batch.len(), "{admitted} of {} facts were admitted", batch.len());
    }
    Ok(())
}

/// A message of about 300 bytes with one fact of its own.
fn message(number: usize) -> Result<Message> {
    let value = format!("chess problem {number}");
    let quote = format!("I like {value}");
    let filler =
        "It came up when we talked about the weekend and what to do with the long evenings. ".repeat(3);
    Ok(serde_json::from_value(json!({
        "source": {"kind": "conversation", "ref": format!("c{}", number / FACTS_PER_SOURCE)},
        "session": format!("s{}", number / SESSION_MESSAGES),
        "author": "owner", "external_id": number.to_string(), "text": format!("{quote}. {filler}"),
        "proposals": [{"entity": "self", "predicate": "likes", "value": value, "confidence": 0.9, "quote": quote}],
    }))?)
}

fn size(directory: &Path) -> Result<u64> {
    let mut bytes = 0;
    for item in std::fs::read_dir(directory)? {
        let path = item?.path();
        bytes += if path.is_dir() { size(&path)? } else { path.metadata()?.len() };
    }
    Ok(bytes)
}
