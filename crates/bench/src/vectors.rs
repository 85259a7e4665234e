//! Vectors: how fast and how exactly the table of the engine finds what lies near, how much memory it takes, and how long the
//! store takes to keep vectors and to hand them over.
//!
//! With `--passages` and `--queries`, files of raw little-endian `f32` numbers that an embedding model made, the figures are of
//! real vectors. Sizes beyond what the file has are filled with copies that were moved a little, and say so. Without files the
//! vectors are made up, in a narrow cone as those of a model, and say so too.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, ensure};
use engine::dense::{SKETCHED_ROWS_MIN, Vectors};
use ledger::conformance::{first_story, keyed, story};
use ledger::id::{Position, SourceId};
use ledger::scope::Scope;
use ledger::store::{Appended, Store};
use ledger::vectors::{ModelIdentity, Placed, Quantised, VectorMark, VectorRow};

use crate::machine::Limits;
use crate::measure::{Chance, Samples, digits, thousands, time};
use crate::report::{Report, Table};
use crate::stores::{StoreKind, scope};

/// What is measured.
pub struct Extent {
    /// Raw vectors of passages.
    pub passages: Option<PathBuf>,
    /// Raw vectors of queries.
    pub queries: Option<PathBuf>,
    /// Numbers in a vector.
    pub dims: usize,
    /// Vectors in a table.
    pub sizes: Vec<usize>,
    /// Queries asked of each table.
    pub asked: usize,
    /// Vectors kept in the store.
    pub kept: usize,
}

/// How far a copy is moved, as a share of the length of a vector: as far as a paraphrase lies.
const MOVED: f32 = 0.25;

/// Vectors and where they are from.
struct Corpus {
    passages: Vec<f32>,
    queries: Vec<f32>,
    dims: usize,
    real: usize,
}

/// Runs the instrument; stores are made in `directory`.
///
/// # Errors
/// When a file cannot be read, or the store fails.
pub fn run(directory: &Path, extent: &Extent) -> Result<Report> {
    let limits = Limits::measure(directory)?;
    let mut report = Report::new("Vectors", "bench vectors", limits);
    let mut corpus = Corpus::read(extent)?;
    match &extent.passages {
        Some(_) => report.notes.push(format!(
            "{} vectors of passages are real; more are copies of them moved by {MOVED} of their length in a random direction",
            thousands(corpus.real as i64)
        )),
        None => report.notes.push("the vectors are made up, in a narrow cone; give real ones with `--passages` and `--queries`".to_owned()),
    }
    report.notes.push(format!(
        "recall is the share of the ten nearest by exact 32-bit numbers that are among the ten told; below {} vectors every \
         vector is read, so what is missing there is what one byte a number costs",
        thousands(SKETCHED_ROWS_MIN as i64)
    ));
    let mut table = Table::new(
        "The table in memory, one thread",
        &[
            "vectors",
            "build s",
            "MB",
            "p50 ms",
            "p99 ms",
            "p50 ms, half visible",
            "p50 ms, 1 % visible",
            "recall@10",
            "recall@10, 1 % visible",
        ],
    );
    let mut sizes = extent.sizes.clone();
    sizes.sort_unstable();
    for size in sizes {
        corpus.fill(size);
        table.row(measure(&corpus, size, extent.asked)?);
    }
    report.tables.push(table);
    report.tables.push(store(directory, &corpus, extent)?);
    Ok(report)
}

impl Corpus {
    fn read(extent: &Extent) -> Result<Self> {
        let dims = extent.dims;
        let read = |path: &PathBuf| -> Result<Vec<f32>> {
            let bytes = std::fs::read(path).with_context(|| format!("reading `{}`", path.display()))?;
            let numbers =
                bytes.chunks_exact(4).filter_map(|four| four.try_into().ok().map(f32::from_le_bytes));
            let mut numbers: Vec<f32> = numbers.collect();
            numbers.truncate(numbers.len() / dims * dims);
            ensure!(!numbers.is_empty(), "`{}` has no vector of {dims} numbers", path.display());
            Ok(numbers)
        };
        match (&extent.passages, &extent.queries) {
            (Some(passages), Some(queries)) => {
                let (passages, queries) = (read(passages)?, read(queries)?);
                let real = passages.len() / dims;
                Ok(Self { passages, queries, dims, real })
            }
            _ => {
                let mut chance = Chance::new(1);
                let mut vectors = |count: usize| -> Vec<f32> {
                    (0..count).flat_map(|_| made_up(&mut chance, dims)).collect()
                };
                let (passages, queries) = (vectors(10_000), vectors(500));
                Ok(Self { passages, queries, dims, real: 10_000 })
            }
        }
    }

