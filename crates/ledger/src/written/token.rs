//! A text cut into words, runs of digits and single marks, each with its bytes.
//!
//! Every reader of written forms walks the same tokens, forwards, looking at a bounded number of
//! neighbours: that is what keeps a megabyte of text linear.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters, with the digits and combining marks that follow them: `Zagreb`, `A4`, `v2.0`. One
    /// character of a script written without spaces.
    Word,
    /// ASCII digits only.
    Digits,
    /// Any other character that is not white space.
    Mark,
}

#[derive(Debug, Clone)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) kind: Kind,
    /// Lower case without Latin diacritics (`Čačak` is `cacak`): the form vocabularies are written in.
    pub(crate) plain: Cow<'a, str>,
}

impl Token<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark && self.text.chars().eq([mark])
    }

    pub(crate) fn is_capitalised(&self) -> bool {
        self.kind == Kind::Word && self.text.chars().next().is_some_and(char::is_uppercase)
    }

    pub(crate) fn is_acronym(&self) -> bool {
        let mut letters = self.text.chars().filter(|c| c.is_alphabetic());
        self.kind == Kind::Word && letters.clone().count() >= 2 && letters.all(char::is_uppercase)
    }

    pub(crate) fn has_digit(&self) -> bool {
        self.text.bytes().any(|b| b.is_ascii_digit())
    }
}

/// A text in tokens, with which languages it may be read in.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    pub(crate) text: &'a str,
    list: Vec<Token<'a>>,
    /// Whether a word that is a number or a case form in Croatian only may be taken for one here.
    pub(crate) croatian: bool,
    /// The same for English.
    pub(crate) english: bool,
}

impl<'a> Tokens<'a> {
    pub(crate) fn of(text: &'a str) -> Tokens<'a> {
        let mut list = Vec::with_capacity(text.len() / 5 + 1);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let start = text.len() - rest.len();
            let (length, kind) = match first {
                c if c.is_whitespace() => (c.len_utf8(), None),
                c if c.is_ascii_digit() => (run(rest, |c| c.is_ascii_digit()), Some(Kind::Digits)),
                c if stands_alone(c) => (c.len_utf8(), Some(Kind::Word)),
                c if c.is_alphanumeric() => (word_length(rest), Some(Kind::Word)),
                c => (c.len_utf8(), Some(Kind::Mark)),
            };
            if let Some(kind) = kind {
                let text = &rest[..length];
                list.push(Token { text, start, kind, plain: plain(text, kind) });
            }
            rest = &rest[length..];
        }
        let english = list.iter().filter(|token| ENGLISH_HINTS.contains(&&*token.plain)).count();
        let croatian = list.iter().filter(|token| is_croatian_hint(token)).count();
        Tokens { text, list, croatian: croatian >= english, english: english >= croatian }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Token<'a>> {
        self.list.get(index)
    }

    pub(crate) fn before(&self, index: usize) -> Option<&Token<'a>> {
        index.checked_sub(1).and_then(|index| self.list.get(index))
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Token<'a>> {
        self.list.iter()
    }

    /// The word at an index in its plain form, or nothing when digits or a mark stand there.
    pub(crate) fn word(&self, index: usize) -> Option<&str> {
        self.get(index).filter(|token| token.kind == Kind::Word).map(|token| &*token.plain)
    }

    pub(crate) fn digits(&self, index: usize) -> Option<&'a str> {
        self.get(index).filter(|token| token.kind == Kind::Digits).map(|token| token.text)
    }

    pub(crate) fn mark(&self, index: usize, mark: char) -> bool {
        self.get(index).is_some_and(|token| token.is_mark(mark))
    }

    /// The digits at an index as a small number, when there are at most `digits_max` of them.
    pub(crate) fn small(&self, index: usize, digits_max: usize) -> Option<u32> {
        self.digits(index).filter(|digits| digits.len() <= digits_max).and_then(|digits| digits.parse().ok())
    }

    /// Whether nothing stands between this token and the one before it.
    pub(crate) fn is_glued(&self, index: usize) -> bool {
        match (self.before(index), self.get(index)) {
            (Some(before), Some(token)) => before.end() == token.start,
            _ => false,
        }
    }

    /// Whether digits are joined to this token by a glued mark before it, as in the `5` of `3.5`.
    pub(crate) fn is_chained(&self, index: usize, marks: &[char]) -> bool {
        index >= 2
            && self.is_glued(index)
            && self.is_glued(index - 1)
            && self.digits(index - 2).is_some()
            && marks.iter().any(|&mark| self.mark(index - 1, mark))
    }

    /// Where the tokens `from..to` stand in the text, in bytes.
    pub(crate) fn span(&self, from: usize, to: usize) -> (usize, usize) {
        let start = self.get(from).map_or(self.text.len(), |token| token.start);
        (start, self.before(to).map_or(start, |token| token.end().max(start)))
    }
}

/// Lower case, Latin diacritics dropped, `đ` as `d`.
pub(crate) fn plain_text(text: &str) -> String {
    text.nfd()
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .flat_map(char::to_lowercase)
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .map(|c| if c == 'đ' { 'd' } else { c })
        .collect()
}

fn plain(text: &str, kind: Kind) -> Cow<'_, str> {
    if kind != Kind::Word || text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        Cow::Borrowed(text)
    } else if text.is_ascii() {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Owned(plain_text(text))
    }
}

fn run(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|c| !holds(c)).unwrap_or(text.len())
}

/// Letters and what clings to them; `.5` clings only to a word that already ends in a digit (`v2.0`).
fn word_length(text: &str) -> usize {
    let holds = |c: char| {
        (c.is_alphanumeric()
            || ('\u{300}'..='\u{36f}').contains(&c)
            || unicode_normalization::char::is_combining_mark(c))
            && !stands_alone(c)
    };
    let mut length = run(text, holds);
    while text[..length].ends_with(|c: char| c.is_ascii_digit()) {
        let Some(rest) = text[length..].strip_prefix('.') else { break };
        let digits = run(rest, |c| c.is_ascii_digit());
        if digits == 0 {
            break;
        }
        length += 1 + digits;
    }
    length
}

/// Scripts written without spaces, where a character is the smallest thing that can be compared.
fn stands_alone(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        && character.is_alphanumeric()
}

fn is_croatian_hint(token: &Token<'_>) -> bool {
    CROATIAN_HINTS.contains(&&*token.plain)
        || (!token.text.is_ascii() && token.text.contains(['č', 'ć', 'š', 'ž', 'đ', 'Č', 'Ć', 'Š', 'Ž', 'Đ']))
}

/// Words so common that two of them tell the language of a sentence, and that are not words of the other.
const ENGLISH_HINTS: &[&str] = &[
    "the", "is", "are", "was", "my", "your", "his", "her", "our", "their", "and", "of", "in", "for", "with",
    "at", "it", "this", "that", "have", "has", "had", "not", "we", "you", "he", "she", "they", "from", "by",
    "be", "will", "am", "an", "as", "or", "but", "before", "after", "likes", "like", "works", "lives", "don",
    "who", "which",
];
const CROATIAN_HINTS: &[&str] = &[
    "je", "sam", "su", "u", "na", "se", "za", "od", "iz", "sa", "ne", "da", "smo", "ste", "si", "nije",
    "nisam", "moj", "moja", "moje", "mi", "ti", "koji", "koja", "koje", "ili", "ali", "kod", "prije",
    "poslije", "nakon", "oko", "biti", "cu", "ce", "cemo", "bi", "bih", "sto", "kao", "jer", "radi", "zivi",
    "imam", "nema", "ima", "ovo", "vec",
];
