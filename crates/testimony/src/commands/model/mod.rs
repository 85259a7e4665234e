//! `testimony model`: which models there are.

mod check;
mod list;
mod pull;
mod verify;

use clap::Subcommand;
use inference::{InferenceError, InferenceErrorKind};

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};

/// Which models there are, whether they answer, and the one that works on this machine
///
/// `model pull` fetches a model that finds memories by meaning, in many languages, without a network afterwards. It is kept in one
/// place for all data directories: `TESTIMONY_MODELS_DIR`, or `models` in the platform's place for data.
///
/// Models elsewhere are named in a file by tier: `fast`, `deep`, `embed`, `rerank` or any other name. Each says which server to speak to and
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
  testimony model pull
  testimony model verify
  testimony model list
  testimony model check
  testimony --models work.toml model check fast")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Pull(pull::Arguments),
    Verify(verify::Arguments),
    List(list::Arguments),
    Check(check::Arguments),
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    match arguments.verb {
        Verb::Pull(arguments) => pull::run(context, arguments),
        Verb::Verify(arguments) => verify::run(context, arguments),
        Verb::List(arguments) => list::run(context, arguments),
        Verb::Check(arguments) => check::run(context, arguments),
    }
}

/// The directory of packs.
fn directory() -> Result<std::path::PathBuf, Failure> {
    testimony::models::models_directory().ok_or_else(|| {
        Failure::usage("there is no home directory to keep models in")
            .hint("name a directory with `TESTIMONY_MODELS_DIR`")
    })
}

/// A failure of a model, told.
fn failed(error: &InferenceError) -> Failure {
    let (exit, code, hint) = match error.kind() {
        InferenceErrorKind::Unreachable => (
            Exit::Conflict,
            "unreachable",
            Some(
                "try again: the pull goes on where it stopped; or `--index URL`, or `--from FILE` with a package at hand",
            ),
        ),
        InferenceErrorKind::BadReply => (
            Exit::Input,
            "bad_reply",
            Some("name another index with `--index URL`, or give a package at hand with `--from FILE`"),
        ),
        InferenceErrorKind::Cancelled => (Exit::Interrupted, "interrupted", None),
        InferenceErrorKind::ModelFile => (Exit::Damaged, "model_file", None),
        _ => (Exit::Input, "bad_input", None),
    };
    Failure { exit, code, message: error.to_string(), hint }
}
