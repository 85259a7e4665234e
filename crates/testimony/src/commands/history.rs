//! `testimony history`.

use std::fmt::Write;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// Show one fact through time
///
/// All its versions, with when they held and when they were held true, and everything that happened to them. `*` marks what
/// holds now.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony history fa_…\n  testimony --json history ve_…")]
pub(crate) struct Arguments {
    /// A fact, or one of its versions
    #[arg(value_name = "FACT")]
    fact: String,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let answer = context.look()?.history(context.call(), &arguments.fact)?;
    context.answer(&answer, |history| {
        let mut told = format!("{}\n", tell::fact(&history.fact));
        for version in &history.versions {
            _ = writeln!(told, "{}", tell::version(version));
        }
        for transition in &history.transitions {
            _ = writeln!(told, "  {}", tell::transition(transition));
        }
        told
    })?;
    Ok(Exit::Done)
}
