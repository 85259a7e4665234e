//! A small world to adjudicate in: sources, statements and acts, folded and settled one after another.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::collections::BTreeMap;

use ledger::adjudicate::{Adjudicated, Place, adjudicate};
use ledger::claim::{Claim, ClaimWords, Op, Quote, Quotes, Realm};
use ledger::entity::EntityRef;
use ledger::erase::{Plan, Targets, plan};
use ledger::evidence::{Attachment, Author, ContentHash, Evidence, EvidenceWords, Marks};
use ledger::fact::{Act, ActKind, ActWords, FactRow};
use ledger::id::{ClaimId, EvidenceId, FactId, Position, SourceId};
use ledger::keys::{BlindKey, Fingerprint};
use ledger::log::Row;
use ledger::memory::{Memory, fact_key};
use ledger::registry::Registry;
use ledger::source::{Authority, Fidelity, Mode, Retention, Source, SourceKind};
use ledger::time::{AsOf, Instant, Moment};
use ledger::value::{RawValue, Value};

pub fn day(number: i64) -> Instant {
    Instant::from_micros(number * 86_400_000_000)
}

/// One thing somebody says.
#[derive(Clone, Debug)]
pub struct Says {
    pub source: u32,
    pub owner: bool,
    pub predicate: &'static str,
    pub value: Option<String>,
    pub said: i64,
    pub from: Option<i64>,
    pub to: Option<i64>,
    pub retract: bool,
}

impl Says {
    pub fn owner(predicate: &'static str, value: &str, said: i64) -> Self {
        Self {
            source: 0,
            owner: true,
            predicate,
            value: Some(value.into()),
            said,
            from: None,
            to: None,
            retract: false,
        }
    }

    pub fn world(source: u32, predicate: &'static str, value: &str, said: i64) -> Self {
        Self { source, owner: false, ..Self::owner(predicate, value, said) }
    }

    pub fn from(mut self, day: i64) -> Self {
        self.from = Some(day);
        self
    }

    pub fn to(mut self, day: i64) -> Self {
        self.to = Some(day);
        self
    }

    pub fn no_longer(mut self) -> Self {
        self.retract = true;
        self
    }
}

pub struct World {
    pub memory: Memory,
    pub rows: Vec<(Position, Row)>,
    sources: BTreeMap<u32, SourceId>,
    pub clock: i64,
}

impl Default for World {
    fn default() -> Self {
        Self { memory: Memory::default(), rows: Vec::new(), sources: BTreeMap::new(), clock: 100_000 }
    }
}

/// The rows of one append being put together.
struct Draft<'world> {
    world: &'world mut World,
    seq: u64,
    ordinal: u32,
}

impl Draft<'_> {
    fn push(&mut self, row: Row) -> Position {
        let position = Position::new(self.seq, self.ordinal);
        self.ordinal += 1;
        self.world.memory.apply_row(position, &row, Registry::shipped());
        self.world.rows.push((position, row));
        position
    }

    fn settle(&mut self, fact: FactId, cause: Position) -> Adjudicated {
        let place = Place { next: Position::new(self.seq, self.ordinal), at: day(self.world.clock) };
        let adjudicated = adjudicate(&self.world.memory, fact, cause, place).expect("known fact");
        for transition in &adjudicated.transitions {
            self.push(Row::Transition(transition.clone()));
        }
        adjudicated
    }
}

