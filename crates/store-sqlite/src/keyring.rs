//! The keys: a master key wraps group keys (small files), a group key wraps data keys (in the database).
//!
//! Files can be destroyed for good; rows in a database cannot, and neither can backups. So what must be shredded
//! hangs on a file: destroying one source's key means a new group key, the surviving keys wrapped anew under it, and
//! the old file overwritten and removed.
//!
//! While the master key is being changed ([`crate::rotate`]) two of them open files, and `keys/rotation` leads from
//! either to the other. Which one wraps what is new is told by the store's secret: the one that opens it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger::id::Position;
use ledger::keys::{BlindKey, SubjectKeys};
use ledger::scope::Subject;
use ledger::store::{StoreError, StoreErrorKind};
use parking_lot::Mutex;
use rusqlite::Connection;
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
    pub(crate) master: PathBuf,
    /// The master key of before, on its way to be destroyed.
    pub(crate) retired: PathBuf,
    /// A change of the master key that is under way.
    pub(crate) rotation: PathBuf,
    groups: PathBuf,
}

impl KeyFiles {
    pub(crate) fn of(data: &Path) -> Self {
        let keys = data.join("keys");
        Self {
            master: keys.join("master.key"),
            retired: keys.join("master.key.retired"),
            rotation: keys.join("rotation"),
            groups: keys.join("groups"),
        }
    }

    pub(crate) fn group(&self, group: i64) -> PathBuf {
        self.groups.join(format!("{group}.key"))
    }

    /// Makes the directories.
    pub(crate) fn create(&self) -> Result<(), StoreError> {
        for directory in [self.master.parent(), Some(&self.groups)].into_iter().flatten() {
            files::own_directory(directory)?;
        }
        [&self.master, &self.retired, &self.rotation].into_iter().try_for_each(|file| files::own_file(file))
    }

    /// The groups that have a file, and the files that are no group's.
    pub(crate) fn list(&self) -> Result<(FxHashSet<i64>, Vec<PathBuf>), StoreError> {
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

    /// Destroys what processes that were killed left of writing `file` anew. Called with the write lock held, under which it is
    /// written.
    pub(crate) fn destroy_half_written(&self, file: &Path) -> Result<(), StoreError> {
        let (Some(directory), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str()))
        else {
            return Ok(());
        };
        let listing = fs::read_dir(directory).map_err(|error| error::file(error, directory, "list"))?;
        for item in listing {
            let path = item.map_err(|error| error::file(error, directory, "list"))?.path();
            let is_half = path.file_name().and_then(|other| other.to_str()).is_some_and(|other| {
                other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".new"))
            });
            if is_half {
                files::destroy(&path)?;
            }
        }
        Ok(())
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
    masters: Mutex<Masters>,
    secret: Zeroizing<[u8; 32]>,
    groups: Mutex<FxHashMap<i64, Arc<Seal>>>,
}

/// The master keys that may open files of this store.
struct Masters {
    /// The one that was handed in; `None` where it is read from its file.
    given: Option<Zeroizing<[u8; 32]>>,
    /// One, or two while a change is under way or was when this was read.
    ring: Vec<Arc<Seal>>,
}

/// A master key, and the key that it opened.
type Opened = (Arc<Seal>, Zeroizing<[u8; 32]>);

/// A change of the master key that is under way.
pub(crate) struct Rotation {
    /// The key from which, as it was found or drawn.
    pub(crate) old: Arc<Seal>,
    /// The key to which.
    pub(crate) new: Arc<Seal>,
    /// Whether the new key is handed in at every opening, and no file may hold it.
    pub(crate) given: bool,
}

impl Rotation {
    /// As it is written down: each key under the other, so that whoever has one has both, and nobody else any.
    fn sealed(&self, chance: &mut Chance, store: [u8; 16]) -> Vec<u8> {
        let place = Keyring::rotation_place(store);
        let mut bytes = vec![u8::from(self.given)];
        bytes.extend(self.old.seal(chance, &place, self.new.bytes()));
        bytes.extend(self.new.seal(chance, &place, self.old.bytes()));
        bytes
    }

    /// Read with either key.
    fn open(bytes: &[u8], store: [u8; 16], key: &Arc<Seal>) -> Option<Self> {
        const SEALED: usize = 60;
        let place = Keyring::rotation_place(store);
        let (given, rest) = bytes.split_first().filter(|(_, rest)| rest.len() == 2 * SEALED)?;
        let (of_old, of_new) = rest.split_at(SEALED);
        let other = |sealed| key.open_key(&place, sealed).map(|other| Arc::new(Seal::new(other)));
        let given = *given == 1;
        match (other(of_old), other(of_new)) {
            (Some(new), _) => Some(Self { old: key.clone(), new, given }),
            (None, Some(old)) => Some(Self { old, new: key.clone(), given }),
            (None, None) => None,
        }
    }
}

