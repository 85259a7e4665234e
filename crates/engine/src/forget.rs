//! Forgetting: what a person asks to forget is really gone, and what stands on other words stays.

use ledger::erase::{Plan, Targets, plan, tombstones};
use ledger::evidence::Evidence;
use ledger::id::{ClaimId, EvidenceId, FactId, Kind, Position, SourceId, TurnId, VersionId};
use ledger::keys::{Fingerprint, Purpose, SubjectKeys};
use ledger::store::Erased;

use crate::answer::{self, ErasedCounts, Forgotten};
use crate::error::EngineError;
use crate::subject::Snapshot;
use crate::{Call, Engine};

/// What is to be forgotten.
#[derive(Clone, Debug)]
pub enum Forget {
    /// Entries, facts, versions, claims, messages or sources, by id.
    Ids(Vec<String>),
    /// A source, by id or as `kind:ref`, with everything it ever said, now and when it comes again.
    Source(String),
    /// Everything of this subject.
    Subject,
}

/// How often an erasure is planned anew when the log moves meanwhile.
const ATTEMPTS_MAX: usize = 200;

impl Engine {
    /// Forgets, or with `dry_run` tells what would be forgotten.
    ///
    /// Returns when the words are in no file of the store; `residue` says whether that could be made sure of.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when an id names nothing here; then nothing is forgotten.
    pub fn forget(&self, call: Call<'_>, forget: &Forget, dry_run: bool) -> Result<Forgotten, EngineError> {
        if let Forget::Subject = forget {
            return self.forget_subject(call, dry_run);
        }
        let held = self.held(call.scope);
        for _ in 0..ATTEMPTS_MAX {
            let prepared = self.read(call.scope, |snapshot| self.prepare(call, snapshot, forget))?;
            let Prepared { keys, basis, mut plan, mut told } = prepared;
            if dry_run {
                told.dry_run = true;
                return Ok(told);
            }
            plan.erasure.tombstones.sort_unstable();
            plan.erasure.tombstones.dedup();
            let key = erasure_key(&keys, basis, &plan);
            match self.store().erase(call.scope, basis, key, &plan.erasure)? {
                Erased::Done { watermark, residue, .. } => {
                    held.drop_snapshot();
                    return Ok(Forgotten { watermark, residue, ..told });
                }
                Erased::BasisMoved(_) => {}
            }
        }
        Err(EngineError::Conflict(format!(
            "the log moved {ATTEMPTS_MAX} times while forgetting was planned; try again"
        )))
    }

    fn prepare(&self, call: Call<'_>, snapshot: &Snapshot, forget: &Forget) -> Result<Prepared, EngineError> {
        self.refuse_turns(call, snapshot, forget)?;
        let targets = find_targets(snapshot, forget)?;
        let evidence = self.evidence_concerned(call, snapshot, &targets)?;
        let missing = targets.evidence.iter().find(|id| !evidence.iter().any(|(known, _)| known == *id));
        if missing.is_some() {
            let named = match forget {
                Forget::Ids(ids) => ids.join(" "),
                Forget::Source(_) | Forget::Subject => String::new(),
            };
            return Err(EngineError::NotFound(named));
        }
        let keys = snapshot.keys.clone().ok_or_else(|| EngineError::NotFound("this subject".to_owned()))?;
        let mut plan = plan(
            &snapshot.memory,
            self.registry(),
            &targets,
            &evidence,
            call.now.max(snapshot.memory.recorded_at()),
        );
        for source in &targets.sources {
            if let Some(known) = snapshot.memory.source(*source) {
                plan.erasure.tombstones.push(source_mark(&keys, known.kind.as_str(), &known.reference));
            }
        }
        let told = tell(&keys, &plan, snapshot.durable);
        Ok(Prepared { keys, basis: snapshot.durable, plan, told })
    }

    /// A turn that is there is told apart from a thing to forget; one that is not is as unknown as anything else.
    fn refuse_turns(&self, call: Call<'_>, snapshot: &Snapshot, forget: &Forget) -> Result<(), EngineError> {
        let Forget::Ids(ids) = forget else { return Ok(()) };
        for id in ids {
            let Some((Kind::Turn, position)) = snapshot.keys.as_ref().and_then(|keys| keys.ids.open(id))
            else {
                continue;
            };
            return Err(match self.store().turn(call.scope, TurnId(position))? {
                Some(_) => EngineError::Input(format!("`{id}` is a turn; turns hold no words to forget")),
                None => EngineError::NotFound(id.clone()),
            });
        }
        Ok(())
    }

