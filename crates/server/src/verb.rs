//! Verbs: what a caller may ask, once for every face.
//!
//! A verb says its name, the right it needs, the shape of what it takes and of what it answers, and does the work on the engine.
//! HTTP gives it a method and a path, MCP a tool name; neither adds meaning. The shapes are the OpenAPI document and the tools'
//! schemas, so what is written there is what is read and answered.

use std::ops::ControlFlow;
use std::sync::Arc;

use engine::{Call, Engine};
use ledger::scope::Scope;
use ledger::time::Instant;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::access::{Caller, Right};
use crate::refusal::Refusal;

/// Something a caller may ask.
pub trait Verb: 'static {
    /// Its name: the operation in the OpenAPI document, and the label of its measurements.
    const NAME: &'static str;
    /// What the caller must be allowed.
    const RIGHT: Right;
    /// What it does, in a line.
    const SUMMARY: &'static str;
    /// Whether the caller must be known to act for a subject; a verb about the deployment needs none.
    const OF_SUBJECT: bool = true;
    /// Whether it keeps the caller's key of a call, so that the call sent again is answered and not done twice.
    const KEYED: bool = false;
    /// What it takes.
    type Input: DeserializeOwned + JsonSchema;
    /// What it answers.
    type Answer: Serialize + JsonSchema;

    /// Does it.
    ///
    /// # Errors
    /// [`Refusal`]; nothing is half done then.
    fn run(asked: &Asked<'_>, input: Self::Input) -> Result<Self::Answer, Refusal>;
}

/// Something whose answer comes piece by piece, because it is long or takes long.
pub trait StreamVerb: 'static {
    /// As [`Verb::NAME`].
    const NAME: &'static str;
    /// As [`Verb::RIGHT`].
    const RIGHT: Right;
    /// As [`Verb::SUMMARY`].
    const SUMMARY: &'static str;
    /// What it takes.
    type Input: DeserializeOwned + JsonSchema;
    /// A piece of what it answers.
    type Piece: Serialize + JsonSchema;

    /// Does it, handing out pieces as they come; `told` answers whether anybody still listens.
    ///
    /// # Errors
    /// [`Refusal`], also after some pieces were told.
    fn run(
        asked: &Asked<'_>,
        input: Self::Input,
        told: &mut dyn FnMut(Self::Piece) -> Result<ControlFlow<()>, Refusal>,
    ) -> Result<(), Refusal>;
}

/// Who asks, of whom, when, and with what at hand.
pub struct Asked<'call> {
    /// The memory.
    pub engine: &'call Engine,
    /// What the deployment keeps besides.
    pub house: &'call crate::House,
    /// Who asks.
    pub caller: &'call Caller,
    /// Whose memory is meant.
    pub scope: &'call Scope,
    /// When.
    pub now: Instant,
    /// The caller's key for this call, by which a repetition is known.
    pub idempotency_key: Option<&'call str>,
}

impl Asked<'_> {
    /// The call as the engine takes it.
    #[must_use]
    pub fn call(&self) -> Call<'_> {
        Call { scope: self.scope, now: self.now }
    }

    /// Does another verb for the same caller, if it may.
    ///
    /// # Errors
    /// [`Refusal`], also for a caller who may not.
    pub(crate) fn tell<V: Verb>(&self, input: V::Input) -> Result<V::Answer, Refusal> {
        crate::permit(self.caller, V::RIGHT, V::OF_SUBJECT)?;
        let answer = V::run(self, input)?;
        if V::RIGHT == Right::Write {
            (self.house.written)(self.scope);
        }
        Ok(answer)
    }
}

/// Takes a piece of an answer, as JSON; answers whether more is wanted.
pub type Piece<'call> = dyn FnMut(Vec<u8>) -> ControlFlow<()> + 'call;

type Run = dyn Fn(&Asked<'_>, Json, &mut Piece<'_>) -> Result<(), Refusal> + Send + Sync;

/// A verb without its types, as tables of routes and tools hold it.
#[derive(Clone)]
pub struct AnyVerb {
    /// [`Verb::NAME`].
    pub name: &'static str,
    /// [`Verb::RIGHT`].
    pub right: Right,
    /// [`Verb::SUMMARY`].
    pub summary: &'static str,
    /// [`Verb::OF_SUBJECT`].
    pub of_subject: bool,
    /// Whether the answer comes piece by piece.
    pub streams: bool,
    /// [`Verb::KEYED`].
    pub keyed: bool,
    input: fn(&mut SchemaGenerator) -> Schema,
    answer: fn(&mut SchemaGenerator) -> Schema,
    run: Arc<Run>,
}

impl AnyVerb {
    /// The verb `V`.
    #[must_use]
    pub fn of<V: Verb>() -> Self {
        Self {
            name: V::NAME,
            right: V::RIGHT,
            summary: V::SUMMARY,
            of_subject: V::OF_SUBJECT,
            streams: false,
            keyed: V::KEYED,
            // A type of its own is named by reference; what few fields it has should be seen.
            input: V::Input::json_schema,
            answer: SchemaGenerator::subschema_for::<V::Answer>,
            run: Arc::new(|asked, input, told| {
                _ = told(written(&V::run(asked, read::<V::Input>(input)?)?)?);
                Ok(())
            }),
        }
    }

    /// The verb `V`, whose answer comes piece by piece.
    #[must_use]
    pub fn stream<V: StreamVerb>() -> Self {
        Self {
            name: V::NAME,
            right: V::RIGHT,
            summary: V::SUMMARY,
            of_subject: true,
            streams: true,
            keyed: false,
            input: V::Input::json_schema,
            answer: SchemaGenerator::subschema_for::<V::Piece>,
            run: Arc::new(|asked, input, told| {
                V::run(asked, read::<V::Input>(input)?, &mut |piece| Ok(told(written(&piece)?)))
            }),
        }
    }

    /// The shape of what it takes.
    pub fn input(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.input)(generator)
    }

    /// The shape of what it answers, or of a piece of it.
    pub fn answer(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.answer)(generator)
    }

    /// Does it, for a caller who may; of an answer that comes at once, hands out the one piece.
    ///
    /// # Errors
    /// [`Refusal`], also for a caller who may not.
    pub fn run(&self, asked: &Asked<'_>, input: Json, told: &mut Piece<'_>) -> Result<(), Refusal> {
        asked.caller.must(self.right)?;
        (self.run)(asked, input, told)
    }
}

fn written(answer: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(answer).map_err(|_| Refusal::fault("the answer could not be written"))
}

/// Reads an input; what is wrong is told with its place.
///
/// # Errors
/// [`Refusal`] `bad_request`.
pub fn read<T: DeserializeOwned>(input: Json) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let place = error.path().to_string();
        let what = error.into_inner().to_string();
        match place.as_str() {
            "." => Refusal::bad_request(what),
            place => Refusal::bad_request(format!("`{place}`: {what}")),
        }
    })
}
