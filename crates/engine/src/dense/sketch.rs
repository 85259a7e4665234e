//! Sketches: one bit a number, that says on which side of the middle of all vectors it lies. Reading them is an eighth of
//! the work of reading the vectors, and few bits differ between vectors that are near.
//!
//! Vectors of an embedding model lie in a narrow cone, so the signs of the numbers themselves say little: bits are drawn
//! around the mean. The mean is that of the time when the sketches were drawn; they are drawn again when the table has
//! doubled.

use super::scan;

/// Sketches compared at a time.
const PIECE_ROWS: usize = 1_024;

/// The sketches of a table, row by row.
#[derive(Clone, Debug)]
pub(super) struct Sketches {
    /// Words of 64 bits a sketch.
    words: usize,
    middle: Vec<f32>,
    bits: Vec<u64>,
    rows_when_made: usize,
}

/// How many rows a search looks at in full, of `rows`, when `limit` documents are wanted.
pub(super) fn rows_looked_at(rows: usize, limit: usize) -> usize {
    (rows / 32).max(2_048).max(limit.saturating_mul(8))
}

impl Sketches {
    /// Sketches of these rows, drawn around their middle.
    pub(super) fn draw<'rows>(dims: usize, rows: impl Iterator<Item = (&'rows [i8], f32)> + Clone) -> Self {
        // Sums of whole numbers do not depend on the order of the rows.
        const ONE: f32 = (1 << 24) as f32;
        let mut sums = vec![0_i64; dims];
        let mut count = 0;
        for (steps, weight) in rows.clone() {
            count += 1;
            for (sum, step) in sums.iter_mut().zip(steps) {
                *sum += (f32::from(*step) * weight * ONE) as i64;
            }
        }
        let middle = sums.iter().map(|sum| (*sum as f64 / f64::from(ONE) / f64::from(count)) as f32).collect();
        let words = dims.div_ceil(64);
        let mut drawn =
            Self { words, middle, bits: Vec::with_capacity(count as usize * words), rows_when_made: count as usize };
        for (row, (steps, weight)) in rows.enumerate() {
            drawn.set(row, steps, weight);
        }
        drawn
    }

    pub(super) fn rows_when_made(&self) -> usize {
        self.rows_when_made
    }

    pub(super) fn resident_bytes(&self) -> usize {
        self.bits.capacity() * size_of::<u64>() + self.middle.capacity() * size_of::<f32>()
    }

    /// Draws a row's sketch; the row is there already, or the next.
    pub(super) fn set(&mut self, row: usize, steps: &[i8], weight: f32) {
        let start = row * self.words;
        if self.bits.len() == start {
            self.bits.resize(start + self.words, 0);
        }
        let sketch = &mut self.bits[start..start + self.words];
        let numbers = steps.iter().map(|step| f32::from(*step) * weight);
        draw(sketch, numbers.zip(&self.middle).map(|(number, middle)| number > *middle));
    }

    /// Moves the last sketch into `row`.
    pub(super) fn fill_with_last(&mut self, row: usize) {
        let last = self.bits.len() - self.words;
        self.bits.copy_within(last.., row * self.words);
        self.bits[last..].fill(0);
        self.bits.truncate(last);
    }

    /// At least `wanted` of the visible rows whose sketches differ least from that of `query`: all that differ in as many
    /// bits as the last of them, or fewer. In the order of the rows.
    pub(super) fn sift(&self, query: &[f32], visible: impl Fn(usize) -> bool, wanted: usize) -> Vec<usize> {
        let length = query.iter().map(|number| number * number).sum::<f32>().sqrt();
        let mut sketch = vec![0; self.words];
        draw(&mut sketch, query.iter().zip(&self.middle).map(|(number, middle)| *number > middle * length));
        // How many of the rows taken differ in so many bits; the bar falls as nearer ones come.
        let mut counts = vec![0_usize; self.words * 64 + 1];
        let mut bar = self.words as u32 * 64;
        let mut within = 0;
        let mut taken: Vec<(u32, usize)> = Vec::new();
        let mut distances = [0_u32; PIECE_ROWS];
        for (number, piece) in self.bits.chunks(PIECE_ROWS * self.words.max(1)).enumerate() {
            let distances = &mut distances[..piece.len() / self.words.max(1)];
            scan::distances(&sketch, piece, distances);
            for (place, distance) in distances.iter().enumerate() {
                let row = number * PIECE_ROWS + place;
                if *distance > bar || !visible(row) {
                    continue;
                }
                taken.push((*distance, row));
                counts[*distance as usize] += 1;
                within += 1;
                while bar > 0 && within - counts[bar as usize] >= wanted {
                    within -= counts[bar as usize];
                    bar -= 1;
                }
            }
        }
        taken.retain(|(distance, _)| *distance <= bar);
        taken.into_iter().map(|(_, row)| row).collect()
    }
}

/// Writes `bits` into words, the first into the lowest.
fn draw(words: &mut [u64], bits: impl Iterator<Item = bool>) {
    words.fill(0);
    for (place, bit) in bits.enumerate() {
        words[place / 64] |= u64::from(bit) << (place % 64);
    }
}
