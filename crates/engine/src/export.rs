//! Exporting: everything of a subject, in forms that need no Testimony to read.
//!
//! As messages it can be observed again, claims and all: each line is what [`crate::observe`] takes, and decisions of
//! disputes stand between them where they were made ([`crate::carried`]). As state and history it is a page for people. The words are told whole, also those that answers withhold: it is the owner's own.

use std::collections::BTreeMap;

use ledger::claim::{Claim, Op};
use ledger::evidence::Evidence;
use ledger::fact::ActKind;
use ledger::id::{ClaimId, EvidenceId, Kind, Position};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::answer::{FactText, Item};
use crate::carried::{CarriedAct, carried};
use crate::error::EngineError;
use crate::recall::as_of;
use crate::subject::Snapshot;
use crate::view::View;
use crate::{Call, Engine};

/// Messages read from the store at a time.
const PAGE: usize = 500;

/// What was told of a subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct Exported {
    /// Messages.
    pub messages: u64,
    /// Claims told with them.
    pub claims: u64,
    /// Messages of which only the quoted words are kept, told as those.
    pub quotes_only: u64,
    /// Decisions of disputes, in lines of their own between the messages.
    pub acts: u64,
    /// Decisions whose claims were forgotten since, which nothing can carry.
    pub acts_left_out: u64,
    /// The last append this saw.
    pub watermark: u64,
}

/// One fact as a page tells it: what holds, and what held before.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// The fact.
    pub fact: FactText,
    /// What people call the predicate.
    pub label: String,
    /// The class of the predicate, such as `identity`.
    pub class: String,
    /// The versions that hold now; several where they contradict each other.
    pub current: Vec<Item>,
    /// The versions that were closed or superseded, oldest first.
    pub before: Vec<Item>,
    /// The words behind the current versions, with the source and the time they were said.
    pub quotes: Vec<(String, String, String)>,
}

impl Engine {
    /// Hands every message and every decision of the subject to `each`, in the order of the log, in the shape that
    /// observing takes. Claims that were added to a message later come with the message a second time, where they were added.
    ///
    /// # Errors
    /// The store's, and what `each` answers.
    pub fn export<E: From<EngineError>>(
        &self,
        call: Call<'_>,
        mut each: impl FnMut(&Json) -> Result<(), E>,
    ) -> Result<Exported, E> {
        let held = self.held(call.scope);
        let snapshot = held.read(self.store(), call.scope, self.policies())?;
        let mut claims = ClaimsOfMessages::default();
        let mut in_order: Vec<_> = snapshot.memory.claims().collect();
        in_order.sort_unstable_by_key(|(id, _)| *id);
        for (id, claim) in in_order {
            claims.add(id, claim);
        }
        let mut exported = Exported { watermark: snapshot.durable, ..Exported::default() };
        // What happened between the messages, by where it stands.
        let mut between: BTreeMap<Position, Between<'_>> = BTreeMap::new();
        for (position, act) in snapshot.memory.acts().filter(|(position, _)| position.seq <= snapshot.durable)
        {
            match carried(&snapshot.memory, act) {
                Some(carried) => drop(between.insert(position, Between::Act(carried))),
                None if matches!(act.kind, ActKind::ResolveDispute { .. }) => exported.acts_left_out += 1,
                // Observing the editions again makes this act again.
                None => {}
            }
        }
        for (position, (evidence, added)) in std::mem::take(&mut claims.added_later) {
            between.insert(position, Between::Claims(evidence, added));
        }
        let mut between = between.into_iter().peekable();
        let mut last: Option<Position> = None;
        loop {
            let page = self.store().evidence_after(call.scope, last, PAGE).map_err(EngineError::from)?;
            last = page.last().map(|(id, _)| id.0);
            for (id, evidence) in page.iter().filter(|(id, _)| id.0.seq <= snapshot.durable) {
                while let Some((_, one)) = between.next_if(|(position, _)| *position < id.0) {
                    self.export_between(call, &snapshot, one, &claims, &mut exported, &mut each)?;
                }
                let of_message = claims.all.get(id).map(Vec::as_slice).unwrap_or_default();
                let first = claims.first.get(id).map(Vec::as_slice).unwrap_or_default();
                let Some(message) = message(&snapshot, evidence, of_message, first) else { continue };
                exported.messages += 1;
                exported.claims += first.len() as u64;
                exported.quotes_only += u64::from(evidence.words.text.is_none());
                each(&message)?;
            }
            if last.is_none() {
                break;
            }
        }
        for (_, one) in between {
            self.export_between(call, &snapshot, one, &claims, &mut exported, &mut each)?;
        }
        Ok(exported)
    }

