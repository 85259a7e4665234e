//! The shadow lane under load: how many turns are drawn, what is passed over and why, what a slow, a panicking and a
//! stalled candidate policy do, what a full disk does, what is left on the disk, and what all of it costs a reply.
//!
//! What the turns were chosen from is recorded from subjects built of the data sets; a million turns are then taken from
//! these records. The reply path is measured twice: its pure part over the million, and whole turns on SQLite, with and
//! without the lane in strict alternation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use anyhow::{Context as _, Result, bail};
use engine::observe::{Message, Observing};
use engine::shadow::{CandidatePolicy, Clock, Lane, built_in};
use engine::turn::Turn;
use engine::{Call, Engine};
use ledger::id::{Kind, TurnId};
use ledger::resolve::{Policy, Selection, select};
use ledger::scope::Scope;
use ledger::shadow::{Breaker, Comparison, Day, Event, Frozen, PolicyName, Rollup, Sampling, Tally};
use ledger::store::{Store, StoreError, StoreErrorKind};
use ledger::telemetry::{ReferenceTelemetry, Telemetry};
use ledger::turn::{Budget, Candidate, Triage, TurnRecord};
use serde_json::json;
use store_sqlite::SqliteTelemetry;

use crate::data::{folder, not_statements, sentences, statements};
use crate::imports;
use crate::machine::Limits;
use crate::measure::{Chance, Samples, digits, thousands, time};
use crate::report::{Report, Table};
use crate::speed::{self, Corpus};
use crate::stores::{StoreKind, clock, engine, scope};

/// How much is measured.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Turns taken from records.
    pub simulated: usize,
    /// Turns recorded from each subject.
    pub recorded: usize,
    /// Whole turns on SQLite, with the lane and without together, a run.
    pub whole: usize,
    /// Facts of the subject built of sentences.
    pub facts: usize,
    /// Values of the fact in dispute, so that a turn considers too many.
    pub disputed: usize,
    /// Runs of the whole turns.
    pub runs: usize,
}

impl Extent {
    /// What the issue asks for.
    #[must_use]
    pub fn full(runs: usize) -> Self {
        Self { simulated: 1_000_000, recorded: 400, whole: 6_000, facts: 2_000, disputed: 520, runs }
    }

    /// Enough to see that the instrument works.
    #[must_use]
    pub fn quick() -> Self {
        Self { simulated: 20_000, recorded: 30, whole: 200, facts: 100, disputed: 0, runs: 1 }
    }
}

/// How far apart simulated turns are, in microseconds of the simulated clock.
const TURN_MICROS: u64 = 50_000;

/// What a slowed candidate policy adds to the simulated clock.
const SLOWED_MICROS: u64 = 6_000;

/// What a packet costs before its first item, about; records do not hold it.
const OVERHEAD_TOKENS: u32 = 30;

/// The instrument. `small` is a directory on a small file system of its own, which is filled up.
///
/// # Errors
/// As the engine's verbs.
pub fn run(directory: &Path, extent: &Extent, small: Option<&Path>) -> Result<Report> {
    let mut report = Report::new("Shadow lane", "bench shadow", Limits::measure(directory)?);
    let place = tempfile::tempdir_in(directory)?;
    let subjects = Subjects::build(extent)?;
    report.notes.push(subjects.told());
    // Who sees a candidate policy panic on purpose learns nothing from its message.
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() != Some("shadow") {
            before(panic);
        }
    }));
    let telemetry: Arc<dyn Telemetry> = Arc::new(SqliteTelemetry::at(place.path()));
    simulate(&mut report, &subjects.records, telemetry.clone(), extent)?;
    untouched(&mut report, &subjects, small, extent)?;
    whole_turns(&mut report, directory, extent)?;
    switch_cost(&mut report, &*telemetry);
    personal(&mut report, &subjects, telemetry, place.path())?;
    Ok(report)
}

