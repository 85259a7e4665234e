//! The store contract on one SQLite file: `<data>/ledger.db`, with keys beside it in `<data>/keys/`.
//!
//! In reading order: `files`, `held` and `connection` touch the disk; `keyring` and `seal` hold the keys and seal words
//! with them; `schema` has the tables; `row` takes rows to disk and back; `writer` is the one thread that
//! writes, many callers to one commit; then the contract's verbs, each in its file: `append`, `read`, `erase`,
//! `tombstone`, `destruction`, `turn`, `policy`, `verify`; then what is done to keys: `rotate`, `lost`. Beside the ledger
//! stands what can be lost, each on a file of its own: `vectors`, `telemetry`.
#![deny(missing_docs)]

mod append;
mod chance;
mod connection;
mod destruction;
mod erase;
mod error;
pub mod failpoint;
mod files;
mod held;
mod keyring;
mod lost;
mod open;
mod policy;
mod read;
mod residue;
mod rotate;
mod row;
mod schema;
mod seal;
mod subject;
mod telemetry;
mod tombstone;
mod turn;
mod vectors;
mod verify;
mod write_ahead;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use ledger::evidence::{Evidence, Marks};
use ledger::id::{EvidenceId, Position, TurnId, Watermark};
use ledger::keys::{BlindKey, Fingerprint, SubjectKeys};
use ledger::log::{Entry, Erasure, Keyed, Lift, SubjectErasure};
use ledger::policy::PolicyAct;
use ledger::proof::ChainHash;
use ledger::receipt::Destruction;
use ledger::scope::{Scope, Subject};
use ledger::store::{
    Appended, Capabilities, Damage, Durability, Erased, Head, Read, Recognised, RecordedTurn, Rows, Store,
    StoreError, Verified,
};
use ledger::time::Instant;
use ledger::turn::TurnRecord;
use ledger::vectors::VectorStore;
use zeroize::Zeroizing;

pub use crate::lost::{GroupState, KeyGroup};
pub use crate::rotate::{Rotated, RotationStep};
pub use crate::telemetry::SqliteTelemetry;

use crate::connection::{Access, Readers};
use crate::keyring::Keyring;
use crate::open::Unwritable;
use crate::subject::Cache;
use crate::vectors::VectorFile;
use crate::writer::Writer;

/// How a store is opened.
#[derive(Clone)]
pub struct Options {
    /// The master key, where it comes from the environment or a command; `None` for the file `keys/master.key`, which
    /// is made together with a new store.
    pub master_key: Option<Zeroizing<[u8; 32]>>,
    /// The most connections that read at the same time.
    pub readers_max: usize,
    /// How sure an append is when it is acknowledged. All but [`Synchronous::Full`] are for tests and measurements.
    pub synchronous: Synchronous,
}

/// How sure an append is when it is acknowledged, by what SQLite waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Synchronous {
    /// The write-ahead log is on the disk: it survives a power cut.
    #[default]
    Full,
    /// The log is made to last when it is written back, not at every commit. An append survives the death
    /// of the process; a power cut takes the last ones.
    Normal,
    /// Nothing is waited for. A power cut takes whatever it likes.
    Off,
}

impl Default for Options {
    fn default() -> Self {
        Self { master_key: None, readers_max: 8, synchronous: Synchronous::Full }
    }
}

/// A store in one directory. Several processes may have the same one open.
///
/// Dropping it finishes what was queued.
pub struct SqliteStore {
    /// Before `shared`, so that the writer is done before anything it uses goes.
    writer: Result<Writer, Unwritable>,
    shared: Arc<Shared>,
}

/// What callers and the writer both use.
pub(crate) struct Shared {
    pub(crate) data: PathBuf,
    pub(crate) access: Access,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) readers: Readers,
    pub(crate) cache: Cache,
    pub(crate) vectors: VectorFile,
}

impl Shared {
    /// The file that keeps room to forget.
    pub(crate) fn ballast(&self) -> PathBuf {
        self.data.join("ballast")
    }
}

impl SqliteStore {
    /// The writer, where the directory can be written.
    pub(crate) fn writer(&self) -> Result<&Writer, StoreError> {
        self.writer.as_ref().map_err(|unwritable| unwritable.refusal(&self.shared.data))
    }
}

