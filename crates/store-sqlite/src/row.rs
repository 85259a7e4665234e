//! Rows on their way to disk and back: what is sealed, what stands in clear, and in which columns.

use std::sync::Arc;

use ledger::claim::{Claim, ClaimWords, Quote, Quotes};
use ledger::entity::EntityRef;
use ledger::evidence::{Attachment, ContentHash, Evidence, EvidenceWords, Marks};
use ledger::fact::{Act, ActKind, ActWords, FactRow, Transition};
use ledger::id::{ClaimId, EvidenceId, FactId, Position, SourceId, VersionId, Watermark};
use ledger::keys::Fingerprint;
use ledger::log::{Lift, Row};
use ledger::proof::{Commitment, Salt, commit};
use ledger::source::{Source, SourceKind};
use ledger::store::StoreError;
use ledger::time::{Instant, Moment, Span, Zone};
use ledger::value::{RawValue, Stated, Value, ValueType};
use rusqlite::{Connection, params};

use crate::chance::Chance;
use crate::error::{self, damaged};
use crate::keyring::OWN;
use crate::seal::{Column, Place, Seal};

/// The seals of one subject, by the source they belong to; [`OWN`] is the subject's own.
pub(crate) trait Seals {
    /// The seal of a source's words; `None` when the source is not there.
    fn seal_of(&self, source: Position) -> Result<Option<Arc<Seal>>, StoreError>;
}

/// Who the rows belong to.
#[derive(Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) store: [u8; 16],
    pub(crate) uid: [u8; 16],
}

impl Owner {
    pub(crate) fn place(&self, column: Column, row: Position, key: Position) -> Place {
        Place { store: self.store, subject: self.uid, column, row, key }
    }
}

/// A row ready to be inserted: words sealed, everything else in clear.
pub(crate) enum Ready {
    Source { source: Source, words: Vec<u8>, key: Arc<Seal> },
    Evidence(Box<ReadyEvidence>),
    Fact { fact: FactRow, salt: Salt },
    Claim(Box<ReadyClaim>),
    Act { at: Instant, deed: Vec<u8>, words: Vec<u8>, lift: Option<Lift> },
    Transition { transition: Transition, salt: Salt },
}

/// Evidence without its words, and its words sealed.
pub(crate) struct ReadyEvidence {
    source: SourceId,
    author: &'static str,
    event_time: Instant,
    observed_at: Instant,
    text_bytes: i64,
    marks: Marks,
    words: Vec<u8>,
    text: Option<Vec<u8>>,
}

/// A claim without its words, and its words sealed.
pub(crate) struct ReadyClaim {
    fact: FactId,
    evidence: EvidenceId,
    source: SourceId,
    author: &'static str,
    realm: &'static str,
    predicate: String,
    op: &'static str,
    confidence_permille: u16,
    event_time: Instant,
    valid_from: Option<Instant>,
    valid_to: Option<Instant>,
    inferred: bool,
    policy: String,
    copy_mark: Fingerprint,
    spans: [Option<(i64, i64)>; 3],
    words: Vec<u8>,
}

/// Why a row could not be made ready.
pub(crate) enum Unready {
    /// A source it refers to is not there.
    NoSource(Position),
    Failed(StoreError),
}

