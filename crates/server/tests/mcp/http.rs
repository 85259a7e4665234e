//! The same over HTTP: who is let in, and that nothing is kept between two requests.

use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use ledger::time::Instant;
use serde_json::{Value as Json, json};
use server::access::book::{Book, NewKey, Random};
use server::access::{Rights, Subjects};
use server::http::{Shared, router};
use tower::ServiceExt;

use super::support::{House, subject};

/// A request as a client of a revision sends it.
struct Post<'a> {
    key: Option<&'a str>,
    revision: &'a str,
    body: Json,
    headers: &'a [(&'a str, &'a str)],
}

impl<'a> Post<'a> {
    fn of(key: &'a str, body: Json) -> Self {
        Self { key: Some(key), revision: "2025-11-25", body, headers: &[] }
    }

    fn request(&self, address: &str) -> Request<Body> {
        let mut request = Request::post(address)
            .header("host", "localhost:7171")
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", self.revision);
        if let Some(key) = self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        for (name, value) in self.headers {
            request = request.header(*name, *value);
        }
        request.body(Body::from(self.body.to_string())).expect("a request")
    }
}

struct Served {
    router: axum::Router,
    key: String,
    _place: tempfile::TempDir,
}

/// A server with one key, which is Ana's.
fn served() -> Served {
    served_as(House::default(), None)
}

fn served_as(house: House, expires: Option<Instant>) -> Served {
    let place = tempfile::tempdir().expect("a place");
    let book = place.path().join("access.json");
    let server = House { book: book.clone(), ..house }.server();
    let new = NewKey {
        name: "laptop".to_owned(),
        rights: Rights::ALL,
        subjects: Subjects::Only(vec![subject("ana")]),
        expires,
    };
    let random = Random { id: [1; 9], secret: [2; 32] };
    // It is made long before the server asks for it.
    let made = "2026-01-01T00:00:00Z".parse().expect("an instant");
    let (key, _) = Book::at(book).create(&new, &random, made).expect("a key");
    Served { router: router(Shared::new(server)), key: key.reveal().to_string(), _place: place }
}

impl Served {
    async fn send(&self, request: Request<Body>) -> (Response<()>, Json) {
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let json = serde_json::from_slice(&bytes).unwrap_or(Json::Null);
        (Response::from_parts(parts, ()), json)
    }

    async fn post(&self, post: &Post<'_>) -> (StatusCode, Json) {
        let (response, json) = self.send(post.request("/mcp")).await;
        (response.status(), json)
    }
}

