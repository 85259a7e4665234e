//! A collector of traces: takes what it is sent over HTTP, and reads it with the protocol's own types.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// A collector that runs until the test ends.
pub struct Collector {
    pub address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Received {
    pub head: String,
    pub request: ExportTraceServiceRequest,
    bytes: Vec<u8>,
}

impl Received {
    /// Whether the word stands in it, in any letters.
    pub fn shows(&self, word: &str) -> bool {
        let whole = [self.head.as_bytes(), &self.bytes].concat().to_ascii_lowercase();
        whole.windows(word.len()).any(|piece| piece == word.to_ascii_lowercase().as_bytes())
    }
}

impl Collector {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let kept = received.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let kept = kept.clone();
                std::thread::spawn(move || {
                    while let Some(one) = take(&mut stream.as_ref().expect("a connection")) {
                        kept.lock().expect("kept").push(one);
                    }
                });
            }
        });
        Self { address, received }
    }

    /// All that came in so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().expect("kept").clone()
    }

    /// All that came in, once it is enough.
    pub fn wait_for(&self, is_enough: impl Fn(&[Received]) -> bool) -> Vec<Received> {
        for _ in 0..400 {
            let received = self.received();
            if is_enough(&received) {
                return received;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("it never came: {:?}", self.received());
    }
}

/// Takes a request and answers it; nothing where the connection has ended.
fn take(stream: &mut &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(*stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok()).flatten()
    });
    let mut bytes = vec![0; length.expect("a length")];
    reader.read_exact(&mut bytes).ok()?;
    let request = ExportTraceServiceRequest::decode(&bytes[..]).expect("spans as the protocol has them");
    let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
    stream.write_all(answer).ok()?;
    Some(Received { head, request, bytes })
}

/// The spans in what came in.
pub fn spans(received: &[Received]) -> Vec<Span> {
    let resources = received.iter().flat_map(|one| &one.request.resource_spans);
    let scopes = resources.flat_map(|resource| &resource.scope_spans);
    scopes.flat_map(|scope| scope.spans.clone()).collect()
}

/// An attribute, as text.
pub fn value(attributes: &[KeyValue], name: &str) -> String {
    let held = attributes.iter().find(|held| held.key == name).and_then(|held| held.value.clone()?.value);
    match held {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        other => panic!("`{name}` is {other:?}"),
    }
}
