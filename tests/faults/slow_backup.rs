//! A backup on disks that fail, at every operation of the database's files: of the memory that is copied, and of the copy.

use std::ops::ControlFlow;

use faults::{Fault, When};
use proofs::ordeal::{Deed, Life, Place};
use store_sqlite::Options;
use testimony::backup::{Backup, Keys, check, take};

/// Which of the two disks fails.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Failing {
    Memory,
    Copy,
}

#[test]
fn it_is_whole_or_it_is_not_there() {
    for failing in [Failing::Memory, Failing::Copy] {
        for (fault, lasting) in [(Fault::Device, false), (Fault::NoSpace, true)] {
            let failed = every_operation(failing, fault, lasting);
            // Reading needs no room, so a full disk under the memory is no hindrance.
            if failing == Failing::Copy || fault == Fault::Device {
                assert!(failed > 0, "{failing:?} {fault:?}: nothing ever failed");
            }
        }
    }
}

/// Takes a copy with the n-th operation failing, and with `lasting` all after it, for every n; how many were not taken.
fn every_operation(failing: Failing, fault: Fault, lasting: bool) -> u64 {
    let memory = Place::new();
    let mut life = Life::new(&memory, Options::default(), 7);
    for number in 0..6 {
        assert!(life.attempt(Deed::Say { subject: number as usize % 2, number }).expect("said"));
    }
    life.close();
    let mut not_taken = 0;
    for nth in 1.. {
        let other = Place::new();
        let target = other.directory().join("copy");
        let disk = if failing == Failing::Memory { memory.disk() } else { other.disk() };
        disk.fail(fault, if lasting { When::From(nth) } else { When::Nth(nth) });
        let backup = Backup {
            data: memory.directory().to_owned(),
            target: target.clone(),
            keys: Keys::Within,
            now: proofs::world::at("2026-05-02"),
        };
        let taken = take(&backup, &mut |_| ControlFlow::Continue(()));
        let befell = disk.mend();
        let what = format!("{failing:?}, {fault:?} at {nth}, lasting: {lasting}");
        match taken {
            Ok(_) => {
                let checked = check(&target).unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(checked.ok, "{what}: {checked:?}");
            }
            Err(error) => {
                assert!(befell > 0, "{what}: fails without a reason: {error}");
                let left = std::fs::read_dir(&target).map_or(0, Iterator::count);
                assert_eq!(left, 0, "{what}: something is left of it after: {error}");
                not_taken += 1;
            }
        }
        // The memory is what it was, whatever came of the copy.
        proofs::ordeal::examine(memory.directory(), life.told())
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        if befell == 0 {
            break;
        }
    }
    not_taken
}
