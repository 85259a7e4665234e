//! A subject's memory: the log folded into sources, claims, facts and versions, readable as of any moment.
//!
//! The fold keeps every state a version ever had, so one structure answers for every watermark and belief instant;
//! a reader at watermark 7 does not notice that append 8 is already in. Nothing here decides anything: what an append
//! *changes* is worked out by [`crate::adjudicate`] and arrives as transitions.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::claim::{Claim, Op};
use crate::evidence::Evidence;
use crate::fact::{Act, ActKind, Apart, FactKey, FactRow, Standing, Transition, TransitionKind};
use crate::id::{ClaimId, EvidenceId, FactId, Position, SourceId, VersionId, Watermark};
use crate::keys::Fingerprint;
use crate::log::{Entry, Row};
use crate::registry::{Cardinality, Registry, Shape};
use crate::settle::{Input, InputKind, voices_for};
use crate::source::{Mode, Source};
use crate::time::{AsOf, Instant, Span};

/// Everything one subject's log says, folded.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// When each append was recorded, from the first.
    recorded: Vec<Instant>,
    sources: Vec<(SourceId, Source)>,
    sources_by_name: FxHashMap<(String, String), SourceId>,
    sources_by_id: FxHashMap<SourceId, usize>,
    claims: FxHashMap<ClaimId, Arc<Claim>>,
    acts: FxHashMap<Position, Arc<Act>>,
    facts: Vec<Fact>,
    facts_by_id: FxHashMap<FactId, usize>,
    facts_by_key: FxHashMap<FactKey, FactId>,
    facts_of_version: FxHashMap<VersionId, FactId>,
    claims_by_source: FxHashMap<SourceId, Vec<ClaimId>>,
    /// Claims that do not count at present: their source was withdrawn, or its newest edition dropped their words.
    lapsed: FxHashSet<ClaimId>,
    /// The editions of each living source, by their event time.
    editions: FxHashMap<SourceId, Vec<(Instant, EvidenceId)>>,
}

/// A fact: its identity, everything that bears on it, and its versions.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Its id.
    pub id: FactId,
    /// Its identity; `None` until the first claim names entity and value.
    pub key: Option<FactKey>,
    /// The claims and acts that bear on it, in the order of the log.
    pub causes: Vec<Position>,
    /// Its versions, in the order they were opened.
    pub versions: Vec<Version>,
    /// The rows of its history, in the order of the log.
    pub transitions: Vec<Position>,
    values: Vec<Arc<str>>,
}

/// One value of a fact, with every state it ever had.
#[derive(Clone, Debug)]
pub struct Version {
    /// Its id.
    pub id: VersionId,
    /// The fact it belongs to.
    pub fact: FactId,
    /// Its states, in the order they were reached; never empty.
    pub states: Vec<VersionState>,
    /// The claims that support it, each with the cause that attached it and the one that detached it.
    pub claims: Vec<Support>,
}

/// A claim's support of a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Support {
    /// The claim.
    pub claim: ClaimId,
    /// Since when, in the log.
    pub since: Position,
    /// Until when, in the log.
    pub until: Option<Position>,
}

/// What was held of a version from one belief instant on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VersionState {
    /// The claim or act that brought it about.
    pub cause: Position,
    /// From when it was believed.
    pub at: Instant,
    /// What had happened.
    pub kind: TransitionKind,
    /// When the value holds in the world.
    pub validity: Span,
    /// Whether it is held at all.
    pub standing: Standing,
}

/// An independent origin, as far as one version rests on it.
struct Lineage {
    origin: SourceId,
    /// Whether somebody said what its origin is.
    declared: bool,
    /// The marks of its messages.
    texts: Vec<Fingerprint>,
}

impl Lineage {
    fn is_copy_of(&self, other: &Self) -> bool {
        !(self.declared && other.declared) && self.texts.iter().any(|text| other.texts.contains(text))
    }
}

