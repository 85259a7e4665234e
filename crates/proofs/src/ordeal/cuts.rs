//! Many power cuts of recorded lives.

use faults::Chance;
use store_sqlite::Options;

use super::examine::examine;
use super::life::Life;
use super::place::Place;
use super::told::Outcome;

/// Deeds in one life, and cuts of its record.
const DEEDS: usize = 40;
const CUTS: u64 = 50;

/// What came of many power cuts.
#[derive(Clone, Default, Debug)]
pub struct Cuts {
    /// How many there were.
    pub cuts: u64,
    /// Events of the records together.
    pub events: u64,
    /// What was wrong: the seed of the life, the cut, and what.
    pub wrong: Vec<String>,
}

/// Lives recorded lives until there were `cuts` power cuts, each at an instant drawn from `seed`, and examines what each
/// leaves.
///
/// # Errors
/// A life that goes wrong by itself.
pub fn power_cuts(seed: u64, cuts: u64, options: &Options) -> Result<Cuts, String> {
    let mut all = Cuts::default();
    let mut chance = Chance::of(seed);
    while all.cuts < cuts {
        let seed = chance.draw();
        let place = Place::new();
        place.disk().record();
        let mut life = Life::new(&place, options.clone(), seed);
        life.live(DEEDS).map_err(|what| format!("seed {seed}: {what}"))?;
        if let Some(error) = life.last_error() {
            return Err(format!("seed {seed}: an error on a disk that does not fail: {error}"));
        }
        life.close();
        let Some(record) = place.disk().recorded() else { continue };
        all.events += record.events().len() as u64;
        for _ in 0..CUTS.min(cuts - all.cuts) {
            let at = chance.below(record.events().len() as u64 + 1) as usize;
            let left = Place::new();
            let draw = chance.draw();
            record.power_cut(at, draw, left.directory());
            let mut begun = std::collections::BTreeMap::new();
            for mark in record.marks(at) {
                let outcome = if mark % 2 == 0 { Outcome::Begun } else { Outcome::Acknowledged };
                begun.insert((mark / 2) as usize, outcome);
            }
            let told = life.told().as_of(|deed| begun.get(&deed).copied().unwrap_or(Outcome::NotBegun));
            if let Err(what) = examine(left.directory(), &told) {
                all.wrong.push(format!("life {seed}, cut at {at} with {draw}: {what}"));
            }
            all.cuts += 1;
        }
    }
    Ok(all)
}
