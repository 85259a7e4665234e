//! Models behind a network, or behind a port of this machine: three protocols, one way to call.
//!
//! In reading order: [`exchange`] is one request and its reply; [`http`] sends it; the protocols (`openai`, `rerank`, `anthropic`,
//! `gemini`) are pure functions from what is asked to a request and from a reply to what was answered; [`WireModel`] calls:
//! it waits its turn, keeps the deadline, asks again after what may pass, and counts.

mod anthropic;
mod backoff;
pub mod exchange;
mod gemini;
pub mod http;
mod openai;
mod read;
mod rerank;
mod shape;
mod status;
mod transport;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;

use crate::chat::{Abilities, Chat, ChatReply, ChatRequest};
use crate::clock::{Clock, MachineClock};
use crate::embed::{Embed, ModelIdentity, Role};
use crate::error::{InferenceError, InferenceErrorKind};
use crate::key::Environment;
use crate::limits::Limits;
use crate::meter::Meter;
use crate::rerank::Rerank;
use crate::tiers::{Can, EmbedShape, Protocol, Tier};
use crate::usage::Usage;

use exchange::{Exchange, Request};
use http::{Address, Http};
use read::{Read, Vectors};
use shape::Shape;
use turns::Turns;

/// A model reached by a wire protocol. It does what its tier says it can; asked for anything else it answers that it does not.
pub struct WireModel {
    protocol: Protocol,
    name: String,
    shape: Shape,
    abilities: Abilities,
    embeds: Option<(EmbedShape, ModelIdentity)>,
    reranks: bool,
    within: Duration,
    retries: u32,
    exchange: Box<dyn Exchange>,
    clock: Arc<dyn Clock>,
    turns: Turns,
    meter: Arc<Meter>,
}

/// How a protocol's answers are read.
type ReadChat = fn(&Json) -> Read<ChatReply>;

/// How a protocol's vectors are read, as many as there were texts.
type ReadVectors = fn(&Json, usize) -> Read<Vectors>;

/// How to reach what a tier names.
#[must_use]
pub fn address(tier: &Tier) -> Address {
    let (own_header, headers) = match tier.protocol {
        Protocol::OpenAi => (("authorization", "Bearer "), Vec::new()),
        Protocol::Anthropic => {
            (("x-api-key", ""), vec![("anthropic-version".to_owned(), anthropic::VERSION.to_owned())])
        }
        Protocol::Gemini => (("x-goog-api-key", ""), Vec::new()),
    };
    let key_header = match &tier.key_header {
        Some(name) => (name.clone(), String::new()),
        None => (own_header.0.to_owned(), own_header.1.to_owned()),
    };
    Address { base_url: tier.base_url.clone(), connect: tier.connect, key_header, headers }
}

impl WireModel {
    /// The model of a tier, over HTTP. Nothing is connected, and no key read, before the first call.
    #[must_use]
    pub fn connect(tier: &Tier, environment: &Environment) -> Self {
        let key = tier.key.clone().map(|source| (source, environment.clone()));
        Self::over(tier, Box::new(Http::new(address(tier), key)), Arc::new(MachineClock::default()))
    }

    /// The model of a tier over any exchange: a recording, or another way to send.
    #[must_use]
    pub fn over(tier: &Tier, exchange: Box<dyn Exchange>, clock: Arc<dyn Clock>) -> Self {
        let chat = match &tier.can {
            Can::Chat(shape) => Some(shape),
            _ => None,
        };
        let embeds = match &tier.can {
            Can::Embed(shape) => tier.identity().map(|identity| (shape.clone(), identity)),
            _ => None,
        };
        let shape = Shape {
            model: tier.model.clone(),
            output_limit: chat.map_or_else(String::new, |chat| chat.output_limit.clone()),
            output_tokens_max: chat.and_then(|chat| chat.output_tokens_max),
            takes_temperature: chat.is_some_and(|chat| chat.temperature),
            takes_schema: chat.is_some_and(|chat| chat.json_schema),
            dims: embeds.as_ref().map_or(0, |(embed, _)| embed.dims),
            asks_for_dims: embeds.as_ref().is_some_and(|(embed, _)| embed.asks_for_dims),
            extra: tier.extra.clone(),
        };
        Self {
            protocol: tier.protocol,
            name: tier.title(),
            shape,
            abilities: chat.map_or_else(Abilities::default, |chat| Abilities {
                json_schema: chat.json_schema,
                tools: chat.tools,
            }),
            embeds,
            reranks: tier.can == Can::Rerank,
            within: tier.within,
            retries: tier.retries,
            exchange,
            clock,
            turns: Turns::of(tier.concurrent),
            meter: Arc::default(),
        }
    }

