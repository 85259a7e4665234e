//! The laws of telemetry, each over a maker of empty places.

use crate::shadow::{Comparison, Day, Event, PolicyName, Rollup, Tally};
use crate::telemetry::{ROLLUP_DAYS, ROW_DAYS, ROWS_MAX, Telemetry};

/// Makes an empty place for telemetry.
pub type MakeTelemetry<'make> = &'make dyn Fn() -> Box<dyn Telemetry>;

/// Makes a new place, and returns what opens the telemetry in it, again and again.
pub type MakeTelemetryPlace<'make> = &'make dyn Fn() -> Box<dyn Fn() -> Box<dyn Telemetry>>;

/// Expands to one test for each law; `$make` is called for empty telemetry, `$place` as in [`MakeTelemetryPlace`].
#[macro_export]
macro_rules! telemetry_suite {
    ($make:expr) => {
        $crate::telemetry_suite! { @each $make =>
            nothing_is_there_at_first
            comparisons_come_back_newest_first
            rollups_are_the_rows_added_up
            tallies_are_added_up_day_by_day
            old_rows_expire_and_rollups_stay
            no_more_rows_are_kept_than_the_most
            the_switch_is_turned_and_turned_back
            extreme_numbers_come_back
            limits_are_counted_day_by_day
        }
    };
    ($make:expr, reopen: $place:expr) => {
        $crate::telemetry_suite! { $make }

        #[test]
        fn telemetry_is_there_after_reopening() {
            $crate::conformance::telemetry_is_there_after_reopening(&$place);
        }

        #[test]
        fn the_switch_reaches_whoever_has_the_place_open() {
            $crate::conformance::the_switch_reaches_whoever_has_the_place_open(&$place);
        }
    };
    (@each $make:expr => $($law:ident)+) => {$(
        #[test]
        fn $law() {
            $crate::conformance::$law(&$make);
        }
    )+};
}

/// The `number`-th of a family of comparisons that all differ.
#[must_use]
pub fn sample_comparison(number: u32) -> Comparison {
    let (overlap, added, removed) = (number % 8, number % 5, number % 3);
    Comparison {
        standing: PolicyName(2),
        candidate: PolicyName(3 + (number % 2) as u16),
        considered: 20 + number,
        selected_standing: overlap + removed,
        selected_candidate: overlap + added,
        overlap,
        added,
        removed,
        tokens_difference: 100 - (number % 200) as i32,
        disputes_added: number % 4 / 3,
        disputes_removed: number % 7 / 6,
        duration_micros: number * 37 % 9_000,
    }
}

fn tally(number: u64) -> Tally {
    let mut tally = Tally::default();
    Event::ALL.iter().zip(1_u64..).for_each(|(event, place)| tally.add(*event, number * place % 11));
    tally
}

/// Whether two sets of rollups are the same, in any order.
fn assert_same(found: Vec<Rollup>, expected: Vec<Rollup>) {
    let sorted = |mut all: Vec<Rollup>| {
        all.sort_by_key(|one| (one.standing, one.candidate, one.day));
        all
    };
    assert_eq!(sorted(found), sorted(expected));
}

/// An empty place answers with nothing, and its switch is on.
pub fn nothing_is_there_at_first(make: MakeTelemetry<'_>) {
    let telemetry = make();
    assert_eq!(telemetry.shadow_rows(10).expect("read"), []);
    assert_eq!(telemetry.shadow_row_count().expect("read"), 0);
    assert_eq!(telemetry.shadow_rollups().expect("read"), []);
    assert_eq!(telemetry.shadow_tallies().expect("read"), []);
    assert_eq!(telemetry.expire_shadow(Day(20_000)).expect("expired"), 0);
    assert!(!telemetry.shadow_is_off());
}

