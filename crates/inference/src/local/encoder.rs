//! The encoder: pieces in, a unit vector out. BERT's arithmetic, with matrices in bytes and everything else in fractions.
//!
//! A row of activations is put into bytes with a scale of its own, so nothing a text becomes depends on the texts beside it.

use super::kernel::{Activations, Instructions, Kernel, PANEL, Portable, SHARING, Take, Weights};
use super::words::Words;

/// The sizes of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Sizes {
    /// Numbers in a vector.
    pub dims: usize,
    /// Layers.
    pub layers: usize,
    /// Heads of attention.
    pub heads: usize,
    /// Numbers between the two halves of a layer's second step.
    pub inner: usize,
    /// Pieces of a text, marks of control included, at most.
    pub places: usize,
}

impl Sizes {
    /// Whether the arithmetic here can do it.
    pub fn fit(&self) -> bool {
        let limits = [self.dims, self.inner, self.layers, self.heads, self.places];
        limits.iter().all(|size| (1..=16_384).contains(size))
            && self.dims.is_multiple_of(SHARING)
            && self.inner.is_multiple_of(SHARING)
            && self.dims.is_multiple_of(self.heads)
            && (self.dims / self.heads).is_multiple_of(LANES)
    }
}

/// Scale and shift of a normalisation.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    pub scale: Vec<f32>,
    pub shift: Vec<f32>,
}

/// One layer.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Queries, keys and values, one after the other.
    pub attention: Weights,
    pub attention_out: Weights,
    pub attention_norm: Norm,
    pub inner: Weights,
    pub outer: Weights,
    pub outer_norm: Norm,
}

/// A model's weights, ready to be multiplied.
#[derive(Debug)]
pub(super) struct Encoder {
    pub sizes: Sizes,
    pub words: Words,
    /// What is added for a place in the text, a row each.
    pub places: Vec<f32>,
    pub words_norm: Norm,
    pub layers: Vec<Layer>,
    pub instructions: Instructions,
}

/// Room for what is computed on the way; one a thread, used again and again.
#[derive(Default, Debug)]
pub(super) struct Scratch {
    state: Vec<f32>,
    triples: Vec<f32>,
    context: Vec<f32>,
    inner: Vec<f32>,
    keys: Vec<f32>,
    values: Vec<f32>,
    shares: Vec<f32>,
    bytes: Activations,
}

/// Numbers that are computed side by side.
const LANES: usize = 16;

/// Pieces that a piece looks at side by side.
const LOOKED_AT: usize = 64;

/// Keeps a normalisation from dividing by nothing, as the original does.
const EPSILON: f32 = 1e-12;

impl Encoder {
    /// The unit vectors of texts in pieces, each with its marks of control and at least one piece.
    pub fn encode(&self, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        match self.instructions {
            Instructions::Portable => forward::<Portable>(self, texts, scratch),
            #[cfg(target_arch = "x86_64")]
            instructions => super::kernel_x86::forward_with(instructions, self, texts, scratch),
        }
    }
}

/// The arithmetic itself, compiled once for each kernel.
#[inline(always)]
pub(super) fn forward<K: Kernel>(
    encoder: &Encoder,
    texts: &[&[u32]],
    scratch: &mut Scratch,
) -> Vec<Vec<f32>> {
    let Sizes { dims, inner, .. } = encoder.sizes;
    let rows: usize = texts.iter().map(|text| text.len()).sum();
    let Scratch { state, triples, context, inner: middle, .. } = scratch;
    state.resize(rows * dims, 0.0);
    triples.resize(rows * dims * 3, 0.0);
    context.resize(rows * dims, 0.0);
    middle.resize(rows * inner, 0.0);

    let places = texts.iter().flat_map(|text| text.iter().zip(encoder.places.chunks_exact(dims)));
    for ((piece, place), row) in places.zip(state.chunks_exact_mut(dims)) {
        encoder.words.read(*piece, row);
        for (number, added) in row.iter_mut().zip(place) {
            *number += added;
        }
        normalise(row, &encoder.words_norm);
    }

    for layer in &encoder.layers {
        scratch.bytes.quantise(&scratch.state, dims);
        scratch.bytes.multiply::<K>(&layer.attention, Keep { rows: &mut scratch.triples, width: dims * 3 });
        let mut begin = 0;
        for text in texts {
            attend(encoder.sizes, begin..begin + text.len(), scratch);
            begin += text.len();
        }
        scratch.bytes.quantise(&scratch.context, dims);
        scratch.bytes.multiply::<K>(&layer.attention_out, Add { rows: &mut scratch.state, width: dims });
        for row in scratch.state.chunks_exact_mut(dims) {
            normalise(row, &layer.attention_norm);
        }
        scratch.bytes.quantise(&scratch.state, dims);
        scratch.bytes.multiply::<K>(&layer.inner, Bend { rows: &mut scratch.inner, width: inner });
        scratch.bytes.quantise(&scratch.inner, inner);
        scratch.bytes.multiply::<K>(&layer.outer, Add { rows: &mut scratch.state, width: dims });
        for row in scratch.state.chunks_exact_mut(dims) {
            normalise(row, &layer.outer_norm);
        }
    }

    let mut vectors = Vec::with_capacity(texts.len());
    let mut rest = &*scratch.state;
    for text in texts {
        let (own, others) = rest.split_at(text.len() * dims);
        vectors.push(mean(own, dims));
        rest = others;
    }
    vectors
}

