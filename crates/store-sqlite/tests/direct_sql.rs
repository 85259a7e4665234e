//! Promises 1, 2 and 12 hold against anybody who writes SQL: what the types would not let through, the tables refuse.

use crate::places;
use ledger::conformance::{first_story, keyed, scope};
use ledger::store::{Appended, Head, Store};
use rusqlite::Connection;

/// A store with one story for each of two subjects, closed, and a plain connection to its file.
fn two_subjects() -> Connection {
    let directory = places::fresh();
    {
        let store = places::open(&directory);
        for name in ["ana", "ben"] {
            let appended = store
                .append(&scope(name), &Head::default(), &[keyed(1, first_story(1, 1))])
                .expect("appended");
            assert_eq!(appended, Appended::Done(1));
        }
    }
    Connection::open(directory.join("ledger.db")).expect("a connection")
}

const COLUMNS: &str = "subject, seq, ordinal, fact_seq, fact_ordinal, evidence_seq, evidence_ordinal, source_seq,
    source_ordinal, author, realm, predicate, op, confidence_permille, event_time, valid_from, valid_to, inferred,
    policy, copy_mark, quote_start, quote_end, second_start, second_end, third_start, third_end, words";

/// A copy of subject 1's claim at another place, with some columns otherwise.
fn claim_with(changes: &[(&str, &str)]) -> String {
    let chosen = COLUMNS.split(',').map(|column| {
        let column = column.trim();
        let changed = changes.iter().find(|(name, _)| *name == column).map(|(_, value)| *value);
        let value = if column == "ordinal" { "90" } else { column };
        changed.unwrap_or(value).to_owned()
    });
    let chosen: Vec<String> = chosen.collect();
    format!("INSERT INTO claim ({COLUMNS}) SELECT {} FROM claim WHERE subject = 1", chosen.join(", "))
}

#[test]
fn a_copy_of_a_good_claim_is_taken() {
    // The control: what is refused below is refused for what was changed.
    assert_eq!(two_subjects().execute(&claim_with(&[]), []), Ok(1));
}

#[test]
fn a_claim_without_its_quote_in_evidence_of_its_subject_is_refused() {
    let connection = two_subjects();
    connection
        .execute_batch(
            "INSERT INTO evidence SELECT subject, seq, 60, source_seq, source_ordinal, 'external', event_time,
                observed_at, text_bytes, moment, external, text_mark, seq, 60, words, text
             FROM evidence WHERE subject = 1;
             INSERT INTO source SELECT subject, seq, 61, kind, authority, fidelity, mode, retention, NULL, NULL, words
             FROM source WHERE subject = 1;
             INSERT INTO fact SELECT subject, seq, 62, 'world', predicate, identity, salt FROM fact WHERE subject = 1;
             INSERT INTO fact SELECT subject, seq, 63, realm, 'dislikes', identity, salt FROM fact
             WHERE subject = 1 AND ordinal = 2;",
        )
        .expect("rows to refer to");
    let table: [(&str, &[(&str, &str)]); 26] = [
        ("no such evidence", &[("evidence_seq", "9")]),
        ("no evidence at all", &[("evidence_seq", "NULL")]),
        ("evidence that is another kind of row", &[("evidence_ordinal", "0")]),
        ("evidence of another source", &[("source_ordinal", "61")]),
        ("a source that is not there", &[("source_seq", "9")]),
        (
            "another author than the evidence",
            &[("author", "'external'"), ("realm", "'world'"), ("fact_ordinal", "62")],
        ),
        ("owner realm on external evidence", &[("evidence_ordinal", "60"), ("author", "'external'")]),
        ("owner realm, author belied", &[("evidence_ordinal", "60")]),
        ("an author that is none", &[("author", "'root'")]),
        ("no quote", &[("quote_start", "NULL"), ("quote_end", "NULL")]),
        ("an empty quote", &[("quote_end", "quote_start")]),
        ("a reversed quote", &[("quote_start", "5"), ("quote_end", "2")]),
        ("a quote before the text", &[("quote_start", "-1")]),
        ("a quote past the text", &[("quote_end", "quote_end + 1")]),
        ("a second quote past the text", &[("second_start", "0"), ("second_end", "1000")]),
        ("an empty second quote", &[("second_start", "1"), ("second_end", "1")]),
        ("half a second quote", &[("second_start", "1")]),
        (
            "a third quote past the text",
            &[("second_start", "0"), ("second_end", "1"), ("third_start", "0"), ("third_end", "1000")],
        ),
        ("a third quote without a second", &[("third_start", "0"), ("third_end", "1")]),
        ("no such fact", &[("fact_seq", "9")]),
        ("a fact of another realm", &[("fact_ordinal", "62")]),
        ("a realm that is not its fact's", &[("realm", "'world'")]),
        ("a fact of another predicate", &[("fact_ordinal", "63")]),
        ("a subject that is not there", &[("subject", "7")]),
        ("words that are text", &[("words", "'in clear'")]),
        ("the place of another claim", &[("ordinal", "ordinal")]),
    ];
    for (what, changes) in table {
        let refused = connection.execute(&claim_with(changes), []);
        assert!(refused.is_err(), "{what} was taken");
    }
    let count = connection.query_row("SELECT count(*) FROM claim", [], |row| row.get::<_, i64>(0));
    assert_eq!(count, Ok(2));
}

