//! `testimony timeline`.

use std::fmt::Write;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// Show everything that happened to all facts, in the order it came to be known
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony timeline\n  testimony --json timeline")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context, _: Arguments) -> Outcome {
    let answer = context.look()?.timeline(context.call())?;
    context.answer(&answer, |timeline| {
        let mut told = String::new();
        for event in &timeline.events {
            let happened = &event.happened;
            _ = write!(
                told,
                "{} {} {} {} = {}",
                happened.at,
                happened.transition,
                event.fact.entity,
                event.fact.predicate,
                tell::value(&event.value)
            );
            if let Some(reason) = &happened.reason {
                _ = write!(told, " because: {reason}");
            }
            _ = writeln!(told, " · {}", happened.version);
        }
        told
    })?;
    Ok(Exit::Done)
}
