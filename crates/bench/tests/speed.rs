//! That the instrument for speed works: a subject is filled, and a process of its own opens it and answers.

use std::path::Path;
use std::process::Command;

use bench::speed::{Corpus, fill};
use bench::stores::{StoreKind, engine, scope};

#[test]
fn a_subject_is_filled_and_opened_elsewhere() {
    let place = tempfile::tempdir().expect("a directory");
    let corpus = Corpus::read().expect("sentences");
    {
        let engine = engine(StoreKind::Sqlite.open(place.path()).expect("a store"));
        let messages = fill(&engine, &scope("reader").expect("a name"), &corpus, 300).expect("filled");
        assert!(messages >= 300, "{messages}");
    }
    let output = Command::new(Path::new(env!("CARGO_BIN_EXE_bench")))
        .args(["open-once", "--data"])
        .arg(place.path())
        .output()
        .expect("run");
    assert!(output.status.success(), "{output:?}");
    let opened: bench::speed::Opened = serde_json::from_slice(&output.stdout).expect("an answer");
    assert!(opened.grown_bytes > 0, "{opened:?}");
}
