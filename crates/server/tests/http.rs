//! HTTP as a client meets it: the shapes of answers and refusals, what is cached, who may ask from a browser, long answers in pieces.

use std::collections::BTreeSet;

use crate::house::{self, Place, request};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use serde_json::{Value as Json, json};
use server::access::Right;

#[tokio::test]
async fn a_read_says_whether_it_changed() {
    let mut place = Place::new();
    let key = place.key(&Right::ALL, &["ana"], None);
    place.say(&key, "I live in Zagreb.").await;
    let first = place.call(Method::GET, "/v1/profile", Some(&key), &json!({})).await;
    let mark = first.headers["etag"].to_str().expect("a mark").to_owned();
    assert_eq!(first.headers["cache-control"], "private, no-cache");
    let again = async |mark: &str| {
        let mut request = request(Method::GET, "/v1/profile", Some(&key), None, &json!({}));
        request.headers_mut().insert("if-none-match", mark.parse().expect("a value"));
        place.ask(request).await
    };
    for known in [mark.clone(), format!("\"other\", W/{mark}"), "*".to_owned()] {
        let told = again(&known).await;
        assert_eq!((told.status, told.body.len()), (StatusCode::NOT_MODIFIED, 0), "{known}");
        assert_eq!(told.headers["etag"], mark.as_str());
    }
    place.say(&key, "My name is Ana.").await;
    assert_eq!(again(&mark).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_refusal_names_the_place_and_a_stable_code() {
    let mut place = Place::with(|settings| settings.body_bytes_max = 4_000);
    let key = place.key(&Right::ALL, &["ana"], None);
    let long = json!({"query": "a".repeat(5_000)});
    for (path, body, status, code, says) in [
        ("/v1/recall", json!({"query": 7}), 400, "bad_request", "`query`"),
        ("/v1/recall", json!({"query": "a", "colour": "red"}), 400, "bad_request", "colour"),
        ("/v1/recall", json!({}), 400, "bad_request", "query"),
        ("/v1/recall", json!({"query": "a", "limit": 0}), 422, "bad_input", "limit"),
        ("/v1/recall", json!({"query": "a", "valid_at": "the day before"}), 422, "bad_input", "`valid_at`"),
        ("/v1/recall", json!({"query": "a", "zone": "Mars/Olympus"}), 422, "bad_input", "`zone`"),
        ("/v1/turns", json!({"message": "a", "policy": "turn/99"}), 422, "bad_input", "turn/99"),
        ("/v1/evidence", json!({"messages": []}), 400, "bad_request", "`messages`"),
        ("/v1/evidence", json!({"messages": [{"author": "nobody"}]}), 400, "bad_request", "`messages[0]"),
        ("/v1/erasures", json!({}), 422, "bad_input", "nothing to forget"),
        ("/v1/erasures", json!({"ids": ["ev_x"], "everything": true}), 422, "bad_input", "one of the three"),
        ("/v1/receipts/ev_x", json!({}), 405, "wrong_method", "method"),
        ("/v1/recall", long, 413, "body_too_long", "4000"),
        ("/v2/recall", json!({}), 404, "no_such_route", "path"),
    ] {
        let told = place.call(Method::POST, path, Some(&key), &body).await;
        assert_eq!((told.status.as_u16(), told.code().as_str()), (status, code), "{path} {told:?}");
        assert_eq!(told.headers["content-type"], "application/problem+json", "{path}");
        let problem = told.json();
        assert!(problem["detail"].as_str().expect("a detail").contains(says), "{problem}");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], format!("urn:testimony:problem:{code}"));
    }
    for (query, says) in [
        ("limit=many", "`limit`"),
        ("limit=1&limit=2", "twice"),
        ("colour=red", "colour"),
        ("limit=%FF", "text"),
    ] {
        let request = request(Method::GET, &format!("/v1/facts?{query}"), Some(&key), None, &json!({}));
        let told = place.ask(request).await;
        assert_eq!(told.status, 400, "{query}");
        assert!(told.json()["detail"].as_str().expect("a detail").contains(says), "{query} {told:?}");
    }
    for (body, kind, status) in
        [("{", "application/json", 400), ("[]", "application/json", 400), ("{}", "text/plain", 415)]
    {
        let request = Request::post("/v1/recall")
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", kind)
            .body(Body::from(body))
            .expect("a request");
        assert_eq!(place.ask(request).await.status, status, "{body} {kind}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_cannot_ask() {
    let mut place = Place::with(|settings| {
        settings.origins = vec!["https://app.example".to_owned()];
        settings.hosts = vec!["memory.example".to_owned()];
    });
    let key = place.key(&Right::ALL, &["ana"], None);
    let from = async |origin: Option<&str>, host: &str| {
        let mut request = request(Method::POST, "/v1/recall", Some(&key), None, &json!({"query": "a"}));
        request.headers_mut().insert("host", host.parse().expect("a value"));
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().expect("a value"));
        }
        place.ask(request).await
    };
    assert_eq!(from(None, "memory.example:7171").await.status, 200);
    assert_eq!(from(Some("http://memory.example:7171"), "memory.example:7171").await.status, 200);
    let allowed = from(Some("https://app.example"), "memory.example").await;
    assert_eq!(
        (allowed.status.as_u16(), &allowed.headers["access-control-allow-origin"]),
        (200, &"https://app.example".parse().expect("a value"))
    );
    for origin in ["https://evil.example", "null", "https://memory.example.evil.example"] {
        let told = from(Some(origin), "memory.example").await;
        assert_eq!((told.status.as_u16(), told.code().as_str()), (403, "origin_not_allowed"), "{origin}");
        assert!(!told.headers.contains_key("access-control-allow-origin"));
    }
    // A name of somebody else's that leads here.
    assert_eq!(from(None, "rebound.example").await.code(), "host_not_allowed");
}

