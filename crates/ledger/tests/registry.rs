//! The predicate registry: what ships is whole, and a bad file says where and what to do.

use ledger::registry::{Cardinality, Class, Polarity, Registry, SHIPPED_REGISTRY, Shape, ValueType};
use proptest::prelude::*;

#[test]
fn the_shipped_registry_holds_every_predicate_of_the_design() {
    let registry = Registry::parse("predicates.toml", SHIPPED_REGISTRY).unwrap();
    assert_eq!(registry.version(), "predicates/1");
    use Cardinality::{Many, One};
    let table: &[(Class, Cardinality, &str)] = &[
        (Class::Identity, One, "name pronouns birthday timezone home_city employer role"),
        (Class::Identity, Many, "speaks member_of"),
        (Class::Constraint, One, "language no_meetings_before no_meetings_after budget_limit"),
        (Class::Constraint, Many, "communication_style dietary_restriction allergic_to never_do"),
        (Class::Preference, Many, "likes dislikes prefers routine goal uses"),
        (Class::Project, One, "project_status project_deadline project_owner project_location"),
        (Class::Project, Many, "works_on decision belongs_in"),
        (Class::Relationship, One, "spouse manager"),
        (Class::Relationship, Many, "knows colleague_of parent_of related_to cares_for owns"),
        (Class::World, One, "status headcount based_in head_of works_for founded_on supersedes"),
        (Class::World, One, "title version superseded_by replaces resolution"),
        (Class::World, Many, "revenue said mentions attended part_of"),
        (Class::Note, Many, "note stance"),
    ];
    for (class, cardinality, names) in table {
        for name in names.split(' ') {
            let predicate = registry.get(name).unwrap_or_else(|| panic!("`{name}` is missing"));
            assert_eq!((predicate.class, predicate.cardinality), (*class, *cardinality), "{name}");
        }
    }
    assert_eq!(registry.get("revenue").unwrap().shape, Shape::Measurement);
    assert_eq!(registry.get("decision").unwrap().shape, Shape::Event);
    assert_eq!(registry.get("no_meetings_before").unwrap().value, ValueType::TimeOfDay);
    assert_eq!(registry.get("never_do").unwrap().polarity, Polarity::Negative);
    assert_eq!(registry.get("home_city").unwrap().label, "home city");
}

#[test]
fn constraints_and_single_identity_are_important_and_nothing_else_is() {
    for predicate in Registry::shipped().iter() {
        let expected = predicate.class == Class::Constraint
            || (predicate.class == Class::Identity && predicate.cardinality == Cardinality::One);
        assert_eq!(predicate.important, expected, "{}", predicate.name);
        assert!(predicate.words.len() >= 3, "{} has too few query words", predicate.name);
    }
}

#[test]
fn handles_lead_back_to_their_predicates_in_file_order() {
    let registry = Registry::shipped();
    for (index, predicate) in registry.iter().enumerate() {
        let id = registry.id(&predicate.name).unwrap();
        assert_eq!(id.index(), index);
        assert_eq!(registry.at(id), Some(predicate));
    }
    assert_eq!(registry.iter().len(), registry.len());
    assert_eq!(registry.iter().next().unwrap().name, "name");
}

#[test]
fn a_misspelt_predicate_is_led_to_the_nearest() {
    let registry = Registry::shipped();
    let table = [
        ("home_ctiy", Some("home_city")),
        ("Home City", Some("home_city")),
        ("no-meetings-before", Some("no_meetings_before")),
        ("employr", Some("employer")),
        ("like", Some("likes")),
        ("zebra_crossing", None),
        ("", None),
        ("x", None),
    ];
    for (wrong, expected) in table {
        assert_eq!(registry.nearest(wrong), expected, "{wrong}");
    }
    assert_eq!(registry.nearest(&"home_city".repeat(1000)), None);
}

