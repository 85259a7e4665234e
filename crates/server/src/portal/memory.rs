//! The memory: what holds, by class; now, or at another moment on both clocks.

use std::collections::BTreeMap;

use engine::answer::Item;
use ledger::registry::{Class, Registry};
use maud::{Markup, html};

use super::desk::{Desk, Reader, Reply};
use super::form::query;
use super::labels;
use super::language::Noun;
use super::layout::more;
use super::moments;
use super::phrases::Phrase;
use super::when;
use super::words::{said, value};
use crate::page::PageAsOf;
use crate::refusal::Refusal;
use crate::verbs::entries::{ListEntries, Listing};
use crate::verbs::facts::ShowState;

/// The classes, in the order they are shown.
pub(super) const CLASSES: [Class; 7] = [
    Class::Identity,
    Class::Constraint,
    Class::Preference,
    Class::Project,
    Class::Relationship,
    Class::World,
    Class::Note,
];

/// Memories of each class on the first page.
const OF_EACH: usize = 8;

/// Memories of a page of one class, or of one moment.
const OF_A_PAGE: usize = 100;

/// Memories of one class.
struct Shelf {
    class: Class,
    items: Vec<Item>,
    truncated: bool,
}

/// The memory.
pub(super) async fn show(desk: &Desk<'_>) -> Result<Reply, Refusal> {
    let asked = moments::Asked::read(desk)?;
    let class = desk.query.get("class").map(str::to_owned);
    let cursor = desk.query.get("cursor").map(str::to_owned);
    let (reader, now) = (&desk.reader, asked.is_now());
    let one = match &class {
        None => None,
        Some(name) => Some(class_named(name).ok_or_else(|| Refusal::not_found(name))?),
    };
    let found = desk
        .ask(move |caller| {
            let changes = caller.engine.changes(caller.call())?;
            let (shelves, next, watermark) = match (now, one) {
                (false, _) => {
                    let state = PageAsOf {
                        valid_at: asked.valid_at.map(|instant| instant.to_string()),
                        believed_at: asked.believed_at.map(|instant| instant.to_string()),
                        limit: Some(OF_A_PAGE),
                        cursor,
                    };
                    let page = caller.tell::<ShowState>(state)?;
                    let watermark = page.held.watermark;
                    (sorted(caller.engine.registry(), page.held.items), page.next, watermark)
                }
                (true, Some(class)) => {
                    let kind = class.as_str().to_owned();
                    let listing = Listing { kind, limit: Some(OF_A_PAGE), cursor, world: true };
                    let page = caller.tell::<ListEntries>(listing)?;
                    let watermark = page.listed.watermark;
                    let truncated = page.listed.truncated;
                    (vec![Shelf { class, items: page.listed.items, truncated }], page.next, watermark)
                }
                (true, None) => {
                    let mut shelves = Vec::new();
                    let mut watermark = 0;
                    for class in CLASSES {
                        let kind = class.as_str().to_owned();
                        let listing = Listing { kind, limit: Some(OF_EACH), cursor: None, world: true };
                        let listed = caller.tell::<ListEntries>(listing)?.listed;
                        watermark = listed.watermark;
                        shelves.push(Shelf { class, items: listed.items, truncated: listed.truncated });
                    }
                    (shelves, None, watermark)
                }
            };
            Ok((shelves, next, watermark, moments::of_changes(&changes)))
        })
        .await?;
    let (shelves, next, watermark, (validity, belief)) = found;
    let nothing = shelves.iter().all(|shelf| shelf.items.is_empty());
    let next = next.map(|cursor| {
        let mut fields = vec![("cursor", cursor)];
        fields.extend(class.map(|class| ("class", class)));
        fields.extend(asked.valid_at.map(|instant| ("valid_at", instant.to_string())));
        fields.extend(asked.believed_at.map(|instant| ("believed_at", instant.to_string())));
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        format!("/portal/memory?{}", query(&fields))
    });
    let title = one.map_or(reader.say(Phrase::Memory), |class| labels::class(reader, class));
    let body = html! {
        div.heading {
            h1 { (title) }
            p.small { (reader.say(Phrase::SeenTo)) " " (watermark) }
        }
        (moments::form(desk, asked, &validity, &belief))
        @if !now { (moment_told(reader, asked)) }
        @if one.is_some() { p { a href="/portal/memory" { (reader.say(Phrase::EveryClass)) } } }
        @if nothing {
            div.empty {
                p { (reader.say(Phrase::NothingHere)) }
                @if now { p { (reader.say(Phrase::NothingRemembered)) } }
            }
        }
        @for shelf in shelves.iter().filter(|shelf| !shelf.items.is_empty()) {
            section.shelf aria-labelledby=(format!("class-{}", shelf.class.as_str())) {
                h2 #(format!("class-{}", shelf.class.as_str())) { (labels::class(reader, shelf.class)) }
                (items(reader, &shelf.items))
                @if shelf.truncated && one.is_none() {
                    p { a href=(format!("/portal/memory?class={}", shelf.class.as_str())) {
                        (reader.say(Phrase::AllOfClass)) ": " (labels::class(reader, shelf.class))
                    } }
                }
            }
        }
        (more(desk, next))
    };
    desk.page(title, body)
}

