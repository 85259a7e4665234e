//! The kernels for x86-64. The only file here that needs `unsafe`: it calls instructions that not every processor has, and only
//! what [`super::kernel::Instructions::detect`] found may be called.
#![allow(
    unsafe_code,
    reason = "instructions for products of bytes are several times faster than what the compiler finds"
)]

use std::arch::x86_64::{
    __m256i, __m512i, _mm_loadu_si128, _mm_set1_epi32, _mm256_add_epi32, _mm256_cvtepi8_epi16,
    _mm256_cvtepu8_epi16, _mm256_madd_epi16, _mm256_setzero_si256, _mm256_storeu_si256, _mm512_dpbusd_epi32,
    _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
};

use super::encoder::{Encoder, Scratch, forward};
use super::kernel::{GROUP, Instructions, Kernel, PANEL, Portable, SHARING, Stretch};

/// The kernel for processors with AVX-512 and its instructions for neural networks.
pub(super) struct Avx512Vnni;

/// The kernel for processors with AVX2.
pub(super) struct Avx2;

/// The encoder's arithmetic, compiled for the instructions named.
pub(super) fn forward_with(
    instructions: Instructions,
    encoder: &Encoder,
    texts: &[&[u32]],
    scratch: &mut Scratch,
) -> Vec<Vec<f32>> {
    match instructions {
        Instructions::Portable => forward::<Portable>(encoder, texts, scratch),
        // SAFETY: `Instructions` are taken from `Instructions::available`, which asks the processor.
        Instructions::Avx2 => unsafe { forward_avx2(encoder, texts, scratch) },
        // SAFETY: as above.
        Instructions::Avx512Vnni => unsafe { forward_avx512(encoder, texts, scratch) },
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn forward_avx512(encoder: &Encoder, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
    forward::<Avx512Vnni>(encoder, texts, scratch)
}

#[target_feature(enable = "avx2")]
fn forward_avx2(encoder: &Encoder, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
    forward::<Avx2>(encoder, texts, scratch)
}

impl Kernel for Avx512Vnni {
    #[inline(always)]
    fn sums<const COUNT: usize>(weights: &Stretch, rows: [&[i8; SHARING]; COUNT]) -> [[i32; PANEL]; COUNT] {
        // SAFETY: this kernel is named only by `forward_avx512`, whose caller answers for the processor.
        unsafe { sums_avx512(weights, rows) }
    }
}

impl Kernel for Avx2 {
    #[inline(always)]
    fn sums<const COUNT: usize>(weights: &Stretch, rows: [&[i8; SHARING]; COUNT]) -> [[i32; PANEL]; COUNT] {
        // SAFETY: this kernel is named only by `forward_avx2`, whose caller answers for the processor.
        unsafe { sums_avx2(weights, rows) }
    }
}

/// Activations as they are repeated for every output: [`GROUP`] bytes in one number.
#[inline(always)]
fn group_of(row: &[i8; SHARING], group: usize) -> i32 {
    i32::from_le_bytes(row.as_chunks::<GROUP>().0[group].map(|byte| byte as u8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn sums_avx512<const COUNT: usize>(
    weights: &Stretch,
    rows: [&[i8; SHARING]; COUNT],
) -> [[i32; PANEL]; COUNT] {
    const VECTORS: usize = PANEL / 16;
    let mut sums: [[__m512i; VECTORS]; COUNT] = [[_mm512_setzero_si512(); VECTORS]; COUNT];
    let (groups, _) = weights.as_chunks::<{ PANEL * GROUP }>();
    for (group, weights) in groups.iter().enumerate() {
        let vectors: [__m512i; VECTORS] = std::array::from_fn(|vector| {
            // SAFETY: `weights` holds `VECTORS` times 64 bytes; the load needs no alignment.
            unsafe { _mm512_loadu_si512(weights[vector * 64..].as_ptr().cast()) }
        });
        for (sums, row) in sums.iter_mut().zip(rows) {
            let activations = _mm512_set1_epi32(group_of(row, group));
            for (sum, weights) in sums.iter_mut().zip(vectors) {
                *sum = _mm512_dpbusd_epi32(*sum, weights, activations);
            }
        }
    }
    let mut stored = [[0_i32; PANEL]; COUNT];
    for (stored, sums) in stored.iter_mut().zip(sums) {
        for (vector, sum) in sums.into_iter().enumerate() {
            // SAFETY: `stored` has room for `VECTORS` times 16 numbers of 4 bytes; the store needs no alignment.
            unsafe { _mm512_storeu_si512(stored[vector * 16..].as_mut_ptr().cast(), sum) };
        }
    }
    stored
}

#[inline]
#[target_feature(enable = "avx2")]
fn sums_avx2<const COUNT: usize>(weights: &Stretch, rows: [&[i8; SHARING]; COUNT]) -> [[i32; PANEL]; COUNT] {
    /// Outputs whose weights fill 32 bytes.
    const OUTPUTS: usize = 8;
    let mut stored = [[0_i32; PANEL]; COUNT];
    let (groups, _) = weights.as_chunks::<{ PANEL * GROUP }>();
    for first in (0..PANEL).step_by(OUTPUTS) {
        // Each number is the sum over half a group; the two of an output stand side by side.
        let mut sums: [[__m256i; 2]; COUNT] = [[_mm256_setzero_si256(); 2]; COUNT];
        for (group, weights) in groups.iter().enumerate() {
            let weights = &weights[first * GROUP..(first + OUTPUTS) * GROUP];
            let halves: [__m256i; 2] = std::array::from_fn(|half| {
                // SAFETY: `weights` holds 32 bytes, of which each half is 16; the load needs no alignment.
                _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(weights[half * 16..].as_ptr().cast()) })
            });
            for (sums, row) in sums.iter_mut().zip(rows) {
                let activations = _mm256_cvtepi8_epi16(_mm_set1_epi32(group_of(row, group)));
                for (sum, weights) in sums.iter_mut().zip(halves) {
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(weights, activations));
                }
            }
        }
        for (stored, sums) in stored.iter_mut().zip(sums) {
            let mut halves = [0_i32; OUTPUTS * 2];
            for (vector, sum) in sums.into_iter().enumerate() {
                // SAFETY: `halves` has room for two vectors of eight numbers; the store needs no alignment.
                unsafe { _mm256_storeu_si256(halves[vector * 8..].as_mut_ptr().cast(), sum) };
            }
            for (output, pair) in halves.as_chunks::<2>().0.iter().enumerate() {
                stored[first + output] = pair[0] + pair[1];
            }
        }
    }
    stored
}
