//! One subject held in memory: its snapshot, kept up with the log, and the door through which it is written.
//!
//! **Reading.** A snapshot holds the folded memory, the lexical index, the vectors made so far, and the keys. It may run ahead of what is durable,
//! because every read is *as of* the last durable watermark, which the snapshot remembers.
//!
//! **Writing.** Callers queue what they want written; one of them becomes the leader, takes everything that waits,
//! prepares it in order against the snapshot, and hands it to the store as one group: one flush of the disk for all.
//! When the store says that another process moved the log, what was prepared is taken back and prepared again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ledger::admission::Policies;
use ledger::claim::{Claim, Realm};
use ledger::entity::EntityRef;
use ledger::evidence::{Evidence, Marks};
use ledger::id::{ClaimId, EvidenceId, FactId, Position, VersionId, Watermark};
use ledger::keys::{Fingerprint, Purpose, SubjectKeys};
use ledger::log::{Batch, Entry, Keyed, Row};
use ledger::memory::Memory;
use ledger::registry::{Class, Predicate, Registry};
use ledger::scope::Scope;
use ledger::store::{Appended, Head, Read, Recognised, Rows, Store, StoreError, StoreErrorKind};
use ledger::time::Instant;
use ledger::vectors::{ModelIdentity, Placed, VectorMark, VectorRow};
use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use rustc_hash::FxHashMap;

use crate::dense::Vectors;
use crate::embed::Follower;
use crate::error::EngineError;
use crate::lexical::{Field, LexicalIndex};
use crate::names::ALSO_CALLED;
use crate::recall::Passages;

/// How often a log is read anew because something was erased meanwhile.
const REWRITTEN_MAX: usize = 100;

/// How often a change is prepared anew when other processes keep moving the log.
const ATTEMPTS_MAX: usize = 200;

/// How often an append is asked for again whose outcome could not be learnt.
const UNKNOWN_MAX: usize = 3;

/// A subject's snapshot and its write queue.
pub(crate) struct Held {
    snapshot: RwLock<Snapshot>,
    leader: Mutex<()>,
    passages: Mutex<Passages>,
    queue: Mutex<Vec<Arc<Waiting>>>,
    /// Whose vectors are followed.
    model: Option<ModelIdentity>,
}

/// What is known of a subject, folded and indexed.
#[derive(Default)]
pub(crate) struct Snapshot {
    pub keys: Option<SubjectKeys>,
    pub memory: Memory,
    /// The last append known to be durable; reads look no further.
    pub durable: Watermark,
    incarnation: u64,
    /// Grows whenever the snapshot is begun anew, so that what was derived from it knows.
    pub generation: u64,
    /// Words of versions; the document number is the place in `documents`.
    pub words: LexicalIndex,
    pub documents: Vec<VersionId>,
    document_of: FxHashMap<VersionId, u32>,
    /// The claim whose words each document was made of.
    words_of: Vec<ClaimId>,
    /// The documents whose claim is not the one their version is numbered by: that one was erased.
    document_of_claim: FxHashMap<ClaimId, u32>,
    /// Where the documents lie by meaning; some may not have been placed yet.
    pub dense: Vectors,
    follower: Follower,
    /// Facts that a turn may want without a match: identity, constraint, preference, and what else the registry calls
    /// generally important; in that order.
    profile: [Vec<FactId>; 4],
    /// The facts about each entity, in the order they were first stated.
    about: FxHashMap<EntityRef, Vec<FactId>>,
    /// Other names of entities, by the version that gave them.
    aliases: FxHashMap<EntityRef, Vec<Alias>>,
}

/// Another name of an entity.
struct Alias {
    version: VersionId,
    realm: Realm,
    name: String,
}

impl Snapshot {
    /// Everything that facts are about, in no particular order.
    pub fn entities(&self) -> impl Iterator<Item = &EntityRef> {
        self.about.keys()
    }

