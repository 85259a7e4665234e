//! The gate: the deterministic function that admits or refuses a proposal, under a versioned policy.
//!
//! It sees one piece of evidence and what was proposed of it, and nothing else: no memory, no model, no clock. The
//! checks run in a fixed order and the first that fails decides, so the same proposal on the same words always meets
//! the same answer. Passing the gate is the only way to a [`Claim`](crate::claim::Claim).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::admission::{AdmissionPolicy, Policies, Unasserted, WorldAuthor};
use crate::assertion::{NotAssertedKind, Polarity, not_asserted, permits};
use crate::claim::{Op, Quote, Quotes, Realm};
use crate::entity::EntityRef;
use crate::evidence::Author;
use crate::proposal::Proposal;
use crate::quote::{self, Span};
use crate::regions::{self, Region};
use crate::registry::{Cardinality, Class, Predicate, Registry};
use crate::secret::secret_like;
use crate::source::words;
use crate::time::{Instant, Moment};
use crate::value::{RawValue, Stated, Value};
use crate::written::ungrounded;

/// What the gate is shown of the evidence.
#[derive(Clone, Copy, Debug)]
pub struct Testimony<'evidence> {
    /// Who spoke.
    pub author: Author,
    /// The exact text.
    pub text: &'evidence str,
    /// When it was said, with the speaker's zone.
    pub event_time: &'evidence Moment,
    /// The stretches that are not the speaker's own words; see [`regions::foreign_regions`].
    pub foreign: &'evidence [Region],
    /// Whether the owner asked for exactly these words to be kept. A note may then be a question or a wish.
    pub kept_on_purpose: bool,
}

/// A proposal that passed: everything a claim is made of but its places in the log.
#[derive(Clone, PartialEq, Debug)]
pub struct Admitted {
    /// Whose word it is.
    pub realm: Realm,
    /// Whom or what it is about.
    pub entity: EntityRef,
    /// The predicate's name.
    pub predicate: String,
    /// What is said, unless everything is retracted.
    pub value: Option<Stated>,
    /// The words that say it.
    pub quotes: Quotes,
    /// Whether it holds or no longer does.
    pub op: Op,
    /// How sure the proposer was, in thousandths.
    pub confidence_permille: u16,
    /// From when, if the words name it.
    pub valid_from: Option<Instant>,
    /// Until when, if the words name it.
    pub valid_to: Option<Instant>,
    /// Whether it is drawn from several quotes.
    pub inferred: bool,
}

/// A refusal: a stable code, and what exactly was wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct Refusal {
    /// The code.
    pub code: RefusalCode,
    /// What was wrong, for the proposer to mend.
    pub detail: String,
}

words! {
    /// Why a proposal was refused, in the order of the checks.
    RefusalCode {
        /// Beyond the number looked at per message.
        TooManyProposals = "too_many_proposals",
        /// About the owner, but not in the owner's words; or from an author who may not testify.
        NotOwnerAuthored = "not_owner_authored",
        /// The quote stands in somebody else's words inside the owner's message.
        ThirdPartyWords = "third_party_words",
        /// The quote is an echo of recalled memory.
        RecalledMemory = "recalled_memory",
        /// The entity is no slug.
        MalformedEntity = "malformed_entity",
        /// The registry has no such predicate.
        UnknownPredicate = "unknown_predicate",
        /// The value cannot be read as the predicate's type.
        ValueTypeMismatch = "value_type_mismatch",
        /// The proposer is not sure enough.
        LowConfidence = "low_confidence",
        /// The quote does not stand in the evidence.
        QuoteNotFound = "quote_not_found",
        /// The quote is too short, too long, or one of too many.
        QuoteOutOfBounds = "quote_out_of_bounds",
        /// A number, date, time or name of the value does not stand in the quote.
        ValueNotGrounded = "value_not_grounded",
        /// The words ask, suppose, wish, report or deny instead of asserting.
        NotAsserted = "not_asserted",
        /// The interval ends before it begins, or cannot be read.
        InvalidInterval = "invalid_interval",
        /// The value or quote looks like a credential.
        SecretLike = "secret_like",
    }
}

