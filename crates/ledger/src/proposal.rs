//! Proposals: what a model, an agent or a rule nominates as a claim. Untrusted, whatever it says of itself.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::claim::Op;
use crate::value::RawValue;

/// A nominated claim, in the shape of the interface. Read with [`Proposal::read`]; judged by [`crate::gate`].
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Proposal {
    /// Whom or what it is about: `self`, or a slug.
    pub entity: String,
    /// A predicate of the registry.
    pub predicate: String,
    /// The value; a retraction may leave it out.
    #[serde(default)]
    pub value: Option<RawValue>,
    /// How sure the proposer is, 0 to 1.
    pub confidence: f64,
    /// The one quote it rests on…
    #[serde(default)]
    pub quote: Option<String>,
    /// …or up to three it is inferred from.
    #[serde(default)]
    pub quotes: Option<Vec<String>>,
    /// From when it is said to hold; RFC 3339 or a date.
    #[serde(default)]
    pub valid_from: Option<String>,
    /// Until when it is said to hold; RFC 3339 or a date.
    #[serde(default)]
    pub valid_to: Option<String>,
    /// Whether it holds or no longer does.
    #[serde(default = "asserted")]
    pub op: Op,
    /// Whether the value is drawn from the quotes instead of standing in one.
    #[serde(default)]
    pub inferred: bool,
}

fn asserted() -> Op {
    Op::Assert
}

impl Proposal {
    /// Reads one proposal.
    ///
    /// # Errors
    /// [`Unreadable`] when fields are missing or of the wrong type; such a proposal counts as failed, not as refused.
    pub fn read(json: &Json) -> Result<Self, Unreadable> {
        let proposal: Self =
            Self::deserialize(json).map_err(|error| Unreadable { reason: error.to_string() })?;
        if !(0.0..=1.0).contains(&proposal.confidence) {
            return Err(Unreadable {
                reason: format!("confidence `{}` is outside 0 to 1", proposal.confidence),
            });
        }
        Ok(proposal)
    }

    /// The quotes cited, one or several.
    #[must_use]
    pub fn cited(&self) -> Vec<&str> {
        self.quote.iter().chain(self.quotes.iter().flatten()).map(String::as_str).collect()
    }

    /// Whether the value is drawn from several places, so that no single quote need hold all of it.
    #[must_use]
    pub fn is_inferred(&self) -> bool {
        self.inferred || self.cited().len() > 1
    }
}

/// A proposal that is none: not the shape the interface asks for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unreadable proposal: {reason}")]
pub struct Unreadable {
    /// What is missing or wrong.
    pub reason: String,
}
