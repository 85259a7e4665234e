//! What mem0's calls do: each is a verb like any other, with a right, a scope and one or few calls of the engine.

use engine::EngineError;
use engine::answer::{Counts, ErasedCounts, Forgotten, Observed};
use engine::forget::{Forget, Which};
use engine::line::Remembered;
use engine::list::List;
use engine::messages::Messages;
use engine::observe::{Message, Observing};
use engine::recall::Recall;
use engine::remember::clip;
use ledger::evidence::Author;
use ledger::time::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::filter::Filter;
use super::memory::{AGENT, Extras, Memory, id, source, words};
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};
use crate::verbs::{ById, Nothing};

/// Messages of one request, at most.
const MESSAGES_MAX: usize = 256;

/// Memories that one listing or filtered search looks through, at most.
const LOOKED_AT_MAX: usize = 10_000;

/// The most items the engine hands out at once.
const PAGE: usize = 1_000;

/// Memories of a page of a listing, unless the request says otherwise.
const PAGE_DEFAULT: usize = 100;

/// Memories a search answers, unless the request says otherwise.
const TOP_DEFAULT: usize = 20;

/// Answers that the key opens something.
pub struct Ping;

/// What mem0's client asks of a key before its first call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Pong {
    /// `ok`.
    pub status: &'static str,
    /// There are no organisations here, but the client does not begin without the name of one.
    pub org_id: &'static str,
    /// Nor projects.
    pub project_id: &'static str,
    /// Keys have no address.
    pub user_email: Option<String>,
}

impl Verb for Ping {
    const NAME: &'static str = "mem0_ping";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Whether the key opens anything";
    const OF_SUBJECT: bool = false;
    type Input = Nothing;
    type Answer = Pong;

    fn run(_: &Asked<'_>, _: Nothing) -> Result<Pong, Refusal> {
        Ok(Pong { status: "ok", org_id: "testimony", project_id: "testimony", user_email: None })
    }
}

/// Takes in messages.
pub struct AddMemories;

/// Messages, whose they are, and what is to be made of them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adding {
    /// The messages, in the order they were said.
    #[schemars(length(min = 1, max = 256))]
    pub messages: Vec<Said>,
    /// The subject.
    #[serde(default)]
    pub user_id: Option<String>,
    /// The agent they were said to.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The application.
    #[serde(default)]
    pub app_id: Option<String>,
    /// The session.
    #[serde(default)]
    pub run_id: Option<String>,
    /// What is kept with them.
    #[serde(default)]
    pub metadata: Option<Map<String, Json>>,
    /// Whether facts are looked for in the words; otherwise the words are kept as they are. True, when left out.
    #[serde(default)]
    pub infer: Option<bool>,
    /// When they were said, in seconds since 1970; now, when left out.
    #[serde(default)]
    pub timestamp: Option<i64>,
    /// Parameters of the request that mean nothing here.
    #[serde(default)]
    pub passed_over: Vec<String>,
}

/// One message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Said {
    /// `user`, `assistant`, `tool` or `system`.
    pub role: String,
    /// The words.
    pub content: Content,
    /// The speaker's name.
    #[serde(default)]
    pub name: Option<String>,
}

/// The words of a message, whole or in parts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Content {
    /// Whole.
    Text(String),
    /// In parts, each an object with `type` and `text`.
    Parts(Vec<Map<String, Json>>),
}

/// What became of messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Added {
    /// What changed in memory.
    pub results: Vec<ChangeTold>,
    /// What was not admitted, and why.
    pub refused: Vec<RefusedTold>,
    /// `received = admitted + refused + duplicate + failed`, over all messages.
    pub counts: Counts,
    /// What the answer had to do without.
    pub degraded: Vec<String>,
    /// What else the caller should know.
    pub notices: Vec<String>,
    /// The last append a reader must have seen to see this.
    pub watermark: u64,
}

/// One change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangeTold {
    /// `ADD`, `UPDATE`, `DELETE` or `NONE`.
    pub event: &'static str,
    /// The memory as it is now.
    #[serde(flatten)]
    pub memory: Memory,
}

/// Something that was not admitted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RefusedTold {
    /// The message, from 0.
    pub message: usize,
    /// A stable code.
    pub code: String,
    /// What exactly was wrong.
    pub detail: String,
}

impl Verb for AddMemories {
    const NAME: &'static str = "mem0_add";
    const KEYED: bool = true;
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str =
        "Take in messages; the words themselves, or what is found in them, become memories";
    type Input = Adding;
    type Answer = Added;

