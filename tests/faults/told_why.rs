//! A store that cannot be opened or read says what the system said, and what to do about that.

use std::process::{Command, Output};

use engine::Call;
use faults::{Fault, When};
use ledger::store::StoreErrorKind;
use proofs::ordeal::{Place, saying};
use proofs::world::scope;
use proofs::{at, engine_on};
use serde_json::Value as Json;
use std::sync::Arc;
use store_sqlite::Options;

use crate::programs::testimony;

/// A closed memory with one message.
fn written() -> Place {
    let place = Place::new();
    let engine = engine_on(Arc::new(place.open(&Options::default()).expect("opened")));
    let call = Call { scope: &scope("me"), now: at("2026-05-01") };
    engine.observe(call, vec![saying("c1", 1)], Default::default()).expect("taken");
    place
}

/// A device that fails is no matter of permission, at whichever operation it does.
#[test]
fn a_device_that_fails_is_called_one() {
    let place = written();
    let mut named = 0;
    for nth in 1.. {
        place.disk().fail(Fault::Device, When::From(nth));
        let opened = place.open(&Options::default()).map(drop);
        if place.disk().mend() == 0 {
            break;
        }
        let Err(error) = opened else { continue };
        assert_eq!(error.kind(), StoreErrorKind::Io, "at {nth}: {error}");
        let told = error.to_string();
        let says_why = ["Input/output error", "the disk fails"].iter().any(|why| told.contains(why));
        assert!(says_why || told.contains("cannot be used"), "at {nth}: {told}");
        named += u64::from(says_why);
    }
    assert!(named > 10, "{named}");
}

fn told(output: &Output) -> Option<(String, String, String)> {
    let answer: Json = serde_json::from_slice(&output.stdout).ok()?;
    let part = |name: &str| answer["error"][name].as_str().map(str::to_owned);
    Some((part("code")?, part("message")?, part("hint").unwrap_or_default()))
}

/// The program when it may open fewer and fewer files.
#[test]
fn too_many_open_files_are_counted_out() {
    let place = written();
    let run = |files: u32| {
        let order = format!("ulimit -n {files}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        command
            .args(["-c", &order])
            .arg(testimony())
            .arg("--data")
            .arg(place.directory())
            .args(["--json", "state"]);
        command.env("TESTIMONY_MODELS_DIR", "no models here").output().expect("it runs")
    };
    let mut refused = 0;
    for files in 3..40 {
        let output = run(files);
        if output.status.success() {
            continue;
        }
        // With fewer still the program itself cannot be loaded.
        let Some((code, message, hint)) = told(&output) else { continue };
        assert_eq!(code, "disk", "{files}: {message}");
        assert!(message.contains("Too many open files"), "{files}: {message}");
        assert!(hint.contains("ulimit -n"), "{files}: {hint}");
        refused += 1;
    }
    assert!(refused > 2, "{refused}");
    assert!(run(64).status.success());
}
