//! Many threads, many processes, and processes killed in the middle: nothing acknowledged is lost.
#![allow(
    clippy::disallowed_methods,
    reason = "the tests start themselves again with a word in the environment"
)]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::places;
use ledger::conformance::{Upon, at, first_story, keyed, mark, record_turn, scope, story, turn};
use ledger::id::{Position, SourceId};
use ledger::log::{Changes, Erasure, Removed, Row};
use ledger::scope::Scope;
use ledger::store::{Appended, Erased, Head, Store};
use store_sqlite::SqliteStore;

const ROLE: &str = "TESTIMONY_TEST_ROLE";
const DIRECTORY: &str = "TESTIMONY_TEST_DIRECTORY";
const WRITERS: u64 = 8;
const EACH: u64 = 250;

/// Appends to one subject, reading the basis again whenever somebody was faster; the append each number became.
fn hammer(store: &SqliteStore, writer: u64) -> Vec<(u64, u64)> {
    let ana = scope("ana");
    let mut basis = store.head(&ana).expect("head").watermark;
    let mut acknowledged = Vec::new();
    for one in 0..EACH {
        let number = 1 + writer * EACH + one;
        loop {
            let batch = story(basis + 1, SourceId(Position::new(1, 0)), number);
            match store.append(&ana, &store.upon(&ana, basis), &[keyed(number, batch)]).expect("an answer") {
                Appended::Done(done) => {
                    acknowledged.push((done, number));
                    basis = done;
                    break;
                }
                Appended::BasisMoved(moved) => basis = moved,
                other => panic!("{other:?}"),
            }
        }
    }
    acknowledged
}

/// Checks that the log is what was acknowledged, number for number, with no gap.
fn assert_all_there(store: &SqliteStore, mut acknowledged: Vec<(u64, u64)>) {
    let ana = scope("ana");
    acknowledged.sort_unstable();
    assert_eq!(acknowledged.len() as u64, WRITERS * EACH);
    assert!(acknowledged.iter().map(|(seq, _)| *seq).eq(2..=1 + WRITERS * EACH), "watermarks are dense");
    let Ok(Changes::Appended(entries)) = store.changes_since(&ana, 1) else { panic!("changes") };
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| match &entry.rows[0].1 {
            Row::Evidence(evidence) => (entry.seq, evidence.marks.moment),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected: Vec<_> = acknowledged.iter().map(|(seq, number)| (*seq, mark("moment", *number))).collect();
    assert_eq!(seen, expected);
    assert_eq!(places::damage(store, &ana), []);
}

fn first_append(directory: &Path) -> SqliteStore {
    let store = places::open(directory);
    let appended =
        store.append(&scope("ana"), &Head::default(), &[keyed(0, first_story(1, 0))]).expect("appended");
    assert_eq!(appended, Appended::Done(1));
    store
}

#[test]
fn eight_threads_lose_nothing() {
    let store = Arc::new(first_append(&places::fresh()));
    let threads: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = store.clone();
            std::thread::spawn(move || hammer(&store, writer))
        })
        .collect();
    let acknowledged = threads.into_iter().flat_map(|thread| thread.join().expect("a writer")).collect();
    assert_all_there(&store, acknowledged);
}

