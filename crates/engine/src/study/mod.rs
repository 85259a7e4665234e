//! The study: how well recall shows the right note and leaves out the others, measured on notes and questions written by
//! people, so that the threshold of what is shown unasked is measured, too.
//!
//! 1. The notes of a [`Corpus`] go through [`Engine::remember`], as anybody's would, into a memory of their own.
//! 2. Every question is asked with [`Engine::recall`] at no threshold; [`curve`] tells what each threshold would show.
//! 3. The threshold is chosen by a stated trade ([`curve::choose`]), and what it promises for unseen questions is told
//!    beside it ([`curve::held_out`]).
//! 4. With that threshold in force everything is asked again, by recall and by [`Engine::turn`]: the figures of the answer
//!    are of those calls.
//!
//! No clock and no chance: the same engine and corpus give the same figures.

pub mod chart;
pub mod corpus;
pub mod curve;

use ledger::calibration::{Calibration, Measured};
use ledger::scope::{Scope, Subject};
use ledger::time::Instant;
use ledger::turn::Why;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::error::EngineError;
use crate::recall::Recall;
use crate::remember::Remember;
use crate::turn::Turn;
use crate::{Call, Engine};

pub use corpus::{Corpus, Kind, Tongue};
pub use curve::{OTHERS_MAX, Point, SHOWN_MAX};

use corpus::Question;
use curve::{Answer, Shown, What};

/// 2026-03-01 09:00 UTC: when the notes were said.
const SAID: i64 = 1_772_355_600_000_000;
/// A day later: when the questions are asked.
const ASKED: i64 = SAID + 86_400_000_000;

/// What a study runs on. `E` is what making an engine, or waiting for it, may fail with.
pub struct Study<'study, E> {
    /// Notes and questions.
    pub corpus: &'study Corpus,
    /// Makes an engine over an empty memory, with the embedding model under study.
    pub engine: &'study dyn Fn() -> Result<Engine, E>,
    /// Waits until what the engine does in the background, such as embedding, is done.
    pub settle: &'study dyn Fn(&Engine, Call<'_>) -> Result<(), E>,
    /// Others shown a question that are put up with.
    pub others_max: f64,
}

/// What a study found.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Studied {
    /// The model under study; `words` for none.
    pub model: String,
    /// The most items shown.
    pub shown_max: usize,
    /// Others shown a question that were put up with.
    pub others_max: f64,
    /// Each language, and each asked across.
    pub languages: Vec<InLanguage>,
}

/// What a study found in one language, or across two.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct InLanguage {
    /// The language of the questions.
    pub asked: String,
    /// The language of the notes.
    pub notes_in: String,
    /// Notes kept.
    pub notes: usize,
    /// Questions with a right note.
    pub questions_with_a_note: usize,
    /// Questions without one.
    pub questions_without: usize,
    /// The figures at the chosen threshold, of real calls.
    pub chosen: Point,
    /// The 95 % interval of the chosen `right`.
    pub right_interval: (f64, f64),
    /// The 95 % interval of the chosen `abstained`.
    pub abstained_interval: (f64, f64),
    /// Chosen on one half, measured on the other, both ways round.
    pub held_out: Point,
    /// The figures at every threshold.
    pub curve: Vec<Point>,
    /// The figures at the chosen threshold of the questions that ask straight out, near-misses among them.
    pub asked_directly: Point,
    /// The figures at the chosen threshold, by what makes a question hard.
    pub kinds: Vec<OfKind>,
    /// The same questions put to whole turns with the threshold in force.
    pub turns: InTurns,
    /// Questions whose right note was not shown, with what was shown in its place.
    pub missed: Vec<Missed>,
}

/// The figures of one kind of question.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OfKind {
    /// What makes them hard.
    pub kind: Kind,
    /// How many there are.
    pub questions: usize,
    /// The figures.
    #[serde(flatten)]
    pub point: Point,
}

/// What whole turns showed.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct InTurns {
    /// The share of questions with a right note whose right note was in the packet.
    pub right: f64,
    /// Other notes in the packet because they match, a question.
    pub others: f64,
    /// The share of questions without a note of which nothing is in the packet because it matches.
    pub abstained: f64,
    /// What is in the packet of every turn because it matters in general, a question: the profile.
    pub profile: f64,
    /// Tokens of a packet, on the average.
    pub tokens: f64,
    /// The share of questions for which triage looked into memory at all.
    pub retrieved: f64,
}

/// A question whose right note was not shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Missed {
    /// The question.
    pub question: String,
    /// The note that was meant.
    pub note: String,
    /// Its score, if it was among the first five without a threshold.
    pub score: Option<f64>,
}

