//! Signing in and out; and how one reads, which needs nobody to be let in.

use ledger::time::Zone;
use maud::html;

use super::desk::{Desk, Reply};
use super::form::query;
use super::language::Language;
use super::layout::token;
use super::notice::Notice;
use super::phrases::Phrase;
use crate::refusal::Refusal;

/// The page that asks for a key.
pub(super) fn show(desk: &Desk<'_>) -> Reply {
    if desk.is_let_in() {
        return Reply::Elsewhere(desk.back());
    }
    let reader = &desk.reader;
    let body = html! {
        div.narrow {
            h1 { (reader.say(Phrase::SignIn)) }
            p { (reader.say(Phrase::SignInText)) }
            form method="post" action="/portal/sign-in" {
                (token(desk))
                input type="hidden" name="back" value=(desk.back());
                div.field {
                    label for="key" { (reader.say(Phrase::ApiKey)) }
                    input #key name="key" type="password" required autocomplete="current-password" spellcheck="false"
                        aria-describedby="key-hint";
                    p.hint #key-hint { (reader.say(Phrase::ApiKeyHint)) " " code { "testimony access create" } }
                }
                p.actions { button.primary type="submit" { (reader.say(Phrase::SignIn)) } }
            }
        }
    };
    Reply::Page { status: 200, title: reader.say(Phrase::SignIn).to_owned(), body }
}

/// Where somebody goes who is not let in.
pub(super) fn lead_there(desk: &Desk<'_>) -> Reply {
    match desk.method.is_safe() {
        true => Reply::Elsewhere(format!("/portal/sign-in?{}", query(&[("back", desk.here())]))),
        false => Reply::Elsewhere("/portal/sign-in".to_owned()),
    }
}

/// Lets in whoever has a key.
pub(super) fn enter(desk: &mut Desk<'_>) -> Result<Reply, Refusal> {
    let key = desk.form.text("key");
    let back = desk.back();
    match desk.sign_in(&key) {
        Ok(()) => Ok(Reply::Elsewhere(back)),
        Err(refusal) => {
            desk.leave_word(Notice::Refused(refusal));
            Ok(Reply::Elsewhere(format!("/portal/sign-in?{}", query(&[("back", &back)]))))
        }
    }
}

/// Ends the session.
pub(super) fn leave(desk: &mut Desk<'_>) -> Reply {
    desk.sign_out();
    Reply::Elsewhere("/portal/sign-in".to_owned())
}

/// Changes how one reads.
pub(super) fn prefer(desk: &mut Desk<'_>) -> Result<Reply, Refusal> {
    let back = desk.back();
    if let Some(language) = desk.form.get("language").and_then(Language::named) {
        desk.read_in(language);
    }
    let zone = desk.form.get("zone").map(Zone::parse).transpose();
    match zone {
        Ok(Some(zone)) => desk.read_times_in(zone),
        Ok(None) => {}
        Err(error) => return desk.refuse_act(Refusal::bad_input(format!("`zone`: {error}")), back),
    }
    Ok(Reply::Elsewhere(back))
}

/// Looks at another subject's memory. Its pages are other pages, so one begins with the first.
pub(super) fn switch(desk: &mut Desk<'_>) -> Result<Reply, Refusal> {
    let subject = desk.form.text("subject");
    let place = "/portal/memory".to_owned();
    match desk.look_at(&subject) {
        Ok(()) => Ok(Reply::Elsewhere(place)),
        Err(refusal) => desk.refuse_act(refusal, place),
    }
}