    fn run(asked: &Asked<'_>, adding: Adding) -> Result<Added, Refusal> {
        if !(1..=MESSAGES_MAX).contains(&adding.messages.len()) {
            let count = adding.messages.len();
            return Err(Refusal::bad_request(format!(
                "`messages`: {count} given; 1 to {MESSAGES_MAX} are allowed"
            )));
        }
        let user_id = user_id(asked, adding.user_id.as_deref());
        let infer = adding.infer.unwrap_or(true);
        let said_at = adding.timestamp.map(|seconds| Instant::from_micros(seconds.saturating_mul(1_000_000)));
        let extras = Extras::new(adding.app_id, adding.metadata);
        let (mut messages, mut places, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (place, said) in adding.messages.into_iter().enumerate() {
            let author = match said.role.as_str() {
                "user" => Author::Owner,
                "assistant" => Author::Assistant,
                "tool" | "function" => Author::External,
                "system" | "developer" => {
                    refused.push(RefusedTold {
                        message: place,
                        code: "not_testimony".to_owned(),
                        detail: "what a system message says is an instruction, and nobody's testimony"
                            .to_owned(),
                    });
                    continue;
                }
                role => {
                    let role: String = role.chars().take(40).collect();
                    return Err(Refusal::bad_input(format!("`messages[{place}].role`: no role `{role}`")));
                }
            };
            let text = said.content.read(place)?;
            let proposals = match (infer, author) {
                (true, _) => None,
                (false, Author::Owner) => Some(vec![note(&text)]),
                (false, _) => {
                    refused.push(RefusedTold {
                        message: place,
                        code: "not_the_owner".to_owned(),
                        detail: "kept as evidence; only the user's own words become their memory".to_owned(),
                    });
                    Some(Vec::new())
                }
            };
            places.push(place);
            messages.push(Message {
                source: source(adding.agent_id.as_deref()),
                session: adding.run_id.clone(),
                author,
                author_name: said.name,
                event_time: said_at.map(|at| at.to_string()),
                external_id: None,
                text,
                attachments: extras.write()?,
                proposals,
                proposer: Some("mem0".to_owned()),
                idempotency_key: asked.idempotency_key.map(|key| format!("{key}/{place}")),
                kept_on_purpose: !infer,
            });
        }
        let observing = Observing { kept_on_purpose: !infer, ..Observing::default() };
        let observed = asked.engine.observe(asked.call(), messages, observing)?;
        let mut added = Added {
            results: Vec::new(),
            refused,
            counts: Counts::default(),
            degraded: Vec::new(),
            notices: passed_over(&adding.passed_over),
            watermark: 0,
        };
        let mut judged: Vec<(usize, Observed)> = places.into_iter().zip(observed).collect();
        match &asked.house.reads {
            Some(reads) if infer => {
                let fresh: Vec<(usize, String)> = judged
                    .iter()
                    .filter(|(_, one)| !one.duplicate)
                    .filter_map(|(place, one)| Some((*place, one.evidence.clone()?)))
                    .collect();
                let ids: Vec<&str> = fresh.iter().map(|(_, id)| id.as_str()).collect();
                let read = reads(asked.call(), &ids);
                added.degraded.extend(read.stopped);
                judged.extend(read.observed.into_iter().filter_map(|one| {
                    let (place, _) = fresh.iter().find(|(_, id)| one.evidence.as_ref() == Some(id))?;
                    Some((*place, one))
                }));
            }
            None if infer => added
                .degraded
                .push("no model proposes here: only the built-in rules read these messages".to_owned()),
            _ => {}
        }
        let mut changes = Vec::new();
        for (message, one) in judged {
            added.counts.add(&one.counts);
            added.watermark = added.watermark.max(one.watermark);
            added.notices.extend(one.notices);
            added.refused.extend(one.refused.into_iter().map(|refused| RefusedTold {
                message,
                code: refused.code,
                detail: refused.detail,
            }));
            for claim in one.admitted {
                if let Some(version) = claim.version {
                    changes.push((event(&claim.transition), version));
                }
            }
        }
        let ids: Vec<String> = changes.iter().map(|(_, version)| version.clone()).collect();
        let told = asked.engine.remembered(asked.call(), &ids)?;
        added.results = changes
            .into_iter()
            .zip(told)
            .filter_map(|((event, _), one)| Some(ChangeTold { event, memory: tell(asked, one?, &user_id) }))
            .collect();
        Ok(added)
    }
}

impl Content {
    /// The words.
    fn read(self, place: usize) -> Result<String, Refusal> {
        let parts = match self {
            Self::Text(text) => return Ok(text),
            Self::Parts(parts) => parts,
        };
        let words = parts.iter().map(|part| match part.get("text") {
            Some(Json::String(text)) => Ok(text.as_str()),
            _ => Err(Refusal::bad_input(format!("`messages[{place}].content`: only text can be kept"))),
        });
        Ok(words.collect::<Result<Vec<_>, _>>()?.join("\n"))
    }
}

/// The proposal that keeps words as they are.
fn note(text: &str) -> Json {
    let kept = clip(text.trim());
    json!({"entity": "self", "predicate": "note", "value": kept, "confidence": 1.0, "quote": kept})
}

/// What mem0 calls what happened.
fn event(transition: &str) -> &'static str {
    match transition {
        "supersede" => "UPDATE",
        "close" => "DELETE",
        "confirm" => "NONE",
        _ => "ADD",
    }
}

