//! What a tier's requests look like, as far as vendors and models differ within one protocol: data, not code.

use serde_json::{Map, Value as Json};

/// The name under which a shape is asked for, where a protocol wants one.
pub(super) const ANSWER: &str = "answer";

/// How requests of one tier are written.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Shape {
    /// The model, by the vendor's name.
    pub model: String,
    /// The field that bounds the answer.
    pub output_limit: String,
    /// The bound of every answer; a request may ask for less.
    pub output_tokens_max: Option<u32>,
    /// Whether the model accepts a temperature at all.
    pub takes_temperature: bool,
    /// Whether the model keeps to a schema.
    pub takes_schema: bool,
    /// Numbers in a vector.
    pub dims: u32,
    /// Whether the server is to be asked for exactly that many.
    pub asks_for_dims: bool,
    /// Further fields of every request.
    pub extra: Map<String, Json>,
}

impl Shape {
    /// The bound of an answer: the request's or the tier's, whichever is less.
    pub fn output_limit_for(&self, asked: Option<u32>) -> Option<u32> {
        asked.into_iter().chain(self.output_tokens_max).min()
    }

    /// `body` with the further fields. They take the place of none of ours.
    pub fn with_extra(&self, mut body: Json) -> Json {
        if let Json::Object(fields) = &mut body {
            for (name, value) in &self.extra {
                fields.entry(name.as_str()).or_insert_with(|| value.clone());
            }
        }
        body
    }
}

/// A number as it was meant: single precision would otherwise arrive as 0.20000000298023224.
pub(super) fn number(number: f32) -> Json {
    Json::from((f64::from(number) * 10_000.0).round() / 10_000.0)
}
