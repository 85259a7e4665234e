-- Version 3: tombstones know their source, so that they can be lifted together; one laid before has none. And what stays of
-- a subject that was forgotten whole: keyed marks, counts, a chain of its own.

ALTER TABLE tombstone ADD COLUMN source BLOB CHECK (source IS NULL OR length(source) = 16);

CREATE TABLE destruction (
    number INTEGER PRIMARY KEY CHECK (number >= 1),
    subject_mark BLOB NOT NULL CHECK (length(subject_mark) = 16),
    by_mark BLOB NOT NULL CHECK (length(by_mark) = 16),
    at INTEGER NOT NULL,
    -- The last append of the log that went, and its hash.
    watermark INTEGER NOT NULL CHECK (watermark >= 0),
    tip BLOB NOT NULL CHECK (length(tip) = 32),
    sources INTEGER NOT NULL CHECK (sources >= 0),
    evidence INTEGER NOT NULL CHECK (evidence >= 0),
    facts INTEGER NOT NULL CHECK (facts >= 0),
    claims INTEGER NOT NULL CHECK (claims >= 0),
    acts INTEGER NOT NULL CHECK (acts >= 0),
    transitions INTEGER NOT NULL CHECK (transitions >= 0),
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32)
) STRICT;

-- Append-only and without gaps.
CREATE TRIGGER destruction_follows_the_last BEFORE INSERT ON destruction
WHEN NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM destruction)
BEGIN SELECT RAISE(ABORT, 'a record of a destruction follows the last one'); END;
CREATE TRIGGER destruction_is_never_changed BEFORE UPDATE ON destruction
BEGIN SELECT RAISE(ABORT, 'destruction is append-only'); END;
CREATE TRIGGER destruction_is_never_erased BEFORE DELETE ON destruction
BEGIN SELECT RAISE(ABORT, 'destruction is append-only'); END;
