//! Recall and turns by words and meaning, at one size of a subject, with what embedding the question takes told apart.
//!
//! A model places the first [`REAL_MAX`] facts; each later one gets the vector of one of them, moved by a quarter of its length
//! in a direction of its own. Placing 100,000 would take longer than everything else, and would change no figure here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use engine::Call;
use engine::embed::EmbedBudget;
use engine::recall::Recall;
use engine::turn::Turn;
use inference::embed::{Embed, ModelIdentity, Role};
use inference::{InferenceError, Limits};
use ledger::scope::Scope;
use ledger::store::Store;

use crate::measure::{Chance, Samples, digits, time};
use crate::speed::{Corpus, Extent, QueryKind, Row, percentiles};
use crate::stores::{EMBEDDING_MAX, clock, engine};
use crate::vectors::moved;

/// Facts that the model really places.
const REAL_MAX: usize = 10_000;

/// A model whose time on questions is counted, and which is asked for [`REAL_MAX`] passages at most.
struct Counted {
    model: Arc<dyn Embed>,
    real: Mutex<Vec<Vec<f32>>>,
    chance: Mutex<Chance>,
    micros: AtomicU64,
}

impl Embed for Counted {
    fn identity(&self) -> &ModelIdentity {
        self.model.identity()
    }

    fn embed(&self, role: Role, texts: &[&str], limits: &Limits) -> Result<Vec<Vec<f32>>, InferenceError> {
        if role == Role::Query {
            let (placed, took) = time(|| self.model.embed(role, texts, limits));
            self.micros.fetch_add(took.as_micros() as u64, Ordering::Relaxed);
            return placed;
        }
        let mut real = self.real.lock().unwrap_or_else(PoisonError::into_inner);
        if real.len() < REAL_MAX {
            let placed = self.model.embed(role, texts, limits)?;
            real.extend(placed.iter().cloned());
            return Ok(placed);
        }
        let mut chance = self.chance.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = |_: &&str| {
            let place = chance.below(real.len());
            moved(real[place].clone(), &mut chance)
        };
        Ok(texts.iter().map(copy).collect())
    }
}

/// The rows of one size.
pub(crate) fn rows(
    rows: &mut Row<'_>,
    store: &Arc<dyn Store>,
    scope: &Scope,
    corpus: &Corpus,
    extent: &Extent,
    facts: usize,
    model: &Arc<dyn Embed>,
) -> Result<()> {
    let name = store.capabilities().name;
    let size = crate::measure::thousands(facts as i64);
    let counted = Arc::new(Counted {
        model: model.clone(),
        real: Mutex::default(),
        chance: Mutex::new(Chance::new(5)),
        micros: AtomicU64::new(0),
    });
    let engine = engine(store.clone()).with_embedder(counted.clone()).with_query_deadline(EMBEDDING_MAX);
    let call = || Call { scope, now: clock() };
    // Facts come before messages; these are not asked for here.
    let budget = EmbedBudget { texts: facts, limits: Limits::within(EMBEDDING_MAX) };
    engine.embed_some(call(), &budget)?;

    let mut measure = |what: &str, count: usize, aim: &str, ask: &dyn Fn(&str) -> Result<()>| -> Result<()> {
        let mut chance = Chance::new(7);
        let (mut whole, mut rest, mut placing) = (Samples::default(), Samples::default(), Samples::default());
        for number in 0..count + count / 10 + 1 {
            let query = corpus.query(QueryKind::Sentence, &mut chance);
            counted.micros.store(0, Ordering::Relaxed);
            let (asked, took) = time(|| ask(&query));
            asked?;
            let micros = counted.micros.load(Ordering::Relaxed) as f64;
            // The first tenth warms up.
            if number > count / 10 {
                whole.push_micros(took);
                placing.push(micros);
                rest.push(took.as_secs_f64() * 1e6 - micros);
            }
        }
        let beside = format!(
            "{} with the question's embedding, which alone takes {}",
            percentiles(&whole),
            digits(placing.median() / 1e3)
        );
        rows.add(&format!("{what}, {size} facts, ms p50 / p99"), name, percentiles(&rest), &beside, aim);
        Ok(())
    };
    let aim = match facts {
        10_000 => ["0.5 / 2", "2 + one sync"],
        100_000 => ["5", ""],
        _ => ["", ""],
    };
    measure("hybrid recall of five words, embedding excluded", extent.queries, aim[0], &|query| {
        std::hint::black_box(engine.recall(call(), &Recall::of(query))?);
        Ok(())
    })?;
    measure("hybrid turn, recorded, embedding excluded", extent.queries / 2, aim[1], &|message| {
        std::hint::black_box(engine.turn(call(), &Turn::of(message))?);
        Ok(())
    })
}