impl Version {
    /// The state an observer at `as_of` saw; `None` when the version did not exist yet.
    #[must_use]
    pub fn state(&self, as_of: &AsOf) -> Option<&VersionState> {
        self.states
            .iter()
            .rev()
            .find(|state| state.cause.seq <= as_of.watermark && state.at <= as_of.believed_at)
    }

    /// The latest state.
    #[must_use]
    pub fn latest(&self) -> Option<&VersionState> {
        self.states.last()
    }

    /// Whether an observer at `as_of` held this version for `as_of.valid_at`.
    #[must_use]
    pub fn is_current(&self, as_of: &AsOf) -> bool {
        self.state(as_of)
            .is_some_and(|state| state.standing == Standing::Held && state.validity.contains(as_of.valid_at))
    }

    /// The claims that supported it in the eyes of an observer at `watermark`.
    pub fn supporting(&self, watermark: Watermark) -> impl Iterator<Item = ClaimId> + '_ {
        self.claims
            .iter()
            .filter(move |support| {
                support.since.seq <= watermark && support.until.is_none_or(|until| until.seq > watermark)
            })
            .map(|support| support.claim)
    }

    /// When this system began to hold the version, and, in the eyes of an observer at `as_of`, when it stopped.
    #[must_use]
    pub fn belief(&self, as_of: &AsOf) -> Option<(Instant, Option<Instant>)> {
        let first = self.states.first()?;
        let state = self.state(as_of)?;
        let ended = (state.standing == Standing::Retired).then_some(state.at);
        Some((first.at, ended))
    }
}

impl Memory {
    /// The number of the last append folded in.
    #[must_use]
    pub fn watermark(&self) -> Watermark {
        self.recorded.len() as Watermark
    }

    /// When the last append was recorded.
    #[must_use]
    pub fn recorded_at(&self) -> Instant {
        self.recorded.last().copied().unwrap_or(Instant::MIN)
    }

    /// When append `seq` was recorded.
    #[must_use]
    pub fn recorded_when(&self, seq: Watermark) -> Option<Instant> {
        self.recorded.get(seq.checked_sub(1)? as usize).copied()
    }

    /// The last append recorded at or before `instant`; 0 when there is none.
    #[must_use]
    pub fn watermark_at(&self, instant: Instant) -> Watermark {
        // Appends are recorded in the order of time.
        self.recorded.partition_point(|recorded| *recorded <= instant) as Watermark
    }

    /// The view of someone who knows everything so far, of the world at `valid_at`.
    #[must_use]
    pub fn now(&self, valid_at: Instant) -> AsOf {
        AsOf { valid_at, believed_at: Instant::MAX, watermark: self.watermark() }
    }

    /// A source by its id.
    #[must_use]
    pub fn source(&self, id: SourceId) -> Option<&Source> {
        self.sources_by_id.get(&id).map(|place| &self.sources[*place].1)
    }

    /// A source by its identity.
    #[must_use]
    pub fn source_named(&self, kind: &str, reference: &str) -> Option<SourceId> {
        self.sources_by_name.get(&(kind.to_owned(), reference.to_owned())).copied()
    }

    /// All sources, in the order they were first seen.
    pub fn sources(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.sources.iter().map(|(id, source)| (*id, source))
    }

    /// How many sources there are.
    #[must_use]
    pub fn source_count(&self) -> usize {
        self.sources.len()
    }

    /// A claim by its id.
    #[must_use]
    pub fn claim(&self, id: ClaimId) -> Option<&Arc<Claim>> {
        self.claims.get(&id)
    }

    /// All claims, in no particular order.
    pub fn claims(&self) -> impl Iterator<Item = (ClaimId, &Arc<Claim>)> {
        self.claims.iter().map(|(id, claim)| (*id, claim))
    }

