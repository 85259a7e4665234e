//! The index: postings, scores, phrases, removal.
//!
//! # What a score means
//!
//! For a question with content words *g*, each of weight *w* (1 for a plain word) and rarity *r*, a document
//! scores
//!
//! ```text
//! share = Σ w·r·s / Σ w·r            over all asked words, found anywhere or not
//! s     = t / (t + k1)               t = Σ over fields: weight·count / (1 − b + b·length/average)
//! r     = ln(1 + (N − n + ½) / (n + ½))   N documents plus a fixed prior, n of them with the word
//! base  = share·(1 + k1) / (1 + k1·share)
//! score = base + (1 − base) · phrase_bonus · share of the question in the longest contiguous run
//! ```
//!
//! So a score lies in 0..1: 1 is every asked content word found and saturated, 0 is never returned. It is the
//! share of the question's information that the document answers, and not a sum that grows with the question
//! or the index; the priors on `N` and on the average lengths keep it steady from the first document on. All asked
//! words standing once in a value of average length give a base of 0.6, half of them (of like rarity) 0.38. [`Hit::coverage`] leaves
//! rarity and counts out and is the same in every index.
//!
//! Order is total: higher score first, then lower id. Phrases are measured on the best
//! [`CANDIDATES_MIN`] (or four times the limit) by `base`.
//!
//! # Memory
//!
//! A document is one boxed slice of term numbers (for phrases and for removal) and its field lengths; a
//! posting is six bytes. Removing a document takes its postings out, and a term's letters are overwritten
//! when its last document goes.

use super::analyse::{Analysis, Purpose, analyse};
use super::query::{AskedWord, Group, Query};
use super::vocabulary::{TermId, Vocabulary};

/// Candidates kept for the phrase measurement, at least.
pub const CANDIDATES_MIN: usize = 256;

/// The most asked words that are scored: the rarest of the question.
pub const SCORED_WORDS_MAX: usize = 64;

/// How far beyond the number of documents an id may lie; ids are dense.
pub const ID_GAP_MAX: u32 = 1 << 20;

/// Terms of a document looked at for phrases.
const PHRASE_TERMS_MAX: usize = 4_096;
/// What a neighbour of an unknown word counts, by kind of typing error.
const SWAPPED: f32 = 0.6;
const EDITED: f32 = 0.5;
const NEIGHBOURS_MAX: usize = 3;
/// What is left of a word found with other diacritics.
const OTHER_ACCENT: f32 = 0.95;

/// Where in a document words stand. Each has its weight and its own average length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// What is remembered: a fact's value.
    Value,
    /// Whom or what it is about: name and aliases.
    Entity,
    /// The predicate in words, or what else frames the text: speaker, date, title.
    Predicate,
    /// The supporting quotes.
    Quote,
    /// Running text of any length: a message, an episode, a passage of a document. Length counts fully
    /// against it, since long messages touch on everything.
    Passage,
}

const FIELDS: usize = 5;
/// Weight, share of the length normalisation (`b`) and prior average length of each field.
const FIELD_WEIGHT: [f32; FIELDS] = [1.0, 1.0, 0.7, 0.6, 1.0];
const FIELD_B: [Option<f32>; FIELDS] = [Some(0.5), Some(0.3), Some(0.3), Some(0.5), None];
const FIELD_LENGTH: [f32; FIELDS] = [8.0, 2.0, 2.0, 12.0, 30.0];
/// How many documents the prior lengths count for.
const LENGTH_PRIOR: f32 = 8.0;
/// Largest count kept per field; more does not matter, since scores saturate.
const COUNT_MAX: u16 = 7;
const COUNT_BITS: u16 = 3;
const ACCENTED: u16 = 1 << 15;

/// What may be tuned; the defaults are what the engine uses. They were chosen on two sets of conversations. One
/// would have `b` at 1 and a greater `k1`, since its evidence stands in short messages; the other, less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How fast repetition saturates.
    pub k1: f32,
    /// How much length counts against [`Field::Passage`], 0..1.
    pub b: f32,
    /// How much of what is missing to 1 a phrase that holds the whole question gives.
    pub phrase_bonus: f32,
    /// Documents without any asked word that every index is thought to hold besides its own.
    pub documents_prior: f32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { k1: 2.0, b: 0.95, phrase_bonus: 0.3, documents_prior: 50.0 }
    }
}

