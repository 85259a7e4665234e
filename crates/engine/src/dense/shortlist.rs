//! The best so far: documents in a total order, each by its nearest piece, and the bar the next must pass.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use super::Near;

/// How much may wait before the worst is thrown out, beyond what is wanted.
const WAITING_MIN: usize = 256;

/// The nearest documents of those offered.
pub(super) struct Shortlist {
    limit: usize,
    /// The best in order, and behind them what came since.
    rows: Vec<Near>,
    /// The last that would be told if nothing else came; `None` while there is room.
    bar: Option<Near>,
}

impl Shortlist {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, rows: Vec::new(), bar: None }
    }

    /// Whether `near` would make the list as it stands.
    #[inline]
    pub(super) fn wants(&self, near: &Near) -> bool {
        self.bar.as_ref().is_none_or(|bar| order(near, bar) == Ordering::Less)
    }

    pub(super) fn offer(&mut self, near: Near) {
        if !self.wants(&near) {
            return;
        }
        self.rows.push(near);
        if self.rows.len() >= self.limit.saturating_mul(2).saturating_add(WAITING_MIN) {
            self.settle();
        }
    }

    /// Keeps each document's nearest piece, and of the documents the nearest.
    fn settle(&mut self) {
        self.rows.sort_unstable_by(order);
        let mut told: FxHashSet<u32> = FxHashSet::default();
        self.rows.retain(|near| told.insert(near.document));
        self.rows.truncate(self.limit);
        if self.rows.len() == self.limit {
            self.bar = self.rows.last().copied();
        }
    }

    /// The list, nearest first.
    pub(super) fn finish(mut self) -> Vec<Near> {
        self.settle();
        self.rows
    }
}

/// Nearest first; of two alike the lower document, and of its pieces the lower.
fn order(left: &Near, right: &Near) -> Ordering {
    right
        .cosine
        .total_cmp(&left.cosine)
        .then(left.document.cmp(&right.document))
        .then(left.piece.cmp(&right.piece))
}
