//! Resolution policies: which of the candidates a turn may see, and why not the others.
//!
//! A policy is a pure function of the candidates' features and the budget. The order is total (ties by id), every
//! candidate ends up selected or dropped with one reason, and a dispute enters whole or not at all.
//!
//! Numbers are whole numbers throughout, so that a selection comes out the same on every machine.

use std::cmp::Reverse;

use crate::registry::Class;
use crate::turn::{Budget, Candidate, DropReason, Dropped, Selected, Why};

/// A named, versioned policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Relevance plus a fixed bonus for identity, constraint and preference; fill the slots.
    Turn1,
    /// Up to eight that match the request and at most four that matter in general; unused room for the more relevant.
    Turn2,
    /// What must be kept to, then what matches well enough to be worth its place; nothing only because there is room.
    /// Its numbers are [`TURN_3`].
    Turn3,
}

impl Policy {
    /// The policy a turn uses unless it names one, and none was promoted.
    pub const DEFAULT: Self = Self::Turn2;

    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Turn1, Self::Turn2, Self::Turn3];

    /// Its name with its version.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turn1 => "turn/1",
            Self::Turn2 => "turn/2",
            Self::Turn3 => "turn/3",
        }
    }

    /// What it does, in one sentence.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Turn1 => {
                "relevance plus a fixed bonus for identity, constraint and preference; fills every slot"
            }
            Self::Turn2 => {
                "up to eight that match, at most four that matter in general; room goes to more that match"
            }
            Self::Turn3 => {
                "what must be kept to, then what matches above a floor, without repeats; room may stay empty"
            }
        }
    }

    /// The policy of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }
}

/// What a policy chose.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Chosen, in the order of the packet.
    pub selected: Vec<Selected>,
    /// Not chosen, in the order of the candidates, each with its reason.
    pub dropped: Vec<Dropped>,
}

/// In turn/1, what being of a favoured class is worth: as much as matching the request perfectly.
const CLASS_BONUS: u32 = 1_000_000;

/// Applies `policy`.
///
/// `overhead` is what the packet costs in tokens before its first item.
#[must_use]
pub fn select(policy: Policy, candidates: &[Candidate], budget: Budget, overhead: u32) -> Selection {
    let mut filling = Filling::new(candidates, budget, overhead);
    match policy {
        Policy::Turn1 => turn_1(&mut filling),
        Policy::Turn2 => turn_2(&mut filling),
        Policy::Turn3 => turn_3(&mut filling, &TURN_3),
    }
    filling.finish()
}

/// The numbers of turn/3. Relevance is in millionths, shares in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn3 {
    /// Candidates that match the request, at most.
    pub matches_max: u32,
    /// Candidates that matter in general, at most. They come before matches where room is short.
    pub important_max: u32,
    /// The share of the packet's tokens that those may take before the best match has its own.
    pub important_tokens_share: u32,
    /// Notes and preferences among the matches, at most.
    pub entries_max: u32,
    /// Tokens of those together, at most.
    pub entries_tokens_max: u32,
    /// Candidates about what a selected relation leads to, at most.
    pub related_max: u32,
    /// From this relevance on a match is strong, even if the request does not name what it is about.
    pub strong: u32,
    /// Below this relevance a match that the request does not name is no match.
    pub floor: u32,
    /// The same for a match the request names: naming alone is most of the evidence, so little is asked besides.
    pub floor_named: u32,
    /// Beside a strong match one that is not strong must come near it: this share of the best one's worth, or of what makes
    /// a match strong where that is more.
    pub weak_share: u32,
    /// Matches that are not strong, at most.
    pub weak_max: u32,
    /// What a match said today is worth more, in thousandths of its relevance.
    pub recency: u32,
    /// After this many days half of that is left.
    pub recency_half_days: u32,
    /// What each further lineage adds, for at most three.
    pub support: u32,
    /// What is taken off a match that is disputed.
    pub dispute: u32,
    /// What is taken off a match that rests on other words than the owner's.
    pub others_words: u32,
    /// Matches on other words than the owner's, at most, where one on the owner's own words stands.
    pub others_max: u32,
    /// What is taken off for each candidate already selected that answers the same question.
    pub same_question: u32,
}

