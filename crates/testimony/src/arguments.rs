//! What can be asked: the global options and the verbs.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    access, backup, completions, correct, demo, disputes, doctor, drill, export, forget, history, import,
    init, keys, lift, list, man, mcp, model, observe, policy, profile, propose, rebuild, recall, reembed,
    remember, replay, restore, serve, shadow, sources, state, study, timeline, turn, used, verify, why,
};

const ABOUT: &str = "Memory for AI agents that you can cross-examine";

const LONG_ABOUT: &str = "\
Memory for AI agents that you can cross-examine.

Every remembered thing leads back to the exact words that support it. Nothing a model says becomes memory until \
deterministic code admits it. Old truth is closed, never overwritten; disagreement is shown; what you ask to forget is \
gone.";

const AFTER_HELP: &str = "\
Answers go to standard output, talk to standard error; with --json every answer is one JSON object, or one a line for \
streams. Instants are RFC 3339 with an offset or a [Zone]; where a plain date will do, it is the start of that day in UTC.

Exit codes:
  0   done
  1   refused, or nothing found
  2   the command was not understood
  3   bad input
  4   conflict: somebody else changed or holds it; try again
  5   the store is damaged, its key is missing, or it is from a newer version
  6   not permitted, or no room on the disk
  70  our fault
  130 interrupted

Examples:
  testimony demo
  testimony remember \"I live in Zagreb.\"
  testimony recall \"where do I live?\"
  testimony why ve_…";

/// Memory for AI agents that you can cross-examine.
#[derive(Parser)]
#[command(
    name = "testimony",
    version,
    about = ABOUT,
    long_about = LONG_ABOUT,
    after_help = AFTER_HELP,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub verb: Verb,
}

/// Options of every verb; they may stand before or after it.
#[derive(clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The data directory [default: the platform's place for data]
    #[arg(long, global = true, value_name = "DIR", env = "TESTIMONY_DATA", hide_env_values = true)]
    pub data: Option<PathBuf>,
    /// Whose memory it is
    #[arg(long, global = true, value_name = "NAME", default_value = "me")]
    pub subject: String,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// What the clock says, so that a run can be repeated
    #[arg(long, global = true, value_name = "INSTANT")]
    pub now: Option<String>,
    /// A directory with predicates or an admission policy of one's own
    #[arg(long, global = true, value_name = "DIR", env = "TESTIMONY_POLICIES", hide_env_values = true)]
    pub policies: Option<PathBuf>,
    /// The file that says which models there are [default: `models.toml` in the data directory]
    #[arg(long, global = true, value_name = "FILE", env = "TESTIMONY_MODELS", hide_env_values = true)]
    pub models: Option<PathBuf>,
}

/// The verbs, in the order a memory lives them.
#[derive(Subcommand)]
pub(crate) enum Verb {
    Init(init::Arguments),
    Observe(observe::Arguments),
    Remember(remember::Arguments),
    Import(import::Arguments),
    Propose(propose::Arguments),
    Recall(recall::Arguments),
    Profile(profile::Arguments),
    List(list::Arguments),
    Correct(correct::Arguments),
    Turn(turn::Arguments),
    Used(used::Arguments),
    Replay(replay::Arguments),
    Policy(policy::Arguments),
    Why(why::Arguments),
    History(history::Arguments),
    Timeline(timeline::Arguments),
    State(state::Arguments),
    Disputes(disputes::Arguments),
    Sources(sources::Arguments),
    Forget(forget::Arguments),
    Lift(lift::Arguments),
    Verify(verify::Arguments),
    Doctor(doctor::Arguments),
    Export(export::Arguments),
    Backup(backup::Arguments),
    Restore(restore::Arguments),
    Drill(drill::Arguments),
    Keys(keys::Arguments),
    Serve(serve::Arguments),
    Mcp(mcp::Arguments),
    Access(access::Arguments),
    Rebuild(rebuild::Arguments),
    Shadow(shadow::Arguments),
    Study(study::Arguments),
    Reembed(reembed::Arguments),
    Model(model::Arguments),
    Demo(demo::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// Reads the command line of this process.
pub(crate) fn read() -> Result<Arguments, clap::Error> {
    Arguments::try_parse_from(name_whole_subject(std::env::args_os().collect()))
}

/// `forget --subject`, with no name behind it, means the whole subject; everywhere else the option takes a name.
fn name_whole_subject(mut arguments: Vec<OsString>) -> Vec<OsString> {
    const TAKE_A_VALUE: [&str; 5] = ["--data", "--subject", "--now", "--policies", "--models"];
    let is_value = |place: usize| {
        place
            .checked_sub(1)
            .and_then(|before| arguments.get(before))
            .is_some_and(|before| TAKE_A_VALUE.iter().any(|option| before == option))
    };
    let verb = (1..arguments.len())
        .find(|place| !is_value(*place) && !arguments[*place].to_string_lossy().starts_with('-'));
    let Some(verb) = verb.filter(|verb| arguments[*verb] == "forget") else { return arguments };
    for place in verb + 1..arguments.len() {
        let has_name = arguments.get(place + 1).is_some_and(|next| !next.to_string_lossy().starts_with('-'));
        if arguments[place] == "--subject" && !has_name {
            arguments[place] = "--whole-subject".into();
        }
    }
    arguments
}

/// The command as data, for completions and manual pages.
pub(crate) fn command() -> clap::Command {
    Arguments::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_holds_together() {
        command().debug_assert();
    }

    #[test]
    fn forget_subject_without_a_name_is_the_whole_subject() {
        for (written, read) in [
            ("t forget --subject", "t forget --whole-subject"),
            ("t --json forget --subject --dry-run", "t --json forget --whole-subject --dry-run"),
            ("t --subject ana forget --subject", "t --subject ana forget --whole-subject"),
            ("t --subject forget forget --subject", "t --subject forget forget --whole-subject"),
            ("t forget --subject ana ev_1", "t forget --subject ana ev_1"),
            ("t forget --subject=ana ev_1", "t forget --subject=ana ev_1"),
            ("t recall forget --subject", "t recall forget --subject"),
            ("t --data forget recall --subject", "t --data forget recall --subject"),
            ("t", "t"),
            ("", ""),
        ] {
            let split = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
            assert_eq!(name_whole_subject(split(written)), split(read), "{written}");
        }
    }
}
