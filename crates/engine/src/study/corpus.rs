//! What a study asks: notes and questions in several languages, read from two files and checked.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// The notes that come with the product.
const SHIPPED_NOTES: &str = include_str!("../../../../evaluation/study/notes.toml");
/// Their questions.
const SHIPPED_QUESTIONS: &str = include_str!("../../../../evaluation/study/questions.toml");

/// The layout of both files: their `schema` key.
pub const CORPUS_SCHEMA: u32 = 1;

/// The most notes, and the most questions, of one corpus.
pub const ENTRIES_MAX: usize = 100_000;

/// A language of a corpus.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tongue {
    /// English.
    English,
    /// Croatian.
    Croatian,
}

impl Tongue {
    /// Every language a corpus may be in.
    pub const ALL: [Self; 2] = [Self::English, Self::Croatian];

    /// Its ISO 639-1 code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Croatian => "hr",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::English => Self::Croatian,
            Self::Croatian => Self::English,
        }
    }
}

/// Words in the languages they are there in.
#[derive(Clone, PartialEq, Debug)]
pub struct Said {
    en: Option<String>,
    hr: Option<String>,
}

impl Said {
    /// The words in `tongue`, if they are there.
    #[must_use]
    pub fn in_tongue(&self, tongue: Tongue) -> Option<&str> {
        match tongue {
            Tongue::English => self.en.as_deref(),
            Tongue::Croatian => self.hr.as_deref(),
        }
    }
}

/// Something somebody asked to be kept.
#[derive(Clone, PartialEq, Debug)]
pub struct Note {
    /// What the questions call it.
    pub id: String,
    /// Its words.
    pub said: Said,
}

/// Something asked afterwards.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// What reports call it.
    pub id: String,
    /// The notes that answer it; none, when the right answer is to show nothing.
    pub notes: Vec<String>,
    /// Notes that answer nothing here and do no harm when shown: they count as nothing.
    pub welcome: Vec<String>,
    /// What makes it hard.
    pub kind: Kind,
    /// Its words.
    pub said: Said,
}

/// What makes a question hard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Asked in words near the note's.
    Plain,
    /// Asked in words the note does not have.
    Far,
    /// Two or three words.
    Short,
    /// As typed into a search box.
    Keywords,
    /// A request that never asks, but should not be done without the note.
    Indirect,
    /// A near-miss is kept, too.
    Pair,
    /// Several notes answer it together.
    Several,
    /// No note: it is known of somebody else.
    OtherPerson,
    /// No note: something else is known of the same person or thing.
    OtherAttribute,
    /// No note: the words are there, meaning something else.
    OtherSense,
    /// No note: nothing near is kept.
    Absent,
}

impl Kind {
    /// Every kind, in the order reports show them.
    pub const ALL: [Self; 11] = [
        Self::Plain,
        Self::Far,
        Self::Short,
        Self::Keywords,
        Self::Indirect,
        Self::Pair,
        Self::Several,
        Self::OtherPerson,
        Self::OtherAttribute,
        Self::OtherSense,
        Self::Absent,
    ];

    /// The word in the files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Far => "far",
            Self::Short => "short",
            Self::Keywords => "keywords",
            Self::Indirect => "indirect",
            Self::Pair => "pair",
            Self::Several => "several",
            Self::OtherPerson => "other_person",
            Self::OtherAttribute => "other_attribute",
            Self::OtherSense => "other_sense",
            Self::Absent => "absent",
        }
    }

    /// Whether such a question asks for its note straight out.
    #[must_use]
    pub const fn asks_directly(self) -> bool {
        matches!(self, Self::Plain | Self::Short | Self::Keywords | Self::Pair)
    }

    /// Whether such a question has no note.
    #[must_use]
    pub const fn has_no_note(self) -> bool {
        matches!(self, Self::OtherPerson | Self::OtherAttribute | Self::OtherSense | Self::Absent)
    }
}

