//! The calibrated threshold: from which score on a memory is worth showing unasked, for the model in use and the language
//! of the message.

use ledger::calibration::{Calibration, WORDS};

use crate::Engine;
use crate::lexical::{Language, Query};

impl Engine {
    /// The same engine with another calibration of recall.
    #[must_use]
    pub fn with_calibration(mut self, calibration: Calibration) -> Self {
        self.policies.calibration = calibration;
        self
    }

    /// The name under which this engine's recall is calibrated: that of its embedding model, `words` without one.
    #[must_use]
    pub fn model_name(&self) -> &str {
        self.model().map_or(WORDS, |model| &model.name)
    }

    /// The least score at which a memory is shown for `message`, 0 to 1; `None` when the model was never measured.
    ///
    /// Where the language of the message is not clear, or was not measured, it is the lowest of the model's thresholds.
    #[must_use]
    pub fn calibrated_threshold(&self, message: &str) -> Option<f64> {
        let (calibration, model) = (&self.policies.calibration, self.model_name());
        let language = match Query::new(message).language() {
            Language::English => "en",
            Language::Croatian => "hr",
            Language::Unclear => return calibration.lowest_of(model),
        };
        calibration.of(model, language).map(|one| one.threshold).or_else(|| calibration.lowest_of(model))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::admission::Policies;
    use ledger::calibration::{Calibration, Measured, WORDS};
    use ledger::reference::ReferenceStore;
    use ledger::scope::{Scope, Subject};
    use ledger::time::Instant;

    use crate::recall::Recall;
    use crate::remember::Remember;
    use crate::tokens::Tokens;
    use crate::turn::Turn;
    use crate::{Call, Engine};

    fn calibration(of: &[(&str, f64)]) -> Calibration {
        let measured = of.iter().map(|(language, threshold)| Measured {
            model: WORDS.to_owned(),
            language: (*language).to_owned(),
            threshold: *threshold,
            right: 1.0,
            others: 0.0,
            abstained: 1.0,
            notes: 1,
            questions: 1,
        });
        Calibration::new("recall/test", measured.collect())
    }

    fn engine(calibration: Calibration) -> Engine {
        let store = Arc::new(ReferenceStore::new());
        Engine::new(store, Policies::shipped(), Arc::new(Tokens)).with_calibration(calibration)
    }

    #[test]
    fn the_threshold_is_that_of_the_language_and_the_lowest_where_none_is_clear() {
        let engine = engine(calibration(&[("en", 0.4), ("hr", 0.3)]));
        assert_eq!(engine.calibrated_threshold("where do I live?"), Some(0.4));
        assert_eq!(engine.calibrated_threshold("gdje ja stanujem?"), Some(0.3));
        assert_eq!(engine.calibrated_threshold("Zagreb"), Some(0.3));
        assert_eq!(engine.with_calibration(calibration(&[])).calibrated_threshold("where do I live?"), None);
    }

    /// A turn leaves out what a recall at the same threshold leaves out, and says of each why.
    #[test]
    fn a_turn_leaves_out_what_scores_below_the_threshold() {
        let scope = Scope::of(Subject::parse("me").expect("a name"));
        let call = Call { scope: &scope, now: Instant::default() };
        let said = ["The passports are in the grey box", "My grey coat is at the cleaner's"];
        let question = "where are the passports, in the grey box?";
        let selected = |threshold: f64| {
            let engine = engine(calibration(&[("en", threshold), ("hr", threshold)]));
            for text in said {
                engine
                    .remember(call, Remember { text: text.to_owned(), ..Remember::default() })
                    .expect("kept");
            }
            let turned = engine.turn(call, &Turn::of(question)).expect("a turn");
            let recall = Recall { threshold, ..Recall::of(question) };
            let recalled = engine.recall(call, &recall).expect("recalled");
            let mut chosen: Vec<String> = turned.selected.iter().map(|item| item.id.clone()).collect();
            let mut found: Vec<String> = recalled.items.iter().map(|item| item.id.clone()).collect();
            chosen.sort();
            found.sort();
            assert_eq!(chosen, found);
            assert_eq!(turned.candidates.len(), turned.selected.len() + turned.dropped.len());
            let again = engine.replay(call, &turned.turn).expect("replayed");
            assert!(again.identical, "{:?}", again.differences);
            chosen.len()
        };
        assert_eq!(selected(0.0), 2);
        assert_eq!(selected(0.6), 1);
    }
}
