//! A table against a plain list of vectors, through every change, with and without sketches.

use std::collections::BTreeMap;

use ledger::vectors::Quantised;
use proptest::prelude::*;

use super::scan::Probe;
use super::{Near, Vectors, sketch, weight};

/// The same promises as [`Vectors`], kept in the plainest way.
#[derive(Default)]
struct Plain(BTreeMap<(u32, u32), Quantised>);

impl Plain {
    fn search(&self, query: &[f32], visible: impl Fn(u32) -> bool, limit: usize) -> Vec<Near> {
        let probe = Probe::new(query);
        let mut best: BTreeMap<u32, Near> = BTreeMap::new();
        for ((document, piece), vector) in self.0.iter().filter(|((document, _), _)| visible(*document)) {
            let products = probe.steps().iter().zip(&vector.steps);
            let product = products.map(|(one, other)| i32::from(*one) * i32::from(*other)).sum();
            let cosine = probe.cosine(product, weight(&vector.steps));
            let near = Near { document: *document, piece: *piece, cosine };
            let known = best.entry(*document).or_insert(near);
            if near.cosine > known.cosine {
                *known = near;
            }
        }
        let mut all: Vec<Near> = best.into_values().collect();
        all.sort_by(|left, right| {
            right.cosine.total_cmp(&left.cosine).then(left.document.cmp(&right.document))
        });
        all.truncate(limit);
        all
    }
}

/// Numbers that look like chance and are the same every time.
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A direction, in the narrow cone that embedding models use, around one of a few topics.
    fn vector(&mut self, dims: usize) -> Vec<f32> {
        let topic = self.next() % 7;
        let number = |place: usize, stream: &mut Self| {
            let slant = if place.is_multiple_of(3) { 40.0 } else { 0.0 };
            let near_topic = ((place as u64 * 31 + topic * 17) % 13) as f32 - 6.0;
            slant + 3.0 * near_topic + (stream.next() % 61) as f32 - 30.0
        };
        (0..dims).map(|place| number(place, self)).collect()
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert { document: u32, piece: u32, seed: u64 },
    Remove { document: u32 },
    Search { seed: u64, limit: usize, hidden: u32 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u32..40, 0_u32..4, 0_u64..50).prop_map(|(document, piece, seed)| Step::Insert { document, piece, seed }),
        2 => (0_u32..45).prop_map(|document| Step::Remove { document }),
        2 => (0_u64..50, 0_usize..60, 1_u32..6).prop_map(|(seed, limit, hidden)| Step::Search { seed, limit, hidden }),
    ];
    proptest::collection::vec(step, 1..160)
}

proptest! {
    #[test]
    fn a_table_does_what_a_list_does(steps in steps(), sketched in any::<bool>(), dims in prop_oneof![Just(3_usize), Just(64), Just(100)]) {
        let mut table = Vectors::new(dims);
        // Few vectors: whoever sifts looks at all of them, and must find what a scan finds.
        table.sketched_rows_min = if sketched { 20 } else { usize::MAX };
        let mut plain = Plain::default();
        for step in steps {
            match step {
                Step::Insert { document, piece, seed } => {
                    let vector = Quantised::of(&Stream(seed).vector(dims));
                    table.insert(document, piece, &vector);
                    plain.0.insert((document, piece), vector);
                }
                Step::Remove { document } => {
                    table.remove(document);
                    plain.0.retain(|(known, _), _| *known != document);
                }
                Step::Search { seed, limit, hidden } => {
                    let query = Stream(seed + 1_000).vector(dims);
                    let visible = |document: u32| document % hidden != 1;
                    prop_assert_eq!(table.search(&query, visible, limit), plain.search(&query, visible, limit));
                    for near in plain.search(&query, |_| true, 50) {
                        prop_assert_eq!(table.cosine_of(near.document, &query), Some(near.cosine));
                    }
                }
            }
            prop_assert_eq!(table.len(), plain.0.len());
            let documents: std::collections::BTreeSet<u32> = plain.0.keys().map(|(document, _)| *document).collect();
            prop_assert_eq!(table.documents(), documents.len());
            prop_assert_eq!(table.sketches.is_some() && !sketched, false);
            for document in 0..45 {
                prop_assert_eq!(table.contains(document), plain.0.keys().any(|(known, _)| *known == document));
            }
        }
    }
}

#[test]
fn sifting_finds_nearly_all_of_what_a_scan_finds() {
    let dims = 128;
    let mut stream = Stream(1);
    let (mut exact, mut sifted) = (Vectors::new(dims), Vectors::new(dims));
    exact.sketched_rows_min = usize::MAX;
    sifted.sketched_rows_min = 2_000;
    for document in 0..6_000 {
        let vector = Quantised::of(&stream.vector(dims));
        exact.insert(document, 0, &vector);
        sifted.insert(document, 0, &vector);
    }
    // Every other way of showing: all, many, few, next to none.
    for share in [1, 2, 50, 1_000] {
        let visible = |document: u32| document.is_multiple_of(share);
        let (mut found, mut wanted) = (0, 0);
        for _ in 0..10 {
            let query = stream.vector(dims);
            let truth = exact.search(&query, visible, 10);
            let told = sifted.search(&query, visible, 10);
            assert_eq!(told.len(), truth.len());
            assert!(told.iter().all(|near| visible(near.document)));
            wanted += truth.len();
            found += truth.iter().filter(|near| told.contains(near)).count();
        }
        assert!(found * 100 >= wanted * 95, "{found} of {wanted} with one in {share} visible");
    }
}

#[test]
fn what_is_taken_out_leaves_nothing_behind() {
    let mut table = Vectors::new(64);
    table.sketched_rows_min = 100;
    for document in 0..3_000 {
        table.insert(document, 0, &Quantised::of(&Stream(document.into()).vector(64)));
    }
    let full = table.resident_bytes();
    assert!(full >= 3_000 * (64 + size_of::<f32>() + 12 + 4 + 8), "{full} bytes cannot hold 3,000 vectors");
    for document in (0..3_000).rev() {
        table.remove(document);
    }
    assert!(table.is_empty() && table.blocks.is_empty() && table.sketches.is_none());
    assert_eq!(table.search(&Stream(1).vector(64), |_| true, 5), []);
    assert_eq!(table.cosine_of(7, &Stream(1).vector(64)), None);
}

#[test]
fn a_vector_without_direction_is_near_nothing() {
    let mut table = Vectors::new(4);
    table.insert(0, 0, &Quantised::of(&[0.0; 4]));
    table.insert(1, 0, &Quantised::of(&[1.0, 2.0, 3.0, 4.0]));
    let near = table.search(&[1.0, 2.0, 3.0, 4.0], |_| true, 2);
    assert_eq!(near.iter().map(|near| near.document).collect::<Vec<_>>(), [1, 0]);
    assert!((near[0].cosine - 1.0).abs() < 0.001 && near[1].cosine == 0.0, "{near:?}");
    assert!(table.search(&[0.0; 4], |_| true, 2).iter().all(|near| near.cosine == 0.0));
}

#[test]
#[should_panic(expected = "another model's dimensions")]
fn dimensions_of_two_models_do_not_mix() {
    Vectors::new(4).insert(0, 0, &Quantised::of(&[1.0; 5]));
}

#[test]
fn a_search_looks_at_a_share_of_a_large_table_and_at_enough_of_a_small_one() {
    assert_eq!(sketch::rows_looked_at(40_000, 10), 2_048);
    assert_eq!(sketch::rows_looked_at(40_000, 1_000), 8_000);
    assert!(sketch::rows_looked_at(1_000_000, 10) > 10_000);
}