/// Judges the proposal at `index` of its message.
///
/// # Errors
/// The [`Refusal`] of the first check that fails.
pub fn judge(
    testimony: &Testimony<'_>,
    index: usize,
    proposal: &Proposal,
    policies: &Policies,
) -> Result<Admitted, Refusal> {
    let policy = &policies.admission;
    if index >= policy.max_proposals {
        let detail = format!("only the first {} proposals of a message are looked at", policy.max_proposals);
        return Err(refuse(RefusalCode::TooManyProposals, detail));
    }
    let entity = read_entity(&proposal.entity, policy);
    let realm = realm(testimony.author, &entity, &proposal.entity, policy)?;
    let places = Places::find(testimony, proposal);
    places.check_whose_words(testimony.author)?;
    let entity = entity?;
    let predicate = find_predicate(&policies.registry, &proposal.predicate)?;
    let value = read_value(predicate, proposal, policy)?;
    check_confidence(predicate, proposal, policy)?;
    let quotes = places.quotes(testimony.text, proposal, policy)?;
    check_grounded(testimony, value.as_ref(), &quotes)?;
    check_asserted(testimony, predicate, proposal.op, value.as_ref(), &quotes, policy)?;
    let (valid_from, valid_to) = read_interval(testimony, proposal, policy)?;
    check_no_secret(value.as_ref(), &quotes)?;
    Ok(Admitted {
        realm,
        entity,
        predicate: predicate.name.clone(),
        value,
        quotes,
        op: proposal.op,
        confidence_permille: (proposal.confidence * 1_000.0).round() as u16,
        valid_from,
        valid_to,
        inferred: proposal.is_inferred(),
    })
}

fn refuse(code: RefusalCode, detail: impl Into<String>) -> Refusal {
    Refusal { code, detail: detail.into() }
}

/// The names proposers give the owner; a slug of one of these could only be confused with the owner.
const OWNER_NAMES: &[&str] = &["self", "me", "i", "user", "the-user", "owner", "the-owner", "myself"];

fn read_entity(written: &str, policy: &AdmissionPolicy) -> Result<EntityRef, Refusal> {
    if written.len() > policy.entity_bytes_max {
        let detail = format!("entity has {} bytes; {} are allowed", written.len(), policy.entity_bytes_max);
        return Err(refuse(RefusalCode::MalformedEntity, detail));
    }
    let entity =
        EntityRef::parse(written).map_err(|error| refuse(RefusalCode::MalformedEntity, error.to_string()))?;
    let is_person = matches!(entity.kind(), None | Some("person" | "user"));
    match is_person && OWNER_NAMES.contains(&entity.name()) {
        true => Ok(EntityRef::owner()),
        false => Ok(entity),
    }
}

/// Only the owner speaks for the owner, and nobody's echo speaks for the world.
fn realm(
    author: Author,
    entity: &Result<EntityRef, Refusal>,
    written: &str,
    policy: &AdmissionPolicy,
) -> Result<Realm, Refusal> {
    let about_owner = match entity {
        Ok(entity) => entity.is_owner(),
        Err(_) => OWNER_NAMES.contains(&written.trim().to_lowercase().as_str()),
    };
    let not_theirs = |detail: &str| Err(refuse(RefusalCode::NotOwnerAuthored, detail));
    match author {
        Author::Owner => Ok(Realm::Owner),
        _ if about_owner => not_theirs("only the owner's own words can say something about the owner"),
        Author::Assistant => not_theirs("a model's reply is no testimony"),
        Author::Service if policy.may_speak_for_world(WorldAuthor::Service) => Ok(Realm::World),
        Author::External if policy.may_speak_for_world(WorldAuthor::External) => Ok(Realm::World),
        Author::Service | Author::External => not_theirs("this author may not testify under the policy"),
    }
}

/// Where the cited quotes stand; `None` for one that does not.
struct Places<'evidence> {
    text: &'evidence str,
    spans: Vec<Option<Span>>,
    foreign: &'evidence [Region],
}

