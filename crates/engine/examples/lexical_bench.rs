//! Speed and size of the lexical index on real words.
//!
//! `cargo run --release -p engine --example lexical_bench -- DIRECTORY` cuts the BEAM chats into documents of twelve
//! words and prints: nanoseconds a token to analyse, documents a second to build, search times at 10,000 and 100,000
//! documents for windows of three to six words (grammar and common words as they come), for the chats' own
//! questions, for misspelt words, and bytes a document.
#![expect(clippy::disallowed_methods, reason = "a bench measures")]

use std::time::Instant;

use anyhow::{Context, bail};
use engine::lexical::{Analysis, Field, LexicalIndex, Purpose, Query, analyse};
use serde_json::Value;

fn main() -> anyhow::Result<()> {
    let Some(directory) = std::env::args().nth(1) else {
        bail!("usage: lexical_bench DIRECTORY");
    };
    let (documents, questions) = read(&directory)?;
    println!("{} documents of 12 words, {} questions", documents.len(), questions.len());

    let mut analysis = Analysis::default();
    let mut tokens = 0_usize;
    let start = Instant::now();
    for document in &documents {
        analyse(document, Purpose::Document, &mut analysis);
        tokens += document.split(' ').count();
    }
    println!("analyse  {:8.0} ns/word", start.elapsed().as_nanos() as f64 / tokens as f64);

    for size in [10_000, 100_000] {
        let chosen = documents.get(..size).context("too few words")?;
        let start = Instant::now();
        let mut index = LexicalIndex::default();
        for (id, document) in chosen.iter().enumerate() {
            index.add(u32::try_from(id)?, &[(Field::Value, document)])?;
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "build    {size} documents in {:.1} ms, {:.0}/s, {:.0} ns/word",
            seconds * 1e3,
            size as f64 / seconds,
            seconds * 1e9 / (size * 12) as f64
        );
        let grown = index.resident_bytes();
        index.shrink();
        println!(
            "memory   {} bytes/document as grown, {} after shrink",
            grown / size,
            index.resident_bytes() / size
        );
        let windows: Vec<String> = (0..1_000_usize)
            .map(|number| {
                let document = &chosen[number.wrapping_mul(7_919) % size];
                let words = 3 + number % 4;
                document.split(' ').skip(number % 6).take(words).collect::<Vec<_>>().join(" ")
            })
            .collect();
        let misspelt: Vec<String> = windows
            .iter()
            .map(|window| {
                window
                    .split(' ')
                    .map(|word| match word.char_indices().nth(4) {
                        Some((place, _)) => format!("{}q{}", &word[..place], &word[place..]),
                        None => word.to_owned(),
                    })
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        for (name, asked) in [("windows", &windows), ("questions", &questions), ("misspelt", &misspelt)] {
            time(name, &index, asked);
        }
        let start = Instant::now();
        for id in 0..1_000 {
            index.remove(id * 7);
        }
        println!("remove   {:.1} µs each", start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}

/// Query analysis included, 12 hits asked for, every tenth document hidden by the filter.
fn time(name: &str, index: &LexicalIndex, asked: &[String]) {
    let mut hits = 0;
    let mut times: Vec<f64> = asked
        .iter()
        .map(|text| {
            let start = Instant::now();
            hits += index.search(&Query::new(text), |id| id % 10 != 9, 12).len();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("search   {name:10} p50 {:.3} ms, p99 {:.3} ms, {} hits", at(0.5), at(0.99), hits);
}

fn read(directory: &str) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let mut chats: Vec<_> = std::fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
    chats.sort_by_key(std::fs::DirEntry::path);
    let (mut documents, mut questions) = (Vec::new(), Vec::new());
    for chat in chats.iter().map(std::fs::DirEntry::path).filter(|path| path.is_dir()) {
        let batches: Value = serde_json::from_str(&std::fs::read_to_string(chat.join("chat.json"))?)?;
        let mut words: Vec<&str> = Vec::new();
        let turns =
            batches.as_array().into_iter().flatten().flat_map(|batch| batch["turns"].as_array()).flatten();
        for message in turns.flat_map(Value::as_array).flatten() {
            let text = message["content"].as_str().unwrap_or_default();
            words.extend(text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)));
        }
        // Twice, the second time half a document further, to have 100,000.
        for from in [0, 6.min(words.len())] {
            documents.extend(words[from..].chunks(12).map(|chunk| chunk.join(" ")));
        }
        let asked: Value =
            serde_json::from_str(&std::fs::read_to_string(chat.join("probing_questions.json"))?)?;
        for kind in asked.as_object().into_iter().flat_map(|kinds| kinds.values()) {
            for question in kind.as_array().into_iter().flatten() {
                questions.extend(question["question"].as_str().map(str::to_owned));
            }
        }
    }
    // Interleave the chats, so that the first ten thousand speak of everything.
    let stride = 9_973;
    let count = documents.len();
    let mixed = (0..count).map(|place| documents[place * stride % count].clone()).collect();
    Ok((mixed, questions))
}
