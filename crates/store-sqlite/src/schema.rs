//! The tables, as numbered steps. A step once released is never edited; a change is a new step.

use ledger::store::{StoreError, StoreErrorKind};
use rusqlite::Connection;

use crate::error;

/// Step `n` leads from version `n` to `n + 1`.
const STEPS: [&str; 3] =
    [include_str!("schema/1.sql"), include_str!("schema/2.sql"), include_str!("schema/3.sql")];

/// The version this program writes.
pub(crate) const VERSION: u32 = STEPS.len() as u32;

/// `Test`, so that a file of another program is told apart.
pub(crate) const APPLICATION: i32 = 0x5465_7374;

/// The version the file says it has.
pub(crate) fn version(connection: &Connection) -> Result<u32, StoreError> {
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|error| error::sqlite(error, "read the store's version"))
}

/// Refuses what a newer program wrote.
pub(crate) fn check(version: u32) -> Result<(), StoreError> {
    if version > VERSION {
        let message =
            format!("the store has version `{version}`, this program knows up to `{VERSION}`; upgrade it");
        return Err(StoreError::new(StoreErrorKind::Newer, message));
    }
    Ok(())
}

/// Takes the steps from `version` on, inside the caller's transaction. Whether there were any.
pub(crate) fn migrate(connection: &Connection, version: u32) -> rusqlite::Result<bool> {
    take_steps(connection, version, VERSION)?;
    if version < VERSION {
        connection.pragma_update(None, "user_version", VERSION)?;
        connection.pragma_update(None, "application_id", APPLICATION)?;
    }
    Ok(version < VERSION)
}

fn take_steps(connection: &Connection, from: u32, to: u32) -> rusqlite::Result<()> {
    let steps = STEPS.iter().take(to as usize).skip(from as usize);
    steps.into_iter().try_for_each(|step| connection.execute_batch(step))
}

/// What of the file's tables, indexes and triggers is not as this program makes them in the file's version, by name.
pub(crate) fn differences(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let list = |connection: &Connection| -> rusqlite::Result<Vec<(String, Option<String>)>> {
        let mut select = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    };
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let fresh = Connection::open_in_memory()?;
    take_steps(&fresh, 0, version)?;
    let (expected, found) = (list(&fresh)?, list(connection)?);
    let missing = expected.iter().filter(|item| !found.contains(item));
    let added = found.iter().filter(|item| !expected.contains(item));
    let mut names: Vec<String> = missing.chain(added).map(|(name, _)| name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}
