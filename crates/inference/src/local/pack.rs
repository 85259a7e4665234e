//! The pack: one file with all of a model, checked whole before anything in it is used.
//!
//! ```text
//! 16 bytes  "testimony pack\n" and the version, 1
//!  4 bytes  length of the header
//! 32 bytes  BLAKE3 of the header
//!           the header: JSON, with the place, length and BLAKE3 of every section
//!           the sections
//! ```
//!
//! The header's hash stands for everything, since the header holds the hashes of the rest. The identity of a model is another
//! hash: of what a vector depends on, so that a changed title or licence text leaves stored vectors valid.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

use ledger::vectors::ModelIdentity;
use serde::{Deserialize, Serialize};

use super::encoder::{Encoder, Layer, Norm, Sizes};
use super::kernel::{Instructions, Weights};
use super::material::{LayerMaterial, Material, Matrix};
use super::normalise::Rules;
use super::section::Section;
use super::tokenizer::{ControlPieces, Tokenizer};
use super::words::Words;
use crate::error::{InferenceError, InferenceErrorKind};

const MAGIC: &[u8; 16] = b"testimony pack\n\x01";

/// Bytes before the header.
const FRONT: usize = MAGIC.len() + 4 + 32;

/// What to do about a pack that is not whole.
const AGAIN: &str = "pull the model again";

/// Bytes of a header, at most.
const HEADER_MAX: usize = 1 << 20;

/// Bytes of a pack, at most.
const PACK_MAX: u64 = 2 << 30;

/// Changes whenever the arithmetic or the layout changes so that the same weights give other vectors.
const LAYOUT: u32 = 1;

/// What a pack says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct About {
    /// What people call the model; also the file's name.
    pub name: String,
    /// Where the weights come from, for people.
    pub origin: String,
    /// SHA-256 of the file the pack was made from, in hexadecimal.
    pub source_sha256: String,
    /// The licence of the weights, as SPDX names it.
    pub licence: String,
    /// Its text.
    pub licence_text: String,
    /// What stands before a text that is asked.
    pub query_prefix: String,
    /// What stands before a text that may answer.
    pub passage_prefix: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Header {
    #[serde(flatten)]
    about: About,
    #[serde(flatten)]
    shape: Shape,
    sections: Vec<Part>,
}

/// What the arithmetic must know besides the sections.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Shape {
    layout: u32,
    sizes: Sizes,
    control: ControlPieces,
    pooling: Pooling,
}

/// How rows become one vector.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Pooling {
    Mean,
}

/// A section: which, where behind the header, and its hash.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Part {
    name: String,
    offset: usize,
    length: usize,
    blake3: String,
}

/// The sections, in their order in the file.
const PARTS: [&str; 6] = ["pieces", "scores", "rules", "words", "fractions", "matrices"];

/// A pack, checked, its parts ready to work.
#[derive(Debug)]
pub(super) struct Pack {
    pub about: About,
    pub identity: ModelIdentity,
    /// The hash that stands for the whole file.
    pub hash: blake3::Hash,
    pub tokenizer: Tokenizer,
    pub encoder: Encoder,
}

/// The beginning of a pack, checked: what it says of itself and of its sections, and not yet the sections.
struct Beginning {
    header: Header,
    hash: blake3::Hash,
    /// Where the sections begin.
    length: usize,
}

/// Whether these first bytes of a file could be those of a pack.
pub(super) fn begins_like_one(front: &[u8]) -> bool {
    !front.is_empty() && MAGIC.starts_with(front)
}

/// Writes the pack of `material`, and answers the hash that stands for it.
pub(super) fn write(about: &About, material: &Material, target: &mut impl Write) -> io::Result<blake3::Hash> {
    let sections = sections(material)?;
    let mut offset = 0;
    let mut parts = Vec::new();
    for (name, bytes) in PARTS.iter().zip(&sections) {
        let blake3 = blake3::hash(bytes).to_hex().to_string();
        parts.push(Part { name: (*name).to_owned(), offset, length: bytes.len(), blake3 });
        offset += bytes.len();
    }
    let shape =
        Shape { layout: LAYOUT, sizes: material.sizes, control: material.control, pooling: Pooling::Mean };
    let header = serde_json::to_vec(&Header { about: about.clone(), shape, sections: parts })?;
    let hash = blake3::hash(&header);
    target.write_all(MAGIC)?;
    target.write_all(&(header.len() as u32).to_le_bytes())?;
    target.write_all(hash.as_bytes())?;
    target.write_all(&header)?;
    for bytes in &sections {
        target.write_all(bytes)?;
    }
    Ok(hash)
}

