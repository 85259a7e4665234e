//! Connections of real sockets: slow heads, bodies that do not come, readers that stand still, too many at once, and the end.

use std::net::SocketAddr;
use std::time::Duration;

use crate::house::{self, Place};
use ledger::scope::Scope;
use server::access::Right;
use server::http::serve::{Ended, listen, serve};
use server::settings::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A server on a socket, with a key and the way to end it.
struct Listening {
    address: SocketAddr,
    key: String,
    place: Place,
    end: oneshot::Sender<()>,
    served: JoinHandle<Ended>,
}

impl Listening {
    async fn start(change: impl FnOnce(&mut Settings)) -> Self {
        let mut place = Place::with(change);
        let key = place.key(&Right::ALL, &["ana"], None);
        let listener = listen(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let (end, ended) = oneshot::channel::<()>();
        let (router, shared) = (place.router.clone(), place.shared.clone());
        let served = tokio::spawn(async move {
            serve(listener, router, &shared, async {
                _ = ended.await;
            })
            .await
        });
        Self { address, key, place, end, served }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("a connection")
    }

    fn request(&self, method: &str, path: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.key,
            body.len()
        )
    }

    /// The status of a read on a connection of its own.
    async fn status(&self) -> String {
        let mut stream = self.connect().await;
        stream.write_all(self.request("GET", "/v1/profile", "").as_bytes()).await.expect("sent");
        first_line(&mut stream).await
    }
}

async fn first_line(stream: &mut TcpStream) -> String {
    let mut read = [0; 64];
    let count = timeout(Duration::from_secs(20), stream.read(&mut read)).await.expect("in time").unwrap_or(0);
    String::from_utf8_lossy(&read[..count]).lines().next().unwrap_or_default().to_owned()
}

/// Everything that comes until the server closes the connection.
async fn to_the_end(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    // A connection that is cut off ends, too.
    _ = timeout(Duration::from_secs(20), stream.read_to_end(&mut read)).await.expect("closed in time");
    String::from_utf8_lossy(&read).into_owned()
}

#[tokio::test]
async fn a_head_or_a_body_that_does_not_come_loses_its_connection_and_keeps_nobody_waiting() {
    let server = Listening::start(|settings| {
        settings.head_deadline = Duration::from_millis(300);
        settings.request_deadline = Duration::from_millis(300);
    })
    .await;
    let mut dripping = server.connect().await;
    dripping.write_all(b"GET /v1/profile HTTP/1.1\r\nhost: lo").await.expect("sent");
    let mut half = server.connect().await;
    let request = server.request("POST", "/v1/recall", "{\"query\": \"where do I live?\"}");
    half.write_all(&request.as_bytes()[..request.len() - 5]).await.expect("sent");
    assert_eq!(server.status().await, "HTTP/1.1 200 OK");
    let told = to_the_end(&mut dripping).await;
    assert!(told.is_empty() || told.starts_with("HTTP/1.1 408"), "{told}");
    assert_eq!(first_line(&mut half).await, "HTTP/1.1 408 Request Timeout");
}

#[tokio::test]
async fn long_bodies_wait_for_room_and_short_ones_do_not() {
    let server = Listening::start(|settings| {
        settings.patience = Duration::from_millis(300);
        settings.request_deadline = Duration::from_secs(3);
        settings.bodies_bytes_max = 64 * 1024;
    })
    .await;
    let long = format!("{{\"query\": \"{}\"}}", "where do I live? ".repeat(3_000));
    let request = server.request("POST", "/v1/recall", &long);
    let mut slow = server.connect().await;
    slow.write_all(&request.as_bytes()[..request.len() - 5]).await.expect("sent");
    // Until the server has begun to read it.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut second = server.connect().await;
    second.write_all(request.as_bytes()).await.expect("sent");
    assert_eq!(first_line(&mut second).await, "HTTP/1.1 503 Service Unavailable");
    // What is refused unread waits for nothing.
    let mut too_long = server.connect().await;
    let head = request.split("\r\n\r\n").next().expect("a head");
    let told = head.replace(&format!("content-length: {}", long.len()), "content-length: 900000000");
    too_long.write_all(format!("{told}\r\n\r\n").as_bytes()).await.expect("sent");
    assert_eq!(first_line(&mut too_long).await, "HTTP/1.1 413 Payload Too Large");
    assert_eq!(server.status().await, "HTTP/1.1 200 OK");
    assert_eq!(first_line(&mut slow).await, "HTTP/1.1 408 Request Timeout");
    let mut third = server.connect().await;
    third.write_all(request.as_bytes()).await.expect("sent");
    assert_ne!(first_line(&mut third).await, "HTTP/1.1 503 Service Unavailable");
}