    /// The other names of an entity that count in `realm`: a document may not name the owner's things anew, but what the
    /// owner calls them finds documents, too.
    pub fn aliases(&self, entity: &EntityRef, realm: Realm) -> impl Iterator<Item = &str> {
        let known = self.aliases.get(entity).into_iter().flatten();
        known
            .filter(move |alias| alias.realm == Realm::Owner || realm == Realm::World)
            .map(|alias| alias.name.as_str())
    }

    /// Facts of the classes a turn may want without a match, the most general first.
    pub fn profile(&self) -> impl Iterator<Item = FactId> + '_ {
        self.profile.iter().flatten().copied()
    }

    /// The facts about one entity, in the order they were first stated.
    pub fn about(&self, entity: &EntityRef) -> &[FactId] {
        self.about.get(entity).map(Vec::as_slice).unwrap_or_default()
    }

    /// About how much memory this takes: the indexes to the byte, the rest by the measured cost of a claim.
    pub fn resident_bytes(&self) -> usize {
        const CLAIM_BYTES: usize = 900;
        self.words.resident_bytes() + self.dense.resident_bytes() + self.documents.len() * CLAIM_BYTES
    }

    /// The end of the log this knows to be durable.
    pub fn head(&self) -> Head {
        Head {
            watermark: self.durable,
            recorded_at: self.memory.recorded_when(self.durable).unwrap_or_default(),
            incarnation: self.incarnation,
        }
    }

    /// How many versions have no vector.
    pub fn vectors_missing(&self) -> u64 {
        self.documents.len().saturating_sub(self.dense.documents()) as u64
    }

    /// The claims by whose words a version waits to be placed, in the order of the log, as far as they are durable.
    pub fn claims_without_vector(&self) -> impl Iterator<Item = (ClaimId, &Claim)> {
        let waiting = (0_u32..).zip(&self.words_of).filter(|(document, _)| !self.dense.contains(*document));
        waiting
            .filter(|(_, claim)| claim.0.seq <= self.durable)
            .filter_map(|(_, id)| self.memory.claim(*id).map(|claim| (*id, claim.as_ref())))
    }

    /// The document made of a claim's words.
    fn document_made_of(&self, claim: ClaimId) -> Option<u32> {
        let numbered = self.document_of.get(&VersionId(claim.0)).copied();
        numbered
            .filter(|document| self.words_of.get(*document as usize) == Some(&claim))
            .or_else(|| self.document_of_claim.get(&claim).copied())
    }

    fn apply_row(&mut self, position: Position, row: &Row, registry: &Registry) {
        self.memory.apply_row(position, row, registry);
        match row {
            Row::Transition(transition) => self.index(transition.version, registry),
            Row::Fact(fact) if fact.realm == Realm::Owner => {
                let place = match registry.get(&fact.predicate) {
                    Some(Predicate { class: Class::Identity, .. }) => 0,
                    Some(Predicate { class: Class::Constraint, .. }) => 1,
                    Some(Predicate { class: Class::Preference, .. }) => 2,
                    Some(Predicate { important: true, .. }) => 3,
                    _ => return,
                };
                self.profile[place].push(FactId(position));
            }
            // The first claim names the fact's entity.
            Row::Claim(claim) if self.memory.fact(claim.fact).is_some_and(|fact| fact.causes.len() == 1) => {
                self.about.entry(claim.words.entity.clone()).or_default().push(claim.fact);
            }
            _ => {}
        }
    }

    /// Adds the words of a version to the index when it is new.
    fn index(&mut self, id: VersionId, registry: &Registry) {
        if self.document_of.contains_key(&id) {
            return;
        }
        let Some((_, version)) = self.memory.version(id) else { return };
        // The same that `Memory::value_of` reads the value from.
        let mut told = version.claims.iter().map(|support| support.claim);
        let Some(told_by) = told.find(|id| self.memory.claim(*id).is_some()) else { return };
        let document = self.documents.len() as u32;
        // A text beyond the index's bounds is still found by the rest of its words; the gate keeps values far below.
        if self.write_document(document, id, registry) {
            self.documents.push(id);
            self.document_of.insert(id, document);
            self.words_of.push(told_by);
            if told_by.0 != id.0 {
                self.document_of_claim.insert(told_by, document);
            }
        }
        self.learn_name(id, registry);
    }

    /// Writes the words of a version into the index; `false` when it has none.
    fn write_document(&mut self, document: u32, id: VersionId, registry: &Registry) -> bool {
        let Some((_, version)) = self.memory.version(id) else { return false };
        let Some(claim) = self.memory.value_of(version) else { return false };
        let value = claim.words.value().map(ToString::to_string).unwrap_or_default();
        let written = claim.words.value.as_ref().map(|stated| stated.written.as_str()).unwrap_or_default();
        let entity =
            if claim.words.entity.is_owner() { String::new() } else { claim.words.entity.to_string() };
        let predicate = registry.get(&claim.predicate);
        let mut asked_by = predicate.map(|predicate| predicate.label.clone()).unwrap_or_default();
        for word in predicate.iter().flat_map(|predicate| &predicate.words) {
            asked_by.push(' ');
            asked_by.push_str(word);
        }
        let said: Vec<&str> = claim.words.quotes.iter().map(|quote| quote.text()).collect();
        let said = said.join("\n");
        let both = if written == value { value } else { format!("{value}\n{written}") };
        let mut fields = vec![
            (Field::Value, both.as_str()),
            (Field::Entity, &entity),
            (Field::Predicate, &asked_by),
            (Field::Quote, &said),
        ];
        let aliases = self.aliases.get(&claim.words.entity).into_iter().flatten();
        let counting = aliases.filter(|alias| alias.realm == Realm::Owner || claim.realm == Realm::World);
        fields.extend(counting.map(|alias| (Field::Entity, alias.name.as_str())));
        self.words.add(document, &fields).is_ok()
    }

    /// Has what is known of an entity found by its other name, too, when this version gives one.
    fn learn_name(&mut self, id: VersionId, registry: &Registry) {
        let Some((_, version)) = self.memory.version(id) else { return };
        let Some(claim) = self.memory.value_of(version).filter(|claim| claim.predicate == ALSO_CALLED) else {
            return;
        };
        let Some(name) = claim.words.value().map(ToString::to_string) else { return };
        let (entity, realm) = (claim.words.entity.clone(), claim.realm);
        self.aliases.entry(entity.clone()).or_default().push(Alias { version: id, realm, name });
        self.index_anew(&entity, registry);
    }

    /// Writes the words of everything known of an entity again.
    fn index_anew(&mut self, entity: &EntityRef, registry: &Registry) {
        let facts = self.about(entity).iter().filter_map(|fact| self.memory.fact(*fact));
        let versions = facts.flat_map(|fact| fact.versions.iter().map(|version| version.id));
        let documents: Vec<(u32, VersionId)> = versions
            .filter_map(|version| self.document_of.get(&version).map(|document| (*document, version)))
            .collect();
        for (document, version) in documents {
            self.write_document(document, version, registry);
        }
    }

    /// Takes in vectors that were kept.
    fn place(&mut self, rows: Vec<VectorRow>, mark: VectorMark) {
        let mut follower = std::mem::take(&mut self.follower);
        let mut dense = std::mem::take(&mut self.dense);
        let document_of = |of: Position| self.document_made_of(ClaimId(of));
        follower.take(rows, mark, self.memory.watermark(), &mut dense, document_of);
        (self.follower, self.dense) = (follower, dense);
    }

    /// An empty snapshot that follows this one.
    fn anew(&self, incarnation: u64, keys: Option<SubjectKeys>) -> Self {
        let dense = Vectors::new(self.dense.dims());
        Self { keys, incarnation, generation: self.generation + 1, dense, ..Self::default() }
    }

    /// Takes back rows that the store did not take.
    fn take_back(&mut self, watermark: Watermark, rows: &[(Position, Row)], registry: &Registry) {
        for (_, row) in rows.iter().rev() {
            let Row::Claim(claim) = row else { continue };
            if let Some(facts) = self.about.get_mut(&claim.words.entity) {
                while facts.last().is_some_and(|fact| fact.0.seq > watermark) {
                    facts.pop();
                }
                if facts.is_empty() {
                    self.about.remove(&claim.words.entity);
                }
            }
        }
        self.memory.take_back(watermark, rows);
        while let Some(id) = self.documents.last().copied().filter(|id| id.0.seq > watermark) {
            self.documents.pop();
            self.document_of.remove(&id);
            self.words.remove(self.documents.len() as u32);
            self.dense.remove(self.documents.len() as u32);
            if let Some(claim) = self.words_of.pop() {
                self.document_of_claim.remove(&claim);
            }
        }
        for facts in &mut self.profile {
            while facts.last().is_some_and(|fact| fact.0.seq > watermark) {
                facts.pop();
            }
        }
        let mut nameless = Vec::new();
        self.aliases.retain(|entity, aliases| {
            let before = aliases.len();
            aliases.retain(|alias| alias.version.0.seq <= watermark);
            if aliases.len() < before {
                nameless.push(entity.clone());
            }
            !aliases.is_empty()
        });
        nameless.iter().for_each(|entity| self.index_anew(entity, registry));
    }
}

