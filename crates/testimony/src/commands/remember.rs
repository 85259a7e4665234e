//! `testimony remember`.

use engine::Engine;
use engine::answer::Observed;
use engine::remember::Remember;
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Stop};
use crate::proposing::{Proposing, Tally};
use crate::{interrupt, tell};

/// Keep words on purpose
///
/// Without a predicate the text is kept as a note, and the built-in rules may add what else it says. With one, exactly that is
/// kept, if the text says it. The exit code is 1 when nothing of it was admitted.
///
/// Where models.toml names a model under `[propose]`, it is shown the text once that is kept, and may add to it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony remember \"Please, no meetings before 9:30.\"
  testimony remember --kind preference \"I prefer short answers.\"
  testimony remember --entity self --predicate home_city --value Zagreb \"I live in Zagreb.\"")]
pub(crate) struct Arguments {
    /// The words
    #[arg(value_name = "TEXT")]
    text: String,
    /// What kind of thing they are
    #[arg(long, value_enum, default_value_t = Kind::Fact)]
    kind: Kind,
    /// Whom or what they are about: `self`, or a name such as `acme` or `person:ana`
    #[arg(long, value_name = "E")]
    entity: Option<String>,
    /// What they say of it, such as `home_city`
    #[arg(long, value_name = "P")]
    predicate: Option<String>,
    /// The value, as the words have it
    #[arg(long, value_name = "V")]
    value: Option<String>,
    /// When it was said; now, when left out
    #[arg(long, value_name = "INSTANT")]
    event_time: Option<String>,
    /// Make no vectors now; a process that lives long, or `reembed`, makes them later
    #[arg(long)]
    no_embed: bool,
    /// Ask no model, also where one is configured
    #[arg(long)]
    no_propose: bool,
}

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    observed: Observed,
    /// What the configured model added; absent where none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed: Option<Tally>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Something that is so
    Fact,
    /// How you want to be answered or served
    Preference,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let said = crate::context::maybe_moment("--event-time", arguments.event_time.as_deref())?;
    let engine = context.create()?;
    let remember = Remember {
        text: arguments.text,
        is_preference: arguments.kind == Kind::Preference,
        entity: arguments.entity,
        predicate: arguments.predicate,
        value: arguments.value,
        event_time: said.map(|said| said.to_string()),
        idempotency_key: None,
    };
    let mut observed = engine.remember(context.call(), remember)?;
    let mut proposed = None;
    if !arguments.no_propose && observed.evidence.is_some() {
        // The words are kept by now: a model that cannot be asked is a notice, never a failure.
        match propose(context, &engine, &observed) {
            Ok((tally, why_not)) => {
                proposed = tally;
                observed.notices.extend(why_not);
            }
            Err(Stop::Failed(failure)) => {
                observed.notices.push(format!("no model was asked: {}", failure.message));
            }
            Err(Stop::PipeClosed) => {}
        }
    }
    let answer = Answer { observed, proposed };
    context.notices(&answer.observed.notices);
    context.answer(&answer, |answer| {
        let mut told = tell::observed(&answer.observed);
        answer.proposed.iter().for_each(|tally| told.push_str(&tell::proposed(tally)));
        told
    })?;
    context.embed_some(&engine, arguments.no_embed);
    let own = answer.observed.counts;
    let added = answer.proposed.map_or(0, |tally| tally.counts.admitted);
    let nothing = own.admitted == 0 && own.duplicate == 0 && added == 0;
    Ok(if nothing { Exit::Refused } else { Exit::Done })
}

/// Has the configured model read what was kept; `None` where none is configured.
fn propose(
    context: &Context,
    engine: &Engine,
    observed: &Observed,
) -> Result<(Option<Tally>, Option<String>), Stop> {
    let Some(mut proposing) = Proposing::open(context, engine, None)? else { return Ok((None, None)) };
    interrupt::finish_in_flight();
    let ids: Vec<&str> = observed.evidence.as_deref().into_iter().collect();
    let mut tally = Tally::default();
    let ended = proposing.about(&ids, |batch, proposed| {
        if proposed.is_settled() {
            tally.add(batch, proposed);
        }
    })?;
    let why_not = ended.map(|ended| format!("the model did not answer: {}", ended.reason));
    Ok((Some(tally).filter(|tally| tally.calls > 0), why_not))
}
