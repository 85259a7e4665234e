//! Why a model could not be asked, or did not answer.

/// Why a call to a model failed. The message never holds a key, and no word of what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct InferenceError {
    kind: InferenceErrorKind,
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Whose turn it is after a failed call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InferenceErrorKind {
    /// Nobody answered there: look at the address, or try later.
    Unreachable,
    /// The key is missing, wrong or not allowed to do this: look at the key.
    NotAllowed,
    /// Too many calls, or the provider is overloaded: try later.
    Busy,
    /// It took longer than it may.
    Deadline,
    /// The caller stopped it.
    Cancelled,
    /// What came back is not what the protocol says.
    BadReply,
    /// The request is one this model cannot serve: too long, or of a kind it does not do.
    Unsupported,
    /// The configuration names something that is not there or cannot be: mend it.
    Configuration,
    /// A model file is absent, incomplete or not what its hash says: pull it again.
    ModelFile,
}

impl InferenceErrorKind {
    /// All of them, in the order of their declaration.
    pub const ALL: [Self; 9] = [
        Self::Unreachable,
        Self::NotAllowed,
        Self::Busy,
        Self::Deadline,
        Self::Cancelled,
        Self::BadReply,
        Self::Unsupported,
        Self::Configuration,
        Self::ModelFile,
    ];

    /// The word in answers and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::NotAllowed => "not_allowed",
            Self::Busy => "busy",
            Self::Deadline => "deadline",
            Self::Cancelled => "cancelled",
            Self::BadReply => "bad_reply",
            Self::Unsupported => "unsupported",
            Self::Configuration => "configuration",
            Self::ModelFile => "model_file",
        }
    }
}

impl InferenceError {
    /// An error of `kind` that says `message`.
    #[must_use]
    pub fn new(kind: InferenceErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same, caused by `source`.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Whose turn it is.
    #[must_use]
    pub fn kind(&self) -> InferenceErrorKind {
        self.kind
    }
}
