//! Forgetting: what a person asks to forget is really gone, and what stands on other words stays.

mod find;
mod foresee;

pub(crate) use find::source as source_named;

use ledger::erase::{Plan, Targets, plan, tombstones};
use ledger::evidence::Evidence;
use ledger::fact::{Act, ActKind, ActWords};
use ledger::id::{EvidenceId, Kind, Position, TurnId, VersionId};
use ledger::keys::{Fingerprint, Purpose, SubjectKeys};
use ledger::log::{SubjectErasure, Tombstone};
use ledger::receipt::Asked;
use ledger::source::NAME_BYTES_MAX;
use ledger::store::{Erased, Head};
use ledger::time::Instant;
use rustc_hash::FxHashSet;

use crate::answer::{self, ErasedCounts, Forgotten};
use crate::error::EngineError;
use crate::subject::Snapshot;
use crate::{Call, Engine};

/// Who asks, unless somebody else is named.
pub const OWNER: &str = "owner";

/// What is to be forgotten.
#[derive(Clone, Debug)]
pub enum Forget {
    /// Entries, facts, versions, claims, messages or sources, by id.
    Ids(Vec<String>),
    /// A source, by id or as `kind:ref`, with everything it ever said, now and when it comes again.
    Source(String),
    /// Messages by where and when they were said. The same messages do not come back; others may come.
    Messages(Which),
    /// Everything of this subject.
    Subject,
}

/// Messages by where and when they were said. At least one field is given, and all that are given hold.
#[derive(Clone, Debug, Default)]
pub struct Which {
    /// Of this source: an id, or `kind:ref`.
    pub source: Option<String>,
    /// Of this session, in whatever source.
    pub session: Option<String>,
    /// Said at this instant or later, by the event time: when it was said, not when it was taken in.
    pub from: Option<Instant>,
    /// Said before this instant.
    pub to: Option<Instant>,
}

impl Forget {
    /// What kind of thing is asked for.
    #[must_use]
    pub fn asked(&self) -> Asked {
        match self {
            Self::Ids(_) => Asked::Ids,
            Self::Source(_) => Asked::Source,
            Self::Messages(_) => Asked::Messages,
            Self::Subject => Asked::Subject,
        }
    }
}

/// How often an erasure is planned anew when the log moves meanwhile.
const ATTEMPTS_MAX: usize = 200;

impl Engine {
    /// Forgets as the owner asks, or with `dry_run` tells exactly what would be forgotten.
    ///
    /// Returns when the words are in no file of the store; `residue` says whether that could be made sure of.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when an id names nothing here, or no message is meant; then nothing is forgotten.
    pub fn forget(&self, call: Call<'_>, forget: &Forget, dry_run: bool) -> Result<Forgotten, EngineError> {
        match dry_run {
            true => self.foresee(call, forget),
            false => self.forget_for(call, forget, OWNER),
        }
    }

