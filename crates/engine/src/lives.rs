//! Lives: each version of a fact state by state, as it lies on both clocks, and the claims behind it.

use ledger::id::{ClaimId, FactId, Kind, VersionId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::SpanText;
use crate::error::EngineError;
use crate::recall::as_of;
use crate::view::View;
use crate::{Call, Engine};

/// One version through everything that happened to it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Life {
    /// The version.
    pub version: String,
    /// Its states, in the order they were reached; the belief of each ends where that of the next begins.
    pub states: Vec<StateText>,
    /// The claims that support it now; of one that nothing supports any more, those that last did.
    pub claims: Vec<String>,
}

/// What this system held of a version for a while.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct StateText {
    /// What had happened.
    pub transition: String,
    /// When the value held in the world.
    pub validity: SpanText,
    /// When this system held it so.
    pub belief: SpanText,
    /// `held` or `retired`.
    pub standing: String,
}

impl Engine {
    /// The lives of a fact's versions, in the order they were opened; `id` names the fact or one of its versions.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for anything else.
    pub fn lives(&self, call: Call<'_>, id: &str) -> Result<Vec<Life>, EngineError> {
        self.read(call.scope, |snapshot| {
            let as_of = as_of(snapshot, call.now, None, None);
            let view = View { snapshot, registry: self.registry(), as_of };
            let not_found = || EngineError::NotFound(id.chars().take(80).collect());
            let fact = match snapshot.keys.as_ref().and_then(|keys| keys.ids.open(id)) {
                Some((Kind::Fact, position)) => snapshot.memory.fact(FactId(position)),
                Some((Kind::Version, position)) => {
                    snapshot.memory.version(VersionId(position)).map(|(fact, _)| fact)
                }
                _ => None,
            }
            .ok_or_else(not_found)?;
            let lives = fact.versions.iter().map(|version| {
                let seen: Vec<_> =
                    version.states.iter().filter(|state| state.cause.seq <= as_of.watermark).collect();
                let states = seen.iter().enumerate().map(|(place, state)| StateText {
                    transition: state.kind.to_string(),
                    validity: SpanText::new(state.validity.from(), state.validity.to()),
                    belief: SpanText::new(state.at, seen.get(place + 1).map(|next| next.at)),
                    standing: state.standing.to_string(),
                });
                let mut claims: Vec<ClaimId> = version.supporting(as_of.watermark).collect();
                if claims.is_empty() {
                    let last = version.claims.iter().filter_map(|support| support.until).max();
                    let left = version.claims.iter().filter(|support| support.until == last);
                    claims = left.map(|support| support.claim).collect();
                }
                Life {
                    version: view.id(Kind::Version, version.id),
                    states: states.collect(),
                    claims: claims.into_iter().map(|claim| view.id(Kind::Claim, claim)).collect(),
                }
            });
            Ok(lives.collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::admission::Policies;
    use ledger::reference::ReferenceStore;
    use ledger::scope::{Scope, Subject};
    use ledger::time::Instant;

    use super::*;
    use crate::remember::Remember;
    use crate::tokens::Tokens;

    #[test]
    fn a_life_is_told_state_by_state_with_the_claims_behind_it() {
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let ana = Scope::of(Subject::parse("ana").expect("a name"));
        let at = |second: i64| Call { scope: &ana, now: Instant::from_micros(second * 1_000_000) };
        let keep = |call: Call<'_>, city: &str| {
            let remember = Remember {
                text: format!("I live in {city}"),
                predicate: Some("home_city".to_owned()),
                value: Some(city.to_owned()),
                ..Remember::default()
            };
            engine.remember(call, remember).expect("kept").admitted.remove(0)
        };
        let first = keep(at(10), "Zagreb");
        let second = keep(at(20), "Split");
        let lives = engine.lives(at(30), &first.fact).expect("told");
        assert_eq!(lives, engine.lives(at(30), &second.version.expect("a version")).expect("told"));
        assert_eq!(lives.len(), 2);
        assert_eq!((&lives[0].claims, &lives[1].claims), (&vec![first.claim], &vec![second.claim]));
        let told: Vec<_> = lives[0]
            .states
            .iter()
            .map(|state| {
                (state.transition.as_str(), state.validity.to.as_deref(), state.belief.to.as_deref())
            })
            .collect();
        let then = Some("1970-01-01T00:00:20Z");
        assert_eq!(told, [("open", None, then), ("supersede", then, None)]);
        assert!(lives.iter().flat_map(|life| &life.states).all(|state| state.standing == "held"));
        assert!(matches!(engine.lives(at(30), "fa_0"), Err(EngineError::NotFound(_))));
    }
}
