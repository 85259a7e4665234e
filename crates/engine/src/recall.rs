//! Recall: what is remembered that matches these words, as of any moment on either clock.

use ledger::claim::Realm;
use ledger::entity::EntityRef;
use ledger::id::{EvidenceId, Kind, Position};
use ledger::memory::{Fact, Version};
use ledger::time::{AsOf, Instant};
use ledger::vectors::{ModelIdentity, Placed};
use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json, json};

use crate::answer::{Item, Recalled};
use crate::dense::Vectors;
use crate::embed::Follower;
use crate::error::EngineError;
use crate::lexical::{Field, Hit, LexicalIndex, Query};
use crate::subject::Snapshot;
use crate::view::{View, without_secrets};
use crate::{Call, Engine};

/// The longest query read, in bytes.
pub const QUERY_BYTES_MAX: usize = 64 * 1024;

/// The most items one recall answers.
pub const ITEMS_MAX: usize = 1_000;

/// The part of one message that is indexed, in bytes; what lies behind is found by other means or not at all.
const PASSAGE_BYTES_MAX: usize = 256 * 1024;

/// The longest excerpt of a message shown, in characters.
const EXCERPT_CHARS: usize = 400;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Recall {
    /// The words.
    pub query: String,
    /// Items, at most.
    pub limit: usize,
    /// The least score, 0 to 1.
    pub threshold: f64,
    /// What held in the world at this instant; now, when left out.
    pub valid_at: Option<Instant>,
    /// What this system held at this instant; the latest, when left out.
    pub believed_at: Option<Instant>,
    /// What kind of thing is wanted.
    pub grain: Grain,
}

impl Recall {
    /// A recall of facts with the usual limits.
    #[must_use]
    pub fn of(query: &str) -> Self {
        Self {
            query: query.to_owned(),
            limit: 10,
            threshold: 0.0,
            valid_at: None,
            believed_at: None,
            grain: Grain::Fact,
        }
    }
}

/// What kind of thing an answer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Versions of facts.
    Fact,
    /// Messages themselves.
    Evidence,
    /// Compiled pages.
    Compiled,
}

impl Grain {
    /// The word in the interface.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Evidence => "evidence",
            Self::Compiled => "compiled",
        }
    }
}

/// What is asked of one entity.
#[derive(Clone, Debug)]
pub struct About {
    /// The entity: `self`, or a slug.
    pub entity: String,
    /// One predicate; all of them, when left out.
    pub predicate: Option<String>,
    /// What held in the world at this instant; now, when left out.
    pub valid_at: Option<Instant>,
    /// What this system held at this instant; the latest, when left out.
    pub believed_at: Option<Instant>,
}

impl About {
    /// Everything that holds of `entity` now.
    #[must_use]
    pub fn entity(entity: &str) -> Self {
        Self { entity: entity.to_owned(), predicate: None, valid_at: None, believed_at: None }
    }
}

impl Engine {
    /// Answers what is remembered.
    ///
    /// # Errors
    /// [`EngineError::Input`] for a query, limit or threshold out of bounds.
    pub fn recall(&self, call: Call<'_>, recall: &Recall) -> Result<Recalled, EngineError> {
        check(recall)?;
        match recall.grain {
            Grain::Fact => self.read(call.scope, |snapshot| {
                let as_of = as_of(snapshot, call.now, recall.valid_at, recall.believed_at);
                let mut told = facts(View { snapshot, registry: self.registry(), as_of }, recall);
                let (missing, total) = (snapshot.vectors_missing(), snapshot.documents.len() as u64);
                told.degraded.extend(self.without_vectors(missing, total));
                Ok(told)
            }),
            Grain::Evidence => self.recall_evidence(call, recall),
            Grain::Compiled => self.read(call.scope, |snapshot| {
                let as_of = as_of(snapshot, call.now, recall.valid_at, recall.believed_at);
                let view = View { snapshot, registry: self.registry(), as_of };
                let notices =
                    vec!["no pages are compiled by this version; ask for `fact` or `evidence`".to_owned()];
                Ok(Recalled { negative: Some("known_empty".to_owned()), notices, ..empty(view, recall) })
            }),
        }
    }

