//! A life drawn from a seed: things are said, forgotten, asked; the log is written back; the store is closed and opened.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::error::{EngineError, ErrorKind};
use engine::forget::Forget;
use engine::observe::{Message, Observing};
use engine::turn::Turn;
use engine::{Call, Engine};
use faults::Chance;
use ledger::scope::Scope;
use rusqlite::Connection;
use serde_json::{Value as Json, json};
use store_sqlite::Options;

use super::place::Place;
use super::told::{Deed, Told};
use crate::world::{at, engine_on, message, scope};

/// How many people there are.
pub(super) const SUBJECTS: usize = 3;

/// A memory being lived.
pub struct Life<'place> {
    place: &'place Place,
    options: Options,
    chance: Chance,
    engine: Option<Engine>,
    told: Told,
    said: Vec<Said>,
    /// Sources of somebody who was to be forgotten are kept out; later messages come from others.
    epochs: [u64; SUBJECTS],
    next: u64,
    seed: u64,
    errors: u64,
    /// What the last of them said.
    last_error: Option<String>,
}

struct Said {
    subject: usize,
    number: u64,
    epoch: u64,
    /// Its id, once it is known to be there.
    evidence: Option<String>,
    /// Somebody tried to forget it.
    unwanted: bool,
}

impl<'place> Life<'place> {
    /// A life that has not begun.
    #[must_use]
    pub fn new(place: &'place Place, options: Options, seed: u64) -> Self {
        Self {
            place,
            options,
            chance: Chance::of(seed),
            engine: None,
            told: Told::default(),
            said: Vec::new(),
            epochs: [0; SUBJECTS],
            next: 0,
            seed,
            errors: 0,
            last_error: None,
        }
    }

    /// Does so many deeds, whatever comes of them.
    ///
    /// # Errors
    /// What no failing disk excuses: an error that blames the stored bytes, the keys or the caller, or an answer that says
    /// the wrong thing.
    pub fn live(&mut self, deeds: usize) -> Result<(), String> {
        for _ in 0..deeds {
            let deed = self.draw();
            self.attempt(deed)?;
        }
        Ok(())
    }

    /// Attempts one deed; whether it was acknowledged.
    ///
    /// # Errors
    /// As [`Life::live`].
    pub fn attempt(&mut self, deed: Deed) -> Result<bool, String> {
        match &deed {
            Deed::Reopen => self.engine = None,
            Deed::Say { subject, number } => self.note(*subject, *number),
            _ => {}
        }
        let place = self.told.begin(deed.clone());
        self.place.disk().mark(2 * place as u64);
        let done = match self.open() {
            Ok(()) => self.carry_out(place, &deed),
            Err(error) => Err(error),
        };
        match done {
            Ok(()) => {
                self.place.disk().mark(2 * place as u64 + 1);
                self.told.acknowledge(place);
                Ok(true)
            }
            // Gone by an attempt that had no answer; or nobody ever was there.
            Err(error)
                if error.kind() == ErrorKind::NotFound
                    && matches!(deed, Deed::Forget { .. } | Deed::ForgetSubject { .. }) =>
            {
                Ok(false)
            }
            Err(error) => {
                self.errors += 1;
                self.last_error = Some(format!("{deed:?}: {error}"));
                match error.kind() {
                    ErrorKind::Internal | ErrorKind::Unavailable | ErrorKind::Permission => Ok(false),
                    ErrorKind::Conflict if matches!(deed, Deed::Say { .. }) => Ok(false),
                    kind => Err(format!("{deed:?}: {kind:?}: {error}")),
                }
            }
        }
    }

    /// What was asked and answered so far.
    #[must_use]
    pub fn told(&self) -> &Told {
        &self.told
    }

    /// How many deeds ended in an error.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// What the last of them said.
    #[must_use]
    pub fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    /// Closes the store.
    pub fn close(&mut self) {
        self.engine = None;
    }

    fn draw(&mut self) -> Deed {
        let subject = self.chance.below(SUBJECTS as u64) as usize;
        let number = self.next;
        match self.chance.below(100) {
            0..=51 => Deed::Say { subject, number },
            52..=57 => match self.unanswered() {
                // Asked again, a message finds out whether it was taken.
                Some(saying) => Deed::Say { subject: saying.subject, number: saying.number },
                None => Deed::Say { subject, number },
            },
            58..=74 => {
                let known: Vec<u64> = self
                    .said
                    .iter()
                    .filter(|saying| saying.evidence.is_some())
                    .map(|saying| saying.number)
                    .collect();
                match known.get(self.chance.below(known.len() as u64) as usize) {
                    Some(number) => Deed::Forget { number: *number },
                    None => Deed::Say { subject, number },
                }
            }
            75..=76 => Deed::ForgetSubject { subject },
            77..=86 => Deed::Turn { subject },
            87..=92 => Deed::Checkpoint,
            _ => Deed::Reopen,
        }
    }

    /// Gives a message its place among what was said.
    fn note(&mut self, subject: usize, number: u64) {
        self.next = self.next.max(number + 1);
        if self.said.iter().all(|saying| saying.number != number) {
            let epoch = self.epochs[subject];
            self.said.push(Said { subject, number, epoch, evidence: None, unwanted: false });
        }
    }