impl<'evidence> Places<'evidence> {
    fn find(testimony: &Testimony<'evidence>, proposal: &Proposal) -> Self {
        // Words that stand twice count where they are the speaker's own.
        let place = |cited: &str| {
            let first = quote::find(testimony.text, cited)?;
            let is_own = |span: &Span| {
                !regions::third_party(testimony.foreign, *span)
                    && !regions::recalled(testimony.foreign, *span)
            };
            match testimony.foreign.is_empty() || is_own(&first) {
                true => Some(first),
                false => quote::find_all(testimony.text, cited).into_iter().find(is_own).or(Some(first)),
            }
        };
        // More than this many are refused for their number anyway.
        let spans = proposal.cited().into_iter().take(Quotes::MAX + 1).map(place).collect();
        Self { text: testimony.text, spans, foreign: testimony.foreign }
    }

    fn check_whose_words(&self, author: Author) -> Result<(), Refusal> {
        for span in self.spans.iter().flatten() {
            if author == Author::Owner && regions::third_party(self.foreign, *span) {
                let detail = "the quote stands in words the owner only passed on";
                return Err(refuse(RefusalCode::ThirdPartyWords, detail));
            }
        }
        for span in self.spans.iter().flatten() {
            if author == Author::Owner && self.only_introduces(*span) {
                let detail = "the quote only introduces words the owner passed on";
                return Err(refuse(RefusalCode::ThirdPartyWords, detail));
            }
        }
        for span in self.spans.iter().flatten() {
            if regions::recalled(self.foreign, *span) {
                let detail = "the quote stands in recalled memory, which is not new evidence";
                return Err(refuse(RefusalCode::RecalledMemory, detail));
            }
        }
        Ok(())
    }

    /// Whether a colon and nothing else stands between the quote and somebody else's words: "here is the mail I got:"
    /// says nothing but that something follows.
    fn only_introduces(&self, span: Span) -> bool {
        let Some(region) = self.foreign.iter().find(|region| region.span.start >= span.end) else {
            return false;
        };
        let Some(between) = self.text.get(span.end..region.span.start) else { return false };
        let ends_so = self.text.get(..span.end).is_some_and(|quoted| quoted.trim_end().ends_with(':'));
        let between = between.trim();
        (ends_so && between.is_empty()) || between == ":"
    }

    fn quotes(&self, text: &str, proposal: &Proposal, policy: &AdmissionPolicy) -> Result<Quotes, Refusal> {
        let cited = proposal.cited();
        if cited.is_empty() {
            return Err(refuse(RefusalCode::QuoteNotFound, "no quote is cited"));
        }
        let mut quotes = Vec::with_capacity(cited.len());
        for (cited, span) in cited.iter().zip(&self.spans) {
            let found = span.and_then(|span| Quote::cut(text, span.start, span.end));
            let Some(quote) = found else {
                let detail = "the quote does not stand in the evidence; cite it word for word";
                return Err(refuse(RefusalCode::QuoteNotFound, detail));
            };
            let chars = cited.chars().count();
            if !(policy.quote_chars_min..=policy.quote_chars_max).contains(&chars) {
                let (min, max) = (policy.quote_chars_min, policy.quote_chars_max);
                let detail = format!("the quote has {chars} characters; {min} to {max} are allowed");
                return Err(refuse(RefusalCode::QuoteOutOfBounds, detail));
            }
            quotes.push(quote);
        }
        let count = cited.len();
        let max = policy.inferred_quotes_max.min(Quotes::MAX);
        if count > max {
            let detail = format!("{count} quotes are cited; {max} are allowed");
            return Err(refuse(RefusalCode::QuoteOutOfBounds, detail));
        }
        Quotes::new(quotes).map_err(|error| refuse(RefusalCode::QuoteOutOfBounds, error.to_string()))
    }
}

fn find_predicate<'registry>(
    registry: &'registry Registry,
    name: &str,
) -> Result<&'registry Predicate, Refusal> {
    registry.get(name).ok_or_else(|| {
        let short: String = name.chars().take(60).collect();
        let detail = match registry.nearest(name) {
            Some(nearest) => format!("predicate `{short}` is not in the registry; did you mean `{nearest}`?"),
            None => format!("predicate `{short}` is not in the registry"),
        };
        refuse(RefusalCode::UnknownPredicate, detail)
    })
}

