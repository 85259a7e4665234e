//! What a new claim or act changes: the runs of [`crate::settle`] compared with the versions that stand.
//!
//! Pure: the memory as it was, plus one cause already folded in, gives the transitions to append. Because history is
//! a function of the causes alone, the same code replays a log, checks a stored one, and works out what an erasure
//! leaves behind.

use crate::claim::{Claim, Op, Realm};
use crate::fact::{ActKind, Standing, Transition, TransitionKind};
use crate::id::{ClaimId, FactId, Position, SourceId, VersionId};
use crate::log::Row;
use crate::memory::{Fact, Memory, Version};
use crate::registry::Registry;
use crate::settle::{Run, settle};
use crate::time::{Instant, Span};

/// What a cause did to its fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adjudicated {
    /// The transitions to append, in order. May be empty: testimony that changes nothing is kept as a claim.
    pub transitions: Vec<Transition>,
    /// What the cause itself amounts to, in one word.
    pub effect: TransitionKind,
    /// The version the cause bears on, when there is one.
    pub version: Option<VersionId>,
}

/// Where transitions that are made now will stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The position the first of them gets; the others follow.
    pub next: Position,
    /// When this system begins to hold what they say.
    pub at: Instant,
}

/// Works out what `cause`, the last claim or act folded into `memory` for this fact, changes.
///
/// Returns `None` when the fact is unknown.
#[must_use]
pub fn adjudicate(memory: &Memory, fact: FactId, cause: Position, place: Place) -> Option<Adjudicated> {
    let fact = memory.fact(fact)?;
    let voices = Voices::of(memory, fact);
    let inputs = memory.inputs(fact, |position| position <= cause, |claim| voices.number(memory, claim));
    let runs = settle(&inputs);
    let pairs = pair(memory, fact, &runs);
    let claim = memory.claim(ClaimId(cause)).map(AsRef::as_ref);
    let mut changes = Changes { memory, fact, cause, place, made: Vec::new() };
    let ends_by = ending_kind(memory, claim, cause);

    let mut version_of_run: Vec<Option<VersionId>> = vec![None; runs.len()];
    for (version, run) in &pairs.matched {
        version_of_run[*run] = Some(version.id);
        changes.revise(version, &runs[*run], ends_by);
    }
    for version in &pairs.left_over {
        changes.retire(version, ends_by);
    }
    let newcomers: Vec<usize> = (0..runs.len()).filter(|run| version_of_run[*run].is_none()).collect();
    for run in newcomers {
        let kind = arrival(&runs, run, place.at, fact, memory, &changes.made);
        version_of_run[run] = Some(changes.open(&runs[run], kind));
    }
    changes.mark_contradicted(&runs, &version_of_run);
    changes.mark_resolved(&version_of_run, &runs);

    let own_run = claim.and_then(|_| {
        let holds = |run: &Run| run.claims.contains(&ClaimId(cause));
        runs.iter().position(|run| run.held && holds(run)).or_else(|| runs.iter().position(holds))
    });
    let version =
        own_run.and_then(|run| version_of_run[run]).or_else(|| changes.made.first().map(|made| made.version));
    let effect = effect(claim, own_run.map(|run| &runs[run]), version, &changes.made);
    Some(Adjudicated { transitions: changes.made, effect, version })
}

/// A fact's history told again.
pub struct Retold {
    /// The memory that holds this fact and nothing else.
    pub memory: Memory,
    /// The transitions, in order, each with the place it got.
    pub transitions: Vec<Transition>,
}

/// Tells a fact's history again from `causes`, one after another, each at the instant it was recorded.
///
/// With all of the fact's causes this gives the history that stands; with fewer, the one there would be had the others
/// never been said. The transitions are placed from `first` on.
#[must_use]
pub fn retell(
    memory: &Memory,
    registry: &Registry,
    fact: FactId,
    causes: &[Position],
    first: Position,
) -> Retold {
    let mut retold = Retold { memory: memory.begin_replay(fact, registry), transitions: Vec::new() };
    let mut next = first;
    for cause in causes {
        if let Some(claim) = memory.claim(ClaimId(*cause)) {
            retold.memory.apply_row(*cause, &Row::Claim(claim.clone()), registry);
        } else if let Some(act) = memory.act(*cause) {
            retold.memory.apply_row(*cause, &Row::Act(act.as_ref().clone()), registry);
        }
        let at = memory.recorded_when(cause.seq).unwrap_or_default();
        let Some(adjudicated) = adjudicate(&retold.memory, fact, *cause, Place { next, at }) else {
            continue;
        };
        for transition in adjudicated.transitions {
            retold.memory.apply_row(next, &Row::Transition(transition.clone()), registry);
            retold.transitions.push(transition);
            next.ordinal += 1;
        }
    }
    retold
}

/// The voices of a fact: the owner is one; in the world realm each lineage is one.
struct Voices {
    realm: Realm,
    lineages: Vec<SourceId>,
}

