//! `testimony rebuild`.

use engine::Call;
use ledger::scope::Scope;
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// Drop everything derived and make it again from the log
///
/// What is derived lives in memory in this version, so nothing on disk is dropped: every subject's log is folded anew and every
/// history worked out again from its claims, to see that it can be.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony rebuild\n  testimony --json rebuild")]
pub(crate) struct Arguments {}

#[derive(Serialize)]
struct Rebuilt {
    /// Subjects folded anew.
    subjects: u64,
    appends: u64,
    facts: u64,
    /// Facts that hold now, over all subjects.
    current: u64,
    /// Derived files dropped from disk; there are none in this version.
    dropped: u64,
    ok: bool,
}

pub(crate) fn run(context: &Context, _: Arguments) -> Outcome {
    let engine = context.look()?;
    let verified = engine.verify_all(context.now())?;
    let mut current = 0;
    for subject in engine.store().subjects().map_err(engine::EngineError::from)? {
        let scope = Scope::of(subject);
        let state = engine.state(Call { scope: &scope, now: context.now() }, None, None)?;
        current += state.items.len() as u64;
    }
    let rebuilt = Rebuilt {
        subjects: verified.subjects,
        appends: verified.appends,
        facts: verified.facts,
        current,
        dropped: 0,
        ok: verified.ok,
    };
    context.answer(&rebuilt, |rebuilt| {
        format!(
            "{} folded anew: {}, {} of them hold now; nothing derived is kept on disk",
            tell::count(rebuilt.subjects, "subject", "subjects"),
            tell::count(rebuilt.facts, "fact", "facts"),
            rebuilt.current
        )
    })?;
    for damage in &verified.damage {
        context.say(&format!("error: {}: {}", damage.place, damage.what));
    }
    Ok(if rebuilt.ok { Exit::Done } else { Exit::Damaged })
}
