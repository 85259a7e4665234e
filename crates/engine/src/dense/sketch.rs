//! Sketches: one bit a number, and two numbers a vector, from which the cosine is guessed closely enough to tell which few
//! vectors are worth reading.
//!
//! Vectors of an embedding model lie in a narrow cone. So a vector is taken apart: the part along the middle of the cone is
//! kept as it is, one number; of the rest, which is where vectors differ, the signs are kept, and how long it is for its
//! signs. The query is not rounded to signs but to fifteen steps. This is the estimator of RaBitQ (Gao and Long, 2024) with
//! the cone's middle in place of a cluster's and without the random rotation: the numbers of the models used are alike in
//! size, and a rotation was measured to gain nothing.
//!
//! The middle is that of the time when the sketches were drawn; they are drawn again when the table has doubled.

use std::cmp::Ordering;

use super::scan;

/// Sketches compared at a time.
const PIECE_ROWS: usize = 1_024;

/// The bits of a query's step.
pub(super) const PLANES: usize = 4;

/// What is added to a query's step to make it a whole number from 1 to 15.
const STEP_ZERO: i32 = 8;

/// The sketches of a table, row by row.
#[derive(Clone, Debug)]
pub(super) struct Sketches {
    /// Words of 64 bits a sketch.
    words: usize,
    /// The direction of the middle, of length 1.
    middle: Vec<f32>,
    bits: Vec<u64>,
    shapes: Vec<Shape>,
    rows_when_made: usize,
}

/// What a sketch does not say.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// How far the vector goes along the middle.
    along: f32,
    /// What a sum over the signs is multiplied with to stand for a sum over the numbers.
    factor: f32,
    /// How many bits are set.
    ones: f32,
}

/// A query, taken apart like the vectors.
struct Question {
    /// The steps' bits, plane by plane.
    planes: Vec<u64>,
    along: f32,
    step: f32,
    /// The sum of all steps.
    sum: f32,
}

/// How many rows a search looks at in full, of `rows`, when `limit` documents are wanted.
pub(super) fn rows_looked_at(rows: usize, limit: usize) -> usize {
    (rows / 64).max(2_048).max(limit.saturating_mul(8))
}