#[tokio::test]
async fn without_a_key_only_the_page_of_the_server_itself_may_ask() {
    let place = Place::with(|settings| settings.without_key = true);
    let ask = async |method: Method, origin: Option<&str>| {
        let mut request = request(method, "/v1/entries", None, None, &json!({}));
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().expect("a value"));
        }
        place.ask(request).await.status.as_u16()
    };
    assert_eq!(ask(Method::GET, None).await, 200);
    assert_eq!(ask(Method::GET, Some("http://memory.example")).await, 200);
    assert_eq!(ask(Method::GET, Some("http://evil.example")).await, 403);
    assert_eq!(ask(Method::POST, Some("http://evil.example")).await, 403);
}

#[tokio::test]
async fn who_asks_too_often_is_told_when_there_is_room() {
    let mut place = Place::with(|settings| {
        settings.calls_per_second = 1;
        settings.burst = 3;
    });
    let (noisy, quiet) = (place.key(&Right::ALL, &["ana"], None), place.key(&Right::ALL, &["ben"], None));
    let ask = async |key: &str| place.call(Method::GET, "/v1/profile", Some(key), &json!({})).await;
    for _ in 0..3 {
        assert_eq!(ask(&noisy).await.status, 200);
    }
    let refused = ask(&noisy).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (429, "too_many_calls"));
    let seconds: u64 = refused.headers["retry-after"].to_str().expect("text").parse().expect("seconds");
    assert!((1..=3).contains(&seconds), "{seconds}");
    assert_eq!(ask(&quiet).await.status, 200, "another key has its own room");
}

#[tokio::test]
async fn what_is_exported_can_be_imported_and_both_are_told_piece_by_piece() {
    let mut place = Place::new();
    let (ana, ben) = (place.key(&Right::ALL, &["ana"], None), place.key(&Right::ALL, &["ben"], None));
    for text in ["I live in Zagreb.", "My name is Ana.", "I live in Split now."] {
        place.say(&ana, text).await;
    }
    let exported = place.call(Method::GET, "/v1/export", Some(&ana), &json!({})).await;
    assert_eq!(exported.headers["content-type"], "application/x-ndjson");
    let lines: Vec<Json> = exported
        .body
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("a line"))
        .collect();
    assert_eq!(lines.len(), 3);
    let mut request = request(Method::POST, "/v1/imports", Some(&ben), None, &json!({"messages": lines}));
    request.headers_mut().insert("accept", "text/event-stream".parse().expect("a value"));
    let imported = place.ask(request).await;
    assert_eq!(imported.headers["content-type"], "text/event-stream");
    let told = String::from_utf8(imported.body).expect("text");
    let events: Vec<&str> = told.split("\n\n").filter(|event| !event.is_empty()).collect();
    assert_eq!(events.last(), Some(&"event: done\ndata: {}"), "{told}");
    let last = events[events.len() - 2].split_once("data: ").expect("data").1;
    let last: Json = serde_json::from_str(last).expect("JSON");
    assert_eq!((&last["done"], &last["taken"]["stored"]), (&json!(3), &json!(3)), "{last}");
    let held = async |key: &str| {
        let state = place.call(Method::GET, "/v1/facts", Some(key), &json!({})).await.json();
        state["items"].as_array().into_iter().flatten().map(|item| item["value"].clone()).collect::<Vec<_>>()
    };
    let values = held(&ana).await;
    assert!(values.contains(&json!("Ana")) && values.contains(&json!("Split")), "{values:?}");
    assert_eq!(held(&ben).await, values);
}