fn read_value(
    predicate: &Predicate,
    proposal: &Proposal,
    policy: &AdmissionPolicy,
) -> Result<Option<Stated>, Refusal> {
    let mismatch = |detail: String| refuse(RefusalCode::ValueTypeMismatch, detail);
    let Some(raw) = &proposal.value else {
        return match proposal.op {
            Op::Retract if predicate.cardinality == Cardinality::Many => Err(mismatch(format!(
                "`{}` holds many values; say which one no longer holds",
                predicate.name
            ))),
            Op::Retract => Ok(None),
            Op::Assert => Err(mismatch("there is no value".to_owned())),
        };
    };
    if let RawValue::Text(text) = raw
        && text.len() > policy.value_bytes_max
    {
        let detail = format!("the value has {} bytes; {} are allowed", text.len(), policy.value_bytes_max);
        return Err(mismatch(detail));
    }
    Value::read(predicate.value, raw).map(Some).map_err(|error| {
        mismatch(format!("`{}` takes a {}: {error}", predicate.name, predicate.value.as_str()))
    })
}

fn check_confidence(
    predicate: &Predicate,
    proposal: &Proposal,
    policy: &AdmissionPolicy,
) -> Result<(), Refusal> {
    let needed = f64::from(policy.min_confidence_for(predicate));
    // The policy keeps its numbers in single precision; a proposal of exactly the needed value must pass.
    match proposal.confidence + 1e-6 >= needed {
        true => Ok(()),
        false => {
            let detail =
                format!("confidence {} is below the {needed:.2} this predicate needs", proposal.confidence);
            Err(refuse(RefusalCode::LowConfidence, detail))
        }
    }
}

fn check_grounded(testimony: &Testimony<'_>, value: Option<&Stated>, quotes: &Quotes) -> Result<(), Refusal> {
    let Some(stated) = value else { return Ok(()) };
    let texts: Vec<&str> = quotes.iter().map(Quote::text).collect();
    match ungrounded(stated, &texts, Some(&testimony.event_time.zoned())) {
        None => Ok(()),
        Some(missing) => Err(refuse(RefusalCode::ValueNotGrounded, missing.to_string())),
    }
}

fn check_asserted(
    testimony: &Testimony<'_>,
    predicate: &Predicate,
    op: Op,
    value: Option<&Stated>,
    quotes: &Quotes,
    policy: &AdmissionPolicy,
) -> Result<(), Refusal> {
    if testimony.kept_on_purpose && predicate.class == Class::Note {
        return Ok(());
    }
    let polarity = match predicate.class {
        _ if predicate.stands_on_negation() => Polarity::Negative,
        Class::Constraint | Class::Preference => Polarity::Aspiration,
        _ => Polarity::Affirmative,
    };
    for quote in quotes.iter() {
        let span = Span { start: quote.span().start as usize, end: quote.span().end as usize };
        if testimony.author != Author::Owner && is_field(testimony.text, span, value) {
            continue;
        }
        let Some(found) = not_asserted(testimony.text, span) else { continue };
        let way = match found.kind {
            NotAssertedKind::Question => Unasserted::Question,
            NotAssertedKind::Conditional => Unasserted::Conditional,
            NotAssertedKind::Negated | NotAssertedKind::Former => Unasserted::Negated,
            NotAssertedKind::Hypothetical
            | NotAssertedKind::Reported
            | NotAssertedKind::Wish
            | NotAssertedKind::Uncertain => Unasserted::Hypothetical,
        };
        if found.kind == NotAssertedKind::Negated
            && polarity != Polarity::Affirmative
            && carries(value, found.clue_span.slice(testimony.text))
        {
            continue;
        }
        if policy.refuses(way, predicate) && !permits(found.kind, polarity, op == Op::Retract) {
            let detail = format!("the sentence does not assert the quote: {}", manner(found.kind));
            return Err(refuse(RefusalCode::NotAsserted, detail));
        }
    }
    Ok(())
}

