//! Identity: where a row stands in its subject's log, and the sealed form of that place people see.
//!
//! Inside, an id is a position: the number of the append and the row within it. Outside, the position is
//! sealed under a key of the subject (one AES block), so an id tells nothing, cannot be guessed, and an id of
//! another subject opens to nothing: it answers exactly like one that never existed, without a look-up.

use std::fmt;

use aes::Aes128;
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use serde::{Deserialize, Serialize};

/// The number of an append in one subject's log; the first is 1, and 0 is the empty log.
pub type Watermark = u64;

/// Where a row stands: the append that brought it, and its number inside that append.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The append, from 1.
    pub seq: Watermark,
    /// The row within the append, from 0.
    pub ordinal: u32,
}

impl Position {
    /// The row `ordinal` of append `seq`.
    #[must_use]
    pub const fn new(seq: Watermark, ordinal: u32) -> Self {
        Self { seq, ordinal }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.seq, self.ordinal)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident => $kind:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub Position);

        impl $name {
            /// Which kind of thing this id names.
            pub const KIND: Kind = Kind::$kind;
        }

        impl From<$name> for Position {
            fn from(id: $name) -> Position {
                id.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}{}", Self::KIND.prefix(), self.0)
            }
        }
    )+};
}

ids! {
    /// One record of what a source said.
    EvidenceId => Evidence,
    /// What one piece of evidence said.
    ClaimId => Claim,
    /// An identity whose versions are what the system holds true.
    FactId => Fact,
    /// One value of a fact. Its number is that of the claim that founded it, but the id outlives that claim.
    VersionId => Version,
    /// Where words come from.
    SourceId => Source,
    /// One recorded resolution. Turns are numbered by themselves, so the ordinal is always 0.
    TurnId => Turn,
}

/// The kinds of thing that have an id people see.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// `ev_`
    Evidence,
    /// `cl_`
    Claim,
    /// `fa_`
    Fact,
    /// `ve_`
    Version,
    /// `so_`
    Source,
    /// `tu_`
    Turn,
}

impl Kind {
    /// Every kind, in the order of their numbers inside a sealed id.
    pub const ALL: [Self; 6] =
        [Self::Evidence, Self::Claim, Self::Fact, Self::Version, Self::Source, Self::Turn];

    /// The letters an id of this kind begins with.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Evidence => "ev_",
            Self::Claim => "cl_",
            Self::Fact => "fa_",
            Self::Version => "ve_",
            Self::Source => "so_",
            Self::Turn => "tu_",
        }
    }
}

/// Seals positions into ids and opens them again; one key a subject.
#[derive(Clone)]
pub struct IdKey(Aes128);

impl IdKey {
    /// The sealing key made of these 16 secret bytes.
    #[must_use]
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(Aes128::new(&bytes.into()))
    }

    /// The id people see for the thing of `kind` at `position`.
    #[must_use]
    pub fn seal(&self, kind: Kind, position: Position) -> String {
        let mut block = [0_u8; 16];
        block[..8].copy_from_slice(&position.seq.to_be_bytes());
        block[8..12].copy_from_slice(&position.ordinal.to_be_bytes());
        block[12] = kind as u8 + 1;
        let mut sealed = block.into();
        self.0.encrypt_block(&mut sealed);
        let mut text = String::with_capacity(29);
        text.push_str(kind.prefix());
        base32_into(&sealed.into(), &mut text);
        text
    }

    /// What `id` names here; `None` when it is malformed, another subject's, or made up. The three are one answer.
    #[must_use]
    pub fn open(&self, id: &str) -> Option<(Kind, Position)> {
        let kind = Kind::ALL.into_iter().find(|kind| id.starts_with(kind.prefix()))?;
        let mut sealed = base32_read(&id[kind.prefix().len()..])?.into();
        self.0.decrypt_block(&mut sealed);
        let block: [u8; 16] = sealed.into();
        if block[12] != kind as u8 + 1 || block[13..] != [0; 3] {
            return None;
        }
        let seq = u64::from_be_bytes(block[..8].try_into().ok()?);
        let ordinal = u32::from_be_bytes(block[8..12].try_into().ok()?);
        Some((kind, Position { seq, ordinal }))
    }
}

impl fmt::Debug for IdKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("IdKey(secret)")
    }
}

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

fn base32_into(bytes: &[u8; 16], text: &mut String) {
    let number = u128::from_be_bytes(*bytes);
    for digit in (0..26).rev() {
        let index = (number >> (digit * 5)) as usize & 31;
        text.push(char::from(ALPHABET[index]));
    }
}

fn base32_read(text: &str) -> Option<[u8; 16]> {
    if text.len() != 26 {
        return None;
    }
    let mut number = 0_u128;
    for (place, byte) in text.bytes().enumerate() {
        let digit = ALPHABET.iter().position(|letter| *letter == byte)?;
        // 26 digits hold 130 bits; the first may only use the lower three.
        if place == 0 && digit > 7 {
            return None;
        }
        number = number << 5 | digit as u128;
    }
    Some(number.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_id_opens_only_under_its_own_key(seq in any::<u64>(), ordinal in any::<u32>(), key in any::<[u8; 16]>(), other in any::<[u8; 16]>()) {
            let position = Position { seq, ordinal };
            for kind in Kind::ALL {
                let id = IdKey::new(key).seal(kind, position);
                prop_assert_eq!(IdKey::new(key).open(&id), Some((kind, position)));
                if key != other {
                    prop_assert_eq!(IdKey::new(other).open(&id), None);
                }
            }
        }

        #[test]
        fn anything_may_be_asked_for(text in "\\PC{0,40}") {
            let _ = IdKey::new([7; 16]).open(&text);
            let _ = IdKey::new([7; 16]).open(&format!("fa_{text}"));
        }
    }
}
