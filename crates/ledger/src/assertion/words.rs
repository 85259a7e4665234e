//! The words that take an assertion back, in English and Croatian. One function a kind, each answering the clue.

use super::clauses::{Sentence, is_filler};
use crate::quote::Span;

/// `do I …?`, `živim li …`, `I wonder if …`, and the declarative `I live in Rome?`.
pub(super) fn question(sentence: &Sentence<'_>) -> Option<Span> {
    let (first_quoted, last_quoted) = sentence.quoted_clauses?;
    if let Some((index, length)) = embedded_question(sentence) {
        let after = sentence.words.iter().skip(index + length).any(|word| word.quoted);
        // Another clause behind it stands on its own: "Let me know if it has nuts, I'm allergic."
        if after && sentence.words[index].clause == first_quoted {
            return Some(sentence.span_of(index, length));
        }
    }
    let told = |index: usize| {
        asks_to_remember(sentence, index) && sentence.words.iter().skip(index).any(|word| word.quoted)
    };
    if (0..sentence.words.len()).any(told) {
        return None;
    }
    let marked = sentence.question_mark.is_some();
    let mut onset = None;
    let mut weak = None;
    for index in 0..sentence.words.len() {
        match asks(sentence, index, marked) {
            Some(Onset::Strong(length)) => {
                onset = Some((index, length));
                break;
            }
            Some(Onset::Weak) if weak.is_none() => weak = Some((index, 1)),
            _ => {}
        }
    }
    if let Some((index, length)) = onset.or(weak) {
        let clause = sentence.words.get(index).map_or(0, |word| word.clause);
        let length_of_clause = sentence.words.iter().filter(|word| word.clause == clause).count();
        // "…, don't I?", "…, je li?": the tag asks about everything before it.
        let is_tag = marked
            && index > 0
            && clause + 1 == sentence.clauses
            && length_of_clause == 2
            && (length == 2 || matches!(sentence.lower(index), "zar" | "jel"));
        return (last_quoted >= clause || is_tag).then(|| sentence.span_of(index, length));
    }
    let mark = sentence.question_mark?;
    let last_clause: Vec<&str> = sentence
        .words
        .iter()
        .filter(|word| word.clause + 1 == sentence.clauses)
        .map(|word| word.lower.as_str())
        .collect();
    match last_clause.as_slice() {
        ["ok" | "okay" | "please" | "alright" | "deal" | "može" | "dobro"]
        | ["u", "redu"]
        | ["all", "right"]
        | ["molim", ..] => None,
        ["right" | "correct" | "yes" | "no" | "eh" | "true" | "točno" | "ne" | "jel" | "da"]
        | ["zar", "ne"]
        | ["jel", ..] => Some(mark),
        _ => (last_quoted + 1 >= sentence.clauses).then_some(mark),
    }
}

enum Onset {
    /// Word order or a question word that can mean nothing else; its length in words.
    Strong(usize),
    /// A question word that may also open a subordinate clause.
    Weak,
}

fn asks(sentence: &Sentence<'_>, index: usize, marked: bool) -> Option<Onset> {
    let word = sentence.lower(index);
    if word == "li" {
        let clause_starts = index > 0 && index <= 4 && sentence.begins_clause(index - 1) || {
            index > 0
                && !matches!(sentence.lower(index - 1), "ako" | "bilo" | "ne" | "samo" | "kamo" | "a")
                && sentence
                    .words
                    .get(index - 1)
                    .is_some_and(|before| before.clause == sentence.words[index].clause)
                && (marked || index == 1)
        };
        let conditional = index > 0 && matches!(sentence.lower(index - 1), "ako" | "bilo");
        return (clause_starts && !conditional).then_some(Onset::Strong(1));
    }
    if !sentence.begins_clause(index) {
        return None;
    }
    let next = sentence.lower(index + 1);
    let previous = index.checked_sub(1).map_or("", |before| sentence.lower(before));
    match word {
        "do" | "does" | "did" | "is" | "are" | "am" | "was" | "were" | "can" | "could" | "will" | "would"
        | "should" | "have" | "has" | "had" | "may" | "might" | "shall" | "must" | "don't" | "doesn't"
        | "didn't" | "isn't" | "aren't" | "wasn't" | "weren't" | "can't" | "couldn't" | "won't"
        | "wouldn't" | "shouldn't" | "haven't" | "hasn't" | "ain't" => {
            if matches!(previous, "so" | "neither" | "nor" | "as" | "than")
                || asks_to_remember(sentence, index)
            {
                return None;
            }
            let pronoun = matches!(next, "i" | "you" | "we" | "they" | "he" | "she" | "it");
            let be = matches!(
                word,
                "is" | "are" | "was" | "were" | "isn't" | "aren't" | "wasn't" | "weren't" | "am"
            );
            let determined = matches!(
                next,
                "there"
                    | "this"
                    | "that"
                    | "my"
                    | "your"
                    | "our"
                    | "the"
                    | "a"
                    | "an"
                    | "any"
                    | "anyone"
                    | "someone"
                    | "these"
                    | "those"
                    | "his"
                    | "her"
                    | "their"
                    | "anybody"
            );
            let named = sentence.words.get(index + 1).is_some_and(|word| word.capital);
            // Without a mark `had I known`, `should you need` and `don't you` are no questions.
            let inverted_condition =
                matches!(word, "had" | "should" | "were") && !marked && !(word == "should" && next == "i");
            let unmarked = (pronoun && !word.ends_with("n't")
                || (be && matches!(next, "my" | "there" | "the" | "this" | "that")))
                && !inverted_condition;
            (if marked { pronoun || determined || named } else { unmarked }).then_some(Onset::Strong(2))
        }
        "what" | "where" | "why" | "how" | "whose" | "whom" | "what's" | "where's" | "how's" | "who's"
        | "when's" => {
            let aux = matches!(
                next,
                "do" | "does"
                    | "did"
                    | "is"
                    | "are"
                    | "am"
                    | "was"
                    | "were"
                    | "can"
                    | "could"
                    | "will"
                    | "would"
                    | "should"
                    | "have"
                    | "has"
                    | "had"
            ) && matches!(
                sentence.lower(index + 2),
                "i" | "you" | "we" | "they" | "he" | "she" | "it" | "my" | "your" | "our"
            );
            if word == "what" && next == "if" {
                return None;
            }
            (marked || aux || (word.ends_with("'s") && next == "my")).then_some(Onset::Strong(1))
        }
        "when" | "who" | "which" => {
            let aux = matches!(
                next,
                "do" | "does" | "did" | "is" | "are" | "am" | "was" | "were" | "can" | "will" | "should"
            );
            let asked = aux && matches!(sentence.lower(index + 2), "i" | "my" | "you" | "we" | "the");
            if asked && (marked || index == 0) {
                Some(Onset::Strong(2))
            } else {
                marked.then_some(Onset::Weak)
            }
        }
        "gdje" | "tko" | "ko" | "što" | "šta" | "kako" | "zašto" | "koliko" | "čiji" | "čija" | "čije"
        | "kamo" | "odakle" | "otkud" | "zar" => {
            if matches!(word, "što" | "šta") && next == "ako" {
                return None;
            }
            (marked || word == "zar").then_some(Onset::Strong(1))
        }
        "kad" | "kada" | "koji" | "koja" | "koje" | "kojeg" | "kojoj" | "kojem" | "kojim" => {
            marked.then_some(Onset::Weak)
        }
        "jel" | "je'l" | "jel'" => Some(Onset::Strong(1)),
        "je" if next == "l" => Some(Onset::Strong(2)),
        "da" if next == "li" => Some(Onset::Strong(2)),
        _ => None,
    }
}