/// A document could not be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddError {
    /// Ids are positions in a table, so a far one would cost memory for nothing.
    #[error("document id `{id}` lies more than `{ID_GAP_MAX}` beyond the last one")]
    IdTooFar {
        /// The refused id.
        id: u32,
    },
}

/// How a term answered an asked word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As the word's stem.
    Word,
    /// As its stem in the other language.
    OtherStem,
    /// As the compound the word is part of.
    Compound,
    /// As a neighbour of a word that no document holds: one letter more, less, other, or two swapped.
    Neighbour,
}

/// An asked word and the term that answered it best in one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedTerm {
    /// Which of [`Query::asked`].
    pub asked: u16,
    /// The term; [`LexicalIndex::term`] has its text.
    pub term: u32,
    /// How it answered.
    pub how: How,
}

/// A document found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The caller's id.
    pub id: u32,
    /// 0..1, the order of the answer; see the module's documentation.
    pub score: f32,
    /// The plain sum, comparable within one answer only.
    pub bm25: f32,
    /// 0..1, share of the asked content words found, however rare or often.
    pub coverage: f32,
    /// Asked words (grammar included) in the longest contiguous run; 1 when they are scattered.
    pub phrase: u16,
    /// One for each asked word found.
    pub matched_terms: Vec<MatchedTerm>,
}

/// Documents, each with its sum before it.
type Sums = Vec<(f32, u32)>;

/// A document by its score, before anything else is told of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The caller's id.
    pub id: u32,
    /// 0..1, as [`Hit::score`].
    pub score: f32,
    sum: f32,
    run: u16,
}

impl Ranked {
    /// Higher score first, then lower id.
    fn order(left: &Self, right: &Self) -> std::cmp::Ordering {
        right.score.total_cmp(&left.score).then(left.id.cmp(&right.id))
    }
}

/// The index of one subject; see the module's documentation.
pub struct LexicalIndex {
    parameters: Parameters,
    vocabulary: Vocabulary,
    postings: Vec<Vec<Posting>>,
    documents: Vec<Document>,
    live: u32,
    /// Sum of lengths, and number of documents that have the field.
    lengths: [u64; FIELDS],
    holders: [u32; FIELDS],
    scratch: Scratch,
}

impl Default for LexicalIndex {
    fn default() -> Self {
        Self::new(Parameters::default())
    }
}

