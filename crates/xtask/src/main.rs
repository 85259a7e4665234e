//! The project's own chores, run as `cargo run -p xtask -- COMMAND`.
//!
//! - `tidy` checks what no compiler checks: who may name whom, words that have no place in code, documents that must
//!   stay true ([`tidy`]).
//! - `reference` writes the pages of `docs/reference/` from the files they describe ([`reference`](mod@reference)).
//! - `play` runs the commands shown in a document and compares what they print ([`play`]).
//!
//! It depends on no crate of the workspace, so it runs when those do not build.

mod finding;
mod manifest;
mod markdown;
mod play;
mod reference;
mod rust;
mod tidy;
mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::tree::Tree;

/// The commands, as the first argument names them.
pub(crate) const COMMANDS: [&str; 3] = ["tidy", "reference", "play"];

const USAGE: &str = "usage: cargo run -p xtask -- tidy
       cargo run -p xtask -- reference
       cargo run -p xtask -- play BINARIES FILE...";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether all was well.
fn run(arguments: &[String]) -> Result<bool> {
    let root = root()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["tidy"] => tidy(&root),
        ["reference"] => write_reference(&root),
        ["play", binaries, files @ ..] if !files.is_empty() => {
            let files: Vec<&Path> = files.iter().map(Path::new).collect();
            play::play(&root, Path::new(binaries), &files)
        }
        _ => bail!("{USAGE}"),
    }
}

fn tidy(root: &Path) -> Result<bool> {
    let tree = Tree::read(root)?;
    let findings = tidy::check(&tree);
    for finding in &findings {
        eprintln!("{finding}");
    }
    match findings.len() {
        0 => println!("tidy: {} files, nothing to mend", tree.len()),
        count => eprintln!("tidy: {count} to mend in {} files", tree.len()),
    }
    Ok(findings.is_empty())
}

fn write_reference(root: &Path) -> Result<bool> {
    let tree = Tree::read(root)?;
    for page in reference::pages(&tree)? {
        let path = root.join(page.path);
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        write(&path, &page.text)?;
        println!("wrote {}", page.path);
    }
    Ok(true)
}

#[allow(clippy::disallowed_methods, reason = "a page of the checkout, not a file of a data directory")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

/// The checkout this program was built in.
fn root() -> Result<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = own.ancestors().nth(2).context("xtask does not stand in `crates/xtask`")?;
    Ok(root.to_path_buf())
}
