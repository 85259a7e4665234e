//! See `docs/ARCHITECTURE`.

pub mod propose;