    /// The messages an erasure touches, whole.
    fn evidence_concerned(
        &self,
        call: Call<'_>,
        snapshot: &Snapshot,
        targets: &Targets,
    ) -> Result<Vec<(EvidenceId, Evidence)>, EngineError> {
        let mut ids: Vec<EvidenceId> = targets.evidence.iter().copied().collect();
        ids.extend(
            targets
                .claims
                .iter()
                .filter_map(|claim| snapshot.memory.claim(*claim))
                .map(|claim| claim.evidence),
        );
        ids.sort_unstable();
        ids.dedup();
        let found = self.store().evidence(call.scope, &ids)?;
        let mut concerned: Vec<(EvidenceId, Evidence)> =
            ids.into_iter().zip(found).filter_map(|(id, found)| found.map(|found| (id, found))).collect();
        if !targets.sources.is_empty() {
            let mut last: Option<Position> = None;
            loop {
                let page = self.store().evidence_after(call.scope, last, 1_000)?;
                let Some((id, _)) = page.last() else { break };
                last = Some(id.0);
                concerned.extend(
                    page.into_iter().filter(|(_, evidence)| targets.sources.contains(&evidence.source)),
                );
            }
            concerned.sort_by_key(|(id, _)| *id);
            concerned.dedup_by_key(|(id, _)| *id);
        }
        Ok(concerned)
    }

    fn forget_subject(&self, call: Call<'_>, dry_run: bool) -> Result<Forgotten, EngineError> {
        let held = self.held(call.scope);
        let (keys, mut told, mut marks) = self.read(call.scope, |snapshot| {
            let keys =
                snapshot.keys.clone().ok_or_else(|| EngineError::NotFound("this subject".to_owned()))?;
            let memory = &snapshot.memory;
            let erased = ErasedCounts {
                claims: memory.claims().count(),
                facts: memory.facts().len(),
                versions: memory.facts().iter().map(|fact| fact.versions.len()).sum(),
                sources: memory.sources().count(),
                ..ErasedCounts::default()
            };
            let marks: Vec<Fingerprint> = memory
                .sources()
                .map(|(_, source)| source_mark(&keys, source.kind.as_str(), &source.reference))
                .collect();
            let told = Forgotten {
                erased,
                kept: Vec::new(),
                reopened: Vec::new(),
                residue: 0,
                dry_run,
                watermark: snapshot.durable,
            };
            Ok((keys, told, marks))
        })?;
        let mut last: Option<Position> = None;
        loop {
            let page = self.store().evidence_after(call.scope, last, 1_000)?;
            let Some((id, _)) = page.last() else { break };
            last = Some(id.0);
            told.erased.evidence += page.len();
            marks.extend(page.iter().flat_map(|(_, evidence)| tombstones(evidence)));
        }
        drop(keys);
        if dry_run {
            return Ok(told);
        }
        if let Erased::Done { residue, .. } = self.store().erase_subject(call.scope, &marks)? {
            told.residue = residue;
        }
        told.watermark = 0;
        held.drop_snapshot();
        Ok(told)
    }
}

/// An erasure planned against one basis.
struct Prepared {
    keys: SubjectKeys,
    basis: u64,
    plan: Plan,
    told: Forgotten,
}

/// The name of an erasure: its place and all that goes, so that of two processes that forget different things at one
/// place neither is told that its words are gone when the other's are.
fn erasure_key(keys: &SubjectKeys, basis: u64, plan: &Plan) -> Fingerprint {
    let erasure = &plan.erasure;
    let gone = erasure.remove.all().chain(erasure.reduce.iter().map(|(id, _)| id.0));
    let mut named: Vec<u8> = gone
        .flat_map(|position| [position.seq.to_le_bytes(), u64::from(position.ordinal).to_le_bytes()])
        .flatten()
        .collect();
    named.extend(erasure.tombstones.iter().flat_map(|mark| mark.0));
    keys.fingerprint(Purpose::Request, &[b"erase", &basis.to_le_bytes(), &named])
}

