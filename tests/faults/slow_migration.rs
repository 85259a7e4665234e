//! The n-th operation on the disk fails while a store of an earlier version is brought up to date, for every n: it is whole in
//! its own version or whole in the new one, what was copied before is whole or not there yet, and it opens cleanly afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use faults::{Fault, When};
use ledger::store::{Store, StoreErrorKind};
use proofs::ordeal::Place;
use proofs::world::scope;
use rusqlite::Connection;
use store_sqlite::SqliteStore;

use crate::earlier::{self, EARLIER, Tables, tables};

/// A database: its version, and what is in it.
type Contents = (u32, Tables);

/// Reads a database, in the way of whoever comes after a crash. `None` where there is no file.
fn contents(database: &Path) -> Option<Contents> {
    database.exists().then(|| {
        let connection = Connection::open(database).expect("a database");
        let version =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
        (version, tables(&connection))
    })
}

/// What an earlier version was, and what it is brought to.
struct Versions {
    name: &'static str,
    appends: u64,
    turns: usize,
    kept: String,
    old: Contents,
    new: Contents,
}

impl Versions {
    fn of((name, version, appends, turns): (&'static str, u32, u64, usize)) -> Self {
        let place = earlier::copy_of(name);
        let database = place.directory().join("ledger.db");
        let old = contents(&database).expect("the fixture");
        assert_eq!(old.0, version, "{name}");
        drop(place.open(&earlier::options()).expect("brought up to date"));
        let new = contents(&database).expect("a database");
        assert!(new.0 > version, "{name}");
        Self { name, appends, turns, kept: format!("ledger.db.version-{version}"), old, new }
    }

    /// What a failed, or a cut-off, change of version left; `what` says how it failed.
    fn examine(&self, directory: &Path, what: &str) {
        // Looking at it takes a log back; so it is done on a copy.
        let looked_at = Place::copy_of(directory);
        let found = contents(&looked_at.directory().join("ledger.db")).expect("the database is there");
        assert!(found == self.old || found == self.new, "{what}: half a change of version: {}", found.0);
        let kept = |directory: &Path| contents(&directory.join(&self.kept));
        match kept(looked_at.directory()) {
            Some(kept) => assert!(kept == self.old, "{what}: what was kept is not what was there"),
            None => assert!(found == self.old, "{what}: the version changed, and nothing was kept"),
        }
        let store = SqliteStore::open(directory, earlier::options());
        let store = store.unwrap_or_else(|error| panic!("{what}: does not open again: {error}"));
        let me = scope("me");
        assert_eq!(store.verify(&me).expect("verified").damage, [], "{what}");
        assert_eq!(store.head(&me).expect("the head").watermark, self.appends, "{what}");
        assert_eq!(store.recent_turns(&me, 10).expect("turns").len(), self.turns, "{what}");
        drop(store);
        let found = contents(&directory.join("ledger.db"));
        assert!(found.is_some_and(|found| found == self.new), "{what}: it is not in the new version");
        assert!(kept(directory).is_some_and(|kept| kept == self.old), "{what}: nothing was kept");
        assert_eq!(unfinished(directory), Vec::<PathBuf>::new(), "{what}");
    }

    /// Fails the n-th operation, and with `lasting` all after it, for every n; how many failed.
    fn every_operation(&self, fault: Fault, lasting: bool) -> u64 {
        for nth in 1.. {
            let what = format!("{}: {fault:?} at {nth}, lasting: {lasting}", self.name);
            let place = earlier::copy_of(self.name);
            place.disk().record();
            place.disk().fail(fault, if lasting { When::From(nth) } else { When::Nth(nth) });
            let opened = place.open(&earlier::options()).map(drop);
            let befell = place.disk().mend();
            let record = place.disk().recorded().expect("it was written down");
            if let Err(error) = &opened {
                let excused = [StoreErrorKind::Full, StoreErrorKind::Io];
                assert!(befell > 0, "{what}: fails without a reason: {error}");
                assert!(excused.contains(&error.kind()), "{what}: {:?}: {error}", error.kind());
            }
            let cut = Place::new();
            record.power_cut(record.events().len(), nth, cut.directory());
            self.examine(cut.directory(), &format!("{what}, and a power cut"));
            self.examine(place.directory(), &what);
            if befell == 0 {
                opened.expect("nothing failed");
                return nth - 1;
            }
        }
        0
    }
}

/// Files that were to be put in the place of others.
fn unfinished(directory: &Path) -> Vec<PathBuf> {
    let items = fs::read_dir(directory)
        .expect("a directory")
        .chain(fs::read_dir(directory.join("keys/groups")).expect("keys"));
    let names = items.map(|item| item.expect("an item").path());
    names.filter(|path| path.extension().is_some_and(|ending| ending == "new")).collect()
}

/// The device that fails once at each operation is tried every time, the disk that stays full on one version, and everything with
/// `TESTIMONY_FAULTS=all`.
#[test]
fn every_earlier_version_is_whole_whatever_fails() {
    #[allow(clippy::disallowed_methods, reason = "how much a test tries")]
    let all = std::env::var("TESTIMONY_FAULTS").is_ok_and(|what| what == "all");
    for earlier in EARLIER {
        let versions = Versions::of(earlier);
        for fault in Fault::ALL {
            for lasting in [false, true] {
                let is_full = (fault, lasting, versions.name) == (Fault::NoSpace, true, "version-2");
                if all || (fault, lasting) == (Fault::Device, false) || is_full {
                    let failed = versions.every_operation(fault, lasting);
                    println!("{}: {fault:?}, lasting: {lasting}: each of {failed} operations", versions.name);
                    assert!(failed > 10, "{}: {fault:?}: only {failed} operations", versions.name);
                }
            }
        }
    }
}
