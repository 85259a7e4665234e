//! The mem0-compatible face: the paths and shapes that mem0's own clients call, under [`PREFIX`].
//!
//! It translates and nothing more. Each place has a verb ([`verbs`]) and says where in the request the subject and the input stand;
//! the call then goes through the doors and [`Server::ask`](crate::Server::ask) like any other. What mem0 has and this face has
//! not is refused by name; `docs/guides/mem0.md` lists it.

pub mod filter;
mod memory;
pub mod verbs;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use serde_json::{Map, Value as Json, json};

use crate::http::{Shared, doors, input, problem, wrong_method};
use crate::refusal::Refusal;
use crate::trace;
use crate::verb::AnyVerb;
use filter::Filter;

/// Under which path the face stands; mem0's clients are given it as part of their `host`.
pub const PREFIX: &str = "/mem0";

/// Parameters that steer what mem0's own service does, and nothing here. They are passed over, and the answer says so.
const PASSED_OVER: &[&str] = &[
    "api_version",
    "async_mode",
    "enable_graph",
    "explain",
    "fields",
    "filter_memories",
    "keyword_search",
    "latest_only",
    "org_id",
    "output_format",
    "project_id",
    "rerank",
    "show_expired",
    "source",
    "version",
];

/// The ids by which mem0 tells whose a memory is; the first is the subject's.
const SCOPES: &[&str] = &["user_id", "agent_id", "app_id", "run_id"];

/// The most memories of one batch.
const BATCH_MAX: usize = 1_000;

/// How a request becomes the input of a verb.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Nothing of the request matters.
    Bare,
    /// Messages and ids.
    Add,
    /// Filters, and ids beside them.
    Filtered,
    /// Ids in the query.
    Scopes,
    /// A memory's id in the path.
    ById,
    /// A memory's id in the path, and what it is to be.
    Update,
    /// The kind and name of an entity in the path.
    Entity,
    /// A list of memories, each with its id.
    Batch,
}

/// A method, its paths without the prefix, and what is done there.
#[derive(Clone)]
pub struct Place {
    /// The method.
    pub method: Method,
    /// The paths, of mem0's hosted service in several versions and of its own server. Each is there with and without a slash at
    /// its end.
    pub paths: &'static [&'static str],
    /// The verb.
    pub verb: AnyVerb,
    shape: Shape,
}

/// Every place of this face.
#[must_use]
pub fn places() -> Vec<Place> {
    let place = |method, paths, verb, shape| Place { method, paths, verb, shape };
    vec![
        place(Method::GET, &["/v1/ping"], AnyVerb::of::<verbs::Ping>(), Shape::Bare),
        place(
            Method::POST,
            &["/v3/memories/add", "/v1/memories", "/memories"],
            AnyVerb::of::<verbs::AddMemories>(),
            Shape::Add,
        ),
        place(
            Method::POST,
            &["/v3/memories/search", "/v2/memories/search", "/v1/memories/search", "/search"],
            AnyVerb::of::<verbs::SearchMemories>(),
            Shape::Filtered,
        ),
        place(
            Method::POST,
            &["/v3/memories", "/v2/memories"],
            AnyVerb::of::<verbs::ListMemories>(),
            Shape::Filtered,
        ),
        place(
            Method::GET,
            &["/v1/memories", "/memories"],
            AnyVerb::of::<verbs::ListMemories>(),
            Shape::Filtered,
        ),
        place(
            Method::GET,
            &["/v1/memories/{id}", "/memories/{id}"],
            AnyVerb::of::<verbs::GetMemory>(),
            Shape::ById,
        ),
        place(
            Method::PUT,
            &["/v1/memories/{id}", "/memories/{id}"],
            AnyVerb::of::<verbs::UpdateMemory>(),
            Shape::Update,
        ),
        place(
            Method::DELETE,
            &["/v1/memories/{id}", "/memories/{id}"],
            AnyVerb::of::<verbs::DeleteMemory>(),
            Shape::ById,
        ),
        place(
            Method::GET,
            &["/v1/memories/{id}/history", "/memories/{id}/history"],
            AnyVerb::of::<verbs::MemoryHistory>(),
            Shape::ById,
        ),
        place(
            Method::DELETE,
            &["/v1/memories", "/memories"],
            AnyVerb::of::<verbs::DeleteMemories>(),
            Shape::Scopes,
        ),
        place(Method::GET, &["/v1/entities"], AnyVerb::of::<verbs::ListEntities>(), Shape::Bare),
        place(
            Method::DELETE,
            &["/v2/entities/{kind}/{name}"],
            AnyVerb::of::<verbs::DeleteMemories>(),
            Shape::Entity,
        ),
        place(Method::PUT, &["/v1/batch"], AnyVerb::of::<verbs::UpdateMemory>(), Shape::Batch),
        place(Method::DELETE, &["/v1/batch"], AnyVerb::of::<verbs::DeleteMemory>(), Shape::Batch),
    ]
}

