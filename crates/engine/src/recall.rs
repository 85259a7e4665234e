//! Recall: what is remembered that matches these words, as of any moment on either clock.

use ledger::claim::Realm;
use ledger::entity::EntityRef;
use ledger::evidence::Author;
use ledger::id::{EvidenceId, Kind, Position, SourceId};
use ledger::limits::Limit;
use ledger::memory::{Fact, Version};
use ledger::time::{AsOf, Instant, Moment, Span, Zone};
use ledger::vectors::{ModelIdentity, Placed};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json, json};

use crate::answer::{Item, Recalled};
use crate::ask::{Question, When, states_liking};
use crate::dense::Vectors;
use crate::embed::Follower;
use crate::error::EngineError;
use crate::fusion::{self, Dense, Fused, Lean, Scale, Signals, gather};
use crate::lexical::{Field, Hit, LexicalIndex, Query};
use crate::subject::Snapshot;
use crate::view::{View, without_secrets};
use crate::{Call, Engine};

/// The part of one message that is indexed, in bytes; what lies behind is found by other means or not at all.
const PASSAGE_BYTES_MAX: usize = 256 * 1024;

/// How many words of content a piece of a document counts as, at least. A short message of a person is a statement; a short piece
/// of a document is a heading, a caption or half a sentence, and would stand above the passage that tells the matter.
const DOCUMENT_WORDS_MIN: u16 = 30;

/// How many facts are looked at for the one that tells when something happened.
const EVENT_HITS: usize = 8;

/// The share of the words of an event that the fact about it holds, at least.
const EVENT_COVERAGE: f32 = 0.99;

/// A pause after which a conversation without named sessions begins a new one, in microseconds.
const PAUSE_MICROS: i64 = 4 * 3_600 * 1_000_000;

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
    /// Where the asker's clock stands, for "yesterday" and "last spring".
    pub zone: Zone,
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
            zone: Zone::utc(),
        }
    }

    fn asked_at(&self, now: Instant) -> Moment {
        Moment { instant: now, zone: self.zone.clone() }
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
        // Before a snapshot is held: a model may take its time.
        let (question, failed) = match recall.grain {
            Grain::Compiled => (Question::read("", &recall.asked_at(call.now)), None),
            Grain::Fact | Grain::Evidence => self.question(&recall.query, &recall.asked_at(call.now)),
        };
        match recall.grain {
            Grain::Fact => self.read(call.scope, |snapshot| {
                let as_of = as_of(snapshot, call.now, recall.valid_at, recall.believed_at);
                let view = View { snapshot, registry: self.registry(), as_of };
                let mut told = facts(view, recall, &question, self.dense_of_facts(&snapshot.dense));
                let (missing, total) = (snapshot.vectors_missing(), snapshot.documents.len() as u64);
                told.degraded.extend(failed.map(str::to_owned));
                told.degraded.extend(self.without_vectors(missing, total));
                Ok(told)
            }),
            Grain::Evidence => self.recall_evidence(call, recall, &question, failed),
            Grain::Compiled => self.read(call.scope, |snapshot| {
                let as_of = as_of(snapshot, call.now, recall.valid_at, recall.believed_at);
                let view = View { snapshot, registry: self.registry(), as_of };
                let notices =
                    vec!["no pages are compiled by this version; ask for `fact` or `evidence`".to_owned()];
                Ok(Recalled { negative: Some("known_empty".to_owned()), notices, ..empty(view, recall) })
            }),
        }
    }

    /// A query, read and placed among the vectors, and why it could not be placed if a model failed.
    pub(crate) fn question(&self, words: &str, asked: &Moment) -> (Question, Option<&'static str>) {
        let question = Question::read(words, asked);
        match self.model().map(|_| self.place_query(words)) {
            None => (question, None),
            Some(Ok(vector)) => (question.with_vector(Some(vector)), None),
            Some(Err(why)) => (question, Some(why)),
        }
    }

    /// Where a question is looked for by meaning, if anything has a vector.
    pub(crate) fn dense<'read>(&self, vectors: &'read Vectors) -> Option<Dense<'read>> {
        let model = self.model().filter(|_| !vectors.is_empty())?;
        Some(Dense { vectors, scale: Scale::of(model) })
    }

    /// The same among facts.
    pub(crate) fn dense_of_facts<'read>(&self, vectors: &'read Vectors) -> Option<Dense<'read>> {
        self.dense(vectors).map(|dense| Dense { scale: dense.scale.of_facts(), ..dense })
    }

    fn recall_evidence(
        &self,
        call: Call<'_>,
        recall: &Recall,
        question: &Question,
        failed: Option<&'static str>,
    ) -> Result<Recalled, EngineError> {
        let held = self.held(call.scope);
        let snapshot = held.read(self.store(), call.scope, self.policies())?;
        let as_of = as_of(&snapshot, call.now, recall.valid_at, recall.believed_at);
        let view = View { snapshot: &snapshot, registry: self.registry(), as_of };
        let mut passages = held.passages();
        passages.catch_up(self.store(), call.scope, &snapshot, self.model())?;
        let visible = |place: u32| {
            passages.entries.get(place as usize).is_some_and(|entry| {
                entry.id.0.seq <= as_of.watermark
                    && snapshot.memory.recorded_when(entry.id.0.seq).is_some_and(|at| at <= as_of.believed_at)
                    && recall.valid_at.is_none_or(|valid_at| entry.said <= valid_at)
            })
        };
        let dense = self.dense(&passages.dense);
        let mut found =
            passages.matching(question, period(view, question), as_of.valid_at, dense, visible, recall.limit);
        found.retain(|found| round(found.score) >= recall.threshold);
        let truncated = found.len() > recall.limit;
        found.truncate(recall.limit);
        let ids: Vec<EvidenceId> = found
            .iter()
            .filter_map(|found| passages.entries.get(found.hit.id as usize))
            .map(|entry| entry.id)
            .collect();
        let messages = self.store().evidence(call.scope, &ids)?;
        let mut items = Vec::with_capacity(ids.len());
        for ((id, found), evidence) in ids.iter().zip(&found).zip(messages) {
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
                text: format!("({said}) {speaker}: {}", without_secrets(excerpt(text, &question.words))),
                score: round(found.score),
                signals: found.signals(),
                validity: None,
                belief: None,
                support: 1,
                dispute: None,
                fidelity: source.fidelity.to_string(),
                event_time: said,
                realm: None,
            });
        }
        let negative = items.is_empty().then(|| negative(view, &question.words, &passages.words).to_owned());
        let without = self.without_vectors(passages.vectors_missing(), passages.placeable());
        let mut degraded: Vec<String> = failed.map(str::to_owned).into_iter().chain(without).collect();
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