fn call(tool: &str, arguments: Json) -> Json {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn header<'a>(response: &'a Response<()>, name: &str) -> &'a str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn without_a_key_one_is_told_where_it_stands_how_to_be_let_in() {
    let served = served();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let no_key = Post { key: None, ..Post::of("", list.clone()) };
    let (refused, told) = served.send(no_key.request("/mcp")).await;
    assert_eq!((refused.status(), &told["code"]), (StatusCode::UNAUTHORIZED, &json!("no_valid_key")));
    let challenge = header(&refused, "www-authenticate");
    let address = "http://localhost:7171/.well-known/oauth-protected-resource";
    assert!(challenge.contains(&format!("resource_metadata=\"{address}\"")), "{challenge}");
    assert!(challenge.contains("scope=\"memory:read memory:write memory:forget\""), "{challenge}");
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let asked = Request::get(path).header("host", "memory.example.org").body(Body::empty());
        let (_, told) = served.send(asked.expect("a request")).await;
        assert_eq!(told["resource"], "https://memory.example.org/mcp");
        assert_eq!(told["bearer_methods_supported"], json!(["header"]));
    }
    // A key in the address would stand in every log on the way, and opens nothing.
    let in_query = no_key.request(&format!("/mcp?access_token={}", served.key));
    assert_eq!(served.send(in_query).await.0.status(), StatusCode::UNAUTHORIZED);
    let wrong = Post::of("testimony_nonsense", list);
    assert_eq!(served.post(&wrong).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn older_clients_begin_and_each_request_stands_alone() {
    let served = served();
    let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let (response, begun) = served.send(Post::of(&served.key, begin).request("/mcp")).await;
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25", "{begun}");
    assert_eq!(header(&response, "cache-control"), "no-store");
    assert!(response.headers().get("mcp-session-id").is_none(), "there is no session to take over");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(served.post(&Post::of(&served.key, initialized)).await.0, StatusCode::ACCEPTED);
    let (_, kept) =
        served.post(&Post::of(&served.key, call("remember", json!({"text": "I live in Zagreb."})))).await;
    assert_eq!(kept["result"]["isError"], false, "{kept}");
    let recall = Post {
        headers: &[("mcp-session-id", "another's")],
        ..Post::of(&served.key, call("recall", json!({"query": "Zagreb"})))
    };
    let (_, recalled) = served.post(&recall).await;
    assert!(recalled.to_string().contains("I live in Zagreb"), "{recalled}");
    let get = Request::get("/mcp").header("host", "localhost:7171").header("accept", "text/event-stream");
    let get = get.header("authorization", format!("Bearer {}", served.key)).body(Body::empty());
    assert_eq!(served.send(get.expect("a request")).await.0.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn the_newest_revision_is_held_to_its_headers() {
    let served = served();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {}});
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let right = Post {
        revision: "2026-07-28",
        headers: &[("mcp-method", "tools/list")],
        ..Post::of(&served.key, list.clone())
    };
    let (status, listed) = served.post(&right).await;
    assert_eq!(status, StatusCode::OK, "{listed}");
    assert_eq!(listed["result"]["cacheScope"], "private", "{listed}");
    // Nothing of a call is mirrored into headers.
    assert!(!listed.to_string().contains("x-mcp-header"));
    let wrong = Post {
        revision: "2026-07-28",
        headers: &[("mcp-method", "tools/call")],
        ..Post::of(&served.key, list)
    };
    assert_eq!(served.post(&wrong).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn foreign_subjects_and_origins_and_what_is_too_long_are_refused() {
    let served = served();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let foreign = Post { headers: &[("testimony-subject", "ben")], ..Post::of(&served.key, list.clone()) };
    let (status, told) = served.post(&foreign).await;
    assert_eq!((status, &told["code"]), (StatusCode::FORBIDDEN, &json!("not_your_subject")));
    let own = Post { headers: &[("testimony-subject", "ana")], ..Post::of(&served.key, list.clone()) };
    assert_eq!(served.post(&own).await.0, StatusCode::OK);
    let page = Post { headers: &[("origin", "https://evil.example")], ..Post::of(&served.key, list) };
    let (status, told) = served.post(&page).await;
    assert_eq!((status, &told["code"]), (StatusCode::FORBIDDEN, &json!("origin_not_allowed")));
    let long = Post::of(&served.key, json!({"long": "x".repeat(33 * 1024 * 1024)}));
    assert_eq!(served.post(&long).await.0, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_key_ends_and_asks_no_more_often_than_it_may() {
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let past = "2026-11-01T00:00:00Z".parse().expect("an instant");
    let ended = served_as(House::default(), Some(past));
    assert_eq!(ended.post(&Post::of(&ended.key, list.clone())).await.0, StatusCode::UNAUTHORIZED);
    let served = served_as(House { calls_per_second: 1, ..House::default() }, None);
    let mut last = StatusCode::OK;
    for _ in 0..20 {
        let (response, _) = served.send(Post::of(&served.key, list.clone()).request("/mcp")).await;
        last = response.status();
        if last == StatusCode::TOO_MANY_REQUESTS {
            assert!(!header(&response, "retry-after").is_empty());
            break;
        }
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}

/// The tools of the other server are had over HTTP, too.
#[tokio::test]
async fn the_memory_servers_tools_are_listed_by_request() {
    let served = served_as(House { memory_server: true, ..House::default() }, None);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let (_, listed) = served.post(&Post::of(&served.key, list)).await;
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(9), "{listed}");
}
