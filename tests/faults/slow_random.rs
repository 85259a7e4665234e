//! Lives drawn from seeds on disks that fail at random, and power cuts drawn from seeds.

use proofs::ordeal::{faulty_lives, power_cuts};
use store_sqlite::{Options, Synchronous};

#[test]
fn nothing_acknowledged_is_lost_on_disks_that_fail() {
    let lives = faulty_lives(0..60).expect("every life ends well");
    assert!(lives.failed > 60 && lives.errors > 20 && lives.acknowledged > 200, "{lives:?}");
}

/// Seeds that once broke something: a log that was never synced was built upon; the key file of a commit without an answer was
/// taken away, and the commit came to count; half a head over frames that were given up was taken for damage; and so were
/// a first page that was cut short, and one whose first bytes never came to the disk.
#[test]
fn what_was_once_lost_is_not_lost_again() {
    for seed in [269, 843, 1_479, 2_629, 3_400] {
        let lives = faulty_lives(seed..seed + 1).expect("the life ends well");
        assert!(lives.failed > 0, "{lives:?}");
    }
}

#[test]
fn nothing_acknowledged_is_lost_to_power_cuts() {
    let cuts = power_cuts(1, 120, &Options::default()).expect("the lives end well");
    assert_eq!(cuts.wrong, Vec::<String>::new());
    assert_eq!(cuts.cuts, 120);
}

/// The instrument sees what it is there to see: a store that does not wait for the disk loses what it acknowledged.
#[test]
fn power_cuts_take_what_was_not_synced() {
    for synchronous in [Synchronous::Normal, Synchronous::Off] {
        let options = Options { synchronous, ..Options::default() };
        let cuts = power_cuts(2, 100, &options).expect("the lives end well");
        assert!(cuts.wrong.len() > 10, "{synchronous:?}: {:?}", cuts.wrong);
        // One that waits when the log is written back loses what came last, or is found out, and nothing else.
        let lost = cuts.wrong.iter().filter(|what| {
            what.contains("was acknowledged and is there 0 times")
                || what.contains("appends after it would be lost")
        });
        if synchronous == Synchronous::Normal {
            assert_eq!(lost.count(), cuts.wrong.len(), "{:?}", cuts.wrong);
        }
    }
}
