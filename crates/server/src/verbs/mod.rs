//! The verbs, by the resource they are about: what each takes, and the one call of the engine that it is.

pub mod deployment;
pub mod disputes;
pub mod entries;
pub mod erasures;
pub mod evidence;
pub mod facts;
pub mod keys;
pub mod recall;
pub mod turns;
pub mod whole;

use ledger::time::{Instant, Moment, Zone};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::refusal::Refusal;

/// A verb that takes nothing.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// One thing, by its id.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ById {
    /// Its id, as an answer told it.
    pub id: String,
}

/// An instant as a request writes it.
pub(crate) fn instant(name: &str, written: Option<&str>) -> Result<Option<Instant>, Refusal> {
    let read = |written| Moment::parse_in(written, &Zone::utc()).map(|moment| moment.instant);
    written.map(read).transpose().map_err(|error| Refusal::bad_input(format!("`{name}`: {error}")))
}
