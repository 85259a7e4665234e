//! Every test of this crate in one program: a file is a module, and linking is paid for once.

mod formats;
mod hostile;
mod rules;
mod samples;
mod support;
mod targets;
