//! `testimony replay`.

use crate::context::{Context, Outcome};
use crate::failure::Exit;

/// Make a turn's choice again and compare
///
/// The exit code is 1 when anything came out differently.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony replay tu_…")]
pub(crate) struct Arguments {
    /// The turn
    #[arg(value_name = "TURN")]
    turn: String,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let answer = context.look()?.replay(context.call(), &arguments.turn)?;
    context.answer(&answer, |replayed| match replayed.identical {
        true => format!("{} identical", replayed.turn),
        false => format!("{} differs\n  {}", replayed.turn, replayed.differences.join("\n  ")),
    })?;
    Ok(if answer.identical { Exit::Done } else { Exit::Refused })
}