/// "Can you remember that I'm vegan?" is an order and "did you know that I'm vegan?" news: what follows is told.
fn asks_to_remember(sentence: &Sentence<'_>, index: usize) -> bool {
    if sentence.lower(index + 1) != "you" || !sentence.begins_clause(index) {
        return false;
    }
    let asked =
        |word: &str| matches!(word, "if" | "whether" | "where" | "what" | "when" | "who" | "how" | "which");
    let tells = match sentence.lower(index) {
        "did" => sentence.lower(index + 2) == "know",
        "can" | "could" | "will" | "would" => (index + 2..index + 5).any(|at| {
            matches!(
                sentence.lower(at),
                "remember"
                    | "note"
                    | "save"
                    | "store"
                    | "record"
                    | "memorize"
                    | "memorise"
                    | "update"
                    | "keep"
            )
        }),
        _ => false,
    };
    tells && !(index..index + 7).any(|at| asked(sentence.lower(at)))
}

/// `I wonder if`, `tell me where`, `zanima me`: index and length of the phrase.
fn embedded_question(sentence: &Sentence<'_>) -> Option<(usize, usize)> {
    (0..sentence.words.len()).find_map(|index| {
        let next = sentence.lower(index + 1);
        let after = sentence.lower(index + 2);
        let asked = |word: &str| {
            matches!(word, "if" | "whether" | "where" | "what" | "when" | "who" | "how" | "which" | "why")
        };
        match sentence.lower(index) {
            "wonder" | "wondering" if asked(next) => Some((index, 2)),
            "know" | "see" | "check" | "ask" | "asked" | "asks" | "asking" | "verify" | "confirm"
            | "find" | "sure" | "remember" | "recall" | "forgot" | "unsure"
                if matches!(next, "if" | "whether") && !is_order_after(sentence, index) =>
            {
                Some((index, 2))
            }
            "tell" | "remind" | "ask" | "show"
                if matches!(next, "me" | "him" | "her" | "them") && asked(after) =>
            {
                Some((index, 3))
            }
            "zanima" if matches!(next, "me" | "ga" | "ju" | "nas") => Some((index, 2)),
            "pitam" | "pitao" | "pitala" | "pitaju" if matches!(next, "se" | "me" | "li" | "sam") => {
                Some((index, 2))
            }
            "reci" | "podsjeti"
                if matches!(
                    after,
                    "gdje" | "što" | "kada" | "kad" | "tko" | "kako" | "koji" | "koliko" | "li"
                ) || next == "mi" && after == "je" =>
            {
                Some((index, 2))
            }
            _ => None,
        }
    })
}

/// "Let me know if …" speaks of a condition for the assistant, as does "check if"; the question is in what follows either way.
fn is_order_after(sentence: &Sentence<'_>, index: usize) -> bool {
    // `make sure if`, `as far as I know if` do not occur; `you know if` asks.
    index > 0 && sentence.lower(index - 1) == "make"
}

/// `imagine`, `let's say`, `zamisli`, `recimo da`; also carried over from the sentence before.
pub(super) fn hypothetical(sentence: &Sentence<'_>) -> Option<Span> {
    let (_, last_quoted) = sentence.quoted_clauses?;
    for index in 0..sentence.words.len() {
        let length = supposes(sentence, index);
        if length == 0 {
            continue;
        }
        let clause = sentence.words[index].clause;
        let anywhere =
            matches!(sentence.lower(index), "hypothetically" | "hipotetski" | "theoretically" | "teoretski");
        let reset = reset_between(sentence, index);
        if (last_quoted >= clause && !reset) || anywhere {
            return Some(sentence.span_of(index, length));
        }
    }
    carried_over(sentence)
}

fn supposes(sentence: &Sentence<'_>, index: usize) -> usize {
    let next = sentence.lower(index + 1);
    let first = sentence.begins_clause(index);
    match sentence.lower(index) {
        "hypothetically" | "hipotetski" | "theoretically" | "teoretski" => 1,
        "imagine" | "suppose" | "supposing" | "pretend" | "assume" | "assuming" | "zamisli" | "zamislimo"
        | "zamislite" | "pretpostavimo" | "pretpostavi" | "pretpostavite"
            if first =>
        {
            1
        }
        // "Act as someone where I live in Rome"; not "Act as my agent, I live in Rome".
        "act" | "play" | "glumi"
            if first
                && sentence
                    .words
                    .iter()
                    .skip(index + 1)
                    .take(10)
                    .take_while(|word| {
                        word.clause == sentence.words[index].clause || is_relative(&word.lower)
                    })
                    .any(|word| is_relative(&word.lower)) =>
        {
            1
        }
        "let's" | "lets" if matches!(next, "say" | "pretend" | "imagine" | "assume" | "suppose") => 2,
        "let"
            if next == "us"
                && matches!(
                    sentence.lower(index + 2),
                    "say" | "pretend" | "imagine" | "assume" | "suppose"
                ) =>
        {
            3
        }
        "say" if first && matches!(next, "i" | "i'm" | "my" | "we") => 1,
        "what" if next == "if" && first => 2,
        "in" if next == "theory" => 2,
        "recimo" | "kao" if next == "da" => 2,
        "as" if matches!(next, "if" | "though") => 2,
        "parallel" | "alternate" if matches!(next, "universe" | "world" | "life") => 2,
        "dreamt" | "dreamed" | "sanjao" | "sanjala" => 1,
        "u" if next == "snu" => 2,
        "što" | "šta" if next == "ako" => 2,
        "u" if next == "teoriji" => 2,
        "pravi" | "pravimo" | "glumi" if sentence.stands(index + 1, "se da") || next == "da" => 2,
        _ => 0,
    }
}

