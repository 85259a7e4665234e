//! **Quote or nothing.** "A claim cites a quote that stands at that byte span in immutable evidence. One without does not
//! compile (constructor) and does not persist (database constraint)."

use ledger::claim::{Quote, Quotes};
use ledger::evidence::Evidence;
use proofs::{Keeper, World, on_every_store};
use serde_json::{Value as Json, json};

use crate::speak::{claim, with};

const TEXT: &str = "Žao mi je.\n  No   meetings before 9:30, please. I live in Zagreb \u{1f600} since May.";

/// Every claim in memory cites words that stand exactly where it says.
fn every_quote_stands(world: &World) -> usize {
    let memory = world.memory();
    for (id, claim) in memory.claims() {
        let found = world.store.evidence(&world.me, &[claim.evidence]).expect("read");
        let evidence: &Evidence = found[0].as_ref().expect("a claim's evidence is there");
        let text = evidence.words.text.as_deref().expect("kept whole");
        for quote in claim.words.quotes.iter() {
            let (start, end) = (quote.span().start as usize, quote.span().end as usize);
            assert!(end > start, "{id:?} has an empty quote");
            assert_eq!(text.get(start..end), Some(quote.text()), "{id:?}");
        }
    }
    memory.claims().count()
}

on_every_store! {
    /// Quotes that stand there, however the white space is set, become claims that point at the bytes of the original.
    fn a_quote_that_stands_is_pointed_at_to_the_byte(world) {
        let proposals = [
            claim("self", "no_meetings_before", "09:30", "No meetings before 9:30"),
            claim("self", "home_city", "Zagreb", "I live in Zagreb \u{1f600}"),
        ];
        let observed = world.said("2026-03-01", TEXT, &proposals);
        assert_eq!(observed.counts.admitted, 2, "{observed:#?}");
        assert_eq!(every_quote_stands(world), 2);
        for one in &observed.admitted {
            let why = world.engine.why(world.call("2026-03-02"), &one.claim).expect("a receipt");
            let text = why.evidence[0].text.as_deref().expect("the whole message");
            let (start, end) = (why.claims[0].start as usize, why.claims[0].end as usize);
            assert_eq!(&text[start..end], why.claims[0].quote, "the receipt shows the bytes it points at");
        }
    }

    /// Words that do not stand in the message found nothing, whatever else is right about the proposal.
    fn a_quote_that_does_not_stand_founds_nothing(world) {
        let _ = world.said("2026-02-28", "No meetings before 9:30 on any day", &[]);
        let good = claim("self", "no_meetings_before", "09:30", "");
        let quotes: Vec<(Json, &str)> = vec![
            (json!({"quote": "no calls before 9:30"}), "other words"),
            (json!({"quote": "NO MEETINGS BEFORE 9:30"}), "other case"),
            (json!({"quote": "No meetings before 9.30"}), "another sign"),
            (json!({"quote": "No meetings before 9:30 on any day"}), "words of an earlier message"),
            (json!({"quote": "No\u{200b} meetings before 9:30"}), "an invisible character"),
            (json!({"quote": "N\u{43e} meetings before 9:30"}), "a Cyrillic letter"),
            (json!({"quote": "meetings ... 9:30"}), "an ellipsis"),
            (json!({"quote": format!("{TEXT} ")+"and more"}), "more than the message"),
            (json!({"quote": ""}), "nothing"),
            (json!({"quote": " \n\t "}), "white space"),
            (json!({"quote": null}), "null"),
            (json!({"quotes": []}), "an empty list"),
            (json!({"quotes": ["No meetings before 9:30, please", "which is not there"]}), "one of two"),
            (json!({"quote": "No meetings before 9:30", "quotes": ["which is not there"]}), "a second that is not"),
        ];
        let mut now = 0;
        for (quote, what) in quotes {
            now += 1;
            let mut proposal = good.clone();
            proposal.as_object_mut().expect("an object").remove("quote");
            let time = format!("2026-03-{now:02}");
            let observed = world.said(&time, TEXT, &[with(proposal, quote)]);
            assert_eq!(observed.counts.admitted, 0, "{what}: {observed:#?}");
            let codes: Vec<&str> = observed.refused.iter().map(|refused| refused.code.as_str()).collect();
            assert!(
                matches!(codes[..], ["quote_not_found" | "quote_out_of_bounds"]),
                "{what} is refused for the quote, not for something else: {observed:#?}"
            );
        }
        let proposal = claim("self", "no_meetings_before", "09:30", "quote");
        let mut without = proposal;
        without.as_object_mut().expect("an object").remove("quote");
        assert_eq!(world.said("2026-04-01", TEXT, &[without]).counts.admitted, 0);
        assert_eq!(world.memory().claims().count(), 0);
        assert_eq!(world.memory().facts().len(), 0, "a refused proposal leaves no fact behind");
    }

    /// Evidence does not change under a claim: the same message again, with other words, is other evidence.
    fn evidence_under_a_claim_stays_as_it_was(world) {
        let first = world.observe("2026-03-01", json!({
            "source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "external_id": "m1", "text": TEXT,
            "event_time": "2026-03-01", "proposals": [claim("self", "home_city", "Zagreb", "I live in Zagreb")],
        }));
        let again = world.observe("2026-03-02", json!({
            "source": {"kind": "conversation", "ref": "c1"}, "author": "owner", "external_id": "m1",
            "text": "I live in Split since May.", "event_time": "2026-03-02",
            "proposals": [claim("self", "home_city", "Split", "I live in Split")],
        }));
        assert_eq!(again.evidence, first.evidence, "the same id is the same message");
        assert_eq!(again.counts.admitted, 0, "and it does not say the new words: {again:#?}");
        assert_eq!(every_quote_stands(world), 1);
        let verified = world.engine.verify(world.call("2026-03-03")).expect("verified");
        assert!(verified.ok && verified.quotes == 1, "{verified:#?}");
    }
}

