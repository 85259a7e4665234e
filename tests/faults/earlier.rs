//! Data directories as programs of earlier versions left them.

#[path = "../../crates/store-sqlite/tests/fixtures/kept.rs"]
mod kept;

use proofs::ordeal::Place;
use store_sqlite::Options;

pub(crate) use kept::{Tables, tables};

/// Every one that is kept, with the version of its tables, its last append and its turns.
pub(crate) const EARLIER: [(&str, u32, u64, usize); 3] =
    [("version-1", 1, 3, 4), ("version-2", 2, 4, 5), ("version-2-tombstones", 2, 4, 1)];

/// A fresh copy of the directory of this name.
pub(crate) fn copy_of(name: &str) -> Place {
    let place = Place::new();
    kept::lay_out(name, place.directory());
    place
}

/// With the key that they were made with.
pub(crate) fn options() -> Options {
    Options { master_key: Some([7; 32].into()), ..Options::default() }
}
