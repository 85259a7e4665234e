//! Everything of a subject: taken in, and handed out.

use std::ops::ControlFlow;

use engine::import::{NotTaken, Taken};
use engine::observe::Message;
use ledger::evidence::Author;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::Nothing;
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verb::{Asked, StreamVerb};

/// Takes in years of messages at once.
pub struct Import;

/// Messages to be taken in, in the order they were said.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Imported {
    /// As many as a request may carry. One that cannot be taken is counted and told; the rest goes on.
    pub messages: Vec<Message>,
}

/// How far an import is; the last piece says that it is done.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImportTold {
    /// Messages answered for so far.
    pub done: u64,
    /// Messages handed in.
    pub messages: u64,
    /// What became of them all; only in the last piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<Taken>,
}

impl StreamVerb for Import {
    const NAME: &'static str = "import";
    const RIGHT: Right = Right::Write;
    const SUMMARY: &'static str = "Take in many messages at once, told how far it is";
    type Input = Imported;
    type Piece = ImportTold;

    fn run(
        asked: &Asked<'_>,
        input: Imported,
        told: &mut dyn FnMut(ImportTold) -> Result<ControlFlow<()>, Refusal>,
    ) -> Result<(), Refusal> {
        let messages = input.messages.len() as u64;
        let mut kept_out = Vec::new();
        let mut taken_in = Vec::with_capacity(input.messages.len());
        for (place, message) in input.messages.into_iter().enumerate() {
            match message.author == Author::Service && !asked.caller.may(Right::Service) {
                true => kept_out.push(NotTaken {
                    source: format!("{}:{}", message.source.kind, message.source.reference),
                    external_id: message.external_id,
                    reason: "not_permitted",
                    detail: format!("`messages[{place}].author`: `service` needs `{}`", Right::Service),
                }),
                false => taken_in.push(message),
            }
        }
        let out = kept_out.len() as u64;
        let mut failed = None;
        let mut taken = asked.engine.import(asked.call(), taken_in, |done| {
            match told(ImportTold { done: done + out, messages, taken: None }) {
                Ok(flow) => flow,
                Err(refusal) => {
                    failed = Some(refusal);
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(refusal) = failed {
            return Err(refusal);
        }
        taken.messages += out;
        taken.refused.extend(kept_out);
        _ = told(ImportTold { done: messages, messages, taken: Some(taken) })?;
        Ok(())
    }
}

/// Hands out everything.
pub struct Export;

/// A message or a decision, as observing takes it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Exported(pub Json);

/// Why an export ended early.
enum Ended {
    Refused(Refusal),
    Left,
}

impl From<engine::EngineError> for Ended {
    fn from(error: engine::EngineError) -> Self {
        Self::Refused(error.into())
    }
}

impl StreamVerb for Export {
    const NAME: &'static str = "export";
    const RIGHT: Right = Right::Read;
    const SUMMARY: &'static str = "Everything of the subject, in a form that can be taken in again";
    type Input = Nothing;
    type Piece = Exported;

    fn run(
        asked: &Asked<'_>,
        _: Nothing,
        told: &mut dyn FnMut(Exported) -> Result<ControlFlow<()>, Refusal>,
    ) -> Result<(), Refusal> {
        let exported = asked.engine.export(asked.call(), |line| match told(Exported(line.clone())) {
            Ok(ControlFlow::Continue(())) => Ok(()),
            Ok(ControlFlow::Break(())) => Err(Ended::Left),
            Err(refusal) => Err(Ended::Refused(refusal)),
        });
        match exported {
            Ok(_) | Err(Ended::Left) => Ok(()),
            Err(Ended::Refused(refusal)) => Err(refusal),
        }
    }
}