/// turn/3 as it stands. A changed number is another policy and takes another name.
pub const TURN_3: Turn3 = Turn3 {
    matches_max: 8,
    important_max: 4,
    important_tokens_share: 500,
    entries_max: 5,
    entries_tokens_max: 500,
    related_max: 4,
    strong: 500_000,
    floor: 200_000,
    floor_named: 30_000,
    weak_share: 700,
    weak_max: 3,
    recency: 100,
    recency_half_days: 180,
    support: 30,
    dispute: 50,
    others_words: 100,
    others_max: 4,
    same_question: 100,
};

/// How a candidate is relevant, the better before the worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Relevance {
    /// A step of the way a deep turn walked.
    Walked,
    /// It is what the caller said the turn is about.
    Hinted,
    /// The request names it, or it answers much of the request.
    Strong,
    /// It answers a part of the request.
    Weak,
    /// It is about what a relation leads to.
    Related,
    /// It matches too little to say so.
    BelowFloor,
    /// It does not match.
    None,
}

impl Turn3 {
    fn relevance(&self, candidate: &Candidate) -> Relevance {
        let features = &candidate.features;
        match candidate.relevance {
            0 if features.hop.is_some() => Relevance::Related,
            0 => Relevance::None,
            _ if features.hop.is_some() => Relevance::Walked,
            _ if features.hinted >= self.floor => Relevance::Hinted,
            found if found >= self.strong => Relevance::Strong,
            found if features.named && found >= self.floor_named => Relevance::Strong,
            found if found >= self.floor => Relevance::Weak,
            _ => Relevance::BelowFloor,
        }
    }

    /// Relevance with what else speaks for a candidate or against it, in thousandths of millionths.
    fn worth(&self, candidate: &Candidate) -> u64 {
        let half = u64::from(self.recency_half_days.max(1));
        let recency = u64::from(self.recency) * half / (half + u64::from(candidate.features.age_days));
        let support = u64::from(self.support) * u64::from(candidate.support.saturating_sub(1).min(3));
        let dispute = if candidate.dispute.is_some() { u64::from(self.dispute) } else { 0 };
        let others = if candidate.class == Class::World { u64::from(self.others_words) } else { 0 };
        u64::from(candidate.relevance) * (1_000 + recency + support).saturating_sub(dispute + others)
    }
}