/// There is no way to write a claim's quotes down without one, nor a quote without its words.
#[test]
fn the_types_have_no_room_for_a_claim_without_a_quote() {
    assert!(Quotes::new(Vec::new()).is_err());
    assert!(serde_json::from_value::<Quotes>(json!([])).is_err());
    let quote = Quote::cut("some words", 0, 4).expect("it stands there");
    assert!(Quotes::new(vec![quote.clone()]).is_ok());
    assert!(Quotes::new(vec![quote; Quotes::MAX + 1]).is_err());
    for (start, end) in [(0, 0), (4, 4), (5, 4), (0, 11), (11, 12), (usize::MAX, 0)] {
        assert_eq!(Quote::cut("some words", start, end), None, "{start}..{end}");
    }
    assert_eq!(Quote::cut("Žao", 1, 3), None, "half a character is no word");
}

/// The database itself refuses a claim without a quote, also from somebody who writes SQL past the program.
#[test]
fn the_database_has_no_room_for_a_claim_without_a_quote() {
    let world = World::new(Keeper::Sqlite);
    let observed =
        world.said("2026-03-01", TEXT, &[claim("self", "home_city", "Zagreb", "I live in Zagreb")]);
    assert_eq!(observed.counts.admitted, 1);
    let database = rusqlite::Connection::open(world.directory().join("ledger.db")).expect("opened");
    database.pragma_update(None, "foreign_keys", true).expect("the constraints are on");
    let columns: Vec<String> = database
        .prepare("SELECT name FROM pragma_table_info('claim')")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("the columns of a claim");
    // A copy of the claim in another place, with one thing changed.
    let insert = |changed: &str, to: &str| {
        let values = columns.iter().map(|name| match name.as_str() {
            name if name == changed => to,
            "ordinal" => "ordinal + 100",
            name => name,
        });
        let values: Vec<&str> = values.collect();
        let done = database.execute_batch(&format!(
            "BEGIN; INSERT INTO claim SELECT {} FROM claim; ROLLBACK;",
            values.join(", ")
        ));
        if done.is_err() {
            _ = database.execute_batch("ROLLBACK");
        }
        done
    };
    assert!(insert("", "").is_ok(), "a copy as it is would do: the refusals below are for what was changed");
    for (column, value) in [
        ("quote_start", "NULL"),
        ("quote_end", "NULL"),
        ("quote_end", "quote_start"),
        ("quote_start", "-1"),
        ("quote_end", "1000000"),
        ("second_start", "0"),
        ("evidence_ordinal", "NULL"),
        ("evidence_ordinal", "evidence_ordinal + 1"),
        ("evidence_seq", "evidence_seq + 1"),
        ("subject", "subject + 1"),
        ("author", "'assistant'"),
        ("author", "'external'"),
        ("realm", "'world'"),
    ] {
        assert!(insert(column, value).is_err(), "a claim with `{column}` = {value} was taken");
    }
    for statement in [
        "DELETE FROM evidence",
        "DELETE FROM claim",
        "UPDATE evidence SET text_bytes = 1",
        "UPDATE claim SET quote_start = 0",
        "UPDATE claim SET realm = 'world'",
    ] {
        assert!(database.execute_batch(statement).is_err(), "`{statement}` was done");
    }
}