#[test]
fn a_reference_into_another_subject_is_refused() {
    let connection = two_subjects();
    // Subject 2 has only append 1 rows 0 to 4; subject 1 gets one that subject 2 has not.
    connection
        .execute_batch(
            "INSERT INTO evidence SELECT subject, 2, 0, source_seq, source_ordinal, author, event_time, observed_at,
                text_bytes, moment, external, text_mark, 2, 0, words, text FROM evidence WHERE subject = 1;
             INSERT INTO fact SELECT subject, 2, 1, realm, predicate, identity, salt FROM fact WHERE subject = 1;
             INSERT INTO source SELECT subject, 2, 2, kind, authority, fidelity, mode, retention, NULL, NULL, words
             FROM source WHERE subject = 1;
             INSERT INTO claim SELECT subject, 2, 3, fact_seq, fact_ordinal, evidence_seq, evidence_ordinal,
                source_seq, source_ordinal, author, realm, predicate, op, confidence_permille, event_time, valid_from,
                valid_to, inferred, policy, copy_mark, quote_start, quote_end, NULL, NULL, NULL, NULL, words
             FROM claim WHERE subject = 1;",
        )
        .expect("rows to refer to");
    let as_second =
        |changes: &[(&str, &str)]| claim_with(changes).replace("WHERE subject = 1", "WHERE subject = 2");
    assert!(connection.execute(&as_second(&[("evidence_seq", "2"), ("evidence_ordinal", "0")]), []).is_err());
    assert!(connection.execute(&as_second(&[("fact_seq", "2"), ("fact_ordinal", "1")]), []).is_err());
    let refused = [
        "INSERT INTO evidence SELECT 2, 5, 0, 2, 2, author, event_time, observed_at, text_bytes, moment, external,
            text_mark, 5, 0, words, text FROM evidence WHERE subject = 2",
        "INSERT INTO source SELECT 2, 5, 0, kind, authority, fidelity, mode, retention, 2, 2, words
         FROM source WHERE subject = 2",
        "INSERT INTO transition SELECT 2, 5, 0, 2, 1, version_seq, version_ordinal, kind, cause_seq, cause_ordinal, at,
            valid_from, valid_to, standing, salt FROM transition WHERE subject = 2",
        "INSERT INTO support SELECT 2, seq, ordinal, 7, 1, 2, 3 FROM support WHERE subject = 2",
        "INSERT INTO entry SELECT 9, 1, recorded_at, hash, request, commitments, orphaned FROM entry WHERE subject = 2",
        "INSERT INTO turn VALUES (9, 1, zeroblob(16), zeroblob(1))",
        "INSERT INTO turn_use VALUES (2, 1, 1, 1)",
        "INSERT INTO data_key VALUES (9, 1, 0, 1, zeroblob(60))",
    ];
    for sql in refused {
        assert!(connection.execute(sql, []).is_err(), "taken: {sql}");
    }
}

