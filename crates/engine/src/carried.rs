//! Acts that an export carries: told by what they are about instead of by ids, and done again where the export is observed.

use std::sync::Arc;

use ledger::claim::{Claim, Realm};
use ledger::fact::{Act, ActKind, ActWords};
use ledger::id::{ClaimId, FactId, VersionId};
use ledger::memory::Memory;
use ledger::store::Recognised;
use ledger::time::{Instant, Moment};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::answer::{self, value_json};
use crate::error::EngineError;
use crate::history::check_words;
use crate::observe::write_act;
use crate::subject::Draft;
use crate::{Call, Engine};

/// An act as a line of an export: `{"act": "resolve", …}`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarriedAct {
    /// What was done.
    pub act: Deed,
    /// When it takes effect in the world.
    pub at: String,
    /// Whose word the fact rests on.
    pub realm: Realm,
    /// Whom or what the fact is about.
    pub entity: String,
    /// The fact's predicate.
    pub predicate: String,
    /// The value that was kept, as it was written.
    pub keep: Json,
    /// From when the kept value was said to hold, where it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Until when it was said to hold, where it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Why.
    pub reason: String,
    /// By whom.
    pub by: String,
}

/// What a carried act does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// A dispute is resolved in favour of one value.
    Resolve,
}

/// What became of a carried act.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Carried {
    /// What was done.
    pub act: Deed,
    /// The fact.
    pub fact: String,
    /// Whether the dispute was resolved here already, or never was one.
    pub duplicate: bool,
    /// The last append a reader must have seen to see it.
    pub watermark: u64,
}

/// An act as it is carried; `None` for one that observing the messages does by itself, such as a new edition, or whose
/// claims were forgotten.
pub(crate) fn carried(memory: &Memory, act: &Act) -> Option<CarriedAct> {
    let ActKind::ResolveDispute { fact, keep } = &act.kind else { return None };
    let key = memory.fact(*fact)?.key.as_ref()?;
    let kept: &Claim = keep.iter().find_map(|claim| memory.claim(*claim))?;
    Some(CarriedAct {
        act: Deed::Resolve,
        at: act.at.to_string(),
        realm: key.realm,
        entity: key.entity.to_string(),
        predicate: key.predicate.to_string(),
        keep: written(kept),
        valid_from: kept.valid_from.as_ref().map(ToString::to_string),
        valid_to: kept.valid_to.as_ref().map(ToString::to_string),
        reason: act.words.reason.clone(),
        by: act.words.by.clone(),
    })
}

fn written(claim: &Claim) -> Json {
    match &claim.words.value {
        Some(stated) => Json::String(stated.written.clone()),
        None => value_json(None),
    }
}

/// Whether a claim states what the act kept.
fn is_kept(claim: &Claim, act: &CarriedAct) -> bool {
    written(claim) == act.keep
        && claim.valid_from.as_ref().map(ToString::to_string) == act.valid_from
        && claim.valid_to.as_ref().map(ToString::to_string) == act.valid_to
}

/// The fact an act is about and the version it keeps: in dispute, if it is anywhere.
fn find(memory: &Memory, act: &CarriedAct, at: Instant) -> Option<(FactId, VersionId, bool)> {
    let as_of = memory.now(at);
    let mut found = None;
    for fact in memory.facts() {
        let Some(key) = &fact.key else { continue };
        let is_it = key.realm == act.realm
            && *key.predicate == *act.predicate
            && key.entity.to_string() == act.entity;
        if !is_it {
            continue;
        }
        let disputed: Vec<VersionId> =
            memory.dispute(fact, &as_of).iter().map(|version| version.id).collect();
        for version in &fact.versions {
            let states = version
                .supporting(u64::MAX)
                .filter_map(|claim| memory.claim(claim))
                .any(|claim| is_kept(claim, act));
            match (states, disputed.contains(&version.id)) {
                (true, true) => return Some((fact.id, version.id, true)),
                (true, false) => found = found.or(Some((fact.id, version.id, false))),
                (false, _) => {}
            }
        }
    }
    found
}

impl Engine {
    /// Does an act again that an export carried, after the messages it followed. One that is done already changes nothing.
    ///
    /// # Errors
    /// [`EngineError::Input`] for one that cannot be read, [`EngineError::NotFound`] where nothing states the value kept.
    pub fn carry_out(&self, call: Call<'_>, act: &CarriedAct) -> Result<Carried, EngineError> {
        check_words(&act.reason, &act.by)?;
        let moment: Moment = act.at.parse().map_err(|error| EngineError::Input(format!("at: {error}")))?;
        let at = moment.instant;
        let act = act.clone();
        let answer: Arc<Mutex<Option<Carried>>> = Arc::default();
        let answer_of_last_run = answer.clone();
        let prepare = move |draft: &mut Draft<'_>, _: &[Recognised]| {
            let memory = &draft.snapshot.memory;
            let (fact, keep, disputed) = find(memory, &act, at).ok_or_else(|| {
                EngineError::NotFound(format!("{} {}", act.entity, act.predicate).chars().take(80).collect())
            })?;
            let is_done = memory.acts().any(|(_, done)| carried(memory, done).as_ref() == Some(&act));
            if disputed && !is_done {
                let claims: Vec<ClaimId> = memory
                    .version(keep)
                    .map(|(_, version)| version.supporting(u64::MAX).collect())
                    .unwrap_or_default();
                let words = ActWords { reason: act.reason.clone(), by: act.by.clone() };
                write_act(draft, Act { at, kind: ActKind::ResolveDispute { fact, keep: claims }, words });
            }
            *answer_of_last_run.lock() = Some(Carried {
                act: act.act,
                fact: answer::id(draft.keys, ledger::id::Kind::Fact, fact),
                duplicate: is_done || !disputed,
                watermark: draft.watermark(),
            });
            Ok(())
        };
        let held = self.held(call.scope);
        held.write(self.store(), call.scope, self.policies(), call.now, Vec::new(), Box::new(prepare))?;
        let carried = answer.lock().take();
        carried.ok_or_else(|| EngineError::Conflict("the act was not written".to_owned()))
    }
}
