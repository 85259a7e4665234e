//! Damage and tampering: named by verification, place by place, and never a panic.
#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::places;
use ledger::conformance::{Upon, first_story, keyed, scope, story};
use ledger::id::{EvidenceId, Position, SourceId};
use ledger::store::{Appended, Rows, Store, StoreErrorKind};
use rusqlite::Connection;
use store_sqlite::{Options, SqliteStore, Synchronous};

/// A closed store of one subject with six appends.
fn written() -> PathBuf {
    let directory = places::fresh();
    let store = places::open(&directory);
    let ana = scope("ana");
    for seq in 1..=6 {
        let batch =
            if seq < 3 { first_story(seq, seq) } else { story(seq, SourceId(Position::new(1, 0)), seq) };
        let appended =
            store.append(&ana, &store.upon(&ana, seq - 1), &[keyed(seq, batch)]).expect("appended");
        assert_eq!(appended, Appended::Done(seq));
    }
    directory
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for item in fs::read_dir(from).expect("a directory") {
        let item = item.expect("an item");
        if item.path().is_dir() {
            copy(&item.path(), &to.join(item.file_name()));
        } else if item.file_name() != "ballast" {
            fs::copy(item.path(), to.join(item.file_name())).expect("copied");
        }
    }
    // Laying down the ballast takes longer than all else; one without content does here.
    let ballast = fs::File::create(to.join("ballast")).expect("a file");
    ballast.set_len(16 << 20).expect("a length");
}

/// Somebody with the file and SQL, who takes the triggers away and puts them back.
fn tamper(directory: &Path, sql: &str) {
    let connection = Connection::open(directory.join("ledger.db")).expect("a connection");
    let mut select =
        connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").expect("schema");
    let triggers =
        select.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).expect("rows");
    let triggers: Vec<_> = triggers.collect::<Result<_, _>>().expect("triggers");
    connection.execute_batch("PRAGMA foreign_keys = OFF").expect("off");
    for (name, _) in &triggers {
        connection.execute_batch(&format!("DROP TRIGGER {name}")).expect("dropped");
    }
    connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    for (_, create) in &triggers {
        connection.execute_batch(create).expect("made again");
    }
}

#[test]
fn every_tampering_is_named() {
    let table = [
        ("a quote moved", "UPDATE claim SET quote_start = 1 WHERE seq = 3", "row 3.2"),
        ("confidence raised", "UPDATE claim SET confidence_permille = 1000 WHERE seq = 3", "row 3.2"),
        ("an author changed", "UPDATE evidence SET author = 'external' WHERE seq = 3", "row 3.0"),
        ("a time changed", "UPDATE evidence SET event_time = event_time + 1 WHERE seq = 3", "row 3.0"),
        ("a mark changed", "UPDATE evidence SET text_mark = zeroblob(16) WHERE seq = 3", "row 3.0"),
        ("a transition turned", "UPDATE transition SET standing = 'retired' WHERE seq = 3", "row 3.3"),
        ("support taken away", "DELETE FROM support WHERE seq = 3", "row 3.3"),
        ("support of nothing", "INSERT INTO support VALUES (1, 3, 9, 0, 1, 3, 2)", "support"),
        ("a fact renamed", "UPDATE fact SET predicate = 'dislikes' WHERE seq = 3", "row 3.1"),
        ("a row taken out", "DELETE FROM transition WHERE seq = 3", "row 3.3"),
        (
            "a row put in",
            "INSERT INTO fact SELECT subject, seq, 50, realm, predicate, zeroblob(16), salt FROM fact
            WHERE seq = 3",
            "row 3.50",
        ),
        ("a row past the end", "UPDATE fact SET seq = 70 WHERE seq = 6", "fact"),
        (
            "sealed words of another row",
            "UPDATE evidence SET words = (SELECT words FROM evidence WHERE seq = 4)
            WHERE seq = 3",
            "row 3.0",
        ),
        (
            "a sealed text of another row",
            "UPDATE evidence SET text = (SELECT text FROM evidence WHERE seq = 4)
            WHERE seq = 3",
            "row 3.0",
        ),
        ("words in the place of a text", "UPDATE evidence SET text = words WHERE seq = 3", "row 3.0"),
        ("no text", "UPDATE evidence SET text = NULL WHERE seq = 3", "row 3.0"),
        ("an empty text", "UPDATE evidence SET text = zeroblob(0) WHERE seq = 3", "row 3.0"),
        ("a blank", "UPDATE claim SET words = zeroblob(90) WHERE seq = 3", "row 3.2"),
        ("a row moved", "UPDATE fact SET ordinal = 40 WHERE seq = 3", "row 3.40"),
        ("a date of an append", "UPDATE entry SET recorded_at = 0 WHERE seq = 4", "append 4"),
        ("a hash", "UPDATE entry SET hash = zeroblob(32) WHERE seq = 4", "append 4"),
        (
            "commitments swapped",
            "UPDATE entry SET commitments = (SELECT commitments FROM entry WHERE seq = 5)
            WHERE seq = 4",
            "append 4",
        ),
        ("an erasure made up", "UPDATE entry SET orphaned = x'010304' WHERE seq = 4", "append 4"),
        ("a list that is none", "UPDATE entry SET orphaned = x'FFFFFFFF' WHERE seq = 4", "append 4"),
        ("an append taken out", "DELETE FROM entry WHERE seq = 4", "append 4"),
        (
            "a key of another source",
            "UPDATE data_key SET wrapped = (SELECT wrapped FROM data_key WHERE source_seq = 2)
            WHERE source_seq = 1",
            "row 1.0",
        ),
        ("a key taken out", "DELETE FROM data_key WHERE source_seq = 1", "row 1.0"),
        ("a trigger taken away", "CREATE TABLE another (a)", "schema `another`"),
    ];
    let original = written();
    for (what, sql, place) in table {
        let directory = places::fresh();
        copy(&original, &directory);
        tamper(&directory, sql);
        let store = places::open(&directory);
        let damage = places::damage(&store, &scope("ana"));
        let named = damage.iter().any(|damage| damage.place == place);
        assert!(named, "{what}: {place} is not in {damage:?}");
    }
}

