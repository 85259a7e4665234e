//! `testimony sources`.

use std::fmt::Write;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// List where words came from
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony sources\n  testimony --json sources")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context, _: Arguments) -> Outcome {
    let answer = context.look()?.sources(context.call())?;
    context.answer(&answer, |answer| {
        let mut told = String::new();
        for source in &answer.sources {
            let title = source.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
            _ = writeln!(
                told,
                "{} {}:{}{title} · {} · {} · {}",
                source.id,
                source.kind,
                source.reference,
                source.fidelity,
                source.mode,
                tell::count(source.claims as u64, "claim", "claims")
            );
        }
        told
    })?;
    Ok(Exit::Done)
}
