//! The book of keys: which API keys there are, what each may do, until when.
//!
//! It is one JSON file, its owner's alone, written beside and put in place. A key stands there by its hash; whose memory it is for
//! is sealed with the key itself, so that neither keys nor names can be read from the file. It is marked, so that a flipped bit
//! makes no key last longer or open more: a book that is damaged lets nobody in. Several processes may use one book:
//! it is read again when it changed.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use aes_gcm_siv::aead::{Aead, KeyInit, Payload};
use aes_gcm_siv::{Aes256GcmSiv, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ledger::marked;
use ledger::scope::Subject;
use ledger::time::{Instant, Moment, TimeError, Zone};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::key::{ApiKey, KeyHash};
use super::{Caller, Right, Rights, Subjects};

/// The longest book that is read, in bytes.
const BOOK_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Keys in a book, at most.
pub const KEYS_MAX: usize = 10_000;

/// The longest name of a key, in bytes.
pub const NAME_BYTES_MAX: usize = 200;

/// A book of keys in a file.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    read: Mutex<Option<(Mark, Vec<Entry>)>>,
}

/// By what a changed file is known: where it lies, how long it is, and when it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mark {
    inode: u64,
    bytes: u64,
    written: (i64, i64),
}

/// A key as the book has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    name: String,
    hint: String,
    hash: String,
    scopes: Vec<Right>,
    /// A list of names under the key itself; `null` where it is for every subject.
    subjects: Option<String>,
    created: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    keys: Vec<Entry>,
}

/// A key as it is told: nothing by which it could be used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct KeyTold {
    /// Its id, by which it is revoked.
    pub id: String,
    /// What its holder is called on receipts and decisions.
    pub name: String,
    /// How the key begins.
    pub hint: String,
    /// What it allows.
    pub scopes: Vec<Right>,
    /// Whether it is for every subject; the names of others can only be read with the key.
    pub all_subjects: bool,
    /// Since when it is valid.
    pub created: String,
    /// The first instant at which it is not; for ever, when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// What a new key is for.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// What its holder is called on receipts and decisions.
    pub name: String,
    /// What it allows.
    pub rights: Rights,
    /// Whose memory it is for.
    pub subjects: Subjects,
    /// The first instant at which it is not valid.
    pub expires: Option<Instant>,
}

/// Why a book could not be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file could not be read or written.
    #[error("cannot use the book of keys `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is not a book.
    #[error("`{}` is no book of keys: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// What a new key is for cannot be.
    #[error("{0}")]
    Input(String),
}

