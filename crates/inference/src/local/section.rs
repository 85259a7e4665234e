//! A part of a pack's bytes.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// A part of a pack's bytes; clones share them.
#[derive(Clone)]
pub(super) struct Section {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Section {
    /// All of `bytes`.
    pub fn whole(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Self { bytes: Arc::new(bytes), range }
    }

    /// The part of this part at `range`; `None` when it ends outside.
    pub fn part(&self, range: Range<usize>) -> Option<Self> {
        let begin = self.range.start.checked_add(range.start)?;
        let end = self.range.start.checked_add(range.end)?;
        (begin <= end && end <= self.range.end)
            .then(|| Self { bytes: Arc::clone(&self.bytes), range: begin..end })
    }
}

impl Deref for Section {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }
}

impl AsRef<[u8]> for Section {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl std::fmt::Debug for Section {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} bytes", self.range.len())
    }
}
