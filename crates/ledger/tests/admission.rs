//! The admission policy: what ships is valid beside the shipped registry, and a bad file says where and what to do.

use ledger::admission::{AdmissionPolicy, Policies, SHIPPED_ADMISSION, Unasserted, WorldAuthor};
use ledger::registry::{Registry, SHIPPED_REGISTRY};
use proptest::prelude::*;

#[test]
fn the_shipped_policy_is_valid_beside_the_shipped_registry() {
    let policy = AdmissionPolicy::parse("admission/1.toml", SHIPPED_ADMISSION).unwrap();
    policy.validate_against(Registry::shipped()).unwrap();
    assert_eq!(policy.version, "admission/1");
    assert_eq!(policy.max_proposals, 5);
    assert_eq!((policy.quote_chars_min, policy.quote_chars_max), (3, 600));
    assert_eq!(policy.inferred_quotes_max, 3);
    assert_eq!((policy.year_min, policy.year_max), (1, 9999));
    assert!(policy.may_speak_for_world(WorldAuthor::External));
    assert_eq!(Policies::shipped().admission, policy);
}

#[test]
fn negated_words_support_only_negative_predicates() {
    let policy = AdmissionPolicy::shipped();
    let registry = Registry::shipped();
    let never_do = registry.get("never_do").unwrap();
    let likes = registry.get("likes").unwrap();
    assert!(policy.refuses(Unasserted::Negated, likes));
    assert!(!policy.refuses(Unasserted::Negated, never_do));
    for way in [Unasserted::Question, Unasserted::Conditional, Unasserted::Hypothetical] {
        assert!(policy.refuses(way, likes) && policy.refuses(way, never_do), "{way:?}");
    }
}

#[test]
fn the_highest_confidence_asked_is_the_one_that_counts() {
    let policy = AdmissionPolicy::shipped();
    let registry = Registry::shipped();
    let table = [("likes", 0.6), ("home_city", 0.7), ("never_do", 0.75), ("note", 0.5)];
    for (name, expected) in table {
        assert_eq!(policy.min_confidence_for(registry.get(name).unwrap()), expected, "{name}");
    }
    let strict = SHIPPED_ADMISSION.replace("min_confidence = 0.5\n", "min_confidence = 0.9\n");
    let strict = AdmissionPolicy::parse("a.toml", &strict).unwrap();
    assert_eq!(strict.min_confidence_for(registry.get("never_do").unwrap()), 0.9);
}

#[test]
fn a_bad_policy_names_file_line_key_and_the_way_out() {
    let table = [
        ("max_proposals = 5", "max_proposals = 0", "`max_proposals`: `0` is outside 1 to 100"),
        ("max_proposals = 5", "max_proposals = -5", "`-5` is outside 1 to 100"),
        ("max_proposals = 5", "max_proposals = \"5\"", "`max_proposals`: invalid type"),
        ("max_proposals = 5", "max_proposal = 5", "did you mean `max_proposals`?"),
        ("max_proposals = 5", "", "missing field `max_proposals`; hint: add `max_proposals = …`"),
        ("quote_chars_max = 600", "quote_chars_max = 2", "`2` is outside 3 to 10000"),
        ("year_max = 9999", "year_max = 10000", "`10000` is outside 1 to 9999"),
        ("year_min = 1", "year_min = 0", "`0` is outside 1 to 9999"),
        ("inferred_quotes_max = 3", "inferred_quotes_max = 4", "`4` is outside 1 to 3"),
        ("refuse_secrets = true", "refuse_secrets = false", "credentials would enter memory"),
        ("\"negated\"", "\"sarcasm\"", "unknown variant `sarcasm`"),
        ("\"service\", \"external\"", "\"assistant\"", "unknown variant `assistant`"),
        ("\"service\", \"external\"", "\"owner\"", "unknown variant `owner`"),
        ("\"service\", \"external\"", "", "nobody may speak for the world realm"),
        (
            "\"contact\"",
            "\"never_do\"",
            "[override never_do] `predicate`: predicate `never_do` is overridden twice",
        ),
        (
            "min_confidence = 0.85",
            "min_confidence = 85",
            "[override contact] `min_confidence`: `85` is outside 0 to 1",
        ),
        ("admission/1", "predicates/1", "`predicates/1` is not a version name"),
        ("schema = 1", "schema = 7", "layout `7` is unknown"),
    ];
    for (from, to, expected) in table {
        assert!(SHIPPED_ADMISSION.contains(from), "{from}");
        let text = SHIPPED_ADMISSION.replace(from, to);
        let message = AdmissionPolicy::parse("own/2.toml", &text).expect_err(to).to_string();
        assert!(message.starts_with("own/2.toml"), "{message}");
        assert!(message.contains(expected), "expected {expected:?} in {message:?}");
        assert!(message.contains("; hint: "), "{message}");
    }
}

