//! The embedding model on real data, held to floors. Needs the model: `tools/model.sh` fetches it.

use std::path::Path;

use bench::report::Report;

fn cell(report: &Report, row: usize, column: usize) -> f64 {
    report.tables[0].rows[row][column].parse().expect("a share")
}

#[test]
fn croatian_sentences_find_their_translation_slow() {
    let report = bench::tatoeba::run(Path::new(env!("CARGO_TARGET_TMPDIR")))
        .expect("the model: `tools/model.sh` fetches it");
    assert!(report.failures.is_empty(), "{:?}", report.failures);
    // Both ways for all four languages, in fractions and in bytes.
    for row in 0..4 {
        for column in 2..6 {
            assert!(cell(&report, row, column) > 0.77, "{:?}", report.tables[0].rows[row]);
        }
    }
}
