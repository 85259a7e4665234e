//! The matrix of who may do what: every route × every kind of key and id. Its rows are the router's own table, so a new route is
//! asked here before anybody can forget it.

use crate::house::{self, Place};
use axum::http::{Method, StatusCode};
use ledger::scope::Scope;
use serde_json::{Value as Json, json};
use server::access::Right;
use server::http::route::{Route, routes};
use server::mem0::places;

/// Ids of somebody's memory.
struct Ids {
    version: String,
    fact: String,
    evidence: String,
    source: String,
    turn: String,
    disputed: String,
    sides: Vec<String>,
}

async fn ids(place: &Place, key: &str) -> Ids {
    let said = place.say(key, "I live in Zagreb.").await;
    let claim = &said["admitted"][0];
    for (number, count) in ["120", "135"].iter().enumerate() {
        let message = json!({
            "source": {"kind": "document", "ref": format!("report {number}")}, "author": "external",
            "event_time": format!("2026-03-0{}T09:00:00Z", number + 1), "text": format!("Acme has {count} employees."),
            "proposals": [{"entity": "acme", "predicate": "headcount", "value": count, "confidence": 1.0, "quote": format!("Acme has {count} employees")}],
        });
        let told = place.call(Method::POST, "/v1/evidence", Some(key), &json!({"messages": [message]})).await;
        assert_eq!(told.json()["observed"][0]["counts"]["admitted"], 1, "{told:?}");
    }
    let disputes = place.call(Method::GET, "/v1/disputes", Some(key), &json!({})).await.json();
    let turn = place
        .call(Method::POST, "/v1/turns", Some(key), &json!({"message": "where do I live?"}))
        .await
        .json();
    let sources = place.call(Method::GET, "/v1/sources", Some(key), &json!({})).await.json();
    let text = |value: &Json| value.as_str().unwrap_or_else(|| panic!("an id: {value}")).to_owned();
    let sides = disputes["disputes"][0]["versions"].as_array().into_iter().flatten();
    Ids {
        version: text(&claim["version"]),
        fact: text(&claim["fact"]),
        evidence: text(&said["evidence"]),
        source: text(&sources["sources"][0]["id"]),
        turn: text(&turn["turn"]),
        disputed: text(&disputes["disputes"][0]["fact"]["id"]),
        sides: sides.map(|version| text(&version["id"])).collect(),
    }
}

/// An input of the route that its owner may give, with these ids.
fn sample(name: &str, ids: &Ids) -> Json {
    let message =
        json!({"source": {"kind": "note", "ref": "a"}, "author": "owner", "text": "I like green tea."});
    match name {
        "observe" | "import" => json!({"messages": [message]}),
        "remember" => json!({"text": "I like green tea."}),
        "correct" => json!({"id": ids.version, "text": "I live in Split."}),
        "recall" => json!({"query": "Zagreb"}),
        "turn" => json!({"message": "where do I live?"}),
        "used" => json!({"id": ids.turn, "handles": []}),
        "recorded_turn" | "replay" => json!({"id": ids.turn}),
        "source" => json!({"id": ids.source}),
        "why" => json!({"id": ids.evidence}),
        "history" => json!({"id": ids.fact}),
        "resolve_dispute" => json!({"id": ids.disputed, "keep": ids.sides[0], "reason": "the later count"}),
        "forget" => json!({"ids": [ids.source], "dry_run": true}),
        "check_receipt" => json!({"receipt": {
            "receipt": "erasure/1", "asked": "ids", "at": "2026-11-30T12:00:00Z", "by": "owner", "watermark": 1, "chain": "00",
            "rows": {"sources": 0, "evidence": 0, "reduced": 0, "facts": 0, "claims": 0, "acts": 0, "transitions": 0},
        }}),
        "lift" => json!({"everything": true}),
        "promote_policy" => json!({"policy": "turn/3", "reason": "the figures"}),
        "compare_policies" => json!({"from": "turn/1", "to": "turn/2"}),
        "create_key" => json!({"name": "another", "scopes": ["memory:read"], "all_subjects": true}),
        "revoke_key" => json!({"id": "key_nobody"}),
        "messages" | "list" | "profile" | "state" | "timeline" | "disputes" | "sources" | "verify"
        | "rules" | "policies" | "whoami" | "list_keys" | "export" | "turns" => json!({}),
        other => panic!("say here what `{other}` takes"),
    }
}

/// The same input with the ids of somebody else; nothing where it names none.
fn with_ids_of_another(route: &Route, own: &Ids, foreign: &Ids) -> Option<Json> {
    let (with_own, with_foreign) = (sample(route.verb.name, own), sample(route.verb.name, foreign));
    (with_own != with_foreign).then_some(with_foreign)
}

/// Moves what stands in the path from the input into it.
fn placed(route: &Route, mut input: Json) -> (String, Json) {
    let mut path = route.path.to_owned();
    for name in route.in_path() {
        let value = input.as_object_mut().and_then(|fields| fields.remove(name));
        let value = value.as_ref().and_then(Json::as_str).unwrap_or("ve_none").to_owned();
        path = path.replace(&format!("{{{name}}}"), &value);
    }
    (path, input)
}

