//! 26 years of header changes, observed as what documents said, and every one asked back on both clocks.
//!
//! Three passes over the same events. *As it happened*: each is observed at its own instant, so belief keeps pace with the
//! world. *Later, in order* and *later, shuffled*: all are observed long afterwards, one a second, so everything the
//! world clock says is late evidence. After each pass "field F of PEP N" is asked for every event, at the instant
//! before, at and after it, on the world's clock, on the belief clock, and on both at once; what must come out is worked
//! out here from the list of events alone, with no code of the ledger.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use engine::observe::{Message, Observing};
use engine::recall::About;
use engine::{Call, Engine};
use ledger::scope::Scope;
use ledger::time::Instant;
use serde_json::{Value as Json, json};

use crate::data::{HeaderEvent, header_events};
use crate::machine::Limits;
use crate::measure::{Chance, Samples, digits, time};
use crate::report::{Report, Table};
use crate::stores::{StoreKind, engine, scope};

/// How the events are observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// Each at its own instant.
    AsItHappened,
    /// All later, one a second, in the order they happened.
    LaterInOrder,
    /// All later, one a second, in any order; of two at one instant the later still comes later.
    LaterShuffled,
}

impl Pass {
    /// All three.
    pub const ALL: &'static [Self] = &[Self::AsItHappened, Self::LaterInOrder, Self::LaterShuffled];

    /// The words for reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AsItHappened => "as it happened",
            Self::LaterInOrder => "all later, in order",
            Self::LaterShuffled => "all later, shuffled",
        }
    }
}

/// When the later passes begin; one second an event.
const LATER_MICROS: i64 = 1_800_000_000_000_000;

/// An event with the instant it was observed at.
#[derive(Clone, Debug)]
struct Observed {
    event: HeaderEvent,
    observed_at: Instant,
}

/// What one pass found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Events handed in.
    pub events: usize,
    /// Events whose claim was admitted.
    pub admitted: usize,
    /// Claims the gate refused, with what it said.
    pub refused: Vec<String>,
    /// Reads that gave what the list of events says.
    pub right: BTreeMap<&'static str, usize>,
    /// Reads that did not, told in full.
    pub wrong: Vec<String>,
    /// How long observing took, each event acknowledged before the next.
    pub observing: Duration,
    /// How long each read took, in microseconds.
    pub reads: Samples,
}

/// Plays one pass on `engine`, every `step`-th PEP only.
///
/// # Errors
/// As the engine's verbs.
pub fn play(engine: &Engine, scope: &Scope, pass: Pass, step: u32) -> Result<Outcome> {
    let mut events = header_events()?;
    events.retain(|event| event.pep % step.max(1) == 0);
    if pass == Pass::LaterShuffled {
        shuffle(&mut events);
    }
    let observed: Vec<Observed> = events
        .into_iter()
        .enumerate()
        .map(|(place, event)| {
            let observed_at = match pass {
                Pass::AsItHappened => event.at,
                _ => Instant::from_micros(LATER_MICROS + place as i64 * 1_000_000),
            };
            Observed { event, observed_at }
        })
        .collect();
    let mut outcome = Outcome { events: observed.len(), ..Outcome::default() };
    let messages: Vec<(Instant, Message)> = observed
        .iter()
        .map(|observed| Ok((observed.observed_at, message(&observed.event)?)))
        .collect::<Result<_>>()?;
    let (observing, took) = time(|| -> Result<()> {
        for (now, message) in messages {
            let text = message.text.clone();
            for answer in engine.observe(Call { scope, now }, vec![message], Observing::default())? {
                outcome.admitted += answer.admitted.len();
                let refused =
                    answer.refused.iter().map(|no| format!("{}: {} ({text:?})", no.code, no.detail));
                outcome.refused.extend(refused);
            }
        }
        Ok(())
    });
    observing?;
    outcome.observing = took;
    ask(engine, scope, &observed, &mut outcome)?;
    Ok(outcome)
}

/// Any order, but of two events of one header at one instant the later line stays later.
fn shuffle(events: &mut [HeaderEvent]) {
    let mut chance = Chance::new(2_617);
    for place in (1..events.len()).rev() {
        events.swap(place, chance.below(place + 1));
    }
    for later in 0..events.len() {
        for earlier in 0..later {
            let (one, other) = (&events[earlier], &events[later]);
            let tied = one.pep == other.pep && one.field == other.field && one.at == other.at;
            if tied && one.line > other.line {
                events.swap(earlier, later);
            }
        }
    }
}

/// The event as evidence: the head of the document as it stood, and the header line quoted from it.
fn message(event: &HeaderEvent) -> Result<Message> {
    let value = event.value.as_deref().unwrap_or_default();
    let line = format!("{}: {value}", event.field).trim_end().to_owned();
    let mut proposal = json!({
        "entity": event.entity(), "predicate": event.predicate(), "confidence": 1.0, "quote": line,
    });
    match &event.value {
        Some(value) => proposal["value"] = json!(value),
        None => proposal["op"] = json!("retract"),
    }
    let text = format!("PEP: {}\n{line}\n", event.pep);
    Ok(serde_json::from_value(json!({
        "source": {"kind": "document", "ref": format!("pep-{:04}", event.pep)},
        "author": "external",
        "event_time": event.at.to_string(),
        "external_id": format!("header-event-{}", event.line),
        "text": text,
        "proposals": [proposal],
        "proposer": "header",
    }))?)
}

