//! That the instrument for the shadow lane works, and that its small run finds nothing wrong.

use bench::shadow::{Extent, run};

#[test]
fn a_small_run_finds_nothing_wrong() {
    let place = tempfile::tempdir().expect("a directory");
    let report = run(place.path(), &Extent::quick(), None).expect("a run");
    assert_eq!(report.failures, Vec::<String>::new(), "{}", report.markdown());
    assert_eq!(report.tables.len(), 4);
}
