//! Importing: years of messages at once, counted so that nothing is lost in silence.
//!
//! What reads foreign files is no part of the engine; it hands over messages in the shape of [`crate::observe`]. Here
//! they are taken in by the hundred, each answered for: stored, known already, or refused with the reason.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Counts, Observed};
use crate::error::{EngineError, ErrorKind};
use crate::observe::{Message, Observing};
use crate::{Call, Engine};

/// The most messages of one append.
pub const MESSAGES_PER_APPEND: usize = 256;

/// The most bytes of text of one append; a longer message goes alone.
const TEXT_BYTES_PER_APPEND: usize = 16 * 1024 * 1024;

/// What became of the messages of an import.
#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub struct Taken {
    /// Messages handed in: `messages = stored + duplicate + refused`, unless it was interrupted.
    pub messages: u64,
    /// Messages that became evidence.
    pub stored: u64,
    /// Messages known already.
    pub duplicate: u64,
    /// Messages that were not taken in.
    pub refused: Vec<NotTaken>,
    /// What became of the proposals of all messages together.
    pub proposals: Counts,
    /// The last append a reader must have seen to see all of it.
    pub watermark: u64,
    /// Whether the caller asked to stop before the end.
    pub interrupted: bool,
}

/// A message that was not taken in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct NotTaken {
    /// The source, as `kind:ref`.
    pub source: String,
    /// The source's own id of the message.
    pub external_id: Option<String>,
    /// A stable code: `forgotten`, `bad_message` or `conflict`.
    pub reason: &'static str,
    /// What exactly was wrong.
    pub detail: String,
}

impl NotTaken {
    fn of(message: &Message, reason: &'static str, detail: String) -> Self {
        Self {
            source: format!("{}:{}", message.source.kind, message.source.reference),
            external_id: message.external_id.clone(),
            reason,
            detail,
        }
    }
}

impl Engine {
    /// Takes in messages, up to [`MESSAGES_PER_APPEND`] to an append; the owner's without proposals are looked through by
    /// `rules/1`. After each append `told` hears how many messages are done, and may stop the import there.
    ///
    /// # Errors
    /// Only when the store fails; what was appended before stays. A message that cannot be taken is counted and told.
    pub fn import(
        &self,
        call: Call<'_>,
        messages: impl IntoIterator<Item = Message>,
        mut told: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Taken, EngineError> {
        let mut taken = Taken { watermark: self.store().head(call.scope)?.watermark, ..Taken::default() };
        let mut messages = messages.into_iter().peekable();
        while messages.peek().is_some() {
            let mut group: Vec<Message> = Vec::new();
            let mut bytes = 0;
            while let Some(next) = messages.next_if(|next| {
                group.is_empty()
                    || (group.len() < MESSAGES_PER_APPEND && bytes + next.text.len() <= TEXT_BYTES_PER_APPEND)
            }) {
                bytes += next.text.len();
                group.push(next);
            }
            taken.messages += group.len() as u64;
            self.import_group(call, group, &mut taken)?;
            if told(taken.messages).is_break() {
                taken.interrupted = messages.peek().is_some();
                break;
            }
        }
        Ok(taken)
    }

    fn import_group(
        &self,
        call: Call<'_>,
        group: Vec<Message>,
        taken: &mut Taken,
    ) -> Result<(), EngineError> {
        let mut sound = Vec::with_capacity(group.len());
        for message in group {
            match self.check(call, &message) {
                Ok(()) => sound.push(message),
                Err(error) => {
                    taken.refused.push(NotTaken::of(&message, "bad_message", error.to_string()));
                }
            }
        }
        if sound.is_empty() {
            return Ok(());
        }
        let observing = Observing { per_append: MESSAGES_PER_APPEND, ..Observing::default() };
        match self.observe(call, sound.clone(), observing) {
            Ok(answers) => {
                sound.iter().zip(answers).for_each(|(message, answer)| count(taken, message, answer));
                return Ok(());
            }
            Err(error) => reason_to_go_on(error)?,
        }
        // One of them cannot be written; alone, each answers for itself.
        for message in sound {
            match self.observe(call, vec![message.clone()], observing) {
                Ok(answers) => answers.into_iter().for_each(|answer| count(taken, &message, answer)),
                Err(error) => {
                    let detail = error.to_string();
                    let reason = match error.kind() {
                        ErrorKind::Conflict => "conflict",
                        _ => "bad_message",
                    };
                    reason_to_go_on(error)?;
                    taken.refused.push(NotTaken::of(&message, reason, detail));
                }
            }
        }
        Ok(())
    }
}

/// Lets an error pass that lies in a message; one of the store ends the import.
fn reason_to_go_on(error: EngineError) -> Result<(), EngineError> {
    match error.kind() {
        ErrorKind::Input | ErrorKind::NotFound | ErrorKind::Conflict => Ok(()),
        _ => Err(error),
    }
}

fn count(taken: &mut Taken, message: &Message, answer: Observed) {
    taken.proposals.add(&answer.counts);
    taken.watermark = taken.watermark.max(answer.watermark);
    match (answer.evidence, answer.duplicate) {
        (None, _) => {
            let detail = "these words were forgotten on request and are not learnt again".to_owned();
            taken.refused.push(NotTaken::of(message, "forgotten", detail));
        }
        (Some(_), true) => taken.duplicate += 1,
        (Some(_), false) => taken.stored += 1,
    }
}
