//! Directories that programs of earlier versions wrote: each is brought up to date, kept beside, and loses nothing; cut off,
//! it is as it was; put back, it is what it was. A new version adds a directory and a row here.
#![allow(clippy::disallowed_methods, reason = "tests look at files")]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::fixtures;
use crate::places;
use ledger::conformance::{Upon, mark, policy_act, record_turn, scope, turn};
use ledger::id::{Position, TurnId};
use ledger::log::{Changes, Erasure, Row};
use ledger::resolve::{Policy, select};
use ledger::store::{Erased, Store, StoreErrorKind};
use rusqlite::Connection;
use store_sqlite::SqliteStore;

/// What a program of some version wrote, and how much of it must be there afterwards.
struct Written {
    version: u32,
    watermark: u64,
    claims: usize,
    policies: &'static [&'static str],
    acts: usize,
}

/// Every version there was before this program's.
const WRITTEN: [Written; 3] = [
    Written {
        version: 1,
        watermark: 3,
        claims: 6,
        policies: &["turn/1", "turn/2", "turn/2", "turn/2"],
        acts: 0,
    },
    Written {
        version: 2,
        watermark: 4,
        claims: 7,
        policies: &["turn/3", "turn/1", "turn/2", "turn/2", "turn/2"],
        acts: 1,
    },
    Written {
        version: 3,
        watermark: 6,
        claims: 9,
        policies: &["turn/2", "turn/3", "turn/1", "turn/2", "turn/2", "turn/2"],
        acts: 1,
    },
];

/// The version this program writes.
fn current() -> u32 {
    let directory = places::fresh();
    drop(open(&directory));
    version(&directory.join("ledger.db"))
}

/// The versions this program brings up to date.
fn earlier() -> impl Iterator<Item = &'static Written> {
    let current = current();
    assert_eq!(WRITTEN.iter().map(|one| one.version).max(), Some(current), "a version has no directory yet");
    WRITTEN.iter().filter(move |one| one.version < current)
}

/// A fresh copy of the directory of a version.
fn written_by(version: u32) -> PathBuf {
    fixtures::copy_of(&format!("version-{version}"))
}

fn open(directory: &Path) -> SqliteStore {
    SqliteStore::open(directory, fixtures::options()).expect("opened")
}

fn version(database: &Path) -> u32 {
    let connection = Connection::open(database).expect("a database");
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
}

fn kept(directory: &Path, version: u32) -> PathBuf {
    directory.join(format!("ledger.db.version-{version}"))
}

/// Every row of every table, and the tables themselves.
fn contents(database: &Path) -> fixtures::Tables {
    fixtures::tables(&Connection::open(database).expect("a database"))
}

/// Checks that all that was written is there.
fn assert_whole(store: &SqliteStore, written: &Written) {
    let me = scope("me");
    let which = written.version;
    assert_eq!(places::damage(store, &me), [], "version {which}");
    assert_eq!(store.head(&me).expect("head").watermark, written.watermark, "version {which}");
    let Changes::Appended(entries) = store.changes_since(&me, 0).expect("changes") else {
        panic!("nothing was erased");
    };
    let rows = entries.iter().flat_map(|entry| &entry.rows);
    let claims = rows.filter(|(_, row)| matches!(row, Row::Claim(_))).count();
    assert_eq!(claims, written.claims, "version {which}");
    let turns = store.recent_turns(&me, 10).expect("turns");
    let policies: Vec<&str> = turns.iter().map(|turn| turn.record.policy.as_str()).collect();
    assert_eq!(policies, written.policies, "version {which}");
    assert_eq!(store.policy_acts().expect("acts").len(), written.acts, "version {which}");
}

#[test]
fn each_is_brought_up_to_date_and_kept_beside() {
    let current = current();
    for written in &WRITTEN {
        let directory = written_by(written.version);
        let before = contents(&directory.join("ledger.db"));
        assert_eq!(version(&directory.join("ledger.db")), written.version);
        for _ in 0..2 {
            assert_whole(&open(&directory), written);
        }
        assert_eq!(version(&directory.join("ledger.db")), current);
        let names: Vec<String> = fs::read_dir(&directory)
            .expect("a directory")
            .map(|item| item.expect("an item").file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains("version"))
            .collect();
        if written.version == current {
            assert_eq!(names, [""; 0]);
            continue;
        }
        let kept = kept(&directory, written.version);
        assert_eq!(names, [format!("ledger.db.version-{}", written.version)], "nothing half made is left");
        assert_eq!(fs::metadata(&kept).expect("kept").mode() & 0o777, 0o600);
        assert_eq!(contents(&kept), before, "what is kept is what was there");
    }
}

/// Going back, as the guide says: the kept database takes its place again, and is what the earlier program wrote.
#[test]
fn what_was_kept_is_put_back_and_brought_up_to_date_again() {
    for written in earlier() {
        let directory = written_by(written.version);
        let database = directory.join("ledger.db");
        let before = contents(&database);
        let store = open(&directory);
        let acts = written.acts;
        let act = policy_act("turn/3", "turn/1", 9);
        if acts > 0 {
            assert!(store.record_policy_act(acts, &act).expect("recorded"));
        }
        record_turn(&store, &scope("me"), mark("turn", 9), &turn(9)).expect("recorded");
        drop(store);
        for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
            _ = fs::remove_file(directory.join(name));
        }
        fs::rename(kept(&directory, written.version), &database).expect("put back");
        assert_eq!(contents(&database), before, "version {}", written.version);
        assert_whole(&open(&directory), written);
    }
}

