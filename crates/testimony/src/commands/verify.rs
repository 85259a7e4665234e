//! `testimony verify`.

use std::fmt::Write;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use engine::answer::Receipt;
use serde_json::Value as Json;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure, Stop};
use crate::tell;

/// Check the store, every chain, every quote and every history
///
/// All subjects are checked. The exit code is 5 when anything is wrong.
///
/// With a receipt of `forget`, the chain of the subject is checked and the receipt against it; the exit code is 1 when the
/// receipt does not hold.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony verify
  testimony --json verify
  testimony --json forget --source mail:inbox > forgotten.json; testimony verify --receipt forgotten.json")]
pub(crate) struct Arguments {
    /// A receipt, or the answer of `forget` that holds it; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
}

/// The longest receipt that is read, in bytes; the answer of a `forget` of a million things is shorter.
const RECEIPT_BYTES_MAX: u64 = 256 * 1024 * 1024;

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    if let Some(path) = arguments.receipt {
        return check(context, &path);
    }
    let answer = context.look()?.verify_all(context.now())?;
    context.answer(&answer, |verified| {
        let mut told = format!(
            "{}: {}, {}, {}, {}\n",
            if verified.ok { "all is well" } else { "DAMAGED" },
            tell::count(verified.subjects, "subject", "subjects"),
            tell::count(verified.appends, "append", "appends"),
            tell::count(verified.quotes, "quote", "quotes"),
            tell::count(verified.facts, "fact", "facts"),
        );
        for damage in &verified.damage {
            _ = writeln!(told, "  {}: {}", damage.place, damage.what);
        }
        told
    })?;
    if !answer.ok {
        context.say("hint: `testimony restore` brings a backup back");
        return Ok(Exit::Damaged);
    }
    Ok(Exit::Done)
}

fn check(context: &Context, path: &Path) -> Outcome {
    let receipt = read(path)?;
    let answer = context.look()?.check_receipt(context.call(), &receipt)?;
    context.answer(&answer, |checked| {
        let mut told = match checked.ok {
            true => format!(
                "the receipt holds: {} forgotten at {}, as {} asked\n",
                tell::count(checked.receipt.rows.total(), "row was", "rows were"),
                checked.receipt.at,
                checked.receipt.by,
            ),
            false => "the receipt does NOT hold\n".to_owned(),
        };
        for problem in &checked.problems {
            _ = writeln!(told, "  {problem}");
        }
        told
    })?;
    Ok(if answer.ok { Exit::Done } else { Exit::Refused })
}

fn read(path: &Path) -> Result<Receipt, Stop> {
    let mut bytes = Vec::new();
    match path.as_os_str() == "-" {
        true => io::stdin().lock().take(RECEIPT_BYTES_MAX).read_to_end(&mut bytes)?,
        false => {
            let file = fs::File::open(path).map_err(|error| Failure::file("read", path, &error))?;
            file.take(RECEIPT_BYTES_MAX).read_to_end(&mut bytes)?
        }
    };
    let none =
        |error: serde_json::Error| Failure::input(format!("`{}` is no receipt: {error}", path.display()));
    let mut json: Json = serde_json::from_slice(&bytes).map_err(none)?;
    // The whole answer holds the receipt; a receipt names its shape in the same place.
    let inner = json.get_mut("receipt").filter(|inner| inner.is_object()).map(Json::take);
    Ok(serde_json::from_value(inner.unwrap_or(json)).map_err(none)?)
}