impl Book {
    /// The book in this file, which is made when the first key is.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Mutex::default() }
    }

    /// Who holds this key now; `None` for a key that is not in the book, or is no longer valid.
    ///
    /// # Errors
    /// [`BookError`] where the book cannot be read: then nobody can be let in by it.
    pub fn caller(&self, key: &ApiKey, now: Instant) -> Result<Option<Caller>, BookError> {
        let hash = key.hash();
        let entry = self.entries(|entries| {
            // Every entry is looked at, so that the time does not tell where one stands.
            entries.iter().fold(None, |found, entry| {
                let is = KeyHash::from_hex(&entry.hash).is_some_and(|other| other.is(hash));
                if is { Some(entry.clone()) } else { found }
            })
        })?;
        let Some(entry) = entry else { return Ok(None) };
        let expires = entry.expires.as_deref().map(instant).transpose();
        let expires = expires.map_err(|error| self.damaged(format!("key `{}`: {error}", entry.id)))?;
        if expires.is_some_and(|expires| expires <= now) {
            return Ok(None);
        }
        let subjects = match &entry.subjects {
            None => Subjects::All,
            Some(sealed) => Subjects::Only(unseal(key, &entry.id, sealed).ok_or_else(|| {
                self.damaged(format!("key `{}`: its subjects cannot be unsealed", entry.id))
            })?),
        };
        Ok(Some(Caller::new(&entry.name, Rights::of(&entry.scopes), subjects).with_key(&entry.id)))
    }

    /// The key of this id, if it is in the book and valid now.
    ///
    /// # Errors
    /// [`BookError`] where the book cannot be read.
    pub fn standing(&self, id: &str, now: Instant) -> Result<Option<KeyTold>, BookError> {
        let found = self.entries(|entries| entries.iter().find(|entry| entry.id == id).map(Entry::told))?;
        let Some(told) = found else { return Ok(None) };
        let expires = told.expires.as_deref().map(instant).transpose();
        let expires = expires.map_err(|error| self.damaged(format!("key `{}`: {error}", told.id)))?;
        Ok(expires.is_none_or(|expires| now < expires).then_some(told))
    }

    /// Every key, in the order they were made.
    ///
    /// # Errors
    /// [`BookError`].
    pub fn list(&self) -> Result<Vec<KeyTold>, BookError> {
        self.entries(|entries| entries.iter().map(Entry::told).collect())
    }

    /// Makes a key of 32 random bytes for its id and secret, and puts it into the book.
    ///
    /// # Errors
    /// [`BookError`]; then there is no new key.
    pub fn create(
        &self,
        new: &NewKey,
        random: &Random,
        now: Instant,
    ) -> Result<(ApiKey, KeyTold), BookError> {
        if new.name.trim().is_empty()
            || new.name.len() > NAME_BYTES_MAX
            || new.name.chars().any(char::is_control)
        {
            let bytes = new.name.len();
            return Err(BookError::Input(format!(
                "name of {bytes} bytes; 1 to {NAME_BYTES_MAX} without control characters are allowed"
            )));
        }
        if new.rights == Rights::default() {
            return Err(BookError::Input("a key without any scope opens nothing".to_owned()));
        }
        if matches!(&new.subjects, Subjects::Only(subjects) if subjects.is_empty() || subjects.len() > 1_000)
        {
            return Err(BookError::Input("a key is for 1 to 1000 subjects, or for all".to_owned()));
        }
        if new.expires.is_some_and(|expires| expires <= now) {
            return Err(BookError::Input("a key that expires in the past opens nothing".to_owned()));
        }
        let key = ApiKey::from_bytes(random.secret);
        let id = format!("key_{}", URL_SAFE_NO_PAD.encode(random.id));
        let subjects = match &new.subjects {
            Subjects::All => None,
            Subjects::Only(subjects) => Some(seal(&key, &id, subjects)),
        };
        let entry = Entry {
            id,
            name: new.name.trim().to_owned(),
            hint: key.hint(),
            hash: key.hash().to_hex(),
            scopes: new.rights.iter().collect(),
            subjects,
            created: now.to_string(),
            expires: new.expires.map(|expires| expires.to_string()),
        };
        let told = entry.told();
        self.change(|entries| {
            if entries.len() >= KEYS_MAX {
                return Err(BookError::Input(format!("the book has {KEYS_MAX} keys; revoke some first")));
            }
            entries.push(entry);
            Ok(())
        })?;
        Ok((key, told))
    }

    /// Takes a key out of the book; whether it was there.
    ///
    /// # Errors
    /// [`BookError`].
    pub fn revoke(&self, id: &str) -> Result<bool, BookError> {
        self.change(|entries| {
            let before = entries.len();
            entries.retain(|entry| entry.id != id);
            Ok(entries.len() < before)
        })
    }

    fn entries<T>(&self, look: impl FnOnce(&[Entry]) -> T) -> Result<T, BookError> {
        let mut read = self.read.lock();
        let mark = match fs::metadata(&self.path) {
            Ok(there) => Some(Mark {
                inode: there.ino(),
                bytes: there.len(),
                written: (there.mtime(), there.mtime_nsec()),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(self.failed(error)),
        };
        match (mark, &*read) {
            (None, _) => *read = None,
            (Some(mark), Some((before, _))) if *before == mark => {}
            (Some(mark), _) => *read = Some((mark, self.read_file()?)),
        }
        Ok(look(read.as_ref().map_or(&[], |(_, entries)| entries)))
    }

    fn read_file(&self) -> Result<Vec<Entry>, BookError> {
        let mut text = Vec::new();
        let file = match fs::File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(|error| self.failed(error))?,
        };
        file.take(BOOK_BYTES_MAX).read_to_end(&mut text).map_err(|error| self.failed(error))?;
        let written: Written = match marked::read(&text) {
            Ok(written) => written,
            // The first books had no mark.
            Err(damage) => serde_json::from_slice(&text).map_err(|_| self.damaged(damage.to_string()))?,
        };
        Ok(written.keys)
    }

    /// Changes the book while no other process does.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Vec<Entry>) -> Result<T, BookError>,
    ) -> Result<T, BookError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let failed = |error: io::Error| self.failed(error);
        let held = fs::File::open(folder).map_err(failed)?;
        rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|error| failed(error.into()))?;
        let mut entries = self.read_file()?;
        let changed = change(&mut entries)?;
        let mut file = tempfile::Builder::new().prefix(".access").tempfile_in(folder).map_err(failed)?;
        let text = marked::write(&Written { keys: entries }).map_err(io::Error::other).map_err(failed)?;
        file.write_all(&text).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        held.sync_all().map_err(failed)?;
        Ok(changed)
    }

    fn failed(&self, source: io::Error) -> BookError {
        BookError::File { path: self.path.clone(), source }
    }

    fn damaged(&self, what: String) -> BookError {
        BookError::Damaged { path: self.path.clone(), what }
    }
}

