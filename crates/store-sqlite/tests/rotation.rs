//! Keys wrapped anew while others read and write, cut off anywhere; and what is left when a key is lost.
#![allow(clippy::disallowed_methods, reason = "tests look at keys and lose them")]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use crate::places;
use ledger::conformance::{Upon, at, first_story, keyed, mark, scope, source, story};
use ledger::id::{Position, SourceId};
use ledger::log::{Batch, Erasure, Removed, Row};
use ledger::scope::Scope;
use ledger::store::{Appended, Erased, Head, Store, StoreError, StoreErrorKind};
use store_sqlite::{GroupState, Options, RotationStep, SqliteStore};
use zeroize::Zeroizing;

fn with_key(key: [u8; 32]) -> Options {
    Options { master_key: Some(Zeroizing::new(key)), ..Options::default() }
}

fn refusal(directory: &Path, options: Options) -> StoreError {
    SqliteStore::open(directory, options).map(drop).expect_err("refused")
}

fn read_key(path: &Path) -> [u8; 32] {
    fs::read(path).expect("a key").try_into().expect("32 bytes")
}

/// Appends as many sources as named to a subject, nothing else.
fn add_sources(store: &SqliteStore, scope: &Scope, count: u64, number: u64) {
    let basis = store.head(scope).expect("head").watermark;
    let rows = (0..count).map(|one| Row::Source(source(&format!("source {number} {one}")))).collect();
    let batch = Batch { recorded_at: at(number), rows };
    assert_eq!(
        store.append(scope, &store.upon(scope, basis), &[keyed(number, batch)]).expect("appended"),
        Appended::Done(basis + 1)
    );
}

/// Forgets the source at `position`, which gives its group a new key.
fn shred(store: &SqliteStore, scope: &Scope, position: Position, number: u64) -> Result<Erased, StoreError> {
    let basis = store.head(scope).expect("head").watermark;
    let erasure = Erasure {
        recorded_at: at(number),
        remove: Removed { sources: vec![position], ..Removed::default() },
        ..Erasure::default()
    };
    store.erase(scope, &store.upon(scope, basis), mark("shred", number), &erasure)
}

/// A store whose subject `ana` has a story at append 1 and thirty sources without words at append 2.
fn begun(directory: &Path, options: Options) -> SqliteStore {
    let store = SqliteStore::open(directory, options).expect("a store");
    store.append(&scope("ana"), &Head::default(), &[keyed(1, first_story(1, 1))]).expect("appended");
    add_sources(&store, &scope("ana"), 30, 2);
    store
}

fn assert_well(store: &SqliteStore) {
    assert_eq!(places::damage(store, &scope("ana")), []);
    assert_eq!(store.unreadable().expect("looked"), []);
}

#[test]
fn the_old_master_key_is_gone_and_opens_nothing() {
    let directory = places::fresh();
    let store = begun(&directory, Options::default());
    let master = directory.join("keys/master.key");
    let old = read_key(&master);
    let mut steps = Vec::new();
    let rotated = store
        .rotate_master(None, |step| {
            steps.push(step);
            ControlFlow::Continue(())
        })
        .expect("rotated");
    assert_eq!((rotated.groups, rotated.keys, rotated.finished, rotated.resumed), (1, 32, true, false));
    let wrapped = RotationStep::Wrapped { done: 1, total: 1 };
    assert_eq!(
        steps,
        [
            RotationStep::Begun,
            wrapped,
            RotationStep::Switched,
            RotationStep::Placed,
            RotationStep::Destroyed,
            RotationStep::Finished,
        ]
    );
    assert_well(&store);
    drop(store);
    assert_ne!(read_key(&master), old);
    let mut names: Vec<String> = fs::read_dir(directory.join("keys"))
        .expect("a directory")
        .map(|item| item.expect("an item").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["groups", "master.key"]);
    assert_eq!(refusal(&directory, with_key(old)).kind(), StoreErrorKind::Key);
    assert_well(&places::open(&directory));
}

