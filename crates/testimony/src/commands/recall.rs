//! `testimony recall`.

use std::str::FromStr;

use engine::recall::{Grain, Recall};

use crate::context::{Context, Outcome, maybe_instant};
use crate::failure::{Exit, Failure};
use crate::tell;

/// Ask what is remembered
///
/// Facts that match the words, best first; those in dispute always together. The exit code is 1 when nothing was found.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony recall \"when may meetings start?\"
  testimony recall --valid-at 2026-03-15 \"where do I live?\"
  testimony recall --limit 5 --threshold calibrated \"book me a table\"
  testimony recall --deep \"where was the manager of my wife born?\"
  testimony --json recall --grain evidence --limit 3 \"budget\"")]
pub(crate) struct Arguments {
    /// The words
    #[arg(value_name = "QUERY")]
    query: String,
    /// Memories, at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// The least score, 0 to 1, or `calibrated`: the one measured for the model in use and the language of the query
    #[arg(long, value_name = "X", default_value = "0")]
    threshold: Threshold,
    /// What held in the world at that time; now, when left out
    #[arg(long, value_name = "INSTANT")]
    valid_at: Option<String>,
    /// What this system held at that time; the latest, when left out
    #[arg(long, value_name = "INSTANT")]
    believed_at: Option<String>,
    /// Also walk over relations from what the query names, and tell what each step held before
    #[arg(long)]
    deep: bool,
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

#[derive(Clone, Copy, PartialEq, Debug)]
enum Threshold {
    Score(f64),
    Calibrated,
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "calibrated" => Ok(Self::Calibrated),
            _ => text.parse().map(Self::Score).map_err(|_| "give a number or `calibrated`".to_owned()),
        }
    }
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let engine = context.look()?;
    let threshold = match arguments.threshold {
        Threshold::Score(score) => score,
        Threshold::Calibrated => engine.calibrated_threshold(&arguments.query).ok_or_else(|| {
            Failure::input(format!("model `{}` is not calibrated", engine.model_name()))
                .hint("measure it with `testimony study --write FILE`, or give a number")
        })?,
    };
    let recall = Recall {
        query: arguments.query,
        limit: arguments.limit,
        threshold,
        valid_at: maybe_instant("--valid-at", arguments.valid_at.as_deref())?,
        believed_at: maybe_instant("--believed-at", arguments.believed_at.as_deref())?,
        grain: match arguments.grain {
            Wanted::Fact => Grain::Fact,
            Wanted::Evidence => Grain::Evidence,
            Wanted::Compiled => Grain::Compiled,
        },
        ..Recall::of("")
    };
    if arguments.deep {
        let answer = engine.recall_deep(context.call(), &recall)?;
        context.answer(&answer, tell::deep)?;
        context.notices(&answer.recalled.notices);
        return Ok(if answer.recalled.items.is_empty() { Exit::Refused } else { Exit::Done });
    }
    let answer = engine.recall(context.call(), &recall)?;
    context.answer(&answer, tell::recalled)?;
    context.notices(&answer.notices);
    Ok(if answer.items.is_empty() { Exit::Refused } else { Exit::Done })
}
