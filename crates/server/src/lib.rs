//! The faces: HTTP, MCP and the portal, as translations of the engine.
//!
//! In reading order: [`access`] says who asks; [`verb`] what can be asked, and [`verbs`] each thing that can; [`refusal`] what is
//! answered instead. The faces only translate: [`http`] gives every verb a method and a path, [`mcp`] a tool, `portal` a page.
#![deny(missing_docs)]

pub mod access;
pub mod http;
pub mod mcp;
pub mod mem0;
mod page;
mod portal;
pub mod refusal;
pub mod settings;
pub mod trace;
pub mod verb;
pub mod verbs;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use engine::answer::Observed;
use engine::{Call, Engine};
use ledger::scope::Scope;
use ledger::time::Instant;
use serde_json::Value as Json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::access::book::Book;
use crate::access::token::Tokens;
use crate::access::{Caller, Right};
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::trace::Traces;
use crate::verb::{AnyVerb, Asked, Piece};

/// Pieces of a long answer that wait for their taker, at most.
const PIECES_WAITING: usize = 16;

/// The longest body that is let in without room of its own: longer than nearly every call's.
const SHORT_BODY_BYTES: u64 = 16 * 1024;

/// What the clock says. Handed in, so that nothing below reads one.
pub type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

/// What the deployment keeps besides memories.
pub struct House {
    /// Who may come in.
    pub book: Book,
    /// Whose tokens are taken besides; nobody's, when left out.
    pub tokens: Option<Tokens>,
    /// What it allows and bears.
    pub settings: Settings,
    /// What the clock says.
    pub clock: Clock,
    /// Told of every subject that was written to, once the write is durable: what follows a write begins there.
    pub written: Box<dyn Fn(&Scope) + Send + Sync>,
    /// Has a model read messages that are kept, by their ids, and the gate judge what it proposes; nothing, where no model is
    /// configured to propose.
    pub reads: Option<Reads>,
}

/// Has a model read messages.
pub type Reads = Box<dyn Fn(Call<'_>, &[&str]) -> ModelRead + Send + Sync>;

/// What came of a model's reading.
#[derive(Clone, Debug, Default)]
pub struct ModelRead {
    /// What became of its proposals, message by message.
    pub observed: Vec<Observed>,
    /// Why it did not read everything, where it did not.
    pub stopped: Option<String>,
}

/// Room for so much at once. What is over waits, so many of them; what waits too long, or finds no place to wait, is sent away.
#[derive(Clone)]
struct Room {
    free: Arc<Semaphore>,
    places_to_wait: Arc<Semaphore>,
}

impl Room {
    fn new(size: usize, waiting_max: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(size)), places_to_wait: Arc::new(Semaphore::new(waiting_max)) }
    }
}

/// What the body of a call holds on to until the call is answered to its end.
pub(crate) struct BodyRoom {
    _permit: Option<OwnedSemaphorePermit>,
}

/// One memory and everything its faces need; cheap to clone.
#[derive(Clone)]
pub struct Server {
    engine: Arc<Engine>,
    house: Arc<House>,
    /// Room for calls of the engine.
    calls: Room,
    /// Room for long bodies, in KiB.
    bodies: Room,
    /// Where spans go, if anywhere.
    traces: Option<Traces>,
}

impl Server {
    /// A server over `engine`.
    #[must_use]
    pub fn new(engine: Arc<Engine>, house: House) -> Self {
        let settings = &house.settings;
        let calls = Room::new(settings.calls_at_once, settings.calls_waiting_max);
        let bodies = Room::new(settings.bodies_bytes_max.div_ceil(1024), settings.calls_waiting_max);
        Self { engine, house: Arc::new(house), calls, bodies, traces: None }
    }

    /// The same, with spans of what it does.
    #[must_use]
    pub fn traced(self, traces: Option<Traces>) -> Self {
        Self { traces, ..self }
    }

    /// Where spans go, if anywhere.
    pub(crate) fn traces(&self) -> Option<&Traces> {
        self.traces.as_ref()
    }

    /// The memory.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// What the deployment keeps besides memories.
    #[must_use]
    pub fn house(&self) -> &House {
        &self.house
    }