impl Keyring {
    /// The place of a secret that belongs to the store as a whole.
    pub(crate) fn store_place(store: [u8; 16]) -> Place {
        Place { store, subject: [0; 16], column: Column::StoreSecret, row: OWN, key: OWN }
    }

    fn rotation_place(store: [u8; 16]) -> Place {
        Place { store, subject: [0; 16], column: Column::MasterKey, row: OWN, key: OWN }
    }

    /// Opens the store's secret with the master key.
    pub(crate) fn open(
        files: KeyFiles,
        given: Option<&[u8; 32]>,
        master: Seal,
        store: [u8; 16],
        sealed: &[u8],
    ) -> Result<Self, StoreError> {
        let given = given.map(|given| Zeroizing::new(*given));
        let mut masters = Masters { given, ring: vec![Arc::new(master)] };
        add_partner(&files, store, &mut masters)?;
        // The file may have been replaced since it was read.
        let place = Self::store_place(store);
        let mut secret = opens(&masters.ring, &place, sealed).map(|(_, secret)| secret);
        if secret.is_none() && masters.given.is_none() {
            masters.ring = vec![Arc::new(files.master(None, false)?)];
            add_partner(&files, store, &mut masters)?;
            secret = opens(&masters.ring, &place, sealed).map(|(_, secret)| secret);
        }
        let secret = secret.ok_or_else(|| {
            let message = "the master key is not the one of this store; bring the right one back";
            StoreError::new(StoreErrorKind::Key, message)
        })?;
        Ok(Self { files, store, masters: Mutex::new(masters), secret, groups: Mutex::default() })
    }

    /// Where the keys are.
    pub(crate) fn files(&self) -> &KeyFiles {
        &self.files
    }

    /// Reads the master keys again: another process may have changed them.
    fn read_masters(&self) -> Result<(), StoreError> {
        let mut masters = self.masters.lock();
        let master = self.files.master(masters.given.as_deref(), false)?;
        masters.ring = vec![Arc::new(master)];
        add_partner(&self.files, self.store, &mut masters)
    }

    /// The first master key that opens `sealed`, and what it holds; the keys are read again where none does.
    fn open_with_master(&self, place: &Place, sealed: &[u8]) -> Result<Option<Opened>, StoreError> {
        let found = opens(&self.masters.lock().ring, place, sealed);
        if found.is_some() {
            return Ok(found);
        }
        self.read_masters()?;
        Ok(opens(&self.masters.lock().ring, place, sealed))
    }

    /// The master key in force: the one that opens the store's secret as `connection` sees it.
    pub(crate) fn current_master(&self, connection: &Connection) -> Result<Arc<Seal>, StoreError> {
        let sealed: Vec<u8> = connection
            .query_row("SELECT secret FROM store", [], |row| row.get(0))
            .map_err(|error| error::sqlite(error, "read a key"))?;
        let found = self.open_with_master(&Self::store_place(self.store), &sealed)?;
        found.map(|(master, _)| master).ok_or_else(|| {
            let message =
                "the master key was changed since this program was started; start it again with the new one";
            StoreError::new(StoreErrorKind::Key, message)
        })
    }

    /// The change of the master key that is under way, if there is one that these keys open.
    pub(crate) fn rotation(&self) -> Result<Option<Rotation>, StoreError> {
        let Some(bytes) = read_if_there(&self.files.rotation)? else { return Ok(None) };
        self.read_masters()?;
        let masters = self.masters.lock();
        Ok(masters.ring.iter().find_map(|key| Rotation::open(&bytes, self.store, key)))
    }

    /// Writes down that a change of the master key is under way; from here on whoever has either key has both.
    pub(crate) fn begin_rotation(&self, rotation: &Rotation) -> Result<(), StoreError> {
        let mut chance = Chance::draw()?;
        files::write_whole(&self.files.rotation, &rotation.sealed(&mut chance, self.store))?;
        self.masters.lock().ring = vec![rotation.old.clone(), rotation.new.clone()];
        Ok(())
    }

