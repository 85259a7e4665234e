//! What clients do, one step at a time.

use std::ops::ControlFlow;

use engine::forget::Forget;
use engine::history::Resolve;
use engine::list::List;
use engine::observe::{Message, Observing};
use engine::recall::{About, Grain, Recall};
use engine::remember::Remember;
use engine::turn::Turn;
use engine::{Call, Engine, EngineError};
use ledger::id::Kind;
use ledger::time::Instant;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::mortal::Death;
use super::pair::{Ids, Thing, thing, things};
use super::{PROCESSES, REMEMBERED_MAX, SUBJECTS, Simulation, call, speech};
use crate::message;

/// One step: who does it, where, and when.
#[derive(Clone, Copy)]
struct Step {
    subject: usize,
    process: usize,
    now: Instant,
}

/// Seconds in a day.
const DAY: i64 = 86_400;

impl Simulation {
    /// Something happens.
    pub(super) fn step(&mut self) {
        self.told.operations += 1;
        let seconds = [1, 60, 3_600, DAY, 3 * DAY][self.chance.below(5)];
        self.clock = Instant::from_micros(self.clock.micros() + seconds * 1_000_000);
        let (subject, process) = (self.chance.below(SUBJECTS), self.chance.below(PROCESSES));
        let step = Step { subject, process, now: self.now(process) };
        let doomed = self.chance.one_in(25);
        if doomed {
            let (writes, is_written) = (self.chance.below(3), self.chance.one_in(2));
            self.processes[process].doom(Death { writes, is_written });
        }
        match self.chance.below(100) {
            0..30 => self.observe(step),
            30..34 => self.import(step),
            34..38 => self.remember(step),
            38..42 => self.correct(step),
            42..45 => self.resolve(step),
            45..51 => self.forget(step),
            51..66 => self.turn(step),
            66..80 => self.recall(step),
            80..92 => self.look_up(step),
            92..94 => self.act_on_policy(step),
            94..96 => self.jump(step),
            96..98 => {
                self.note(step, "restart");
                self.restart(process);
            }
            98 => {
                self.note(step, "crash");
                self.crash();
            }
            _ => self.look_at_another(step),
        }
        let what = self.what();
        if !self.processes[process].spare(&what) {
            self.told.deaths += 1;
            self.restart(process);
        }
    }

    /// The last step, in words.
    pub(super) fn what(&self) -> String {
        self.steps.last().cloned().unwrap_or_default()
    }

    fn note(&mut self, step: Step, what: &str) {
        let Step { subject, process, now } = step;
        let number = self.told.operations;
        self.steps.push(format!("operation {number} at {now}, process {process}, subject {subject}: {what}"));
    }

    /// Asks both sides, and remembers what the answer names.
    fn ask<T: Serialize>(
        &mut self,
        step: Step,
        what: &str,
        ask: impl Fn(&Engine, Call<'_>, &Ids<'_>) -> Result<T, EngineError>,
    ) -> Option<Json> {
        self.note(step, what);
        let client = &mut self.clients[step.subject];
        let call = call(&client.scope, step.now);
        let told = self.steps.last().map(String::as_str).unwrap_or_default();
        match self.processes[step.process].ask(told, call, |engine, ids| ask(engine, call, ids)) {
            Ok(answer) => {
                things(&answer, &mut client.things);
                keep_newest(&mut client.things);
                Some(answer)
            }
            Err(_) => {
                self.told.refused += 1;
                None
            }
        }
    }

    /// A thing of this kind, mostly one that an answer named.
    fn some(&mut self, subject: usize, kinds: &[Kind]) -> Option<Thing> {
        let of_kind: Vec<Thing> =
            self.clients[subject].things.iter().filter(|(kind, _)| kinds.contains(kind)).copied().collect();
        self.chance.pick(&of_kind).copied()
    }

    fn a_message(&mut self, subject: usize) -> Json {
        let sent = &mut self.clients[subject].sent;
        if self.chance.one_in(6)
            && let Some(again) = self.chance.pick(sent)
        {
            return again.clone();
        }
        let said = speech::message(&mut self.chance);
        sent.push(said.clone());
        keep_newest(sent);
        said
    }

    fn observe(&mut self, step: Step) {
        let count = if self.chance.one_in(4) { 2 + self.chance.below(4) } else { 1 };
        let messages: Vec<Json> = (0..count).map(|_| self.a_message(step.subject)).collect();
        let per_append = 1 + self.chance.below(3);
        let observing = Observing { per_append, ..Observing::default() };
        let what = format!("observe {}", json!(messages));
        self.ask(step, &what, |engine, call, _| {
            engine.observe(call, messages.iter().cloned().map(message).collect(), observing)
        });
    }

