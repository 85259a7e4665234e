//! Sources: where words come from, and how much they count.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::SourceId;

/// A place words come from: a conversation, a note, a document, a mailbox item.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Source {
    /// The sort of place, such as `conversation` or `document`. In clear on disk.
    pub kind: SourceKind,
    /// Its stable name within the kind; with the kind it is the source's identity. Sealed on disk.
    pub reference: String,
    /// What is shown to people, when it has a name. Sealed on disk.
    pub title: Option<String>,
    /// How much its word weighs beside others.
    pub authority: Authority,
    /// How true to the spoken or written words it is.
    pub fidelity: Fidelity,
    /// Whether every edition stays testimony, or only the current one.
    pub mode: Mode,
    /// How much of the words is kept.
    pub retention: Retention,
    /// The source this one was copied, exported or summarised from; `None` when it is its own origin.
    pub copy_of: Option<SourceId>,
}

/// The sort of a source: 1 to 40 bytes of `a-z`, `0-9`, `_`, `-`, `.`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SourceKind(String);

impl SourceKind {
    /// Reads a kind.
    ///
    /// # Errors
    /// [`SourceError::Kind`] when it is empty, too long, or has other characters.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.".contains(&byte);
        match (1..=40).contains(&text.len()) && text.bytes().all(allowed) {
            true => Ok(Self(text.to_owned())),
            false => Err(SourceError::Kind { text: text.chars().take(60).collect() }),
        }
    }

    /// The kind as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The longest reference, title, session or external id of a source or message, in bytes.
pub const NAME_BYTES_MAX: usize = 2_000;

/// Why a source cannot be used as given.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SourceError {
    /// The kind is no plain word.
    #[error("source kind `{text}` is not 1 to 40 of `a-z 0-9 _ - .`")]
    Kind {
        /// What was given, cut to a readable length.
        text: String,
    },
    /// A name is empty or too long.
    #[error("{name} has {bytes} bytes; 1 to {NAME_BYTES_MAX} are allowed")]
    Name {
        /// Which name.
        name: &'static str,
        /// Its length.
        bytes: usize,
    },
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word used in the interface, on disk and in talk.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = $crate::source::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| {
                    $crate::source::UnknownWord {
                        text: text.chars().take(60).collect(),
                        allowed: [$($word),+].join("`, `"),
                    }
                })
            }
        }
    };
}
pub(crate) use words;

/// A word that is none of those allowed in its place; matched whole, never by part.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is none of `{allowed}`")]
pub struct UnknownWord {
    /// What was given.
    pub text: String,
    /// What is allowed.
    pub allowed: String,
}

words! {
    /// How much a source's word weighs beside others.
    Authority {
        /// Written down in passing, or of unknown origin.
        Low = "low",
        /// The usual weight.
        Normal = "normal",
        /// An official or first-hand record.
        High = "high",
    }
}

words! {
    /// How true to the words a source is. Only the first two may be put between quotation marks.
    Fidelity {
        /// The words themselves, as the speaker saw them.
        VisibleTranscript = "visible_transcript",
        /// A copy of the words taken at one time.
        TranscriptSnapshot = "transcript_snapshot",
        /// Words mixed with somebody's notes.
        HybridRecord = "hybrid_record",
        /// Somebody's summary.
        StructuredSummary = "structured_summary",
        /// Computed from other records.
        DerivedProjection = "derived_projection",
    }
}

impl Fidelity {
    /// Whether words of this source may be shown between quotation marks.
    #[must_use]
    pub const fn is_verbatim(self) -> bool {
        matches!(self, Self::VisibleTranscript | Self::TranscriptSnapshot)
    }
}

words! {
    /// Which editions of a source are its word.
    Mode {
        /// Every edition stays testimony of its date.
        Snapshot = "snapshot",
        /// The current edition is the standing statement.
        Living = "living",
    }
}

words! {
    /// How much of the words is kept.
    Retention {
        /// Everything.
        Full = "full",
        /// Only the quoted spans of admitted claims, and the hash of the whole.
        Quotes = "quotes",
    }
}
