//! The embedder: how long a text takes, how many a second, how much memory, how soon it is ready, and whether a vector is the same
//! to the bit whatever stands beside its text and however many threads work.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Result, ensure};
use inference::embed::Role;
use inference::local::LocalEmbedder;
use serde_json::json;

use crate::data::{self, folder};
use crate::embedding::{embed, likeness, open, pack};
use crate::machine::{Limits, processor_time, resident_bytes};
use crate::measure::{Samples, digits, time};
use crate::report::{Report, Table};

/// Pieces of the texts whose time is taken, marks of control and prefix included, about.
const LENGTHS: [usize; 3] = [12, 40, 200];

/// How often each is repeated.
const REPEATS: usize = 300;

/// Texts of the throughput and of the comparison.
const TEXTS: usize = 1_000;

/// Bytes resident, at most, with the model loaded and at work.
const RESIDENT_MAX: u64 = 200 << 20;

/// Measures; `vectors` names a file for vectors that a reference can be held against.
///
/// # Errors
/// When the model or the data set is missing.
pub fn run(directory: &Path, runs: usize, vectors: Option<&Path>) -> Result<Report> {
    let machine = Limits::measure(directory)?;
    let mut report = Report::new("The embedder on this machine", "bench embedder", machine);
    let before = resident_bytes();
    let texts = texts()?;

    let mut starts = Samples::default();
    for _ in 0..runs.max(1) {
        let (model, took) = time(open);
        model?;
        starts.push(took.as_secs_f64() * 1e3);
    }
    let model = open()?;
    let loaded = resident_bytes();

    let mut latency =
        Table::new("One text at a time", &["pieces", "p50 ms", "p99 ms", "least ms", "processor ms, mean"]);
    for length in LENGTHS {
        let text = of_length(&model, &texts, length);
        let pieces = model.tokens(Role::Query, &text).len();
        let mut samples = Samples::default();
        embed(&model, Role::Query, &[&text])?;
        let processor = processor_time();
        for _ in 0..REPEATS {
            let (found, took) = time(|| embed(&model, Role::Query, &[&text]));
            found?;
            samples.push(took.as_secs_f64() * 1e3);
        }
        let processor = (processor_time() - processor).as_secs_f64() * 1e3 / REPEATS as f64;
        let figures =
            [samples.median(), samples.quantile(0.99), samples.quantile(0.0), processor].map(digits);
        latency.row(std::iter::once(pieces.to_string()).chain(figures));
    }
    report.tables.push(latency);

    let mut throughput = Table::new(
        "Many texts",
        &["threads", "texts a second", "pieces a second", "texts a processor second"],
    );
    let pieces: usize = texts.iter().map(|text| model.tokens(Role::Passage, text).len()).sum();
    let mut model = model;
    for threads in [1, 2] {
        model = model.with_threads(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN));
        let mut rates = Samples::default();
        let processor = processor_time();
        for _ in 0..runs.max(1) {
            let (found, took) = time(|| embed(&model, Role::Passage, &texts));
            found?;
            rates.push(texts.len() as f64 / took.as_secs_f64());
        }
        // The processor's time is that of this thread, so it says something only where it works alone.
        let processor = (processor_time() - processor).as_secs_f64();
        let alone =
            (threads == 1 && processor > 0.0).then(|| digits((texts.len() * runs.max(1)) as f64 / processor));
        let pieces_rate = rates.median() * pieces as f64 / texts.len() as f64;
        throughput.row([threads.to_string(), rates.spread(), digits(pieces_rate), alone.unwrap_or_default()]);
    }
    report.tables.push(throughput);
    report.notes.push(format!(
        "{} sentences of three languages, {} pieces each on average, prefix and marks of control included.",
        texts.len(),
        digits(pieces as f64 / texts.len() as f64)
    ));

    let working = resident_bytes();
    let mut memory = Table::new("Memory and start", &["what", "figure"]);
    memory.row(["pack, MiB", &mebibytes(std::fs::metadata(pack()?)?.len())]);
    memory.row(["ready after, ms", &starts.spread()]);
    memory.row(["resident before, MiB", &mebibytes(before)]);
    memory.row(["resident with the model loaded, MiB", &mebibytes(loaded)]);
    memory.row(["resident after all of the above, MiB", &mebibytes(working)]);
    report.tables.push(memory);
    report.must(working <= RESIDENT_MAX, || format!("{} MiB are resident", mebibytes(working)));

    let compared = compare(model, &texts)?;
    let mut equality = Table::new(
        "Vectors against those of one text at a time",
        &["batch", "threads", "texts", "same to the bit"],
    );
    for (batch, threads, same) in compared {
        report.must(same == TEXTS, || {
            format!("{} vectors differ, batch {batch}, {threads} threads", TEXTS - same)
        });
        equality.row([batch, threads, TEXTS, same]);
    }
    report.tables.push(equality);

    if let Some(path) = vectors {
        write_vectors(&open()?, &texts, path)?;
    }
    Ok(report)
}

