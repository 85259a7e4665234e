//! `bench`: the instruments on the command line. Data on stdout, talk on stderr.
#![allow(clippy::disallowed_methods, reason = "an instrument reads the clock, the environment and files")]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use bench::hammer::{self, Load};
use bench::report::Report;
use bench::speed::{self, Extent};
use bench::stores::StoreKind;
use bench::{gate, imports, peps, vectors};
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
    /// The table of vectors, and the store that keeps them.
    Vectors {
        /// A file of raw 32-bit numbers, little-endian: what an embedding model made of passages.
        #[arg(long, requires = "queries")]
        passages: Option<PathBuf>,
        /// The same of queries.
        #[arg(long, requires = "passages")]
        queries: Option<PathBuf>,
        /// Numbers in a vector.
        #[arg(long, default_value_t = 384)]
        dims: usize,
        /// The sizes of a table.
        #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000,1000000")]
        sizes: Vec<usize>,
        /// Queries asked of each table.
        #[arg(long, default_value_t = 300)]
        asked: usize,
        /// Vectors kept in the store.
        #[arg(long, default_value_t = 10_000)]
        kept: usize,
    },
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
        Instrument::Vectors { passages, queries, dims, sizes, asked, kept } => {
            vectors::run(directory, &vectors::Extent { passages, queries, dims, sizes, asked, kept })?
        }
        Instrument::Gate { step } => gate::run(directory, step)?,
        Instrument::Imports => imports::run(&kinds, directory, arguments.runs)?,
        Instrument::Hammer { appends } => hammer::run(directory, appends, arguments.runs)?,
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
