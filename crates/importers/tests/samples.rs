//! Every sample file, read: what each is taken for, that nothing in it is lost, and that a second reading is the same.

use std::collections::{BTreeSet, HashSet};

use crate::support::{by_reason, every_sample, import, printed, sample};
use importers::{Author, Input, Options, detect, read};
use serde_json::Value;

/// File, format, messages and documents, refused by reason, joined. The whole of what is known about the samples.
#[test]
fn every_sample_is_read_and_balances() {
    let mut table = String::new();
    for sample in every_sample() {
        let imported = import(&sample.name, &sample.bytes, &Options::default());
        assert!(imported.balances(), "{}: {}", sample.name, printed(&imported));
        assert!(imported.records > 0, "{}: no record was met", sample.name);
        let format = detect(&Input { name: &sample.name, bytes: &sample.bytes });
        let format = match format {
            Some(format) => format.as_str(),
            None if sample.name.ends_with(".zip") => "(archive)",
            None => "-",
        };
        let reasons: Vec<String> =
            by_reason(&imported).iter().map(|(code, n)| format!("{code} {n}")).collect();
        table += &format!(
            "{} | {format} | {} messages, {} documents, {} joined, {} parts cut | {}\n",
            sample.name,
            imported.messages(),
            imported.documents(),
            imported.joined,
            imported.parts_cut,
            reasons.join(", ")
        );
    }
    insta::assert_snapshot!(table);
}

/// The balance above would hold in a reader that met no record at all, so records are counted here by other means:
/// lines of the file, or lengths of the lists that hold messages.
#[test]
fn records_are_as_many_as_the_file_holds() {
    let lists = |name: &str, pointers: &[&str]| {
        let value: Value = serde_json::from_slice(&sample(name).bytes).unwrap();
        pointers
            .iter()
            .map(|pointer| value.pointer(pointer).unwrap().as_array().unwrap().len() as u64)
            .sum::<u64>()
    };
    let table = [
        ("import-agent-sessions/claude-code-transcripts/sample_session.json", vec!["/loglines"]),
        (
            "import-agent-sessions/polylogue/fixtures/hermes/archival_export/v1/example-session.json",
            vec!["/messages"],
        ),
        (
            "import-agent-sessions/polylogue/data/gemini_chunked_prompt/branching_session.json",
            vec!["/chunkedPrompt/chunks"],
        ),
        (
            "import-agent-sessions/polylogue/fixtures/origin-capability/gemini-cli-session.json",
            vec!["/messages"],
        ),
        (
            "import-agent-sessions/polylogue/fixtures/origin-capability/grok-export.json",
            vec!["/conversations/0/responses"],
        ),
        ("import-chat/chat-miner/telegram/test_batch_export.json", vec!["/chats/list/0/messages"]),
        ("import-chat/chat-miner/telegram/test_single_export.json", vec!["/messages"]),
        ("import-chat/chat-miner/instagram/test_export.json", vec!["/messages"]),
        ("import-chat/claude-ai/polylogue-sample-00.json", vec!["/chat_messages"]),
    ];
    for (name, pointers) in table {
        let imported = import(name, &sample(name).bytes, &Options::default());
        assert_eq!(imported.records, lists(name, &pointers), "{name}");
    }
    let mut lines_checked = 0;
    for sample in every_sample().iter().filter(|sample| sample.name.ends_with(".jsonl")) {
        // The one file in which a line holds a list of messages.
        if sample.name.contains("set-snapshot") {
            continue;
        }
        let text = String::from_utf8(sample.bytes.clone()).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count() as u64;
        assert_eq!(
            import(&sample.name, &sample.bytes, &Options::default()).records,
            lines,
            "{}",
            sample.name
        );
        lines_checked += 1;
    }
    assert!(lines_checked >= 20, "{lines_checked}");
    let slack = sample("import-chat/slack/slack-export-viewer-testarchive.zip");
    // 158 messages in the days' files, counted outside this program, and three lists.
    assert_eq!(import(&slack.name, &slack.bytes, &Options::default()).records, 158 + 3);
}

