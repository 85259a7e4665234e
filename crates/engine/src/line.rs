//! Lines: a memory, with what took its place and whose place it took. Nothing is overwritten, so a thing that was put right
//! several times is several versions; who knows one of them finds the others here.

use ledger::claim::{Claim, Op};
use ledger::id::{ClaimId, EvidenceId, Kind, VersionId};
use ledger::memory::{Fact, Version};
use serde_json::Map;

use crate::answer::{Item, MessageText};
use crate::correct::PROPOSER;
use crate::error::EngineError;
use crate::messages::message;
use crate::recall::as_of;
use crate::view::View;
use crate::{Call, Engine};

/// Versions of one line that are looked at, at most.
const STEPS_MAX: usize = 1_000;

/// A memory, and where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Remembered {
    /// The memory.
    pub item: Item,
    /// Whether it holds now.
    pub current: bool,
    /// The message the first of its line rests on.
    pub first: MessageText,
}

/// A version before it is told: itself, and the message the first of its line rests on.
struct Found<'read> {
    fact: &'read Fact,
    version: &'read Version,
    first: EvidenceId,
}

impl Engine {
    /// Memories by the ids of their versions, in the order of `ids`; `None` for each that is not there.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn remembered(&self, call: Call<'_>, ids: &[String]) -> Result<Vec<Option<Remembered>>, EngineError> {
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let found: Vec<Option<Found<'_>>> = ids
                .iter()
                .map(|id| {
                    let (fact, version) = named(view, id)?;
                    let (_, root) = before(view, fact, version).pop().unwrap_or((fact, version));
                    Some(Found { fact, version, first: snapshot.memory.value_of(root)?.evidence })
                })
                .collect();
            self.tell_found(call, view, &found)
        })
    }

    /// The line that the version `id` stands in, the oldest first. The last holds now, unless it was closed without another in its
    /// place.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an id that is no version of this subject.
    pub fn line(&self, call: Call<'_>, id: &str) -> Result<Vec<Remembered>, EngineError> {
        let not_found = || EngineError::NotFound(id.chars().take(80).collect());
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let (fact, version) = named(view, id).ok_or_else(not_found)?;
            let mut line = before(view, fact, version);
            line.reverse();
            line.push((fact, version));
            while let Some((fact, version)) = line.last().copied()
                && line.len() < STEPS_MAX
                && let Some(next) = after(view, fact, version)
                && !line.iter().any(|(_, known)| known.id == next.1.id)
            {
                line.push(next);
            }
            let root = line.first().and_then(|(_, root)| snapshot.memory.value_of(root));
            let first = root.ok_or_else(not_found)?.evidence;
            let found: Vec<_> =
                line.into_iter().map(|(fact, version)| Some(Found { fact, version, first })).collect();
            Ok(self.tell_found(call, view, &found)?.into_iter().flatten().collect())
        })
    }

    fn tell_found(
        &self,
        call: Call<'_>,
        view: View<'_>,
        found: &[Option<Found<'_>>],
    ) -> Result<Vec<Option<Remembered>>, EngineError> {
        let ids: Vec<EvidenceId> = found.iter().flatten().map(|one| one.first).collect();
        let mut messages = self.store().evidence(call.scope, &ids)?.into_iter();
        let tell = |one: &Found<'_>, evidence: Option<ledger::evidence::Evidence>| {
            Some(Remembered {
                item: view.item(one.fact, one.version, 1.0, Map::new())?,
                current: one.version.is_current(&view.as_of),
                first: message(view, one.first, &evidence?)?,
            })
        };
        Ok(found.iter().map(|one| one.as_ref().and_then(|one| tell(one, messages.next()?))).collect())
    }
}

fn named<'read>(view: View<'read>, id: &str) -> Option<(&'read Fact, &'read Version)> {
    match view.snapshot.keys.as_ref()?.ids.open(id)? {
        (Kind::Version, position) => view.snapshot.memory.version(VersionId(position)),
        _ => None,
    }
}

/// The versions whose place this one took, the nearest first.
fn before<'read>(
    view: View<'read>,
    fact: &'read Fact,
    version: &'read Version,
) -> Vec<(&'read Fact, &'read Version)> {
    let mut found: Vec<(&Fact, &Version)> = Vec::new();
    let (mut fact, mut version) = (fact, version);
    while found.len() < STEPS_MAX
        && let Some(step) = one_before(view, fact, version)
        && !found.iter().any(|(_, known)| known.id == step.1.id)
    {
        found.push(step);
        (fact, version) = step;
    }
    found
}

