//! Importing through the command: whole directories, balanced counts, and a second time without effect.

#![allow(clippy::disallowed_methods, reason = "tests write the files that people and accidents write")]

use std::path::Path;

use crate::support::Memory;
use serde_json::{Value as Json, json};

fn balance(answer: &Json) {
    let count = |name: &str| answer["counts"][name].as_u64().unwrap_or_else(|| panic!("{name} in {answer}"));
    assert_eq!(
        count("records"),
        count("stored") + count("duplicate") + count("refused") + count("joined"),
        "{}",
        answer["counts"]
    );
    assert_eq!(answer["refused"].as_array().map(Vec::len), Some(count("refused") as usize));
}

#[test]
fn every_sample_is_imported_once_and_only_once() {
    let memory = Memory::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let paths = [data.join("import-chat"), data.join("import-agent-sessions")];
    let paths = paths.map(|path| path.to_str().expect("a path").to_owned());
    let first = memory.json(0, &["--now", "2026-06-01T00:00:00Z", "import", "auto", &paths[0], &paths[1]]);
    balance(&first);
    assert!(first["counts"]["stored"].as_u64() > Some(200), "{}", first["counts"]);
    // On another day, so that messages without a time are put to the test.
    let again = memory.json(0, &["--now", "2026-07-01T00:00:00Z", "import", "auto", &paths[0], &paths[1]]);
    balance(&again);
    assert_eq!(again["counts"]["stored"], json!(0), "{}", again["counts"]);
    assert_eq!(again["watermark"], first["watermark"]);
    memory.verify();
}

#[test]
fn the_owner_is_named_and_a_forgotten_source_is_not_learnt_again() {
    let memory = Memory::new();
    let chat = memory.outside().join("chat.txt");
    let text = "31/12/2021, 22:01 - Ana: I live in Zagreb.\n31/12/2021, 22:02 - Ivo: I live in Split.\n\
                31/12/2021, 22:03 - Ana: I prefer tea.\n31/12/2021, 22:04 - Ivo: Me too.\n";
    std::fs::write(&chat, text).expect("written");
    let chat = chat.to_str().expect("a path");
    let arguments =
        ["import", "whatsapp", "--owner", "Ana", "--zone", "Europe/Zagreb", "--source", "friends", chat];
    let first = memory.json(0, &arguments);
    balance(&first);
    assert!(first["proposals"]["admitted"].as_u64() >= Some(1), "{first}");
    let found = memory.json(0, &["recall", "where do I live?"]);
    assert!(found.to_string().contains("Zagreb") && !found.to_string().contains("Split"), "{found}");

    let gone = memory.json(0, &["forget", "--source", "whatsapp:friends"]);
    assert_eq!(gone["residue"], json!(0), "{gone}");
    let again = memory.json(1, &arguments);
    balance(&again);
    assert_eq!(again["counts"]["stored"], json!(0));
    assert_eq!(again["refused"][0]["reason"], json!("forgotten"));
    memory.run(&["recall", "where do I live?"]).ended(1);
}

#[test]
fn what_is_no_import_is_told() {
    let memory = Memory::new();
    let folder = memory.outside().join("folder");
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("a.md"), "# Handbook\n\nBe kind.\n").expect("written");
    std::fs::write(folder.join("b.md"), "# Other\n\nBe brief.\n").expect("written");
    std::fs::write(folder.join("noise.bin"), [0_u8, 255, 1, 2]).expect("written");
    std::os::unix::fs::symlink("/etc", folder.join("link")).expect("linked");
    let folder = folder.to_str().expect("a path");
    for (exit, arguments, wanted) in [
        (2, &["import", "nonsense", folder] as &[&str], "unknown format `nonsense`"),
        (3, &["import", "auto", "/no/such/file"], "no such file"),
        (3, &["import", "auto", folder, "--zone", "Mars/Olympus"], "unknown time zone"),
        (3, &["import", "auto", folder, "--source", "one"], "names one source"),
        (2, &["import", "auto", folder, "--living", "--snapshot"], "cannot be used with"),
    ] {
        let ran = memory.run(arguments).ended(exit);
        assert!(ran.err.contains(wanted), "{ran:#?}");
    }
    let answer = memory.json(0, &["import", "auto", folder]);
    balance(&answer);
    assert_eq!(answer["documents"], json!(2));
    let reasons: Vec<&str> = answer["refused"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["reason"].as_str())
        .collect();
    assert!(reasons.contains(&"symlink") && reasons.len() == 2, "{answer}");
}
