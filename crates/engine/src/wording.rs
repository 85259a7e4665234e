//! Wording: which candidates say nearly the same in nearly the same words.

use std::hash::{BuildHasher, BuildHasherDefault};

use ledger::entity::EntityRef;
use rustc_hash::{FxHashMap, FxHasher};

/// The share of words two texts have in common, of all they have, from which on one repeats the other; in hundredths.
const ALIKE: usize = 80;

/// Words of one text that are looked at.
const WORDS_MAX: usize = 64;

/// Small words that turn a sentence around.
const TURNING: &[&str] = &[
    "bez", "cannot", "except", "ne", "never", "neither", "nema", "nije", "nikad", "nikada", "no", "none",
    "nor", "not", "nothing", "only", "samo", "unless", "until", "without",
];

/// The candidates so far, so that the next can be compared.
#[derive(Default)]
pub(crate) struct Wording {
    /// By the words that must be the same: the places, each with its words.
    known: FxHashMap<u64, Vec<(u32, Vec<u32>)>>,
}

impl Wording {
    /// The place of the first earlier candidate that `value`, said of `entity`, repeats; it is remembered as `place`.
    ///
    /// Numbers, names inside a sentence and words that turn it around are never left to likeness: they must be the same.
    pub fn repeated(&mut self, place: u32, entity: &EntityRef, value: &str) -> Option<u32> {
        let hasher = BuildHasherDefault::<FxHasher>::default();
        let mut strict: Vec<u64> = vec![hasher.hash_one(entity.as_str())];
        let mut words: Vec<u32> = Vec::new();
        let split = value.split(|one: char| !(one.is_alphanumeric() || matches!(one, '\'' | '\u{2019}')));
        for (at, word) in split.filter(|word| !word.is_empty()).take(WORDS_MAX).enumerate() {
            let lower = word.to_lowercase();
            let hash = hasher.hash_one(&lower);
            let is_name = at > 0 && word.starts_with(char::is_uppercase);
            let turns =
                TURNING.contains(&lower.as_str()) || lower.ends_with("n't") || lower.ends_with("n\u{2019}t");
            if is_name || turns || word.contains(char::is_numeric) {
                strict.push(hash);
            }
            words.push(hash as u32);
        }
        words.sort_unstable();
        words.dedup();
        strict.sort_unstable();
        strict.dedup();
        let known = self.known.entry(hasher.hash_one(&strict)).or_default();
        let first = known.iter().find(|(_, other)| are_alike(&words, other)).map(|(place, _)| *place);
        // Only those that repeat nobody are compared with: what repeats a repetition repeats its first.
        if first.is_none() {
            known.push((place, words));
        }
        first
    }
}

/// Whether two sorted lists have nearly all in common.
fn are_alike(left: &[u32], right: &[u32]) -> bool {
    let (shorter, longer) = (left.len().min(right.len()), left.len().max(right.len()));
    if longer == 0 || shorter * 100 < longer * ALIKE {
        return longer == 0;
    }
    let (mut one, mut other, mut common) = (0, 0, 0);
    while let (Some(first), Some(second)) = (left.get(one), right.get(other)) {
        one += usize::from(first <= second);
        other += usize::from(second <= first);
        common += usize::from(first == second);
    }
    common * 100 >= (left.len() + right.len() - common) * ALIKE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_substance_is_no_repetition() {
        let acme = EntityRef::parse("acme").expect("a slug");
        let table = [
            (
                "the backup of the server runs every night at 02:00",
                "the backup of the server runs each night at 02:00",
                true,
            ),
            (
                "the backup of the server runs every night at 02:00",
                "the backup of the server runs every night at 03:00",
                false,
            ),
            (
                "eats meat with the family on all the big holidays",
                "never eats meat with the family on all the big holidays",
                false,
            ),
            (
                "the review of the plan is done by Ana each and every week",
                "the review of the plan is done by Iva each and every week",
                false,
            ),
            ("tea", "tea", true),
            ("tea", "coffee", false),
            ("", "", true),
        ];
        for (first, second, repeats) in table {
            let mut wording = Wording::default();
            assert_eq!(wording.repeated(0, &acme, first), None);
            assert_eq!(wording.repeated(1, &acme, second).is_some(), repeats, "{first} / {second}");
        }
        let mut wording = Wording::default();
        assert_eq!(wording.repeated(0, &acme, "on hold"), None);
        let other = EntityRef::parse("beta").expect("a slug");
        assert_eq!(wording.repeated(1, &other, "on hold"), None, "about something else");
        assert_eq!(wording.repeated(2, &acme, "On hold"), Some(0));
        assert_eq!(wording.repeated(3, &acme, "on hold"), Some(0));
    }
}
