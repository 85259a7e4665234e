//! `bench`: the instruments on the command line. Data on stdout, talk on stderr.
#![allow(clippy::disallowed_methods, reason = "an instrument reads the clock, the environment and files")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bench::all::{self, Everything};
use bench::compare::Setting;
use bench::hammer::{self, Load};
use bench::retrieval::{Half, Timeline};
use bench::speed::{self, Extent};
use bench::stored_vectors::{StoredVectors, texts};
use bench::stores::StoreKind;
use bench::{
    beam, budget, copa, embedder, factconsolidation, forget, gate, http, imports, keep, lanes, locomo,
    longmemeval, peps, policies, precisionmembench, realmem, realtalk, shadow, sib200, tatoeba, timeqa,
    vectors,
};
use clap::{Args, Parser, Subcommand};
use inference::embed::Embed;
use inference::local::LocalEmbedder;

/// Measures Testimony on real data, beside the machine's own limits.
#[derive(Parser)]
struct Arguments {
    /// Print JSON instead of Markdown, or with `=FILE` write it there as well.
    #[arg(long, global = true, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    json: Option<Option<PathBuf>>,
    /// Write the Markdown into a file as well.
    #[arg(long, global = true, value_name = "FILE", require_equals = true)]
    markdown: Option<PathBuf>,
    /// Where data directories are made; the disk whose limits are measured.
    #[arg(long, global = true, default_value = ".")]
    directory: PathBuf,
    /// The store; all of them, when left out.
    #[arg(long, global = true)]
    store: Option<StoreKind>,
    /// How often what is quick enough to repeat is repeated.
    #[arg(long, global = true, default_value_t = 3)]
    runs: usize,
    #[command(flatten)]
    retrieval: Retrieval,
    #[command(subcommand)]
    instrument: Instrument,
}

