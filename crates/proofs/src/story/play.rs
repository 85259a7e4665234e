//! Playing a story on one store, and telling what comes of each step.

use std::sync::Arc;
use std::thread::JoinHandle;

use engine::answer::{Item, Observed, Turned};
use engine::forget::{Forget, Which};
use engine::history::Resolve;
use engine::lift::Lifting;
use engine::observe::Observing;
use engine::recall::{Grain, Recall};
use engine::remember::Remember;
use engine::turn::Turn;
use engine::{Call, Engine, EngineError};
use ledger::print::print;
use ledger::scope::{Scope, Subject};
use serde_json::{Value as Json, json};

use super::gate::Gate;
use super::script::{Line, Says, Script, Step};
use crate::passage::Behind;
use crate::{Keeper, World, at, engine_on, fold, message};

/// Plays a story and answers its whole text, with what came of it.
///
/// # Panics
/// When a step cannot be done: a story tells what comes of steps, not that they fail.
#[must_use]
pub fn play(keeper: Keeper, script: &Script, name: &str) -> String {
    let mut player = Player::new(keeper, name);
    let mut text = String::new();
    for line in &script.lines {
        match line {
            Line::Text(line) => text.push_str(&format!("{line}\n")),
            Line::Step(step, written) => {
                text.push_str(&format!("{written}\n"));
                let told = player.step(step).unwrap_or_else(|error| panic!("{name}: {written}: {error:?}"));
                for outcome in told {
                    text.push_str(format!("| {outcome}").trim_end());
                    text.push('\n');
                }
            }
        }
    }
    assert!(player.begun.is_empty(), "{name}: turns were begun and never finished");
    text
}

/// Why a step could not be done.
#[derive(Debug)]
pub enum Failed {
    /// The engine refused it.
    Refused(EngineError),
    /// The story speaks of something that is not there.
    Story(String),
}

impl From<EngineError> for Failed {
    fn from(error: EngineError) -> Self {
        Self::Refused(error)
    }
}

/// One memory, or several in one store, and what a story has made of it so far.
pub struct Player {
    engine: Arc<Engine>,
    world: World,
    scope: Scope,
    gate: Arc<Behind<Gate>>,
    name: String,
    now: String,
    owner: String,
    /// The messages kept, in the order they came; their ids.
    messages: Vec<String>,
    /// The turns, in the order they were recorded; their ids.
    turns: Vec<String>,
    /// The last packet handed out.
    packet: String,
    /// The last memory taken in hand: its version and its fact.
    taken: Option<(String, String)>,
    begun: Vec<(String, JoinHandle<Turned>)>,
}

impl Player {
    /// A player with an empty memory, Ana's, in a new store; `name` is what panics call the story.
    #[must_use]
    pub fn new(keeper: Keeper, name: &str) -> Self {
        let world = World::new(keeper);
        let gate = Arc::new(Behind::new(world.store.clone(), Gate::default()));
        Self {
            engine: Arc::new(engine_on(gate.clone())),
            scope: world.me.clone(),
            world,
            gate,
            name: name.to_owned(),
            now: String::new(),
            owner: "Ana".to_owned(),
            messages: Vec::new(),
            turns: Vec::new(),
            packet: String::new(),
            taken: None,
            begun: Vec::new(),
        }
    }

    /// The last packet handed out.
    #[must_use]
    pub fn packet(&self) -> &str {
        &self.packet
    }

