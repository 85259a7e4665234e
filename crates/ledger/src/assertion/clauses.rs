//! The sentences around a quote, as words in clauses.

use crate::quote::Span;

/// How far from the quote a sentence is followed, in bytes.
const REACH_BYTES: usize = 4_096;

/// One word of a sentence.
#[derive(Debug)]
pub(super) struct Word {
    /// Lower case, with a straight apostrophe.
    pub(super) lower: String,
    /// In bytes of the text.
    pub(super) span: Span,
    /// Number of the clause it stands in, from 0.
    pub(super) clause: usize,
    /// Written with a capital first letter.
    pub(super) capital: bool,
    /// Whether the quote touches it.
    pub(super) quoted: bool,
}

/// A sentence that the quote touches.
#[derive(Debug)]
pub(super) struct Sentence<'t> {
    /// Its words in order.
    pub(super) words: Vec<Word>,
    /// The question mark at its end.
    pub(super) question_mark: Option<Span>,
    /// First clause that the quote touches, and the last.
    pub(super) quoted_clauses: Option<(usize, usize)>,
    /// Number of clauses.
    pub(super) clauses: usize,
    /// The sentence before it in the same paragraph.
    pub(super) before: &'t str,
    /// Where `before` begins in the text.
    pub(super) before_start: usize,
}

impl Sentence<'_> {
    pub(super) fn quoted_words(&self) -> usize {
        self.words.iter().filter(|word| word.quoted).count()
    }

    /// "Yes.", "OK!", "Hvala.": too little to assert anything.
    pub(super) fn is_filler(&self) -> bool {
        self.words.len() < 2
    }

    /// The word at `index`, or nothing.
    pub(super) fn lower(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |word| word.lower.as_str())
    }

    /// Whether the words from `index` on are those of `phrase`, separated by single spaces.
    pub(super) fn stands(&self, index: usize, phrase: &str) -> bool {
        phrase.split(' ').enumerate().all(|(offset, part)| self.lower(index + offset) == part)
    }

    /// Whether the word at `index` begins its clause, fillers such as `and`, `well`, `please`, `pa` aside.
    pub(super) fn begins_clause(&self, index: usize) -> bool {
        let Some(word) = self.words.get(index) else { return false };
        self.words[..index]
            .iter()
            .rev()
            .take_while(|other| other.clause == word.clause)
            .all(|other| is_filler(&other.lower))
    }

    pub(super) fn span_of(&self, first: usize, count: usize) -> Span {
        let start = self.words.get(first).map_or(0, |word| word.span.start);
        let last = (first + count.max(1) - 1).min(self.words.len().saturating_sub(1));
        Span::new(start, self.words.get(last).map_or(start, |word| word.span.end))
    }
}

/// Words that may stand before the one a clause really begins with.
pub(super) fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "but"
            | "so"
            | "well"
            | "also"
            | "please"
            | "hey"
            | "hi"
            | "hello"
            | "ok"
            | "okay"
            | "oh"
            | "just"
            | "then"
            | "or"
            | "yes"
            | "now"
            | "thanks"
            | "actually"
            | "anyway"
            | "btw"
            | "pa"
            | "a"
            | "ali"
            | "e"
            | "ma"
            | "hej"
            | "bok"
            | "molim"
            | "dakle"
            | "znači"
            | "onda"
            | "ili"
            | "eto"
            | "daj"
            | "recite"
            | "čuj"
            | "hm"
            | "hmm"
            | "um"
            | "uh"
            | "lol"
            | "samo"
            | "inače"
    )
}

/// Every sentence that the span touches.
pub(super) fn sentences_around(text: &str, quote: Span) -> Vec<Sentence<'_>> {
    let (from, to) = (left_reach(text, quote.start), right_reach(text, quote.end));
    let window = text.get(from..to).unwrap_or_default();
    let mut sentences = Vec::new();
    let mut before = Span::new(from, from);
    let mut start = 0;
    for end in sentence_ends(window) {
        let span = Span::new(from + start, from + end);
        if span.touches(&quote) {
            sentences.push(read(text, span, quote, before));
        }
        if span.start >= quote.end {
            break;
        }
        before = span;
        start = end;
    }
    sentences
}

fn left_reach(text: &str, start: usize) -> usize {
    let mut from = start.saturating_sub(REACH_BYTES);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    // Another paragraph is another matter.
    let reach = text.get(from..start).unwrap_or_default();
    let paragraph = reach.rfind("\n\n").or_else(|| reach.rfind("\n\r\n")).map_or(0, |offset| offset + 1);
    from + paragraph
}

