//! `testimony model`: which models there are.

mod check;
mod list;

use clap::Subcommand;

use crate::context::{Context, Outcome};

/// Which models there are, and whether they answer
///
/// Models are named in a file by tier: `fast`, `deep`, `embed`, `rerank` or any other name. Each says which server to speak to and
/// how, what the model can do, and where its key is: in a variable of the environment, in a file, or printed by a command. The
/// key itself never stands in the file. Testimony needs no model; with one, `propose` and `remember` find more.
#[derive(clap::Args)]
#[command(after_help = "\
A models.toml:
  [tier.fast]
  vendor = \"ollama\"
  model = \"qwen3:8b\"
  can = [\"chat\", \"json_schema\"]

  [tier.embed]
  vendor = \"openai\"
  key = { environment = \"OPENAI_API_KEY\" }
  model = \"text-embedding-3-small\"
  can = [\"embed\"]
  dims = 1536

  [propose]
  tier = \"fast\"

Examples:
  testimony model list
  testimony model check
  testimony --models work.toml model check fast")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(list::Arguments),
    Check(check::Arguments),
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    match arguments.verb {
        Verb::List(arguments) => list::run(context, arguments),
        Verb::Check(arguments) => check::run(context, arguments),
    }
}