impl LexicalIndex {
    /// An empty index.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            vocabulary: Vocabulary::default(),
            postings: Vec::new(),
            documents: Vec::new(),
            live: 0,
            lengths: [0; FIELDS],
            holders: [0; FIELDS],
            scratch: Scratch::default(),
        }
    }

    /// Adds a document, replacing one of the same id. A field may be given several times; phrases do not
    /// reach from one text into the next.
    ///
    /// # Errors
    /// [`AddError::IdTooFar`] when `id` is not dense; nothing has changed then.
    pub fn add(&mut self, id: u32, fields: &[(Field, &str)]) -> Result<(), AddError> {
        self.add_as_long_as(id, fields, 0)
    }

    /// As [`Self::add`]; its [`Field::Passage`] counts as `passage_words_min` content words long at least.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn add_as_long_as(
        &mut self,
        id: u32,
        fields: &[(Field, &str)],
        passage_words_min: u16,
    ) -> Result<(), AddError> {
        let known = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        if id >= known.saturating_add(ID_GAP_MAX) {
            return Err(AddError::IdTooFar { id });
        }
        self.remove(id);
        if id >= known {
            self.documents.resize_with(id as usize + 1, Document::default);
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.sequence.clear();
        scratch.counts.clear();
        let mut lengths = [0_u16; FIELDS];
        for &(field, text) in fields {
            analyse(text, Purpose::Document, &mut scratch.analysis);
            let slot = field as usize;
            let content = u16::try_from(scratch.analysis.content_len()).unwrap_or(u16::MAX);
            lengths[slot] = lengths[slot].saturating_add(content);
            let mut previous = u32::MAX;
            for term in scratch.analysis.terms() {
                let term_id = self.vocabulary.intern(term.text);
                let start = if previous == u32::MAX { TEXT_START } else { 0 };
                let same = if previous == term.position { SAME_POSITION } else { 0 };
                previous = term.position;
                scratch.sequence.push(term_id | start | same);
                let accent = if term.accented { ACCENTED } else { 0 };
                let posted = if term.stop { 0 } else { 1 << (COUNT_BITS * slot as u16) };
                scratch.counts.push((term_id, accent | posted));
            }
        }
        let passage = &mut lengths[Field::Passage as usize];
        if *passage > 0 {
            *passage = (*passage).max(passage_words_min);
        }
        self.post(id, &mut scratch.counts);
        for (slot, &length) in lengths.iter().enumerate() {
            self.lengths[slot] += u64::from(length);
            self.holders[slot] += u32::from(length > 0);
        }
        self.live += 1;
        self.documents[id as usize] = Document { terms: Some(scratch.sequence.as_slice().into()), lengths };
        self.scratch = scratch;
        self.scratch.trim();
        Ok(())
    }

    /// Forgets a document and every word that only it held. Returns whether there was one.
    pub fn remove(&mut self, id: u32) -> bool {
        let Some(document) = self.documents.get_mut(id as usize) else {
            return false;
        };
        let Document { terms: Some(terms), lengths } = std::mem::take(document) else {
            return false;
        };
        let mut distinct: Vec<TermId> = terms.iter().map(|entry| entry & TERM).collect();
        distinct.sort_unstable();
        distinct.dedup();
        for term in distinct {
            let list = &mut self.postings[term as usize];
            if let Ok(place) = list.binary_search_by_key(&id, |posting| posting.document()) {
                list.remove(place);
                if list.is_empty() {
                    *list = Vec::new();
                }
            }
            self.vocabulary.release(term);
        }
        for (slot, &length) in lengths.iter().enumerate() {
            self.lengths[slot] -= u64::from(length);
            self.holders[slot] -= u32::from(length > 0);
        }
        self.live -= 1;
        self.scratch.analysis.wipe();
        true
    }

    /// The best `limit` documents among those that `filter` lets through, best first. A document that holds
    /// no asked content word is not among them. `filter` decides who may be seen, not what a word is worth:
    /// rarity counts all documents.
    pub fn search(&self, query: &Query, filter: impl Fn(u32) -> bool, limit: usize) -> Vec<Hit> {
        let ranked = self.rank(query, filter, limit, &[]);
        self.explain(query, &ranked)
    }

    /// As [`Self::search`], by score alone, and beside the best those of the documents `also` that hold an asked word,
    /// whether `filter` lets them through or not.
    pub fn rank(
        &self,
        query: &Query,
        filter: impl Fn(u32) -> bool,
        limit: usize,
        also: &[u32],
    ) -> Vec<Ranked> {
        if limit == 0 || self.live == 0 {
            return Vec::new();
        }
        let asked = self.resolve(query);
        let total: f32 = asked.iter().map(|group| group.weight).sum();
        if total <= 0.0 {
            return Vec::new();
        }
        let norms = self.norms();
        let wanted = limit.saturating_mul(4).max(CANDIDATES_MIN);
        let (candidates, others) = self.candidates(&asked, &norms, &filter, wanted, also);
        let phrases = PhraseMap::new(self, query, &asked);
        let rank = |(sum, id): (f32, u32)| {
            let base = spread(sum / total, self.parameters.k1);
            let (run, share) = phrases.longest(&self.documents[id as usize]);
            let score = base + (1.0 - base) * self.parameters.phrase_bonus * (share / total).min(1.0);
            Ranked { id, score, sum, run }
        };
        let mut ranked: Vec<Ranked> = candidates.into_iter().map(rank).collect();
        ranked.sort_unstable_by(Ranked::order);
        ranked.truncate(limit);
        if !others.is_empty() {
            let mut known: Vec<u32> = ranked.iter().map(|ranked| ranked.id).collect();
            known.sort_unstable();
            ranked.extend(others.into_iter().filter(|(_, id)| known.binary_search(id).is_err()).map(rank));
            ranked.sort_unstable_by(Ranked::order);
        }
        ranked
    }

    /// What made the ranked documents match, in their order.
    pub fn explain(&self, query: &Query, ranked: &[Ranked]) -> Vec<Hit> {
        if ranked.is_empty() {
            return Vec::new();
        }
        let asked = self.resolve(query);
        let norms = self.norms();
        ranked.iter().map(|ranked| self.hit(query, &asked, &norms, *ranked)).collect()
    }

    /// The text of a term of a [`MatchedTerm`]; empty once it has been forgotten.
    pub fn term(&self, term: u32) -> &str {
        self.vocabulary.text(term)
    }

    /// Number of documents held.
    pub fn len(&self) -> usize {
        self.live as usize
    }

    /// Whether no document is held.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Bytes of memory held, unused capacity and an estimate of the allocator's own included. Walks
    /// the whole index: about a millisecond for 100,000 documents.
    pub fn resident_bytes(&self) -> usize {
        const ALLOCATION: usize = 16;
        let postings: usize = self
            .postings
            .iter()
            .map(|list| match list.capacity() {
                0 => 0,
                capacity => capacity * size_of::<Posting>() + ALLOCATION,
            })
            .sum();
        let sequences: usize = self
            .documents
            .iter()
            .filter_map(|document| document.terms.as_ref())
            .map(|terms| size_of_val(&**terms) + ALLOCATION)
            .sum();
        size_of::<Self>()
            + postings
            + sequences
            + self.postings.capacity() * size_of::<Vec<Posting>>()
            + self.documents.capacity() * size_of::<Document>()
            + self.vocabulary.resident_bytes()
            + self.scratch.resident_bytes()
    }

    /// Gives unused capacity back, for a snapshot that was built and will now mostly be read.
    pub fn shrink(&mut self) {
        for list in &mut self.postings {
            list.shrink_to_fit();
        }
        self.vocabulary.shrink();
        self.postings.truncate(self.vocabulary.len());
        self.postings.shrink_to_fit();
        while self.documents.last().is_some_and(|document| document.terms.is_none()) {
            self.documents.pop();
        }
        self.documents.shrink_to_fit();
        self.scratch = Scratch::default();
    }

    fn post(&mut self, id: u32, counts: &mut [(TermId, u16)]) {
        self.postings.resize_with(self.vocabulary.len(), Vec::new);
        counts.sort_unstable();
        for group in counts.chunk_by(|left, right| left.0 == right.0) {
            let term = group[0].0;
            self.vocabulary.hold(term);
            let mut code = 0;
            for &(_, one) in group {
                code = add_count(code, one);
            }
            if code & !ACCENTED == 0 {
                continue;
            }
            let list = &mut self.postings[term as usize];
            let posting = Posting::new(id, code);
            match list.last() {
                Some(last) if last.document() >= id => {
                    let place = list.partition_point(|other| other.document() < id);
                    list.insert(place, posting);
                }
                _ => list.push(posting),
            }
        }
    }

    /// The asked words as this index knows them: the rarest, each with its living terms.
    fn resolve(&self, query: &Query) -> Vec<Asked> {
        let documents = self.live as f32 + self.parameters.documents_prior;
        let mut asked: Vec<Asked> = query
            .groups
            .iter()
            .enumerate()
            .map(|(number, group)| {
                let mut terms: Vec<Scored> = Vec::with_capacity(group.alternatives.len());
                for alternative in &group.alternatives {
                    if let Some(term) = self.living(&alternative.text) {
                        terms.push(Scored { term, weight: alternative.weight, how: alternative.how });
                    }
                }
                if terms.is_empty() {
                    terms = self.neighbours(group);
                }
                let frequency = |scored: &Scored| self.postings[scored.term as usize].len();
                let strongest = terms.iter().map(|scored| scored.weight).fold(0.0, f32::max);
                let holders = terms
                    .iter()
                    .filter(|scored| scored.weight >= strongest)
                    .map(frequency)
                    .max()
                    .unwrap_or(0) as f32;
                let rarity = (1.0 + (documents - holders + 0.5).max(0.5) / (holders + 0.5)).ln();
                Asked { number, weight: group.weight * rarity, accented: group.accented, terms }
            })
            .collect();
        asked
            .sort_by(|left, right| right.weight.total_cmp(&left.weight).then(left.number.cmp(&right.number)));
        asked.truncate(SCORED_WORDS_MAX);
        asked
    }

    fn living(&self, text: &str) -> Option<TermId> {
        self.vocabulary.find(text).filter(|&term| !self.postings[term as usize].is_empty())
    }

    /// Terms one typing error away from a word that no document holds, or whose stem a word one error away
    /// has. Only letters, from four for a swap and five otherwise; the first letter stands unless swapped. At
    /// most some thousand look-ups.
    fn neighbours(&self, group: &Group) -> Vec<Scored> {
        let letters: Vec<char> = group.surface.chars().collect();
        if !(4..=24).contains(&letters.len()) || !letters.iter().all(|letter| letter.is_alphabetic()) {
            return Vec::new();
        }
        let mut found: Vec<(bool, std::cmp::Reverse<usize>, TermId)> = Vec::new();
        let mut stem = String::new();
        let english = rust_stemmers::Stemmer::create(rust_stemmers::Algorithm::English);
        // A stem much shorter than the word is hardly what was meant.
        let shortest = group.surface.len().saturating_sub(3).max(4);
        edits(&letters, &mut |variant, swapped| {
            let mut note = |text: &str| {
                if let Some(term) = self.living(text) {
                    found.push((!swapped, std::cmp::Reverse(self.postings[term as usize].len()), term));
                }
            };
            note(variant);
            if variant.is_ascii() {
                stem.clear();
                super::croatian::stem_into(variant, &mut stem);
                if stem.len() >= shortest && stem != variant {
                    note(&stem);
                }
                let stem = english.stem(variant);
                if stem.len() >= shortest && stem != variant {
                    note(&stem);
                }
            }
        });
        found.sort_unstable();
        let mut kept: Vec<Scored> = Vec::new();
        for (edited, _, term) in found {
            if kept.len() < NEIGHBOURS_MAX && kept.iter().all(|other| other.term != term) {
                let weight = if edited { EDITED } else { SWAPPED };
                kept.push(Scored { term, weight, how: How::Neighbour });
            }
        }
        kept
    }

    fn norms(&self) -> Norms {
        let mut norms = Norms { k1: self.parameters.k1, base: [0.0; FIELDS], slope: [0.0; FIELDS] };
        for slot in 0..FIELDS {
            let average = (self.lengths[slot] as f32 + LENGTH_PRIOR * FIELD_LENGTH[slot])
                / (self.holders[slot] as f32 + LENGTH_PRIOR);
            let b = FIELD_B[slot].unwrap_or(self.parameters.b);
            norms.base[slot] = 1.0 - b;
            norms.slope[slot] = b / average.max(1.0);
        }
        norms
    }

    /// The best `wanted` documents by sum, best first, and the sums of the documents `also`. Every posting of every asked word is read: a posting
    /// costs a few nanoseconds, and grammar, whose lists would be long, has none.
    fn candidates(
        &self,
        asked: &[Asked],
        norms: &Norms,
        filter: &impl Fn(u32) -> bool,
        wanted: usize,
        also: &[u32],
    ) -> (Sums, Sums) {
        let mut sums = vec![0.0_f32; self.documents.len()];
        let mut merged: Vec<(u32, f32)> = Vec::new();
        for group in asked {
            match &*group.terms {
                [] => {}
                [only] => {
                    for posting in &self.postings[only.term as usize] {
                        let id = posting.document();
                        sums[id as usize] += self.contribution(group, only, *posting, norms);
                    }
                }
                several => {
                    merged.clear();
                    for scored in several {
                        merged.extend(self.postings[scored.term as usize].iter().map(|posting| {
                            (posting.document(), self.contribution(group, scored, *posting, norms))
                        }));
                    }
                    merged.sort_unstable_by(|left, right| {
                        left.0.cmp(&right.0).then(right.1.total_cmp(&left.1))
                    });
                    merged.dedup_by_key(|pair| pair.0);
                    for &(id, contribution) in &merged {
                        sums[id as usize] += contribution;
                    }
                }
            }
        }
        let mut best = Best::new(wanted);
        for (id, &sum) in sums.iter().enumerate() {
            // There are at most u32::MAX documents, since their ids are u32.
            let id = id as u32;
            if sum > best.threshold() && filter(id) {
                best.push(sum, id);
            }
        }
        let others = also.iter().filter_map(|&id| sums.get(id as usize).map(|&sum| (sum, id)));
        (best.into_sorted(), others.filter(|&(sum, _)| sum > 0.0).collect())
    }

    fn contribution(&self, group: &Asked, scored: &Scored, posting: Posting, norms: &Norms) -> f32 {
        let code = posting.code();
        let lengths = &self.documents[posting.document() as usize].lengths;
        let mut strength = 0.0;
        let mut counts = code & !ACCENTED;
        let mut slot = 0;
        while counts != 0 {
            let count = counts & COUNT_MAX;
            if count != 0 {
                let norm = norms.base[slot] + norms.slope[slot] * f32::from(lengths[slot]);
                strength += FIELD_WEIGHT[slot] * f32::from(count) / norm;
            }
            counts >>= COUNT_BITS;
            slot += 1;
        }
        let accent = if (code & ACCENTED != 0) == group.accented { 1.0 } else { OTHER_ACCENT };
        group.weight * scored.weight * accent * strength / (strength + norms.k1)
    }

    fn hit(&self, query: &Query, asked: &[Asked], norms: &Norms, ranked: Ranked) -> Hit {
        let Ranked { id, score, sum, run } = ranked;
        let mut matched_terms = Vec::with_capacity(asked.len());
        let mut found = 0.0;
        for group in asked {
            let mut best: Option<(f32, &Scored)> = None;
            for scored in &group.terms {
                let list = &self.postings[scored.term as usize];
                if let Ok(place) = list.binary_search_by_key(&id, |posting| posting.document()) {
                    let contribution = self.contribution(group, scored, list[place], norms);
                    if best.is_none_or(|(known, _)| contribution > known) {
                        best = Some((contribution, scored));
                    }
                }
            }
            if let Some((_, scored)) = best {
                found += query.groups[group.number].weight * scored.weight;
                matched_terms.push(MatchedTerm {
                    asked: u16::try_from(group.number).unwrap_or(u16::MAX),
                    term: scored.term,
                    how: scored.how,
                });
            }
        }
        matched_terms.sort_unstable_by_key(|matched| matched.asked);
        let whole: f32 = asked.iter().map(|group| query.groups[group.number].weight).sum();
        Hit {
            id,
            score,
            bm25: sum * (self.parameters.k1 + 1.0),
            coverage: (found / whole).min(1.0),
            phrase: run,
            matched_terms,
        }
    }
}

