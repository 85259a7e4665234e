//! The one place where records are counted.
//!
//! A format stores, refuses or joins each record it meets, exactly once; the count is kept here, so that the balance
//! cannot be forgotten in one of fifteen formats. Ids are made unique within their source here too.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::{ZonedDateTime, tz::TimeZone};
use serde_json::Value;

use crate::{
    Attachment, Author, Fidelity, Imported, MessageDraft, Options, Reason, Refused, Shape, SourceDraft,
    decode::File,
};

/// Gathers drafts and refusals of one import.
pub(crate) struct Collector<'o> {
    options: &'o Options,
    imported: Imported,
    by_identity: HashMap<(String, String), SourceIndex>,
    /// For each source: external id to the message that holds it.
    ids: Vec<HashMap<String, usize>>,
    /// How often a synthesised id's words were seen in a source, by the first bytes of a hash over both: small, because a
    /// file read in pieces keeps it to its end. Two that fall together only count on from one another.
    occurrences: HashMap<u64, u32>,
    times_unreadable: u64,
    /// Files in which a record was met.
    met: HashSet<String>,
}

/// A source opened in this import.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct SourceIndex(usize);

/// What identifies a source, and how it is to be taken.
pub(crate) struct Opening<'a> {
    pub kind: &'a str,
    pub reference: String,
    pub title: Option<String>,
    pub fidelity: Fidelity,
    pub shape: Shape,
}

/// One record that holds words.
pub(crate) struct Words {
    pub author: Author,
    pub author_name: Option<String>,
    pub event_time: Option<ZonedDateTime>,
    pub text: String,
    pub id: Id,
    pub session: Option<String>,
    pub attachments: Vec<Attachment>,
    pub proposals: Vec<Value>,
    /// Control-plane parts that were cut from this record.
    pub parts_cut: u64,
}

/// Where a message's external id comes from.
pub(crate) enum Id {
    /// The export's own.
    Given(String),
    /// None; these fields, as they are written in the file, tell the record from others. They must not depend on
    /// options or on the position in the file.
    FromWords(Vec<String>),
}

impl Words {
    /// A message with nothing but words.
    pub fn new(author: Author, event_time: Option<ZonedDateTime>, text: String, id: Id) -> Self {
        Self {
            author,
            author_name: None,
            event_time,
            text,
            id,
            session: None,
            attachments: Vec::new(),
            proposals: Vec::new(),
            parts_cut: 0,
        }
    }
}

impl Id {
    /// The given id, else the fields.
    pub fn given_or(given: Option<String>, fields: &[&str]) -> Self {
        match given {
            Some(id) => Self::Given(id),
            None => Self::FromWords(fields.iter().map(|field| (*field).to_owned()).collect()),
        }
    }
}

impl<'o> Collector<'o> {
    pub fn new(options: &'o Options) -> Self {
        Self {
            options,
            imported: Imported::default(),
            by_identity: HashMap::new(),
            ids: Vec::new(),
            occurrences: HashMap::new(),
            times_unreadable: 0,
            met: HashSet::new(),
        }
    }

