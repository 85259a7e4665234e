//! A disk that fails: every file operation of SQLite under one directory can be made to fail, and can be written down so
//! that the directory can be laid out as a power cut at any instant would leave it.
//!
//! For proofs only; nothing that ships may name it. [`Disk::over`] puts a directory on such a disk. [`Disk::fail`] says what
//! fails and when, by count or by seed, so that a run can be repeated. [`Disk::record`] begins to write down, and a
//! [`Record`] lays out the aftermath of a power cut. SQLite comes here through a file layer of its own
//! (the only file with `unsafe` is `vfs.rs`); what other code does with files it reports to [`Disk::step`].
#![deny(missing_docs)]

mod chance;
mod disk;
mod record;
mod vfs;

pub use chance::Chance;
pub use disk::{Disk, Fault, Operation, Over, When};
pub use record::{Event, Record};
