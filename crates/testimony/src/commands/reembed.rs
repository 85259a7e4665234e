//! `testimony reembed`.

use engine::{Call, EngineError};
use inference::Cancel;
use ledger::scope::Scope;
use serde::Serialize;
use testimony::embedding::embed;

use crate::commands::import::progress;
use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};
use crate::{interrupt, tell};

/// Give every memory its vector, and drop those of other models
///
/// Goes on where it was stopped: what is done is kept, and Ctrl-C loses a batch at most. Vectors of another model serve whoever
/// uses that model until a subject is done, and are then dropped. All subjects are seen to.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  testimony reembed\n  testimony --json reembed --model multilingual-e5-small"
)]
pub(crate) struct Arguments {
    /// The model; the one that is set up, when left out
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

#[derive(Serialize)]
struct Reembedded {
    model: String,
    subjects: u64,
    /// Memories that got a vector.
    done: u64,
    /// Memories that have none yet.
    missing: u64,
    total: u64,
    /// Vectors of other models that were dropped.
    dropped: u64,
    notices: Vec<String>,
    interrupted: bool,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let engine = context.create()?;
    let Some(model) = engine.model().cloned() else {
        return Err(Failure::input("no embedding model is set up")
            .hint("`testimony model pull` fetches one; without it memories are found by their words")
            .into());
    };
    if let Some(other) = arguments.model.filter(|name| *name != model.name) {
        return Err(Failure::input(format!("model `{other}` is not set up; `{}` is", model.name)).into());
    }
    interrupt::finish_in_flight();
    let cancel = Cancel::default();
    let bar = progress(context);
    bar.set_message("embedding");
    let mut told = Reembedded {
        model: model.name.clone(),
        subjects: 0,
        done: 0,
        missing: 0,
        total: 0,
        dropped: 0,
        notices: Vec::new(),
        interrupted: false,
    };
    let kept = engine.store().vector_store();
    for subject in engine.store().subjects().map_err(EngineError::from)? {
        let scope = Scope::of(subject);
        let call = Call { scope: &scope, now: context.now() };
        let before = told.done;
        let progress = embed(&engine, call, usize::MAX, &cancel, |progress| {
            bar.set_length(before + progress.done + progress.missing);
            bar.set_position(before + progress.done);
            if interrupt::asked() {
                cancel.cancel();
            }
        })?;
        told.subjects += 1;
        told.done += progress.done;
        told.missing += progress.missing;
        told.total += progress.total;
        told.notices.extend(progress.notices);
        if progress.missing == 0 {
            for (other, _) in kept.vector_models(&scope).map_err(EngineError::from)? {
                if other.mark != model.mark {
                    told.dropped += kept.drop_vectors(&scope, Some(&other)).map_err(EngineError::from)?;
                }
            }
        }
        if interrupt::asked() {
            told.interrupted = true;
            break;
        }
    }
    bar.finish_and_clear();
    told.notices.dedup();
    context.notices(&told.notices);
    context.answer(&told, |told| {
        format!(
            "{} of {} have a vector of `{}`, {} made now; {} of other models dropped",
            told.total - told.missing,
            tell::count(told.total, "memory", "memories"),
            told.model,
            told.done,
            told.dropped
        )
    })?;
    Ok(match (told.interrupted, told.missing) {
        (true, _) => Exit::Interrupted,
        (false, 0) => Exit::Done,
        (false, _) => Exit::Refused,
    })
}
