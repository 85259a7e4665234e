//! The same scores computed the slow way, from the analysed texts and the formula in `index`'s documentation,
//! with no postings, codes or bit masks: what the index must equal.

use proptest::prelude::*;

use super::analyse::{Analysis, Purpose, analyse};
use super::index::{Field, LexicalIndex, Parameters};
use super::query::{AskedWord, Query};

const FIELDS: [Field; 5] = [Field::Value, Field::Entity, Field::Predicate, Field::Quote, Field::Passage];
const WEIGHT: [f64; 5] = [1.0, 1.0, 0.7, 0.6, 1.0];
const B: [f64; 5] = [0.5, 0.3, 0.3, 0.5, 0.95];
const LENGTH: [f64; 5] = [8.0, 2.0, 2.0, 12.0, 30.0];

struct Entry {
    text: String,
    field: usize,
    position: u32,
    posted: bool,
    accented: bool,
}

struct Naive {
    documents: Vec<Vec<Vec<Entry>>>,
}

impl Naive {
    fn new(texts: &[Vec<(usize, String)>]) -> Self {
        let read = |(field, text): &(usize, String)| {
            let mut analysis = Analysis::default();
            analyse(text, Purpose::Document, &mut analysis);
            analysis
                .terms()
                .map(|term| Entry {
                    text: term.text.to_owned(),
                    field: *field,
                    position: term.position,
                    posted: !term.stop,
                    accented: term.accented,
                })
                .collect()
        };
        Self { documents: texts.iter().map(|fields| fields.iter().map(read).collect()).collect() }
    }

    fn lengths(texts: &[(usize, String)]) -> [f64; 5] {
        let mut lengths = [0.0; 5];
        for (field, text) in texts {
            let mut analysis = Analysis::default();
            analyse(text, Purpose::Document, &mut analysis);
            lengths[*field] += f64::from(analysis.content_len());
        }
        lengths
    }

    fn holders(&self, term: &str) -> f64 {
        self.documents
            .iter()
            .filter(|texts| texts.iter().flatten().any(|entry| entry.posted && entry.text == term))
            .count() as f64
    }

    fn search(
        &self,
        texts: &[Vec<(usize, String)>],
        query: &Query,
        parameters: Parameters,
    ) -> Vec<(u32, f64, u16)> {
        let k1 = f64::from(parameters.k1);
        let documents = texts.len() as f64 + f64::from(parameters.documents_prior);
        let lengths: Vec<[f64; 5]> = texts.iter().map(|texts| Self::lengths(texts)).collect();
        let mut average = [0.0; 5];
        for slot in 0..5 {
            let sum: f64 = lengths.iter().map(|lengths| lengths[slot]).sum();
            let holders = lengths.iter().filter(|lengths| lengths[slot] > 0.0).count() as f64;
            average[slot] = (sum + 8.0 * LENGTH[slot]) / (holders + 8.0);
        }
        let weights: Vec<f64> = query
            .groups
            .iter()
            .map(|group| {
                let living: Vec<_> =
                    group.alternatives.iter().filter(|other| self.holders(&other.text) > 0.0).collect();
                let strongest = living.iter().map(|other| other.weight).fold(0.0, f32::max);
                let holders = living
                    .iter()
                    .filter(|other| other.weight >= strongest)
                    .map(|other| self.holders(&other.text))
                    .fold(0.0, f64::max);
                f64::from(group.weight) * (1.0 + (documents - holders + 0.5) / (holders + 0.5)).ln()
            })
            .collect();
        let total: f64 = weights.iter().sum();
        let mut hits = Vec::new();
        for (id, texts) in self.documents.iter().enumerate() {
            let mut sum = 0.0;
            for (group, weight) in query.groups.iter().zip(&weights) {
                let mut best: f64 = 0.0;
                for other in &group.alternatives {
                    let places: Vec<&Entry> = texts
                        .iter()
                        .flatten()
                        .filter(|entry| entry.posted && entry.text == *other.text)
                        .collect();
                    let mut strength = 0.0;
                    for slot in 0..5 {
                        let count = places.iter().filter(|entry| entry.field == slot).count().min(7) as f64;
                        let norm = 1.0 - B[slot] + B[slot] * lengths[id][slot] / average[slot].max(1.0);
                        strength += WEIGHT[slot] * count / norm;
                    }
                    let accented = places.iter().any(|entry| entry.accented);
                    let accent = if accented == group.accented { 1.0 } else { 0.95 };
                    best = best.max(f64::from(other.weight) * accent * strength / (strength + k1));
                }
                sum += weight * best;
            }
            if sum > 0.0 {
                let share = sum / total;
                let base = share * (1.0 + k1) / (1.0 + k1 * share);
                let (run, in_run) = longest(texts, query, &weights);
                let score = base + (1.0 - base) * f64::from(parameters.phrase_bonus) * in_run / total;
                hits.push((id as u32, score, run));
            }
        }
        hits
    }
}

