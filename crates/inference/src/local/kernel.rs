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

/// Activations of a row that share a scale: some of a row are many times the others, and would leave them few steps.
pub(super) const SHARING: usize = 128;

/// The weights of a panel of outputs for one stretch of activations: for every [`GROUP`] of these, [`PANEL`] times [`GROUP`]
/// stored weights.
pub(super) type Stretch = [u8; PANEL * SHARING];

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
    /// For each row and output the sum of stored weight times activation.
    fn sums<const COUNT: usize>(weights: &Stretch, rows: [&[i8; SHARING]; COUNT]) -> [[i32; PANEL]; COUNT];
}

/// The kernel in plain Rust.
pub(super) struct Portable;

impl Kernel for Portable {
    #[inline(always)]
    fn sums<const COUNT: usize>(weights: &Stretch, rows: [&[i8; SHARING]; COUNT]) -> [[i32; PANEL]; COUNT] {
        let mut sums = [[0_i32; PANEL]; COUNT];
        for (group, weights) in weights.as_chunks::<{ PANEL * GROUP }>().0.iter().enumerate() {
            for (sums, row) in sums.iter_mut().zip(rows) {
                let activations = row.as_chunks::<GROUP>().0[group].map(i32::from);
                for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<GROUP>().0) {
                    for (weight, activation) in weights.iter().zip(activations) {
                        *sum += i32::from(*weight) * activation;
                    }
                }
            }
        }
        sums
    }
}

/// What becomes of outputs. A type rather than a closure, so that it is compiled for the kernel's instructions.
pub(super) trait Take {
    /// Takes the outputs of a row from `first` on.
    fn take(&mut self, row: usize, first: usize, outputs: &[f32; PANEL]);
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

/// Rows of activations in bytes, each stretch of a row with a scale of its own.
#[derive(Default, Debug)]
pub(super) struct Activations {
    depth: usize,
    rows: usize,
    steps: Vec<i8>,
    /// What a step is worth, for each stretch of each row.
    scales: Vec<f32>,
    /// The sum of the steps of each stretch, times [`OFFSET`].
    offsets: Vec<i32>,
}

/// Adding it to a number below 2²² and taking it away leaves the nearest whole one, ties to even, on any processor.
const ROUNDING: f32 = 12_582_912.0;

impl Activations {
    /// Takes in rows of `depth` numbers.
    #[inline(always)]
    pub fn quantise(&mut self, rows: &[f32], depth: usize) {
        self.depth = depth;
        self.rows = rows.len() / depth;
        self.steps.resize(rows.len(), 0);
        self.scales.clear();
        self.offsets.clear();
        for (row, steps) in rows.chunks_exact(depth).zip(self.steps.chunks_exact_mut(depth)) {
            for (stretch, steps) in
                row.as_chunks::<SHARING>().0.iter().zip(steps.as_chunks_mut::<SHARING>().0)
            {
                let greatest = greatest(stretch);
                let inverse = if greatest > 0.0 { 127.0 / greatest } else { 0.0 };
                let mut sum = 0_i32;
                for (step, number) in steps.iter_mut().zip(stretch) {
                    let whole = (number * inverse + ROUNDING).to_bits() as i32 - ROUNDING.to_bits() as i32;
                    sum += whole;
                    *step = whole as i8;
                }
                self.scales.push(greatest / 127.0);
                self.offsets.push(sum * OFFSET);
            }
        }
    }

    /// Multiplies with `weights` and hands each row's panels of outputs to `take`.
    #[inline(always)]
    pub fn multiply<K: Kernel>(&self, weights: &Weights, mut take: impl Take) {
        for (panel, bytes) in weights.panels.chunks_exact(PANEL * self.depth).enumerate() {
            let first = panel * PANEL;
            let scales: &[f32; PANEL] = weights.scales[first..].first_chunk().expect("a scale an output");
            let bias: &[f32; PANEL] = weights.bias[first..].first_chunk().expect("a bias an output");
            let mut row = 0;
            while row < self.rows {
                match self.rows - row {
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
        take: &mut impl Take,
    ) {
        let stretches = self.depth / SHARING;
        let mut totals = [[0.0_f32; PANEL]; COUNT];
        for (stretch, weights) in panel.as_chunks::<{ PANEL * SHARING }>().0.iter().enumerate() {
            let rows: [&[i8; SHARING]; COUNT] = std::array::from_fn(|place| {
                let row = &self.steps[(row + place) * self.depth..];
                &row.as_chunks::<SHARING>().0[stretch]
            });
            let sums = K::sums(weights, rows);
            for (place, (totals, sums)) in totals.iter_mut().zip(&sums).enumerate() {
                let at = (row + place) * stretches + stretch;
                let (scale, offset) = (self.scales[at], self.offsets[at]);
                for (total, sum) in totals.iter_mut().zip(sums) {
                    *total += (sum - offset) as f32 * scale;
                }
            }
        }
        for (place, totals) in totals.iter_mut().enumerate() {
            for (total, (scale, bias)) in totals.iter_mut().zip(scales.iter().zip(bias)) {
                *total = *total * scale + bias;
            }
            take.take(row + place, first, totals);
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