#[tokio::test]
async fn a_clock_that_was_set_back_hides_nothing_and_every_page_is_of_one_moment() {
    let mut place = Place::new();
    let key = place.key(&Right::ALL, &["ana"], None);
    for text in ["I live in Zagreb.", "My name is Ana."] {
        place.say(&key, text).await;
    }
    *place.clock.lock() = house::at("2026-11-29T12:00:00Z");
    let facts = async |input: Json| place.call(Method::GET, "/v1/facts", Some(&key), &input).await.json();
    let all = facts(json!({})).await;
    assert_eq!(all["items"].as_array().map(Vec::len), Some(2), "{all}");
    let first = facts(json!({"limit": 1})).await;
    // What is said between two pages, at a later instant, is on none of them.
    *place.clock.lock() = house::at("2026-12-01T12:00:00Z");
    place.say(&key, "I like green tea.").await;
    let second = facts(json!({"limit": 1, "cursor": first["next"]})).await;
    assert_eq!(second["items"], json!([all["items"][1]]), "{second}");
    assert_eq!(second["next"], Json::Null, "{second}");
    assert_eq!(facts(json!({})).await["items"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn only_a_service_speaks_as_the_service() {
    let mut place = Place::new();
    let person = place.key(&[Right::Write], &["ana"], None);
    let service = place.key(&[Right::Write, Right::Service], &["ana"], None);
    let body = json!({"messages": [{"source": {"kind": "note", "ref": "a"}, "author": "service", "text": "The session ended."}]});
    assert_eq!(place.call(Method::POST, "/v1/evidence", Some(&person), &body).await.status, 403);
    let imported = place.call(Method::POST, "/v1/imports", Some(&person), &body).await;
    let last = imported.body.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).expect("a piece");
    let last: Json = serde_json::from_slice(last).expect("JSON");
    assert_eq!(last["taken"]["refused"][0]["reason"], "not_permitted", "{last}");
    assert_eq!(place.call(Method::POST, "/v1/evidence", Some(&service), &body).await.status, 200);
}

#[tokio::test]
async fn every_answer_is_marked_as_data_for_the_one_who_asked() {
    let mut place = Place::new();
    let key = place.key(&Right::ALL, &[], None);
    for (path, key) in [
        ("/healthz", None),
        ("/readyz", None),
        ("/openapi.json", None),
        ("/docs", None),
        ("/nothing", None),
        ("/v1/profile", Some(&key)),
        ("/metrics", Some(&key)),
    ] {
        let told = place.call(Method::GET, path, key.map(String::as_str), &json!({})).await;
        assert_eq!(told.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(told.headers["x-frame-options"], "DENY", "{path}");
        assert!(told.headers.contains_key("content-security-policy"), "{path}");
        assert!(told.headers.contains_key("cache-control"), "{path}");
    }
    assert_eq!(place.call(Method::GET, "/metrics", None, &json!({})).await.status, 401);
    let of_one = place.key(&Right::ALL, &["ana"], None);
    assert_eq!(
        place.call(Method::GET, "/metrics", Some(&of_one), &json!({})).await.status,
        403,
        "it tells of everybody"
    );
    let metrics = place.call(Method::GET, "/metrics", Some(&key), &json!({})).await;
    let text = String::from_utf8(metrics.body).expect("text");
    assert!(text.contains("testimony_calls_total{verb=\"profile\",status=\"200\"} 1"), "{text}");
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[tokio::test]
async fn the_document_leads_nowhere_that_is_not_there() {
    let place = Place::new();
    let document = place.call(Method::GET, "/openapi.json", None, &json!({})).await.json();
    let mut references = BTreeSet::new();
    gather(&document, &mut references);
    assert!(references.len() > 20, "{references:?}");
    for reference in &references {
        let pointer = reference.strip_prefix('#').expect("a reference within the document");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    let page = place.call(Method::GET, "/docs", None, &json!({})).await;
    let page = String::from_utf8(page.body).expect("text");
    for path in document["paths"].as_object().expect("paths").keys() {
        assert!(page.contains(path.as_str()), "{path}");
    }
}

fn gather(value: &Json, references: &mut BTreeSet<String>) {
    match value {
        Json::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Json::as_str).map(str::to_owned));
            fields.values().for_each(|value| gather(value, references));
        }
        Json::Array(items) => items.iter().for_each(|item| gather(item, references)),
        _ => {}
    }
}

#[tokio::test]
async fn mem0_is_told_which_message_was_refused() {
    let mut place = Place::new();
    let key = place.key(&Right::ALL, &["ana"], None);
    let add = |texts: &[&str]| {
        let messages: Vec<Json> = texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
        json!({"messages": messages, "infer": true})
    };
    let words = ["I like tea.", "I like coffee."];
    let kept = place.call(Method::POST, "/mem0/v1/memories", Some(&key), &add(&words)).await.json();
    let ids: Vec<&Json> =
        kept["results"].as_array().expect("results").iter().map(|one| &one["testimony"]["id"]).collect();
    assert_eq!(ids.len(), 2, "{kept}");
    let forgotten = place.call(Method::POST, "/v1/erasures", Some(&key), &json!({"ids": ids})).await;
    assert_eq!(forgotten.status, StatusCode::OK, "{kept} {forgotten:?}");
    let again = ["I live in Zagreb.", words[0], words[1]];
    let told = place.call(Method::POST, "/mem0/v1/memories", Some(&key), &add(&again)).await.json();
    let refused: Vec<(&Json, &Json)> = told["refused"]
        .as_array()
        .expect("refusals")
        .iter()
        .map(|one| (&one["message"], &one["code"]))
        .collect();
    assert_eq!(refused, [(&json!(1), &json!("forgotten")), (&json!(2), &json!("forgotten"))], "{told}");
}
