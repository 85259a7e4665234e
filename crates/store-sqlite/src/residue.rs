//! What is left: every file of the data directory is searched for bytes of what was erased.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ledger::store::StoreError;
use rustc_hash::FxHashSet;

use crate::error;
use crate::failpoint::{self, FileStep};
use crate::held::Reading;

/// How much of a sealed value one needle holds; random bytes of this length do not occur by chance.
const NEEDLE: usize = 32;
/// The distance between needles in a long value: less than a page, so that every page of it is found.
const STRIDE: usize = 2_000;
/// The most needles remembered, about 10 MB; past it, later values are searched for no more.
const NEEDLES_MAX: usize = 100_000;
/// Bytes of a file looked at together.
const CHUNK: usize = 1 << 20;
/// The size of the sieve, as a power of two of bits: small enough for a processor's own memory, and with few of them set.
const SIEVE_BITS: u32 = 20;

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
        let sieve = Sieve::of(&self.0);
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
            found += sieve.count_in(file).map_err(|error| error::file(error, path, "search"))?;
        }
        Ok(found)
    }
}

/// Needles, and a sieve that lets few other bytes through: a bit for each value the first four bytes of a needle may have,
/// folded. Needles are pieces of sealed values and so as good as random, which is what makes it tight.
struct Sieve<'needles> {
    needles: FxHashSet<&'needles [u8]>,
    bits: Vec<u64>,
}

impl<'needles> Sieve<'needles> {
    fn of(needles: &'needles [[u8; NEEDLE]]) -> Self {
        let mut bits = vec![0; (1 << SIEVE_BITS) / 64];
        for needle in needles {
            let slot = slot(needle);
            bits[slot / 64] |= 1 << (slot % 64);
        }
        Self { needles: needles.iter().map(<[u8; NEEDLE]>::as_slice).collect(), bits }
    }

    /// In how many places of a file a needle stands.
    fn count_in(&self, mut file: impl Read) -> io::Result<u64> {
        let mut found = 0;
        let mut chunk = Vec::with_capacity(CHUNK + NEEDLE);
        loop {
            let read = (&mut file).take(CHUNK as u64).read_to_end(&mut chunk)?;
            let places = chunk.windows(NEEDLE);
            found += places.filter(|place| self.lets_through(place) && self.needles.contains(place)).count();
            if read == 0 {
                return Ok(found as u64);
            }
            // What could be the beginning of one that goes on in the next chunk.
            let rest = chunk.len().saturating_sub(NEEDLE - 1);
            chunk.drain(..rest);
        }
    }

    fn lets_through(&self, place: &[u8]) -> bool {
        let slot = slot(place);
        self.bits[slot / 64] & 1 << (slot % 64) != 0
    }
}

/// The bit of what begins with these bytes.
fn slot(bytes: &[u8]) -> usize {
    let first = bytes.first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
    (first.wrapping_mul(0x9e37_79b1) >> (32 - SIEVE_BITS)) as usize
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

#[cfg(test)]
mod tests {
    use super::{CHUNK, NEEDLE, Sieve};

    #[test]
    fn a_needle_is_found_wherever_it_stands_and_nothing_else_is() {
        let needle = |seed: u8| std::array::from_fn::<u8, NEEDLE, _>(|at| seed.wrapping_mul(37) ^ at as u8);
        let needles: Vec<[u8; NEEDLE]> = (1..=200).map(needle).collect();
        let sieve = Sieve::of(&needles);
        let mut file = vec![0; 3 * CHUNK + 5];
        assert_eq!(sieve.count_in(&*file).expect("read"), 0);
        // At both ends, and over the seam between two chunks.
        for (at, seed) in [(0, 1), (CHUNK - 1, 2), (2 * CHUNK - NEEDLE, 3), (3 * CHUNK + 5 - NEEDLE, 4)] {
            file[at..at + NEEDLE].copy_from_slice(&needle(seed));
        }
        assert_eq!(sieve.count_in(&*file).expect("read"), 4);
        file[CHUNK] ^= 1;
        assert_eq!(sieve.count_in(&*file).expect("read"), 3);
        assert_eq!(sieve.count_in(&needle(9)[..NEEDLE - 1]).expect("read"), 0);
    }
}
