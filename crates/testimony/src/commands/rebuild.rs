//! `testimony rebuild`.

use engine::Call;
use inference::Cancel;
use ledger::scope::Scope;
use serde::Serialize;
use testimony::embedding::embed;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::{interrupt, tell};

/// Drop everything derived and make it again from the log
///
/// Vectors are dropped and made again, where a model is set up. What else is derived lives in memory: every subject's log is
/// folded anew and every history worked out again from its claims, to see that it can be.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony rebuild\n  testimony --json rebuild")]
pub(crate) struct Arguments {
    /// Make no vectors now; a process that lives long, or `reembed`, makes them later
    #[arg(long)]
    no_embed: bool,
}

#[derive(Serialize)]
struct Rebuilt {
    /// Subjects folded anew.
    subjects: u64,
    appends: u64,
    facts: u64,
    /// Facts that hold now, over all subjects.
    current: u64,
    /// Vectors dropped.
    dropped: u64,
    /// Vectors made again.
    embedded: u64,
    ok: bool,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let engine = context.look()?;
    let verified = engine.verify_all(context.now())?;
    let (mut current, mut dropped, mut embedded) = (0, 0, 0);
    interrupt::finish_in_flight();
    let cancel = Cancel::default();
    for subject in engine.store().subjects().map_err(engine::EngineError::from)? {
        let scope = Scope::of(subject);
        let state = engine.state(Call { scope: &scope, now: context.now() }, None, None)?;
        current += state.items.len() as u64;
        if context.exists() {
            dropped += engine
                .store()
                .vector_store()
                .drop_vectors(&scope, None)
                .map_err(engine::EngineError::from)?;
        }
    }
    // Another engine, that holds none of what was dropped.
    let again = context.look()?;
    let subjects = again.store().subjects().map_err(engine::EngineError::from)?;
    for subject in subjects.into_iter().filter(|_| !arguments.no_embed && again.model().is_some()) {
        let scope = Scope::of(subject);
        let call = Call { scope: &scope, now: context.now() };
        let progress = embed(&again, call, usize::MAX, &cancel, |_| {
            if interrupt::asked() {
                cancel.cancel();
            }
        })?;
        embedded += progress.done;
    }
    let rebuilt = Rebuilt {
        subjects: verified.subjects,
        appends: verified.appends,
        facts: verified.facts,
        current,
        dropped,
        embedded,
        ok: verified.ok,
    };
    context.answer(&rebuilt, |rebuilt| {
        format!(
            "{} folded anew: {}, {} of them hold now; {} dropped, {} made again",
            tell::count(rebuilt.subjects, "subject", "subjects"),
            tell::count(rebuilt.facts, "fact", "facts"),
            rebuilt.current,
            tell::count(rebuilt.dropped, "vector", "vectors"),
            rebuilt.embedded
        )
    })?;
    for damage in &verified.damage {
        context.say(&format!("error: {}: {}", damage.place, damage.what));
    }
    Ok(if rebuilt.ok { Exit::Done } else { Exit::Damaged })
}
