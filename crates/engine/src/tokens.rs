//! Counting tokens with a real vocabulary, so that a budget means what the caller's model will see.

use ledger::packet::TokenCounter;

/// Counts with the `cl100k_base` vocabulary, which ships inside the crate. Other models' counts differ by some per cent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokens;

impl TokenCounter for Tokens {
    fn count(&self, text: &str) -> u32 {
        bpe_openai::cl100k_base().count(text) as u32
    }
}
