//! Recorded sessions: requests and replies in a file, one exchange a line, so that what a real model answered once can be
//! looked at again without it.
//!
//! A line is `{"mark", "path", "request", "status", "reply"}`: the hash of the request, where it went, what it said, and what
//! came back, as JSON or, where it was none, as text. No line holds a key: keys travel in headers, and headers are not kept.
//! The words that were asked do stand there, so a recording is as private as what was recorded.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::error::{InferenceError, InferenceErrorKind};
use crate::limits::Limits;
use crate::wire::exchange::{Exchange, NoReply, Reply, Request};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    mark: String,
    path: String,
    request: Json,
    status: u16,
    reply: Json,
}

/// Passes requests on and writes down what became of them.
pub struct Recorder {
    inner: Box<dyn Exchange>,
    out: Mutex<Box<dyn Write + Send>>,
}

impl Recorder {
    /// Records the exchanges of `inner` to `out`.
    #[must_use]
    pub fn new(inner: Box<dyn Exchange>, out: Box<dyn Write + Send>) -> Self {
        Self { inner, out: Mutex::new(out) }
    }
}

impl Exchange for Recorder {
    fn exchange(&self, request: &Request, limits: &Limits) -> Result<Reply, NoReply> {
        let reply = self.inner.exchange(request, limits)?;
        let body = serde_json::from_slice(&reply.body)
            .unwrap_or_else(|_| Json::from(String::from_utf8_lossy(&reply.body).into_owned()));
        let line = Line {
            mark: request.mark().to_string(),
            path: request.path.clone(),
            request: request.body.clone(),
            status: reply.status,
            reply: body,
        };
        let failed = |what: &str| NoReply {
            error: InferenceError::new(InferenceErrorKind::Configuration, format!("cannot record: {what}")),
            is_worth_retrying: false,
        };
        let mut written = serde_json::to_string(&line).map_err(|_| failed("not JSON"))?;
        // A server that sends the key back must not have it kept.
        if self.inner.is_key_shown_by(&written) {
            return Err(failed("the reply shows the key"));
        }
        written.push('\n');
        let mut out = self.out.lock();
        out.write_all(written.as_bytes())
            .and_then(|()| out.flush())
            .map_err(|error| failed(&error.kind().to_string()))?;
        Ok(reply)
    }

    fn is_key_shown_by(&self, text: &str) -> bool {
        self.inner.is_key_shown_by(text)
    }

    fn forget_key(&self) -> bool {
        self.inner.forget_key()
    }
}

/// Answers from a recording. The same request asked again is answered by its next reply, and by its last from then on.
pub struct Recorded {
    replies: Mutex<BTreeMap<String, VecDeque<Reply>>>,
}

impl Recorded {
    /// Reads a recording.
    ///
    /// # Errors
    /// [`InferenceErrorKind::Configuration`] that names the line which is none, or whose mark is not its request's.
    pub fn read(text: &str) -> Result<Self, InferenceError> {
        let mut replies: BTreeMap<String, VecDeque<Reply>> = BTreeMap::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |what: &str| {
                let message = format!("line {} of the recording {what}", number + 1);
                InferenceError::new(InferenceErrorKind::Configuration, message)
            };
            let line: Line = serde_json::from_str(line).map_err(|_| wrong("is no exchange"))?;
            let request = Request { path: line.path, body: line.request };
            let mark = request.mark().to_string();
            if mark != line.mark {
                return Err(wrong("was changed: its mark is not that of its request"));
            }
            let body = match &line.reply {
                Json::String(text) => text.clone().into_bytes(),
                reply => reply.to_string().into_bytes(),
            };
            replies.entry(mark).or_default().push_back(Reply {
                status: line.status,
                retry_after: None,
                body,
            });
        }
        Ok(Self { replies: Mutex::new(replies) })
    }

    /// How many different requests it knows.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.replies.lock().len()
    }
}

impl Exchange for Recorded {
    fn exchange(&self, request: &Request, _: &Limits) -> Result<Reply, NoReply> {
        let mark = request.mark().to_string();
        let mut replies = self.replies.lock();
        let known = replies.get_mut(&mark).and_then(|waiting| match waiting.len() {
            1 => waiting.front().cloned(),
            _ => waiting.pop_front(),
        });
        known.ok_or_else(|| NoReply {
            error: InferenceError::new(
                InferenceErrorKind::Unsupported,
                format!("the recording holds no request with the mark `{mark}`; record it again"),
            ),
            is_worth_retrying: false,
        })
    }

    fn is_key_shown_by(&self, _: &str) -> bool {
        false
    }
}
