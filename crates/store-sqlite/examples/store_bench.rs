//! What the store does in a second, beside what the disk does: `cargo run --release -p store-sqlite --example store_bench`.
//!
//! Every figure is measured in one run, on one directory (the first argument, else a temporary one), so that ratios
//! hold where absolute numbers do not.
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock and writes where it is told")]

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ledger::conformance::{Upon, at, evidence, fact, first_story, keyed, mark, scope, source, story};
use ledger::id::{EvidenceId, Position, SourceId};
use ledger::log::{Batch, Changes, Erasure, Removed, Row};
use ledger::scope::Scope;
use ledger::store::{Appended, Erased, Store};
use store_sqlite::{Options, SqliteStore, Synchronous};

fn main() {
    let given = std::env::args().nth(1);
    let temporary = tempfile::tempdir().expect("a temporary directory");
    let base =
        given.as_deref().map_or_else(|| temporary.path().to_owned(), |given| Path::new(given).to_owned());
    let seconds = Duration::from_secs(3);

    let raw = fdatasyncs(&base, seconds);
    println!("fdatasync of 4 KiB appended            {raw:>10.0} /s");
    let overwritten = fdatasyncs_in_place(&base, seconds);
    println!("fdatasync of 4 KiB in place            {overwritten:>10.0} /s");
    let with_metadata = fsyncs_in_place(&base, seconds);
    println!("fsync of 4 KiB in place                {with_metadata:>10.0} /s");

    let store = open(&base.join("single"));
    let one = single_claims(&store, "one caller", seconds);
    println!("single-claim appends, 1 caller         {one:>10.0} /s   {:.2} of fdatasync", one / raw);
    for callers in [4, 16, 64] {
        let store = Arc::new(open(&base.join(format!("callers-{callers}"))));
        for caller in 0..callers {
            append(&store, &scope(&format!("caller {caller}")), 0, first_story(1, 0));
        }
        let started = Instant::now();
        let threads: Vec<_> = (0..callers)
            .map(|caller| {
                let store = store.clone();
                std::thread::spawn(move || count_claims(&store, &scope(&format!("caller {caller}")), seconds))
            })
            .collect();
        let done: u64 = threads.into_iter().map(|thread| thread.join().expect("a caller")).sum();
        let rate = done as f64 / started.elapsed().as_secs_f64();
        println!(
            "single-claim appends, {callers:>2} callers       {rate:>10.0} /s   {:.2} of fdatasync",
            rate / raw
        );
    }

    let options = Options { synchronous: Synchronous::Off, ..Options::default() };
    let store = SqliteStore::open(&base.join("unsynchronised"), options).expect("a store");
    let before = processor_seconds();
    let one = single_claims(&store, "one caller", seconds);
    let each = (processor_seconds() - before) * 1e6 / (one * seconds.as_secs_f64());
    println!("the same, disk not waited for          {one:>10.0} /s   ({each:.0} µs of processor each)");

    bulk(&open(&base.join("bulk")), "bulk evidence, batches of 1,000", 1, 200);
    bulk(&open(&base.join("bulk-grouped")), "the same, 10 batches a group", 10, 200);
    bulk_in_parallel(&Arc::new(open(&base.join("bulk-parallel"))));

    let cold = base.join("cold");
    let subject = scope("ten thousand facts");
    fill(&open(&cold), &subject, 10_000);
    let store = open(&cold);
    for name in ["cold open of 10k facts", "the same, warm file and keys"] {
        let started = Instant::now();
        let before = processor_seconds();
        let Ok(Changes::Appended(entries)) = store.changes_since(&subject, 0) else { panic!("no changes") };
        let rows: usize = entries.iter().map(|entry| entry.rows.len()).sum();
        let took = started.elapsed().as_secs_f64() * 1e3;
        let of_processor = (processor_seconds() - before) * 1e3;
        println!("{name:<38} {took:>10.1} ms  ({rows} rows, {of_processor:.0} ms of processor)");
    }
    let started = Instant::now();
    let store = open(&cold);
    let opened = started.elapsed();
    println!("opening the store                      {:>10.1} ms", opened.as_secs_f64() * 1e3);
    let started = Instant::now();
    let verified = store.verify(&subject).expect("verified");
    assert!(verified.damage.is_empty());
    println!("verification of 10k facts              {:>10.1} ms", started.elapsed().as_secs_f64() * 1e3);

    let forgotten = base.join("forget");
    let store = open(&forgotten);
    let (subject, erasure) = thousand_facts_of_one_source(&store);
    let started = Instant::now();
    let erased =
        store.erase(&subject, &store.upon(&subject, 2), mark("erasure", 1), &erasure).expect("erased");
    let Erased::Done { rows, residue, .. } = erased else { panic!("{erased:?}") };
    let took = started.elapsed().as_secs_f64() * 1e3;
    println!("forget a source with 1,000 facts       {took:>10.1} ms  ({rows} rows, residue {residue})");
}

