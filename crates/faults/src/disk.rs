//! Directories on a disk that fails: what fails, when, and what is written down.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use crate::chance::Chance;
use crate::record::{Event, Record};
use crate::vfs;

/// What a file is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Be opened, or made.
    Open,
    /// Give bytes.
    Read,
    /// Take bytes.
    Write,
    /// Become shorter.
    Truncate,
    /// Last a power cut.
    Sync,
    /// Tell its length.
    Length,
    /// Go, or take another name.
    Name,
    /// Give memory that several processes share.
    Share,
}

/// How an operation fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Any operation: the device fails.
    Device,
    /// A write, or a file that is made: the disk is full.
    NoSpace,
    /// A write: half of it is done, and then the disk is full.
    ShortWrite,
    /// What was written may or may not be on the disk, and never will be more so.
    Sync,
}

impl Fault {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Device, Self::NoSpace, Self::ShortWrite, Self::Sync];

    fn befalls(self, operation: Operation) -> bool {
        match self {
            Self::Device => true,
            Self::NoSpace => matches!(operation, Operation::Write | Operation::Share),
            Self::ShortWrite => operation == Operation::Write,
            Self::Sync => operation == Operation::Sync,
        }
    }
}

/// When operations fail. Only those that the fault can befall are counted.
#[derive(Clone, Debug)]
pub enum When {
    /// Only the one with this number, from 1.
    Nth(u64),
    /// That one and all after it.
    From(u64),
    /// Each with this chance in a thousand.
    Random(Chance, u64),
}

/// A directory whose files lie on a disk that can fail.
#[derive(Debug)]
pub struct Disk {
    directory: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    fault: Option<(Fault, When)>,
    counted: u64,
    failed: u64,
    room: Option<Room>,
    record: Option<Record>,
}

/// How much fits, and how long each file is so far.
#[derive(Debug)]
struct Room {
    bytes_max: u64,
    lengths: BTreeMap<PathBuf, u64>,
}

impl Room {
    /// Whether `path` may grow to `bytes`; if so it has.
    fn grow(&mut self, path: &Path, bytes: u64) -> bool {
        let before = self.lengths.get(path).copied().unwrap_or_default();
        let others: u64 = self.lengths.values().sum::<u64>() - before;
        if bytes > before && others + bytes > self.bytes_max {
            return false;
        }
        self.lengths.insert(path.to_owned(), bytes.max(before));
        true
    }
}

static DISKS: RwLock<Vec<Arc<Disk>>> = RwLock::new(Vec::new());

/// Keeps a directory on its disk while it lives.
#[derive(Debug)]
pub struct Over(Arc<Disk>);

impl std::ops::Deref for Over {
    type Target = Disk;

    fn deref(&self) -> &Disk {
        &self.0
    }
}

impl Drop for Over {
    fn drop(&mut self) {
        DISKS.write().retain(|disk| !Arc::ptr_eq(disk, &self.0));
    }
}

impl Disk {
    /// Puts `directory`, which is there, on a disk of its own. Files that SQLite opens from now on are on it.
    ///
    /// # Panics
    /// When the directory is not there, or SQLite takes no other file layer.
    #[must_use]
    pub fn over(directory: &Path) -> Over {
        vfs::install();
        let directory = directory.canonicalize().expect("a directory that is there");
        let disk = Arc::new(Self { directory, state: Mutex::default() });
        DISKS.write().push(disk.clone());
        Over(disk)
    }

    /// The disk `path` lies on.
    #[must_use]
    pub fn of(path: &Path) -> Option<Arc<Self>> {
        DISKS.read().iter().rev().find(|disk| path.starts_with(&disk.directory)).cloned()
    }

    /// Has operations fail from now on; counting begins anew.
    pub fn fail(&self, fault: Fault, when: When) {
        let mut state = self.state.lock();
        (state.fault, state.counted, state.failed) = (Some((fault, when)), 0, 0);
    }

    /// Lets everything succeed again; how many operations failed.
    pub fn mend(&self) -> u64 {
        let mut state = self.state.lock();
        state.fault = None;
        state.failed
    }

    /// Does `work` as if nothing failed; what it does is not counted.
    pub fn spared<T>(&self, work: impl FnOnce() -> T) -> T {
        let fault = self.state.lock().fault.take();
        let done = work();
        self.state.lock().fault = fault;
        done
    }

