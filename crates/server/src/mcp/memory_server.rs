//! The nine tools of the protocol's own memory server, for what was written against that one.
//!
//! That server keeps a graph whose entities have observations, in the agent's words. Here an observation is a note about an entity,
//! with itself as its evidence; a relation is a note of its first entity, in a written form that is read back; deleting forgets.
//! What has no counterpart is told in the answer's `notices`.

use std::collections::{BTreeMap, BTreeSet};

use engine::answer::{Item, Observed};
use engine::forget::Forget as Forgetting;
use engine::list::List;
use engine::recall::Recall;
use ledger::entity::EntityRef;
use ledger::evidence::Author;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::{Asked, Verb, read};
use crate::verbs::Nothing;
use crate::verbs::evidence::{Messages, Observe};

/// Notes of one call, at most: those of one request.
const NOTES_MAX: usize = 256;

/// Memories a graph is made of, at most.
const MEMORIES_MAX: usize = 10_000;

/// Memories read at once.
const PAGE: usize = 1_000;

/// Memories a search looks at, at most.
const HITS_MAX: usize = 50;

/// What every note rests on here.
const OWN_EVIDENCE: &str = "these tools hand over no message of the user, so each note rests on its own words; `remember` keeps what the user said";

/// Between the parts of a relation, as it is written.
const FROM: &str = " — ";
const TO: &str = " → ";

/// An entity with what is known of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entity {
    /// Its name; kept in lower case, with `-` between words.
    pub name: String,
    /// Its kind, such as `person`; kept as one word of letters.
    pub entity_type: String,
    /// What is known of it.
    pub observations: Vec<String>,
}

/// A relation between two entities.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Relation {
    /// The first entity.
    pub from: String,
    /// The second.
    pub to: String,
    /// What the first does with the second, such as `works_at`.
    pub relation_type: String,
}

/// Entities and the relations between them.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Graph {
    /// By name.
    pub entities: Vec<Entity>,
    /// By their first entity.
    pub relations: Vec<Relation>,
    /// What else the caller should know.
    pub notices: Vec<String>,
}

/// Whether something was deleted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Deleted {
    /// Always true; a call that fails is refused.
    pub success: bool,
    /// How much was forgotten.
    pub message: String,
    /// What else the caller should know.
    pub notices: Vec<String>,
}

/// A memory as a part of the graph.
enum Part {
    Observation { entity: EntityRef, text: String },
    Relation { from: EntityRef, to: EntityRef, kind: String },
}

/// A part of the graph with the ids it stands under.
struct Held {
    part: Part,
    version: String,
    fact: Option<String>,
}

impl Held {
    fn of(item: Item) -> Option<Self> {
        let entity = EntityRef::parse(item.entity.as_deref()?).ok()?;
        let value = item.value.as_str().map_or_else(|| item.value.to_string(), str::to_owned);
        let text = match item.predicate.as_deref() {
            None | Some("note") => value,
            Some(predicate) => {
                let disputed = if item.dispute.is_some() { " (disputed)" } else { "" };
                format!("{}: {value}{disputed}", predicate.replace('_', " "))
            }
        };
        let part = match read_relation(&text, &entity) {
            Some((to, kind)) => Part::Relation { from: entity, to, kind },
            None => Part::Observation { entity, text },
        };
        Some(Self { part, version: item.id, fact: item.fact })
    }

    fn is_about(&self, names: &BTreeSet<String>) -> bool {
        match &self.part {
            Part::Observation { entity, .. } => names.contains(entity.name()),
            Part::Relation { from, to, .. } => names.contains(from.name()) || names.contains(to.name()),
        }
    }
}

fn read_relation(text: &str, entity: &EntityRef) -> Option<(EntityRef, String)> {
    let (from, rest) = text.split_once(FROM)?;
    let (kind, to) = rest.split_once(TO)?;
    let from = EntityRef::from_words(from).ok()?;
    (from.name() == entity.name()).then_some(())?;
    Some((EntityRef::from_words(to).ok()?, kind.to_owned()))
}

