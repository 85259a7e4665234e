//! The alpha case and the pollution family, the requests of PrecisionMemBench, and the smallest FactConsolidation, held to
//! floors. What turn/3 is for: as much of what is right, and less of anything else.

use bench::policies::{Shown, play};
use bench::stores::{StoreKind, scope};
use bench::{factconsolidation, precisionmembench};
use ledger::resolve::Policy;

fn total(all: &[(&'static str, Policy, Shown)], policy: Policy) -> Shown {
    let of_policy = all.iter().filter(|(_, of, _)| *of == policy);
    of_policy.fold(Shown::default(), |sum, (_, _, shown)| Shown {
        right: sum.right + shown.right,
        found: sum.found + shown.found,
        others: sum.others + shown.others,
        tokens: sum.tokens + shown.tokens,
        requests: sum.requests + shown.requests,
    })
}

#[test]
fn turn_3_shows_what_is_right_and_less_of_anything_else() {
    let place = tempfile::tempdir().expect("a directory");
    let all = play(StoreKind::Reference, place.path(), None).expect("played");
    let (before, now) = (total(&all, Policy::Turn2), total(&all, Policy::Turn3));
    assert!(now.found >= before.found, "{now:?} {before:?}");
    assert!(now.others * 2 <= before.others, "{now:?} {before:?}");
    for (family, _, shown) in all.iter().filter(|(_, policy, _)| *policy == Policy::Turn3) {
        assert_eq!(shown.found, shown.right, "{family}: {shown:?}");
    }
}

#[test]
fn requests_are_answered_precisely() {
    let place = tempfile::tempdir().expect("a directory");
    let stored = precisionmembench::store(StoreKind::Reference, place.path(), None).expect("stored");
    let before = stored.ask(Policy::Turn2).expect("asked");
    let now = stored.ask(Policy::Turn3).expect("asked");
    assert_eq!(now.cases, 77);
    assert!(now.whole > before.whole, "{} {}", now.whole, before.whole);
    assert!(
        now.precision() > before.precision() && now.recall() >= 90.0,
        "{} {}",
        now.precision(),
        now.recall()
    );
}

#[test]
fn the_later_statement_answers() {
    let place = tempfile::tempdir().expect("a directory");
    let engine = factconsolidation::engine_for(StoreKind::Reference, place.path(), None).expect("an engine");
    let scope = scope("facts").expect("a name");
    let outcome = factconsolidation::play(&engine, &scope, "6k", usize::MAX).expect("played");
    assert_eq!((outcome.statements, outcome.admitted), (455, 453), "{:?}", outcome.wrong);
    assert!(outcome.superseded > 100, "{}", outcome.superseded);
    assert!(outcome.single_recall >= 99, "{:?}", outcome.wrong);
    assert!(outcome.multi_first >= 70 && outcome.multi_recall < 10, "{:?}", outcome.missed);
}
