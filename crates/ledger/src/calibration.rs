//! The calibration of recall: from which score on a memory is shown unasked, by embedding model and language, as data.
//!
//! Scores of two models are not on one scale, and those of one model differ by language, so a threshold that is not
//! measured means nothing. `testimony study` measures, chooses by a stated trade, and writes such a file with the figures
//! the choice rests on.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::registry::{Place, PolicyError};

/// The calibration this build ships, as text.
pub const SHIPPED_CALIBRATION: &str = include_str!("../../../policy/recall/1.toml");

/// The layout of calibration files this build reads: the file's `schema` key.
pub const CALIBRATION_SCHEMA: i64 = 1;

/// The name under which recall by words alone, without an embedding model, is calibrated.
pub const WORDS: &str = "words";

/// The most thresholds of one file.
const THRESHOLDS_MAX: usize = 1_000;

/// From which score on a memory is shown, for each model and language that was measured.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Calibration {
    /// The version of the file, such as `recall/1`.
    pub version: String,
    measured: Vec<Measured>,
}

/// A threshold with the figures it rests on.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measured {
    /// The embedding model by name; [`WORDS`] for none.
    pub model: String,
    /// The language of notes and questions: an ISO 639-1 code.
    pub language: String,
    /// The least score at which a memory is shown, 0 to 1.
    pub threshold: f64,
    /// The share of questions with a right note whose right note was shown, 0 to 1.
    pub right: f64,
    /// How many other notes were shown, a question, on the average.
    pub others: f64,
    /// The share of questions without a note at which nothing was shown, 0 to 1.
    pub abstained: f64,
    /// Notes in the memory asked.
    pub notes: u32,
    /// Questions asked.
    pub questions: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CalibrationFile {
    schema: Spanned<i64>,
    version: Spanned<String>,
    #[serde(default)]
    threshold: Vec<Spanned<ThresholdTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThresholdTable {
    model: Spanned<String>,
    language: Spanned<String>,
    threshold: Spanned<f64>,
    right: Spanned<f64>,
    others: Spanned<f64>,
    abstained: Spanned<f64>,
    notes: u32,
    questions: u32,
}

impl Calibration {
    /// The calibration this build ships.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Calibration> = LazyLock::new(|| {
            // A test parses the same constant, so this cannot fail in a build that passed its tests.
            Calibration::parse("recall/1.toml", SHIPPED_CALIBRATION)
                .expect("the shipped calibration is valid")
        });
        &SHIPPED
    }

    /// A calibration of these thresholds.
    pub fn new(version: &str, measured: Vec<Measured>) -> Self {
        Self { version: version.to_owned(), measured }
    }

    /// Reads a calibration file; `file_name` is only used to say where an error is.
    ///
    /// # Errors
    /// A [`PolicyError`] for text that is not TOML, a key this build does not know, a missing key, a share outside 0 to 1, a
    /// model and language there twice, another `schema`.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, PolicyError> {
        let place = Place { file: file_name, text, array: "threshold" };
        let file: CalibrationFile = toml::from_str(text).map_err(|error| place.unreadable(&error))?;
        place.check_schema(&file.schema, CALIBRATION_SCHEMA)?;
        let version = place.version(&file.version, "recall/")?;
        if let Some(beyond) = file.threshold.get(THRESHOLDS_MAX) {
            return Err(place.error(
                Some(beyond.span()),
                format!("more than `{THRESHOLDS_MAX}` thresholds"),
                "keep those of the models in use",
            ));
        }
        let mut known: BTreeSet<(String, String)> = BTreeSet::new();
        let mut measured = Vec::with_capacity(file.threshold.len());
        for table in file.threshold {
            let table = table.into_inner();
            let others = *table.others.get_ref();
            if !(0.0..=1_000.0).contains(&others) {
                return Err(place.error(
                    Some(table.others.span()),
                    format!("`{others}` others a question"),
                    "give a number from 0 to 1000",
                ));
            }
            let named = (table.model.get_ref().clone(), table.language.get_ref().clone());
            if !known.insert(named) {
                return Err(place.error(
                    Some(table.model.span()),
                    format!("`{}` in `{}` is there twice", table.model.get_ref(), table.language.get_ref()),
                    "keep the newer of the two tables",
                ));
            }
            measured.push(Measured {
                threshold: share(&place, &table.threshold)?,
                right: share(&place, &table.right)?,
                abstained: share(&place, &table.abstained)?,
                others,
                notes: table.notes,
                questions: table.questions,
                model: table.model.into_inner(),
                language: table.language.into_inner(),
            });
        }
        Ok(Self { version, measured })
    }

    /// What was measured of `model` in `language`.
    pub fn of(&self, model: &str, language: &str) -> Option<&Measured> {
        self.measured.iter().find(|one| one.model == model && one.language == language)
    }

    /// The threshold for words whose language is not clear: the lowest of the model's, since leaving out what was meant
    /// is the worse mistake.
    pub fn lowest_of(&self, model: &str) -> Option<f64> {
        let own = self.measured.iter().filter(|one| one.model == model);
        own.map(|one| one.threshold).min_by(f64::total_cmp)
    }

    /// Everything measured, in the order of the file.
    pub fn measured(&self) -> &[Measured] {
        &self.measured
    }

    /// This calibration with `newer` in the place of what is known of the same models and languages.
    #[must_use]
    pub fn with(mut self, newer: Vec<Measured>) -> Self {
        for one in newer {
            match self.measured.iter_mut().find(|old| old.model == one.model && old.language == one.language)
            {
                Some(old) => *old = one,
                None => self.measured.push(one),
            }
        }
        self
    }

    /// The file, as [`Calibration::parse`] reads it.
    #[must_use]
    pub fn written(&self) -> String {
        let mut text = String::from(HEADER);
        _ = writeln!(text, "schema = {CALIBRATION_SCHEMA}\nversion = {:?}", self.version);
        for one in &self.measured {
            _ = write!(
                text,
                "\n[[threshold]]\nmodel = {}\nlanguage = {}\nthreshold = {:?}\nright = {:?}\nothers = {:?}\nabstained = {:?}\n\
                 notes = {}\nquestions = {}\n",
                toml::Value::from(one.model.as_str()),
                toml::Value::from(one.language.as_str()),
                one.threshold,
                one.right,
                one.others,
                one.abstained,
                one.notes,
                one.questions,
            );
        }
        text
    }
}

