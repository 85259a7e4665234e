//! The stores under test, and an engine over each.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use clap::ValueEnum;
use engine::Engine;
use engine::tokens::Tokens;
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::{Scope, Subject};
use ledger::store::Store;
use ledger::time::Instant;
use store_sqlite::{Options, SqliteStore};

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
