-- Version 2: which policy the deployment uses, as a list of acts. They are nobody's memory, so no subject stands in the
-- key. In clear: numbers, times, policy names. `words`, why and by whom, is sealed under a key of the store itself.

CREATE TABLE policy_act (
    number INTEGER PRIMARY KEY CHECK (number >= 1),
    deed TEXT NOT NULL CHECK (deed IN ('promote', 'rollback')),
    from_policy TEXT NOT NULL CHECK (from_policy <> ''),
    to_policy TEXT NOT NULL CHECK (to_policy <> '' AND to_policy <> from_policy),
    at INTEGER NOT NULL,
    words BLOB NOT NULL
) STRICT;

-- Append-only and without gaps; each act takes up where the one before it ended.
CREATE TRIGGER policy_act_follows_the_last BEFORE INSERT ON policy_act
WHEN NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM policy_act)
    OR NEW.from_policy <> ifnull((SELECT to_policy FROM policy_act ORDER BY number DESC LIMIT 1), NEW.from_policy)
BEGIN SELECT RAISE(ABORT, 'an act on the policy follows the last one'); END;
CREATE TRIGGER policy_act_is_never_changed BEFORE UPDATE ON policy_act
BEGIN SELECT RAISE(ABORT, 'policy_act is append-only'); END;
CREATE TRIGGER policy_act_is_never_erased BEFORE DELETE ON policy_act
BEGIN SELECT RAISE(ABORT, 'policy_act is append-only'); END;
