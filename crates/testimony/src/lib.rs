//! Testimony for embedding: [`open`] joins the store, the policies and the engine, as the `testimony` command does.
//!
//! ```no_run
//! use testimony::engine::{Call, recall::Recall};
//! use testimony::ledger::scope::{Scope, Subject};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = testimony::open(testimony::Config::at("/var/lib/assistant/memory"))?;
//! let scope = Scope::of(Subject::parse("ana")?);
//! let answer = engine.recall(Call { scope: &scope, now: testimony::now() }, &Recall::of("where does Ana live?"))?;
//! # Ok(())
//! # }
//! ```
//!
//! The clock is read here and in the command, nowhere below: every verb takes its time as an argument.
#![deny(missing_docs)]

pub mod backup;
pub mod drafts;
pub mod drill;
pub mod embedding;
pub mod models;
pub mod shadow;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::engine::tokens::Tokens;
use ::engine::{Engine, EngineError};
use ::inference::key::Environment;
use ::inference::models::OpenModels;
use ::inference::settings::SettingsError;
use ::inference::tiers::{MODELS_BYTES_MAX, Models};
use ::ledger::admission::Policies;
use ::ledger::registry::PolicyError;
use ::ledger::store::{StoreError, StoreErrorKind};
use ::ledger::time::Instant;
use inference::embed::Embed;
use store_sqlite::{Options, SqliteStore};
use zeroize::Zeroizing;

pub use ::{engine, inference, ledger};

/// The name of the database inside a data directory.
pub const DATABASE: &str = "ledger.db";

/// The name of the file inside a data directory that says which models there are.
pub const MODELS: &str = "models.toml";

/// The name of the file inside a data directory that says who may ask a server: keys by their hashes.
pub const ACCESS: &str = "access.json";

/// How an engine is opened.
#[derive(Clone)]
pub struct Config {
    /// The data directory.
    pub data: PathBuf,
    /// A directory with `predicates.toml`, `admission/NAME.toml` or `recall/NAME.toml` of one's own; what is absent is as shipped.
    pub policies: Option<PathBuf>,
    /// The file that says which models there are; `models.toml` in the data directory, if it is there, when left out.
    pub models: Option<PathBuf>,
    /// The master key, where it does not come from `keys/master.key` in the data directory.
    pub master_key: Option<Zeroizing<[u8; 32]>>,
    /// The memory that subjects may take together, in bytes.
    pub memory_bytes_max: usize,
    /// Whether the shadow lane may run; what it tries stands in `shadow.toml` of the data directory.
    pub shadow: bool,
    /// The model that places texts; without one, memories are found by their words alone.
    pub embedder: Option<Arc<dyn Embed>>,
}

impl Config {
    /// The usual configuration with this data directory.
    #[must_use]
    pub fn at(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            policies: None,
            models: None,
            master_key: None,
            memory_bytes_max: Engine::MEMORY_BYTES_DEFAULT,
            shadow: true,
            embedder: None,
        }
    }
}

