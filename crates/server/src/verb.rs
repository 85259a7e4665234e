//! Verbs: what a caller may ask, once for every face.
//!
//! A verb says its name, the right it needs, the shape of what it takes and of what it answers, and does the work on the engine.
//! HTTP gives it a method and a path, MCP a tool name; neither adds meaning. The shapes are the OpenAPI document and the tools'
//! schemas, so what is written there is what is read and answered.

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
}

type Run = dyn Fn(&Asked<'_>, Json) -> Result<Vec<u8>, Refusal> + Send + Sync;

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
            keyed: V::KEYED,
            input: V::Input::json_schema,
            // By its name, where the document names its shapes.
            answer: |generator| generator.subschema_for::<V::Answer>(),
            run: Arc::new(|asked, input| {
                let answer = V::run(asked, read::<V::Input>(input)?)?;
                serde_json::to_vec(&answer).map_err(|_| Refusal::fault("the answer could not be written"))
            }),
        }
    }

    /// The shape of what it takes.
    pub fn input(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.input)(generator)
    }

    /// The shape of what it answers.
    pub fn answer(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.answer)(generator)
    }

    /// Does it, for a caller who may.
    ///
    /// # Errors
    /// [`Refusal`], also for a caller who may not.
    pub fn run(&self, asked: &Asked<'_>, input: Json) -> Result<Vec<u8>, Refusal> {
        asked.caller.must(self.right)?;
        (self.run)(asked, input)
    }
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
