//! The tables, as numbered steps. A step once released is never edited; a change is a new step.

use ledger::store::{StoreError, StoreErrorKind};
use rusqlite::Connection;

use crate::error;

/// Step `n` leads from version `n` to `n + 1`.
const STEPS: [&str; 1] = [include_str!("schema/1.sql")];

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
    for step in STEPS.iter().skip(version as usize) {
        connection.execute_batch(step)?;
    }
    if version < VERSION {
        connection.pragma_update(None, "user_version", VERSION)?;
        connection.pragma_update(None, "application_id", APPLICATION)?;
    }
    Ok(version < VERSION)
}
