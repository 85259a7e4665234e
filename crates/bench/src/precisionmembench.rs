//! PrecisionMemBench: 35 beliefs, 77 requests, and for each what must be shown and what must not be.
//!
//! How it is mapped. A *scope* is a subject of its own (`test-user domain:code`), so nothing can leak between scopes; a
//! request in two scopes is two turns. *Universal* beliefs are the profile of a subject of their own. The *canonical name*
//! is the entity, unless an alias names the thing better (`redis_cache` is also called `Redis`, and the relation of another
//! belief points there); *aliases* are names the owner gave. *Pinned* is a predicate that is generally important, and so is
//! a pinned *open question*. A belief that was *superseded* is stated first and its successor, of the same entity, after it.
//! A *resolved* question ends when it was resolved. The maker's `why_it_matters` is shown to nobody. Each request is one
//! `turn` of the product, its budget the number of memories; the persona prelude is the product's profile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use engine::observe::{Message, Observing};
use engine::tokens::Tokens;
use engine::turn::Turn;
use engine::{Call, Engine};
use inference::embed::Embed;
use ledger::entity::EntityRef;
use ledger::resolve::Policy;
use ledger::scope::Scope;
use ledger::time::Instant;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::data::folder;
use crate::machine::Limits;
use crate::report::{Report, Table};
use crate::stores::{StoreKind, embed_all, found_by, policies_of, scope, with_model};

const REGISTRY: &str = include_str!("../policies/precisionmembench.toml");

/// After every belief was last reinforced.
const NOW: &str = "2026-11-01T00:00:00Z";

