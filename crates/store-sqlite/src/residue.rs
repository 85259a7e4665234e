//! What is left: every file of the data directory is searched for bytes of what was erased.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use ledger::store::{StoreError, StoreErrorKind};

use crate::error;
use crate::failpoint::{self, FileStep};
use crate::held::Reading;

/// How much of a sealed value one needle holds; random bytes of this length do not occur by chance.
const NEEDLE: usize = 32;
/// The distance between needles in a long value: less than a page, so that every page of it is found.
const STRIDE: usize = 2_000;
/// The most needles remembered, about 20 MB with their automaton; past it, later values are searched for no more.
const NEEDLES_MAX: usize = 100_000;

/// Pieces of erased values, to look for afterwards.
#[derive(Default)]
pub(crate) struct Needles(Vec<[u8; NEEDLE]>);

impl Needles {
    /// Remembers pieces of a sealed value.
    pub(crate) fn keep(&mut self, sealed: &[u8]) {
        for start in (0..sealed.len()).step_by(STRIDE) {
            let Some(piece) = sealed.get(start..start + NEEDLE) else { break };
            if self.0.len() < NEEDLES_MAX {
                // A piece of exactly the needle's length.
                self.0.extend(<[u8; NEEDLE]>::try_from(piece));
            }
        }
    }

    /// In how many places of the files under `directory` the pieces still stand. The ballast is always the same bytes.
    pub(crate) fn search(&self, directory: &Path, ballast: &Path) -> Result<u64, StoreError> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let automaton = AhoCorasick::new(&self.0).map_err(|error| {
            StoreError::new(StoreErrorKind::Io, "cannot search for what was erased").caused_by(error)
        })?;
        let mut found = 0;
        // Shared memory holds numbers of pages and no page, and a lock on it is what keeps other processes out.
        let is_shared =
            |path: &Path| path.extension().is_some_and(|ending| ending.as_encoded_bytes().ends_with(b"-shm"));
        let searched = files_under(directory)?.into_iter().filter(|path| path != ballast && !is_shared(path));
        for path in &searched.collect::<Vec<_>>() {
            // Every file but the log may be a database that this process has open.
            let opened = failpoint::file(FileStep::Read(path)).and_then(|()| Reading::of(path));
            let file = match opened {
                // Files of other processes come and go.
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => continue,
                other => other.map_err(|error| error::file(error, path, "search"))?,
            };
            for hit in automaton.stream_find_iter(file) {
                hit.map_err(|error| error::file(error, path, "search"))?;
                found += 1;
            }
        }
        Ok(found)
    }
}

fn files_under(directory: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let listing = match fs::read_dir(&directory) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(|error| error::file(error, &directory, "search"))?,
        };
        for item in listing {
            let item = item.map_err(|error| error::file(error, &directory, "search"))?;
            // Symbolic links lead out of the directory and are not followed.
            match item.file_type() {
                Ok(kind) if kind.is_dir() => open.push(item.path()),
                Ok(kind) if kind.is_file() => files.push(item.path()),
                _ => {}
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}
