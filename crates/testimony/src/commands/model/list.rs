//! `testimony model list`.

use std::fmt::Write;
use std::path::PathBuf;

use inference::tiers::{Can, Tier};
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::failure::Exit;

/// The tiers, what each can do, and how it is reached; nothing is asked of them
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony model list\n  testimony --json model list")]
pub(super) struct Arguments {}

#[derive(Serialize)]
struct Listed {
    /// The file that names them; `null` where there is none.
    file: Option<PathBuf>,
    tiers: Vec<Row>,
    /// How a model is asked for proposals; `null` where none is.
    propose: Option<Propose>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    model: String,
    vendor: String,
    protocol: &'static str,
    base_url: String,
    can: Vec<&'static str>,
    dims: Option<u32>,
    /// Where its key is looked for; never the key.
    key: Option<String>,
    /// Whether what is sent can be read on the way.
    in_clear: bool,
    within_s: u64,
    retries: u32,
    concurrent: usize,
}

#[derive(Serialize)]
struct Propose {
    tier: String,
    tokens_per_day: u64,
    batch_messages: usize,
    batch_tokens: usize,
}

fn row(tier: &Tier) -> Row {
    Row {
        name: tier.name.clone(),
        model: tier.model.clone(),
        vendor: tier.vendor.clone(),
        protocol: tier.protocol.as_str(),
        base_url: tier.base_url.clone(),
        can: tier.can.words(),
        dims: match &tier.can {
            Can::Embed(shape) => Some(shape.dims),
            _ => None,
        },
        key: tier.key.as_ref().map(ToString::to_string),
        in_clear: tier.is_in_clear(),
        within_s: tier.within.as_secs(),
        retries: tier.retries,
        concurrent: tier.concurrent,
    }
}

pub(super) fn run(context: &Context, _: Arguments) -> Outcome {
    let opened = context.models()?;
    let models = opened.as_ref().map(|(_, open)| open.models());
    let listed = Listed {
        file: opened.as_ref().map(|(file, _)| file.clone()),
        tiers: models.iter().flat_map(|models| models.tiers.values()).map(row).collect(),
        propose: models.and_then(|models| models.propose.as_ref()).map(|propose| Propose {
            tier: propose.tier.clone(),
            tokens_per_day: propose.tokens_per_day,
            batch_messages: propose.batch_messages,
            batch_tokens: propose.batch_tokens,
        }),
    };
    context.answer(&listed, told)?;
    if listed.tiers.is_empty() && !context.json {
        let path = context.data.join(testimony::MODELS);
        context.say(&format!("hint: write `{}`; `testimony model --help` shows one", path.display()));
    }
    Ok(Exit::Done)
}

fn told(listed: &Listed) -> String {
    let mut told = match &listed.file {
        Some(file) => format!("{}\n", file.display()),
        None => "no models; everything works without\n".to_owned(),
    };
    for row in &listed.tiers {
        _ = writeln!(told, "{}: {} at {} can {}", row.name, row.model, row.base_url, row.can.join(", "));
        let mut more = Vec::new();
        more.extend(row.dims.map(|dims| format!("{dims} numbers a vector")));
        more.push(match &row.key {
            Some(key) => format!("key from {key}"),
            None => "no key".to_owned(),
        });
        if row.in_clear {
            more.push("sent unencrypted over a network".to_owned());
        }
        _ = writeln!(told, "  {}", more.join(" · "));
    }
    if let Some(propose) = &listed.propose {
        _ = writeln!(
            told,
            "proposals: asked of {}, {} tokens a subject and day",
            propose.tier, propose.tokens_per_day
        );
    }
    told
}
