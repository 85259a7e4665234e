//! Notices: what came of an act, and what is said where something could not be done.

use maud::{Markup, html};
use zeroize::Zeroizing;

use super::desk::Reader;
use super::labels;
use super::language::Noun;
use super::phrases::Phrase;
use super::words::said;
use crate::refusal::Refusal;

/// What a visitor is told on the next page.
pub(super) enum Notice {
    /// A memory was corrected.
    Corrected,
    /// A dispute was decided.
    Resolved,
    /// Something was forgotten.
    Forgotten {
        /// Places where erased bytes were still found.
        residue: u64,
        /// Versions that stand on other words.
        kept: usize,
        /// Versions that stand again.
        reopened: usize,
    },
    /// A key was made.
    KeyMade {
        /// The key, shown this once.
        key: Zeroizing<String>,
        /// What its holder is called.
        name: String,
    },
    /// A key was taken away.
    KeyRevoked,
    /// An act was not done.
    Refused(Refusal),
}

impl Notice {
    /// As it stands on a page, where a screen reader tells it first.
    pub fn markup(&self, reader: &Reader) -> Markup {
        match self {
            Self::Corrected => status(html! { (reader.say(Phrase::Corrected)) }),
            Self::Resolved => status(html! { (reader.say(Phrase::DisputeResolved)) }),
            Self::Forgotten { residue: 0, kept, reopened } => status(html! {
                p { (reader.say(Phrase::ForgottenWithoutResidue)) }
                @if *kept > 0 {
                    p { (reader.say(Phrase::StaysOnOtherWords)) ": " (reader.language.count(*kept, Noun::Version)) "." }
                }
                @if *reopened > 0 {
                    p { (reader.say(Phrase::StandsAgain)) ": " (reader.language.count(*reopened, Noun::Version)) "." }
                }
            }),
            Self::Forgotten { residue, .. } => html! {
                div.notice.alert role="alert" {
                    (reader.say(Phrase::ForgottenWithResidue)) " " (residue)
                }
            },
            Self::KeyMade { key, name } => status(html! {
                p { (reader.say(Phrase::KeyMadeFor)) " " strong { (said(name)) } ". " (reader.say(Phrase::KeyShownOnce)) }
                p { code.key { (**key) } }
            }),
            Self::KeyRevoked => status(html! { (reader.say(Phrase::KeyRevoked)) }),
            Self::Refused(refusal) => html! { div.notice.alert role="alert" { (told(reader, refusal)) } },
        }
    }
}

fn status(body: Markup) -> Markup {
    html! { div.notice role="status" { (body) } }
}

/// The page that stands in for one that could not be shown. Of what is not there, it says the same whatever was asked for.
pub(super) fn page(reader: &Reader, refusal: &Refusal) -> Markup {
    html! {
        @if refusal.status == 404 {
            h1 { (reader.say(Phrase::NotFound)) }
            p { (reader.say(Phrase::NotFoundText)) }
        } @else {
            h1 { (reader.say(Phrase::NotDone)) }
            (told(reader, refusal))
        }
        p { a.button href="/portal/memory" { (reader.say(Phrase::ToMemory)) } }
    }
}

/// A refusal in words: what it means in the reader's language, and exactly what was wrong.
fn told(reader: &Reader, refusal: &Refusal) -> Markup {
    html! {
        p { strong { (labels::refusal(reader, refusal.code)) } }
        p lang="en" { (said(&refusal.detail)) @if let Some(hint) = refusal.hint { " (" (said(hint)) ")" } }
    }
}
