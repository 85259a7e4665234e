//! Foreign bytes to source drafts.
//!
//! People arrive with years of conversations in other programs' files. This crate reads those files and
//! says what each message was: who wrote it, when, in which conversation, in which exact words. It decides
//! nothing about memory: no claim is made here, no fact is opened. It is pure: bytes and a name in, drafts
//! out; no file system, no clock, no network. The same bytes give the same drafts.
//!
//! Three rules hold in every format.
//!
//! - **Nothing is lost in silence.** [`Imported::records`] = messages + documents + refused + joined, always.
//!   Whatever is not stored is in [`Imported::refused`] with file, place and a stable reason.
//! - **Only the owner's words carry the owner's name.** System prompts, tool calls and their results,
//!   reasoning, model-written summaries and forwarded words are never drafted as the owner's. In a group chat
//!   nobody is the owner until [`Options::owner`] names them.
//! - **A second import changes nothing.** Every message has an [`MessageDraft::external_id`]: the export's own,
//!   or one made from the words themselves, which stays the same when the file grows.
//!
//! Reading order: [`draft`], [`refused`], [`mod@format`], then any one format. [`JsonLines`] reads the one format that may be
//! larger than memory.

#![deny(missing_docs)]

pub mod draft;
pub mod format;
pub mod limits;
pub mod refused;

mod agent_session;
mod archive;
mod beam;
mod chat_lines;
mod chatgpt;
mod claude_ai;
mod collect;
mod decode;
mod instagram;
mod instant;
mod json;
mod jsonl;
mod markdown;
mod pieces;
mod signal;
mod slack;
mod telegram;
mod whatsapp;

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

pub use draft::{Attachment, Author, Fidelity, MessageDraft, Shape, SourceDraft};
pub use format::{Format, UnknownFormat};
pub use limits::Limits;
pub use pieces::JsonLines;
pub use refused::{Reason, Refused};

/// One file as it was found.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The path shown to people, relative to what they named, with `/` between folders. Where an export carries
    /// no identity of its own, the source's identity is taken from this name, so pass the same one next time.
    pub name: &'a str,
    /// The whole content.
    pub bytes: &'a [u8],
}

/// What the person who imports knows and the files may not say.
#[derive(Clone, Debug)]
pub struct Options {
    /// The owner's name or id in that export, matched whole. Formats in which one side is always the owner
    /// (a chat with a model) need none; [`Format::owner_default`] says which.
    pub owner: Option<String>,
    /// The zone of written times that carry none (WhatsApp, Signal, day anchors).
    pub zone: TimeZone,
    /// What a file may cost before it is refused.
    pub limits: Limits,
}

impl Default for Options {
    /// No named owner, UTC, [`Limits::default`].
    fn default() -> Self {
        Self { owner: None, zone: TimeZone::UTC, limits: Limits::default() }
    }
}

/// Everything that came out of one [`read`].
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Sources with at least one message, in the order they were first met.
    pub sources: Vec<SourceDraft>,
    /// Every record that was not stored, in reading order.
    pub refused: Vec<Refused>,
    /// What a person should know and could change: assumptions made, names seen, fields not understood.
    pub notices: Vec<String>,
    /// Records met: lines, array entries, rows, or whole files that hold none.
    pub records: u64,
    /// Records whose words continue another record's message (a reply streamed in pieces).
    pub joined: u64,
    /// Control-plane parts (reasoning, tool calls, injected context) cut from messages that were stored.
    /// They are parts of a record, so they stand outside the balance.
    pub parts_cut: u64,
}

impl Imported {
    /// Messages in conversations.
    pub fn messages(&self) -> u64 {
        self.count(Shape::Conversation)
    }

    /// Documents.
    pub fn documents(&self) -> u64 {
        self.count(Shape::Document)
    }

    /// How many records were refused for each reason.
    pub fn refused_by_reason(&self) -> BTreeMap<Reason, u64> {
        let mut counts = BTreeMap::new();
        for refused in &self.refused {
            *counts.entry(refused.reason).or_insert(0) += 1;
        }
        counts
    }

    /// Whether every record met is accounted for.
    pub fn balances(&self) -> bool {
        self.records == self.messages() + self.documents() + self.refused.len() as u64 + self.joined
    }

    fn count(&self, shape: Shape) -> u64 {
        self.sources
            .iter()
            .filter(|source| source.shape == shape)
            .map(|source| source.messages.len() as u64)
            .sum()
    }
}

/// Recognises a file by its content first and its name second. `None` for a file no format claims; archives are
/// recognised by what they hold, so a bare zip answers `None` here although [`read`] opens it.
pub fn detect(input: &Input<'_>) -> Option<Format> {
    format::detect(input.name, &decode::decode(input.bytes).text)
}

/// Reads files. `None` recognises each file, and each entry of an archive, on its own; a format given is used for
/// all of them.
///
/// Never panics and never fails as a whole: what cannot be read is refused in its place and the rest goes on.
/// Work is linear in the size of the files; memory is a small multiple of the largest.
pub fn read(format: Option<Format>, inputs: &[Input<'_>], options: &Options) -> Imported {
    let mut collector = collect::Collector::new(options);
    let mut by_format: Vec<(Format, Vec<decode::File<'_>>)> = Vec::new();
    for input in inputs {
        for (name, bytes) in archive::expand(*input, &mut collector) {
            let file = decode::File::new(name, bytes);
            match format.or_else(|| format::detect(&file.name, &file.text)) {
                Some(found) => match by_format.iter_mut().find(|(format, _)| *format == found) {
                    Some((_, files)) => files.push(file),
                    None => by_format.push((found, vec![file])),
                },
                None => collector.refuse(&file, "file", Reason::UnknownFormat, "no format claims this file"),
            }
        }
    }
    for (format, files) in by_format {
        format.read(&files, &mut collector);
        for file in files.iter().filter(|file| !collector.met(file)).collect::<Vec<_>>() {
            collector.refuse(file, "file", Reason::NoRecords, "the file holds no record of this format");
        }
    }
    collector.finish()
}
