//! The program as a server: how it begins and ends, what it says on the way, and what its log keeps to itself.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use crate::support::{Memory, run};
use serde_json::{Value as Json, json};

/// A server that is ended with the test.
pub struct Served {
    process: Child,
    pub address: String,
}

impl Served {
    fn start(memory: &Memory, more: &[&str]) -> Self {
        Self::start_in(memory, more, &[])
    }

    /// The same, with more in its environment.
    pub fn start_in(memory: &Memory, more: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = memory.command(&["--json"]);
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(more).envs(environment.iter().copied());
        Self::begin(command)
    }

    /// Starts what a command says.
    pub fn begin(mut command: Command) -> Self {
        let mut process = command
            .env("TESTIMONY_LOG", "debug")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut address = String::new();
        let output = process.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut address).expect("a line");
        Self { process, address: address.trim().to_owned() }
    }

    pub fn ask(&self, method: &str, path: &str, key: Option<&str>, body: Option<&Json>) -> (u16, Json) {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let bearer = key.map(|key| format!("Bearer {key}"));
        let mut request = http::Request::builder().method(method).uri(format!("{}{path}", self.address));
        if let Some(bearer) = bearer {
            request = request.header("authorization", bearer);
        }
        let request = request.header("content-type", "application/json");
        let text = body.map(Json::to_string).unwrap_or_default();
        let mut answer = agent.run(request.body(text).expect("a request")).expect("an answer");
        let told = answer.body_mut().read_to_string().expect("text");
        (answer.status().as_u16(), serde_json::from_str(&told).unwrap_or(Json::String(told)))
    }

    /// Asks it to end, and answers its exit code and its log.
    pub fn end(mut self) -> (Option<i32>, String) {
        let pid = self.process.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().expect("asked");
        let mut log = String::new();
        self.process.stderr.take().expect("a log").read_to_string(&mut log).expect("text");
        (self.process.wait().expect("it ends").code(), log)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

#[test]
fn a_key_opens_the_memory_it_is_for_and_the_log_tells_nothing_of_it() {
    let memory = Memory::new();
    let made = memory.run(&[
        "--json",
        "access",
        "create",
        "Gertrud's laptop",
        "--scope",
        "read",
        "--scope",
        "write",
        "--for",
        "gertrud",
    ]);
    let made = made.ended(0).json();
    let key = made["key"].as_str().expect("a key").to_owned();
    let server = Served::start(&memory, &[]);
    let said = json!({"messages": [{"source": {"kind": "note", "ref": "winterwort"}, "author": "owner", "text": "I live in Zagreb."}]});
    assert_eq!(server.ask("POST", "/v1/evidence", None, Some(&said)).0, 401);
    let (status, told) = server.ask("POST", "/v1/evidence", Some(&key), Some(&said));
    assert_eq!((status, &told["observed"][0]["counts"]["admitted"]), (200, &json!(1)), "{told}");
    // What was answered is there for every other process at once.
    let held = memory.run(&["--json", "--subject", "gertrud", "state"]).ended(0).json();
    assert_eq!(held["items"][0]["value"], "Zagreb");
    let (status, found) =
        server.ask("POST", "/v1/recall", Some(&key), Some(&json!({"query": "Zagreb quincunx"})));
    assert_eq!((status, &found["items"][0]["value"]), (200, &json!("Zagreb")), "{found}");
    assert_eq!(server.ask("POST", "/v1/erasures", Some(&key), Some(&json!({"everything": true}))).0, 403);
    // A key that is taken away opens nothing from then on.
    let id = made["id"].as_str().expect("an id");
    memory.run(&["access", "revoke", id]).ended(0);
    assert_eq!(server.ask("GET", "/v1/profile", Some(&key), None).0, 401);
    assert_eq!(server.ask("GET", "/readyz", None, None).0, 200);
    let (exit, log) = server.end();
    assert_eq!(exit, Some(0), "{log}");
    assert!(log.contains("\"message\":\"ended; every call was answered\""), "{log}");
    for word in ["Zagreb", "gertrud", "Gertrud", "winterwort", "quincunx", key.as_str()] {
        assert!(!log.contains(word), "`{word}` stands in the log: {log}");
    }
}

#[test]
fn keys_are_told_apart_and_never_shown_again() {
    let memory = Memory::new();
    let key = memory.run(&["access", "create", "one", "--scope", "read"]).ended(0).out.trim().to_owned();
    memory
        .run(&["access", "create", "two", "--scope", "admin", "--all-subjects", "--expires", "2100-01-01"])
        .ended(0);
    let told = memory.run(&["access", "list"]).ended(0).out;
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.contains("every subject") && told.contains("until 2100-01-01T00:00:00Z"), "{told}");
    assert!(!told.contains(&key), "{told}");
    memory.run(&["access", "revoke", "key_nobody"]).ended(1);
    memory.run(&["access", "create", "three", "--scope", "everything"]).ended(2);
    memory.run(&["access", "create", "late", "--scope", "read", "--expires", "2001-01-01"]).ended(3);
    memory.run(&["access", "create", "both", "--scope", "read", "--for", "ana", "--all-subjects"]).ended(2);
    let kept = memory.run(&["--json", "access", "list"]).ended(0).json();
    assert_eq!(kept["keys"].as_array().map(Vec::len), Some(2), "{kept}");
}

#[test]
fn what_would_let_anybody_in_is_refused() {
    let memory = Memory::new();
    for (arguments, exit, says) in [
        (&["serve", "--without-key", "--listen", "0.0.0.0:0"][..], 2, "would let anybody in"),
        (&["serve", "--origin", "*"], 2, "is no origin"),
        (&["serve", "--token-issuer", "https://login.example"], 2, "--token-audience"),
        (&["serve", "--token-issuer", "login", "--token-audience", "memory"], 2, "is no address"),
        (&["serve", "--listen", "192.0.2.1:1"], 3, "cannot listen"),
    ] {
        let ran = memory.run(arguments);
        assert_eq!(ran.exit, exit, "{arguments:?} {ran:#?}");
        assert!(ran.err.contains(says), "{arguments:?} {ran:#?}");
    }
}

#[test]
fn without_a_key_the_owner_is_the_subject_of_the_command() {
    let memory = Memory::new();
    let server = Served::start(&memory, &["--subject", "ben", "--without-key"]);
    let (status, told) = server.ask("POST", "/v1/entries", None, Some(&json!({"text": "I live in Split."})));
    assert_eq!(status, 200, "{told}");
    let (_, caller) = server.ask("GET", "/v1/caller", None, None);
    assert_eq!((&caller["subject"], &caller["name"]), (&json!("ben"), &json!("owner")));
    let (exit, _) = server.end();
    assert_eq!(exit, Some(0));
    let held = run(memory.command(&["--json", "--subject", "ben", "state"]), b"").ended(0).json();
    assert!(held["items"].to_string().contains("Split"), "{held}");
}
