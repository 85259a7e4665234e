//! The two loops everything spends its time in: products of whole numbers, and weighted counts of bits.
//!
//! Both are plain Rust that the compiler turns into wide instructions, once for each sort of processor; which one runs
//! is chosen when the program does. Measured against hand-written kernels in `docs/decisions/0012-vector-scan.md`.
#![allow(unsafe_code, reason = "`multiversion` calls the version it found the processor to have")]

use multiversion::multiversion;

use super::sketch::PLANES;

/// The most a stored step can be, either way.
const STEP_MAX: i64 = 127;

/// A query made ready: in steps finer than those of the stored vectors, so that its own rounding does not count.
pub(super) struct Probe {
    steps: Vec<i16>,
    /// What makes the steps a vector of length 1.
    weight: f32,
}

impl Probe {
    /// Rounds `query` to the finest steps whose products cannot overflow.
    pub(super) fn new(query: &[f32]) -> Self {
        let finest = i64::from(i32::MAX) / (STEP_MAX * query.len().max(1) as i64);
        let finest = finest.min(i64::from(i16::MAX)) as f32;
        let greatest = query.iter().fold(0.0_f32, |greatest, number| greatest.max(number.abs()));
        let factor = if greatest > 0.0 { finest / greatest } else { 0.0 };
        let steps: Vec<i16> = query.iter().map(|number| (number * factor).round() as i16).collect();
        let square: i64 = steps.iter().map(|step| i64::from(*step) * i64::from(*step)).sum();
        let weight = if square == 0 { 0.0 } else { (square as f32).sqrt().recip() };
        Self { steps, weight }
    }

    pub(super) fn steps(&self) -> &[i16] {
        &self.steps
    }

    /// The cosine that a product with a row of this weight stands for.
    pub(super) fn cosine(&self, product: i32, weight: f32) -> f32 {
        product as f32 * weight * self.weight
    }
}

#[inline(always)]
fn one_product(query: &[i16], row: &[i8]) -> i32 {
    query.iter().zip(row).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
}

/// The products of `query` with each row of a block.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
pub(super) fn products(query: &[i16], block: &[i8], products: &mut [i32]) {
    for (product, row) in products.iter_mut().zip(block.chunks_exact(query.len().max(1))) {
        *product = one_product(query, row);
    }
}

/// The product of `query` with one row.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
pub(super) fn product(query: &[i16], row: &[i8]) -> i32 {
    one_product(query, row)
}

#[inline(always)]
fn weigh<const WORDS: usize>(planes: &[u64], sketches: &[u64], sums: &mut [u32]) {
    for (sum, sketch) in sums.iter_mut().zip(sketches.chunks_exact(WORDS)) {
        *sum = weigh_one(planes, sketch);
    }
}

#[inline(always)]
fn weigh_one(planes: &[u64], sketch: &[u64]) -> u32 {
    let mut sum = 0;
    for (plane, words) in planes.chunks_exact(sketch.len()).enumerate() {
        let ones: u32 = words.iter().zip(sketch).map(|(one, other)| (one & other).count_ones()).sum();
        sum += ones << plane;
    }
    sum
}

/// For each sketch, the sum of the query's steps over its bits; the steps stand in [`super::sketch::PLANES`] planes of bits,
/// the lowest first, each as long as a sketch.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq",
    "x86_64+avx2+popcnt",
    "x86_64+popcnt",
))]
pub(super) fn weighted(planes: &[u64], sketches: &[u64], sums: &mut [u32]) {
    // The usual lengths are known when the program is compiled, which makes short loops of them.
    match planes.len() / PLANES {
        4 => weigh::<4>(&planes[..16], sketches, sums),
        6 => weigh::<6>(&planes[..24], sketches, sums),
        8 => weigh::<8>(&planes[..32], sketches, sums),
        12 => weigh::<12>(&planes[..48], sketches, sums),
        16 => weigh::<16>(&planes[..64], sketches, sums),
        24 => weigh::<24>(&planes[..96], sketches, sums),
        words => {
            for (sum, sketch) in sums.iter_mut().zip(sketches.chunks_exact(words.max(1))) {
                *sum = weigh_one(planes, sketch);
            }
        }
    }
}
