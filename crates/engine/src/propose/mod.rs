//! `rules/1`: deterministic patterns that nominate what the owner says about itself, in English and Croatian.
//!
//! The product should remember something useful with no model at all. What is nominated here is as untrusted as a model's
//! nomination and passes the same gate. Precision comes before recall: a statement that is missed can be made again, a
//! wrong memory has to be found first. So whatever is not plainly the author's own assertion is left out before any pattern
//! looks (`clause`), names are recognised by capitals or known lists (`name`), and values that only point ("that one")
//! are dropped.
//!
//! Work is bounded: the first 64 KiB and the first 400 sentences of a message, sentences of at most 1,000 bytes, and
//! patterns that run in linear time. What lies beyond is not looked at.

mod clause;
mod croatian;
mod english;
mod fold;
pub mod model;
mod name;
mod openings;
mod rule;
mod when;

use std::sync::LazyLock;

use jiff::ZonedDateTime;
use ledger::registry::{Registry, Shape, ValueType};
use regex::Regex;

use clause::Clause;
pub(crate) use clause::pattern;
use fold::Folded;
pub(crate) use fold::fold;
use openings::Openings;
use rule::Rule;

/// The name of this proposer, recorded with what it nominates.
pub const PROPOSER: &str = "rules/1";

/// The most drafts one message can give.
pub const DRAFTS_MAX: usize = 5;

/// Something a message may be saying, with the words that say it.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Whom it is about: `self` for the owner, else a slug such as `project:alpha`.
    pub entity: String,
    /// A predicate of the registry.
    pub predicate: String,
    /// The value, read by the predicate's type: a time as `09:30`, a date as `2026-06-12`, a name in its base form where that
    /// is safe, everything else in the words of the message.
    pub value: String,
    /// The smallest whole clause that says it; stands in the message byte for byte.
    pub quote: String,
    /// How sure the pattern is; 0 to 1.
    pub confidence: f32,
    /// Whether it is said to hold or to have ended.
    pub op: Op,
    /// Since when it is said to hold: a date, or a part of one such as `2025-05`.
    pub valid_from: Option<String>,
    /// Until when it is said to hold, in the same form.
    pub valid_to: Option<String>,
}

impl Draft {
    /// The draft in the shape of the interface, so that it meets the gate like anybody's proposal.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        let mut json = serde_json::json!({
            "entity": self.entity,
            "predicate": self.predicate,
            "value": self.value,
            "quote": self.quote,
            // To two places: single precision would otherwise arrive as 0.8999999761581421.
            "confidence": (f64::from(self.confidence) * 100.0).round() / 100.0,
            "op": match self.op { Op::Assert => "assert", Op::Retract => "retract" },
        });
        for (name, time) in [("valid_from", &self.valid_from), ("valid_to", &self.valid_to)] {
            if let Some(time) = time {
                json[name] = serde_json::Value::from(time.as_str());
            }
        }
        json
    }
}

/// What a draft does to the fact it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// It holds.
    Assert,
    /// It has ended.
    Retract,
}

/// What the patterns find in an owner's message, in the order of the text; at most [`DRAFTS_MAX`].
///
/// `anchor` is the time of the message in its author's zone: relative dates are read against it. Predicates that the registry
/// does not hold are not nominated. The same arguments give the same drafts; no text makes it fail.
pub fn propose(text: &str, anchor: &ZonedDateTime, registry: &Registry) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut asked_from: Option<usize> = None;
    let long = text.len() > ORDER_TEXT_BYTES_MAX;
    for clause in clause::clauses(text) {
        if drafts.len() >= DRAFTS_MAX {
            break;
        }
        let Some(words) = text.get(clause.start..clause.end) else { continue };
        // "Remember: …" is its own clause and speaks for the next.
        let remember_from = asked_from.take();
        let colon = text.get(clause.end..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        if colon && BARE_REMEMBER.is_match(&fold(words)) {
            asked_from = Some(clause.start);
            continue;
        }
        for draft in read_clause(text, &clause, words, remember_from, anchor, registry) {
            let known = drafts.iter().any(|other| {
                other.entity == draft.entity
                    && other.predicate == draft.predicate
                    && other.op == draft.op
                    && fold(&other.value) == fold(&draft.value)
            });
            if !known && drafts.len() < DRAFTS_MAX && (!long || is_standing(&draft)) {
                drafts.push(draft);
            }
        }
    }
    drafts
}