    /// What the clock says.
    #[must_use]
    pub fn now(&self) -> Instant {
        (self.house.clock)()
    }

    /// Has a verb done for a caller, on a thread that may wait, and answers its JSON.
    ///
    /// # Errors
    /// [`Refusal`]; 503 `overloaded` when there was no room within [`Settings::patience`], or [`Settings::calls_waiting_max`] wait
    /// already; 503 `deadline` when it took longer than [`Settings::deadline`]: a write may then still become durable, and the same
    /// idempotency key finds out.
    pub async fn ask(
        &self,
        verb: &AnyVerb,
        caller: &Caller,
        subject: Option<&str>,
        idempotency_key: Option<String>,
        input: Json,
    ) -> Result<Vec<u8>, Refusal> {
        let scope = admit(verb, caller, subject)?;
        let (verb, caller, house) = (verb.clone(), caller.clone(), self.house.clone());
        self.work_on(Some(verb.name), move |engine| {
            let mut answer = Vec::new();
            let mut take = |piece| {
                answer = piece;
                ControlFlow::Continue(())
            };
            run(engine, &house, &verb, &caller, &scope, idempotency_key.as_deref(), input, &mut take)?;
            Ok(answer)
        })
        .await
    }

    /// Has a verb done whose answer comes piece by piece; each is handed on as it comes, and waits while nobody takes it. Where the
    /// taker goes away the verb ends at its next piece. It may take as long as it takes.
    ///
    /// # Errors
    /// [`Refusal`] where it may not be done at all, or there was no room. One that comes later ends the pieces.
    pub async fn ask_for_pieces(
        &self,
        verb: &AnyVerb,
        caller: &Caller,
        subject: Option<&str>,
        idempotency_key: Option<String>,
        input: Json,
    ) -> Result<mpsc::Receiver<Result<Vec<u8>, Refusal>>, Refusal> {
        let scope = admit(verb, caller, subject)?;
        let permit = self.room().await?;
        let (verb, caller, house, engine) =
            (verb.clone(), caller.clone(), self.house.clone(), self.engine.clone());
        let (pieces, taken) = mpsc::channel(PIECES_WAITING);
        let span = self.traces().map(|traces| traces.engine(Some(verb.name)));
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let span = span;
            let mut hand_on = |piece| match pieces.blocking_send(Ok(piece)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            let key = idempotency_key.as_deref();
            let done = catch_unwind(AssertUnwindSafe(|| {
                run(&engine, &house, &verb, &caller, &scope, key, input, &mut hand_on)
            }));
            // An answer that breaks off says so, also where it is our fault: its end would be taken for the end of all there is.
            let done = done.unwrap_or_else(|_| Err(Refusal::fault("the call ended without an answer")));
            if let Err(refusal) = done {
                span.iter().for_each(|span| span.refused(refusal.code));
                // Nobody may be left to hear it.
                _ = pieces.blocking_send(Err(refusal));
            }
        });
        Ok(taken)
    }

    async fn room(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        self.room_in(&self.calls, 1).await
    }

    /// Room for a body of at most `bytes` until its call is answered. Short bodies need none, so that nobody who sends long ones keeps
    /// other calls out.
    ///
    /// # Errors
    /// [`Refusal`] 503 `overloaded`, where there was none within [`Settings::patience`], or too many wait already.
    pub(crate) async fn room_for_body(&self, bytes: u64) -> Result<BodyRoom, Refusal> {
        if bytes <= SHORT_BODY_BYTES {
            return Ok(BodyRoom { _permit: None });
        }
        let all = self.house.settings.bodies_bytes_max.div_ceil(1024);
        let kibibytes = usize::try_from(bytes.div_ceil(1024)).map_or(all, |needed| needed.min(all));
        let permit = self.room_in(&self.bodies, u32::try_from(kibibytes).unwrap_or(u32::MAX)).await?;
        Ok(BodyRoom { _permit: Some(permit) })
    }

    async fn room_in(&self, room: &Room, permits: u32) -> Result<OwnedSemaphorePermit, Refusal> {
        if let Ok(permit) = room.free.clone().try_acquire_many_owned(permits) {
            return Ok(permit);
        }
        let patience = self.house.settings.patience;
        let Ok(_place) = room.places_to_wait.try_acquire() else {
            // As long as those that wait now may have to.
            return Err(overloaded("too many calls wait already").again_after(patience.as_secs().max(1)));
        };
        let _waiting = self.traces().map(Traces::wait);
        match tokio::time::timeout(patience, room.free.clone().acquire_many_owned(permits)).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(overloaded("too many calls are at work").again_after(1)),
        }
    }

    /// Has several verbs done for a caller on one subject, one after the other, on a thread that may wait: what a page is made of.
    ///
    /// # Errors
    /// As [`Server::work`], and what a verb refuses.
    pub(crate) async fn together<T: Send + 'static>(
        &self,
        caller: &Caller,
        subject: &str,
        work: impl FnOnce(&Asked<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let scope = caller.scope(Some(subject))?;
        let (caller, house) = (caller.clone(), self.house.clone());
        self.work(move |engine| {
            let (caller, scope, now) = (&caller, &scope, (house.clock)());
            work(&Asked { engine, house: &house, caller, scope, now, idempotency_key: None })
        })
        .await
    }

    /// Has work done on the engine, on a thread that may wait.
    ///
    /// # Errors
    /// As [`Server::ask`], and what the work answers.
    pub async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.work_on(None, work).await
    }

    /// The same, told by the verb it is done for.
    async fn work_on<T: Send + 'static>(
        &self,
        verb: Option<&'static str>,
        work: impl FnOnce(&Engine) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = self.room().await?;
        let engine = self.engine.clone();
        let span = self.traces().map(|traces| traces.engine(verb));
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            // It ends before there is room again: whoever waits until nothing is at work has seen it.
            let span = span;
            let done = work(&engine);
            if let (Some(span), Err(refusal)) = (&span, &done) {
                span.refused(refusal.code);
            }
            done
        });
        match tokio::time::timeout(self.house.settings.deadline, work).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Refusal::fault("the call ended without an answer")),
            Err(_) => Err(late(self.house.settings.deadline)),
        }
    }

    /// Waits until nothing is at work; whether that came about within this time.
    pub async fn finish(&self, within: Duration) -> bool {
        let all = u32::try_from(self.house.settings.calls_at_once).unwrap_or(u32::MAX);
        matches!(tokio::time::timeout(within, self.calls.free.acquire_many(all)).await, Ok(Ok(_)))
    }
}

