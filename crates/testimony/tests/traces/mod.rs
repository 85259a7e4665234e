//! Traces of a server that runs: what a collector is sent, what it is never sent, and a collector that is not there.

mod collector;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::serve::Served;
use crate::support::Memory;
use collector::{Collector, spans, value};

/// A request as it goes over the wire, and its answer: the status, and the body as text.
fn send(server: &Served, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let address = server.address.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    let mut head =
        format!("{method} {target} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    let has_host = headers.iter().any(|(name, _)| *name == "host");
    for (name, value) in headers.iter().chain((!has_host).then_some(&("host", address))) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
    (status, body.to_owned())
}

#[test]
fn a_collector_learns_where_time_went_and_from_whom_a_request_came() {
    let memory = Memory::new();
    let collector = Collector::start();
    let server = Served::start_in(
        &memory,
        &["--without-key"],
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.address),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=winterwort"),
            ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=meadow"),
            ("OTEL_BSP_SCHEDULE_DELAY", "50"),
        ],
    );
    let parent = ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let asked = json!({"query": "where"}).to_string();
    let json = ("content-type", "application/json");
    assert_eq!(send(&server, "POST", "/v1/recall", &[json, parent], &asked).0, 200);
    // They come while the server runs.
    let received = collector.wait_for(|received| spans(received).len() == 2);
    let spans = spans(&received);
    let named = |name: &str| spans.iter().find(|span| span.name == name).expect("a span");
    let (asked, engine) = (named("POST /v1/recall"), named("engine"));
    assert_eq!(asked.kind().as_str_name(), "SPAN_KIND_SERVER");
    assert_eq!(value(&asked.attributes, "testimony.verb"), "recall");
    assert_eq!(value(&asked.attributes, "http.response.status_code"), "200");
    for span in [asked, engine] {
        assert_eq!(span.trace_id, 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c_u128.to_be_bytes());
    }
    assert_eq!(asked.parent_span_id, 0xb7ad_6b71_6920_3331_u64.to_be_bytes());
    assert_eq!(engine.parent_span_id, asked.span_id);
    assert!(asked.start_time_unix_nano <= engine.start_time_unix_nano);
    assert!(engine.end_time_unix_nano <= asked.end_time_unix_nano);
    let [whole] = received.as_slice() else { panic!("{} requests", received.len()) };
    assert!(whole.head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{}", whole.head);
    assert!(whole.head.contains("x-tenant: winterwort\r\n"), "{}", whole.head);
    let resource = whole.request.resource_spans[0].resource.as_ref().expect("a resource");
    for (name, expected) in [
        ("service.name", "testimony"),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("deployment.environment.name", "meadow"),
    ] {
        assert_eq!(value(&resource.attributes, name), expected);
    }
    assert_eq!(server.end().0, Some(0));
}

