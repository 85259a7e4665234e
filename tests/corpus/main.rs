//! Every input the fuzzer kept, put to the same function again: what once reached new code, or broke something, is a test.

use std::path::Path;

use proofs::fuzz::{TARGETS, run};

#[test]
fn every_kept_input_keeps_its_promises() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for target in TARGETS {
        let folder = corpora.join(target.name);
        let mut inputs: Vec<_> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("`{}`: {error}", folder.display()))
            .map(|entry| entry.expect("an input").path())
            .collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "no input was kept for `{}`", target.name);
        for input in inputs {
            println!("{}", input.display());
            run(target.name, &std::fs::read(&input).expect("an input is read"));
        }
    }
}

/// Each target has its program, and each program its target.
#[test]
fn every_target_has_a_program() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets");
    let mut there: Vec<String> = std::fs::read_dir(programs)
        .expect("the programs")
        .map(|entry| entry.expect("a program").path())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    let mut wanted: Vec<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    there.sort();
    wanted.sort();
    assert_eq!(there, wanted);
}
