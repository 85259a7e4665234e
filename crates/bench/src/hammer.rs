//! Many writers on one subject: threads of one process, then processes on one data directory.
//!
//! Every writer appends its own messages, one append each, and resolves turns in between. Afterwards the log is read by
//! an engine that took no part: every acknowledged write must be there, the appends must be numbered without a gap, no
//! two acknowledged writes may share a number unless they are one append, a writer must have seen its own writes, and
//! every turn must come out the same again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use engine::observe::{Message, Observing};
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::scope::Scope;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::machine::Limits;
use crate::measure::{Samples, digits, thousands, time};
use crate::report::{Report, Table};
use crate::stores::{StoreKind, clock, engine, scope};

/// The subject everybody writes to.
pub const SUBJECT: &str = "hammer";

/// How hard.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Writers at once.
    pub writers: usize,
    /// Appends, all writers together.
    pub appends: usize,
    /// A turn after so many appends of a writer.
    pub appends_per_turn: usize,
}

/// What one writer was promised.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Promised {
    /// Acknowledged messages: the id of the evidence, the number of the append, the fact's value.
    pub writes: Vec<(String, u64, String)>,
    /// Resolved turns, with the watermark each saw.
    pub turns: Vec<(String, u64)>,
    /// Turns that did not see the writer's own last write.
    pub unseen: usize,
    /// Calls that failed, as they said.
    pub failed: Vec<String>,
    /// How long each write took, in microseconds.
    pub write_micros: Vec<f64>,
}

/// What is there afterwards.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Acknowledged writes.
    pub acknowledged: usize,
    /// Acknowledged writes that are not in the log.
    pub lost: usize,
    /// Calls that failed.
    pub failed: Vec<String>,
    /// The last append.
    pub watermark: u64,
    /// Numbers between 1 and the watermark that no acknowledged write got.
    pub gaps: usize,
    /// Acknowledged writes that share a number.
    pub shared: usize,
    /// Turns resolved.
    pub turns: usize,
    /// Turns that do not come out the same again.
    pub not_replayed: usize,
    /// Turns that did not see their own writer's last write.
    pub unseen: usize,
    /// What the store's own check found wrong.
    pub damage: Vec<String>,
    /// How long each write took, in microseconds.
    pub writes: Samples,
}

impl Found {
    /// What is not as promised; empty when all is well.
    #[must_use]
    pub fn broken(&self, load: Load) -> Vec<String> {
        let mut broken = Vec::new();
        let mut must = |count: usize, what: &str| {
            if count > 0 {
                broken.push(format!("{count} {what}"));
            }
        };
        must(self.lost, "acknowledged writes are lost");
        must(self.failed.len(), "calls failed");
        must(self.gaps, "numbers are missing in the log");
        must(self.shared, "writes share a number");
        must(self.not_replayed, "turns differ when replayed");
        must(self.unseen, "turns did not see their own writer's write");
        must(load.appends.abs_diff(self.acknowledged), "writes were not acknowledged");
        broken.extend(self.failed.iter().take(3).cloned());
        broken.extend(self.damage.iter().cloned());
        broken
    }
}

/// Does one writer's share.
#[must_use]
pub fn write(engine: &Engine, scope: &Scope, writer: usize, load: Load) -> Promised {
    let mut promised = Promised::default();
    let share = load.appends / load.writers + usize::from(writer < load.appends % load.writers);
    for number in 0..share {
        let value = format!("decision {number} of writer {writer}");
        let call = Call { scope, now: clock() };
        let (answer, took) = time(|| {
            let message = message(writer, number, &value)?;
            let mut answers = engine.observe(call, vec![message], Observing::default())?;
            answers.pop().context("no answer")
        });
        promised.write_micros.push(took.as_secs_f64() * 1e6);
        let mut seen = 0;
        match answer {
            Ok(answer) if answer.counts.admitted == 1 => {
                seen = answer.watermark;
                promised.writes.push((answer.evidence.unwrap_or_default(), answer.watermark, value));
            }
            Ok(answer) => promised.failed.push(format!("{:?} {:?}", answer.counts, answer.refused)),
            Err(error) => promised.failed.push(format!("{error:#}")),
        }
        if (number + 1) % load.appends_per_turn.max(1) == 0 {
            let turn = Turn::of(&format!("what did writer {writer} decide?"));
            match engine.turn(Call { scope, now: clock() }, &turn) {
                Ok(turned) => {
                    promised.unseen += usize::from(turned.watermark < seen);
                    promised.turns.push((turned.turn, turned.watermark));
                }
                Err(error) => promised.failed.push(format!("turn: {error}")),
            }
        }
    }
    promised
}

fn message(writer: usize, number: usize, value: &str) -> Result<Message> {
    let text = format!("We settled {value}.");
    Ok(serde_json::from_value(json!({
        "source": {"kind": "conversation", "ref": format!("writer-{writer}")},
        "author": "owner",
        "external_id": format!("{writer}-{number}"),
        "text": text,
        "proposals": [{
            "entity": "project:hammer", "predicate": "decision", "value": value, "confidence": 0.9, "quote": text,
        }],
    }))?)
}

/// Threads of this process, on one engine.
///
/// # Errors
/// When the store cannot be opened.
pub fn threads(kind: StoreKind, directory: &Path, load: Load) -> Result<Found> {
    let store = kind.open(directory)?;
    let busy = Arc::new(engine(store.clone()));
    let scope = scope(SUBJECT)?;
    let promised: Vec<Promised> = std::thread::scope(|threads| {
        let writers: Vec<_> = (0..load.writers)
            .map(|writer| {
                let (busy, scope) = (busy.clone(), &scope);
                threads.spawn(move || write(&busy, scope, writer, load))
            })
            .collect();
        writers.into_iter().filter_map(|writer| writer.join().ok()).collect()
    });
    check(&engine(store), &scope, &promised)
}

