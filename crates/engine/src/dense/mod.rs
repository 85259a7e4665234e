//! Vectors of a subject's snapshot, found again by nearness: one byte a number, scanned whole while there are few, and
//! from [`SKETCHED_ROWS_MIN`] on sifted by sketches of one bit a number first.
//!
//! [`scan`] holds the two loops everything spends its time in, [`sketch`] the sketches, [`shortlist`] the best so far.
//! Whole numbers are multiplied and added, so an answer is the same to the bit on every machine and however the scan is
//! cut up. Nothing here reads a clock, draws a random number or touches a file. Why a scan and no graph:
//! `docs/decisions/0012-vector-scan.md`.

mod scan;
mod shortlist;
mod sketch;
#[cfg(test)]
mod tests;

use ledger::vectors::Quantised;

use scan::Probe;
use shortlist::Shortlist;
use sketch::Sketches;

/// From how many vectors on a search sifts by sketches instead of reading every vector. Below, a search is exact.
pub const SKETCHED_ROWS_MIN: usize = 1 << 15;

/// How many times as many documents as are wanted may be asked about before a search looks among the visible only.
const ASKED_FACTOR: usize = 8;

/// Vectors in one block of memory; a table grows block by block and is never copied whole.
const BLOCK_ROWS: usize = 1_024;

/// The end of a chain of pieces.
const NONE: u32 = u32::MAX;

/// The vectors of one model, by document and piece.
///
/// A document is a number that means nothing here; its text may have several pieces, each with a vector of its own. A
/// document is as near as its nearest piece.
#[derive(Clone, Debug)]
pub struct Vectors {
    dims: usize,
    /// All numbers, [`BLOCK_ROWS`] vectors to a block.
    blocks: Vec<Vec<i8>>,
    /// What a row's steps are multiplied with to make a vector of length 1; 0 for one without direction.
    weights: Vec<f32>,
    places: Vec<Place>,
    /// The row of some piece of each document; the others follow by [`Place::next`].
    first: Vec<u32>,
    documents: usize,
    sketches: Option<Sketches>,
    sketched_rows_min: usize,
}

/// What stands in a row.
#[derive(Clone, Copy, Debug)]
struct Place {
    document: u32,
    piece: u32,
    /// The row of another piece of the same document.
    next: u32,
}

/// A document found near a query.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Near {
    /// The document.
    pub document: u32,
    /// Its nearest piece.
    pub piece: u32,
    /// How near that piece is: the cosine of the angle between the two, −1 to 1.
    pub cosine: f32,
}

impl Default for Vectors {
    /// A table for no model.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Vectors {
    /// An empty table of vectors of `dims` numbers.
    #[must_use]
    pub fn new(dims: usize) -> Self {
        Self {
            dims,
            blocks: Vec::new(),
            weights: Vec::new(),
            places: Vec::new(),
            first: Vec::new(),
            documents: 0,
            sketches: None,
            sketched_rows_min: SKETCHED_ROWS_MIN,
        }
    }

    /// Numbers in a vector.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// How many vectors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many documents have a vector.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Whether a document has a vector.
    #[must_use]
    pub fn contains(&self, document: u32) -> bool {
        self.rows_of(document).next().is_some()
    }

    /// Memory held, in bytes, to the byte of what was asked for.
    #[must_use]
    pub fn resident_bytes(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum::<usize>()
            + self.blocks.capacity() * size_of::<Vec<i8>>()
            + self.weights.capacity() * size_of::<f32>()
            + self.places.capacity() * size_of::<Place>()
            + self.first.capacity() * size_of::<u32>()
            + self.sketches.as_ref().map_or(0, Sketches::resident_bytes)
    }

