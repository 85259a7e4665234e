//! The formats, and how each is recognised.

use std::{fmt, str::FromStr};

use serde_json::Value;
use thiserror::Error;

use crate::{
    agent_session, beam, chat_lines, chatgpt, claude_ai, collect::Collector, decode::File, instagram, json,
    jsonl, markdown, signal, slack, telegram, whatsapp,
};

macro_rules! formats {
    ($($name:ident $word:literal $help:literal $owner:literal $read:path;)+) => {
        /// A file format that can be imported.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format {
            $(#[doc = $help] $name,)+
        }

        impl Format {
            /// Every format, in the order of the help.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The word people type.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            /// One line of help.
            pub fn help(self) -> &'static str {
                match self {
                    $(Self::$name => $help,)+
                }
            }

            /// Who the owner is when nobody is named.
            pub fn owner_default(self) -> &'static str {
                match self {
                    $(Self::$name => $owner,)+
                }
            }

            pub(crate) fn read(self, files: &[File<'_>], out: &mut Collector<'_>) {
                match self {
                    $(Self::$name => $read(files, out),)+
                }
            }
        }
    };
}

formats! {
    Jsonl "jsonl" "JSON Lines, one message a line, as `observe` takes them" "as each line says" jsonl::read;
    Chatgpt "chatgpt" "ChatGPT data export (`conversations.json`, or its zip)" "role `user`" chatgpt::read;
    ClaudeAi "claude-ai" "claude.ai data export (`conversations.json`, or its zip)" "sender `human`" claude_ai::read;
    Slack "slack" "Slack workspace export (zip or unpacked)" "nobody; name a user's name or id" slack::read;
    Whatsapp "whatsapp" "WhatsApp chat text (`_chat.txt`, or its zip)" "nobody; name a sender" whatsapp::read;
    Telegram "telegram" "Telegram Desktop JSON (`result.json`), one chat or all"
        "the account of a whole export; else nobody" telegram::read;
    Signal "signal" "Signal chat text" "nobody; name a sender" signal::read;
    Instagram "instagram" "Instagram or Messenger `message_1.json`" "nobody; name a sender" instagram::read;
    AgentSession "agent-session" "Session file of a coding agent (Claude Code, Codex, Gemini, Cline, Goose and others)"
        "role `user`, subagents excepted" agent_session::read;
    Beam "beam" "BEAM benchmark `chat.json`" "role `user`" beam::read;
    Markdown "markdown" "A Markdown or plain text document" "nobody; a document is never the owner's testimony"
        markdown::read;
}

/// A word that names no format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown format `{word}`")]
pub struct UnknownFormat {
    /// The word given.
    pub word: String,
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.iter().find(|format| format.as_str() == word);
        found.copied().ok_or_else(|| UnknownFormat { word: word.to_owned() })
    }
}

/// The format of a decoded file, by its content, then by its name.
pub(crate) fn detect(name: &str, text: &str) -> Option<Format> {
    let lower = name.to_lowercase();
    let start = text.trim_start();
    if lower.ends_with(".sql") {
        return Some(Format::AgentSession);
    }
    if start.starts_with(['{', '[']) {
        // A line of chat may begin with a bracket too: `[12/31/21, 22:01] Name: words`.
        return detect_json(&lower, start).or_else(|| detect_chat(text)).or_else(|| documents(&lower));
    }
    // A file of lines with one bad line at the top is still what its other lines are.
    if is_lines(&lower) {
        return detect_lines(start);
    }
    detect_chat(text).or_else(|| documents(&lower))
}

fn is_lines(lower: &str) -> bool {
    lower.ends_with(".jsonl") || lower.ends_with(".ndjson")
}

fn detect_chat(text: &str) -> Option<Format> {
    chat_lines::recognise(text).map(|program| match program {
        chat_lines::Program::Whatsapp => Format::Whatsapp,
        chat_lines::Program::Signal => Format::Signal,
    })
}

fn documents(lower: &str) -> Option<Format> {
    let known = [".md", ".markdown", ".txt", ".text"];
    known.iter().any(|ending| lower.ends_with(ending)).then_some(Format::Markdown)
}

fn detect_json(lower: &str, text: &str) -> Option<Format> {
    // Many objects on lines of their own, or one value.
    if text.starts_with('{') && (is_lines(lower) || json::first(text).is_none()) {
        return detect_lines(text).or_else(|| detect_damaged(text));
    }
    let Some(value) = json::first(text) else { return detect_damaged(text) };
    detect_value(lower, &value, text.starts_with('['))
}

/// Looks at up to twenty lines: a session may begin with several lines that only describe it.
fn detect_lines(text: &str) -> Option<Format> {
    let values = text.lines().filter(|line| !line.trim().is_empty()).take(20);
    let values: Vec<Value> = values.filter_map(|line| serde_json::from_str(line).ok()).collect();
    if values.iter().any(jsonl::recognises) {
        return Some(Format::Jsonl);
    }
    agent_session::recognises_lines(&values).then_some(Format::AgentSession)
}

fn detect_value(lower: &str, value: &Value, in_array: bool) -> Option<Format> {
    if chatgpt::recognises(value) {
        return Some(Format::Chatgpt);
    }
    if claude_ai::recognises(value) {
        return Some(Format::ClaudeAi);
    }
    if beam::recognises(value) {
        return Some(Format::Beam);
    }
    if in_array && slack::recognises(lower, value) {
        return Some(Format::Slack);
    }
    if jsonl::recognises(value) {
        return Some(Format::Jsonl);
    }
    if agent_session::recognises_value(value, in_array) {
        return Some(Format::AgentSession);
    }
    if telegram::recognises(value) {
        return Some(Format::Telegram);
    }
    instagram::recognises(value).then_some(Format::Instagram)
}

/// A cut-off export does not parse, yet its first kilobytes name it; reading then says what was lost.
fn detect_damaged(text: &str) -> Option<Format> {
    let head: String = text.chars().take(4096).collect();
    let has = |words: &[&str]| words.iter().all(|word| head.contains(word));
    if has(&["\"mapping\"", "\"message\""]) {
        Some(Format::Chatgpt)
    } else if has(&["\"chat_messages\""]) {
        Some(Format::ClaudeAi)
    } else if has(&["\"batch_number\"", "\"turns\""]) {
        Some(Format::Beam)
    } else if has(&["\"sender_name\"", "\"timestamp_ms\""]) {
        Some(Format::Instagram)
    } else if has(&["\"date_unixtime\""]) {
        Some(Format::Telegram)
    } else {
        None
    }
}
