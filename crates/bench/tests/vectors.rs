//! The instrument of vectors runs, and what it finds is good enough to be of use.

use bench::vectors::{Extent, run};

#[test]
fn the_instrument_finds_what_is_near() {
    let place = tempfile::tempdir().expect("a directory");
    let extent =
        Extent { passages: None, queries: None, dims: 64, sizes: vec![300, 1_000], asked: 20, kept: 100 };
    let report = run(place.path(), &extent).expect("a report");
    let recalls: Vec<f64> =
        report.tables[0].rows.iter().map(|row| row[7].parse().expect("a share")).collect();
    assert!(recalls.iter().all(|recall| *recall > 0.9), "{recalls:?}");
    assert_eq!(report.tables[1].rows.len(), 5);
}
