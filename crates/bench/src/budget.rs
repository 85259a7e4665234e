//! How much of the evidence stands in what a model is handed, when there is room for so much and no more.
//!
//! The questions are BEAM's. A packet is filled from each system's ranking, best first: as many messages as there are slots, or
//! as fit the tokens; what does not fit is passed over and the next is tried, as the product does. Tokens are counted by
//! the product's counter over whole packets, handles and first and last line included. Everyone's messages are shown in
//! full; a second pair of tables shows excerpts of 400 characters around the first word asked for, Testimony's as the
//! product tells them. An excerpt counts when it is of the right message, whether or not the answer stands in it.

use anyhow::Result;
use engine::tokens::Tokens;
use ledger::packet::{PACKET_BEGINS, PACKET_ENDS, TokenCounter as _};
use ledger::time::Instant;

use crate::beam;
use crate::compare::Setting;
use crate::machine::Limits;
use crate::measure::{Samples, digits};
use crate::report::{Figure, Report, Table};
use crate::retrieval::{Hit, Passage, Question, Searcher, Step, Timeline, play};
use crate::score::{Interval, bootstrap};
use crate::searcher::{self, Testimony, words};

/// The numbers of slots looked at.
pub const SLOTS: &[usize] = &[4, 8, 12, 24];

/// The budgets looked at, in tokens.
pub const TOKENS: &[u32] = &[350, 700, 1_000, 1_400, 2_000];

/// The longest excerpt, in characters: that of the product.
const EXCERPT_CHARS: usize = 400;

/// How a message is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Telling {
    /// In full.
    Whole,
    /// The part around the words asked for.
    Excerpt,
}

impl Telling {
    const ALL: [Self; 2] = [Self::Whole, Self::Excerpt];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "messages in full",
            Self::Excerpt => "excerpts",
        }
    }
}

/// A packet under construction: what each line costs and whether it is evidence.
struct Line<'passage> {
    tokens: u32,
    id: &'passage str,
}

/// What a packet costs before its first item.
fn overhead() -> u32 {
    Tokens.count(&format!("{PACKET_BEGINS}\n")) + Tokens.count(PACKET_ENDS)
}

/// The share of the evidence among the first `slots` lines, and what they cost.
fn within_slots(lines: &[Line<'_>], question: &Question, slots: usize) -> (f64, u32) {
    let taken = &lines[..lines.len().min(slots)];
    (share(taken.iter(), question), overhead() + taken.iter().map(|line| line.tokens).sum::<u32>())
}

/// The share of the evidence among the lines that fit `budget`, best first, and what they cost.
fn within_tokens(lines: &[Line<'_>], question: &Question, budget: u32) -> (f64, u32) {
    let mut spent = overhead();
    let fits = lines.iter().filter(|line| {
        let fits = spent + line.tokens <= budget;
        spent += if fits { line.tokens } else { 0 };
        fits
    });
    let taken: Vec<&Line<'_>> = fits.collect();
    (share(taken.into_iter(), question), spent)
}

fn share<'lines>(lines: impl Iterator<Item = &'lines Line<'lines>>, question: &Question) -> f64 {
    let found = lines.filter(|line| question.evidence.contains(line.id)).count();
    found as f64 / question.evidence.len().max(1) as f64
}

/// The line of a hit in a packet.
fn line(passage: &Passage, hit: &Hit, question: &Question, telling: Telling) -> String {
    let line = match telling {
        Telling::Whole => passage.line(),
        Telling::Excerpt => {
            hit.told.clone().unwrap_or_else(|| passage.line_of(excerpt(&passage.text, &question.text)))
        }
    };
    format!("[M12] {line}\n")
}

/// 400 characters from the first word of the question on, or the first 400.
fn excerpt<'text>(text: &'text str, question: &str) -> &'text str {
    let lower = text.to_lowercase();
    let begin = match lower.len() == text.len() {
        true => words(question).filter_map(|word| lower.find(&word)).min().unwrap_or(0),
        false => 0,
    };
    let rest = text.get(begin..).unwrap_or(text);
    rest.char_indices().nth(EXCERPT_CHARS).map_or(rest, |(end, _)| &rest[..end])
}

/// One cell: the share of evidence of every question, and the tokens.
#[derive(Clone, Default)]
struct Cell {
    shares: Vec<f64>,
    tokens: Samples,
}

impl Cell {
    fn push(&mut self, (share, tokens): (f64, u32)) {
        self.shares.push(share);
        self.tokens.push(f64::from(tokens));
    }

    fn interval(&self, groups: &[&str]) -> Interval {
        bootstrap(&self.shares, groups)
    }

