//! The keys: a master key wraps group keys (small files), a group key wraps data keys (in the database).
//!
//! Files can be destroyed for good; rows in a database cannot, and neither can backups. So what must be shredded
//! hangs on a file: destroying one source's key means a new group key, the surviving keys wrapped anew under it, and
//! the old file overwritten and removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger::id::Position;
use ledger::keys::SubjectKeys;
use ledger::scope::Subject;
use ledger::store::{StoreError, StoreErrorKind};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use zeroize::Zeroizing;

use crate::chance::Chance;
use crate::seal::{Column, Place, Seal};
use crate::{error, files};

/// The most data keys one group key wraps.
pub(crate) const GROUP_KEYS_MAX: i64 = 1_000;

/// The position that stands for a subject's own data key; no source has it.
pub(crate) const OWN: Position = Position::new(0, 0);

/// Where the keys are kept.
pub(crate) struct KeyFiles {
    master: PathBuf,
    groups: PathBuf,
}

impl KeyFiles {
    pub(crate) fn of(data: &Path) -> Self {
        let keys = data.join("keys");
        Self { master: keys.join("master.key"), groups: keys.join("groups") }
    }

    fn group(&self, group: i64) -> PathBuf {
        self.groups.join(format!("{group}.key"))
    }

    /// Makes the directories.
    pub(crate) fn create(&self) -> Result<(), StoreError> {
        for directory in [self.master.parent(), Some(&self.groups)].into_iter().flatten() {
            files::own_directory(directory)?;
        }
        files::own_file(&self.master)
    }

    /// The groups that have a file, and the files that are no group's.
    fn list(&self) -> Result<(FxHashSet<i64>, Vec<PathBuf>), StoreError> {
        let mut groups = FxHashSet::default();
        let mut strays = Vec::new();
        let listing = match fs::read_dir(&self.groups) {
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok((groups, strays)),
            other => other.map_err(|error| error::file(error, &self.groups, "list"))?,
        };
        for item in listing {
            let path = item.map_err(|error| error::file(error, &self.groups, "list"))?.path();
            let number =
                path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".key"));
            files::own_file(&path)?;
            match number.and_then(|number| number.parse().ok()) {
                Some(group) => drop(groups.insert(group)),
                None => strays.push(path),
            }
        }
        Ok((groups, strays))
    }

    /// Whether any group key was ever written here.
    pub(crate) fn any_group(&self) -> Result<bool, StoreError> {
        self.list().map(|(groups, _)| !groups.is_empty())
    }

    /// The master key: the one given, else the one on disk. `create` makes one when there is none.
    pub(crate) fn master(&self, given: Option<&[u8; 32]>, create: bool) -> Result<Seal, StoreError> {
        if let Some(given) = given {
            return Ok(Seal::new(Zeroizing::new(*given)));
        }
        let path = self.master.display();
        if create {
            if !self.master.exists() {
                files::write_once(&self.master, Chance::draw()?.secret().as_slice())?;
            }
            // Also where it is there already: whoever made it may have ended before its name was sure to last.
            files::sync_parent(&self.master)?;
        }
        let read = match files::read(&self.master) {
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => {
                let message = format!(
                    "master key `{path}` is missing: nothing in this store can be read; bring it back"
                );
                return Err(StoreError::new(StoreErrorKind::Key, message));
            }
            read => Zeroizing::new(read.map_err(|error| error::file(error, &self.master, "read"))?),
        };
        let bytes: [u8; 32] = read.as_slice().try_into().map_err(|_| {
            let message = format!(
                "master key `{path}` has {} bytes instead of 32; bring the right one back",
                read.len()
            );
            StoreError::new(StoreErrorKind::Key, message)
        })?;
        Ok(Seal::new(Zeroizing::new(bytes)))
    }
}

/// The keys of one open store.
pub(crate) struct Keyring {
    files: KeyFiles,
    store: [u8; 16],
    master: Seal,
    secret: Zeroizing<[u8; 32]>,
    groups: Mutex<FxHashMap<i64, Arc<Seal>>>,
}

impl Keyring {
    /// The place of a secret that belongs to the store as a whole.
    pub(crate) fn store_place(store: [u8; 16]) -> Place {
        Place { store, subject: [0; 16], column: Column::StoreSecret, row: OWN, key: OWN }
    }

    /// Opens the store's secret with the master key.
    pub(crate) fn open(
        files: KeyFiles,
        master: Seal,
        store: [u8; 16],
        sealed: &[u8],
    ) -> Result<Self, StoreError> {
        let secret = master.open_key(&Self::store_place(store), sealed).ok_or_else(|| {
            let message = "the master key is not the one this store was made with; bring the right one back";
            StoreError::new(StoreErrorKind::Key, message)
        })?;
        Ok(Self { files, store, master, secret, groups: Mutex::default() })
    }

    /// The key of what belongs to the store as a whole and to no subject.
    pub(crate) fn own_seal(&self) -> Seal {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        // `derive` begins with the length of a purpose that is not empty, so no subject's key is made of this.
        hasher.update(&[0]);
        hasher.update(b"own");
        Seal::new(Zeroizing::new(*hasher.finalize().as_bytes()))
    }