fn is_relative(word: &str) -> bool {
    matches!(
        word,
        "where"
            | "who"
            | "whose"
            | "whom"
            | "that"
            | "which"
            | "koji"
            | "koja"
            | "koje"
            | "gdje"
            | "čiji"
            | "čija"
    )
}

/// "Imagine we moved. I live in Rome now." The second sentence is still imagined.
fn carried_over(sentence: &Sentence<'_>) -> Option<Span> {
    const OPENERS: [&str; 10] = [
        "imagine",
        "suppose",
        "let's say",
        "let's pretend",
        "let's imagine",
        "hypothetically",
        "zamisli",
        "zamislimo",
        "pretpostavimo",
        "recimo da",
    ];
    let trimmed = sentence.before.trim_start();
    let start = sentence.before_start + (sentence.before.len() - trimmed.len());
    let lower = trimmed
        .get(..trimmed.char_indices().nth(20).map_or(trimmed.len(), |(offset, _)| offset))?
        .to_lowercase()
        .replace('’', "'");
    let opener = OPENERS.iter().find(|opener| {
        lower.strip_prefix(**opener).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })?;
    // The typographic apostrophe is two bytes longer; the clue only has to lie on characters.
    let length =
        trimmed.char_indices().nth(opener.chars().count()).map_or(trimmed.len(), |(offset, _)| offset);
    Some(Span::new(start, start + length))
}

/// Whether a contrast stands between the clue and the first quoted word.
fn reset_between(sentence: &Sentence<'_>, index: usize) -> bool {
    let first_quoted = sentence.words.iter().position(|word| word.quoted).unwrap_or(0);
    sentence
        .words
        .iter()
        .take(first_quoted + 1)
        .skip(index)
        .any(|word| matches!(word.lower.as_str(), "but" | "ali" | "anyway" | "however" | "međutim"))
}

/// `if`, `unless`, `ako`, `kad bih`, `da sam … bih`.
pub(super) fn conditional(sentence: &Sentence<'_>) -> Option<Span> {
    let (first_quoted, last_quoted) = sentence.quoted_clauses?;
    let would = |clause: usize| {
        sentence.words.iter().any(|word| {
            word.clause == clause
                && (matches!(
                    word.lower.as_str(),
                    "would" | "could" | "might" | "wouldn't" | "couldn't" | "bih" | "bi" | "bismo"
                ) || word.lower.ends_with("'d"))
        })
    };
    for index in 0..sentence.words.len() {
        let length = conditions(sentence, index);
        if length == 0 {
            continue;
        }
        let clause = sentence.words[index].clause;
        let initial = sentence.begins_clause(index);
        let after = last_quoted >= clause && sentence.words.iter().skip(index).any(|word| word.quoted);
        // A condition at the head of a sentence governs all of it, one behind its main clause only itself.
        let governs_on = after
            && (first_quoted == clause || last_quoted == clause || (initial && governs_all(sentence, index)))
            && !reset_between(sentence, index);
        let before_in_clause =
            sentence.words.iter().take(index).any(|word| word.quoted && word.clause == clause);
        let before_with_would = first_quoted < clause && (first_quoted..=last_quoted.min(clause)).any(would);
        if governs_on || before_in_clause || before_with_would {
            return Some(sentence.span_of(index, length));
        }
    }
    in_scope(sentence, would_only, Reach::ToNextSubject).or_else(|| would_behind(sentence))
}

/// "I would live in Rome", "I'd live in Rome", "živio bih u Rimu": said without its condition, it is still not so.
///
/// Manners of speaking are left to the other rules: "I'd like", "I'd rather", "I would say", "rado bih". So are denials:
/// "I would never" is a rule against something.
fn would_only(sentence: &Sentence<'_>, index: usize) -> usize {
    let word = sentence.lower(index);
    if matches!(word, "bih" | "bismo") {
        return usize::from(!polite_bih(sentence, index));
    }
    let subject = match word {
        "would" => (0..index)
            .rev()
            .find(|at| !is_adverb(sentence.lower(*at)))
            .filter(|at| matches!(sentence.lower(*at), "i" | "we")),
        "i'd" | "we'd" | "id" => Some(index).filter(|_| word != "id" || sentence.begins_clause(index)),
        _ => None,
    };
    let Some(subject) = subject else { return 0 };
    let mut next = index + 1;
    while is_adverb(sentence.lower(next)) {
        next += 1;
    }
    let verb = sentence.lower(next);
    let after = sentence.lower(next + 1);
    let manner = matches!(
        verb,
        "" | "like"
            | "love"
            | "prefer"
            | "rather"
            | "sooner"
            | "better"
            | "appreciate"
            | "want"
            | "wish"
            | "hope"
            | "hate"
            | "dislike"
            | "mind"
            | "avoid"
            | "skip"
            | "say"
            | "think"
            | "guess"
            | "argue"
            | "describe"
            | "consider"
            | "call"
            | "recommend"
            | "suggest"
            | "ask"
            | "welcome"
            | "choose"
            | "pick"
            | "opt"
            | "go"
            | "favor"
            | "favour"
            | "enjoy"
            | "expect"
            | "imagine"
            | "not"
            | "never"
    );
    let glad = verb == "be"
        && matches!(
            after,
            "happy"
                | "glad"
                | "grateful"
                | "thankful"
                | "delighted"
                | "interested"
                | "fine"
                | "ok"
                | "okay"
                | "great"
                | "good"
                | "nice"
        );
    // "I'd moved" and "I'd been" are what had happened.
    let had = word != "would"
        && (verb.ends_with("ed") && !matches!(verb, "need" | "feed" | "exceed" | "succeed" | "speed")
            || matches!(
                verb,
                "been"
                    | "had"
                    | "gone"
                    | "got"
                    | "gotten"
                    | "bought"
                    | "taken"
                    | "done"
                    | "made"
                    | "left"
                    | "lost"
                    | "told"
                    | "said"
                    | "thought"
                    | "forgotten"
                    | "given"
                    | "seen"
            ));
    if manner || glad || had || !speaks_first(sentence, subject) { 0 } else { 1 }
}

