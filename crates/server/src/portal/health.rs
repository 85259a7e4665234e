//! Health: how much is remembered, what answers have to do without, and what is in force. Nothing of other subjects.

use maud::{Markup, html};

use super::desk::{Desk, Reply};
use super::language::Noun;
use super::phrases::Phrase;
use super::when;
use super::words::said;
use crate::access::Right;
use crate::refusal::Refusal;
use crate::verbs::Nothing;
use crate::verbs::deployment::{ListPolicies, Verify};

/// How the memory is.
pub(super) async fn show(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let verifies = desk.query.get("verify").is_some() && desk.may(Right::Admin);
    let told = desk
        .ask(move |asked| {
            asked.caller.must(Right::Read)?;
            let (engine, call) = (asked.engine, asked.call());
            let (held, watermark) = engine.held_now(call)?;
            let disputes = engine.disputes(call, None, None)?.disputes.len();
            let sources = engine.sources(call)?.sources;
            let vectors = engine.embed_progress(call)?;
            let policies = asked.tell::<ListPolicies>(Nothing {})?;
            let verified = verifies.then(|| asked.tell::<Verify>(Nothing {})).transpose()?;
            let shadow = engine.shadow().map(engine::shadow::Lane::status);
            Ok((held, watermark, disputes, sources, vectors, policies, verified, shadow))
        })
        .await?;
    let (held, watermark, disputes, sources, vectors, policies, verified, shadow) = told;
    let reader = &desk.reader;
    let count = |number, noun| reader.language.count(number, noun);
    let claims = sources.iter().map(|source| source.claims).sum();
    let row = |label, body: Markup| html! { div { dt { (reader.say(label)) } dd { (body) } } };
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let body = html! {
        div.heading { h1 { (reader.say(Phrase::Health)) } }
        section aria-labelledby="holds" {
            h2 #holds { (reader.say(Phrase::HowMuch)) }
            dl.told {
                (row(Phrase::Watermark, html! { (watermark) }))
                (row(Phrase::HoldsNow, html! { (count(held, Noun::Memory)) }))
                (row(Phrase::Sources, html! { (count(sources.len(), Noun::Source)) ", " (count(claims, Noun::Claim)) }))
                (row(Phrase::Disputes, html! { (count(disputes, Noun::Dispute)) }))
            }
        }
        section aria-labelledby="finds" {
            h2 #finds { (reader.say(Phrase::HowItFinds)) }
            dl.told {
                (row(Phrase::Model, match vectors.model.is_empty() {
                    true => html! { (reader.say(Phrase::NoModel)) },
                    false => html! { (said(&vectors.model)) },
                }))
                @if !vectors.model.is_empty() {
                    (row(Phrase::WithoutVector, html! {
                        (reader.language.number(whole(vectors.missing))) " / " (reader.language.number(whole(vectors.total)))
                    }))
                }
                @for notice in &vectors.notices { (row(Phrase::Without, html! { span lang="en" { (said(notice)) } })) }
            }
        }
        section aria-labelledby="force" {
            h2 #force { (reader.say(Phrase::InForce)) }
            dl.told {
                (row(Phrase::Policy, html! { (said(&policies.in_force)) }))
                @for policy in policies.policies.iter().filter(|policy| policy.in_force) {
                    (row(Phrase::WhatItDoes, html! { span lang="en" { (said(&policy.summary)) } }))
                }
                (row(Phrase::ShadowLane, match &shadow {
                    None => html! { (reader.say(Phrase::NoShadow)) },
                    Some(lane) if lane.switched_off => html! { (reader.say(Phrase::ShadowOff)) },
                    Some(lane) => html! {
                        (reader.say(Phrase::ShadowTries)) " " (lane.candidate.to_string()) ", "
                        (reader.language.share(f64::from(lane.sample_per_mille) / 10.0)) " %"
                    },
                }))
            }
        }
        @if desk.may(Right::Admin) {
            section aria-labelledby="sound" {
                h2 #sound { (reader.say(Phrase::Sound)) }
                @if let Some(verified) = &verified {
                    div.notice.alert[!verified.ok] role="status" {
                        p { strong { (reader.say(if verified.ok { Phrase::AllSound } else { Phrase::Damage })) } }
                        p { (count(whole(verified.rows), Noun::Row)) ", " (count(whole(verified.quotes), Noun::Claim)) ", "
                            (count(whole(verified.facts), Noun::Fact)) ", " (count(verified.damage.len(), Noun::Problem)) }
                        @for damage in &verified.damage { p lang="en" { (said(&damage.place)) ": " (said(&damage.what)) } }
                    }
                }
                form method="get" action="/portal/health" {
                    input type="hidden" name="verify" value="yes";
                    p.actions { button type="submit" { (reader.say(Phrase::CheckAll)) } }
                }
            }
        }
        @if desk.may(Right::Forget) {
            section aria-labelledby="everything" {
                h2 #everything { (reader.say(Phrase::ForgetEverything)) }
                p { (reader.say(Phrase::ForgetEverythingText)) }
                p.actions { a.button href="/portal/forget?everything=yes" { (reader.say(Phrase::DryRun)) } }
            }
        }
        p.small { (reader.say(Phrase::ToldAt)) " " (when::in_words(reader, desk.now)) }
    };
    desk.page(reader.say(Phrase::Health), body)
}
