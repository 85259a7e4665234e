//! Turns: what each was chosen from, what was chosen, what was used, and every reason.

use engine::answer::CandidateText;
use maud::{Markup, html};

use super::desk::{Desk, Reader, Reply};
use super::form::query;
use super::labels;
use super::language::Noun;
use super::layout::more;
use super::memory;
use super::phrases::Phrase;
use super::when;
use super::words::said;
use crate::refusal::Refusal;
use crate::verbs::ById;
use crate::verbs::turns::{ListTurns, ReplayTurn, ShowTurn, TurnsAsked};

/// Turns of a page.
const OF_A_PAGE: usize = 30;

/// The newest turns.
pub(super) async fn list(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let cursor = desk.query.get("cursor").map(str::to_owned);
    let page = desk.ask_for::<ListTurns>(TurnsAsked { limit: Some(OF_A_PAGE), cursor }).await?;
    let reader = &desk.reader;
    let count = |number, noun| reader.language.count(number, noun);
    let body = html! {
        div.heading { h1 { (reader.say(Phrase::Turns)) } p.hint { (reader.say(Phrase::TurnsText)) } }
        @if page.listed.turns.is_empty() { div.empty { p { (reader.say(Phrase::NoTurns)) } } }
        ul.items {
            @for turn in &page.listed.turns {
                li {
                    a.item href=(format!("/portal/turns/{}", turn.turn)) {
                        span.about { (labels::triage(reader, &turn.triage)) " · " (said(&turn.policy)) }
                        span.value { (when::moment(reader, &turn.at)) }
                    }
                    p.marks {
                        (count(turn.candidates, Noun::Considered)) " · " (count(turn.selected, Noun::Selected)) " · "
                        (count(turn.used, Noun::Used))
                    }
                }
            }
        }
        (more(desk, page.next.map(|cursor| format!("/portal/turns?{}", query(&[("cursor", &cursor)])))))
    };
    desk.page(reader.say(Phrase::Turns), body)
}

/// One turn.
pub(super) async fn show(desk: &Desk<'_>, id: &str) -> Result<Reply, Refusal> {
    let id = id.to_owned();
    let (turn, replayed) = desk
        .ask(move |asked| {
            let turn = asked.tell::<ShowTurn>(ById { id: id.clone() })?;
            Ok((turn, asked.tell::<ReplayTurn>(ById { id })?))
        })
        .await?;
    let reader = &desk.reader;
    let count = |number, noun| reader.language.count(number, noun);
    let whole = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let (selected, dropped): (Vec<&CandidateText>, Vec<&CandidateText>) =
        turn.candidates.iter().partition(|candidate| candidate.handle.is_some());
    let mut chosen = selected.clone();
    // In the order of the packet: handles are numbers behind a letter.
    chosen.sort_by_key(|one| one.handle.as_deref().and_then(|handle| handle.get(1..)?.parse::<usize>().ok()));
    let body = html! {
        div.heading {
            h1 { (reader.say(Phrase::Turn)) }
            p.small {
                (when::moment(reader, &turn.at)) " · " (said(&turn.policy)) " · " (reader.say(Phrase::SeenTo)) " " (turn.watermark)
            }
        }
        dl.told {
            div { dt { (reader.say(Phrase::Triage)) } dd { (labels::triage(reader, &turn.triage)) } }
            div { dt { (reader.say(Phrase::Room)) } dd {
                (count(whole(turn.budget.slots), Noun::Slot)) ", " (count(whole(turn.budget.tokens), Noun::Token))
            } }
            div { dt { (reader.say(Phrase::PacketLength)) } dd { (count(whole(turn.packet_tokens), Noun::Token)) } }
            div { dt { (reader.say(Phrase::MadeAgain)) } dd {
                @if replayed.identical { (reader.say(Phrase::Identical)) }
                @else { (reader.say(Phrase::Differs)) ": " span lang="en" { (said(&replayed.differences.join("; "))) } }
            } }
        }
        @if turn.cut > 0 {
            p.notice { (reader.say(Phrase::NotConsidered)) ": " (count(whole(turn.cut), Noun::Memory)) }
        }
        @if !turn.disputes.is_empty() { p.notice { (reader.say(Phrase::TurnShowsDispute)) } }
        section aria-labelledby="selected" {
            h2 #selected { (reader.say(Phrase::SelectedTitle)) " (" (selected.len()) ")" }
            @if selected.is_empty() { p { (reader.say(Phrase::NothingSelected)) } }
            (candidates(reader, &chosen))
        }
        section aria-labelledby="dropped" {
            h2 #dropped { (reader.say(Phrase::DroppedTitle)) " (" (dropped.len()) ")" }
            @if dropped.is_empty() { p { (reader.say(Phrase::NothingDropped)) } }
            (candidates(reader, &dropped))
        }
    };
    desk.page(reader.say(Phrase::Turn), body)
}

fn candidates(reader: &Reader, candidates: &[&CandidateText]) -> Markup {
    html! {
        ul.items {
            @for one in candidates {
                li {
                    @if let Some(handle) = &one.handle { span.handle { (handle) } " " }
                    @match &one.item {
                        Some(item) => (memory::named(reader, item)),
                        None => p.item { em { (reader.say(Phrase::ForgottenSince)) } },
                    }
                    p.marks {
                        @if let Some(why) = &one.why { span.mark { (labels::selected_because(reader, why)) } " " }
                        @if let Some(reason) = &one.reason { span.mark { (labels::dropped_because(reader, reason)) } " " }
                        @if one.used { span.mark.good { (reader.say(Phrase::WasUsed)) } " " }
                        (reader.say(Phrase::Relevance)) " " (reader.language.share(one.relevance)) " · "
                        (reader.language.count(usize::try_from(one.tokens).unwrap_or(0), Noun::Token)) " · "
                        (reader.language.count(usize::try_from(one.support).unwrap_or(0), Noun::Lineage))
                        @if one.important { " · " (reader.say(Phrase::Important)) }
                    }
                }
            }
        }
    }
}
