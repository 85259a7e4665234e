//! The n-th operation on the disk fails, for every n, in everything the store does: once, and from then on.

use faults::Fault;
use proofs::ordeal::{Deed, every_operation};

/// Three messages of two people, and a turn.
fn before() -> Vec<Deed> {
    vec![
        Deed::Say { subject: 0, number: 0 },
        Deed::Say { subject: 0, number: 1 },
        Deed::Say { subject: 1, number: 2 },
        Deed::Turn { subject: 0 },
    ]
}

fn try_all(deed: &Deed, operations_min: u64) {
    for fault in Fault::ALL {
        for lasting in [false, true] {
            try_one(deed, fault, lasting, operations_min);
        }
    }
}

/// An erasure has hundreds of operations. The device that fails once at each of them and the disk that stays full are tried
/// every time; with `TESTIMONY_FAULTS=all` everything is.
fn try_some(deed: &Deed, operations_min: u64) {
    #[allow(clippy::disallowed_methods, reason = "how much a test tries")]
    if std::env::var("TESTIMONY_FAULTS").is_ok_and(|what| what == "all") {
        return try_all(deed, operations_min);
    }
    try_one(deed, Fault::Device, false, operations_min);
    try_one(deed, Fault::NoSpace, true, operations_min);
}

fn try_one(deed: &Deed, fault: Fault, lasting: bool, operations_min: u64) {
    let tried = every_operation(&before(), deed, fault, lasting).unwrap_or_else(|what| panic!("{what}"));
    let enough = if fault == Fault::Device { operations_min } else { 0 };
    assert!(tried.operations >= enough, "{deed:?} {fault:?}: {tried:?}");
}

#[test]
fn an_append() {
    try_all(&Deed::Say { subject: 0, number: 3 }, 5);
}

#[test]
fn the_founding_of_a_subject() {
    try_all(&Deed::Say { subject: 2, number: 3 }, 8);
}

#[test]
fn an_erasure() {
    try_some(&Deed::Forget { number: 1 }, 40);
}

#[test]
fn an_erasure_of_a_subject() {
    try_some(&Deed::ForgetSubject { subject: 0 }, 40);
}

#[test]
fn a_turn() {
    try_all(&Deed::Turn { subject: 1 }, 5);
}

#[test]
fn a_checkpoint() {
    try_all(&Deed::Checkpoint, 5);
}

#[test]
fn closing_and_opening() {
    try_all(&Deed::Reopen, 20);
}
