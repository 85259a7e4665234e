//! Every header change of the PEPs, on both clocks: observed with a quote each, and asked back around every event.

use bench::peps::{Pass, play};
use bench::stores::{StoreKind, engine, scope};

fn all_events(pass: Pass) {
    let place = tempfile::tempdir().expect("a directory");
    let engine = engine(StoreKind::Reference.open(place.path()).expect("a store"));
    let outcome = play(&engine, &scope("peps").expect("a name"), pass, 1).expect("played");
    assert_eq!(outcome.events, 2_617);
    assert_eq!(outcome.refused, Vec::<String>::new());
    assert_eq!(outcome.admitted, 2_617);
    assert_eq!(outcome.wrong, Vec::<String>::new());
    // Before, at and after each event, on each clock.
    assert_eq!(outcome.right.values().copied().collect::<Vec<_>>(), [7_851; 3], "{:?}", outcome.right);
}

#[test]
fn headers_observed_as_they_changed() {
    all_events(Pass::AsItHappened);
}

#[test]
fn headers_observed_years_later() {
    all_events(Pass::LaterInOrder);
}

#[test]
fn headers_observed_years_later_in_any_order() {
    all_events(Pass::LaterShuffled);
}

#[test]
fn the_database_answers_the_same() {
    let place = tempfile::tempdir().expect("a directory");
    let engine = engine(StoreKind::Sqlite.open(place.path()).expect("a store"));
    // Every seventh PEP: each observation is made durable by itself.
    let outcome = play(&engine, &scope("peps").expect("a name"), Pass::AsItHappened, 7).expect("played");
    assert!(outcome.events > 300, "{}", outcome.events);
    assert_eq!(outcome.admitted, outcome.events);
    assert_eq!(outcome.wrong, Vec::<String>::new());
}
