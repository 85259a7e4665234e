//! Every test of this crate in one program: a file is a module, and linking is paid for once.

mod recorded;
mod support;
mod tiers;
mod wire;
