//! `testimony turn`.

use std::fmt::Write;

use engine::answer::Turned;
use engine::turn::Turn;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};

/// Choose what one turn of a conversation may see
///
/// The choice is recorded, so that it can be made again: see `replay`. Tell with `used` what was really used.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony turn \"Book a meeting with Ana tomorrow\"
  testimony --json turn --policy turn/1 --budget-tokens 400 \"What did we decide?\"
  testimony turn --hint topic=alpha \"Where were we?\"")]
pub(crate) struct Arguments {
    /// The message that is to be answered
    #[arg(value_name = "MESSAGE")]
    message: String,
    /// The policy that chooses; the promoted one, when left out
    #[arg(long, value_name = "turn/N")]
    policy: Option<String>,
    /// Tokens of the packet, at most
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u32>,
    /// Memories, at most; 12 or fewer
    #[arg(long, value_name = "N")]
    slots: Option<u32>,
    /// Also walk over relations from what the message names
    #[arg(long)]
    deep: bool,
    /// What the turn is about; may be given several times
    #[arg(long = "hint", value_name = "topic=…|entity=…")]
    hints: Vec<String>,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let hints = arguments.hints.iter().map(|hint| read_hint(hint)).collect::<Result<Vec<_>, Failure>>()?;
    let turn = Turn {
        message: arguments.message,
        policy: arguments.policy,
        budget_tokens: arguments.budget_tokens,
        slots: arguments.slots,
        deep: arguments.deep,
        hints,
    };
    let answer = context.create()?.turn(context.call(), &turn)?;
    context.answer(&answer, told)?;
    context.notices(&answer.notices);
    Ok(Exit::Done)
}

fn read_hint(hint: &str) -> Result<(String, String), Failure> {
    match hint.split_once('=') {
        Some((kind, words)) if !kind.trim().is_empty() && !words.trim().is_empty() => {
            Ok((kind.trim().to_owned(), words.trim().to_owned()))
        }
        _ => Err(Failure::input(format!("hint `{hint}` is not `topic=WORDS` or `entity=NAME`"))),
    }
}

fn told(turned: &Turned) -> String {
    let mut told = format!("{} {} by {}\n", turned.turn, turned.triage, turned.policy);
    if let Some(question) = &turned.question {
        _ = writeln!(told, "ask: {question}");
    }
    for selected in &turned.selected {
        _ = writeln!(told, "{} {} ({}) {}", selected.handle, selected.text, selected.why, selected.id);
    }
    if !turned.dropped.is_empty() {
        _ = writeln!(told, "{} not chosen of {} considered", turned.dropped.len(), turned.candidates.len());
    }
    if !turned.packet.text.is_empty() {
        _ = writeln!(told, "--- packet, {} tokens\n{}", turned.packet.tokens, turned.packet.text);
    }
    told
}
