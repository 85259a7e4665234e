//! Written forms against tables anyone can read, and the laws that hold for all values and all strings.

use jiff::ZonedDateTime;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZoneDatabase;
use ledger::entity::EntityRef;
use ledger::value::{RawValue, Stated, Value, ValueType};
use ledger::written::{dates_in, names_in, numbers_in, times_in, ungrounded};
use proptest::prelude::*;

const READ: &str = include_str!("written-read.tsv");
const GROUND: &str = include_str!("written-ground.tsv");
const FIND: &str = include_str!("written-find.tsv");

/// A Friday.
const ANCHOR: &str = "2026-06-12T10:15:00+02:00[Europe/Zagreb]";

fn zoned(written: &str) -> ZonedDateTime {
    static PARSER: DateTimeParser = DateTimeParser::new();
    PARSER.parse_zoned_datetime_with(&TimeZoneDatabase::bundled(), written).expect("an instant with a zone")
}

fn rows(table: &str, columns: usize) -> Vec<Vec<&str>> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let row: Vec<&str> = line.split('\t').collect();
            assert_eq!(row.len(), columns, "columns of `{line}`");
            row
        })
        .collect()
}

fn read(value_type: &str, written: &str) -> Result<Stated, ledger::value::ValueError> {
    Value::read(value_type.parse().expect("a value type"), &RawValue::from(written))
}

