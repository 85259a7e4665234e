//! The suite every store runs: what the contract promises, one law a function, each over a maker of empty stores.
//!
//! A store's crate names its maker once, in [`conformance_suite!`](crate::conformance_suite), and gets one test a law.
//! What a law expects is what [`crate::reference`] does; the reference store runs the suite too.

mod laws;
mod sample;
mod telemetry;

pub use laws::*;
pub use sample::*;
pub use telemetry::*;

use crate::store::Store;

/// Makes an empty store.
pub type Make<'make> = &'make dyn Fn() -> Box<dyn Store>;

/// Makes a new place, and returns what opens the store in it, again and again.
pub type MakePlace<'make> = &'make dyn Fn() -> Box<dyn Fn() -> Box<dyn Store>>;

/// Expands to one test for each law. `$make` is called for an empty store: `Fn() -> Box<dyn Store>`.
///
/// A store that outlives its process also gives `reopen:` a maker of places: `Fn() -> Box<dyn Fn() -> Box<dyn Store>>`,
/// whose inner function opens the same place each time.
#[macro_export]
macro_rules! conformance_suite {
    ($make:expr) => {
        $crate::conformance_suite! { @each $make =>
            a_subject_never_heard_of_is_empty
            founding_a_subject_twice_gives_the_same_keys
            what_is_appended_is_read_back
            every_kind_of_row_comes_back_as_it_was
            an_append_at_another_basis_is_refused
            a_known_key_is_answered_and_not_appended
            a_group_is_taken_whole_or_not_at_all
            two_batches_of_a_group_have_two_keys
            empty_groups_and_batches_are_taken
            changes_are_those_after_the_watermark
            messages_are_read_without_the_rest
            subjects_do_not_see_each_other
            a_message_is_recognised_by_its_marks
            the_first_of_two_matches_is_recognised
            tombstones_bar_and_can_be_lifted
            tombstones_are_lifted_by_their_source
            evidence_is_read_by_page
            an_erased_row_is_gone
            an_erasure_is_told_to_those_who_read_before
            an_erasure_at_another_basis_changes_nothing
            an_erasure_is_carried_out_once
            an_erasure_is_told_of_by_its_act
            reduced_evidence_keeps_what_it_is_told_to
            rewritten_transitions_stand_in_the_erasure
            an_erased_source_can_come_again
            a_forgotten_subject_leaves_only_tombstones
            a_forgotten_subject_begins_anew
            a_basis_is_of_one_life
            destroyed_subjects_leave_a_record_each
            marks_outlive_their_subject
            turns_are_recorded_once_and_numbered
            a_turn_of_what_was_erased_is_not_recorded
            what_a_turn_used_is_added_up
            recent_turns_are_read_newest_first
            a_turn_comes_back_with_every_feature
            policy_acts_are_recorded_in_order
            verification_counts_and_finds_nothing
            one_of_many_writers_wins_each_basis
            subjects_are_written_side_by_side
            vectors_are_kept_and_read_back
            vectors_of_other_dimensions_are_refused
            vectors_stand_on_rows_of_the_log
            vectors_go_with_their_rows_and_do_not_come_back
            vectors_are_kept_beside_erasures
        }
    };
    ($make:expr, reopen: $place:expr) => {
        $crate::conformance_suite! { $make }

        #[test]
        fn everything_is_there_after_reopening() {
            $crate::conformance::everything_is_there_after_reopening(&$place);
        }

        #[test]
        fn policy_acts_are_there_after_reopening() {
            $crate::conformance::policy_acts_are_there_after_reopening(&$place);
        }

        #[test]
        fn two_openings_of_one_place_agree() {
            $crate::conformance::two_openings_of_one_place_agree(&$place);
        }
    };
    (@each $make:expr => $($law:ident)+) => {$(
        #[test]
        fn $law() {
            $crate::conformance::$law(&$make);
        }
    )+};
}

#[cfg(test)]
mod tests {
    use crate::reference::ReferenceStore;
    use crate::store::Store;

    fn make() -> Box<dyn Store> {
        Box::new(ReferenceStore::new())
    }

    crate::conformance_suite! { make }

    mod telemetry {
        use crate::telemetry::{ReferenceTelemetry, Telemetry};

        fn make() -> Box<dyn Telemetry> {
            Box::new(ReferenceTelemetry::new())
        }

        crate::telemetry_suite! { make }
    }
}
