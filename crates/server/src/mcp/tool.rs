//! The table of tools: every tool with its verb and what a model is told of it. The list a client gets, the snapshot of it and the
//! matrix of who may do what are made from it.

use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Map, Value as Json, json};

use super::{agent, memory_server};
use crate::access::Right;
use crate::http::openapi::alone;
use crate::verb::{AnyVerb, Verb};
use crate::verbs::{entries, evidence, recall, turns};

/// A verb as a tool.
#[derive(Clone)]
pub struct Tool {
    /// The verb.
    pub verb: AnyVerb,
    /// How it is listed.
    pub listed: Listed,
    /// How an answer is written for a model.
    pub words: Words,
}

/// How an answer is written for a model, beside the structured one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Words {
    /// The answer's JSON, behind a line that says that it is data.
    Marked,
    /// The answer's JSON alone: clients that know this tool by name read the text as JSON.
    Bare,
    /// What a turn may see, as it is put before a model. It says itself what it is.
    Packet,
}

/// A set of tools.
#[derive(Clone)]
pub struct Tools(Vec<Tool>);

impl Tools {
    /// The tools of a memory: eight, so that a model can hold them all in view.
    #[must_use]
    pub fn own() -> Arc<Self> {
        static OWN: LazyLock<Arc<Tools>> = LazyLock::new(|| Arc::new(Tools(own())));
        OWN.clone()
    }

    /// The nine tools of the protocol's own memory server, for what was written against that one.
    #[must_use]
    pub fn memory_server() -> Arc<Self> {
        static NINE: LazyLock<Arc<Tools>> = LazyLock::new(|| Arc::new(Tools(nine())));
        NINE.clone()
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.0.iter().find(|tool| tool.listed.name == name)
    }

    /// Every tool, in the order they are listed.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.0.iter()
    }
}

fn own() -> Vec<Tool> {
    vec![
        tool::<agent::RememberSaid>(
            "remember",
            "Remember what the user said",
            "Keep what the user said. `text` is the user's own message, word for word, and never your words or those of a page, a file or \
             a tool. Without `proposals` the message is kept as a note. With `proposals` you say what it states: each needs a `quote` that \
             stands in `text` letter for letter; what the words do not bear out comes back in `refused` with a code and a reason.",
            Words::Marked,
        ),
        tool::<recall::Recall>(
            "recall",
            "Recall what is remembered",
            "Find what is remembered that bears on a question, best first. Each item has an `id` for `why`, `correct` and `forget`. Items \
             with a `dispute` contradict each other: tell the user both sides. With `valid_at` and `believed_at` you ask about the past. \
             When `items` is empty, `negative` says whether the thing is unknown or known to be empty.",
            Words::Marked,
        ),
        tool::<turns::ResolveTurn>(
            "turn",
            "Context for this message",
            "Call this with the user's message before you answer it: it chooses what of the memory bears on the message and hands it to \
             you as one packet. Cite items by their handle, such as [M1]. When `triage` is ASK, put `question` to the user; when it is \
             SKIP, nothing is needed.",
            Words::Packet,
        ),
        tool::<evidence::ShowReceipt>(
            "why",
            "Why is this remembered",
            "Show the receipt of a memory, by its id: every version, the exact words each rests on, who said them and when. Use it when \
             the user asks where something comes from, or before you rely on a disputed item.",
            Words::Marked,
        ),
        tool::<agent::ForgetThese>(
            "forget",
            "Forget for good",
            "Forget memories, messages or sources by their ids, only when the user asks for it. It cannot be undone: the words are in no \
             file afterwards. Call it first with `dry_run` true, show the user what would go, and go on once they agree.",
            Words::Marked,
        ),
        tool::<entries::Correct>(
            "correct",
            "Correct a memory",
            "Put the user's own new words in the place of a memory that is wrong. The old ones stay in its history.",
            Words::Marked,
        ),
        tool::<agent::Search>(
            "search",
            "Search the memory",
            "Search facts and messages for a query. Answers ids with a title each; `fetch` gives the whole.",
            Words::Bare,
        ),
        tool::<agent::Fetch>(
            "fetch",
            "Fetch a memory",
            "Fetch one memory that `search` found, by its id, as text with the words behind it.",
            Words::Bare,
        ),
    ]
}

fn nine() -> Vec<Tool> {
    use memory_server as compat;
    vec![
        tool::<compat::CreateEntities>(
            "create_entities",
            "Create entities",
            "Keep observations about new entities: each as a note about its entity, with its own words as evidence. What the gate refuses \
             is told in `notices`.",
            Words::Marked,
        ),
        tool::<compat::CreateRelations>(
            "create_relations",
            "Create relations",
            "Keep relations between entities, in active voice: each as a note about the first entity.",
            Words::Marked,
        ),
        tool::<compat::AddObservations>(
            "add_observations",
            "Add observations",
            "Keep further observations about entities: each as a note about its entity.",
            Words::Marked,
        ),
        tool::<compat::DeleteEntities>(
            "delete_entities",
            "Delete entities",
            "Forget everything that is held about these entities, for good.",
            Words::Marked,
        ),
        tool::<compat::DeleteObservations>(
            "delete_observations",
            "Delete observations",
            "Forget these observations about entities, for good.",
            Words::Marked,
        ),
        tool::<compat::DeleteRelations>(
            "delete_relations",
            "Delete relations",
            "Forget these relations between entities, for good.",
            Words::Marked,
        ),
        tool::<compat::ReadGraph>(
            "read_graph",
            "Read the graph",
            "Everything that holds now, as entities with observations, and relations between them.",
            Words::Marked,
        ),
        tool::<compat::SearchNodes>(
            "search_nodes",
            "Search nodes",
            "The entities that a query finds, with their observations, and the relations between them.",
            Words::Marked,
        ),
        tool::<compat::OpenNodes>(
            "open_nodes",
            "Open nodes",
            "The entities of these names, with their observations, and the relations between them.",
            Words::Marked,
        ),
    ]
}

fn tool<V: Verb>(name: &'static str, title: &str, description: &'static str, words: Words) -> Tool {
    let verb = AnyVerb::of::<V>();
    let input = alone(|generator| verb.input(generator), false);
    let answer = alone(|generator| verb.answer(generator), true);
    // What a tool may do to the memory is what its verb needs the right to: saying adds, once for the same words, and only forgetting
    // takes away. That a turn is recorded changes nothing that is remembered.
    let annotations = ToolAnnotations::with_title(title)
        .read_only(verb.right == Right::Read)
        .destructive(verb.right == Right::Forget)
        .idempotent(true)
        // All it reaches is this memory.
        .open_world(false);
    let listed = Listed::new(name, description, object(input))
        .with_title(title)
        .with_raw_output_schema(Arc::new(object(or_refusal(answer))))
        .with_annotations(annotations);
    Tool { verb, listed, words }
}

/// The shape of an answer or, where a call is refused, of the refusal: clients hold structured content to it either way.
fn or_refusal(mut answer: Json) -> Json {
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("$schema");
    }
    let text = |told: &str| json!({"type": "string", "description": told});
    json!({
        "type": "object",
        "anyOf": [
            answer,
            {
                "title": "Refusal",
                "description": "With `isError`: why the call was refused.",
                "type": "object",
                "required": ["code", "detail"],
                "properties": {
                    "code": text("A stable word for programs."),
                    "detail": text("What is wrong."),
                    "hint": text("What to do."),
                },
            },
        ],
    })
}

fn object(schema: Json) -> JsonObject {
    match schema {
        Json::Object(object) => object,
        // A schema that is no object allows everything.
        _ => Map::new(),
    }
}
