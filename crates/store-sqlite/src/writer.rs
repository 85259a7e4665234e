//! The one writer: callers queue up, the thread takes everyone who waits, and one commit answers them all.
//!
//! The disk can only be made sure of a few hundred times a second, however little is written each time. So work of
//! different callers, and of different subjects, shares one transaction and one wait for the disk. Nobody is answered
//! before that wait is over.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use ledger::store::{StoreError, StoreErrorKind};
use parking_lot::Mutex;
use rusqlite::Connection;

use crate::connection::{self, Access};
use crate::error;
use crate::failpoint::{self, Failpoint};
use crate::keyring::Keyring;

/// The most callers that wait before others must wait to wait.
const QUEUE_MAX: usize = 1_024;
/// The most one transaction takes in, in pieces of work and in bytes.
const GROUP_MAX: usize = 512;
const GROUP_BYTES_MAX: usize = 16 << 20;

/// What the writer's work is done with.
pub(crate) struct Hand {
    pub(crate) connection: Connection,
    pub(crate) keyring: Arc<Keyring>,
    /// Groups whose key file was made in the running transaction.
    pub(crate) created_groups: Vec<i64>,
}

/// Why a piece of work has no answer.
pub(crate) struct Failure {
    pub(crate) error: StoreError,
    /// The commit itself failed, and what is on the disk could not be learnt.
    pub(crate) unknown: bool,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self { error, unknown: false }
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// The queue and the thread behind it.
pub(crate) struct Writer {
    queue: Mutex<Option<SyncSender<Request>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Request {
    job: Box<dyn Job>,
    /// Begins and commits by itself, and nothing shares its transaction.
    alone: bool,
    bytes: usize,
}

trait Job: Send {
    fn run(&mut self, hand: &mut Hand) -> Result<(), StoreError>;
    fn answer(self: Box<Self>, outcome: Result<(), Failure>);
}

struct Typed<T, W> {
    work: W,
    result: Option<T>,
    reply: SyncSender<Result<T, Failure>>,
}

impl<T: Send, W: FnMut(&mut Hand) -> Result<T, StoreError> + Send> Job for Typed<T, W> {
    fn run(&mut self, hand: &mut Hand) -> Result<(), StoreError> {
        self.result = Some((self.work)(hand)?);
        Ok(())
    }

    fn answer(mut self: Box<Self>, outcome: Result<(), Failure>) {
        let answer = outcome.and_then(|()| self.result.take().ok_or_else(|| ended().into()));
        // A caller that is gone needs no answer.
        let _ = self.reply.send(answer);
    }
}

fn ended() -> StoreError {
    StoreError::new(StoreErrorKind::Io, "the store's writer has ended; open the store again")
}

impl Writer {
    /// Starts the thread on this connection.
    pub(crate) fn start(
        access: Access,
        connection: Connection,
        keyring: Arc<Keyring>,
    ) -> Result<Self, StoreError> {
        let (queue, requests) = sync_channel(QUEUE_MAX);
        let hand = Hand { connection, keyring, created_groups: Vec::new() };
        let thread = std::thread::Builder::new()
            .name("ledger-writer".to_owned())
            .spawn(move || serve(hand, &requests, &access))
            .map_err(|error| {
                StoreError::new(StoreErrorKind::Io, "cannot start the writer").caused_by(error)
            })?;
        Ok(Self { queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)) })
    }

    /// Has `work` done in a transaction shared with whoever else waits; returns once it is durable. It may be run more
    /// than once, each time from the start of its transaction. `bytes` is about how much it writes.
    pub(crate) fn shared<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnMut(&mut Hand) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.submit(false, bytes, work)
    }

    /// Has `work` done with nothing else going on; it begins and commits by itself.
    pub(crate) fn alone<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Hand) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Failure> {
        self.submit(true, 0, work)
    }

    fn submit<T: Send + 'static>(
        &self,
        alone: bool,
        bytes: usize,
        work: impl FnMut(&mut Hand) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Failure> {
        let (reply, answer) = sync_channel(1);
        let job = Box::new(Typed { work, result: None, reply });
        let queue = self.queue.lock().clone().ok_or_else(ended)?;
        queue.send(Request { job, alone, bytes }).map_err(|_| ended())?;
        answer.recv().map_err(|_| ended())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without a sender the thread ends, after what it has taken in.
        self.queue.lock().take();
        if let Some(thread) = self.thread.lock().take() {
            let _ = thread.join();
        }
    }
}