/// Stretches the middle of 0..1 without changing any order, so that a plain full match stands above the middle.
fn spread(share: f32, k1: f32) -> f32 {
    (share * (1.0 + k1) / (1.0 + k1 * share)).min(1.0)
}

/// One document in the list of a term: its id, and a code of counts by field and whether it had diacritics.
#[derive(Clone, Copy)]
struct Posting([u16; 3]);

impl Posting {
    fn new(document: u32, code: u16) -> Self {
        Self([document as u16, (document >> 16) as u16, code])
    }

    fn document(self) -> u32 {
        u32::from(self.0[0]) | u32::from(self.0[1]) << 16
    }

    fn code(self) -> u16 {
        self.0[2]
    }
}

/// Adds a code of at most one occurrence to another, each count stopping at [`COUNT_MAX`].
fn add_count(code: u16, one: u16) -> u16 {
    let mut sum = code | (one & ACCENTED);
    let one = one & !ACCENTED;
    if one != 0 {
        let shift = one.trailing_zeros();
        if (sum >> shift) & COUNT_MAX < COUNT_MAX {
            sum += one;
        }
    }
    sum
}

/// Entries of a document's sequence: the term's number and two marks.
const TERM: u32 = (1 << 30) - 1;
const SAME_POSITION: u32 = 1 << 30;
const TEXT_START: u32 = 1 << 31;

