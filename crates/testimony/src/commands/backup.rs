//! `testimony backup`.

use std::path::PathBuf;

use testimony::backup::Copied;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// Copy everything, keys included, into an empty directory
///
/// Others may go on writing meanwhile. The copy remembers what is forgotten here afterwards: keep it as long as that is right.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony backup /media/stick/memory-2026-03-01")]
pub(crate) struct Arguments {
    /// An empty or new directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let copied = testimony::backup::copy(&context.data, &arguments.directory)?;
    context.answer(&copied, told)?;
    if !context.json {
        context.say("note: the copy holds its keys; forgetting does not reach it");
    }
    Ok(Exit::Done)
}

pub(crate) fn told(copied: &Copied) -> String {
    let files = tell::count(copied.files as u64, "file", "files");
    format!("{} ({files}, {} bytes)", copied.directory.display(), copied.bytes)
}