/// What was recorded is read back as it was, the newest first, no more than asked for.
pub fn comparisons_come_back_newest_first(make: MakeTelemetry<'_>) {
    let telemetry = make();
    for number in 0..20 {
        telemetry
            .record_shadow(Day(20_000), &sample_comparison(number), &Tally::default())
            .expect("recorded");
    }
    let expected: Vec<(Day, Comparison)> =
        (15..20).rev().map(|number| (Day(20_000), sample_comparison(number))).collect();
    assert_eq!(telemetry.shadow_rows(5).expect("read"), expected);
    assert_eq!(telemetry.shadow_rows(100).expect("read").len(), 20);
    assert_eq!(telemetry.shadow_row_count().expect("read"), 20);
}

/// A rollup is what [`Rollup::add`] makes of the rows, per pair of policies and day.
pub fn rollups_are_the_rows_added_up(make: MakeTelemetry<'_>) {
    let telemetry = make();
    let mut expected: Vec<Rollup> = Vec::new();
    for number in 0..60 {
        let (day, row) = (Day(20_000 + (number % 3) as i32), sample_comparison(number));
        telemetry.record_shadow(day, &row, &Tally::default()).expect("recorded");
        let same = |one: &&mut Rollup| one.day == day && one.candidate == row.candidate;
        match expected.iter_mut().find(same) {
            Some(rollup) => rollup.add(&row),
            None => {
                let mut rollup = Rollup::new(row.standing, row.candidate, day);
                rollup.add(&row);
                expected.push(rollup);
            }
        }
    }
    assert_eq!(expected.len(), 6);
    assert_same(telemetry.shadow_rollups().expect("read"), expected);
}

/// Tallies of one day are added to each other, event by event.
pub fn tallies_are_added_up_day_by_day(make: MakeTelemetry<'_>) {
    let telemetry = make();
    let mut expected = [(Day(19_999), Tally::default()), (Day(20_000), Tally::default())];
    for number in 0..10 {
        let (day, sum) = &mut expected[number as usize % 2];
        telemetry
            .record_shadow(*day, &sample_comparison(number), &tally(u64::from(number)))
            .expect("recorded");
        sum.add_all(&tally(u64::from(number)));
    }
    assert_eq!(telemetry.shadow_tallies().expect("read"), expected);
}

/// Rows of more than thirty days go; what they added up to stays, until it is ten years old.
pub fn old_rows_expire_and_rollups_stay(make: MakeTelemetry<'_>) {
    let telemetry = make();
    let today = Day(20_000);
    let days = [today, today.before(ROW_DAYS), today.before(ROW_DAYS + 1), today.before(400)];
    for (number, day) in (0..).zip(days) {
        telemetry.record_shadow(day, &sample_comparison(number), &tally(1)).expect("recorded");
    }
    let rollups = telemetry.shadow_rollups().expect("read");
    assert_eq!(telemetry.expire_shadow(today).expect("expired"), 2);
    let kept: Vec<Day> = telemetry.shadow_rows(10).expect("read").into_iter().map(|(day, _)| day).collect();
    assert_eq!(kept, [today.before(ROW_DAYS), today]);
    assert_same(telemetry.shadow_rollups().expect("read"), rollups);
    assert_eq!(telemetry.shadow_tallies().expect("read").len(), 4);
    assert_eq!(telemetry.expire_shadow(today).expect("expired"), 0);
    let ten_years_on = Day(today.0 + ROLLUP_DAYS);
    assert_eq!(telemetry.expire_shadow(ten_years_on).expect("expired"), 2);
    assert_eq!(telemetry.shadow_rollups().expect("read").len(), 1);
    assert_eq!(telemetry.shadow_tallies().expect("read").len(), 1);
}

