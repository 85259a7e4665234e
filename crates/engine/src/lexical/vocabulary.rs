//! Terms to numbers and back: every distinct term once, in one arena, gone when its last document goes.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// The number of a term. Numbers of forgotten terms are given again.
pub(super) type TermId = u32;

/// Interned terms with a reference count each. The seed is fixed: the order of growth, and so the memory and
/// every answer, is the same on each run.
pub(super) struct Vocabulary {
    letters: Vec<u8>,
    places: Vec<Place>,
    free: Vec<TermId>,
    table: HashTable<TermId>,
    hasher: FixedState,
    wasted: usize,
}

#[derive(Clone, Copy, Default)]
struct Place {
    start: u32,
    length: u32,
    references: u32,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            letters: Vec::new(),
            places: Vec::new(),
            free: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::with_seed(0x7e57),
            wasted: 0,
        }
    }
}

/// Dead letters below this are not worth moving the others for.
const WASTE_MIN: usize = 64 << 10;

impl Vocabulary {
    /// The number of `text`, if some document holds it.
    pub(super) fn find(&self, text: &str) -> Option<TermId> {
        let hash = self.hasher.hash_one(text.as_bytes());
        self.table.find(hash, |&id| self.bytes(id) == text.as_bytes()).copied()
    }

    /// The number of `text`, given now if need be. A new term has no reference and must get one.
    pub(super) fn intern(&mut self, text: &str) -> TermId {
        if let Some(id) = self.find(text) {
            return id;
        }
        let hash = self.hasher.hash_one(text.as_bytes());
        let place = Place {
            start: u32::try_from(self.letters.len()).unwrap_or(u32::MAX),
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
            references: 0,
        };
        if self.letters.capacity() - self.letters.len() < text.len() {
            // Grown by hand, so that no freed copy of the letters is left behind.
            let mut larger = Vec::with_capacity((self.letters.len() + text.len()) * 3 / 2 + 64);
            larger.extend_from_slice(&self.letters);
            self.letters.fill(0);
            self.letters = larger;
        }
        self.letters.extend_from_slice(text.as_bytes());
        let id = match self.free.pop() {
            Some(id) => {
                self.places[id as usize] = place;
                id
            }
            None => {
                self.places.push(place);
                u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
            }
        };
        let Self { table, letters, places, hasher, .. } = self;
        table.insert_unique(hash, id, |&id| hasher.hash_one(slice(letters, places, id)));
        id
    }

    /// Counts one more document that holds the term.
    pub(super) fn hold(&mut self, id: TermId) {
        self.places[id as usize].references += 1;
    }

    /// Counts one document fewer; with the last one the letters are overwritten and the number is freed.
    pub(super) fn release(&mut self, id: TermId) {
        let place = &mut self.places[id as usize];
        place.references = place.references.saturating_sub(1);
        if place.references > 0 {
            return;
        }
        let hash = self.hasher.hash_one(self.bytes(id));
        if let Ok(entry) = self.table.find_entry(hash, |&other| other == id) {
            entry.remove();
        }
        let place = std::mem::take(&mut self.places[id as usize]);
        let (start, length) = (place.start as usize, place.length as usize);
        self.letters[start..start + length].fill(0);
        self.wasted += length;
        self.free.push(id);
        if self.wasted > WASTE_MIN && self.wasted > self.letters.len() / 2 {
            self.compact();
        }
    }

    /// The term of a number; empty for one that was freed.
    pub(super) fn text(&self, id: TermId) -> &str {
        // Only whole `str`s are written, so this cannot fail; an empty term is the harmless answer.
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    /// One more than the greatest number given so far.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Bytes held, unused capacity included.
    pub(super) fn resident_bytes(&self) -> usize {
        self.letters.capacity()
            + self.places.capacity() * size_of::<Place>()
            + self.free.capacity() * size_of::<TermId>()
            + self.table.allocation_size()
    }

    /// Gives unused capacity back, and the numbers after the last living term.
    pub(super) fn shrink(&mut self) {
        while self.places.last().is_some_and(|place| place.references == 0) {
            self.places.pop();
        }
        let end = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.free.retain(|&id| id < end);
        self.free.shrink_to_fit();
        self.compact();
        let Self { table, letters, places, hasher, .. } = self;
        table.shrink_to_fit(|&id| hasher.hash_one(slice(letters, places, id)));
        self.letters.shrink_to_fit();
        self.places.shrink_to_fit();
    }

    fn bytes(&self, id: TermId) -> &[u8] {
        slice(&self.letters, &self.places, id)
    }

    fn compact(&mut self) {
        let mut letters = Vec::with_capacity(self.letters.len() - self.wasted);
        for place in &mut self.places {
            let start = place.start as usize;
            place.start = u32::try_from(letters.len()).unwrap_or(u32::MAX);
            letters.extend_from_slice(&self.letters[start..start + place.length as usize]);
        }
        self.letters.fill(0);
        self.letters = letters;
        self.wasted = 0;
    }
}

fn slice<'a>(letters: &'a [u8], places: &[Place], id: TermId) -> &'a [u8] {
    let Some(place) = places.get(id as usize) else {
        return &[];
    };
    let start = place.start as usize;
    letters.get(start..start + place.length as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_term_leaves_no_letters_and_its_number_is_given_again() {
        let mut vocabulary = Vocabulary::default();
        let first = vocabulary.intern("tajna");
        vocabulary.hold(first);
        vocabulary.release(first);
        assert_eq!(vocabulary.find("tajna"), None);
        assert!(!vocabulary.letters.windows(5).any(|window| window == b"tajna"));
        assert_eq!(vocabulary.intern("javno"), first);
    }

    #[test]
    fn compaction_keeps_the_living() {
        let mut vocabulary = Vocabulary::default();
        for number in 0..20_000_u32 {
            let id = vocabulary.intern(&format!("term{number}"));
            vocabulary.hold(id);
        }
        let before = vocabulary.letters.len();
        for number in (0..20_000_u32).filter(|number| number % 10 != 0) {
            let id = vocabulary.find(&format!("term{number}")).unwrap_or(u32::MAX);
            vocabulary.release(id);
        }
        assert!(vocabulary.letters.len() < before / 2);
        for number in 0..20_000_u32 {
            assert_eq!(vocabulary.find(&format!("term{number}")).is_some(), number % 10 == 0);
        }
    }
}
