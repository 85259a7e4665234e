//! Traces: how long a request took and where, told to whoever collects them.
//!
//! A span is made of what stands in this program and of nothing that came with a request: its name and its attributes are routes,
//! verbs, tools, codes and statuses. There is no way from a log line, a name, an id or a word into one. From the request only the two
//! numbers of `traceparent` are taken, by which its sender finds the span again.
//!
//! The span of a request is in hand while the request is worked on ([`within`]); what is learnt on the way is put to it by [`verb`] and
//! [`refused`], and both do nothing where no span is. With nobody to tell, a [`Server`](crate::Server) has no [`Traces`].

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, Method, StatusCode};
use opentelemetry::context::FutureExt;
use opentelemetry::global::BoxedTracer;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{SpanBuilder, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};

/// The header that names the span in which a request was sent.
const PARENT_HEADER: &str = "traceparent";

/// Where spans go; cheap to clone.
#[derive(Clone)]
pub struct Traces(Arc<Collected>);

struct Collected {
    tracer: BoxedTracer,
    parents: Box<dyn TextMapPropagator + Send + Sync>,
}

/// A span that has begun; it ends with this.
pub(crate) struct Span(Context);

/// The span of a request. Where it ends without an answer, nobody waited for one any more.
pub(crate) struct RequestSpan {
    span: Span,
    is_answered: bool,
}

impl Traces {
    /// Spans are begun by `tracer`; `parents` reads the header `traceparent`.
    #[must_use]
    pub fn new(tracer: BoxedTracer, parents: impl TextMapPropagator + Send + Sync + 'static) -> Self {
        Self(Arc::new(Collected { tracer, parents: Box::new(parents) }))
    }

    /// Begins the span of a request, by the route it takes.
    pub(crate) fn request(&self, request: &Request) -> RequestSpan {
        let method = known(request.method());
        let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        let name = match (method, route) {
            (Some(method), Some(route)) => format!("{method} {route}").into(),
            (Some(method), None) => Cow::Borrowed(method),
            (None, Some(route)) => format!("HTTP {route}").into(),
            (None, None) => Cow::Borrowed("HTTP"),
        };
        let mut attributes = vec![KeyValue::new("http.request.method", method.unwrap_or("_OTHER"))];
        attributes.extend(route.map(|route| KeyValue::new("http.route", route.to_owned())));
        let parent = self.0.parents.extract_with_context(&Context::new(), &Parent(request.headers()));
        RequestSpan { span: self.begin(name, SpanKind::Server, attributes, &parent), is_answered: false }
    }

    /// Begins the span of a message of MCP, within the one of the request that brought it; `tool` is the name it is listed by.
    pub(crate) fn message(&self, request: &Context, method: &'static str, tool: Option<&str>) -> Span {
        let name = tool.map_or(Cow::Borrowed(method), |tool| format!("{method} {tool}").into());
        let mut attributes = vec![KeyValue::new("mcp.method.name", method)];
        attributes.extend(tool.map(|tool| KeyValue::new("gen_ai.tool.name", tool.to_owned())));
        self.begin(name, SpanKind::Internal, attributes, request)
    }

    /// Begins the span of work on the engine, within the one in hand.
    pub(crate) fn engine(&self, verb: Option<&'static str>) -> Span {
        let attributes = verb.map(|verb| KeyValue::new(VERB, verb)).into_iter().collect();
        self.begin("engine".into(), SpanKind::Internal, attributes, &Context::current())
    }

    /// Begins the span of a wait for room, within the one in hand.
    pub(crate) fn wait(&self) -> Span {
        self.begin("wait for room".into(), SpanKind::Internal, Vec::new(), &Context::current())
    }

    fn begin(
        &self,
        name: Cow<'static, str>,
        kind: SpanKind,
        attributes: Vec<KeyValue>,
        parent: &Context,
    ) -> Span {
        let builder = SpanBuilder::from_name(name).with_kind(kind).with_attributes(attributes);
        Span(parent.with_span(self.0.tracer.build_with_context(builder, parent)))
    }
}

/// The attribute that names a verb.
const VERB: &str = "testimony.verb";

/// The attribute that says why something came to nothing.
const ERROR: &str = "error.type";

impl Span {
    /// Puts the code of a refusal to it.
    pub(crate) fn refused(&self, code: &'static str) {
        self.0.span().set_attribute(KeyValue::new(ERROR, code));
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        // Whoever else still holds the context keeps no span open.
        self.0.span().end();
    }
}

impl RequestSpan {
    /// As what others begin theirs in.
    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// Puts the status of the answer to it.
    pub(crate) fn answered(mut self, status: StatusCode) {
        self.is_answered = true;
        let span = self.span.0.span();
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status.as_u16())));
        if status.is_server_error() {
            span.set_status(Status::error(""));
        }
    }
}

impl Drop for RequestSpan {
    fn drop(&mut self) {
        if !self.is_answered {
            self.span.refused(if std::thread::panicking() { "internal" } else { "cancelled" });
        }
    }
}

/// Has a future done with a span in hand, if there is one.
pub(crate) async fn within<F: Future>(span: Option<&Span>, future: F) -> F::Output {
    match span {
        Some(span) => future.with_context(span.0.clone()).await,
        None => future.await,
    }
}

/// What is in hand, for whoever goes on elsewhere.
pub(crate) fn in_hand() -> Context {
    Context::current()
}

/// Puts the verb that is asked for to the span in hand.
pub(crate) fn verb(name: &'static str) {
    Context::map_current(|context| context.span().set_attribute(KeyValue::new(VERB, name)));
}

/// Puts the code of a refusal to the span in hand.
pub(crate) fn refused(code: &'static str) {
    Context::map_current(|context| context.span().set_attribute(KeyValue::new(ERROR, code)));
}

/// A method of HTTP that has a name here. Any other is a word of whoever asks.
fn known(method: &Method) -> Option<&'static str> {
    const KNOWN: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
    KNOWN.into_iter().find(|known| method.as_str() == *known)
}

/// The one header by which a parent is known. `tracestate` is left alone: it is text, and would be sent on with the span.
struct Parent<'request>(&'request HeaderMap);

impl Extractor for Parent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        (key == PARENT_HEADER).then(|| self.0.get(PARENT_HEADER)?.to_str().ok()).flatten()
    }

    fn keys(&self) -> Vec<&str> {
        vec![PARENT_HEADER]
    }
}
