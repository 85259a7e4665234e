//! A session is recorded from a live server and replayed without it.

use std::io::Write;
use std::sync::{Arc, Mutex};

use inference::chat::{Chat, ChatMessage, ChatRequest, ChatRole};
use inference::recorded::{Recorded, Recorder};
use inference::wire::http::Http;
use inference::wire::{WireModel, address};
use serde_json::json;

use crate::support::{KEY, QuickClock, Server, ample, environment, ok, tier};

const LINES: &str = "protocol = \"openai\"\nmodel = \"m-1\"\ncan = [\"chat\"]\nretries = 0";

#[derive(Clone, Default)]
struct Sheet(Arc<Mutex<Vec<u8>>>);

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn request(text: &str) -> ChatRequest {
    let message = ChatMessage { role: ChatRole::User, text: text.to_owned() };
    ChatRequest { messages: vec![message], ..ChatRequest::default() }
}

fn said(text: &str) -> serde_json::Value {
    json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
}

#[test]
fn what_was_recorded_is_replayed_in_order() {
    let server = Server::new([ok(said("one")), ok(said("two")), ok(said("other"))]);
    let tier = tier(&server, LINES);
    let sheet = Sheet::default();
    let live = Http::new(address(&tier), tier.key.clone().map(|source| (source, environment())));
    let recorder = Recorder::new(Box::new(live), Box::new(sheet.clone()));
    let model = WireModel::over(&tier, Box::new(recorder), Arc::new(QuickClock::default()));
    for text in ["a", "a", "b"] {
        model.chat(&request(text), &ample()).expect("an answer");
    }
    drop(server);
    let text = String::from_utf8(sheet.0.lock().expect("no panic").clone()).expect("text");
    assert_eq!(text.lines().count(), 3);
    assert!(!text.contains(KEY) && !text.to_lowercase().contains("bearer"), "{text}");

    let recorded = Recorded::read(&text).expect("a recording");
    assert_eq!(recorded.requests(), 2);
    let model = WireModel::over(&tier, Box::new(recorded), Arc::new(QuickClock::default()));
    let answers: Vec<String> = ["a", "b", "a", "a"]
        .iter()
        .map(|text| model.chat(&request(text), &ample()).expect("an answer").text)
        .collect();
    assert_eq!(answers, ["one", "other", "two", "two"]);
    let error = model.chat(&request("c"), &ample()).expect_err("not recorded");
    assert!(error.to_string().starts_with("the recording holds no request"), "{error}");

    let changed = text.replacen("\"content\":\"a\"", "\"content\":\"z\"", 1);
    let error = Recorded::read(&changed).err().expect("refused");
    assert_eq!(error.to_string(), "line 1 of the recording was changed: its mark is not that of its request");
    assert!(Recorded::read("{}").is_err());
}

#[test]
fn a_reply_that_shows_the_key_is_not_kept() {
    let server = Server::new([ok(said(&format!("your key is {KEY}")))]);
    let tier = tier(&server, LINES);
    let sheet = Sheet::default();
    let live = Http::new(address(&tier), tier.key.clone().map(|source| (source, environment())));
    let recorder = Recorder::new(Box::new(live), Box::new(sheet.clone()));
    let model = WireModel::over(&tier, Box::new(recorder), Arc::new(QuickClock::default()));
    assert_eq!(
        model.chat(&request("a"), &ample()).expect_err("refused").to_string(),
        "cannot record: the reply shows the key"
    );
    assert!(sheet.0.lock().expect("no panic").is_empty());
}