impl Voices {
    fn of(memory: &Memory, fact: &Fact) -> Self {
        let claims = || fact.causes.iter().filter_map(|cause| memory.claim(ClaimId(*cause)));
        let realm = claims().next().map_or(Realm::World, |claim| claim.realm);
        let mut lineages = Vec::new();
        if realm == Realm::World {
            for origin in claims().map(|claim| memory.origin(claim.source)) {
                if !lineages.contains(&origin) {
                    lineages.push(origin);
                }
            }
        }
        Self { realm, lineages }
    }

    fn number(&self, memory: &Memory, claim: &Claim) -> u32 {
        if self.realm == Realm::Owner {
            return 0;
        }
        let origin = memory.origin(claim.source);
        self.lineages.iter().position(|known| *known == origin).unwrap_or(0) as u32
    }
}

/// Which version continues as which run.
struct Pairs<'memory> {
    matched: Vec<(&'memory Version, usize)>,
    left_over: Vec<&'memory Version>,
}

/// Pairs versions with runs of the same value: those that share most claims first, then those that begin alike.
fn pair<'memory>(memory: &Memory, fact: &'memory Fact, runs: &[Run]) -> Pairs<'memory> {
    let mut offers: Vec<(usize, bool, usize, usize)> = Vec::new();
    for (number, version) in fact.versions.iter().enumerate() {
        let (Some(value), Some(state)) = (memory.version_value(fact, version), version.latest()) else {
            continue;
        };
        let supporting: Vec<ClaimId> = version.supporting(u64::MAX).collect();
        for (place, run) in runs.iter().enumerate().filter(|(_, run)| run.value == value) {
            let shared = run.claims.iter().filter(|claim| supporting.contains(claim)).count();
            if shared > 0 {
                offers.push((shared, run.span.from() == state.validity.from(), number, place));
            }
        }
    }
    offers.sort_by(|left, right| (right.0, right.1, left.2, left.3).cmp(&(left.0, left.1, right.2, right.3)));
    let mut matched: Vec<(usize, usize)> = Vec::new();
    for (_, _, number, place) in offers {
        if !matched.iter().any(|(taken, given)| *taken == number || *given == place) {
            matched.push((number, place));
        }
    }
    matched.sort_unstable();
    let left_over = fact
        .versions
        .iter()
        .enumerate()
        .filter(|(number, _)| !matched.iter().any(|(taken, _)| taken == number))
        .map(|(_, version)| version)
        .collect();
    Pairs {
        matched: matched.into_iter().map(|(number, place)| (&fact.versions[number], place)).collect(),
        left_over,
    }
}

/// The word for a version that ends because of this cause.
fn ending_kind(memory: &Memory, claim: Option<&Claim>, cause: Position) -> TransitionKind {
    match (claim, memory.act(cause).map(|act| &act.kind)) {
        (Some(claim), _) if claim.op == Op::Assert => TransitionKind::Supersede,
        (None, Some(ActKind::ResolveDispute { .. })) => TransitionKind::Resolve,
        _ => TransitionKind::Close,
    }
}

/// How a run that no version stands for comes in.
fn arrival(
    runs: &[Run],
    run: usize,
    recorded_at: Instant,
    fact: &Fact,
    memory: &Memory,
    made: &[Transition],
) -> TransitionKind {
    let new = &runs[run];
    if !new.held {
        return TransitionKind::History;
    }
    let others = || runs.iter().enumerate().filter(|(place, other)| *place != run && other.held);
    if others().any(|(_, other)| other.value != new.value && other.span.overlaps(&new.span)) {
        return TransitionKind::Dispute;
    }
    // Over already, and something came after it. A stay announced for next summer is not history, though it will end.
    let followed = |to| others().any(|(_, other)| other.span.from() >= to);
    if new.span.to().is_some_and(|to| to <= recorded_at && followed(to)) {
        return TransitionKind::History;
    }
    let before = fact
        .versions
        .iter()
        .filter_map(|version| version.latest().map(|state| (version, state)))
        .filter(|(_, state)| state.standing == Standing::Held && state.validity.from() < new.span.from())
        .max_by_key(|(_, state)| state.validity.from());
    match before {
        Some((version, _)) if memory.version_value(fact, version) == Some(new.value) => {
            TransitionKind::Reopen
        }
        _ if made.iter().any(|made| made.kind == TransitionKind::Supersede) => TransitionKind::Supersede,
        _ => TransitionKind::Open,
    }
}

/// What the cause amounts to, in one word.
fn effect(
    claim: Option<&Claim>,
    run: Option<&Run>,
    version: Option<VersionId>,
    made: &[Transition],
) -> TransitionKind {
    let of_version = || made.iter().find(|made| Some(made.version) == version);
    match claim.map(|claim| claim.op) {
        Some(Op::Retract) if made.is_empty() => TransitionKind::History,
        Some(Op::Retract) => TransitionKind::Close,
        Some(Op::Assert) if run.is_some_and(|run| !run.held) => TransitionKind::History,
        Some(Op::Assert) => of_version().map_or(TransitionKind::Confirm, |made| made.kind),
        None => made.first().map_or(TransitionKind::Confirm, |made| made.kind),
    }
}

