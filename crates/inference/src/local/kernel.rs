//! Multiplying bytes: rows of activations with a matrix of weights, in whole numbers.
//!
//! Whole numbers add up to the same sum in any order, so the kernels for different processors give the same bits, however many
//! rows they are handed at once. What is computed in fractions is written once, here and in the encoder, as plain operations in
//! a fixed order that the compiler may widen but not reorder.

/// Outputs that are computed together.
pub(super) const PANEL: usize = 64;

/// Weights of one output that stand together.
pub(super) const GROUP: usize = 4;

/// Rows that are multiplied together, at most.
const ROWS: usize = 6;

/// Added to a weight, so that it is stored without a sign.
pub(super) const OFFSET: i32 = 128;

/// Which instructions a processor has for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instructions {
    /// None in particular.
    Portable,
    /// 256 bits at once.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits at once, with products of bytes added up in one step.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
}

impl Instructions {
    /// The best of this processor.
    pub fn detect() -> Self {
        Self::available().pop().unwrap_or(Self::Portable)
    }

    /// All of this processor, the best last.
    pub fn available() -> Vec<Self> {
        let mut found = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") {
                found.push(Self::Avx2);
            }
            if ["avx512f", "avx512bw", "avx512vl", "avx512vnni"].iter().all(|feature| match *feature {
                "avx512f" => std::arch::is_x86_feature_detected!("avx512f"),
                "avx512bw" => std::arch::is_x86_feature_detected!("avx512bw"),
                "avx512vl" => std::arch::is_x86_feature_detected!("avx512vl"),
                _ => std::arch::is_x86_feature_detected!("avx512vnni"),
            }) {
                found.push(Self::Avx512Vnni);
            }
        }
        found
    }
}

/// Sums of products for a panel of outputs and a few rows.
pub(super) trait Kernel {
    /// For each row and output the sum over the depth of stored weight times activation. `panel` holds, for every
    /// [`GROUP`] of the depth, [`PANEL`] times [`GROUP`] stored weights; every row has as many activations as the panel is deep.
    fn sums<const COUNT: usize>(panel: &[u8], rows: [&[i8]; COUNT]) -> [[i32; PANEL]; COUNT];
}

/// The kernel in plain Rust.
pub(super) struct Portable;

impl Kernel for Portable {
    #[inline(always)]
    fn sums<const COUNT: usize>(panel: &[u8], rows: [&[i8]; COUNT]) -> [[i32; PANEL]; COUNT] {
        let mut sums = [[0_i32; PANEL]; COUNT];
        for (group, weights) in panel.as_chunks::<{ PANEL * GROUP }>().0.iter().enumerate() {
            for (sums, row) in sums.iter_mut().zip(rows) {
                let at: &[i8; GROUP] =
                    row[group * GROUP..].first_chunk().expect("rows are as deep as panels");
                for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<GROUP>().0) {
                    for (weight, activation) in weights.iter().zip(at) {
                        *sum += i32::from(*weight) * i32::from(*activation);
                    }
                }
            }
        }
        sums
    }
}

/// Weights as the kernels read them: a panel of outputs after the other, in bytes, with a scale for each output.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// Stored weights.
    pub panels: super::section::Section,
    /// What a step of each output's weights is worth.
    pub scales: Vec<f32>,
    /// What is added to each output.
    pub bias: Vec<f32>,
}

impl Weights {
    /// Numbers in, outputs out: the stored form of rows of weights, and their scales.
    pub fn pack(rows: &[Vec<f32>]) -> (Vec<u8>, Vec<f32>) {
        let depth = rows.first().map_or(0, Vec::len);
        let scales: Vec<f32> = rows.iter().map(|row| greatest(row) / 127.0).collect();
        let mut panels = vec![0_u8; rows.len() * depth];
        for (output, (row, scale)) in rows.iter().zip(&scales).enumerate() {
            let begin = output / PANEL * PANEL * depth + output % PANEL * GROUP;
            for (place, weight) in row.iter().enumerate() {
                let step = if *scale > 0.0 { (weight / scale).round() as i32 } else { 0 };
                panels[begin + place / GROUP * PANEL * GROUP + place % GROUP] =
                    (step.clamp(-127, 127) + OFFSET) as u8;
            }
        }
        (panels, scales)
    }
}

