//! From a message to the clauses in which its author may be asserting something.
//!
//! What cannot be the owner's own assertion is left out here, before any pattern looks: other people's words (block quotes,
//! code, forwarded mail, text handed over to be worked on), questions, conditionals, hypotheticals, jokes and role play.
//! When in doubt it is left out: a statement missed can be made again, a wrong memory has to be found first.

use std::sync::LazyLock;

use ledger::quote::Span;
use ledger::regions::{foreign_regions, recalled, third_party};
use regex::Regex;

/// How much of a message is looked at, in bytes: the rest of a longer one is a document, not a remark.
pub(super) const TEXT_BYTES_MAX: usize = 64 * 1024;
/// How many sentences are looked at.
pub(super) const SENTENCES_MAX: usize = 400;
/// A longer sentence is not looked at, in bytes: nobody says a fact about themselves in so many words.
const SENTENCE_BYTES_MAX: usize = 1000;

/// A clause, as byte range of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Set when the clause leaves its subject out ("… and work at Acme"): where the clause with the subject starts.
    pub(super) elided_from: Option<usize>,
    /// Whether it ends at a comma after which words go on as in a list.
    pub(super) listed: bool,
    /// Whether it is explained by what follows: "I'm Craig, a developer".
    pub(super) appositive: bool,
    /// Where its sentence ends.
    pub(super) sentence_end: usize,
}

static UNASSERTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:suppos\w*|assum\w+|imagine|pretend|",
        r"let's say|lets say|hypothetic\w+|kidding|joking|jk|haha\w*|for the sake|another life|drugom zivotu|as if|",
        r"example|e\.g|story|poem|novel|said|says|saying|told|tells|wrote|writes|asked|claims?|claimed|according to|quote of|",
        r"zamisli\w*|recimo|pretpostav\w+|kao da|da (?:sam|smo)|salim|",
        r"haha\w*|kaze|kazu|rekao|rekla|rekli|veli|napisao|napisala|prema|navodno|primjer|npr|prica|pjesm\w+)\b",
        r"|^da "
    ))
});

/// Words that leave open what they stand with, but not what was said before them: "I live in Split, but I might move".
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b(?:if|unless|would|wouldn't|might|i may|we may|maybe|perhaps|probably|possibly|could|couldn't|wish|almost|nearly|thinking (?:about|of)|considering|used to|dream\w*|hoping|died|passed away|",
        r"ako|ukoliko|bih|bi|bismo|mozda|valjda|vjerojatno|skoro|zamalo|umalo|razmisljam|nadam se|umro|umrla|uginuo|uginula|preminuo|preminula)\b"
    ))
});

static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:and |but |so |pa )?(?:(?:do|does|did) (?:you|i|we|they|he|she|people|it|my|the|any)\b|",
        r"(?:is|are|am|was|were|can|could|should|would|will|shall|may|what|what's|whats|where|where's|when|who|who's|whose|why|how|how's|which|",
        r"any|has|have you|have i|have we|",
        r"gdje|kako|kad|kada|tko|ko|sto|sta|zasto|koji|koja|koje|koju|kojem|koliko|cija|ciji|zar|jel|jesi|da li|ima li|mogu li|",
        r"\w+ li)\b)"
    ))
});

static HANDED_OVER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:please |pls |can you |could you |hey |now |molim te |molim |mozes li )*(?:translate|rewrite|rephrase|proofread|summari[sz]e|fix|",
        r"correct|paraphrase|edit|improve|polish|shorten|review|check|write|draft|generate|create|compose|explain|analy[sz]e|classify|extract|",
        r"give me|show me|convert|reply to|answer this|prevedi\w*|ispravi\w*|prepravi\w*|napisi\w*|sazmi\w*|sastavi\w*|preformuliraj\w*|",
        r"lektoriraj\w*|provjeri\w*|objasni\w*|daj mi|daj primjer|analiziraj\w*|skrati\w*|odgovori na)\b",
        r".*(?::|\b(?:this|these|following|below|ovo|ovaj|ovu|sljedec\w*)\b)"
    ))
});

