//! The contract's laws, on SQLite.
#![allow(unused_qualifications, reason = "the suite names its laws in full")]

use crate::places;
use ledger::store::Store;

fn make() -> Box<dyn Store> {
    Box::new(places::open(&places::fresh()))
}

fn place() -> Box<dyn Fn() -> Box<dyn Store>> {
    let directory = places::fresh();
    Box::new(move || Box::new(places::open(&directory)))
}

ledger::conformance_suite! { make, reopen: place }
