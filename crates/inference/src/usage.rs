//! What calls to models cost.

/// What calls to models cost, in tokens and calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Tokens read; 0 where the provider does not say.
    pub input_tokens: u64,
    /// Tokens written; 0 where the provider does not say.
    pub output_tokens: u64,
    /// Requests sent, retries included.
    pub calls: u32,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.calls += other.calls;
    }
}
