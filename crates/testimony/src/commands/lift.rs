//! `testimony lift`.

use engine::lift::Lifting;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};
use crate::{interrupt, tell};

/// Let what was forgotten be learnt again
///
/// Forgotten words are kept out: importing them again does not bring them back. This lifts that for one source, or for all of
/// the subject, and records that it was lifted, without a word. Nothing comes back by itself; the next import does that. One
/// note comes back with `remember` alone.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony lift conversation:c1
  testimony lift so_…
  testimony lift --all")]
pub(crate) struct Arguments {
    /// The source: its id while it is there, else `kind:ref`
    #[arg(value_name = "SO", required_unless_present = "all")]
    source: Option<String>,
    /// Everything of the subject that was ever forgotten; also what was before sources could be lifted
    #[arg(long, conflicts_with = "source")]
    all: bool,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let lifting = match (arguments.source, arguments.all) {
        (Some(source), false) => Lifting::Source(source),
        (None, true) => Lifting::Everything,
        _ => return Err(Failure::usage("nothing to lift; give a source or `--all`").into()),
    };
    let engine = context.look()?;
    interrupt::finish_in_flight();
    let answer = engine.lift(context.call(), &lifting)?;
    context.answer(&answer, |answer| match answer.lifted {
        0 => "nothing was kept out".to_owned(),
        marks => format!("lifted: {}; the next import learns again", tell::count(marks, "mark", "marks")),
    })?;
    Ok(Exit::Done)
}