    /// The same model, counted by `meter`: one a tier and process.
    #[must_use]
    pub fn metered_by(mut self, meter: Arc<Meter>) -> Self {
        self.meter = meter;
        self
    }

    /// What its calls came to.
    #[must_use]
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    /// Asks until there is an answer, the reason not to have one is not of the kind that passes, or time is up.
    fn call<T>(
        &self,
        request: &Request,
        limits: &Limits,
        read: impl FnOnce(&Json) -> Read<(T, Usage)>,
    ) -> Result<(T, Usage), InferenceError> {
        self.meter.call();
        let mut usage = Usage::default();
        let outcome = self.bytes(request, limits, &mut usage.calls).and_then(|body| {
            let unreadable = |what: &str| {
                let message = format!("the reply of `{}` is not what its protocol says: {what}", self.name);
                InferenceError::new(InferenceErrorKind::BadReply, message)
            };
            let json: Json = serde_json::from_slice(&body).map_err(|_| unreadable("it is no JSON"))?;
            read(&json).map_err(|error| unreadable(error.0))
        });
        match outcome {
            Ok((answer, spent)) => {
                usage.input_tokens = spent.input_tokens;
                usage.output_tokens = spent.output_tokens;
                self.meter.spend(&usage);
                Ok((answer, usage))
            }
            Err(error) => {
                self.meter.fail(error.kind());
                Err(error)
            }
        }
    }

    fn bytes(&self, request: &Request, limits: &Limits, sent: &mut u32) -> Result<Vec<u8>, InferenceError> {
        let started = self.clock.elapsed();
        let within = limits.within.min(self.within);
        let left = || within.saturating_sub(self.clock.elapsed().saturating_sub(started));
        let _turn = self.turns.take(&*self.clock, within, &limits.cancel).ok_or_else(|| {
            match limits.cancel.is_cancelled() {
                true => http::cancelled(),
                false => InferenceError::new(
                    InferenceErrorKind::Deadline,
                    format!("`{}` is busy with other calls; none ended in time", self.name),
                ),
            }
        })?;
        let spread = request.mark().0;
        let mut reads_key_again = true;
        let mut attempt = 0;
        loop {
            if limits.cancel.is_cancelled() {
                return Err(http::cancelled());
            }
            if left().is_zero() {
                let message = format!("`{}` took longer than it may", self.name);
                return Err(InferenceError::new(InferenceErrorKind::Deadline, message));
            }
            let this_time = Limits { within: left(), cancel: limits.cancel.clone() };
            *sent += 1;
            self.meter.request(*sent > 1);
            let (error, is_worth_retrying, asked) = match self.exchange.exchange(request, &this_time) {
                Ok(reply) if reply.status == 200 => return Ok(reply.body),
                // A token that a program prints may have run out since it was read.
                Ok(reply) if reply.status == 401 && reads_key_again && self.exchange.forget_key() => {
                    reads_key_again = false;
                    continue;
                }
                Ok(reply) => {
                    let shows_key = |text: &str| self.exchange.is_key_shown_by(text);
                    let error = status::error(&self.name, &reply, shows_key);
                    (error, status::is_worth_retrying(reply.status), reply.retry_after)
                }
                Err(none) => (none.error, none.is_worth_retrying, None),
            };
            if !is_worth_retrying || attempt >= self.retries {
                return Err(error);
            }
            let pause = backoff::pause(attempt, &spread, asked);
            if pause >= left() {
                // Waiting would only turn this reason into a worse one.
                return Err(error);
            }
            self.clock.wait(pause, &limits.cancel);
            attempt += 1;
        }
    }