/// First what must be kept to, within half of the tokens; then matches one by one, each time the one worth most beside
/// those that are in; then the rest of what matters. The packet shows matches first.
fn turn_3(filling: &mut Filling<'_>, numbers: &Turn3) {
    let slots = filling.budget.slots;
    let kind = |candidate: &Candidate| numbers.relevance(candidate);

    let mut important = filling.places(|candidate| candidate.important);
    let strength = |candidate: &Candidate| match kind(candidate) {
        Relevance::Walked | Relevance::Hinted | Relevance::Strong => numbers.worth(candidate),
        _ => 0,
    };
    important
        .sort_by_key(|(_, candidate)| (Reverse(strength(candidate)), candidate.class, candidate.version));
    let reserved = numbers.important_max.min(slots);
    let tokens = u64::from(filling.tokens_left.unwrap_or(0));
    let early_max = (tokens * u64::from(numbers.important_tokens_share) / 1_000) as u32;
    let mut early = 0;
    let mut late = Vec::new();
    for (place, candidate) in important {
        let is_match = strength(candidate) > 0;
        let (why, part) = if is_match { (why_of(kind(candidate)), 1) } else { (Why::Important, 3) };
        if filling.taken() + late.len() as u32 >= reserved {
            filling.refuse(place, DropReason::ImportantBudget);
        } else if early + candidate.tokens <= early_max {
            early += candidate.tokens;
            filling.take_as(place, why, reserved, DropReason::ImportantBudget, part);
        } else {
            late.push(place);
        }
    }

    let matching = filling.places(|candidate| {
        matches!(kind(candidate), Relevance::Walked | Relevance::Hinted | Relevance::Strong | Relevance::Weak)
    });
    // What waits for the end keeps its slots.
    let limit = (filling.taken() + numbers.matches_max).min(slots - late.len() as u32);
    let mut matching: Vec<usize> = matching.into_iter().map(|(place, _)| place).collect();
    let mut entries = Entries { numbers, count: 0, tokens: 0 };
    let (mut best, mut weak) = (0, 0);
    let strong = u64::from(numbers.strong) * 1_000;
    let (mut own, mut others) = (false, 0);
    while let Some(next) = (0..matching.len()).max_by_key(|at| {
        let candidate = &filling.candidates[matching[*at]];
        let is_weak = kind(candidate) == Relevance::Weak;
        (Reverse(is_weak), filling.worth(numbers, matching[*at]), Reverse(candidate.version))
    }) {
        let place = matching.remove(next);
        let candidate = &filling.candidates[place];
        if filling.is_taken(place) {
            best = best.max(numbers.worth(candidate));
            continue;
        }
        let worth = filling.worth(numbers, place);
        let is_weak = kind(candidate) == Relevance::Weak;
        let refusal = match () {
            () if filling.repeats_taken(place) => Some(DropReason::Repeats),
            () if is_weak && weak >= numbers.weak_max => Some(DropReason::BelowFloor),
            () if is_weak && best > 0 && worth * 1_000 < best.max(strong) * u64::from(numbers.weak_share) => {
                Some(DropReason::BelowFloor)
            }
            () if own && candidate.class == Class::World && others >= numbers.others_max => {
                Some(DropReason::SlotBudget)
            }
            () if !entries.has_room(candidate) => Some(DropReason::EntryCap),
            () => None,
        };
        if let Some(reason) = refusal {
            filling.refuse(place, reason);
            continue;
        }
        filling.take_as(place, why_of(kind(candidate)), limit, DropReason::SlotBudget, 2);
        if filling.is_taken(place) {
            best = best.max(if is_weak { 0 } else { numbers.worth(candidate) });
            own |= candidate.class != Class::World;
            others += u32::from(candidate.class == Class::World);
            weak += u32::from(is_weak);
            entries.add(candidate);
        }
    }

    for place in late {
        filling.take_as(place, Why::Important, slots, DropReason::ImportantBudget, 3);
    }
    let related = filling.places(|candidate| kind(candidate) == Relevance::Related);
    let limit = slots.min(filling.taken() + numbers.related_max);
    for (place, candidate) in related {
        // What a relation leads to is worth showing only beside a relation that is shown because it fits well.
        let relation = candidate.features.led_from.map(|from| from as usize);
        let fits = relation.is_some_and(|from| {
            let known = filling.candidates.get(from);
            known.is_some_and(|known| kind(known) < Relevance::Weak) && filling.is_taken(from)
        });
        if !fits {
            filling.refuse(place, DropReason::NotRelevant);
            continue;
        }
        if filling.repeats_taken(place) {
            filling.refuse(place, DropReason::Repeats);
            continue;
        }
        filling.take_as(place, Why::Related, limit, DropReason::SlotBudget, 2);
    }
    for (place, _) in filling.places(|candidate| kind(candidate) == Relevance::BelowFloor) {
        if !filling.is_taken(place) && filling.reasons[place].is_none() {
            filling.refuse(place, DropReason::BelowFloor);
        }
    }
}

fn why_of(relevance: Relevance) -> Why {
    match relevance {
        Relevance::Walked => Why::Hop,
        Relevance::Hinted => Why::Hinted,
        _ => Why::Matches,
    }
}

