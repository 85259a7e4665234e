//! `testimony used`.

use std::fs::File;
use std::io::{self, Read};

use ledger::limits::Limit;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};

/// Record which memories of a turn were really used
///
/// Name their handles, or give the reply: its citations, such as `[M3]` or `[M1, M4]`, are read, but not those in code. A handle
/// the turn does not have is told, and the exit code is 1.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony used tu_… M1 M3
  testimony used tu_… --reply answer.md
  echo \"You live in Zagreb [M2].\" | testimony used tu_… --reply -")]
pub(crate) struct Arguments {
    /// The turn
    #[arg(value_name = "TURN")]
    turn: String,
    /// Handles in its packet, such as `M1`
    #[arg(value_name = "HANDLE", required_unless_present = "reply", conflicts_with = "reply")]
    handles: Vec<String>,
    /// The reply, in a file or on standard input
    #[arg(long, value_name = "FILE|-")]
    reply: Option<String>,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let engine = context.look()?;
    let Some(reply) = arguments.reply else {
        let answer = engine.used(context.call(), &arguments.turn, &arguments.handles)?;
        context.answer(&answer, |used| format!("{} used {}", used.turn, used.used.join(" ")))?;
        return Ok(Exit::Done);
    };
    let answer = engine.used_in_reply(context.call(), &arguments.turn, &read_text(&reply)?)?;
    context.answer(&answer, |answer| {
        let mut told = format!("{} used {}\n", answer.turn, answer.used.join(" "));
        if !answer.unknown.is_empty() {
            told.push_str(&format!("not in this turn: {}\n", answer.unknown.join(" ")));
        }
        told
    })?;
    Ok(if answer.unknown.is_empty() { Exit::Done } else { Exit::Refused })
}

/// A reply from a file, or from standard input for `-`.
fn read_text(path: &str) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::input(format!("cannot read the reply `{path}`: {error}"));
    let reader: Box<dyn Read> = match path {
        "-" => Box::new(io::stdin()),
        file => Box::new(File::open(file).map_err(failed)?),
    };
    let mut bytes = Vec::new();
    // One byte more tells that there is more.
    reader.take(Limit::REPLY_BYTES.max + 1).read_to_end(&mut bytes).map_err(failed)?;
    if let Err(over) = Limit::REPLY_BYTES.check("the reply", bytes.len()) {
        return Err(Failure::over(&over));
    }
    String::from_utf8(bytes).map_err(|_| Failure::input(format!("the reply `{path}` is no UTF-8 text")))
}