/// What the instruments of retrieval share.
#[derive(Args)]
struct Retrieval {
    /// The systems to compare, such as `testimony,bm25`; all of them, when left out.
    #[arg(long, global = true, value_delimiter = ',')]
    systems: Vec<String>,
    /// A model pack, for the systems that need an embedder.
    #[arg(long, global = true)]
    pack: Option<PathBuf>,
    /// Vectors made elsewhere, in its place.
    #[arg(long, global = true, conflicts_with = "pack")]
    vectors: Option<PathBuf>,
    /// Score only the questions of one half, to tune on one and report on the other.
    #[arg(long, global = true)]
    half: Option<Half>,
    /// Append every answer as a line of JSON to this file.
    #[arg(long, global = true)]
    details: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Instrument {
    /// BEAM: which messages of long chats answer a question.
    Beam,
    /// RealMem: which earlier sessions a query needs.
    Realmem,
    /// LongMemEval, the pieces that can be had.
    Longmemeval,
    /// TimeQA: which sentence answers a question about a year.
    Timeqa,
    /// LoCoMo, from `locomo10.json`.
    Locomo {
        /// The file.
        #[arg(long)]
        path: PathBuf,
    },
    /// REALTALK, from a chat's JSON file or a folder of them.
    Realtalk {
        /// The file or folder.
        #[arg(long)]
        path: PathBuf,
    },
    /// How much of the evidence stands in a packet of so many slots or tokens.
    Budget,
    /// Everything above that needs no file, and everything below, in one report.
    All {
        /// Only these instruments, such as `beam,realmem`.
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
    },
    /// The texts that need vectors, a line of JSON each, for `--vectors`.
    Texts {
        /// Those of LoCoMo as well.
        #[arg(long)]
        locomo: Option<PathBuf>,
    },
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
    /// How long backup, restore, drill and a change of keys take.
    Keep {
        /// Subjects of 1,000 facts each.
        #[arg(long, default_value_t = 100)]
        subjects: usize,
    },
    /// The alpha case and the ways a memory is polluted, under every policy.
    Policies,
    /// What must be shown for a request, and what must not.
    Precisionmembench,
    /// Statements that override earlier ones, and questions over one fact or several.
    Factconsolidation {
        /// Also tell every question over several hops that was not answered.
        #[arg(long)]
        misses: bool,
    },
    /// How long forgetting takes, and what it leaves in the files.
    Forget {
        /// The sizes of a subject, in facts.
        #[arg(long, value_delimiter = ',', default_value = "10000,100000")]
        facts: Vec<usize>,
    },
    /// The program as a server under many connections.
    Http {
        /// The program; the one beside this, when left out.
        #[arg(long)]
        program: Option<PathBuf>,
        /// Connections that ask.
        #[arg(long, default_value_t = 1_000)]
        connections: usize,
        /// For how long, in seconds.
        #[arg(long, default_value_t = 120)]
        seconds: u64,
        /// Connections that never read, and as many that send a byte a second.
        #[arg(long, default_value_t = 100)]
        slow: usize,
    },
    /// Eight threads, then eight processes, on one subject.
    Hammer {
        /// Appends, all writers together.
        #[arg(long, default_value_t = 2_000)]
        appends: usize,
    },
    /// The cases of `evaluation/lanes/`.
    Lanes(lanes::Arguments),
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
    /// The shadow lane over a million turns, and what it costs a reply.
    Shadow {
        /// A small run that only shows that the instrument works.
        #[arg(long)]
        quick: bool,
        /// A directory on a small file system of its own, which is filled up.
        #[arg(long)]
        small: Option<PathBuf>,
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
    /// The local model: time, memory, and equality to the bit.
    Embedder {
        /// Also write texts, pieces and vectors here, for `tools/reference_embedding.py`.
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
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
    let setting = setting(&arguments.retrieval, directory)?;
    let model = setting.embedder.as_ref();
    let report = match &arguments.instrument {
        Instrument::HammerWriter { data, writer, writers, appends, appends_per_turn } => {
            let load = Load { writers: *writers, appends: *appends, appends_per_turn: *appends_per_turn };
            hammer::writer(data, *writer, load)?;
            return Ok(ExitCode::SUCCESS);
        }
        Instrument::OpenOnce { data } => {
            speed::open_once(data)?;
            return Ok(ExitCode::SUCCESS);
        }
        Instrument::Texts { locomo } => {
            write_texts(locomo.as_deref())?;
            return Ok(ExitCode::SUCCESS);
        }
        Instrument::All { only } => {
            let program = std::env::current_exe()?;
            let given =
                Everything { setting: &setting, stores: &kinds, runs: arguments.runs, program: &program };
            let reports = all::run(&given, only)?;
            let failed = reports.iter().any(|report| !report.failures.is_empty());
            return show(&arguments, &all::markdown(&reports), &serde_json::to_string(&reports)?, failed);
        }
        Instrument::Lanes(chosen) => {
            let Some(report) = lanes::run(chosen)? else { return Ok(ExitCode::SUCCESS) };
            let json = serde_json::to_string(&report)?;
            return show(&arguments, &report.markdown(), &json, !report.broken.is_empty());
        }
        Instrument::Speed { quick, facts, subjects } => {
            let mut extent = if *quick { Extent::quick() } else { Extent::full(arguments.runs, *subjects) };
            extent.facts = facts.clone().unwrap_or(extent.facts);
            speed::run(&kinds, directory, &extent, model, &std::env::current_exe()?)?
        }
        Instrument::Shadow { quick, small } => {
            let extent = if *quick { shadow::Extent::quick() } else { shadow::Extent::full(arguments.runs) };
            shadow::run(directory, &extent, small.as_deref())?
        }
        Instrument::Beam => beam::run(&setting)?,
        Instrument::Realmem => realmem::run(&setting)?,
        Instrument::Longmemeval => longmemeval::run(&setting)?,
        Instrument::Timeqa => timeqa::run(&setting)?,
        Instrument::Locomo { path } => locomo::run(&setting, path)?,
        Instrument::Realtalk { path } => realtalk::run(&setting, path)?,
        Instrument::Budget => budget::run(&setting)?,
        Instrument::Gate { step } => gate::run(directory, *step)?,
        Instrument::Policies => policies::run(one(&kinds), directory, model)?,
        Instrument::Precisionmembench => precisionmembench::run(one(&kinds), directory, model)?,
        Instrument::Factconsolidation { misses } => {
            factconsolidation::run(&kinds, directory, model, *misses)?
        }
        Instrument::Vectors { passages, queries, dims, sizes, asked, kept } => {
            let extent = vectors::Extent {
                passages: passages.clone(),
                queries: queries.clone(),
                dims: *dims,
                sizes: sizes.clone(),
                asked: *asked,
                kept: *kept,
            };
            vectors::run(directory, &extent)?
        }
        Instrument::Imports => imports::run(&kinds, directory, arguments.runs)?,
        Instrument::Keep { subjects } => keep::run(directory, *subjects)?,
        Instrument::Forget { facts } => forget::run(&kinds, directory, facts, arguments.runs)?,
        Instrument::Http { program, connections, seconds, slow } => {
            let beside = std::env::current_exe()?.with_file_name("testimony");
            let program = program.clone().unwrap_or(beside);
            let extent = http::Extent { program, connections: *connections, seconds: *seconds, slow: *slow };
            http::run(directory, &extent)?
        }
        Instrument::Hammer { appends } => hammer::run(directory, *appends, arguments.runs)?,
        Instrument::Embedder { write } => embedder::run(directory, arguments.runs, write.as_deref())?,
        Instrument::Tatoeba => tatoeba::run(directory)?,
        Instrument::Sib200 => sib200::run(directory)?,
        Instrument::CopaHr => copa::run(directory)?,
        Instrument::Peps => peps::run(&kinds, directory, arguments.runs)?,
    };
    let json = serde_json::to_string(&report)?;
    show(&arguments, &report.markdown(), &json, !report.failures.is_empty())
}

/// The embedder that was named, if any: a sort of file a line.
fn embedder(given: &Retrieval) -> Result<Option<Arc<dyn Embed>>> {
    if let Some(path) = &given.vectors {
        return Ok(Some(Arc::new(StoredVectors::read(path)?)));
    }
    if let Some(path) = &given.pack {
        return Ok(Some(Arc::new(LocalEmbedder::open(path)?)));
    }
    Ok(None)
}

fn setting(given: &Retrieval, directory: &Path) -> Result<Setting> {
    Ok(Setting {
        directory: directory.to_owned(),
        embedder: embedder(given)?,
        systems: given.systems.clone(),
        half: given.half,
        details: given.details.clone(),
    })
}

fn write_texts(locomo: Option<&Path>) -> Result<()> {
    let mut timelines: Vec<Timeline> = beam::timelines()?;
    timelines.extend(realmem::timelines()?.into_iter().map(|read| read.timeline));
    timelines.extend(longmemeval::timelines()?);
    for cut in [timeqa::Cut::Paragraphs, timeqa::Cut::Sentences] {
        let timeline = timeqa::timeline(cut)?;
        timelines.push(timeqa::timeless(&timeline));
        timelines.push(timeline);
    }
    if let Some(path) = locomo {
        timelines.extend(locomo::read_file(path)?.timelines);
    }
    let mut out = std::io::stdout().lock();
    for line in texts(&timelines)? {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The store of an instrument whose figures do not depend on it.
fn one(kinds: &[StoreKind]) -> StoreKind {
    kinds.first().copied().unwrap_or(StoreKind::Reference)
}

/// Prints what was asked for, writes the files that were named, and fails when an instrument did.
fn show(arguments: &Arguments, markdown: &str, json: &str, failed: bool) -> Result<ExitCode> {
    for (path, text) in
        [(arguments.markdown.as_ref(), markdown), (arguments.json.as_ref().and_then(Option::as_ref), json)]
    {
        if let Some(path) = path {
            std::fs::write(path, text).with_context(|| format!("`{}`", path.display()))?;
        }
    }
    match arguments.json {
        Some(None) => println!("{json}"),
        _ => print!("{markdown}"),
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