    /// A list comes in, and some day comes in again.
    fn import(&mut self, step: Step) {
        let imports = &self.clients[step.subject].imports;
        let list = match self.chance.pick(imports).filter(|_| self.chance.one_in(2)) {
            Some(again) => again.clone(),
            None => {
                let new: Vec<Json> = (0..8).map(|_| speech::message(&mut self.chance)).collect();
                let imports = &mut self.clients[step.subject].imports;
                imports.push(new.clone());
                keep_newest(imports);
                new
            }
        };
        self.ask(step, &format!("import {}", json!(list)), |engine, call, _| {
            let messages: Vec<Message> = list.iter().cloned().map(message).collect();
            engine.import(call, messages, |_| ControlFlow::Continue(()))
        });
    }

    fn remember(&mut self, step: Step) {
        let said = speech::message(&mut self.chance);
        let text = said["text"].as_str().unwrap_or_default().to_owned();
        let is_preference = self.chance.one_in(3);
        self.ask(step, &format!("remember {text}"), |engine, call, _| {
            engine.remember(call, Remember { text: text.clone(), is_preference, ..Remember::default() })
        });
    }

    fn correct(&mut self, step: Step) {
        let Some(version) = self.some(step.subject, &[Kind::Version]) else { return };
        let new = ["Zagreb", "Split", "09:00", "chess"][self.chance.below(4)];
        self.ask(step, &format!("correct {version:?} to {new}"), |engine, call, ids| {
            engine.correct(call, &ids.of(version), new)
        });
    }

    fn resolve(&mut self, step: Step) {
        let Some(disputes) = self.ask(step, "disputes", |engine, call, _| engine.disputes(call, None, None))
        else {
            return;
        };
        let all = disputes["disputes"].as_array().cloned().unwrap_or_default();
        let Some(dispute) = self.chance.pick(&all) else { return };
        let versions = dispute["versions"].as_array().cloned().unwrap_or_default();
        let named = |json: &Json| json["id"].as_str().and_then(thing);
        let keep = self.chance.pick(&versions).and_then(named);
        let (Some(fact), Some(keep)) = (named(&dispute["fact"]), keep) else { return };
        self.ask(step, &format!("resolve {fact:?} for {keep:?}"), |engine, call, ids| {
            let resolve = Resolve {
                fact: ids.of(fact),
                keep: ids.of(keep),
                reason: "asked".into(),
                by: "owner".into(),
            };
            engine.resolve_dispute(call, &resolve)
        });
    }

