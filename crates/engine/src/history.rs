//! History: one fact through time, and disputes with the act that ends them.

use std::sync::Arc;

use ledger::fact::{Act, ActKind, ActWords, TransitionKind};
use ledger::id::{ClaimId, FactId, Kind, VersionId};
use ledger::limits::Limit;
use ledger::store::Recognised;
use ledger::time::Instant;
use parking_lot::Mutex;

use crate::answer::{self, Dispute, Disputes, History, Resolved};
use crate::error::EngineError;
use crate::observe::write_act;
use crate::recall::as_of;
use crate::subject::Draft;
use crate::view::View;
use crate::{Call, Engine, open_id};

/// The decision of a dispute.
#[derive(Clone, Debug)]
pub struct Resolve {
    /// The fact in dispute.
    pub fact: String,
    /// The version that is kept.
    pub keep: String,
    /// Why.
    pub reason: String,
    /// By whom.
    pub by: String,
}

impl Engine {
    /// A fact with all its versions and everything that happened to them; `id` names the fact or one of its versions.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for anything else.
    pub fn history(&self, call: Call<'_>, id: &str) -> Result<History, EngineError> {
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let not_found = || EngineError::NotFound(id.chars().take(80).collect());
            let fact = match snapshot.keys.as_ref().and_then(|keys| keys.ids.open(id)) {
                Some((Kind::Fact, position)) => snapshot.memory.fact(FactId(position)),
                Some((Kind::Version, position)) => {
                    snapshot.memory.version(VersionId(position)).map(|(fact, _)| fact)
                }
                _ => None,
            }
            .ok_or_else(not_found)?;
            Ok(History {
                fact: view.fact(fact).ok_or_else(not_found)?,
                versions: fact.versions.iter().filter_map(|version| view.version(fact, version)).collect(),
                transitions: view.transitions(fact),
                watermark: view.as_of.watermark,
            })
        })
    }

    /// Everything in dispute at a moment on both clocks, each dispute whole.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn disputes(
        &self,
        call: Call<'_>,
        valid_at: Option<Instant>,
        believed_at: Option<Instant>,
    ) -> Result<Disputes, EngineError> {
        self.read(call.scope, |snapshot| {
            let as_of = as_of(snapshot, call.now, valid_at, believed_at);
            let view = View { snapshot, registry: self.registry(), as_of };
            let disputes = snapshot
                .memory
                .facts()
                .iter()
                .filter_map(|fact| {
                    let group = snapshot.memory.dispute(fact, &as_of);
                    let versions: Vec<_> =
                        group.iter().filter_map(|version| view.version(fact, version)).collect();
                    (versions.len() > 1)
                        .then(|| view.fact(fact).map(|fact| Dispute { fact, versions }))
                        .flatten()
                })
                .collect();
            Ok(Disputes { disputes, watermark: as_of.watermark })
        })
    }

    /// Ends a dispute by a recorded act: the only way out of one.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an unknown fact or version, [`EngineError::Input`] when the fact is not in dispute,
    /// the version is none of it, or no reason is given.
    pub fn resolve_dispute(&self, call: Call<'_>, resolve: &Resolve) -> Result<Resolved, EngineError> {
        check_words(&resolve.reason, &resolve.by)?;
        let (fact, keep) = self.read(call.scope, |snapshot| {
            let fact = FactId(open_id(snapshot, Kind::Fact, &resolve.fact)?);
            let keep = VersionId(open_id(snapshot, Kind::Version, &resolve.keep)?);
            snapshot.memory.fact(fact).ok_or_else(|| EngineError::NotFound(resolve.fact.clone()))?;
            snapshot.memory.version(keep).ok_or_else(|| EngineError::NotFound(resolve.keep.clone()))?;
            Ok((fact, keep))
        })?;
        let resolve = resolve.clone();
        let now = call.now;
        let answer: Arc<Mutex<Option<Resolved>>> = Arc::default();
        let answer_of_last_run = answer.clone();
        let prepare = move |draft: &mut Draft<'_>, _: &[Recognised]| {
            *answer_of_last_run.lock() = Some(write_resolution(draft, now, fact, keep, &resolve)?);
            Ok(())
        };
        let held = self.held(call.scope);
        held.write(self.store(), call.scope, self.policies(), call.now, Vec::new(), Box::new(prepare))?;
        let resolved = answer.lock().take();
        resolved.ok_or_else(|| EngineError::Conflict("the act was not written".to_owned()))
    }
}

/// Whether an act can be kept with these words.
pub(crate) fn check_words(reason: &str, by: &str) -> Result<(), EngineError> {
    if reason.trim().is_empty() {
        return Err(EngineError::Input("a dispute is resolved with a reason; give `--reason`".to_owned()));
    }
    Limit::REASON_BYTES.check("reason", reason.len())?;
    Ok(Limit::REASON_BYTES.check("by", by.len())?)
}

fn write_resolution(
    draft: &mut Draft<'_>,
    now: Instant,
    fact: FactId,
    keep: VersionId,
    resolve: &Resolve,
) -> Result<Resolved, EngineError> {
    let memory = &draft.snapshot.memory;
    let not_found = || EngineError::NotFound(resolve.fact.clone());
    let known = memory.fact(fact).ok_or_else(not_found)?;
    let as_of = memory.now(now);
    let group: Vec<VersionId> = memory.dispute(known, &as_of).iter().map(|version| version.id).collect();
    if group.is_empty() {
        return Err(EngineError::Input(format!("fact `{}` is not in dispute", resolve.fact)));
    }
    if !group.contains(&keep) {
        return Err(EngineError::Input(format!("version `{}` is not part of this dispute", resolve.keep)));
    }
    let (_, version) = memory.version(keep).ok_or_else(not_found)?;
    let claims: Vec<ClaimId> = version.supporting(u64::MAX).collect();
    let act = Act {
        at: now,
        kind: ActKind::ResolveDispute { fact, keep: claims },
        words: ActWords { reason: resolve.reason.clone(), by: resolve.by.clone() },
    };
    let effects = write_act(draft, act);
    let overruled = effects
        .iter()
        .flat_map(|(_, adjudicated)| &adjudicated.transitions)
        .filter(|made| made.version != keep && made.kind == TransitionKind::Resolve)
        .map(|made| answer::id(draft.keys, Kind::Version, made.version))
        .collect();
    Ok(Resolved {
        fact: resolve.fact.clone(),
        kept: resolve.keep.clone(),
        overruled,
        watermark: draft.watermark(),
    })
}
