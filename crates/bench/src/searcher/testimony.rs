//! Testimony itself, through the same verbs its users call.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use engine::observe::{Message, Observing, SourceInput};
use engine::recall::{Grain, Recall};
use engine::turn::Turn;
use engine::{Call, Engine};
use inference::embed::Embed;
use ledger::id::Kind;
use ledger::reference::ReferenceStore;
use ledger::scope::Scope;
use ledger::source::Retention;
use ledger::time::Instant;

use crate::retrieval::{Ask, Hit, Passage, Searcher, Sort};
use crate::stores::{embed_all, engine, scope, with_model};

/// How many messages one append takes; a finer grain changes no answer, only how long taking them in takes.
const PER_APPEND: usize = 100;

/// Messages observed by [`Engine::observe`] and asked for by [`Engine::recall`] at the grain of evidence, everything else
/// as shipped, in the reference store.
pub struct Testimony {
    name: &'static str,
    make: Box<dyn Fn() -> Engine>,
    life: Option<Life>,
}

/// The engine of one timeline.
struct Life {
    engine: Engine,
    scope: Scope,
    timeline: String,
    sort: Sort,
    /// Where the passages of an id of evidence stand; several, when the product knew the words already.
    places: HashMap<String, Vec<usize>>,
    passages: usize,
    latest: Instant,
}

/// What a turn's packet holds, seen from the messages.
pub struct Packed {
    /// The messages behind the packet's items.
    pub places: Vec<usize>,
    /// Items of the packet.
    pub items: usize,
    /// Tokens of the packet.
    pub tokens: u32,
}

impl Testimony {
    /// By words alone: no embedder is configured.
    #[must_use]
    pub fn words() -> Self {
        Self::with("testimony", Box::new(|| engine(Arc::new(ReferenceStore::new()))))
    }

    /// By words and by meaning, every message with its vectors before anything is asked.
    #[must_use]
    pub fn hybrid(embedder: Arc<dyn Embed>) -> Self {
        let make = move || with_model(engine(Arc::new(ReferenceStore::new())), Some(&embedder));
        Self::with("testimony hybrid", Box::new(make))
    }

    /// Under another name, with the engine that `make` makes for each timeline.
    #[must_use]
    pub fn with(name: &'static str, make: Box<dyn Fn() -> Engine>) -> Self {
        Self { name, make, life: None }
    }

    /// The packet of a turn with this message, under a budget of tokens: which messages stand behind its items.
    ///
    /// # Errors
    /// As the engine's verbs.
    pub fn packet(&self, message: &str, now: Instant, budget_tokens: u32) -> Result<Packed> {
        let life = self.life()?;
        let call = Call { scope: &life.scope, now };
        let turned =
            life.engine.turn(call, &Turn { budget_tokens: Some(budget_tokens), ..Turn::of(message) })?;
        let mut places = Vec::new();
        for item in &turned.selected {
            for evidence in life.engine.why(call, &item.id)?.evidence {
                places.extend(life.places.get(&evidence.evidence).into_iter().flatten().copied());
            }
        }
        places.sort_unstable();
        places.dedup();
        Ok(Packed { places, items: turned.selected.len(), tokens: turned.packet.tokens })
    }

    fn life(&self) -> Result<&Life> {
        self.life.as_ref().context("nothing was begun")
    }
}

impl Life {
    fn message(&self, passage: &Passage) -> Message {
        let (kind, reference) = match self.sort {
            Sort::Conversation => ("conversation", &self.timeline),
            Sort::Documents => ("document", &passage.session),
        };
        Message {
            source: SourceInput {
                kind: kind.to_owned(),
                reference: reference.clone(),
                title: None,
                authority: None,
                fidelity: None,
                mode: None,
                retention: Some(Retention::Full),
                lineage: None,
            },
            session: Some(passage.session.clone()),
            author: passage.author,
            author_name: passage.speaker.clone(),
            event_time: passage.said.map(|said| said.to_string()),
            external_id: Some(passage.id.clone()),
            text: passage.text.clone(),
            attachments: Vec::new(),
            proposals: None,
            proposer: None,
            idempotency_key: None,
            kept_on_purpose: false,
        }
    }
}

impl Searcher for Testimony {
    fn name(&self) -> &str {
        self.name
    }

    fn begin(&mut self, timeline: &str, sort: Sort) -> Result<()> {
        self.life = Some(Life {
            engine: (self.make)(),
            scope: scope(timeline)?,
            timeline: timeline.to_owned(),
            sort,
            places: HashMap::new(),
            passages: 0,
            latest: sort.begins(),
        });
        Ok(())
    }

    fn observe(&mut self, passages: &[Passage]) -> Result<()> {
        let life = self.life.as_mut().context("nothing was begun")?;
        for some in passages.chunks(PER_APPEND) {
            life.latest = some.iter().filter_map(|passage| passage.said).fold(life.latest, Instant::max);
            let messages = some.iter().map(|passage| life.message(passage)).collect();
            let call = Call { scope: &life.scope, now: life.latest };
            let observing = Observing { per_append: PER_APPEND, ..Observing::default() };
            for observed in life.engine.observe(call, messages, observing)? {
                if let Some(evidence) = observed.evidence {
                    life.places.entry(evidence).or_default().push(life.passages);
                }
                life.passages += 1;
            }
        }
        embed_all(&life.engine, &life.scope)?;
        Ok(())
    }

    fn search(&self, ask: Ask<'_>) -> Result<Vec<Hit>> {
        let life = self.life()?;
        let recall = Recall {
            limit: ask.limit,
            grain: Grain::Evidence,
            valid_at: ask.valid_at,
            ..Recall::of(ask.text)
        };
        let recalled = life.engine.recall(Call { scope: &life.scope, now: ask.now }, &recall)?;
        let mut hits = Vec::with_capacity(recalled.items.len());
        for item in recalled.items {
            let places = life.places.get(&item.id).with_context(|| {
                format!("recall answered a {} that was not observed", Kind::Evidence.prefix())
            })?;
            let hit = |place: &usize| Hit { place: *place, score: item.score, told: Some(item.text.clone()) };
            hits.extend(places.iter().map(hit));
        }
        hits.truncate(ask.limit);
        Ok(hits)
    }
}
