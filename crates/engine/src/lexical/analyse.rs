//! Text to index terms, the same way for what is remembered and for what is asked.
//!
//! Compatibility normalisation (a superset of NFC: full-width letters and half-width kana meet their plain
//! forms), lower case, folded diacritics, then a language guess from function words, then stems:
//!
//! - A text in English or Croatian gets that language's stems. An *unclear* text (most short values: `Zagreb`,
//!   `green tea`) gets both, in memory and in the question alike; a question in a clear language is also
//!   tried, at a lower weight, under the other stem. A word with `č ć ž š đ` counts as Croatian anywhere.
//! - Russian and Greek letters take their own stemmers; every other alphabet is left as it stands.
//! - Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese, which do not (or not only) separate words by
//!   spaces, become overlapping pairs of characters, and single characters besides in what is remembered.
//! - Compounds (`9:30`, `2026-03-12`, `foo_bar`, `project:alpha`, `camelCase`, `ana@example.org`, addresses)
//!   survive whole and in parts. Between letters, `-`, `_` and case do not matter to the whole: `e-mail` is
//!   `email`. Leading zeros do not matter: `09:30` is `9:30`.
//! - `IT` in capitals, amid small letters or alone, is a word, not the pronoun.
//!
//! Work and memory are linear in the text. A word is cut at [`WORD_BYTES_MAX`] bytes.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_segmentation::UnicodeSegmentation;

use super::croatian;
use super::stop_words;

/// The longest term, in bytes of its folded form; what is longer is cut there, alike on both sides.
pub const WORD_BYTES_MAX: usize = 64;

/// The most bytes of one text that are read; the rest is not indexed.
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// Which stems a text gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English function words prevail.
    English,
    /// Croatian function words and letters prevail.
    Croatian,
    /// Neither prevails; both stems are used.
    Unclear,
}

/// What the terms are for: a question also gets the stem of the language it is not in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Something remembered, to be found.
    Document,
    /// Something asked.
    Query,
}

/// How a term stands for the word at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The word's stem in the text's language, a number, or a pair of characters.
    Stem,
    /// The stem in the other language.
    OtherStem,
    /// The compound that begins here, as one term.
    Whole,
    /// A piece of a compound that is larger than a part: the host of an address.
    Piece,
    /// A single character of a pair.
    Unit,
}

/// One term of an analysed text. Several may share a position; the first of a position is its [`Role::Stem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// What is indexed.
    pub text: &'a str,
    /// The folded word before stemming; equal to `text` where nothing was stemmed.
    pub surface: &'a str,
    /// Number of the word in the text, from 0. A compound's parts count one each.
    pub position: u32,
    /// How the term stands for the word.
    pub role: Role,
    /// Grammar, not content: never scores alone.
    pub stop: bool,
    /// Content that says little: a bare number inside a compound, a pair of grammatical characters.
    pub faint: bool,
    /// Whether diacritics were folded away.
    pub accented: bool,
    /// Compounds are numbered from 1 within a text; 0 is a plain word.
    pub compound: u32,
}

/// An analysed text; reuse one to spare allocations.
#[derive(Debug)]
pub struct Analysis {
    letters: String,
    words: Vec<Word>,
    terms: Vec<Span>,
    language: Language,
    content: u32,
    stems: StemCache,
}

impl Default for Analysis {
    fn default() -> Self {
        Self {
            letters: String::new(),
            words: Vec::new(),
            terms: Vec::new(),
            language: Language::Unclear,
            content: 0,
            stems: StemCache::default(),
        }
    }
}

