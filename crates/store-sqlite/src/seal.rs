//! Sealing: AES-256-GCM-SIV over every column with words, pinned to the one place where it may be read.
//!
//! A sealed column is `nonce (12) | ciphertext | tag (16)`. What is authenticated beside it names the store, the
//! subject, the column, the row's position and the data key, so that no sealed value can be moved to another row.

use aes_gcm_siv::aead::AeadInOut;
use aes_gcm_siv::{Aes256GcmSiv, KeyInit, Tag};
use ledger::id::Position;
use zeroize::Zeroizing;

use crate::chance::Chance;

const NONCE: usize = 12;
const TAG: usize = 16;

/// A key that seals and opens.
pub(crate) struct Seal {
    cipher: Aes256GcmSiv,
    bytes: Zeroizing<[u8; 32]>,
}

/// Which column a sealed value stands in. The numbers are part of what is authenticated: never reuse one.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Column {
    StoreSecret = 1,
    GroupKey = 2,
    DataKey = 3,
    SubjectName = 4,
    SubjectSeed = 5,
    SourceWords = 6,
    EvidenceWords = 7,
    EvidenceText = 8,
    ClaimWords = 9,
    ActWords = 10,
    Vector = 11,
    PolicyActWords = 12,
    MasterKey = 32,
}

/// The one place a sealed value belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// The store's random id.
    pub(crate) store: [u8; 16],
    /// The subject's random id; zero for what belongs to the store.
    pub(crate) subject: [u8; 16],
    /// The column.
    pub(crate) column: Column,
    /// The row.
    pub(crate) row: Position,
    /// The source whose data key seals it; 0.0 is the subject's own key.
    pub(crate) key: Position,
}

impl Place {
    fn authenticated(&self) -> [u8; 57] {
        let mut bytes = [0_u8; 57];
        bytes[..16].copy_from_slice(&self.store);
        bytes[16..32].copy_from_slice(&self.subject);
        bytes[32] = self.column as u8;
        bytes[33..41].copy_from_slice(&self.row.seq.to_le_bytes());
        bytes[41..45].copy_from_slice(&self.row.ordinal.to_le_bytes());
        bytes[45..53].copy_from_slice(&self.key.seq.to_le_bytes());
        bytes[53..57].copy_from_slice(&self.key.ordinal.to_le_bytes());
        bytes
    }
}

impl Seal {
    /// The key made of these bytes.
    pub(crate) fn new(bytes: Zeroizing<[u8; 32]>) -> Self {
        Self { cipher: Aes256GcmSiv::new((&*bytes).into()), bytes }
    }

    /// The key's own bytes, to be wrapped.
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Seals `plain` for `place`.
    pub(crate) fn seal(&self, chance: &mut Chance, place: &Place, plain: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE] = chance.bytes();
        let mut sealed = Vec::with_capacity(NONCE + plain.len() + TAG);
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(plain);
        let tag = self.cipher.encrypt_inout_detached(
            &nonce.into(),
            &place.authenticated(),
            (&mut sealed[NONCE..]).into(),
        );
        match tag {
            Ok(tag) => sealed.extend_from_slice(&tag),
            // Only texts past 64 GiB fail, and those do not fit into memory twice; an empty value opens to nothing.
            Err(_) => sealed.clear(),
        }
        sealed
    }

    /// Opens what was sealed for `place`; `None` when it was not, or was changed since.
    pub(crate) fn open(&self, place: &Place, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE>()?;
        let (body, tag) = rest.split_last_chunk::<TAG>()?;
        let mut plain = body.to_vec();
        let nonce = (*nonce).into();
        let tag: Tag = (*tag).into();
        let aad = place.authenticated();
        self.cipher.decrypt_inout_detached(&nonce, &aad, plain.as_mut_slice().into(), &tag).ok()?;
        Some(plain)
    }

    /// Opens a sealed key.
    pub(crate) fn open_key(&self, place: &Place, sealed: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
        let plain = Zeroizing::new(self.open(place, sealed)?);
        plain.as_slice().try_into().ok().map(Zeroizing::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_value_opens_only_in_its_own_place() {
        let mut chance = Chance::draw().expect("randomness");
        let seal = Seal::new(Zeroizing::new([7; 32]));
        let place = Place {
            store: [1; 16],
            subject: [2; 16],
            column: Column::ClaimWords,
            row: Position::new(3, 4),
            key: Position::new(5, 6),
        };
        let sealed = seal.seal(&mut chance, &place, b"words");
        assert_eq!(seal.open(&place, &sealed).as_deref(), Some(b"words".as_slice()));
        let elsewhere = [
            Place { store: [9; 16], ..place },
            Place { subject: [9; 16], ..place },
            Place { column: Column::EvidenceWords, ..place },
            Place { row: Position::new(3, 5), ..place },
            Place { row: Position::new(4, 4), ..place },
            Place { key: Position::new(5, 7), ..place },
        ];
        for other in elsewhere {
            assert_eq!(seal.open(&other, &sealed), None);
        }
        for length in 0..sealed.len() {
            assert_eq!(seal.open(&place, &sealed[..length]), None);
        }
        assert_eq!(Seal::new(Zeroizing::new([8; 32])).open(&place, &sealed), None);
    }
}
