//! Programs that are killed in the middle of their work, again and again.
//!
//! [`killed_writers`] kills one process with many threads over the library; [`killed_programs`] kills many processes of the
//! program itself, as people run it. Both read what was acknowledged from the pipe, where a kill cannot take it back.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use faults::Chance;
use parking_lot::Mutex;
use serde_json::Value as Json;
use store_sqlite::failpoint::{Failpoint, VARIABLE};
use store_sqlite::{Options, SqliteStore};

use super::examine::examine;
use super::life::{SUBJECTS, saying_as_written};
use super::place::Place;
use super::told::{Deed, Told};

/// Kills after which a new directory is begun, so that examining does not take longer and longer.
const KILLS_A_DIRECTORY: u64 = 10;

/// The instants that a writer comes through who says things and forgets.
pub const WRITING: [Failpoint; 16] = [
    Failpoint::BeforeCommit,
    Failpoint::AfterCommit,
    Failpoint::Founding,
    Failpoint::GroupMade,
    Failpoint::ErasedRows,
    Failpoint::ErasedWrapped,
    Failpoint::ErasedCommitted,
    Failpoint::ErasedKeys,
    Failpoint::ErasedCopies,
    Failpoint::ErasedLogCut,
    Failpoint::ErasedSearched,
    Failpoint::ErasedCleaned,
    Failpoint::FileWritten,
    Failpoint::FileSynced,
    Failpoint::FilePlaced,
    Failpoint::FileOverwritten,
];

/// What came of many kills.
#[derive(Clone, Copy, Default, Debug)]
pub struct Kills {
    /// How many there were.
    pub kills: u64,
    /// Deeds that were acknowledged before.
    pub acknowledged: u64,
    /// Deeds that were begun and had no answer when the kill came.
    pub in_flight: u64,
    /// The longest it took to open the store afterwards.
    pub opening_ms_max: u64,
}

/// Kills `writer`, the program `killed-writer`, `kills` times while so many threads write, and examines what is left each time.
/// With `at` it is not killed but ends by itself when it passes that instant, at first soon and then later.
///
/// # Errors
/// The first thing that is wrong afterwards.
pub fn killed_writers(
    writer: &Path,
    seed: u64,
    kills: u64,
    threads: usize,
    at: Option<Failpoint>,
) -> Result<Kills, String> {
    let mut all = Kills::default();
    let mut chance = Chance::of(seed);
    let mut place = Place::new();
    let mut told = Told::default();
    for kill in 0..kills {
        if kill > 0 && kill.is_multiple_of(KILLS_A_DIRECTORY) {
            (place, told) = (Place::new(), Told::default());
        }
        let mut command = Command::new(writer);
        command.arg(place.directory()).args(["live", &kill.to_string(), &threads.to_string()]);
        if let Some(point) = at {
            command.env(VARIABLE, format!("{point:?}:{}", 1 + chance.below(1 + kill.min(8))));
        }
        let wrong = |what: String| format!("kill {kill} of seed {seed}, {at:?}: {what}");
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| wrong(error.to_string()))?;
        let output = child.stdout.take().ok_or_else(|| wrong("no output".to_owned()))?;
        let reading = std::thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).collect::<Vec<String>>()
        });
        match at {
            None => {
                // Some die while they open the store, most while they write.
                std::thread::sleep(Duration::from_micros(chance.below(250_000)));
                child.kill().map_err(|error| wrong(error.to_string()))?;
            }
            Some(_) => end_within(&mut child, Duration::from_secs(60)).map_err(wrong)?,
        }
        let ended = child.wait().map_err(|error| wrong(error.to_string()))?;
        if ended.code().is_some() {
            return Err(wrong(format!("the writer ended by itself: {ended}")));
        }
        let lines = reading.join().map_err(|_| wrong("the reader failed".to_owned()))?;
        follow(&lines, &mut told).map_err(wrong)?;
        all.kills += 1;
        all.opening_ms_max = all.opening_ms_max.max(opening_ms(place.directory()).map_err(wrong)?);
        examine(place.directory(), &told).map_err(wrong)?;
        let (acknowledged, begun) = counted(&lines);
        all.acknowledged += acknowledged;
        all.in_flight += begun - acknowledged;
    }
    Ok(all)
}

/// Waits for something to be acknowledged, for as long as a very slow machine may need. Every second kill waits for it, so that
/// something is there to lose; the others come at any time.
pub(super) fn wait_for(acknowledged: impl Fn() -> bool) {
    let begun = now();
    while !acknowledged() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for a process that is to end by itself; one that does not is killed, and that is wrong.
fn end_within(child: &mut Child, wait: Duration) -> Result<(), String> {
    let begun = now();
    while begun.elapsed() < wait {
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    Err("it never came to that instant".to_owned())
}

fn counted(lines: &[String]) -> (u64, u64) {
    let count = |tag: &str| lines.iter().filter(|line| line.starts_with(tag)).count() as u64;
    (count("done "), count("begin "))
}

/// Takes in what a writer told: `begin say S N`, `done say S N`, `begin forget N`, `done forget N`.
fn follow(lines: &[String], told: &mut Told) -> Result<(), String> {
    let mut open: Vec<(String, usize)> = Vec::new();
    for line in lines {
        let Some((tag, rest)) = line.split_once(' ') else { continue };
        let parts: Vec<&str> = rest.split(' ').collect();
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("a strange line: {line}"));
        match (tag, parts.as_slice()) {
            ("begin", ["say", subject, which]) => {
                let deed = Deed::Say { subject: number(subject)? as usize, number: number(which)? };
                open.push((rest.to_owned(), told.begin(deed)));
            }
            ("begin", ["forget", which]) => {
                open.push((rest.to_owned(), told.begin(Deed::Forget { number: number(which)? })));
            }
            ("done", _) => {
                let place = open.iter().position(|(begun, _)| begun == rest);
                let (_, place) = open.swap_remove(place.ok_or("done before it was begun")?);
                told.acknowledge(place);
            }
            _ => {}
        }
    }
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "how long it takes to open is part of what is proved")]
fn now() -> Instant {
    Instant::now()
}

