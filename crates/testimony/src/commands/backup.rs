//! `testimony backup`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use testimony::backup::manifest::Part;
use testimony::backup::{Backup, Checked, Keys, Progress, Taken, check, take};

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::{interrupt, tell};

/// Copy everything into an empty directory, while others go on writing
///
/// The copy is one consistent state: database, keys, settings and telemetry, with a list of every file, its size and its hash. What
/// is derived is left out, and said so. Interrupted, nothing is left; killed, what is left says that it is unfinished.
#[derive(clap::Args)]
#[command(after_help = "\
What is forgotten later is still in an older copy that holds its keys. Kept apart, keys can be copied anew after
forgetting and their older copies destroyed; then whoever was forgotten whole cannot be read in any older copy.

Examples:
  testimony backup /media/stick/memory-2026-03-01
  testimony backup --check /media/stick/memory-2026-03-01
  testimony backup /media/stick/memory-2026-03-01 --keys-apart /media/safe/keys-2026-03-01
  testimony backup --keys-only /media/safe/keys-2026-03-08")]
pub(crate) struct Arguments {
    /// An empty or new directory; with `--check` a copy taken before
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Compare a copy file by file with its list, wherever it was carried, and name what differs
    #[arg(long)]
    check: bool,
    /// Put the keys into another empty or new directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["check", "keys_only"])]
    keys_apart: Option<PathBuf>,
    /// Copy the keys alone, such as after something was forgotten
    #[arg(long, conflicts_with = "check")]
    keys_only: bool,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    if arguments.check {
        return check_copy(context, &arguments.directory);
    }
    let keys = match (arguments.keys_apart, arguments.keys_only) {
        (Some(directory), _) => Keys::Apart(directory),
        (None, true) => Keys::Alone,
        (None, false) => Keys::Within,
    };
    let note = match keys {
        Keys::Within => "note: the copy holds its keys; forgetting does not reach it",
        Keys::Apart(_) => "note: neither part can be read without the other; keep them in different places",
        Keys::Alone => "note: these keys open every copy of the data that is no younger",
    };
    let backup = Backup { data: context.data.clone(), target: arguments.directory, keys, now: context.now() };
    interrupt::finish_in_flight();
    let bar = bar(context, "copying");
    let taken = take(&backup, &mut |progress| advance(&bar, progress));
    bar.finish_and_clear();
    context.answer(&taken?, told)?;
    if !context.json {
        context.say(note);
    }
    Ok(Exit::Done)
}

/// A bar over bytes on standard error; none where nobody watches.
pub(crate) fn bar(context: &Context, doing: &'static str) -> ProgressBar {
    let bar = super::import::progress(context);
    bar.set_message(doing);
    bar
}

/// Moves the bar on; answers whether to go on.
pub(crate) fn advance(bar: &ProgressBar, progress: Progress) -> ControlFlow<()> {
    bar.set_length(progress.total);
    bar.set_position(progress.done);
    if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn told(taken: &Taken) -> String {
    let files = tell::count(taken.files as u64, "file", "files");
    let mut told = format!("{} ({files}, {} bytes)\n", taken.directory.display(), taken.bytes);
    if let Some(keys) = &taken.keys {
        told.push_str(&format!("  keys: {}\n", keys.display()));
    }
    if !taken.left_out.is_empty() {
        told.push_str(&format!("  left out: {}\n", taken.left_out.join(", ")));
    }
    told
}

/// Compares a copy with its list; the exit code is 5 when anything differs.
pub(crate) fn check_copy(context: &Context, directory: &Path) -> Outcome {
    let checked = check(directory)?;
    context.answer(&checked, checked_told)?;
    if !context.json && !checked.open_to_others.is_empty() {
        let files = tell::count(checked.open_to_others.len() as u64, "file is", "files are");
        context.say(&format!("note: {files} open to others; `restore` closes what it puts back"));
    }
    Ok(if checked.ok { Exit::Done } else { Exit::Damaged })
}

fn checked_told(checked: &Checked) -> String {
    let files = tell::count(checked.files as u64, "file", "files");
    let holds = match checked.part {
        Part::Whole => "data and keys",
        Part::Data => "data without keys",
        Part::Keys => "keys alone",
    };
    let verdict = if checked.ok { "as it was written" } else { "NOT as it was written" };
    let mut told = format!(
        "{}: {verdict}\n  {holds}, {files}, {} bytes, of {}, taken {} by {}\n",
        checked.directory.display(),
        checked.bytes,
        tell::count(checked.subjects.len() as u64, "subject", "subjects"),
        checked.taken_at,
        checked.program,
    );
    for difference in &checked.differences {
        told.push_str(&format!("  `{}` {}\n", difference.path, difference.what));
    }
    told
}
