//! Randomness: salts, nonces and keys. One draw from the operating system seeds a stream for one piece of work.

use ledger::store::{StoreError, StoreErrorKind};
use zeroize::{Zeroize, Zeroizing};

/// A stream of random bytes, seeded anew from the operating system for each append.
pub(crate) struct Chance(blake3::OutputReader);

impl Chance {
    /// A fresh stream.
    #[allow(
        clippy::disallowed_methods,
        reason = "the key store draws salts, nonces and keys here and nowhere else"
    )]
    pub(crate) fn draw() -> Result<Self, StoreError> {
        let mut seed = Zeroizing::new([0_u8; 32]);
        getrandom::fill(seed.as_mut()).map_err(|error| {
            StoreError::new(StoreErrorKind::Io, "the operating system gives no random bytes").caused_by(error)
        })?;
        Ok(Self(blake3::Hasher::new_keyed(&seed).finalize_xof()))
    }

    /// The next bytes.
    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0_u8; N];
        self.0.fill(&mut bytes);
        bytes
    }

    /// The next 32 bytes, wiped when dropped.
    pub(crate) fn secret(&mut self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.bytes())
    }
}

impl Drop for Chance {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
