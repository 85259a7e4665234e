//! Claims: what one piece of evidence said, with the words that say it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::entity::EntityRef;
use crate::evidence::Author;
use crate::id::{EvidenceId, FactId, SourceId};
use crate::keys::Fingerprint;
use crate::source::words;
use crate::time::Instant;
use crate::value::{Stated, Value};

/// What one piece of evidence said. Immutable testimony, never the current truth.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// The fact it testifies on.
    pub fact: FactId,
    /// The evidence that said it.
    pub evidence: EvidenceId,
    /// The evidence's source.
    pub source: SourceId,
    /// The evidence's author; decides the realm.
    pub author: Author,
    /// Whose word it is about whom; see [`Realm`].
    pub realm: Realm,
    /// A predicate of the registry.
    pub predicate: String,
    /// Whether it says so, or says no longer.
    pub op: Op,
    /// How sure the proposer was, in thousandths.
    pub confidence_permille: u16,
    /// When the evidence said it.
    pub event_time: Instant,
    /// From when it is said to hold; `None` when the words name no beginning.
    pub valid_from: Option<Instant>,
    /// Until when it is said to hold; `None` when the words name no end.
    pub valid_to: Option<Instant>,
    /// Whether the value was drawn from several quotes instead of standing in one.
    pub inferred: bool,
    /// The admission policy that let it in, such as `admission/1`.
    pub policy: String,
    /// Who proposed it, such as `agent` or `rules/1`.
    pub proposer: String,
    /// The keyed mark of the evidence's whole text: equal marks in two sources mean one is a copy of the other.
    pub copy_mark: Fingerprint,
    /// What a person could recognise; sealed on disk.
    pub words: ClaimWords,
}

impl Claim {
    /// When it is said to hold from: its own beginning, else the moment it was said.
    #[must_use]
    pub fn begins(&self) -> Instant {
        self.valid_from.unwrap_or(self.event_time)
    }
}

/// The part of a claim that is sealed on disk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClaimWords {
    /// Whom or what it is about.
    pub entity: EntityRef,
    /// What it says; a retraction may leave it out and then means whatever was held.
    pub value: Option<Stated>,
    /// The words that say it.
    pub quotes: Quotes,
}

impl ClaimWords {
    /// The canonical form of the value, by which values are equal; empty when there is none.
    #[must_use]
    pub fn value_key(&self) -> String {
        self.value.as_ref().map(|stated| stated.value.key()).unwrap_or_default()
    }

    /// The value without its written form.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref().map(|stated| &stated.value)
    }
}

words! {
    /// Whether a claim says that something holds, or that it no longer does.
    Op {
        /// It holds.
        Assert = "assert",
        /// It no longer holds.
        Retract = "retract",
    }
}

words! {
    /// Whose word a fact rests on. Part of a fact's identity, so that nothing external can supersede owner memory.
    Realm {
        /// What the subject said about itself; only owner-authored evidence may enter.
        Owner = "owner",
        /// What documents and other sources said.
        World = "world",
    }
}

/// A stretch of one piece of evidence's text, in bytes, half-open; never empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct QuoteSpan {
    /// The first byte.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

/// Words that stand in evidence, with the place where they stand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Quote {
    span: QuoteSpan,
    text: String,
}

impl Quote {
    /// Cuts the quote out of the evidence's text; the only way to make one from parts.
    ///
    /// Returns `None` when the span is empty, leaves the text, or splits a character.
    #[must_use]
    pub fn cut(evidence_text: &str, start: usize, end: usize) -> Option<Self> {
        let text = evidence_text.get(start..end).filter(|text| !text.is_empty())?;
        let span = QuoteSpan { start: start as u64, end: end as u64 };
        Some(Self { span, text: text.to_owned() })
    }

    /// Where it stands in the evidence, in bytes of the original.
    #[must_use]
    pub fn span(&self) -> QuoteSpan {
        self.span
    }

    /// The words, exactly as they stand.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether these words stand at this place in `evidence_text`.
    #[must_use]
    pub fn stands_in(&self, evidence_text: &str) -> bool {
        let range = self.span.start as usize..self.span.end as usize;
        evidence_text.get(range).is_some_and(|text| text == self.text)
    }
}

/// The one to three quotes a claim rests on; a claim without one cannot be written down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<Quote>", into = "Vec<Quote>")]
pub struct Quotes {
    first: Quote,
    more: Vec<Quote>,
}

impl Quotes {
    /// The most quotes one claim may rest on.
    pub const MAX: usize = 3;

    /// Joins the quotes of one claim.
    ///
    /// # Errors
    /// [`QuotesError`] with none or with more than [`Quotes::MAX`].
    pub fn new(quotes: Vec<Quote>) -> Result<Self, QuotesError> {
        let count = quotes.len();
        let mut quotes = quotes.into_iter();
        match quotes.next() {
            Some(first) if count <= Self::MAX => Ok(Self { first, more: quotes.collect() }),
            _ => Err(QuotesError { count }),
        }
    }

    /// The first quote.
    #[must_use]
    pub fn first(&self) -> &Quote {
        &self.first
    }

    /// All quotes, in the order they were cited.
    pub fn iter(&self) -> impl Iterator<Item = &Quote> {
        std::iter::once(&self.first).chain(&self.more)
    }
}

impl TryFrom<Vec<Quote>> for Quotes {
    type Error = QuotesError;

    fn try_from(quotes: Vec<Quote>) -> Result<Self, QuotesError> {
        Self::new(quotes)
    }
}

impl From<Quotes> for Vec<Quote> {
    fn from(quotes: Quotes) -> Self {
        std::iter::once(quotes.first).chain(quotes.more).collect()
    }
}

/// A claim with the wrong number of quotes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a claim rests on 1 to {} quotes, not {count}", Quotes::MAX)]
pub struct QuotesError {
    /// How many were given.
    pub count: usize,
}