/// Tries every stretch of the question at every place.
fn longest(texts: &[Vec<Entry>], query: &Query, weights: &[f64]) -> (u16, f64) {
    let (mut length, mut weight) = (0, 0.0_f64);
    for text in texts {
        let last = text.last().map_or(0, |entry| entry.position + 1);
        for place in 0..last {
            for first in 0..query.words.len() {
                for end in first + 1..=query.words.len() {
                    let fits = (first..end).all(|word| {
                        let position = place + (word - first) as u32;
                        text.iter().filter(|entry| entry.position == position).any(|entry| {
                            match &query.words[word] {
                                AskedWord::Stop(stop) => **stop == entry.text,
                                AskedWord::Group(group) => query.groups[*group]
                                    .alternatives
                                    .iter()
                                    .any(|other| *other.text == entry.text),
                            }
                        })
                    });
                    if !fits {
                        break;
                    }
                    length = length.max((end - first) as u16);
                    let mut groups: Vec<usize> = query.words[first..end]
                        .iter()
                        .filter_map(|word| match word {
                            AskedWord::Group(group) => Some(*group),
                            AskedWord::Stop(_) => None,
                        })
                        .collect();
                    groups.sort_unstable();
                    groups.dedup();
                    if groups.len() > 1 {
                        weight = weight.max(groups.iter().map(|&group| weights[group]).sum());
                    }
                }
            }
        }
    }
    (length, weight)
}

/// Words too short to have neighbours, so that only the formula is at work.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "cat",
            "dog",
            "sun",
            "the",
            "u",
            "je",
            "is",
            "kuća",
            "kuca",
            "9:30",
            "a-b",
            "fooBar",
            "foo",
            "東京都",
            "京都",
            "dogs",
            "Sam",
            "30",
        ]),
        0..10,
    )
    .prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn the_index_equals_the_formula(
        texts in prop::collection::vec(prop::collection::vec((0..5_usize, text()), 0..4), 1..12),
        question in text(),
    ) {
        let parameters = Parameters::default();
        let mut index = LexicalIndex::new(parameters);
        for (id, fields) in texts.iter().enumerate() {
            let fields: Vec<(Field, &str)> = fields.iter().map(|(field, text)| (FIELDS[*field], &**text)).collect();
            index.add(id as u32, &fields).unwrap();
        }
        let query = Query::new(&question);
        let mut hits: Vec<(u32, f64, u16)> = index
            .search(&query, |_| true, 100)
            .into_iter()
            .map(|hit| (hit.id, f64::from(hit.score), hit.phrase))
            .collect();
        prop_assert!(hits.windows(2).all(|pair| pair[0].1 > pair[1].1 || (pair[0].1 == pair[1].1 && pair[0].0 < pair[1].0)));
        hits.sort_by_key(|hit| hit.0);
        let expected = Naive::new(&texts).search(&texts, &query, parameters);
        prop_assert_eq!(hits.len(), expected.len(), "{:?} {:?}", hits, expected);
        for (hit, naive) in hits.iter().zip(&expected) {
            prop_assert_eq!(hit.0, naive.0);
            prop_assert!((hit.1 - naive.1).abs() < 1e-4, "{:?} {:?}", hit, naive);
            prop_assert_eq!(hit.2, naive.2);
        }
    }
}