/// Outputs are kept as they are.
struct Keep<'a> {
    rows: &'a mut [f32],
    width: usize,
}

/// Outputs are added to what is there.
struct Add<'a> {
    rows: &'a mut [f32],
    width: usize,
}

/// Outputs go through [`gelu`].
struct Bend<'a> {
    rows: &'a mut [f32],
    width: usize,
}

impl Take for Keep<'_> {
    #[inline(always)]
    fn take(&mut self, row: usize, first: usize, outputs: &[f32; PANEL]) {
        self.rows[row * self.width + first..][..PANEL].copy_from_slice(outputs);
    }
}

impl Take for Add<'_> {
    #[inline(always)]
    fn take(&mut self, row: usize, first: usize, outputs: &[f32; PANEL]) {
        for (target, added) in self.rows[row * self.width + first..][..PANEL].iter_mut().zip(outputs) {
            *target += added;
        }
    }
}

impl Take for Bend<'_> {
    #[inline(always)]
    fn take(&mut self, row: usize, first: usize, outputs: &[f32; PANEL]) {
        for (target, output) in self.rows[row * self.width + first..][..PANEL].iter_mut().zip(outputs) {
            *target = gelu(*output);
        }
    }
}

/// Each piece of one text looks at all of them, in each head.
#[inline(always)]
fn attend(sizes: Sizes, rows: std::ops::Range<usize>, scratch: &mut Scratch) {
    let Sizes { dims, heads, .. } = sizes;
    let (width, length) = (dims / heads, rows.len());
    // What is past the text, up to a whole number of blocks, counts for nothing.
    let blocks = length.div_ceil(LOOKED_AT);
    let scale = 1.0 / (width as f32).sqrt();
    let Scratch { triples, context, keys, values, shares, .. } = scratch;
    let triples = &triples[rows.start * dims * 3..rows.end * dims * 3];
    keys.clear();
    keys.resize(blocks * width * LOOKED_AT, 0.0);
    values.resize(width * length, 0.0);
    shares.resize(blocks * LOOKED_AT, 0.0);
    for head in 0..heads {
        for (place, triple) in triples.chunks_exact(dims * 3).enumerate() {
            let block = &mut keys[place / LOOKED_AT * width * LOOKED_AT..];
            for (number, key) in triple[dims + head * width..][..width].iter().enumerate() {
                block[number * LOOKED_AT + place % LOOKED_AT] = *key * scale;
            }
            values[place * width..][..width].copy_from_slice(&triple[dims * 2 + head * width..][..width]);
        }
        for (triple, target) in
            triples.chunks_exact(dims * 3).zip(context[rows.start * dims..].chunks_exact_mut(dims))
        {
            let query = &triple[head * width..][..width];
            let (shares, _) = shares.as_chunks_mut::<LOOKED_AT>();
            for (shares, keys) in shares.iter_mut().zip(keys.chunks_exact(width * LOOKED_AT)) {
                let mut totals = [0.0_f32; LOOKED_AT];
                for (query, keys) in query.iter().zip(keys.as_chunks::<LOOKED_AT>().0) {
                    for (total, key) in totals.iter_mut().zip(keys) {
                        *total += query * key;
                    }
                }
                *shares = totals;
            }
            let shares = shares.as_flattened_mut();
            soften(shares, length);
            for (first, target) in
                target[head * width..][..width].as_chunks_mut::<LANES>().0.iter_mut().enumerate()
            {
                let mut totals = [0.0_f32; LANES];
                for (share, value) in shares.iter().zip(values.chunks_exact(width)) {
                    for (total, value) in totals.iter_mut().zip(&value.as_chunks::<LANES>().0[first]) {
                        *total += share * value;
                    }
                }
                *target = totals;
            }
        }
    }
}

