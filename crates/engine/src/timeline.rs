//! The timeline: everything that happened to a subject's facts, in the order this system came to hold it.

use std::collections::BTreeSet;

use ledger::time::Instant;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use crate::answer::{FactText, TransitionText, value_json};
use crate::error::EngineError;
use crate::recall::as_of;
use crate::view::View;
use crate::{Call, Engine};

/// What happened to the facts of a subject.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Timeline {
    /// In the order of the log.
    pub events: Vec<Event>,
    /// The last append this saw.
    pub watermark: u64,
}

/// One thing that happened.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Event {
    /// To which fact.
    pub fact: FactText,
    /// The value of the version concerned.
    pub value: Json,
    /// What, when and because of what.
    #[serde(flatten)]
    pub happened: TransitionText,
}

/// When something changed, without what.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// Instants in the world at which some value begins or ends.
    pub validity: BTreeSet<Instant>,
    /// Instants at which this system came to hold something else.
    pub belief: BTreeSet<Instant>,
}

impl Engine {
    /// The instants at which something changed, on each clock.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn changes(&self, call: Call<'_>) -> Result<Changes, EngineError> {
        self.read(call.scope, |snapshot| {
            let mut changes = Changes::default();
            let versions = snapshot.memory.facts().iter().flat_map(|fact| &fact.versions);
            let states = versions.flat_map(|version| &version.states);
            // The snapshot may run ahead of what is durable.
            for state in states.filter(|state| state.cause.seq <= snapshot.durable) {
                changes.validity.insert(state.validity.from());
                changes.validity.extend(state.validity.to());
                changes.belief.insert(state.at);
            }
            Ok(changes)
        })
    }

    /// How many versions hold now, and the last append this saw.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn held_now(&self, call: Call<'_>) -> Result<(usize, u64), EngineError> {
        self.read(call.scope, |snapshot| {
            let as_of = as_of(snapshot, call.now, None, None);
            let view = View { snapshot, registry: self.registry(), as_of };
            Ok((view.current().count(), as_of.watermark))
        })
    }

    /// Every transition of every fact, in the order of the log.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn timeline(&self, call: Call<'_>) -> Result<Timeline, EngineError> {
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let mut events: Vec<Event> = Vec::new();
            for fact in snapshot.memory.facts() {
                let Some(identity) = view.fact(fact) else { continue };
                let values: Vec<(String, Json)> = fact
                    .versions
                    .iter()
                    .map(|version| {
                        let claim = snapshot.memory.value_of(version);
                        let value = value_json(claim.and_then(|claim| claim.words.value()));
                        (view.id(ledger::id::Kind::Version, version.id), value)
                    })
                    .collect();
                events.extend(view.transitions(fact).into_iter().map(|happened| {
                    let value = values.iter().find(|(id, _)| *id == happened.version);
                    let value = value.map_or(Json::Null, |(_, value)| value.clone());
                    Event { fact: identity.clone(), value, happened }
                }));
            }
            // Stable: within an append, facts stay in the order they were founded.
            events.sort_by_key(|event| event.happened.watermark);
            Ok(Timeline { events, watermark: view.as_of.watermark })
        })
    }
}
