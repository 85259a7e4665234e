//! The shadow lane of a data directory: its settings, its telemetry, its clock.
//!
//! `<data>/shadow.toml` says what is tried (`candidate = "turn/N"`, `sample_per_mille = N`; both may be left out). A file
//! that cannot be read stops the lane and nothing else; `testimony shadow status` says why.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ::engine::shadow::{CandidatePolicy, Clock, Lane, built_in};
use ::ledger::shadow::{Settings, SettingsError};
use ::ledger::telemetry::Telemetry;
use store_sqlite::SqliteTelemetry;

/// The name of the settings inside a data directory.
pub const SETTINGS: &str = "shadow.toml";

/// Settings longer than this, in bytes, are not read.
const SETTINGS_BYTES_MAX: u64 = 64 * 1024;

/// Why no lane runs.
#[derive(Debug, thiserror::Error)]
pub enum ShadowError {
    /// The file breaks a rule.
    #[error("`{SETTINGS}`: {0}")]
    Settings(#[from] SettingsError),
    /// The file could not be read.
    #[error("cannot read `{SETTINGS}`: {0}")]
    File(#[from] io::Error),
    /// The file is longer than settings are.
    #[error("`{SETTINGS}` has more than {SETTINGS_BYTES_MAX} bytes")]
    TooLong,
    /// This build has no policy of that name.
    #[error("`{SETTINGS}`: `candidate` names no policy of this build")]
    NoSuchPolicy,
}

/// The settings of a data directory, and the policy they put on trial.
///
/// # Errors
/// [`ShadowError`]; where there is no file, everything is as usual.
pub fn settings(data: &Path) -> Result<(Settings, Arc<dyn CandidatePolicy>), ShadowError> {
    let path = data.join(SETTINGS);
    let length = match std::fs::metadata(&path) {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => 0,
        found => found?.len(),
    };
    let settings = match length {
        0 => Settings::default(),
        1..=SETTINGS_BYTES_MAX => Settings::read(&std::fs::read_to_string(&path)?)?,
        _ => return Err(ShadowError::TooLong),
    };
    let candidate = built_in(settings.candidate).ok_or(ShadowError::NoSuchPolicy)?;
    Ok((settings, candidate))
}

/// The telemetry of a data directory; nothing is opened or made yet.
#[must_use]
pub fn telemetry(data: &Path) -> Arc<dyn Telemetry> {
    Arc::new(SqliteTelemetry::at(data))
}

/// The lane of a data directory; `None` where its settings cannot be followed.
#[must_use]
pub fn lane(data: &Path) -> Option<Lane> {
    let (settings, candidate) = settings(data).ok()?;
    Some(Lane::start(candidate, settings.sampling, telemetry(data), clock()))
}

/// The machine's steady clock, in microseconds since this was called.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "the lane's durations; no stored memory depends on it")]
pub fn clock() -> Clock {
    let begun = std::time::Instant::now();
    Arc::new(move || u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX))
}