impl Sketches {
    /// Sketches of these rows, drawn around their middle.
    pub(super) fn draw<'rows>(dims: usize, rows: impl Iterator<Item = (&'rows [i8], f32)> + Clone) -> Self {
        // Sums of whole numbers do not depend on the order of the rows.
        const ONE: f32 = (1 << 24) as f32;
        let mut sums = vec![0_i64; dims];
        for (steps, weight) in rows.clone() {
            for (sum, step) in sums.iter_mut().zip(steps) {
                *sum += (f32::from(*step) * weight * ONE) as i64;
            }
        }
        let mut middle: Vec<f32> = sums.iter().map(|sum| *sum as f32).collect();
        let length = product(&middle, &middle).sqrt();
        middle.iter_mut().for_each(|number| *number = if length > 0.0 { *number / length } else { 0.0 });
        let mut drawn = Self {
            words: dims.div_ceil(64),
            middle,
            bits: Vec::new(),
            shapes: Vec::new(),
            rows_when_made: 0,
        };
        for (row, (steps, weight)) in rows.enumerate() {
            drawn.set(row, steps, weight);
        }
        drawn.rows_when_made = drawn.shapes.len();
        drawn
    }

    pub(super) fn rows_when_made(&self) -> usize {
        self.rows_when_made
    }

    pub(super) fn resident_bytes(&self) -> usize {
        self.bits.capacity() * size_of::<u64>()
            + self.middle.capacity() * size_of::<f32>()
            + self.shapes.capacity() * size_of::<Shape>()
    }

    /// Draws a row's sketch; the row is there already, or the next.
    pub(super) fn set(&mut self, row: usize, steps: &[i8], weight: f32) {
        if self.shapes.len() == row {
            self.bits.resize(self.bits.len() + self.words, 0);
            self.shapes.push(Shape::default());
        }
        let mut rest: Vec<f32> = steps.iter().map(|step| f32::from(*step) * weight).collect();
        let along = take_apart(&mut rest, &self.middle);
        let sketch = &mut self.bits[row * self.words..(row + 1) * self.words];
        draw(sketch, rest.iter().map(|number| *number > 0.0));
        let (sum, square) = (rest.iter().map(|number| number.abs()).sum::<f32>(), product(&rest, &rest));
        let factor = if sum > 0.0 { square / sum } else { 0.0 };
        let ones: u32 = sketch.iter().map(|word| word.count_ones()).sum();
        self.shapes[row] = Shape { along, factor, ones: ones as f32 };
    }

    /// Moves the last sketch into `row`.
    pub(super) fn fill_with_last(&mut self, row: usize) {
        let last = self.bits.len() - self.words;
        self.bits.copy_within(last.., row * self.words);
        self.bits[last..].fill(0);
        self.bits.truncate(last);
        self.shapes.swap_remove(row);
    }

    /// The `wanted` visible rows that are nearest to `query` by their sketches, of two alike the lower.
    pub(super) fn sift(&self, query: &[f32], visible: impl Fn(usize) -> bool, wanted: usize) -> Vec<usize> {
        let question = self.question(query);
        let mut sieve = Sieve::new(wanted);
        let mut sums = [0_u32; PIECE_ROWS];
        let pieces = self.bits.chunks(PIECE_ROWS * self.words.max(1)).zip(self.shapes.chunks(PIECE_ROWS));
        for (number, (bits, shapes)) in pieces.enumerate() {
            let sums = &mut sums[..shapes.len()];
            scan::weighted(&question.planes, bits, sums);
            for (place, (sum, shape)) in sums.iter().zip(shapes).enumerate() {
                let signed = 2.0 * (*sum as f32 - STEP_ZERO as f32 * shape.ones) - question.sum;
                let guess = question.along * shape.along + shape.factor * question.step * signed;
                let row = number * PIECE_ROWS + place;
                if sieve.wants(guess) && visible(row) {
                    sieve.take(guess, row);
                }
            }
        }
        sieve.finish()
    }

    fn question(&self, query: &[f32]) -> Question {
        let mut rest = query.to_vec();
        let along = take_apart(&mut rest, &self.middle);
        let greatest = rest.iter().fold(0.0_f32, |greatest, number| greatest.max(number.abs()));
        let step = greatest / (STEP_ZERO - 1) as f32;
        let steps: Vec<i32> =
            rest.iter().map(|number| if step > 0.0 { (number / step).round() as i32 } else { 0 }).collect();
        let mut planes = vec![0; PLANES * self.words];
        for (plane, words) in planes.chunks_mut(self.words.max(1)).enumerate() {
            draw(words, steps.iter().map(|number| (number + STEP_ZERO) >> plane & 1 == 1));
        }
        Question { planes, along, step, sum: steps.iter().sum::<i32>() as f32 }
    }
}

/// Takes the part along `middle` out of a vector; how long it was.
fn take_apart(vector: &mut [f32], middle: &[f32]) -> f32 {
    let along = product(vector, middle);
    vector.iter_mut().zip(middle).for_each(|(number, middle)| *number -= along * middle);
    along
}

/// The sum of products, in an order that is the same everywhere.
fn product(left: &[f32], right: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (lefts, rights) = (left.chunks(LANES), right.chunks(LANES));
    for (left, right) in lefts.zip(rights) {
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += left * right;
        }
    }
    sums.iter().sum()
}

/// Writes `bits` into words, the first into the lowest.
fn draw(words: &mut [u64], bits: impl Iterator<Item = bool>) {
    words.fill(0);
    for (place, bit) in bits.enumerate() {
        words[place / 64] |= u64::from(bit) << (place % 64);
    }
}

/// The best guesses so far.
struct Sieve {
    wanted: usize,
    taken: Vec<(f32, usize)>,
    bar: f32,
}

impl Sieve {
    fn new(wanted: usize) -> Self {
        Self { wanted, taken: Vec::new(), bar: f32::NEG_INFINITY }
    }

    /// Whether a guess may be among the best; rows come in order, so one that is only as good as the last is not.
    #[inline]
    fn wants(&self, guess: f32) -> bool {
        guess > self.bar
    }

    fn take(&mut self, guess: f32, row: usize) {
        self.taken.push((guess, row));
        if self.taken.len() >= self.wanted.saturating_mul(2) {
            self.settle();
        }
    }

    fn settle(&mut self) {
        if self.taken.len() > self.wanted && self.wanted > 0 {
            let order = |left: &(f32, usize), right: &(f32, usize)| -> Ordering {
                right.0.total_cmp(&left.0).then(left.1.cmp(&right.1))
            };
            let (_, last, _) = self.taken.select_nth_unstable_by(self.wanted - 1, order);
            self.bar = last.0;
            self.taken.truncate(self.wanted);
        }
    }

    /// The rows, in order.
    fn finish(mut self) -> Vec<usize> {
        self.settle();
        let mut rows: Vec<usize> = self.taken.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows
    }
}
