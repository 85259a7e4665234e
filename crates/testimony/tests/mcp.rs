//! `mcp` as a client starts it: a process, spoken to over its standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use crate::support::{self, Memory};
use serde_json::{Value as Json, json};

/// A process of `mcp`, and what is said to it.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Agent {
    fn start(memory: &Memory, arguments: &[&str]) -> Self {
        let mut child = memory
            .command(arguments)
            // However much is told, it is not what was said.
            .env("TESTIMONY_LOG", "trace")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut agent = Self { child, input, output };
        agent.say(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}));
        assert_eq!(agent.hear()["result"]["serverInfo"]["name"], "testimony");
        agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    fn say(&mut self, message: &Json) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("said");
    }

    fn hear(&mut self) -> Json {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("heard");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: `{line}`"))
    }

    fn call(&mut self, id: usize, tool: &str, arguments: &Json) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                         "params": {"name": tool, "arguments": arguments}}));
    }

    fn ask(&mut self, tool: &str, arguments: &Json) -> Json {
        self.call(1, tool, arguments);
        let heard = self.hear();
        assert_eq!(heard["result"]["isError"], false, "{heard}");
        heard["result"]["structuredContent"].clone()
    }

    /// How it ends, and what it says until then.
    fn end(mut self) -> (Option<i32>, String, String) {
        drop(self.input.take());
        let (mut out, mut err) = (String::new(), String::new());
        self.output.read_to_string(&mut out).expect("read");
        self.child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("read");
        (self.child.wait().expect("ended").code(), out, err)
    }
}

#[test]
fn several_agents_and_the_command_line_share_one_memory() {
    let memory = Memory::new();
    let mut first = Agent::start(&memory, &["mcp"]);
    let mut second = Agent::start(&memory, &["mcp"]);
    let mut bens = Agent::start(&memory, &["--subject", "ben", "mcp"]);
    first.ask("remember", &json!({"text": "I live in Zagreb."}));
    let found = second.ask("recall", &json!({"query": "Zagreb"}));
    assert!(found["items"].to_string().contains("I live in Zagreb"), "{found}");
    let none = bens.ask("recall", &json!({"query": "Zagreb"}));
    assert_eq!(none["items"], json!([]), "another subject knows nothing of it");
    memory.run(&["remember", "The spare key hangs in the shed."]).ended(0);
    let found = first.ask("recall", &json!({"query": "spare key"}));
    assert!(found["items"].to_string().contains("shed"), "{found}");
    for agent in [first, second, bens] {
        let (exit, out, err) = agent.end();
        assert_eq!((exit, out.as_str()), (Some(0), ""), "{err}");
        assert!(err.contains("serving"), "{err}");
        assert!(!err.contains("Zagreb") && !err.contains("key"), "{err}");
    }
    memory.verify();
}

#[test]
#[allow(clippy::disallowed_methods, reason = "how long it takes to end is what is tried")]
fn told_to_end_it_keeps_what_was_acknowledged_and_ends_at_once() {
    let memory = Memory::new();
    let mut agent = Agent::start(&memory, &["mcp"]);
    for number in 1..=50 {
        agent.call(number, "remember", &json!({"text": format!("Box {number} holds winter clothes.")}));
    }
    agent.hear();
    let pid = agent.child.id().to_string();
    let begun = Instant::now();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().expect("told").success());
    // Its input stays open: a client that hangs holds nothing up.
    let mut rest = String::new();
    agent.output.read_to_string(&mut rest).expect("read");
    assert_eq!(agent.child.wait().expect("ended").code(), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let acknowledged = 1 + rest.lines().filter(|line| line.contains("\"isError\":false")).count();
    let listed = memory.json(0, &["list", "--limit", "100"]);
    let kept = listed["items"].as_array().expect("a list").len();
    assert!(kept >= acknowledged, "{acknowledged} acknowledged, {kept} kept");
    memory.verify();
}

#[test]
fn the_tools_of_another_server_are_had_by_name() {
    let memory = Memory::new();
    let mut agent = Agent::start(&memory, &["mcp", "--compat", "memory-server"]);
    agent.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let listed = agent.hear();
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    assert_eq!(
        names,
        [
            "create_entities",
            "create_relations",
            "add_observations",
            "delete_entities",
            "delete_observations",
            "delete_relations",
            "read_graph",
            "search_nodes",
            "open_nodes"
        ]
    );
    assert_eq!(agent.end().0, Some(0));
}

#[test]
fn what_is_not_the_protocol_is_told() {
    let memory = Memory::new();
    let ran = support::run(
        memory.command(&["mcp"]),
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
    );
    let ran = ran.ended(3);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("what came in is not the protocol"), "{}", ran.err);
    // A client that goes without a word is no fault.
    assert_eq!(memory.run(&["mcp"]).ended(0).out, "");
}
