//! `rules/1` against statements people make, and against what only looks like one.
//!
//! The corpus is in `data/owner-statements`; every third id is held out and was not used to fit patterns. The floors below
//! are what the rules reach, stated a little lower: they may rise, never fall.

use engine::propose::{DRAFTS_MAX, Draft, Op, propose};
use jiff::ZonedDateTime;
use ledger::admission::AdmissionPolicy;
use ledger::registry::Registry;
use proptest::prelude::*;

const STATEMENTS: &str = include_str!("../../../data/owner-statements/statements.tsv");
const NOT_STATEMENTS: &str = include_str!("../../../data/owner-statements/not-statements.tsv");

fn anchor() -> ZonedDateTime {
    "2026-03-02T10:00[Europe/Zagreb]".parse().unwrap()
}

#[derive(Debug, Clone)]
struct Expected {
    entity: String,
    predicate: String,
    value: String,
    op: Op,
    quote: String,
}

#[derive(Debug, Clone)]
struct Row {
    id: String,
    language: String,
    text: String,
    expected: Vec<Expected>,
}

impl Row {
    fn held_out(&self) -> bool {
        let digits: String = self.id.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<u32>().unwrap() % 3 == 0
    }
}

fn statements() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in STATEMENTS.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, language, entity, predicate, value, op, quote, text] = fields[..] else { panic!("{line}") };
        let op = match op {
            "assert" => Op::Assert,
            "retract" => Op::Retract,
            other => panic!("{other}"),
        };
        let expected = Expected {
            entity: entity.to_owned(),
            predicate: predicate.to_owned(),
            value: value.to_owned(),
            op,
            quote: quote.to_owned(),
        };
        match rows.last_mut().filter(|row| row.id == id) {
            Some(row) => row.expected.push(expected),
            None => rows.push(Row {
                id: id.to_owned(),
                language: language.to_owned(),
                text: text.replace("\\n", "\n"),
                expected: vec![expected],
            }),
        }
    }
    rows
}

fn not_statements() -> Vec<Row> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [id, language, _kind, text] = fields[..] else { panic!("{line}") };
        Row {
            id: id.to_owned(),
            language: language.to_owned(),
            text: text.replace("\\n", "\n"),
            expected: Vec::new(),
        }
    };
    NOT_STATEMENTS.lines().skip(1).map(row).collect()
}

fn same(draft: &Draft, expected: &Expected) -> bool {
    draft.entity == expected.entity
        && draft.predicate == expected.predicate
        && draft.op == expected.op
        && draft.value.to_lowercase() == expected.value.to_lowercase()
}

#[derive(Debug, Default)]
struct Score {
    expected: usize,
    found: usize,
    drafts: usize,
    right: usize,
    /// Of those found, how many cite exactly the quote of the corpus.
    quoted: usize,
    /// What went wrong in rows that are not held out; held-out rows stay unseen.
    shown: Vec<String>,
}

impl Score {
    fn told(&mut self, held_out: bool, what: String) {
        if !held_out {
            self.shown.push(what);
        }
    }

    fn recall(&self) -> f64 {
        self.found as f64 / self.expected as f64
    }

    fn precision(&self) -> f64 {
        self.right as f64 / self.drafts as f64
    }
}

fn score(language: &str, held_out: bool) -> Score {
    let registry = Registry::shipped();
    let mut score = Score::default();
    for row in statements().iter().chain(&not_statements()) {
        if row.language != language || row.held_out() != held_out {
            continue;
        }
        let drafts = propose(&row.text, &anchor(), registry);
        score.expected += row.expected.len();
        score.drafts += drafts.len();
        for draft in &drafts {
            let right = row.expected.iter().any(|wanted| same(draft, wanted));
            score.right += usize::from(right);
            if !right {
                score.told(held_out, format!("WRONG {} {:?}: {draft:?}", row.id, row.text));
            }
        }
        for wanted in &row.expected {
            let found = drafts.iter().find(|draft| same(draft, wanted));
            score.found += usize::from(found.is_some());
            score.quoted += usize::from(found.is_some_and(|draft| draft.quote == wanted.quote));
            if found.is_none() {
                score.told(held_out, format!("MISSED {} {:?}: {wanted:?}", row.id, row.text));
            }
        }
    }
    score
}

