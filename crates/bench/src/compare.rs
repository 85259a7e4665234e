//! Several systems on one data set, side by side: scores with intervals, paired differences, kinds, halves, cost.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use inference::embed::Embed;
use serde_json::json;

use crate::machine::Limits;
use crate::measure::{Samples, digits};
use crate::report::{Figure, Report, Table};
use crate::retrieval::{Answered, Half, Question, Run, Searcher, Timeline, run};
use crate::score::{GROUPS_MIN, Interval, Metric, RESAMPLES, bootstrap, score, separation};
use crate::searcher;

/// How a comparison is made.
#[derive(Clone, Default)]
pub struct Setting {
    /// Where scratch files go.
    pub directory: PathBuf,
    /// The embedder, for the systems that need one.
    pub embedder: Option<Arc<dyn Embed>>,
    /// The systems by name; all of them when empty.
    pub systems: Vec<String>,
    /// Only the questions of one half are scored.
    pub half: Option<Half>,
    /// A file that gets a line of JSON for every answer.
    pub details: Option<PathBuf>,
}

/// What counts as found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The very passage.
    Passage,
    /// Any passage of its session.
    Session,
}

impl Level {
    /// The ranking of an answer at this level.
    #[must_use]
    pub fn ranked(self, answer: &Answered) -> &[String] {
        match self {
            Self::Passage => &answer.passages,
            Self::Session => &answer.sessions,
        }
    }

    /// The evidence of a question at this level.
    #[must_use]
    pub fn evidence(self, question: &Question) -> &BTreeSet<String> {
        match self {
            Self::Passage => &question.evidence,
            Self::Session => &question.sessions,
        }
    }
}

/// Figures of one data set that belong together.
#[derive(Clone, Copy, Debug)]
pub struct View<'view> {
    /// What is counted as found, in the words of the data set: `message`, `session`, `sentence`.
    pub name: &'view str,
    /// The level.
    pub level: Level,
    /// The figures shown.
    pub metrics: &'view [Metric],
}

/// The figures most instruments show.
pub const USUAL: &[Metric] = &[Metric::Recall5, Metric::Recall10, Metric::Gain10, Metric::Reciprocal];

/// Lets the systems of a setting live through the timelines, `more` after the usual ones.
///
/// # Errors
/// As the systems, or when a system is named that is none.
pub fn compare(setting: &Setting, timelines: &[Timeline], more: Vec<Box<dyn Searcher>>) -> Result<Vec<Run>> {
    let mut systems = searcher::all(setting.embedder.as_ref());
    systems.extend(more);
    let systems = searcher::only(systems, &setting.systems)?;
    let half = |question: &Question| setting.half.is_none_or(|half| question.half == half);
    let wanted: Vec<Timeline> =
        timelines.iter().filter(|timeline| timeline.questions().any(half)).cloned().collect();
    let mut runs = Vec::with_capacity(systems.len());
    for mut system in systems {
        eprintln!("{}…", system.name());
        let mut done = run(&mut *system, &wanted)?;
        done.answers.retain(|answer| half(&answer.question));
        runs.push(done);
    }
    if let Some(path) = &setting.details {
        write_details(path, &runs)?;
    }
    Ok(runs)
}

/// Writes every answer as a line of JSON: where each piece of evidence stands, and the ranking it stands in.
#[allow(clippy::disallowed_methods, reason = "a file the caller of the instrument named")]
fn write_details(path: &Path, runs: &[Run]) -> Result<()> {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("`{}`", path.display()))?;
    for run in runs {
        for answer in &run.answers {
            let places = |ranked: &[String], evidence: &BTreeSet<String>| -> serde_json::Value {
                let place = |id: &String| ranked.iter().position(|found| found == id).map(|place| place + 1);
                evidence
                    .iter()
                    .map(|id| (id.clone(), json!(place(id))))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            };
            let line = json!({
                "system": run.system,
                "timeline": answer.timeline,
                "question": answer.question.id,
                "kind": answer.question.kind,
                "half": answer.question.half.as_str(),
                "text": answer.question.text,
                "unanswerable": answer.question.unanswerable,
                "evidence": places(&answer.passages, &answer.question.evidence),
                "sessions": places(&answer.sessions, &answer.question.sessions),
                "ranked": answer.passages,
                "best": answer.best,
            });
            writeln!(file, "{line}")?;
        }
    }
    Ok(())
}