/// Everything that holds now, oldest first, and what could not be shown.
fn held(asked: &Asked<'_>) -> Result<(Vec<Held>, Vec<String>), Refusal> {
    let (mut all, mut after, mut notices) = (Vec::new(), None, Vec::new());
    loop {
        let list = List { kind: "all".to_owned(), limit: PAGE, after, world: true };
        let page = asked.engine.list(asked.call(), &list)?;
        after = page.items.last().map(|item| item.id.clone());
        all.extend(page.items.into_iter().filter_map(Held::of));
        if !page.truncated {
            break;
        }
        if all.len() >= MEMORIES_MAX {
            notices.push(format!("the graph holds the newest {MEMORIES_MAX} memories; there are more"));
            break;
        }
    }
    all.reverse();
    Ok((all, notices))
}

/// The graph of those entities whose name is wanted.
fn graph(held: &[Held], notices: Vec<String>, wanted: impl Fn(&str) -> bool) -> Graph {
    let mut entities: BTreeMap<&str, Entity> = BTreeMap::new();
    let mut relations = BTreeSet::new();
    for one in held {
        match &one.part {
            Part::Observation { entity, text } if wanted(entity.name()) => {
                let there = entities.entry(entity.name()).or_insert_with(|| empty(entity));
                if there.entity_type.is_empty() {
                    there.entity_type = entity.kind().unwrap_or_default().to_owned();
                }
                there.observations.push(text.clone());
            }
            Part::Relation { from, to, kind } if wanted(from.name()) && wanted(to.name()) => {
                relations.insert(Relation {
                    from: from.name().to_owned(),
                    to: to.name().to_owned(),
                    relation_type: kind.clone(),
                });
            }
            Part::Observation { .. } | Part::Relation { .. } => {}
        }
    }
    Graph { entities: entities.into_values().collect(), relations: relations.into_iter().collect(), notices }
}

fn empty(entity: &EntityRef) -> Entity {
    Entity {
        name: entity.name().to_owned(),
        entity_type: entity.kind().unwrap_or_default().to_owned(),
        observations: Vec::new(),
    }
}

/// The name as it is kept.
fn name(written: &str) -> Result<EntityRef, Refusal> {
    EntityRef::from_words(written).map_err(|error| Refusal::bad_input(error.to_string()))
}

fn names(written: &[String]) -> Result<BTreeSet<String>, Refusal> {
    written.iter().map(|one| Ok(name(one)?.name().to_owned())).collect()
}

/// The entity of this name: with the kind it is known under, else with the one that is given.
fn known(held: &[Held], written: &str, kind: Option<&str>) -> Result<EntityRef, Refusal> {
    let plain = name(written)?;
    let there = held.iter().rev().find_map(|one| match &one.part {
        Part::Observation { entity, .. } | Part::Relation { from: entity, .. } => {
            (entity.name() == plain.name()).then(|| entity.clone())
        }
    });
    if let Some(there) = there {
        return Ok(there);
    }
    let letters: String = kind.unwrap_or_default().chars().filter(char::is_ascii_alphabetic).collect();
    match letters.is_empty() {
        true => Ok(plain),
        false => name(&format!("{letters}:{}", plain.name())),
    }
}

/// A note to be kept: its entity and its words.
type Note = (EntityRef, String);

/// Keeps notes, all or none; what became of each, in their order.
fn keep(asked: &Asked<'_>, notes: &[Note]) -> Result<Vec<Observed>, Refusal> {
    if notes.is_empty() {
        return Ok(Vec::new());
    }
    if notes.len() > NOTES_MAX {
        let count = notes.len();
        return Err(Refusal::bad_input(format!("{count} notes given; {NOTES_MAX} are allowed at once")));
    }
    let message = |(entity, text): &Note| {
        json!({
            "source": {"kind": "note", "ref": "memory-server"},
            "author": Author::Owner,
            "text": text,
            "proposals": [{
                "entity": entity.as_str(), "predicate": "note", "value": text, "confidence": 1.0, "quote": text,
            }],
            "proposer": "agent",
            "kept_on_purpose": true,
        })
    };
    let messages: Vec<_> = notes.iter().map(message).collect();
    Ok(Observe::run(asked, read::<Messages>(json!({"messages": messages}))?)?.observed)
}