    /// The claims of one source, in the order of the log.
    pub fn claims_of(&self, source: SourceId) -> impl Iterator<Item = ClaimId> + '_ {
        self.claims_by_source.get(&source).into_iter().flatten().copied()
    }

    /// An act by its place.
    #[must_use]
    pub fn act(&self, position: Position) -> Option<&Arc<Act>> {
        self.acts.get(&position)
    }

    /// All acts, in no particular order.
    pub fn acts(&self) -> impl Iterator<Item = (Position, &Arc<Act>)> {
        self.acts.iter().map(|(position, act)| (*position, act))
    }

    /// A fact by its id.
    #[must_use]
    pub fn fact(&self, id: FactId) -> Option<&Fact> {
        self.facts_by_id.get(&id).map(|place| &self.facts[*place])
    }

    /// A fact by its identity.
    #[must_use]
    pub fn fact_with(&self, key: &FactKey) -> Option<FactId> {
        self.facts_by_key.get(key).copied()
    }

    /// All facts, in the order they were first stated.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// The fact of a version, and the version.
    #[must_use]
    pub fn version(&self, id: VersionId) -> Option<(&Fact, &Version)> {
        let fact = self.fact(*self.facts_of_version.get(&id)?)?;
        fact.versions.iter().find(|version| version.id == id).map(|version| (fact, version))
    }

    /// The value of a version, read from a claim that supports it; the earliest still there.
    #[must_use]
    pub fn value_of(&self, version: &Version) -> Option<&Claim> {
        version.claims.iter().filter_map(|support| self.claims.get(&support.claim)).map(AsRef::as_ref).next()
    }

    /// The claim that tells a version to an observer at `as_of`: of those that support it, the one said last by then.
    ///
    /// Values that are equal to a ledger may be written in several ways (`e-mail`, `E-Mail`); people see the latest.
    #[must_use]
    pub fn told_by(&self, version: &Version, as_of: &AsOf) -> Option<&Claim> {
        let known = |id: &ClaimId| self.recorded_when(id.0.seq).is_none_or(|at| at <= as_of.believed_at);
        version
            .supporting(as_of.watermark)
            .filter(known)
            .filter_map(|id| self.claims.get(&id).map(|claim| (id, claim.as_ref())))
            .filter(|(_, claim)| claim.begins() <= as_of.valid_at || claim.event_time <= as_of.valid_at)
            .max_by_key(|(id, claim)| (claim.event_time, *id))
            .map(|(_, claim)| claim)
            .or_else(|| self.value_of(version))
    }

    /// The versions of `fact` that contradict each other in the eyes of an observer at `as_of`: none, or at least two.
    #[must_use]
    pub fn dispute<'memory>(&self, fact: &'memory Fact, as_of: &AsOf) -> Vec<&'memory Version> {
        let current: Vec<&Version> =
            fact.versions.iter().filter(|version| version.is_current(as_of)).collect();
        if current.len() > 1 { current } else { Vec::new() }
    }

    /// The number of lineages whose statement in force backs the version; see [`crate::settle::voices_for`].
    ///
    /// Sources that are copies of one another count once, and so do sources whose messages are the same to the letter.
    #[must_use]
    pub fn support(&self, fact: &Fact, version: &Version, as_of: &AsOf) -> usize {
        let claims: Vec<&Claim> = version
            .supporting(as_of.watermark)
            .filter_map(|id| self.claims.get(&id).map(AsRef::as_ref))
            .collect();
        let Some(state) = version.state(as_of) else { return 0 };
        if claims.len() == 1 {
            return 1;
        }
        let at = match state.validity.contains(as_of.valid_at) {
            true => as_of.valid_at,
            false => state.validity.from(),
        };
        let mut lineages: Vec<Lineage> = Vec::new();
        for claim in &claims {
            let origin = self.origin(claim.source);
            let declared = self.source(claim.source).is_some_and(|source| source.copy_of.is_some());
            match lineages.iter_mut().find(|lineage| lineage.origin == origin) {
                Some(lineage) => {
                    lineage.declared |= declared;
                    lineage.texts.push(claim.copy_mark);
                }
                None => lineages.push(Lineage { origin, declared, texts: vec![claim.copy_mark] }),
            }
        }
        const OTHERS: u32 = u32::MAX;
        let number = |origin: SourceId| {
            lineages.iter().position(|lineage| lineage.origin == origin).map_or(OTHERS, |place| place as u32)
        };
        let mut inputs = self.inputs(
            fact,
            |position| position.seq <= as_of.watermark,
            |claim| number(self.origin(claim.source)),
        );
        inputs.retain(|input| {
            !matches!(input.kind,
            InputKind::Assert { voice, .. } | InputKind::Retract { voice, .. } if voice == OTHERS)
        });
        let Some(value) = claims.first().and_then(|claim| self.value_number(fact, claim)) else { return 1 };
        // A copy is the same message to the letter, unless both are declared to have origins of their own; the first lineage
        // that holds it stands for all.
        let original = |voice: u32| {
            let Some(own) = lineages.get(voice as usize) else { return voice };
            let place = lineages.iter().position(|other| other.origin == own.origin || other.is_copy_of(own));
            place.map_or(voice, |place| place as u32)
        };
        voices_for(&inputs, value, at, original).max(1)
    }

    /// The source at the root of a line of copies.
    #[must_use]
    pub fn origin(&self, source: SourceId) -> SourceId {
        let mut origin = source;
        // Copies are declared of earlier sources only, so the walk ends; the bound holds it even if a log were forged.
        for _ in 0..64 {
            match self.source(origin).and_then(|source| source.copy_of) {
                Some(earlier) if earlier < origin => origin = earlier,
                _ => break,
            }
        }
        origin
    }

    /// Everything that bears on `fact`, as input of the settlement; `counts` chooses the causes, `voice` tells voices apart.
    pub(crate) fn inputs(
        &self,
        fact: &Fact,
        counts: impl Fn(Position) -> bool,
        voice: impl Fn(&Claim) -> u32,
    ) -> Vec<Input> {
        let mut inputs = Vec::with_capacity(fact.causes.len());
        let mut causes: Vec<(Position, Position)> = fact
            .causes
            .iter()
            .copied()
            .filter(|position| counts(*position))
            .map(|position| (self.takes_effect(position), position))
            .collect();
        causes.sort_unstable();
        for (place, position) in causes {
            if let Some(claim) = self.claims.get(&ClaimId(position)) {
                inputs.extend(self.statement(fact, position, claim, voice(claim)));
            } else if let Some(act) = self.acts.get(&position) {
                self.act_inputs(fact, (place, position), act, &mut inputs);
            }
        }
        // Where an edition was forgotten, a later one may say again what stands anyway; that undoes nothing.
        let mut lapsed: FxHashSet<ClaimId> = FxHashSet::default();
        inputs.retain(|input| match &input.kind {
            InputKind::Lapse { claim, .. } => lapsed.insert(*claim),
            InputKind::Restore { claim, .. } => lapsed.remove(claim),
            _ => true,
        });
        inputs
    }

    fn statement(&self, fact: &Fact, position: Position, claim: &Claim, voice: u32) -> Option<Input> {
        let kind = match claim.op {
            Op::Assert => InputKind::Assert {
                value: self.value_number(fact, claim)?,
                voice,
                begins: claim.begins(),
                begins_explicitly: claim.valid_from.is_some(),
                ends: claim.valid_to,
                said_at: claim.event_time,
            },
            Op::Retract => InputKind::Retract {
                // A value nobody ever asserted is nothing that could end.
                value: claim.words.value.as_ref().map(|_| self.value_number(fact, claim).unwrap_or(u32::MAX)),
                voice,
                at: claim.begins(),
                said_at: claim.event_time,
            },
        };
        Some(Input { position, kind })
    }

    /// Where in the log a cause takes effect: at its own place, but for one kind of act.
    ///
    /// When an edition is forgotten, the erasure writes what the editions that are left change instead. Such an act stands
    /// in an append that holds neither the edition nor a claim it names, and takes effect where that edition came, so
    /// that a decision taken since decides what it would have decided.
    pub(crate) fn takes_effect(&self, cause: Position) -> Position {
        let Some(ActKind::NewEdition { edition, dropped, restored, .. }) =
            self.acts.get(&cause).map(|act| &act.kind)
        else {
            return cause;
        };
        let came_with_it = |position: Position| position.seq == cause.seq;
        let ordinary =
            came_with_it(edition.0) || dropped.iter().chain(restored).any(|claim| came_with_it(claim.0));
        if ordinary { cause } else { edition.0 }
    }

    fn act_inputs(
        &self,
        fact: &Fact,
        (place, position): (Position, Position),
        act: &Act,
        inputs: &mut Vec<Input>,
    ) {
        let bears = |claim: &ClaimId| self.claims.get(claim).is_some_and(|known| known.fact == fact.id);
        let mut push = |kind| inputs.push(Input { position: place, kind });
        match &act.kind {
            ActKind::ResolveDispute { keep, .. } => {
                let kept = keep.iter().find_map(|claim| self.claims.get(claim));
                if let Some(keep) = kept.and_then(|claim| self.value_number(fact, claim)) {
                    push(InputKind::Resolve { keep, at: act.at });
                }
            }
            ActKind::NewEdition { dropped, restored, .. } => {
                for claim in dropped.iter().copied().filter(bears) {
                    push(InputKind::Lapse { claim, at: act.at });
                }
                for claim in restored.iter().copied().filter(bears) {
                    push(InputKind::Restore { claim, at: act.at });
                }
            }
            ActKind::Withdraw { source } | ActKind::Reinstate { source } => {
                let ends = matches!(act.kind, ActKind::Withdraw { .. });
                let claims = self.claims_of(*source).filter(|claim| claim.0 < position).filter(bears);
                for claim in claims {
                    push(match ends {
                        true => InputKind::Lapse { claim, at: act.at },
                        false => InputKind::Restore { claim, at: act.at },
                    });
                }
            }
            ActKind::Forget { .. } | ActKind::Lift(_) => {}
        }
    }

    pub(crate) fn value_number(&self, fact: &Fact, claim: &Claim) -> Option<u32> {
        let key = claim.words.value_key();
        fact.values.iter().position(|known| **known == *key).map(|number| number as u32)
    }

    /// The value number of a version.
    pub(crate) fn version_value(&self, fact: &Fact, version: &Version) -> Option<u32> {
        self.value_of(version).and_then(|claim| self.value_number(fact, claim))
    }

    /// A memory of the sources `fact` rests on, of the fact itself and of nothing else: where its history can be told
    /// again from its causes, applied and adjudicated one by one.
    #[must_use]
    pub fn begin_replay(&self, fact: FactId, registry: &Registry) -> Self {
        let mut alone = Self::default();
        let causes = self.fact(fact).map(|fact| fact.causes.as_slice()).unwrap_or_default();
        let mut needed: Vec<SourceId> = causes
            .iter()
            .filter_map(|cause| self.claims.get(&ClaimId(*cause)))
            .flat_map(|claim| [claim.source, self.origin(claim.source)])
            .collect();
        needed.sort_unstable();
        needed.dedup();
        for id in needed {
            if let Some(source) = self.source(id) {
                let origin = self.origin(id);
                let copy_of = (origin != id).then_some(origin);
                alone.apply_source(id, &Source { copy_of, ..source.clone() });
            }
        }
        alone.apply_row(fact.0, &Row::Fact(FactRow::placeholder()), registry);
        alone
    }

    /// Folds one append in. Appends must come in order, each exactly once.
    pub fn apply(&mut self, entry: &Entry, registry: &Registry) {
        for (position, row) in &entry.rows {
            self.apply_row(*position, row, registry);
        }
        self.finish(entry.seq, entry.recorded_at);
    }

    /// Closes an append whose rows were folded in one by one.
    pub fn finish(&mut self, seq: Watermark, recorded_at: Instant) {
        debug_assert_eq!(seq, self.watermark() + 1, "appends are dense");
        self.recorded.push(recorded_at);
    }

    /// Folds one row in.
    pub fn apply_row(&mut self, position: Position, row: &Row, registry: &Registry) {
        match row {
            Row::Source(source) => self.apply_source(SourceId(position), source),
            Row::Evidence(evidence) => self.apply_evidence(EvidenceId(position), evidence),
            Row::Fact(_) => {
                self.facts_by_id.insert(FactId(position), self.facts.len());
                self.facts.push(Fact {
                    id: FactId(position),
                    key: None,
                    causes: Vec::new(),
                    versions: Vec::new(),
                    transitions: Vec::new(),
                    values: Vec::new(),
                });
            }
            Row::Claim(claim) => self.apply_claim(ClaimId(position), claim, registry),
            Row::Act(act) => self.apply_act(position, act),
            Row::Transition(transition) => self.apply_transition(position, transition),
        }
    }

    fn apply_source(&mut self, id: SourceId, source: &Source) {
        self.sources_by_id.insert(id, self.sources.len());
        self.sources_by_name.insert((source.kind.as_str().to_owned(), source.reference.clone()), id);
        self.sources.push((id, source.clone()));
    }

    /// Messages are read from the store when they are asked for; holding every one here would cost too much. Of an
    /// edition of a living source its date is kept.
    fn apply_evidence(&mut self, id: EvidenceId, evidence: &Evidence) {
        if self.source(evidence.source).is_some_and(|source| source.mode == Mode::Living) {
            let editions = self.editions.entry(evidence.source).or_default();
            let edition = (evidence.event_time.instant, id);
            let place = editions.partition_point(|known| *known <= edition);
            editions.insert(place, edition);
        }
    }

    /// The editions of a living source, by their event time; none for other sources.
    #[must_use]
    pub fn editions(&self, source: SourceId) -> &[(Instant, EvidenceId)] {
        self.editions.get(&source).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a claim counts at present.
    #[must_use]
    pub fn is_lapsed(&self, claim: ClaimId) -> bool {
        self.lapsed.contains(&claim)
    }

    fn apply_claim(&mut self, id: ClaimId, claim: &Arc<Claim>, registry: &Registry) {
        self.claims_by_source.entry(claim.source).or_default().push(id);
        self.claims.insert(id, claim.clone());
        let Some(place) = self.facts_by_id.get(&claim.fact).copied() else { return };
        let fact = &mut self.facts[place];
        let value: Arc<str> = claim.words.value_key().into();
        if fact.key.is_none() {
            let key = key_of(claim, &value, registry);
            self.facts_by_key.insert(key.clone(), claim.fact);
            fact.key = Some(key);
        }
        if claim.op == Op::Assert && !fact.values.contains(&value) {
            fact.values.push(value);
        }
        self.add_cause(place, id.0);
    }

    pub(crate) fn apply_act(&mut self, position: Position, act: &Act) {
        self.acts.insert(position, Arc::new(act.clone()));
        match &act.kind {
            ActKind::ResolveDispute { .. } | ActKind::Forget { .. } | ActKind::Lift(_) => {}
            ActKind::NewEdition { dropped, restored, .. } => {
                self.lapsed.extend(dropped);
                restored.iter().for_each(|claim| _ = self.lapsed.remove(claim));
            }
            ActKind::Withdraw { source } => {
                self.lapsed.extend(self.claims_by_source.get(source).into_iter().flatten());
            }
            ActKind::Reinstate { source } => {
                for claim in self.claims_by_source.get(source).into_iter().flatten() {
                    self.lapsed.remove(claim);
                }
            }
        }
        for fact in self.facts_touched(act) {
            if let Some(place) = self.facts_by_id.get(&fact).copied() {
                self.add_cause(place, position);
            }
        }
    }

    fn add_cause(&mut self, place: usize, position: Position) {
        let fact = &mut self.facts[place];
        // Rewritten histories arrive out of order after an erasure; the log's order is what counts.
        match fact.causes.last() {
            Some(last) if *last >= position => {
                if let Err(gap) = fact.causes.binary_search(&position) {
                    fact.causes.insert(gap, position);
                }
            }
            _ => fact.causes.push(position),
        }
    }

    /// The facts an act bears on, in the order of their ids.
    #[must_use]
    pub fn facts_touched(&self, act: &Act) -> Vec<FactId> {
        let of_claim = |claim: &ClaimId| self.claims.get(claim).map(|claim| claim.fact);
        let mut facts: Vec<FactId> = match &act.kind {
            ActKind::ResolveDispute { fact, .. } => vec![*fact],
            ActKind::NewEdition { dropped, restored, .. } => {
                dropped.iter().chain(restored).filter_map(of_claim).collect()
            }
            ActKind::Withdraw { source } | ActKind::Reinstate { source } => {
                self.claims_of(*source).filter_map(|claim| of_claim(&claim)).collect()
            }
            ActKind::Forget { .. } | ActKind::Lift(_) => Vec::new(),
        };
        facts.sort_unstable();
        facts.dedup();
        facts
    }

    fn apply_transition(&mut self, position: Position, transition: &Transition) {
        let Some(place) = self.facts_by_id.get(&transition.fact).copied() else { return };
        self.facts_of_version.insert(transition.version, transition.fact);
        let fact = &mut self.facts[place];
        fact.transitions.push(position);
        let known = fact.versions.iter().position(|version| version.id == transition.version);
        let index = known.unwrap_or_else(|| {
            fact.versions.push(Version {
                id: transition.version,
                fact: transition.fact,
                states: Vec::with_capacity(1),
                claims: Vec::with_capacity(1),
            });
            fact.versions.len() - 1
        });
        let version = &mut fact.versions[index];
        let state = VersionState {
            cause: transition.cause,
            at: transition.at,
            kind: transition.kind,
            validity: transition.validity,
            standing: transition.standing,
        };
        let gap = version.states.partition_point(|known| known.cause <= state.cause);
        version.states.insert(gap, state);
        for claim in &transition.detach {
            if let Some(support) =
                version.claims.iter_mut().find(|support| support.claim == *claim && support.until.is_none())
            {
                support.until = Some(transition.cause);
            }
        }
        for claim in &transition.attach {
            version.claims.push(Support { claim: *claim, since: transition.cause, until: None });
        }
    }
}