fn right_reach(text: &str, end: usize) -> usize {
    let mut to = end.saturating_add(REACH_BYTES).min(text.len());
    while !text.is_char_boundary(to) {
        to += 1;
    }
    let reach = text.get(end..to).unwrap_or_default();
    reach.find("\n\n").or_else(|| reach.find("\n\r\n")).map_or(to, |offset| end + offset)
}

/// Offsets just past each sentence of `window`, ascending, the last being its length.
fn sentence_ends(window: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut characters = window.char_indices().peekable();
    let mut word_start = 0;
    let mut sentence_start = 0;
    while let Some((at, character)) = characters.next() {
        match character {
            '.' | '?' | '!' | '…' | '？' | '！' | '。' => {
                let mut end = at + character.len_utf8();
                while let Some((offset, next)) = characters.peek().copied() {
                    let closes = matches!(
                        next,
                        '.' | '?' | '!' | '…' | '"' | '\'' | '”' | '“' | '’' | '»' | ')' | ']' | '*' | '_'
                    );
                    if !closes {
                        break;
                    }
                    end = offset + next.len_utf8();
                    characters.next();
                }
                let rest = &window[end..];
                let full = matches!(character, '？' | '！' | '。');
                let spaced = full || rest.is_empty() || rest.starts_with(char::is_whitespace);
                let single_dot = character == '.' && end == at + 1;
                let marker = window[sentence_start..at].trim();
                if spaced && !(single_dot && dot_goes_on(&window[word_start..at], rest, marker)) {
                    ends.push(end);
                    sentence_start = end;
                }
                word_start = end;
            }
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                let end = at + character.len_utf8();
                let rest = window[end..].trim_start_matches(['\n', '\r', ' ', '\t']);
                // A line that goes on in lower case is only wrapped; anything else is a new sentence or list item.
                let wrapped = rest.starts_with(char::is_lowercase)
                    && !window[end..].starts_with(['\n', '\r'])
                    && !window[sentence_start..at].trim_end().ends_with(':');
                if !wrapped {
                    ends.push(end);
                    sentence_start = end;
                }
                word_start = end;
            }
            _ if character.is_whitespace() => word_start = at + character.len_utf8(),
            '(' | '"' | '„' | '“' | '[' => word_start = at + character.len_utf8(),
            _ => {}
        }
    }
    if ends.last() != Some(&window.len()) {
        ends.push(window.len());
    }
    ends
}

/// Whether a dot after `word` is an abbreviation's, an initial's, or an ordinal's, and the sentence goes on in `rest`.
/// `sentence` is all of the sentence before the dot.
fn dot_goes_on(word: &str, rest: &str, sentence: &str) -> bool {
    let next = rest.trim_start().chars().next();
    let Some(next) = next else { return false };
    if word.ends_with(|last: char| last.is_ascii_digit()) {
        // `12.6.2026. u 9`, `5. svibnja`; `1.` alone is a list's number and belongs to its item.
        return next.is_lowercase() || next.is_ascii_digit() || word == sentence;
    }
    const ABBREVIATIONS: &[&str] = &[
        "e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr",
        "inc", "ltd", "co", "no", "nr", "approx", "dept", "fig", "vol", "pp", "al", "jan", "feb", "mar",
        "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri",
        "sat", "a.m", "p.m", "npr", "tj", "itd", "sl", "tzv", "ul", "god", "br", "sv", "mr.sc", "dr.sc",
        "dipl", "ing", "mag", "odn", "oko", "str", "tel", "mob", "kn", "min", "max", "sat.", "čl", "st.",
        "usp", "prim", "doc", "gđa", "gosp", "g", "gdin", "u.s", "u.k", "ph.d", "m.sc", "b.sc", "d.o.o",
        "d.d",
    ];
    let lower = word.to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    // These titles and references go before a capital; other abbreviations end the sentence there.
    let title = matches!(
        lower.as_str(),
        "mr" | "mrs"
            | "ms"
            | "dr"
            | "prof"
            | "st"
            | "sv"
            | "ul"
            | "gđa"
            | "gosp"
            | "g"
            | "mag"
            | "dipl"
            | "doc"
            | "prim"
            | "npr"
            | "e.g"
            | "i.e"
            | "vs"
            | "tj"
            | "br"
            | "no"
    );
    if next.is_lowercase() || next.is_ascii_digit() {
        // "the USA. and" is rare; a dot before a lower-case word mostly goes on, except in careless typing.
        return initial || ABBREVIATIONS.contains(&lower.as_str());
    }
    (initial || title) && word != sentence
}

