//! A directory that the program of version 2 wrote: its tombstones go on keeping words out, and can be lifted.
#![allow(clippy::disallowed_methods, reason = "tests look at files")]

use std::path::Path;

use crate::fixtures;
use crate::places;
use ledger::conformance::{Upon, at, keyed, leaving, lifting, mark, scope};
use ledger::log::{Changes, Erasure, Lift, Tombstone};
use ledger::receipt::first_broken;
use ledger::scope::Scope;
use ledger::store::{Appended, Erased, Store};
use rusqlite::Connection;
use store_sqlite::SqliteStore;

fn open(directory: &Path) -> SqliteStore {
    SqliteStore::open(directory, fixtures::options()).expect("opened")
}

fn version(database: &Path) -> u32 {
    let connection = Connection::open(database).expect("a database");
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
}

fn barred(store: &SqliteStore) -> Vec<bool> {
    let marks = [mark("moment", 2), mark("text", 2), mark("source", 9)];
    store.forgotten(&scope("me"), &marks).expect("forgotten")
}

fn lift(store: &SqliteStore, me: &Scope, lift: Lift) {
    let basis = store.head(me).expect("head").watermark;
    let batch = lifting(70 + basis, lift);
    let appended = store.append(me, &store.upon(me, basis), &[keyed(100 + basis, batch)]).expect("appended");
    assert_eq!(appended, Appended::Done(basis + 1));
}

#[test]
fn it_is_brought_up_to_date_and_kept_beside() {
    let directory = fixtures::copy_of("version-2-tombstones");
    let database = directory.join("ledger.db");
    assert_eq!(version(&database), 2);
    let me = scope("me");
    let mut seen = None;
    for _ in 0..2 {
        let store = open(&directory);
        assert_eq!(places::damage(&store, &me), []);
        assert_eq!(store.head(&me).expect("head").watermark, 4);
        assert_eq!(store.recent_turns(&me, 9).expect("turns").len(), 1);
        assert_eq!(store.policy_acts().expect("acts").len(), 1);
        assert_eq!(store.destructions().expect("records"), []);
        assert_eq!(barred(&store), [true; 3]);
        let changes = store.changes_since(&me, 0).expect("changes");
        assert!(matches!(&changes, Changes::Appended(entries) if entries.len() == 4));
        assert!(seen.is_none_or(|seen| seen == changes), "the second opening reads the same");
        seen = Some(changes);
    }
    assert!(version(&database) > 2);
    assert_eq!(version(&directory.join("ledger.db.version-2")), 2);
}

#[test]
fn what_it_kept_out_is_lifted_all_together_or_by_its_marks() {
    let me = scope("me");
    let directory = fixtures::copy_of("version-2-tombstones");
    let store = open(&directory);
    // It did not write down whose words they were; only a whole source is known by its own mark.
    let of_source = Lift::Source(mark("source", 9));
    assert_eq!(store.tombstones(&me, &of_source).expect("counted"), 1);
    assert_eq!(store.tombstones(&me, &Lift::Everything).expect("counted"), 3);
    lift(&store, &me, of_source);
    assert_eq!(barred(&store), [true, true, false]);
    lift(&store, &me, Lift::Marks(vec![mark("text", 2)]));
    assert_eq!(barred(&store), [true, false, false]);
    lift(&store, &me, Lift::Everything);
    assert_eq!(barred(&store), [false; 3]);
    assert_eq!(places::damage(&store, &me), []);
}

#[test]
fn a_tombstone_that_is_laid_again_learns_its_source() {
    let me = scope("me");
    let directory = fixtures::copy_of("version-2-tombstones");
    let store = open(&directory);
    let tombstone = Tombstone { source: mark("source", 1), mark: mark("moment", 2) };
    let again = Erasure { recorded_at: at(60), tombstones: vec![tombstone], ..Erasure::default() };
    store.erase(&me, &store.upon(&me, 4), mark("erasure", 2), &again).expect("erased");
    assert_eq!(store.tombstones(&me, &Lift::Source(mark("source", 1))).expect("counted"), 1);
    assert!(!directory.join("ledger.db.version-2").exists(), "the copy goes with the first erasure");
}

#[test]
fn what_it_wrote_can_be_forgotten_whole() {
    let me = scope("me");
    let directory = fixtures::copy_of("version-2-tombstones");
    let store = open(&directory);
    let erased = store.erase_subject(&me, &leaving(&me, &[])).expect("erased");
    assert!(matches!(erased, Erased::Done { residue: 0, rows: 9, .. }), "{erased:?}");
    let records = store.destructions().expect("records");
    assert_eq!((records.len(), records[0].watermark, first_broken(&records)), (1, 4, None));
    assert_eq!(barred(&store), [true; 3]);
}

#[test]
fn records_of_destroyed_subjects_follow_one_another_whoever_writes() {
    let directory = fixtures::copy_of("version-2-tombstones");
    let store = open(&directory);
    for name in ["me", "you"] {
        store.found(&scope(name)).expect("there");
        store.erase_subject(&scope(name), &leaving(&scope(name), &[])).expect("erased");
    }
    assert_eq!(store.destructions().expect("records").len(), 2);
    drop(store);
    let connection = Connection::open(directory.join("ledger.db")).expect("a database");
    for statement in [
        "INSERT INTO destruction SELECT 4, subject_mark, by_mark, at, watermark, tip, sources, evidence, facts, claims,
         acts, transitions, zeroblob(32) FROM destruction WHERE number = 1",
        "INSERT INTO destruction SELECT 2, subject_mark, by_mark, at, watermark, tip, sources, evidence, facts, claims,
         acts, transitions, zeroblob(32) FROM destruction WHERE number = 1",
        "UPDATE destruction SET claims = 0",
        "DELETE FROM destruction",
    ] {
        assert!(connection.execute_batch(statement).is_err(), "{statement}");
    }
}