/// Processor time of this process so far, in seconds; unlike the wall clock it does not count what others take.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = fields[11..13].iter().map(|field| field.parse::<f64>().expect("a number")).sum();
    ticks / 100.0
}

fn open(directory: &Path) -> SqliteStore {
    SqliteStore::open(directory, Options::default()).expect("a store")
}

fn fdatasyncs(base: &Path, time: Duration) -> f64 {
    let mut file =
        OpenOptions::new().create(true).write(true).truncate(true).open(base.join("raw")).expect("a file");
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < time {
        file.write_all(&[7; 4096]).and_then(|()| file.sync_data()).expect("written");
        done += 1;
    }
    f64::from(done) / started.elapsed().as_secs_f64()
}

fn fdatasyncs_in_place(base: &Path, time: Duration) -> f64 {
    let mut file = OpenOptions::new().write(true).open(base.join("raw")).expect("a file");
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < time {
        file.seek(SeekFrom::Start(0)).expect("a place");
        file.write_all(&[8; 4096]).and_then(|()| file.sync_data()).expect("written");
        done += 1;
    }
    f64::from(done) / started.elapsed().as_secs_f64()
}

fn fsyncs_in_place(base: &Path, time: Duration) -> f64 {
    let mut file = OpenOptions::new().write(true).open(base.join("raw")).expect("a file");
    let started = Instant::now();
    let mut done = 0;
    while started.elapsed() < time {
        file.seek(SeekFrom::Start(0)).expect("a place");
        file.write_all(&[9; 4096]).and_then(|()| file.sync_all()).expect("written");
        done += 1;
    }
    f64::from(done) / started.elapsed().as_secs_f64()
}

fn append(store: &SqliteStore, scope: &Scope, basis: u64, batch: Batch) {
    let appended = store.append(scope, &store.upon(scope, basis), &[keyed(basis, batch)]).expect("appended");
    assert_eq!(appended, Appended::Done(basis + 1));
}

fn single_claims(store: &SqliteStore, name: &str, time: Duration) -> f64 {
    let scope = scope(name);
    append(store, &scope, 0, first_story(1, 0));
    let started = Instant::now();
    let done = count_claims(store, &scope, time);
    done as f64 / started.elapsed().as_secs_f64()
}

fn count_claims(store: &SqliteStore, scope: &Scope, time: Duration) -> u64 {
    let started = Instant::now();
    let mut basis = 1;
    while started.elapsed() < time {
        append(store, scope, basis, story(basis + 1, SourceId(Position::new(1, 0)), basis));
        basis += 1;
    }
    basis - 1
}

fn thousand_messages(seq: u64, subject: u64) -> Batch {
    let source = SourceId(Position::new(1, 0));
    let rows = (0..1_000).map(|row| {
        let number = (subject << 40) + seq * 1_000 + row;
        let text =
            format!("Message {number}: we talked about the harbour, the weather and what to cook on Sunday.");
        Row::Evidence(evidence(source, &text, number))
    });
    Batch { recorded_at: at(seq), rows: rows.collect() }
}

