//! The reference store: the contract in memory, written to be read. What it does is what the contract means.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::evidence::{Evidence, Marks};
use crate::fact::ActKind;
use crate::id::{EvidenceId, Position, TurnId, Watermark};
use crate::keys::{BlindKey, Fingerprint, SubjectKeys};
use crate::log::{Entry, Erasure, Keyed, Lift, Row, SubjectErasure, Tombstone};
use crate::policy::PolicyAct;
use crate::proof::{ChainHash, Commitment, Salt, commit, link};
use crate::receipt::{Destruction, RowCounts};
use crate::scope::{Scope, Subject};
use crate::store::{
    Appended, Capabilities, Damage, Durability, Erased, Head, Read, Recognised, RecordedTurn, Rows, Store,
    StoreError, StoreErrorKind, Verified,
};
use crate::time::Instant;
use crate::turn::TurnRecord;
use crate::vectors::{
    ModelIdentity, Placed, Quantised, VectorMark, VectorRow, VectorStore, check_dims, other_dims,
};

/// A store that keeps everything in memory and loses it with the process.
///
/// Its keys are made of the subject's name, so that two runs agree; it is for tests, scenarios and comparison.
#[derive(Debug, Default)]
pub struct ReferenceStore {
    subjects: Mutex<BTreeMap<Subject, Log>>,
    policy_acts: Mutex<Vec<PolicyAct>>,
    destructions: Mutex<Vec<Destruction>>,
}

#[derive(Debug, Default)]
struct Log {
    founded: bool,
    /// How many times the subject was founded.
    lives: u64,
    entries: Vec<Recorded>,
    rows: BTreeMap<Position, Stored>,
    keys: BTreeMap<Fingerprint, Watermark>,
    /// Where each mark by which a message is recognised stands: that of its moment, and that of its source's own id.
    moments: BTreeSet<(Fingerprint, Position)>,
    external_ids: BTreeSet<(Fingerprint, Position)>,
    /// Each with the mark of its source.
    tombstones: BTreeMap<Fingerprint, Fingerprint>,
    rewritten: Watermark,
    turns: Vec<(TurnRecord, Vec<u32>)>,
    turn_keys: BTreeMap<Fingerprint, TurnId>,
    models: BTreeMap<[u8; 32], ModelIdentity>,
    /// Vectors by model, row and piece, each with its number.
    vectors: BTreeMap<([u8; 32], Position, u32), (u64, Quantised)>,
    vectors_kept: u64,
}

/// What the chain keeps of an append, whatever is erased.
#[derive(Debug)]
struct Recorded {
    recorded_at: Instant,
    commitments: Vec<Commitment>,
    orphaned: Vec<Position>,
    hash: ChainHash,
}

/// A row, and the place in the chain that commits to it: its own, unless an erasure rewrote it.
#[derive(Debug)]
struct Stored {
    row: Row,
    salt: Salt,
    committed: Position,
}

impl ReferenceStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn subjects(&self) -> MutexGuard<'_, BTreeMap<Subject, Log>> {
        // Every method leaves the map whole before it can panic, so a poisoned lock still guards whole logs.
        self.subjects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T: Default>(&self, scope: &Scope, read: impl FnOnce(&Log) -> T) -> T {
        self.subjects().get(scope.subject()).map(read).unwrap_or_default()
    }
}

fn derived_keys(scope: &Scope) -> SubjectKeys {
    let seed = blake3::derive_key("testimony reference store seed", scope.subject().as_str().as_bytes());
    SubjectKeys::derive(&seed, &derived_blind(scope))
}

fn derived_blind(scope: &Scope) -> [u8; 32] {
    blake3::derive_key("testimony reference store blind", scope.subject().as_str().as_bytes())
}

/// A salt that differs from place to place; a real store draws it at random.
fn derived_salt(position: Position) -> Salt {
    let mut salt = [0_u8; 16];
    salt[..8].copy_from_slice(&position.seq.to_le_bytes());
    salt[8..12].copy_from_slice(&position.ordinal.to_le_bytes());
    Salt(salt)
}

