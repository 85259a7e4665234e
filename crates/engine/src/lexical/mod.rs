//! The words of a subject's snapshot, found again: an in-memory inverted index with BM25F over a few fields,
//! stems for English and Croatian, pairs of characters for scripts without spaces, phrases, and neighbours
//! for typing errors.
//!
//! Read [`mod@analyse`] for what a text becomes, [`query`] for what a question becomes, and [`index`] for how the
//! two meet and what a score means. Nothing here reads a clock, draws a random number or touches a file: the
//! same additions in the same order give the same answers, bit for bit.

pub mod analyse;
pub mod croatian;
pub mod index;
#[cfg(test)]
mod naive;
pub mod query;
mod stop_words;
mod vocabulary;

pub use analyse::{Analysis, Language, Purpose, Role, Term, analyse};
pub use index::{AddError, Field, Hit, How, LexicalIndex, MatchedTerm, Ranked};
pub use query::Query;
