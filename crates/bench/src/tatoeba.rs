//! Tatoeba: of a thousand sentences in one language and their translations, is each one's nearest its own?

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use inference::embed::Role;

use crate::data::folder;
use crate::embedding::{embed, open, share, share_right, stored};
use crate::machine::Limits;
use crate::report::{Report, Table};

const LANGUAGES: [&str; 4] = ["hrv", "slv", "srp", "deu"];

/// Sentences found right for Croatian to English, at least.
const CROATIAN_MIN: f64 = 0.88;

/// Both ways for every language, with vectors in fractions and as they are stored. All sentences are embedded as questions, which is
/// how the model is meant to be used between texts of one kind.
///
/// # Errors
/// When the model or the data set is missing.
pub fn run(directory: &Path) -> Result<Report> {
    let machine = Limits::measure(directory)?;
    let model = open()?;
    let mut report =
        Report::new("Tatoeba: the nearest sentence is the translation", "bench tatoeba", machine);
    let mut table = Table::new(
        "Ranked first",
        &[
            "language",
            "sentences",
            "to English",
            "from English",
            "to English, in bytes",
            "from English, in bytes",
        ],
    );
    for language in LANGUAGES {
        let own = embed(&model, Role::Query, &lines(language, language)?)?;
        let english = embed(&model, Role::Query, &lines(language, "eng")?)?;
        let both = |own: &[Vec<f32>], english: &[Vec<f32>]| {
            let same = |place, nearest| place == nearest;
            [share_right(own, english, same), share_right(english, own, same)]
        };
        let [to, from] = both(&own, &english);
        let [to_bytes, from_bytes] = both(&stored(&own), &stored(&english));
        if language == "hrv" {
            report
                .must(to >= CROATIAN_MIN, || format!("hrv to English {} is below {CROATIAN_MIN}", share(to)));
        }
        let cells = [to, from, to_bytes, from_bytes].map(share);
        table.row([language.to_owned(), own.len().to_string()].into_iter().chain(cells));
    }
    report.tables.push(table);
    report.notes.push("The English side has near-duplicates, so 1.000 cannot be reached.".to_owned());
    Ok(report)
}

fn lines(pair: &str, language: &str) -> Result<Vec<String>> {
    let path = folder().join(format!("tatoeba/tatoeba.{pair}-eng.{language}"));
    let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}
