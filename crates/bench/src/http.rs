//! HTTP under load: the program itself as a server, many connections beside it, and what they were answered.
//!
//! Three loads, each on a server of its own: many connections that ask one thing after another; the same beside clients that never
//! read and clients that send a byte a second; and one noisy caller beside a quiet one, where refusals by the rate limit are counted.
//! A call that is sent away for want of room is counted apart, and its client waits as long as it was told; every other answer that
//! is not the one asked for is an error. What is measured besides is the memory of the server's process, what HTTP adds to the call
//! of the engine, and whether the time of a refusal tells what exists.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use engine::Call;
use engine::recall::Recall;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::machine::Limits;
use crate::measure::{Samples, digits, thousands, time};
use crate::report::{Report, Table};
use crate::stores::{StoreKind, clock, engine as open_engine, scope};

/// Subjects that share the load.
const SUBJECTS: usize = 100;

/// Messages of each before it begins.
const MESSAGES_BEFORE: usize = 100;

/// How many connections there are, and for how long.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The program that serves.
    pub program: PathBuf,
    /// Connections that ask.
    pub connections: usize,
    /// For how long, in seconds.
    pub seconds: u64,
    /// Connections that never read, and as many that send a byte a second.
    pub slow: usize,
}

/// A server of the program, which ends with this.
struct Served {
    process: Child,
    address: String,
    data: tempfile::TempDir,
}

/// What clients were answered.
#[derive(Default)]
struct Tally {
    observe: Samples,
    recall: Samples,
    turn: Samples,
    /// Calls that found no room within the server's patience, and were told so.
    sent_away: u64,
    errors: Vec<String>,
}

