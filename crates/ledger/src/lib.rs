//! See `docs/ARCHITECTURE`.

pub mod assertion;
pub mod quote;
pub mod regions;
pub mod secret;
