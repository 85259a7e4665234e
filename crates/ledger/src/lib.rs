//! See `docs/ARCHITECTURE`.

pub mod admission;
pub mod registry;