/// The places of this face as routes.
pub fn router() -> Router<Shared> {
    let mut found: Vec<(String, MethodRouter<Shared>)> = Vec::new();
    for place in places() {
        let filter = MethodFilter::try_from(place.method.clone()).unwrap_or(MethodFilter::POST);
        let place = Arc::new(place);
        for path in place.paths.iter().flat_map(|path| [(*path).to_owned(), format!("{path}/")]) {
            let place = place.clone();
            let handler = move |state, request| answer(place, state, request);
            match found.iter_mut().find(|(there, _)| *there == path) {
                Some((_, methods)) => *methods = std::mem::take(methods).on(filter, handler),
                None => found.push((path, on(filter, handler))),
            }
        }
    }
    let mut router = Router::new();
    for (path, methods) in found {
        router = router.route(&format!("{PREFIX}{path}"), methods.fallback(wrong_method));
    }
    router
}

async fn answer(place: Arc<Place>, State(shared): State<Shared>, request: Request) -> Response {
    let timer = shared.metrics.begin(place.verb.name);
    trace::verb(place.verb.name);
    let response = match asked(&place, &shared, request).await {
        Ok(told) => ([(CONTENT_TYPE, "application/json")], Body::from(told)).into_response(),
        Err(refusal) => {
            shared.metrics.refused(place.verb.name, refusal.code);
            let mut response = problem::response(&refusal);
            // mem0's clients read `detail` of nothing else.
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
    };
    timer.end(response.status());
    response
}

async fn asked(place: &Place, shared: &Shared, request: Request) -> Result<Vec<u8>, Refusal> {
    let (mut parts, body) = request.into_parts();
    let caller = shared.doors.let_in(&with_bearer(&parts.headers))?;
    let key = doors::idempotency_key(&parts.headers)?;
    let path = input::path(&mut parts).await?;
    let query = input::query(parts.uri.query().unwrap_or_default())?;
    let room = input::room(&shared.server, &body).await?;
    let body = input::body(&parts, (body, &room), &shared.server.house().settings).await?;
    if place.shape == Shape::Batch {
        return batch(place, shared, &caller, body).await;
    }
    let (subject, input) = place.shape.read(&path, query, body)?;
    let by_id = matches!(place.shape, Shape::ById | Shape::Update);
    let answer = shared.server.ask(&place.verb, &caller, subject.as_deref(), key, input).await;
    answer.map_err(|refusal| if by_id { as_unknown(refusal, &path) } else { refusal })
}

/// A memory of somebody else's answers like one that never was.
fn as_unknown(refusal: Refusal, path: &Map<String, Json>) -> Refusal {
    match (refusal.code, path.get("id").and_then(Json::as_str)) {
        ("not_your_subject", Some(id)) => Refusal::not_found(memory::version(id)),
        _ => refusal,
    }
}

/// mem0's clients say `Token` where others say `Bearer`.
fn with_bearer(headers: &HeaderMap) -> HeaderMap {
    let mut own = HeaderMap::new();
    if let Some(written) = headers.get(AUTHORIZATION) {
        let token = written.to_str().ok().and_then(|written| written.split_once(' '));
        let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("token"));
        let bearer = token.and_then(|(_, token)| HeaderValue::from_str(&format!("Bearer {token}")).ok());
        own.insert(AUTHORIZATION, bearer.unwrap_or_else(|| written.clone()));
    }
    own
}