/// Whether an answer may list so many.
pub(crate) fn check_page(limit: usize) -> Result<(), EngineError> {
    if limit == 0 {
        return Err(EngineError::Input("limit `0` lists nothing; give 1 or more".to_owned()));
    }
    Ok(Limit::PAGE_ITEMS.check("the page", limit)?)
}

fn check(recall: &Recall) -> Result<(), EngineError> {
    Limit::QUERY_BYTES.check("query", recall.query.len())?;
    check_page(recall.limit)?;
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
fn facts(view: View<'_>, recall: &Recall, question: &Question, dense: Option<Dense<'_>>) -> Recalled {
    let (found, more) = matches(view, question, dense, recall.limit);
    let memory = &view.snapshot.memory;
    let mut items: Vec<Item> = Vec::new();
    let mut told: FxHashSet<Position> = FxHashSet::default();
    let mut truncated = more;
    for (fact, version, found) in &found {
        let score = round(found.score);
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
                items.extend(view.item(fact, member, score, found.signals()));
            }
        }
    }
    let negative = items.is_empty().then(|| negative(view, &question.words, &view.snapshot.words).to_owned());
    let mut notices = Vec::new();
    if items.is_empty() {
        notices.push(
            "nothing in the facts; `--grain evidence` looks through the messages themselves".to_owned(),
        );
    }
    Recalled { items, truncated, negative, notices, ..empty(view, recall) }
}

/// Something that matches, with what was found of it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// What the words found; all zero, and without terms, when only the meaning is near.
    pub hit: Hit,
    /// 0 to 1: the order of the answer.
    pub score: f32,
    fused: Fused,
    lean: Lean,
}

impl Found {
    /// Each signal, with its value and its part in the score; and what the words found, in the words' own measures.
    pub fn signals(&self) -> Map<String, Json> {
        let mut signals = self.fused.reasons(self.lean);
        signals.insert("bm25".to_owned(), json!(round(self.hit.bm25)));
        signals.insert("coverage".to_owned(), json!(round(self.hit.coverage)));
        signals.insert("phrase".to_owned(), json!(self.hit.phrase));
        signals
    }
}

