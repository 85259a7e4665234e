//! Refusals as RFC 9457 has them.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::refusal::Refusal;
use crate::trace;

/// The media type of a refusal.
const PROBLEM: &str = "application/problem+json";

/// A refusal as a response.
pub fn response(refusal: &Refusal) -> Response {
    trace::refused(refusal.code);
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut told = refusal.to_json();
    told["type"] = json!(format!("urn:testimony:problem:{}", refusal.code));
    told["title"] = json!(status.canonical_reason().unwrap_or("Refused"));
    told["status"] = json!(status.as_u16());
    let mut response = (status, [(CONTENT_TYPE, PROBLEM)], Body::from(told.to_string())).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = refusal.retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"testimony\""));
    }
    response
}