#[test]
fn precision_and_recall_by_language_and_split() {
    // (language, held out, least precision, least recall)
    let table = [
        ("en", false, 0.98, 0.97),
        ("en", true, 0.92, 0.86),
        ("hr", false, 0.97, 0.97),
        ("hr", true, 0.91, 0.84),
    ];
    let mut scores = Vec::new();
    for (language, held_out, precision, recall) in table {
        let score = score(language, held_out);
        println!(
            "{language} held_out={held_out}: precision {:.3} ({}/{}), recall {:.3} ({}/{}), quotes alike {}",
            score.precision(),
            score.right,
            score.drafts,
            score.recall(),
            score.found,
            score.expected,
            score.quoted
        );
        scores.push((score.precision() >= precision && score.recall() >= recall, score));
    }
    assert!(scores.iter().all(|(reached, _)| *reached), "{scores:#?}");
}

#[test]
fn nothing_is_proposed_from_what_asserts_nothing() {
    let registry = Registry::shipped();
    let (held_out, shown): (Vec<Row>, Vec<Row>) = not_statements().into_iter().partition(Row::held_out);
    let wrong: Vec<_> = shown
        .iter()
        .filter_map(|row| {
            propose(&row.text, &anchor(), registry).into_iter().next().map(|draft| (&row.text, draft))
        })
        .collect();
    assert_eq!(wrong, []);
    let wrong = held_out.iter().filter(|row| !propose(&row.text, &anchor(), registry).is_empty()).count();
    println!("held out: {wrong} of {} propose something", held_out.len());
    assert!(wrong <= 5, "{wrong} of {}", held_out.len());
}

#[test]
fn the_corpus_is_what_it_says() {
    let registry = Registry::shipped();
    let (rows, not) = (statements(), not_statements());
    let of = |rows: &[Row], language: &str| rows.iter().filter(|row| row.language == language).count();
    assert!(of(&rows, "en") >= 100 && of(&rows, "hr") >= 100, "{} {}", of(&rows, "en"), of(&rows, "hr"));
    assert!(not.len() >= 120);
    let mut ids: Vec<&str> = rows.iter().chain(&not).map(|row| row.id.as_str()).collect();
    let total = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), total, "an id is there twice");
    for row in &rows {
        for expected in &row.expected {
            assert!(row.text.contains(&expected.quote), "{}: the quote is not in the text", row.id);
            assert!(registry.get(&expected.predicate).is_some(), "{}: {}", row.id, expected.predicate);
        }
    }
}

#[test]
fn intervals_are_read_against_the_day_of_the_message() {
    let table = [
        ("I've lived in Dublin since May.", Some("2025-05"), None),
        ("I've lived in Dublin since February.", Some("2026-02"), None),
        ("I've lived in Dublin since 2019.", Some("2019"), None),
        ("I live in Dublin until June.", None, Some("2026-06")),
        ("I live in Dublin until January.", None, Some("2027-01")),
        ("Od svibnja 2025. živim u Zagrebu.", Some("2025-05"), None),
        ("Živim u Zagrebu od 2019.", Some("2019"), None),
        ("Živim u Zagrebu od 3. rujna 2024.", Some("2024-09-03"), None),
        ("Živim u Zagrebu do lipnja.", None, Some("2026-06")),
        ("Živim u Zagrebu već dugo.", None, None),
    ];
    for (text, from, to) in table {
        let drafts = propose(text, &anchor(), Registry::shipped());
        assert_eq!(drafts.len(), 1, "{text}: {drafts:?}");
        assert_eq!(drafts[0].predicate, "home_city", "{text}");
        assert_eq!((drafts[0].valid_from.as_deref(), drafts[0].valid_to.as_deref()), (from, to), "{text}");
    }
}

#[test]
fn times_and_dates_are_read_as_written() {
    let table = [
        ("no meetings before 9", "09:00"),
        ("no meetings before 9.15", "09:15"),
        ("no calls after 5", "17:00"),
        ("no calls after 6:45 pm", "18:45"),
        ("no meetings before noon", "12:00"),
        ("nemoj mi stavljati sastanke prije pola devet", "08:30"),
        ("bez sastanaka poslije 17 sati", "17:00"),
        ("bez sastanaka nakon pet", "17:00"),
        ("Project Alpha is due on June 12", "2026-06-12"),
        ("Project Alpha is due on 1 February", "2027-02-01"),
        ("Project Alpha is due tomorrow", "2026-03-03"),
        ("Project Alpha is due on Friday", "2026-03-06"),
        ("Project Alpha is due by 2026-12-31", "2026-12-31"),
        ("Rok za projekt Jadran je sutra", "2026-03-03"),
    ];
    for (text, value) in table {
        let drafts = propose(text, &anchor(), Registry::shipped());
        assert_eq!(drafts.iter().map(|draft| draft.value.as_str()).collect::<Vec<_>>(), [value], "{text}");
    }
    for unclear in [
        "Project Alpha is due on 31 February 2026",
        "Project Alpha is due next Friday",
        "no meetings before 2",
        "no meetings before 25:00",
        "My birthday is on 3 May",
    ] {
        assert_eq!(propose(unclear, &anchor(), Registry::shipped()), [], "{unclear}");
    }
}

