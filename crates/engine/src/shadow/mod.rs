//! The shadow lane: a candidate policy tried beside real turns, where nobody can see it.
//!
//! When a turn is resolved, recorded and about to be answered, it is offered to the [`Lane`]. Few are drawn. Of one that
//! is, the lane's own thread is handed what the turn was chosen from, and the turn is answered; whether the thread has
//! begun, is stuck or is gone makes no difference to it. The lane has room for one turn and none waiting: while it is at
//! work, turns that are drawn are counted and passed over.
//!
//! - [`lane`] hands over, isolates, measures and records; the rules it follows are in [`ledger::shadow`];
//! - [`chart`] draws what came of it.

pub mod chart;
pub mod lane;

use std::sync::Arc;

use ledger::keys::Fingerprint;
use ledger::resolve::{Policy, Selection, select};
use ledger::shadow::{Day, Event, Frozen, PolicyName};
use ledger::time::Instant;
use ledger::turn::{Budget, Candidate, Triage, TurnRecord};

pub use lane::{Clock, Lane, LaneStatus};

use crate::Engine;

/// A policy on trial: a pure function of what a turn was chosen from. It may be slow, stall or panic; the lane holds it.
pub trait CandidatePolicy: Send + Sync {
    /// Its name.
    fn name(&self) -> PolicyName;

    /// Chooses. `overhead` is what the packet costs in tokens before its first item.
    fn select(&self, considered: &[Candidate], budget: Budget, overhead: u32) -> Selection;
}

/// A policy of this build.
struct BuiltIn {
    policy: Policy,
    name: PolicyName,
}

impl CandidatePolicy for BuiltIn {
    fn name(&self) -> PolicyName {
        self.name
    }

    fn select(&self, considered: &[Candidate], budget: Budget, overhead: u32) -> Selection {
        select(self.policy, considered, budget, overhead)
    }
}

/// The policy of this build called `name`; without a name the newest that is not the usual one. `None` where this build
/// has no such policy.
#[must_use]
pub fn built_in(name: Option<PolicyName>) -> Option<Arc<dyn CandidatePolicy>> {
    let named = |policy: &Policy| -> Option<BuiltIn> {
        Some(BuiltIn { policy: *policy, name: policy.name().parse().ok()? })
    };
    let suits = |one: &BuiltIn| name.map_or(one.policy != Policy::DEFAULT, |name| one.name == name);
    let found = Policy::ALL.iter().filter_map(named).filter(suits).max_by_key(|one| one.name)?;
    Some(Arc::new(found))
}

impl Engine {
    /// The same engine with a shadow lane beside its turns.
    #[must_use]
    pub fn with_shadow(mut self, lane: Lane) -> Self {
        self.shadow = Some(lane);
        self
    }

    /// The shadow lane; `None` where there is none.
    #[must_use]
    pub fn shadow(&self) -> Option<&Lane> {
        self.shadow.as_ref()
    }

    /// Offers a turn that is resolved and recorded. `key` is the turn's keyed mark, spread evenly, so it is the draw too:
    /// no randomness is needed, and nobody can choose words so that a turn is drawn.
    pub(crate) fn offer_to_shadow(&self, now: Instant, key: Fingerprint, record: TurnRecord) {
        let Some(lane) = &self.shadow else { return };
        let [draw @ .., _, _, _, _, _, _, _, _] = key.0;
        lane.offer(u64::from_le_bytes(draw), || {
            if record.triage != Triage::Retrieve {
                return Err(Event::SkippedNothingChosen);
            }
            Ok(Frozen {
                day: Day::of(now),
                standing: record.policy.parse().map_err(|_| Event::SkippedSamePolicy)?,
                overhead: self.overhead(record.candidates_cut),
                considered: record.candidates,
                selected: record.selected,
                budget: record.budget,
            })
        });
    }
}
