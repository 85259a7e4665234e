//! What holds after every stretch of operations, on both sides and in every process.

use std::collections::BTreeSet;

use ledger::admission::Policies;
use ledger::id::SourceId;
use ledger::memory::Memory;
use ledger::time::Instant;
use serde_json::{Value as Json, json};

use super::{Simulation, call, state};
use crate::world::fold;

/// What was held at a moment on both clocks, as it was seen once.
pub(super) struct Look {
    valid_at: Instant,
    believed_at: Instant,
    items: Json,
    /// Erasures before it was taken; after another one it need not be the same any more.
    erasures: usize,
}

/// Looks kept of a subject.
const LOOKS_MAX: usize = 6;
/// Turns replayed at a time.
const REPLAYED_MAX: usize = 5;

impl Simulation {
    /// Compares the ledgers and checks the promises.
    pub(super) fn check_everything(&mut self) {
        for subject in 0..self.clients.len() {
            let process = self.chance.below(self.processes.len());
            self.check_ledger(subject, process);
            self.check_state(subject);
            self.check_turns(subject, process);
            self.check_looks(subject, process);
        }
    }

    /// The printed ledgers are equal, and what is stored verifies.
    fn check_ledger(&self, subject: usize, process: usize) {
        let client = &self.clients[subject];
        let what = format!("the ledger of subject {subject} after {}", self.what());
        let pair = &self.processes[process];
        let now = self.clock;
        pair.look(&what, |store| {
            let memory = fold(store, &client.scope, u64::MAX);
            assert_support_counts_lineages(&memory, now, &what);
            ledger::print::print(&memory, &Policies::shipped().registry, &memory.now(now))
        });
        let call = call(&client.scope, now);
        let verified = pair.ask(&what, call, |engine, _| engine.verify(call)).expect("the store is read");
        assert_eq!(verified["ok"], json!(true), "{what}: {verified}");
    }

    /// Every process answers the same, and a dispute stands whole.
    fn check_state(&self, subject: usize) {
        let client = &self.clients[subject];
        let what = format!("the state of subject {subject} after {}", self.what());
        let call = call(&client.scope, self.clock);
        let answers: Vec<Result<Json, String>> = self
            .processes
            .iter()
            .map(|process| process.ask(&what, call, |engine, _| engine.state(call, None, None)))
            .collect();
        assert!(answers.windows(2).all(|two| two[0] == two[1]), "{what}: processes differ: {answers:?}");
        let Some(Ok(told)) = answers.first() else { panic!("{what}: {answers:?}") };
        let items = told["items"].as_array().cloned().unwrap_or_default();
        let there: BTreeSet<&str> = items.iter().filter_map(|item| item["id"].as_str()).collect();
        for item in &items {
            for other in item["dispute"].as_array().into_iter().flatten() {
                assert!(there.contains(other.as_str().unwrap_or_default()), "{what}: half a dispute: {item}");
            }
        }
    }

    /// Turns replay as they were, but for what was forgotten since.
    fn check_turns(&mut self, subject: usize, process: usize) {
        let what = format!("a turn of subject {subject} after {}", self.what());
        let client = &self.clients[subject];
        let call = call(&client.scope, self.clock);
        for (turn, erasures) in client.turns.iter().rev().take(REPLAYED_MAX) {
            let replayed =
                self.processes[process].ask(&what, call, |engine, ids| engine.replay(call, &ids.of(*turn)));
            if *erasures == client.erasures {
                let replayed = replayed.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert_eq!(replayed["identical"], json!(true), "{what}: {replayed}");
                self.told.replayed += 1;
            }
        }
    }

    /// What was held once is still what was held then; and something is looked at, for the next time.
    fn check_looks(&mut self, subject: usize, process: usize) {
        let what = format!("the past of subject {subject} after {}", self.what());
        let now = self.clock;
        let client = &mut self.clients[subject];
        let pair = &self.processes[process];
        let call = call(&client.scope, now);
        let look = |valid_at: Instant, believed_at: Instant| {
            let told = pair.ask(&what, call, |engine, _| state(engine, call, valid_at, believed_at));
            told.expect("state answers")["items"].clone()
        };
        client.looks.retain(|look| look.erasures == client.erasures);
        for one in &client.looks {
            let again = look(one.valid_at, one.believed_at);
            assert_eq!(again, one.items, "{what}: believed at {}, another past", one.believed_at);
            self.told.looks += 1;
        }
        // What is appended later is recorded at the head's time or after it, whatever the clocks say; the instant before is over.
        let head = pair.look(&what, |store| store.head(&client.scope).map(|head| head.recorded_at).ok());
        let Some(believed_at) = head.map(|at| Instant::from_micros(at.micros() - 1)) else { return };
        let items = look(now, believed_at);
        client.looks.push(Look { valid_at: now, believed_at, items, erasures: client.erasures });
        let over = client.looks.len().saturating_sub(LOOKS_MAX);
        client.looks.drain(..over);
    }
}

/// The support of what is held is the number of origins behind what stands for it: copies do not count beside what they copy.
fn assert_support_counts_lineages(memory: &Memory, now: Instant, what: &str) {
    let as_of = memory.now(now);
    for fact in memory.facts() {
        for version in fact.versions.iter().filter(|version| version.is_current(&as_of)) {
            let claims = version.supporting(u64::MAX).filter_map(|id| memory.claim(id));
            let origins: BTreeSet<SourceId> = claims.map(|claim| origin(memory, claim.source)).collect();
            let support = memory.support(fact, version, &as_of);
            assert!(
                (1..=origins.len()).contains(&support),
                "{what}: support {support} of {} origins",
                origins.len()
            );
        }
    }
}

/// The source that was copied, and what that was copied from, to the first.
fn origin(memory: &Memory, source: SourceId) -> SourceId {
    let mut origin = source;
    while let Some(copied) = memory.source(origin).and_then(|source| source.copy_of) {
        origin = copied;
    }
    origin
}
