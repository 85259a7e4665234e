//! The hash chain over a subject's log: tampering shows, and erased words cannot be guessed back from it.
//!
//! Every row has a commitment, the hash of a random salt and its canonical bytes; every append hashes its commitments
//! together with the hash of the append before. Erasing a row takes its bytes and its salt. Its commitment stays, so
//! the chain still verifies, and without the salt nobody can test a guess against it. The erasure itself is an append
//! that names the commitments it orphaned, so a row missing without one is tampering.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{Position, Watermark};
use crate::log::Row;
use crate::time::Instant;

/// The random bytes mixed into a row's commitment; gone when the row is erased.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Salt(pub [u8; 16]);

/// The salted hash of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Commitment(pub [u8; 32]);

/// The hash of an append and everything before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ChainHash(pub [u8; 32]);

impl fmt::Display for ChainHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("blake3:")?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// Commits to `row` as it stands at `position`.
#[must_use]
pub fn commit(salt: &Salt, position: Position, row: &Row) -> Commitment {
    let mut hasher = blake3::Hasher::new_derive_key("testimony 2026-11-30 row commitment");
    hasher.update(&salt.0);
    hasher.update(&position.seq.to_le_bytes());
    hasher.update(&position.ordinal.to_le_bytes());
    hasher.update(&row.encode());
    Commitment(*hasher.finalize().as_bytes())
}

/// The hash of append `seq`, given the hash of the one before.
///
/// `orphaned` is empty but for erasures: the places in the chain whose rows the append took out.
#[must_use]
pub fn link(
    before: &ChainHash,
    seq: Watermark,
    recorded_at: Instant,
    commitments: &[Commitment],
    orphaned: &[Position],
) -> ChainHash {
    let mut hasher = blake3::Hasher::new_derive_key("testimony 2026-11-30 chain");
    hasher.update(&before.0);
    hasher.update(&seq.to_le_bytes());
    hasher.update(&recorded_at.micros().to_le_bytes());
    hasher.update(&(commitments.len() as u64).to_le_bytes());
    for commitment in commitments {
        hasher.update(&commitment.0);
    }
    for position in orphaned {
        hasher.update(&position.seq.to_le_bytes());
        hasher.update(&position.ordinal.to_le_bytes());
    }
    ChainHash(*hasher.finalize().as_bytes())
}
