//! Remembering on purpose: a person or an agent says in one line what should be kept.

use ledger::evidence::Author;
use ledger::registry::{Cardinality, ValueType};
use serde_json::{Value as Json, json};

use crate::answer::Observed;
use crate::error::EngineError;
use crate::observe::{Message, Observing, SourceInput};
use crate::propose;
use crate::{Call, Engine};

/// What is to be remembered.
#[derive(Clone, Debug, Default)]
pub struct Remember {
    /// The words.
    pub text: String,
    /// Whether they say how the owner wants to be answered or served.
    pub is_preference: bool,
    /// With `predicate` and `value`: what exactly the words say.
    pub entity: Option<String>,
    /// The predicate.
    pub predicate: Option<String>,
    /// The value; the text itself when left out.
    pub value: Option<String>,
    /// When it was said; now, when left out.
    pub event_time: Option<String>,
    /// The caller's key: the same key twice is the same call.
    pub idempotency_key: Option<String>,
}

/// The longest note kept as a value; longer words are kept as evidence, and the note quotes their beginning.
const NOTE_CHARS_MAX: usize = 600;

impl Engine {
    /// Keeps words on purpose. Without a predicate they become a note (or a preference), and `rules/1` may add to it.
    ///
    /// # Errors
    /// As [`Engine::observe`].
    pub fn remember(&self, call: Call<'_>, remember: Remember) -> Result<Observed, EngineError> {
        let text = remember.text.trim().to_owned();
        let mut notices = Vec::new();
        let proposals = match &remember.predicate {
            Some(predicate) => {
                let value = remember.value.as_ref().unwrap_or(&text);
                let entity = remember.entity.as_deref().unwrap_or("self");
                vec![json!({
                    "entity": entity, "predicate": predicate, "value": value, "confidence": 1.0, "quote": clip(&text),
                })]
            }
            None => {
                let kept = clip(&text);
                if kept.len() < text.len() {
                    notices.push(format!(
                        "the note holds the first {NOTE_CHARS_MAX} characters; all words are kept as evidence"
                    ));
                }
                let note = json!({
                    "entity": remember.entity.as_deref().unwrap_or("self"),
                    "predicate": self.free_predicate(remember.is_preference),
                    "value": remember.value.as_deref().unwrap_or(kept),
                    "confidence": 1.0,
                    "quote": kept,
                });
                let now = ledger::time::Moment::utc(call.now);
                let said = remember.event_time.as_ref().and_then(|time| time.parse().ok()).unwrap_or(now);
                let own = propose::propose(&text, &said.zoned(), self.registry());
                std::iter::once(note).chain(own.iter().map(propose::Draft::to_json)).take(5).collect()
            }
        };
        let mut message = kept_words(text, remember.event_time, proposals, "remember");
        message.idempotency_key = remember.idempotency_key;
        let observing = Observing { kept_on_purpose: true, ..Observing::default() };
        let mut observed = self.observe(call, vec![message], observing)?;
        let mut one =
            observed.pop().ok_or_else(|| EngineError::Input("nothing was remembered".to_owned()))?;
        one.notices.extend(notices);
        Ok(one)
    }

    /// The predicate free words are kept under: `note`, or for preferences the registry's `prefers`.
    fn free_predicate(&self, is_preference: bool) -> &'static str {
        let takes_words = |name: &str| {
            self.registry().get(name).is_some_and(|predicate| {
                predicate.value == ValueType::Text && predicate.cardinality == Cardinality::Many
            })
        };
        if is_preference && takes_words("prefers") { "prefers" } else { "note" }
    }
}

/// What the owner has kept on purpose, as a message: whoever writes it, it stands in one source.
pub(crate) fn kept_words(
    text: String,
    event_time: Option<String>,
    proposals: Vec<Json>,
    proposer: &str,
) -> Message {
    Message {
        source: SourceInput {
            kind: "note".to_owned(),
            reference: "remember".to_owned(),
            title: None,
            authority: None,
            fidelity: Some(ledger::source::Fidelity::VisibleTranscript),
            mode: None,
            retention: None,
            lineage: None,
        },
        session: None,
        author: Author::Owner,
        author_name: None,
        event_time,
        external_id: None,
        text,
        attachments: Vec::new(),
        proposals: Some(proposals),
        proposer: Some(proposer.to_owned()),
        idempotency_key: None,
        kept_on_purpose: false,
    }
}

/// The beginning of a text, cut at a word where it is too long for a note.
#[must_use]
pub fn clip(text: &str) -> &str {
    let Some((end, _)) = text.char_indices().nth(NOTE_CHARS_MAX) else { return text };
    let cut = &text[..end];
    cut.rfind(char::is_whitespace).map_or(cut, |space| cut[..space].trim_end())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::admission::Policies;
    use ledger::reference::ReferenceStore;
    use ledger::scope::{Scope, Subject};
    use ledger::time::Instant;

    use super::*;
    use crate::tokens::Tokens;

    #[test]
    fn the_same_key_at_another_time_is_the_same_call() {
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let scope = Scope::of(Subject::parse("ana").expect("a name"));
        let keep = |second: i64, text: &str, key: Option<&str>| {
            let (text, idempotency_key) = (text.to_owned(), key.map(str::to_owned));
            let call = Call { scope: &scope, now: Instant::from_micros(second * 1_000_000) };
            engine.remember(call, Remember { text, idempotency_key, ..Remember::default() })
        };
        let first = keep(1, "The spare key hangs in the shed", Some("a")).expect("kept");
        let again = keep(2, "The spare key hangs in the shed", Some("a")).expect("answered");
        assert!(!first.duplicate && again.duplicate);
        assert_eq!((&again.evidence, again.watermark), (&first.evidence, first.watermark));
        // Under another key, or none, it is said once more.
        let other = keep(3, "The spare key hangs in the shed", Some("b")).expect("kept");
        let unnamed = keep(4, "The spare key hangs in the shed", None).expect("kept");
        assert!(other.watermark > first.watermark && unnamed.watermark > other.watermark);
        // Other words under a used key are no repetition.
        let refused = keep(5, "The spare key hangs in the hall", Some("a")).expect_err("refused");
        assert!(matches!(refused, EngineError::Conflict(_)), "{refused:?}");
    }
}
