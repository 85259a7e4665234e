//! Forgetting, planned: what goes, what stays on other words, and what the history is once the words were never there.
//!
//! The plan is a pure function of the memory. Removing claims changes what their facts hold, so each fact touched is
//! adjudicated anew, cause by cause, from the claims that remain, with the belief instants they had. What comes out
//! is the history the ledger would have if it had never seen the erased words: facts with other support stand,
//! supersessions the erased words caused are undone, disputes shrink. Versions that live on keep their ids.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::adjudicate::retell;
use crate::claim::{Claim, Op};
use crate::evidence::{Evidence, EvidenceWords};
use crate::fact::{ActKind, Standing, Transition};
use crate::id::{ClaimId, EvidenceId, FactId, Position, SourceId, VersionId};
use crate::keys::Fingerprint;
use crate::log::Erasure;
use crate::memory::Memory;
use crate::registry::Registry;
use crate::time::Instant;

/// What is to be forgotten.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Targets {
    /// Whole messages.
    pub evidence: FxHashSet<EvidenceId>,
    /// Single claims, with the words they quote.
    pub claims: FxHashSet<ClaimId>,
    /// Whole sources.
    pub sources: FxHashSet<SourceId>,
}

/// A plan, and what to tell the person about it.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What the store is to do.
    pub erasure: Erasure,
    /// Versions that go.
    pub gone: Vec<VersionId>,
    /// Versions that stand on other words.
    pub kept: Vec<VersionId>,
    /// Versions that stand again because what ended them is gone.
    pub reopened: Vec<VersionId>,
}

/// Plans the erasure of `targets`.
///
/// `evidence` is every message concerned, whole: those in `targets.evidence` and `targets.sources`, and those which a
/// claim in `targets.claims` quotes. `now` is recorded with the erasure.
#[must_use]
pub fn plan(
    memory: &Memory,
    registry: &Registry,
    targets: &Targets,
    evidence: &[(EvidenceId, Evidence)],
    now: Instant,
) -> Plan {
    let doomed = Doomed::find(memory, targets, evidence);
    let mut erasure = Erasure { recorded_at: now, reduce: doomed.reduce, ..Erasure::default() };
    erasure.tombstones = evidence
        .iter()
        .filter(|(id, _)| {
            doomed.evidence.contains(id) || erasure.reduce.iter().any(|(reduced, _)| reduced == id)
        })
        .flat_map(|(_, evidence)| tombstones(evidence))
        .collect();
    erasure.shred = sorted(targets.sources.iter().copied());
    erasure.remove.sources = sorted(targets.sources.iter().map(|id| id.0));
    erasure.remove.evidence = sorted(doomed.evidence.iter().map(|id| id.0));
    erasure.remove.claims = sorted(doomed.claims.iter().map(|id| id.0));

    let acts = doomed_acts(memory, &doomed.claims, &doomed.evidence, &targets.sources);
    let facts = facts_touched(memory, &doomed.claims, &acts);
    erasure.remove.acts = sorted(acts.iter().copied());
    let mut plan = Plan { erasure, ..Plan::default() };
    let remaining = Remaining { memory, registry, claims: &doomed.claims, acts: &acts };
    let mut next = Position::new(memory.watermark() + 1, plan.erasure.reduce.len() as u32);
    for fact in facts {
        plan.erasure
            .remove
            .transitions
            .extend(memory.fact(fact).into_iter().flat_map(|fact| &fact.transitions));
        remaining.retell(fact, &mut next, &mut plan);
    }
    plan.erasure.remove.transitions.sort_unstable();
    plan
}

