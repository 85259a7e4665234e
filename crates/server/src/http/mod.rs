//! HTTP: the verbs as routes. A request is let in, counted, read, answered; everything about memory is the verbs' own.

pub(crate) mod doors;
pub(crate) mod input;
pub mod mcp;
pub mod metrics;
pub mod openapi;
pub(crate) mod problem;
mod reference;
pub mod route;
pub mod serve;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, any, get, on};
use tower_http::cors::{AllowOrigin, CorsLayer};

pub use doors::{Doors, SUBJECT_HEADER};

use crate::Server;
use crate::access::Right;
use crate::http::metrics::Metrics;
use crate::refusal::Refusal;
use crate::trace;
use route::{Route, routes};

/// What the handlers of all routes share.
#[derive(Clone)]
pub struct Shared {
    /// The memory.
    pub server: Server,
    /// Who is let in, and how often.
    pub doors: Arc<Doors>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    openapi: Arc<str>,
    reference: Arc<str>,
}

impl Shared {
    /// Over `server`.
    #[must_use]
    pub fn new(server: Server) -> Self {
        let document = openapi::document(&routes());
        Self {
            doors: Arc::new(Doors::new(server.clone())),
            metrics: Arc::new(Metrics::default()),
            reference: reference::page(&document).into(),
            openapi: document.to_string().into(),
            server,
        }
    }
}

/// The routes of the memory and of the service itself.
pub fn router(shared: Shared) -> Router {
    let mut router = Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/metrics", get(measurements))
        .route("/openapi.json", get(document))
        .route("/docs", get(reference_page))
        .route(mcp::PATH, any(mcp::answer))
        .merge(crate::portal::routes(&shared));
    for path in mcp::METADATA {
        router = router.route(path, get(mcp::metadata));
    }
    let mut places: Vec<(&'static str, MethodRouter<Shared>)> = Vec::new();
    for route in routes() {
        let filter = MethodFilter::try_from(route.method.clone()).unwrap_or(MethodFilter::POST);
        let path = route.path;
        let route = Arc::new(route);
        let handler = move |state, request| answer(route, state, request);
        match places.iter_mut().find(|(there, _)| *there == path) {
            Some((_, methods)) => *methods = std::mem::take(methods).on(filter, handler),
            None => places.push((path, on(filter, handler))),
        }
    }
    router = router.merge(crate::mem0::router());
    for (path, methods) in places {
        router = router.route(path, methods.fallback(wrong_method));
    }
    let origins = shared.server.house().settings.origins.clone();
    let router = router
        .fallback(nothing_here)
        .layer(axum::middleware::from_fn_with_state(shared.clone(), doors::watch))
        .with_state(shared);
    match origins.is_empty() {
        true => router,
        false => router.layer(cross_origin(&origins)),
    }
}

fn cross_origin(origins: &[String]) -> CorsLayer {
    let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers(
            ["authorization", "content-type", "idempotency-key", SUBJECT_HEADER]
                .into_iter()
                .chain(["mcp-method", "mcp-name", "mcp-protocol-version"])
                .map(HeaderName::from_static)
                .collect::<Vec<_>>(),
        )
        .max_age(std::time::Duration::from_secs(600))
}

/// Answers a request to a route.
async fn answer(route: Arc<Route>, State(shared): State<Shared>, request: Request) -> Response {
    let timer = shared.metrics.begin(route.verb.name);
    trace::verb(route.verb.name);
    let response = match asked(&route, &shared, request).await {
        Ok(response) => response,
        Err(refusal) => {
            shared.metrics.refused(route.verb.name, refusal.code);
            problem::response(&refusal)
        }
    };
    timer.end(response.status());
    response
}

async fn asked(route: &Route, shared: &Shared, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let caller = shared.doors.let_in(&parts.headers)?;
    let subject = doors::subject(&parts.headers)?;
    let key = doors::idempotency_key(&parts.headers)?;
    let room = input::room(&shared.server, &body).await?;
    let input = input::read(route, &parts, (body, &room), &shared.server.house().settings).await?;
    if route.verb.streams {
        let pieces =
            shared.server.ask_for_pieces(&route.verb, &caller, subject.as_deref(), key, input).await?;
        return stream::response(&parts.headers, pieces, room).await;
    }
    let told = shared.server.ask(&route.verb, &caller, subject.as_deref(), key, input).await?;
    Ok(told_as_json(route.has_mark(), &parts.headers, told))
}

/// An answer; of a read, with a mark by which it is known whether it changed. The mark is of the answer and not of the watermark
/// alone, because what holds now changes with the clock, too.
fn told_as_json(has_mark: bool, headers: &HeaderMap, told: Vec<u8>) -> Response {
    let mark = has_mark.then(|| format!("\"{}\"", &blake3::hash(&told).to_hex()[..32]));
    let known = mark.as_deref().is_some_and(|mark| {
        let asked = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        asked
            .flat_map(|value| value.split(','))
            .any(|one| one.trim().trim_start_matches("W/") == mark || one.trim() == "*")
    });
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(CONTENT_TYPE, "application/json")], Body::from(told)).into_response(),
    };
    let headers = response.headers_mut();
    if let Some(mark) = mark.and_then(|mark| HeaderValue::from_str(&mark).ok()) {
        headers.insert(ETAG, mark);
        // It may be kept by the one who asked, and must be asked about again.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.insert(VARY, HeaderValue::from_static("authorization, testimony-subject"));
    }
    response
}

async fn ready(State(shared): State<Shared>) -> Response {
    match shared.doors.is_closing() {
        true => problem::response(&Refusal::new(503, "closing", "the server is ending").again_after(5)),
        false => "ready\n".into_response(),
    }
}

async fn measurements(State(shared): State<Shared>, request: Request) -> Response {
    // What is counted is of every subject together.
    let admitted =
        shared.doors.let_in(request.headers()).and_then(|caller| crate::permit(&caller, Right::Admin, false));
    match admitted {
        Ok(()) => ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], shared.metrics.text()).into_response(),
        Err(refusal) => problem::response(&refusal),
    }
}

async fn document(State(shared): State<Shared>) -> Response {
    ([(CONTENT_TYPE, "application/json")], shared.openapi.to_string()).into_response()
}

async fn reference_page(State(shared): State<Shared>) -> Response {
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], shared.reference.to_string()).into_response()
}

async fn nothing_here() -> Response {
    problem::response(
        &Refusal::new(404, "no_such_route", "there is nothing at this path").hint("`/docs` lists the routes"),
    )
}

pub(crate) async fn wrong_method() -> Response {
    problem::response(
        &Refusal::new(405, "wrong_method", "this path has no such method").hint("`/docs` lists the routes"),
    )
}
