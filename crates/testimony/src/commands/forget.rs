//! `testimony forget`.

use std::io::{self, BufRead, IsTerminal};

use engine::answer::Forgotten;
use engine::forget::{Forget, OWNER, Which};

use crate::context::{Context, Outcome, maybe_instant};
use crate::failure::{Exit, Failure};
use crate::{interrupt, tell};

/// Forget, for good
///
/// The words are in no file of the data directory afterwards, and importing the same source again does not bring them back. What
/// stands on other words stays. Copies made by `backup` are not reached.
///
/// The answer ends with a receipt, which holds no word of what went; `verify --receipt` checks it, then or later. `lift` lets
/// what was forgotten be learnt again.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony forget ev_… fa_…
  testimony forget --source conversation:c1 --dry-run
  testimony forget --source so_… --yes
  testimony forget --session standup --dry-run
  testimony forget --from 2026-03-01 --to 2026-04-01 --source mail:inbox
  testimony --subject ana forget --whole-subject --yes   (the same as `forget --subject`)")]
pub(crate) struct Arguments {
    /// Facts, versions, claims, messages or sources
    #[arg(value_name = "ID", conflicts_with_all = ["source", "session", "from", "to", "whole_subject"])]
    ids: Vec<String>,
    /// A source with everything it ever said: an id, or `kind:ref`; with a session or a time, only those messages of it
    #[arg(long, value_name = "SO", conflicts_with = "whole_subject")]
    source: Option<String>,
    /// The messages of a session
    #[arg(long, value_name = "NAME", conflicts_with = "whole_subject")]
    session: Option<String>,
    /// Messages said at this instant or later: the clock is the event time, when it was said and not when it was taken in
    #[arg(long, value_name = "INSTANT", conflicts_with = "whole_subject")]
    from: Option<String>,
    /// Messages said before this instant, by the same clock
    #[arg(long, value_name = "INSTANT", conflicts_with = "whole_subject")]
    to: Option<String>,
    /// Everything of the subject; also written `forget --subject` with nothing behind it
    #[arg(long)]
    whole_subject: bool,
    /// Only tell what would be forgotten, thing by thing
    #[arg(long)]
    dry_run: bool,
    /// Who asks, for the receipt
    #[arg(long, value_name = "NAME", default_value = OWNER)]
    by: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// What becomes of a thing, as the answer and as people say it.
const FATES: [(&str, &str); 4] = [
    ("goes", "goes:"),
    ("reduced", "only what others quote stays of:"),
    ("stays", "stays, on other words:"),
    ("reopens", "stands again:"),
];

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let forget = what(&arguments)?;
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
    let answer = match arguments.dry_run {
        true => engine.forget(context.call(), &forget, true)?,
        false => engine.forget_for(context.call(), &forget, &arguments.by)?,
    };
    context.answer(&answer, |answer| {
        let receipt = answer.receipt.as_ref().and_then(|receipt| serde_json::to_string(receipt).ok());
        let receipt = receipt.map(|receipt| format!("  receipt: {receipt}\n")).unwrap_or_default();
        told(answer) + &receipt
    })?;
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

fn what(arguments: &Arguments) -> Result<Forget, Failure> {
    if !arguments.ids.is_empty() {
        return Ok(Forget::Ids(arguments.ids.clone()));
    }
    if arguments.whole_subject {
        return Ok(Forget::Subject);
    }
    let which = Which {
        source: arguments.source.clone(),
        session: arguments.session.clone(),
        from: maybe_instant("--from", arguments.from.as_deref())?,
        to: maybe_instant("--to", arguments.to.as_deref())?,
    };
    match which {
        Which { source: None, session: None, from: None, to: None } => Err(Failure::usage(
            "nothing to forget; give ids, `--source`, `--session`, `--from`, `--to` or `--subject`",
        )),
        Which { source: Some(source), session: None, from: None, to: None } => Ok(Forget::Source(source)),
        which => Ok(Forget::Messages(which)),
    }
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
    for (fate, told_as) in FATES {
        for thing in forgotten.list.iter().filter(|thing| thing.fate == fate) {
            told.push_str(&format!("  {told_as} {}: {} ({})\n", thing.kind, thing.text, thing.id));
        }
    }
    if forgotten.dry_run {
        return told;
    }
    for (what, ids) in [("stands on other words", &forgotten.kept), ("stands again", &forgotten.reopened)] {
        if !ids.is_empty() {
            told.push_str(&format!("  {what}: {}\n", ids.join(" ")));
        }
    }
    told.push_str(&format!("  places where the words were still found: {}\n", forgotten.residue));
    told
}
