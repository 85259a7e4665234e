//! The faces: HTTP, MCP and the portal, as translations of the engine.
//!
//! In reading order: [`access`] says who asks; [`verb`] what can be asked, and [`verbs`] each thing that can; [`refusal`] what is
//! answered instead. The faces only translate: [`http`] gives every verb a method and a path, `mcp` a tool, `portal` a page.
#![deny(missing_docs)]

pub mod access;
pub mod http;
pub mod mem0;
mod page;
pub mod refusal;
pub mod settings;
pub mod verb;
pub mod verbs;

use std::sync::Arc;
use std::time::Duration;

use engine::Engine;
use ledger::scope::Scope;
use ledger::time::Instant;
use serde_json::Value as Json;
use tokio::sync::Semaphore;

use crate::access::book::Book;
use crate::access::{Caller, Right};
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::verb::{AnyVerb, Asked};

/// What the clock says. Handed in, so that nothing below reads one.
pub type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

/// What the deployment keeps besides memories.
pub struct House {
    /// Who may come in.
    pub book: Book,
    /// What it allows and bears.
    pub settings: Settings,
    /// What the clock says.
    pub clock: Clock,
    /// Told of every subject that was written to, once the write is durable: what follows a write begins there.
    pub written: Box<dyn Fn(&Scope) + Send + Sync>,
}

/// One memory and everything its faces need; cheap to clone.
#[derive(Clone)]
pub struct Server {
    engine: Arc<Engine>,
    house: Arc<House>,
    /// Room for calls of the engine: what is over waits, and what waits too long is sent away.
    room: Arc<Semaphore>,
}

impl Server {
    /// A server over `engine`.
    #[must_use]
    pub fn new(engine: Arc<Engine>, house: House) -> Self {
        let room = Arc::new(Semaphore::new(house.settings.calls_at_once));
        Self { engine, house: Arc::new(house), room }
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
    /// [`Refusal`]; 503 `overloaded` when there was no room within [`Settings::patience`], 503 `deadline` when it took longer than
    /// [`Settings::deadline`]: a write may then still become durable, and the same idempotency key finds out.
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
        self.work(move |engine| {
            let asked = Asked {
                engine,
                house: &house,
                caller: &caller,
                scope: &scope,
                now: (house.clock)(),
                idempotency_key: idempotency_key.as_deref(),
            };
            let answer = verb.run(&asked, input)?;
            if verb.right == Right::Write {
                (house.written)(&scope);
            }
            Ok(answer)
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
        let room = self.room.clone();
        let permit = match tokio::time::timeout(self.house.settings.patience, room.acquire_owned()).await {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) | Err(_) => {
                return Err(Refusal::new(503, "overloaded", "too many calls are at work").again_after(1));
            }
        };
        let engine = self.engine.clone();
        let work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&engine)
        });
        match tokio::time::timeout(self.house.settings.deadline, work).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Refusal::fault("the call ended without an answer")),
            Err(_) => Err(late(self.house.settings.deadline)),
        }
    }
}

/// The scope in which a verb may be done for a caller.
///
/// # Errors
/// [`Refusal`] 403 where it may not.
fn admit(verb: &AnyVerb, caller: &Caller, subject: Option<&str>) -> Result<Scope, Refusal> {
    caller.must(verb.right)?;
    if verb.of_subject {
        return caller.scope(subject);
    }
    if verb.right == Right::Admin && !caller.all_subjects() {
        return Err(Refusal::new(403, "not_permitted", "this concerns every subject, and your key does not"));
    }
    caller.any_scope().ok_or_else(|| Refusal::fault("a caller without a subject"))
}

fn late(deadline: Duration) -> Refusal {
    Refusal::new(503, "deadline", format!("no answer within {} s", deadline.as_secs()))
        .hint("ask again; with the same `Idempotency-Key` a write that became durable meanwhile is answered, not repeated")
        .again_after(1)
}
