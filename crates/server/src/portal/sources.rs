//! Sources: where words come from, what each said, and one message whole.

use std::ops::Range;

use engine::export::SourceListed;
use maud::{Markup, html};

use super::claims::quotes;
use super::desk::{Desk, Reader, Reply};
use super::form::query;
use super::language::Noun;
use super::layout::more;
use super::phrases::Phrase;
use super::words::{flat, marked, said};
use super::{claims, cut, labels, when};
use crate::access::Right;
use crate::page::Page;
use crate::refusal::Refusal;
use crate::verbs::ById;
use crate::verbs::evidence::{ListSources, ShowReceipt, ShowSource, SourceAsked};

/// Messages of a page.
const OF_A_PAGE: usize = 50;

/// Bytes of a message in a list, at most.
const EXCERPT_BYTES: usize = 600;

/// Bytes of a message on its own page, at most.
const MESSAGE_BYTES: usize = 200_000;

/// Claims told of a message, at most.
const CLAIMS_MAX: usize = 100;

/// Every source.
pub(super) async fn list(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let cursor = desk.query.get("cursor").map(str::to_owned);
    let page = desk.ask_for::<ListSources>(Page { limit: None, cursor }).await?;
    let reader = &desk.reader;
    let body = html! {
        div.heading { h1 { (reader.say(Phrase::Sources)) } p.hint { (reader.say(Phrase::SourcesText)) } }
        @if page.sources.is_empty() { div.empty { p { (reader.say(Phrase::NoSources)) } } }
        ul.items {
            @for source in &page.sources {
                li {
                    a.item href=(format!("/portal/sources/{}", source.id)) {
                        span.about { (labels::source_kind(reader, &source.kind)) }
                        span.value { (said(name(source))) }
                    }
                    p.marks { (nature(reader, source)) }
                }
            }
        }
        (more(desk, page.next.map(|cursor| format!("/portal/sources?{}", query(&[("cursor", &cursor)])))))
    };
    desk.page(reader.say(Phrase::Sources), body)
}

fn name(source: &SourceListed) -> &str {
    source.title.as_deref().unwrap_or(&source.reference)
}

/// What sort of source it is, and how much rests on it.
fn nature(reader: &Reader, source: &SourceListed) -> Markup {
    html! {
        (reader.language.count(source.claims, Noun::Claim)) " · "
        (labels::fidelity(reader, &source.fidelity)) " · "
        (labels::mode(reader, &source.mode)) " · "
        (labels::retention(reader, &source.retention))
        @if let Some(origin) = &source.lineage {
            " · " a href=(format!("/portal/sources/{origin}")) { (reader.say(Phrase::CopyOf)) }
        }
    }
}

/// One source.
pub(super) async fn show(desk: &Desk<'_>, id: &str) -> Result<Reply, Refusal> {
    let cursor = desk.query.get("cursor").map(str::to_owned);
    let input = SourceAsked { id: id.to_owned(), limit: Some(OF_A_PAGE), cursor };
    let page = desk.ask_for::<ShowSource>(input).await?;
    let reader = &desk.reader;
    let source = &page.source;
    let next = page
        .next
        .as_ref()
        .map(|cursor| format!("/portal/sources/{}?{}", source.id, query(&[("cursor", cursor)])));
    let body = html! {
        div.heading {
            h1 { (said(name(source))) }
            p.small { (labels::source_kind(reader, &source.kind)) " " (said(&source.reference)) }
            p.small { (nature(reader, source)) }
        }
        section aria-labelledby="said" {
            h2 #said { (reader.say(Phrase::WhatItSaid)) }
            @if page.messages.is_empty() { p { (reader.say(Phrase::NothingHere)) } }
            ul.items {
                @for message in &page.messages {
                    @let evidence = &message.evidence;
                    li {
                        a.item href=(format!("/portal/evidence/{}", evidence.evidence)) {
                            span.about {
                                (labels::author(reader, &evidence.author)) ", " (when::moment(reader, &evidence.event_time))
                            }
                            span.words { (excerpt(reader, evidence.text.as_deref())) }
                        }
                        p.marks { (reader.language.count(message.claims, Noun::Claim)) }
                    }
                }
            }
        }
        (more(desk, next))
        @if desk.may(Right::Forget) {
            p.actions { a.button.danger href=(format!("/portal/forget?id={}", source.id)) { (reader.say(Phrase::ForgetSource)) } }
        }
    };
    desk.page(flat(name(source)), body)
}

