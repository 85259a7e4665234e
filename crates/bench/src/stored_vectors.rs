//! Vectors made elsewhere and read from a file: an embedding model under test that this program cannot run itself.
//!
//! The file begins with one line of JSON, `{"name": …, "dims": …, "count": …}`; then come `count` lines
//! `{"role": "query" | "passage", "text": …}`; then the vectors of those texts, in their order, as little-endian 32-bit
//! floating point numbers. `bench texts` writes the texts that are needed.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use inference::embed::{Embed, ModelIdentity, Role};
use inference::error::{InferenceError, InferenceErrorKind};
use inference::limits::Limits;
use serde::{Deserialize, Serialize};

use crate::retrieval::Timeline;

/// The most numbers a vector may have.
const DIMS_MAX: u32 = 16_384;

/// An embedder that knows the texts of its file and no others.
pub struct StoredVectors {
    identity: ModelIdentity,
    places: HashMap<(bool, String), usize>,
    numbers: Vec<f32>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    dims: u32,
    count: usize,
}

#[derive(Deserialize, Serialize)]
struct Line {
    role: String,
    text: String,
}

const QUERY: &str = "query";
const PASSAGE: &str = "passage";

impl StoredVectors {
    /// Reads the file.
    ///
    /// # Errors
    /// When it is not as described above.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("`{}`", path.display()))?;
        Self::of(&bytes).with_context(|| format!("`{}`", path.display()))
    }

    /// From the bytes of a file.
    ///
    /// # Errors
    /// As [`StoredVectors::read`].
    pub fn of(bytes: &[u8]) -> Result<Self> {
        let mut rest = bytes;
        let mut line = || -> Result<&[u8]> {
            let end = rest.iter().position(|byte| *byte == b'\n').context("it ends within a line")?;
            let (line, after) = rest.split_at(end);
            rest = &after[1..];
            Ok(line)
        };
        let header: Header = serde_json::from_slice(line()?).context("the first line")?;
        ensure!((1..=DIMS_MAX).contains(&header.dims), "`dims` {} is outside 1 to {DIMS_MAX}", header.dims);
        let mut places = HashMap::new();
        for place in 0..header.count {
            let read: Line = serde_json::from_slice(line()?).with_context(|| format!("text {place}"))?;
            ensure!([QUERY, PASSAGE].contains(&read.role.as_str()), "text {place}: role `{}`", read.role);
            places.insert((read.role == QUERY, read.text), place);
        }
        let dims = header.dims as usize;
        ensure!(
            rest.len() == header.count * dims * 4,
            "{} bytes of vectors, {} expected",
            rest.len(),
            header.count * dims * 4
        );
        let numbers = rest
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
            .collect();
        let identity =
            ModelIdentity { name: header.name, dims: header.dims, mark: *blake3::hash(bytes).as_bytes() };
        Ok(Self { identity, places, numbers })
    }
}

impl Embed for StoredVectors {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, role: Role, texts: &[&str], _limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        let dims = self.identity.dims as usize;
        texts
            .iter()
            .map(|text| {
                let place = self.places.get(&(role == Role::Query, (*text).to_owned()));
                let place = place.ok_or_else(|| {
                    let message = "a text has no vector in the file; write the texts anew with `bench texts`";
                    InferenceError::new(InferenceErrorKind::Unsupported, message)
                })?;
                Ok(self.numbers[place * dims..(place + 1) * dims].to_vec())
            })
            .collect()
    }
}

/// The lines of the texts that these timelines need vectors of, each once.
///
/// # Errors
/// When a text cannot be written as JSON.
pub fn texts(timelines: &[Timeline]) -> Result<Vec<String>> {
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut lines = Vec::new();
    for timeline in timelines {
        let passages = timeline.passages().map(|passage| (PASSAGE, passage.text.as_str()));
        for (role, text) in
            passages.chain(timeline.questions().map(|question| (QUERY, question.text.as_str())))
        {
            if seen.insert((role, text)) {
                lines.push(serde_json::to_string(&Line { role: role.to_owned(), text: text.to_owned() })?);
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn file(numbers: &[f32]) -> Vec<u8> {
        let mut bytes = b"{\"name\": \"toy\", \"dims\": 2, \"count\": 2}\n".to_vec();
        bytes.extend(
            b"{\"role\": \"query\", \"text\": \"tea\"}\n{\"role\": \"passage\", \"text\": \"tea\"}\n",
        );
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes
    }

    #[test]
    fn a_text_has_the_vector_of_its_role() {
        let stored = StoredVectors::of(&file(&[1.0, 0.0, 0.6, 0.8])).expect("read");
        let limits = Limits::within(Duration::from_secs(1));
        assert_eq!(stored.embed(Role::Query, &["tea"], &limits).expect("known"), [[1.0, 0.0]]);
        assert_eq!(stored.embed(Role::Passage, &["tea"], &limits).expect("known"), [[0.6, 0.8]]);
        assert!(stored.embed(Role::Query, &["milk"], &limits).is_err());
    }

    #[test]
    fn a_file_cut_short_is_refused() {
        assert!(StoredVectors::of(&file(&[1.0, 0.0, 0.6])).is_err());
        assert!(StoredVectors::of(b"{\"name\": \"toy\", \"dims\": 2, \"count\": 2}\n{}").is_err());
        assert!(StoredVectors::of(b"").is_err());
    }
}
