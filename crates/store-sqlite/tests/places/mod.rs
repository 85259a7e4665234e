//! Directories for tests, named after the test so that a later run takes the place of an earlier one.
#![allow(dead_code, reason = "each test program takes what it needs")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ledger::scope::Scope;
use ledger::store::{Damage, Store as _};
use store_sqlite::{Options, SqliteStore};

/// An empty place; nothing is there yet, not even the directory.
pub fn fresh() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let test = std::thread::current().name().unwrap_or("main").replace("::", "-");
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let place =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{test}-{number}", env!("CARGO_CRATE_NAME")));
    if place.exists() {
        std::fs::remove_dir_all(&place).expect("an old place is removed");
    }
    place
}

/// What is damaged of a subject's log, and of the file that it shares with others.
pub fn damage(store: &SqliteStore, scope: &Scope) -> Vec<Damage> {
    let mut damage = store.verify(scope).expect("verified").damage;
    damage.extend(store.verify_shared().expect("looked at"));
    damage
}

/// The store in `directory`.
pub fn open(directory: &Path) -> SqliteStore {
    SqliteStore::open(directory, Options::default()).expect("a store")
}