/// A report with everything of a comparison: for each view its figures, then what all views share.
///
/// # Errors
/// When the machine's limits cannot be measured.
pub fn report(
    title: &str,
    command: &str,
    setting: &Setting,
    runs: &[Run],
    views: &[View<'_>],
) -> Result<Report> {
    let mut report = Report::new(title, command, Limits::measure(&setting.directory)?);
    add(&mut report, setting, runs, views);
    explain(&mut report, setting, runs);
    Ok(report)
}

/// Adds the tables of a comparison to a report.
pub fn add(report: &mut Report, setting: &Setting, runs: &[Run], views: &[View<'_>]) {
    for view in views {
        overall(report, runs, *view);
        differences(report, runs, *view);
        by_kind(report, runs, *view);
        if setting.half.is_none() {
            halves(report, runs, *view);
        }
    }
    cost(report, runs);
    silence(report, runs);
}

/// Says what holds for all tables of comparisons.
pub fn explain(report: &mut Report, setting: &Setting, runs: &[Run]) {
    report.notes.push(format!(
        "Intervals are the middle 95 % of {RESAMPLES} means with a fixed seed; with {GROUPS_MIN} or more conversations whole \
         conversations are drawn, else questions. A star marks a difference whose interval excludes zero. They speak of other questions of this sort, not of other data."
    ));
    if let Some(half) = setting.half {
        report.notes.push(format!("only half {} of the questions is scored", half.as_str()));
    }
    for run in runs {
        let unstable = run.answers.iter().filter(|answer| !answer.stable).count();
        if unstable > 0 {
            report.notes.push(format!(
                "{}: {unstable} of {} answers of ten do not begin as the answer of a hundred does; scores are of the latter",
                run.system,
                run.answers.len()
            ));
        }
    }
}

/// The answers that count at a level: those whose question has evidence there.
fn counted(run: &Run, level: Level) -> Vec<&Answered> {
    run.answers.iter().filter(|answer| !level.evidence(&answer.question).is_empty()).collect()
}

/// The mean of a figure over answers, with its interval.
fn figure(answers: &[&Answered], level: Level, metric: Metric) -> Interval {
    let values: Vec<f64> = answers.iter().map(|answer| value(answer, level, metric)).collect();
    let groups: Vec<&str> = answers.iter().map(|answer| answer.timeline.as_str()).collect();
    bootstrap(&values, &groups)
}

fn value(answer: &Answered, level: Level, metric: Metric) -> f64 {
    metric.of(&score(level.ranked(answer), level.evidence(&answer.question)))
}

fn columns<'name>(first: &[&'name str], metrics: &[Metric]) -> Vec<&'name str> {
    first.iter().copied().chain(metrics.iter().map(|metric| metric.as_str())).collect()
}

/// The row of one system over some questions, also as figures for programs.
fn row(
    report: &mut Report,
    table: &mut Table,
    view: View<'_>,
    answers: &[&Answered],
    (group, system): (&str, &str),
    cells: Vec<String>,
) {
    let mut cells = cells;
    for metric in view.metrics {
        let value = figure(answers, view.level, *metric);
        cells.push(value.text());
        report.figures.push(Figure {
            system: system.to_owned(),
            level: view.name.to_owned(),
            group: group.to_owned(),
            metric: metric.as_str().to_owned(),
            questions: answers.len(),
            value,
        });
    }
    table.row(cells);
}

fn overall(report: &mut Report, runs: &[Run], view: View<'_>) {
    let mut table = Table::new(
        &format!("All questions, by {}", view.name),
        &columns(&["system", "questions"], view.metrics),
    );
    for run in runs {
        let answers = counted(run, view.level);
        let cells = vec![run.system.clone(), answers.len().to_string()];
        row(report, &mut table, view, &answers, ("all", &run.system), cells);
    }
    report.tables.push(table);
}

