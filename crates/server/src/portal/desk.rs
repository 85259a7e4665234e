//! A desk: one request for a page, with who reads, what was sent, and what goes back.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ACCEPT_LANGUAGE, COOKIE, HOST};
use axum::http::{HeaderMap, HeaderValue, Method};
use ledger::time::{Instant, Zone};
use maud::Markup;

use super::Portal;
use super::form::{Form, encoded};
use super::language::Language;
use super::notice::Notice;
use super::phrases::Phrase;
use super::session::{Draft, Secret};
use crate::access::{Caller, Right, Subjects};
use crate::refusal::Refusal;
use crate::trace;
use crate::verb::{Asked, Verb};

/// By what a browser is known that signed in.
const SESSION: &str = "testimony_session";
/// By what any other is known. It is another cookie, because a link from elsewhere comes without ours, and must end no session.
const VISIT: &str = "testimony_visit";
/// In which language it reads.
const LANGUAGE: &str = "testimony_language";
/// In which time zone.
const ZONE: &str = "testimony_zone";
/// Whose memory is looked at.
const SUBJECT: &str = "testimony_subject";

/// Seconds that a preference is kept: a year.
const PREFERENCE_SECONDS: u32 = 365 * 24 * 3_600;

/// What a request is answered with.
pub(super) enum Reply {
    /// A page.
    Page {
        /// The HTTP status.
        status: u16,
        /// What it is called.
        title: String,
        /// What stands on it.
        body: Markup,
    },
    /// Another place to go to.
    Elsewhere(String),
}

/// Who reads, and how: every page is told in a language, and every time in a zone.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    /// In which language.
    pub language: Language,
    /// In which time zone.
    pub zone: Zone,
}

impl Reader {
    /// A phrase.
    pub fn say(&self, phrase: Phrase) -> &'static str {
        phrase.in_language(self.language)
    }
}

/// One request for a page.
pub(super) struct Desk<'portal> {
    portal: &'portal Portal,
    /// Who reads.
    pub reader: Reader,
    /// The method.
    pub method: Method,
    /// When it came.
    pub now: Instant,
    /// The fields of the query.
    pub query: Form,
    /// The fields of the form, for an act.
    pub form: Form,
    /// Whose memory is looked at; empty before anybody is let in.
    pub subject: String,
    /// What the page begins with.
    pub notice: Option<Notice>,
    path: String,
    here: String,
    secret: Secret,
    caller: Option<Caller>,
    without_key: bool,
    is_loopback: bool,
    cookies: Vec<String>,
}

impl<'portal> Desk<'portal> {
    /// Opens a desk for a request; its body is left to be read.
    ///
    /// # Errors
    /// [`Refusal`] where the system gives no random bytes.
    pub fn open(portal: &'portal Portal, request: Request) -> Result<(Self, Body), Refusal> {
        let (parts, body) = request.into_parts();
        let headers = &parts.headers;
        let zone = cookie(headers, ZONE).and_then(|name| Zone::parse(&name).ok()).unwrap_or(Zone::utc());
        let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let language = cookie(headers, LANGUAGE)
            .and_then(|code| Language::named(&code))
            .unwrap_or_else(|| Language::accepted(accepted));
        let server = &portal.shared.server;
        let (settings, now) = (&server.house().settings, server.now());
        let held = |name| cookie(headers, name).and_then(|written| Secret::parse(&written));
        let mut signed_in = None;
        let caller = match (settings.without_key, held(SESSION)) {
            (true, _) => Some(Caller::owner(settings.subject.clone())),
            (false, None) => None,
            (false, Some(secret)) => {
                let caller = portal.sessions.caller(&secret, &server.house().book, now)?;
                signed_in = caller.is_some().then_some(secret);
                caller
            }
        };
        let known = signed_in.or_else(|| held(VISIT));
        let here = parts.uri.path_and_query().map_or_else(String::new, |there| there.as_str().to_owned());
        let mut desk = Self {
            portal,
            reader: Reader { language, zone },
            method: parts.method,
            now,
            query: Form::parse(parts.uri.query().unwrap_or_default()),
            form: Form::default(),
            subject: String::new(),
            notice: None,
            path: parts.uri.path().to_owned(),
            here,
            secret: match known {
                Some(secret) => secret,
                None => Secret::draw()?,
            },
            caller,
            without_key: settings.without_key,
            is_loopback: is_loopback(headers),
            cookies: Vec::new(),
        };
        if known.is_none() {
            desk.know_by(VISIT, desk.secret);
        }
        if let Some(caller) = &desk.caller {
            desk.subject = whose(caller, cookie(headers, SUBJECT).as_deref());
        }
        Ok((desk, body))
    }