impl From<StoreError> for Unready {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

fn packed(value: &impl serde::Serialize) -> Vec<u8> {
    // Encoding plain values to a growing vector cannot fail.
    postcard::to_allocvec(value).unwrap_or_default()
}

/// Commits to `row` and seals its words, to stand at `position`.
pub(crate) fn prepare(
    owner: Owner,
    seals: &dyn Seals,
    chance: &mut Chance,
    position: Position,
    row: &Row,
) -> Result<(Commitment, Ready), Unready> {
    let salt = Salt(chance.bytes());
    let commitment = commit(&salt, position, row);
    let seal_of = |source: Position| seals.seal_of(source)?.ok_or(Unready::NoSource(source));
    let ready = match row {
        Row::Source(source) => {
            let key = Arc::new(Seal::new(chance.secret()));
            let plain = packed(&(salt.0, &source.reference, &source.title));
            let words = key.seal(chance, &owner.place(Column::SourceWords, position, position), &plain);
            let source = Source { reference: String::new(), title: None, ..source.clone() };
            Ready::Source { source, words, key }
        }
        Row::Evidence(evidence) => {
            let seal = seal_of(evidence.source.0)?;
            Ready::Evidence(Box::new(ready_evidence(owner, &seal, chance, position, salt, evidence)))
        }
        Row::Fact(fact) => Ready::Fact { fact: fact.clone(), salt },
        Row::Claim(claim) => {
            let seal = seal_of(claim.source.0)?;
            Ready::Claim(Box::new(ready_claim(owner, &seal, chance, position, salt, claim)))
        }
        Row::Act(act) => {
            let seal = seal_of(OWN)?;
            let words = packed(&(salt.0, &act.words));
            let words = seal.seal(chance, &owner.place(Column::ActWords, position, OWN), &words);
            let lift = match &act.kind {
                ActKind::Lift(lift) => Some(lift.clone()),
                _ => None,
            };
            Ready::Act { at: act.at, deed: packed(&act.kind), words, lift }
        }
        Row::Transition(transition) => Ready::Transition { transition: transition.clone(), salt },
    };
    Ok((commitment, ready))
}

/// Seals evidence that is to stand at `position`.
pub(crate) fn ready_evidence(
    owner: Owner,
    seal: &Seal,
    chance: &mut Chance,
    position: Position,
    salt: Salt,
    evidence: &Evidence,
) -> ReadyEvidence {
    let key = evidence.source.0;
    let words = &evidence.words;
    let plain = packed(&(
        salt.0,
        &evidence.event_time.zone,
        &words.hash,
        &words.external_id,
        &words.session,
        &words.author_name,
        &words.attachments,
    ));
    ReadyEvidence {
        source: evidence.source,
        author: evidence.author.as_str(),
        event_time: evidence.event_time.instant,
        observed_at: evidence.observed_at,
        text_bytes: signed(evidence.text_bytes),
        marks: evidence.marks,
        words: seal.seal(chance, &owner.place(Column::EvidenceWords, position, key), &plain),
        text: words.text.as_ref().map(|text| {
            seal.seal(chance, &owner.place(Column::EvidenceText, position, key), text.as_bytes())
        }),
    }
}

fn ready_claim(
    owner: Owner,
    seal: &Seal,
    chance: &mut Chance,
    position: Position,
    salt: Salt,
    claim: &Claim,
) -> ReadyClaim {
    let words = &claim.words;
    // A value goes by its type and the form that reads back to it: its own serial form is made for JSON alone.
    let stated = words.value.as_ref();
    let value =
        stated.map(|stated| (stated.value.value_type().as_str(), stated.value.to_string(), &stated.written));
    let plain = packed(&(salt.0, &claim.proposer, &words.entity, value, &words.quotes));
    let mut spans = [None; 3];
    for (place, quote) in spans.iter_mut().zip(claim.words.quotes.iter()) {
        *place = Some((signed(quote.span().start), signed(quote.span().end)));
    }
    ReadyClaim {
        fact: claim.fact,
        evidence: claim.evidence,
        source: claim.source,
        author: claim.author.as_str(),
        realm: claim.realm.as_str(),
        predicate: claim.predicate.clone(),
        op: claim.op.as_str(),
        confidence_permille: claim.confidence_permille,
        event_time: claim.event_time,
        valid_from: claim.valid_from,
        valid_to: claim.valid_to,
        inferred: claim.inferred,
        policy: claim.policy.clone(),
        copy_mark: claim.copy_mark,
        spans,
        words: seal.seal(chance, &owner.place(Column::ClaimWords, position, claim.source.0), &plain),
    }
}

/// SQLite's integers are signed; no length or watermark reaches the sign.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// About how many bytes the row will take.
pub(crate) fn weight(ready: &Ready) -> usize {
    200 + match ready {
        Ready::Source { words, .. } | Ready::Act { words, .. } => words.len(),
        Ready::Evidence(evidence) => evidence.words.len() + evidence.text.as_ref().map_or(0, Vec::len),
        Ready::Claim(claim) => claim.words.len(),
        Ready::Fact { .. } | Ready::Transition { .. } => 0,
    }
}

/// Inserts a row of subject number `subject` at `position`.
pub(crate) fn insert(
    connection: &Connection,
    subject: i64,
    position: Position,
    ready: &Ready,
) -> rusqlite::Result<()> {
    let (seq, ordinal) = (signed(position.seq), position.ordinal);
    match ready {
        Ready::Source { source, words, .. } => {
            let copy = source.copy_of.map(|copy| copy.0);
            connection
                .prepare_cached("INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
                .execute(params![
                    subject,
                    seq,
                    ordinal,
                    source.kind.as_str(),
                    source.authority.as_str(),
                    source.fidelity.as_str(),
                    source.mode.as_str(),
                    source.retention.as_str(),
                    copy.map(|copy| signed(copy.seq)),
                    copy.map(|copy| copy.ordinal),
                    words,
                ])
                .map(drop)
        }
        Ready::Evidence(evidence) => connection
            .prepare_cached("INSERT INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![
                subject,
                seq,
                ordinal,
                signed(evidence.source.0.seq),
                evidence.source.0.ordinal,
                evidence.author,
                evidence.event_time.micros(),
                evidence.observed_at.micros(),
                evidence.text_bytes,
                evidence.marks.moment.0,
                evidence.marks.external_id.map(|mark| mark.0),
                evidence.marks.text.0,
                seq,
                ordinal,
                evidence.words,
                evidence.text,
            ])
            .map(drop),
        Ready::Fact { fact, salt } => connection
            .prepare_cached("INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![
                subject,
                seq,
                ordinal,
                fact.realm.as_str(),
                fact.predicate,
                fact.identity.0,
                salt.0
            ])
            .map(drop),
        Ready::Claim(claim) => insert_claim(connection, subject, position, claim),
        Ready::Act { at, deed, words, lift: _ } => connection
            .prepare_cached("INSERT INTO act VALUES (?, ?, ?, ?, ?, ?)")?
            .execute(params![subject, seq, ordinal, at.micros(), deed, words])
            .map(drop),
        Ready::Transition { transition, salt } => {
            insert_transition(connection, subject, position, transition, *salt)
        }
    }
}