    fn unanswered(&self) -> Option<&Said> {
        self.said.iter().rev().find(|saying| {
            saying.evidence.is_none() && !saying.unwanted && saying.epoch == self.epochs[saying.subject]
        })
    }

    fn open(&mut self) -> Result<(), EngineError> {
        if self.engine.is_none() {
            let store = self.place.open(&self.options)?;
            self.engine = Some(engine_on(Arc::new(store)));
        }
        Ok(())
    }

    fn carry_out(&mut self, place: usize, deed: &Deed) -> Result<(), EngineError> {
        let Some(engine) = &self.engine else { return Ok(()) };
        let now = at("2026-05-01");
        match deed {
            Deed::Say { subject, number } => {
                let Some(saying) = self.said.iter_mut().find(|saying| saying.number == *number) else {
                    return Ok(());
                };
                let scope = name(*subject);
                let call = Call { scope: &scope, now };
                let source = format!("talk {} {} {}", self.seed, saying.subject, saying.epoch);
                let message = super::life::saying(&source, saying.number);
                let mut observed = engine.observe(call, vec![message], Observing::default())?;
                let observed = observed.remove(0);
                assert!(observed.duplicate || observed.counts.admitted == 1, "{observed:#?}");
                saying.evidence = observed.evidence;
            }
            Deed::Forget { number } => {
                let Some(saying) = self.said.iter_mut().find(|saying| saying.number == *number) else {
                    return Ok(());
                };
                let Some(id) = saying.evidence.take() else { return Ok(()) };
                let first = !std::mem::replace(&mut saying.unwanted, true);
                let scope = name(saying.subject);
                let before = sealed(self.place);
                let call = Call { scope: &scope, now };
                match engine.forget(call, &Forget::Ids(vec![id.clone()]), false) {
                    Ok(told) => self.told.gone(place, vanished(self.place, before, told.residue)),
                    Err(EngineError::NotFound(_)) if first => {
                        return Err(EngineError::Input(format!("{} is lost", words(*number))));
                    }
                    // Without an answer it may still be there; another attempt finds out.
                    Err(error) => {
                        saying.evidence = Some(id);
                        return Err(error);
                    }
                }
            }
            Deed::ForgetSubject { subject } => {
                let scope = name(*subject);
                let before = sealed(self.place);
                self.epochs[*subject] += 1;
                for saying in self.said.iter_mut().filter(|saying| saying.subject == *subject) {
                    (saying.evidence, saying.unwanted) = (None, true);
                }
                let told = engine.forget(Call { scope: &scope, now }, &Forget::Subject, false)?;
                self.told.gone(place, vanished(self.place, before, told.residue));
            }
            Deed::Turn { subject } => {
                let scope = name(*subject);
                engine.turn(Call { scope: &scope, now }, &Turn::of("which puzzle do I like?"))?;
            }
            Deed::Checkpoint => {
                let checkpoint = || {
                    let connection = Connection::open(self.place.directory().join("ledger.db"))?;
                    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
                };
                // Whether it could be done is nobody's answer.
                let _ = checkpoint();
            }
            Deed::Reopen => {}
        }
        Ok(())
    }
}

/// Message `number` of the conversation `source`, with one claim.
#[must_use]
pub fn saying(source: &str, number: u64) -> Message {
    message(saying_as_written(source, number))
}

/// The same as a line of input.
pub(super) fn saying_as_written(source: &str, number: u64) -> Json {
    let words = words(number);
    json!({
        "source": {"kind": "conversation", "ref": source}, "author": "owner",
        "event_time": "2026-03-01T00:00:00Z", "external_id": format!("m{number}"), "text": format!("{words}."),
        "proposals": [{"entity": "self", "predicate": "likes", "value": format!("puzzle {number}"),
                       "quote": words, "confidence": 1.0}],
    })
}

/// What message `number` says.
pub(super) fn words(number: u64) -> String {
    format!("I like puzzle {number}")
}

/// The scope of a subject.
pub(super) fn name(subject: usize) -> Scope {
    scope(&format!("person{subject}"))
}

/// Every sealed value that stands in the database, read past the disk's faults: what is looked for must be known whole.
fn sealed(place: &Place) -> BTreeSet<Vec<u8>> {
    let read = || -> rusqlite::Result<BTreeSet<Vec<u8>>> {
        let connection = Connection::open(place.directory().join("ledger.db"))?;
        let mut select = connection.prepare(
            "SELECT text FROM evidence UNION ALL SELECT words FROM evidence UNION ALL SELECT words FROM claim
             UNION ALL SELECT words FROM source UNION ALL SELECT wrapped FROM data_key",
        )?;
        let rows = select.query_map([], |row| row.get::<_, Option<Vec<u8>>>(0))?;
        rows.filter_map(Result::transpose).collect()
    };
    place.disk().spared(read).expect("the database is read")
}

/// The first bytes of those that are no longer there; nothing when the store itself says that some may be left.
fn vanished(place: &Place, before: BTreeSet<Vec<u8>>, residue: u64) -> Vec<Vec<u8>> {
    if residue > 0 {
        return Vec::new();
    }
    let after = sealed(place);
    let gone = before.difference(&after).filter(|value| value.len() >= 24);
    gone.map(|value| value[..24.min(value.len())].to_vec()).collect()
}
