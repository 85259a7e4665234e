//! Fusion: from the signals of a candidate to one score, with the part each signal has in it.
//!
//! # What a score means
//!
//! ```text
//! likeness = (w_lexical·lexical + w_dense·nearness) / (w_lexical + w_dense)     without vectors: lexical alone
//! told     = likeness · answering? · indifferent? · fade? · another_time?       each at most 1, each only when the query leans so
//! score    = told + w_neighbourhood · neighbour · told · (1 − told)
//! ```
//!
//! Every signal lies in 0..1 and so does the score; it grows with every signal and does not depend on the other candidates but
//! through `neighbour`, which is the best `told` of another message of the same session. A candidate that says nothing of what
//! is asked scores 0 whoever said it and whenever. Without vectors and without a leaning the score is the lexical score itself.
//!
//! # What each signal adds
//!
//! BEAM, 13 conversations, 156 questions, messages: recall@10 / nDCG@10; RealMem, 153 queries, sessions: recall@5 / recall@10.
//! Vectors of the owner's messages and of the first pieces of about half of the model's.
//!
//! | | BEAM | RealMem |
//! |---|---|---|
//! | all | 0.784 / 0.694 | 0.549 / 0.684 |
//! | without nearness | 0.776 / 0.659 | 0.539 / 0.657 |
//! | without leaning | 0.697 / 0.615 | 0.525 / 0.683 |
//! | without neighbourhood | 0.780 / 0.686 | 0.553 / 0.685 |
//! | words alone | 0.661 / 0.587 | 0.500 / 0.613 |
//!
//! Ranks are not fused: the place of a bad hit in a short list says nothing, and with it plain rank fusion was worse than the better of
//! its parts. Pure functions over copies of a few numbers: the same candidates in any order give the same scores.

mod centre;
mod gather;
pub mod weights;

use serde_json::{Map, Value as Json, json};

pub use centre::Centre;
pub use gather::{CANDIDATES_MIN, Candidate, Dense, gather};
pub use weights::{FACT_WEIGHTS, Scale, WEIGHTS, Weights};

/// How a query leans: which of the signals it makes count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lean {
    /// A question that is not about what somebody else said: the owner's own words answer it.
    pub own_words: bool,
    /// It asks for advice, which what the owner likes should shape.
    pub advice: bool,
    /// It goes on with a conversation, most likely a late one.
    pub conversation: bool,
}

/// What is known of one candidate.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Signals {
    /// The lexical score, 0 to 1; 0 when no asked word was found.
    pub lexical: f32,
    /// [`Scale::nearness`] of its nearest piece; `None` when it has no vector.
    pub nearness: Option<f32>,
    /// Whether a model or a service said it.
    pub by_model: bool,
    /// Whether the owner says in it what they like or want.
    pub liking: bool,
    /// How old it is, in days.
    pub age_days: f32,
    /// Whether it falls into the time the query speaks of; `None` when it speaks of none.
    pub timely: Option<bool>,
}

/// A scored candidate, and how it came to its score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fused {
    weights: &'static Weights,
    signals: Signals,
    /// What the lexical and the dense signal brought, before what discounts them.
    lexical: f32,
    dense: f32,
    /// The product of the discounts.
    kept: f32,
    neighbour: f32,
}

/// Scores a message. `dense` says whether nearness is measured for this query at all.
#[must_use]
pub fn fuse(lean: Lean, dense: bool, signals: Signals) -> Fused {
    weigh(&WEIGHTS, lean, dense, signals)
}

/// Scores a fact.
#[must_use]
pub fn fuse_fact(lean: Lean, dense: bool, signals: Signals) -> Fused {
    weigh(&FACT_WEIGHTS, lean, dense, signals)
}

fn weigh(weights: &'static Weights, lean: Lean, dense: bool, signals: Signals) -> Fused {
    let lexical = signals.lexical.clamp(0.0, 1.0);
    let whole = weights.lexical + if dense { weights.dense } else { 0.0 };
    let nearness = match signals.nearness {
        _ if !dense => 0.0,
        Some(nearness) => nearness.clamp(0.0, 1.0),
        None => lexical * weights.imputed,
    };
    let mut kept = 1.0;
    if lean.own_words && signals.by_model {
        kept *= weights.answering;
    }
    if lean.advice && !signals.liking {
        kept *= weights.indifferent;
    }
    if lean.conversation {
        kept *= fade(signals.age_days);
    }
    if signals.timely == Some(false) {
        kept *= weights.another_time;
    }
    Fused {
        weights,
        signals,
        lexical: weights.lexical * lexical / whole,
        dense: if dense { weights.dense * nearness / whole } else { 0.0 },
        kept,
        neighbour: 0.0,
    }
}

impl Fused {
    /// What the candidate scores by itself, 0 to 1.
    #[must_use]
    pub fn told(&self) -> f32 {
        (self.lexical + self.dense) * self.kept
    }

    /// The same candidate beside another of its session that tells so much.
    #[must_use]
    pub fn beside(mut self, told: f32) -> Self {
        self.neighbour = told.clamp(0.0, 1.0);
        self
    }

    /// The score, 0 to 1.
    #[must_use]
    pub fn score(&self) -> f32 {
        (self.told() + self.lent()).clamp(0.0, 1.0)
    }

    fn lent(&self) -> f32 {
        let told = self.told();
        self.weights.neighbourhood * self.neighbour * told * (1.0 - told)
    }