/// The marks by which a forgotten message is kept out.
pub fn tombstones(evidence: &Evidence) -> impl Iterator<Item = Fingerprint> {
    let marks = evidence.marks;
    marks.external_id.into_iter().chain([marks.moment, marks.text])
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The rows whose words must go.
struct Doomed {
    evidence: FxHashSet<EvidenceId>,
    claims: FxHashSet<ClaimId>,
    reduce: Vec<(EvidenceId, EvidenceWords)>,
}

impl Doomed {
    fn find(memory: &Memory, targets: &Targets, evidence: &[(EvidenceId, Evidence)]) -> Self {
        let mut whole: FxHashSet<EvidenceId> = targets.evidence.clone();
        whole.extend(
            evidence.iter().filter(|(_, one)| targets.sources.contains(&one.source)).map(|(id, _)| *id),
        );
        let mut by_evidence: FxHashMap<EvidenceId, Vec<(ClaimId, &Claim)>> = FxHashMap::default();
        for (id, claim) in memory.claims() {
            by_evidence.entry(claim.evidence).or_default().push((id, claim));
        }
        let mut claims = FxHashSet::default();
        let mut reduce = Vec::new();
        for (id, one) in evidence {
            let mut own = by_evidence.remove(id).unwrap_or_default();
            own.sort_by_key(|(claim, _)| *claim);
            if whole.contains(id) {
                claims.extend(own.iter().map(|(claim, _)| *claim));
                continue;
            }
            let going = overlapping(&own, &targets.claims);
            if going.is_empty() {
                continue;
            }
            if going.len() == own.len() {
                whole.insert(*id);
            } else {
                // The rest of the message may hold the words too: only what other claims quote stays.
                let hash = crate::evidence::ContentHash([0; 32]);
                let words = EvidenceWords { text: None, hash, attachments: Vec::new(), ..one.words.clone() };
                reduce.push((*id, words));
            }
            claims.extend(going);
        }
        reduce.sort_by_key(|(id, _)| *id);
        Self { evidence: whole, claims, reduce }
    }
}

/// The targeted claims of one message, and those whose quotes share words with theirs.
fn overlapping(own: &[(ClaimId, &Claim)], targeted: &FxHashSet<ClaimId>) -> FxHashSet<ClaimId> {
    let mut going: FxHashSet<ClaimId> =
        own.iter().map(|(id, _)| *id).filter(|id| targeted.contains(id)).collect();
    loop {
        let spans: Vec<_> = own
            .iter()
            .filter(|(id, _)| going.contains(id))
            .flat_map(|(_, claim)| claim.words.quotes.iter().map(|quote| quote.span()))
            .collect();
        let touched = own.iter().filter(|(id, _)| !going.contains(id)).find(|(_, claim)| {
            claim.words.quotes.iter().any(|quote| {
                let own = quote.span();
                spans.iter().any(|span| span.start < own.end && own.start < span.end)
            })
        });
        match touched {
            Some((id, _)) => going.insert(*id),
            None => return going,
        };
    }
}

/// Acts that make no sense without the erased rows.
fn doomed_acts(
    memory: &Memory,
    claims: &FxHashSet<ClaimId>,
    evidence: &FxHashSet<EvidenceId>,
    sources: &FxHashSet<SourceId>,
) -> FxHashSet<Position> {
    let senseless = |position: Position, kind: &ActKind| match kind {
        ActKind::ResolveDispute { fact, keep } => {
            keep.iter().all(|claim| claims.contains(claim))
                || !has_rival(memory, *fact, keep, position, claims)
        }
        ActKind::NewEdition { source, edition, .. } => sources.contains(source) || evidence.contains(edition),
        ActKind::Withdraw { source } | ActKind::Reinstate { source } => sources.contains(source),
    };
    memory.acts().filter(|(at, act)| senseless(*at, &act.kind)).map(|(position, _)| position).collect()
}

/// Whether anything is left that the act decided against: a claim before it, of another value than the one kept. An act
/// without would keep a reason that speaks of words nobody said any more.
fn has_rival(
    memory: &Memory,
    fact: FactId,
    keep: &[ClaimId],
    act: Position,
    doomed: &FxHashSet<ClaimId>,
) -> bool {
    let Some(fact) = memory.fact(fact) else { return false };
    let kept = keep.iter().find_map(|claim| memory.claim(*claim)).map(|claim| claim.words.value_key());
    let before = fact.causes.iter().filter(|cause| **cause < act).map(|cause| ClaimId(*cause));
    before
        .filter(|claim| !doomed.contains(claim))
        .filter_map(|claim| memory.claim(claim))
        .any(|claim| claim.op == Op::Assert && Some(claim.words.value_key()) != kept)
}

fn facts_touched(memory: &Memory, claims: &FxHashSet<ClaimId>, acts: &FxHashSet<Position>) -> Vec<FactId> {
    let by_claim = claims.iter().filter_map(|claim| memory.claim(*claim)).map(|claim| claim.fact);
    let by_act = acts.iter().filter_map(|act| memory.act(*act)).flat_map(|act| memory.facts_touched(act));
    sorted(by_claim.chain(by_act))
}

/// What is left of the memory once the doomed rows are gone.
struct Remaining<'plan> {
    memory: &'plan Memory,
    registry: &'plan Registry,
    claims: &'plan FxHashSet<ClaimId>,
    acts: &'plan FxHashSet<Position>,
}

