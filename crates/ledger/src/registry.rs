//! The predicate registry: every relation a claim may state, and how the ledger treats it.
//!
//! The registry is data (`policy/predicates.toml`, compiled in; a deployment may bring its own) and canonical: a
//! predicate that is not in it cannot enter memory, and one already stored that is missing from it stops a build.
//! So a bad file must fail at load, with words that lead to the place: file, line, table, key, and what to do.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use toml::Spanned;

pub use crate::value::ValueType;

/// The registry file this build ships, as text.
pub const SHIPPED_REGISTRY: &str = include_str!("../../../policy/predicates.toml");

/// The layout of registry files this build reads: the file's `schema` key.
pub const REGISTRY_SCHEMA: i64 = 1;

/// The most predicates one registry may hold.
pub const PREDICATES_MAX: usize = 4096;

/// All predicates of one registry version, in the order of their file.
#[derive(Debug, Clone, PartialEq)]
pub struct Registry {
    version: String,
    predicates: Vec<Predicate>,
    by_name: BTreeMap<String, PredicateId>,
}

/// A cheap handle to a predicate: its place in the registry that gave it.
///
/// It means nothing in another registry and is never stored: what is stored is the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredicateId(u16);

/// One relation a claim may state, with everything that decides how it is treated.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    /// The name in code, database, API and portal: lower-case words joined by `_`.
    pub name: String,
    /// The words a person reads, such as `home city`.
    pub label: String,
    /// What kind of thing it says.
    pub class: Class,
    /// How its values are read.
    pub value: ValueType,
    /// Whether a newer value takes the place of the older or stands beside it.
    pub cardinality: Cardinality,
    /// How it lies in time.
    pub shape: Shape,
    /// Whether a turn may carry it although it does not match the request.
    pub important: bool,
    /// A proposal below this is refused; 0 to 1.
    pub min_confidence: f32,
    /// Whether its statement is itself a refusal, so that negated words may support it.
    pub polarity: Polarity,
    /// Lower-case words a person says when asking for it, for lexical recall; without repeats.
    pub words: Vec<String>,
}

/// What kind of thing a predicate says; also the order in which unrelated memories are offered to a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Who the subject is.
    Identity,
    /// What must be kept to, whatever the request.
    Constraint,
    /// What the subject would rather.
    Preference,
    /// Work with a name.
    Project,
    /// People and things close to the subject.
    Relationship,
    /// What documents and other sources say.
    World,
    /// Free words kept on purpose.
    Note,
}

/// Whether values of one fact replace each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cardinality {
    /// One value at a time: a newer one takes the place of the older.
    One,
    /// Values stand side by side: the normalised value is part of the identity.
    Many,
}

/// How a predicate lies in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Holds until it changes; a later, non-overlapping value is succession.
    #[default]
    State,
    /// Happened once.
    Event,
    /// Measures one fixed period; two values for one period dispute and are never capped.
    Measurement,
}

/// Whether negated words may support a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Polarity {
    /// A negated sentence says the contrary, so it cannot support it.
    #[default]
    Positive,
    /// The statement is itself a refusal, such as `never_do`.
    Negative,
}

/// Why a policy file was not taken, and where: the reader should not have to search.
///
/// Displayed as `file:line: [table] key: problem; hint: what to do`, leaving out what is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.written())]
pub struct PolicyError(Box<PolicyProblem>);

/// The parts of a [`PolicyError`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyProblem {
    /// The name the file was given at load.
    pub file: String,
    /// Line in the file, from 1, where known.
    pub line: Option<usize>,
    /// The table, such as `predicate home_city`, where known.
    pub table: Option<String>,
    /// The key, where known.
    pub key: Option<String>,
    /// What is wrong, with the offending value in backticks.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistryFile {
    schema: Spanned<i64>,
    version: Spanned<String>,
    #[serde(default)]
    predicate: Vec<Spanned<PredicateTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PredicateTable {
    name: Spanned<String>,
    label: Option<Spanned<String>>,
    class: Class,
    value: ValueType,
    cardinality: Cardinality,
    #[serde(default)]
    shape: Shape,
    #[serde(default)]
    important: bool,
    min_confidence: Option<Spanned<f64>>,
    #[serde(default)]
    negative: bool,
    words: Option<Vec<Spanned<String>>>,
}