/// The best `limit` of the fused candidates that stand, best first and of two alike the older document.
fn best(
    words: &LexicalIndex,
    question: &Question,
    mut fused: Vec<(fusion::Candidate, Fused)>,
    lean: Lean,
    limit: usize,
) -> Vec<Found> {
    fused.retain(|(_, fused)| fused.stands());
    let order = |left: &(fusion::Candidate, Fused), right: &(fusion::Candidate, Fused)| {
        right.1.score().total_cmp(&left.1.score()).then(left.0.id.cmp(&right.0.id))
    };
    fused.sort_unstable_by(order);
    fused.truncate(limit);
    let ranked: Vec<_> = fused.iter().filter_map(|(candidate, _)| candidate.ranked).collect();
    let mut hits = words.explain(&question.words, &ranked).into_iter();
    let found = fused.into_iter().map(|(candidate, fused)| {
        let hit = candidate.ranked.and_then(|_| hits.next());
        let nothing = Hit {
            id: candidate.id,
            score: 0.0,
            bm25: 0.0,
            coverage: 0.0,
            phrase: 0,
            matched_terms: Vec::new(),
        };
        Found { hit: hit.unwrap_or(nothing), score: fused.score(), fused, lean }
    });
    found.collect()
}

/// The versions in force that match, best first, and whether there are more than `limit`.
pub(crate) fn matches<'read>(
    view: View<'read>,
    question: &Question,
    dense: Option<Dense<'read>>,
    limit: usize,
) -> (Vec<(&'read Fact, &'read Version, Found)>, bool) {
    let snapshot = view.snapshot;
    let version =
        |document: u32| snapshot.documents.get(document as usize).and_then(|id| snapshot.memory.version(*id));
    let current =
        |document: u32| version(document).is_some_and(|(_, version)| version.is_current(&view.as_of));
    let candidates = gather(&snapshot.words, dense, question, current, limit.saturating_add(1));
    let period = period(view, question);
    let measured = question.vector.is_some() && dense.is_some();
    // What leans a search among messages says nothing of a fact: it is the owner's, or it names its realm.
    let lean = Lean::default();
    let fused = candidates.into_iter().map(|candidate| {
        let timely = period.and_then(|period| {
            let (_, version) = version(candidate.id)?;
            Some(version.state(&view.as_of)?.validity.overlaps(&period))
        });
        let (lexical, nearness) = (candidate.lexical(), candidate.nearness);
        let signals = Signals { lexical, nearness, timely, ..Signals::default() };
        (candidate, fusion::fuse_fact(lean, measured, signals))
    });
    let mut found = best(&snapshot.words, question, fused.collect(), lean, limit.saturating_add(1));
    let more = found.len() > limit;
    found.truncate(limit);
    let mut found: Vec<(&Fact, &Version, Found)> = found
        .into_iter()
        .filter_map(|found| version(found.hit.id).map(|(fact, version)| (fact, version, found)))
        .collect();
    // Of two that match alike, the owner's own word comes first.
    let is_world = |fact: &Fact| fact.key.as_ref().is_some_and(|key| key.realm == Realm::World);
    found.sort_by(|left, right| {
        right.2.score.total_cmp(&left.2.score).then(is_world(left.0).cmp(&is_world(right.0)))
    });
    (found, more)
}

/// The time a question speaks of. One told by what happened then is known when all facts that
/// say that it happened began at one moment.
fn period(view: View<'_>, question: &Question) -> Option<Span> {
    let Some(When::Event(event)) = &question.when else { return question.period() };
    let snapshot = view.snapshot;
    let words = Query::new(&event.words);
    let hits = snapshot.words.search(&words, |_| true, EVENT_HITS);
    let mut began = hits.iter().filter(|hit| hit.coverage >= EVENT_COVERAGE).filter_map(|hit| {
        let (_, version) = snapshot.memory.version(*snapshot.documents.get(hit.id as usize)?)?;
        Some(version.state(&view.as_of)?.validity.from())
    });
    let first = began.next()?;
    // Of two moves nobody knows which is meant.
    began.all(|other| other == first).then(|| event.relation.of(first)).flatten()
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
    /// The number of each session and when it was last spoken in, by source and name.
    sessions: FxHashMap<(SourceId, Option<String>), (u32, Instant)>,
    sessions_begun: u32,
    /// Where the messages lie by meaning; some may not have been placed yet.
    pub dense: Vectors,
    follower: Follower,
    /// Messages whose text is kept.
    with_text: usize,
}

