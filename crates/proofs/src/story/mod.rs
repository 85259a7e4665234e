//! Stories: what happens to a memory, step by step, in lines that anybody can read.
//!
//! `scenarios/` holds whole stories with all that comes of them; the cases of `evaluation/lanes/` are short ones with a few
//! questions. Both speak this language, and one player plays them on every store.

mod gate;
pub mod play;
pub mod script;

pub use play::{Player, play};
pub use script::{Script, Step};
