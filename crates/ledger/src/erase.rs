//! Forgetting, planned: what goes, what stays on other words, and what the history is once the words were never there.
//!
//! The plan is a pure function of the memory. Removing claims changes what their facts hold, so each fact touched is
//! adjudicated anew, cause by cause, from the claims that remain, with the belief instants they had. What comes out
//! is the history the ledger would have if it had never seen the erased words: facts with other support stand,
//! supersessions the erased words caused are undone, disputes shrink. Versions that live on keep their ids.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::adjudicate::retell;
use crate::claim::Claim;
use crate::evidence::{Evidence, EvidenceWords};
use crate::fact::{Act, ActKind, ActWords, Standing, Transition};
use crate::id::{ClaimId, EvidenceId, FactId, Position, SourceId, VersionId, Watermark};
use crate::keys::{BlindKey, Fingerprint};
use crate::log::{Erasure, Tombstone};
use crate::memory::Memory;
use crate::registry::Registry;
use crate::source::Source;
use crate::time::{AsOf, Instant};

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
/// `evidence` is every message concerned, its text left out or not: those in `targets.evidence` and `targets.sources`, and
/// those which a claim in `targets.claims` quotes. `blind` marks the sources; `now` is recorded with the erasure.
#[must_use]
pub fn plan(
    memory: &Memory,
    registry: &Registry,
    blind: &BlindKey,
    targets: &Targets,
    evidence: &[(EvidenceId, Evidence)],
    now: Instant,
) -> Plan {
    let mut doomed = Doomed::find(memory, targets, evidence);
    let reduce = std::mem::take(&mut doomed.reduce);
    let mut erasure = Erasure { recorded_at: now, reduce, ..Erasure::default() };
    let reduced: FxHashSet<EvidenceId> = erasure.reduce.iter().map(|(id, _)| *id).collect();
    let concerned = evidence.iter().filter(|(id, _)| doomed.evidence.contains(id) || reduced.contains(id));
    erasure.tombstones = tombstones(memory, blind, concerned.map(|(_, evidence)| evidence), &targets.sources);
    erasure.shred = sorted(targets.sources.iter().copied());
    erasure.remove.sources = sorted(targets.sources.iter().map(|id| id.0));
    erasure.remove.evidence = sorted(doomed.evidence.iter().map(|id| id.0));
    erasure.remove.claims = sorted(doomed.claims.iter().map(|id| id.0));

    let acts = doomed_acts(memory, &doomed.evidence, &targets.sources);
    let mut facts = facts_touched(memory, &doomed.claims, &acts);
    erasure.remove.acts = sorted(acts.iter().copied());
    let mut plan = Plan { erasure, ..Plan::default() };
    let mut next = Position::new(memory.watermark() + 1, plan.erasure.reduce.len() as u32);
    plan.erasure.acts = mended_editions(memory, &doomed, &targets.sources, &acts);
    let mended = with_acts(memory, &plan.erasure.acts, &mut next, now);
    facts.extend(plan.erasure.acts.iter().flat_map(|act| memory.facts_touched(act)));
    let memory = mended.as_ref().unwrap_or(memory);
    let remaining = Remaining { memory, registry, claims: &doomed.claims, acts: &acts };
    for fact in sorted(facts.into_iter()) {
        plan.erasure
            .remove
            .transitions
            .extend(memory.fact(fact).into_iter().flat_map(|fact| &fact.transitions));
        remaining.retell(fact, &mut next, &mut plan);
    }
    plan.erasure.remove.transitions.sort_unstable();
    plan.erasure.remove.acts.sort_unstable();
    let gone: FxHashSet<FactId> = plan.erasure.remove.facts.iter().copied().map(FactId).collect();
    if !gone.is_empty() {
        // An act on several facts goes with the last of them.
        let bears_on_nothing = |act: &Act| {
            let facts = memory.facts_touched(act);
            !facts.is_empty() && facts.iter().all(|fact| gone.contains(fact))
        };
        let senseless = memory.acts().filter(|(_, act)| bears_on_nothing(act)).map(|(position, _)| position);
        let all = sorted(plan.erasure.remove.acts.drain(..).chain(senseless).collect::<Vec<_>>().into_iter());
        plan.erasure.remove.acts = all;
    }
    plan
}