fn serve(mut hand: Hand, requests: &Receiver<Request>, access: &Access) {
    let mut carried: Option<Request> = None;
    while let Some(first) = carried.take().or_else(|| requests.recv().ok()) {
        if first.alone {
            let mut job = first.job;
            let outcome = job.run(&mut hand);
            if outcome.is_err() {
                hand.roll_back();
            }
            job.answer(outcome.map_err(Failure::from));
            continue;
        }
        let mut bytes = first.bytes;
        let mut group = vec![first.job];
        while group.len() < GROUP_MAX && bytes < GROUP_BYTES_MAX {
            let Ok(next) = requests.try_recv() else { break };
            if next.alone {
                carried = Some(next);
                break;
            }
            bytes += next.bytes;
            group.push(next.job);
        }
        if commit_together(&mut hand, group) == Fate::Unknown {
            // What this connection believes of the file may be wrong now.
            if let Ok(fresh) = connection::open(access, true) {
                hand.connection = fresh;
            }
        }
    }
}

#[derive(PartialEq, Eq)]
enum Fate {
    Known,
    Unknown,
}

/// Runs a group in one transaction and answers everyone in it.
fn commit_together(hand: &mut Hand, mut group: Vec<Box<dyn Job>>) -> Fate {
    let mut outcomes: Vec<Result<(), StoreError>> = Vec::new();
    let run = hand.begin().and_then(|()| match group.as_mut_slice() {
        [only] => only.run(hand).map(|()| outcomes.push(Ok(()))),
        // Mostly all goes well, and then no savepoints are needed; else once more, each for itself.
        several => match several.iter_mut().try_for_each(|job| job.run(hand)) {
            Ok(()) => {
                outcomes.extend(several.iter().map(|_| Ok(())));
                Ok(())
            }
            Err(_) => {
                hand.roll_back();
                hand.begin()?;
                for job in several {
                    outcomes.push(in_savepoint(hand, job.as_mut()));
                }
                Ok(())
            }
        },
    });
    if let Err(error) = run {
        hand.roll_back();
        let (kind, message) = (error.kind(), error.to_string());
        let mut first = Some(error);
        for job in group {
            let error = first.take().unwrap_or_else(|| StoreError::new(kind, message.clone()));
            job.answer(Err(error.into()));
        }
        return Fate::Known;
    }
    match hand.commit() {
        Ok(()) => {
            for (job, outcome) in group.into_iter().zip(outcomes) {
                job.answer(outcome.map_err(Failure::from));
            }
            Fate::Known
        }
        Err(failure) => {
            let (kind, message, unknown) = (failure.error.kind(), failure.error.to_string(), failure.unknown);
            let mut first = Some(failure.error);
            for (job, outcome) in group.into_iter().zip(outcomes) {
                // Who was refused anyway is told why.
                let failure = match outcome {
                    Err(refused) => refused.into(),
                    Ok(()) => {
                        let error = first.take().unwrap_or_else(|| StoreError::new(kind, message.clone()));
                        Failure { error, unknown }
                    }
                };
                job.answer(Err(failure));
            }
            if unknown { Fate::Unknown } else { Fate::Known }
        }
    }
}

fn in_savepoint(hand: &mut Hand, job: &mut dyn Job) -> Result<(), StoreError> {
    let step = |hand: &Hand, sql: &str| {
        hand.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([])).map(drop)
    };
    step(hand, "SAVEPOINT one").map_err(|error| error::sqlite(error, "write"))?;
    let outcome = job.run(hand);
    if outcome.is_err() {
        step(hand, "ROLLBACK TO one").map_err(|error| error::sqlite(error, "write"))?;
    }
    step(hand, "RELEASE one").map_err(|error| error::sqlite(error, "write"))?;
    outcome
}

impl Hand {
    /// Begins a transaction with the write lock.
    pub(crate) fn begin(&mut self) -> Result<(), StoreError> {
        self.created_groups.clear();
        let begun = self.connection.prepare_cached("BEGIN IMMEDIATE").and_then(|mut begin| begin.execute([]));
        begun.map(drop).map_err(|error| error::sqlite(error, "write"))
    }

    /// Commits; on failure nothing is left begun.
    pub(crate) fn commit(&mut self) -> Result<(), Failure> {
        failpoint::pass(Failpoint::BeforeCommit);
        let committed = self.connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        let Err(failed) = committed else {
            failpoint::pass(Failpoint::AfterCommit);
            return Ok(());
        };
        // A failed write of the log leaves nothing that counts; a failed wait for the disk may leave everything.
        let unknown = error::kind_of(&failed) == StoreErrorKind::Io;
        if unknown {
            // What it wrote may come to count after all, and would be sealed with keys nobody has any more.
            for group in std::mem::take(&mut self.created_groups) {
                self.keyring.forget_group(group);
            }
        }
        self.roll_back();
        Err(Failure { error: error::sqlite(failed, "commit"), unknown })
    }

    /// Takes the running transaction back, and the key files it made.
    pub(crate) fn roll_back(&mut self) {
        // While the write lock is held no other process can have made a file of the same number; without it, a file
        // left over keeps its number until the store is opened, which removes it.
        let locked = !self.connection.is_autocommit();
        for group in std::mem::take(&mut self.created_groups) {
            match locked {
                true => drop(self.keyring.destroy_group(group)),
                false => self.keyring.forget_group(group),
            }
        }
        if locked {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}