    fn call(&self) -> Call<'_> {
        Call { scope: &self.scope, now: at(&self.now) }
    }

    /// Does one step, and tells what came of it, a line for each thing.
    ///
    /// # Errors
    /// [`Failed`].
    pub fn step(&mut self, step: &Step) -> Result<Vec<String>, Failed> {
        Ok(match step {
            Step::At(time) => {
                self.now = time.clone();
                Vec::new()
            }
            Step::Owner(name) => {
                let subject = Subject::parse(name).map_err(|error| Failed::Story(error.to_string()))?;
                self.scope = Scope::of(subject);
                self.owner = name.clone();
                Vec::new()
            }
            Step::Says(says) => self.says(says)?,
            Step::Remember(text) => {
                let remember = Remember { text: text.clone(), ..Remember::default() };
                let observed = self.engine.remember(self.call(), remember)?;
                self.observed(&observed)
            }
            Step::Ask { query, valid_at, believed_at, messages, limit } => {
                let recall = Recall {
                    valid_at: valid_at.as_deref().map(at),
                    believed_at: believed_at.as_deref().map(at),
                    grain: if *messages { Grain::Evidence } else { Grain::Fact },
                    limit: limit.unwrap_or(10),
                    ..Recall::of(query)
                };
                let answer = self.engine.recall(self.call(), &recall)?;
                let mut told = items(&answer.items, answer.negative.as_deref());
                if answer.truncated {
                    told.push("and more was found".to_owned());
                }
                told
            }
            Step::State { valid_at, believed_at } => {
                let (valid_at, believed_at) = (valid_at.as_deref().map(at), believed_at.as_deref().map(at));
                let state = self.engine.state(self.call(), valid_at, believed_at)?;
                items(&state.items, state.negative.as_deref())
            }
            Step::Turn { message, policy, tokens, topic } => {
                let hints = topic.iter().map(|topic| ("topic".to_owned(), topic.clone())).collect();
                let turn =
                    Turn { policy: policy.clone(), budget_tokens: *tokens, hints, ..Turn::of(message) };
                let turned = self.engine.turn(self.call(), &turn)?;
                self.turned(turned)
            }
            Step::Begin(message) => self.begin(message),
            Step::Finish => self.finish(),
            Step::Used(turn, handles) => {
                let used = self.engine.used(self.call(), self.turn_id(*turn)?, handles)?;
                vec![format!("used in turn {turn}: {}", used.used.join(", "))]
            }
            Step::Replay(turn) => {
                let replayed = self.engine.replay(self.call(), self.turn_id(*turn)?)?;
                match replayed.identical {
                    true => vec![format!("turn {turn} comes out the same, to the byte")],
                    false => std::iter::once(format!("turn {turn} does not come out the same"))
                        .chain(replayed.differences.iter().map(|what| without_id(what)))
                        .collect(),
                }
            }
            Step::Take(query) => {
                let item = self.first(query)?;
                let fact = item.fact.clone().unwrap_or_default();
                self.taken = Some((item.id, fact));
                vec![item.text]
            }
            Step::Why(query) => self.why(query)?,
            Step::History(query) => self.history(query)?,
            Step::Disputes => self.disputes()?,
            Step::Decide { by, value, reason } => self.decide(by, value, reason)?,
            Step::Forget(what) => self.forget(what)?,
            Step::WouldForget(what) => self.would_forget(what)?,
            Step::Lift(what) => self.lift(what)?,
            Step::Check => {
                let verified = self.engine.verify(self.call())?;
                assert!(verified.ok, "{}: {verified:#?}", self.name);
                vec![format!(
                    "all is well: {}, {}, {}",
                    counted(verified.appends as usize, "append"),
                    counted(verified.quotes as usize, "quote"),
                    counted(verified.facts as usize, "fact")
                )]
            }
            Step::Ledger => {
                let memory = fold(&*self.world.store, &self.scope, u64::MAX);
                let text = print(&memory, self.engine.registry(), &memory.now(at(&self.now)));
                text.lines().map(str::to_owned).collect()
            }
        })
    }

    fn turn_id(&self, turn: usize) -> Result<&str, Failed> {
        let known = self.turns.get(turn.wrapping_sub(1));
        known.map(String::as_str).ok_or_else(|| Failed::Story(format!("there is no turn {turn}")))
    }

    /// The version and the fact that were taken in hand.
    fn taken(&self) -> Result<&(String, String), Failed> {
        self.taken.as_ref().ok_or_else(|| Failed::Story("nothing was taken in hand".to_owned()))
    }

    fn says(&mut self, says: &Says) -> Result<Vec<String>, Failed> {
        let author = match says.speaker.as_str() {
            speaker if speaker == self.owner => "owner",
            "the assistant" => "assistant",
            "the service" => "service",
            _ => "external",
        };
        let mut source = json!({"kind": says.kind, "ref": says.reference});
        for (name, value) in &says.more {
            source[name] = value.clone();
        }
        let text = match says.with_packet {
            true => format!("{}\n{}", says.text, self.packet),
            false => says.text.clone(),
        };
        let said = message(json!({
            "source": source, "author": author, "session": says.session, "event_time": says.event_time.as_ref().unwrap_or(&self.now), "text": text,
            "proposals": says.proposals,
        }));
        let mut observed = self.engine.observe(self.call(), vec![said], Observing::default())?;
        let observed = observed.pop().expect("one message, one answer");
        Ok(self.observed(&observed))
    }

    fn observed(&mut self, observed: &Observed) -> Vec<String> {
        let mut told = Vec::new();
        if let Some(id) = &observed.evidence {
            let known = self.messages.iter().position(|known| known == id);
            let place = known.unwrap_or_else(|| {
                self.messages.push(id.clone());
                self.messages.len() - 1
            });
            let how = if observed.duplicate { "known already as" } else { "kept as" };
            told.push(format!("{how} message {}", place + 1));
        }
        for one in &observed.admitted {
            let value = plain(&one.value);
            let label = self
                .engine
                .registry()
                .get(&one.predicate)
                .map_or(one.predicate.clone(), |known| known.label.clone());
            told.push(format!("{}: {} \u{b7} {label}: {value}", one.transition, one.entity));
        }
        for one in &observed.refused {
            told.push(format!("refused, {}: {}", one.code, one.detail));
        }
        if observed.counts.duplicate > 0 {
            told.push(format!("claimed already: {}", observed.counts.duplicate));
        }
        told.extend(observed.failed.iter().map(|one| format!("unreadable: {}", one.detail)));
        if observed.counts.received == 0 {
            told.push("nothing is claimed of it".to_owned());
        }
        told.extend(observed.notices.iter().map(|notice| format!("note: {notice}")));
        told
    }

    fn turned(&mut self, turned: Turned) -> Vec<String> {
        self.turns.push(turned.turn.clone());
        let number = self.turns.len();
        let mut told = vec![format!(
            "turn {number} by {}, seeing {}: {}, {} considered, {} selected",
            turned.policy,
            counted(turned.watermark as usize, "append"),
            turned.triage,
            turned.candidates.len(),
            turned.selected.len()
        )];
        told.extend(turned.question.iter().map(|question| format!("asks: {question}")));
        told.extend(
            turned.selected.iter().map(|item| format!("{} {} [{}]", item.handle, item.text, item.why)),
        );
        for group in &turned.disputes {
            let handles: Vec<&str> = turned
                .selected
                .iter()
                .filter(|item| group.contains(&item.id))
                .map(|item| item.handle.as_str())
                .collect();
            told.push(format!("{} contradict each other", handles.join(" and ")));
        }
        let mut reasons: Vec<(&str, usize)> = Vec::new();
        for dropped in &turned.dropped {
            match reasons.iter_mut().find(|(reason, _)| *reason == dropped.reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((&dropped.reason, 1)),
            }
        }
        told.extend(reasons.iter().map(|(reason, count)| format!("dropped, {reason}: {count}")));
        told.extend(turned.notices.iter().map(|notice| format!("note: {notice}")));
        self.packet = turned.packet.text;
        told
    }

    fn begin(&mut self, message: &str) -> Vec<String> {
        self.gate.close();
        let (engine, scope, now) = (self.engine.clone(), self.scope.clone(), self.now.clone());
        let turn = Turn::of(message);
        let thread = std::thread::spawn(move || resolve(&engine, &scope, &now, &turn));
        self.begun.push((message.to_owned(), thread));
        self.gate.wait_for(self.begun.len());
        vec!["resolved, and about to be recorded".to_owned()]
    }

    fn finish(&mut self) -> Vec<String> {
        self.gate.open();
        let mut told = Vec::new();
        for (message, thread) in std::mem::take(&mut self.begun) {
            let turned = thread.join().expect("the turn ends");
            told.push(format!("\u{201c}{message}\u{201d}"));
            told.extend(self.turned(turned));
        }
        told
    }

    /// The memory a question finds first.
    fn first(&self, query: &str) -> Result<Item, Failed> {
        let found = self.engine.recall(self.call(), &Recall::of(query))?;
        let first = found.items.into_iter().next();
        first.ok_or_else(|| Failed::Story(format!("nothing is known of `{query}`")))
    }

    /// `why: …` of what a question finds first, or of what was taken in hand.
    fn why(&self, query: &Option<String>) -> Result<Vec<String>, Failed> {
        let (id, text) = match query {
            Some(query) => {
                let item = self.first(query)?;
                (item.id, item.text)
            }
            None => (self.taken()?.0.clone(), "what was taken".to_owned()),
        };
        let why = self.engine.why(self.call(), &id)?;
        let mut told = vec![text];
        for claim in &why.claims {
            let evidence = why
                .evidence
                .iter()
                .find(|evidence| evidence.evidence == claim.evidence)
                .expect("its evidence");
            let quotes = match claim.quotes.is_empty() {
                true => format!("\u{201c}{}\u{201d}", claim.quote),
                false => {
                    let all: Vec<String> =
                        claim.quotes.iter().map(|quote| format!("\u{201c}{}\u{201d}", quote.quote)).collect();
                    all.join(" and ")
                }
            };
            told.push(format!(
                "because of {quotes}, said on {} by the {} in {} \u{201c}{}\u{201d}",
                &evidence.event_time[..10],
                evidence.author,
                evidence.source.kind,
                evidence.source.reference
            ));
        }
        told.extend(why.transitions.iter().map(|made| format!("{} {}", &made.at[..10], made.transition)));
        Ok(told)
    }

    /// Every version of a fact: of what a question finds first, or of what was taken in hand.
    fn history(&self, query: &Option<String>) -> Result<Vec<String>, Failed> {
        let id = match query {
            Some(query) => self.first(query)?.fact.unwrap_or_default(),
            None => self.taken()?.1.clone(),
        };
        let history = self.engine.history(self.call(), &id)?;
        let told = |version: &engine::answer::VersionText| {
            let until = version.validity.to.as_ref().map_or("now".to_owned(), |to| to[..10].to_owned());
            let from = &version.validity.from[..10];
            format!("{}: {} from {from} to {until}", version.standing, plain(&version.value))
        };
        Ok(history.versions.iter().map(told).collect())
    }

    fn disputes(&self) -> Result<Vec<String>, Failed> {
        let disputes = self.engine.disputes(self.call(), None, None)?.disputes;
        if disputes.is_empty() {
            return Ok(vec!["none".to_owned()]);
        }
        let told = |dispute: &engine::answer::Dispute| {
            let sides: Vec<String> = dispute
                .versions
                .iter()
                .map(|version| format!("{} ({})", plain(&version.value), counted(version.support, "origin")))
                .collect();
            format!("{} \u{b7} {}: {}", dispute.fact.entity, dispute.fact.predicate, sides.join(" against "))
        };
        Ok(disputes.iter().map(told).collect())
    }

    fn decide(&self, by: &str, value: &str, reason: &str) -> Result<Vec<String>, Failed> {
        let disputes = self.engine.disputes(self.call(), None, None)?.disputes;
        let found = disputes.iter().find_map(|dispute| {
            let version = dispute.versions.iter().find(|version| plain(&version.value) == value)?;
            Some((dispute, version))
        });
        let (dispute, version) =
            found.ok_or_else(|| Failed::Story(format!("no side of a dispute is `{value}`")))?;
        let resolve = Resolve {
            fact: dispute.fact.id.clone(),
            keep: version.id.clone(),
            reason: reason.to_owned(),
            by: by.to_owned(),
        };
        let resolved = self.engine.resolve_dispute(self.call(), &resolve)?;
        Ok(vec![format!("kept {value}, overruled {}", counted(resolved.overruled.len(), "other value"))])
    }

    fn meant(&mut self, what: &str) -> Result<Forget, Failed> {
        let story = |what: String| Failed::Story(what);
        Ok(if what == "everything" {
            Forget::Subject
        } else if what == "what was taken" {
            Forget::Ids(vec![self.taken()?.1.clone()])
        } else if let Some(number) = what.strip_prefix("message ") {
            let place = number.parse::<usize>().map_err(|_| story(format!("`{number}` is no message")))?;
            let known = self.messages.get(place.wrapping_sub(1));
            Forget::Ids(vec![known.ok_or_else(|| story(format!("there is no message {place}")))?.clone()])
        } else if let Some(query) = what.strip_prefix("what is known of: ") {
            Forget::Ids(vec![self.first(query)?.fact.unwrap_or_default()])
        } else if let Some(session) = what.strip_prefix("session ") {
            let session = Some(session.trim_matches('"').to_owned());
            Forget::Messages(Which { session, ..Which::default() })
        } else if let Some((from, to)) = what.strip_prefix("from ").and_then(|what| what.split_once(" to ")) {
            Forget::Messages(Which { from: Some(at(from)), to: Some(at(to)), ..Which::default() })
        } else {
            Forget::Source(source(what)?)
        })
    }

    fn would_forget(&mut self, what: &str) -> Result<Vec<String>, Failed> {
        let forget = self.meant(what)?;
        let told = self.engine.forget(self.call(), &forget, true)?;
        let told = told.list.iter().map(|thing| format!("{} {}: {}", thing.kind, thing.fate, thing.text));
        Ok(told.collect())
    }

    fn lift(&mut self, what: &str) -> Result<Vec<String>, Failed> {
        let lifted = self.engine.lift(self.call(), &Lifting::Source(source(what)?))?;
        Ok(vec![format!("{} no longer kept out", counted(lifted.lifted as usize, "mark"))])
    }

    fn forget(&mut self, what: &str) -> Result<Vec<String>, Failed> {
        let forget = self.meant(what)?;
        let forgotten = self.engine.forget(self.call(), &forget, false)?;
        let gone = &forgotten.erased;
        let counts = [
            (gone.sources, "source"),
            (gone.evidence, "message"),
            (gone.claims, "claim"),
            (gone.facts, "fact"),
            (gone.versions, "version"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| counted(*count, what))
            .collect();
        let mut told =
            vec![format!("erased: {}; traces found afterwards: {}", counts.join(", "), forgotten.residue)];
        for (word, ids) in [("stays, on other words", &forgotten.kept), ("stands again", &forgotten.reopened)]
        {
            for id in ids {
                let history = self.engine.history(self.call(), id)?;
                let version = history.versions.iter().find(|version| version.id == *id).expect("the version");
                told.push(format!("{word}: {}", plain(&version.value)));
            }
        }
        Ok(told)
    }
}

/// `document "x"` as a source is named.
fn source(what: &str) -> Result<String, Failed> {
    let named = what.split_once(' ').map(|(kind, name)| format!("{kind}:{}", name.trim_matches('"')));
    named.ok_or_else(|| Failed::Story(format!("`{what}` names no source")))
}

fn resolve(engine: &Engine, scope: &Scope, now: &str, turn: &Turn) -> Turned {
    engine.turn(Call { scope, now: at(now) }, turn).expect("a turn")
}

fn items(items: &[Item], negative: Option<&str>) -> Vec<String> {
    let mut told: Vec<String> = items
        .iter()
        .map(|item| match &item.dispute {
            Some(group) => format!("{} (one of {} that contradict each other)", item.text, group.len()),
            None => item.text.clone(),
        })
        .collect();
    told.extend(negative.map(|negative| format!("nothing: {negative}")));
    told
}

fn plain(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A difference names what is gone by its id, which no story can know.
fn without_id(text: &str) -> String {
    match text.split_once("` ") {
        Some((id, rest)) if id.starts_with('`') => format!("something {rest}"),
        _ => text.to_owned(),
    }
}
