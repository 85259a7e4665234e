//! What an agent's client says: lines that are a protocol, or claim to be.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use engine::remember::Remember;
use engine::{Call, Engine};
use ledger::reference::ReferenceStore;
use ledger::scope::Scope;
use serde_json::{Value as Json, json};
use server::access::Caller;
use server::access::book::Book;
use server::mcp::{Face, stdio};
use server::settings::Settings;
use server::{House, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

use super::choices;
use crate::world::scope;
use crate::{at, engine_on};

/// The most lines looked at, so that one input takes well under a second.
const LINES_MAX: usize = 16;
/// The longest line looked at, in bytes.
const LINE_BYTES_MAX: usize = 4_096;
/// Longer than a conversation takes on the slowest machine.
const HANGS: Duration = Duration::from_secs(60);
/// Stands in nothing but what another subject said.
const NEEDLE: &str = "zyqvortexian";
/// The id of the last request, which is ours.
const LAST: &str = "the last request of all";

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let built = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    built.expect("threads")
});

/// Lines, after one choice: with or without a handshake, and which tools. No line ends the conversation, each request is answered
/// or refused, and nothing of another subject is told.
pub(super) fn mcp(bytes: &[u8]) {
    let ([choice], rest) = choices(bytes);
    let (handshake, memory_server_tools) = (choice & 1 == 0, choice & 2 == 2);
    let lines: Vec<&[u8]> = rest
        .split(|byte| *byte == b'\n')
        .filter(|line| line.len() <= LINE_BYTES_MAX)
        .take(LINES_MAX)
        .collect();
    let mut said = String::new();
    let begin = match handshake {
        true => json!({"jsonrpc": "2.0", "id": "begin", "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}}),
        false => listing("begin"),
    };
    said.push_str(&format!("{begin}\n"));
    let mut said = said.into_bytes();
    for line in &lines {
        said.extend_from_slice(line);
        said.push(b'\n');
    }
    said.extend_from_slice(format!("{}\n", listing(LAST)).as_bytes());

    let heard = converse(said, memory_server_tools);
    let told = String::from_utf8(heard).expect("what is told is text");
    let answers: Vec<Json> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in `{line}`")))
        .collect();
    let mut answered = BTreeSet::new();
    let mut without_id = 0;
    for answer in &answers {
        assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
        assert_ne!(answer["result"]["structuredContent"]["code"], "internal", "{answer}");
        assert_ne!(answer["error"]["data"]["code"], "internal", "{answer}");
        match &answer["id"] {
            Json::Null => without_id += 1,
            id => drop(answered.insert(id.to_string())),
        }
    }
    assert!(answered.contains(&json!(LAST).to_string()), "the conversation ended before its end: {told}");
    let asked: Vec<Json> = lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let taken_back: BTreeSet<String> = asked
        .iter()
        .filter(|one| one["method"] == "notifications/cancelled")
        .map(|one| one["params"]["requestId"].to_string())
        .collect();
    let open = asked
        .iter()
        .filter(|one| one["jsonrpc"] == "2.0" && one["method"].is_string())
        .map(|one| &one["id"])
        .filter(|id| id.is_string() || id.is_u64())
        .filter(|id| !answered.contains(&id.to_string()) && !taken_back.contains(&id.to_string()))
        .count();
    // A request that has no shape is refused without its id.
    assert!(open <= without_id, "{open} requests are open, {without_id} refused: {told}");
    if !String::from_utf8_lossy(rest).to_lowercase().contains(NEEDLE) {
        assert!(!told.to_lowercase().contains(NEEDLE), "what another subject said is told: {told}");
    }
}

/// A request that stands alone, in the revision that has no handshake.
fn listing(id: &str) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}}})
}

/// What is told to somebody who says all this and then goes.
fn converse(said: Vec<u8>, memory_server_tools: bool) -> Vec<u8> {
    let engine = engine_on(Arc::new(ReferenceStore::new()));
    let (me, other) = (scope("me"), scope("other"));
    say(&engine, &other, &format!("I collect {NEEDLE} stamps."));
    say(&engine, &me, "I live in Zagreb.");
    let subject = me.subject().clone();
    let settings = Settings { memory_server_tools, ..Settings::of(subject.clone()) };
    let house = House {
        book: Book::at(""),
        tokens: None,
        settings,
        clock: Arc::new(|| at("2026-06-01")),
        written: Box::new(|_| {}),
        reads: None,
    };
    let face = Face::new(Server::new(Arc::new(engine), house), Caller::of(subject), None);
    RUNTIME.block_on(async {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(theirs);
        let serving = tokio::spawn(stdio::serve(face, input, output, std::future::pending()));
        let (mut read, mut write) = tokio::io::split(ours);
        let saying = async move {
            // Whoever hangs up early is found out by what was not answered.
            _ = write.write_all(&said).await;
            _ = write.shutdown().await;
        };
        let mut heard = Vec::new();
        let conversation = async { tokio::join!(saying, read.read_to_end(&mut heard)) };
        let (_, read) = tokio::time::timeout(HANGS, conversation).await.expect("the conversation hangs");
        read.expect("what is told is read");
        serving.await.expect("the conversation ends without a panic");
        heard
    })
}

fn say(engine: &Engine, scope: &Scope, text: &str) {
    let remember = Remember { text: text.to_owned(), ..Remember::default() };
    engine.remember(Call { scope, now: at("2026-05-01") }, remember).expect("kept");
}
