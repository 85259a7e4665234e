//! `testimony restore`.

use std::path::PathBuf;

use crate::commands::backup;
use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};

/// Put a copy back, into an empty data directory only
///
/// The copy is checked afterwards, as by `verify`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony --data ./restored restore /media/stick/memory-2026-03-01")]
pub(crate) struct Arguments {
    /// A directory made by `backup`
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let copied = testimony::backup::put_back(&arguments.directory, &context.data)?;
    let verified = context.create()?.verify_all(context.now())?;
    if let Some(first) = verified.damage.first() {
        return Err(Failure {
            exit: Exit::Damaged,
            code: "damaged",
            message: format!("the copy is damaged at {}: {}", first.place, first.what),
            hint: Some("`testimony verify` names every place; try an older copy"),
        }
        .into());
    }
    context.answer(&copied, backup::told)?;
    Ok(Exit::Done)
}