impl<E: From<EngineError>> Study<'_, E> {
    /// Runs the study in these languages; with both, also across them.
    ///
    /// # Errors
    /// [`EngineError::Input`] for a corpus without a note or question in a language, or with a note that is not taken; as the
    /// verbs; and what `engine` and `settle` fail with.
    pub fn run(&self, tongues: &[Tongue]) -> Result<Studied, E> {
        let mut pairs: Vec<(Tongue, Tongue)> = tongues.iter().map(|tongue| (*tongue, *tongue)).collect();
        if tongues.len() > 1 {
            pairs.extend(tongues.iter().map(|tongue| (*tongue, tongue.other())));
        }
        let languages = pairs
            .into_iter()
            .map(|(asked, notes_in)| self.in_language(asked, notes_in))
            .collect::<Result<Vec<InLanguage>, E>>()?;
        let model = (self.engine)()?.model_name().to_owned();
        Ok(Studied { model, shown_max: SHOWN_MAX, others_max: self.others_max, languages })
    }

    fn in_language(&self, asked: Tongue, notes_in: Tongue) -> Result<InLanguage, E> {
        let scope =
            Scope::of(Subject::parse("study").map_err(|error| EngineError::Input(error.to_string()))?);
        let questions: Vec<(&Question, &str)> = self
            .corpus
            .questions
            .iter()
            .filter_map(|question| question.said.in_tongue(asked).map(|words| (question, words)))
            .collect();
        let memory = Memory::of(self, Calibration::new("recall/none", Vec::new()), &scope, notes_in)?;
        if questions.is_empty() || memory.notes == 0 {
            let (asked, notes_in) = (asked.code(), notes_in.code());
            return Err(EngineError::Input(format!(
                "the corpus has {} questions in `{asked}` and {} notes in `{notes_in}`",
                questions.len(),
                memory.notes
            ))
            .into());
        }
        let unbound = memory.recall_all(&questions, 0.0)?;
        let curve = curve::curve(&unbound);
        let nothing = || EngineError::Input("the corpus has no questions".to_owned());
        let threshold = curve::choose(&curve, self.others_max).ok_or_else(nothing)?.threshold;
        let held_out = curve::held_out(&unbound, self.others_max).ok_or_else(nothing)?;

        let answers = memory.recall_all(&questions, threshold)?;
        let chosen = curve::measure(answers.iter(), threshold);
        let in_force = Calibration::new("recall/study", self.measured(&memory, threshold, &chosen));
        let turns = Memory::of(self, in_force, &scope, notes_in)?.turn_all(&questions)?;
        let with = answers.iter().filter(|answer| answer.notes > 0).count();
        let kinds = Kind::ALL.iter().filter_map(|kind| {
            let own: Vec<&Answer> = answers
                .iter()
                .zip(&questions)
                .filter(|(_, (question, _))| question.kind == *kind)
                .map(|(answer, _)| answer)
                .collect();
            (!own.is_empty()).then(|| OfKind {
                kind: *kind,
                questions: own.len(),
                point: curve::measure(own.iter().copied(), threshold),
            })
        });
        let direct =
            answers.iter().zip(&questions).filter(|(_, (question, _))| question.kind.asks_directly());
        let asked_directly = curve::measure(direct.map(|(answer, _)| answer), threshold);
        Ok(InLanguage {
            asked: asked.code().to_owned(),
            notes_in: notes_in.code().to_owned(),
            notes: memory.notes,
            questions_with_a_note: with,
            questions_without: answers.len() - with,
            chosen,
            right_interval: curve::interval(chosen.right, with),
            abstained_interval: curve::interval(chosen.abstained, answers.len() - with),
            held_out,
            asked_directly,
            kinds: kinds.collect(),
            turns,
            missed: missed(&questions, &answers, &unbound),
            curve,
        })
    }

    /// The threshold for every language: in a turn of the study it holds whatever language a question is taken for.
    fn measured(&self, memory: &Memory<'_>, threshold: f64, point: &Point) -> Vec<Measured> {
        let one = |tongue: &Tongue| Measured {
            model: memory.engine.model_name().to_owned(),
            language: tongue.code().to_owned(),
            threshold,
            right: point.right,
            others: point.others,
            abstained: point.abstained,
            notes: memory.notes as u32,
            questions: self.corpus.questions.len() as u32,
        };
        Tongue::ALL.iter().map(one).collect()
    }
}

