//! Memory that is bounded whatever comes in: a large import under a ceiling the operating system keeps, and many
//! processes writing at once.
#![allow(
    clippy::disallowed_methods,
    reason = "tests read how large they are to be, and what the system says"
)]

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use crate::support::{self, Memory, lines, owner, run};
use serde_json::json;

/// The memory an import of JSON Lines may take, whatever the size of the file.
const IMPORT_MIB_MAX: u64 = 256;

/// The size of the file imported here; `TESTIMONY_IMPORT_MIB=1024` is the figure that counts.
const IMPORT_MIB_DEFAULT: u64 = 8;

fn import_mib() -> u64 {
    std::env::var("TESTIMONY_IMPORT_MIB")
        .ok()
        .and_then(|size| size.parse().ok())
        .unwrap_or(IMPORT_MIB_DEFAULT)
}

/// Writes messages of about 1 KiB; every hundredth states something. How many there are.
fn write_messages(path: &Path, mib: u64) -> u64 {
    let mut out = BufWriter::new(fs::File::create(path).expect("a file"));
    let filler = "and we talked about the weather, the harbour and what to cook on Sunday ".repeat(12);
    let (mut bytes, mut number) = (0, 0_u64);
    while bytes < mib << 20 {
        let text = match number % 100 {
            0 => format!("I prefer drink number {number}."),
            _ => format!("Message {number}: {filler}"),
        };
        let line = json!({
            "source": {"kind": "conversation", "ref": format!("c{}", number / 5_000)},
            "author": if number % 2 == 0 { "owner" } else { "assistant" },
            "event_time": format!("2026-03-01T{:02}:{:02}:{:02}Z", number / 3_600 % 24, number / 60 % 60, number % 60),
            "external_id": number.to_string(), "text": text,
        })
        .to_string();
        writeln!(out, "{line}").expect("written");
        bytes += line.len() as u64 + 1;
        number += 1;
    }
    out.flush().expect("written");
    number
}

/// The highest resident size of a process that has ended, in KiB, as `/usr/bin/env time` would tell it.
fn peak_kib(status: &Path) -> u64 {
    let told = fs::read_to_string(status).expect("the peak");
    told.trim().parse().expect("a number")
}

/// Runs a command under a ceiling of address space and tells the highest resident size it had, in KiB.
fn under_ceiling(command: &Command, ceiling_mib: Option<u64>, outside: &Path) -> (support::Ran, u64) {
    // The shell keeps the ceiling, and watches the peak the kernel counts until the process is gone.
    let script = r#"
        [ -z "$CEILING_KIB" ] || ulimit -v "$CEILING_KIB"
        "$@" & child=$!
        peak=0
        while kill -0 $child 2>/dev/null; do
            now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB$/\1/p' /proc/$child/status 2>/dev/null)
            [ -z "$now" ] || peak=$now
            sleep 0.02
        done
        wait $child; status=$?
        echo "$peak" > "$PEAK"
        exit $status
    "#;
    let peak = outside.join("peak");
    let mut watched = Command::new("sh");
    watched.args(["-c", script, "sh"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => watched.env(name, value),
            None => watched.env_remove(name),
        };
    }
    watched.env("PEAK", &peak);
    watched.env("CEILING_KIB", ceiling_mib.map_or_else(String::new, |mib| (mib << 10).to_string()));
    (run(watched, b""), peak_kib(&peak))
}

/// A file many times larger than what may be held is taken in whole, and again, and changes nothing the second time.
#[test]
fn slow_a_large_import_stays_under_its_ceiling() {
    let memory = Memory::new();
    let mib = import_mib();
    let file = memory.outside().join("large.jsonl");
    let messages = write_messages(&file, mib);
    // Address space counts what is only reserved, too: stacks of threads, the allocator's arenas.
    let ceiling = IMPORT_MIB_MAX * 4;
    for round in 0..2 {
        let command = memory.command(&["--json", "import", "auto", file.to_str().expect("a path")]);
        let (ran, peak) = under_ceiling(&command, Some(ceiling), memory.outside());
        let answer = ran.ended(0).json();
        let counts = &answer["counts"];
        let (stored, duplicate) = if round == 0 { (messages, 0) } else { (0, messages) };
        assert_eq!(counts["records"], json!(messages), "{answer}");
        assert_eq!(
            (&counts["stored"], &counts["duplicate"]),
            (&json!(stored), &json!(duplicate)),
            "{answer}"
        );
        println!("{mib} MiB, {messages} messages, round {round}: {} MiB resident at most", peak >> 10);
        assert!(peak >> 10 <= IMPORT_MIB_MAX, "{} MiB were resident", peak >> 10);
    }
    memory.verify();
}

/// Sixteen processes write to one data directory: each stays small, and nothing is lost.
#[test]
fn slow_sixteen_processes_write_within_bounds_and_lose_nothing() {
    const PROCESSES: usize = 16;
    const EACH: usize = 60;
    const RESIDENT_MIB_MAX: u64 = 128;
    let memory = Memory::new();
    memory.run(&["init"]).ended(0);
    let writers: Vec<_> = (0..PROCESSES)
        .map(|writer| {
            let said: Vec<_> = (0..EACH)
                .map(|number| {
                    let mut message =
                        owner(&format!("I prefer drink {writer}-{number}."), "2026-03-01T09:00:00Z");
                    message["external_id"] = json!(format!("{writer}-{number}"));
                    message
                })
                .collect();
            let file = memory.outside().join(format!("said {writer}"));
            fs::write(&file, lines(&said)).expect("written");
            let command = memory.command(&["--json", "observe", file.to_str().expect("a path")]);
            let outside = memory.outside().join(format!("writer {writer}"));
            fs::create_dir(&outside).expect("a directory");
            std::thread::spawn(move || under_ceiling(&command, None, &outside))
        })
        .collect();
    let mut largest = 0;
    for writer in writers {
        let (ran, peak) = writer.join().expect("a writer");
        let answers = ran.ended(0).lines();
        assert_eq!(answers.len(), EACH);
        assert!(answers.iter().all(|answer| answer["duplicate"] == json!(false)));
        largest = largest.max(peak >> 10);
    }
    println!("{PROCESSES} processes: {largest} MiB resident at most");
    assert!(largest <= RESIDENT_MIB_MAX, "{largest} MiB were resident");
    let exported = memory.run(&["export"]).ended(0);
    assert_eq!(exported.out.lines().count(), PROCESSES * EACH);
    memory.verify();
}