/// Whatever the cut, both keys open the store meanwhile, another that was open all along reads, writes and shreds, and
/// beginning again ends with the new key alone.
#[test]
fn cut_off_after_any_step_it_goes_on() {
    for cut in 0..6 {
        let directory = places::fresh();
        let store = begun(&directory, Options::default());
        let other = places::open(&directory);
        let master = directory.join("keys/master.key");
        let old = read_key(&master);
        let mut step = 0;
        let rotated = store
            .rotate_master(None, |_| {
                step += 1;
                if step > cut { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .expect("rotated");
        assert_eq!(rotated.finished, cut == 5, "cut {cut}");
        drop(store);
        // The group's key is made anew by a process that knew only the old master key.
        let erased = shred(&other, &scope("ana"), Position::new(2, cut), 7).expect("erased");
        assert!(matches!(erased, Erased::Done { residue: 0, .. }), "cut {cut}: {erased:?}");
        let basis = other.head(&scope("ana")).expect("head").watermark;
        let batch = story(basis + 1, SourceId(Position::new(1, 0)), 9);
        other.append(&scope("ana"), &other.upon(&scope("ana"), basis), &[keyed(9, batch)]).expect("appended");
        add_sources(&other, &scope("ivo"), 2, 3);
        if cut < 5 {
            assert_well(&SqliteStore::open(&directory, with_key(old)).expect("the old key opens"));
        }
        let now = read_key(&master);
        assert_well(&SqliteStore::open(&directory, with_key(now)).expect("the key on disk opens"));
        let again = places::open(&directory);
        assert_well(&again);
        assert_eq!(again.rotation_is_unfinished(), cut < 5, "cut {cut}");
        if cut < 5 {
            let resumed = again.rotate_master(None, |_| ControlFlow::Continue(())).expect("resumed");
            assert!(resumed.finished && resumed.resumed, "cut {cut}: {resumed:?}");
        }
        drop(again);
        drop(other);
        assert_eq!(refusal(&directory, with_key(old)).kind(), StoreErrorKind::Key, "cut {cut}");
        assert!(
            !directory.join("keys/master.key.retired").exists() && !directory.join("keys/rotation").exists()
        );
        let store = places::open(&directory);
        assert_well(&store);
        assert_eq!(store.subjects().expect("subjects").len(), 2);
    }
}

#[test]
fn a_key_that_is_given_is_changed_for_another() {
    let directory = places::fresh();
    let store = begun(&directory, with_key([1; 32]));
    let other = SqliteStore::open(&directory, with_key([1; 32])).expect("opened");
    other.verify(&scope("ana")).expect("verified");
    let same = store.rotate_master(Some(&[1; 32]), |_| ControlFlow::Continue(())).expect_err("the same key");
    assert_eq!(same.kind(), StoreErrorKind::Key);
    let cut = store.rotate_master(Some(&[2; 32]), |step| match step {
        RotationStep::Switched => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(!cut.expect("begun").finished);
    drop(store);
    // Begun to one key, it cannot be gone on with to another.
    let store = SqliteStore::open(&directory, with_key([1; 32])).expect("opened");
    let refused =
        store.rotate_master(Some(&[3; 32]), |_| ControlFlow::Continue(())).expect_err("another key");
    assert!(refused.to_string().contains("under way"), "{refused}");
    assert!(store.rotate_master(Some(&[2; 32]), |_| ControlFlow::Continue(())).expect("resumed").finished);
    assert!(!directory.join("keys/master.key").exists(), "a key that is given is in no file");
    assert_well(&store);
    drop(store);
    assert_eq!(refusal(&directory, with_key([1; 32])).kind(), StoreErrorKind::Key);

    // Who was open with the old key reads on, and is told what to do when a key must be made.
    assert_eq!(places::damage(&other, &scope("ana")), []);
    let refused = shred(&other, &scope("ana"), Position::new(2, 3), 5).expect_err("no key is made");
    assert_eq!(refused.kind(), StoreErrorKind::Key);
    assert!(refused.to_string().contains("start it again"), "{refused}");
    drop(other);
    let store = SqliteStore::open(&directory, with_key([2; 32])).expect("opened");
    assert_well(&store);
    assert!(matches!(
        shred(&store, &scope("ana"), Position::new(2, 3), 5).expect("erased"),
        Erased::Done { residue: 0, .. }
    ));
}

#[test]
fn a_key_on_disk_is_changed_for_one_that_is_given() {
    let directory = places::fresh();
    let store = begun(&directory, Options::default());
    assert!(!store.master_key_is_given());
    assert!(store.rotate_master(Some(&[4; 32]), |_| ControlFlow::Continue(())).expect("rotated").finished);
    assert!(store.master_key_is_given());
    drop(store);
    assert_eq!(refusal(&directory, Options::default()).kind(), StoreErrorKind::Key);
    assert_well(&SqliteStore::open(&directory, with_key([4; 32])).expect("opened"));
}

#[test]
fn keys_change_again_and_again_while_others_write() {
    let directory = places::fresh();
    let store = begun(&directory, Options::default());
    std::thread::scope(|threads| {
        let writers: Vec<_> = (0..3_u64)
            .map(|writer| {
                let directory = &directory;
                threads.spawn(move || {
                    let store = places::open(directory);
                    let mine = scope(&format!("writer {writer}"));
                    for number in 0..40 {
                        add_sources(&store, &mine, 2, number);
                        if number % 8 == 7 {
                            shred(&store, &mine, Position::new(number - 3, 0), number).expect("erased");
                        }
                    }
                })
            })
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            assert!(store.rotate_master(None, |_| ControlFlow::Continue(())).expect("rotated").finished);
            store.rotate_groups(None).expect("rotated");
        }
        writers.into_iter().for_each(|writer| writer.join().expect("a writer"));
    });
    drop(store);
    let store = places::open(&directory);
    for subject in store.subjects().expect("subjects") {
        assert_eq!(places::damage(&store, &Scope::of(subject)), []);
    }
    assert_eq!(store.subjects().expect("subjects").len(), 4);
    let groups = fs::read_dir(directory.join("keys/groups")).expect("there").count();
    assert_eq!(groups, store.key_groups().expect("groups").len(), "no key outlives its group");
}

#[test]
fn new_group_keys_leave_the_old_ones_useless() {
    let directory = places::fresh();
    let store = begun(&directory, Options::default());
    let before = fs::read(directory.join("keys/groups/1.key")).expect("a key");
    let rotated = store.rotate_groups(Some(&scope("ana"))).expect("rotated");
    assert_eq!((rotated.groups, rotated.keys, rotated.finished), (1, 32, true));
    assert_eq!(store.rotate_groups(Some(&scope("nobody"))).expect("rotated").keys, 0);
    assert!(!directory.join("keys/groups/1.key").exists());
    assert_well(&store);
    let groups = store.key_groups().expect("groups");
    assert_eq!(groups.len(), 1);
    assert_eq!((groups[0].number, groups[0].keys, groups[0].subjects.len()), (2, 32, 1));
    drop(store);
    // The old key in the new one's place opens nothing of what is written now.
    fs::write(directory.join("keys/groups/2.key"), before).expect("written");
    let store = places::open(&directory);
    let refused = store.changes_since(&scope("ana"), 0).map(drop).expect_err("unreadable");
    assert_eq!(refused.kind(), StoreErrorKind::Key);
}

#[test]
fn a_lost_group_key_is_named_and_the_rest_is_read() {
    let directory = places::fresh();
    let store = places::open(&directory);
    // The first thousand keys fill group 1: ana's own and 999 of her sources. Ivo is in group 2.
    add_sources(&store, &scope("ana"), 1_200, 1);
    store.append(&scope("ivo"), &Head::default(), &[keyed(1, first_story(1, 1))]).expect("appended");
    drop(store);
    let lost = directory.join("keys/groups/1.key");
    let key = fs::read(&lost).expect("a key");
    fs::remove_file(&lost).expect("lost");
    let stray = directory.join("keys/groups/77.key");
    fs::write(&stray, [1; 60]).expect("a stray file");

    let store = places::open(&directory);
    assert!(stray.exists(), "keys and database of different dates: nothing may be destroyed");
    let refused = store.changes_since(&scope("ana"), 0).map(drop).expect_err("unreadable");
    assert_eq!(refused.kind(), StoreErrorKind::Key);
    for told in ["keys/groups/1.key", "1000 sources and subjects", "1 subjects"] {
        assert!(refused.to_string().contains(told), "{refused}");
    }
    let subjects = store.subjects().expect("subjects");
    assert_eq!(subjects.iter().map(|subject| subject.as_str()).collect::<Vec<_>>(), ["ivo"]);
    assert_eq!(places::damage(&store, &scope("ivo")), []);
    let unreadable = store.unreadable().expect("looked");
    assert_eq!(unreadable.len(), 1);
    assert!(
        unreadable[0].what.starts_with("is missing: what 1000 sources and subjects said"),
        "{unreadable:?}"
    );
    let states: Vec<GroupState> =
        store.key_groups().expect("groups").iter().map(|group| group.state).collect();
    assert_eq!(states, [GroupState::Missing, GroupState::There]);
    // Others go on, and so does the change of the master key.
    add_sources(&store, &scope("eva"), 1, 1);
    let rotated = store.rotate_master(None, |_| ControlFlow::Continue(())).expect("rotated");
    assert_eq!((rotated.groups, rotated.lost, rotated.finished), (1, 1, true));
    drop(store);

    // A file that is not what was written is told apart from one that is gone.
    fs::write(&lost, key).expect("one of before the change");
    let store = places::open(&directory);
    assert!(!stray.exists());
    let refused = store.changes_since(&scope("ana"), 0).map(drop).expect_err("unreadable");
    assert!(refused.to_string().contains("not what was written"), "{refused}");
    assert_eq!(store.unreadable().expect("looked").len(), 1);
    assert_eq!(store.subjects().expect("subjects").len(), 2);
}

#[test]
fn a_subject_without_a_key_of_its_own_is_taken_out() {
    let directory = places::fresh();
    let store = begun(&directory, Options::default());
    store.append(&scope("ivo"), &Head::default(), &[keyed(1, first_story(1, 1))]).expect("appended");
    drop(store);
    // As a backup is whose keys were copied after ana was forgotten.
    let connection = rusqlite::Connection::open(directory.join("ledger.db")).expect("a connection");
    connection
        .execute_batch("DELETE FROM data_key WHERE subject = 1; UPDATE key_group SET keys = 2")
        .expect("taken out");
    drop(connection);
    let store = places::open(&directory);
    assert_eq!(store.forget_keyless().expect("taken out"), 1);
    assert_eq!(store.forget_keyless().expect("nobody"), 0);
    assert_eq!(store.head(&scope("ana")).expect("head").watermark, 0);
    assert_eq!(store.subjects().expect("subjects").len(), 1);
    assert_eq!(places::damage(&store, &scope("ivo")), []);
    assert_eq!(store.unreadable().expect("looked"), []);
}