/// Words that may stand between an auxiliary and its verb.
fn is_adverb(word: &str) -> bool {
    matches!(
        word,
        "really"
            | "also"
            | "just"
            | "still"
            | "always"
            | "definitely"
            | "probably"
            | "certainly"
            | "much"
            | "very"
            | "strongly"
            | "honestly"
            | "personally"
            | "gladly"
            | "then"
            | "now"
            | "even"
            | "actually"
            | "too"
            | "surely"
            | "happily"
            | "generally"
            | "usually"
    )
}

/// Whether the subject at `subject` is the first of its clause or stands after "I think", so that what it would do is
/// the statement, not an aside: "a city I would recommend".
fn speaks_first(sentence: &Sentence<'_>, subject: usize) -> bool {
    let Some(own) = sentence.words.get(subject) else { return false };
    let quote_begins = sentence.words.iter().position(|word| word.quoted).unwrap_or(0);
    let thought = subject.checked_sub(1).is_some_and(|at| {
        matches!(
            sentence.lower(at),
            "think" | "guess" | "believe" | "suppose" | "know" | "feel" | "bet" | "say" | "that"
        )
    });
    let first =
        !sentence.words[..subject].iter().any(|word| word.clause == own.clause && is_subject(&word.lower));
    first || thought || subject <= quote_begins
}

/// `bih` behind the quoted words of its own clause: "u Rimu bih živio".
fn would_behind(sentence: &Sentence<'_>) -> Option<Span> {
    let (first, last) = sentence.quoted_clauses?;
    (0..sentence.words.len()).find_map(|index| {
        let clause = sentence.words[index].clause;
        let governs = matches!(sentence.lower(index), "bih" | "bismo")
            && first == last
            && clause == first
            && would_only(sentence, index) > 0;
        governs.then(|| sentence.span_of(index, 1))
    })
}

/// `bih` with a verb of wishing, asking or saying, denied, of purpose (`da bih`), or in a clause of its own (`koji bih`).
fn polite_bih(sentence: &Sentence<'_>, index: usize) -> bool {
    let near = |at: usize| {
        matches!(
            sentence.lower(at),
            "volio"
                | "voljela"
                | "volila"
                | "voleo"
                | "voljeli"
                | "htio"
                | "htjela"
                | "htjeli"
                | "želio"
                | "željela"
                | "željeli"
                | "rado"
                | "radije"
                | "najradije"
                | "molio"
                | "molila"
                | "zamolio"
                | "zamolila"
                | "molili"
                | "rekao"
                | "rekla"
                | "cijenio"
                | "cijenila"
                | "preferirao"
                | "preferirala"
                | "preporučio"
                | "preporučila"
                | "izbjegao"
                | "izbjegla"
                | "trebao"
                | "trebala"
                | "trebali"
                | "zahvalan"
                | "zahvalna"
                | "drago"
                | "ne"
                | "nikad"
                | "nikada"
                | "nigdje"
        )
    };
    let aside = sentence.words[..index].iter().rev().take(4).any(|word| {
        word.clause == sentence.words[index].clause
            && matches!(
                word.lower.as_str(),
                "da" | "koji" | "koja" | "koje" | "koju" | "kojem" | "kojoj" | "što" | "gdje" | "kako"
            )
    });
    (index.saturating_sub(2)..index + 4)
        .filter(|at| sentence.words.get(*at).is_some_and(|word| word.clause == sentence.words[index].clause))
        .any(near)
        || aside
}

/// Nothing but fillers before the condition: it opens the sentence (or the part after a contrast).
fn governs_all(sentence: &Sentence<'_>, index: usize) -> bool {
    sentence.words.iter().take(index).all(|word| is_filler(&word.lower))
}

fn conditions(sentence: &Sentence<'_>, index: usize) -> usize {
    let next = sentence.lower(index + 1);
    let after = sentence.lower(index + 2);
    let previous = index.checked_sub(1).map_or("", |before| sentence.lower(before));
    match sentence.lower(index) {
        "if" => {
            let complement = matches!(
                previous,
                "as" | "what"
                    | "know"
                    | "tell"
                    | "ask"
                    | "see"
                    | "check"
                    | "wonder"
                    | "sure"
                    | "remember"
                    | "verify"
                    | "wondering"
            );
            let polite = polite_condition(next, after, sentence.lower(index + 3));
            usize::from(!complement && !polite && !is_preferred(sentence, index))
        }
        "unless" => 1,
        "ako" | "ukoliko" => {
            let polite = matches!(
                (next, after),
                ("te" | "vas", "zanima")
                    | ("pomaže" | "treba" | "hoćeš" | "pitaš" | "pitate" | "moguće", _)
                    | ("se", "dobro" | "ne" | "sjećaš")
                    | ("ti", "znači" | "treba" | "pomaže")
                    | ("je", "važno" | "moguće" | "potrebno" | "bitno")
                    | ("nisi", "znao" | "znala")
            );
            usize::from(!polite && previous != "što" && previous != "šta")
        }
        "kad" | "kada" if matches!(next, "bih" | "bi" | "bismo" | "biste") => 2,
        "da" if index == 0
            && next != "li"
            && sentence.words.get(1).is_some_and(|word| word.clause == sentence.words[0].clause) =>
        {
            usize::from(
                sentence
                    .words
                    .iter()
                    .any(|word| matches!(word.lower.as_str(), "bih" | "bi" | "bismo" | "biste")),
            )
        }
        "provided" | "providing" if matches!(next, "that" | "i" | "we") => 1,
        "in" if next == "case" => 2,
        "u" if next == "slučaju" && after == "da" => 3,
        "pod" if next == "uvjetom" => 2,
        "had" | "were"
            if sentence.begins_clause(index) && next == "i" && sentence.question_mark.is_none() =>
        {
            2
        }
        _ => 0,
    }
}

