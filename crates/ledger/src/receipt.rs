//! What is told of an erasure afterwards: what was asked, how many rows of each kind went, when and by whom. No word of it.
//!
//! An erasure of rows leaves an act in the subject's own log. A subject that is forgotten whole has no log any more, so the
//! store keeps a record of its own, chained like a log: each record is hashed together with the one before, and with the hash
//! of the last append of the log that went. Both can be checked against a receipt for as long as the store lasts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::Watermark;
use crate::keys::Fingerprint;
use crate::proof::ChainHash;
use crate::source::words;
use crate::time::Instant;

words! {
    /// What was asked to be forgotten.
    Asked {
        /// Things by their ids.
        Ids = "ids",
        /// A source with everything it ever said.
        Source = "source",
        /// Messages by their session, their time, or both; perhaps of one source.
        Messages = "messages",
        /// A subject, whole.
        Subject = "subject",
    }
}

/// How many rows of each kind went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowCounts {
    /// Sources.
    pub sources: u64,
    /// Messages, whole.
    pub evidence: u64,
    /// Messages of which only what other claims quote is left.
    pub reduced: u64,
    /// Facts.
    pub facts: u64,
    /// Claims.
    pub claims: u64,
    /// Acts.
    pub acts: u64,
    /// Transitions, those that others took the place of included.
    pub transitions: u64,
}

impl RowCounts {
    /// All rows together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.sources + self.evidence + self.reduced + self.facts + self.claims + self.acts + self.transitions
    }
}

/// What a store keeps of a subject it destroyed: keyed marks and numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Destruction {
    /// Its number among the store's, from 1.
    pub number: u64,
    /// The mark of the subject's name.
    pub subject: Fingerprint,
    /// The mark of who asked.
    pub by: Fingerprint,
    /// When.
    pub at: Instant,
    /// The last append of the log that went; 0 when it had none.
    pub watermark: Watermark,
    /// The hash of that append.
    pub tip: ChainHash,
    /// What went.
    pub rows: RowCounts,
    /// The hash of this record and all before it.
    pub hash: ChainHash,
}

impl Destruction {
    /// The hash this record should have, given the hash of the one before.
    #[must_use]
    pub fn link(&self, before: &ChainHash) -> ChainHash {
        let mut hasher = blake3::Hasher::new_derive_key("testimony 2026-11-30 destroyed subjects");
        hasher.update(&before.0);
        hasher.update(&self.number.to_le_bytes());
        hasher.update(&self.subject.0);
        hasher.update(&self.by.0);
        hasher.update(&self.at.micros().to_le_bytes());
        hasher.update(&self.watermark.to_le_bytes());
        hasher.update(&self.tip.0);
        let rows = &self.rows;
        for count in
            [rows.sources, rows.evidence, rows.reduced, rows.facts, rows.claims, rows.acts, rows.transitions]
        {
            hasher.update(&count.to_le_bytes());
        }
        ChainHash(*hasher.finalize().as_bytes())
    }
}

/// The number of the first record that does not follow from those before it; `None` when all do.
#[must_use]
pub fn first_broken(records: &[Destruction]) -> Option<u64> {
    let mut before = ChainHash::default();
    for (number, record) in (1..).zip(records) {
        if record.number != number || record.link(&before) != record.hash {
            return Some(number);
        }
        before = record.hash;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Destruction> {
        let mut before = ChainHash::default();
        (1..=3)
            .map(|number| {
                let mut record = Destruction {
                    number,
                    subject: Fingerprint([number as u8; 16]),
                    by: Fingerprint([9; 16]),
                    at: Instant::from_micros(number as i64),
                    watermark: 7,
                    tip: ChainHash([number as u8; 32]),
                    rows: RowCounts { claims: number, ..RowCounts::default() },
                    hash: ChainHash::default(),
                };
                record.hash = record.link(&before);
                before = record.hash;
                record
            })
            .collect()
    }

    #[test]
    fn every_field_of_every_record_is_in_the_chain() {
        assert_eq!(first_broken(&records()), None);
        let changes: [fn(&mut Destruction); 9] = [
            |record| record.subject.0[0] ^= 1,
            |record| record.by.0[0] ^= 1,
            |record| record.at = Instant::from_micros(99),
            |record| record.watermark += 1,
            |record| record.tip.0[31] ^= 1,
            |record| record.rows.claims += 1,
            |record| record.rows.reduced += 1,
            |record| record.number += 1,
            |record| record.hash.0[0] ^= 1,
        ];
        for change in changes {
            let mut changed = records();
            change(&mut changed[1]);
            assert!(first_broken(&changed).is_some());
        }
        let mut shorter = records();
        shorter.remove(1);
        assert_eq!(first_broken(&shorter), Some(2));
    }
}