    /// Keeps a vector, in place of the one of the same document and piece. Documents are numbered densely.
    ///
    /// # Panics
    /// When the vector has another number of dimensions: vectors of two models are never mixed.
    pub fn insert(&mut self, document: u32, piece: u32, vector: &Quantised) {
        assert_eq!(vector.steps.len(), self.dims, "a vector of another model's dimensions");
        let known = self.rows_of(document).find(|row| self.places[*row].piece == piece);
        let row = match known {
            Some(row) => {
                let range = self.range(row);
                self.blocks[row / BLOCK_ROWS][range].copy_from_slice(&vector.steps);
                self.weights[row] = weight(&vector.steps);
                row
            }
            None => self.push(document, piece, &vector.steps),
        };
        match &mut self.sketches {
            Some(sketches) if self.places.len() < 2 * sketches.rows_when_made() => {
                sketches.set(row, &vector.steps, self.weights[row]);
            }
            None if self.places.len() < self.sketched_rows_min => {}
            // The first time, and again whenever the table has doubled: the middle they are drawn around has moved.
            _ => self.sketches = Some(Sketches::draw(self.dims, self.rows())),
        }
    }

    fn push(&mut self, document: u32, piece: u32, steps: &[i8]) -> usize {
        let row = self.places.len();
        if row.is_multiple_of(BLOCK_ROWS) {
            // A first block grows from small, because most subjects are; the others will be filled.
            let rows = if row == 0 { 16 } else { BLOCK_ROWS };
            self.blocks.push(Vec::with_capacity(rows * self.dims));
        }
        self.blocks[row / BLOCK_ROWS].extend_from_slice(steps);
        self.weights.push(weight(steps));
        if self.first.len() <= document as usize {
            self.first.resize(document as usize + 1, NONE);
        }
        let next = std::mem::replace(&mut self.first[document as usize], row as u32);
        self.documents += usize::from(next == NONE);
        self.places.push(Place { document, piece, next });
        row
    }

    /// Takes out every vector of a document.
    pub fn remove(&mut self, document: u32) {
        self.documents -= usize::from(self.contains(document));
        loop {
            let Some(row) = self.rows_of(document).next() else { break };
            self.first[document as usize] = self.places[row].next;
            self.fill_with_last(row);
        }
        while self.first.last() == Some(&NONE) {
            self.first.pop();
        }
        if self.sketches.is_some() && self.places.len() < self.sketched_rows_min / 2 {
            self.sketches = None;
        }
    }

    /// Moves the last row into a row that nothing refers to any more.
    fn fill_with_last(&mut self, row: usize) {
        let last = self.places.len() - 1;
        if row != last {
            let moved = self.places[last];
            // Whoever pointed at the last row points at its new place.
            let before = self.rows_of(moved.document).find(|at| self.places[*at].next == last as u32);
            match before {
                Some(before) => self.places[before].next = row as u32,
                None => self.first[moved.document as usize] = row as u32,
            }
            self.places[row] = self.places[last];
            self.weights[row] = self.weights[last];
            let steps = self.steps(last).to_vec();
            let range = self.range(row);
            self.blocks[row / BLOCK_ROWS][range].copy_from_slice(&steps);
        }
        let range = self.range(last);
        let block = &mut self.blocks[last / BLOCK_ROWS];
        // What is taken out leaves no copy in the unused part of a block.
        block[range.clone()].fill(0);
        block.truncate(range.start);
        if block.is_empty() {
            self.blocks.pop();
        }
        self.places.pop();
        self.weights.pop();
        if let Some(sketches) = &mut self.sketches {
            sketches.fill_with_last(row);
        }
    }

    /// The documents nearest to `query`, nearest first and of two alike the lower, at most `limit` of those that are
    /// `visible`. Exact below [`SKETCHED_ROWS_MIN`] vectors; above, a few near ones may be missed, and what is found is
    /// told with its exact cosine.
    ///
    /// `visible` is asked only of documents that would make the list, and may be asked several times of one.
    ///
    /// # Panics
    /// When the query has another number of dimensions.
    #[must_use]
    pub fn search(&self, query: &[f32], visible: impl Fn(u32) -> bool, limit: usize) -> Vec<Near> {
        assert_eq!(query.len(), self.dims, "a query of another model's dimensions");
        let probe = Probe::new(query);
        let Some(sketches) = &self.sketches else { return self.scan(&probe, visible, limit) };
        let wanted = sketch::rows_looked_at(self.len(), limit);
        let nearest = |rows: Vec<usize>, limit: usize| {
            let mut shortlist = Shortlist::new(limit);
            rows.into_iter().for_each(|row| shortlist.offer(self.near(&probe, row)));
            shortlist.finish()
        };
        // Mostly most are visible, and then it is enough to ask about those that would be told.
        let mut near = nearest(sketches.sift(query, |_| true, wanted), limit.saturating_mul(ASKED_FACTOR));
        near.retain(|near| visible(near.document));
        if near.len() < limit {
            near = nearest(sketches.sift(query, |row| visible(self.places[row].document), wanted), limit);
        }
        near.truncate(limit);
        near
    }

