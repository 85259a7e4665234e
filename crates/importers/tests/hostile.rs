//! Input meant to hurt, or merely broken: archives, damage, noise. Nothing panics, everything balances.

use std::{
    io::{Cursor, Write},
    sync::LazyLock,
};

use crate::support::{self, Sample, by_reason, every_sample, import, printed};
use importers::{Format, Imported, Input, Limits, Options, Reason, read};
use proptest::prelude::*;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const CHAT: &[u8] = b"12/31/21, 22:01 - A: hello\n";

fn archive(build: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>, SimpleFileOptions)) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    build(&mut writer, SimpleFileOptions::default().compression_method(CompressionMethod::Deflated));
    writer.finish().unwrap().into_inner()
}

fn with_limits(bytes: &[u8], limits: Limits) -> Imported {
    let imported = import("a.zip", bytes, &Options { limits, ..Options::default() });
    assert!(imported.balances());
    imported
}

fn reasons(imported: &Imported) -> Vec<(&str, Reason)> {
    imported.refused.iter().map(|refused| (refused.file.as_str(), refused.reason)).collect()
}

#[test]
fn an_archive_is_read_with_its_bad_entries_refused_by_name() {
    let nested = archive(|writer, options| {
        writer.start_file("x.txt", options).unwrap();
        writer.write_all(CHAT).unwrap();
    });
    let bytes = archive(|writer, options| {
        let mut add = |name: &str, content: &[u8]| {
            writer.start_file(name, options).unwrap();
            writer.write_all(content).unwrap();
        };
        add("../../etc/passwd.txt", CHAT);
        add("/abs.txt", CHAT);
        add("C:\\windows.txt", CHAT);
        add("inner.zip", &nested);
        add("inner.txt", &nested);
        add("photo.JPG", b"whatever");
        add("noise.dat", b"\0\0\0");
        add("good/_chat.txt", CHAT);
        writer.add_symlink("link.txt", "/etc/passwd", options).unwrap();
        writer.add_directory("folder/", options).unwrap();
    });
    let imported = with_limits(&bytes, Limits::default());
    assert_eq!(imported.messages(), 1, "{}", printed(&imported));
    assert_eq!(imported.sources[0].reference, "good/_chat");
    let found = reasons(&imported);
    for expected in [
        ("a.zip/../../etc/passwd.txt", Reason::ArchivePathUnsafe),
        ("a.zip//abs.txt", Reason::ArchivePathUnsafe),
        ("a.zip/inner.zip", Reason::ArchiveNested),
        ("a.zip/inner.txt", Reason::ArchiveNested),
        ("a.zip/photo.JPG", Reason::Media),
        ("a.zip/noise.dat", Reason::Media),
        ("a.zip/link.txt", Reason::ArchiveSymlink),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    assert!(
        found.iter().any(|(file, reason)| file.contains("windows") && *reason == Reason::ArchivePathUnsafe)
    );
    assert_eq!(found.len(), 8);
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    let bytes = archive(|writer, options| {
        writer.start_file("bomb.txt", options).unwrap();
        let zeros = vec![b'0'; 1024 * 1024];
        for _ in 0..64 {
            writer.write_all(&zeros).unwrap();
        }
        writer.start_file("_chat.txt", options).unwrap();
        writer.write_all(CHAT).unwrap();
    });
    let imported = with_limits(&bytes, Limits::default());
    assert_eq!(reasons(&imported), [("a.zip/bomb.txt", Reason::ArchiveRatio)]);
    assert_eq!(imported.messages(), 1);

    let loose = Limits { archive_ratio_max: u64::MAX, ..Limits::default() };
    let imported = with_limits(&bytes, Limits { archive_entry_bytes_max: 1000, ..loose });
    assert_eq!(reasons(&imported), [("a.zip/bomb.txt", Reason::ArchiveEntryTooLarge)]);
    assert_eq!(imported.messages(), 1);

    let imported = with_limits(&bytes, Limits { archive_total_bytes_max: 1000, ..loose });
    assert_eq!(
        reasons(&imported),
        [("a.zip/bomb.txt", Reason::ArchiveTooLarge), ("a.zip", Reason::ArchiveTooLarge)]
    );
    assert_eq!(imported.messages(), 0);

    let imported =
        with_limits(&bytes, Limits { archive_entries_max: 1, archive_entry_bytes_max: 10, ..loose });
    assert_eq!(
        reasons(&imported),
        [("a.zip/bomb.txt", Reason::ArchiveEntryTooLarge), ("a.zip", Reason::ArchiveTooManyEntries)]
    );

    let imported = with_limits(&bytes, Limits { file_bytes_max: 10, ..loose });
    assert_eq!(reasons(&imported), [("a.zip", Reason::FileTooLarge)]);

    let imported = with_limits(&bytes[..bytes.len() / 2], Limits::default());
    assert_eq!(reasons(&imported), [("a.zip", Reason::ArchiveUnreadable)]);
}

#[test]
fn an_empty_file_is_not_passed_over() {
    for format in std::iter::once(None).chain(Format::ALL.iter().copied().map(Some)) {
        for text in ["", "\n \n", "[]", "{}"] {
            let imported =
                read(format, &[Input { name: "empty", bytes: text.as_bytes() }], &Options::default());
            assert!(imported.balances());
            assert_eq!(imported.records, 1, "{format:?} of {text:?}: {}", printed(&imported));
        }
    }
    assert_eq!(with_limits(&archive(|_, _| {}), Limits::default()).records, 1);
}

/// Found by the property below: an id that is there and empty.
#[test]
fn an_empty_id_is_no_id() {
    let table = [
        (
            "conversations.json",
            r#"{"id":"c","current_node":"","mapping":{"":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["words"]}}}}}"#,
        ),
        (
            "wire.jsonl",
            r#"{"type":"context.append_loop_event","event":{"type":"content.part","stepUuid":"","part":{"type":"text","text":"words"}}}"#,
        ),
    ];
    for (name, text) in table {
        let imported = import(name, text.as_bytes(), &Options::default());
        assert!(
            imported.sources[0].messages[0].external_id.starts_with("h:"),
            "{text}: {}",
            printed(&imported)
        );
    }
}

/// As people download it: an export in an archive, with pictures and pages beside it.
#[test]
fn an_export_is_read_from_its_archive() {
    let export = support::sample("import-chat/chatgpt/chatgpt-export-parser-example.json");
    let bytes = archive(|writer, options| {
        let entries: [(&str, &[u8]); 4] = [
            ("conversations.json", &export.bytes),
            ("user.json", b"{\"id\":\"user-1\"}"),
            ("chat.html", b"<html></html>"),
            ("file-1.png", b"\x89PNG"),
        ];
        for (name, content) in entries {
            writer.start_file(name, options).unwrap();
            writer.write_all(content).unwrap();
        }
    });
    let imported = with_limits(&bytes, Limits::default());
    assert_eq!((imported.messages(), imported.sources[0].kind.as_str()), (4, "chatgpt"));
    assert_eq!(by_reason(&imported)["unknown_format"], 2);
    assert_eq!(by_reason(&imported)["media"], 1);
    let imported =
        read(Some(Format::Chatgpt), &[Input { name: "a.zip", bytes: &bytes }], &Options::default());
    assert_eq!((imported.messages(), imported.balances()), (4, true));
    assert_eq!(by_reason(&imported)["not_this_format"], 1);
}

#[test]
fn a_text_over_the_limit_is_refused_in_its_place() {
    let text = format!("12/31/21, 22:01 - A: {}\n12/31/21, 22:02 - A: short\n", "x".repeat(2000));
    let options =
        Options { limits: Limits { text_bytes_max: 1000, ..Limits::default() }, ..Options::default() };
    let imported = import("chat.txt", text.as_bytes(), &options);
    assert_eq!((imported.messages(), by_reason(&imported)["text_too_long"]), (1, 1));
    assert_eq!(imported.refused[0].place, "line 1");
}

/// Shapes that make a careless reader quadratic or overflow its stack, at a size at which it would show.
#[test]
fn large_and_deep_input_is_read_in_linear_time() {
    let table: Vec<(&str, String)> = vec![
        ("deep.json", format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000))),
        ("deep.jsonl", format!("{}\n", "{\"a\":".repeat(500_000))),
        ("wide.json", format!("[{}1]", "1,".repeat(1_000_000))),
        ("chat.txt", format!("12/31/21, 22:01 - A: {}\n", "line\n".repeat(500_000))),
        ("brackets.txt", "[".repeat(2_000_000)),
        ("digits.txt", "1/1/1, ".repeat(500_000)),
        ("quotes.sql", "insert into t values ('".repeat(100_000)),
        ("semicolons.sql", ";".repeat(2_000_000)),
        ("angle.md", "<".repeat(2_000_000)),
        (
            "day.json",
            format!(
                "[{{\"type\":\"message\",\"user\":\"U\",\"ts\":\"1.5\",\"text\":\"{}\"}}]",
                "<@U|".repeat(300_000)
            ),
        ),
    ];
    for (name, text) in table {
        let imported = import(name, text.as_bytes(), &Options::default());
        assert!(imported.balances(), "{name}");
        assert!(imported.records > 0, "{name}");
    }
}

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(every_sample);

