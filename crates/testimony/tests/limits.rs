//! The table of limits, row by row: one over each is refused, with its code, what was found, what is allowed, and what to do.
#![allow(clippy::disallowed_methods, reason = "tests write files")]

use std::fs;
use std::io::{Cursor, Write};
use std::sync::Arc;

use crate::support::{self, Memory, lines, owner};
use engine::observe::{Message, Observing, Room};
use engine::tokens::Tokens;
use engine::{Call, Engine, EngineError};
use importers::{Imported, Input, Limits, Options};
use ledger::admission::Policies;
use ledger::limits::Limit;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use serde_json::{Value as Json, json};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// What was said of something over a limit.
struct Refused {
    code: String,
    message: String,
    hint: Option<String>,
    /// Whether the data directory counts it.
    counted: bool,
}

fn refused(error: &Json) -> Refused {
    let text = |field: &str| error[field].as_str().map(str::to_owned);
    Refused {
        code: text("code").expect("a code"),
        message: text("message").expect("a message"),
        hint: text("hint"),
        counted: true,
    }
}

fn observed(memory: &Memory, message: &Json) -> Refused {
    refused(&memory.observe(&lines(std::slice::from_ref(message)), &[]).ended(3).lines()[0]["error"])
}

fn asked(memory: &Memory, arguments: &[&str]) -> Refused {
    refused(&memory.json(3, arguments)["error"])
}

fn imported(memory: &Memory, name: &str, format: &str, write: impl FnOnce(&mut fs::File)) -> Refused {
    let file = memory.outside().join(name);
    write(&mut fs::File::create(&file).expect("a file"));
    let ran =
        support::run(memory.command(&["--json", "import", format, file.to_str().expect("a path")]), b"");
    let refusal = ran.json()["refused"][0].clone();
    fs::remove_file(file).expect("removed");
    let text = |field: &str| refusal[field].as_str().unwrap_or_default().to_owned();
    Refused { code: text("reason"), message: text("detail"), hint: None, counted: true }
}

/// An archive of text files of these sizes, not packed, read under `limits`.
fn unpacked(sizes: &[usize], method: CompressionMethod, limits: Limits) -> Refused {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, size) in sizes.iter().enumerate() {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(format!("{number}.txt"), options).expect("an entry");
        writer.write_all(&vec![b'a'; *size]).expect("written");
    }
    let bytes = writer.finish().expect("an archive").into_inner();
    let options = Options { limits, ..Options::default() };
    let read: Imported = importers::read(None, &[Input { name: "a.zip", bytes: &bytes }], &options);
    assert!(read.balances());
    let last = read.refused.last().expect("refused");
    Refused { code: last.reason.code().to_owned(), message: last.detail.clone(), hint: None, counted: false }
}

/// A second message to a subject that may hold one source and one fact.
fn outgrown(room: Room) -> Refused {
    let engine =
        Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens)).with_room(room);
    let scope = Scope::of(Subject::parse("me").expect("a name"));
    let call = Call { scope: &scope, now: Instant::default() };
    let observe = |reference: &str, text: &str| {
        let message: Message = serde_json::from_value(json!({
            "source": {"kind": "conversation", "ref": reference}, "author": "owner", "text": text,
        }))
        .expect("a message");
        engine.observe(call, vec![message], Observing::default())
    };
    observe("one", "I live in Zagreb.").expect("within");
    // What opens nothing new is taken in all the same.
    observe("one", "Good morning!").expect("within");
    let error = observe("two", "I prefer tea.").expect_err("over");
    let EngineError::Limit(over) = error else { panic!("{error:?}") };
    Refused {
        code: over.limit.code.to_owned(),
        message: over.to_string(),
        hint: Some(over.limit.fix.to_owned()),
        counted: false,
    }
}