/// The keyed mark that keeps a whole source out.
fn source_mark(keys: &SubjectKeys, kind: &str, reference: &str) -> Fingerprint {
    keys.fingerprint(Purpose::Source, &[kind.as_bytes(), reference.as_bytes()])
}

fn find_targets(snapshot: &Snapshot, forget: &Forget) -> Result<Targets, EngineError> {
    let mut targets = Targets::default();
    let ids = match forget {
        Forget::Ids(ids) => ids.clone(),
        Forget::Source(name) => {
            targets.sources.insert(find_source(snapshot, name)?);
            return Ok(targets);
        }
        Forget::Subject => Vec::new(),
    };
    if ids.is_empty() {
        return Err(EngineError::Input("nothing to forget; give ids, `--source` or `--subject`".to_owned()));
    }
    let memory = &snapshot.memory;
    for id in &ids {
        let not_found = || EngineError::NotFound(id.chars().take(80).collect());
        let (kind, position) =
            snapshot.keys.as_ref().and_then(|keys| keys.ids.open(id)).ok_or_else(not_found)?;
        match kind {
            // Whether the message is there, the store will say.
            Kind::Evidence => _ = targets.evidence.insert(EvidenceId(position)),
            Kind::Claim => {
                memory.claim(ClaimId(position)).ok_or_else(not_found)?;
                targets.claims.insert(ClaimId(position));
            }
            Kind::Fact => {
                let fact = memory.fact(FactId(position)).ok_or_else(not_found)?;
                targets.claims.extend(
                    fact.causes.iter().map(|cause| ClaimId(*cause)).filter(|id| memory.claim(*id).is_some()),
                );
            }
            Kind::Version => {
                let (_, version) = memory.version(VersionId(position)).ok_or_else(not_found)?;
                targets.claims.extend(version.claims.iter().map(|support| support.claim));
            }
            Kind::Source => {
                memory.source(SourceId(position)).ok_or_else(not_found)?;
                targets.sources.insert(SourceId(position));
            }
            // Told apart before.
            Kind::Turn => return Err(not_found()),
        }
    }
    Ok(targets)
}

/// A source by its id, or as `kind:ref`.
fn find_source(snapshot: &Snapshot, name: &str) -> Result<SourceId, EngineError> {
    let not_found = || EngineError::NotFound(name.chars().take(80).collect());
    if let Some((Kind::Source, position)) = snapshot.keys.as_ref().and_then(|keys| keys.ids.open(name)) {
        let id = SourceId(position);
        return snapshot.memory.source(id).map(|_| id).ok_or_else(not_found);
    }
    if let Some((kind, reference)) = name.split_once(':')
        && let Some(id) = snapshot.memory.source_named(kind, reference)
    {
        return Ok(id);
    }
    // A bare reference will do where only one source has it.
    let mut named =
        snapshot.memory.sources().filter(|(_, source)| source.reference == name).map(|(id, _)| id);
    match (named.next(), named.next()) {
        (Some(id), None) => Ok(id),
        (Some(_), Some(_)) => {
            Err(EngineError::Input(format!("several sources are named `{name}`; write `kind:ref` or the id")))
        }
        _ => Err(not_found()),
    }
}

fn tell(keys: &SubjectKeys, plan: &Plan, watermark: u64) -> Forgotten {
    let remove = &plan.erasure.remove;
    let version_ids = |versions: &[VersionId]| -> Vec<String> {
        versions.iter().map(|version| answer::id(keys, Kind::Version, *version)).collect()
    };
    let ids = |kind: Kind, positions: &[Position]| -> Vec<String> {
        positions.iter().map(|position| answer::id(keys, kind, *position)).collect()
    };
    let mut gone = ids(Kind::Source, &remove.sources);
    gone.extend(ids(Kind::Evidence, &remove.evidence));
    gone.extend(ids(Kind::Claim, &remove.claims));
    gone.extend(ids(Kind::Fact, &remove.facts));
    gone.extend(version_ids(&plan.gone));
    Forgotten {
        erased: ErasedCounts {
            evidence: remove.evidence.len(),
            reduced: plan.erasure.reduce.len(),
            claims: remove.claims.len(),
            facts: remove.facts.len(),
            versions: plan.gone.len(),
            sources: remove.sources.len(),
            ids: gone,
        },
        kept: version_ids(&plan.kept),
        reopened: version_ids(&plan.reopened),
        residue: 0,
        dry_run: false,
        watermark,
    }
}
