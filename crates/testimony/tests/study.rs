//! `study` on a corpus of one's own, and what its calibration does to `recall`.

#![allow(clippy::disallowed_methods, reason = "files of a test, not of a data directory")]

use crate::support::Memory;
use serde_json::json;

const NOTES: &str = "\
schema = 1

[[note]]
id = \"keys\"
en = \"Mrs Jurić on the second floor has our spare keys.\"

[[note]]
id = \"tyres\"
en = \"The winter tyres are on the second floor of the garage.\"
";

const QUESTIONS: &str = "\
schema = 1

[[question]]
id = \"who\"
notes = [\"keys\"]
kind = \"plain\"
en = \"Who has our spare keys?\"

[[question]]
id = \"absent\"
notes = []
kind = \"absent\"
en = \"How tall is Everest?\"
";

#[test]
fn a_corpus_of_ones_own_calibrates_recall() {
    let memory = Memory::new();
    let place = |name: &str| memory.outside().join(name);
    std::fs::create_dir_all(place("corpus")).expect("made");
    std::fs::create_dir_all(place("policies/recall")).expect("made");
    std::fs::write(place("corpus/notes.toml"), NOTES).expect("written");
    std::fs::write(place("corpus/questions.toml"), QUESTIONS).expect("written");
    let path = |name: &str| place(name).display().to_string();
    let (corpus, thresholds, picture, policies) =
        (path("corpus"), path("policies/recall/mine.toml"), path("curve.svg"), path("policies"));

    let asked = ["study", "--corpus", &corpus, "--language", "en", "--others", "0", "--write", &thresholds];
    let studied = memory.json(0, &[&asked[..], &["--svg", &picture]].concat());
    assert_eq!(studied["model"], json!("words"));
    let english = &studied["languages"][0];
    assert_eq!((&english["notes"], &english["questions_with_a_note"]), (&json!(2), &json!(1)));
    assert_eq!(english["chosen"]["right"], json!(1.0), "{english:#}");
    assert_eq!(english["chosen"]["abstained"], json!(1.0));
    assert_eq!(english["curve"].as_array().map(Vec::len), Some(201));
    assert!(std::fs::read_to_string(&picture).expect("a picture").starts_with("<svg"));
    assert!(!memory.data().exists(), "a study keeps nothing");

    let written = std::fs::read_to_string(&thresholds).expect("thresholds");
    assert!(written.contains("model = \"words\"\nlanguage = \"en\"\n"), "{written}");
    // A second run replaces its own and keeps the others.
    let other = written.replace("model = \"words\"", "model = \"another\"");
    let tables = other.split_once("[[threshold]]").expect("a table").1;
    std::fs::write(&thresholds, format!("{written}\n[[threshold]]{tables}")).expect("written");
    memory.run(&asked).ended(0);
    let again = std::fs::read_to_string(&thresholds).expect("thresholds");
    assert_eq!(again.matches("[[threshold]]").count(), 2, "{again}");

    for text in ["Mrs Jurić on the second floor has our spare keys.", "The garage sells keys for bikes."] {
        memory.run(&["remember", text]).ended(0);
    }
    let question = "who has our spare keys?";
    let found = |more: &[&str]| {
        let recalled = memory.json(0, &[&["--policies", &policies, "recall", question], more].concat());
        recalled["items"].as_array().map_or(0, Vec::len)
    };
    assert_eq!((found(&[]), found(&["--threshold", "calibrated"])), (2, 1));
}

#[test]
fn what_cannot_be_studied_is_bad_input() {
    let memory = Memory::new();
    let nowhere = memory.outside().join("nowhere").display().to_string();
    assert!(memory.run(&["study", "--model", "gpt"]).ended(3).err.contains("model `gpt` is not there"));
    assert!(memory.run(&["study", "--corpus", &nowhere]).ended(3).err.contains("notes.toml"));
    assert!(memory.run(&["study", "--others", "-1"]).exit > 0);
    assert!(memory.run(&["recall", "keys", "--threshold", "high"]).ended(2).err.contains("`calibrated`"));
}
