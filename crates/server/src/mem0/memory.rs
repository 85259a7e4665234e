//! A memory in mem0's shape, and how its scopes and metadata are kept.
//!
//! One rule for the ids: `user_id` names the subject, `agent_id` the source (of the kind `agent`), `run_id` the session. What the
//! ledger has no word for, `app_id` and `metadata`, is kept with the message as an attachment, and is erased with it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine::answer::{Item, MessageText};
use engine::line::Remembered;
use engine::observe::{AttachmentInput, SourceInput};
use ledger::scope::Subject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::refusal::Refusal;

/// The kind of the source that an `agent_id` names.
pub(super) const AGENT: &str = "agent";

/// The source of messages that no agent is named for.
const NO_AGENT: (&str, &str) = ("conversation", "mem0");

/// The media type of the attachment that holds what the ledger has no word for.
const EXTRAS: &str = "application/vnd.mem0+json";

/// The longest metadata of a message as JSON, in bytes.
const EXTRAS_BYTES_MAX: usize = 2_000;

/// What the ledger has no word for.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Extras {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Json>>,
}

impl Extras {
    pub fn new(app_id: Option<String>, metadata: Option<Map<String, Json>>) -> Self {
        Self { app_id, metadata: metadata.filter(|metadata| !metadata.is_empty()) }
    }

    /// As attachments of a message.
    ///
    /// # Errors
    /// [`Refusal`] 422 for metadata that is too long.
    pub fn write(&self) -> Result<Vec<AttachmentInput>, Refusal> {
        if *self == Self::default() {
            return Ok(Vec::new());
        }
        let name =
            serde_json::to_string(self).map_err(|_| Refusal::fault("metadata could not be written"))?;
        if name.len() > EXTRAS_BYTES_MAX {
            let bytes = name.len();
            return Err(Refusal::bad_input(format!(
                "`metadata` has {bytes} bytes as JSON; {EXTRAS_BYTES_MAX} are allowed"
            )));
        }
        Ok(vec![AttachmentInput { size: name.len() as u64, name, media_type: EXTRAS.to_owned() }])
    }

    fn read(message: &MessageText) -> Self {
        let own = message.attachments.iter().find(|one| one.media_type == EXTRAS);
        own.and_then(|one| serde_json::from_str(&one.name).ok()).unwrap_or_default()
    }
}

/// The source of an agent's messages, or of nobody's.
pub(super) fn source(agent_id: Option<&str>) -> SourceInput {
    let (kind, reference) = agent_id.map_or(NO_AGENT, |agent| (AGENT, agent));
    SourceInput {
        kind: kind.to_owned(),
        reference: reference.to_owned(),
        title: None,
        authority: None,
        fidelity: None,
        mode: None,
        retention: None,
        lineage: None,
    }
}

/// A memory as mem0 tells it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Memory {
    /// Its id: the version's, a dot, and the subject in base64, since mem0's calls by id name no user.
    pub id: String,
    /// The words.
    pub memory: String,
    /// The subject, as the call named it.
    pub user_id: String,
    /// The agent, where one was named.
    pub agent_id: Option<String>,
    /// The application, where one was named.
    pub app_id: Option<String>,
    /// The session, where one was named.
    pub run_id: Option<String>,
    /// What was kept with it; `null` for nothing.
    pub metadata: Option<Map<String, Json>>,
    /// The class of its predicate, such as `identity`.
    pub categories: Vec<String>,
    /// When the first of its line was taken in.
    pub created_at: String,
    /// When it was last said.
    pub updated_at: String,
    /// How well it matches, of a search; only comparable within one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The same memory as Testimony tells it: fact, predicate, validity, support, dispute.
    pub testimony: Item,
}

impl Memory {
    /// A memory as it is told to a caller who named its subject so.
    pub fn of(remembered: Remembered, subject: &Subject, user_id: &str, class: Option<String>) -> Self {
        let Remembered { item, first, .. } = remembered;
        let Extras { app_id, metadata } = Extras::read(&first);
        let source = &first.kept.source;
        Self {
            id: id(&item.id, subject),
            memory: words(&item),
            user_id: user_id.to_owned(),
            agent_id: (source.kind == AGENT).then(|| source.reference.clone()),
            app_id,
            run_id: first.session,
            metadata,
            categories: class.into_iter().collect(),
            created_at: first.kept.observed_at,
            updated_at: item.event_time.clone(),
            score: None,
            testimony: item,
        }
    }

    /// As a filter looks at it.
    pub fn fields(&self) -> Map<String, Json> {
        match serde_json::to_value(self) {
            Ok(Json::Object(mut fields)) => {
                // A filter may name a memory by the version alone.
                fields.insert("id".to_owned(), json!([self.id, self.testimony.id]));
                fields
            }
            _ => Map::new(),
        }
    }
}

/// The words of a memory: of what was kept as words these alone, of other facts what is said of whom.
pub(super) fn words(item: &Item) -> String {
    let value = match &item.value {
        Json::String(words) => words.clone(),
        value => value.to_string(),
    };
    match (item.predicate.as_deref(), item.entity.as_deref()) {
        (None | Some("note" | "prefers"), _) => value,
        (Some(predicate), None | Some("self")) => format!("{}: {value}", predicate.replace('_', " ")),
        (Some(predicate), Some(entity)) => format!("{entity}, {}: {value}", predicate.replace('_', " ")),
    }
}

/// The id of a memory in a face whose calls by id name no user.
pub(super) fn id(version: &str, subject: &Subject) -> String {
    format!("{version}.{}", URL_SAFE_NO_PAD.encode(subject.as_str()))
}

/// The part of an id that names the version.
pub(super) fn version(written: &str) -> &str {
    written.split('.').next().unwrap_or_default()
}

/// The version and the subject of an id; without a subject it is the caller's own. `None` for what is no id of this face.
pub(super) fn read_id(written: &str) -> Option<(String, Option<String>)> {
    match written.split_once('.') {
        None => Some((written.to_owned(), None)),
        Some((version, subject)) => {
            let name = String::from_utf8(URL_SAFE_NO_PAD.decode(subject).ok()?).ok()?;
            Some((version.to_owned(), Some(Subject::parse(&name).ok()?.as_str().to_owned())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_its_version_and_its_subject() {
        let ana = Subject::parse("Ana Anić").expect("a name");
        let written = id("ve_1", &ana);
        assert!(
            written.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)),
            "{written}"
        );
        assert_eq!(read_id(&written), Some(("ve_1".to_owned(), Some("Ana Anić".to_owned()))));
        assert_eq!(read_id("ve_1"), Some(("ve_1".to_owned(), None)));
        for other in ["ve_1.", "ve_1.%", "ve_1._w", "ve_1.AA"] {
            assert_eq!(read_id(other), None, "{other}");
        }
    }

    #[test]
    fn metadata_is_kept_as_it_was_or_refused() {
        let metadata = json!({"category": "drinks", "weight": 2.5, "tags": ["a"]});
        let extras = Extras::new(Some("app".to_owned()), metadata.as_object().cloned());
        let written = extras.write().expect("short");
        let read: Extras = serde_json::from_str(&written[0].name).expect("as written");
        assert_eq!(read, extras);
        assert!(Extras::new(None, Some(Map::new())).write().expect("nothing").is_empty());
        let long = json!({"a": "b".repeat(EXTRAS_BYTES_MAX)});
        let refused = Extras::new(None, long.as_object().cloned()).write().expect_err("too long");
        assert_eq!(refused.status, 422);
    }
}
