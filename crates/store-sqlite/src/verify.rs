//! Verification: everything read back, unsealed, committed to again, and the chain linked anew. Damage is reported
//! place by place and ends nothing.

use std::collections::BTreeMap;

use ledger::id::{Position, Watermark};
use ledger::log::Row;
use ledger::proof::{ChainHash, Commitment, commit, link};
use ledger::scope::Scope;
use ledger::store::{Damage, StoreError, StoreErrorKind, Verified};
use ledger::time::Instant;
use rusqlite::{Connection, params};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::append::tip;
use crate::error;
use crate::row::{Messages, Stretch, Table, signed};
use crate::subject::{Known, StoredSeals};
use crate::{SqliteStore, schema};

/// Appends checked on one snapshot.
const PIECE_APPENDS: u64 = 500;
/// The most places reported; beyond it, a count.
const DAMAGE_MAX: usize = 1_000;

/// A check that is under way.
struct Check {
    verified: Verified,
    more: u64,
    /// What each place in the chain should be, from the rows: where the row stands, and its commitment.
    committed: FxHashMap<Position, (Position, Commitment)>,
    /// Places whose rows are there but cannot be read; they are reported once.
    unreadable: FxHashSet<Position>,
    entries: BTreeMap<Watermark, Link>,
    identities: FxHashMap<[u8; 16], Position>,
}

/// An append as the chain keeps it.
struct Link {
    recorded_at: Instant,
    hash: ChainHash,
    commitments: Vec<Commitment>,
    orphaned: Vec<Position>,
}

