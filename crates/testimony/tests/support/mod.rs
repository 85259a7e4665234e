//! The command run as people run it, on a data directory of its own.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A data directory that is removed with the test.
pub struct Memory {
    directory: TempDir,
}

/// How a run ended and what it said.
#[derive(Debug)]
pub struct Ran {
    pub exit: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// The one JSON object of the answer.
    pub fn json(&self) -> Json {
        serde_json::from_str(self.out.trim()).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// One JSON object a line.
    pub fn lines(&self) -> Vec<Json> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {self:?}"));
        self.out.lines().map(read).collect()
    }

    /// The same, provided it ended with `exit`.
    pub fn ended(self, exit: i32) -> Self {
        assert_eq!(self.exit, exit, "{self:#?}");
        self
    }
}

pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testimony"));
    let names = [
        "DATA",
        "POLICIES",
        "MODELS",
        "MASTER_KEY",
        "MASTER_KEY_COMMAND",
        "NEW_MASTER_KEY",
        "NEW_MASTER_KEY_COMMAND",
        "SHADOW",
    ];
    for name in names.map(|name| format!("TESTIMONY_{name}")) {
        command.env_remove(name);
    }
    // A test that wants traces names its collector.
    command.env_remove("OTEL_EXPORTER_OTLP_ENDPOINT").env_remove("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    // Answers in tests are those of words alone; a test that wants a model names its directory.
    command.env("TESTIMONY_MODELS_DIR", "no models here");
    command.env("COLUMNS", "100");
    command
}

/// Runs a command with `input` on its standard input.
pub fn run(mut command: Command, input: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A command that stops reading early closes the pipe: that is its right.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("written");
    Ran {
        exit: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Memory {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    /// The directory around the data directory, for other files of the test.
    pub fn outside(&self) -> &Path {
        self.directory.path()
    }

    pub fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command();
        command.arg("--data").arg(self.data()).args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        run(self.command(arguments), b"")
    }

    /// The answer in JSON, provided it ended with `exit`.
    pub fn json(&self, exit: i32, arguments: &[&str]) -> Json {
        run(self.command(&[&["--json"], arguments].concat()), b"").ended(exit).json()
    }

    pub fn observe(&self, input: &[u8], arguments: &[&str]) -> Ran {
        run(self.command(&[&["--json", "observe", "-"], arguments].concat()), input)
    }

    /// Sees to it that the store is intact.
    pub fn verify(&self) {
        let verified = self.json(0, &["verify"]);
        assert_eq!(verified["ok"], json!(true), "{verified}");
    }
}

/// A message of the owner.
pub fn owner(text: &str, time: &str) -> Json {
    json!({
        "source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "event_time": time, "text": text,
    })
}

/// Messages as JSON Lines.
pub fn lines(messages: &[Json]) -> Vec<u8> {
    messages.iter().map(|message| format!("{message}\n")).collect::<String>().into_bytes()
}

/// A text with every id replaced by its kind and the number of its first appearance.
pub fn without_ids(text: &str) -> String {
    let id = regex::Regex::new(r"\b(ev|cl|fa|ve|so|tu)_[0-9a-z]{26}\b").expect("a pattern");
    let mut seen: HashMap<String, String> = HashMap::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    id.replace_all(text, |found: &regex::Captures<'_>| {
        seen.entry(found[0].to_owned())
            .or_insert_with(|| {
                let number = numbers.entry(found[1].to_owned()).or_insert(0);
                *number += 1;
                format!("{}_{number}", &found[1])
            })
            .clone()
    })
    .into_owned()
}
