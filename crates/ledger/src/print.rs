//! The whole ledger as text, for people and for tests that compare it.
//!
//! Sealed ids differ from store to store, so things are numbered in the order of their appearance: claim 1 is the first
//! claim printed, whatever the store calls it. The same memory gives the same text. It is for
//! reading: its shape may change with any version, and nothing parses it.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::claim::{Claim, Op};
use crate::fact::{Act, ActKind, Apart};
use crate::id::{ClaimId, FactId, Position, SourceId, VersionId};
use crate::memory::{Fact, Memory, Version};
use crate::packet::fidelity_word;
use crate::registry::Registry;
use crate::time::{AsOf, Instant, Span};

/// Prints everything an observer at `as_of` knows: sources, then facts with their versions, both spans of each, what
/// supports it, and what happened.
///
/// Linear in the memory, but for the support of a version, which costs as much as asking for it.
#[must_use]
pub fn print(memory: &Memory, registry: &Registry, as_of: &AsOf) -> String {
    let mut printer = Printer { memory, registry, as_of, text: String::new(), numbers: Numbers::default() };
    printer.sources();
    for fact in memory.facts() {
        printer.fact(fact);
    }
    if printer.text.is_empty() {
        printer.text.push_str("nothing is remembered\n");
    }
    printer.text
}

/// An instant as people write it, in UTC: to the minute where that says it all.
#[must_use]
pub fn moment(instant: Instant) -> String {
    if instant == Instant::MIN {
        return "the beginning".to_owned();
    }
    let format = match instant.micros().rem_euclid(60_000_000) {
        0 => "%Y-%m-%d %H:%M",
        rest if rest % 1_000_000 == 0 => "%Y-%m-%d %H:%M:%S",
        _ => "%Y-%m-%d %H:%M:%S%.f",
    };
    instant.timestamp().strftime(format).to_string()
}

fn span(span: &Span) -> String {
    match span.to() {
        Some(to) => format!("{} until {}", moment(span.from()), moment(to)),
        None => format!("{} onwards", moment(span.from())),
    }
}

/// Numbers in the order of appearance, kind by kind.
#[derive(Default)]
struct Numbers {
    sources: FxHashMap<SourceId, usize>,
    claims: FxHashMap<ClaimId, usize>,
    facts: FxHashMap<FactId, usize>,
    versions: FxHashMap<VersionId, usize>,
}

fn number<Id: std::hash::Hash + Eq>(known: &mut FxHashMap<Id, usize>, id: Id) -> usize {
    let next = known.len() + 1;
    *known.entry(id).or_insert(next)
}

struct Printer<'read> {
    memory: &'read Memory,
    registry: &'read Registry,
    as_of: &'read AsOf,
    text: String,
    numbers: Numbers,
}

