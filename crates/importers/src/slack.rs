//! A Slack workspace export: a folder a channel, a file a day, and lists of people and channels beside them.
//!
//! A channel is a source, a thread in it a session. Text is shown as Slack shows it: mentions and links are written
//! out and the three escaped characters put back. Nobody is the owner until a user's name, display name or id is named;
//! what an app posted is somebody else's words even when a person installed it. Link previews under a message are the
//! linked page's words and are cut. Joining, leaving, renaming and the like are service notices.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use regex::{Captures, Regex};
use serde_json::Value;

use crate::{
    Attachment, Author, Fidelity, Reason,
    collect::{Collector, Id, SourceIndex, Words},
    decode::File,
    json::{self, Piece},
};

/// The lists beside the channels' folders.
const LISTS: &[&str] = &[
    "users.json",
    "channels.json",
    "groups.json",
    "dms.json",
    "mpims.json",
    "integration_logs.json",
    "canvases.json",
    "file_conversations.json",
    "huddle_transcripts.json",
    "lists.json",
    "org_users.json",
];

/// Subtypes that a person or an app wrote. Every other subtype is a notice by Slack.
const SPOKEN: &[&str] = &[
    "bot_message",
    "me_message",
    "file_share",
    "file_comment",
    "thread_broadcast",
    "reply_broadcast",
    "file_mention",
];

static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<([^<>|\n]{1,4000})(?:\|([^<>\n]{0,4000}))?>")
        .unwrap_or_else(|error| unreachable!("a constant pattern: {error}"))
});

/// People and channels, by id.
#[derive(Default)]
struct Directory {
    people: HashMap<String, Person>,
    /// Channel name to its id, and the other way round.
    channel_ids: HashMap<String, String>,
    channel_names: HashMap<String, String>,
}

struct Person {
    shown: String,
    names: Vec<String>,
}

pub(crate) fn recognises(lower: &str, value: &Value) -> bool {
    let base = lower.rsplit('/').next().unwrap_or(lower);
    let message = value.get("ts").is_some_and(Value::is_string) && value.get("type").is_some();
    let listed = LISTS.contains(&base)
        && ["profile", "team_id", "members", "service_type", "change_type", "topic"]
            .iter()
            .any(|key| value.get(*key).is_some());
    message || listed
}

pub(crate) fn read(files: &[File<'_>], out: &mut Collector<'_>) {
    let (lists, days): (Vec<&File<'_>>, Vec<&File<'_>>) =
        files.iter().partition(|file| LISTS.contains(&file.base_name()));
    let mut directory = Directory::default();
    for file in lists {
        for Piece { value, .. } in json::pieces(file, out) {
            directory.add(file.base_name(), &value);
        }
        out.refuse(file, "file", Reason::Metadata, "read for names and ids");
    }
    let mut days = days;
    days.sort_by(|a, b| a.name.cmp(&b.name));
    let owners = directory.owners(out);
    let (mut names, mut owner_found) = (BTreeSet::new(), false);
    for file in days {
        let channel = file.folder().unwrap_or("slack").to_owned();
        let reference = directory.channel_ids.get(&channel).unwrap_or(&channel).clone();
        let source = out.conversation("slack", reference, Some(&channel), Fidelity::TranscriptSnapshot);
        for Piece { place, value } in json::pieces(file, out) {
            owner_found |= message(file, &place, &value, source, (&directory, &owners), &mut names, out);
        }
    }
    out.members_seen("Slack export", &names, owner_found);
}

impl Directory {
    fn add(&mut self, list: &str, value: &Value) {
        let Some(id) = json::id(value, "id") else { return };
        if list.ends_with("users.json") {
            let profile = value.get("profile").unwrap_or(&Value::Null);
            let fields = [
                json::text(profile, "display_name"),
                json::text(profile, "real_name"),
                json::text(value, "real_name"),
                json::text(value, "name"),
            ];
            let names: Vec<String> = fields.into_iter().flatten().map(str::to_owned).collect();
            let shown = names.first().cloned().unwrap_or_else(|| id.clone());
            self.people.insert(id, Person { shown, names });
        } else if let Some(name) = json::text(value, "name") {
            self.channel_ids.insert(name.to_owned(), id.clone());
            self.channel_names.insert(id, name.to_owned());
        }
    }

    /// The id of the person the options name: by id, or by a name nobody else bears, since names are free to choose.
    fn owners(&self, out: &mut Collector<'_>) -> BTreeSet<String> {
        let Some(owner) = out.options().owner.as_deref().map(str::trim) else { return BTreeSet::new() };
        let called =
            self.people.iter().filter(|(_, person)| person.names.iter().any(|name| name.trim() == owner));
        let called: BTreeSet<String> = called.map(|(id, _)| id.clone()).collect();
        if self.people.contains_key(owner) || called.is_empty() {
            // Without a list of people, messages carry ids only.
            return BTreeSet::from([owner.to_owned()]);
        }
        if called.len() > 1 {
            out.name_is_shared("Slack export", &called);
            return BTreeSet::new();
        }
        called
    }

    fn shown(&self, id: &str) -> String {
        self.people.get(id).map_or_else(|| id.to_owned(), |person| person.shown.clone())
    }

    /// The text as Slack shows it.
    fn rendered(&self, text: &str) -> String {
        let written_out = REFERENCE.replace_all(text, |found: &Captures<'_>| {
            let (target, label) =
                (&found[1], found.get(2).map(|label| label.as_str()).filter(|label| !label.is_empty()));
            match (target.split_at_checked(1), label) {
                (Some(("@", id)), None) => format!("@{}", self.shown(id)),
                (Some(("@", _)), Some(label)) => format!("@{}", label.trim_start_matches('@')),
                (Some(("#", id)), None) => {
                    format!("#{}", self.channel_names.get(id).map_or(id, String::as_str))
                }
                (Some(("#", _)), Some(label)) => format!("#{label}"),
                (Some(("!", word)), label) => label.map_or_else(|| format!("@{word}"), str::to_owned),
                // Slack links bare numbers and addresses by itself; the label is what was typed.
                (_, Some(label))
                    if target
                        .split_once(':')
                        .is_some_and(|(_, rest)| rest.trim_start_matches('/') == label) =>
                {
                    label.to_owned()
                }
                (_, Some(label)) if label != target => format!("{label} ({target})"),
                _ => target.to_owned(),
            }
        });
        // The ampersand last, so that an escaped `&lt;` that somebody typed stays as typed.
        written_out.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }
}

