//! The lanes of evaluation in `evaluation/lanes/`: every case of the regression lane passes on every store; a challenge
//! may fail, and is told.

use std::collections::BTreeSet;

use proofs::Keeper;
use proofs::lanes::{Case, Lane, Report, directory, read_all, run_all};

fn cases() -> Vec<Case> {
    read_all(&directory()).unwrap_or_else(|error| panic!("{error}"))
}

fn must_pass(cases: &[Case], keeper: Keeper) {
    let report = Report::of(&run_all(cases, &[keeper]));
    // Shown by the test runner when asked for, whatever comes of the rest.
    println!("{}", report.markdown());
    let broken: Vec<String> =
        report.broken.iter().map(|one| format!("{}: {}", one.id, one.wrong.join("\n  "))).collect();
    assert!(broken.is_empty(), "cases that passed before:\n{}", broken.join("\n"));
}

#[test]
fn every_case_of_the_regression_lane_passes() {
    must_pass(&cases(), Keeper::Reference);
}

#[test]
fn slow_every_case_of_the_regression_lane_passes_on_disk() {
    must_pass(&cases(), Keeper::Sqlite);
}

#[test]
fn there_are_enough_cases_of_every_family_and_language() {
    let cases = cases();
    assert!(cases.len() >= 130, "{} cases", cases.len());
    assert!(cases.iter().filter(|case| case.lane == Lane::Regression).count() >= 60);
    let families: BTreeSet<&str> = cases.iter().map(|case| case.family.as_str()).collect();
    for family in [
        "recall",
        "contradiction",
        "expiry",
        "injection",
        "isolation",
        "limits",
        "pollution",
        "temporal",
        "multi-step",
        "subtle-contradiction",
        "changing-preference",
        "uncertainty",
    ] {
        assert!(families.contains(family), "no case of `{family}`");
    }
    for language in ["en", "hr", "zh", "ja", "ru"] {
        assert!(
            cases.iter().any(|case| case.language.split('+').any(|one| one == language)),
            "no case in `{language}`"
        );
    }
}