/// A change somebody waits for.
struct Waiting {
    marks: Vec<Marks>,
    prepare: Mutex<Box<Prepare>>,
    finished: AtomicBool,
    outcome: Mutex<Option<Result<(), EngineError>>>,
}

type Prepare = dyn FnMut(&mut Draft<'_>, &[Recognised]) -> Result<(), EngineError> + Send;

/// The appends one change consists of, being put together against the snapshot.
pub(crate) struct Draft<'write> {
    pub snapshot: &'write mut Snapshot,
    pub keys: &'write SubjectKeys,
    pub policies: &'write Policies,
    pub store: &'write dyn Store,
    pub scope: &'write Scope,
    now: Instant,
    seq: Watermark,
    recorded_at: Instant,
    rows: Vec<Row>,
    group: Vec<Keyed>,
    /// Whether one of the group carries a key of the caller's.
    named_by_caller: bool,
    /// Every row pushed, for taking back.
    log: Vec<(Position, Row)>,
    /// Messages that this group brings and the store does not know yet.
    fresh: FxHashMap<Fingerprint, EvidenceId>,
}

/// What a group of changes came to.
struct Prepared {
    basis: Head,
    keyed: Vec<Keyed>,
    named_by_caller: bool,
    log: Vec<(Position, Row)>,
}

