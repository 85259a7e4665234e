//! The timeline: everything that happened, in the order this system came to hold it.

use maud::html;

use super::desk::{Desk, Reply};
use super::form::query;
use super::layout::more;
use super::phrases::Phrase;
use super::words::{said, value};
use super::{labels, when};
use crate::page::Page;
use crate::refusal::Refusal;
use crate::verbs::facts::ShowTimeline;

/// What happened.
pub(super) async fn show(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let cursor = desk.query.get("cursor").map(str::to_owned);
    let page = desk.ask_for::<ShowTimeline>(Page { limit: None, cursor }).await?;
    let reader = &desk.reader;
    let body = html! {
        div.heading {
            h1 { (reader.say(Phrase::Timeline)) }
            p.hint { (reader.say(Phrase::TimelineText)) }
        }
        @if page.events.is_empty() { div.empty { p { (reader.say(Phrase::NothingHere)) } } }
        ol.events {
            @for event in &page.events {
                li {
                    p.small {
                        (when::moment(reader, &event.happened.at)) " · "
                        strong { (labels::transition(reader, &event.happened.transition)) }
                    }
                    p {
                        a href=(format!("/portal/facts/{}#{}", event.fact.id, event.happened.version)) {
                            @if event.fact.entity != "self" { (said(&event.fact.entity)) " · " }
                            (labels::predicate(reader, &event.fact.predicate))
                        }
                        ": " (said(&value(&event.value)))
                    }
                    @if let Some(reason) = &event.happened.reason {
                        p.small { (reader.say(Phrase::Reason)) ": " (said(reason)) }
                    }
                }
            }
        }
        (more(desk, page.next.map(|cursor| format!("/portal/timeline?{}", query(&[("cursor", &cursor)])))))
    };
    desk.page(reader.say(Phrase::Timeline), body)
}