/// The subjects, what their turns were chosen from, and everything a person could recognise of them.
struct Subjects {
    engine: Engine,
    store: Arc<dyn Store>,
    scopes: Vec<Scope>,
    messages: Vec<String>,
    records: Vec<TurnRecord>,
    /// Texts and ids that must be nowhere.
    texts: Vec<String>,
    ids: BTreeSet<String>,
}

impl Subjects {
    fn build(extent: &Extent) -> Result<Self> {
        let store = StoreKind::Reference.open(Path::new("."))?;
        let engine = engine(store.clone());
        let names = ["Philippa Tremaine", "beam chats", "owner statements", "demonstration", "disputed"];
        let scopes = names.iter().map(|name| scope(name)).collect::<Result<Vec<_>>>()?;
        let [sentenced, chats, stated, demonstrated, disputed] = scopes.as_slice() else {
            bail!("five subjects")
        };
        let corpus = Corpus::read()?;
        speed::fill(&engine, sentenced, &corpus, extent.facts)?;
        imports::import(&engine, chats, "beam-100k")?;
        let mut texts = sentences()?;
        for statement in statements()? {
            let proposal = json!({
                "entity": statement.entity, "predicate": statement.predicate, "value": statement.value,
                "op": statement.op, "confidence": 0.9, "quote": statement.quote,
            });
            let message = json!({
                "source": {"kind": "conversation", "ref": statement.language}, "author": "owner",
                "external_id": format!("{}-{}", statement.id, statement.predicate), "text": statement.text,
                "proposals": [proposal],
            });
            observe(&engine, stated, message)?;
            texts.extend([statement.text, statement.value]);
        }
        for line in fs::read_to_string(folder().join("demo/conversation.jsonl"))?.lines() {
            let message: serde_json::Value = serde_json::from_str(line)?;
            texts.extend(message["text"].as_str().map(str::to_owned));
            observe(&engine, demonstrated, message)?;
        }
        for number in 0..extent.disputed {
            let value = format!("Harbour {number}");
            let text = format!("The foundation is based in {value}.");
            let message = json!({
                "source": {"kind": "document", "ref": format!("report-{number}")}, "author": "external", "text": text,
                "proposals": [{"entity": "foundation", "predicate": "based_in", "value": value, "confidence": 0.9, "quote": text}],
            });
            observe(&engine, disputed, message)?;
        }
        texts.extend(names.map(str::to_owned));
        let mut messages: Vec<String> = statements()?.into_iter().map(|statement| statement.text).collect();
        messages.extend(not_statements()?.into_iter().map(|(_, text)| text));
        messages.extend(sentences()?.iter().step_by(7).map(|sentence| format!("what about {sentence}")));
        messages.retain(|message| message.len() < 1_000);
        let mut all =
            Self { engine, store, scopes, messages, records: Vec::new(), texts, ids: BTreeSet::new() };
        all.record(extent)?;
        Ok(all)
    }

    /// Takes turns and keeps what they were chosen from.
    fn record(&mut self, extent: &Extent) -> Result<()> {
        let mut chance = Chance::new(10);
        for (number, scope) in self.scopes.iter().enumerate() {
            let disputed = number + 1 == self.scopes.len();
            // The disputed subject is a rarity, and slow: a few turns of it stand for it.
            let turns = if disputed { (extent.recorded / 100).min(extent.disputed) } else { extent.recorded };
            for _ in 0..turns {
                let message = match disputed {
                    true => "where is the foundation based?",
                    false => self.messages[chance.below(self.messages.len())].as_str(),
                };
                let turned = self.engine.turn(Call { scope, now: clock() }, &Turn::of(message))?;
                let keys = self.store.keys(scope)?.context("a subject with keys")?;
                let Some((Kind::Turn, position)) = keys.ids.open(&turned.turn) else { bail!("a turn's id") };
                let (record, _) = self.store.turn(scope, TurnId(position))?.context("a recorded turn")?;
                self.ids.insert(turned.turn);
                self.ids.extend(turned.candidates);
                self.records.push(record);
            }
        }
        Ok(())
    }