/// Which notes are held now, and what is told of the others.
fn told(notes: &[Note], observed: &[Observed]) -> (Vec<bool>, Vec<String>) {
    let mut notices = vec![OWN_EVIDENCE.to_owned()];
    let held = notes.iter().zip(observed).map(|((entity, _), one)| {
        for refused in &one.refused {
            notices
                .push(format!("a note about `{entity}` was refused: {}: {}", refused.code, refused.detail));
        }
        notices.extend(one.notices.iter().cloned());
        !one.admitted.is_empty()
    });
    let held = held.collect();
    notices.dedup();
    (held, notices)
}

/// Keeps entities with their observations.
pub struct CreateEntities;

/// Entities.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntitiesGiven {
    /// With their observations; 256 of those at once, at most.
    pub entities: Vec<Entity>,
}

/// Entities that were kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EntitiesKept {
    /// With the observations that are now held.
    pub entities: Vec<Entity>,
    /// What else the caller should know.
    pub notices: Vec<String>,
}

impl Verb for CreateEntities {
    const NAME: &'static str = "create_entities";
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str = "Keep notes about entities";
    type Input = EntitiesGiven;
    type Answer = EntitiesKept;

    fn run(asked: &Asked<'_>, given: EntitiesGiven) -> Result<EntitiesKept, Refusal> {
        let (there, _) = held(asked)?;
        let mut notes: Vec<Note> = Vec::new();
        let mut entities = Vec::new();
        for entity in &given.entities {
            let reference = known(&there, &entity.name, Some(&entity.entity_type))?;
            notes.extend(entity.observations.iter().map(|text| (reference.clone(), text.clone())));
            entities.push((empty(&reference), entity.observations.len()));
        }
        let observed = keep(asked, &notes)?;
        let (kept, mut notices) = told(&notes, &observed);
        let mut notes = notes.into_iter().zip(kept);
        let entities = entities.into_iter().map(|(mut entity, count)| {
            if count == 0 {
                notices.push(format!(
                    "`{}` has no observations, and nothing is kept of it but what was",
                    entity.name
                ));
            }
            let own = notes.by_ref().take(count).filter(|(_, kept)| *kept);
            entity.observations = own.map(|((_, text), _)| text).collect();
            entity
        });
        Ok(EntitiesKept { entities: entities.collect(), notices })
    }
}

/// Keeps relations.
pub struct CreateRelations;

/// Relations.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RelationsGiven {
    /// 256 at once, at most.
    pub relations: Vec<Relation>,
}

/// Relations that were kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RelationsKept {
    /// Those that are now held.
    pub relations: Vec<Relation>,
    /// What else the caller should know.
    pub notices: Vec<String>,
}

impl Verb for CreateRelations {
    const NAME: &'static str = "create_relations";
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str = "Keep relations between entities as notes";
    type Input = RelationsGiven;
    type Answer = RelationsKept;

    fn run(asked: &Asked<'_>, given: RelationsGiven) -> Result<RelationsKept, Refusal> {
        let (there, _) = held(asked)?;
        let mut notes: Vec<Note> = Vec::new();
        for Relation { from, to, relation_type } in &given.relations {
            if relation_type.contains(TO) || from.contains(FROM) || relation_type.contains(FROM) {
                return Err(Refusal::bad_input(format!(
                    "`{}` and `{}` cannot stand in a relation",
                    FROM.trim(),
                    TO.trim()
                )));
            }
            name(to)?;
            notes.push((known(&there, from, None)?, format!("{from}{FROM}{relation_type}{TO}{to}")));
        }
        let observed = keep(asked, &notes)?;
        let (kept, notices) = told(&notes, &observed);
        let relations = given.relations.into_iter().zip(kept).filter_map(|(one, kept)| kept.then_some(one));
        Ok(RelationsKept { relations: relations.collect(), notices })
    }
}