/// For batch sizes and numbers of threads, how many vectors are the same as one by one.
fn compare(mut model: LocalEmbedder, texts: &[String]) -> Result<Vec<(usize, usize, usize)>> {
    let mut alone = Vec::new();
    for text in texts {
        alone.extend(embed(&model, Role::Passage, &[text])?);
    }
    let mut found = Vec::new();
    for threads in [1, 2, 4] {
        model = model.with_threads(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN));
        for batch in [1, 2, 7, 32, texts.len()] {
            let mut same = 0;
            for (texts, alone) in texts.chunks(batch).zip(alone.chunks(batch)) {
                let together = embed(&model, Role::Passage, texts)?;
                ensure!(together.len() == alone.len(), "a vector a text");
                let bits = |vector: &[f32]| vector.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
                same += together.iter().zip(alone).filter(|(left, right)| bits(left) == bits(right)).count();
            }
            found.push((batch, threads, same));
        }
    }
    Ok(found)
}

/// Sentences in Croatian, English and German, of any length that occurs.
fn texts() -> Result<Vec<String>> {
    let mut all = Vec::new();
    let sentences: Vec<String> = data::sentences()?.into_iter().take(TEXTS / 4).collect();
    all.extend(sentences);
    for (pair, language) in [("hrv", "hrv"), ("hrv", "eng"), ("deu", "deu")] {
        let text = std::fs::read_to_string(folder().join(format!("tatoeba/tatoeba.{pair}-eng.{language}")))?;
        all.extend(text.lines().take(TEXTS / 4).map(str::to_owned));
    }
    ensure!(all.len() == TEXTS, "the data sets hold {} of {TEXTS} sentences", all.len());
    Ok(all)
}

/// A text of about so many pieces.
fn of_length(model: &LocalEmbedder, texts: &[String], length: usize) -> String {
    let mut text = String::new();
    for word in texts.iter().flat_map(|text| text.split(' ')) {
        let longer = if text.is_empty() { word.to_owned() } else { format!("{text} {word}") };
        if model.tokens(Role::Query, &longer).len() > length {
            break;
        }
        text = longer;
    }
    text
}

/// A line a text: the text, the numbers of its pieces, its vector.
fn write_vectors(model: &LocalEmbedder, texts: &[String], path: &Path) -> Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for (text, vector) in texts.iter().zip(embed(model, Role::Passage, texts)?) {
        let tokens = model.tokens(Role::Passage, text);
        ensure!((likeness(&vector, &vector) - 1.0).abs() < 1e-4, "a vector has length 1");
        writeln!(file, "{}", json!({"text": text, "tokens": tokens, "vector": vector}))?;
    }
    file.flush()?;
    Ok(())
}

fn mebibytes(bytes: u64) -> String {
    digits(bytes as f64 / f64::from(1 << 20))
}
