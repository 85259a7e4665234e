//! One process, twice: an engine over the store that is tried, and one over the reference store. Everything is asked of both.

use std::fmt::Debug;
use std::sync::Arc;

use engine::{Call, Engine, EngineError};
use ledger::id::{Kind, Position};
use ledger::keys::SubjectKeys;
use ledger::scope::Scope;
use ledger::store::Store;
use serde::Serialize;
use serde_json::Value as Json;

use super::mortal::{Death, Mortal};
use crate::engine_on;
use crate::passage::Behind;

/// What an id names. The two stores seal ids with keys of their own, so a thing is remembered by its place.
pub(super) type Thing = (Kind, Position);

/// The letters and digits of an id, its prefix included.
const ID_BYTES: usize = 29;

/// An engine over one of the stores.
struct Side {
    engine: Engine,
    store: Arc<Behind<Mortal>>,
}

impl Side {
    fn over(store: Arc<dyn Store>) -> Self {
        let store = Arc::new(Behind::new(store, Mortal::new()));
        Self { engine: engine_on(store.clone()), store }
    }
}

/// A process on both sides.
pub(super) struct Pair {
    tried: Side,
    reference: Side,
}

/// The ids of one side's subject.
pub(super) struct Ids<'keys>(Option<&'keys SubjectKeys>);

impl Ids<'_> {
    /// The id of a thing; one that names nothing where the subject has no keys.
    pub fn of(&self, (kind, position): Thing) -> String {
        match self.0 {
            Some(keys) => keys.ids.seal(kind, position),
            None => format!("{}{}", kind.prefix(), "0".repeat(ID_BYTES - 3)),
        }
    }
}

impl Pair {
    pub fn over(tried: Arc<dyn Store>, reference: Arc<dyn Store>) -> Self {
        Self { tried: Side::over(tried), reference: Side::over(reference) }
    }

    /// Asks both the same; the answer, with every id told by its place, when they agree.
    ///
    /// # Panics
    /// When they do not.
    pub fn ask<T: Serialize>(
        &self,
        what: &str,
        call: Call<'_>,
        ask: impl Fn(&Engine, &Ids<'_>) -> Result<T, EngineError>,
    ) -> Result<Json, String> {
        let one = |side: &Side| {
            let before = side.store.keys(call.scope).ok().flatten();
            let answer = ask(&side.engine, &Ids(before.as_ref()));
            // What is asked may found a subject, or forget it.
            let after = side.store.keys(call.scope).ok().flatten();
            let keys: Vec<&SubjectKeys> = before.iter().chain(&after).collect();
            match answer {
                Ok(answer) => Ok(by_place(serde_json::to_value(answer).expect("answers are JSON"), &keys)),
                Err(error) => Err(in_places(&error.to_string(), &keys)),
            }
        };
        agreed(what, one(&self.tried), one(&self.reference))
    }

    /// Looks at both stores; what was seen, when it is the same.
    ///
    /// # Panics
    /// When it is not.
    pub fn look<T: PartialEq + Debug>(&self, what: &str, look: impl Fn(&dyn Store) -> T) -> T {
        agreed(what, look(&*self.tried.store), look(&*self.reference.store))
    }

    /// Has the process die at one of its next writes.
    pub fn doom(&self, death: Death) {
        self.tried.store.doom(death);
        self.reference.store.doom(death);
    }

    /// Lets the process live on; `false` when it died.
    ///
    /// # Panics
    /// When it died on one side only: the two did not write alike.
    pub fn spare(&self, what: &str) -> bool {
        agreed(what, self.tried.store.spare(), self.reference.store.spare())
    }

    /// The keys of a subject in the store that is tried.
    pub fn tried_id(&self, scope: &Scope, thing: Thing) -> String {
        Ids(self.tried.store.keys(scope).ok().flatten().as_ref()).of(thing)
    }
}

fn agreed<T: PartialEq + Debug>(what: &str, tried: T, reference: T) -> T {
    assert!(tried == reference, "{what}\n  tried:     {tried:?}\n  reference: {reference:?}");
    tried
}

/// The answer with every id replaced by what it names.
fn by_place(json: Json, keys: &[&SubjectKeys]) -> Json {
    match json {
        Json::String(text) => Json::String(in_places(&text, keys)),
        Json::Array(items) => items.into_iter().map(|item| by_place(item, keys)).collect(),
        Json::Object(fields) => {
            // A receipt is of a store's own chain and keys; that it verifies is asked of each store by itself.
            let fields = fields.into_iter().filter(|(name, _)| name != "receipt");
            fields.map(|(name, value)| (name, by_place(value, keys))).collect()
        }
        other => other,
    }
}

fn in_places(text: &str, keys: &[&SubjectKeys]) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let opened = rest.get(..ID_BYTES).and_then(|id| keys.iter().find_map(|keys| keys.ids.open(id)));
        let taken = match opened {
            Some((kind, position)) => {
                told.push_str(&write(kind, position));
                ID_BYTES
            }
            None => {
                told.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    told
}

fn write(kind: Kind, position: Position) -> String {
    format!("{}@{}.{}", kind.prefix(), position.seq, position.ordinal)
}

/// Everything an answer names, in the order it does.
pub(super) fn things(json: &Json, found: &mut Vec<Thing>) {
    match json {
        Json::String(text) => found.extend(thing(text)),
        Json::Array(items) => items.iter().for_each(|item| things(item, found)),
        Json::Object(fields) => fields.values().for_each(|value| things(value, found)),
        _ => {}
    }
}

/// What a whole string names, if it is written as [`write`] does.
pub(super) fn thing(text: &str) -> Option<Thing> {
    let (prefix, place) = text.split_once('@')?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.prefix() == prefix)?;
    let (seq, ordinal) = place.split_once('.')?;
    Some((kind, Position::new(seq.parse().ok()?, ordinal.parse().ok()?)))
}