    fn recall_evidence(&self, call: Call<'_>, recall: &Recall) -> Result<Recalled, EngineError> {
        let held = self.held(call.scope);
        let snapshot = held.read(self.store(), call.scope, self.policies())?;
        let as_of = as_of(&snapshot, call.now, recall.valid_at, recall.believed_at);
        let view = View { snapshot: &snapshot, registry: self.registry(), as_of };
        let mut passages = held.passages();
        passages.catch_up(self.store(), call.scope, &snapshot, self.model())?;
        let query = Query::new(&recall.query);
        let visible = |place: u32| {
            passages.entries.get(place as usize).is_some_and(|entry| {
                entry.id.0.seq <= as_of.watermark
                    && snapshot.memory.recorded_when(entry.id.0.seq).is_some_and(|at| at <= as_of.believed_at)
                    && recall.valid_at.is_none_or(|valid_at| entry.said <= valid_at)
            })
        };
        let hits = passages.words.search(&query, visible, recall.limit + 1);
        let hits: Vec<Hit> =
            hits.into_iter().filter(|hit| f64::from(hit.score) >= recall.threshold).collect();
        let truncated = hits.len() > recall.limit;
        let ids: Vec<EvidenceId> = hits
            .iter()
            .take(recall.limit)
            .filter_map(|hit| passages.entries.get(hit.id as usize))
            .map(|entry| entry.id)
            .collect();
        let found = self.store().evidence(call.scope, &ids)?;
        let mut items = Vec::with_capacity(ids.len());
        for ((id, hit), evidence) in ids.iter().zip(&hits).zip(found) {
            let Some(evidence) = evidence else { continue };
            let Some(source) = snapshot.memory.source(evidence.source) else { continue };
            let text = evidence.words.text.as_deref().unwrap_or_default();
            let said = evidence.event_time.to_string();
            let speaker = evidence.words.author_name.clone().unwrap_or_else(|| evidence.author.to_string());
            items.push(Item {
                id: view.id(Kind::Evidence, *id),
                fact: None,
                entity: None,
                predicate: None,
                value: Json::Null,
                text: format!("({said}) {speaker}: {}", without_secrets(excerpt(text, &query))),
                score: round(hit.score),
                signals: signals(hit),
                validity: None,
                belief: None,
                support: 1,
                dispute: None,
                fidelity: source.fidelity.to_string(),
                event_time: said,
                realm: None,
            });
        }
        let negative = items.is_empty().then(|| negative(view, &query, &passages.words).to_owned());
        let mut degraded: Vec<String> =
            self.without_vectors(passages.vectors_missing(), passages.placeable()).into_iter().collect();
        if passages.cut > 0 {
            let cut = passages.cut;
            degraded.push(format!(
                "{cut} long messages are searched only in their first {PASSAGE_BYTES_MAX} bytes"
            ));
        }
        Ok(Recalled { items, truncated, negative, degraded, ..empty(view, recall) })
    }

    /// What holds of one entity at a moment on both clocks: all of it, or only `predicate`. Disputes come whole.
    ///
    /// No words are searched, so the work grows with the facts about the entity and not with the memory.
    ///
    /// # Errors
    /// [`EngineError::Input`] for an entity that is no slug or a predicate outside the registry.
    pub fn facts_about(&self, call: Call<'_>, about: &About) -> Result<Recalled, EngineError> {
        let entity = EntityRef::parse(&about.entity)
            .map_err(|error| EngineError::Input(format!("entity: {error}")))?;
        if let Some(name) = about.predicate.as_deref().filter(|name| self.registry().get(name).is_none()) {
            let short: String = name.chars().take(60).collect();
            return Err(EngineError::Input(format!("predicate `{short}` is not in the registry")));
        }
        self.read(call.scope, |snapshot| {
            let as_of = as_of(snapshot, call.now, about.valid_at, about.believed_at);
            let view = View { snapshot, registry: self.registry(), as_of };
            let facts = || {
                let known = snapshot.about(&entity).iter().filter_map(|id| snapshot.memory.fact(*id));
                known.filter(|fact| {
                    fact.key.as_ref().is_some_and(|key| {
                        about.predicate.as_deref().is_none_or(|predicate| *key.predicate == *predicate)
                    })
                })
            };
            let items: Vec<Item> = facts()
                .flat_map(|fact| fact.versions.iter().map(move |version| (fact, version)))
                .filter(|(_, version)| version.is_current(&as_of))
                .filter_map(|(fact, version)| view.item(fact, version, 1.0, Map::new()))
                .collect();
            let everything = Recall { limit: usize::MAX, ..Recall::of("") };
            let no = || match facts().next() {
                Some(_) => before_the_log(view).unwrap_or("known_empty"),
                None => "unknown_entity",
            };
            let negative = items.is_empty().then(|| no().to_owned());
            Ok(Recalled { items, negative, ..empty(view, &everything) })
        })
    }