/// Does the same for each memory of a list, in order. What was done before one is refused stays done, and the refusal says how much.
async fn batch(
    place: &Place,
    shared: &Shared,
    caller: &crate::access::Caller,
    body: Map<String, Json>,
) -> Result<Vec<u8>, Refusal> {
    let memories = body.get("memories").and_then(Json::as_array);
    let memories = memories.ok_or_else(|| Refusal::bad_request("`memories`: a list is needed"))?;
    if !(1..=BATCH_MAX).contains(&memories.len()) {
        let count = memories.len();
        return Err(Refusal::bad_request(format!("`memories`: {count} given; 1 to {BATCH_MAX} are allowed")));
    }
    for (done, memory) in memories.iter().enumerate() {
        let mut fields = memory.as_object().cloned().unwrap_or_default();
        let id = fields.remove("memory_id").or_else(|| fields.remove("id"));
        let path = Map::from_iter(id.map(|id| ("id".to_owned(), id)));
        let shape = if place.method == Method::PUT { Shape::Update } else { Shape::ById };
        let told = match shape.read(&path, Map::new(), fields) {
            Ok((subject, input)) => {
                let told = shared.server.ask(&place.verb, caller, subject.as_deref(), None, input).await;
                told.map_err(|refusal| as_unknown(refusal, &path))
            }
            Err(refusal) => Err(refusal),
        };
        told.map_err(|mut refusal| {
            refusal.detail = format!("`memories[{done}]`: {}; {done} before it are done", refusal.detail);
            refusal
        })?;
    }
    let done = if place.method == Method::PUT { "updated" } else { "deleted" };
    let message = format!("Successfully {done} {} memories", memories.len());
    serde_json::to_vec(&json!({"message": message}))
        .map_err(|_| Refusal::fault("the answer could not be written"))
}

impl Shape {
    /// The subject and the input.
    fn read(
        self,
        path: &Map<String, Json>,
        query: Map<String, Json>,
        mut body: Map<String, Json>,
    ) -> Result<(Option<String>, Json), Refusal> {
        match self {
            Self::Bare => Ok((None, json!({}))),
            Self::ById | Self::Update => {
                let id = path.get("id").and_then(Json::as_str).unwrap_or_default();
                let (version, subject) = memory::read_id(id).ok_or_else(|| Refusal::not_found(id))?;
                if self == Self::ById {
                    return Ok((subject, json!({"id": version})));
                }
                body.retain(|name, value| !(value.is_null() || PASSED_OVER.contains(&name.as_str())));
                for (name, why) in FIXED {
                    if body.contains_key(*name) {
                        return Err(Refusal::bad_input(format!("`{name}` {why}")));
                    }
                }
                body.insert("id".to_owned(), version.into());
                Ok((subject, body.into()))
            }
            Self::Add => {
                if let Some(Json::Object(filters)) = body.remove("filters") {
                    for (name, value) in filters {
                        if !SCOPES.contains(&name.as_str()) {
                            return Err(Refusal::bad_input(format!(
                                "`filters.{name}` does not say whose the messages are"
                            ))
                            .hint("give user_id, agent_id, app_id, run_id"));
                        }
                        body.insert(name, value);
                    }
                }
                if let Some(Json::String(text)) = body.get("messages") {
                    body["messages"] = json!([{"role": "user", "content": text}]);
                }
                pass_over(&mut body);
                let subject = text(&body, "user_id")?;
                Ok((subject, body.into()))
            }
            Self::Filtered => {
                body.extend(query);
                for name in ["page", "page_size", "top_k", "limit"] {
                    if let Some(number) = body.get(name).and_then(Json::as_str) {
                        let read = number.parse::<u64>();
                        body[name] =
                            read.map_err(|_| Refusal::bad_request(format!("`{name}` is no number")))?.into();
                    }
                }
                let subject = gather_filters(&mut body)?;
                pass_over(&mut body);
                Ok((subject, body.into()))
            }
            Self::Scopes => {
                let mut scopes = query;
                scopes.extend(body);
                if let Some(filters) = scopes.remove("filters") {
                    scopes.extend(read_filters(&filters)?);
                }
                pass_over(&mut scopes);
                scopes.remove("passed_over");
                for name in SCOPES {
                    if text(&scopes, name)?.as_deref() == Some("*") {
                        return Err(Refusal::bad_input(format!("`{name}` is `*`; what is deleted is named"))
                            .hint("delete one user, agent or session at a time"));
                    }
                }
                if scopes.contains_key("app_id") {
                    return Err(Refusal::bad_input("`app_id` is no scope here, so nothing is deleted by it"));
                }
                Ok((text(&scopes, "user_id")?, scopes.into()))
            }
            Self::Entity => {
                let named = |part: &str| path.get(part).and_then(Json::as_str).unwrap_or_default().to_owned();
                let (kind, name) = (named("kind"), named("name"));
                match kind.as_str() {
                    "user" => Ok((Some(name.clone()), json!({"user_id": name}))),
                    "agent" => Ok((None, json!({"agent_id": name}))),
                    "run" => Ok((None, json!({"run_id": name}))),
                    _ => Err(Refusal::bad_input("there are users, agents and runs")),
                }
            }
            Self::Batch => Err(Refusal::fault("a batch is read memory by memory")),
        }
    }
}

