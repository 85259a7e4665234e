//! See `docs/ARCHITECTURE`.

pub mod lexical;