impl Analysis {
    /// The terms by position.
    pub fn terms(&self) -> impl Iterator<Item = Term<'_>> {
        self.terms.iter().map(|span| Term {
            text: self.slice(span.start, span.length),
            surface: self.slice(span.surface_start, span.surface_length),
            position: span.position,
            role: span.role,
            stop: span.stop,
            faint: span.faint,
            accented: span.accented,
            compound: span.compound,
        })
    }

    /// The language guessed for the text.
    pub fn language(&self) -> Language {
        self.language
    }

    /// How many positions hold content (not grammar).
    pub fn content_len(&self) -> u32 {
        self.content
    }

    /// Overwrites the letters of the last text.
    pub(super) fn wipe(&mut self) {
        let mut letters = std::mem::take(&mut self.letters).into_bytes();
        letters.fill(0);
        letters.clear();
        self.letters = String::from_utf8(letters).unwrap_or_default();
        self.words.clear();
        self.terms.clear();
        self.stems.entries.fill(CachedStem::default());
    }

    pub(super) fn resident_bytes(&self) -> usize {
        self.letters.capacity()
            + self.stems.entries.capacity() * size_of::<CachedStem>()
            + self.words.capacity() * size_of::<Word>()
            + self.terms.capacity() * size_of::<Span>()
    }

    fn slice(&self, start: u32, length: u16) -> &str {
        let start = start as usize;
        self.letters.get(start..start + usize::from(length)).unwrap_or_default()
    }
}

/// Analyses `text` into `analysis`, replacing what was there. Never fails: text without words has no terms.
pub fn analyse(text: &str, purpose: Purpose, analysis: &mut Analysis) {
    analysis.letters.clear();
    analysis.words.clear();
    analysis.terms.clear();
    analysis.content = 0;
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let mut reader =
        Reader { analysis, position: 0, compound: 0, english: 0, croatian: 0, lower_case: false };
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        reader.read(text);
    } else {
        reader.read(&text.nfkc().collect::<String>());
    }
    let language = match reader.english.cmp(&reader.croatian) {
        std::cmp::Ordering::Greater => Language::English,
        std::cmp::Ordering::Less => Language::Croatian,
        std::cmp::Ordering::Equal => Language::Unclear,
    };
    let (lower_case, compounds) = (reader.lower_case, reader.compound);
    analysis.language = language;
    if compounds > 0 {
        // A compound is known to be one only after its parts were read. The sort is stable and nearly done.
        analysis.words.sort_by_key(|word| word.position);
    }
    write_terms(analysis, purpose, lower_case);
}

/// A folded word before its language is known.
#[derive(Clone, Copy, Debug)]
struct Word {
    start: u32,
    length: u16,
    position: u32,
    compound: u32,
    kind: Kind,
    accented: bool,
    croatian: bool,
    capitals: bool,
    faint: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Letters,
    Digits,
    Pair,
    Unit,
    Whole,
    Piece,
    Contraction,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    surface_start: u32,
    length: u16,
    surface_length: u16,
    position: u32,
    compound: u32,
    role: Role,
    stop: bool,
    faint: bool,
    accented: bool,
}

/// Letters, and marks inside words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    /// A script written in pairs.
    Pair,
    /// May join the parts of a compound.
    Joint,
    Other,
}

fn class(letter: char) -> Class {
    match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
        '_' | '-' | '.' | ':' | '/' | '@' | '\'' | '’' | '+' | '~' | ',' | '\u{2010}' | '\u{2011}' => {
            Class::Joint
        }
        '\0'..='\u{7f}' => Class::Other,
        '\u{0e00}'..='\u{0eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{3096}'
        | '\u{3099}'..='\u{309a}'
        | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}'
        | '\u{3105}'..='\u{312f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{3131}'..='\u{318e}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}' => Class::Pair,
        '\u{200c}' | '\u{200d}' => Class::Word,
        _ if letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter) => {
            Class::Word
        }
        _ => Class::Other,
    }
}

/// Cuts text into folded words and counts what speaks for a language.
struct Reader<'a> {
    analysis: &'a mut Analysis,
    position: u32,
    compound: u32,
    english: u32,
    croatian: u32,
    lower_case: bool,
}