/// Does a verb, and has what follows a write begin.
#[allow(clippy::too_many_arguments, reason = "all of one call, put together in one place")]
fn run(
    engine: &Engine,
    house: &House,
    verb: &AnyVerb,
    caller: &Caller,
    scope: &Scope,
    idempotency_key: Option<&str>,
    input: Json,
    told: &mut Piece<'_>,
) -> Result<(), Refusal> {
    let asked = Asked { engine, house, caller, scope, now: (house.clock)(), idempotency_key };
    verb.run(&asked, input, told)?;
    if verb.right == Right::Write {
        (house.written)(scope);
    }
    Ok(())
}

/// The scope in which a verb may be done for a caller.
///
/// # Errors
/// [`Refusal`] 403 where it may not.
fn admit(verb: &AnyVerb, caller: &Caller, subject: Option<&str>) -> Result<Scope, Refusal> {
    permit(caller, verb.right, verb.of_subject)?;
    if verb.of_subject {
        return caller.scope(subject);
    }
    caller.any_scope().ok_or_else(|| Refusal::fault("a caller without a subject"))
}

/// Nothing, where a caller has the right that a verb needs; of a verb about the deployment, for every subject.
fn permit(caller: &Caller, right: Right, of_subject: bool) -> Result<(), Refusal> {
    caller.must(right)?;
    match !of_subject && right == Right::Admin && !caller.all_subjects() {
        true => Err(Refusal::new(403, "not_permitted", "this concerns every subject, and your key does not")),
        false => Ok(()),
    }
}

fn overloaded(why: &str) -> Refusal {
    Refusal::new(503, "overloaded", why)
}

fn late(deadline: Duration) -> Refusal {
    Refusal::new(503, "deadline", format!("no answer within {} s", deadline.as_secs()))
        .hint("ask again; with the same `Idempotency-Key` a write that became durable meanwhile is answered, not repeated")
        .again_after(1)
}