/// What a predicate needs when its table does not say.
const MIN_CONFIDENCE_DEFAULT: f64 = 0.6;

impl Registry {
    /// The registry this build ships.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Registry> = LazyLock::new(|| {
            // A test parses the same constant, so this cannot fail in a build that passed its tests.
            Registry::parse("predicates.toml", SHIPPED_REGISTRY).expect("the shipped registry is valid")
        });
        &SHIPPED
    }

    /// Reads a registry file; `file_name` is only used to say where an error is.
    ///
    /// # Errors
    /// A [`PolicyError`] for anything but a whole, unambiguous registry: text that is not TOML, a key or word this build
    /// does not know, a name that is malformed or there twice, a confidence outside 0 to 1, another `schema`.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, PolicyError> {
        let place = Place { file: file_name, text, array: "predicate" };
        let file: RegistryFile = toml::from_str(text).map_err(|error| place.unreadable(&error))?;
        place.check_schema(&file.schema, REGISTRY_SCHEMA)?;
        let version = place.version(&file.version, "predicates/")?;
        if file.predicate.is_empty() {
            return Err(place.error(None, "no `[[predicate]]` table", "name at least one predicate"));
        }
        if file.predicate.len() > PREDICATES_MAX {
            return Err(place.error(
                file.predicate.get(PREDICATES_MAX).map(Spanned::span),
                format!("more than `{PREDICATES_MAX}` predicates"),
                "merge predicates that differ only in wording; use `note` for free words",
            ));
        }
        let mut predicates: Vec<Predicate> = Vec::with_capacity(file.predicate.len());
        let mut by_name = BTreeMap::new();
        for table in file.predicate {
            let predicate = read_predicate(&place, &table)?;
            // At most PREDICATES_MAX, checked above, so the index fits.
            let id = PredicateId(predicates.len() as u16);
            if by_name.insert(predicate.name.clone(), id).is_some() {
                return Err(place.error(
                    Some(table.get_ref().name.span()),
                    format!("predicate `{}` is there twice", predicate.name),
                    "keep one of the two tables",
                ));
            }
            predicates.push(predicate);
        }
        Ok(Self { version, predicates, by_name })
    }

    /// The version of the file, such as `predicates/1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The predicate of that name; names are exact.
    pub fn get(&self, name: &str) -> Option<&Predicate> {
        self.id(name).and_then(|id| self.at(id))
    }

    /// The handle of that name.
    pub fn id(&self, name: &str) -> Option<PredicateId> {
        self.by_name.get(name).copied()
    }

    /// The predicate of a handle; none if the handle came from a longer registry.
    pub fn at(&self, id: PredicateId) -> Option<&Predicate> {
        self.predicates.get(usize::from(id.0))
    }

    /// All predicates, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Predicate> + Clone {
        self.predicates.iter()
    }

    /// How many predicates there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "a registry is never empty: `parse` refuses one")]
    pub fn len(&self) -> usize {
        self.predicates.len()
    }

    /// The known name most like `name`, for a did-you-mean; none when nothing is near.
    ///
    /// Near: the same after folding case, `-`, `.` and white space; or at most a third of its letters changed, dropped,
    /// added or swapped. Ties go to the earlier predicate. Names over 64 characters are near nothing.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let names = self.predicates.iter().map(|predicate| predicate.name.as_str());
        nearest(name, names)
    }
}

impl PredicateId {
    /// The place in the registry, from 0.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Predicate {
    /// Whether a value makes the fact a relation rather than an observation.
    pub fn is_relation(&self) -> bool {
        self.value == ValueType::Entity
    }

    /// Whether negated words may support it.
    pub fn stands_on_negation(&self) -> bool {
        self.polarity == Polarity::Negative
    }
}

