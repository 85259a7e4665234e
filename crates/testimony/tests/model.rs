//! The embedding model of this machine: its pieces and cosines against the reference, and the command that fetches and checks it.
//!
//! These tests need the pack and fail without it: `tools/model.sh` fetches it, once a machine.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::support;
use inference::Limits;
use inference::embed::{Embed as _, Role};
use inference::local::{KNOWN_MODELS, LocalEmbedder};
use serde::Deserialize;

/// A text with the pieces that the reference tokenizer cuts it into: `tokenizers` 0.23, with the rules of normalisation that the
/// vocabulary was trained under. `tests/model/tokens.jsonl` holds many scripts, marks, control characters and white space.
#[derive(Deserialize)]
struct Pieces {
    role: String,
    text: String,
    tokens: Vec<u32>,
}

/// Texts, and the cosine of each with each, computed in 32-bit fractions from the weights the pack was made from.
#[derive(Deserialize)]
struct Cosines {
    texts: Vec<Text>,
    cosines: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Text {
    role: String,
    text: String,
}

fn role(word: &str) -> Role {
    match word {
        "query" => Role::Query,
        _ => Role::Passage,
    }
}

fn model() -> LocalEmbedder {
    let directory = testimony::models::models_directory().expect("a home, or `TESTIMONY_MODELS_DIR`");
    let path = directory.join(KNOWN_MODELS[0].file_name());
    LocalEmbedder::open(&path).unwrap_or_else(|error| panic!("{error}\n`tools/model.sh` fetches the model"))
}

fn long() -> Limits {
    Limits::within(Duration::from_secs(600))
}

#[test]
fn pieces_are_those_of_the_reference() {
    let model = model();
    let fixture = include_str!("model/tokens.jsonl");
    let mut count = 0;
    for line in fixture.lines() {
        let expected: Pieces = serde_json::from_str(line).expect("the fixture is JSON");
        assert_eq!(
            model.tokens(role(&expected.role), &expected.text),
            expected.tokens,
            "{:?}",
            expected.text
        );
        count += 1;
    }
    assert!(count >= 60, "{count} lines");
}

#[test]
fn cosines_are_those_of_the_reference() {
    let model = model();
    let expected: Cosines =
        serde_json::from_str(include_str!("model/cosines.json")).expect("the fixture is JSON");
    let vectors: Vec<Vec<f32>> = expected
        .texts
        .iter()
        .flat_map(|text| model.embed(role(&text.role), &[&text.text], &long()).expect("no limit is reached"))
        .collect();
    for (left, row) in vectors.iter().zip(&expected.cosines) {
        for (right, expected) in vectors.iter().zip(row) {
            let cosine: f32 = left.iter().zip(right).map(|(left, right)| left * right).sum();
            assert!((cosine - expected).abs() < 0.01, "{cosine} for {expected}");
        }
    }
}

#[test]
fn neighbours_and_threads_change_no_bit_of_the_real_model() {
    let fixture = include_str!("model/tokens.jsonl");
    let texts: Vec<String> = fixture
        .lines()
        .map(|line| serde_json::from_str::<Pieces>(line).expect("the fixture is JSON").text)
        .filter(|text| text.len() < 200)
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut model = model();
    let alone: Vec<Vec<f32>> = texts
        .iter()
        .flat_map(|text| model.embed(Role::Passage, &[*text], &long()).expect("no limit is reached"))
        .collect();
    for (threads, batch) in [(1, 7), (2, 32), (4, texts.len())] {
        model = model.with_threads(NonZeroUsize::new(threads).expect("not zero"));
        let together: Vec<Vec<f32>> = texts
            .chunks(batch)
            .flat_map(|texts| model.embed(Role::Passage, texts, &long()).expect("no limit is reached"))
            .collect();
        assert!(together == alone, "batch {batch}, {threads} threads");
    }
}

#[test]
fn long_texts_have_several_windows() {
    let model = model();
    let text = "Sastanak s Markom je u četvrtak. Govorit ćemo o Alphi i o proračunu.\n".repeat(60);
    let pieces = model.pieces(&text);
    assert!(pieces.len() > 3, "{}", pieces.len());
    for piece in &pieces {
        assert!(model.tokens(Role::Passage, piece).len() <= 256);
        assert!(piece.ends_with('.'), "a window ends with a sentence: {piece:?}");
    }
    assert_eq!(model.pieces("Kratko."), ["Kratko."]);
}

#[test]
fn model_is_pulled_from_a_file_and_verified() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |arguments: &[&str]| {
        let mut command = support::command();
        command
            .env("TESTIMONY_MODELS_DIR", directory.path().join("models"))
            .arg("--json")
            .arg("model")
            .args(arguments);
        support::run(command, b"")
    };
    assert_eq!(run(&["verify"]).ended(1).json()["models"][0]["state"], "absent");
    let pack = testimony::models::models_directory().expect("a home").join(KNOWN_MODELS[0].file_name());
    let answer = run(&["pull", "--from", &pack.display().to_string()]).ended(0).json();
    assert_eq!(answer["blake3"], KNOWN_MODELS[0].pack_blake3);
    assert_eq!(run(&["verify"]).ended(0).json()["models"][0]["state"], "whole");

    // One byte in the middle.
    let placed = directory.path().join("models").join(KNOWN_MODELS[0].file_name());
    let mut bytes = std::fs::read(&placed).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::io::Write::write_all(
        &mut std::fs::OpenOptions::new().write(true).open(&placed).expect("it is there"),
        &bytes,
    )
    .expect("writing a file");
    let state = run(&["verify"]).ended(5).json()["models"][0].clone();
    assert_eq!(state["state"], "damaged");
    assert!(
        state["problem"].as_str().is_some_and(|problem| problem.contains("pull the model again")),
        "{state}"
    );
}

#[test]
fn pull_says_what_to_do_when_nobody_answers() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut command = support::command();
    command.env("TESTIMONY_MODELS_DIR", directory.path()).args([
        "model",
        "pull",
        "--index",
        "http://127.0.0.1:9/simple",
    ]);
    let ran = support::run(command, b"").ended(4);
    assert!(ran.err.contains("127.0.0.1:9") && ran.err.contains("--from FILE"), "{ran:?}");
    let mut command = support::command();
    command.args(["model", "pull", "no-such-model"]);
    assert!(support::run(command, b"").ended(3).err.contains("multilingual-e5-small"));
}
