//! Limits: the one table of what a request and a subject may cost. What is over one is refused before the work is done,
//! with a stable code, the input, what was found, what is allowed, and what to do instead.
//!
//! A row once released keeps its number and its code; a new one comes last. `docs/reference/limits.md` is written from
//! this table.

use std::fmt;

/// One row of the table.
#[derive(Debug)]
pub struct Limit {
    /// Its place in the table, by which it is counted; never given twice.
    pub number: u32,
    /// The stable code of the error.
    pub code: &'static str,
    /// The most that is allowed.
    pub max: u64,
    /// Of what.
    pub unit: &'static str,
    /// For what: one message, one call, one subject.
    pub per: &'static str,
    /// What to do instead.
    pub fix: &'static str,
}

impl PartialEq for Limit {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Limit {}

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $number:literal $name:ident $code:literal $max:literal $unit:literal $per:literal $fix:literal;)+) => {
        impl Limit {
            $(
                $(#[doc = $doc])+
                pub const $name: &'static Self = &Self {
                    number: $number,
                    code: $code,
                    max: $max,
                    unit: $unit,
                    per: $per,
                    fix: $fix,
                };
            )+

            /// Every limit, in the order of the numbers.
            pub const ALL: &'static [&'static Self] = &[$(Self::$name),+];
        }
    };
}

limits! {
    /// The text of a message.
    0 TEXT_BYTES "text_too_long" 16_777_216 "bytes" "message" "cut it into several messages";
    /// What came with a message.
    1 ATTACHMENTS "too_many_attachments" 100 "attachments" "message" "send the others with another message";
    /// What is proposed about a message.
    2 PROPOSALS "proposals_over_limit" 1_000 "proposals" "message" "send the message again with the others";
    /// A name or an id that comes with a message: session, author, external id, proposer, key, lineage.
    3 NAME_BYTES "name_too_long" 2_000 "bytes" "name" "shorten it";
    /// The words of a question, or the message of a turn.
    4 QUERY_BYTES "query_too_long" 65_536 "bytes" "call" "ask with fewer words";
    /// What one answer lists.
    5 PAGE_ITEMS "page_too_large" 1_000 "items" "call" "ask for less; `export` hands out everything";
    /// The reason of an act, and who it is by.
    6 REASON_BYTES "reason_too_long" 2_000 "bytes" "act" "say it in fewer words";
    /// The text that takes the place of a memory.
    7 CORRECTION_CHARACTERS "correction_too_long" 600 "characters" "call" "say it in fewer words, or `remember` it beside";
    /// The tokens a turn's context may take.
    8 BUDGET_TOKENS "budget_too_large" 200_000 "tokens" "turn" "ask for less";
    /// Recorded turns on which policies are compared.
    9 COMPARED_TURNS "too_many_turns" 10_000 "turns" "call" "compare fewer turns";
    /// The reply whose citations are read.
    10 REPLY_BYTES "reply_too_long" 1_048_576 "bytes" "call" "send the part that cites";
    /// A line of JSON that is observed: a longest message with every byte written as an escape, and more.
    11 LINE_BYTES "line_too_long" 134_217_728 "bytes" "line" "cut the message into several lines";
    /// A line of a JSON Lines file that is imported.
    12 IMPORTED_LINE_BYTES "imported_line_too_long" 33_554_432 "bytes" "line" "cut the message into several lines";
    /// A file that is imported and must be read whole: all formats but JSON Lines.
    13 FILE_BYTES "file_too_large" 536_870_912 "bytes" "file" "cut it, or turn it into JSON Lines";
    /// Files in an archive.
    14 ARCHIVE_ENTRIES "archive_too_many_entries" 50_000 "entries" "archive" "unpack it and import the directory";
    /// One file of an archive, unpacked.
    15 ARCHIVE_ENTRY_BYTES "archive_entry_too_large" 268_435_456 "bytes" "entry" "unpack it and import the directory";
    /// Everything in an archive, unpacked.
    16 ARCHIVE_BYTES "archive_too_large" 1_073_741_824 "bytes" "archive" "unpack it and import the directory";
    /// What one packed byte of a larger entry may become.
    17 ARCHIVE_RATIO "archive_ratio" 200 "bytes per packed byte" "entry" "unpack it and import the directory";
    /// Where words come from.
    18 SUBJECT_SOURCES "too_many_sources" 1_000_000 "sources" "subject" "forget sources, or use another subject";
    /// What is known.
    19 SUBJECT_FACTS "too_many_facts" 1_000_000 "facts" "subject" "forget sources, or use another subject";
}

/// Something that is over a limit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct OverLimit {
    /// The limit.
    pub limit: &'static Limit,
    /// The input, as the caller calls it.
    pub input: &'static str,
    /// What was found there.
    pub found: u64,
    /// What is allowed; the table's, unless a deployment says less.
    pub max: u64,
}

impl fmt::Display for OverLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, input, found, max } = self;
        write!(formatter, "{input} has {found} {}; {max} are allowed", limit.unit)
    }
}

impl Limit {
    /// Whether `found` in `input` is within the limit.
    ///
    /// # Errors
    /// [`OverLimit`] when it is not.
    pub fn check(&'static self, input: &'static str, found: usize) -> Result<(), OverLimit> {
        let found = found as u64;
        if found <= self.max { Ok(()) } else { Err(self.over(input, found)) }
    }

    /// What is said of something that is over.
    #[must_use]
    pub const fn over(&'static self, input: &'static str, found: u64) -> OverLimit {
        OverLimit { limit: self, input, found, max: self.max }
    }

    /// The most that is allowed, as a length in memory.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.max as usize
    }

    /// The limit with this code.
    #[must_use]
    pub fn with_code(code: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|limit| limit.code == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_and_codes_are_told_apart() {
        for (place, limit) in Limit::ALL.iter().enumerate() {
            assert_eq!(limit.number as usize, place, "{}", limit.code);
            assert_eq!(Limit::with_code(limit.code), Some(*limit));
        }
    }

    #[test]
    fn one_more_is_over() {
        assert_eq!(Limit::ATTACHMENTS.check("the message", 100), Ok(()));
        let over = Limit::ATTACHMENTS.check("the message", 101).expect_err("one more");
        assert_eq!(over.to_string(), "the message has 101 attachments; 100 are allowed");
    }
}
