//! Disputes: what contradicts itself, side by side, with the act that ends it.

use std::collections::BTreeMap;

use engine::answer::{ClaimText, Dispute, VersionText, Why};
use maud::{Markup, html};

use super::desk::{Desk, Reply};
use super::form::query;
use super::language::Noun;
use super::layout::{more, token};
use super::notice::Notice;
use super::phrases::Phrase;
use super::words::{said, value};
use super::{claims, labels, when};
use crate::access::Right;
use crate::page::PageAsOf;
use crate::refusal::Refusal;
use crate::verbs::ById;
use crate::verbs::disputes::{Decision, ListDisputes, ResolveDispute};
use crate::verbs::evidence::ShowReceipt;

/// Disputes of a page.
const OF_A_PAGE: usize = 20;

/// Claims shown of each side, at most.
const CLAIMS_MAX: usize = 3;

/// A dispute with the receipts of its sides.
struct Sides {
    dispute: Dispute,
    why: Why,
    /// The claims behind each version.
    behind: BTreeMap<String, Vec<String>>,
}

/// The disputes of now.
pub(super) async fn show(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let cursor = desk.query.get("cursor").map(str::to_owned);
    let (found, next) = desk
        .ask(move |asked| {
            let input = PageAsOf { limit: Some(OF_A_PAGE), cursor, ..PageAsOf::default() };
            let page = asked.tell::<ListDisputes>(input)?;
            let mut found = Vec::new();
            for dispute in page.disputes {
                let why = asked.tell::<ShowReceipt>(ById { id: dispute.fact.id.clone() })?;
                let lives = asked.engine.lives(asked.call(), &dispute.fact.id)?;
                let behind = lives.into_iter().map(|life| (life.version, life.claims)).collect();
                found.push(Sides { dispute, why, behind });
            }
            Ok((found, page.next))
        })
        .await?;
    let reader = &desk.reader;
    let body = html! {
        div.heading { h1 { (reader.say(Phrase::Disputes)) } p.hint { (reader.say(Phrase::DisputesText)) } }
        @if found.is_empty() { div.empty { p { (reader.say(Phrase::NoDisputes)) } } }
        @for sides in &found { (one(desk, sides)) }
        (more(desk, next.map(|cursor| format!("/portal/disputes?{}", query(&[("cursor", &cursor)])))))
    };
    desk.page(reader.say(Phrase::Disputes), body)
}

fn one(desk: &Desk<'_>, sides: &Sides) -> Markup {
    let reader = &desk.reader;
    let fact = &sides.dispute.fact;
    let may = desk.may(Right::Write);
    let versions = html! {
        div.sides {
            @for version in &sides.dispute.versions { (side(desk, sides, version, may)) }
        }
    };
    html! {
        section.dispute aria-labelledby=(format!("dispute-{}", fact.id)) {
            h2 #(format!("dispute-{}", fact.id)) {
                a href=(format!("/portal/facts/{}", fact.id)) {
                    @if fact.entity != "self" { (said(&fact.entity)) " · " }
                    (labels::predicate(reader, &fact.predicate))
                }
            }
            @if may {
                form method="post" action="/portal/disputes" {
                    (token(desk))
                    input type="hidden" name="fact" value=(fact.id);
                    fieldset {
                        legend { (reader.say(Phrase::WhichHolds)) }
                        (versions)
                    }
                    div.field {
                        label for=(format!("reason-{}", fact.id)) { (reader.say(Phrase::ReasonWhy)) }
                        textarea #(format!("reason-{}", fact.id)) name="reason" required rows="2" maxlength="2000" {}
                    }
                    p.actions { button.primary type="submit" { (reader.say(Phrase::Decide)) } }
                }
            } @else { (versions) }
        }
    }
}

fn side(desk: &Desk<'_>, sides: &Sides, version: &VersionText, may: bool) -> Markup {
    let reader = &desk.reader;
    let none = Vec::new();
    let behind = sides.behind.get(&version.id).unwrap_or(&none);
    let told: Vec<&ClaimText> =
        sides.why.claims.iter().filter(|claim| behind.contains(&claim.claim)).collect();
    html! {
        div.card {
            @if may {
                label.choice {
                    input type="radio" name="keep" value=(version.id) required;
                    " " span.value { (said(&value(&version.value))) }
                }
            } @else { p.value { (said(&value(&version.value))) } }
            p.small {
                (when::span(reader, &version.validity)) " · " (reader.language.count(version.support, Noun::Lineage))
            }
            @for claim in told.iter().take(CLAIMS_MAX) {
                (claims::claim(reader, claim, sides.why.evidence.iter().find(|one| one.evidence == claim.evidence)))
            }
            @if told.len() > CLAIMS_MAX {
                p.small { (reader.say(Phrase::AndMore)) " " (reader.language.count(told.len() - CLAIMS_MAX, Noun::Claim)) }
            }
        }
    }
}

/// Decides a dispute.
pub(super) async fn resolve(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let place = "/portal/disputes".to_owned();
    let (id, keep, reason) = (desk.form.text("fact"), desk.form.text("keep"), desk.form.text("reason"));
    if keep.is_empty() || reason.is_empty() {
        let refusal = Refusal::bad_input("a dispute is decided by saying which side is kept, and why");
        return desk.refuse_act(refusal, place);
    }
    match desk.ask_for::<ResolveDispute>(Decision { id, keep, reason }).await {
        Ok(resolved) => {
            desk.leave_word(Notice::Resolved);
            Ok(Reply::Elsewhere(format!("/portal/facts/{}", resolved.fact)))
        }
        Err(refusal) => desk.refuse_act(refusal, place),
    }
}
