//! Every test of this crate in one program: a file is a module, and linking is paid for once.

mod connections;
mod house;
mod http;
mod isolation;
mod mcp;
mod openapi;
mod traces;