    /// Every fact that holds at a moment on both clocks.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn state(
        &self,
        call: Call<'_>,
        valid_at: Option<Instant>,
        believed_at: Option<Instant>,
    ) -> Result<Recalled, EngineError> {
        self.read(call.scope, |snapshot| {
            let as_of = as_of(snapshot, call.now, valid_at, believed_at);
            let view = View { snapshot, registry: self.registry(), as_of };
            let items: Vec<Item> = view
                .current()
                .filter_map(|(fact, version)| view.item(fact, version, 1.0, Map::new()))
                .collect();
            let everything = Recall { limit: usize::MAX, ..Recall::of("") };
            let negative = items.is_empty().then(|| before_the_log(view).unwrap_or("known_empty").to_owned());
            Ok(Recalled { items, negative, ..empty(view, &everything) })
        })
    }
}

fn check(recall: &Recall) -> Result<(), EngineError> {
    if recall.query.len() > QUERY_BYTES_MAX {
        let bytes = recall.query.len();
        return Err(EngineError::Input(format!("query has {bytes} bytes; {QUERY_BYTES_MAX} are allowed")));
    }
    if !(1..=ITEMS_MAX).contains(&recall.limit) {
        return Err(EngineError::Input(format!("limit `{}` is outside 1 to {ITEMS_MAX}", recall.limit)));
    }
    if !(0.0..=1.0).contains(&recall.threshold) {
        return Err(EngineError::Input(format!("threshold `{}` is outside 0 to 1", recall.threshold)));
    }
    Ok(())
}

/// What a read looks at, as far as it is durable.
pub(crate) fn as_of(
    snapshot: &Snapshot,
    now: Instant,
    valid_at: Option<Instant>,
    believed_at: Option<Instant>,
) -> AsOf {
    // Who looks back sees no later append, so support and the day something was last said are those of then, too.
    let recorded_by_then = believed_at.map_or(u64::MAX, |then| snapshot.memory.watermark_at(then));
    AsOf {
        valid_at: valid_at.unwrap_or(now),
        believed_at: believed_at.unwrap_or(Instant::MAX),
        watermark: snapshot.durable.min(recorded_by_then),
    }
}

fn empty(view: View<'_>, recall: &Recall) -> Recalled {
    Recalled {
        grain: recall.grain.as_str().to_owned(),
        items: Vec::new(),
        as_of: view.as_of_text(),
        watermark: view.as_of.watermark,
        negative: None,
        degraded: Vec::new(),
        truncated: false,
        notices: Vec::new(),
    }
}

/// Facts that match, a dispute always whole: it stands where its best member does.
fn facts(view: View<'_>, recall: &Recall) -> Recalled {
    let query = Query::new(&recall.query);
    let (found, more) = matches(view, &query, recall.limit);
    let memory = &view.snapshot.memory;
    let mut items: Vec<Item> = Vec::new();
    let mut told: FxHashSet<Position> = FxHashSet::default();
    let mut truncated = more;
    for (fact, version, hit) in &found {
        let score = round(hit.score);
        if score < recall.threshold || told.contains(&version.id.0) {
            continue;
        }
        let group = memory.dispute(fact, &view.as_of);
        let members: Vec<&Version> = match group.is_empty() {
            true => vec![version],
            false => std::iter::once(*version)
                .chain(group.into_iter().filter(|member| member.id != version.id))
                .collect(),
        };
        if !items.is_empty() && items.len() + members.len() > recall.limit {
            truncated = true;
            continue;
        }
        for member in members {
            if told.insert(member.id.0) {
                items.extend(view.item(fact, member, score, signals(hit)));
            }
        }
    }
    let negative = items.is_empty().then(|| negative(view, &query, &view.snapshot.words).to_owned());
    let mut notices = Vec::new();
    if items.is_empty() {
        notices.push(
            "nothing in the facts; `--grain evidence` looks through the messages themselves".to_owned(),
        );
    }
    Recalled { items, truncated, negative, notices, ..empty(view, recall) }
}

