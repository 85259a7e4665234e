//! `testimony profile`.

use crate::context::{Context, Outcome};
use crate::failure::Exit;

/// Show what must be known before any search: who you are and what to keep to
///
/// Identity and durable constraints, whatever the request; small enough to be handed to a model once. The exit code is 1 when
/// there is nothing.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony profile\n  testimony --json profile")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context, _: Arguments) -> Outcome {
    let answer = context.look()?.profile(context.call())?;
    context.answer(&answer, |profile| match profile.items.is_empty() {
        true => "nothing is known that would always matter\n".to_owned(),
        false => profile.text.clone(),
    })?;
    context.notices(&answer.notices);
    Ok(if answer.items.is_empty() { Exit::Refused } else { Exit::Done })
}