/// The random bytes a new key is made of.
#[derive(Clone)]
pub struct Random {
    /// Of its id.
    pub id: [u8; 9],
    /// Of the key itself.
    pub secret: [u8; 32],
}

impl Random {
    /// From the operating system.
    ///
    /// # Errors
    /// Where that gives none.
    #[allow(clippy::disallowed_methods, reason = "a key is drawn, not worked out")]
    pub fn draw() -> io::Result<Self> {
        let mut random = Self { id: [0; 9], secret: [0; 32] };
        getrandom::fill(&mut random.id).map_err(io::Error::other)?;
        getrandom::fill(&mut random.secret).map_err(io::Error::other)?;
        Ok(random)
    }
}

impl Entry {
    fn told(&self) -> KeyTold {
        KeyTold {
            id: self.id.clone(),
            name: self.name.clone(),
            hint: self.hint.clone(),
            scopes: self.scopes.clone(),
            all_subjects: self.subjects.is_none(),
            created: self.created.clone(),
            expires: self.expires.clone(),
        }
    }
}

fn instant(written: &str) -> Result<Instant, TimeError> {
    Moment::parse_in(written, &Zone::utc()).map(|moment| moment.instant)
}

/// Under a key that seals nothing else, one nonce will do.
fn cipher(key: &ApiKey) -> (Aes256GcmSiv, Nonce) {
    (Aes256GcmSiv::new((&*key.sealing_key()).into()), Nonce::default())
}

fn seal(key: &ApiKey, id: &str, subjects: &[Subject]) -> String {
    let names: Vec<&str> = subjects.iter().map(Subject::as_str).collect();
    let plain = serde_json::to_vec(&names).unwrap_or_default();
    let (cipher, nonce) = cipher(key);
    let sealed = cipher.encrypt(&nonce, Payload { msg: &plain, aad: id.as_bytes() }).unwrap_or_default();
    URL_SAFE_NO_PAD.encode(sealed)
}

