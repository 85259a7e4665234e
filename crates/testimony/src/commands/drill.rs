//! `testimony drill`.

use std::path::PathBuf;

use testimony::drill::{Drill, Drilled, drill};

use crate::commands::backup;
use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::{interrupt, tell};

/// Prove a backup: put it back beside the store, check all of it, compare, take it away
///
/// Without a directory a backup is taken for it. Chains, quotes and histories are checked, the newest turns resolved again, and what
/// holds compared with the store as it was then. `doctor` tells when that last went well. The exit code is 5 when anything differs.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony drill
  testimony drill /media/stick/memory-2026-03-01
  testimony drill /media/stick/memory-2026-03-01 --keys /media/safe/keys-2026-03-08")]
pub(crate) struct Arguments {
    /// A backup; one is taken when left out
    #[arg(value_name = "BACKUP")]
    backup: Option<PathBuf>,
    /// Where its keys are, if they were kept apart
    #[arg(long, value_name = "DIR", requires = "backup")]
    keys: Option<PathBuf>,
    /// Where to put it back meanwhile [default: the directory for temporary files]
    #[arg(long, value_name = "DIR")]
    place: Option<PathBuf>,
    /// How many of each subject's newest turns to resolve again
    #[arg(long, value_name = "N", default_value_t = 20)]
    turns: usize,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let held = Drill {
        config: context.plain_config(),
        backup: arguments.backup,
        keys: arguments.keys,
        place: arguments.place,
        turns: arguments.turns,
        now: context.now(),
    };
    interrupt::finish_in_flight();
    let bar = backup::bar(context, "drilling");
    let drilled = drill(&held, &mut |progress| backup::advance(&bar, progress));
    bar.finish_and_clear();
    let drilled = drilled?;
    context.notices(&drilled.notices);
    context.answer(&drilled, told)?;
    Ok(if drilled.ok { Exit::Done } else { Exit::Damaged })
}

fn told(drilled: &Drilled) -> String {
    let mut told = format!(
        "{}: {}, {}, {}, {}, {}, {}\n",
        if drilled.ok { "the backup works" } else { "the backup DOES NOT WORK" },
        tell::count(drilled.subjects, "subject", "subjects"),
        tell::count(drilled.appends, "append", "appends"),
        tell::count(drilled.quotes, "quote", "quotes"),
        tell::count(drilled.facts, "fact", "facts"),
        tell::count(drilled.turns, "turn resolved again", "turns resolved again"),
        tell::count(drilled.recalls, "recall alike", "recalls alike"),
    );
    for difference in &drilled.differences {
        told.push_str(&format!("  {difference}\n"));
    }
    if drilled.more > 0 {
        told.push_str(&format!("  and {} more\n", drilled.more));
    }
    told
}