static OTHER_VOICE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:please |let's |lets |ok |now |hajde |ajde |hajmo )*(?:role ?-?play\w*|play |act as|act like|you are (?:a|an|now|the)\b|you're (?:a|an|now)\b|",
        r"pretend|imagine|suppose|assume|let's say|write (?:a|an|me)\b|zamisli\w*|glumi\w*|ti si\b|pretpostav\w+|recimo|igrajmo)"
    ))
});

static FORWARDED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^[ *_]*(?:(?:from|to|sent|subject|cc|od|za|predmet|poslano|salje)[*_]*: |-{3,}.*(?:forward|original|proslij|izvorn)|",
        r"begin forwarded|on .{5,80} wrote:|dana .{5,80} (?:je )?napisa\w*)"
    ))
});

static BULLET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:[-*•–·]\s+|\[[ x]\]\s+|\d{1,2}[.)]\s+)+"));

static SPEAKER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\W*(?:\[?\d{1,2}[:.]\d{2}|\w+(?: \w+)?:\s)"));
/// What may stand before a colon without handing the rest to someone else: a label, or a topic ("for dinner on Friday:").
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^\W*(?:(?:a |one |just a |quick |small |kratka |mala )*(?:note|thing|update|reminder|napomena)\b|for\b|as for\b|about\b|on\b|za\b|sto se tice\b|o\b)",
        r"|\b(?:remember|notes?|rules?|also|context|updates?|news|fyi|btw|important|reminder|preferences?|me|diet|food|allerg\w+|things?|story short|heads[ -]up|info|background|",
        r"disclosure|zapamti|zapisi|zabiljezi|upamti|pravil[oa]|napomen[ae]|inace|usput|novost\w*|vazno|bitno|podsjetnik|o meni|hran[au]|ja|popis|ukratko|dakle|info|vijesti?)\s*$"
    ))
});

/// A question that takes the statement before it back: "…, right?"
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:right|correct|no|yes|ok|okay|true|huh|eh|remember|isn't (?:it|he|she)|aren't (?:i|we|they)|don't (?:i|we)|am i|do i|zar ne|jel|je li|jel tako|jel da|tocno|ne|da|ha|a)$",
    )
});

/// A pattern of this crate, compiled. All are constants that a test compiles.
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern compiles")
}

/// The clauses of a message in which its author may assert something, in order.
///
/// What the gate holds for another's words is left out whatever it looks like here, so that the two never disagree.
pub(super) fn clauses(message: &str) -> Vec<Clause> {
    let mut found = own_clauses(message);
    if !found.is_empty() {
        let foreign = foreign_regions(head(message, TEXT_BYTES_MAX));
        found.retain(|clause| {
            let span = Span::new(clause.start, clause.end);
            !third_party(&foreign, span) && !recalled(&foreign, span)
        });
    }
    found
}

