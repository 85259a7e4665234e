//! See `docs/ARCHITECTURE`.
pub mod entity;
pub mod value;
pub mod written;