/// "if I'm honest", "if it helps", "if possible" do not make what they go with depend on anything.
fn polite_condition(next: &str, after: &str, third: &str) -> bool {
    let mistaken = matches!(third, "mistaken" | "wrong" | "honest");
    match next {
        "only" | "possible" | "needed" | "necessary" | "anything" | "so" | "anyone" => true,
        "it" | "that" | "this" if after == "is" => {
            matches!(third, "ok" | "okay" | "possible" | "relevant" | "important" | "useful" | "fine")
        }
        "it" | "that" | "this" => matches!(after, "helps" | "matters" | "makes" | "works"),
        "it's" | "that's" => {
            matches!(after, "ok" | "okay" | "possible" | "relevant" | "important" | "useful" | "fine")
        }
        "you" | "you're" => matches!(
            after,
            "need"
                | "want"
                | "wonder"
                | "wondering"
                | "ask"
                | "asking"
                | "remember"
                | "recall"
                | "didn't"
                | "don't"
                | "must"
                | "curious"
                | "interested"
                | "were"
                | "are"
                | "like"
                | "prefer"
                | "wish"
        ),
        "i'm" => matches!(after, "honest" | "being") || (after == "not" && mistaken),
        "i" | "we" => matches!(after, "recall" | "remember" | "may") || (after == "am" && mistaken),
        _ => false,
    }
}

/// "I'd appreciate it if you answered in German" states a wish, not a condition.
fn is_preferred(sentence: &Sentence<'_>, index: usize) -> bool {
    (index.saturating_sub(3)..index).any(|at| {
        matches!(
            sentence.lower(at),
            "appreciate"
                | "prefer"
                | "great"
                | "nice"
                | "glad"
                | "better"
                | "helpful"
                | "mind"
                | "love"
                | "best"
                | "like"
                | "happy"
                | "good"
        )
    })
}

/// `Bob says …`, `you said …`, `Marko kaže da …`, `apparently`, `according to`.
pub(super) fn reported(sentence: &Sentence<'_>) -> Option<Span> {
    let (_, last_quoted) = sentence.quoted_clauses?;
    let last_word = sentence.words.iter().rposition(|word| word.quoted)?;
    let first_word = sentence.words.iter().position(|word| word.quoted)?;
    for index in 0..sentence.words.len() {
        let next = sentence.lower(index + 1);
        let clause = sentence.words[index].clause;
        match sentence.lower(index) {
            "rumor" | "rumour" if next == "has" => return Some(sentence.span_of(index, 3)),
            "prema"
                if sentence.words.get(index + 1).is_some_and(|name| name.capital) || next == "riječima" =>
            {
                return Some(sentence.span_of(index, 2));
            }
            "apparently" | "supposedly" | "allegedly" | "reportedly" | "navodno" => {
                return Some(sentence.span_of(index, 1));
            }
            "according"
                if next == "to" && !matches!(sentence.lower(index + 2), "my" | "me" | "our" | "this") =>
            {
                return Some(sentence.span_of(index, 2));
            }
            _ => {}
        }
        if !says(sentence, index) {
            continue;
        }
        let told = last_word > index
            && first_word + 3 > index
            && !reset_between(sentence, index)
            && clause + 2 >= sentence.words[first_word].clause;
        // The reporter may come last: "I live in Rome, says Bob".
        let tail = clause > last_quoted
            && clause + 1 == sentence.clauses
            && sentence.words.iter().filter(|word| word.clause == clause).count() <= 3;
        if (told && !is_inside_quote_only(sentence, index, first_word)) || tail {
            return Some(sentence.span_of(index, 1));
        }
    }
    None
}

/// A quote that begins before the reporter is the owner's sentence about the report: "My boss says hi" stands.
fn is_inside_quote_only(sentence: &Sentence<'_>, index: usize, first_word: usize) -> bool {
    let claims_self = sentence.words.iter().skip(index + 1).take(4).any(|word| {
        matches!(word.lower.as_str(), "i" | "i'm" | "i've" | "my" | "that" | "da" | "sam" | "me" | "we")
    });
    first_word <= index && !claims_self
}

fn says(sentence: &Sentence<'_>, index: usize) -> bool {
    let word = sentence.lower(index);
    match word {
        "says" | "said" | "say" | "claims" | "claimed" | "claim" | "thinks" | "thought" | "think"
        | "believes" | "believed" | "insists" | "insisted" | "told" | "wrote" | "writes" | "mentioned"
        | "mentions" | "suggested" | "suggests" | "reckons" | "assumes" | "assumed" | "announced"
        | "argues" => {}
        "kaže" | "kažu" | "rekao" | "rekla" | "rekli" | "rekoše" | "tvrdi" | "tvrde" | "misli" | "misle"
        | "smatra" | "smatraju" | "napisao" | "napisala" | "vjeruje" | "priča" | "pričaju" | "kažeš"
        | "rekneš" | "tvrdiš" | "misliš" | "kazao" | "kazala" => {
            let that = (index + 1..index + 5).any(|at| sentence.lower(at) == "da");
            let own = (index.saturating_sub(3)..index + 4).any(|at| matches!(sentence.lower(at), "sam" | "smo" | "ja"))
                // The `sam` of the reported words stands behind `da`.
                && !(index + 1..index + 5).any(|at| sentence.lower(at) == "da" && (at + 1..at + 4).any(|later| matches!(sentence.lower(later), "sam" | "smo")))
                || index > 0 && matches!(sentence.lower(index - 1), "sam" | "smo")
                || matches!(sentence.lower(index + 1), "sam" | "smo");
            return that && !own;
        }
        // "I heard that …" hands on what others say, although the owner is its subject.
        "heard" => return sentence.lower(index + 1) == "that",
        "čuo" | "čula" => return sentence.stands(index + 1, "sam da") || sentence.lower(index + 1) == "da",
        "piše" => return sentence.lower(index + 1) == "da",
        "telling" => return matches!(sentence.lower(index + 1), "me" | "us") && !sentence.stands(0, "i"),
        _ => return false,
    }
    let mut before = index;
    while let Some(at) = before.checked_sub(1) {
        let skipped = matches!(
            sentence.lower(at),
            "always"
                | "also"
                | "just"
                | "once"
                | "still"
                | "never"
                | "has"
                | "have"
                | "had"
                | "often"
                | "really"
                | "already"
                | "even"
                | "usually"
                | "recently"
                | "keeps"
                | "clearly"
        );
        if !skipped {
            break;
        }
        before = at;
    }
    let Some(subject) = before.checked_sub(1) else { return false };
    if sentence.words[subject].clause != sentence.words[index].clause {
        // "…, says Bob": the subject follows.
        return sentence.words.get(index + 1).is_some_and(|next| next.capital && next.lower != "i");
    }
    !matches!(
        sentence.lower(subject),
        "i" | "we"
            | "i've"
            | "i'd"
            | "we've"
            | "i'll"
            | "to"
            | "and"
            | "that"
            | "would"
            | "could"
            | "can"
            | "will"
            | "should"
            | "a"
            | "the"
            | "my"
            | "second"
            | "good"
            | "not"
            | "don't"
            | "didn't"
            | "let's"
            | "let"
            | "who"
            | "must"
            | "may"
            | "might"
            | "being"
            | "as"
            | "like"
            | "when"
            | "do"
            | "did"
            | "or"
            | "i'm"
            | "what"
            | "first"
            | "be"
            | "which"
            | "please"
    ) || matches!(sentence.lower(subject), "was" | "been" | "were") && word == "told"
}

