//! `bench`: the instruments on the command line. Data on stdout, talk on stderr.
#![allow(clippy::disallowed_methods, reason = "an instrument reads the clock, the environment and files")]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use bench::hammer::{self, Load};
use bench::report::Report;
use bench::speed::{self, Extent};
use bench::stores::StoreKind;
use bench::{copa, embedder, gate, imports, peps, sib200, tatoeba};
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
    /// Hostile input, and benign statements.
    Gate {
        /// Every so many hostile texts only.
        #[arg(long, default_value_t = 1)]
        step: usize,
    },
    /// Everything people arrive with, twice.
    Imports,
    /// Eight threads, then eight processes, on one subject.
    Hammer {
        /// Appends, all writers together.
        #[arg(long, default_value_t = 2_000)]
        appends: usize,
    },
    /// How long things take.
    Speed {
        /// A small run that only shows that the instrument works.
        #[arg(long)]
        quick: bool,
        /// The sizes of a subject, in facts.
        #[arg(long, value_delimiter = ',')]
        facts: Option<Vec<usize>>,
        /// Subjects of 1,000 facts each.
        #[arg(long, default_value_t = 1_000)]
        subjects: usize,
    },
    /// The local model: time, memory, and equality to the bit.
    Embedder {
        /// Also write texts, pieces and vectors here, for `tools/reference_embedding.py`.
        #[arg(long)]
        vectors: Option<PathBuf>,
    },
    /// The nearest sentence is the translation, four languages both ways.
    Tatoeba,
    /// Topics and translations by nearness, five languages.
    Sib200,
    /// Causes and effects in Croatian.
    CopaHr,
    /// Opens the store of `speed` once.
    #[command(hide = true)]
    OpenOnce {
        #[arg(long)]
        data: PathBuf,
    },
    /// One writer of `hammer` in its own process.
    #[command(hide = true)]
    HammerWriter {
        #[arg(long)]
        data: PathBuf,
        #[arg(long)]
        writer: usize,
        #[arg(long)]
        writers: usize,
        #[arg(long)]
        appends: usize,
        #[arg(long)]
        appends_per_turn: usize,
    },
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let kinds: Vec<StoreKind> = arguments.store.map_or_else(|| StoreKind::ALL.to_vec(), |kind| vec![kind]);
    let directory = arguments.directory.as_path();
    let report = match arguments.instrument {
        Instrument::HammerWriter { data, writer, writers, appends, appends_per_turn } => {
            hammer::writer(&data, writer, Load { writers, appends, appends_per_turn })?;
            return Ok(ExitCode::SUCCESS);
        }
        Instrument::OpenOnce { data } => {
            speed::open_once(&data)?;
            return Ok(ExitCode::SUCCESS);
        }
        Instrument::Speed { quick, facts, subjects } => {
            let mut extent = if quick { Extent::quick() } else { Extent::full(arguments.runs, subjects) };
            extent.facts = facts.unwrap_or(extent.facts);
            speed::run(&kinds, directory, &extent, &std::env::current_exe()?)?
        }
        Instrument::Gate { step } => gate::run(directory, step)?,
        Instrument::Imports => imports::run(&kinds, directory, arguments.runs)?,
        Instrument::Hammer { appends } => hammer::run(directory, appends, arguments.runs)?,
        Instrument::Embedder { vectors } => embedder::run(directory, arguments.runs, vectors.as_deref())?,
        Instrument::Tatoeba => tatoeba::run(directory)?,
        Instrument::Sib200 => sib200::run(directory)?,
        Instrument::CopaHr => copa::run(directory)?,
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
