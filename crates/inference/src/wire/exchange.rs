//! One request and its reply, before any protocol has read it: the seam at which a session is recorded and replayed.

use std::time::Duration;

use ledger::evidence::ContentHash;
use serde_json::Value as Json;

use crate::error::InferenceError;
use crate::limits::Limits;

/// What is asked of a server: where, below its base address, and with which body. A key is never part of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The path below the base address, such as `/chat/completions`.
    pub path: String,
    /// The body.
    pub body: Json,
}

impl Request {
    /// What tells this request from any other: a hash of path and body. The order of keys in an object does not matter.
    #[must_use]
    pub fn mark(&self) -> ContentHash {
        let mut written = self.path.clone();
        written.push('\n');
        write_sorted(&self.body, &mut written);
        ContentHash::of(written.as_bytes())
    }
}

fn write_sorted(json: &Json, out: &mut String) {
    match json {
        Json::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            out.push('{');
            for name in names {
                out.push_str(&Json::from(name.as_str()).to_string());
                out.push(':');
                write_sorted(&fields[name], out);
                out.push(',');
            }
            out.push('}');
        }
        Json::Array(items) => {
            out.push('[');
            items.iter().for_each(|item| {
                write_sorted(item, out);
                out.push(',');
            });
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// What a server answered, whatever its status.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// How long the server asks to be left alone.
    pub retry_after: Option<Duration>,
    /// The body, of bounded length.
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Reply {
    /// Shows no word of the body: it may repeat what was asked.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Reply")
            .field("status", &self.status)
            .field("retry_after", &self.retry_after)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// Why there is no reply, and whether asking again may bring one.
#[derive(Debug)]
pub struct NoReply {
    /// What went wrong.
    pub error: InferenceError,
    /// Whether it lay in the connection, so that the next one may hold.
    pub is_worth_retrying: bool,
}

/// Sends a request and brings the reply: over HTTP, or out of a recording.
pub trait Exchange: Send + Sync {
    /// Sends it once.
    ///
    /// # Errors
    /// [`NoReply`] when none came, or none that can be read. A reply that says no is a reply.
    fn exchange(&self, request: &Request, limits: &Limits) -> Result<Reply, NoReply>;

    /// Whether showing `text` would show the key.
    fn is_key_shown_by(&self, text: &str) -> bool;

    /// Forgets the key, so that the next request reads it again; whether that may change anything.
    fn forget_key(&self) -> bool {
        false
    }
}
