//! A world: one engine over one store, with a data directory where the store has one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::answer::{Observed, Recalled, Turned};
use engine::observe::{Message, Observing};
use engine::recall::Recall;
use engine::tokens::Tokens;
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::admission::Policies;
use ledger::log::Changes;
use ledger::memory::Memory;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::store::Store;
use ledger::time::Instant;
use serde_json::{Value as Json, json};
use store_sqlite::{Options, SqliteStore};

/// Which store keeps a world's logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeper {
    /// The plainest store: memory only.
    Reference,
    /// One SQLite file.
    Sqlite,
}

impl Keeper {
    /// Every store.
    pub const ALL: [Self; 2] = [Self::Reference, Self::Sqlite];
}

/// One engine over one store.
pub struct World {
    /// The engine.
    pub engine: Engine,
    /// The store beneath it.
    pub store: Arc<dyn Store>,
    /// Whose memory [`World::call`] is for: `me`.
    pub me: Scope,
    directory: tempfile::TempDir,
    keeper: Keeper,
}

impl World {
    /// A new and empty world.
    ///
    /// # Panics
    /// When no temporary directory or store can be made; a proof cannot go on without.
    #[must_use]
    pub fn new(keeper: Keeper) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let store = open(keeper, directory.path());
        Self { engine: engine_on(store.clone()), store, me: scope("me"), directory, keeper }
    }

    /// Which store this is.
    #[must_use]
    pub fn keeper(&self) -> Keeper {
        self.keeper
    }

    /// The data directory; empty for the reference store.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        self.directory.path().to_owned()
    }

    /// Another engine, that remembers nothing of what this one read: over the same store, or, where the store has files,
    /// over the files alone.
    #[must_use]
    pub fn reopened(&self) -> Engine {
        match self.keeper {
            Keeper::Reference => engine_on(self.store.clone()),
            Keeper::Sqlite => engine_on(open(self.keeper, self.directory.path())),
        }
    }

    /// A call for `me` at `now`.
    #[must_use]
    pub fn call(&self, now: &str) -> Call<'_> {
        Call { scope: &self.me, now: at(now) }
    }

    /// Observes one message and lets `rules/1` speak where it has no proposals.
    ///
    /// # Panics
    /// When the engine does not take it.
    #[must_use]
    pub fn observe(&self, now: &str, json: Json) -> Observed {
        self.observe_for(&self.me, now, json)
    }

    /// [`World::observe`] for somebody else.
    ///
    /// # Panics
    /// When the engine does not take it.
    #[must_use]
    pub fn observe_for(&self, scope: &Scope, now: &str, json: Json) -> Observed {
        let call = Call { scope, now: at(now) };
        let mut all = self
            .engine
            .observe(call, vec![message(json)], Observing::default())
            .expect("the message is taken");
        all.pop().expect("one message, one answer")
    }

    /// The owner says `text` in conversation `c1`, with these proposals.
    #[must_use]
    pub fn said(&self, now: &str, text: &str, proposals: &[Json]) -> Observed {
        self.observe(
            now,
            json!({"source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "event_time": now, "text": text,
                   "proposals": proposals}),
        )
    }

    /// A document says `text`, with these proposals.
    #[must_use]
    pub fn document(&self, name: &str, now: &str, text: &str, proposals: &[Json]) -> Observed {
        self.observe(
            now,
            json!({"source": {"kind": "document", "ref": name}, "author": "external", "event_time": now, "text": text,
                   "proposals": proposals}),
        )
    }

    /// Facts that match `query`.
    ///
    /// # Panics
    /// When the engine does not answer.
    #[must_use]
    pub fn recall(&self, now: &str, query: &str) -> Recalled {
        self.engine.recall(self.call(now), &Recall::of(query)).expect("recall answers")
    }

    /// Everything held at `now`.
    ///
    /// # Panics
    /// When the engine does not answer.
    #[must_use]
    pub fn state(&self, now: &str) -> Recalled {
        self.engine.state(self.call(now), None, None).expect("state answers")
    }

    /// A turn for `message`.
    ///
    /// # Panics
    /// When the engine does not answer.
    #[must_use]
    pub fn turn(&self, now: &str, message: &str) -> Turned {
        self.engine.turn(self.call(now), &Turn::of(message)).expect("turn answers")
    }

    /// The subject's log, folded anew from the store.
    #[must_use]
    pub fn memory(&self) -> Memory {
        fold(&*self.store, &self.me, u64::MAX)
    }

    /// The whole ledger as text, as somebody sees it who knows everything so far.
    #[must_use]
    pub fn printed(&self, now: &str) -> String {
        let memory = self.memory();
        ledger::print::print(&memory, &Policies::shipped().registry, &memory.now(at(now)))
    }
}

/// The engine every proof uses.
#[must_use]
pub fn engine_on(store: Arc<dyn Store>) -> Engine {
    Engine::new(store, Policies::shipped(), Arc::new(Tokens))
}

fn open(keeper: Keeper, directory: &Path) -> Arc<dyn Store> {
    match keeper {
        Keeper::Reference => Arc::new(ReferenceStore::new()),
        Keeper::Sqlite => {
            Arc::new(SqliteStore::open(directory, Options::default()).expect("the store opens"))
        }
    }
}

/// The scope of the subject with this name.
///
/// # Panics
/// When it is no name.
#[must_use]
pub fn scope(name: &str) -> Scope {
    Scope::of(Subject::parse(name).expect("a subject's name"))
}

/// The first appends of a subject's log, up to `watermark`, folded.
///
/// # Panics
/// When the store does not answer.
#[must_use]
pub fn fold(store: &dyn Store, scope: &Scope, watermark: u64) -> Memory {
    let mut memory = Memory::default();
    let policies = Policies::shipped();
    if let Changes::Appended(entries) = store.changes_since(scope, 0).expect("the log is read") {
        for entry in entries.iter().filter(|entry| entry.seq <= watermark) {
            memory.apply(entry, &policies.registry);
        }
    }
    memory
}

/// An instant; a bare date is its midnight in UTC, a date with a time is in UTC too.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn at(text: &str) -> Instant {
    let full = match text.len() {
        10 => format!("{text}T00:00:00Z"),
        16 => format!("{}:00Z", text.replace(' ', "T")),
        _ => text.to_owned(),
    };
    full.parse().unwrap_or_else(|error| panic!("`{text}` is no instant: {error}"))
}

/// A message in the shape of the interface.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn message(json: Json) -> Message {
    let mut json = json;
    // A time with a zone of its own keeps it: what day it was there may hang on it.
    let time = json.get("event_time").and_then(Json::as_str);
    if let Some(time) = time.filter(|time| matches!(time.len(), 10 | 16)).map(at) {
        json["event_time"] = Json::String(time.to_string());
    }
    serde_json::from_value(json).expect("a message")
}