/// `I wish`, `I'd love to`, `I want`, `I plan to`, `volio bih`, `želim`, `planiram`.
pub(super) fn wish(sentence: &Sentence<'_>) -> Option<Span> {
    in_scope(sentence, wishes, Reach::ToNextSubject)
}

fn wishes(sentence: &Sentence<'_>, index: usize) -> usize {
    let next = sentence.lower(index + 1);
    let previous = index.checked_sub(1).map_or("", |before| sentence.lower(before));
    if is_negation(previous) {
        return 0;
    }
    match sentence.lower(index) {
        "wish" | "hope" | "hoping"
            if matches!(previous, "i" | "we" | "really" | "i'm" | "just" | "still" | "am" | "do") =>
        {
            1
        }
        "hopefully" | "nadam" | "želim" | "planiram" | "namjeravam" | "wanna" => 1,
        "if" if next == "only" => 2,
        "love" | "like" | "want" if (previous == "would" || previous.ends_with("'d")) => 1,
        // "I should live in Rome" says what is not so; "I should mention" says it, "I should never" forbids it.
        "should" if matches!(previous, "i" | "we") && speaks_first(sentence, index - 1) => {
            let mut verb = index + 1;
            while is_adverb(sentence.lower(verb)) {
                verb += 1;
            }
            let says = matches!(
                sentence.lower(verb),
                "" | "mention"
                    | "say"
                    | "note"
                    | "add"
                    | "tell"
                    | "point"
                    | "clarify"
                    | "let"
                    | "explain"
                    | "warn"
                    | "remind"
                    | "have"
                    | "probably"
                    | "not"
                    | "never"
                    | "avoid"
                    | "know"
            );
            usize::from(!says)
        }
        "trebao" | "trebala" | "trebali"
            if matches!(next, "bih" | "bismo") || matches!(previous, "bih" | "bismo") =>
        {
            1
        }
        "want" | "intend" | "plan"
            if matches!(previous, "i" | "we" | "really" | "just" | "also" | "do" | "still") =>
        {
            1
        }
        // "I'm thinking about moving" is a plan, "thinking about tonight" a thought.
        "planning" | "thinking"
            if matches!(next, "to" | "on" | "of" | "about")
                && matches!(previous, "i'm" | "am" | "we're" | "are" | "was" | "been" | "still" | "also")
                && (next == "to" || sentence.lower(index + 2).ends_with("ing")) =>
        {
            2
        }
        "considering" if matches!(previous, "i'm" | "am" | "we're" | "are") => 1,
        "be" if previous == "would"
            && matches!(
                next,
                "great" | "nice" | "lovely" | "fun" | "cool" | "good" | "amazing" | "wonderful" | "happy"
            ) =>
        {
            2
        }
        "dream" | "dreaming" if matches!(next, "of" | "about") => 2,
        "appreciate" if (previous == "would" || previous.ends_with("'d")) => 1,
        "volio" | "voljela" | "htio" | "htjela" | "želio" | "željela"
            if next == "bih" || previous == "bih" =>
        {
            1
        }
        "volila" | "voleo" if next == "bih" => 1,
        "hoću" if previous != "li" && next != "li" => 1,
        "razmišljam" if matches!(next, "o" | "da") => 1,
        "da" if next == "barem" => 2,
        "kamo" if next == "sreće" => 2,
        _ => 0,
    }
}

/// `maybe`, `might`, `I'm not sure`, `možda`.
pub(super) fn uncertain(sentence: &Sentence<'_>) -> Option<Span> {
    in_scope(sentence, doubts, Reach::Clause)
}

fn doubts(sentence: &Sentence<'_>, index: usize) -> usize {
    let next = sentence.lower(index + 1);
    let previous = index.checked_sub(1).map_or("", |before| sentence.lower(before));
    match sentence.lower(index) {
        "maybe" | "perhaps" | "possibly" | "možda" | "valjda" | "unsure" => 1,
        "probably" | "vjerojatno" | "doubt" | "sumnjam" => 1,
        "could" if matches!(previous, "i" | "we") && next != "not" => 1,
        "might" if next != "as" => 1,
        "may" if matches!(previous, "i" | "we") => 1,
        "not" if next == "sure" || next == "certain" => 2,
        "isn't" | "ain't" if next == "sure" => 2,
        "nisam" if matches!(next, "siguran" | "sigurna") => 2,
        "don't" if next == "know" => 2,
        "ne" if next == "znam" => 2,
        _ => 0,
    }
}

/// `used to`, `no longer`, `stopped`, `više ne`, `nekad sam`.
pub(super) fn former(sentence: &Sentence<'_>) -> Option<Span> {
    in_scope(sentence, ended, Reach::Clause).or_else(|| left_behind(sentence))
}

/// "I left Rome", "I moved away from Rome", "odselio sam se iz Rima": where the owner is no more. Where they went instead
/// ("I left Rome for Split") is theirs to state.
fn left_behind(sentence: &Sentence<'_>) -> Option<Span> {
    let (first, last) = sentence.quoted_clauses?;
    let last_word = sentence.words.iter().rposition(|word| word.quoted)?;
    (0..sentence.words.len()).find_map(|index| {
        let length = leaves(sentence, index);
        let clause = sentence.words[index].clause;
        if length == 0 || first != clause || last != clause || last_word < index {
            return None;
        }
        let goes_on = sentence
            .words
            .iter()
            .enumerate()
            .skip(index + length)
            .find(|(_, word)| {
                word.clause == clause
                    && matches!(
                        word.lower.as_str(),
                        "to" | "for" | "and" | "into" | "u" | "na" | "i" | "za" | "because"
                    )
            })
            .is_some_and(|(at, _)| at <= last_word);
        (!goes_on).then(|| sentence.span_of(index, length))
    })
}

