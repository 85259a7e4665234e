//! Traces of a server, sent to a collector where the environment names one (OTLP over HTTP, in protobuf).
//!
//! Spans wait in a queue of bounded length and are sent by a thread of their own, so that no call ever waits for the collector. What
//! finds no room, or reaches nobody, is counted; the log tells how many, at most once a minute.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::{Request, Response, Uri};
use inference::wire::http::Post;
use opentelemetry::global::BoxedTracer;
use opentelemetry::trace::TracerProvider;
use opentelemetry::{Context, InstrumentationScope, Key, KeyValue};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider, Span, SpanData, SpanExporter, SpanProcessor,
};
use parking_lot::Mutex;
use server::trace::Traces;

use crate::failure::{Exit, Failure};

/// Where spans go, by the environment: for traces alone, and for everything a program tells of itself.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// In which form, by the environment.
const PROTOCOLS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/// How long a collector may take, in milliseconds, by the environment.
const TIMEOUTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"];

/// How long a collector may take, unless the environment says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Spans that wait, unless the environment says otherwise.
const QUEUE: usize = 2_048;

/// How long the last spans may take at the end of the process.
const END_WITHIN: Duration = Duration::from_secs(3);

/// How often the log tells of spans that reached nobody, at most.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// The largest reply of a collector that is read, in bytes.
const REPLY_BYTES_MAX: u64 = 64 * 1024;

/// Traces that are being sent.
pub(crate) struct Sending {
    provider: SdkTracerProvider,
    losses: Arc<Losses>,
}

/// Begins to send traces, where the environment names a collector.
///
/// # Errors
/// [`Failure`] for an address that is none, and for a form that is not spoken here.
pub(crate) fn begin() -> Result<Option<Sending>, Failure> {
    let is_off = read("OTEL_SDK_DISABLED").is_some_and(|written| written.eq_ignore_ascii_case("true"))
        || read("OTEL_TRACES_EXPORTER").is_some_and(|written| written == "none");
    let (false, Some(endpoint)) = (is_off, endpoint()?) else { return Ok(None) };
    if let Some((name, other)) = first(PROTOCOLS).filter(|(_, written)| written != "http/protobuf") {
        return Err(Failure::input(format!("`{name}`: `{other}` is not spoken here"))
            .hint("set it to `http/protobuf`, and give the collector's address for HTTP"));
    }
    let within = first(TIMEOUTS).and_then(|(_, written)| written.parse().ok().map(Duration::from_millis));
    let within = within.unwrap_or(TIMEOUT);
    let losses = Arc::new(Losses::default());
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_http()
        .with_endpoint(endpoint)
        .with_protocol(Protocol::HttpBinary)
        .with_timeout(within)
        .with_http_client(Collector { post: Post::default(), within, losses: losses.clone() })
        .build()
        .map_err(|error| Failure {
            exit: Exit::Fault,
            code: "internal",
            message: error.to_string(),
            hint: None,
        })?;
    let queue = read("OTEL_BSP_MAX_QUEUE_SIZE").and_then(|written| written.parse().ok());
    let queue = queue.filter(|length| *length > 0).unwrap_or(QUEUE);
    let provider = SdkTracerProvider::builder()
        .with_resource(resource())
        .with_span_processor(Bounded::new(
            Counted { exporter, losses: losses.clone() },
            queue,
            losses.clone(),
        ))
        .build();
    Ok(Some(Sending { provider, losses }))
}

impl Sending {
    /// Where a server has its spans go.
    pub fn traces(&self) -> Traces {
        let scope =
            InstrumentationScope::builder("testimony").with_version(env!("CARGO_PKG_VERSION")).build();
        let tracer = self.provider.tracer_with_scope(scope);
        Traces::new(BoxedTracer::new(Box::new(tracer)), TraceContextPropagator::new())
    }

    /// Sends what still waits, and tells what reached nobody.
    pub fn end(self) {
        if self.provider.shutdown_with_timeout(END_WITHIN).is_err() {
            // The thread is left with what it did not get rid of.
            self.losses.add(self.losses.waiting.load(Ordering::SeqCst) as u64);
        }
        self.losses.tell();
    }
}

/// The address that spans are sent to, if the environment names one.
fn endpoint() -> Result<Option<String>, Failure> {
    let Some((name, written)) = first(ENDPOINTS) else { return Ok(None) };
    let address = match name == ENDPOINTS[0] {
        true => written,
        false => format!("{}/v1/traces", written.trim_end_matches('/')),
    };
    let uri = address.parse::<Uri>().ok();
    let is_address = uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
    });
    match is_address {
        true => Ok(Some(address)),
        // It may hold a password, so it is not repeated.
        false => Err(Failure::input(format!("`{name}` is no address"))
            .hint("write it as http://localhost:4318; unset it to send no traces")),
    }
}

