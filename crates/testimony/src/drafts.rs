//! Importers' drafts as messages: the one place where the two vocabularies meet.
//!
//! `importers` and `engine` do not know each other; what one calls a draft the other observes as a message. The words
//! are the same on purpose, so nothing is decided here.

use engine::observe::{AttachmentInput, Message, SourceInput};
use importers::{Author, Fidelity, MessageDraft, Shape, SourceDraft};
use ledger::source::Mode;

/// What the person who imports says about every source of the import.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Another reference for the source; only where there is one.
    pub reference: Option<String>,
    /// Which editions are its word; `snapshot` unless they say.
    pub mode: Option<Mode>,
}

/// The messages of a source, in the order they were said.
pub fn messages(source: SourceDraft, choices: &Choices) -> impl Iterator<Item = Message> + use<> {
    let input = SourceInput {
        reference: choices.reference.clone().unwrap_or(source.reference),
        kind: source.kind,
        title: source.title,
        authority: None,
        fidelity: Some(fidelity(source.fidelity)),
        mode: choices.mode,
        retention: None,
        lineage: None,
    };
    let is_document = source.shape == Shape::Document;
    source.messages.into_iter().map(move |draft| message(input.clone(), draft, is_document))
}

fn message(source: SourceInput, draft: MessageDraft, is_document: bool) -> Message {
    let proposals = (!draft.proposals.is_empty() || is_document).then_some(draft.proposals);
    Message {
        source,
        session: draft.session,
        author: author(draft.author),
        author_name: draft.author_name,
        event_time: draft.event_time.as_ref().map(written),
        external_id: Some(draft.external_id),
        text: draft.text,
        attachments: draft.attachments.into_iter().map(attachment).collect(),
        proposals,
        proposer: None,
        idempotency_key: None,
        kept_on_purpose: false,
    }
}

/// A time with its zone, in the form that the ledger reads: `[Zone]` for a named one, an offset otherwise.
fn written(time: &jiff::ZonedDateTime) -> String {
    match time.time_zone().iana_name() {
        Some("UTC") => time.timestamp().to_string(),
        Some(_) => time.to_string(),
        None => time.strftime("%Y-%m-%dT%H:%M:%S%.f%:z").to_string(),
    }
}

fn author(author: Author) -> ledger::evidence::Author {
    match author {
        Author::Owner => ledger::evidence::Author::Owner,
        Author::Assistant => ledger::evidence::Author::Assistant,
        Author::Service => ledger::evidence::Author::Service,
        Author::External => ledger::evidence::Author::External,
    }
}

fn fidelity(fidelity: Fidelity) -> ledger::source::Fidelity {
    match fidelity {
        Fidelity::VisibleTranscript => ledger::source::Fidelity::VisibleTranscript,
        Fidelity::TranscriptSnapshot => ledger::source::Fidelity::TranscriptSnapshot,
        Fidelity::HybridRecord => ledger::source::Fidelity::HybridRecord,
        Fidelity::StructuredSummary => ledger::source::Fidelity::StructuredSummary,
        Fidelity::DerivedProjection => ledger::source::Fidelity::DerivedProjection,
    }
}

fn attachment(attachment: importers::Attachment) -> AttachmentInput {
    AttachmentInput {
        name: attachment.name,
        media_type: attachment.media_type.unwrap_or_default(),
        size: attachment.size.unwrap_or_default(),
    }
}
