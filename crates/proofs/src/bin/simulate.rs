//! Lives through simulated worlds, one seed after the other: `simulate [--first SEED] [--seeds N] [--operations M]`.
//!
//! A failure prints the seed and the last steps; `--first SEED --seeds 1` has it again.

use proofs::simulation::{Told, run};

fn main() {
    let (mut first, mut seeds, mut operations) = (1_u64, 20_u64, 500_usize);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let number = arguments.next().and_then(|value| value.parse::<u64>().ok());
        match (name.as_str(), number) {
            ("--first", Some(number)) => first = number,
            ("--seeds", Some(number)) => seeds = number,
            ("--operations", Some(number)) => operations = number as usize,
            _ => panic!("usage: simulate [--first SEED] [--seeds N] [--operations M]"),
        }
    }
    let mut all = Told::default();
    for seed in first..first + seeds {
        all.add(&run(seed, operations));
        if (seed + 1 - first).is_multiple_of(50) {
            println!("{} seeds, {} operations", seed + 1 - first, all.operations);
        }
    }
    println!("seeds {first} to {}: state and answers equal, every promise kept\n{all:#?}", first + seeds - 1);
}
