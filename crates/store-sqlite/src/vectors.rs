//! Vectors: `derived/vectors.db`, a file beside the ledger that may be lost at any moment.
//!
//! Each vector is sealed under the data key of its row's source. The file is written only while the ledger's write lock is
//! held, so that keeping vectors and erasing rows come one after the other, in every process: a vector is kept only if
//! nothing was erased since its text was read, and an erasure takes vectors out before its own commit. Nobody waits for the
//! disk, but for an erasure. A file that is missing, damaged, of another version or of another store holds no vectors; it
//! is made anew by whoever writes next.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

use ledger::id::Position;
use ledger::scope::Scope;
use ledger::store::{Head, StoreError, StoreErrorKind};
use ledger::vectors::{
    ModelIdentity, Placed, Quantised, VectorMark, VectorRow, VectorStore, check_dims, other_dims,
};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, params};

use crate::chance::Chance;
use crate::connection::{self, Access, sibling};
use crate::failpoint::{self, Failpoint};
use crate::residue::Needles;
use crate::row::{Owner, Seals, signed};
use crate::seal::{Column, Seal};
use crate::subject::{Known, StoredSeals, find};
use crate::{SqliteStore, Synchronous, error, files};

/// The version of the tables.
const VERSION: u32 = 1;

/// `TesV`, so that a file of another program is told apart.
const APPLICATION: i32 = 0x5465_7356;

/// Vectors read in one piece.
const PIECE_VECTORS: usize = 4_096;

/// What stands before the steps in a sealed vector: half the model's mark, the piece and the scale.
const HEAD_BYTES: usize = 16 + 4 + 4;

/// The file, and what is open of it.
pub(crate) struct VectorFile {
    access: Access,
    store: [u8; 16],
    reader: Mutex<Option<Opened>>,
    writer: Mutex<Option<Opened>>,
    /// Something was found wrong with it; whoever writes next makes it anew.
    damaged: AtomicBool,
    notices: Mutex<Vec<String>>,
}

struct Opened {
    connection: Connection,
    /// Which file this is, whatever has its name by now.
    inode: u64,
    keeping: u64,
}

