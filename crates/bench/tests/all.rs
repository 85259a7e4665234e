//! Every test of this crate in one program: a file is a module, and linking is paid for once.

mod embedding;
mod forget;
mod gate;
mod hammer;
mod imports;
mod peps;
mod policies;
mod retrieval;
mod shadow;
mod speed;
mod vectors;
