//! The model proposer: a model reads stored messages and nominates what they state; the gate disposes.
//!
//! A message is stored and judged by [`crate::propose`] first, whatever becomes of the model: it may be slow, absent, out of
//! its budget or talking nonsense, and no write waits for it. What it nominates comes as a later append on the known
//! message, and is judged on the words as they are stored then; where they were forgotten meanwhile, nothing comes of it.
//!
//! In reading order: `prompt` is what is asked, `lenient` and `parse` what is made of the reply, `own_words` what a model may not
//! bring along, `budget` what it may cost.

mod budget;
mod lenient;
mod own_words;
mod parse;
mod prompt;

use std::sync::Arc;

use inference::Limits;
use inference::chat::{Chat, ChatRequest, Finish};
use inference::error::{InferenceError, InferenceErrorKind};
use inference::tiers::ProposeSettings;
use ledger::evidence::{Author, Evidence};
use ledger::id::{EvidenceId, Kind, Position};
use ledger::regions::foreign_regions;
use ledger::scope::Scope;
use ledger::source::NAME_BYTES_MAX;
use ledger::time::Instant;
use serde::Serialize;

pub use budget::Spent;
pub use parse::{Dropped, PROPOSALS_MAX, Parsed, REPLY_BYTES_MAX, parse};
pub use prompt::VERSION;

use crate::answer::{Counts, Observed};
use crate::error::EngineError;
use crate::{Call, Engine};
use budget::Budget;
use own_words::Fault;
use prompt::Shown;

/// A model asked for proposals, with what it may cost.
pub struct ModelProposer {
    chat: Arc<dyn Chat>,
    name: String,
    settings: ProposeSettings,
    budget: Budget,
}

/// Messages asked about together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    messages: Vec<(EvidenceId, Shown)>,
    /// Messages looked at, those left out included.
    pub looked_at: u64,
    /// Messages too long to be shown whole; their beginning is.
    pub cut: u64,
    /// The last message looked at: where the next batch begins.
    pub through: Option<Position>,
}

/// Which messages are asked about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// Those after this place in the log.
    pub after: Option<Position>,
    /// Those said at this time or later.
    pub since: Option<Instant>,
}

/// What came of asking about one batch.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Proposed {
    /// How it went.
    pub outcome: Outcome,
    /// Why there is no answer, where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whose turn it is, where there is no answer.
    #[serde(skip)]
    pub failure: Option<InferenceErrorKind>,
    /// What became of each message's proposals, in the order of the batch; empty without an answer.
    pub messages: Vec<Observed>,
    /// All of them together: `received = admitted + refused + duplicate + failed`.
    pub counts: Counts,
    /// What of the reply was no proposal, by reason. Not among the counts: it never reached the gate.
    pub dropped: Dropped,
    /// Tokens read and written, as the provider says, or as estimated where it does not.
    pub tokens: u64,
}

/// How asking went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The model answered, and the gate judged.
    Read,
    /// The model answered something that is no reply, or cannot answer this: asking again would not help.
    Unreadable,
    /// The model could not be asked now: the same batch can be asked later.
    NotAnswered,
    /// Nothing was asked: the subject's tokens of the day are spent.
    OverBudget,
    /// There was nothing to ask about.
    Nothing,
}

impl Batch {
    /// How many messages are asked about.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there is nothing to ask about.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The places of its messages in the log.
    pub fn places(&self) -> impl Iterator<Item = Position> + '_ {
        self.messages.iter().map(|(id, _)| id.0)
    }
}

impl Proposed {
    fn without_answer(outcome: Outcome, reason: Option<String>) -> Self {
        Self {
            outcome,
            reason,
            failure: None,
            messages: Vec::new(),
            counts: Counts::default(),
            dropped: Dropped::default(),
            tokens: 0,
        }
    }

    /// Whether the batch is done with: it was read, or asking again would not help.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        matches!(self.outcome, Outcome::Read | Outcome::Unreadable | Outcome::Nothing)
    }
}

impl ModelProposer {
    /// A proposer that asks `chat` within `settings`.
    #[must_use]
    pub fn new(chat: Arc<dyn Chat>, settings: ProposeSettings) -> Self {
        let mut name = format!("{VERSION} {}", chat.name());
        name.truncate(name.floor_char_boundary(NAME_BYTES_MAX));
        Self { chat, name, budget: Budget::of(settings.tokens_per_day), settings }
    }