/// What the keys mean, for whoever opens the file.
const HEADER: &str = "\
# From which score on a memory is shown unasked, by embedding model and language. Written by `testimony study --write`.
#
# model       the embedding model by name; `words` is recall without one
# language    of notes and questions: `en`, `hr`
# threshold   the least score that is shown, 0 to 1
# right       the share of questions with a right note whose right note was shown
# others      how many other notes were shown a question, questions without a note among them
# abstained   the share of questions without a note at which nothing was shown
# notes       notes in the memory asked; questions: questions asked

";

fn share(place: &Place<'_>, number: &Spanned<f64>) -> Result<f64, PolicyError> {
    match *number.get_ref() {
        value if (0.0..=1.0).contains(&value) => Ok(value),
        value => Err(place.error(
            Some(number.span()),
            format!("`{value}` is outside 0 to 1"),
            "give a number from 0 to 1",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(model: &str, language: &str, threshold: f64) -> Measured {
        Measured {
            model: model.to_owned(),
            language: language.to_owned(),
            threshold,
            right: 0.9,
            others: 1.25,
            abstained: 0.5,
            notes: 70,
            questions: 140,
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let calibration =
            Calibration::new("recall/1", vec![one("words", "en", 0.1), one("a \"b\" \\ c", "hr", 1.0)]);
        assert_eq!(Calibration::parse("x.toml", &calibration.written()).expect("read"), calibration);
    }

    #[test]
    fn the_shipped_file_is_as_the_study_writes_it() {
        let shipped = Calibration::parse("recall/1.toml", SHIPPED_CALIBRATION).expect("valid");
        assert_eq!(shipped.written(), SHIPPED_CALIBRATION);
        assert!(shipped.of(WORDS, "en").is_some() && shipped.of(WORDS, "hr").is_some());
    }

    #[test]
    fn an_unclear_language_takes_the_lowest_threshold() {
        let calibration = Calibration::new("recall/1", vec![one("m", "en", 0.3), one("m", "hr", 0.2)]);
        assert_eq!(calibration.lowest_of("m"), Some(0.2));
        assert_eq!(calibration.lowest_of("other"), None);
    }

    #[test]
    fn the_newer_takes_the_place_of_the_older() {
        let calibration = Calibration::new("recall/1", vec![one("m", "en", 0.3)])
            .with(vec![one("m", "en", 0.4), one("m", "hr", 0.2)]);
        let thresholds: Vec<f64> = calibration.measured().iter().map(|one| one.threshold).collect();
        assert_eq!(thresholds, [0.4, 0.2]);
    }

    #[test]
    fn what_is_out_of_bounds_or_twice_is_refused() {
        let good = Calibration::new("recall/1", vec![one("m", "en", 0.3)]).written();
        let twice = format!(
            "{good}{}",
            good.split_once("\n[[").map(|(_, table)| format!("\n[[{table}")).expect("one")
        );
        for (text, problem) in [
            (good.replace("threshold = 0.3", "threshold = 1.3"), "`1.3` is outside 0 to 1"),
            (good.replace("others = 1.25", "others = -1.0"), "`-1` others a question"),
            (good.replace("notes = 70", "notes = 70\nnots = 1"), "unknown field `nots`"),
            (good.replace("schema = 1", "schema = 2"), "layout `2` is unknown"),
            (twice, "is there twice"),
        ] {
            let error = Calibration::parse("x.toml", &text).expect_err(problem).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