/// What an update cannot change, and why.
const FIXED: &[(&str, &str)] = &[
    (
        "metadata",
        "is part of the message that was kept and cannot be changed; add the memory again with other metadata",
    ),
    ("timestamp", "cannot be changed: when something was said is part of the evidence"),
    ("expiration_date", "is not kept: nothing expires here; delete the memory when its time has come"),
];

/// Takes out what means nothing here, and tells the verb of it. Fields that are null are as good as left out.
fn pass_over(fields: &mut Map<String, Json>) {
    fields.retain(|_, value| !value.is_null());
    let mut passed: Vec<String> = Vec::new();
    for name in PASSED_OVER {
        if fields.remove(*name).is_some() {
            passed.push((*name).to_owned());
        }
    }
    fields.insert("passed_over".to_owned(), passed.into());
}

/// The filters, with what stands beside them, and the one subject that is meant.
fn gather_filters(body: &mut Map<String, Json>) -> Result<Option<String>, Refusal> {
    let mut all: Vec<Json> = Vec::new();
    if let Some(filters) = body.remove("filters").filter(|filters| !filters.is_null()) {
        all.push(read_filters(&filters)?.into());
    }
    let mut beside = |name: &str, filter: fn(Json) -> Json| {
        if let Some(value) = body.remove(name).filter(|value| !value.is_null()) {
            all.push(filter(value));
        }
    };
    beside("user_id", |value| json!({"user_id": value}));
    beside("agent_id", |value| json!({"agent_id": value}));
    beside("app_id", |value| json!({"app_id": value}));
    beside("run_id", |value| json!({"run_id": value}));
    beside("metadata", |value| json!({"metadata": value}));
    beside("categories", |value| json!({"categories": value}));
    beside("start_date", |value| json!({"created_at": {"gte": value}}));
    beside("end_date", |value| json!({"created_at": {"lte": value}}));
    if all.is_empty() {
        return Ok(None);
    }
    let whole = json!({"AND": all});
    let named: Vec<String> = Filter::read(&whole)?.named("user_id").into_iter().collect();
    let subject = match named.as_slice() {
        [] => None,
        [one] if one != "*" => Some(one.clone()),
        _ => {
            return Err(Refusal::bad_input("a call is about one user, and these filters name others")
                .hint("name one `user_id`, and ask once for each user"));
        }
    };
    body.insert("filters".to_owned(), whole);
    body.extend(subject.clone().map(|subject| ("user_id".to_owned(), subject.into())));
    Ok(subject)
}

