//! The promises of the design, each in a file of its own, each kept by every store.
//!
//! They are written from the promise's words, as somebody would who wants to break it: the promise is quoted at the
//! top of each file.

mod speak;

mod promise_01_quote_or_nothing;
mod promise_02_only_the_owner_speaks_for_the_owner;
mod promise_03_model_output_never_deletes;
mod promise_04_nothing_is_overwritten;
mod promise_05_late_is_not_fresh;
mod promise_06_disputes_travel_whole;
mod promise_07_support_counts_lineages;
mod promise_08_a_turn_can_be_replayed;
mod promise_09_candidate_selected_used;
mod promise_10_shadow_never_shows;
mod promise_11_forgetting_is_deletion;
mod promise_12_scope_cannot_be_left_out;
mod promise_13_derived_is_disposable;
mod promise_15_a_summary_is_never_a_quote;
mod promise_18_silence_is_not_success;
mod promise_19_an_acknowledged_write_survives;
mod promise_20_pure_core;