fn go_over(limit: &'static Limit, memory: &Memory) -> Refused {
    let over = "x".repeat(limit.size().min(Limit::TEXT_BYTES.size()) + 1);
    let one_more = (limit.max + 1).to_string();
    let many = |one: Json| Json::Array(vec![one; limit.size() + 1]);
    let mut message = owner("I live in Zagreb.", "2026-03-01T09:00:00Z");
    match limit.code {
        "text_too_long" => observed(memory, &owner(&over, "2026-03-01T09:00:00Z")),
        "too_many_attachments" => {
            message["attachments"] = many(json!({"name": "a"}));
            observed(memory, &message)
        }
        "proposals_over_limit" => {
            message["proposals"] = many(json!({}));
            observed(memory, &message)
        }
        "name_too_long" => {
            message["external_id"] = json!(over);
            observed(memory, &message)
        }
        "query_too_long" => {
            let turn = asked(memory, &["turn", &over]);
            assert_eq!(turn.code, limit.code);
            asked(memory, &["recall", &over])
        }
        "page_too_large" => {
            let listed = asked(memory, &["list", "--limit", &one_more]);
            assert_eq!(listed.code, limit.code);
            asked(memory, &["recall", "tea", "--limit", &one_more])
        }
        "reason_too_long" => {
            asked(memory, &["disputes", "--resolve", "fa_1", "--keep", "ve_1", "--reason", &over])
        }
        "correction_too_long" => asked(memory, &["correct", "ve_1", &over]),
        "budget_too_large" => asked(memory, &["turn", "tea", "--budget-tokens", &one_more]),
        "too_many_turns" => asked(memory, &["policy", "diff", "turn/1", "turn/2", "--turns", &one_more]),
        "reply_too_long" => {
            let reply = memory.outside().join("reply.md");
            fs::write(&reply, over).expect("written");
            asked(memory, &["used", "tu_1", "--reply", reply.to_str().expect("a path")])
        }
        "line_too_long" => {
            let line = vec![b'x'; limit.size() + 1];
            refused(&memory.observe(&line, &[]).ended(3).lines()[0]["error"])
        }
        "imported_line_too_long" => imported(memory, "long.jsonl", "jsonl", |file| {
            file.write_all(&vec![b'x'; limit.size() + 1]).expect("written");
            file.write_all(b"\n{}\n").expect("written");
        }),
        "file_too_large" => imported(memory, "large.md", "markdown", |file| {
            file.set_len(limit.max + 1).expect("a length");
        }),
        "archive_too_many_entries" => {
            let limits = Limits { archive_entries_max: 2, ..Limits::default() };
            unpacked(&[1, 1, 1], CompressionMethod::Stored, limits)
        }
        "archive_entry_too_large" => {
            let limits = Limits { archive_entry_bytes_max: 10, ..Limits::default() };
            unpacked(&[11], CompressionMethod::Stored, limits)
        }
        "archive_too_large" => {
            let limits = Limits { archive_total_bytes_max: 10, ..Limits::default() };
            unpacked(&[5, 6], CompressionMethod::Stored, limits)
        }
        "archive_ratio" => unpacked(&[4 << 20], CompressionMethod::Deflated, Limits::default()),
        "too_many_sources" => outgrown(Room { sources: 1, ..Room::default() }),
        "too_many_facts" => outgrown(Room { facts: 1, ..Room::default() }),
        other => panic!("nothing goes over `{other}`"),
    }
}

#[test]
fn one_over_each_limit_is_refused_and_counted() {
    let memory = Memory::new();
    memory.run(&["remember", "I prefer tea."]).ended(0);
    let watermark = |memory: &Memory| memory.json(0, &["state"])["watermark"].clone();
    let before = watermark(&memory);
    let mut counted = Vec::new();
    for limit in Limit::ALL {
        let refused = go_over(limit, &memory);
        assert_eq!(refused.code, limit.code, "{}", refused.message);
        if let Some(hint) = refused.hint {
            assert_eq!(hint, limit.fix, "{}", limit.code);
            let allowed = refused.message.contains("are allowed");
            assert!(allowed && refused.message.contains(limit.unit), "{}", refused.message);
        }
        if refused.counted {
            counted.push(limit.code);
        }
    }
    assert_eq!(watermark(&memory), before, "something over a limit was kept");
    let findings = memory.json(0, &["doctor"]);
    let checks = findings["checks"].as_array().expect("checks");
    let limits = checks.iter().find(|check| check["name"] == json!("limits")).expect("limits");
    for code in counted {
        let told = limits["found"].as_str().expect("words");
        assert!(told.contains(&format!("{code} ")), "{code} is not in: {told}");
    }
}

#[test]
fn the_importers_own_limits_are_those_of_the_table() {
    let limits = Limits::default();
    assert_eq!(limits.file_bytes_max, Limit::FILE_BYTES.max);
    assert_eq!(limits.text_bytes_max, Limit::TEXT_BYTES.size());
    assert_eq!(limits.archive_entries_max, Limit::ARCHIVE_ENTRIES.size());
    assert_eq!(limits.archive_entry_bytes_max, Limit::ARCHIVE_ENTRY_BYTES.max);
    assert_eq!(limits.archive_total_bytes_max, Limit::ARCHIVE_BYTES.max);
    assert_eq!(limits.archive_ratio_max, Limit::ARCHIVE_RATIO.max);
}
