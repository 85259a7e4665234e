//! Many lives on disks that fail at random.

use faults::{Chance, Fault, When};
use store_sqlite::Options;

use super::examine::examine;
use super::life::Life;
use super::place::Place;

/// Deeds in one life.
const DEEDS: usize = 14;

/// What came of many lives.
#[derive(Clone, Copy, Default, Debug)]
pub struct Seeds {
    /// How many there were.
    pub lives: u64,
    /// Deeds that were acknowledged.
    pub acknowledged: u64,
    /// Deeds that ended in an error.
    pub errors: u64,
    /// Operations that failed.
    pub failed: u64,
}

/// Lives `seeds`, each on a disk that fails at random, and examines each on the same disk once it is well, and as a power
/// cut at its end would have left it.
///
/// # Errors
/// The first seed with something wrong, and what.
pub fn faulty_lives(seeds: std::ops::Range<u64>) -> Result<Seeds, String> {
    let mut all = Seeds::default();
    for seed in seeds {
        let mut chance = Chance::of(seed);
        let place = Place::new();
        place.disk().record();
        let fault = Fault::ALL[chance.below(4) as usize];
        let per_mille = match fault {
            // Far fewer operations can be befallen by these.
            Fault::Sync => 100 + chance.below(300),
            Fault::NoSpace | Fault::ShortWrite => 20 + chance.below(150),
            Fault::Device => 2 + chance.below(30),
        };
        place.disk().fail(fault, When::Random(Chance::of(seed ^ 0xFA17), per_mille));
        let mut life = Life::new(&place, Options::default(), seed);
        let wrong = |what: String| format!("seed {seed}, {fault:?}: {what}");
        life.live(DEEDS).map_err(wrong)?;
        let cut = Place::new();
        if let Some(record) = place.disk().recorded() {
            record.power_cut(record.events().len(), seed, cut.directory());
        }
        all.failed += place.disk().mend();
        life.close();
        examine(place.directory(), life.told()).map_err(wrong)?;
        examine(cut.directory(), life.told()).map_err(|what| wrong(format!("after a power cut: {what}")))?;
        all.lives += 1;
        all.errors += life.errors();
        all.acknowledged += life.told().acknowledged() as u64;
    }
    Ok(all)
}
