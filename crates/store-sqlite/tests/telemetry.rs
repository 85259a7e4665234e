//! Telemetry on SQLite: the laws, and what becomes of a file that is damaged, held, foreign, newer or gone.
#![allow(unused_qualifications, reason = "the suite names its laws in full")]
#![allow(clippy::disallowed_methods, reason = "files are damaged here on purpose")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::places;
use ledger::conformance::sample_comparison;
use ledger::shadow::{Day, Tally};
use ledger::store::StoreErrorKind;
use ledger::telemetry::Telemetry;
use rusqlite::Connection;
use store_sqlite::SqliteTelemetry;

const TODAY: Day = Day(20_000);

fn place_of_own() -> PathBuf {
    let place = places::fresh();
    fs::create_dir_all(&place).expect("a directory");
    place
}

fn make() -> Box<dyn Telemetry> {
    Box::new(SqliteTelemetry::at(&place_of_own()))
}

fn place() -> Box<dyn Fn() -> Box<dyn Telemetry>> {
    let directory = place_of_own();
    Box::new(move || Box::new(SqliteTelemetry::at(&directory)))
}

ledger::telemetry_suite! { make, reopen: place }

fn record(telemetry: &SqliteTelemetry, number: u32) -> Result<(), StoreErrorKind> {
    let recorded = telemetry.record_shadow(TODAY, &sample_comparison(number), &Tally::default());
    recorded.map_err(|error| error.kind())
}

fn count(telemetry: &SqliteTelemetry) -> u64 {
    telemetry.shadow_row_count().expect("counted")
}

fn database(directory: &Path) -> PathBuf {
    directory.join(SqliteTelemetry::DATABASE)
}

#[test]
fn nothing_is_made_by_looking() {
    let directory = place_of_own();
    let telemetry = SqliteTelemetry::at(&directory);
    assert_eq!(count(&telemetry), 0);
    assert_eq!(telemetry.expire_shadow(TODAY).expect("expired"), 0);
    assert!(!telemetry.shadow_is_off());
    assert_eq!(fs::read_dir(&directory).expect("read").count(), 0);
}

#[test]
fn files_are_the_owners_alone() {
    let directory = place_of_own();
    let telemetry = SqliteTelemetry::at(&directory);
    record(&telemetry, 1).expect("recorded");
    telemetry.switch_shadow(false).expect("switched");
    let mut seen = 0;
    for item in fs::read_dir(&directory).expect("read") {
        let item = item.expect("an item");
        let mode = item.metadata().expect("about it").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", item.path());
        seen += 1;
    }
    assert_eq!(seen, 4, "database, log, shared memory, switch");
}

#[test]
fn a_damaged_file_is_made_anew() {
    let garbage: [&[u8]; 3] = [
        b"this is no database, whatever its name says, and it is long enough to be read",
        &[0xff; 9_000],
        b"x",
    ];
    for bytes in garbage {
        let directory = place_of_own();
        fs::write(database(&directory), bytes).expect("written");
        let telemetry = SqliteTelemetry::at(&directory);
        record(&telemetry, 1).expect("recorded in a new file");
        assert_eq!(count(&telemetry), 1);
    }
    // Damage in the middle of a life: pages of tables are overwritten.
    let directory = place_of_own();
    let telemetry = SqliteTelemetry::at(&directory);
    (0..300).for_each(|number| record(&telemetry, number).expect("recorded"));
    drop(telemetry);
    let mut bytes = fs::read(database(&directory)).expect("read");
    bytes[4_096..].fill(0xa5);
    fs::write(database(&directory), &bytes).expect("written");
    let telemetry = SqliteTelemetry::at(&directory);
    assert!(telemetry.shadow_rows(1_000).is_err(), "the damage is told");
    record(&telemetry, 1).expect("recorded in a new file");
    assert_eq!(count(&telemetry), 1);
    // Tables that are missing are damage too.
    let connection = Connection::open(database(&directory)).expect("opened");
    connection.execute_batch("DROP TABLE shadow_tally; DROP TABLE shadow_row").expect("dropped");
    drop(connection);
    record(&telemetry, 1).expect("recorded in a new file");
    assert_eq!(count(&telemetry), 1);
}

#[test]
fn a_held_file_is_an_error_and_heals() {
    let directory = place_of_own();
    let telemetry = SqliteTelemetry::at(&directory);
    record(&telemetry, 1).expect("recorded");
    let holder = Connection::open(database(&directory)).expect("opened");
    holder.execute_batch("BEGIN IMMEDIATE").expect("held");
    assert_eq!(record(&telemetry, 2), Err(StoreErrorKind::Busy));
    assert_eq!(count(&telemetry), 1, "reading goes on");
    holder.execute_batch("ROLLBACK").expect("let go");
    record(&telemetry, 3).expect("recorded");
    assert_eq!(count(&telemetry), 2);
}

#[test]
fn somebody_elses_file_and_a_newer_one_are_left_alone() {
    for (sql, kind) in [
        (
            "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (7); PRAGMA application_id = 77",
            StoreErrorKind::Permission,
        ),
        (
            "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (7); PRAGMA user_version = 99",
            StoreErrorKind::Newer,
        ),
    ] {
        let directory = place_of_own();
        let theirs = Connection::open(database(&directory)).expect("opened");
        theirs.execute_batch(sql).expect("made");
        let telemetry = SqliteTelemetry::at(&directory);
        assert_eq!(record(&telemetry, 1), Err(kind));
        let kept: i64 = theirs.query_row("SELECT a FROM theirs", [], |row| row.get(0)).expect("kept");
        assert_eq!(kept, 7);
    }
}

#[test]
fn a_file_that_is_gone_or_replaced_is_noticed() {
    let directory = place_of_own();
    let telemetry = SqliteTelemetry::at(&directory);
    record(&telemetry, 1).expect("recorded");
    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(directory.join(format!("{}{ending}", SqliteTelemetry::DATABASE))).expect("removed");
    }
    assert_eq!(count(&telemetry), 0);
    record(&telemetry, 2).expect("recorded in a new file");
    assert_eq!(count(&telemetry), 1);
    assert!(database(&directory).is_file());
}

#[test]
fn a_place_that_cannot_hold_a_file_is_an_error() {
    let directory = place_of_own();
    fs::create_dir(database(&directory)).expect("a directory in its place");
    assert!(record(&SqliteTelemetry::at(&directory), 1).is_err());
    assert!(record(&SqliteTelemetry::at(&directory.join("missing")), 1).is_err());
}

#[test]
fn a_switch_that_cannot_be_looked_at_is_off() {
    let directory = place_of_own();
    let file = directory.join("file");
    fs::write(&file, b"").expect("written");
    assert!(SqliteTelemetry::at(&file).shadow_is_off(), "a path through a file");
    let telemetry = SqliteTelemetry::at(&directory.join("new"));
    telemetry.switch_shadow(false).expect("switched before anything is there");
    let mode = fs::metadata(directory.join("new")).expect("made").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}