impl World {
    fn append<T>(&mut self, write: impl FnOnce(&mut Draft<'_>) -> T) -> T {
        let seq = self.memory.watermark() + 1;
        let mut draft = Draft { world: self, seq, ordinal: 0 };
        let result = write(&mut draft);
        let at = day(self.clock);
        self.memory.finish(seq, at);
        self.clock += 1;
        result
    }

    pub fn source(&self, number: u32) -> SourceId {
        self.sources[&number]
    }

    pub fn says(&mut self, says: &Says) -> Adjudicated {
        let known = self.sources.get(&says.source).copied();
        let number = says.source;
        let (source, adjudicated) = self.append(|draft| {
            let source = known.unwrap_or_else(|| {
                SourceId(draft.push(Row::Source(Source {
                    kind: SourceKind::parse("document").expect("a plain word"),
                    reference: format!("source {number}"),
                    title: None,
                    authority: Authority::Normal,
                    fidelity: Fidelity::VisibleTranscript,
                    mode: Mode::Snapshot,
                    retention: Retention::Full,
                    copy_of: None,
                })))
            });
            let claim = draft.world.claim(says, source);
            let key = fact_key(&claim, Registry::shipped());
            let text = claim.words.quotes.first().text().to_owned();
            let evidence = EvidenceId(draft.push(Row::Evidence(evidence_of(source, &claim, &text))));
            let fact = draft.world.memory.fact_with(&key).unwrap_or_else(|| {
                FactId(draft.push(Row::Fact(FactRow {
                    realm: claim.realm,
                    predicate: claim.predicate.clone(),
                    identity: Fingerprint([0; 16]),
                })))
            });
            let cause = draft.push(Row::Claim(Claim { evidence, fact, ..claim }.into()));
            (source, draft.settle(fact, cause))
        });
        self.sources.insert(number, source);
        adjudicated
    }

    fn claim(&self, says: &Says, source: SourceId) -> Claim {
        let registry = Registry::shipped();
        let predicate = registry.get(says.predicate).expect(says.predicate);
        let stated = says.value.as_ref().map(|value| {
            Value::read(predicate.value, &RawValue::Text(value.clone())).expect("a readable value")
        });
        let text = format!(
            "{} {} on {} by {}",
            says.predicate,
            says.value.clone().unwrap_or_default(),
            says.said,
            says.source
        );
        Claim {
            fact: FactId(Position::new(0, 0)),
            evidence: EvidenceId(Position::new(0, 0)),
            source,
            author: if says.owner { Author::Owner } else { Author::External },
            realm: if says.owner { Realm::Owner } else { Realm::World },
            predicate: says.predicate.into(),
            op: if says.retract { Op::Retract } else { Op::Assert },
            confidence_permille: 900,
            event_time: day(says.said),
            valid_from: says.from.map(day),
            valid_to: says.to.map(day),
            inferred: false,
            policy: "admission/1".into(),
            proposer: "agent".into(),
            copy_mark: Fingerprint(blake3_short(&text)),
            words: ClaimWords {
                entity: if says.owner { EntityRef::owner() } else { EntityRef::parse("acme").expect("slug") },
                value: stated,
                quotes: Quotes::new(vec![Quote::cut(&text, 0, text.len()).expect("not empty")]).expect("one"),
            },
        }
    }

    pub fn act(&mut self, kind: ActKind) -> Vec<Adjudicated> {
        let at = day(self.clock);
        self.append(|draft| {
            let act = Act { at, kind, words: ActWords { reason: "asked".into(), by: "owner".into() } };
            let facts = draft.world.memory.facts_touched(&act);
            let cause = draft.push(Row::Act(act));
            facts.into_iter().map(|fact| draft.settle(fact, cause)).collect()
        })
    }

    pub fn plan(&self, targets: &Targets) -> Plan {
        let evidence: Vec<(EvidenceId, Evidence)> = self
            .rows
            .iter()
            .filter_map(|(position, row)| match row {
                Row::Evidence(evidence) => Some((EvidenceId(*position), evidence.clone())),
                _ => None,
            })
            .filter(|(id, evidence)| {
                targets.evidence.contains(id)
                    || targets.sources.contains(&evidence.source)
                    || targets
                        .claims
                        .iter()
                        .any(|claim| self.memory.claim(*claim).is_some_and(|claim| claim.evidence == *id))
            })
            .collect();
        let blind = BlindKey::derive(&[0; 32]);
        plan(&self.memory, Registry::shipped(), &blind, targets, &evidence, day(self.clock))
    }

    /// The memory after an erasure, read anew from the rows that are left.
    pub fn erased(&self, plan: &Plan) -> Memory {
        let gone: Vec<Position> = plan.erasure.remove.all().collect();
        let mut memory = Memory::default();
        for (position, row) in self.rows.iter().filter(|(position, _)| !gone.contains(position)) {
            memory.apply_row(*position, row, Registry::shipped());
        }
        for seq in 1..=self.memory.watermark() {
            memory.finish(seq, self.memory.recorded_when(seq).expect("recorded"));
        }
        let seq = self.memory.watermark() + 1;
        for (ordinal, row) in (plan.erasure.reduce.len() as u32..).zip(plan.erasure.written()) {
            memory.apply_row(Position::new(seq, ordinal), &row, Registry::shipped());
        }
        memory.finish(seq, day(self.clock));
        memory
    }

    pub fn last_claim(&self) -> ClaimId {
        let last = self.rows.iter().rev().find(|(_, row)| matches!(row, Row::Claim(_)));
        ClaimId(last.expect("a claim").0)
    }
}

fn blake3_short(text: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&ContentHash::of(text.as_bytes()).0[..16]);
    short
}

fn evidence_of(source: SourceId, claim: &Claim, text: &str) -> Evidence {
    let mark = Fingerprint(blake3_short(text));
    Evidence {
        source,
        author: claim.author,
        event_time: Moment::utc(claim.event_time),
        observed_at: claim.event_time,
        text_bytes: text.len() as u64,
        marks: Marks { external_id: None, moment: mark, text: mark },
        words: EvidenceWords {
            text: Some(text.to_owned()),
            hash: ContentHash::of(text.as_bytes()),
            external_id: None,
            session: None,
            author_name: None,
            attachments: Vec::<Attachment>::new(),
        },
    }
}

/// The held values of every fact, with their spans and support, told without ids: what two ledgers are compared by.
pub fn held(memory: &Memory, as_of: &AsOf) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in memory.facts() {
        for version in &fact.versions {
            let Some(state) = version.state(as_of) else { continue };
            let Some(claim) = memory.value_of(version) else { continue };
            lines.push(format!(
                "{} {} {} = {} {}..{} {} support {} claims {}",
                claim.realm,
                claim.words.entity,
                claim.predicate,
                claim.words.value_key(),
                state.validity.from(),
                state.validity.to().map(|to| to.to_string()).unwrap_or_default(),
                state.standing,
                memory.support(fact, version, as_of),
                version.supporting(as_of.watermark).count(),
            ));
        }
    }
    lines.sort();
    lines
}