/// The versions in force that match, best first, and whether there are more than `limit`.
pub(crate) fn matches<'read>(
    view: View<'read>,
    query: &Query,
    limit: usize,
) -> (Vec<(&'read Fact, &'read Version, Hit)>, bool) {
    let snapshot = view.snapshot;
    let current = |document: u32| {
        let id = snapshot.documents.get(document as usize);
        id.and_then(|id| snapshot.memory.version(*id))
            .is_some_and(|(_, version)| version.is_current(&view.as_of))
    };
    let mut hits = snapshot.words.search(query, current, limit.saturating_add(1));
    let more = hits.len() > limit;
    hits.truncate(limit);
    let mut found: Vec<(&Fact, &Version, Hit)> = hits
        .into_iter()
        .filter_map(|hit| {
            let id = snapshot.documents.get(hit.id as usize)?;
            let (fact, version) = snapshot.memory.version(*id)?;
            Some((fact, version, hit))
        })
        .collect();
    // Of two that match alike, the owner's own word comes first.
    let is_world = |fact: &Fact| fact.key.as_ref().is_some_and(|key| key.realm == Realm::World);
    found.sort_by(|left, right| {
        right.2.score.total_cmp(&left.2.score).then(is_world(left.0).cmp(&is_world(right.0)))
    });
    (found, more)
}