/// Notes and preferences among the matches, counted against their cap.
struct Entries<'policy> {
    numbers: &'policy Turn3,
    count: u32,
    tokens: u32,
}

impl Entries<'_> {
    fn is_entry(candidate: &Candidate) -> bool {
        matches!(candidate.class, Class::Note | Class::Preference)
    }

    fn has_room(&self, candidate: &Candidate) -> bool {
        let fits = self.count < self.numbers.entries_max
            && self.tokens + candidate.tokens <= self.numbers.entries_tokens_max;
        // The first is never kept out for its length alone: the packet's budget decides on that.
        !Self::is_entry(candidate) || fits || self.count == 0
    }

    fn add(&mut self, candidate: &Candidate) {
        if Self::is_entry(candidate) {
            self.count += 1;
            self.tokens += candidate.tokens;
        }
    }
}

fn turn_1(filling: &mut Filling<'_>) {
    let bonus = |candidate: &Candidate| match candidate.class {
        Class::Identity | Class::Constraint | Class::Preference => CLASS_BONUS,
        _ => 0,
    };
    let mut order = filling.places(|candidate| candidate.relevance > 0 || bonus(candidate) > 0);
    order.sort_by_key(|(_, candidate)| (Reverse(candidate.relevance + bonus(candidate)), candidate.version));
    for (place, candidate) in order {
        let why = if candidate.relevance > 0 { Why::Matches } else { Why::Bonus };
        filling.take(place, why, filling.budget.slots, DropReason::SlotBudget);
    }
}

fn turn_2(filling: &mut Filling<'_>) {
    // Twelve slots are eight and four; a smaller budget keeps the proportion.
    let for_important = filling.budget.slots.div_ceil(3).min(4);
    let for_matches = filling.budget.slots - for_important;

    let mut matching = filling.places(|candidate| candidate.relevance > 0);
    matching.sort_by_key(|(_, candidate)| (Reverse(candidate.relevance), candidate.version));
    let mut important = filling.places(|candidate| candidate.relevance == 0 && candidate.important);
    important.sort_by_key(|(_, candidate)| (candidate.class, candidate.version));

    for (place, _) in &matching {
        filling.take(*place, Why::Matches, for_matches, DropReason::SlotBudget);
    }
    let taken = filling.taken();
    for (place, _) in &important {
        filling.take(*place, Why::Important, taken + for_important, DropReason::ImportantBudget);
    }
    for (place, _) in &matching {
        filling.take(*place, Why::Room, filling.budget.slots, DropReason::SlotBudget);
    }
}

/// A selection being filled.
struct Filling<'turn> {
    candidates: &'turn [Candidate],
    budget: Budget,
    /// `None` when even the empty packet does not fit.
    tokens_left: Option<u32>,
    /// What was taken, in the order it was, with its part of the packet; the lower part comes first.
    selected: Vec<(usize, Why, u8)>,
    reasons: Vec<Option<DropReason>>,
}

impl<'turn> Filling<'turn> {
    fn new(candidates: &'turn [Candidate], budget: Budget, overhead: u32) -> Self {
        Self {
            candidates,
            budget,
            tokens_left: budget.tokens.checked_sub(overhead),
            selected: Vec::new(),
            reasons: vec![None; candidates.len()],
        }
    }

    fn places(&self, suits: impl Fn(&Candidate) -> bool) -> Vec<(usize, &'turn Candidate)> {
        self.candidates.iter().enumerate().filter(|(_, candidate)| suits(candidate)).collect()
    }

    fn taken(&self) -> u32 {
        self.selected.len() as u32
    }

    fn is_taken(&self, place: usize) -> bool {
        self.selected.iter().any(|(taken, ..)| *taken == place)
    }

