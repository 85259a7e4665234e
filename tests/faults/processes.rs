//! Several processes on one directory.

use std::process::Command;

use engine::forget::Forget;
use proofs::ordeal::saying;
use proofs::{Keeper, World};

use crate::programs::WRITER;

/// What another process reads there, after it has opened the store and before it closes it.
fn read_by_another(world: &World) -> String {
    let output = Command::new(WRITER).arg(world.directory()).args(["read", "me"]).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// A process that forgets, reads every file, and its own database among them. Whoever opens and closes the store then may not
/// take the log away from under it.
#[test]
fn a_process_that_forgot_keeps_its_log_when_others_come_and_go() {
    let world = World::new(Keeper::Sqlite);
    let say = |number| {
        let message = saying("c1", number);
        let call = world.call("2026-05-01");
        let observed =
            world.engine.observe(call, vec![message], Default::default()).expect("taken").remove(0);
        observed.evidence.expect("an id")
    };
    let first = say(1);
    say(2);
    let forget = Forget::Ids(vec![first]);
    assert_eq!(world.engine.forget(world.call("2026-05-01"), &forget, false).expect("forgotten").residue, 0);
    say(3);
    let read = read_by_another(&world);
    assert!(
        read.contains("puzzle 2.") && read.contains("puzzle 3.") && !read.contains("puzzle 1."),
        "{read}"
    );
    say(4);
    let read = read_by_another(&world);
    assert!(read.contains("puzzle 3.") && read.contains("puzzle 4."), "{read}");
    assert!(world.engine.verify(world.call("2026-05-01")).expect("verified").ok);
}