/// The transitions of one cause, as they are made.
struct Changes<'memory> {
    memory: &'memory Memory,
    fact: &'memory Fact,
    cause: Position,
    place: Place,
    made: Vec<Transition>,
}

impl Changes<'_> {
    fn push(
        &mut self,
        version: VersionId,
        kind: TransitionKind,
        validity: Span,
        standing: Standing,
    ) -> &mut Transition {
        self.made.push(Transition {
            fact: self.fact.id,
            version,
            kind,
            cause: self.cause,
            at: self.place.at,
            validity,
            standing,
            attach: Vec::new(),
            detach: Vec::new(),
        });
        let last = self.made.len() - 1;
        &mut self.made[last]
    }

    /// The version goes on as `run`: said again, cut short, extended, moved, or back.
    fn revise(&mut self, version: &Version, run: &Run, ends_by: TransitionKind) {
        let Some(before) = version.latest().copied() else { return };
        let supporting: Vec<ClaimId> = version.supporting(u64::MAX).collect();
        let attach: Vec<ClaimId> =
            run.claims.iter().copied().filter(|claim| !supporting.contains(claim)).collect();
        let detach: Vec<ClaimId> =
            supporting.iter().copied().filter(|claim| !run.claims.contains(claim)).collect();
        let standing = if run.held { Standing::Held } else { Standing::Retired };
        if attach.is_empty()
            && detach.is_empty()
            && before.validity == run.span
            && before.standing == standing
        {
            return;
        }
        let own_claim = attach.contains(&ClaimId(self.cause));
        let kind = match (before.standing, standing) {
            (Standing::Held, Standing::Retired) => ends_by,
            (Standing::Retired, Standing::Held) => TransitionKind::Reopen,
            _ => match (before.validity.to(), run.span.to()) {
                (Some(_), None) => TransitionKind::Reopen,
                (Some(before), Some(now)) if now > before => TransitionKind::Reopen,
                (None, Some(_)) if !own_claim => ends_by,
                (Some(before), Some(now)) if now < before && !own_claim => ends_by,
                _ if own_claim => TransitionKind::Confirm,
                _ => TransitionKind::History,
            },
        };
        let transition = self.push(version.id, kind, run.span, standing);
        transition.attach = attach;
        transition.detach = detach;
    }

    /// No run continues the version: its claims went to others.
    fn retire(&mut self, version: &Version, ends_by: TransitionKind) {
        let Some(before) = version.latest().copied() else { return };
        let detach: Vec<ClaimId> = version.supporting(u64::MAX).collect();
        if before.standing == Standing::Retired && detach.is_empty() {
            return;
        }
        self.push(version.id, ends_by, before.validity, Standing::Retired).detach = detach;
    }

    fn open(&mut self, run: &Run, kind: TransitionKind) -> VersionId {
        let standing = if run.held { Standing::Held } else { Standing::Retired };
        let place = Position::new(self.place.next.seq, self.place.next.ordinal + self.made.len() as u32);
        let version = VersionId(place);
        self.push(version, kind, run.span, standing).attach = run.claims.clone();
        version
    }

    /// A value that stood alone until this cause contradicted it says so in its own history.
    fn mark_contradicted(&mut self, runs: &[Run], version_of_run: &[Option<VersionId>]) {
        let disputed: Vec<VersionId> = self
            .made
            .iter()
            .filter(|made| made.kind == TransitionKind::Dispute)
            .map(|made| made.version)
            .collect();
        for (place, run) in runs.iter().enumerate().filter(|(_, run)| run.held) {
            let Some(version) = version_of_run[place] else { continue };
            let contradicts = runs.iter().enumerate().any(|(other, with)| {
                version_of_run[other].is_some_and(|other| disputed.contains(&other))
                    && with.value != run.value
                    && with.span.overlaps(&run.span)
            });
            if contradicts
                && !disputed.contains(&version)
                && !self.made.iter().any(|made| made.version == version)
            {
                self.push(version, TransitionKind::Dispute, run.span, Standing::Held);
            }
        }
    }

    /// The value an act decided for says so in its own history.
    fn mark_resolved(&mut self, version_of_run: &[Option<VersionId>], runs: &[Run]) {
        let Some(act) = self.memory.act(self.cause) else { return };
        let ActKind::ResolveDispute { keep, .. } = &act.kind else { return };
        // A claim may hold in several stretches; decided was on the one in dispute.
        let kept = runs.iter().position(|run| {
            run.held && run.span.contains(act.at) && run.claims.iter().any(|claim| keep.contains(claim))
        });
        let Some((run, version)) =
            kept.and_then(|place| version_of_run[place].map(|version| (&runs[place], version)))
        else {
            return;
        };
        if !self.made.iter().any(|made| made.version == version) {
            self.push(version, TransitionKind::Resolve, run.span, Standing::Held);
        }
        // The kept value leads, so that the act is told by what it decided for.
        self.made.sort_by_key(|made| made.version != version);
    }
}