impl Log {
    fn found(&mut self) {
        self.lives += u64::from(!self.founded);
        self.founded = true;
    }

    fn watermark(&self) -> Watermark {
        self.entries.len() as Watermark
    }

    fn last_hash(&self) -> ChainHash {
        self.entries.last().map(|entry| entry.hash).unwrap_or_default()
    }

    fn insert(&mut self, position: Position, committed: Position, row: Row) -> Commitment {
        let salt = derived_salt(committed);
        let commitment = commit(&salt, position, &row);
        if let Row::Evidence(evidence) = &row {
            self.moments.insert((evidence.marks.moment, position));
            self.external_ids.extend(evidence.marks.external_id.map(|mark| (mark, position)));
        }
        self.rows.insert(position, Stored { row, salt, committed });
        commitment
    }

    /// Takes a row out, with the vectors that place it.
    fn remove(&mut self, position: Position) -> Option<Stored> {
        let stored = self.rows.remove(&position)?;
        self.vectors.retain(|(_, of, _), _| *of != position);
        if let Row::Evidence(evidence) = &stored.row {
            self.moments.remove(&(evidence.marks.moment, position));
            evidence.marks.external_id.map(|mark| self.external_ids.remove(&(mark, position)));
        }
        Some(stored)
    }

    fn lay(&mut self, tombstones: &[Tombstone]) {
        self.tombstones.extend(tombstones.iter().map(|tombstone| (tombstone.mark, tombstone.source)));
    }

    fn counts(&self) -> RowCounts {
        let mut counts = RowCounts::default();
        for stored in self.rows.values() {
            *match &stored.row {
                Row::Source(_) => &mut counts.sources,
                Row::Evidence(_) => &mut counts.evidence,
                Row::Fact(_) => &mut counts.facts,
                Row::Claim(_) => &mut counts.claims,
                Row::Act(_) => &mut counts.acts,
                Row::Transition(_) => &mut counts.transitions,
            } += 1;
        }
        counts
    }

    fn close(&mut self, recorded_at: Instant, commitments: Vec<Commitment>, orphaned: Vec<Position>) {
        let seq = self.watermark() + 1;
        let hash = link(&self.last_hash(), seq, recorded_at, &commitments, &orphaned);
        self.entries.push(Recorded { recorded_at, commitments, orphaned, hash });
    }

    fn incarnation(&self) -> u64 {
        if self.founded { self.lives } else { 0 }
    }

    /// What kind of row stands there, as far as such a row can be placed by a vector.
    fn placed(&self, position: Position) -> Option<Placed> {
        match self.rows.get(&position)?.row {
            Row::Evidence(_) => Some(Placed::Evidence),
            Row::Claim(_) => Some(Placed::Claim),
            _ => None,
        }
    }

    fn evidence(&self, id: EvidenceId) -> Option<&Evidence> {
        match self.rows.get(&id.0).map(|stored| &stored.row) {
            Some(Row::Evidence(evidence)) => Some(evidence),
            _ => None,
        }
    }
}

