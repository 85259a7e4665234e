//! Keys: who may come in. Only for whoever looks after the whole deployment.

use maud::html;
use zeroize::Zeroizing;

use super::desk::{Desk, Reply};
use super::layout::token;
use super::notice::Notice;
use super::phrases::Phrase;
use super::words::said;
use super::{labels, when};
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verbs::keys::{CreateKey, KeyWanted, ListKeys, RevokeKey};
use crate::verbs::{ById, Nothing};

/// The page of keys.
const PLACE: &str = "/portal/keys";

/// The keys, and a form for another.
pub(super) async fn show(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let told = desk.ask_for::<ListKeys>(Nothing {}).await?;
    let reader = &desk.reader;
    let body = html! {
        div.heading { h1 { (reader.say(Phrase::Keys)) } }
        @if told.keys.is_empty() { div.empty { p { (reader.say(Phrase::NoKeys)) } } }
        ul.items {
            @for key in &told.keys {
                li {
                    p.item { span.value { (said(&key.name)) } " " code { (key.hint) "…" } }
                    p.marks {
                        @for scope in &key.scopes { span.mark { (labels::right(reader, *scope)) } " " }
                        @if key.all_subjects { (reader.say(Phrase::EverySubject)) } @else { (reader.say(Phrase::SomeSubjects)) }
                        " · " (reader.say(Phrase::Created)) " " (when::moment(reader, &key.created))
                        @if let Some(expires) = &key.expires { " · " (reader.say(Phrase::Expires)) " " (when::moment(reader, expires)) }
                    }
                    form method="post" action=(format!("{PLACE}/{}/revoke", key.id)) {
                        (token(desk))
                        p.actions { button.danger type="submit" {
                            (reader.say(Phrase::Revoke)) span.hidden { " " (said(&key.name)) }
                        } }
                    }
                }
            }
        }
        section aria-labelledby="new" {
            h2 #new { (reader.say(Phrase::NewKey)) }
            form method="post" action=(PLACE) {
                (token(desk))
                div.field {
                    label for="name" { (reader.say(Phrase::KeyName)) }
                    input #name name="name" required maxlength="200" autocomplete="off" aria-describedby="name-hint";
                    p.hint #name-hint { (reader.say(Phrase::KeyNameHint)) }
                }
                fieldset {
                    legend { (reader.say(Phrase::KeyAllows)) }
                    @for right in Right::ALL.into_iter().filter(|right| desk.may(*right)) {
                        label.choice {
                            input type="checkbox" name="scope" value=(right.as_str()) checked[right == Right::Read];
                            " " (labels::right(reader, right))
                        }
                    }
                }
                div.field {
                    label for="subjects" { (reader.say(Phrase::KeySubjects)) }
                    input #subjects name="subjects" autocomplete="off" aria-describedby="subjects-hint";
                    p.hint #subjects-hint { (reader.say(Phrase::KeySubjectsHint)) }
                    label.choice {
                        input type="checkbox" name="every" value="yes";
                        " " (reader.say(Phrase::ForEverySubject))
                    }
                }
                div.field {
                    label for="expires" { (reader.say(Phrase::KeyExpires)) " (" (when::zone_name(&reader.zone)) ")" }
                    input #expires type="datetime-local" step="1" name="expires";
                }
                p.actions { button.primary type="submit" { (reader.say(Phrase::MakeKey)) } }
            }
        }
    };
    desk.page(reader.say(Phrase::Keys), body)
}

/// Makes a key, which the next page shows and no other.
pub(super) async fn create(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let wanted = wanted(desk);
    let made = match wanted {
        Ok(wanted) => desk.ask_for::<CreateKey>(wanted).await,
        Err(refusal) => Err(refusal),
    };
    match made {
        Ok(made) => {
            desk.leave_word(Notice::KeyMade { key: Zeroizing::new(made.key), name: made.told.name });
            Ok(Reply::Elsewhere(PLACE.to_owned()))
        }
        Err(refusal) => desk.refuse_act(refusal, PLACE.to_owned()),
    }
}

fn wanted(desk: &Desk<'_>) -> Result<KeyWanted, Refusal> {
    let form = &desk.form;
    let subjects: Vec<String> = form
        .text("subjects")
        .split(',')
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    let expires = when::read_field(&desk.reader, "expires", form.get("expires"))?;
    Ok(KeyWanted {
        name: form.text("name"),
        scopes: form.all("scope").filter_map(Right::named).collect(),
        all_subjects: form.get("every").is_some(),
        subjects,
        expires: expires.map(|instant| instant.to_string()),
    })
}

/// Takes a key away.
pub(super) async fn revoke(desk: &Desk<'_>, id: &str) -> Result<Reply, Refusal> {
    match desk.ask_for::<RevokeKey>(ById { id: id.to_owned() }).await {
        Ok(_) => {
            desk.leave_word(Notice::KeyRevoked);
            Ok(Reply::Elsewhere(PLACE.to_owned()))
        }
        Err(refusal) => desk.refuse_act(refusal, PLACE.to_owned()),
    }
}
