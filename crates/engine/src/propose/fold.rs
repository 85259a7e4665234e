//! Text folded for matching: lower case, without Croatian diacritics, with plain apostrophes and spaces.
//!
//! People leave diacritics and capitals out; the patterns must not care. What is kept, though, is the original: every byte of
//! the folded text knows the byte it came from, so that a match leads back to the exact words.

/// A stretch of text and its folded form.
pub(super) struct Folded<'a> {
    pub(super) original: &'a str,
    pub(super) text: String,
    /// For each byte of `text`, the offset in `original` of the character it came from; one more at the end.
    origin: Vec<usize>,
}

impl<'a> Folded<'a> {
    pub(super) fn new(original: &'a str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut origin = Vec::with_capacity(original.len() + 1);
        for (offset, character) in original.char_indices() {
            for folded in fold_char(character) {
                text.push(folded);
                origin.resize(text.len(), offset);
            }
        }
        origin.push(original.len());
        Self { original, text, origin }
    }

    /// The same clause with the subject "i" in front that it leaves out; the added bytes stand for no original words.
    pub(super) fn with_subject(mut self) -> Self {
        self.text.insert_str(0, "i ");
        self.origin.splice(0..0, [0, 0]);
        self
    }

    /// The offset in the original of an offset in the folded text.
    pub(super) fn origin(&self, folded: usize) -> usize {
        self.origin.get(folded).copied().unwrap_or(self.original.len())
    }

    /// The original words behind a range of the folded text.
    pub(super) fn words(&self, start: usize, end: usize) -> &'a str {
        self.original.get(self.origin(start)..self.origin(end)).unwrap_or_default()
    }

    /// The first offset of the folded text whose origin is at or after an offset of the original.
    pub(super) fn folded_offset(&self, original: usize) -> usize {
        self.origin.partition_point(|origin| *origin < original).min(self.text.len())
    }
}

/// Folds a whole string; for tables of forms.
pub(crate) fn fold(text: &str) -> String {
    text.chars().flat_map(fold_char).collect()
}

fn fold_char(character: char) -> impl Iterator<Item = char> {
    let plain = match character {
        'č' | 'ć' | 'Č' | 'Ć' => 'c',
        'š' | 'Š' => 's',
        'ž' | 'Ž' => 'z',
        'đ' | 'Đ' => 'd',
        '’' | '‘' | 'ʼ' | '`' | '´' => '\'',
        c if c.is_whitespace() => ' ',
        c => c,
    };
    plain.to_lowercase()
}
