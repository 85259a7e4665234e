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

use crate::BodyRoom;
use crate::refusal::Refusal;

/// How pieces are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Lines,
    Events,
}

/// The response, once the first piece is there: a refusal before that is an ordinary one. The body's room is given back after the
/// last, since whoever makes them may be at work on it until then.
///
/// A refusal that comes later is the last piece: `{"refused": …}`, and as an event `refused`. Without a last `done` event, or the
/// chunk that ends the body, an answer was cut off.
///
/// # Errors
/// The refusal that came instead of the first piece.
pub async fn response(
    headers: &HeaderMap,
    mut pieces: Receiver<Result<Vec<u8>, Refusal>>,
    room: BodyRoom,
) -> Result<Response, Refusal> {
    let form = form(headers);
    let first = pieces.recv().await.transpose()?;
    let first = stream::iter(first.map(|piece| whole(form, "piece", &piece)));
    let rest = stream::unfold(Some((pieces, room)), move |working| async move {
        let (mut pieces, room) = working?;
        match pieces.recv().await {
            Some(Ok(piece)) => Some((whole(form, "piece", &piece), Some((pieces, room)))),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http_body_util::BodyExt as _;
    use tokio::sync::{Semaphore, mpsc};

    use super::*;

    #[tokio::test]
    async fn a_body_has_its_room_until_the_last_piece_was_taken() {
        let all = Arc::new(Semaphore::new(8));
        let room = BodyRoom { _permit: Some(all.clone().try_acquire_many_owned(5).expect("room")) };
        let (tell, told) = mpsc::channel(2);
        tell.send(Ok(b"{}".to_vec())).await.expect("told");
        let response = response(&HeaderMap::new(), told, room).await.expect("a response");
        assert_eq!(all.available_permits(), 3, "it has begun");
        tell.send(Ok(b"[]".to_vec())).await.expect("told");
        drop(tell);
        let mut body = response.into_body();
        let mut sent = Vec::new();
        while let Some(frame) = body.frame().await {
            sent.extend(frame.expect("a frame").into_data().expect("data"));
            let is_last = sent == b"{}\n[]\n";
            assert!(is_last || all.available_permits() == 3, "{sent:?}");
        }
        assert_eq!((sent.as_slice(), all.available_permits()), (b"{}\n[]\n".as_slice(), 8));
    }
}