fn excerpt(reader: &Reader, text: Option<&str>) -> Markup {
    html! {
        @match text {
            None => em { (reader.say(Phrase::OnlyQuotesKept)) },
            Some(text) => {
                @let (beginning, more) = cut::beginning(text, EXCERPT_BYTES);
                (said(beginning)) @if more { " …" }
            }
        }
    }
}

/// One message whole, with everything marked in it that a memory quotes.
pub(super) async fn show_message(desk: &Desk<'_>, id: &str) -> Result<Reply, Refusal> {
    if !id.starts_with("ev_") {
        return Err(Refusal::not_found(id));
    }
    let message = id.to_owned();
    let (why, facts) = desk
        .ask(move |asked| {
            let why = asked.tell::<ShowReceipt>(ById { id: message })?;
            let mut facts = Vec::new();
            for claim in why.claims.iter().take(CLAIMS_MAX) {
                facts.push(asked.tell::<ShowReceipt>(ById { id: claim.claim.clone() })?.fact);
            }
            Ok((why, facts))
        })
        .await?;
    let reader = &desk.reader;
    let evidence = why.evidence.first().ok_or_else(|| Refusal::not_found(id))?;
    let body = html! {
        div.heading {
            h1 { (reader.say(Phrase::Message)) }
            p.small {
                strong { (labels::author(reader, &evidence.author)) } ", " (when::moment(reader, &evidence.event_time)) " · "
                a href=(format!("/portal/sources/{}", evidence.source.id)) {
                    (labels::source_kind(reader, &evidence.source.kind)) " " (said(&evidence.source.reference))
                }
            }
        }
        section aria-labelledby="words" {
            h2 #words { (reader.say(Phrase::Words)) }
            @match evidence.text.as_deref() {
                None => p { (reader.say(Phrase::OnlyQuotesKept)) },
                Some(text) => {
                    @let (beginning, more) = cut::beginning(text, MESSAGE_BYTES);
                    @let stretches: Vec<Range<usize>> = why.claims.iter().flat_map(quotes)
                        .filter(|(quote, start, end)| text.get(*start..*end) == Some(*quote))
                        .map(|(_, start, end)| start..end).collect();
                    blockquote.whole { (marked(beginning, &stretches)) }
                    @if more { p.notice { (reader.say(Phrase::CutHere)) } }
                }
            }
            dl.told {
                div { dt { (reader.say(Phrase::FirstSeen)) } dd { (when::moment(reader, &evidence.observed_at)) } }
                div { dt { (reader.say(Phrase::Hash)) } dd {
                    @match &evidence.hash { Some(hash) => code { (hash) }, None => (reader.say(Phrase::HashGone)) }
                } }
            }
        }
        section aria-labelledby="claims" {
            h2 #claims { (reader.say(Phrase::ClaimsOnIt)) }
            @if why.claims.is_empty() { p { (reader.say(Phrase::NoClaims)) } }
            ul.items {
                @for (claim, fact) in why.claims.iter().zip(&facts) {
                    @if let Some(fact) = fact {
                        li {
                            a.item href=(format!("/portal/facts/{}", fact.id)) {
                                span.about {
                                    @if fact.entity != "self" { (said(&fact.entity)) " · " }
                                    (labels::predicate(reader, &fact.predicate))
                                }
                                span.words { @for (quote, ..) in quotes(claim) { (said(quote)) " " } }
                            }
                            p.marks { (claims::nature(reader, claim)) }
                        }
                    }
                }
            }
            @if why.claims.len() > CLAIMS_MAX {
                p.small { (reader.say(Phrase::AndMore)) " " (reader.language.count(why.claims.len() - CLAIMS_MAX, Noun::Claim)) }
            }
        }
        @if desk.may(Right::Forget) {
            p.actions {
                a.button.danger href=(format!("/portal/forget?id={}", evidence.evidence)) { (reader.say(Phrase::ForgetMessage)) }
            }
        }
    };
    desk.page(reader.say(Phrase::Message), body)
}
