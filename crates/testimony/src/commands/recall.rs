//! `testimony recall`.

use engine::recall::{Grain, Recall};

use crate::context::{Context, Outcome, maybe_instant};
use crate::failure::Exit;
use crate::tell;

/// Ask what is remembered
///
/// Facts that match the words, best first; those in dispute always together. The exit code is 1 when nothing was found.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony recall \"when may meetings start?\"
  testimony recall --valid-at 2026-03-15 \"where do I live?\"
  testimony --json recall --grain evidence --limit 3 \"budget\"")]
pub(crate) struct Arguments {
    /// The words
    #[arg(value_name = "QUERY")]
    query: String,
    /// Memories, at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// The least score, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    threshold: f64,
    /// What held in the world at that time; now, when left out
    #[arg(long, value_name = "INSTANT")]
    valid_at: Option<String>,
    /// What this system held at that time; the latest, when left out
    #[arg(long, value_name = "INSTANT")]
    believed_at: Option<String>,
    /// What kind of thing is wanted
    #[arg(long, value_enum, default_value_t = Wanted::Fact)]
    grain: Wanted,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Wanted {
    /// What is held true
    Fact,
    /// The messages themselves
    Evidence,
    /// Compiled pages
    Compiled,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let recall = Recall {
        query: arguments.query,
        limit: arguments.limit,
        threshold: arguments.threshold,
        valid_at: maybe_instant("--valid-at", arguments.valid_at.as_deref())?,
        believed_at: maybe_instant("--believed-at", arguments.believed_at.as_deref())?,
        grain: match arguments.grain {
            Wanted::Fact => Grain::Fact,
            Wanted::Evidence => Grain::Evidence,
            Wanted::Compiled => Grain::Compiled,
        },
        ..Recall::of("")
    };
    let answer = context.look()?.recall(context.call(), &recall)?;
    context.answer(&answer, tell::recalled)?;
    context.notices(&answer.notices);
    Ok(if answer.items.is_empty() { Exit::Refused } else { Exit::Done })
}