#[test]
fn a_trigger_taken_away_is_named() {
    let directory = written();
    let connection = Connection::open(directory.join("ledger.db")).expect("a connection");
    connection.execute_batch("DROP TRIGGER claim_stands_on_its_evidence").expect("dropped");
    drop(connection);
    let store = places::open(&directory);
    // All subjects share the schema, and it is looked at once for all of them.
    assert_eq!(store.verify(&scope("ana")).expect("verified").damage, []);
    let damage = store.verify_shared().expect("looked at");
    assert_eq!(damage.len(), 1);
    assert_eq!(damage[0].place, "schema `claim_stands_on_its_evidence`");
}

#[test]
fn a_flipped_byte_is_refused_named_or_harmless() {
    let original = written();
    let ana = scope("ana");
    let bytes = fs::read(original.join("ledger.db")).expect("the database");
    let ids: Vec<EvidenceId> =
        (1..=6).map(|seq| EvidenceId(Position::new(seq, u32::from(seq < 3)))).collect();
    let answers = |store: &SqliteStore| -> Result<String, ledger::store::StoreError> {
        let changes = store.changes_since(&ana, 0)?;
        Ok(format!("{:?} {changes:?} {:?}", store.head(&ana)?, store.evidence(&ana, &ids)?))
    };
    let expected = answers(&places::open(&original)).expect("answers");
    let directory = places::fresh();
    let (mut refused, mut named, mut harmless) = (0, 0, 0);
    // A stride that is no divisor of a page's length goes through every part of a page.
    for place in (0..bytes.len()).step_by(1_499) {
        let _ = fs::remove_dir_all(&directory);
        copy(&original, &directory);
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x55;
        fs::write(directory.join("ledger.db"), damaged).expect("damaged");
        let options = Options { synchronous: Synchronous::Off, ..Options::default() };
        let store = match SqliteStore::open(&directory, options) {
            Ok(store) => store,
            Err(error) => {
                let kinds =
                    [StoreErrorKind::Damaged, StoreErrorKind::Key, StoreErrorKind::Newer, StoreErrorKind::Io];
                assert!(kinds.contains(&error.kind()), "byte {place}: {:?} {error}", error.kind());
                refused += 1;
                continue;
            }
        };
        let answered = answers(&store);
        match (store.verify(&ana), store.verify_shared()) {
            (Err(_), _) | (_, Err(_)) => refused += 1,
            (Ok(verified), Ok(shared)) if !verified.damage.is_empty() || !shared.is_empty() => named += 1,
            _ => {
                let answered = answered.unwrap_or_else(|error| panic!("byte {place} is not named: {error}"));
                // A subject that is no longer found is a subject that never was; its name is in nobody's list then.
                if answered != expected {
                    let found = store.subjects().is_ok_and(|subjects| subjects.contains(ana.subject()));
                    assert!(!found, "byte {place} changes an answer and is not named");
                }
                harmless += 1;
            }
        }
    }
    println!("{refused} refused, {named} named, {harmless} harmless");
    assert!(refused > 0 && named > 0);
}

#[test]
fn flipped_keys_are_said_to_be_wrong() {
    let original = written();
    for name in ["keys/master.key", "keys/groups/1.key"] {
        for place in [0, 13, 31] {
            let directory = places::fresh();
            copy(&original, &directory);
            let path = directory.join(name);
            let mut bytes = fs::read(&path).expect("a key");
            bytes[place] ^= 1;
            fs::write(&path, bytes).expect("damaged");
            let error = match SqliteStore::open(&directory, Options::default()) {
                Err(error) => error,
                Ok(store) => store.changes_since(&scope("ana"), 0).map(drop).expect_err(name),
            };
            assert_eq!(error.kind(), StoreErrorKind::Key, "{name} {place}: {error}");
        }
    }
}

#[test]
fn rows_that_went_missing_are_never_passed_over_in_silence() {
    let original = written();
    for (what, sql) in [
        ("a claim", "DELETE FROM support WHERE seq = 4; DELETE FROM claim WHERE seq = 4"),
        ("a transition", "DELETE FROM support WHERE seq = 4; DELETE FROM transition WHERE seq = 4"),
        ("a message", "DELETE FROM evidence WHERE seq = 4"),
        ("an append in the middle", "DELETE FROM entry WHERE seq = 4"),
    ] {
        let directory = places::fresh();
        copy(&original, &directory);
        tamper(&directory, sql);
        let store = places::open(&directory);
        for rows in [Rows::All, Rows::Folded, Rows::Messages, Rows::MessagesOf(SourceId(Position::new(1, 0)))]
        {
            let error = store.read_changes(&scope("ana"), 0, rows, &mut |_| {}).expect_err(what);
            assert_eq!(error.kind(), StoreErrorKind::Damaged, "{what}: {error}");
        }
    }
}
