//! Every test of this crate in one program: a file is a module, and linking is paid for once.

mod adjudication;
mod admission;
mod assertion;
mod common;
mod gate;
mod gate_fields;
mod quote;
mod regions;
mod registry;
mod secret;
mod written;