/// Whether a text value holds the denying word itself: "don't use emojis" is what such a value says, not its opposite.
fn carries(value: Option<&Stated>, clue: Option<&str>) -> bool {
    let (Some(Stated { value: Value::Text(text), .. }), Some(clue)) = (value, clue) else { return false };
    let clue = clue.to_lowercase();
    let mut words = text.split(|one: char| !one.is_alphanumeric() && one != '\'' && one != '\u{2019}');
    clue.split_whitespace().count() == 1 && words.any(|word| word.to_lowercase() == clue)
}

/// Whether the quote is a whole line of the form `Label: value`, and the value exactly what the line gives.
///
/// A field of a document's head states its value whatever marks that holds (`Title: What is a widget?`). An owner's
/// message has no fields: there a question stays one.
fn is_field(text: &str, span: Span, value: Option<&Stated>) -> bool {
    let (Some(quote), Some(stated)) = (span.slice(text), value) else { return false };
    let before = &text[..span.start];
    let after = &text[span.end..];
    let whole_line = (before.is_empty() || before.ends_with(['\n', '\r']))
        && (after.is_empty() || after.starts_with(['\n', '\r']));
    let Some((label, given)) = quote.split_once(": ") else { return false };
    let is_label = (1..=40).contains(&label.len())
        && label.chars().all(|one| one.is_alphanumeric() || matches!(one, '-' | '_' | ' '));
    whole_line && is_label && !quote.contains(['\n', '\r']) && given.trim() == stated.written.trim()
}

/// What a sentence does instead of asserting, in words for the proposer.
fn manner(kind: NotAssertedKind) -> &'static str {
    match kind {
        NotAssertedKind::Question => "it asks",
        NotAssertedKind::Hypothetical => "it supposes",
        NotAssertedKind::Conditional => "it depends on a condition",
        NotAssertedKind::Reported => "it reports what somebody else says",
        NotAssertedKind::Wish => "it wishes",
        NotAssertedKind::Uncertain => "it leaves open",
        NotAssertedKind::Former => "it tells of what is over",
        NotAssertedKind::Negated => "it denies",
    }
}

fn read_interval(
    testimony: &Testimony<'_>,
    proposal: &Proposal,
    policy: &AdmissionPolicy,
) -> Result<(Option<Instant>, Option<Instant>), Refusal> {
    let invalid = |detail: String| refuse(RefusalCode::InvalidInterval, detail);
    let read = |written: &Option<String>| match written {
        None => Ok(None),
        Some(text) => match Moment::parse_in(text, &testimony.event_time.zone) {
            Ok(moment) => Ok(Some(moment.instant)),
            Err(error) => Err(invalid(error.to_string())),
        },
    };
    let (from, to) = (read(&proposal.valid_from)?, read(&proposal.valid_to)?);
    for instant in [from, to].into_iter().flatten() {
        let year = instant.timestamp().to_zoned_datetime(jiff::tz::TimeZone::UTC).year();
        if !(policy.year_min..=policy.year_max).contains(&year) {
            let (min, max) = (policy.year_min, policy.year_max);
            return Err(invalid(format!("year {year} is outside {min} to {max}")));
        }
    }
    let begins = from.unwrap_or(testimony.event_time.instant);
    match to {
        Some(to) if to <= begins && from.is_none() => {
            let detail =
                format!("it ends (`{to}`) before it was said (`{begins}`); give `valid_from` as well");
            Err(invalid(detail))
        }
        Some(to) if to <= begins => Err(invalid(format!("it ends (`{to}`) before it begins (`{begins}`)"))),
        _ => Ok((from, to)),
    }
}

fn check_no_secret(value: Option<&Stated>, quotes: &Quotes) -> Result<(), Refusal> {
    let texts = value.map(|stated| stated.written.as_str()).into_iter().chain(quotes.iter().map(Quote::text));
    for text in texts {
        if let Some(found) = secret_like(text) {
            return Err(refuse(RefusalCode::SecretLike, format!("it looks like a secret ({})", found.kind)));
        }
    }
    Ok(())
}