    /// Forgets as `by` asks, whose name stands on the receipt: at most [`NAME_BYTES_MAX`] bytes.
    ///
    /// # Errors
    /// As [`Engine::forget`].
    pub fn forget_for(&self, call: Call<'_>, forget: &Forget, by: &str) -> Result<Forgotten, EngineError> {
        if by.is_empty() || by.len() > NAME_BYTES_MAX {
            let bytes = by.len();
            return Err(EngineError::Input(format!(
                "by has {bytes} bytes; 1 to {NAME_BYTES_MAX} are allowed"
            )));
        }
        if let Forget::Subject = forget {
            return self.forget_subject(call, by);
        }
        let held = self.held(call.scope);
        for _ in 0..ATTEMPTS_MAX {
            let prepared = self.read(call.scope, |snapshot| self.prepare(call, snapshot, forget))?;
            let Prepared { keys, basis, mut plan, told, .. } = prepared;
            let erasure = &mut plan.erasure;
            let rows = erasure.rows();
            let act = Act {
                at: erasure.recorded_at,
                kind: ActKind::Forget { asked: forget.asked(), rows },
                words: ActWords { reason: String::new(), by: by.to_owned() },
            };
            erasure.record = Some(act.clone());
            let key = erasure_key(&keys, basis.watermark, &plan);
            match self.store().erase(call.scope, &basis, key, &plan.erasure)? {
                Erased::Done { watermark, residue, rows: erased } => {
                    held.drop_snapshot();
                    // Another process that forgot the same at the same place came first: its act is the one recorded.
                    let act = if erased == rows.total() { Some(act) } else { self.act_of(call, watermark)? };
                    let receipt = match act {
                        Some(act) => self.receipt_of(call, &act, watermark)?,
                        None => None,
                    };
                    return Ok(Forgotten { watermark, residue, receipt, ..told });
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
        let mut targets = find::targets(snapshot, forget)?;
        let evidence = self.evidence_concerned(call, snapshot, forget, &mut targets)?;
        let there: FxHashSet<EvidenceId> = evidence.iter().map(|(id, _)| *id).collect();
        if !targets.evidence.is_subset(&there) {
            let named = match forget {
                Forget::Ids(ids) => ids.join(" "),
                Forget::Source(_) | Forget::Messages(_) | Forget::Subject => String::new(),
            };
            return Err(EngineError::NotFound(named));
        }
        let keys = snapshot.keys.clone().ok_or_else(|| EngineError::NotFound("this subject".to_owned()))?;
        let plan = plan(
            &snapshot.memory,
            self.registry(),
            &keys.blind,
            &targets,
            &evidence,
            call.now.max(snapshot.memory.recorded_at()),
        );
        let told = tell(&keys, &plan, snapshot.durable);
        Ok(Prepared { keys, basis: snapshot.head(), plan, told })
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

    /// The messages an erasure touches, in the order of the log, some without their text. Messages that are meant by where
    /// and when they were said become targets.
    fn evidence_concerned(
        &self,
        call: Call<'_>,
        snapshot: &Snapshot,
        forget: &Forget,
        targets: &mut Targets,
    ) -> Result<Vec<(EvidenceId, Evidence)>, EngineError> {
        if let Forget::Messages(which) = forget {
            let filter = find::Filter::read(snapshot, which)?;
            let found = self.messages_where(call, filter.source, |evidence| filter.means(evidence))?;
            if found.is_empty() {
                return Err(EngineError::Input("no message is meant; nothing to forget".to_owned()));
            }
            targets.evidence.extend(found.iter().map(|(id, _)| *id));
            return Ok(found);
        }
        let mut ids: Vec<EvidenceId> = targets.evidence.iter().copied().collect();
        let quoted = targets.claims.iter().filter_map(|claim| snapshot.memory.claim(*claim));
        ids.extend(quoted.map(|claim| claim.evidence));
        ids.sort_unstable();
        ids.dedup();
        let found = self.store().evidence(call.scope, &ids)?;
        let mut concerned: Vec<(EvidenceId, Evidence)> =
            ids.into_iter().zip(found).filter_map(|(id, found)| found.map(|found| (id, found))).collect();
        let sources = &targets.sources;
        if !sources.is_empty() {
            let of = sources.iter().next().copied().filter(|_| sources.len() == 1);
            concerned.extend(self.messages_where(call, of, |evidence| sources.contains(&evidence.source))?);
            concerned.sort_by_key(|(id, _)| *id);
            concerned.dedup_by_key(|(id, _)| *id);
        }
        Ok(concerned)
    }

    fn forget_subject(&self, call: Call<'_>, by: &str) -> Result<Forgotten, EngineError> {
        let held = self.held(call.scope);
        let (mut told, marks) = self.whole_subject(call)?;
        let blind = self.store().blind(call.scope)?;
        let erasure = SubjectErasure {
            recorded_at: call.now,
            subject: blind.fingerprint(Purpose::Subject, &[]),
            by: blind.fingerprint(Purpose::AskedBy, &[by.as_bytes()]),
            tombstones: marks,
        };
        if let Erased::Done { residue, .. } = self.store().erase_subject(call.scope, &erasure)? {
            told.residue = residue;
        }
        told.watermark = 0;
        held.drop_snapshot();
        told.receipt = self.receipt_of_destruction(&erasure, by)?;
        Ok(told)
    }

    /// What forgetting the subject takes, and the tombstones it leaves.
    fn whole_subject(&self, call: Call<'_>) -> Result<(Forgotten, Vec<Tombstone>), EngineError> {
        let messages = self.messages_where(call, None, |_| true)?;
        self.read(call.scope, |snapshot| {
            let keys =
                snapshot.keys.as_ref().ok_or_else(|| EngineError::NotFound("this subject".to_owned()))?;
            let memory = &snapshot.memory;
            let sources: FxHashSet<_> = memory.sources().map(|(id, _)| id).collect();
            let erased = ErasedCounts {
                evidence: messages.len(),
                claims: memory.claims().count(),
                facts: memory.facts().len(),
                versions: memory.facts().iter().map(|fact| fact.versions.len()).sum(),
                sources: sources.len(),
                ..ErasedCounts::default()
            };
            let evidence = messages.iter().map(|(_, evidence)| evidence);
            let marks = tombstones(memory, &keys.blind, evidence, &sources);
            Ok((Forgotten { erased, watermark: snapshot.durable, ..Forgotten::default() }, marks))
        })
    }
}

/// An erasure planned against one basis.
struct Prepared {
    keys: SubjectKeys,
    basis: Head,
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
    named.extend(erasure.tombstones.iter().flat_map(|tombstone| tombstone.mark.0));
    keys.fingerprint(Purpose::Request, &[b"erase", &basis.to_le_bytes(), &named])
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
        watermark,
        ..Forgotten::default()
    }
}
