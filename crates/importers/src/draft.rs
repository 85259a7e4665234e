//! What an importer hands on: sources with their messages, not yet evidence.
//!
//! A draft says what the file says and no more. Identity within the ledger, hashes and the time of observation are
//! given when the draft is observed.

use jiff::ZonedDateTime;
use serde::Serialize;

/// Where words came from: one conversation or one document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceDraft {
    /// The first half of the source's identity, such as `chatgpt` or `document`.
    pub kind: String,
    /// The second half: the export's own id of the conversation, else a name derived from the file's.
    pub reference: String,
    /// The title people know it by.
    pub title: Option<String>,
    /// How close its text is to what was said.
    pub fidelity: Fidelity,
    /// Whether it is a conversation or a document.
    pub shape: Shape,
    /// In the order they were said. A document has one.
    pub messages: Vec<MessageDraft>,
}

/// One message, or one document's text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MessageDraft {
    /// Whose words these are.
    pub author: Author,
    /// The name the export gives the author.
    pub author_name: Option<String>,
    /// When it was said, in the zone the export gives, else the one in the options. `None` when the export does
    /// not say.
    pub event_time: Option<ZonedDateTime>,
    /// The exact words; never empty.
    pub text: String,
    /// Unique within the source and the same at every import: the export's own id, else `h:` with a hash of the
    /// words as written and the number of their occurrence.
    pub external_id: String,
    /// The session within the source, where the export has such a thing.
    pub session: Option<String>,
    /// Files the export says were attached; their content is not read.
    pub attachments: Vec<Attachment>,
    /// Proposals an agent sent along (JSON Lines only), untouched: the gate reads them.
    pub proposals: Vec<serde_json::Value>,
}

/// A file named beside a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Attachment {
    /// Its name, or the id the export knows it by.
    pub name: String,
    /// Its media type, where given.
    pub media_type: Option<String>,
    /// Its size in bytes, where given.
    pub size: Option<u64>,
}

/// Whose words a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The subject itself.
    Owner,
    /// A model that answered, or an agent that spoke for one.
    Assistant,
    /// The memory service.
    Service,
    /// Anyone else: other people, bots, documents, forwarded words.
    External,
}

impl Author {
    /// The word used in files and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Assistant => "assistant",
            Self::Service => "service",
            Self::External => "external",
        }
    }

    /// Reads that word, matched whole.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Owner, Self::Assistant, Self::Service, Self::External]
            .into_iter()
            .find(|author| author.as_str() == word)
    }
}

/// How close a source's text is to what was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fidelity {
    /// The words as they stand where they were said: observed messages, documents.
    VisibleTranscript,
    /// A program's export of a conversation, taken at some moment: later edits and deletions are not in it.
    TranscriptSnapshot,
    /// A log that mixes dialogue with machine records; only the dialogue was kept, streamed pieces re-joined.
    HybridRecord,
    /// A summary somebody or something wrote.
    StructuredSummary,
    /// A rendering made from records that are not in the file.
    DerivedProjection,
}

impl Fidelity {
    /// The word used in files and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::VisibleTranscript => "visible_transcript",
            Self::TranscriptSnapshot => "transcript_snapshot",
            Self::HybridRecord => "hybrid_record",
            Self::StructuredSummary => "structured_summary",
            Self::DerivedProjection => "derived_projection",
        }
    }

    /// Reads that word, matched whole, never by a part of it.
    pub fn from_word(word: &str) -> Option<Self> {
        [
            Self::VisibleTranscript,
            Self::TranscriptSnapshot,
            Self::HybridRecord,
            Self::StructuredSummary,
            Self::DerivedProjection,
        ]
        .into_iter()
        .find(|fidelity| fidelity.as_str() == word)
    }
}

/// What a source is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Messages.
    Conversation,
    /// One text.
    Document,
}