fn insert_claim(
    connection: &Connection,
    subject: i64,
    position: Position,
    claim: &ReadyClaim,
) -> rusqlite::Result<()> {
    let [first, second, third] = claim.spans;
    connection
        .prepare_cached(
            "INSERT INTO claim VALUES
             (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            subject,
            signed(position.seq),
            position.ordinal,
            signed(claim.fact.0.seq),
            claim.fact.0.ordinal,
            signed(claim.evidence.0.seq),
            claim.evidence.0.ordinal,
            signed(claim.source.0.seq),
            claim.source.0.ordinal,
            claim.author,
            claim.realm,
            claim.predicate,
            claim.op,
            claim.confidence_permille,
            claim.event_time.micros(),
            claim.valid_from.map(Instant::micros),
            claim.valid_to.map(Instant::micros),
            claim.inferred,
            claim.policy,
            claim.copy_mark.0,
            first.map(|span| span.0),
            first.map(|span| span.1),
            second.map(|span| span.0),
            second.map(|span| span.1),
            third.map(|span| span.0),
            third.map(|span| span.1),
            claim.words,
        ])
        .map(drop)
}

fn insert_transition(
    connection: &Connection,
    subject: i64,
    position: Position,
    transition: &Transition,
    salt: Salt,
) -> rusqlite::Result<()> {
    let (seq, ordinal) = (signed(position.seq), position.ordinal);
    connection
        .prepare_cached("INSERT INTO transition VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?
        .execute(params![
            subject,
            seq,
            ordinal,
            signed(transition.fact.0.seq),
            transition.fact.0.ordinal,
            signed(transition.version.0.seq),
            transition.version.0.ordinal,
            transition.kind.as_str(),
            signed(transition.cause.seq),
            transition.cause.ordinal,
            transition.at.micros(),
            transition.validity.from().micros(),
            transition.validity.to().map(Instant::micros),
            transition.standing.as_str(),
            salt.0,
        ])?;
    let attached = transition.attach.iter().map(|claim| (claim, true));
    let detached = transition.detach.iter().map(|claim| (claim, false));
    let mut insert = connection.prepare_cached("INSERT INTO support VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    for (place, (claim, attach)) in attached.chain(detached).enumerate() {
        insert.execute(params![
            subject,
            seq,
            ordinal,
            place as i64,
            attach,
            signed(claim.0.seq),
            claim.0.ordinal
        ])?;
    }
    Ok(())
}

/// Puts reduced evidence in the place of the whole, committed to at `committed`.
pub(crate) fn reduce(
    connection: &Connection,
    subject: i64,
    position: Position,
    committed: Position,
    evidence: &ReadyEvidence,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE evidence SET committed_seq = ?, committed_ordinal = ?, words = ?, text = ?
             WHERE subject = ? AND seq = ? AND ordinal = ?",
        )?
        .execute(params![
            signed(committed.seq),
            committed.ordinal,
            evidence.words,
            evidence.text,
            subject,
            signed(position.seq),
            position.ordinal,
        ])
        .map(drop)
}

