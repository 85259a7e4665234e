//! The examination: what is left in a directory, held against what was told.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use engine::Call;
use store_sqlite::{Options, SqliteStore};

use super::life::{SUBJECTS, name, words};
use super::told::{Outcome, Told};
use crate::search::files;
use crate::world::{at, engine_on, fold};

/// Opens what lies in `directory` and holds it against what was told.
///
/// # Errors
/// The first thing that is wrong: the store does not open, verification finds damage, something acknowledged is lost,
/// something is there by half or twice, or something forgotten is left.
pub fn examine(directory: &Path, told: &Told) -> Result<(), String> {
    let store = SqliteStore::open(directory, Options::default())
        .map_err(|error| format!("does not open: {:?}: {error}", error.kind()))?;
    let engine = engine_on(Arc::new(store));
    let mut there: BTreeMap<String, usize> = BTreeMap::new();
    let mut claimed: BTreeSet<String> = BTreeSet::new();
    for subject in 0..SUBJECTS {
        let scope = name(subject);
        let call = Call { scope: &scope, now: at("2026-06-01") };
        let verified = engine.verify(call).map_err(|error| format!("{subject}: {error}"))?;
        if !verified.ok {
            return Err(format!("{subject}: {:?}", verified.damage));
        }
        let kept = engine.store().evidence_after(&scope, None, 100_000);
        for (_, evidence) in kept.map_err(|error| format!("{subject}: {error}"))? {
            let text = evidence.words.text.ok_or("a message has no text")?;
            *there.entry(format!("{subject} {text}")).or_default() += 1;
        }
        for (_, claim) in fold(engine.store(), &scope, u64::MAX).claims() {
            claimed.insert(format!("{subject} {}.", claim.words.quotes.first().text()));
        }
    }
    if there.keys().ne(claimed.iter()) {
        return Err(format!("half a message: {there:?} but {claimed:?}"));
    }
    for (number, saying) in told.sayings() {
        let key = format!("{} {}.", saying.subject, words(number));
        let count = there.remove(&key).unwrap_or_default();
        let must = saying.said == Outcome::Acknowledged && saying.forgotten == Outcome::NotBegun;
        let may = saying.said > Outcome::NotBegun && saying.forgotten < Outcome::Acknowledged;
        if must && count != 1 {
            return Err(format!("message {number} was acknowledged and is there {count} times"));
        }
        if count > usize::from(may) {
            return Err(format!("message {number} is there {count} times: {saying:?}"));
        }
    }
    if let Some(stray) = there.keys().next() {
        return Err(format!("nobody said `{stray}`"));
    }
    drop(engine);
    residue(directory, told)
}

/// Searches every file for what was acknowledged as gone.
fn residue(directory: &Path, told: &Told) -> Result<(), String> {
    let needles: Vec<&[u8]> = told.needles().collect();
    if needles.is_empty() {
        return Ok(());
    }
    for file in files(directory).iter().filter(|file| !file.ends_with("ballast")) {
        let bytes = fs::read(file).map_err(|error| error.to_string())?;
        for needle in &needles {
            if let Some(at) = memchr::memmem::find(&bytes, needle) {
                return Err(format!("forgotten bytes stand in `{}` at {at}", file.display()));
            }
        }
    }
    Ok(())
}
