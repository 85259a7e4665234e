//! What was not stored, where it stood, and why.

use std::fmt;

use serde::{Serialize, Serializer};

/// One record that was not stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The file, with the archive's name in front for an entry of one.
    pub file: String,
    /// The place in it: `line 12`, `messages[3]`, `file`.
    pub place: String,
    /// Why, as a stable code.
    pub reason: Reason,
    /// Why, for a person; a short fragment with values in backticks.
    pub detail: String,
}

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        /// Why a record was not stored. The codes are stable; people script on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Reason {
            /// Every reason, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The stable code.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)+
                }
            }
        }
    };
}

reasons! {
    /// System prompt, tool call or result, reasoning, injected context, a marker of the machinery.
    ControlPlane = "control_plane",
    /// A summary a model wrote over the dialogue, such as after compaction.
    ModelSummary = "model_summary",
    /// A record about the conversation (title, index, settings), read where useful; it holds no message.
    Metadata = "metadata",
    /// A line the chat program wrote: joined, left, renamed, encrypted.
    ServiceNotice = "service_notice",
    /// A message with no words: only a picture, a sticker, or nothing.
    NoText = "no_text",
    /// A message the person or the program took back.
    Deleted = "deleted",
    /// A file of the format in which there is no record at all.
    NoRecords = "no_records",
    /// A branch of a conversation that was edited away or regenerated.
    InactiveBranch = "inactive_branch",
    /// A turn the tool rewound and no longer stands by.
    Rewound = "rewound",
    /// A checkpoint copy of a session that is kept elsewhere.
    CheckpointCopy = "checkpoint_copy",
    /// The same record again, under the same id.
    DuplicateId = "duplicate_id",
    /// Other words under an id already used; the first stand.
    ConflictingId = "conflicting_id",
    /// A record of something other than dialogue, such as an issue tracker's.
    NotDialogue = "not_dialogue",
    /// Not JSON.
    BadJson = "bad_json",
    /// JSON nested deeper than 127 levels.
    JsonTooDeep = "json_too_deep",
    /// The file ends in the middle of this record.
    Truncated = "truncated",
    /// A field is missing or of another type than the format says.
    WrongShape = "wrong_shape",
    /// A time that names no instant.
    BadTime = "bad_time",
    /// An author outside the known words.
    UnknownAuthor = "unknown_author",
    /// A line that belongs to no message.
    UnparsedLine = "unparsed_line",
    /// Bytes that are not UTF-8.
    InvalidUtf8 = "invalid_utf8",
    /// No format claims the file.
    UnknownFormat = "unknown_format",
    /// The file is not of the format it was to be read as.
    NotThisFormat = "not_this_format",
    /// A picture, sound, film or other file without text.
    Media = "media",
    /// A text over the limit.
    TextTooLong = "text_too_long",
    /// A file over the limit.
    FileTooLarge = "file_too_large",
    /// An archive, or an entry of one, that cannot be opened.
    ArchiveUnreadable = "archive_unreadable",
    /// Entries beyond the permitted number.
    ArchiveTooManyEntries = "archive_too_many_entries",
    /// An entry over the limit for one.
    ArchiveEntryTooLarge = "archive_entry_too_large",
    /// Entries beyond the permitted total size.
    ArchiveTooLarge = "archive_too_large",
    /// An entry that swells more than real text does.
    ArchiveRatio = "archive_ratio",
    /// An entry whose path is absolute or climbs out.
    ArchivePathUnsafe = "archive_path_unsafe",
    /// An entry that is a symbolic link.
    ArchiveSymlink = "archive_symlink",
    /// An archive within an archive.
    ArchiveNested = "archive_nested",
    /// An entry behind a password.
    ArchiveEncrypted = "archive_encrypted",
    /// An SQL statement or table this version does not read.
    SqlUnsupported = "sql_unsupported",
    /// A compressed value this version does not open.
    CompressedValue = "compressed_value",
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