    /// How near a document's nearest piece is; `None` when it has no vector.
    ///
    /// # Panics
    /// When the query has another number of dimensions.
    #[must_use]
    pub fn cosine_of(&self, document: u32, query: &[f32]) -> Option<f32> {
        self.cosines_of(&[document], query).pop().flatten()
    }

    /// As [`Self::cosine_of`], of many documents at once, in their order.
    ///
    /// # Panics
    /// When the query has another number of dimensions.
    #[must_use]
    pub fn cosines_of(&self, documents: &[u32], query: &[f32]) -> Vec<Option<f32>> {
        assert_eq!(query.len(), self.dims, "a query of another model's dimensions");
        let probe = Probe::new(query);
        let cosine = |document: &u32| {
            self.rows_of(*document).map(|row| self.near(&probe, row).cosine).reduce(f32::max)
        };
        documents.iter().map(cosine).collect()
    }

    fn scan(&self, probe: &Probe, visible: impl Fn(u32) -> bool, limit: usize) -> Vec<Near> {
        let mut shortlist = Shortlist::new(limit);
        let mut products = [0_i32; BLOCK_ROWS];
        for (number, block) in self.blocks.iter().enumerate() {
            let start = number * BLOCK_ROWS;
            let end = self.places.len().min(start + BLOCK_ROWS);
            let products = &mut products[..end - start];
            scan::products(probe.steps(), block, products);
            let rows = products.iter().zip(&self.weights[start..end]).zip(&self.places[start..end]);
            for ((product, weight), place) in rows {
                let cosine = probe.cosine(*product, *weight);
                let near = Near { document: place.document, piece: place.piece, cosine };
                if shortlist.wants(&near) && visible(near.document) {
                    shortlist.offer(near);
                }
            }
        }
        shortlist.finish()
    }

    fn near(&self, probe: &Probe, row: usize) -> Near {
        let Place { document, piece, .. } = self.places[row];
        let product = scan::product(probe.steps(), self.steps(row));
        Near { document, piece, cosine: probe.cosine(product, self.weights[row]) }
    }

    fn rows_of(&self, document: u32) -> impl Iterator<Item = usize> + '_ {
        let row = |number: u32| (number != NONE).then_some(number as usize);
        let first = self.first.get(document as usize).copied().and_then(row);
        std::iter::successors(first, move |at| row(self.places[*at].next))
    }

    /// Every row's steps and weight, in order.
    fn rows(&self) -> impl Iterator<Item = (&[i8], f32)> + Clone {
        let steps = self.blocks.iter().flat_map(|block| block.chunks_exact(self.dims.max(1)));
        steps.zip(self.weights.iter().copied())
    }

    fn steps(&self, row: usize) -> &[i8] {
        &self.blocks[row / BLOCK_ROWS][self.range(row)]
    }

    /// Where a row stands in its block.
    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = row % BLOCK_ROWS * self.dims;
        start..start + self.dims
    }
}

/// What makes the steps a vector of length 1.
///
/// A vector was of length 1 before it was rounded to steps; making it so again, instead of taking the scale it was
/// rounded with, is nearer to what it was.
fn weight(steps: &[i8]) -> f32 {
    let square: i64 = steps.iter().map(|step| i64::from(*step) * i64::from(*step)).sum();
    if square == 0 { 0.0 } else { (square as f32).sqrt().recip() }
}