#[test]
fn registry_and_policy_are_checked_against_each_other() {
    let misspelt = SHIPPED_ADMISSION.replace("\"never_do\"", "\"never_doo\"");
    let error = Policies::load(&[("admission/2.toml", &misspelt)]).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("[override never_doo] `predicate`: `never_doo` is not in `predicates/1`"),
        "{message}"
    );
    assert!(message.contains("hint: did you mean `never_do`?"), "{message}");
    assert!(error.problem().line.is_some(), "{message}");

    let lowered = SHIPPED_ADMISSION.replace("min_confidence = 0.75", "min_confidence = 0.55");
    let message = Policies::load(&[("admission/2.toml", &lowered)]).unwrap_err().to_string();
    assert!(message.contains("`0.55` is below the registry's `0.7`"), "{message}");

    let small = "schema = 1\nversion = \"predicates/own\"\n[[predicate]]\nname = \"mood\"\nclass = \"note\"\nvalue = \"text\"\ncardinality = \"many\"\n";
    let message = Policies::load(&[("predicates.toml", small)]).unwrap_err().to_string();
    assert!(message.contains("`never_do` is not in `predicates/own`"), "{message}");
}

#[test]
fn a_directory_of_ones_own_replaces_what_it_holds_and_nothing_else() {
    assert_eq!(Policies::load(&[]).unwrap(), Policies::shipped());
    let both = [("predicates.toml", SHIPPED_REGISTRY), ("admission/1.toml", SHIPPED_ADMISSION)];
    assert_eq!(Policies::load(&both).unwrap(), Policies::shipped());
    let mine = SHIPPED_ADMISSION
        .replace("admission/1", "admission/mine")
        .replace("max_proposals = 5", "max_proposals = 3");
    let loaded = Policies::load(&[("admission/mine.toml", &mine)]).unwrap();
    assert_eq!((loaded.admission.version.as_str(), loaded.admission.max_proposals), ("admission/mine", 3));
    for files in [
        vec![("predicate.toml", SHIPPED_REGISTRY)],
        vec![("predicates.toml", SHIPPED_REGISTRY), ("predicates.toml", SHIPPED_REGISTRY)],
        vec![("admission/1.toml", SHIPPED_ADMISSION), ("admission/2.toml", SHIPPED_ADMISSION)],
    ] {
        assert!(Policies::load(&files).unwrap_err().to_string().contains("; hint: "));
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,300}") {
        if let Err(error) = AdmissionPolicy::parse("any.toml", &text) {
            prop_assert!(error.to_string().starts_with("any.toml"));
        }
    }

    /// Whatever numbers a file holds, a policy that is taken has its bounds in order.
    #[test]
    fn a_policy_that_is_taken_is_within_bounds(numbers in proptest::collection::vec(any::<i64>(), 3)) {
        let text = SHIPPED_ADMISSION
            .replace("quote_chars_min = 3", &format!("quote_chars_min = {}", numbers[0]))
            .replace("quote_chars_max = 600", &format!("quote_chars_max = {}", numbers[1]))
            .replace("year_min = 1", &format!("year_min = {}", numbers[2]));
        if let Ok(policy) = AdmissionPolicy::parse("any.toml", &text) {
            prop_assert!(policy.quote_chars_min <= policy.quote_chars_max && policy.year_min <= policy.year_max);
        }
    }
}
