//! What happened to the files of a directory, in order, and what a power cut at any instant leaves of them.
//!
//! The model is the one databases are built for. What was written and not synced may be there, or not, each write for itself
//! and each sector of 512 bytes for itself. What was synced lasts. After a sync that failed, nothing makes sure of what
//! was written before it: a later sync that succeeds may have lost it. Names (files made, renamed, removed) last once their
//! directory was synced; before, a first part of them lasts, in order, as a file system's journal keeps them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::chance::Chance;

/// The most bytes a disk writes whole or not at all.
const SECTOR: usize = 512;

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A new and empty file.
    Make(PathBuf),
    /// Bytes put at a place of a file, which is made if it is not there.
    Write {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// A file cut, or lengthened with zeros, to so many bytes.
    Truncate(PathBuf, u64),
    /// All that was written to a file lasts, but for what a failed sync left in doubt.
    Sync(PathBuf),
    /// A sync that failed.
    SyncFailed(PathBuf),
    /// A name removed.
    Remove(PathBuf),
    /// A name changed; a file of the new name is replaced.
    Rename {
        /// The name before.
        from: PathBuf,
        /// The name after.
        to: PathBuf,
    },
    /// A second name for a file.
    Link {
        /// The name before.
        from: PathBuf,
        /// One more.
        to: PathBuf,
    },
    /// Every change to the names in a directory lasts.
    SyncDirectory(PathBuf),
    /// Somebody's mark.
    Mark(u64),
}

impl Event {
    /// The file it is about, where it is about one.
    fn file(&self) -> Option<&Path> {
        match self {
            Self::Make(path)
            | Self::Write { path, .. }
            | Self::Truncate(path, _)
            | Self::Sync(path)
            | Self::SyncFailed(path)
            | Self::Remove(path)
            | Self::Rename { from: path, .. }
            | Self::Link { from: path, .. } => Some(path),
            Self::SyncDirectory(_) | Self::Mark(_) => None,
        }
    }
}

/// What a directory was, and what happened since.
#[derive(Clone, Debug)]
pub struct Record {
    directory: PathBuf,
    beginning: Vec<(PathBuf, Vec<u8>)>,
    events: Vec<Event>,
}

impl Record {
    pub(crate) fn beginning_with(directory: &Path) -> Self {
        let files = files_under(directory).into_iter().filter(|path| lasts(path));
        let beginning = files.map(|path| {
            let bytes = fs::read(&path).expect("a file that is there");
            (path, bytes)
        });
        Self { directory: directory.to_owned(), beginning: beginning.collect(), events: Vec::new() }
    }

    pub(crate) fn push(&mut self, event: Event) {
        if event.file().is_none_or(lasts) {
            self.events.push(event);
        }
    }

    /// What happened.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The marks among the first `cut` events.
    pub fn marks(&self, cut: usize) -> impl Iterator<Item = u64> + '_ {
        self.events.iter().take(cut).filter_map(|event| match event {
            Event::Mark(mark) => Some(*mark),
            _ => None,
        })
    }

    /// Lays out in `target`, an empty directory, what a power cut after the first `cut` events may leave. Which of the
    /// possible states it is, `seed` decides.
    ///
    /// # Panics
    /// When `target` cannot be written.
    pub fn power_cut(&self, cut: usize, seed: u64, target: &Path) {
        let mut chance = Chance::of(seed);
        let mut model = Model::default();
        for (path, bytes) in &self.beginning {
            model.files.push(File { lasting: bytes.clone(), ..File::default() });
            model.lasting.insert(path.clone(), model.files.len() - 1);
        }
        model.names = model.lasting.clone();
        for event in self.events.iter().take(cut) {
            model.apply(event, &mut chance);
        }
        for (path, bytes) in model.cut(&mut chance) {
            let inside = path.strip_prefix(&self.directory).expect("a file of the directory");
            let place = target.join(inside);
            fs::create_dir_all(place.parent().expect("a directory")).expect("made");
            #[allow(clippy::disallowed_methods, reason = "a copy for a proof, in a directory of its own")]
            fs::write(&place, bytes).expect("written");
        }
    }
}

/// Shared memory is made anew by whoever opens the database first; the ballast's content means nothing.
fn lasts(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.ends_with("-shm") && !name.starts_with("ballast")
}