#[test]
fn nothing_that_came_with_a_request_reaches_a_collector() {
    let memory = Memory::new();
    let made = memory.run(&[
        "--json", "access", "create", "Gertrud", "--scope", "read", "--scope", "write", "--for", "gertrud",
    ]);
    let key = made.ended(0).json()["key"].as_str().expect("a key").to_owned();
    let collector = Collector::start();
    let server = Served::start_in(
        &memory,
        &[],
        &[
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &format!("{}/elsewhere", collector.address)),
            // Nothing is sent before the end, so all of it must be sent then.
            ("OTEL_BSP_SCHEDULE_DELAY", "3600000"),
        ],
    );
    let bearer = format!("Bearer {key}");
    let token = format!("Token {key}");
    let everywhere = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("testimony-subject", "gertrud"),
        ("idempotency-key", "quincunx-1"),
        ("user-agent", "quincunx/2"),
        ("cookie", "testimony_session=quincunx; testimony_subject=quincunx"),
        ("tracestate", "quincunx=quincunx"),
        ("baggage", "quincunx=quincunx"),
        ("x-request-id", "quincunx"),
        ("x-forwarded-for", "192.0.2.77"),
        ("accept-language", "hr, quincunx"),
    ];
    let with = |more: &[(&'static str, &'static str)]| -> Vec<(&str, &str)> {
        let kept = everywhere.iter().filter(|(name, _)| !more.iter().any(|(other, _)| other == name));
        kept.copied().chain(more.iter().copied()).collect()
    };
    let said = json!({"text": "I live in Quincunx."}).to_string();
    let (status, told) = send(&server, "POST", "/v1/entries", &with(&[]), &said);
    assert_eq!(status, 200, "{told}");
    let kept: Json = serde_json::from_str(&told).expect("JSON");
    let admitted = &kept["admitted"][0];
    let ids = ["claim", "fact", "version"].map(|kind| admitted[kind].as_str().expect("an id").to_owned());
    let [_, fact, version] = &ids;
    let query = json!({"query": "Quincunx", "entity": "quincunx"}).to_string();
    let call = |method: &str, params: Json| {
        json!({"jsonrpc": "2.0", "id": "quincunx", "method": method, "params": params}).to_string()
    };
    let tool = call("tools/call", json!({"name": "recall", "arguments": {"query": "quincunx"}}));
    let refused = call("tools/call", json!({"name": "forget", "arguments": {"ids": [version]}}));
    let unheard = call("tools/call", json!({"name": "quincunx", "arguments": {"quincunx": 1}}));
    let read = call("resources/read", json!({"uri": format!("testimony://receipts/{version}")}));
    let mem0 = json!({"user_id": "gertrud", "messages": "I have a quincunx", "infer": false}).to_string();
    let mine = [("authorization", token.as_str()), ("content-type", "application/json")];
    let sent = [
        send(&server, "POST", "/v1/recall", &with(&[]), &query),
        send(&server, "POST", "/v1/recall?quincunx=quincunx", &with(&[]), &query),
        send(&server, "POST", "/v1/recall", &with(&[]), "quincunx is no JSON"),
        send(&server, "POST", "/v1/recall", &with(&[("testimony-subject", "quincunx")]), &query),
        send(&server, "POST", "/v1/recall", &with(&[("traceparent", "00-quincunx-quincunx-01")]), &query),
        send(&server, "GET", &format!("/v1/receipts/{version}"), &with(&[]), ""),
        send(&server, "GET", "/v1/receipts/quincunx", &with(&[]), ""),
        send(&server, "GET", "/v1/evidence?cursor=quincunx", &with(&[]), ""),
        send(&server, "GET", "/v1/quincunx?quincunx=1", &with(&[]), ""),
        send(&server, "QUINCUNX", "/v1/recall", &with(&[]), ""),
        send(&server, "GET", "/v1/profile", &with(&[("authorization", "Bearer testimony_quincunx")]), ""),
        send(&server, "GET", "/healthz", &with(&[("host", "quincunx.example")]), ""),
        send(&server, "POST", "/v1/recall", &with(&[("origin", "https://quincunx.example")]), &query),
        send(&server, "GET", "/v1/export", &with(&[]), ""),
        send(&server, "POST", "/mcp", &with(&[]), &tool),
        send(&server, "POST", "/mcp", &with(&[]), &refused),
        send(&server, "POST", "/mcp", &with(&[]), &unheard),
        send(&server, "POST", "/mcp", &with(&[]), &read),
        send(&server, "POST", "/mem0/v1/memories/", &mine, &mem0),
        send(&server, "GET", "/mem0/v1/memories/quincunx/?user_id=quincunx", &mine, ""),
        send(&server, "DELETE", "/mem0/v2/entities/user/quincunx/", &mine, ""),
        send(&server, "GET", &format!("/portal/facts/{fact}"), &with(&[]), ""),
        send(&server, "GET", "/portal/search?q=quincunx", &with(&[]), ""),
        send(&server, "POST", "/portal/sign-in", &with(&[]), "key=quincunx"),
    ];
    assert!(collector.received().is_empty());
    let (exit, log) = server.end();
    assert_eq!(exit, Some(0), "{log}");
    assert!(!log.contains("reached nobody"), "{log}");
    let received = collector.received();
    let all = spans(&received);
    let mut names: Vec<&str> = all.iter().map(|span| span.name.as_str()).collect();
    let requests = all.iter().filter(|span| span.kind().as_str_name() == "SPAN_KIND_SERVER").count();
    assert_eq!(requests, sent.len() + 1, "{names:?}");
    names.sort_unstable();
    names.dedup();
    let expected = [
        "DELETE /mem0/v2/entities/{kind}/{name}/",
        "GET",
        "GET /healthz",
        "GET /mem0/v1/memories/{id}/",
        "GET /portal/{*page}",
        "GET /v1/evidence",
        "GET /v1/export",
        "GET /v1/profile",
        "GET /v1/receipts/{id}",
        "HTTP /v1/recall",
        "POST /mcp",
        "POST /mem0/v1/memories/",
        "POST /portal/{*page}",
        "POST /v1/entries",
        "POST /v1/recall",
        "engine",
        "resources/read",
        "tools/call forget",
        "tools/call recall",
    ];
    assert_eq!(names, expected);
    let planted = ids.iter().map(String::as_str).chain(["quincunx", "gertrud", "192.0.2.77", &key[10..]]);
    // That it would be found if it were there.
    assert!(received.iter().any(|whole| whole.shows("RESOURCES/READ")));
    for word in planted {
        for whole in &received {
            assert!(whole.head.starts_with("POST /elsewhere HTTP/1.1\r\n"), "{}", whole.head);
            assert!(!whole.shows(word), "`{word}` was sent: {:?}", whole.request);
        }
        assert!(!log.to_lowercase().contains(word), "`{word}` stands in the log: {log}");
    }
}

