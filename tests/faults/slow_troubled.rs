//! The program on file systems that fill up, are closed to writing, or give up under it, and are put right again: real ones, mounted
//! for the test, and the program as a server with clients.

use proofs::ordeal::{Trouble, in_namespace, troubled_server};

use crate::programs::testimony;

const INSIDE: &str = "TESTIMONY_TEST_IN_A_NAMESPACE";

/// Runs `test` once more in a mount namespace, where it brings the trouble over a server.
#[allow(clippy::disallowed_methods, reason = "a test that runs once more in a namespace learns it so")]
fn in_trouble(test: &str, troubles: &[Trouble]) {
    if std::env::var_os(INSIDE).is_some() {
        for trouble in troubles {
            let troubled = troubled_server(&testimony(), *trouble, 4)
                .unwrap_or_else(|wrong| panic!("{trouble:?}: {wrong}"));
            assert!(troubled.acknowledged > 50, "{trouble:?}: {troubled:?}");
            println!("{trouble:?}: {troubled:?}");
        }
        return;
    }
    let name = format!("slow_troubled::{test}");
    let Some(output) =
        in_namespace(troubles, &["--exact", &name, "--nocapture"], (INSIDE, "1")).expect("it runs")
    else {
        println!("skipped: this user may mount nothing here, so no file system was brought into trouble");
        return;
    };
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("1 passed"), "{told}");
    print!("{told}");
}

#[test]
fn file_systems_in_memory() {
    in_trouble("file_systems_in_memory", &[Trouble::FullMemory, Trouble::ReadOnly, Trouble::Closed]);
}

#[test]
fn file_systems_on_a_device() {
    in_trouble("file_systems_on_a_device", &[Trouble::FullDisk, Trouble::GivenUp]);
}
