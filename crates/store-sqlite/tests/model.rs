//! A hundred thousand random operations, each put to SQLite and to the reference store, each answer compared.
//!
//! `MODEL_SEED` and `MODEL_OPERATIONS` in the environment choose another run; a failure prints what to set.
#![allow(clippy::disallowed_methods, reason = "the seed may be given from outside")]

use crate::places;
use ledger::conformance::{
    Upon, at, evidence, first_story, keyed, leaving, lifting, mark, message, record_turn, scope, source,
    story, tombstones, turn,
};
use ledger::evidence::{ContentHash, EvidenceWords, Marks};
use ledger::fact::{Act, ActKind, ActWords, Transition, TransitionKind};
use ledger::id::{ClaimId, EvidenceId, FactId, Position, SourceId, TurnId};
use ledger::keys::Fingerprint;
use ledger::log::{Batch, Erasure, Keyed, Lift, Row};
use ledger::receipt::{Destruction, first_broken};
use ledger::reference::ReferenceStore;
use ledger::scope::Scope;
use ledger::store::{Appended, Erased, Store};
use store_sqlite::{Options, SqliteStore, Synchronous};

const SUBJECTS: u64 = 5;

/// A small generator of numbers; the same seed gives the same run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let place = self.below(from.len() as u64) as usize;
        from.get(place).cloned()
    }
}

/// A message that stands, with the rows that came with it.
#[derive(Clone)]
struct Message {
    evidence: Position,
    fact: Position,
    claim: Position,
    transitions: Vec<Position>,
    number: u64,
}

/// What the generator knows of a subject, so that most of what it asks makes sense.
#[derive(Default)]
struct Known {
    watermark: u64,
    sources: Vec<Position>,
    messages: Vec<Message>,
    keys: Vec<u64>,
    turns: u64,
}

struct Run {
    chance: Chance,
    number: u64,
    subjects: Vec<(Scope, Known)>,
    reference: ReferenceStore,
    sqlite: SqliteStore,
}