impl SqliteStore {
    pub(crate) fn verify_log(&self, scope: &Scope) -> Result<Verified, StoreError> {
        'anew: for _ in 0..10 {
            let mut check = Check::new();
            let Some((begun, head)) = self.read_subject(scope, |connection, known| {
                Ok((known, tip(connection, known.number)?.watermark))
            })?
            else {
                return Ok(Verified::default());
            };
            let mut first = 1;
            let mut piece_appends = PIECE_APPENDS;
            while first <= head {
                let stretch = Stretch { first, last: head.min(first + piece_appends - 1) };
                let read = self.read_subject(scope, |connection, known| {
                    if known != begun {
                        return Ok(None);
                    }
                    // A read that is tried again must not count twice.
                    let mut piece = Check::new();
                    self.check_piece(connection, known, stretch, &mut piece)?;
                    Ok(Some(piece))
                });
                match read {
                    // Appends of an import hold hundreds of messages: too much for the time a snapshot may be held.
                    Err(error) if error.kind() == StoreErrorKind::Busy && piece_appends > 1 => {
                        piece_appends = (piece_appends / 4).max(1);
                        continue;
                    }
                    read => match read?.flatten() {
                        Some(piece) => check.absorb(piece),
                        // Erased in between.
                        None => continue 'anew,
                    },
                }
                first = stretch.last + 1;
            }
            self.check_outside(scope, begun, head, &mut check)?;
            check.link(head);
            return Ok(check.finish(head));
        }
        Err(StoreError::new(
            StoreErrorKind::Busy,
            "the log is being erased faster than it can be read; try again",
        ))
    }

    fn check_piece(
        &self,
        connection: &Connection,
        known: Known,
        stretch: Stretch,
        check: &mut Check,
    ) -> Result<(), StoreError> {
        check.read_entries(connection, known, stretch)?;
        let seals = StoredSeals { shared: &self.shared, connection, known };
        let reading = self.shared.reading(&seals);
        for table in Table::ALL {
            let read = reading.rows(table, stretch, Messages::Whole, &mut |position, found| {
                check.verified.rows += 1;
                match found {
                    Ok(found) => {
                        if !found.agrees {
                            check
                                .damage(format!("row {position}"), "says otherwise in clear than under seal");
                        }
                        if let Row::Fact(fact) = &found.row
                            && let Some(other) = check.identities.insert(fact.identity.0, position)
                        {
                            check.damage(
                                format!("row {position}"),
                                &format!("is the same fact as row {other}"),
                            );
                        }
                        let commitment = commit(&found.salt, position, &found.row);
                        if check.committed.insert(found.committed, (position, commitment)).is_some() {
                            check.damage(format!("row {position}"), "claims the place of another row");
                        }
                    }
                    // A missing group key concerns everything; it is no damage to one row.
                    Err(error) if error.kind() == StoreErrorKind::Key => return Err(error),
                    Err(error) => {
                        check.unreadable.insert(position);
                        check.damage(format!("row {position}"), &error.to_string());
                    }
                }
                Ok(())
            });
            match read {
                Err(error) if error.kind() == StoreErrorKind::Damaged => {
                    let place = format!("appends {} to {}", stretch.first, stretch.last);
                    check.damage(place, &format!("{table:?} rows cannot be read: {error}"));
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Rows outside the log.
    fn check_outside(
        &self,
        scope: &Scope,
        begun: Known,
        head: Watermark,
        check: &mut Check,
    ) -> Result<(), StoreError> {
        const OUTSIDE: [(&str, &str); 7] = [
            ("source", "SELECT count(*) FROM source WHERE subject = ?1 AND (seq < 1 OR seq > ?2)"),
            ("evidence", "SELECT count(*) FROM evidence WHERE subject = ?1 AND (seq < 1 OR seq > ?2)"),
            ("fact", "SELECT count(*) FROM fact WHERE subject = ?1 AND (seq < 1 OR seq > ?2)"),
            ("claim", "SELECT count(*) FROM claim WHERE subject = ?1 AND (seq < 1 OR seq > ?2)"),
            ("act", "SELECT count(*) FROM act WHERE subject = ?1 AND (seq < 1 OR seq > ?2)"),
            ("transition", "SELECT count(*) FROM transition WHERE subject = ?1 AND (seq < 1 OR seq > ?2)"),
            (
                "support",
                "SELECT count(*) FROM support WHERE subject = ?1 AND NOT EXISTS (SELECT 1 FROM transition
                 WHERE transition.subject = support.subject AND transition.seq = support.seq
                    AND transition.ordinal = support.ordinal) AND ?2 >= 0",
            ),
        ];
        for (what, sql) in OUTSIDE {
            let counted = self.read_subject(scope, |connection, known| {
                // The log may have grown since; what came after is not outside it.
                let head = tip(connection, known.number)?.watermark.max(head);
                connection
                    .query_row(sql, params![begun.number, signed(head)], |row| row.get::<_, i64>(0))
                    .map_err(|error| error::sqlite(error, "check references"))
            });
            match counted {
                Ok(Some(0) | None) => {}
                Ok(Some(count)) => {
                    check.damage(what.to_owned(), &format!("has {count} rows that belong to no append"))
                }
                Err(error) if error.kind() == StoreErrorKind::Damaged => {
                    check.damage(what.to_owned(), &error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The file itself: its pages, its schema, and the references between its rows.
    pub(crate) fn verify_file(&self) -> Result<Vec<Damage>, StoreError> {
        // These look at the whole file, so they run outside the pool, whose reads must be short.
        let connection = crate::connection::open(&self.shared.access, false)?;
        let collect = |sql: &str| -> rusqlite::Result<Vec<String>> {
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let text = row.get_ref(0)?;
                found.push(text.as_str().map_or_else(|_| "unreadable".to_owned(), str::to_owned));
            }
            Ok(found)
        };
        let mut damage = Vec::new();
        let of_file = |what: String| Damage { place: "`ledger.db`".to_owned(), what };
        match collect("PRAGMA integrity_check(100)") {
            Ok(lines) if lines == ["ok"] => {}
            Ok(lines) => damage.extend(lines.into_iter().map(of_file)),
            Err(error) => damage.push(of_file(error::sqlite(error, "check the file").to_string())),
        }
        match schema::differences(&connection) {
            Ok(names) => damage.extend(names.into_iter().map(|name| Damage {
                place: format!("schema `{name}`"),
                what: "is not as it was made".to_owned(),
            })),
            Err(error) => damage.push(of_file(error::sqlite(error, "read the schema").to_string())),
        }
        match collect("PRAGMA foreign_key_check") {
            Ok(lines) => damage.extend(lines.iter().take(100).map(|line| Damage {
                place: format!("table `{line}`"),
                what: "has a row that refers to one that is not there".to_owned(),
            })),
            Err(error) => damage.push(of_file(error::sqlite(error, "check references").to_string())),
        }
        Ok(damage)
    }
}

impl Check {
    fn new() -> Self {
        Self {
            verified: Verified::default(),
            more: 0,
            committed: FxHashMap::default(),
            unreadable: FxHashSet::default(),
            entries: BTreeMap::new(),
            identities: FxHashMap::default(),
        }
    }

    fn damage(&mut self, place: String, what: &str) {
        if self.verified.damage.len() < DAMAGE_MAX {
            self.verified.damage.push(Damage { place, what: what.to_owned() });
        } else {
            self.more += 1;
        }
    }

    fn absorb(&mut self, piece: Self) {
        self.verified.rows += piece.verified.rows;
        self.more += piece.more;
        for damage in piece.verified.damage {
            self.damage(damage.place, &damage.what);
        }
        for (identity, position) in piece.identities {
            if let Some(other) = self.identities.insert(identity, position) {
                self.damage(format!("row {position}"), &format!("is the same fact as row {other}"));
            }
        }
        for (place, row) in piece.committed {
            if self.committed.insert(place, row).is_some() {
                self.damage(format!("row {}", row.0), "claims the place of another row");
            }
        }
        self.unreadable.extend(piece.unreadable);
        self.entries.extend(piece.entries);
    }

    fn read_entries(
        &mut self,
        connection: &Connection,
        known: Known,
        stretch: Stretch,
    ) -> Result<(), StoreError> {
        let failed = |error| error::sqlite(error, "read the log");
        let mut select = connection
            .prepare_cached(
                "SELECT seq, recorded_at, hash, commitments, orphaned FROM entry
                 WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq",
            )
            .map_err(failed)?;
        let range = params![known.number, signed(stretch.first), signed(stretch.last)];
        let mut rows = select.query(range).map_err(failed)?;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(()),
                Err(error) if error::kind_of(&error) == StoreErrorKind::Damaged => {
                    let place = format!("appends {} to {}", stretch.first, stretch.last);
                    self.damage(place, "cannot be read");
                    return Ok(());
                }
                Err(error) => return Err(failed(error)),
            };
            let Ok(seq) = row.get::<_, i64>(0) else { continue };
            let seq = seq.max(0) as u64;
            let read = || -> rusqlite::Result<(Link, bool)> {
                let commitments: Vec<u8> = row.get(3)?;
                let (whole, rest) = commitments.as_chunks::<32>();
                let orphaned: Vec<u8> = row.get(4)?;
                let listed: Option<Vec<Position>> = match orphaned.as_slice() {
                    [] => Some(Vec::new()),
                    some => postcard::from_bytes(some).ok(),
                };
                let readable = rest.is_empty() && listed.is_some();
                let link = Link {
                    recorded_at: Instant::from_micros(row.get(1)?),
                    hash: ChainHash(row.get(2)?),
                    commitments: whole.iter().copied().map(Commitment).collect(),
                    orphaned: listed.unwrap_or_default(),
                };
                Ok((link, readable))
            };
            match read() {
                Ok((link, readable)) => {
                    if !readable {
                        self.damage(format!("append {seq}"), "has a list that cannot be read");
                    }
                    self.entries.insert(seq, link);
                }
                Err(_) => self.damage(format!("append {seq}"), "cannot be read"),
            }
        }
    }

    /// Follows the chain from its beginning and compares every place with the row that stands for it.
    fn link(&mut self, head: Watermark) {
        let entries = std::mem::take(&mut self.entries);
        let orphaned: FxHashSet<Position> =
            entries.values().flat_map(|link| link.orphaned.iter().copied()).collect();
        self.verified.erased = orphaned.len() as u64;
        let mut before = ChainHash::default();
        for seq in 1..=head {
            let Some(entry) = entries.get(&seq) else {
                self.damage(format!("append {seq}"), "is missing");
                continue;
            };
            let linked = link(&before, seq, entry.recorded_at, &entry.commitments, &entry.orphaned);
            if linked != entry.hash {
                self.damage(format!("append {seq}"), "does not follow from the one before");
            }
            before = entry.hash;
            for (ordinal, commitment) in (0..).zip(&entry.commitments) {
                let place = Position::new(seq, ordinal);
                match self.committed.remove(&place) {
                    Some((position, _)) if orphaned.contains(&place) => {
                        self.damage(format!("row {position}"), "was erased, yet is there");
                    }
                    Some((position, made)) if made != *commitment => {
                        self.damage(format!("row {position}"), "is not what was committed to");
                    }
                    None if !orphaned.contains(&place) && !self.unreadable.contains(&place) => {
                        self.damage(format!("row {place}"), "is missing");
                    }
                    _ => {}
                }
            }
        }
        let mut strays: Vec<Position> = self.committed.values().map(|(position, _)| *position).collect();
        strays.sort_unstable();
        for position in strays {
            self.damage(format!("row {position}"), "was never committed to");
        }
    }

    fn finish(mut self, head: Watermark) -> Verified {
        self.verified.appends = head;
        if self.more > 0 {
            let what = format!("has {} more damaged places", self.more);
            self.verified.damage.push(Damage { place: "the log".to_owned(), what });
        }
        self.verified
    }
}
