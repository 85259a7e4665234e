//! What happens when things fail: disks, processes, clocks, stores. `docs/guides/when-things-fail.md` is the table of it.
//!
//! Each file is one kind of failure. Those with `slow` in their name run last; how many cases a test tries is small here, and
//! `cargo run -p proofs --bin ordeal` tries as many as one likes.

mod clock;
mod earlier;
mod failing_store;
mod full_disk;
mod processes;
mod programs;
mod slow_backup;
mod slow_damage;
mod slow_kills;
mod slow_migration;
mod slow_nth_operation;
mod slow_random;
mod slow_troubled;
mod slow_turned_clock;
mod told_why;
