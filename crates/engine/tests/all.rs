//! Every test of this crate in one program: a file is a module, and linking is paid for once.

mod hostile;
mod hybrid;
mod import;
mod lexical;
mod processes;
mod propose;
mod propose_model;
mod story;
