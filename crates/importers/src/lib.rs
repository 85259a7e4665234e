//! See `docs/ARCHITECTURE`.
