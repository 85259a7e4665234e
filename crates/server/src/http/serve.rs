//! Serving: connections are taken, bounded in number and patience, and ended in good order.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1::{Builder, Connection};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt as _;
use tower::util::MapRequest;

use super::Shared;
use crate::settings::Settings;

/// The longest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// How long calls in flight are waited for at the end.
const END_WITHIN: Duration = Duration::from_secs(30);

/// How a server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every call in flight was answered.
    Whole,
    /// Some were cut off.
    CutOff,
}

/// Serves `router` on `listener` until `stop` is over; then takes nothing new, and answers what is in flight.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    shared: &Shared,
    stop: impl Future<Output = ()>,
) -> Ended {
    let graceful = GracefulShutdown::new();
    let settings = &shared.server.house().settings;
    let room = Arc::new(Semaphore::new(settings.connections_max));
    let mut stop = std::pin::pin!(stop);
    loop {
        // Taken before accepting: what is over waits in the system's queue, and costs nothing here.
        let next = async {
            let permit = room.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Of this connection, or of the process (too many files): either way the next may work.
                tracing::warn!(kind = %error.kind(), "a connection could not be taken");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let connection = graceful.watch(connection(stream, router.clone(), settings));
        let counted = shared.metrics.connect();
        tokio::spawn(async move {
            // It ends as its peer likes: a broken connection is no event.
            _ = connection.await;
            drop((permit, counted));
        });
    }
    shared.doors.close();
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => Ended::Whole,
        () = tokio::time::sleep(END_WITHIN) => Ended::CutOff,
    }
}

type Wire = TokioIo<Pin<Box<TimeoutStream<TcpStream>>>>;

type Served = MapRequest<Router, fn(Request<Incoming>) -> Request<Incoming>>;

fn connection(
    stream: TcpStream,
    router: Router,
    settings: &Settings,
) -> Connection<Wire, TowerToHyperService<Served>> {
    // Small answers should not wait for company.
    _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(settings.silence_max));
    stream.set_read_timeout(Some(settings.silence_max));
    http1(settings.head_deadline).serve_connection(TokioIo::new(Box::pin(stream)), service(router))
}

fn service(router: Router) -> TowerToHyperService<Served> {
    TowerToHyperService::new(router.map_request(with_a_head_of_its_own))
}

/// The same request, its head copied. As it comes, it consists of pieces of the 8 KiB that were read from the connection, and all of
/// them stay while it waits for its turn: with ten thousand that wait, 80 MiB.
fn with_a_head_of_its_own(mut request: Request<Incoming>) -> Request<Incoming> {
    for value in request.headers_mut().values_mut() {
        if let Ok(copied) = HeaderValue::from_bytes(value.as_bytes()) {
            *value = copied;
        }
    }
    if let Ok(copied) = request.uri().to_string().parse() {
        *request.uri_mut() = copied;
    }
    request
}

/// How requests are read.
fn http1(head_within: Duration) -> Builder {
    let mut builder = Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(head_within).max_buf_size(HEAD_BYTES_MAX);
    builder
}

/// Serves one connection that is there already, to its end; whoever asks may say that nothing more comes before it is answered.
pub async fn one(wire: impl AsyncRead + AsyncWrite + Unpin + 'static, router: Router, settings: &Settings) {
    // It ends as its peer likes: a broken connection is no event.
    _ = http1(settings.head_deadline)
        .half_close(true)
        .serve_connection(TokioIo::new(wire), service(router))
        .await;
}

/// Listens on an address.
///
/// # Errors
/// What the system says: the address is taken, or not this machine's.
pub async fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}
