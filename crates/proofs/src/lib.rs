//! What the proofs share: a world to live in (an engine over one of the stores), short ways to speak to it, and the
//! search that looks for words in every file of a data directory; the stories, and the lanes of evaluation.
//! What the proofs share: a world to live in (an engine over one of the stores), short ways to speak to it, a stand-in for
//! an embedding model, and the search that looks for words in every file of a data directory.
//!
//! The proofs themselves are `tests/promises/` and `tests/scenarios/` at the root of the repository. Each runs on every
//! store: [`on_every_store`] writes one test a store from one function.

pub mod failing_store;
pub mod fuzz;
pub mod lanes;
pub mod ordeal;
pub mod passage;
pub mod search;
pub mod simulation;
pub mod story;
pub mod word_hash;
pub mod world;

pub use word_hash::WordHash;
pub use world::{Keeper, World, at, engine_on, fold, message};

/// Writes, for each function, one test for every store. The function takes `&World`, a new one each time.
#[macro_export]
macro_rules! on_every_store {
    ($($(#[$doc:meta])* fn $name:ident($world:ident) $body:block)+) => {
        $($(#[$doc])* fn $name($world: &$crate::World) $body)+

        mod on_reference {
            $(#[test] fn $name() { super::$name(&$crate::World::new($crate::Keeper::Reference)); })+
        }

        mod on_sqlite {
            $(#[test] fn $name() { super::$name(&$crate::World::new($crate::Keeper::Sqlite)); })+
        }
    };
}
