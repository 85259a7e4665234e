//! `testimony keys`.

use std::ops::ControlFlow;

use clap::Subcommand;
use engine::EngineError;
use ledger::store::Store;
use serde::Serialize;
use store_sqlite::{GroupState, Rotated, RotationStep, SqliteStore};

use crate::context::{Context, Outcome, new_master_key};
use crate::failure::{Exit, Failure, Stop};
use crate::{interrupt, tell};

/// Look after the keys: list them, change them
///
/// A master key wraps group keys, a group key wraps up to 1,000 data keys, and a data key seals what one source said.
#[derive(clap::Args)]
#[command(
    subcommand_required = true,
    after_help = "\
The master key stands in keys/master.key, unless TESTIMONY_MASTER_KEY holds it (64 hexadecimal digits) or the
command in TESTIMONY_MASTER_KEY_COMMAND prints it.

Examples:
  testimony keys list
  testimony keys rotate --master
  TESTIMONY_NEW_MASTER_KEY_COMMAND='pass show memory' testimony keys rotate --master
  testimony --subject ana keys rotate"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    order: Order,
}

#[derive(Subcommand)]
enum Order {
    /// Tell which keys there are, how much each wraps, and which are lost
    List,
    /// Wrap keys anew, while others read and write
    ///
    /// Without an option the keys of the subject get new group keys. With `--master` the master key is changed: to one that is drawn,
    /// or to what TESTIMONY_NEW_MASTER_KEY or TESTIMONY_NEW_MASTER_KEY_COMMAND gives, which is then given to every later call as
    /// TESTIMONY_MASTER_KEY and stands in no file. Cut off, it goes on when it is begun again.
    Rotate {
        /// Change the master key
        #[arg(long)]
        master: bool,
        /// Give all subjects new group keys
        #[arg(long, conflicts_with = "master")]
        all_subjects: bool,
    },
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    if !context.exists() {
        let message = format!("`{}` holds no memory", context.data.display());
        return Err(Failure { exit: Exit::Refused, code: "not_found", message, hint: None }.into());
    }
    let store = context.store()?;
    match arguments.order {
        Order::List => list(context, &store),
        Order::Rotate { master, all_subjects } => rotate(context, &store, master, all_subjects),
    }
}

#[derive(Serialize)]
struct Listed {
    /// `file`, or `given` where it comes from the environment or a command.
    master: &'static str,
    /// Whether a change of the master key was cut off.
    rotation_unfinished: bool,
    groups: Vec<Group>,
    /// Groups whose key is lost.
    lost: usize,
}

#[derive(Serialize)]
struct Group {
    group: i64,
    keys: u64,
    subjects: usize,
    state: &'static str,
}

fn stored(error: ledger::store::StoreError) -> Stop {
    EngineError::Store(error).into()
}

fn list(context: &Context, store: &SqliteStore) -> Outcome {
    let groups: Vec<Group> = store
        .key_groups()
        .map_err(stored)?
        .into_iter()
        .map(|group| Group {
            group: group.number,
            keys: group.keys,
            subjects: group.subjects.len(),
            state: match group.state {
                GroupState::There => "there",
                GroupState::Missing => "missing",
                GroupState::Wrong => "wrong",
            },
        })
        .collect();
    let listed = Listed {
        master: if store.master_key_is_given() { "given" } else { "file" },
        rotation_unfinished: store.rotation_is_unfinished(),
        lost: groups.iter().filter(|group| group.state != "there").count(),
        groups,
    };
    context.answer(&listed, |listed| {
        let mut told = format!("master key: {}\n", listed.master);
        for group in &listed.groups {
            told.push_str(&format!(
                "group {}: {}, {}, {}\n",
                group.group,
                tell::count(group.keys, "key", "keys"),
                tell::count(group.subjects as u64, "subject", "subjects"),
                group.state
            ));
        }
        told
    })?;
    if listed.rotation_unfinished {
        context.say("note: a change of the master key was cut off; `testimony keys rotate --master` goes on");
    }
    for damage in store.unreadable().map_err(stored)? {
        context.say(&format!("note: {} {}", damage.place, damage.what));
    }
    Ok(if listed.lost > 0 { Exit::Damaged } else { Exit::Done })
}

#[derive(Serialize, Default)]
struct Answer {
    master: bool,
    groups: u64,
    keys: u64,
    lost: u64,
    finished: bool,
    resumed: bool,
}

fn rotate(context: &Context, store: &SqliteStore, master: bool, all_subjects: bool) -> Outcome {
    interrupt::finish_in_flight();
    let rotated = match master {
        true => rotate_master(context, store)?,
        false => store.rotate_groups((!all_subjects).then_some(&context.scope)).map_err(stored)?,
    };
    let answer = Answer {
        master,
        groups: rotated.groups,
        keys: rotated.keys,
        lost: rotated.lost,
        finished: rotated.finished,
        resumed: rotated.resumed,
    };
    context.answer(&answer, |answer| {
        format!(
            "{}: {} under {}",
            if answer.finished { "done" } else { "NOT finished" },
            tell::count(answer.keys, "key", "keys"),
            match answer.master {
                true => "the new master key".to_owned(),
                false => tell::count(answer.groups, "new group key", "new group keys"),
            }
        )
    })?;
    if master && answer.finished && store.master_key_is_given() {
        context.say("note: from now on give the new key as `TESTIMONY_MASTER_KEY`; it stands in no file");
    }
    if !answer.finished {
        context.say("hint: begin it again and it goes on; until then old and new key both open the store");
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

fn rotate_master(context: &Context, store: &SqliteStore) -> Result<Rotated, Stop> {
    let new = new_master_key()?;
    if new.is_none() && store.master_key_is_given() && !store.rotation_is_unfinished() {
        return Err(Failure::usage("the master key is given, so the new one must be, too")
            .hint("set `TESTIMONY_NEW_MASTER_KEY` to 64 hexadecimal digits, such as `openssl rand -hex 32` prints")
            .into());
    }
    let bar = super::import::progress(context);
    bar.set_message("wrapping keys");
    let rotated = store.rotate_master(new.as_deref(), |step| {
        if let RotationStep::Wrapped { done, total } = step {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    rotated.map_err(stored)
}
