//! From importers' drafts to messages: nothing is lost or bent on the way.

use std::path::Path;

use importers::{Input, Options, read};
use ledger::time::{Instant, Moment};
use testimony::drafts::{Choices, messages};

#[test]
fn times_keep_their_instant_and_their_zone() {
    let zone = jiff::tz::TimeZoneDatabase::bundled().get("Europe/Zagreb").expect("a zone");
    let options = Options { owner: Some("Ana".to_owned()), zone, ..Options::default() };
    let chat =
        "31/12/2021, 22:01 - Ana: Hello.\n31/07/2022, 22:02 - Ivo: Hi.\n01/08/2022, 09:02 - Ana: So?\n";
    let lines = concat!(
        r#"{"source":{"kind":"c","ref":"1"},"author":"owner","text":"a","event_time":"2026-03-01T09:00:00+02:00"}"#,
        "\n",
        r#"{"source":{"kind":"c","ref":"1"},"author":"owner","text":"b","event_time":"2026-03-01T09:00:00.25Z"}"#,
        "\n",
        r#"{"source":{"kind":"c","ref":"1"},"author":"owner","text":"c","event_time":"2026-03-01T09:00:00-03:30"}"#,
        "\n",
        r#"{"source":{"kind":"c","ref":"1"},"author":"owner","text":"d","event_time":"2026-07-01T09:00:00+02:00[Europe/Zagreb]"}"#,
        "\n",
    );
    let inputs = [
        Input { name: "chat.txt", bytes: chat.as_bytes() },
        Input { name: "l.jsonl", bytes: lines.as_bytes() },
    ];
    let imported = read(None, &inputs, &options);
    let mut seen = 0;
    for source in imported.sources {
        let times: Vec<_> = source.messages.iter().map(|draft| draft.event_time.clone()).collect();
        for (message, time) in messages(source, &Choices::default()).zip(times) {
            let time = time.expect("every message here has a time");
            let written = message.event_time.expect("kept");
            let read: Moment = written.parse().unwrap_or_else(|error| panic!("`{written}`: {error}"));
            assert_eq!(read.instant, Instant::from(time.timestamp()), "{written}");
            assert_eq!(read.zoned().offset(), time.offset(), "{written}");
            seen += 1;
        }
    }
    assert_eq!(seen, 7);
}

#[test]
fn every_sample_becomes_messages_that_the_engine_takes() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let mut open = vec![data.join("import-chat"), data.join("import-agent-sessions")];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(&path).expect("listed").map(|entry| entry.expect("an entry").path()),
            );
            continue;
        }
        let bytes = std::fs::read(&path).expect("read");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let imported = read(None, &[Input { name: &name, bytes: &bytes }], &Options::default());
        for message in imported.sources.into_iter().flat_map(|source| messages(source, &Choices::default())) {
            if let Some(time) = &message.event_time {
                time.parse::<Moment>().unwrap_or_else(|error| panic!("`{time}` of {name}: {error}"));
            }
            assert!(message.external_id.is_some());
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen}");
}
