//! `testimony model`: the models of this machine.

mod pull;
mod verify;

use clap::Subcommand;
use inference::{InferenceError, InferenceErrorKind};

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};

/// Fetch and check the models that work on this machine
///
/// Packs are kept in one place for all data directories: `TESTIMONY_MODELS_DIR`, or `models` in the platform's place for data.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony model pull\n  testimony model verify")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Pull(pull::Arguments),
    Verify(verify::Arguments),
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    match arguments.what {
        What::Pull(arguments) => pull::run(context, arguments),
        What::Verify(arguments) => verify::run(context, arguments),
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
