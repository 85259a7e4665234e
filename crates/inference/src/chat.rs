//! Chat: a model that answers messages with text.

use serde_json::Value as Json;

use crate::error::InferenceError;
use crate::limits::Limits;
use crate::usage::Usage;

/// A model that answers messages with text.
pub trait Chat: Send + Sync {
    /// What it is called in records and reports: `provider/model`. Never a key or an address.
    fn name(&self) -> &str;

    /// What it can do beyond plain text.
    fn abilities(&self) -> Abilities;

    /// Answers `request`.
    ///
    /// # Errors
    /// [`InferenceError`], whose kind says whether trying again may help. Retries within `limits` are already made.
    fn chat(&self, request: &ChatRequest, limits: &Limits) -> Result<ChatReply, InferenceError>;
}

/// What a chat model can do beyond plain text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Abilities {
    /// It takes a JSON schema and keeps to it.
    pub json_schema: bool,
    /// It can call tools.
    pub tools: bool,
}

/// What is asked of a chat model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChatRequest {
    /// The conversation, oldest first.
    pub messages: Vec<ChatMessage>,
    /// The shape the answer should have. Ignored where [`Abilities::json_schema`] is absent.
    pub schema: Option<Json>,
    /// Tokens of the answer, at most; the model's own limit when left out.
    pub max_output_tokens: Option<u32>,
    /// 0 is the most likely answer; the model's own default when left out.
    pub temperature: Option<f32>,
}

/// One message of a conversation with a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChatMessage {
    /// Who says it.
    pub role: ChatRole,
    /// What is said.
    pub text: String,
}

/// Who says a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChatRole {
    /// The instructions.
    System,
    /// The caller.
    User,
    /// The model.
    Assistant,
}

/// What a chat model answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChatReply {
    /// The text, as it came.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// What it cost.
    pub usage: Usage,
}

/// Why an answer ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The limit of output tokens was reached; the text is cut.
    Length,
    /// The provider withheld the rest.
    Filtered,
    /// Something else, or not said.
    Other,
}
