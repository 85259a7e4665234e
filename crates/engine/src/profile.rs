//! The profile: who the owner is and what must always be kept to, known before any search.
//!
//! It is small and changes rarely, so a model can be handed it once and each turn besides.

use ledger::claim::Realm;
use ledger::memory::{Fact, Version};
use ledger::packet::tell;
use serde_json::Map;

use crate::answer::Profile;
use crate::error::EngineError;
use crate::recall::as_of;
use crate::view::View;
use crate::{Call, Engine};

/// Memories of a profile, at most.
pub const ITEMS_MAX: usize = 24;

/// Tokens of a profile's block, at most.
pub const TOKENS_MAX: u32 = 600;

impl Engine {
    /// What holds now of what the registry calls generally important: identity, then durable constraints, then what else a
    /// deployment calls so; each class in the order it was first stated; at most [`ITEMS_MAX`] and [`TOKENS_MAX`].
    ///
    /// # Errors
    /// As the store's reads.
    pub fn profile(&self, call: Call<'_>) -> Result<Profile, EngineError> {
        self.read(call.scope, |snapshot| {
            let as_of = as_of(snapshot, call.now, None, None);
            let view = View { snapshot, registry: self.registry(), as_of };
            let mut profile = Profile {
                items: Vec::new(),
                text: String::new(),
                tokens: 0,
                watermark: as_of.watermark,
                truncated: false,
                notices: Vec::new(),
            };
            let mut left_out = 0;
            for fact in snapshot.profile().filter_map(|fact| snapshot.memory.fact(fact)) {
                if !self.is_durable(fact) {
                    continue;
                }
                // The sides of a dispute enter together or not at all.
                let versions: Vec<&Version> =
                    fact.versions.iter().filter(|version| version.is_current(&as_of)).collect();
                if versions.is_empty() {
                    continue;
                }
                let lines: String = versions
                    .iter()
                    .filter_map(|version| tell(&snapshot.memory, self.registry(), fact, version, &as_of))
                    .map(|line| format!("- {line}\n"))
                    .collect();
                let disputed = if versions.len() > 1 { "  (these contradict each other)\n" } else { "" };
                let block = format!("{}{lines}{disputed}", profile.text);
                let tokens = self.tokens.count(&block);
                if profile.items.len() + versions.len() > ITEMS_MAX || tokens > TOKENS_MAX {
                    left_out += versions.len();
                    continue;
                }
                profile.text = block;
                profile.tokens = tokens;
                profile.items.extend(
                    versions.iter().filter_map(|version| view.item(fact, version, 1.0, Map::new())),
                );
            }
            if left_out > 0 {
                profile.truncated = true;
                profile.notices.push(format!(
                    "{left_out} more belong to the profile than the {ITEMS_MAX} memories and {TOKENS_MAX} tokens it may have"
                ));
            }
            Ok(profile)
        })
    }

    fn is_durable(&self, fact: &Fact) -> bool {
        fact.key.as_ref().is_some_and(|key| {
            key.realm == Realm::Owner
                && self.registry().get(&key.predicate).is_some_and(|predicate| predicate.important)
        })
    }
}