fn passed_over(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("`{name}` means nothing here and was passed over")).collect()
}

/// How the subject is told: as the call named it.
fn user_id(asked: &Asked<'_>, named: Option<&str>) -> String {
    named.unwrap_or(asked.scope.subject().as_str()).to_owned()
}

fn tell(asked: &Asked<'_>, one: Remembered, user_id: &str) -> Memory {
    let predicate = one.item.predicate.as_deref().and_then(|name| asked.engine.registry().get(name));
    let class = predicate.and_then(|predicate| serde_json::to_value(predicate.class).ok());
    let class = class.and_then(|class| class.as_str().map(str::to_owned));
    Memory::of(one, asked.scope.subject(), user_id, class)
}

/// Searches.
pub struct SearchMemories;

/// A question and what its answers must be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Searching {
    /// The words.
    #[schemars(length(max = 65_536))]
    pub query: String,
    /// The subject.
    #[serde(default)]
    pub user_id: Option<String>,
    /// What a memory must be.
    #[serde(default)]
    pub filters: Option<Map<String, Json>>,
    /// Memories, at most; 20 when left out.
    #[serde(default, alias = "limit")]
    #[schemars(range(min = 1, max = 1000))]
    pub top_k: Option<usize>,
    /// The least score, 0 to 1; 0 when left out.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: Option<f64>,
    /// Parameters of the request that mean nothing here.
    #[serde(default)]
    pub passed_over: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Found {
    /// Best first; a dispute stands together.
    pub results: Vec<Memory>,
    /// The kind of "no", when nothing was found.
    pub negative: Option<String>,
    /// What the answer had to do without.
    pub degraded: Vec<String>,
    /// Whether more may match than was looked at or asked for.
    pub truncated: bool,
    /// What else the caller should know.
    pub notices: Vec<String>,
    /// The last append this saw.
    pub watermark: u64,
}

impl Verb for SearchMemories {
    const NAME: &'static str = "mem0_search";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Memories that match words and filters, best first";
    type Input = Searching;
    type Answer = Found;

    fn run(asked: &Asked<'_>, searching: Searching) -> Result<Found, Refusal> {
        let user_id = user_id(asked, searching.user_id.as_deref());
        let filter = searching.filters.map(|filters| Filter::read(&filters.into())).transpose()?;
        let top = searching.top_k.unwrap_or(TOP_DEFAULT);
        // What a filter takes away, others take the place of.
        let limit = if filter.is_some() { PAGE } else { top };
        let recall = Recall {
            limit,
            threshold: searching.threshold.unwrap_or_default(),
            ..Recall::of(&searching.query)
        };
        let recalled = asked.engine.recall(asked.call(), &recall)?;
        let scores: Vec<f64> = recalled.items.iter().map(|item| item.score).collect();
        let ids: Vec<String> = recalled.items.into_iter().map(|item| item.id).collect();
        let told = asked.engine.remembered(asked.call(), &ids)?;
        let mut results: Vec<Memory> = told
            .into_iter()
            .zip(scores)
            .filter_map(|(one, score)| {
                let mut memory = tell(asked, one?, &user_id);
                memory.score = Some(score);
                memory.testimony.score = score;
                Some(memory)
            })
            .filter(|memory| filter.as_ref().is_none_or(|filter| filter.passes(&memory.fields())))
            .collect();
        let truncated = recalled.truncated || results.len() > top;
        // A dispute is not cut in two.
        while results.len() > top && !is_one_dispute(&results[top - 1], &results[top]) {
            results.truncate(top);
        }
        let negative = recalled.negative.or_else(|| results.is_empty().then(|| "known_empty".to_owned()));
        let notices = passed_over(&searching.passed_over).into_iter().chain(recalled.notices).collect();
        Ok(Found {
            results,
            negative,
            degraded: recalled.degraded,
            truncated,
            notices,
            watermark: recalled.watermark,
        })
    }
}