impl Reader<'_> {
    fn read(&mut self, text: &str) {
        for chunk in text.split_whitespace() {
            if chunk.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                self.join(chunk);
            } else {
                self.split(chunk);
            }
        }
    }

    /// Divides a chunk where nothing joins its parts: at brackets and quotation marks, at two marks in a row,
    /// and after a sentence without a following space.
    fn split(&mut self, chunk: &str) {
        let mut start = None;
        let mut end = 0;
        let mut previous = ' ';
        let mut letters = chunk.char_indices().peekable();
        while let Some((place, letter)) = letters.next() {
            let inside = match class(letter) {
                Class::Word | Class::Pair => true,
                Class::Other => false,
                Class::Joint => {
                    let next = letters.peek().map_or(' ', |&(_, next)| next);
                    let joins = matches!(class(previous), Class::Word) && matches!(class(next), Class::Word);
                    joins
                        && match letter {
                            ',' => previous.is_ascii_digit() && next.is_ascii_digit(),
                            '.' => !(previous.is_lowercase() && next.is_uppercase()),
                            _ => true,
                        }
                }
            };
            if inside {
                start.get_or_insert(place);
                end = place + letter.len_utf8();
            } else if let Some(from) = start.take() {
                self.join_marked(&chunk[from..end], &chunk[end..]);
            }
            previous = letter;
        }
        if let Some(from) = start {
            self.join(&chunk[from..end]);
        }
    }

    /// `C++`, `F#`: the marks after a very short word belong to it.
    fn join_marked(&mut self, core: &str, rest: &str) {
        let mark = if rest.starts_with("++") {
            "++"
        } else if rest.starts_with('#') {
            "#"
        } else {
            ""
        };
        if mark.is_empty() || core.len() > 2 || !core.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return self.join(core);
        }
        self.compound += 1;
        let position = self.position;
        self.word(core, Kind::Letters, self.compound);
        let start = self.start();
        self.analysis.letters.extend(core.chars().map(|letter| letter.to_ascii_lowercase()));
        self.analysis.letters.push_str(mark);
        self.push(start, Kind::Whole, position, self.compound, Fold::default());
    }

    /// Reads one sub-chunk: a plain word, or a compound whole and in parts.
    fn join(&mut self, core: &str) {
        if core.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.lower_case = true;
            return self.word(core, Kind::Letters, 0);
        }
        let core = match self.contraction(core) {
            Some(core) => core,
            None => return,
        };
        let parts_start = self.analysis.words.len();
        let first_position = self.position;
        self.compound += 1;
        let compound = self.compound;
        let mut parts = 0_usize;
        let mut pairs = false;
        let mut rest = core;
        while let Some(letter) = rest.chars().next() {
            match class(letter) {
                Class::Pair => {
                    let end = rest.find(|letter| class(letter) != Class::Pair).unwrap_or(rest.len());
                    self.pairs(&rest[..end]);
                    pairs = true;
                    rest = &rest[end..];
                }
                Class::Word => {
                    let end = rest.find(|letter| class(letter) != Class::Word).unwrap_or(rest.len());
                    parts += self.run(&rest[..end], compound);
                    rest = &rest[end..];
                }
                Class::Joint | Class::Other => rest = &rest[letter.len_utf8()..],
            }
        }
        if parts < 2 || pairs || core.len() > WORD_BYTES_MAX {
            self.compound -= 1;
            for word in &mut self.analysis.words[parts_start..] {
                word.compound = 0;
            }
            return;
        }
        self.whole(core, Kind::Whole, first_position, compound);
        if let Some((host, _)) = core.split_once('/')
            && host.contains('.')
        {
            self.whole(host, Kind::Piece, first_position, compound);
        } else if let Some((_, host)) = core.split_once('@') {
            self.whole(host, Kind::Piece, first_position, compound);
        }
    }

    /// Takes an English contraction as one word, or removes a possessive; `None` when nothing is left.
    fn contraction<'t>(&mut self, core: &'t str) -> Option<&'t str> {
        let apostrophe = core.char_indices().rfind(|&(_, letter)| letter == '\'' || letter == '’');
        let Some((place, mark)) = apostrophe else {
            return Some(core);
        };
        let tail = &core[place + mark.len_utf8()..];
        if core.len() <= 12 {
            let start = self.start();
            let fold = fold_into(&core[..place], &mut self.analysis.letters);
            self.analysis.letters.push('\'');
            fold_into(tail, &mut self.analysis.letters);
            let member = stop_words::membership(&self.analysis.letters[start as usize..]);
            if member.stops(Language::Unclear) {
                self.english += 1;
                let position = self.position;
                self.position += 1;
                self.push(start, Kind::Contraction, position, 0, fold);
                return None;
            }
            self.analysis.letters.truncate(start as usize);
        }
        Some(if tail.eq_ignore_ascii_case("s") { &core[..place] } else { core })
    }

    /// One run of word characters: its parts, counted.
    fn run(&mut self, run: &str, compound: u32) -> usize {
        if !run.is_ascii() {
            if run.chars().all(|letter| letter < '\u{250}' && letter.is_alphabetic()) {
                self.word(run, Kind::Letters, compound);
                return 1;
            }
            let mut parts = 0;
            for word in run.unicode_words() {
                self.word(word, Kind::Letters, compound);
                parts += 1;
            }
            return parts;
        }
        let bytes = run.as_bytes();
        let mut parts = 0;
        let mut from = 0;
        for place in 1..=bytes.len() {
            let cut = place == bytes.len() || {
                let (before, here) = (bytes[place - 1], bytes[place]);
                let camel = here.is_ascii_uppercase()
                    && (before.is_ascii_lowercase()
                        || (before.is_ascii_uppercase()
                            && bytes.get(place + 1).is_some_and(u8::is_ascii_lowercase)));
                let unit =
                    here.is_ascii_alphabetic() && bytes[from..place].iter().all(|byte| byte.is_ascii_digit());
                camel || unit
            };
            if cut {
                let part = &run[from..place];
                let kind =
                    if part.bytes().all(|byte| byte.is_ascii_digit()) { Kind::Digits } else { Kind::Letters };
                self.word(part, kind, compound);
                parts += 1;
                from = place;
            }
        }
        parts
    }

    fn word(&mut self, word: &str, kind: Kind, compound: u32) {
        let start = self.start();
        let fold = if kind == Kind::Digits {
            let digits = word.trim_start_matches('0');
            self.analysis.letters.push_str(if digits.is_empty() { "0" } else { digits });
            Fold { faint: word.len() < 4, capitals: true, ..Fold::default() }
        } else {
            fold_into(word, &mut self.analysis.letters)
        };
        if self.analysis.letters.len() == start as usize {
            return;
        }
        self.lower_case |= !fold.capitals;
        if fold.croatian {
            self.croatian += 1;
        } else if kind == Kind::Letters {
            match stop_words::membership(&self.analysis.letters[start as usize..]).evidence() {
                Some(Language::English) => self.english += 1,
                Some(Language::Croatian) => self.croatian += 1,
                Some(Language::Unclear) | None => {}
            }
        }
        let position = self.position;
        self.position += 1;
        self.push(start, kind, position, compound, fold);
    }

    /// Overlapping pairs of a run, and its single units.
    fn pairs(&mut self, run: &str) {
        let mut previous: Option<&str> = None;
        for unit in run.graphemes(true) {
            if let Some(before) = previous {
                let start = self.start();
                self.analysis.letters.push_str(before);
                self.analysis.letters.push_str(unit);
                let faint = is_grammar(before) || is_grammar(unit);
                let position = self.position;
                self.position += 1;
                self.push(start, Kind::Pair, position, 0, Fold { faint, ..Fold::default() });
                self.unit(before, position);
            }
            previous = Some(unit);
        }
        if let Some(last) = previous {
            if last.len() == run.len() {
                let start = self.start();
                self.analysis.letters.push_str(last);
                let position = self.position;
                self.position += 1;
                self.push(
                    start,
                    Kind::Pair,
                    position,
                    0,
                    Fold { faint: is_grammar(last), ..Fold::default() },
                );
            } else {
                self.unit(last, self.position.saturating_sub(1));
            }
        }
    }

    fn unit(&mut self, unit: &str, position: u32) {
        if unit.chars().next().is_some_and(|letter| matches!(letter, '\u{3041}'..='\u{309f}')) {
            return;
        }
        let start = self.start();
        self.analysis.letters.push_str(unit);
        self.push(start, Kind::Unit, position, 0, Fold::default());
    }

    /// The compound as one term.
    fn whole(&mut self, core: &str, kind: Kind, position: u32, compound: u32) {
        let start = self.start();
        let many = core.chars().filter(|letter| class(*letter) == Class::Joint).count() > 1;
        let mut rest = core;
        let mut joint = '-';
        let mut digits_before = false;
        while let Some(letter) = rest.chars().next() {
            if class(letter) == Class::Joint {
                joint = letter;
                rest = &rest[letter.len_utf8()..];
                continue;
            }
            let end = rest.find(|letter| class(letter) == Class::Joint).unwrap_or(rest.len());
            let part = &rest[..end];
            let digits = part.bytes().all(|byte| byte.is_ascii_digit());
            let silent = matches!(joint, '-' | '_' | '\'' | '’' | '\u{2010}' | '\u{2011}');
            let first = self.analysis.letters.len() == start as usize;
            if !first && (!silent || (digits && digits_before)) {
                self.analysis.letters.push(joint);
            }
            if digits && (first || many || !matches!(joint, '.' | ',')) {
                let digits = part.trim_start_matches('0');
                self.analysis.letters.push_str(if digits.is_empty() { "0" } else { digits });
            } else {
                fold_into(part, &mut self.analysis.letters);
            }
            digits_before = digits;
            rest = &rest[end..];
        }
        self.push(start, kind, position, compound, Fold::default());
    }

    fn start(&self) -> u32 {
        // The text is cut at TEXT_BYTES_MAX and no rule writes more than a few bytes for one that it reads.
        u32::try_from(self.analysis.letters.len()).unwrap_or(u32::MAX)
    }

    fn push(&mut self, start: u32, kind: Kind, position: u32, compound: u32, fold: Fold) {
        let letters = &mut self.analysis.letters;
        let longest = letters.floor_char_boundary(start as usize + WORD_BYTES_MAX);
        letters.truncate(longest);
        self.analysis.words.push(Word {
            start,
            // At most WORD_BYTES_MAX.
            length: (letters.len() - start as usize) as u16,
            position,
            compound,
            kind,
            accented: fold.accented,
            croatian: fold.croatian,
            capitals: fold.capitals,
            faint: fold.faint,
        });
    }
}