    /// Lets the files together grow to `bytes_max` and no further; `None` for as far as they like. What is there counts.
    ///
    /// # Panics
    /// When the directory cannot be read.
    pub fn limit(&self, bytes_max: Option<u64>) {
        let room = bytes_max.map(|bytes_max| Room { bytes_max, lengths: lengths(&self.directory) });
        self.state.lock().room = room;
    }

    /// How long the files are together, as far as they are limited.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.state.lock().room.as_ref().map_or(0, |room| room.lengths.values().sum())
    }

    /// Begins to write down. Everything that is there counts as lasting.
    ///
    /// # Panics
    /// When the directory cannot be read.
    pub fn record(&self) {
        self.state.lock().record = Some(Record::beginning_with(&self.directory));
    }

    /// Writes a mark down, such as for an answer that was given.
    pub fn mark(&self, mark: u64) {
        self.write_down(|| Event::Mark(mark));
    }

    /// Ends writing down.
    pub fn recorded(&self) -> Option<Record> {
        self.state.lock().record.take()
    }

    /// Something other than SQLite is about to do `operation` on `path`, by which `events` happen.
    ///
    /// # Errors
    /// What the operating system says on such a disk.
    pub fn step(&self, operation: Operation, path: &Path, events: Vec<Event>) -> io::Result<()> {
        let fault = self.verdict(operation);
        match fault {
            None => {}
            Some(Fault::Device) => return Err(io::Error::from_raw_os_error(EIO)),
            Some(Fault::Sync) => {
                self.write_down(|| Event::SyncFailed(path.to_owned()));
                return Err(io::Error::from_raw_os_error(EIO));
            }
            Some(Fault::NoSpace | Fault::ShortWrite) => return Err(io::Error::from_raw_os_error(ENOSPC)),
        }
        for event in events {
            match &event {
                Event::Write { bytes, offset, .. } if !self.grow(path, offset + bytes.len() as u64) => {
                    return Err(io::Error::from_raw_os_error(ENOSPC));
                }
                Event::Truncate(path, bytes) => self.shrink(path, *bytes),
                Event::Remove(path) => self.shrink(path, 0),
                Event::Rename { from, to } => self.rename(from, to),
                _ => {}
            }
            self.write_down(|| event);
        }
        Ok(())
    }

    /// Whether the next operation fails.
    pub(crate) fn verdict(&self, operation: Operation) -> Option<Fault> {
        let mut state = self.state.lock();
        let state = &mut *state;
        let (fault, when) = state.fault.as_mut()?;
        if !fault.befalls(operation) {
            return None;
        }
        state.counted += 1;
        let fails = match when {
            When::Nth(number) => state.counted == *number,
            When::From(number) => state.counted >= *number,
            When::Random(chance, per_mille) => chance.per_mille(*per_mille),
        };
        state.failed += u64::from(fails);
        fails.then_some(*fault)
    }

    /// Whether the file may become so long.
    pub(crate) fn grow(&self, path: &Path, bytes: u64) -> bool {
        let mut state = self.state.lock();
        state.room.as_mut().is_none_or(|room| room.grow(path, bytes))
    }

    pub(crate) fn shrink(&self, path: &Path, bytes: u64) {
        if let Some(room) = &mut self.state.lock().room
            && let Some(length) = room.lengths.get_mut(path)
        {
            *length = bytes.min(*length);
        }
    }

    fn rename(&self, from: &Path, to: &Path) {
        if let Some(room) = &mut self.state.lock().room
            && let Some(bytes) = room.lengths.remove(from)
        {
            room.lengths.insert(to.to_owned(), bytes);
        }
    }

    pub(crate) fn write_down(&self, event: impl FnOnce() -> Event) {
        if let Some(record) = &mut self.state.lock().record {
            record.push(event());
        }
    }
}

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

fn lengths(directory: &Path) -> BTreeMap<PathBuf, u64> {
    let mut lengths = BTreeMap::new();
    for path in crate::record::files_under(directory) {
        // A file that goes meanwhile has no length.
        let bytes = path.metadata().map_or(0, |found| found.len());
        lengths.insert(path, bytes);
    }
    lengths
}