    /// Adds moved copies until there are `size` vectors.
    fn fill(&mut self, size: usize) {
        let mut chance = Chance::new(size as u64);
        while self.passages.len() < size * self.dims {
            let start = chance.below(self.real) * self.dims;
            let copy = self.passages[start..start + self.dims].to_vec();
            self.passages.extend(moved(copy, &mut chance));
        }
    }

    fn passage(&self, row: usize) -> &[f32] {
        &self.passages[row * self.dims..(row + 1) * self.dims]
    }

    fn query(&self, number: usize) -> &[f32] {
        let count = self.queries.len() / self.dims;
        &self.queries[number % count * self.dims..][..self.dims]
    }
}

/// A unit vector moved by [`MOVED`] of its length in a random direction.
pub(crate) fn moved(mut vector: Vec<f32>, chance: &mut Chance) -> Vec<f32> {
    let far = MOVED / (vector.len() as f32).sqrt();
    vector.iter_mut().for_each(|number| *number += far * bell(chance));
    unit(vector)
}

/// A number of about the normal distribution.
fn bell(chance: &mut Chance) -> f32 {
    (0..6).map(|_| chance.below(1 << 16) as f32 / 65_536.0 - 0.5).sum::<f32>() * std::f32::consts::SQRT_2
}

fn made_up(chance: &mut Chance, dims: usize) -> Vec<f32> {
    let topic = chance.below(200);
    let mut direction = Chance::new(topic as u64 + 1_000);
    let number = |place: usize| {
        let slant = if place.is_multiple_of(2) { 1.5 } else { -1.5 };
        slant + 0.6 * bell(&mut direction) + 0.5 * bell(chance)
    };
    unit((0..dims).map(number).collect())
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}

fn measure(corpus: &Corpus, size: usize, asked: usize) -> Result<Vec<String>> {
    let rows: Vec<Quantised> = (0..size).map(|row| Quantised::of(corpus.passage(row))).collect();
    let (vectors, built) = time(|| {
        let mut vectors = Vectors::new(corpus.dims);
        (0_u32..).zip(&rows).for_each(|(document, row)| vectors.insert(document, 0, row));
        vectors
    });
    drop(rows);
    let all = |_: u32| true;
    let half = |document: u32| document.is_multiple_of(2);
    let few = |document: u32| document.is_multiple_of(100);
    let mut latencies = [Samples::default(), Samples::default(), Samples::default()];
    // Exact answers in 32 bits take long; a part of the queries is compared.
    let compared = asked.min((200_000_000 / size.max(1)).clamp(20, 200));
    let (mut found, mut found_few) = (0, 0);
    for number in 0..asked {
        let query = corpus.query(number);
        let (told, took) = time(|| vectors.search(query, all, 10));
        latencies[0].push_micros(took);
        let (_, took) = time(|| vectors.search(query, half, 10));
        latencies[1].push_micros(took);
        let (told_few, took) = time(|| vectors.search(query, few, 10));
        latencies[2].push_micros(took);
        if number < compared {
            let (truth, truth_few) = exact(corpus, size, query);
            found += told.iter().filter(|near| truth.contains(&near.document)).count();
            found_few += told_few.iter().filter(|near| truth_few.contains(&near.document)).count();
        }
    }
    let share = |found: usize, size: usize| digits(found as f64 / (compared * size.min(10)) as f64);
    let ms = |samples: &Samples, at: f64| digits(samples.quantile(at) / 1_000.0);
    Ok(vec![
        thousands(size as i64),
        digits(built.as_secs_f64()),
        digits(vectors.resident_bytes() as f64 / 1e6),
        ms(&latencies[0], 0.5),
        ms(&latencies[0], 0.99),
        ms(&latencies[1], 0.5),
        ms(&latencies[2], 0.5),
        share(found, size),
        share(found_few, size.div_ceil(100)),
    ])
}

/// The ten nearest by 32-bit numbers: of all, and of every hundredth.
fn exact(corpus: &Corpus, size: usize, query: &[f32]) -> (HashSet<u32>, HashSet<u32>) {
    let mut near: Vec<(f32, u32)> = (0..size)
        .map(|row| {
            let mut sums = [0.0_f32; 16];
            for (left, right) in query.chunks(16).zip(corpus.passage(row).chunks(16)) {
                for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
                    *sum += left * right;
                }
            }
            (sums.iter().sum(), row as u32)
        })
        .collect();
    let best = |near: &mut Vec<(f32, u32)>| -> HashSet<u32> {
        let count = near.len().min(10);
        near.select_nth_unstable_by(count - 1, |left, right| {
            right.0.total_cmp(&left.0).then(left.1.cmp(&right.1))
        });
        near[..count].iter().map(|(_, row)| *row).collect()
    };
    let mut few: Vec<(f32, u32)> = near.iter().copied().filter(|(_, row)| row.is_multiple_of(100)).collect();
    (best(&mut near), best(&mut few))
}