async fn ask(
    place: &Place,
    route: &Route,
    key: Option<&str>,
    subject: Option<&str>,
    input: Json,
) -> house::Told {
    let (path, input) = placed(route, input);
    place.call_for(route.method.clone(), &path, key, subject, &input).await
}

#[tokio::test]
async fn every_route_lets_in_exactly_whom_it_should() {
    let mut place = Place::new();
    let (ana, ben) = (place.key(&Right::ALL, &["ana"], None), place.key(&Right::ALL, &["ben"], None));
    let all = place.key(&Right::ALL, &[], None);
    let expired = place.key(&Right::ALL, &["ana"], Some("2026-11-30T00:00:00Z"));
    let revoked = place.key(&Right::ALL, &["ana"], None);
    let told = place.call(Method::GET, "/v1/keys", Some(&all), &json!({})).await.json();
    let id = told["keys"][4]["id"].as_str().expect("an id");
    assert_eq!(
        place.call(Method::DELETE, &format!("/v1/keys/{id}"), Some(&all), &json!({})).await.status,
        200
    );
    let without: Vec<(Right, String)> = Right::ALL
        .into_iter()
        .map(|right| {
            let others: Vec<Right> = Right::ALL.into_iter().filter(|other| *other != right).collect();
            (right, place.key(&others, &[], None))
        })
        .collect();
    let (own, foreign) = (ids(&place, &ana).await, ids(&place, &ben).await);
    let mut rows = 0;
    for route in routes() {
        let name = route.verb.name;
        let row = |case: &str| format!("{} {} ({name}), {case}", route.method, route.path);
        let input = || sample(name, &own);
        for (case, key) in [
            ("no key", None),
            ("expired", Some(&expired)),
            ("revoked", Some(&revoked)),
            ("no such key", Some(&"testimony_x".to_owned())),
        ] {
            let told = ask(&place, &route, key.map(String::as_str), None, input()).await;
            assert_eq!(
                (told.status, told.code().as_str()),
                (StatusCode::UNAUTHORIZED, "no_valid_key"),
                "{}",
                row(case)
            );
            assert!(told.headers.contains_key("www-authenticate"), "{}", row(case));
        }
        let lacking = &without.iter().find(|(right, _)| *right == route.verb.right).expect("a key").1;
        let told = ask(&place, &route, Some(lacking), Some("ana"), input()).await;
        assert_eq!(
            (told.status, told.code().as_str()),
            (StatusCode::FORBIDDEN, "not_permitted"),
            "{}",
            row("wrong scope")
        );
        if route.verb.of_subject {
            let told = ask(&place, &route, Some(&ana), Some("ben"), input()).await;
            assert_eq!(
                (told.status, told.code().as_str()),
                (StatusCode::FORBIDDEN, "not_your_subject"),
                "{}",
                row("foreign subject")
            );
            // One that never was is answered the same.
            let nobody = ask(&place, &route, Some(&ana), Some("nobody"), input()).await;
            assert_eq!(nobody.body, told.body, "{}", row("nobody's subject"));
        } else if route.verb.right == Right::Admin {
            let told = ask(&place, &route, Some(&ana), None, input()).await;
            assert_eq!(told.status, StatusCode::FORBIDDEN, "{}", row("an administrator of one subject"));
        }
        if let Some(foreign_input) = with_ids_of_another(&route, &own, &foreign) {
            let told = ask(&place, &route, Some(&ana), None, foreign_input.clone()).await;
            assert_eq!(
                (told.status, told.code().as_str()),
                (StatusCode::NOT_FOUND, "not_found"),
                "{}",
                row("foreign id")
            );
            // An id of the same form that never was gets the same answer, but for the id itself.
            let (mut never, mut asked) =
                (foreign_input.to_string(), String::from_utf8_lossy(&told.body).into_owned());
            let mut expected = asked.clone();
            for id in [
                &foreign.version,
                &foreign.fact,
                &foreign.evidence,
                &foreign.source,
                &foreign.turn,
                &foreign.disputed,
            ] {
                let unknown = format!("{}{}", &id[..3], "0".repeat(id.len() - 3));
                never = never.replace(id.as_str(), &unknown);
                expected = expected.replace(id.as_str(), &unknown);
            }
            let told =
                ask(&place, &route, Some(&ana), None, serde_json::from_str(&never).expect("an input")).await;
            asked = String::from_utf8_lossy(&told.body).into_owned();
            assert_eq!((told.status, asked), (StatusCode::NOT_FOUND, expected), "{}", row("unknown id"));
        }
        let key = if route.verb.of_subject { &ana } else { &all };
        let told = ask(&place, &route, Some(key), None, input()).await;
        // A receipt of another ledger and a key that is not there are the only inputs that cannot be borne out here.
        let expected = if name == "revoke_key" { StatusCode::NOT_FOUND } else { StatusCode::OK };
        assert_eq!(told.status, expected, "{}: {}", row("own key"), String::from_utf8_lossy(&told.body));
        rows += 1;
    }
    assert_eq!(rows, routes().len());
    // Nothing of all this touched the other's memory.
    let engine = place.shared.server.engine();
    let call =
        engine::Call { scope: &Scope::of(house::subject("ben")), now: house::at("2026-11-30T12:00:00Z") };
    let held = engine.state(call, None, None).expect("read");
    assert_eq!(held.items.len(), 3, "{held:?}");
}