/// Filters as JSON, or as the text that a client makes of them where it puts them into a query.
fn read_filters(written: &Json) -> Result<Map<String, Json>, Refusal> {
    let bad = || Refusal::bad_input("`filters`: an object is needed");
    match written {
        Json::Object(filters) => Ok(filters.clone()),
        // mem0's Python client writes `{'user_id': 'ana'}`.
        Json::String(text) => serde_json::from_str(text)
            .or_else(|_| serde_json::from_str(&text.replace('\'', "\"")))
            .map_err(|_| bad()),
        _ => Err(bad()),
    }
}

fn text(fields: &Map<String, Json>, name: &str) -> Result<Option<String>, Refusal> {
    match fields.get(name) {
        None => Ok(None),
        Some(Json::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(Refusal::bad_input(format!("`{name}` is no name"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(shape: Shape, query: Json, body: Json) -> Result<(Option<String>, Json), u16> {
        let object = |value: Json| value.as_object().cloned().unwrap_or_default();
        shape.read(&Map::new(), object(query), object(body)).map_err(|refusal| refusal.status)
    }

    #[test]
    fn every_place_has_its_own_path_and_method() {
        let mut all: Vec<(String, Method)> = Vec::new();
        for place in places() {
            for path in place.paths {
                let one = ((*path).to_owned(), place.method.clone());
                assert!(!all.contains(&one), "{one:?}");
                all.push(one);
            }
        }
        assert!(all.iter().all(|(path, _)| path.starts_with('/') && !path.ends_with('/')), "{all:?}");
    }

    #[test]
    fn deleting_needs_somebody_named() {
        let named = |query| read(Shape::Scopes, query, json!({}));
        assert_eq!(named(json!({"user_id": "ana"})), Ok((Some("ana".to_owned()), json!({"user_id": "ana"}))));
        assert_eq!(named(json!({"filters": "{'user_id': 'ana'}"})), named(json!({"user_id": "ana"})));
        assert_eq!(named(json!({})), Ok((None, json!({}))));
        for bad in [
            json!({"user_id": "*"}),
            json!({"user_id": ""}),
            json!({"agent_id": "*"}),
            json!({"app_id": "shop"}),
            json!({"filters": "user"}),
        ] {
            assert_eq!(named(bad.clone()), Err(422), "{bad}");
        }
    }

    #[test]
    fn a_search_is_of_one_user() {
        let asked = |filters| read(Shape::Filtered, json!({}), json!({"query": "tea", "filters": filters}));
        let subject = |filters| asked(filters).map(|(subject, _)| subject);
        assert_eq!(
            subject(json!({"AND": [{"user_id": "ana"}, {"run_id": "r"}]})),
            Ok(Some("ana".to_owned()))
        );
        assert_eq!(
            subject(json!({"OR": [{"user_id": "ana"}, {"agent_id": "a"}]})),
            Ok(Some("ana".to_owned()))
        );
        assert_eq!(subject(json!({"agent_id": "a"})), Ok(None));
        assert_eq!(subject(json!({"OR": [{"user_id": "ana"}, {"user_id": "bo"}]})), Err(422));
        assert_eq!(subject(json!({"user_id": "*"})), Err(422));
    }

    #[test]
    fn what_means_nothing_here_is_told() {
        let body = json!({"messages": "I like tea", "user_id": "ana", "async_mode": true, "metadata": null});
        let (subject, input) = read(Shape::Add, json!({}), body).expect("read");
        assert_eq!(subject.as_deref(), Some("ana"));
        assert_eq!(
            input,
            json!({
                "messages": [{"role": "user", "content": "I like tea"}], "user_id": "ana", "passed_over": ["async_mode"],
            })
        );
        assert_eq!(read(Shape::Add, json!({}), json!({"filters": {"AND": []}})), Err(422));
    }
}