impl Draft<'_> {
    /// When it is recorded: now, but never before the append before it.
    pub fn recorded_at(&self) -> Instant {
        self.recorded_at
    }

    /// The place the next row gets.
    pub fn next(&self) -> Position {
        Position::new(self.seq, self.rows.len() as u32)
    }

    /// The append in which a reader finds everything written so far.
    pub fn watermark(&self) -> Watermark {
        if self.rows.is_empty() { self.seq - 1 } else { self.seq }
    }

    /// Adds a row and folds it in, so that what follows sees it.
    pub fn push(&mut self, row: Row) -> Position {
        let position = self.next();
        self.snapshot.apply_row(position, &row, &self.policies.registry);
        if let Row::Evidence(evidence) = &row {
            for mark in evidence.marks.external_id.into_iter().chain([evidence.marks.moment]) {
                self.fresh.insert(mark, EvidenceId(position));
            }
        }
        self.log.push((position, row.clone()));
        self.rows.push(row);
        position
    }

    /// A message by its id, whether the store has it or this group brings it.
    pub fn evidence(&self, id: EvidenceId) -> Result<Option<Evidence>, EngineError> {
        let brought = self.log.iter().rev().find(|(position, _)| *position == id.0);
        if let Some((_, Row::Evidence(evidence))) = brought {
            return Ok(Some(evidence.clone()));
        }
        Ok(self.store.evidence(self.scope, &[id])?.pop().flatten())
    }

    /// The message with these marks that an earlier part of this group brought.
    pub fn fresh(&self, marks: &Marks) -> Option<EvidenceId> {
        marks.external_id.into_iter().chain([marks.moment]).find_map(|mark| self.fresh.get(&mark).copied())
    }

    /// Closes the append, if it has rows, and begins the next; answers the watermark a reader of it needs.
    pub fn close(&mut self, key: Option<Fingerprint>) -> Watermark {
        if self.rows.is_empty() {
            return self.seq - 1;
        }
        self.named_by_caller |= key.is_some();
        let key = key.unwrap_or_else(|| {
            // Without a key of the caller's the append is named by its place and by all it says: another process that
            // prepares something else for the same place, such as a second message of a source new to both, must not
            // be taken for this one.
            let place = self.seq.to_le_bytes();
            let rows: Vec<Vec<u8>> = self.rows.iter().map(Row::encode).collect();
            let parts: Vec<&[u8]> =
                [b"place".as_slice(), &place].into_iter().chain(rows.iter().map(Vec::as_slice)).collect();
            self.keys.fingerprint(Purpose::Request, &parts)
        });
        let rows = std::mem::take(&mut self.rows);
        self.group.push(Keyed { key, batch: Batch { recorded_at: self.recorded_at, rows } });
        self.snapshot.memory.finish(self.seq, self.recorded_at);
        self.seq += 1;
        self.recorded_at = self.now.max(self.recorded_at);
        self.seq - 1
    }
}