/// Notes and questions, checked against each other.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Corpus {
    /// What is kept.
    pub notes: Vec<Note>,
    /// What is asked.
    pub questions: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NotesFile {
    schema: u32,
    note: Vec<NoteTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteTable {
    id: String,
    en: Option<String>,
    hr: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionsFile {
    schema: u32,
    question: Vec<QuestionTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionTable {
    id: String,
    notes: Vec<String>,
    #[serde(default)]
    welcome: Vec<String>,
    kind: Kind,
    en: Option<String>,
    hr: Option<String>,
}

impl Corpus {
    /// The corpus that comes with the product.
    ///
    /// # Errors
    /// None in a build that passed its tests: the same texts are read there.
    pub fn shipped() -> Result<Self, EngineError> {
        Self::parse(SHIPPED_NOTES, SHIPPED_QUESTIONS)
    }

    /// Reads a corpus from the texts of its two files, `notes.toml` and `questions.toml`.
    ///
    /// # Errors
    /// [`EngineError::Input`] for text that is not TOML, a key or kind this build does not know, an id there twice, a note
    /// that is not there, a question with a note whose kind says it has none or the reverse, and words in no language.
    pub fn parse(notes: &str, questions: &str) -> Result<Self, EngineError> {
        let wrong = |place: &str, what: String| EngineError::Input(format!("{place}: {what}"));
        let read: NotesFile =
            toml::from_str(notes).map_err(|error| wrong("notes.toml", error.to_string()))?;
        let asked: QuestionsFile =
            toml::from_str(questions).map_err(|error| wrong("questions.toml", error.to_string()))?;
        for (place, schema, entries) in [
            ("notes.toml", read.schema, read.note.len()),
            ("questions.toml", asked.schema, asked.question.len()),
        ] {
            if schema != CORPUS_SCHEMA {
                return Err(wrong(
                    place,
                    format!("layout `{schema}` is unknown; this build reads {CORPUS_SCHEMA}"),
                ));
            }
            if !(1..=ENTRIES_MAX).contains(&entries) {
                return Err(wrong(place, format!("{entries} entries; 1 to {ENTRIES_MAX} are read")));
            }
        }
        let mut known = BTreeSet::new();
        let mut notes = Vec::with_capacity(read.note.len());
        for table in read.note {
            let place = format!("notes.toml: note `{}`", table.id);
            if !known.insert(table.id.clone()) {
                return Err(wrong(&place, "is there twice; give each an id of its own".to_owned()));
            }
            let said = said(&place, table.en, table.hr)?;
            notes.push(Note { id: table.id, said });
        }
        let mut ids = BTreeSet::new();
        let mut questions = Vec::with_capacity(asked.question.len());
        for table in asked.question {
            let place = format!("questions.toml: question `{}`", table.id);
            if !ids.insert(table.id.clone()) {
                return Err(wrong(&place, "is there twice; give each an id of its own".to_owned()));
            }
            if let Some(unknown) =
                table.notes.iter().chain(&table.welcome).find(|note| !known.contains(*note))
            {
                return Err(wrong(&place, format!("note `{unknown}` is not in notes.toml")));
            }
            if table.kind.has_no_note() != table.notes.is_empty() {
                let kind = table.kind.as_str();
                return Err(wrong(
                    &place,
                    format!("kind `{kind}` does not fit its {} notes", table.notes.len()),
                ));
            }
            let said = said(&place, table.en, table.hr)?;
            questions.push(Question {
                id: table.id,
                notes: table.notes,
                welcome: table.welcome,
                kind: table.kind,
                said,
            });
        }
        Ok(Self { notes, questions })
    }
}

fn said(place: &str, en: Option<String>, hr: Option<String>) -> Result<Said, EngineError> {
    if [&en, &hr].into_iter().flatten().any(|words| words.trim().is_empty()) || (en.is_none() && hr.is_none())
    {
        return Err(EngineError::Input(format!("{place}: no words; write them under `en` or `hr`")));
    }
    Ok(Said { en, hr })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::lexical::{Language, Query};

    #[test]
    fn the_shipped_corpus_is_as_large_as_it_says() {
        let corpus = Corpus::shipped().expect("read");
        for tongue in Tongue::ALL {
            let notes = corpus.notes.iter().filter(|note| note.said.in_tongue(tongue).is_some()).count();
            let asked: Vec<&Question> =
                corpus.questions.iter().filter(|one| one.said.in_tongue(tongue).is_some()).collect();
            let without = asked.iter().filter(|one| one.notes.is_empty()).count();
            assert!(notes >= 60, "{notes} notes in {tongue:?}");
            assert!(asked.len() >= 96, "{} questions in {tongue:?}", asked.len());
            assert!(without >= 20, "{without} questions without a note in {tongue:?}");
        }
        for note in &corpus.notes {
            assert!(
                corpus.questions.iter().any(|one| one.notes.contains(&note.id)),
                "nobody asks for `{}`",
                note.id
            );
        }
    }

    /// Threshold and stems both hang on it, so a question is rarely taken for the other language, and no longer one.
    #[test]
    fn the_language_of_a_question_is_rarely_taken_for_the_other() {
        let corpus = Corpus::shipped().expect("read");
        let mut wrong: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for question in &corpus.questions {
            for (tongue, other) in
                [(Tongue::English, Language::Croatian), (Tongue::Croatian, Language::English)]
            {
                let Some(words) = question.said.in_tongue(tongue) else { continue };
                if Query::new(words).language() == other {
                    wrong.entry(tongue.code()).or_default().push(words);
                }
            }
        }
        assert!(wrong.values().all(|words| words.len() <= 2), "{wrong:#?}");
    }

    #[test]
    fn what_does_not_hold_together_is_refused() {
        let notes = "schema = 1\n[[note]]\nid = \"a\"\nen = \"Words.\"\n";
        let question = |rest: &str| format!("schema = 1\n[[question]]\nid = \"q\"\n{rest}\n");
        let good = question("notes = [\"a\"]\nkind = \"plain\"\nen = \"What?\"");
        assert!(Corpus::parse(notes, &good).is_ok());
        for (notes, questions, problem) in [
            (
                notes,
                question("notes = [\"b\"]\nkind = \"plain\"\nen = \"What?\""),
                "note `b` is not in notes.toml",
            ),
            (notes, question("notes = []\nkind = \"plain\"\nen = \"What?\""), "does not fit its 0 notes"),
            (
                notes,
                question("notes = [\"a\"]\nkind = \"absent\"\nen = \"What?\""),
                "does not fit its 1 notes",
            ),
            (notes, question("notes = [\"a\"]\nkind = \"odd\"\nen = \"What?\""), "unknown variant `odd`"),
            (notes, question("notes = [\"a\"]\nkind = \"plain\"\nde = \"Was?\""), "unknown field `de`"),
            (notes, question("notes = [\"a\"]\nkind = \"plain\""), "no words"),
            (
                notes,
                format!("{good}[[question]]\nid = \"q\"\nnotes = []\nkind = \"absent\"\nen = \"x\"\n"),
                "there twice",
            ),
            ("schema = 2\nnote = []\n", good.clone(), "layout `2` is unknown"),
            ("schema = 1\nnote = []\n", good.clone(), "0 entries"),
        ] {
            let error = Corpus::parse(notes, &questions).expect_err(problem).to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