#[test]
fn a_version_is_supported_by_claims_of_its_own_fact_only() {
    let connection = two_subjects();
    connection
        .execute_batch(
            "INSERT INTO fact SELECT subject, 2, 1, realm, predicate, zeroblob(16), salt FROM fact WHERE subject = 1;
             INSERT INTO transition SELECT subject, 2, 2, 2, 1, version_seq, version_ordinal, kind, cause_seq,
                cause_ordinal, at, valid_from, valid_to, standing, salt FROM transition WHERE subject = 1;",
        )
        .expect("another fact with a transition");
    let support = |seq: i64, ordinal: i64, claim: i64| {
        connection.execute("INSERT INTO support VALUES (1, ?, ?, 5, 1, 1, ?)", (seq, ordinal, claim))
    };
    assert_eq!(support(1, 4, 3), Ok(1));
    assert!(support(2, 2, 3).is_err(), "a claim of another fact");
    assert!(support(1, 4, 9).is_err(), "no such claim");
    assert!(support(9, 9, 3).is_err(), "no such transition");
}

#[test]
fn nothing_is_changed_replaced_or_taken_out() {
    let connection = two_subjects();
    let tables = ["source", "evidence", "fact", "claim", "transition", "support", "entry"];
    let before = tables.map(|table| dump(&connection, table));
    connection.execute("INSERT INTO turn VALUES (1, 1, zeroblob(16), zeroblob(1))", []).expect("a turn");
    for table in tables.into_iter().chain(["turn"]) {
        let mut statements = vec![
            format!("DELETE FROM {table}"),
            format!("DELETE FROM {table} WHERE subject = 1"),
            format!("UPDATE {table} SET subject = subject"),
            format!("INSERT OR REPLACE INTO {table} SELECT * FROM {table}"),
            format!("REPLACE INTO {table} SELECT * FROM {table} WHERE subject = 1"),
        ];
        if table == "entry" || table == "turn" {
            let number = if table == "entry" { "seq" } else { "turn" };
            let columns = if table == "entry" {
                "recorded_at, hash, request, commitments, orphaned"
            } else {
                "request, record"
            };
            statements.push(format!(
                "INSERT OR REPLACE INTO {table} SELECT subject, {number} + 1, {columns} FROM {table}"
            ));
        }
        for sql in statements {
            assert!(connection.execute(&sql, []).is_err(), "taken: {sql}");
        }
    }
    for sql in [
        "UPDATE evidence SET text = NULL",
        "UPDATE claim SET realm = 'world'",
        "UPDATE entry SET hash = hash",
    ] {
        assert!(connection.execute(sql, []).is_err(), "taken: {sql}");
    }
    assert_eq!(tables.map(|table| dump(&connection, table)), before);
}

#[test]
fn the_mark_that_opens_a_subject_for_erasure_cannot_be_committed() {
    let connection = two_subjects();
    assert!(connection.execute("INSERT INTO erasing (subject) VALUES (1)", []).is_err());
    assert!(connection.execute("INSERT INTO never VALUES (0)", []).is_err());
    assert!(connection.execute("INSERT INTO never VALUES (NULL)", []).is_err());
    let committed = connection.execute_batch(
        "BEGIN; INSERT INTO erasing (subject) VALUES (1); DELETE FROM support WHERE subject = 1; COMMIT;",
    );
    assert!(committed.is_err());
    connection.execute_batch("ROLLBACK").expect("taken back");
    // Even inside, only evidence may change, and only what can be erased of it.
    connection.execute_batch("BEGIN; INSERT INTO erasing (subject) VALUES (1);").expect("begun");
    for sql in [
        "UPDATE claim SET words = words WHERE subject = 1",
        "UPDATE evidence SET author = 'external' WHERE subject = 1",
        "UPDATE evidence SET text_bytes = 1 WHERE subject = 1",
        "UPDATE evidence SET text = NULL WHERE subject = 2",
        "DELETE FROM support WHERE subject = 2",
    ] {
        assert!(connection.execute(sql, []).is_err(), "taken: {sql}");
    }
    assert_eq!(connection.execute("UPDATE evidence SET text = NULL WHERE subject = 1", []), Ok(1));
}

/// Every row of a table, as text.
fn dump(connection: &Connection, table: &str) -> Vec<String> {
    let mut select = connection.prepare(&format!("SELECT * FROM {table}")).expect("a table");
    let columns = select.column_count();
    let rows = select.query_map([], |row| {
        (0..columns)
            .map(|column| row.get_ref(column).map(|value| format!("{value:?}")))
            .collect::<Result<String, _>>()
    });
    rows.expect("rows").collect::<Result<_, _>>().expect("values")
}
