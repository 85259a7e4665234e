//! The secrets a subject's log is read with: one seals ids, one makes keyed fingerprints.

use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::id::IdKey;

/// A keyed hash of something a person could recognise: equal things give equal fingerprints, and without the key
/// nothing can be guessed back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint(pub [u8; 16]);

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{:02x}{:02x}{:02x}{:02x}", self.0[0], self.0[1], self.0[2], self.0[3])
    }
}

/// The keys of one subject, derived from a seed that is destroyed when the subject is forgotten.
#[derive(Clone, Debug)]
pub struct SubjectKeys {
    /// Seals and opens ids.
    pub ids: IdKey,
    /// Makes fingerprints.
    pub blind: BlindKey,
}

/// Makes the fingerprints of one subject. It hangs on the store and the subject's *name* alone, so it is there before the
/// first append, and after the subject was forgotten: tombstones and receipts outlive what they are about.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct BlindKey([u8; 32]);

impl fmt::Debug for BlindKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BlindKey(secret)")
    }
}

impl BlindKey {
    /// Derives the key from `blind`, which belongs to the store and the subject's name.
    #[must_use]
    pub fn derive(blind: &[u8; 32]) -> Self {
        Self(blake3::derive_key("testimony 2026-11-30 fingerprints", blind))
    }

    /// The fingerprint of `parts`, kept apart from other uses by `purpose`.
    #[must_use]
    pub fn fingerprint(&self, purpose: Purpose, parts: &[&[u8]]) -> Fingerprint {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&[purpose as u8]);
        for part in parts {
            // Lengths first, so that ("ab", "c") and ("a", "bc") differ.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let mut short = [0_u8; 16];
        short.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Fingerprint(short)
    }

    /// The mark of a source by its identity.
    #[must_use]
    pub fn source(&self, kind: &str, reference: &str) -> Fingerprint {
        self.fingerprint(Purpose::Source, &[kind.as_bytes(), reference.as_bytes()])
    }
}

impl SubjectKeys {
    /// Derives the keys.
    ///
    /// `seed` belongs to the subject and dies with it. `blind` belongs to the store and the subject's *name*, so that
    /// the tombstones of a forgotten subject still recognise what must not be learnt again.
    #[must_use]
    pub fn derive(seed: &[u8; 32], blind: &[u8; 32]) -> Self {
        let mut id_key = blake3::derive_key("testimony 2026-11-30 id sealing", seed);
        let mut id_bytes = [0_u8; 16];
        id_bytes.copy_from_slice(&id_key[..16]);
        let keys = Self { ids: IdKey::new(id_bytes), blind: BlindKey::derive(blind) };
        id_key.zeroize();
        id_bytes.zeroize();
        keys
    }

    /// The fingerprint of `parts`, kept apart from other uses by `purpose`.
    #[must_use]
    pub fn fingerprint(&self, purpose: Purpose, parts: &[&[u8]]) -> Fingerprint {
        self.blind.fingerprint(purpose, parts)
    }
}

/// What a fingerprint is for; two purposes never collide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Purpose {
    /// `(kind, ref)` of a source.
    Source = 1,
    /// A source's own id of a message.
    ExternalId = 2,
    /// A message by its time and text.
    Moment = 3,
    /// A message of one source by its text alone.
    Text = 4,
    /// The identity of a fact.
    Identity = 5,
    /// The text of a packet, so that a replay can be compared without keeping the words.
    Packet = 6,
    /// An idempotency key.
    Request = 7,
    /// A text, wherever it stands.
    Copy = 8,
    /// The subject itself, in the record of its destruction.
    Subject = 9,
    /// Who asked for a destruction.
    AskedBy = 10,
    /// Where a page of a list ended.
    Cursor = 11,
}