/// The tombstones by which messages and whole sources are kept out, in order.
#[must_use]
pub fn tombstones<'evidence>(
    memory: &Memory,
    blind: &BlindKey,
    evidence: impl Iterator<Item = &'evidence Evidence>,
    sources: &FxHashSet<SourceId>,
) -> Vec<Tombstone> {
    let mark = |source: &Source| blind.source(source.kind.as_str(), &source.reference);
    let marks: FxHashMap<SourceId, Fingerprint> =
        memory.sources().map(|(id, source)| (id, mark(source))).collect();
    let mut tombstones = Vec::new();
    for evidence in evidence {
        let Some(source) = marks.get(&evidence.source).copied() else { continue };
        let own = evidence.marks;
        let own = own.external_id.into_iter().chain([own.moment, own.text]);
        tombstones.extend(own.map(|mark| Tombstone { source, mark }));
    }
    let whole = sources.iter().filter_map(|id| marks.get(id).copied());
    tombstones.extend(whole.map(|mark| Tombstone { source: mark, mark }));
    sorted(tombstones.into_iter())
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

/// What the editions of living sources that remain say of claims that remain, as far as only an edition that goes said it.
///
/// An edition's act lists what changed since the one before. With one edition gone, the next that is left has to say its
/// changes too: words that a forgotten edition dropped, and no later one held, do not stand again.
fn mended_editions(
    memory: &Memory,
    doomed: &Doomed,
    sources: &FxHashSet<SourceId>,
    acts: &FxHashSet<Position>,
) -> Vec<Act> {
    let mut changes: FxHashMap<SourceId, Vec<Change>> = FxHashMap::default();
    let mut concerned: FxHashSet<SourceId> = FxHashSet::default();
    for (position, act) in memory.acts() {
        let ActKind::NewEdition { source, edition, dropped, restored } = &act.kind else { continue };
        let editions = memory.editions(*source);
        let Some(edition) = editions.iter().copied().find(|(_, id)| id == edition) else { continue };
        if sources.contains(source) {
            continue;
        }
        let goes = acts.contains(&position);
        if goes {
            concerned.insert(*source);
        }
        let both = [(dropped, true), (restored, false)].into_iter();
        let named = both.flat_map(|(claims, lapsed)| claims.iter().map(move |claim| (*claim, lapsed)));
        let named = named.filter(|(claim, _)| !doomed.claims.contains(claim));
        let of_act = named.map(|(claim, lapsed)| Change { claim, edition, position, lapsed, goes });
        changes.entry(*source).or_default().extend(of_act);
    }
    let mut mended: Vec<(Edition, Act)> = Vec::new();
    for source in concerned {
        let gone = |(_, id): &Edition| doomed.evidence.contains(id);
        let left: Vec<Edition> =
            memory.editions(source).iter().copied().filter(|edition| !gone(edition)).collect();
        let mut changes = changes.remove(&source).unwrap_or_default();
        changes.sort_unstable_by_key(|change| (change.claim, change.edition, change.position));
        for of_claim in changes.chunk_by(|one, next| one.claim == next.claim) {
            let wanted = turns(&left, of_claim.iter());
            let kept = turns(&left, of_claim.iter().filter(|change| !change.goes));
            let alike = wanted.iter().zip(&kept).take_while(|(wanted, kept)| wanted == kept).count();
            // From the first that is missing on, all are said again, so that the last of them has the last word.
            for (edition, lapsed) in wanted.into_iter().skip(alike) {
                let place = mended.iter().position(|(known, _)| *known == edition).unwrap_or_else(|| {
                    let (dropped, restored) = (Vec::new(), Vec::new());
                    let kind = ActKind::NewEdition { source, edition: edition.1, dropped, restored };
                    let words = ActWords { reason: "new edition".to_owned(), by: "observe".to_owned() };
                    mended.push((edition, Act { at: edition.0, kind, words }));
                    mended.len() - 1
                });
                if let ActKind::NewEdition { dropped, restored, .. } = &mut mended[place].1.kind {
                    let list = if lapsed { dropped } else { restored };
                    list.extend(of_claim.first().map(|change| change.claim));
                }
            }
        }
    }
    mended.sort_by_key(|(edition, _)| *edition);
    mended.into_iter().map(|(_, act)| act).collect()
}

/// An edition of a living source: its event time and its message.
type Edition = (Instant, EvidenceId);

/// What an edition's act says of one claim.
struct Change {
    claim: ClaimId,
    edition: Edition,
    position: Position,
    /// Whether the claim ceased to count with the edition; else it counts again.
    lapsed: bool,
    /// Whether the act goes.
    goes: bool,
}

/// With which of the editions that are `left` a claim lapsed and came back, in turn, from its changes in the order of the
/// editions. What one that is gone changed, the next that is left changes.
fn turns<'change>(left: &[Edition], changes: impl Iterator<Item = &'change Change>) -> Vec<(Edition, bool)> {
    let mut states: Vec<(Edition, bool)> = Vec::new();
    for change in changes {
        let place = left.partition_point(|edition| *edition < change.edition);
        let Some(edition) = left.get(place).copied() else { continue };
        match states.last_mut().filter(|(last, _)| *last == edition) {
            Some(state) => state.1 = change.lapsed,
            None => states.push((edition, change.lapsed)),
        }
    }
    let mut lapsed_before = false;
    states.retain(|(_, lapsed)| std::mem::replace(&mut lapsed_before, *lapsed) != *lapsed);
    states
}