fn leaves(sentence: &Sentence<'_>, index: usize) -> usize {
    let next = sentence.lower(index + 1);
    let previous = index.checked_sub(1).map_or("", |before| sentence.lower(before));
    let named = |at: usize| sentence.words.get(at).is_some_and(|word| word.capital && word.lower != "i");
    let own = matches!(
        previous,
        "i" | "we" | "i've" | "we've" | "have" | "just" | "recently" | "finally" | "already"
    );
    let out_of = (index + 1..index + 4).any(|at| sentence.lower(at) == "iz");
    match sentence.lower(index) {
        "left" if own && (named(index + 1) || next == "the" && named(index + 2)) => 1,
        "moved" if own && matches!((next, sentence.lower(index + 2)), ("away", "from") | ("out", "of")) => 3,
        "moved" if own && next == "from" => 2,
        "napustio" | "napustila" if next == "sam" || previous == "sam" => 1,
        "odselio" | "odselila" | "iselio" | "iselila" | "otišao" | "otišla" | "preselio" | "preselila"
            if out_of =>
        {
            1
        }
        _ => 0,
    }
}

fn ended(sentence: &Sentence<'_>, index: usize) -> usize {
    let next = sentence.lower(index + 1);
    let previous = index.checked_sub(1).map_or("", |before| sentence.lower(before));
    match sentence.lower(index) {
        "used" if next == "to" => {
            // "I'm used to", "get used to" are about now.
            let habit = matches!(
                previous,
                "am" | "is"
                    | "are"
                    | "was"
                    | "were"
                    | "be"
                    | "been"
                    | "get"
                    | "getting"
                    | "got"
                    | "become"
                    | "i'm"
                    | "we're"
                    | "not"
                    | "so"
                    | "quite"
                    | "very"
            );
            if habit { 0 } else { 2 }
        }
        "no" if matches!(next, "longer" | "more") && !matches!(sentence.lower(index + 2), "than") => 2,
        "anymore" => 1,
        "any"
            if next == "more"
                && sentence
                    .words
                    .get(index + 2)
                    .is_none_or(|word| word.clause != sentence.words[index].clause) =>
        {
            2
        }
        "formerly" => 1,
        "former" if previous == "a" => 1,
        "bivši" | "bivša" if next == "sam" || previous == "sam" => 1,
        "stopped" | "quit"
            if matches!(
                previous,
                "i" | "we" | "i've" | "have" | "recently" | "just" | "finally" | "we've"
            ) =>
        {
            1
        }
        "gave" if next == "up" && previous == "i" => 2,
        "više" if is_negation(next) => 2,
        "više"
            if is_negation(previous)
                || index >= 2
                    && is_negation(sentence.lower(index - 2))
                    && !matches!(next, "od" | "nego" | "puta" | "manje") =>
        {
            1
        }
        "nekad" | "nekada" | "prije" if matches!(next, "sam" | "smo") => 2,
        "prestao" | "prestala" | "prestali" => 1,
        _ => 0,
    }
}

/// `not`, `never`, `ne`, `nisam`, in every clause the quote touches.
pub(super) fn negated(sentence: &Sentence<'_>) -> Option<Span> {
    let (first, last) = sentence.quoted_clauses?;
    let mut clue = None;
    for clause in first..=last {
        let mut quoted = sentence
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.clause == clause && word.quoted)
            .map(|(index, _)| index);
        let Some(first_quoted) = quoted.next() else { continue };
        let last_quoted = quoted.next_back().unwrap_or(first_quoted);
        // The quote may only clip a clause by its conjunction or a word like "yes".
        if first != last
            && sentence.words[first_quoted..=last_quoted]
                .iter()
                .all(|word| is_filler(&word.lower) || word.lower == "no" || word.lower == "ne")
        {
            continue;
        }
        let found =
            negation_in(sentence, clause, first_quoted, last_quoted).or_else(|| inherited(sentence, clause));
        match found {
            Some(index) => clue = clue.or(Some(index)),
            None => return None,
        }
    }
    clue.map(|index| sentence.span_of(index, 1))
}

fn negation_in(
    sentence: &Sentence<'_>,
    clause: usize,
    first_quoted: usize,
    last_quoted: usize,
) -> Option<usize> {
    // A negation far behind the first quoted word denies an afterthought, not the statement.
    let limit = last_quoted.min(first_quoted + 5);
    (0..=limit).filter(|index| sentence.words[*index].clause == clause).find(|index| denies(sentence, *index))
}

/// "I don't eat meat, fish or eggs": a clause of a few words without subject goes with the one before it.
fn inherited(sentence: &Sentence<'_>, clause: usize) -> Option<usize> {
    let previous = clause.checked_sub(1)?;
    let words: Vec<&str> =
        sentence.words.iter().filter(|word| word.clause == clause).map(|word| word.lower.as_str()).collect();
    let verbless = words.len() <= 4
        && !words.iter().any(|word| {
            is_subject(word)
                || matches!(
                    *word,
                    "but"
                        | "just"
                        | "only"
                        | "rather"
                        | "instead"
                        | "samo"
                        | "nego"
                        | "već"
                        | "ali"
                        | "please"
                        | "molim"
                        | "yes"
                        | "da"
                )
        });
    let before = sentence.words.iter().filter(|word| word.clause == previous).count();
    if !verbless || before < 2 {
        return None;
    }
    let negation =
        sentence.words.iter().enumerate().filter(|(_, word)| word.clause == previous).map(|(index, _)| index);
    negation
        .into_iter()
        .find(|index| denies(sentence, *index))
        .or_else(|| inherited_further(sentence, previous))
}