/// The rows are bounded: past the most, the oldest go. Rollups count them all the same.
pub fn no_more_rows_are_kept_than_the_most(make: MakeTelemetry<'_>) {
    let telemetry = make();
    let row = sample_comparison(1);
    let more = 25;
    for number in 0..ROWS_MAX + more {
        let row = Comparison { considered: number as u32, ..row };
        telemetry.record_shadow(Day(20_000), &row, &Tally::default()).expect("recorded");
    }
    let rows = telemetry.shadow_rows(usize::MAX).expect("read");
    assert_eq!(rows.len(), ROWS_MAX);
    assert_eq!(rows.last().map(|(_, row)| row.considered), Some(more as u32));
    assert_eq!(telemetry.shadow_row_count().expect("read"), ROWS_MAX as u64);
    let compared: u64 = telemetry.shadow_rollups().expect("read").iter().map(|one| one.compared).sum();
    assert_eq!(compared, (ROWS_MAX + more) as u64);
}

/// Off is off until it is on; turning it twice is turning it once.
pub fn the_switch_is_turned_and_turned_back(make: MakeTelemetry<'_>) {
    let telemetry = make();
    for on in [false, false, true, true, false] {
        telemetry.switch_shadow(on).expect("turned");
        assert_eq!(telemetry.shadow_is_off(), !on);
    }
}

/// The largest numbers a comparison can hold come back as they were.
pub fn extreme_numbers_come_back(make: MakeTelemetry<'_>) {
    let telemetry = make();
    let most = u32::MAX;
    for tokens_difference in [i32::MIN, i32::MAX] {
        let row = Comparison {
            standing: PolicyName(0),
            candidate: PolicyName(u16::MAX),
            considered: most,
            selected_standing: most,
            selected_candidate: most,
            overlap: most,
            added: most,
            removed: most,
            tokens_difference,
            disputes_added: most,
            disputes_removed: most,
            duration_micros: most,
        };
        telemetry.record_shadow(Day(i32::MAX), &row, &Tally::default()).expect("recorded");
        assert_eq!(telemetry.shadow_rows(1).expect("read"), [(Day(i32::MAX), row)]);
    }
}

/// Another opening of the same place reads the same.
pub fn telemetry_is_there_after_reopening(make: MakeTelemetryPlace<'_>) {
    let open = make();
    let read = |telemetry: &dyn Telemetry| {
        let rollups = telemetry.shadow_rollups().expect("read");
        (telemetry.shadow_rows(100).expect("read"), rollups, telemetry.shadow_tallies().expect("read"))
    };
    let first = open();
    for number in 0..10 {
        first.record_shadow(Day(20_000), &sample_comparison(number), &tally(3)).expect("recorded");
    }
    let before = read(&*first);
    assert_eq!(read(&*open()), before, "while the first has it open");
    drop(first);
    assert_eq!(read(&*open()), before);
}

/// The switch turned in one opening is seen in every other, without opening anew.
pub fn the_switch_reaches_whoever_has_the_place_open(make: MakeTelemetryPlace<'_>) {
    let open = make();
    let (one, other) = (open(), open());
    for on in [false, true, false] {
        one.switch_shadow(on).expect("turned");
        assert_eq!(other.shadow_is_off(), !on);
    }
    assert!(open().shadow_is_off());
}

/// How often a limit was met adds up within its day, and goes when it is old.
pub fn limits_are_counted_day_by_day(make: MakeTelemetry<'_>) {
    let telemetry = make();
    assert_eq!(telemetry.limit_hits().expect("hits"), []);
    let day = Day(20_000);
    telemetry.record_limits(day, &[(3, 2), (0, 1)]).expect("recorded");
    telemetry.record_limits(day, &[(3, 5)]).expect("recorded");
    telemetry.record_limits(Day(day.0 + 1), &[(3, 1)]).expect("recorded");
    let expected = [(day, 0, 1), (day, 3, 7), (Day(day.0 + 1), 3, 1)];
    assert_eq!(telemetry.limit_hits().expect("hits"), expected);
    let late = Day(day.0 + ROLLUP_DAYS + 1);
    telemetry.record_limits(late, &[]).expect("recorded");
    assert_eq!(telemetry.limit_hits().expect("hits"), expected[2..]);
}
