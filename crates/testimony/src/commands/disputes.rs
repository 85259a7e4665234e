//! `testimony disputes`.

use std::fmt::Write;

use engine::history::Resolve;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};
use crate::tell;

/// Show what is in dispute, or decide one
///
/// A dispute is never settled in silence: deciding one is an act, recorded with its reason.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony disputes
  testimony disputes --resolve fa_… --keep ve_… --reason \"the 2026 report is audited\"")]
pub(crate) struct Arguments {
    /// The fact whose dispute is decided
    #[arg(long, value_name = "FACT", requires = "keep", requires = "reason")]
    resolve: Option<String>,
    /// The version that is kept
    #[arg(long, value_name = "VERSION", requires = "resolve")]
    keep: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", requires = "resolve")]
    reason: Option<String>,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    match (arguments.resolve, arguments.keep, arguments.reason) {
        (Some(fact), Some(keep), Some(reason)) => {
            let by = context.scope.subject().as_str().to_owned();
            let resolved =
                context.look()?.resolve_dispute(context.call(), &Resolve { fact, keep, reason, by })?;
            context.answer(&resolved, |resolved| {
                format!("{} kept; overruled: {}", resolved.kept, resolved.overruled.join(" "))
            })?;
            Ok(Exit::Done)
        }
        (None, None, None) => {
            let answer = context.look()?.disputes(context.call(), None, None)?;
            context.answer(&answer, |answer| {
                let mut told = String::new();
                for dispute in &answer.disputes {
                    _ = writeln!(told, "{}", tell::fact(&dispute.fact));
                    for version in &dispute.versions {
                        _ = writeln!(told, "{}", tell::version(version));
                    }
                }
                if answer.disputes.is_empty() {
                    told.push_str("nothing is in dispute\n");
                }
                told
            })?;
            Ok(Exit::Done)
        }
        _ => Err(Failure::usage("`--resolve`, `--keep` and `--reason` go together").into()),
    }
}
