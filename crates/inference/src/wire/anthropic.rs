//! Anthropic's messages. An answer of a given shape is asked for as the input of a tool that the model must call.

use serde_json::{Value as Json, json};

use super::exchange::Request;
use super::read::{Read, Unreadable, chat_text, tokens};
use super::shape::{ANSWER, Shape};
use crate::chat::{ChatReply, ChatRequest, ChatRole, Finish};
use crate::usage::Usage;

/// The protocol has no default; what is meant to be short ends by itself.
const OUTPUT_TOKENS_DEFAULT: u32 = 4096;

/// The version of the protocol this speaks.
pub(super) const VERSION: &str = "2023-06-01";

/// What a request for an answer looks like.
pub(super) fn chat(shape: &Shape, request: &ChatRequest) -> Request {
    let said =
        |wanted: fn(ChatRole) -> bool| request.messages.iter().filter(move |message| wanted(message.role));
    let system: Vec<&str> =
        said(|role| role == ChatRole::System).map(|message| message.text.as_str()).collect();
    let messages: Vec<Json> = said(|role| role != ChatRole::System)
        .map(|message| {
            let role = if message.role == ChatRole::Assistant { "assistant" } else { "user" };
            json!({"role": role, "content": message.text})
        })
        .collect();
    let limit = shape.output_limit_for(request.max_output_tokens).unwrap_or(OUTPUT_TOKENS_DEFAULT);
    let mut body = json!({"model": shape.model, "max_tokens": limit, "messages": messages});
    if !system.is_empty() {
        body["system"] = system.join("\n\n").into();
    }
    if let Some(temperature) = request.temperature.filter(|_| shape.takes_temperature) {
        body["temperature"] = super::shape::number(temperature);
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| shape.takes_schema) {
        body["tools"] = json!([{
            "name": ANSWER, "description": "Gives the answer. Call it once, with all of it.", "input_schema": schema,
        }]);
        body["tool_choice"] = json!({"type": "tool", "name": ANSWER});
    }
    Request { path: "/v1/messages".to_owned(), body: shape.with_extra(body) }
}

/// Reads an answer: the input of the tool where it was called, else the text.
pub(super) fn read_chat(body: &Json) -> Read<ChatReply> {
    let content = body["content"].as_array().ok_or(Unreadable("no `content`"))?;
    let called = content.iter().find(|part| part["type"] == "tool_use" && part["name"] == ANSWER);
    let text = match called {
        Some(part) => part["input"].to_string(),
        None => chat_text(content.iter().filter(|part| part["type"] == "text")),
    };
    let finish = match body["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("tool_use") if called.is_some() => Finish::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("refusal") => Finish::Filtered,
        _ => Finish::Other,
    };
    let used = &body["usage"];
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let usage = Usage {
        input_tokens: tokens(&used["input_tokens"])
            + cached.iter().map(|name| tokens(&used[name])).sum::<u64>(),
        output_tokens: tokens(&used["output_tokens"]),
        calls: 0,
    };
    Ok(ChatReply { text, finish, usage })
}
