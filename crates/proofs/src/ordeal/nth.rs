//! The n-th operation of one deed fails, for every n.

use faults::{Fault, When};
use store_sqlite::Options;

use super::examine::examine;
use super::life::Life;
use super::place::Place;
use super::told::Deed;

/// What came of failing every operation of a deed once.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tried {
    /// How many operations failed, each in a life of its own.
    pub operations: u64,
    /// How many of these deeds were acknowledged all the same.
    pub acknowledged: u64,
}

/// Does `before`, then `deed` with its n-th operation failing, and with `lasting` all after it, for every n. Each time the disk
/// then is well again, and in the same process something else is said and the deed is asked for again. What is left is examined,
/// also as a power cut at that instant would have left it.
///
/// # Errors
/// The first thing that goes wrong.
pub fn every_operation(before: &[Deed], deed: &Deed, fault: Fault, lasting: bool) -> Result<Tried, String> {
    let mut tried = Tried::default();
    for nth in 1.. {
        let wrong = |what: String| format!("{deed:?}, {fault:?} at {nth}, lasting: {lasting}: {what}");
        let place = Place::new();
        let mut life = Life::new(&place, Options::default(), nth);
        for deed in before {
            if !life.attempt(deed.clone()).map_err(wrong)? {
                return Err(wrong("a disk that is well fails".to_owned()));
            }
        }
        place.disk().record();
        let when = if lasting { When::From(nth) } else { When::Nth(nth) };
        place.disk().fail(fault, when);
        let acknowledged = life.attempt(deed.clone()).map_err(wrong)?;
        if place.disk().mend() == 0 {
            return if acknowledged { Ok(tried) } else { Err(wrong("fails without a reason".to_owned())) };
        }
        tried.operations += 1;
        tried.acknowledged += u64::from(acknowledged);
        if let Some(record) = place.disk().recorded() {
            let cut = Place::new();
            record.power_cut(record.events().len(), nth, cut.directory());
            examine(cut.directory(), life.told())
                .map_err(|what| wrong(format!("after a power cut: {what}")))?;
        }
        let next = Deed::Say { subject: 0, number: 1_000 };
        if !life.attempt(next).map_err(wrong)? {
            return Err(wrong("a disk that is well again does not help".to_owned()));
        }
        let again = life.attempt(deed.clone()).map_err(wrong)?;
        if !again && matches!(deed, Deed::Say { .. } | Deed::Turn { .. } | Deed::Reopen) {
            return Err(wrong("asking again does not help".to_owned()));
        }
        life.close();
        examine(place.directory(), life.told()).map_err(wrong)?;
    }
    Ok(tried)
}
