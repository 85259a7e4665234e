//! A server that speaks real HTTP on a port of this machine, in a thread of the test, and does what it is told.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use inference::clock::Clock;
use inference::key::Environment;
use inference::limits::{Cancel, Limits};
use inference::tiers::{Models, Tier};
use inference::wire::http::Http;
use inference::wire::{self, WireModel};
use serde_json::{Value as Json, json};

/// The key of every test; no error may show it.
pub const KEY: &str = "sk-test-9f8e7d6c5b4a39281706";

/// What the server does with one request.
pub enum Step {
    /// Answers: status, further headers, body.
    Reply(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Sends a head and the beginning of a longer body, does this, and then nothing until the caller goes.
    Stall(Box<dyn FnOnce() + Send>),
    /// Sends a body bit by bit without end, until the caller goes.
    Drip,
    /// Says a body is this long, and sends as many bytes.
    Long(usize),
    /// Says a body is this long in pieces whose number is not told beforehand, and sends as many bytes.
    LongChunked(usize),
    /// Closes the connection without a word.
    Close,
    /// Sends what is no HTTP.
    Noise,
}

/// A reply of status 200.
pub fn ok(body: Json) -> Step {
    Step::Reply(200, Vec::new(), body.to_string().into_bytes())
}

/// A reply that says no.
pub fn no(status: u16, body: Json) -> Step {
    Step::Reply(status, Vec::new(), body.to_string().into_bytes())
}

/// What the server was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Json,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Path, headers that matter and body, the key hidden: what the golden files hold.
    pub fn golden(&self) -> Json {
        let matter =
            ["authorization", "x-api-key", "x-goog-api-key", "api-key", "anthropic-version", "content-type"];
        let headers: serde_json::Map<String, Json> = self
            .headers
            .iter()
            .filter(|(name, _)| matter.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.replace(KEY, "KEY").into()))
            .collect();
        json!({"path": self.path, "headers": headers, "body": self.body})
    }
}

/// The server.
pub struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    ends: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    /// One that takes these steps, one a request, and closes the connection on any further one.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let ends: Arc<AtomicBool> = Arc::default();
        let mut steps: VecDeque<Step> = steps.into_iter().collect();
        let (hers, until) = (asked.clone(), ends.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if until.load(Ordering::SeqCst) {
                    break;
                }
                // A caller that goes away in the middle is part of the tests.
                _ = stream.and_then(|stream| serve(stream, &mut steps, &hers, &until));
            }
        });
        Self { address, asked, ends, thread: Some(thread) }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic there").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

fn serve(
    stream: TcpStream,
    steps: &mut VecDeque<Step>,
    asked: &Mutex<Vec<Asked>>,
    until: &AtomicBool,
) -> std::io::Result<()> {
    // So that a connection that is kept open does not keep the server from ending.
    stream.set_read_timeout(Some(Duration::from_millis(50)))?;
    let mut out = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        while let Err(error) = reader.fill_buf() {
            let waits = matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
            if !waits || until.load(Ordering::SeqCst) {
                return Ok(());
            }
        }
        let Some(request) = read_request(&mut reader)? else { return Ok(()) };
        asked.lock().expect("no panic there").push(request);
        match steps.pop_front() {
            None | Some(Step::Close) => return Ok(()),
            Some(Step::Noise) => return out.write_all(b"220 mail.example.com ESMTP\r\n\r\n"),
            Some(Step::Reply(status, headers, body)) => {
                let mut head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
                for (name, value) in headers {
                    head.push_str(&format!("{name}: {value}\r\n"));
                }
                head.push_str("\r\n");
                out.write_all(head.as_bytes())?;
                out.write_all(&body)?;
            }
            Some(Step::Stall(then)) => {
                out.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\":")?;
                then();
                return wait_for_end(&mut reader, until);
            }
            Some(Step::Drip) => {
                out.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
                while !until.load(Ordering::SeqCst) {
                    out.write_all(b"1\r\n \r\n")?;
                    std::thread::sleep(Duration::from_millis(2));
                }
                return Ok(());
            }
            Some(Step::Long(bytes)) => {
                out.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n").as_bytes())?;
                return write_spaces(&mut out, bytes, false);
            }
            Some(Step::LongChunked(bytes)) => {
                out.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
                return write_spaces(&mut out, bytes, true);
            }
        }
    }
}

fn write_spaces(out: &mut TcpStream, mut bytes: usize, in_pieces: bool) -> std::io::Result<()> {
    let spaces = vec![b' '; 1 << 16];
    while bytes > 0 {
        let piece = bytes.min(spaces.len());
        if in_pieces {
            out.write_all(format!("{piece:x}\r\n").as_bytes())?;
        }
        out.write_all(&spaces[..piece])?;
        if in_pieces {
            out.write_all(b"\r\n")?;
        }
        bytes -= piece;
    }
    if in_pieces { out.write_all(b"0\r\n\r\n") } else { Ok(()) }
}

fn wait_for_end(reader: &mut BufReader<TcpStream>, until: &AtomicBool) -> std::io::Result<()> {
    let mut byte = [0];
    loop {
        match reader.read(&mut byte) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(_) if until.load(Ordering::SeqCst) => return Ok(()),
            Err(error)
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").map(|(_, value)| value.parse());
    let mut body = vec![0; length.and_then(Result::ok).unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or(Json::Null);
    Ok(Some(Asked { path, headers, body }))
}

/// A clock on which waiting takes no time; it remembers how long was to be waited.
#[derive(Default)]
pub struct QuickClock {
    passed: Mutex<Duration>,
    waits: Mutex<Vec<Duration>>,
}

impl QuickClock {
    pub fn waits(&self) -> Vec<Duration> {
        self.waits.lock().expect("no panic there").clone()
    }
}

impl Clock for QuickClock {
    fn elapsed(&self) -> Duration {
        *self.passed.lock().expect("no panic there")
    }

    fn wait(&self, duration: Duration, _: &Cancel) {
        *self.passed.lock().expect("no panic there") += duration;
        self.waits.lock().expect("no panic there").push(duration);
    }
}

pub fn environment() -> Environment {
    Arc::new(|name| (name == "TEST_KEY").then(|| KEY.to_owned()))
}

/// The tier `t` of a file with these lines in its table, at the server's address and with the key.
pub fn tier(server: &Server, lines: &str) -> Tier {
    let text = format!(
        "[tier.t]\nbase_url = \"{}/v1\"\nkey = {{ environment = \"TEST_KEY\" }}\n{lines}\n",
        server.url()
    );
    Models::parse(Path::new("models.toml"), &text)
        .unwrap_or_else(|error| panic!("{error}"))
        .tiers
        .remove("t")
        .expect("t")
}

/// A model at the server, on a clock that does not wait.
pub fn model(server: &Server, lines: &str) -> (WireModel, Arc<QuickClock>) {
    let tier = tier(server, lines);
    let clock: Arc<QuickClock> = Arc::default();
    let key = tier.key.clone().map(|source| (source, environment()));
    (WireModel::over(&tier, Box::new(Http::new(wire::address(&tier), key)), clock.clone()), clock)
}

/// Limits that end no test but one that hangs.
pub fn ample() -> Limits {
    Limits::within(Duration::from_secs(60))
}