/// Taking back what was folded in ahead of the store, when the store did not take it.
impl Memory {
    /// Takes back the latest appends down to `watermark`. `rows` are exactly the rows they brought, in order.
    ///
    /// An act of withdrawal or of a new edition is taken back with its effect on which claims count.
    pub fn take_back(&mut self, watermark: Watermark, rows: &[(Position, Row)]) {
        for (position, row) in rows.iter().rev() {
            match row {
                Row::Source(source) => {
                    self.sources.pop();
                    self.sources_by_id.remove(&SourceId(*position));
                    self.sources_by_name.remove(&(source.kind.as_str().to_owned(), source.reference.clone()));
                }
                Row::Evidence(evidence) => {
                    if let Some(editions) = self.editions.get_mut(&evidence.source) {
                        editions.retain(|(_, edition)| edition.0 != *position);
                    }
                }
                Row::Fact(_) => {
                    self.facts.pop();
                    self.facts_by_id.remove(&FactId(*position));
                }
                Row::Claim(claim) => self.take_back_claim(ClaimId(*position), claim),
                Row::Act(act) => self.take_back_act(*position, act),
                Row::Transition(transition) => self.take_back_transition(transition),
            }
        }
        self.recorded.truncate(watermark as usize);
    }

    fn take_back_claim(&mut self, id: ClaimId, claim: &Claim) {
        self.claims.remove(&id);
        if let Some(of_source) = self.claims_by_source.get_mut(&claim.source) {
            of_source.retain(|known| *known != id);
        }
        let Some(place) = self.facts_by_id.get(&claim.fact).copied() else { return };
        self.facts[place].causes.retain(|cause| *cause != id.0);
        let fact = &self.facts[place];
        let still_said: FxHashSet<String> = fact
            .causes
            .iter()
            .filter_map(|cause| self.claims.get(&ClaimId(*cause)))
            .filter(|claim| claim.op == Op::Assert)
            .map(|claim| claim.words.value_key())
            .collect();
        let fact = &mut self.facts[place];
        fact.values.retain(|value| still_said.contains(&**value));
        if fact.causes.is_empty()
            && let Some(key) = fact.key.take()
        {
            self.facts_by_key.remove(&key);
        }
    }

