//! `testimony correct`.

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// Put a memory right: say what holds instead
///
/// Nothing is overwritten. The old memory ends with a receipt, and `history` still tells it; `forget` is for what must be gone.
/// The exit code is 1 when the new text was not admitted.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony correct ve_… \"I prefer coffee in the morning\"
  testimony correct ve_… \"10:00\"")]
pub(crate) struct Arguments {
    /// The memory, as `list` and `recall` give it
    #[arg(value_name = "ID")]
    id: String,
    /// What holds instead
    #[arg(value_name = "TEXT")]
    text: String,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let answer = context.look()?.correct(context.call(), &arguments.id, &arguments.text)?;
    context.answer(&answer, |answer| {
        format!("{} corrected\n{}", answer.corrected, tell::observed(&answer.observed))
    })?;
    context.notices(&answer.observed.notices);
    Ok(if answer.observed.counts.admitted == 0 { Exit::Refused } else { Exit::Done })
}