fn class_named(name: &str) -> Option<Class> {
    CLASSES.into_iter().find(|class| class.as_str() == name)
}

/// Memories by class, each class in the order they came.
fn sorted(registry: &Registry, items: Vec<Item>) -> Vec<Shelf> {
    let mut shelves: BTreeMap<Class, Vec<Item>> = BTreeMap::new();
    for item in items {
        let predicate = item.predicate.as_deref().and_then(|name| registry.get(name));
        shelves.entry(predicate.map_or(Class::Note, |predicate| predicate.class)).or_default().push(item);
    }
    shelves.into_iter().map(|(class, items)| Shelf { class, items, truncated: false }).collect()
}

fn moment_told(reader: &Reader, asked: moments::Asked) -> Markup {
    html! {
        p.notice role="status" {
            @if let Some(instant) = asked.valid_at {
                (reader.say(Phrase::TrueInTheWorld)) ": " strong { (when::in_words(reader, instant)) }
                @if asked.believed_at.is_some() { "; " }
            }
            @if let Some(instant) = asked.believed_at {
                (reader.say(Phrase::HeldByThisSystem)) ": " strong { (when::in_words(reader, instant)) }
            }
        }
    }
}

/// A list of memories, each leading to its fact.
pub(super) fn items(reader: &Reader, items: &[Item]) -> Markup {
    html! {
        ul.items {
            @for item in items {
                li { (one(reader, item)) }
            }
        }
    }
}

/// One memory: what it is about and what it says, leading to its fact.
pub(super) fn named(reader: &Reader, item: &Item) -> Markup {
    let place = item.fact.as_deref().map_or_else(
        || format!("/portal/evidence/{}", item.id),
        |fact| format!("/portal/facts/{fact}#{}", item.id),
    );
    html! {
        a.item href=(place) {
            span.about {
                @if let Some(entity) = item.entity.as_deref().filter(|entity| *entity != "self") {
                    (said(entity)) " · "
                }
                @if let Some(predicate) = &item.predicate { (labels::predicate(reader, predicate)) }
                @else { (reader.say(Phrase::Words)) }
            }
            span.value { (said(&match item.fact { Some(_) => value(&item.value), None => item.text.clone() })) }
        }
    }
}

/// One memory, with what stands behind it.
pub(super) fn one(reader: &Reader, item: &Item) -> Markup {
    html! {
        (named(reader, item))
        p.marks {
            @if item.dispute.is_some() {
                a.mark.dispute href="/portal/disputes" { (reader.say(Phrase::InDispute)) } " "
            }
            @if let Some(realm) = &item.realm { span.mark { (labels::realm(reader, realm)) } " " }
            @if item.fact.is_some() {
                span { (reader.language.count(item.support, Noun::Lineage)) } " · "
            }
            (reader.say(Phrase::LastSaid)) " " (when::moment(reader, &item.event_time))
            @if item.fidelity != "visible_transcript" { " · " (labels::fidelity(reader, &item.fidelity)) }
        }
    }
}
