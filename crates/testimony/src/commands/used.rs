//! `testimony used`.

use crate::context::{Context, Outcome};
use crate::failure::Exit;

/// Record which memories of a turn were really used
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony used tu_… M1 M3")]
pub(crate) struct Arguments {
    /// The turn
    #[arg(value_name = "TURN")]
    turn: String,
    /// Handles in its packet, such as `M1`
    #[arg(value_name = "HANDLE", required = true)]
    handles: Vec<String>,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let answer = context.look()?.used(context.call(), &arguments.turn, &arguments.handles)?;
    context.answer(&answer, |used| format!("{} used {}", used.turn, used.used.join(" ")))?;
    Ok(Exit::Done)
}
