-- Version 1. The subject stands in every key, so that no statement can leave it out and no reference can leave it.
-- In clear: positions, times, counts, codes, predicate names and keyed marks. Columns named `words`, `text`, `name`,
-- `seed`, `secret` and `wrapped` are sealed. The salt of a row with words is sealed with them: beside the commitment,
-- a salt in clear would let a guess be tested.

CREATE TABLE store (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id BLOB NOT NULL CHECK (length(id) = 16),
    secret BLOB NOT NULL,
    -- 1 from an erasure's commit until its words are known to be out of every file.
    scrub INTEGER NOT NULL DEFAULT 0 CHECK (scrub IN (0, 1))
) STRICT;

CREATE TABLE key_group (
    key_group INTEGER PRIMARY KEY AUTOINCREMENT,
    keys INTEGER NOT NULL CHECK (keys BETWEEN 0 AND 1000)
) STRICT;

-- Numbers are never given twice, so nothing sealed for a forgotten subject can be read as another's.
CREATE TABLE subject (
    subject INTEGER PRIMARY KEY AUTOINCREMENT,
    mark BLOB NOT NULL UNIQUE CHECK (length(mark) = 16),
    uid BLOB NOT NULL CHECK (length(uid) = 16),
    name BLOB NOT NULL,
    seed BLOB NOT NULL,
    rewritten INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE data_key (
    subject INTEGER NOT NULL REFERENCES subject (subject),
    source_seq INTEGER NOT NULL,
    source_ordinal INTEGER NOT NULL,
    key_group INTEGER NOT NULL REFERENCES key_group (key_group),
    wrapped BLOB NOT NULL,
    PRIMARY KEY (subject, source_seq, source_ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX data_key_of_group ON data_key (key_group);

-- By the subject's mark, not its number: tombstones outlive the subject.
CREATE TABLE tombstone (
    subject_mark BLOB NOT NULL CHECK (length(subject_mark) = 16),
    mark BLOB NOT NULL CHECK (length(mark) = 16),
    PRIMARY KEY (subject_mark, mark)
) STRICT, WITHOUT ROWID;

-- A row here opens a subject's tables for erasure. It cannot be committed: nothing is in `never`, and nothing can be.
CREATE TABLE never (never INTEGER PRIMARY KEY CHECK (never <> never)) STRICT;
CREATE TABLE erasing (
    subject INTEGER PRIMARY KEY,
    never INTEGER NOT NULL DEFAULT 0 REFERENCES never (never) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE entry (
    subject INTEGER NOT NULL REFERENCES subject (subject),
    seq INTEGER NOT NULL CHECK (seq >= 1),
    recorded_at INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    request BLOB NOT NULL CHECK (length(request) = 16),
    commitments BLOB NOT NULL CHECK (length(commitments) % 32 = 0),
    orphaned BLOB NOT NULL,
    PRIMARY KEY (subject, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX entry_of_request ON entry (subject, request);

CREATE TABLE source (
    subject INTEGER NOT NULL REFERENCES subject (subject),
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL,
    authority TEXT NOT NULL CHECK (authority IN ('low', 'normal', 'high')),
    fidelity TEXT NOT NULL CHECK (fidelity IN ('visible_transcript', 'transcript_snapshot', 'hybrid_record',
        'structured_summary', 'derived_projection')),
    mode TEXT NOT NULL CHECK (mode IN ('snapshot', 'living')),
    retention TEXT NOT NULL CHECK (retention IN ('full', 'quotes')),
    copy_seq INTEGER,
    copy_ordinal INTEGER CHECK ((copy_seq IS NULL) = (copy_ordinal IS NULL)),
    words BLOB NOT NULL,
    PRIMARY KEY (subject, seq, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
    subject INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    source_seq INTEGER NOT NULL,
    source_ordinal INTEGER NOT NULL,
    author TEXT NOT NULL CHECK (author IN ('owner', 'assistant', 'service', 'external')),
    event_time INTEGER NOT NULL,
    observed_at INTEGER NOT NULL,
    text_bytes INTEGER NOT NULL CHECK (text_bytes >= 0),
    moment BLOB NOT NULL CHECK (length(moment) = 16),
    external BLOB CHECK (length(external) = 16),
    text_mark BLOB NOT NULL CHECK (length(text_mark) = 16),
    -- The place in the chain that commits to the row: its own, unless an erasure reduced it.
    committed_seq INTEGER NOT NULL,
    committed_ordinal INTEGER NOT NULL,
    words BLOB NOT NULL,
    text BLOB,
    PRIMARY KEY (subject, seq, ordinal),
    FOREIGN KEY (subject, source_seq, source_ordinal) REFERENCES source (subject, seq, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_of_moment ON evidence (subject, moment);
CREATE INDEX evidence_of_external ON evidence (subject, external) WHERE external IS NOT NULL;

CREATE TABLE fact (
    subject INTEGER NOT NULL REFERENCES subject (subject),
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    realm TEXT NOT NULL CHECK (realm IN ('owner', 'world')),
    predicate TEXT NOT NULL CHECK (predicate <> ''),
    identity BLOB NOT NULL CHECK (length(identity) = 16),
    salt BLOB NOT NULL CHECK (length(salt) = 16),
    PRIMARY KEY (subject, seq, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE claim (
    subject INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    fact_seq INTEGER NOT NULL,
    fact_ordinal INTEGER NOT NULL,
    evidence_seq INTEGER NOT NULL,
    evidence_ordinal INTEGER NOT NULL,
    source_seq INTEGER NOT NULL,
    source_ordinal INTEGER NOT NULL,
    author TEXT NOT NULL CHECK (author IN ('owner', 'assistant', 'service', 'external')),
    realm TEXT NOT NULL CHECK (realm IN ('owner', 'world')),
    predicate TEXT NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('assert', 'retract')),
    confidence_permille INTEGER NOT NULL CHECK (confidence_permille BETWEEN 0 AND 65535),
    event_time INTEGER NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    inferred INTEGER NOT NULL CHECK (inferred IN (0, 1)),
    policy TEXT NOT NULL,
    copy_mark BLOB NOT NULL CHECK (length(copy_mark) = 16),
    -- One to three quotes, each a stretch of the evidence's text that is not empty.
    quote_start INTEGER NOT NULL CHECK (quote_start >= 0),
    quote_end INTEGER NOT NULL CHECK (quote_end > quote_start),
    second_start INTEGER CHECK (second_start >= 0),
    second_end INTEGER CHECK (second_end > second_start),
    third_start INTEGER CHECK (third_start >= 0),
    third_end INTEGER CHECK (third_end > third_start),
    words BLOB NOT NULL,
    PRIMARY KEY (subject, seq, ordinal),
    FOREIGN KEY (subject, fact_seq, fact_ordinal) REFERENCES fact (subject, seq, ordinal),
    FOREIGN KEY (subject, evidence_seq, evidence_ordinal) REFERENCES evidence (subject, seq, ordinal),
    CHECK (realm <> 'owner' OR author = 'owner'),
    CHECK ((second_start IS NULL) = (second_end IS NULL)),
    CHECK ((third_start IS NULL) = (third_end IS NULL)),
    CHECK (third_start IS NULL OR second_start IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE act (
    subject INTEGER NOT NULL REFERENCES subject (subject),
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    at INTEGER NOT NULL,
    -- What was done, to which positions; no words.
    deed BLOB NOT NULL,
    words BLOB NOT NULL,
    PRIMARY KEY (subject, seq, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE transition (
    subject INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    fact_seq INTEGER NOT NULL,
    fact_ordinal INTEGER NOT NULL,
    version_seq INTEGER NOT NULL,
    version_ordinal INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('open', 'confirm', 'supersede', 'history', 'dispute', 'close', 'reopen',
        'resolve')),
    cause_seq INTEGER NOT NULL,
    cause_ordinal INTEGER NOT NULL,
    at INTEGER NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER CHECK (valid_to > valid_from),
    standing TEXT NOT NULL CHECK (standing IN ('held', 'retired')),
    salt BLOB NOT NULL CHECK (length(salt) = 16),
    PRIMARY KEY (subject, seq, ordinal),
    FOREIGN KEY (subject, fact_seq, fact_ordinal) REFERENCES fact (subject, seq, ordinal)
) STRICT, WITHOUT ROWID;

-- Which claims a transition adds to its version's support or takes from it.
CREATE TABLE support (
    subject INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    place INTEGER NOT NULL,
    attach INTEGER NOT NULL CHECK (attach IN (0, 1)),
    claim_seq INTEGER NOT NULL,
    claim_ordinal INTEGER NOT NULL,
    PRIMARY KEY (subject, seq, ordinal, place),
    FOREIGN KEY (subject, seq, ordinal) REFERENCES transition (subject, seq, ordinal),
    FOREIGN KEY (subject, claim_seq, claim_ordinal) REFERENCES claim (subject, seq, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn (
    subject INTEGER NOT NULL REFERENCES subject (subject),
    turn INTEGER NOT NULL CHECK (turn >= 1),
    request BLOB NOT NULL CHECK (length(request) = 16),
    -- Ids, features and reasons; no words.
    record BLOB NOT NULL,
    PRIMARY KEY (subject, turn)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX turn_of_request ON turn (subject, request);

CREATE TABLE turn_use (
    subject INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    place INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (subject, turn, place),
    FOREIGN KEY (subject, turn) REFERENCES turn (subject, turn)
) STRICT, WITHOUT ROWID;

-- What one claim needs of the rows it stands on.
CREATE TRIGGER claim_stands_on_its_evidence BEFORE INSERT ON claim BEGIN
    SELECT RAISE(ABORT, 'a claim needs evidence of its subject, author and source that its quotes lie in')
    WHERE NOT EXISTS (
        SELECT 1 FROM evidence
        WHERE subject = NEW.subject AND seq = NEW.evidence_seq AND ordinal = NEW.evidence_ordinal
            AND author = NEW.author AND source_seq = NEW.source_seq AND source_ordinal = NEW.source_ordinal
            AND text_bytes >= NEW.quote_end AND text_bytes >= ifnull(NEW.second_end, 0)
            AND text_bytes >= ifnull(NEW.third_end, 0)
    );
    SELECT RAISE(ABORT, 'a claim needs a fact of its subject, realm and predicate')
    WHERE NOT EXISTS (
        SELECT 1 FROM fact
        WHERE subject = NEW.subject AND seq = NEW.fact_seq AND ordinal = NEW.fact_ordinal
            AND realm = NEW.realm AND predicate = NEW.predicate
    );
END;
CREATE TRIGGER support_stays_within_its_fact BEFORE INSERT ON support BEGIN
    SELECT RAISE(ABORT, 'a version is supported by claims of its own fact')
    WHERE NOT EXISTS (
        SELECT 1 FROM transition, claim
        WHERE transition.subject = NEW.subject AND transition.seq = NEW.seq AND transition.ordinal = NEW.ordinal
            AND claim.subject = NEW.subject AND claim.seq = NEW.claim_seq AND claim.ordinal = NEW.claim_ordinal
            AND claim.fact_seq = transition.fact_seq AND claim.fact_ordinal = transition.fact_ordinal
    );
END;
CREATE TRIGGER source_copies_a_source BEFORE INSERT ON source WHEN NEW.copy_seq IS NOT NULL BEGIN
    SELECT RAISE(ABORT, 'a source is a copy of a source of its subject')
    WHERE NOT EXISTS (
        SELECT 1 FROM source WHERE subject = NEW.subject AND seq = NEW.copy_seq AND ordinal = NEW.copy_ordinal
    );
END;

-- Append-only: no row is changed, replaced or taken out but by an erasure.
CREATE TRIGGER source_is_never_changed BEFORE UPDATE ON source
BEGIN SELECT RAISE(ABORT, 'source is append-only'); END;
CREATE TRIGGER source_is_never_replaced BEFORE INSERT ON source
WHEN EXISTS (SELECT 1 FROM source WHERE subject = NEW.subject AND seq = NEW.seq AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'source is append-only'); END;
CREATE TRIGGER source_is_only_erased BEFORE DELETE ON source
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'source is append-only'); END;
CREATE TRIGGER evidence_is_only_reduced BEFORE UPDATE ON evidence
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
    OR NEW.subject IS NOT OLD.subject OR NEW.seq IS NOT OLD.seq OR NEW.ordinal IS NOT OLD.ordinal
    OR NEW.source_seq IS NOT OLD.source_seq OR NEW.source_ordinal IS NOT OLD.source_ordinal
    OR NEW.author IS NOT OLD.author OR NEW.event_time IS NOT OLD.event_time OR NEW.observed_at IS NOT OLD.observed_at
    OR NEW.text_bytes IS NOT OLD.text_bytes OR NEW.moment IS NOT OLD.moment OR NEW.external IS NOT OLD.external
    OR NEW.text_mark IS NOT OLD.text_mark
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER evidence_is_never_replaced BEFORE INSERT ON evidence
WHEN EXISTS (SELECT 1 FROM evidence WHERE subject = NEW.subject AND seq = NEW.seq AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER evidence_is_only_erased BEFORE DELETE ON evidence
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER fact_is_never_changed BEFORE UPDATE ON fact
BEGIN SELECT RAISE(ABORT, 'fact is append-only'); END;
CREATE TRIGGER fact_is_never_replaced BEFORE INSERT ON fact
WHEN EXISTS (SELECT 1 FROM fact WHERE subject = NEW.subject AND seq = NEW.seq AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'fact is append-only'); END;
CREATE TRIGGER fact_is_only_erased BEFORE DELETE ON fact
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'fact is append-only'); END;
CREATE TRIGGER claim_is_never_changed BEFORE UPDATE ON claim
BEGIN SELECT RAISE(ABORT, 'claim is append-only'); END;
CREATE TRIGGER claim_is_never_replaced BEFORE INSERT ON claim
WHEN EXISTS (SELECT 1 FROM claim WHERE subject = NEW.subject AND seq = NEW.seq AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'claim is append-only'); END;
CREATE TRIGGER claim_is_only_erased BEFORE DELETE ON claim
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'claim is append-only'); END;
CREATE TRIGGER act_is_never_changed BEFORE UPDATE ON act
BEGIN SELECT RAISE(ABORT, 'act is append-only'); END;
CREATE TRIGGER act_is_never_replaced BEFORE INSERT ON act
WHEN EXISTS (SELECT 1 FROM act WHERE subject = NEW.subject AND seq = NEW.seq AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'act is append-only'); END;
CREATE TRIGGER act_is_only_erased BEFORE DELETE ON act
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'act is append-only'); END;
CREATE TRIGGER transition_is_never_changed BEFORE UPDATE ON transition
BEGIN SELECT RAISE(ABORT, 'transition is append-only'); END;
CREATE TRIGGER transition_is_never_replaced BEFORE INSERT ON transition
WHEN EXISTS (SELECT 1 FROM transition WHERE subject = NEW.subject AND seq = NEW.seq AND ordinal = NEW.ordinal)
BEGIN SELECT RAISE(ABORT, 'transition is append-only'); END;
CREATE TRIGGER transition_is_only_erased BEFORE DELETE ON transition
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'transition is append-only'); END;
CREATE TRIGGER support_is_never_changed BEFORE UPDATE ON support
BEGIN SELECT RAISE(ABORT, 'support is append-only'); END;
CREATE TRIGGER support_is_never_replaced BEFORE INSERT ON support
WHEN EXISTS (SELECT 1 FROM support WHERE subject = NEW.subject AND seq = NEW.seq AND ordinal = NEW.ordinal AND place = NEW.place)
BEGIN SELECT RAISE(ABORT, 'support is append-only'); END;
CREATE TRIGGER support_is_only_erased BEFORE DELETE ON support
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'support is append-only'); END;
CREATE TRIGGER entry_is_never_changed BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'entry is append-only'); END;
CREATE TRIGGER entry_is_never_replaced BEFORE INSERT ON entry
WHEN EXISTS (SELECT 1 FROM entry WHERE subject = NEW.subject AND seq = NEW.seq)
    OR EXISTS (SELECT 1 FROM entry WHERE subject = NEW.subject AND request = NEW.request)
BEGIN SELECT RAISE(ABORT, 'entry is append-only'); END;
CREATE TRIGGER entry_is_only_erased BEFORE DELETE ON entry
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'entry is append-only'); END;
CREATE TRIGGER turn_is_never_changed BEFORE UPDATE ON turn
BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;
CREATE TRIGGER turn_is_never_replaced BEFORE INSERT ON turn
WHEN EXISTS (SELECT 1 FROM turn WHERE subject = NEW.subject AND turn = NEW.turn)
    OR EXISTS (SELECT 1 FROM turn WHERE subject = NEW.subject AND request = NEW.request)
BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;
CREATE TRIGGER turn_is_only_erased BEFORE DELETE ON turn
WHEN NOT EXISTS (SELECT 1 FROM erasing WHERE subject = OLD.subject)
BEGIN SELECT RAISE(ABORT, 'turn is append-only'); END;