/// Keeping, reading back from cold, erasing beside; and what a write waits while vectors are kept.
fn store(directory: &Path, corpus: &Corpus, extent: &Extent) -> Result<Table> {
    let mut table = Table::new("The store: sqlite", &["what", "median (least–most)"]);
    let place = tempfile::tempdir_in(directory)?;
    let scope = scope("ana")?;
    let model = ModelIdentity { name: "bench".to_owned(), dims: corpus.dims as u32, mark: [7; 32] };
    let mut keeping = Samples::default();
    {
        let store = StoreKind::Sqlite.open(place.path())?;
        append_messages(&*store, &scope, extent.kept)?;
        let basis = store.head(&scope)?;
        let rows: Vec<VectorRow> = (0..extent.kept)
            .map(|row| VectorRow {
                of: message(row),
                piece: 0,
                vector: Quantised::of(corpus.passage(row % corpus.real)),
            })
            .collect();
        for batch in rows.chunks(32) {
            let (kept, took) =
                time(|| store.vector_store().keep_vectors(&scope, &basis, &model, Placed::Evidence, batch));
            ensure!(kept? == batch.len(), "vectors were not kept");
            keeping.push(took.as_secs_f64() * 1e6 / batch.len() as f64);
        }
    }
    table.row(["keep, 32 at a time, µs a vector".to_owned(), keeping.spread()]);
    let mut reading = Samples::default();
    for _ in 0..5 {
        let store = StoreKind::Sqlite.open(place.path())?;
        let mut vectors = Vectors::new(corpus.dims);
        let (mark, took) = time(|| {
            store.vector_store().vectors(
                &scope,
                &model,
                Placed::Evidence,
                VectorMark::default(),
                &mut |row| {
                    vectors.insert(row.of.seq as u32, row.piece, &row.vector);
                },
            )
        });
        mark?;
        ensure!(vectors.len() == extent.kept, "vectors were lost");
        reading.push(took.as_secs_f64() * 1e3);
    }
    table.row([
        format!("read {} from cold into a table, ms", thousands(extent.kept as i64)),
        reading.spread(),
    ]);
    let file = std::fs::metadata(place.path().join("derived/vectors.db"))?.len();
    table.row(["bytes on disk a vector".to_owned(), digits(file as f64 / extent.kept as f64)]);
    for (what, busy) in
        [("append, nothing beside, µs", false), ("append while vectors are kept without pause, µs", true)]
    {
        table.row([what.to_owned(), appending(place.path(), &scope, &model, corpus, busy)?.spread()]);
    }
    Ok(table)
}

/// Where the message of each append stands.
fn message(row: usize) -> Position {
    Position::new(row as u64 + 1, u32::from(row == 0))
}

fn append_messages(store: &dyn Store, scope: &Scope, count: usize) -> Result<()> {
    let source = SourceId(Position::new(1, 0));
    loop {
        let basis = store.head(scope)?;
        if basis.watermark as usize >= count {
            return Ok(());
        }
        let last = (basis.watermark + 500).min(count as u64);
        let group: Vec<_> = (basis.watermark + 1..=last)
            .map(|seq| keyed(seq, if seq == 1 { first_story(1, 1) } else { story(seq, source, seq) }))
            .collect();
        let appended = store.append(scope, &basis, &group)?;
        ensure!(appended == Appended::Done(last), "the messages were not appended: {appended:?}");
    }
}

fn appending(
    place: &Path,
    scope: &Scope,
    model: &ModelIdentity,
    corpus: &Corpus,
    busy: bool,
) -> Result<Samples> {
    let store: Arc<dyn Store> = StoreKind::Sqlite.open(place)?;
    let done = AtomicBool::new(!busy);
    let mut samples = Samples::default();
    std::thread::scope(|all| -> Result<()> {
        let keeper = all.spawn(|| -> Result<()> {
            let rows: Vec<VectorRow> = (0..32)
                .map(|row| VectorRow {
                    of: message(row),
                    piece: 0,
                    vector: Quantised::of(corpus.passage(row)),
                })
                .collect();
            while !done.load(Ordering::Relaxed) {
                let basis = store.head(scope)?;
                store.vector_store().keep_vectors(scope, &basis, model, Placed::Evidence, &rows)?;
            }
            Ok(())
        });
        let source = SourceId(Position::new(1, 0));
        for _ in 0..300 {
            let basis = store.head(scope)?;
            let seq = basis.watermark + 1;
            let batch = keyed(seq, story(seq, source, seq));
            let (appended, took) = time(|| store.append(scope, &basis, &[batch]));
            appended?;
            samples.push_micros(took);
        }
        done.store(true, Ordering::Relaxed);
        keeper.join().map_err(|_| anyhow::anyhow!("the keeper failed"))?
    })?;
    Ok(samples)
}