impl Class {
    /// The word in files and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Constraint => "constraint",
            Self::Preference => "preference",
            Self::Project => "project",
            Self::Relationship => "relationship",
            Self::World => "world",
            Self::Note => "note",
        }
    }
}

impl PolicyError {
    /// The parts: file, line, table, key, problem, hint.
    pub fn problem(&self) -> &PolicyProblem {
        &self.0
    }
}

impl From<PolicyProblem> for PolicyError {
    fn from(problem: PolicyProblem) -> Self {
        Self(Box::new(problem))
    }
}

impl PolicyProblem {
    fn written(&self) -> String {
        let mut text = self.file.clone();
        if let Some(line) = self.line {
            text.push_str(&format!(":{line}"));
        }
        text.push_str(": ");
        if let Some(table) = &self.table {
            text.push_str(&format!("[{table}] "));
        }
        if let Some(key) = &self.key {
            text.push_str(&format!("`{key}`: "));
        }
        text.push_str(&format!("{}; hint: {}", self.problem, self.hint));
        text
    }
}

fn read_predicate(place: &Place<'_>, table: &Spanned<PredicateTable>) -> Result<Predicate, PolicyError> {
    let raw = table.get_ref();
    let name = raw.name.get_ref();
    if !is_predicate_name(name) {
        return Err(place.error(
            Some(raw.name.span()),
            format!("`{}` is not a predicate name", shortened(name)),
            "use lower-case words joined by `_`, at most 64 characters, such as `home_city`",
        ));
    }
    let label = match &raw.label {
        None => name.replace('_', " "),
        Some(label) if label.get_ref().trim().is_empty() => {
            return Err(place.error(Some(label.span()), "empty label", "leave the key out to use the name"));
        }
        Some(label) => label.get_ref().trim().to_owned(),
    };
    let min_confidence = match &raw.min_confidence {
        None => MIN_CONFIDENCE_DEFAULT as f32,
        Some(number) => place.fraction(number)?,
    };
    let mut words: Vec<String> = Vec::new();
    for word in raw.words.iter().flatten() {
        let text = word.get_ref();
        if text.is_empty() || text.chars().any(char::is_whitespace) || text.to_lowercase() != *text {
            return Err(place.error(
                Some(word.span()),
                format!("`{}` is not one lower-case word", shortened(text)),
                "write each query word alone and in lower case",
            ));
        }
        if words.contains(text) {
            return Err(place.error(Some(word.span()), format!("word `{text}` is there twice"), "keep one"));
        }
        words.push(text.clone());
    }
    Ok(Predicate {
        name: name.clone(),
        label,
        class: raw.class,
        value: raw.value,
        cardinality: raw.cardinality,
        shape: raw.shape,
        important: raw.important,
        min_confidence,
        polarity: if raw.negative { Polarity::Negative } else { Polarity::Positive },
        words,
    })
}

fn is_predicate_name(name: &str) -> bool {
    name.len() <= 64
        && name.split('_').all(|word| !word.is_empty())
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// A file being read, to say where in it something is wrong.
pub(crate) struct Place<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
    /// The array of tables whose entries are told apart by their first `name = ` or `predicate = ` line.
    pub(crate) array: &'a str,
}

