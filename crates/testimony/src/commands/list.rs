//! `testimony list`.

use engine::list::List;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// List what is kept of you, the newest first
///
/// Notes and preferences unless another kind is named. Correct one with `correct`, forget one with `forget`. The exit code is
/// 1 when there is nothing.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony list
  testimony list --kind preference --limit 20
  testimony --json list --kind all --world --after ve_…")]
pub(crate) struct Arguments {
    /// entry (notes and preferences), fact (all others), all, or a class such as `constraint`
    #[arg(long, value_name = "KIND", default_value = "entry")]
    kind: String,
    /// Memories, at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// The last memory of the page before
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    /// Also what documents and others said
    #[arg(long)]
    world: bool,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let Arguments { kind, limit, after, world } = arguments;
    let answer = context.look()?.list(context.call(), &List { kind, limit, after, world })?;
    context.answer(&answer, tell::recalled)?;
    context.notices(&answer.notices);
    Ok(if answer.items.is_empty() { Exit::Refused } else { Exit::Done })
}
