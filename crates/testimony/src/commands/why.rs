//! `testimony why`.

use std::fmt::Write;

use engine::answer::Why;

use crate::context::{Context, Outcome};
use crate::failure::Exit;
use crate::tell;

/// Show the receipt of a memory, down to the quoted words
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  testimony why ve_…\n  testimony --json why fa_…")]
pub(crate) struct Arguments {
    /// A version, fact, claim or piece of evidence
    #[arg(value_name = "ID")]
    id: String,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    let answer = context.look()?.why(context.call(), &arguments.id)?;
    context.answer(&answer, told)?;
    Ok(Exit::Done)
}

pub(crate) fn told(why: &Why) -> String {
    let mut told = String::new();
    if let Some(fact) = &why.fact {
        _ = writeln!(told, "{}", tell::fact(fact));
    }
    for version in &why.versions {
        _ = writeln!(told, "{}", tell::version(version));
    }
    for claim in &why.claims {
        let evidence = why.evidence.iter().find(|evidence| evidence.evidence == claim.evidence);
        let quotes: Vec<&str> = match claim.quotes.is_empty() {
            true => vec![&claim.quote],
            false => claim.quotes.iter().map(|quote| quote.quote.as_str()).collect(),
        };
        for quote in quotes {
            _ = writeln!(told, "  {}", tell::quote(quote, evidence));
        }
        _ = writeln!(
            told,
            "    {} {} by {}, admitted by {}, confidence {}, bytes {} to {}",
            claim.claim, claim.op, claim.proposer, claim.policy, claim.confidence, claim.start, claim.end
        );
    }
    for evidence in &why.evidence {
        _ = writeln!(
            told,
            "  {} said by {} at {} in {} {}, seen {}",
            evidence.evidence,
            evidence.author,
            evidence.event_time,
            evidence.source.kind,
            evidence.source.reference,
            evidence.observed_at
        );
        if let Some(hash) = &evidence.hash {
            _ = writeln!(told, "    {hash}");
        }
        if let Some(text) = evidence.text.as_ref().filter(|_| why.claims.is_empty()) {
            _ = writeln!(told, "    {}", text.replace('\n', "\n    "));
        }
    }
    for transition in &why.transitions {
        _ = writeln!(told, "  {}", tell::transition(transition));
    }
    told
}
