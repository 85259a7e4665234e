//! Policies: which one chooses what a turn may see, its promotion and rollback, and what another would have chosen.

use ledger::limits::Limit;
use ledger::policy::{PolicyAct, in_force, promote, roll_back};
use ledger::resolve::{Policy, Selection, TURN_3, select};
use ledger::store::RecordedTurn;
use ledger::turn::{Candidate, Features, Triage};
use serde_json::{Map, Value as Json, json};

use crate::answer::{PoliciesText, PolicyActText, PolicyDiff, PolicyText};
use crate::error::EngineError;
use crate::turn::named_policy;
use crate::{Call, Engine};

/// How often an act is tried again when somebody else acts at the same time.
const ATTEMPTS_MAX: usize = 20;

impl Engine {
    /// Every policy of this build, the one in force, and how it came to be.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn policies_known(&self) -> Result<PoliciesText, EngineError> {
        let acts = self.store().policy_acts()?;
        let in_force = in_force(&acts);
        Ok(PoliciesText {
            policies: Policy::ALL.iter().map(|policy| described(*policy, &in_force, &[])).collect(),
            acts: acts.iter().map(told).collect(),
            in_force,
        })
    }

    /// One policy: what it does, its numbers, and the acts that concern it.
    ///
    /// # Errors
    /// [`EngineError::Input`] for an unknown policy.
    pub fn policy_known(&self, name: &str) -> Result<PolicyText, EngineError> {
        let policy = named_policy(name)?;
        let acts = self.store().policy_acts()?;
        Ok(described(policy, &in_force(&acts), &acts))
    }

    /// Puts a policy in force for the whole deployment, by a recorded act.
    ///
    /// # Errors
    /// [`EngineError::Input`] for an unknown policy, one in force already, or without a reason.
    pub fn promote_policy(
        &self,
        call: Call<'_>,
        name: &str,
        reason: &str,
        by: &str,
    ) -> Result<PolicyActText, EngineError> {
        let policy = named_policy(name)?;
        self.act(|acts| promote(acts, policy, reason, by, call.now))
    }

    /// Brings back the policy before the last promotion that stands, by a recorded act.
    ///
    /// # Errors
    /// [`EngineError::Input`] when nothing was promoted, or without a reason.
    pub fn roll_back_policy(
        &self,
        call: Call<'_>,
        reason: &str,
        by: &str,
    ) -> Result<PolicyActText, EngineError> {
        self.act(|acts| roll_back(acts, reason, by, call.now))
    }

    fn act(
        &self,
        decide: impl Fn(&[PolicyAct]) -> Result<PolicyAct, ledger::policy::PolicyRefusal>,
    ) -> Result<PolicyActText, EngineError> {
        for _ in 0..ATTEMPTS_MAX {
            let acts = self.store().policy_acts()?;
            let act = decide(&acts).map_err(|refusal| EngineError::Input(refusal.to_string()))?;
            if self.store().record_policy_act(acts.len(), &act)? {
                return Ok(told(&act));
            }
        }
        Err(EngineError::Conflict("others keep changing the policy in force; try again".to_owned()))
    }

    /// The policy a turn uses unless it names one; and, when the one in force is unknown to this build, what to say.
    pub(crate) fn policy_in_force(&self) -> Result<(Policy, Option<String>), EngineError> {
        let name = in_force(&self.store().policy_acts()?);
        Ok(match Policy::named(&name) {
            Some(policy) => (policy, None),
            None => {
                let used = Policy::DEFAULT.name();
                let said = format!("the policy in force is unknown to this version; `{used}` chose instead");
                (Policy::DEFAULT, Some(said))
            }
        })
    }

    /// What two policies make of the newest recorded turns, from their candidates' features; no words are read.
    ///
    /// # Errors
    /// [`EngineError::Input`] for an unknown policy or for no turns; [`EngineError::Limit`] over
    /// [`Limit::COMPARED_TURNS`].
    pub fn compare_policies(
        &self,
        call: Call<'_>,
        from: &str,
        to: &str,
        turns: usize,
    ) -> Result<PolicyDiff, EngineError> {
        let (from, to) = (named_policy(from)?, named_policy(to)?);
        if turns == 0 {
            return Err(EngineError::Input("`0` turns compare nothing; give 1 or more".to_owned()));
        }
        Limit::COMPARED_TURNS.check("the comparison", turns)?;
        let mut recorded = self.store().recent_turns(call.scope, turns + 1)?;
        let mut diff = PolicyDiff {
            from: from.name().to_owned(),
            to: to.name().to_owned(),
            truncated: recorded.len() > turns,
            ..PolicyDiff::default()
        };
        recorded.truncate(turns);
        for turn in &recorded {
            match turn.record.triage {
                Triage::Retrieve => self.compare_one(turn, from, to, &mut diff),
                Triage::Ask | Triage::Skip => diff.passed_over += 1,
            }
        }
        Ok(diff)
    }

    fn compare_one(&self, turn: &RecordedTurn, from: Policy, to: Policy, diff: &mut PolicyDiff) {
        let record = &turn.record;
        let overhead = self.overhead(record.candidates_cut);
        let run = |policy| {
            Chosen::of(&record.candidates, &select(policy, &record.candidates, record.budget, overhead))
        };
        let (one, other) = (run(from), run(to));
        diff.turns += 1;
        diff.identical += usize::from(one.places == other.places);
        diff.added += other.places.iter().filter(|place| !one.places.contains(place)).count();
        diff.removed += one.places.iter().filter(|place| !other.places.contains(place)).count();
        diff.from_items += one.places.len();
        diff.to_items += other.places.len();
        diff.from_tokens += one.tokens;
        diff.to_tokens += other.tokens;
        diff.disputes_changed += usize::from(one.disputes != other.disputes);
        let has_features = record.candidates.iter().any(|one| one.features != Features::default());
        diff.without_features += usize::from(!has_features && !record.candidates.is_empty());
        if turn.used.is_empty() {
            return;
        }
        diff.turns_with_use += 1;
        for place in &turn.used {
            let Some(selected) = record.selected.get(*place as usize) else { continue };
            let Some(place) = record.candidates.iter().position(|one| one.version == selected.version) else {
                continue;
            };
            diff.used += 1;
            diff.from_kept += usize::from(one.places.contains(&place));
            diff.to_kept += usize::from(other.places.contains(&place));
        }
    }
}

