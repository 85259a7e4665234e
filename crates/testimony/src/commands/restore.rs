//! `testimony restore`.

use std::path::PathBuf;

use testimony::backup::{Restore, Restored, put_back};

use crate::commands::backup;
use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};
use crate::{interrupt, tell};

/// Put a copy back, into an empty data directory only
///
/// Every file is compared with the copy's list first, and the store checked afterwards, as by `verify`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony --data ./restored restore /media/stick/memory-2026-03-01
  testimony restore --check /media/stick/memory-2026-03-01
  testimony --data ./restored restore /media/stick/memory-2026-03-01 --keys /media/safe/keys-2026-03-08")]
pub(crate) struct Arguments {
    /// A directory made by `backup`
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Where the copy's keys are, if they were kept apart: those copied last
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    keys: Option<PathBuf>,
    /// Only compare the copy file by file with its list
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    if arguments.check {
        return backup::check_copy(context, &arguments.directory);
    }
    let restore = Restore { from: arguments.directory, keys: arguments.keys, data: context.data.clone() };
    interrupt::finish_in_flight();
    let bar = backup::bar(context, "putting back");
    let restored = put_back(&restore, &mut |progress| backup::advance(&bar, progress));
    bar.finish_and_clear();
    let restored = restored?;
    if restored.subjects_forgotten > 0 {
        context.store()?.forget_keyless().map_err(engine::EngineError::from)?;
    }
    let verified = context.create()?.verify_all(context.now())?;
    if let Some(first) = verified.damage.first() {
        return Err(Failure {
            exit: Exit::Damaged,
            code: "damaged",
            message: format!("the copy is damaged at {}: {}", first.place, first.what),
            hint: Some("`testimony verify` names every place; try an older copy"),
        }
        .into());
    }
    context.answer(&restored, told)?;
    Ok(Exit::Done)
}

fn told(restored: &Restored) -> String {
    let files = tell::count(restored.files as u64, "file", "files");
    let mut told = format!(
        "{} ({files}, {} bytes), as of {}\n",
        restored.directory.display(),
        restored.bytes,
        restored.taken_at
    );
    if restored.subjects_forgotten > 0 {
        let subjects = tell::count(restored.subjects_forgotten, "subject was", "subjects were");
        told.push_str(&format!("  {subjects} forgotten since and not put back\n"));
    }
    told
}
