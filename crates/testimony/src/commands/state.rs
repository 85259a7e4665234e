//! `testimony state`.

use crate::context::{Context, Outcome, maybe_instant};
use crate::failure::Exit;
use crate::tell;

/// Tell everything that holds, at any moment on both clocks
///
/// The exit code is 1 when nothing holds then.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony state
  testimony state --valid-at 2026-03-15
  testimony --json state --valid-at 2026-03-15 --believed-at 2026-04-01T12:00:00+02:00")]
pub(crate) struct Arguments {
    /// What held in the world at that time; now, when left out
    #[arg(long, value_name = "INSTANT")]
    valid_at: Option<String>,
    /// What this system held at that time; the latest, when left out
    #[arg(long, value_name = "INSTANT")]
    believed_at: Option<String>,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let valid_at = maybe_instant("--valid-at", arguments.valid_at.as_deref())?;
    let believed_at = maybe_instant("--believed-at", arguments.believed_at.as_deref())?;
    let answer = context.look()?.state(context.call(), valid_at, believed_at)?;
    context.answer(&answer, tell::recalled)?;
    context.notices(&answer.notices);
    Ok(if answer.items.is_empty() { Exit::Refused } else { Exit::Done })
}