    /// Reads the form of an act, and makes sure that a page of ours sent it.
    ///
    /// # Errors
    /// [`Refusal`] for a form that is none, or without the token of this browser.
    pub async fn take_in(&mut self, body: Body) -> Result<(), Refusal> {
        if self.method == Method::POST {
            let within = self.portal.shared.server.house().settings.request_deadline;
            self.form = Form::read(body, within).await?;
            if !self.secret.is_form_token(self.form.get("token").unwrap_or_default()) {
                return Err(Refusal::new(403, "form_expired", "the form is not one of this session's pages"));
            }
        }
        Ok(())
    }

    /// Takes what the visitor is to be told, for a page that is about to be shown.
    pub fn hear(&mut self) {
        if self.method == Method::GET {
            self.notice = self.portal.sessions.take_word(&self.secret);
        }
    }

    /// The parts of the path behind `/portal/`.
    pub fn path(&self) -> Vec<String> {
        let rest = self.path.strip_prefix("/portal/").unwrap_or_default().trim_end_matches('/');
        let decoded =
            |part: &str| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned();
        rest.split('/').map(decoded).collect()
    }

    /// Where this page is, with its query.
    pub fn here(&self) -> &str {
        &self.here
    }

    /// Whether the place in question is the one this page is part of.
    pub fn is_at(&self, place: &str) -> bool {
        self.path == place
    }

    /// Where a form says that its page is; the memory, where it says nothing that is a page of ours.
    pub fn back(&self) -> String {
        let written = self.form.get("back").or_else(|| self.query.get("back")).unwrap_or_default();
        let is_ours = written.starts_with("/portal/")
            && written.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
            && !written.contains("//")
            && written.len() < 4_000;
        if is_ours { written.to_owned() } else { "/portal/memory".to_owned() }
    }

    /// Who is let in.
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// Whether somebody is.
    pub fn is_let_in(&self) -> bool {
        self.caller.is_some()
    }

    /// Whether nobody needs a key here.
    pub fn is_without_key(&self) -> bool {
        self.without_key
    }

    /// Whether who is let in may.
    pub fn may(&self, right: Right) -> bool {
        self.caller.as_ref().is_some_and(|caller| caller.may(right))
    }

    /// Whether who is let in looks after the keys of everybody.
    pub fn keeps_keys(&self) -> bool {
        self.caller.as_ref().is_some_and(|caller| caller.may(Right::Admin) && caller.all_subjects())
    }

    /// What every form of this browser carries.
    pub fn form_token(&self) -> String {
        self.secret.form_token()
    }

    /// Counts a request of who is let in.
    ///
    /// # Errors
    /// [`Refusal`] 429 for one that asks too often.
    pub fn take_turn(&self) -> Result<(), Refusal> {
        self.caller.as_ref().map_or(Ok(()), |caller| self.portal.shared.doors.take_turn(caller))
    }

    /// Signs in with a key.
    ///
    /// # Errors
    /// [`Refusal`] for a key that opens nothing, or one that asks too often.
    pub fn sign_in(&mut self, written: &str) -> Result<(), Refusal> {
        let portal = self.portal;
        let caller = portal.shared.doors.holder(written)?;
        portal.shared.doors.take_turn(&caller)?;
        let book = &portal.shared.server.house().book;
        let key = book.standing(&caller.key(), self.now).ok().flatten();
        let key = key.ok_or_else(|| Refusal::new(401, "no_valid_key", "no key that opens anything here"))?;
        portal.sessions.close(&self.secret);
        // A new secret, so that nobody who knew the old one comes in with it.
        let secret = Secret::draw()?;
        portal.sessions.open(&secret, caller.clone(), key, self.now);
        self.know_by(SESSION, secret);
        self.caller = Some(caller);
        Ok(())
    }

    /// Signs out.
    pub fn sign_out(&mut self) {
        self.portal.sessions.close(&self.secret);
        self.caller = None;
        for name in [SESSION, SUBJECT] {
            let cookie = self.cookie(name, "", Some(0));
            self.cookies.push(cookie);
        }
    }

    /// Reads in another language from now on.
    pub fn read_in(&mut self, language: Language) {
        self.reader.language = language;
        let cookie = self.cookie(LANGUAGE, language.code(), Some(PREFERENCE_SECONDS));
        self.cookies.push(cookie);
    }

    /// Reads times in another zone from now on.
    pub fn read_times_in(&mut self, zone: Zone) {
        let cookie = self.cookie(ZONE, zone.as_str(), Some(PREFERENCE_SECONDS));
        self.cookies.push(cookie);
        self.reader.zone = zone;
    }

    /// Looks at another subject's memory from now on.
    ///
    /// # Errors
    /// [`Refusal`] for a subject that is not the caller's.
    pub fn look_at(&mut self, subject: &str) -> Result<(), Refusal> {
        let caller = self.caller.as_ref().ok_or_else(|| Refusal::fault("nobody is let in"))?;
        self.subject = caller.scope(Some(subject))?.subject().as_str().to_owned();
        let cookie = self.cookie(SUBJECT, &self.subject, None);
        self.cookies.push(cookie);
        Ok(())
    }

    /// Leaves word for the next page.
    pub fn leave_word(&self, notice: Notice) {
        self.portal.sessions.leave_word(&self.secret, notice, self.now);
    }