    /// Who proposes, as claims record it: the version of the prompt and the model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a subject spent, and on which day.
    #[must_use]
    pub fn spent(&self, scope: &Scope) -> Spent {
        self.budget.spent(scope.subject())
    }

    /// Counts what a subject spent before this process began.
    pub fn restore(&self, scope: &Scope, before: Spent) {
        self.budget.restore(scope.subject(), before);
    }
}

/// Messages read from the store at a time.
const PAGE: usize = 64;

impl Engine {
    /// The next messages to ask about. Messages of assistants testify to nothing and are passed over, as are those whose words
    /// are not kept or not the author's own.
    ///
    /// # Errors
    /// The store's.
    pub fn next_batch(
        &self,
        call: Call<'_>,
        proposer: &ModelProposer,
        asked: Asked,
    ) -> Result<Batch, EngineError> {
        let mut batch = Batch { through: asked.after, ..Batch::default() };
        let mut room = proposer.settings.batch_tokens;
        loop {
            let page = self.store().evidence_after(call.scope, batch.through, PAGE)?;
            if page.is_empty() {
                return Ok(batch);
            }
            for (id, evidence) in page {
                let is_old = asked.since.is_some_and(|since| evidence.event_time.instant < since);
                if !is_old && let Some((shown, is_cut)) = self.shown(proposer, &evidence) {
                    let tokens = self.tokens.count(&shown.text) as usize;
                    if !batch.messages.is_empty() && tokens > room {
                        return Ok(batch);
                    }
                    room = room.saturating_sub(tokens);
                    batch.cut += u64::from(is_cut);
                    batch.messages.push((id, shown));
                }
                batch.looked_at += 1;
                batch.through = Some(id.0);
                if batch.messages.len() >= proposer.settings.batch_messages {
                    return Ok(batch);
                }
            }
        }
    }

    /// These messages, in as few batches as they fit. Unknown ids are passed over: the message may have been forgotten.
    ///
    /// # Errors
    /// The store's.
    pub fn batches_of(
        &self,
        call: Call<'_>,
        proposer: &ModelProposer,
        ids: &[&str],
    ) -> Result<Vec<Batch>, EngineError> {
        let Some(keys) = self.store().keys(call.scope)? else { return Ok(Vec::new()) };
        let positions: Vec<EvidenceId> = ids
            .iter()
            .filter_map(|id| keys.ids.open(id))
            .filter_map(|(kind, position)| (kind == Kind::Evidence).then_some(EvidenceId(position)))
            .collect();
        let found = self.store().evidence(call.scope, &positions)?;
        let mut batches: Vec<Batch> = Vec::new();
        let mut room = 0;
        for (id, evidence) in positions.into_iter().zip(found) {
            let Some((shown, is_cut)) = evidence.and_then(|evidence| self.shown(proposer, &evidence)) else {
                continue;
            };
            let tokens = self.tokens.count(&shown.text) as usize;
            let fits = batches
                .last()
                .is_some_and(|last| last.messages.len() < proposer.settings.batch_messages && tokens <= room);
            if !fits {
                batches.push(Batch::default());
                room = proposer.settings.batch_tokens;
            }
            room = room.saturating_sub(tokens);
            if let Some(last) = batches.last_mut() {
                last.messages.push((id, shown));
                last.looked_at += 1;
                last.cut += u64::from(is_cut);
                last.through = Some(id.0);
            }
        }
        Ok(batches)
    }

    fn shown(&self, proposer: &ModelProposer, evidence: &Evidence) -> Option<(Shown, bool)> {
        if evidence.author == Author::Assistant {
            return None;
        }
        let text = evidence.words.text.as_ref()?;
        let foreign = match evidence.author {
            Author::Owner => foreign_regions(text),
            // Everything in a document is the document's.
            _ => Vec::new(),
        };
        let (own, is_cut) = prompt::quotable(text, &foreign, proposer.settings.batch_tokens, &*self.tokens);
        let shown = Shown { author: evidence.author, event_time: evidence.event_time.clone(), text: own };
        prompt::has_words(&shown.text).then_some((shown, is_cut))
    }

