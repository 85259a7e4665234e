//! Looking for words in bytes, in the disguises a store or a program might leave them in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aho_corasick::AhoCorasick;
use engine::lexical::{Analysis, Purpose, analyse};

/// The shortest disguise that is looked for: shorter ones stand in any file by chance.
const BYTES_MIN: usize = 4;

/// The shortest stem that is looked for.
const STEM_BYTES_MIN: usize = 6;

/// A search for several words at once.
pub struct Search {
    automaton: AhoCorasick,
    /// The word each disguise is of.
    words: Vec<String>,
}

impl Search {
    /// A search for these words in every disguise.
    ///
    /// # Panics
    /// When there are more than an automaton can hold; no proof has as many.
    #[must_use]
    pub fn of(words: &[&str]) -> Self {
        let (mut names, mut patterns) = (Vec::new(), Vec::new());
        for word in words {
            for disguise in disguises(word).into_iter().filter(|disguise| disguise.len() >= BYTES_MIN) {
                names.push((*word).to_owned());
                patterns.push(disguise);
            }
        }
        Self { automaton: AhoCorasick::new(patterns).expect("an automaton"), words: names }
    }

    /// The words that stand in `bytes`, each with the first place where it does.
    #[must_use]
    pub fn hits(&self, bytes: &[u8]) -> Vec<(&str, usize)> {
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        for hit in self.automaton.find_iter(bytes) {
            first.entry(&self.words[hit.pattern().as_usize()]).or_insert(hit.start());
        }
        first.into_iter().collect()
    }

    /// The words that stand in the files below `directory` or in their names.
    ///
    /// # Panics
    /// When a file cannot be read.
    #[must_use]
    pub fn in_files(&self, directory: &Path) -> Vec<String> {
        let mut hits = Vec::new();
        for file in files(directory) {
            let bytes = std::fs::read(&file).expect("the file is read");
            let told =
                |(word, place): (&str, usize)| format!("`{word}` in {} at byte {place}", file.display());
            hits.extend(self.hits(&bytes).into_iter().map(told));
            let name = file.to_string_lossy().to_lowercase();
            hits.extend(
                self.hits(name.as_bytes()).iter().map(|(word, _)| format!("`{word}` in the name of {name}")),
            );
        }
        hits
    }
}

/// Every disguise of `words`: as they are, in lower and upper case and with a capital, as the index stems them, escaped as in
/// JSON, in UTF-16 of both orders, in hexadecimal, and in base64 of both alphabets at each alignment.
#[must_use]
pub fn disguises(words: &str) -> Vec<Vec<u8>> {
    let mut forms: Vec<String> = vec![words.to_owned(), words.to_lowercase(), words.to_uppercase()];
    let mut letters = words.chars();
    forms.extend(letters.next().map(|first| first.to_uppercase().chain(letters).collect()));
    let mut analysis = Analysis::default();
    for purpose in [Purpose::Document, Purpose::Query] {
        analyse(words, purpose, &mut analysis);
        // Of several words each would be found alone, and a short stem in any text.
        let stems = analysis.terms().filter(|term| term.text.len() >= STEM_BYTES_MIN);
        forms.extend(stems.filter(|_| !words.contains(char::is_whitespace)).map(|term| term.text.to_owned()));
    }
    forms.sort();
    forms.dedup();
    let mut all: Vec<Vec<u8>> = Vec::new();
    for text in &forms {
        let bytes = text.as_bytes();
        all.push(bytes.to_vec());
        all.push(escaped(text).into_bytes());
        all.push(escaped(text).to_uppercase().replace("\\U", "\\u").into_bytes());
        all.push(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        all.push(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        all.push(hex.to_uppercase().into_bytes());
        all.push(hex.into_bytes());
        for alignment in 0..3 {
            let base64 = base64_inside(bytes, alignment);
            all.push(base64.iter().map(|byte| if *byte == b'+' { b'-' } else { *byte }).collect::<Vec<u8>>());
            all.push(base64);
        }
    }
    all.sort();
    all.dedup();
    all
}

/// With every letter beyond ASCII as its JSON escape.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => escaped.push(char::from(byte)),
            _ => escaped.push_str(&format!("\\u{unit:04x}")),
        }
    }
    escaped
}

/// The characters of base64 that stand for `bytes` wherever they begin `alignment` bytes into a group of three.
fn base64_inside(bytes: &[u8], alignment: usize) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padded: Vec<u8> = std::iter::repeat_n(0, alignment).chain(bytes.iter().copied()).collect();
    let whole = &padded[..padded.len() / 3 * 3];
    let text: Vec<u8> = whole
        .chunks_exact(3)
        .flat_map(|group| {
            let number = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
            [18, 12, 6, 0].map(|shift| ALPHABET[(number >> shift & 63) as usize])
        })
        .collect();
    // The first group holds bits of the neighbour before the words.
    text.get(if alignment == 0 { 0 } else { 4 }..).unwrap_or_default().to_vec()
}

/// Every file below `directory`.
///
/// # Panics
/// When the directory cannot be read.
#[must_use]
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(&next).expect("the directory is read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Where `words` stand in the files below `directory`, in any disguise.
///
/// # Panics
/// When a file cannot be read.
#[must_use]
pub fn find(directory: &Path, words: &str) -> Vec<String> {
    Search::of(&[words]).in_files(directory)
}
