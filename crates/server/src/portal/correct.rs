//! Correcting: new words, what they would do, and then the act.
//!
//! The new words wait here between the form and its preview, so that they stand in no address and the way back works.

use engine::answer::CorrectionForeseen;
use maud::{Markup, html};

use super::desk::{Desk, Reader, Reply};
use super::layout::token;
use super::notice::Notice;
use super::phrases::Phrase;
use super::session::Draft;
use super::words::{said, value};
use super::{labels, when};
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verbs::ById;
use crate::verbs::entries::{Correct, Correction};
use crate::verbs::facts::ShowHistory;

/// The form, and the preview of what was written into it.
pub(super) async fn show(desk: &Desk<'_>, id: &str) -> Result<Reply, Refusal> {
    let draft = desk.draft(id);
    let (version, text) = (id.to_owned(), draft.as_ref().map(|draft| draft.text.clone()));
    let (history, foreseen) = desk
        .ask(move |asked| {
            asked.caller.must(Right::Write)?;
            let history = asked.tell::<ShowHistory>(ById { id: version.clone() })?;
            let foreseen = text.map(|text| asked.engine.foresee_correction(asked.call(), &version, &text));
            Ok((history, foreseen.transpose().map_err(Refusal::from)))
        })
        .await?;
    let reader = &desk.reader;
    let stands =
        history.versions.iter().find(|version| version.id == id).ok_or_else(|| Refusal::not_found(id))?;
    let place = format!("/portal/memories/{id}/correct");
    let written = draft.map(|draft| draft.text).unwrap_or_default();
    let body = html! {
        div.heading {
            h1 { (reader.say(Phrase::CorrectTitle)) }
            p.small {
                a href=(format!("/portal/facts/{}", history.fact.id)) {
                    @if history.fact.entity != "self" { (said(&history.fact.entity)) " · " }
                    (labels::predicate(reader, &history.fact.predicate))
                }
            }
        }
        div.card {
            p.small { (reader.say(Phrase::StandsNow)) }
            p.value { (said(&value(&stands.value))) }
            p.small { (when::span(reader, &stands.validity)) }
        }
        form method="post" action=(place) {
            (token(desk))
            div.field {
                label for="text" { (reader.say(Phrase::WhatIsRight)) }
                textarea #text name="text" required rows="3" maxlength="600" aria-describedby="text-hint" { (written) }
                p.hint #text-hint { (reader.say(Phrase::WhatIsRightHint)) }
            }
            p.actions { button type="submit" name="act" value="preview" { (reader.say(Phrase::SeeWhatHappens)) } }
        }
        @match &foreseen {
            Ok(None) => {},
            Ok(Some(foreseen)) => (preview(desk, &place, &written, foreseen)),
            Err(refusal) => (Notice::Refused(refusal.clone()).markup(reader)),
        }
    };
    desk.page(reader.say(Phrase::CorrectTitle), body)
}

fn preview(desk: &Desk<'_>, place: &str, written: &str, foreseen: &CorrectionForeseen) -> Markup {
    let reader = &desk.reader;
    let is_taken = foreseen.refused.is_empty() && foreseen.failed.is_empty();
    html! {
        section.preview aria-labelledby="preview" {
            h2 #preview { (reader.say(Phrase::DryRun)) }
            @if is_taken {
                (foreseen_lists(reader, foreseen))
                form method="post" action=(place) {
                    (token(desk))
                    input type="hidden" name="text" value=(written);
                    p.actions {
                        button.primary type="submit" name="act" value="correct" { (reader.say(Phrase::CorrectNow)) }
                        a href=(format!("/portal/facts/{}", foreseen.fact.id)) { (reader.say(Phrase::LeaveAsItIs)) }
                    }
                }
            } @else {
                div.notice.alert role="alert" {
                    p { strong { (reader.say(Phrase::WouldBeRefused)) } }
                    @for one in &foreseen.refused { p lang="en" { code { (one.code) } ": " (said(&one.detail)) } }
                    @for one in &foreseen.failed { p lang="en" { (said(&one.detail)) } }
                }
            }
        }
    }
}

fn foreseen_lists(reader: &Reader, foreseen: &CorrectionForeseen) -> Markup {
    let new = foreseen.admitted.iter().filter(|one| one.op == "assert");
    html! {
        dl.fates {
            div {
                dt { (reader.say(Phrase::Ends)) }
                dd { (said(&value(&foreseen.version.value))) p.small { (reader.say(Phrase::StaysInHistory)) } }
            }
            div {
                dt { (reader.say(Phrase::Begins)) }
                @for one in new { dd { (said(&value(&one.value))) } }
            }
            div {
                dt { (reader.say(Phrase::KeptAsEvidence)) }
                dd { blockquote { (said(&foreseen.text)) } }
            }
        }
    }
}

/// Keeps the draft for its preview; or corrects, where that is what was asked for.
pub(super) async fn act(desk: &Desk<'_>, id: &str) -> Result<Reply, Refusal> {
    let place = format!("/portal/memories/{id}/correct");
    let text = desk.form.text("text");
    if desk.form.get("act") != Some("correct") {
        desk.keep_draft(Some(Draft { version: id.to_owned(), text }));
        return Ok(Reply::Elsewhere(format!("{place}#preview")));
    }
    match desk.ask_for::<Correct>(Correction { id: id.to_owned(), text: text.clone() }).await {
        Ok(corrected) => {
            let refused = corrected.observed.refused.first();
            let failed = corrected.observed.failed.first();
            let detail = refused.map(|one| &one.detail).or(failed.map(|one| &one.detail));
            if let Some(detail) = detail {
                return desk.refuse_act(Refusal::bad_input(detail), place);
            }
            desk.keep_draft(None);
            desk.leave_word(Notice::Corrected);
            // A fact of many values is another fact with another value.
            let fact = corrected.observed.admitted.last().map(|one| one.fact.clone()).unwrap_or_default();
            Ok(Reply::Elsewhere(format!("/portal/facts/{fact}")))
        }
        Err(refusal) => desk.refuse_act(refusal, place),
    }
}