#[test]
fn sqlite_answers_as_the_reference_does() {
    let set = |name: &str, otherwise: u64| -> u64 {
        std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let (seed, operations) = (set("MODEL_SEED", 20_261_130), set("MODEL_OPERATIONS", 40_000));
    println!("MODEL_SEED={seed} MODEL_OPERATIONS={operations}");
    let options = Options { synchronous: Synchronous::Off, ..Options::default() };
    let mut run = Run {
        chance: Chance(seed),
        number: 0,
        subjects: (0..SUBJECTS).map(|name| (scope(&format!("subject {name}")), Known::default())).collect(),
        reference: ReferenceStore::new(),
        sqlite: SqliteStore::open(&places::fresh(), options).expect("a store"),
    };
    for operation in 0..operations {
        run.step(operation);
    }
    for (scope, _) in &run.subjects {
        assert_eq!(
            run.sqlite.verify(scope).expect("sqlite"),
            run.reference.verify(scope).expect("reference")
        );
        assert_eq!(
            run.sqlite.changes_since(scope, 0).expect("sqlite"),
            run.reference.changes_since(scope, 0).expect("reference")
        );
    }
}

impl Run {
    /// Asks both stores the same; the answer, when they agree.
    fn both<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        ask: impl Fn(&dyn Store) -> Result<T, ledger::store::StoreError>,
    ) -> T {
        let expected = ask(&self.reference).unwrap_or_else(|error| panic!("{what}: reference: {error}"));
        let given = ask(&self.sqlite).unwrap_or_else(|error| panic!("{what}: sqlite: {error}"));
        assert_eq!(given, expected, "{what}");
        given
    }

    fn step(&mut self, operation: u64) {
        let subject = self.chance.below(SUBJECTS) as usize;
        let scope = self.subjects[subject].0.clone();
        let what = format!("operation {operation} on subject {subject}");
        match self.chance.below(1_000) {
            0..300 => self.append(&what, subject),
            // Lives are counted by each store in its own way; that there is one is what both must say.
            300..420 => drop(self.both(&what, |store| {
                let head = store.head(&scope)?;
                Ok((head.watermark, head.recorded_at, head.incarnation > 0))
            })),
            420..570 => {
                let back = if self.chance.one_in(200) { u64::MAX } else { self.chance.below(12) };
                let watermark = self.subjects[subject].1.watermark;
                let after = (watermark + self.chance.below(2)).saturating_sub(back);
                self.both(&what, |store| store.changes_since(&scope, after));
            }
            570..680 => {
                let marks: Vec<Marks> = (0..self.chance.below(5)).map(|_| self.marks(subject)).collect();
                self.both(&what, |store| store.recognise(&scope, &marks));
            }
            680..720 => {
                let marks = self.fingerprints(subject);
                self.both(&what, |store| store.forgotten(&scope, &marks));
            }
            720..730 => {
                let lift = match self.chance.below(4) {
                    0 => Lift::Everything,
                    1 => Lift::Source(mark("source", 1)),
                    _ => Lift::Marks(self.fingerprints(subject)),
                };
                self.both(&what, |store| store.tombstones(&scope, &lift));
                self.number += 1;
                let basis = self.subjects[subject].1.watermark;
                let act = keyed(self.number, lifting(self.number, lift));
                let appended = self.both(&what, |store| {
                    store.append(&scope, &store.upon(&scope, basis), std::slice::from_ref(&act))
                });
                if let Appended::Done(watermark) = appended {
                    self.subjects[subject].1.watermark = watermark;
                }
            }
            730..820 => {
                let ids: Vec<EvidenceId> =
                    (0..self.chance.below(4)).map(|_| EvidenceId(self.place(subject))).collect();
                self.both(&what, |store| store.evidence(&scope, &ids));
            }
            820..860 => {
                let after = if self.chance.one_in(8) { None } else { Some(self.place(subject)) };
                let limit = self.chance.below(6) as usize;
                self.both(&what, |store| store.evidence_after(&scope, after, limit));
            }
            860..862 => self.erase(&what, subject),
            862 => {
                let erasure = leaving(&scope, &self.fingerprints(subject));
                self.both(&what, |store| store.erase_subject(&scope, &erasure));
                self.subjects[subject].1 = Known::default();
                // Hashes hang on salts, which each store draws for itself.
                self.both(&what, |store| {
                    let records = store.destructions()?;
                    assert_eq!(first_broken(&records), None);
                    let told = |one: &Destruction| {
                        (one.number, one.subject, one.by, one.at, one.watermark, one.rows)
                    };
                    Ok(records.iter().map(told).collect::<Vec<_>>())
                });
            }
            863..915 => {
                let number = self.chance.below(self.subjects[subject].1.turns + 2);
                let id =
                    self.both(&what, |store| record_turn(store, &scope, mark("turn", number), &turn(number)));
                let turns = &mut self.subjects[subject].1.turns;
                *turns = id.0.seq.max(*turns);
            }
            915..945 => {
                let turn = self.turn(subject);
                let used: Vec<u32> =
                    (0..self.chance.below(4)).map(|_| self.chance.below(12) as u32).collect();
                self.both(&what, |store| store.record_use(&scope, turn, &used, at(operation)));
            }
            945..975 => {
                let turn = self.turn(subject);
                self.both(&what, |store| store.turn(&scope, turn));
            }
            975..985 => drop(self.both(&what, |store| store.keys(&scope).map(|keys| keys.is_some()))),
            985 if self.chance.one_in(4) => drop(self.both(&what, |store| store.verify(&scope))),
            _ => drop(self.both(&what, |store| store.subjects())),
        }
    }

    fn turn(&mut self, subject: usize) -> TurnId {
        let turns = self.subjects[subject].1.turns;
        TurnId(Position::new(self.chance.below(turns + 2), self.chance.one_in(20).into()))
    }

    /// A place in the log, mostly of a message.
    fn place(&mut self, subject: usize) -> Position {
        let known = &self.subjects[subject].1;
        let made_up = Position::new(self.chance.below(known.watermark + 2), self.chance.below(6) as u32);
        if self.chance.one_in(4) {
            return made_up;
        }
        self.chance.pick(&known.messages).map_or(made_up, |message| message.evidence)
    }

    fn some_number(&mut self, subject: usize) -> u64 {
        let known = &self.subjects[subject].1;
        let other = self.chance.below(self.number + 1);
        let message = self.chance.pick(&known.messages);
        if self.chance.one_in(3) { other } else { message.map_or(other, |message| message.number) }
    }

    fn marks(&mut self, subject: usize) -> Marks {
        let number = self.some_number(subject);
        let other = self.some_number(subject);
        let external_id = (!self.chance.one_in(3)).then(|| mark("external", other));
        Marks { external_id, moment: mark("moment", number), text: mark("text", number) }
    }

    fn fingerprints(&mut self, subject: usize) -> Vec<Fingerprint> {
        (0..self.chance.below(5))
            .map(|_| {
                let number = self.some_number(subject);
                let purpose = ["moment", "text", "external"][self.chance.below(3) as usize];
                mark(purpose, number)
            })
            .collect()
    }

    /// A batch for append `seq`, and what the generator will know when it is taken.
    fn batch(&mut self, seq: u64, known: &mut Known) -> Batch {
        self.number += 1;
        let number = self.number;
        let from = self.chance.pick(&known.sources).filter(|_| !self.chance.one_in(10));
        let (mut batch, first) = match from {
            Some(from) => (story(seq, SourceId(from), number), 0),
            None => (first_story(seq, number), 1),
        };
        let source = from.unwrap_or(Position::new(seq, 0));
        if from.is_none() {
            known.sources.push(source);
        }
        let place = |row: u32| Position::new(seq, row);
        known.messages.push(Message {
            evidence: place(first),
            fact: place(first + 1),
            claim: place(first + 2),
            transitions: vec![place(first + 3)],
            number,
        });
        if self.chance.one_in(3)
            && let Row::Evidence(said) = &mut batch.rows[first as usize]
        {
            said.marks.external_id = Some(mark("external", number));
            said.words.external_id = Some(format!("message {number}"));
        }
        if self.chance.one_in(20) {
            let words = ActWords { reason: format!("reason {number}"), by: "somebody".to_owned() };
            let kind = ActKind::Withdraw { source: SourceId(source) };
            batch.rows.push(Row::Act(Act { at: at(number), kind, words }));
        }
        if self.chance.one_in(20) {
            self.number += 1;
            let text = "long ".repeat(self.chance.below(800) as usize + 1);
            batch.rows.push(Row::Evidence(evidence(SourceId(source), &text, self.number)));
        }
        if self.chance.one_in(20) {
            self.number += 1;
            let ordinal = batch.rows.len() as u32;
            batch.rows.extend(message(seq, ordinal, SourceId(source), self.number));
        }
        if self.chance.one_in(30) {
            batch.rows.push(Row::Source(source_copied(number, source)));
        }
        batch
    }

    fn append(&mut self, what: &str, subject: usize) {
        let (scope, mut known) = {
            let (scope, known) = &mut self.subjects[subject];
            (scope.clone(), std::mem::take(known))
        };
        let basis = match self.chance.below(12) {
            0 => known.watermark.saturating_sub(1 + self.chance.below(3)),
            1 => known.watermark + 1,
            _ => known.watermark,
        };
        let size = 1 + self.chance.below(3) * u64::from(self.chance.one_in(4));
        let mut after = Known {
            watermark: basis + size,
            sources: known.sources.clone(),
            messages: known.messages.clone(),
            keys: known.keys.clone(),
            turns: known.turns,
        };
        let mut group: Vec<Keyed> = Vec::new();
        for seq in basis + 1..=basis + size {
            let batch = self.batch(seq, &mut after);
            let repeated = self.chance.pick(&known.keys).filter(|_| self.chance.one_in(15));
            let key = repeated.filter(|key| group.iter().all(|other| other.key != mark("request", *key)));
            let key = key.unwrap_or(self.number);
            after.keys.push(key);
            group.push(keyed(key, batch));
        }
        let appended = self.both(what, |store| store.append(&scope, &store.upon(&scope, basis), &group));
        if matches!(appended, Appended::Done(_)) {
            // The log grows long in a hundred thousand steps; what is old need not be asked for as often.
            known = after;
        }
        self.subjects[subject].1 = known;
    }

    fn erase(&mut self, what: &str, subject: usize) {
        let scope = self.subjects[subject].0.clone();
        let mut known = std::mem::take(&mut self.subjects[subject].1);
        self.number += 1;
        let number = self.number;
        let seq = known.watermark + 1;
        let mut erasure = Erasure { recorded_at: at(number), ..Erasure::default() };
        let mut kept = known.messages.clone();
        for _ in 0..1 + self.chance.below(3) {
            let place = self.chance.below(kept.len() as u64) as usize;
            if place < kept.len() {
                let gone = kept.remove(place);
                erasure.remove.evidence.push(gone.evidence);
                erasure.remove.facts.push(gone.fact);
                erasure.remove.claims.push(gone.claim);
                erasure.remove.transitions.extend(&gone.transitions);
                let all = ["moment", "text", "external"].map(|purpose| mark(purpose, gone.number));
                let some = self.chance.below(4) as usize;
                erasure.tombstones.extend(tombstones(&all[..some.min(all.len())]));
            }
        }
        if let Some(reduced) = self.chance.pick(&kept) {
            let words = EvidenceWords {
                text: None,
                hash: ContentHash([0; 32]),
                external_id: None,
                session: Some(format!("session {number}")),
                author_name: None,
                attachments: Vec::new(),
            };
            erasure.reduce.push((EvidenceId(reduced.evidence), words));
        }
        if !kept.is_empty() {
            let place = self.chance.below(kept.len() as u64) as usize;
            let told = &mut kept[place];
            erasure.remove.transitions.append(&mut told.transitions);
            for kind in [TransitionKind::Open, TransitionKind::Confirm] {
                let ordinal = (erasure.reduce.len() + erasure.rewrite.len()) as u32;
                told.transitions.push(Position::new(seq, ordinal));
                let opening =
                    ledger::conformance::opening(FactId(told.fact), ClaimId(told.claim), at(told.number));
                erasure.rewrite.push(Transition { kind, ..opening });
            }
        }
        // Sources without messages may go altogether; those that other rows refer to stay.
        let barren: Vec<Position> =
            known.sources.iter().copied().filter(|source| self.is_barren(&scope, *source)).collect();
        if let Some(source) = self.chance.pick(&barren) {
            erasure.remove.sources.push(source);
            erasure.shred.push(SourceId(source));
            known.sources.retain(|other| *other != source);
        }
        let basis = if self.chance.one_in(6) { known.watermark + 1 } else { known.watermark };
        let key = mark("erasure", number - self.chance.below(2));
        let erased = self.both(what, |store| store.erase(&scope, &store.upon(&scope, basis), key, &erasure));
        if let Erased::Done { watermark, .. } = erased
            && watermark == seq
        {
            known.watermark = watermark;
            known.messages = kept;
        } else if !erasure.remove.sources.is_empty() {
            known.sources.extend(&erasure.remove.sources);
        }
        self.subjects[subject].1 = known;
    }

    /// Whether no evidence of the source stands and none of the generator's messages is of it.
    fn is_barren(&self, scope: &Scope, source: Position) -> bool {
        let all = self.reference.evidence_after(scope, None, usize::MAX).expect("evidence");
        all.iter().all(|(_, evidence)| evidence.source.0 != source)
    }
}

fn source_copied(number: u64, origin: Position) -> ledger::source::Source {
    ledger::source::Source { copy_of: Some(SourceId(origin)), ..source(&format!("copy {number}")) }
}
