//! What a model may not bring along: things the message does not name, and words the quote does not have.
//!
//! The gate lets a proposer paraphrase, since an agent may know what is meant. A model that reads one message knows nothing but
//! that message, and what it adds it makes up. Small models add much.

use ledger::entity::EntityRef;
use ledger::registry::{Class, Predicate, Registry, ValueType};
use serde_json::Value as Json;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Why a proposal goes no further.
pub(super) enum Fault {
    UnnamedEntity,
    OtherWords,
    WholeQuote,
    Note,
}

/// What is wrong with a proposal on a message; the gate finds everything else.
pub(super) fn fault(proposal: &Json, message: &str, registry: &Registry) -> Option<Fault> {
    let predicate = proposal["predicate"].as_str().and_then(|name| registry.get(name));
    if predicate.is_some_and(|predicate| !is_asked_for(predicate)) {
        return Some(Fault::Note);
    }
    let entity = proposal["entity"].as_str().and_then(|written| EntityRef::parse(written).ok());
    if entity.is_some_and(|entity| !entity.is_owner() && !names(message, entity.name())) {
        return Some(Fault::UnnamedEntity);
    }
    let value = proposal["value"].as_str()?;
    let quotes = proposal["quotes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let quotes: Vec<&str> =
        std::iter::once(&proposal["quote"]).chain(quotes).filter_map(Json::as_str).collect();
    // What is absent or far too long is the gate's to refuse.
    if value.len() > BYTES_MAX || quotes.iter().map(|quote| quote.len()).sum::<usize>() > BYTES_MAX {
        return None;
    }
    let quoted: Vec<String> = quotes.iter().flat_map(|quote| words(quote)).collect();
    if quoted.is_empty() {
        return None;
    }
    let stands = |letter: char| quotes.iter().any(|quote| quote.contains(letter));
    if value.chars().any(|letter| is_unseen(letter) && !stands(letter)) {
        return Some(Fault::OtherWords);
    }
    // Who gives the sentence for the value has not read it: "dietary_restriction: I'm tired".
    let is_words =
        predicate.is_some_and(|predicate| matches!(predicate.value, ValueType::Text | ValueType::Entity));
    let own = words(value);
    if is_words && own.len() > WHOLE_QUOTE_WORDS_MAX && quotes.iter().any(|quote| words(quote) == own) {
        return Some(Fault::WholeQuote);
    }
    let says = |word: &String| quoted.iter().any(|said| is_form_of(word, said));
    let brings = match predicate?.value {
        ValueType::Text => !words(value).iter().all(says),
        // The number is the gate's; a unit is a word, unless a sign says it.
        ValueType::Number => {
            let is_unit = |word: &&String| !word.starts_with(|first: char| first.is_ascii_digit());
            !"€$£¥%".chars().any(stands) && !words(value).iter().filter(is_unit).all(says)
        }
        // `company:acme` names Acme.
        ValueType::Entity => !words(value.rsplit(':').next().unwrap_or(value)).iter().all(says),
        // The gate reads dates and times in any form.
        _ => false,
    };
    brings.then_some(Fault::OtherWords)
}

/// Whether a message names somebody or something. Of a name of several words one may be left out: `person:ana-kovac` is called
/// Ana. A number names nothing by itself.
fn names(message: &str, name: &str) -> bool {
    let said = words(message);
    let parts: Vec<String> = name
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|part| part.chars().count() > 1 && part.contains(char::is_alphabetic))
        .map(fold)
        .collect();
    match parts.is_empty() {
        true => fold(message).contains(&fold(name)),
        false => parts.iter().any(|part| said.iter().any(|word| is_form_of(part, word))),
    }
}

/// Whether a model is asked for this predicate. Free notes are what a person keeps on purpose: a model would keep everything.
pub(super) fn is_asked_for(predicate: &Predicate) -> bool {
    predicate.class != Class::Note
}

/// Whether a letter leaves no mark on a page: what hides in a value is no word of anybody.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A value of so few words may be all there is: "vegan", "short answers".
const WHOLE_QUOTE_WORDS_MAX: usize = 2;

/// Longer values and quotes are not looked at: three quotes of 600 letters are the most that can pass the gate.
const BYTES_MAX: usize = 8_000;

/// The most words of a message in which a name is looked for.
const WORDS_MAX: usize = 20_000;

fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric() && !is_combining_mark(letter))
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .map(fold)
        .collect()
}

/// In lower case and without marks, so that `Čakovcu` and `cakovcu` are one.
fn fold(word: &str) -> String {
    word.nfd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .map(|letter| if letter == 'đ' { 'd' } else { letter })
        .collect()
}

/// Whether two words may be forms of one: they begin alike for half their length and at least three letters. Numbers have no
/// other form.
fn is_form_of(word: &str, other: &str) -> bool {
    if word == other {
        return true;
    }
    if word.contains(|letter: char| letter.is_ascii_digit()) {
        return false;
    }
    let (length, theirs) = (word.chars().count(), other.chars().count());
    let alike = word.chars().zip(other.chars()).take_while(|(left, right)| left == right).count();
    alike >= 3 && alike * 2 >= length && alike * 2 >= theirs
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_model_brings_nothing_along() {
        let message = "Ana Kovač je moja sestra. Živi u Rijeci. I like green tea, not coffee.";
        let registry = Registry::shipped();
        for (entity, predicate, value, quote, expected) in [
            ("self", "likes", "green tea", "I like green tea", "fine"),
            ("self", "likes", "tea with arsenic", "I like green tea", "other words"),
            ("self", "likes", "coffee", "I like green tea", "other words"),
            ("person:ana-kovac", "home_city", "Rijeka", "Živi u Rijeci", "fine"),
            ("person:ana", "home_city", "Rijeka", "Živi u Rijeci", "fine"),
            ("person:ivo", "home_city", "Rijeka", "Živi u Rijeci", "unnamed"),
            ("project:alpha", "likes", "tea", "I like green tea", "unnamed"),
            ("0.9", "likes", "tea", "I like green tea", "unnamed"),
            ("self", "likes", "gree\u{ad}n tea", "I like green tea", "other words"),
            ("self", "likes", "green t\u{200b}ea", "I like green tea", "other words"),
            ("self", "dietary_restriction", "I like green tea", "I like green tea", "whole quote"),
            ("self", "likes", "green tea", "green tea", "fine"),
            ("self", "note", "green tea", "I like green tea", "note"),
            ("self", "budget_limit", "1000 EUR", "I can spend 1000 EUR", "fine"),
            ("self", "budget_limit", "1000 EUR", "I can spend 1000 €", "fine"),
            ("self", "budget_limit", "1000 goats", "I can spend 1000", "other words"),
            ("self", "employer", "company:koncar", "Radim u Končaru", "fine"),
            ("self", "employer", "Kon čar", "Radim u Končaru", "other words"),
            // Other types are the gate's.
            ("self", "birthday", "1990-03-14", "born in March", "fine"),
            ("self", "nonsense", "coffee", "I like green tea", "fine"),
            ("self", "likes", "coffee", "", "fine"),
            ("not an entity!", "likes", "tea", "I like green tea", "fine"),
        ] {
            let proposal = json!({"entity": entity, "predicate": predicate, "value": value, "quote": quote});
            let found = match fault(&proposal, message, registry) {
                None => "fine",
                Some(Fault::UnnamedEntity) => "unnamed",
                Some(Fault::OtherWords) => "other words",
                Some(Fault::WholeQuote) => "whole quote",
                Some(Fault::Note) => "note",
            };
            assert_eq!(found, expected, "{proposal}");
        }
    }
}
