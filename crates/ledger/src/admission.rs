//! The admission policy: how strict the gate is, as data with a version of its own.
//!
//! Held apart from code and from prompts, so that a change of strictness is a change of version that every claim records.
//! A setting is here because the gate reads it. What is a promise is not a setting: only the owner speaks for the owner.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::calibration::Calibration;
use crate::registry::{Place, PolicyError, Predicate, Registry};

/// The admission policy this build ships, as text.
pub const SHIPPED_ADMISSION: &str = include_str!("../../../policy/admission/1.toml");

/// The layout of admission files this build reads: the file's `schema` key.
pub const ADMISSION_SCHEMA: i64 = 1;

/// How strict the gate is. Every field is within the bounds it names: [`AdmissionPolicy::parse`] is the only maker.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AdmissionPolicy {
    /// The version a claim records, such as `admission/1`.
    pub version: String,
    /// Proposals of one message that are looked at; 1 to 100.
    pub max_proposals: usize,
    /// Confidence every proposal needs; 0 to 1.
    pub min_confidence: f32,
    /// Shortest quote, in characters; at least 1.
    pub quote_chars_min: usize,
    /// Longest quote, in characters; at least the shortest, at most 10,000.
    pub quote_chars_max: usize,
    /// Quotes an inferred proposal may cite together; 1 to 3.
    pub inferred_quotes_max: usize,
    /// Longest value as it arrives, in bytes; 1 to 65,536.
    pub value_bytes_max: usize,
    /// Longest written name of an entity, in bytes; 1 to 1,024.
    pub entity_bytes_max: usize,
    /// First year an asserted interval may touch; 1 to 9999.
    pub year_min: i16,
    /// Last year an asserted interval may touch; the first to 9999.
    pub year_max: i16,
    refuse_assertions: Vec<Unasserted>,
    world_authors: Vec<WorldAuthor>,
    overrides: Vec<Override>,
}

/// A way of speaking that asserts nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unasserted {
    /// "Do I live in Split?"
    Question,
    /// "If I move to Split, …"
    Conditional,
    /// "I might move to Split."
    Hypothetical,
    /// "I do not live in Split."
    Negated,
}

/// An author who may speak for the `world` realm.
///
/// The owner is not among them (their words belong to the `owner` realm), nor is the assistant: a model's reply is no source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorldAuthor {
    /// The service itself, such as a connector's own record.
    Service,
    /// Anyone else: a document, a mail, another person.
    External,
}

/// The registry and the admission policy of one deployment, checked against each other, and its calibration of recall.
#[derive(Debug, Clone, PartialEq)]
pub struct Policies {
    /// Which predicates there are.
    pub registry: Registry,
    /// How strict the gate is.
    pub admission: AdmissionPolicy,
    /// From which score on a memory is shown unasked.
    pub calibration: Calibration,
}

