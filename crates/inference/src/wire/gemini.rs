//! Google's Gemini: `generateContent` with a response schema, and `embedContent` for one text or many.

use serde_json::{Map, Value as Json, json};

use super::exchange::Request;
use super::read::{Read, Unreadable, Vectors, chat_text, numbers, tokens};
use super::shape::Shape;
use crate::chat::{ChatReply, ChatRequest, ChatRole, Finish};
use crate::embed::Role;
use crate::usage::Usage;

/// What a request for an answer looks like.
pub(super) fn chat(shape: &Shape, request: &ChatRequest) -> Request {
    let mut system: Vec<Json> = Vec::new();
    let mut contents: Vec<Json> = Vec::new();
    for message in &request.messages {
        let part = json!({"text": message.text});
        match message.role {
            ChatRole::System => system.push(part),
            ChatRole::User => contents.push(json!({"role": "user", "parts": [part]})),
            ChatRole::Assistant => contents.push(json!({"role": "model", "parts": [part]})),
        }
    }
    let mut body = json!({"contents": contents});
    if !system.is_empty() {
        body["systemInstruction"] = json!({"parts": system});
    }
    let mut generation = Map::new();
    if let Some(temperature) = request.temperature.filter(|_| shape.takes_temperature) {
        generation.insert("temperature".to_owned(), super::shape::number(temperature));
    }
    if let Some(limit) = shape.output_limit_for(request.max_output_tokens) {
        generation.insert("maxOutputTokens".to_owned(), limit.into());
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| shape.takes_schema) {
        generation.insert("responseMimeType".to_owned(), "application/json".into());
        generation.insert("responseSchema".to_owned(), openapi(schema));
    }
    if !generation.is_empty() {
        body["generationConfig"] = Json::Object(generation);
    }
    Request { path: format!("{}:generateContent", path(&shape.model)), body: shape.with_extra(body) }
}

/// Reads an answer. Where the prompt itself was withheld there is none, and that is said by how it finished.
pub(super) fn read_chat(body: &Json) -> Read<ChatReply> {
    let used = &body["usageMetadata"];
    let usage = Usage {
        input_tokens: tokens(&used["promptTokenCount"]),
        output_tokens: tokens(&used["candidatesTokenCount"]) + tokens(&used["thoughtsTokenCount"]),
        calls: 0,
    };
    let Some(candidate) = body["candidates"].get(0) else {
        return match body["promptFeedback"]["blockReason"].is_string() {
            true => Ok(ChatReply { text: String::new(), finish: Finish::Filtered, usage }),
            false => Err(Unreadable("no `candidates`")),
        };
    };
    let parts = candidate["content"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = chat_text(parts.iter().filter(|part| part["thought"] != true));
    let finish = match candidate["finishReason"].as_str() {
        Some("STOP") => Finish::Stop,
        Some("MAX_TOKENS") => Finish::Length,
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => Finish::Filtered,
        _ => Finish::Other,
    };
    Ok(ChatReply { text, finish, usage })
}

/// What a request for vectors looks like.
pub(super) fn embed(shape: &Shape, role: Role, texts: &[String]) -> Request {
    let path = path(&shape.model);
    let task = match role {
        Role::Query => "RETRIEVAL_QUERY",
        Role::Passage => "RETRIEVAL_DOCUMENT",
    };
    let one = |text: &String| {
        let mut one = json!({
            "model": &path[1..], "content": {"parts": [{"text": text}]}, "taskType": task,
        });
        if shape.asks_for_dims {
            one["outputDimensionality"] = shape.dims.into();
        }
        one
    };
    match texts {
        [text] => Request { path: format!("{path}:embedContent"), body: shape.with_extra(one(text)) },
        texts => Request {
            path: format!("{path}:batchEmbedContents"),
            body: shape.with_extra(json!({"requests": texts.iter().map(one).collect::<Vec<Json>>()})),
        },
    }
}

/// Reads vectors.
pub(super) fn read_embed(body: &Json, count: usize) -> Read<Vectors> {
    let found: Vec<&Json> = match (body["embedding"].is_object(), body["embeddings"].as_array()) {
        (true, _) => vec![&body["embedding"]],
        (false, Some(several)) => several.iter().collect(),
        (false, None) => return Err(Unreadable("no `embedding`")),
    };
    if found.len() != count {
        return Err(Unreadable("not as many vectors as texts"));
    }
    let vectors = found.into_iter().map(|one| numbers(&one["values"])).collect::<Read<_>>()?;
    Ok(Vectors { vectors, usage: Usage::default() })
}

fn path(model: &str) -> String {
    match model.contains('/') {
        true => format!("/{model}"),
        false => format!("/models/{model}"),
    }
}

/// A JSON schema as Gemini takes it: the part of OpenAPI it knows, where a type that may be absent is `nullable`.
fn openapi(schema: &Json) -> Json {
    let Json::Object(fields) = schema else { return schema.clone() };
    let mut written = Map::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("type", Json::Array(types)) => {
                let named = types.iter().filter(|kind| *kind != "null").cloned().collect::<Vec<Json>>();
                if named.len() < types.len() {
                    written.insert("nullable".to_owned(), true.into());
                }
                match <[Json; 1]>::try_from(named) {
                    Ok([kind]) => _ = written.insert("type".to_owned(), kind),
                    Err(several) => {
                        let any = several.into_iter().map(|kind| json!({"type": kind})).collect();
                        written.insert("anyOf".to_owned(), Json::Array(any));
                    }
                }
            }
            ("properties", Json::Object(properties)) => {
                let converted = properties.iter().map(|(name, of)| (name.clone(), openapi(of)));
                written.insert(name.clone(), Json::Object(converted.collect()));
            }
            ("items", value) => _ = written.insert(name.clone(), openapi(value)),
            ("anyOf", Json::Array(several)) => {
                written.insert(name.clone(), Json::Array(several.iter().map(openapi).collect()));
            }
            ("const", value) => _ = written.insert("enum".to_owned(), json!([value])),
            (
                "type" | "enum" | "description" | "format" | "required" | "nullable" | "minItems"
                | "maxItems" | "minimum" | "maximum" | "title",
                value,
            ) => _ = written.insert(name.clone(), value.clone()),
            // What it does not know it would refuse.
            _ => {}
        }
    }
    Json::Object(written)
}