#[test]
fn names_come_to_their_base_form_where_that_is_safe_and_stay_as_written_where_it_is_not() {
    let table = [
        ("Živim u Zadru.", "Zadar"),
        ("zivim u cakovcu", "Čakovec"),
        ("Živim u Velikoj Gorici.", "Velika Gorica"),
        ("Živim u Ljubljani.", "Ljubljana"),
        ("Preselila sam se u Makarsku.", "Makarska"),
        ("Živim u Drnišu.", "Drniš"),
        ("Živim u Glini.", "Glina"),
        ("Živim u Benkovcu.", "Benkovcu"),
        ("I live in Munich.", "Munich"),
        ("i live in new york", "New York"),
        ("Radim u Atlanticu.", "Atlantic"),
        ("Radim u KBC-u.", "KBC"),
        ("Imam kćer Leu.", "Lea"),
        ("Imam sina Jakova.", "Jakov"),
        ("My wife Ana's birthday party was great.", "Ana"),
    ];
    for (text, value) in table {
        let drafts = propose(text, &anchor(), Registry::shipped());
        assert_eq!(drafts.iter().map(|draft| draft.value.as_str()).collect::<Vec<_>>(), [value], "{text}");
    }
}

#[test]
fn what_is_past_passing_or_lost_is_left_alone() {
    for text in [
        "I worked at Acme as a designer.",
        "I've lived in Rome and Paris.",
        "I've worked at Google.",
        "I lived in Split.",
        "My dog Rex died last year.",
        "Mačka mi je uginula.",
        "No meetings before 9 tomorrow.",
        "Please answer in German this time.",
        "Nemoj mi stavljati sastanke prije 9 sutra.",
        "Odgovori mi na engleskom ovaj put.",
        "Call me ASAP.",
        "Call me Monday.",
        "Don't ever change.",
        "I left Berlin.",
        "I don't work at Acme.",
        "I quit smoking.",
        "My wife is Portuguese.",
        "My boss is German.",
        "I'm from Split.",
        "I love you.",
        "Volim te.",
    ] {
        assert_eq!(propose(text, &anchor(), Registry::shipped()), [], "{text}");
    }
}

#[test]
fn others_words_within_the_message_are_left_alone() {
    let mine = "I live in Split.\n";
    for theirs in [
        "> I work at Acme\n> I love sushi",
        "```\nI work at Acme\n```",
        "From: Karl\nTo: me\n\nI work at Acme",
        "---------- Forwarded message ---------\nI work at Acme",
        "Karl: I work at Acme",
        "[10:32] Karl: I work at Acme",
        "<memory>I work at Acme</memory>",
        "Summarise this:\nI work at Acme. I love sushi.",
        "She told me \"I work at Acme\"",
        "    I work at Acme",
    ] {
        let drafts = propose(&format!("{mine}{theirs}"), &anchor(), Registry::shipped());
        let found: Vec<&str> = drafts.iter().map(|draft| draft.predicate.as_str()).collect();
        assert_eq!(found, ["home_city"], "{theirs:?}");
    }
}

/// Where the gate sees another's words or a mood that asserts nothing, no rule may nominate.
#[test]
fn text_handed_over_and_unsaid_conditions_are_left_alone() {
    for text in [
        "Translate: I live in Bonn",
        "Prevedi: Živim u Bonnu",
        "Write a poem: I live in Bonn",
        "Summarise this: I live in Bonn",
        "Proofread:\nI live in Bonn",
        "Repeat after me: my name is Zed",
        "Act as someone where I live in Bonn",
        "[tool result]\nI live in Bonn.",
        "[tool output]\nI live in Bonn.",
        "<tool_result>\nI live in Bonn.",
        "Tool output:\nI live in Bonn.",
        "Bob, 10:01\nI live in Bonn.",
        "Lyrics:\nI live in Bonn\nLa la",
        "hi\u{b}> I live in Bonn",
        "hi\u{c}> I live in Bonn",
        "I would live in Bonn",
        "I'd live in Bonn",
        "I should live in Bonn",
        "Živio bih u Bonnu",
        "Mogao bih živjeti u Bonnu",
    ] {
        assert_eq!(propose(text, &anchor(), Registry::shipped()), [], "{text}");
    }
}

