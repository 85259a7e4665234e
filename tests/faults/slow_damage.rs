//! One byte flipped, or the end cut off, in each file of a data directory in turn. What is derived is made anew and the answers
//! are the same; damage to the truth is named by an error or by verification, and never served as an answer.
#![allow(clippy::disallowed_methods, reason = "tests damage files on purpose")]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::embed::EmbedBudget;
use engine::recall::{Grain, Recall};
use engine::{Call, Engine};
use inference::Limits;
use ledger::store::StoreErrorKind;
use proofs::ordeal::{Place, copy, record_comparison, saying};
use proofs::search::files;
use proofs::world::scope;
use proofs::{WordHash, at, engine_on};
use store_sqlite::{Options, RotationStep, SqliteStore};

/// Messages in the directory; the last one is the last thing that was written to the log.
const MESSAGES: u64 = 8;

/// A directory with everything in it, as a kill would leave it: the log is not written back. How long the log was before
/// the last message.
fn written() -> (Place, u64) {
    let place = Place::new();
    let engine = open(place.directory()).expect("opened");
    let log = place.directory().join("ledger.db-wal");
    let mut before_last = 0;
    for number in 0..MESSAGES {
        before_last = log.metadata().map_or(0, |found| found.len());
        let me = scope("me");
        let call = Call { scope: &me, now: at("2026-05-01") };
        engine.observe(call, vec![saying("c1", number)], Default::default()).expect("taken");
        embed(&engine);
    }
    record_comparison(place.directory()).expect("recorded");
    let left = Place::copy_of(place.directory());
    assert!(left.directory().join("ledger.db-wal").metadata().is_ok_and(|found| found.len() > before_last));
    (left, before_last)
}

fn open(directory: &Path) -> Result<Engine, ledger::store::StoreError> {
    let store = SqliteStore::open(directory, Options::default())?;
    Ok(engine_on(Arc::new(store)).with_embedder(Arc::new(WordHash::named("wordhash/1"))))
}

fn embed(engine: &Engine) {
    let me = scope("me");
    let budget = EmbedBudget { texts: 64, limits: Limits::within(Duration::from_secs(60)) };
    let call = Call { scope: &me, now: at("2026-05-01") };
    while engine.embed_some(call, &budget).expect("embedded").missing > 0 {}
}

/// What is answered to everybody who asks.
fn answers(engine: &Engine) -> Result<Vec<String>, engine::error::EngineError> {
    let me = scope("me");
    let call = Call { scope: &me, now: at("2026-05-02") };
    let mut all = Vec::new();
    for grain in [Grain::Fact, Grain::Evidence] {
        let recall = Recall { grain, limit: 100, ..Recall::of("which puzzle do I like?") };
        let recalled = engine.recall(call, &recall)?;
        all.extend(
            recalled
                .items
                .iter()
                .map(|item| format!("{grain:?} {:?} {:?} {:?}", item.value, item.text, item.support)),
        );
    }
    all.sort();
    Ok(all)
}

/// What became of one damage.
#[derive(PartialEq, Eq, Debug)]
enum Found {
    Refused,
    Named,
    Harmless,
    /// Everything but the last message is there.
    LastLost,
}

fn look(directory: &Path, expected: &[String]) -> Found {
    let engine = match open(directory) {
        Ok(engine) => engine,
        Err(error) => {
            let kinds =
                [StoreErrorKind::Damaged, StoreErrorKind::Key, StoreErrorKind::Newer, StoreErrorKind::Io];
            assert!(kinds.contains(&error.kind()), "{:?} {error}", error.kind());
            return Found::Refused;
        }
    };
    let me = scope("me");
    let call = Call { scope: &me, now: at("2026-05-02") };
    // Asked twice: before and after what is derived was made anew.
    let answered = answers(&engine);
    match engine.verify(call) {
        Err(_) => return Found::Refused,
        Ok(verified) if !verified.ok => return Found::Named,
        Ok(_) => {}
    }
    let answered = answered.expect("nothing is wrong");
    embed(&engine);
    assert_eq!(answers(&engine).expect("nothing is wrong"), answered);
    if answered == expected {
        return Found::Harmless;
    }
    let last = format!("puzzle {}", MESSAGES - 1);
    let rest: Vec<&String> = expected.iter().filter(|item| !item.contains(&last)).collect();
    assert!(answered.iter().eq(rest.iter().copied()), "{answered:#?} for {expected:#?}");
    Found::LastLost
}

/// Damages the file of this name in a directory with everything in it, in so many places.
fn damage_each(name: &str, times: usize) -> Vec<(u64, bool, Found)> {
    let (original, before_last) = written();
    damage_each_of(&original, before_last, name, times)
}

/// Damages the file in a fresh copy of `original` in so many places, and looks at each: a flipped byte, and the file cut there.
fn damage_each_of(original: &Place, before_last: u64, name: &str, times: usize) -> Vec<(u64, bool, Found)> {
    let expected = {
        let whole = Place::copy_of(original.directory());
        let engine = open(whole.directory()).expect("opened");
        let expected = answers(&engine).expect("answers");
        assert_eq!(expected.len() as u64, 2 * MESSAGES);
        expected
    };
    let bytes = fs::read(original.directory().join(name)).expect("the file");
    let stride = (bytes.len() / times).max(1) | 1;
    let mut found = Vec::new();
    for place in (0..bytes.len()).step_by(stride) {
        // A log that is cut short is one that was never longer: nobody can tell.
        let manners: &[bool] = if name == "ledger.db-wal" { &[false] } else { &[false, true] };
        for &cut in manners {
            let copied = Place::new();
            copy(original.directory(), copied.directory());
            let mut damaged = bytes.clone();
            match cut {
                true => damaged.truncate(place),
                false => damaged[place] ^= 0x55,
            }
            fs::write(copied.directory().join(name), damaged).expect("damaged");
            let what = look(copied.directory(), &expected);
            // Only the last transaction of a log may go without a word: nobody can tell it from one that a power cut tore.
            let may_be_lost = name == "ledger.db-wal" && place as u64 >= before_last;
            assert!(may_be_lost || what != Found::LastLost, "{name}, byte {place}, cut: {cut}");
            found.push((place as u64, cut, what));
        }
    }
    found
}