fn is_one_dispute(one: &Memory, other: &Memory) -> bool {
    one.testimony.dispute.as_ref().is_some_and(|group| group.contains(&other.testimony.id))
}

/// Lists.
pub struct ListMemories;

/// Which memories are listed, and which page.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The subject.
    #[serde(default)]
    pub user_id: Option<String>,
    /// What a memory must be.
    #[serde(default)]
    pub filters: Option<Map<String, Json>>,
    /// The page, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub page: Option<usize>,
    /// Memories of a page; 100 when left out.
    #[serde(default, alias = "limit", alias = "top_k")]
    #[schemars(range(min = 1, max = 1000))]
    pub page_size: Option<usize>,
    /// Parameters of the request that mean nothing here.
    #[serde(default)]
    pub passed_over: Vec<String>,
}

/// A page of memories.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MemoriesPage {
    /// How many there are on all pages.
    pub count: usize,
    /// The query of the next page; `null` on the last.
    pub next: Option<String>,
    /// The query of the page before; `null` on the first.
    pub previous: Option<String>,
    /// The newest first.
    pub results: Vec<Memory>,
    /// Whether there are more than were looked at.
    pub truncated: bool,
    /// What else the caller should know.
    pub notices: Vec<String>,
}

impl Verb for ListMemories {
    const NAME: &'static str = "mem0_list";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "What holds now and passes the filters, the newest first";
    type Input = Listing;
    type Answer = MemoriesPage;

    fn run(asked: &Asked<'_>, listing: Listing) -> Result<MemoriesPage, Refusal> {
        let user_id = user_id(asked, listing.user_id.as_deref());
        let filter = listing.filters.map(|filters| Filter::read(&filters.into())).transpose()?;
        let size = listing.page_size.unwrap_or(PAGE_DEFAULT);
        let page = listing.page.unwrap_or(1);
        if page == 0 || !(1..=PAGE).contains(&size) {
            return Err(Refusal::bad_request(format!("`page` counts from 1, `page_size` from 1 to {PAGE}")));
        }
        let mut all = Vec::new();
        let mut list = List { kind: "all".to_owned(), limit: PAGE, after: None, world: false };
        let truncated = loop {
            let listed = asked.engine.list(asked.call(), &list)?;
            list.after = listed.items.last().map(|item| item.id.clone());
            let ids: Vec<String> = listed.items.into_iter().map(|item| item.id).collect();
            let told = asked.engine.remembered(asked.call(), &ids)?;
            all.extend(told.into_iter().flatten().map(|one| tell(asked, one, &user_id)));
            if !listed.truncated || all.len() >= LOOKED_AT_MAX {
                break listed.truncated;
            }
        };
        all.retain(|memory| filter.as_ref().is_none_or(|filter| filter.passes(&memory.fields())));
        let count = all.len();
        let begin = (page - 1).saturating_mul(size);
        let results: Vec<Memory> = all.into_iter().skip(begin).take(size).collect();
        let link = |page: usize| format!("?page={page}&page_size={size}");
        Ok(MemoriesPage {
            next: (begin + results.len() < count && !results.is_empty()).then(|| link(page + 1)),
            previous: (page > 1).then(|| link(page - 1)),
            count,
            results,
            truncated,
            notices: passed_over(&listing.passed_over),
        })
    }
}

/// Shows one memory.
pub struct GetMemory;

impl Verb for GetMemory {
    const NAME: &'static str = "mem0_get";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "A memory as it is now; an id from before it was put right names it, too";
    type Input = ById;
    type Answer = Memory;

    fn run(asked: &Asked<'_>, input: ById) -> Result<Memory, Refusal> {
        let last = held(asked, &input.id)?;
        Ok(named_so(asked, last, &input.id))
    }
}