/// Appends, and where the outcome could not be learnt asks with the same keys until it is.
fn append_and_learn(
    store: &dyn Store,
    scope: &Scope,
    basis: &Head,
    group: &[Keyed],
) -> Result<Appended, StoreError> {
    let mut appended = store.append(scope, basis, group)?;
    for _ in 0..UNKNOWN_MAX {
        if appended != Appended::Unknown {
            break;
        }
        appended = match store.append(scope, basis, group)? {
            // All of it, where it was to stand: the first attempt had succeeded.
            Appended::Known(places)
                if places.iter().copied().eq((basis.watermark + 1..).map(Some).take(group.len())) =>
            {
                Appended::Done(basis.watermark + group.len() as u64)
            }
            other => other,
        };
    }
    Ok(appended)
}

impl Held {
    pub fn new(model: Option<ModelIdentity>) -> Self {
        let dims = model.as_ref().map_or(0, |model| model.dims as usize);
        Self {
            snapshot: RwLock::new(Snapshot { dense: Vectors::new(dims), ..Snapshot::default() }),
            leader: Mutex::default(),
            passages: Mutex::default(),
            queue: Mutex::default(),
            model,
        }
    }

    /// The snapshot, brought up to the log's end, with the vectors that were kept so far.
    pub fn read(
        &self,
        store: &dyn Store,
        scope: &Scope,
        policies: &Policies,
    ) -> Result<RwLockReadGuard<'_, Snapshot>, EngineError> {
        let snapshot = self.read_log(store, scope, policies)?;
        let Some(model) = self.model.as_ref().filter(|_| snapshot.vectors_missing() > 0) else {
            return Ok(snapshot);
        };
        let (generation, mark) = (snapshot.generation, snapshot.follower.mark());
        drop(snapshot);
        let mut rows = Vec::new();
        let mark =
            store.vector_store().vectors(scope, model, Placed::Claim, mark, &mut |row| rows.push(row))?;
        if !rows.is_empty() {
            let mut snapshot = self.snapshot.write();
            // What was read for a snapshot that is gone may be of words that are gone.
            if snapshot.generation == generation {
                snapshot.place(rows, mark);
            }
        }
        self.read_log(store, scope, policies)
    }

    fn read_log(
        &self,
        store: &dyn Store,
        scope: &Scope,
        policies: &Policies,
    ) -> Result<RwLockReadGuard<'_, Snapshot>, EngineError> {
        let head = store.head(scope)?;
        let snapshot = self.snapshot.read();
        let same_life = snapshot.incarnation == head.incarnation;
        let has_keys = snapshot.keys.is_some() || store.keys(scope)?.is_none();
        if same_life && snapshot.durable == head.watermark && has_keys {
            return Ok(snapshot);
        }
        drop(snapshot);
        // Only the leader moves a snapshot, so a read that comes while one works waits for what it needs anyway.
        let _leading = self.leader.lock();
        self.catch_up(store, scope, policies)?;
        Ok(self.snapshot.read())
    }

    /// Folds in what the log gained. Called by the leader only.
    fn catch_up(&self, store: &dyn Store, scope: &Scope, policies: &Policies) -> Result<(), EngineError> {
        let mut snapshot = self.snapshot.write();
        let head = store.head(scope)?;
        if snapshot.durable > head.watermark || snapshot.incarnation != head.incarnation {
            // The subject was forgotten by another process, and perhaps begun anew.
            *snapshot = snapshot.anew(head.incarnation, None);
        }
        if snapshot.keys.is_none() {
            snapshot.keys = store.keys(scope)?;
        }
        if snapshot.durable == head.watermark {
            return Ok(());
        }
        for _ in 0..REWRITTEN_MAX {
            let after = snapshot.durable;
            let mut fold = |entry: Entry| {
                for (position, row) in &entry.rows {
                    snapshot.apply_row(*position, row, &policies.registry);
                }
                snapshot.memory.finish(entry.seq, entry.recorded_at);
                snapshot.durable = entry.seq;
            };
            match store.read_changes(scope, after, Rows::Folded, &mut fold)? {
                Read::Whole => return Ok(()),
                Read::Rewritten => {
                    let head = store.head(scope)?;
                    *snapshot = snapshot.anew(head.incarnation, store.keys(scope)?);
                }
            }
        }
        let erased = "the log is being erased faster than it can be read; try again";
        Err(EngineError::Conflict(erased.to_owned()))
    }

    /// The messages' index, which only asking for evidence builds.
    pub fn passages(&self) -> MutexGuard<'_, Passages> {
        self.passages.lock()
    }

    /// About how much memory the snapshot takes, in bytes; 0 while it is being written.
    pub fn resident_bytes(&self) -> usize {
        let passages = self.passages.try_lock().map_or(0, |passages| passages.resident_bytes());
        self.snapshot.try_read().map_or(0, |snapshot| snapshot.resident_bytes()) + passages
    }

    /// Drops what is held, so that the next read begins from the log.
    pub fn drop_snapshot(&self) {
        let _leading = self.leader.lock();
        let mut snapshot = self.snapshot.write();
        *snapshot = snapshot.anew(0, None);
    }

    /// Has `prepare` write appends, and returns when they are durable.
    ///
    /// `prepare` may run several times; only what its last run said counts. `marks` are the messages it needs recognised.
    pub fn write(
        &self,
        store: &dyn Store,
        scope: &Scope,
        policies: &Policies,
        now: Instant,
        marks: Vec<Marks>,
        prepare: Box<Prepare>,
    ) -> Result<(), EngineError> {
        let own = Arc::new(Waiting {
            marks,
            prepare: Mutex::new(prepare),
            finished: AtomicBool::new(false),
            outcome: Mutex::new(None),
        });
        self.queue.lock().push(own.clone());
        let leading = self.leader.lock();
        if !own.finished.load(Ordering::Acquire) {
            let group = std::mem::take(&mut *self.queue.lock());
            self.lead(store, scope, policies, now, &group);
        }
        drop(leading);
        own.outcome
            .lock()
            .take()
            .unwrap_or_else(|| Err(EngineError::Conflict("the write was not taken up".to_owned())))
    }

    /// Writes everything that waits, and tells each how it went.
    fn lead(
        &self,
        store: &dyn Store,
        scope: &Scope,
        policies: &Policies,
        now: Instant,
        group: &[Arc<Waiting>],
    ) {
        let finish = |waiting: &Waiting, outcome: Result<(), EngineError>| {
            *waiting.outcome.lock() = Some(outcome);
            waiting.finished.store(true, Ordering::Release);
        };
        let whole = self.try_group(store, scope, policies, now, group);
        match whole {
            Ok(()) => group.iter().for_each(|waiting| finish(waiting, Ok(()))),
            Err(error) if group.len() == 1 => finish(&group[0], Err(error)),
            // One bad change must not take the others down with it: each by itself.
            Err(_) => {
                for waiting in group {
                    let alone = std::slice::from_ref(waiting);
                    finish(waiting, self.try_group(store, scope, policies, now, alone));
                }
            }
        }
    }

    fn try_group(
        &self,
        store: &dyn Store,
        scope: &Scope,
        policies: &Policies,
        now: Instant,
        group: &[Arc<Waiting>],
    ) -> Result<(), EngineError> {
        for _ in 0..ATTEMPTS_MAX {
            self.catch_up(store, scope, policies)?;
            let keys = match self.snapshot.read().keys.clone() {
                Some(keys) => keys,
                None => store.found(scope)?,
            };
            let marks: Vec<Marks> = group.iter().flat_map(|waiting| waiting.marks.iter().copied()).collect();
            let recognised = if marks.is_empty() { Vec::new() } else { store.recognise(scope, &marks)? };
            let Prepared { basis, keyed, named_by_caller, log } =
                self.prepare(store, scope, policies, now, &keys, group, &recognised)?;
            if keyed.is_empty() {
                return Ok(());
            }
            let appended = append_and_learn(store, scope, &basis, &keyed);
            let mut snapshot = self.snapshot.write();
            match appended {
                Ok(Appended::Done(watermark)) => {
                    snapshot.durable = watermark;
                    return Ok(());
                }
                Ok(Appended::BasisMoved(_)) => snapshot.take_back(basis.watermark, &log, &policies.registry),
                Ok(Appended::Unknown) => {
                    snapshot.take_back(basis.watermark, &log, &policies.registry);
                    let unknown = "the disk does not say whether the change was kept; make it again, it is not kept twice";
                    return Err(StoreError::new(StoreErrorKind::Io, unknown).into());
                }
                // Somebody else wrote the very same here meanwhile: read again, and find it known.
                Ok(Appended::Known(_)) if !named_by_caller => {
                    snapshot.take_back(basis.watermark, &log, &policies.registry)
                }
                Ok(Appended::Known(_)) => {
                    snapshot.take_back(basis.watermark, &log, &policies.registry);
                    let already_there = "this idempotency key was used before, for other content or a message since forgotten";
                    return Err(EngineError::Conflict(already_there.to_owned()));
                }
                Err(error) => {
                    snapshot.take_back(basis.watermark, &log, &policies.registry);
                    return Err(error.into());
                }
            }
        }
        Err(EngineError::Conflict(format!(
            "the log moved {ATTEMPTS_MAX} times while the change was prepared; try again"
        )))
    }

    /// Runs the changes against the snapshot, one after another.
    #[allow(clippy::too_many_arguments, reason = "one private step of `try_group`, split for reading")]
    fn prepare(
        &self,
        store: &dyn Store,
        scope: &Scope,
        policies: &Policies,
        now: Instant,
        keys: &SubjectKeys,
        group: &[Arc<Waiting>],
        recognised: &[Recognised],
    ) -> Result<Prepared, EngineError> {
        let mut snapshot = self.snapshot.write();
        snapshot.keys = Some(keys.clone());
        let basis = snapshot.head();
        let recorded_at = now.max(snapshot.memory.recorded_at());
        let mut draft = Draft {
            snapshot: &mut snapshot,
            keys,
            policies,
            store,
            scope,
            now,
            seq: basis.watermark + 1,
            recorded_at,
            rows: Vec::new(),
            group: Vec::new(),
            named_by_caller: false,
            log: Vec::new(),
            fresh: FxHashMap::default(),
        };
        let mut rest = recognised;
        for waiting in group {
            let (own, others) = rest.split_at(waiting.marks.len().min(rest.len()));
            rest = others;
            let outcome = (waiting.prepare.lock())(&mut draft, own);
            draft.close(None);
            if let Err(error) = outcome {
                let Draft { log, .. } = draft;
                snapshot.take_back(basis.watermark, &log, &policies.registry);
                return Err(error);
            }
        }
        let Draft { group: keyed, named_by_caller, log, .. } = draft;
        Ok(Prepared { basis, keyed, named_by_caller, log })
    }
}
