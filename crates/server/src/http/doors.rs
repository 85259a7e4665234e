//! Doors: who is let in, from where, and how often.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use ledger::limits::Limit;
use ledger::scope::Subject;

use super::{Shared, problem};
use crate::Server;
use crate::access::Caller;
use crate::access::key::{self, ApiKey};
use crate::access::token::TokenError;
use crate::refusal::Refusal;
use crate::trace::{self, RequestSpan};

/// The header that names whose memory is meant; percent-encoded where the name is not plain ASCII.
pub const SUBJECT_HEADER: &str = "testimony-subject";

/// The header of a caller's key for one call.
const IDEMPOTENCY_HEADER: &str = "idempotency-key";

type Rate = RateLimiter<Arc<str>, DefaultKeyedStateStore<Arc<str>>, DefaultClock>;

/// Who is let in, and how often.
pub struct Doors {
    server: Server,
    /// Whoever connects, where no key is asked for.
    owner: Option<Caller>,
    rate: Option<Rate>,
    closing: AtomicBool,
}

impl Doors {
    /// The doors of a server, as its settings say.
    #[must_use]
    pub fn new(server: Server) -> Self {
        let settings = &server.house().settings;
        let rate = NonZeroU32::new(settings.calls_per_second).map(|a_second| {
            let burst = NonZeroU32::new(settings.burst).unwrap_or(NonZeroU32::MIN);
            RateLimiter::keyed(Quota::per_second(a_second).allow_burst(burst))
        });
        let owner = settings.without_key.then(|| settings.subject.clone()).map(Caller::owner);
        Self { owner, rate, closing: AtomicBool::new(false), server }
    }

    /// Who sent this request.
    ///
    /// # Errors
    /// [`Refusal`] 401 without a valid key, whatever is wrong with it; 429 for one that asks too often.
    pub fn let_in(&self, headers: &HeaderMap) -> Result<Caller, Refusal> {
        let caller = match (bearer(headers)?, &self.owner) {
            (Some(written), _) => self.holder(written)?,
            (None, Some(owner)) => owner.clone(),
            (None, None) => return Err(unknown().hint("send `Authorization: Bearer testimony_…`")),
        };
        self.take_turn(&caller)?;
        Ok(caller)
    }

    /// Who holds a key or bears a token.
    ///
    /// # Errors
    /// [`Refusal`] 401 for one that opens nothing.
    pub fn holder(&self, written: &str) -> Result<Caller, Refusal> {
        if let (Some(tokens), false) = (&self.server.house().tokens, written.starts_with(key::PREFIX)) {
            return tokens.caller(written, self.server.now()).map_err(|error| match error {
                TokenError::NotValid(_) => unknown(),
                TokenError::NoKeys(_) => {
                    tracing::error!(%error, "tokens");
                    Refusal::new(503, "issuer_unreachable", "nobody can tell whether the token is valid")
                        .again_after(5)
                }
            });
        }
        let Some(key) = ApiKey::parse(written) else { return Err(unknown()) };
        match self.server.house().book.caller(&key, self.server.now()) {
            Ok(Some(caller)) => Ok(caller),
            Ok(None) => Err(unknown()),
            Err(error) => {
                tracing::error!(%error, "book of keys");
                Err(Refusal::fault("the book of keys cannot be read; the operator's log says why"))
            }
        }
    }

    /// Counts a call of this caller.
    ///
    /// # Errors
    /// [`Refusal`] 429, with the time after which there is room again.
    pub fn take_turn(&self, caller: &Caller) -> Result<(), Refusal> {
        let Some(rate) = &self.rate else { return Ok(()) };
        rate.check_key(&caller.key()).map_err(|until| {
            let seconds = until.wait_time_from(DefaultClock::default().now()).as_secs() + 1;
            Refusal::new(429, "too_many_calls", "this key asks more often than it may").again_after(seconds)
        })
    }

    /// Has [`Doors::is_closing`] say that the server is ending.
    pub fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    /// Whether the server is ending.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Nothing, where a request comes from where it may.
    ///
    /// A browser says which page a script belongs to, and under which name it found the server. Neither can be set by the script,
    /// so a page of another site can neither ask here nor make this server look like its own.
    fn origin_is_fit(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        let settings = &self.server.house().settings;
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if !settings.hosts.is_empty() && !settings.hosts.iter().any(|allowed| is_host(host, allowed)) {
            return Err(Refusal::new(403, "host_not_allowed", "this server is not asked under that name")
                .hint("start it with `--host NAME` for each name it has"));
        }
        let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default();
        let own = origin.split_once("://").is_some_and(|(_, name)| name == host);
        let safe = matches!(*method, Method::GET | Method::HEAD) && self.owner.is_none();
        match own || safe || settings.origins.iter().any(|allowed| allowed == origin) {
            true => Ok(()),
            false => Err(Refusal::new(403, "origin_not_allowed", "pages of that origin may not ask here")),
        }
    }
}