/// Measures.
///
/// # Errors
/// When the program cannot be started, or answers none of its own shapes.
pub fn run(directory: &Path, extent: &Extent) -> Result<Report> {
    let mut report = Report::new("HTTP under load", "bench http", Limits::measure(directory)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut table = Table::new(
        &format!(
            "{} connections for {} s, {SUBJECTS} subjects",
            thousands(extent.connections as i64),
            extent.seconds
        ),
        &[
            "load",
            "calls a second",
            "observe ms p50 / p99",
            "recall",
            "turn",
            "sent away",
            "errors",
            "memory idle, MiB",
            "over idle, at most",
            "of it what was said meanwhile",
        ],
    );
    for (name, slow) in [("alone", 0), ("beside slow clients", extent.slow)] {
        let mut server = Served::start(&extent.program, directory, &[])?;
        runtime.block_on(fill(&server.address))?;
        let idle = server.resident()?;
        let (tally, most) = runtime.block_on(load(&server, extent, slow))?;
        // The same memories once more, with nobody else connected.
        server.start_again(&extent.program)?;
        runtime.block_on(touch(&server.address))?;
        let data = server.resident()?;
        let calls = tally.observe.count() + tally.recall.count() + tally.turn.count();
        report.must(tally.errors.is_empty(), || {
            format!(
                "{name}: {} errors, such as {}",
                tally.errors.len(),
                tally.errors.first().map_or("", |first| first)
            )
        });
        let mebibytes = |bytes: u64| digits(bytes as f64 / 1_048_576.0);
        table.row([
            name.to_owned(),
            digits(calls as f64 / extent.seconds as f64),
            both(&tally.observe),
            both(&tally.recall),
            both(&tally.turn),
            thousands(tally.sent_away as i64),
            tally.errors.len().to_string(),
            mebibytes(idle),
            mebibytes(most.saturating_sub(idle)),
            mebibytes(data.saturating_sub(idle)),
        ]);
    }
    report.tables.push(table);
    report.tables.push(noisy(directory, extent, &runtime)?);
    report.tables.push(overhead(directory, extent, &runtime)?);
    report.tables.push(unknown(directory, extent, &runtime)?);
    Ok(report)
}

/// Rounds in which what is another's and what is nobody's is asked for in turn.
const ROUNDS: usize = 4_000;

/// Whether the time of an answer tells what exists: an id of somebody else beside one that nobody has, and a subject that exists
/// beside one that does not.
///
/// Whoever asks holds a key for one subject. The noise is what the medians of the even and the odd rounds of one kind differ by.
fn unknown(directory: &Path, extent: &Extent, runtime: &tokio::runtime::Runtime) -> Result<Table> {
    let mut table = Table::new(
        &format!("What the time of an answer tells, {} rounds", thousands(ROUNDS as i64)),
        &["asked for", "another's, µs p50", "nobody's, µs p50", "difference", "noise"],
    );
    let server = Served::start(&extent.program, directory, &[])?;
    let key = server.key_of("s0")?;
    runtime.block_on(async {
        fill(&server.address).await?;
        let mut owner = Wire::open(&server.address, None).await?;
        let mut asking = Wire::open(&server.address, Some(&key)).await?;
        let (_, told) = owner.get("/v1/entries?kind=all&limit=1", "s1").await?;
        let told: Json = serde_json::from_slice(&told)?;
        let foreign = told["items"][0]["id"].as_str().context("an id of another subject")?;
        let (kind, rest) = foreign.split_once('_').context("an id")?;
        let guessed = format!("{kind}_{}", rest.chars().rev().collect::<String>());
        let of_id = |id: &str| {
            let forgetting = json!({"ids": [id], "dry_run": true}).to_string();
            [
                ("GET", format!("/v1/receipts/{id}"), "s0", String::new()),
                ("GET", format!("/v1/facts/{id}"), "s0", String::new()),
                ("POST", "/v1/erasures".to_owned(), "s0", forgetting),
            ]
        };
        let of_subject = |subject| ("GET", "/v1/profile".to_owned(), subject, String::new());
        let mut pairs: Vec<_> = of_id(foreign).into_iter().zip(of_id(&guessed)).collect();
        pairs.push((of_subject("s1"), of_subject("zz")));
        for pair in pairs {
            let name = match &pair.0.1 {
                path if path.ends_with(foreign) => path.replace(foreign, "{id}"),
                path => path.clone(),
            };
            table.row([name].into_iter().chain(beside(&mut asking, &pair).await?));
        }
        anyhow::Ok(())
    })?;
    Ok(table)
}

/// A request: method, path, subject, body.
type Request = (&'static str, String, &'static str, String);

/// Asks for both in turn, which must be answered alike; the medians, what they differ by, and the noise.
async fn beside(wire: &mut Wire, (one, other): &(Request, Request)) -> Result<[String; 4]> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        let mut answers = Vec::new();
        for turn in [round % 2, 1 - round % 2] {
            let (method, path, subject, body) = [one, other][turn];
            let begun = Instant::now();
            answers.push(wire.send(method, path, subject, body).await?);
            times[turn].push(begun.elapsed());
        }
        let (a, b) = (&answers[0], &answers[1]);
        ensure!(a.0 == b.0 && (403..=404).contains(&a.0), "answered {} and {}", a.0, b.0);
    }
    let median = |of: &mut dyn Iterator<Item = &Duration>| {
        let mut samples = Samples::default();
        of.for_each(|time| samples.push_micros(*time));
        samples.median()
    };
    let [first, second] = [0, 1].map(|kind| median(&mut times[kind].iter()));
    let noise = [0, 1].map(|kind| {
        let half = |from| median(&mut times[kind].iter().skip(from).step_by(2));
        (half(0) - half(1)).abs()
    });
    Ok([digits(first), digits(second), digits(first - second), digits(noise[0].max(noise[1]))])
}

/// One caller who asks without end beside one who asks now and then.
fn noisy(directory: &Path, extent: &Extent, runtime: &tokio::runtime::Runtime) -> Result<Table> {
    let mut table = Table::new(
        "A quiet caller beside a noisy one, 200 calls a second for each",
        &["the quiet caller's recall", "ms p50", "ms p99", "noisy: answered / refused"],
    );
    let server = Served::start(&extent.program, directory, &["--rate", "200", "--burst", "200"])?;
    runtime.block_on(fill(&server.address))?;
    let keys = [server.key("noisy")?, server.key("quiet")?];
    let ask = recall("where does the bridge lead?");
    let alone = runtime.block_on(paced(&server.address, &keys[1], &ask))?;
    table.row(["alone".to_owned(), digits(alone.quantile(0.5)), digits(alone.quantile(0.99)), String::new()]);
    let stop = Arc::new(AtomicBool::new(false));
    let counts = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let beside = runtime.block_on(async {
        let noise: Vec<_> = (0..64)
            .map(|_| {
                let (address, key, ask) = (server.address.clone(), keys[0].clone(), ask.clone());
                let (stop, counts) = (stop.clone(), counts.clone());
                tokio::spawn(async move {
                    let mut wire = Wire::open(&address, Some(&key)).await?;
                    while !stop.load(Ordering::Relaxed) {
                        let (status, _) = wire.ask("/v1/recall", "s0", &ask).await?;
                        let count = if status == 200 { &counts.0 } else { &counts.1 };
                        count.fetch_add(1, Ordering::Relaxed);
                        if status == 429 {
                            // Whoever is refused should wait a second; this one is noisy.
                            tokio::time::sleep(Duration::from_millis(5)).await;
                        }
                    }
                    anyhow::Ok(())
                })
            })
            .collect();
        let beside = paced(&server.address, &keys[1], &ask).await;
        stop.store(true, Ordering::Relaxed);
        for one in noise {
            one.await??;
        }
        beside
    })?;
    let (answered, refused) = (counts.0.load(Ordering::Relaxed), counts.1.load(Ordering::Relaxed));
    table.row([
        "beside".to_owned(),
        digits(beside.quantile(0.5)),
        digits(beside.quantile(0.99)),
        format!("{} / {}", thousands(answered as i64), thousands(refused as i64)),
    ]);
    Ok(table)
}