/// A row as it was read, with what proves it.
pub(crate) struct Found {
    /// The place in the chain that commits to it.
    pub(crate) committed: Position,
    pub(crate) salt: Salt,
    pub(crate) row: Row,
    /// Whether what is sealed says the same as what stands in clear beside it.
    pub(crate) agrees: bool,
}

/// What is read with a row.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'read> {
    pub(crate) connection: &'read Connection,
    pub(crate) subject: i64,
    pub(crate) owner: Owner,
    pub(crate) seals: &'read dyn Seals,
}

/// The appends `first..=last`.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) first: Watermark,
    pub(crate) last: Watermark,
}

/// The six kinds of rows, each in a table of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Table {
    Source,
    Evidence,
    Fact,
    Claim,
    Act,
    Transition,
}

/// Which messages a stretch of the log is read with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Messages {
    /// All, texts included.
    Whole,
    /// All, without their texts.
    WithoutText,
    /// Those of living sources, without their texts.
    OfLivingSources,
    /// Those of one source, without their texts.
    Of(Position),
}

impl Table {
    pub(crate) const ALL: [Self; 6] =
        [Self::Source, Self::Evidence, Self::Fact, Self::Claim, Self::Act, Self::Transition];
}

type Columns<'row> = &'row rusqlite::Row<'row>;

fn position_at(row: Columns<'_>, column: usize) -> rusqlite::Result<Position> {
    Ok(Position::new(row.get::<_, i64>(column)?.max(0) as u64, row.get(column + 1)?))
}

fn instant_at(row: Columns<'_>, column: usize) -> rusqlite::Result<Instant> {
    row.get(column).map(Instant::from_micros)
}

fn optional_instant_at(row: Columns<'_>, column: usize) -> rusqlite::Result<Option<Instant>> {
    row.get::<_, Option<i64>>(column).map(|micros| micros.map(Instant::from_micros))
}

/// Reads a word of a closed list; anything else is damage.
fn word_at<T: std::str::FromStr>(row: Columns<'_>, column: usize) -> rusqlite::Result<T> {
    let wrong = || rusqlite::Error::InvalidColumnType(column, String::new(), rusqlite::types::Type::Text);
    row.get_ref(column)?.as_str().map_err(|_| wrong())?.parse().map_err(|_| wrong())
}

fn blob_at<'row>(row: Columns<'row>, column: usize) -> rusqlite::Result<&'row [u8]> {
    let wrong = || rusqlite::Error::InvalidColumnType(column, String::new(), rusqlite::types::Type::Blob);
    row.get_ref(column)?.as_blob().map_err(|_| wrong())
}

const SOURCES: &str =
    "SELECT seq, ordinal, kind, authority, fidelity, mode, retention, copy_seq, copy_ordinal, words
    FROM source WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq, ordinal";
const EVIDENCE_WITHOUT_TEXT: &str =
    "SELECT seq, ordinal, source_seq, source_ordinal, author, event_time, observed_at,
    text_bytes, moment, external, text_mark, committed_seq, committed_ordinal, words
    FROM evidence WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq, ordinal";