/// Processes on one data directory: `program hammer-writer …` is run once for each writer.
///
/// # Errors
/// When a process cannot be started or says nothing.
pub fn processes(program: &Path, directory: &Path, load: Load) -> Result<Found> {
    let mut children = Vec::new();
    for writer in 0..load.writers {
        let child = Command::new(program)
            .arg("hammer-writer")
            .args(["--data".into(), directory.as_os_str().to_owned()])
            .args(["--writer", &writer.to_string()])
            .args(["--writers", &load.writers.to_string()])
            .args(["--appends", &load.appends.to_string()])
            .args(["--appends-per-turn", &load.appends_per_turn.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("`{}`", program.display()))?;
        children.push(child);
    }
    let mut promised = Vec::new();
    for child in children {
        let output = child.wait_with_output()?;
        if !output.status.success() {
            bail!("a writer ended with {}", output.status);
        }
        promised.push(serde_json::from_slice(&output.stdout).context("a writer's answer")?);
    }
    let store = StoreKind::Sqlite.open(directory)?;
    check(&engine(store), &scope(SUBJECT)?, &promised)
}

/// What `hammer-writer` does: one writer in a process of its own; what it was promised goes to stdout.
///
/// # Errors
/// When the store cannot be opened.
pub fn writer(data: &Path, writer: usize, load: Load) -> Result<()> {
    let engine = engine(StoreKind::Sqlite.open(data)?);
    let promised = write(&engine, &scope(SUBJECT)?, writer, load);
    println!("{}", serde_json::to_string(&promised)?);
    Ok(())
}

/// Looks at the log with an engine that took no part.
fn check(engine: &Engine, scope: &Scope, promised: &[Promised]) -> Result<Found> {
    let call = Call { scope, now: clock() };
    let mut found = Found { watermark: engine.store().head(scope)?.watermark, ..Found::default() };
    let state = engine.state(call, None, None)?;
    let values: BTreeSet<&str> = state.items.iter().filter_map(|item| item.value.as_str()).collect();
    let mut numbers = BTreeSet::new();
    for one in promised {
        found.acknowledged += one.writes.len();
        found.unseen += one.unseen;
        found.failed.extend(one.failed.iter().cloned());
        one.write_micros.iter().for_each(|micros| found.writes.push(*micros));
        for (evidence, number, value) in &one.writes {
            found.shared += usize::from(!numbers.insert(*number));
            let kept = values.contains(value.as_str()) && engine.why(call, evidence).is_ok();
            found.lost += usize::from(!kept);
        }
        for (turn, _) in &one.turns {
            found.turns += 1;
            let same = engine.replay(call, turn).is_ok_and(|replayed| replayed.identical);
            found.not_replayed += usize::from(!same);
        }
    }
    found.gaps = (1..=found.watermark).filter(|number| !numbers.contains(number)).count();
    let verified = engine.verify(call)?;
    found.damage =
        verified.damage.iter().map(|damage| format!("{}: {}", damage.place, damage.what)).collect();
    Ok(found)
}

/// The instrument.
///
/// # Errors
/// As the store's opening.
pub fn run(directory: &Path, appends: usize, runs: usize) -> Result<Report> {
    let mut report = Report::new("Many writers on one subject", "bench hammer", Limits::measure(directory)?);
    let load = Load { writers: 8, appends, appends_per_turn: 10 };
    let program: PathBuf = std::env::current_exe()?;
    let mut table = Table::new(
        &format!("8 writers, {} appends, a turn after every 10 of a writer", thousands(appends as i64)),
        &[
            "writers",
            "store",
            "appends/s, median (min–max)",
            "write ms p50",
            "p99",
            "acknowledged",
            "lost",
            "watermark",
            "gaps",
            "turns",
            "not replayed",
            "verify",
        ],
    );
    for (name, kind) in
        [("threads", StoreKind::Reference), ("threads", StoreKind::Sqlite), ("processes", StoreKind::Sqlite)]
    {
        let (mut rates, mut last) = (Samples::default(), None);
        for _ in 0..runs.max(1) {
            let place = tempfile::tempdir_in(directory)?;
            let (found, took) = time(|| match name {
                "threads" => threads(kind, place.path(), load),
                _ => processes(&program, place.path(), load),
            });
            let found = found?;
            rates.push(found.acknowledged as f64 / took.as_secs_f64());
            report.failures.extend(found.broken(load).into_iter().map(|what| format!("8 {name}: {what}")));
            last = Some(found);
        }
        let Some(found) = last else { continue };
        table.row([
            format!("8 {name}"),
            kind.as_str().to_owned(),
            rates.spread(),
            digits(found.writes.median() / 1e3),
            digits(found.writes.quantile(0.99) / 1e3),
            found.acknowledged.to_string(),
            found.lost.to_string(),
            found.watermark.to_string(),
            found.gaps.to_string(),
            found.turns.to_string(),
            found.not_replayed.to_string(),
            if found.damage.is_empty() {
                "clean".to_owned()
            } else {
                format!("{} wrong", found.damage.len())
            },
        ]);
    }
    report.tables.push(table);
    report.notes.push("The rate counts opening, writing, and the whole check afterwards.".to_owned());
    Ok(report)
}
