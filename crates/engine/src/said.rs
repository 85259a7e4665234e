//! What a source said: its messages in the order of the log, with how much of memory rests on each.

use ledger::id::{EvidenceId, Kind, SourceId};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::EvidenceText;
use crate::error::EngineError;
use crate::export::SourceListed;
use crate::recall::as_of;
use crate::view::View;
use crate::{Call, Engine, open_id};

/// Messages of an answer, at most.
pub const MESSAGES_MAX: usize = 100;

/// Messages read from the store at a time.
const PIECE: usize = 500;

/// Messages looked at for one answer, at most: those of other sources lie between.
const LOOKED_AT_MAX: usize = 20_000;

/// A source and some of what it said.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Said {
    /// The source.
    pub source: SourceListed,
    /// What it said, in the order it came to be known.
    pub messages: Vec<MessageSaid>,
    /// The last append this saw.
    pub watermark: u64,
    /// The message after which to go on; absent when nothing is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// One message.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MessageSaid {
    /// The message.
    #[serde(flatten)]
    pub evidence: EvidenceText,
    /// Claims that quote it.
    pub claims: usize,
}

impl Engine {
    /// What a source said, at most `limit` messages, from the first or from the one behind `after`.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an unknown source or `after`, [`EngineError::Input`] for a limit that is not between 1 and
    /// [`MESSAGES_MAX`].
    pub fn said(
        &self,
        call: Call<'_>,
        source: &str,
        limit: usize,
        after: Option<&str>,
    ) -> Result<Said, EngineError> {
        if !(1..=MESSAGES_MAX).contains(&limit) {
            let detail = format!("limit {limit} is not between 1 and {MESSAGES_MAX}");
            return Err(EngineError::Input(detail));
        }
        let (id, mut last) = self.read(call.scope, |snapshot| {
            let id = SourceId(open_id(snapshot, Kind::Source, source)?);
            let after = after.map(|after| open_id(snapshot, Kind::Evidence, after)).transpose()?;
            Ok((id, after))
        })?;
        let not_found = || EngineError::NotFound(source.chars().take(80).collect());
        let listed = self.sources(call)?.sources.into_iter().find(|listed| listed.id == source);
        let listed = listed.ok_or_else(not_found)?;
        // Read before a snapshot is held, so that nobody waits for the store.
        let mut found = Vec::new();
        let mut looked_at = 0;
        let mut more = true;
        while more && found.len() <= limit && looked_at < LOOKED_AT_MAX {
            let piece = self.store().evidence_after(call.scope, last, PIECE)?;
            more = piece.len() == PIECE;
            looked_at += piece.len();
            last = piece.last().map(|(id, _)| id.0).or(last);
            found.extend(piece.into_iter().filter(|(_, evidence)| evidence.source == id));
        }
        let goes_on = match found.len() > limit {
            true => found.get(limit - 1).map(|(id, _)| *id),
            false => last.filter(|_| more).map(EvidenceId),
        };
        found.truncate(limit);
        self.read(call.scope, |snapshot| {
            let view =
                View { snapshot, registry: self.registry(), as_of: as_of(snapshot, call.now, None, None) };
            let mut claims: FxHashMap<EvidenceId, usize> = FxHashMap::default();
            for claim in snapshot.memory.claims_of(id).filter_map(|claim| snapshot.memory.claim(claim)) {
                *claims.entry(claim.evidence).or_default() += 1;
            }
            let messages =
                found.iter().filter(|(id, _)| id.0.seq <= snapshot.durable).filter_map(|(id, one)| {
                    let claims = claims.get(id).copied().unwrap_or_default();
                    Some(MessageSaid { evidence: view.evidence(*id, one)?, claims })
                });
            Ok(Said {
                source: listed,
                messages: messages.collect(),
                watermark: view.as_of.watermark,
                next: goes_on.map(|id| view.id(Kind::Evidence, id)),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::admission::Policies;
    use ledger::evidence::Author;
    use ledger::reference::ReferenceStore;
    use ledger::scope::{Scope, Subject};
    use ledger::time::Instant;

    use super::*;
    use crate::observe::{Message, Observing};
    use crate::tokens::Tokens;

    #[test]
    fn a_source_tells_its_own_messages_page_by_page() {
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let ana = Scope::of(Subject::parse("ana").expect("a name"));
        let call = Call { scope: &ana, now: Instant::from_micros(1_000_000) };
        for number in 0..7 {
            let reference = if number % 2 == 0 { "even" } else { "odd" };
            let message: Message = serde_json::from_value(serde_json::json!({
                "source": {"kind": "conversation", "ref": reference},
                "author": Author::Owner.as_str(),
                "external_id": number.to_string(),
                "text": format!("I live in town number {number}"),
            }))
            .expect("a message");
            engine.observe(call, vec![message], Observing::default()).expect("taken in");
        }
        let sources = engine.sources(call).expect("listed").sources;
        let even = sources.iter().find(|source| source.reference == "even").expect("there");
        let texts = |said: &Said| -> Vec<String> {
            said.messages.iter().filter_map(|message| message.evidence.text.clone()).collect()
        };
        let first = engine.said(call, &even.id, 3, None).expect("told");
        assert_eq!(texts(&first), [0, 2, 4].map(|number| format!("I live in town number {number}")));
        assert_eq!(first.messages.iter().map(|message| message.claims).sum::<usize>(), even.claims.min(3));
        let second = engine.said(call, &even.id, 3, first.next.as_deref()).expect("told");
        assert_eq!((texts(&second), &second.next), (vec!["I live in town number 6".to_owned()], &None));
        assert!(matches!(engine.said(call, "so_0", 3, None), Err(EngineError::NotFound(_))));
        assert!(matches!(engine.said(call, &even.id, 3, Some("ev_0")), Err(EngineError::NotFound(_))));
        assert!(matches!(engine.said(call, &even.id, 0, None), Err(EngineError::Input(_))));
        let bo = Scope::of(Subject::parse("bo").expect("a name"));
        let foreign = engine.said(Call { scope: &bo, ..call }, &even.id, 3, None);
        assert!(matches!(foreign, Err(EngineError::NotFound(_))));
    }
}