    /// Whether one that was taken says nearly the same. Sides of a dispute never repeat each other.
    fn repeats_taken(&self, place: usize) -> bool {
        let candidate = &self.candidates[place];
        let twins = |other: usize| {
            let repeated = self.candidates[other].features.repeats.map_or(other, |first| first as usize);
            let first = candidate.features.repeats.map_or(place, |first| first as usize);
            repeated == first
        };
        candidate.dispute.is_none()
            && self.selected.iter().any(|(taken, ..)| *taken != place && twins(*taken))
    }

    /// What a candidate is worth beside those that were taken.
    fn worth(&self, numbers: &Turn3, place: usize) -> u64 {
        let candidate = &self.candidates[place];
        let same = self.selected.iter().filter(|(taken, ..)| {
            *taken != place && self.candidates[*taken].features.about == candidate.features.about
        });
        let less = u64::from(numbers.same_question) * same.count() as u64;
        numbers.worth(candidate) / 1_000 * 1_000_u64.saturating_sub(less)
    }

    fn refuse(&mut self, place: usize, reason: DropReason) {
        self.reasons[place] = Some(reason);
    }

    /// Takes a candidate, together with everything it contradicts, if there is room for all of it below `slots`.
    fn take(&mut self, place: usize, why: Why, slots: u32, otherwise: DropReason) {
        // What a deep turn found by walking is shown as that, whatever the policy.
        let why = if self.candidates[place].features.hop.is_some() { Why::Hop } else { why };
        self.take_as(place, why, slots, otherwise, 0);
    }

    fn take_as(&mut self, place: usize, why: Why, slots: u32, otherwise: DropReason, part: u8) {
        if self.is_taken(place) {
            return;
        }
        let group = self.group(place);
        let tokens: u32 = group.iter().map(|member| self.candidates[*member].tokens).sum();
        let fits = self.taken() + group.len() as u32 <= slots;
        let left = self.tokens_left.and_then(|left| left.checked_sub(tokens));
        let reason = match left {
            Some(left) if fits => {
                self.tokens_left = Some(left);
                for member in group {
                    self.reasons[member] = None;
                    self.selected.push((member, if member == place { why } else { Why::Dispute }, part));
                }
                return;
            }
            _ if fits => DropReason::TokenBudget,
            _ if group.len() > 1 && self.taken() < slots => DropReason::DisputeNotWhole,
            _ => otherwise,
        };
        for member in group {
            self.reasons[member] = Some(reason);
        }
    }

    /// The candidate itself first, then the others of its dispute.
    fn group(&self, place: usize) -> Vec<usize> {
        let mut group = vec![place];
        if let Some(dispute) = self.candidates[place].dispute {
            let others = self
                .candidates
                .iter()
                .enumerate()
                .filter(|(other, candidate)| *other != place && candidate.dispute == Some(dispute));
            group.extend(others.map(|(other, _)| other));
        }
        group
    }

