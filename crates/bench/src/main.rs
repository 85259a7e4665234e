//! `bench`: the instruments on the command line. Data on stdout, talk on stderr.
#![allow(clippy::disallowed_methods, reason = "an instrument reads the clock, the environment and files")]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use bench::peps;
use bench::report::Report;
use bench::stores::StoreKind;
use clap::{Parser, Subcommand};

/// Measures Testimony on real data, beside the machine's own limits.
#[derive(Parser)]
struct Arguments {
    /// Print one JSON object instead of Markdown.
    #[arg(long, global = true)]
    json: bool,
    /// Where data directories are made; the disk whose limits are measured.
    #[arg(long, global = true, default_value = ".")]
    directory: PathBuf,
    /// The store; all of them, when left out.
    #[arg(long, global = true)]
    store: Option<StoreKind>,
    /// How often what is quick enough to repeat is repeated.
    #[arg(long, global = true, default_value_t = 3)]
    runs: usize,
    #[command(subcommand)]
    instrument: Instrument,
}

#[derive(Subcommand)]
enum Instrument {
    /// PEP header changes on both clocks.
    Peps,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let kinds: Vec<StoreKind> = arguments.store.map_or_else(|| StoreKind::ALL.to_vec(), |kind| vec![kind]);
    let directory = arguments.directory.as_path();
    let report = match arguments.instrument {
        Instrument::Peps => peps::run(&kinds, directory, arguments.runs)?,
    };
    print(&report, arguments.json)?;
    Ok(if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(report: &Report, json: bool) -> Result<()> {
    match json {
        true => println!("{}", serde_json::to_string(report)?),
        false => print!("{}", report.markdown()),
    }
    Ok(())
}
