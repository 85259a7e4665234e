//! Programs that are run as processes of their own.

use std::path::{Path, PathBuf};

/// The one that writes until it is killed.
pub(crate) const WRITER: &str = env!("CARGO_BIN_EXE_killed-writer");

/// The program as Cargo built it for its own tests, beside this one.
pub(crate) fn testimony() -> PathBuf {
    let program = Path::new(WRITER).with_file_name("testimony");
    assert!(program.is_file(), "`{}` is not there; hint: cargo build -p testimony", program.display());
    program
}