const EVIDENCE_OF_LIVING: &str =
    "SELECT seq, ordinal, source_seq, source_ordinal, author, event_time, observed_at,
    text_bytes, moment, external, text_mark, committed_seq, committed_ordinal, words
    FROM evidence WHERE subject = ?1 AND seq BETWEEN ?2 AND ?3 AND EXISTS (SELECT 1 FROM source
        WHERE source.subject = ?1 AND source.seq = evidence.source_seq AND source.ordinal = evidence.source_ordinal
            AND source.mode = 'living')
    ORDER BY seq, ordinal";
const EVIDENCE_OF_SOURCE: &str =
    "SELECT seq, ordinal, source_seq, source_ordinal, author, event_time, observed_at,
    text_bytes, moment, external, text_mark, committed_seq, committed_ordinal, words
    FROM evidence WHERE subject = ? AND seq BETWEEN ? AND ? AND source_seq = ? AND source_ordinal = ?
    ORDER BY seq, ordinal";
const EVIDENCE_WHOLE: &str =
    "SELECT seq, ordinal, source_seq, source_ordinal, author, event_time, observed_at,
    text_bytes, moment, external, text_mark, committed_seq, committed_ordinal, words, text
    FROM evidence WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq, ordinal";
const EVIDENCE_BY_ID: &str =
    "SELECT seq, ordinal, source_seq, source_ordinal, author, event_time, observed_at,
    text_bytes, moment, external, text_mark, committed_seq, committed_ordinal, words, text
    FROM evidence WHERE subject = ? AND seq = ? AND ordinal = ?";
const EVIDENCE_AFTER: &str =
    "SELECT seq, ordinal, source_seq, source_ordinal, author, event_time, observed_at,
    text_bytes, moment, external, text_mark, committed_seq, committed_ordinal, words, text
    FROM evidence WHERE subject = ? AND (seq, ordinal) > (?, ?) ORDER BY seq, ordinal LIMIT ?";
const FACTS: &str = "SELECT seq, ordinal, realm, predicate, identity, salt
    FROM fact WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq, ordinal";
const CLAIMS: &str = "SELECT seq, ordinal, fact_seq, fact_ordinal, evidence_seq, evidence_ordinal, source_seq,
    source_ordinal, author, realm, predicate, op, confidence_permille, event_time, valid_from, valid_to, inferred,
    policy, copy_mark, quote_start, quote_end, second_start, second_end, third_start, third_end, words
    FROM claim WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq, ordinal";
const ACTS: &str = "SELECT seq, ordinal, at, deed, words
    FROM act WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq, ordinal";
const TRANSITIONS: &str =
    "SELECT seq, ordinal, fact_seq, fact_ordinal, version_seq, version_ordinal, kind, cause_seq,
    cause_ordinal, at, valid_from, valid_to, standing, salt
    FROM transition WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq, ordinal";
const SUPPORT: &str = "SELECT seq, ordinal, attach, claim_seq, claim_ordinal
    FROM support WHERE subject = ? AND seq BETWEEN ? AND ? ORDER BY seq, ordinal, place";

