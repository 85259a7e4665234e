//! The stores under test, and an engine over each.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::ValueEnum;
use engine::tokens::Tokens;
use engine::{Call, Engine};
use inference::Cancel;
use inference::embed::Embed;
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::store::Store;
use ledger::time::Instant;
use store_sqlite::{Options, SqliteStore};
use testimony::embedding::embed;

/// How long the embedding of one query may take in an instrument.
pub const EMBEDDING_MAX: Duration = Duration::from_secs(60);

/// A store to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StoreKind {
    /// The reference store: memory only, nothing durable.
    Reference,
    /// One SQLite file, synchronised at every commit.
    Sqlite,
}

impl StoreKind {
    /// Every store.
    pub const ALL: &'static [Self] = &[Self::Reference, Self::Sqlite];

    /// The word for reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Sqlite => "sqlite",
        }
    }

    /// Opens it in `directory`.
    ///
    /// # Errors
    /// As the store's opening.
    pub fn open(self, directory: &Path) -> Result<Arc<dyn Store>> {
        Ok(match self {
            Self::Reference => Arc::new(ReferenceStore::new()),
            Self::Sqlite => Arc::new(SqliteStore::open(directory, Options::default())?),
        })
    }
}

/// An engine over `store` with everything as shipped.
#[must_use]
pub fn engine(store: Arc<dyn Store>) -> Engine {
    Engine::new(store, Policies::shipped(), Arc::new(Tokens))
}

/// The same engine with a model, if there is one, that is given all the time it wants: a busy machine must not turn a
/// measurement of finding into one of deadlines.
#[must_use]
pub fn with_model(engine: Engine, model: Option<&Arc<dyn Embed>>) -> Engine {
    match model {
        Some(model) => engine.with_embedder(model.clone()).with_query_deadline(EMBEDDING_MAX),
        None => engine,
    }
}

/// The line of a report that says what memories are found by.
#[must_use]
pub fn found_by(model: Option<&Arc<dyn Embed>>) -> String {
    match model {
        Some(model) => format!("found by words and by `{}`", model.identity().name),
        None => "found by words alone: no `--pack` and no `--vectors` was given".to_owned(),
    }
}

/// Gives everything of a subject its vectors; nothing without a model.
///
/// # Errors
/// As [`Engine::embed_some`].
pub fn embed_all(engine: &Engine, scope: &Scope) -> Result<()> {
    let call = Call { scope, now: clock() };
    let progress = embed(engine, call, usize::MAX, &Cancel::default(), |_| {})?;
    anyhow::ensure!(progress.missing == 0, "{} memories got no vector", progress.missing);
    Ok(())
}

/// Policies with a registry of an instrument's own: the shipped admission, without what it says of predicates that are
/// not in it.
///
/// # Errors
/// When the registry is not valid.
pub fn policies_of(registry: &str) -> Result<Policies> {
    let shipped = ledger::admission::SHIPPED_ADMISSION;
    let rest = shipped.find("[[override]]").unwrap_or(shipped.len());
    let admission = shipped[..rest].replace("\"admission/1\"", "\"admission/1-instrument\"");
    Ok(Policies::load(&[("predicates.toml", registry), ("admission/1.toml", &admission)])?)
}

/// The scope of a subject of the instruments.
///
/// # Errors
/// When `name` is no subject's name.
pub fn scope(name: &str) -> Result<Scope> {
    Ok(Scope::of(Subject::parse(name)?))
}

/// The instant the clock shows.
#[must_use]
pub fn clock() -> Instant {
    Instant::from(jiff::Timestamp::now())
}