/// What folding a word revealed.
#[derive(Clone, Copy, Default)]
struct Fold {
    accented: bool,
    croatian: bool,
    /// No lower-case letter.
    capitals: bool,
    faint: bool,
}

/// Appends `word` in lower case without diacritics.
fn fold_into(word: &str, letters: &mut String) -> Fold {
    let mut fold = Fold { capitals: true, ..Fold::default() };
    if word.is_ascii() {
        for byte in word.bytes() {
            fold.capitals &= !byte.is_ascii_lowercase();
            letters.push(char::from(byte.to_ascii_lowercase()));
        }
        return fold;
    }
    for letter in word.chars() {
        fold.capitals &= !letter.is_lowercase();
        for lower in letter.to_lowercase() {
            let plain = match lower {
                '\0'..='\u{7f}' => {
                    letters.push(lower);
                    continue;
                }
                'č' | 'ć' => 'c',
                'š' => 's',
                'ž' => 'z',
                'đ' => 'd',
                'ß' => {
                    letters.push_str("ss");
                    continue;
                }
                'æ' => {
                    letters.push_str("ae");
                    fold.accented = true;
                    continue;
                }
                'œ' => {
                    letters.push_str("oe");
                    fold.accented = true;
                    continue;
                }
                'ł' => 'l',
                'ø' => 'o',
                'ı' => 'i',
                'ς' => 'σ',
                'ё' => 'е',
                // Marks of Latin, Arabic and Hebrew, the Arabic stretch, and joiners.
                '\u{300}'..='\u{36f}'
                | '\u{591}'..='\u{5c7}'
                | '\u{640}'
                | '\u{64b}'..='\u{652}'
                | '\u{200c}'
                | '\u{200d}' => continue,
                '\u{80}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' => {
                    let mut base = lower;
                    unicode_normalization::char::decompose_canonical(lower, |part| {
                        if !unicode_normalization::char::is_combining_mark(part) {
                            base = part;
                        }
                    });
                    base
                }
                other => other,
            };
            fold.accented |= plain != lower;
            fold.croatian |= matches!(lower, 'č' | 'ć' | 'š' | 'ž' | 'đ');
            letters.push(plain);
        }
    }
    fold
}

