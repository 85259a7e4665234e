//! `testimony shadow`.

mod page;
mod regression;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use engine::EngineError;
use engine::shadow::chart::{Chart, charts};
use ledger::resolve::Policy;
use ledger::shadow::{Day, Event, PolicyName, Rollup, Sampling, Tally};
use ledger::store::StoreError;
use serde::Serialize;
use store_sqlite::SqliteTelemetry;
use testimony::shadow;

use crate::context::{Context, Outcome};
use crate::failure::{Exit, Failure, Stop};
use regression::Lanes;

/// See how a policy on trial would have chosen, or stop trying it
///
/// On one turn in twenty another policy is run on what the turn was chosen from, after the turn is done. What it chose is
/// compared, counted and thrown away: replies and memories are the same with it and without, nobody waits for it, and
/// nothing that is kept says whose turn it was. `off` reaches every running process at its next turn;
/// `TESTIMONY_SHADOW=off` keeps the lane from starting.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  testimony shadow status
  testimony --json shadow report
  testimony shadow report --html shadow.html --lanes results.json
  testimony shadow off")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    order: Order,
}

#[derive(Subcommand)]
enum Order {
    /// Tell whether the lane runs, what it tries, and what it counted
    Status,
    /// Tell how the policies compare, with charts if asked for
    Report {
        /// Write each chart as an SVG file into this directory
        #[arg(long, value_name = "DIR")]
        svg: Option<PathBuf>,
        /// Write one page with all charts and tables
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Results of the lanes of evaluation, to be told beside it
        #[arg(long, value_name = "FILE")]
        lanes: Option<PathBuf>,
    },
    /// Try no policy, from the next turn of every process on
    Off,
    /// Try again
    On,
}

pub(crate) fn run(context: &Context, arguments: Arguments) -> Outcome {
    match arguments.order {
        Order::Status => status(context),
        Order::Report { svg, html, lanes } => {
            report(context, svg.as_deref(), html.as_deref(), lanes.as_deref())
        }
        Order::Off => switch(context, false),
        Order::On => switch(context, true),
    }
}

fn stored(error: StoreError) -> Stop {
    EngineError::Store(error).into()
}

#[derive(Serialize)]
struct Switched {
    switch: &'static str,
}