/// Rows of activations in bytes.
#[derive(Default, Debug)]
pub(super) struct Activations {
    depth: usize,
    steps: Vec<i8>,
    scales: Vec<f32>,
    sums: Vec<i32>,
}

/// Adding it to a number below 2²² and taking it away leaves the nearest whole one, ties to even, on any processor.
const ROUNDING: f32 = 12_582_912.0;

impl Activations {
    /// Takes in rows of `depth` numbers, each with a scale of its own.
    #[inline(always)]
    pub fn quantise(&mut self, rows: &[f32], depth: usize) {
        self.depth = depth;
        self.steps.resize(rows.len(), 0);
        self.scales.clear();
        self.sums.clear();
        for (row, steps) in rows.chunks_exact(depth).zip(self.steps.chunks_exact_mut(depth)) {
            let greatest = greatest(row);
            let inverse = if greatest > 0.0 { 127.0 / greatest } else { 0.0 };
            let mut sum = 0_i32;
            for (step, number) in steps.iter_mut().zip(row) {
                let whole = (number * inverse + ROUNDING).to_bits() as i32 - ROUNDING.to_bits() as i32;
                sum += whole;
                *step = whole as i8;
            }
            self.scales.push(greatest / 127.0);
            self.sums.push(sum);
        }
    }

    /// Multiplies with `weights` and hands each row's panel of outputs to `take`: row, first output, outputs.
    #[inline(always)]
    pub fn multiply<K: Kernel>(&self, weights: &Weights, mut take: impl FnMut(usize, usize, &[f32; PANEL])) {
        for (panel, bytes) in weights.panels.chunks_exact(PANEL * self.depth).enumerate() {
            let first = panel * PANEL;
            let scales: &[f32; PANEL] = weights.scales[first..].first_chunk().expect("a scale an output");
            let bias: &[f32; PANEL] = weights.bias[first..].first_chunk().expect("a bias an output");
            let mut row = 0;
            while row < self.scales.len() {
                match self.scales.len() - row {
                    1 => self.tile::<K, 1>(bytes, scales, bias, row, first, &mut take),
                    2 => self.tile::<K, 2>(bytes, scales, bias, row, first, &mut take),
                    3 => self.tile::<K, 3>(bytes, scales, bias, row, first, &mut take),
                    4 => self.tile::<K, 4>(bytes, scales, bias, row, first, &mut take),
                    5 => self.tile::<K, 5>(bytes, scales, bias, row, first, &mut take),
                    _ => self.tile::<K, ROWS>(bytes, scales, bias, row, first, &mut take),
                }
                row += ROWS;
            }
        }
    }

    #[inline(always)]
    fn tile<K: Kernel, const COUNT: usize>(
        &self,
        panel: &[u8],
        scales: &[f32; PANEL],
        bias: &[f32; PANEL],
        row: usize,
        first: usize,
        take: &mut impl FnMut(usize, usize, &[f32; PANEL]),
    ) {
        let rows: [&[i8]; COUNT] = std::array::from_fn(|place| {
            &self.steps[(row + place) * self.depth..(row + place + 1) * self.depth]
        });
        let sums = K::sums(panel, rows);
        for (place, sums) in sums.iter().enumerate() {
            let (scale, offset) = (self.scales[row + place], OFFSET * self.sums[row + place]);
            let mut outputs = [0.0_f32; PANEL];
            for (output, ((sum, weight_scale), bias)) in
                outputs.iter_mut().zip(sums.iter().zip(scales).zip(bias))
            {
                *output = (sum - offset) as f32 * (scale * weight_scale) + bias;
            }
            take(row + place, first, &outputs);
        }
    }
}

/// The greatest size among the numbers.
#[inline(always)]
fn greatest(row: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut lanes = [0.0_f32; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            let size = number.abs();
            *lane = if size > *lane { size } else { *lane };
        }
    }
    lanes.iter().chain(rest).fold(0.0_f32, |greatest, number| greatest.max(number.abs()))
}
