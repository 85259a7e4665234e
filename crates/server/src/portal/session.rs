//! Sessions: who signed in with a key, for how long; and what a visitor is to be told on the next page.
//!
//! A browser holds 256 random bits in a cookie; here they are known by their hash only. The key a session was opened with is not
//! kept: it is looked up again by its id at every request, so a key that is revoked, has expired or was changed ends its sessions.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ledger::time::Instant;
use parking_lot::Mutex;

use super::notice::Notice;
use crate::access::Caller;
use crate::access::book::{Book, KeyTold};
use crate::refusal::Refusal;

/// Sessions at once, at most; the one that was used the longest ago gives way.
const SESSIONS_MAX: usize = 10_000;

/// Visitors who have something to be told, at most.
const WAITING_MAX: usize = 10_000;

/// How long a session lasts, in microseconds: 12 hours.
const LASTS: i64 = 12 * 3_600 * 1_000_000;

/// How long it lasts unused, in microseconds: 1 hour.
const IDLE: i64 = 3_600 * 1_000_000;

/// What a browser is known by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Secret([u8; 32]);

/// The hash of a [`Secret`].
type Mark = [u8; 32];

impl Secret {
    /// Random bytes from the operating system.
    ///
    /// # Errors
    /// Where that gives none.
    #[allow(clippy::disallowed_methods, reason = "what a session is known by is drawn, not worked out")]
    pub fn draw() -> Result<Self, Refusal> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| Refusal::fault("the system gives no random bytes"))?;
        Ok(Self(bytes))
    }

    /// As a cookie holds it.
    pub fn written(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// Reads it from a cookie.
    pub fn parse(written: &str) -> Option<Self> {
        Some(Self(URL_SAFE_NO_PAD.decode(written).ok()?.try_into().ok()?))
    }

    /// What every form of this browser carries. Only somebody who can read its pages or its cookie knows it.
    pub fn form_token(&self) -> String {
        URL_SAFE_NO_PAD.encode(blake3::derive_key("testimony 2026-11-30 portal form", &self.0))
    }

    /// Whether a form carries it, in a time that does not tell how much of it is right.
    pub fn is_form_token(&self, sent: &str) -> bool {
        blake3::hash(sent.as_bytes()) == blake3::hash(self.form_token().as_bytes())
    }

    fn mark(&self) -> Mark {
        blake3::derive_key("testimony 2026-11-30 portal session", &self.0)
    }
}

struct Session {
    caller: Caller,
    key: KeyTold,
    began: Instant,
    seen: Instant,
}

/// What waits for a visitor.
#[derive(Default)]
struct Waiting {
    since: Instant,
    notice: Option<Notice>,
    draft: Option<Draft>,
}

/// New words for a memory, on their way from the form to its preview.
#[derive(Clone)]
pub(super) struct Draft {
    /// The version they are for.
    pub version: String,
    /// The words.
    pub text: String,
}

/// The sessions of a server, and what waits for its visitors.
#[derive(Default)]
pub(super) struct Sessions {
    open: Mutex<HashMap<Mark, Session>>,
    waiting: Mutex<HashMap<Mark, Waiting>>,
}

impl Sessions {
    /// Opens a session for who was let in with `key`.
    pub fn open(&self, secret: &Secret, caller: Caller, key: KeyTold, now: Instant) {
        let mut open = self.open.lock();
        if open.len() >= SESSIONS_MAX {
            open.retain(|_, session| session.lasts(now));
        }
        if open.len() >= SESSIONS_MAX {
            let oldest = open.iter().min_by_key(|(_, session)| session.seen).map(|(mark, _)| *mark);
            oldest.map(|mark| open.remove(&mark));
        }
        open.insert(secret.mark(), Session { caller, key, began: now, seen: now });
    }

    /// Who has this session, if it lasts and its key still opens what it opened.
    ///
    /// # Errors
    /// [`Refusal`] where the book of keys cannot be read.
    pub fn caller(&self, secret: &Secret, book: &Book, now: Instant) -> Result<Option<Caller>, Refusal> {
        let mark = secret.mark();
        let key = {
            let mut open = self.open.lock();
            let Some(session) = open.get(&mark) else { return Ok(None) };
            if !session.lasts(now) {
                open.remove(&mark);
                return Ok(None);
            }
            session.key.clone()
        };
        let stands = book.standing(&key.id, now).map_err(|error| {
            tracing::error!(%error, "book of keys");
            Refusal::fault("the book of keys cannot be read; the operator's log says why")
        })?;
        let mut open = self.open.lock();
        if stands.as_ref() != Some(&key) {
            open.remove(&mark);
            return Ok(None);
        }
        Ok(open.get_mut(&mark).map(|session| {
            session.seen = session.seen.max(now);
            session.caller.clone()
        }))
    }

    /// Ends a session, and forgets what waited for its visitor.
    pub fn close(&self, secret: &Secret) {
        self.open.lock().remove(&secret.mark());
        self.waiting.lock().remove(&secret.mark());
    }

    /// Leaves word for a visitor's next page.
    pub fn leave_word(&self, secret: &Secret, notice: Notice, now: Instant) {
        self.wait(secret, now, |waiting| waiting.notice = Some(notice));
    }

    /// What a visitor is to be told; it is told once.
    pub fn take_word(&self, secret: &Secret) -> Option<Notice> {
        self.waiting.lock().get_mut(&secret.mark())?.notice.take()
    }

    /// Keeps a draft, in place of the one before.
    pub fn keep_draft(&self, secret: &Secret, draft: Option<Draft>, now: Instant) {
        self.wait(secret, now, |waiting| waiting.draft = draft);
    }