    fn export_between<E: From<EngineError>>(
        &self,
        call: Call<'_>,
        snapshot: &Snapshot,
        one: Between<'_>,
        claims: &ClaimsOfMessages<'_>,
        exported: &mut Exported,
        each: &mut impl FnMut(&Json) -> Result<(), E>,
    ) -> Result<(), E> {
        match one {
            Between::Act(act) => {
                exported.acts += 1;
                let told = serde_json::to_value(&act)
                    .map_err(|error| EngineError::Conflict(format!("an act cannot be told: {error}")))?;
                each(&told)
            }
            Between::Claims(id, added) => {
                let found = self.store().evidence(call.scope, &[id]).map_err(EngineError::from)?;
                let Some(evidence) = found.into_iter().flatten().next() else { return Ok(()) };
                let of_message = claims.all.get(&id).map(Vec::as_slice).unwrap_or_default();
                let Some(message) = message(snapshot, &evidence, of_message, &added) else { return Ok(()) };
                exported.claims += added.len() as u64;
                each(&message)
            }
        }
    }

    /// Every fact with what holds and what held, by class, entity and predicate.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn tell_everything(&self, call: Call<'_>) -> Result<Vec<Told>, EngineError> {
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let mut told: Vec<(usize, Told)> = snapshot
                .memory
                .facts()
                .iter()
                .filter_map(|fact| {
                    let identity = view.fact(fact)?;
                    let predicate = self.registry().get(&identity.predicate)?;
                    let mut one = Told {
                        label: predicate.label.clone(),
                        class: format!("{:?}", predicate.class).to_lowercase(),
                        fact: identity,
                        current: Vec::new(),
                        before: Vec::new(),
                        quotes: Vec::new(),
                    };
                    for version in &fact.versions {
                        let item = view.item(fact, version, 1.0, Map::new());
                        if !version.is_current(&view.as_of) {
                            one.before.extend(item);
                            continue;
                        }
                        one.current.extend(item);
                        for claim in version.supporting(u64::MAX).filter_map(|id| snapshot.memory.claim(id)) {
                            let from = snapshot.memory.source(claim.source);
                            let from =
                                from.map(|source| format!("{} {}", source.kind.as_str(), source.reference));
                            let said = claim.event_time.to_string();
                            let quotes = claim.words.quotes.iter().map(|quote| quote.text().to_owned());
                            one.quotes.extend(
                                quotes.map(|quote| (quote, from.clone().unwrap_or_default(), said.clone())),
                            );
                        }
                    }
                    Some((predicate.class as usize, one))
                })
                .collect();
            told.sort_by(|(left_class, left), (right_class, right)| {
                let left = (left_class, &left.fact.entity, &left.fact.predicate, &left.fact.id);
                left.cmp(&(right_class, &right.fact.entity, &right.fact.predicate, &right.fact.id))
            });
            Ok(told.into_iter().map(|(_, told)| told).collect())
        })
    }
}

/// What an export tells between two messages.
enum Between<'memory> {
    /// A decision.
    Act(CarriedAct),
    /// Claims that were added to a message after it had been taken in.
    Claims(EvidenceId, Vec<&'memory Claim>),
}

