//! A fact: what it holds and held on both clocks, the words behind each version, and everything that happened to it.

use std::collections::BTreeMap;

use engine::answer::{ClaimText, EvidenceText, History, VersionText, Why};
use engine::lives::Life;
use maud::{Markup, html};

use super::desk::{Desk, Reader, Reply};
use super::phrases::Phrase;
use super::words::{flat, said, value};
use super::{chart, claims, labels, when};
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verbs::ById;
use crate::verbs::evidence::ShowReceipt;
use crate::verbs::facts::ShowHistory;

/// Claims shown of a version, at most: the newest.
const CLAIMS_MAX: usize = 12;

/// A fact, by its id or that of one of its versions.
pub(super) async fn show(desk: &Desk<'_>, id: &str) -> Result<Reply, Refusal> {
    let id = id.to_owned();
    let (history, lives, why) = desk
        .ask(move |asked| {
            let history = asked.tell::<ShowHistory>(ById { id: id.clone() })?;
            let why = asked.tell::<ShowReceipt>(ById { id: history.fact.id.clone() })?;
            let lives = asked.engine.lives(asked.call(), &id)?;
            Ok((history, lives, why))
        })
        .await?;
    let reader = &desk.reader;
    let fact = &history.fact;
    let predicate = labels::predicate(reader, &fact.predicate);
    let values: Vec<String> = lives
        .iter()
        .map(|life| history.versions.iter().find(|version| version.id == life.version))
        .map(|version| version.map(|version| value(&version.value)).unwrap_or_default())
        .collect();
    let current: Vec<&VersionText> = history.versions.iter().filter(|version| version.current).collect();
    let in_dispute = current.iter().any(|version| version.dispute.is_some());
    let title = match fact.entity.as_str() {
        "self" => predicate.clone(),
        entity => format!("{entity} · {predicate}"),
    };
    let body = html! {
        div.heading {
            h1 { (said(&title)) }
            p.small { span.mark { (labels::realm(reader, &fact.realm)) } " " (reader.say(Phrase::SeenTo)) " " (history.watermark) }
        }
        @if in_dispute {
            p.notice { (reader.say(Phrase::DisputedNow)) " " a href="/portal/disputes" { (reader.say(Phrase::SeeDisputes)) } }
        }
        section aria-labelledby="now" {
            h2 #now { (reader.say(Phrase::HoldsNow)) }
            @if current.is_empty() { p { (reader.say(Phrase::HoldsNothing)) } }
            @for version in &current { (standing(desk, fact.realm == "owner", version)) }
        }
        section aria-labelledby="clocks" {
            h2 #clocks { (reader.say(Phrase::TwoClocksTitle)) }
            figure {
                (chart::draw(reader, &lives, &values, desk.now))
                figcaption.hint { (reader.say(Phrase::ChartCaption)) }
            }
            (table(reader, &history, &lives))
        }
        section aria-labelledby="receipts" {
            h2 #receipts { (reader.say(Phrase::Receipts)) }
            @for (place, life) in lives.iter().enumerate().rev() {
                (receipt(reader, place, life, &values[place], &history, &why))
            }
        }
        section aria-labelledby="happened" {
            h2 #happened { (reader.say(Phrase::WhatHappened)) }
            (transitions(reader, &history, &lives, &values))
        }
        @if desk.may(Right::Forget) {
            p.actions { a.button.danger href=(format!("/portal/forget?id={}", fact.id)) { (reader.say(Phrase::ForgetFact)) } }
        }
    };
    desk.page(flat(&title), body)
}