/// An order inside a longer message is about the task that message sets, unless it says "always".
const ORDER_TEXT_BYTES_MAX: usize = 1000;

/// Whether a draft speaks beyond the message it stands in.
fn is_standing(draft: &Draft) -> bool {
    static ALWAYS: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\b(?:always|from now on|uvijek|ubuduce|od sada)\b"));
    let order = matches!(draft.predicate.as_str(), "language" | "communication_style" | "never_do" | "note");
    !order || ALWAYS.is_match(&fold(&draft.quote))
}

static RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| english::rules().into_iter().chain(croatian::rules()).collect());

/// What clauses begin with, by the rule it could be.
static OPENINGS: LazyLock<Openings> = LazyLock::new(|| Openings::of(&RULES));

static BARE_REMEMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:please |molim te )?(?:remember|remember this|zapamti|upamti|zapisi|zabiljezi)$")
});
static REMEMBER: LazyLock<[Regex; 2]> =
    LazyLock::new(|| [pattern(english::REMEMBER), pattern(croatian::REMEMBER)]);

/// Words before a statement that say nothing: greetings, fillers, "just so you know".
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:(?:btw|hey|hi|hello|ok|okay|so|well|also|and|but|actually|fyi|you know|you should know|oh|um|uh|yeah|yes|anyway|plus|please|pls|just so you know|by the way|for the record|note that|note|keep in mind that|",
        r"one more thing|right now|currently|again|honestly|personally|ah|sure|team|then|",
        r"bok|hej|ej|e|ma|evo|eto|inace|usput|znaci|dakle|pa|a|cuj|molim te|molim|molim vas|samo|sad|sada|trenutno|danas|ovako|hm|da|pazi|pozdrav|stvarno|iskreno)\b[,!:]? )+"
    ))
});

/// Words that open an adverbial of place or time, after which the statement begins: "in my spare time I'm building …".
static ADVERBIAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:in|for|after|at|on|since|from|these|lately|recently|usually|as|during|over|next|last|this|",
        r"u|na|za|od|nakon|prije|ove|ovog|ovih|ujutro|navecer|doma|kuci|ljeti|zimi|osim|vikendom|poslije|zadnjih|prosle|prosli|inace|preko|petkom|trenutno|obicno|vec|jos|dugo|odavno|jutros|sinoc|lani)\b"
    ))
});

/// How far into a clause its statement may begin, in words.
const LEAD_WORDS_MAX: usize = 6;

fn read_clause(
    text: &str,
    clause: &Clause,
    words: &str,
    remember_from: Option<usize>,
    anchor: &ZonedDateTime,
    registry: &Registry,
) -> Vec<Draft> {
    let folded = Folded::new(words);
    let folded = if clause.elided_from.is_some() { folded.with_subject() } else { folded };
    let lead = LEAD.find(&folded.text).map_or(0, |lead| lead.end());
    let asked =
        REMEMBER.iter().find_map(|form| form.find(folded.text.get(lead..)?).map(|found| lead + found.end()));
    let said = asked.unwrap_or(lead);
    let mut drafts = Vec::new();
    for start in starts(&folded.text, said) {
        drafts = read_at(clause, &folded, start, anchor, registry);
        if !drafts.is_empty() {
            break;
        }
    }
    if drafts.is_empty() && (asked.is_some() || remember_from.is_some()) {
        drafts.extend(note(text, clause, &folded, said, registry));
    }
    let mut kept = Vec::with_capacity(drafts.len());
    for (mut draft, range) in drafts {
        let mut start = clause.start + range.0;
        if let Some(subject) = clause.elided_from {
            start = subject;
        }
        if asked.is_some() && draft.predicate == "note" {
            start = clause.start + folded.origin(lead);
        }
        if let Some(from) = remember_from.filter(|_| draft.predicate == "note") {
            start = from;
        }
        let Some(quote) = text.get(start..clause.start + range.1) else { continue };
        let quote = quote.trim();
        if quote.chars().count() < 3 || quote.chars().count() > 600 {
            continue;
        }
        draft.quote = quote.to_owned();
        kept.push(draft);
    }
    kept
}