#[test]
fn a_bad_file_names_file_line_table_key_and_the_way_out() {
    let one = "[[predicate]]\nname = \"mood\"\nclass = \"note\"\nvalue = \"text\"\ncardinality = \"many\"\n";
    let head = "schema = 1\nversion = \"predicates/9\"\n";
    let table: &[(String, &str)] = &[
        (
            format!("{head}{one}importnat = true\n"),
            "own.toml:8: [predicate mood] `importnat`: unknown field `importnat`",
        ),
        (format!("{head}{one}importnat = true\n"), "hint: did you mean `important`?"),
        (
            format!("{head}{one}{one}"),
            "own.toml:9: [predicate mood] `name`: predicate `mood` is there twice; hint: keep one",
        ),
        (
            format!("{head}{}", one.replace("\"note\"", "\"notes\"")),
            "own.toml:5: [predicate mood] `class`: unknown variant `notes`",
        ),
        (format!("{head}{}", one.replace("\"note\"", "\"notes\"")), "hint: did you mean `note`?"),
        (format!("{head}{}", one.replace("value = \"text\"\n", "")), "hint: add `value = …` to the table"),
        (
            format!("{head}{}", one.replace("mood", "Mood Swing")),
            "own.toml:4: [predicate Mood Swing] `name`: `Mood Swing` is not a predicate name",
        ),
        (
            format!("{head}{one}min_confidence = 1.5\n"),
            "own.toml:8: [predicate mood] `min_confidence`: `1.5` is outside 0 to 1",
        ),
        (format!("{head}{one}min_confidence = nan\n"), "`NaN` is outside 0 to 1"),
        (
            format!("{head}{one}important = \"yes\"\n"),
            "own.toml:8: [predicate mood] `important`: invalid type",
        ),
        (format!("{head}{one}words = [\"Mood\"]\n"), "`Mood` is not one lower-case word"),
        (format!("{head}{one}words = [\"mood\", \"mood\"]\n"), "word `mood` is there twice"),
        (format!("{head}{one}label = \" \"\n"), "empty label"),
        (head.to_owned(), "own.toml: no `[[predicate]]` table"),
        (
            format!("schema = 2\nversion = \"predicates/9\"\n{one}"),
            "own.toml:1: `schema`: layout `2` is unknown",
        ),
        (
            format!("schema = 1\nversion = \"latest\"\n{one}"),
            "own.toml:2: `version`: `latest` is not a version name",
        ),
        (format!("{head}{one}extra = [\n"), "own.toml:"),
        ("\u{0}".to_owned(), "own.toml:1: "),
        (String::new(), "missing field `schema`"),
    ];
    for (text, expected) in table {
        let message = Registry::parse("own.toml", text).expect_err(text).to_string();
        assert!(message.contains(expected), "expected {expected:?} in {message:?}");
        assert!(message.contains("; hint: "), "{message}");
    }
    assert!(Registry::parse("own.toml", &format!("{head}{one}")).is_ok());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,300}") {
        if let Err(error) = Registry::parse("any.toml", &text) {
            prop_assert!(error.to_string().starts_with("any.toml"));
        }
    }

    /// One byte range of the shipped file replaced: never a panic, and a registry only when it is still whole.
    #[test]
    fn a_damaged_registry_is_read_or_refused(start in 0_usize..20_000, length in 0_usize..40, patch in "[ -~\\n]{0,8}") {
        let mut text: Vec<char> = SHIPPED_REGISTRY.chars().collect();
        let start = start.min(text.len());
        let end = (start + length).min(text.len());
        text.splice(start..end, patch.chars());
        let text: String = text.into_iter().collect();
        match Registry::parse("damaged.toml", &text) {
            Ok(registry) => prop_assert!(registry.iter().all(|p| (0.0..=1.0).contains(&p.min_confidence))),
            Err(error) => prop_assert!(error.to_string().contains("; hint: ")),
        }
    }

    #[test]
    fn nearest_names_are_known_and_exact_names_are_their_own_nearest(wrong in "\\PC{0,70}", pick in 0_usize..1000) {
        let registry = Registry::shipped();
        if let Some(name) = registry.nearest(&wrong) {
            prop_assert!(registry.get(name).is_some());
        }
        let name = &registry.iter().nth(pick % registry.len()).unwrap().name;
        prop_assert_eq!(registry.nearest(name), Some(name.as_str()));
    }
}
