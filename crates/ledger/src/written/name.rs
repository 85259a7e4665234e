//! Names, and the closed lists of endings under which a word is still the same word.

use super::date;
use super::language;
use super::token::{Kind, Token, Tokens};

/// A run of capitalised words, over the tokens `from..to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameMention {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Every name: capitalised words side by side (`Ana Horvat`), and words with capitals inside or digits
/// (`iPhone`, `A4`). The first word of a sentence counts unless it is one that often opens sentences.
/// Months, weekdays and languages are no names.
pub(crate) fn scan(tokens: &Tokens<'_>) -> Vec<NameMention> {
    let mut found: Vec<NameMention> = Vec::new();
    for index in 0..tokens.len() {
        if !is_name(tokens, index) {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.to == index => last.to = index + 1,
            _ => found.push(NameMention { from: index, to: index + 1 }),
        }
    }
    found
}

fn is_name(tokens: &Tokens<'_>, index: usize) -> bool {
    let Some(token) = tokens.get(index).filter(|token| token.kind == Kind::Word) else { return false };
    let inner_capital = token.text.chars().skip(1).any(char::is_uppercase);
    if !(token.is_capitalised() || inner_capital || token.has_digit()) {
        return false;
    }
    // `Karthik's`, `5 km`: what clings to another word or to digits is part of it.
    let clings =
        tokens.is_glued(index) && tokens.before(index).is_some_and(|before| before.kind == Kind::Digits);
    let possessive =
        tokens.is_glued(index) && tokens.before(index).is_some_and(is_apostrophe) && token.plain.len() <= 2;
    if clings || possessive || (!inner_capital && date::is_date_word(&token.plain)) {
        return false;
    }
    if token.is_acronym() && token.text.chars().count() <= 5 {
        return true;
    }
    if is_function_word(&token.plain) || language::of_word(&token.plain).is_some() {
        return false;
    }
    inner_capital || token.has_digit() || !opens_sentence(tokens, index) || !is_opener(&token.plain)
}

pub(crate) fn is_apostrophe(token: &Token<'_>) -> bool {
    matches!(token.text, "'" | "’" | "ʼ")
}

fn opens_sentence(tokens: &Tokens<'_>, index: usize) -> bool {
    let Some(before) = tokens.before(index) else { return true };
    let quote = matches!(before.text, "\"" | "“" | "„" | "»" | "«" | "(" | "*" | "-" | "•" | "'" | "#" | ">");
    quote && index == 1
        || matches!(before.text, "." | "!" | "?" | "…" | ":" | ";" | "•" | "\"" | "“" | "„")
        || tokens.get(index).is_some_and(|token| tokens.text[before.end()..token.start].contains('\n'))
}

/// Whether a word of a quote is a form of a name: the name itself, or the name under a Croatian case or
/// possessive ending from a closed list, with the sound changes that go with it. Both in plain form.
///
/// `inflected` says that the quote may be Croatian; in plainly English words only the name itself counts,
/// since `Ivana` is not `Ivan` there. `capital` says that the word is capitalised.
pub(crate) fn is_form(name: &str, word: &str, inflected: bool, capital: bool) -> bool {
    if name == word {
        return true;
    }
    let letters = name.chars().count();
    // The first two letters never change, which also keeps most words from being looked at twice.
    let shared = name.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
    if !inflected || letters < 3 || shared < 2 || name.ends_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let last = name.chars().next_back().unwrap_or_default();
    let stem = &name[..name.len() - last.len_utf8()];
    // A stem of two letters (`An-a`) is too short to tell a name from a word, unless it is written as one.
    let short = letters <= 3 && !capital;
    let ends = |stem: &str, endings: &[&str]| {
        word.strip_prefix(stem).is_some_and(|ending| endings.contains(&ending))
    };
    match last {
        'a' => {
            (!short && (ends(stem, FEMININE) || ends(stem, FEMININE_POSSESSIVE)))
                || softened(stem).is_some_and(|soft| {
                    ends(&soft, &["i", "in", "ina", "ino", "inu", "ine", "ini", "inog", "inom", "inoj"])
                })
        }
        'e' | 'o' => {
            (!short && (ends(stem, NEUTER) || ends(stem, MASCULINE_POSSESSIVE)))
                || (last == 'e' && (ends(name, MASCULINE) || ends(name, MASCULINE_POSSESSIVE)))
                || stem
                    .strip_suffix('a')
                    .is_some_and(|stem| last == 'o' && ends(&format!("{stem}l"), MASCULINE))
        }
        'i' | 'y' | 'u' => {
            ends(&format!("{name}j"), MASCULINE)
                || ends(&format!("{name}j"), MASCULINE_POSSESSIVE)
                || ends(name, MASCULINE_POSSESSIVE)
                || (last == 'y' && ends(name, MASCULINE))
                || (last == 'i'
                    && !short
                    && (ends(stem, PLURAL) || fleeting_plural(stem).is_some_and(|plural| plural == word)))
        }
        _ => {
            ends(name, MASCULINE)
                || ends(name, MASCULINE_POSSESSIVE)
                || softened(name).is_some_and(|soft| ends(&soft, &["e", "i", "ima"]))
                || without_fleeting(name)
                    .is_some_and(|stem| ends(&stem, MASCULINE) || ends(&stem, MASCULINE_POSSESSIVE))
        }
    }
}

