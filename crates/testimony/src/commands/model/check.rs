//! `testimony model check`.

use std::fmt::Write;

use inference::clock::{Clock, MachineClock};
use inference::{InferenceErrorKind, Limits};
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure};
use crate::interrupt;

/// Ask each tier for the least it can do, and tell whether it answers; this costs a few tokens
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  testimony model check\n  testimony model check fast\n  testimony --json model check"
)]
pub(super) struct Arguments {
    /// The tiers to ask; all, when left out
    #[arg(value_name = "TIER")]
    tiers: Vec<String>,
}

#[derive(Serialize)]
struct Checked {
    ok: bool,
    tiers: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    model: String,
    ok: bool,
    milliseconds: u64,
    /// Why it does not answer.
    error: Option<Wrong>,
}

#[derive(Serialize)]
struct Wrong {
    kind: &'static str,
    message: String,
    #[serde(skip)]
    exit: Exit,
}

pub(super) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let Some((_, open)) = context.models()? else {
        let path = context.data.join(testimony::MODELS);
        return Err(Failure::input(format!("there are no models: `{}` is not there", path.display()))
            .hint("`testimony model --help` shows such a file")
            .into());
    };
    interrupt::finish_in_flight();
    let clock = MachineClock::default();
    let mut checked = Checked { ok: true, tiers: Vec::new() };
    let named = |name: &String| arguments.tiers.is_empty() || arguments.tiers.contains(name);
    if let Some(unknown) = arguments.tiers.iter().find(|tier| !open.models().tiers.contains_key(*tier)) {
        return Err(Failure::input(format!("there is no tier `{unknown}`"))
            .hint("`testimony model list` shows those there are")
            .into());
    }
    for tier in open.models().tiers.values().filter(|tier| named(&tier.name)) {
        let limits = Limits { within: tier.within, cancel: interrupt::cancel() };
        let began = clock.elapsed();
        let error = open.check(&tier.name, &limits).err();
        if error.as_ref().is_some_and(|error| error.kind() == InferenceErrorKind::Cancelled) {
            return Ok(Exit::Interrupted);
        }
        let error = error.map(|error| Wrong {
            kind: error.kind().as_str(),
            message: error.to_string(),
            exit: Exit::from(error.kind()),
        });
        checked.ok &= error.is_none();
        checked.tiers.push(Row {
            name: tier.name.clone(),
            model: tier.model.clone(),
            ok: error.is_none(),
            milliseconds: (clock.elapsed() - began).as_millis() as u64,
            error,
        });
    }
    context.answer(&checked, told)?;
    let worst = checked.tiers.iter().filter_map(|row| row.error.as_ref()).map(|error| error.exit);
    Ok(worst.max_by_key(|exit| exit.code()).unwrap_or(Exit::Done))
}

fn told(checked: &Checked) -> String {
    let mut told = String::new();
    for row in &checked.tiers {
        _ = match &row.error {
            None => writeln!(told, "ok    {}: {} answers in {} ms", row.name, row.model, row.milliseconds),
            Some(error) => writeln!(told, "WRONG {}: {}", row.name, error.message),
        };
    }
    told
}