impl Store for ReferenceStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { name: "reference", durability: Durability::Process, erases_bytes: true }
    }

    fn keys(&self, scope: &Scope) -> Result<Option<SubjectKeys>, StoreError> {
        Ok(self.read(scope, |log| log.founded.then(|| derived_keys(scope))))
    }

    fn found(&self, scope: &Scope) -> Result<SubjectKeys, StoreError> {
        self.subjects().entry(scope.subject().clone()).or_default().found();
        Ok(derived_keys(scope))
    }

    fn blind(&self, scope: &Scope) -> Result<BlindKey, StoreError> {
        Ok(BlindKey::derive(&derived_blind(scope)))
    }

    fn head(&self, scope: &Scope) -> Result<Head, StoreError> {
        Ok(self.read(scope, |log| Head {
            watermark: log.watermark(),
            recorded_at: log.entries.last().map(|entry| entry.recorded_at).unwrap_or_default(),
            incarnation: log.incarnation(),
        }))
    }

    fn append(&self, scope: &Scope, basis: &Head, group: &[Keyed]) -> Result<Appended, StoreError> {
        let distinct: BTreeSet<Fingerprint> = group.iter().map(|keyed| keyed.key).collect();
        if distinct.len() < group.len() {
            let message = "two batches of one group have the same idempotency key";
            return Err(StoreError::new(StoreErrorKind::Contract, message));
        }
        let mut subjects = self.subjects();
        let log = subjects.entry(scope.subject().clone()).or_default();
        let known: Vec<Option<Watermark>> =
            group.iter().map(|keyed| log.keys.get(&keyed.key).copied()).collect();
        if known.iter().any(Option::is_some) {
            return Ok(Appended::Known(known));
        }
        if !basis.holds(log.watermark(), log.incarnation()) {
            return Ok(Appended::BasisMoved(log.watermark()));
        }
        log.found();
        for keyed in group {
            let seq = log.watermark() + 1;
            let rows = keyed.batch.rows.iter().cloned().enumerate();
            let commitments = rows
                .map(|(ordinal, row)| {
                    let position = Position::new(seq, ordinal as u32);
                    if let Row::Act(act) = &row
                        && let ActKind::Lift(lift) = &act.kind
                    {
                        log.tombstones.retain(|mark, source| !lift.lifts(mark, Some(source)));
                    }
                    log.insert(position, position, row)
                })
                .collect();
            log.close(keyed.batch.recorded_at, commitments, Vec::new());
            log.keys.insert(keyed.key, seq);
        }
        Ok(Appended::Done(log.watermark()))
    }

    fn read_changes(
        &self,
        scope: &Scope,
        after: Watermark,
        _rows: Rows,
        take: &mut dyn FnMut(Entry),
    ) -> Result<Read, StoreError> {
        let entries = self.read(scope, |log| {
            if after > 0 && after < log.rewritten {
                return None;
            }
            let entries = (after.saturating_add(1)..=log.watermark()).map(|seq| {
                let rows = log.rows.range(Position::new(seq, 0)..Position::new(seq + 1, 0));
                let recorded_at = log.entries[seq as usize - 1].recorded_at;
                let rows = rows.map(|(at, stored)| (*at, without_text(&stored.row))).collect();
                Entry { seq, recorded_at, rows }
            });
            Some(entries.collect::<Vec<Entry>>())
        });
        let known = self.subjects().contains_key(scope.subject());
        match entries {
            Some(entries) => entries.into_iter().for_each(take),
            None if known => return Ok(Read::Rewritten),
            None => {}
        }
        Ok(Read::Whole)
    }

    fn recognise(&self, scope: &Scope, marks: &[Marks]) -> Result<Vec<Recognised>, StoreError> {
        let found = self
            .read(scope, |log| marks.iter().map(|marks| recognise(log, marks)).collect::<Vec<Recognised>>());
        Ok(if found.is_empty() { vec![Recognised::New; marks.len()] } else { found })
    }

    fn forgotten(&self, scope: &Scope, marks: &[Fingerprint]) -> Result<Vec<bool>, StoreError> {
        let found = self.read(scope, |log| {
            marks.iter().map(|mark| log.tombstones.contains_key(mark)).collect::<Vec<bool>>()
        });
        Ok(if found.is_empty() { vec![false; marks.len()] } else { found })
    }

    fn tombstones(&self, scope: &Scope, lift: &Lift) -> Result<u64, StoreError> {
        let lifted =
            |log: &Log| log.tombstones.iter().filter(|(mark, of)| lift.lifts(mark, Some(of))).count();
        Ok(self.read(scope, |log| lifted(log) as u64))
    }

    fn chain(&self, scope: &Scope, seq: Watermark) -> Result<Option<ChainHash>, StoreError> {
        let place = seq.checked_sub(1).map(|place| place as usize);
        Ok(self.read(scope, |log| place.and_then(|place| log.entries.get(place)).map(|entry| entry.hash)))
    }

    fn evidence(&self, scope: &Scope, ids: &[EvidenceId]) -> Result<Vec<Option<Evidence>>, StoreError> {
        let found =
            self.read(scope, |log| ids.iter().map(|id| log.evidence(*id).cloned()).collect::<Vec<_>>());
        Ok(if found.is_empty() { vec![None; ids.len()] } else { found })
    }

    fn evidence_after(
        &self,
        scope: &Scope,
        after: Option<Position>,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        Ok(self.read(scope, |log| {
            log.rows
                .range((start, Bound::Unbounded))
                .filter_map(|(at, stored)| match &stored.row {
                    Row::Evidence(evidence) => Some((EvidenceId(*at), evidence.clone())),
                    _ => None,
                })
                .take(limit)
                .collect()
        }))
    }

    fn erase(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        erasure: &Erasure,
    ) -> Result<Erased, StoreError> {
        let mut subjects = self.subjects();
        let log = subjects.entry(scope.subject().clone()).or_default();
        if let Some(watermark) = log.keys.get(&key) {
            return Ok(Erased::Done { watermark: *watermark, rows: 0, residue: 0 });
        }
        if !basis.holds(log.watermark(), log.incarnation()) {
            return Ok(Erased::BasisMoved(log.watermark()));
        }
        log.found();
        let seq = basis.watermark + 1;
        let mut orphaned = Vec::new();
        let mut rows = 0;
        for position in erasure.remove.all() {
            let Some(stored) = log.remove(position) else { continue };
            orphaned.push(stored.committed);
            rows += 1;
        }
        let mut commitments = Vec::new();
        for (id, words) in &erasure.reduce {
            let Some(stored) = log.remove(id.0) else { continue };
            let Row::Evidence(evidence) = stored.row else {
                return Err(StoreError::new(
                    StoreErrorKind::Contract,
                    format!("row {} is no evidence", id.0),
                ));
            };
            orphaned.push(stored.committed);
            let committed = Position::new(seq, commitments.len() as u32);
            let reduced = Evidence { words: words.clone(), ..evidence };
            commitments.push(log.insert(id.0, committed, Row::Evidence(reduced)));
            rows += 1;
        }
        for row in erasure.written() {
            let position = Position::new(seq, commitments.len() as u32);
            commitments.push(log.insert(position, position, row));
        }
        orphaned.sort_unstable();
        log.close(erasure.recorded_at, commitments, orphaned);
        log.lay(&erasure.tombstones);
        log.keys.insert(key, seq);
        log.rewritten = seq;
        Ok(Erased::Done { watermark: seq, rows, residue: 0 })
    }

    fn erase_subject(&self, scope: &Scope, erasure: &SubjectErasure) -> Result<Erased, StoreError> {
        let mut subjects = self.subjects();
        let log = subjects.entry(scope.subject().clone()).or_default();
        let rows = log.rows.len() as u64;
        log.lay(&erasure.tombstones);
        if log.founded {
            let mut all = self.destructions.lock().unwrap_or_else(PoisonError::into_inner);
            let before = all.last().map(|last| last.hash).unwrap_or_default();
            let mut record = Destruction {
                number: all.len() as u64 + 1,
                subject: erasure.subject,
                by: erasure.by,
                at: erasure.recorded_at,
                watermark: log.watermark(),
                tip: log.last_hash(),
                rows: log.counts(),
                hash: ChainHash::default(),
            };
            record.hash = record.link(&before);
            all.push(record);
        }
        let tombstones = std::mem::take(&mut log.tombstones);
        *log = Log { tombstones, lives: log.lives, ..Log::default() };
        Ok(Erased::Done { watermark: 0, rows, residue: 0 })
    }

    fn destructions(&self) -> Result<Vec<Destruction>, StoreError> {
        Ok(self.destructions.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn record_turn(
        &self,
        scope: &Scope,
        basis: &Head,
        key: Fingerprint,
        turn: &TurnRecord,
    ) -> Result<Option<TurnId>, StoreError> {
        let mut subjects = self.subjects();
        let Some(log) = subjects.get_mut(scope.subject()) else { return Ok(None) };
        if let Some(known) = log.turn_keys.get(&key) {
            return Ok(Some(*known));
        }
        if !log.founded || !basis.still_stands(log.incarnation(), log.rewritten) {
            return Ok(None);
        }
        log.turns.push((turn.clone(), Vec::new()));
        let id = TurnId(Position::new(log.turns.len() as u64, 0));
        log.turn_keys.insert(key, id);
        Ok(Some(id))
    }

    fn record_use(
        &self,
        scope: &Scope,
        turn: TurnId,
        used: &[u32],
        _at: Instant,
    ) -> Result<bool, StoreError> {
        let mut subjects = self.subjects();
        let place = place_of(turn);
        let known =
            subjects.get_mut(scope.subject()).zip(place).and_then(|(log, place)| log.turns.get_mut(place));
        let Some((_, recorded)) = known else { return Ok(false) };
        recorded.extend(used);
        recorded.sort_unstable();
        recorded.dedup();
        Ok(true)
    }

    fn turn(&self, scope: &Scope, turn: TurnId) -> Result<Option<(TurnRecord, Vec<u32>)>, StoreError> {
        let place = place_of(turn);
        Ok(place.and_then(|place| self.read(scope, |log| log.turns.get(place).cloned())))
    }

    fn recent_turns(&self, scope: &Scope, limit: usize) -> Result<Vec<RecordedTurn>, StoreError> {
        Ok(self.read(scope, |log| {
            let numbered = (1..).zip(&log.turns).collect::<Vec<_>>().into_iter().rev().take(limit);
            numbered
                .map(|(number, (record, used))| RecordedTurn {
                    id: TurnId(Position::new(number, 0)),
                    record: record.clone(),
                    used: used.clone(),
                })
                .collect()
        }))
    }

    fn policy_acts(&self) -> Result<Vec<PolicyAct>, StoreError> {
        Ok(self.policy_acts.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn record_policy_act(&self, after: usize, act: &PolicyAct) -> Result<bool, StoreError> {
        let mut acts = self.policy_acts.lock().unwrap_or_else(PoisonError::into_inner);
        let expected = acts.len() == after;
        if expected {
            acts.push(act.clone());
        }
        Ok(expected)
    }

    fn verify(&self, scope: &Scope) -> Result<Verified, StoreError> {
        Ok(self.read(scope, verify))
    }

    fn subjects(&self) -> Result<Vec<Subject>, StoreError> {
        Ok(ReferenceStore::subjects(self)
            .iter()
            .filter(|(_, log)| log.founded)
            .map(|(name, _)| name.clone())
            .collect())
    }

    fn vector_store(&self) -> &dyn VectorStore {
        self
    }
}

impl VectorStore for ReferenceStore {
    fn vectors(
        &self,
        scope: &Scope,
        model: &ModelIdentity,
        kind: Placed,
        after: VectorMark,
        take: &mut dyn FnMut(VectorRow),
    ) -> Result<VectorMark, StoreError> {
        let mark =
            self.read(scope, |log| VectorMark { keeping: log.incarnation(), number: log.vectors_kept });
        let since = if after.keeping == mark.keeping { after.number } else { 0 };
        let rows = self.read(scope, |log| {
            let first = (model.mark, Position::new(0, 0), 0);
            log.vectors
                .range(first..)
                .take_while(|((of_model, ..), _)| *of_model == model.mark)
                .filter(|((_, of, _), (number, _))| *number > since && log.placed(*of) == Some(kind))
                .map(|((_, of, piece), (_, vector))| VectorRow {
                    of: *of,
                    piece: *piece,
                    vector: vector.clone(),
                })
                .collect::<Vec<VectorRow>>()
        });
        rows.into_iter().for_each(take);
        Ok(mark)
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
        let mut subjects = self.subjects();
        let Some(log) = subjects.get_mut(scope.subject()) else { return Ok(0) };
        let known = log.models.entry(model.mark).or_insert_with(|| model.clone());
        if known.dims != model.dims {
            return Err(other_dims(model, known.dims));
        }
        if !basis.still_stands(log.incarnation(), log.rewritten) {
            return Ok(0);
        }
        let mut kept = 0;
        for row in vectors {
            if log.placed(row.of) == Some(kind) {
                log.vectors_kept += 1;
                let place = (model.mark, row.of, row.piece);
                log.vectors.insert(place, (log.vectors_kept, row.vector.clone()));
                kept += 1;
            }
        }
        Ok(kept)
    }

    fn vector_models(&self, scope: &Scope) -> Result<Vec<(ModelIdentity, u64)>, StoreError> {
        Ok(self.read(scope, |log| {
            let counted = log.models.values().map(|model| {
                let of_model = log.vectors.keys().filter(|(mark, ..)| *mark == model.mark);
                (model.clone(), of_model.count() as u64)
            });
            counted.filter(|(_, count)| *count > 0).collect()
        }))
    }

    fn drop_vectors(&self, scope: &Scope, model: Option<&ModelIdentity>) -> Result<u64, StoreError> {
        let mut subjects = self.subjects();
        let Some(log) = subjects.get_mut(scope.subject()) else { return Ok(0) };
        let before = log.vectors.len();
        log.vectors.retain(|(mark, ..), _| model.is_some_and(|model| model.mark != *mark));
        log.models.retain(|mark, _| model.is_some_and(|model| model.mark != *mark));
        Ok((before - log.vectors.len()) as u64)
    }

    fn vector_notices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Where a turn stands among its subject's; `None` for an id no turn has.
fn place_of(turn: TurnId) -> Option<usize> {
    turn.0.seq.checked_sub(1).filter(|_| turn.0.ordinal == 0).map(|place| place as usize)
}

/// The row as `changes_since` hands it over.
fn without_text(row: &Row) -> Row {
    match row {
        Row::Evidence(evidence) => {
            let mut evidence = evidence.clone();
            evidence.words.text = None;
            Row::Evidence(evidence)
        }
        other => other.clone(),
    }
}

fn recognise(log: &Log, marks: &Marks) -> Recognised {
    let own = || marks.external_id.into_iter().chain([marks.moment]);
    if own().chain([marks.text]).any(|mark| log.tombstones.contains_key(&mark)) {
        return Recognised::Forgotten;
    }
    let first = |index: &BTreeSet<(Fingerprint, Position)>, mark: Fingerprint| {
        index
            .range((mark, Position::new(0, 0))..)
            .next()
            .filter(|(found, _)| *found == mark)
            .map(|(_, at)| *at)
    };
    let by_external_id = marks.external_id.and_then(|mark| first(&log.external_ids, mark));
    let known =
        [first(&log.moments, marks.moment), by_external_id].into_iter().flatten().min().map(EvidenceId);
    known.map_or(Recognised::New, Recognised::Known)
}

fn verify(log: &Log) -> Verified {
    let mut verified =
        Verified { appends: log.watermark(), rows: log.rows.len() as u64, ..Verified::default() };
    let mut damage =
        |place: String, what: &str| verified.damage.push(Damage { place, what: what.to_owned() });
    let orphaned: Vec<Position> =
        log.entries.iter().flat_map(|entry| entry.orphaned.iter().copied()).collect();
    let mut by_place: BTreeMap<Position, (&Position, &Stored)> = BTreeMap::new();
    for (position, stored) in &log.rows {
        by_place.insert(stored.committed, (position, stored));
    }
    let mut before = ChainHash::default();
    for (seq, entry) in (1..).zip(&log.entries) {
        if link(&before, seq, entry.recorded_at, &entry.commitments, &entry.orphaned) != entry.hash {
            damage(format!("append {seq}"), "does not follow from the one before");
        }
        before = entry.hash;
        for (ordinal, commitment) in (0..).zip(&entry.commitments) {
            let place = Position::new(seq, ordinal);
            match by_place.get(&place) {
                Some((position, stored)) if commit(&stored.salt, **position, &stored.row) != *commitment => {
                    damage(format!("row {place}"), "is not what was committed to");
                }
                None if !orphaned.contains(&place) => damage(format!("row {place}"), "is missing"),
                _ => {}
            }
        }
    }
    verified.erased = orphaned.len() as u64;
    verified
}