fn unseal(key: &ApiKey, id: &str, sealed: &str) -> Option<Vec<Subject>> {
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (cipher, nonce) = cipher(key);
    let plain = cipher.decrypt(&nonce, Payload { msg: &sealed, aad: id.as_bytes() }).ok()?;
    let names: Vec<String> = serde_json::from_slice(&plain).ok()?;
    names.iter().map(|name| Subject::parse(name).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: u8) -> Random {
        Random { id: [seed; 9], secret: [seed; 32] }
    }

    fn at(text: &str) -> Instant {
        instant(text).expect("an instant")
    }

    fn new(subjects: Subjects) -> NewKey {
        NewKey { name: "laptop".to_owned(), rights: Rights::of(&[Right::Read]), subjects, expires: None }
    }

    #[test]
    fn a_key_opens_what_it_is_for_until_it_is_revoked() {
        let place = tempfile::tempdir().expect("a place");
        let path = place.path().join("access.json");
        let book = Book::at(&path);
        let now = at("2026-11-30T12:00:00Z");
        assert!(book.caller(&ApiKey::from_bytes([1; 32]), now).expect("read").is_none());
        let ana = Subject::parse("Ana Anić").expect("a name");
        let (key, told) =
            book.create(&new(Subjects::Only(vec![ana.clone()])), &random(1), now).expect("made");
        let caller = book.caller(&key, now).expect("read").expect("known");
        assert_eq!(caller.scope(None).expect("a scope").subject(), &ana);
        assert!(caller.may(Right::Read) && !caller.may(Right::Write));
        let text = fs::read_to_string(&path).expect("a book");
        assert!(!text.contains("Ana") && !text.contains(&**key.reveal()), "{text}");
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o600);
        // Another process sees what this one did.
        let other = Book::at(&path);
        assert!(other.caller(&key, now).expect("read").is_some());
        assert!(book.revoke(&told.id).expect("revoked"));
        assert!(!book.revoke(&told.id).expect("gone already"));
        assert!(other.caller(&key, now).expect("read").is_none());
    }

    #[test]
    fn a_key_ends_when_it_expires() {
        let place = tempfile::tempdir().expect("a place");
        let book = Book::at(place.path().join("access.json"));
        let (now, then) = (at("2026-11-30T12:00:00Z"), at("2026-12-01T00:00:00Z"));
        let short = NewKey { expires: Some(then), ..new(Subjects::All) };
        let (key, _) = book.create(&short, &random(2), now).expect("made");
        assert!(book.caller(&key, now).expect("read").is_some());
        assert!(book.caller(&key, then).expect("read").is_none());
        let id = book.list().expect("read").remove(0).id;
        assert!(book.standing(&id, now).expect("read").is_some());
        assert!(book.standing(&id, then).expect("read").is_none());
        assert!(book.standing("key_other", now).expect("read").is_none());
        assert!(matches!(book.create(&short, &random(3), then), Err(BookError::Input(_))));
    }

    #[test]
    fn a_book_that_is_none_lets_nobody_in_and_is_not_written_over() {
        let place = tempfile::tempdir().expect("a place");
        let path = place.path().join("access.json");
        let mut file =
            fs::OpenOptions::new().create(true).write(true).truncate(true).open(&path).expect("a file");
        file.write_all(b"{\"keys\": [{\"id\": 3}]}").expect("written");
        let book = Book::at(&path);
        let now = at("2026-11-30T12:00:00Z");
        assert!(matches!(book.caller(&ApiKey::from_bytes([1; 32]), now), Err(BookError::Damaged { .. })));
        assert!(matches!(book.create(&new(Subjects::All), &random(1), now), Err(BookError::Damaged { .. })));
        assert_eq!(fs::read(&path).expect("there"), b"{\"keys\": [{\"id\": 3}]}");
    }

    #[test]
    fn a_book_without_a_mark_is_read_and_gets_one() {
        let place = tempfile::tempdir().expect("a place");
        let path = place.path().join("access.json");
        let book = Book::at(&path);
        let now = at("2026-11-30T12:00:00Z");
        let (key, _) = book.create(&new(Subjects::All), &random(1), now).expect("made");
        let written: Written = marked::read(&fs::read(&path).expect("a book")).expect("marked");
        let mut file = fs::OpenOptions::new().write(true).truncate(true).open(&path).expect("a file");
        file.write_all(&serde_json::to_vec_pretty(&written).expect("written")).expect("written");
        let earlier = Book::at(&path);
        assert!(earlier.caller(&key, now).expect("read").is_some());
        earlier.create(&new(Subjects::All), &random(2), now).expect("made");
        let written: Written = marked::read(&fs::read(&path).expect("a book")).expect("marked");
        assert_eq!(written.keys.len(), 2);
    }

    #[test]
    fn a_bit_that_flips_in_a_book_opens_nothing() {
        let place = tempfile::tempdir().expect("a place");
        let path = place.path().join("access.json");
        let now = at("2026-11-30T12:00:00Z");
        let (short, ana) = (at("2026-12-01T00:00:00Z"), Subject::parse("Ana").expect("a name"));
        let book = Book::at(&path);
        book.create(&NewKey { expires: Some(short), ..new(Subjects::All) }, &random(1), now).expect("made");
        book.create(&new(Subjects::Only(vec![ana])), &random(2), now).expect("made");
        let whole = book.list().expect("read");
        let bytes = fs::read(&path).expect("a book");
        let damage = |damaged: &[u8]| {
            let mut file = fs::OpenOptions::new().write(true).truncate(true).open(&path).expect("a file");
            file.write_all(damaged).expect("damaged");
            Book::at(&path).list()
        };
        for byte in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[byte] ^= 1 << (byte % 8);
            match damage(&flipped) {
                Err(BookError::Damaged { .. }) => {}
                // White space of another kind.
                Ok(read) => assert_eq!(read, whole, "byte {byte}"),
                Err(other) => panic!("byte {byte}: {other}"),
            }
            let cut = damage(&bytes[..byte]);
            assert!(
                matches!(cut, Err(BookError::Damaged { .. })) || byte == bytes.len() - 1,
                "cut at {byte}"
            );
        }
    }

    #[test]
    fn what_cannot_be_a_key_is_refused() {
        let place = tempfile::tempdir().expect("a place");
        let book = Book::at(place.path().join("access.json"));
        let now = at("2026-11-30T12:00:00Z");
        for bad in [
            NewKey { name: " ".to_owned(), ..new(Subjects::All) },
            NewKey { name: "a\nb".to_owned(), ..new(Subjects::All) },
            NewKey { rights: Rights::default(), ..new(Subjects::All) },
            new(Subjects::Only(Vec::new())),
        ] {
            assert!(matches!(book.create(&bad, &random(1), now), Err(BookError::Input(_))), "{bad:?}");
        }
        assert!(book.list().expect("read").is_empty());
    }
}
