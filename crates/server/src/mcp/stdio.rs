//! A process of one subject, asked over its standard input.

use std::time::Duration;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::Face;

/// How long calls in flight are waited for at the end.
const END_WITHIN: Duration = Duration::from_secs(30);

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The client went, or it was told to end; what was in flight is finished.
    Whole,
    /// It was not the protocol that came in.
    NotBegun,
    /// Something in flight took too long and was left.
    CutOff,
}

/// Answers what comes in, a message a line, until there is no more or `stop` is over; what is in flight then is finished.
pub async fn serve<R, W>(face: Face, input: R, output: W, stop: impl Future<Output = ()>) -> Ended
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = face.server.clone();
    let line_bytes_max = server.house().settings.body_bytes_max;
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(line_bytes_max);
    let ending = CancellationToken::new();
    let serving = async {
        let running = match serve_server_with_ct(face, transport, ending.clone()).await {
            Ok(running) => running,
            // To end before the first word is no fault.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                return Ended::Whole;
            }
            Err(_) => return Ended::NotBegun,
        };
        // However it ends, what was in flight counts.
        _ = running.waiting().await;
        Ended::Whole
    };
    let mut serving = std::pin::pin!(serving);
    let ended = tokio::select! {
        ended = &mut serving => ended,
        () = stop => {
            ending.cancel();
            serving.await
        }
    };
    match server.finish(END_WITHIN).await {
        true => ended,
        false => Ended::CutOff,
    }
}
