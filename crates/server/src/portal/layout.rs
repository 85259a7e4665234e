//! The frame of every page: where one is, where one can go, and how one reads.

use maud::{DOCTYPE, Markup, html};

use super::desk::Desk;
use super::language::Language;
use super::phrases::Phrase;
use super::when::zone_name;
use super::words::{flat, said};
use crate::access::Subjects;

/// Time zones that are offered; any other can be written.
const ZONES: [&str; 10] = [
    "UTC",
    "Europe/Zagreb",
    "Europe/London",
    "Europe/Berlin",
    "America/New_York",
    "America/Los_Angeles",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "Australia/Sydney",
];

/// A whole page.
pub(super) fn page(desk: &Desk<'_>, title: &str, body: &Markup) -> Markup {
    let reader = &desk.reader;
    html! {
        (DOCTYPE)
        html lang=(reader.language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (flat(title)) " · Testimony" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/portal/style.css";
                script src="/portal/script.js" defer {}
            }
            body {
                a.skip href="#main" { (reader.say(Phrase::SkipToContent)) }
                header.top {
                    div.inner {
                        a.brand href="/portal/memory" { "Testimony" }
                        @if desk.is_let_in() { (who(desk)) }
                        (languages(desk))
                    }
                    @if desk.is_let_in() { (places(desk)) }
                }
                main #main tabindex="-1" {
                    @if let Some(notice) = &desk.notice { (notice.markup(reader)) }
                    (body)
                }
                footer { (zones(desk)) }
            }
        }
    }
}

fn places(desk: &Desk<'_>) -> Markup {
    let reader = &desk.reader;
    let mut places = vec![
        ("/portal/memory", Phrase::Memory),
        ("/portal/search", Phrase::Search),
        ("/portal/disputes", Phrase::Disputes),
        ("/portal/turns", Phrase::Turns),
        ("/portal/sources", Phrase::Sources),
        ("/portal/timeline", Phrase::Timeline),
        ("/portal/health", Phrase::Health),
    ];
    if desk.keeps_keys() {
        places.push(("/portal/keys", Phrase::Keys));
    }
    html! {
        nav aria-label=(reader.say(Phrase::Pages)) {
            ul {
                @for (place, name) in places {
                    li { a href=(place) aria-current=[desk.is_at(place).then_some("page")] { (reader.say(name)) } }
                }
            }
        }
    }
}

/// Whose memory is looked at, by whom, and the ways to change that.
fn who(desk: &Desk<'_>) -> Markup {
    let reader = &desk.reader;
    let several = match desk.caller().map(crate::access::Caller::subjects) {
        Some(Subjects::Only(subjects)) if subjects.len() > 1 => Some(Some(subjects)),
        Some(Subjects::All) => Some(None),
        _ => None,
    };
    html! {
        div.who {
            @match several {
                None => span.subject { (reader.say(Phrase::MemoryOf)) " " strong { (said(&desk.subject)) } },
                Some(named) => {
                    details.subject {
                        summary { (reader.say(Phrase::MemoryOf)) " " strong { (said(&desk.subject)) } }
                        form method="post" action="/portal/subject" {
                            (token(desk))
                            label for="subject" { (reader.say(Phrase::WhoseMemory)) }
                            @match named {
                                Some(subjects) => select #subject name="subject" {
                                    @for subject in subjects {
                                        option value=(subject.as_str()) selected[subject.as_str() == desk.subject] {
                                            (flat(subject.as_str()))
                                        }
                                    }
                                },
                                None => input #subject name="subject" required autocomplete="off" value=(desk.subject);,
                            }
                            button type="submit" { (reader.say(Phrase::Look)) }
                        }
                    }
                }
            }
            @if !desk.is_without_key() {
                form method="post" action="/portal/sign-out" {
                    (token(desk))
                    button.quiet type="submit" { (reader.say(Phrase::SignOut)) }
                }
            }
        }
    }
}

fn languages(desk: &Desk<'_>) -> Markup {
    html! {
        form.languages method="post" action="/portal/preferences" {
            (token(desk))
            (back(desk))
            @for language in Language::ALL.into_iter().filter(|language| *language != desk.reader.language) {
                button.quiet type="submit" name="language" value=(language.code()) lang=(language.code()) {
                    (language.own_name())
                }
            }
        }
    }
}

fn zones(desk: &Desk<'_>) -> Markup {
    let reader = &desk.reader;
    html! {
        form.zone method="post" action="/portal/preferences" {
            (token(desk))
            (back(desk))
            label for="zone" { (reader.say(Phrase::TimesAreTold)) }
            input #zone name="zone" list="zones" autocomplete="off" value=(zone_name(&reader.zone));
            datalist #zones { @for zone in ZONES { option value=(zone) {} } }
            button.quiet type="submit" { (reader.say(Phrase::Apply)) }
        }
        p.small { a href="/docs" { (reader.say(Phrase::ForPrograms)) } }
    }
}

/// The field that shows that a form is from a page of this browser.
pub(super) fn token(desk: &Desk<'_>) -> Markup {
    html! { input type="hidden" name="token" value=(desk.form_token()); }
}

/// The field that says where a form is.
pub(super) fn back(desk: &Desk<'_>) -> Markup {
    html! { input type="hidden" name="back" value=(desk.here()); }
}

/// The link to the rest of a list.
pub(super) fn more(desk: &Desk<'_>, place: Option<String>) -> Markup {
    html! {
        @if let Some(place) = place {
            p.more { a.button rel="next" href=(place) { (desk.reader.say(Phrase::NextPage)) } }
        }
    }
}