    fn finish(mut self) -> Selection {
        self.selected.sort_by_key(|(.., part)| *part);
        let dropped = self
            .candidates
            .iter()
            .enumerate()
            .filter(|(place, _)| !self.is_taken(*place))
            .map(|(place, candidate)| Dropped {
                version: candidate.version,
                reason: self.reasons[place].unwrap_or(DropReason::NotRelevant),
            })
            .collect();
        let selected = self
            .selected
            .iter()
            .map(|(place, why, _)| Selected { version: self.candidates[*place].version, why: *why })
            .collect();
        Selection { selected, dropped }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::id::{Position, VersionId};
    use crate::time::Instant;
    use crate::turn::Features;

    fn candidate(seq: u64, class: Class, important: bool, relevance: u32) -> Candidate {
        Candidate {
            version: VersionId(Position::new(seq, 0)),
            class,
            important,
            relevance,
            tokens: 20,
            support: 1,
            dispute: None,
            confirmed_at: Instant::default(),
            features: Features { about: seq as u32, ..Features::default() },
        }
    }

    /// One project fact, one identity, three constraints, eight unrelated preferences; the request names the project.
    fn alpha() -> Vec<Candidate> {
        let mut candidates =
            vec![candidate(1, Class::Project, false, 700_000), candidate(2, Class::Identity, true, 0)];
        candidates.extend((3..6).map(|seq| candidate(seq, Class::Constraint, true, 0)));
        candidates.extend((6..14).map(|seq| candidate(seq, Class::Preference, false, 0)));
        candidates
    }

    fn numbers(selection: &Selection) -> Vec<u64> {
        selection.selected.iter().map(|selected| selected.version.0.seq).collect()
    }

    #[test]
    fn turn_1_loses_the_project_fact() {
        let selection = select(Policy::Turn1, &alpha(), Budget::default(), 0);
        assert_eq!(numbers(&selection), (2..14).collect::<Vec<u64>>());
        assert_eq!(selection.dropped.len(), 1);
        assert_eq!(selection.dropped[0].reason, DropReason::SlotBudget);
    }

    #[test]
    fn turn_2_selects_exactly_five() {
        let selection = select(Policy::Turn2, &alpha(), Budget::default(), 0);
        assert_eq!(numbers(&selection), [1, 2, 3, 4, 5]);
        assert!(selection.dropped.iter().all(|dropped| dropped.reason == DropReason::NotRelevant));
    }

    #[test]
    fn turn_3_selects_the_same_five() {
        let selection = select(Policy::Turn3, &alpha(), Budget::default(), 0);
        assert_eq!(numbers(&selection), [1, 2, 3, 4, 5]);
        assert!(selection.dropped.iter().all(|dropped| dropped.reason == DropReason::NotRelevant));
    }

    fn reasons(selection: &Selection) -> Vec<(u64, DropReason)> {
        selection.dropped.iter().map(|dropped| (dropped.version.0.seq, dropped.reason)).collect()
    }

    #[test]
    fn turn_3_leaves_room_empty_rather_than_show_what_hardly_matches() {
        let mut candidates: Vec<Candidate> =
            (2..=12).map(|seq| candidate(seq, Class::Project, false, 90_000)).collect();
        candidates.insert(0, candidate(1, Class::Project, false, 60_000));
        candidates[0].features.named = true;
        let selection = select(Policy::Turn3, &candidates, Budget::default(), 0);
        assert_eq!(numbers(&selection), [1], "only what the request names");
        assert!(selection.dropped.iter().all(|dropped| dropped.reason == DropReason::BelowFloor));
        assert_eq!(select(Policy::Turn2, &candidates, Budget::default(), 0).selected.len(), 12);
    }

    #[test]
    fn turn_3_shows_weak_matches_only_beside_nothing_better() {
        let weak: Vec<Candidate> =
            (2..=9).map(|seq| candidate(seq, Class::Project, false, 300_000 - seq as u32)).collect();
        let alone = select(Policy::Turn3, &weak, Budget::default(), 0);
        assert_eq!(numbers(&alone), [2, 3, 4]);
        let mut beside = weak;
        beside.insert(0, candidate(1, Class::Project, false, 800_000));
        assert_eq!(numbers(&select(Policy::Turn3, &beside, Budget::default(), 0)), [1]);
    }

    #[test]
    fn turn_3_says_a_thing_once() {
        let mut candidates: Vec<Candidate> =
            (1..=6).map(|seq| candidate(seq, Class::Project, false, 900_000 - 10 * seq as u32)).collect();
        for other in &mut candidates[1..5] {
            other.features.repeats = Some(0);
        }
        let selection = select(Policy::Turn3, &candidates, Budget::default(), 0);
        assert_eq!(numbers(&selection), [1, 6]);
        assert!(reasons(&selection).iter().all(|(_, reason)| *reason == DropReason::Repeats));
        // The sides of a dispute are alike, and both are shown.
        candidates[0].dispute = Some(0);
        candidates[1].dispute = Some(0);
        // A third that says what one side says, and is not in dispute, is worth more than that side.
        assert_eq!(numbers(&select(Policy::Turn3, &candidates, Budget::default(), 0)), [3, 6, 1, 2]);
    }

    #[test]
    fn turn_3_caps_notes_and_preferences() {
        let mut candidates: Vec<Candidate> =
            (1..=7).map(|seq| candidate(seq, Class::Note, false, 900_000 - seq as u32)).collect();
        candidates.push(candidate(8, Class::Project, false, 500_000));
        let selection = select(Policy::Turn3, &candidates, Budget::default(), 0);
        assert_eq!(numbers(&selection), [1, 2, 3, 4, 5, 8]);
        assert_eq!(reasons(&selection), [(6, DropReason::EntryCap), (7, DropReason::EntryCap)]);
        for long in &mut candidates[1..] {
            long.tokens = 300;
        }
        let selection = select(Policy::Turn3, &candidates, Budget::default(), 0);
        assert_eq!(numbers(&selection), [1, 2, 8], "500 tokens of entries, whatever their number");
    }

    #[test]
    fn turn_3_keeps_what_must_be_kept_to_where_room_is_short() {
        let mut candidates = alpha();
        candidates[3].relevance = 900_000;
        let two = select(Policy::Turn3, &candidates, Budget { slots: 2, tokens: 1_200 }, 0);
        assert_eq!(numbers(&two), [4, 2], "the rule that matches, then the name");
        let none = select(Policy::Turn3, &candidates, Budget { slots: 0, tokens: 1_200 }, 0);
        assert!(none.selected.is_empty());
        // Half of the tokens for them, then the best match.
        let narrow = select(Policy::Turn3, &alpha(), Budget { slots: 12, tokens: 60 }, 0);
        assert_eq!(numbers(&narrow), [1, 2, 3]);
    }

    #[test]
    fn turn_3_prefers_what_is_recent_and_supported_among_likes() {
        let mut candidates: Vec<Candidate> =
            (1..=3).map(|seq| candidate(seq, Class::Project, false, 600_000)).collect();
        candidates[0].features.age_days = 900;
        candidates[1].support = 3;
        let selection = select(Policy::Turn3, &candidates, Budget::default(), 0);
        assert_eq!(numbers(&selection), [2, 3, 1]);
    }

    #[test]
    fn turn_3_keeps_documents_from_crowding_out_the_owner() {
        let mut candidates: Vec<Candidate> =
            (1..=10).map(|seq| candidate(seq, Class::World, false, 900_000 - seq as u32)).collect();
        assert_eq!(select(Policy::Turn3, &candidates, Budget::default(), 0).selected.len(), 8);
        candidates.push(candidate(11, Class::Project, false, 850_000));
        let selection = select(Policy::Turn3, &candidates, Budget::default(), 0);
        assert_eq!(numbers(&selection), [11, 1, 2, 3, 4], "worth more in the owner's own words");
    }

    #[test]
    fn turn_3_takes_along_what_a_relation_leads_to() {
        let mut candidates = vec![candidate(1, Class::Relationship, false, 600_000)];
        candidates.extend((2..=8).map(|seq| candidate(seq, Class::Identity, false, 0)));
        for related in &mut candidates[1..] {
            related.features.hop = Some(1);
            related.features.led_from = Some(0);
        }
        let selection = select(Policy::Turn3, &candidates, Budget::default(), 0);
        assert_eq!(numbers(&selection), [1, 2, 3, 4, 5]);
        assert_eq!(selection.selected[1].why, Why::Related);
        assert_eq!(numbers(&select(Policy::Turn2, &candidates, Budget::default(), 0)), [1]);
    }

    #[test]
    fn what_a_deep_turn_walked_is_shown_as_that_by_every_policy() {
        let mut candidates = vec![candidate(1, Class::World, false, 950_000)];
        candidates[0].features.hop = Some(2);
        for policy in Policy::ALL {
            let selection = select(policy, &candidates, Budget::default(), 0);
            assert_eq!(selection.selected[0].why, Why::Hop, "{}", policy.name());
        }
    }

    #[test]
    fn a_dispute_enters_whole_or_not_at_all() {
        let mut candidates: Vec<Candidate> =
            (1..=8).map(|seq| candidate(seq, Class::World, false, 900_000 - seq as u32)).collect();
        candidates[6].dispute = Some(1);
        candidates[7].dispute = Some(1);
        let tight = Budget { slots: 12, tokens: 7 * 20 };
        let selection = select(Policy::Turn2, &candidates, tight, 0);
        assert_eq!(numbers(&selection), [1, 2, 3, 4, 5, 6]);
        assert!(selection.dropped.iter().all(|dropped| dropped.reason == DropReason::TokenBudget));
        let roomy = select(Policy::Turn2, &candidates, Budget::default(), 0);
        assert_eq!(numbers(&roomy), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    fn any_candidates() -> impl Strategy<Value = Vec<Candidate>> {
        let classes = prop_oneof![
            Just(Class::Identity),
            Just(Class::Constraint),
            Just(Class::Preference),
            Just(Class::Project),
            Just(Class::World)
        ];
        let features =
            (any::<bool>(), 0..1_000_000_u32, 0..9_u32, proptest::option::of(0..6_u32), 0..2_000_u32)
                .prop_map(|(named, hinted, about, repeats, age_days)| Features {
                    named,
                    hinted: hinted.saturating_sub(700_000),
                    about,
                    repeats,
                    age_days,
                    hop: (about == 8).then_some(1),
                    led_from: (about == 8).then_some(0),
                    ..Features::default()
                });
        let dispute = proptest::option::of(0..4_u32);
        let one = (classes, any::<bool>(), 0..1_000_000_u32, 0..60_u32, dispute, features);
        proptest::collection::vec(one, 0..40).prop_map(|all| {
            all.into_iter()
                .enumerate()
                .map(|(seq, (class, important, relevance, tokens, dispute, features))| Candidate {
                    tokens,
                    dispute,
                    features: Features {
                        // Only an earlier one can be repeated.
                        repeats: features.repeats.filter(|first| (*first as usize) < seq),
                        ..features
                    },
                    ..candidate(seq as u64 + 1, class, important, relevance.saturating_sub(400_000))
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn every_candidate_is_selected_or_dropped_once_and_budgets_hold(
            candidates in any_candidates(), slots in 0..=12_u32, tokens in 0..600_u32, overhead in 0..50_u32,
        ) {
            for policy in Policy::ALL {
                let budget = Budget { slots, tokens };
                let selection = select(policy, &candidates, budget, overhead);
                let mut all: Vec<u64> = numbers(&selection);
                all.extend(selection.dropped.iter().map(|dropped| dropped.version.0.seq));
                all.sort_unstable();
                prop_assert_eq!(all, (1..=candidates.len() as u64).collect::<Vec<_>>());
                prop_assert!(selection.selected.len() as u32 <= slots);
                let chosen: Vec<&Candidate> = candidates
                    .iter()
                    .filter(|candidate| selection.selected.iter().any(|one| one.version == candidate.version))
                    .collect();
                let spent: u32 = chosen.iter().map(|candidate| candidate.tokens).sum();
                prop_assert!(chosen.is_empty() || spent + overhead <= tokens);
                for candidate in &chosen {
                    if let Some(group) = candidate.dispute {
                        let whole = candidates.iter().filter(|other| other.dispute == Some(group)).count();
                        let entered = chosen.iter().filter(|other| other.dispute == Some(group)).count();
                        prop_assert_eq!(whole, entered);
                    }
                }
                prop_assert_eq!(&selection, &select(policy, &candidates, budget, overhead));
            }
        }
    }
}