    pub fn options(&self) -> &'o Options {
        self.options
    }

    pub fn zone(&self) -> &'o TimeZone {
        &self.options.zone
    }

    /// The source of this identity: the one already open, or a new one. The first title and fidelity stand.
    pub fn open(&mut self, opening: Opening<'_>) -> SourceIndex {
        let Opening { kind, reference, title, fidelity, shape } = opening;
        let identity = (kind.to_owned(), reference);
        if let Some(index) = self.by_identity.get(&identity) {
            return *index;
        }
        let index = SourceIndex(self.imported.sources.len());
        self.imported.sources.push(SourceDraft {
            kind: identity.0.clone(),
            reference: identity.1.clone(),
            title: title.filter(|title| !title.trim().is_empty()),
            fidelity,
            shape,
            messages: Vec::new(),
        });
        self.ids.push(HashMap::new());
        self.by_identity.insert(identity, index);
        index
    }

    /// A conversation in a program's export.
    pub fn conversation(
        &mut self,
        kind: &str,
        reference: String,
        title: Option<&str>,
        fidelity: Fidelity,
    ) -> SourceIndex {
        let title = title.map(str::to_owned);
        self.open(Opening { kind, reference, title, fidelity, shape: Shape::Conversation })
    }

    /// Stores one record, or refuses it when it is damaged, empty, too long or already there.
    pub fn store(&mut self, file: &File<'_>, source: SourceIndex, place: &str, words: Words) {
        self.store_in(file, source, place, words);
    }

    /// As [`Self::store`], answering where the message stands so that [`Self::join`] can add to it.
    pub fn store_in(
        &mut self,
        file: &File<'_>,
        source: SourceIndex,
        place: &str,
        words: Words,
    ) -> Option<usize> {
        let marked = |text: &str| file.marker.is_some_and(|marker| text.contains(marker));
        if marked(&words.text) || words.author_name.as_deref().is_some_and(marked) {
            self.refuse(file, place, Reason::InvalidUtf8, "the record holds bytes that are not UTF-8");
            return None;
        }
        if words.text.trim().is_empty() {
            let (reason, detail) = match (words.parts_cut, words.attachments.len()) {
                (0, 0) => (Reason::NoText, "the message is empty".to_owned()),
                (0, count) => (Reason::NoText, format!("no words, {count} attachment(s)")),
                (parts, _) => {
                    (Reason::ControlPlane, format!("{parts} control-plane part(s) and no dialogue"))
                }
            };
            self.refuse(file, place, reason, &detail);
            return None;
        }
        if words.text.len() > self.options.limits.text_bytes_max {
            let detail =
                format!("`{}` bytes, at most `{}`", words.text.len(), self.options.limits.text_bytes_max);
            self.refuse(file, place, Reason::TextTooLong, &detail);
            return None;
        }
        let SourceIndex(index) = source;
        let mut from_words = |fields: &[String]| {
            let hash = hash(fields);
            let seen = self.occurrences.entry(short_hash(index, &hash)).or_insert(0);
            *seen += 1;
            format!("h:{hash}:{seen}")
        };
        let external_id = match words.id {
            Id::Given(id) if !id.trim().is_empty() => id,
            // An id that is there and empty tells no two messages apart.
            Id::Given(_) => from_words(std::slice::from_ref(&words.text)),
            Id::FromWords(fields) => from_words(&fields),
        };
        if let Some(first) = self.ids[index].get(&external_id) {
            let same = self.imported.sources[index].messages[*first].text == words.text;
            let (reason, detail) = match same {
                true => (Reason::DuplicateId, format!("id `{external_id}` is already in this import")),
                false => {
                    (Reason::ConflictingId, format!("id `{external_id}` is already used for other words"))
                }
            };
            self.refuse(file, place, reason, &detail);
            return None;
        }
        self.meet(&file.name);
        let messages = &mut self.imported.sources[index].messages;
        self.ids[index].insert(external_id.clone(), messages.len());
        messages.push(MessageDraft {
            author: words.author,
            author_name: words.author_name.filter(|name| !name.trim().is_empty()),
            event_time: words.event_time,
            text: words.text,
            external_id,
            session: words.session,
            attachments: words.attachments,
            proposals: words.proposals,
        });
        self.imported.records += 1;
        self.imported.parts_cut += words.parts_cut;
        Some(messages.len() - 1)
    }

    /// Counts `records` whose words were put into a message stored under another record.
    pub fn join(&mut self, records: u64) {
        self.imported.records += records;
        self.imported.joined += records;
    }

    pub fn refuse(&mut self, file: &File<'_>, place: &str, reason: Reason, detail: &str) {
        self.refuse_named(&file.name, place, reason, detail);
    }

    /// Refuses something that has no decoded file, such as an entry of an archive.
    pub fn refuse_named(&mut self, file: &str, place: &str, reason: Reason, detail: &str) {
        self.meet(file);
        self.imported.records += 1;
        self.imported.refused.push(Refused {
            file: file.to_owned(),
            place: place.to_owned(),
            reason,
            detail: detail.to_owned(),
        });
    }

    /// Whether a record of this file was stored or refused.
    pub fn met(&self, file: &File<'_>) -> bool {
        self.met.contains(&*file.name)
    }

    fn meet(&mut self, file: &str) {
        if !self.met.contains(file) {
            self.met.insert(file.to_owned());
        }
    }

    pub fn notice(&mut self, notice: String) {
        if !self.imported.notices.contains(&notice) {
            self.imported.notices.push(notice);
        }
    }

    /// Passes a time on, counting the fields that hold something which is no time. The message is kept without one.
    pub fn time(&mut self, value: Option<&Value>) -> Option<ZonedDateTime> {
        let value = value.filter(|value| !value.is_null())?;
        let time = crate::instant::from_json(value, &self.options.zone);
        if time.is_none() {
            self.times_unreadable += 1;
        }
        time
    }

    /// The author of a group-chat message: the owner when the options name this person, else somebody else.
    pub fn member(&self, name: &str, id: Option<&str>) -> Author {
        match &self.options.owner {
            Some(owner)
                if !owner.trim().is_empty() && (owner.trim() == name.trim() || Some(owner.trim()) == id) =>
            {
                Author::Owner
            }
            _ => Author::External,
        }
    }

    /// Says that a name is not enough, when the options name the owner by one that several people bear.
    pub fn name_is_shared(&mut self, what: &str, ids: &BTreeSet<String>) {
        let shown: Vec<String> = ids.iter().take(20).map(|id| format!("`{id}`")).collect();
        let owner = self.options.owner.as_deref().unwrap_or("");
        self.notice(format!(
            "{what}: {} people are called `{owner}`, so none of them was taken for the owner; name an id, one of {}",
            ids.len(),
            shown.join(", ")
        ));
    }

    /// Says whose memory the chat was read as, when that is not what a person would expect.
    pub fn members_seen(&mut self, what: &str, names: &BTreeSet<String>, owner_found: bool) {
        if owner_found || names.is_empty() {
            return;
        }
        let shown: Vec<String> = names.iter().take(20).map(|name| format!("`{name}`")).collect();
        let more = if names.len() > shown.len() {
            format!(" and {} more", names.len() - shown.len())
        } else {
            String::new()
        };
        let why = match &self.options.owner {
            Some(owner) => format!("nobody is called `{owner}`"),
            None => "no owner was named".to_owned(),
        };
        self.notice(format!(
            "{what}: {why}, so every message is somebody else's words; name the owner, one of {}{more}",
            shown.join(", ")
        ));
    }

    /// Takes out what was gathered so far. What tells messages apart by their words is kept; ids that came with them are
    /// not, so a message that comes again in a later piece is told apart by whoever stores it.
    pub fn drain(&mut self) -> Imported {
        self.ids.iter_mut().for_each(HashMap::clear);
        let mut drained = Imported::default();
        for source in &mut self.imported.sources {
            let messages = std::mem::take(&mut source.messages);
            if !messages.is_empty() {
                drained.sources.push(SourceDraft { messages, ..source.clone() });
            }
        }
        drained.refused = std::mem::take(&mut self.imported.refused);
        drained.notices = std::mem::take(&mut self.imported.notices);
        drained.records = std::mem::take(&mut self.imported.records);
        drained.joined = std::mem::take(&mut self.imported.joined);
        drained.parts_cut = std::mem::take(&mut self.imported.parts_cut);
        drained
    }

    pub fn finish(mut self) -> Imported {
        if self.times_unreadable > 0 {
            self.notice(format!(
                "{} time(s) could not be read; those messages carry none",
                self.times_unreadable
            ));
        }
        self.imported.sources.retain(|source| !source.messages.is_empty());
        self.imported
    }
}

/// The first bytes of a hash over a source and the hash of its fields.
fn short_hash(source: usize, fields: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(source as u64).to_le_bytes());
    hasher.update(fields.as_bytes());
    let mut short = [0; 8];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(short)
}

/// 128 bits over the fields, each with its length in front so that no two lists of fields run together.
fn hash(fields: &[String]) -> String {
    let mut hasher = blake3::Hasher::new();
    for field in fields {
        hasher.update(&(field.len() as u64).to_le_bytes());
        hasher.update(field.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