/// The bytes of the sections.
fn sections(material: &Material) -> io::Result<[Vec<u8>; 6]> {
    let shown = (0_u32..).zip(&material.pieces).filter(|(number, _)| !material.hidden.contains(number));
    let pieces = Tokenizer::pack_pieces(shown.map(|(number, (piece, _))| (piece.clone(), number)))
        .map_err(io::Error::other)?;
    let scores = bytes_of(material.pieces.iter().map(|(_, score)| score));
    let rules = Rules::new(material.rules.iter().cloned()).to_bytes();
    let mut fractions = Vec::new();
    let mut matrices = Vec::new();
    fractions.extend(bytes_of(&material.places));
    fractions.extend(material.words_norm.iter().flat_map(bytes_of));
    for layer in &material.layers {
        let LayerMaterial { attention, attention_out, attention_norm, inner, outer, outer_norm } = layer;
        for matrix in [attention, attention_out, inner, outer] {
            let Matrix { rows, bias } = matrix;
            let (panels, scales) = Weights::pack(rows);
            matrices.extend(panels);
            fractions.extend(bytes_of(&scales));
            fractions.extend(bytes_of(bias));
        }
        for numbers in attention_norm.iter().chain(outer_norm) {
            fractions.extend(bytes_of(numbers));
        }
    }
    Ok([pieces, scores, rules, material.words.clone(), fractions, matrices])
}