/// The memory with these acts behind everything else; `None` without any. `next` moves behind them.
fn with_acts(memory: &Memory, acts: &[Act], next: &mut Position, now: Instant) -> Option<Memory> {
    if acts.is_empty() {
        return None;
    }
    let mut with = memory.clone();
    for act in acts {
        with.apply_act(*next, act);
        next.ordinal += 1;
    }
    with.finish(next.seq, now);
    Some(with)
}

/// Acts that make no sense without the erased rows. Whether a dispute was there to be decided is known when the fact is told
/// again.
fn doomed_acts(
    memory: &Memory,
    evidence: &FxHashSet<EvidenceId>,
    sources: &FxHashSet<SourceId>,
) -> FxHashSet<Position> {
    let senseless = |kind: &ActKind| match kind {
        ActKind::NewEdition { source, edition, .. } => sources.contains(source) || evidence.contains(edition),
        ActKind::Withdraw { source } | ActKind::Reinstate { source } => sources.contains(source),
        ActKind::ResolveDispute { .. } | ActKind::Forget { .. } | ActKind::Lift(_) => false,
    };
    memory.acts().filter(|(_, act)| senseless(&act.kind)).map(|(position, _)| position).collect()
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
            plan.gone.extend(before.versions.iter().map(|version| version.id));
            return;
        }
        let causes = self.without_idle_decisions(fact, causes, plan);
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

    /// The causes without the acts that had nothing to decide, had the doomed rows never been there: an act would keep a
    /// reason that speaks of words nobody said any more. The acts go.
    fn without_idle_decisions(
        &self,
        fact: FactId,
        mut causes: Vec<Position>,
        plan: &mut Plan,
    ) -> Vec<Position> {
        let decisions: Vec<Position> = causes
            .iter()
            .copied()
            .filter(|cause| {
                let act = self.memory.act(*cause);
                act.is_some_and(|act| matches!(act.kind, ActKind::ResolveDispute { .. }))
            })
            .collect();
        for decision in decisions {
            let Some(act) = self.memory.act(decision) else { continue };
            let ActKind::ResolveDispute { keep, .. } = &act.kind else { continue };
            let precedes = |cause: &Position| self.memory.takes_effect(*cause) < decision;
            let before: Vec<Position> = causes.iter().copied().filter(precedes).collect();
            let told = retell(self.memory, self.registry, fact, &before, Position::new(u64::MAX, 0)).memory;
            let then = AsOf { valid_at: act.at, believed_at: Instant::MAX, watermark: Watermark::MAX };
            let decides = told.fact(fact).is_some_and(|fact| {
                let mut disputed = told.dispute(fact, &then).into_iter();
                disputed.any(|version| version.supporting(Watermark::MAX).any(|claim| keep.contains(&claim)))
            });
            if !decides {
                causes.retain(|cause| *cause != decision);
                plan.erasure.remove.acts.push(decision);
            }
        }
        causes
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