impl Reading<'_> {
    /// Hands every row of `table` in `stretch` to `take`, in the order of the log. A row that cannot be read is handed
    /// over as its place and the error; `take` decides whether that ends the reading.
    pub(crate) fn rows(
        &self,
        table: Table,
        stretch: Stretch,
        messages: Messages,
        take: &mut dyn FnMut(Position, Result<Found, StoreError>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let sql = match table {
            Table::Source => SOURCES,
            Table::Evidence => match messages {
                Messages::Whole => EVIDENCE_WHOLE,
                Messages::WithoutText => EVIDENCE_WITHOUT_TEXT,
                Messages::OfLivingSources => EVIDENCE_OF_LIVING,
                Messages::Of(_) => EVIDENCE_OF_SOURCE,
            },
            Table::Fact => FACTS,
            Table::Claim => CLAIMS,
            Table::Act => ACTS,
            Table::Transition => TRANSITIONS,
        };
        let failed = |error| error::sqlite(error, "read");
        let range = params![self.subject, signed(stretch.first), signed(stretch.last)];
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let mut rows = match (table, messages) {
            (Table::Evidence, Messages::Of(source)) => statement.query(params![
                self.subject,
                signed(stretch.first),
                signed(stretch.last),
                signed(source.seq),
                source.ordinal
            ]),
            _ => statement.query(range),
        }
        .map_err(failed)?;
        let mut supports = match table {
            Table::Transition => Some(self.connection.prepare_cached(SUPPORT).map_err(failed)?),
            _ => None,
        };
        let mut supports = match supports.as_mut() {
            Some(statement) => Some(Supports { rows: statement.query(range).map_err(failed)?, next: None }),
            None => None,
        };
        while let Some(row) = rows.next().map_err(failed)? {
            let position = position_at(row, 0).map_err(failed)?;
            let found = match table {
                Table::Source => self.source(position, row),
                Table::Evidence => self.evidence_row(position, row, messages == Messages::Whole),
                Table::Fact => fact(position, row).map_err(failed),
                Table::Claim => self.claim(position, row),
                Table::Act => self.act(position, row),
                Table::Transition => {
                    let mut found = transition(row);
                    if let (Ok((transition, _)), Some(supports)) = (&mut found, supports.as_mut()) {
                        supports.of(position, transition).map_err(failed)?;
                    }
                    found
                        .map(|(transition, salt)| Found {
                            committed: position,
                            salt,
                            row: Row::Transition(transition),
                            agrees: true,
                        })
                        .map_err(failed)
                }
            };
            take(position, found)?;
        }
        Ok(())
    }

    /// Evidence by id, whole.
    pub(crate) fn evidence(&self, id: EvidenceId) -> Result<Option<(Evidence, Position)>, StoreError> {
        let failed = |error| error::sqlite(error, "read evidence");
        let mut statement = self.connection.prepare_cached(EVIDENCE_BY_ID).map_err(failed)?;
        let mut rows =
            statement.query(params![self.subject, signed(id.0.seq), id.0.ordinal]).map_err(failed)?;
        match rows.next().map_err(failed)? {
            None => Ok(None),
            Some(row) => {
                self.one_evidence(id.0, row).map(|(evidence, committed, _)| Some((evidence, committed)))
            }
        }
    }

    /// Evidence after a place, whole, at most `limit`.
    pub(crate) fn evidence_after(
        &self,
        after: Position,
        limit: usize,
    ) -> Result<Vec<(EvidenceId, Evidence)>, StoreError> {
        let failed = |error| error::sqlite(error, "read evidence");
        let mut statement = self.connection.prepare_cached(EVIDENCE_AFTER).map_err(failed)?;
        let range = params![self.subject, signed(after.seq), after.ordinal, limit as i64];
        let mut rows = statement.query(range).map_err(failed)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(failed)? {
            let position = position_at(row, 0).map_err(failed)?;
            found.push((EvidenceId(position), self.one_evidence(position, row)?.0));
        }
        Ok(found)
    }

    fn opened(
        &self,
        what: &'static str,
        place: Place,
        sealed: rusqlite::Result<&[u8]>,
    ) -> Result<Vec<u8>, StoreError> {
        let sealed = sealed.map_err(|error| error::sqlite(error, "read"))?;
        let row = place.row;
        let seal =
            self.seals.seal_of(place.key)?.ok_or_else(|| damaged(format!("{what} {row}"), "has no key"))?;
        seal.open(&place, sealed).ok_or_else(|| damaged(format!("{what} {row}"), "does not open"))
    }

    fn unpacked<'plain, T: serde::Deserialize<'plain>>(
        &self,
        what: &'static str,
        row: Position,
        plain: &'plain [u8],
    ) -> Result<T, StoreError> {
        postcard::from_bytes(plain).map_err(|_| damaged(format!("{what} {row}"), "cannot be read"))
    }

    fn source(&self, position: Position, row: Columns<'_>) -> Result<Found, StoreError> {
        let place = self.owner.place(Column::SourceWords, position, position);
        let plain = self.opened("source", place, blob_at(row, 9))?;
        let (salt, reference, title): ([u8; 16], String, Option<String>) =
            self.unpacked("source", position, &plain)?;
        let read = || -> rusqlite::Result<Source> {
            let kind: String = row.get(2)?;
            let kind = SourceKind::parse(&kind).map_err(|_| {
                rusqlite::Error::InvalidColumnType(2, String::new(), rusqlite::types::Type::Text)
            })?;
            let copied = row.get::<_, Option<i64>>(7)?.is_some();
            Ok(Source {
                kind,
                reference,
                title,
                authority: word_at(row, 3)?,
                fidelity: word_at(row, 4)?,
                mode: word_at(row, 5)?,
                retention: word_at(row, 6)?,
                copy_of: if copied { Some(SourceId(position_at(row, 7)?)) } else { None },
            })
        };
        let source = read().map_err(|error| error::sqlite(error, "read a source"))?;
        Ok(Found { committed: position, salt: Salt(salt), row: Row::Source(source), agrees: true })
    }

    fn evidence_row(&self, position: Position, row: Columns<'_>, whole: bool) -> Result<Found, StoreError> {
        let (evidence, committed, salt) = match whole {
            true => self.one_evidence(position, row)?,
            false => self.evidence_without_text(position, row)?,
        };
        Ok(Found { committed, salt, row: Row::Evidence(evidence), agrees: true })
    }

    fn one_evidence(
        &self,
        position: Position,
        row: Columns<'_>,
    ) -> Result<(Evidence, Position, Salt), StoreError> {
        let (mut evidence, committed, salt) = self.evidence_without_text(position, row)?;
        let sealed = row.get_ref(14).map_err(|error| error::sqlite(error, "read evidence"))?;
        if sealed != rusqlite::types::ValueRef::Null {
            let place = self.owner.place(Column::EvidenceText, position, evidence.source.0);
            let plain = self.opened("evidence", place, blob_at(row, 14))?;
            let text = String::from_utf8(plain)
                .map_err(|_| damaged(format!("evidence {position}"), "is no text"))?;
            evidence.words.text = Some(text);
        }
        Ok((evidence, committed, salt))
    }

    fn evidence_without_text(
        &self,
        position: Position,
        row: Columns<'_>,
    ) -> Result<(Evidence, Position, Salt), StoreError> {
        let failed = |error| error::sqlite(error, "read evidence");
        let source = SourceId(position_at(row, 2).map_err(failed)?);
        let place = self.owner.place(Column::EvidenceWords, position, source.0);
        let plain = self.opened("evidence", place, blob_at(row, 13))?;
        type Words =
            ([u8; 16], Zone, ContentHash, Option<String>, Option<String>, Option<String>, Vec<Attachment>);
        let (salt, zone, hash, external_id, session, author_name, attachments): Words =
            self.unpacked("evidence", position, &plain)?;
        let read = || -> rusqlite::Result<(Evidence, Position)> {
            let evidence = Evidence {
                source,
                author: word_at(row, 4)?,
                event_time: Moment { instant: instant_at(row, 5)?, zone },
                observed_at: instant_at(row, 6)?,
                text_bytes: row.get::<_, i64>(7)?.max(0) as u64,
                marks: Marks {
                    moment: Fingerprint(row.get(8)?),
                    external_id: row.get::<_, Option<[u8; 16]>>(9)?.map(Fingerprint),
                    text: Fingerprint(row.get(10)?),
                },
                words: EvidenceWords { text: None, hash, external_id, session, author_name, attachments },
            };
            Ok((evidence, position_at(row, 11)?))
        };
        let (evidence, committed) = read().map_err(failed)?;
        Ok((evidence, committed, Salt(salt)))
    }

    fn claim(&self, position: Position, row: Columns<'_>) -> Result<Found, StoreError> {
        let failed = |error| error::sqlite(error, "read a claim");
        let source = SourceId(position_at(row, 6).map_err(failed)?);
        let place = self.owner.place(Column::ClaimWords, position, source.0);
        let plain = self.opened("claim", place, blob_at(row, 25))?;
        type Words<'plain> =
            ([u8; 16], String, EntityRef, Option<(&'plain str, &'plain str, String)>, Quotes);
        let (salt, proposer, entity, value, quotes): Words<'_> = self.unpacked("claim", position, &plain)?;
        let value = match value {
            None => None,
            Some((kind, form, written)) => {
                let value = value_of(kind, form);
                let value =
                    value.ok_or_else(|| damaged(format!("claim {position}"), "has no readable value"))?;
                Some(Stated { value, written })
            }
        };
        let words = ClaimWords { entity, value, quotes };
        let read = || -> rusqlite::Result<(Claim, bool)> {
            let mut agrees = true;
            let spans: Vec<_> = words.quotes.iter().map(Quote::span).collect();
            let mut spans = spans.iter();
            for column in [19, 21, 23] {
                let span = spans.next().map(|span| (signed(span.start), signed(span.end)));
                let start: Option<i64> = row.get(column)?;
                agrees &= start.zip(row.get(column + 1)?) == span;
            }
            let claim = Claim {
                fact: FactId(position_at(row, 2)?),
                evidence: EvidenceId(position_at(row, 4)?),
                source,
                author: word_at(row, 8)?,
                realm: word_at(row, 9)?,
                predicate: row.get(10)?,
                op: word_at(row, 11)?,
                confidence_permille: row.get(12)?,
                event_time: instant_at(row, 13)?,
                valid_from: optional_instant_at(row, 14)?,
                valid_to: optional_instant_at(row, 15)?,
                inferred: row.get(16)?,
                policy: row.get(17)?,
                proposer,
                copy_mark: Fingerprint(row.get(18)?),
                words,
            };
            Ok((claim, agrees))
        };
        let (claim, agrees) = read().map_err(failed)?;
        Ok(Found { committed: position, salt: Salt(salt), row: Row::Claim(Arc::new(claim)), agrees })
    }

    fn act(&self, position: Position, row: Columns<'_>) -> Result<Found, StoreError> {
        let failed = |error| error::sqlite(error, "read an act");
        let plain = self.opened("act", self.owner.place(Column::ActWords, position, OWN), blob_at(row, 4))?;
        let (salt, words): ([u8; 16], ActWords) = self.unpacked("act", position, &plain)?;
        let kind: ActKind = self.unpacked("act", position, blob_at(row, 3).map_err(failed)?)?;
        let act = Act { at: instant_at(row, 2).map_err(failed)?, kind, words };
        Ok(Found { committed: position, salt: Salt(salt), row: Row::Act(act), agrees: true })
    }
}