fn count(found: &[(u64, bool, Found)], wanted: &Found) -> usize {
    found.iter().filter(|(_, _, what)| what == wanted).count()
}

#[test]
fn the_database_itself() {
    let found = damage_each("ledger.db", 20);
    assert!(count(&found, &Found::LastLost) == 0, "{found:?}");
}

#[test]
fn the_write_ahead_log() {
    let found = damage_each("ledger.db-wal", 40);
    assert!(count(&found, &Found::Refused) > 20, "{found:?}");
}

#[test]
fn what_is_derived_is_made_anew() {
    for name in ["derived/vectors.db", "derived/vectors.db-wal", "telemetry.db"] {
        let found = damage_each(name, 8);
        assert_eq!(count(&found, &Found::Harmless), found.len(), "{name}: {found:?}");
    }
}

#[test]
fn keys_are_refused() {
    for name in ["keys/master.key", "keys/groups/1.key"] {
        let found = damage_each(name, 6);
        let named = count(&found, &Found::Refused) + count(&found, &Found::Named);
        assert_eq!(named, found.len(), "{name}: {found:?}");
    }
}

/// A change of the master key that was cut off leaves both keys' way to each other.
#[test]
fn what_a_change_of_keys_leaves_is_refused_or_means_nothing() {
    let wrapped = RotationStep::Wrapped { done: 1, total: 1 };
    let mut refused = 0;
    for (last, names) in [
        (wrapped, &["keys/rotation", "keys/master.key"][..]),
        (RotationStep::Placed, &["keys/rotation", "keys/master.key.retired", "keys/master.key"]),
    ] {
        let (original, before_last) = written();
        let store = original.open(&Options::default()).expect("opened");
        let stop = |step| if step == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        assert!(!store.rotate_master(None, stop).expect("cut off").finished);
        let left = Place::copy_of(original.directory());
        drop(store);
        for name in names {
            let found = damage_each_of(&left, before_last, name, 5);
            let named = count(&found, &Found::Refused) + count(&found, &Found::Named);
            // Each half of the way opens what the other does, and a key that was replaced may open nothing any more.
            let harmless = count(&found, &Found::Harmless);
            assert_eq!(named + harmless, found.len(), "{last:?}, {name}: {found:?}");
            refused += named;
        }
    }
    assert!(refused > 10, "{refused}");
}

/// What SQLite shares between processes is made anew by the first that comes.
#[test]
fn shared_memory_that_was_left_is_made_anew() {
    let (original, _) = written();
    let engine = open(original.directory()).expect("opened");
    let expected = answers(&engine).expect("answers");
    let left = Place::copy_of(original.directory());
    for name in ["ledger.db-shm", "derived/vectors.db-shm"] {
        let shared = fs::read(original.directory().join(name)).expect("while it is open");
        for place in (0..shared.len()).step_by(shared.len() / 6) {
            for cut in [false, true] {
                let copied = Place::copy_of(left.directory());
                let mut damaged = shared.clone();
                match cut {
                    true => damaged.truncate(place),
                    false => damaged[place] ^= 0x55,
                }
                fs::write(copied.directory().join(name), damaged).expect("damaged");
                assert_eq!(
                    look(copied.directory(), &expected),
                    Found::Harmless,
                    "{name}, byte {place}, cut: {cut}"
                );
            }
        }
    }
}

/// Whatever lies in a data directory is damaged by some test: here, or where it is written.
#[test]
fn every_file_is_damaged_somewhere() {
    let (original, _) = written();
    let mut names: Vec<String> = files(original.directory())
        .iter()
        .map(|path| path.strip_prefix(original.directory()).expect("inside").display().to_string())
        .collect();
    names.sort();
    let here = [
        "ballast",
        "derived/vectors.db",
        "derived/vectors.db-wal",
        "keys/groups/1.key",
        "keys/master.key",
        "ledger.db",
        "ledger.db-wal",
        "telemetry.db",
    ];
    assert_eq!(names, here);
}

/// Nobody reads what an upgrade kept, until somebody puts it in the ledger's place.
#[test]
fn what_an_upgrade_kept_means_nothing() {
    let (original, _) = written();
    let engine = open(original.directory()).expect("opened");
    let expected = answers(&engine).expect("answers");
    drop(engine);
    fs::write(original.directory().join("ledger.db.version-1"), "damaged").expect("damaged");
    assert_eq!(look(original.directory(), &expected), Found::Harmless);
}

#[test]
fn the_ballast_means_nothing() {
    let (original, _) = written();
    let engine = open(original.directory()).expect("opened");
    let expected = answers(&engine).expect("answers");
    drop(engine);
    fs::write(original.directory().join("ballast"), "short").expect("damaged");
    assert_eq!(look(original.directory(), &expected), Found::Harmless);
    assert_eq!(original.directory().join("ballast").metadata().expect("laid down anew").len(), 16 << 20);
}
