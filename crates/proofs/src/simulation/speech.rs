//! What is said in a simulated world: few things, so that they repeat, correct and contradict one another.

use serde_json::{Value as Json, json};

use super::chance::Chance;

const CITIES: &[&str] = &["Zagreb", "Split", "Rijeka", "Osijek"];
const THINGS: &[&str] = &["tea", "coffee", "long walks", "chess", "loud bars"];
const HOURS: &[&str] = &["08:00", "9:30", "10:00"];
const EMPLOYERS: &[&str] = &["Acme", "Initech"];
const STATES: &[&str] = &["green", "red", "on hold"];
const QUESTIONS: &[&str] = &[
    "Where do I live?",
    "What do I like?",
    "When may meetings begin?",
    "How many people work at Acme?",
    "What is the status of Alpha?",
    "Zagreb",
    "tea",
    "thanks!",
    "Should we do it again?",
];

/// A question somebody asks.
pub(super) fn question(chance: &mut Chance) -> &'static str {
    chance.word(QUESTIONS)
}

/// A day of the years people here speak of.
pub(super) fn day(chance: &mut Chance) -> String {
    format!("20{}-{:02}-{:02}", 22 + chance.below(6), 1 + chance.below(12), 1 + chance.below(28))
}

fn claim(entity: &str, predicate: &str, value: &str, quote: &str) -> Json {
    json!({"entity": entity, "predicate": predicate, "value": value, "quote": quote, "confidence": 0.95})
}

/// What one message says, and what is proposed of it.
fn owner_says(chance: &mut Chance) -> (String, Vec<Json>) {
    let (city, thing) = (chance.word(CITIES), chance.word(THINGS));
    match chance.below(8) {
        0 => {
            let text = format!("I live in {city}");
            (format!("{text}."), vec![claim("self", "home_city", city, &text)])
        }
        1 => {
            let text = format!("I no longer live in {city}");
            let mut gone = claim("self", "home_city", city, &text);
            gone["op"] = json!("retract");
            (format!("{text}."), vec![gone])
        }
        2 => {
            let since = day(chance);
            let text = format!("I have lived in {city} since {since}");
            let mut since_then = claim("self", "home_city", city, &text);
            since_then["valid_from"] = json!(since);
            (format!("{text}."), vec![since_then])
        }
        3 => {
            let text = format!("I like {thing}");
            (format!("{text}."), vec![claim("self", "likes", thing, &text)])
        }
        4 => {
            let text = format!("I do not like {thing} any more");
            let mut gone = claim("self", "likes", thing, &text);
            gone["op"] = json!("retract");
            (format!("{text}."), vec![gone])
        }
        5 => {
            let hour = chance.word(HOURS);
            let text = format!("No meetings before {hour}");
            let until = day(chance);
            let mut rule = claim("self", "no_meetings_before", hour, &text);
            if chance.one_in(4) {
                rule["valid_to"] = json!(until);
            }
            (format!("{text}, please."), vec![rule])
        }
        6 => {
            let employer = chance.word(EMPLOYERS);
            let (works, likes) = (format!("I work at {employer}"), format!("I like {thing}"));
            let both =
                vec![claim("self", "employer", employer, &works), claim("self", "likes", thing, &likes)];
            (format!("{works}. {likes}."), both)
        }
        // Nothing here stands in the words, so nothing of it may enter.
        _ => {
            let text = format!("Somebody told me about {city}");
            let junk = vec![
                claim("self", "home_city", city, "I live there"),
                claim("self", "no_such_thing", city, &text),
                json!({"entity": "self"}),
            ];
            (format!("{text}."), junk)
        }
    }
}

fn document_says(chance: &mut Chance) -> (String, Vec<Json>) {
    match chance.below(3) {
        0 => {
            let state = chance.word(STATES);
            let text = format!("The status of project Alpha is {state}");
            (format!("{text}."), vec![claim("project:alpha", "project_status", state, &text)])
        }
        1 => {
            let people = ["100", "250", "300"][chance.below(3)];
            let text = format!("Acme has {people} employees");
            (format!("{text}."), vec![claim("acme", "headcount", people, &text)])
        }
        // A document that speaks for the owner is not heard.
        _ => {
            let city = chance.word(CITIES);
            let text = format!("The user lives in {city}");
            (format!("{text}."), vec![claim("self", "home_city", city, &text)])
        }
    }
}

/// A message in the shape of the interface.
pub(super) fn message(chance: &mut Chance) -> Json {
    let (author, (text, proposals)) = match chance.below(10) {
        0..6 => ("owner", owner_says(chance)),
        6..9 => ("external", document_says(chance)),
        _ => ("assistant", owner_says(chance)),
    };
    let mut said = json!({"source": source(chance, author), "author": author, "text": text});
    // Without proposals the rules look through what the owner says.
    if !chance.one_in(4) {
        said["proposals"] = json!(proposals);
    }
    if !chance.one_in(3) {
        said["event_time"] = json!(format!("{}T{:02}:00:00+01:00", day(chance), chance.below(24)));
    }
    if chance.one_in(3) {
        said["external_id"] = json!(format!("message {}", chance.below(40)));
    }
    if chance.one_in(10) {
        said["idempotency_key"] = json!(format!("request {}", chance.below(40)));
    }
    if chance.one_in(10) {
        said["session"] = json!("session");
        said["attachments"] = json!([{"name": "letter.pdf", "media_type": "application/pdf", "size": 100}]);
    }
    said
}

/// Where a message comes from. One document is a copy of another, one is a page that changes.
fn source(chance: &mut Chance, author: &str) -> Json {
    if author != "external" {
        return json!({"kind": "conversation", "ref": format!("c{}", chance.below(3))});
    }
    match chance.below(5) {
        number @ 0..3 => json!({"kind": "document", "ref": format!("d{number}")}),
        3 => json!({"kind": "document", "ref": "copy", "lineage": "document:d0"}),
        _ => json!({"kind": "document", "ref": "page", "mode": "living", "retention": "quotes"}),
    }
}