    /// The place of the words of an act on the policy.
    pub(crate) fn policy_place(&self, row: Position) -> Place {
        Place { store: self.store, subject: [0; 16], column: Column::PolicyActWords, row, key: OWN }
    }

    /// The store's random id.
    pub(crate) fn store(&self) -> [u8; 16] {
        self.store
    }

    /// The keyed mark a subject is found by.
    pub(crate) fn mark(&self, subject: &Subject) -> [u8; 16] {
        let mut short = [0; 16];
        short.copy_from_slice(&self.derive(b"mark", subject)[..16]);
        short
    }

    /// The keys of a subject with this seed.
    pub(crate) fn subject_keys(&self, subject: &Subject, seed: &[u8; 32]) -> SubjectKeys {
        SubjectKeys::derive(seed, &self.derive(b"blind", subject))
    }

    fn derive(&self, purpose: &[u8], subject: &Subject) -> Zeroizing<[u8; 32]> {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        hasher.update(&[purpose.len() as u8]);
        hasher.update(purpose);
        hasher.update(subject.as_str().as_bytes());
        Zeroizing::new(*hasher.finalize().as_bytes())
    }

    fn group_place(&self, group: i64) -> Place {
        let row = Position::new(group as u64, 0);
        Place { store: self.store, subject: [0; 16], column: Column::GroupKey, row, key: OWN }
    }

    fn wrap_place(&self, uid: [u8; 16], owner: Position, group: i64) -> Place {
        let row = Position::new(group as u64, 0);
        Place { store: self.store, subject: uid, column: Column::DataKey, row, key: owner }
    }

    /// The key of a group. `None` when its file is gone.
    pub(crate) fn group(&self, group: i64) -> Result<Option<Arc<Seal>>, StoreError> {
        if let Some(known) = self.groups.lock().get(&group) {
            return Ok(Some(known.clone()));
        }
        let path = self.files.group(group);
        let sealed = match files::read(&path) {
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| error::file(error, &path, "read"))?,
        };
        let key = self.master.open_key(&self.group_place(group), &sealed).ok_or_else(|| {
            let message =
                format!("group key `{}` is not what was written; restore it from a backup", path.display());
            StoreError::new(StoreErrorKind::Key, message)
        })?;
        let key = Arc::new(Seal::new(key));
        self.groups.lock().insert(group, key.clone());
        Ok(Some(key))
    }

    /// Makes the key of a new group and its file, durably. Called with the write lock held, so no other process makes
    /// the same one; a file of that name is left over from a crash.
    pub(crate) fn create_group(&self, group: i64, chance: &mut Chance) -> Result<Arc<Seal>, StoreError> {
        let key = Arc::new(Seal::new(chance.secret()));
        let sealed = self.master.seal(chance, &self.group_place(group), key.bytes());
        files::write_whole(&self.files.group(group), &sealed)?;
        self.groups.lock().insert(group, key.clone());
        Ok(key)
    }

    /// Lets go of a group's key in memory, so that it is read from its file again.
    pub(crate) fn forget_group(&self, group: i64) {
        self.groups.lock().remove(&group);
    }

    /// Destroys a group's key for good.
    pub(crate) fn destroy_group(&self, group: i64) -> Result<(), StoreError> {
        self.groups.lock().remove(&group);
        files::destroy(&self.files.group(group))
    }

    /// Wraps a data key under a group's key.
    pub(crate) fn wrap(
        &self,
        chance: &mut Chance,
        group: (i64, &Seal),
        uid: [u8; 16],
        owner: Position,
        key: &[u8; 32],
    ) -> Vec<u8> {
        group.1.seal(chance, &self.wrap_place(uid, owner, group.0), key)
    }

    /// Unwraps a data key.
    pub(crate) fn unwrap(
        &self,
        group: (i64, &Seal),
        uid: [u8; 16],
        owner: Position,
        wrapped: &[u8],
    ) -> Option<Zeroizing<[u8; 32]>> {
        group.1.open_key(&self.wrap_place(uid, owner, group.0), wrapped)
    }

    /// Brings the files in line with the groups the database knows. Called with the write lock held.
    ///
    /// A file no group refers to is left over from a crash around a shredding and is destroyed, unless a known group
    /// has none: then database and keys are of different dates, and nothing is touched.
    pub(crate) fn reconcile(&self, known: &[(i64, i64)]) -> Result<(), StoreError> {
        let (present, strays) = self.files.list()?;
        let missing: Vec<&(i64, i64)> = known.iter().filter(|(group, _)| !present.contains(group)).collect();
        if let Some((group, _)) = missing.first() {
            let keys: i64 = missing.iter().map(|(_, keys)| keys).sum();
            let message = format!(
                "group key `{}` is missing ({} in all): the words of {keys} sources and subjects cannot be read; bring it back",
                self.files.group(*group).display(),
                missing.len(),
            );
            return Err(StoreError::new(StoreErrorKind::Key, message));
        }
        let known: FxHashSet<i64> = known.iter().map(|(group, _)| *group).collect();
        for group in present.difference(&known) {
            files::destroy(&self.files.group(*group))?;
        }
        strays.iter().try_for_each(|stray| files::destroy(stray))
    }
}
