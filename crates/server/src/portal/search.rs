//! Search: what is remembered for a question, best first, with what each answer's score is made of.

use engine::answer::{Item, Recalled};
use maud::{Markup, html};

use super::desk::{Desk, Reader, Reply};
use super::labels;
use super::language::Noun;
use super::memory;
use super::phrases::Phrase;
use super::words::said;
use crate::refusal::Refusal;
use crate::verbs::recall::{Asking, Recall, WantedGrain};

/// Answers, at most.
const ANSWERS: usize = 30;

/// The grains, as forms write them.
const GRAINS: [(&str, WantedGrain, Phrase); 3] = [
    ("fact", WantedGrain::Fact, Phrase::GrainFact),
    ("evidence", WantedGrain::Evidence, Phrase::GrainEvidence),
    ("compiled", WantedGrain::Compiled, Phrase::GrainCompiled),
];

/// The search, and what it found.
pub(super) async fn show(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let words = desk.query.text("q");
    let wanted =
        desk.query.get("grain").and_then(|name| GRAINS.into_iter().find(|(known, ..)| *known == name));
    let (name, grain, _) = wanted.unwrap_or(GRAINS[0]);
    let asking = Asking {
        query: words.clone(),
        limit: Some(ANSWERS),
        threshold: None,
        grain,
        deep: false,
        zone: Some(desk.reader.zone.as_str().to_owned()),
        valid_at: None,
        believed_at: None,
    };
    let found = match words.is_empty() {
        true => None,
        false => Some(desk.ask_for::<Recall>(asking).await?.recalled),
    };
    let reader = &desk.reader;
    let body = html! {
        div.heading { h1 { (reader.say(Phrase::Search)) } }
        form.search method="get" action="/portal/search" role="search" {
            div.field {
                label for="q" { (reader.say(Phrase::SearchFor)) }
                input #q type="search" name="q" value=(words) required maxlength="2000" autocomplete="off";
            }
            div.field {
                label for="grain" { (reader.say(Phrase::Grain)) }
                select #grain name="grain" {
                    @for (known, _, label) in GRAINS {
                        option value=(known) selected[known == name] { (reader.say(label)) }
                    }
                }
            }
            p.actions { button.primary type="submit" { (reader.say(Phrase::Search)) } }
        }
        @if let Some(recalled) = &found { (results(reader, recalled)) }
    };
    desk.page(reader.say(Phrase::Search), body)
}

fn results(reader: &Reader, recalled: &Recalled) -> Markup {
    html! {
        section aria-labelledby="found" {
            h2 #found { (reader.say(Phrase::Found)) }
            p role="status" {
                @if recalled.items.is_empty() {
                    (labels::negative(reader, recalled.negative.as_deref().unwrap_or_default()))
                } @else {
                    (reader.language.count(recalled.items.len(), Noun::Memory))
                    @if recalled.truncated { ", " (reader.say(Phrase::MoreMatch)) }
                    " · " (reader.say(Phrase::SeenTo)) " " (recalled.watermark)
                }
            }
            @for told in recalled.degraded.iter().chain(&recalled.notices) {
                p.small { (reader.say(Phrase::Without)) ": " span lang="en" { (said(told)) } }
            }
            ul.items {
                @for item in &recalled.items {
                    li { (memory::one(reader, item)) (signals(reader, item)) }
                }
            }
        }
    }
}

/// What a score is made of.
fn signals(reader: &Reader, item: &Item) -> Markup {
    html! {
        details.signals {
            summary { (reader.say(Phrase::Score)) " " (reader.language.share(item.score)) }
            dl.told {
                @for (name, value) in &item.signals {
                    div { dt lang="en" { (said(name)) } dd { (said(&super::words::value(value))) } }
                }
            }
        }
    }
}