#[tokio::test]
async fn who_finds_no_place_to_wait_is_sent_away_at_once() {
    let server = Listening::start(|settings| {
        settings.calls_at_once = 1;
        settings.calls_waiting_max = 1;
        settings.patience = Duration::from_secs(20);
    })
    .await;
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let (begin, begun) = oneshot::channel();
    let at_work = server.place.shared.server.clone();
    let busy = tokio::spawn(async move {
        let work = at_work.work(move |_| {
            _ = begin.send(());
            Ok(ended.recv().is_ok())
        });
        work.await.expect("done")
    });
    begun.await.expect("it is at work");
    let mut waiting = server.connect().await;
    waiting.write_all(server.request("GET", "/v1/profile", "").as_bytes()).await.expect("sent");
    // Until it waits: from then on whoever comes is sent away. Whoever came before it would have its place.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let sent_away = timeout(Duration::from_secs(10), async {
        loop {
            let mut another = server.connect().await;
            another.write_all(server.request("GET", "/v1/profile", "").as_bytes()).await.expect("sent");
            let mut read = [0; 512];
            if let Ok(count) = timeout(Duration::from_millis(500), another.read(&mut read)).await {
                return String::from_utf8_lossy(&read[..count.expect("read")]).into_owned();
            }
        }
    });
    let sent_away = sent_away.await.expect("in time");
    assert!(sent_away.starts_with("HTTP/1.1 503 "), "{sent_away}");
    assert!(sent_away.contains("retry-after: 20\r\n"), "{sent_away}");
    end.send(()).expect("it waits");
    assert!(busy.await.expect("no panic"));
    assert_eq!(first_line(&mut waiting).await, "HTTP/1.1 200 OK");
    assert_eq!(server.status().await, "HTTP/1.1 200 OK");
}

#[tokio::test]
async fn a_reader_that_stands_still_loses_its_connection() {
    let server = Listening::start(|settings| settings.silence_max = Duration::from_millis(500)).await;
    // Enough that an answer fits into no buffer on the way.
    let long = "I prefer tea to coffee. ".repeat(400);
    for number in 0..60 {
        server.place.say(&server.key, &format!("{long} {number}")).await;
    }
    let mut still = server.connect().await;
    let ask = server.request("GET", "/v1/export", "");
    let mut sent = 0;
    // As many requests as it takes until the server, too, stops reading.
    while sent < 400
        && timeout(Duration::from_millis(200), still.write_all(ask.as_bytes()))
            .await
            .is_ok_and(|sent| sent.is_ok())
    {
        sent += 1;
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(server.status().await, "HTTP/1.1 200 OK");
    let told = to_the_end(&mut still).await;
    assert!(told.matches("HTTP/1.1 200").count() < sent, "{sent} were answered to nobody");
}

#[tokio::test]
async fn one_connection_too_many_waits_until_another_ends() {
    let server = Listening::start(|settings| settings.connections_max = 2).await;
    let (first, _second) = (server.connect().await, server.connect().await);
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut third = server.connect().await;
    third.write_all(server.request("GET", "/v1/profile", "").as_bytes()).await.expect("sent");
    let mut byte = [0; 1];
    assert!(timeout(Duration::from_millis(300), third.read(&mut byte)).await.is_err(), "it waits");
    drop(first);
    let count =
        timeout(Duration::from_secs(10), third.read(&mut byte)).await.expect("its turn").expect("an answer");
    assert_eq!((count, byte[0]), (1, b'H'));
}

#[tokio::test]
async fn what_is_in_flight_is_answered_before_the_end_and_nothing_new_is_taken() {
    let server = Listening::start(|_| {}).await;
    let mut waiting = server.connect().await;
    let body = r#"{"messages": [{"source": {"kind": "note", "ref": "a"}, "author": "owner", "text": "I live in Zagreb."}]}"#;
    let request = server.request("POST", "/v1/evidence", body);
    let (begin, rest) = request.as_bytes().split_at(request.len() - 10);
    waiting.write_all(begin).await.expect("sent");
    // An idle connection keeps nobody.
    let mut idle = server.connect().await;
    idle.write_all(server.request("GET", "/v1/profile", "").as_bytes()).await.expect("sent");
    assert_eq!(first_line(&mut idle).await, "HTTP/1.1 200 OK");
    server.end.send(()).expect("it is there");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(TcpStream::connect(server.address).await.is_err(), "nobody new is taken");
    assert!(server.place.shared.doors.is_closing());
    waiting.write_all(rest).await.expect("sent");
    assert_eq!(first_line(&mut waiting).await, "HTTP/1.1 200 OK");
    assert_eq!(
        timeout(Duration::from_secs(10), server.served).await.expect("it ends").expect("well"),
        Ended::Whole
    );
    let engine = server.place.shared.server.engine();
    let call =
        engine::Call { scope: &Scope::of(house::subject("ana")), now: house::at("2026-11-30T12:00:00Z") };
    assert_eq!(engine.state(call, None, None).expect("read").items.len(), 1);
}
