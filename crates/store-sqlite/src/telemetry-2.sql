-- Telemetry, version 2: how often a limit was met on a day, by the limit's number. Integers only, as everywhere here.

CREATE TABLE limit_hit (
    day INTEGER NOT NULL,
    number INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (day, number)
) STRICT, WITHOUT ROWID;