#[derive(Deserialize)]
struct Belief {
    #[serde(rename = "_id")]
    id: String,
    user_id: String,
    #[serde(rename = "type")]
    kind: String,
    canonical_name: String,
    aliases: Vec<String>,
    content: String,
    scope: Vec<String>,
    epistemic_status: String,
    pinned: bool,
    superseded_by: Option<String>,
    resolved_at: Option<String>,
    created_at: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    case_id: String,
    category: String,
    scope: Vec<String>,
    query: String,
    #[serde(default)]
    user_id: Option<String>,
    #[serde(default)]
    budget: Option<CaseBudget>,
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CaseBudget {
    max_beliefs: u32,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Expected {
    persona_prelude: Prelude,
    pinned_facts: Section,
    relevant_beliefs: Section,
    open_questions: Section,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Prelude {
    non_empty: bool,
    is_null: bool,
    contains: Vec<String>,
    must_not_contain: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Section {
    must_include: Vec<String>,
    must_exclude: Vec<String>,
    should_only_include: Option<Vec<String>>,
}

/// What one policy came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Requests.
    pub cases: usize,
    /// Requests of which everything that is expected holds.
    pub whole: usize,
    /// By category: requests, and those that hold.
    pub categories: BTreeMap<String, (usize, usize)>,
    /// Relevant beliefs expected, over the requests that say which.
    pub wanted: usize,
    /// Of them shown.
    pub found: usize,
    /// Relevant beliefs shown that are not expected.
    pub others: usize,
    /// Requests that do not hold, with what is wrong.
    pub failed: Vec<String>,
    /// Beliefs the gate did not admit.
    pub refused: Vec<String>,
}

impl Outcome {
    /// Of the relevant beliefs shown, the share that is expected; in percent.
    #[must_use]
    pub fn precision(&self) -> f64 {
        share(self.found, self.found + self.others)
    }

    /// Of the relevant beliefs expected, the share that is shown; in percent.
    #[must_use]
    pub fn recall(&self) -> f64 {
        share(self.found, self.wanted)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// The beliefs stored, ready to be asked.
pub struct Stored {
    engine: Engine,
    cases: Vec<Case>,
    /// From the words of a memory to the belief, and the section it belongs to.
    belief_of: BTreeMap<String, (String, &'static str)>,
    refused: Vec<String>,
    now: Instant,
}

fn read<T: for<'file> Deserialize<'file>>(name: &str) -> Result<T> {
    let path = folder().join("precisionmembench").join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("`{}`", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn room(user: &str, name: &str) -> Result<Scope> {
    scope(&format!("{user} {name}"))
}

/// Stores the beliefs.
///
/// # Errors
/// As the engine's verbs.
pub fn store(kind: StoreKind, directory: &Path, model: Option<&Arc<dyn Embed>>) -> Result<Stored> {
    let policies = policies_of(REGISTRY)?;
    let engine = with_model(Engine::new(kind.open(directory)?, policies, Arc::new(Tokens)), model);
    let beliefs: Vec<Belief> = read("beliefs.seed.json")?;
    let mut stored = Stored {
        engine,
        cases: read("retrieval.cases.json")?,
        belief_of: BTreeMap::new(),
        refused: Vec::new(),
        now: NOW.parse()?,
    };
    let by_id: BTreeMap<&str, &Belief> = beliefs.iter().map(|one| (one.id.as_str(), one)).collect();
    let mut order: Vec<(&Belief, usize)> = beliefs.iter().map(|one| (one, links(one, &by_id))).collect();
    // What was superseded first: the more successors, the earlier.
    order.sort_by_key(|(one, successors)| (std::cmp::Reverse(*successors), one.created_at.clone()));
    for (belief, successors) in order {
        stored.keep(belief, successors, &by_id)?;
    }
    for subject in stored.engine.store().subjects()? {
        embed_all(&stored.engine, &Scope::of(subject))?;
    }
    Ok(stored)
}

/// How many beliefs followed this one.
fn links(belief: &Belief, by_id: &BTreeMap<&str, &Belief>) -> usize {
    let mut count = 0;
    let mut next = belief.superseded_by.as_deref();
    while let Some(successor) = next.and_then(|id| by_id.get(id)).filter(|_| count < 10) {
        count += 1;
        next = successor.superseded_by.as_deref();
    }
    count
}

fn last<'read>(belief: &'read Belief, by_id: &BTreeMap<&str, &'read Belief>) -> &'read Belief {
    let mut last = belief;
    while let Some(successor) = last.superseded_by.as_deref().and_then(|id| by_id.get(id)) {
        last = successor;
    }
    last
}

/// The entity a belief is about, and its other names.
fn names(belief: &Belief) -> (&str, Vec<&str>) {
    let aliases: Vec<&str> = belief.aliases.iter().map(String::as_str).collect();
    match belief.canonical_name.as_str() {
        // The thing itself is Redis; the name says in which of its roles.
        "redis_cache" | "redis_character" => ("redis", vec![belief.canonical_name.as_str()]),
        name => (name, aliases),
    }
}

impl Stored {
    fn keep(&mut self, belief: &Belief, successors: usize, by_id: &BTreeMap<&str, &Belief>) -> Result<()> {
        let terminal = last(belief, by_id);
        let (entity, aliases) = names(terminal);
        let entity = EntityRef::from_words(entity)?;
        let universal = belief.scope.iter().any(|scope| scope == "user:universal");
        let (predicate, section) = match terminal.kind.as_str() {
            _ if universal => ("house_style", "persona"),
            "open_question" => ("open_question", "open"),
            _ if terminal.pinned => ("pinned", "pinned"),
            "preference" => ("preference", "relevant"),
            "relation" => ("depends_on", "relevant"),
            _ => ("described", "relevant"),
        };
        // Each predecessor a day before its successor.
        let at: Instant = terminal.created_at.parse()?;
        let at = Instant::from_micros(at.micros() - successors as i64 * 86_400_000_000);
        let mut proposal = match predicate {
            // The only relation, told by its first sentence: the auth service depends on Redis. The second is a condition.
            "depends_on" => json!({
                "entity": entity.as_str(), "predicate": predicate, "value": "redis", "confidence": 1.0,
                "quote": belief.content.split_inclusive(". ").next().unwrap_or(&belief.content).trim(),
            }),
            _ => json!({
                "entity": entity.as_str(), "predicate": predicate, "value": belief.content, "confidence": 1.0,
                "quote": belief.content,
            }),
        };
        if let Some(resolved) = &belief.resolved_at {
            // A question that was resolved before it was written down stood until then, from some day before.
            let until: Instant = resolved.parse()?;
            let from = Instant::from_micros(until.micros() - 86_400_000_000);
            proposal["valid_from"] = json!(from.to_string());
            proposal["valid_to"] = json!(resolved);
        }
        // An inferred belief is one the person never stated; it is kept as what it is, by the same door.
        let mut texts = vec![(belief.content.clone(), proposal)];
        if successors == 0 {
            for alias in aliases {
                let text = format!("{} is also called {alias}", entity.name());
                let proposal = json!({
                    "entity": entity.as_str(), "predicate": "also_called", "value": alias, "confidence": 1.0,
                    "quote": text,
                });
                texts.push((text, proposal));
            }
        }
        for room_name in &belief.scope {
            let scope = room(&belief.user_id, room_name)?;
            for (place, (text, proposal)) in texts.iter().enumerate() {
                let message: Message = serde_json::from_value(json!({
                    "source": {"kind": "conversation", "ref": "seed"},
                    "author": "owner",
                    "event_time": at.to_string(),
                    "external_id": format!("{} {place}", belief.id),
                    "text": text,
                    "proposals": [proposal],
                    "proposer": "seed",
                }))?;
                let observing = Observing { kept_on_purpose: true, ..Observing::default() };
                for answer in
                    self.engine.observe(Call { scope: &scope, now: self.now }, vec![message], observing)?
                {
                    let refused = answer.refused.iter().map(|no| {
                        format!("{} ({}): {} {}", belief.id, belief.epistemic_status, no.code, no.detail)
                    });
                    self.refused.extend(refused);
                }
            }
        }
        let shown = if predicate == "depends_on" { "redis".to_owned() } else { belief.content.clone() };
        self.belief_of.insert(shown, (belief.id.clone(), section));
        Ok(())
    }

    /// Asks every request under `policy`.
    ///
    /// # Errors
    /// As the engine's verbs.
    pub fn ask(&self, policy: Policy) -> Result<Outcome> {
        let mut outcome = Outcome { refused: self.refused.clone(), ..Outcome::default() };
        for case in &self.cases {
            let shown = self.show(case, policy)?;
            let wrong = judge(&case.expect, &shown);
            let entry = outcome.categories.entry(case.category.clone()).or_default();
            entry.0 += 1;
            outcome.cases += 1;
            if let Some(only) = &case.expect.relevant_beliefs.should_only_include {
                let only: BTreeSet<&String> = only.iter().collect();
                outcome.wanted += only.len();
                outcome.found += shown.relevant.iter().filter(|id| only.contains(id)).count();
                outcome.others += shown.relevant.iter().filter(|id| !only.contains(id)).count();
            }
            if wrong.is_empty() {
                outcome.whole += 1;
                entry.1 += 1;
            } else {
                outcome.failed.push(format!("{}: {}", case.case_id, wrong.join("; ")));
            }
        }
        Ok(outcome)
    }

    fn show(&self, case: &Case, policy: Policy) -> Result<Shown> {
        let user = case.user_id.as_deref().unwrap_or("test-user");
        let mut shown = Shown::default();
        let universal = room(user, "user:universal")?;
        shown.persona = self.engine.profile(Call { scope: &universal, now: self.now })?.text;
        for name in &case.scope {
            let scope = room(user, name)?;
            let call = Call { scope: &scope, now: self.now };
            let mut values: Vec<Json> = Vec::new();
            let turn = Turn {
                policy: Some(policy.name().to_owned()),
                slots: case.budget.as_ref().map(|budget| budget.max_beliefs.min(12)),
                ..Turn::of(&case.query)
            };
            let turned = self.engine.turn(call, &turn)?;
            // What is in the profile is known before any search, whatever the budget of the turn.
            let budgeted = case.budget.is_some();
            if !budgeted {
                values.extend(self.engine.profile(call)?.items.into_iter().map(|item| item.value));
            }
            for selected in &turned.selected {
                let why = self.engine.why(call, &selected.id)?;
                values.extend(
                    why.versions.into_iter().filter(|one| one.id == selected.id).map(|one| one.value),
                );
            }
            for value in values {
                let Some((id, section)) = value.as_str().and_then(|text| self.belief_of.get(text)) else {
                    // Only another name of something is no belief.
                    continue;
                };
                let list = match *section {
                    "pinned" => &mut shown.pinned,
                    "open" => &mut shown.open,
                    "relevant" => &mut shown.relevant,
                    _ => continue,
                };
                if !list.contains(id) {
                    list.push(id.clone());
                }
            }
        }
        Ok(shown)
    }
}

#[derive(Default)]
struct Shown {
    persona: String,
    pinned: Vec<String>,
    relevant: Vec<String>,
    open: Vec<String>,
}

fn judge(expected: &Expected, shown: &Shown) -> Vec<String> {
    let mut wrong = Vec::new();
    let prelude = &expected.persona_prelude;
    let text = &shown.persona;
    if prelude.non_empty && text.is_empty() || prelude.is_null && !text.is_empty() {
        wrong.push("the profile is not as expected".to_owned());
    }
    for part in prelude.contains.iter().filter(|part| !text.contains(part.as_str())) {
        wrong.push(format!("the profile lacks `{part}`"));
    }
    for part in prelude.must_not_contain.iter().filter(|part| text.contains(part.as_str())) {
        wrong.push(format!("the profile has `{part}`"));
    }
    let sections = [
        ("pinned", &expected.pinned_facts, &shown.pinned),
        ("relevant", &expected.relevant_beliefs, &shown.relevant),
        ("open", &expected.open_questions, &shown.open),
    ];
    for (name, expected, shown) in sections {
        for id in expected.must_include.iter().filter(|id| !shown.contains(id)) {
            wrong.push(format!("{name} lacks {id}"));
        }
        for id in expected.must_exclude.iter().filter(|id| shown.contains(id)) {
            wrong.push(format!("{name} has {id}"));
        }
        let Some(only) = &expected.should_only_include else { continue };
        for id in only.iter().filter(|id| !shown.contains(id)) {
            wrong.push(format!("{name} lacks {id}"));
        }
        for id in shown.iter().filter(|id| !only.contains(id)) {
            wrong.push(format!("{name} has {id}"));
        }
    }
    wrong
}

/// The instrument.
///
/// # Errors
/// As the engine's verbs.
pub fn run(kind: StoreKind, directory: &Path, model: Option<&Arc<dyn Embed>>) -> Result<Report> {
    let mut report = Report::new("PrecisionMemBench", "bench precisionmembench", Limits::measure(directory)?);
    let place = tempfile::tempdir_in(directory)?;
    report.notes.push(found_by(model));
    let stored = store(kind, place.path(), model)?;
    let mut whole = Table::new(
        "Requests of which everything expected holds",
        &["policy", "requests", "whole", "precision %", "recall %", "others shown a request"],
    );
    let outcomes: Vec<(Policy, Outcome)> =
        Policy::ALL.into_iter().map(|policy| Ok((policy, stored.ask(policy)?))).collect::<Result<_>>()?;
    for (policy, outcome) in &outcomes {
        whole.row([
            policy.name().to_owned(),
            outcome.cases.to_string(),
            outcome.whole.to_string(),
            format!("{:.1}", outcome.precision()),
            format!("{:.1}", outcome.recall()),
            format!("{:.2}", outcome.others as f64 / outcome.cases.max(1) as f64),
        ]);
    }
    let mut columns = vec!["category", "requests"];
    columns.extend(Policy::ALL.iter().map(|policy| policy.name()));
    let mut categories = Table::new("Whole, by category", &columns);
    let names: BTreeSet<&String> =
        outcomes.iter().flat_map(|(_, outcome)| outcome.categories.keys()).collect();
    for name in names {
        let of = |outcome: &Outcome| outcome.categories.get(name).copied().unwrap_or_default();
        let mut row = vec![name.clone(), outcomes.first().map_or(0, |(_, one)| of(one).0).to_string()];
        row.extend(outcomes.iter().map(|(_, outcome)| of(outcome).1.to_string()));
        categories.row(row);
    }
    report.tables.extend([whole, categories]);
    for (policy, outcome) in &outcomes {
        if *policy != Policy::Turn1 {
            report.notes.extend(outcome.failed.iter().map(|failed| format!("{}: {failed}", policy.name())));
        }
    }
    report.notes.extend(stored.refused.iter().map(|refused| format!("the gate did not admit {refused}")));
    Ok(report)
}
