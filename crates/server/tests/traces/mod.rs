//! Traces: which spans a request leaves, of what, and how they hang together.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request};
use opentelemetry::global::BoxedTracer;
use opentelemetry::trace::{SpanId, SpanKind, Status, TracerProvider};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use parking_lot::Mutex;
use serde_json::json;
use server::access::Right;
use server::http::{Shared, router};
use server::settings::Settings;
use server::trace::Traces;
use tower::ServiceExt;

use crate::house::{Place, request};

/// Keeps every span that ended.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<SpanData>>>);

impl SpanExporter for Kept {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.0.lock().extend(batch);
        Ok(())
    }
}

impl Kept {
    /// The spans since the last time this was asked, each as its name and what it holds; the one that ended first stands first.
    fn told(&self) -> Vec<(String, Vec<String>)> {
        let spans = std::mem::take(&mut *self.0.lock());
        spans.iter().map(|span| (span.name.to_string(), attributes(span))).collect()
    }
}

fn attributes(span: &SpanData) -> Vec<String> {
    span.attributes.iter().map(|held| format!("{}={}", held.key, held.value)).collect()
}

/// A place whose spans are kept.
fn traced(change: impl FnOnce(&mut Settings)) -> (Place, Kept, SdkTracerProvider) {
    let mut place = Place::with(change);
    let kept = Kept::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(kept.clone()).build();
    let tracer = BoxedTracer::new(Box::new(provider.tracer("test")));
    let traces = Traces::new(tracer, TraceContextPropagator::new());
    place.shared = Shared::new(place.shared.server.clone().traced(Some(traces)));
    place.router = router(place.shared.clone());
    (place, kept, provider)
}

fn span(name: &str, holds: &[&str]) -> (String, Vec<String>) {
    (name.to_owned(), holds.iter().map(|held| (*held).to_owned()).collect())
}

#[tokio::test]
async fn a_request_is_a_span_by_its_route_and_the_work_one_within() {
    let (mut place, kept, _provider) = traced(|_| {});
    let key = place.key(&Right::ALL, &["ana"], None);
    place.call(Method::POST, "/v1/recall", Some(&key), &json!({"query": "where"})).await;
    let spans = kept.0.lock().clone();
    let [engine, asked] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!((asked.span_kind.clone(), engine.span_kind.clone()), (SpanKind::Server, SpanKind::Internal));
    assert_eq!(
        (asked.parent_span_id, engine.parent_span_id),
        (SpanId::INVALID, asked.span_context.span_id())
    );
    assert!(asked.start_time <= engine.start_time && engine.end_time <= asked.end_time);
    let (post, get) = ("http.request.method=POST", "http.request.method=GET");
    let verb = "testimony.verb=recall";
    assert_eq!(
        kept.told(),
        [
            span("engine", &[verb]),
            span("POST /v1/recall", &[post, "http.route=/v1/recall", verb, "http.response.status_code=200"])
        ]
    );
    place.call(Method::GET, "/v1/receipts/ev_unheard", Some(&key), &json!({})).await;
    let (verb, error) = ("testimony.verb=why", "error.type=not_found");
    let route = "http.route=/v1/receipts/{id}";
    assert_eq!(
        kept.told(),
        [
            span("engine", &[verb, error]),
            span("GET /v1/receipts/{id}", &[get, route, verb, error, "http.response.status_code=404"])
        ]
    );
    // Nothing was asked of the engine.
    place.call(Method::GET, "/v1/profile", None, &json!({})).await;
    let holds = [
        get,
        "http.route=/v1/profile",
        "testimony.verb=profile",
        "error.type=no_valid_key",
        "http.response.status_code=401",
    ];
    assert_eq!(kept.told(), [span("GET /v1/profile", &holds)]);
    place.call(Method::GET, "/mem0/v1/memories/mem_unheard/", Some(&key), &json!({})).await;
    let told = kept.told();
    assert_eq!(told.last().expect("a span").0, "GET /mem0/v1/memories/{id}/", "{told:?}");
    place.call(Method::GET, "/portal/facts/fa_unheard", None, &json!({})).await;
    let route = "http.route=/portal/{*page}";
    let holds = [get, route, "http.response.status_code=303"];
    assert_eq!(kept.told(), [span("GET /portal/{*page}", &holds)]);
}

#[tokio::test]
async fn what_is_no_route_and_no_method_is_not_repeated() {
    let (place, kept, _provider) = traced(|_| {});
    place.call(Method::GET, "/unheard/of", None, &json!({})).await;
    let holds = ["http.request.method=GET", "error.type=no_such_route", "http.response.status_code=404"];
    assert_eq!(kept.told(), [span("GET", &holds)]);
    let unheard = Request::builder().method("UNHEARD").uri("/v1/recall").body(Body::empty());
    place.ask(unheard.expect("a request")).await;
    let holds = [
        "http.request.method=_OTHER",
        "http.route=/v1/recall",
        "error.type=wrong_method",
        "http.response.status_code=405",
    ];
    assert_eq!(kept.told(), [span("HTTP /v1/recall", &holds)]);
}