impl Remaining<'_> {
    /// Tells a fact's history again from the causes that remain.
    fn retell(&self, fact: FactId, next: &mut Position, plan: &mut Plan) {
        let Some(before) = self.memory.fact(fact) else { return };
        let causes: Vec<Position> = before
            .causes
            .iter()
            .copied()
            .filter(|cause| !self.claims.contains(&ClaimId(*cause)) && !self.acts.contains(cause))
            .collect();
        if !causes.iter().any(|cause| self.memory.claim(ClaimId(*cause)).is_some()) {
            plan.erasure.remove.facts.push(fact.0);
            plan.erasure.remove.acts.extend(causes);
            plan.erasure.remove.acts.sort_unstable();
            plan.erasure.remove.acts.dedup();
            plan.gone.extend(before.versions.iter().map(|version| version.id));
            return;
        }
        let transitions = retell(self.memory, self.registry, fact, &causes, *next).transitions;
        let renamed = self.keep_names(fact, transitions);
        let after = last_states(&renamed);
        for version in &before.versions {
            let Some(was) = version.latest() else { continue };
            match after.get(&version.id) {
                None => plan.gone.push(version.id),
                Some(now) => {
                    let ended = was.standing == Standing::Retired || was.validity.to().is_some();
                    let stands = now.standing == Standing::Held && now.validity.to().is_none();
                    let list = if ended && stands { &mut plan.reopened } else { &mut plan.kept };
                    list.push(version.id);
                }
            }
        }
        next.ordinal += renamed.len() as u32;
        plan.erasure.rewrite.extend(renamed);
    }

    /// Gives versions that live on the ids they had: paired by the claims that founded and supported them.
    fn keep_names(&self, fact: FactId, mut transitions: Vec<Transition>) -> Vec<Transition> {
        let Some(before) = self.memory.fact(fact) else { return transitions };
        let mut claims_of: Vec<(VersionId, FxHashSet<ClaimId>)> = Vec::new();
        for transition in &transitions {
            match claims_of.iter_mut().find(|(id, _)| *id == transition.version) {
                Some((_, claims)) => claims.extend(transition.attach.iter().copied()),
                None => claims_of.push((transition.version, transition.attach.iter().copied().collect())),
            }
        }
        let mut names: FxHashMap<VersionId, VersionId> = FxHashMap::default();
        let mut taken: FxHashSet<VersionId> = FxHashSet::default();
        let mut offers: Vec<(usize, VersionId, VersionId)> = Vec::new();
        for (new, claims) in &claims_of {
            for version in &before.versions {
                let shared = version.claims.iter().filter(|support| claims.contains(&support.claim)).count();
                if shared > 0 {
                    offers.push((shared, version.id, *new));
                }
            }
        }
        offers.sort_by(|left, right| {
            right.0.cmp(&left.0).then(left.1.cmp(&right.1)).then(left.2.cmp(&right.2))
        });
        for (_, old, new) in offers {
            if !names.contains_key(&new) && taken.insert(old) {
                names.insert(new, old);
            }
        }
        for transition in &mut transitions {
            if let Some(old) = names.get(&transition.version) {
                transition.version = *old;
            }
        }
        transitions
    }
}

fn last_states(transitions: &[Transition]) -> FxHashMap<VersionId, &Transition> {
    transitions.iter().map(|transition| (transition.version, transition)).collect()
}
