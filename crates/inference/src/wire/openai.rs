//! The OpenAI-compatible protocol: chat completions and embeddings. Spoken by most servers and by all that run at home.

use serde_json::{Value as Json, json};

use super::exchange::Request;
use super::read::{Read, Unreadable, Vectors, chat_text, tokens};
use super::shape::Shape;
use crate::chat::{ChatMessage, ChatReply, ChatRequest, ChatRole, Finish};
use crate::usage::Usage;

/// What a request for an answer looks like.
pub(super) fn chat(shape: &Shape, request: &ChatRequest) -> Request {
    let mut body = json!({
        "model": shape.model,
        "messages": request.messages.iter().map(message).collect::<Vec<Json>>(),
    });
    if let Some(limit) = shape.output_limit_for(request.max_output_tokens) {
        body[shape.output_limit.as_str()] = limit.into();
    }
    if let Some(temperature) = request.temperature.filter(|_| shape.takes_temperature) {
        body["temperature"] = super::shape::number(temperature);
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| shape.takes_schema) {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": super::shape::ANSWER, "strict": true, "schema": schema},
        });
    }
    Request { path: "/chat/completions".to_owned(), body: shape.with_extra(body) }
}

fn message(message: &ChatMessage) -> Json {
    let role = match message.role {
        ChatRole::System => "system",
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
    };
    json!({"role": role, "content": message.text})
}

/// Reads an answer.
pub(super) fn read_chat(body: &Json) -> Read<ChatReply> {
    let choice = body["choices"].get(0).ok_or(Unreadable("no `choices`"))?;
    let refused = choice["message"]["refusal"].is_string();
    let text = match &choice["message"]["content"] {
        Json::String(text) => text.clone(),
        Json::Array(parts) => chat_text(parts.iter().filter(|part| part["type"] == "text")),
        // A model that only refuses, or only reasons until its tokens are spent, has no content.
        Json::Null => String::new(),
        _ => return Err(Unreadable("`message.content` is no text")),
    };
    let finish = match choice["finish_reason"].as_str() {
        _ if refused => Finish::Filtered,
        Some("stop") => Finish::Stop,
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::Filtered,
        _ => Finish::Other,
    };
    Ok(ChatReply { text, finish, usage: usage(body) })
}

/// What a request for vectors looks like.
pub(super) fn embed(shape: &Shape, texts: &[String]) -> Request {
    let mut body = json!({"model": shape.model, "input": texts});
    if shape.asks_for_dims {
        body["dimensions"] = shape.dims.into();
    }
    Request { path: "/embeddings".to_owned(), body: shape.with_extra(body) }
}

/// Reads vectors, put in the order of their indices.
pub(super) fn read_embed(body: &Json, count: usize) -> Read<Vectors> {
    let data = body["data"].as_array().ok_or(Unreadable("no `data`"))?;
    let mut vectors: Vec<Option<&Json>> = vec![None; count];
    for (place, item) in data.iter().enumerate() {
        let index = match &item["index"] {
            Json::Null => place,
            index => index
                .as_u64()
                .and_then(|index| usize::try_from(index).ok())
                .ok_or(Unreadable("`index` is no number"))?,
        };
        let slot = vectors.get_mut(index).ok_or(Unreadable("more vectors than texts"))?;
        if slot.replace(&item["embedding"]).is_some() {
            return Err(Unreadable("two vectors of one text"));
        }
    }
    let vectors = vectors.into_iter().map(|vector| vector.ok_or(Unreadable("fewer vectors than texts")));
    Ok(Vectors {
        vectors: vectors.map(|vector| vector.and_then(super::read::numbers)).collect::<Read<_>>()?,
        usage: usage(body),
    })
}

fn usage(body: &Json) -> Usage {
    let used = &body["usage"];
    Usage {
        input_tokens: tokens(&used["prompt_tokens"]),
        output_tokens: tokens(&used["completion_tokens"]),
        calls: 0,
    }
}