impl Store for SqliteStore {
    fn capabilities(&self) -> Capabilities {
        let durability = match self.shared.access.synchronous {
            Synchronous::Full => Durability::PowerLoss,
            Synchronous::Normal | Synchronous::Off => Durability::Process,
        };
        Capabilities { name: "sqlite", durability, erases_bytes: true }
    }

    fn keys(&self, scope: &Scope) -> Result<Option<SubjectKeys>, StoreError> {
        self.read_keys(scope)
    }

    fn found(&self, scope: &Scope) -> Result<SubjectKeys, StoreError> {
        self.found_subject(scope)
    }

    fn blind(&self, scope: &Scope) -> Result<BlindKey, StoreError> {
        Ok(self.shared.keyring.blind(scope.subject()))
    }

    fn head(&self, scope: &Scope) -> Result<Head, StoreError> {
        self.read_head(scope)
    }

    fn append(&self, scope: &Scope, basis: &Head, group: &[Keyed]) -> Result<Appended, StoreError> {
        self.append_group(scope, basis, group)
    }

    fn read_changes(
        &self,
        scope: &Scope,
        after: Watermark,
        rows: Rows,
        take: &mut dyn FnMut(Entry),
    ) -> Result<Read, StoreError> {
        self.read_log(scope, after, rows, take)
    }

    fn recognise(&self, scope: &Scope, marks: &[Marks]) -> Result<Vec<Recognised>, StoreError> {
        self.read_recognised(scope, marks)
    }

    fn forgotten(&self, scope: &Scope, marks: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        self.read_forgotten(scope, marks)
    }

    fn tombstones(&self, scope: &Scope, lift: &Lift) -> Result<u64, StoreError> {
        self.count_tombstones(scope, lift)
    }

    fn chain(&self, scope: &Scope, seq: Watermark) -> Result<Option<ChainHash>, StoreError> {
        self.read_chain(scope, seq)
    }

    fn evidence(&self, scope: &Scope, ids: &[EvidenceId]) -> Result<Vec<Option<Evidence>>, StoreError> {
        self.read_evidence(scope, ids)
    }

    fn evidence_after(
        &self,
        scope: &Scope,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError> {
        self.read_evidence_after(scope, after, limit)
    }

    fn erase(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        erasure: &Erasure,
    ) -> Result<Erased, StoreError> {
        self.erase_rows(scope, basis, key, erasure)
    }

    fn erase_subject(&self, scope: &Scope, erasure: &SubjectErasure) -> Result<Erased, StoreError> {
        self.erase_everything(scope, erasure)
    }

    fn destructions(&self) -> Result<Vec<Destruction>, StoreError> {
        self.read_destructions()
    }

    fn record_turn(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        turn: &TurnRecord,
    ) -> Result<Option<TurnId>, StoreError> {
        self.write_turn(scope, basis, key, turn)
    }

    fn record_use(&self, scope: &Scope, turn: TurnId, used: &[u32], at: Instant) -> Result<bool, StoreError> {
        self.write_use(scope, turn, used, at)
    }

    fn turn(&self, scope: &Scope, turn: TurnId) -> Result<Option<(TurnRecord, Vec<u32>)>, StoreError> {
        self.read_turn(scope, turn)
    }

    fn recent_turns(&self, scope: &Scope, limit: usize) -> Result<Vec<RecordedTurn>, StoreError> {
        self.read_recent_turns(scope, limit)
    }

    fn policy_acts(&self) -> Result<Vec<PolicyAct>, StoreError> {
        self.read_policy_acts()
    }

    fn record_policy_act(&self, after: usize, act: &PolicyAct) -> Result<bool, StoreError> {
        self.write_policy_act(after, act)
    }

    fn verify(&self, scope: &Scope) -> Result<Verified, StoreError> {
        self.verify_log(scope)
    }

    fn verify_shared(&self) -> Result<Vec<Damage>, StoreError> {
        self.verify_file()
    }

    fn subjects(&self) -> Result<Vec<Subject>, StoreError> {
        self.read_subjects()
    }

    fn unreadable(&self) -> Result<Vec<Damage>, StoreError> {
        self.read_unreadable()
    }

    fn vector_store(&self) -> &dyn VectorStore {
        self
    }
}
