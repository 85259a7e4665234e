-- Vectors, beside the ledger: disposable, so a change of these tables is a new version and the file is made anew.

CREATE TABLE about (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    -- The id of the store whose rows are placed here.
    store BLOB NOT NULL CHECK (length(store) = 16),
    -- Random: tells this file from one that was here before.
    keeping INTEGER NOT NULL,
    -- The number of the last vector kept; never given twice.
    last INTEGER NOT NULL
) STRICT;

CREATE TABLE model (
    model INTEGER PRIMARY KEY,
    mark BLOB NOT NULL UNIQUE CHECK (length(mark) = 32),
    name TEXT NOT NULL,
    dims INTEGER NOT NULL
) STRICT;

CREATE TABLE vector (
    subject INTEGER NOT NULL,
    model INTEGER NOT NULL REFERENCES model (model),
    -- 1: a message, 2: a claim.
    kind INTEGER NOT NULL CHECK (kind IN (1, 2)),
    number INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    piece INTEGER NOT NULL,
    -- The source whose data key seals it.
    key_seq INTEGER NOT NULL,
    key_ordinal INTEGER NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (subject, model, kind, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX vector_of_row ON vector (subject, seq, ordinal, model, piece);