fn own_clauses(message: &str) -> Vec<Clause> {
    let mut found = Vec::new();
    let mut sentences = 0_usize;
    let mut fenced = false;
    let mut offset = 0_usize;
    for line in head(message, TEXT_BYTES_MAX).split_inclusive('\n') {
        let line_start = offset;
        offset += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced || trimmed.is_empty() || trimmed.starts_with(['>', '|', '<', '{', '#', '$', '@']) {
            continue;
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if indented && !BULLET.is_match(trimmed) {
            continue; // code
        }
        let folded_line = super::fold::fold(head(trimmed, 200));
        if FORWARDED.is_match(&folded_line) {
            return found;
        }
        let label = folded_line.split(':').next().unwrap_or_default();
        if SPEAKER.is_match(&folded_line) && !LABEL.is_match(label) {
            // "Karl: I live in Berlin" is a transcript; one-word labels we know are not.
            if HANDED_OVER.is_match(&folded_line) || OTHER_VOICE.is_match(&folded_line) {
                return found;
            }
            continue;
        }
        let skip = BULLET.find(line).map_or(0, |bullet| bullet.end());
        for (start, end, question) in sentences_of(line, skip) {
            sentences += 1;
            if sentences > SENTENCES_MAX {
                return found;
            }
            let Some(sentence) = line.get(start..end) else { continue };
            if sentence.len() > SENTENCE_BYTES_MAX {
                continue;
            }
            let folded = super::fold::fold(sentence.trim());
            if HANDED_OVER.is_match(&folded) || OTHER_VOICE.is_match(&folded) {
                return found;
            }
            if UNASSERTED.is_match(&folded) || sentence.contains(['"', '“', '”', '„', '«', '»']) {
                continue;
            }
            if !question && QUESTION.is_match(&folded) {
                continue;
            }
            split_clauses(sentence, line_start + start, question, &mut found);
        }
    }
    found
}

/// The first `bytes_max` bytes, cut at a character.
fn head(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Sentences of one line as (start, end, is a question), without their closing marks.
fn sentences_of(line: &str, from: usize) -> Vec<(usize, usize, bool)> {
    let mut found = Vec::new();
    let mut start = from;
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if at < from {
            continue;
        }
        let picture = is_picture(character);
        if !(matches!(character, '.' | '!' | '?' | '…' | '\n') || picture) {
            continue;
        }
        let mut question = character == '?';
        let mut after = at + character.len_utf8();
        while let Some((next, mark)) =
            characters.next_if(|(_, c)| matches!(c, '.' | '!' | '?' | '…' | ')') || is_picture(*c))
        {
            question |= mark == '?';
            after = next + mark.len_utf8();
        }
        let rest = line.get(after..).unwrap_or_default();
        let single = after == at + character.len_utf8();
        if !picture && character != '\n' && !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            continue; // within a word or number: 9.30, d.o.o., example.com
        }
        if character == '.' && single && !ends_sentence(line.get(start..at).unwrap_or_default(), rest) {
            continue;
        }
        if at > start {
            found.push((start, at, question));
        }
        start = after;
    }
    if start < line.len() {
        found.push((start, line.len(), false));
    }
    found
}

fn ends_sentence(before: &str, rest: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let next = rest.trim_start().chars().next();
    let number = word.ends_with(|c: char| c.is_ascii_digit());
    if number && next.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit()) {
        return false; // 12. lipnja, 1990. u Zadru
    }
    let lower = word.to_lowercase();
    let short = matches!(
        lower.as_str(),
        "dr" | "mr"
            | "mrs"
            | "ms"
            | "prof"
            | "st"
            | "sv"
            | "npr"
            | "tj"
            | "inc"
            | "ltd"
            | "co"
            | "no"
            | "vs"
            | "jr"
            | "sr"
            | "dipl"
            | "ing"
    );
    // "no." ends a sentence at the end of one ("… and that is a no."); before a capital or a number it abbreviates.
    !(short && next.is_some())
}

fn is_picture(character: char) -> bool {
    matches!(u32::from(character), 0x2600..=0x27BF | 0x1F000..=0x1FAFF | 0xFE0F | 0x2B50 | 0x200D)
}

static BREAK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:[,;:]\s+|\s+[-–—]+\s+|\s*[()]\s*|\s:\)|",
        r"\s(?:but|because|so|although|ali|al|jer|pa|iako|zato|te)\s|",
        r"\sand\s+(?:also\s+)?(?:i|i'm|im|i’m|i'd|i've|my|we|we're|never|please|don't|dont|keep)\b|",
        r"\s(?:i|a)\s+(?:ja|zivim|živim|radim|imam|volim|ne|mrzim|govorim|koristim|zovem|moj|moja|nikad|nikada|nemoj|odgovaraj|stanujem|trebam)\b|",
        r"\sand\s+(?:work|live|speak|love|hate|use|prefer|enjoy|own|drive)\b)"
    ))
});

static ELISION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^\sand\s+(?:work|live|speak|love|hate|use|prefer|enjoy|own|drive)\b"));

static LISTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"^, ([\w'-]+)"));
/// Words after a comma with which a new thought begins.
const JOINTS: [&str; 24] = [
    "i", "i'm", "we", "but", "so", "and", "because", "my", "can", "could", "how", "what", "please", "thanks",
    "it", "it's", "they", "that", "ali", "jer", "pa", "moj", "moja", "možeš",
];

/// A statement whose subject a following "and use …" shares; "I'll practise and use …" tells a plan.
static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:and |but |so |hi |hello |hey )?(?:i|we) (?:also |currently |really )?(?:live|work|speak|love|hate|use|prefer|enjoy|own|drive|like|moved|was born|come from|study)\b",
    )
});

fn split_clauses(sentence: &str, base: usize, question: bool, found: &mut Vec<Clause>) {
    let mut pieces: Vec<(usize, usize, bool)> = Vec::new();
    let mut start = 0_usize;
    for mark in BREAK.find_iter(sentence) {
        let text = mark.as_str();
        let comma = text.starts_with(',');
        let rest = sentence.get(mark.end()..).unwrap_or_default();
        if comma && rest.starts_with(|c: char| c.is_ascii_digit()) {
            continue; // November 2, 1985
        }
        // A joining word that opens the next clause belongs to it; "and" and "i" themselves do not.
        let opener = text.trim_start().split_once(char::is_whitespace);
        let next = match opener {
            Some((joint, word))
                if matches!(joint.to_lowercase().as_str(), "and" | "i" | "a") && !word.trim().is_empty() =>
            {
                mark.end() - word.trim_start().len()
            }
            _ => mark.end(),
        };
        if text.starts_with(':')
            && !LABEL.is_match(&super::fold::fold(sentence.get(start..mark.start()).unwrap_or_default()))
        {
            // "Change the sentence to: I live in Leeds"
            pieces.push((start, mark.start(), false));
            start = sentence.len();
            break;
        }
        if mark.start() >= start {
            pieces.push((start, mark.start(), false));
        }
        start = next;
        if ELISION.is_match(text) {
            pieces.push((start, start, true)); // marks the next piece as elided; merged below
        }
    }
    pieces.push((start, sentence.len(), false));
    let last = sentence.get(start..).unwrap_or_default().trim();
    if question && TAG.is_match(&super::fold::fold(last)) {
        return;
    }
    let mut elided_from = None;
    let mut refused = false;
    let mut subject_start = None;
    for (start, end, elision) in pieces {
        if elision {
            elided_from = subject_start.filter(|start: &usize| {
                sentence
                    .get(start - base..)
                    .is_some_and(|subject| PLAIN.is_match(&super::fold::fold(subject)))
            });
            refused = elided_from.is_none();
            continue;
        }
        let piece = sentence.get(start..end).unwrap_or_default();
        let lead = piece.len() - piece.trim_start().len();
        let text = piece.trim();
        if text.is_empty() || std::mem::take(&mut refused) {
            continue;
        }
        if question && QUESTION.is_match(&super::fold::fold(text)) {
            return; // "I live in Split, can you recommend …?" asserts what stands before
        }
        if OPEN.is_match(&super::fold::fold(text)) {
            return;
        }
        let rest = sentence.get(end..).unwrap_or_default();
        let listed = LISTED
            .captures(rest)
            .and_then(|found| found.get(1))
            .is_some_and(|word| !JOINTS.contains(&&*word.as_str().to_lowercase()));
        let appositive = rest.starts_with(", a ") || rest.starts_with(", an ");
        let clause = Clause {
            start: base + start + lead,
            end: base + start + lead + text.len(),
            elided_from,
            listed,
            appositive,
            sentence_end: base + sentence.trim_end().len(),
        };
        if question && base + sentence.len() == clause.end {
            return; // the clause that carries the question mark
        }
        found.push(clause);
        if elided_from.take().is_none() {
            subject_start = Some(clause.start);
        }
    }
}