fn check(format: Option<Format>, name: &str, bytes: &[u8]) {
    let options = Options { owner: Some("Ana".into()), ..Options::default() };
    let imported = read(format, &[Input { name, bytes }], &options);
    assert!(imported.balances(), "{name} as {format:?}");
    for message in imported.sources.iter().flat_map(|source| &source.messages) {
        assert!(!message.text.trim().is_empty() && !message.external_id.is_empty());
    }
}

fn any_format() -> impl Strategy<Value = Option<Format>> {
    prop_oneof![Just(None), prop::sample::select(Format::ALL).prop_map(Some)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_balance(format in any_format(), bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check(format, "any.json", &bytes);
    }

    #[test]
    fn any_text_balances(format in any_format(), text in "[\\[\\]{}\",:0-9a-c/ \\-\\n<>'();*]{0,300}") {
        for name in ["a.json", "a.jsonl", "a.txt", "a.sql", "a.md"] {
            check(format, name, text.as_bytes());
        }
    }

    #[test]
    fn a_cut_sample_balances(index in any::<prop::sample::Index>(), cut in any::<prop::sample::Index>(), format in any_format()) {
        let sample = index.get(&SAMPLES);
        let end = cut.index(sample.bytes.len() + 1);
        check(None, &sample.name, &sample.bytes[..end]);
        check(format, &sample.name, &sample.bytes[..end]);
    }

    #[test]
    fn a_damaged_sample_balances(
        index in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        format in any_format(),
    ) {
        let sample = index.get(&SAMPLES);
        let mut bytes = sample.bytes.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        check(None, &sample.name, &bytes);
        check(format, &sample.name, &bytes);
    }

    /// Structure survives where bytes do not: values of a sample are swapped for others of any type.
    #[test]
    fn a_sample_of_wrong_types_balances(index in any::<prop::sample::Index>(), seed in any::<u64>(), format in any_format()) {
        let sample = index.get(&SAMPLES);
        let text = String::from_utf8_lossy(&sample.bytes);
        let mut state = seed | 1;
        let mangled: Vec<String> = text.lines().map(|line| match serde_json::from_str(line) {
            Ok(mut value) => { mangle(&mut value, &mut state); value.to_string() }
            Err(_) => line.to_owned(),
        }).collect();
        let mut bytes = mangled.join("\n");
        if let Ok(mut value) = serde_json::from_str(&text) {
            mangle(&mut value, &mut state);
            bytes = value.to_string();
        }
        check(None, &sample.name, bytes.as_bytes());
        check(format, &sample.name, bytes.as_bytes());
    }
}

fn mangle(value: &mut serde_json::Value, state: &mut u64) {
    use serde_json::{Value, json};
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!([]),
        json!({}),
        json!([[1], "x"]),
        json!("\u{0}"),
    ];
    if (*state >> 33).is_multiple_of(12) {
        *value = others[(*state >> 40) as usize % others.len()].clone();
        return;
    }
    match value {
        Value::Array(entries) => entries.iter_mut().for_each(|entry| mangle(entry, state)),
        Value::Object(entries) => entries.values_mut().for_each(|entry| mangle(entry, state)),
        _ => {}
    }
}