    fn told(&self) -> String {
        let mut sizes: Vec<usize> = self.records.iter().map(|record| record.candidates.len()).collect();
        sizes.sort_unstable();
        let at = |share: usize| sizes.get(sizes.len().saturating_sub(1) * share / 100).copied().unwrap_or(0);
        let retrieved = self.records.iter().filter(|record| record.triage == Triage::Retrieve).count();
        format!(
            "{} turns recorded of {} subjects ({} of them look into memory); versions considered: p10 {}, p50 {}, p90 {}, most {}",
            thousands(self.records.len() as i64),
            self.scopes.len(),
            thousands(retrieved as i64),
            at(10),
            at(50),
            at(90),
            at(100)
        )
    }
}

fn observe(engine: &Engine, scope: &Scope, message: serde_json::Value) -> Result<()> {
    let message: Message = serde_json::from_value(message)?;
    engine.observe(Call { scope, now: clock() }, vec![message], Observing::default())?;
    Ok(())
}

/// What a candidate policy is made to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Mood {
    Ordinary,
    Slowed,
    Panicking,
}

/// A candidate policy that chooses as one of this build, in a mood.
struct Moody {
    inner: Arc<dyn CandidatePolicy>,
    mood: Arc<AtomicU8>,
    simulated: Arc<AtomicU64>,
}

impl CandidatePolicy for Moody {
    fn name(&self) -> PolicyName {
        self.inner.name()
    }

    fn select(&self, considered: &[Candidate], budget: Budget, overhead: u32) -> Selection {
        let mood = self.mood.load(Ordering::Relaxed);
        assert!(mood != Mood::Panicking as u8, "the candidate policy panics");
        if mood == Mood::Slowed as u8 {
            self.simulated.fetch_add(SLOWED_MICROS, Ordering::Relaxed);
        }
        self.inner.select(considered, budget, overhead)
    }
}

/// Telemetry whose disk can be declared full.
struct Fillable {
    inner: Arc<dyn Telemetry>,
    full: Arc<AtomicU8>,
}

impl Telemetry for Fillable {
    fn record_shadow(&self, day: Day, row: &Comparison, tally: &Tally) -> Result<(), StoreError> {
        match self.full.load(Ordering::Relaxed) {
            0 => self.inner.record_shadow(day, row, tally),
            _ => Err(StoreError::new(StoreErrorKind::Full, "the disk is full")),
        }
    }
    fn expire_shadow(&self, today: Day) -> Result<u64, StoreError> {
        self.inner.expire_shadow(today)
    }
    fn shadow_rows(&self, limit: usize) -> Result<Vec<(Day, Comparison)>, StoreError> {
        self.inner.shadow_rows(limit)
    }
    fn shadow_row_count(&self) -> Result<u64, StoreError> {
        self.inner.shadow_row_count()
    }
    fn shadow_rollups(&self) -> Result<Vec<Rollup>, StoreError> {
        self.inner.shadow_rollups()
    }
    fn shadow_tallies(&self) -> Result<Vec<(Day, Tally)>, StoreError> {
        self.inner.shadow_tallies()
    }
    fn record_limits(&self, day: Day, hits: &[(u32, u64)]) -> Result<(), StoreError> {
        self.inner.record_limits(day, hits)
    }
    fn limit_hits(&self) -> Result<Vec<(Day, u32, u64)>, StoreError> {
        self.inner.limit_hits()
    }
    fn shadow_is_off(&self) -> bool {
        self.inner.shadow_is_off()
    }
    fn switch_shadow(&self, on: bool) -> Result<(), StoreError> {
        self.inner.switch_shadow(on)
    }
}

fn tried() -> Result<Arc<dyn CandidatePolicy>> {
    built_in(None).context("a policy beside the usual one")
}

fn real_clock() -> Clock {
    let begun = Instant::now();
    Arc::new(move || begun.elapsed().as_micros() as u64)
}

