//! `testimony init`.

use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::failure::Exit;

/// Make the data directory
///
/// Other verbs that write make it too; this one only says where it is.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony init\n  testimony --data ./memory init")]
pub(crate) struct Arguments {}

#[derive(Serialize)]
struct Made {
    data: String,
    created: bool,
    subject: String,
    predicates: String,
    admission: String,
}

pub(crate) fn run(context: &Context, _: Arguments) -> Outcome {
    let created = !context.exists();
    let engine = context.create()?;
    let made = Made {
        data: context.data.display().to_string(),
        created,
        subject: context.scope.subject().as_str().to_owned(),
        predicates: engine.registry().version().to_owned(),
        admission: engine.policies().admission.version.clone(),
    };
    context.answer(&made, |made| {
        let what = if made.created { "created" } else { "already there" };
        format!("{} ({what})", made.data)
    })?;
    Ok(Exit::Done)
}