/// Keeps further observations.
pub struct AddObservations;

/// Observations.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservationsGiven {
    /// By entity; 256 at once, at most.
    pub observations: Vec<ObservationsOf>,
}

/// Observations about one entity.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservationsOf {
    /// The entity.
    pub entity_name: String,
    /// What is known of it now.
    pub contents: Vec<String>,
}

/// Observations that were kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ObservationsKept {
    /// By entity, in the order they were given.
    pub results: Vec<ObservationsAdded>,
    /// What else the caller should know.
    pub notices: Vec<String>,
}

/// Observations about one entity that were kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservationsAdded {
    /// The entity.
    pub entity_name: String,
    /// Those that are now held.
    pub added_observations: Vec<String>,
}

impl Verb for AddObservations {
    const NAME: &'static str = "add_observations";
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str = "Keep further notes about entities";
    type Input = ObservationsGiven;
    type Answer = ObservationsKept;

    fn run(asked: &Asked<'_>, given: ObservationsGiven) -> Result<ObservationsKept, Refusal> {
        let (there, _) = held(asked)?;
        let mut notes: Vec<Note> = Vec::new();
        for one in &given.observations {
            let reference = known(&there, &one.entity_name, None)?;
            notes.extend(one.contents.iter().map(|text| (reference.clone(), text.clone())));
        }
        let observed = keep(asked, &notes)?;
        let (kept, notices) = told(&notes, &observed);
        let mut notes = notes.into_iter().zip(kept);
        let results = given.observations.into_iter().map(|one| {
            let own = notes.by_ref().take(one.contents.len()).filter(|(_, kept)| *kept);
            ObservationsAdded {
                added_observations: own.map(|((_, text), _)| text).collect(),
                entity_name: one.entity_name,
            }
        });
        Ok(ObservationsKept { results: results.collect(), notices })
    }
}

/// Forgets; what is not there is told and is no fault, as with that server.
fn forget(asked: &Asked<'_>, what: &str, mut ids: Vec<String>) -> Result<Deleted, Refusal> {
    ids.sort();
    ids.dedup();
    let count = ids.len();
    if count == 0 {
        return Ok(Deleted {
            success: true,
            message: format!("no {what} of that description is held"),
            notices: Vec::new(),
        });
    }
    asked.engine.forget_for(asked.call(), &Forgetting::Ids(ids), asked.caller.name())?;
    Ok(Deleted {
        success: true,
        message: format!("{count} {what} forgotten"),
        notices: vec![
            "this cannot be undone, and the same words are not learnt again by themselves".to_owned(),
        ],
    })
}

/// Forgets entities.
pub struct DeleteEntities;

/// Entities by name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntitiesNamed {
    /// Their names.
    pub entity_names: Vec<String>,
}

impl Verb for DeleteEntities {
    const NAME: &'static str = "delete_entities";
    const RIGHT: Right = Right::Forget;
    const SUMMARY: &'static str = "Forget everything about entities";
    type Input = EntitiesNamed;
    type Answer = Deleted;

    fn run(asked: &Asked<'_>, given: EntitiesNamed) -> Result<Deleted, Refusal> {
        let names = names(&given.entity_names)?;
        let (there, _) = held(asked)?;
        let concerned = there.into_iter().filter(|one| one.is_about(&names));
        // The fact with all its versions, where there is one: what was said before goes, too.
        forget(asked, "memories", concerned.map(|one| one.fact.unwrap_or(one.version)).collect())
    }
}

/// Forgets observations.
pub struct DeleteObservations;