impl Place<'_> {
    /// An error at a byte range of the file; table and key are read off the lines around it.
    pub(crate) fn error(
        &self,
        span: Option<Range<usize>>,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> PolicyError {
        let (line, table, key) = span.map_or((None, None, None), |span| self.locate(span.start));
        PolicyProblem {
            file: self.file.to_owned(),
            line,
            table,
            key,
            problem: problem.into(),
            hint: hint.into(),
        }
        .into()
    }

    /// An error of the TOML reader, with a hint that fits what it complained about.
    pub(crate) fn unreadable(&self, error: &toml::de::Error) -> PolicyError {
        let message = error.message().trim().replace('\n', ", ");
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let hint = match (quoted.split_first(), message.contains("unknown ")) {
            (Some((wrong, known)), true) => match nearest(wrong, known.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => "use one of the words this build knows, or leave it out".to_owned(),
            },
            (Some((missing, _)), false) if message.contains("missing field") => {
                format!("add `{missing} = …` to the table")
            }
            _ if message.contains("invalid type") => "give a value of the type it expects".to_owned(),
            _ => "correct the TOML at that line".to_owned(),
        };
        self.error(error.span(), message, hint)
    }

    pub(crate) fn check_schema(&self, schema: &Spanned<i64>, known: i64) -> Result<(), PolicyError> {
        if *schema.get_ref() == known {
            return Ok(());
        }
        Err(self.error(
            Some(schema.span()),
            format!("layout `{}` is unknown", schema.get_ref()),
            format!("this build reads `schema = {known}`; use the build the file was written for"),
        ))
    }

    /// A version name: the prefix, then digits or words, so that records of it can be told from anything else.
    pub(crate) fn version(&self, version: &Spanned<String>, prefix: &str) -> Result<String, PolicyError> {
        let text = version.get_ref();
        let good = text.strip_prefix(prefix).is_some_and(|rest| {
            !rest.is_empty()
                && rest.len() <= 64
                && rest.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'))
        });
        if good {
            return Ok(text.clone());
        }
        Err(self.error(
            Some(version.span()),
            format!("`{}` is not a version name", shortened(text)),
            format!("use `{prefix}` and a number or short name, such as `{prefix}2`"),
        ))
    }

    pub(crate) fn fraction(&self, number: &Spanned<f64>) -> Result<f32, PolicyError> {
        let value = *number.get_ref();
        if (0.0..=1.0).contains(&value) {
            return Ok(value as f32);
        }
        Err(self.error(
            Some(number.span()),
            format!("`{value}` is outside 0 to 1"),
            "give a confidence from 0 to 1",
        ))
    }

    fn locate(&self, offset: usize) -> (Option<usize>, Option<String>, Option<String>) {
        let offset = offset.min(self.text.len());
        let line_index = self.text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count();
        let lines: Vec<&str> = self.text.lines().collect();
        let here = lines.get(line_index).copied().unwrap_or_default().trim();
        let header = lines
            .iter()
            .enumerate()
            .take(line_index + 1)
            .rev()
            .find(|(_, line)| line.trim_start().starts_with('['))
            .filter(|(_, line)| line.trim_end().ends_with(']') && !line.contains('"'));
        let table = header.map(|(start, line)| {
            let table = line.trim().trim_matches(['[', ']']).trim();
            let body = lines.iter().skip(start + 1).take_while(|line| !line.trim_start().starts_with("[["));
            let named = body
                .filter_map(|line| line.split_once('='))
                .find(|(key, _)| table == self.array && matches!(key.trim(), "name" | "predicate"));
            match named {
                Some((_, name)) => format!("{table} {}", shortened(name.trim().trim_matches('"'))),
                None => table.to_owned(),
            }
        });
        let key = here
            .split_once('=')
            .map(|(key, _)| key.trim())
            .filter(|key| !key.is_empty() && key.len() <= 64 && !key.starts_with(['#', '[', '"']))
            .map(str::to_owned);
        (Some(line_index + 1), table, key)
    }
}

/// The name of `names` most like `wanted`; see [`Registry::nearest`].
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.is_empty() || wanted.chars().nth(64).is_some() {
        return None;
    }
    let wanted: Vec<char> = folded(wanted);
    let limit = wanted.len() / 3;
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        let letters = folded(name);
        if letters.len().abs_diff(wanted.len()) > limit {
            continue;
        }
        let distance = edits(&wanted, &letters);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

fn folded(name: &str) -> Vec<char> {
    name.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c.is_whitespace() || matches!(c, '-' | '.') { '_' } else { c })
        .collect()
}

/// Changes, drops, additions and swaps of neighbours that lead from one word to the other.
fn edits(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        // Rows are `to.len() + 1` long and `j` runs over `to`, so every index below exists.
        let mut row = vec![i + 1; to.len() + 1];
        for (j, b) in to.iter().enumerate() {
            let change = last[j] + usize::from(a != b);
            row[j + 1] = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(from.len())
}

/// A value as it may stand in a message: its first 40 characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