    /// Keeps a draft until it is used or another takes its place.
    pub fn keep_draft(&self, draft: Option<Draft>) {
        self.portal.sessions.keep_draft(&self.secret, draft, self.now);
    }

    /// The draft for a version.
    pub fn draft(&self, version: &str) -> Option<Draft> {
        self.portal.sessions.draft(&self.secret, version)
    }

    /// Has the verbs of a page done, one after the other, on a thread that may wait.
    ///
    /// # Errors
    /// What a verb refuses; and as [`crate::Server::work`].
    pub async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Asked<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let caller = self.caller.clone().ok_or_else(|| Refusal::fault("nobody is let in"))?;
        self.portal.shared.server.together(&caller, &self.subject, work).await
    }

    /// Has one verb done.
    ///
    /// # Errors
    /// As [`Desk::ask`].
    pub async fn ask_for<V: Verb>(&self, input: V::Input) -> Result<V::Answer, Refusal>
    where
        V::Input: Send,
        V::Answer: Send,
    {
        self.ask(move |asked| asked.tell::<V>(input)).await
    }

    /// A page.
    pub fn page(&self, title: impl Into<String>, body: Markup) -> Result<Reply, Refusal> {
        Ok(Reply::Page { status: 200, title: title.into(), body })
    }

    /// An act that was refused: its page again, with the reason.
    pub fn refuse_act(&self, refusal: Refusal, place: String) -> Result<Reply, Refusal> {
        match refusal.status {
            404 => Err(refusal),
            _ => {
                trace::refused(refusal.code);
                self.leave_word(Notice::Refused(refusal));
                Ok(Reply::Elsewhere(place))
            }
        }
    }

    /// What is answered instead of a page. Of what is not there, nothing is told but that.
    pub fn refused(&self, refusal: Refusal) -> Reply {
        trace::refused(refusal.code);
        let status = refusal.status;
        let title = match status {
            404 => Phrase::NotFound,
            _ => Phrase::NotDone,
        };
        let body = super::notice::page(&self.reader, &refusal);
        Reply::Page { status, title: self.reader.say(title).to_owned(), body }
    }

    /// The cookies that go back.
    pub fn cookies(&self) -> Vec<HeaderValue> {
        self.cookies.iter().filter_map(|cookie| HeaderValue::from_str(cookie).ok()).collect()
    }

    fn know_by(&mut self, name: &str, secret: Secret) {
        self.secret = secret;
        let cookie = self.cookie(name, &secret.written(), None);
        self.cookies.push(cookie);
    }

    fn cookie(&self, name: &str, value: &str, seconds: Option<u32>) -> String {
        let mut cookie = format!("{name}={}; Path=/; HttpOnly; SameSite=Strict", encoded(value));
        if let Some(seconds) = seconds {
            cookie.push_str(&format!("; Max-Age={seconds}"));
        }
        // On this machine there is no wire to listen on, and mostly no TLS either.
        if !self.is_loopback {
            cookie.push_str("; Secure");
        }
        cookie
    }
}

/// Whose memory is looked at: the one that was chosen, if it is the caller's; else the first that is.
fn whose(caller: &Caller, chosen: Option<&str>) -> String {
    let chosen = chosen.and_then(|name| caller.scope(Some(name)).ok());
    let scope = chosen.or_else(|| caller.scope(None).ok());
    match (scope, caller.subjects()) {
        (Some(scope), _) => scope.subject().as_str().to_owned(),
        (None, Subjects::Only(subjects)) => {
            subjects.first().map(|subject| subject.as_str().to_owned()).unwrap_or_default()
        }
        (None, Subjects::All) => String::new(),
    }
}

/// A cookie, decoded.
fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = cookies.find(|(there, _)| *there == name)?;
    percent_encoding::percent_decode_str(value).decode_utf8().ok().map(|value| value.into_owned())
}

/// Whether the browser found this server on its own machine.
fn is_loopback(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_address = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || name.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_its_names() {
        for (host, is) in [
            ("localhost:7171", true),
            ("127.0.0.1", true),
            ("127.9.9.9:80", true),
            ("[::1]:7171", true),
            ("memory.example.org", false),
            ("localhost.example.org", false),
            ("10.0.0.1:7171", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static(host));
            assert_eq!(is_loopback(&headers), is, "{host}");
        }
    }

    #[test]
    fn cookies_are_read_by_their_whole_name() {
        let mut headers = HeaderMap::new();
        headers
            .insert(COOKIE, HeaderValue::from_static("a_testimony_zone=no; testimony_zone=Europe%2FZagreb"));
        headers.append(COOKIE, HeaderValue::from_static("testimony_language=hr"));
        assert_eq!(cookie(&headers, ZONE).as_deref(), Some("Europe/Zagreb"));
        assert_eq!(cookie(&headers, LANGUAGE).as_deref(), Some("hr"));
        assert_eq!(cookie(&headers, SESSION), None);
    }
}