fn settle(lane: &Lane) {
    while !lane.is_idle() {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// A million turns over the records: five moods of the lane, one after another, on a clock of which 50 ms pass a turn.
fn simulate(
    report: &mut Report,
    records: &[TurnRecord],
    telemetry: Arc<dyn Telemetry>,
    extent: &Extent,
) -> Result<()> {
    let (mood, full) = (Arc::new(AtomicU8::new(0)), Arc::new(AtomicU8::new(0)));
    let simulated = Arc::new(AtomicU64::new(0));
    let candidate = Moody { inner: tried()?, mood: mood.clone(), simulated: simulated.clone() };
    let own: Arc<dyn Telemetry> = Arc::new(Fillable { inner: telemetry.clone(), full: full.clone() });
    let (begun, passed) = (Instant::now(), simulated.clone());
    let now: Clock = Arc::new(move || passed.load(Ordering::Relaxed) + begun.elapsed().as_micros() as u64);
    let lane = Lane::start(Arc::new(candidate), Sampling::default(), own, now);
    let phases: [(&str, Mood, bool, bool, usize); 6] = [
        ("ordinary", Mood::Ordinary, false, true, 400),
        ("slowed by 6 ms", Mood::Slowed, false, true, 200),
        ("panicking", Mood::Panicking, false, true, 100),
        ("disk full", Mood::Ordinary, true, true, 100),
        ("switched off", Mood::Ordinary, false, false, 50),
        ("ordinary again", Mood::Ordinary, false, true, 150),
    ];
    let mut table = Table::new(
        &format!(
            "{} simulated turns, one in twenty drawn, 50 ms of simulated time apart",
            thousands(extent.simulated as i64)
        ),
        &[
            "phase",
            "turns",
            "drawn",
            "drawn %",
            "compared",
            "slow",
            "panicked",
            "breaker opened",
            "rows dropped",
            "skipped: too many",
            "nothing to choose",
            "same policy",
            "switched off",
            "breaker open",
            "busy",
        ],
    );
    let (mut on, mut off) = (Samples::default(), Samples::default());
    let mut chance = Chance::new(413);
    let standing: PolicyName = Policy::DEFAULT.name().parse()?;
    let mut sum = Tally::default();
    for (name, set, is_full, is_on, share) in phases {
        settle(&lane);
        mood.store(set as u8, Ordering::Relaxed);
        full.store(u8::from(is_full), Ordering::Relaxed);
        // Long enough for what the phase before did to the breaker to be over.
        simulated.fetch_add(2 * Breaker::OPEN_MICROS, Ordering::Relaxed);
        telemetry.switch_shadow(is_on)?;
        let before = lane.counted();
        for number in 0..extent.simulated / 1_000 * share {
            simulated.fetch_add(TURN_MICROS, Ordering::Relaxed);
            let record = records[chance.below(records.len())].clone();
            let draw = (chance.below(1 << 32) as u64) << 32 | chance.below(1 << 32) as u64;
            let budget = record.budget;
            let with_lane = number % 2 == 0;
            let (chosen, took) = time(|| {
                let chosen = select(Policy::DEFAULT, &record.candidates, budget, OVERHEAD_TOKENS);
                if with_lane {
                    offer(&lane, draw, standing, record);
                }
                chosen
            });
            std::hint::black_box(chosen);
            if with_lane { &mut on } else { &mut off }.push_micros(took);
            if !with_lane {
                // The other half of the turns is offered too, outside of what is measured.
                let record = records[chance.below(records.len())].clone();
                offer(&lane, draw, standing, record);
            }
        }
        settle(&lane);
        let counted = lane.counted().since(&before);
        sum.add_all(&counted);
        table.row(row(name, &counted));
        let ended = counted.of(Event::Compared)
            + counted.of(Event::FailedPanic)
            + counted.of(Event::FailedIncomparable);
        report.must(counted.of(Event::Sampled) == counted.skipped() + ended, || {
            format!("{name}: {counted:?} do not add up")
        });
        let expected = match (set, is_full, is_on) {
            (Mood::Slowed | Mood::Panicking, ..) => counted.of(Event::BreakerOpened) > 0,
            (_, true, _) => {
                counted.of(Event::DroppedRows) == counted.of(Event::Compared)
                    && counted.of(Event::Compared) > 0
            }
            (_, _, false) => {
                counted.skipped() == counted.of(Event::Sampled) && counted.of(Event::Compared) == 0
            }
            _ => counted.of(Event::Compared) > 0,
        };
        report.must(expected, || format!("{name}: {counted:?}"));
    }
    table.row(row("all", &sum));
    report.tables.push(table);
    let rows = telemetry.shadow_row_count()?;
    let rolled: u64 = telemetry.shadow_rollups()?.iter().map(|one| one.compared).sum();
    let written = sum.of(Event::Compared) - sum.of(Event::DroppedRows);
    report.must(rows == written && rolled == written, || {
        format!("{written} written, {rows} rows, {rolled} rolled up")
    });
    report.notes.push(format!("{} rows and as many in rollups are in telemetry.db", thousands(rows as i64)));
    let mut table = Table::new(
        "The pure part of the reply path (policy, then offer to the lane), µs, alternating in the same run",
        &["lane", "turns", "p50", "p90", "p99", "p99.9"],
    );
    for (name, samples) in [("on", &on), ("off", &off)] {
        table.row(latency(name, samples));
    }
    report.tables.push(table);
    Ok(())
}

/// Offers what a record says the way the engine does, nothing chosen included.
fn offer(lane: &Lane, draw: u64, standing: PolicyName, record: TurnRecord) {
    lane.offer(draw, || {
        if record.triage != Triage::Retrieve {
            return Err(Event::SkippedNothingChosen);
        }
        Ok(Frozen {
            day: Day::of(record.recorded_at),
            standing,
            considered: record.candidates,
            selected: record.selected,
            budget: record.budget,
            overhead: OVERHEAD_TOKENS,
        })
    });
}

fn row(name: &str, counted: &Tally) -> Vec<String> {
    let of = |event: Event| thousands(counted.of(event) as i64);
    let share = 100.0 * counted.of(Event::Sampled) as f64 / counted.of(Event::Turns).max(1) as f64;
    let mut cells = vec![name.to_owned(), of(Event::Turns), of(Event::Sampled), format!("{share:.2}")];
    cells.extend(
        [Event::Compared, Event::Slow, Event::FailedPanic, Event::BreakerOpened, Event::DroppedRows].map(of),
    );
    cells.extend(Event::SKIPS.map(of));
    cells
}

fn latency(name: &str, samples: &Samples) -> Vec<String> {
    let quantiles = [0.5, 0.9, 0.99, 0.999].map(|share| digits(samples.quantile(share)));
    [name.to_owned(), thousands(samples.count() as i64)].into_iter().chain(quantiles).collect()
}

/// A lane: its name in the report, what it tries, where it records, and what must be seen of it.
type Case = (String, Arc<dyn CandidatePolicy>, Arc<dyn Telemetry>, Event);

/// The same turns without a lane and with lanes that fail in every way: their answers must be equal, byte for byte.
fn untouched(report: &mut Report, subjects: &Subjects, small: Option<&Path>, extent: &Extent) -> Result<()> {
    let mood = |mood: Mood| -> Result<Arc<dyn CandidatePolicy>> {
        let simulated = Arc::new(AtomicU64::new(0));
        Ok(Arc::new(Moody { inner: tried()?, mood: Arc::new(AtomicU8::new(mood as u8)), simulated }))
    };
    let kept = || -> Arc<dyn Telemetry> { Arc::new(ReferenceTelemetry::new()) };
    let full: Arc<dyn Telemetry> = Arc::new(Fillable { inner: kept(), full: Arc::new(AtomicU8::new(1)) });
    let (release, stalled) = channel::<()>();
    let stall = Stalled(std::sync::Mutex::new(stalled));
    let mut cases: Vec<Case> = vec![
        ("ordinary".to_owned(), tried()?, kept(), Event::Compared),
        ("a panic".to_owned(), mood(Mood::Panicking)?, kept(), Event::FailedPanic),
        ("a stall".to_owned(), Arc::new(stall), kept(), Event::SkippedBusy),
        ("telemetry says full".to_owned(), tried()?, full, Event::DroppedRows),
    ];
    let filled = small.map(fill_up).transpose()?;
    if let Some((directory, _)) = &filled {
        let telemetry = Arc::new(SqliteTelemetry::at(directory));
        cases.push(("a file system that is full".to_owned(), tried()?, telemetry, Event::DroppedRows));
    }
    let mut table = Table::new(
        "Answers with the lane on and failing, held against those without a lane",
        &["lane", "turns", "drawn", "seen of it", "answers that differ"],
    );
    let turns = extent.recorded * 4;
    let plain = answers(&subjects.engine, subjects, turns)?;
    for (name, candidate, telemetry, event) in cases {
        let own = engine(subjects.store.clone());
        let lane =
            Lane::start(candidate, Sampling::per_mille(Sampling::PER_MILLE_MAX), telemetry, real_clock());
        let own = own.with_shadow(lane);
        let shadowed = answers(&own, subjects, turns)?;
        let counted = own.shadow().map(Lane::counted).unwrap_or_default();
        let differ = plain.iter().zip(&shadowed).filter(|(plain, shadowed)| plain != shadowed).count();
        report.must(differ == 0 && plain.len() == shadowed.len(), || {
            format!("{name}: {differ} answers differ")
        });
        report.must(counted.of(event) > 0, || format!("{name}: {event} was not seen"));
        let seen = format!("{event} {}", counted.of(event));
        table.row([
            name,
            turns.to_string(),
            counted.of(Event::Sampled).to_string(),
            seen,
            differ.to_string(),
        ]);
    }
    drop(release);
    report.tables.push(table);
    if let Some((directory, ballast)) = filled {
        // With room again, the same file goes on.
        fs::remove_file(ballast)?;
        let telemetry = SqliteTelemetry::at(&directory);
        let row = Comparison { standing: PolicyName(2), candidate: PolicyName(1), ..EMPTY };
        let recorded = telemetry.record_shadow(Day(20_000), &row, &Tally::default());
        report.must(recorded.is_ok(), || format!("no row after room was made: {recorded:?}"));
    }
    Ok(())
}

const EMPTY: Comparison = Comparison {
    standing: PolicyName(0),
    candidate: PolicyName(0),
    considered: 0,
    selected_standing: 0,
    selected_candidate: 0,
    overlap: 0,
    added: 0,
    removed: 0,
    tokens_difference: 0,
    disputes_added: 0,
    disputes_removed: 0,
    duration_micros: 0,
};

/// A candidate policy that does not return until it is let go.
struct Stalled(std::sync::Mutex<std::sync::mpsc::Receiver<()>>);

impl CandidatePolicy for Stalled {
    fn name(&self) -> PolicyName {
        PolicyName(900)
    }

    fn select(&self, _: &[Candidate], _: Budget, _: u32) -> Selection {
        if let Ok(waiting) = self.0.lock() {
            _ = waiting.recv();
        }
        Selection::default()
    }
}

/// The answers to the same turns, without their ids.
fn answers(engine: &Engine, subjects: &Subjects, turns: usize) -> Result<Vec<String>> {
    let mut chance = Chance::new(77);
    let now = "2026-11-30T12:00:00Z".parse()?;
    let ordinary = &subjects.scopes[..subjects.scopes.len() - 1];
    (0..turns)
        .map(|number| {
            let message = &subjects.messages[chance.below(subjects.messages.len())];
            let call = Call { scope: &ordinary[number % ordinary.len()], now };
            let mut turned = engine.turn(call, &Turn::of(message))?;
            turned.turn.clear();
            Ok(serde_json::to_string(&turned)?)
        })
        .collect()
}

/// Fills the file system of `directory` but for a few pages; the file that fills it, beside a directory of our own.
fn fill_up(directory: &Path) -> Result<(PathBuf, PathBuf)> {
    use std::io::Write as _;
    let own = directory.join("telemetry");
    fs::create_dir_all(&own)?;
    let ballast = directory.join("filling");
    let mut file = fs::File::create(&ballast)?;
    let mut written = 0_usize;
    for size in [65_536, 4_096, 512, 1] {
        let piece = vec![0x5a_u8; size];
        while file.write_all(&piece).is_ok() {
            written += size;
            if written > 1 << 28 {
                bail!("`{}` is not on a small file system", directory.display());
            }
        }
    }
    Ok((own, ballast))
}

/// Whole turns on SQLite, recorded durably: an engine with the lane and one without, turn about, on one store.
fn whole_turns(report: &mut Report, directory: &Path, extent: &Extent) -> Result<()> {
    let mut table = Table::new(
        "Whole turns on SQLite, triage to packet, recorded with one fsync; µs, lane on and off turn about",
        &["run", "lane", "turns", "p50", "p90", "p99", "p99.9"],
    );
    let (mut all_on, mut all_off) = (Samples::default(), Samples::default());
    let messages = sentences()?;
    for run in 1..=extent.runs {
        let place = tempfile::tempdir_in(directory)?;
        let store = StoreKind::Sqlite.open(place.path())?;
        let scope = scope("reader")?;
        let bare = engine(store.clone());
        speed::fill(&bare, &scope, &Corpus::read()?, extent.facts)?;
        let telemetry = Arc::new(SqliteTelemetry::at(place.path()));
        let lane = Lane::start(tried()?, Sampling::default(), telemetry, real_clock());
        let shadowed = engine(store).with_shadow(lane);
        let mut chance = Chance::new(run as u64);
        let (mut on, mut off) = (Samples::default(), Samples::default());
        for number in 0..extent.whole {
            let words: Vec<&str> = messages[chance.below(messages.len())].split(' ').take(6).collect();
            let turn = Turn::of(&words.join(" "));
            let call = Call { scope: &scope, now: clock() };
            // Which goes first changes every other time, so that neither always follows the other.
            let order = if number % 2 == 0 { [true, false] } else { [false, true] };
            for is_on in order {
                let of = if is_on { &shadowed } else { &bare };
                let (turned, took) = time(|| of.turn(call, &turn));
                turned?;
                if number >= 20 {
                    if is_on { &mut on } else { &mut off }.push_micros(took);
                    if is_on { &mut all_on } else { &mut all_off }.push_micros(took);
                }
            }
        }
        for (name, samples) in [("on", &on), ("off", &off)] {
            table.row(std::iter::once(run.to_string()).chain(latency(name, samples)));
        }
        let counted = shadowed.shadow().map(Lane::counted).unwrap_or_default();
        report.notes.push(format!(
            "run {run}: {} of {} turns drawn, {} compared, {} slow, breaker opened {} times",
            counted.of(Event::Sampled),
            counted.of(Event::Turns),
            counted.of(Event::Compared),
            counted.of(Event::Slow),
            counted.of(Event::BreakerOpened)
        ));
    }
    for (name, samples) in [("on", &all_on), ("off", &all_off)] {
        table.row(std::iter::once("all".to_owned()).chain(latency(name, samples)));
    }
    report.tables.push(table);
    Ok(())
}

/// What asking the kill switch costs; a turn that is drawn asks once.
fn switch_cost(report: &mut Report, telemetry: &dyn Telemetry) {
    const ASKED: u32 = 200_000;
    let ((), took) = time(|| (0..ASKED).for_each(|_| _ = std::hint::black_box(telemetry.shadow_is_off())));
    let nanoseconds = took.as_secs_f64() * 1e9 / f64::from(ASKED);
    report.notes.push(format!(
        "asking the kill switch: {nanoseconds:.0} ns, once a drawn turn, {:.0} ns a turn",
        nanoseconds * f64::from(Sampling::PER_MILLE_DEFAULT) / 1_000.0
    ));
}

/// Looks in every file of the telemetry for every word and id of the subjects, in every disguise.
fn personal(
    report: &mut Report,
    subjects: &Subjects,
    telemetry: Arc<dyn Telemetry>,
    directory: &Path,
) -> Result<()> {
    drop(telemetry);
    let mut words: BTreeSet<String> = BTreeSet::new();
    for text in subjects.texts.iter().chain(&subjects.messages) {
        let long = |word: &&str| word.chars().count() >= 5;
        words.extend(text.split(|one: char| !one.is_alphanumeric()).filter(long).map(str::to_lowercase));
    }
    // An empty file says which words are the program's own: names of tables and columns.
    let empty = tempfile::tempdir()?;
    let fresh = SqliteTelemetry::at(empty.path());
    fresh.record_shadow(Day(0), &EMPTY, &Tally::default())?;
    drop(fresh);
    let own = found(empty.path(), &words)?;
    let own: BTreeSet<String> = own.into_keys().collect();
    words.retain(|word| !own.contains(word));
    let needles: BTreeSet<String> = words.iter().chain(&subjects.ids).cloned().collect();
    let hits = found(directory, &needles)?;
    let bytes: u64 = fs::read_dir(directory)?
        .flatten()
        .filter_map(|item| item.metadata().ok())
        .map(|about| about.len())
        .sum();
    report.notes.push(format!(
        "{} words and {} ids of the subjects looked for in {} bytes of telemetry, as UTF-8, UTF-16, hexadecimal and base64: {} found \
         ({} words are the program's own and stand in an empty file too)",
        thousands(words.len() as i64),
        thousands(subjects.ids.len() as i64),
        thousands(bytes as i64),
        hits.len(),
        own.len()
    ));
    report.must(hits.is_empty(), || format!("found in telemetry: {hits:?}"));
    // The search itself is sharp: it finds a planted word.
    let planted = tempfile::tempdir()?;
    let word = needles.iter().next().context("something to look for")?;
    let utf16: Vec<u8> = word.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(planted.path().join("planted"), utf16)?;
    let sharp = !found(planted.path(), &needles)?.is_empty();
    report.must(sharp, || "the search does not find what was planted".to_owned());
    Ok(())
}

/// Which of `words` stand in the files of `directory`, and where.
fn found(directory: &Path, words: &BTreeSet<String>) -> Result<BTreeMap<String, String>> {
    let mut needles: Vec<Vec<u8>> = Vec::new();
    let mut of: Vec<&String> = Vec::new();
    for word in words {
        for disguise in disguises(word).into_iter().filter(|disguise| disguise.len() >= 5) {
            needles.push(disguise);
            of.push(word);
        }
    }
    let automaton = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .ascii_case_insensitive(true)
        .build(&needles)?;
    let mut hits = BTreeMap::new();
    for item in fs::read_dir(directory)? {
        let path = item?.path();
        let bytes = fs::read(&path)?;
        for hit in automaton.find_overlapping_iter(&bytes) {
            let word = of[hit.pattern().as_usize()].clone();
            hits.entry(word).or_insert_with(|| format!("{} at byte {}", path.display(), hit.start()));
        }
    }
    Ok(hits)
}

/// Every disguise of a word in lower case: as it is, in UTF-16, in hexadecimal, and in base64 at each alignment, each also
/// with a capital. Letters are compared without their case.
fn disguises(word: &str) -> Vec<Vec<u8>> {
    let mut letters = word.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    let mut all = vec![word.as_bytes().to_vec(), word.to_uppercase().into_bytes()];
    for text in [word, capital.as_str()] {
        all.push(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        all.push(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        all.push(text.bytes().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect());
        all.extend((0..3).map(|alignment| base64_inside(text.as_bytes(), alignment)));
    }
    all
}

/// The characters of base64 that stand for `bytes` wherever they begin `alignment` bytes into a group of three.
fn base64_inside(bytes: &[u8], alignment: usize) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padded: Vec<u8> = std::iter::repeat_n(0, alignment).chain(bytes.iter().copied()).collect();
    let text: Vec<u8> = padded
        .chunks_exact(3)
        .flat_map(|group| {
            let number = group.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
            [18, 12, 6, 0].map(|shift| ALPHABET[(number >> shift & 63) as usize])
        })
        .collect();
    // The first group holds bits of the neighbour before the word.
    text.get(if alignment == 0 { 0 } else { 4 }..).unwrap_or_default().to_vec()
}