/// How many spans the log says reached nobody, and in how many lines.
fn lost(log: &str) -> (u64, usize) {
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let told: Vec<u64> = lines
        .filter(|line| line["message"] == "spans reached nobody")
        .map(|line| line["spans"].as_u64().expect("a number"))
        .collect();
    (told.iter().sum(), told.len())
}

#[test]
fn a_collector_that_is_not_there_costs_no_call_its_answer() {
    // Nobody listens at the one; the other takes what it is sent and never answers.
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    for address in [gone, silent.local_addr().expect("a port")] {
        let memory = Memory::new();
        let server = Served::start_in(
            &memory,
            &["--without-key"],
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{address}")),
                ("OTEL_EXPORTER_OTLP_TIMEOUT", "600000"),
                ("OTEL_BSP_SCHEDULE_DELAY", "10"),
                ("OTEL_BSP_MAX_QUEUE_SIZE", "8"),
            ],
        );
        for _ in 0..20 {
            assert_eq!(send(&server, "GET", "/v1/profile", &[], "").0, 200);
        }
        let (exit, log) = server.end();
        assert_eq!(exit, Some(0), "{log}");
        // Each call and its work: counted, and told when the first are lost and at the end.
        let (spans, lines) = lost(&log);
        assert_eq!(spans, 40, "{log}");
        assert!((1..=2).contains(&lines), "{log}");
    }
}

#[test]
fn traces_are_sent_only_where_the_environment_says_so_in_earnest() {
    let collector = Collector::start();
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address.as_str());
    for off in
        [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "")]
    {
        let memory = Memory::new();
        let server = Served::start_in(&memory, &["--without-key"], &[endpoint, off]);
        assert_eq!(send(&server, "GET", "/healthz", &[], "").0, 200);
        assert_eq!(server.end().0, Some(0));
    }
    assert!(collector.received().is_empty());
    for (name, written, says) in [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "is no address"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://", "is no address"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://winterwort@localhost", "is no address"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "`grpc` is not spoken here"),
    ] {
        let memory = Memory::new();
        let mut command = memory.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env(endpoint.0, endpoint.1).env(name, written);
        let ran = crate::support::run(command, b"").ended(3);
        assert!(ran.err.contains(name) && ran.err.contains(says) && ran.err.contains("hint"), "{ran:#?}");
        assert!(!ran.err.contains("winterwort"), "{ran:#?}");
        assert!(!memory.data().exists(), "nothing was begun");
    }
}
