//! A directory that the program of version 1 wrote: it is brought up to date, kept beside, and loses nothing.
#![allow(clippy::disallowed_methods, reason = "tests look at files")]

mod fixtures;
mod places;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ledger::conformance::{mark, policy_act, scope, turn};
use ledger::id::{Position, TurnId};
use ledger::log::{Changes, Erasure, Row};
use ledger::resolve::{Policy, select};
use ledger::store::{Erased, Store, StoreErrorKind};
use rusqlite::Connection;
use store_sqlite::SqliteStore;

/// A fresh copy of the directory.
fn written_by_version_1() -> PathBuf {
    fixtures::written_by(1)
}

fn open(directory: &Path) -> SqliteStore {
    SqliteStore::open(directory, fixtures::options()).expect("opened")
}

fn version(database: &Path) -> u32 {
    let connection = Connection::open(database).expect("a database");
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
}

fn kept(directory: &Path) -> PathBuf {
    directory.join("ledger.db.version-1")
}

#[test]
fn it_is_brought_up_to_date_and_kept_beside() {
    let directory = written_by_version_1();
    assert_eq!(version(&directory.join("ledger.db")), 1);
    for round in 0..2 {
        let store = open(&directory);
        let me = scope("me");
        assert!(store.verify(&me).expect("verified").damage.is_empty());
        assert_eq!(store.head(&me).expect("head").watermark, 3);
        let Changes::Appended(entries) = store.changes_since(&me, 0).expect("changes") else {
            panic!("nothing was erased");
        };
        let claims =
            entries.iter().flat_map(|entry| &entry.rows).filter(|(_, row)| matches!(row, Row::Claim(_)));
        assert_eq!(claims.count(), 6);
        assert_eq!(store.policy_acts().expect("acts").len(), round);
        let act = match round {
            0 => policy_act("turn/2", "turn/3", 1),
            _ => policy_act("turn/3", "turn/2", 2),
        };
        assert!(store.record_policy_act(round, &act).expect("recorded"));
    }
    assert_eq!(version(&directory.join("ledger.db")), fixtures::PRESENT);
    assert_eq!(version(&kept(&directory)), 1);
    assert_eq!(fs::metadata(kept(&directory)).expect("kept").mode() & 0o777, 0o600);
    let names: Vec<String> = fs::read_dir(&directory)
        .expect("a directory")
        .map(|item| item.expect("an item").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("version"))
        .collect();
    assert_eq!(names, ["ledger.db.version-1"], "nothing half made is left");
}

#[test]
fn its_turns_are_read_and_select_the_same() {
    let directory = written_by_version_1();
    let store = open(&directory);
    let me = scope("me");
    let turns = store.recent_turns(&me, 10).expect("turns");
    assert_eq!(turns.len(), 4);
    assert_eq!(turns[0].used, [0, 1]);
    let policies: Vec<&str> = turns.iter().map(|turn| turn.record.policy.as_str()).collect();
    assert_eq!(policies, ["turn/1", "turn/2", "turn/2", "turn/2"]);
    for turn in turns.iter().filter(|turn| !turn.record.selected.is_empty()) {
        let record = &turn.record;
        let policy = Policy::named(&record.policy).expect("known");
        let again = select(policy, &record.candidates, record.budget, 0);
        assert_eq!(again.selected, record.selected);
        assert_eq!(again.dropped, record.dropped);
    }
    // What is recorded now stands beside them.
    let id = store.record_turn(&me, mark("turn", 1), &turn(1)).expect("recorded");
    assert_eq!(id, TurnId(Position::new(5, 0)));
    assert_eq!(store.recent_turns(&me, 2).expect("turns")[1].record, turns[0].record);
}