#[derive(Default)]
struct Document {
    /// `None` when there is no such document (any more).
    terms: Option<Box<[u32]>>,
    lengths: [u16; FIELDS],
}

#[derive(Default)]
struct Scratch {
    analysis: Analysis,
    sequence: Vec<u32>,
    counts: Vec<(TermId, u16)>,
}

impl Scratch {
    /// A huge document must not keep its memory, nor its words, until the next one.
    fn trim(&mut self) {
        if self.resident_bytes() > 1 << 20 {
            *self = Self::default();
        }
    }

    fn resident_bytes(&self) -> usize {
        self.analysis.resident_bytes()
            + self.sequence.capacity() * size_of::<u32>()
            + self.counts.capacity() * size_of::<(TermId, u16)>()
    }
}

struct Asked {
    number: usize,
    /// The query's weight times the rarity.
    weight: f32,
    accented: bool,
    terms: Vec<Scored>,
}

struct Scored {
    term: TermId,
    weight: f32,
    how: How,
}

struct Norms {
    k1: f32,
    base: [f32; FIELDS],
    slope: [f32; FIELDS],
}

/// The greatest so many of a series of sums that comes by ascending id.
struct Best {
    wanted: usize,
    heap: std::collections::BinaryHeap<Weakest>,
}

impl Best {
    fn new(wanted: usize) -> Self {
        Self { wanted, heap: std::collections::BinaryHeap::new() }
    }