/// The places of a clause at which its statement may begin.
fn starts(folded: &str, said: usize) -> Vec<usize> {
    let mut starts = vec![said];
    let rest = folded.get(said..).unwrap_or_default();
    if ADVERBIAL.is_match(rest) {
        starts.extend(rest.match_indices(' ').map(|(at, _)| said + at + 1).take(LEAD_WORDS_MAX));
    }
    starts
}

/// Drafts without their quotes, each with the range of original bytes of the clause that says it.
fn read_at(
    clause: &Clause,
    folded: &Folded<'_>,
    start: usize,
    anchor: &ZonedDateTime,
    registry: &Registry,
) -> Vec<(Draft, (usize, usize))> {
    let interval = when::interval(&folded.text, anchor);
    let limit =
        interval.as_ref().filter(|span| span.start > start).map_or(folded.text.len(), |span| span.start);
    let mut drafts = Vec::new();
    let Some(said) = folded.text.get(start..) else { return drafts };
    for rule in OPENINGS.possible(said).into_iter().filter_map(|number| RULES.get(number)) {
        let Some(predicate) = registry.get(rule.predicate) else { continue };
        let bounded =
            predicate.shape == Shape::State && rule.op == Op::Assert && predicate.value != ValueType::Date;
        let limit = if bounded { limit } else { folded.text.len() };
        let Some(taken) = rule.take(folded, start, limit, clause.appositive, anchor) else { continue };
        // "I prefer clear, short and simple words": the first words of a list are not what is preferred.
        if rule.predicate == "prefers"
            && clause.listed
            && taken.values.iter().all(|value| !value.contains(' '))
        {
            continue;
        }
        let (mut from, mut to) = (folded.origin(start), folded.origin(taken.end));
        if clause.elided_from.is_some() {
            from = 0;
        }
        let span = interval.as_ref().filter(|_| bounded);
        if let Some(span) = span {
            from = from.min(folded.origin(span.start));
            to = to.max(folded.origin(span.end));
        }
        for value in taken.values {
            let draft = Draft {
                entity: taken.entity.clone().unwrap_or_else(|| "self".to_owned()),
                predicate: rule.predicate.to_owned(),
                value,
                quote: String::new(),
                confidence: rule.confidence,
                op: rule.op,
                valid_from: span.and_then(|span| span.valid_from.clone()),
                valid_to: span.and_then(|span| span.valid_to.clone()),
            };
            drafts.push((draft, (from, to)));
        }
        if !rule.also {
            break;
        }
    }
    drafts
}

/// What was asked to be remembered, in its own words, when no pattern knows it better.
fn note(
    text: &str,
    clause: &Clause,
    folded: &Folded<'_>,
    said: usize,
    registry: &Registry,
) -> Option<(Draft, (usize, usize))> {
    registry.get("note")?;
    let start = folded.origin(said);
    let value = text.get(clause.start + start..clause.sentence_end)?.trim();
    let mut words = value.split_whitespace();
    let first = fold(words.next()?);
    let points = matches!(
        first.as_str(),
        "it" | "this"
            | "that"
            | "me"
            | "to"
            | "when"
            | "how"
            | "you"
            | "we"
            | "your"
            | "ti"
            | "mi"
            | "ovo"
            | "kad"
            | "kako"
    );
    if points || words.next().is_none() {
        return None;
    }
    let draft = Draft {
        entity: "self".to_owned(),
        predicate: "note".to_owned(),
        value: value.to_owned(),
        quote: String::new(),
        confidence: 0.9,
        op: Op::Assert,
        valid_from: None,
        valid_to: None,
    };
    Some((draft, (start, clause.sentence_end - clause.start)))
}
