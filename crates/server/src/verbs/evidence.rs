//! Evidence: what was said, taken in, and shown with everything that rests on it.

use engine::answer::{MessagesListed, Observed, Why};
use engine::export::SourceListed;
use engine::messages::Messages as ListedMessages;
use engine::observe::{Message, Observing};
use engine::said::Said;
use ledger::evidence::Author;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ById;
use crate::access::Right;
use crate::page::{ITEMS_DEFAULT, Page};
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Messages of one request, at most.
const MESSAGES_MAX: usize = 256;

/// Takes in messages.
pub struct Observe;

/// Messages, in the order they were said.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    /// 1 to 256; none is taken in when one cannot be.
    #[schemars(length(min = 1, max = 256))]
    pub messages: Vec<Message>,
}

/// What became of each message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ObservedAll {
    /// In the order of the messages.
    pub observed: Vec<Observed>,
    /// The last append a reader must have seen to see all of it.
    pub watermark: u64,
}

impl Verb for Observe {
    const NAME: &'static str = "observe";
    const RIGHT: Right = Right::Write;
    const KEYED: bool = true;
    const SUMMARY: &'static str = "Take in what was said; everything that becomes memory passes the gate";
    type Input = Messages;
    type Answer = ObservedAll;

    fn run(asked: &Asked<'_>, input: Messages) -> Result<ObservedAll, Refusal> {
        let mut messages = input.messages;
        if !(1..=MESSAGES_MAX).contains(&messages.len()) {
            let count = messages.len();
            return Err(Refusal::bad_request(format!(
                "`messages`: {count} given; 1 to {MESSAGES_MAX} are allowed"
            )));
        }
        for (place, message) in messages.iter_mut().enumerate() {
            if message.author == Author::Service && !asked.caller.may(Right::Service) {
                return Err(Refusal::new(
                    403,
                    "not_permitted",
                    format!("`messages[{place}].author`: `service` needs `{}`", Right::Service),
                ));
            }
            // The key of a request is the key of each of its messages, told apart by their place.
            if let (None, Some(key)) = (&message.idempotency_key, asked.idempotency_key) {
                message.idempotency_key = Some(format!("{key}/{place}"));
            }
        }
        let observed = asked.engine.observe(asked.call(), messages, Observing::default())?;
        let watermark = observed.iter().map(|one| one.watermark).max().unwrap_or_default();
        Ok(ObservedAll { observed, watermark })
    }
}

/// Lists messages.
pub struct ListMessages;

/// Which messages are listed; all that is given holds.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessagesAsked {
    /// Of this source: an id, or `kind:ref`.
    #[serde(default)]
    pub source: Option<String>,
    /// Of any source of this kind.
    #[serde(default)]
    pub kind: Option<String>,
    /// Of this session.
    #[serde(default)]
    pub session: Option<String>,
    /// Messages, at most; 100 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// The id of the last message of the page before; from the newest, when left out.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// A page of messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MessagesPage {
    /// The messages, the newest first by the order in which they were taken in.
    #[serde(flatten)]
    pub listed: MessagesListed,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Verb for ListMessages {
    const NAME: &'static str = "messages";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "What was said, as it was taken in, the newest first";
    type Input = MessagesAsked;
    type Answer = MessagesPage;

    fn run(asked: &Asked<'_>, wanted: MessagesAsked) -> Result<MessagesPage, Refusal> {
        let MessagesAsked { source, kind, session, limit, cursor } = wanted;
        let limit = limit.unwrap_or(ITEMS_DEFAULT);
        let messages = ListedMessages { source, kind, session, limit, after: cursor };
        let listed = asked.engine.messages(asked.call(), &messages)?;
        let last = listed.messages.last().filter(|_| listed.truncated);
        let next = last.map(|message| message.kept.evidence.clone());
        Ok(MessagesPage { listed, next })
    }
}

/// Shows the receipt of anything: the way to the words behind it.
pub struct ShowReceipt;

impl Verb for ShowReceipt {
    const NAME: &'static str = "why";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "The way from a memory to the words behind it";
    type Input = ById;
    type Answer = Why;

    fn run(asked: &Asked<'_>, input: ById) -> Result<Why, Refusal> {
        Ok(asked.engine.why(asked.call(), &input.id)?)
    }
}

/// Lists where words come from.
pub struct ListSources;

/// A page of sources.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourcesPage {
    /// In the order they were first seen.
    pub sources: Vec<SourceListed>,
    /// The last append this saw.
    pub watermark: u64,
    /// Where the next page begins; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Verb for ListSources {
    const NAME: &'static str = "sources";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Where words come from";
    type Input = Page;
    type Answer = SourcesPage;

    fn run(asked: &Asked<'_>, page: Page) -> Result<SourcesPage, Refusal> {
        let begun = page.begun(asked, Self::NAME)?;
        let all = asked.engine.sources(asked.call())?;
        let (sources, next) = page.of(asked, Self::NAME, &begun, all.sources, |source| source.id.clone())?;
        Ok(SourcesPage { sources, watermark: all.watermark, next })
    }
}

/// Tells what a source said.
pub struct ShowSource;

/// A source, and which piece of what it said.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceAsked {
    /// Its id, as an answer told it.
    pub id: String,
    /// Messages, at most; 50 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
    /// Where the page before ended, as it said; from the first message, when left out.
    #[serde(default)]
    pub cursor: Option<String>,
}

impl Verb for ShowSource {
    const NAME: &'static str = "source";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "What a source said, message by message";
    type Input = SourceAsked;
    type Answer = Said;

    fn run(asked: &Asked<'_>, input: SourceAsked) -> Result<Said, Refusal> {
        let SourceAsked { id, limit, cursor } = input;
        Ok(asked.engine.said(asked.call(), &id, limit.unwrap_or(50), cursor.as_deref())?)
    }
}
