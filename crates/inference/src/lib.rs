//! What a model can do for Testimony: [`chat`] writes, [`embed`] places a text among others, [`rerank`] orders passages.
//!
//! Three traits, and behind them wire protocols, local models and a scripted stand-in. Nothing here decides anything about
//! memory: what a model says is a proposal, and where a text lies is a signal among others.
#![deny(missing_docs)]

pub mod chat;
pub mod embed;
pub mod error;
pub mod limits;
pub mod local;
pub mod rerank;
pub mod usage;

pub use error::{InferenceError, InferenceErrorKind};
pub use limits::{Cancel, Limits};
pub use usage::Usage;
