//! From a model's reply to proposals: tolerant in form, strict in substance. Whatever is left out is counted under a reason.
//!
//! Nothing is made up for the model: a field it did not write stays absent, and the gate's reading says so. What is mended is
//! form only: capital letters in field names, a number in quotation marks, a list of one where one is meant, "null" written out.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::lenient;

/// The longest reply looked at, in bytes; what comes after is left out.
pub const REPLY_BYTES_MAX: usize = 256 * 1024;

/// The most proposals of one message handed to the gate, which looks at five and counts the others.
pub const PROPOSALS_MAX: usize = 100;

/// Proposals found in a reply, each with the number of its message, and what was left out.
#[derive(Debug, Default, PartialEq)]
pub struct Parsed {
    /// The proposals, in the order they were written: the number of the message from 0, and the proposal.
    pub proposals: Vec<(usize, Json)>,
    /// What was left out.
    pub dropped: Dropped,
}

/// What was left out of replies, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Dropped {
    /// Replies in which nothing could be found at all.
    pub no_json: u64,
    /// Replies, or parts of them, that ended in the middle.
    pub cut: u64,
    /// Places at which something began that is no JSON, however kindly read.
    pub broken: u64,
    /// Items that are no object.
    pub not_an_object: u64,
    /// Objects that hold nothing a proposal is made of.
    pub not_a_proposal: u64,
    /// Proposals with a field of a type nothing can be made of.
    pub wrong_type: u64,
    /// Proposals that name a message that was not asked about, or none where several were.
    pub no_message: u64,
    /// Proposals beyond the number handed on.
    pub too_many: u64,
    /// Proposals about somebody or something the message does not name.
    pub unnamed_entity: u64,
    /// Proposals whose value brings words that the quote does not have.
    pub other_words: u64,
    /// Proposals that give the whole quote for the value.
    pub whole_quote: u64,
    /// Free notes, which a person keeps on purpose and a model is not asked for.
    pub notes: u64,
    /// Fields nobody asked for; the proposal itself goes on.
    pub unknown_fields: u64,
}

impl Dropped {
    /// Proposals, or what might have been some, that went no further.
    #[must_use]
    pub fn proposals(&self) -> u64 {
        self.broken
            + self.cut
            + self.not_an_object
            + self.not_a_proposal
            + self.wrong_type
            + self.no_message
            + self.too_many
            + self.unnamed_entity
            + self.other_words
            + self.whole_quote
            + self.notes
    }

    /// Adds what another reply left out.
    pub fn add(&mut self, other: &Self) {
        let own = self.fields_mut();
        for (own, theirs) in own.into_iter().zip(other.fields()) {
            *own += theirs;
        }
    }

    /// The reasons by name, with their counts.
    #[must_use]
    pub fn reasons(&self) -> [(&'static str, u64); 13] {
        let names = [
            "no_json",
            "cut",
            "broken",
            "not_an_object",
            "not_a_proposal",
            "wrong_type",
            "no_message",
            "too_many",
            "unnamed_entity",
            "other_words",
            "whole_quote",
            "notes",
            "unknown_fields",
        ];
        let counts = self.fields();
        std::array::from_fn(|place| (names[place], counts[place]))
    }

    fn fields(&self) -> [u64; 13] {
        let mut copy = *self;
        copy.fields_mut().map(|count| *count)
    }

    fn fields_mut(&mut self) -> [&mut u64; 13] {
        [
            &mut self.no_json,
            &mut self.cut,
            &mut self.broken,
            &mut self.not_an_object,
            &mut self.not_a_proposal,
            &mut self.wrong_type,
            &mut self.no_message,
            &mut self.too_many,
            &mut self.unnamed_entity,
            &mut self.other_words,
            &mut self.whole_quote,
            &mut self.notes,
            &mut self.unknown_fields,
        ]
    }
}

/// Reads a reply about `messages` messages. No text makes it fail; the same text gives the same proposals.
#[must_use]
pub fn parse(reply: &str, messages: usize) -> Parsed {
    let (looked_at, too_long) = match reply.len() > REPLY_BYTES_MAX {
        true => (&reply[..reply.floor_char_boundary(REPLY_BYTES_MAX)], true),
        false => (reply, false),
    };
    let found = lenient::find(looked_at);
    let mut parsed = Parsed::default();
    parsed.dropped.broken = found.broken;
    parsed.dropped.cut = u64::from(found.cut || too_long);
    if found.values.is_empty() && !found.cut && found.broken == 0 {
        parsed.dropped.no_json = 1;
        return parsed;
    }
    let mut taken = vec![0_usize; messages];
    for value in found.values {
        each_item(value, 0, &mut |item| {
            let Json::Object(fields) = item else {
                parsed.dropped.not_an_object += 1;
                return;
            };
            let Some((message, proposal)) = read(fields, messages, &mut parsed.dropped) else { return };
            match taken.get_mut(message) {
                Some(count) if *count < PROPOSALS_MAX => {
                    *count += 1;
                    parsed.proposals.push((message, proposal));
                }
                _ => parsed.dropped.too_many += 1,
            }
        });
    }
    parsed
}

/// Lists within lists, and objects around a list, that are followed to the proposals inside.
const WRAPPINGS_MAX: usize = 4;

/// Hands over the items a value holds: those of a list, those of a list inside an object that is no proposal itself, or itself.
fn each_item(value: Json, depth: usize, take: &mut impl FnMut(Json)) {
    match value {
        Json::Array(items) if depth < WRAPPINGS_MAX => {
            items.into_iter().for_each(|item| each_item(item, depth + 1, take));
        }
        Json::Object(fields) if depth < WRAPPINGS_MAX && !is_proposal(&fields) => {
            let lists = fields.iter().any(|(_, value)| value.is_array() || value.is_object());
            match lists {
                // `{"proposals": [...]}`, `{"1": {...}}` and the like.
                true => fields
                    .into_iter()
                    .filter(|(_, value)| value.is_array() || value.is_object())
                    .for_each(|(_, value)| each_item(value, depth + 1, take)),
                // An empty object says that there is nothing.
                false if fields.is_empty() => {}
                false => take(Json::Object(fields)),
            }
        }
        // A list too deep is no item.
        other => take(other),
    }
}

/// The fields of a proposal, as the interface has them.
///
/// When something holds is not asked for: the gate does not look whether the words name a time, and a model makes times up.
const FIELDS: [&str; 7] = ["entity", "predicate", "value", "confidence", "quote", "quotes", "op"];

/// The field's name in the interface, however it was written.
fn field(written: &str) -> Option<&'static str> {
    let name: String = written.trim().to_lowercase().replace([' ', '-'], "_");
    FIELDS.into_iter().find(|known| *known == name)
}