/// Why an engine could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The store could not be opened.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A policy file breaks a rule; the message names file, table and key.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The file of the models breaks a rule; the message names file, table and key.
    #[error(transparent)]
    Models(#[from] SettingsError),
    /// The file of the models could not be read.
    #[error("cannot read models `{}`: {source}", path.display())]
    ModelsFile {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A policy file could not be read.
    #[error("cannot read policy `{}`: {source}", path.display())]
    PolicyFile {
        /// The file or directory.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
}

/// Opens the memory in a data directory, which is made when it is not there.
///
/// # Errors
/// [`OpenError`]; nothing in an existing directory is changed then.
pub fn open(config: Config) -> Result<Engine, OpenError> {
    let policies = policies(&config)?;
    let store = open_store(&config)?;
    let engine =
        Engine::new(Arc::new(store), policies, Arc::new(Tokens)).with_memory_limit(config.memory_bytes_max);
    let lane = config.shadow.then(|| shadow::lane(&config.data)).flatten();
    let engine = match lane {
        Some(lane) => engine.with_shadow(lane),
        None => engine,
    };
    Ok(match config.embedder {
        Some(embedder) => engine.with_embedder(embedder),
        None => engine,
    })
}

/// The store alone, for what is done to it as a whole: its keys, and what a restored copy lacks.
///
/// # Errors
/// As [`open`].
pub fn open_store(config: &Config) -> Result<SqliteStore, OpenError> {
    let options = Options { master_key: config.master_key.clone(), ..Options::default() };
    Ok(SqliteStore::open(&config.data, options).map_err(EngineError::from)?)
}

/// The models a configuration names, and the file that says so; `None` where it names none. Nothing is connected to, and no
/// key is read before a model is first asked.
///
/// # Errors
/// [`OpenError::Models`] and [`OpenError::ModelsFile`]. A file that was named must be there.
pub fn models(
    config: &Config,
    environment: &Environment,
) -> Result<Option<(PathBuf, OpenModels)>, OpenError> {
    let path = config.models.clone().unwrap_or_else(|| config.data.join(MODELS));
    let failed = |source| OpenError::ModelsFile { path: path.clone(), source };
    let file = match std::fs::File::open(&path) {
        Err(error) if config.models.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(None);
        }
        other => other.map_err(failed)?,
    };
    let mut text = String::new();
    let bounded = std::io::Read::take(file, MODELS_BYTES_MAX as u64 + 1);
    std::io::Read::read_to_string(&mut { bounded }, &mut text).map_err(failed)?;
    let models = Models::parse(&path, &text)?;
    Ok(Some((path, OpenModels::new(models, environment))))
}

/// The environment of this process, for keys.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "the one place where keys are looked for in the environment")]
pub fn environment() -> Environment {
    Arc::new(|name| std::env::var(name).ok())
}

/// The policies a configuration names: its own, or those this build ships.
///
/// # Errors
/// [`OpenError::Policy`] and [`OpenError::PolicyFile`].
pub fn policies(config: &Config) -> Result<Policies, OpenError> {
    match &config.policies {
        Some(directory) => read_policies(directory),
        None => Ok(Policies::shipped()),
    }
}

/// Opens the memory in a data directory, or answers `None` where there is none. Nothing is made.
///
/// # Errors
/// As [`open`].
pub fn open_existing(config: Config) -> Result<Option<Engine>, OpenError> {
    match is_there(&config.data)? {
        true => open(config).map(Some),
        false => Ok(None),
    }
}

/// Whether a data directory holds anything: a database, or keys whose database is gone, which opening then tells.
fn is_there(data: &Path) -> Result<bool, OpenError> {
    for name in [DATABASE, "keys"] {
        let path = data.join(name);
        match path.try_exists() {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(source) if source.kind() == std::io::ErrorKind::PermissionDenied => {
                let message = format!("cannot look into `{}`: permission denied", data.display());
                let error = StoreError::new(StoreErrorKind::Permission, message).caused_by(source);
                return Err(EngineError::from(error).into());
            }
            // `data` is a file, or worse: opening says what is wrong.
            Err(_) => return Ok(true),
        }
    }
    Ok(data.is_file())
}

/// The platform's place for this program's data; `None` where the user has no home.
#[must_use]
pub fn default_data_directory() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "testimony").map(|found| found.data_dir().to_owned())
}

/// The machine's clock, for callers that have no time of their own.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "the one place where the clock is read")]
pub fn now() -> Instant {
    Instant::from(jiff::Timestamp::now())
}

/// Reads the policy files of a directory, in the order of their names.
fn read_policies(directory: &Path) -> Result<Policies, OpenError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| OpenError::PolicyFile { path, source }
    };
    let mut files: Vec<(String, String)> = Vec::new();
    let places = [
        ("", directory.to_owned()),
        ("admission/", directory.join("admission")),
        ("recall/", directory.join("recall")),
    ];
    for (prefix, place) in places {
        let listing = match std::fs::read_dir(&place) {
            Err(error) if !prefix.is_empty() && error.kind() == std::io::ErrorKind::NotFound => continue,
            other => other.map_err(failed(&place))?,
        };
        for item in listing {
            let path = item.map_err(failed(&place))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_file() && name.ends_with(".toml") {
                let text = std::fs::read_to_string(&path).map_err(failed(&path))?;
                files.push((format!("{prefix}{name}"), text));
            }
        }
    }
    files.sort();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    Ok(Policies::load(&files)?)
}
