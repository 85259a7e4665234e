//! The instrument of forgetting works, and what it forgets leaves nothing in the files.

use bench::forget;
use bench::stores::StoreKind;

#[test]
fn forgetting_is_measured_and_leaves_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let report = forget::run(StoreKind::ALL, directory.path(), &[2_000], 1).expect("measured");
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    assert_eq!(report.tables.len(), StoreKind::ALL.len());
    for table in &report.tables {
        let forgotten: Vec<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(
            forgotten,
            ["one message", "a session of 100 messages", "a source with 1,000 facts", "the subject"]
        );
    }
}
