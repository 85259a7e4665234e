//! Servers that are killed, end at a failpoint, or are asked to end, in the middle of their work.
//!
//! Clients ask over HTTP as anybody's would; what they were answered is what must be there afterwards.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use faults::Chance;
use parking_lot::Mutex;
use serde_json::{Value as Json, json};
use store_sqlite::failpoint::{Failpoint, VARIABLE};
use ureq::Agent;

use super::examine::examine;
use super::kills::{Kills, WRITING, wait_for};
use super::life::{SUBJECTS, saying_as_written};
use super::place::Place;
use super::told::{Deed, Told};

/// Ends after which a new directory is begun, so that examining does not take longer and longer.
const ENDS_A_DIRECTORY: u64 = 10;

/// How long a server is waited for.
const END_WITHIN: Duration = Duration::from_secs(40);

/// How a server is made to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// At once, with SIGKILL.
    Killed,
    /// In its own time, with SIGTERM; it must then answer everything it took in.
    Asked,
    /// By itself when it passes this instant, at first soon and then later.
    At(Failpoint),
}

/// What is known in a round, and counted.
#[derive(Default)]
struct Round {
    told: Told,
    begun: u64,
    acknowledged: u64,
    /// Answers of another kind than those of a server that is there or gone.
    strange: Vec<String>,
}

/// The instants that a server comes through whose clients say things and forget them one by one: none of them forgets a whole
/// memory, by which alone a key's file is overwritten.
pub fn serving() -> impl Iterator<Item = Failpoint> {
    WRITING.into_iter().filter(|point| *point != Failpoint::FileOverwritten)
}

/// Ends a server `ends` times while `clients` write and forget through HTTP, and examines what is left each time.
///
/// # Errors
/// The first thing that is wrong afterwards.
pub fn ended_servers(
    program: &Path,
    seed: u64,
    ends: u64,
    clients: usize,
    end: End,
) -> Result<Kills, String> {
    let mut all = Kills::default();
    let mut chance = Chance::of(seed);
    let mut place = Place::new();
    let mut told = Told::default();
    for turn in 0..ends {
        if turn > 0 && turn.is_multiple_of(ENDS_A_DIRECTORY) {
            (place, told) = (Place::new(), Told::default());
        }
        let wrong = |what: String| format!("end {turn} of seed {seed}, {end:?}: {what}");
        let begun = now();
        let failpoint = match end {
            End::At(point) => Some(format!("{point:?}:{}", 1 + chance.below(1 + turn.min(8)))),
            End::Killed | End::Asked => None,
        };
        let mut command = Command::new(program);
        command.envs(failpoint.map(|failpoint| (VARIABLE, failpoint)));
        // One that ends while it opens the directory has no door, and nobody asks it.
        let (server, door) = begun_or_ended(command, place.directory()).map_err(wrong)?;
        match (&door, end) {
            (None, End::Killed | End::Asked) => return Err(wrong("it did not begin".to_owned())),
            (None, End::At(_)) => {}
            (Some(_), _) => {
                all.opening_ms_max = all.opening_ms_max.max(begun.elapsed().as_millis() as u64);
            }
        }
        let round = Arc::new(Mutex::new(Round { told: std::mem::take(&mut told), ..Round::default() }));
        let threads: Vec<_> = (0..clients)
            .filter_map(|client| Some((client, door.clone()?)))
            .map(|(client, door)| {
                let round = round.clone();
                std::thread::spawn(move || write(&door, turn, client, &round))
            })
            .collect();
        if let End::Killed | End::Asked = end {
            if turn % 2 == 1 {
                wait_for(|| round.lock().acknowledged > 0);
            }
            std::thread::sleep(Duration::from_micros(30_000 + chance.below(600_000)));
        }
        let ended = stop(server, end).map_err(wrong)?;
        for thread in threads {
            thread.join().map_err(|_| wrong("a client failed".to_owned()))?;
        }
        // By a signal, unless it was asked.
        if ended.code().is_some() != (end == End::Asked) || ended.code().is_some_and(|code| code != 0) {
            return Err(wrong(format!("it ended with {ended}")));
        }
        let round = std::mem::take(&mut *round.lock());
        if let Some(strange) = round.strange.first() {
            return Err(wrong(format!("{strange} ({} such answers)", round.strange.len())));
        }
        told = round.told;
        all.kills += 1;
        all.acknowledged += round.acknowledged;
        all.in_flight += round.begun - round.acknowledged;
        examine(place.directory(), &told).map_err(wrong)?;
    }
    Ok(all)
}

/// The program as a server.
pub struct Serving {
    server: Process,
    door: Door,
}

impl Serving {
    /// Starts it over a data directory, on a port that is free. `program` is the program, or what starts it.
    ///
    /// # Errors
    /// Where it does not begin to serve.
    pub fn begin(program: Command, data: &Path) -> Result<Self, String> {
        match begun_or_ended(program, data)? {
            (mut server, None) => Err(format!("it did not begin: {:?}", server.0.wait())),
            (server, Some(door)) => Ok(Self { server, door }),
        }
    }

