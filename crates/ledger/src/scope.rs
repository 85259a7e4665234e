//! Whose memory is meant. Every call of the store takes a [`Scope`]; there is no way to leave it out.

use std::fmt;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

/// The name of a subject: a person, a team or an agent whose memory this is. 1 to 200 bytes, no control characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject(Arc<str>);

impl Subject {
    /// Reads a subject's name; Unicode forms of one name are one subject.
    ///
    /// # Errors
    /// [`SubjectError`] when the name is empty, too long or holds control characters.
    pub fn parse(name: &str) -> Result<Self, SubjectError> {
        let name: String = name.trim().nfc().collect();
        if name.is_empty() {
            return Err(SubjectError::Empty);
        }
        if name.len() > 200 {
            return Err(SubjectError::TooLong { bytes: name.len() });
        }
        if name.chars().any(char::is_control) {
            return Err(SubjectError::ControlCharacter);
        }
        Ok(Self(name.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Subjects are often people's names; they do not belong into logs.
        formatter.write_str("Subject(…)")
    }
}

/// Why a subject's name cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SubjectError {
    /// Nothing but white space.
    #[error("subject name is empty; give one with `--subject`")]
    Empty,
    /// Longer than 200 bytes.
    #[error("subject name has {bytes} bytes; 200 are allowed")]
    TooLong {
        /// The length given.
        bytes: usize,
    },
    /// A line break, NUL or the like.
    #[error("subject name holds a control character")]
    ControlCharacter,
}

/// The right to touch exactly one subject's memory.
///
/// A `Scope` is made where a caller's identity was established and passed along from there; nothing in the
/// stores or the engine can widen one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scope {
    subject: Subject,
}

impl Scope {
    /// The scope of `subject` and nobody else.
    #[must_use]
    pub fn of(subject: Subject) -> Self {
        Self { subject }
    }

    /// Whose memory this scope reaches.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }
}