    fn forget(&mut self, step: Step) {
        let kinds = [Kind::Evidence, Kind::Claim, Kind::Fact, Kind::Version, Kind::Source, Kind::Turn];
        let chosen: Vec<Thing> =
            (0..1 + self.chance.below(2)).filter_map(|_| self.some(step.subject, &kinds)).collect();
        let source =
            ["conversation:c1", "document:d0", "document:copy", "document:nowhere"][self.chance.below(4)];
        let which = self.chance.below(20);
        let forget = |ids: &Ids<'_>| match which {
            0 => Forget::Subject,
            1..4 => Forget::Source(source.to_owned()),
            _ => Forget::Ids(chosen.iter().map(|thing| ids.of(*thing)).collect()),
        };
        let what = match which {
            0 => "the subject".to_owned(),
            1..4 => source.to_owned(),
            _ => format!("{chosen:?}"),
        };
        let ask = |dry_run: bool| {
            move |engine: &Engine, call: Call<'_>, ids: &Ids<'_>| engine.forget(call, &forget(ids), dry_run)
        };
        let planned = self.ask(step, &format!("forget, dry, {what}"), ask(true));
        // Whether an erasure whose process died took place is seen by what is there, so each is counted.
        self.clients[step.subject].erasures += 1;
        self.told.erasures += 1;
        let done = self.ask(step, &format!("forget {what}"), ask(false));
        if let (Some(planned), Some(done)) = (&planned, &done) {
            for field in ["erased", "kept", "reopened"] {
                assert_eq!(planned[field], done[field], "{}: `{field}` is not what was planned", self.what());
            }
            assert_eq!(done["residue"], json!(0), "{}", self.what());
        }
    }

    fn turn(&mut self, step: Step) {
        let asked = speech::question(&mut self.chance);
        let deep = self.chance.one_in(6);
        let budget_tokens = self.chance.one_in(4).then(|| 1 + self.chance.below(120) as u32);
        let turned = self.ask(step, &format!("turn {asked}"), |engine, call, _| {
            engine.turn(call, &Turn { deep, budget_tokens, ..Turn::of(asked) })
        });
        let Some(turned) = turned else { return };
        let Some(turn) = turned["turn"].as_str().and_then(thing) else { return };
        let client = &mut self.clients[step.subject];
        client.turns.push((turn, client.erasures));
        keep_newest(&mut client.turns);
        if self.chance.one_in(2) {
            let selected = turned["selected"].as_array().map_or(0, Vec::len);
            // Now and then a reply names what the turn does not have.
            let cited = 1 + self.chance.below(selected + 1);
            let reply = format!("As you said [M1], and then [M{cited}].");
            self.ask(step, &format!("used in `{reply}`"), |engine, call, ids| {
                engine.used_in_reply(call, &ids.of(turn), &reply)
            });
        }
    }

    fn recall(&mut self, step: Step) {
        let asked = speech::question(&mut self.chance);
        let moment = |simulation: &mut Self| -> Option<Instant> {
            let day = speech::day(&mut simulation.chance);
            (!simulation.chance.one_in(2)).then(|| crate::at(&day))
        };
        let (valid_at, believed_at) = (moment(self), moment(self));
        let grain = if self.chance.one_in(3) { Grain::Evidence } else { Grain::Fact };
        let limit = 1 + self.chance.below(12);
        let recall = Recall { grain, limit, valid_at, believed_at, ..Recall::of(asked) };
        match self.chance.below(4) {
            0 => {
                let entity = ["self", "acme", "project:alpha", "nobody"][self.chance.below(4)];
                self.ask(step, &format!("facts about {entity}"), |engine, call, _| {
                    engine.facts_about(call, &About { valid_at, believed_at, ..About::entity(entity) })
                });
            }
            1 => {
                self.ask(step, &format!("recall deep {asked}"), |engine, call, _| {
                    engine.recall_deep(call, &recall)
                });
            }
            _ => {
                self.ask(step, &format!("recall {asked}"), |engine, call, _| engine.recall(call, &recall));
            }
        }
    }

    /// The reads that go from one thing to what is known of it, and over everything.
    fn look_up(&mut self, step: Step) {
        let all = [Kind::Evidence, Kind::Claim, Kind::Fact, Kind::Version, Kind::Source, Kind::Turn];
        let any = self.some(step.subject, &all);
        match (self.chance.below(8), any) {
            (0 | 1, Some(thing)) => {
                self.ask(step, &format!("why {thing:?}"), |engine, call, ids| {
                    engine.why(call, &ids.of(thing))
                });
            }
            (2 | 3, Some(thing)) => {
                let what = format!("history {thing:?}");
                self.ask(step, &what, |engine, call, ids| engine.history(call, &ids.of(thing)));
            }
            (4, _) => {
                self.ask(step, "list", |engine, call, _| {
                    engine.list(call, &List { kind: "all".to_owned(), world: true, ..List::default() })
                });
            }
            (5, _) => _ = self.ask(step, "timeline", |engine, call, _| engine.timeline(call)),
            (6, _) => _ = self.ask(step, "sources", |engine, call, _| engine.sources(call)),
            _ => _ = self.ask(step, "profile", |engine, call, _| engine.profile(call)),
        }
    }

    fn act_on_policy(&mut self, step: Step) {
        if self.chance.one_in(2) {
            let policy = ["turn/1", "turn/2", "turn/3", "turn/99"][self.chance.below(4)];
            let what = format!("promote {policy}");
            self.ask(step, &what, |engine, call, _| engine.promote_policy(call, policy, "tried", "operator"));
        } else {
            self.ask(step, "roll back", |engine, call, _| engine.roll_back_policy(call, "worse", "operator"));
        }
    }

    /// A clock is set: a day, a year or ten years off, or right again.
    fn jump(&mut self, step: Step) {
        let days = [-365, -1, 0, 0, 1, 3_650][self.chance.below(6)];
        self.note(step, &format!("the clock is {days} days off"));
        self.clock_off[step.process] = days * DAY;
        self.told.jumps += 1;
    }

    /// Somebody asks for another subject's things: there are none.
    fn look_at_another(&mut self, step: Step) {
        let other = (step.subject + 1 + self.chance.below(SUBJECTS - 1)) % SUBJECTS;
        let kinds = [Kind::Evidence, Kind::Claim, Kind::Fact, Kind::Version, Kind::Source];
        let Some(theirs) = self.some(other, &kinds) else { return };
        self.note(step, &format!("asks for {theirs:?} of subject {other}"));
        let id = self.processes[step.process].tried_id(&self.clients[other].scope, theirs);
        let call = call(&self.clients[step.subject].scope, step.now);
        let told = self.steps.last().map(String::as_str).unwrap_or_default();
        let process = &self.processes[step.process];
        let refusals = [
            process.ask(told, call, |engine, _| engine.why(call, &id)).err(),
            process.ask(told, call, |engine, _| engine.history(call, &id)).err(),
            process
                .ask(told, call, |engine, _| engine.forget(call, &Forget::Ids(vec![id.clone()]), false))
                .err(),
        ];
        let not_found = EngineError::NotFound(id.clone()).to_string();
        for refusal in refusals {
            assert_eq!(refusal.as_ref(), Some(&not_found), "{told}: somebody reached into another's memory");
        }
    }
}

/// Forgets what was remembered first.
fn keep_newest<T>(list: &mut Vec<T>) {
    let over = list.len().saturating_sub(REMEMBERED_MAX);
    list.drain(..over);
}
