//! JSON Lines read piece by piece, so that a file of any size takes the memory of one piece.
//!
//! The same file gives the same drafts whatever the pieces, but for one thing: an id that came with two messages is told
//! apart here only within a piece. Whoever stores the messages knows the first by then.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::collect::Collector;
use crate::decode::File;
use crate::{Imported, Options, jsonl};

/// A JSON Lines file that is being read.
pub struct JsonLines<'options> {
    name: String,
    collector: Collector<'options>,
    /// Lines read so far.
    lines: usize,
    unknown: BTreeSet<String>,
}

impl<'options> JsonLines<'options> {
    /// Begins the file of this name, as [`crate::Input::name`] has it.
    pub fn begin(name: &str, options: &'options Options) -> Self {
        let collector = Collector::new(options);
        Self { name: name.to_owned(), collector, lines: 0, unknown: BTreeSet::new() }
    }

    /// Reads the next whole lines; what came of them.
    pub fn read(&mut self, lines: &[u8]) -> Imported {
        let file = File::new(Cow::Borrowed(&self.name), Cow::Borrowed(lines));
        jsonl::read_lines(&file, self.lines, &mut self.unknown, &mut self.collector);
        self.lines += lines.iter().filter(|byte| **byte == b'\n').count();
        self.collector.drain()
    }

    /// The number of the next line, from 1.
    pub fn line(&self) -> usize {
        self.lines + 1
    }

    /// Counts a line that was passed over unread.
    pub fn pass_over(&mut self) {
        self.lines += 1;
    }

    /// What is left to be said at the end.
    pub fn end(mut self) -> Imported {
        jsonl::say_unknown(&self.name, &self.unknown, &mut self.collector);
        self.collector.finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Format, Input};

    fn lines() -> String {
        let mut text = String::from("\u{feff}");
        for number in 0..20 {
            let source = json!({"kind": "chat", "ref": format!("c{}", number % 2)});
            let line = |words: &str| json!({"source": source, "author": "owner", "text": words});
            let mut with_id = line(&format!("words {number}"));
            with_id["external_id"] = json!(format!("m{number}"));
            let mut empty = line("");
            empty["colour"] = json!(1);
            // The same words again and again, without an id of their own.
            text.push_str(&format!("{with_id}\n{}\nnot JSON\n\n{empty}\n", line("the same")));
        }
        text
    }

    /// Whatever the pieces, drafts, refusals and counts are those of the whole file.
    #[test]
    fn pieces_give_what_the_whole_gives() {
        let (text, options) = (lines(), Options::default());
        let whole =
            crate::read(Some(Format::Jsonl), &[Input { name: "a.jsonl", bytes: text.as_bytes() }], &options);
        assert!(whole.balances() && whole.messages() == 40 && whole.refused.len() == 40, "{whole:?}");
        for piece_lines in [1, 3, 7, 1_000] {
            let mut reader = JsonLines::begin("a.jsonl", &options);
            let mut drafts = Vec::new();
            let mut refused = Vec::new();
            let mut records = 0;
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            for piece in all.chunks(piece_lines) {
                let read = reader.read(piece.concat().as_bytes());
                assert!(read.balances());
                records += read.records;
                refused.extend(read.refused);
                for source in read.sources {
                    let reference = source.reference.clone();
                    drafts.extend(source.messages.into_iter().map(|draft| (reference.clone(), draft)));
                }
            }
            assert_eq!(reader.line(), all.len() + 1);
            let end = reader.end();
            assert_eq!(end.notices, whole.notices);
            assert_eq!((records, &refused), (whole.records, &whole.refused), "{piece_lines} lines at a time");
            let mut expected: Vec<_> = whole
                .sources
                .iter()
                .flat_map(|source| {
                    source.messages.iter().map(|draft| (source.reference.clone(), draft.clone()))
                })
                .collect();
            expected.sort_by(|left, right| left.0.cmp(&right.0));
            drafts.sort_by(|left, right| left.0.cmp(&right.0));
            assert_eq!(drafts, expected, "{piece_lines} lines at a time");
        }
    }
}