/// Characters that mostly do grammar: hiragana, and the commonest Chinese particles and pronouns.
fn is_grammar(unit: &str) -> bool {
    unit.chars().all(|letter| {
        matches!(letter, '\u{3041}'..='\u{309f}')
            || "的了是在我你他她它们和有不这這那就也吗嗎呢吧们們个個".contains(letter)
    })
}

/// Second pass: the language is known, so words become terms.
fn write_terms(analysis: &mut Analysis, purpose: Purpose, lower_case: bool) {
    let language = analysis.language;
    let english = Stemmer::create(Algorithm::English);
    let alone = analysis.words.len() == 1;
    for place in 0..analysis.words.len() {
        let word = analysis.words[place];
        let mut span = Span {
            start: word.start,
            surface_start: word.start,
            length: word.length,
            surface_length: word.length,
            position: word.position,
            compound: word.compound,
            role: Role::Stem,
            stop: false,
            faint: false,
            accented: word.accented,
        };
        match word.kind {
            Kind::Whole => span.role = Role::Whole,
            Kind::Piece => span.role = Role::Piece,
            Kind::Unit => span.role = Role::Unit,
            Kind::Contraction => span.stop = true,
            Kind::Digits => span.faint = word.faint && word.compound > 0,
            Kind::Pair => span.faint = word.faint,
            Kind::Letters => {
                let text = analysis.slice(word.start, word.length);
                let emphatic = word.capitals && (lower_case || alone) && (2..=4).contains(&text.len());
                let language =
                    if word.croatian && language == Language::English { Language::Unclear } else { language };
                span.stop = !emphatic && stop_words::membership(text).stops(language);
                if !span.stop {
                    write_stems(analysis, span, language, purpose, &english);
                    continue;
                }
            }
        }
        analysis.content += u32::from(span.role == Role::Stem && !span.stop);
        analysis.terms.push(span);
    }
}

