//! Facts: what holds, what held, and what happened.

use engine::answer::{History, Recalled};
use engine::timeline::Event;
use schemars::JsonSchema;
use serde::Serialize;

use super::ById;
use crate::access::Right;
use crate::page::{Page, PageAsOf};
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Tells everything that holds at a moment on both clocks.
pub struct ShowState;

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
    type Input = PageAsOf;
    type Answer = StatePage;

    fn run(asked: &Asked<'_>, input: PageAsOf) -> Result<StatePage, Refusal> {
        let (page, begun, valid_at, believed_at) = input.read(asked, Self::NAME)?;
        let mut held = asked.engine.state(asked.call(), Some(valid_at), Some(believed_at))?;
        let items = std::mem::take(&mut held.items);
        let (items, next) = page.of(asked, Self::NAME, &begun, items, |item| item.id.clone())?;
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
        let begun = page.begun(asked, Self::NAME)?;
        let timeline = asked.engine.timeline(asked.call())?;
        let (events, next) = page.of(asked, Self::NAME, &begun, timeline.events, |event| {
            let happened = &event.happened;
            format!("{} {} {}", happened.watermark, happened.version, happened.transition)
        })?;
        Ok(TimelinePage { events, watermark: timeline.watermark, next })
    }
}
