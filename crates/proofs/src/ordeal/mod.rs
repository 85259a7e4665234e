//! Ordeals: a memory is lived on a disk that fails, or until it is killed, and is examined afterwards.
//!
//! [`Place`] is a data directory on such a disk. [`Life`] does and says things drawn from a seed, and keeps what was
//! answered in a [`Told`]. [`examine`] opens what is left and holds it against that: what was acknowledged is there, what was
//! acknowledged as forgotten is nowhere, and nothing is there by half. The other files are the ordeals themselves, each as a
//! function with a count: tests run a few of each, `cargo run -p proofs --bin ordeal` as many as one likes.

mod cuts;
mod examine;
mod kills;
mod life;
mod nth;
mod place;
mod seeds;
mod served;
mod told;
mod troubled;

pub use cuts::{Cuts, power_cuts};
pub use examine::examine;
pub use kills::{Kills, WRITING, killed_programs, killed_writers};
pub use life::{Life, saying};
pub use nth::{Tried, every_operation};
pub use place::{Place, copy, record_comparison};
pub use seeds::{Seeds, faulty_lives};
pub use served::{Door, End, Serving, ended_servers, serving};
pub use told::{Deed, Outcome, Told};
pub use troubled::{Trouble, Troubled, in_namespace, troubled_server};