fn is_proposal(fields: &Map<String, Json>) -> bool {
    let has = |wanted: &str| fields.keys().any(|name| field(name) == Some(wanted));
    has("predicate") || (has("entity") && has("value")) || has("quote")
}

/// One proposal, mended in form. `None` when it was counted as dropped.
fn read(fields: Map<String, Json>, messages: usize, dropped: &mut Dropped) -> Option<(usize, Json)> {
    if !is_proposal(&fields) {
        dropped.not_a_proposal += 1;
        return None;
    }
    let mut mended = Map::new();
    let mut message = None;
    for (written, value) in fields {
        if written.trim().eq_ignore_ascii_case("message") {
            message = Some(value);
            continue;
        }
        let Some(name) = field(&written) else {
            dropped.unknown_fields += 1;
            continue;
        };
        match mend(name, value) {
            Mended::As(name, value) => _ = mended.entry(name).or_insert(value),
            Mended::Absent => {}
            Mended::Not => {
                dropped.wrong_type += 1;
                return None;
            }
        }
    }
    let place = match (message.as_ref().map(whole_number), messages) {
        // Models that count from nothing, or name no number, are understood where there is only one message.
        (None | Some(None) | Some(Some(0)), 1) => Some(0),
        (Some(Some(number)), _) => number
            .checked_sub(1)
            .and_then(|place| usize::try_from(place).ok())
            .filter(|place| *place < messages),
        _ => None,
    };
    let Some(place) = place else {
        dropped.no_message += 1;
        return None;
    };
    Some((place, Json::Object(mended)))
}