    /// What a sum must exceed; of equals the lower id, which came first, stays.
    fn threshold(&self) -> f32 {
        if self.heap.len() < self.wanted { 0.0 } else { self.heap.peek().map_or(0.0, |weakest| weakest.sum) }
    }

    fn push(&mut self, sum: f32, id: u32) {
        if self.heap.len() >= self.wanted {
            self.heap.pop();
        }
        self.heap.push(Weakest { sum, id });
    }

    fn into_sorted(self) -> Vec<(f32, u32)> {
        self.heap.into_sorted_vec().into_iter().map(|weakest| (weakest.sum, weakest.id)).collect()
    }
}

/// Ordered so that the heap's greatest is the weakest: lowest sum, then highest id.
struct Weakest {
    sum: f32,
    id: u32,
}

impl Ord for Weakest {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.sum.total_cmp(&self.sum).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Weakest {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Weakest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Weakest {}

/// Which places of the question (at most 64) each term stands at.
struct PhraseMap {
    /// Sorted by term.
    places: Vec<(TermId, u64)>,
    /// One bit for each remainder of a term's number by 64: most terms of a document are turned away here.
    filter: u64,
    /// Group number and weight of each place; a stop word has no weight.
    words: Vec<(usize, f32)>,
}

impl PhraseMap {
    fn new(index: &LexicalIndex, query: &Query, asked: &[Asked]) -> Self {
        let mut map = Self { places: Vec::new(), filter: 0, words: Vec::new() };
        for (place, word) in query.words.iter().take(64).enumerate() {
            let bit = 1_u64 << place;
            match word {
                AskedWord::Stop(text) => {
                    map.words.push((usize::MAX, 0.0));
                    if let Some(term) = index.vocabulary.find(text) {
                        map.places.push((term, bit));
                    }
                }
                AskedWord::Group(number) => {
                    let group = asked.iter().find(|group| group.number == *number);
                    map.words.push((*number, group.map_or(0.0, |group| group.weight)));
                    for scored in group.map_or(&[][..], |group| &group.terms) {
                        map.places.push((scored.term, bit));
                    }
                    // What is content in the question may be grammar in the document's language.
                    for alternative in &query.groups[*number].alternatives {
                        map.places.extend(index.vocabulary.find(&alternative.text).map(|term| (term, bit)));
                    }
                }
            }
        }
        map.places.sort_unstable();
        map.places.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 |= later.1;
            }
            same
        });
        for &(term, _) in &map.places {
            map.filter |= 1 << (term % 64);
        }
        map
    }

    /// The number of asked words in the longest contiguous run, and the weight of the different content words in the
    /// weightiest run that has two or more.
    fn longest(&self, document: &Document) -> (u16, f32) {
        let terms = document.terms.as_deref().unwrap_or_default();
        let terms = &terms[..terms.len().min(PHRASE_TERMS_MAX)];
        let mut lengths = [0_u8; 64];
        let mut next = [0_u8; 64];
        let mut before = 0_u64;
        let mut longest = 0_u8;
        let mut share = 0.0_f32;
        let mut entries = terms.iter().peekable();
        while let Some(&entry) = entries.next() {
            if entry & TEXT_START != 0 {
                before = 0;
            }
            let mut here = self.places_of(entry & TERM);
            while let Some(&&other) = entries.peek()
                && other & SAME_POSITION != 0
            {
                here |= self.places_of(other & TERM);
                entries.next();
            }
            let mut left = here;
            while left != 0 {
                let place = left.trailing_zeros() as usize;
                left &= left - 1;
                let continues = place > 0 && before & (1 << (place - 1)) != 0;
                next[place] = if continues { lengths[place - 1].saturating_add(1) } else { 1 };
                longest = longest.max(next[place]);
                if next[place] > 1 {
                    share = share.max(self.run_weight(place, next[place]));
                }
            }
            if here != 0 {
                lengths = next;
            }
            before = here;
        }
        (u16::from(longest), share)
    }

    fn places_of(&self, term: TermId) -> u64 {
        if self.filter & (1 << (term % 64)) == 0 {
            return 0;
        }
        self.places.binary_search_by_key(&term, |&(known, _)| known).map_or(0, |place| self.places[place].1)
    }

    fn run_weight(&self, last: usize, length: u8) -> f32 {
        let run = &self.words[last + 1 - usize::from(length)..=last];
        let mut distinct = 0;
        let mut weight = 0.0;
        for (place, &(group, own)) in run.iter().enumerate() {
            if own > 0.0 && run[..place].iter().all(|&(earlier, _)| earlier != group) {
                distinct += 1;
                weight += own;
            }
        }
        if distinct > 1 { weight } else { 0.0 }
    }
}