impl Studied {
    /// What a calibration keeps of it: one threshold for each language asked in itself.
    #[must_use]
    pub fn measured(&self) -> Vec<Measured> {
        let own = self.languages.iter().filter(|one| one.asked == one.notes_in);
        // Four places are told; more would be noise of a hundred questions.
        let short = |number: f64| (number * 10_000.0).round() / 10_000.0;
        own.map(|one| Measured {
            model: self.model.clone(),
            language: one.asked.clone(),
            threshold: one.chosen.threshold,
            right: short(one.chosen.right),
            others: short(one.chosen.others),
            abstained: short(one.chosen.abstained),
            notes: one.notes as u32,
            questions: (one.questions_with_a_note + one.questions_without) as u32,
        })
        .collect()
    }
}

/// A memory that holds the notes in one language.
struct Memory<'study> {
    engine: Engine,
    scope: &'study Scope,
    notes: usize,
    /// Which note a version is of.
    note_of: FxHashMap<String, String>,
}

impl<'study> Memory<'study> {
    fn of<E: From<EngineError>>(
        study: &Study<'_, E>,
        calibration: Calibration,
        scope: &'study Scope,
        tongue: Tongue,
    ) -> Result<Self, E> {
        let engine = (study.engine)()?.with_calibration(calibration);
        let call = Call { scope, now: Instant::from_micros(SAID) };
        let mut note_of = FxHashMap::default();
        let mut notes = 0;
        for note in &study.corpus.notes {
            let Some(words) = note.said.in_tongue(tongue) else { continue };
            let observed =
                engine.remember(call, Remember { text: words.to_owned(), ..Remember::default() })?;
            let versions = observed.admitted.iter().filter_map(|claim| claim.version.clone());
            let before = note_of.len();
            note_of.extend(versions.map(|version| (version, note.id.clone())));
            if note_of.len() == before {
                let refused = observed.refused.first().map_or("", |refused| &refused.code);
                return Err(EngineError::Input(format!("note `{}` was not kept: {refused}", note.id)).into());
            }
            notes += 1;
        }
        (study.settle)(&engine, call)?;
        Ok(Self { engine, scope, notes, note_of })
    }

    fn call(&self) -> Call<'_> {
        Call { scope: self.scope, now: Instant::from_micros(ASKED) }
    }

    fn recall_all(
        &self,
        questions: &[(&Question, &str)],
        threshold: f64,
    ) -> Result<Vec<Answer>, EngineError> {
        let one = |(question, words): &(&Question, &str)| {
            let recall = Recall { limit: SHOWN_MAX, threshold, ..Recall::of(words) };
            let recalled = self.engine.recall(self.call(), &recall)?;
            let shown = recalled
                .items
                .iter()
                .map(|item| Shown { score: item.score, what: self.what(question, &item.id) })
                .collect();
            Ok(Answer { notes: question.notes.len(), shown })
        };
        questions.iter().map(one).collect()
    }

    fn turn_all(&self, questions: &[(&Question, &str)]) -> Result<InTurns, EngineError> {
        let important = Why::Important.to_string();
        let (mut answers, mut tokens, mut retrieved, mut profile) = (Vec::new(), 0.0, 0.0, 0.0);
        for (question, words) in questions {
            let turned = self.engine.turn(self.call(), &Turn::of(words))?;
            tokens += f64::from(turned.packet.tokens);
            retrieved += f64::from(u8::from(turned.triage == "RETRIEVE"));
            let mut shown = Vec::with_capacity(turned.selected.len());
            for item in &turned.selected {
                let what = self.what(question, &item.id);
                let is_profile = item.why == important;
                profile += f64::from(u8::from(is_profile));
                if !is_profile || matches!(what, What::Right(_)) {
                    shown.push(Shown { score: 1.0, what });
                }
            }
            answers.push(Answer { notes: question.notes.len(), shown });
        }
        let point = curve::measure(answers.iter(), 0.0);
        let asked = questions.len().max(1) as f64;
        Ok(InTurns {
            right: point.right,
            others: point.others,
            abstained: point.abstained,
            profile: profile / asked,
            tokens: tokens / asked,
            retrieved: retrieved / asked,
        })
    }

    /// What a version is to a question. One whose note is not known is of no right note.
    fn what(&self, question: &Question, version: &str) -> What {
        let Some(note) = self.note_of.get(version) else { return What::Other };
        match question.notes.iter().position(|right| right == note) {
            Some(place) => What::Right(place),
            None if question.welcome.contains(note) => What::Welcome,
            None => What::Other,
        }
    }
}