    fn text(&self, groups: &[&str]) -> String {
        format!("{} at {}", self.interval(groups).text(), digits(self.tokens.mean()))
    }
}

/// Everything about one system.
struct Curve {
    system: String,
    groups: Vec<String>,
    searches: Samples,
    /// By telling, then by slots and by tokens.
    slots: [Vec<Cell>; 2],
    tokens: [Vec<Cell>; 2],
}

fn curve(searcher: &mut dyn Searcher, timelines: &[Timeline]) -> Result<Curve> {
    let mut curve = Curve {
        system: searcher.name().to_owned(),
        groups: Vec::new(),
        searches: Samples::default(),
        slots: [vec![Cell::default(); SLOTS.len()], vec![Cell::default(); SLOTS.len()]],
        tokens: [vec![Cell::default(); TOKENS.len()], vec![Cell::default(); TOKENS.len()]],
    };
    for timeline in timelines {
        play(searcher, timeline, &mut |said, question, hits| {
            if question.evidence.is_empty() {
                return;
            }
            curve.groups.push(timeline.name.clone());
            curve.searches.push(hits.took.as_secs_f64() * 1e3);
            for (place, telling) in Telling::ALL.into_iter().enumerate() {
                let lines: Vec<Line<'_>> = hits
                    .deep
                    .iter()
                    .map(|hit| {
                        let passage = said[hit.place];
                        Line { tokens: Tokens.count(&line(passage, hit, question, telling)), id: &passage.id }
                    })
                    .collect();
                for (cell, slots) in curve.slots[place].iter_mut().zip(SLOTS) {
                    cell.push(within_slots(&lines, question, *slots));
                }
                for (cell, budget) in curve.tokens[place].iter_mut().zip(TOKENS) {
                    cell.push(within_tokens(&lines, question, *budget));
                }
            }
        })?;
    }
    Ok(curve)
}

/// What the packets of turns hold: the product's own way, from facts the rules found, not from messages.
fn turns(timelines: &[Timeline]) -> Result<(Vec<Cell>, Vec<String>, f64)> {
    let mut cells = vec![Cell::default(); TOKENS.len()];
    let mut groups = Vec::new();
    let mut items = Samples::default();
    for timeline in timelines {
        let mut testimony = Testimony::words();
        testimony.begin(&timeline.name, timeline.sort)?;
        let mut latest = Instant::default();
        let said: Vec<&Passage> = timeline.passages().collect();
        for step in &timeline.steps {
            if let Step::Say(passages) = step {
                testimony.observe(passages)?;
                latest = passages.iter().filter_map(|passage| passage.said).fold(latest, Instant::max);
            }
        }
        for question in timeline.questions().filter(|question| !question.evidence.is_empty()) {
            groups.push(timeline.name.clone());
            for (cell, budget) in cells.iter_mut().zip(TOKENS) {
                let packed = testimony.packet(&question.text, latest, *budget)?;
                let lines: Vec<Line<'_>> =
                    packed.places.iter().map(|place| Line { tokens: 0, id: &said[*place].id }).collect();
                cell.push((share(lines.iter(), question), packed.tokens));
                items.push(packed.items as f64);
            }
        }
    }
    Ok((cells, groups, items.mean()))
}

/// Runs the instrument.
///
/// # Errors
/// When the data cannot be read, or as the systems.
pub fn run(setting: &Setting) -> Result<Report> {
    let mut timelines = beam::timelines()?;
    if let Some(half) = setting.half {
        timelines.retain(|timeline| timeline.questions().any(|question| question.half == half));
    }
    let mut report = Report::new(
        "How much of the evidence stands in a packet",
        "bench budget",
        Limits::measure(&setting.directory)?,
    );
    let systems = searcher::only(searcher::all(setting.embedder.as_ref()), &setting.systems)?;
    let mut curves = Vec::new();
    for mut system in systems {
        eprintln!("{}…", system.name());
        curves.push(curve(&mut *system, &timelines)?);
    }
    for (place, telling) in Telling::ALL.into_iter().enumerate() {
        let columns: Vec<String> = SLOTS.iter().map(|slots| format!("{slots} slots")).collect();
        let cells = |curve: &Curve| curve.slots[place].clone();
        table(&mut report, ("slots", telling), &columns, &curves, &cells);
        let columns: Vec<String> = TOKENS.iter().map(|tokens| format!("{tokens} tokens")).collect();
        let cells = |curve: &Curve| curve.tokens[place].clone();
        table(&mut report, ("tokens", telling), &columns, &curves, &cells);
    }
    let (cells, groups, items) = turns(&timelines)?;
    let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
    let columns: Vec<String> = TOKENS.iter().map(|tokens| format!("{tokens} tokens")).collect();
    let mut names = vec!["policy"];
    names.extend(columns.iter().map(String::as_str));
    let mut table = Table::new("Turns as they are: 12 slots of facts, evidence behind them", &names);
    table.row(std::iter::once("as shipped".to_owned()).chain(cells.iter().map(|cell| cell.text(&groups))));
    report.tables.push(table);
    everything(&mut report, &timelines);
    let mut latency = Table::new("Search for 10", &["system", "p50 ms", "p99 ms"]);
    for curve in &curves {
        latency.row([
            curve.system.clone(),
            digits(curve.searches.quantile(0.5)),
            digits(curve.searches.quantile(0.99)),
        ]);
    }
    report.tables.push(latency);
    report.notes.push(
        "A cell is the mean share of a question's evidence in the packet with its 95 % interval, and the mean tokens the packet took. \
         Rankings end after a hundred messages. With whole messages more room can hold less evidence: one long reply that now fits \
         takes the place of several short messages."
            .to_owned(),
    );
    report.notes.push(format!(
        "A turn's packet holds facts, on average {items:.1} here, which `rules/1` found in the owner's messages without a model; most of \
         what BEAM asks about is in no such fact."
    ));
    Ok(report)
}

