//! A simulated world: many clients in several processes on one directory, with clocks that jump and processes that die, and
//! beside it the same world on the reference store. What the two answer is the same, and what is promised holds.
//!
//! One seed decides everything that happens; only the keys are drawn anew, and so every id is told by its place. One thread does
//! everything in turn, so a failure comes back with its seed.
//!
//! In reading order: `chance` decides, `speech` is what is said, `mortal` is how a process dies, `pair` asks both sides and compares,
//! `operation` is what clients do, `invariants` is what holds after each stretch of it.

mod chance;
mod invariants;
mod mortal;
mod operation;
mod pair;
mod speech;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Call, Engine};
use ledger::reference::ReferenceStore;
use ledger::scope::Scope;
use ledger::store::Store;
use ledger::time::Instant;
use serde_json::Value as Json;
use store_sqlite::{Options, SqliteStore, Synchronous};

use crate::at;
use crate::world::scope;
use chance::Chance;
use invariants::Look;
use pair::{Pair, Thing};

/// Processes that have the directory open at the same time.
const PROCESSES: usize = 3;
/// Subjects whose memories are in it.
const SUBJECTS: usize = 3;
/// Operations after which everything is compared.
const EPOCH: usize = 25;
/// Things, messages and looks remembered of a subject.
const REMEMBERED_MAX: usize = 120;
/// Steps told when a run fails.
const STEPS_TOLD: usize = 12;

/// What one run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// Operations.
    pub operations: usize,
    /// Of them, how many were refused, as they should be.
    pub refused: usize,
    /// Processes that died in the middle of an operation.
    pub deaths: usize,
    /// Times everything died at once, and lived on from the files as they were then.
    pub crashes: usize,
    /// Times a clock jumped.
    pub jumps: usize,
    /// Erasures.
    pub erasures: usize,
    /// Turns replayed.
    pub replayed: usize,
    /// Looks into the past that were taken again.
    pub looks: usize,
}

impl Told {
    /// Adds what another run did.
    pub fn add(&mut self, other: &Self) {
        self.operations += other.operations;
        self.refused += other.refused;
        self.deaths += other.deaths;
        self.crashes += other.crashes;
        self.jumps += other.jumps;
        self.erasures += other.erasures;
        self.replayed += other.replayed;
        self.looks += other.looks;
    }
}

/// Lives through so many operations under one seed.
///
/// # Panics
/// When the two sides differ or a promise is broken. The seed and the last steps are printed.
#[must_use]
pub fn run(seed: u64, operations: usize) -> Told {
    let mut simulation = Simulation::new(seed, operations);
    for _ in 0..operations {
        simulation.step();
        if simulation.told.operations.is_multiple_of(EPOCH) {
            simulation.check_everything();
        }
    }
    simulation.check_everything();
    simulation.told
}

/// One subject, and what clients remember of it.
struct Client {
    scope: Scope,
    /// Things that answers named.
    things: Vec<Thing>,
    /// Messages that were sent, to be sent again.
    sent: Vec<Json>,
    /// Lists that were imported, to be imported again.
    imports: Vec<Vec<Json>>,
    /// Turns, with the number of erasures before each.
    turns: Vec<(Thing, usize)>,
    looks: Vec<Look>,
    erasures: usize,
}

struct Simulation {
    seed: u64,
    planned: usize,
    chance: Chance,
    /// The clock everybody agrees on, and how far each process is from it, in seconds.
    clock: Instant,
    clock_off: [i64; PROCESSES],
    directory: tempfile::TempDir,
    reference: Arc<dyn Store>,
    processes: Vec<Pair>,
    clients: Vec<Client>,
    steps: Vec<String>,
    told: Told,
}

impl Simulation {
    fn new(seed: u64, planned: usize) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let reference: Arc<dyn Store> = Arc::new(ReferenceStore::new());
        let processes = (0..PROCESSES).map(|_| start(directory.path(), &reference)).collect();
        let clients = (0..SUBJECTS).map(|number| Client::new(scope(&format!("subject {number}")))).collect();
        Self {
            seed,
            planned,
            chance: Chance::new(seed),
            clock: at("2026-03-01"),
            clock_off: [0; PROCESSES],
            directory,
            reference,
            processes,
            clients,
            steps: Vec::new(),
            told: Told::default(),
        }
    }

    /// When it is in a process.
    fn now(&self, process: usize) -> Instant {
        Instant::from_micros(self.clock.micros() + self.clock_off[process] * 1_000_000)
    }

    /// A process ends, having answered everything it was asked, and starts again.
    fn restart(&mut self, process: usize) {
        self.processes[process] = start(self.directory.path(), &self.reference);
    }

    /// Every process dies at once. What is left are the files as they were at that moment, the write-ahead log not written back.
    fn crash(&mut self) {
        let left = tempfile::tempdir().expect("a temporary directory");
        copy(self.directory.path(), left.path());
        self.directory = left;
        self.processes = (0..PROCESSES).map(|_| start(self.directory.path(), &self.reference)).collect();
        self.told.crashes += 1;
    }
}

impl Drop for Simulation {
    /// A failure says how to have it again.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let from = self.steps.len().saturating_sub(STEPS_TOLD);
            eprintln!("the last steps:\n  {}", self.steps[from..].join("\n  "));
            eprintln!("again: simulate --first {} --seeds 1 --operations {}", self.seed, self.planned);
        }
    }
}

impl Client {
    fn new(scope: Scope) -> Self {
        Self {
            scope,
            things: Vec::new(),
            sent: Vec::new(),
            imports: Vec::new(),
            turns: Vec::new(),
            looks: Vec::new(),
            erasures: 0,
        }
    }
}

fn start(directory: &Path, reference: &Arc<dyn Store>) -> Pair {
    // Nothing here takes the power away, and waiting for the disk would be most of the time.
    let options = Options { synchronous: Synchronous::Off, readers_max: 2, ..Options::default() };
    let tried = SqliteStore::open(directory, options).expect("the store opens");
    Pair::over(Arc::new(tried), reference.clone())
}

/// Copies the files of a directory, and those of the directories in it.
fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("a directory is read") {
        let path: PathBuf = entry.expect("a directory is read").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            std::fs::create_dir(&target).expect("a directory is made");
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a file is copied");
        }
    }
}

/// A call for a scope at a time.
fn call(scope: &Scope, now: Instant) -> Call<'_> {
    Call { scope, now }
}

/// Everything held of a subject, on both clocks.
fn state(
    engine: &Engine,
    call: Call<'_>,
    valid_at: Instant,
    believed_at: Instant,
) -> Result<engine::answer::Recalled, engine::EngineError> {
    engine.state(call, Some(valid_at), Some(believed_at))
}
