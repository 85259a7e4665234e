//! `testimony policy`.

use std::fmt::Write;

use engine::answer::{PolicyActText, PolicyDiff, PolicyText};

use crate::context::{Context, Outcome};
use crate::failure::Exit;

/// See, compare, promote and roll back the policies that choose what a turn may see
///
/// A policy is a pure, versioned rule. Which one is in force is a recorded act of the whole data directory; `diff` tells what
/// another would have made of your recorded turns, without reading a word of them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony policy list
  testimony policy show turn/3
  testimony policy diff turn/2 turn/3
  testimony policy promote turn/3 --reason \"keeps all that was used, with a third of the tokens\"
  testimony policy rollback --reason \"loses weak matches in Croatian\"")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// All policies, the one in force, and the acts that made it so
    List,
    /// One policy: what it does and its numbers
    Show {
        /// The policy
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// What two policies make of the recorded turns of a subject
    Diff {
        /// The policy compared with
        #[arg(value_name = "A")]
        from: String,
        /// The policy compared
        #[arg(value_name = "B")]
        to: String,
        /// The newest turns, at most
        #[arg(long, value_name = "N", default_value_t = 1_000)]
        turns: usize,
    },
    /// Put a policy in force
    Promote {
        /// The policy
        #[arg(value_name = "NAME")]
        name: String,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// By whom; the subject, when left out
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
    },
    /// Bring back the policy before the last promotion that stands
    Rollback {
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// By whom; the subject, when left out
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
    },
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let by = |by: Option<String>| by.unwrap_or_else(|| context.scope.subject().as_str().to_owned());
    match arguments.action {
        Action::List => {
            let answer = context.look()?.policies_known()?;
            context.answer(&answer, |answer| {
                let mut told: String = answer.policies.iter().map(line).collect();
                answer.acts.iter().for_each(|act| told.push_str(&act_line(act)));
                told
            })?;
        }
        Action::Show { name } => context.answer(&context.look()?.policy_known(&name)?, shown)?,
        Action::Diff { from, to, turns } => {
            let answer = context.look()?.compare_policies(context.call(), &from, &to, turns)?;
            context.answer(&answer, compared)?;
        }
        Action::Promote { name, reason, by: who } => {
            let act = context.create()?.promote_policy(context.call(), &name, &reason, &by(who))?;
            context.answer(&act, act_line)?;
        }
        Action::Rollback { reason, by: who } => {
            let act = context.create()?.roll_back_policy(context.call(), &reason, &by(who))?;
            context.answer(&act, act_line)?;
        }
    }
    Ok(Exit::Done)
}

fn line(policy: &PolicyText) -> String {
    let mark = if policy.in_force { '*' } else { ' ' };
    format!("{mark} {}  {}\n", policy.name, policy.summary)
}

fn act_line(act: &PolicyActText) -> String {
    format!("{} {}: {} to {}, by {}: {}\n", act.at, act.act, act.from, act.to, act.by, act.reason)
}

fn shown(policy: &PolicyText) -> String {
    let mut told = line(policy);
    for (name, number) in &policy.numbers {
        _ = writeln!(told, "    {name} = {number}");
    }
    policy.acts.iter().for_each(|act| told.push_str(&act_line(act)));
    told
}

fn compared(diff: &PolicyDiff) -> String {
    let mut told = format!("{} turns, {} alike\n", diff.turns, diff.identical);
    _ = writeln!(told, "memories  {} {}, {} {}", diff.from, diff.from_items, diff.to, diff.to_items);
    _ = writeln!(told, "tokens    {} {}, {} {}", diff.from, diff.from_tokens, diff.to, diff.to_tokens);
    _ = writeln!(
        told,
        "added {}, removed {}, disputes changed in {}",
        diff.added, diff.removed, diff.disputes_changed
    );
    _ = writeln!(
        told,
        "used {} in {} turns: {} keeps {}, {} keeps {}",
        diff.used, diff.turns_with_use, diff.from, diff.from_kept, diff.to, diff.to_kept
    );
    if diff.without_features > 0 {
        _ = writeln!(
            told,
            "{} turns were recorded before candidates had the features turn/3 decides by",
            diff.without_features
        );
    }
    if diff.passed_over > 0 {
        _ = writeln!(told, "{} more asked or skipped and are not compared", diff.passed_over);
    }
    if diff.truncated {
        told.push_str("there are older turns; raise `--turns`\n");
    }
    told
}