    /// Wraps a group's key under the new master key. `false` when there is nothing to wrap: its file is lost.
    pub(crate) fn rewrap_group(&self, group: i64, rotation: &Rotation) -> Result<bool, StoreError> {
        let path = self.files.group(group);
        let Some(sealed) = read_if_there(&path)? else { return Ok(false) };
        let place = self.group_place(group);
        if rotation.new.open_key(&place, &sealed).is_some() {
            return Ok(true);
        }
        let Some(key) = rotation.old.open_key(&place, &sealed) else { return Ok(false) };
        let wrapped = rotation.new.seal(&mut Chance::draw()?, &place, key.as_slice());
        files::write_whole(&path, &wrapped).map(|()| true)
    }

    /// The store's secret, sealed under a master key.
    pub(crate) fn sealed_secret(&self, master: &Seal) -> Result<Vec<u8>, StoreError> {
        let mut chance = Chance::draw()?;
        Ok(master.seal(&mut chance, &Self::store_place(self.store), self.secret.as_slice()))
    }

    /// From here on only the new key of a finished change is used.
    pub(crate) fn end_rotation(&self, rotation: &Rotation) {
        let mut masters = self.masters.lock();
        masters.given = rotation.given.then(|| Zeroizing::new(*rotation.new.bytes()));
        masters.ring = vec![rotation.new.clone()];
    }

    /// Whether the master key is handed in at every opening, rather than read from its file.
    pub(crate) fn is_given(&self) -> bool {
        self.masters.lock().given.is_some()
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

    /// What a subject's fingerprints are made with, whether there is such a subject or not.
    pub(crate) fn blind(&self, subject: &Subject) -> BlindKey {
        BlindKey::derive(&self.derive(b"blind", subject))
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
    pub(crate) fn group(&self, group: i64, connection: &Connection) -> Result<Option<Arc<Seal>>, StoreError> {
        if let Some(known) = self.groups.lock().get(&group) {
            return Ok(Some(known.clone()));
        }
        let path = self.files.group(group);
        let Some(sealed) = read_if_there(&path)? else { return Ok(None) };
        let Some((_, key)) = self.open_with_master(&self.group_place(group), &sealed)? else {
            // Is it the file, or this process's master key?
            self.current_master(connection)?;
            let message =
                format!("group key `{}` is not what was written; restore it from a backup", path.display());
            return Err(StoreError::new(StoreErrorKind::Key, message));
        };
        let key = Arc::new(Seal::new(key));
        self.groups.lock().insert(group, key.clone());
        Ok(Some(key))
    }

    /// The first number from `group` on that no group's file has.
    pub(crate) fn free_number(&self, group: i64) -> Result<i64, StoreError> {
        let (there, _) = self.files.list()?;
        Ok((group..).find(|number| !there.contains(number)).unwrap_or(group))
    }

    /// Makes the key of a new group and its file, durably. Called with the write lock held, so no other process makes
    /// the same one or changes the master key.
    pub(crate) fn create_group(
        &self,
        group: i64,
        chance: &mut Chance,
        connection: &Connection,
    ) -> Result<Arc<Seal>, StoreError> {
        let master = self.current_master(connection)?;
        let key = Arc::new(Seal::new(chance.secret()));
        let sealed = master.seal(chance, &self.group_place(group), key.bytes());
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
    pub(crate) fn reconcile(&self, known: &[i64]) -> Result<(), StoreError> {
        let (present, strays) = self.files.list()?;
        if known.iter().any(|group| !present.contains(group)) {
            return Ok(());
        }
        let known: FxHashSet<i64> = known.iter().copied().collect();
        for group in present.difference(&known) {
            files::destroy(&self.files.group(*group))?;
        }
        if !self.files.rotation.exists() {
            files::destroy(&self.files.retired)?;
            self.files.destroy_half_written(&self.files.rotation)?;
        }
        strays.iter().try_for_each(|stray| files::destroy(stray))
    }
}

/// The first key that opens `sealed`, and what it holds.
fn opens(ring: &[Arc<Seal>], place: &Place, sealed: &[u8]) -> Option<Opened> {
    ring.iter().find_map(|key| key.open_key(place, sealed).map(|opened| (key.clone(), opened)))
}

/// Where a change of the master key is under way, the other key of it.
fn add_partner(files: &KeyFiles, store: [u8; 16], masters: &mut Masters) -> Result<(), StoreError> {
    let Some(bytes) = read_if_there(&files.rotation)? else { return Ok(()) };
    if let Some(rotation) = masters.ring.iter().find_map(|key| Rotation::open(&bytes, store, key)) {
        masters.ring = vec![rotation.old, rotation.new];
    }
    Ok(())
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match files::read(path) {
        Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| error::file(error, path, "read")),
    }
}