/// What one policy chose, by the places of the candidates.
struct Chosen {
    places: Vec<usize>,
    tokens: u64,
    disputes: Vec<u32>,
}

impl Chosen {
    fn of(candidates: &[Candidate], selection: &Selection) -> Self {
        let places: Vec<usize> = selection
            .selected
            .iter()
            .filter_map(|selected| candidates.iter().position(|one| one.version == selected.version))
            .collect();
        let chosen = || places.iter().map(|place| &candidates[*place]);
        let mut disputes: Vec<u32> = chosen().filter_map(|one| one.dispute).collect();
        disputes.sort_unstable();
        disputes.dedup();
        let tokens = chosen().map(|one| u64::from(one.tokens)).sum();
        Self { tokens, disputes, places }
    }
}

fn told(act: &PolicyAct) -> PolicyActText {
    PolicyActText {
        act: act.deed.to_string(),
        from: act.from.clone(),
        to: act.to.clone(),
        reason: act.reason.clone(),
        by: act.by.clone(),
        at: act.at.to_string(),
    }
}

fn described(policy: Policy, in_force: &str, acts: &[PolicyAct]) -> PolicyText {
    let name = policy.name();
    PolicyText {
        name: name.to_owned(),
        in_force: name == in_force,
        summary: policy.summary().to_owned(),
        numbers: numbers(policy),
        acts: acts.iter().filter(|act| act.from == name || act.to == name).map(told).collect(),
    }
}

fn numbers(policy: Policy) -> Map<String, Json> {
    let Policy::Turn3 = policy else { return Map::new() };
    let numbers = TURN_3;
    let all = [
        ("matches_max", numbers.matches_max),
        ("important_max", numbers.important_max),
        ("important_tokens_share", numbers.important_tokens_share),
        ("entries_max", numbers.entries_max),
        ("entries_tokens_max", numbers.entries_tokens_max),
        ("related_max", numbers.related_max),
        ("strong", numbers.strong),
        ("floor", numbers.floor),
        ("floor_named", numbers.floor_named),
        ("weak_share", numbers.weak_share),
        ("weak_max", numbers.weak_max),
        ("recency", numbers.recency),
        ("recency_half_days", numbers.recency_half_days),
        ("support", numbers.support),
        ("dispute", numbers.dispute),
        ("others_words", numbers.others_words),
        ("others_max", numbers.others_max),
        ("same_question", numbers.same_question),
    ];
    all.into_iter().map(|(name, number)| (name.to_owned(), json!(number))).collect()
}