enum Mended {
    As(&'static str, Json),
    Absent,
    Not,
}

fn mend(name: &'static str, value: Json) -> Mended {
    let value = match value {
        Json::Array(mut items) if items.len() == 1 && name != "quotes" => items.remove(0),
        other => other,
    };
    match (name, value) {
        (_, Json::Null) => Mended::Absent,
        ("quote" | "quotes", Json::Array(items)) => match items.iter().all(Json::is_string) {
            true if items.is_empty() => Mended::Absent,
            true => Mended::As("quotes", Json::Array(items)),
            false => Mended::Not,
        },
        ("quotes", Json::String(text)) => Mended::As("quote", text.into()),
        ("confidence", value) => match confidence(&value) {
            Some(number) => Mended::As(name, number.into()),
            None => Mended::Not,
        },
        ("value", value @ (Json::Number(_) | Json::Bool(_))) => Mended::As(name, value),
        ("op" | "value", Json::String(text)) if is_nothing(&text) => Mended::Absent,
        ("op", Json::String(text)) => match text.trim().to_lowercase().as_str() {
            "assert" | "asserted" | "add" | "set" => Mended::As(name, "assert".into()),
            "retract" | "retracted" | "remove" | "delete" => Mended::As(name, "retract".into()),
            _ => Mended::Not,
        },
        ("entity" | "predicate", Json::String(text)) => Mended::As(name, text.trim().into()),
        // A value that runs over two lines of a message is one all the same.
        ("value", Json::String(text)) => {
            Mended::As(name, text.split_whitespace().collect::<Vec<&str>>().join(" ").into())
        }
        (_, value @ Json::String(_)) => Mended::As(name, value),
        _ => Mended::Not,
    }
}

/// Words by which models say that there is nothing.
fn is_nothing(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    matches!(text.as_str(), "" | "null" | "none" | "n/a" | "nil" | "undefined")
}

/// 0.9, "0.9", "90%", 90.
fn confidence(value: &Json) -> Option<f64> {
    let number = match value {
        Json::Number(number) => number.as_f64()?,
        Json::String(text) => {
            let text = text.trim();
            match text.strip_suffix('%') {
                Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
                None => text.replace(',', ".").parse().ok()?,
            }
        }
        _ => return None,
    };
    match number {
        number if !number.is_finite() => None,
        // Nobody is surer than sure: such a number counts hundredths.
        number if number > 1.0 && number <= 100.0 => Some(number / 100.0),
        number => Some(number),
    }
}

fn whole_number(value: &Json) -> Option<u64> {
    match value {
        Json::Number(number) => number.as_u64(),
        Json::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(reply: &str) -> Parsed {
        parse(reply, 1)
    }

    #[test]
    fn form_is_mended_and_nothing_is_made_up() {
        let whole = json!({"entity": "self", "predicate": "home_city", "value": "Zagreb", "confidence": 0.9, "quote": "I live in Zagreb"});
        for reply in [
            whole.to_string(),
            format!("```json\n{whole}\n```"),
            json!([whole]).to_string(),
            json!({"proposals": [whole]}).to_string(),
            json!({"result": {"items": [whole]}}).to_string(),
            json!({"Entity": " self ", "PREDICATE": "home_city", "value": ["Zagreb"], "confidence": "90%", "quotes": ["I live in Zagreb"], "message": "1"})
                .to_string()
                .replace("quotes", "quote"),
            json!({"entity": "self", "predicate": "home_city", "value": "Zagreb", "confidence": 90, "quote": "I live in Zagreb", "op": null, "message": 0})
                .to_string(),
        ] {
            assert_eq!(one(&reply).proposals, [(0, whole.clone())], "{reply}");
        }
        let bare = one(r#"{"predicate": "likes", "reason": "because"}"#);
        assert_eq!(bare.proposals, [(0, json!({"predicate": "likes"}))]);
        assert_eq!(bare.dropped, Dropped { unknown_fields: 1, ..Dropped::default() });
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let nothing = Dropped::default();
        for (reply, messages, proposals, dropped) in [
            ("I found nothing.", 1, 0, Dropped { no_json: 1, ..nothing }),
            ("", 1, 0, Dropped { no_json: 1, ..nothing }),
            ("[]", 1, 0, nothing),
            (r#"{"proposals": []}"#, 1, 0, nothing),
            ("{}", 1, 0, nothing),
            (r#"[1, "two", null]"#, 1, 0, Dropped { not_an_object: 3, ..nothing }),
            (r#"{"answer": "none"}"#, 1, 0, Dropped { not_a_proposal: 1, ..nothing }),
            (r#"{"predicate": {"a": 1}}"#, 1, 0, Dropped { wrong_type: 1, ..nothing }),
            (r#"{"predicate": "likes", "value": ["a", "b"]}"#, 1, 0, Dropped { wrong_type: 1, ..nothing }),
            (r#"{"predicate": "likes", "confidence": "high"}"#, 1, 0, Dropped { wrong_type: 1, ..nothing }),
            (r#"{"predicate": "likes", "op": "destroy"}"#, 1, 0, Dropped { wrong_type: 1, ..nothing }),
            (r#"[{"predicate": "likes"}, {"predicate": "li"#, 1, 1, Dropped { cut: 1, ..nothing }),
            (r#"{"predicate": "likes", "message": 3}"#, 2, 0, Dropped { no_message: 1, ..nothing }),
            (r#"{"predicate": "likes"}"#, 2, 0, Dropped { no_message: 1, ..nothing }),
            (r#"{"predicate": "likes", "message": 2}"#, 2, 1, nothing),
        ] {
            let parsed = parse(reply, messages);
            assert_eq!((parsed.proposals.len(), parsed.dropped), (proposals, dropped), "{reply}");
        }
        let many = json!(vec![json!({"predicate": "likes"}); 150]).to_string();
        let parsed = one(&many);
        assert_eq!((parsed.proposals.len(), parsed.dropped.too_many), (PROPOSALS_MAX, 50));
        let long = format!("{}{}", r#"{"predicate": "likes"} "#, "č".repeat(REPLY_BYTES_MAX));
        let parsed = one(&long);
        assert_eq!((parsed.proposals.len(), parsed.dropped.cut), (1, 1));
    }

    #[test]
    fn counts_add_up_by_name() {
        let mut sum = Dropped { no_json: 1, cut: 2, ..Dropped::default() };
        sum.add(&Dropped { cut: 3, unknown_fields: 4, ..Dropped::default() });
        let named: Vec<(&str, u64)> = sum.reasons().into_iter().filter(|(_, count)| *count > 0).collect();
        assert_eq!(named, [("no_json", 1), ("cut", 5), ("unknown_fields", 4)]);
        assert_eq!(sum.proposals(), 5);
    }
}