/// Everything from every file in one import: ids stay unique in their source, words are never empty, and the second
/// reading is the first.
#[test]
fn all_samples_together_are_read_alike_twice() {
    let samples = every_sample();
    let inputs: Vec<Input<'_>> =
        samples.iter().map(|sample| Input { name: &sample.name, bytes: &sample.bytes }).collect();
    let options = Options::default();
    let first = read(None, &inputs, &options);
    assert_eq!(printed(&first), printed(&read(None, &inputs, &options)));
    assert!(first.balances());
    let mut identities = BTreeSet::new();
    for source in &first.sources {
        assert!(identities.insert((&source.kind, &source.reference)), "{} {}", source.kind, source.reference);
        let mut ids = HashSet::new();
        for message in &source.messages {
            assert!(ids.insert(&message.external_id), "{} in {}", message.external_id, source.reference);
            assert!(!message.text.trim().is_empty());
        }
    }
}

/// What the machinery wrote is nowhere in what was drafted, least of all as the owner's words.
#[test]
fn control_plane_text_is_not_drafted() {
    let samples = every_sample();
    let inputs: Vec<Input<'_>> =
        samples.iter().map(|sample| Input { name: &sample.name, bytes: &sample.bytes }).collect();
    let imported = read(None, &inputs, &Options::default());
    let messages = || imported.sources.iter().flat_map(|source| &source.messages);
    let never = [
        "You are a helpful",
        "You are Kimi",
        "reasoning to be skipped",
        "hidden",
        "I should inspect the production route",
        "File written successfully",
        "runtime-only workspace facts",
        "checkpoint content must not be indexed",
        "Compressed release context",
        "reasoning is not indexed",
        "Privacy-safe fixture profile",
        "Privacy-safe reasoning",
        "Privacy-safe tool result",
        "fixture evidence",
        "Superseded answer",
        "Conflicting duplicate",
        "I should call code execution",
        "incorrect fix attempt",
        "ADDITIONAL_METADATA",
        "Request interrupted",
        "session continuation summary",
    ];
    for words in never {
        let found = messages().find(|message| message.text.contains(words));
        assert!(found.is_none(), "`{words}` was drafted: {found:?}");
    }
    // What a model asked of its subagents has the role `user` in the file.
    for words in ["Validate the synthetic twelve-change overhaul", "Inspect the normalization shard"] {
        let found = messages().find(|message| message.text.contains(words)).unwrap();
        assert_eq!(found.author, Author::Assistant, "{words}");
    }
}

/// A log is imported while it is being written: every id of an earlier, shorter state is in the later one, with the
/// same words, so that the second import adds only what is new.
#[test]
fn a_log_that_grew_keeps_its_ids_and_words() {
    let mut compared = 0;
    for sample in every_sample().iter().filter(|sample| sample.name.ends_with(".jsonl")) {
        let text = String::from_utf8(sample.bytes.clone()).unwrap();
        let known = |text: &str| -> BTreeSet<(String, String, String, String)> {
            let imported = import(&sample.name, text.as_bytes(), &Options::default());
            let mut found = BTreeSet::new();
            for source in imported.sources {
                for message in source.messages {
                    let reference = source.reference.clone();
                    found.insert((source.kind.clone(), reference, message.external_id, message.text));
                }
            }
            found
        };
        let whole = known(&text);
        for (end, _) in text.match_indices('\n') {
            let part = known(&text[..end]);
            // The one exception is a reply whose pieces are not all there yet: its first words stand.
            let streamed = sample.name.contains("/kimi/") || sample.name.contains("/grok/");
            let late: Vec<_> = part.difference(&whole).collect();
            assert!(late.is_empty() || (streamed && late.len() == 1), "{}: {late:?}", sample.name);
            compared += part.len();
        }
    }
    assert!(compared > 100, "{compared}");
}