/// Endings after a consonant: cases, and the long plural.
const MASCULINE: &[&str] =
    &["a", "u", "e", "om", "em", "i", "ima", "ovi", "evi", "ove", "eve", "ovima", "evima", "ova", "eva"];
/// `Karthikov`, `Karthikova`, …
const MASCULINE_POSSESSIVE: &[&str] = &[
    "ov", "ova", "ovo", "ove", "ovi", "ovu", "ovog", "ovoga", "ovom", "ovome", "ovoj", "ovim", "ovih",
    "ovima", "ev", "eva", "evo", "eve", "evi", "evu", "evog", "evoga", "evom", "evome", "evoj", "evim",
    "evih", "evima",
];
/// Endings in place of a final `a`, those of adjectives (`Hrvatskoj`) among them.
const FEMININE: &[&str] = &["e", "i", "u", "o", "om", "ama", "oj"];
/// `Anin`, `Anina`, …
const FEMININE_POSSESSIVE: &[&str] = &[
    "in", "ina", "ino", "ine", "ini", "inu", "inog", "inoga", "inom", "inome", "inoj", "inim", "inih",
    "inima",
];
/// Endings in place of a final `e` or `o`: `Marko`, `Hrvoje`, `Plitvice`.
const NEUTER: &[&str] = &["a", "u", "e", "o", "om", "em", "i", "ima", "ama"];
/// Endings in place of a final `i`: `Vinkovci`, and adjectives (`Novi`).
const PLURAL: &[&str] =
    &["a", "e", "u", "o", "ima", "ama", "og", "oga", "om", "ome", "omu", "im", "ih", "oj"];

/// The stem before an ending that softens it: `Rijek-` is `Rijec-` before `i`, `Vuk-` is `Vuč-` before `e`.
fn softened(stem: &str) -> Option<String> {
    // Plain forms hold no carons, so `č` and `c` are one.
    let soft = match stem.chars().next_back()? {
        'k' => 'c',
        'g' => 'z',
        'h' => 's',
        _ => return None,
    };
    Some(format!("{}{soft}", &stem[..stem.len() - 1]))
}

/// The stem that loses its last vowel before an ending: `Petar` is `Petr-`, `Čakovec` is `Čakovc-`.
fn without_fleeting(name: &str) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    let consonant = letters.pop()?;
    let vowel = letters.pop()?;
    let before = *letters.last()?;
    let fleeting = vowel == 'a' || (vowel == 'e' && consonant == 'c');
    if !fleeting || is_vowel(before) || is_vowel(consonant) || letters.len() < 2 {
        return None;
    }
    letters.push(consonant);
    Some(letters.into_iter().collect())
}

