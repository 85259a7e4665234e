//! Programs killed in the middle of their work, at random and at every instant that has a name.

use std::path::Path;
use std::process::{Command, Stdio};

use ledger::store::Store;
use proofs::ordeal::{End, Place, WRITING, ended_servers, killed_programs, killed_writers, serving};
use proofs::world::scope;
use store_sqlite::failpoint::{Failpoint, VARIABLE};
use store_sqlite::{Options, SqliteStore};

use crate::earlier;
use crate::programs::{WRITER, testimony};

#[test]
fn a_process_with_sixteen_writers() {
    let kills = killed_writers(Path::new(WRITER), 1, 6, 16, None).expect("nothing is lost");
    assert!(kills.acknowledged > 10, "{kills:?}");
    assert!(kills.opening_ms_max < 2_000, "{kills:?}");
}

#[test]
fn many_processes_of_the_program() {
    let kills = killed_programs(&testimony(), 1, 2, 16).expect("nothing is lost");
    assert!(kills.acknowledged > 1, "{kills:?}");
}

#[test]
fn a_server_with_sixteen_clients() {
    let kills = ended_servers(&testimony(), 1, 3, 16, End::Killed).expect("nothing is lost");
    assert!(kills.acknowledged > 1, "{kills:?}");
    assert!(kills.opening_ms_max < 2_000, "{kills:?}");
}

#[test]
fn a_server_that_is_asked_to_end_answers_what_it_took_in() {
    let ends = ended_servers(&testimony(), 2, 2, 16, End::Asked).expect("nothing is lost");
    assert!(ends.acknowledged > 1, "{ends:?}");
}

/// The rest, each with what leads there.
const ELSEWHERE: [(Failpoint, &str); 6] = [
    (Failpoint::VectorsMade, "embed"),
    (Failpoint::VectorsWritten, "embed"),
    (Failpoint::Telemetry, "compare"),
    (Failpoint::MigrationCopied, "migrate"),
    (Failpoint::MigrationStepped, "migrate"),
    (Failpoint::Migrated, "migrate"),
];

#[test]
fn a_writer_that_ends_at_each_instant() {
    for point in WRITING {
        killed_writers(Path::new(WRITER), 7, 2, 4, Some(point)).unwrap_or_else(|what| panic!("{what}"));
    }
    let tried = WRITING.len() + ELSEWHERE.len();
    assert_eq!(tried, Failpoint::ALL.len(), "an instant without a proof");
}

#[test]
fn a_server_that_ends_at_each_instant() {
    for point in serving() {
        ended_servers(&testimony(), 7, 1, 4, End::At(point)).unwrap_or_else(|what| panic!("{what}"));
    }
}

#[test]
fn what_is_beside_the_writer_ends_at_each_instant() {
    for (point, what) in ELSEWHERE {
        let place = if what == "migrate" { earlier::copy_of("version-1") } else { Place::new() };
        if what != "migrate" {
            let writer = Command::new(WRITER).arg(place.directory()).args(["say", "20"]).status();
            assert!(writer.expect("it runs").success());
        }
        let run = |fail: bool| {
            let mut command = Command::new(WRITER);
            command
                .arg(place.directory())
                .args([what, "wordhash/1"])
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            if fail {
                command.env(VARIABLE, format!("{point:?}"));
            }
            command.status().expect("it runs")
        };
        assert!(!run(true).success(), "{point:?} was never passed");
        assert!(run(false).success(), "{point:?}: it does not go on");
        let options = if what == "migrate" { earlier::options() } else { Options::default() };
        let store = SqliteStore::open(place.directory(), options).expect("opened");
        let verified = store.verify(&scope("me")).expect("verified");
        assert!(verified.damage.is_empty(), "{point:?}: {verified:?}");
        assert!(verified.appends > 0, "{point:?}: {verified:?}");
    }
}