/// Observations to be forgotten.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservationsNamed {
    /// By entity.
    pub deletions: Vec<ObservationsNamedOf>,
}

/// Observations about one entity to be forgotten.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ObservationsNamedOf {
    /// The entity.
    pub entity_name: String,
    /// Word for word, as they were read.
    pub observations: Vec<String>,
}

impl Verb for DeleteObservations {
    const NAME: &'static str = "delete_observations";
    const RIGHT: Right = Right::Forget;
    const SUMMARY: &'static str = "Forget notes about entities";
    type Input = ObservationsNamed;
    type Answer = Deleted;

    fn run(asked: &Asked<'_>, given: ObservationsNamed) -> Result<Deleted, Refusal> {
        let (there, _) = held(asked)?;
        let mut ids = Vec::new();
        for one in &given.deletions {
            let wanted = name(&one.entity_name)?;
            let is = |held: &&Held| {
                matches!(&held.part, Part::Observation { entity, text }
                    if entity.name() == wanted.name() && one.observations.contains(text))
            };
            ids.extend(there.iter().filter(is).map(|held| held.version.clone()));
        }
        forget(asked, "observations", ids)
    }
}

/// Forgets relations.
pub struct DeleteRelations;

impl Verb for DeleteRelations {
    const NAME: &'static str = "delete_relations";
    const RIGHT: Right = Right::Forget;
    const SUMMARY: &'static str = "Forget relations between entities";
    type Input = RelationsGiven;
    type Answer = Deleted;

    fn run(asked: &Asked<'_>, given: RelationsGiven) -> Result<Deleted, Refusal> {
        let (there, _) = held(asked)?;
        let mut ids = Vec::new();
        for relation in &given.relations {
            let (first, second) = (name(&relation.from)?, name(&relation.to)?);
            let is = |held: &&Held| {
                matches!(&held.part, Part::Relation { from, to, kind }
                    if from.name() == first.name() && to.name() == second.name() && *kind == relation.relation_type)
            };
            ids.extend(there.iter().filter(is).map(|held| held.version.clone()));
        }
        forget(asked, "relations", ids)
    }
}

/// Shows everything.
pub struct ReadGraph;

impl Verb for ReadGraph {
    const NAME: &'static str = "read_graph";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Everything that holds now, as a graph";
    type Input = Nothing;
    type Answer = Graph;

    fn run(asked: &Asked<'_>, _: Nothing) -> Result<Graph, Refusal> {
        let (held, notices) = held(asked)?;
        Ok(graph(&held, notices, |_| true))
    }
}

/// Shows what a query finds.
pub struct SearchNodes;

impl Verb for SearchNodes {
    const NAME: &'static str = "search_nodes";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "The entities a query finds, as a graph";
    type Input = super::agent::Query;
    type Answer = Graph;

    fn run(asked: &Asked<'_>, query: super::agent::Query) -> Result<Graph, Refusal> {
        let recall = Recall { limit: HITS_MAX, ..Recall::of(&query.query) };
        let found = asked.engine.recall(asked.call(), &recall)?.items;
        let found: BTreeSet<String> = found
            .iter()
            .filter_map(|item| EntityRef::parse(item.entity.as_deref()?).ok())
            .map(|entity| entity.name().to_owned())
            .collect();
        let (held, notices) = held(asked)?;
        Ok(graph(&held, notices, |name| found.contains(name)))
    }
}

/// Shows entities by name.
pub struct OpenNodes;

/// Names of entities.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamesGiven {
    /// Their names.
    pub names: Vec<String>,
}

impl Verb for OpenNodes {
    const NAME: &'static str = "open_nodes";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "The entities of these names, as a graph";
    type Input = NamesGiven;
    type Answer = Graph;

    fn run(asked: &Asked<'_>, given: NamesGiven) -> Result<Graph, Refusal> {
        let names = names(&given.names)?;
        let (held, notices) = held(asked)?;
        Ok(graph(&held, notices, |name| names.contains(name)))
    }
}
