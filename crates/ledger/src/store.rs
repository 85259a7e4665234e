//! The store contract: what a place for logs must do, and no more.
//!
//! One write, [`Store::append`]; one deletion, [`Store::erase`]; reads by id and by span. The engine reads at a
//! basis, a pure rule makes a batch, the store takes it whole or not at all. So a retry is safe, an append touches one
//! subject, and no transaction handle crosses this line. Every method that touches memory takes a [`Scope`], all but
//! [`Store::subjects`]; an id of another subject is an id that never existed. Which policy the deployment uses is no
//! memory and nobody's: its acts have no scope. Nor have the records of subjects that are no more.

use crate::evidence::{Evidence, Marks};
use crate::id::{EvidenceId, Position, SourceId, TurnId, Watermark};
use crate::keys::{BlindKey, Fingerprint, SubjectKeys};
use crate::log::{Changes, Entry, Erasure, Keyed, Lift, SubjectErasure};
use crate::policy::PolicyAct;
use crate::proof::ChainHash;
use crate::receipt::Destruction;
use crate::scope::{Scope, Subject};
use crate::time::Instant;
use crate::turn::TurnRecord;
use crate::vectors::VectorStore;

/// Where the logs of subjects are kept.
pub trait Store: Send + Sync {
    /// What this store does beyond or short of the others.
    fn capabilities(&self) -> Capabilities;

    /// The keys of a subject; `None` when nothing was ever appended for it.
    ///
    /// # Errors
    /// As all methods: [`StoreError`], whose kind says whose turn it is.
    fn keys(&self, scope: &Scope) -> Result<Option<SubjectKeys>, StoreError>;

    /// The keys of a subject, which is created if it is new. Two callers at once get the same keys.
    fn found(&self, scope: &Scope) -> Result<SubjectKeys, StoreError>;

    /// What the subject's fingerprints are made with, whether it was ever founded or not.
    fn blind(&self, scope: &Scope) -> Result<BlindKey, StoreError>;

    /// The last append; watermark 0 when there is none.
    fn head(&self, scope: &Scope) -> Result<Head, StoreError>;

    /// Appends a group of batches to one subject's log, in order, whole or not at all.
    ///
    /// They were decided upon with the log as it was at `basis`; the first gets the number after it. Returns only after the group is as durable as
    /// [`Capabilities::durability`] says. A key seen before is answered, not appended again. An act that lifts tombstones
    /// lifts them with its append.
    fn append(&self, scope: &Scope, basis: &Head, group: &[Keyed]) -> Result<Appended, StoreError>;

    /// Hands over the appends after `after`, in order, words included but for the text of evidence.
    ///
    /// An answer of [`Read::Rewritten`] means that something was erased since `after`, or while this was read: what was
    /// handed over, and all that was derived before, must be dropped and read anew from watermark 0.
    fn read_changes(
        &self,
        scope: &Scope,
        after: Watermark,
        rows: Rows,
        take: &mut dyn FnMut(Entry),
    ) -> Result<Read, StoreError>;

    /// All of [`Store::read_changes`] at once, with all rows.
    fn changes_since(&self, scope: &Scope, after: Watermark) -> Result<Changes, StoreError> {
        // Forgotten while it is read, a log is begun anew; one erasure every few milliseconds, for ever, is not a case.
        for _ in 0..100 {
            let mut entries = Vec::new();
            match self.read_changes(scope, after, Rows::All, &mut |entry| entries.push(entry))? {
                Read::Whole => return Ok(Changes::Appended(entries)),
                Read::Rewritten if after > 0 => return Ok(Changes::Rewritten),
                Read::Rewritten => {}
            }
        }
        let erased = "the log is being erased faster than it can be read; try again";
        Err(StoreError::new(StoreErrorKind::Busy, erased))
    }

    /// For each message, whether it is known, forgotten, or new.
    fn recognise(&self, scope: &Scope, marks: &[Marks]) -> Result<Vec<Recognised>, StoreError>;