    /// How it is asked.
    #[must_use]
    pub fn door(&self) -> Door {
        self.door.clone()
    }

    /// Has it end; how it ended.
    ///
    /// # Errors
    /// Where it does not end within 40 s; it is killed then.
    pub fn end(self, end: End) -> Result<ExitStatus, String> {
        stop(self.server, end)
    }
}

/// A process that is killed with this.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended is nobody to kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server; how it is asked, unless it ended before it said where.
fn begun_or_ended(mut program: Command, data: &Path) -> Result<(Process, Option<Door>), String> {
    let mut server = program
        .arg("--data")
        .arg(data)
        .args(["serve", "--without-key", "--listen", "127.0.0.1:0"])
        .env("TESTIMONY_MODELS_DIR", "no models here")
        .env("TESTIMONY_LOG", "error")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut address = String::new();
    if let Some(output) = server.stdout.take() {
        BufReader::new(output).read_line(&mut address).map_err(|error| error.to_string())?;
    }
    let address = address.trim();
    Ok((Process(server), (!address.is_empty()).then(|| Door::at(address))))
}

fn stop(mut server: Process, end: End) -> Result<ExitStatus, String> {
    let failed = |error: std::io::Error| error.to_string();
    match end {
        End::Killed => server.0.kill().map_err(failed)?,
        End::At(_) => {}
        End::Asked => {
            let pid = server.0.id().to_string();
            Command::new("kill").args(["-TERM", &pid]).status().map_err(failed)?;
        }
    }
    let since = now();
    while since.elapsed() < END_WITHIN {
        if let Some(ended) = server.0.try_wait().map_err(failed)? {
            return Ok(ended);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Err(format!("it did not end within {END_WITHIN:?}"))
}

/// How a server is asked over HTTP.
#[derive(Clone)]
pub struct Door {
    agent: Agent,
    address: String,
}

impl Door {
    fn at(address: &str) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build();
        Self { agent: agent.into(), address: address.to_owned() }
    }

    /// The status and the answer of a POST for a subject; `None` where the server is gone, or the answer was cut off.
    #[must_use]
    pub fn post(&self, path: &str, subject: &str, body: &Json) -> Option<(u16, Json)> {
        let sent = self
            .agent
            .post(format!("{}{path}", self.address))
            .header("content-type", "application/json")
            .header("testimony-subject", subject)
            .send(body.to_string());
        read(sent.ok()?)
    }

    /// The same of a GET.
    #[must_use]
    pub fn get(&self, path: &str, subject: &str) -> Option<(u16, Json)> {
        let asked = self.agent.get(format!("{}{path}", self.address)).header("testimony-subject", subject);
        read(asked.call().ok()?)
    }
}

fn read(mut answered: ureq::http::Response<ureq::Body>) -> Option<(u16, Json)> {
    let status = answered.status().as_u16();
    // An answer that was cut off is none.
    let answer = serde_json::from_str(&answered.body_mut().read_to_string().ok()?).ok()?;
    Some((status, answer))
}

/// Says things, and forgets every fifth, until nobody answers.
fn write(door: &Door, turn: u64, client: usize, round: &Mutex<Round>) {
    let subject = client % SUBJECTS;
    for step in 0..1_000 {
        let number = (turn * 100 + client as u64) * 1_000 + step;
        let message = saying_as_written(&format!("talk {turn} {client}"), number);
        let deed = Deed::Say { subject, number };
        let body = json!({"messages": [message]});
        let Some(answer) = ask(door, "/v1/evidence", subject, &body, deed, round) else { return };
        if let (Some(id), true) = (answer["observed"][0]["evidence"].as_str(), step % 5 == 4) {
            let deed = Deed::Forget { number };
            if ask(door, "/v1/erasures", subject, &json!({"ids": [id]}), deed, round).is_none() {
                return;
            }
        }
    }
}

/// Does a deed over HTTP; `None` once the server is gone or going.
fn ask(
    door: &Door,
    path: &str,
    subject: usize,
    body: &Json,
    deed: Deed,
    round: &Mutex<Round>,
) -> Option<Json> {
    let place = {
        let mut round = round.lock();
        round.begun += 1;
        round.told.begin(deed)
    };
    let (status, answer) = door.post(path, &format!("person{subject}"), body)?;
    let mut round = round.lock();
    if status != 200 {
        round.strange.push(format!("{path} answered {status}: {answer}"));
        return None;
    }
    round.told.acknowledge(place);
    round.acknowledged += 1;
    Some(answer)
}

#[allow(clippy::disallowed_methods, reason = "how long it takes to start is part of what is proved")]
fn now() -> Instant {
    Instant::now()
}
