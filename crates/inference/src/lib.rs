//! What a model can do for Testimony: [`chat`] writes, [`embed`] places a text among others, [`rerank`] orders passages.
//!
//! Three traits, and behind them wire protocols ([`wire`]), local models and a scripted stand-in ([`scripted`]). Which models there
//! are is a file of [`tiers`], opened as [`models`]. Nothing here decides anything about
//! memory: what a model says is a proposal, and where a text lies is a signal among others.
#![deny(missing_docs)]

pub mod chat;
pub mod clock;
pub mod embed;
pub mod error;
pub mod key;
pub mod limits;
pub mod local;
pub mod meter;
pub mod models;
pub mod recorded;
pub mod rerank;
pub mod scripted;
pub mod secret;
pub mod settings;
pub mod tiers;
pub mod usage;
pub mod wire;

pub use error::{InferenceError, InferenceErrorKind};
pub use limits::{Cancel, Limits};
pub use secret::Secret;
pub use usage::Usage;
