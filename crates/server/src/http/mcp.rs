//! MCP over HTTP, at one address: each request is let in as every other, and answered for the one who sent it. Nothing is kept
//! between two requests, so that there is no session to be taken over; what an older client calls one, its key is.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, HOST, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use http_body_util::Full;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;

use super::{Shared, doors, input, problem};
use crate::access::Right;
use crate::mcp::Face;
use crate::refusal::Refusal;
use crate::trace;

/// Where it is.
pub const PATH: &str = "/mcp";

/// Where it stands what a client needs to be let in, as RFC 9728 has it; and the same for a client that asks by path.
pub const METADATA: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// As it is counted.
const COUNTED: &str = "mcp";

/// Answers a request.
pub async fn answer(State(shared): State<Shared>, request: Request) -> Response {
    let timer = shared.metrics.begin(COUNTED);
    let place = place(request.headers());
    let response = match asked(&shared, request).await {
        Ok(response) => response,
        Err(refusal) => {
            shared.metrics.refused(COUNTED, refusal.code);
            let mut response = problem::response(&refusal);
            if let Some(header) = response.headers_mut().get_mut(WWW_AUTHENTICATE) {
                *header = challenge(&place).unwrap_or_else(|| header.clone());
            }
            response
        }
    };
    timer.end(response.status());
    response
}

async fn asked(shared: &Shared, request: Request) -> Result<Response, Refusal> {
    let (mut parts, body) = request.into_parts();
    let caller = shared.doors.let_in(&parts.headers)?;
    let subject = doors::subject(&parts.headers)?;
    // Whose memory is meant is settled before a word of the body is read.
    caller.scope(subject.as_deref())?;
    let settings = &shared.server.house().settings;
    let room = input::room(&shared.server, &body).await?;
    let bytes = input::bytes(&parts, (body, &room), settings).await?;
    // The key has done its work and goes no further.
    parts.headers.remove(AUTHORIZATION);
    // The library answers in a task of its own.
    let face = Face::new(shared.server.clone(), caller, subject).traced_in(trace::in_hand());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        // The doors have looked at both.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(settings.body_bytes_max);
    let service =
        StreamableHttpService::new(move || Ok(face.clone()), NeverSessionManager::default().into(), config);
    let response = service.handle(Request::from_parts(parts, Full::new(bytes))).await;
    Ok(response.map(Body::new))
}

/// Tells a client how it is let in: with a key in a header, made by the operator, or with a token of the issuer that is taken.
pub async fn metadata(State(shared): State<Shared>, request: Request) -> Response {
    let scopes = [Right::Read, Right::Write, Right::Forget].map(|right| right.to_string());
    let mut told = json!({
        "resource": format!("{}{PATH}", place(request.headers())),
        "resource_name": "Testimony",
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
    });
    if let Some(tokens) = &shared.server.house().tokens {
        told["authorization_servers"] = json!([tokens.issuer()]);
    }
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (headers, told.to_string()).into_response()
}

/// The scheme and host under which a request came. A key may only travel in the clear within one machine, so any other name is one
/// that stands before this server and speaks TLS.
fn place(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let scheme = match ["localhost", "127.0.0.1", "::1"].iter().any(|name| doors::is_host(host, name)) {
        true => "http",
        false => "https",
    };
    format!("{scheme}://{host}")
}

fn challenge(place: &str) -> Option<HeaderValue> {
    let scopes = [Right::Read, Right::Write, Right::Forget].map(|right| right.to_string()).join(" ");
    // A host is written without quotes; one that has some is told nothing.
    let told = format!(
        "Bearer realm=\"testimony\", resource_metadata=\"{place}{}\", scope=\"{scopes}\"",
        METADATA[0]
    );
    HeaderValue::from_str(&told).ok().filter(|_| !place.contains(['"', '\\']))
}