/// What sends these spans: `testimony`, unless the environment says otherwise, and what it says besides.
fn resource() -> Resource {
    let named = Resource::builder().build();
    let name = named.get(&Key::from_static_str("service.name"));
    let is_named = name.is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_attribute(version);
    if is_named { resource.build() } else { resource.with_service_name("testimony").build() }
}

/// The first of these variables that says something.
fn first<const COUNT: usize>(names: [&'static str; COUNT]) -> Option<(&'static str, String)> {
    names.into_iter().find_map(|name| read(name).map(|written| (name, written)))
}

/// A variable; one that is empty says nothing.
#[allow(clippy::disallowed_methods, reason = "configuration is read once, here")]
fn read(name: &str) -> Option<String> {
    let written = std::env::var_os(name)?.to_string_lossy().trim().to_owned();
    Some(written).filter(|written| !written.is_empty())
}

/// Spans that reached nobody.
#[derive(Debug, Default)]
struct Losses {
    /// Since they were last told.
    spans: AtomicU64,
    /// Why the last attempt to send some failed.
    why: Mutex<Option<String>>,
    /// When they were last told.
    told: Mutex<Option<Instant>>,
    /// Spans that wait, or are on their way.
    waiting: AtomicUsize,
}

impl Losses {
    fn add(&self, spans: u64) {
        self.spans.fetch_add(spans, Ordering::SeqCst);
    }

    /// Tells them, if it is time.
    fn tell_in_time(&self) {
        let now = now();
        let mut told = self.told.lock();
        if told.is_none_or(|told| now.duration_since(told) >= TOLD_EVERY)
            && self.spans.load(Ordering::SeqCst) > 0
        {
            *told = Some(now);
            drop(told);
            self.tell();
        }
    }

    fn tell(&self) {
        let spans = self.spans.swap(0, Ordering::SeqCst);
        if spans > 0 {
            let why = self.why.lock().take().unwrap_or_else(|| "more than could be sent in time".to_owned());
            tracing::warn!(spans, why, "spans reached nobody");
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "how often the log tells; no stored memory depends on it")]
fn now() -> Instant {
    Instant::now()
}

/// The queue: what finds no room in it is lost at once, and whoever ended the span goes on.
#[derive(Debug)]
struct Bounded {
    batches: BatchSpanProcessor,
    length: usize,
    losses: Arc<Losses>,
}

impl Bounded {
    fn new(exporter: Counted<opentelemetry_otlp::SpanExporter>, length: usize, losses: Arc<Losses>) -> Self {
        let config = BatchConfigBuilder::default().with_max_queue_size(length).build();
        let batches = BatchSpanProcessor::builder(exporter).with_batch_config(config).build();
        Self { batches, length, losses }
    }
}

impl SpanProcessor for Bounded {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.batches.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        // The library counts what its own queue has no room for, and tells nobody how many. So nothing comes there that has none.
        if self.losses.waiting.fetch_add(1, Ordering::SeqCst) < self.length {
            self.batches.on_end(span);
        } else {
            self.losses.waiting.fetch_sub(1, Ordering::SeqCst);
            self.losses.add(1);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.batches.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.batches.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.batches.set_resource(resource);
    }
}

/// An exporter of which is known what it could not send.
#[derive(Debug)]
struct Counted<E> {
    exporter: E,
    losses: Arc<Losses>,
}

impl<E: SpanExporter> SpanExporter for Counted<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let sent = self.exporter.export(batch).await;
        self.losses.waiting.fetch_sub(spans, Ordering::SeqCst);
        if sent.is_err() {
            self.losses.add(spans as u64);
        }
        self.losses.tell_in_time();
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.exporter.shutdown()
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// The collector, asked on the exporter's own thread, which may wait.
struct Collector {
    post: Post,
    within: Duration,
    losses: Arc<Losses>,
}

impl std::fmt::Debug for Collector {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Collector")
    }
}

impl HttpClient for Collector {
    fn send_bytes<'client, 'call>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'call>>
    where
        'client: 'call,
        Self: 'call,
    {
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let answer = self.post.send(Request::from_parts(parts, &body[..]), REPLY_BYTES_MAX, self.within);
            let why = match &answer {
                Ok(answer) if answer.status().is_success() => None,
                Ok(answer) => Some(format!("the collector answered {}", answer.status().as_u16())),
                Err(error) => Some(error.to_string()),
            };
            *self.losses.why.lock() = why;
            Ok(answer?.map(Bytes::from))
        })
    }
}
