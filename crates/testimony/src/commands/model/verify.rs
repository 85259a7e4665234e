//! `testimony model verify`.

use std::path::PathBuf;

use inference::local::KNOWN_MODELS;
use inference::local::pull::check;
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::failure::Exit;

/// Check every model on this machine against its hash
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony model verify\n  testimony model verify --json")]
pub(crate) struct Arguments {}

#[derive(Serialize)]
struct Answer {
    models: Vec<State>,
}

#[derive(Serialize)]
struct State {
    name: &'static str,
    what: &'static str,
    path: PathBuf,
    /// `whole`, `absent` or `damaged`.
    state: &'static str,
    problem: Option<String>,
}

pub(crate) fn run(context: &Context, Arguments {}: Arguments) -> Outcome {
    let directory = super::directory()?;
    let models: Vec<State> = KNOWN_MODELS
        .iter()
        .map(|model| {
            let path = directory.join(model.file_name());
            let (state, problem) = match check(model, &path) {
                Ok(()) => ("whole", None),
                Err(_) if !path.exists() => ("absent", None),
                Err(error) => ("damaged", Some(error.to_string())),
            };
            State { name: model.name, what: model.what, path, state, problem }
        })
        .collect();
    let answer = Answer { models };
    context.answer(&answer, |answer| {
        let line = |state: &State| {
            let told = match (state.state, &state.problem) {
                (_, Some(problem)) => problem.clone(),
                ("absent", None) => "not here; `testimony model pull` fetches it".to_owned(),
                (word, None) => format!("{word}, {}", state.path.display()),
            };
            format!("{}: {told}\n", state.name)
        };
        answer.models.iter().map(line).collect()
    })?;
    Ok(match answer.models.iter().any(|model| model.state == "damaged") {
        true => Exit::Damaged,
        false if answer.models.iter().all(|model| model.state == "whole") => Exit::Done,
        false => Exit::Refused,
    })
}