    /// Which of these marks are tombstones.
    fn forgotten(&self, scope: &Scope, marks: &[Fingerprint]) -> Result<Vec<bool>, StoreError>;

    /// How many tombstones a lift would take away.
    fn tombstones(&self, scope: &Scope, lift: &Lift) -> Result<u64, StoreError>;

    /// The hash of an append and everything before it; `None` when it is not there. No erasure changes it.
    fn chain(&self, scope: &Scope, seq: Watermark) -> Result<Option<ChainHash>, StoreError>;

    /// Evidence by id, whole; `None` for each id that is not there.
    fn evidence(&self, scope: &Scope, ids: &[EvidenceId]) -> Result<Vec<Option<Evidence>>, StoreError>;

    /// Evidence after `after` in the order of the log, whole, at most `limit`.
    fn evidence_after(
        &self,
        scope: &Scope,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError>;

    /// Takes rows out and writes others in their place, as the append after `basis`, whole or not at all. Returns after the
    /// words are in no file of this store.
    fn erase(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        erasure: &Erasure,
    ) -> Result<Erased, StoreError>;

    /// Takes out everything of a subject and destroys its keys. Tombstones stay, and a record of it where the subject was
    /// there.
    fn erase_subject(&self, scope: &Scope, erasure: &SubjectErasure) -> Result<Erased, StoreError>;

    /// The records of all subjects that were destroyed, in order.
    fn destructions(&self) -> Result<Vec<Destruction>, StoreError>;

    /// Records a resolution of the log as it was at `basis`; turns are numbered from 1 and do not move the watermark. A known key
    /// is answered. `None`, and nothing is recorded, when something was erased since, or the subject is not there: resolve again.
    fn record_turn(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        turn: &TurnRecord,
    ) -> Result<Option<TurnId>, StoreError>;

    /// Records which selected places of a turn were really used.
    fn record_use(&self, scope: &Scope, turn: TurnId, used: &[u32], at: Instant) -> Result<bool, StoreError>;

    /// A turn, with the places used so far; `None` when it is not there.
    fn turn(&self, scope: &Scope, turn: TurnId) -> Result<Option<(TurnRecord, Vec<u32>)>, StoreError>;

    /// The newest `limit` turns, newest first, each with the places used so far.
    fn recent_turns(&self, scope: &Scope, limit: usize) -> Result<Vec<RecordedTurn>, StoreError>;

    /// Every act on the policy in force, in order.
    fn policy_acts(&self) -> Result<Vec<PolicyAct>, StoreError>;

    /// Records one more act, as durably as an append; `false`, and nothing is recorded, when there are not exactly
    /// `after` acts any more: somebody else acted meanwhile.
    fn record_policy_act(&self, after: usize, act: &PolicyAct) -> Result<bool, StoreError>;

    /// Reads everything of a subject back, unseals it, and checks the whole chain.
    fn verify(&self, scope: &Scope) -> Result<Verified, StoreError>;

    /// What is damaged of that which all subjects share, such as files and the constraints between their rows; empty when it is sound.
    /// It reads the whole store, so it is asked once, and not once a subject.
    fn verify_shared(&self) -> Result<Vec<Damage>, StoreError> {
        Ok(Vec::new())
    }

    /// All subjects. For operators: the one call without a scope.
    fn subjects(&self) -> Result<Vec<Subject>, StoreError>;

    /// What of the whole store cannot be read for want of a key, by counts and ids; empty when every key is there.
    fn unreadable(&self) -> Result<Vec<Damage>, StoreError> {
        Ok(Vec::new())
    }

    /// Where this store keeps vectors: beside the log, disposable, and erased with the rows they place.
    fn vector_store(&self) -> &dyn VectorStore;
}

/// A turn as it was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedTurn {
    /// Its id.
    pub id: TurnId,
    /// What was chosen, and from what.
    pub record: TurnRecord,
    /// The selected places that were really used, as far as somebody said so; in order.
    pub used: Vec<u32>,
}

