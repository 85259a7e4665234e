//! Access: who asks, what they may do, and whose memory they may touch.
//!
//! A caller is established once, from a key or a token, before anything of a request is read further. What comes out is a
//! [`Caller`]; there is no way from a request to a [`Scope`] but through [`Caller::scope`].

pub mod book;
pub mod key;
pub mod right;
pub mod token;

use std::sync::Arc;

use ledger::scope::{Scope, Subject};

pub use right::{Right, Rights};

use crate::refusal::Refusal;

/// Somebody whose identity was established.
#[derive(Clone, Debug)]
pub struct Caller {
    /// By what it is counted: the id of its key.
    key: Arc<str>,
    name: Arc<str>,
    rights: Rights,
    subjects: Subjects,
    own: Option<Subject>,
}

/// Whose memory a caller may touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subjects {
    /// Everybody's: for a service that acts for many.
    All,
    /// Theirs; at least one.
    Only(Vec<Subject>),
}

/// The word for a caller's own subject, where a request names one.
pub const OWN: &str = "me";

impl Caller {
    /// A caller of this name, which stands on receipts and decisions. Its own subject is the only one it may touch; one that may
    /// touch several has none, and one for all subjects has the one named `me`.
    #[must_use]
    pub fn new(name: &str, rights: Rights, subjects: Subjects) -> Self {
        let own = match &subjects {
            Subjects::All => Subject::parse(OWN).ok(),
            Subjects::Only(subjects) => subjects.first().filter(|_| subjects.len() == 1).cloned(),
        };
        Self { key: name.into(), name: name.into(), rights, subjects, own }
    }

    /// Who runs this process, on their own machine: may do everything, and means this subject unless they say otherwise.
    #[must_use]
    pub fn owner(subject: Subject) -> Self {
        Self { own: Some(subject), ..Self::new("owner", Rights::ALL, Subjects::All) }
    }

    /// Who talks to a process that serves one subject and no other.
    #[must_use]
    pub fn of(subject: Subject) -> Self {
        Self::new("owner", Rights::ALL, Subjects::Only(vec![subject]))
    }

    /// The same, counted by the id of its key.
    #[must_use]
    pub fn with_key(mut self, id: &str) -> Self {
        self.key = id.into();
        self
    }

    /// By what it is counted.
    #[must_use]
    pub fn key(&self) -> Arc<str> {
        self.key.clone()
    }

    /// What it is called on receipts and decisions; no secret.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the caller may.
    #[must_use]
    pub fn may(&self, right: Right) -> bool {
        self.rights.has(right)
    }

    /// Nothing, where the caller may.
    ///
    /// # Errors
    /// [`Refusal`] 403 `not_permitted`, which names what is missing.
    pub fn must(&self, right: Right) -> Result<(), Refusal> {
        match self.may(right) {
            true => Ok(()),
            false => Err(Refusal::new(403, "not_permitted", format!("this needs `{right}`"))
                .hint("ask the operator for a key with that scope")),
        }
    }

    /// Whose memory it may touch.
    #[must_use]
    pub fn subjects(&self) -> &Subjects {
        &self.subjects
    }

    /// Whether every subject is theirs to touch.
    #[must_use]
    pub fn all_subjects(&self) -> bool {
        self.subjects == Subjects::All
    }

    /// The scope of the subject that is asked for. Left out, or as `me`, it is the caller's own.
    ///
    /// # Errors
    /// [`Refusal`] 403 for a subject that is not the caller's, whether there is such a subject or not; 400 where it must be named; 422
    /// for what is no name.
    pub fn scope(&self, asked: Option<&str>) -> Result<Scope, Refusal> {
        let subject = match (asked, &self.own) {
            (None | Some(OWN), Some(own)) => own.clone(),
            (None, None) => {
                return Err(Refusal::new(
                    400,
                    "subject_needed",
                    "several subjects are yours; say whose memory you mean",
                )
                .hint("send the header `Testimony-Subject: NAME`"));
            }
            (Some(name), _) => {
                Subject::parse(name).map_err(|error| Refusal::bad_input(format!("subject: {error}")))?
            }
        };
        match &self.subjects {
            Subjects::Only(subjects) if !subjects.contains(&subject) => {
                Err(Refusal::new(403, "not_your_subject", "this key is not for that subject"))
            }
            _ => Ok(Scope::of(subject)),
        }
    }

    /// The scope for a verb of the deployment, which touches nobody's memory.
    pub(crate) fn any_scope(&self) -> Option<Scope> {
        let first = match &self.subjects {
            Subjects::All => None,
            Subjects::Only(subjects) => subjects.first(),
        };
        self.own.as_ref().or(first).cloned().map(Scope::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(name: &str) -> Subject {
        Subject::parse(name).expect("a name")
    }

    fn named(caller: &Caller, asked: Option<&str>) -> Result<String, u16> {
        caller.scope(asked).map(|scope| scope.subject().as_str().to_owned()).map_err(|refusal| refusal.status)
    }

    #[test]
    fn a_scope_is_of_the_callers_subjects_or_refused() {
        let one = Caller::of(subject("ana"));
        assert_eq!(named(&one, None).as_deref(), Ok("ana"));
        assert_eq!(named(&one, Some("me")).as_deref(), Ok("ana"));
        assert_eq!(named(&one, Some("ana")).as_deref(), Ok("ana"));
        assert_eq!(named(&one, Some("bo")), Err(403));
        assert_eq!(named(&one, Some("")), Err(422));
        let two = Caller::new("k", Rights::ALL, Subjects::Only(vec![subject("ana"), subject("me")]));
        assert_eq!(named(&two, None), Err(400));
        assert_eq!(named(&two, Some("me")).as_deref(), Ok("me"));
        assert_eq!(named(&two, Some("bo")), Err(403));
        let all = Caller::new("k", Rights::ALL, Subjects::All);
        assert_eq!(named(&all, None).as_deref(), Ok("me"));
        assert_eq!(named(&all, Some("bo")).as_deref(), Ok("bo"));
        let owner = Caller::owner(subject("ana"));
        assert_eq!(named(&owner, None).as_deref(), Ok("ana"));
        assert_eq!(named(&owner, Some("bo")).as_deref(), Ok("bo"));
    }

    #[test]
    fn a_right_that_is_missing_is_named() {
        let caller = Caller::new("k", Rights::of(&[Right::Read]), Subjects::All);
        assert!(caller.must(Right::Read).is_ok());
        let refused = caller.must(Right::Forget).expect_err("refused");
        assert_eq!((refused.status, refused.code), (403, "not_permitted"));
        assert!(refused.detail.contains("memory:forget"), "{refused}");
    }
}