#[test]
fn what_is_kept_beside_goes_with_the_first_erasure() {
    let directory = written_by_version_1();
    let store = open(&directory);
    assert!(kept(&directory).exists());
    // A cut-off opening of another process left its own behind.
    fs::write(directory.join("ledger.db.version-1.new"), b"half").expect("written");
    let erased = store.erase(&scope("me"), 3, mark("erasure", 1), &Erasure::default()).expect("erased");
    assert!(matches!(erased, Erased::Done { residue: 0, .. }), "{erased:?}");
    assert!(!kept(&directory).exists() && !directory.join("ledger.db.version-1.new").exists());
    assert!(store.verify(&scope("me")).expect("verified").damage.is_empty());
}

#[test]
fn a_step_that_fails_leaves_version_1_as_it_was() {
    let directory = written_by_version_1();
    let database = directory.join("ledger.db");
    let connection = Connection::open(&database).expect("a database");
    connection.execute_batch("CREATE TABLE policy_act (somebody_elses INTEGER)").expect("in the way");
    drop(connection);
    assert!(SqliteStore::open(&directory, fixtures::options()).is_err());
    assert_eq!(version(&database), 1);
    let connection = Connection::open(&database).expect("a database");
    connection.execute_batch("DROP TABLE policy_act").expect("out of the way");
    drop(connection);
    // An opening that was cut off before its steps left a copy; the next one makes its own.
    fs::write(kept(&directory), b"half a copy").expect("written");
    let store = open(&directory);
    assert_eq!(store.policy_acts().expect("acts"), Vec::new());
    drop(store);
    assert_eq!((version(&database), version(&kept(&directory))), (fixtures::PRESENT, 1));
}

#[test]
fn many_openings_at_once_bring_it_up_to_date_once() {
    let directory = written_by_version_1();
    std::thread::scope(|threads| {
        for _ in 0..6 {
            threads.spawn(|| {
                let store = open(&directory);
                assert_eq!(store.policy_acts().expect("acts"), Vec::new());
                assert_eq!(store.recent_turns(&scope("me"), 10).expect("turns").len(), 4);
            });
        }
    });
    assert_eq!((version(&directory.join("ledger.db")), version(&kept(&directory))), (fixtures::PRESENT, 1));
}

#[test]
fn a_later_version_is_refused() {
    let directory = written_by_version_1();
    drop(open(&directory));
    let database = directory.join("ledger.db");
    let connection = Connection::open(&database).expect("a database");
    connection.pragma_update(None, "user_version", fixtures::PRESENT + 1).expect("a later version");
    drop(connection);
    let refused = SqliteStore::open(&directory, fixtures::options()).map(drop).expect_err("refused");
    assert_eq!(refused.kind(), StoreErrorKind::Newer);
}

#[test]
fn acts_follow_one_another_whoever_writes() {
    let directory = written_by_version_1();
    let store = open(&directory);
    assert!(store.record_policy_act(0, &policy_act("turn/2", "turn/3", 1)).expect("recorded"));
    drop(store);
    let connection = Connection::open(directory.join("ledger.db")).expect("a database");
    for statement in [
        "INSERT INTO policy_act VALUES (3, 'promote', 'turn/3', 'turn/1', 0, x'00')",
        "INSERT INTO policy_act VALUES (2, 'promote', 'turn/2', 'turn/1', 0, x'00')",
        "INSERT INTO policy_act VALUES (2, 'promote', 'turn/3', 'turn/3', 0, x'00')",
        "INSERT INTO policy_act VALUES (2, 'praise', 'turn/3', 'turn/1', 0, x'00')",
        "UPDATE policy_act SET to_policy = 'turn/1'",
        "DELETE FROM policy_act",
    ] {
        assert!(connection.execute_batch(statement).is_err(), "{statement}");
    }
    drop(connection);
    for (path, bytes) in fs::read_dir(&directory)
        .expect("a directory")
        .map(|item| item.expect("an item").path())
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), fs::read(path).expect("a file")))
    {
        assert!(!bytes.windows(8).any(|window| window == b"measured"), "{}", path.display());
    }
}
