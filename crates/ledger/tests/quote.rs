//! Quotes are found where they stand, and only there.

use ledger::quote::{Span, find, find_all, find_near, fold};
use proptest::prelude::*;

#[test]
fn quotes_found_and_refused() {
    // text, quote, the words covered (None: must not be found)
    let table: &[(&str, &str, Option<&str>)] = &[
        ("I live in Rome.", "live in Rome", Some("live in Rome")),
        ("I live in Rome.", "I live in Rome.", Some("I live in Rome.")),
        ("I live in Rome.", "  live   in\nRome  ", Some("live in Rome")),
        ("I live\r\n  in\tRome.", "live in Rome", Some("live\r\n  in\tRome")),
        ("I live\u{a0}in\u{202f}Rome.", "live in Rome", Some("live\u{a0}in\u{202f}Rome")),
        (
            "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f",
            "a b c d e f",
            Some("a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f"),
        ),
        ("I live in Rome.", "live in rome", None),
        ("I live in Rome.", "live in Romea", None),
        ("I live in Rome.", "livein Rome", None),
        ("livein Rome", "live in Rome", None),
        ("he said “no”", "said \"no\"", None),
        ("he said “no”", "said “no”", Some("said “no”")),
        ("Zovem se Ka\u{30c}lina", "Kǎlina", Some("Ka\u{30c}lina")),
        ("Kuc\u{30c}ka u s\u{30c}umi", "Kučka u šumi", Some("Kuc\u{30c}ka u s\u{30c}umi")),
        ("Kučka u šumi", "Kuc\u{30c}ka u s\u{30c}umi", Some("Kučka u šumi")),
        ("c\u{30c}", "c", None),
        ("č", "c", None),
        ("x\u{30c} x", "x", Some("x")),
        ("x\u{30c}", "\u{30c}", None),
        ("xxx\u{30c} xx", "xx", Some("xx")),
        ("\u{915}\u{93f}", "\u{915}", None),
        ("\u{e01}\u{e31}", "\u{e01}", None),
        (
            "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
            "한글",
            Some("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
        ),
        ("\u{1112}\u{1161}\u{11ab}", "하", None),
        ("5 \u{212b} wide", "5 Å wide", Some("5 \u{212b} wide")),
        ("a\u{200b}b", "ab", None),
        ("a\u{200b}b", "a\u{200b}b", Some("a\u{200b}b")),
        ("👩‍👩‍👧 family", "family", Some("family")),
        ("", "a", None),
        ("a", "", None),
        ("a  b", "   ", None),
        ("   ", " ", None),
        ("   a", "a", Some("a")),
    ];
    for (text, quote, expected) in table {
        let found = find(text, quote).and_then(|span| span.slice(text));
        assert_eq!(found, *expected, "quote {quote:?} in {text:?}");
    }
}

#[test]
fn all_places_are_listed_without_overlaps() {
    assert_eq!(find_all("no no  no", "no"), [Span::new(0, 2), Span::new(3, 5), Span::new(7, 9)]);
    assert_eq!(find_all("aaaa", "aa"), [Span::new(0, 2), Span::new(2, 4)]);
    assert_eq!(
        find_all("xx\u{30c}x xx", "x"),
        [Span::new(0, 1), Span::new(4, 5), Span::new(6, 7), Span::new(7, 8)]
    );
    assert!(find_all("abc", "d").is_empty());
}

#[test]
fn a_hint_decides_between_places() {
    let text = "Rome here, Rome there, Rome";
    let at = |start| Some(Span::new(start, start + 4));
    assert_eq!(find_near(text, "Rome", None), at(0));
    assert_eq!(find_near(text, "Rome", at(11)), at(11));
    assert_eq!(
        find_near(text, "Rome", Some(Span::new(10, 16))),
        at(11),
        "white space at its ends is no matter"
    );
    assert_eq!(find_near(text, "Rome", Some(Span::new(20, 22))), at(23));
    assert_eq!(find_near(text, "Rome", Some(Span::new(9000, 1))), at(23));
    assert_eq!(find_near(text, "Paris", at(0)), None);
    assert_eq!(
        find_near("aaa", "aa", Some(Span::new(1, 3))),
        Some(Span::new(1, 3)),
        "also one that overlaps"
    );
    assert_eq!(
        find_near("čč", "č", Some(Span::new(1, 2))),
        Some(Span::new(0, 2)),
        "a hint that cuts a letter"
    );
}

/// A quadratic search would need hours here.
#[test]
fn ten_megabytes_of_the_worst_are_linear() {
    let marked = "x\u{30c}".repeat(3_300_000);
    let quote = format!("{}x", "x\u{30c}".repeat(500_000));
    assert_eq!(find(&marked, &quote), None);
    let spaces = " ".repeat(10_000_000) + "a";
    assert_eq!(find(&spaces, "a"), Some(Span::new(10_000_000, 10_000_001)));
    let marks = "a".to_owned() + &"\u{301}".repeat(300_000);
    assert_eq!(find(&marks, "á"), None);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        proptest::collection::vec(
            prop_oneof![
                Just("a"),
                Just("x"),
                Just("c\u{30c}"),
                Just("č"),
                Just("\u{301}"),
                Just(" "),
                Just("\n"),
                Just("\r\n"),
                Just("\u{a0}"),
                Just("\u{200b}"),
                Just("\u{1100}"),
                Just("\u{1161}"),
                Just("\u{11a8}"),
                Just("한"),
                Just("\u{f73}"),
                Just("\u{344}"),
                Just("\u{212b}"),
                Just("\u{dd9}\u{dcf}\u{dca}"),
                Just("ﬁ"),
            ],
            0..24
        )
        .prop_map(|parts| parts.concat()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_found_folds_to_the_quote(text in any_text(), quote in any_text()) {
        for span in find_all(&text, &quote) {
            let words = span.slice(&text);
            prop_assert!(words.is_some(), "{span:?} of {text:?}");
            prop_assert_eq!(fold(words.unwrap_or_default()), fold(&quote));
        }
        prop_assert_eq!(find(&text, &quote), find_all(&text, &quote).first().copied());
    }

    #[test]
    fn a_text_is_found_inside_others(before in any_text(), quote in any_text(), after in any_text()) {
        // A letter between keeps the neighbours' marks from joining the quote.
        let text = format!("{before}|{quote}|{after}");
        let expected = !fold(&quote).is_empty() && !quote.trim_start().starts_with(|c: char| !fold_keeps_apart(c));
        if expected {
            let start = before.len() + 1;
            let hint = Span::new(start, start + quote.len());
            let near = find_near(&text, &quote, Some(hint));
            prop_assert!(near.is_some_and(|span| hint.start <= span.start && span.end <= hint.end), "{near:?}");
            prop_assert!(find(&text, &quote).is_some());
        }
    }

    #[test]
    fn nfd_and_nfc_are_one(text in "[a-zčćžšđáéőÅ한글 ]{1,30}") {
        use unicode_normalization::UnicodeNormalization;
        let decomposed: String = text.nfd().collect();
        if !fold(&text).is_empty() {
            let trimmed = decomposed.trim();
            prop_assert_eq!(find(&decomposed, &text).and_then(|span| span.slice(&decomposed)), Some(trimmed));
            prop_assert_eq!(find(&text, &decomposed).and_then(|span| span.slice(&text)), Some(text.trim()));
        }
    }

    #[test]
    fn folding_twice_is_folding_once(text in any_text()) {
        prop_assert_eq!(fold(&fold(&text)), fold(&text));
    }

    #[test]
    fn hints_never_hurt(text in any_text(), quote in any_text(), start in 0_usize..80, end in 0_usize..80) {
        let with = find_near(&text, &quote, Some(Span::new(start, end)));
        prop_assert_eq!(with.is_some(), find(&text, &quote).is_some());
    }
}

/// Whether a text that begins with `c` begins a letter of its own.
fn fold_keeps_apart(c: char) -> bool {
    fold(&format!("a{c}")).starts_with('a')
        && !unicode_normalization::char::is_combining_mark(c)
        && !('\u{1160}'..='\u{11ff}').contains(&c)
}