#[derive(Debug, Clone, PartialEq)]
struct Override {
    predicate: String,
    min_confidence: f32,
    /// Where the override stands, so that a later check against the registry can still point at it.
    file: String,
    line: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AdmissionFile {
    schema: Spanned<i64>,
    version: Spanned<String>,
    max_proposals: Spanned<i64>,
    min_confidence: Spanned<f64>,
    quote_chars_min: Spanned<i64>,
    quote_chars_max: Spanned<i64>,
    inferred_quotes_max: Spanned<i64>,
    value_bytes_max: Spanned<i64>,
    entity_bytes_max: Spanned<i64>,
    year_min: Spanned<i64>,
    year_max: Spanned<i64>,
    refuse_assertions: Vec<Unasserted>,
    world_authors: Spanned<Vec<WorldAuthor>>,
    refuse_secrets: Spanned<bool>,
    #[serde(default, rename = "override")]
    overrides: Vec<Spanned<OverrideTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OverrideTable {
    predicate: Spanned<String>,
    min_confidence: Spanned<f64>,
}

impl AdmissionPolicy {
    /// The policy this build ships.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<AdmissionPolicy> = LazyLock::new(|| {
            // A test parses the same constant, so this cannot fail in a build that passed its tests.
            AdmissionPolicy::parse("admission/1.toml", SHIPPED_ADMISSION)
                .expect("the shipped policy is valid")
        });
        &SHIPPED
    }

    /// Reads an admission policy; `file_name` is only used to say where an error is.
    ///
    /// # Errors
    /// A [`PolicyError`] for text that is not TOML, a key or word this build does not know, a missing key, a number outside
    /// the bounds its field names, secrets let through, an override there twice, another `schema`.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, PolicyError> {
        let place = Place { file: file_name, text, array: "override" };
        let file: AdmissionFile = toml::from_str(text).map_err(|error| place.unreadable(&error))?;
        place.check_schema(&file.schema, ADMISSION_SCHEMA)?;
        let version = place.version(&file.version, "admission/")?;
        if !*file.refuse_secrets.get_ref() {
            return Err(place.error(
                Some(file.refuse_secrets.span()),
                "credentials would enter memory",
                "set `refuse_secrets = true`; it is written out so that nobody wonders, not to be turned off",
            ));
        }
        if file.world_authors.get_ref().is_empty() {
            return Err(place.error(
                Some(file.world_authors.span()),
                "nobody may speak for the world realm",
                "name `external`, `service` or both",
            ));
        }
        let quote_chars_min = whole(&place, &file.quote_chars_min, 1, 10_000)?;
        let year_min = whole(&place, &file.year_min, 1, 9999)?;
        let mut overrides: Vec<Override> = Vec::new();
        for table in &file.overrides {
            let name = &table.get_ref().predicate;
            if overrides.iter().any(|other| other.predicate == *name.get_ref()) {
                return Err(place.error(
                    Some(name.span()),
                    format!("predicate `{}` is overridden twice", name.get_ref()),
                    "keep one of the two tables",
                ));
            }
            let here = place.error(Some(name.span()), "", "");
            overrides.push(Override {
                predicate: name.get_ref().clone(),
                min_confidence: place.fraction(&table.get_ref().min_confidence)?,
                file: file_name.to_owned(),
                line: here.problem().line,
            });
        }
        Ok(Self {
            version,
            max_proposals: whole(&place, &file.max_proposals, 1, 100)?,
            min_confidence: place.fraction(&file.min_confidence)?,
            quote_chars_min,
            quote_chars_max: whole(&place, &file.quote_chars_max, quote_chars_min, 10_000)?,
            inferred_quotes_max: whole(&place, &file.inferred_quotes_max, 1, 3)?,
            value_bytes_max: whole(&place, &file.value_bytes_max, 1, 65_536)?,
            entity_bytes_max: whole(&place, &file.entity_bytes_max, 1, 1024)?,
            // Both lie within 1..=9999.
            year_min: year_min as i16,
            year_max: whole(&place, &file.year_max, year_min, 9999)? as i16,
            refuse_assertions: file.refuse_assertions,
            world_authors: file.world_authors.into_inner(),
            overrides,
        })
    }

    /// Checks that every predicate this policy names is in the registry, and that no override lowers what it asks.
    ///
    /// # Errors
    /// A [`PolicyError`] at the first override that fails, with the nearest known name.
    pub fn validate_against(&self, registry: &Registry) -> Result<(), PolicyError> {
        for entry in &self.overrides {
            let error = |key: &str, problem: String, hint: String| {
                PolicyError::from(crate::registry::PolicyProblem {
                    file: entry.file.clone(),
                    line: entry.line,
                    table: Some(format!("override {}", entry.predicate)),
                    key: Some(key.to_owned()),
                    problem,
                    hint,
                })
            };
            let Some(predicate) = registry.get(&entry.predicate) else {
                let hint = match registry.nearest(&entry.predicate) {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "add the predicate to the registry or remove the override".to_owned(),
                };
                let problem = format!("`{}` is not in `{}`", entry.predicate, registry.version());
                return Err(error("predicate", problem, hint));
            };
            if entry.min_confidence < predicate.min_confidence {
                let problem = format!(
                    "`{}` is below the registry's `{}`",
                    entry.min_confidence, predicate.min_confidence
                );
                return Err(error("min_confidence", problem, "raise it, or lower the registry's".to_owned()));
            }
        }
        Ok(())
    }

    /// The confidence a proposal for this predicate needs: the highest of policy, registry and override.
    pub fn min_confidence_for(&self, predicate: &Predicate) -> f32 {
        let own = self.overrides.iter().find(|entry| entry.predicate == predicate.name);
        let base = self.min_confidence.max(predicate.min_confidence);
        own.map_or(base, |entry| base.max(entry.min_confidence))
    }

    /// Whether words spoken this way are refused for this predicate. Negated words support a negative one.
    pub fn refuses(&self, way: Unasserted, predicate: &Predicate) -> bool {
        let excused = way == Unasserted::Negated && predicate.stands_on_negation();
        !excused && self.refuse_assertions.contains(&way)
    }

    /// Whether this author may speak for the `world` realm.
    pub fn may_speak_for_world(&self, author: WorldAuthor) -> bool {
        self.world_authors.contains(&author)
    }
}