struct Passage {
    id: EvidenceId,
    source: SourceId,
    said: Instant,
    /// Which session it is of.
    session: u32,
    /// Whether a model or a service said it.
    by_model: bool,
    /// Whether the owner says in it what they like.
    liking: bool,
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

    /// The messages of these sources, all where none is given, and of this session, the newest first.
    pub fn of<'read>(
        &'read self,
        sources: Option<&'read [SourceId]>,
        session: Option<&str>,
    ) -> impl Iterator<Item = EvidenceId> + 'read {
        // A session with a name has one number for as long as it lasts.
        let numbers: Option<Vec<u32>> = session.map(|session| {
            let named = self.sessions.iter().filter(|((_, name), _)| name.as_deref() == Some(session));
            named.map(|(_, (number, _))| *number).collect()
        });
        let entries = self.entries.iter().rev().filter(move |entry| {
            sources.is_none_or(|sources| sources.contains(&entry.source))
                && numbers.as_ref().is_none_or(|numbers| numbers.contains(&entry.session))
        });
        entries.map(|entry| entry.id)
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
        let words_min = if evidence.author == Author::External { DOCUMENT_WORDS_MIN } else { 0 };
        let fields = [(Field::Passage, text), (Field::Predicate, speaker)];
        _ = self.words.add_as_long_as(place, &fields, words_min);
        let said = evidence.event_time.instant;
        let by_model = matches!(evidence.author, Author::Assistant | Author::Service);
        let liking = evidence.author == Author::Owner && states_liking(text);
        let session = self.session_of(evidence, said);
        let has_text = !text.trim().is_empty();
        self.with_text += usize::from(has_text);
        let source = evidence.source;
        self.entries.push(Passage { id, source, said, session, by_model, liking, has_text });
        self.last = Some(id.0);
    }

    /// The session a message is of. One without a name ends with a pause.
    fn session_of(&mut self, evidence: &ledger::evidence::Evidence, said: Instant) -> u32 {
        let key = (evidence.source, evidence.words.session.clone());
        let named = key.1.is_some();
        let begun = &mut self.sessions_begun;
        let mut begin = || {
            *begun += 1;
            *begun
        };
        let (session, last) = self.sessions.entry(key).or_insert_with(|| (begin(), said));
        if !named && said.micros().abs_diff(last.micros()) > PAUSE_MICROS as u64 {
            *session = begin();
        }
        *last = said;
        *session
    }

    /// The messages that match, best first, one more than `limit` if there are.
    fn matching(
        &self,
        question: &Question,
        period: Option<Span>,
        now: Instant,
        dense: Option<Dense<'_>>,
        visible: impl Fn(u32) -> bool,
        limit: usize,
    ) -> Vec<Found> {
        let lean = question.lean;
        let measured = question.vector.is_some() && dense.is_some();
        let candidates = gather(&self.words, dense, question, visible, limit.saturating_add(1));
        let mut fused = Vec::with_capacity(candidates.len());
        // The best two of each session: what lends to the others, and what lends to the best.
        let mut sessions: FxHashMap<u32, [(f32, u32); 2]> = FxHashMap::default();
        for candidate in candidates {
            let Some(entry) = self.entries.get(candidate.id as usize) else { continue };
            let signals = Signals {
                lexical: candidate.lexical(),
                nearness: candidate.nearness,
                by_model: entry.by_model,
                liking: entry.liking,
                age_days: days_between(entry.said, now),
                timely: period.map(|period| period.contains(entry.said)),
            };
            let told = fusion::fuse(lean, measured, signals);
            let [first, second] = sessions.entry(entry.session).or_default();
            if told.told() > first.0 {
                *second = *first;
                *first = (told.told(), candidate.id);
            } else if told.told() > second.0 {
                *second = (told.told(), candidate.id);
            }
            fused.push((candidate, told));
        }
        for (candidate, told) in &mut fused {
            let session =
                self.entries.get(candidate.id as usize).and_then(|entry| sessions.get(&entry.session));
            if let Some([first, second]) = session {
                *told = told.beside(if first.1 == candidate.id { second.0 } else { first.0 });
            }
        }
        best(&self.words, question, fused, lean, limit.saturating_add(1))
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

/// Days from one instant to a later one.
fn days_between(then: Instant, now: Instant) -> f32 {
    const DAY_MICROS: f64 = 86_400e6;
    ((now.micros() as f64 - then.micros() as f64) / DAY_MICROS) as f32
}
