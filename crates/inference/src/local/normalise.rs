//! How a text is made plain before it is cut into pieces: the rules the vocabulary was trained under.
//!
//! The original keeps them as one large table of sequences. The pack holds the rules for single characters, which differ from any
//! version of Unicode; the rules for a letter with a mark behind it are canonical composition and are computed.
//!
//! Two habits of the reference are kept, since the model never saw anything else: a cluster of less than six bytes is looked
//! up by its shortest beginning that has a rule, and what follows it in the cluster is dropped.

use unicode_normalization::char::{compose, decompose_canonical};
use unicode_segmentation::UnicodeSegmentation as _;

/// Bytes from which on a cluster is taken character by character.
const LONG_CLUSTER: usize = 6;

/// The rules for single characters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Rules {
    /// The characters that are replaced, in order, each with where its replacement begins.
    characters: Vec<(char, u32)>,
    /// The replacements, one after the other.
    replacements: String,
}

impl Rules {
    /// Rules from `(character, replacement)`, in any order; the later of two for one character counts.
    pub fn new(rules: impl IntoIterator<Item = (char, String)>) -> Self {
        let rules: std::collections::BTreeMap<char, String> = rules.into_iter().collect();
        let mut made = Self::default();
        for (character, replacement) in rules {
            made.characters.push((character, made.replacements.len() as u32));
            made.replacements.push_str(&replacement);
        }
        made
    }

    /// As bytes: a count, then each character with its replacement's length, then the replacements.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = (self.characters.len() as u32).to_le_bytes().to_vec();
        for (place, (character, _)) in self.characters.iter().enumerate() {
            bytes.extend((*character as u32).to_le_bytes());
            bytes.extend((self.replacement(place).len() as u32).to_le_bytes());
        }
        bytes.extend(self.replacements.as_bytes());
        bytes
    }

    /// From bytes; `None` when they are not of this shape.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (count, rest) = bytes.split_first_chunk::<4>()?;
        let (table, replacements) =
            rest.split_at_checked((u32::from_le_bytes(*count) as usize).checked_mul(8)?)?;
        let replacements = std::str::from_utf8(replacements).ok()?;
        let mut made =
            Self { characters: Vec::with_capacity(table.len() / 8), replacements: replacements.to_owned() };
        let mut begin = 0_usize;
        for (row, _) in table.as_chunks::<8>().0.iter().zip(0..) {
            let (character, length) = row.split_first_chunk::<4>()?;
            let character = char::from_u32(u32::from_le_bytes(*character))?;
            if made.characters.last().is_some_and(|(before, _)| *before >= character)
                || !replacements.is_char_boundary(begin)
            {
                return None;
            }
            made.characters.push((character, begin as u32));
            begin = begin.checked_add(u32::from_le_bytes(length.try_into().ok()?) as usize)?;
        }
        (begin == replacements.len()).then_some(made)
    }

    /// The plain form of `text`.
    pub fn apply(&self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len() + text.len() / 8);
        for cluster in text.graphemes(true) {
            if cluster.len() < LONG_CLUSTER && self.replace_beginning(cluster, &mut plain) {
                continue;
            }
            for character in cluster.chars() {
                match self.find(character) {
                    Some(replacement) => plain.push_str(replacement),
                    None => plain.push(character),
                }
            }
        }
        plain
    }

    /// Replaces a short cluster by what its shortest beginning with a rule becomes; whether there was one.
    fn replace_beginning(&self, cluster: &str, plain: &mut String) -> bool {
        let mut characters = cluster.chars();
        let Some(first) = characters.next() else { return false };
        if let Some(replacement) = self.find(first) {
            plain.push_str(replacement);
            return true;
        }
        let composed = characters.next().and_then(|second| compose_plain(first, second));
        plain.extend(composed);
        composed.is_some()
    }

    fn find(&self, character: char) -> Option<&str> {
        // Letters and digits of English have no rule, and are most of what comes.
        if matches!(character, ' '..='~') {
            return None;
        }
        let place = self.characters.binary_search_by_key(&character, |(of, _)| *of).ok()?;
        Some(self.replacement(place))
    }

    fn replacement(&self, place: usize) -> &str {
        let begin = self.characters[place].1 as usize;
        let end = self.characters.get(place + 1).map_or(self.replacements.len(), |(_, next)| *next as usize);
        &self.replacements[begin..end]
    }
}

/// The one character that a fully decomposed pair stands for.
fn compose_plain(first: char, second: char) -> Option<char> {
    // Three marks that are the same as others by definition.
    let second = match second {
        '\u{340}' => '\u{300}',
        '\u{341}' => '\u{301}',
        '\u{343}' => '\u{313}',
        other => other,
    };
    (is_decomposed(first) && is_decomposed(second)).then(|| compose(first, second)).flatten()
}

fn is_decomposed(character: char) -> bool {
    let mut count = 0;
    let mut same = true;
    decompose_canonical(character, |part| {
        count += 1;
        same &= part == character;
    });
    count == 1 && same
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        Rules::new([
            ('\u{1}', String::new()),
            ('\t', " ".to_owned()),
            ('\r', " ".to_owned()),
            ('\n', " ".to_owned()),
            ('ﬁ', "fi".to_owned()),
            ('\u{200d}', " ".to_owned()),
        ])
    }

    #[test]
    fn clusters_follow_the_shortest_beginning_with_a_rule() {
        for (written, plain) in [
            ("", ""),
            ("c\u{30c}", "č"),
            ("c\u{341}", "ć"),
            ("a\u{1}b\tc", "ab c"),
            ("a\r\nb", "a b"),
            ("ﬁ\u{301}n", "fin"),
            // The second mark of a short cluster is dropped; a long one is taken character by character.
            ("e\u{302}\u{301}", "ê"),
            ("e\u{302}\u{301}\u{300}", "e\u{302}\u{301}\u{300}"),
            // Already composed: no rule.
            ("Â\u{300}", "Â\u{300}"),
            ("👩\u{200d}🚀", "👩 🚀"),
        ] {
            assert_eq!(rules().apply(written), plain, "{written:?}");
        }
    }

    #[test]
    fn rules_survive_being_bytes_and_damage_is_seen() {
        let bytes = rules().to_bytes();
        assert_eq!(Rules::from_bytes(&bytes), Some(rules()));
        for cut in 0..bytes.len() {
            assert_eq!(Rules::from_bytes(&bytes[..cut]), None, "cut to {cut} bytes");
        }
    }
}
