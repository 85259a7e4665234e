//! Data directories as programs of earlier versions left them.

use std::io::Read;
use std::path::Path;

use proofs::ordeal::{Place, copy};
use store_sqlite::Options;

/// Every one that is kept, with the version of its tables, its last append and its turns.
pub(crate) const EARLIER: [(&str, u32, u64, usize); 3] =
    [("version-1", 1, 3, 4), ("version-2", 2, 4, 5), ("version-2-tombstones", 2, 4, 1)];

/// A fresh copy of the directory of this name.
pub(crate) fn copy_of(name: &str) -> Place {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store-sqlite/tests/fixtures").join(name);
    let place = Place::new();
    copy(&fixture.join("groups"), &place.directory().join("keys/groups"));
    let compressed = std::fs::read(fixture.join("ledger.db.gz")).expect("the fixture");
    let mut database = Vec::new();
    flate2::read::GzDecoder::new(&*compressed).read_to_end(&mut database).expect("whole");
    #[allow(clippy::disallowed_methods, reason = "a fixture is laid out")]
    std::fs::write(place.directory().join("ledger.db"), database).expect("written");
    place
}

/// With the key that they were made with.
pub(crate) fn options() -> Options {
    Options { master_key: Some([7; 32].into()), ..Options::default() }
}