fn switch(context: &Context, on: bool) -> Outcome {
    shadow::telemetry(&context.data).switch_shadow(on).map_err(stored)?;
    let switched = Switched { switch: if on { "on" } else { "off" } };
    context.answer(&switched, |switched| format!("shadow lane: {}", switched.switch))?;
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct Status {
    /// Whether a process that starts now tries anything.
    runs: bool,
    switch: &'static str,
    /// What `TESTIMONY_SHADOW` says here.
    environment: &'static str,
    standing: &'static str,
    candidate: Option<PolicyName>,
    sample_per_mille: u32,
    /// What was asked for, where it is above the cap.
    asked_per_mille: Option<u32>,
    sample_per_mille_max: u32,
    /// Why no lane can run.
    fault: Option<String>,
    rows: u64,
    first_day: Option<Day>,
    last_day: Option<Day>,
    database: PathBuf,
    database_bytes: u64,
    counted: Tally,
}

fn status(context: &Context) -> Outcome {
    let telemetry = shadow::telemetry(&context.data);
    telemetry.expire_shadow(Day::of(context.now())).map_err(stored)?;
    let tallies = telemetry.shadow_tallies().map_err(stored)?;
    let settings = shadow::settings(&context.data);
    let (fault, known) = match settings {
        Ok((settings, candidate)) => (None, Some((settings, candidate.name()))),
        Err(fault) => (Some(fault.to_string()), None),
    };
    let switch = if telemetry.shadow_is_off() { "off" } else { "on" };
    let environment = if context.shadow() { "on" } else { "off" };
    let database = context.data.join(SqliteTelemetry::DATABASE);
    let status = Status {
        runs: fault.is_none() && switch == "on" && environment == "on",
        switch,
        environment,
        standing: Policy::DEFAULT.name(),
        candidate: known.map(|(_, candidate)| candidate),
        sample_per_mille: known.map_or(0, |(settings, _)| settings.sampling.share()),
        asked_per_mille: known.and_then(|(settings, _)| settings.asked_per_mille),
        sample_per_mille_max: Sampling::PER_MILLE_MAX,
        fault,
        rows: telemetry.shadow_row_count().map_err(stored)?,
        first_day: tallies.first().map(|(day, _)| *day),
        last_day: tallies.last().map(|(day, _)| *day),
        database_bytes: fs::metadata(&database).map_or(0, |found| found.len()),
        database,
        counted: added_up(&tallies),
    };
    context.answer(&status, status_told)?;
    Ok(if status.fault.is_some() { Exit::Input } else { Exit::Done })
}

fn added_up(tallies: &[(Day, Tally)]) -> Tally {
    let mut all = Tally::default();
    tallies.iter().for_each(|(_, tally)| all.add_all(tally));
    all
}

fn status_told(status: &Status) -> String {
    let mut told = format!("shadow lane: {}\n", if status.runs { "runs" } else { "does not run" });
    if let Some(fault) = &status.fault {
        _ = writeln!(told, "fault: {fault}");
    }
    if status.environment == "off" {
        told.push_str("`TESTIMONY_SHADOW` is off here\n");
    }
    _ = writeln!(told, "switch: {}", status.switch);
    if let Some(candidate) = status.candidate {
        let share = f64::from(status.sample_per_mille) / 10.0;
        _ = writeln!(told, "tries {candidate} beside {} on {share} % of turns", status.standing);
    }
    if let Some(asked) = status.asked_per_mille {
        let (asked, most) = (f64::from(asked) / 10.0, f64::from(status.sample_per_mille_max) / 10.0);
        _ = writeln!(told, "{asked} % was asked for; {most} % is the most");
    }
    let span = match (status.first_day, status.last_day) {
        (Some(first), Some(last)) => format!(" from {first} to {last}"),
        _ => String::new(),
    };
    _ = writeln!(told, "{} comparisons kept one by one, {} bytes", status.rows, status.database_bytes);
    _ = writeln!(told, "counted{span}:");
    for event in Event::ALL {
        _ = writeln!(told, "  {:<28} {}", event.as_str(), status.counted.of(*event));
    }
    told
}

/// How two policies compare.
#[derive(Serialize)]
struct Pair {
    standing: PolicyName,
    candidate: PolicyName,
    compared: u64,
    changed: u64,
    /// Of all that either chose, the share that both chose.
    agreement: f64,
    added_per_turn: f64,
    removed_per_turn: f64,
    tokens_difference_per_turn: f64,
    disputes_added: u64,
    disputes_removed: u64,
    duration_micros_mean: f64,
    days: Vec<Rollup>,
}

impl Pair {
    fn of(days: &[Rollup]) -> Option<Self> {
        let first = days.first()?;
        let sum = |of: fn(&Rollup) -> u64| days.iter().map(of).sum::<u64>();
        let compared = sum(|day| day.compared);
        let per_turn = |total: f64| total / compared.max(1) as f64;
        let (overlap, added, removed) =
            (sum(|day| day.overlap), sum(|day| day.added), sum(|day| day.removed));
        let whole =
            Rollup { overlap, added, removed, ..Rollup::new(first.standing, first.candidate, first.day) };
        Some(Self {
            standing: first.standing,
            candidate: first.candidate,
            compared,
            changed: sum(|day| day.changed),
            agreement: whole.agreement(),
            added_per_turn: per_turn(added as f64),
            removed_per_turn: per_turn(removed as f64),
            tokens_difference_per_turn: per_turn(
                days.iter().map(|day| day.tokens_difference).sum::<i64>() as f64
            ),
            disputes_added: sum(|day| day.disputes_added),
            disputes_removed: sum(|day| day.disputes_removed),
            duration_micros_mean: per_turn(sum(|day| day.duration_micros) as f64),
            days: days.to_vec(),
        })
    }
}

#[derive(Serialize)]
struct Report {
    pairs: Vec<Pair>,
    counted: Tally,
    /// The lanes of evaluation, where a file was given.
    lanes: Option<Lanes>,
    written: Vec<PathBuf>,
}

fn report(context: &Context, svg: Option<&Path>, html: Option<&Path>, lanes: Option<&Path>) -> Outcome {
    let telemetry = shadow::telemetry(&context.data);
    let lanes = lanes.map(Lanes::read).transpose()?;
    let mut rollups = telemetry.shadow_rollups().map_err(stored)?;
    rollups.sort_by_key(|one| (one.standing, one.candidate, one.day));
    let pairs: Vec<Pair> = rollups
        .chunk_by(|one, next| (one.standing, one.candidate) == (next.standing, next.candidate))
        .filter_map(Pair::of)
        .collect();
    let drawn = charts(&rollups);
    let counted = added_up(&telemetry.shadow_tallies().map_err(stored)?);
    let mut report = Report { pairs, counted, lanes, written: Vec::new() };
    if let Some(directory) = svg {
        report.written.extend(write_charts(directory, &drawn)?);
    }
    if let Some(path) = html {
        write_file(path, &page::page(&report, &drawn))?;
        report.written.push(path.to_owned());
    }
    context.answer(&report, report_told)?;
    Ok(if report.pairs.is_empty() { Exit::Refused } else { Exit::Done })
}

fn write_charts(directory: &Path, charts: &[Chart]) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(directory).map_err(|error| Failure::file("create", directory, &error))?;
    let mut written = Vec::new();
    for chart in charts {
        let path = directory.join(format!("{}.svg", chart.name));
        write_file(&path, &chart.svg())?;
        written.push(path);
    }
    Ok(written)
}

#[allow(
    clippy::disallowed_methods,
    reason = "a page of numbers, where the caller wants it and under the caller's mask"
)]
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::file("write", path, &error))
}

fn report_told(report: &Report) -> String {
    let mut told = String::new();
    for pair in &report.pairs {
        _ = writeln!(told, "{} beside {}: {} turns compared", pair.candidate, pair.standing, pair.compared);
        _ = writeln!(
            told,
            "  {:.1} % of what either chose both chose; {} turns came out differently",
            100.0 * pair.agreement,
            pair.changed
        );
        _ = writeln!(
            told,
            "  a turn: {:.2} memories added, {:.2} removed, {:+.1} tokens",
            pair.added_per_turn, pair.removed_per_turn, pair.tokens_difference_per_turn
        );
        _ = writeln!(told, "  disputes: {} added, {} removed", pair.disputes_added, pair.disputes_removed);
        _ = writeln!(told, "  {:.0} µs each; {} day(s)", pair.duration_micros_mean, pair.days.len());
    }
    if report.pairs.is_empty() {
        told.push_str("nothing was compared yet\n");
    }
    if let Some(lanes) = &report.lanes {
        told.push_str(&lanes.told());
    }
    for path in &report.written {
        _ = writeln!(told, "wrote {}", path.display());
    }
    told
}