/// The genitive of a plural name: `Vinkovci` is `Vinkovaca`.
fn fleeting_plural(stem: &str) -> Option<String> {
    let mut letters: Vec<char> = stem.chars().collect();
    let last = letters.pop()?;
    let before = *letters.last()?;
    if is_vowel(last) || is_vowel(before) {
        return None;
    }
    letters.extend(['a', last, 'a']);
    Some(letters.into_iter().collect())
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Whether two ordinary words are forms of one: equal stems under closed English and Croatian endings, or a
/// long common beginning with short different ends (`vegetarian`, `vegetarijanac`).
pub(crate) fn is_same_word(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    // Forms in languages without such endings are compared whole.
    let shared: usize =
        one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (tail, other_tail) = (&one[shared..], &other[shared..]);
    let length = one[..shared].chars().count();
    if length < 3 {
        return false;
    }
    // `radi` and `radim`, but not `pain` and `paint`; and after three letters hardly anything: not `tea` and `team`.
    let vowel = one[..shared].chars().next_back().is_some_and(is_vowel);
    let closed = |tail: &str| match length {
        3 => matches!(tail, "" | "s" | "a" | "e" | "i" | "o" | "u" | "om"),
        _ => WORD_ENDINGS.contains(&tail) || (vowel && AFTER_VOWEL.contains(&tail)),
    };
    if closed(tail) && closed(other_tail) {
        return true;
    }
    let longest = length + tail.chars().count().max(other_tail.chars().count());
    length >= 5 && tail.chars().count() <= 5 && other_tail.chars().count() <= 5 && length * 10 >= longest * 6
}

/// What may differ at the end of two forms of one ordinary word.
const WORD_ENDINGS: &[&str] = &[
    "", "s", "es", "ed", "ing", "er", "ers", "ly", "y", "ies", "ied", "en", // English
    "a", "e", "i", "o", "u", "om", "em", "am", "im", "ama", "ima", "og", "oga", "oj", "ih", "ov", "ova",
    "in", "ina", "te", "ti", "la", "lo", "li", "le", "ju", "je", "ce", "ci", "ca", "ak", "ka", "ku", "ki",
    "ke",
];

/// The same after a vowel only.
const AFTER_VOWEL: &[&str] = &["d", "n", "r", "m", "t", "k", "mo"];

/// Words that carry no content of their own, in plain form: they need not stand, and never ground anything.
pub(crate) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

const FUNCTION_WORDS: &[&str] = &[
    "a", "an", "the", "i", "me", "my", "mine", "we", "us", "our", "you", "your", "he", "him", "his", "she",
    "her", "it", "its", "they", "them", "their", "this", "that", "these", "those", "who", "whom", "which",
    "what", "is", "am", "are", "was", "were", "be", "been", "being", "do", "does", "did", "has", "have",
    "had", "will", "would", "can", "could", "should", "shall", "may", "might", "must", "and", "or", "but",
    "nor", "so", "if", "then", "than", "as", "of", "in", "on", "at", "by", "to", "for", "from", "with",
    "without", "into", "onto", "about", "over", "under", "not", "no", "there", "here", "when", "where",
    "why", "how", "also", "too", "very", "just", "only", "owner", "user", "self", "per", "s", "t", "re",
    "ve", "ll", "m", "d", "up", "out", "off", "any", "all", "some", "each", "every", // English
    "u", "na", "je", "su", "sam", "si", "smo", "ste", "se", "sebe", "mi", "ti", "on", "ona", "ono", "oni",
    "one", "moj", "moja", "moje", "moju", "mog", "moga", "mom", "tvoj", "tvoja", "svoj", "svoja", "svoju",
    "njegov", "njezin", "nas", "vas", "njih", "da", "ne", "ni", "li", "ili", "ali", "te", "pa", "za", "od",
    "iz", "sa", "k", "ka", "o", "po", "pri", "kod", "bez", "kao", "koji", "koja", "koje", "ja", "mene",
    "meni", "mnom", "sto", "tko", "gdje", "kad", "kada", "kako", "ce", "cu", "bi", "bih", "biti", "bio",
    "bila", "ima", "imam", "to", "ta", "taj", "ovo", "ova", "ovaj", "samo", "jer", "vrlo", "jako", "vec",
    "jos",
];

/// Words that often open a sentence, so that their capital says nothing.
fn is_opener(word: &str) -> bool {
    OPENERS.contains(&word) || (word.len() >= 6 && (word.ends_with("ing") || word.ends_with("ly")))
}

const OPENERS: &[&str] = &[
    "prefers",
    "prefer",
    "likes",
    "like",
    "loves",
    "love",
    "hates",
    "hate",
    "dislikes",
    "dislike",
    "wants",
    "want",
    "needs",
    "need",
    "uses",
    "use",
    "works",
    "work",
    "worked",
    "lives",
    "live",
    "lived",
    "moved",
    "moves",
    "speaks",
    "speak",
    "answer",
    "answers",
    "reply",
    "replies",
    "respond",
    "write",
    "writes",
    "keep",
    "keeps",
    "avoid",
    "avoids",
    "never",
    "always",
    "often",
    "sometimes",
    "usually",
    "wakes",
    "gets",
    "goes",
    "runs",
    "plays",
    "drinks",
    "eats",
    "reads",
    "plans",
    "plan",
    "started",
    "starts",
    "start",
    "stopped",
    "stops",
    "stop",
    "finished",
    "finishes",
    "ships",
    "ship",
    "shipped",
    "due",
    "deadline",
    "meeting",
    "meetings",
    "short",
    "long",
    "brief",
    "direct",
    "formal",
    "informal",
    "concise",
    "detailed",
    "senior",
    "junior",
    "lead",
    "head",
    "chief",
    "software",
    "engineer",
    "manager",
    "developer",
    "designer",
    "teacher",
    "doctor",
    "nurse",
    "student",
    "owns",
    "leads",
    "manages",
    "decided",
    "decision",
    "use",
    "used",
    "allergic",
    "vegetarian",
    "vegan",
    "budget",
    "please",
    "don",
    "before",
    "after",
    "until",
    "since",
    "between",
    "around",
    "learn",
    "learns",
    "wrote",
    "built",
    "builds",
    "build",
    "project",
    "team",
    "company",
    "active",
    "paused",
    "done",
    "blocked",
    "planned",
    "cancelled",
    "completed",
    "draft",
    "final",
    "new",
    "old",
    "early",
    "late",
    "green",
    "red",
    "blue",
    "black",
    "white",
    "tea",
    "coffee",
    "morning",
    "evening",
    "weekly",
    "daily",
    "monthly",
    "monday",
    "born",
    "married",
    "single",
    "cares",
    "takes",
    "take",
    "makes",
    "make",
    "call",
    "calls",
    "call",
    "now",
    "today",
    "next",
    "last",
    "first",
    "second",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "one",
    "half",
    "quarter",
    "noon",
    "midnight",
    "good",
    "great",
    "best",
    "thinks",
    "believes",
    "knows",
    "agreed",
    "remember",
    "note",
    "let",
    "see",
    "yes",
    "both",
    "more",
    "most",
    "less",
    "many",
    "few",
    "other",
    "another",
    "because",
    "while",
    "during",
    "their",
    "please",
    "thanks",
    "hi",
    "hello",
    "hey",
    "dear",
    "status",
    "moving", // English
    "voli",
    "volim",
    "zeli",
    "zelim",
    "radi",
    "radim",
    "zivi",
    "zivim",
    "treba",
    "trebam",
    "koristi",
    "koristim",
    "govori",
    "govorim",
    "pise",
    "pisem",
    "pije",
    "pijem",
    "jede",
    "jedem",
    "ide",
    "idem",
    "nikad",
    "nikada",
    "uvijek",
    "cesto",
    "ponekad",
    "obicno",
    "prije",
    "poslije",
    "nakon",
    "izmedu",
    "oko",
    "danas",
    "sutra",
    "jucer",
    "rok",
    "sastanak",
    "sastanci",
    "kratko",
    "kratki",
    "odgovaraj",
    "odgovori",
    "molim",
    "zovem",
    "nemoj",
    "nema",
    "nije",
    "nisam",
    "moramo",
    "moram",
    "mora",
    "dogovorili",
    "odlucili",
    "odluka",
    "projekt",
    "tim",
    "selim",
    "preselio",
    "preselila",
    "preferira",
    "preferiram",
    "alergican",
    "alergicna",
    "vegetarijanac",
    "vegetarijanka",
    "upamti",
    "zapamti",
    "svaki",
    "svake",
    "svaku",
    "novi",
    "nova",
    "novo",
    "stari",
    "dobar",
    "dobro",
    "hvala",
    "bok",
    "evo",
    "pola",
    "podne",
    "ponoc",
    "jedan",
    "dva",
    "dvije",
    "tri",
    "cetiri",
    "pet",
    "sest",
    "sedam",
    "osam",
    "devet",
    "deset",
];