fn all_pass(name: &str, total: usize, failures: Vec<String>) {
    println!("{name}: {} of {total} rows", total - failures.len());
    assert!(
        failures.is_empty(),
        "{} of {total} rows of {name} fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// `type, written, what people are shown` or `type, written, ! and words of the error`.
#[test]
fn values_are_read_as_the_table_says() {
    let rows = rows(READ, 3);
    let failures = rows.iter().filter_map(|row| {
        let got = match read(row[0], row[1]) {
            Ok(stated) => stated.value.to_string(),
            Err(error) => format!("! {error}"),
        };
        let right = match row[2].strip_prefix("! ") {
            Some(words) => got.starts_with("! ") && got.contains(words),
            None => got == row[2],
        };
        (!right).then(|| format!("{} `{}`: wanted `{}`, got `{got}`", row[0], row[1], row[2]))
    });
    all_pass("written-read.tsv", rows.len(), failures.collect());
}

/// `type, value, quote (or quotes with | between), yes or the missing piece`. All are said on the anchor day.
#[test]
fn values_are_grounded_as_the_table_says() {
    let anchor = zoned(ANCHOR);
    let rows = rows(GROUND, 4);
    let failures = rows.iter().filter_map(|row| {
        let stated = match read(row[0], row[1]) {
            Ok(stated) => stated,
            Err(error) => return Some(format!("{} `{}` is no value: {error}", row[0], row[1])),
        };
        let quotes: Vec<&str> = row[2].split('|').collect();
        let got = match ungrounded(&stated, &quotes, Some(&anchor)) {
            None => "yes".to_owned(),
            Some(missing) => format!("{:?}", missing.piece).to_lowercase(),
        };
        (got != row[3])
            .then(|| format!("{} `{}` in `{}`: wanted {}, got {got}", row[0], row[1], row[2], row[3]))
    });
    all_pass("written-ground.tsv", rows.len(), failures.collect());
}

/// `dates | times | numbers | names, text, what is found with ; between`.
#[test]
fn forms_are_found_as_the_table_says() {
    let anchor = zoned(ANCHOR);
    let rows = rows(FIND, 3);
    let failures = rows.iter().filter_map(|row| {
        let text = row[1];
        let found: Vec<String> = match row[0] {
            "dates" => dates_in(text, Some(&anchor)).iter().map(|found| found.value.to_string()).collect(),
            "dates-unanchored" => dates_in(text, None).iter().map(|found| found.value.to_string()).collect(),
            "times" => times_in(text).iter().map(|found| found.value.to_string()).collect(),
            "numbers" => numbers_in(text).iter().map(|found| found.value.to_string()).collect(),
            "names" => names_in(text).into_iter().map(|found| found.value).collect(),
            "spans" => {
                let dates = dates_in(text, Some(&anchor)).into_iter().map(|found| (found.start, found.end));
                let times = times_in(text).into_iter().map(|found| (found.start, found.end));
                let numbers = numbers_in(text).into_iter().map(|found| (found.start, found.end));
                dates.chain(times).chain(numbers).map(|(start, end)| text[start..end].to_owned()).collect()
            }
            other => return Some(format!("no reader is called `{other}`")),
        };
        let found = found.join(";");
        (found != row[2]).then(|| format!("{} in `{text}`: wanted `{}`, got `{found}`", row[0], row[2]))
    });
    all_pass("written-find.tsv", rows.len(), failures.collect());
}

#[test]
fn entities_are_normalised_or_refused() {
    for (written, wanted) in [
        ("self", Ok("self")),
        ("Acme", Ok("acme")),
        ("Project:Alpha", Ok("project:alpha")),
        ("person:karthik", Ok("person:karthik")),
        ("ČAKOVEC", Ok("čakovec")),
        ("c\u{30c}akovec", Ok("čakovec")),
        ("東京", Ok("東京")),
        ("acme_corp.v2", Ok("acme_corp.v2")),
        ("", Err("has no name")),
        ("project:", Err("has no name")),
        ("...", Err("has no name")),
        (":alpha", Err("entity type")),
        ("a:b:c", Err("entity type")),
        ("pro1:alpha", Err("entity type")),
        ("acme corp", Err("holds ` `")),
        ("acme/corp", Err("holds `/`")),
        ("acme\u{0}", Err("holds `\\0`")),
    ] {
        match (EntityRef::parse(written), wanted) {
            (Ok(entity), Ok(wanted)) => assert_eq!(entity.as_str(), wanted),
            (Err(error), Err(words)) => {
                assert!(error.to_string().contains(words), "`{error}` for `{written}`")
            }
            (got, wanted) => panic!("`{written}`: got {got:?}, wanted {wanted:?}"),
        }
    }
    assert_eq!(
        EntityRef::parse(&"a".repeat(121)).unwrap_err().to_string(),
        "entity of 121 bytes is longer than 120"
    );
    assert!(EntityRef::parse(&"a".repeat(120)).is_ok());
    for (words, slug) in [
        ("Acme Corp", "acme-corp"),
        ("project: Alpha Two", "project:alpha-two"),
        ("O'Brien & Sons", "obrien-sons"),
        ("  Zagrebačka banka d.d. ", "zagrebačka-banka-d.d"),
        ("self", "self"),
    ] {
        assert_eq!(EntityRef::from_words(words).unwrap().as_str(), slug);
    }
    assert!(EntityRef::from_words("!!!").is_err());
    assert!(EntityRef::owner().is_owner() && !EntityRef::parse("person:self").unwrap().is_owner());
    let alpha = EntityRef::parse("project:alpha").unwrap();
    assert_eq!((alpha.kind(), alpha.name()), (Some("project"), "alpha"));
    let json = serde_json::to_string(&alpha).unwrap();
    assert_eq!(
        (json.as_str(), serde_json::from_str::<EntityRef>(&json).unwrap()),
        ("\"project:alpha\"", alpha)
    );
}

#[test]
fn json_scalars_are_values_and_nothing_else_is() {
    for (json, value_type, shown) in [
        ("9.5", "number", "9.5"),
        ("1e3", "number", "1000"),
        ("1.125", "number", "1.1250"),
        ("-0.0", "number", "0"),
        ("2026", "date", "2026"),
        ("9", "time_of_day", "09:00"),
        ("true", "boolean", "true"),
        ("\"da\"", "boolean", "true"),
        ("12", "text", "12"),
    ] {
        let raw: RawValue = serde_json::from_str(json).unwrap();
        assert_eq!(
            Value::read(value_type.parse().unwrap(), &raw).unwrap().value.to_string(),
            shown,
            "{json}"
        );
    }
    for (json, words) in
        [("null", "value is null"), ("[1]", "value is an array"), ("{\"a\":1}", "value is an object")]
    {
        let error = serde_json::from_str::<RawValue>(json).unwrap_err().to_string();
        assert!(error.contains(words), "`{error}`");
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        assert!(RawValue::try_from(&json).unwrap_err().to_string().contains(words));
    }
    for (json, value_type) in
        [("true", "number"), ("1", "boolean"), ("1", "entity"), ("1", "instant"), ("true", "date")]
    {
        let raw: RawValue = serde_json::from_str(json).unwrap();
        let error = Value::read(value_type.parse().unwrap(), &raw).unwrap_err().to_string();
        assert!(error.contains("cannot be read as"), "`{error}`");
    }
}

#[test]
fn keys_are_equal_exactly_for_equal_values() {
    for (value_type, one, other, equal) in [
        ("text", "  Short   answers. ", "short answers", true),
        ("text", "\"Short answers\"", "short answers", true),
        ("text", "c\u{30c}aj", "Čaj", true),
        ("text", "C++", "C#", false),
        ("text", "C++", "C", false),
        ("text", ".NET", "net", false),
        ("text", "Yahoo!", "yahoo", true),
        ("text", "?!", "?!", true),
        ("number", "1.250,00 EUR", "€1,250", true),
        ("number", "1250 EUR", "1250 USD", false),
        ("number", "90 min", "90 minutes", true),
        ("number", "5k", "5000", true),
        ("number", "-5", "5", false),
        ("time_of_day", "half past nine", "pola deset", true),
        ("time_of_day", "noon", "midnight", false),
        ("date", "12 June 2026", "12. lipnja 2026.", true),
        ("date", "2026-06", "2026", false),
        ("instant", "2026-06-12T09:30:00+02:00", "2026-06-12T07:30:00Z", true),
        ("instant", "2026-06-12T09:30:00+02:00[Europe/Zagreb]", "2026-06-12T07:30:00Z", true),
        ("entity", "Acme Corp", "acme-corp", true),
        ("boolean", "yes", "true", true),
    ] {
        let key = |written| read(value_type, written).unwrap().value.key();
        assert_eq!(key(one) == key(other), equal, "`{one}` and `{other}`");
    }
}

#[test]
fn bounds_are_named() {
    let long = "a".repeat(2_001);
    assert_eq!(read("text", &long).unwrap_err().to_string(), "text value of 2001 bytes is longer than 2000");
    assert!(read("text", &long[1..]).is_ok());
    let error = read("number", &"9".repeat(65)).unwrap_err().to_string();
    assert_eq!(error, "number has more than 64 digits");
    assert!(read("number", &"9".repeat(64)).is_ok());
    assert_eq!(
        read("date", &"1".repeat(300)).unwrap_err().to_string(),
        "date value of 300 bytes is longer than 200"
    );
    assert!(read("text", "a\u{0}b").unwrap_err().to_string().contains("control character"));
    assert_eq!(read("text", " \n ").unwrap_err().to_string(), "value is empty");
}

/// Every reader over a long text of each shape that would take minutes if any neighbourhood were unbounded.
#[test]
fn long_texts_are_read_in_linear_time() {
    let anchor = zoned(ANCHOR);
    let values: Vec<Stated> = [
        ("number", "987654 EUR"),
        ("instant", "1999-01-01T23:59:00Z"),
        ("entity", "project:zyx-wvu"),
        ("text", "quiet mornings with Zyxwvu"),
        ("text", "six mornings, deset jutara"),
    ]
    .iter()
    .map(|(value_type, written)| read(value_type, written).unwrap())
    .collect();
    for piece in [
        "Meet Ana at half past nine on 12 June 2026, bring 1.250,00 EUR. ",
        "1,",
        "1.",
        "1-",
        "1 200 ",
        "123 456 ",
        "end of ",
        "next ",
        "twenty ",
        "twenty-",
        "dvadeset i ",
        "A",
        "Ab ",
        "a1.",
        "č\u{30c}",
        "\u{301}",
        "東",
        "in the evening at 9 ",
        "12. lipnja ",
        "zy ",
        "six ",
        "devet ",
        "$",
    ] {
        let text = piece.repeat(50_000 / piece.len());
        for value in &values {
            assert!(ungrounded(value, &[&text], Some(&anchor)).is_some(), "{piece:?} for {}", value.written);
        }
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let words = proptest::sample::select(vec![
        "half", "past", "nine", "pola", "deset", "i", "do", "petnaest", "u", "12", "9", ".", ":", "30", ",",
        "1.250", "2026", "June", "lipnja", "-", "end", "of", "next", "Friday", "prošle", "godine", "Ana",
        "Anom", "s", "EUR", "€", "%", "k", "twenty", "-", "five", "hundred", "thousand", "tisuću", "dvjesto",
        "\u{301}", "č", "東京", "ß", "İ", "'", "am", "pm", "\n", "0", "00", "T", "Z", "+", "/", "1", "a",
        "in", "za", "dva", "tjedna", "prije", "ago", "may", "the", "first",
    ]);
    let phrases = proptest::collection::vec((words, prop_oneof![Just(" "), Just("")]), 0..24)
        .prop_map(|parts| parts.into_iter().map(|(word, gap)| format!("{word}{gap}")).collect::<String>());
    prop_oneof![phrases, "\\PC{0,80}", any::<String>()]
}

fn any_stated() -> impl Strategy<Value = Stated> {
    (proptest::sample::select(ValueType::ALL.to_vec()), prop_oneof![any_written(), any_text()])
        .prop_filter_map("a readable value", |(value_type, text)| {
            Value::read(value_type, &RawValue::Text(text)).ok()
        })
}

/// Strings that are values of some type more often than not.
fn any_written() -> impl Strategy<Value = String> {
    prop_oneof![
        (any::<i32>(), 0_u32..10_000).prop_map(|(whole, fraction)| format!("{whole}.{fraction}")),
        (0_u32..1_000, 0_u32..1_000, "[a-z%/ ]{0,6}").prop_map(|(a, b, unit)| format!("{a},{b:03} {unit}")),
        (0_u32..25, 0_u32..61).prop_map(|(hour, minute)| format!("{hour}:{minute:02}")),
        (-9999_i32..10_000, 0_u32..14, 0_u32..33).prop_map(|(y, m, d)| {
            let sign = if y < 0 { "-" } else { "" };
            format!("{sign}{:04}-{m:02}-{d:02}", y.abs())
        }),
        (1_u32..32, 1_u32..13, 1_u32..3_000).prop_map(|(d, m, y)| format!("{d}.{m}.{y}.")),
        (1_u32..10_000, 1_u32..13, 1_u32..29, 0_u32..24, -12_i32..13)
            .prop_map(|(y, m, d, h, o)| format!("{y:04}-{m:02}-{d:02}T{h:02}:30:00{o:+03}:00")),
        "[a-z]{1,8}(:[a-z]{1,8})?",
        "(true|false|da|ne)",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_string_panics_any_reader(text in any_text(), other in any_text()) {
        let anchor = zoned(ANCHOR);
        let on_boundary = |start: usize, end: usize| text.get(start..end).is_some_and(|piece| !piece.is_empty());
        for found in dates_in(&text, Some(&anchor)) {
            prop_assert!(on_boundary(found.start, found.end));
        }
        for found in times_in(&text) {
            prop_assert!(on_boundary(found.start, found.end));
        }
        for found in numbers_in(&text) {
            prop_assert!(on_boundary(found.start, found.end));
        }
        for found in names_in(&text) {
            prop_assert_eq!(&text[found.start..found.end], found.value);
        }
        for value_type in ValueType::ALL {
            if let Ok(stated) = Value::read(value_type, &RawValue::Text(text.clone())) {
                let alone = ungrounded(&stated, &[&other], Some(&anchor));
                let without = ungrounded(&stated, &[&other], None);
                // An anchor only ever adds readings.
                prop_assert!(alone.is_none() || without.is_some());
            }
        }
    }

    #[test]
    fn what_is_displayed_reads_back(stated in any_stated()) {
        let value_type = stated.value.value_type();
        let again = Value::read(value_type, &RawValue::Text(stated.value.to_string()));
        prop_assert_eq!(again.as_ref().map(|again| &again.value), Ok(&stated.value));
        let json = serde_json::to_string(&stated).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Stated>(&json).unwrap(), &stated);
    }

    #[test]
    fn a_key_is_its_own_key(stated in any_stated()) {
        let key = stated.value.key();
        let again = Value::read(stated.value.value_type(), &RawValue::Text(key.clone()));
        prop_assert_eq!(again.map(|again| again.value.key()), Ok(key));
    }

    #[test]
    fn a_value_stands_in_its_own_words(stated in any_stated()) {
        prop_assert_eq!(ungrounded(&stated, &[&stated.written], None), None);
    }

    #[test]
    fn a_value_stands_in_its_display(stated in any_stated()) {
        prop_assert_eq!(ungrounded(&stated, &[&stated.value.to_string()], None), None);
    }

    #[test]
    fn a_number_stands_in_no_other_number(one in 0_u64..2_000_000, other in 0_u64..2_000_000, form in 0_usize..5) {
        prop_assume!(one != other);
        let grouped = |mark: &str| match other {
            0..=999 => other.to_string(),
            1_000..=999_999 => format!("{}{mark}{:03}", other / 1_000, other % 1_000),
            _ => format!("{}{mark}{:03}{mark}{:03}", other / 1_000_000, other / 1_000 % 1_000, other % 1_000),
        };
        let said = match form {
            0 => other.to_string(),
            1 => format!("{},00", grouped(".")),
            2 => format!("{}.00", grouped(",")),
            3 => grouped("\u{a0}"),
            _ => format!("{other} EUR"),
        };
        let value = read("number", &one.to_string()).unwrap();
        let quote = format!("the limit is {said} from now on");
        prop_assert!(ungrounded(&value, &[&quote], None).is_some(), "{one} in {quote}");
        let same = read("number", &other.to_string()).unwrap();
        prop_assert_eq!(ungrounded(&same, &[&quote], None), None);
    }

    #[test]
    fn a_time_stands_in_no_other_time(one in 0_u32..1_440, other in 0_u32..1_440) {
        prop_assume!(one != other);
        let show = |minutes: u32| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        let value = read("time_of_day", &show(one)).unwrap();
        let quote = format!("no meetings before {}", show(other));
        prop_assert!(ungrounded(&value, &[&quote], None).is_some());
    }
}

#[test]
fn numbers_are_told_in_the_order_they_stand() {
    for text in ["8 068,14.9", "3 675,967,328", "5 823.0,0", "1  7 643.8,939"] {
        let starts: Vec<usize> = numbers_in(text).iter().map(|found| found.start).collect();
        assert!(starts.len() > 1 && starts.is_sorted(), "`{text}`: {starts:?}");
    }
}