/// The paths of mem0 stand in a table of their own.
#[tokio::test]
async fn nobody_is_let_in_at_the_paths_of_mem0_without_a_key_that_may() {
    let mut place = Place::new();
    let ana = place.key(&Right::ALL, &["ana"], None);
    let expired = place.key(&Right::ALL, &["ana"], Some("2026-11-30T00:00:00Z"));
    let idle = place.key(&[Right::Admin], &["ana"], None);
    place.say(&ana, "I live in Zagreb.").await;
    let mut asked = 0;
    for row in places() {
        for path in row.paths {
            let path = format!(
                "/mem0{}",
                path.replace("{id}", "ana:none").replace("{kind}", "user").replace("{name}", "ana")
            );
            let ask = async |key: Option<&str>| {
                let mut request = house::request(row.method.clone(), &path, None, None, &json!({}));
                if let Some(key) = key {
                    let token = format!("Token {key}").parse().expect("a value");
                    request.headers_mut().insert("authorization", token);
                }
                place.ask(request).await
            };
            for key in [None, Some(expired.as_str()), Some("testimony_x")] {
                let told = ask(key).await;
                assert_eq!(
                    (told.status, told.code().as_str()),
                    (StatusCode::UNAUTHORIZED, "no_valid_key"),
                    "{path} {key:?}"
                );
            }
            // Whatever else is wrong with so bare a call, nothing is told or done.
            let told = ask(Some(&idle)).await;
            assert!(told.status.is_client_error(), "{} {path}: {told:?}", row.method);
            assert!(!String::from_utf8_lossy(&told.body).contains("Zagreb"), "{path}");
            asked += 1;
        }
    }
    assert!(asked > places().len(), "{asked}");
    let engine = place.shared.server.engine();
    let call =
        engine::Call { scope: &Scope::of(house::subject("ana")), now: house::at("2026-11-30T12:00:00Z") };
    assert_eq!(engine.state(call, None, None).expect("read").items.len(), 1);
}

#[tokio::test]
async fn a_cursor_is_of_its_subject_and_its_list() {
    let mut place = Place::new();
    let (ana, ben) = (place.key(&Right::ALL, &["ana"], None), place.key(&Right::ALL, &["ben"], None));
    for key in [&ana, &ben] {
        for text in ["I live in Zagreb.", "My name is Ana.", "I like green tea."] {
            place.say(key, text).await;
        }
    }
    let first = place.call(Method::GET, "/v1/facts", Some(&ana), &json!({"limit": 1})).await.json();
    let cursor = first["next"].as_str().expect("more").to_owned();
    let second =
        place.call(Method::GET, "/v1/facts", Some(&ana), &json!({"limit": 1, "cursor": cursor})).await;
    assert_eq!(second.status, 200);
    assert_ne!(second.json()["items"], first["items"]);
    for (path, key) in [("/v1/facts", &ben), ("/v1/timeline", &ana), ("/v1/disputes", &ana)] {
        let told = place.call(Method::GET, path, Some(key), &json!({"limit": 1, "cursor": cursor})).await;
        assert_eq!((told.status.as_u16(), told.code().as_str()), (422, "bad_input"), "{path}");
    }
    for place_of_letter in 0..cursor.len() {
        let mut other = cursor.clone().into_bytes();
        other[place_of_letter] = if other[place_of_letter] == b'A' { b'B' } else { b'A' };
        let other = String::from_utf8(other).expect("letters");
        let told = place.call(Method::GET, "/v1/facts", Some(&ana), &json!({"cursor": other})).await;
        assert_eq!(told.status, 422, "letter {place_of_letter}");
    }
}

#[tokio::test]
async fn the_same_key_of_a_call_means_another_call_for_another_subject() {
    let mut place = Place::new();
    let (ana, ben) = (place.key(&Right::ALL, &["ana"], None), place.key(&Right::ALL, &["ben"], None));
    let body = json!({"messages": [{"source": {"kind": "note", "ref": "a"}, "author": "owner", "text": "I like green tea."}]});
    let send = async |key: &str| {
        let mut request = house::request(Method::POST, "/v1/evidence", Some(key), None, &body);
        request.headers_mut().insert("idempotency-key", "once".parse().expect("a value"));
        place.ask(request).await.json()["observed"][0].clone()
    };
    let (first, other, again) = (send(&ana).await, send(&ben).await, send(&ana).await);
    assert_eq!((&first["duplicate"], &other["duplicate"]), (&json!(false), &json!(false)));
    assert_eq!(again["evidence"], first["evidence"]);
    assert_eq!(again["duplicate"], json!(true));
}
