//! SIB-200: the same sentences in many languages, with seven topics. Does the nearest sentence have the same topic, and is the
//! nearest in another language the same sentence?

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use inference::embed::Role;

use crate::data::folder;
use crate::embedding::{embed, open, share, share_right};
use crate::machine::Limits;
use crate::report::{Report, Table};

const LANGUAGES: [&str; 5] = ["eng_Latn", "hrv_Latn", "slv_Latn", "bos_Latn", "deu_Latn"];

/// A sentence: its number, the same in every language, its topic, and its words.
struct Sentence {
    id: String,
    topic: String,
    text: String,
}

/// Topic by the nearest of the training sentences, in the same language and in English; and the same sentence found across languages.
///
/// # Errors
/// When the model or the data set is missing.
pub fn run(directory: &Path) -> Result<Report> {
    let machine = Limits::measure(directory)?;
    let model = open()?;
    let mut report = Report::new("SIB-200: topics and translations by nearness", "bench sib200", machine);
    let mut table = Table::new(
        "Share right",
        &[
            "language",
            "topic, own language",
            "topic, English neighbours",
            "same sentence in English",
            "from English",
        ],
    );
    let (english, english_vectors) = part(&model, "eng_Latn", "train")?;
    for language in LANGUAGES {
        let (known, known_vectors) = part(&model, language, "train")?;
        let (asked, asked_vectors) = part(&model, language, "dev")?;
        let topic = |among: &[Sentence], vectors: &[Vec<f32>]| {
            share_right(&asked_vectors, vectors, |place, nearest| asked[place].topic == among[nearest].topic)
        };
        let to = share_right(&known_vectors, &english_vectors, |place, nearest| {
            known[place].id == english[nearest].id
        });
        let from = share_right(&english_vectors, &known_vectors, |place, nearest| {
            english[place].id == known[nearest].id
        });
        let cells = [topic(&known, &known_vectors), topic(&english, &english_vectors), to, from].map(share);
        table.row(std::iter::once(language.to_owned()).chain(cells));
    }
    report.tables.push(table);
    report
        .notes
        .push("99 sentences are asked for their topic among 701; 701 are looked for in English.".to_owned());
    Ok(report)
}

fn part(
    model: &inference::local::LocalEmbedder,
    language: &str,
    part: &str,
) -> Result<(Vec<Sentence>, Vec<Vec<f32>>)> {
    let path = folder().join(format!("sib200/{language}/{part}.tsv"));
    let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
    let sentences: Vec<Sentence> = text
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut cells = line.splitn(3, '\t').map(str::to_owned);
            Some(Sentence { id: cells.next()?, topic: cells.next()?, text: cells.next()? })
        })
        .collect();
    let texts: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    let vectors = embed(model, Role::Query, &texts)?;
    Ok((sentences, vectors))
}
