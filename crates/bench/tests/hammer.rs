//! Many writers on one subject: no acknowledged write is lost, the log has no gaps, every turn can be replayed.

use std::path::Path;

use bench::hammer::{Load, processes, threads};
use bench::stores::StoreKind;

const LOAD: Load = Load { writers: 8, appends: 160, appends_per_turn: 5 };

#[test]
fn eight_threads() {
    for kind in StoreKind::ALL {
        let place = tempfile::tempdir().expect("a directory");
        let found = threads(*kind, place.path(), LOAD).expect("hammered");
        assert_eq!(found.broken(LOAD), Vec::<String>::new(), "{kind:?}");
        assert_eq!((found.acknowledged, found.watermark, found.turns), (160, 160, 32), "{kind:?}");
    }
}

#[test]
fn eight_processes_on_one_directory() {
    let place = tempfile::tempdir().expect("a directory");
    let program = Path::new(env!("CARGO_BIN_EXE_bench"));
    let found = processes(program, place.path(), LOAD).expect("hammered");
    assert_eq!(found.broken(LOAD), Vec::<String>::new());
    assert_eq!((found.acknowledged, found.watermark, found.turns), (160, 160, 32));
}
