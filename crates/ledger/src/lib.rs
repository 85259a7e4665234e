//! The words of Testimony and its pure rules.
//!
//! Nothing here reads a clock, draws randomness or touches a file: the same inputs give the same output. The modules,
//! in reading order: what time is ([`time`]), whose memory it is ([`scope`]), where words come from ([`source`]) and
//! what they were ([`evidence`]), what one of them says ([`claim`]), what is held true ([`fact`]), how that is decided
//! ([`settle`], [`adjudicate`]), how a log folds into a readable memory ([`log`], [`memory`]), how words are forgotten
//! ([`erase`]), how a turn is recorded ([`turn`]), and what a store must do ([`store`]).
#![deny(missing_docs)]

pub mod time;
pub mod id;
pub mod keys;
pub mod scope;
pub mod source;
pub mod entity;
pub mod value;
pub mod written;
pub mod evidence;
pub mod claim;
pub mod fact;
pub mod registry;
pub mod settle;
pub mod log;
pub mod memory;
pub mod adjudicate;
pub mod erase;
pub mod proof;
pub mod turn;
pub mod store;
pub mod reference;
#[cfg(feature = "conformance")]
pub mod conformance;