#[test]
fn turns_of_each_are_read_and_select_the_same() {
    for written in &WRITTEN {
        let directory = written_by(written.version);
        let store = open(&directory);
        let me = scope("me");
        let turns = store.recent_turns(&me, 10).expect("turns");
        for turn in turns.iter().filter(|turn| !turn.record.selected.is_empty()) {
            let record = &turn.record;
            let policy = Policy::named(&record.policy).expect("known");
            let again = select(policy, &record.candidates, record.budget, 0);
            assert_eq!(again.selected, record.selected);
            assert_eq!(again.dropped, record.dropped);
        }
        // What is recorded now stands beside them.
        let id = record_turn(&store, &me, mark("turn", 1), &turn(1)).expect("recorded");
        assert_eq!(id, TurnId(Position::new(turns.len() as u64 + 1, 0)));
        assert_eq!(store.recent_turns(&me, 2).expect("turns")[1].record, turns[0].record);
    }
}

#[test]
fn what_is_kept_beside_goes_with_the_first_erasure_or_change_of_keys() {
    for written in earlier() {
        for change in 0..3 {
            let directory = written_by(written.version);
            let store = open(&directory);
            let kept = kept(&directory, written.version);
            assert!(kept.exists());
            // A cut-off opening of another process left its own behind.
            let half = directory.join(format!("ledger.db.version-{}.new", written.version));
            fs::write(&half, b"half").expect("written");
            match change {
                0 => {
                    let erased = store.erase(
                        &scope("me"),
                        &store.upon(&scope("me"), written.watermark),
                        mark("erasure", 1),
                        &Erasure::default(),
                    );
                    let erased = erased.expect("erased");
                    assert!(matches!(erased, Erased::Done { residue: 0, .. }), "{erased:?}");
                }
                1 => assert!(store.rotate_groups(None).expect("rotated").finished),
                _ => {
                    let go_on = |_| std::ops::ControlFlow::Continue(());
                    assert!(store.rotate_master(Some(&[8; 32]), go_on).expect("rotated").finished);
                }
            }
            assert!(!kept.exists() && !half.exists(), "change {change}");
            assert_eq!(places::damage(&store, &scope("me")), []);
        }
    }
}

#[test]
fn a_step_that_fails_leaves_version_1_as_it_was() {
    let directory = written_by(1);
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
    fs::write(kept(&directory, 1), b"half a copy").expect("written");
    let store = open(&directory);
    assert_eq!(store.policy_acts().expect("acts"), Vec::new());
    drop(store);
    assert_eq!((version(&database), version(&kept(&directory, 1))), (current(), 1));
}

/// A crash in the middle of the steps: what they wrote is in the log, uncommitted, and the machine stops.
#[test]
fn a_crash_in_the_middle_leaves_the_old_version_whole() {
    for written in earlier() {
        let directory = written_by(written.version);
        let database = directory.join("ledger.db");
        let before = contents(&database);
        let connection = Connection::open(&database).expect("a database");
        connection
            .execute_batch(
                "PRAGMA journal_mode = wal; PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;
                 CREATE TABLE half_done (bytes BLOB); CREATE INDEX half ON half_done (bytes);
                 INSERT INTO half_done SELECT randomblob(4000) FROM entry, claim;
                 DROP TRIGGER entry_is_never_changed; PRAGMA user_version = 77;",
            )
            .expect("the middle of a step");
        let crashed = places::fresh();
        fs::create_dir_all(crashed.join("keys/groups")).expect("a directory");
        for name in ["ledger.db", "ledger.db-wal"] {
            fs::copy(directory.join(name), crashed.join(name)).expect("as the crash left it");
        }
        assert!(
            fs::metadata(crashed.join("ledger.db-wal")).expect("a log").len() > 4_000,
            "nothing was written"
        );
        drop(connection);
        for item in fs::read_dir(directory.join("keys/groups")).expect("keys") {
            let item = item.expect("a key");
            fs::copy(item.path(), crashed.join("keys/groups").join(item.file_name())).expect("a key");
        }
        assert_eq!(version(&crashed.join("ledger.db")), written.version);
        assert_eq!(contents(&crashed.join("ledger.db")), before);
        assert_whole(&open(&crashed), written);
        assert_eq!(version(&crashed.join("ledger.db")), current());
    }
}

#[test]
fn many_openings_at_once_bring_each_up_to_date_once() {
    for written in earlier() {
        let directory = written_by(written.version);
        std::thread::scope(|threads| {
            for _ in 0..6 {
                threads.spawn(|| assert_whole(&open(&directory), written));
            }
        });
        let kept = kept(&directory, written.version);
        assert_eq!((version(&directory.join("ledger.db")), version(&kept)), (current(), written.version));
    }
}

#[test]
fn a_later_version_is_refused() {
    let directory = written_by(1);
    drop(open(&directory));
    let database = directory.join("ledger.db");
    let connection = Connection::open(&database).expect("a database");
    let later = current() + 1;
    connection.pragma_update(None, "user_version", later).expect("a later version");
    drop(connection);
    let bytes = fs::read(&database).expect("read");
    let refused = SqliteStore::open(&directory, fixtures::options()).map(drop).expect_err("refused");
    assert_eq!(refused.kind(), StoreErrorKind::Newer);
    assert!(refused.to_string().contains(&format!("version `{later}`")), "{refused}");
    assert_eq!(fs::read(&database).expect("read"), bytes, "the file was touched");
}

#[test]
fn acts_follow_one_another_whoever_writes() {
    let directory = written_by(1);
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