    fn take_back_act(&mut self, position: Position, act: &Act) {
        self.acts.remove(&position);
        match &act.kind {
            ActKind::ResolveDispute { .. } | ActKind::Forget { .. } | ActKind::Lift(_) => {}
            ActKind::NewEdition { dropped, restored, .. } => {
                dropped.iter().for_each(|claim| _ = self.lapsed.remove(claim));
                self.lapsed.extend(restored);
            }
            ActKind::Withdraw { source } => {
                let claims: Vec<ClaimId> = self.claims_of(*source).collect();
                claims.iter().for_each(|claim| _ = self.lapsed.remove(claim));
            }
            ActKind::Reinstate { source } => {
                let claims: Vec<ClaimId> = self.claims_of(*source).collect();
                self.lapsed.extend(claims);
            }
        }
        for fact in self.facts_touched(act) {
            if let Some(place) = self.facts_by_id.get(&fact).copied() {
                self.facts[place].causes.retain(|cause| *cause != position);
            }
        }
    }

    fn take_back_transition(&mut self, transition: &Transition) {
        let Some(place) = self.facts_by_id.get(&transition.fact).copied() else { return };
        let fact = &mut self.facts[place];
        fact.transitions.pop();
        let Some(index) = fact.versions.iter().position(|version| version.id == transition.version) else {
            return;
        };
        let version = &mut fact.versions[index];
        version.claims.retain(|support| support.since != transition.cause);
        for support in version.claims.iter_mut().filter(|support| support.until == Some(transition.cause)) {
            support.until = None;
        }
        version.states.retain(|state| state.cause != transition.cause);
        if version.states.is_empty() {
            fact.versions.remove(index);
            self.facts_of_version.remove(&transition.version);
        }
    }
}

/// The identity of the fact a claim testifies on.
#[must_use]
pub fn fact_key(claim: &Claim, registry: &Registry) -> FactKey {
    key_of(claim, &claim.words.value_key().into(), registry)
}

/// The same, the canonical value being known.
fn key_of(claim: &Claim, value: &Arc<str>, registry: &Registry) -> FactKey {
    let apart = match registry.get(&claim.predicate) {
        Some(known) if known.shape == Shape::Measurement => Apart::Period(claim.valid_from, claim.valid_to),
        Some(known) if known.cardinality == Cardinality::Many => Apart::Value(value.clone()),
        _ => Apart::Nothing,
    };
    FactKey {
        realm: claim.realm,
        entity: claim.words.entity.clone(),
        predicate: claim.predicate.as_str().into(),
        apart,
    }
}
