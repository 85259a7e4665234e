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

use crate::answer::{Corrected, CorrectionForeseen, FactText, VersionText};
use crate::error::EngineError;
use crate::observe::{Judgement, Message, Observing};
use crate::recall::as_of;
use crate::remember::kept_words;
use crate::view::View;
use crate::{Call, Engine, open_id};

/// Who proposes what a correction says.
pub(crate) const PROPOSER: &str = "correct";

/// What a correction needs to know of what it corrects.
struct Old {
    fact: FactText,
    version: VersionText,
    entity: String,
    predicate: String,
    /// The value to retract, where the fact stands beside others.
    value: Option<String>,
    words: String,
}

/// How a correction is taken in: what a person puts right is kept on purpose.
const CORRECTING: Observing = Observing { per_append: 1, rules: true, kept_on_purpose: true };

impl Engine {
    /// Puts `new` in the place of the memory `id`.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an id that is no version of this subject; [`EngineError::Input`] when it does not hold
    /// any more, rests on a document's word, or the text is empty or too long.
    pub fn correct(&self, call: Call<'_>, id: &str, new: &str) -> Result<Corrected, EngineError> {
        let (_, message) = self.correction(call, id, new)?;
        let observed = self.observe(call, vec![message], CORRECTING)?.pop();
        let observed = observed.ok_or_else(|| EngineError::Input("nothing was corrected".to_owned()))?;
        Ok(Corrected { corrected: id.to_owned(), observed })
    }

    /// What [`Engine::correct`] would keep and what the gate would say of it; nothing is written.
    ///
    /// # Errors
    /// As [`Engine::correct`].
    pub fn foresee_correction(
        &self,
        call: Call<'_>,
        id: &str,
        new: &str,
    ) -> Result<CorrectionForeseen, EngineError> {
        let (old, message) = self.correction(call, id, new)?;
        let text = message.text.clone();
        let Judgement { admitted, refused, failed } = self.judge_only(call, message, CORRECTING)?;
        Ok(CorrectionForeseen { fact: old.fact, version: old.version, text, admitted, refused, failed })
    }

    /// The message that corrects, and what it is about.
    fn correction(&self, call: Call<'_>, id: &str, new: &str) -> Result<(Old, Message), EngineError> {
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
        Ok((old, kept_words(text, None, proposals, PROPOSER)))
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
            let view = View { snapshot, registry: self.registry(), as_of };
            let (told, stands) =
                view.fact(fact).zip(view.version(fact, version)).ok_or_else(not_found)?;
            let value = claim.words.value.as_ref().map(|stated| stated.written.clone()).unwrap_or_default();
            Ok(Old {
                fact: told,
                version: stands,
                entity: key.entity.to_string(),
                predicate: key.predicate.to_string(),
                words: value.clone(),
                value: (key.apart != Apart::Nothing).then_some(value),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::admission::Policies;
    use ledger::reference::ReferenceStore;
    use ledger::scope::{Scope, Subject};
    use ledger::time::Instant;

    use super::*;
    use crate::remember::Remember;
    use crate::tokens::Tokens;

    #[test]
    fn a_correction_is_foreseen_as_it_comes_out() {
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let ana = Scope::of(Subject::parse("ana").expect("a name"));
        let call = Call { scope: &ana, now: Instant::from_micros(1_000_000) };
        let remember = Remember {
            text: "no meetings before 9:30".to_owned(),
            predicate: Some("no_meetings_before".to_owned()),
            value: Some("9:30".to_owned()),
            ..Remember::default()
        };
        let kept = engine.remember(call, remember).expect("kept");
        let version = kept.admitted[0].version.clone().expect("a version");
        for (new, codes) in [("in the morning", vec!["value_type_mismatch"]), ("10:15", vec![])] {
            let before = engine.history(call, &version).expect("told");
            let foreseen = engine.foresee_correction(call, &version, new).expect("foreseen");
            assert_eq!(engine.history(call, &version).expect("told"), before, "looking changes nothing");
            assert_eq!(foreseen.version.id, version);
            let corrected = engine.correct(call, &version, new).expect("corrected").observed;
            assert_eq!(foreseen.refused, corrected.refused);
            let values: Vec<_> = foreseen.admitted.iter().map(|one| &one.value).collect();
            assert_eq!(values, corrected.admitted.iter().map(|one| &one.value).collect::<Vec<_>>());
            assert_eq!(foreseen.refused.iter().map(|one| one.code.as_str()).collect::<Vec<_>>(), codes);
        }
        let gone = engine.foresee_correction(call, &version, "11:00");
        assert!(matches!(gone, Err(EngineError::Input(_))), "it does not hold any more");
        let note = Remember { text: "the parcel lies at Iva's".to_owned(), ..Remember::default() };
        let kept = engine.remember(call, note).expect("kept");
        let version = kept.admitted[0].version.clone().expect("a version");
        let foreseen = engine.foresee_correction(call, &version, "the parcel is here").expect("foreseen");
        assert_eq!(
            foreseen.admitted.iter().map(|one| one.op.as_str()).collect::<Vec<_>>(),
            ["retract", "assert"]
        );
    }
}