fn write_stems(analysis: &mut Analysis, span: Span, language: Language, purpose: Purpose, english: &Stemmer) {
    analysis.content += 1;
    let surface = analysis.slice(span.start, span.length);
    if !surface.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let stemmer = match surface.chars().next() {
            Some('\u{400}'..='\u{4ff}') => Some(Algorithm::Russian),
            Some('\u{370}'..='\u{3ff}') => Some(Algorithm::Greek),
            _ => None,
        };
        let stem = stemmer.map(|algorithm| Stemmer::create(algorithm).stem(surface).into_owned());
        let span = match stem {
            Some(stem) => place_stem(analysis, span, &stem),
            None => span,
        };
        analysis.terms.push(span);
        return;
    }
    let first = match language {
        Language::Croatian => croatian_stem(analysis, span),
        Language::English | Language::Unclear => english_stem(analysis, span, english),
    };
    analysis.terms.push(first);
    if language == Language::Unclear || purpose == Purpose::Query {
        let mut other = match language {
            Language::Croatian => english_stem(analysis, span, english),
            Language::English | Language::Unclear => croatian_stem(analysis, span),
        };
        other.role = Role::OtherStem;
        if analysis.slice(first.start, first.length) != analysis.slice(other.start, other.length) {
            analysis.terms.push(other);
        }
    }
}