pub(crate) fn signals(hit: &Hit) -> Map<String, Json> {
    let parts = [
        ("bm25", json!(round(hit.bm25))),
        ("coverage", json!(round(hit.coverage))),
        ("phrase", json!(hit.phrase)),
    ];
    parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Scores are told to four places: more would only show the noise of floating point.
pub(crate) fn round(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}

/// Which kind of "no" an empty answer is.
fn negative(view: View<'_>, query: &Query, words: &LexicalIndex) -> &'static str {
    if let Some(before) = before_the_log(view) {
        return before;
    }
    // A question without words of its own names nothing that could be unknown.
    let anything = query.asked().len() == 0 || !words.search(query, |_| true, 1).is_empty();
    if anything { "known_empty" } else { "unknown_entity" }
}

/// Whether the read looks at a time before anything was known.
fn before_the_log(view: View<'_>) -> Option<&'static str> {
    let first = view.snapshot.memory.recorded_when(1)?;
    (view.as_of.believed_at < first).then_some("boundary")
}

/// The part of a message around the words asked for.
fn excerpt<'text>(text: &'text str, query: &Query) -> &'text str {
    if text.chars().nth(EXCERPT_CHARS).is_none() {
        return text;
    }
    let lower = text.to_lowercase();
    // Lower-casing may move bytes; then the beginning is shown, which is always a fair excerpt.
    let place = match lower.len() == text.len() {
        true => query.asked().filter_map(|word| lower.find(word)).min().unwrap_or(0),
        false => 0,
    };
    let start = text[..text.floor_char_boundary(place)]
        .char_indices()
        .rev()
        .nth(EXCERPT_CHARS / 4)
        .map_or(0, |(at, _)| at);
    let rest = &text[start..];
    rest.char_indices().nth(EXCERPT_CHARS).map_or(rest, |(end, _)| &rest[..end])
}

/// The messages of a subject, indexed when somebody first asks for them.
#[derive(Default)]
pub(crate) struct Passages {
    generation: u64,
    words: LexicalIndex,
    entries: Vec<Passage>,
    last: Option<Position>,
    /// Messages of which only the beginning is searched.
    cut: usize,
    /// Where the messages lie by meaning; some may not have been placed yet.
    pub dense: Vectors,
    follower: Follower,
    /// Messages whose text is kept.
    with_text: usize,
}

struct Passage {
    id: EvidenceId,
    said: Instant,
    has_text: bool,
}

impl Passages {
    pub fn catch_up(
        &mut self,
        store: &dyn ledger::store::Store,
        scope: &ledger::scope::Scope,
        snapshot: &Snapshot,
        model: Option<&ModelIdentity>,
    ) -> Result<(), EngineError> {
        let dims = model.map_or(0, |model| model.dims as usize);
        if self.generation != snapshot.generation || self.dense.dims() != dims {
            // Something was erased: the words must not live on in an index.
            let dense = Vectors::new(dims);
            *self = Self { generation: snapshot.generation, dense, ..Self::default() };
        }
        self.read_messages(store, scope, snapshot)?;
        if let Some(model) = model.filter(|_| self.vectors_missing() > 0) {
            let mut rows = Vec::new();
            let take = &mut |row| rows.push(row);
            let mark = self.follower.mark();
            let mark = store.vector_store().vectors(scope, model, Placed::Evidence, mark, take)?;
            let place = |of: Position| {
                self.entries.binary_search_by_key(&of, |entry| entry.id.0).ok().map(|place| place as u32)
            };
            self.follower.take(rows, mark, snapshot.durable, &mut self.dense, place);
        }
        Ok(())
    }

    fn read_messages(
        &mut self,
        store: &dyn ledger::store::Store,
        scope: &ledger::scope::Scope,
        snapshot: &Snapshot,
    ) -> Result<(), EngineError> {
        loop {
            let batch = store.evidence_after(scope, self.last, 1_000)?;
            let Some((last, _)) = batch.last() else { return Ok(()) };
            if last.0.seq > snapshot.durable {
                // Newer than what this read looks at; taken in by the next.
                let visible = batch.iter().filter(|(id, _)| id.0.seq <= snapshot.durable);
                visible.for_each(|(id, evidence)| self.add(*id, evidence));
                return Ok(());
            }
            batch.iter().for_each(|(id, evidence)| self.add(*id, evidence));
        }
    }

    fn add(&mut self, id: EvidenceId, evidence: &ledger::evidence::Evidence) {
        let text = evidence.words.text.as_deref().unwrap_or_default();
        self.cut += usize::from(text.len() > PASSAGE_BYTES_MAX);
        let text = &text[..text.floor_char_boundary(PASSAGE_BYTES_MAX)];
        let speaker = evidence.words.author_name.as_deref().unwrap_or_default();
        let place = self.entries.len() as u32;
        // A message the index cannot take keeps its place, so that numbers stay dense.
        _ = self.words.add(place, &[(Field::Passage, text), (Field::Predicate, speaker)]);
        let has_text = !text.trim().is_empty();
        self.with_text += usize::from(has_text);
        self.entries.push(Passage { id, said: evidence.event_time.instant, has_text });
        self.last = Some(id.0);
    }

    /// Messages that can have a vector.
    pub fn placeable(&self) -> u64 {
        self.with_text as u64
    }

    /// Messages that could have a vector and have none.
    pub fn vectors_missing(&self) -> u64 {
        self.with_text.saturating_sub(self.dense.documents()) as u64
    }

    /// The messages that wait to be placed, in the order of the log.
    pub fn without_vector(&self) -> impl Iterator<Item = EvidenceId> {
        let entries = (0_u32..).zip(&self.entries).filter(|(_, entry)| entry.has_text);
        entries.filter(|(place, _)| !self.dense.contains(*place)).map(|(_, entry)| entry.id)
    }

    /// The message at a place.
    pub fn id_of(&self, place: u32) -> Option<EvidenceId> {
        self.entries.get(place as usize).map(|entry| entry.id)
    }

    /// Memory held, in bytes.
    pub fn resident_bytes(&self) -> usize {
        self.words.resident_bytes()
            + self.dense.resident_bytes()
            + self.entries.capacity() * size_of::<Passage>()
    }
}
