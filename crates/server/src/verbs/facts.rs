//! Facts: what holds, what held, and what happened.

use engine::answer::{History, Recalled};
use engine::timeline::Event;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ById, instant};
use crate::access::Right;
use crate::page::Page;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Tells everything that holds at a moment on both clocks.
pub struct ShowState;

/// A moment, and which piece of the list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateAsked {
    /// What held in the world at this instant, RFC 3339; now, when left out.
    #[serde(default)]
    pub valid_at: Option<String>,
    /// What this system held at this instant; the latest, when left out.
    #[serde(default)]
    pub believed_at: Option<String>,
    /// Items, at most; 100 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Where the page before ended, as it said; from the beginning, when left out.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A page of what holds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatePage {
    /// The memories, in the envelope of every list of them.
    #[serde(flatten)]
    pub held: Recalled,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Verb for ShowState {
    const NAME: &'static str = "state";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Everything that holds at a moment on both clocks";
    type Input = StateAsked;
    type Answer = StatePage;

    fn run(asked: &Asked<'_>, input: StateAsked) -> Result<StatePage, Refusal> {
        let page = Page { limit: input.limit, cursor: input.cursor };
        let at = page.at(asked, Self::NAME)?;
        // What is left out means the instant of the first page, on every page.
        let valid_at = instant("valid_at", input.valid_at.as_deref())?.unwrap_or(at);
        let believed_at = instant("believed_at", input.believed_at.as_deref())?.unwrap_or(at);
        let mut held = asked.engine.state(asked.call(), Some(valid_at), Some(believed_at))?;
        let (items, next) =
            page.of(asked, Self::NAME, std::mem::take(&mut held.items), |item| item.id.clone())?;
        held.truncated |= next.is_some();
        held.items = items;
        Ok(StatePage { held, next })
    }
}

/// Tells a fact through time.
pub struct ShowHistory;

impl Verb for ShowHistory {
    const NAME: &'static str = "history";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "A fact with all its versions and everything that happened to them";
    type Input = ById;
    type Answer = History;

    fn run(asked: &Asked<'_>, input: ById) -> Result<History, Refusal> {
        Ok(asked.engine.history(asked.call(), &input.id)?)
    }
}

/// Tells everything that happened.
pub struct ShowTimeline;

/// A page of what happened.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TimelinePage {
    /// In the order of the log.
    pub events: Vec<Event>,
    /// The last append this saw.
    pub watermark: u64,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Verb for ShowTimeline {
    const NAME: &'static str = "timeline";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str =
        "Everything that happened to facts, in the order this system came to hold it";
    type Input = Page;
    type Answer = TimelinePage;

    fn run(asked: &Asked<'_>, page: Page) -> Result<TimelinePage, Refusal> {
        let timeline = asked.engine.timeline(asked.call())?;
        let (events, next) = page.of(asked, Self::NAME, timeline.events, |event| {
            let happened = &event.happened;
            format!("{} {} {}", happened.watermark, happened.version, happened.transition)
        })?;
        Ok(TimelinePage { events, watermark: timeline.watermark, next })
    }
}