/// Stores or refuses one message; answers whether it was the owner's.
fn message(
    file: &File<'_>,
    place: &str,
    value: &Value,
    source: SourceIndex,
    (directory, owners): (&Directory, &BTreeSet<String>),
    names: &mut BTreeSet<String>,
    out: &mut Collector<'_>,
) -> bool {
    let Some(stamp) = json::id(value, "ts").filter(|_| json::text(value, "type") == Some("message")) else {
        out.refuse(file, place, Reason::WrongShape, "not a message with a `ts`");
        return false;
    };
    let subtype = json::text(value, "subtype").unwrap_or("");
    if subtype == "tombstone" {
        out.refuse(file, place, Reason::Deleted, "deleted in Slack");
        return false;
    }
    if !subtype.is_empty() && !SPOKEN.contains(&subtype) {
        out.refuse(file, place, Reason::ServiceNotice, &format!("subtype `{subtype}`"));
        return false;
    }
    // A comment on a file names its author within.
    let user = json::text(value, "user").or_else(|| value.pointer("/comment/user").and_then(Value::as_str));
    // A person's own upload carries a `bot_id` in old exports; the subtype tells it from an app's post.
    let by_app = subtype == "bot_message"
        || user.is_none()
        || (value.get("bot_id").is_some() && subtype != "file_share");
    let name = match user {
        Some(id) => directory.shown(id),
        None => {
            let profile = value.pointer("/bot_profile/name").and_then(Value::as_str);
            let name = json::text(value, "username").or(profile).or_else(|| json::text(value, "bot_id"));
            name.unwrap_or("app").to_owned()
        }
    };
    let mut author = Author::External;
    if let Some(id) = user.filter(|_| !by_app) {
        if owners.contains(id) {
            author = Author::Owner;
        }
        names.insert(name.clone());
    }
    let owned = author == Author::Owner;
    let mut text = directory.rendered(json::text(value, "text").unwrap_or(""));
    let previews = json::list(value, "attachments");
    let mut parts_cut = 0;
    if text.trim().is_empty() && by_app {
        // Apps say everything in attachments and leave the text empty.
        text = previews
            .iter()
            .filter_map(|preview| preview_text(directory, preview))
            .collect::<Vec<_>>()
            .join("\n");
    } else {
        parts_cut = previews.len() as u64;
    }
    if subtype == "file_share" || subtype == "file_comment" || subtype == "file_mention" {
        // Old exports write "… uploaded a file: …" in the uploader's name: Slack's words, not the person's.
        let written_by_slack = text.contains(" uploaded a file: ") || text.contains(" commented on ");
        author = if written_by_slack { Author::External } else { author };
    }
    let time = stamp.parse().ok().and_then(crate::instant::from_seconds);
    let mut words = Words::new(author, time, text, Id::Given(stamp));
    words.author_name = Some(name);
    words.session = json::id(value, "thread_ts");
    words.attachments =
        value.get("file").into_iter().chain(json::list(value, "files")).filter_map(attachment).collect();
    words.parts_cut = parts_cut;
    out.store(file, source, place, words);
    owned
}

fn preview_text(directory: &Directory, preview: &Value) -> Option<String> {
    let fields = ["pretext", "title", "text"];
    let texts: Vec<&str> = fields.iter().filter_map(|field| json::text(preview, field)).collect();
    let text = if texts.is_empty() { json::text(preview, "fallback")?.to_owned() } else { texts.join("\n") };
    Some(directory.rendered(&text))
}

fn attachment(file: &Value) -> Option<Attachment> {
    Some(Attachment {
        name: json::text(file, "name").or_else(|| json::text(file, "title"))?.to_owned(),
        media_type: json::text(file, "mimetype").map(str::to_owned),
        size: file.get("size").and_then(Value::as_u64),
    })
}