fn english_stem(analysis: &mut Analysis, span: Span, english: &Stemmer) -> Span {
    remembered_stem(analysis, span, Language::English, |word, stem| stem.push_str(&english.stem(word)))
}

fn croatian_stem(analysis: &mut Analysis, span: Span) -> Span {
    remembered_stem(analysis, span, Language::Croatian, croatian::stem_into)
}

fn remembered_stem(
    analysis: &mut Analysis,
    span: Span,
    language: Language,
    stem_into: impl Fn(&str, &mut String),
) -> Span {
    let mut stems = std::mem::take(&mut analysis.stems);
    let stem = stems.stem(analysis.slice(span.start, span.length), language, stem_into);
    let span = place_stem(analysis, span, stem);
    analysis.stems = stems;
    span
}

/// The stems of the latest words: running text repeats itself, and stemming is most of the work.
#[derive(Debug, Default)]
struct StemCache {
    entries: Vec<CachedStem>,
    long: String,
}

const CACHED_STEMS: usize = 2_048;
const CACHED_BYTES: usize = 15;

#[derive(Clone, Copy, Debug, Default)]
struct CachedStem {
    word: [u8; CACHED_BYTES],
    stem: [u8; CACHED_BYTES],
    /// Zero in an empty entry.
    word_length: u8,
    stem_length: u8,
    croatian: bool,
}

impl StemCache {
    fn stem(&mut self, word: &str, language: Language, stem_into: impl Fn(&str, &mut String)) -> &str {
        let croatian = language == Language::Croatian;
        if word.is_empty() || word.len() > CACHED_BYTES {
            self.long.clear();
            stem_into(word, &mut self.long);
            return &self.long;
        }
        if self.entries.is_empty() {
            self.entries.resize(CACHED_STEMS, CachedStem::default());
        }
        let hash = FixedState::with_seed(u64::from(croatian)).hash_one(word.as_bytes());
        let place = (hash >> 32) as usize % CACHED_STEMS;
        let known = &self.entries[place];
        let same = usize::from(known.word_length) == word.len()
            && known.croatian == croatian
            && &known.word[..word.len()] == word.as_bytes();
        if !same {
            self.long.clear();
            stem_into(word, &mut self.long);
            if self.long.len() > CACHED_BYTES {
                return &self.long;
            }
            let mut entry = CachedStem {
                // Both are at most CACHED_BYTES.
                word_length: word.len() as u8,
                stem_length: self.long.len() as u8,
                croatian,
                ..CachedStem::default()
            };
            entry.word[..word.len()].copy_from_slice(word.as_bytes());
            entry.stem[..self.long.len()].copy_from_slice(self.long.as_bytes());
            self.entries[place] = entry;
        }
        let entry = &self.entries[place];
        // Only whole `str`s are written; an empty stem is read as no stem.
        std::str::from_utf8(&entry.stem[..usize::from(entry.stem_length)]).unwrap_or_default()
    }
}

/// Points `span` at `stem`, which most often is a prefix of the surface and so is written already.
fn place_stem(analysis: &mut Analysis, mut span: Span, stem: &str) -> Span {
    let surface = analysis.slice(span.start, span.length);
    if stem.is_empty() {
        return span;
    }
    if !surface.starts_with(stem) {
        span.start = u32::try_from(analysis.letters.len()).unwrap_or(u32::MAX);
        analysis.letters.push_str(stem);
    }
    span.length = u16::try_from(stem.len()).unwrap_or(u16::MAX);
    span
}
