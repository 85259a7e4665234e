//! Answers that come piece by piece: as lines of JSON, or as server-sent events for whoever asks for those.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use serde_json::json;
use tokio::sync::mpsc::Receiver;

use crate::refusal::Refusal;

/// How pieces are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Lines,
    Events,
}

/// The response, once the first piece is there: a refusal before that is an ordinary one.
///
/// A refusal that comes later is the last piece: `{"refused": …}`, and as an event `refused`. Without a last `done` event, or the
/// chunk that ends the body, an answer was cut off.
///
/// # Errors
/// The refusal that came instead of the first piece.
pub async fn response(
    headers: &HeaderMap,
    mut pieces: Receiver<Result<Vec<u8>, Refusal>>,
) -> Result<Response, Refusal> {
    let form = form(headers);
    let first = pieces.recv().await.transpose()?;
    let first = stream::iter(first.map(|piece| whole(form, "piece", &piece)));
    let rest = stream::unfold(Some(pieces), move |pieces| async move {
        let mut pieces = pieces?;
        match pieces.recv().await {
            Some(Ok(piece)) => Some((whole(form, "piece", &piece), Some(pieces))),
            Some(Err(refusal)) => {
                let told = json!({"refused": refusal.to_json()}).to_string();
                Some((whole(form, "refused", told.as_bytes()), None))
            }
            None if form == Form::Events => Some((whole(form, "done", b"{}"), None)),
            None => None,
        }
    });
    let kind = match form {
        Form::Lines => "application/x-ndjson",
        Form::Events => "text/event-stream",
    };
    let body = Body::from_stream(never_failing(first.chain(rest)));
    let mut response = ([(CONTENT_TYPE, kind)], body).into_response();
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn never_failing(pieces: impl Stream<Item = Bytes>) -> impl Stream<Item = Result<Bytes, Infallible>> {
    pieces.map(Ok)
}

fn form(headers: &HeaderMap) -> Form {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    match accepts.into_iter().any(|value| value.contains("text/event-stream")) {
        true => Form::Events,
        false => Form::Lines,
    }
}

/// A piece as it is sent. JSON has no line breaks of its own, so it is one line in either form.
fn whole(form: Form, event: &str, json: &[u8]) -> Bytes {
    let mut sent = match form {
        Form::Lines => Vec::with_capacity(json.len() + 1),
        Form::Events => format!("event: {event}\ndata: ").into_bytes(),
    };
    sent.extend_from_slice(json);
    sent.extend_from_slice(if form == Form::Lines { b"\n" } else { b"\n\n" });
    sent.into()
}
