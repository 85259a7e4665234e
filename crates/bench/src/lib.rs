//! The instruments: what the promises look like on real data, and how long things take on this machine.
//!
//! Never shipped. Each instrument is a module with one `run` that returns a [`report::Report`]; the binary prints it as
//! Markdown or JSON. The integration tests run the same code on smaller input and hold it to floors.
//!
//! - [`data`] finds and reads the data sets; [`stores`] opens the stores under test;
//! - [`machine`] measures the machine's own limits, [`measure`] repeats and summarises, [`report`] prints;
//! - [`embedding`] opens the model of this machine;
//! - [`peps`], [`gate`], [`speed`], [`imports`], [`hammer`] are the instruments; with a model, [`embedder`], [`tatoeba`], [`sib200`] and
//!   [`copa`] too.
#![allow(clippy::disallowed_methods, reason = "an instrument reads the clock, the environment and files")]

pub mod data;
pub mod stores;

pub mod embedding;
pub mod machine;
pub mod measure;
pub mod report;

pub mod copa;
pub mod embedder;
pub mod gate;
pub mod hammer;
pub mod imports;
pub mod peps;
pub mod sib200;
pub mod speed;
pub mod tatoeba;
