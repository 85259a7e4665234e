//! `testimony forget`.

use std::io::{self, BufRead, IsTerminal};

use engine::answer::Forgotten;
use engine::forget::Forget;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};
use crate::{interrupt, tell};

/// Forget, for good
///
/// The words are in no file of the data directory afterwards, and importing the same source again does not bring them back. What
/// stands on other words stays. Copies made by `backup` are not reached.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony forget ev_… fa_…
  testimony forget --source conversation:c1 --dry-run
  testimony forget --source so_… --yes
  testimony --subject ana forget --whole-subject --yes   (the same as `forget --subject`)")]
pub(crate) struct Arguments {
    /// Facts, versions, claims, messages or sources
    #[arg(value_name = "ID", conflicts_with_all = ["source", "whole_subject"])]
    ids: Vec<String>,
    /// A source with everything it ever said: an id, or `kind:ref`
    #[arg(long, value_name = "SO", conflicts_with = "whole_subject")]
    source: Option<String>,
    /// Everything of the subject; also written `forget --subject` with nothing behind it
    #[arg(long)]
    whole_subject: bool,
    /// Only tell what would be forgotten
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let forget = match (arguments.ids.is_empty(), arguments.source, arguments.whole_subject) {
        (true, Some(source), false) => Forget::Source(source),
        (true, None, true) => Forget::Subject,
        (false, None, false) => Forget::Ids(arguments.ids),
        _ => return Err(Failure::usage("nothing to forget; give ids, `--source` or `--subject`").into()),
    };
    let engine = context.look()?;
    let asks = !arguments.yes && !arguments.dry_run && !context.json && io::stdin().is_terminal();
    if asks {
        let would = engine.forget(context.call(), &forget, true)?;
        context.say(told(&would).trim_end());
        context.say("Forget this for good? [y/N]");
        let mut line = String::new();
        _ = io::stdin().lock().read_line(&mut line)?;
        if !matches!(line.trim().to_lowercase().as_str(), "y" | "yes" | "d" | "da") {
            context.say("nothing was forgotten");
            return Ok(Exit::Refused);
        }
    }
    interrupt::finish_in_flight();
    let answer = engine.forget(context.call(), &forget, arguments.dry_run)?;
    context.answer(&answer, told)?;
    if answer.residue > 0 {
        let failure = Failure {
            exit: Exit::Fault,
            code: "residue",
            message: format!("forgotten bytes were still found in {} places", answer.residue),
            hint: Some("run `testimony verify`, then `testimony forget` again; please report this"),
        };
        context.say(&format!("error: {}", failure.message));
        return Ok(failure.exit);
    }
    Ok(Exit::Done)
}

pub(crate) fn told(forgotten: &Forgotten) -> String {
    let erased = &forgotten.erased;
    let mut told = format!(
        "{}: {}, {}, {}, {}, {}\n",
        if forgotten.dry_run { "would be forgotten" } else { "forgotten" },
        tell::count(erased.sources as u64, "source", "sources"),
        tell::count(erased.evidence as u64, "message", "messages"),
        tell::count(erased.claims as u64, "claim", "claims"),
        tell::count(erased.versions as u64, "version", "versions"),
        tell::count(erased.facts as u64, "fact", "facts"),
    );
    for (what, ids) in [("stands on other words", &forgotten.kept), ("stands again", &forgotten.reopened)] {
        if !ids.is_empty() {
            told.push_str(&format!("  {what}: {}\n", ids.join(" ")));
        }
    }
    if !forgotten.dry_run {
        told.push_str(&format!("  places where the words were still found: {}\n", forgotten.residue));
    }
    told
}