/// One step of a list further back, so that a long list costs no more than its clauses.
fn inherited_further(sentence: &Sentence<'_>, clause: usize) -> Option<usize> {
    let previous = clause.checked_sub(1)?;
    let short = sentence.words.iter().filter(|word| word.clause == clause).count() <= 3;
    let subject = sentence.words.iter().any(|word| word.clause == clause && is_subject(&word.lower));
    (short && !subject)
        .then(|| {
            sentence
                .words
                .iter()
                .enumerate()
                .filter(|(_, word)| word.clause == previous)
                .map(|(index, _)| index)
        })
        .and_then(|mut words| words.find(|index| denies(sentence, *index)))
}

fn denies(sentence: &Sentence<'_>, index: usize) -> bool {
    let word = sentence.lower(index);
    let next = sentence.lower(index + 1);
    if denies_in_other_words(word, next) {
        return true;
    }
    if !is_negation(word) {
        return false;
    }
    let after = sentence.lower(index + 2);
    let clause = sentence.words[index].clause;
    let ends_clause = sentence.words.get(index + 1).is_none_or(|word| word.clause != clause);
    // "No, I live …" and "no I live …" answer somebody; Croatian `ne` stands before its verb.
    let answers = ends_clause
        || (word == "no" && is_subject(next))
        || matches!(next, "ja" | "mi" | "moj" | "moja" | "moje");
    let alone = matches!(word, "no" | "ne") && answers && sentence.begins_clause(index);
    let idle = matches!(
        (word, next),
        ("not", "only" | "just" | "bad" | "to")
            | (
                "no",
                "problem" | "doubt" | "worries" | "wonder" | "need" | "less" | "matter" | "idea" | "offense"
            )
            | ("don't", "forget" | "hesitate" | "worry")
            | ("never", "mind" | "forget")
            | ("can't" | "cannot" | "couldn't", "wait" | "help")
            | ("ne", "samo" | "zaboravi" | "brini" | "zaboravite" | "smeta")
            | ("nemoj" | "nemojte", "zaboraviti" | "brinuti")
            | ("nema", "problema" | "veze" | "na" | "sumnje")
            | ("nije", "loše" | "problem")
    ) || (word == "do" && next == "not" && after == "forget")
        || (matches!(word, "can't" | "couldn't" | "cannot" | "ne")
            && (index + 1..index + 5).any(|at| matches!(sentence.lower(at), "without" | "bez")))
        || (word == "not" && after == "forget")
        // "I couldn't be happier"
        || (matches!(word, "couldn't" | "not") && next == "be" && after.ends_with("er"));
    !alone && !idle
}

fn is_negation(word: &str) -> bool {
    word.ends_with("n't")
        || matches!(
            word,
            "not"
                | "never"
                | "no"
                | "none"
                | "nobody"
                | "nothing"
                | "neither"
                | "nor"
                | "cannot"
                | "dont"
                | "doesnt"
                | "didnt"
                | "cant"
                | "wont"
                | "isnt"
                | "arent"
                | "hardly"
                | "ne"
                | "nije"
                | "nisam"
                | "nisi"
                | "nismo"
                | "niste"
                | "nisu"
                | "nemam"
                | "nemaš"
                | "nema"
                | "nemamo"
                | "nemate"
                | "nemaju"
                | "nemoj"
                | "nemojte"
                | "neću"
                | "nećeš"
                | "neće"
                | "nećemo"
                | "nećete"
                | "nikad"
                | "nikada"
                | "ništa"
                | "nitko"
                | "niko"
                | "nijedan"
                | "nijedna"
                | "niti"
                | "nikakav"
                | "nikakve"
                | "nikakvo"
                | "nikako"
                | "nigdje"
        )
}

fn is_subject(word: &str) -> bool {
    matches!(
        word,
        "i" | "i'm"
            | "i've"
            | "i'd"
            | "i'll"
            | "we"
            | "we're"
            | "we've"
            | "we'll"
            | "my"
            | "our"
            | "it"
            | "it's"
            | "he"
            | "she"
            | "they"
            | "you"
            | "this"
            | "that"
            | "there"
            | "he's"
            | "she's"
            | "sam"
            | "smo"
            | "ja"
            | "imam"
            | "živim"
            | "radim"
            | "volim"
            | "jedem"
            | "pijem"
            | "moj"
            | "moja"
            | "moje"
            | "je"
            | "su"
            | "is"
            | "are"
            | "jesam"
            | "zovem"
    )
}

enum Reach {
    /// The clue's own clause.
    Clause,
    /// On to the next clause that has a subject of its own.
    ToNextSubject,
}

/// The first clue under which everything stands that is quoted.
fn in_scope(sentence: &Sentence<'_>, clue: fn(&Sentence<'_>, usize) -> usize, reach: Reach) -> Option<Span> {
    let (first, last) = sentence.quoted_clauses?;
    let last_word = sentence.words.iter().rposition(|word| word.quoted)?;
    let first_word = sentence.words.iter().position(|word| word.quoted)?;
    (0..sentence.words.len()).find_map(|index| {
        let length = clue(sentence, index);
        let clause = sentence.words[index].clause;
        if length == 0 || first < clause {
            return None;
        }
        let end = match reach {
            Reach::Clause => clause,
            Reach::ToNextSubject => scope_end(sentence, clause),
        };
        // Behind everything quoted the clue speaks of something else, unless it ends the clause: "… anymore".
        let ends = sentence.words.get(index + length).is_none_or(|word| word.clause != clause);
        let governs = index <= last_word.max(first_word + 4) && index <= last_word || ends;
        (last <= end && governs).then(|| sentence.span_of(index, length))
    })
}

fn scope_end(sentence: &Sentence<'_>, clause: usize) -> usize {
    let mut end = clause;
    while end + 1 < sentence.clauses {
        let begins = sentence.words.iter().filter(|word| word.clause == end + 1).take(2);
        let own = begins.into_iter().any(|word| {
            is_subject(&word.lower) || matches!(word.lower.as_str(), "but" | "ali" | "because" | "jer")
        });
        if own {
            break;
        }
        end += 1;
    }
    end
}

/// "I almost moved", "I failed to", "I refuse to", "it is false that".
fn denies_in_other_words(word: &str, next: &str) -> bool {
    match word {
        "almost" | "nearly" => {
            next.ends_with("ed")
                || matches!(next, "bought" | "went" | "became" | "got" | "took" | "left" | "chose" | "won")
        }
        "failed" | "refuse" | "refused" | "failing" => next == "to",
        "false" | "untrue" => matches!(next, "that" | "i" | ""),
        "odbijam" | "zamalo" => true,
        _ => false,
    }
}
