//! Triage: what a turn needs from memory, decided from its words before looking, without a model.
//!
//! SKIP when the message says nothing memory could add to; ASK when it leans on something that nothing in it, in the
//! hints or in memory names, and one question settles it; RETRIEVE otherwise. Deciding wrongly towards RETRIEVE costs
//! a look; the other two must be sure.

use crate::turn::Triage;

/// What triage looks at.
#[derive(Clone, Copy, Debug)]
pub struct Request<'turn> {
    /// The message.
    pub message: &'turn str,
    /// Whether the caller named a topic or an entity.
    pub has_hint: bool,
    /// How many memories match the message's own words.
    pub matches: usize,
}

/// Words that thank, greet or agree; a message of nothing else needs no memory.
const COURTESIES: &[&str] = &[
    "bok",
    "bye",
    "cao",
    "cheers",
    "cool",
    "da",
    "dobar",
    "dobra",
    "dobro",
    "dan",
    "doviđenja",
    "evening",
    "fine",
    "good",
    "goodbye",
    "great",
    "hej",
    "hello",
    "hey",
    "hi",
    "hvala",
    "jutro",
    "lijepa",
    "lijepo",
    "lot",
    "morning",
    "much",
    "ne",
    "nice",
    "night",
    "no",
    "noć",
    "ok",
    "okay",
    "okej",
    "pa",
    "perfect",
    "please",
    "puno",
    "sorry",
    "super",
    "sure",
    "thank",
    "thanks",
    "thx",
    "u",
    "redu",
    "večer",
    "very",
    "važi",
    "vidimo",
    "se",
    "yeah",
    "yep",
    "yes",
    "you",
    "zdravo",
    "a",
    "so",
    "welcome",
    "again",
    "haha",
    "lol",
    "ty",
    "molim",
    "see",
    "later",
    "jasno",
    "got",
    "it",
];

/// Words that lean on something said elsewhere.
const LEANING: &[&str] = &[
    "it", "that", "this", "those", "these", "they", "them", "he", "she", "him", "her", "one", "there", "to",
    "ono", "taj", "ta", "te", "tu", "onaj", "ona", "on", "oni", "njega", "njemu", "nju", "njoj", "ovo",
    "ovaj", "ova", "tamo", "toga", "tome",
];

/// Words that carry no subject of their own.
const EMPTY: &[&str] = &[
    "a", "about", "and", "are", "at", "be", "can", "could", "did", "do", "does", "due", "for", "from",
    "happened", "how", "i", "in", "is", "know", "me", "my", "of", "on", "or", "please", "remind", "status",
    "tell", "the", "then", "up", "was", "we", "were", "what", "what's", "whats", "when", "where", "which",
    "who", "why", "will", "with", "would", "you", "again", "a", "ali", "bio", "bila", "bilo", "će", "do",
    "gdje", "i", "je", "jel", "kad", "kada", "kako", "koja", "koje", "koji", "li", "mi", "na", "o", "od",
    "po", "reci", "s", "sa", "se", "smo", "su", "što", "sto", "tko", "u", "za", "zašto", "bude", "going",
    "go", "goes", "doing", "get", "mean", "think", "change", "changed", "now", "sad", "sada", "opet", "bi",
    "rok",
];

/// Decides.
#[must_use]
pub fn triage(request: Request<'_>) -> Triage {
    let words = words(request.message);
    if words.is_empty() && !request.has_hint {
        return Triage::Skip;
    }
    if request.has_hint || request.matches > 0 {
        return Triage::Retrieve;
    }
    let among = |word: &String, list: &[&str]| list.contains(&word.as_str());
    if words.len() <= 8 && words.iter().all(|word| among(word, COURTESIES)) {
        return Triage::Skip;
    }
    let leans = words.iter().any(|word| among(word, LEANING));
    let names_nothing = words.iter().all(|word| among(word, LEANING) || among(word, EMPTY));
    match leans && names_nothing && words.len() <= 16 {
        true => Triage::Ask,
        false => Triage::Retrieve,
    }
}

/// The one question that settles what a leaning message is about, naming what it could be.
#[must_use]
pub fn question(message: &str, anchors: &[String]) -> String {
    let croatian = words(message).iter().any(|word| {
        matches!(
            word.as_str(),
            "li" | "je" | "što" | "kad" | "kada" | "gdje" | "kako" | "tko" | "koji" | "koja" | "zašto"
        )
    });
    match (croatian, anchors.is_empty()) {
        (false, true) => "What do you mean by that? Name the person, project or thing.".to_owned(),
        (false, false) => format!("Which one do you mean: {}?", anchors.join(", ")),
        (true, true) => "Na što mislite? Navedite osobu, projekt ili stvar.".to_owned(),
        (true, false) => format!("Na što mislite: {}?", anchors.join(", ")),
    }
}

/// The first words of a message, lower-cased; triage needs no more than a few dozen to decide.
fn words(message: &str) -> Vec<String> {
    message
        .split(|character: char| {
            !(character.is_alphanumeric() || character == '\'' || character == '\u{2019}')
        })
        .filter(|word| !word.is_empty())
        .take(64)
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let table = [
            ("", 0, Triage::Skip),
            ("thanks!", 0, Triage::Skip),
            ("Hvala, super", 0, Triage::Skip),
            ("ok 👍", 0, Triage::Skip),
            ("alpha", 1, Triage::Retrieve),
            ("alpha", 0, Triage::Retrieve),
            ("When is it due?", 0, Triage::Ask),
            ("A kad je to?", 0, Triage::Ask),
            ("What about that one?", 0, Triage::Ask),
            ("What about that one?", 2, Triage::Retrieve),
            ("What time do I like meetings?", 0, Triage::Retrieve),
            ("Book that restaurant for Friday", 0, Triage::Retrieve),
            ("我住在哪里", 0, Triage::Retrieve),
        ];
        for (message, matches, wanted) in table {
            assert_eq!(triage(Request { message, has_hint: false, matches }), wanted, "`{message}`");
        }
        assert_eq!(triage(Request { message: "it?", has_hint: true, matches: 0 }), Triage::Retrieve);
    }

    #[test]
    fn the_question_names_what_would_settle_it() {
        let anchors = ["alpha".to_owned(), "beta".to_owned()];
        assert_eq!(question("When is it due?", &anchors), "Which one do you mean: alpha, beta?");
        assert_eq!(question("A kad je to?", &anchors), "Na što mislite: alpha, beta?");
    }
}
