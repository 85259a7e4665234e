//! Disputes: what contradicts itself, and the act that ends it.

use engine::answer::{Dispute, Resolved};
use engine::history::Resolve;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::access::Right;
use crate::page::PageAsOf;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Lists disputes.
pub struct ListDisputes;

/// A page of disputes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DisputesPage {
    /// Each dispute whole.
    pub disputes: Vec<Dispute>,
    /// The last append this saw.
    pub watermark: u64,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Verb for ListDisputes {
    const NAME: &'static str = "disputes";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "What contradicts itself, each dispute whole";
    type Input = PageAsOf;
    type Answer = DisputesPage;

    fn run(asked: &Asked<'_>, input: PageAsOf) -> Result<DisputesPage, Refusal> {
        let (page, begun, valid_at, believed_at) = input.read(asked, Self::NAME)?;
        let all = asked.engine.disputes(asked.call(), Some(valid_at), Some(believed_at))?;
        let (disputes, next) =
            page.of(asked, Self::NAME, &begun, all.disputes, |dispute| dispute.fact.id.clone())?;
        Ok(DisputesPage { disputes, watermark: all.watermark, next })
    }
}

/// Decides a dispute.
pub struct ResolveDispute;

/// A decision.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The fact in dispute.
    pub id: String,
    /// The version that is kept.
    pub keep: String,
    /// Why.
    #[schemars(length(min = 1, max = 2000))]
    pub reason: String,
}

impl Verb for ResolveDispute {
    const NAME: &'static str = "resolve_dispute";
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str = "Decide a dispute, with a reason that is recorded";
    type Input = Decision;
    type Answer = Resolved;

    fn run(asked: &Asked<'_>, decision: Decision) -> Result<Resolved, Refusal> {
        let Decision { id: fact, keep, reason } = decision;
        let by = asked.caller.name().to_owned();
        Ok(asked.engine.resolve_dispute(asked.call(), &Resolve { fact, keep, reason, by })?)
    }
}
