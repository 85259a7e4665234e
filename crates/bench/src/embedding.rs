//! What the instruments for embedding share: the model of this machine, and comparing vectors.

use anyhow::{Context as _, Result};
use inference::Limits;
use inference::embed::{Embed as _, Role};
use inference::local::{KNOWN_MODELS, LocalEmbedder};
use ledger::vectors::Quantised;
use std::path::PathBuf;
use std::time::Duration;

/// Where the pack of the default model is.
///
/// # Errors
/// When the user has no home and no directory is named.
pub fn pack() -> Result<PathBuf> {
    let directory = testimony::models::models_directory()
        .context("no home; name a directory with `TESTIMONY_MODELS_DIR`")?;
    Ok(directory.join(KNOWN_MODELS[0].file_name()))
}

/// The default model of this machine.
///
/// # Errors
/// When its pack is not there or not whole; says how to fetch it.
pub fn open() -> Result<LocalEmbedder> {
    LocalEmbedder::open(&pack()?).context("no model: `testimony model pull`, or `tools/model.sh`, fetches it")
}

/// The vectors of texts, however long that takes.
///
/// # Errors
/// As the model.
pub fn embed<Text: AsRef<str>>(model: &LocalEmbedder, role: Role, texts: &[Text]) -> Result<Vec<Vec<f32>>> {
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    Ok(model.embed(role, &texts, &Limits::within(Duration::from_secs(3_600)))?)
}

/// The vectors as they are stored, in bytes, read back.
#[must_use]
pub fn stored(vectors: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let read = |vector: &Vec<f32>| {
        let bytes = Quantised::of(vector);
        bytes.steps.iter().map(|step| f32::from(*step) * bytes.scale).collect()
    };
    vectors.iter().map(read).collect()
}

/// How alike two unit vectors are.
#[must_use]
pub fn likeness(left: &[f32], right: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut lanes = [0.0_f32; LANES];
    for (left, right) in left.as_chunks::<LANES>().0.iter().zip(right.as_chunks::<LANES>().0) {
        for ((lane, left), right) in lanes.iter_mut().zip(left).zip(right) {
            *lane += left * right;
        }
    }
    lanes.iter().sum()
}

/// The place of the vector most like `query`.
#[must_use]
pub fn nearest(query: &[f32], among: &[Vec<f32>]) -> Option<usize> {
    let scored = among.iter().enumerate().map(|(place, vector)| (place, likeness(query, vector)));
    scored.max_by(|(_, left), (_, right)| left.total_cmp(right)).map(|(place, _)| place)
}

/// The share of `queries` whose nearest is `right` for its place.
#[must_use]
pub fn share_right(queries: &[Vec<f32>], among: &[Vec<f32>], right: impl Fn(usize, usize) -> bool) -> f64 {
    let found = queries.iter().enumerate();
    let found =
        found.filter(|(place, query)| nearest(query, among).is_some_and(|nearest| right(*place, nearest)));
    found.count() as f64 / queries.len().max(1) as f64
}

/// A share as people read it: `0.880`.
#[must_use]
pub fn share(share: f64) -> String {
    format!("{share:.3}")
}