/// The value of this type that is written in this form.
fn value_of(kind: &str, form: &str) -> Option<Value> {
    match kind.parse().ok()? {
        // As it was written; reading it again would only normalise what is normal.
        ValueType::Text => Some(Value::Text(form.to_owned())),
        kind => Value::read(kind, &RawValue::Text(form.to_owned())).ok().map(|stated| stated.value),
    }
}

fn fact(position: Position, row: Columns<'_>) -> rusqlite::Result<Found> {
    let fact =
        FactRow { realm: word_at(row, 2)?, predicate: row.get(3)?, identity: Fingerprint(row.get(4)?) };
    Ok(Found { committed: position, salt: Salt(row.get(5)?), row: Row::Fact(fact), agrees: true })
}

fn transition(row: Columns<'_>) -> rusqlite::Result<(Transition, Salt)> {
    let validity = Span::new(instant_at(row, 10)?, optional_instant_at(row, 11)?)
        .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(11, 0))?;
    let transition = Transition {
        fact: FactId(position_at(row, 2)?),
        version: VersionId(position_at(row, 4)?),
        kind: word_at(row, 6)?,
        cause: position_at(row, 7)?,
        at: instant_at(row, 9)?,
        validity,
        standing: word_at(row, 12)?,
        attach: Vec::new(),
        detach: Vec::new(),
    };
    Ok((transition, Salt(row.get(13)?)))
}

/// The support rows beside a run of transitions, read in step with them.
struct Supports<'read> {
    rows: rusqlite::Rows<'read>,
    next: Option<(Position, bool, ClaimId)>,
}

impl Supports<'_> {
    fn of(&mut self, position: Position, transition: &mut Transition) -> rusqlite::Result<()> {
        loop {
            if self.next.is_none() {
                let Some(row) = self.rows.next()? else { return Ok(()) };
                self.next = Some((position_at(row, 0)?, row.get(2)?, ClaimId(position_at(row, 3)?)));
            }
            let Some((at, attach, claim)) = self.next else { return Ok(()) };
            if at > position {
                return Ok(());
            }
            self.next = None;
            // One before this transition belongs to none; verification reports it.
            if at == position {
                let list = if attach { &mut transition.attach } else { &mut transition.detach };
                list.push(claim);
            }
        }
    }
}