    /// Whether the candidate is worth telling: it has an asked word, or it is near enough.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.signals.lexical > 0.0
            || self.signals.nearness.is_some_and(|near| near >= self.weights.nearness_min)
    }

    /// The signals that had a part in the score, each with its value and that part. The parts add up to the score; those of
    /// discounts are negative.
    #[must_use]
    pub fn reasons(&self, lean: Lean) -> Map<String, Json> {
        let mut reasons = Map::new();
        let mut tell = |name: &str, value: Json, part: f32| {
            reasons.insert(name.to_owned(), json!({ "value": value, "part": round(part) }));
        };
        let likeness = self.lexical + self.dense;
        tell("lexical", json!(round(self.signals.lexical)), self.lexical);
        if let Some(nearness) = self.signals.nearness {
            tell("dense", json!(round(nearness)), self.dense);
        }
        // Discounts multiply; each is told by what it took from what was left before it.
        let mut left = likeness;
        let mut discount = |name: &str, value: Json, factor: f32| {
            tell(name, value, left * factor - left);
            left *= factor;
        };
        if lean.own_words && self.signals.by_model {
            discount("speaker", json!("model"), self.weights.answering);
        }
        if lean.advice && !self.signals.liking {
            discount("liking", json!(false), self.weights.indifferent);
        }
        if lean.conversation {
            discount("age_days", json!(self.signals.age_days.max(0.0).round()), fade(self.signals.age_days));
        }
        if let Some(timely) = self.signals.timely {
            discount("time", json!(timely), if timely { 1.0 } else { self.weights.another_time });
        }
        if self.neighbour > 0.0 {
            tell("neighbourhood", json!(round(self.neighbour)), self.lent());
        }
        reasons
    }
}

/// What age leaves of a message.
fn fade(age_days: f32) -> f32 {
    1.0 - WEIGHTS.fading + WEIGHTS.fading * (-age_days.max(0.0) / WEIGHTS.fading_days).exp()
}

/// Told to four places: more would only show the noise of floating point.
fn round(value: f32) -> f64 {
    (f64::from(value) * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Lean, Signals, fuse};

    fn signals() -> impl Strategy<Value = Signals> {
        (
            0.0..=1.0_f32,
            proptest::option::of(0.0..=1.0_f32),
            any::<[bool; 2]>(),
            0.0..4000.0_f32,
            any::<Option<bool>>(),
        )
            .prop_map(|(lexical, nearness, [by_model, liking], age_days, timely)| Signals {
                lexical,
                nearness,
                by_model,
                liking,
                age_days,
                timely,
            })
    }

    fn lean() -> impl Strategy<Value = Lean> {
        any::<[bool; 3]>().prop_map(|[own_words, advice, conversation]| Lean {
            own_words,
            advice,
            conversation,
        })
    }

    proptest! {
        #[test]
        fn a_score_lies_in_0_to_1_and_its_parts_add_up(lean in lean(), dense: bool, signals in signals(), neighbour in 0.0..=1.0_f32) {
            let fused = fuse(lean, dense, signals).beside(neighbour);
            prop_assert!((0.0..=1.0).contains(&fused.score()));
            let parts: f64 = fused.reasons(lean).values().filter_map(|reason| reason["part"].as_f64()).sum();
            // A text that waits for its vector is told by its words alone, which then have all of the part.
            if signals.nearness.is_some() {
                prop_assert!((parts - f64::from(fused.score())).abs() < 1e-3, "{parts} and {}", fused.score());
            }
        }

        #[test]
        fn more_of_a_signal_is_never_less(lean in lean(), dense: bool, signals in signals(), more in 0.0..=1.0_f32, neighbour in 0.0..=1.0_f32) {
            let score = |signals| fuse(lean, dense, signals).beside(neighbour).score();
            let raised = |value: f32| value + (1.0 - value) * more;
            let more_of = [
                Signals { lexical: raised(signals.lexical), ..signals },
                Signals { nearness: signals.nearness.map(raised), ..signals },
                Signals { liking: true, ..signals },
                Signals { by_model: false, ..signals },
                Signals { age_days: signals.age_days * more, ..signals },
                Signals { timely: Some(true), ..signals },
            ];
            for raised in more_of {
                // To the noise of floating point.
                prop_assert!(score(raised) >= score(signals) - 1e-6, "{raised:?} and {signals:?}");
            }
            let alone = fuse(lean, dense, signals).beside(0.0).score();
            prop_assert!(fuse(lean, dense, signals).beside(neighbour).score() >= alone);
        }

        #[test]
        fn a_neighbour_changes_no_order_within_a_session(left in 0.0..=1.0_f32, right in 0.0..=1.0_f32) {
            let of = |lexical| fuse(Lean::default(), false, Signals { lexical, ..Signals::default() });
            let (one, other) = (of(left), of(right));
            let (one, other) = (one.beside(other.told()), other.beside(one.told()));
            // To the noise of floating point.
            let apart = (left - right).abs() * (1.0 - left * right);
            prop_assert!(apart < 1e-5 || (left > right) == (one.score() > other.score()));
        }

        #[test]
        fn nothing_asked_for_is_worth_nothing(lean in lean(), dense: bool, signals in signals(), neighbour in 0.0..=1.0_f32) {
            let silent = Signals { lexical: 0.0, nearness: signals.nearness.map(|_| 0.0), ..signals };
            let fused = fuse(lean, dense, silent).beside(neighbour);
            prop_assert_eq!(fused.score(), 0.0);
            prop_assert!(!fused.stands());
        }

        #[test]
        fn without_vectors_and_leaning_the_score_is_the_lexical_one(lexical in 0.0..=1.0_f32) {
            let fused = fuse(Lean::default(), false, Signals { lexical, ..Signals::default() });
            prop_assert!((fused.score() - lexical).abs() < 1e-6);
        }
    }
}
