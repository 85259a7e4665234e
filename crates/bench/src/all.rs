//! Every instrument, one after another, in one report.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use inference::embed::Embed;

use crate::compare::Setting;
use crate::report::Report;
use crate::speed::Extent;
use crate::stores::StoreKind;
use crate::{
    beam, budget, factconsolidation, forget, gate, hammer, imports, longmemeval, peps, policies,
    precisionmembench, realmem, shadow, speed, timeqa,
};

/// What instruments may need.
pub struct Everything<'setting> {
    /// For the instruments of retrieval.
    pub setting: &'setting Setting,
    /// The stores of the others.
    pub stores: &'setting [StoreKind],
    /// How often what is quick is repeated.
    pub runs: usize,
    /// This program, for instruments that start it again.
    pub program: &'setting Path,
}

impl Everything<'_> {
    /// The model that was named, if any.
    fn model(&self) -> Option<&Arc<dyn Embed>> {
        self.setting.embedder.as_ref()
    }

    /// The store of an instrument whose figures do not depend on it.
    fn store(&self) -> StoreKind {
        self.stores.first().copied().unwrap_or(StoreKind::Reference)
    }
}

type Instrument = fn(&Everything<'_>) -> Result<Report>;

/// The instruments by name, in the order of the report. Those that need a file the caller has are not among them.
pub const INSTRUMENTS: &[(&str, Instrument)] = &[
    ("beam", |given| beam::run(given.setting)),
    ("realmem", |given| realmem::run(given.setting)),
    ("longmemeval", |given| longmemeval::run(given.setting)),
    ("timeqa", |given| timeqa::run(given.setting)),
    ("budget", |given| budget::run(given.setting)),
    ("policies", |given| policies::run(given.store(), &given.setting.directory, given.model())),
    ("precisionmembench", |given| {
        precisionmembench::run(given.store(), &given.setting.directory, given.model())
    }),
    ("factconsolidation", |given| {
        factconsolidation::run(given.stores, &given.setting.directory, given.model(), false)
    }),
    ("peps", |given| peps::run(given.stores, &given.setting.directory, given.runs)),
    ("gate", |given| gate::run(&given.setting.directory, 1)),
    ("imports", |given| imports::run(given.stores, &given.setting.directory, given.runs)),
    ("hammer", |given| hammer::run(&given.setting.directory, 2_000, given.runs)),
    ("forget", |given| forget::run(given.stores, &given.setting.directory, &[10_000], given.runs)),
    ("speed", |given| {
        let extent = Extent::full(given.runs, 1_000);
        speed::run(given.stores, &given.setting.directory, &extent, given.model(), given.program)
    }),
    ("shadow", |given| shadow::run(&given.setting.directory, &shadow::Extent::full(given.runs), None)),
];

/// Runs the instruments named, all of them without names.
///
/// # Errors
/// When a name is none of [`INSTRUMENTS`], or as the instrument.
pub fn run(given: &Everything<'_>, names: &[String]) -> Result<Vec<Report>> {
    let known = |name: &String| INSTRUMENTS.iter().any(|(known, _)| known == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let all: Vec<&str> = INSTRUMENTS.iter().map(|(name, _)| *name).collect();
        bail!("instrument `{unknown}` is none of `{}`", all.join("`, `"));
    }
    let mut reports = Vec::new();
    for (name, instrument) in INSTRUMENTS {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            eprintln!("{name}…");
            reports.push(instrument(given)?);
        }
    }
    Ok(reports)
}

/// One page of several reports: the headings of each one step lower.
#[must_use]
pub fn markdown(reports: &[Report]) -> String {
    let mut page = String::from("# Measurements\n\nHow to read and repeat them: docs/guides/measuring.md.\n");
    for report in reports {
        page.push('\n');
        for line in report.markdown().lines() {
            page.push_str(if line.starts_with('#') { "#" } else { "" });
            page.push_str(line);
            page.push('\n');
        }
    }
    page
}
