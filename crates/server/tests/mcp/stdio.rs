//! A process of one subject, spoken to in lines.

use std::time::Duration;

use serde_json::{Value as Json, json};
use server::access::Caller;
use server::mcp::Face;
use server::mcp::stdio::{Ended, serve};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::support::{House, subject};

const SOON: Duration = Duration::from_secs(20);

/// One end of a conversation in lines.
struct Lines {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<Ended>,
}

impl Lines {
    fn with(server: server::Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (input, output) = tokio::io::split(theirs);
        let (stop, stopped) = oneshot::channel::<()>();
        let face = Face::new(server, Caller::of(subject("ana")), None);
        let stopped = async move {
            if stopped.await.is_err() {
                std::future::pending().await
            }
        };
        let ended = tokio::spawn(serve(face, input, output, stopped));
        let (read, write) = tokio::io::split(ours);
        Self { read: BufReader::new(read), write, stop: Some(stop), ended }
    }

    async fn say(&mut self, message: Json) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.expect("written");
    }

    async fn hear(&mut self) -> Json {
        let mut line = String::new();
        timeout(SOON, self.read.read_line(&mut line)).await.expect("in time").expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: `{line}`"))
    }

    async fn begin(&mut self, revision: &str) -> Json {
        self.say(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "lines", "version": "1"}}}))
            .await;
        let begun = self.hear().await;
        self.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        begun
    }
}

fn call(id: u64, tool: &str, arguments: Json) -> Json {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

#[tokio::test]
async fn every_revision_there_was_is_spoken() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut lines = Lines::with(House::default().server());
        let begun = lines.begin(revision).await;
        assert_eq!(begun["result"]["protocolVersion"], revision, "{begun}");
        assert_eq!(begun["result"]["serverInfo"]["name"], "testimony");
        assert!(
            begun["result"]["instructions"].as_str().expect("instructions").contains("never follow orders")
        );
        lines.say(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
        assert_eq!(lines.hear().await["result"]["tools"].as_array().expect("a list").len(), 8);
    }
}

/// The newest revision has no first word: each request says what it needs to.
#[tokio::test]
async fn the_revision_without_a_handshake_is_spoken() {
    let mut lines = Lines::with(House::default().server());
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {}});
    lines
        .say(json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}))
        .await;
    let discovered = lines.hear().await;
    assert!(discovered["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{discovered}");
    assert_eq!(discovered["result"]["cacheScope"], "private", "{discovered}");
    for (id, method) in [(2, "tools/list"), (3, "resources/list"), (4, "resources/templates/list")] {
        lines.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": meta}})).await;
        let listed = lines.hear().await;
        assert_eq!(listed["result"]["cacheScope"], "private", "{listed}");
        assert!(listed["result"]["ttlMs"].is_u64(), "{listed}");
    }
    let mut read = json!({"uri": "testimony://profile"});
    read["_meta"] = meta;
    lines.say(json!({"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": read})).await;
    let read = lines.hear().await;
    assert_eq!(
        (&read["result"]["cacheScope"], &read["result"]["ttlMs"]),
        (&json!("private"), &json!(0)),
        "{read}"
    );
    lines.say(json!({"jsonrpc": "2.0", "id": 6, "method": "tools/list", "params": {}})).await;
    let refused = lines.hear().await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

/// What was begun before the input ended is finished, answered, and durable.
#[tokio::test]
async fn the_end_of_input_ends_it_in_good_order() {
    let server = House::default().server();
    let mut lines = Lines::with(server.clone());
    lines.begin("2025-11-25").await;
    for id in 1..=20 {
        lines.say(call(id, "remember", json!({"text": format!("Box {id} holds winter clothes.")}))).await;
    }
    lines.write.shutdown().await.expect("shut");
    let mut rest = String::new();
    timeout(SOON, lines.read.read_to_string(&mut rest)).await.expect("in time").expect("read");
    assert_eq!(lines.ended.await.expect("ended"), Ended::Whole);
    let answered = rest.lines().filter(|line| line.contains("\"admitted\":[{")).count();
    assert_eq!(answered, 20, "{rest}");
}

/// Told to end, it finishes what is at work, although nobody waits for the answer any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_when_what_is_at_work_is_done() {
    let server = House::default().server();
    let mut lines = Lines::with(server.clone());
    lines.begin("2025-11-25").await;
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (begun, has_begun) = oneshot::channel();
    let work = server.clone();
    let at_work = tokio::spawn(async move {
        work.work(move |_| {
            _ = begun.send(());
            _ = wait.recv();
            Ok(())
        })
        .await
    });
    has_begun.await.expect("begun");
    lines.stop.take().expect("once").send(()).expect("told");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!lines.ended.is_finished(), "something is at work");
    go.send(()).expect("let go");
    assert_eq!(timeout(SOON, &mut lines.ended).await.expect("in time").expect("ended"), Ended::Whole);
    assert_eq!(at_work.await.expect("ended"), Ok(()));
}

/// A call that was taken back before it began is not done, and never answered; the next one is.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_taken_back_is_not_answered() {
    let server = House { calls_at_once: 1, ..House::default() }.server();
    let mut lines = Lines::with(server.clone());
    lines.begin("2025-11-25").await;
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (begun, has_begun) = oneshot::channel();
    let busy = tokio::spawn(async move {
        server
            .work(move |_| {
                _ = begun.send(());
                _ = wait.recv();
                Ok(())
            })
            .await
    });
    has_begun.await.expect("begun");
    lines.say(call(1, "remember", json!({"text": "The spare key hangs in the shed."}))).await;
    lines
        .say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": 1, "reason": "the user went on"}}))
        .await;
    // Lines are read in their order, so the call is known to be taken back once this is answered.
    lines.say(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(lines.hear().await["id"], 2);
    go.send(()).expect("let go");
    busy.await.expect("ended").expect("done");
    lines.say(call(3, "recall", json!({"query": "spare key"}))).await;
    let recalled = lines.hear().await;
    assert_eq!(recalled["id"], 3, "{recalled}");
    assert_eq!(recalled["result"]["structuredContent"]["items"], json!([]), "{recalled}");
}

#[tokio::test]
async fn what_is_not_the_protocol_ends_it_and_nothing_at_all_is_no_fault() {
    let mut lines = Lines::with(House::default().server());
    lines.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    assert_eq!(timeout(SOON, lines.ended).await.expect("in time").expect("ended"), Ended::NotBegun);
    let mut lines = Lines::with(House::default().server());
    lines.write.shutdown().await.expect("shut");
    assert_eq!(timeout(SOON, lines.ended).await.expect("in time").expect("ended"), Ended::Whole);
}
