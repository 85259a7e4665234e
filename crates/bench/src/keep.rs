//! Keeping: how long a backup, its restoring, a drill and a change of keys take, and whether a backup taken under writing
//! is the store at its watermark.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use engine::observe::{Message, Observing};
use engine::{Call, Engine};
use ledger::scope::Scope;
use ledger::store::Store;
use serde_json::json;
use store_sqlite::{Options, SqliteStore};
use testimony::Config;
use testimony::backup::manifest::hexadecimal;
use testimony::backup::{Backup, Keys, Progress, Restore, check, put_back, take};
use testimony::drill::{Drill, drill};

use crate::machine::{Limits, resident_bytes};
use crate::measure::{digits, thousands, time};
use crate::report::{Report, Table};
use crate::speed::{Corpus, fill};
use crate::stores::{clock, engine, scope};

/// Facts of one subject.
const FACTS: usize = 1_000;

/// How many writes a second go on while a backup is taken.
const WRITES_PER_SECOND: u32 = 500;

/// Sources whose keys are changed.
const SOURCES: usize = 1_000;

fn go_on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The instrument: `subjects` of [`FACTS`] facts each.
///
/// # Errors
/// When the store, a backup or a drill fails.
pub fn run(directory: &Path, subjects: usize) -> Result<Report> {
    let mut report = Report::new(
        "Keeping",
        &format!("cargo run --release -p bench -- keep --subjects {subjects}"),
        Limits::measure(directory)?,
    );
    let mut table = Table::new("Backup, restore, drill, keys", &["work", "took, s", "besides"]);
    let place = tempfile::tempdir_in(directory)?;
    let data = place.path().join("data");
    let store = Arc::new(SqliteStore::open(&data, Options::default())?);
    let corpus = Corpus::read()?;
    let (filled, took) = time(|| -> Result<()> {
        let engine = engine(store.clone()).with_memory_limit(64 << 20);
        for number in 0..subjects {
            fill(&engine, &scope(&format!("s{number}"))?, &corpus, FACTS)?;
        }
        Ok(())
    });
    filled?;
    let size =
        format!("{} facts in {} subjects", thousands((FACTS * subjects) as i64), thousands(subjects as i64));
    table.row_at_once([format!("filling {size}"), digits(took.as_secs_f64()), String::new()]);

    let kept = place.path().join("kept");
    let backup = |target: &Path| Backup {
        data: data.clone(),
        target: target.to_owned(),
        keys: Keys::Within,
        now: clock(),
    };
    let (taken, took) = time(|| take(&backup(&kept), &mut go_on));
    let taken = taken?;
    let mib = taken.bytes as f64 / f64::from(1 << 20);
    let rate = format!("{} MiB, {} MiB/s", digits(mib), digits(mib / took.as_secs_f64()));
    table.row_at_once([format!("backup of {size}"), digits(took.as_secs_f64()), rate]);
    let (checked, took) = time(|| check(&kept));
    report.must(checked?.ok, || "the backup is not as it was written".to_owned());
    table.row_at_once(["checking it against its list".to_owned(), digits(took.as_secs_f64()), String::new()]);

    under_writing(&mut report, &mut table, place.path(), &store, &backup)?;

    let held = Drill {
        config: Config::at(&data),
        backup: Some(kept),
        keys: None,
        place: Some(place.path().to_owned()),
        turns: 20,
        now: clock(),
    };
    let before = resident_bytes();
    let (drilled, took) = time(|| drill(&held, &mut go_on));
    let drilled = drilled?;
    let first = drilled.differences.first().cloned().unwrap_or_default();
    report.must(drilled.ok, || format!("the drill found: {first}"));
    let besides = format!(
        "{} facts, {} subjects compared, {} recalls; {} MiB more resident afterwards",
        thousands(drilled.facts as i64),
        drilled.compared,
        drilled.recalls,
        digits(resident_bytes().saturating_sub(before) as f64 / f64::from(1 << 20))
    );
    table.row_at_once([format!("drill of {size}"), digits(took.as_secs_f64()), besides]);

    change_keys(&mut table, place.path())?;
    report.tables.push(table);
    Ok(report)
}

