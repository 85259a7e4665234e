//! Every test of this crate in one program: a file is a module, and linking is paid for once.

mod bad_input;
mod drafts;
mod forgetting;
mod help;
mod import;
mod keeping;
mod limits;
mod mcp;
mod mcp_install;
mod memory;
mod model;
mod policies;
mod residue;
mod serve;
#[path = "../../inference/tests/support/mod.rs"]
mod server;
mod shadow;
mod story;
mod stream;
mod study;
mod support;
mod tiers;
mod traces;