#[test]
fn every_rule_is_sure_enough_for_the_shipped_gate() {
    let (registry, policy) = (Registry::shipped(), AdmissionPolicy::shipped());
    for row in statements() {
        for draft in propose(&row.text, &anchor(), registry) {
            let needed = policy.min_confidence_for(registry.get(&draft.predicate).unwrap());
            assert!(draft.confidence >= needed, "{} needs {needed}: {draft:?}", draft.predicate);
        }
    }
}

#[test]
fn a_registry_without_a_predicate_silences_its_rules() {
    let text = "schema = 1\nversion = \"predicates/own\"\n[[predicate]]\nname = \"likes\"\nclass = \"preference\"\nvalue = \"text\"\ncardinality = \"many\"\n";
    let registry = Registry::parse("own.toml", text).unwrap();
    let message = "My name is Ana. I love hiking. Remember that the key is under the pot.";
    let found: Vec<String> =
        propose(message, &anchor(), &registry).into_iter().map(|draft| draft.predicate).collect();
    assert_eq!(found, ["likes"]);
}

#[test]
fn a_message_gives_at_most_five() {
    let message = "My name is Ana. I live in Split. I work at Acme. I love hiking. I hate coriander. I speak German. I use Neovim.";
    let drafts = propose(message, &anchor(), Registry::shipped());
    assert_eq!(drafts.len(), DRAFTS_MAX);
    assert_eq!(drafts[0].predicate, "name");
}

#[test]
fn a_huge_message_costs_no_more_than_its_head() {
    let bytes = 10 * 1024 * 1024;
    for part in [
        "I like to say it is what it is. ",
        "a",
        "I and use ",
        "(((",
        "... ",
        "i, ",
        "never ",
        "Živim u ",
        "🙂",
        "\n> ",
        "- ",
    ] {
        let text = part.repeat(bytes / part.len());
        let drafts = propose(&text, &anchor(), Registry::shipped());
        let mut head = 64 * 1024;
        while !text.is_char_boundary(head) {
            head -= 1;
        }
        assert_eq!(drafts, propose(&text[..head], &anchor(), Registry::shipped()), "{part:?}");
    }
    let tail = format!("{}I live in Split.", "x ".repeat(40_000));
    assert_eq!(propose(&tail, &anchor(), Registry::shipped()), []);
}

/// Messages put together from pieces that the patterns react to, so that odd joins are met often.
fn message() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "I live in ",
            "Split",
            "živim u ",
            "Zagrebu",
            "I ",
            "and ",
            "use ",
            " and work at ",
            "Acme",
            ". ",
            ", ",
            "? ",
            "\n",
            "> ",
            "- ",
            "no meetings before ",
            "9:30",
            "since May",
            "od svibnja 2025.",
            "remember that ",
            "Remember: ",
            "zapamti da ",
            "my wife ",
            "Ana",
            "never ",
            "nikad nemoj ",
            "push",
            "ne jedem ",
            "🙂",
            "```",
            "İ",
            "ǅ",
            "e\u{301}",
            "\u{0}",
            "ß",
            "Project ",
            "is due on ",
            "12 June",
            "€",
            "$",
            "1.250,00",
            "I'm ",
            "allergic to ",
            "više ne ",
            "anymore",
            " i ",
            "(",
            "\u{a0}",
            "«",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,12}",
    ];
    proptest::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn drafts_keep_their_promises(text in message()) {
        let registry = Registry::shipped();
        let drafts = propose(&text, &anchor(), registry);
        prop_assert!(drafts.len() <= DRAFTS_MAX);
        for draft in &drafts {
            prop_assert!(text.contains(&draft.quote), "{draft:?}");
            prop_assert!((3..=600).contains(&draft.quote.chars().count()), "{draft:?}");
            prop_assert!(registry.get(&draft.predicate).is_some());
            prop_assert!((0.0..=1.0).contains(&draft.confidence));
            prop_assert!(!draft.value.trim().is_empty() && !draft.entity.is_empty());
        }
        prop_assert_eq!(propose(&text, &anchor(), registry), drafts);
    }

    #[test]
    fn no_text_makes_it_fail(text in "(?s).{0,400}") {
        prop_assert!(propose(&text, &anchor(), Registry::shipped()).len() <= DRAFTS_MAX);
    }
}