fn missed(questions: &[(&Question, &str)], answers: &[Answer], unbound: &[Answer]) -> Vec<Missed> {
    let score = |answer: &Answer, place| {
        answer.shown.iter().find(|item| item.what == What::Right(place)).map(|item| item.score)
    };
    let mut missed = Vec::new();
    for (((question, _), answer), unbound) in questions.iter().zip(answers).zip(unbound) {
        for (place, note) in question.notes.iter().enumerate() {
            if score(answer, place).is_none() {
                let score = score(unbound, place);
                missed.push(Missed { question: question.id.clone(), note: note.clone(), score });
            }
        }
    }
    missed
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ledger::admission::Policies;
    use ledger::reference::ReferenceStore;

    use super::*;
    use crate::tokens::Tokens;

    fn words_alone() -> Result<Engine, EngineError> {
        Ok(Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens)))
    }

    fn study(corpus: &Corpus, tongues: &[Tongue]) -> Result<Studied, EngineError> {
        let settle = |_: &Engine, _: Call<'_>| Ok(());
        Study { corpus, engine: &words_alone, settle: &settle, others_max: OTHERS_MAX }.run(tongues)
    }

    #[test]
    fn a_small_study_counts_what_it_sees() {
        let notes = "schema = 1\n[[note]]\nid = \"box\"\nen = \"The passports are in the grey box.\"\nhr = \"Putovnice su u sivoj kutiji.\"\n\
                     [[note]]\nid = \"lemon\"\nen = \"The lemon tree gets water on Saturdays.\"\nhr = \"Limun se zalijeva subotom.\"\n";
        let questions = "schema = 1\n[[question]]\nid = \"a\"\nnotes = [\"box\"]\nkind = \"plain\"\nen = \"Where are the passports?\"\nhr = \"Gdje su putovnice?\"\n\
                         [[question]]\nid = \"b\"\nnotes = [\"lemon\"]\nkind = \"far\"\nen = \"Which plants are thirsty?\"\nhr = \"Koje su biljke žedne?\"\n\
                         [[question]]\nid = \"c\"\nnotes = []\nkind = \"absent\"\nen = \"How tall is Everest?\"\nhr = \"Koliko je visok Everest?\"\n";
        let corpus = Corpus::parse(notes, questions).expect("a corpus");
        let studied = study(&corpus, &Tongue::ALL).expect("a study");
        assert_eq!(studied.model, "words");
        let of: Vec<(&str, &str)> =
            studied.languages.iter().map(|one| (one.asked.as_str(), one.notes_in.as_str())).collect();
        assert_eq!(of, [("en", "en"), ("hr", "hr"), ("en", "hr"), ("hr", "en")]);
        for one in &studied.languages[..2] {
            assert_eq!((one.notes, one.questions_with_a_note, one.questions_without), (2, 2, 1));
            assert_eq!((one.chosen.right, one.chosen.others, one.chosen.abstained), (0.5, 0.0, 1.0));
            assert_eq!(one.turns.right, 0.5);
            let missed: Vec<&str> = one.missed.iter().map(|missed| missed.question.as_str()).collect();
            assert_eq!(missed, ["b"]);
        }
        assert_eq!(studied.languages[2].chosen.right, 0.0);
        assert_eq!(studied.measured().len(), 2);
    }

    #[test]
    fn a_note_that_is_not_kept_is_told() {
        let notes = "schema = 1\n[[note]]\nid = \"key\"\nen = \"ghp_x7Kq2LmN9vRt4WzB8cYd1FhJ6sPa3Ue5Gi0o is my token.\"\nhr = \"x y z\"\n";
        let questions = "schema = 1\n[[question]]\nid = \"a\"\nnotes = [\"key\"]\nkind = \"plain\"\nen = \"Token?\"\nhr = \"Token?\"\n";
        let corpus = Corpus::parse(notes, questions).expect("a corpus");
        let error = study(&corpus, &Tongue::ALL).expect_err("a secret");
        assert!(error.to_string().contains("note `key` was not kept: secret_like"), "{error}");
    }

    /// The calibration that is shipped is what the study measures of this build, so a change of recall shows here.
    #[test]
    fn the_shipped_thresholds_are_those_measured_of_this_build() {
        let corpus = Corpus::shipped().expect("read");
        let shipped = Calibration::shipped();
        for tongue in Tongue::ALL {
            for one in &study(&corpus, &[tongue]).expect("a study").measured() {
                let known = shipped.of(&one.model, &one.language);
                assert_eq!(known, Some(one), "run `testimony study --write policy/recall/1.toml`");
            }
        }
    }
}
