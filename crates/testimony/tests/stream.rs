//! `observe -` as a stream: answered while the writer lives, and ended by Ctrl-C without losing what was answered.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::support::{self, Memory, owner};
use serde_json::{Value as Json, json};

#[test]
fn a_line_is_answered_before_the_next_is_written_and_ctrl_c_keeps_it() {
    let memory = Memory::new();
    let mut child = memory
        .command(&["--json", "observe", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut watermarks = Vec::new();
    for text in ["I live in Zagreb.", "I prefer tea.", "My name is Ana."] {
        writeln!(input, "{}", owner(text, "2026-01-01T00:00:00Z")).expect("written");
        let mut line = String::new();
        output.read_line(&mut line).expect("answered");
        let answer: Json = serde_json::from_str(&line).expect("JSON");
        watermarks.push(answer["watermark"].as_u64());
    }
    assert_eq!(watermarks, [Some(1), Some(2), Some(3)]);
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a signal");
    assert!(asked.success());
    // The pipe stays open: it is the signal that ends it.
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    drop(input);
    assert_eq!(memory.json(0, &["verify"])["appends"], json!(3));
}

#[test]
fn many_lines_at_once_keep_their_order_and_a_watermark_each() {
    let memory = Memory::new();
    let many: Vec<Json> =
        (0..700).map(|number| owner(&format!("Line {number}."), "2026-01-01T00:00:00Z")).collect();
    let answers = memory.observe(&support::lines(&many), &[]).ended(0).lines();
    let watermarks: Vec<u64> = answers.iter().filter_map(|answer| answer["watermark"].as_u64()).collect();
    assert_eq!(watermarks, (1..=700).collect::<Vec<u64>>());
    memory.verify();
}

#[test]
fn processes_that_begin_a_memory_together_are_all_kept() {
    let memory = Memory::new();
    let children: Vec<_> = (0..8)
        .map(|number| {
            let text = format!("I prefer tea number {number}.");
            let mut command = memory.command(&["--json", "remember", &text]);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it starts")
        })
        .collect();
    let mut watermarks: Vec<u64> = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{output:?}");
            let answer: Json = serde_json::from_slice(&output.stdout).expect("JSON");
            answer["watermark"].as_u64().expect("a number")
        })
        .collect();
    watermarks.sort_unstable();
    assert_eq!(watermarks, (1..=8).collect::<Vec<u64>>());
    memory.verify();
}
