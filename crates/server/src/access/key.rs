//! API keys: 256 random bits behind a word that scanners for leaked secrets can look for, with a checksum so that a mistyped one is
//! told from a wrong one without looking it up.

use std::fmt;

use zeroize::Zeroizing;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// What every key begins with.
pub const PREFIX: &str = "testimony_";

/// Random bytes of a key.
const SECRET_BYTES: usize = 32;

/// Letters behind the prefix: the secret and its checksum of four bytes, without padding.
const LETTERS: usize = (SECRET_BYTES + 4) * 4 / 3;

/// A key as its holder has it. It is shown once; nothing here prints it but [`ApiKey::reveal`].
#[derive(Clone)]
pub struct ApiKey(Zeroizing<[u8; SECRET_BYTES]>);

/// By what a key is known without being told: its hash. A fast one is right, since there is nothing to guess.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyHash([u8; 32]);

impl ApiKey {
    /// A key of these random bytes.
    #[must_use]
    pub fn from_bytes(secret: [u8; SECRET_BYTES]) -> Self {
        Self(Zeroizing::new(secret))
    }

    /// Reads a key as it was shown; `None` for anything else, a mistyped key included.
    #[must_use]
    pub fn parse(written: &str) -> Option<Self> {
        let letters = written.strip_prefix(PREFIX).filter(|letters| letters.len() == LETTERS)?;
        let bytes = Zeroizing::new(URL_SAFE_NO_PAD.decode(letters).ok()?);
        let (secret, sum) = bytes.split_at_checked(SECRET_BYTES)?;
        let secret = Zeroizing::new(<[u8; SECRET_BYTES]>::try_from(secret).ok()?);
        (checksum(&secret) == *sum).then_some(Self(secret))
    }

    /// The key as text, for the one time it is shown.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        let mut bytes = Zeroizing::new(self.0.to_vec());
        bytes.extend_from_slice(&checksum(&self.0));
        Zeroizing::new(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(&*bytes)))
    }

    /// Its beginning, by which its holder knows it again; says nothing of the rest.
    #[must_use]
    pub fn hint(&self) -> String {
        self.reveal().chars().take(PREFIX.len() + 6).collect()
    }

    /// Its hash.
    #[must_use]
    pub fn hash(&self) -> KeyHash {
        KeyHash(blake3::derive_key("testimony 2026-11-30 api key hash", &*self.0))
    }

    /// The key that seals what is kept with it and only its holder may have read.
    pub(super) fn sealing_key(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(blake3::derive_key("testimony 2026-11-30 api key sealing", &*self.0))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

impl KeyHash {
    /// As hexadecimal digits.
    #[must_use]
    pub fn to_hex(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// From hexadecimal digits.
    #[must_use]
    pub fn from_hex(digits: &str) -> Option<Self> {
        blake3::Hash::from_hex(digits).ok().map(|hash| Self(*hash.as_bytes()))
    }

    /// Whether it is the other, in a time that does not tell where they differ.
    #[must_use]
    pub fn is(self, other: Self) -> bool {
        blake3::Hash::from_bytes(self.0) == blake3::Hash::from_bytes(other.0)
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KeyHash(…)")
    }
}

fn checksum(secret: &[u8; SECRET_BYTES]) -> [u8; 4] {
    crc32fast::hash(secret).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_shown_and_not_otherwise() {
        let key = ApiKey::from_bytes(std::array::from_fn(|place| place as u8 * 7));
        let shown = key.reveal();
        assert!(shown.starts_with("testimony_AAcOFRwj"), "{}", &**shown);
        let again = ApiKey::parse(&shown).expect("a key");
        assert!(again.hash().is(key.hash()));
        assert_eq!(KeyHash::from_hex(&key.hash().to_hex()), Some(key.hash()));
        for place in 0..shown.len() {
            let mut other = shown.as_bytes().to_vec();
            other[place] = if other[place] == b'B' { b'C' } else { b'B' };
            let other = String::from_utf8(other).expect("letters");
            assert!(ApiKey::parse(&other).is_none(), "letter {place} was changed");
        }
        assert!(ApiKey::parse("").is_none());
        assert!(ApiKey::parse(&shown[..shown.len() - 1]).is_none());
        assert!(ApiKey::parse(&format!("{}A", &**shown)).is_none());
        assert_eq!(format!("{key:?} {:?}", key.hash()), "ApiKey(…) KeyHash(…)");
        assert_eq!(key.hint().len(), PREFIX.len() + 6);
    }
}
