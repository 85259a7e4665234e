//! `testimony propose`.

use std::fmt::Write;

use engine::propose::model::Outcome;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::context::{Context, Outcome as Ending, maybe_instant};
use crate::failure::{Exit, Failure};
use crate::proposing::{Proposing, Tally};
use crate::{interrupt, tell};

/// Have a model read messages, and let the gate judge what it proposes
///
/// Every message that this model has not read yet is shown to it, in batches, and what it proposes is judged like anybody's
/// proposals, on the words as they are stored. Counts balance: received = admitted + refused + duplicate + failed; what of a
/// reply was no proposal at all is counted beside them. Interrupted or over its tokens of the day it goes on later where it ended.
///
/// The model is the tier that `[propose]` in models.toml names. Where its server is not on this machine, messages leave it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony propose
  testimony propose --since 2026-01-01
  testimony propose --tier deep --again")]
pub(crate) struct Arguments {
    /// Pass over messages that were said before
    #[arg(long, value_name = "INSTANT")]
    since: Option<String>,
    /// Ask this tier instead of the configured one
    #[arg(long, value_name = "TIER")]
    tier: Option<String>,
    /// Begin with the first message, also where it was read
    #[arg(long)]
    again: bool,
}

#[derive(Serialize)]
struct Answer {
    proposer: String,
    tier: String,
    #[serde(flatten)]
    tally: Tally,
    /// Why it ended before everything was read: `interrupted`, `budget` or `not_answered`; `null` when it did not.
    stopped: Option<&'static str>,
    reason: Option<String>,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Ending {
    let since = maybe_instant("--since", arguments.since.as_deref())?;
    let engine = context.look()?;
    interrupt::finish_in_flight();
    let Some(mut proposing) = Proposing::open(context, &engine, arguments.tier.as_deref())? else {
        return Err(Failure::input("no model is configured to propose")
            .hint("name one in models.toml, `[propose] tier = \"fast\"`, or with `--tier`")
            .into());
    };
    let bar = progress(context);
    bar.set_message(format!("asking {}", proposing.name()));
    let mut tally = Tally::default();
    let ended = proposing.about_unread(since, arguments.again, |batch, proposed| {
        if proposed.is_settled() {
            tally.add(batch, proposed);
            bar.inc(batch.looked_at);
        }
        if !context.json && proposed.outcome == Outcome::Read {
            let told: String =
                proposed.messages.iter().filter(|one| !one.admitted.is_empty()).map(tell::observed).collect();
            bar.suspend(|| context.print(&told))?;
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let answer = Answer {
        proposer: proposing.name().to_owned(),
        tier: proposing.tier().to_owned(),
        tally,
        stopped: ended.as_ref().map(|ended| ended.word),
        reason: ended.as_ref().map(|ended| ended.reason.clone()),
    };
    context.answer(&answer, told)?;
    if let Some(ended) = &ended {
        context.say(&format!("stopped: {}", ended.reason));
    }
    Ok(ended.map_or(Exit::Done, |ended| ended.exit))
}

fn progress(context: &Context) -> ProgressBar {
    if context.json {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    // The template is a constant, so a fallback is never taken.
    let style = ProgressStyle::with_template("{spinner} {msg}: {pos} messages")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    bar.with_style(style)
}

fn told(answer: &Answer) -> String {
    let Tally { messages, asked, counts, tokens, dropped, .. } = &answer.tally;
    let mut told = format!(
        "{}, {asked} shown to {}: {} received = {} admitted + {} refused + {} known + {} unreadable; {tokens} tokens\n",
        tell::count(*messages, "message", "messages"),
        answer.proposer,
        counts.received,
        counts.admitted,
        counts.refused,
        counts.duplicate,
        counts.failed,
    );
    let list = |reasons: Vec<(&str, u64)>| {
        let some = reasons.into_iter().filter(|(_, count)| *count > 0);
        some.map(|(reason, count)| format!("{count} {reason}")).collect::<Vec<String>>().join(", ")
    };
    let refused = list(answer.tally.refused.iter().map(|(code, count)| (code.as_str(), *count)).collect());
    for (what, list) in [("refused", refused), ("never proposals", list(dropped.reasons().to_vec()))] {
        if !list.is_empty() {
            _ = writeln!(told, "{what}: {list}");
        }
    }
    told
}
