//! The least that must work.
use ledger::scope::{Scope, Subject};
use ledger::store::Store;
use store_sqlite::{Options, SqliteStore};

#[test]
fn opens() {
    let directory = tempfile::tempdir().expect("a directory");
    let scope = Scope::of(Subject::parse("ana").expect("a name"));
    let store = SqliteStore::open(&directory.path().join("data"), Options::default()).expect("a store");
    store.found(&scope).expect("keys");
    assert_eq!(store.subjects().expect("subjects").len(), 1);
    assert!(store.verify(&scope).expect("verified").damage.is_empty());
}