fn bulk(store: &SqliteStore, name: &str, group: u64, batches: u64) {
    let scope = scope("bulk");
    append(store, &scope, 0, Batch { recorded_at: at(1), rows: vec![Row::Source(source("archive"))] });
    let work: Vec<_> = (2..2 + batches).map(|seq| keyed(seq, thousand_messages(seq, 0))).collect();
    let started = Instant::now();
    let before = processor_seconds();
    let mut basis = 1;
    for group in work.chunks(group as usize) {
        let appended = store.append(&scope, &store.upon(&scope, basis), group).expect("appended");
        basis += group.len() as u64;
        assert_eq!(appended, Appended::Done(basis));
    }
    let rate = batches as f64 * 1e3 / started.elapsed().as_secs_f64();
    let each = (processor_seconds() - before) * 1e6 / (batches as f64 * 1e3);
    println!("{name:<38} {rate:>10.0} rows/s  ({each:.1} µs of processor a row)");
}

fn bulk_in_parallel(store: &Arc<SqliteStore>) {
    const CALLERS: u64 = 4;
    const BATCHES: u64 = 50;
    let work: Vec<Vec<_>> = (0..CALLERS)
        .map(|caller| {
            let subject = scope(&format!("bulk {caller}"));
            append(
                store,
                &subject,
                0,
                Batch { recorded_at: at(1), rows: vec![Row::Source(source("archive"))] },
            );
            (2..2 + BATCHES).map(|seq| keyed(seq, thousand_messages(seq, caller + 1))).collect()
        })
        .collect();
    let started = Instant::now();
    let threads: Vec<_> = (0..)
        .zip(work)
        .map(|(caller, work)| {
            let store = store.clone();
            std::thread::spawn(move || {
                let subject = scope(&format!("bulk {caller}"));
                for (basis, keyed) in (1..).zip(work) {
                    let appended =
                        store.append(&subject, &store.upon(&subject, basis), &[keyed]).expect("appended");
                    assert_eq!(appended, Appended::Done(basis + 1));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("a caller"));
    let rate = (CALLERS * BATCHES) as f64 * 1e3 / started.elapsed().as_secs_f64();
    println!("{:<38} {rate:>10.0} rows/s", "the same, 4 callers");
}

fn fill(store: &SqliteStore, scope: &Scope, facts: u64) {
    append(store, scope, 0, first_story(1, 0));
    let all: Vec<_> = (1..facts)
        .map(|basis| keyed(basis, story(basis + 1, SourceId(Position::new(1, 0)), basis)))
        .collect();
    let mut basis = 1;
    for group in all.chunks(500) {
        store.append(scope, &store.upon(scope, basis), group).expect("appended");
        basis += group.len() as u64;
    }
}

/// A subject with two sources, the first with a thousand facts, and what erases that source.
fn thousand_facts_of_one_source(store: &SqliteStore) -> (Scope, Erasure) {
    let scope = scope("forget");
    let from = SourceId(Position::new(1, 0));
    let mut rows = vec![Row::Source(source("to be forgotten"))];
    let mut remove = Removed { sources: vec![from.0], ..Removed::default() };
    for number in 0..1_000_u64 {
        let ordinal = rows.len() as u32;
        let message = ledger::conformance::message(1, ordinal, from, number);
        rows.extend(message);
        remove.evidence.push(EvidenceId(Position::new(1, ordinal)).0);
        remove.facts.push(Position::new(1, ordinal + 1));
        remove.claims.push(Position::new(1, ordinal + 2));
        remove.transitions.push(Position::new(1, ordinal + 3));
    }
    rows.push(Row::Fact(fact(5_000)));
    remove.facts.push(Position::new(1, rows.len() as u32 - 1));
    append(store, &scope, 0, Batch { recorded_at: at(1), rows });
    append(store, &scope, 1, first_story(2, 1_001));
    let erasure = Erasure { recorded_at: at(9), remove, shred: vec![from], ..Erasure::default() };
    (scope, erasure)
}
