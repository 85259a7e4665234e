//! The wire protocols against a real server: what is sent, what is read, and what happens when it goes wrong.

use std::time::Duration;

use inference::InferenceError;
use inference::InferenceErrorKind as Kind;
use inference::chat::{Chat, ChatMessage, ChatReply, ChatRequest, ChatRole, Finish};
use inference::embed::{Embed, Role};
use inference::limits::{Cancel, Limits};
use inference::rerank::Rerank;
use inference::wire::WireModel;
use inference::wire::http::Post;
use serde_json::{Value as Json, json};

use crate::support::{self, KEY, Server, Step, ample, model, no, ok, tier};

const CHAT: [(&str, &str); 3] = [
    ("openai", "protocol = \"openai\"\nmodel = \"m-1\"\ncan = [\"chat\", \"json_schema\"]"),
    ("anthropic", "protocol = \"anthropic\"\nmodel = \"m-1\"\ncan = [\"chat\", \"json_schema\"]"),
    ("gemini", "protocol = \"gemini\"\nmodel = \"m-1\"\ncan = [\"chat\", \"json_schema\"]"),
];

const EMBED: [(&str, &str); 2] = [
    (
        "openai",
        "protocol = \"openai\"\nmodel = \"e-1\"\ncan = [\"embed\"]\ndims = 3\nquery_prefix = \"query: \"\npassage_prefix = \"passage: \"\nbatch = 2",
    ),
    (
        "gemini",
        "protocol = \"gemini\"\nmodel = \"e-1\"\ncan = [\"embed\"]\ndims = 3\nask_for_dims = true\nbatch = 2",
    ),
];

const RERANK: &str = "protocol = \"openai\"\nmodel = \"r-1\"\ncan = [\"rerank\"]";

/// Words that only the caller knows; no error may show them.
const WORDS: &str = "Mjesecnica lives at Vukovarska 1";

fn request() -> ChatRequest {
    let said = |role, text: &str| ChatMessage { role, text: text.to_owned() };
    ChatRequest {
        messages: vec![
            said(ChatRole::System, "Answer in JSON."),
            said(ChatRole::User, WORDS),
            said(ChatRole::Assistant, "{}"),
            said(ChatRole::User, "Again."),
        ],
        schema: Some(schema()),
        max_output_tokens: Some(200),
        temperature: Some(0.2),
    }
}

fn schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "since": {"type": ["string", "null"]},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": false}},
        },
        "required": ["city", "since", "list"],
        "additionalProperties": false,
    })
}

/// How each protocol says the same answer.
fn said(protocol: &str, text: &str, finish: &str) -> Json {
    match protocol {
        "openai" => json!({
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7},
        }),
        "anthropic" => json!({
            "content": [{"type": "text", "text": text}],
            "stop_reason": finish,
            "usage": {"input_tokens": 11, "output_tokens": 7},
        }),
        _ => json!({
            "candidates": [{"content": {"parts": [{"text": "thinking", "thought": true}, {"text": text}]}, "finishReason": finish}],
            "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 5, "thoughtsTokenCount": 2},
        }),
    }
}

/// An error, after a search of all it shows for the key and for the caller's words.
fn error<T>(outcome: Result<T, InferenceError>) -> InferenceError {
    let Err(error) = outcome else { panic!("there was an answer") };
    let shown = format!("{error} {error:?} {error:#?}");
    for secret in [KEY, &KEY[..12], &KEY[14..], WORDS, "Vukovarska", "Bearer"] {
        assert!(!shown.contains(secret), "`{secret}` is shown by {shown}");
    }
    error
}

fn ask(model: &WireModel) -> Result<ChatReply, InferenceError> {
    model.chat(&request(), &ample())
}

#[test]
fn a_chat_is_sent_and_read_in_every_protocol() {
    for (protocol, lines) in CHAT {
        let stop =
            ["stop", "end_turn", "STOP"][CHAT.iter().position(|(name, _)| *name == protocol).expect("known")];
        let server = Server::new([ok(said(protocol, "{\"city\": \"Čakovec\"}", stop))]);
        let (model, _) = model(&server, lines);
        let reply = ask(&model).expect("an answer");
        assert_eq!(
            (reply.text.as_str(), reply.finish),
            ("{\"city\": \"Čakovec\"}", Finish::Stop),
            "{protocol}"
        );
        assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.calls), (11, 7, 1));
        let asked = server.asked();
        assert_eq!(asked.len(), 1);
        insta::assert_json_snapshot!(format!("chat_{protocol}"), asked[0].golden());
        let metered = model.meter().read();
        assert_eq!((metered.calls, metered.requests, metered.retries), (1, 1, 0));
        assert_eq!((metered.input_tokens, metered.output_tokens), (11, 7));
    }
}