/// The memory of the line that holds now.
fn held(asked: &Asked<'_>, version: &str) -> Result<Remembered, Refusal> {
    let last = asked.engine.line(asked.call(), version)?.pop().filter(|last| last.current);
    last.ok_or_else(|| Refusal::not_found(version))
}

/// A memory under the id by which it was asked for.
fn named_so(asked: &Asked<'_>, one: Remembered, version: &str) -> Memory {
    let mut memory = tell(asked, one, asked.scope.subject().as_str());
    memory.id = id(version, asked.scope.subject());
    memory
}

/// Puts new words in the place of a memory.
pub struct UpdateMemory;

/// New words for a memory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Updating {
    /// The memory.
    pub id: String,
    /// The words; at most 600 characters.
    #[serde(alias = "data", alias = "memory")]
    #[schemars(length(min = 1, max = 600))]
    pub text: String,
}

impl Verb for UpdateMemory {
    const NAME: &'static str = "mem0_update";
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str = "Put new words in the place of a memory; the old ones stay in its history";
    type Input = Updating;
    type Answer = ChangeTold;

    fn run(asked: &Asked<'_>, updating: Updating) -> Result<ChangeTold, Refusal> {
        let before = held(asked, &updating.id)?.item.id;
        let observed = asked.engine.correct(asked.call(), &before, &updating.text)?.observed;
        if let Some(refused) = observed.refused.first() {
            return Err(Refusal::new(422, "refused", format!("{}: {}", refused.code, refused.detail)));
        }
        let last = held(asked, &updating.id)?;
        let event = if last.item.id == before { "NONE" } else { "UPDATE" };
        Ok(ChangeTold { event, memory: named_so(asked, last, &updating.id) })
    }
}

/// Forgets a memory.
pub struct DeleteMemory;

/// What was deleted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Deleted {
    /// A line for people.
    pub message: &'static str,
    /// What went, by kind.
    pub erased: ErasedCounts,
    /// Versions that stand on other words.
    pub kept: Vec<String>,
    /// Places in the store's files where erased bytes were still found; 0 is the promise.
    pub residue: u64,
}

impl Deleted {
    fn of(message: &'static str, forgotten: Forgotten) -> Self {
        let Forgotten { erased, kept, residue, .. } = forgotten;
        Self { message, erased, kept, residue }
    }
}

impl Verb for DeleteMemory {
    const NAME: &'static str = "mem0_delete";
    const RIGHT: Right = Right::Forget;
    const SUMMARY: &'static str = "Forget a memory, with everything it was before it was put right";
    type Input = ById;
    type Answer = Deleted;

    fn run(asked: &Asked<'_>, input: ById) -> Result<Deleted, Refusal> {
        let line = asked.engine.line(asked.call(), &input.id)?;
        let forget = Forget::Ids(line.into_iter().map(|one| one.item.id).collect());
        let forgotten = asked.engine.forget_for(asked.call(), &forget, asked.caller.name())?;
        Ok(Deleted::of("Memory deleted successfully!", forgotten))
    }
}

/// Forgets what a user, an agent or a session said.
pub struct DeleteMemories;

/// Whose memories go. An agent and a session narrow what is forgotten of the user.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deleting {
    /// The subject.
    #[serde(default)]
    pub user_id: Option<String>,
    /// The agent.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The session.
    #[serde(default)]
    pub run_id: Option<String>,
}

impl Verb for DeleteMemories {
    const NAME: &'static str = "mem0_delete_all";
    const RIGHT: Right = Right::Forget;
    const SUMMARY: &'static str = "Forget everything of a user, or what was said to an agent or in a session";
    type Input = Deleting;
    type Answer = Deleted;

