//! Refusals: what is answered instead of an answer, once for every face.

use engine::{EngineError, ErrorKind};
use serde_json::{Value as Json, json};

/// Why a call was not answered, told in words that name the input, the place and the fix; never in words of a memory.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{detail}")]
pub struct Refusal {
    /// A stable word for programs.
    pub code: &'static str,
    /// The HTTP status it is told with.
    pub status: u16,
    /// What is wrong.
    pub detail: String,
    /// What to do.
    pub hint: Option<&'static str>,
    /// After how many seconds it may be tried again.
    pub retry_after: Option<u64>,
}

impl Refusal {
    /// A refusal.
    #[must_use]
    pub fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, status, detail: detail.into(), hint: None, retry_after: None }
    }

    /// The same with what to do.
    #[must_use]
    pub fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    /// The same, to be tried again after so many seconds.
    #[must_use]
    pub fn again_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// A request whose shape is wrong.
    #[must_use]
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(400, "bad_request", detail)
    }

    /// A request of the right shape that breaks a rule.
    #[must_use]
    pub fn bad_input(detail: impl Into<String>) -> Self {
        Self::new(422, "bad_input", detail)
    }

    /// Nothing that the caller may know of is there.
    #[must_use]
    pub fn not_found(id: &str) -> Self {
        EngineError::NotFound(id.chars().take(80).collect()).into()
    }

    /// Our fault.
    #[must_use]
    pub fn fault(detail: impl Into<String>) -> Self {
        Self::new(500, "internal", detail)
    }

    /// As RFC 9457 has it, without the members only HTTP has.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut told = json!({"code": self.code, "detail": self.detail});
        if let Some(hint) = self.hint {
            told["hint"] = hint.into();
        }
        told
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        let status = match (&error, error.kind()) {
            (EngineError::Limit(_), _) => 422,
            (_, ErrorKind::Input) => 422,
            (_, ErrorKind::NotFound) => 404,
            (_, ErrorKind::Conflict) => 409,
            (_, ErrorKind::Unavailable) => 503,
            (_, ErrorKind::Damaged | ErrorKind::Permission | ErrorKind::Internal) => 500,
        };
        if status >= 500 {
            // A store names files and codes, and never words of a memory.
            tracing::error!(code = error.code(), %error, "the engine failed");
        }
        let mut refusal = Self::new(status, error.code(), told(&error));
        refusal.hint = match (&error, error.code()) {
            (EngineError::Limit(over), _) => Some(over.limit.fix),
            (EngineError::Store(_), "busy") => Some("try again"),
            (EngineError::Store(_), "full") => {
                Some("make room on the server's disk; reading and forgetting still work")
            }
            (EngineError::Store(_), "data_permission") => {
                Some("let the server write its data directory; reading still works")
            }
            // Nobody may know how much of it was done.
            (EngineError::Store(_), "disk") => Some(
                "ask again once the server's disk is well; with the same idempotency key nothing is kept twice",
            ),
            _ => None,
        };
        if status == 503 {
            refusal.retry_after = Some(1);
        }
        refusal
    }
}

/// What is told of an error. What the operating system and the store say is the operator's: it names files.
fn told(error: &EngineError) -> String {
    if let EngineError::Model(_) = error {
        return "the embedding model cannot be asked; memories are found by their words meanwhile".to_owned();
    }
    match error.kind() {
        ErrorKind::Damaged | ErrorKind::Permission | ErrorKind::Internal => {
            "the memory cannot be read or written; the operator's log says why".to_owned()
        }
        ErrorKind::Unavailable => "the memory is busy or its disk is full; nothing was changed".to_owned(),
        ErrorKind::Input | ErrorKind::NotFound | ErrorKind::Conflict => error.to_string(),
    }
}