    fn does_not(&self, what: &str) -> InferenceError {
        let message = format!("`{}` does not {what}; its tier does not say it can", self.name);
        InferenceError::new(InferenceErrorKind::Unsupported, message)
    }
}

impl Chat for WireModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn chat(&self, request: &ChatRequest, limits: &Limits) -> Result<ChatReply, InferenceError> {
        if self.embeds.is_some() || self.reranks {
            return Err(self.does_not("write"));
        }
        let (written, read): (Request, ReadChat) = match self.protocol {
            Protocol::OpenAi => (openai::chat(&self.shape, request), openai::read_chat),
            Protocol::Anthropic => (anthropic::chat(&self.shape, request), anthropic::read_chat),
            Protocol::Gemini => (gemini::chat(&self.shape, request), gemini::read_chat),
        };
        let (reply, usage) = self.call(&written, limits, |body| {
            let reply = read(body)?;
            let usage = reply.usage;
            Ok((reply, usage))
        })?;
        Ok(ChatReply { usage, ..reply })
    }
}

impl Embed for WireModel {
    /// Which model this is.
    ///
    /// # Panics
    /// When the tier is no embedding model; [`WireModel::embeds`] tells.
    fn identity(&self) -> &ModelIdentity {
        &self.embeds.as_ref().expect("asked only of an embedding model").1
    }

    fn embed(&self, role: Role, texts: &[&str], limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        let Some((embeds, identity)) = &self.embeds else { return Err(self.does_not("embed")) };
        let prefix = match role {
            Role::Query => &embeds.query_prefix,
            Role::Passage => &embeds.passage_prefix,
        };
        let started = self.clock.elapsed();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(embeds.batch.max(1)) {
            let batch: Vec<String> = batch.iter().map(|text| format!("{prefix}{text}")).collect();
            let (written, read): (Request, ReadVectors) = match self.protocol {
                Protocol::Gemini => (gemini::embed(&self.shape, role, &batch), gemini::read_embed),
                _ => (openai::embed(&self.shape, &batch), openai::read_embed),
            };
            let spent = self.clock.elapsed().saturating_sub(started);
            let rest = Limits { within: limits.within.saturating_sub(spent), cancel: limits.cancel.clone() };
            let (found, _) = self.call(&written, &rest, |body| {
                let Vectors { vectors, usage } = read(body, batch.len())?;
                Ok((vectors, usage))
            })?;
            for vector in found {
                let length = vector.len();
                if length != identity.dims as usize {
                    let message = format!(
                        "`{}` answered with {length} numbers a vector where its tier says {}; set `dims` to what the model gives",
                        self.name, identity.dims
                    );
                    return Err(InferenceError::new(InferenceErrorKind::BadReply, message));
                }
                vectors.push(read::to_unit(vector).map_err(|error| {
                    let message =
                        format!("the reply of `{}` is not what its protocol says: {error}", self.name);
                    InferenceError::new(InferenceErrorKind::BadReply, message)
                })?);
            }
        }
        Ok(vectors)
    }
}

impl WireModel {
    /// Whether this is an embedding model.
    #[must_use]
    pub fn embeds(&self) -> bool {
        self.embeds.is_some()
    }
}

impl Rerank for WireModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn rerank(&self, query: &str, passages: &[&str], limits: &Limits) -> Result<Vec<f32>, InferenceError> {
        if !self.reranks {
            return Err(self.does_not("rerank"));
        }
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let written = rerank::rerank(&self.shape, query, passages);
        let (scores, _) = self.call(&written, limits, |body| rerank::read_rerank(body, passages.len()))?;
        Ok(scores)
    }
}
