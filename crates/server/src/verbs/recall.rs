//! Recall: what is remembered, for a question.

use engine::answer::Deep;
use engine::recall::{Grain, Recall as Recalling};
use ledger::time::Zone;
use schemars::JsonSchema;
use serde::Deserialize;

use super::instant;
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Answers what is remembered.
pub struct Recall;

/// A question.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asking {
    /// The words.
    #[schemars(length(max = 65_536))]
    pub query: String,
    /// Items, at most; 10 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// The least score, 0 to 1; 0 when left out.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: Option<f64>,
    /// What kind of thing is wanted.
    #[serde(default)]
    pub grain: WantedGrain,
    /// Whether the question is worth walking for, from entity to entity, beyond what its words match.
    #[serde(default)]
    pub deep: bool,
    /// The asker's time zone, for "yesterday": an IANA name or an offset; UTC when left out.
    #[serde(default)]
    pub zone: Option<String>,
    /// What held in the world at this instant, RFC 3339; now, when left out.
    #[serde(default)]
    pub valid_at: Option<String>,
    /// What this system held at this instant; the latest, when left out.
    #[serde(default)]
    pub believed_at: Option<String>,
}

/// What kind of thing is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WantedGrain {
    /// Versions of facts.
    #[default]
    Fact,
    /// Messages themselves.
    Evidence,
    /// Compiled pages.
    Compiled,
}

impl Verb for Recall {
    const NAME: &'static str = "recall";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "What is remembered, best first; a dispute stands together";
    type Input = Asking;
    type Answer = Deep;

    fn run(asked: &Asked<'_>, asking: Asking) -> Result<Deep, Refusal> {
        let zone = asking.zone.as_deref().map(Zone::parse).transpose();
        let usual = Recalling::of(&asking.query);
        let recall = Recalling {
            limit: asking.limit.unwrap_or(usual.limit),
            threshold: asking.threshold.unwrap_or(usual.threshold),
            valid_at: instant("valid_at", asking.valid_at.as_deref())?,
            believed_at: instant("believed_at", asking.believed_at.as_deref())?,
            grain: match asking.grain {
                WantedGrain::Fact => Grain::Fact,
                WantedGrain::Evidence => Grain::Evidence,
                WantedGrain::Compiled => Grain::Compiled,
            },
            zone: zone
                .map_err(|error| Refusal::bad_input(format!("`zone`: {error}")))?
                .unwrap_or(usual.zone.clone()),
            ..usual
        };
        match asking.deep {
            true => Ok(asked.engine.recall_deep(asked.call(), &recall)?),
            false => Ok(Deep { recalled: asked.engine.recall(asked.call(), &recall)?, paths: Vec::new() }),
        }
    }
}