fn bytes_of<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> Vec<u8> {
    numbers.into_iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl Pack {
    /// Reads and checks the pack at `path`.
    ///
    /// # Errors
    /// [`InferenceErrorKind::ModelFile`] when it cannot be read or is not whole.
    pub fn read(path: &Path) -> Result<Self, InferenceError> {
        let named = |what: String| failed(format!("`{}` {what}", path.display()));
        let length = std::fs::metadata(path)
            .map_err(|error| named("cannot be read".to_owned()).caused_by(error))?
            .len();
        if length > PACK_MAX {
            return Err(named(format!("is larger than the {PACK_MAX} bytes a pack may have")));
        }
        let bytes =
            std::fs::read(path).map_err(|error| named("cannot be read".to_owned()).caused_by(error))?;
        Self::parse(bytes, Instructions::detect()).map_err(named)
    }

    /// Checks the bytes of a pack; what is wrong is told as a fragment.
    pub fn parse(bytes: Vec<u8>, instructions: Instructions) -> Result<Self, String> {
        let file = Section::whole(bytes);
        let Beginning { header, hash, length: begin } = Beginning::parse(&file)?;
        if !header.shape.sizes.fit() {
            return Err("holds a model whose sizes this program cannot compute".to_owned());
        }
        let mut end = begin;
        let mut sections = Vec::new();
        for name in PARTS {
            let part = header.sections.iter().find(|part| part.name == name);
            let part = part.ok_or_else(|| format!("has no section `{name}`; {AGAIN}"))?;
            let range = begin.saturating_add(part.offset)
                ..begin.saturating_add(part.offset).saturating_add(part.length);
            end = end.max(range.end);
            let section =
                file.part(range).ok_or_else(|| format!("is cut short in section `{name}`; {AGAIN}"))?;
            if blake3::hash(&section).to_hex().as_str() != part.blake3 {
                return Err(format!("is damaged in section `{name}`; {AGAIN}"));
            }
            sections.push(section);
        }
        if end != file.len() {
            return Err(format!("has bytes that belong to nothing; {AGAIN}"));
        }
        let Ok([pieces, scores, rules, words, fractions, matrices]) = <[Section; 6]>::try_from(sections)
        else {
            return Err(format!("lacks a section; {AGAIN}"));
        };
        let shape = &header.shape;
        let identity = identity(&header);
        let fits = "holds parts that do not fit together";
        let scores = read_fractions(&scores);
        let rules = Rules::from_bytes(&rules).ok_or(fits)?;
        let piece_count = scores.len();
        let tokenizer = Tokenizer::new(pieces, scores, rules, shape.control).ok_or(fits)?;
        let words =
            Words::new(words, shape.sizes.dims).filter(|words| words.count() >= piece_count).ok_or(fits)?;
        let parts = Parts { fractions: read_fractions(&fractions), matrices, fraction: 0, byte: 0 };
        let encoder = parts.encoder(shape.sizes, words, instructions).ok_or(fits)?;
        Ok(Self { about: header.about, identity, hash, tokenizer, encoder })
    }
}

impl Beginning {
    /// Checks the first bytes of a pack, as many as there are at hand.
    fn parse(front: &[u8]) -> Result<Self, String> {
        let cut = || format!("is cut short; {AGAIN}");
        let marks = front.get(..FRONT).ok_or_else(cut)?;
        if marks[..MAGIC.len()] != *MAGIC {
            return Err(format!("is no model pack of a version known here; {AGAIN}"));
        }
        let end = FRONT.saturating_add(header_length(marks).min(HEADER_MAX));
        let header_bytes = front.get(FRONT..end).ok_or_else(cut)?;
        let hash = blake3::hash(header_bytes);
        if hash.as_bytes() != &marks[FRONT - 32..] {
            return Err(format!("is damaged in its header; {AGAIN}"));
        }
        let header: Header = serde_json::from_slice(header_bytes)
            .map_err(|error| format!("has a header that cannot be read ({error}); {AGAIN}"))?;
        if header.shape.layout != LAYOUT {
            let found = header.shape.layout;
            return Err(format!("has layout {found}, and this program reads {LAYOUT}; {AGAIN}"));
        }
        Ok(Self { header, hash, length: end })
    }
}

/// The length of the header, from the bytes in front of it.
fn header_length(front: &[u8]) -> usize {
    front[MAGIC.len()..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
}

/// Which model the pack at `path` says it holds. Only its header is read and checked.
///
/// # Errors
/// [`InferenceErrorKind::ModelFile`] when the header cannot be read or is not whole.
pub(super) fn identity_of(path: &Path) -> Result<ModelIdentity, InferenceError> {
    let named = |what: String| failed(format!("`{}` {what}", path.display()));
    let unread = |error: io::Error| named("cannot be read".to_owned()).caused_by(error);
    let mut file = std::fs::File::open(path).map_err(unread)?;
    let mut front = Vec::with_capacity(1 << 14);
    (&mut file).take(FRONT as u64).read_to_end(&mut front).map_err(unread)?;
    if front.len() == FRONT && front.starts_with(MAGIC) {
        let length = header_length(&front).min(HEADER_MAX);
        file.take(length as u64).read_to_end(&mut front).map_err(unread)?;
    }
    let beginning = Beginning::parse(&front).map_err(named)?;
    Ok(identity(&beginning.header))
}

fn identity(header: &Header) -> ModelIdentity {
    let About { name, .. } = &header.about;
    ModelIdentity { name: name.clone(), dims: header.shape.sizes.dims as u32, mark: mark(header) }
}

/// The hash of what a vector depends on.
fn mark(header: &Header) -> [u8; 32] {
    let mut hasher =
        blake3::Hasher::new_derive_key("testimony local embedding 2026-11-30 what a vector depends on");
    let parts: Vec<(&str, &str)> = header.sections.iter().map(|part| (&*part.name, &*part.blake3)).collect();
    let About { query_prefix, passage_prefix, .. } = &header.about;
    let shape = &header.shape;
    let depends_on =
        (shape.layout, shape.sizes, shape.control, shape.pooling, query_prefix, passage_prefix, parts);
    // Plain data always becomes JSON.
    hasher.update(&serde_json::to_vec(&depends_on).unwrap_or_default());
    *hasher.finalize().as_bytes()
}

/// Hands out the numbers of an encoder in the order [`sections`] laid them down.
struct Parts {
    fractions: Vec<f32>,
    matrices: Section,
    fraction: usize,
    byte: usize,
}

impl Parts {
    fn encoder(mut self, sizes: Sizes, words: Words, instructions: Instructions) -> Option<Encoder> {
        let Sizes { dims, inner, .. } = sizes;
        let places = self.numbers(sizes.places * dims)?;
        let words_norm = self.norm(dims)?;
        let mut layers = Vec::new();
        for _ in 0..sizes.layers {
            layers.push(Layer {
                attention: self.weights(dims * 3, dims)?,
                attention_out: self.weights(dims, dims)?,
                inner: self.weights(inner, dims)?,
                outer: self.weights(dims, inner)?,
                attention_norm: self.norm(dims)?,
                outer_norm: self.norm(dims)?,
            });
        }
        let all_used = self.fraction == self.fractions.len() && self.byte == self.matrices.len();
        all_used.then_some(Encoder { sizes, words, places, words_norm, layers, instructions })
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f32>> {
        let range: Range<usize> = self.fraction..self.fraction.checked_add(count)?;
        self.fraction = range.end;
        self.fractions.get(range).map(<[f32]>::to_vec)
    }

    fn norm(&mut self, dims: usize) -> Option<Norm> {
        Some(Norm { scale: self.numbers(dims)?, shift: self.numbers(dims)? })
    }

    fn weights(&mut self, outputs: usize, depth: usize) -> Option<Weights> {
        let range = self.byte..self.byte.checked_add(outputs.checked_mul(depth)?)?;
        self.byte = range.end;
        Some(Weights {
            panels: self.matrices.part(range)?,
            scales: self.numbers(outputs)?,
            bias: self.numbers(outputs)?,
        })
    }
}

fn read_fractions(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn failed(message: String) -> InferenceError {
    InferenceError::new(InferenceErrorKind::ModelFile, message)
}
