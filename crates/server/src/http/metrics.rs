//! What is counted, for Prometheus: calls, how they ended, how long they took. No name, no word, no id.

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use axum::http::StatusCode;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use tokio::time::Instant;

/// The media type of the text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the classes of durations, in seconds.
const SECONDS: [f64; 14] =
    [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 30.0];

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Ended {
    verb: &'static str,
    status: u16,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct Refused {
    verb: &'static str,
    code: &'static str,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct OfVerb {
    verb: &'static str,
}

/// What is counted.
pub struct Metrics {
    registry: Registry,
    calls: Family<Ended, Counter>,
    refused: Family<Refused, Counter>,
    seconds: Family<OfVerb, Histogram, fn() -> Histogram>,
    at_work: Gauge<i64, AtomicI64>,
    connections: Gauge<i64, AtomicI64>,
}

impl Default for Metrics {
    fn default() -> Self {
        let seconds = Family::new_with_constructor((|| Histogram::new(SECONDS)) as fn() -> Histogram);
        let (calls, refused) = (Family::default(), Family::default());
        let (at_work, connections) = (Gauge::default(), Gauge::default());
        let mut registry = Registry::with_prefix("testimony");
        registry.register("calls", "Calls that ended", calls.clone());
        registry.register("refused", "Calls that were refused, by code", refused.clone());
        registry.register_with_unit("call_duration", "How long calls took", Unit::Seconds, seconds.clone());
        registry.register("calls_at_work", "Calls at work", at_work.clone());
        registry.register("connections", "Connections open", connections.clone());
        Self { registry, calls, refused, seconds, at_work, connections }
    }
}

/// A call at work.
pub struct Timer<'metrics> {
    metrics: &'metrics Metrics,
    verb: &'static str,
    began: Instant,
    status: Option<StatusCode>,
}

/// A connection that is open.
pub struct Connected(Gauge<i64, AtomicI64>);

impl Metrics {
    /// Counts a call that begins.
    pub fn begin(&self, verb: &'static str) -> Timer<'_> {
        self.at_work.inc();
        Timer { metrics: self, verb, began: now(), status: None }
    }

    /// Counts a refusal.
    pub fn refused(&self, verb: &'static str, code: &'static str) {
        self.refused.get_or_create(&Refused { verb, code }).inc();
    }

    /// Counts a connection for as long as the answer lives.
    pub fn connect(&self) -> Connected {
        self.connections.inc();
        Connected(self.connections.clone())
    }

    /// Everything that was counted, as OpenMetrics text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        _ = encode(&mut text, &self.registry);
        text
    }

    fn ended(&self, verb: &'static str, status: u16, took: Duration) {
        self.calls.get_or_create(&Ended { verb, status }).inc();
        self.seconds.get_or_create(&OfVerb { verb }).observe(took.as_secs_f64());
    }
}

impl Timer<'_> {
    /// Counts how the call ended.
    pub fn end(mut self, status: StatusCode) {
        self.status = Some(status);
    }
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        self.metrics.at_work.dec();
        // Whoever asked has gone before the answer.
        let status = self.status.map_or(499, |status| status.as_u16());
        self.metrics.ended(self.verb, status, now() - self.began);
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn now() -> Instant {
    Instant::now()
}