/// Turns scores into shares that add up to one; those past `length` get none.
#[inline(always)]
fn soften(scores: &mut [f32], length: usize) {
    let greatest = scores[..length]
        .iter()
        .fold(f32::NEG_INFINITY, |greatest, score| if *score > greatest { *score } else { greatest });
    let mut lanes = [0.0_f32; LANES];
    scores[length..].fill(f32::NEG_INFINITY);
    for chunk in scores.as_chunks_mut::<LANES>().0 {
        for (lane, score) in lanes.iter_mut().zip(chunk) {
            *score = exponential(*score - greatest);
            *lane += *score;
        }
    }
    let inverse = 1.0 / sum(lanes);
    for score in scores.iter_mut() {
        *score *= inverse;
    }
}

/// Brings a row to mean 0 and spread 1, then scales and shifts it.
#[inline(always)]
fn normalise(row: &mut [f32], norm: &Norm) {
    let count = row.len() as f32;
    let mut lanes = [0.0_f32; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    let mean = sum(lanes) / count;
    lanes = [0.0; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            let away = number - mean;
            *lane += away * away;
        }
    }
    let inverse = 1.0 / (sum(lanes) / count + EPSILON).sqrt();
    for (number, (scale, shift)) in row.iter_mut().zip(norm.scale.iter().zip(&norm.shift)) {
        *number = (*number - mean) * inverse * scale + shift;
    }
}

/// The mean of a text's rows, at length 1.
#[inline(always)]
fn mean(rows: &[f32], dims: usize) -> Vec<f32> {
    let mut mean = vec![0.0_f32; dims];
    for row in rows.chunks_exact(dims) {
        for (total, number) in mean.iter_mut().zip(row) {
            *total += number;
        }
    }
    let mut lanes = [0.0_f32; LANES];
    for chunk in mean.as_chunks::<LANES>().0 {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number * number;
        }
    }
    let length = sum(lanes).sqrt();
    let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
    for number in &mut mean {
        *number *= inverse;
    }
    mean
}

/// The sum of the lanes, in one order everywhere.
#[inline(always)]
fn sum(mut lanes: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// x·Φ(x), with Φ the normal distribution.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + error_function(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// erf to 2·10⁻⁷: formula 7.1.26 of Abramowitz and Stegun, *Handbook of Mathematical Functions*.
#[inline(always)]
fn error_function(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let series =
        ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_72) * t + 0.254_829_6) * t;
    (1.0 - series * exponential(-(size * size))).copysign(x)
}

/// e to the power of x, for x not above 0, to about one unit in the last place; 0 below −87.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    const ROUNDING: f32 = 12_582_912.0;
    /// ln 2 in two parts, of which the first has few digits, so that its products are exact.
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);
    let bounded = if x > -87.0 { x } else { -87.0 };
    let shifted = bounded * std::f32::consts::LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    let rest = (bounded - whole * LN_2.0) - whole * LN_2.1;
    // Taylor's series on |rest| ≤ ln 2 / 2.
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (1.0 / 2.0
                        + rest
                            * (1.0 / 6.0
                                + rest * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0))))));
    let power = f32::from_bits(((shifted.to_bits() as i32 - ROUNDING.to_bits() as i32 + 127) << 23) as u32);
    if x > -87.0 { series * power } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_and_error_function_are_close_to_the_truth() {
        for step in 0..=87_000 {
            let x = -f64::from(step) / 1_000.0;
            let (found, truth) = (f64::from(exponential(x as f32)), f64::from(x as f32).exp());
            assert!((found - truth).abs() <= truth * 3e-7 + 1e-37, "e^{x}: {found} for {truth}");
        }
        assert_eq!(exponential(f32::NEG_INFINITY), 0.0);
        // From tables.
        for (x, truth) in
            [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (-1.0, -0.842_700_8)]
        {
            assert!((error_function(x) - truth).abs() < 5e-7, "erf {x}: {}", error_function(x));
        }
    }
}
