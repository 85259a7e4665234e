//! The instruments: what the promises look like on real data, and how long things take on this machine.
//!
//! Never shipped. Each instrument is a module with one `run` that returns a [`report::Report`]; the binary prints it as
//! Markdown or JSON. The integration tests run the same code on smaller input and hold it to floors.
//!
//! - [`data`] finds and reads the data sets; [`stores`] opens the stores under test;
//! - [`machine`] measures the machine's own limits, [`measure`] repeats and summarises, [`report`] prints;
//! - [`peps`], [`gate`], [`speed`], [`imports`], [`hammer`], [`keep`], [`forget`] are the instruments of the ledger;
//! - [`vectors`], [`policies`], [`shadow`], [`precisionmembench`], [`factconsolidation`] those of vectors and of turns;
//! - [`retrieval`] is what the instruments of retrieval share, [`searcher`] the systems they compare, [`score`] and
//!   [`compare`] the figures; [`beam`], [`realmem`], [`longmemeval`], [`timeqa`], [`locomo`], [`realtalk`], [`budget`] are they;
//! - [`embedding`] opens the model of this machine; [`embedder`], [`tatoeba`], [`sib200`] and [`copa`] measure it;
//! - [`lanes`] plays the cases of `evaluation/lanes/`, and [`all`] runs everything.
#![allow(clippy::disallowed_methods, reason = "an instrument reads the clock, the environment and files")]

pub mod data;
pub mod stores;

pub mod embedding;
pub mod machine;
pub mod measure;
pub mod report;

pub mod compare;
pub mod retrieval;
pub mod score;
pub mod searcher;
pub mod stored_vectors;

pub mod beam;
pub mod budget;
pub mod copa;
pub mod embedder;
pub mod factconsolidation;
pub mod forget;
pub mod gate;
pub mod hammer;
pub mod http;
pub mod imports;
pub mod keep;
pub mod lanes;
pub mod locomo;
pub mod longmemeval;
pub mod peps;
pub mod policies;
pub mod precisionmembench;
pub mod realmem;
pub mod realtalk;
pub mod shadow;
pub mod sib200;
pub mod speed;
mod speed_hybrid;
pub mod tatoeba;
pub mod timeqa;
pub mod vectors;

pub mod all;
