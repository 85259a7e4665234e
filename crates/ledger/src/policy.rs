//! Which policy a deployment uses, and how that came to be: an append-only list of acts.
//!
//! A policy is promoted on evidence and rolled back in one step, and both are recorded with a reason and by whom. The
//! last act says which policy a turn uses; without any it is [`Policy::DEFAULT`].

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::resolve::Policy;
use crate::source::words;
use crate::time::Instant;

words! {
    /// What was done to the policy in force.
    PolicyDeed {
        /// Another was put in its place.
        Promote = "promote",
        /// The one before came back.
        Rollback = "rollback",
    }
}

/// One recorded act.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PolicyAct {
    /// What was done.
    pub deed: PolicyDeed,
    /// The policy that was in force, by name.
    pub from: String,
    /// The policy that is in force since, by name.
    pub to: String,
    /// Why; 1 to [`PolicyAct::REASON_BYTES_MAX`] bytes.
    pub reason: String,
    /// By whom; 1 to [`PolicyAct::BY_BYTES_MAX`] bytes.
    pub by: String,
    /// When.
    pub at: Instant,
}

impl PolicyAct {
    /// The longest reason, in bytes.
    pub const REASON_BYTES_MAX: usize = 2_000;
    /// The longest name of whoever acted, in bytes.
    pub const BY_BYTES_MAX: usize = 200;
}

/// Why an act cannot be done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PolicyRefusal {
    /// It is in force already.
    #[error("`{0}` is in force already")]
    InForce(String),
    /// Nothing was promoted, or everything was rolled back.
    #[error("`{0}` is what a deployment begins with; there is nothing to roll back to")]
    NothingBefore(String),
    /// No reason, or too long a one; or nobody who acts.
    #[error("{what} needs 1 to {max} bytes, not {bytes}")]
    Length {
        /// What.
        what: &'static str,
        /// Its bytes.
        bytes: usize,
        /// The most.
        max: usize,
    },
}

/// The policy in force after `acts`.
#[must_use]
pub fn in_force(acts: &[PolicyAct]) -> String {
    acts.last().map_or_else(|| Policy::DEFAULT.name().to_owned(), |act| act.to.clone())
}

/// The act that puts `policy` in force.
///
/// # Errors
/// [`PolicyRefusal`] when it is in force, or the reason or the name is missing or too long.
pub fn promote(
    acts: &[PolicyAct],
    policy: Policy,
    reason: &str,
    by: &str,
    at: Instant,
) -> Result<PolicyAct, PolicyRefusal> {
    let from = in_force(acts);
    if from == policy.name() {
        return Err(PolicyRefusal::InForce(from));
    }
    act(PolicyDeed::Promote, from, policy.name().to_owned(), reason, by, at)
}

/// The act that brings back what was in force before the last promotion that still stands.
///
/// # Errors
/// [`PolicyRefusal`] when there is none, or the reason or the name is missing or too long.
pub fn roll_back(
    acts: &[PolicyAct],
    reason: &str,
    by: &str,
    at: Instant,
) -> Result<PolicyAct, PolicyRefusal> {
    let mut standing: Vec<&PolicyAct> = Vec::new();
    for act in acts {
        match act.deed {
            PolicyDeed::Promote => standing.push(act),
            PolicyDeed::Rollback => drop(standing.pop()),
        }
    }
    let from = in_force(acts);
    match standing.last() {
        Some(promoted) => act(PolicyDeed::Rollback, from, promoted.from.clone(), reason, by, at),
        None => Err(PolicyRefusal::NothingBefore(from)),
    }
}

fn act(
    deed: PolicyDeed,
    from: String,
    to: String,
    reason: &str,
    by: &str,
    at: Instant,
) -> Result<PolicyAct, PolicyRefusal> {
    let written = |what, text: &str, max| match text.trim() {
        text if (1..=max).contains(&text.len()) => Ok(text.to_owned()),
        text => Err(PolicyRefusal::Length { what, bytes: text.len(), max }),
    };
    Ok(PolicyAct {
        deed,
        from,
        to,
        reason: written("the reason", reason, PolicyAct::REASON_BYTES_MAX)?,
        by: written("who acts", by, PolicyAct::BY_BYTES_MAX)?,
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promoted(acts: &[PolicyAct], policy: Policy) -> PolicyAct {
        promote(acts, policy, "better", "Ana", Instant::default()).expect("promoted")
    }

    fn rolled_back(acts: &[PolicyAct]) -> PolicyAct {
        roll_back(acts, "worse", "Ana", Instant::default()).expect("rolled back")
    }

    #[test]
    fn each_rollback_takes_one_promotion_back() {
        let mut acts = Vec::new();
        assert_eq!(in_force(&acts), Policy::DEFAULT.name());
        acts.push(promoted(&acts, Policy::Turn3));
        acts.push(promoted(&acts, Policy::Turn1));
        assert_eq!(in_force(&acts), "turn/1");
        acts.push(rolled_back(&acts));
        assert_eq!((acts[2].from.as_str(), acts[2].to.as_str()), ("turn/1", "turn/3"));
        acts.push(rolled_back(&acts));
        assert_eq!(in_force(&acts), "turn/2");
        let refused = roll_back(&acts, "worse", "Ana", Instant::default());
        assert_eq!(refused, Err(PolicyRefusal::NothingBefore("turn/2".to_owned())));
        acts.push(promoted(&acts, Policy::Turn3));
        assert_eq!(in_force(&acts), "turn/3");
    }

    #[test]
    fn an_act_has_a_reason_and_somebody_who_acts() {
        let act = |reason: &str, by: &str| promote(&[], Policy::Turn3, reason, by, Instant::default());
        assert!(act(" measured ", "Ana").is_ok_and(|act| act.reason == "measured"));
        assert!(act("  ", "Ana").is_err());
        assert!(act("measured", "").is_err());
        assert!(act(&"x".repeat(2_001), "Ana").is_err());
        let again = promote(&[], Policy::Turn2, "measured", "Ana", Instant::default());
        assert_eq!(again, Err(PolicyRefusal::InForce("turn/2".to_owned())));
    }
}
