//! Correcting: a memory is put right by saying what holds instead. Nothing is overwritten.
//!
//! A correction is a message of the owner like any other, so it has a receipt. Where a fact holds one value, the new one
//! takes the place of the old. Where it holds many, as notes and preferences do, the message also says which one it is
//! that no longer holds, in its own words, so that the retraction has a quote to stand on.

use ledger::claim::Realm;
use ledger::fact::Apart;
use ledger::id::{Kind, VersionId};
use ledger::limits::Limit;
use serde_json::json;

use crate::answer::Corrected;
use crate::error::EngineError;
use crate::observe::Observing;
use crate::recall::as_of;
use crate::remember::kept_words;
use crate::{Call, Engine, open_id};

/// Who proposes what a correction says.
pub(crate) const PROPOSER: &str = "correct";

/// What a correction needs to know of what it corrects.
struct Old {
    entity: String,
    predicate: String,
    /// The value to retract, where the fact stands beside others.
    value: Option<String>,
    words: String,
}

impl Engine {
    /// Puts `new` in the place of the memory `id`.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an id that is no version of this subject; [`EngineError::Input`] when it does not hold
    /// any more, rests on a document's word, or the text is empty or too long.
    pub fn correct(&self, call: Call<'_>, id: &str, new: &str) -> Result<Corrected, EngineError> {
        let new = new.trim();
        let chars = new.chars().count();
        if chars == 0 {
            return Err(EngineError::Input("the new text is empty; `forget` takes a memory away".to_owned()));
        }
        Limit::CORRECTION_CHARACTERS.check("the new text", chars)?;
        let old = self.old(call, id)?;
        let (text, proposals) = match &old.value {
            None => {
                let assert = json!({
                    "entity": old.entity, "predicate": old.predicate, "value": new, "confidence": 1.0, "quote": new,
                });
                (new.to_owned(), vec![assert])
            }
            Some(value) => {
                let words = old.words.split_whitespace().collect::<Vec<_>>().join(" ");
                let retract = json!({
                    "entity": old.entity, "predicate": old.predicate, "value": value, "confidence": 1.0,
                    "quote": words, "op": "retract",
                });
                let assert = json!({
                    "entity": old.entity, "predicate": old.predicate, "value": new, "confidence": 1.0, "quote": new,
                });
                (format!("No longer: {words}\n\nInstead: {new}"), vec![retract, assert])
            }
        };
        let message = kept_words(text, None, proposals, PROPOSER);
        let observing = Observing { kept_on_purpose: true, ..Observing::default() };
        let observed = self.observe(call, vec![message], observing)?.pop();
        let observed = observed.ok_or_else(|| EngineError::Input("nothing was corrected".to_owned()))?;
        Ok(Corrected { corrected: id.to_owned(), observed })
    }

    fn old(&self, call: Call<'_>, id: &str) -> Result<Old, EngineError> {
        self.read(call.scope, |snapshot| {
            let version = VersionId(open_id(snapshot, Kind::Version, id)?);
            let as_of = as_of(snapshot, call.now, None, None);
            let not_found = || EngineError::NotFound(id.chars().take(80).collect());
            let (fact, version) = snapshot.memory.version(version).ok_or_else(not_found)?;
            let key = fact.key.as_ref().ok_or_else(not_found)?;
            let claim = snapshot.memory.told_by(version, &as_of).ok_or_else(not_found)?;
            if key.realm != Realm::Owner {
                let detail = format!(
                    "`{id}` rests on what a document or somebody else said; only the owner's own memories can be corrected"
                );
                return Err(EngineError::Input(detail));
            }
            if !version.is_current(&as_of) {
                let detail = format!("`{id}` does not hold any more; correct what holds now, see `history {id}`");
                return Err(EngineError::Input(detail));
            }
            let value = claim.words.value.as_ref().map(|stated| stated.written.clone()).unwrap_or_default();
            Ok(Old {
                entity: key.entity.to_string(),
                predicate: key.predicate.to_string(),
                words: value.clone(),
                value: (key.apart != Apart::Nothing).then_some(value),
            })
        })
    }
}
