-- Telemetry, version 1. Every column of every table is an integer: there is no place for a word, an id or a time of day.

CREATE TABLE shadow_row (
    row INTEGER PRIMARY KEY,
    day INTEGER NOT NULL,
    standing INTEGER NOT NULL,
    candidate INTEGER NOT NULL,
    considered INTEGER NOT NULL,
    selected_standing INTEGER NOT NULL,
    selected_candidate INTEGER NOT NULL,
    overlap INTEGER NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    tokens_difference INTEGER NOT NULL,
    disputes_added INTEGER NOT NULL,
    disputes_removed INTEGER NOT NULL,
    duration_micros INTEGER NOT NULL
) STRICT;

CREATE INDEX shadow_row_day ON shadow_row (day);

CREATE TABLE shadow_rollup (
    standing INTEGER NOT NULL,
    candidate INTEGER NOT NULL,
    day INTEGER NOT NULL,
    compared INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL DEFAULT 0,
    considered INTEGER NOT NULL DEFAULT 0,
    selected_standing INTEGER NOT NULL DEFAULT 0,
    selected_candidate INTEGER NOT NULL DEFAULT 0,
    overlap INTEGER NOT NULL DEFAULT 0,
    added INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0,
    tokens_difference INTEGER NOT NULL DEFAULT 0,
    disputes_added INTEGER NOT NULL DEFAULT 0,
    disputes_removed INTEGER NOT NULL DEFAULT 0,
    duration_micros INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (standing, candidate, day)
) STRICT, WITHOUT ROWID;

-- The histogram of durations: how many comparisons of a day fell into a bucket.
CREATE TABLE shadow_duration (
    standing INTEGER NOT NULL,
    candidate INTEGER NOT NULL,
    day INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    compared INTEGER NOT NULL,
    PRIMARY KEY (standing, candidate, day, bucket)
) STRICT, WITHOUT ROWID;

-- What the lanes counted, by the place of the event in the program's list.
CREATE TABLE shadow_tally (
    day INTEGER NOT NULL,
    event INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (day, event)
) STRICT, WITHOUT ROWID;
