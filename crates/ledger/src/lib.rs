//! The words of Testimony and its pure rules.
//!
//! Nothing here reads a clock, draws randomness or touches a file: the same inputs give the same output. The modules
//! stand in reading order:
//!
//! - what time is ([`time`]), what an id is ([`id`], [`keys`]), whose memory it is ([`scope`]);
//! - how a small file shows its damage ([`marked`]);
//! - where words come from ([`source`]) and what they were ([`evidence`]);
//! - what they are about ([`entity`]), which values there are ([`value`], [`written`]), which predicates ([`registry`]);
//! - what somebody proposes ([`proposal`]) and what may enter ([`admission`], [`gate`]), by whose words they are
//!   ([`regions`]), whether they stand there ([`quote`]), assert anything ([`assertion`]) and hold no secret ([`secret`]);
//! - what was said ([`claim`]), what is held true ([`fact`]) and how that is decided ([`settle`], [`adjudicate`]);
//! - how a log folds into a readable memory ([`log`], [`memory`]) and how words are forgotten ([`erase`], [`proof`],
//!   [`receipt`]);
//! - what one turn may see ([`triage`], [`resolve`], [`packet`], [`turn`]), and how another policy is tried beside it
//!   ([`shadow`]);
//! - what one turn may see ([`triage`], [`resolve`], [`packet`], [`turn`]), by which policy ([`policy`]), and what was
//!   used of it ([`citation`]);
//! - how all of it reads as text ([`print`](mod@print));
//! - what a store must do ([`store`]), which vectors it may keep beside ([`vectors`]), what it keeps about its own working ([`telemetry`]), and the plainest one that does ([`reference`](mod@reference)).
#![deny(missing_docs)]

pub mod time;

pub mod id;
pub mod keys;
pub mod limits;
pub mod marked;
pub mod scope;

pub mod evidence;
pub mod source;

pub mod entity;
pub mod registry;
pub mod value;
pub mod written;

pub mod admission;
pub mod assertion;
pub mod gate;
pub mod proposal;
pub mod quote;
pub mod regions;
pub mod secret;

pub mod adjudicate;
pub mod claim;
pub mod fact;
pub mod settle;

pub mod erase;
pub mod log;
pub mod memory;
pub mod proof;
pub mod receipt;

pub mod calibration;
pub mod citation;
pub mod packet;
pub mod policy;
pub mod resolve;
pub mod shadow;
pub mod triage;
pub mod turn;

pub mod print;
pub mod reference;
pub mod store;
pub mod telemetry;
pub mod vectors;

#[cfg(feature = "conformance")]
pub mod conformance;
