//! Evidence: one immutable record of what a source said.

use serde::{Deserialize, Serialize};

use crate::id::SourceId;
use crate::keys::Fingerprint;
use crate::source::words;
use crate::time::{Instant, Moment};
use std::fmt;
use std::str::FromStr;

/// One record of what a source said. Append-only: nothing in it is ever changed, only erased whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// Which source said it.
    pub source: SourceId,
    /// Who spoke.
    pub author: Author,
    /// When it was said, and where the speaker's clock stood.
    pub event_time: Moment,
    /// When this system first saw it.
    pub observed_at: Instant,
    /// Length of the whole text in bytes, kept even when the text is not.
    pub text_bytes: u64,
    /// The keyed marks by which the same message is recognised.
    pub marks: Marks,
    /// What a person could recognise; sealed on disk.
    pub words: EvidenceWords,
}

/// The part of evidence that is sealed on disk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EvidenceWords {
    /// The exact text; `None` where the source's retention keeps only quotes, or the text was not asked for.
    pub text: Option<String>,
    /// BLAKE3 of the exact text.
    pub hash: ContentHash,
    /// The source's own id of this message.
    pub external_id: Option<String>,
    /// The session it was said in.
    pub session: Option<String>,
    /// The speaker's name, where the source gives one.
    pub author_name: Option<String>,
    /// What came with it, by name and hash.
    pub attachments: Vec<Attachment>,
}

/// BLAKE3 of a text or a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("blake3:")?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// The keyed marks by which the same message is recognised when it comes again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Marks {
    /// Of the source and the source's own id of the message.
    pub external_id: Option<Fingerprint>,
    /// Of the source, the event time and the text.
    pub moment: Fingerprint,
    /// Of the source and the text: what a tombstone goes by when times are not repeated.
    pub text: Fingerprint,
}

/// Something that came with a message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Attachment {
    /// Its file name.
    pub name: String,
    /// Its media type, as the source gives it.
    pub media_type: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// BLAKE3 of its content, where the content was seen.
    pub hash: Option<ContentHash>,
}

words! {
    /// Who spoke.
    Author {
        /// The subject itself.
        Owner = "owner",
        /// A model answering the subject.
        Assistant = "assistant",
        /// This service or a program around it.
        Service = "service",
        /// Anybody else: a document, another person, a connector item, a tool's result.
        External = "external",
    }
}
