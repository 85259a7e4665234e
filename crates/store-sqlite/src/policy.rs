//! Which policy the deployment uses: acts, numbered from 1. Reason and name are sealed under a key of the store itself.

use ledger::id::Position;
use ledger::policy::PolicyAct;
use ledger::store::{StoreError, StoreErrorKind};
use ledger::time::Instant;
use rusqlite::{Connection, params};

use crate::chance::Chance;
use crate::error::{self, damaged};
use crate::{SqliteStore, schema};

/// The first version with a table for acts.
const SINCE_VERSION: u32 = 2;

impl SqliteStore {
    pub(crate) fn read_policy_acts(&self) -> Result<Vec<PolicyAct>, StoreError> {
        let keyring = &self.shared.keyring;
        self.shared.readers.read(|connection| {
            // A store of before, opened where it cannot be written, has no such table, and so no acts.
            if schema::version(connection)? < SINCE_VERSION {
                return Ok(Vec::new());
            }
            let failed = |error| error::sqlite(error, "read the acts on the policy");
            let mut select = connection
                .prepare_cached(
                    "SELECT number, deed, from_policy, to_policy, at, words FROM policy_act ORDER BY number",
                )
                .map_err(failed)?;
            let mut rows = select.query([]).map_err(failed)?;
            let mut acts = Vec::new();
            while let Some(row) = rows.next().map_err(failed)? {
                let number: i64 = row.get(0).map_err(failed)?;
                let unreadable = || damaged(format!("act {number} on the policy"), "does not open");
                let deed: String = row.get(1).map_err(failed)?;
                let sealed: Vec<u8> = row.get(5).map_err(failed)?;
                let words = keyring.own_seal().open(&keyring.policy_place(place(number)), &sealed);
                let words = words.ok_or_else(unreadable)?;
                let (reason, by): (String, String) =
                    postcard::from_bytes(&words).map_err(|_| unreadable())?;
                acts.push(PolicyAct {
                    deed: deed.parse().map_err(|_| unreadable())?,
                    from: row.get(2).map_err(failed)?,
                    to: row.get(3).map_err(failed)?,
                    reason,
                    by,
                    at: Instant::from_micros(row.get(4).map_err(failed)?),
                });
            }
            Ok(acts)
        })
    }

    pub(crate) fn write_policy_act(&self, after: usize, act: &PolicyAct) -> Result<bool, StoreError> {
        let number = i64::try_from(after).unwrap_or(i64::MAX).saturating_add(1);
        let words = postcard::to_allocvec(&(&act.reason, &act.by)).map_err(|error| {
            StoreError::new(StoreErrorKind::Contract, "the act cannot be written down").caused_by(error)
        })?;
        let keyring = &self.shared.keyring;
        let mut chance = Chance::draw()?;
        let sealed = keyring.own_seal().seal(&mut chance, &keyring.policy_place(place(number)), &words);
        let act = act.clone();
        let written = self.writer()?.shared(sealed.len(), move |hand| {
            let failed = |error| error::sqlite(error, "record an act on the policy");
            if last(&hand.connection).map_err(failed)? != number - 1 {
                return Ok(false);
            }
            let row = params![number, act.deed.as_str(), act.from, act.to, act.at.micros(), sealed];
            hand.connection
                .prepare_cached("INSERT INTO policy_act VALUES (?, ?, ?, ?, ?, ?)")
                .and_then(|mut insert| insert.execute(row))
                .map_err(failed)?;
            Ok(true)
        });
        Ok(written?)
    }
}

fn place(number: i64) -> Position {
    Position::new(number.max(0) as u64, 0)
}

fn last(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT ifnull(max(number), 0) FROM policy_act")?
        .query_row([], |row| row.get(0))
}
