//! `testimony verify`.

use std::fmt::Write;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// Check the store, every chain, every quote and every history
///
/// All subjects are checked. The exit code is 5 when anything is wrong.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony verify\n  testimony --json verify")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context, _: Arguments) -> Outcome {
    let answer = context.look()?.verify_all(context.now())?;
    context.answer(&answer, |verified| {
        let mut told = format!(
            "{}: {}, {}, {}, {}\n",
            if verified.ok { "all is well" } else { "DAMAGED" },
            tell::count(verified.subjects, "subject", "subjects"),
            tell::count(verified.appends, "append", "appends"),
            tell::count(verified.quotes, "quote", "quotes"),
            tell::count(verified.facts, "fact", "facts"),
        );
        for damage in &verified.damage {
            _ = writeln!(told, "  {}: {}", damage.place, damage.what);
        }
        told
    })?;
    if !answer.ok {
        context.say("hint: `testimony restore` brings a backup back");
        return Ok(Exit::Damaged);
    }
    Ok(Exit::Done)
}