/// This test program once more, doing only `test`, in `role`.
fn again(test: &str, role: &str, directory: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", &format!("crash::{test}"), "--nocapture"])
        .env(ROLE, role)
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

fn role() -> Option<(String, std::path::PathBuf)> {
    let role = std::env::var(ROLE).ok()?;
    Some((role, std::env::var_os(DIRECTORY).expect("a directory").into()))
}

#[test]
fn eight_processes_lose_nothing() {
    if let Some((writer, directory)) = role() {
        // All begin on a place where nothing is yet, so that making the store is contended for too.
        let store = places::open(&directory);
        let _ =
            store.append(&scope("ana"), &Head::default(), &[keyed(0, first_story(1, 0))]).expect("an answer");
        for (seq, number) in hammer(&store, writer.parse().expect("a number")) {
            println!("acknowledged {seq} {number}");
        }
        return;
    }
    let directory = places::fresh();
    let processes: Vec<Child> = (0..WRITERS)
        .map(|writer| again("eight_processes_lose_nothing", &writer.to_string(), &directory))
        .collect();
    let mut acknowledged = Vec::new();
    for mut process in processes {
        let mut told = String::new();
        process.stdout.take().expect("a pipe").read_to_string(&mut told).expect("told");
        assert!(process.wait().expect("ended").success(), "{told}");
        acknowledged.extend(told.lines().filter_map(numbers));
    }
    assert_all_there(&places::open(&directory), acknowledged);
}

fn numbers(line: &str) -> Option<(u64, u64)> {
    let (_, told) = line.split_once("acknowledged ")?;
    let (left, right) = told.split_once(' ')?;
    Some((left.parse().ok()?, right.parse().ok()?))
}

const CYCLES: u64 = 30;
const CALLERS: u64 = 4;

#[test]
fn nothing_acknowledged_is_lost_to_a_kill() {
    if let Some((cycle, directory)) = role() {
        write_until_killed(&directory, cycle.parse().expect("a number"));
    }
    let directory = places::fresh();
    let mut acknowledged: BTreeSet<(u64, u64)> = BTreeSet::new();
    for cycle in 0..CYCLES {
        let mut process = again("nothing_acknowledged_is_lost_to_a_kill", &cycle.to_string(), &directory);
        let mut lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        // Some are killed while they open the store, most while they write.
        if !cycle.is_multiple_of(7) {
            let begun = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("begun")));
            assert!(begun.is_some(), "cycle {cycle} never began");
        }
        std::thread::sleep(Duration::from_millis(20 + cycle * 37 % 170));
        process.kill().expect("killed");
        process.wait().expect("ended");
        acknowledged.extend(lines.map_while(Result::ok).filter_map(|line| numbers(&line)));

        let store = places::open(&directory);
        for caller in 0..CALLERS {
            let own = scope(&format!("caller {caller}"));
            let last = acknowledged.iter().filter(|(who, _)| *who == caller).map(|(_, seq)| *seq).max();
            let head = store.head(&own).expect("head").watermark;
            assert!(head >= last.unwrap_or(0), "cycle {cycle}: {head} of {last:?}");
            assert_eq!(places::damage(&store, &own), [], "cycle {cycle}");
        }
    }
    assert!(acknowledged.len() as u64 > CYCLES * 2, "{}", acknowledged.len());
}

/// Appends, and now and then erases or records a turn, telling of each once it is acknowledged. Never returns.
fn write_until_killed(directory: &Path, cycle: u64) -> ! {
    let store = Arc::new(places::open(directory));
    tell("begun");
    let threads: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let store = store.clone();
            std::thread::spawn(move || write_as(&store, caller, cycle))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("a caller"));
    panic!("the writers ended");
}

fn tell(what: &str) {
    // One write a line, past any buffer: what was told before the kill is in the pipe.
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n{what}\n").as_bytes()).and_then(|()| out.flush()).expect("told");
}

fn write_as(store: &SqliteStore, caller: u64, cycle: u64) {
    let own: Scope = scope(&format!("caller {caller}"));
    for step in 0_u64.. {
        let basis = store.head(&own).expect("head").watermark;
        let number = cycle * 1_000_000 + step;
        let key = |purpose| mark(purpose, number);
        if step % 9 == 5 && basis > 0 {
            let place = |row| vec![Position::new(basis, row)];
            let remove = Removed {
                sources: place(0),
                evidence: place(1),
                facts: place(2),
                claims: place(3),
                transitions: place(4),
                ..Removed::default()
            };
            let erasure = Erasure { recorded_at: at(basis), remove, ..Erasure::default() };
            match store.erase(&own, &store.upon(&own, basis), key("erasure"), &erasure).expect("an answer") {
                Erased::Done { watermark, .. } => tell(&format!("acknowledged {caller} {watermark}")),
                Erased::BasisMoved(_) => {}
            }
        } else {
            let batch = first_story(basis + 1, number);
            match store.append(&own, &store.upon(&own, basis), &[keyed(number, batch)]).expect("an answer") {
                Appended::Done(done) => tell(&format!("acknowledged {caller} {done}")),
                other => panic!("{other:?}"),
            }
        }
        if step % 5 == 0 {
            record_turn(store, &own, key("turn"), &turn(number)).expect("recorded");
        }
    }
}