/// What the first system has more than each other one, question by question.
fn differences(report: &mut Report, runs: &[Run], view: View<'_>) {
    let Some((first, others)) = runs.split_first().filter(|(_, others)| !others.is_empty()) else { return };
    let title = format!("{} less each other system, by {}, paired", first.system, view.name);
    let mut table = Table::new(&title, &columns(&["less"], view.metrics));
    let own = counted(first, view.level);
    let groups: Vec<&str> = own.iter().map(|answer| answer.timeline.as_str()).collect();
    for other in others {
        let theirs = counted(other, view.level);
        let mut cells = vec![other.system.clone()];
        for metric in view.metrics {
            let pairs = own.iter().zip(&theirs);
            let values: Vec<f64> = pairs
                .map(|(one, other)| value(one, view.level, *metric) - value(other, view.level, *metric))
                .collect();
            let interval = bootstrap(&values, &groups);
            let mark = if interval.excludes_zero() { " *" } else { "" };
            cells.push(format!("{}{mark}", interval.signed()));
            report.figures.push(Figure {
                system: format!("{} less {}", first.system, other.system),
                level: view.name.to_owned(),
                group: "all".to_owned(),
                metric: metric.as_str().to_owned(),
                questions: values.len(),
                value: interval,
            });
        }
        table.row(cells);
    }
    report.tables.push(table);
}

fn by_kind(report: &mut Report, runs: &[Run], view: View<'_>) {
    let kinds: BTreeSet<&str> = runs
        .iter()
        .flat_map(|run| counted(run, view.level))
        .map(|answer| answer.question.kind.as_str())
        .collect();
    if kinds.len() < 2 {
        return;
    }
    let title = format!("By kind, by {}", view.name);
    let mut table = Table::new(&title, &columns(&["kind", "questions", "system"], view.metrics));
    for kind in kinds {
        for run in runs {
            let mut answers = counted(run, view.level);
            answers.retain(|answer| answer.question.kind == kind);
            let cells = vec![kind.to_owned(), answers.len().to_string(), run.system.clone()];
            row(report, &mut table, view, &answers, (kind, &run.system), cells);
        }
    }
    report.tables.push(table);
}

fn halves(report: &mut Report, runs: &[Run], view: View<'_>) {
    let title = format!("Each half, by {}", view.name);
    let mut table = Table::new(&title, &columns(&["half", "questions", "system"], view.metrics));
    for half in [Half::A, Half::B] {
        for run in runs {
            let mut answers = counted(run, view.level);
            answers.retain(|answer| answer.question.half == half);
            if answers.is_empty() {
                return;
            }
            let group = format!("half {}", half.as_str());
            let cells = vec![half.as_str().to_owned(), answers.len().to_string(), run.system.clone()];
            row(report, &mut table, view, &answers, (&group, &run.system), cells);
        }
    }
    report.tables.push(table);
}

fn cost(report: &mut Report, runs: &[Run]) {
    let mut table = Table::new(
        "Cost",
        &[
            "system",
            "passages",
            "taking one in, µs",
            "search for 10, p50 ms",
            "p99 ms",
            "tokens of 10 as told, mean",
            "tokens of 10 in full, mean",
        ],
    );
    for run in runs {
        let mut searches = Samples::default();
        run.answers.iter().for_each(|answer| searches.push(answer.took.as_secs_f64() * 1e3));
        let mean = |tokens: fn(&Answered) -> u32| {
            let total: u64 = run.answers.iter().map(|answer| u64::from(tokens(answer))).sum();
            digits(total as f64 / run.answers.len().max(1) as f64)
        };
        table.row([
            run.system.clone(),
            run.passages.to_string(),
            digits(run.observing.as_secs_f64() * 1e6 / run.passages.max(1) as f64),
            digits(searches.quantile(0.5)),
            digits(searches.quantile(0.99)),
            mean(|answer| answer.tokens_told),
            mean(|answer| answer.tokens_whole),
        ]);
    }
    report.tables.push(table);
}

/// Whether the best score tells questions that have an answer from those that have none.
fn silence(report: &mut Report, runs: &[Run]) {
    let mut table = Table::new(
        "Questions nothing answers",
        &[
            "system",
            "such questions",
            "answered with nothing",
            "chance that an answerable question scores higher",
        ],
    );
    for run in runs {
        let (without, with): (Vec<&Answered>, Vec<&Answered>) =
            run.answers.iter().partition(|answer| answer.question.unanswerable);
        let best = |answers: &[&Answered]| answers.iter().map(|answer| answer.best).collect::<Vec<f64>>();
        let Some(chance) = separation(&best(&with), &best(&without)) else { return };
        let silent = without.iter().filter(|answer| answer.passages.is_empty()).count();
        table.row([
            run.system.clone(),
            without.len().to_string(),
            silent.to_string(),
            format!("{chance:.3}"),
        ]);
    }
    report.tables.push(table);
}