    /// The draft for a version.
    pub fn draft(&self, secret: &Secret, version: &str) -> Option<Draft> {
        let waiting = self.waiting.lock();
        waiting.get(&secret.mark())?.draft.clone().filter(|draft| draft.version == version)
    }

    fn wait(&self, secret: &Secret, now: Instant, change: impl FnOnce(&mut Waiting)) {
        let mut waiting = self.waiting.lock();
        if waiting.len() >= WAITING_MAX {
            waiting.retain(|_, one| now.micros() - one.since.micros() < IDLE);
        }
        if waiting.len() >= WAITING_MAX {
            let oldest = waiting.iter().min_by_key(|(_, one)| one.since).map(|(mark, _)| *mark);
            oldest.map(|mark| waiting.remove(&mark));
        }
        let one = waiting.entry(secret.mark()).or_default();
        one.since = now;
        change(one);
    }
}

impl Session {
    fn lasts(&self, now: Instant) -> bool {
        now.micros() - self.began.micros() < LASTS && now.micros() - self.seen.micros() < IDLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::book::{NewKey, Random};
    use crate::access::{Right, Rights, Subjects};

    fn hours(hours: f64) -> Instant {
        Instant::from_micros((hours * 3_600e6) as i64)
    }

    fn secret(number: usize) -> Secret {
        let mut bytes = [7; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Secret(bytes)
    }

    fn world() -> (tempfile::TempDir, Book, Caller, KeyTold) {
        let place = tempfile::tempdir().expect("a place");
        let book = Book::at(place.path().join("access.json"));
        let rights = Rights::of(&[Right::Read]);
        let new = NewKey { name: "laptop".to_owned(), rights, subjects: Subjects::All, expires: None };
        let random = Random { id: [1; 9], secret: [2; 32] };
        let (key, told) = book.create(&new, &random, hours(0.0)).expect("made");
        let caller = book.caller(&key, hours(0.0)).expect("read").expect("known");
        (place, book, caller, told)
    }

    #[test]
    fn a_session_ends_with_its_time_its_idleness_its_key_and_on_request() {
        let (_place, book, caller, key) = world();
        let sessions = Sessions::default();
        let is_open =
            |secret: &Secret, at: f64| sessions.caller(secret, &book, hours(at)).expect("read").is_some();
        sessions.open(&secret(1), caller.clone(), key.clone(), hours(0.0));
        assert!(!is_open(&secret(2), 0.1), "another browser's");
        for tenth in 1..=119 {
            assert!(is_open(&secret(1), f64::from(tenth) / 10.0), "used all the time, hour {tenth}/10");
        }
        assert!(!is_open(&secret(1), 12.0), "its time is over");
        sessions.open(&secret(1), caller.clone(), key.clone(), hours(20.0));
        assert!(is_open(&secret(1), 20.9));
        assert!(!is_open(&secret(1), 21.9), "an hour unused");
        assert!(!is_open(&secret(1), 21.0), "and it does not come back");
        sessions.open(&secret(1), caller.clone(), key.clone(), hours(30.0));
        sessions.close(&secret(1));
        assert!(!is_open(&secret(1), 30.1));
        sessions.open(&secret(1), caller, key.clone(), hours(40.0));
        assert!(book.revoke(&key.id).expect("revoked"));
        assert!(!is_open(&secret(1), 40.1), "its key was revoked");
    }

    #[test]
    fn there_is_room_for_so_many_sessions_and_the_longest_unused_gives_way() {
        let (_place, book, caller, key) = world();
        let sessions = Sessions::default();
        for number in 0..=SESSIONS_MAX {
            let now = Instant::from_micros(number as i64);
            sessions.open(&secret(number), caller.clone(), key.clone(), now);
        }
        let is_open = |number| sessions.caller(&secret(number), &book, hours(0.1)).expect("read").is_some();
        assert_eq!(sessions.open.lock().len(), SESSIONS_MAX);
        assert!(!is_open(0));
        assert!(is_open(1) && is_open(SESSIONS_MAX));
    }

    #[test]
    fn a_form_token_is_of_one_browser() {
        let (one, other) = (secret(1), secret(2));
        assert!(one.is_form_token(&one.form_token()));
        assert!(!one.is_form_token(&other.form_token()));
        assert!(!one.is_form_token(""));
        assert_eq!(Secret::parse(&one.written()).map(|read| read == one), Some(true));
        assert!(Secret::parse("short").is_none());
        assert_ne!(one.form_token(), one.written());
    }

    #[test]
    fn word_is_told_once_and_a_draft_is_of_its_version() {
        let sessions = Sessions::default();
        sessions.leave_word(&secret(1), Notice::Resolved, hours(0.0));
        assert!(sessions.take_word(&secret(2)).is_none());
        assert!(sessions.take_word(&secret(1)).is_some());
        assert!(sessions.take_word(&secret(1)).is_none());
        let draft = Draft { version: "ve_1".to_owned(), text: "words".to_owned() };
        sessions.keep_draft(&secret(1), Some(draft), hours(0.0));
        assert!(sessions.draft(&secret(1), "ve_2").is_none());
        assert_eq!(sessions.draft(&secret(1), "ve_1").map(|draft| draft.text).as_deref(), Some("words"));
        sessions.keep_draft(&secret(1), None, hours(0.0));
        assert!(sessions.draft(&secret(1), "ve_1").is_none());
        for number in 10..=WAITING_MAX + 10 {
            sessions.leave_word(&secret(number), Notice::Resolved, hours(0.0));
        }
        assert_eq!(sessions.waiting.lock().len(), WAITING_MAX);
    }
}