fn opening_ms(directory: &Path) -> Result<u64, String> {
    let begun = now();
    let store = SqliteStore::open(directory, Options::default());
    let took = begun.elapsed().as_millis() as u64;
    store.map(|_| took).map_err(|error| format!("does not open: {error}"))
}

/// Kills `processes` processes of `program`, the program itself, at once, `kills` times, while each takes in messages and
/// another forgets some of them; examines what is left each time.
///
/// # Errors
/// The first thing that is wrong afterwards.
pub fn killed_programs(program: &Path, seed: u64, kills: u64, processes: usize) -> Result<Kills, String> {
    let mut all = Kills::default();
    let mut chance = Chance::of(seed);
    let mut place = Place::new();
    let mut told = Told::default();
    for kill in 0..kills {
        if kill > 0 && kill.is_multiple_of(KILLS_A_DIRECTORY) {
            (place, told) = (Place::new(), Told::default());
        }
        let wrong = |what: String| format!("kill {kill} of seed {seed}: {what}");
        let round = Arc::new(Mutex::new((std::mem::take(&mut told), 0_u64, 0_u64)));
        let (answered, answers) = channel::<(u64, usize, String)>();
        let mut children = Vec::new();
        let mut threads = Vec::new();
        for process in 0..processes {
            let subject = process % SUBJECTS;
            let mut child = command(program, place.directory(), subject)
                .args(["observe", "-"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .map_err(|error| wrong(error.to_string()))?;
            let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
                return Err(wrong("no pipes".to_owned()));
            };
            children.push(child);
            let (round, answered) = (round.clone(), answered.clone());
            threads.push(std::thread::spawn(move || {
                let mut output = BufReader::new(output);
                for step in 0..1_000 {
                    let number = (kill * 100 + process as u64) * 1_000 + step;
                    let begun = round.lock().0.begin(Deed::Say { subject, number });
                    round.lock().1 += 1;
                    let mut line = String::new();
                    let sent =
                        writeln!(input, "{}", saying_as_written(&format!("talk {kill} {process}"), number))
                            .and_then(|()| input.flush());
                    if sent.is_err() || output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    // A line that was cut off by the kill is no answer.
                    let Ok(answer) = serde_json::from_str::<Json>(&line) else { return };
                    let mut round = round.lock();
                    round.0.acknowledge(begun);
                    round.2 += 1;
                    drop(round);
                    if let (Some(id), true) = (answer["evidence"].as_str(), step % 5 == 4) {
                        let _ = answered.send((number, subject, id.to_owned()));
                    }
                }
            }));
        }
        drop(answered);
        if kill % 2 == 1 {
            wait_for(|| round.lock().2 > 0);
        }
        let until = now() + Duration::from_micros(20_000 + chance.below(800_000));
        let mut forgetting: Option<(usize, Child)> = None;
        loop {
            let left = until.saturating_duration_since(now());
            if left.is_zero() {
                break;
            }
            if let Some((begun, child)) = &mut forgetting {
                match child.try_wait().map_err(|error| wrong(error.to_string()))? {
                    Some(ended) => {
                        if ended.success() {
                            round.lock().0.acknowledge(*begun);
                        }
                        forgetting = None;
                    }
                    None => std::thread::sleep(left.min(Duration::from_millis(2))),
                }
                continue;
            }
            if let Ok((number, subject, id)) = answers.recv_timeout(left.min(Duration::from_millis(5))) {
                let begun = round.lock().0.begin(Deed::Forget { number });
                let child = command(program, place.directory(), subject)
                    .args(["forget", &id])
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .map_err(|error| wrong(error.to_string()))?;
                forgetting = Some((begun, child));
            }
        }
        children.extend(forgetting.map(|(_, child)| child));
        for child in &mut children {
            child.kill().map_err(|error| wrong(error.to_string()))?;
        }
        for mut child in children {
            child.wait().map_err(|error| wrong(error.to_string()))?;
        }
        for thread in threads {
            thread.join().map_err(|_| wrong("a thread failed".to_owned()))?;
        }
        let (so_far, begun, acknowledged) = std::mem::take(&mut *round.lock());
        told = so_far;
        all.kills += 1;
        all.acknowledged += acknowledged;
        all.in_flight += begun - acknowledged;
        let since = now();
        let verified = command(program, place.directory(), 0)
            .arg("verify")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| wrong(error.to_string()))?;
        all.opening_ms_max = all.opening_ms_max.max(since.elapsed().as_millis() as u64);
        // A subject nothing was said to yet is not there to verify.
        if !matches!(verified.status.code(), Some(0 | 1)) {
            return Err(wrong(format!("`verify` ends with {}: {verified:?}", verified.status)));
        }
        examine(place.directory(), &told).map_err(wrong)?;
    }
    Ok(all)
}

fn command(program: &Path, data: &Path, subject: usize) -> Command {
    let mut command = Command::new(program);
    command.arg("--data").arg(data).args(["--subject", &format!("person{subject}"), "--json"]);
    command.env("TESTIMONY_MODELS_DIR", "no models here");
    command
}
