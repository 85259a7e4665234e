//! chat-miner's own expectations for its samples.

use crate::support::{import, printed, sample};
use importers::{Author, Options};
use serde_json::Value;

/// Without white space: chat-miner folds line breaks into spaces and puts a space between the pieces of a Telegram
/// text, while the words here are kept as they stand in the file.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn chat_miners_targets_are_met() {
    let table: &[(&str, &[&str])] = &[
        ("instagram", &["test_export.json"]),
        ("signal", &["test_export.txt"]),
        ("telegram", &["test_single_export.json", "test_batch_export.json"]),
        (
            "whatsapp",
            &[
                "test_ddmmyy_24hrs.txt",
                "test_mmddyy_24hrs.txt",
                "test_[mmddyy]_24hrs.txt",
                "test_mmddyyyy_12hrs.txt",
                "test_yyyymmdd_24hrs.txt",
            ],
        ),
    ];
    for (format, files) in table {
        let target = sample(&format!("import-chat/chat-miner/{format}/target.json"));
        let target: Vec<Value> = serde_json::from_slice(&target.bytes).unwrap();
        let mut expected: Vec<(String, String, String)> = target
            .iter()
            .map(|entry| {
                let field = |name: &str| entry[name].as_str().unwrap().to_owned();
                (field("timestamp"), field("author"), squeezed(&field("message")))
            })
            .collect();
        expected.sort();
        for file in *files {
            let sample = sample(&format!("import-chat/chat-miner/{format}/{file}"));
            let imported = import(&sample.name, &sample.bytes, &Options::default());
            assert_eq!(imported.sources.len(), 1, "{file}: {}", printed(&imported));
            assert_eq!(imported.sources[0].kind, *format, "{file}");
            let mut found: Vec<(String, String, String)> = imported.sources[0]
                .messages
                .iter()
                .map(|message| {
                    let time = message.event_time.as_ref().unwrap().strftime("%Y-%m-%dT%H:%M:%S").to_string();
                    (time, message.author_name.clone().unwrap(), squeezed(&message.text))
                })
                .collect();
            found.sort();
            assert_eq!(found, expected, "{file}");
            assert!(imported.sources[0].messages.iter().all(|message| message.author == Author::External));
            assert!(imported.notices.iter().any(|notice| notice.contains("no owner was named")), "{file}");
        }
    }
}