/// Recalls of one caller, twenty a second for fifteen seconds.
async fn paced(address: &str, key: &str, ask: &Json) -> Result<Samples> {
    let mut wire = Wire::open(address, Some(key)).await?;
    let mut times = Samples::default();
    for _ in 0..300 {
        let begun = Instant::now();
        let (status, _) = wire.ask("/v1/recall", "s1", ask).await?;
        ensure!(status == 200, "the quiet caller was answered {status}");
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(times)
}

/// The same recalls through HTTP on one connection, and by the engine on the same data.
fn overhead(directory: &Path, extent: &Extent, runtime: &tokio::runtime::Runtime) -> Result<Table> {
    let mut table = Table::new(
        "What HTTP adds to the engine's call, one caller",
        &["recall of 3 words among the facts of one subject", "µs p50", "µs p99"],
    );
    let server = Served::start(&extent.program, directory, &[])?;
    runtime.block_on(fill(&server.address))?;
    let through = runtime.block_on(async {
        let mut wire = Wire::open(&server.address, None).await?;
        let mut times = Samples::default();
        for number in 0..3_000 {
            let ask = recall(&format!("bridge number {}", number % MESSAGES_BEFORE));
            let begun = Instant::now();
            let (status, _) = wire.ask("/v1/recall", "s0", &ask).await?;
            ensure!(status == 200, "answered {status}");
            times.push_micros(begun.elapsed());
        }
        anyhow::Ok(times)
    })?;
    let engine = open_engine(StoreKind::Sqlite.open(server.data())?);
    let scope = scope("s0")?;
    let mut direct = Samples::default();
    for number in 0..3_000 {
        let recall = Recall::of(&format!("bridge number {}", number % MESSAGES_BEFORE));
        let (answer, took) = time(|| engine.recall(Call { scope: &scope, now: clock() }, &recall));
        ensure!(!answer?.items.is_empty(), "nothing was recalled");
        direct.push_micros(took);
    }
    for (name, times) in [("through HTTP", &through), ("the engine alone", &direct)] {
        table.row([name.to_owned(), digits(times.quantile(0.5)), digits(times.quantile(0.99))]);
    }
    Ok(table)
}

fn recall(words: &str) -> Json {
    json!({"query": words, "limit": 5})
}

fn saying(number: usize) -> Json {
    let text = format!("I like bridge number {number}, which leads to the mill.");
    json!({"messages": [{
        "source": {"kind": "conversation", "ref": "talk"}, "author": "owner", "external_id": format!("m{number}"), "text": text,
        "event_time": "2026-05-01T09:00:00Z",
    }]})
}

async fn fill(address: &str) -> Result<()> {
    let mut wire = Wire::open(address, None).await?;
    for subject in 0..SUBJECTS {
        let messages: Vec<Json> =
            (0..MESSAGES_BEFORE).map(|number| saying(number)["messages"][0].clone()).collect();
        let (status, answer) =
            wire.ask("/v1/evidence", &format!("s{subject}"), &json!({"messages": messages})).await?;
        ensure!(status == 200, "answered {status}: {}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}

/// Has every subject's memory read once.
async fn touch(address: &str) -> Result<()> {
    let mut wire = Wire::open(address, None).await?;
    for subject in 0..SUBJECTS {
        let (status, _) = wire.ask("/v1/recall", &format!("s{subject}"), &recall("bridge")).await?;
        ensure!(status == 200, "answered {status}");
    }
    Ok(())
}

/// The mixed load; answers what came back and the most memory the server took.
async fn load(server: &Served, extent: &Extent, slow: usize) -> Result<(Tally, u64)> {
    let until = Instant::now() + Duration::from_secs(extent.seconds);
    let numbers = Arc::new(AtomicU64::new(MESSAGES_BEFORE as u64));
    let laggards: Vec<_> = (0..slow)
        .flat_map(|_| {
            [
                tokio::spawn(never_reads(server.address.clone(), until)),
                tokio::spawn(drips(server.address.clone(), until)),
            ]
        })
        .collect();
    let clients: Vec<_> = (0..extent.connections)
        .map(|client| {
            let (address, numbers) = (server.address.clone(), numbers.clone());
            tokio::spawn(async move {
                let mut tally = Tally::default();
                if let Err(error) = ask_until(&address, client, until, &numbers, &mut tally).await {
                    tally.errors.push(format!("{error:#}"));
                }
                tally
            })
        })
        .collect();
    let mut most = 0;
    while Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(500)).await;
        most = most.max(server.resident()?);
    }
    let mut all = Tally::default();
    for client in clients {
        let tally = client.await?;
        for (into, from) in [
            (&mut all.observe, &tally.observe),
            (&mut all.recall, &tally.recall),
            (&mut all.turn, &tally.turn),
        ] {
            into.extend(from);
        }
        all.sent_away += tally.sent_away;
        all.errors.extend(tally.errors);
    }
    laggards.iter().for_each(tokio::task::JoinHandle::abort);
    Ok((all, most))
}

async fn ask_until(
    address: &str,
    client: usize,
    until: Instant,
    numbers: &AtomicU64,
    tally: &mut Tally,
) -> Result<()> {
    let mut wire = Wire::open(address, None).await?;
    let subject = format!("s{}", client % SUBJECTS);
    for step in client.. {
        if Instant::now() >= until {
            break;
        }
        let number = numbers.fetch_add(1, Ordering::Relaxed) as usize;
        let (path, body, times) = match step % 5 {
            0 | 1 => ("/v1/evidence", saying(number), &mut tally.observe),
            2 | 3 => (
                "/v1/recall",
                recall(&format!("bridge number {}", number % MESSAGES_BEFORE)),
                &mut tally.recall,
            ),
            _ => ("/v1/turns", json!({"message": "which bridge leads to the mill?"}), &mut tally.turn),
        };
        let begun = Instant::now();
        let (status, answer) = wire.ask(path, &subject, &body).await?;
        if status == 200 {
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        } else if status == 503 && String::from_utf8_lossy(&answer).contains("\"overloaded\"") {
            tally.sent_away += 1;
            tokio::time::sleep(wire.again_after.min(until.saturating_duration_since(Instant::now()))).await;
        } else {
            tally.errors.push(format!("{path} answered {status}: {}", String::from_utf8_lossy(&answer)));
        }
    }
    Ok(())
}

/// Asks for long answers, one after another, and reads none.
async fn never_reads(address: String, until: Instant) -> Result<()> {
    while Instant::now() < until {
        let mut stream = TcpStream::connect(address.trim_start_matches("http://")).await?;
        let request = "GET /v1/facts?limit=1000 HTTP/1.1\r\nhost: localhost\r\ntestimony-subject: s0\r\n\r\n";
        for _ in 0..50 {
            if stream.write_all(request.as_bytes()).await.is_err() {
                break;
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        tokio::time::sleep(left.min(Duration::from_secs(70))).await;
    }
    Ok(())
}

/// Sends a request a byte a second.
async fn drips(address: String, until: Instant) -> Result<()> {
    while Instant::now() < until {
        let mut stream = TcpStream::connect(address.trim_start_matches("http://")).await?;
        for byte in b"POST /v1/recall HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n{" {
            if Instant::now() >= until || stream.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
    Ok(())
}

fn both(times: &Samples) -> String {
    format!("{} / {}", digits(times.quantile(0.5)), digits(times.quantile(0.99)))
}

impl Served {
    fn start(program: &Path, directory: &Path, more: &[&str]) -> Result<Self> {
        let data = tempfile::tempdir_in(directory)?;
        let (process, address) = Self::begin(program, data.path(), more)?;
        Ok(Self { process, address, data })
    }

    /// Ends the process, and begins another on the same data.
    fn start_again(&mut self, program: &Path) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        (self.process, self.address) = Self::begin(program, self.data.path(), &[])?;
        Ok(())
    }

    fn begin(program: &Path, data: &Path, more: &[&str]) -> Result<(Child, String)> {
        let mut process = Command::new(program)
            .arg("--data")
            .arg(data)
            .args(["serve", "--without-key", "--listen", "127.0.0.1:0", "--connections", "20000"])
            .args(more)
            .env("TESTIMONY_MODELS_DIR", "no models here")
            .env("TESTIMONY_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{}`", program.display()))?;
        let mut address = String::new();
        let output = process.stdout.take().context("no output")?;
        BufReader::new(output).read_line(&mut address)?;
        let address = address.trim().to_owned();
        ensure!(!address.is_empty(), "the server did not begin");
        Ok((process, address))
    }

    fn data(&self) -> &Path {
        self.data.path()
    }

    /// A key for every subject.
    fn key(&self, name: &str) -> Result<String> {
        self.create_key(&json!({"name": name, "scopes": ["memory:read"], "all_subjects": true}))
    }

    /// A key for one subject.
    fn key_of(&self, subject: &str) -> Result<String> {
        let scopes = ["memory:read", "memory:forget"];
        self.create_key(&json!({"name": subject, "scopes": scopes, "subjects": [subject]}))
    }

    fn create_key(&self, body: &Json) -> Result<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (status, answer) = runtime.block_on(async {
            let mut wire = Wire::open(&self.address, None).await?;
            wire.ask("/v1/keys", "s0", body).await
        })?;
        ensure!(status == 200, "answered {status}");
        let answer: Json = serde_json::from_slice(&answer)?;
        answer["key"].as_str().map(str::to_owned).context("no key")
    }

    /// What the process takes of the machine's memory, in bytes.
    fn resident(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kib * 1024)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// One connection, by hand, so that nothing but the server is measured.
struct Wire {
    stream: TcpStream,
    key: Option<String>,
    read: Vec<u8>,
    /// How long the last answer asks to wait; nothing, where it does not.
    again_after: Duration,
}

impl Wire {
    async fn open(address: &str, key: Option<&str>) -> Result<Self> {
        let stream = TcpStream::connect(address.trim_start_matches("http://")).await.context("connect")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, key: key.map(str::to_owned), read: Vec::new(), again_after: Duration::ZERO })
    }

    /// Posts, and answers the status and the body.
    async fn ask(&mut self, path: &str, subject: &str, body: &Json) -> Result<(u16, Vec<u8>)> {
        self.send("POST", path, subject, &body.to_string()).await
    }

    /// Gets, and answers the status and the body.
    async fn get(&mut self, path: &str, subject: &str) -> Result<(u16, Vec<u8>)> {
        self.send("GET", path, subject, "").await
    }

    async fn send(&mut self, method: &str, path: &str, subject: &str, body: &str) -> Result<(u16, Vec<u8>)> {
        let key = self.key.as_ref().map(|key| format!("authorization: Bearer {key}\r\n")).unwrap_or_default();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ntestimony-subject: {subject}\r\ncontent-type: application/json\r\n{key}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.write_all(request.as_bytes()).await.context("send")?;
        self.read.clear();
        let mut piece = [0; 16 * 1024];
        loop {
            if let Some(head) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let told = String::from_utf8_lossy(&self.read[..head]).to_ascii_lowercase();
                let status = told.get(9..12).context("no status")?.parse()?;
                let length = told.lines().find_map(|line| line.strip_prefix("content-length: "));
                let length: usize = length.context("no length")?.trim().parse()?;
                let seconds = told.lines().find_map(|line| line.strip_prefix("retry-after: "));
                self.again_after = Duration::from_secs(seconds.map_or(Ok(0), str::parse)?);
                if self.read.len() >= head + 4 + length {
                    return Ok((status, self.read[head + 4..head + 4 + length].to_vec()));
                }
            }
            let count = self.stream.read(&mut piece).await.context("read")?;
            ensure!(count > 0, "the server closed the connection");
            self.read.extend_from_slice(&piece[..count]);
        }
    }
}