#[test]
fn what_a_tier_cannot_do_is_not_asked_for() {
    for (protocol, _) in CHAT {
        let server = Server::new([ok(said(protocol, "hello", "stop"))]);
        let lines = format!(
            "protocol = \"{protocol}\"\nmodel = \"m-1\"\ncan = [\"chat\"]\ntemperature = false\nextra = {{ seed = 7 }}"
        );
        let (model, _) = model(&server, &lines);
        ask(&model).expect("an answer");
        insta::assert_json_snapshot!(format!("chat_{protocol}_plain"), server.asked()[0].golden());
        assert_eq!(error(model.embed(Role::Query, &["x"], &ample())).kind(), Kind::Unsupported);
        assert_eq!(error(model.rerank("x", &["y"], &ample())).kind(), Kind::Unsupported);
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_key_header_of_ones_own_and_another_limit_field() {
    let server = Server::new([ok(said("openai", "hello", "stop")), ok(said("openai", "hello", "stop"))]);
    let lines = "protocol = \"openai\"\nmodel = \"m-1\"\ncan = [\"chat\"]\nkey_header = \"api-key\"\noutput_limit = \"max_completion_tokens\"\noutput_tokens_max = 77";
    let (model, _) = model(&server, lines);
    let request = ChatRequest { max_output_tokens: None, ..request() };
    model.chat(&request, &ample()).expect("an answer");
    let asked = server.asked().remove(0);
    assert_eq!(asked.header("api-key"), Some(KEY));
    assert_eq!(asked.header("authorization"), None);
    assert_eq!(asked.body["max_completion_tokens"], 77);
    // The tier bounds what a request may ask for.
    ask(&model).expect("an answer");
    assert_eq!(server.asked()[1].body["max_completion_tokens"], 77);
}

#[test]
fn a_forced_tool_gives_the_answer() {
    let reply = json!({
        "content": [
            {"type": "text", "text": "I will answer."},
            {"type": "tool_use", "id": "x", "name": "answer", "input": {"city": "Pula"}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 8, "output_tokens": 7},
    });
    let server = Server::new([ok(reply)]);
    let reply = ask(&model(&server, CHAT[1].1).0).expect("an answer");
    assert_eq!((reply.text.as_str(), reply.finish), ("{\"city\":\"Pula\"}", Finish::Stop));
    assert_eq!(reply.usage.input_tokens, 11);
}

#[test]
fn endings_are_told_apart() {
    for (protocol, body, finish) in [
        ("openai", said("openai", "cut", "length"), Finish::Length),
        ("openai", said("openai", "", "content_filter"), Finish::Filtered),
        ("openai", said("openai", "x", "something new"), Finish::Other),
        (
            "openai",
            json!({"choices": [{"message": {"content": null, "refusal": "no"}, "finish_reason": "stop"}]}),
            Finish::Filtered,
        ),
        ("anthropic", said("anthropic", "cut", "max_tokens"), Finish::Length),
        ("anthropic", said("anthropic", "", "refusal"), Finish::Filtered),
        ("gemini", said("gemini", "cut", "MAX_TOKENS"), Finish::Length),
        ("gemini", said("gemini", "", "SAFETY"), Finish::Filtered),
        ("gemini", json!({"promptFeedback": {"blockReason": "OTHER"}}), Finish::Filtered),
    ] {
        let server = Server::new([ok(body)]);
        let lines = CHAT.iter().find(|(name, _)| *name == protocol).expect("known").1;
        assert_eq!(ask(&model(&server, lines).0).expect("an answer").finish, finish, "{protocol}");
    }
}

#[test]
fn a_server_that_asks_for_time_gets_it() {
    for (protocol, lines) in CHAT {
        let busy = Step::Reply(429, vec![("Retry-After", "7".to_owned())], b"{}".to_vec());
        let server = Server::new([busy, ok(said(protocol, "hello", "stop"))]);
        let (model, clock) = model(&server, lines);
        assert_eq!(ask(&model).expect("an answer").usage.calls, 2, "{protocol}");
        assert_eq!(clock.waits(), [Duration::from_secs(7)]);
        let metered = model.meter().read();
        assert_eq!((metered.calls, metered.requests, metered.retries), (1, 2, 1));
    }
}

#[test]
fn what_may_pass_is_tried_again_with_growing_pauses() {
    for (protocol, lines) in CHAT {
        let server = Server::new([
            no(500, json!({"error": {"type": "api_error"}})),
            Step::Close,
            no(503, Json::Null),
            ok(said(protocol, "hello", "stop")),
        ]);
        let (model, clock) = model(&server, lines);
        assert_eq!(ask(&model).expect("an answer").usage.calls, 4, "{protocol}");
        let waits = clock.waits();
        assert_eq!(waits.len(), 3);
        for (attempt, wait) in waits.iter().enumerate() {
            let most = Duration::from_millis(500 << attempt);
            assert!((most / 2..=most).contains(wait), "{wait:?}");
        }
    }
}

#[test]
fn the_last_reason_is_told_when_trying_again_does_not_help() {
    let steps = (0..4).map(|_| no(503, json!({"error": {"code": "overloaded"}})));
    let server = Server::new(steps);
    let (model, clock) = model(&server, CHAT[0].1);
    let error = error(ask(&model));
    assert_eq!(error.kind(), Kind::Busy);
    assert_eq!(
        error.to_string(),
        "`openai/m-1` is overloaded or broken; try later (status 503, `overloaded`)"
    );
    assert_eq!((server.asked().len(), clock.waits().len()), (4, 3));
    assert_eq!(model.meter().read().failures, [("busy", 1)]);
}

#[test]
fn a_wait_longer_than_the_deadline_is_not_begun() {
    let busy = Step::Reply(429, vec![("Retry-After", "3600".to_owned())], b"{}".to_vec());
    let server = Server::new([busy]);
    let (model, clock) = model(&server, CHAT[0].1);
    assert_eq!(error(ask(&model)).kind(), Kind::Busy);
    assert!(clock.waits().is_empty());
}

#[test]
fn what_does_not_pass_is_not_tried_again() {
    for (status, kind) in [
        (400, Kind::Unsupported),
        (401, Kind::NotAllowed),
        (403, Kind::NotAllowed),
        (404, Kind::Configuration),
        (413, Kind::Unsupported),
        (422, Kind::Unsupported),
    ] {
        let echo = json!({"error": {"message": format!("{KEY} {WORDS}"), "code": KEY, "type": WORDS}});
        let server = Server::new([no(status, echo), ok(said("openai", "too late", "stop"))]);
        let (model, _) = model(&server, CHAT[0].1);
        assert_eq!(error(ask(&model)).kind(), kind, "{status}");
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Server::new([ok(said("openai", "wrong house", "stop"))]);
    for status in [301, 302, 303, 307, 308] {
        let there = vec![("Location", format!("{}/v1/chat/completions", other.url()))];
        let server = Server::new([Step::Reply(status, there, Vec::new())]);
        assert_eq!(error(ask(&model(&server, CHAT[0].1).0)).kind(), Kind::Configuration, "{status}");
    }
    assert!(other.asked().is_empty());
}

#[test]
fn what_somebody_else_wrote_is_sent_as_it_is_and_its_answer_is_bounded() {
    let there = vec![("Location", "http://127.0.0.1:1/".to_owned())];
    let server = Server::new([
        Step::Reply(307, there, b"elsewhere".to_vec()),
        Step::Reply(200, Vec::new(), vec![b'a'; 65]),
        Step::Stall(Box::new(|| {})),
    ]);
    let post = Post::default();
    let send = || {
        let request =
            ureq::http::Request::post(format!("{}/v1/traces", server.url())).header("x-own", "said");
        let request = request.body(&b"{\"own\": 1}"[..]).expect("a request");
        post.send(request, 64, Duration::from_millis(300))
    };
    let answer = send().expect("an answer");
    assert_eq!((answer.status().as_u16(), answer.body().as_slice()), (307, &b"elsewhere"[..]));
    assert_eq!(error(send()).kind(), Kind::BadReply);
    assert_eq!(error(send()).kind(), Kind::Unreachable);
    let asked = server.asked();
    assert_eq!((asked.len(), asked[0].path.as_str(), &asked[0].body), (3, "/v1/traces", &json!({"own": 1})));
    assert_eq!(asked[0].header("x-own"), Some("said"));
}

#[test]
fn a_body_that_never_ends_meets_the_deadline() {
    for step in [Step::Stall(Box::new(|| {})), Step::Drip] {
        let server = Server::new([step]);
        let (model, _) = model(&server, CHAT[0].1);
        let error = error(model.chat(&request(), &Limits::within(Duration::from_millis(300))));
        assert_eq!(error.kind(), Kind::Deadline, "{error}");
    }
}

#[test]
fn a_caller_who_stops_is_heard_in_the_middle_of_a_body() {
    let cancel = Cancel::default();
    let throws = cancel.clone();
    let server = Server::new([Step::Stall(Box::new(move || throws.cancel()))]);
    let (model, _) = model(&server, CHAT[0].1);
    let limits = Limits { within: Duration::from_secs(60), cancel };
    assert_eq!(error(model.chat(&request(), &limits)).kind(), Kind::Cancelled);
    assert_eq!(error(model.chat(&request(), &limits)).kind(), Kind::Cancelled);
    assert_eq!(server.asked().len(), 1);
    assert_eq!(model.meter().read().failures, [("cancelled", 2)]);
}

#[test]
fn a_reply_too_long_is_not_read() {
    for step in [Step::Long(33 << 20), Step::LongChunked(33 << 20)] {
        let server = Server::new([step]);
        assert_eq!(error(ask(&model(&server, CHAT[0].1).0)).kind(), Kind::BadReply);
    }
}

#[test]
fn what_is_no_reply_of_the_protocol_is_told() {
    for (protocol, lines) in CHAT {
        for body in
            ["", "<html>", "[]", "{}", "null", "{\"choices\": [{\"message\": {\"content\": 5}}]}", "\u{0}"]
        {
            let server = Server::new([Step::Reply(200, Vec::new(), body.as_bytes().to_vec())]);
            let error = error(ask(&model(&server, lines).0));
            assert_eq!(error.kind(), Kind::BadReply, "{protocol}: {body}");
        }
    }
    let server = Server::new([Step::Noise]);
    assert_eq!(error(ask(&model(&server, CHAT[0].1).0)).kind(), Kind::BadReply);
}

#[test]
fn nobody_there() {
    let server = Server::new([]);
    let (model, _) = model(&server, &format!("{}\nretries = 1", CHAT[0].1));
    drop(server);
    assert_eq!(error(ask(&model)).kind(), Kind::Unreachable);
    assert_eq!(model.meter().read().requests, 2);
}

#[test]
fn vectors_are_sent_and_read_in_batches() {
    for (protocol, lines) in EMBED {
        let two = match protocol {
            "openai" => json!({"data": [
                {"index": 1, "embedding": [0, 2, 0]}, {"index": 0, "embedding": [3, 0, 4]},
            ], "usage": {"prompt_tokens": 9}}),
            _ => json!({"embeddings": [{"values": [3, 0, 4]}, {"values": [0, 2, 0]}]}),
        };
        let one = match protocol {
            "openai" => json!({"data": [{"embedding": [0.0, 0.0, -0.5]}]}),
            _ => json!({"embedding": {"values": [0.0, 0.0, -0.5]}}),
        };
        let server = Server::new([ok(two), ok(one.clone()), ok(one)]);
        let (model, _) = model(&server, lines);
        let texts = ["Ana lives in Split.", "Ivo živi u Čakovcu.", "Nobody."];
        let vectors = model.embed(Role::Passage, &texts, &ample()).expect("vectors");
        assert_eq!(vectors, [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], "{protocol}");
        model.embed(Role::Query, &["Who?"], &ample()).expect("a vector");
        assert!(model.embed(Role::Query, &[], &ample()).expect("nothing").is_empty());
        let asked: Vec<Json> = server.asked().iter().map(support::Asked::golden).collect();
        insta::assert_json_snapshot!(format!("embed_{protocol}"), asked);
        assert_eq!(model.identity().dims, 3);
    }
}

#[test]
fn vectors_that_are_none_are_told() {
    for (body, what) in [
        (json!({"data": [{"index": 0, "embedding": [1, 2]}]}), "2 numbers a vector"),
        (json!({"data": [{"index": 0, "embedding": [1, 2, 3, 4]}]}), "4 numbers a vector"),
        (json!({"data": []}), "fewer vectors"),
        (json!({"data": [{"index": 7, "embedding": [1, 2, 3]}]}), "more vectors"),
        (json!({"data": [{"embedding": [1, 2, 3]}, {"embedding": [1, 2, 3]}]}), "more vectors"),
        (json!({"data": [{"index": 0, "embedding": [0, 0, 0]}]}), "no direction"),
        (json!({"data": [{"index": 0, "embedding": [1, "x", 3]}]}), "no number"),
        (json!({"data": [{"index": 0, "embedding": [1e39, 1, 1]}]}), "no number"),
        (json!({"data": [{"index": -1, "embedding": [1, 1, 1]}]}), "`index`"),
        (json!({"error": WORDS}), "no `data`"),
    ] {
        let server = Server::new([ok(body)]);
        let error = error(model(&server, EMBED[0].1).0.embed(Role::Query, &["x"], &ample()));
        assert_eq!(error.kind(), Kind::BadReply);
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn the_identity_of_an_embedding_model() {
    let server = Server::new([]);
    let base = tier(&server, EMBED[0].1).identity().expect("an identity");
    let elsewhere = Server::new([]);
    assert_eq!(tier(&elsewhere, EMBED[0].1).identity(), Some(base.clone()), "the address does not matter");
    for other in [
        EMBED[0].1.replace("query: ", "q: "),
        EMBED[0].1.replace("passage: ", "p: "),
        EMBED[0].1.replace("e-1", "e-2"),
        EMBED[0].1.replace("dims = 3", "dims = 4"),
        format!("{}\nrevision = \"2\"", EMBED[0].1),
        format!("{}\nextra = {{ task = \"x\" }}", EMBED[0].1),
    ] {
        assert_ne!(tier(&server, &other).identity().expect("an identity").mark, base.mark, "{other}");
    }
}

#[test]
fn passages_are_scored_in_their_order() {
    for body in [
        json!({"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": -2}], "usage": {"total_tokens": 5}}),
        json!({"data": [{"index": 0, "score": -2}, {"index": 1, "score": 0.9}]}),
        json!([{"index": 0, "score": -2}, {"index": 1, "score": 0.9}]),
    ] {
        let server = Server::new([ok(body)]);
        let (model, _) = model(&server, RERANK);
        let scores = model.rerank("where?", &["a", "b"], &ample()).expect("scores");
        assert_eq!(scores, [-2.0, 0.9]);
        insta::assert_json_snapshot!("rerank", server.asked()[0].golden());
    }
    for body in [
        json!({"results": [{"index": 1, "relevance_score": 0.9}]}),
        json!({"results": [{"index": 1, "relevance_score": 0.9}, {"index": 1, "relevance_score": 0.9}]}),
        json!({"results": [{"index": 2, "relevance_score": 0.9}]}),
        json!({"results": [{"index": 0, "relevance_score": "high"}, {"index": 1, "relevance_score": 1}]}),
        json!({}),
    ] {
        let server = Server::new([ok(body)]);
        assert_eq!(
            error(model(&server, RERANK).0.rerank("where?", &["a", "b"], &ample())).kind(),
            Kind::BadReply
        );
    }
}

#[test]
fn a_token_that_ran_out_is_read_again_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("token");
    let write = |text: &str| {
        let mut file = tempfile::NamedTempFile::new_in(&directory).expect("a file");
        std::io::Write::write_all(&mut file, text.as_bytes()).expect("written");
        file.persist(&path).expect("kept");
    };
    let server = Server::new([
        ok(said("openai", "one", "stop")),
        no(401, Json::Null),
        ok(said("openai", "two", "stop")),
        no(401, Json::Null),
        no(401, Json::Null),
    ]);
    let mut tier = tier(&server, CHAT[0].1);
    tier.key = Some(inference::key::KeySource::File(path.clone()));
    let model = WireModel::connect(&tier, &support::environment());
    write("first-token");
    assert_eq!(ask(&model).expect("an answer").text, "one");
    write("second-token");
    assert_eq!(ask(&model).expect("an answer").text, "two");
    assert_eq!(error(ask(&model)).kind(), Kind::NotAllowed);
    let keys: Vec<String> =
        server.asked().iter().filter_map(|asked| asked.header("authorization").map(str::to_owned)).collect();
    let (first, second) = ("Bearer first-token", "Bearer second-token");
    assert_eq!(keys, [first, first, second, second, second]);
}

#[test]
fn a_missing_key_is_told_before_anything_is_sent() {
    let server = Server::new([]);
    let mut tier = tier(&server, CHAT[0].1);
    tier.key = Some(inference::key::KeySource::Environment("UNSET".to_owned()));
    let error = error(ask(&WireModel::connect(&tier, &support::environment())));
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (Kind::Configuration, "no key: `UNSET` is not set; export it")
    );
    assert!(server.asked().is_empty());
}
