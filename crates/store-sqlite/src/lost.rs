//! Lost keys: what cannot be read for want of one, told by counts and ids; everything else is read as ever.

use ledger::store::{Damage, StoreError, StoreErrorKind};
use rusqlite::Connection;

use crate::erase;
use crate::error;
use crate::{Shared, SqliteStore};

/// The most subjects named by id in one line.
const NAMED_MAX: usize = 20;

/// How the key of a group is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupState {
    /// Its file is there and opens.
    There,
    /// Its file is gone.
    Missing,
    /// Its file does not open with the master key.
    Wrong,
}

/// One group of data keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyGroup {
    /// Its number, and the name of its file.
    pub number: i64,
    /// The data keys it wraps: one a source, and one for each subject itself.
    pub keys: u64,
    /// The subjects these belong to, by their random ids in hexadecimal digits.
    pub subjects: Vec<String>,
    /// How its file is.
    pub state: GroupState,
}

/// The error of a read that needs a group's key whose file is gone.
pub(crate) fn missing(connection: &Connection, group: i64) -> StoreError {
    let counted = connection.query_row(
        "SELECT count(*), count(DISTINCT subject) FROM data_key WHERE key_group = ?",
        [group],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)),
    );
    let (keys, subjects) = counted.unwrap_or_default();
    let message = format!(
        "group key `keys/groups/{group}.key` is missing: what {keys} sources and subjects said cannot be read, \
         {subjects} subjects in all; bring it back"
    );
    StoreError::new(StoreErrorKind::Key, message)
}

/// The groups as the database and the files have them.
pub(crate) fn groups(shared: &Shared, connection: &Connection) -> Result<Vec<KeyGroup>, StoreError> {
    let failed = |error| error::sqlite(error, "list keys");
    let mut select = connection
        .prepare(
            "SELECT key_group, (SELECT count(*) FROM data_key WHERE data_key.key_group = key_group.key_group)
             FROM key_group ORDER BY key_group",
        )
        .map_err(failed)?;
    let numbers = select.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
    let numbers: Vec<(i64, i64)> = numbers.and_then(Iterator::collect).map_err(failed)?;
    let mut of_group = connection
        .prepare(
            "SELECT DISTINCT lower(hex(uid)) FROM data_key JOIN subject ON subject.subject = data_key.subject
             WHERE key_group = ? ORDER BY data_key.subject",
        )
        .map_err(failed)?;
    let mut groups = Vec::with_capacity(numbers.len());
    for (number, keys) in numbers {
        let subjects = of_group.query_map([number], |row| row.get(0)).and_then(Iterator::collect);
        // What another process took out of memory is looked for on the disk.
        shared.keyring.forget_group(number);
        let state = match shared.keyring.group(number, connection) {
            Ok(Some(_)) => GroupState::There,
            Ok(None) => GroupState::Missing,
            Err(error) if error.kind() == StoreErrorKind::Key => GroupState::Wrong,
            Err(other) => return Err(other),
        };
        groups.push(KeyGroup {
            number,
            keys: keys.max(0) as u64,
            subjects: subjects.map_err(failed)?,
            state,
        });
    }
    Ok(groups)
}

impl SqliteStore {
    /// The groups of data keys, by number.
    ///
    /// # Errors
    /// As reads.
    pub fn key_groups(&self) -> Result<Vec<KeyGroup>, StoreError> {
        self.shared.readers.read(|connection| {
            let groups = groups(&self.shared, connection)?;
            // A group that another process is replacing is there again in the next look.
            match groups.iter().find(|group| group.state != GroupState::There) {
                Some(lost) if self.shared.is_known(lost.number)? => Ok(groups),
                Some(lost) => Err(missing(connection, lost.number)),
                None => Ok(groups),
            }
        })
    }

    /// Takes out subjects that have no key of their own: they were forgotten whole in the store this was restored from,
    /// after its data was copied. How many.
    ///
    /// # Errors
    /// As erasures.
    pub fn forget_keyless(&self) -> Result<u64, StoreError> {
        let shared = self.shared.clone();
        Ok(self.writer()?.alone(move |hand| erase::take_out_keyless(hand, &shared))?)
    }

    pub(crate) fn read_unreadable(&self) -> Result<Vec<Damage>, StoreError> {
        let failed = |error| error::sqlite(error, "list keys");
        let mut unreadable = Vec::new();
        for group in self.key_groups()?.iter().filter(|group| group.state != GroupState::There) {
            let how = match group.state {
                GroupState::Missing => "is missing",
                _ => "does not open with the master key",
            };
            unreadable.push(Damage {
                place: format!("group key `keys/groups/{}.key`", group.number),
                what: format!(
                    "{how}: what {} sources and subjects said cannot be read, of {}",
                    group.keys,
                    named(&group.subjects)
                ),
            });
        }
        let keyless: Vec<(String, i64)> = self.shared.readers.read(|connection| {
            let mut select = connection
                .prepare_cached(
                    "SELECT lower(hex(uid)), count(*) FROM source JOIN subject ON subject.subject = source.subject
                     WHERE NOT EXISTS (SELECT 1 FROM data_key WHERE data_key.subject = source.subject
                        AND source_seq = seq AND source_ordinal = ordinal)
                     GROUP BY source.subject",
                )
                .map_err(failed)?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
            rows.and_then(Iterator::collect).map_err(failed)
        })?;
        unreadable.extend(keyless.into_iter().map(|(subject, sources)| Damage {
            place: format!("subject `{subject}`"),
            what: format!(
                "the keys of {sources} of its sources were destroyed; what they said cannot be read"
            ),
        }));
        Ok(unreadable)
    }
}

impl Shared {
    /// Whether the database still knows this group, asked anew.
    fn is_known(&self, group: i64) -> Result<bool, StoreError> {
        self.readers.read(|connection| {
            let known = connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM key_group WHERE key_group = ?)",
                [group],
                |row| row.get(0),
            );
            known.map_err(|error| error::sqlite(error, "list keys"))
        })
    }
}

fn named(subjects: &[String]) -> String {
    let shown: Vec<String> = subjects.iter().take(NAMED_MAX).map(|subject| format!("`{subject}`")).collect();
    let more = subjects.len().saturating_sub(NAMED_MAX);
    match (shown.len(), more) {
        (1, 0) => format!("subject {}", shown.join("")),
        (_, 0) => format!("{} subjects: {}", subjects.len(), shown.join(", ")),
        _ => format!("{} subjects: {} and {more} more", subjects.len(), shown.join(", ")),
    }
}
