//! What comes in over HTTP: whole requests as bytes, and cursors.

use std::sync::{Arc, LazyLock};

use axum::Router;
use engine::Engine;
use engine::tokens::Tokens;
use ledger::admission::Policies;
use ledger::reference::ReferenceStore;
use serde_json::{Value as Json, json};
use server::access::book::Book;
use server::http::{Shared, router};
use server::settings::Settings;
use server::{House, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Runtime;

use super::text;
use crate::world::{at, scope};

/// What the neighbour said, and nobody else may be told.
const SECRET: &str = "quince marmalade";

/// A server with two people's memories, in which whoever asks is the first; they may ask for both.
struct Place {
    runtime: Runtime,
    /// Made once: making its table of routes takes longer than most answers.
    router: Router,
    settings: Settings,
    /// Where keys are made and revoked.
    _keys: tempfile::TempDir,
}

static HOUSE: LazyLock<Place> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let engine = Engine::new(Arc::new(ReferenceStore::new()), Policies::shipped(), Arc::new(Tokens));
    let keys = tempfile::tempdir().expect("a place for keys");
    let settings = Settings { without_key: true, ..Settings::of(scope("ana").subject().clone()) };
    let house = House {
        book: Book::at(keys.path().join("access.json")),
        tokens: None,
        settings,
        clock: Arc::new(|| at("2026-11-30")),
        written: Box::new(|_| {}),
        reads: None,
    };
    let settings = house.settings.clone();
    let router = router(Shared::new(Server::new(Arc::new(engine), house)));
    let house = Place { runtime, router, settings, _keys: keys };
    for (name, words) in
        [("ana", "I live in Zagreb."), ("ana", "My name is Ana."), ("ben", &format!("I like {SECRET}."))]
    {
        let said =
            json!({"messages": [{"source": {"kind": "note", "ref": "a"}, "author": "owner", "text": words}]});
        let told = house.ask(&request("POST", "/v1/evidence", name, &said.to_string()));
        assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    }
    house
});

impl Place {
    /// Sends these bytes as one connection, and answers everything that came back.
    fn ask(&self, sent: &str) -> String {
        text(&self.send(sent.as_bytes()))
    }

    fn send(&self, sent: &[u8]) -> Vec<u8> {
        self.runtime.block_on(async {
            let (ours, theirs) = tokio::io::duplex(1 << 20);
            let (router, settings) = (self.router.clone(), self.settings.clone());
            let served =
                tokio::spawn(async move { server::http::serve::one(theirs, router, &settings).await });
            let (mut reads, mut writes) = tokio::io::split(ours);
            let sending = async {
                // The server may hang up in the middle.
                _ = writes.write_all(sent).await;
                _ = writes.shutdown().await;
            };
            let mut answered = Vec::new();
            let (_, read) = tokio::join!(sending, reads.read_to_end(&mut answered));
            read.expect("the answer ends");
            served.await.expect("the connection ends");
            answered
        })
    }
}

fn request(method: &str, path: &str, subject: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ntestimony-subject: {subject}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// A connection's bytes. Every request that can be read is answered, none with a fault of ours, and nobody is told what is
/// another's unless they ask for the other.
pub(super) fn http(bytes: &[u8]) {
    let answered = HOUSE.send(bytes);
    let told = text(&answered);
    if told.is_empty() {
        return;
    }
    assert!(told.starts_with("HTTP/1."), "{told}");
    assert!(!told.contains("HTTP/1.1 500 "), "{told}");
    let asks_for_another = text(bytes).to_ascii_lowercase().contains("testimony-subject");
    assert!(asks_for_another || !told.contains(SECRET), "{told}");
}

/// A text as a cursor: it is one that the list gave out, or it is refused.
pub(super) fn cursor(bytes: &[u8]) {
    let encoded: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
    for list in ["facts", "timeline", "disputes", "sources"] {
        let told = HOUSE.ask(&request("GET", &format!("/v1/{list}?limit=1&cursor={encoded}"), "ana", ""));
        let refused = ["HTTP/1.1 400 ", "HTTP/1.1 409 ", "HTTP/1.1 414 ", "HTTP/1.1 422 "]
            .iter()
            .any(|status| told.starts_with(status));
        if refused {
            let body: Json = told
                .split("\r\n\r\n")
                .nth(1)
                .and_then(|body| serde_json::from_str(body).ok())
                .unwrap_or_default();
            assert!(body["code"].is_string(), "{told}");
            continue;
        }
        let written = text(bytes);
        let first = HOUSE.ask(&request("GET", &format!("/v1/{list}?limit=1"), "ana", ""));
        assert!(
            told.starts_with("HTTP/1.1 200 ") && first.contains(&format!("\"next\":\"{written}\"")),
            "{list} {told}"
        );
    }
}