/// The version that the words of this one ended: of the same fact, or, of a correction among many values, of the one it retracts.
fn one_before<'read>(
    view: View<'read>,
    fact: &'read Fact,
    version: &'read Version,
) -> Option<(&'read Fact, &'read Version)> {
    let memory = &view.snapshot.memory;
    let opening = version.claims.first()?.claim;
    let claim = memory.claim(opening)?;
    let ended = |fact: &'read Fact, cause: ClaimId| {
        let touched = |other: &&Version| other.states.iter().any(|state| state.cause == cause.0);
        fact.versions.iter().rfind(|other| other.id < version.id && touched(other)).map(|other| (fact, other))
    };
    if let Some(found) = ended(fact, opening) {
        return Some(found);
    }
    let retraction = beside(view, claim, Op::Retract)?;
    ended(memory.fact(memory.claim(retraction)?.fact)?, retraction)
}

/// The version whose words ended this one.
fn after<'read>(
    view: View<'read>,
    fact: &'read Fact,
    version: &'read Version,
) -> Option<(&'read Fact, &'read Version)> {
    if version.is_current(&view.as_of) {
        return None;
    }
    let memory = &view.snapshot.memory;
    let backs = |other: &Version, claim: ClaimId| other.claims.iter().any(|support| support.claim == claim);
    version.states.iter().rev().map(|state| ClaimId(state.cause)).filter(|id| !backs(version, *id)).find_map(
        |cause| {
            let claim = memory.claim(cause)?;
            let (fact, asserted) = match claim.op {
                Op::Assert => (fact, cause),
                Op::Retract => {
                    let asserted = beside(view, claim, Op::Assert)?;
                    (memory.fact(memory.claim(asserted)?.fact)?, asserted)
                }
            };
            fact.versions.iter().find(|other| backs(other, asserted)).map(|other| (fact, other))
        },
    )
}

/// The other half of a correction: the claim of the same message that asserts, or retracts.
fn beside(view: View<'_>, claim: &Claim, op: Op) -> Option<ClaimId> {
    if claim.proposer != PROPOSER {
        return None;
    }
    let memory = &view.snapshot.memory;
    memory
        .claims_of(claim.source)
        .find(|id| memory.claim(*id).is_some_and(|other| other.evidence == claim.evidence && other.op == op))
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
    fn a_line_is_found_from_each_of_its_members() {
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let scope = Scope::of(Subject::parse("ana").expect("a name"));
        let at = |minute: i64| Call { scope: &scope, now: Instant::from_micros(minute * 60_000_000) };
        for text in ["Garden gate: the code is under the stone", "The home city is Zagreb"] {
            let predicate = text.contains("city").then(|| "home_city".to_owned());
            let value = text.contains("city").then(|| "Zagreb".to_owned());
            let remember = Remember { text: text.to_owned(), predicate, value, ..Remember::default() };
            let observed = engine.remember(at(1), remember).expect("kept");
            let first = observed.admitted[0].version.clone().expect("a version");
            let corrected = engine.correct(at(2), &first, "Split it is").expect("corrected").observed;
            let newer =
                corrected.admitted.iter().rev().find_map(|one| one.version.clone()).expect("a version");
            let corrected = engine.correct(at(3), &newer, "Rijeka it is").expect("corrected").observed;
            let newest =
                corrected.admitted.iter().rev().find_map(|one| one.version.clone()).expect("a version");
            for id in [&first, &newer, &newest] {
                let line = engine.line(at(4), id).expect("a line");
                let ids: Vec<&str> = line.iter().map(|one| one.item.id.as_str()).collect();
                assert_eq!(ids, [first.as_str(), newer.as_str(), newest.as_str()], "{text}");
                assert_eq!(line.iter().map(|one| one.current).collect::<Vec<_>>(), [false, false, true]);
                assert!(line.iter().all(|one| one.first.kept.text.as_deref() == Some(text)));
            }
            let told = engine.remembered(at(4), &[newest, "ve_nothing".to_owned()]).expect("read");
            assert_eq!(told[0].as_ref().and_then(|one| one.first.kept.text.as_deref()), Some(text));
            assert_eq!(told[1], None);
        }
    }
}
