//! The two loops everything spends its time in: products of whole numbers, and counts of differing bits.
//!
//! Both are plain Rust that the compiler turns into wide instructions, once for each sort of processor; which one runs
//! is chosen when the program does. Measured against hand-written kernels in `docs/decisions/0012-vector-scan.md`.
#![allow(unsafe_code, reason = "`multiversion` calls the version it found the processor to have")]

use multiversion::multiversion;

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
fn differing<const WORDS: usize>(query: &[u64], sketches: &[u64], distances: &mut [u32]) {
    for (distance, sketch) in distances.iter_mut().zip(sketches.chunks_exact(WORDS)) {
        *distance = query.iter().zip(sketch).map(|(one, other)| (one ^ other).count_ones()).sum();
    }
}

/// In how many bits `query` differs from each sketch, of as many words as it has.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512vl+avx512vpopcntdq",
    "x86_64+avx2+popcnt",
    "x86_64+popcnt",
))]
pub(super) fn distances(query: &[u64], sketches: &[u64], distances: &mut [u32]) {
    // The usual lengths are known when the program is compiled, which makes short loops of them.
    match query.len() {
        4 => differing::<4>(query, sketches, distances),
        6 => differing::<6>(query, sketches, distances),
        8 => differing::<8>(query, sketches, distances),
        12 => differing::<12>(query, sketches, distances),
        16 => differing::<16>(query, sketches, distances),
        24 => differing::<24>(query, sketches, distances),
        words => {
            for (distance, sketch) in distances.iter_mut().zip(sketches.chunks_exact(words.max(1))) {
                *distance = query.iter().zip(sketch).map(|(one, other)| (one ^ other).count_ones()).sum();
            }
        }
    }
}
