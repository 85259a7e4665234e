//! Simulated worlds, a few of them; `cargo run -p proofs --bin simulate` lives through as many as one likes.

/// Seeds of other runs than the program's first, so that the two together see more.
const SEEDS: std::ops::Range<u64> = 9_000..9_005;
const OPERATIONS: usize = 300;

#[test]
fn slow_worlds_of_many_clients_agree_with_the_reference() {
    let mut all = proofs::simulation::Told::default();
    for seed in SEEDS {
        all.add(&proofs::simulation::run(seed, OPERATIONS));
    }
    // A run in which nothing went wrong shows nothing.
    for (what, count) in [("deaths", all.deaths), ("crashes", all.crashes), ("jumps", all.jumps)] {
        assert!(count > 0, "no {what} in {all:?}");
    }
    for (what, count) in [("erasures", all.erasures), ("replayed", all.replayed), ("looks", all.looks)] {
        assert!(count > 0, "no {what} in {all:?}");
    }
}