#[tokio::test]
async fn the_sender_of_a_request_finds_its_span_again() {
    let (place, kept, _provider) = traced(|_| {});
    let sent = async |parent: &'static str| {
        let mut request = request(Method::GET, "/healthz", None, None, &json!({}));
        request.headers_mut().insert("traceparent", parent.parse().expect("a value"));
        request.headers_mut().insert("tracestate", "unheard=of".parse().expect("a value"));
        place.ask(request).await;
        kept.0.lock().pop()
    };
    let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let span = sent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").await.expect("a span");
    assert_eq!(span.span_context.trace_id().to_string(), trace);
    assert_eq!((span.parent_span_id.to_string().as_str(), span.parent_span_is_remote), (parent, true));
    assert_eq!(span.span_context.trace_state().header(), "");
    // Its sender wants no trace of it.
    assert!(sent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00").await.is_none());
    for broken in [
        "",
        "unheard",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    ] {
        let span = sent(broken).await.expect("a span");
        assert_eq!(span.parent_span_id, SpanId::INVALID, "{broken}");
        assert_ne!(span.span_context.trace_id().to_string(), trace, "{broken}");
    }
}

#[tokio::test]
async fn a_tool_is_a_span_of_its_own_between_the_request_and_the_work() {
    let (mut place, kept, _provider) = traced(|_| {});
    let key = place.key(&[Right::Read], &["ana"], None);
    let call = async |tool: &str| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {"query": "a"}}});
        let mut request = request(Method::POST, "/mcp", Some(&key), None, &call);
        request
            .headers_mut()
            .insert("accept", "application/json, text/event-stream".parse().expect("a value"));
        place.ask(request).await;
        std::mem::take(&mut *kept.0.lock())
    };
    let spans = call("recall").await;
    let [engine, tool, asked] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!((asked.name.as_ref(), tool.name.as_ref()), ("POST /mcp", "tools/call recall"));
    assert_eq!(attributes(tool), ["mcp.method.name=tools/call", "gen_ai.tool.name=recall"]);
    assert_eq!(tool.parent_span_id, asked.span_context.span_id());
    assert_eq!(engine.parent_span_id, tool.span_context.span_id());
    // An answer of HTTP, and a refusal of the tool.
    let spans = call("remember").await;
    let refused = spans.iter().find(|span| span.name == "tools/call remember").expect("a span");
    assert!(attributes(refused).contains(&"error.type=not_permitted".to_owned()), "{refused:?}");
    let spans = call("unheard").await;
    assert_eq!(spans.iter().map(|span| span.name.as_ref()).collect::<Vec<_>>(), ["POST /mcp"]);
}

#[tokio::test]
async fn waiting_and_breaking_off_are_seen() {
    let (mut place, kept, _provider) = traced(|settings| {
        settings.calls_at_once = 1;
        settings.deadline = Duration::from_millis(200);
    });
    let key = place.key(&Right::ALL, &["ana"], None);
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let server = place.shared.server.clone();
    let busy = tokio::spawn(async move {
        // It takes longer than it may, and ends nevertheless when it ends.
        server.work(move |_| Ok(ended.recv().is_ok())).await.expect_err("late").code
    });
    assert_eq!(busy.await.expect("it ends"), "deadline");
    // Whoever asks waits for room, and goes away.
    let mut waiting = Box::pin(place.router.clone().oneshot(request(
        Method::GET,
        "/v1/profile",
        Some(&key),
        None,
        &json!({}),
    )));
    poll_fn(|context| {
        assert!(waiting.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    drop(waiting);
    let told = kept.told();
    assert_eq!(told[0], span("wait for room", &[]));
    let (name, holds) = &told[1];
    assert_eq!(name, "GET /v1/profile");
    assert!(holds.contains(&"error.type=cancelled".to_owned()), "{holds:?}");
    assert!(!holds.iter().any(|held| held.starts_with("http.response")), "{holds:?}");
    end.send(()).expect("it is at work");
    assert!(place.shared.server.finish(Duration::from_secs(10)).await);
    assert_eq!(kept.told(), [span("engine", &[])]);
}

#[tokio::test]
async fn our_own_failures_are_errors_and_refusals_are_not() {
    let (mut place, kept, _provider) = traced(|settings| settings.patience = Duration::from_millis(50));
    let key = place.key(&Right::ALL, &["ana"], None);
    place.call(Method::POST, "/v1/recall", Some(&key), &json!({})).await;
    let refused = kept.0.lock().pop().expect("a span");
    assert_eq!(refused.status, Status::Unset, "{refused:?}");
    place.shared.doors.close();
    place.call(Method::GET, "/readyz", None, &json!({})).await;
    let failed = kept.0.lock().pop().expect("a span");
    assert_eq!(failed.status, Status::error(""), "{failed:?}");
    assert!(attributes(&failed).contains(&"error.type=closing".to_owned()), "{failed:?}");
}