/// The claims of each message, apart by when they came.
#[derive(Default)]
struct ClaimsOfMessages<'memory> {
    /// All of a message, in the order of the log.
    all: BTreeMap<EvidenceId, Vec<&'memory Claim>>,
    /// Those that came with it, of one proposer.
    first: BTreeMap<EvidenceId, Vec<&'memory Claim>>,
    /// The others, by where the first of them stands.
    added_later: BTreeMap<Position, (EvidenceId, Vec<&'memory Claim>)>,
    /// The append and the proposer of the claims that were added last, by message, and where they are.
    last: BTreeMap<EvidenceId, (u64, &'memory str, Option<Position>)>,
}

impl<'memory> ClaimsOfMessages<'memory> {
    fn add(&mut self, id: ClaimId, claim: &'memory Claim) {
        let message = claim.evidence;
        self.all.entry(message).or_default().push(claim);
        let came = (id.0.seq, claim.proposer.as_str());
        let place = match self.last.get(&message) {
            Some((seq, proposer, place)) if (*seq, *proposer) == came => *place,
            None if id.0.seq == message.0.seq => None,
            _ => Some(id.0),
        };
        self.last.insert(message, (came.0, came.1, place));
        match place {
            None => self.first.entry(message).or_default().push(claim),
            Some(place) => {
                self.added_later.entry(place).or_insert_with(|| (message, Vec::new())).1.push(claim)
            }
        }
    }
}

/// A message as observing takes it, with `claims` as its proposals; `all` is what its text is told by where only quotes are
/// kept. `None` when its source is gone, or neither text nor quotes are left.
fn message(snapshot: &Snapshot, evidence: &Evidence, all: &[&Claim], claims: &[&Claim]) -> Option<Json> {
    let source = snapshot.memory.source(evidence.source)?;
    let text = match &evidence.words.text {
        Some(text) => text.clone(),
        None => {
            let quotes = all.iter().flat_map(|claim| claim.words.quotes.iter());
            quotes.map(|quote| quote.text()).collect::<Vec<_>>().join("\n")
        }
    };
    if text.trim().is_empty() {
        return None;
    }
    let mut from = Map::new();
    let mut put = |name: &str, value: Option<String>| {
        value.map(|value| from.insert(name.to_owned(), Json::String(value)));
    };
    put("kind", Some(source.kind.as_str().to_owned()));
    put("ref", Some(source.reference.clone()));
    put("title", source.title.clone());
    put("authority", Some(source.authority.to_string()));
    put("fidelity", Some(source.fidelity.to_string()));
    put("mode", Some(source.mode.to_string()));
    put("retention", Some(source.retention.to_string()));
    let origin = source.copy_of.and_then(|origin| snapshot.memory.source(origin));
    put("lineage", origin.map(|origin| format!("{}:{}", origin.kind.as_str(), origin.reference)));
    let mut told = Map::new();
    told.insert("source".to_owned(), Json::Object(from));
    let mut put = |name: &str, value: Option<Json>| {
        value.map(|value| told.insert(name.to_owned(), value));
    };
    let words = &evidence.words;
    put("session", words.session.as_ref().map(|session| json!(session)));
    put("author", Some(json!(evidence.author.as_str())));
    put("author_name", words.author_name.as_ref().map(|name| json!(name)));
    put("event_time", Some(json!(evidence.event_time.to_string())));
    put("external_id", words.external_id.as_ref().map(|id| json!(id)));
    put("text", Some(json!(text)));
    let attachments: Vec<Json> = words
        .attachments
        .iter()
        .map(|one| json!({"name": one.name, "media_type": one.media_type, "size": one.bytes}))
        .collect();
    put("attachments", (!attachments.is_empty()).then(|| json!(attachments)));
    put("proposals", Some(Json::Array(claims.iter().map(|claim| proposal(claim)).collect())));
    put("proposer", claims.first().map(|claim| json!(claim.proposer)));
    let kept = claims.iter().any(|claim| matches!(claim.proposer.as_str(), "remember" | "correct"));
    put("kept_on_purpose", kept.then_some(Json::Bool(true)));
    Some(Json::Object(told))
}

/// A claim as the proposal it was made from.
fn proposal(claim: &Claim) -> Json {
    let quotes: Vec<&str> = claim.words.quotes.iter().map(|quote| quote.text()).collect();
    let mut told = json!({
        "entity": claim.words.entity.to_string(),
        "predicate": claim.predicate,
        "confidence": f64::from(claim.confidence_permille) / 1_000.0,
        "op": claim.op.to_string(),
    });
    let mut put = |name: &str, value: Json| told[name] = value;
    match quotes.as_slice() {
        [one] => put("quote", json!(one)),
        several => put("quotes", json!(several)),
    }
    if let Some(stated) = &claim.words.value {
        put("value", json!(stated.written));
    } else if claim.op == Op::Assert {
        put("value", Json::Null);
    }
    if let Some(from) = claim.valid_from {
        put("valid_from", json!(from.to_string()));
    }
    if let Some(to) = claim.valid_to {
        put("valid_to", json!(to.to_string()));
    }
    if claim.inferred {
        put("inferred", json!(true));
    }
    told
}

/// A source, and how much it said.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SourceListed {
    /// Its id.
    pub id: String,
    /// The sort of place.
    pub kind: String,
    /// Its name within the sort.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What people call it.
    pub title: Option<String>,
    /// How much its word weighs.
    pub authority: String,
    /// How true to the words it is.
    pub fidelity: String,
    /// Which editions are its word.
    pub mode: String,
    /// How much of the words is kept.
    pub retention: String,
    /// The source it was copied from.
    pub lineage: Option<String>,
    /// Claims it made that stand.
    pub claims: usize,
}

/// The sources of a subject.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Sources {
    /// In the order they were first seen.
    pub sources: Vec<SourceListed>,
    /// The last append this saw.
    pub watermark: u64,
}

impl Engine {
    /// Every source of the subject, in the order they were first seen.
    ///
    /// # Errors
    /// As the store's reads.
    pub fn sources(&self, call: Call<'_>) -> Result<Sources, EngineError> {
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let mut found: Vec<_> = snapshot.memory.sources().collect();
            found.sort_unstable_by_key(|(id, _)| *id);
            let listed = found.into_iter().map(|(id, source)| SourceListed {
                id: view.id(Kind::Source, id),
                kind: source.kind.as_str().to_owned(),
                reference: source.reference.clone(),
                title: source.title.clone(),
                authority: source.authority.to_string(),
                fidelity: source.fidelity.to_string(),
                mode: source.mode.to_string(),
                retention: source.retention.to_string(),
                lineage: source.copy_of.map(|origin| view.id(Kind::Source, origin)),
                claims: snapshot.memory.claims_of(id).count(),
            });
            Ok(Sources { sources: listed.collect(), watermark: view.as_of.watermark })
        })
    }
}