fn table(
    report: &mut Report,
    (kind, telling): (&str, Telling),
    columns: &[String],
    curves: &[Curve],
    cells: &dyn Fn(&Curve) -> Vec<Cell>,
) {
    let mut names = vec!["system"];
    names.extend(columns.iter().map(String::as_str));
    let mut table = Table::new(&format!("By {kind}, {}", telling.as_str()), &names);
    for curve in curves {
        let groups: Vec<&str> = curve.groups.iter().map(String::as_str).collect();
        let cells = cells(curve);
        table.row(std::iter::once(curve.system.clone()).chain(cells.iter().map(|cell| cell.text(&groups))));
        for (column, cell) in columns.iter().zip(&cells) {
            report.figures.push(Figure {
                system: curve.system.clone(),
                level: column.clone(),
                group: telling.as_str().to_owned(),
                metric: "share of evidence".to_owned(),
                questions: cell.shares.len(),
                value: cell.interval(&groups),
            });
        }
    }
    report.tables.push(table);
}

/// What handing over everything would take.
fn everything(report: &mut Report, timelines: &[Timeline]) {
    let mut tokens = Samples::default();
    for timeline in timelines {
        let total: u32 =
            timeline.passages().map(|passage| Tokens.count(&format!("{}\n", passage.line()))).sum();
        tokens.push(f64::from(total));
    }
    let mut table = Table::new("Full context", &["share of evidence", "tokens, mean", "tokens, most"]);
    table.row(["1.000".to_owned(), digits(tokens.mean()), digits(tokens.quantile(1.0))]);
    report.tables.push(table);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn lines(costs: &[(u32, &'static str)]) -> Vec<Line<'static>> {
        costs.iter().map(|(tokens, id)| Line { tokens: *tokens, id }).collect()
    }

    fn question(evidence: &[&str]) -> Question {
        let evidence: BTreeSet<String> = evidence.iter().map(|id| (*id).to_owned()).collect();
        Question { evidence, ..Question::default() }
    }

    #[test]
    fn slots_take_the_first() {
        let lines = lines(&[(10, "a"), (20, "b"), (30, "c")]);
        assert_eq!(within_slots(&lines, &question(&["b", "c"]), 2), (0.5, overhead() + 30));
        assert_eq!(within_slots(&lines, &question(&["b", "c"]), 8), (1.0, overhead() + 60));
    }

    #[test]
    fn what_does_not_fit_is_passed_over() {
        let lines = lines(&[(10, "a"), (500, "b"), (30, "c")]);
        let budget = overhead() + 40;
        assert_eq!(within_tokens(&lines, &question(&["b", "c"]), budget), (0.5, budget));
        assert_eq!(within_tokens(&lines, &question(&["b", "c"]), budget - 1), (0.0, overhead() + 10));
    }

    #[test]
    fn an_excerpt_begins_where_a_word_asked_for_stands() {
        let text = format!("{} The deadline is March 15.", "x ".repeat(300));
        assert!(
            excerpt(&text, "What is my deadline?").starts_with("deadline")
                || excerpt(&text, "deadline?").starts_with("deadline")
        );
        assert_eq!(excerpt("short", "nothing of it"), "short");
        assert_eq!(excerpt(&text, "nowhere").chars().count(), EXCERPT_CHARS);
    }
}
