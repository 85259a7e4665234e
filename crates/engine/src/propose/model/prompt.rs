//! What a model is asked: a versioned text file, filled with the predicates in force and the messages.

use std::fmt::Write;

use inference::chat::{ChatMessage, ChatRequest, ChatRole};
use ledger::evidence::Author;
use ledger::packet::TokenCounter;
use ledger::regions::Region;
use ledger::registry::{Class, Registry};
use ledger::time::Moment;
use serde_json::{Value as Json, json};

/// The version of the prompt, which every claim that came of it names.
pub const VERSION: &str = "model/1";

const TEXT: &str = include_str!("../../../prompts/propose/1.txt");

/// What stands between the instructions and the messages.
const DIVISION: &str = "\n=====\n";

/// Tokens of an answer that one message may need: five proposals, and what holds them together.
const OUTPUT_TOKENS_A_MESSAGE: u32 = 600;

/// Tokens of an answer, at most.
const OUTPUT_TOKENS_MAX: u32 = 4_000;

/// One message as it is shown to a model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shown {
    pub author: Author,
    pub event_time: Moment,
    /// Its words, without those nothing can be proposed from.
    pub text: String,
}

/// What stands in a message where words of somebody else were.
const LEFT_OUT: &str = " […] ";

/// The words of a message that a proposal may quote, at most about `tokens_max` of them; whether it was cut.
///
/// What the owner only passed on, and echoes of recalled memory, are left out: the gate would refuse them, and what is
/// not read cannot mislead.
pub(super) fn quotable(
    text: &str,
    foreign: &[Region],
    tokens_max: usize,
    tokens: &dyn TokenCounter,
) -> (String, bool) {
    let mut own = String::new();
    let mut at = 0;
    // A word has at least one letter, so more bytes than these cannot be needed.
    let bytes_max = tokens_max.saturating_mul(16);
    for region in foreign {
        own.push_str(text.get(at..region.span.start).unwrap_or_default());
        own.push_str(LEFT_OUT);
        at = region.span.end;
        if own.len() > bytes_max {
            break;
        }
    }
    own.push_str(text.get(at..).unwrap_or_default());
    let mut is_cut = false;
    if own.len() > bytes_max {
        own.truncate(own.floor_char_boundary(bytes_max));
        is_cut = true;
    }
    while tokens.count(&own) as usize > tokens_max {
        own.truncate(own.floor_char_boundary(own.len() * 9 / 10));
        is_cut = true;
    }
    (own.trim().to_owned(), is_cut)
}

/// Whether a text holds any word at all; what was passed on leaves marks that are none.
pub(super) fn has_words(text: &str) -> bool {
    text.replace(LEFT_OUT.trim(), "").chars().any(char::is_alphanumeric)
}

/// The request about these messages.
pub(super) fn request(messages: &[Shown], registry: &Registry, proposals_max: usize) -> ChatRequest {
    let (instructions, asked) = TEXT.split_once(DIVISION).unwrap_or((TEXT, "{{messages}}"));
    let instructions = instructions
        .replace("{{predicates}}", predicates(registry).trim_end())
        .replace("{{proposals_max}}", &proposals_max.to_string());
    // Filled in last, so that no message can hold a place to be filled.
    let asked = asked.trim_end().replace("{{messages}}", told(messages).trim_end());
    let output = OUTPUT_TOKENS_A_MESSAGE.saturating_mul(u32::try_from(messages.len()).unwrap_or(u32::MAX));
    ChatRequest {
        messages: vec![
            ChatMessage { role: ChatRole::System, text: instructions },
            ChatMessage { role: ChatRole::User, text: asked },
        ],
        schema: Some(schema(registry, proposals_max.saturating_mul(messages.len()))),
        max_output_tokens: Some(output.min(OUTPUT_TOKENS_MAX)),
        temperature: Some(0.0),
    }
}

/// A line a class: its predicates with the types of their values, and what they are called where the name does not tell.
fn predicates(registry: &Registry) -> String {
    let classes = [
        Class::Identity,
        Class::Constraint,
        Class::Preference,
        Class::Project,
        Class::Relationship,
        Class::World,
    ];
    let mut lines = String::new();
    for class in classes {
        let named: Vec<String> = registry
            .iter()
            .filter(|predicate| predicate.class == class && super::own_words::is_asked_for(predicate))
            .map(|predicate| {
                let kind = predicate.value.as_str();
                match predicate.label == predicate.name.replace('_', " ") {
                    true => format!("{} ({kind})", predicate.name),
                    false => format!("{} ({kind}: {})", predicate.name, predicate.label),
                }
            })
            .collect();
        if !named.is_empty() {
            _ = writeln!(lines, "- {}: {}", class.as_str(), named.join(", "));
        }
    }
    lines
}

fn told(messages: &[Shown]) -> String {
    let mut told = String::new();
    for (place, message) in messages.iter().enumerate() {
        let by = match message.author {
            Author::Owner => "by the owner",
            Author::Assistant => "by an assistant",
            Author::Service => "by a service",
            Author::External => "not by the owner",
        };
        let day = message.event_time.zoned().strftime("%Y-%m-%d, %A").to_string();
        _ = write!(told, "Message {}, {by}, {day}:\n<<<\n{}\n>>>\n\n", place + 1, message.text);
    }
    told
}

/// The shape of the answer. Every field is asked for, as providers that keep to a schema strictly want it.
fn schema(registry: &Registry, proposals_max: usize) -> Json {
    let asked_for = registry.iter().filter(|predicate| super::own_words::is_asked_for(predicate));
    let names: Vec<&str> = asked_for.map(|predicate| predicate.name.as_str()).collect();
    json!({
        "type": "object",
        "properties": {
            "proposals": {
                "type": "array",
                // A small model goes on and on until it is stopped.
                "maxItems": proposals_max,
                "items": {
                    "type": "object",
                    "properties": {
                        "message": {"type": "integer"},
                        "entity": {"type": "string"},
                        "predicate": {"type": "string", "enum": names},
                        "value": {"type": "string"},
                        "quote": {"type": "string"},
                        "op": {"type": "string", "enum": ["assert", "retract"]},
                        "confidence": {"type": "number"},
                    },
                    "required": ["message", "entity", "predicate", "value", "quote", "op", "confidence"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["proposals"],
        "additionalProperties": false,
    })
}
