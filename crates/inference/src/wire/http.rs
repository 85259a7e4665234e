//! Requests over HTTP: no redirect is followed, nothing but the key and the body is sent, and what comes back is bounded.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, RustlsConnector, TcpConnector};

use super::exchange::{Exchange, NoReply, Reply, Request};
use super::transport::{LookingUp, Stopped, interruptible};
use crate::error::{InferenceError, InferenceErrorKind};
use crate::key::{Environment, KeySource};
use crate::limits::Limits;
use crate::secret::Secret;

/// The largest reply read, in bytes: a batch of 64 vectors of 4,096 numbers written out, several times.
pub const REPLY_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The largest head of a reply, in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The longest a server can make us wait by `Retry-After`; what is longer is as good as never.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// What every request goes through.
fn agent() -> Agent {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let config = Config::builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_response_header_size(HEAD_BYTES_MAX)
        .proxy(None)
        .user_agent(concat!("testimony/", env!("CARGO_PKG_VERSION")))
        .accept("application/json")
        .accept_encoding("identity")
        .build();
    let connector = ().chain(TcpConnector::default()).chain(LookingUp).chain(RustlsConnector::default());
    Agent::with_parts(config, connector, DefaultResolver::default())
}

/// Fetches a public document: one GET, with no key, and no redirect followed.
///
/// # Errors
/// [`InferenceErrorKind::Unreachable`] without an answer of 200 within `within`, [`InferenceErrorKind::BadReply`] for more than
/// `bytes_max` bytes.
pub fn fetch(url: &str, bytes_max: u64, within: Duration) -> Result<Vec<u8>, InferenceError> {
    let failed =
        |what: String| InferenceError::new(InferenceErrorKind::Unreachable, format!("`{url}`: {what}"));
    let request = agent().get(url).config().timeout_global(Some(within)).build();
    let mut reply = request.call().map_err(|error| failed(error.to_string()))?;
    if reply.status() != 200 {
        return Err(failed(format!("answered {}", reply.status())));
    }
    let mut bytes = Vec::new();
    let read = reply.body_mut().as_reader().take(bytes_max + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > bytes_max {
        let message = format!("`{url}`: more than {bytes_max} bytes");
        return Err(InferenceError::new(InferenceErrorKind::BadReply, message));
    }
    Ok(bytes)
}

/// Sends what somebody else wrote, under no key of ours. Connections are kept and used again, and no redirect is followed.
pub struct Post {
    agent: Agent,
}

impl Default for Post {
    fn default() -> Self {
        Self { agent: agent() }
    }
}

impl Post {
    /// Sends a request, and answers what came back, whatever its status.
    ///
    /// # Errors
    /// [`InferenceErrorKind::Unreachable`] without an answer `within` this time, [`InferenceErrorKind::BadReply`] for one of more than
    /// `bytes_max` bytes. The message names the host and nothing of the request.
    pub fn send(
        &self,
        request: ureq::http::Request<&[u8]>,
        bytes_max: u64,
        within: Duration,
    ) -> Result<ureq::http::Response<Vec<u8>>, InferenceError> {
        let host = request.uri().host().unwrap_or_default().to_owned();
        let failed = |what: &dyn std::fmt::Display| {
            InferenceError::new(InferenceErrorKind::Unreachable, format!("`{host}`: {what}"))
        };
        let request = self.agent.configure_request(request).timeout_global(Some(within)).build();
        let (parts, mut body) = self.agent.run(request).map_err(|error| failed(&error))?.into_parts();
        let mut bytes = Vec::new();
        let read = body.as_reader().take(bytes_max + 1).read_to_end(&mut bytes);
        read.map_err(|error| failed(&error))?;
        if bytes.len() as u64 > bytes_max {
            let message = format!("`{host}`: more than {bytes_max} bytes");
            return Err(InferenceError::new(InferenceErrorKind::BadReply, message));
        }
        Ok(ureq::http::Response::from_parts(parts, bytes))
    }
}

/// How one server is reached.
#[derive(Clone, Debug)]
pub struct Address {
    /// `http` or `https`, host, and the path before every request's own; without a slash at its end.
    pub base_url: String,
    /// How long a connection may take to stand.
    pub connect: Duration,
    /// The header that carries the key, and what stands before it.
    pub key_header: (String, String),
    /// Headers the protocol asks for.
    pub headers: Vec<(String, String)>,
}

/// A server reached over HTTP. Connections are kept and used again.
pub struct Http {
    agent: Agent,
    address: Address,
    host: String,
    key: Option<(KeySource, Environment)>,
    read: Mutex<Option<Secret>>,
}

impl Http {
    /// The server at `address`, with a key from `key` where it asks for one. Nothing is connected or read yet.
    #[must_use]
    pub fn new(address: Address, key: Option<(KeySource, Environment)>) -> Self {
        let agent = agent();
        let host = host(&address.base_url).to_owned();
        Self { agent, address, host, key, read: Mutex::new(None) }
    }

    /// The key, read when it is first needed and kept until a server refuses it.
    fn key(&self) -> Result<Option<Secret>, InferenceError> {
        let Some((source, environment)) = &self.key else { return Ok(None) };
        let mut read = self.read.lock();
        if read.is_none() {
            *read = Some(source.read(environment)?);
        }
        Ok(read.clone())
    }

    fn headers(&self) -> Result<HeaderMap, InferenceError> {
        let unfit = |what: &str| {
            let message = format!("{what} cannot be sent as a header");
            InferenceError::new(InferenceErrorKind::Configuration, message)
        };
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &self.address.headers {
            let name = HeaderName::try_from(name).map_err(|_| unfit("a header's name"))?;
            headers.insert(name, HeaderValue::try_from(value).map_err(|_| unfit("a header's value"))?);
        }
        if let Some(key) = self.key()? {
            let (name, before) = &self.address.key_header;
            let name = HeaderName::try_from(name).map_err(|_| unfit("the key header's name"))?;
            let value = zeroize::Zeroizing::new(format!("{before}{}", key.expose()));
            let mut value = HeaderValue::from_str(&value).map_err(|_| unfit("the key"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn send(&self, request: &Request, limits: &Limits) -> Result<Reply, NoReply> {
        let fixed = |error| NoReply { error, is_worth_retrying: false };
        let headers = self.headers().map_err(fixed)?;
        let body = serde_json::to_vec(&request.body).map_err(|_| {
            let message = "the request cannot be written as JSON";
            fixed(InferenceError::new(InferenceErrorKind::Unsupported, message))
        })?;
        let url = format!("{}{}", self.address.base_url, request.path);
        let mut post = self
            .agent
            .post(&url)
            .config()
            .timeout_global(Some(limits.within))
            .timeout_connect(Some(self.address.connect.min(limits.within)))
            .build();
        if let Some(own) = post.headers_mut() {
            own.extend(headers);
        }
        let mut response = post.send(&body[..]).map_err(|error| self.no_reply(&error, limits))?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let too_long = || {
            let message = format!("the reply of {} is longer than {REPLY_BYTES_MAX} bytes", self.host);
            fixed(InferenceError::new(InferenceErrorKind::BadReply, message))
        };
        if response.body().content_length().is_some_and(|length| length > REPLY_BYTES_MAX as u64) {
            return Err(too_long());
        }
        let mut reader = response.body_mut().with_config().limit(u64::MAX).reader();
        let mut body = Vec::new();
        let mut piece = vec![0_u8; 64 * 1024];
        loop {
            let read = match reader.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.no_reply(&error.into(), limits)),
            };
            if limits.cancel.is_cancelled() {
                return Err(fixed(cancelled()));
            }
            if body.len() + read > REPLY_BYTES_MAX {
                return Err(too_long());
            }
            body.extend_from_slice(&piece[..read]);
        }
        Ok(Reply { status, retry_after, body })
    }

    /// What a failed exchange means. Nothing of the request and no header is in the message.
    fn no_reply(&self, error: &ureq::Error, limits: &Limits) -> NoReply {
        use InferenceErrorKind::{BadReply, Configuration, Deadline, Unreachable};
        let host = &self.host;
        let no_reply = |kind, message: String, is_worth_retrying| NoReply {
            error: InferenceError::new(kind, message),
            is_worth_retrying,
        };
        let stopped = matches!(error, ureq::Error::Other(inner) if inner.is::<Stopped>());
        if stopped || limits.cancel.is_cancelled() {
            return NoReply { error: cancelled(), is_worth_retrying: false };
        }
        match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                no_reply(Unreachable, format!("no connection to {host} in time"), true)
            }
            ureq::Error::Timeout(_) => no_reply(Deadline, format!("{host} took longer than it may"), false),
            ureq::Error::HostNotFound => no_reply(Unreachable, format!("host {host} is not known"), true),
            ureq::Error::ConnectionFailed => no_reply(Unreachable, format!("no connection to {host}"), true),
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => no_reply(
                Configuration,
                format!(
                    "no encrypted connection to {host}: its certificate is not trusted here, or it speaks no TLS"
                ),
                false,
            ),
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => no_reply(
                Configuration,
                format!(
                    "no encrypted connection to {host}: its certificate is not trusted here, or it speaks no TLS"
                ),
                false,
            ),
            ureq::Error::Io(error) => {
                no_reply(Unreachable, format!("the connection to {host} failed: {}", error.kind()), true)
            }
            ureq::Error::BadUri(_) => {
                no_reply(Configuration, format!("the address of {host} is none"), false)
            }
            _ => no_reply(BadReply, format!("{host} does not speak HTTP as it should"), false),
        }
    }
}

impl Exchange for Http {
    fn exchange(&self, request: &Request, limits: &Limits) -> Result<Reply, NoReply> {
        if limits.cancel.is_cancelled() {
            return Err(NoReply { error: cancelled(), is_worth_retrying: false });
        }
        interruptible(&limits.cancel, || self.send(request, limits))
    }

    fn is_key_shown_by(&self, text: &str) -> bool {
        self.read.lock().as_ref().is_some_and(|key| key.is_shown_by(text))
    }

    fn forget_key(&self) -> bool {
        let may_change = self.key.as_ref().is_some_and(|(source, _)| source.may_change());
        may_change && self.read.lock().take().is_some()
    }
}

pub(super) fn cancelled() -> InferenceError {
    InferenceError::new(InferenceErrorKind::Cancelled, "stopped by the caller")
}

/// Host and port of an address.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// How long a reply asks to be left alone. A date is read against the server's own clock, so ours does not matter.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|written| written.parse().ok()) {
        return Some(Duration::from_millis(milliseconds).min(RETRY_AFTER_MAX));
    }
    let written = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = written.parse::<u64>() {
        return Some(Duration::from_secs(seconds).min(RETRY_AFTER_MAX));
    }
    let date = |written: &str| jiff::fmt::rfc2822::parse(written).ok().map(|date| date.timestamp());
    let (until, now) = (date(written)?, date(text("date")?)?);
    let seconds = until.as_second().saturating_sub(now.as_second());
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)).min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_every_form() {
        let sunday = "Sun, 29 Nov 2026 10:00:00 GMT";
        for (headers, seconds) in [
            (vec![("retry-after", "7")], Some(7.0)),
            (vec![("retry-after", " 7 "), ("retry-after-ms", "250")], Some(0.25)),
            (vec![("retry-after", "Sun, 29 Nov 2026 10:01:30 GMT"), ("date", sunday)], Some(90.0)),
            (vec![("retry-after", "Sun, 29 Nov 2026 09:00:00 GMT"), ("date", sunday)], Some(0.0)),
            (vec![("retry-after", "Sun, 29 Nov 2026 10:01:30 GMT")], None),
            (vec![("retry-after", "99999999999999")], Some(86_400.0)),
            (vec![("retry-after", "soon")], None),
            (vec![("retry-after", "-1")], None),
            (vec![], None),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in &headers {
                map.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            assert_eq!(retry_after(&map).map(|wait| wait.as_secs_f64()), seconds, "{headers:?}");
        }
    }

    #[test]
    fn the_host_of_an_address() {
        for (url, expected) in [
            ("https://api.example.com/v1", "api.example.com"),
            ("http://localhost:8080", "localhost:8080"),
            ("http://[::1]:8080/v1", "[::1]:8080"),
        ] {
            assert_eq!(host(url), expected);
        }
    }
}