fn read(text: &str, span: Span, quote: Span, before: Span) -> Sentence<'_> {
    let words_of = span.slice(text).unwrap_or_default();
    let trimmed = words_of.trim_end();
    let mut sentence = Sentence {
        words: Vec::new(),
        question_mark: None,
        quoted_clauses: None,
        clauses: 0,
        before: before.slice(text).unwrap_or_default(),
        before_start: before.start,
    };
    // The mark may stand before closing quotes, brackets and faces, but behind the last word.
    let last_word = trimmed.rfind(char::is_alphanumeric).unwrap_or(0);
    if let Some(offset) = trimmed[last_word..].find(['?', '？', '⁇', '⁈']) {
        let at = span.start + last_word + offset;
        let width = text[at..].chars().next().map_or(1, char::len_utf8);
        sentence.question_mark = Some(Span::new(at, at + width));
    }
    let mut clause = 0;
    let mut clause_empty = true;
    let mut characters = words_of.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character.is_alphanumeric() {
            let mut end = at + character.len_utf8();
            while let Some((offset, next)) = characters.peek().copied() {
                let tail = &words_of[offset + next.len_utf8()..];
                let joins = matches!(next, '\'' | '’' | '-' | '_')
                    || (matches!(next, '.' | ',' | ':') && character.is_ascii_digit());
                let inside = next.is_alphanumeric()
                    || is_mark(next)
                    || (joins && tail.starts_with(|after: char| after.is_alphanumeric()));
                if !inside {
                    break;
                }
                end = offset + next.len_utf8();
                characters.next();
            }
            let word_span = Span::new(span.start + at, span.start + end);
            let lower = words_of[at..end].to_lowercase().replace('’', "'");
            if !clause_empty && opens_clause(&sentence.words, &lower, &words_of[end..]) {
                clause += 1;
            }
            clause_empty = false;
            sentence.words.push(Word {
                lower,
                span: word_span,
                clause,
                capital: character.is_uppercase(),
                quoted: word_span.touches(&quote),
            });
        } else if !clause_empty && is_clause_break(character, &words_of[at..], &words_of[..at]) {
            clause += 1;
            clause_empty = true;
        }
    }
    sentence.clauses = clause + usize::from(!clause_empty);
    let mut quoted = sentence.words.iter().filter(|word| word.quoted).map(|word| word.clause);
    sentence.quoted_clauses = quoted.next().map(|first| (first, quoted.next_back().unwrap_or(first)));
    sentence
}

fn is_mark(character: char) -> bool {
    unicode_normalization::char::is_combining_mark(character)
}

fn is_clause_break(character: char, from_here: &str, before: &str) -> bool {
    match character {
        ',' | ';' | ':' | '(' | ')' | '—' | '–' | '…' | '?' | '!' | '\n' => true,
        '-' => from_here.starts_with("- ") && before.ends_with([' ', '-']) || from_here.starts_with("--"),
        '.' => from_here.starts_with("...") || from_here.starts_with(". "),
        _ => false,
    }
}

/// Conjunctions that begin a clause with a subject or verb of its own.
fn opens_clause(words: &[Word], lower: &str, rest: &str) -> bool {
    if matches!(
        lower,
        "but"
            | "because"
            | "although"
            | "though"
            | "whereas"
            | "however"
            | "cuz"
            | "coz"
            | "cause"
            | "ali"
            | "jer"
            | "nego"
            | "već"
            | "iako"
            | "premda"
            | "zato"
            | "međutim"
    ) {
        // `više nego`, `not only … but` compare; and `već` before a number or adverb is only "already".
        let before = words.last().map_or("", |word| word.lower.as_str());
        let compares = lower == "nego" && before == "više";
        let already = lower == "već" && !rest.trim_start().starts_with(char::is_alphabetic);
        return !compares && !already;
    }
    let next = rest
        .trim_start()
        .split(|character: char| !(character.is_alphanumeric() || character == '\'' || character == '’'));
    let next = next.into_iter().next().unwrap_or_default().to_lowercase().replace('’', "'");
    let subject = matches!(
        next.as_str(),
        "i" | "i'm"
            | "i've"
            | "i'd"
            | "i'll"
            | "we"
            | "we're"
            | "we've"
            | "my"
            | "our"
            | "it"
            | "it's"
            | "he"
            | "she"
            | "they"
            | "you"
            | "that"
            | "this"
            | "please"
            | "sam"
            | "smo"
            | "imam"
            | "nemam"
            | "ja"
            | "mi"
            | "nisam"
            | "ne"
            | "moj"
            | "moja"
            | "moje"
            | "živim"
            | "radim"
            | "volim"
            | "želim"
            | "hoću"
            | "trebam"
            | "molim"
    );
    match lower {
        "and" | "so" | "since" | "while" | "i" | "a" | "pa" | "te" | "dok" | "or" => subject,
        _ => false,
    }
}