    /// What a model is asked about a batch.
    #[must_use]
    pub fn prompt(&self, batch: &Batch) -> ChatRequest {
        let shown: Vec<Shown> = batch.messages.iter().map(|(_, shown)| shown.clone()).collect();
        prompt::request(&shown, self.registry(), self.policies().admission.max_proposals)
    }

    /// Asks a model about a batch, and has the gate judge what it proposes, on the words as they are stored by then.
    ///
    /// A model that fails is an [`Outcome`], never an error: nothing that was stored depends on it.
    ///
    /// # Errors
    /// The store's.
    pub fn propose(
        &self,
        call: Call<'_>,
        proposer: &ModelProposer,
        batch: &Batch,
        limits: &Limits,
    ) -> Result<Proposed, EngineError> {
        if batch.messages.is_empty() {
            return Ok(Proposed::without_answer(Outcome::Nothing, None));
        }
        let request = self.prompt(batch);
        let read: u64 =
            request.messages.iter().map(|message| u64::from(self.tokens.count(&message.text))).sum();
        let reserved = read + u64::from(request.max_output_tokens.unwrap_or_default());
        let subject = call.scope.subject();
        if !proposer.budget.reserve(subject, call.now, reserved) {
            let spent = proposer.budget.spent(subject).tokens;
            let reason = format!(
                "{spent} of {} tokens of the day are spent, and this would take up to {reserved}",
                proposer.settings.tokens_per_day
            );
            return Ok(Proposed::without_answer(Outcome::OverBudget, Some(reason)));
        }
        let reply = match proposer.chat.chat(&request, limits) {
            Ok(reply) => reply,
            Err(error) => {
                // Whether anything was spent, nobody can say; a call that was turned away cost nothing.
                proposer.budget.settle(subject, call.now, reserved, cost_of_failure(&error, read));
                let without = Proposed::without_answer(outcome_of(&error), Some(error.to_string()));
                return Ok(Proposed { failure: Some(error.kind()), ..without });
            }
        };
        let counted = reply.usage.input_tokens + reply.usage.output_tokens;
        let tokens = match counted {
            0 => read + reply.text.len() as u64 / 4,
            counted => counted,
        };
        proposer.budget.settle(subject, call.now, reserved, tokens);
        let mut parsed = parse(&reply.text, batch.messages.len());
        if reply.finish == Finish::Length && parsed.dropped.cut == 0 {
            parsed.dropped.cut = 1;
        }
        let mut proposals: Vec<Vec<serde_json::Value>> = vec![Vec::new(); batch.messages.len()];
        for (place, proposal) in parsed.proposals {
            let Some(((_, shown), of_message)) = batch.messages.get(place).zip(proposals.get_mut(place))
            else {
                continue;
            };
            match own_words::fault(&proposal, &shown.text, self.registry()) {
                None => of_message.push(proposal),
                Some(Fault::UnnamedEntity) => parsed.dropped.unnamed_entity += 1,
                Some(Fault::OtherWords) => parsed.dropped.other_words += 1,
                Some(Fault::WholeQuote) => parsed.dropped.whole_quote += 1,
                Some(Fault::Note) => parsed.dropped.notes += 1,
            }
        }
        let stored = batch.messages.iter().map(|(id, _)| *id).zip(proposals).collect();
        let messages = self.judge_stored(call, proposer.name(), stored)?;
        let mut counts = Counts::default();
        messages.iter().for_each(|one| counts.add(&one.counts));
        Ok(Proposed {
            outcome: Outcome::Read,
            reason: None,
            failure: None,
            messages,
            counts,
            dropped: parsed.dropped,
            tokens,
        })
    }
}

fn outcome_of(error: &InferenceError) -> Outcome {
    match error.kind() {
        InferenceErrorKind::BadReply | InferenceErrorKind::Unsupported => Outcome::Unreadable,
        _ => Outcome::NotAnswered,
    }
}

fn cost_of_failure(error: &InferenceError, read: u64) -> u64 {
    match error.kind() {
        InferenceErrorKind::BadReply | InferenceErrorKind::Deadline | InferenceErrorKind::Cancelled => read,
        _ => 0,
    }
}