/// Why a file that is there cannot be used.
enum Unusable {
    Wrong(&'static str),
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

impl VectorFile {
    pub(crate) fn new(data: &Path, read_only: bool, store: [u8; 16]) -> Self {
        let path = data.join("derived").join("vectors.db");
        Self {
            // What is lost by a power cut is made again; what an erasure took out is made sure of by itself.
            access: Access { path, read_only, synchronous: Synchronous::Off },
            store,
            reader: Mutex::default(),
            writer: Mutex::default(),
            damaged: AtomicBool::new(false),
            notices: Mutex::default(),
        }
    }

    fn path(&self) -> &PathBuf {
        &self.access.path
    }

    fn inode(&self) -> Option<u64> {
        fs::metadata(self.path()).map(|found| found.ino()).ok()
    }

    fn note(&self, notice: String) {
        let mut notices = self.notices.lock();
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    fn is_damaged(&self, what: &str) {
        self.damaged.store(true, Ordering::Release);
        self.note(format!("`derived/vectors.db` {what}; vectors are made anew"));
    }

    /// Runs `work` on one snapshot; `None` when there is no file that can be read.
    fn read<T>(&self, work: impl FnOnce(&Connection, u64) -> rusqlite::Result<T>) -> Option<T> {
        if self.damaged.load(Ordering::Acquire) {
            return None;
        }
        let inode = self.inode()?;
        let mut reader = self.reader.lock();
        if reader.as_ref().is_none_or(|opened| opened.inode != inode) {
            *reader = match self.open_existing(false) {
                Ok(opened) => Some(opened),
                Err(unusable) => {
                    self.tell(unusable);
                    None
                }
            };
        }
        let opened = reader.as_ref()?;
        let read = || -> rusqlite::Result<T> {
            let transaction = opened.connection.unchecked_transaction()?;
            let done = work(&transaction, opened.keeping)?;
            transaction.commit()?;
            Ok(done)
        };
        match read() {
            Ok(done) => Some(done),
            Err(failed) => {
                *reader = None;
                self.tell(Unusable::Failed(failed));
                None
            }
        }
    }

    /// Notes damage; what others hold for a moment is none.
    fn tell(&self, unusable: Unusable) {
        match unusable {
            Unusable::Wrong(what) => self.is_damaged(what),
            Unusable::Failed(failed) => match error::kind_of(&failed) {
                StoreErrorKind::Busy | StoreErrorKind::Permission | StoreErrorKind::Full => {}
                _ => self.is_damaged("cannot be read"),
            },
        }
    }

    fn open_existing(&self, writes: bool) -> Result<Opened, Unusable> {
        let opened = || -> Result<Opened, Unusable> {
            let connection =
                connection::open(&self.access, writes).map_err(|_| Unusable::Wrong("cannot be opened"))?;
            let number =
                |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
            if number("application_id")? != i64::from(APPLICATION) {
                return Err(Unusable::Wrong("is of another program"));
            }
            if number("user_version")? != i64::from(VERSION) {
                return Err(Unusable::Wrong("is of another version"));
            }
            let (store, keeping): ([u8; 16], i64) =
                connection.query_row("SELECT store, keeping FROM about", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?;
            if store != self.store {
                return Err(Unusable::Wrong("is of another store"));
            }
            Ok(Opened { connection, inode: 0, keeping: keeping.unsigned_abs() })
        };
        let inode = self.inode().unwrap_or_default();
        opened().map(|opened| Opened { inode, ..opened })
    }

    /// Runs `work` in one transaction, on a file that is made when it is not there. Called with the ledger's write lock
    /// held.
    fn write<T>(
        &self,
        mut work: impl FnMut(&Connection, u64) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let failed = |error| error::sqlite(error, "keep vectors");
        let mut writer = self.writer.lock();
        let mut attempts = 0;
        loop {
            attempts += 1;
            self.open_for_writing(&mut writer)?;
            let Some(opened) = writer.as_ref() else { continue };
            let mut run = || -> rusqlite::Result<T> {
                opened.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
                let done = work(&opened.connection, opened.keeping)?;
                opened.connection.prepare_cached("COMMIT")?.execute([])?;
                failpoint::pass(Failpoint::VectorsWritten);
                Ok(done)
            };
            let error = match run() {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let rolled_back =
                opened.connection.is_autocommit() || opened.connection.execute_batch("ROLLBACK").is_ok();
            if !rolled_back {
                *writer = None;
            }
            match error::kind_of(&error) {
                StoreErrorKind::Damaged | StoreErrorKind::Io if attempts == 1 => {
                    *writer = None;
                    self.is_damaged("was damaged");
                }
                _ => return Err(failed(error)),
            }
        }
    }

    fn open_for_writing(&self, writer: &mut Option<Opened>) -> Result<(), StoreError> {
        if self.damaged.swap(false, Ordering::AcqRel) {
            *writer = None;
            self.remove()?;
        }
        let inode = self.inode();
        if writer.as_ref().is_some_and(|opened| Some(opened.inode) == inode) {
            return Ok(());
        }
        *writer = None;
        if inode.is_some() {
            match self.open_existing(true) {
                Ok(opened) => {
                    *writer = Some(opened);
                    return Ok(());
                }
                Err(Unusable::Failed(busy)) if error::kind_of(&busy) == StoreErrorKind::Busy => {
                    return Err(error::sqlite(busy, "keep vectors"));
                }
                Err(unusable) => {
                    self.tell(unusable);
                    self.damaged.store(false, Ordering::Release);
                    self.remove()?;
                }
            }
        }
        *writer = Some(self.make()?);
        Ok(())
    }

    fn make(&self) -> Result<Opened, StoreError> {
        let failed = |error| error::sqlite(error, "keep vectors");
        if let Some(directory) = self.path().parent() {
            files::own_directory(directory)?;
        }
        // A log left over from a file of that name would be taken for this one's.
        self.remove()?;
        files::create_empty(self.path())?;
        failpoint::pass(Failpoint::VectorsMade);
        let connection = connection::open(&self.access, true)?;
        let keeping = i64::from_le_bytes(Chance::draw()?.bytes()) >> 1;
        let make = || -> rusqlite::Result<()> {
            // Long rows stay within their page.
            connection.execute_batch("PRAGMA page_size = 16384; PRAGMA journal_mode = wal;")?;
            connection.execute_batch(concat!("BEGIN IMMEDIATE;", include_str!("schema/vectors.sql")))?;
            connection.execute("INSERT INTO about VALUES (1, ?, ?, 0)", params![self.store, keeping])?;
            connection.pragma_update(None, "user_version", VERSION)?;
            connection.pragma_update(None, "application_id", APPLICATION)?;
            connection.execute_batch("COMMIT")
        };
        make().map_err(failed)?;
        let inode = self.inode().unwrap_or_default();
        Ok(Opened { connection, inode, keeping: keeping.unsigned_abs() })
    }

    fn remove(&self) -> Result<(), StoreError> {
        for ending in ["", "-wal", "-shm"] {
            let path = sibling(self.path(), ending);
            match files::remove(&path) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                other => other.map_err(|error| error::file(error, &path, "remove"))?,
            }
        }
        Ok(())
    }

    /// Takes out the vectors of these rows, or all of a subject's, and remembers pieces of them. On the disk when it
    /// returns, because the ledger's commit that follows is.
    pub(crate) fn erase(
        &self,
        subject: i64,
        rows: Option<&[Position]>,
        needles: &mut Needles,
    ) -> Result<(), StoreError> {
        if self.inode().is_none() {
            return Ok(());
        }
        let erased = self.write(|connection, _| {
            match rows {
                None => {
                    let mut select =
                        connection.prepare_cached("SELECT sealed FROM vector WHERE subject = ?")?;
                    let mut found = select.query([subject])?;
                    while let Some(row) = found.next()? {
                        needles.keep(row.get_ref(0)?.as_blob()?);
                    }
                    connection.execute("DELETE FROM vector WHERE subject = ?", [subject])?;
                }
                Some(rows) => {
                    let mut select = connection.prepare_cached(
                        "SELECT sealed FROM vector WHERE subject = ? AND seq = ? AND ordinal = ?",
                    )?;
                    let mut delete = connection
                        .prepare_cached("DELETE FROM vector WHERE subject = ? AND seq = ? AND ordinal = ?")?;
                    for row in rows {
                        let place = params![subject, signed(row.seq), row.ordinal];
                        let mut found = select.query(place)?;
                        let mut any = false;
                        while let Some(row) = found.next()? {
                            needles.keep(row.get_ref(0)?.as_blob()?);
                            any = true;
                        }
                        if any {
                            delete.execute(place)?;
                        }
                    }
                }
            }
            Ok(())
        });
        match erased {
            Err(unusable) if unusable.kind() != StoreErrorKind::Busy => self.remove(),
            other => other,
        }?;
        self.synchronise()
    }

    /// Makes what was committed last a power cut.
    fn synchronise(&self) -> Result<(), StoreError> {
        for ending in ["-wal", ""] {
            let path = sibling(self.path(), ending);
            match files::sync_file(&path) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => {}
                other => other.map_err(|error| error::file(error, &path, "sync"))?,
            }
        }
        // A file that was removed, or a journal, must not come back either.
        match self.path().parent() {
            Some(parent) if parent.exists() => files::sync_directory(parent),
            _ => Ok(()),
        }
    }

    /// Empties the file's log, so that no page of before stands in it. A file whose log cannot be emptied is removed: it
    /// can be made anew, and what was erased may not stay.
    pub(crate) fn empty_log(&self) -> Result<(), StoreError> {
        if self.inode().is_none() {
            return self.remove();
        }
        let mut writer = self.writer.lock();
        self.open_for_writing(&mut writer)?;
        let emptied = writer.as_ref().is_some_and(|opened| {
            let busy = || {
                opened.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
            };
            connection::with_patience(2_000, busy).is_ok_and(|busy| busy == 0)
        });
        if !emptied {
            *writer = None;
            self.note(
                "`derived/vectors.db` was in use while words were erased; vectors are made anew".to_owned(),
            );
            self.remove()?;
        }
        drop(writer);
        self.synchronise()
    }

    /// Writes the file anew, so that no unused part of a page holds what was taken out.
    pub(crate) fn rewrite(&self) -> Result<(), StoreError> {
        if self.inode().is_none() {
            return Ok(());
        }
        let mut writer = self.writer.lock();
        self.open_for_writing(&mut writer)?;
        let rewritten =
            writer.as_ref().is_some_and(|opened| opened.connection.execute_batch("VACUUM").is_ok());
        if !rewritten {
            *writer = None;
            self.remove()?;
        }
        drop(writer);
        self.empty_log()
    }
}

const fn code(kind: Placed) -> i64 {
    match kind {
        Placed::Evidence => 1,
        Placed::Claim => 2,
    }
}

/// The source whose words a row holds; `None` when the row is not there.
fn source_of(
    connection: &Connection,
    subject: i64,
    kind: Placed,
    row: Position,
) -> rusqlite::Result<Option<Position>> {
    let sql = match kind {
        Placed::Evidence => {
            "SELECT source_seq, source_ordinal FROM evidence WHERE subject = ? AND seq = ? AND ordinal = ?"
        }
        Placed::Claim => {
            "SELECT source_seq, source_ordinal FROM claim WHERE subject = ? AND seq = ? AND ordinal = ?"
        }
    };
    connection
        .prepare_cached(sql)?
        .query_row(params![subject, signed(row.seq), row.ordinal], |row| position(row, 0))
        .optional()
}

fn position(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Position> {
    Ok(Position::new(row.get::<_, i64>(first)?.max(0) as u64, row.get(first + 1)?))
}

fn packed(model: &ModelIdentity, row: &VectorRow) -> Vec<u8> {
    let mut plain = Vec::with_capacity(HEAD_BYTES + row.vector.steps.len());
    plain.extend_from_slice(&model.mark[..16]);
    plain.extend_from_slice(&row.piece.to_le_bytes());
    plain.extend_from_slice(&row.vector.scale.to_le_bytes());
    plain.extend(row.vector.steps.iter().map(|step| step.cast_unsigned()));
    plain
}

fn unpacked(model: &ModelIdentity, piece: u32, plain: &[u8]) -> Option<Quantised> {
    let (head, steps) = plain.split_at_checked(HEAD_BYTES)?;
    let whole = head.starts_with(&model.mark[..16])
        && head[16..20] == piece.to_le_bytes()
        && steps.len() == model.dims as usize;
    let scale = f32::from_le_bytes(head[20..].try_into().ok()?);
    whole.then(|| Quantised { scale, steps: steps.iter().map(|step| step.cast_signed()).collect() })
}

/// A vector as it stands in the file.
struct Stored {
    number: i64,
    of: Position,
    piece: u32,
    key: Position,
    sealed: Vec<u8>,
}

/// A vector ready to be written.
struct Ready {
    of: Position,
    piece: u32,
    key: Position,
    sealed: Vec<u8>,
}

/// Numbers given in one transaction are new, and in order.
fn insert(
    connection: &Connection,
    known: Known,
    model: i64,
    kind: Placed,
    rows: &[Ready],
) -> rusqlite::Result<()> {
    let last: i64 = connection
        .prepare_cached("UPDATE about SET last = last + ? RETURNING last")?
        .query_row([rows.len() as i64], |row| row.get(0))?;
    let mut insert =
        connection.prepare_cached("INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (number, row) in (last - rows.len() as i64 + 1..).zip(rows) {
        insert.execute(params![
            known.number,
            model,
            code(kind),
            number,
            signed(row.of.seq),
            row.of.ordinal,
            row.piece,
            signed(row.key.seq),
            row.key.ordinal,
            row.sealed
        ])?;
    }
    Ok(())
}

/// The number of a model and its dimensions; `None` when it has no vectors here.
fn model_number(connection: &Connection, model: &ModelIdentity) -> rusqlite::Result<Option<(i64, u32)>> {
    connection
        .prepare_cached("SELECT model, dims FROM model WHERE mark = ?")?
        .query_row([model.mark], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

impl VectorStore for SqliteStore {
    fn vectors(
        &self,
        scope: &Scope,
        model: &ModelIdentity,
        kind: Placed,
        after: VectorMark,
        take: &mut dyn FnMut(VectorRow),
    ) -> Result<VectorMark, StoreError> {
        let Some(known) = self.read_subject(scope, |_, known| Ok(known))? else { return Ok(after) };
        let owner = Owner { store: self.shared.keyring.store(), uid: known.uid };
        let mut mark = after;
        loop {
            let read = self.shared.vectors.read(|connection, keeping| {
                let since = if keeping == mark.keeping { mark.number } else { 0 };
                let none = (VectorMark { keeping, number: since }, None, Vec::new());
                let Some((number, dims)) = model_number(connection, model)? else { return Ok(none) };
                let mut select = connection.prepare_cached(
                    "SELECT number, seq, ordinal, piece, key_seq, key_ordinal, sealed FROM vector
                     WHERE subject = ? AND model = ? AND kind = ? AND number > ? ORDER BY number LIMIT ?",
                )?;
                let range = params![known.number, number, code(kind), signed(since), PIECE_VECTORS as i64];
                let rows = select.query_map(range, |row| {
                    Ok(Stored {
                        number: row.get(0)?,
                        of: position(row, 1)?,
                        piece: row.get(3)?,
                        key: position(row, 4)?,
                        sealed: row.get(6)?,
                    })
                })?;
                let rows: Vec<Stored> = rows.collect::<rusqlite::Result<_>>()?;
                Ok((none.0, Some(dims), rows))
            });
            let Some((from, dims, rows)) = read else { return Ok(VectorMark::default()) };
            mark = from;
            if let Some(dims) = dims.filter(|dims| *dims != model.dims) {
                return Err(other_dims(model, dims));
            }
            let Some(last) = rows.last() else { return Ok(mark) };
            mark.number = last.number.max(0) as u64;
            let is_last = rows.len() < PIECE_VECTORS;
            let opened = self.shared.readers.read(|connection| {
                let seals = StoredSeals { shared: &self.shared, connection, known };
                let mut opened = Vec::with_capacity(rows.len());
                let mut newest: Option<(Position, Option<std::sync::Arc<Seal>>)> = None;
                for row in &rows {
                    if newest.as_ref().is_none_or(|(key, _)| *key != row.key) {
                        newest = Some((row.key, seals.seal_of(row.key)?));
                    }
                    let seal = newest.as_ref().and_then(|(_, seal)| seal.as_ref());
                    let place = owner.place(Column::Vector, row.of, row.key);
                    let plain = seal.and_then(|seal| seal.open(&place, &row.sealed));
                    // One that does not open is not there, and is made again.
                    let vector = plain.and_then(|plain| unpacked(model, row.piece, &plain));
                    opened.extend(vector.map(|vector| VectorRow { of: row.of, piece: row.piece, vector }));
                }
                Ok(opened)
            })?;
            opened.into_iter().for_each(&mut *take);
            if is_last {
                return Ok(mark);
            }
        }
    }

    fn keep_vectors(
        &self,
        scope: &Scope,
        basis: &Head,
        model: &ModelIdentity,
        kind: Placed,
        vectors: &[VectorRow],
    ) -> Result<usize, StoreError> {
        check_dims(model, vectors)?;
        let writer = self.writer()?;
        let same =
            |known: &Known, basis: &Head| basis.still_stands(known.number.unsigned_abs(), known.rewritten);
        let ready = self.read_subject(scope, |connection, known| {
            if !same(&known, basis) {
                return Ok(None);
            }
            let owner = Owner { store: self.shared.keyring.store(), uid: known.uid };
            let seals = StoredSeals { shared: &self.shared, connection, known };
            let mut chance = Chance::draw()?;
            let mut ready = Vec::with_capacity(vectors.len());
            for row in vectors {
                let source = source_of(connection, known.number, kind, row.of)
                    .map_err(|error| error::sqlite(error, "keep vectors"))?;
                let Some(key) = source else { continue };
                let Some(seal) = seals.seal_of(key)? else { continue };
                let place = owner.place(Column::Vector, row.of, key);
                let sealed = seal.seal(&mut chance, &place, &packed(model, row));
                ready.push(Ready { of: row.of, piece: row.piece, key, sealed });
            }
            Ok(Some(ready))
        })?;
        let Some(ready) = ready.flatten().filter(|ready| !ready.is_empty()) else { return Ok(0) };
        let shared = self.shared.clone();
        let mark = shared.keyring.mark(scope.subject());
        let (basis, model) = (*basis, model.clone());
        writer.shared(0, move |hand| {
            let Some(known) = find(&hand.connection, &mark)?.filter(|known| same(known, &basis)) else {
                return Ok(Ok(0));
            };
            shared
                .vectors
                .write(|connection, _| {
                    let number = match model_number(connection, &model)? {
                        Some((_, dims)) if dims != model.dims => return Ok(Err(dims)),
                        Some((number, _)) => number,
                        None => {
                            connection
                                .prepare_cached("INSERT INTO model (mark, name, dims) VALUES (?, ?, ?)")?
                                .execute(params![model.mark, model.name, model.dims])?;
                            connection.last_insert_rowid()
                        }
                    };
                    insert(connection, known, number, kind, &ready)?;
                    Ok(Ok(ready.len()))
                })
                .map(|kept| kept.map_err(|dims| other_dims(&model, dims)))
        })?
    }

    fn vector_models(&self, scope: &Scope) -> Result<Vec<(ModelIdentity, u64)>, StoreError> {
        let Some(known) = self.read_subject(scope, |_, known| Ok(known))? else { return Ok(Vec::new()) };
        let models = self.shared.vectors.read(|connection, _| {
            let mut select = connection.prepare_cached(
                "SELECT model.name, model.dims, model.mark, count(*) FROM vector
                 JOIN model ON model.model = vector.model WHERE vector.subject = ? GROUP BY model.mark
                 ORDER BY model.mark",
            )?;
            let rows = select.query_map([known.number], |row| {
                let model = ModelIdentity { name: row.get(0)?, dims: row.get(1)?, mark: row.get(2)? };
                Ok((model, row.get::<_, i64>(3)?.max(0) as u64))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        });
        Ok(models.unwrap_or_default())
    }

    fn drop_vectors(&self, scope: &Scope, model: Option<&ModelIdentity>) -> Result<u64, StoreError> {
        let Some(known) = self.read_subject(scope, |_, known| Ok(known))? else { return Ok(0) };
        let shared = self.shared.clone();
        let model = model.cloned();
        let dropped = self.writer()?.shared(0, move |_| {
            if shared.vectors.inode().is_none() {
                return Ok(0);
            }
            shared.vectors.write(|connection, _| match &model {
                None => connection.execute("DELETE FROM vector WHERE subject = ?", [known.number]),
                Some(model) => {
                    let place = params![known.number, model.mark];
                    connection.execute(
                        "DELETE FROM vector WHERE subject = ?
                         AND model IN (SELECT model FROM model WHERE mark = ?)",
                        place,
                    )
                }
            })
        })?;
        Ok(dropped as u64)
    }

    fn vector_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.vectors.notices.lock())
    }
}
