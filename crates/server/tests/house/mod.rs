//! A server in this process, with two people's memories and keys of every kind.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use engine::Engine;
use engine::tokens::Tokens;
use http_body_util::BodyExt;
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use ledger::scope::Subject;
use ledger::time::{Instant, Moment, Zone};
use parking_lot::Mutex;
use serde_json::{Value as Json, json};
use server::access::book::{Book, NewKey, Random};
use server::access::{Right, Rights, Subjects};
use server::http::{Shared, router};
use server::settings::Settings;
use server::{House, Server};
use tower::ServiceExt;

/// A server and everything to ask it with.
pub struct Place {
    pub router: Router,
    pub shared: Shared,
    /// What its clock says.
    pub clock: Arc<Mutex<Instant>>,
    _directory: tempfile::TempDir,
    drawn: u8,
}

/// An answer.
#[derive(Debug)]
pub struct Told {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Told {
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub fn at(written: &str) -> Instant {
    Moment::parse_in(written, &Zone::utc()).expect("an instant").instant
}

pub fn subject(name: &str) -> Subject {
    Subject::parse(name).expect("a name")
}

impl Place {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let directory = tempfile::tempdir().expect("a place");
        let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
        let clock = Arc::new(Mutex::new(at("2026-11-30T12:00:00Z")));
        let told = clock.clone();
        let mut settings = Settings::of(subject("ana"));
        change(&mut settings);
        let house = House {
            book: Book::at(directory.path().join("access.json")),
            tokens: None,
            settings,
            clock: Arc::new(move || *told.lock()),
            written: Box::new(|_| {}),
            reads: None,
        };
        let shared = Shared::new(Server::new(Arc::new(engine), house));
        Self { router: router(shared.clone()), shared, clock, _directory: directory, drawn: 0 }
    }

    /// A key for these subjects; for all, where none is named.
    pub fn key(&mut self, rights: &[Right], subjects: &[&str], expires: Option<&str>) -> String {
        self.drawn += 1;
        let random = Random { id: [self.drawn; 9], secret: [self.drawn; 32] };
        let subjects = match subjects {
            [] => Subjects::All,
            names => Subjects::Only(names.iter().map(|name| subject(name)).collect()),
        };
        let new = NewKey {
            name: format!("key {}", self.drawn),
            rights: Rights::of(rights),
            subjects,
            expires: expires.map(at),
        };
        // Made on the day before, so that one may have expired since.
        let book = &self.shared.server.house().book;
        let (key, _) = book.create(&new, &random, at("2026-11-29T12:00:00Z")).expect("a key");
        key.reveal().to_string()
    }

    /// Asks.
    pub async fn ask(&self, request: Request<Body>) -> Told {
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a whole answer").to_bytes().to_vec();
        Told { status: parts.status, headers: parts.headers, body }
    }

    /// Asks a route with this key; `input` is the body, or the query of a read.
    pub async fn call(&self, method: Method, path: &str, key: Option<&str>, input: &Json) -> Told {
        self.call_for(method, path, key, None, input).await
    }

    /// The same, naming the subject.
    pub async fn call_for(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        subject: Option<&str>,
        input: &Json,
    ) -> Told {
        self.ask(request(method, path, key, subject, input)).await
    }

    /// Has somebody say something, and answers what became of it.
    pub async fn say(&self, key: &str, text: &str) -> Json {
        let message = json!({
            "source": {"kind": "conversation", "ref": "talk"}, "author": "owner", "event_time": "2026-05-01T09:00:00Z", "text": text,
        });
        let told = self.call(Method::POST, "/v1/evidence", Some(key), &json!({"messages": [message]})).await;
        assert_eq!(told.status, StatusCode::OK, "{told:?}");
        told.json()["observed"][0].clone()
    }
}

/// A request as a client would send it.
pub fn request(
    method: Method,
    path: &str,
    key: Option<&str>,
    subject: Option<&str>,
    input: &Json,
) -> Request<Body> {
    let has_body = method == Method::POST;
    let mut target = path.to_owned();
    if !has_body {
        let fields = input.as_object().into_iter().flatten().map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!(
                "{name}={}",
                percent_encoding::utf8_percent_encode(&value, percent_encoding::NON_ALPHANUMERIC)
            )
        });
        let query: Vec<String> = fields.collect();
        if !query.is_empty() {
            target = format!("{path}?{}", query.join("&"));
        }
    }
    let mut request = Request::builder().method(method).uri(target).header("host", "memory.example");
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    if let Some(subject) = subject {
        request = request.header("testimony-subject", subject);
    }
    let body = if has_body { Body::from(input.to_string()) } else { Body::empty() };
    request.header("content-type", "application/json").body(body).expect("a request")
}