/// Calls `visit` with every word one typing error from `letters`, and whether the error was a swap.
fn edits(letters: &[char], visit: &mut impl FnMut(&str, bool)) {
    let mut variant = String::new();
    let alphabet = match letters[0] {
        'a'..='z' => 'a'..='z',
        '\u{430}'..='\u{44f}' => '\u{430}'..='\u{44f}',
        'α'..='ω' => 'α'..='ω',
        other => other..=other,
    };
    let mut offer = |parts: [&[char]; 2], between: Option<char>, swapped: bool| {
        variant.clear();
        variant.extend(parts[0]);
        variant.extend(between);
        variant.extend(parts[1]);
        visit(&variant, swapped);
    };
    for place in 0..letters.len() - 1 {
        if letters[place] != letters[place + 1] {
            let mut swapped = letters.to_vec();
            swapped.swap(place, place + 1);
            offer([&swapped, &[]], None, true);
        }
    }
    if letters.len() < 5 {
        return;
    }
    for place in 1..=letters.len() {
        let (before, after) = letters.split_at(place);
        if let Some(rest) = after.get(1..) {
            offer([before, rest], None, false);
        }
        for letter in alphabet.clone() {
            offer([before, after], Some(letter), false);
            if let Some((first, rest)) = after.split_first()
                && *first != letter
            {
                offer([before, rest], Some(letter), false);
            }
        }
    }
}