/// A backup while one subject is written to at a steady rate, restored and compared.
fn under_writing(
    report: &mut Report,
    table: &mut Table,
    place: &Path,
    store: &Arc<SqliteStore>,
    backup: &dyn Fn(&Path) -> Backup,
) -> Result<()> {
    const CALLERS: u32 = 32;
    let engine = Arc::new(engine(store.clone()));
    let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let (engine, stop, written) = (engine.clone(), stop.clone(), written.clone());
            std::thread::spawn(move || -> Result<()> {
                let scope = scope("written")?;
                let mut next = Instant::now();
                for number in 0_u64.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    write_one(&engine, &scope, caller, number)?;
                    written.fetch_add(1, Ordering::Relaxed);
                    next += Duration::from_secs(1) * CALLERS / WRITES_PER_SECOND;
                    std::thread::sleep(next.saturating_duration_since(Instant::now()));
                }
                Ok(())
            })
        })
        .collect();
    std::thread::sleep(Duration::from_secs(2));
    let kept = place.join("under writing");
    let before = written.load(Ordering::Relaxed);
    let (taken, took) = time(|| take(&backup(&kept), &mut go_on));
    let during = written.load(Ordering::Relaxed) - before;
    std::thread::sleep(Duration::from_secs(1));
    stop.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.join().map_err(|_| anyhow::anyhow!("a caller panicked"))??;
    }
    let taken = taken?;
    let restored = place.join("restored");
    let (put, back) =
        time(|| put_back(&Restore { from: kept, keys: None, data: restored.clone() }, &mut go_on));
    put?;
    let copy = SqliteStore::open(&restored, Options::default())?;
    let mut appends = 0;
    for subject in copy.subjects()? {
        let scope = Scope::of(subject);
        let head = copy.head(&scope)?;
        let same = copy.changes_since(&scope, 0)?;
        let ledger::log::Changes::Appended(entries) = same else { continue };
        let ledger::log::Changes::Appended(original) = store.changes_since(&scope, 0)? else { continue };
        let equal = entries.len() as u64 == head.watermark && original.starts_with(&entries);
        report
            .must(equal, || format!("a restored log differs from the store at watermark {}", head.watermark));
        appends += head.watermark;
    }
    let told: u64 = taken.subjects.iter().map(|end| end.watermark).sum();
    report.must(told == appends, || format!("the list tells {told} appends, the copy has {appends}"));
    table.row_at_once([
        format!("backup under writing, aim {WRITES_PER_SECOND} writes a second"),
        digits(took.as_secs_f64()),
        format!(
            "{} writes a second went on; restored, {} appends equal to the store at their watermarks",
            digits(during as f64 / took.as_secs_f64()),
            thousands(appends as i64)
        ),
    ]);
    table.row_at_once(["restoring it".to_owned(), digits(back.as_secs_f64()), String::new()]);
    Ok(())
}

fn write_one(engine: &Engine, scope: &Scope, caller: u32, number: u64) -> Result<()> {
    let message: Message = serde_json::from_value(json!({
        "source": {"kind": "conversation", "ref": format!("c{caller}")},
        "author": "assistant", "external_id": number.to_string(),
        "text": format!("Message {number} of caller {caller}: nothing is said here that anybody would remember."),
    }))?;
    let answers = engine.observe(Call { scope, now: clock() }, vec![message], Observing::default())?;
    answers.first().context("no answer").map(drop)
}

/// A subject of many sources, its keys changed in every way.
fn change_keys(table: &mut Table, place: &Path) -> Result<()> {
    let store = Arc::new(SqliteStore::open(&place.join("sources"), Options::default())?);
    let (me, engine) = (scope("me")?, engine(store.clone()));
    let messages = (0..SOURCES).map(|number| -> Result<Message> {
        Ok(serde_json::from_value(json!({
            "source": {"kind": "document", "ref": hexadecimal(&number.to_le_bytes())},
            "author": "external", "text": format!("Document {number}."), "proposals": [],
        }))?)
    });
    let observing = Observing { per_append: SOURCES, ..Observing::default() };
    engine.observe(Call { scope: &me, now: clock() }, messages.collect::<Result<_>>()?, observing)?;
    let sources = thousands(SOURCES as i64);
    let (rotated, took) = time(|| store.rotate_master(None, |_| ControlFlow::Continue(())));
    let rotated = rotated?;
    let told = |groups: u64, keys: u64| format!("{} keys in {groups} groups", thousands(keys as i64));
    table.row_at_once([
        format!("a new master key, {sources} sources"),
        digits(took.as_secs_f64()),
        told(rotated.groups, rotated.keys),
    ]);
    let (rotated, took) = time(|| store.rotate_groups(Some(&me)));
    let rotated = rotated?;
    table.row_at_once([
        format!("new group keys, {sources} sources"),
        digits(took.as_secs_f64()),
        told(rotated.groups, rotated.keys),
    ]);
    Ok(())
}