/// Which rows of an append are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// All.
    All,
    /// Those that [`crate::memory::Memory`] folds: of evidence only the editions of living sources. A store may hand over
    /// more.
    Folded,
    /// Evidence. A store may hand over more.
    Messages,
    /// The evidence of a source. A store may hand over more.
    MessagesOf(SourceId),
}

/// How reading the log ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// Everything was handed over.
    Whole,
    /// Something was erased: begin anew.
    Rewritten,
}

/// What a store does, as data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities {
    /// A name for reports.
    pub name: &'static str,
    /// What an acknowledged append survives.
    pub durability: Durability,
    /// Whether erased words are gone from every file when [`Store::erase`] returns, or only unreadable.
    pub erases_bytes: bool,
}

/// What an acknowledged append survives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Nothing: memory only.
    Process,
    /// The death of the process and of the machine's power.
    PowerLoss,
}

/// The end of a subject's log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Head {
    /// The number of the last append.
    pub watermark: Watermark,
    /// When it was recorded.
    pub recorded_at: Instant,
    /// Which life of the subject this is: grows when a subject that was erased whole is founded again.
    pub incarnation: u64,
}

impl Head {
    /// Whether a log that ends now at `watermark`, in this life of its subject, is still the one that was read. Of an empty log
    /// nothing was read, so one life is as good as another.
    #[must_use]
    pub fn holds(&self, watermark: Watermark, incarnation: u64) -> bool {
        self.watermark == watermark && (watermark == 0 || self.incarnation == incarnation)
    }

    /// Whether nothing of what was read up to here is erased from a log in this life of its subject, which last erased something
    /// at `rewritten`: what was derived from it may be kept.
    #[must_use]
    pub fn still_stands(&self, incarnation: u64, rewritten: Watermark) -> bool {
        self.incarnation == incarnation && rewritten <= self.watermark
    }
}

/// How an append ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Appended {
    /// Durable; the last batch of the group has this number.
    Done(Watermark),
    /// Nothing was appended: the log moved since the basis was read, or was begun anew. It ends here now; read again.
    BasisMoved(Watermark),
    /// Nothing was appended: some keys of the group are known; for each batch the append its key stands for.
    Known(Vec<Option<Watermark>>),
    /// The outcome could not be learnt. The same keys find out.
    Unknown,
}

/// Whether a message is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recognised {
    /// Not seen before.
    New,
    /// It is this evidence.
    Known(EvidenceId),
    /// It was forgotten on request and must not be learnt again.
    Forgotten,
}

/// How an erasure ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Erased {
    /// Done; the erasure is append `watermark`.
    Done {
        /// The number of the append that records the erasure; 0 when the whole subject is gone.
        watermark: Watermark,
        /// Rows taken out.
        rows: u64,
        /// Places in the store's files where bytes of the erased rows were still found afterwards. 0 is the promise.
        residue: u64,
    },
    /// Nothing was erased: the log moved since the basis was read, or was begun anew. It ends here now; plan again.
    BasisMoved(Watermark),
}

/// What a check of one subject's log found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// Appends read.
    pub appends: u64,
    /// Rows read.
    pub rows: u64,
    /// Rows erased and accounted for.
    pub erased: u64,
    /// What is wrong, place by place; empty when all is well.
    pub damage: Vec<Damage>,
}

/// One thing wrong with a stored log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// Where.
    pub place: String,
    /// What.
    pub what: String,
}

/// Why a store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    kind: StoreErrorKind,
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Whose turn it is after a store error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreErrorKind {
    /// Someone else holds the store for the moment: try again.
    Busy,
    /// The disk is full: make room.
    Full,
    /// The directory or file may not be read or written: change the permission.
    Permission,
    /// The store was written by a newer version: upgrade this program.
    Newer,
    /// A key is missing or wrong: bring it back.
    Key,
    /// The stored bytes are not what was written: restore a backup.
    Damaged,
    /// What was handed in breaks a rule of the contract: our fault.
    Contract,
    /// The operating system failed otherwise.
    Io,
}

impl StoreError {
    /// An error of `kind` that says `message`.
    #[must_use]
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same, caused by `source`.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Whose turn it is.
    #[must_use]
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }
}