pub(crate) fn files_under(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for item in fs::read_dir(&directory).expect("a directory that is there") {
            let path = item.expect("an entry").path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort_unstable();
    files
}

#[derive(Default)]
struct File {
    lasting: Vec<u8>,
    pending: Vec<Pending>,
}

struct Pending {
    change: Change,
    /// A failed sync came after it: what becomes of it nobody knows.
    doubtful: bool,
}

#[derive(Clone)]
enum Change {
    Write(u64, Vec<u8>),
    Truncate(u64),
}

#[derive(Clone)]
enum Naming {
    Put(PathBuf, usize),
    Take(PathBuf),
}

#[derive(Default)]
struct Model {
    files: Vec<File>,
    names: BTreeMap<PathBuf, usize>,
    lasting: BTreeMap<PathBuf, usize>,
    /// Changes of names that do not last yet, in order.
    pending: Vec<Naming>,
}

impl Model {
    fn apply(&mut self, event: &Event, chance: &mut Chance) {
        match event {
            Event::Make(path) => drop(self.file(path)),
            Event::Write { path, offset, bytes } => {
                self.change(path, Change::Write(*offset, bytes.clone()));
            }
            Event::Truncate(path, bytes) => self.change(path, Change::Truncate(*bytes)),
            Event::Sync(path) => self.sync(path, chance),
            Event::SyncFailed(path) => {
                if let Some(file) = self.names.get(path) {
                    self.files[*file].pending.iter_mut().for_each(|pending| pending.doubtful = true);
                }
            }
            Event::Remove(path) => {
                self.names.remove(path);
                self.pending.push(Naming::Take(path.clone()));
            }
            Event::Rename { from, to } => {
                if let Some(file) = self.names.remove(from) {
                    self.names.insert(to.clone(), file);
                    // One step: there is no instant without a file of the new name.
                    self.pending.push(Naming::Put(to.clone(), file));
                    self.pending.push(Naming::Take(from.clone()));
                }
            }
            Event::Link { from, to } => {
                if let Some(file) = self.names.get(from).copied() {
                    self.names.entry(to.clone()).or_insert(file);
                    self.pending.push(Naming::Put(to.clone(), file));
                }
            }
            Event::SyncDirectory(directory) => self.keep_names(directory),
            Event::Mark(_) => {}
        }
    }

    fn file(&mut self, path: &Path) -> usize {
        if let Some(file) = self.names.get(path) {
            return *file;
        }
        self.files.push(File::default());
        let file = self.files.len() - 1;
        self.names.insert(path.to_owned(), file);
        self.pending.push(Naming::Put(path.to_owned(), file));
        file
    }

    fn change(&mut self, path: &Path, change: Change) {
        let file = self.file(path);
        self.files[file].pending.push(Pending { change, doubtful: false });
    }

    fn sync(&mut self, path: &Path, chance: &mut Chance) {
        let Some(file) = self.names.get(path) else { return };
        let file = &mut self.files[*file];
        for pending in std::mem::take(&mut file.pending) {
            if !pending.doubtful || chance.per_mille(500) {
                apply(&mut file.lasting, &pending.change);
            }
        }
    }

    /// Makes the changes to the names in `directory` last.
    fn keep_names(&mut self, directory: &Path) {
        let mut rest = Vec::new();
        for naming in std::mem::take(&mut self.pending) {
            let (Naming::Put(name, _) | Naming::Take(name)) = &naming;
            match name.parent() == Some(directory) {
                true => name_lastingly(&mut self.lasting, naming),
                false => rest.push(naming),
            }
        }
        self.pending = rest;
    }

    /// The files that are left, with what is in them.
    fn cut(mut self, chance: &mut Chance) -> Vec<(PathBuf, Vec<u8>)> {
        let kept = chance.below(self.pending.len() as u64 + 1) as usize;
        for naming in self.pending.drain(..).take(kept) {
            name_lastingly(&mut self.lasting, naming);
        }
        let there: BTreeSet<usize> = self.lasting.values().copied().collect();
        for number in there {
            let file = &mut self.files[number];
            let pending = std::mem::take(&mut file.pending);
            let whole = chance.below(pending.len() as u64 + 1) as usize;
            let manner = chance.below(4);
            for (place, Pending { change, .. }) in pending.into_iter().enumerate() {
                match manner {
                    // Nothing; a first part; any; any, torn.
                    0 => {}
                    1 if place < whole => apply(&mut file.lasting, &change),
                    2 if chance.per_mille(500) => apply(&mut file.lasting, &change),
                    3 => tear(&mut file.lasting, &change, chance),
                    _ => {}
                }
            }
        }
        let left = self.lasting.iter().map(|(path, file)| (path.clone(), self.files[*file].lasting.clone()));
        left.collect()
    }
}

fn name_lastingly(names: &mut BTreeMap<PathBuf, usize>, naming: Naming) {
    match naming {
        Naming::Put(name, file) => drop(names.insert(name, file)),
        Naming::Take(name) => drop(names.remove(&name)),
    }
}

fn apply(content: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Truncate(bytes) => content.resize(*bytes as usize, 0),
        Change::Write(offset, bytes) => {
            let (first, end) = (*offset as usize, *offset as usize + bytes.len());
            if content.len() < end {
                content.resize(end, 0);
            }
            content[first..end].copy_from_slice(bytes);
        }
    }
}

/// Applies some of the sectors of a change.
fn tear(content: &mut Vec<u8>, change: &Change, chance: &mut Chance) {
    let Change::Write(offset, bytes) = change else {
        if chance.per_mille(500) {
            apply(content, change);
        }
        return;
    };
    let mut first = 0;
    while first < bytes.len() {
        let place = *offset as usize + first;
        let end = bytes.len().min(first + SECTOR - place % SECTOR);
        if chance.per_mille(500) {
            apply(content, &Change::Write(place as u64, bytes[first..end].to_vec()));
        }
        first = end;
    }
}
