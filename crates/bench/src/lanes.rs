//! The lanes of evaluation on the command line: play the cases, tell what came of them, move a challenge that passes.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use proofs::Keeper;
use proofs::lanes::{Case, Lane, Report, directory, promote, read_all, run_all};

/// What to play, and where to write what came of it.
#[derive(Args)]
pub struct Arguments {
    /// One lane only: `regression` or `challenge`.
    #[arg(long)]
    lane: Option<String>,
    /// One family only.
    #[arg(long)]
    family: Option<String>,
    /// One case only.
    #[arg(long)]
    case: Option<String>,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Subcommand)]
enum Act {
    /// Move a challenge that passes to the regression lane.
    Promote {
        /// The case.
        case: String,
    },
}

/// Plays the chosen cases, or promotes one, of which there is no report.
///
/// # Errors
/// Cases that cannot be read, a choice that leaves none, a case that cannot be promoted, a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<Option<Report>> {
    if let Some(Act::Promote { case }) = &arguments.act {
        promote(&directory(), case)?;
        eprintln!("`{case}` stands in regression now");
        return Ok(None);
    }
    let lane = match arguments.lane.as_deref() {
        None => None,
        Some(name) => match Lane::named(name) {
            Some(lane) => Some(lane),
            None => bail!("lane `{name}` is neither `regression` nor `challenge`"),
        },
    };
    let chosen = |case: &Case| {
        lane.is_none_or(|lane| case.lane == lane)
            && arguments.family.as_ref().is_none_or(|family| case.family == *family)
            && arguments.case.as_ref().is_none_or(|id| case.id == *id)
    };
    let cases: Vec<Case> = read_all(&directory())?.into_iter().filter(chosen).collect();
    if cases.is_empty() {
        bail!("no case is chosen; leave out `--lane`, `--family` or `--case`");
    }
    Ok(Some(Report::of(&run_all(&cases, &Keeper::ALL))))
}