/// What a header said at `valid_at`, given only what had been observed by `believed_at`.
fn truth(events: &[&Observed], valid_at: Instant, believed_at: Instant) -> Option<String> {
    events
        .iter()
        .filter(|one| one.observed_at <= believed_at && one.event.at <= valid_at)
        .max_by_key(|one| (one.event.at, one.event.line))
        .and_then(|one| one.event.value.clone())
}

fn ask(engine: &Engine, scope: &Scope, observed: &[Observed], outcome: &mut Outcome) -> Result<()> {
    let mut by_header: BTreeMap<(u32, &str), Vec<&Observed>> = BTreeMap::new();
    for one in observed {
        by_header.entry((one.event.pep, one.event.field.as_str())).or_default().push(one);
    }
    let now = Instant::from_micros(LATER_MICROS * 2);
    let around = |at: Instant| [Instant::from_micros(at.micros() - 1), at, at.next()];
    for events in by_header.values() {
        for one in events {
            let world = around(one.event.at).map(|at| ("world clock", at, None));
            let belief = around(one.observed_at).map(|at| ("belief clock", now, Some(at)));
            let both = around(one.event.at)
                .into_iter()
                .zip(around(one.observed_at))
                .map(|(valid, believed)| ("both clocks", valid, Some(believed)));
            for (clock, valid_at, believed_at) in world.into_iter().chain(belief).chain(both) {
                let about = About {
                    predicate: Some(one.event.predicate().to_owned()),
                    valid_at: Some(valid_at),
                    believed_at,
                    ..About::entity(&one.event.entity())
                };
                let (answer, took) = time(|| engine.facts_about(Call { scope, now }, &about));
                outcome.reads.push_micros(took);
                let answer: Vec<Json> = answer?.items.into_iter().map(|item| item.value).collect();
                let must = truth(events, valid_at, believed_at.unwrap_or(Instant::MAX));
                let must: Vec<Json> = must.into_iter().map(Json::String).collect();
                if answer == must {
                    *outcome.right.entry(clock).or_default() += 1;
                } else {
                    outcome.wrong.push(format!(
                        "{} of PEP {} valid at {valid_at}, believed at {believed_at:?}: {answer:?}, must be {must:?}",
                        one.event.field, one.event.pep
                    ));
                }
            }
        }
    }
    Ok(())
}

/// The instrument.
///
/// # Errors
/// As the engine's verbs.
pub fn run(kinds: &[StoreKind], directory: &std::path::Path, runs: usize) -> Result<Report> {
    let mut report = Report::new("PEP headers on two clocks", "bench peps", Limits::measure(directory)?);
    let mut table = Table::new(
        "Header events observed one by one, then asked back",
        &[
            "store",
            "pass",
            "events",
            "admitted",
            "events/s, median (min–max)",
            "seconds",
            "world clock",
            "belief clock",
            "both clocks",
            "wrong",
            "read µs p50",
            "p99",
        ],
    );
    for kind in kinds {
        for pass in Pass::ALL {
            let (mut rates, mut last) = (Samples::default(), None);
            for _ in 0..runs.max(1) {
                let place = tempfile::tempdir_in(directory)?;
                let engine = engine(kind.open(place.path())?);
                let outcome = play(&engine, &scope("peps")?, *pass, 1)?;
                rates.push(outcome.events as f64 / outcome.observing.as_secs_f64());
                last = Some(outcome);
            }
            let Some(outcome) = last else { continue };
            let right = |clock| outcome.right.get(clock).copied().unwrap_or(0).to_string();
            table.row([
                kind.as_str().to_owned(),
                pass.as_str().to_owned(),
                outcome.events.to_string(),
                outcome.admitted.to_string(),
                rates.spread(),
                digits(outcome.observing.as_secs_f64()),
                right("world clock"),
                right("belief clock"),
                right("both clocks"),
                outcome.wrong.len().to_string(),
                digits(outcome.reads.median()),
                digits(outcome.reads.quantile(0.99)),
            ]);
            report.must(outcome.admitted == outcome.events, || {
                format!("{}: {} events were not admitted", pass.as_str(), outcome.events - outcome.admitted)
            });
            report.failures.extend(outcome.refused.into_iter().take(10));
            report.failures.extend(outcome.wrong.into_iter().take(10));
        }
    }
    report.tables.push(table);
    report.notes.push(
        "Two pairs of events share an instant (PEP 230 Status, PEP 532 Title); the later line of the file is the later change and wins."
            .to_owned(),
    );
    report.notes.push(
        "Of PEP 477 and PEP 751 two dates are out of order as text (they carry different offsets) and in order as instants.".to_owned(),
    );
    report
        .notes
        .push("A few events come from header examples inside PEP bodies (PEP 1, 12); they are events like the others here.".to_owned());
    Ok(report)
}
