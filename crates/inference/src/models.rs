//! The models of a `models.toml`, ready to be asked: one a tier and process, so that their turns and counts are shared.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::chat::{Chat, ChatMessage, ChatRequest, ChatRole};
use crate::embed::{Embed, Role};
use crate::error::{InferenceError, InferenceErrorKind};
use crate::key::Environment;
use crate::limits::Limits;
use crate::meter::Metered;
use crate::rerank::Rerank;
use crate::tiers::{Can, Models, Tier};
use crate::wire::WireModel;

/// The models of a file. Opening them connects to nothing and reads no key.
pub struct OpenModels {
    models: Models,
    wires: BTreeMap<String, Arc<WireModel>>,
}

impl OpenModels {
    /// The models of `models`, their keys looked for in `environment` when they are first needed.
    #[must_use]
    pub fn new(models: Models, environment: &Environment) -> Self {
        let wires = models
            .tiers
            .iter()
            .map(|(name, tier)| (name.clone(), Arc::new(WireModel::connect(tier, environment))))
            .collect();
        Self { models, wires }
    }

    /// What the file says.
    #[must_use]
    pub fn models(&self) -> &Models {
        &self.models
    }

    fn find(&self, tier: &str, what: &str, can: fn(&Can) -> bool) -> Result<Arc<WireModel>, InferenceError> {
        let none = |message: String| InferenceError::new(InferenceErrorKind::Configuration, message);
        let (named, wire) = self.models.tiers.get(tier).zip(self.wires.get(tier)).ok_or_else(|| {
            none(format!("there is no tier `{tier}`; `testimony model list` shows those there are"))
        })?;
        match can(&named.can) {
            true => Ok(wire.clone()),
            false => Err(none(format!("tier `{tier}` does not {what}; name one that can"))),
        }
    }

    /// The model of a tier that writes.
    ///
    /// # Errors
    /// [`InferenceErrorKind::Configuration`] when there is no such tier, or it does something else.
    pub fn chat(&self, tier: &str) -> Result<Arc<dyn Chat>, InferenceError> {
        Ok(self.find(tier, "write", |can| matches!(can, Can::Chat(_)))?)
    }

    /// The model of a tier that places texts.
    ///
    /// # Errors
    /// As [`OpenModels::chat`].
    pub fn embed(&self, tier: &str) -> Result<Arc<dyn Embed>, InferenceError> {
        Ok(self.find(tier, "embed", |can| matches!(can, Can::Embed(_)))?)
    }

    /// The model of a tier that scores passages.
    ///
    /// # Errors
    /// As [`OpenModels::chat`].
    pub fn rerank(&self, tier: &str) -> Result<Arc<dyn Rerank>, InferenceError> {
        Ok(self.find(tier, "rerank", |can| *can == Can::Rerank)?)
    }

    /// What the calls of each tier came to.
    pub fn metered(&self) -> impl Iterator<Item = (&Tier, Metered)> {
        self.models.tiers.values().filter_map(|tier| {
            let wire = self.wires.get(&tier.name)?;
            Some((tier, wire.meter().read()))
        })
    }

    /// Whether a tier answers: asks it for the least it can do. This costs a few tokens.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(&self, tier: &str, limits: &Limits) -> Result<(), InferenceError> {
        let wire = self.find(tier, "answer", |_| true)?;
        match &self.models.tiers[tier].can {
            Can::Chat(_) => {
                let text = "Answer with the one word: yes".to_owned();
                let request = ChatRequest {
                    messages: vec![ChatMessage { role: ChatRole::User, text }],
                    max_output_tokens: Some(16),
                    ..ChatRequest::default()
                };
                wire.chat(&request, limits).map(drop)
            }
            Can::Embed(_) => wire.embed(Role::Query, &["yes"], limits).map(drop),
            Can::Rerank => wire.rerank("yes", &["yes", "no"], limits).map(drop),
        }
    }
}