impl Policies {
    /// What this build ships.
    pub fn shipped() -> Self {
        Self {
            registry: Registry::shipped().clone(),
            admission: AdmissionPolicy::shipped().clone(),
            calibration: Calibration::shipped().clone(),
        }
    }

    /// Reads the files of a policy directory, given as (path inside it, text); the caller does the reading.
    ///
    /// `predicates.toml` is the registry, `admission/NAME.toml` the admission policy, `recall/NAME.toml` the calibration of
    /// recall; what is absent is as shipped. Paths are written with `/`. Registry and admission policy are validated against
    /// each other.
    ///
    /// # Errors
    /// A [`PolicyError`] for a file of another name, a second of a kind, and everything the three `parse` functions and [`AdmissionPolicy::validate_against`] refuse.
    pub fn load(files: &[(&str, &str)]) -> Result<Self, PolicyError> {
        let mut registry = None;
        let mut admission: Option<(&str, AdmissionPolicy)> = None;
        let mut calibration: Option<(&str, Calibration)> = None;
        for (name, text) in files {
            let place = Place { file: name, text, array: "" };
            if *name == "predicates.toml" {
                if registry.is_some() {
                    return Err(place.error(None, "given twice", "keep one registry file"));
                }
                registry = Some(Registry::parse(name, text)?);
            } else if name.starts_with("admission/") && name.ends_with(".toml") {
                if let Some((first, _)) = &admission {
                    return Err(place.error(
                        None,
                        format!("a second admission policy beside `{first}`"),
                        "keep the one that should be in force",
                    ));
                }
                admission = Some((name, AdmissionPolicy::parse(name, text)?));
            } else if name.starts_with("recall/") && name.ends_with(".toml") {
                if let Some((first, _)) = &calibration {
                    return Err(place.error(
                        None,
                        format!("a second calibration beside `{first}`"),
                        "keep the one that should be in force",
                    ));
                }
                calibration = Some((name, Calibration::parse(name, text)?));
            } else {
                let hint = "a policy directory holds `predicates.toml`, one `admission/NAME.toml` and one `recall/NAME.toml`";
                return Err(place.error(None, "not a policy file", hint));
            }
        }
        let policies = Self {
            registry: registry.unwrap_or_else(|| Registry::shipped().clone()),
            admission: admission.map_or_else(|| AdmissionPolicy::shipped().clone(), |(_, policy)| policy),
            calibration: calibration
                .map_or_else(|| Calibration::shipped().clone(), |(_, calibration)| calibration),
        };
        policies.admission.validate_against(&policies.registry)?;
        Ok(policies)
    }
}

fn whole(place: &Place<'_>, number: &Spanned<i64>, min: usize, max: usize) -> Result<usize, PolicyError> {
    match usize::try_from(*number.get_ref()) {
        Ok(value) if (min..=max).contains(&value) => Ok(value),
        _ => Err(place.error(
            Some(number.span()),
            format!("`{}` is outside {min} to {max}", number.get_ref()),
            format!("give a whole number from {min} to {max}"),
        )),
    }
}