/// A version that holds now, with what can be done about it.
fn standing(desk: &Desk<'_>, is_owners: bool, version: &VersionText) -> Markup {
    let reader = &desk.reader;
    html! {
        div.card {
            p.value { (said(&value(&version.value))) }
            p.small {
                (when::span(reader, &version.validity)) " · "
                (reader.language.count(version.support, super::language::Noun::Lineage)) " · "
                (labels::fidelity(reader, &version.fidelity))
            }
            p.actions {
                @if is_owners && desk.may(Right::Write) {
                    a.button href=(format!("/portal/memories/{}/correct", version.id)) { (reader.say(Phrase::Correct)) }
                }
                @if desk.may(Right::Forget) {
                    a.button.danger href=(format!("/portal/forget?id={}", version.id)) { (reader.say(Phrase::Forget)) }
                }
            }
        }
    }
}

/// What the chart shows, state by state.
fn table(reader: &Reader, history: &History, lives: &[Life]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby="states" {
            table {
                caption #states { (reader.say(Phrase::StatesCaption)) }
                thead { tr {
                    th scope="col" { (reader.say(Phrase::Version)) }
                    th scope="col" { (reader.say(Phrase::Value)) }
                    th scope="col" { (reader.say(Phrase::TrueInTheWorld)) }
                    th scope="col" { (reader.say(Phrase::HeldByThisSystem)) }
                    th scope="col" { (reader.say(Phrase::State)) }
                } }
                tbody {
                    @for (place, life) in lives.iter().enumerate() {
                        @let version = history.versions.iter().find(|version| version.id == life.version);
                        @for state in &life.states {
                            tr {
                                th scope="row" { (place + 1) }
                                td { @if let Some(version) = version { (said(&value(&version.value))) } }
                                td { (when::span(reader, &state.validity)) }
                                td { (when::span(reader, &state.belief)) }
                                td { (labels::transition(reader, &state.transition)) ", " (labels::standing(reader, &state.standing)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The words behind a version.
fn receipt(reader: &Reader, place: usize, life: &Life, told: &str, history: &History, why: &Why) -> Markup {
    let known: BTreeMap<&str, &ClaimText> =
        why.claims.iter().map(|claim| (claim.claim.as_str(), claim)).collect();
    let evidence: BTreeMap<&str, &EvidenceText> =
        why.evidence.iter().map(|evidence| (evidence.evidence.as_str(), evidence)).collect();
    let behind: Vec<&ClaimText> =
        life.claims.iter().rev().filter_map(|claim| known.get(claim.as_str()).copied()).collect();
    let is_current = history.versions.iter().any(|version| version.id == life.version && version.current);
    html! {
        details.version #(life.version) open[is_current] {
            summary {
                span.number-of { (place + 1) } " "
                span.value { (said(told)) }
                @if is_current { " " span.mark { (reader.say(Phrase::HoldsNow)) } }
            }
            @for claim in behind.iter().take(CLAIMS_MAX) {
                (claims::claim(reader, claim, evidence.get(claim.evidence.as_str()).copied()))
            }
            @if behind.len() > CLAIMS_MAX {
                p.small {
                    (reader.say(Phrase::AndMore)) " "
                    (reader.language.count(behind.len() - CLAIMS_MAX, super::language::Noun::Claim))
                }
            }
            @if behind.is_empty() { p { (reader.say(Phrase::WordsGone)) } }
        }
    }
}

fn transitions(reader: &Reader, history: &History, lives: &[Life], values: &[String]) -> Markup {
    html! {
        ol.events {
            @for one in &history.transitions {
                @let place = lives.iter().position(|life| life.version == one.version);
                li {
                    p {
                        strong { (labels::transition(reader, &one.transition)) } " · "
                        @if let Some(place) = place {
                            (reader.say(Phrase::Version)) " " (place + 1) ": " (said(&values[place]))
                        }
                    }
                    p.small {
                        (when::moment(reader, &one.at)) " · " (reader.say(Phrase::TrueInTheWorld)) " "
                        (when::span(reader, &one.validity))
                    }
                    @if let Some(reason) = &one.reason {
                        p { (reader.say(Phrase::Reason)) ": " (said(reason))
                            @if let Some(by) = &one.by { " (" (said(by)) ")" } }
                    }
                }
            }
        }
    }
}