/// Whether a `Host` header names this host, at whatever port.
pub fn is_host(header: &str, allowed: &str) -> bool {
    let name = match header.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => header,
    };
    name.trim_matches(['[', ']']).eq_ignore_ascii_case(allowed.trim_matches(['[', ']']))
}

fn unknown() -> Refusal {
    Refusal::new(401, "no_valid_key", "no key that opens anything here")
}

/// The token of `Authorization: Bearer`.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let header = header.to_str().map_err(|_| unknown())?;
    match header.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim())),
        _ => Err(unknown().hint("send `Authorization: Bearer testimony_…`")),
    }
}

/// The subject a request names.
///
/// # Errors
/// [`Refusal`] 400 for a header that is not written as [`SUBJECT_PATTERN`] says, 422 for one that then is no name.
pub fn subject(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let Some(header) = headers.get(SUBJECT_HEADER) else { return Ok(None) };
    let hint = "write other letters than ASCII, and `%` itself, percent-encoded";
    let written = header.to_str().ok().filter(|written| is_percent_encoded(written)).ok_or_else(|| {
        Refusal::bad_request("`Testimony-Subject` is no text that can stand in a header").hint(hint)
    })?;
    let name = percent_encoding::percent_decode_str(written).decode_utf8();
    let name = name.map_err(|_| Refusal::bad_input("`Testimony-Subject` is no UTF-8").hint(hint))?;
    Subject::parse(&name).map_err(|error| Refusal::bad_input(format!("`Testimony-Subject`: {error}")))?;
    Ok(Some(name.into_owned()))
}

/// How [`SUBJECT_HEADER`] is written: ASCII, and every `%` the beginning of two hexadecimal digits.
pub const SUBJECT_PATTERN: &str = "^(?:[!-$&-~]|%[0-9A-Fa-f]{2})(?:[ -$&-~]|%[0-9A-Fa-f]{2})*$";

fn is_percent_encoded(written: &str) -> bool {
    let begins_two_digits =
        |part: &str| part.len() >= 2 && part.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    !written.is_empty() && written.split('%').skip(1).all(begins_two_digits)
}

/// The caller's key for this call.
///
/// # Errors
/// [`Refusal`] for one that is no text, empty, or too long.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let Some(header) = headers.get(IDEMPOTENCY_HEADER) else { return Ok(None) };
    let key = header.to_str().map_err(|_| Refusal::bad_request("`Idempotency-Key` is no plain text"))?.trim();
    if key.is_empty() {
        return Err(Refusal::bad_request("`Idempotency-Key` is empty"));
    }
    Limit::NAME_BYTES.check("`Idempotency-Key`", key.len()).map_err(engine::EngineError::from)?;
    Ok(Some(key.to_owned()))
}

/// Looks at every request before its route does, and marks every answer as what it is: data for the one who asked.
pub async fn watch(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let span = shared.server.traces().map(|traces| traces.request(&request));
    let answer = async {
        match shared.doors.origin_is_fit(request.method(), request.headers()) {
            Ok(()) => next.run(request).await,
            Err(refusal) => problem::response(&refusal),
        }
    };
    let mut response = trace::within(span.as_ref().map(RequestSpan::span), answer).await;
    if let Some(span) = span {
        span.answered(response.status());
    }
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_its_name_at_any_port() {
        for (header, allowed, is) in [
            ("localhost", "localhost", true),
            ("LOCALHOST:7171", "localhost", true),
            ("127.0.0.1:7171", "127.0.0.1", true),
            ("[::1]:7171", "::1", true),
            ("[::1]", "[::1]", true),
            ("localhost.evil.example:80", "localhost", false),
            ("evil.example", "localhost", false),
            ("", "localhost", false),
        ] {
            assert_eq!(is_host(header, allowed), is, "{header} {allowed}");
        }
    }

    #[test]
    fn a_subject_may_have_any_letters() {
        let with = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(SUBJECT_HEADER, HeaderValue::from_static(value));
            subject(&headers).map_err(|refusal| refusal.status)
        };
        assert_eq!(with("ana"), Ok(Some("ana".to_owned())));
        assert_eq!(with("%C4%8Dakov%20dom"), Ok(Some("čakov dom".to_owned())));
        assert_eq!(with("Ana Horvat"), Ok(Some("Ana Horvat".to_owned())));
        assert_eq!(with("100%"), Err(400));
        assert_eq!(with("%4"), Err(400));
        assert_eq!(with("%zz"), Err(400));
        assert_eq!(with(""), Err(400));
        assert_eq!(with("%FF"), Err(422));
        assert_eq!(with("a%00b"), Err(422));
        assert_eq!(with("%20"), Err(422));
    }
}
