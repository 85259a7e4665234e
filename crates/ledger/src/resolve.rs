//! Resolution policies: which of the candidates a turn may see, and why not the others.
//!
//! A policy is a pure function of the candidates' features and the budget. The order is total (ties by id), every
//! candidate ends up selected or dropped with one reason, and a dispute enters whole or not at all.

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
}

impl Policy {
    /// The policy a turn uses unless it names one.
    pub const DEFAULT: Self = Self::Turn2;

    /// Every policy.
    pub const ALL: [Self; 2] = [Self::Turn1, Self::Turn2];

    /// Its name with its version.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turn1 => "turn/1",
            Self::Turn2 => "turn/2",
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
    }
    filling.finish()
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
    selected: Vec<(usize, Why)>,
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
        self.selected.iter().any(|(taken, _)| *taken == place)
    }

    /// Takes a candidate, together with everything it contradicts, if there is room for all of it below `slots`.
    fn take(&mut self, place: usize, why: Why, slots: u32, otherwise: DropReason) {
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
                    self.selected.push((member, if member == place { why } else { Why::Dispute }));
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

    fn finish(self) -> Selection {
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
            .map(|(place, why)| Selected { version: self.candidates[*place].version, why: *why })
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
        let one = (classes, any::<bool>(), 0..1_000_000_u32, 0..60_u32, proptest::option::of(0..4_u32));
        proptest::collection::vec(one, 0..40).prop_map(|all| {
            all.into_iter()
                .enumerate()
                .map(|(seq, (class, important, relevance, tokens, dispute))| Candidate {
                    tokens,
                    dispute,
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