impl Printer<'_> {
    fn line(&mut self, indent: usize, line: &str) {
        // Writing to a string cannot fail.
        _ = writeln!(self.text, "{:indent$}{line}", "");
    }

    fn sources(&mut self) {
        for (id, source) in self.memory.sources().filter(|(id, _)| id.0.seq <= self.as_of.watermark) {
            let number = number(&mut self.numbers.sources, id);
            let mut line = format!(
                "source {number}: {} \u{201c}{}\u{201d}, {}",
                source.kind.as_str(),
                source.reference,
                words(source.fidelity.as_str())
            );
            if source.mode == crate::source::Mode::Living {
                line.push_str(", living");
            }
            if source.retention == crate::source::Retention::Quotes {
                line.push_str(", only quotes kept");
            }
            if let Some(of) = source.copy_of {
                let of = self::number(&mut self.numbers.sources, of);
                _ = write!(line, ", copied from source {of}");
            }
            self.line(0, &line);
        }
    }

    fn fact(&mut self, fact: &Fact) {
        let Some(key) = &fact.key else { return };
        if fact.id.0.seq > self.as_of.watermark {
            return;
        }
        let number = number(&mut self.numbers.facts, fact.id);
        let label = self.registry.get(&key.predicate).map_or(&*key.predicate, |known| known.label.as_str());
        let mut line = format!("fact {number}: {} says: {} \u{b7} {label}", key.realm, key.entity);
        if let Apart::Period(from, to) = key.apart {
            let told = |end: Option<Instant>| end.map_or_else(|| "open".to_owned(), moment);
            _ = write!(line, " of {} to {}", told(from), told(to));
        }
        self.line(0, &line);
        for version in &fact.versions {
            self.version(fact, version);
        }
        self.transitions(fact);
    }

    fn version(&mut self, fact: &Fact, version: &Version) {
        let memory = self.memory;
        let Some(state) = version.state(self.as_of) else { return };
        let number = number(&mut self.numbers.versions, version.id);
        let value = memory.value_of(version).and_then(|claim| claim.words.value()).map(ToString::to_string);
        let now = match (version.is_current(self.as_of), memory.dispute(fact, self.as_of).len() > 1) {
            (true, true) => "in dispute",
            (true, false) => "holds now",
            (false, _) if state.standing == crate::fact::Standing::Retired => "no longer believed",
            (false, _) if state.validity.from() > self.as_of.valid_at => "yet to come",
            (false, _) => "past",
        };
        self.line(2, &format!("version {number}: {} ({now})", value.unwrap_or_default()));
        self.line(6, &format!("valid    {}", span(&state.validity)));
        if let Some((from, to)) = version.belief(self.as_of) {
            let to = to.map_or_else(|| "onwards".to_owned(), |to| format!("until {}", moment(to)));
            self.line(6, &format!("believed {} {to}", moment(from)));
        }
        let lineages = memory.support(fact, version, self.as_of);
        let of = if lineages == 1 {
            "1 independent origin".to_owned()
        } else {
            format!("{lineages} independent origins")
        };
        let fidelity = words(fidelity_word(memory, version, self.as_of));
        self.line(6, &format!("support  {of}, {fidelity}"));
        let claims: Vec<ClaimId> = version.supporting(self.as_of.watermark).collect();
        for id in claims {
            if let Some(claim) = memory.claim(id) {
                self.claim(id, claim);
            }
        }
    }

    fn claim(&mut self, id: ClaimId, claim: &Claim) {
        let claim_number = number(&mut self.numbers.claims, id);
        let source = number(&mut self.numbers.sources, claim.source);
        let quotes: Vec<String> = claim
            .words
            .quotes
            .iter()
            .map(|quote| format!("\u{201c}{}\u{201d}", one_line(quote.text())))
            .collect();
        let at: Vec<String> = claim
            .words
            .quotes
            .iter()
            .map(|quote| format!("{}-{}", quote.span().start, quote.span().end))
            .collect();
        let verb = if claim.op == Op::Retract { "no longer" } else { "said" };
        let inferred = if claim.inferred { ", inferred" } else { "" };
        let line = format!(
            "claim {claim_number}: {verb} {} by {} in source {source}, bytes {}: {}{inferred}",
            moment(claim.event_time),
            claim.author,
            at.join(" and "),
            quotes.join(" and "),
        );
        self.line(6, &line);
    }

    fn transitions(&mut self, fact: &Fact) {
        let mut all: Vec<(Position, &Version, &crate::memory::VersionState)> = fact
            .versions
            .iter()
            .flat_map(|version| version.states.iter().map(move |state| (state.cause, version, state)))
            .filter(|(cause, _, state)| {
                cause.seq <= self.as_of.watermark && state.at <= self.as_of.believed_at
            })
            .collect();
        all.sort_by_key(|(cause, version, _)| (*cause, version.id));
        for (cause, version, state) in all {
            let number = number(&mut self.numbers.versions, version.id);
            let by = match self.memory.act(cause) {
                Some(act) => told(act),
                None => match self.memory.claim(ClaimId(cause)) {
                    Some(claim) if claim.op == Op::Retract => {
                        let first = one_line(claim.words.quotes.first().text());
                        format!("by \u{201c}{first}\u{201d}")
                    }
                    _ => format!("by claim {}", self::number(&mut self.numbers.claims, ClaimId(cause))),
                },
            };
            let line = format!(
                "{} append {}: {} version {number} {by}, valid {}",
                moment(state.at),
                cause.seq,
                state.kind,
                span(&state.validity)
            );
            self.line(2, &line);
        }
    }
}

fn told(act: &Act) -> String {
    match &act.kind {
        ActKind::ResolveDispute { .. } => {
            format!("by {}, because: {}", one_line(&act.words.by), one_line(&act.words.reason))
        }
        ActKind::NewEdition { .. } => "by a new edition".to_owned(),
        ActKind::Withdraw { .. } => "by withdrawal of the source".to_owned(),
        ActKind::Reinstate { .. } => "by return of the source".to_owned(),
        ActKind::Forget { .. } => "by forgetting".to_owned(),
        ActKind::Lift(_) => "by lifting what kept words out".to_owned(),
    }
}

fn words(code: &str) -> String {
    code.replace('_', " ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