    fn run(asked: &Asked<'_>, deleting: Deleting) -> Result<Deleted, Refusal> {
        const DONE: &str = "Memories deleted successfully!";
        let Deleting { user_id, agent_id, run_id } = deleting;
        let source = agent_id.map(|agent| format!("{AGENT}:{agent}"));
        let forget = match (user_id, source, run_id) {
            (None, None, None) => {
                return Err(Refusal::bad_input("nobody is named, so nothing is deleted")
                    .hint("name a `user_id`, an `agent_id` or a `run_id`"));
            }
            (Some(_), None, None) => Forget::Subject,
            (_, source, session) => {
                let (source_said, session_said) = (source.clone(), session.clone());
                let said = Messages {
                    source: source_said,
                    kind: None,
                    session: session_said,
                    limit: 1,
                    after: None,
                };
                match asked.engine.messages(asked.call(), &said) {
                    Ok(listed) if !listed.messages.is_empty() => {
                        Forget::Messages(Which { source, session, ..Which::default() })
                    }
                    // Nobody said anything there: nothing is left of it, as was asked.
                    Ok(_) | Err(EngineError::NotFound(_)) => {
                        return Ok(Deleted::of(DONE, Forgotten::default()));
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        };
        Ok(Deleted::of(DONE, asked.engine.forget_for(asked.call(), &forget, asked.caller.name())?))
    }
}

/// Tells a memory through time.
pub struct MemoryHistory;

/// One step of a memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Step {
    /// The version that came.
    pub id: String,
    /// The memory asked about.
    pub memory_id: String,
    /// The words before.
    pub old_memory: Option<String>,
    /// The words since.
    pub new_memory: Option<String>,
    /// `ADD`, `UPDATE` or `DELETE`.
    pub event: &'static str,
    /// The subject.
    pub user_id: String,
    /// Since when this system held it so.
    pub created_at: Option<String>,
    /// The same.
    pub updated_at: Option<String>,
}

impl Verb for MemoryHistory {
    const NAME: &'static str = "mem0_history";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "A memory through its corrections, the oldest first";
    type Input = ById;
    type Answer = Vec<Step>;

    fn run(asked: &Asked<'_>, input: ById) -> Result<Vec<Step>, Refusal> {
        let line = asked.engine.line(asked.call(), &input.id)?;
        let subject = asked.scope.subject();
        let mut steps: Vec<Step> = Vec::with_capacity(line.len());
        for one in &line {
            let at = one.item.belief.as_ref().map(|belief| belief.from.clone());
            let old_memory = steps.last().and_then(|before| before.new_memory.clone());
            steps.push(Step {
                id: id(&one.item.id, subject),
                memory_id: id(&input.id, subject),
                event: if old_memory.is_some() { "UPDATE" } else { "ADD" },
                old_memory,
                new_memory: Some(words(&one.item)),
                user_id: subject.as_str().to_owned(),
                created_at: at.clone(),
                updated_at: at,
            });
        }
        if let Some(last) = line.last().filter(|last| !last.current) {
            let at = last.item.validity.as_ref().and_then(|validity| validity.to.clone());
            steps.push(Step {
                id: id(&last.item.id, subject),
                memory_id: id(&input.id, subject),
                old_memory: Some(words(&last.item)),
                new_memory: None,
                event: "DELETE",
                user_id: subject.as_str().to_owned(),
                created_at: at.clone(),
                updated_at: at,
            });
        }
        Ok(steps)
    }
}

/// Lists whose memories there are.
pub struct ListEntities;

/// Users and agents.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entities {
    /// How many.
    pub count: usize,
    /// All stand on one page.
    pub next: Option<String>,
    /// All stand on one page.
    pub previous: Option<String>,
    /// Each of them.
    pub results: Vec<Entity>,
}

/// A user or an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entity {
    /// Its name.
    pub id: String,
    /// The same.
    pub name: String,
    /// `user` or `agent`.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

impl Verb for ListEntities {
    const NAME: &'static str = "mem0_entities";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str =
        "The caller's own subject and its agents; every subject, for a key that may do everything";
    type Input = Nothing;
    type Answer = Entities;

    fn run(asked: &Asked<'_>, _: Nothing) -> Result<Entities, Refusal> {
        let named = |name: String, kind| Entity { id: name.clone(), name, kind };
        let store = asked.engine.store();
        let mut subjects = match asked.caller.all_subjects() && asked.caller.may(Right::Admin) {
            true => store.subjects().map_err(EngineError::from)?,
            false => Vec::new(),
        };
        let own = asked.scope.subject();
        let own_is_there = store.keys(asked.scope).map_err(EngineError::from)?.is_some();
        if own_is_there && !subjects.contains(own) {
            subjects.push(own.clone());
        }
        let users = subjects.iter().map(|subject| named(subject.as_str().to_owned(), "user"));
        let agents = asked.engine.sources(asked.call())?.sources.into_iter();
        let agents =
            agents.filter(|source| source.kind == AGENT).map(|source| named(source.reference, "agent"));
        let results: Vec<Entity> = users.chain(agents).collect();
        Ok(Entities { count: results.len(), next: None, previous: None, results })
    }
}
