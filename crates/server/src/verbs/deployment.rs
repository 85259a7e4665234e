//! The deployment: its predicates and limits, the policy in force, and whether what is stored is sound.

use engine::answer::{PoliciesText, PolicyActText, PolicyDiff, Verified};
use ledger::limits::Limit;
use ledger::registry::{Cardinality, Class, ValueType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Nothing;
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb};

/// Tells what can be proposed and what a call may cost.
pub struct ShowRules;

/// What can be proposed, and what a call may cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rules {
    /// The predicates of the registry.
    pub predicates: Vec<PredicateTold>,
    /// The limits.
    pub limits: Vec<LimitTold>,
}

/// A predicate.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PredicateTold {
    /// Its name.
    pub name: String,
    /// Its class, such as `identity`.
    #[schemars(with = "String")]
    pub class: Class,
    /// The type of its values.
    #[schemars(with = "String")]
    pub value: ValueType,
    /// `one` or `many`.
    #[schemars(with = "String")]
    pub cardinality: Cardinality,
}

/// A limit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LimitTold {
    /// The code of the refusal.
    pub code: &'static str,
    /// The most that is allowed.
    pub max: u64,
    /// Of what.
    pub unit: &'static str,
    /// For what.
    pub per: &'static str,
    /// What to do instead.
    pub fix: &'static str,
}

impl Verb for ShowRules {
    const NAME: &'static str = "rules";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "The predicates that can be proposed, and the limits of a call";
    const OF_SUBJECT: bool = false;
    type Input = Nothing;
    type Answer = Rules;

    fn run(asked: &Asked<'_>, _: Nothing) -> Result<Rules, Refusal> {
        let predicates = asked.engine.registry().iter().map(|predicate| PredicateTold {
            name: predicate.name.clone(),
            class: predicate.class,
            value: predicate.value,
            cardinality: predicate.cardinality,
        });
        let limits = Limit::ALL.iter().map(|limit| LimitTold {
            code: limit.code,
            max: limit.max,
            unit: limit.unit,
            per: limit.per,
            fix: limit.fix,
        });
        Ok(Rules { predicates: predicates.collect(), limits: limits.collect() })
    }
}

/// Tells the policies.
pub struct ListPolicies;

impl Verb for ListPolicies {
    const NAME: &'static str = "policies";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "The policies that choose for a turn, and which is in force";
    const OF_SUBJECT: bool = false;
    type Input = Nothing;
    type Answer = PoliciesText;

    fn run(asked: &Asked<'_>, _: Nothing) -> Result<PoliciesText, Refusal> {
        Ok(asked.engine.policies_known()?)
    }
}

/// Puts a policy in force.
pub struct PromotePolicy;

/// A policy, and why.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Promotion {
    /// Its name; left out, the last promotion that stands is taken back.
    #[serde(default)]
    pub policy: Option<String>,
    /// Why.
    #[schemars(length(min = 1, max = 2000))]
    pub reason: String,
}

impl Verb for PromotePolicy {
    const NAME: &'static str = "promote_policy";
    const RIGHT: Right = Right::Admin;
    const SUMMARY: &'static str =
        "Put a policy in force for the whole deployment, or take the last promotion back";
    const OF_SUBJECT: bool = false;
    type Input = Promotion;
    type Answer = PolicyActText;

    fn run(asked: &Asked<'_>, promotion: Promotion) -> Result<PolicyActText, Refusal> {
        let (call, by) = (asked.call(), asked.caller.name());
        Ok(match &promotion.policy {
            Some(policy) => asked.engine.promote_policy(call, policy, &promotion.reason, by)?,
            None => asked.engine.roll_back_policy(call, &promotion.reason, by)?,
        })
    }
}

/// Compares policies on recorded turns.
pub struct ComparePolicies;

/// Two policies, and how far back.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The policy compared with.
    pub from: String,
    /// The policy compared.
    pub to: String,
    /// Turns looked at, the newest; 1000 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    pub turns: Option<usize>,
}

impl Verb for ComparePolicies {
    const NAME: &'static str = "compare_policies";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "What another policy would have made of the subject's recorded turns";
    type Input = Comparison;
    type Answer = PolicyDiff;

    fn run(asked: &Asked<'_>, comparison: Comparison) -> Result<PolicyDiff, Refusal> {
        let Comparison { from, to, turns } = comparison;
        Ok(asked.engine.compare_policies(asked.call(), &from, &to, turns.unwrap_or(1_000))?)
    }
}

/// Checks what is stored of the subject.
pub struct Verify;

impl Verb for Verify {
    const NAME: &'static str = "verify";
    const RIGHT: Right = Right::Admin;
    const SUMMARY: &'static str =
        "Read everything of the subject back and check every quote, every fact and the chain";
    type Input = Nothing;
    type Answer = Verified;

    fn run(asked: &Asked<'_>, _: Nothing) -> Result<Verified, Refusal> {
        Ok(asked.engine.verify(asked.call())?)
    }
}
