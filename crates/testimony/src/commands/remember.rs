//! `testimony remember`.

use engine::remember::Remember;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// Keep words on purpose
///
/// Without a predicate the text is kept as a note, and the built-in rules may add what else it says. With one, exactly that is
/// kept, if the text says it. The exit code is 1 when nothing of it was admitted.
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
    };
    let answer = engine.remember(context.call(), remember)?;
    context.notices(&answer.notices);
    context.answer(&answer, tell::observed)?;
    context.embed_some(&engine, arguments.no_embed);
    let nothing = answer.counts.admitted == 0 && answer.counts.duplicate == 0;
    Ok(if nothing { Exit::Refused } else { Exit::Done })
}
